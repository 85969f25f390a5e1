"""The verb `border`: a question along one axis or two, cut into regions, with the borders between them.

A border has a closed form: what is equal on it, isolated for one of the axes. On the border between two arms of a
maximum the arms are equal; a check ceases to hold where its two sides are equal, and a choice changes where the two
sides of a condition are. Which of these equations it is, and which form each inner choice takes, the numbers at a point
of the border tell. A form counts only where it has the border's own points; a border that changes its form on its way
is cut there, so that each piece has one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, product
from typing import Any

from derive.borders.border import Border, Borders, Region
from derive.errors import DeriveError, ExpressionError, read_all
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, names_in, render, walk
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds, value
from derive.numerics.intervals.arithmetic import Span
from derive.optimization.limit_forms import form_at
from derive.optimization.program import Program
from derive.optimization.programs import Unwritten, programs
from derive.optimization.stated_limits import Stated
from derive.presentation.charts import Chart
from derive.solving.execution.question import ask
from derive.tables.axes import Axis, is_axis, spanned
from derive.tables.maps.regime_map import Change, RegimeMap, map_chart, mapped
from derive.tables.sweep_question import Survey, asked
from derive.tables.table import tabled
from derive.tables.table_charts import charts, holding_for
from derive.tolerances import ON_A_BORDER
from quantities.declaration import read_given

__all__ = ["Forms", "bordering_quantity", "borders"]

_POINTS = 60  # on each axis, between which borders are sought


def bordering_quantity(relation: Relation, over: str | Sequence[str], given: Mapping[str, Any]) -> str:
    """The quantity to ask for in order to see a relation's borders, or the expression that a limit compares.

    It is the one that the relation is written for, or else the first that is neither given nor an axis.
    """
    stated = {*given, *([over] if isinstance(over, str) else over)}
    if relation.written_for is not None and relation.written_for not in stated:
        return relation.written_for
    open_names = (name for name in relation.declared if name not in stated)
    return next(open_names, render(relation.written.lhs))


def borders(
    library: RelationSet,
    target: str,
    profiles: tuple[Any, ...],
    over: str | Sequence[str],
    given: Mapping[str, Any],
) -> Borders:
    """Where along the quantities `over`, whose givens are ranges, arms, checks and answers change.

    >>> from derive.relation_files.loading import load
    >>> trip = load('''[quantities]
    ... distance = { unit = "km" }
    ... walking  = { unit = "h" }
    ... driving  = { unit = "h" }
    ... parking  = { unit = "h" }
    ... foot     = { unit = "km/h", value = "5 km/h" }
    ... car      = { unit = "km/h", value = "30 km/h" }
    ... time     = { unit = "h" }
    ... [relations]
    ... walking = { equation = "walking = distance/foot" }
    ... driving = { equation = "driving = distance/car + parking" }
    ... time    = { equation = "time = min(walking, driving)" }''')
    >>> print(borders(trip, "time", (), ("parking", "distance"), {"parking": "0.1..1 h", "distance": "1..9 km"})[0])
    walking = driving (time), where distance = parking/(1/foot - 1/car)
    """
    library.declaration(target)
    axes, fixed = _read(library, target, over, given)
    survey = asked(library, target, profiles, {**fixed, **axes}, is_map=True)
    survey.refuse_ranges("for a map of borders")
    found = mapped(survey)
    pieces = _with_forms(library, target, profiles, fixed, survey, _traced(library, found))
    declared = tuple(library.declared[name] for name in survey.work.names)
    return Borders(
        target=library.declared[target],
        axes=declared,
        ends={one.name: _ends(one, line) for one, line in zip(declared, survey.lines, strict=True)},
        borders=tuple(pieces),
        regions=tuple(_regions(found)),
        charts=_charts(survey, found, target),
    )


def _charts(survey: Survey, found: RegimeMap, target: str) -> tuple[Chart, ...]:
    """The map, or over one axis the curve, with what is held fixed below it."""
    drawn = (map_chart(found, target),) if len(survey.lines) > 1 else charts(tabled(survey))
    return holding_for(drawn, [survey.work])


def _regions(found: RegimeMap) -> list[Region]:
    """The regions, the largest first."""
    regions = [Region(one, share) for one, share in zip(found.standings, found.shares, strict=True) if share]
    return sorted(regions, key=lambda one: -one.share)


def _read(
    library: RelationSet, target: str, over: str | Sequence[str], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The axes in their order, and what is fixed."""
    names = [over] if isinstance(over, str) else list(dict.fromkeys(over)) if isinstance(over, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise ExpressionError(f"over names no quantity: {over!r}.", hint='Write over=("batch", "context").')
    if not 1 <= len(names) <= 2:
        raise ExpressionError(
            f"A border is drawn over one quantity or two, and over names {len(names)}.",
            hint='Write over=("batch", "context").',
        )
    texts = {name: value for name, value in given.items() if isinstance(value, str)}
    read_all(lambda name, text: read_given(text, library.declaration(name)), texts)  # all that cannot be read, at once
    axes: dict[str, Any] = {}
    for name in names:
        quantity = library.declaration(name)
        if name == target:
            raise ExpressionError(f"{name} is the target, and is also in over.", hint="Ask for what follows from it.")
        value = given.get(name)
        is_range = isinstance(value, str) and read_given(value, quantity).is_range
        if isinstance(value, str) and is_range and "+/-" not in value and "±" not in value:
            axes[name] = spanned(value, _POINTS)
        elif isinstance(value, Axis) or is_axis(value):
            axes[name] = value
        else:
            raise ExpressionError(
                f"{name} is in over, and {'has no value' if value is None else 'is not a range'}.",
                hint=f'Give it one: {name}="1..100 {quantity.unit.text}".'.replace(' "', '"'),
            )
    fixed = {name: value for name, value in given.items() if name not in axes}
    ranged = [name for name, value in fixed.items() if name in library.declared and _varies(library, name, value)]
    if ranged:
        raise ExpressionError(
            f"{', '.join(ranged)} {'is a range' if len(ranged) == 1 else 'are ranges'} and not in over.",
            hint="Give one value, or name it in over.",
        )
    return axes, fixed


def _varies(library: RelationSet, name: str, value: Any) -> bool:
    return is_axis(value) or read_given(value, library.declared[name]).is_range


def _ends(quantity: Any, line: Any) -> tuple[float, float]:
    numbers = [float(line.part(i, i + 1)[0]) for i in (0, len(line) - 1)]
    low, high = (quantity.unit.to_base(x) for x in sorted(numbers))
    return low, high


def _traced(library: RelationSet, found: RegimeMap) -> list[Border]:
    axes = tuple(library.declared[name] for name in found.names)
    return [Border(one.change, "", one.points, axes) for one in found.curves]


def _with_forms(
    library: RelationSet,
    target: str,
    profiles: tuple[Any, ...],
    fixed: Mapping[str, Any],
    survey: Survey,
    traced: Sequence[Border],
) -> list[Border]:
    """The borders, each with its closed form where it has one."""
    if not traced:
        return []
    free, given = {}, dict(fixed)
    for line, quantity in zip(survey.lines, traced[0].axes, strict=True):
        low, high = _ends(quantity, line)
        free[quantity.name] = (low, high)
        given[quantity.name] = (
            f"{quantity.unit.from_base(low)!r}..{quantity.unit.from_base(high)!r} {quantity.unit.text}"
        )
    forms = Forms(library, target, profiles, given, free, [one.change for one in traced])
    return [piece for one in traced for piece in forms.pieces(one)]


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
