"""An equation with a rounding around its unknown and the unknown beside it: its solutions, by exact enumeration."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.stepped_equations import solutions_by_steps
from quantities.domain import Domain
from quantities.rational import written
from tests.ordinary import every

POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
FROM_ONE = Domain("1..20", 1.0, 20.0)

# for each equation: x for each step, None where no x or any x makes the sides equal, and what is rounded
EQUATIONS: dict[str, tuple[Callable[..., Fraction | None], Callable[..., Fraction], Callable[[Fraction], int]]] = {
    "k = ceil(n/x)*x": (lambda j, n, k: k / j if j else None, lambda x, n, k: n / x, math.ceil),
    "k = floor(n/x)*x": (lambda j, n, k: k / j if j else None, lambda x, n, k: n / x, math.floor),
    "k = floor(n/x) + x": (lambda j, n, k: k - j, lambda x, n, k: n / x, math.floor),
    "k = x - ceil(n/x)": (lambda j, n, k: k + j, lambda x, n, k: n / x, math.ceil),
    "x = floor(n/x)/k": (lambda j, n, k: j / k, lambda x, n, k: n / x, math.floor),
    "k/x = floor(n/x) + 1": (lambda j, n, k: k / (j + 1) if j != -1 else None, lambda x, n, k: n / x, math.floor),
    "x - k*floor(x) = n": (lambda j, n, k: n + k * j, lambda x, n, k: x, math.floor),
    "n*x + 3*x = k*ceil(x**2/k)": (lambda j, n, k: k * j / (n + 3), lambda x, n, k: x**2 / k, math.ceil),
    "floor(k/(x + n))*x + x = k": (
        lambda j, n, k: k / (j + 1) if j != -1 else None,
        lambda x, n, k: k / (x + n),
        math.floor,
    ),
}
MOST = 6000  # steps that are enumerated: more than any of these equations has


@every("seed", range(80), ordinary=10)
@pytest.mark.parametrize("domain", [POSITIVE, FROM_ONE], ids=str)
@pytest.mark.parametrize("text", EQUATIONS)
def test_the_solutions_are_those_of_all_steps(text: str, domain: Domain, seed: int) -> None:
    form, argument, rounded = EQUATIONS[text]
    draw = random.Random(f"{text} {seed}")
    n, k = (Fraction(draw.randint(1, 30), draw.choice([1, 2, 5])) for _ in range(2))
    found = solutions_by_steps(parse_equation(text), "x", {"n": written(float(n)), "k": written(float(k))}, domain)
    assert found is not None
    expected = set()
    for step in range(-MOST, MOST):
        x = form(step, n, k)
        if x is not None and x > 0 and domain.low <= x <= domain.high and rounded(argument(x, n, k)) == step:
            expected.add(float(x))
    if found.are_all:
        assert found.points == tuple(sorted(expected))
    else:
        assert len(expected) > len(found.points) > 1
        assert expected.issuperset(found.points)


@pytest.mark.parametrize(
    "text",
    [
        "k = ceil(n/x)",  # the unknown does not stand beside it
        "k = ceil(n/x)*x + floor(x)",  # two roundings
        "k = ceil(n/x)*max(x, n)",
        "k = ceil(n/x)*exp(x)",
        "0 = (ceil(n/x) - 1)*x",  # where the step is 1, it holds along a stretch
    ],
)
def test_other_equations_are_left_to_other_methods(text: str) -> None:
    assert solutions_by_steps(parse_equation(text), "x", {"n": written(2.5), "k": written(3.0)}, POSITIVE) is None
