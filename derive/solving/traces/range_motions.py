"""How ranges of givens move the numbers of a trace: one way, or back and forth.

A trace is run at the ends of its ranges only. What it computes there bounds a number in two cases: if the number never
turns as a range is passed through, or if it is linear in each range. A guard of the trace is safe if it comes out alike
all over the ranges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from derive.expressions.tree import Apply, Name, Node, Number, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.like_terms import added, negated, occurrences

_MONOTONE = frozenset({"add", "mul", "neg", "inv", "pow", "max", "min", "floor", "ceil"})
_ORDERS = frozenset({"lt", "le", "gt", "ge"})


class NotTraceable(Exception):  # noqa: N818  # no error: there is no trace
    """The solution of a question, or what was decided beside it, cannot be written as a trace."""


class RangeMotion(NamedTuple):
    """How ranges move one number of a trace: its degree as a polynomial in each range, and whether it may turn.

    The degree is infinite where the number is no polynomial. It may turn if some ranges may move it back and forth.
    """

    degrees: Mapping[str, float]
    may_turn: bool = False

    @property
    def is_extreme_at_ends(self) -> bool:
        """Whether a moved number of a trace is extreme where ranges end: it never turns, or is linear in each range."""
        return not self.may_turn or max(self.degrees.values(), default=0) <= 1


class RangeMotions:
    """How ranges move the variables of a trace that is being written."""

    def __init__(self, library: RelationSet) -> None:
        self.library = library
        self._motions: dict[str, RangeMotion] = {}  # of the variables that ranges move
        self._weak: set[str] = set()  # the names of ranges that nobody typed: in their middle a question has its number
        self._is_steady = True  # whether no guard comes out otherwise elsewhere in those

    def add_range(self, variable: str, name: str, *, is_weak: bool) -> None:
        """Note the range of a given as what moves its own variable of the trace."""
        self._motions[variable] = RangeMotion({name: 1})
        if is_weak:
            self._weak.add(name)

    def add(self, variable: str, form: Node, scope: Mapping[str, str]) -> None:
        """Note how ranges move a variable of the trace that has the value of a form, if they do."""
        motion = self.of(form, scope)
        if motion.degrees:
            self._motions[variable] = motion

    def is_extreme_at_ends(self, variable: str) -> bool:
        """Whether ranges move a variable of the trace, and its extremes lie where the ranges end."""
        motion = self._motions.get(variable)
        return self._is_steady and motion is not None and motion.is_extreme_at_ends

    def require_steady(self, variables: Iterable[str]) -> None:
        """Refuse a trace if a typed range moves a variable of a guard; if a weak range does, give up its bounds."""
        motions = [self._motions[variable] for variable in variables if variable in self._motions]
        if any(not self._weak.issuperset(motion.degrees) for motion in motions):
            raise NotTraceable
        if motions:
            self._is_steady = False

    def of(self, form: Node, scope: Mapping[str, str]) -> RangeMotion:
        """The motion of an expression in a trace under the ranges that move its names."""
        moving = {name: self._motions[scope[name]] for name in names_in(form) if scope[name] in self._motions}
        ranges = [*chain.from_iterable(motion.degrees for motion in moving.values())]
        may_turn = (
            len(ranges) > len(set(ranges))  # one range moves it by two names, perhaps in opposite ways
            or any(motion.may_turn for motion in moving.values())
            or not all(self._is_monotone(form, name) for name in moving)
        )
        return RangeMotion(self._degrees(form, scope), may_turn)

    def is_decided_at_ends(self, condition: Node, scope: Mapping[str, str]) -> bool:
        """Whether the motion of a comparison lets it come out alike all over the ranges if it does so at their ends."""
        if not isinstance(condition, Apply) or condition.op not in _ORDERS:
            return False
        left, right = condition.args
        return self.of(added(left, negated(right)), scope).is_extreme_at_ends

    def _degrees(self, form: Node, scope: Mapping[str, str]) -> Mapping[str, float]:
        """The motion of a trace's expression as its degree as a polynomial in each range, or infinity."""
        if isinstance(form, Name):
            motion = self._motions.get(scope[form.name])
            return {} if motion is None else motion.degrees
        if isinstance(form, Number):
            return {}
        degrees: dict[str, float] = {}
        for arg in form.args:
            for name, degree in self._degrees(arg, scope).items():
                before = degrees.get(name, 0)
                degrees[name] = before + degree if form.op == "mul" else max(before, degree)
        return degrees if form.op in ("add", "mul", "neg") else dict.fromkeys(degrees, math.inf)

    def _is_monotone(self, form: Node, name: str) -> bool:
        """Whether the motion of a trace's expression never turns as one name moves, which stands in one place."""
        if occurrences(form, name) != 1:
            return False
        while isinstance(form, Apply):
            if form.op in ("inv", "pow") and not self._is_positive(form.args[0]):
                return False
            if form.op not in _MONOTONE or (form.op == "pow" and occurrences(form.args[1], name)):
                return False
            (form,) = (arg for arg in form.args if occurrences(arg, name))
        return True

    def _is_positive(self, node: Node) -> bool:
        """Whether a trace's expression is positive in all its motion: of positive quantities and numbers alone."""
        if isinstance(node, Name):
            domain = self.library.declared[node.name].domain
            return domain.low > 0 or (domain.low == 0 and domain.open_low)
        if isinstance(node, Number):
            return node.value > 0
        return node.op in ("mul", "inv", "pow", "add") and all(map(self._is_positive, node.args))
