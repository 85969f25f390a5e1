"""A choice that the givens alone make is no regime: everywhere the same, by an evaluation of its own in Python.

An expression is a number or a name as text, the larger or the smaller of two, or one of two by a condition.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import Library
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import render
from derive.kernels.browser_programs.program import program_of
from derive.relation_files.loading import load
from quantities.profiles import Profile
from quantities.value import read_value
from tests.derive.kernels.browser_programs.runs import ran

TYPED = ("n", "m")
KNOWN = {"d": 2.0, "p": 3.0}  # a default, and what a profile says
CARD = Profile("card", {"p": read_value("3")})

Expression = Any
CONDITIONS = st.tuples(st.sampled_from(["n", "m", "d", "p", "c"]), st.sampled_from(["1", "2", "3", "m", "d", "c"]))
LEAVES = st.sampled_from(["n", "m", "d", "p", "c", "4", "0.5"])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["max", "min"]), inner, inner), st.tuples(st.just("if"), CONDITIONS, inner, inner)
    ),
    max_leaves=5,
)


def written(node: Expression) -> str:
    match node:
        case "if", (left, right), yes, no:
            return f"({written(yes)} if {left} > {right} else {written(no)})"
        case name, first, second:
            return f"{name}({written(first)}, {written(second)})"
    return str(node)


def number_of(text: str, numbers: Mapping[str, float]) -> float:
    return numbers[text] if text in numbers else float(text)


def valued(node: Expression, numbers: Mapping[str, float]) -> float:
    match node:
        case "if", _, _, _:
            return valued(taken(node, numbers), numbers)
        case name, first, second:
            both = valued(first, numbers), valued(second, numbers)
            return max(both) if name == "max" else min(both)
    return number_of(node, numbers)


def taken(node: Expression, numbers: Mapping[str, float]) -> Expression:
    """The arm that binds; of two equal ones the first."""
    match node:
        case "if", (left, right), yes, no:
            return yes if number_of(left, numbers) > number_of(right, numbers) else no
        case name, first, second:
            one, other = valued(first, numbers), valued(second, numbers)
            is_second = other > one if name == "max" else other < one
            return second if is_second else first
    raise AssertionError(node)


def open_arms(node: Expression, numbers: Mapping[str, float], fixed: Collection[str]) -> Iterator[str]:
    if isinstance(node, str):
        return
    arm = taken(node, numbers)
    if not (node[0] == "if" and all(part in fixed or part not in numbers for part in node[1])):
        yield render(parse_expression(written(arm)))
    yield from open_arms(arm, numbers, fixed)


def regime(node: Expression, numbers: Mapping[str, float], fixed: Collection[str]) -> dict[str, str]:
    arms = "; ".join(dict.fromkeys(open_arms(node, numbers, fixed)))
    return {"x": arms} if arms else {}


@cache
def library_of(node: Expression) -> Library:
    return load(f"""[quantities]
        n = {{ unit = "" }}
        m = {{ unit = "" }}
        d = {{ unit = "", value = "2" }}
        p = {{ unit = "" }}
        c = {{ unit = "" }}
        x = {{ unit = "" }}
        [relations]
        c = {{ equation = "c = n + m" }}
        x = {{ equation = "x = {written(node)}" }}""")


def around(n: float, m: float) -> dict[str, float]:
    return {"n": n, "m": m, "c": n + m, **KNOWN}


NUMBERS = st.sampled_from([1.0, 1.5, 2.0, 3.0, 5.0])


@given(EXPRESSIONS.filter(lambda node: not isinstance(node, str)), NUMBERS, NUMBERS)
def test_an_answer_tells_the_arms_that_the_givens_alone_do_not_choose(node, n, m):
    answer = library_of(node).solve("x", CARD, n=n, m=m)
    numbers = around(n, m)
    assert answer.base == pytest.approx(valued(node, numbers))
    assert dict(answer.regime) == regime(node, numbers, {*TYPED, *KNOWN})


@given(EXPRESSIONS.filter(lambda node: not isinstance(node, str)), NUMBERS)
def test_a_choice_by_a_given_that_varies_along_an_axis_is_a_regime(node, m):
    axis = numpy.array([1.0, 1.5, 2.0, 3.0, 5.0])
    table = library_of(node).sweep("x", CARD, n=axis, m=m)
    expected = [regime(node, around(n, m), {"m", *KNOWN}) for n in axis.tolist()]
    columns = table.regimes
    assert bool(columns) >= any(expected)
    words = columns["x.regime"].words.tolist() if columns else [""] * len(axis)
    assert words == [one.get("x", "") for one in expected]


def test_programs_tell_what_answers_tell():
    draw, asked = random.Random(3), []

    def expression(depth: int) -> Expression:
        if depth == 0 or draw.random() < 0.2:
            return draw.choice(["n", "m", "d", "p", "c", "4", "0.5"])
        if draw.random() < 0.4:
            return draw.choice(["max", "min"]), expression(depth - 1), expression(depth - 1)
        condition = draw.choice(["n", "m", "d", "p", "c"]), draw.choice(["1", "2", "3", "m", "d", "c"])
        return "if", condition, expression(depth - 1), expression(depth - 1)

    for _ in range(60):
        node = draw.choice(["max", "min"]), expression(2), expression(1)
        if draw.random() < 0.7:
            node = "if", (draw.choice("nmdpc"), draw.choice("12md")), node, expression(1)
        points = [[draw.choice([1.0, 1.5, 2.0, 3.0, 5.0]) for _ in TYPED] for _ in range(4)]
        asked.append((node, points))
    programs = [(program_of(library_of(node), "x", [*TYPED, "p"]), points) for node, points in asked]
    told = ran([(made, [[*point, KNOWN["p"]] for point in points]) for made, points in programs])
    assert sum(not made.layout.too_many for made, _ in programs) > 40
    for (node, points), (made, _), found in zip(asked, programs, told, strict=True):
        if made.layout.too_many:
            continue
        for (n, m), point in zip(points, found, strict=True):
            assert point.regime == regime(node, around(n, m), {*TYPED, *KNOWN}), (written(node), n, m)


def test_a_range_leaves_the_choice_open_and_so_does_what_is_sought():
    library = library_of(("if", ("n", "2"), "m", "p"))
    assert library.solve("x", CARD, n=3, m=1).regime == {}
    assert library.solve("x", CARD, n="3..4", m=1).regime == {"x": "m"}
    sought = library_of(("if", ("m", "n"), ("max", "m", "n"), ("min", "n", "4"))).solve("n", CARD, x=3.5, m=2)
    assert (sought.base, dict(sought.regime)) == (3.5, {"x": "min(n, 4); n"})


WAIT = load("""[quantities]
    work = { unit = "s" }
    delay = { unit = "s" }
    chips = { unit = "" }
    wait = { unit = "s", domain = "nonnegative" }
    step = { unit = "s" }
    [relations]
    wait = { equation = "wait = delay if chips > 1 else 0" }
    step = { equation = "step = max(work, wait)" }""")


def test_the_larger_of_two_typed_times_is_a_regime_and_the_choice_by_typed_chips_is_none():
    assert WAIT.solve("step", work="2 s", delay="3 s", chips=8).regime == {"step": "wait"}
    over_chips = WAIT.sweep("step", work="2 s", delay="3 s", chips=numpy.array([1.0, 2.0]))
    assert over_chips["wait.regime"].tolist() == ["0", "delay"]
    over_work = WAIT.sweep("step", work=derive.span("1..5 s", 3), delay="3 s", chips=8)
    assert list(over_work.regimes) == ["step.regime"]
