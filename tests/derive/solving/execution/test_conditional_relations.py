"""Conditions decided before anything is assumed: whatever a chain of cases leads to forwards, an answer finds."""

from __future__ import annotations

import itertools
import math
import operator
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.numerics.algebra.evaluation import holds
from derive.numerics.root_finding.branch_and_bound import System
from derive.numerics.root_finding.continuous_pieces import bounds_by_pieces
from derive.solving import extremes
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.question import ask
from tests.derive.statements import bare, number
from tests.ordinary import every

GIVEN = ("a", "b", "c")
DERIVED = ("x", "y", "z", "w")
FORMS = {
    "{} + {}": operator.add,
    "{}*{}": operator.mul,
    "{}/{}": operator.truediv,
}


def chain(seed):
    """Relations for each derived name out of those before it, in one to three cases; and what they come to forwards."""
    draw = random.Random(seed)
    relations, rules = [], {}
    for i, name in enumerate(DERIVED):
        pool = (*GIVEN, *DERIVED[:i])
        subject, first = draw.choice(pool), draw.choice((0.5, 1, 2, 3))
        cuts = [first + k for k in range(draw.choice((0, 1, 1, 2)))]
        edges = [None, *cuts, None] if cuts else [None, None]
        rules[name] = []
        for low, high in itertools.pairwise(edges):
            form, one, other = draw.choice(list(FORMS)), draw.choice(pool), draw.choice(pool)
            when = [f"{subject} >= {low}"] * (low is not None) + [f"{subject} < {high}"] * (high is not None)
            relations.append({"equation": f"{name} = {form.format(one, other)}", "when": when})
            rules[name].append((subject, low, high, FORMS[form], one, other))
    return bare(" ".join((*GIVEN, *DERIVED)), *relations), rules


def forwards(rules, given):
    values = dict(given)
    for name, cases in rules.items():
        for subject, low, high, act, one, other in cases:
            if (low is None or values[subject] >= low) and (high is None or values[subject] < high):
                values[name] = act(values[one], values[other])
    return values


@pytest.mark.ordinary(10)
@pytest.mark.parametrize("seed", range(30))
def test_a_chain_of_cases_comes_out_as_it_does_forwards(seed):
    library, rules = chain(seed)
    draw = random.Random(-seed)
    for _ in range(3):
        given = {name: round(draw.uniform(0.2, 4), 3) for name in GIVEN}
        expected = forwards(rules, given)
        for name in DERIVED:
            assert number(library.solve(name, **given)) == pytest.approx(expected[name], rel=1e-9)


def test_a_condition_on_what_follows_by_case_is_decided_and_not_assumed():
    library = bare(
        "speed length viscosity Re f",
        "Re = speed*length/viscosity",
        {"equation": "f = 64/Re", "when": ["Re < 2300"]},
        {"equation": "f = 0.316/Re**0.25", "when": ["Re >= 4000"]},
    )
    laminar = library.solve("f", speed=1, length=2, viscosity=0.002)
    assert number(laminar) == pytest.approx(64 / 1000)
    assert not any("assumed" in line for line in laminar.assumptions)
    assert number(library.solve("f", speed=1, length=20, viscosity=0.002)) == pytest.approx(0.316 / 1e4**0.25)
    with pytest.raises(derive.DeriveError, match="Re < 2300 is false"):
        library.solve("f", speed=1, length=6, viscosity=0.002)


def test_a_weak_value_decides_a_condition_before_the_plan_is_made():
    library = bare(
        "selected context share out",
        {"equation": "share = selected/context", "when": ["selected < context"]},
        "out = 10*share",
        values={"share": "1", "selected": "2"},
    )
    assert number(library.solve("out", context=10)) == pytest.approx(2)
    assert number(library.solve("out", context=1)) == pytest.approx(10)


def circular(seed: int, counts: tuple[int, ...] = (3, 4, 5, 6), most: int = 3, share: float = 0.0):
    """Relations that all hold at one point, on conditions on any of the quantities; and that point.

    Each of so many quantities follows by one relation, or by up to `most`; so large a share of them has a default,
    which is its number at the point.
    """
    draw = random.Random(seed)
    names = [f"q{i}" for i in range(draw.choice(counts))]
    point = {name: draw.choice((0.5, 1.5, 3.5, 7.5)) for name in (*GIVEN, *names)}
    relations = []
    for name in names:
        for _ in range(min(most, draw.choice((1, 2, 2, 3)))):
            other = draw.choice([candidate for candidate in point if candidate != name])
            when = [f"{draw.choice(names)} {draw.choice(('<', '>='))} {draw.choice((1, 2, 4))}"]
            equation = f"{name} = {point[name] / point[other]}*{other}"
            relations.append({"equation": equation, "when": when if draw.random() < 0.7 else []})
    values = {name: str(point[name]) for name in names if draw.random() < share}
    return bare(" ".join(point), *relations, values=values), point


def verdicts(library, order, given):
    """Whether each relation applies, asked in this order of one question."""
    decisions = decisions_of(library, ask(library, "a", (), given))
    return {name: decisions.applies(library.relations[name]) for name in order}


@every("seed", range(40), ordinary=4)
def test_what_applies_is_true_and_does_not_depend_on_what_is_asked_first(seed):
    library, point = circular(seed)
    draw, given = random.Random(seed), {name: point[name] for name in ("b", "c")}
    alone = {name: verdicts(library, [name], given)[name] for name in library.relations}
    for name, applies in alone.items():
        assert applies in (None, all(holds(condition, point) for condition in library.relations[name].conditions))
    for _ in range(6):
        order = draw.sample(list(library.relations), len(library.relations))
        assert verdicts(library, order, given) == alone


@pytest.mark.parametrize("seed", [5, 15, 18, 28, 31, 36])
def test_what_applies_by_defaults_does_not_depend_on_what_is_asked_first(seed):
    library, point = circular(seed, counts=(2, 3), most=2, share=0.5)
    draw, given = random.Random(seed), {name: point[name] for name in ("b", "c")}
    first = verdicts(library, library.relations, given)
    for _ in range(3):
        order = draw.sample(list(library.relations), len(library.relations))
        assert verdicts(library, order, given) == first


TYPED = {"batch": "12686 sequence", "context": "4 ktoken/sequence", "chips": "144 chip"}
TYPED |= {"dispatch_bytes_per_element": "1 byte", "combine_bytes_per_element": "2 byte"}
TYPED |= {"tokens_per_pass": "2 token/sequence", "racks": "2", "experts": "64"}
MACHINES = ("h200-sxm:fp8", "gb200:fp8", "h100-sxm:fp8")
MODELS = ("deepseek-v3", "llama3-70b", "mixtral-8x7b", "kimi-k2")


@pytest.mark.thorough
@every("seed", range(24), ordinary=8, thorough=28)
def test_conditions_are_decided_alike_in_whatever_order_they_are_asked_for(seed):
    draw = random.Random(f"order {seed}")
    given = {name: TYPED[name] for name in draw.sample(sorted(TYPED), draw.randint(3, 6))}
    question = ask(derive.llm, "step_time", (draw.choice(MACHINES), draw.choice(MODELS)), given)
    names = [relation.name for relation in derive.llm.conditional]

    def verdicts(order):
        decisions = decisions_of(derive.llm, replace(question, decided={}))
        verdicts = {name: decisions.applies(derive.llm.relations[name]) for name in order}
        return [verdicts[name] for name in names]

    first = verdicts(names)
    for order in (names[::-1], draw.sample(names, len(names)), draw.sample(names, len(names))):
        assert verdicts(order) == first


def test_a_condition_is_decided_without_tight_bounds_of_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    waves = bare(
        "compute memory step wave x y",
        "step = max(compute, memory)",
        "wave = sin(compute) + compute/(1 + compute**2)",
        {"equation": "y = x", "when": ["wave < 9"]},
        {"equation": "y = 2*x", "when": ["wave >= 9"]},
        domains={"wave": "real"},
    )
    bounds: list[int] = []

    def counted(system: System, most: int) -> Any:
        bounds.append(most)
        return bounds_by_pieces(system, most)

    monkeypatch.setattr(extremes, "bounds_by_pieces", counted)
    assert number(waves.solve("y", step=5, memory=5, x=1)) == 1
    assert bounds
    assert max(bounds) <= 100
    (answer,) = waves.solve_all("wave", step=5, memory=5)
    assert answer.bounds is not None
    highest = max(math.sin(x) + x / (1 + x * x) for x in (i / 1000 for i in range(5001)))
    assert highest <= answer.bounds[1] <= highest * (1 + 2e-6)
    assert max(bounds) > 100


SPLIT = ("t = max(m, least)", "m = 8/n", "s = m/t")


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("fallbacks", [{}, {"least": "0"}])
@pytest.mark.parametrize("n", [0.5, 1, 2, 4])
def test_a_case_ends_at_a_default_as_it_does_at_a_number(n: float, fallbacks: dict[str, str]) -> None:
    """`n > one` cuts an interval alike, whether `one` is a default, is given, or is written as 1."""

    def answers(edge: str, **more: float) -> list[float]:
        cases = [
            {"equation": "least = 3", "when": [f"n > {edge}"]},
            {"equation": "least = 0", "when": [f"n <= {edge}"]},
        ]
        names = "n t m least s one" if edge == "one" else "n t m least s"
        values = {"one": "1"} if edge == "one" and not more else {}
        domains = {"least": "nonnegative"}
        system = bare(names, *SPLIT, *cases, domains=domains, values=values, fallbacks=fallbacks)
        share = min(1, 8 / n / 3) if n > 1 else 1
        solutions = system.solve_all("n", s=share, **more)
        return sorted(end for answer in solutions for end in (answer.bounds or (number(answer), number(answer))))

    written = answers("1")
    assert written == pytest.approx([0, 1, 1, 8 / 3] if n <= 8 / 3 else [n, n])
    assert answers("one") == pytest.approx(written)
    assert answers("one", one=1) == pytest.approx(written)


def test_intervals_that_only_cases_end_are_one() -> None:
    waits = [{"equation": "least = 0", "when": [f"n {sign} one"]} for sign in (">", "<=")]
    system = bare("n t m least s one", *SPLIT, *waits, domains={"least": "nonnegative"}, values={"one": "1"})
    (answer,) = system.solve_all("n", s=1)
    assert answer.bounds == (0, math.inf)


def case(equation: str, *when: str) -> dict[str, Any]:
    return {"equation": equation, "when": list(when)}


EVERYWHERE = [(0.0, math.inf)]
WAITS = [  # cases in which nothing is waited for, or longer than anything takes; and where `n` may lie
    ([case("least = 0", "n > 1"), case("least = 0", "n <= 1")], EVERYWHERE),
    ([case("least = 0", "n > 1"), case("0 = least", "n <= 1")], EVERYWHERE),
    ([case("least + 1 = 1", "n > 1"), case("least = 0", "n <= 1")], EVERYWHERE),
    ([case("least = 0", "n > 1"), case("least = 0", "n <= 3")], EVERYWHERE),
    (
        [case("least = 0", "n > 4"), case("0 = least", "n <= 2"), case("least = 100", "n > 2", "n <= 4")],
        [(0.0, 2.0), (4.0, math.inf)],
    ),
    (
        [
            case("least = 0", "n < 8", "q < 1"),
            case("0 = least", "n >= 8", "q < 1"),
            case("least = 0", "n > 5", "n < 6"),
        ],
        EVERYWHERE,
    ),
]


IN_RANGES = [(*waits, rest) for waits in WAITS for rest in ("8", "6..10")]
IN_RANGES[9] = pytest.param(*IN_RANGES[9], marks=pytest.mark.long)  # a gap over a range, which takes far longer


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(("cases", "free", "rest"), IN_RANGES)
def test_intervals_that_only_cases_end_are_one_where_they_meet_and_only_there(
    cases: list[dict[str, Any]], free: list[tuple[float, float]], rest: str
) -> None:
    """`s` is 1 wherever nothing is waited for: `n` is any number there, whatever range the rest lies in."""
    system = bare("n t m least s rest q", SPLIT[0], "m = rest/n", SPLIT[2], *cases, domains={"least": "nonnegative"})
    answers = system.solve_all("n", s=1, rest=rest)
    assert sorted(answer.bounds for answer in answers if answer.bounds is not None) == [
        pytest.approx(span) for span in free
    ]


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("rest", ["8", "6..10"])
@pytest.mark.parametrize("written", ["least = 0", "0 = least"])
@given(low=st.floats(2, 9), width=st.floats(0.1, 9), below=st.floats(0.2, 1.9), lower=st.floats(0.05, 0.9))
def test_an_interval_whose_edge_lies_in_a_range_holds_what_every_number_of_the_range_leaves(
    rest: str, written: str, low: float, width: float, below: float, lower: float
) -> None:
    """`n > edge` leaves all beyond the least `edge`, and `n <= other` all up to the largest `other`."""
    cases = [case("least = 0", "n > edge"), case(written, "n <= other")]
    names = "n t m least s rest edge other"
    system = bare(names, SPLIT[0], "m = rest/n", SPLIT[2], *cases, domains={"least": "nonnegative"})
    ranges = {"edge": f"{low}..{low + width}", "other": f"{below * lower}..{below}"}
    answers = system.solve_all("n", s=1, rest=rest, **ranges)
    spans = sorted(answer.bounds for answer in answers if answer.bounds is not None)
    assert spans == [pytest.approx((0, below), rel=1e-6), pytest.approx((low, math.inf), rel=1e-6)]


@pytest.mark.parametrize(("rest", "end"), [("8", 2.0), ("6..10", 2.5)])
def test_an_interval_that_a_relation_ends_holds_what_every_number_of_a_range_leaves(rest: str, end: float) -> None:
    """With `least = 4` nothing is waited for up to `n = rest/4`, which is no edge of the case."""
    cases = [case("least = 0", "n > 3"), case("0 = least", "n <= 1"), case("least = 4", "n > 1", "n <= 3")]
    system = bare("n t m least s rest", SPLIT[0], "m = rest/n", SPLIT[2], *cases, domains={"least": "nonnegative"})
    answers = system.solve_all("n", s=1, rest=rest)
    spans = sorted(answer.bounds for answer in answers if answer.bounds is not None)
    assert spans == [pytest.approx(span, rel=1e-6) for span in ((0, 1), (1, end), (3, math.inf))]
