"""Mixtures of two answers: each quantity gets its number as in one answer or as in the other.

An answer gives every quantity on its course a *way* to its number: it is stated, or it follows by a stage of the plan,
with the arm of each choice that binds there. Between two answers of one target differ

- numbers: quantities that both state, each with a number of its own; and
- ways: quantities that both have, and that one states and the other derives, or that they derive by other relations or
  by other arms of one relation: the regimes.

Each of these may be taken from either answer, independently of the rest. What only one answer uses is reached only by
that answer's ways, and never moves. So a mixture is a chain of definite operations, whether or not a machine can be in
two regimes at once, and needs no new plan. It has a value if every quantity on the way lies in its domain: a share of
what is read that comes out negative is none. Ways that would wait for each other in a circle (speed from time here,
time from speed there) are joined, and so are the unknowns of simultaneous relations.

A form is *settled* at an answer when each max, min and case in it is replaced by the arm that binds at the answer's
numbers. There it has the value of the whole; elsewhere it says what the target would be if the same arm went on to
bind. Where two arms are equal at one answer, and one of them is the arm that binds at the other, that one is taken:
between an answer on a knee and one beside it there is no regime.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from derive.expressions.tree import Apply, Name, Node
from derive.numerics.algebra.evaluation import chosen_arm, value
from derive.numerics.intervals.arithmetic import Span
from derive.numerics.intervals.enclosure import enclose
from derive.planning.networks import components
from derive.solving.execution.answer import Course, Stage
from derive.solving.sensitivity.elasticities import composed
from derive.tolerances import AGREEMENT, TIGHT
from quantities.domain import Domain

Ways = Mapping[str, Stage]
"""The stage by which each derived quantity gets its number; any other is stated."""


@dataclass(frozen=True)
class Mixture:
    """Two courses to one target, and what differs between them."""

    target: str
    courses: tuple[Course, Course]
    domains: Mapping[str, Domain]
    ways: tuple[Ways, Ways]  # with choices settled
    moving: tuple[str, ...]  # the quantities that both state, with other numbers
    regimes: tuple[tuple[str, ...], ...]  # the quantities whose ways differ; those that move together as one
    solved: dict[Any, Mapping[str, float]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def fixed(self) -> Mapping[str, float]:
        """The stated numbers that do not move: both answers have them, or only one states them."""
        found: dict[str, float] = {}
        for course, ways in zip(self.courses, self.ways, strict=True):
            found |= {name: number for name, number in course.values.items() if name not in ways}
        return {name: number for name, number in found.items() if name not in self.moving}

    def ends(self) -> tuple[dict[str, float], dict[str, float]]:
        """The moving numbers of either answer."""
        first, second = ({name: course.values[name] for name in self.moving} for course in self.courses)
        return first, second

    def branch(self, moved: Collection[str] = ()) -> Branch:
        """The target by the ways of the first answer, but for the quantities in `moved`, by those of the second."""
        mine, others = self.ways
        ways = {**others, **mine}
        for name in (name for group in self.regimes for name in group):
            source = others if name in moved else mine
            ways.pop(name, None)
            if name in source:
                ways[name] = source[name]
        return Branch(self, ways)

    def again(self, stage: Stage, numbers: Mapping[str, float]) -> Mapping[str, float]:
        """The unknowns of relations without a closed form; none where they have no single solution."""
        known = {name: numbers[name] for name in stage.needs}
        key = stage.relations, stage.unknowns, tuple(known.values())
        if key not in self.solved:
            own = (course.again for course in self.courses if course.again and stage in course.stages)
            found = (again(stage, known) for again in own)
            self.solved[key] = next((one for one in found if one is not None), {})
        return self.solved[key]


@dataclass(frozen=True)
class Branch:
    """The target as a function of the moving numbers, by fixed ways."""

    mixture: Mixture
    ways: Ways

    @cached_property
    def form(self) -> Node:
        """The target in quantities that are stated, or that relations without a closed form determine."""
        target = self.mixture.target
        forms = {name: stage.form for name, stage in self._stages if stage.form is not None}
        return composed(target, forms) or Name(target)

    @cached_property
    def _stages(self) -> Sequence[tuple[str, Stage]]:
        """The derived quantities that the target needs, each after those that it depends on."""
        return [(name, self.ways[name]) for name in _ordered(self.mixture.target, (self.ways,)) if name in self.ways]

    @property
    def is_slow(self) -> bool:
        """Whether relations without a closed form have to be solved at each point."""
        return any(stage.form is None for _, stage in self._stages)

    @cached_property
    def feeding(self) -> Mapping[str, frozenset[str]]:
        """The moving numbers that each quantity depends on."""
        found = {name: frozenset([name]) for name in self.mixture.moving}
        for name, stage in self._stages:
            found[name] = frozenset().union(*(found.get(other, frozenset()) for other in stage.needs))
        return found

    def numbers(self, moving: Mapping[str, float], wanted: Iterable[str] | None = None) -> dict[str, float]:
        """All stated numbers, and the derived ones among those wanted: by default the target's; NaN for no value."""
        names = [self.mixture.target] if wanted is None else list(wanted)
        found = {**self.mixture.fixed, **moving}
        if not any(name in self.ways for name in names):
            return found
        for name, stage in self._stages:
            if stage.form is not None:
                number = value(stage.form, found) if found.keys() >= {*stage.needs} else math.nan
                found[name] = number if self._is_inside(name, number) else math.nan
            elif name not in found:
                is_known = not any(math.isnan(found.get(one, math.nan)) for one in stage.needs)
                solved = self.mixture.again(stage, found) if is_known else {}
                found |= {one: solved.get(one, math.nan) for one in stage.unknowns if self.ways.get(one) == stage}
        return found

    def _is_inside(self, name: str, number: float) -> bool:
        """Whether a number lies in the domain of its quantity, but for rounding."""
        domain = self.mixture.domains[name]
        return number in domain or any(
            math.isclose(number, end, rel_tol=AGREEMENT) for end in (domain.low, domain.high)
        )

    def doubtful(self, ends: Sequence[Mapping[str, float]]) -> list[str]:
        """The quantities on several moving numbers that are not enclosed in their domains wherever these lie between
        their ends."""
        spans: dict[str, Span] = {name: (number, number) for name, number in self.mixture.fixed.items()}
        spans |= {name: (min(pair), max(pair)) for name in self.mixture.moving if (pair := [end[name] for end in ends])}
        found = []
        for name, stage in self._stages:
            domain = self.mixture.domains[name]
            held = stage.form is not None and spans.keys() >= {*stage.needs}
            bounds = enclose(stage.form, spans, "") if stage.form is not None and held else None
            low, high = (-math.inf, math.inf) if bounds is None or bounds.partial else bounds.values
            is_inside = domain.low <= low and high <= domain.high and not (domain.open_low and low == domain.low)
            if stage.form is not None and not is_inside and len(self.feeding[name]) > 1:
                found.append(name)
            spans[name] = max(low, domain.low), min(high, domain.high)
        return found

    def at(self, moving: Mapping[str, float]) -> float:
        """The target at these numbers; NaN where it has no single value."""
        return self.numbers(moving).get(self.mixture.target, math.nan)


def mixed(target: str, one: Course, other: Course, domains: Mapping[str, Domain]) -> Mixture:
    """What differs between two courses to a target."""
    mine, others = _settled(one, other)
    reached = set(_ordered(target, (mine, others)))
    ways = tuple({name: stage for name, stage in side.items() if name in reached} for side in (mine, others))
    both = [name for name in one.values if name in reached and name in other.values]
    stated = [name for name in both if name not in mine and name not in others]
    moving = [name for name in stated if not math.isclose(one.values[name], other.values[name], rel_tol=TIGHT)]
    differing = [name for name in both if not _is_same(mine.get(name), others.get(name))]
    return Mixture(target, (one, other), domains, (ways[0], ways[1]), tuple(moving), _joined(target, ways, differing))


def _settled(one: Course, other: Course) -> tuple[dict[str, Stage], dict[str, Stage]]:
    """The ways of both courses, with each choice settled at its own numbers."""
    mine, others = ({name: stage for stage in course.stages for name in stage.unknowns} for course in (one, other))
    for name in {**mine, **others}:
        first, second = (ways[name].form if name in ways else None for ways in (mine, others))
        if first is not None and first == second:
            first, second = settled_together(first, one.values, other.values)
        else:
            first = None if first is None else settled(first, one.values)
            second = None if second is None else settled(second, other.values)
        for ways, form in ((mine, first), (others, second)):
            if form is not None:
                ways[name] = Stage.isolated(name, ways[name].relations, form)
    return mine, others


def _is_same(mine: Stage | None, others: Stage | None) -> bool:
    """Whether two ways are one: both stated, the same form, or the same relations for the same unknowns."""
    if mine is None or others is None:
        return mine is others
    if mine.form is not None or others.form is not None:
        return mine.form == others.form
    return (set(mine.relations), set(mine.unknowns)) == (set(others.relations), set(others.unknowns))


def _ordered(target: str, ways: Sequence[Ways]) -> list[str]:
    """The target and all that it is derived from, each after what it depends on, as far as there are no circles."""
    edges = _edges(target, ways)
    return [name for part in components(edges) for name in part]


def _edges(target: str, ways: Sequence[Ways]) -> dict[str, list[str]]:
    edges: dict[str, list[str]] = {}
    pending = [target]
    while pending:
        name = pending.pop()
        if name not in edges:
            stages = [side[name] for side in ways if name in side]
            edges[name] = list(dict.fromkeys(other for stage in stages for other in stage.needs))
            pending += edges[name]
    return edges


def _joined(target: str, ways: Sequence[Ways], differing: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The differing quantities in groups: those in a circle, or unknowns of the same relations, move together."""
    edges = _edges(target, ways)
    for side in ways:
        for name, stage in side.items():
            edges[name] = [*edges[name], *(other for other in stage.unknowns if other != name and other in edges)]
    group = {name: number for number, part in enumerate(components(edges)) for name in part}
    found: dict[int, list[str]] = {}
    for name in differing:
        found.setdefault(group[name], []).append(name)
    return tuple(map(tuple, found.values()))


def settled(form: Node, at: Mapping[str, float]) -> Node:
    """A form with only the arms that bind at these numbers.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> render(settled(parse_expression("n*max(a, b + min(a, n))"), {"n": 2.0, "a": 3.0, "b": 4.0}))
    'n*(b + n)'
    """
    return settled_together(form, at, at)[0]


def settled_together(form: Node, one: Mapping[str, float], other: Mapping[str, float]) -> tuple[Node, Node]:
    """One form settled at the numbers of two answers; arms that are equal at one are settled as at the other.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> form = parse_expression("max(a, b)")
    >>> [render(arm) for arm in settled_together(form, {"a": 2.0, "b": 2.0}, {"a": 2.0, "b": 3.0})]
    ['b', 'b']
    """
    if not isinstance(form, Apply):
        return form, form
    if form.op in ("max", "min"):
        mine, others = _extreme(form, one), _extreme(form, other)
        both = mine & others
        return _of_arms(form, min(both or mine, default=None), min(both or others, default=None), one, other)
    if form.op == "piecewise":
        return _of_arms(form, _chosen(form, one), _chosen(form, other), one, other)
    pairs = [settled_together(arg, one, other) for arg in form.args]
    return _rebuilt(form, [first for first, _ in pairs]), _rebuilt(form, [second for _, second in pairs])


def _of_arms(
    form: Apply, mine: int | None, others: int | None, one: Mapping[str, float], other: Mapping[str, float]
) -> tuple[Node, Node]:
    """The arms at these places, themselves settled; an undefined choice stays as it is."""
    if mine is None or others is None:
        return form, form
    if mine == others:
        return settled_together(form.args[mine], one, other)
    return settled(form.args[mine], one), settled(form.args[others], other)


def _rebuilt(form: Apply, args: list[Node]) -> Node:
    """The same operation; the same tree where nothing changed, since it holds its evaluator."""
    return form if all(new is old for new, old in zip(args, form.args, strict=True)) else Apply(form.op, tuple(args))


def _extreme(form: Apply, at: Mapping[str, float]) -> set[int]:
    """The places of the arms that bind: of several, where they are equal but for rounding."""
    sizes = [value(arg, at) for arg in form.args]
    if any(map(math.isnan, sizes)):
        return set()
    best = max(sizes) if form.op == "max" else min(sizes)
    return {place for place, size in enumerate(sizes) if math.isclose(size, best, rel_tol=AGREEMENT)}


def _chosen(form: Apply, at: Mapping[str, float]) -> int | None:
    """The place of the arm whose condition holds first."""
    arm = chosen_arm(form, at)
    return None if arm is None else next(place for place, arg in enumerate(form.args) if arg is arm)
