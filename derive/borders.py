"""Borders of regimes: a question along one axis or two is cut into regions, and the borders between them are traced.

The closed form of a border is an equation that holds on it, isolated for one of the axes. On the border between two
arms of a maximum the arms are equal; a check ceases to hold where its two sides are equal, and a choice changes where
the two sides of a condition are. The numbers at a point of the border decide which of these equations it is, and which
arm each inner choice takes. A form is used only where the border's own points satisfy it; a border whose form changes
along it is cut there, so that each piece has one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any

import numpy

from derive.errors import DeriveError, ExpressionError, read_all
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, names_in, render, walk
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.notebook_display import NotebookDisplay
from derive.numerics.algebra.evaluation import holds, value
from derive.numerics.algebra.like_terms import difference_of
from derive.numerics.intervals.arithmetic import Span
from derive.optimization.binding_limits import form_at
from derive.optimization.case_programs import NoExpression, ProgramBuilder
from derive.optimization.choice_question import Constraint
from derive.optimization.program import Program
from derive.presentation.charts import Chart
from derive.presentation.numbers import DIGITS, percentage, shown_number
from derive.presentation.plain_data import attributes
from derive.presentation.text import Document, Result, Section, columns
from derive.solving.execution.question import Question, ask
from derive.tables.axes import Axis, is_axis, spanned
from derive.tables.regime_map import Change, PointRegime, map_chart, mapped, varying
from derive.tables.sweep_question import asked
from derive.tables.table import tabled
from derive.tables.table_charts import charts, holding_for
from derive.time_limits import query
from derive.tolerances import SAME_MULTIPLE
from quantities.declaration import Declaration, read_given
from quantities.symbolic import Symbols


@dataclass(frozen=True)
class Border(NotebookDisplay):
    """A curve (with one axis, a point) on which the binding arm, a check or the existence of an answer changes.

    `points` are in declared units, in the order of the axes. A closed form gives the axis `of`.
    """

    change: Change
    equation: str  # what holds on it, as text; "" if it is not an equation
    points: tuple[tuple[float, ...], ...]
    axes: tuple[Declaration, ...]
    of: str = ""
    form: Node | None = field(default=None, repr=False, compare=False)
    symbols: Mapping[str, Declaration] = field(default_factory=dict, repr=False, compare=False)
    ends: Mapping[str, float] = field(default_factory=dict)  # of ranges, in base units, where these decide

    @property
    def kind(self) -> str:
        """The kind of change on the border: "regime", "case", "check" or "answer"."""
        return self.change.kind

    @property
    def relation(self) -> str:
        """The relation whose arm changes on the border, or that ceases to hold there."""
        return self.change.relation

    @property
    @query()
    def formula(self) -> Mapping[str, Any] | None:
        """The border in closed form: one axis in terms of the rest, in sympy and coherent base units; None without."""
        if self.form is None:
            return None
        from derive.expressions.sympy_bridge import to_sympy

        return {self.of: to_sympy(self.form, Symbols(self.symbols))}

    @property
    def at(self) -> dict[str, Any]:
        """The numbers of each axis along the border, as pint Quantities of arrays; with one axis, of a number."""
        from quantities.registry import registry

        columns = zip(*self.points, strict=True)
        arrays = {axis: numpy.array(column) for axis, column in zip(self.axes, columns, strict=True)}
        numbers = {
            axis.name: (array if len(self.axes) > 1 else float(array[0]), axis) for axis, array in arrays.items()
        }
        return {name: registry().Quantity(number, axis.unit.text) for name, (number, axis) in numbers.items()}

    def __repr__(self) -> str:
        return f"<Border {self}>"

    def __str__(self) -> str:
        return sentence(self)


@dataclass(frozen=True)
class Region:
    """All points of a map at which the same arms bind and the same checks fail."""

    standing: PointRegime
    share: float  # of the map as it is drawn, where axes may be logarithmic

    @property
    def arms(self) -> Mapping[str, str]:
        """The arms that bind in a region between borders, by the relations that have a choice."""
        return dict(self.standing.arms)

    @property
    def failed(self) -> frozenset[str]:
        return self.standing.failed

    @property
    def is_answered(self) -> bool:
        return self.standing.is_answered


@dataclass(frozen=True)
class Borders(Result, Sequence[Border]):
    """The borders of a question, and the regions between them."""

    target: Declaration
    axes: tuple[Declaration, ...]
    ends: Mapping[str, tuple[float, float]]
    borders: tuple[Border, ...]
    regions: tuple[Region, ...]
    charts: tuple[Chart, ...] = field(repr=False, compare=False)

    def __getitem__(self, i: Any) -> Any:
        return self.borders[i]

    def __len__(self) -> int:
        return len(self.borders)

    def __iter__(self) -> Iterator[Border]:
        return iter(self.borders)

    def of_relation(self, name: str) -> Borders:
        """The borders on which one relation changes, with the regions between all borders."""
        return replace(self, borders=tuple(border for border in self.borders if border.relation == name))

    def plot(self) -> Any:
        """A figure of the borders and their regions: regions named, failing ones hatched, levels of the target."""
        from derive.presentation.plotting import figure

        return figure(*self.charts)

    @query()
    def _document(self, digits: int | None = None) -> Document:
        """The borders, each with its closed form or its ends, and the regions with the largest first."""
        shown = digits or DIGITS
        over = " and ".join(
            f"{axis.name} ({shown_number(low, axis.unit, shown)} to {shown_number(high, axis.unit, shown)})"
            for axis, (low, high) in zip(self.axes, self.ends.values(), strict=True)
        )
        count = {0: "no border", 1: "1 border"}.get(len(self), f"{len(self)} borders")
        names = varying(region.standing for region in self.regions)
        regions = columns([_region(region, names) for region in self.regions], right=(0,))
        return Document(
            headline=f"{self.target.name} over {over}: {count}",
            remarks=[sentence(border, shown) for border in self],
            sections=(Section("", regions),),
            charts=lambda: self.charts,
            data=lambda: as_data(self),
        )

    def __repr__(self) -> str:
        return f"<Borders of {self.text().partition(chr(10))[0]}>"


def sentence(border: Border, digits: int = DIGITS) -> str:
    """The sentence that says what changes on a border, and where it is."""
    if border.form is None:
        where = _stretch(border, digits)
    else:
        form, shown = render(border.form), _shown(border, 0, border.of, digits)
        where = f"{border.of} = {form}"
        is_level = border.symbols.keys().isdisjoint(axis.name for axis in border.axes if axis.name != border.of)
        if is_level and shown != form:
            where += f" = {shown}"  # the same number along the whole border
    ends = [f"{name} at {shown_number(end, border.symbols[name].unit, digits)}" for name, end in border.ends.items()]
    if ends:
        where += f" with {' and '.join(ends)}"
    return f"{_what(border)}, where {where}"


def _what(border: Border) -> str:
    """The words for what changes on a border: an arm, a check, whether a relation applies, or an answer's existence."""
    change = border.change
    if change.kind == "regime":
        return f"{border.equation or ' = '.join(change.arms)} ({change.relation})"
    if change.kind == "check":
        equation = f": {border.equation}" if border.equation else ""
        return f"{change.relation} ceases to hold{equation}"
    return f"{change.relation} begins to apply" if change.kind == "case" else "there is no answer beyond"


def _shown(border: Border, index: int, name: str, digits: int) -> str:
    """One coordinate of a point of a border, with its unit."""
    coordinates = dict(zip(border.axes, border.points[index], strict=True))
    axis = next(axis for axis in border.axes if axis.name == name)
    return shown_number(axis.unit.to_base(coordinates[axis]), axis.unit, digits)


def _stretch(border: Border, digits: int) -> str:
    """Where a border without a closed form begins and ends."""

    def point_text(index: int) -> str:
        return ", ".join(f"{axis.name} = {_shown(border, index, axis.name, digits)}" for axis in border.axes)

    return point_text(0) if len(border.points) == 1 else f"{point_text(0)} to {point_text(-1)}"


def _region(region: Region, names: set[str]) -> tuple[str, str]:
    """The row of a region where borders are printed as text: its share of the map, and what distinguishes it."""
    share = percentage(region.share)
    if not region.is_answered:
        return share, "no answer"
    arms = [f"{arm} binds ({name})" for name, arm in region.standing.arms if arm and name in names]
    failed = [f"{name} fails" for name in sorted(region.failed)]
    return share, "; ".join([*arms, *failed]) or "every check holds"


def as_data(borders: Borders) -> dict[str, Any]:
    """The borders as plain data: the schema of `derive border --json`.

    Each border has its points in the declared units of the axes, and its closed form, or null.
    """
    return {
        "target": borders.target.name,
        "axes": [
            {
                "name": axis.name,
                "unit": axis.unit.shown,
                "low": axis.unit.from_base(low),
                "high": axis.unit.from_base(high),
            }
            for axis, (low, high) in zip(borders.axes, borders.ends.values(), strict=True)
        ],
        "borders": [
            {
                **attributes(border, "kind", "relation"),
                "arms": list(border.change.arms),
                "equation": border.equation or None,
                "formula": None if border.form is None else {border.of: render(border.form)},
                "points": [list(point) for point in border.points],
            }
            for border in borders
        ],
        "regions": [
            {
                "arms": dict(region.arms),
                "failed": sorted(region.failed),
                "answered": region.is_answered,
                "share": region.share,
            }
            for region in borders.regions
        ],
    }


_POINTS = 60  # on each axis, between which borders are sought


def bordering_quantity(relation: Relation, over: str | Sequence[str], given: Mapping[str, Any]) -> str:
    """The quantity whose borders to trace for those of one relation, or the expression that its limit compares.

    It is the one that the relation is written for, or else the first that is neither given nor an axis. Where all are
    stated, it is a side that is no quantity and no number, or else the difference of both.

    >>> from derive.model.relation import relate
    >>> from quantities.quantity import Quantity
    >>> limits = [relate("limit", text, quantities=[Quantity("a"), Quantity("b")]) for text in ("b <= a + 3", "a <= b")]
    >>> [bordering_quantity(limit, ("a", "b"), {}) for limit in limits]
    ['a + 3', 'a - b']
    """
    stated = {*given, *([over] if isinstance(over, str) else over)}
    if relation.written_for is not None and relation.written_for not in stated:
        return relation.written_for
    open_names = (name for name in relation.declared if name not in stated)
    sides = [side for side in relation.written.sides if isinstance(side, Apply) and names_in(side)]
    return next(open_names, render(sides[0] if sides else difference_of(relation.written)))


def borders(
    library: RelationSet, target: str, profiles: tuple[Any, ...], over: str | Sequence[str], given: Mapping[str, Any]
) -> Borders:
    """Trace the borders along the axes `over`: cut the question into regions, and find each border's closed form.

    The givens of these quantities are ranges.

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
    regime_map = mapped(survey)
    declared = tuple(library.declared[name] for name in survey.function.names)
    ends = {quantity.name: _ends(quantity, line) for quantity, line in zip(declared, survey.lines, strict=True)}
    drawn = (map_chart(regime_map, target),) if len(survey.lines) > 1 else charts(tabled(survey))
    traced = [Border(curve.change, "", curve.points, declared) for curve in regime_map.curves]
    forms = _Forms(library, target, profiles, fixed, ends, traced)
    shares = zip(regime_map.standings, regime_map.shares, strict=True)
    regions = [Region(standing, share) for standing, share in shares if share]
    return Borders(
        target=library.declared[target],
        axes=declared,
        ends=ends,
        borders=tuple(chain.from_iterable(map(forms.pieces, traced))),
        regions=tuple(sorted(regions, key=lambda region: -region.share)),
        charts=holding_for(drawn, [survey.function]),
    )


def _read(
    library: RelationSet, target: str, over: str | Sequence[str], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the axes along which borders are traced, in their order, and the other givens, each of one value."""
    names = [over] if isinstance(over, str) or not isinstance(over, Iterable) else list(dict.fromkeys(over))
    hint = 'Write over=("batch", "context").'
    if not all(isinstance(name, str) for name in names):
        raise ExpressionError(f"over names no quantity: {over!r}.", hint=hint)
    if not 1 <= len(names) <= 2:
        raise ExpressionError(f"A border is drawn over one quantity or two, and over names {len(names)}.", hint=hint)
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
            fault = "has no value" if value is None else "is not a range"
            hint = f'Give it one: {name}="1..100 {quantity.unit.text}".'.replace(' "', '"')
            raise ExpressionError(f"{name} is in over, and {fault}.", hint=hint)
    fixed = {name: value for name, value in given.items() if name not in axes}
    ranged = [name for name, value in fixed.items() if name in library.declared and _varies(library, name, value)]
    if ranged:
        fault = "is a range" if len(ranged) == 1 else "are ranges"
        what = f"{', '.join(ranged)} {fault} and not in over."
        raise ExpressionError(what, hint="Give one value, or name it in over.")
    return axes, fixed


def _varies(library: RelationSet, name: str, value: Any) -> bool:
    return is_axis(value) or read_given(value, library.declared[name]).is_range


def _ends(quantity: Any, line: Any) -> tuple[float, float]:
    """The ends in base units of an axis along which borders are traced, the lower one first."""
    numbers = [float(line.part(i, i + 1)[0]) for i in (0, len(line) - 1)]
    low, high = (quantity.unit.to_base(x) for x in sorted(numbers))
    return low, high


_COMPARED = frozenset(COMPARISONS.values())
_MOST_RANGED = 5  # ranges behind one border whose ends are tried
_PIECES = 6  # limit on forms along one border


class _Forms:
    """Searches the closed forms of one question's borders."""

    def __init__(
        self,
        library: RelationSet,
        target: str,
        profiles: tuple[Any, ...],
        fixed: Mapping[str, Any],
        free: Mapping[str, Span],
        traced: Sequence[Border],
    ) -> None:
        """Set up the search for the closed forms of borders being traced: the equations that may hold on each."""
        self.library, self.target, self.profiles, self.fixed, self.free = library, target, profiles, fixed, free
        changes = dict.fromkeys(border.change for border in traced)
        self.equations_of = {change: [*_stated_by(library, change)] for change in changes}

    @cached_property
    def question(self) -> Question:
        """The question of the traced borders, in which each axis has its range as a value."""
        ranges = {}
        for name, (low, high) in self.free.items():
            unit = self.library.declared[name].unit
            ranges[name] = f"{unit.from_base(low)!r}..{unit.from_base(high)!r} {unit.text}"
        return ask(self.library, self.target, self.profiles, {**self.fixed, **ranges})

    @cached_property
    def programs(self) -> list[Program]:
        """The cases of the question, each with the equations that may hold on a border among its limits."""
        question, wanted = self.question, [*chain.from_iterable(self.equations_of.values())]
        try:
            return ProgramBuilder(self.library, question, wanted, self.free, 1.0).programs()
        except (NoExpression, DeriveError):  # then the borders are traced, and have no closed form
            return []

    def pieces(self, border: Border, depth: int = _PIECES) -> Iterator[Border]:
        """Cut a traced border into pieces of one closed form each, and move their points onto the form exactly.

        A piece on which no form is found keeps the points at which it was traced.
        """
        count = len(border.points)
        for index in dict.fromkeys((count // 2, count // 3, 2 * count // 3)):
            form = self._form_at(border, index) if depth else None
            if form is None:
                continue
            start, piece, stop = form.along(border, index, self.library)
            if len(piece.points) == 1 < count:  # a corner, where the form meets the border without leading along it
                continue
            before, after = border.points[: start + 1], border.points[stop - 1 :]
            if not _is_point(before):
                yield from self.pieces(replace(border, points=before), depth - 1)
            yield piece
            if not _is_point(after):
                yield from self.pieces(replace(border, points=after), depth - 1)
            return
        yield border

    def _form_at(self, border: Border, place: int) -> _Form | None:
        """Search the closed form that holds at one point of a border being traced; None if there is none."""
        point = _base(border, border.points[place])
        for program in self.programs:
            numbers = program.numbers(point)
            if numbers is None or not all(holds(guard, numbers) for guard in program.guards):
                continue
            limits = {limit.name: limit.written for limit in program.limits}
            for stated in self.equations_of[border.change]:
                if stated.name not in limits:
                    continue
                written = limits[stated.name]
                for name, ends in product(reversed(program.names[: program.free]), self._ends(written)):
                    node = form_at(program, written, name, {**numbers, **ends}, tolerance=SAME_MULTIPLE)
                    if node is not None:
                        return _Form(program, stated, name, node, ends)
        return None

    def _ends(self, written: Equation) -> Iterator[dict[str, float]]:
        """Each choice of ends of the ranges in an equation that is tried as a traced border's closed form.

        The first choice has no ends, which takes the middles of the ranges.
        """
        yield {}
        weak = self.question.weak
        ranged = [name for name in names_in(written.lhs, written.rhs) if name in weak and weak[name].is_range]
        ends = {name: (weak[name].base[0], weak[name].base[2]) for name in ranged[:_MOST_RANGED]}
        if ends:
            yield from (dict(zip(ends, chosen, strict=True)) for chosen in product(*ends.values()))


def _is_point(points: Sequence[Sequence[float]]) -> bool:
    """Whether a stretch of a traced border has no length, but for the rounding where a form ends."""
    return all(math.isclose(min(numbers), max(numbers), rel_tol=SAME_MULTIPLE) for numbers in zip(*points, strict=True))


def _base(border: Border, point: Sequence[float]) -> tuple[float, ...]:
    return tuple(axis.unit.to_base(x) for axis, x in zip(border.axes, point, strict=True))


@dataclass(frozen=True)
class _Form:
    """The closed form of one axis on a border, by an equation in one case of the question."""

    program: Program
    stated: Constraint
    name: str
    node: Node
    ends: Mapping[str, float]

    def along(self, border: Border, place: int, library: RelationSet) -> tuple[int, Border, int]:
        """The piece of a traced border around a point on which this closed form holds.

        It stands between the index of its first point and the index behind its last.
        """
        start, stop = place, place + 1
        points = [self._on_form(border, border.points[place]) or border.points[place]]
        while start > 0 and (point := self._on_form(border, border.points[start - 1])) is not None:
            start -= 1
            points.insert(0, point)
        while stop < len(border.points) and (point := self._on_form(border, border.points[stop])) is not None:
            stop += 1
            points.append(point)
        names, declared = (*names_in(self.node), self.name), library.declared
        symbols = {name: declared[name] for name in names if name in declared}
        equation = f"{render(self.stated.written.lhs)} = {render(self.stated.written.rhs)}"
        piece = replace(border, points=tuple(points), equation=equation, of=self.name, form=self.node)
        return start, replace(piece, symbols=symbols, ends=self.ends), stop

    def _on_form(self, border: Border, point: tuple[float, ...]) -> tuple[float, ...] | None:
        """A point of a traced border moved onto this closed form; None if the form does not hold there."""
        place = [axis.name for axis in border.axes].index(self.name)
        numbers = self.program.numbers(_base(border, point))
        if numbers is None:
            return None
        exact = border.axes[place].unit.from_base(value(self.node, {**numbers, **self.ends}))
        if not math.isclose(exact, point[place], rel_tol=SAME_MULTIPLE):
            return None
        return (*point[:place], exact, *point[place + 1 :])


def _stated_by(library: RelationSet, change: Change) -> Iterator[Constraint]:
    """The equations to try as closed forms while a border is traced, as limits with a name."""
    for relation, equation in _equations(library, change):
        name = f"border {render(equation.lhs)} = {render(equation.rhs)}"
        yield Constraint(name, equation, relation, names_in(equation.lhs, equation.rhs))


def _equations(library: RelationSet, change: Change) -> Iterator[tuple[Relation, Equation]]:
    """The relation of a traced border with each equation that may hold: of its sides, arms, or a condition's sides."""
    relation = library.relations.get(change.relation)
    if relation is None:
        return
    if change.kind == "check":
        yield relation, Equation(relation.written.lhs, "<=", relation.written.rhs)
    nodes = [*walk(relation.written.lhs, relation.written.rhs)]
    if change.kind == "regime":
        for node in nodes:
            if isinstance(node, Apply) and node.op in ("max", "min"):
                pairs = sorted(combinations(node.args, 2), key=lambda pair: {*map(render, pair)} != {*change.arms})
                yield from ((relation, Equation(first, "<=", second)) for first, second in pairs)
    for node in (*nodes, *walk(*relation.conditions)):
        if isinstance(node, Apply) and node.op in _COMPARED:
            yield relation, Equation(node.args[0], "<=", node.args[1])
