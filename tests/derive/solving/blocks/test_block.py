"""One block at given numbers: every admissible value, none besides, and what is not proved is said."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.linear import combined
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.substitution import expressed
from derive.solving.blocks.system import agrees
from quantities.domain import Domain
from quantities.rational import Rational
from tests.derive.linear_cases import decimal
from tests.derive.statements import bare, numbers
from tests.ordinary import every, examples

REAL = Domain("real", -math.inf, math.inf)
POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
SIZES = st.floats(0.2, 5)


def solved(texts, unknowns, known, domain=POSITIVE):
    equations = [parse_equation(text) for text in ([texts] if isinstance(texts, str) else texts)]
    return solve_block(equations, list(unknowns), known, dict.fromkeys(unknowns, domain))


def points(outcome):
    return sorted(tuple(x for _, x in sorted(solution.values.items())) for solution in outcome.solutions)


@pytest.mark.parametrize(
    ("text", "domain", "expected"),
    [
        ("x**2 = y", POSITIVE, [3.0]),
        ("x**2 = y", REAL, [-3.0, 3.0]),
        ("x**2 = -y", REAL, []),
        ("abs(x - 1) = y", REAL, [-8.0, 10.0]),
        ("abs(x - 1) = y", POSITIVE, [10.0]),
        ("x**3 = -y + 1", REAL, [-2.0]),
        ("x + 1/x = y/4", POSITIVE, [(9 - math.sqrt(17)) / 8, (9 + math.sqrt(17)) / 8]),
        ("max(x, 2) = y", POSITIVE, [9.0]),
        ("max(x, 20) = y", POSITIVE, []),
        ("x*exp(x) = y", POSITIVE, [1.6790164197855981]),
        ("x if x > 3 else x**2 = y", POSITIVE, [3.0, 9.0]),
        ("sin(x) = y/18", POSITIVE, [math.pi / 6, 5 * math.pi / 6]),
        ("cos(x) = y/18", REAL, [-math.pi / 3, math.pi / 3]),
        ("tan(x) = y/9", Domain("0..10", 0.0, 10.0), [math.pi / 4 + i * math.pi for i in range(3)]),
    ],
)
def test_one_relation_yields_every_admissible_value(text, domain, expected):
    text = f"({text.replace(' = y', '')}) = y" if " if " in text else text
    outcome = solved(text, "x", {"y": 9.0}, domain)
    assert [x for (x,) in points(outcome)] == pytest.approx(expected)
    assert bool(expected) is not bool(outcome.reason)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("max(x, y) = y", 0.0, 9.0),
        ("min(x, y) = y", 9.0, math.inf),
        ("floor(x) = y", 9.0, 10.0),
        ("0*x = y - y", 0, math.inf),
    ],
)
def test_where_the_unknown_cancels_the_solution_is_an_interval(text, low, high):
    (solution,) = solved(text, "x", {"y": 9.0}).solutions
    assert solution.values == {}
    assert solution.spans["x"] == pytest.approx((low, high), abs=1e-9)


FORMS = ("{}*{}", "{} + {}", "{}/{}", "{}**2 + {}", "log(1 + {})*{}", "max({}, {})*2 + {}", "sqrt({} + 1)/{}")


@examples(40)
@given(st.sampled_from(FORMS), st.sampled_from(FORMS), SIZES, SIZES)
def test_a_hidden_solution_of_two_relations_is_among_those_found(one, two, x, y):
    first, second = one.format(*"xyy"), two.format(*"yxx")
    at = {"x": x, "y": y}
    known = {"a": value(parse_expression(first), at), "b": value(parse_expression(second), at)}
    slopes = [_slope(text, at, name) for text in (first, second) for name in "xy"]
    assume(abs(slopes[0] * slopes[3] - slopes[1] * slopes[2]) > 0.05 and abs(x - y) > 0.05)
    outcome = solved([f"{first} = a", f"{second} = b"], "xy", known)
    assert any(found == pytest.approx((x, y), rel=1e-6) for found in points(outcome)) or outcome.caveat
    assert outcome.solutions
    for found in points(outcome):
        there = dict(zip("xy", found, strict=True))
        assert value(parse_expression(first), there) == pytest.approx(known["a"], rel=1e-8)
        assert value(parse_expression(second), there) == pytest.approx(known["b"], rel=1e-8)


def _slope(text, at, name):
    node = parse_expression(text)
    return (value(node, {**at, name: at[name] + 1e-6}) - value(node, at)) / 1e-6


def test_both_orders_of_a_sum_and_a_product_are_found():
    outcome = solved(["x + y = a", "x*y = b"], "xy", {"a": 5.0, "b": 6.0})
    assert points(outcome) == [pytest.approx((2.0, 3.0)), pytest.approx((3.0, 2.0))]
    assert outcome.caveat is None


@pytest.mark.parametrize(
    ("texts", "why"),
    [(["x + y = a", "2*x + 2*y = 2*a"], "are dependent"), (["x + y = a", "x + y = 2*a"], "contradict")],
)
def test_a_singular_system_is_said_to_be_so(texts, why):
    outcome = solved(texts, "xy", {"a": 3.0})
    assert (outcome.solutions, outcome.singular) == ((), True)
    assert why in outcome.reason


@pytest.mark.thorough
def test_what_only_a_numerical_search_found_is_not_called_proved():
    texts = ["exp(x) + y*z = a", "x*exp(y) + z = b", "x + y*exp(z) = c"]
    x, y, z = 0.5, 0.7, 0.9
    known = {"a": math.exp(x) + y * z, "b": x * math.exp(y) + z, "c": x + y * math.exp(z)}
    outcome = solved(texts, "xyz", known, REAL)
    assert any(found == pytest.approx((x, y, z)) for found in points(outcome))
    assert outcome.caveat.kind == "unproved"
    positive = solved(texts, "xyz", known)  # where the equations themselves bound all unknowns
    assert any(found == pytest.approx((x, y, z)) for found in points(positive))
    assert positive.caveat is None
    assert all("proved by interval Newton" in solution.proof for solution in positive.solutions)


def test_the_other_unknowns_are_written_by_the_one_taken_as_known():
    equations = [parse_equation("y = 2*x"), parse_equation("z = y + x"), parse_equation("z*y = a")]
    (branch,) = expressed(equations, ["x", "y", "z"], "x")
    assert {name: value(form, {"x": 1.5, "y": 3.0}) for name, form in branch.forms.items()} == {"y": 3.0, "z": 4.5}
    assert value(branch.left[0].lhs, {"x": 1.5}) == pytest.approx(13.5)


@pytest.mark.parametrize(
    ("op", "gap", "expected"),
    [
        ("=", 1e-10, True),
        ("=", 1e-8, False),
        ("<=", -0.5, True),
        ("<=", 0.1, False),
        (">=", 0.5, True),
        (">=", -0.1, False),
    ],
)
def test_a_relation_agrees_within_a_share_of_its_terms(op, gap, expected):
    assert agrees(parse_equation(f"a {op} b"), {"a": 1.0 + gap, "b": 1.0}) is expected


def test_an_interval_without_end_does_not_swallow_another():
    outcome = solved(["a = x*max(y, b)", "2*a = 2*x*max(y, b)"], "xy", {"a": 6.0, "b": 3.0})
    spans = [solution.spans["y"] for solution in outcome.solutions]
    assert sorted(spans) == [pytest.approx((0, 3)), pytest.approx((3, math.inf))]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["x*(y - 1) = y - 1", "x**2 + y**2 = 5"], [(-2, 1), (1, -2), (1, 2), (2, 1)]),
        (["x*y = y", "x + y = 3"], [(1, 2), (3, 0)]),
        (["a*x*y = b", "sqrt(x**2 + y**2) + y = 2*a"], [(-2, 0), (0, 1), (2, 0)]),
        (["m*x + y = 5*a", "m*(3 - x)*(3 + x) = (y + 1)*(y - 1)"], [(1 / 3, 13 / 3), (3, -1)]),
    ],
)
def test_what_solves_a_system_with_a_divisor_zero_is_not_lost(texts, expected):
    known = {"a": 1.0, "b": 0.0, "m": 2.0}
    outcome = solved(texts, "xy", known, REAL)
    found = sorted((s.values["x"], s.values["y"]) for s in outcome.solutions)
    assert found == [pytest.approx(pair, abs=1e-9) for pair in expected] or outcome.caveat


def test_a_system_that_leaves_an_unknown_open_where_a_divisor_is_zero_says_so():
    found = solved(["x*y = y", "x*y**2 = 4*y*x"], "xy", {}, REAL).solutions
    assert (-math.inf, math.inf) in [solution.spans.get("x") for solution in found]


@given(st.floats(0.2, 3), st.floats(0.2, 3))
def test_every_way_in_which_products_agree_is_a_solution(at, total):
    """`x` is 0 or `y` is `exp(z)`, and `y` is 0 or `z` is `b`: all but `y = exp(z) = 0` are possible."""
    known = {"b": at, "c": at + total + math.exp(at)}
    expected = [(0, 0, known["c"]), (0, known["c"] - at, at), (total, math.exp(at), at)]
    outcome = solved(["x*exp(z) = x*y", "y*z = y*b", "x + y + z = c"], "xyz", known, REAL)
    assert points(outcome) == [pytest.approx(point, abs=1e-9) for point in expected]
    assert not outcome.caveat


EIGHTHS = st.integers(-24, 24).map(lambda eighths: Fraction(eighths, 8))


@given(EIGHTHS, EIGHTHS)
def test_the_common_zeros_of_polynomials_with_exact_givens_are_all_listed(x, y):
    """With `s = x + y` and `x*y = s**2 - a`, the second relation is a cubic in `s`."""
    a, b = x**2 + x * y + y**2, x**3 + y**3 + x * y
    sums = [root.real for root in numpy.roots([-2, 1, 3 * float(a), -float(a + b)]) if abs(root.imag) < 1e-6]
    squares = [4 * float(a) - 3 * total**2 for total in sums]  # of the difference of x and y
    apart = [abs(one - other) for one in sums for other in sums if one is not other]
    assume(min(map(abs, (*squares, *apart))) > 1e-3 and x != y)
    pairs = [(total, math.sqrt(square)) for total, square in zip(sums, squares, strict=True) if square > 0]
    expected = [((total + sign * root) / 2, (total - sign * root) / 2) for total, root in pairs for sign in (1, -1)]
    texts = ["x**2 + x*y + y**2 = a", "x**3 + y**3 + x*y = b"]
    outcome = solved(texts, "xy", {"a": Rational(a), "b": Rational(b)}, REAL)
    assert points(outcome) == [pytest.approx(point, abs=1e-6) for point in sorted(expected)]
    assert not outcome.caveat


@given(EIGHTHS, EIGHTHS)
def test_that_polynomials_with_exact_givens_have_no_common_zero_is_known(size, level):
    """`x**4 + x*y + y**4` is nowhere below -1/8."""
    known = {"a": Rational(abs(size) + 1), "b": Rational(level)}
    outcome = solved(["x**4 + x*y + y**4 = -a", "x**3 + y**3 + x*y = b"], "xy", known, REAL)
    assert not outcome.solutions
    assert not outcome.undecided


def test_a_value_at_the_end_of_its_domain_is_not_refused_for_being_rounded():
    domain = Domain("0..0.3", 0.0, 0.3)
    (solution,) = solved(["x + y = s", "3*x + 7*y = t"], "xy", {"s": 0.1 + 0.2, "t": 0.9}, domain).solutions
    assert solution.values == {"x": 0.3, "y": 0.0}


@pytest.mark.thorough
def test_a_root_at_zero_is_a_value_and_no_interval():
    nonnegative = Domain("nonnegative", 0.0, math.inf)
    (solution,) = solved(["exp(x) + y = a", "x + exp(y) = a"], "xy", {"a": 1.0}, nonnegative).solutions
    assert solution.values == pytest.approx({"x": 0.0, "y": 0.0})


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("y = exp(x) - 1", {"y": 1e-20}, [1e-20]),
        ("y = (1 + x)**n - 1", {"y": 1e-14, "n": 12.0}, [1e-14 / 12]),
        ("y = (1 + a)**x - 1", {"y": 1e-14, "a": 1e-16}, [100.0]),
        ("y = sqrt(x**2 + a**2) - a", {"y": 1e-12, "a": 1e8}, [math.sqrt(2e-4)]),
        ("y = 1/sqrt(1 - x**2) - 1", {"y": 1e-20}, [math.sqrt(2e-20)]),
        ("y = 1 - cos(x)", {"y": 1e-20}, [math.sqrt(2e-20), math.tau - math.sqrt(2e-20)]),
    ],
)
def test_a_closed_form_in_which_digits_cancel_is_worked_out_with_more_of_them(text, known, expected):
    found = [solution.values["x"] for solution in solved(text, "x", known).solutions]
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("y = (x - a)**n", {"y": 4.0, "a": 5.0, "n": 2.0}, [3.0, 7.0]),
        ("y = (x - a)**n", {"y": -8.0, "a": 5.0, "n": 3.0}, [3.0]),
        ("y = (x - a)**n", {"y": 4.0, "a": 5.0, "n": 2.5}, [5 + 4**0.4]),
        ("y = log(x)**n", {"y": 1.0, "n": 2.0}, [1 / math.e, math.e]),
    ],
)
def test_a_power_whose_exponent_is_a_quantity_has_the_roots_of_a_negative_base(text, known, expected):
    found = sorted(solution.values["x"] for solution in solved(text, "x", known).solutions)
    assert found == pytest.approx(expected)


def test_a_number_below_zero_that_cancels_is_an_interval_too():
    (solution,) = solved("1 = (a + x if x < 2.83*x else 1)", "x", {"a": 9.0}, REAL).solutions
    assert solution.spans["x"] == (-math.inf, 0.0)
    (solution,) = solved("y = tanh(x)", "x", {"y": -1 + 1e-15}, REAL).solutions
    assert solution.values["x"] == pytest.approx(math.atanh(-1 + 1e-15))


def test_a_choice_among_the_givens_does_not_trip_a_search():
    text = "max(x - 2, tanh(b))/((3 if b < a else c) - 1) = x + y"
    known = {"b": 2.0, "a": 0.97, "y": -0.6712542574781901, "c": 3.33}
    (solution,) = solved(text, "x", known, Domain("nonnegative", 0.0, math.inf)).solutions
    assert solution.values["x"] == pytest.approx(1.085)


def test_a_solution_has_all_the_digits_of_the_arm_it_lies_on():
    y, z = 0.603, 4.936
    known = {"a": math.log(1 + z), "b": y**2, "c": 0.4}
    texts = ["a*c = min(x, 2*y)", "b = (z if z < y else y**2)", "x = c*log(1 + z)"]
    assert points(solved(texts, "xyz", known)) == [pytest.approx((0.4 * known["a"], y, z), rel=1e-15)]


@pytest.mark.parametrize("scale", [1e-7, 0.01, 1.0, 100.0, 3e5])
def test_an_interval_from_tie_to_tie_is_found_wherever_it_lies(scale):
    texts = ["a = k*min(y, 2*x)", "b = k*max(y, x)*z", "z = y + c"]
    known = {"k": scale, "a": 3.1 * scale, "b": 3.1 * 13.1 * scale, "c": 10.0}
    (solution,) = solved(texts, "xyz", known).solutions
    assert solution.values == pytest.approx({"y": 3.1, "z": 13.1})
    assert solution.spans["x"] == pytest.approx((1.55, 3.1))


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_what_moves_along_an_interval_has_bounds_of_its_own(order):
    texts = ["a = 2*x/(x + y)", "x = max(a, y)"][order]  # where x is y, a is 1 whatever they are
    (solution,) = solved(texts, "xy", {"a": 1.0}).solutions
    assert solution.spans == {"x": pytest.approx((1, math.inf)), "y": pytest.approx((1, math.inf))}


NONNEGATIVE = Domain("nonnegative", 0.0, math.inf)


@pytest.mark.parametrize("speed", [0.7, 1.1, 2.0, 3.0, 1 / 3, 1e-9, 299792.458])
def test_the_collision_that_does_not_happen_leaves_exactly_nothing(speed):
    texts = ["m*u = m*v + 3*m*w", "m*u**2 = m*v**2 + 3*m*w**2"]  # v and w are u and 0, or -u/2 and u/2
    hit = pytest.approx({"v": -speed / 2, "w": speed / 2})
    for domain, expected in ((REAL, [hit, {"v": pytest.approx(speed), "w": 0.0}]), (POSITIVE, [hit])):
        equations = [parse_equation(text) for text in texts]
        found = solve_block(equations, ["v", "w"], {"m": 1.3, "u": speed}, {"v": REAL, "w": domain})
        assert sorted((dict(s.values) for s in found.solutions), key=lambda one: one["v"]) == expected


@pytest.mark.parametrize("energy", [n / 7 for n in range(1, 12)])
def test_a_zero_is_told_from_the_rounding_of_the_givens(energy):
    texts = ["p = v + 3*w", "2*h = v**2 + 3*w**2"]
    known = {"p": math.sqrt(2 * energy), "h": energy}
    found = sorted(s.values["w"] for s in solved(texts, "vw", known, REAL).solutions)
    assert found == [0.0, pytest.approx(known["p"] / 2)]


@pytest.mark.parametrize(
    ("texts", "known", "expected"),
    [
        (["x = a - b"], {"a": 0.1 + 0.2, "b": 0.3}, 0.0),
        (["x + a = b + x**2*a"], {"a": 0.1 + 0.2, "b": 0.3}, 0.0),
        (["x + y = a", "y - x = b"], {"a": 0.1 + 0.2, "b": 0.3}, 0.0),
        (["x = a - b"], {"a": 1 + 1e-14, "b": 1.0}, (1 + 1e-14) - 1),
        (["y = exp(x) - 1", "y = a*b"], {"a": 1e-10, "b": 1e-10}, 1e-20),
        (["x + y = 1", "x*y = d"], {"d": 1e-18}, 1e-18),
        (["x + y = 3*d", "x*y = 2*d**2"], {"d": 1e-20}, 1e-20),
        (["exp(x)*x**2 = d*x"], {"d": 1e-20}, 1e-20),
    ],
)
def test_what_only_rounding_keeps_from_zero_is_zero_and_what_is_merely_small_is_not(texts, known, expected):
    unknowns = "xy"[: len(texts)]
    for domain in (NONNEGATIVE, POSITIVE):
        found = [solution.values["x"] for solution in solved(texts, unknowns, known, domain).solutions]
        assert (pytest.approx(expected, rel=1e-9, abs=0) in found) is (expected in domain)


def test_a_value_that_would_be_zero_is_named():
    assert solved("x = a - b", "x", {"a": 0.1 + 0.2, "b": 0.3}).reason == "it would have to be 0"
    assert solved(["x + y = a", "x - y = b"], "xy", {"a": 0.1 + 0.2, "b": 0.3}).reason == "y would be 0"


@pytest.mark.parametrize(
    "texts", [["x = a*max(b*min(c, 2*x), c)"], ["x = a*max(y, c)", "y = b*min(c, 2*x)"]], ids=["alone", "together"]
)
def test_an_arm_that_cancels_but_for_rounding_leaves_an_interval(texts):
    # between c*a and c/2 both sides are x, once 2*a*b is 1; and as near to 1 as doubles come, they are so to 16 digits
    for a, b, c in [(0.25, 2.0, 1.0), (0.045087265675500976, 11.089605734767023, 0.976)]:
        (found,) = solved(texts, "xy"[: len(texts)], {"a": a, "b": b, "c": c}, POSITIVE).solutions
        assert found.spans["x"] == pytest.approx((c * a, c / 2), rel=1e-8)


@given(SIZES, SIZES, SIZES, SIZES)
def test_an_arm_that_cancels_but_for_two_roundings_leaves_an_interval_too(a, d, size, offset):
    """Where `x` is above `c`, the sides are equal but for the rounding of `b` and of `e`."""
    known = {"a": a, "b": 1 / (2 * a), "d": d, "e": 1 / d, "c": size, "o": offset}
    (found,) = solved("max(x, c) + o = 2*a*b*x + o*d*e", "x", known).solutions
    assert found.spans["x"] == pytest.approx((size, math.inf), rel=1e-8)


@pytest.mark.parametrize(
    "texts",
    [["{op}(p*(x + c), q*(x + c)) = v"], ["y = {op}(p*(x + c), q*(x + c))", "y + x = v + root"]],
    ids=["alone", "together"],
)
@given(SIZES, SIZES, SIZES, st.sampled_from(["min", "max"]), st.sampled_from([0.0, 1e-18, -1e-15, 1e-12, -1e-9, 1e-6]))
@example(p=1.0, q=2.0, c=1.0, op="min", share=-1e-15)  # two points of which each holds to the last digit
def test_a_root_at_zero_or_near_it_is_a_value_and_no_interval(texts, p, q, c, op, share):
    """Whatever stands beside a negligible unknown, everything seems to hold around it."""
    root = share * c
    known = {"p": p, "q": q, "c": c, "root": root, "v": (min if op == "min" else max)(p * (root + c), q * (root + c))}
    (found,) = solved([text.format(op=op) for text in texts], "xy"[: len(texts)], known, REAL).solutions
    assert not found.spans
    assert found.values["x"] == pytest.approx(root, abs=1e-12 * c * max(1, p, q))


@given(SIZES, SIZES, SIZES)
def test_an_arm_that_leaves_its_unknown_no_value_is_no_solution_and_no_doubt(a, b, c):
    """A time that is zero cannot be the longest, whatever else the system asks of it."""
    texts = ["t = max(a*x, none)", "u = t*x + exp(t) - 1", "u = y"]
    y = a * c * c + math.expm1(a * c)
    outcome = solved(texts, "tux", {"a": a, "b": b, "none": 0.0, "y": y})
    assert [one.values["x"] for one in outcome.solutions] == [pytest.approx(c)]
    assert not outcome.caveat


@given(SIZES, SIZES, st.floats(0.1, 0.9))
def test_a_divisor_that_is_zero_leaves_an_equation_undefined_and_hides_no_solution(a, b, share):
    within = Domain("0..1", 0.0, 1.0)
    texts = ["y = 1/(s*r)", "s = max(a*r, b)", "r = q*c"]
    speed = max(a * share, b)
    domains = {"s": POSITIVE, "r": within, "q": POSITIVE}
    known = {"a": a, "b": b, "c": 0.5, "y": 1 / (speed * share)}
    outcome = solve_block([parse_equation(text) for text in texts], ["s", "r", "q"], known, domains)
    assert [one.values["r"] for one in outcome.solutions] == [pytest.approx(share)]
    assert not outcome.caveat


@given(st.floats(0.2, 5), st.floats(0.2, 5))
def test_two_roots_that_only_rounding_keeps_apart_are_one(at, slope):
    known = {"s": 2 * at * slope, "h": at * at * slope, "c": slope}
    for text in ("c*x**2 - s*x + h = 0", "c*x**2 = s*x - h", "c*x + h/x = s"):
        (found,) = solved(text, "x", known).solutions
        assert found.values["x"] == pytest.approx(at, rel=1e-7)


@given(st.floats(0.2, 5), st.integers(-9, 9).map(lambda power: 10.0**power), st.integers(1, 9))
def test_a_root_at_the_edge_of_a_square_root_is_found_or_not_called_absent(at, size, count):
    """Between two doubles the sides end, and still differ by the root of their rounding."""
    outcome = solved(f"sqrt(x/s - {count}) = x/s - {count}", "x", {"s": at * size}, REAL)
    found = [one.values["x"] / (at * size) for one in outcome.solutions]
    assert found[-1] == pytest.approx(count + 1)
    assert outcome.caveat or found == pytest.approx([count, count + 1])


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("arm", ["1/x", "1/sqrt(x)", "-log(x)", "1/x**3"])
@given(st.floats(0.1, 50))
def test_an_interval_beside_a_pole_at_zero_begins_at_zero(arm, sign, least):
    text = f"min({arm.replace('x', '(sign*x)')}, y) = y"
    (found,) = solved(text, "x", {"y": least, "sign": float(sign)}, REAL).solutions
    ends = {"1/x": 1 / least, "1/sqrt(x)": least**-2, "-log(x)": math.exp(-least), "1/x**3": least ** (-1 / 3)}
    assert sorted(map(abs, found.spans["x"])) == pytest.approx([0, ends[arm]], rel=1e-6)


@given(SIZES, SIZES, st.sampled_from([0.0, 1.0, -3.0]))
def test_an_interval_ends_where_the_sides_part_and_not_where_that_shows(y, slope, at):
    (found,) = solved("max(s*(x - t) - y, -y) = -y", "x", {"y": y, "s": slope, "t": at}, REAL).solutions
    assert found.spans["x"][0] == -math.inf
    assert abs(found.spans["x"][1] - at) <= 1e-14


def test_products_of_given_numbers_may_be_beyond_doubles():
    pair = [parse_equation("a*x + y/a = 1"), parse_equation("x + a*y = 2")]
    found = combined(pair, {"a": 1e200})
    assert found is not None
    assert not found.contradict


NONNEGATIVE = Domain("nonnegative", 0.0, math.inf)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("zero", ["w = 0*n", "w = 0", "w = 3 if n > 9 else 0"])
@examples(16, ordinary=10)
@given(size=SIZES, share=st.floats(1.1, 3))
def test_where_an_arm_is_zero_what_is_the_same_along_an_interval_has_its_value(zero, size, share):
    """Of `max(m, w)` the arm `w` leaves nothing a value, since `m` is positive: `s` is 1 wherever the rest holds."""
    texts = ["t = max(m, w)", "m = c/n", "s = m/t", "u = w/t", "f = 1/max(s/k, u)", zero]
    unknowns = ["t", "m", "n", "s", "u", "w"]
    domains = {name: NONNEGATIVE if name in "uw" else POSITIVE for name in unknowns}
    known = {"c": size, "k": share, "f": share}
    outcome = solve_block([parse_equation(text) for text in texts], unknowns, known, domains)
    assert not outcome.caveat
    assert all(one.values["s"] == pytest.approx(1) for one in outcome.solutions)
    for number in (0.5, 3, 8.9, 200.0):
        waits = 3.0 if zero.endswith("else 0") and number > 9 else 0.0
        fits = waits / (size / number) <= 1 / share
        assert any(one.spans["n"][0] <= number <= one.spans["n"][1] for one in outcome.solutions) == fits


AT_ZERO = [
    (["w**3 + w = 0", "w*y*exp(y) = 2 + w", "x + y*w = 3*y + x**3"], "wxy"),
    (["w**3 + w = 0", "v**3 + v = w*y*exp(x)", "v*sin(y) = 2 + w*x", "x + y*w = 3*y + x**3"], "vwxy"),
    (["z*y*exp(y) = 2 + sin(w*z)", "x + y*w = 3*y + x**3", "w*x*exp(y) = x + 3*sin(w)"], "wxy"),
    (["v**3 + v = z*y*exp(x)", "v*sin(y) = 2 + z*x", "x + y*z = 3*y + x**3"], "vxy"),
]


@pytest.mark.parametrize(("texts", "unknowns"), AT_ZERO)
def test_what_zeros_leave_of_an_equation_is_false_without_a_search(texts, unknowns):
    """`w*y*exp(y) = 2 + w` is `0 = 2` where `w` is 0, whatever the other equations are."""
    outcome = solved(texts, unknowns, {"z": 0.0}, REAL)
    assert not outcome.solutions
    assert not outcome.undecided
    assert not outcome.caveat
    assert " is not " in outcome.reason


@given(number=st.floats(-5, 5), product=st.floats(0.2, 5))
def test_a_zero_in_a_sum_leaves_the_rest_of_the_sum(number, product):
    assume(abs(number) > 0.1)
    outcome = solved(["c = z*x + y", "x*y = p"], "xy", {"z": 0.0, "c": number, "p": product}, REAL)
    assert points(outcome) == [pytest.approx((product / number, number))]


def test_of_two_values_one_of_which_is_zero_the_other_is_kept():
    assert points(solved(["x**2 = x", "y*x = 1"], "xy", {}, REAL)) == [(1.0, 1.0)]


@pytest.mark.long
@pytest.mark.parametrize("level", ["x*(sin(x) + sin(sqrt(2)*x) - h) = 0", "sin(x) + sin(sqrt(2)*x) = h"])
def test_a_root_that_may_lie_where_none_was_sought_is_not_denied(level):
    """Two waves that never repeat together come as close to 2 as one wants, far out."""
    far = next(x for x in (math.pi / 2 + 2 * math.pi * i for i in range(1000)) if math.sin(math.sqrt(2) * x) > 0.99999)
    high = math.sin(far) + math.sin(math.sqrt(2) * far)
    outcome = solved([level, "y*x = 1"], "xy", {"h": high}, REAL)
    assert outcome.undecided or outcome.caveat


@pytest.mark.ordinary(18)
@pytest.mark.parametrize("function", ["atan", "erf", "tanh", "log", "sqrt", "sinh", "asinh", "exp"])
@pytest.mark.parametrize("level", ["3/10", "7/3", "0.4"])
@pytest.mark.parametrize(
    "second",
    ["y*max(x, {0}) = {1}({0})*{0}", "y + max(x, {0}) = {1}({0}) + {0}", "{0}*y - max(x, {0}) = {0}*{1}({0}) - {0}"],
)
def test_a_pair_that_is_open_up_to_the_level_of_a_maximum_is_so_exactly_to_there(function, level, second):
    """Along the arm without x both relations are the same but for a factor, whose irrational constant is rounded."""
    pair = [f"y = {function}(max(x, {level}))", second.format(level, function)]
    outcome = solved(pair, "xy", {}, Domain("real", -50.0, 50.0))
    spans = [solution.spans["x"] for solution in outcome.solutions if solution.spans]
    assert spans == [(-50.0, float(Fraction(level)))]


@every("seed", range(120), ordinary=8)
def test_two_roots_of_a_system_of_polynomials_are_two_beyond_a_billionth(seed):
    draw = random.Random(f"near roots {seed}")
    first = Fraction(draw.randint(1, 99), 10)
    second = first * (1 + Fraction(draw.randint(11, 99), 10 ** draw.randint(7, 10)))
    asked = bare("x y p q", "x + y = p", draw.choice(("x*y = q", "p*x - x*x = q")), domains={"x": "real", "y": "real"})
    answers = asked.solve_all("x", p=decimal(first + second), q=decimal(first * second))
    assert numbers(answers) == pytest.approx([float(first), float(second)], rel=1e-12)
