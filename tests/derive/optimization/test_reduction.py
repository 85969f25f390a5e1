"""Expressions spread out have the same value everywhere, and enclosures that are no wider where factors cancel."""

from __future__ import annotations

import math
import random

import pytest

from derive import InconsistentError
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import names_in
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import enclose
from derive.numerics.root_finding.branch_and_bound import multipliers
from derive.optimization.reduction import in_free_names
from tests.derive.statements import bare

FORMS = [
    "p*n*max(b*c/n, (w + k*b*x)/(n*m))/b",
    "(w + k*b)/b*min(b, 3*b**2)",
    "max(a*x, b)/(a*x)",
    "-(x + 1)*max(x, 2)/x",
    "sqrt(x)*(x + sqrt(x))/x",
    "(x if b > 1 else 2*x)*(1 + 1/x)",
    "exp(-(x + b)*x)/x*(x + b)",
    "(a - b)*(a + b) - a**2",
    "abs(b - x)*(b + 1/b)/b",
    "b*x/max(b*c, x*(w + b), 0)",
    "-3*b/min(b, x)",
]
KNOWN = {"p": 3.0, "w": 0.7, "c": 2.5, "m": 4.0}


@pytest.mark.parametrize("text", FORMS)
def test_the_value_stays(text):
    draw, form = random.Random(3), parse_expression(text)
    free = [name for name in names_in(form) if name not in KNOWN]
    spread = in_free_names(form, KNOWN, dict.fromkeys(free, (0.1, 9.0)))
    assert set(names_in(spread)) <= set(free)
    for _ in range(50):
        values = {name: draw.uniform(0.1, 9.0) for name in free}
        assert value(spread, values) == pytest.approx(value(form, {**KNOWN, **values}), rel=1e-12)


@pytest.mark.parametrize("text", FORMS[:3])
def test_the_enclosure_of_what_cancels_is_narrower(text):
    form = parse_expression(text)
    box = {name: (0.5, 4.0) for name in names_in(form) if name not in KNOWN}
    points = {name: (number, number) for name, number in KNOWN.items()}
    before, after = enclose(form, {**points, **box}, ""), enclose(in_free_names(form, KNOWN, box), box, "")
    assert before.values[0] <= after.values[0] + 1e-12
    assert after.values[1] <= before.values[1] * (1 + 1e-12)
    assert after.values[1] - after.values[0] < before.values[1] - before.values[0]


@pytest.mark.parametrize("seed", range(20))
def test_multipliers_are_not_negative_and_leave_nothing_that_they_could_cancel(seed):
    draw = random.Random(seed)
    goal = [draw.uniform(-1, 1) for _ in range(3)]
    slopes = [[draw.uniform(-1, 1) for _ in range(3)] for _ in range(4)]
    found = multipliers(goal, slopes, [True] * 4)
    left = [g + sum(w * s[i] for w, s in zip(found, slopes, strict=True)) for i, g in enumerate(goal)]
    assert all(weight >= 0 for weight in found)
    assert math.hypot(*left) <= math.hypot(*goal) * (1 + 1e-9)
    for weight, slope in zip(found, slopes, strict=True):
        if weight > 0:
            assert sum(a * b for a, b in zip(left, slope, strict=True)) == pytest.approx(0, abs=1e-9)


def test_what_one_limit_says_of_a_product_holds_in_another_that_has_a_multiple_of_it():
    library = bare("cost a b c", "cost = a + b + c")
    limits = ["a*b*c <= 5", "3*a*b*c >= 15.5"]
    with pytest.raises(InconsistentError, match=r"is missed by 0\.5 at least") as caught:
        library.least("cost", such_that=limits, a="1..10", b="1..10", c="1..2")
    assert sorted(caught.value.conflicts) == sorted(limits)
