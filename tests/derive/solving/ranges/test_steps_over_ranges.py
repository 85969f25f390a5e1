"""Bounds over ranges of what is rounded up or down: they hold all values, and are reached only where that is told."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import pytest

import derive
from tests.derive.statements import bare
from tests.ordinary import every

FIRST = ["{r}(x/w)*w", "{r}(x/w)", "{r}(x*{k}/w)*w", "{r}({k}*x) + w", "{r}(x)*w"]
SECOND = [
    "w if x <= y else {k}*w",
    "w if y < x else {k}*w",
    "floor(y/w)",
    "ceil(y/w)*w",
    "(x - y)/w",
    "y/x",
    "max(x, y) - min(x, y)",
    "floor(y/w)*w - y",
]


def spanned(answers: list[derive.Answer]) -> tuple[float, float]:
    ends = [(answer.low.magnitude, answer.high.magnitude) for answer in answers]
    return min(low for low, _ in ends), max(high for _, high in ends)


@every("seed", range(200), ordinary=50, thorough=16)
def test_bounds_of_rounded_numbers_hold_all_values_and_are_reached_where_that_is_told(seed: int) -> None:
    """Where two conditions touch, as x <= 3*w and 3*w < x, a value was taken that no numbers have."""
    draw = random.Random(f"steps over ranges {seed}")
    words = {"r": draw.choice(["ceil", "floor"]), "k": draw.randint(2, 6)}
    first, second = draw.choice(FIRST).format(**words), draw.choice(SECOND).format(**words)
    library = bare("x w y z", f"y = {first}", f"z = {second}", domains=dict.fromkeys("xwyz", "real"))
    x, w = draw.randint(10, 40), draw.randint(10, 20)  # tenths
    spans = {"x": (x, x + draw.randint(1, 20)), "w": (w, w + draw.randint(0, 10))}
    answers = library.solve_all("z", **{name: f"{low / 10}..{high / 10}" for name, (low, high) in spans.items()})
    low, high = spanned(answers)

    def at(x: Fraction, w: Fraction) -> Fraction:
        own = {"floor": math.floor, "ceil": math.ceil, "max": max, "min": min, "x": x, "w": w}
        return Fraction(eval(second, {**own, "y": eval(first, own)}))

    points = [[Fraction(low + i * (high - low) / Fraction(80), 10) for i in range(81)] for low, high in spans.values()]
    jumps = [(k * w / n, w) for w in points[1] for n in (1, 2, 3) for k in range(1, 15)]
    beside = [(x + aside, w) for (x, w) in jumps for aside in (0, Fraction(1, 10**9), Fraction(-1, 10**9))]
    low_x, high_x = points[0][0], points[0][-1]
    values = [at(x, w) for x, w in (*product(*points), *beside) if low_x <= x <= high_x]
    size = max(abs(low), abs(high), 1e-9)
    assert low - 1e-9 * size <= min(values)
    assert max(values) <= high + 1e-9 * size
    notes = [str(note) for answer in answers for note in answer.assumptions]
    if not any("may be too wide" in note or "contain every" in note for note in notes):
        assert min(values) - low <= 0.03 * size
        assert high - max(values) <= 0.03 * size


@pytest.mark.parametrize(
    ("second", "right"), [("w if x <= y else 100*w", (1, 2)), ("floor(y/w)", (1, 4)), ("floor(y/w)*w - y", (0, 0))]
)
def test_conditions_that_touch_exclude_each_other(second: str, right: tuple[float, float]) -> None:
    """These were 1 to 200, 0 to 4 and -1.9 to 1.9, the first two "to one part in a million"."""
    library = bare("x w y z", "y = ceil(x/w)*w", f"z = {second}", domains=dict.fromkeys("xwyz", "real"))
    assert spanned(library.solve_all("z", x="1.2..3.4", w="1..2")) == pytest.approx(right, abs=1e-9)


TIGHT = [
    ("floor(3*x) + w", "ceil(y/w)*w", "real", "4.0..4.1", "1.8..2.3", (14, 16.1)),
    ("floor(4*x) + w", "(x - y)/w", "real", "3.5..4.1", "2.0..2.6", (-7, -12.85 / 2.6)),
    ("ceil(x/w)", "ceil(y/w)*w", "real", "2.8..3.2", "2.0..2.9", (2, 2.9)),
    ("floor(x/w)*w", "ceil(y/w)*w", "0.5..9", "1.2..2.6", "1.2..2.0", (1.2, 2.6)),
    ("floor(x/w)*w", "ceil(y/w)*w", "0.5..9", "1.9..3.5", "1.7..2.0", (1.7, 3.5)),
    ("ceil(x)*w", "floor(y/w)", "0.5..9", "4.0..5.1", "1.5..2.2", (4, 6)),
]


@pytest.mark.parametrize(("first", "second", "domain", "x", "w", "right"), TIGHT)
def test_a_piece_that_only_touches_the_ranges_or_another_has_no_values(
    first: str, second: str, domain: str, x: str, w: str, right: tuple[float, float]
) -> None:
    """3*x is 12 at least, so that `floor(3*x)` is never 11, though an enclosure begins below 12."""
    domains = {"x": "real", "w": "real", "y": domain, "z": "real"}
    library = bare("x w y z", f"y = {first}", f"z = {second}", domains=domains)
    assert spanned(library.solve_all("z", x=x, w=w)) == pytest.approx(right, rel=1e-5)


@pytest.mark.parametrize("domain", ["real", "-1..9", "0..9"])
@pytest.mark.parametrize(("second", "right"), [("floor(y)*w", (0, 0)), ("w if y < 0 else 3*w + y", (3, 5.31))])
def test_what_no_piece_is_proved_to_reach_is_not_told_as_reached(
    domain: str, second: str, right: tuple[float, float]
) -> None:
    """(x - 2)**2 is never negative, and its terms leave it below zero by rounding at 2: no value of that counts."""
    domains = {"x": "real", "w": "real", "y": domain, "z": "real"}
    library = bare("x w y z", "y = x**2 - 4*x + 4", f"z = {second}", domains=domains)
    (answer,) = library.solve_all("z", x="1.1..2.8", w="1..1.5")
    low, high = spanned([answer])
    assert low <= right[0]
    assert high >= right[1] * (1 - 1e-9)
    if any("one part in a million" in str(note) for note in answer.assumptions):
        assert (low, high) == pytest.approx(right, rel=1e-5, abs=1e-5)
