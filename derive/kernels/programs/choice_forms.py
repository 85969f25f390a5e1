"""The forms that a relation with choices may take: one for each combination of arms that may bind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from derive.expressions.tree import Apply, Equation, Node, render, walk

__all__ = ["Choice", "choice_of", "ways"]

_CHOICES = frozenset({"max", "min", "piecewise"})
_MOST = 100  # limit on forms of one relation


@dataclass(frozen=True)
class Choice:
    """The choices in a relation, and its form for each combination of ways that they may go, in their order."""

    nodes: tuple[Apply, ...]
    arms: tuple[str, ...]
    places: tuple[int, ...]  # for each combination of ways, the last changing fastest, the index of its form


def choice_of(equation: Equation) -> Choice | None:
    """The forms of a relation; None if they are too many.

    >>> from derive.expressions.grammar import parse_equation
    >>> choice_of(parse_equation("t = max(a, min(b, c))")).arms
    ('a', 'min(b, c); b', 'min(b, c); c')
    """
    nodes = {id(node): node for node in _nodes(equation) if isinstance(node, Apply) and node.op in _CHOICES}
    sizes = [ways(node) for node in nodes.values()]
    if math.prod(sizes) > _MOST:
        return None
    forms = [
        "; ".join(dict.fromkeys(render(arm) for side in (equation.lhs, equation.rhs) for arm in _arms(side, taken)))
        for taken in (dict(zip(nodes, places, strict=True)) for places in product(*map(range, sizes)))
    ]
    arms = tuple(dict.fromkeys(forms))
    return Choice(tuple(nodes.values()), arms, tuple(map(arms.index, forms)))


def ways(choice: Apply) -> int:
    """How many arms a choice has."""
    return (len(choice.args) + 1) // 2 if choice.op == "piecewise" else len(choice.args)


def _nodes(equation: Equation) -> Iterator[Node]:
    yield from walk(equation.lhs)
    yield from walk(equation.rhs)


def _arms(node: Node, taken: Mapping[int, int]) -> list[Node]:
    """The binding arms, outermost first, if each choice goes its stated way."""
    if not isinstance(node, Apply):
        return []
    if node.op in _CHOICES:
        arm = node.args[taken[id(node)] * (2 if node.op == "piecewise" else 1)]
        return [arm, *_arms(arm, taken)]
    return [arm for arg in node.args for arm in _arms(arg, taken)]
