"""What is said of a slip in a relation file leads to a file that passes."""

from __future__ import annotations

import re

import pytest

import derive
from derive.expressions.grammar import foreign, parse_equation
from tests.derive.hints import mended, proposals

LENGTHS = """[quantities]
area = { unit = "m**2" }
width = { unit = "m" }
diameter = { unit = "m" }
viscosity = { unit = "Pa*s", value = "%s" }
density = { unit = "kg/m**3" }
nu = { unit = "m**2/s" }
[relations.r]
equation = "%s"
"""


def problems(equation, default="1 Pa*s"):
    return derive.check(LENGTHS % (default, equation))


@pytest.mark.parametrize(
    ("equation", "first"),
    [
        ("area = pi*diameter/4", "write diameter**2 instead of diameter"),
        ("area = width*diameter**2/4", "write diameter instead of diameter**2"),
        ("nu = viscosity/density**2", "write density instead of density**2"),
    ],
)
def test_a_square_that_is_forgotten_is_proposed_before_a_quantity_that_nobody_named(equation, first):
    (problem,) = problems(equation)
    told = proposals(problem.hint)
    assert told[0] == first
    for proposal in told:
        assert any(not problems(other) for other in mended(equation, proposal))


def test_a_wrong_default_is_one_problem():
    (problem,) = problems("nu = viscosity/density", default="3 m")
    assert problem.message.startswith("viscosity:")
    both = problems("nu = viscosity/rho", default="3 m")
    assert len(both) == 2
    assert "viscosity" not in both[1].message


def test_a_quantity_with_a_broken_unit_is_not_told_to_be_missing():
    file = LENGTHS.replace('"Pa*s"', '"Pas"') % ("3 m", "nu = viscosity/rho + eta")
    unit, names = derive.check(file)
    assert unit.relation == ""
    assert "viscosity" not in names.message
    assert "'rho'" in names.message
    assert "'eta'" in names.message


@pytest.mark.parametrize("word", ["maximum", "Maximum", "fmax", "minimum", "amin", "squareroot", "absolute", "power"])
def test_a_function_of_another_name_is_answered_with_ours(word):
    hint = foreign(word)
    called = re.fullmatch(r"Write (.+)\.", hint)[1]
    parse_equation(f"z = {called}")
    assert "For a product" not in hint


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("y = x^2", "x**2"),
        ("y = a*(b + c)^2", "(b + c)**2"),
        ("y = x^-1.5", "x**-1.5"),
        ("y = 2 ^ (a + b)", "2**(a + b)"),
    ],
)
def test_a_caret_is_answered_with_the_power(text, mend):
    with pytest.raises(derive.ExpressionError) as caught:
        parse_equation(text)
    assert caught.value.hint == f"Write {mend}."
    parse_equation(f"y = {mend}")


def test_what_a_root_would_have_to_be_is_told_in_the_declared_unit():
    library = derive.load("""[quantities]
x = { unit = "mm", domain = "1..5 mm" }
y = { unit = "mm" }
T = { unit = "degC", domain = "0..100 degC" }
h = { unit = "delta_degC" }
[relations.r]
equation = "y = x + x"
""")
    with pytest.raises(derive.NoSolutionError) as caught:
        library.solve("x", y="24 mm")
    assert "12 mm" in str(caught.value)
    assert "base units" not in str(caught.value)
