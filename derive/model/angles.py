"""Angles and cycles: radians, cycles and hertz, which the SI does not distinguish and which differ by 2 pi.

A revolution has a dimension of its own. A radian is the number 1 and hertz is 1/s, yet a name declared in either
still describes rotation. Every expression therefore has a turn: the powers of cycles, pi, radians and hertz among its
factors. Two sides of one dimension are compared by the quotient of their turns, in which

    pi and a cycle make radians     omega [rad/s] = 2*pi*n [rpm]
    pi and a hertz make radians     omega [rad/s] = 2*pi*f [Hz]
    a cycle and a hertz cancel      f [Hz] = n [rpm], without pi

A remaining cycle is an error, and so are radians on one side with hertz on the other. Everything else is sound: a pi
of geometry, radians from a ratio of lengths (omega = v/r), hertz from a time (f = 1/T).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from derive.expressions.functions import DEGREES
from derive.expressions.tree import Apply, Name, Node, Number
from quantities.dimension import Dimension
from quantities.spelling import parse_unit
from quantities.units import Unit

__all__ = ["Turn", "mark_of", "same_turning", "terms_of", "turn_of", "turns_of"]

_NONE, _ONE = Fraction(0), Fraction(1)


class Turn(NamedTuple):
    """The powers of cycles, pi, radians and hertz among the factors of an expression."""

    cycles: Fraction = _NONE
    pis: Fraction = _NONE
    radians: Fraction = _NONE
    hertz: Fraction = _NONE

    def by(self, other: Turn, power: Fraction = _ONE) -> Turn:
        """The turn of a product with a power of another."""
        if other is STILL:
            return self
        return Turn(*(a + power * b for a, b in zip(self, other, strict=True)))

    @property
    def settled(self) -> Turn:
        """The same with every pi used up that turns cycles or hertz into radians."""
        cycles, pis, radians, hertz = self
        for counted in ("cycles", "hertz"):
            held = cycles if counted == "cycles" else hertz
            if held * pis > 0:
                made = min(abs(held), abs(pis)) * (1 if pis > 0 else -1)
                pis, radians = pis - made, radians + made
                cycles, hertz = (cycles - made, hertz) if counted == "cycles" else (cycles, hertz - made)
        return Turn(cycles, pis, radians, hertz)

    @property
    def is_sound(self) -> bool:
        """Whether this is a valid quotient of two sides."""
        cycles, _, radians, hertz = self.settled
        if cycles * hertz < 0:
            made = min(abs(cycles), abs(hertz)) * (1 if cycles > 0 else -1)
            cycles, hertz = cycles - made, hertz + made
        return not cycles and radians * hertz >= 0


STILL = Turn()


def mark_of(unit: Unit) -> Turn:
    """What a unit says of turning beside its dimension.

    >>> from quantities.spelling import parse_unit
    >>> mark_of(parse_unit("deg/s")).radians, mark_of(parse_unit("V/kHz")).hertz
    (Fraction(1, 1), Fraction(-1, 1))
    """
    return _mark(unit.text)


@lru_cache(maxsize=4096)
def _mark(text: str) -> Turn:
    radians, hertz = parse_unit(text).turning
    return Turn(radians=radians, hertz=hertz) if radians or hertz else STILL


def same_turning(left: Node, right: Node, known: Mapping[str, Dimension], marks: Mapping[str, Turn]) -> bool:
    """Whether two sides that agree in everything but cycles agree in those too: of a sum, each term by itself.

    A sum as a whole may lean on the pi of one of its terms: `omega = 2*pi*f + f`.
    """
    return all(_is_same(one, other) for one in turns_of(left, known, marks) for other in turns_of(right, known, marks))


def _is_same(one: Turn, other: Turn) -> bool:
    if one.cycles == other.cycles and one.settled.cycles != other.settled.cycles:
        return False  # a pi turns the cycles of one of them: 2*pi*n_1 + n_2
    return other.by(one, -_ONE).is_sound


def turns_of(node: Node, known: Mapping[str, Dimension], marks: Mapping[str, Turn]) -> frozenset[Turn]:
    """The turns of the terms of a sum and of the arms of a choice, or that of any other expression."""
    terms = terms_of(node)
    found = [turns_of(term, known, marks) for term in terms] or [frozenset({turn_of(node, known, marks)})]
    return frozenset().union(*found)


def turn_of(node: Node, known: Mapping[str, Dimension], marks: Mapping[str, Turn]) -> Turn:
    """The turn of an expression."""
    if isinstance(node, Name):
        cycles, mark = known[node.name].cycles, marks.get(node.name, STILL)
        return mark._replace(cycles=cycles) if cycles else mark
    if isinstance(node, Number):
        return STILL
    match node.op:
        case "pi":
            return Turn(pis=_ONE)
        case "mul":
            total = STILL
            for arg in node.args:
                if not isinstance(arg, Number):
                    total = total.by(turn_of(arg, known, marks))
            return total
        case "neg":
            return turn_of(node.args[0], known, marks)
        case "inv":
            return STILL.by(turn_of(node.args[0], known, marks), -_ONE)
        case "pow" if isinstance(node.args[1], Number):
            return STILL.by(turn_of(node.args[0], known, marks), node.args[1].value)
        case "add" | "min" | "max" | "piecewise":
            return _common([turn_of(term, known, marks) for term in terms_of(node)])
        case op if op in DEGREES:
            return STILL.by(turn_of(node.args[0], known, marks), DEGREES[op])
    return STILL


def _common(turns: list[Turn]) -> Turn:
    """The turn of several terms: beside a term in hertz, the pi of another makes no radians."""
    first = min(turns, key=lambda turn: abs(turn.cycles), default=STILL)
    settled = [turn.settled for turn in turns]
    if all(turn == settled[0] for turn in settled):
        return first
    hertz = next((turn.hertz for turn in settled if turn.hertz), _NONE)
    radians = next((turn.radians for turn in settled if turn.radians), _NONE)
    return Turn(first.cycles, _NONE, _NONE if hertz else radians, hertz)


def terms_of(node: Node) -> list[Node]:
    """The terms of a sum and the arms of a choice, but for zeros: they fit anything."""
    match node:
        case Apply("add" | "min" | "max", args):
            parts = args
        case Apply("piecewise", args):
            parts = args[::2]
        case _:
            return []
    return [part for part in parts if not (isinstance(part, Number) and not part.value)]
