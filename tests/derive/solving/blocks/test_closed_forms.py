"""Forms are put into one another, and their elasticities are what small changes give."""

from __future__ import annotations

from itertools import product

import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import render
from derive.numerics.algebra.evaluation import value
from derive.solving.blocks.closed_forms import composed, slopes
from tests.derive.solving.forms import BENT, MONOTONE
from tests.derive.statements import bare, number
from tests.ordinary import every, examples


@pytest.mark.parametrize("text", [*MONOTONE, *BENT])
@examples(15)
@given(st.floats(1.01, 3), st.floats(1.01, 3))
def test_an_elasticity_is_what_a_small_change_gives(text, a, b):
    form, at = parse_expression(text), {"a": a, "b": b}
    here = value(form, at)
    assume(abs(here) > 1e-2 and abs(a - b) > 1e-3)
    found = slopes(form, at)
    for name in "ab":
        up, down = (value(form, {**at, name: at[name] * (1 + step)}) for step in (1e-6, -1e-6))
        assert found[name] == pytest.approx((up - down) / 2e-6 / here, rel=1e-3, abs=1e-5)


def test_an_elasticity_on_a_corner_is_not_made_up():
    assert "a" not in slopes(parse_expression("max(a, b)"), {"a": 2.0, "b": 2.0})


def test_forms_are_put_into_one_another():
    forms = {"b": parse_expression("2*a"), "c": parse_expression("b + a"), "d": parse_expression("c*b")}
    assert render(composed("d", forms)) == "(2*a + a)*(2*a)"
    assert composed("z", forms) is None


def test_a_form_that_would_double_at_each_step_is_not_written_out():
    forms = {f"q{i + 1}": parse_expression(f"q{i}*q{i} + 1") for i in range(60)}
    assert composed("q60", forms) is None


def test_an_elasticity_may_be_zero():
    assert slopes(parse_expression("a**2 - 3*a + b"), {"a": 1.5, "b": 2.0})["a"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("relation", "x"), [("y = max(9, x**2)", 3), ("y = ceil(x/0.25)/(x + 1)", 0.25)])
def test_an_answer_on_a_corner_or_at_a_jump_has_no_elasticity(relation, x):
    library = bare("x y", relation)
    assert "x" not in library.solve("y", x=x).elasticities
    assert "x" in library.solve("y", x=x + 0.1).elasticities


JUMPING = (
    "floor(a)",
    "a + ceil(a/3)",
    "b*floor(2*a)/a",
    "max(a, b*ceil(a))",
    "a if a <= 3 else 2*a",
    "b*(1 if a < 4 else 2)",
    "floor(a) if b < 2 else a",
)


@every("text, a", list(product(JUMPING, range(1, 7))))
def test_an_elasticity_at_a_number_as_it_is_typed_is_what_small_changes_on_both_sides_give(text, a):
    form, at = parse_expression(text), {"a": float(a), "b": 1.5}
    here = value(form, at)
    beside = [(value(form, {**at, "a": a * (1 + step)}) - here) / (step * here) for step in (1e-9, -1e-9)]
    if beside[0] == pytest.approx(beside[1], rel=1e-3, abs=1e-5):
        assert slopes(form, at)["a"] == pytest.approx(beside[0], rel=1e-3, abs=1e-5)
    else:
        assert "a" not in slopes(form, at)


def test_an_answer_on_a_steep_curve_keeps_its_elasticity():
    library = bare("x y", "y + y**3 = 1/(x - 1)")
    answer = library.solve("y", x=1.0001)
    y = number(answer)
    assert answer.elasticities["x"] == pytest.approx(-1.0001e8 / (y + 3 * y**3), rel=1e-3)
    bend = bare("x y", "y + y**3 = 1 + 1e6*(x - 3)**2").solve("y", x=3)
    assert bend.elasticities["x"] == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("exponent", range(0, 9, 2))
@pytest.mark.parametrize(
    "difference", ["d**2 - (d**2 + c**2)", "(d + c)**3 - d**3", "1/d - 1/(d + c)", "d*(d + c) - d**2"]
)
def test_elasticities_keep_their_digits_where_terms_nearly_cancel(difference: str, exponent: int) -> None:
    """At d = 1e6 both elasticities of the first came out as 0, at 1e5 as 1.907 and 0."""
    d, c = sympy.symbols("d c")
    at = {d: sympy.Integer(10) ** exponent, c: sympy.Integer(3)}
    form = sympy.sympify(difference, {"d": d, "c": c})
    right = {str(name): float((sympy.diff(form, name) * name / form).subs(at)) for name in (c, d)}
    library = bare("c d z", f"z = {difference}", domains=dict.fromkeys("cdz", "real"))
    assert dict(library.solve("z", c="3", d=f"1e{exponent}").elasticities) == pytest.approx(right, rel=1e-6, abs=1e-6)
