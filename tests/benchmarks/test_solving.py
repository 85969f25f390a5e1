"""How long an answer takes, beside sympy.solve: every published formula solved for each of its variables.

    pytest tests/benchmarks/test_solving.py --override-ini addopts= -q -s

Both sides get the same formulas and the same numbers. An answer counts as right if one of the values it returns is the
sampled one; sympy.solve is given a few seconds for each question, and what it does not answer then is counted as such.
"""

from __future__ import annotations

import multiprocessing
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from derive.errors import DeriveError
from derive.library import Library
from derive.model.relation import Relation, relate
from derive.numerics.algebra.evaluation import value
from quantities.quantity import Quantity

FORMULAS = tomllib.loads((Path(__file__).parents[1] / "derive" / "formulas.toml").read_text(encoding="utf-8"))[
    "formula"
]
SAMPLE = FORMULAS[::5]
SECONDS = 3.0


def _case(formula: dict[str, Any]) -> tuple[Relation, dict[str, float]]:
    units = {name: "" if unit == "1" else unit for name, unit in formula["units"].items()}
    quantities = [Quantity(name, unit) for name, unit in units.items()]
    relation = relate(formula["name"], formula["equation"], quantities=quantities)
    numbers = {q.name: q.unit.to_base(formula["values"][q.name]) for q in quantities if q.name in formula["values"]}
    output = formula["equation"].partition("=")[0].strip()
    return relation, {**numbers, output: value(relation.written.rhs, numbers)}


def _ours(relation: Relation, numbers: dict[str, float], target: str) -> str:
    given = {name: f"{number!r} {_base_unit(relation.quantities[name])}" for name, number in numbers.items()}
    del given[target]
    try:
        answers = Library([relation]).solve_all(target, **given)
    except DeriveError:
        return "refused"
    near = [a for a in answers if a.base is not None and abs(a.base - numbers[target]) <= 1e-6 * abs(numbers[target])]
    inside = [
        a for a in answers if a.base is None and a.bounds[0] <= numbers[target] * (1 + 1e-9) <= a.bounds[1] * 1.01
    ]
    return "right" if near or inside else "wrong"


def _base_unit(quantity: Quantity) -> str:
    return str(quantity.dimension) if quantity.dimension else ""


def _sympy(relation: Relation, numbers: dict[str, float], target: str) -> str:
    """sympy.solve in a process of its own, since nothing else stops it."""
    parent, child = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_sympy_inside, args=(child, relation, numbers, target))
    process.start()
    told = parent.recv() if parent.poll(SECONDS) else "no answer in time"
    process.kill()
    process.join()
    return told


def _sympy_inside(pipe: Any, relation: Relation, numbers: dict[str, float], target: str) -> None:
    import sympy

    try:
        known = {relation.quantities[n]: number for n, number in numbers.items() if n != target}
        found = sympy.solve(sympy.Eq(relation.lhs, relation.rhs), relation.quantities[target])
        values = [complex(sympy.N(root.subs(known))) for root in found]
        right = any(abs(root - numbers[target]) <= 1e-6 * abs(numbers[target]) for root in values)
        pipe.send("right" if right else "wrong" if values else "no solution")
    except Exception as error:
        pipe.send(f"refused ({type(error).__name__})")


def test_every_variable_of_published_formulas_beside_sympy() -> None:
    questions = [(*_case(formula), name) for formula in SAMPLE for name in formula["units"]]
    for relation, _, _ in questions:
        assert relation.equation is not None  # both sides start from a built equation
    results, seconds = {}, {}
    for label, ask in (("derive", _ours), ("sympy.solve", _sympy)):
        start = time.perf_counter()
        results[label] = Counter(ask(*question) for question in questions)
        seconds[label] = time.perf_counter() - start
    print(f"\n{len(questions)} questions")
    for label, counted in results.items():
        print(f"{label:>12}: {seconds[label]:7.2f} s  {dict(counted)}")
    print(f"       ratio: {seconds['sympy.solve'] / seconds['derive']:.1f}x")
    assert results["derive"]["wrong"] == 0
    assert results["derive"]["right"] >= 0.98 * len(questions)
    assert seconds["derive"] < 0.1 * seconds["sympy.solve"]
