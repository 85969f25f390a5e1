"""A map says of a point what the solver says, or that the solver could not say it."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from derive.errors import LimitError
from derive.relation_files.loading import load
from derive.tables.axes import spanned
from derive.tables.regime_map import Labels
from derive.tables.sweep_function import PointAnswer
from derive.tables.sweep_question import SweepQuestion, asked

SHELF = load(
    """
[quantities]
book  = { unit = "kg" }
books = { unit = "" }
load  = { unit = "kg" }
bears = { unit = "kg", value = "12 kg" }
[relations]
load  = { equation = "load = books*book" }
shelf = { equation = "load <= bears" }
"""
)


def _survey() -> SweepQuestion:
    return asked(SHELF, "load", (), {"books": spanned("1..9", 8), "book": spanned("1..9 kg", 8)})


def _labelled(survey: SweepQuestion) -> tuple[Labels, Any, Any, Any]:
    labels = Labels(survey)
    books, book = (line.part(0, 8) for line in survey.lines)
    x, y = numpy.repeat(books, 8), numpy.tile(book, 8)
    return labels, x, y, labels.at(x, y)


def test_the_points_beyond_the_limit_are_those_of_arithmetic() -> None:
    labels, x, y, found = _labelled(_survey())
    fails = [labels.standings[one].failed == {"shelf"} for one in found]
    assert fails == (x * y > 12).tolist()


def test_a_solver_without_an_answer_is_not_taken_for_a_check_that_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _survey()
    monkeypatch.setattr(type(survey.function), "point_answer", lambda *_: PointAnswer())
    with pytest.raises(LimitError, match="could not be tested"):
        _labelled(survey)
