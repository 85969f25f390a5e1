"""The best choice beside points at which a limit has no value, against enumeration: such a point is no choice."""

from __future__ import annotations

import math
import random
from contextlib import suppress
from fractions import Fraction
from itertools import product

import pytest

import derive
from derive import InconsistentError, LimitError
from tests.derive.statements import bare
from tests.ordinary import every

LIMITS = {  # undefined at an end of the ranges, though not where they are simplified
    "x/x >= 0.5": lambda x, y: x / x >= Fraction(1, 2),
    "1/x >= 0.3": lambda x, y: 1 / x >= Fraction(3, 10),
    "min(y, 0.7) <= x/x": lambda x, y: min(y, Fraction(7, 10)) <= x / x,
    "y/x <= 2": lambda x, y: y / x <= 2,
    "(x - 4)/(x - 4) >= y/y": lambda x, y: (x - 4) / (x - 4) >= y / y,
    "log(x) <= 2": lambda x, y: x > 0 and math.log(x) <= 2,
}


@every("seed", range(24), ordinary=4)
def test_no_choice_of_counts_that_fulfils_a_limit_is_lost(seed):
    draw = random.Random(seed)
    text = [*LIMITS][seed % len(LIMITS)]
    a, b, sense = draw.choice((1, 2, -1)), draw.choice((0, 1, -3)), draw.choice(("least", "most"))
    library = bare("f x y", f"f = {a}*x + {b}*y", domains={"f": "real", "x": "0..9, whole", "y": "0..9, whole"})
    goals = []
    for x, y in product(range(5), range(3)):
        try:
            if LIMITS[text](Fraction(x), Fraction(y)):
                goals.append(a * x + b * y)
        except ZeroDivisionError:
            continue
    best = getattr(library, sense)("f", such_that=text, x="0..4", y="0..2")
    assert best.value.magnitude == pytest.approx(min(goals) if sense == "least" else max(goals))


@pytest.mark.parametrize("text", ["x/x >= 0.5", "log(x) <= 2", "x**2/x <= 3"])
def test_a_best_choice_that_is_only_approached_is_not_denied(text):
    """As x approaches zero, where the limit has no value, so does its square."""
    library = bare("f x", "f = x**2", domains={"f": "real", "x": "real"})
    best = library.least("f", such_that=text, x="0..4")
    assert 0 <= best.value.magnitude < 1e-9
    assert not best.proved


@every("seed", range(24), ordinary=5)
def test_what_nobody_asked_for_may_be_undefined_at_the_best_choice(seed):
    """`solve` answers there; that the quantity has a case, or a limit elsewhere, changes nothing."""
    draw = random.Random(seed)
    a, b, sense = draw.choice((1, 2, -1)), draw.choice((1, 3, -3)), draw.choice(("least", "most"))
    form, turn = draw.choice(("1/x", "y/x + 2", "5/(x*y)", "log(x)")), draw.choice((2, 3, 7))
    cases = [{"equation": f"p = {form}", "when": [f"x <= {turn}"]}, {"equation": "p = 3*x", "when": [f"x > {turn}"]}]
    domains = {"f": "real", "p": "real", "x": "0..9, whole", "y": "1..9, whole"}
    library = bare("f x y p", f"f = {a}*x + {b}*y", *cases, domains=domains)
    goals = [a * x + b * y for x, y in product(range(5), range(1, 4))]
    best = getattr(library, sense)("f", x="0..4", y="1..3")
    assert best.value.magnitude == (min(goals) if sense == "least" else max(goals))
    assert best.proved


def test_what_the_best_choice_rests_on_is_defined_there():
    cases = [{"equation": "p = 0.3 - x/x", "when": ["x < 2"]}, {"equation": "p = 2*x", "when": ["x >= 2"]}]
    domains = {"f": "real", "g": "real", "p": "real", "x": "0..9, whole"}
    library = bare("f g p x", "f = p*p + 2*p", "g = max(x - 0.7, 0)", *cases, domains=domains)
    front = library.front(["least f", "least g"], x="0..4")
    assert [point.numbers for point in front.points] == [pytest.approx((0.49 - 1.4, 0.3))]
    assert library.least("f", x="0..4").value.magnitude == pytest.approx(0.49 - 1.4)


def test_where_a_relation_that_nobody_asked_for_cannot_hold_the_next_choice_is_told():
    """At x = 0 the first relation of q is 0/0, and the second asks for a number: `solve` refuses that."""
    cases = [{"equation": "q = p/x", "when": ["p <= 9"]}, {"equation": "q = 1", "when": ["p < 9"]}]
    domains = {**dict.fromkeys("fpqy", "real"), "x": "0..100, whole"}
    library = bare("f p q x y", "p = max(x, x)", *cases, "f = y*p + x", domains=domains)
    with pytest.raises(derive.DeriveError):
        library.solve("f", x="0", y="0.4")
    assert library.least("f", x="0..4", y=["0.4", "0.6"]).value.magnitude == pytest.approx(1.4)


def test_where_only_another_case_asks_for_what_is_undefined_the_choice_stays():
    """At x = 0 the first relation of q is 0/0, and the second, which asks for a number, does not apply."""
    cases = [
        {"equation": "q = ceil(p/3) - p/x", "when": ["p <= 0.3"]},
        {"equation": "q = abs(p - 0.1) - 0.7*y", "when": ["p > 0.3"]},
    ]
    domains = {**dict.fromkeys("fpqy", "real"), "x": "0..100, whole"}
    library = bare("f p q x y", "p = max(x, x)", *cases, "f = y*p + x", domains=domains)
    assert library.solve("f", x="0", y="0.4").base == 0
    assert library.least("f", x="0..4", y=["0.4", "0.6"]).value.magnitude == 0


@every("seed", range(60), ordinary=12)
def test_the_open_end_of_a_domain_excludes_no_choice_beside_it(seed):
    """Where `s = y - c` is positive, b of x alone is not moved by y; the infimum of `a = k*s**2` is never reached."""
    draw = random.Random(f"open end {seed}")
    c, sense = draw.choice((0, 1, -0.5)), draw.choice(("least", "most"))
    low, high = sorted(draw.sample((-2, -1, 0, 0.5, 1, 2), 2))
    text, function = draw.choice((("2*x", lambda x: 2 * x), ("x**2", lambda x: x**2), ("3 - x", lambda x: 3 - x)))
    library = bare("b s a x y", f"s = y - {c}", f"b = {text}", "a = s**2", domains=dict.fromkeys("abxy", "real"))
    goals = [function(Fraction(low) + (Fraction(high) - Fraction(low)) * step / 60) for step in range(61)]
    best = getattr(library, sense)("b", x=f"{low}..{high}", y=f"{c - 1}..{c + draw.choice((0.5, 2))}")
    assert best.value.magnitude == pytest.approx(min(goals) if sense == "least" else max(goals), abs=1e-9)
    assert best.proved
    assert best.at["y"].magnitude > c
    with suppress(LimitError):  # which says that no choice was found
        assert library.least("a", y=f"{c}..{c + 1}").value.magnitude == pytest.approx(0, abs=1e-20)


def test_a_choice_of_which_one_has_no_case_at_all_is_told_as_the_others_are():
    library = bare("a x y", "a = x*min(1, y)", domains={"a": "positive", "x": "real", "y": "real"})
    assert library.least("a", x=["0", "2"], y="0.5..2").value.magnitude == 1
    with pytest.raises(LimitError):
        library.least("a", x=["-1", "0"], y="-1..2")


COUNTED = {
    "k*n": lambda n, m, k: k * n,
    "n*m": lambda n, m, k: n * m,
    "(n - m)**2": lambda n, m, k: (n - m) ** 2,
    "m/n": lambda n, m, k: m / n if n else None,
    "k - n*m": lambda n, m, k: k - n * m,
    "max(n - m, m - n)": lambda n, m, k: abs(n - m),
}
GOALS = {"q": lambda n, m, q: q, "n + m": lambda n, m, q: n + m, "m - n": lambda n, m, q: m - n}


@every("seed", range(300), ordinary=10)
def test_counts_at_which_a_quantity_leaves_its_domain_are_no_choice(seed):
    """A positive cost of no users at all; the others are enumerated."""
    draw = random.Random(f"counts out of domain {seed}")
    form, goal, sense = draw.choice([*COUNTED]), draw.choice([*GOALS]), draw.choice(("least", "most"))
    k, least = Fraction(draw.choice((1, 2, 3))), draw.choice((-2, -1, 0))
    ends = {name: (low, low + draw.randint(1, 4)) for name, low in (("n", least), ("m", draw.choice((-1, 0, 1))))}
    library = bare(
        "k n m q t",
        f"q = {form}",
        f"t = {goal} + 0*q",
        domains={"n": "-3..9, whole", "m": "-3..9, whole", "t": "real", "q": "positive"},
    )
    choices = product(*(range(low, high + 1) for low, high in ends.values()))
    found = [(n, m, COUNTED[form](Fraction(n), Fraction(m), k)) for n, m in choices]
    values = [GOALS[goal](n, m, q) for n, m, q in found if q is not None and q > 0]
    given = {name: f"{low}..{high}" for name, (low, high) in ends.items()}
    try:
        optimum = getattr(library, sense)("t", k=float(k), **given)
    except InconsistentError:
        assert not values, (form, goal, given)
        return
    assert optimum.value.magnitude == pytest.approx(float(min(values) if sense == "least" else max(values)))
    assert derive.verify(optimum) == optimum.proved


def test_a_cost_of_no_users_is_none_and_that_of_one_is_proved_the_least():
    library = bare("users fee cost", "cost = fee*users", domains={"users": "0..10, whole"})
    optimum = library.least("cost", users="0..10", fee=2)
    assert (optimum.value.magnitude, optimum.at["users"].magnitude) == (2, 1)
    assert optimum.proved


def test_an_infimum_at_the_open_end_of_a_domain_beside_the_target_is_come_near_to():
    library = bare("n q t", "q = sqrt(n - 3)", "t = n", domains={"n": "real"})
    assert library.least("t", n="0..4").value.magnitude == pytest.approx(3, rel=1e-9)


@pytest.mark.parametrize("limit", ["q >= -2", "q <= 9", "q + c >= 0"])
def test_a_limit_asked_of_what_leaves_its_domain_everywhere_is_a_contradiction(limit):
    library = bare("c q t", "q = -c", "t = c", domains={"c": "real", "t": "real"})
    with pytest.raises(InconsistentError, match="q has no admissible value anywhere in the ranges"):
        library.most("t", c="1..5", such_that=limit)
    assert library.most("t", c="-5..-1", such_that="q >= 2").value.magnitude == -2
    with pytest.raises(derive.UnderdeterminedError):
        bare("c q t", "t = c").most("t", c="1..5", such_that="q >= 2")


@pytest.mark.parametrize("limit", ["n >=", "<= 3", "n >= 3 +* 2", "n >= 3*(", "(n >= 3"])
def test_a_limit_that_is_not_read_names_such_that(limit):
    with pytest.raises(derive.DeriveError, match="such_that"):
        bare("n t", "t = 2*n").least("t", n="1..5", such_that=limit)


@pytest.mark.parametrize("limits", [["max(x**2, q + x) >= 2"], ["n + q >= 2", "max(x**2, q + x) >= 2"]])
def test_a_count_is_cut_first_where_a_divisor_is_zero_at_one_of_its_numbers(limits):
    library = bare("n x q", "q = x/n", *limits, domains={"n": "-1..2, whole", "x": "0..3", "q": "real"})
    optimum = library.least("x", n="-1..2", x="0..3")
    assert optimum.value.magnitude == pytest.approx(1)
    assert optimum.proved
