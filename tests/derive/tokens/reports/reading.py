"""What a report shows, picked out for a test."""

from __future__ import annotations

from derive.presentation.charts import Chart
from derive.presentation.document import Formulas, Grid, Picture, Text, WorkedDerivation
from derive.tokens.reports import report_files
from tests.derive.reports.pages import as_markdown


def words(name: str) -> str:
    """The report as its reader sees it."""
    return as_markdown(report_files.report(name))


def paragraph(name: str, start: str) -> str:
    """The paragraph that begins so."""
    return next(b.words for b in report_files.report(name).blocks if isinstance(b, Text) and b.words.startswith(start))


def picture(name: str, which: str) -> Picture:
    """A picture of a report."""
    return next(one for one in report_files.report(name).pictures if one.name == which)


def line(name: str, which: str, label: str) -> dict[float, float]:
    """A line of a picture, by the beginning of its label."""
    series = next(s for s in picture(name, which).charts[0].series if s.label.startswith(label))
    return dict(zip(series.x, series.y, strict=True))


def row(name: str, caption: str, label: str) -> tuple[str, ...]:
    """A row of the table whose caption begins so."""
    grids = (block for block in report_files.report(name).blocks if isinstance(block, Grid))
    grid = next(grid for grid in grids if grid.caption.startswith(caption))
    return next(cells[1:] for cells in grid.rows if cells[0] == label)


def headline(name: str, title: str) -> str:
    """The result of a derivation."""
    worked = (block for block in report_files.report(name).blocks if isinstance(block, WorkedDerivation))
    return next(one.page.headline for one in worked if one.title == title)


def formulas(name: str) -> list[tuple[tuple[str, str], ...]]:
    """The lines of mathematics, block by block."""
    return [block.lines for block in report_files.report(name).blocks if isinstance(block, Formulas)]


def lines(name: str) -> list[tuple[str, str]]:
    """All lines of mathematics: what stands left and right of each equals sign."""
    return [line for block in report_files.report(name).blocks if isinstance(block, Formulas) for line in block.lines]


def chart(name: str, which: str, number: int = 0) -> Chart:
    """A chart of a picture."""
    return picture(name, which).charts[number]
