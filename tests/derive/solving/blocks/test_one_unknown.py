"""One relation with one unknown: typed decimals beside the least or greatest number that its curve comes to."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import NoSolutionError
from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import difference_of
from derive.solving.blocks.one_unknown import values_of
from quantities.domain import Domain
from quantities.rational import nearest, written
from tests.derive.statements import bare, number, span
from tests.ordinary import every, examples

REAL = Domain("real", -math.inf, math.inf)
POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
LEAST = {  # that each form comes to
    "abs(x) + 2": 2,
    "sqrt(x) + 2": 2,
    "sqrt(abs(x - 3)) + 1": 1,
    "acos(x) + 1": 1,
    "exp(sqrt(x))": 1,
    "log(1 + sqrt(x))": 0,
    "sqrt(x)*exp(x) + 2": 2,
    "x**2*exp(x) + 7": 7,
    "cosh(x) + abs(x)": 1,
    "max(x, 3)": 3,
    "max(sqrt(x), 0) + 3": 3,
    "x**2*(x - 3)**2 + 7": 7,
    "-sqrt(x*(4 - x))": -2,
    "-exp(-x**2)": -1,
    "-cos(x)": -1,
    "acosh(x) + 1": 1,
    "(x**2)**0.5 + 2": 2,
    "min(-x, 3)*(-1)": -3,
}


@pytest.mark.ordinary(6)
@pytest.mark.parametrize("form", LEAST)
@given(st.integers(11, 14), st.integers(10, 99))
def test_a_decimal_below_the_least_of_a_curve_has_no_root_and_one_above_has(form, digits, share):
    step = Fraction(share, 10**digits)
    below, above = (
        values_of(parse_equation(f"y = {form}"), "x", {"y": nearest(LEAST[form] + change)}, REAL)
        for change in (-step, step)
    )
    assert not below.solutions
    assert above.solutions or above.undecided


@given(st.integers(-9, 9), st.integers(2, 60))
def test_an_end_of_a_domain_is_no_root_where_another_arm_is_above_the_decimal(low, exponent):
    """As a double exp(2) is 7.38905609893065, which is less than it: so no maximum with it is that."""
    decimal = f"{math.exp(exponent):.15g}"
    library = bare("a t x", "t = max(exp(a), x)", domains={"x": f"{low}..{low + 0.5}"})
    with mpmath.workdps(40):
        is_above = mpmath.exp(exponent) > mpmath.mpf(decimal)
    if is_above:
        with pytest.raises(NoSolutionError):
            library.solve("x", a=exponent, t=decimal)


@given(st.integers(9, 14))
def test_a_curve_that_begins_beside_a_decimal_and_goes_away_from_it_has_no_root_there(digits):
    equation = parse_equation("y = sqrt(x + 3)*(x + 2)")
    outcome = values_of(equation, "x", {"y": nearest(Fraction(1, 10**digits))}, REAL)
    assert [round(solution.values["x"], 3) for solution in outcome.solutions] == [-2]


@pytest.mark.parametrize("equation", ["h = 2*sin(k*w)", "h = sin(k*w) + cos(2*k*w + 0.3)"])
@pytest.mark.parametrize("typed", ["0.5", "0.5..0.6", "5"])
def test_the_turn_in_which_an_angle_was_sought_is_told_with_its_unit(equation, typed):
    library = derive.load(f"""
[quantities]
k = {{ unit = "ms", domain = "real" }}
w = {{ unit = "1/ms" }}
h = {{ unit = "", domain = "real" }}
[relations.swing]
equation = "{equation}"
""")
    try:
        (note,) = (note for note in library.solve_all("k", h=typed, w="2 1/ms")[0].assumptions if "turn" in note)
    except derive.DeriveError as error:
        note = str(error)
    low, high = re.search(r"in one turn, from (\S+ ms) to (\S+ ms)", note).groups()
    turn = derive.units(high) - derive.units(low)
    assert turn.to("s").magnitude == pytest.approx(math.pi / 1000, rel=1e-5)


EQUAL = {  # for each pair of numbers a and b
    "log(a*b)": "log(a) + log(b)",
    "sqrt(a)*sqrt(b)": "sqrt(a*b)",
    "exp(a)*exp(b)": "exp(a + b)",
    "exp(a)/exp(b)": "exp(a - b)",
    "cos(a)**2": "1 - sin(a)**2",
    "tanh(a)": "(exp(2*a) - 1)/(exp(2*a) + 1)",
    "(sqrt(a) + sqrt(b))*(sqrt(a) - sqrt(b))": "a - b",
    "log(a)/log(b)": "log(a**3)/log(b**3)",
    "pi*a": "4*a*atan(b/b)",
    "a*sin(pi/6)": "a/2",
    "a*tan(pi/4)": "a",
    "cos(pi*b)**2": "1",
    "b*sqrt(pi)**2": "b*acos(-1)",
}


@pytest.mark.ordinary(4)
@pytest.mark.parametrize(("first", "second"), EQUAL.items())
@given(a=st.integers(2, 30), b=st.integers(31, 60), degree=st.integers(1, 3))
def test_where_equal_irrational_constants_cancel_nothing_is_left_of_the_unknown(first, second, a, b, degree):
    """As doubles the two sides differ by 1e-16 of them, which makes a root of 1e16."""
    power, a = f"x**{degree}", a / 10
    library = bare("a b x y", f"{power}*({first}) = {power}*({second}) + y", domains=dict.fromkeys("xy", "real"))
    with pytest.raises(NoSolutionError):
        library.solve("x", a=a, b=b, y=1)
    (answer,) = library.solve_all("x", a=a, b=b, y=0)
    assert answer.bounds == (-math.inf, math.inf)


@pytest.mark.ordinary(4)
@pytest.mark.parametrize(("first", "second"), EQUAL.items())
@given(a=st.integers(2, 30), b=st.integers(31, 60))
def test_irrational_constants_that_differ_in_the_twelfth_digit_leave_the_unknown_a_root(first, second, a, b):
    a = a / 10
    library = bare("a b x y", f"x*({first}) = x*({second})*1.000000000001 + y", domains=dict.fromkeys("xy", "real"))
    names = {
        name: getattr(mpmath, name)
        for name in ("log", "sqrt", "exp", "cos", "sin", "tan", "acos", "atan", "tanh", "pi")
    }
    with mpmath.workdps(40):
        size = eval(second, names | {"a": mpmath.mpf(str(a)), "b": mpmath.mpf(b)})
        root = float(-1 / (size / mpmath.mpf(10) ** 12))
    assert library.solve("x", a=a, b=b, y=1).base == pytest.approx(root, rel=1e-9)


@given(exponent=st.integers(20, 299), constant=st.sampled_from(["sqrt(2)", "log(3)", "exp(1)", "tanh(1)"]))
def test_an_irrational_constant_beside_a_large_number_is_left_when_that_cancels(exponent, constant):
    """Of `x**3 + x*(1e70 + sqrt(2))` the square root is left when 1e70*x is subtracted."""
    library = bare("x", f"x**3 + x*(1e{exponent} + {constant}) = 1e{exponent}*x + 8")
    x = library.solve("x").base
    size = {"sqrt(2)": math.sqrt(2), "log(3)": math.log(3), "exp(1)": math.e, "tanh(1)": math.tanh(1)}[constant]
    assert x**3 + x * size == pytest.approx(8, rel=1e-9)


@given(a=st.integers(2, 12), one=st.sampled_from(["sqrt(a)*sqrt(a)/a", "log(a**3)/log(a)/3", "sin(a)**2 + cos(a)**2"]))
def test_no_root_is_lost_where_what_irrational_constants_make_a_whole_number_is_rounded(a, one):
    roots = [
        answer.base
        for answer in bare("a x", f"exp(x) + x = 2*x*floor({one}) + 5", domains={"x": "real"}).solve_all("x", a=a)
    ]
    assert roots == [answer.base for answer in bare("x", "exp(x) + x = 2*x + 5", domains={"x": "real"}).solve_all("x")]


def test_a_product_of_many_irrational_constants_keeps_its_digits():
    primes = [2, 3, 5, 7, 11]
    logarithms = "*".join(f"log({prime})" for prime in primes)
    roots = "*".join(f"sqrt({prime})" for prime in primes)
    product = bare("x y", f"x*{roots}*{logarithms} = x*sqrt(2310)*{logarithms} + y", domains={"x": "real", "y": "real"})
    with pytest.raises(NoSolutionError):
        product.solve("x", y=1)
    assert product.solve_all("x", y=0)[0].bounds == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("text", "roots"),
    [
        ("sin(tanh(x)) = -0.5", [-math.atanh(math.pi / 6)]),
        ("cos(acos(x)) = -0.5", [-0.5]),
        ("sin(asin(x)) = -0.5", [-0.5]),
        ("sin(atan(x)) = -0.5", [-(3**-0.5)]),
        ("cos(atan(x)) = 0.5", [-(3**0.5), 3**0.5]),
        ("sin(3/(1 + x**2)) = 0.5", [s * (18 / k / math.pi - 1) ** 0.5 for s, k in ((-1, 1), (-1, 5), (1, 5), (1, 1))]),
        ("sin(erf(x)/(2*x)) = 0.3", [-1.6025490179360173, 1.6025490179360173]),
        ("sin(abs(2*x)) = -0.5", [math.pi * 7 / 12, math.pi * 11 / 12]),
        ("sin(abs(x/10 - 1)) = -0.95", [10 + 10 * (math.pi * n + s * math.asin(0.95)) for n, s in ((1, 1), (2, -1))]),
        ("sin(max(x/10, -0.1)) = -0.5", [10 * math.pi * 7 / 6, 10 * math.pi * 11 / 6]),
        ("cos(exp(-x)) = -0.9", [-math.log(2 * math.pi - math.acos(-0.9)), -math.log(math.acos(-0.9))]),
    ],
)
def test_an_angle_that_makes_no_whole_turn_is_sought_on_both_sides_of_zero(text, roots):
    found = values_of(parse_equation(text), "x", {}, REAL)
    assert sorted(solution.values["x"] for solution in found.solutions) == pytest.approx(roots)


def test_an_angle_that_turns_in_one_case_alone_is_not_said_to_have_no_root():
    found = values_of(parse_equation("sin(x if x > 40 else 1) = -0.2"), "x", {}, REAL)
    assert found.solutions or found.undecided


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("sin(abs(x))*sin(x) = -0.9", -math.asin(0.9**0.5)),
        ("sin(abs(x - 3)) = cos(x) + 1.5", 3.735),
        ("sin(min(x, 3.05) - 1.529203673205104) = 1", 3.1 - 2 * math.pi),
    ],
)
def test_what_one_turn_does_not_show_is_not_said_to_have_no_root(text, root):
    equation = parse_equation(text)
    around = [value(difference_of(equation), {"x": root + step}) for step in (-0.05, 0.0, 0.05)]
    assert min(map(abs, around)) < 1e-9 or min(around) < 0 < max(around)
    found = values_of(equation, "x", {}, REAL)
    assert found.solutions or found.undecided


@pytest.mark.parametrize(
    "text", ["sin(3*x) + cos(3*x) = 1.9", "sin(2*x) = cos(3*x) + 2.9", "sin(sqrt(x))*cos(sqrt(x)) = 1"]
)
def test_what_one_turn_shows_in_full_has_no_root(text):
    found = values_of(parse_equation(text), "x", {}, Domain("nonnegative", 0, math.inf))
    assert not found.solutions
    assert not found.undecided


@pytest.mark.parametrize(
    ("low", "high", "roots"),
    [
        (-1, math.inf, [math.pi + math.asin(0.9), 2 * math.pi - math.asin(0.9)]),
        (-math.inf, -10, [math.asin(0.9) - 5 * math.pi, -4 * math.pi - math.asin(0.9)]),
        (-math.inf, 1, [math.asin(0.9) - math.pi, -math.asin(0.9)]),
    ],
)
def test_the_turn_of_an_angle_lies_in_a_domain_with_one_end(low, high, roots):
    found = values_of(parse_equation("sin(x) = -0.9"), "x", {}, Domain("", low, high))
    assert sorted(solution.values["x"] for solution in found.solutions) == pytest.approx(roots)


@pytest.mark.parametrize(
    ("text", "y", "x"),
    [
        ("erf(y) = erf(max(x, 0.7) + x)", 15.4, 7.7),
        ("tanh(y) = tanh(max(x, 1) + x)", 50, 25),
        ("tanh(y) = tanh(abs(x) + 2*x)", 42, 14),
        ("erf(y) = erf(x if x < 3 else 2*x)", 9, 4.5),
        ("1 - exp(-y) = 1 - exp(-max(x, 1) - x)", 100, 50),
    ],
)
def test_a_root_of_an_arm_that_does_not_bind_is_none_where_a_function_is_level(text, y, x):
    """Both arms are equal to more digits than are computed: `erf(29.4)` is as close to 1 as `erf(15.4)`."""
    (root,) = values_of(parse_equation(text), "x", {"y": written(y)}, REAL).solutions
    assert root.values["x"] == pytest.approx(x, rel=1e-12)


@pytest.mark.parametrize("function", ["erf", "tanh", "exp", "sinh", "asinh"])
@given(st.integers(-40, 40), st.integers(1, 30))
def test_where_arguments_are_equal_along_an_interval_so_are_values_of_a_rising_function(function, tenths, width):
    low, high = Fraction(tenths, 10), Fraction(tenths + width, 10)
    text = f"{function}(abs(x - low) - abs(x - high)) = {function}(y)"
    known = {"low": nearest(low), "high": nearest(high), "y": nearest(high - low)}
    outcome = values_of(parse_equation(text), "x", known, REAL)
    assert [dict(solution.spans) for solution in outcome.solutions] == [{"x": (float(high), math.inf)}]
    assert not outcome.caveat
    between = values_of(parse_equation(text), "x", {**known, "y": nearest((high - low) / 2)}, REAL)
    assert [dict(solution.values) for solution in between.solutions] == [{"x": float(low + (high - low) * 3 / 4)}]


@pytest.mark.parametrize("function", ["erf", "tanh"])
@pytest.mark.parametrize("y", [5.3, 30.3, 64.71, 2000.3])
def test_a_value_that_no_digits_tell_from_one_has_an_argument(function, y):
    (root,) = values_of(
        parse_equation(f"{function}(y) = {function}(x**2 + 2.3)"), "x", {"y": written(y)}, POSITIVE
    ).solutions
    assert root.values["x"] == pytest.approx(math.sqrt(y - 2.3), rel=1e-12)
    below = values_of(parse_equation(f"{function}(2 - y) = {function}(x**2 + 2.3)"), "x", {"y": written(y)}, POSITIVE)
    assert not below.solutions
    assert not below.undecided


@pytest.mark.parametrize(
    ("text", "y", "x"),
    [
        ("erf(y) = erf(x if x < 1.1 else 1.1*x**2)", 75.779, 8.3),
        ("erf(y) = erf(max(x**2, 6*x + 0.3))", 56.25, 7.5),
        ("erf(y) = erf(min(x, -1.3) + 0.9*x**2)", 41.549, 6.9),
    ],
)
def test_an_arm_has_an_argument_where_no_digits_tell_its_value_from_one(text, y, x):
    computed = math.nextafter(y, math.inf)
    (root,) = values_of(parse_equation(text), "x", {"y": computed}, POSITIVE).solutions
    assert root.values["x"] == pytest.approx(x, rel=1e-12)


PARTIAL = {  # functions of x, with the ends between which they have values
    "log(x)": (0, math.inf),
    "log(3 - x)": (-math.inf, 3),
    "sqrt(x - 2)": (2, math.inf),
    "sqrt(-x)": (-math.inf, 0),
    "asin(x/2)": (-2, 2),
    "sqrt(9 - x**2)": (-3, 3),
    "acosh(x)": (1, math.inf),
    "log(sqrt(x) - 2)": (4, math.inf),
    "exp(x)": (-math.inf, math.inf),
}


@pytest.mark.parametrize(("part", "ends"), PARTIAL.items())
@pytest.mark.parametrize(
    "equation",
    ["{}*w = {}*c", "{}/w = {}/c", "{} + w = {} + c", "exp({} + w) = exp({} + c)", "sinh({}*w)**c = sinh({}*c)**w"],
)
def test_an_unknown_that_cancels_is_any_number_at_which_the_sides_have_values(part, ends, equation):
    lib = bare("x u w v c", equation.format(part, part), "w = 2*v", "u = x + 1", domains=dict.fromkeys("xuwvc", "real"))
    (x,) = lib.solve_all("x", v="1.5", c=3)
    (u,) = lib.solve_all("u", v="1.5", c=3)
    assert span(x) == pytest.approx(ends, rel=1e-12, abs=1e-12)
    assert span(u) == pytest.approx((ends[0] + 1, ends[1] + 1), rel=1e-12, abs=1e-12)


IDENTITIES = {  # with the parts of the real numbers in which their sides have values
    "cosh(x) = (exp(x) + exp(-x))/2": [(-math.inf, math.inf)],
    "sinh(x) = (exp(x) - exp(-x))/2": [(-math.inf, math.inf)],
    "tanh(x) = (exp(x) - exp(-x))/(exp(x) + exp(-x))": [(-math.inf, math.inf)],
    "exp(2*x) = exp(x)**2": [(-math.inf, math.inf)],
    "exp(x + a) = exp(x)*exp(a)": [(-math.inf, math.inf)],
    "cosh(2*x) = 2*cosh(x)**2 - 1": [(-math.inf, math.inf)],
    "cosh(x)**2 - sinh(x)**2 = 1": [(-math.inf, math.inf)],
    "sin(x)**2 + cos(x)**2 = 1": [(-math.inf, math.inf)],
    "log(exp(x)) = x": [(-math.inf, math.inf)],
    "asinh(x) = log(x + sqrt(x**2 + 1))": [(-math.inf, math.inf)],
    "acosh(x) = log(x + sqrt(x**2 - 1))": [(1, math.inf)],
    "atanh(x) = log((1 + x)/(1 - x))/2": [(-1, 1)],
    "exp(log(x)) = x": [(0, math.inf)],
    "log(a*x) = log(a) + log(x)": [(0, math.inf)],
    "exp(log(x**2 - 9)) = x**2 - 9": [(-math.inf, -3), (3, math.inf)],
    "cosh(acosh(abs(x))) = abs(x)": [(-math.inf, -1), (1, math.inf)],
}


@pytest.mark.parametrize(("text", "parts"), IDENTITIES.items())
def test_an_identity_that_no_form_shows_holds_wherever_its_sides_have_values(text, parts):
    """No end comes of what doubles cannot hold, and it is said that samples alone show it."""
    known = {"a": written(3)}
    outcome = values_of(parse_equation(text), "x", known, REAL)
    assert [solution.spans["x"] for solution in outcome.solutions] == parts
    assert outcome.caveat is not None
    assert "not proved" in outcome.caveat.text


@pytest.mark.ordinary(4)
@pytest.mark.parametrize("change", ["1e-40*x", "1e-40", "1e-25/(1 + x**2)"])
@pytest.mark.parametrize("text", [*IDENTITIES][:5])
def test_what_is_an_identity_to_all_digits_of_doubles_alone_is_none(text, change):
    outcome = values_of(parse_equation(f"{text} + {change}"), "x", {"a": written(3)}, REAL)
    assert not any(solution.spans for solution in outcome.solutions)


@pytest.mark.parametrize("branch", [0, 7, -40, 1e12])
def test_what_is_the_same_on_one_branch_of_a_root_is_no_identity(branch):
    known = {"a": written(branch)}
    outcome = values_of(parse_equation("sqrt((x + a)**2) = x + a"), "x", known, REAL)
    assert [solution.spans["x"] for solution in outcome.solutions] == [(pytest.approx(-branch, rel=1e-9), math.inf)]


GAPS = ["sqrt({})", "log({})", "1/sqrt({})", "({})**1.5", "acosh({} + 1)", "log(sqrt({}) + 1)"]
CANCELLING = ["{}*w = {}*c", "{} + w = {} + c", "x*{} + w = x*{} + c", "exp({} + w) = exp({} + c)"]


@examples(60)
@given(
    st.sets(st.integers(-60, 60), min_size=1, max_size=4),
    st.sampled_from([1, -1, 3, -7]),
    st.sampled_from(GAPS),
    st.sampled_from(CANCELLING),
    st.sampled_from(["3", "2..4"]),
)
def test_an_unknown_that_cancels_is_in_none_of_the_gaps_between_the_parts_with_values(roots, sign, function, text, w):
    """A polynomial with simple roots changes its sign at each, and is known to be positive above or below the last."""
    product = "*".join(f"(x - {root})" if root >= 0 else f"(x + {-root})" for root in sorted(roots))
    ends = [-math.inf, *sorted(roots), math.inf]
    spans = list(pairwise(ends))[::-1]
    expected = sorted(span for place, span in enumerate(spans) if (sign > 0) == (place % 2 == 0))
    part = function.format(f"{sign}*{product}")
    library = bare("x w c", text.format(part, part), domains=dict.fromkeys("xwc", "real"))
    told = library.solve_all("x", w=w, c=3)
    assert sorted(span(answer) for answer in told) == expected


STARTING = [
    "sqrt({0}) = 0",
    "sqrt(abs({0})) = 0",
    "sqrt(sqrt({0})) = 0",
    "({0})**0.3 = 0",
    "abs({0})**(1/4) = 0",
    "acos(1 + ({0})) = 0",
    "acosh(1 + ({0})) = 0",
    "log(1 + sqrt(abs({0}))) = 0",
    "sqrt(abs({0})) + 1 = 1",
    "2*sqrt(max({0}, -({0}))) = 0",
]
"""Equations whose left side is as steep as a root where it begins."""


@pytest.mark.parametrize("equation", STARTING)
@pytest.mark.parametrize("square", ["2", "3", "0.3", "0.7", "5", "6", "7"])
def test_a_root_at_which_a_side_begins_is_found_though_no_double_meets_it(equation, square):
    sign = -1 if equation.startswith("acos(") else 1
    for inner, root in (
        (f"c**2 - {square}", float(square) ** 0.5),
        (f"exp(c) - (1 + {square})", math.log1p(float(square))),
    ):
        inside = inner if sign > 0 else f"-({inner})"
        library = bare("c d", equation.format(inside), "d = 2*c", domains={"c": "positive", "d": "real"})
        assert number(library.solve("c")) == pytest.approx(root, rel=1e-12)
        assert number(library.solve("d")) == pytest.approx(2 * root, rel=1e-12)


@pytest.mark.parametrize("gap", ["1e-9", "1e-12", "1e-6"])
@pytest.mark.parametrize(
    "equation", ["sqrt(abs(c**2 - 3)) + {0} = 0", "acos(c**2/3) + {0} = 0", "sqrt(exp(c) - 3) = -{0}"]
)
def test_what_a_side_that_begins_nearly_comes_to_is_no_root(equation, gap):
    library = bare("c", equation.format(gap), domains={"c": "positive"})
    with pytest.raises(NoSolutionError):
        library.solve_all("c")


@pytest.mark.parametrize("rest", ["1e-6", "1e-4"])
def test_beside_a_computed_number_a_rest_beyond_its_last_digit_is_no_root(rest):
    """At sqrt(k) the side is off by `rest`, which a last digit of k would not make of it."""
    library = bare("c j k", "k = exp(j)", f"sqrt(abs(c**2 - k)) + {rest} = 0", domains=dict.fromkeys("cjk", "positive"))
    with pytest.raises(NoSolutionError):
        library.solve_all("c", j=1)


@pytest.mark.parametrize("side", ["a/b - a/b", "a*(1/b - 1/b)", "a*log(b) - a*log(b)"])
def test_what_zeros_take_out_of_a_relation_has_no_value_where_a_side_has_none(side):
    library = bare("a b y z", f"a*y = {side}", "z = a + y", domains=dict.fromkeys("abyz", "real"))
    for target in "yz":
        with pytest.raises(derive.NoSolutionError):
            library.solve_all(target, a=0, b=0)
        (anything,) = library.solve_all(target, a=0, b=1)
        assert anything.bounds == (-math.inf, math.inf)


LEVEL_BEYOND = {
    "abs(abs(c - a) - c)": lambda c, a, b: abs(abs(c - a) - c),
    "abs(abs(c - a) - max(c, b))": lambda c, a, b: abs(abs(c - a) - max(c, b)),
    "max(abs(c - a) - c, c - b)": lambda c, a, b: max(abs(c - a) - c, c - b),
    "abs(c - a) - abs(c - b)": lambda c, a, b: abs(c - a) - abs(c - b),
    "min(c, b) + abs(min(c, a) - b)": lambda c, a, b: min(c, b) + abs(min(c, a) - b),
}


@every("seed", range(300), ordinary=10)
def test_a_root_beside_an_arm_that_is_level_far_out_is_found_for_computed_givens(seed):
    draw = random.Random(f"level {seed}")
    text, a, b = draw.choice([*LEVEL_BEYOND]), draw.uniform(1, 9), draw.uniform(1, 9)
    hidden = draw.uniform(0.1, 12)
    known = {"a": a, "b": b, "t": LEVEL_BEYOND[text](hidden, a, b)}
    found = values_of(parse_equation(f"t = {text}"), "c", known, POSITIVE)
    points = [solution.values["c"] for solution in found.solutions if not solution.spans]
    spans = [solution.spans["c"] for solution in found.solutions if solution.spans]
    is_found = any(math.isclose(x, hidden, rel_tol=1e-9) for x in points)
    assert is_found or any(low - 1e-9 <= hidden <= high + 1e-9 for low, high in spans), (text, known, hidden)
