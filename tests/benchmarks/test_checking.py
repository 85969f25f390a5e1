"""How fast text is checked, beside what else can tell its dimensions.

    pytest tests/benchmarks/test_checking.py --override-ini addopts= -q -s

The same published formulas are judged from their text, with the quantities declared beforehand:

- derive, relations: the text is parsed and its dimensions are checked as they were written (`derive.relate`);
- derive, files: the same from relation files, units and TOML included (`derive.check`);
- sympy: the text builds an expression of `sympy.physics.units` quantities, and the unit system is asked for the
  dimensions of both sides. It does not look at the terms of a sum, nor at the arguments of a function;
- pint: the text is evaluated on pint's quantities, which have numbers, and the two sides are compared.

The last test prints rates and ratios. On a machine of one's own the rates differ; the ratios hardly.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pint
import pytest
import sympy
from sympy.physics import units as sympy_units
from sympy.physics.units import Dimension, UnitSystem

import derive
from tests.derive.corpus import FORMULAS as CORPUS
from tests.derive.corpus import Formula, relation_file

OWN = frozenset({"USD", "FLOP", "token", "parameter", "sequence", "chip", "byte", "B", "bit"})
FORMULAS = [formula for formula in CORPUS if OWN.isdisjoint(re.findall(r"[A-Za-z]+", " ".join(formula.units.values())))]
"""Those in units that all know."""

MEANS: dict[str, tuple[float, int]] = {}
"""The mean time of each way over all formulas, and how many of them it judged right."""


@pytest.fixture
def measured(benchmark: Any) -> Callable[[str, Callable[[], int]], None]:
    """Time an act that judges all formulas and returns how many it found consistent."""

    def measure(way: str, act: Callable[[], int]) -> None:
        benchmark.group = "checking"
        benchmark.name = way
        right = benchmark.pedantic(act, rounds=5, iterations=1, warmup_rounds=1)
        benchmark.extra_info["formulas"] = len(FORMULAS)
        benchmark.extra_info["judged right"] = right
        if benchmark.stats:
            mean = benchmark.stats.stats.mean
            benchmark.extra_info["relations per second"] = round(len(FORMULAS) / mean)
            MEANS[way] = (mean, right)
        assert right > 0.7 * len(FORMULAS)

    return measure


def test_derive_checks_relations(measured):
    declared = [(formula.name, formula.equation, formula.quantities) for formula in FORMULAS]

    def check() -> int:
        return sum(derive.relate(name, text, quantities=known) is not None for name, text, known in declared)

    measured("derive, relations", check)


def test_derive_checks_files(measured):
    files = [relation_file(formula.units, {formula.name: formula.equation}) for formula in FORMULAS]

    def check() -> int:
        return sum(derive.check(text) == [] for text in files)

    measured("derive, files", check)


def test_sympy_tells_dimensions(measured):
    system = UnitSystem.get_default_unit_system()
    functions = {name: getattr(sympy, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos")}
    functions |= {name: getattr(sympy, name) for name in ("atan", "sinh", "cosh", "tanh", "pi")}
    functions |= {"abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max, "log10": lambda x: sympy.log(x) / sympy.log(10)}
    letters = {"J": "joule", "N": "newton", "W": "watt", "V": "volt", "C": "coulomb", "F": "farad", "A": "ampere"}
    letters |= {"K": "kelvin", "T": "tesla", "H": "henry", "Wb": "weber", "S": "siemens", "Pa": "pascal", "Hz": "hertz"}
    known = {letter: getattr(sympy_units, name) for letter, name in letters.items()}
    known |= {name: getattr(sympy_units, name) for name in ("m", "s", "kg", "mol", "ohm")} | {"radian": sympy.S.One}

    def dimensions(expression: Any) -> dict[Any, float]:
        measures = Dimension(system.get_dimensional_expr(sympy.sympify(expression)))
        powers = system.get_dimension_system().get_dimensional_dependencies(measures)
        return {base: float(power) for base, power in powers.items()}

    def quantity(name: str, unit: str) -> Any:
        made = sympy_units.Quantity(name)
        bases = [base ** sympy.Rational(power) for base, power in dimensions(eval(unit, {}, known)).items()]
        system.set_quantity_dimension(made, sympy.prod(bases, start=Dimension(1)))
        return made

    cases = [
        (*formula.sides, {name: quantity(f"{formula}_{name}", unit) for name, unit in formula.units.items()})
        for formula in FORMULAS
    ]

    def check() -> int:
        right = 0
        for lhs, rhs, names in cases:
            try:
                right += dimensions(names[lhs]) == dimensions(eval(rhs, functions, names))
            except (TypeError, ValueError):  # it has no answer where a power is a quantity
                continue
        return right

    measured("sympy.physics.units", check)


def test_pint_evaluates(measured):
    registry: Any = pint.UnitRegistry()
    functions = {name: getattr(math, name) for name in ("exp", "log", "log10", "sin", "cos", "tan", "sinh", "cosh")}
    functions |= {name: getattr(math, name) for name in ("tanh", "asin", "acos", "atan", "pi")}
    functions |= {"sqrt": lambda x: x**0.5, "abs": abs, "min": min, "max": max}

    def quantities(formula: Formula) -> dict[str, Any]:
        numbers = {**formula.values, formula.sides[0]: 1.0}
        return {
            name: registry.Quantity(numbers[name], unit if unit != "1" else "") for name, unit in formula.units.items()
        }

    cases = [(*formula.sides, quantities(formula)) for formula in FORMULAS]

    def check() -> int:
        right = 0
        for lhs, rhs, names in cases:
            value = registry.Quantity(eval(rhs, functions, names))
            right += names[lhs].is_compatible_with(value)
        return right

    measured("pint", check)


def test_the_ratios():
    """To check a relation as it is written takes no longer than to evaluate it once with units."""
    if len(MEANS) < 4:
        pytest.skip("nothing was measured")
    own = MEANS["derive, relations"][0]
    rows = sorted(MEANS.items(), key=lambda item: item[1])
    print(f"\n\n{f'{len(FORMULAS)} published formulas':<26}{'relations/s':>14}{'judged right':>14}{'time':>10}")
    for way, (mean, right) in rows:
        print(f"{way:<26}{len(FORMULAS) / mean:>14,.0f}{right:>14}{mean / own:>9.1f}x")
    assert own < 2 * MEANS["pint"][0]
    assert own < MEANS["sympy.physics.units"][0] / 2
