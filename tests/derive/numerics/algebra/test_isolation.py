"""One relation solved for one symbol: the closed form comes to the number that the relation was made with."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.tree import Apply, names_in, render, walk
from derive.numerics.algebra.evaluation import holds, value
from derive.numerics.algebra.isolation import TURNS, isolate, unwound
from derive.numerics.algebra.like_terms import occurrences, polynomial
from tests.derive.corpus import FORMULAS, Formula

NUMBERS = st.floats(0.3, 3.0)
STEPS = (
    "({} + a)",
    "(a - {})",
    "({}*a)",
    "(a/{})",
    "({}/a)",
    "(-{})",
    "({}**2)",
    "({}**3)",
    "({}**(-1))",
    "({}**(-2))",
    "({}**1.5)",
    "({}**(2/3))",
    "(a**{})",
    "({}**a)",
    "sqrt({})",
    "abs({})",
    "exp({})",
    "log({})",
    "log10({})",
    "log2({})",
    "sin({})",
    "cos({})",
    "tan({})",
    "asin({})",
    "acos({})",
    "atan({})",
    "sinh({})",
    "cosh({})",
    "tanh({})",
)
CHOICES = ("max({}, a)", "min({}, 2*a)", "({} if a > 1 else 2*{})", "(a if a > 2 else {} if a > 1 else {}**2)")


def meets(equation, name, at, rel=1e-7):
    """Whether one of the candidates is the number that is hidden, under conditions that hold there."""
    known = {other: number for other, number in at.items() if other != name}
    candidates = isolate(equation, name)
    assert all(name not in names_in(candidate.form) for candidate in candidates)
    return any(
        math.isclose(value(form, {**known, TURNS.name: turn}), at[name], rel_tol=rel, abs_tol=1e-9)
        and all(holds(condition, {**at, TURNS.name: turn}) for condition in candidate.conditions)
        for candidate in candidates
        for form in (candidate.form, candidate.other)
        if form is not None
        for turn in (range(-20, 21) if candidate.winds else (0,))
    )


def turns(part):
    return isinstance(part, Apply) and part.op in ("sin", "cos", "tan")


def chooses(equation, name):
    parts = [part for side in (equation.lhs, equation.rhs) for part in walk(side)]
    return any(isinstance(p, Apply) and p.op in ("max", "min", "piecewise") and occurrences(p, name) for p in parts)


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_a_published_formula_turned_round_gives_back_each_of_its_values(formula: Formula):
    equation = parse_equation(formula.equation)
    at = {**formula.values, formula.sides[0]: formula.value()}
    for name in formula.units:
        if isolate(equation, name) is None or name not in at:
            continue
        assert meets(equation, name, at, 1e-6) or chooses(equation, name), name


def test_nearly_every_published_formula_has_a_closed_form_for_each_of_its_symbols():
    asked = [(parse_equation(formula.equation), name) for formula in FORMULAS for name in formula.units]
    once = [(e, n) for e, n in asked if occurrences(e.lhs, n) + occurrences(e.rhs, n) == 1]
    assert [(str(e), n) for e, n in once if not isolate(e, n) and "floor" not in str(e) and "ceil" not in str(e)] == []
    assert sum(isolate(e, n) is not None for e, n in asked) > 0.85 * len(asked)


@settings(max_examples=500)
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=4), NUMBERS, NUMBERS)
def test_any_chain_of_operations_is_undone(steps, x, a):
    text = "x"
    for step in steps:
        text = step.format(text)
    at = {"x": x, "a": a}
    at["y"] = value(parse_expression(text), at)
    assume(at["y"] == at["y"] and abs(at["y"]) < 1e6)
    assume(all(abs(value(part.args[0], at)) < 30 for part in walk(parse_expression(text)) if turns(part)))
    slope = (value(parse_expression(text), {**at, "x": x * (1 + 1e-6)}) - at["y"]) / 1e-6
    assume(
        abs(slope) > 1e-3 * max(1.0, abs(at["y"])) and sum("sin" in s or "cos" in s or "tan(" in s for s in steps) < 2
    )
    equation = parse_equation(f"y = {text}")
    candidates = isolate(equation, "x")
    assume(candidates is not None)
    assume(not any(value(power.args[0], at) < 0 for candidate in candidates for power in candidate.powers))
    assert meets(equation, "x", at, 1e-5)


@settings(max_examples=200)
@given(st.sampled_from(CHOICES), st.lists(st.sampled_from(STEPS[:16]), max_size=2), NUMBERS, NUMBERS)
def test_the_arm_that_binds_is_inverted(choice, steps, x, a):
    text = choice.replace("{}", "x")
    for step in steps:
        text = step.format(text)
    node, at = parse_expression(text), {"x": x, "a": a}
    at["y"] = value(node, at)
    assume(at["y"] == at["y"] and abs(at["y"]) < 1e6)
    moved = [value(node, {**at, "x": x * share}) - at["y"] for share in (1 - 1e-6, 1 + 1e-6)]
    assume(all(abs(gap) > 1e-9 * max(1.0, abs(at["y"])) for gap in moved))
    assert meets(parse_equation(f"y = {text}"), "x", at, 1e-5)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("y = a*x + b*x", "x"),
        ("y = a*x**2 + b*x", "x"),
        ("y = x/(x + a)", "x"),
        ("a/x + b/(x + a) = y", "x"),
        ("x*y = a*x + b", "x"),
        ("y = (x - a)*(x + b)", "x"),
        ("y = abs(x - a) + b*x", "x"),
        ("y = max(x, a) + b*x", "x"),
    ],
)
@settings(max_examples=30)
@given(NUMBERS, NUMBERS, NUMBERS)
def test_an_unknown_that_occurs_more_than_once_is_gathered(text, name, x, a, b):
    from derive.numerics.root_finding.roots import roots_of
    from quantities.domain import Domain

    assume(b != 1)  # where abs(x - a) + b*x does not hang on x below a
    equation, at = parse_equation(text), {"x": x, "a": a, "b": b}
    found = roots_of(equation, "y", at, Domain("real", -math.inf, math.inf)).values
    assume(found)
    at["y"] = found[0]
    assume(abs(value(equation.lhs, at) - value(equation.rhs, at)) < 1e-12)
    assert meets(equation, name, at, 1e-4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = 2*sqrt(x - a)", ["(y/2)**2 + a"]),
        ("y = x**2", ["sqrt(y)", "-sqrt(y)"]),
        ("y = abs(x)", ["y", "-y"]),
        ("y = exp(x)", ["log(y)"]),
        ("y = a + b*x", ["(y - a)/b"]),
        ("x = a + b", ["a + b"]),
        ("1/y = 1/a + 1/x", ["1/(1/y - 1/a)"]),
    ],
)
def test_a_form_reads_as_a_pencil_would_write_it(text, expected):
    assert [render(found.form) for found in isolate(parse_equation(text), "x")] == expected


@pytest.mark.parametrize(
    "text", ["y = x*exp(x)", "y = x + sin(x)", "y = x**x", "y = floor(x)", "y = x**5 + x", "y = a"]
)
def test_there_is_no_closed_form_where_there_is_none(text):
    assert isolate(parse_equation(text), "x") is None


def test_an_unknown_in_a_condition_has_no_closed_form():
    assert isolate(parse_equation("y = a if x > 1 else b"), "x") is None


@given(st.sampled_from(["sin", "cos", "tan"]), st.floats(-0.9, 0.9), st.integers(-4, 4))
def test_an_angle_holds_after_any_number_of_turns(op, y, turns):
    for candidate in isolate(parse_equation(f"y = {op}(x)"), "x"):
        angle = value(unwound(candidate.form, turns), {"y": y})
        assert getattr(math, op)(angle) == pytest.approx(y, abs=1e-12)


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.floats(-3, 3))
def test_the_coefficients_of_a_polynomial_put_together_are_it(numbers, x):
    a, b, c = numbers
    text = parse_expression("(a*x - b)*(x + c) - x*(c - x) + 2*b")
    parts = polynomial(text, "x")
    at = {"a": a, "b": b, "c": c, "x": x}
    assert all("x" not in names_in(part) for part in parts.values())
    whole = sum(value(part, at) * x**power for power, part in parts.items())
    assert whole == pytest.approx((a * x - b) * (x + c) - x * (c - x) + 2 * b, abs=1e-9)


@pytest.mark.parametrize("text", ["x**3", "exp(x)", "1/x", "x*(x**2 + 1)", "x**0.5", "x**a"])
def test_what_is_no_quadratic_is_no_polynomial_of_so_low_a_degree(text):
    assert polynomial(parse_expression(text), "x") is None


@pytest.mark.parametrize("y", [-1e10, -1e100, 1e10])
def test_the_inverse_of_sinh_keeps_its_digits_on_both_sides(y):
    (found,) = isolate(parse_equation("sinh(x) = y"), "x")
    numbers = [value(form, {"y": y}) for form in (found.form, found.other)]
    assert any(number == pytest.approx(math.asinh(y)) for number in numbers)


def test_a_candidate_says_what_it_was_divided_by():
    (found,) = isolate(parse_equation("x*(y - a) = b*(y - a)"), "x")
    assert [render(divisor) for divisor in found.divisors] == ["y - a"]
