"""Conditions mean the same in every room: to the evaluator, the solver, the enclosures and both back ends.

The reference is `digits`, whose numbers may be of any size: what overflows a double is still larger than what does not.
"""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

import derive
from derive.expressions.grammar import parse_condition, parse_expression
from derive.expressions.tree import CONDITIONS, Apply, names_in, walk
from derive.kernels.compiled_functions import compiled
from derive.library import Library
from derive.model.relation import relate
from derive.numerics.algebra.evaluation import truth, value
from derive.numerics.intervals.enclosure import truths
from quantities.quantity import Quantity
from tests.derive.digits import OutOfReachError, exact, verdict
from tests.derive.draws import SIGNS, expressions
from tests.derive.statements import bare, number
from tests.ordinary import examples

QUANTITIES = [Quantity(name, domain="real") for name in "xyz"]
NUMBERS = st.sampled_from((0.0, 1.0, -1.0, 2.0, 0.5, 30.0, 800.0, -800.0, 1e5, 1e160, -1e160, 1e308, 1e-200))
SIDES = expressions(4) | st.sampled_from(("exp(x)", "-exp(x)", "x*y", "x*x*y", "x + y", "exp(y) - exp(x)", "cosh(x)"))
POINT = {"x": -1, "y": 1, "a": 1, "b": 2}
CHAINS = (
    "1 if {a} {s} {b} else 2",
    "1 if not {a} {s} {b} else 2",
    "1 if {a} {s} {b} else 2 if {c} {t} {b} else 3",
    "1 if {a} {s} {b} and {c} {t} {a} else 2",
    "1 if {a} {s} {b} or {c} {t} {a} else 2",
)


def functions(text):
    library = Library([relate("r", f"z = {text}", quantities=QUANTITIES)], QUANTITIES)
    return [compiled(library, "z", names_in(parse_expression(text)), backend) for backend in ("python", "numpy")]


def comparisons(node):
    return [part for part in walk(node) if isinstance(part, Apply) and part.op in ("lt", "le", "gt", "ge", "eq", "ne")]


def is_rounded(comparison, at):
    """Whether doubles are too few to tell what a comparison comes to, apart from what is too large for them."""
    sides = [(value(side, at), exact(side, at)) for side in comparison.args]
    if any(rough == rough and (fine is None or abs(rough - fine) > 1e-6 * abs(fine)) for rough, fine in sides):
        return True
    one, other = (fine for _, fine in sides)
    return None not in (one, other) and abs(one - other) <= 1e-6 * max(abs(one), abs(other))


def is_out_of_reach(node, at):
    """Whether a comparison, or a part of one, has no double for what an operation makes of finite numbers."""
    parts = [part for one in comparisons(node) for side in one.args for part in walk(side)]
    return any(
        math.isnan(value(part, at)) and all(math.isfinite(value(arg, at)) for arg in part.args)
        for part in parts
        if isinstance(part, Apply) and part.op not in ("piecewise", *CONDITIONS)
    )


@examples(150, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(CHAINS), SIDES, SIDES, SIDES, st.sampled_from(SIGNS), st.sampled_from(SIGNS), NUMBERS, NUMBERS)
def test_no_back_end_takes_an_arm_that_exact_arithmetic_does_not(chain, a, b, c, s, t, x, y):
    text, at = chain.format(a=a, b=b, c=c, s=s, t=t), {"x": x, "y": y}
    try:
        node, whole = parse_expression(text), functions(text)
        assume(not any(is_rounded(part, at) for part in comparisons(node)))
        expected = exact(node, at)
    except (derive.DeriveError, OutOfReachError):  # of pure numbers, or an angle among them
        assume(False)
    expected = math.nan if expected is None else float(expected)
    found = value(node, at)
    assert found == pytest.approx(expected, nan_ok=True) or (found != found and is_out_of_reach(node, at))
    for function in whole:
        assert float(function(**{name: at[name] for name in names_in(node)})) == pytest.approx(found, nan_ok=True)


@examples(200, suppress_health_check=list(HealthCheck))
@given(SIDES, SIDES, st.sampled_from(SIGNS), NUMBERS, NUMBERS, NUMBERS, st.sampled_from((0.0, 0.3, 1.0)))
def test_over_an_interval_a_condition_may_be_all_that_it_is_at_a_point(a, b, sign, y, one, other, share):
    low, high = min(one, other), max(one, other)
    at = {"x": min(max(low + share * (high - low), low), high), "y": y}
    try:
        condition = parse_condition(f"{a} {sign} {b}")
        assume(math.isfinite(at["x"]) and not is_rounded(condition, at))
        expected = verdict(condition, at)
    except (derive.DeriveError, OutOfReachError):
        assume(False)
    assert expected in truths(condition, {"x": (low, high), "y": (y, y)})


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("exp(x) > 5", True),
        ("exp(x) < 5", False),
        ("5 > -exp(x)", True),
        ("x*x**200 >= exp(y)", True),
        ("1/exp(x) < 5", True),
        ("-1/exp(x) < 5 and not cosh(x) < x", True),
        ("exp(x) > exp(2*x)", False),  # both beyond all doubles
        ("exp(x) - exp(x) < 5", None),
        ("log(y) > 0", None),
        ("not log(y) > 0", None),
        ("0*x/(y + 1) > 1", None),
        ("y < 0 or log(y) > 0", True),
        ("log(y) > 0 or y < 0", True),
        ("y > 0 and log(y) > 0", False),
        ("log(y) > 0 and y > 0", False),
    ],
)
def test_too_large_is_an_infinity_and_undefined_is_neither_true_nor_false(condition, expected):
    at = {"x": 800.0, "y": -1.0}
    assert truth(parse_condition(condition), at) is expected
    worth = {True: 1.0, False: 2.0, None: math.nan}[expected]
    for function in functions(f"1 + 0*x + 0*y if {condition} else 2"):
        assert float(function(**at)) == pytest.approx(worth, nan_ok=True)


@pytest.mark.parametrize(("x", "expected"), [(-1.0, 1.0), (0.5, 3.0), (2.0, 2.0)])
def test_after_a_condition_that_is_true_no_other_is_asked(x, expected):
    text = "1 if x < 0 else 2 if log(x) > 0 else 3"
    assert value(parse_expression(text), {"x": x}) == expected
    assert [float(function(x=x)) for function in functions(text)] == [expected, expected]


def test_an_array_is_judged_point_by_point():
    x = numpy.array([[-1.0, 0.5, 2.0, 800.0, 400.0, 1e300]])
    text = "1 if log(x) > 3 or exp(x)*exp(x) > 1e200 else 2"
    expected = numpy.array([[math.nan, 2, 2, 1, 1, 1]])
    assert functions(text)[1](x=x) == pytest.approx(expected, nan_ok=True)


def test_solving_takes_the_same_arm():
    choice = bare("x y a b", "y = a if exp(x) > 5 else b")
    assert number(choice.solve("y", x=800, a=1, b=2)) == 1
    assert number(choice.solve("a", x=800, y=1, b=2)) == 1
    with pytest.raises(derive.NoSolutionError):
        choice.solve("b", x=800, y=2, a=1)


@pytest.mark.parametrize("target", ["y", "a", "b"])
def test_a_choice_without_meaning_gives_no_answer(target):
    choice = bare("x y a b", "y = a if log(x) > 0 else b", domains={"x": "real"})
    with pytest.raises(derive.NoSolutionError):
        choice.solve(target, **{name: given for name, given in POINT.items() if name != target})


def test_a_relation_whose_condition_has_no_meaning_does_not_apply():
    rivals = bare(
        "x y",
        {"equation": "y = 2", "when": ["log(x) > 0"]},
        {"equation": "y = 3", "when": ["not log(x) > 0"]},
        {"equation": "y = 4", "when": ["exp(x) < 5"]},
        domains={"x": "real"},
    )
    answer = rivals.solve("y", x=-1)
    assert number(answer) == 4
    assert "r1 is left out: log(x) > 0 is undefined" in answer.assumptions
    assert number(rivals.solve("y", x=800)) == 2
    for backend in ("python", "numpy"):
        function = rivals.compile("y", ["x"], backend)
        assert [float(function(x=x)) for x in (-1.0, 0.5, 800.0)] == pytest.approx([4, math.nan, 2], nan_ok=True)


@pytest.mark.parametrize("size", [4, 12])
def test_conditions_that_decide_each_other_are_gone_through_once(size):
    """Each of several quantities has two ways, and which of them applies is decided by all the others."""
    names = [f"x{i}" for i in range(size)]
    quantities = "".join(f'{name} = {{ unit = "1", domain = "nonnegative" }}\n' for name in (*names, "given", "goal"))
    relations = ""
    for name in names:
        others = " + ".join(other for other in names if other != name)
        relations += f'small_{name} = {{ equation = "{name} = given", when = ["{others} < 9"] }}\n'
        relations += f'large_{name} = {{ equation = "{name} = 2*given", when = ["{others} >= 9"] }}\n'
    total = " + ".join(names)
    relations += f'goal = {{ equation = "goal = 3*given", when = ["{total} >= 0"] }}\n'
    library = derive.load(f"[quantities]\n{quantities}[relations]\n{relations}")
    with derive.limits(seconds=20):
        assert library.solve("goal", given=2).base == 6
