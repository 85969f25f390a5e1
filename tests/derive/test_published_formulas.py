"""Every published formula of the corpus, solved for each of its variables: the number it was made from comes back."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from derive.library import Library
from derive.model.relation import relate
from derive.numerics.algebra.evaluation import value
from quantities.quantity import Quantity
from tests.ordinary import every

FORMULAS = tomllib.loads(Path(__file__).with_name("formulas.toml").read_text(encoding="utf-8"))["formula"]
EVERY = [
    pytest.param(formula, id=formula["name"], marks=[] if i % 4 == 0 else [pytest.mark.long])
    for i, formula in enumerate(FORMULAS)
]


@every("formula", EVERY, ordinary=20, thorough=8)
def test_each_variable_comes_back_from_the_others(formula):
    quantities = [Quantity(name, "" if unit == "1" else unit) for name, unit in formula["units"].items()]
    relation = relate("formula", formula["equation"], quantities=quantities)
    output = formula["equation"].partition("=")[0].strip()
    numbers = {q.name: q.unit.to_base(formula["values"][q.name]) for q in quantities if q.name in formula["values"]}
    numbers[output] = value(relation.written.rhs, numbers)
    typed = {q.name: f"{q.unit.from_base(numbers[q.name])!r} {q.unit.text or 1}" for q in quantities}
    for target, expected in numbers.items():
        given = {name: text for name, text in typed.items() if name != target}
        answers = Library([relation]).solve_all(target, **given)
        assert any(
            answer.base == pytest.approx(expected, rel=1e-6)
            if answer.base is not None
            else answer.bounds[0] * (1 - 1e-9) <= expected <= answer.bounds[1] * (1 + 1e-9)
            for answer in answers
        ), target
