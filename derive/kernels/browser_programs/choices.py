"""The choices in a relation of a browser program: a form for each combination of arms that may bind."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, product

from derive.expressions.tree import Apply, Equation, Node, render, walk
from derive.numerics.algebra.evaluation import deciding, is_configured, taken_arms
from derive.numerics.algebra.like_terms import arms_of

_MOST_FORMS = 100  # limit on forms of one relation


@dataclass(frozen=True)
class Arm:
    """An arm that binds in a form of a relation; if the givens alone make its choice, the names that decide."""

    text: str
    configured_by: tuple[str, ...] | None = None


Form = tuple[Arm, ...]
"""The arms that bind together, outermost first."""


@dataclass(frozen=True)
class Choices:
    """The choices in a relation of a browser program, and its form for each combination of their ways, in order."""

    nodes: tuple[Apply, ...]
    forms: tuple[Form, ...]
    places: tuple[int, ...]  # for each combination of ways, the last changing fastest, the index of its form

    @property
    def regimes(self) -> tuple[str, ...]:
        """The text that a page shows of each form: the arms of choices that the givens do not make, or ""."""
        return tuple("; ".join(arm.text for arm in form if arm.configured_by is None) for form in self.forms)


def choices_of(equation: Equation, given: Collection[str] = ()) -> Choices | None:
    """The choices in a relation and its forms, for a browser program; None if the forms are too many.

    >>> from derive.expressions.grammar import parse_equation
    >>> choices_of(parse_equation("t = max(a, min(b, c))")).regimes
    ('a', 'min(b, c); b', 'min(b, c); c')
    >>> choices_of(parse_equation("t = max(a, b) if n > 1 else 0"), ["n"]).regimes
    ('a', 'b', '')
    """
    parts = (part for part in walk(equation.lhs, equation.rhs) if isinstance(part, Apply))
    nodes = {id(part): part for part in parts if part.op in ("max", "min", "piecewise")}
    sizes = [len(arms_of(node)) for node in nodes.values()]
    if math.prod(sizes) > _MOST_FORMS:
        return None
    forms = []
    for ways in product(*map(range, sizes)):
        way_of_each = dict(zip(nodes, ways, strict=True))
        arms = chain(_arms(equation.lhs, way_of_each, given), _arms(equation.rhs, way_of_each, given))
        forms.append(tuple(dict.fromkeys(arms)))
    distinct = tuple(dict.fromkeys(forms))
    return Choices(tuple(nodes.values()), distinct, tuple(map(distinct.index, forms)))


def _arms(node: Node, way_of_each: Mapping[int, int], given: Collection[str]) -> Iterator[Arm]:
    """The arms that bind in one form of a relation, outermost first, where each choice takes its stated way."""
    for choice, arm in taken_arms(node, lambda choice: arms_of(choice)[way_of_each[id(choice)]]):
        yield Arm(render(arm), deciding(choice) if is_configured(choice, given) else None)
