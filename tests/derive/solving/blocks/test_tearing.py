"""Tearing finds what algebra does: points that conditions leave of a line, and roots at the ends of a domain."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive import DeriveError, LimitError, NoSolutionError
from derive.expressions.grammar import parse_equation
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.tearing import _TornBranch
from quantities.domain import Domain
from tests.derive.statements import bare, numbers
from tests.ordinary import every, examples

REAL = Domain("real", -math.inf, math.inf)
NONNEGATIVE = Domain("nonnegative", 0.0, math.inf)
POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
TENTHS = st.integers(-99, 99).map(lambda tenths: tenths / 10)
SIGNS = st.sampled_from(["<", "<="])


@pytest.mark.long
@given(TENTHS, TENTHS, st.sampled_from([0.5, 1.0, 2.0, 3.0]), SIGNS, SIGNS, st.sampled_from([-1.5, 0.0, 2.5]))
def test_two_conditions_leave_a_point_only_if_both_hold_there(x, y, factor, at_x, at_y, room):
    texts = [f"u = {factor}*x + y if y {at_y} b else 700", f"v = {factor}*x + y if x {at_x} a else 600"]
    whole = factor * x + y
    domains = dict.fromkeys("xy", REAL)
    known = {"u": whole, "v": whole, "a": x + room, "b": y}
    outcome = solve_block([parse_equation(text) for text in texts], ["x", "y"], known, domains)
    if room > 0:
        (along,) = outcome.solutions
        assert along.spans["x"] == pytest.approx((x, x + room))
    elif room < 0 or "<" in (at_x, at_y):
        assert not outcome.solutions
        assert not outcome.undecided
    else:
        (point,) = outcome.solutions
        assert dict(point.values) == pytest.approx({"x": x, "y": y}, abs=1e-12)


@pytest.mark.parametrize("level", [0.5, 1.75])
def test_an_interval_that_one_tear_loses_is_taken_from_another(level):
    """`z` is 0 or `2*b`; where it is 0, so is `x`, by which another tear divides, and `y` is free."""
    nonnegative = Domain("nonnegative", 0.0, math.inf)
    equations = [parse_equation(text) for text in ("x*y = 0", "(z + x**3)*y = (z + x**3)*b", "z*(z - b) = z*b")]
    outcome = solve_block(equations, [*"xyz"], {"b": level}, dict.fromkeys("xyz", nonnegative))
    along = [solution for solution in outcome.solutions if solution.spans]
    assert sorted(solution.spans["y"] for solution in along) == [
        (0, pytest.approx(level)),
        (pytest.approx(level), math.inf),
    ]
    assert all(solution.values == {"x": 0.0, "z": 0.0} for solution in along)
    (point,) = [solution for solution in outcome.solutions if not solution.spans]
    assert dict(point.values) == pytest.approx({"x": 0.0, "y": level, "z": 2 * level})


FACTORS = st.integers(-5, 5).filter(bool)
KINDS = {"real": REAL, "nonnegative": NONNEGATIVE, "positive": POSITIVE}


HUNDREDTHS = st.integers(1, 999).map(lambda number: Fraction(number, 100))


@given(
    *[FACTORS] * 4,
    st.integers(1, 4),
    st.booleans(),
    HUNDREDTHS,
    HUNDREDTHS | st.just(0),
    st.sampled_from(sorted(KINDS)),
)
def test_solutions_where_a_square_root_begins_are_found_with_all_others(a, b, p, q, size, is_x_zero, unit, end, kind):
    """The slope is infinite there. In the roots of x and y these are a conic and a line, which meet twice at most.

    The square root of x begins at zero, or that of `end - x` ends.
    """
    at_zero = (0, size) if is_x_zero else (size, 0)
    first, second = a * at_zero[0] ** 2 + b * at_zero[1] ** 2, p * at_zero[0] + q * at_zero[1]
    square = a * q**2 + b * p**2
    assume(square)
    other = Fraction(2 * b * p * second, square) - at_zero[0]  # the sum of both is given by the coefficients
    pairs = {at_zero, (other, (second - p * other) / q)}
    met = [(unit * of_x**2, unit * of_y**2) for of_x, of_y in pairs if min(of_x, of_y) >= 0]
    points = [(end - x if end else x, y) for x, y in met]
    least = {"real": -math.inf, "nonnegative": 0, "positive": math.ulp(0.0)}[kind]
    expected = sorted(float(x) for x, y in points if min(x, y) >= least)
    name = f"({float(end)} - x)" if end else "x"
    texts = [
        f"{a}*{name} + {b}*y = {float(first * unit)}",
        f"{p}*sqrt({name}) + {q}*sqrt(y) = {second}*sqrt({float(unit)})",
    ]
    domain = KINDS[kind]
    outcome = solve_block([parse_equation(text) for text in texts], ["x", "y"], {}, dict.fromkeys("xy", domain))
    found = sorted(one.values["x"] for one in outcome.solutions)
    is_proved = not (outcome.caveat or outcome.undecided)
    assert is_proved or unit != 1 or end  # rounding may hide how few there are
    assert all(any(x == pytest.approx(y, rel=1e-9, abs=0) for y in expected) for x in found)
    assert len(found) == len(expected) or not is_proved


@given(HUNDREDTHS)
def test_neither_of_two_solutions_at_the_ends_of_square_roots_is_refuted_by_its_rounding(total):
    """There the root of 150 digits' rounding is left of a square root: no gap of exact decimals."""
    end = float(total)
    texts = [f"x + y = {end}", f"sqrt({end} - x) + sqrt({end} - y) = sqrt({end})"]
    outcome = solve_block([parse_equation(text) for text in texts], ["x", "y"], {}, dict.fromkeys("xy", NONNEGATIVE))
    assert sorted(one.values["x"] for one in outcome.solutions) == [0.0, pytest.approx(end, rel=1e-12)]


IRRATIONAL = {
    "tanh": (-20, 20),
    "exp": (-30, 30),
    "log": (5, 60),
    "sqrt": (5, 60),
    "sinh": (-30, 30),
    "atan": (-40, 40),
    "asinh": (-50, 50),
    "erf": (-15, 15),
}
"""Functions whose values round, and the tenths of arguments at which doubles keep most digits of them."""
FACTOR_TEXTS, OFFSETS, SHARES = ("1", "2", "0.5", "3"), ("5", "-3", "0.7"), ("1", "1/4", "3/11")


@st.composite
def overdetermined_arms(draw):
    """Two relations of which one arm each leaves `x` out, while both say what `y` is; `y`, and the largest `x`."""
    function = draw(st.sampled_from([*IRRATIONAL]))
    argument = Fraction(draw(st.integers(*IRRATIONAL[function]).filter(bool)), 10)
    factor, offset, share = (Fraction(draw(st.sampled_from(texts))) for texts in (FACTOR_TEXTS, OFFSETS, SHARES))
    y = (argument - offset) / factor
    level, other, turn = draw(st.sampled_from(["4", "5/2", "3"])), draw(st.sampled_from(["2/3", "0.3"])), Fraction(4)
    sign = draw(st.sampled_from("+-"))
    texts = [
        f"({share})*(max(x, {level}) {sign} {function}({factor}*y + ({offset})))"
        f" = ({share})*({level}) {sign} ({share})*{function}({argument})",
        f"max(x, {other}) + abs(abs(y) - {turn}) = {other} + {abs(abs(y) - turn)}",
    ]
    return texts, float(y), float(Fraction(other))


@pytest.mark.long
@examples(20, ordinary=4)
@given(overdetermined_arms(), st.booleans())
def test_arms_that_irrational_constants_overdetermine_leave_their_interval(case, is_turned):
    """In doubles the arms disagree in the last digits; in many digits both give `y`, and every small `x` fits."""
    texts, y, largest = case
    equations = [parse_equation(text) for text in texts]
    outcome = solve_block(equations[::-1] if is_turned else equations, [*"xy"], {}, dict.fromkeys("xy", REAL))
    (along,) = [solution for solution in outcome.solutions if solution.spans]
    assert along.spans == {"x": (-math.inf, pytest.approx(largest))}
    assert dict(along.values) == {"y": pytest.approx(y, rel=1e-8, abs=1e-8)}


@pytest.mark.thorough
@pytest.mark.ordinary(3)
@pytest.mark.parametrize("excess", ["1e-12", "1e-10", "1e-7", "1e-13", "3e-11"])
@examples(20, ordinary=5)
@given(overdetermined_arms())
def test_arms_that_only_nearly_agree_leave_no_interval(excess, case):
    (first, second), *_ = case
    equations = [parse_equation(text) for text in (first, f"{second} + {excess}")]
    outcome = solve_block(equations, [*"xy"], {}, dict.fromkeys("xy", REAL))
    assert not any(solution.spans for solution in outcome.solutions)


@pytest.mark.long
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("factor", [0.5, 1, 2])
def test_an_unknown_beside_an_interval_has_the_digits_that_doubles_lose(factor):
    """`tanh(-15)` is so near -1 that only three digits of what it is taken of are left in doubles."""
    y = (-15 - 2) / factor
    texts = (f"max(x, 2.5) + tanh({factor}*y + 2) = 2.5 + tanh(-15)", f"max(x, 0.3) - y = 0.3 - ({y})")
    outcome = solve_block([*map(parse_equation, texts)], [*"xy"], {}, dict.fromkeys("xy", REAL))
    (along,) = [solution for solution in outcome.solutions if solution.spans]
    assert along.spans == {"x": (-math.inf, pytest.approx(0.3))}
    assert dict(along.values) == {"y": pytest.approx(y, rel=1e-12)}


@pytest.mark.long
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("inner", ["max(max(x, 5), y**2)", "max(x, 5, y*y)"])
@pytest.mark.parametrize("b", [32, 32.13])
def test_a_short_interval_in_a_long_one_is_not_called_nothing(inner, b):
    """The first relation holds below 5, and the second only from 1/33.7 to 1/30.4, between the samples."""
    equations = [parse_equation(f"{inner} = a"), parse_equation("1/x + asinh(x) + asin(2*y) = b")]
    domains = dict.fromkeys("xy", Domain("-30..30", -30.0, 30.0))
    outcome = solve_block(equations, [*"xy"], {"a": 5.0, "b": b}, domains)
    assert outcome.solutions
    for solution in outcome.solutions:
        for x in solution.spans["x"] if solution.spans else [solution.values["x"]]:
            assert abs(b - 1 / x - math.asinh(x)) <= math.pi / 2 + 1e-6


@pytest.mark.parametrize(
    "pair",
    [
        ("x + k = min(y, x)", "y = max(x, y)"),
        ("x + k = y if x > 5 else x", "y = x if x > 2 else y"),
        ("x + k = min(y, x)", "y = y if x > 2 else y"),
    ],
)
def test_what_holds_of_large_numbers_within_rounding_alone_is_no_interval(pair):
    library = bare("k x y", *pair, domains={"k": "real", "x": "positive", "y": "real"})
    try:
        answers = library.solve_all("x", k="1")
    except DeriveError:
        return
    assert all(answer.low.magnitude < 1e4 for answer in answers)


CURVES = {
    "exp(x) - {c}": lambda x, c: math.exp(x) - c,
    "{c} - {c}*sin(x)": lambda x, c: c - c * math.sin(x),
    "x**3 - {c}": lambda x, c: x**3 - c,
    "log(x + 6) - {c}": lambda x, c: math.log(x + 6) - c,
}
PRODUCTS = {
    "x*max(y, x)": lambda x, y: x * max(y, x),
    "x*min(y, x)": lambda x, y: x * min(y, x),
    "x*y + 2*max(y, x)": lambda x, y: x * y + 2 * max(y, x),
    "x*y + 2*min(x, 0)": lambda x, y: x * y + 2 * min(x, 0),
    "(abs(x) - 2)*min(y, x)": lambda x, y: (abs(x) - 2) * min(y, x),
    "x*(y if y > x else x)": lambda x, y: x * (y if y > x else x),
}


@every("seed", range(200), ordinary=8)
def test_no_root_is_lost_at_which_a_factor_is_zero(seed: int) -> None:
    """Where the factor follows from the tear, rounding leaves a rest of it, of which the product has no digits.

    The roots are the changes of sign of the product along the curve, on a fine grid.
    """
    draw = random.Random(f"zero factors {seed}")
    product, curve, c = draw.choice([*PRODUCTS]), draw.choice([*CURVES]), draw.choice((0.1, 0.5, 1, 2, 4))

    def gap(x: float) -> float:
        return PRODUCTS[product](x, CURVES[curve](x, c))

    asked = bare("x y", f"{product} = 0", f"y = {curve.format(c=c)}", domains={"x": "-5..5", "y": "real"})
    grid = [-5 + (i + 0.5) / 700 for i in range(6999)]
    between = [(low, high) for low, high in pairwise(grid) if gap(low) * gap(high) < 0]
    try:
        answers = asked.solve_all("x")
    except NoSolutionError:
        assert not between, (product, curve, c)
        return
    except LimitError:
        return
    found = numbers(answers)
    if not any("not proved" in note for answer in answers for note in answer.assumptions):
        missing = [span for span in between if not any(span[0] - 1e-3 <= x <= span[1] + 1e-3 for x in found)]
        assert not missing, (product, curve, c, found)
    for x in found:
        assert abs(gap(x)) <= 1e-9, (product, curve, c, x)


def test_a_zero_that_rounding_leaves_a_rest_of_is_put_in_for_it():
    asked = bare("x y", "x*max(y, x) = 0", "y = exp(x) - 0.1", domains={"x": "real", "y": "real"})
    answers = asked.solve_all("x")
    assert numbers(answers) == pytest.approx([math.log(0.1), 0])
    assert all(answer.proof for answer in answers)


def test_a_root_of_the_tear_that_is_lost_to_rounding_leaves_the_list_in_doubt(monkeypatch):
    monkeypatch.setattr(_TornBranch, "with_zeros", lambda _, values, box: values)
    asked = bare("x y", "x*max(y, x) = 0", "y = exp(x) - 0.1", domains={"x": "real", "y": "real"})
    notes = [note for answer in asked.solve_all("x") for note in answer.assumptions]
    assert len(numbers(asked.solve_all("x"))) == 2 or any("not proved" in note for note in notes)


def test_a_list_by_tearing_without_certificate_says_so():
    asked = bare("x y", "x*y + 2*max(y, x) = 0", "y = 2 - 2*sin(x)", domains={"x": "-5..5", "y": "real"})
    answers = asked.solve_all("x")
    assert numbers(answers) == pytest.approx([-1.5 * math.pi, -2])
    assert all(answer.proof or "no certificate" in " ".join(answer.assumptions) for answer in answers)
