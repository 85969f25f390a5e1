"""What an answer over ranges says of its bounds: no more than its conditions and the other quantities allow."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import pytest

import derive
from derive.expressions.tree import Apply, Name, Node, Number, names_in, render
from derive.numerics.algebra.exact_values import exact_value
from tests.derive.statements import bare, number, span
from tests.ordinary import every

ELSEWHERE = "elsewhere in the ranges there may be others"


def test_bounds_that_another_quantity_forbids_are_not_said_to_be_reached():
    """Of x + z = 2 no x is above 2, where y is 4: six is no value of y."""
    (answer,) = bare("x y z", "y = 2*x", "x + z = 2").solve_all("y", x="1..3")
    low, high = span(answer)
    assert low <= 2
    assert high >= 4
    said = "bounds contain every value in the range; not every value in them need be reached"
    assert high == 4 or answer.assumptions == (said,)


def test_bounds_of_one_value_say_that_another_may_enter_its_domain():
    """At y = 1.2, minus 0.62 has the same hyperbolic cosine as 0.62; at y = 3.8 it would lie below -1."""
    library = bare("x y", "y = cosh(x)", domains={"x": "-1..8", "y": "real"})
    (middle,) = library.solve_all("x", y="1.2..3.8")
    assert len(library.solve_all("x", y=1.2)) == 2
    assert any(ELSEWHERE in note for note in middle.assumptions)


def test_a_value_may_enter_a_domain_where_its_relation_is_defined_in_a_part_of_the_range_only():
    """At a = 1, the sine of x is a half once from 1 to 3; at a = 0.35 it is 0.91, at 1.14 and at 2."""
    library = bare("x y a", "y = sin(x) + sqrt(a)", domains={"x": "1..3", "y": "real", "a": "real"})
    assert len(library.solve_all("x", y=1.5, a=0.35)) == 2
    for a in ("0.3..1.7", "-0.3..2.3"):
        (middle,) = library.solve_all("x", y=1.5, a=a)
        assert any(ELSEWHERE in note for note in middle.assumptions)


@pytest.mark.parametrize(
    ("relation", "domain", "target", "given"),
    [
        ("a = cosh(x)", "positive", "x", {"a": "4..9"}),  # the other root is negative
        ("a = sin(x)", "0..3", "y", {"a": "0", "b": "1..2"}),  # no range moves what is x at the end of its domain
        ("a**2 = x**3", "real", "x", {"a": "-8..27"}),
    ],
)
def test_of_a_value_that_no_other_may_join_no_others_are_said_to_be_possible(relation, domain, target, given):
    library = bare("a b x y", relation, "y = x + b", domains={"x": domain, "a": "real"})
    (answer,) = library.solve_all(target, **given)
    assert not any(ELSEWHERE in note for note in answer.assumptions)


def test_bounds_hold_the_root_that_a_real_power_leaves_out_of_its_closed_form():
    """At y = 0.5, x is minus the root of a half as well, within its domain from -1 on."""
    library = bare("a x y z", "y = x**a", "z = x + 1", domains={"x": "-1..8", "y": "real", "a": "real"})
    (answer,) = library.solve_all("z", y="0.5..3.5", a=2)
    assert span(answer)[0] <= 1 - 0.5**0.5


def test_a_condition_that_the_bounds_of_its_quantities_decide_does_not_turn():
    """From 1 to 3, x*(4 - x)/8 is at most a half: it is below one all over the range."""
    library = bare("x y k", {"equation": "y = 2*x", "when": ["k < 1 or k > 30"]}, "k = x*(4 - x)/8")
    answer = library.solve("y", x="1..3")
    assert span(answer) == (2, 6)
    assert not any("elsewhere" in note or "too wide" in note for note in answer.assumptions)


def test_a_range_that_no_condition_depends_on_turns_none_that_holds_with_equality():
    """The sum 0.1 + 0.2 is 3*0.1 but for its rounding, whatever x is."""
    library = bare("x y k a b", {"equation": "y = 2*x*k", "when": ["k <= 3*a or k < 0.1"]}, "k = a + b")
    answer = library.solve("y", x="1..3", a=0.1, b=0.2)
    assert span(answer) == pytest.approx((0.6, 1.8))
    assert not any("elsewhere" in note or "too wide" in note for note in answer.assumptions)


@pytest.mark.parametrize(
    "relations",
    [
        ("p = x*y", "d = p - x*y", "z = x/d"),
        ("d = abs(x - x)", "z = x/d"),
        ("d = x - x", "z = d/d"),
        ("d = x*y - 3*x", "z = x/d"),
    ],
)
def test_a_quotient_by_what_is_zero_all_over_a_range_has_no_value(relations):
    library = bare("d p w x y z", *relations, "w = 2*z + y", domains=dict.fromkeys("dwz", "real"))
    for target in ("z", "w"):
        with pytest.raises(derive.NoSolutionError, match="undefined"):
            library.solve(target, x="1..2", y=3)


def test_bounds_beyond_the_edge_of_a_case_are_not_called_exact_where_a_fallback_stands_in():
    """The case ends where x is the square root of 4.5; f is one unless something determines it."""
    relation = {"equation": "y = 2*x*f", "when": ["k < 4.5"]}
    library = bare("x y f k", relation, "k = x**2", fallbacks={"f": "1"})
    answer = library.solve("y", x="1..3")
    low, high = span(answer)
    assert low == 2
    assert high >= 2 * 4.5**0.5
    assert any("they may be too wide" in note for note in answer.assumptions)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_of_an_odd_root_reach_to_either_side_of_zero(seed):
    draw = random.Random(seed)
    power, factor = draw.choice((3, 5)), draw.choice((1, 2, 5))
    library = bare("x y k", f"y = {factor}*x**{power} - k", domains=dict.fromkeys("xyk", "real"))
    ends = {name: (draw.randint(-9, 0), draw.randint(1, 9)) for name in "yk"}
    (answer,) = library.solve_all("x", **{name: f"{low}..{high}" for name, (low, high) in ends.items()})
    powers = [(y + k) / factor for y, k in product(*ends.values())]
    roots = [math.copysign(abs(number) ** (1 / power), number) for number in powers]
    assert span(answer) == pytest.approx((min(roots), max(roots)))


def test_a_condition_on_an_odd_root_turns_on_either_side_of_zero():
    """Over the ranges, x comes down to minus two, where z is x."""
    cases = [{"equation": "z = 2*x", "when": ["x > -0.5"]}, {"equation": "z = x", "when": ["x <= -0.5"]}]
    library = bare("x y z k", "y = x**3 - k", *cases, domains=dict.fromkeys("xyzk", "real"))
    answers = library.solve_all("z", y="-8..8", k="0..2")
    assert min(span(answer)[0] for answer in answers) <= -2


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("relation", ["y = 2*a*x/x", "y*x = 2*a*x", "y*x = a*x + x*a", "y - 2*a = 0/x"])
def test_an_unknown_that_cancels_somewhere_in_the_ranges_is_anything_there(relation):
    """With a from 1 to 2, both sides meet where y is 2*a, whatever x is."""
    library = bare("a x y z", relation, "z = x + 1", domains=dict.fromkeys("axyz", "real"))
    for target, planted in (("x", (-70, 0.5, 40)), ("z", (-69, 1.5, 41))):
        answers = library.solve_all(target, a="1..2", y="3..9")
        held = [any(low <= number <= high for low, high in map(span, answers)) for number in planted]
        assert all(held) or any("there may be others" in note for one in answers for note in one.assumptions)


@pytest.mark.parametrize("y", ["5..9", "5"])
def test_an_unknown_that_would_divide_by_zero_all_over_the_ranges_has_no_value(y):
    """Twice a is at most four, so that only a product with zero could be y; but x/x has no value at zero."""
    library = bare("a x y z", "y = 2*a*x/x", "z = x + 1", domains=dict.fromkeys("axyz", "real"))
    for target in "xz":
        with pytest.raises(derive.NoSolutionError):
            library.solve(target, a="1..2", y=y)


@pytest.mark.parametrize(("c", "y"), [(8, "40..320"), (12, "60..480"), (10, "54..432")])
def test_a_value_that_follows_from_another_root_may_enter_its_domain(c, y):
    """In the middle of the ranges, the lower root of the square leads to a b below zero; at its least y, above it."""
    (answer,) = bare("b c x y", "y = x**2", "x = 2*b - c", domains={"x": "real"}).solve_all("b", c=c, y=y)
    assert any(ELSEWHERE in note for note in answer.assumptions)


def test_of_two_solutions_that_agree_in_the_middle_the_bounds_hold_both():
    """Both roots of the square leave x at 2/b there; elsewhere the lower one, down to 0.08, is less."""
    (answer,) = bare("b c x y", "y = (c - b)**2", "x = min(c, 2/b)").solve_all("x", b="11.6..11.8", y="121.3..132.7")
    low, high = span(answer)
    assert (low, high) == pytest.approx((11.6 - math.sqrt(132.7), 2 / 11.6), rel=1e-6)


def test_of_two_solutions_that_agree_in_the_middle_alone_neither_stands_for_the_other():
    """In the middle both are five; elsewhere the one is more, and the other less."""
    pair = bare("k t x", "t**2 = 1", "x = 5 + t*(k - 2)**2", domains={"t": "real"})
    ends = sorted(span(answer) for answer in pair.solve_all("x", k="1..3"))
    assert ends == [pytest.approx((4, 5)), pytest.approx((5, 6))]


OF_ONE_SIGN = ("a/abs(a)", "b*abs(a)/a", "a/sqrt(a**2) + b", "b*a**3/abs(a)**3", "a/max(a, -2*a)", "atan(a/abs(a))*b")


@pytest.mark.parametrize("form", OF_ONE_SIGN)
@pytest.mark.parametrize("low", [-2.153, -0.5, 0.25])
def test_a_range_through_zero_does_not_cancel_where_only_its_sign_is_left(form, low):
    library = bare("a b x", f"x = {form}", domains=dict.fromkeys("abx", "real"))
    (answer,) = library.solve_all("x", a=f"{low}..1.344", b="1..2")
    least, most = span(answer)
    ends = [library.solve("x", a=a, b=b).base for a in (low, 1.344) for b in (1, 2)]
    assert least <= min(ends) + 1e-9
    assert most >= max(ends) - 1e-9
    if low > 0:
        assert (least, most) == pytest.approx((min(ends), max(ends)))


@pytest.mark.parametrize(
    ("relation", "a", "ends"),
    [
        ("y = a/abs(a)", "-1..3", (-1, 1)),
        ("y = a*b/abs(a*b)", "-1..3", (-1, 1)),
        ("y = a/abs(a)", "-3..1", (-1, 1)),
        ("y = a/abs(a)", "-2..2", (-1, 1)),
        ("y = (a - 1)/abs(a - 1)", "1..3", (1, 1)),
        ("y = (a - 0.1)/abs(0.1 - a)", "0.1..0.3", (1, 1)),
        ("y = (1 - a)/abs(a - 1)", "0..3", (-1, 1)),
        ("y = b*sqrt((a - 1)**2)/(a - 1)", "0..3", (-2, 2)),
        ("y = abs(a)*a/abs(a)**2 + b", "-2..2", (0, 3)),
        ("y = a**2/abs(a) + b", "-2..1", (1, 4)),
    ],
)
def test_the_sign_of_a_number_written_as_a_quotient_is_bounded_by_one(relation, a, ends):
    library = bare("a b y", relation, domains=dict.fromkeys("aby", "real"))
    given = {"a": a} | ({"b": "1..2"} if "b" in library.relations["r1"].declared else {})
    (answer,) = library.solve_all("y", **given)
    assert span(answer) == ends
    assert not any("too wide" in note for note in answer.assumptions)


@pytest.mark.parametrize("beside", ["-b - a", "b - 4*a"])
def test_a_sign_stands_beside_a_divisor_that_begins_with_a_negative_term(beside):
    library = bare("a b y", f"y = 3*a/(({beside})*abs(a))", domains=dict.fromkeys("aby", "real"))
    (answer,) = library.solve_all("y", a="-0.25..0.2", b="1..2")
    values = [library.solve("y", a=a, b=b).base for a in (-0.25, -1e-12, 1e-12, 0.2) for b in (1, 2)]
    assert span(answer) == pytest.approx((min(values), max(values)), rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_at_corners_where_terms_cancel_have_all_their_digits(seed):
    """The logarithm of n**2 is twice that of n, so that the share 1e-13 of it is left."""
    n = random.Random(seed).randint(2, 9)
    library = bare("x y k", f"x = y*log({n * n}) - 2*log({n})*y*k", domains={"x": "real"})
    answer = library.solve("x", y="1..2", k="1.0000000000001")
    assert span(answer) == pytest.approx((-4e-13 * math.log(n), -2e-13 * math.log(n)), rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("relation", "a", "ends"),
    [
        ("y = 3*a*a/floor(a)", "0.1..1.1", (3, 3.63)),
        ("y = a/abs(floor(floor(a)))", "0.5..1.5", (1, 1.5)),
        ("y = log(floor(abs(a)))", "-0.5..1.5", (0, 0)),
        ("y = a/(a*ceil(a))", "0.5..1.5", (0.5, 1)),
        ("y = floor(a)/ceil(a)", "-0.5..2.5", (0, 1)),
        ("y = ceil(a/a)", "-0.5..0.7", (1, 1)),
        ("y = max(a, a/a) + a*a/(a/a)", "-1..0", (1, 2)),
        ("y = a*a*(1.5 + a)*1.5/min(a, 3)", "0..3", (0, 20.25)),
        ("y = (min(a, a) - a)/(min(a, a) + ceil(a))", "0..4", (0, 0)),
        ("y = a*(3/a - (1 - a))", "-2..1", (2.75, 9)),
    ],
)
def test_a_divisor_that_is_zero_in_a_part_of_the_ranges_leaves_the_bounds_of_the_others(relation, a, ends):
    """There the target has no value, and a whole number that is not zero is at least one."""
    (answer,) = bare("a y", relation, domains=dict.fromkeys("ay", "real")).solve_all("y", a=a)
    assert span(answer) == pytest.approx(ends, rel=1e-6, abs=1e-6)
    assert not any("too wide" in note for note in answer.assumptions)


@every("seed", range(300), ordinary=20, thorough=28)
def test_bounds_hold_every_value_of_a_random_quotient_with_jumps(seed: int) -> None:
    draw = random.Random(seed)
    node = _random_expression(draw, 3)
    names = names_in(node)
    if not names:
        return
    low = {name: Fraction(draw.randint(-20, 20), 10) for name in names}
    high = {name: low[name] + Fraction(draw.randint(1, 30), 10) for name in names}
    library = bare("a b y", f"y = {render(node)}", domains=dict.fromkeys("aby", "real"))
    try:
        answers = library.solve_all("y", **{name: f"{float(low[name])}..{float(high[name])}" for name in names})
    except derive.DeriveError:
        answers = ()
    lows, highs = zip(*map(span, answers), strict=True) if answers else ((math.inf,), (-math.inf,))
    steps = [[low[name] + (high[name] - low[name]) * Fraction(i, 20) for i in range(21)] for name in names]
    for point in product(*steps):
        number = exact_value(node, dict(zip(names, point, strict=True)))
        if number is not None:
            room = 1e-12 * max(1.0, abs(float(number)))
            assert min(lows) - room <= number <= max(highs) + room, point


def _random_expression(draw: random.Random, depth: int) -> Node:
    if not depth or draw.random() < 0.15:
        return Name(draw.choice("ab")) if draw.random() < 0.8 else Number(Fraction(draw.randint(1, 4), 2))
    op = draw.choice(("add", "mul", "neg", "inv", "inv", "abs", "max", "min", "floor", "ceil"))
    count = 2 if op in ("add", "mul", "max", "min") else 1
    return Apply(op, tuple(_random_expression(draw, depth - 1) for _ in range(count)))


@pytest.mark.parametrize("kind", ["typed", "profile"])
@every("seed", range(40), ordinary=10)
def test_a_range_that_decides_a_case_brings_both_cases_into_the_bounds(seed: int, kind: str) -> None:
    """Whoever states the range, and whatever else it leads to."""
    draw = random.Random(seed)
    edge, low, high, factor = draw.randint(3, 6), draw.uniform(1, 3), draw.uniform(6, 9), draw.randint(2, 5)
    cases = [{"equation": "q = p", "when": [f"d >= {edge}"]}, {"equation": f"q = {factor}*p", "when": [f"d < {edge}"]}]
    relations = ["p = 2*a", *cases, *draw.sample(["r = d + p", "s = d*a", "t = d"], draw.randint(0, 2))]
    text = f"{low}..{high}"
    library = bare("a d p q r s t", *relations, profiles={"own": {"d": text} if kind == "profile" else {"s": "1"}})
    given = {"a": "2"} if kind == "profile" else {"a": "2", "d": text}
    (answer,) = library.solve_all("q", "own", **given)
    assert span(answer) == pytest.approx((4, 4 * factor), rel=1e-5)


@pytest.mark.parametrize("stated", ["typed", "profile", "default"])
def test_a_range_that_is_in_conditions_alone_brings_both_cases_into_the_bounds(stated: str) -> None:
    cases = [{"equation": "p = b", "when": ["b >= a"]}, {"equation": "p = a", "when": ["b < a"]}]
    weak = {"profile": {"profiles": {"own": {"b": "1..8"}}}, "default": {"values": {"b": "1..8"}}}
    library = bare("a b p t", *cases, "t = 2*p", **weak.get(stated, {}))
    profiles = ["own"] if stated == "profile" else []
    (answer,) = library.solve_all("p", *profiles, a=5, **({"b": "1..8"} if stated == "typed" else {}))
    assert span(answer) == pytest.approx((5, 8), rel=1e-5)


def test_a_weak_range_decides_no_case_of_a_quantity_that_follows_from_what_is_typed() -> None:
    cases = [{"equation": "p = b", "when": ["b >= a"]}, {"equation": "p = a", "when": ["b < a"]}]
    library = bare("a b c p", *cases, "c = 2*b", profiles={"own": {"b": "1..8"}})
    (answer,) = library.solve_all("p", "own", a=5, c=4)
    assert (number(answer), answer.bounds) == (5, None)


def test_a_case_that_the_middle_of_a_weak_range_decides_says_so() -> None:
    cases = [{"equation": "q = p", "when": ["d >= 4"]}, {"equation": "q = 4*p", "when": ["d < 4"]}]
    library = bare("a d p q", "p = 2*a", *cases, profiles={"own": {"a": "2..3", "d": "3..7"}})
    (answer,) = library.solve_all("q", "own")
    assert span(answer) == pytest.approx((4, 24), rel=1e-5)
    assert "r3 is left out: d < 4 is false in the middle of the ranges" in answer.assumptions
