"""Relations that no answer needs, and that leave their own unknowns no value beside what is typed: a contradiction."""

from __future__ import annotations

import math
import random

import pytest

from derive import InconsistentError, LimitError
from tests.derive.statements import bare, number
from tests.ordinary import every

CUBE = ["x**3 + x = y"]
TURNING = ["x*exp(x) = y"]
CHOICE = ["y = x if x < 3 else x + 1"]
NUMBERS = ["y = 4 if x < 3 else 5"]
SUM_AND_DIFFERENCE = ["x + z = y", "x - z = 1"]
SQUARE_AND_SELF = ["x**2 + z = y", "z = x"]
GROWING = ["x*exp(z) = y", "z = x**2 + 1"]
CASES = [{"equation": "y = x", "when": "x < 3"}, {"equation": "y = x + 1", "when": "x >= 3"}]
NUMBERS_BY_CASE = [{"equation": "y = 4", "when": "x < 3"}, {"equation": "y = 5", "when": "x >= 3"}]
BEHIND = ["w = 2*y", {"equation": "w = x", "when": "x < 3"}, {"equation": "w = x + 1", "when": "x >= 3"}]

IDLE = [  # relations, the domain of x, for which y they have a solution, and such a y
    (CUBE, "0..1", lambda y: 0 <= y <= 2, 1),
    (TURNING, "real", lambda y: y >= -1 / math.e, 1),
    (CHOICE, "0..9", lambda y: 0 <= y < 3 or 4 <= y <= 10, 4),
    (NUMBERS, "0..9", lambda y: y in (4, 5), 4),
    (SUM_AND_DIFFERENCE, "0..1", lambda y: -1 <= y <= 1, 0),
    (SQUARE_AND_SELF, "real", lambda y: y >= -0.25, 3),
    (GROWING, "0..1", lambda y: 0 <= y <= math.e**2, 1),
    (CASES, "0..9", lambda y: 0 <= y < 3 or 4 <= y <= 10, 4),
    (NUMBERS_BY_CASE, "0..9", lambda y: y in (4, 5), 4),
    (BEHIND, "0..9", lambda y: 0 <= 2 * y < 3 or 4 <= 2 * y <= 10, 4),
]

STEPPED_AND_RISING = (["y = 3*x + floor(x)"], "0..9", lambda y: 0 <= y <= 36 and y % 4 < 3, 1)


def drawn(seed):
    draw = random.Random(f"idle {seed}")
    relations, domain, fits, fitting = draw.choice(IDLE)
    numbers = (draw.randint(-3, 11), round(draw.uniform(-3, 11), 2), 3.5, 4)
    y = draw.choice([number for number in numbers if number != 3])  # at the edge of a case, intervals tell nothing
    domains = {**dict.fromkeys("bwyz", "real"), "x": domain}
    return bare("b w x y z", "b = 2*y", *relations, domains=domains), y, fits(y), fitting


@every("seed", range(300), ordinary=20)
def test_what_is_typed_has_to_leave_the_unknowns_beside_an_answer_some_value(seed):
    library, y, fits, _ = drawn(seed)
    if fits:
        assert number(library.solve("b", y=str(y))) == 2 * y
        return
    with pytest.raises(InconsistentError) as raised:
        library.solve("b", y=str(y))
    assert f"y = {y}" in raised.value.conflicts


@every("seed", range(300), ordinary=20)
def test_a_range_has_to_leave_the_unknowns_beside_an_answer_a_value_at_some_number_in_it(seed):
    draw = random.Random(f"idle range {seed}")
    relations, domain, fits, _ = draw.choice([*IDLE, STEPPED_AND_RISING])
    low = draw.randint(-40, 110) / 10 + 0.05  # at the edge of a case, intervals tell nothing
    high = low + draw.choice((0.1, 0.3, 0.9, 3))
    library = bare("b w x y z", "b = 2*y", *relations, domains={**dict.fromkeys("bwyz", "real"), "x": domain})
    numbers = [4, 5, *(low + (high - low) * step / 1000 for step in range(1001))]
    if any(low <= number <= high and fits(number) for number in numbers):
        answers = library.solve_all("b", y=f"{low:.2f}..{high:.2f}")
        assert answers
        assert all(2 * low - 1e-9 <= end <= 2 * high + 1e-9 for each in answers for end in each.bounds)
        return
    with pytest.raises(InconsistentError) as raised:
        library.solve_all("b", y=f"{low:.2f}..{high:.2f}")
    assert f"y = {low:.2f}..{high:.2f}" in raised.value.conflicts


@every("seed", range(60), ordinary=12)
def test_a_compiled_function_and_a_sweep_have_no_number_where_the_answer_is_a_contradiction(seed):
    library, y, fits, fitting = drawn(seed)
    expected = pytest.approx([2 * y if fits else math.nan, 2 * fitting], nan_ok=True)
    function = library.compile("b", ["y"])
    assert [function(y=float(y)), function(y=float(fitting))] == expected
    assert library.sweep("b", y=[float(y), float(fitting)]).columns["b"].tolist() == expected


@pytest.mark.parametrize(
    ("relations", "domain", "edge"),
    [
        (CUBE, "0..1", 2),
        (NUMBERS, "0..9", 4),
        (SUM_AND_DIFFERENCE, "0..1", 1),
        (GROWING, "0..1", math.e**2),
        (NUMBERS_BY_CASE, "0..9", 5),
    ],
)
def test_what_is_typed_within_the_share_of_agreement_is_no_contradiction(relations, domain, edge):
    library = bare("b x y z", "b = 2*y", *relations, domains={**dict.fromkeys("byz", "real"), "x": domain})
    for share in (-5e-10, 0, 5e-10):
        y = edge * (1 + share)
        assert number(library.solve("b", y=repr(y))) == pytest.approx(2 * y, rel=1e-15)
    with pytest.raises(InconsistentError):
        library.solve("b", y=repr(edge + 1e-6))


def test_a_small_difference_of_large_numbers_contradicts_no_other_one():
    whole = "whole = left + right + 963"
    library = bare("left right whole size speed", "left = size/speed", "right = size/speed", whole)
    answer = library.solve("right", left="3.4664280324091703e-09", whole="963.0000000069329")
    assert number(answer) == pytest.approx(3.4664e-09, rel=1e-3)


@pytest.mark.parametrize("relations", [CASES, NUMBERS_BY_CASE, BEHIND], ids=["unknown", "numbers", "behind"])
def test_relations_of_cases_leave_compiled_functions_and_sweeps_no_number_where_none_fits(relations):
    library = bare("b w x y z", "b = 2*y", *relations, domains={**dict.fromkeys("bwyz", "real"), "x": "-1..9"})
    beside, beyond, fitting = (1.75, -2, 4) if relations is BEHIND else (3.5, 11, 4)
    expected = pytest.approx([math.nan, math.nan, 2 * fitting], nan_ok=True)
    function = library.compile("b", ["y"])
    assert [function(y=float(y)) for y in (beside, beyond, fitting)] == expected
    assert library.sweep("b", y=[beside, beyond, fitting]).columns["b"].tolist() == expected


@pytest.mark.parametrize(
    ("relation", "domain", "y"),
    [
        ("y = x/abs(x)", "-9..1", "0.9..1.2"),
        ("y = sqrt(-(x + 8)*(x + 7)*(x - 2)*(x - 2.05)*exp(x/9)) + x", "-8..8", "1.9..2.9"),
    ],
)
def test_a_range_contradicts_nothing_that_begins_again_past_a_pole_or_a_gap(relation, domain, y):
    library = bare("b x y", "b = 2*y", relation, domains={"b": "real", "x": domain, "y": "real"})
    assert library.solve_all("b", y=y)


def test_a_range_contradicts_no_cases_that_fit_some_of_its_numbers():
    library = bare("b x y", "b = 2*y", *NUMBERS_BY_CASE, domains=dict.fromkeys("bxy", "real"))
    answer = library.solve("b", y="4..6")
    assert (answer.low.magnitude, answer.high.magnitude) == (8, 10)


@every("seed", range(200), ordinary=20)
def test_a_root_beside_which_other_unknowns_have_no_value_is_no_answer(seed):
    draw = random.Random(f"roots {seed}")
    relations, domain, fits, fitting = draw.choice(
        [idle for idle in IDLE if all(isinstance(one, str) for one in idle[0])]
    )
    roots = {float(fitting), round(draw.uniform(-3, 11), 1)}
    first, second = max(roots), min(roots)
    domains = {**dict.fromkeys("yz", "real"), "x": domain}
    library = bare("x y z", f"y**2 - {first}*y = ({second})*y - ({first * second:.6g})", *relations, domains=domains)
    found = [answer.base for answer in library.solve_all("y")]
    assert found == pytest.approx(sorted(y for y in roots if fits(y)))


def test_a_conflict_of_cases_names_those_that_it_needs():
    library = bare(
        "a b c d e",
        {"equation": "b = d + a + 4", "when": "c > 1.5"},
        {"equation": "b = d + a + 9", "when": "c <= 1.5"},
        {"equation": "b = d - a", "when": "e > 0"},
        "d = 2*a - 27",
        domains=dict.fromkeys("abcde", "real"),
    )
    with pytest.raises(InconsistentError, match="r1 or r2: one of them has to apply, and none fits") as raised:
        library.solve("d", a="13", b="9")
    assert {*raised.value.conflicts} == {"r1", "r2", "r4", "a = 13", "b = 9"}


def test_what_follows_from_the_relations_alone_contradicts_them_too():
    domains = {"y": "real", "z": "0..1.5", "x": "-6.5..-3"}
    library = bare("x y z", "x**2 + 0.5*x = 33", "y + z = 3*x", "y - z = x", domains=domains)
    with pytest.raises(InconsistentError):
        library.solve("x")  # z is x, and less than 0


@every("seed", range(200), ordinary=20)
def test_two_numbers_beside_the_same_unknown_have_to_be_one(seed):
    draw = random.Random(f"beside {seed}")
    term = draw.choice(["s", "2*s", "s**2", "exp(s)", "s/3", "s*t", "(s + t)"])
    joined = draw.choice(["{} + {}", "{} - {}", "{}*{}", "{}/{}", "{}**2 + {}", "2*{} + 3*{}"])
    library = bare("a c q s t x", f"x = {joined.format('a', term)}", f"x = {joined.format('c', term)}", "q = a*c")
    a, c = draw.choice([2, 2.5, 7]), draw.choice([2, 2.5, 4])
    if a == c:
        assert number(library.solve("q", a=str(a), c=str(c))) == a * c
        return
    with pytest.raises(InconsistentError) as raised:
        library.solve("q", a=str(a), c=str(c))
    assert {f"a = {a}", f"c = {c}"} <= {*raised.value.conflicts}


SEARCHED = ["k = y**3 + y", "k = y*exp(y)", "k = y + sinh(y)", "k = y + max(y, 2*y)"]


@pytest.mark.parametrize("relation", SEARCHED)
def test_what_a_searched_or_chosen_number_leads_to_has_to_have_a_value(relation):
    library = bare("k x y", relation, "y = x**2", domains=dict.fromkeys("kxy", "real"))
    assert number(library.solve("y", k="3")) > 0
    with pytest.raises(InconsistentError) as raised:
        library.solve("y", k="-0.2")
    assert {"r1", "r2", "k = -0.2"} <= {*raised.value.conflicts}
    assert math.isnan(library.compile("y", ["k"])(k=-0.2))
    column = library.sweep("y", k=[-0.2, 3.0]).columns["y"]
    assert math.isnan(column[0])
    assert column[1] == pytest.approx(number(library.solve("y", k="3")))


def test_a_number_that_rests_on_a_weak_value_contradicts_nothing_that_is_typed():
    relations = ("k = y**3 + u*y", "y = x**2")
    domains = dict.fromkeys("kuxy", "real")
    library = bare("k u x y", *relations, domains=domains, profiles={"stated": {"u": "1"}})
    assert number(library.solve("y", "stated", k="-10")) == -2


def test_a_range_contradicts_no_case_that_fits_where_another_arm_than_in_its_middle_gives_a_quantity():
    library = bare(
        "a b c x z",
        "a = max(x, 2*x)",
        "z = 2*a",
        {"equation": "c = x + 1", "when": "b < 3"},
        {"equation": "c = 100", "when": "b >= 3"},
        domains=dict.fromkeys("abcxz", "real"),
    )
    assert library.solve_all("z", a="-6..8", c="-3")  # x = -4 there, and a = -4


def test_every_verb_says_the_same_of_what_a_searched_number_of_a_case_leads_to():
    library = bare(
        "c k x y",
        {"equation": "k = y**3 + y", "when": "c < 1"},
        {"equation": "k = y + 9", "when": "c >= 1"},
        "y = x**2",
        domains=dict.fromkeys("ckxy", "real"),
    )
    assert number(library.solve("y", k="-10", c="0")) == -2
    assert library.compile("y", ["k", "c"])(k=-10.0, c=0.0) == -2
    assert library.sweep("y", k=[-10.0], c=[0.0]).columns["y"].ravel().tolist() == [-2]


@pytest.mark.parametrize("seed", range(8))
def test_a_number_found_together_with_others_is_held_against_what_follows_from_them_too(seed):
    relations = ["b = ceil(a/2)", "y = a/(b + c)", "b = c", "c = 2*d", "a = d**3"]  # any even a fits the first three
    random.Random(seed).shuffle(relations)
    library = bare("a b c d y", *relations, domains=dict.fromkeys("abcdy", "real"))
    try:
        answers = library.solve_all("a", y=1)
    except LimitError:  # it is not proved that there is none
        return
    assert {number(answer) for answer in answers} == {-8, 8}


def test_what_follows_from_numbers_that_a_search_finds_together_has_to_have_a_value():
    """The products give q1 = 5.67, and that leaves q4 = 26.5 - q1**2 less than zero."""
    relations = ("q3 = 2.0945*q1", "1.98 = k*min(q1, 2*q5)", "q3 = 0.5936*q1*q5", "26.5 = k*0 + q4 + q1**2")
    library = bare("k q1 q3 q4 q5", *relations)
    with pytest.raises(InconsistentError, match="q4"):
        library.solve("q3", k="0.3489")
    assert math.isnan(library.compile("q3", ["k"])(k=0.3489))
    assert math.isnan(library.sweep("q3", k=[0.3489, 0.5]).columns["q3"][0])
    assert library.compile("q3", ["k"])(k=0.5) == pytest.approx(number(library.solve("q3", k="0.5")))
