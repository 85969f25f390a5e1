"""Dimensional analysis of an expression as it was written.

Dimensions propagate upwards through the tree. A sum, a minimum, a comparison and the arms of a choice need one
dimension for all their parts; a product multiplies dimensions; a power multiplies exponents; a function takes and
returns numbers, or has the degree stated in the table of functions. Where the parts do not match, only the smallest
failing subexpression is reported, because the dimension of everything above it is unknown.

Two special cases. A literal zero has every dimension, so that `a - b = 0` and `max(x, 0)` can be written. And where
cycles, radians and hertz meet, their turns decide: `omega = 2*pi*n` relates rad/s to revolutions per second, while
`omega = n`, which is wrong by 2 pi, is refused.

The SI does not distinguish radians, cycles and hertz, which differ by 2 pi. A revolution has a dimension of its own.
A radian is the number 1 and hertz is 1/s, yet a name declared in either still describes rotation. Every expression
therefore has a turn: the powers of cycles, pi, radians and hertz among its
factors. Two sides of one dimension are compared by the quotient of their turns, in which

    pi and a cycle make radians     omega [rad/s] = 2*pi*n [rpm]
    pi and a hertz make radians     omega [rad/s] = 2*pi*f [Hz]
    a cycle and a hertz cancel      f [Hz] = n [rpm], without pi

A remaining cycle is an error, and so are radians on one side with hertz on the other. Everything else is sound: a pi
of geometry, radians from a ratio of lengths (omega = v/r), hertz from a time (f = 1/T).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial, reduce
from itertools import product
from typing import Literal, NamedTuple

from derive.expressions.arithmetic import LOGIC, TESTS, Arithmetic, Fold, NoElement, multiplied_out
from derive.expressions.functions import DEGREES, STEPPED
from derive.expressions.tree import Apply, Equation, Name, Node, Number, render
from quantities.dimension import NUMBER, Dimension, Polynomial
from quantities.errors import LimitError
from quantities.units import Unit

_NONE, _ONE = Fraction(0), Fraction(1)


class Turn(NamedTuple):
    """The powers of cycles, pi, radians and hertz among the factors of an expression."""

    cycles: Fraction = _NONE
    pis: Fraction = _NONE
    radians: Fraction = _NONE
    hertz: Fraction = _NONE

    def by(self, other: Turn, power: Fraction = _ONE) -> Turn:
        """The turn of a product of two expressions, the second raised to a power."""
        if other is NO_TURN:
            return self
        return Turn(*(a + power * b for a, b in zip(self, other, strict=True)))

    @property
    def settled(self) -> Turn:
        """The same turn of an expression with every pi used up that turns cycles or hertz into radians."""
        of_cycles = _shared_power(self.cycles, self.pis)
        of_hertz = _shared_power(self.hertz, self.pis - of_cycles)
        used = of_cycles + of_hertz  # each pi turns a cycle or a hertz into radians
        return Turn(self.cycles - of_cycles, self.pis - used, self.radians + used, self.hertz - of_hertz)

    @property
    def is_sound(self) -> bool:
        """Whether the two sides of an equation may have this turn as the quotient of their turns."""
        cycles, _, radians, hertz = self.settled
        cancelled = _shared_power(cycles, -hertz)
        cycles, hertz = cycles - cancelled, hertz + cancelled
        return not cycles and radians * hertz >= 0


def _shared_power(power: Fraction, other: Fraction) -> Fraction:
    """The power that two powers of a turn share: the smaller one if both have one sign, otherwise zero."""
    return min(power, other, key=abs) if power * other > 0 else _NONE


NO_TURN = Turn()


@lru_cache(maxsize=4096)
def mark_of(unit: Unit) -> Turn:
    """The turn of a unit: its powers of radians and hertz, which its dimension does not show.

    >>> from quantities.spelling import parse_unit
    >>> mark_of(parse_unit("deg/s")).radians, mark_of(parse_unit("V/kHz")).hertz
    (Fraction(1, 1), Fraction(-1, 1))
    """
    radians, hertz = unit.turning
    return Turn(radians=radians, hertz=hertz) if radians or hertz else NO_TURN


@dataclass(frozen=True, slots=True)
class TurnRules:
    """The turns of expressions, given the dimensions of their names and the turns in the units of some."""

    known: Mapping[str, Dimension]
    marks: Mapping[str, Turn]

    def agrees(self, left: Node, right: Node) -> bool:
        """Whether two sides agree in their turns, with each term of a sum compared by itself.

        A sum as a whole may lean on the pi of one of its terms: `omega = 2*pi*f + f`.
        """
        return all(_is_same(turn, other) for turn, other in product(self.of_terms(left), self.of_terms(right)))

    def of_terms(self, node: Node) -> frozenset[Turn]:
        """The turns of the parts of an expression, the terms of its sum or the arms of its choice; or else its own."""
        turns = [self.of_terms(term) for term in terms_of(node)] or [frozenset({self.of(node)})]
        return frozenset().union(*turns)

    def of(self, node: Node) -> Turn:
        """The turn of an expression: the powers of cycles, pi, radians and hertz among its factors."""
        if isinstance(node, Name):
            cycles, mark = self.known[node.name].cycles, self.marks.get(node.name, NO_TURN)
            return mark._replace(cycles=cycles) if cycles else mark
        if isinstance(node, Number):
            return NO_TURN
        match node.op:
            case "pi":
                return Turn(pis=_ONE)
            case "mul":
                return reduce(Turn.by, map(self.of, node.args), NO_TURN)
            case "neg":
                return self.of(node.args[0])
            case "inv":
                return NO_TURN.by(self.of(node.args[0]), -_ONE)
            case "pow" if isinstance(node.args[1], Number):
                return NO_TURN.by(self.of(node.args[0]), node.args[1].value)
            case "add" | "min" | "max" | "piecewise":
                return _common([self.of(term) for term in terms_of(node)])
            case op if op in DEGREES:
                return NO_TURN.by(self.of(node.args[0]), DEGREES[op])
        return NO_TURN


def is_of_cycles(ratio: Dimension) -> bool:
    """Whether the dimensions of two parts of an expression differ by a power of cycles alone."""
    return len(ratio.powers) == 1 and ratio.bases.keys() == {"cycle"}


def _is_same(turn: Turn, other: Turn) -> bool:
    if turn.cycles == other.cycles and turn.settled.cycles != other.settled.cycles:
        return False  # a pi turns the cycles of one of them: 2*pi*n_1 + n_2
    return other.by(turn, -_ONE).is_sound


def _common(turns: list[Turn]) -> Turn:
    """The turn of a sum from those of its terms: beside a term in hertz, the pi of another makes no radians."""
    first = min(turns, key=lambda turn: abs(turn.cycles), default=NO_TURN)
    settled = [turn.settled for turn in turns]
    if all(turn == settled[0] for turn in settled):
        return first
    hertz = next((turn.hertz for turn in settled if turn.hertz), _NONE)
    radians = next((turn.radians for turn in settled if turn.radians), _NONE)
    return Turn(first.cycles, _NONE, _NONE if hertz else radians, hertz)


def terms_of(node: Node) -> list[Node]:
    """The terms of a sum, or the arms of a choice, except zeros, which fit any dimension."""
    match node:
        case Apply("add" | "min" | "max", args):
            parts = args
        case Apply("piecewise", args):
            parts = args[::2]
        case _:
            return []
    return [part for part in parts if not (isinstance(part, Number) and not part.value)]


_COUNTED = {"token", "parameter", "sequence", "accelerator"}
"""What comes in whole pieces of one base unit, so that rounding it does not depend on the unit."""

_MOST_TERMS = 64  # limit on terms of an exponent's polynomial


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The smallest inconsistent part of a relation: its kind, and its two sides with their dimensions."""

    kind: Literal["sides", "terms", "argument", "exponent", "rounding"]  # of one dimension where they differ by 2 pi
    node: Node
    left: Node
    left_dimension: Dimension
    right: Node
    right_dimension: Dimension


_OptionalDimension = Dimension | None
"""None of a literal zero, which matches all, and of parts whose error has been reported."""

_NO_MARKS: Mapping[str, Turn] = {}


def mismatches(
    equation: Equation, known: Mapping[str, Dimension], marks: Mapping[str, Turn] = _NO_MARKS
) -> list[Mismatch]:
    """All mismatches of dimension in an equation, innermost first.

    `known` gives each name's dimension, and `marks` the turns in the units of some.

    >>> from derive.expressions.grammar import parse_equation
    >>> length, time = Dimension.of("length"), Dimension.of("time")
    >>> [fault.kind for fault in mismatches(parse_equation("x = x + L - L"), {"x": time, "L": length})]
    ['terms']
    """
    check = _DimensionCheck(known, marks)
    check.agree("sides", Apply("=", equation.sides), equation.sides)
    return check.faults


def mismatches_of_condition(
    condition: Node, known: Mapping[str, Dimension], marks: Mapping[str, Turn] = _NO_MARKS
) -> list[Mismatch]:
    """All mismatches of dimension in a condition such as `swing < 0.3`."""
    check = _DimensionCheck(known, marks)
    check.of(condition)
    return check.faults


def dimension_of(node: Node, known: Mapping[str, Dimension]) -> Dimension | None:
    """The dimension of an expression, or None where it has none or is a bare zero."""
    check = _DimensionCheck(known)
    dimension = check.of(node)
    return None if check.faults else dimension


class _DimensionCheck:
    """The dimensions of expressions with known names, and the faults that were found on the way."""

    def __init__(self, known: Mapping[str, Dimension], marks: Mapping[str, Turn] = _NO_MARKS) -> None:
        """Make the arithmetic of dimensions for expressions with these names, and with turns for some of them."""
        self.known = known
        self.turning = TurnRules(known, marks)
        self.faults: list[Mismatch] = []
        self.arithmetic: Arithmetic[_OptionalDimension] = Arithmetic(
            number=lambda node: NUMBER if node.value else None,
            operations={
                "neg": lambda dimension: dimension,
                "inv": lambda dimension: None if dimension is None else NUMBER / dimension,
                **dict.fromkeys(("pi", *LOGIC), lambda *_: NUMBER),
                **{op: partial(_of_degree, degree) for op, degree in DEGREES.items() if op not in STEPPED},
            },
            forms={
                "mul": self._product,
                "pow": self._power,
                "piecewise": self._choice,
                **dict.fromkeys(("add", "min", "max"), lambda node, _: self.agree("terms", node, node.args)),
                **dict.fromkeys(STEPPED, self._rounded),
                **dict.fromkeys(TESTS, self._comparison),
            },
            otherwise=self._number,
        )

    def of(self, node: Node) -> _OptionalDimension:
        """The dimension of an expression; each mismatch inside is added to `faults`."""
        dimension: _OptionalDimension = self.arithmetic.fold(node, self.known.__getitem__)
        return dimension

    def _comparison(self, node: Apply, _: Fold) -> _OptionalDimension:
        self.agree("terms", node, node.args)
        return NUMBER

    def agree(self, kind: Literal["sides", "terms"], node: Node, parts: tuple[Node, ...]) -> _OptionalDimension:
        """The common dimension of all parts of a sum or an equation; a mismatch is added to `faults`."""
        common: _OptionalDimension = None
        # the first of each kind, and all of them: 2*pi*f fits both omega and f, which do not fit each other
        compared: dict[tuple[Dimension, frozenset[Turn]], Node] = {}
        for part in parts:
            dimension = self.of(part)
            if dimension is None:
                continue
            turns = self.turning.of_terms(part) if self.turning.marks or dimension.cycles else frozenset()
            if (dimension, turns) in compared:
                continue
            for (other_dimension, _), other in compared.items():
                if not self._fits(other, other_dimension, part, dimension):
                    self.faults.append(Mismatch(kind, node, other, other_dimension, part, dimension))
                    return None
            if common is None or abs(dimension.cycles) < abs(common.cycles):
                # with fewer cycles, some of which pi has turned into radians: the dimension of the whole
                common, compared = dimension, {(dimension, turns): part, **compared}
            else:
                compared[dimension, turns] = part
        return common

    def _fits(self, left: Node, left_dimension: Dimension, right: Node, right_dimension: Dimension) -> bool:
        """Whether two parts have one dimension, with cycles counted by their turns."""
        if right_dimension == left_dimension:
            return not (self.turning.marks or left_dimension.cycles) or self.turning.agrees(left, right)
        return is_of_cycles(right_dimension / left_dimension) and self.turning.agrees(left, right)

    def _is_plain(self, node: Node, dimension: Dimension) -> bool:
        """Whether an exponent or an argument has the dimension of a number."""
        return not dimension or self._fits(Number(Fraction(1)), NUMBER, node, dimension)

    def _product(self, node: Apply, part: Fold) -> _OptionalDimension:
        """The product of the dimensions of all factors; literals count as numbers, even a zero."""
        total: _OptionalDimension = NUMBER
        for arg in node.args:
            if isinstance(arg, Number):  # a zero too: 0*t is a time
                continue
            dimension = part(arg)
            total = None if total is None or dimension is None else total * dimension
        return total

    def _power(self, node: Apply, part: Fold) -> _OptionalDimension:
        """The dimension of a power, whose exponent must be a number and may be symbolic."""
        base, exponent = node.args
        dimension: _OptionalDimension = part(base)
        power = self.of(exponent)
        if power is not None and not self._is_plain(exponent, power):
            self.faults.append(Mismatch("exponent", node, exponent, power, Number(Fraction(1)), NUMBER))
            return None
        if not dimension:
            return dimension
        polynomial = _polynomial(exponent)
        if polynomial.keys() <= {()}:
            return dimension ** polynomial.get((), Fraction(0))
        return dimension.raised(polynomial)

    def _choice(self, node: Apply, part: Fold) -> _OptionalDimension:
        for condition in node.args[1::2]:
            part(condition)
        return self.agree("terms", node, node.args[::2])

    def _rounded(self, node: Apply, part: Fold) -> _OptionalDimension:
        """The dimension of a rounded expression, which must be a number or a count of things."""
        dimension: _OptionalDimension = part(node.args[0])
        if dimension:
            bases = dimension.bases
            if len(dimension.powers) != 1 or bases.keys() - _COUNTED or set(bases.values()) != {1}:
                self.faults.append(Mismatch("rounding", node, node.args[0], dimension, Number(Fraction(1)), NUMBER))
                return None
        return dimension

    def _number(self, node: Apply, part: Fold) -> _OptionalDimension:
        """The dimension of exp, log, sin and the like, a number; an argument of another dimension is a mismatch."""
        for arg in node.args:
            dimension = part(arg)
            if dimension is not None and not self._is_plain(arg, dimension):
                self.faults.append(Mismatch("argument", node, arg, dimension, Number(Fraction(1)), NUMBER))
        return NUMBER


def _of_degree(degree: Fraction, dimension: _OptionalDimension) -> _OptionalDimension:
    return dimension if dimension is None or degree == 1 else dimension**degree


def _polynomial(node: Node) -> Polynomial:
    """The exponent of a dimension as a polynomial in its symbols; each part that is no polynomial is one symbol.

    >>> from derive.expressions.grammar import parse_expression
    >>> _polynomial(parse_expression("(n - 1)/n"))
    {(): Fraction(1, 1), (('n', -1),): Fraction(-1, 1)}
    """
    try:
        terms = multiplied_out(node, render, _MOST_TERMS)
    except NoElement:
        what = f"An exponent with a dimension below it has more than {_MOST_TERMS} terms."
        raise LimitError(what, hint="Give the exponent its own name.", limit=f"{_MOST_TERMS} terms") from None
    return {tuple(sorted(monomial)): factor for monomial, factor in terms.items()}
