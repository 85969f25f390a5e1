"""Ranges of counts: they hold a whole number, and what only fractions lead to is not called reached."""

from __future__ import annotations

import pytest

from derive import DomainError
from tests.derive.statements import bare, span

COUNT = {"n": "1..9, whole", "t": "real"}


@pytest.mark.parametrize("given", ["1.2..1.7", "2.5 +/- 0.3"])
def test_a_range_without_a_whole_number_is_refused_as_a_fraction_is(given):
    library = bare("n t", "t = 2*n", domains=COUNT)
    with pytest.raises(DomainError, match="no whole number lies in"):
        library.solve_all("t", n=given)


@pytest.mark.parametrize(
    ("relation", "n", "ends"),
    [
        ("t = (n - 1.5)**2", "1..2", (0, 0.25)),
        ("t = max(abs(n - 2), 0.1)", "1..3", (0.1, 1)),
        ("t = n", "1.5..3", (1.5, 3)),
    ],
)
def test_bounds_at_fractions_are_not_called_reached(relation, n, ends):
    (answer,) = bare("n t", relation, domains=COUNT).solve_all("t", n=n)
    assert span(answer) == pytest.approx(ends)
    assert any("a count in it is whole" in assumption for assumption in answer.assumptions)


def test_bounds_at_whole_ends_are_exact_where_it_rises_or_falls_throughout():
    (answer,) = bare("n t", "t = 2*n + 1", domains=COUNT).solve_all("t", n="2..5")
    assert span(answer) == (5, 11)
    assert "bounds are exact: monotone in every range" in answer.assumptions
