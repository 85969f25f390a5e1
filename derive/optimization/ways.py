"""A quantity as an expression in one case, and what that takes: conditions, domains, and variables of their own.

A quantity without a closed form and a count that relations determine are variables of their own, bound by a zero. At a
point of what is free, they are worked out with every solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

from derive.errors import DeriveError
from derive.expressions.tree import Node, Number
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import Span
from derive.optimization.program import Side, is_of_time
from derive.planning.plan import Block, Plan
from derive.solving.execution.block_execution import State, block_states
from derive.solving.ranges.range_propagation import only_form
from derive.tolerances import ROUNDED
from quantities.domain import Domain

__all__ = ["Way", "Zero", "joined", "merged", "solver"]


@dataclass(frozen=True)
class Zero:
    """A quantity that is a variable of its own: one without a closed form, or a count."""

    name: str
    domain: Domain
    node: Node  # zero where its relation holds
    form: Node | None = None  # of a count, whose step is the size of one
    step: float = 0.0

    @property
    def span(self) -> Span:
        return self.domain.low, self.domain.high

    def at(self, values: Mapping[str, float]) -> float:
        """The number itself, which that of a count has to be to within rounding; NaN where it is not."""
        number = values[self.name] if self.form is None else value(self.form, values)
        return self.near(number) if self.step else number

    def near(self, number: float) -> float:
        """The whole number of a count that a number is but for rounding; NaN where it is none."""
        if not math.isfinite(number):
            return math.nan
        whole = round(number / self.step) * self.step
        is_whole = abs(number - whole) <= ROUNDED * max(self.step, abs(whole))
        return whole if is_whole and self.domain.admits(whole) else math.nan


@dataclass(frozen=True)
class Way:
    """A quantity as an expression in one case, and what that takes."""

    form: Node
    guards: tuple[Node, ...] = ()
    zeros: tuple[Zero, ...] = ()
    sides: tuple[Side, ...] = ()
    open_ones: tuple[str, ...] = ()  # what a divisor of its form leaves open where it may be zero in the box
    plans: tuple[Plan, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


def merged(ways: Iterable[Way]) -> Way:
    """What several ways take together."""
    whole = Way(Number(Fraction(0.0)))
    for way in ways:
        whole = joined(way, whole, ())
    return whole


def joined(way: Way, other: Way, claim: tuple[Node, ...]) -> Way:
    """A way, with what another one takes and a further condition."""
    zeros = {zero.name: zero for zero in (*other.zeros, *way.zeros)}
    return replace(
        way,
        guards=tuple(dict.fromkeys((*other.guards, *claim, *way.guards))),
        zeros=tuple(zeros.values()),
        sides=tuple(dict.fromkeys((*other.sides, *way.sides))),
        open_ones=tuple(dict.fromkeys((*other.open_ones, *way.open_ones))),
        plans=tuple(dict.fromkeys((*other.plans, *way.plans))),
        renamed={**other.renamed, **way.renamed},
    )


def solver(library: RelationSet, whole: Way) -> Callable[[Mapping[str, float]], list[Mapping[str, float]]]:
    """The function that works out at a point what is a variable of its own: every solution there."""
    plans, renamed = whole.plans, whole.renamed
    counts = {zero.name: zero for zero in whole.zeros if zero.form is not None}
    counted = {name: counts[own] for name, own in renamed.items() if own in counts}
    is_closed = all(zero.form is not None for zero in whole.zeros)

    def solutions(values: Mapping[str, float]) -> Iterator[dict[str, float]]:
        """What has no closed form, in each combination of the plans' solutions that agree."""
        names = [
            [name for block in made.blocks for name in block.unknowns if only_form(library, block) is None]
            for made in plans
        ]
        for states in product(*(_states(library, made, values, counted) for made in plans)):
            found: dict[str, float] = {}
            each = [
                {renamed[name]: state.values[name] for name in own} for own, state in zip(names, states, strict=True)
            ]
            if all(found.setdefault(name, x) == x for one in each for name, x in one.items()):
                yield found

    def solved(values: Mapping[str, float]) -> list[Mapping[str, float]]:
        whole_ones: list[Mapping[str, float]] = []
        for found in [{}] if is_closed else solutions(values):
            for zero in whole.zeros:
                found[zero.name] = zero.at({**values, **found})
            if all(map(math.isfinite, found.values())):
                whole_ones.append(found)
        return whole_ones

    return solved


def _states(library: RelationSet, made: Plan, values: Mapping[str, float], counted: Mapping[str, Zero]) -> list[State]:
    """The solutions of a plan at a point: those that have a number for every unknown.

    What follows from a count follows from the whole number, and not from what rounding made of it: the root of
    `d**2 = 4 - n` is zero where n is four, and far from zero where it is 3.9999999999999984.
    """
    states = [State(dict(values))]
    try:
        for block in made.blocks:
            steps = [step for state in states for step in block_states(library, block, state)[0]]
            states = [_with_whole_counts(step, block, counted) for step in steps]
    except DeriveError as error:
        if is_of_time(error):
            raise
        return []
    unknowns = [*made.unknowns]
    return [state for state in states if state.values.keys() >= {*unknowns}]


def _with_whole_counts(state: State, block: Block, counted: Mapping[str, Zero]) -> State:
    """The state after a block, in which a count that is whole up to rounding is whole."""
    whole = {
        name: counted[name].near(state.values[name])
        for name in block.unknowns
        if name in counted and name in state.values
    }
    found = {name: number for name, number in whole.items() if math.isfinite(number)}
    return replace(state, values={**state.values, **found}) if found else state
