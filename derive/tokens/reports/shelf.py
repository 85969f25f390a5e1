"""The available reports and the files that they produce.

A report is named as the built-in ones are, or by the path of a user's template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, ExpressionError
from derive.presentation import latex, markdown
from derive.presentation.document import Dialect, Picture, Report, Where, bound
from derive.presentation.html import Html
from derive.presentation.plotting import as_pdf, as_svg
from derive.reports.formulas import introduced, symbols
from derive.reports.templating import opening, rendered
from derive.reports.vocabulary import vocabulary
from derive.search.index import Entry, Index
from derive.tokens.reports import titles
from quantities.declaration import Declaration

if TYPE_CHECKING:
    from derive.library import Library

_EDITION = f"derive {version('derive-engine')}; numbers are shown rounded and computed with all their digits"
_MEASURED = frozenset({"benchmarks.md"})  # depends on the machine and is never stale


@cache
def report(name: str) -> Report:
    """The report of a name from its template, with its questions answered."""
    path = Path(name) if is_own(name) else titles.TEMPLATES / f"{name}.md"
    of_template = rendered(named(name), path, _words(path))
    return replace(of_template, blocks=tuple(introduced(of_template.blocks, set())))


def chosen(names: Iterable[str]) -> tuple[str, ...]:
    """The names of the wanted reports, each refused if there is no such report; all where none is named.

    First come the built-in ones in their order and the pages with sliders, then the user's.
    """
    wanted = list(names)
    known = titles.titles() | dict.fromkeys(titles.page_names(), "")
    for name in wanted:
        if is_own(name) and not Path(name).is_file():
            what = f"{name} is not a file." if Path(name).exists() else f"There is no file {name}."
            raise ExpressionError(what, hint="Give the path of a report template.", text=name)
        if not is_own(name) and name not in known:
            entries = (Entry("report", known_name, title) for known_name, title in known.items())
            raise Index(entries).unknown("report", name)
    own = dict.fromkeys(name for name in wanted if is_own(name))
    return (*(name for name in known if not wanted or name in wanted), *own)


def named(name: str) -> str:
    """The name of a report's files, which is that of its template."""
    return Path(name).stem if is_own(name) else name


def is_page(name: str) -> bool:
    """Whether a report's name is that of a page with sliders."""
    return name in titles.page_names()


def is_own(name: str) -> bool:
    """Whether a report's name is the path of a user's template."""
    return name.endswith(".md")


def _words(path: Path) -> Mapping[str, Any]:
    """The words of a report's template, on the library that it opens with or on the built-in one."""
    from derive.tokens.relations import library

    settings = opening(path)
    if "library" in settings:
        return vocabulary(_loaded(path, settings["library"], None))
    extended = library() | _loaded(path, settings["add"], library()) if "add" in settings else library()
    return {**vocabulary(extended), **_words_of_the_subject(extended)}


def _words_of_the_subject(library: Library) -> Mapping[str, Any]:
    """The words of a report for claims and price sheets, which are evaluated when its template uses them."""

    def audit() -> Mapping[str, Any]:
        from derive.tokens.audit import audit as audited
        from derive.tokens.audit import clashes
        from derive.tokens.reports.verdict_tables import verdicts

        return verdicts(audited(library=library), clashes(library=library), library)

    def sheets() -> Mapping[str, Any]:
        from derive.tokens.reports.sheet_tables import read

        return read(library)

    return {"audit": audit, "sheets": sheets}


def _loaded(template: Path, name: str, beside: Library | None) -> Library:
    """The library that a report's template names, by a name or by its relation file's path relative to the template."""
    from derive.relation_files.loading import load
    from derive.relation_files.offered import shelved

    try:
        return load(shelved(name) or template.parent / name, beside=beside)
    except DeriveError as error:
        error.what = f"{template.name}, {name}: {error.what}"
        raise


@cache
def _drawn(picture: Picture) -> str:
    return as_svg(picture.name, *picture.charts)


def parts(name: str) -> tuple[Report, ...]:
    """The reports bound in a document: a report itself, or in the volume all of them."""
    return _bound_parts() if name == titles.VOLUME else (report(name),)


@cache
def _bound_parts() -> tuple[Report, ...]:
    """The reports of the volume: each letter is introduced once, and one table has all of them."""
    known: set[Declaration] = set()
    parts = []
    reports = [report(name) for name in titles.parts()]
    for part in reports:
        bare = (block for block in part.blocks if not isinstance(block, Where))
        parts.append(replace(part, blocks=tuple(introduced(bare, known))))
    quantities = dict.fromkeys(chain.from_iterable(part.quantities for part in reports))
    _, *table = symbols(tuple(quantities))  # without its heading: the title of the report says it
    return (*parts, Report("symbols", "Symbols", tuple(table)))


def _bound(name: str, dialect: Dialect) -> str:
    lead = report(name).blocks if name == titles.VOLUME else ()
    return bound(_title(name), parts(name), dialect, lead, _EDITION)


def _title(name: str) -> str:
    return titles.titles()[name] if name == titles.VOLUME else report(name).title


def _pictures(name: str) -> tuple[Picture, ...]:
    return tuple(chain.from_iterable(part.pictures for part in parts(name)))


@cache
def texts(name: str) -> Mapping[str, str]:
    """The files of a report: their paths below the folder of reports, and their contents."""
    if is_page(name):
        return {f"{name}.html": titles.page_text(name)}
    files = {f"figures/{picture.name}.svg": _drawn(picture) for picture in _pictures(name)}
    for ending, dialect in (("tex", latex.DOCUMENT), ("md", markdown.HOST)):
        files[f"{named(name)}.{ending}"] = _bound(name, dialect)
    return files


def _page(name: str) -> str:
    """A report as one HTML file."""
    return _bound(name, Html({picture.name: _drawn(picture) for picture in _pictures(name)}))


def _pressed(name: str) -> bytes:
    """A report as PDF, which TeX makes of its LaTeX and of its pictures as PDF."""
    pictures = {f"figures/{picture.name}.pdf": as_pdf(*picture.charts) for picture in _pictures(name)}
    return latex.pressed(named(name), texts(name)[f"{named(name)}.tex"], pictures)


FORMS: Mapping[str, Callable[[str], str | bytes]] = {"html": _page, "pdf": _pressed}
"""How the file of a report with this ending is made, which is written where `derive report` is told to."""


def stale(folder: Path, name: str) -> list[str]:
    """What is wrong with the files of a report in a folder, in words: those missing or out of date."""
    wrong = []
    for path, text in texts(name).items():
        try:
            text_there = (folder / path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            wrong.append(f"{path} is missing")
        else:
            if text_there != text and not (is_page(name) and titles.same_page(text_there, text)):
                wrong.append(f"{path} is out of date")
    return wrong


def orphans(folder: Path) -> list[str]:
    """Files in a folder of reports that no report makes."""
    own = _MEASURED.union(*(texts(name) for name in titles.titles()))
    own |= {f"{name}.html" for name in titles.page_names()}
    patterns = ("*.tex", "*.md", "figures/*.svg", "pages/*.html")
    written = chain.from_iterable(map(folder.glob, patterns))
    names = sorted(path.relative_to(folder).as_posix() for path in written)
    return [f"{name} is not part of any report" for name in names if name not in own]
