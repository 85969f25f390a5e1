"""No solution of a random equation with known ones is missing from an answer that does not say so."""

from __future__ import annotations

import math

import pytest

from derive.errors import LimitError
from derive.expressions.grammar import parse_equation
from derive.solving.blocks.one_unknown import values_of
from derive.time_limits import limits, query
from quantities.domain import Domain
from tests.derive.known_roots import Known, known

SAME = 1e-6


def verdict(case: Known) -> str:
    """What is wrong with the answer, in words; nothing, if nothing is."""
    domain = Domain("", case.low, case.high)
    try:
        with limits(seconds=5), query():
            found = values_of(parse_equation(case.text), "x", case.givens, domain)
    except LimitError:
        return ""
    values = [one.values["x"] for one in found.solutions if not one.spans]
    spans = [one.spans["x"] for one in found.solutions if one.spans]
    told = f"{values} {spans} {found.caveat.text if found.caveat else found.reason!r}"
    if any(not low < high for low, high in spans):
        return f"a point is told as an interval: {told}"
    if not found.caveat and not found.undecided:
        missing = [x for x in case.roots if not (any(_same(x, y) for y in values) or _is_inside(x, spans))]
        if missing:
            return f"{missing} missing from {told}"
        lost = [span for span in case.spans if not any(_holds(span, other) for other in spans)]
        if lost:
            return f"{lost} missing from {told}"
    wrong = [x for x in values if not (any(_same(x, y) for y in case.roots) or _is_inside(x, case.spans))]
    wrong += [span for span in spans if not any(_holds(other, span) for other in case.spans)]
    return f"{wrong} wrong in {told}" if wrong else ""


def _same(x: float, y: float) -> bool:
    return abs(x - y) <= SAME * max(abs(x), abs(y))


def _is_inside(x: float, spans) -> bool:
    return any(low - SAME * abs(low) <= x <= high + SAME * abs(high) for low, high in spans)


def _holds(span, other) -> bool:
    """Whether the other interval is as long."""
    return all(_same(a, b) or a == b or math.isclose(a, b, abs_tol=1e-12) for a, b in zip(span, other, strict=True))


def wrong(seeds: range) -> dict[int, str]:
    return {seed: told for seed in seeds if (told := verdict(known(seed)))}


@pytest.mark.thorough
def test_no_known_root_is_missing_and_nothing_said():
    assert not wrong(range(60))


@pytest.mark.long
@pytest.mark.parametrize("batch", range(100))
def test_no_known_root_is_missing_at_length(batch):
    assert not wrong(range(500 * batch, 500 * batch + 500))


@pytest.mark.parametrize(
    ("text", "low", "high", "roots", "spans"),
    [
        ("sin(pi*x) = 0", -7.0, 7.0, range(-7, 8), []),
        ("tan(pi*x) = 0", -12.0, -7.0, range(-12, -6), []),
        ("x*sin(x) = 0", -2 * math.pi, 2 * math.pi, [n * math.pi for n in range(-2, 3)], []),
        ("x - floor(x) = 0", -3.0, 3.0, range(-3, 4), []),
        ("(x if x < 1 else x**2) = 0", -10.0, 10.0, [0], []),
        ("(x if x < 3 else x**2) = 3", -10.0, 10.0, [], []),
        ("(x if x <= 3 else x**2) = 3", -10.0, 10.0, [3], []),
        ("floor(x)*x = 6", -10.0, 10.0, [], []),
        ("x*(x + 7 if x > -7 else 0) = 0", -math.inf, math.inf, [0], [(-math.inf, -7.0)]),
        ("max(x, -327680) - x = 0", -327681.0, 1.0, [], [(-327680.0, 1.0)]),
        ("min(2/3, x/(x + 3/5)) = 2/3", -math.inf, math.inf, [], [(-math.inf, -0.6), (1.2, math.inf)]),
        ("max(x, 2) = 2", 2.0, 5.0, [2], []),
        ("floor((8 - x)*x**2) = -81", 8.0, 10.0, [], [(8.989879342527171, 9.0)]),
        ("tanh((x - 2**(-31))/524288)*exp(x) = 0", 0.0, 9.0, [2.0**-31], []),
        ("(x - 8)*sinh(x + 1/32)*(exp((x - 2**(-26))/16) - 1) = 0", 0.0, math.inf, [2.0**-26, 8], []),
        (
            "(exp((x - 2**(-27))/2) - 1)*(x - 2**(-27)*(1 - 2**(-16))) = 0",
            0.0,
            1.0,
            [2.0**-27 - 2.0**-43, 2.0**-27],
            [],
        ),
        ("x**4 - 61440*x**3 + 1415577600*x**2 - 14495514624000*x = -55662776156160000", 15359.0, 15360.0, [15360], []),
    ],
)
def test_each_kind_that_was_once_missed(text, low, high, roots, spans):
    assert not verdict(Known(text, low, high, tuple(map(float, roots)), tuple(spans)))
