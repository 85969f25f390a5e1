"""Forms that approach a limit without reaching it, asked at the limit, short of it and beyond it."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

import derive
from tests.ordinary import every

# each form of x, rising to its factor a, and its inverse at a share of that
FORMS = {
    "a*(1 - exp(-x/k))": lambda p, k: -k * mpmath.log(1 - p),
    "a - a*exp(-x/k)": lambda p, k: -k * mpmath.log(1 - p),
    "a*(1 - exp(-x**2/k))": lambda p, k: mpmath.sqrt(-k * mpmath.log(1 - p)),
    "a*x/(x + k)": lambda p, k: k * p / (1 - p),
    "a*k*x/(1 + k*x)": lambda p, k: p / (1 - p) / k,
    "a*x**2/(x**2 + k**2)": lambda p, k: k * mpmath.sqrt(p / (1 - p)),
    "a*tanh(x/k)": lambda p, k: k * mpmath.atanh(p),
    "a*atan(x/k)*2/pi": lambda p, k: k * mpmath.tan(p * mpmath.pi / 2),
    "a/(1 + exp(-x/k))*2 - a": lambda p, k: -k * mpmath.log(2 / (1 + p) - 1),
    "a*sqrt(x**2/(x**2 + k**2))": lambda p, k: k * p / mpmath.sqrt(1 - p**2),
}
SHARES = {
    "at": Fraction(1),
    "short": 1 - Fraction(1, 10**6),
    "beyond": 1 + Fraction(1, 10**6),
    "midway": Fraction(3, 8),
}


@pytest.mark.thorough
@every(
    "form, where, seed",
    [(form, where, seed) for seed in range(12) for form in FORMS for where in SHARES],
    ordinary=7,
    thorough=40,
)
def test_limit(form: str, where: str, seed: int) -> None:
    rng = random.Random(f"{form} {where} {seed}")
    numbers = {name: Fraction(rng.randint(1, 1999), 100) for name in "ak"}
    offset = Fraction(rng.randint(-500, 500), 100)
    y = numbers["a"] * SHARES[where] + offset
    given = {name: f"{float(number)!r}" for name, number in {**numbers, "c": offset, "y": y}.items()}
    typed = given if seed % 2 else {"y": given["y"]}
    defaults = {} if seed % 2 else given
    declared = "".join(
        f'{name} = {{ unit = "1", domain = "real"{value} }}\n'
        for name in given
        for value in [f', value = "{defaults[name]}"' if name in defaults and name not in typed else ""]
    )
    library = derive.load(f'[quantities]\nx = {{ unit = "1" }}\n{declared}[relations.r]\nequation = "y = {form} + c"\n')
    compiled = library.compile("x", given=list(typed))
    at_point = float(compiled(**{name: float(text) for name, text in typed.items()}))
    if SHARES[where] >= 1:
        assert math.isnan(at_point)
        with pytest.raises((derive.NoSolutionError, derive.LimitError)):
            library.solve_all("x", **typed)
        return
    (answer,) = library.solve_all("x", **typed)
    with mpmath.workdps(60):
        share = mpmath.mpf(SHARES[where].numerator) / SHARES[where].denominator
        right = FORMS[form](share, mpmath.mpf(numbers["k"].numerator) / numbers["k"].denominator)
        assert abs(answer.value.magnitude - right) <= 1e-9 * abs(right)
        assert abs(at_point - right) <= 1e-7 * abs(right)


@every("seed", range(120), ordinary=12)
def test_no_interval_at_the_limit(seed: int) -> None:
    """The sides agree to every digit far out, which does not make them equal there."""
    rng = random.Random(seed)
    a, k = (f"{rng.randint(100, 1999) / 100}" for _ in range(2))
    library = derive.load(
        """
[quantities]
x = { unit = "1", domain = "nonnegative" }
y = { unit = "1", domain = "real" }
a = { unit = "1" }
k = { unit = "1" }
[relations.r]
equation = "y = a*tanh(x/k)"
"""
    )
    with pytest.raises((derive.NoSolutionError, derive.LimitError)):
        library.solve_all("x", y=a, a=a, k=k)
