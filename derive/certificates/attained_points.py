"""Points that an optimum claims to attain: each is admissible, and the goal has the claimed value there.

A number is what was chosen only up to agreement, so that a point is refused where all points so near to it are: outside
a range, not whole where it is a count, another than a stated number, or beyond a limit, a zero or a guard. What follows
from the chosen numbers is narrowed first to where the zeros can hold. The goal itself is that of the very numbers, for
a jump may stand next to them.

A value counts as zero where it is no larger than what rounding of its point changes in the goal; the distance within
which it is then the best may be no larger either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from derive.certificates.lower_bounds import Program
from derive.certificates.proof import Bound, ProofOfOptimum
from derive.numerics.intervals.arithmetic import Box, Span, lies_in
from derive.numerics.intervals.enclosure import enclose
from derive.tolerances import AGREEMENT, AROUND_ZERO, EXTREME, FINEST_BOX, SAME_ROOT

_TURNS = 20  # of narrowing what follows from the chosen numbers
_APART = 4 * FINEST_BOX  # of numbers that no cut of a side tells apart, and as much again


def flaw_of_points(
    proof: ProofOfOptimum, best: float, chosen: Mapping[str, float], choices: Iterable[Any], *, is_zero: bool
) -> str:
    """What is wrong with the points that an optimum claims to attain, of all and of each choice; empty if nothing is.

    The best value is multiplied by the sign of the proof.
    """
    attaining = [bound for bound in chain.from_iterable(proof.bounds) if reaches(bound, chosen, best)]
    if not attaining:
        return "The optimum has another value at what was chosen, or that is not admissible."
    is_near = proof.distance <= EXTREME * abs(best)
    if not is_near and is_zero:
        is_near = any(_is_rounding(bound, chosen, max(abs(best), proof.distance)) for bound in attaining)
    if not is_near:
        return "The proof of the optimum is of another value."
    for i, (choice, bounds) in enumerate(zip(choices, proof.bounds, strict=True)):
        if choice.best is not None and not any(reaches(bound, choice.at, proof.sign * choice.best) for bound in bounds):
            return f"The goal has another value at the best of choice {i + 1}, or that is not admissible."
    return ""


def reaches(bound: Bound, choice: Mapping[str, float], value: float) -> bool:
    """Whether the goal of a lower bound may have a value at what was chosen, if that is admissible.

    Names that were not chosen may have any number of their box that the zeros allow.
    """
    near = _admissible(bound, choice)
    if near is None:
        return False
    sides = zip(bound.names, near, strict=True)
    box = tuple((choice[name], choice[name]) if name in choice else side for name, side in sides)
    goal = Program(bound).form(bound.goal).enclosed(box)
    return goal is not None and lies_in((value, value), goal.values, SAME_ROOT)


def _is_rounding(bound: Bound, choice: Mapping[str, float], size: float) -> bool:
    """Whether a size is no larger than what the rounding of an attained point changes in the goal of a bound."""
    box = _admissible(bound, choice)
    if box is None:
        return False
    sides = zip(bound.names, bound.box, box, strict=True)
    near = [_shared(_spread(name, inner, choice), outer) for name, outer, inner in sides]
    goal = Program(bound).form(bound.goal).enclosed(tuple(side for side in near if side is not None))
    if goal is None or goal.partial:  # next to a jump the change is the jump's, and not that of a rounding
        return size == 0
    return size <= goal.values[1] - goal.values[0]


def _spread(name: str, side: Span, choice: Mapping[str, float]) -> Span:
    """The numbers so near to that of an attained point that no cut tells them apart."""
    low, high = (choice[name], choice[name]) if name in choice else side
    return _around(low, _APART)[0], _around(high, _APART)[1]


def _admissible(bound: Bound, choice: Mapping[str, float]) -> Box | None:
    """The box around what was chosen in which a point of a bound may be attained; None where none is admissible."""
    program = Program(bound)
    around = {name: _around(number, AGREEMENT) for name, number in choice.items()}
    sides = []
    for name, side in (*zip(bound.names, bound.box, strict=True), *program.known.items()):
        near = around.get(name, side)
        if _shared(near, side) is None:
            return None
        sides.append(near)
    box = program.rounded(tuple(sides[: len(bound.names)]))
    for _ in range(_TURNS):
        if box is None or around.keys() >= {*bound.names}:
            break
        before, box = box, program.narrowed(box, below_floor=False)
        if box == before:
            break
    if box is None or program.is_out(box) or not _follows(bound, program.spans(box), around):
        return None
    return box


def _follows(bound: Bound, spans: dict[str, Span], around: Mapping[str, Span]) -> bool:
    """Whether the chosen numbers that a bound leaves out are those that follow from the other numbers attained."""
    for name, form, (low, high) in reversed(bound.left_out):
        enclosure = enclose(form, spans, "")
        allowed = _around(low, AGREEMENT)[0], _around(high, AGREEMENT)[1]  # a tie gives a number only up to agreement
        of_form = None if enclosure is None else _shared(enclosure.values, allowed)
        shared = None if of_form is None else _shared(of_form, around.get(name, of_form))
        if shared is None:
            return False
        spans[name] = shared
    return True


def _around(number: float, share: float) -> Span:
    """The numbers within a share of an attained one."""
    by = share * abs(number) or AROUND_ZERO
    return number - by, number + by


def _shared(one: Span, other: Span) -> Span | None:
    """The numbers that two sides of an attained point's box share; None without any."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else None
