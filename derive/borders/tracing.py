"""The verb `border`: a question along one axis or two, cut into regions, with the borders between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from derive.borders.border import Border, Borders, Region
from derive.borders.border_forms import Forms
from derive.errors import ExpressionError, read_all
from derive.expressions.tree import render
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.presentation.charts import Chart
from derive.tables.axes import Axis, is_axis, spanned
from derive.tables.maps.map_charts import map_chart
from derive.tables.maps.regime_map import RegimeMap, mapped
from derive.tables.sweep_question import Survey, asked
from derive.tables.table import tabled
from derive.tables.table_charts import charts, holding_for
from quantities.declaration import read_given

__all__ = ["bordering_quantity", "borders"]

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
