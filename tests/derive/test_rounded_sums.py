"""Roundings of linear forms whose results are given: what they leave is an interval, that of linear programming."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from scipy.optimize import linprog

import derive
from derive import UnderdeterminedError
from tests.derive.statements import bare
from tests.ordinary import every

Factors = tuple[int, int]


def drawn(seed: int) -> tuple[list[str], dict[str, str], tuple[float, float]]:
    """Relations of x and y, their results at a point, and the least and the greatest x that fit these."""
    draw = random.Random(seed)
    point = Fraction(draw.randint(-40, 80), 10), Fraction(draw.randint(-40, 80), 10)
    relations, given = [], {}
    above: list[tuple[Factors, float]] = []  # forms and what they are at most
    equal: list[tuple[Factors, float]] = []
    for name, op in (("n", draw.choice(("ceil", "floor"))), ("m", draw.choice(("ceil", "floor", "")))):
        a, b = draw.choice([(a, b) for a in range(-2, 3) for b in range(-2, 3) if a or b])
        number = a * point[0] + b * point[1]
        result = Fraction(math.ceil(number) if op == "ceil" else math.floor(number) if op else number)
        relations.append(f"{name} = 3*{op}(({a})*x + ({b})*y) - 1")
        given[name] = str(float(3 * result - 1))
        if not op:
            equal.append(((a, b), float(result)))
            continue
        low = float(result) - (op == "ceil")
        above += [((a, b), low + 1), ((-a, -b), -low)]
    ends = []
    for sign in (1, -1):
        rows, limits = zip(*above, strict=True)
        sums, totals = zip(*equal, strict=True) if equal else (None, None)
        found = linprog([sign, 0], A_ub=rows, b_ub=limits, A_eq=sums, b_eq=totals, bounds=[(None, None)] * 2)
        ends.append(sign * found.fun if found.status == 0 else -sign * math.inf)
    return relations, given, (ends[0], ends[1])


@every("seed", range(60), ordinary=6, thorough=6)
def test_roundings_of_two_unknowns_leave_one_of_them_its_interval(seed: int) -> None:
    relations, given, ends = drawn(seed)
    library = bare("x y n m", *relations, domains=dict.fromkeys("xynm", "real"))
    if not all(map(math.isfinite, ends)):
        with pytest.raises(UnderdeterminedError):
            library.solve_all("x", **given)
        return
    (answer,) = library.solve_all("x", **given)
    bounds = answer.bounds or (answer.base, answer.base)
    assert bounds == pytest.approx(ends, abs=1e-9)


@every("seed", range(40), ordinary=4)
def test_two_roundings_of_one_number_leave_it_what_both_do_and_both_count(seed: int) -> None:
    draw = random.Random(seed)
    x = Fraction(draw.randint(1, 300), 10)
    factors = draw.sample(range(1, 9), 2)
    results = [math.ceil(x / factors[0]), math.floor(x / factors[1])]
    low = max((results[0] - 1) * factors[0], results[1] * factors[1])
    high = min(results[0] * factors[0], (results[1] + 1) * factors[1])
    library = bare("x n m", f"n = ceil(x/{factors[0]})", f"m = floor(x/{factors[1]})", domains={"m": "nonnegative"})
    (answer,) = library.solve_all("x", n=results[0], m=results[1])
    assert answer.bounds == pytest.approx((low, high), abs=1e-9) if low < high else answer.base == low
    assert answer.unused == ()


def test_a_rounding_is_no_number_between() -> None:
    library = bare("x y n m", "n = ceil(x + y)", "m = x - y", domains=dict.fromkeys("xynm", "real"))
    with pytest.raises(derive.NoSolutionError):
        library.solve("x", n=2.5, m=1)


def test_beside_an_arm_a_rounding_leaves_what_the_arm_admits() -> None:
    """Where n = 3, x + y is in 2..3; y is 1 up to x = 1.5 and 0.2 above, so that x is in 1..1.5 or 1.8..2.8."""
    arms = {"equation": "y = 1", "when": ["x <= 1.5"]}, {"equation": "y = 0.2", "when": ["x > 1.5"]}
    library = bare("x y n", "n = ceil(x + y)", *arms)
    answers = library.solve_all("x", n=3)
    assert sorted(answer.bounds for answer in answers) == [pytest.approx((1, 1.5)), pytest.approx((1.8, 2.8))]
