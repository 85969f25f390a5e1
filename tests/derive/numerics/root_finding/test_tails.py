"""Equations with roundings have all their roots found where the domain has no ends, those at a step among them.

The oracle goes through the pieces between the steps with exact rationals, as far as there may be roots.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, inf

import pytest

from derive import AmbiguousError, NoSolutionError, UnderdeterminedError
from tests.derive.statements import bare, numbers, span
from tests.ordinary import every


def pieces(terms, slope, constant):
    """The roots of `slope*x + constant` and some terms `factor*rounded((x + shift)/width)`: points, and intervals."""
    mean = slope + sum(Fraction(factor, width) for _, factor, _, width in terms)
    reach = (abs(constant) + sum(abs(factor) * (1 + abs(shift)) for _, factor, shift, _ in terms)) / abs(mean) + 1

    def value(x):
        steps = sum(factor * rounded((x + shift) / width) for rounded, factor, shift, width in terms)
        return slope * x + constant + steps

    steps = {
        Fraction(width * n - shift)
        for _, _, shift, width in terms
        for n in range(floor((-reach + shift) / width) - 1, ceil((reach + shift) / width) + 2)
    }
    points = [x for x in sorted(steps) if value(x) == 0]
    intervals = []
    for low, high in pairwise(sorted(steps)):
        inside = (low + high) / 2
        if slope == 0:
            intervals += [(low, high)] if value(inside) == 0 else []
        else:
            x = inside - value(inside) / slope
            points += [x] if low < x < high else []
    return sorted(x for x in points if not any(low <= x <= high for low, high in intervals)), intervals


@every("seed", range(600), ordinary=30, thorough=4)
def test_roots_of_roundings_are_those_of_their_pieces(seed):
    draw = random.Random(f"roundings {seed}")
    terms = [
        (draw.choice([floor, ceil]), draw.choice([-3, -1, 1, 2]), draw.randint(-2, 2), draw.choice([1, 2, 3, 5]))
        for _ in range(draw.randint(1, 2))
    ]
    slope, constant = draw.choice([-2, -1, 0, 1, 1, 2]), draw.randint(-6, 6)
    if slope + sum(Fraction(factor, width) for _, factor, _, width in terms) == 0:
        return  # the sides may meet without end
    texts = [f"({factor})*{rounded.__name__}((x + {shift})/{width})" for rounded, factor, shift, width in terms]
    library = bare("x y", f"y = {' + '.join([*texts, f'({slope})*x'])}", domains={"x": "real", "y": "real"})
    points, intervals = pieces(terms, slope, constant)
    if not points and not intervals:
        with pytest.raises(NoSolutionError):
            library.solve_all("x", y=-constant)
        return
    answers = library.solve_all("x", y=-constant)
    assert numbers([answer for answer in answers if answer.value is not None]) == pytest.approx(points)
    if len(intervals) <= 1:
        found = [span(answer) for answer in answers if answer.value is None]
        assert found == [pytest.approx((float(low), float(high))) for low, high in intervals]


@pytest.mark.parametrize("text", ["z = -sqrt(-z**2)", "z = 3 - sqrt(-(z - 3)**2)", "z = 3 + floor(-sqrt(-(z - 3)**2))"])
def test_the_one_number_at_which_sides_are_defined_may_be_a_root(text):
    root = 3 if "3" in text else 0
    answers = bare("a z", f"a*z = z + {text.partition('=')[2]}", domains={"a": "real", "z": "real"}).solve_all("z", a=2)
    assert numbers(answers) == [root]


def test_intervals_that_touch_where_a_relation_is_undefined_have_no_number_there():
    library = bare("a b c", "a = floor(b/2)", "c = b/(a + b)", domains=dict.fromkeys("abc", "real"))
    with pytest.raises(AmbiguousError) as raised:
        library.solve("b", a=0, c=1)
    assert [span(answer) for answer in raised.value.answers] == [pytest.approx((0, 2))]


def test_a_tail_in_which_the_sides_may_meet_is_searched():
    library = bare("x y", "y = floor(x)*exp(-x)", domains={"x": "real", "y": "real"})
    assert max(span(answer)[1] if answer.value is None else answer.base for answer in library.solve_all("x", y=0)) < inf


def expression(draw, depth):
    """A random expression of x with kinks, steps and cases at small whole numbers, as text."""
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(["x", "x", "x/2", "3*x", str(draw.randint(1, 3)), f"(x - {draw.randint(1, 3)})"])
    first, second = expression(draw, depth - 1), expression(draw, depth - 1)
    condition = f"x {draw.choice(['<', '<=', '>', '>='])} {draw.randint(-2, 2)}"
    sums = (f"({first} + {second})", f"({first} - {second})")
    choices = (f"max({first}, {second})", f"min({first}, {second})", f"({first} if {condition} else {second})")
    steps = (f"floor(({first})/2)", f"ceil(({first})/2)", f"abs({first})")
    return draw.choice((*sums, *choices, *steps))


def value_of(text, x):
    """The exact value of an expression at a rational number."""
    functions = {"abs": abs, "max": max, "min": min, "floor": floor, "ceil": ceil}
    return eval(text, functions, {"x": x})


@every("seed", range(600), ordinary=30, thorough=4)
def test_no_number_near_zero_is_missing_among_roots_of_roundings(seed):
    draw = random.Random(f"nested {seed}")
    text = expression(draw, draw.randint(2, 3))
    numbers_near = sorted({Fraction(p, q) for q in (1, 2, 3, 4, 5) for p in range(-10 * q, 10 * q + 1)})
    level = value_of(text, draw.choice(numbers_near))
    library = bare("k x", f"{level}*k = {text}" if level else f"k - 1 = {text}", domains={"k": "real", "x": "real"})
    try:
        answers = library.solve_all("x", k=1)
    except UnderdeterminedError:  # x cancels
        return
    spans = [span(answer) if answer.value is None else (answer.base, answer.base) for answer in answers]
    roots = [x for x in numbers_near if value_of(text, x) == level]
    assert not [x for x in roots if not any(low - 1e-9 <= x <= high + 1e-9 for low, high in spans)], text
