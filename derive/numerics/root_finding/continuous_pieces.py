"""The continuous pieces of a system: about a jump, an enclosure holds both of its sides, and refutes nothing.

With `a = 3*x + floor(x)`, no x leads to an a between 3 and 4. Yet in every box around x = 1, however small, an
enclosure of the right side reaches from 3 to 4. So each whole number that a rounding may come out as, and each arm of a
choice by conditions, makes a system of its own, in which that expression is continuous: `a = 3*x` with x < 1, and
`a = 3*x + 1` with 1 <= x < 2. All values of the system are among those of its pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product
from operator import attrgetter

from derive.errors import LimitError
from derive.expressions.tree import (
    OPPOSITE,
    Apply,
    Node,
    Number,
    cases,
    has_operation,
    innermost,
    names_in,
    replaced,
)
from derive.numerics.algebra.exact_values import exactly_computed
from derive.numerics.algebra.like_terms import ZERO, added, negated, simplified, without_quotients
from derive.numerics.algebra.products import product_of
from derive.numerics.intervals.arithmetic import Span, point_box
from derive.numerics.intervals.enclosure import enclose, truths
from derive.numerics.root_finding.branch_and_bound import PARTS, Bound, Boxes, System, least_and_greatest
from derive.numerics.root_finding.univariate_branch_and_prune import JUMPS
from derive.tolerances import TIGHT
from quantities.rational import written

_MOST = 32  # limit on pieces
_FEW = 40  # parts into which a box is cut before the pieces in it are found, and into which each is cut at least


def bounds_by_pieces(system: System, most: int = PARTS) -> tuple[Bound, Bound] | None:
    """The bounds of a system's goal, by its continuous pieces if it has jumps; None if it has no value.

    Across a jump no part of the box is close, however small. So a few parts give bounds within which to find pieces.
    """
    if not has_operation(*_expressions(system), among=JUMPS):
        return least_and_greatest(system, most)
    bounds = least_and_greatest(system, _FEW)
    if bounds is None:
        return None
    low, high = (bound.at for bound in bounds)
    reach = TIGHT * max(abs(low), abs(high))
    pieces = continuous_pieces(replace(system, allowed=(low - reach, high + reach)))
    if pieces is None:
        return least_and_greatest(system, most)
    parts = max(most // max(len(pieces), 1), _FEW)
    bounds_of_pieces = [*filter(None, (least_and_greatest(piece, parts) for piece in pieces))]
    if not bounds_of_pieces:
        return None
    lows, highs = zip(*bounds_of_pieces, strict=True)
    return min(lows, key=attrgetter("at")), max(highs, key=attrgetter("at"))


def continuous_pieces(system: System) -> list[System] | None:
    """The continuous pieces of a system in which not all is refuted at once; None if these are too many, or too deep.

    >>> from derive.expressions.grammar import parse_expression
    >>> steps = parse_expression("a - 3*x - floor(x)")
    >>> box = {"a": (3.2, 3.5), "x": (0.0, 9.0)}
    >>> continuous_pieces(System(parse_expression("x"), (-9.0, 9.0), (steps,), box))
    []
    """
    pieces: list[System] = []
    pending = [system]
    while pending:
        try:
            part = _narrowed(pending.pop())
        except LimitError:
            return None
        if part is None:
            continue
        jump = innermost(*_expressions(part), among=JUMPS)
        if jump is None:
            pieces.append(part)
            continue
        parts = _parts_at(part, jump)
        if parts is None or len(pending) + len(pieces) + len(parts) > _MOST:
            return None
        pending += parts
    return pieces


def _narrowed(system: System) -> System | None:
    """The system in the box that contractors leave of its own, to find its pieces; None if they leave nothing."""
    if _excludes_itself(system):
        return None
    boxes = Boxes(system)
    box = boxes.narrowed(boxes.whole, math.inf)
    if box is None or boxes.part(box) is None:
        return None
    return replace(system, box=dict(zip(boxes.names, box, strict=True)))


def _excludes_itself(system: System) -> bool:
    """Whether a gap of a system may not be zero, and is positive or zero by another or alone: `x <= 2*y` and `2*y < x`.

    Where all of them are nearly zero, no enclosure shows it. A zero of the system may stand for what is compared, as
    for z in `x <= z`, `z = 2*y`.
    """
    strict = [system.gaps[place] for place in system.strict]
    box = {**point_box(system.known), **system.box}
    if any(_least_of_monotone(gap, box) >= 0 for gap in strict):
        return True
    ways = chain.from_iterable((zero, negated(zero)) for zero in system.zeros)
    sums = product(strict, (ZERO, *system.gaps), (ZERO, *ways))
    return any(product_of(added(*parts), lambda base: False).number == 0 for parts in sums)


def _least_of_monotone(gap: Node, box: Mapping[str, Span]) -> float:
    """The least value of a system's gap by the decimals at a corner; minus infinity if it may rise and fall.

    At an end of the box a gap is exactly zero, where an enclosure is a little below: 3*x - 12 at x = 4.
    """
    corner: dict[str, float] = {}
    for name in names_in(gap):
        enclosure = enclose(gap, box, name)
        if enclosure is None or enclosure.partial or enclosure.slopes[0] < 0 < enclosure.slopes[1]:
            return -math.inf
        corner[name] = written(box[name][0 if enclosure.slopes[0] >= 0 else 1])
    least = exactly_computed(gap, corner)
    return -math.inf if least is None or math.isnan(least) else least


def _expressions(system: System) -> tuple[Node, ...]:
    """All that a system encloses, and that a jump in it keeps from being continuous; conditions are only tested."""
    return (system.goal, *system.zeros, *system.gaps)


def _parts_at(system: System, jump: Apply) -> list[System] | None:
    """The parts of a system in which an operation with jumps has no other piece; None if these are too many."""
    box = {**point_box(system.known), **system.box}
    if jump.op == "piecewise":
        return [_with(system, jump, arm, limits) for arm, limits in _arms(jump, box)]
    enclosure = enclose(jump, box, "")
    if enclosure is None:
        return None
    low, high = enclosure.values
    if not high - low < _MOST:
        return None
    numbers = range(round(low), round(high) + 1)
    return [_with(system, jump, Number(Fraction(number)), _limits_of_rounding(jump, number)) for number in numbers]


def _limits_of_rounding(step: Apply, number: int) -> list[Node]:
    """The conditions under which a rounding comes out as a whole number, which make the piece of a system."""
    (argument,) = step.args
    before, itself, after = (Number(Fraction(number + share)) for share in (-1, 0, 1))
    if step.op == "floor":
        return [Apply("ge", (argument, itself)), Apply("lt", (argument, after))]
    return [Apply("gt", (argument, before)), Apply("le", (argument, itself))]


def _arms(choice: Apply, box: Mapping[str, Span]) -> Iterator[tuple[Node, list[Node]]]:
    """The arms that a choice may take in the box of a system, each with the conditions of its piece."""
    before: list[Node] = []
    for arm, condition in cases(choice):
        possible = {True} if condition is None else truths(condition, box)
        if True in possible:
            yield arm, before if condition is None else [*before, condition]
        if possible == {True}:
            return
        assert condition is not None
        before = [*before, Apply("not", (condition,))]


def _with(system: System, jump: Apply, piece: Node, conditions: list[Node]) -> System:
    """A system with one piece of an operation in its place, where the conditions of that hold."""
    box = {**point_box(system.known), **system.box}
    gaps = [(gap, place in system.strict) for place, gap in enumerate(system.gaps)]
    gaps += chain.from_iterable(_gaps_of(condition, holds=True) for condition in conditions)
    distinct = {_comparable(replaced(gap, jump, piece), box): False for gap, _ in gaps}
    distinct |= {_comparable(replaced(gap, jump, piece), box): True for gap, is_strict in gaps if is_strict}
    return replace(
        system,
        goal=replaced(system.goal, jump, piece),
        zeros=tuple(replaced(zero, jump, piece) for zero in system.zeros),
        gaps=tuple(distinct),
        strict=frozenset(place for place, is_strict in enumerate(distinct.values()) if is_strict),
        guards=(*system.guards, *conditions),
    )


def _comparable(gap: Node, box: Mapping[str, Span]) -> Node:
    """A gap of a system in the form in which it is compared with others: without divisors that are positive."""
    for name in names_in(gap):
        gap = without_quotients(gap, name, box)
    return simplified(gap)


def _gaps_of(condition: Node, *, holds: bool) -> Iterator[tuple[Node, bool]]:
    """Expressions that are not positive where a condition of a system's piece holds, or fails, to contract boxes by.

    Each is told with whether it may not be zero either.
    """
    if not isinstance(condition, Apply):
        return
    if condition.op == "not":
        yield from _gaps_of(condition.args[0], holds=not holds)
    elif condition.op == ("and" if holds else "or"):
        for part in condition.args:
            yield from _gaps_of(part, holds=holds)
    elif condition.op in OPPOSITE:
        op = condition.op if holds else OPPOSITE[condition.op]
        left, right = condition.args
        if op in ("lt", "le", "eq"):
            yield added(left, negated(right)), op == "lt"
        if op in ("gt", "ge", "eq"):
            yield added(right, negated(left)), op == "gt"
