"""The reports that there are, and the files that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

from derive.drawing.plotting import as_pdf, as_svg
from derive.finding.index import Entry, Index
from derive.reporting import html, latex, markdown
from derive.reporting.asking import symbols
from derive.reporting.document import Block, Picture, Report
from derive.reporting.titles import REPORTS, TITLES, VOLUME

__all__ = ["chosen", "orphans", "page", "parts", "pressed_pictures", "report", "stale", "texts"]

_MEASURED = frozenset({"benchmarks.md"})  # what depends on the machine and is never stale


@cache
def report(name: str) -> Report:
    """A report, its questions asked."""
    module = import_module(f"derive.reporting.sections.{name}")
    blocks: Callable[[], Iterator[Block]] = module.blocks
    made = Report(name, TITLES[name], tuple(blocks()))
    return replace(made, blocks=(*made.blocks, *symbols(made.quantities)))


def chosen(names: Iterable[str]) -> tuple[str, ...]:
    """These reports, or all; in the order of the shelf."""
    wanted = list(names)
    for name in wanted:
        if name not in REPORTS:
            raise Index(Entry("report", name, title) for name, title in REPORTS.items()).unknown("report", name)
    return tuple(name for name in REPORTS if not wanted or name in wanted)


@cache
def _drawn(picture: Picture) -> str:
    return as_svg(picture.name, *picture.charts)


def parts(name: str) -> tuple[Report, ...]:
    """The reports between two covers: itself, or all of them in the volume."""
    return tuple(report(one) for one in TITLES) if name == VOLUME else (report(name),)


def _pictures(name: str) -> tuple[Picture, ...]:
    return tuple(picture for part in parts(name) for picture in part.pictures)


@cache
def texts(name: str) -> Mapping[str, str]:
    """The files of a report: their paths below the folder of reports, and what stands in them."""
    bound = parts(name)
    made = {f"figures/{picture.name}.svg": _drawn(picture) for picture in _pictures(name)}
    if name == VOLUME:
        made[f"{name}.tex"] = latex.bound(REPORTS[VOLUME], bound)
        made[f"{name}.md"] = markdown.bound(REPORTS[VOLUME], bound)
    else:
        made[f"{name}.tex"] = latex.as_latex(bound[0])
        made[f"{name}.md"] = markdown.as_markdown(bound[0])
    return made


def page(name: str) -> str:
    """The report as one HTML file."""
    bound = parts(name)
    title = REPORTS[VOLUME] if name == VOLUME else bound[0].title
    return html.bound(title, bound, {picture.name: _drawn(picture) for picture in _pictures(name)})


def pressed_pictures(name: str) -> dict[str, bytes]:
    """The pictures of a report as TeX takes them in."""
    return {f"figures/{picture.name}.pdf": as_pdf(*picture.charts) for picture in _pictures(name)}


def stale(folder: Path, name: str) -> list[str]:
    """What is wrong with a report's files in a folder, in words."""
    found = []
    for path, text in texts(name).items():
        try:
            before = (folder / path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            found.append(f"{path} is missing")
        else:
            if before != text:
                found.append(f"{path} is not what the library says now")
    return found


def orphans(folder: Path) -> list[str]:
    """Files in a folder of reports that no report makes."""
    made = {path for name in REPORTS for path in texts(name)} | _MEASURED
    written = (path for pattern in ("*.tex", "*.md", "figures/*.svg") for path in folder.glob(pattern))
    names = sorted(path.relative_to(folder).as_posix() for path in written)
    return [f"{name} belongs to no report" for name in names if name not in made]
