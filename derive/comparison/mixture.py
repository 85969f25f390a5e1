"""Mixtures of two compared answers: each quantity gets its number as in one answer or as in the other.

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

The *active form* of a form at an answer has, in place of each max, min and case, the arm that binds at the answer's
numbers. There it has the value of the whole; elsewhere it says what the target would be if the same arm went on to
bind. Where two arms are equal at one answer, and one of them is the arm that binds at the other, that one is taken:
between an answer on a knee and one beside it there is no regime.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from derive.expressions.tree import Apply, Name, Node
from derive.numerics.algebra.evaluation import chosen_arm, value
from derive.numerics.intervals.arithmetic import Span, point_box
from derive.numerics.intervals.enclosure import enclose
from derive.planning.networks import components
from derive.solving.blocks.closed_forms import composed
from derive.solving.execution.answer import Course, Stage
from derive.tolerances import AGREEMENT, TIGHT
from quantities.domain import Domain

Ways = Mapping[str, Stage]
"""The stage by which each derived quantity gets its number; any other is stated."""


@dataclass(frozen=True)
class Mixture:
    """The mixtures of two courses to one target: what differs between them, each part taken from either."""

    target: str
    courses: tuple[Course, Course]
    domains: Mapping[str, Domain]
    ways: tuple[Ways, Ways]  # with active forms
    moving: tuple[str, ...]  # the quantities that both state, with other numbers
    regimes: tuple[tuple[str, ...], ...]  # the quantities whose ways differ; those that move together as one
    solved: dict[Any, Mapping[str, float]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def fixed(self) -> Mapping[str, float]:
        """The stated numbers that do not move in the mixture: both answers have them, or only one states them."""
        fixed: dict[str, float] = {}
        for course, ways in zip(self.courses, self.ways, strict=True):
            fixed |= {name: number for name, number in course.values.items() if name not in ways}
        return {name: number for name, number in fixed.items() if name not in self.moving}

    def ends(self) -> tuple[dict[str, float], dict[str, float]]:
        """The moving numbers of the mixture as in the first answer, and as in the second."""
        first, second = ({name: course.values[name] for name in self.moving} for course in self.courses)
        return first, second

    @cached_property
    def differing(self) -> tuple[str, ...]:
        """All quantities of the mixture whose ways differ between the two answers."""
        return tuple(chain.from_iterable(self.regimes))

    def target_function(self, moved: Collection[str] = ()) -> TargetFunction:
        """The mixture's target by the ways of the first answer, but by those of the second for `moved` names."""
        first_ways, second_ways = self.ways
        ways = {**second_ways, **first_ways}
        for name in self.differing:
            source = second_ways if name in moved else first_ways
            ways.pop(name, None)
            if name in source:
                ways[name] = source[name]
        return TargetFunction(self, ways)

    def solved_again(self, stage: Stage, numbers: Mapping[str, float]) -> Mapping[str, float]:
        """The mixture's solution of relations without a closed form; empty where they have no single solution."""
        known = {name: numbers[name] for name in stage.needs}
        key = stage.relations, stage.unknowns, tuple(known.values())
        if key not in self.solved:
            solvers = (course.again for course in self.courses if course.again and stage in course.stages)
            solutions = (again(stage, known) for again in solvers)
            self.solved[key] = next((solution for solution in solutions if solution is not None), {})
        return self.solved[key]


@dataclass(frozen=True)
class TargetFunction:
    """The target of a mixture as a function of its moving numbers, by fixed ways."""

    mixture: Mixture
    ways: Ways

    @cached_property
    def form(self) -> Node:
        """The form of a mixture's target in names that are stated, or that only a solver determines."""
        target = self.mixture.target
        forms = {name: stage.form for name, stage in self._stages if stage.form is not None}
        return composed(target, forms) or Name(target)

    @cached_property
    def _stages(self) -> Sequence[tuple[str, Stage]]:
        """The derived quantities that a mixture's target needs, each after those that it depends on."""
        names = _dependency_order(self.mixture.target, (self.ways,))
        return [(name, self.ways[name]) for name in names if name in self.ways]

    @property
    def is_slow(self) -> bool:
        """Whether a mixture's target needs relations without a closed form, solved again at each point."""
        return any(stage.form is None for _, stage in self._stages)

    @cached_property
    def feeding(self) -> Mapping[str, frozenset[str]]:
        """The moving numbers of a mixture on which each of its quantities depends."""
        feeding = {name: frozenset([name]) for name in self.mixture.moving}
        for name, stage in self._stages:
            feeding[name] = frozenset().union(*(feeding.get(other, frozenset()) for other in stage.needs))
        return feeding

    def numbers(self, moving: Mapping[str, float], wanted: Iterable[str] | None = None) -> dict[str, float]:
        """The stated numbers of a mixture, and those of the wanted names that are derived; NaN for no value.

        By default the target's number is wanted.
        """
        names = [self.mixture.target] if wanted is None else list(wanted)
        numbers = {**self.mixture.fixed, **moving}
        if not any(name in self.ways for name in names):
            return numbers
        for name, stage in self._stages:
            if stage.form is not None:
                number = value(stage.form, numbers) if numbers.keys() >= {*stage.needs} else math.nan
                numbers[name] = number if self._is_inside(name, number) else math.nan
            elif name not in numbers:
                is_known = not any(math.isnan(numbers.get(needed, math.nan)) for needed in stage.needs)
                solved = self.mixture.solved_again(stage, numbers) if is_known else {}
                own = [unknown for unknown in stage.unknowns if self.ways.get(unknown) == stage]
                numbers |= {unknown: solved.get(unknown, math.nan) for unknown in own}
        return numbers

    def _is_inside(self, name: str, number: float) -> bool:
        """Whether a number of a mixture lies in the domain of its quantity, but for rounding."""
        domain = self.mixture.domains[name]
        ends = domain.ends
        return number in domain or any(math.isclose(number, end, rel_tol=AGREEMENT) for end in ends)

    def uncertain_names(self, ends: Sequence[Mapping[str, float]]) -> list[str]:
        """The quantities of a mixture that may leave their domains while its numbers move between their ends.

        They depend on several moving numbers, and are not enclosed in their domains there.
        """
        spans: dict[str, Span] = point_box(self.mixture.fixed)
        for name in self.mixture.moving:
            numbers = [end[name] for end in ends]
            spans[name] = min(numbers), max(numbers)
        doubtful = []
        for name, stage in self._stages:
            domain = self.mixture.domains[name]
            is_spanned = stage.form is not None and spans.keys() >= {*stage.needs}
            bounds = enclose(stage.form, spans, "") if stage.form is not None and is_spanned else None
            low, high = (-math.inf, math.inf) if bounds is None or bounds.partial else bounds.values
            is_inside = domain.low <= low and high <= domain.high and not (domain.open_low and low == domain.low)
            if stage.form is not None and not is_inside and len(self.feeding[name]) > 1:
                doubtful.append(name)
            spans[name] = max(low, domain.low), min(high, domain.high)
        return doubtful

    def at(self, moving: Mapping[str, float]) -> float:
        """The value of a mixture's target at some moving numbers; NaN where it has no single value."""
        return self.numbers(moving).get(self.mixture.target, math.nan)


def mixture_of(target: str, first: Course, second: Course, domains: Mapping[str, Domain]) -> Mixture:
    """The mixture of two courses to a target: the numbers and the ways that differ between them."""
    first_ways, second_ways = _active_ways(first, second)
    reached = set(_dependency_order(target, (first_ways, second_ways)))
    first_ways = {name: stage for name, stage in first_ways.items() if name in reached}
    second_ways = {name: stage for name, stage in second_ways.items() if name in reached}
    both = [name for name in first.values if name in reached and name in second.values]
    stated = [name for name in both if name not in first_ways and name not in second_ways]
    moving = [name for name in stated if not math.isclose(first.values[name], second.values[name], rel_tol=TIGHT)]
    differing = [name for name in both if not _is_same(first_ways.get(name), second_ways.get(name))]
    ways = first_ways, second_ways
    regimes = _groups_moving_together(target, ways, differing)
    return Mixture(target, (first, second), domains, ways, tuple(moving), regimes)


def _ways_of(course: Course) -> dict[str, Stage]:
    """The way of a course to each quantity that it derives, for a mixture: the stage of its plan."""
    ways: dict[str, Stage] = {}
    for stage in course.stages:
        ways |= dict.fromkeys(stage.unknowns, stage)
    return ways


def _active_ways(first: Course, second: Course) -> tuple[dict[str, Stage], dict[str, Stage]]:
    """The ways of both courses of a mixture, each with the active form at its own numbers."""
    first_ways, second_ways = _ways_of(first), _ways_of(second)
    for name in {**first_ways, **second_ways}:
        first_form, second_form = (ways[name].form if name in ways else None for ways in (first_ways, second_ways))
        if first_form is not None and first_form == second_form:
            first_form, second_form = active_forms(first_form, first.values, second.values)
        else:
            first_form = None if first_form is None else active_form(first_form, first.values)
            second_form = None if second_form is None else active_form(second_form, second.values)
        for ways, form in ((first_ways, first_form), (second_ways, second_form)):
            if form is not None:
                ways[name] = Stage.isolated(name, ways[name].relations, form)
    return first_ways, second_ways


def _is_same(first: Stage | None, second: Stage | None) -> bool:
    """Whether two ways in a mixture are one: both stated, the same form, or the same relations and unknowns."""
    if first is None or second is None:
        return first is second
    if first.form is not None or second.form is not None:
        return first.form == second.form
    return (set(first.relations), set(first.unknowns)) == (set(second.relations), set(second.unknowns))


def _dependency_order(target: str, ways: Sequence[Ways]) -> list[str]:
    """The target of a mixture and all that it is derived from, each after what it depends on.

    In circles there is no such order.
    """
    edges = _edges(target, ways)
    return [*chain.from_iterable(components(edges))]


def _edges(target: str, ways: Sequence[Ways]) -> dict[str, list[str]]:
    """The quantities that each one behind the target of a mixture needs, by the ways of either answer."""
    edges: dict[str, list[str]] = {}
    pending = [target]
    while pending:
        name = pending.pop()
        if name not in edges:
            needs = [side[name].needs for side in ways if name in side]
            edges[name] = list(dict.fromkeys(chain.from_iterable(needs)))
            pending += edges[name]
    return edges


def _groups_moving_together(target: str, ways: Sequence[Ways], differing: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The groups of quantities that move together in a mixture, of those whose ways differ.

    They are in a circle, or unknowns of the same relations.
    """
    edges = _edges(target, ways)
    for side in ways:
        for name, stage in side.items():
            edges[name] = [*edges[name], *(other for other in stage.unknowns if other != name and other in edges)]
    component_of: dict[str, int] = {}
    for number, component in enumerate(components(edges)):
        component_of |= dict.fromkeys(component, number)
    groups: dict[int, list[str]] = {}
    for name in differing:
        groups.setdefault(component_of[name], []).append(name)
    return tuple(map(tuple, groups.values()))


def active_form(form: Node, numbers: Mapping[str, float]) -> Node:
    """The active form at some numbers, with only the arms that bind there, for a mixture.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> render(active_form(parse_expression("n*max(a, b + min(a, n))"), {"n": 2.0, "a": 3.0, "b": 4.0}))
    'n*(b + n)'
    """
    return active_forms(form, numbers, numbers)[0]


def active_forms(form: Node, first: Mapping[str, float], second: Mapping[str, float]) -> tuple[Node, Node]:
    """The active forms of one form at both answers of a mixture; of equal arms, the one that binds at both.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> form = parse_expression("max(a, b)")
    >>> [render(arm) for arm in active_forms(form, {"a": 2.0, "b": 2.0}, {"a": 2.0, "b": 3.0})]
    ['b', 'b']
    """
    if not isinstance(form, Apply):
        return form, form
    if form.op in ("max", "min"):
        binding = _places_of_extreme(form, first), _places_of_extreme(form, second)
        both = set.intersection(*binding)
        arms = [min(both or places, default=None) for places in binding]
    elif form.op == "piecewise":
        arms = [_place_of_chosen(form, first), _place_of_chosen(form, second)]
    else:
        pairs = [active_forms(arg, first, second) for arg in form.args]
        return _rebuilt(form, [arg for arg, _ in pairs]), _rebuilt(form, [arg for _, arg in pairs])
    first_arm, second_arm = arms
    if first_arm is None or second_arm is None:  # a choice that is undefined at one answer stays as it is
        return form, form
    if first_arm == second_arm:
        return active_forms(form.args[first_arm], first, second)
    return active_form(form.args[first_arm], first), active_form(form.args[second_arm], second)


def _rebuilt(form: Apply, args: list[Node]) -> Node:
    """An operation of a mixture on active forms; where none changed it is the same tree, which has its evaluator."""
    return form if all(new is old for new, old in zip(args, form.args, strict=True)) else Apply(form.op, tuple(args))


def _places_of_extreme(form: Apply, numbers: Mapping[str, float]) -> set[int]:
    """The places of the arms that bind in a mixture's max or min: several if nearly equal, none if undefined."""
    sizes = [value(arg, numbers) for arg in form.args]
    if any(map(math.isnan, sizes)):
        return set()
    best = max(sizes) if form.op == "max" else min(sizes)
    return {place for place, size in enumerate(sizes) if math.isclose(size, best, rel_tol=AGREEMENT)}


def _place_of_chosen(form: Apply, numbers: Mapping[str, float]) -> int | None:
    """The place of the arm that a choice in a mixture takes: the first whose condition holds; None without one."""
    arm = chosen_arm(form, numbers)
    return None if arm is None else next(place for place, arg in enumerate(form.args) if arg is arm)
