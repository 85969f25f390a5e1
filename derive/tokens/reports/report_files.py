"""The files of reports: which reports there are, and the files that each becomes.

A report is named as the built-in ones are, or by the path of a user's template.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, ExpressionError
from derive.presentation import latex, markdown
from derive.presentation.document import Dialect, Document, LetterLegend, Picture, bound
from derive.presentation.html import Html
from derive.presentation.plotting import as_pdf, as_svg
from derive.reports.formulas import introduced, symbols
from derive.reports.template_words import vocabulary
from derive.reports.templating import opening, rendered
from derive.search_index import Entry, Index
from derive.tokens.reports import titles
from quantities.declaration import Declaration

if TYPE_CHECKING:
    from derive.library import Library

_EDITION = f"derive {version('derive-engine')}; numbers are shown rounded and computed with all their digits"
_PACKED = re.compile(r'(?<=id="packed">)[^<]*')  # the data in a page with sliders
_BEGINNING = 100  # characters of a line that tell it from another; the data of a page stand in one
_MEASURED = frozenset({"benchmarks.md"})  # depends on the machine and is never stale


@cache
def report(name: str) -> Document:
    """The report of this name, made from the file of its template, with its questions answered."""
    path = Path(name) if is_own(name) else titles.TEMPLATES / f"{name}.md"
    of_template = rendered(file_stem(name), path, _words(path))
    return replace(of_template, blocks=tuple(introduced(of_template.blocks, set())))


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names of the wanted reports, each refused if it has neither a title nor a file; all if none is named.

    First come the built-in ones in their order and the pages with sliders, then the user's.
    """
    wanted = list(names)
    known = titles.titles() | dict.fromkeys(titles.page_names(), "")
    for name in wanted:
        if is_own(name) and not os.path.isfile(name):
            what = f"{name} is not a file." if os.path.exists(name) else f"There is no file {name}."
            raise ExpressionError(what, hint="Give the path of a report template.", text=name)
        if not is_own(name) and name not in known:
            entries = (Entry("report", known_name, title) for known_name, title in known.items())
            raise Index(entries).unknown("report", name)
    own = dict.fromkeys(name for name in wanted if is_own(name))
    return (*(name for name in known if not wanted or name in wanted), *own)


def file_stem(name: str) -> str:
    """The name that the files of a report bear, without their endings: that of its template."""
    return Path(name).stem if is_own(name) else name


def is_page(name: str) -> bool:
    """Whether the name of a report's file is that of a page with sliders."""
    return name in titles.page_names()


def is_own(name: str) -> bool:
    """Whether the name of a report is the path of a user's template file."""
    return name.endswith(".md")


def _words(path: Path) -> Mapping[str, Any]:
    """The words for a report by the path of its file: of the library with which it opens, or of the built-in one."""
    from derive.tokens.relations import library

    settings = opening(path)
    own = _loaded(path, settings["library"], None) if "library" in settings else None
    base = library() if own is None else own
    extended = base | _loaded(path, settings["add"], base) if "add" in settings else base
    if own is not None:
        return vocabulary(extended)
    return {**vocabulary(extended), **_words_of_the_subject(extended)}


def _words_of_the_subject(library: Library) -> Mapping[str, Any]:
    """The words for claims and price sheets in a report's template file, evaluated when it uses them."""

    def audit() -> Mapping[str, Any]:
        from derive.tokens.audit import audit as audited
        from derive.tokens.audit import clashes
        from derive.tokens.reports.audit_report import audit_words

        return audit_words(audited(library=library), clashes(library=library), library)

    def sheets() -> Mapping[str, Any]:
        from derive.tokens.reports.price_sheet_report import sheet_words

        return sheet_words(library)

    return {"audit": audit, "sheets": sheets}


def _loaded(template: Path, name: str, beside: Library | None) -> Library:
    """The library of a user's report, by the name or the path of a relation file that its template opens with."""
    from derive.relation_files.loading import load
    from derive.relation_files.named_libraries import shelved

    try:
        return load(shelved(name) or template.parent / name, beside=beside)
    except DeriveError as error:
        error.what = f"{template.name}, {name}: {error.what}"
        raise


@cache
def _drawn(picture: Picture) -> str:
    return as_svg(picture.name, *picture.charts)


def bound_reports(name: str) -> tuple[Document, ...]:
    """The reports that one file binds: a report alone, or in the volume all of them."""
    return _volume_reports() if name == titles.VOLUME else (report(name),)


def _volume_reports() -> tuple[Document, ...]:
    """The reports in the files of the volume: each letter is introduced once, and one table has all of them."""
    known: set[Declaration] = set()
    parts = []
    reports = [report(name) for name in titles.volume_names()]
    for part in reports:
        bare = (block for block in part.blocks if not isinstance(block, LetterLegend))
        parts.append(replace(part, blocks=tuple(introduced(bare, known))))
    quantities = dict.fromkeys(chain.from_iterable(part.quantities for part in reports))
    _, *table = symbols(tuple(quantities))  # without its heading: the title of the report says it
    return (*parts, Document("symbols", "Symbols", tuple(table)))


def _document_text(name: str, dialect: Dialect) -> str:
    """The text file of a report in a language, bound with what goes before it."""
    lead = report(name).blocks if name == titles.VOLUME else ()
    return bound(_title(name), bound_reports(name), dialect, lead, _EDITION)


def _title(name: str) -> str:
    return titles.titles()[name] if name == titles.VOLUME else report(name).title


def _pictures(name: str) -> tuple[Picture, ...]:
    return tuple(chain.from_iterable(part.pictures for part in bound_reports(name)))


@cache
def _page_text(name: str) -> str:
    """The HTML file of a page with sliders, by its name among the reports."""
    from derive.pages.page import page
    from derive.tokens.relations import library

    question = titles.page_questions()[name.removeprefix("pages/")]
    return page(
        library(), question["targets"], question["profiles"], question["given"], title=question["title"], uses=["llm"]
    )


def _is_same_page(first: str, second: str) -> bool:
    """Whether the file of a built-in report's page with sliders says the same as another, once both are unpacked."""
    from derive.pages.page import unpacked

    if _PACKED.sub("", first) != _PACKED.sub("", second):
        return False
    try:
        (first_packed,), (second_packed,) = _PACKED.findall(first), _PACKED.findall(second)
        return unpacked(first_packed) == unpacked(second_packed)
    except (ValueError, zlib.error):  # not one packed part in each, or a damaged one
        return False


@cache
def texts(name: str) -> Mapping[str, str]:
    """The text files of a report: their paths below the folder of reports, and their contents."""
    if is_page(name):
        return {f"{name}.html": _page_text(name)}
    files = {f"figures/{picture.name}.svg": _drawn(picture) for picture in _pictures(name)}
    for ending, dialect in (("tex", latex.DOCUMENT), ("md", markdown.HOST)):
        files[f"{file_stem(name)}.{ending}"] = _document_text(name, dialect)
    return files


def _page(name: str) -> str:
    """The HTML file that a report becomes on request, with all its pictures."""
    return _document_text(name, Html({picture.name: _drawn(picture) for picture in _pictures(name)}))


def _pressed(name: str) -> bytes:
    """The PDF file that a report becomes on request, which TeX makes of its LaTeX and pictures."""
    pictures = {f"figures/{picture.name}.pdf": as_pdf(*picture.charts) for picture in _pictures(name)}
    return latex.pressed(file_stem(name), texts(name)[f"{file_stem(name)}.tex"], pictures)


FORMS: Mapping[str, Callable[[str], str | bytes]] = {"html": _page, "pdf": _pressed}
"""How the file of a report with this ending is made, which is written where `derive report` is told to."""


def stale(folder: Path, name: str) -> list[str]:
    """The complaints about the files of a report: which are missing in a folder or out of date."""
    wrong = []
    for path, text in texts(name).items():
        try:
            text_there = (folder / path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            wrong.append(f"{path} is missing")
        else:
            if text_there != text and not (is_page(name) and _is_same_page(text_there, text)):
                wrong.append(f"{path} is out of date{_first_difference(text_there, text)}")
    return wrong


def _first_difference(text_there: str, text: str) -> str:
    """Where a file of a report departs from what it would be, and what would stand there."""
    lines = zip_longest(text_there.splitlines(), text.splitlines(), fillvalue="")
    for number, (there, new) in enumerate(lines, start=1):
        if there != new:
            return f" from line {number} on, which would begin with {new[:_BEGINNING]!r}"
    return ""


def orphans(folder: Path) -> list[str]:
    """The complaints about files in a folder of reports that no report makes."""
    own = _MEASURED.union(*(texts(name) for name in titles.titles()))
    own |= {f"{name}.html" for name in titles.page_names()}
    patterns = ("*.tex", "*.md", "figures/*.svg", "pages/*.html")
    written = chain.from_iterable(map(folder.glob, patterns))
    names = sorted(path.relative_to(folder).as_posix() for path in written)
    return [f"{name} is not part of any report" for name in names if name not in own]
