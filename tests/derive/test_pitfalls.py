"""Questions that tempt a solver into a wrong number, a false refusal, or an interval where there is a value."""

from __future__ import annotations

import contextlib
import math

import pytest

import derive
from derive import AmbiguousError, DeriveError, InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from tests.derive.statements import bare, library, number, numbers, span

REAL = dict.fromkeys("abxy", "real")
ROOTS = [
    ("a = b + x", REAL, {"a": 3, "b": 3}, [0]),
    ("a = 2**x", REAL, {"a": 1}, [0]),
    ("a = x*exp(x)", REAL, {"a": 0}, [0]),
    ("a = sin(x)", {"x": "0..7 radian", "a": "real"}, {"a": 0}, [0, math.pi, math.tau]),
    ("a = cos(x)", {"x": "0..2 radian", "a": "real"}, {"a": 0}, [math.pi / 2]),
    ("a = sin(1/x)", {"x": "0.1..1", "a": "real"}, {"a": 0}, [1 / (k * math.pi) for k in (3, 2, 1)]),
    ("x**2 + a = b*x", {}, {"a": 1, "b": 1e9}, [1e-9, 1e9]),
    ("a = (x - 1)**2*(x - 1e6)", {"a": "real"}, {"a": 0}, [1, 1e6]),
    ("exp(2*x) + 2 = a*exp(x)", {}, {"a": 3}, [math.log(2)]),
    ("a = log(1 + x)", {}, {"a": 1e-8}, [math.expm1(1e-8)]),
    ("a = exp(x) - 1", {}, {"a": 1e-12}, [math.log1p(1e-12)]),
    ("a = sqrt(1 + x) - 1", {}, {"a": 1e-12}, [2e-12 + 1e-24]),
    ("a = 1 - cos(x)", {"x": "0..3 radian"}, {"a": 1e-14}, [2 * math.asin(math.sqrt(5e-15))]),
    ("a = x + x**2", {}, {"a": 1e-300}, [1e-300]),
    ("a = x + x**3", {}, {"a": 1e300}, [1e100]),
    ("a = x*b", {}, {"a": 1e-300, "b": 1e-5}, [1e-295]),
]


@pytest.mark.parametrize(("relation", "domains", "given", "roots"), ROOTS, ids=[f"{r} {g}" for r, _, g, _ in ROOTS])
def test_all_the_roots_and_nothing_else(relation, domains, given, roots):
    angle = {"x": "radian"} if "radian" in domains.get("x", "") else {}
    asked = library({"a": "", "b": "", "x": ""} | angle, relation, domains=domains)
    assert numbers(asked.solve_all("x", **given)) == pytest.approx(roots, rel=1e-9, abs=1e-18)


TOUCHES = [
    ("a*exp(x) = 1 + x", "real", 1, 0),
    ("a = cos(x)", "0..2 radian", 1, 0),
    ("a = x*exp(-x)", "positive", math.exp(-1), 1),
]


@pytest.mark.parametrize(("relation", "domain", "a", "root"), TOUCHES)
def test_a_root_that_only_touches_is_a_value_and_no_interval(relation, domain, a, root):
    unit = "radian" if "radian" in domain else ""
    (answer,) = library({"a": "", "x": unit}, relation, domains={"x": domain}).solve_all("x", a=a)
    assert number(answer) == pytest.approx(root, abs=1e-7)


NOTHING = [
    ("a = x/(1 + x)", {"a": 1}),
    ("a = b*x/(b + x)", {"a": 3, "b": 3}),
    ("1/a = 1/x - 1/x", {"a": 1}),
    ("x + a = a + 2*x", {"a": 1}),
    ("a = tanh(x)", {"a": 1}),
    ("a = 1/sqrt(1 - x**2)", {"a": 1}),
    ("a = cosh(x)/sinh(x)", {"a": 1}),
]


@pytest.mark.parametrize(("relation", "given"), NOTHING)
def test_what_is_only_approached_is_no_solution(relation, given):
    with pytest.raises((NoSolutionError, LimitError)):
        bare("a b x", relation).solve_all("x", **given)


def test_a_number_beyond_the_machine_is_not_called_no_solution():
    with pytest.raises(LimitError):
        bare("y a b", "y = a*b").solve("y", a=1e300, b=1e300)


def test_a_number_has_its_value_though_its_parts_are_beyond_the_machine():
    assert number(bare("y a b", "y = exp(a)/(b + exp(a))").solve("y", a=1000, b=1)) == 1


def test_a_search_in_one_turn_that_finds_nothing_says_where_it_sought():
    with pytest.raises(DeriveError, match=r"turn|from 0 to"):
        bare("a x", "a = x*sin(x)").solve("x", a=2)


FREE = [
    ("a = a*x/x", {"a": 2}),
    ("x = x", {}),
    ("a = (x + b)/(1 + x*b)", {"a": 1, "b": 1}),
    ("b = max(a, x) - x", {"a": 3, "b": 0}),
]


@pytest.mark.parametrize(("relation", "given"), FREE)
def test_an_identity_fixes_nothing_and_says_so(relation, given):
    with pytest.raises((UnderdeterminedError, AmbiguousError)) as caught:
        bare("a b x", relation, domains={"b": "nonnegative"}).solve("x", **given)
    assert all(answer.value is None for answer in getattr(caught.value, "answers", ()))
    assert len(getattr(caught.value, "answers", ())) <= 1


REPEATING = [
    (("x + y**2 = a", "y + z**2 = b", "x + y**2 + y + z**2 = c"), {"a": 3, "b": 4, "c": 7}),
    (("x*y = a", "y*z = b", "x*z*y**2 = c"), {"a": 3, "b": 4, "c": 12}),
    (("x + max(y, c) = a", "2*x + max(2*y, 2*c) = b"), {"a": 5, "b": 10, "c": 1}),
    (("x = a*y", "x = b*z*y/(z + c)", "y = x*z/(2*a)"), {"a": 1, "b": 2, "c": 2}),
]


@pytest.mark.parametrize(("relations", "given"), REPEATING)
def test_relations_that_repeat_each_other_fix_no_number(relations, given):
    with pytest.raises((UnderdeterminedError, AmbiguousError)) as caught:
        bare("x y z a b c", *relations).solve("x", **given)
    assert all(answer.value is None for answer in getattr(caught.value, "answers", ()))


# Conditions


def test_a_condition_that_follows_from_the_givens_is_worked_out():
    cases = bare(
        "x y z", {"equation": "y = 2*x", "when": ["z < 1"]}, "z = 5*x", {"equation": "y = 3*x", "when": ["z >= 1"]}
    )
    assert number(cases.solve("y", x=1)) == 3
    assert number(cases.solve("y", x=0.1)) == pytest.approx(0.2)
    with pytest.raises(UnderdeterminedError):
        cases.without("r3").solve("y", x=1)


def test_a_weak_value_in_a_condition_yields_to_what_follows():
    weak = bare("x y z", {"equation": "y = 2*x", "when": ["z < 1"]}, "z = x/10", profiles={"p": {"z": "3"}})
    assert number(weak.solve("y", "p", x=1)) == 2


def test_every_case_that_holds_at_its_own_answer_is_an_answer():
    cases = bare("x y", {"equation": "y = 2*x", "when": ["x < 5"]}, {"equation": "y = x/2", "when": ["x >= 5"]})
    assert numbers(cases.solve_all("x", y=4)) == [2, 8]


def test_compiled_functions_and_formulas_mind_the_conditions():
    cases = bare("x y z", {"equation": "y = 2*x", "when": ["z < 1"]}, {"equation": "y = 3*x", "when": ["z >= 1"]})
    compiled = cases.compile("y", ["x", "z"])
    assert [float(compiled(x=1.0, z=z)) for z in (0.5, 2.0)] == [2, 3]
    form, (x, z) = cases.formula("y", ["x", "z"]), (cases.quantities[name] for name in "xz")
    assert [float(form.subs({x: 1, z: at})) for at in (0.5, 2)] == [2, 3]


def test_a_compiled_function_does_not_choose_between_two_roots():
    parabola = bare("x y", "y = x**2 - 3*x + 4")
    try:
        found = parabola.compile("x", ["y"])(y=2.0)
    except AmbiguousError:
        return
    assert math.isnan(found)


# Ranges and bounds


def test_the_middle_of_a_range_does_not_speak_for_all_of_it():
    roof = bare("t a b", "t = max(a, b)")
    assert [span(answer)[1] for answer in roof.solve_all("a", t="2..7", b=5)] == [7]
    assert max(span(answer)[1] for answer in roof.solve_all("a", t="4..6", b=5)) == pytest.approx(6)


def test_bounds_of_an_implicit_answer_reach_its_extremes():
    low, high = span(bare("y a", "y + y**3 = a*(4 - a)").solve("y", a="1..3.5"))
    assert low + low**3 == pytest.approx(1.75, rel=1e-4)
    assert high + high**3 == pytest.approx(4, rel=1e-4)


def test_bounds_stay_in_the_domain():
    assert span(bare("y a b", "y = a - b").solve("y", a="3..10", b="1..5")) == pytest.approx((0, 9))


def test_what_hangs_twice_on_a_bounded_quantity_is_bounded_once():
    chain = bare("t a b c d", "t = max(a, b)", "c = a*(10 - a)", "d = (a + 1)/(a + 2)")
    assert span(chain.solve_all("c", t=5, b=5)[0]) == pytest.approx((0, 25), rel=1e-5)
    assert span(chain.solve_all("d", t=5, b=5)[0]) == pytest.approx((1 / 2, 6 / 7), rel=1e-5)


# Inequalities


def test_a_weak_limit_that_is_broken_is_a_failed_check():
    answer = bare("x y z", "y = 2*x", "y <= z", profiles={"p": {"z": "1"}}).solve("y", "p", x=3)
    assert [(check.name, check.passed) for check in answer.checks] == [("r2", False)]


@pytest.mark.parametrize("relations", [("x <= y", "x >= z"), ("max(x, z) <= y",)])
def test_limits_that_exclude_each_other_contradict(relations):
    with pytest.raises((InconsistentError, NoSolutionError)):
        bare("x y z", *relations).solve_all("x", y=1, z=3)


@pytest.mark.parametrize(("relation", "expected"), [("x**2 <= y", (-3, 3)), ("abs(x) <= y", (-9, 9))])
def test_a_limit_on_a_power_bounds_both_ways(relation, expected):
    (answer,) = bare("x y", relation, domains={"x": "real"}).solve_all("x", y=9)
    assert span(answer) == pytest.approx(expected)


# Asking in ways that nobody thought of


@pytest.mark.parametrize("target", [3, None, ["y"], bare("y", "y = 1").quantities["y"]], ids=str)
def test_a_target_that_is_no_name_is_refused_in_words_or_read(target):
    with contextlib.suppress(DeriveError):
        assert number(bare("y", "y = 1").solve(target)) == 1


@pytest.mark.parametrize("profile", [3, None, ["p"]], ids=str)
def test_a_profile_that_is_none_is_refused_in_words(profile):
    with pytest.raises(DeriveError):
        bare("y x", "y = x").solve("y", profile, x=1)


def test_a_deep_expression_is_solved_or_refused_in_words():
    try:
        deep = bare("x y", "y = " + "sqrt(1 + " * 40 + "x" + ")" * 40)
    except DeriveError:
        return
    assert number(deep.solve("y", x=(1 + math.sqrt(5)) / 2)) == pytest.approx((1 + math.sqrt(5)) / 2)


def test_limits_can_be_set_after_something_was_asked():
    bare("x y", "y = 2*x").solve("y", x=1)
    with derive.limits(seconds=1):
        pass


@pytest.mark.parametrize("mean", [1.0, 10.0])
def test_an_unknown_that_also_stands_outside_the_sine_is_sought_everywhere(mean):
    kepler = library({"M": "radian", "E": "radian", "e": ""}, "M = E - e*sin(E)")
    anomaly = number(kepler.solve("E", M=f"{mean} radian", e=0.1))
    assert anomaly - 0.1 * math.sin(anomaly) == pytest.approx(mean)
