"""A formula by cases has a number where `solve` has the only one, and the same, and none where `solve` has none."""

from __future__ import annotations

import random

import pytest
import sympy

from derive import AmbiguousError, InconsistentError, NoSolutionError
from tests.derive.statements import bare
from tests.ordinary import every

FORMS = (
    "d = a - x", "d = x - a", "d = a*x", "d = a/x", "d = a*x/(a + x)", "d = sqrt(x) + a", "d = a - sqrt(x)", "d = 2*x",
    "d = x/5", "d = a + 1/x", "d = log(x) + a", "d = exp(x) - a", "d = sqrt(x + a)", "a = d*x",
)  # fmt: skip


@every("seed", range(300), ordinary=15)
def test_a_formula_by_cases_says_what_the_solver_says(seed):
    draw = random.Random(f"formulas of cases {seed}")
    edge, domain = draw.choice(["1.5", "2", "4"]), draw.choice(["positive", "real", "0.5..20"])
    relations = (
        {"equation": draw.choice(FORMS), "when": f"x < {edge}"},
        {"equation": draw.choice(FORMS), "when": f"x >= {edge}"},
    )
    library = bare("a d x", *relations, domains={"x": domain, "d": "real"})
    given = {"a": draw.choice([0.5, 2.0, 6.0]), "d": draw.choice([0.3, 1.5, 3.0, 4.0, 5.25, 20.0])}
    try:
        formula = library.formula("x", ["a", "d"])
    except NoSolutionError:  # there is no closed form
        return
    value = formula.subs({library.quantities[name]: sympy.Rational(str(number)) for name, number in given.items()})
    try:
        answers = library.solve_all("x", **given)
    except (NoSolutionError, InconsistentError):
        answers = ()
    if any(answer.value is None for answer in answers):
        return  # nothing determines x in one of the cases
    if len(answers) == 1:
        assert float(value) == pytest.approx(answers[0].base)
    else:
        assert not value.is_number or value is sympy.nan


DIVIDED = [
    (["x = a if a <= 2*b else 10*b", "y = a/x"], "x"),
    (["x = a if a >= b else b", "y = a/x - 1/2"], "x"),
    (["x = max(a, b)", "y = 3*a/(2*x)"], "x"),
    (["x = min(a, b) - b", "y = a/x"], "a"),
]


@pytest.mark.parametrize(("relations", "target"), DIVIDED)
@pytest.mark.parametrize("b", ["1", "-3", "0.5"])
def test_a_formula_has_no_value_where_relations_would_divide_by_zero(relations: list[str], target: str, b: str) -> None:
    """x of `x = a if a <= 2*b else 10*b`, `y = a/x` was 0, at which y is 0/0, and undefined where it is 10*b."""
    library = bare("a b x y", *relations, domains=dict.fromkeys("abxy", "real"))
    form = library.formula(target, ["y", "b"])
    at_b = {symbol: sympy.Rational(b) for symbol in form.free_symbols if symbol.name == "b"}
    for y in ("3", "0.1", "-2", "1.25"):
        numbers = at_b | {symbol: sympy.Rational(y) for symbol in form.free_symbols if symbol.name == "y"}
        said = form.subs(numbers)
        try:
            right = library.solve(target, y=y, b=b).base
        except NoSolutionError:
            assert not said.is_finite, (y, said)
        except AmbiguousError:
            continue
        else:
            assert float(said) == pytest.approx(right), y


def test_a_case_whose_only_solution_divides_by_zero_leaves_the_others_their_formula() -> None:
    relations = (
        "y = a/(x - 1)",
        {"equation": "x = a + 1", "when": "b < 1"},
        {"equation": "x = 3*b", "when": "b >= 1"},
    )
    library = bare("a b x y", *relations, domains=dict.fromkeys("abxy", "real"))
    form = library.formula("x", ["y", "b"])
    at = {symbol: {"b": 2, "y": 5}[symbol.name] for symbol in form.free_symbols}
    assert form.subs(at) == 6 == library.solve("x", y="5", b="2").base
    outside = {symbol: {"b": 0, "y": 5}[symbol.name] for symbol in form.free_symbols}
    assert form.subs(outside) is sympy.nan
