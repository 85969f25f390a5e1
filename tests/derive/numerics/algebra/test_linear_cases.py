"""Values that linear relations in cases leave, against elimination case by case and plain evaluation in fractions."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from derive.expressions.grammar import parse_condition, parse_equation
from derive.numerics.algebra.linear_cases import (
    Claim,
    Interval,
    NotLinear,
    Way,
    first_ways,
    values_left,
    ways_of_condition,
    ways_of_equation,
    ways_under,
)
from tests.derive.linear_cases import Cases, Span, questions, random_cases
from tests.ordinary import every

Point = Mapping[str, Fraction]


def at(name: str, number: Fraction) -> Claim:
    return Claim({name: Fraction(1), "": -number}, "=")


def left(cases: Cases, target: str, given: Mapping[str, Span]) -> tuple[Interval, ...]:
    bounds = [*given.items(), *cases.domains.items()]
    claims = [claim for name, (low, high) in bounds for claim in Interval(low, high, False, False).claims(name)]
    relations: list[list[Way]] = []
    for equation, when in cases.relations:
        conditions = [parse_condition(condition) for condition in when]
        applying, failing = ways_under(conditions, ways_of_equation(parse_equation(equation)))
        relations.append([*applying, *failing])
    return values_left(target, claims, relations)


def joined(spans: list[tuple[Fraction | None, Fraction | None]]) -> list[tuple[Fraction | None, Fraction | None]]:
    """Intervals without the gaps between them that hold no number but an end."""
    merged: list[tuple[Fraction | None, Fraction | None]] = []
    for low, high in sorted(spans, key=lambda span: (span[0] is not None, span[0] or 0)):
        last = merged[-1][1] if merged else None
        if merged and (last is None or low is None or low <= last):
            ends = [merged[-1][1], high]
            merged[-1] = merged[-1][0], None if None in ends else max(ends)  # type: ignore[type-var]
        else:
            merged.append((low, high))
    return merged


@every("seed", range(60), ordinary=24)
def test_the_values_are_those_of_all_cases_together(seed: int) -> None:
    draw = random.Random(f"piecewise linear {seed}")
    is_ranged = draw.random() < 0.5
    cases = random_cases(draw, most=5, gapless=is_ranged)
    for target, given in questions(draw, cases, is_ranged=is_ranged):
        pieces = left(cases, target, given)
        listed = [(piece.low, piece.high) for piece in cases.values(target, given)]
        assert joined([(piece.low, piece.high) for piece in pieces]) == joined(listed)
        for piece in pieces:
            for end, is_open in ((piece.low, piece.is_open_low), (piece.high, piece.is_open_high)):
                if end is not None:
                    assert bool(cases.values(target, {**given, target: (end, end)})) is not is_open


def drawn(draw: random.Random, depth: int) -> tuple[str, Callable[[Point], Fraction]]:
    """A linear expression in cases of x and y, as text and as plain Python."""
    if not depth:
        name, factor, constant = draw.choice("xy"), draw.randint(-3, 3), draw.randint(-4, 4)
        return f"({factor}*{name} + {constant})", lambda p: factor * p[name] + constant
    (a, f), (b, g), (c, h) = (drawn(draw, depth - 1) for _ in range(3))
    edge = draw.randint(-3, 3)
    return draw.choice(
        [
            (f"abs({a})", lambda p: abs(f(p))),
            (f"max({a}, {b}, {c})", lambda p: max(f(p), g(p), h(p))),
            (f"(min({a}, {b}) - {c}/2)", lambda p: min(f(p), g(p)) - h(p) / 2),
            (f"({a} if {b} < {edge} else {c})", lambda p: f(p) if g(p) < edge else h(p)),
            (
                f"({a} if x >= {edge} and not y == {edge} else {c})",
                lambda p: f(p) if p["x"] >= edge != p["y"] else h(p),
            ),
            (
                f"({a} if x > {edge} or {b} != {edge} else {c})",
                lambda p: f(p) if p["x"] > edge or g(p) != edge else h(p),
            ),
        ]
    )


@every("seed", range(200), ordinary=30)
def test_an_expression_has_exactly_its_value_at_each_point(seed: int) -> None:
    draw = random.Random(f"ways {seed}")
    text, plain = drawn(draw, draw.choice((1, 2)))
    try:
        ways = ways_of_equation(parse_equation(f"z = {text}"))
    except NotLinear:  # more ways than are followed, which takes several choices within each other
        assert len(re.findall("max|min|abs|if|and|or", text)) >= 5
        return
    for _ in range(4):
        point = {name: Fraction(draw.randint(-8, 8), draw.choice((1, 2))) for name in "xy"}
        fixed = [at(name, number) for name, number in point.items()]
        assert [(span.low, span.high) for span in values_left("z", fixed, [ways])] == [(plain(point),) * 2]
        taken = [way for way in ways if first_ways("z", fixed, [[way]])]
        assert len(taken) == 1  # they exclude each other
        given = [at("z", plain(point)), at("y", point["y"])]
        assert any(
            span.covers(Interval(point["x"], point["x"], False, False)) for span in values_left("x", given, [ways])
        )


def test_what_contradicts_itself_leaves_nothing() -> None:
    ways = ways_of_condition(parse_condition("x < 2 and x >= 2"), holds=True)
    assert values_left("x", [], [ways]) == ()
    assert first_ways("x", [], [ways]) == ()
