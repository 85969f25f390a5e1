"""A report as it is read, and what stands in it."""

from __future__ import annotations

import re
from functools import cache

from derive.presentation.document import Grid
from derive.tokens.reports import report_files
from tests.derive.reports.pages import as_markdown


@cache
def told(name):
    """The report's text, spaces folded."""
    return re.sub(r"\s+", " ", as_markdown(report_files.report(name)))


def row(name, caption, first):
    """The numbers in the cells of a row, in the table whose caption begins with these words."""
    (grid,) = [
        block
        for block in report_files.report(name).blocks
        if isinstance(block, Grid) and block.caption.startswith(caption)
    ]
    (cells,) = [cells for cells in grid.rows if cells[0] == first]
    return [numbers(cell) for cell in cells[1:]]


def numbers(text):
    r"""The numbers in a text, those with a power of ten too.

    >>> numbers(r"$1.5\times10^{3}$ of 2")
    [1500.0, 2.0]
    """
    pairs = re.findall(r"(-?\d+(?:\.\d+)?)(?:\\times10\^\{(-?\d+)\})?", text.replace("10^{21}", r"1\times10^{21}"))
    return [float(number) * 10.0 ** int(power or 0) for number, power in pairs]


def curve(drawn, label):
    """The points of a series."""
    (found,) = [one for one in drawn.series if one.label == label]
    return list(zip(found.x, found.y, strict=True))
