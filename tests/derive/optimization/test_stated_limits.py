"""Limits as they are typed."""

from __future__ import annotations

import pytest

from derive import DimensionError, ExpressionError, UnknownNameError
from derive.expressions.tree import render
from derive.optimization.choice_question import library_limits, stated_limits
from tests.derive.statements import bare, library

TRACK = library(
    {"speed": "m/s", "time": "s", "length": "m"}, "length = speed*time", {"equation": "speed <= 9*length/time"}
)


@pytest.mark.parametrize(
    ("text", "left", "op", "right"),
    [
        ("speed >= 20 km/h", "speed", ">=", "limit_1"),
        ("20 km/h <= speed", "limit_1", "<=", "speed"),
        ("2*speed*time ≤ length", "2*speed*time", "<=", "length"),
        ("(speed if time > 3 else speed) >= 2 m/s", "speed if time > 3 else speed", ">=", "limit_1"),
    ],
)
def test_a_limit_is_two_sides(text, left, op, right):
    if "time > 3" in text:
        text = text.replace("time > 3", "time > length/speed")
        left = left.replace("time > 3", "time > length/speed")
    (found,) = stated_limits(TRACK, text)
    written = found.written
    assert (render(written.lhs), written.op, render(written.rhs)) == (left, op, right)
    assert "limit_1" not in found.names


def test_a_value_is_read_in_its_unit():
    (found,) = stated_limits(TRACK, ["speed >= 36 km/h"])
    assert [value.base[1] for value in found.values.values()] == [10.0]


def test_a_limit_that_is_stated_twice_counts_once():
    assert len(stated_limits(TRACK, ["speed >= 1 m/s", "speed >= 1 m/s"])) == 1


def test_the_inequalities_of_a_library_are_limits():
    assert [limit.name for limit in library_limits(TRACK)] == ["r2"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("speed > 2 m/s", ExpressionError),
        ("speed", ExpressionError),
        ("1 m/s <= speed <= 2 m/s", ExpressionError),
        ("speed >= 2..3 m/s", ExpressionError),
        ("3 >= 2", ExpressionError),
        ("speed >= 2 s", DimensionError),
        ("pace >= 2 s", UnknownNameError),
        ("speed >= __import__('os')", ExpressionError),
        (3.0, ExpressionError),
    ],
)
def test_what_is_no_limit_is_refused(text, error):
    with pytest.raises(error):
        stated_limits(TRACK, [text])


TOUCHING = {  # each holds at one number alone, and its sides come close beside it
    "x**2 + 1 <= 2*x": 1.0,
    "x**4 + 6*x**2 + 1 <= 4*x**3 + 4*x": 1.0,
    "2*sqrt(x) >= 1 + x": 1.0,
    "x + 1/x <= 2": 1.0,
    "x*(2 - x) >= 1": 1.0,
    "x**2 + 4 <= 4*x": 2.0,
    "x**2 + 2.25 <= 3*x": 1.5,
}


@pytest.mark.parametrize("limit", [*TOUCHING])
@pytest.mark.parametrize("verb", ["least", "most"])
def test_a_number_at_which_a_limit_only_touches_is_told_or_nothing_is_proved(verb: str, limit: str) -> None:
    choices = bare("x t", "t = 1000*x", domains={"x": "real", "t": "real"})
    optimum = getattr(choices, verb)("t", x="0.3..4", such_that=[limit])
    right = 1000 * TOUCHING[limit]
    assert optimum.answer.base == pytest.approx(right, rel=1e-6) or not optimum.proved  # as far as a proof goes
    assert optimum.gap is None or optimum.gap >= abs(optimum.answer.base / right - 1) - 1e-6
    is_flat = "x**4" in limit  # no decimal near the number that a search ends with is the one
    assert optimum.answer.base == pytest.approx(right, rel=3e-3 if is_flat else 1e-6)


@pytest.mark.parametrize(
    ("limit", "right"), [("x**2 <= 2", 2**0.5), ("3*x <= 1", 1 / 3), ("x**3 <= x + 1", 1.324717957244746)]
)
def test_a_limit_that_is_crossed_is_kept_to_the_last_digits(limit: str, right: float) -> None:
    choices = bare("x t", "t = x", domains={"x": "real", "t": "real"})
    optimum = choices.most("t", x="0..4", such_that=[limit])
    assert optimum.proved
    assert optimum.answer.base == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("tenths", range(1, 100, 7))
def test_a_limit_may_touch_a_given_in_whatever_unit_it_is_written(tenths: int) -> None:
    domains = dict.fromkeys("aby", "real")
    shares, lengths = (
        bare("a b y", "y = a - b", domains=domains),
        library(dict.fromkeys("aby", "m"), "y = a - b", domains=domains),
    )
    number = f"{tenths / 10:g}"
    for limit in (f"b <= {number}", f"b <= {number} 1", f"{number} 1 >= b", f"b <= {10 * tenths} %"):
        assert shares.least("y", such_that=[limit], a="1..2", b=number).proved
    for limit in (f"b <= {number} m", f"b <= {10 * tenths} cm", f"{tenths}e8 nm >= b"):
        assert lengths.least("y", such_that=[limit], a="1..2 m", b=f"{number} m").proved
