"""One relation solved for one symbol: the closed form comes to the number that the relation was made with."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.tree import Apply, names_in, render, walk
from derive.numerics.algebra.evaluation import holds, value
from derive.numerics.algebra.isolation import TURNS, isolate, leaves_out, unwound
from derive.numerics.algebra.like_terms import coefficients, occurrences
from tests.derive.corpus import FORMULAS, Formula
from tests.ordinary import every, examples

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


@every("formula", FORMULAS, ids=str, ordinary=4)
def test_a_published_formula_turned_round_gives_back_each_of_its_values(formula: Formula):
    equation = parse_equation(formula.equation)
    at = {**formula.values, formula.sides[0]: formula.value()}
    for name in formula.units:
        if isolate(equation, name) is None or name not in at:
            continue
        assert meets(equation, name, at, 1e-6) or chooses(equation, name), name


@pytest.mark.thorough
def test_nearly_every_published_formula_has_a_closed_form_for_each_of_its_symbols():
    asked = [(parse_equation(formula.equation), name) for formula in FORMULAS for name in formula.units]
    once = [(e, n) for e, n in asked if occurrences(e.lhs, n) + occurrences(e.rhs, n) == 1]
    assert [(str(e), n) for e, n in once if not isolate(e, n) and "floor" not in str(e) and "ceil" not in str(e)] == []
    assert sum(isolate(e, n) is not None for e, n in asked) > 0.85 * len(asked)


@examples(500)
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


@examples(200)
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
@examples(30)
@given(NUMBERS, NUMBERS, NUMBERS)
def test_an_unknown_that_occurs_more_than_once_is_gathered(text, name, x, a, b):
    from derive.numerics.root_finding.residual import OneUnknown
    from derive.numerics.root_finding.roots import roots_of
    from quantities.domain import Domain

    assume(b != 1)  # where abs(x - a) + b*x does not hang on x below a
    equation, at = parse_equation(text), {"x": x, "a": a, "b": b}
    solutions = roots_of(OneUnknown(equation, "y", at, Domain("real", -math.inf, math.inf))).values
    assume(solutions)
    at["y"] = solutions[0]
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
    assert [render(candidate.form) for candidate in isolate(parse_equation(text), "x")] == expected


@pytest.mark.parametrize(
    "text",
    ["y = x*exp(x)", "y = x + sin(x)", "y = x**x", "y = floor(x)", "y = x**5 + x", "y = a", "y = x**0", "y = x - x",
     "y = gamma(x)", "y = sin(cos(x))", "y = a*tan(sqrt(sin(x)))"],
)  # fmt: skip
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
    parts = coefficients(text, ["x"])
    at = {"a": a, "b": b, "c": c, "x": x}
    assert all("x" not in names_in(part) for part in parts.values())
    total = sum(value(part, at) * x ** len(names) for names, part in parts.items())
    assert total == pytest.approx((a * x - b) * (x + c) - x * (c - x) + 2 * b, abs=1e-9)


@pytest.mark.parametrize("text", ["x**3", "exp(x)", "1/x", "x*(x**2 + 1)", "x**0.5", "x**a"])
def test_what_is_no_quadratic_is_no_polynomial_of_so_low_a_degree(text):
    assert coefficients(parse_expression(text), ["x"]) is None


@pytest.mark.parametrize("y", [-1e10, -1e100, 1e10])
def test_the_inverse_of_sinh_keeps_its_digits_on_both_sides(y):
    (candidate,) = isolate(parse_equation("sinh(x) = y"), "x")
    numbers = [value(form, {"y": y}) for form in (candidate.form, candidate.other)]
    assert any(number == pytest.approx(math.asinh(y)) for number in numbers)


def test_a_candidate_says_what_it_was_divided_by():
    (found,) = isolate(parse_equation("x*(y - a) = b*(y - a)"), "x")
    assert [render(divisor) for divisor in found.divisors] == ["y - a"]


# The other way round: what the conditions let through is a solution


@examples(200)
@given(st.lists(st.sampled_from([*STEPS, *CHOICES]), min_size=1, max_size=2), st.floats(-3.0, 3.0), NUMBERS)
def test_a_candidate_whose_conditions_hold_solves_the_relation(steps, y, a):
    text = "x"
    for step in steps:
        text = step.replace("{}", text)
    equation = parse_equation(f"y = {text}")
    for candidate in isolate(equation, "x") or ():
        at = {"y": y, "a": a, "x": value(candidate.form, {"y": y, "a": a, TURNS.name: 1})}
        slope = value(equation.rhs, {**at, "x": at["x"] + 1e-7}) - value(equation.rhs, at)
        divided = all(abs(value(divisor, at)) > 1e-6 for divisor in candidate.divisors)
        powers = all(value(power.args[0], at) > 0 for power in candidate.powers)
        if math.isfinite(at["x"]) and abs(at["x"]) < 1e6 and divided and powers and abs(slope) < 1e-3:
            sound = all(holds(condition, {**at, TURNS.name: 1}) for condition in candidate.conditions)
            assert not sound or value(equation.rhs, at) == pytest.approx(y, rel=1e-6, abs=1e-6)


CONDITIONS = [  # a relation, its closed forms for x, and what must hold for each
    ("y = a - x", {"-(y - a)": []}),
    ("y = x*a/b", {"y*b/a": []}),
    ("a*x + b = x", {"-b/(a - 1)": []}),
    ("x**2 = y", {"sqrt(y)": ["y >= 0"], "-sqrt(y)": ["y >= 0"]}),
    ("y = sqrt(x)", {"y**2": ["y >= 0"]}),
    ("y = abs(x)", {"y": ["y >= 0"], "-y": ["y >= 0"]}),
    ("y = x**3", {"y**(1/3)": ["y >= 0"], "-(-y)**(1/3)": ["y < 0"]}),
    ("y = x**(-3)", {"1/y**(1/3)": ["y >= 0"], "-(1/(-y)**(1/3))": ["y < 0"]}),
    ("y = x**(-2)", {"1/sqrt(y)": ["y >= 0"], "-(1/sqrt(y))": ["y >= 0"]}),
    ("y = x**(-1)", {"1/y": []}),
    ("y = x**1", {"y": []}),
    ("y = x**(2/3)", {"y**1.5": ["y >= 0"]}),
    ("y = max(x, a)", {"y": ["a < y"]}),
    ("y = min(a, x, b)", {"y": ["a > y", "b > y"]}),
    ("y = x if a > 1 else b", {"y": ["a > 1"]}),
    ("y = a if a > 1 else x", {"y": ["not a > 1"]}),
    ("y = a if a > 2 else x if a > 1 else b", {"y": ["a > 1", "not a > 2"]}),
    ("y = a if a > 2 else b if a > 1 else x", {"y": ["not a > 2", "not a > 1"]}),
    ("y = asin(x)", {"sin(y)": ["abs(y) <= 0.5*pi"]}),
    ("y = atan(x)", {"tan(y)": ["abs(y) < 0.5*pi"]}),
    ("y = acos(x)", {"cos(y)": ["y >= 0", "y <= pi"]}),
    ("y = cosh(x)", {"log(y + sqrt(y**2 - 1))": [], "-log(y + sqrt(y**2 - 1))": []}),
    ("y = tanh(x)", {"0.5*log((1 + y)/(1 - y))": []}),
    ("y = log10(x)", {"10**y": []}),
    ("y = log2(x)", {"2**y": []}),
    ("y = log(x)", {"exp(y)": []}),
    ("y = erf(x)", {"erfinv(y)": ["y >= -1", "y <= 1"]}),
    ("y = erfinv(x)", {"erf(y)": []}),
    ("y = lambertw(x)", {"y*exp(y)": ["y >= -1"]}),
    ("y = sqrt(abs(x))", {"y**2": ["y >= 0", "y**2 >= 0"], "-y**2": ["y >= 0", "y**2 >= 0"]}),
    ("y = sqrt(x + a*x)", {"y**2/(1 + a)": ["y >= 0"]}),
    ("y = (a if x > 1 else x) + x", {"-a + y": ["x > 1"], "y/(1 + 1)": ["not x > 1"]}),
    ("y = max(x, 2*x, a)", {"y": ["x >= 2*x", "x > a"], "y/2": ["2*x >= x", "2*x > a"]}),
    (
        "y = sqrt(max(x, a) + x)",
        {"y**2/(1 + 1)": ["y >= 0", "x >= a"], "-a + y**2": ["y >= 0", "a >= x"]},
    ),
    (
        "y = sqrt(a*x**2 + x)",
        {
            "(-1 + sqrt(1**2 - 4*a*(-y**2)))/2/a": ["y >= 0", "1**2 - 4*a*(-y**2) >= 0"],
            "(-1 - sqrt(1**2 - 4*a*(-y**2)))/2/a": ["y >= 0", "1**2 - 4*a*(-y**2) >= 0"],
        },
    ),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS)
def test_a_closed_form_says_what_must_hold_for_it(text, expected):
    candidates = isolate(parse_equation(text), "x")
    assert {
        render(candidate.form): [render(condition) for condition in candidate.conditions] for candidate in candidates
    } == expected


@pytest.mark.parametrize(
    ("text", "divisors", "powers"),
    [
        ("y = x + a", [], []),
        ("y = x*a/b", ["a", "1/b"], []),
        ("x*(y - a) = b*(y - a)", ["y - a"], []),
        ("y = a*x**2 + b*x", ["a"], []),
        ("y = a**x", ["log(a)"], ["a**x"]),
        ("y = x**a", [], ["x**a"]),
        ("y = x**2", [], []),
        ("y = (b*x**a + c)**b", ["b"], ["(b*x**a + c)**b", "x**a"]),
        ("y = c**(a**(b*x))", ["log(c)", "log(a)", "b"], ["c**a**(b*x)", "a**(b*x)"]),
        ("y = (a*x + x**2)**b", ["1"], ["(a*x + x**2)**b"]),
        ("y = b*(a*x + c*x)**a", ["b", "a + c"], ["(a*x + c*x)**a"]),
        ("y = b*(a*x**2 + x)", ["b", "a"], []),
        ("y = b*sqrt(x**a)", ["b"], ["x**a"]),
        ("y = b*abs(x*sinh(a))", ["b", "sinh(a)"], []),
        ("y = b*sinh(a*x)", ["b", "a"], []),
    ],
)
def test_a_candidate_says_what_it_was_divided_by_and_which_powers_it_undid(text, divisors, powers):
    for candidate in isolate(parse_equation(text), "x"):
        assert [render(divisor) for divisor in candidate.divisors] == divisors
        assert [render(power) for power in candidate.powers] == powers


@pytest.mark.parametrize(
    ("text", "winds"),
    [
        ("y = sin(a*x)", "sin(a*x)"),
        ("y = sqrt(cos(x))", "cos(x)"),
        ("y = tan(a*x + b*x)", "tan(a*x + b*x)"),
        ("y = sin(a*x**2 + x)", "sin(a*x**2 + x)"),
        ("y = sin(max(x, a) + x)", "sin(max(x, a) + x)"),
    ],
)
def test_a_candidate_says_whose_angle_it_winds_round(text, winds):
    candidates = isolate(parse_equation(text), "x")
    assert {render(candidate.winds) for candidate in candidates} == {winds}
    assert all(TURNS.name in names_in(candidate.form) for candidate in candidates)


@pytest.mark.parametrize(
    "text", ["y = sin(cos(x))", "y = a*tan(sqrt(sin(x)))", "y = gamma(x)", "y = x**0", "y = x - x"]
)
def test_an_angle_within_an_angle_and_what_has_no_inverse_have_no_closed_form(text):
    assert isolate(parse_equation(text), "x") is None


def test_of_two_forms_of_a_quadratic_one_keeps_its_digits():
    for candidate in isolate(parse_equation("a*x**2 + b*x + c = 0"), "x"):
        at = {"a": 1.0, "b": 1e9, "c": 1.0}
        forms = candidate.form, candidate.other
        numbers = [value(form, at) for form in forms]
        assert any(x == pytest.approx(-1e-9) or x == pytest.approx(-1e9) for x in numbers)
        assert [value(form, {"a": 1.0, "b": -5.0, "c": 6.0}) for form in forms] in ([3, 3], [2, 2])


@pytest.mark.parametrize(("text", "divisor"), [("x*y = x*a", "y - a"), ("y*x = x", "y - 1"), ("b*x = a*b", "b")])
def test_a_quotient_that_cancels_still_has_no_value_where_its_divisor_is_zero(text, divisor):
    (found,) = isolate(parse_equation(text), "x")
    assert [render(one) for one in found.divisors] == [divisor]
    at = {"y": 1.0, "a": 1.0, "b": 0.0}
    assert found.form == parse_expression("a") or not math.isfinite(value(found.form, at))


@pytest.mark.parametrize(("nested", "count"), [(4, 16), (5, 32), (6, None)])
def test_a_relation_of_very_many_closed_forms_counts_as_one_of_none(nested, count):
    text = "x"
    for level in range(nested):
        text = f"abs({text} - {level})"
    candidates = isolate(parse_equation(f"y = {text}"), "x")
    assert (candidates and len(candidates)) == count


@pytest.mark.parametrize(("choices", "count"), [(1, 2), (4, 16), (5, None)])
def test_choices_beside_each_other_are_taken_arm_by_arm_up_to_four(choices, count):
    text = " + ".join(f"abs(x - {level})" for level in range(choices))
    candidates = isolate(parse_equation(f"y = {text} + 9*x"), "x")
    assert (candidates and len(candidates)) == count


@pytest.mark.parametrize(
    ("text", "low", "expected"),
    [
        ("y = x**a", 0.0, False),
        ("y = x**a", -1.0, True),
        ("y = (x + 1)**a", -1.0, False),
        ("y = (x + 1)**a", -1.5, True),
        ("y = 2**x", -1.0, False),
        ("y = x + a", -1.0, False),
        ("y = sqrt(x)**a", -2.0, False),
        ("y = (x + 1)**a*(x - 5)**b", 1.0, True),
    ],
)
def test_a_power_leaves_out_what_has_a_negative_base(text, low, expected):
    equation = parse_equation(text)
    powers = [part for part in walk(equation.rhs) if isinstance(part, Apply) and part.op == "pow"]
    assert leaves_out(powers, {"x": (low, 9.0), "a": (1.0, 2.0), "b": (1.0, 2.0)}) == expected
    assert leaves_out([parse_expression("sqrt(x)**a")], {"x": (-2.0, -1.0), "a": (1.0, 2.0)}) is False
