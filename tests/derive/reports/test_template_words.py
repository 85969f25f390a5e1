"""The words of a report tell the numbers that the answer has."""

from __future__ import annotations

import pytest

import derive
from derive.reports.template_words import AnswerText, spread

SHELF = """
[quantities]
book = {{ unit = "kg", domain = "real" }}
shelf = {{ unit = "kg", domain = "real" }}
[relations.holds]
equation = "book {sign} shelf"
"""


@pytest.mark.parametrize(("sign", "words"), [("<=", "at least"), (">=", "at most")])
def test_an_interval_with_one_end_is_told_by_that_end(sign, words):
    (answer,) = derive.load(SHELF.format(sign=sign)).solve_all("shelf", book="3 kg")
    assert spread(answer) == AnswerText.of(answer) == rf"{words} $3\,\mathrm{{kg}}$"
