"""Borders in closed form: what is equal on a border, isolated for one of the axes.

On the border between two arms of a maximum the arms are equal; a check ceases to hold where its two sides are equal,
and a choice changes where the two sides of a condition are. Which of these equations it is, and which form each inner
choice takes, the numbers at a point of the border tell. A form counts only where it has the border's own points; a
border that changes its form on its way is cut there, so that each piece has one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, product
from typing import Any

from derive.borders.border import Border
from derive.errors import DeriveError
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, names_in, render, walk
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds, value
from derive.numerics.intervals.arithmetic import Span
from derive.optimization.limit_forms import form_at
from derive.optimization.program import Program
from derive.optimization.programs import Unwritten, programs
from derive.optimization.stated_limits import Stated
from derive.solving.execution.question import ask
from derive.tables.maps.labels import Change
from derive.tolerances import ON_A_BORDER

__all__ = ["Forms"]

_COMPARED = frozenset(COMPARISONS.values())
_MOST_RANGED = 5  # ranges behind one border whose ends are tried
_PIECES = 6  # limit on forms along one border


class Forms:
    """The closed forms of one question's borders."""

    def __init__(
        self,
        library: RelationSet,
        target: str,
        profiles: tuple[Any, ...],
        given: Mapping[str, Any],
        free: Mapping[str, Span],
        changes: Sequence[Change],
    ) -> None:
        self.library, self.free = library, free
        self.question = ask(library, target, profiles, given)
        self.held = {
            change: [_stated(relation, equation) for relation, equation in _equations(library, change)]
            for change in dict.fromkeys(changes)
        }

    @cached_property
    def programs(self) -> list[Program]:
        """The cases of the question, with every equation of a border among their limits."""
        wanted = [one for found in self.held.values() for one in found]
        try:
            return programs(self.library, self.question, wanted, self.free, 1.0)
        except (Unwritten, DeriveError):  # then the borders are traced, and have no closed form
            return []

    def pieces(self, border: Border, depth: int = _PIECES) -> Iterator[Border]:
        """A border with its closed form, cut where that changes; its points are put on the form exactly."""
        for place in dict.fromkeys((len(border.points) // 2, len(border.points) // 3, 2 * len(border.points) // 3)):
            formed = self._formed(border, place)
            if formed is not None:
                start, piece, stop = formed
                if depth and start > 1:
                    yield from self.pieces(replace(border, points=border.points[: start + 1]), depth - 1)
                yield piece
                if depth and stop < len(border.points) - 1:
                    yield from self.pieces(replace(border, points=border.points[stop - 1 :]), depth - 1)
                return
        yield border

    def _formed(self, border: Border, place: int) -> tuple[int, Border, int] | None:
        """The closed form at one point of a border, and the stretch of points that it has."""
        point = self._base(border, border.points[place])
        for program in self.programs:
            numbers = program.numbers(point)
            if numbers is None or not all(holds(guard, numbers) for guard in program.guards):
                continue
            limits = {limit.name: limit for limit in program.limits}
            for stated in self.held[border.change]:
                if stated.name not in limits:
                    continue
                written = limits[stated.name].written
                for name, ends in product(reversed(program.names[: program.free]), self._ends(written)):
                    form = form_at(program, written, name, {**numbers, **ends}, tolerance=ON_A_BORDER)
                    if form is not None:
                        return self._stretch(border, place, name, form, program, stated, ends)
        return None

    def _ends(self, written: Equation) -> Iterator[dict[str, float]]:
        """The ends of the ranges behind a limit, at any of which it may hold; first their middles."""
        yield {}
        weak = self.question.weak
        ranged = [name for name in names_in(written.lhs, written.rhs) if name in weak and weak[name].is_range]
        ends = {name: (weak[name].base[0], weak[name].base[2]) for name in ranged[:_MOST_RANGED]}
        if ends:
            yield from (dict(zip(ends, chosen, strict=True)) for chosen in product(*ends.values()))

    def _base(self, border: Border, point: Sequence[float]) -> tuple[float, ...]:
        return tuple(one.unit.to_base(x) for one, x in zip(border.axes, point, strict=True))

    def _stretch(
        self,
        border: Border,
        place: int,
        name: str,
        form: Node,
        program: Program,
        stated: Stated,
        ends: Mapping[str, float],
    ) -> tuple[int, Border, int]:
        """As far as the form goes on both sides of a point."""
        axis = [one.name for one in border.axes].index(name)
        unit = border.axes[axis].unit

        def on_form(point: tuple[float, ...]) -> tuple[float, ...] | None:
            numbers = program.numbers(self._base(border, point))
            exact = math.nan if numbers is None else unit.from_base(value(form, {**numbers, **ends}))
            if not math.isclose(exact, point[axis], rel_tol=ON_A_BORDER):
                return None
            return (*point[:axis], exact, *point[axis + 1 :])

        start, stop = place, place + 1
        points = [on_form(border.points[place]) or border.points[place]]
        while start > 0 and (moved := on_form(border.points[start - 1])) is not None:
            start -= 1
            points.insert(0, moved)
        while stop < len(border.points) and (moved := on_form(border.points[stop])) is not None:
            stop += 1
            points.append(moved)
        symbols = {one: self.library.declared[one] for one in (*names_in(form), name) if one in self.library.declared}
        equation = f"{render(stated.written.lhs)} = {render(stated.written.rhs)}"
        found = replace(border, equation=equation, points=tuple(points), of=name, form=form, symbols=symbols, ends=ends)
        return start, found, stop


def _stated(relation: Relation, equation: Equation) -> Stated:
    names = names_in(equation.lhs, equation.rhs)
    return Stated(f"border {render(equation.lhs)} = {render(equation.rhs)}", equation, relation, names)


def _equations(library: RelationSet, change: Change) -> Iterator[tuple[Relation, Equation]]:
    """What may be equal on a border."""
    relation = library.relations.get(change.relation)
    if relation is None:
        return
    if change.kind == "check":
        yield relation, Equation(relation.written.lhs, "<=", relation.written.rhs)
    nodes = [node for side in (relation.written.lhs, relation.written.rhs) for node in walk(side)]
    if change.kind == "regime":
        for node in nodes:
            if isinstance(node, Apply) and node.op in ("max", "min"):
                ordered = sorted(combinations(node.args, 2), key=lambda pair: {*map(render, pair)} != {*change.arms})
                yield from ((relation, Equation(one, "<=", other)) for one, other in ordered)
    for node in (*nodes, *(part for condition in relation.conditions for part in walk(condition))):
        if isinstance(node, Apply) and node.op in _COMPARED:
            yield relation, Equation(node.args[0], "<=", node.args[1])
