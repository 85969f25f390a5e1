"""The forms that a relation with choices may take: one for each combination of arms that may bind."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from derive.expressions.tree import Apply, Equation, Node, render, walk
from derive.numerics.algebra.evaluation import deciding, is_configured

__all__ = ["Arm", "Choice", "choice_of", "ways"]

_CHOICES = frozenset({"max", "min", "piecewise"})
_MOST = 100  # limit on forms of one relation


@dataclass(frozen=True)
class Arm:
    """An arm that binds; if the givens alone make its choice, the names that decide it."""

    text: str
    configured_by: tuple[str, ...] | None = None


Form = tuple[Arm, ...]
"""The arms that bind together, outermost first."""


@dataclass(frozen=True)
class Choice:
    """The choices in a relation, and its form for each combination of ways that they may go, in their order."""

    nodes: tuple[Apply, ...]
    forms: tuple[Form, ...]
    places: tuple[int, ...]  # for each combination of ways, the last changing fastest, the index of its form

    @property
    def regimes(self) -> tuple[str, ...]:
        """What is told of each form: the arms that the givens alone do not choose; "" where these are none."""
        return tuple("; ".join(arm.text for arm in form if arm.configured_by is None) for form in self.forms)


def choice_of(equation: Equation, given: Collection[str] = ()) -> Choice | None:
    """The forms of a relation, some of whose quantities are given; None if they are too many.

    >>> from derive.expressions.grammar import parse_equation
    >>> choice_of(parse_equation("t = max(a, min(b, c))")).regimes
    ('a', 'min(b, c); b', 'min(b, c); c')
    >>> choice_of(parse_equation("t = max(a, b) if n > 1 else 0"), ["n"]).regimes
    ('a', 'b', '')
    """
    nodes = {id(node): node for node in _nodes(equation) if isinstance(node, Apply) and node.op in _CHOICES}
    sizes = [ways(node) for node in nodes.values()]
    if math.prod(sizes) > _MOST:
        return None
    forms = [
        tuple(dict.fromkeys(arm for side in (equation.lhs, equation.rhs) for arm in _arms(side, taken, given)))
        for taken in (dict(zip(nodes, places, strict=True)) for places in product(*map(range, sizes)))
    ]
    distinct = tuple(dict.fromkeys(forms))
    return Choice(tuple(nodes.values()), distinct, tuple(map(distinct.index, forms)))


def ways(choice: Apply) -> int:
    """How many arms a choice has."""
    return (len(choice.args) + 1) // 2 if choice.op == "piecewise" else len(choice.args)


def _nodes(equation: Equation) -> Iterator[Node]:
    yield from walk(equation.lhs)
    yield from walk(equation.rhs)


def _arms(node: Node, taken: Mapping[int, int], given: Collection[str]) -> list[Arm]:
    """The binding arms, outermost first, if each choice goes its stated way."""
    if not isinstance(node, Apply):
        return []
    if node.op in _CHOICES:
        arm = node.args[taken[id(node)] * (2 if node.op == "piecewise" else 1)]
        by = deciding(node) if is_configured(node, given) else None
        return [Arm(render(arm), by), *_arms(arm, taken, given)]
    return [arm for arg in node.args for arm in _arms(arg, taken, given)]
