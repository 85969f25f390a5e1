"""Sides that are powers of their unknown: one root, all of the domain, or a search, as the equation has it."""

import math
import random
from fractions import Fraction

import pytest

from derive.expressions.grammar import parse_equation
from derive.numerics.root_finding.residual import OneUnknown
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.free_unknowns import by_proportion
from derive.solving.blocks.one_unknown import values_of
from quantities.domain import Domain
from tests.ordinary import every

POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
ZERO = {"none": 0.0}


def term(draw: random.Random, degree: Fraction, depth: int) -> str:
    """A random expression that is x**degree times its value at one."""
    if depth == 0:
        return f"{draw.uniform(0.1, 9):.3f}*x**({degree})"
    part = Fraction(draw.randint(-4, 4), 2)
    match draw.choice(["max", "min", "sum", "product", "quotient", "root", "square", "idle"]):
        case "max" | "min" as name:
            return f"{name}({term(draw, degree, depth - 1)}, {term(draw, degree, depth - 1)})"
        case "sum":
            return f"({term(draw, degree, depth - 1)} + {term(draw, degree, depth - 1)})"
        case "product":
            return f"{term(draw, part, depth - 1)}*{term(draw, degree - part, depth - 1)}"
        case "quotient":
            return f"{term(draw, part, depth - 1)}/({term(draw, part - degree, depth - 1)})"
        case "root":
            return f"sqrt({term(draw, 2 * degree, depth - 1)})"
        case "square":
            return f"({term(draw, degree / 2, depth - 1)})**2"
        case "idle":
            return f"max({term(draw, degree, depth - 1)}, none)"
    raise AssertionError


def at(text: str, x: float) -> float:
    return eval(text, {"max": max, "min": min, "sqrt": math.sqrt}, {"x": x, **ZERO})


@every("seed", range(60), ordinary=2)
def test_the_one_root_of_two_powers_is_found_whatever_binds(seed):
    draw = random.Random(seed)
    left, right = draw.sample([Fraction(n, 2) for n in range(-4, 5)], 2)
    root = 10 ** draw.uniform(-3, 3)
    text, other = term(draw, left, 3), term(draw, right, 2)
    share = at(text, root) / at(other, root)
    found = values_of(parse_equation(f"{text} = {share!r}*{other}"), "x", ZERO, POSITIVE)
    assert [one.values["x"] for one in found.solutions] == [pytest.approx(root, rel=1e-9)]
    assert not found.caveat


@pytest.mark.thorough
@every("seed", range(60), ordinary=2)
def test_where_the_unknown_cancels_it_may_be_anything_or_nothing(seed):
    draw = random.Random(seed)
    degree = Fraction(draw.randint(-4, 4), 2)
    text, other = term(draw, degree, 3), term(draw, degree, 2)
    share = at(text, 1.0) / at(other, 1.0)
    (whole,) = values_of(parse_equation(f"{text} = {share!r}*{other}"), "x", ZERO, POSITIVE).solutions
    assert whole.spans == {"x": (0.0, math.inf)}
    apart = values_of(parse_equation(f"{text} = {1.5 * share!r}*{other}"), "x", ZERO, POSITIVE)
    assert (apart.solutions, apart.caveat, apart.undecided) == ((), None, False)
    assert apart.reason == "the two sides never meet in its domain"


@every("seed", range(40), ordinary=4)
def test_shares_of_what_is_all_in_proportion_leave_their_unknown_free(seed):
    """Times that all fall with the chips: each has one share of the longest, whatever the chips are."""
    draw = random.Random(seed)
    times = {name: draw.uniform(0.1, 9) for name in "ab"}
    longest, share = max(times.values()), Domain("0..1", 0.0, 1.0)
    equations = ["p = a/x", "q = b/x", "t = max(p, q, none)", "r = p/t", "s = q/t", "y = r*s + s"]
    at_one = {"r": times["a"] / longest, "s": times["b"] / longest}
    known = {**times, **ZERO, "y": at_one["r"] * at_one["s"] + at_one["s"]}
    unknowns = ["x", "p", "q", "t", "r", "s"]
    domains = {name: share if name in at_one else POSITIVE for name in unknowns}
    written = [parse_equation(one) for one in equations]
    (whole,) = solve_block(written, unknowns, known, domains).solutions
    assert whole.is_whole
    assert whole.values == pytest.approx(at_one)
    assert set(whole.spans.values()) == {(0.0, math.inf)}
    other = solve_block(written, unknowns, {**known, "y": 1.1 * known["y"]}, domains)
    assert not other.solutions
    assert not other.undecided


@pytest.mark.parametrize(
    "text", ["x = x**2 + 1", "4 = max(2*x, 3)", "8 = x + exp(x)", "2 = x if x > 1 else 2*x", "sin(x) = x", "x**x = 4*x"]
)
def test_what_is_no_power_is_left_to_the_search(text):
    assert by_proportion(OneUnknown(parse_equation(text), "x", {}, POSITIVE)) is None


def test_a_name_that_may_be_zero_or_negative_is_left_to_the_search():
    for domain in (Domain("nonnegative", 0.0, math.inf), Domain("real", -math.inf, math.inf)):
        found = values_of(parse_equation("max(x, 2*x) = 0*x"), "x", {}, domain)
        assert by_proportion(OneUnknown(parse_equation("max(x, 2*x) = 0*x"), "x", {}, domain)) is None
        assert any(one.values.get("x") == 0.0 for one in found.solutions) or found.solutions[0].spans


def test_an_arm_that_cancels_makes_no_whole_of_a_system_in_which_another_may_bind():
    equations = [parse_equation("t = max(a/x, b)"), parse_equation("y = t*x")]
    known = {"a": 6.0, "b": 2.0, "y": 6.0}
    found = solve_block(equations, ["t", "x"], known, {"t": POSITIVE, "x": POSITIVE})
    assert [one.spans["x"] for one in found.solutions] == [(0.0, pytest.approx(3.0))]


@every("seed", range(40), ordinary=2)
def test_sides_that_rounding_alone_tells_apart_leave_the_unknown_free(seed):
    """A share of a sum in itself: each factor is rounded on its own, so no two of them cancel to the last digit."""
    draw = random.Random(seed)
    size, scale = 10 ** draw.uniform(-6, 12), 10 ** draw.uniform(-9, 9)
    share = draw.choice([1.0, 0.7, 3.0])
    known = {"a": size, "b": draw.uniform(1, 2), "s": scale, "y": share}
    known |= {"c": known["a"] / share / scale, "d": known["b"] / share / scale}
    equation = parse_equation("y = (a + b*x)/((c + d*x)*s)")
    (whole,) = values_of(equation, "x", known, POSITIVE).solutions
    assert whole.spans == {"x": (0.0, math.inf)}
    apart = {**known, "y": share * (1 + 1e-8)}
    assert not [one for one in values_of(equation, "x", apart, POSITIVE).solutions if one.spans]


def test_what_nears_a_number_without_end_is_never_that_number():
    for text in ("1 = tanh(x)", "1 = x/(x + a)", "1 = 1 + a/x"):
        found = values_of(parse_equation(text), "x", {"a": 1.0}, POSITIVE)
        assert not found.solutions
