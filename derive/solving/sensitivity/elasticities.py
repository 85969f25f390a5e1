"""Elasticities of an answer, composed closed forms, and bounds over ranges.

The blocks' closed forms are substituted into each other until only givens are left. Interval arithmetic then gives
the exact slope at a point, and the sign of the slope over a box: where it keeps its sign in every ranged given, the
extremes lie at two corners of the box and are exact. Where it does not, the box is subdivided until the extremes are
known to one part in a million. Where there is no closed form, the plan is executed at sample points, and the answer
says that its bounds are sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import product

from derive.expressions.tree import Name, Node, names_in, rebuilt, walk
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import Span, enclose
from derive.numerics.root_finding.branch_and_bound import PARTS, System, least_and_greatest
from derive.time_limits import tick
from derive.tolerances import NO_RESPONSE, RESPONSE

__all__ = ["EXACT", "LARGEST", "ROUGH", "SEARCHED", "bounds_of_form", "bounds_sampled", "composed", "put_in", "slopes"]

LARGEST = 5000
"""Nodes of the largest closed form that is written out."""
EXACT = "bounds are exact: monotone in every range"
SEARCHED = "bounds found by a global search, to one part in a million"
ROUGH = "bounds contain every value in the range; they may be too wide"

_STARTS = 2  # best points of a sample from which a search continues
_SHORTEST = 1e-4  # last step of that search, relative to the range; near an extreme the error is its square


def composed(target: str, forms: Mapping[str, Node]) -> Node | None:
    """The target's form with the other forms substituted, or None if one is missing or it grows too large.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(composed("c", {"b": parse_expression("2*a"), "c": parse_expression("b**2")}))
    '(2*a)**2'
    """
    if target not in forms:
        return None
    sizes: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in sizes:
            sizes[name] = 0
            held = walk(forms[name])
            sizes[name] = sum(size(part.name) if isinstance(part, Name) and part.name in forms else 1 for part in held)
        return sizes[name]

    try:
        if size(target) > LARGEST:
            return None
        return put_in(forms[target], forms)
    except RecursionError:
        return None


def put_in(node: Node, forms: Mapping[str, Node]) -> Node:
    """An expression with forms substituted for their names, recursively."""
    return rebuilt(
        node, lambda part: put_in(forms[part.name], forms) if isinstance(part, Name) and part.name in forms else None
    )


def slopes(form: Node, values: Mapping[str, float]) -> dict[str, float]:
    """d ln form / d ln name, for every name in it."""
    at = value(form, values)
    spans = {name: (number, number) for name, number in values.items()}
    found = {}
    for name in names_in(form):
        enclosure = enclose(form, spans, name)
        if enclosure is None or at == 0 or at != at:
            continue
        low, high = (slope * values[name] / at for slope in enclosure.slopes)
        if abs(high - low) <= RESPONSE * (abs(low) + abs(high)) + NO_RESPONSE < math.inf:
            found[name] = (low + high) / 2
    return found


def bounds_of_form(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span], most: int = PARTS
) -> tuple[Span, str]:
    """The least and the greatest value over the box of the ranges, and how they are known: from so many parts for
    each at most."""
    moving = [name for name in names_in(form) if name in ranges]
    spans = {name: (number, number) for name, number in values.items()} | {n: ranges[n] for n in moving}
    least, greatest = dict(values), dict(values)
    for name in moving:
        found = enclose(form, spans, name)
        if found is None or found.partial or found.slopes[0] < 0 < found.slopes[1]:
            return _searched(form, spans, most)
        rising = found.slopes[0] >= 0
        low, high = ranges[name]
        least[name], greatest[name] = (low, high) if rising else (high, low)
    return (value(form, least), value(form, greatest)), EXACT


def _searched(form: Node, spans: Mapping[str, Span], most: int) -> tuple[Span, str]:
    """Branch and bound, once for each end."""
    used = {name: spans[name] for name in names_in(form)}
    found = least_and_greatest(System(form, (-math.inf, math.inf), (), used), most)
    if found is None:
        return (math.inf, -math.inf), "the form has no value in the range"
    low, high = found
    return (low.at, high.at), SEARCHED if low.is_close and high.is_close else ROUGH


def bounds_sampled(again: Callable[[Mapping[str, float]], float | None], ranges: Mapping[str, Span]) -> Span | None:
    """The extremes by a search: at corners, edges and middles of the box, and from the best of these on."""
    names = list(ranges)[:6]
    points = list(product(*((low, (low + high) / 2, high) for low, high in (ranges[name] for name in names))))
    found: list[tuple[float, dict[str, float]]] = []
    for point in points[:800]:
        tick()
        at = dict(zip(names, point, strict=True))
        number = again(at)
        if number is not None:
            found.append((number, at))
    if not found:
        return None
    found.sort(key=lambda one: one[0])
    low = min(_climbed(again, ranges, start, -1.0) for start in found[:_STARTS])
    high = max(_climbed(again, ranges, start, 1.0) for start in found[-_STARTS:])
    return low, high


def _climbed(
    again: Callable[[Mapping[str, float]], float | None],
    ranges: Mapping[str, Span],
    start: tuple[float, dict[str, float]],
    sign: float,
) -> float:
    """The extreme near a point: a step along each range while that helps, then steps of half the length."""
    best, at = start
    share = 0.25
    while share > _SHORTEST:
        tick()
        steps = []
        for name, (low, high) in ranges.items():
            for aside in (at.get(name, low) - share * (high - low), at.get(name, low) + share * (high - low)):
                moved = {**at, name: min(max(aside, low), high)}
                number = again(moved) if name in at else None
                steps.extend([] if number is None else [(number, moved)])
        number, moved = max(steps, key=lambda one: sign * one[0], default=(best, at))
        if sign * number > sign * best:
            best, at = number, moved
        else:
            share /= 2
    return best
