"""Limits that fail in a part of the ranges: bounds are cut to the rest, or no longer claim to be reached."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy
import pytest

import derive
from derive import InconsistentError
from tests.derive.statements import bare, span
from tests.ordinary import every

TARGETS = {
    "a*b": lambda a, b: a * b,
    "-a*b": lambda a, b: -a * b,
    "a**2 + exp(-b)": lambda a, b: a**2 + numpy.exp(-b),
    "sqrt(a)/b": lambda a, b: numpy.sqrt(a) / b,
    "max(a*b, 3)": lambda a, b: numpy.maximum(a * b, 3),
}
COMPARED = {
    "a + b": lambda a, b: a + b,
    "a*b": lambda a, b: a * b,
    "a/b": lambda a, b: a / b,
    "u": lambda a, b: a**2 + b,
}


@pytest.mark.thorough
@every("seed", range(40), ordinary=4, thorough=12)
def test_bounds_keep_to_limits_that_fail_in_a_part_of_the_ranges(seed: int) -> None:
    draw = random.Random(f"limits over ranges {seed}")
    (form, target), (side, compared) = draw.choice([*TARGETS.items()]), draw.choice([*COMPARED.items()])
    op = draw.choice(("<=", ">="))
    ends = [(low, low + draw.choice((0.5, 2, 5))) for low in (draw.choice((0.5, 1, 2)), draw.choice((0.5, 1, 2)))]
    a, b = numpy.meshgrid(*(numpy.linspace(low, high, 401) for low, high in ends))
    limit = round(float(numpy.quantile(compared(a, b), draw.choice((0.1, 0.3, 0.7, 0.9)))), 2)
    holds = compared(a, b) <= limit if op == "<=" else compared(a, b) >= limit
    values = target(a, b)[holds]
    library = bare("a b t u", f"t = {form}", "u = a**2 + b", f"{side} {op} {limit}", domains={"t": "real"})
    (answer,) = library.solve_all("t", a="{}..{}".format(*ends[0]), b="{}..{}".format(*ends[1]))
    (low, high), width = span(answer), values.max() - values.min()
    assert low <= values.min() + 1e-9 * abs(low)
    assert high >= values.max() - 1e-9 * abs(high)
    if "need be reached" not in " ".join(answer.assumptions):
        assert (low, high) == pytest.approx((values.min(), values.max()), abs=0.02 * width + 1e-9)


@pytest.mark.parametrize(
    ("relations", "given", "bounds"),
    [
        (("t = a*b", "t <= 18"), {"a": "0.5..8", "b": "1..4"}, (0.5, 18)),
        (("t = -a*b", "a+b <= 8"), {"a": "2..3", "b": "2..9"}, (-15, -4)),
        (("t = a*b", "a <= 5"), {"a": "0.5..8", "b": "1..4"}, (0.5, 20)),
        (("t = a + b", "t <= 10"), {"a": "0.5..8", "b": "1..4"}, (1.5, 10)),
    ],
)
def test_a_limit_cuts_bounds_whatever_the_form(relations: tuple[str, ...], given: dict, bounds: tuple) -> None:
    (answer,) = bare("a b t u", *relations, domains={"t": "real"}).solve_all("t", **given)
    assert span(answer) == pytest.approx(bounds, rel=1e-6)
    check = next(check for check in answer.checks if "<=" in check.statement)
    assert check.passed
    assert check.is_in_part
    assert str(check).startswith("holds in a part of the ranges: ")


def test_a_limit_cuts_the_bounds_of_a_root() -> None:
    (answer,) = bare("a b t", "t**3 + t = a*b", "t <= 2.5").solve_all("t", a="0.5..8", b="1..4")
    assert span(answer) == pytest.approx((0.4238537990698, 2.5))


def test_a_limit_on_the_range_of_a_square_cuts_its_roots() -> None:
    library = bare("x y", "y = x**2", "y <= 9", domains={"x": "real"})
    spans = [span(answer) for answer in library.solve_all("x", y="1..16")]
    assert spans == [pytest.approx((-3, -1)), pytest.approx((1, 3))]


def test_a_limit_that_holds_throughout_leaves_exact_bounds_and_says_nothing_of_parts() -> None:
    (answer,) = bare("a b t", "t = a*b", "t <= 40").solve_all("t", a="0.5..8", b="1..4")
    assert span(answer) == (0.5, 32)
    assert "bounds are exact: monotone in every range" in answer.assumptions
    assert [str(check)[:6] for check in answer.checks] == ["holds:"]


def test_a_limit_that_fails_in_the_middle_is_told_with_what_it_leaves() -> None:
    (answer,) = bare("a b t", "t = a*b", "t <= 8").solve_all("t", a="0.5..8", b="1..4")
    assert answer.base == 4.25 * 2.5
    assert answer.failed
    assert any(text.endswith("where all limits hold, it is 0.5 to 8") for text in answer.assumptions)


@pytest.mark.parametrize(
    ("relations", "given"),
    [
        (("a + 3*t = 23", "t >= 6", "t <= a"), {"a": "4..8"}),
        (("t = a*b", "t >= 6", "a + b <= 3"), {"a": "1..8", "b": "1..8"}),
        (("t = a*b", "t >= 6", "b <= 1.5", "a <= 3"), {"a": "1..8", "b": "1..8"}),
    ],
)
def test_limits_that_hold_together_nowhere_in_typed_ranges_are_a_contradiction(
    relations: tuple[str, ...], given: dict
) -> None:
    with pytest.raises(InconsistentError, match="hold together nowhere in the ranges"):
        bare("a b t", *relations).solve_all("t", **given)


@pytest.mark.parametrize("limit", ["t <= 1", "a*b <= 1"])
def test_limits_that_meet_in_one_corner_of_the_ranges_contradict_nothing(limit: str) -> None:
    (answer,) = bare("a b t", "t = a*b", limit, "a + b >= 2").solve_all("t", a="1..8", b="1..8")
    assert span(answer) == (1, 64)
    assert answer.failed


RANGES = {"a": "1..8", "b": "1..4"}


@pytest.mark.parametrize(
    "further",
    [
        {"equation": "a + b <= 6", "approximate": "10 %"},
        {"equation": "t <= 10", "approximate": "10 %"},
        {"equation": "a + b <= 6", "when": ["k > 1"]},
    ],
)
@pytest.mark.parametrize("firm", [(), ("t <= 20",)])
def test_bounds_claim_no_value_that_a_rough_or_conditional_limit_may_forbid(further: dict, firm: tuple) -> None:
    (answer,) = bare("a b t k", "t = a*b", further, *firm).solve_all("t", k="0.5..2", **RANGES)
    assert span(answer) == (1, 20 if firm else 32)
    assert any("need be reached" in text for text in answer.assumptions)


def test_bounds_with_a_gap_at_the_limit_are_not_claimed_to_be_reached() -> None:
    (answer,) = bare("a b t", "t = floor(a)*b", "t <= 10.5", domains={"t": "real"}).solve_all("t", **RANGES)
    assert span(answer) == (1, 10.5)
    assert any("need be reached" in text for text in answer.assumptions)


@pytest.mark.parametrize(
    ("form", "last", "more"),
    [
        ("t = a*b", "a + b <= c", {"values": {"c": "3"}}),
        ({"equation": "t = a*b", "approximate": "10 %"}, "a + b <= 3", {}),
        ({"equation": "t = a*b", "when": ["k > 1"]}, "a + b <= 3", {}),
    ],
)
def test_limits_that_hold_together_nowhere_by_what_may_give_way_are_failed_checks(form, last: str, more: dict) -> None:
    (answer,) = bare("a b t c k", form, "t >= 6", last, **more).solve_all("t", k="0.5..2", **RANGES)
    assert span(answer) == (1, 32)
    assert answer.failed
    assert "bounds contain every value in the range; nowhere in it do all limits hold" in answer.assumptions


@pytest.mark.parametrize(("limits", "fallbacks"), [(["t <= c"], {"c": "10"}), (["t <= c", "c = 2*d"], {"d": "5"})])
def test_a_limit_by_what_only_stands_in_cuts_no_bounds(limits: list[str], fallbacks: dict[str, str]) -> None:
    (answer,) = bare("a b t c d", "t = a*b", *limits, fallbacks=fallbacks).solve_all("t", **RANGES)
    assert span(answer) == (1, 32)
    assert "bounds are exact: monotone in every range" in answer.assumptions


@pytest.mark.parametrize(
    ("limit", "given", "most"),
    [("c >= t", {"c": "20"}, 20), ("t <= c", {"c": "5..20"}, 20), ("c*d >= t", {"c": "10", "d": "2"}, 20)],
)
def test_a_limit_cuts_from_above_whichever_side_the_target_is_on(limit: str, given: dict, most: float) -> None:
    (answer,) = bare("a b t c d", "t = a*b", limit).solve_all("t", **RANGES, **given)
    assert span(answer) == pytest.approx((1, most), rel=1e-3)


@pytest.mark.parametrize("place", [0, 1])
def test_a_limit_cuts_bounds_where_its_condition_or_that_of_a_relation_before_it_holds(place: int) -> None:
    """By `u = a + b` and u at most 8, t is at most 4*4."""
    relations: list[Any] = ["u = a + b", "u <= 8"]
    relations[place] = {"equation": relations[place], "when": ["k > 1"]}
    library = bare("a b t u k", "t = a*b", *relations)
    (answer,) = library.solve_all("t", k=2, **RANGES)
    assert span(answer) == pytest.approx((1, 16), rel=1e-6)
    (answer,) = library.solve_all("t", k="0.5", **RANGES)
    assert span(answer) == (1, 32)


def test_bounds_beside_a_limit_behind_an_estimate_are_not_claimed_to_be_reached() -> None:
    rough = {"equation": "u = a + b", "approximate": "10 %"}
    (answer,) = bare("a b t u", "t = a*b", rough, "u <= 6").solve_all("t", **RANGES)
    assert span(answer) == (1, 32)
    assert any("need be reached" in text for text in answer.assumptions)


CURVES = {
    "a*a": lambda a: a * a,
    "2 - a*a": lambda a: 2 - a * a,
    "5 - 2*a": lambda a: 5 - 2 * a,
    "a**3 - 4": lambda a: a**3 - 4,
    "6/a": lambda a: 6 / a,
}
BESIDE = {
    "a >= {k}": lambda a, t, k: a >= k,
    "a <= {k}": lambda a, t, k: a <= k,
    "t >= {k}": lambda a, t, k: t >= k,
    "q <= {k}": lambda a, t, k: t + a <= k,
}


@every("seed", range(300), ordinary=6)
def test_limits_hold_over_ranges_whose_middle_may_have_no_value(seed: int) -> None:
    """Beside a grid of the range: no bound leaves a value out, and where limits leave nothing, none is told."""
    draw = random.Random(f"without middle {seed}")
    curve, text = draw.choice([*CURVES]), draw.choice([*BESIDE])
    low, k = Fraction(draw.randint(1, 6), 2), Fraction(draw.randint(-4, 14), 2)
    high = low + Fraction(draw.randint(1, 8), 2)
    top = draw.choice((2, 4, 9))
    relations = [f"t = {curve}", "q = t + a", text.format(k=float(k))]
    asked = bare("a t q", *relations, domains={"a": "real", "t": f"0..{top}", "q": "real"})
    points = [low + (high - low) * share / 64 for share in range(65)]
    values = [(a, CURVES[curve](a)) for a in points]
    fitting = [t for a, t in values if 0 <= t <= top and BESIDE[text](a, t, k)]
    try:
        answers = asked.solve_all("t", a=f"{float(low)}..{float(high)}")
    except (derive.InconsistentError, derive.NoSolutionError):
        assert not fitting, (relations, low, high, top)
        return
    spans = [(answer.low.magnitude, answer.high.magnitude) for answer in answers]
    for t in fitting:
        is_told = any(low - 1e-6 <= t <= high + 1e-6 for low, high in spans)
        # the middle keeps its own value where a limit fails there, and the answer says so
        assert is_told or any(answer.failed for answer in answers), (relations, low, high, top, float(t), spans)
    claims_to_reach = all("to one part in a million" in " ".join(answer.assumptions) for answer in answers)
    if claims_to_reach and not any(answer.failed for answer in answers):
        step = max(abs(after - before) for (_, before), (_, after) in pairwise(values))
        assert fitting or min(high - low for low, high in spans) <= 2 * step, (relations, low, high, top, spans)
        if fitting:
            ends = min(low for low, _ in spans), max(high for _, high in spans)
            assert ends == pytest.approx((float(min(fitting)), float(max(fitting))), abs=2 * float(step))
