"""Whatever a method proposes is put back into the relations before it counts, once more at the very end."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import derive
from derive.errors import VerificationError
from derive.expressions.grammar import parse_equation
from derive.solving.blocks import one_unknown
from derive.solving.execution import block_execution
from quantities.domain import Domain

REAL = Domain("real", -math.inf, math.inf)
LIBRARY = """
[quantities]
x = { unit = "1" }
y = { unit = "1" }
[relations.sum]
equation = "y = x + exp(x)"
"""


@pytest.mark.parametrize("slip", [1e-6, 0.5, -2.0])
def test_an_answer_that_does_not_hold_is_never_returned(monkeypatch, slip):
    honest = block_execution.solve_block

    def slipping(*question):
        found = honest(*question)
        moved = [
            replace(one, values={name: x * (1 + slip) for name, x in one.values.items()}) for one in found.solutions
        ]
        return replace(found, solutions=tuple(moved))

    library = derive.load(LIBRARY)
    assert library.solve("x", y=3.0).base == pytest.approx(0.7920599684306770)
    monkeypatch.setattr(block_execution, "solve_block", slipping)
    with pytest.raises((VerificationError, derive.NoSolutionError)):
        derive.load(LIBRARY).solve("x", y=3.0)


def test_a_search_that_proposes_what_is_no_root_is_not_believed(monkeypatch):
    honest = one_unknown.roots_of

    def adding(*question):
        found = honest(*question)
        return replace(found, values=(*found.values, 1.7))

    monkeypatch.setattr(one_unknown, "roots_of", adding)
    found = one_unknown.values_of(parse_equation("y = x + exp(x)"), "x", {"y": 3.0}, REAL)
    assert [one.values["x"] for one in found.solutions] == pytest.approx([0.7920599684306770])
    assert found.caveat.kind == "unproved"


def test_a_closed_form_that_is_wrong_is_not_believed(monkeypatch):
    honest = one_unknown.isolate

    def doubling(equation, name):
        wrong = parse_equation("z = 2*y").rhs
        return tuple(replace(one, form=wrong) for one in honest(equation, name))

    monkeypatch.setattr(one_unknown, "isolate", doubling)
    found = one_unknown.values_of(parse_equation("y = 3*x"), "x", {"y": 6.0}, REAL)
    assert found.solutions == ()
