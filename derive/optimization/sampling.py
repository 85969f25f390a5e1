"""Where a target has no expression in terms of what is free: the best point met, which is told as not proved.

The solver answers at each point: at the corners, the edges and the middles of the ranges, and from the best of these on
along the axes with ever shorter steps. Nothing is known of the points between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from derive.errors import DeriveError, LimitError, UnderdeterminedError
from derive.expressions.tree import Name
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.arithmetic import Span
from derive.optimization.points import along_axes
from derive.optimization.program import Limit, Program, excess, is_time_out, known_numbers, step_of
from derive.optimization.question import Stated
from derive.optimization.search import Best
from derive.planning.plan import Plan
from derive.solving.answering.solver import solve_all, the_one
from derive.solving.execution.question import Question, ask
from derive.solving.ranges.inequalities import stated_at
from derive.time_limits import tick
from quantities.facts import Profile
from quantities.value import Value

_GRID = 81  # points of the first grid, at most
_TRIED = 60  # points along the axes


def sampled_program(
    library: RelationSet,
    question: Question,
    profiles: Sequence[str | Profile],
    limits: Sequence[Stated],
    free: Mapping[str, Span],
    sign: float,
) -> Program:
    """A program without expressions, whose quantities the solver works out at each sampled point.

    Its limits are those that can be tested.
    """
    strong = {name: value for name, value in question.strong.items() if name not in free}
    wanted = [question.target]
    tested = []
    for limit in limits:
        if limit.is_asked or all(name in question.strong or _is_known(library, question, name) for name in limit.names):
            gap = excess(limit.written)
            tested.append(Limit(limit.name, limit.relation, limit.written, gap, limit.approximate))
            wanted += [name for name in limit.names if name not in wanted]

    def solved(values: Mapping[str, float]) -> list[Mapping[str, float]]:
        """The numbers of the target and the limits' quantities at a sampled point; none where one has no answer."""
        tick()
        given = {**strong, **{name: stated_at(library, name, values[name]) for name in free}}
        numbers = {}
        for name in wanted:
            try:
                number = quantity_at(library, name, profiles, given)
            except DeriveError as error:
                if is_time_out(error):
                    raise
                return []
            domain = library.declared[name].domain
            if number is None or (domain.whole and not domain.is_whole(number)):
                return []
            numbers[name] = number
        return [numbers]

    return Program(
        names=tuple(free),
        box=tuple(free.values()),
        steps=tuple(step_of(library.declared[name]) for name in free),
        free=len(free),
        goal=Name(question.target),
        plain=Name(question.target),
        known=known_numbers(library, question, limits, free),
        limits=tuple(tested),
        sign=sign,
        plans=(Plan(question.target, (), (), ()),),
        solved=solved,
        is_sampled=True,
    )


def _is_known(library: RelationSet, question: Question, name: str) -> bool:
    """Whether a limit's quantity can be tested at sampled points: the givens determine it, or state it."""
    if name in question.weak:
        return True
    weak = {other: value for other, value in question.weak.items() if other != name}
    inner = Question(name, question.strong, weak)
    return inner.plan(library).is_determined


def quantity_at(
    library: RelationSet, name: str, profiles: Sequence[str | Profile], given: Mapping[str, Value]
) -> float | None:
    """The one value of a quantity at a sampled point; its weak value where nothing else determines it."""
    if name in given:
        return given[name].base[1]
    question = ask(library, name, tuple(profiles), given)
    if question.own is not None and not question.plan(library).is_determined:
        return question.own.base[1]
    try:
        answer = the_one(solve_all(library, name, tuple(profiles), given))
    except UnderdeterminedError:  # no relation that leads to it applies at this point
        if question.own is None:
            raise
        return question.own.base[1]
    return None if answer is None else answer.base


def best_met(program: Program) -> Best:
    """The best of the points that are sampled in a program; no bound is known.

    >>> from derive.expressions.grammar import parse_expression
    >>> form = parse_expression("(x - 2)**2 + 1")
    >>> found = best_met(Program(("x",), ((0.0, 7.0),), (0.0,), 1, form, form, {}, is_sampled=True))
    >>> round(found.at[0], 3), found.floor
    (2.0, -inf)
    """
    goals: dict[tuple[float, ...], float] = {}

    def at(point: tuple[float, ...]) -> float:
        if point not in goals:
            goals[point] = program.at(point)
        return goals[point]

    try:
        for point in islice(product(*_places(program)), _GRID):
            at(point)
        best = min(goals, key=at)
        if at(best) < math.inf:
            for _ in along_axes(program, best, at, _TRIED):
                pass
    except LimitError:
        pass
    finite = [number for number in goals.values() if number < math.inf]
    if not finite:
        return Best(floor=-math.inf, boxes=len(goals))
    best = min(goals, key=goals.__getitem__)
    return Best(goals[best], best, -math.inf, max(finite) - min(finite), len(goals), ("",) * program.free)


def _places(program: Program) -> Iterator[list[float]]:
    """The numbers of each range at which a program is sampled: the ends and the middle, whole where it counts."""
    for (low, high), step in zip(program.box, program.steps, strict=True):
        ends = [math.ceil(low / step) * step, math.floor(high / step) * step] if step else [low, high]
        middle = low / 2 + high / 2
        yield list(dict.fromkeys([ends[0], round(middle / step) * step if step else middle, ends[1]]))
