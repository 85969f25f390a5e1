"""What a report shows, picked out for a test."""

from __future__ import annotations

import re

from derive.reporting import shelf
from derive.reporting.document import Formulas, Grid, Text, Worked
from derive.showing import mathematics


def words(name):
    """All paragraphs of a report, one after the other."""
    return "\n".join(block.words for block in shelf.report(name).blocks if isinstance(block, Text))


def lines(name):
    """All lines of mathematics: what stands left and right of each equals sign."""
    return [line for block in shelf.report(name).blocks if isinstance(block, Formulas) for line in block.lines]


def row(name, caption, label):
    """The cells of a row, in the table whose caption begins so."""
    grids = (block for block in shelf.report(name).blocks if isinstance(block, Grid))
    grid = next(grid for grid in grids if grid.caption.startswith(caption))
    return next(cells[1:] for cells in grid.rows if cells[0] == label)


def headline(name, title):
    """The result of a derivation."""
    worked = (block for block in shelf.report(name).blocks if isinstance(block, Worked))
    return next(block.page.headline for block in worked if block.title == title)


def chart(name, picture):
    """The first chart of a picture."""
    return next(one for one in shelf.report(name).pictures if one.name == picture).charts[0]


def curve(name, picture, label):
    """The points of a series."""
    series = next(one for one in chart(name, picture).series if one.label == label)
    return list(zip(series.x, series.y, strict=True))


def first(text):
    r"""The first number in a text.

    >>> first(r"$6.72\,\mathrm{\mu s}$")
    6.72
    """
    return float(re.search(r"-?\d+(?:\.\d+)?", text)[0])


def letters(name):
    """The letters of a report and the quantities that bear each."""
    met = {}
    for one in shelf.report(name).quantities:
        met.setdefault(mathematics.letter(one.name, one.latex), []).append(one.name)
    return met
