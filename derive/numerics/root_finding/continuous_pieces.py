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
from itertools import chain

from derive.errors import LimitError
from derive.expressions.tree import OPPOSITE, Apply, Node, Number, cases, has_operation, innermost, replaced
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.intervals.arithmetic import Span, point_box
from derive.numerics.intervals.enclosure import enclose, truths
from derive.numerics.root_finding.branch_and_bound import Boxes, System
from derive.numerics.root_finding.univariate_branch_and_prune import JUMPS

_MOST = 32  # limit on pieces


def has_jumps(system: System) -> bool:
    """Whether a system may have several continuous pieces."""
    return has_operation(*_expressions(system), among=JUMPS)


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
    boxes = Boxes(system)
    box = boxes.narrowed(boxes.whole, math.inf)
    if box is None or boxes.part(box) is None:
        return None
    return replace(system, box=dict(zip(boxes.names, box, strict=True)))


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
    gaps = chain.from_iterable(_gaps_of(condition, holds=True) for condition in conditions)
    return replace(
        system,
        goal=replaced(system.goal, jump, piece),
        zeros=tuple(replaced(zero, jump, piece) for zero in system.zeros),
        gaps=(*(replaced(gap, jump, piece) for gap in system.gaps), *gaps),
        guards=(*system.guards, *conditions),
    )


def _gaps_of(condition: Node, *, holds: bool) -> Iterator[Node]:
    """Expressions that are not positive where a condition of a system's piece holds, or fails, to contract boxes by."""
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
            yield added(left, negated(right))
        if op in ("gt", "ge", "eq"):
            yield added(right, negated(left))
