"""Answers at numbers that random ones hardly ever are: zeros, ties, ends of domains, and domains of a single number."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from derive import AmbiguousError, InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from tests.derive.statements import bare, number, numbers, span
from tests.ordinary import every


@every("seed", range(300), ordinary=15)
def test_systems_of_kinks_have_all_their_small_solutions(seed):
    """One of two solutions may be zero, with the same number of the other unknown: they are not one for that."""
    draw = random.Random(f"kinks {seed}")
    a, b, c = (draw.choice([-1, 0, 1, 2]) for _ in range(3))
    first = draw.choice([f"min(y, x + {abs(b) + 1})", "min(y, x + y)", "max(x + y, 3*y)", f"y + {b}", "abs(x + y)"])
    second = draw.choice(["abs(x - y)", "(x - y)**2", f"abs(2*x - y + {a})", f"abs(x + {c}) + abs(y)", "max(x, y)"])
    halves = [Fraction(i, 2) for i in range(-12, 13)]

    def both(x, y):
        at = {"x": x, "y": y}
        return eval(first, {}, at), eval(second, {}, at)

    levels = both(draw.choice(halves), draw.choice(halves))
    relations = [
        f"{side} = {level}*k" if level else f"{side} = k - 1"
        for side, level in zip((first, second), levels, strict=True)
    ]
    library = bare("k x y", *relations, domains=dict.fromkeys("kxy", "real"))
    try:
        answers = library.solve_all("x", k=1)
    except UnderdeterminedError:  # they hold along a whole curve
        return
    if any("not proved" in note or "elsewhere" in note for answer in answers for note in answer.assumptions):
        return
    for x, y in product(halves, halves):
        if both(x, y) == levels:
            assert any(
                answer.low.magnitude - 1e-9 <= x <= answer.high.magnitude + 1e-9
                if answer.value is None
                else number(answer) == pytest.approx(float(x), abs=1e-9)
                for answer in answers
            ), (first, second, levels, x)


@pytest.mark.parametrize(
    ("relations", "values"),
    [
        (("min(y, x + 5) = 1", "abs(x - y) = 1"), [0, 2]),
        (("min(y, x + 5) = 0.37", "abs(x - y) = 0.37"), [0, 0.74]),
        (("max(x + y, 3*y) = 3", "(x - y)**2 = 1"), [0, 2]),
        (("min(y - 1, x + 3) = 1", "abs(2*x - y) = 2", "x**2 + y**2 = 8"), [2]),
    ],
)
def test_a_solution_is_not_moved_to_another_in_which_one_unknown_is_zero(relations, values):
    library = bare("x y", *relations, domains={"x": "real", "y": "real"})
    assert numbers(library.solve_all("x")) == pytest.approx(values)


@pytest.mark.parametrize(
    ("relation", "y"), [("y = abs(floor(x))", -2), ("y = 2*abs(ceil(x))", -2), ("y = 1 - abs(floor(x) - 1)", 2)]
)
def test_a_size_of_a_whole_number_is_not_negative(relation, y):
    with pytest.raises(NoSolutionError):
        bare("x y", relation, domains={"x": "real", "y": "real"}).solve("x", y=y)


@pytest.mark.parametrize(
    ("limits", "domain", "x"),
    [
        (["-x*x >= x"], "0..2", 0),
        (["x*x <= 0*x"], "0..2", 0),
        (["x**3 <= -x"], "nonnegative", 0),
        (["x >= 3"], "0..3", 3),
        (["(x - 2)*x >= 0", "x <= 1"], "0..3", 0),
        (["(x if x > 0 else 5) >= 4"], "0..3", 0),
    ],
)
def test_limits_may_leave_the_end_of_a_domain_alone(limits, domain, x):
    assert number(bare("x", *limits, domains={"x": domain}).solve("x")) == x


@pytest.mark.parametrize(
    ("limits", "domain"),
    [
        (["sqrt(x - 3) <= 2", "x**2 <= 0"], "real"),
        (["1/x >= 2", "x <= 0"], "nonnegative"),
        (["log(x) <= -3", "x <= 0"], "nonnegative"),
        (["x/(x - 2) <= 3", "x >= 2"], "0..2"),
    ],
)
def test_limits_leave_no_number_at_which_one_of_them_is_undefined(limits, domain):
    with pytest.raises((InconsistentError, NoSolutionError)):
        bare("x", *limits, domains={"x": domain}).solve("x")


@pytest.mark.parametrize(
    ("relation", "given"),
    [
        ("y = x*a", {"y": "-1..0", "a": "0"}),
        ("y = x*a", {"y": "0..1", "a": "0"}),
        ("y = 0*x + a", {"y": "-1..1", "a": "0.3"}),
        ("y = a - (x - x)", {"y": "2..4", "a": "2"}),
    ],
)
def test_a_range_in_which_one_number_lets_the_unknown_be_anything_is_no_contradiction(relation, given):
    library = bare("a x y", relation, domains=dict.fromkeys("axy", "real"))
    with pytest.raises(AmbiguousError) as raised:
        library.solve("x", **given)
    assert [answer.bounds for answer in raised.value.answers] == [(float("-inf"), float("inf"))]


def test_the_end_of_a_range_at_which_the_unknown_may_be_anything_is_no_contradiction_in_a_domain_with_one_end():
    library = bare("x y", "y = x - (x + 2)", domains={"x": "nonnegative", "y": "real"})
    assert [answer.bounds for answer in library.solve_all("x", y="-2..-1")] == [(0, float("inf"))]


@pytest.mark.parametrize(
    ("relation", "y"),
    [
        ("y = floor(x)", 2), ("y = ceil(-x)", -2), ("y = x**0", 1), ("y = (x - 2)*(x - 3)", 0), ("y = x/x", 1),
        ("y = x*x - x", 2), ("y = abs(x - 2)", 0), ("y = (1 if x > 1 else x)", 1),
    ],
)  # fmt: skip
def test_a_domain_of_one_number_leaves_that_or_nothing(relation, y):
    library = bare("x y", relation, domains={"x": "2..2", "y": "real"})
    assert numbers(library.solve_all("x", y=y)) == [2]
    with pytest.raises((NoSolutionError, InconsistentError)):
        library.solve("x", y=y + 0.5)


@pytest.mark.parametrize("arm", ["0", "log(1)", "exp(0) - 1", "sqrt(4) - 2", "sin(0)", "k - 1"])
@pytest.mark.parametrize("choice", ["{} if x == 5 else x", "x if x != 5 else {}", "{} if 5 == x else 2*x"])
def test_a_number_that_a_condition_singles_out_may_be_a_solution(arm, choice):
    library = bare("k x y", f"y = {choice.format(arm)}", domains=dict.fromkeys("kxy", "real"))
    assert numbers(library.solve_all("x", y=0, k=1)) == [0, 5]


@pytest.mark.parametrize("text", ["z = -sqrt(-z**2)", "z = 3 - sqrt(-(z - 3)**2)", "z = 3 + floor(-sqrt(-(z - 3)**2))"])
def test_the_one_number_at_which_sides_are_defined_may_be_a_root(text):
    root = 3 if "3" in text else 0
    answers = bare("a z", f"a*z = z + {text.partition('=')[2]}", domains={"a": "real", "z": "real"}).solve_all("z", a=2)
    assert numbers(answers) == [root]


def test_intervals_that_touch_where_a_relation_is_undefined_have_no_number_there():
    library = bare("a b c", "a = floor(b/2)", "c = b/(a + b)", domains=dict.fromkeys("abc", "real"))
    with pytest.raises(AmbiguousError) as raised:
        library.solve("b", a=0, c=1)
    assert [span(answer) for answer in raised.value.answers] == [pytest.approx((0, 2))]


def test_the_one_number_at_which_sides_are_defined_is_not_denied_where_it_is_no_decimal():
    library = bare("a z", "a*z = z + sqrt(2) - sqrt(-(z - sqrt(2))**2)", domains={"a": "real", "z": "real"})
    with pytest.raises(LimitError, match="not proved"):
        library.solve_all("z", a=2)


def test_a_factor_of_both_sides_of_a_limit_may_be_zero():
    library = bare("p x", "p*x >= 3*p", domains={"p": "nonnegative", "x": "0..9"})
    assert [span(answer) for answer in library.solve_all("x", p=2)] == [(3, 9)]
    assert [span(answer) for answer in library.solve_all("x", p=0)] == [(0, 9)]
