"""Programs whose optimum is known before they are asked: what is told as proved is that optimum, and not only near it.

The long run: DERIVE_PROGRAMS=0..20000 pytest -m long --override-ini addopts= tests/derive/optimization
"""

from __future__ import annotations

import os
import random
from itertools import pairwise

import pytest

import derive
from derive import InconsistentError, LimitError
from derive.optimization.search import SearchResult
from tests.derive.statements import bare, number

FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_PROGRAMS", "0..20000").split(".."))
BEALE = "(1.5 - x*(1 - y))**2 + (2.25 - x*(1 - y**2))**2 + (2.625 - x*(1 - y**3))**2"


@pytest.mark.parametrize(
    ("goal", "end", "right"),
    [
        ("(x - 2)**2 + 10 + (x*y - 6)**4", 100, 10),
        (BEALE, 200, 0),
        ("(x**2 - 2)**2 + (x*y - 3)**2", 50, 0),
        ("(x - 2)**2 - 10 + (x*y - 6)**4", 100, -10),
        ("0.001 + (x - 2)**2 + (x*y - 6)**4", 100, 0.001),
    ],
)
def test_what_is_proved_is_near_the_optimum_and_not_only_within_a_share_of_all_values(goal, end, right):
    some = bare("f x y", f"f = {goal}", domains=dict.fromkeys("fxy", "real"))
    found = some.least("f", x=f"0..{end}", y=f"0..{end}")
    assert found.proved
    assert number(found) == pytest.approx(right, rel=1e-6, abs=1e-12)
    assert found.gap_is_absolute == (right == 0)
    assert found.gap <= 1e-6


def test_a_gap_is_relative_to_the_value_and_absolute_where_that_is_zero():
    at = (1.0,)
    assert SearchResult(10.0, at, floor=9.0, blur=1e-12).gap == pytest.approx(0.1)
    assert not SearchResult(10.0, at, floor=10.0 - 2e-5, blur=1e-12).is_proved
    assert SearchResult(10.0, at, floor=10.0 - 9e-6, blur=1e-12).is_proved
    assert SearchResult(0.0, at, floor=-3e-9, blur=1e-12).gap == 3e-9
    assert not SearchResult(0.0, at, floor=-3e-9, blur=1e-12).is_proved
    assert SearchResult(1e-13, at, floor=-1e-13, blur=1e-12).is_proved
    assert SearchResult(1e-9, at, floor=0.0, blur=1e-12).gap == pytest.approx(1)


def test_an_absolute_gap_is_told_in_the_declared_unit():
    some = derive.load("""[quantities]
    side = { unit = "m", domain = "real" }
    miss = { unit = "mm**2", domain = "real" }
    [relations.r]
    equation = "miss = (side*side - 2*m2)**2/m2"
    [quantities.m2]
    unit = "m**2"
    value = "1 m**2"
    """)
    found = some.least("miss", side="0..9 m")
    assert found.gap_is_absolute
    assert "mm**2" in found.text() or found.gap == 0
    assert found.proved


def drawn(seed):
    """A goal, its ranges and its least value: a sum of even powers that are zero at one point, and a number."""
    draw = random.Random(f"planted {seed}")
    names = ("x", "y", "z")[: draw.choice([1, 2, 2, 3])]
    at = {name: draw.choice([0.5, 1.5, 2, 3, 5]) for name in names}
    parts = [f"({name} - {at[name]})**{draw.choice([2, 2, 4])}" for name in names[:1]]
    for before, name in pairwise(names):
        form, right = draw.choice(
            [
                (f"{before}*{name}", at[before] * at[name]),
                (f"{before} + 2*{name}", at[before] + 2 * at[name]),
                (f"{before}**2 - {name}", at[before] ** 2 - at[name]),
                (f"{name}/{before}", at[name] / at[before]),
            ]
        )
        parts.append(f"({form} - {right!r})**{draw.choice([2, 2, 4])}")
    scale = draw.choice([1, 1, 1e-6, 1e6])
    offset = draw.choice([0, 0, 1, 10, -10, 1e-3, 1e4])
    end = draw.choice([10, 100, 100, 1000])
    return f"{scale!r}*({' + '.join(parts)}) + {offset!r}", dict.fromkeys(names, f"0.1..{end}"), offset, scale


def prove(seed):
    """Whether the optimum was proved; a value that is told as proved is the one that was planted."""
    goal, ranges, right, scale = drawn(seed)
    some = bare(f"f {' '.join(ranges)}", f"f = {goal}", domains=dict.fromkeys(["f", *ranges], "real"))
    with derive.limits(seconds=3):
        found = some.least("f", **ranges)
    value = number(found)
    if found.proved:
        assert value == pytest.approx(right, rel=2e-6, abs=1e-9 * scale), (seed, goal, ranges, value, found.gap)
    if found.gap is not None:
        gap = found.gap if found.gap_is_absolute else found.gap * abs(value)
        assert value - gap <= right + 1e-9 * (abs(right) + scale), (seed, goal, ranges, value, found.gap)
    return found.proved


@pytest.mark.thorough
def test_a_planted_optimum_is_what_is_proved():
    assert sum(map(prove, range(15))) >= 8


@pytest.mark.thorough
def test_more_planted_optima_are_what_is_proved():
    assert sum(map(prove, range(15, 75))) >= 30


@pytest.mark.long
def test_many_planted_optima_are_what_is_proved():
    assert sum(map(prove, range(FIRST, LAST))) >= (LAST - FIRST) // 2


# Linear programs, against those of scipy


def linear(seed):
    """A linear program: relations of quantities between, limits, ranges, and the rows of the same in the free ones."""
    draw = random.Random(f"linear {seed}")
    names = ("x", "y", "z")[: draw.choice([2, 2, 3])]
    rows = {name: [float(name == other) for other in names] + [0.0] for name in names}
    ranges = {name: (float(draw.choice([-5, -3, -1, 0, 0])), float(draw.choice([1, 2, 5, 10]))) for name in names}
    relations, between, limits = [], [], []

    def number_drawn():
        return draw.choice([draw.randint(-5, 5) or 1, round(draw.uniform(-4, 4), 1) or 1.0, 0.7, -2.27])

    def combined(among):
        chosen = {name: number_drawn() for name in among}
        row = [sum(factor * rows[name][i] for name, factor in chosen.items()) for i in range(len(names) + 1)]
        return " + ".join(f"({factor})*{name}" for name, factor in chosen.items()), row

    for i in range(draw.choice([0, 1, 2, 3])):
        source = [*names, *between]
        form, row = combined(draw.sample(source, min(len(source), draw.choice([1, 2, 2, 3]))))
        constant = draw.choice([0, number_drawn()])
        rows[f"u{i}"] = [*row[:-1], row[-1] + constant]
        relations.append(f"u{i} = {form} + ({constant})")
        between.append(f"u{i}")
    source = [*names, *between]
    form, goal = combined(draw.sample(source, min(len(source), 3)))
    relations.append(f"f = {form}")
    for _ in range(draw.choice([0, 1, 2, 3])):
        form, row = combined([draw.choice(source)]) if draw.random() < 0.4 else combined(draw.sample(source, 2))
        sign, bound = draw.choice([("<=", 1.0), (">=", -1.0)]), draw.choice([0, 0, number_drawn()])
        limits.append((f"{form} {sign[0]} {bound}", [sign[1] * x for x in row], sign[1] * bound))
    return relations, between, limits, ranges, goal, draw.choice(["least", "most"])


def prove_linear(seed):
    """Whether there is an optimum; it is that of scipy, and where there is none, scipy finds none either."""
    from scipy.optimize import linprog

    relations, between, limits, ranges, goal, sense = linear(seed)
    names = ["f", *ranges, *between]
    some = bare(" ".join(names), *relations, domains=dict.fromkeys(names, "real"))
    sign = 1.0 if sense == "least" else -1.0
    by_rows = linprog(
        [sign * x for x in goal[:-1]],
        [row[:-1] for _, row, _ in limits] or None,
        [bound - row[-1] for _, row, bound in limits] or None,
        bounds=list(ranges.values()),
    )
    given = {name: f"{low}..{high}" for name, (low, high) in ranges.items()}
    try:
        with derive.limits(seconds=5):
            found = getattr(some, sense)("f", such_that=[text for text, _, _ in limits], **given)
    except LimitError:
        return False
    except InconsistentError:
        assert by_rows.status == 2, (seed, relations, limits, ranges, by_rows)
        return False
    assert by_rows.status == 0, (seed, relations, limits, ranges, number(found))
    right = sign * by_rows.fun + goal[-1]
    size = 1 + sum(abs(x) * 10 for x in goal[:-1])
    assert number(found) == pytest.approx(right, rel=1e-7, abs=1e-8 * size), (seed, relations, limits, ranges)
    return True


@pytest.mark.thorough
def test_linear_programs_have_the_optima_of_scipy():
    assert sum(map(prove_linear, range(20))) >= 8


@pytest.mark.long
def test_more_linear_programs_have_the_optima_of_scipy():
    assert sum(map(prove_linear, range(20, 120))) >= 40


@pytest.mark.long
def test_many_linear_programs_have_the_optima_of_scipy():
    assert sum(map(prove_linear, range(FIRST, LAST))) >= (LAST - FIRST) // 3
