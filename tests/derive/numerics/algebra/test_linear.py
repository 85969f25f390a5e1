"""Linear systems: the same solutions as numpy's, and the rank said where there is none."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.evaluation import residual, value
from derive.numerics.algebra.linear import Solved, combined, linear_form, linear_solutions
from quantities.domain import Domain
from quantities.rational import exact_of, read_decimal, written
from tests.derive.operations import calls
from tests.ordinary import examples

REAL = Domain("real", -math.inf, math.inf)
POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
ENTRIES = st.floats(-5, 5).map(lambda x: round(x, 2))


def system(size):
    texts = [" + ".join(f"a{i}{j}*x{j}" for j in range(size)) + f" = b{i}" for i in range(size)]
    return [parse_equation(text) for text in texts], [f"x{j}" for j in range(size)]


@examples(200)
@given(st.integers(2, 5), st.data(), st.integers(-12, 12))
def test_a_regular_system_has_the_solution_that_numpy_gives(size, data, magnitude):
    matrix = numpy.array(data.draw(st.lists(ENTRIES, min_size=size**2, max_size=size**2))).reshape(size, size)
    assume(numpy.linalg.cond(matrix) < 1e4)
    scales = 10.0 ** (magnitude * numpy.arange(size) / size)
    wanted = numpy.array(data.draw(st.lists(ENTRIES, min_size=size, max_size=size)))
    right = matrix @ wanted
    equations, unknowns = system(size)
    known = {f"a{i}{j}": matrix[i, j] * scales[j] for i in range(size) for j in range(size)}
    known |= {f"b{i}": right[i] for i in range(size)}
    solutions, singular, *_ = linear_solutions(equations, unknowns, known, dict.fromkeys(unknowns, REAL))
    assert not singular
    assert [solutions[0][name] * scale for name, scale in zip(unknowns, scales, strict=True)] == pytest.approx(
        wanted, rel=1e-8, abs=1e-8
    )


@examples(60)
@given(st.floats(0.1, 9), st.floats(0.1, 9), st.floats(0.1, 9), st.booleans())
def test_rows_that_repeat_are_told_from_rows_that_contradict(a, b, c, agree):
    equations = [parse_equation(text) for text in ("a*x + b*y = c", "3*a*x + 3*b*y = d")]
    known = {"a": a, "b": b, "c": c, "d": 3 * c * (1 if agree else 1.01)}
    solutions, singular, why, _ = linear_solutions(equations, ["x", "y"], known, {"x": REAL, "y": REAL})
    assert (solutions, singular) == ([], True)
    assert ("are dependent" if agree else "contradict") in why


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (("x + b*y = a", "2*x + b*y = 2*a"), "y cancels"),
        (("b*x + b*y = a - a", "x*b = y*b"), "x and y cancel"),
        (("x + b*y = a", "x + b*y = 2*a"), "the equations contradict each other"),
        (("x + y = a", "x + y + b*x = a"), "the equations are dependent"),
    ],
)
def test_an_unknown_that_is_nowhere_left_is_said_to_cancel(texts, why):
    equations = [parse_equation(text) for text in texts]
    assert linear_solutions(equations, ["x", "y"], {"a": 3.0, "b": 0.0}, {"x": REAL, "y": REAL})[:3] == ([], True, why)


def test_a_value_outside_its_domain_is_named():
    equations = [parse_equation("x + y = a"), parse_equation("x - y = b")]
    _, singular, why, _ = linear_solutions(equations, ["x", "y"], {"a": 1.0, "b": 5.0}, {"x": POSITIVE, "y": POSITIVE})
    assert not singular
    assert why == "y would be -2"


@pytest.mark.parametrize(
    ("texts", "known", "expected"),
    [
        (("x/y = a", "x + y = b"), {"a": 2.0, "b": 9.0}, {"x": 6.0, "y": 3.0}),
        (("a = x/(x + y)", "y = b"), {"a": 0.25, "b": 9.0}, {"x": 3.0, "y": 9.0}),
        (("a*(x - y) = b", "x = 3*(y - 1)"), {"a": 2.0, "b": 4.0}, {"x": 4.5, "y": 2.5}),
    ],
)
def test_a_division_is_multiplied_out(texts, known, expected):
    solutions, *_ = linear_solutions([parse_equation(t) for t in texts], ["x", "y"], known, {"x": REAL, "y": REAL})
    assert solutions == [pytest.approx(expected)]


@pytest.mark.parametrize("text", ["x*y = a", "x**2 = y", "exp(x) = y", "max(x, y) = a", "1/x + 1/y = a"])
def test_what_is_not_linear_is_left_to_others(text):
    equations = [parse_equation(text), parse_equation("x + y = a")]
    assert linear_solutions(equations, ["x", "y"], {"a": 2.0}, {"x": REAL, "y": REAL}) is None


@given(*(st.floats(-3, 3) for _ in range(4)))
def test_factors_put_together_are_the_expression(a, b, x, y):
    node = parse_expression("a*(x + 2*y)/b - (y - a)*3 + b")
    assume(abs(b) > 0.1)
    at = {"a": a, "b": b, "x": x, "y": y}
    form = linear_form(node, frozenset("xy"))
    total = sum(value(factor, at) * (at[name] if name else 1) for name, factor in form.items())
    assert total == pytest.approx(a * (x + 2 * y) / b - (y - a) * 3 + b, abs=1e-9)


@examples(60)
@given(st.lists(st.integers(-20, 20), min_size=3, max_size=3), st.lists(st.integers(-20, 20), min_size=3, max_size=3))
def test_rank_does_not_hang_on_the_size_of_the_units(row_powers, column_powers):
    matrix = [[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]]
    hidden = [1.5 * 10.0**-power for power in column_powers]
    scaled = [
        [entry * 10.0**power * 10.0**column for entry, column in zip(row, column_powers, strict=True)]
        for row, power in zip(matrix, row_powers, strict=True)
    ]
    known = {f"a{i}{j}": scaled[i][j] for i in range(3) for j in range(3)}
    known |= {f"b{i}": sum(a * x for a, x in zip(scaled[i], hidden, strict=True)) for i in range(3)}
    equations = [parse_equation(f"a{i}0*x + a{i}1*y + a{i}2*z = b{i}") for i in range(3)]
    domains = dict.fromkeys("xyz", Domain("real", -math.inf, math.inf))
    ((solution,), singular, *_) = linear_solutions(equations, ["x", "y", "z"], known, domains)
    assert not singular
    assert [solution[name] for name in "xyz"] == pytest.approx(hidden, rel=1e-9)


def test_a_factor_that_only_rounding_leaves_is_none():
    equations = [parse_equation("(a + b - c)*x + y = d"), parse_equation("y = d")]
    known = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 1.0}
    domains = dict.fromkeys("xy", Domain("real", -math.inf, math.inf))
    assert linear_solutions(equations, ["x", "y"], known, domains)[1]


@pytest.mark.parametrize("size", [61, 120])
def test_many_unknowns_are_found_as_few_are(size):
    names = [f"x{i}" for i in range(size)]
    texts = [
        f"{i + 3}*{name}*s + {names[i - 1]} - 2*{names[(i + 7) % size]}*t = {i % 5 - 2}" for i, name in enumerate(names)
    ]
    equations, known = [parse_equation(text) for text in texts], {"s": 1e6, "t": 1e-3}
    ((solution,), singular, *_) = linear_solutions(equations, names, known, dict.fromkeys(names, REAL))
    assert not singular
    assert all(abs(residual(equation, {**known, **solution})) < 1e-12 for equation in equations)
    doubled = [*equations[:-1], equations[0]]
    _, singular, reason, _ = linear_solutions(doubled, names, known, dict.fromkeys(names, REAL))
    assert singular
    assert "are dependent" in reason


@examples(60)
@given(st.integers(2, 5), st.data())
def test_a_system_of_typed_decimals_has_its_solution_in_fractions(size, data):
    tenths = st.integers(-99, 99).map(lambda n: Fraction(n, 10))
    matrix = [data.draw(st.lists(tenths, min_size=size, max_size=size)) for _ in range(size)]
    assume(numpy.linalg.cond(numpy.array(matrix, dtype=float)) < 1e6)
    wanted = data.draw(st.lists(tenths, min_size=size, max_size=size))
    right = [sum((a * x for a, x in zip(row, wanted, strict=True)), Fraction(0)) for row in matrix]
    equations, unknowns = system(size)
    known = {f"a{i}{j}": written(float(a)) for i, row in enumerate(matrix) for j, a in enumerate(row)}
    known |= {f"b{i}": written(float(b)) for i, b in enumerate(right)}
    ((solution,), _, outside, _) = linear_solutions(equations, unknowns, known, dict.fromkeys(unknowns, REAL))
    assert not outside
    assert [exact_of(solution[name]) for name in unknowns] == wanted


def test_many_unknowns_are_not_eliminated_row_by_row():
    """The factors of a library take half of the steps or less, and those for each pair of unknowns run in it."""
    names = [f"x{i}" for i in range(240)]
    equations = [parse_equation(f"{i + 3}*{name} + {names[i - 1]} = {i}") for i, name in enumerate(names)]
    assert calls(lambda: linear_solutions(equations, names, {}, dict.fromkeys(names, REAL))) < 300_000


@given(st.integers(2, 9), st.integers(1, 99), st.sampled_from(["", "00000000001", "-0.00000000001"]))
def test_rows_of_typed_decimals_that_differ_in_the_tenth_digit_contradict_each_other(factor, tenths, change):
    right = f"{factor * tenths / 10:.1f}"
    right = f"{right} - 0.00000000001" if change.startswith("-") else right + change
    pair = [parse_equation(f"x + y = {tenths / 10}"), parse_equation(f"{factor}*x + {factor}*y = {right}")]
    solutions, singular, why, _ = linear_solutions(pair, ["x", "y"], {}, dict.fromkeys("xy", REAL))
    assert not solutions
    assert singular
    assert why == ("the equations contradict each other" if change else "the equations are dependent")


def test_rows_of_typed_decimals_that_are_nearly_parallel_have_their_one_solution():
    pair = [parse_equation("x + y = 3"), parse_equation("x + 1.00000000000001*y = 3.00000000000002")]
    assert linear_solutions(pair, ["x", "y"], {}, dict.fromkeys("xy", REAL)) == Solved([{"x": 1.0, "y": 2.0}])
    assert None not in combined(pair, {}).equations


def test_a_literal_that_was_printed_does_not_make_a_singular_system_regular():
    """The sum 0.1 + 0.2 is printed as it is written here; of the decimals, y alone would be one."""
    pair = [parse_equation("x + y = 1"), parse_equation("0.30000000000000004*x + a*y = b")]
    known = {"a": read_decimal("0.3"), "b": read_decimal("0.3")}
    solved = linear_solutions(pair, ["x", "y"], known, {"x": REAL, "y": REAL})
    assert solved == Solved([], singular=True, reason="the equations are dependent")
