"""What a report shows, picked out for a test."""

from __future__ import annotations

import re

from derive.presentation import mathematics
from derive.presentation.document import Text
from derive.tokens.reports import report_files
from tests.derive.tokens.reports.reading import chart


def words(name):
    """All paragraphs of a report, one after the other."""
    return "\n".join(block.words for block in report_files.report(name).blocks if isinstance(block, Text))


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
    for one in report_files.report(name).quantities:
        met.setdefault(mathematics.letter(one.name, one.latex), []).append(one.name)
    return met
