"""Where a closed form loses so many digits in doubles that compiled lines must not state its value.

A sum of numbers of both signs keeps their rounding when most of the numbers cancels. `loss` is the factor by which
that magnifies the rounding of one number: the sum of the absolute terms, relative to the sum. A logarithm near zero,
a sine near a multiple of pi and an arc cosine at the end of its domain magnify roundings as well. A number rounded to
a whole one is decided only where no whole number lies within the rounding of its argument.

Each doubt is a comparison that a NaN does not meet, so that a point without a value costs nothing. Sums that cannot
cancel within the domains of their names have no doubts. Without one, only sums of whole numbers may be zero, and
differences of two numbers as they were given.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from derive.expressions.functions import STEPPED
from derive.expressions.tree import Apply, Name, Node, Number, names_in, walk
from derive.numerics.algebra.like_terms import ONE, TWO, ZERO, added, inverted, multiplied, negated
from derive.numerics.intervals.enclosure import Span, enclose
from derive.tolerances import MOST_LOST, ROUNDING

__all__ = ["Doubt", "LostDigits"]


@dataclass(frozen=True)
class Doubt:
    """Doubles do not decide where one expression is less than another, except where `inexact` is zero."""

    small: Node
    large: Node
    inexact: Node | None = None


_LOGARITHMS = frozenset({"log", "log10", "log2"})
_WAVES = frozenset({"sin", "cos", "tan"})
_ARCS = frozenset({"asin", "acos", "atanh"})  # with infinite slopes at one and minus one
_HALF = Number(Fraction(1, 2))
_WHOLE_ABOVE = Number(Fraction(1, 2**52))  # from its inverse on all doubles are whole numbers
_ROUNDINGS_OF_BLOCKS = 5000  # what a number computed by earlier lines may be off by, as lines guarantee it
_ROUNDINGS_OF_ALL = 8  # of the conversion of a given to base units, and its own
_ROUNDINGS_OF_A_PART = 8  # a power of the C library is the worst


@dataclass(frozen=True)
class LostDigits:
    """The doubts about expressions in names with these bounds, of which some are exactly as they were given."""

    spans: Mapping[str, Span]
    exact: Container[str]

    def doubts(self, node: Node) -> Iterator[Doubt]:
        """The tests that find where an expression loses too many digits, those of its parts first."""
        if not isinstance(node, Apply):
            return
        if node.op == "piecewise":
            yield from self._of_choice(node)
            return
        for arg in node.args:
            yield from self.doubts(arg)
        if node.op == "add":
            if self._may_cancel(node):
                large = multiplied(_LOST, self._whole(node), *self._losses(*node.args))
                yield Doubt(_size(node), large, self._inexact(node))
        elif node.op in _LOGARITHMS:
            yield Doubt(_size(node), multiplied(_LOST, *self._losses(*node.args)), self._inexact(node))
        elif node.op in _WAVES:
            argument = multiplied(_size(node.args[0]), *self._losses(*node.args))
            yield Doubt(_size(node), multiplied(_LOST, argument))
            if node.op == "tan":
                yield Doubt(inverted(_LOST), multiplied(argument, _size(node)))
        elif node.op in _ARCS:
            beside = Apply("add", (ONE, negated(_size(node.args[0]))))
            yield Doubt(_size(beside), _LOST, beside if self._is_exact(node.args[0]) else None)
        elif node.op in STEPPED:
            argument = node.args[0]
            from_half = Apply("add", (node, negated(argument), _HALF if node.op == "floor" else negated(_HALF)))
            near = Apply("add", (_HALF, negated(self._reach(argument))))
            yield Doubt(near, _size(from_half), _fractions(argument, self.exact))

    def loss(self, node: Node) -> Node:
        """How much an expression magnifies the rounding of the numbers in it, by sums that cancel and by waves."""
        if not isinstance(node, Apply) or node.op in STEPPED:
            return ONE
        if node.op == "piecewise":
            arms = [arg if i % 2 else self.loss(arg) for i, arg in enumerate(node.args)]
            is_plain = all(arm == ONE for arm in arms[::2])
            return ONE if is_plain else Apply("piecewise", tuple(arms))
        inner = multiplied(*self._losses(*node.args))
        if node.op == "add" and self._may_cancel(node):
            return multiplied(inner, self._whole(node), inverted(_size(node)))
        if node.op in _LOGARITHMS:
            return multiplied(inner, Apply("max", (ONE, inverted(_size(node)))))
        if node.op in _WAVES:
            return multiplied(inner, Apply("max", (ONE, multiplied(_size(node.args[0]), inverted(_size(node))))))
        return inner

    def _losses(self, *parts: Node) -> list[Node]:
        """The largest loss of some parts, if any loses digits at all."""
        held = [one for one in dict.fromkeys(map(self.loss, parts)) if one != ONE]
        return [held[0] if len(held) == 1 else Apply("max", tuple(held))] if held else []

    def _of_choice(self, node: Apply) -> Iterator[Doubt]:
        """The doubts about each arm, where that arm is taken."""
        for place in range(0, len(node.args), 2):
            for doubt in self.doubts(node.args[place]):
                excess = Apply("add", (doubt.large, negated(doubt.small)))
                inexact = None if doubt.inexact is None else _in_arm(node, place, doubt.inexact)
                yield Doubt(ZERO, _in_arm(node, place, excess), inexact)

    def _may_cancel(self, node: Apply) -> bool:
        found = [enclose(term, self.spans, "") for term in node.args]
        if any(one is None for one in found):
            return True
        ends = [one.values for one in found if one is not None]
        return not (all(low >= 0 for low, _ in ends) or all(high <= 0 for _, high in ends))

    def _whole(self, node: Apply) -> Node:
        """The sum of the absolute terms, or what it nearly is where the sum is small."""
        if len(node.args) == 2:
            low, high = self._values(node.args[0])
            first = node.args[0] if low >= 0 else negated(node.args[0]) if high <= 0 else _size(node.args[0])
            return multiplied(TWO, first)
        return added(*map(_size, node.args))

    def _values(self, node: Node) -> Span:
        """Bounds of an expression."""
        found = enclose(node, self.spans, "")
        return (-inf, inf) if found is None else found.values

    def _inexact(self, node: Apply) -> Node | None:
        """Zero where an expression is zero without rounding; None if that is not known."""
        if len(node.args) <= 2 and all(map(self._is_exact, node.args)):
            return node
        if node.op != "add" or any(isinstance(one, Number) and one.value.denominator != 1 for one in node.args):
            return None
        parts = [one for one in node.args if not isinstance(one, Number)]
        return added(_size(node), *map(_fraction, parts))

    def _is_exact(self, node: Node) -> bool:
        if isinstance(node, Apply) and node.op == "neg":
            return self._is_exact(node.args[0])
        if isinstance(node, Number):
            return Fraction(node.real) == node.value
        return isinstance(node, Name) and node.name in self.exact

    def _reach(self, argument: Node) -> Node:
        """A bound on the rounding error of what is rounded to a whole number."""
        parts = sum(isinstance(part, Apply) for part in walk(argument))
        count = _ROUNDINGS_OF_ALL + _ROUNDINGS_OF_A_PART * parts
        if any(name not in self.exact for name in names_in(argument)):
            count += _ROUNDINGS_OF_BLOCKS
        share = Number(Fraction(count) * Fraction(ROUNDING))
        low, _ = self._values(argument)
        return multiplied(share, argument if low >= 0 else _size(argument), *self._losses(argument))


_LOST = Number(Fraction(1) / Fraction(MOST_LOST))


def _size(node: Node) -> Node:
    return Apply("abs", (node,))


def _in_arm(node: Apply, place: int, here: Node) -> Node:
    """A choice that is this where an arm is taken, and zero elsewhere."""
    return Apply(node.op, tuple(here if i == place else one if i % 2 else ZERO for i, one in enumerate(node.args)))


def _fraction(node: Node) -> Node:
    """What a number is more than a whole one."""
    return Apply("add", (node, negated(Apply("floor", (node,)))))


def _fractions(argument: Node, exact: Container[str]) -> Node | None:
    """Zero where a quotient of whole givens is rounded, which doubles divide without an error that could matter.

    Two whole numbers below 2**52 have a quotient that is a whole number, or differs from one by more than rounding.
    """
    above, below = _factors(argument)
    held: list[Node] = []
    for factor in (*above, *below):
        if isinstance(factor, Number):
            if factor.value.denominator != 1:
                return None
        elif isinstance(factor, Name) and factor.name in exact:
            held.append(_fraction(factor))
        else:
            return None
    for product in (above, below):
        if any(isinstance(factor, Name) for factor in product):
            held.append(Apply("floor", (multiplied(_WHOLE_ABOVE, *map(_size, product)),)))
    return added(*held) if held else None


def _factors(node: Node) -> tuple[list[Node], list[Node]]:
    """The factors of a quotient above and below its line."""
    if isinstance(node, Apply) and node.op == "mul":
        pairs = [_factors(arg) for arg in node.args]
        return [one for above, _ in pairs for one in above], [one for _, below in pairs for one in below]
    if isinstance(node, Apply) and node.op == "inv":
        above, below = _factors(node.args[0])
        return below, above
    if isinstance(node, Apply) and node.op == "neg":
        return _factors(node.args[0])
    return [node], []
