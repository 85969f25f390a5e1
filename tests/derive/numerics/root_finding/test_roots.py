"""All roots of one equation in one unknown: built from known roots, none may be missed where the search says so."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy
import pytest
from hypothesis import HealthCheck, assume, example, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.tree import Apply, Equation, Name, Number
from derive.numerics.algebra.evaluation import value
from derive.numerics.root_finding.residual import OneUnknown
from derive.numerics.root_finding.roots import roots_of
from derive.numerics.root_finding.univariate_branch_and_prune import one_turn
from quantities.domain import Domain
from tests.derive.draws import expressions
from tests.ordinary import every, examples

POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
NONNEGATIVE = Domain("nonnegative", 0.0, math.inf)
REAL = Domain("real", -math.inf, math.inf)


def interval(low, high):
    return Domain(f"{low}..{high}", low, high)


def roots(text, domain=POSITIVE, /, **known):
    return roots_of(OneUnknown(parse_equation(text), "x", known, domain))


def approx(*numbers):
    return pytest.approx(numbers, rel=1e-7, abs=1e-12)


WHOLE = st.lists(st.integers(-6, 6), min_size=1, max_size=4, unique=True).map(sorted)


@pytest.mark.parametrize("wanted", [(0.0, 0.7), (0.3, 0.7), (0.1, 1.1, 1.9)])
def test_a_product_that_is_zero_has_the_roots_of_its_factors(wanted):
    factors = "*".join(f"(x/s - r{i})" for i in range(len(wanted)))
    solutions = roots(f"{factors} = 0*s", NONNEGATIVE, **{f"r{i}": root for i, root in enumerate(wanted)}, s=100.0)
    assert solutions.values == pytest.approx([100 * root for root in wanted])


@examples(40)
@given(st.lists(st.integers(1, 30), min_size=3, max_size=3, unique=True).map(sorted))
def test_an_expanded_cubic_has_the_roots_that_numpy_gives_it(wanted):
    _, b, c, d = numpy.poly(wanted)
    solutions = roots("x**3 + c*x = b*x**2 + d", POSITIVE, b=-b, c=c, d=-d)
    assert solutions.values == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("domain", [POSITIVE, NONNEGATIVE, REAL], ids=lambda domain: domain.text)
@pytest.mark.parametrize("text", ["p*sqrt(x) + q*sqrt(k - x) = r", "p*sqrt(x/k) + q*sqrt(1 - x/k) = r/sqrt(k)"])
@given(p=st.integers(1, 9), q=st.integers(1, 9), size=st.integers(1, 9), is_low=st.booleans())
def test_a_root_where_a_square_root_begins_or_ends_is_found_and_no_other_is_missing(text, domain, p, q, size, is_low):
    """In the roots of x and k - x the equation is a line that meets a circle on an axis, and again or not."""
    height = size * (q if is_low else p)
    solutions = roots(text, domain, p=float(p), q=float(q), k=float(size**2), r=float(height))
    end = 0 if is_low else size
    other = 2 * p * height / (p**2 + q**2) - end
    is_met = other >= 0 and height >= p * other
    expected = {float(end**2), *([other**2] if is_met else [])}
    assert solutions.values == pytest.approx(sorted(x for x in expected if x in domain), rel=1e-9, abs=0)
    assert solutions.proved
    assert solutions.clear


@given(st.integers(3, 99), st.integers(1, 9))
def test_a_root_between_two_doubles_where_a_square_root_ends_is_found_or_may_be_missing(factor, height):
    """The sides differ by 1e-8 at the double nearest to it; the square root is zero there, or one."""
    solutions = roots(f"{factor}*x + sqrt({height} - {factor}*x) = {height}", REAL)
    expected = [(height - 1) / factor, height / factor]
    assert solutions.values == pytest.approx(expected, rel=1e-9, abs=0) or not solutions.proved


@example(at=0.4180365314536967, steps=22, form="exp({0})")
@example(at=0.4180365314536967, steps=22, form="sinh({0})")
@example(at=1.672807829780668, steps=6, form="sinh({0})")
@given(st.floats(0.1, 9), st.integers(1, 30), st.sampled_from(["exp({0})", "sinh({0})", "({0}**3 + {0})"]))
def test_a_root_some_doubles_before_a_jump_is_found_or_may_be_missing(at, steps, form):
    root = at - steps * math.ulp(at)
    text = f"({form.format('x')} - {form.format('k')} if x < j else x + 5) = 0*j"
    solutions = roots(text, REAL, j=at, k=root)
    assert solutions.values == (pytest.approx(root, rel=1e-9),) or not solutions.proved


@examples(6)
@given(st.integers(1, 40).map(lambda n: n / 4), st.integers(41, 80).map(lambda n: n / 4))
def test_a_double_root_is_not_passed_over(double, single):
    _, b, c, d = numpy.poly([double, double, single])
    solutions = roots("x**3 + c*x = b*x**2 + d", POSITIVE, b=-b, c=c, d=-d)
    assert solutions.values == pytest.approx((double, single), rel=1e-4) or not solutions.proved


MONOTONE = [
    "x*exp(x)",
    "x + log(x)",
    "x**3 + x",
    "exp(x) + x",
    "sinh(x) + x**2",
    "x + tanh(x)",
    "x*sqrt(1 + x)",
    "x/(1 + exp(-x))",
    "x**1.7 + 3*x**0.4",
    "x + max(x, 2)",
    "x*log(1 + x)",
]


@pytest.mark.parametrize("text", MONOTONE)
@examples(12)
@given(st.floats(0.01, 40))
def test_a_rising_equation_has_one_root_and_that_is_proved(text, hidden):
    solutions = roots(f"{text} = k", POSITIVE, k=value(parse_expression(text), {"x": hidden}))
    assert solutions.values == approx(hidden)
    assert solutions.proved


@pytest.mark.parametrize(
    ("text", "domain", "known", "expected"),
    [
        ("exp(x) = k*x", POSITIVE, {"k": 4.0}, (0.35740295618138890306, 2.15329236411034964916)),
        ("x*exp(-x) = k", POSITIVE, {"k": 0.2}, (0.25917110181907374505, 2.54264135777352642430)),
        ("cos(x) = x", interval(0.0, 2.0), {}, (0.73908513321516064166,)),
        ("x**x = 2*k", POSITIVE, {"k": 1.0}, (1.55961046946236934997,)),
        ("x = 1 + 0.5*sin(x)", interval(0.0, 6.3), {}, (1.49870113351785,)),
        ("x**2 = 2**x*k", POSITIVE, {"k": 1.0}, (2.0, 4.0)),
        ("x**2 = 2**x*k", REAL, {"k": 1.0}, (-0.76666469596212309311, 2.0, 4.0)),
        ("log(x) = x/k", POSITIVE, {"k": 10.0}, (1.11832559158962964833, 35.7715206395729)),
        ("x + k/x = 2.5*k", POSITIVE, {"k": 1.0}, (0.5, 2.0)),
        ("x**3 = x*k", REAL, {"k": 4.0}, (-2.0, 0.0, 2.0)),
        ("x**3 = x*k", NONNEGATIVE, {"k": 4.0}, (0.0, 2.0)),
        ("x**3 = x*k", POSITIVE, {"k": 4.0}, (2.0,)),
        ("x**2 = x*k", POSITIVE, {"k": 1e-25}, (1e-25,)),
        ("x**2 + x = k", POSITIVE, {"k": 1e40}, (1e20,)),
        ("abs(x - 3) + x**2 = k", REAL, {"k": 9.0}, (-2.0, 3.0)),
    ],
)
def test_transcendental_equations_have_the_roots_of_the_tables(text, domain, known, expected):
    assert roots(text, domain, **known).values == pytest.approx(expected, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("x + 1/x = 1.9*k", POSITIVE),
        ("x**2 + 1 = 0.5*k*x", REAL),
        ("exp(x) = x*k", POSITIVE),
        ("x**4 + x + k = 0", POSITIVE),
        ("cosh(x) = 0.5*k", REAL),
        ("x*exp(x) = 5*k", interval(2.0, 3.0)),
        ("max(x, 3) + x**2 = k", POSITIVE),
        ("1/(x*x) + x**3 + x**2 = 0*k", POSITIVE),
    ],
)
def test_that_there_is_none_is_proved(text, domain):
    solutions = roots(text, domain, k=1.0)
    assert (solutions.values, solutions.plateaus, solutions.proved) == ((), (), True)


@pytest.mark.parametrize("text", ["1/(x - a) = 0*a", "x/(x - a)**2 = -k", "(x if x < a else x + 1) = a + k"])
def test_a_pole_or_a_jump_through_zero_is_no_root(text):
    assert roots(text, POSITIVE, a=2.0, k=0.5).values == ()


@pytest.mark.parametrize("text", ["x = x + k", "x + k = x + 3*k", "(x + k)/k = x/k"])
@pytest.mark.parametrize("domain", [POSITIVE, REAL], ids=lambda d: d.text)
def test_a_difference_that_rounding_swallows_is_no_root(text, domain):
    assert roots(text, domain, k=1.0).values == ()


@pytest.mark.parametrize(
    ("text", "domain", "low", "high"),
    [
        ("max(x, a) = a", POSITIVE, 0.0, 5.0),
        ("max(x, a) = a", REAL, -math.inf, 5.0),
        ("min(x, a) = a", POSITIVE, 5.0, math.inf),
        ("floor(x) = a - 2", POSITIVE, 3.0, 4.0),
        ("ceil(x/10) = a", POSITIVE, 40.0, 50.0),
        ("x + a = a + x", POSITIVE, 0.0, math.inf),
        ("max(x, a) + max(x, 2*a) = 3*a", POSITIVE, 0.0, 5.0),
        ("(a if x < 7 else x) = a", interval(1.0, 20.0), 1.0, 7.0),
    ],
)
def test_where_the_unknown_cancels_there_is_an_interval(text, domain, low, high):
    solutions = roots(text, domain, a=5.0)
    assert len(solutions.plateaus) == 1
    assert solutions.plateaus[0] == pytest.approx((low, high), rel=1e-9, abs=1e-12)
    assert solutions.values == ()


@pytest.mark.parametrize("rate", [0.01, 1.0, 377.0])
@pytest.mark.parametrize(
    ("op", "share", "angles"),
    [
        ("sin", 0.5, (math.pi / 6, 5 * math.pi / 6)),
        ("cos", 0.5, (math.pi / 3, 5 * math.pi / 3)),
        ("sin", -0.5, (7 * math.pi / 6, 11 * math.pi / 6)),
    ],
)
def test_an_angle_without_an_interval_is_sought_in_one_turn(rate, op, share, angles):
    solutions = roots(f"{op}(w*x) + x - x = k", POSITIVE, w=rate, k=share)
    assert solutions.turn
    assert solutions.sought == pytest.approx((0.0, math.tau / rate), abs=1e-9)
    assert [x * rate for x in solutions.values] == approx(*angles)
    both = roots(f"{op}(w*x) + x - x = k", REAL, w=rate, k=share)
    assert both.sought == pytest.approx((-math.pi / rate, math.pi / rate))
    assert [x * rate for x in both.values] == approx(*sorted(math.remainder(angle, math.tau) for angle in angles))


def test_an_angle_with_an_interval_is_sought_in_all_of_it():
    solutions = roots("sin(x) + 0*k*x = 0.5*k", interval(0.0, 20.0), k=1.0)
    turns = [math.pi / 6, 5 * math.pi / 6]
    assert not solutions.turn
    assert solutions.values == approx(
        *(angle + math.tau * i for i in range(4) for angle in turns if i < 3 or angle < 1)
    )
    assert one_turn(parse_equation("sin(x) = k"), "x", {"k": 0.5}, interval(0.0, 20.0)) is None


DOMAINS = st.sampled_from([REAL, POSITIVE, NONNEGATIVE, interval(-205.0, 305.0), interval(0.0, 305.0)])
TAMED = st.floats(-200, 300, allow_subnormal=False).map(lambda x: round(x, 3)).filter(lambda x: not 0 < abs(x) < 0.01)


def spread(wanted):
    return all(b - a > 1e-2 * max(abs(a), abs(b)) for a, b in itertools.pairwise(wanted))


@examples(60)
@given(st.lists(TAMED, min_size=1, max_size=5, unique=True).map(sorted).filter(spread), DOMAINS)
def test_a_polynomial_made_of_known_roots_has_those_in_its_domain_and_no_others(wanted, domain):
    coefficients = [float(c) for c in numpy.poly(wanted)]
    names = [f"c{i}" for i in range(len(coefficients))]
    text = " + ".join(f"{name}*x**{len(names) - 1 - i}" for i, name in enumerate(names))
    solutions = roots(f"{text} = 0*c0", domain, **dict(zip(names, coefficients, strict=True)))
    assert solutions.proved
    assert solutions.values == pytest.approx([root for root in wanted if root in domain], rel=1e-6, abs=1e-9)


@examples(60)
@given(st.lists(TAMED, min_size=1, max_size=4, unique=True).map(sorted).filter(spread), DOMAINS)
def test_a_product_of_rising_functions_has_the_roots_of_each_and_no_others(wanted, domain):
    shapes = ("(x - r{i})", "(exp(x/300) - exp(r{i}/300))", "(x**3 - r{i}**3)", "(atan(x/99) - atan(r{i}/99))")
    text = "*".join(shapes[i % len(shapes)].format(i=i) for i in range(len(wanted)))
    solutions = roots(f"{text} = 0*r0", domain, **{f"r{i}": root for i, root in enumerate(wanted)})
    expected = [root for root in wanted if root in domain]
    assert solutions.values == pytest.approx(expected, rel=1e-6, abs=1e-9)


@examples(150, suppress_health_check=list(HealthCheck))
@given(expressions(), st.floats(0.05, 50), st.sampled_from([0.4, 1.0, 3.0]))
def test_a_proof_is_never_given_where_a_known_root_is_missed(text, hidden, y):
    tree = parse_expression(text)
    level, aside = (value(tree, {"x": x, "y": y}) for x in (hidden, hidden * (1 + 1e-6)))
    assume(level == level and 1e-100 < abs(level) < 1e100 and abs(aside - level) > 1e-9 * abs(level))
    solutions = roots_of(OneUnknown(Equation(tree, "=", Name("k")), "x", {"k": level, "y": y}, POSITIVE))
    near = any(abs(x - hidden) <= 1e-6 * hidden for x in solutions.values)
    inside = any(low * (1 - 1e-9) <= hidden <= high * (1 + 1e-9) for low, high in solutions.plateaus)
    low, high = solutions.sought
    assert near or inside or not solutions.proved or not low <= hidden <= high


@pytest.mark.parametrize(
    ("text", "domain", "known", "expected"),
    [
        ("sqrt(x)**3 = exp(-sqrt(x)/4) + y", interval(-5, 5), {"y": 10.608569045857163}, 5.0),
        ("x**3 + x + a = y", NONNEGATIVE, {"a": 0.1 + 0.2, "y": 0.3}, 0.0),
        ("x + tanh(x) + a = y", NONNEGATIVE, {"a": 0.1 + 0.2, "y": 0.3}, 0.0),
        ("3.78*x + y = sqrt(x)", interval(0.5, 3), {"y": math.sqrt(3) - 3.78 * 3}, 3.0),
    ],
)
def test_a_root_at_the_end_of_its_domain_is_one_though_the_givens_are_rounded(text, domain, known, expected):
    assert roots(text, domain, **known).values == (expected,)


@pytest.mark.parametrize("text", ["x**1.5 + x + a = y", "x + tanh(x) + a = y", "x**2 + x + a = y"])
def test_a_root_close_to_the_end_of_its_domain_is_not_found_twice(text):
    assert len(roots(text, NONNEGATIVE, a=1e10, y=1e10 + 1.9e-6).values) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + sqrt(x**2 - 4) = -2", [-2.0]),
        ("x + sqrt(x**2 - 4) = 2", [2.0]),
        ("(x + 2)*exp(x) = 3*sqrt(x**2 - 4)*(x + 1)", [-2.0]),
    ],
)
def test_a_root_where_the_sides_end_is_found(text, expected):
    solutions = roots(text, interval(-4, 2.01))
    assert list(solutions.values) == pytest.approx(expected, abs=1e-12)


def test_two_roots_that_rounding_may_have_made_of_one_are_the_turning_point():
    assert roots("x*exp(-x) = y", y=0.367879441171442).values == pytest.approx((1.0,), rel=1e-12)


@pytest.mark.parametrize("text", ["log(x) - x + k = 0*k", "log(x) + k = x", "exp(x - 1) = k*x", "sqrt(x) = x/2 + k/2"])
def test_a_double_root_is_not_told_again_where_its_blur_ends(text):
    assert roots(text, k=1.0).values == pytest.approx((1.0,), rel=1e-12)


def test_a_proof_does_not_reach_beyond_the_sizes_that_were_searched():
    assert not roots("x*exp(-x) = y", y=1e-300).clear
    assert roots("x*exp(x) = y", y=1e-200).values == pytest.approx((1e-200,))
    assert roots("x*exp(-x) = y", y=0.1).clear


def test_angles_of_different_rates_are_sought_until_all_come_round():
    solutions = roots("sin(2*x) + cos(3*x) = c", c=1.9)
    assert solutions.values == pytest.approx((4.077975057925165, 4.1398073470422165), rel=1e-9)
    assert solutions.turn
    assert roots("sin(2*x) + cos(3*x) = c", c=2.5).recurs
    assert not roots("sin(x) + sin(1.41421356*x) = c", c=-1.9).recurs


def test_a_root_beyond_one_turn_is_found_where_nothing_repeats():
    solutions = roots("x*sin(x) = y", y=50.0)
    assert solutions.values
    assert all(x * math.sin(x) == pytest.approx(50) for x in solutions.values if x < 1e6)
    assert not solutions.proved
    assert not solutions.turn


def test_a_quotient_of_alike_is_seen_to_meet_nothing():
    solutions = roots("9 = 10*(6 - 5*0.9**x + 2*x)/max(x, 6 - 5*0.9**x + 2*x)")
    assert not solutions.values
    assert solutions.proved


def test_a_number_for_which_a_double_has_no_room_proves_nothing():
    beyond = Apply("mul", (Number(Fraction(10) ** 400), Apply("sin", (Name("x"),))))
    sides = Apply("add", (beyond, Apply("exp", (Name("x"),)))), "=", Name("x")
    solutions = roots_of(OneUnknown(Equation(*sides), "x", {}, Domain("real", -math.inf, math.inf)))
    assert (solutions.values, solutions.proved) == ((), False)


INF = math.inf
E2 = math.exp(2)

FOUND = [  # an equation at k = 1, where x may be, its roots, and the intervals on which it holds; all of it proved
    # steps and choices
    ("floor(x) = 2.5*k", REAL, (), ()),
    ("ceil(x) = 2*k", interval(0, 10), (), ((1, 2),)),
    ("floor(x)*x = 6*k", interval(-10, 10), (), ()),
    ("floor(x)*x = 6.3*k", interval(-10, 2.5), (-2.1,), ()),
    ("x - floor(x) = 0*k", interval(-3, 3), (-3, -2, -1, 0, 1, 2, 3), ()),
    ("x + floor(x)/1024 = 2*k", interval(0, 5), (2 - 1 / 1024,), ()),
    ("exp(x)*floor(x) = 0*k", interval(-2, 5), (), ((0, 1),)),
    ("exp(x)*ceil(x) = 2*exp(2)*k", interval(0, 9), (2,), ()),
    ("exp(x)*ceil(x) = 3*exp(2)*k", interval(0, 9), (), ()),
    ("exp(x)*floor(x) = 2*exp(2)*k", interval(0, 9), (2,), ()),
    ("exp(x)*floor(x) = exp(2)*k", interval(0, 9), (), ()),
    ("(x if x < 3 else x**2) = 3*k", interval(-10, 10), (), ()),
    ("(x if x <= 3 else x**2) = 3*k", interval(-10, 10), (3,), ()),
    ("(x if x < 3 else x + 1) = 3.5*k", REAL, (), ()),
    ("(x if x < 3 else x + 1) = 5*k", REAL, (4,), ()),
    ("(x**3 + x if x < 1 else x**3 + x + 1) = 3*k", REAL, (1,), ()),
    ("(x + exp(x) if x < 1 else x + exp(x) - 2) = 2*k", interval(-5, 5), (0.44285440100238858, 1.0737289375564991), ()),
    ("(exp(x) if x < 2 else exp(x) - 10) = exp(2)*k", interval(-4, 9), (math.log(E2 + 10),), ()),
    ("(exp(x) if x <= 2 else exp(x) - 10) = exp(2)*k", interval(-4, 9), (2, math.log(E2 + 10)), ()),
    ("(exp(x) if x < 2 else exp(x) - 10) = (exp(2) - 10)*k", interval(-4, 9), (2,), ()),
    ("(exp(x) - 10 if x < 2 else exp(x)) = exp(2)*k", interval(-4, 9), (2,), ()),
    ("(exp(x) - 10 if x <= 2 else exp(x)) = exp(2)*k", interval(-4, 9), (), ()),
    # stretches
    ("max(x, 0) = 0*k", REAL, (), ((-INF, 0),)),
    ("min(x, 0) = 0*k", REAL, (), ((0, INF),)),
    ("max(x, 0)*x = 0*k", interval(-5, 5), (), ((-5, 0),)),
    ("max(x, k) + max(x, 2*k) = 3*k", REAL, (), ((-INF, 1),)),
    ("abs(x - k) + abs(x - 3*k) = 2*k", REAL, (), ((1, 3),)),
    ("max(x - 2*k, 3*k - x, 0) = k/2", REAL, (2.5,), ()),
    ("max(x, k)*exp(max(x, k)) = exp(1)*k", interval(-5, 5), (), ((-5, 1),)),
    ("max(x, 1e-40) = 1e-40*k", NONNEGATIVE, (), ((0, 1e-40),)),
    ("min(x, -(1e-31)) + 1e-31*k = 0*k", interval(-9, 0), (), ((-1e-31, 0),)),
    ("(x if x < 2 else 2 if x < 3 else x - 1) = 2*k", interval(0, 9), (), ((2, 3),)),
    ("x*(x if x > 1e-20 else 0) = 0*k", NONNEGATIVE, (), ((0, 1e-20),)),
    ("(0 if x < 0 else x)*exp(x) = 0*k", interval(-1, 1), (), ((-1, 0),)),
    ("max(abs(x), 2)*(x - 3) = 2*(x - 3)*k", interval(-4, 4), (3,), ((-2, 2),)),
    # double roots and flat ones
    ("exp(x)*(x - k)**2 = 0*k", interval(-9, 9), (1,), ()),
    ("(x - k)**3*exp(x) = 0*k", interval(0, 4), (1,), ()),
    ("x - sin(x) = 0*k", interval(-2, 2), (0,), ()),
    ("cos(x) = k", interval(0, 20), (0, math.tau, 2 * math.tau, 3 * math.tau), ()),
    ("exp(x) = 1.00001*x + k", interval(-2, 2), (0, 1.999986666777777e-5), ()),
    ("x**0.5 - x/2 = k/2*(1 + 1e-9)", POSITIVE, (), ()),
    ("x**0.5 - x/2 = k/2*(1 - 1e-9)", POSITIVE, (0.99993675544680, 1.00006324655320), ()),
    # where the sides end
    ("sqrt(x - k) = 0*k", POSITIVE, (1,), ()),
    ("sqrt(x - k) + x = k", POSITIVE, (1,), ()),
    ("sqrt(1 - x**2)*exp(x) = 0*k", REAL, (-1, 1), ()),
    ("asin(x) = pi/2*k", interval(-1, 1), (1,), ()),
    ("acos(x) = 0*k", interval(-1, 2), (1,), ()),
    ("x*log(x) = 0*k", NONNEGATIVE, (1,), ()),
    ("sqrt(x)*exp(x) = 0*k", NONNEGATIVE, (0,), ()),
    ("log(x - 1) = -300*k", POSITIVE, (), ()),
    # where the domain ends
    ("exp(x) = exp(3)*k", interval(0, 3), (3,), ()),
    ("exp(x) = exp(3)*k", interval(3, 9), (3,), ()),
    ("exp(-x) = exp(-3)*k", interval(3, 9), (3,), ()),
    ("x**3 + x = 30*k", interval(0, 3), (3,), ()),
    ("exp(x) + x = (exp(3) + 3)*k", interval(3, 4), (3,), ()),
    ("exp(x) = exp(3)*k*(1 + 1e-9)", interval(0, 3), (), ()),
    ("exp(x) = exp(3)*k*(1 - 1e-9)", interval(3, 9), (), ()),
    ("x**3 - 7*x + 6*k = 0", interval(-3, 2), (-3, 1, 2), ()),
    ("x**3 - 7*x + 6*k = 0", interval(-2.9, 1.9), (1,), ()),
    # poles
    ("1/(x - k) = 0*k", REAL, (), ()),
    ("1/(x - k) = 2*k", REAL, (1.5,), ()),
    ("(x - k)*(x - 3)/(x - k) = 0*k", REAL, (3,), ()),
    ("tan(x) = k", interval(0, 10), (math.pi / 4, 5 * math.pi / 4, 9 * math.pi / 4), ()),
    ("exp(x)/(x - k) = 0*k", interval(-9, 9), (), ()),
    ("exp(1/x) = 2*k", interval(-9, 9), (1 / math.log(2),), ()),
    # sizes
    ("x*exp(x) = 1e-200*k", POSITIVE, (1e-200,), ()),
    ("x + exp(x) = -1e80*k", REAL, (-1e80,), ()),
    ("x + tanh(x) = 1e80*k", POSITIVE, (1e80,), ()),
    ("x**1.5 + x = 1e-70*k", NONNEGATIVE, (1e-70,), ()),
    ("log(x) = 150*k", POSITIVE, (1.393709580666379e65,), ()),
    ("log(x) = -150*k", POSITIVE, (7.175095973164411e-66,), ()),
    ("(x/1e30)*exp(x/1e30) = exp(1)*k", POSITIVE, (1e30,), ()),
    ("(x/1e-30)*exp(x/1e-30) = exp(1)*k", POSITIVE, (1e-30,), ()),
    ("(x - 1e-45)*exp(x) = 0*k", POSITIVE, (1e-45,), ()),
    ("exp(-x) = 1e-200*k", POSITIVE, (200 * math.log(10),), ()),
    ("exp(exp(x)) = 7*k", REAL, (math.log(math.log(7)),), ()),
]  # fmt: skip


@pytest.mark.thorough
@every(("text", "domain", "values", "plateaus"), FOUND)
def test_what_solves_an_equation_is_found_and_nothing_else_and_that_is_proved(text, domain, values, plateaus):
    solutions = roots(text, domain, k=1.0)
    assert solutions.values == pytest.approx(values, rel=1e-9, abs=1e-12)
    assert len(solutions.plateaus) == len(plateaus)
    for span, expected in zip(solutions.plateaus, plateaus, strict=True):
        assert span == pytest.approx(expected, rel=1e-9, abs=1e-60)
    assert solutions.proved


@pytest.mark.parametrize(
    ("text", "domain", "low", "high"),
    [
        ("floor(x) = 2*k", REAL, 2, math.nextafter(3, 0)),
        ("ceil(x) = 2*k", REAL, math.nextafter(1, 2), 2),
        ("floor(x) = -2*k", REAL, -2, math.nextafter(-1, -2)),
        ("max(x, 5) = 5*k", POSITIVE, 0, 5),
        ("max(x, 5) = 5*k", REAL, -INF, 5),
        ("max(log(x), 1) = k", POSITIVE, 0, math.e),
        ("min(1/x, 8) = 8*k", POSITIVE, 0, 0.125),
        ("min(x, 5) = 5*k", REAL, 5, INF),
        ("min(x, -5) = -5*k", REAL, -5, INF),
        ("(x if x < 2 else 2 if x < 3 else x - 1) = 2*k", interval(0, 9), 2, 3),
        ("x*(x if x > 1e-20 else 0) = 0*k", NONNEGATIVE, 0, 1e-20),
        ("x**20*(x - k if x > k else 0) = 0*k", NONNEGATIVE, 0, 1),
        ("(0 if x > 1e-35 else 1) = 0*k", NONNEGATIVE, math.nextafter(1e-35, 1), INF),
        ("(0 if x > 1e-35 else x) = 0*k", NONNEGATIVE, 0, INF),
        ("(0 if x < -1e-35 else x) = 0*k", REAL, -INF, 0),
        ("(0 if x > 1e-25 else x) = 0*k", NONNEGATIVE, math.nextafter(1e-25, 1), INF),
        ("(0 if x < -1e-25 else x) = 0*k", REAL, -INF, math.nextafter(-1e-25, -1)),
    ],
)
def test_a_stretch_of_solutions_ends_at_the_last_double_that_is_one(text, domain, low, high):
    assert roots(text, domain, k=1.0).plateaus == ((low, high),)


@pytest.mark.parametrize(
    "text",
    ["(x if x <= 0.3 else x + 7) = a + b", "(x + 9 if x < 0.3 else x) = a + b", "(x + b if x >= 0.3 else 9) = a + 2*b"],
)
def test_where_a_choice_changes_hands_a_root_is_one_though_the_givens_are_rounded(text):
    assert roots(text, interval(0.0, 9.0), a=0.1, b=0.2).values == (0.3,)


@pytest.mark.parametrize(
    ("text", "y", "expected"),
    [
        ("(x if x <= 0.3 else x + 7) = y", 0.3 * (1 + 1.5e-15), (0.3,)),
        ("(x*exp(x) if x <= 0.3 else x + 7) = y", 0.3 * math.exp(0.3) * (1 + 1.6e-15), (0.3,)),
        ("exp(x)*floor(x/3) = y", math.exp(3) * (1 - 1e-15), (3.0,)),
        ("(x if x <= 0.3 else x + 7) = y", 0.3 * (1 + 1e-12), ()),
        ("exp(x)*floor(x/3) = y", math.exp(3) * (1 - 1e-14), ()),
    ],
)
def test_a_root_at_a_jump_may_be_missed_by_rounding_and_by_no_more(text, y, expected):
    assert roots(text, interval(0.0, 9.0), y=y).values == expected


@pytest.mark.parametrize(
    ("text", "domain", "values"),
    [
        ("(x if x == 3 else 7) = 3*k", interval(-10, 10), (3,)),
        ("(x if x != 3 else 7) = 7*k", interval(-10, 10), (3, 7)),
        ("(x if x != 3 else 7) = 3*k", interval(-10, 10), ()),
        ("exp(x) - exp(2*x) + 5*k = 0", POSITIVE, (math.log((1 + math.sqrt(21)) / 2),)),
        ("tanh(x) = k", REAL, ()),
        ("exp(-x) = 0*k", POSITIVE, ()),
    ],
)
def test_what_cannot_be_shown_is_not_claimed(text, domain, values):
    solutions = roots(text, domain, k=1.0)
    assert solutions.values == pytest.approx(values, rel=1e-9)
    assert not solutions.proved


@pytest.mark.parametrize(
    ("text", "domain", "low", "high"),
    [
        ("exp(x) = 2*k", interval(0, 3), 0, 3),
        ("exp(x) = 2*k", POSITIVE, 0, 1e60),
        ("exp(x) = 2*k", REAL, -1e60, 1e60),
        ("exp(x) - exp(2*x) + 5*k = 0", POSITIVE, 0, 649.4),
        ("exp(-x) - exp(-2*x) + 5*k = 0", REAL, -649.4, 1e60),
        ("x**2 = 2*k", REAL, -INF, INF),
        ("sin(x) + exp(sin(x)) = k", REAL, -math.pi, math.pi),
    ],
)
def test_where_roots_were_sought_is_said(text, domain, low, high):
    assert roots(text, domain, k=1.0).sought == pytest.approx((low, high), rel=1e-3)


@pytest.mark.parametrize(
    ("text", "domain", "clear"),
    [
        ("exp(x) = 2*k", REAL, True),
        ("max(x, 5) = 5*k", NONNEGATIVE, False),
        ("1/(1 + x**1.5) = 0*k", POSITIVE, False),
        ("1/(1 + x**1.5) = 0*k", interval(1, 5), True),
        ("x + tanh(x) = 1e80*k", POSITIVE, True),
        ("cos(x) = k", interval(-1, 1), False),
        ("cos(x) = k/2", interval(-1.5, 1.5), True),
    ],
)
def test_whether_a_root_may_lie_where_no_search_goes_is_said(text, domain, clear):
    assert roots(text, domain, k=1.0).clear is clear


@pytest.mark.parametrize("steps", [1, 2, 5, 9])
@pytest.mark.parametrize("text", ["(x if x < 3 else x + 7) = k", "(x - 3 if x >= 3 else 9 - x) = k - 3"])
def test_a_root_a_few_digits_beside_a_jump_is_a_root(text, steps):
    """On the smooth side of the jump k itself solves the equation."""
    sign = -1 if "<" in text else 1
    k = 3 + sign * steps * math.ulp(3.0)
    found = roots(text, Domain("", 0.0, 9.0), k=k)
    assert found.values == pytest.approx((k,), rel=1e-15)
    assert found.proved
