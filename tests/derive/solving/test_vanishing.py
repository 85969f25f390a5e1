"""Where an unknown cancels, ties or is rounded away, what it may be is in the answer, or its list is not proved."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from derive.errors import LimitError
from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.multiprecision import gap_of
from derive.solving.blocks.one_unknown import values_of
from derive.solving.blocks.system import agrees
from derive.time_limits import limits, query
from quantities.domain import Domain
from quantities.rational import exact_of, nearest, read_decimal, written
from tests.derive.statements import bare
from tests.derive.vanishing import Hiding, hiding
from tests.ordinary import every

SAME = 1e-6
POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)


def verdict(case: Hiding) -> str:
    """What is wrong with the answer, in words; nothing, if nothing is."""
    domain = Domain("", case.low, case.high, case.open_low)
    equation = parse_equation(case.text)
    if not agrees(equation, {**case.givens, "x": case.hidden}):
        return ""
    try:
        with limits(seconds=5), query():
            found = values_of(equation, "x", case.givens, domain)
    except LimitError:
        return ""
    values = [one.values["x"] for one in found.solutions if not one.spans]
    spans = [one.spans["x"] for one in found.solutions if one.spans]
    told = f"{values} {spans} {found.caveat.text if found.caveat else found.reason!r}"
    if any(not low < high for low, high in spans):
        return f"a point is told as an interval: {told}"
    for x in [*values, *(low / 2 + high / 2 for low, high in spans if abs(low) + abs(high) < 1e300)]:
        if not (abs(gap_of(equation, {**case.givens, "x": x})) <= SAME or agrees(equation, {**case.givens, "x": x})):
            return f"{x} does not hold: {told}"
    if found.caveat or "one turn" in found.reason or found.undecided:
        return ""
    near = any(abs(x - case.hidden) <= SAME * abs(case.hidden) for x in values)
    inside = any(low - SAME * abs(low) <= case.hidden <= high + SAME * abs(high) for low, high in spans)
    return "" if near or inside else f"{case.hidden} is missing from {told}"


def wrong(seeds: range) -> dict[int, str]:
    return {seed: told for seed in seeds if (told := verdict(hiding(seed)))}


@pytest.mark.thorough
def test_what_the_unknown_may_be_is_in_the_answer():
    assert not wrong(range(100))


@pytest.mark.long
@pytest.mark.parametrize("batch", range(60))
def test_what_the_unknown_may_be_is_in_the_answer_at_length(batch):
    assert not wrong(range(500 * batch, 500 * batch + 500))


BETWEEN = [("y = abs(x - a) + abs(x - b)", (2.77, 11.77)),
           ("y = abs(0.3*x - a) + abs(0.3*x - b)", (6.1, 6.11)),
           ("y = max(log(x), a) - min(log(x), b)", (2.3, 0.4)),
           ("y = abs(sqrt(x) - a) + abs(sqrt(x) - b)", (1.3, 1.301))]  # fmt: skip
"""Equations that hold for each x between two numbers, if y is the distance of a from b."""


@pytest.mark.parametrize("off", [-1e-10, -1e-12, 1e-12, 1e-10])
@pytest.mark.parametrize(("text", "ends"), BETWEEN)
def test_an_interval_stays_where_a_computed_number_is_off(text, ends, off):
    """Each x in it goes on to agree, and no search of exact roots may deny that."""
    a, b = ends
    found = values_of(parse_equation(text), "x", {"a": a, "b": b, "y": abs(a - b) * (1 + off)}, POSITIVE)
    assert [[*one.spans] for one in found.solutions] == [["x"]]


@pytest.mark.parametrize(("text", "ends"), BETWEEN)
def test_typed_decimals_are_taken_at_their_word(text, ends):
    a, b = (read_decimal(str(end)) for end in ends)
    for off, most in (("0.999999999999", 0), ("1.000000000001", 2)):
        y = nearest(abs(exact_of(a) - exact_of(b)) * Fraction(off))
        found = values_of(parse_equation(text), "x", {"a": a, "b": b, "y": y}, POSITIVE)
        assert len(found.solutions) <= most
        assert not any(one.spans for one in found.solutions)


@pytest.mark.parametrize("text", ["y = (5*a*x/x if x > b else x)", "y = (x if x <= b else a)"])
@pytest.mark.parametrize("off", [1e-13, 1e-12, 1e-10])
def test_the_end_of_an_arm_is_an_answer_where_a_computed_number_is_just_past_it(text, off):
    numbers = {"a": 46.6, "b": 7.0, "y": 7.0 * (1 + off)}
    found = values_of(parse_equation(text), "x", numbers, POSITIVE)
    assert [one.values for one in found.solutions] == [{"x": pytest.approx(7, rel=1e-15)}]
    typed = {name: written(number) for name, number in (numbers | {"y": 7.0000000001}).items()}
    assert not values_of(parse_equation(text), "x", typed, POSITIVE).solutions


@pytest.mark.parametrize("off", [2e-16, 1e-12])
@pytest.mark.parametrize(
    ("text", "x"), [("y = cos(x)", 0), ("y = sin(x/3)", 1.5 * math.pi), ("2 - y = 1 + (x - 2)**2", 2)]
)
def test_a_computed_number_just_past_the_end_of_a_function_is_at_its_end(text, x, off):
    domain = Domain("0..5", 0.0, 5.0)
    found = values_of(parse_equation(text), "x", {"y": 1 + off}, domain)
    assert [one.values for one in found.solutions] == [{"x": pytest.approx(x)}]
    assert not values_of(parse_equation(text), "x", {"y": read_decimal("1.000000000001")}, domain).solutions


@pytest.mark.parametrize("seed", range(20))
def test_a_whole_power_of_what_vanishes_is_zero(seed):
    """No precision tells the base from zero, and its power is one all the same."""
    draw = random.Random(f"power {seed}")
    function = draw.choice(["exp", "log", "sin", "sqrt", "atan"])
    at, scale, power = round(draw.uniform(0.5, 4), 2), draw.choice([1, 7, 50]), draw.randint(2, 5)
    rest = draw.choice([0, 3, -2.5])
    text = f"y = {scale}*({function}(x/{scale}) - {function}({at}/{scale}))**{power} + {rest}"
    found = values_of(parse_equation(text), "y", {"x": read_decimal(str(at))}, Domain("real", -math.inf, math.inf))
    assert [one.values["y"] for one in found.solutions] == [rest]


@every("seed", range(300), ordinary=6)
def test_a_difference_of_long_decimals_that_doubles_are_is_exact(seed):
    """With sixteen or seventeen digits, each a double itself: whole numbers, and halves, quarters and eighths."""
    draw = random.Random(f"long {seed}")
    size = draw.choice((2**49, 2**50, 2**51, 2**53, 10**15, 9 * 10**15))
    parts = draw.choice((1, 1, 2, 4, 8))
    whole, other = (Fraction(draw.randint(size, size + 999)), Fraction(draw.randint(0, 9 * parts), parts))
    other += draw.randint(size, size + 999)
    given = {name: text(x) for name, x in (("t", whole), ("b", other))}
    exact = [x for x in (whole, other) if Fraction(float(x)) == x]
    if len(exact) < 2:
        return
    sums = bare("a b t c", "t = a + b", "c = t - b", domains=dict.fromkeys("abtc", "real"))
    assert sums.solve("a", **given).base == whole - other, given
    assert sums.solve("c", **{name: float(x) for name, x in given.items()}).base == whole - other, given


def text(number: Fraction) -> str:
    """A number whose denominator is a power of two, as the decimal that it is."""
    whole, rest = divmod(number, 1)
    return f"{int(whole)}.{int(rest * 1000):03}"


def test_a_difference_within_the_rounding_of_what_is_typed_says_that_it_hangs_on_a_digit():
    sums = bare("a b t", "t = a + b", domains={"a": "real"})
    (told,) = sums.solve("a", t="0.30000000000000004", b="0.3").assumptions
    assert told.startswith("a hangs on the last digit of t")
