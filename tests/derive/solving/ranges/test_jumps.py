"""Ranges backwards through jumps: from which numbers a value within the range follows, or that there is none."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from derive import LimitError, NoSolutionError
from tests.derive.statements import bare
from tests.ordinary import every

CELL = Fraction(1, 32)  # slopes are powers of two and constants halves, so all jumps lie on multiples of it


def drawn_step(draw, name, source):
    """A relation that gives a quantity from another one with jumps, and the function that it states."""
    slope, constant = draw.choice((1, 2, -1, -2)), Fraction(draw.randint(-4, 4), 2)
    argument = f"{slope}*{source} + ({float(constant)})"
    if draw.random() < 0.4:
        edge = Fraction(draw.randint(-4, 4), 2)
        choice = f"{name} = {argument} if {source} < {float(edge)} else {source} - 3"
        return choice, lambda x: slope * x + constant if x < edge else x - 3
    rounding, factor = draw.choice(("floor", "ceil")), draw.choice((0, 1, -2))
    whole = getattr(math, rounding)
    return f"{name} = {rounding}({argument}) + ({factor})*{source}", lambda x: whole(slope * x + constant) + factor * x


def leading_into(function, start, end, low, high):
    """The numbers, and the cells between two of them, from which a value within a range follows."""
    for place in range(int((high - low) / CELL) + 1):
        x = low + place * CELL
        if start <= function(x) <= end:
            yield x, x
        if x < high:  # in a cell, the function is linear, and the ends of its values are not attained
            first, second = function(x + CELL / 3), function(x + 2 * CELL / 3)
            least, most = sorted((2 * first - second, 2 * second - first))
            if (least < end and most > start) or (least == most and start <= least <= end):
                yield x, x + CELL


@every("seed", range(600), ordinary=40, thorough=8)
def test_what_a_range_leaves_through_jumps_holds_a_value_or_is_nothing(seed):
    draw = random.Random(f"jumps {seed}")
    names = "ab"[: draw.choice((1, 1, 2))]
    steps = [drawn_step(draw, name, source) for name, source in zip(names, "xa", strict=False)]

    def following(x):
        for _, function in steps:
            x = function(x)
        return x

    low, high = Fraction(draw.randint(-3, 0)), Fraction(draw.randint(1, 4))
    start = following(low + draw.randint(0, 32) * (high - low) / 32) + Fraction(draw.randint(-6, 6), 10)
    end = start + Fraction(draw.choice((1, 2, 3, 5)), 10)
    domains = {"x": f"{low}..{high}", **dict.fromkeys(names, "real")}
    library = bare(f"x {' '.join(names)}", *(relation for relation, _ in steps), domains=domains)
    leading = list(leading_into(following, start, end, low, high))
    try:
        answers = library.solve_all("x", **{names[-1]: f"{float(start)}..{float(end)}"})
    except LimitError:
        return
    except NoSolutionError:
        assert not leading
        return
    spans = [answer.bounds or (answer.base, answer.base) for answer in answers]
    for least, most in spans:
        assert any(first <= most + 1e-9 and last >= least - 1e-9 for first, last in leading)
    for first, last in leading:
        assert any(least - 1e-9 <= last and most + 1e-9 >= first for least, most in spans)


@pytest.mark.parametrize(
    ("relations", "given"),
    [
        (["a = 3*x + floor(x)"], {"a": "3.2..3.5"}),
        (["a = floor(x)", "b = 2*a"], {"b": "3.5..3.7"}),
        (["a = floor(x)", "b = ceil(1.5*a)"], {"b": "3.5..4.3"}),
        (["a = floor(0.5*x**3 - 1)"], {"a": "-2.7..-2.2"}),
        (["a = floor(3/(x**2 + 1) - 1)", "b = max(-2*a - 2, 3*a - 2)"], {"b": "-1.3..-1.25"}),
        (["a = x**2 if x < 1 else x + 1", "b = a**3 + a"], {"b": "2.5..9.5"}),
    ],
)
def test_a_range_that_lies_within_a_jump_has_no_value(relations, given):
    library = bare("x a b", *relations, domains={"x": "-1..9", "a": "real", "b": "real"})
    with pytest.raises(NoSolutionError):
        library.solve_all("x", **given)


def test_cases_that_intervals_refute_leave_no_value_beside_a_rounding():
    library = bare(
        "a b c x",
        {"equation": "a = 2*x + 2.4", "when": "x > 1.6"},
        {"equation": "a = 2", "when": "x <= 1.6"},
        "b = -3*x + 1.7 if a < 2 else -a - 2.75",
        "c = -2*floor(-b + 2.5) + 2.5*b",
        domains={**dict.fromkeys("abc", "real"), "x": "0.6..1.6"},
    )
    with pytest.raises(NoSolutionError):  # a is 2, and b -4.75
        library.solve_all("x", b="-4.6..-2.3")


def test_a_condition_on_what_an_arm_does_not_contain_makes_pieces_too():
    domains = {"x": "0..9", "a": "real", "b": "0..9"}
    library = bare("a b x", "a = (4 if x < 3 or x > 5 else 7) + floor(b)", domains=domains)
    (answer,) = library.solve_all("b", a="5..6", x="1..8")
    assert answer.bounds == pytest.approx((1, 3))


@every("seed", range(200), ordinary=20)
def test_a_rounded_quotient_has_the_bounds_that_its_decimals_give(seed):
    draw = random.Random(f"quotients {seed}")
    size = Fraction(draw.randint(1, 999), draw.choice((10, 100, 1000)))
    ends = sorted(size * draw.randint(0, 300) for _ in range(2))  # quotients on the edge of a step
    rounding, sign = draw.choice(("floor", "ceil")), draw.choice((1, -1))
    library = bare("a b n", f"n = {sign}*{rounding}(a/b)", domains={"a": "real", "b": "positive", "n": "real"})
    (answer,) = library.solve_all("n", a="..".join(f"{float(end)}" for end in ends), b=str(float(size)))
    whole = getattr(math, rounding)
    bounds = sorted(sign * whole(end / size) for end in ends)
    assert (answer.bounds or (answer.base, answer.base)) == tuple(bounds)


@pytest.mark.parametrize("relation", ["a = floor(-x) + 2*x**3", "a = floor(x**2) - x"])
def test_what_rises_in_steps_and_falls_between_them_has_no_extreme_at_a_corner(relation):
    library = bare("a x", relation, domains={"a": "real", "x": "nonnegative"})
    (answer,) = library.solve_all("a", x="0.3..2.2")
    assert "bounds are exact: monotone in every range" not in answer.assumptions
    floors = {"floor": math.floor}
    values = [eval(relation.partition(" = ")[2], floors, {"x": 0.3 + 1.9 * share / 997}) for share in range(998)]
    assert answer.bounds[0] <= min(values) + 1e-9
    assert answer.bounds[1] >= max(values) - 1e-9
