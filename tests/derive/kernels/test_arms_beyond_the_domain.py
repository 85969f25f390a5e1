"""Formulas of an unknown in a choice, one arm of which has its value beyond the unknown's domain."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy

import derive
from tests.ordinary import every

FORMS = ("abs(x + {c})", "max(x, {c} - x)", "max(abs(x), {c})", "min(-abs(x), {c})")


@every("form, seed", [(form, seed) for seed in range(40) for form in FORMS], ordinary=8, thorough=20)
def test_value_inside(form: str, seed: int) -> None:
    rng = random.Random(f"{form} {seed}")
    low = Fraction(rng.randint(-90, 90), 10)
    high = low + Fraction(rng.randint(1, 60), 10)
    c = Fraction(rng.randint(-50, 50), 10)
    text = form.format(c=f"({float(c)})")
    library = derive.load(
        f"""
[quantities]
x = {{ unit = "1", domain = "{float(low)}..{float(high)}" }}
y = {{ unit = "1", domain = "real" }}
[relations.r]
equation = "y = {text}"
"""
    )
    try:
        formula = library.formula("x", given=["y"])
    except (derive.NoSolutionError, derive.AmbiguousError):
        return
    for share in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
        x = low + (high - low) * share
        y = library.solve("y", x=repr(float(x))).value.magnitude
        answers = library.solve_all("x", y=repr(y))
        if len(answers) > 1 or answers[0].value is None:
            continue
        found = formula.subs(library.quantities["y"], sympy.Rational(repr(y)))
        assert float(found) == pytest.approx(answers[0].value.magnitude, rel=1e-9), (formula, y)
