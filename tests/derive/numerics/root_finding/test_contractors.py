"""Contraction loses no solution: the number that an expression has at a point of a box is never cut off."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from mpmath import mpf

import derive
from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.evaluation import value
from derive.numerics.root_finding import contractors
from derive.numerics.root_finding.contractors import contracted
from derive.numerics.root_finding.expression_graph import dag_of
from tests.derive.digits import OutOfReachError, exact
from tests.derive.draws import expressions
from tests.derive.statements import bare, number
from tests.ordinary import examples

POINTS = st.integers(-24, 24).map(lambda n: n / 8)
MARGINS = st.sampled_from((0.0, 0.125, 1.0, 2.5, 40.0, 1e4, math.inf))


def assert_kept(text, at, margins):
    """In a box around a point, `z = text` keeps the point, with z anywhere around what the text comes to there."""
    try:
        true = exact(parse_expression(text), at)
    except OutOfReachError:
        return
    if true is None or abs(true) > 1e100:
        return
    points = [at["x"], at["y"], float(true)]
    box = [(point - low, point + high) for point, (low, high) in zip(points, margins, strict=True)]
    dag = dag_of([parse_equation(f"z = {text}")], ["x", "y", "z"], {})
    narrowed = contracted(dag, [*box[:2], (math.nextafter(box[2][0], -math.inf), math.nextafter(box[2][1], math.inf))])
    assert narrowed is not None
    assert all(low <= point <= high for (low, high), point in zip(narrowed, map(mpf, (at["x"], at["y"])), strict=False))
    assert narrowed[2][0] <= true <= narrowed[2][1]


@examples(600, suppress_health_check=list(HealthCheck))
@given(expressions(), POINTS, POINTS, st.tuples(*[st.tuples(MARGINS, MARGINS)] * 3))
def test_a_point_where_an_equation_holds_is_kept(text, x, y, margins):
    assert_kept(text, {"x": x, "y": y}, margins)


@pytest.mark.long
@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    "text",
    [
        "x**y",
        "x**(-1)",
        "x**(1 + 1)",
        "(1 if x < 0 else log(x - 2)) + y",
        "(x*x if x < 0 else sqrt(x)) + y",
        "(x if x < 0 else y if x < 1 else acosh(x)) + log(3 + y)",
        "Piecewise((x, x < 0), (1/x, x > 0))",
    ],
)
def test_an_arm_that_is_not_taken_and_a_negative_base_cut_nothing_off(text):
    for x in range(-24, 25):
        for y in (-2.0, -0.5, 0.0, 1.0, 2.0, 3.0):
            for margin in (0.0, 0.125, 1.0, 40.0, math.inf):
                assert_kept(text, {"x": x / 8, "y": y}, [(margin, margin)] * 3)


@pytest.mark.parametrize("text", ["x**y", "y**x", "x**(y/3)", "x**(-y) + x"])
def test_a_power_is_kept_where_its_base_or_its_exponent_has_no_end(text):
    ends = [(0.0, 0.0), (0.125, 0.125), (0.0, math.inf), (math.inf, 0.0), (math.inf, math.inf)]
    for x, y, around_x, around_y in product((-1.5, -1.0, 2.0), (-3.0, 1.0, 2.5), ends, ends):
        assert_kept(text, {"x": x, "y": y}, [around_x, around_y, (1.0, 1.0)])


@pytest.mark.thorough
def test_no_proof_leaves_out_a_solution_on_another_arm():
    one, other, at = "(1 if x < 0 else log(x - 2)) + sin(y)", "x*exp(y) + y", {"x": -1.5, "y": 0.4}
    library = bare("a b x y", f"a = {one}", f"b = {other}", domains=dict.fromkeys("abxy", "real"))
    given = {name: value(parse_expression(text), at) for name, text in (("a", one), ("b", other))}
    try:
        answers = library.solve_all("x", **given)
    except derive.LimitError:  # it is not proved that there is none
        return
    assert "proved" not in str(answers[0]) or any(math.isclose(number(one), -1.5, rel_tol=1e-6) for one in answers)


@pytest.mark.parametrize("exponent", [0.001, 0.05, 0.5, 3.3])
def test_a_root_beyond_all_doubles_leaves_an_open_end(exponent):
    """Of `z = x**0.05` with z up to 1e300, x reaches 1e6000."""
    dag = dag_of([parse_equation(f"z = x**{exponent}")], ["x", "z"], {})
    narrowed = contracted(dag, [(0.0, math.inf), (1.0, 1e300)])
    assert narrowed is not None
    (low, high), _ = narrowed
    assert low <= 1.0
    assert high == math.inf if exponent < 0.9 else high < math.inf


@pytest.mark.parametrize("text", ["x*y = z", "z = max(x, y)", "x**2 + y = z", "z = exp(x)*y", "x/y = z"])
@pytest.mark.parametrize("is_free", [False, True])
def test_points_call_for_no_further_sweep(monkeypatch, text, is_free):
    sweeps = []
    swept = contractors._swept
    monkeypatch.setattr(contractors, "_swept", lambda dag, run: sweeps.append(run) or swept(dag, run))
    at = {"x": 1.0, "y": 2.0}
    true = value(parse_equation(text).rhs if text.startswith("z") else parse_equation(text).lhs, at)
    last = (0.0, math.inf) if is_free else (math.nextafter(true, -math.inf), math.nextafter(true, math.inf))
    assert contracted(dag_of([parse_equation(text)], ["x", "y", "z"], {}), [(1.0, 1.0), (2.0, 2.0), last])
    assert len(sweeps) <= 2  # one that cuts what is free, and one that finds nothing more


EXPONENTS = ("1/3", "2/3", "0.3", "7/5", "0.1", "22/7")


@examples(80, ordinary=20)
@given(st.sampled_from(EXPONENTS), POINTS, st.sampled_from((0.0, 0.0, 0.125, 1.0, 3.0)), st.tuples(*[MARGINS] * 3))
def test_contraction_keeps_powers_with_exponents_that_are_no_doubles(exponent, x, base, below):
    """Of zero too, which has no logarithm: where a box ends there, nothing else is left of it."""
    at = {"x": x, "y": x + base}
    for above in (0.0, 0.5):
        margins = [(low, above) for low in below]
        assert_kept(f"(y - x)**({exponent})", at, margins)
        assert_kept(f"y*(y - x)**({exponent}) + x", at, margins)
        assert_kept(f"(x - y + {base})**({exponent})", at, margins)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("end", [0, -1.5, 2])
def test_a_range_that_only_ends_where_a_power_begins_has_its_value_there(exponent, end):
    library = bare("a c y", f"y = c - (a - {end})**({exponent})", domains=dict.fromkeys("acy", "real"))
    (answer,) = library.solve_all("y", a=f"{end - 6}..{end}", c=4)
    assert answer.bounds == pytest.approx((4, 4))


@pytest.mark.parametrize("function", ["asinh", "log", "log2", "acosh", "lambertw", "sqrt", "erfinv", "atanh", "asin"])
@pytest.mark.parametrize("margin", [1, 1e4, 1e300])
def test_an_inverse_that_overflows_cuts_nothing_off(function, margin):
    assert_kept(
        f"{function}(x) + y", {"x": 1.0 if function in ("acosh", "log") else 0.25, "y": 0.5}, [(margin,) * 2] * 3
    )


@pytest.mark.parametrize("domain", ["-700..700", "-720..720", "-1000..1000", "real"])
def test_solutions_are_found_in_any_domain_of_an_inverse_hyperbolic_sine(domain):
    pair = bare(
        "x y a b",
        "asinh(x) + y + sin(y) = a",
        "x + y**3 - cos(x) = b",
        domains={"x": "real", "y": domain},
    )
    found = [number(answer) for answer in pair.solve_all("y", a="3", b="5")]
    assert found == pytest.approx([0.262669, 1.7901, 11.7913], rel=1e-5)
    assert all(
        abs(math.sinh(3 - y - math.sin(y)) + y**3 - math.cos(math.sinh(3 - y - math.sin(y))) - 5) < 1e-6 for y in found
    )
