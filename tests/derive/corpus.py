"""The published formulas of `formulas.toml`, and the ways of this folder's tests to state and evaluate them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from derive import Quantity

FUNCTIONS = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log10", "log2", "sin", "cos", "tan", "sinh")},
    **{name: getattr(math, name) for name in ("cosh", "tanh", "asin", "acos", "atan", "ceil", "floor", "pi")},
    "abs": abs,
    "min": min,
    "max": max,
    "__builtins__": {},
}
"""What the formulas call, as plain Python has it."""


@dataclass(frozen=True)
class Formula:
    name: str
    equation: str
    units: Mapping[str, str]
    values: Mapping[str, float]
    source: str

    def __str__(self) -> str:
        return self.name

    @property
    def sides(self) -> tuple[str, str]:
        left, right = self.equation.split(" = ")
        return left, right

    @property
    def quantities(self) -> dict[str, Quantity]:
        return {name: declared(name, unit) for name, unit in self.units.items()}

    def value(self) -> float:
        """The right side at the sample values, by Python's own arithmetic on the formula's text."""
        return float(eval(self.sides[1], dict(FUNCTIONS), dict(self.values)))


@cache
def declared(name: str, unit: str) -> Quantity:
    return Quantity(name, unit, domain="real")


def _formulas() -> tuple[Formula, ...]:
    path = Path(__file__).with_name("formulas.toml")
    return tuple(Formula(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["formula"])


FORMULAS = _formulas()


def relation_file(units: Mapping[str, str], equations: Mapping[str, str]) -> str:
    """A relation file that declares these quantities and states these equations, one line each."""
    lines = ["[quantities]"]
    lines += [f'{name} = {{ unit = "{unit}", domain = "real" }}' for name, unit in units.items()]
    lines += ["[relations]"]
    lines += [f'{name} = {{ equation = "{equation}" }}' for name, equation in equations.items()]
    return "\n".join(lines)
