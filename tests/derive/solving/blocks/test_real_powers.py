"""Powers with a quantity in the exponent: every real solution, whatever the sign of the base."""

from __future__ import annotations

import math

import numpy
import pytest

import derive
from derive.expressions.grammar import parse_expression
from derive.numerics.algebra.evaluation import value
from tests.derive.statements import bare, number, numbers, span

POWER = bare("a x y", "y = a**x", domains=dict.fromkeys("axy", "real"))
NEST = bare("a x y", "y = 3*a**(2*x + 1) - 5", domains=dict.fromkeys("axy", "real"))
WHOLE = range(-9, 10)


def compiled(library, target, **given):
    python, arrays = (library.compile(target, list(given), backend) for backend in ("python", "numpy"))
    at = {name: float(number) for name, number in given.items()}
    assert float(python(**at)) == pytest.approx(float(arrays(**at)), nan_ok=True)
    return float(python(**at))


@pytest.mark.parametrize("a", [-2, -3, -0.5, -1.1, -7])
@pytest.mark.parametrize("x", [-5, -2, 0, 1, 2, 3, 6])
def test_an_exponent_of_a_negative_base_is_found_if_it_is_whole(a, x):
    y = float(a) ** x
    assert [n for n in WHOLE if float(a) ** n == pytest.approx(y)] == [x]
    assert number(POWER.solve("x", a=a, y=y)) == x
    assert compiled(POWER, "x", a=a, y=y) == x


@pytest.mark.parametrize(("a", "y"), [(-2, 8), (-2, -4), (-2, 9), (-3, 1.5), (-1, 2), (-0.5, -0.25)])
def test_no_whole_exponent_means_no_solution(a, y):
    with pytest.raises(derive.NoSolutionError, match="no integer exponent fits"):
        POWER.solve("x", a=a, y=y)
    assert math.isnan(compiled(POWER, "x", a=a, y=y))


def test_many_whole_exponents_are_not_called_none():
    with pytest.raises(derive.LimitError, match="several integer exponents may fit"):
        POWER.solve("x", a=-1, y=1)


@pytest.mark.parametrize("x", [-2, 0, 1, 3])
def test_the_exponent_may_hold_the_unknown_among_others(x):
    y = 3 * (-2.0) ** (2 * x + 1) - 5
    assert number(NEST.solve("x", a=-2, y=y)) == x
    assert compiled(NEST, "x", a=-2, y=y) == x
    with pytest.raises(derive.NoSolutionError):
        NEST.solve("x", a=-2, y=10 - y)


@pytest.mark.parametrize(
    ("x", "y", "roots"),
    [(2, 9, [-3, 3]), (3, -8, [-2]), (-2, 4, [-0.5, 0.5]), (2, -4, []), (0.5, 3, [9]), (1.5, -8, []), (4, 0, [0])],
)
def test_a_base_is_found_on_both_sides_of_zero(x, y, roots):
    if roots:
        assert numbers(POWER.solve_all("a", x=x, y=y)) == pytest.approx(roots)
    else:
        with pytest.raises(derive.NoSolutionError):
            POWER.solve("a", x=x, y=y)
    assert compiled(POWER, "a", x=x, y=y) == pytest.approx(roots[0] if len(roots) == 1 else math.nan, nan_ok=True)


@pytest.mark.parametrize("target", ["a", "x"])
def test_there_is_no_closed_form_that_holds_for_every_base(target):
    with pytest.raises(derive.NoSolutionError, match="no closed form"):
        POWER.formula(target, [name for name in "axy" if name != target])


def test_a_positive_base_keeps_its_closed_forms():
    power = bare("a x y", "y = a**x")
    forms = [power.formula(target, given) for target, given in (("x", ["a", "y"]), ("a", ["x", "y"]))]
    at = {power.quantities[name]: worth for name, worth in (("a", 2.0), ("x", 3.0), ("y", 8.0))}
    assert [float(form.subs(at)) for form in forms] == pytest.approx([3, 2])
    assert compiled(power, "x", a=2, y=8) == pytest.approx(3)


def test_an_array_of_bases_of_either_sign():
    found = POWER.compile("x", ["a", "y"])(a=numpy.array([-2.0, 2.0, -2.0, 4.0]), y=numpy.array([4.0, 4.0, 8.0, 8.0]))
    assert found == pytest.approx([2, 2, math.nan, 1.5], nan_ok=True)


def test_an_interval_of_a_power_is_that_of_all_its_bases():
    library = bare("a b x y", "max(a, b) = 4", "b = y**x", domains={"y": "real", "x": "real"})
    (answer,) = library.solve_all("y", a=4, x=2)
    low, high = span(answer)
    assert low <= -2 + 1e-9
    assert high >= 2 - 1e-9


def test_zero_to_no_power_is_one():
    for answer in POWER.solve_all("x", a=0, y=0):
        assert answer.value is None
        assert answer.low.magnitude >= 0


@pytest.mark.long
@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("one", "other", "at"),
    [
        ("x**n + sin(y)", "x*exp(y) + y", {"x": -1.5, "y": 0.4, "n": 2.0}),
        pytest.param("x**n + sin(y)", "x*exp(y) + y", {"x": -1.5, "y": 0.4, "n": -3.0}, marks=pytest.mark.long),
        ("x**(-1) + sin(y)", "x*exp(y) + y", {"x": -1.5, "y": 0.4}),
        pytest.param("x**(n/2) + sin(y)", "x*exp(y) + y", {"x": -0.7, "y": -0.3, "n": 4.0}, marks=pytest.mark.long),
        ("x**y + y", "x + exp(y)/y", {"x": -2.0, "y": 2.0}),
        ("x**y", "x*y + sin(y - 2)", {"x": -2.0, "y": 3.0}),
        ("x**(y + n)", "x*exp(y) + y", {"x": -2.0, "y": 1.0, "n": 2.0}),
    ],
)
def test_no_proof_about_several_unknowns_leaves_a_negative_base_out(one, other, at):
    ends = {name: value(parse_expression(text), at) for name, text in (("a", one), ("b", other))}
    library = bare(f"a b {' '.join(at)}", f"a = {one}", f"b = {other}", domains=dict.fromkeys(("a", "b", *at), "real"))
    given = ends | {name: number for name, number in at.items() if name == "n"}
    try:
        found = library.solve_all("x", **given)
    except derive.LimitError:  # it is not proved that there is none
        return
    assert "proved" not in str(found[0]) or any(math.isclose(number(one), at["x"], rel_tol=1e-6) for one in found)
