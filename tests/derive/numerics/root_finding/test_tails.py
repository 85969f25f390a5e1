"""Equations with roundings have all their roots found where the domain has no ends, those at a step among them.

The oracle goes through the pieces between the steps with exact rationals, as far as there may be roots.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, inf

import pytest

from derive import NoSolutionError, UnderdeterminedError
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


@pytest.mark.parametrize(
    ("text", "level", "roots"),
    [
        ("x/((ceil(x/2) + 2) + x)", "6/11", [6, 7.2, 8.4]),
        ("floor(x)**2 + x**2", "8", [-2, 2]),
        ("max(x/1000 - ceil(x/2000), 3)", "5", [10000, 11000]),
        ("(x - floor(x/3))/(floor(x/2) + x)", "1/2", [3, 4, 7, 8, 11]),
    ],
)
def test_roots_of_roundings_are_all_where_the_sides_part_far_out(text, level, roots):
    answers = bare("k x", f"{level}*k = {text}", domains={"k": "real", "x": "real"}).solve_all("x", k=1)
    assert numbers(answers) == pytest.approx(roots)
    assert not [note for answer in answers for note in answer.assumptions if "not proved" in note]


@pytest.mark.parametrize(
    ("text", "level", "roots"),
    [
        ("floor(abs(x)/2) + x/2", "-1/2", [-1, -3, -5, -31]),
        ("floor(x/2) - x/2", "0", [0, 2, -2, 44]),
        ("ceil(floor(x/2)/2)", "0", [-2, 0, 1.99]),
        ("abs(4 + x - floor(x/2))", "1", [-11, -10, -7, -6]),
        ("min((max(x, x) - abs(x))**2, (1 + (3 + x)) - floor(x/2))", "1", [-7, -6, -0.5]),
    ],
)
def test_of_roots_without_end_those_around_zero_are_told(text, level, roots):
    library = bare("k x", f"k - 1 + ({level}) = {text}", domains={"k": "real", "x": "real"})
    spans = [span(each) if each.value is None else (each.base, each.base) for each in library.solve_all("x", k=1)]
    assert not [x for x in roots if not any(low - 1e-9 <= x <= high + 1e-9 for low, high in spans)]


def test_bounds_through_nested_roundings_are_exact():
    (answer,) = bare("x y", "y = ceil(floor(x/2)/2)", domains={"x": "real", "y": "real"}).solve_all("x", y=0)
    assert span(answer) == (-2, 2)


def test_an_interval_beyond_the_trial_points_is_kept():
    relation = "k - 1 = floor(max(floor(x/2), x/x)/2)/(min(x, abs(x)) + x**4)"
    answers = bare("k x", relation, domains={"k": "real", "x": "-2..3"}).solve_all("x", k=1)
    assert [x for x in (-1.5, -0.5, 0.5, 2.5) if any(low < x < high for low, high in map(span, answers))] == [
        -1.5,
        -0.5,
        0.5,
        2.5,
    ]
