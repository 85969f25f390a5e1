"""A multiple root is one answer; only dependent equations hold along a curve."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from derive.errors import LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.grammar import parse_equation
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.polishing import leads_elsewhere
from derive.solving.blocks.solution_curves import lies_on_curve
from derive.solving.blocks.system import System
from quantities.domain import Domain
from tests.derive.operations import calls
from tests.derive.statements import bare, number
from tests.ordinary import examples

REAL = Domain("real", -math.inf, math.inf)
POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
SIZES = st.floats(0.2, 5)
SCALES = st.integers(-9, 9).map(lambda power: 10.0**power)


def solved(texts, known, domain=REAL):
    return solve_block([parse_equation(text) for text in texts], ["x", "y"], known, dict.fromkeys("xy", domain))


@pytest.mark.parametrize(
    "texts",
    [
        ["a = sqrt(((x - y)/2)**2 + b**2)", "c = (x + y)/2"],
        ["a**2 = (x - y)**2 + b**2", "x = 2*c - y"],
        ["(x - c)**2 + (y - c)**2 + b**2 = a**2", "x + y = 2*c"],
    ],
    ids=["mohr", "squares", "circle"],
)
@given(SCALES, st.sampled_from([0.0, 1.0, -0.3, 40.0]))
def test_stresses_that_are_equal_are_found_whatever_their_size(texts, size, share):
    outcome = solved(texts, {"a": size, "b": size, "c": share * size})
    assert not outcome.singular
    (found,) = outcome.solutions
    assert not found.spans
    assert dict(found.values) == pytest.approx({"x": share * size, "y": share * size}, abs=1e-7 * size)


# A curve, its slope, and in many digits: the curve, and where its slope is a given one.
CURVES = {
    "exp(x)": (math.exp, math.exp, mpmath.exp, mpmath.log),
    "log(x)": (math.log, lambda x: 1 / x, mpmath.log, lambda slope: 1 / slope),
    "x**2": (lambda x: x * x, lambda x: 2 * x, lambda x: x * x, lambda slope: slope / 2),
    "sqrt(x)": (math.sqrt, lambda x: 0.5 / math.sqrt(x), mpmath.sqrt, lambda slope: 1 / (4 * slope**2)),
    "1/x": (lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 1 / x, lambda slope: mpmath.sqrt(-1 / slope)),
}


def crossings(curve, height, slope, at):
    """Where the line of these doubles crosses the curve: at two points next to each other, at one, or nowhere."""
    _, _, in_many_digits, place_of_slope = CURVES[curve]
    with mpmath.workdps(50):
        place = place_of_slope(mpmath.mpf(slope))
        above = in_many_digits(place) - height - slope * (place - mpmath.mpf(at))
        share = -2 * above / mpmath.diff(in_many_digits, place, 2)
        if share < 0:
            return []
        return sorted({float(place - mpmath.sqrt(share)), float(place + mpmath.sqrt(share))})


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("domain", [REAL, POSITIVE], ids=["real", "positive"])
@given(at=st.floats(0.2, 5))
@example(at=1.0)
@example(at=0.998046875)
def test_a_tangent_touches_its_curve_once_or_crosses_it_where_its_rounded_numbers_do(curve, domain, at):
    """The logarithm of 0.998046875 is so small that its rounding leaves two crossings 6e-10 apart."""
    height, slope = (function(at) for function in CURVES[curve][:2])
    outcome = solved([f"y = {curve}", "y = h + s*(x - t)"], {"h": height, "s": slope, "t": at}, domain)
    assert not outcome.singular
    near = sorted(one.values["x"] for one in outcome.solutions)
    touches = near == [pytest.approx(at, rel=1e-6)]
    crosses = near == pytest.approx(crossings(curve, height, slope, at), rel=1e-12)
    assert touches or crosses or not near
    if height in domain and height > 1e-3:
        assert near


@pytest.mark.thorough
@given(SCALES, st.floats(0.2, 5))
def test_equations_that_repeat_each_other_hold_along_a_curve_whatever_their_size(size, share):
    squares = {"a": size, "b": share * size, "s": share}
    for texts in (["x**2 + y**2 = a", "s*x**2 + s*y**2 = b"], ["x*y = a", "s*x = b/y"]):
        outcome = solved(texts, squares)
        assert outcome.singular or all(one.spans for one in outcome.solutions)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1e-7, pytest.param(1e8, marks=pytest.mark.long)])  # half a minute
def test_a_double_root_that_rounding_splits_or_removes_is_one(size):
    """In pure shear the third tension is zero; whether its square is, or a little more or less, is rounding."""
    texts = ["c = (x + y)/2", "r = sqrt(((x - y)/2)**2 + t**2)", "p = c + r", "s = c - r", "v**2 = p**2 - p*s + s**2"]
    known = {"y": 0.0, "t": size, "v": math.sqrt(3) * size}
    outcome = solve_block([parse_equation(text) for text in texts], [*"xcrps"], known, dict.fromkeys("xcrps", REAL))
    assert not outcome.singular
    (found,) = outcome.solutions
    assert found.values["x"] == pytest.approx(0, abs=1e-4 * size)
    assert outcome.caveat


CLOSE = [
    (["(x - a)*(x - b) = 0*a"], "x"),
    (["y = x**2", "y = s*x - p"], "xy"),
    (["y + z = x**2 + x", "y = s*x - p", "z = x*y/y"], "xyz"),
]


@pytest.mark.parametrize(("texts", "names"), CLOSE, ids=["alone", "two", "three"])
@given(st.sampled_from([1.0, 30.0, 1e4]), st.sampled_from([1e-6, 3e-6, 1e-5, 1e-3]))
def test_roots_that_the_givens_tell_apart_stay_two_however_close(texts, names, size, apart):
    """A rounding of the givens moves a double root by its square root: 1.5e-8 of its size, a few times at most."""
    a, b = size, size * (1 + apart)
    known = {"a": a, "b": b, "s": a + b, "p": a * b}
    outcome = solve_block([parse_equation(text) for text in texts], list(names), known, dict.fromkeys(names, POSITIVE))
    found = sorted(one.values["x"] for one in outcome.solutions)
    assert found == [pytest.approx(a, rel=apart / 3), pytest.approx(b, rel=apart / 3)]


@given(SIZES, SIZES, SIZES)
def test_a_curve_in_space_along_which_all_unknowns_move_is_one(x, y, share):
    """A plane and a saddle meet in a curve; the third relation adds the square of the one to the other."""
    texts = ["x + y + z = s", "x*y = p*z", "(x + y + z)**2 + 2*x*y = s**2 + 2*p*z"]
    z = x * y / share
    known = {"p": share, "s": x + y + z}
    system = System(tuple(map(parse_equation, texts)), ("x", "y", "z"), known, dict.fromkeys("xyz", REAL))
    assert lies_on_curve({"x": x, "y": y, "z": z}, system)


def test_a_relation_that_repeats_another_is_seen_at_once_along_a_branch():
    texts = ["x**2 + y**2 = a", "s*x**2 + s*y**2 = b"]
    known = {"a": 100.0, "b": 20.0, "s": 0.2}
    assert solved(texts, known).singular
    assert calls(lambda: solved(texts, known)) < 100_000  # a search from many starts makes three million


@pytest.mark.thorough
def test_no_points_of_a_curve_are_sought_where_the_slopes_show_that_there_is_none():
    texts = ["x**2 + y**2 = s", "x + y = t"]
    known = {"s": 0.1, "t": math.sqrt(0.2)}
    domain = Domain("-5..5", -5.0, 5.0)
    assert len(solved(texts, known, domain).solutions) == 1
    assert calls(lambda: solved(texts, known, domain)) < 800_000  # and 1.6 million with sixty starts


def test_choices_stay_in_place_where_a_branch_crosses_them_at_points():
    """With one arm in the place of each there are sixteen systems to solve."""
    texts = ["y = max(exp(x), a) + max(log(1 + x), b) + max(x/2, c) + max(x, d)", "x*exp(y/9) = k"]
    x = 2.5
    y = math.exp(x) + 3 + 1.5 + x
    known = {"a": 0.7, "b": 3.0, "c": 1.5, "d": 2.0, "k": x * math.exp(y / 9)}
    (found,) = solved(texts, known).solutions
    assert dict(found.values) == pytest.approx({"x": x, "y": y})
    assert calls(lambda: solved(texts, known)) < 200_000  # one arm after the other, 800,000


@pytest.mark.thorough
def test_choices_are_replaced_by_arms_where_a_branch_holds_in_part():
    """Tearing with the choices in place would sample how far it holds."""
    texts = ["t = max(m, w)", "m = c/n", "s = m/t", "u = w/t", "f = 1/max(s/f, u)", "w = 3 if n > 9 else 0"]
    equations = [parse_equation(text) for text in texts]
    domains = {name: Domain("nonnegative", 0.0, math.inf) if name in "uw" else POSITIVE for name in "tmnsuw"}
    known = {"c": 0.2, "f": 1.1}

    def asked():
        return solve_block(equations, [*"tmnsuw"], known, domains)

    (found,) = asked().solutions
    assert found.spans["n"] == pytest.approx((0, 9))
    assert calls(asked) < 1_500_000  # where samples are taken, five million


ABOVE_ONE = ["cosh({0})", "exp({0})", "(1 + {0}**2)", "sqrt(1 + {0})"]
FORMS = [("x*{0} = y", "y*{1} = x"), ("{0} = y/x", "{1} = x/y"), ("y = {0}*x", "x = y*{1}"), ("x*{1} = y", "y*{0} = x")]


@pytest.mark.long
@examples(4)
@given(st.sampled_from(ABOVE_ONE), st.sampled_from(ABOVE_ONE), st.sampled_from(FORMS))
def test_positive_numbers_of_which_each_is_greater_than_the_other_are_neither_solutions_nor_a_curve(f, g, form):
    """Near zero they differ by less than any tolerance."""
    texts = [text.format(f.format("x"), g.format("y")) for text in form]
    system = bare("x y", *texts, domains=dict.fromkeys("xy", "positive"))
    with pytest.raises((NoSolutionError, LimitError)):
        system.solve_all("x")


@given(st.decimals("0.01", "99", places=2), st.integers(2, 9), st.sampled_from(["x*y = {0}", "x*exp(y) = {0}"]))
def test_equations_that_repeat_each_other_in_exact_decimals_hold_along_a_curve(height, factor, text):
    first = text.format(height)
    second = f"{factor}*" + text.format(factor * height)
    system = bare("x y", first, second, domains=dict.fromkeys("xy", "positive"))
    with pytest.raises(UnderdeterminedError):
        system.solve_all("x")


CURVES_OF_X_OVER_D = ["y*sin(d)", "y*cos(d)", "y*(d**3 + 1)", "exp(y*d) - 2", "d*cosh(d) + y"]


@pytest.mark.ordinary(8)
@pytest.mark.parametrize(
    ("emptied", "curve"),
    [*product(["a*d = b*x", "a*exp(d) = b*sin(x)"], CURVES_OF_X_OVER_D), ("a*d = b*x", "y*max(d, sin(d))")],
)
@pytest.mark.parametrize("open_factor", ["max(b, z)", "z", "exp(z)"])
def test_an_equation_without_an_unknown_beside_zeros_fixes_no_point_of_a_curve(curve, emptied, open_factor):
    system = bare(
        "a b c d x y z",
        emptied,
        f"x = c*{open_factor}",
        f"x = {curve}",
        domains=dict.fromkeys("abcdxyz", "real"),
    )
    answer = system.solve("x", a=0, b=0, c=0, y=-1)
    assert number(answer) == 0
    assert not answer.failed
    for best in (system.most, system.least):
        assert number(best("x", a=[0, 1], b=0, c=0, y=-1)) == 0
    with pytest.raises(UnderdeterminedError):
        system.without("r2").solve("x", a=0, b=0, y=-1)


@pytest.mark.parametrize("size", [1e-5, 1e-6, 1e-8, 1e-11, 1e-40, 1e-82])
@pytest.mark.parametrize("texts", [("x*cosh(x) = y", "y*cosh(y) = x"), ("cosh(x) = y/x", "cosh(y) = x/y")])
def test_a_point_near_zero_where_two_equations_only_approach_each_other_leads_elsewhere(texts, size):
    system = System(tuple(map(parse_equation, texts)), ("x", "y"), {}, dict.fromkeys("xy", POSITIVE))
    point = {"x": size, "y": size}
    assert system.holds(point)
    assert leads_elsewhere(point, system)
    assert not lies_on_curve(point, system)


@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-11])
def test_a_curve_through_zero_is_one_near_zero_too(size):
    texts = ("y*(1 + y) = x*(1 + x)", "y*exp(y) = x*exp(x)")
    system = System(tuple(map(parse_equation, texts)), ("x", "y"), {}, dict.fromkeys("xy", POSITIVE))
    point = {"x": size, "y": size}
    assert not leads_elsewhere(point, system)
    assert lies_on_curve(point, system)


@pytest.mark.parametrize(
    ("second", "is_curve"), [("log(x*y) + 1 = 1", True), ("log(x*y) + 1 = 1.00000000000001", False)]
)
def test_a_point_that_is_on_one_curve_and_beside_the_next_is_on_none(second, is_curve):
    texts = ("x*y = 1", second)
    system = System(tuple(map(parse_equation, texts)), ("x", "y"), {}, dict.fromkeys("xy", POSITIVE))
    assert lies_on_curve({"x": 0.5, "y": 2.0}, system) is is_curve


ROUNDED = {
    "floor(p) + {k}": lambda p, k: math.floor(p) + k,
    "ceil(2*p - {k})": lambda p, k: math.ceil(2 * p - k),
    "floor(p + {k}) + 3*floor(p/2)": lambda p, k: math.floor(p + k) + 3 * math.floor(p / 2),
    "2*p + {k}": lambda p, k: 2 * p + k,
    "p**2 + {k}": lambda p, k: p * p + k,
}


@pytest.mark.ordinary(6)
@pytest.mark.parametrize("seed", range(20))
def test_between_two_steps_an_unknown_is_free_and_the_equations_are_not_dependent(seed):
    """The level `u` is planted; each equation holds both unknowns, since `p` stands on both sides of one."""
    draw = random.Random(f"between steps {seed}")
    inner = draw.choice(list(ROUNDED))
    outer = draw.choice(["v", "v**2"]) if "p**2" not in inner and "2*p +" not in inner else "floor(v)"
    offset = Fraction(draw.randint(-20, 20), 10)

    def level(p):
        v = ROUNDED[inner](p, offset)
        return {"v": v, "v**2": v * v, "floor(v)": Fraction(math.floor(v))}[outer]

    u = level(Fraction(draw.randint(-300, 300), 100))
    equations = [parse_equation(f"u + p = {outer} + p"), parse_equation(f"v = {inner.format(k=float(offset))}")]
    outcome = solve_block(equations, ["p", "v"], {"u": float(u)}, dict.fromkeys("pv", Domain("real", -9.0, 9.0)))
    spans = [solution.spans.get("p") or (solution.values["p"],) * 2 for solution in outcome.solutions]
    for i in range(-899, 900):
        p = Fraction(2 * i + 1, 202)  # no step lies there
        is_inside = any(low <= p <= high for low, high in spans)
        if abs(ROUNDED[inner](p, offset)) < 9:
            assert is_inside == (level(p) == u), (inner, outer, float(p), spans)


@pytest.mark.parametrize(("offset", "level", "roots"), [(2, "1", [-1, 1]), (0.3, "0.49", [-0.7]), (1.8, "0.64", [0.8])])
def test_what_is_rounded_has_one_value_between_two_steps(offset, level, roots):
    """Where a step ends, `floor` has its next value already, which does not satisfy the equations."""
    equations = [parse_equation("u + p = v**2 + p"), parse_equation(f"v = floor(p) + {offset}")]
    outcome = solve_block(equations, ["p", "v"], {"u": float(level)}, dict.fromkeys("pv", Domain("real", -9.0, 9.0)))
    assert not any("v" in solution.spans for solution in outcome.solutions)
    assert sorted(solution.values["v"] for solution in outcome.solutions) == pytest.approx(roots)
