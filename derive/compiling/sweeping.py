"""Tables: a question asked along axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from derive.compiling.functions import compiled
from derive.errors import DeriveError, ExpressionError, LimitError, UnitError
from quantities.quantity import Quantity, read_given
from quantities.spelling import parse_unit
from quantities.units import convert
from quantities.value import read_value

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["Axis", "Table", "span", "sweep"]

_MOST = 20_000_000  # points of one table


@dataclass(frozen=True)
class Axis:
    """Values along which a question is asked: numbers in a unit."""

    numbers: tuple[float, ...]
    unit: str


@dataclass(frozen=True)
class Table:
    """The axes and the targets of a sweep, as arrays in declared units; a point without a value is NaN."""

    axes: Mapping[str, Any]
    columns: Mapping[str, Any]
    units: Mapping[str, str]

    def __len__(self) -> int:
        return math.prod(len(axis) for axis in self.axes.values())

    def to_pandas(self) -> Any:
        """A row for each point, a column for each axis and target."""
        import numpy

        pandas = _package("pandas")
        grids = numpy.meshgrid(*self.axes.values(), indexing="ij")
        data = {name: grid.ravel() for name, grid in zip(self.axes, grids, strict=True)}
        return pandas.DataFrame({**data, **{name: numpy.ravel(column) for name, column in self.columns.items()}})

    def to_xarray(self) -> Any:
        """A data set over the axes, its units as attributes."""
        xarray = _package("xarray")
        names = list(self.axes)
        variables = {n: (names, column, {"units": self.units[n]}) for n, column in self.columns.items()}
        axes = {name: (name, axis, {"units": self.units[name]}) for name, axis in self.axes.items()}
        return xarray.Dataset(variables, axes)

    def plot(self) -> Any:
        """A figure of the targets along the first axis, a line for each value of the second."""
        from derive.compiling.charting import charts
        from derive.drawing.plotting import figure

        return figure(*charts(self))


def _package(name: str) -> Any:
    """An optional package, or the error that says how to have it."""
    try:
        return import_module(name)
    except ImportError:
        hint = "pip install 'derive-engine[tables]'"
        raise DeriveError(f"This needs {name}, which is not installed.", hint=hint) from None


def span(text: str, points: int = 50, *, log: bool = False) -> Axis:
    """An axis from a range.

    >>> span("1..100 sequence", 3, log=True).numbers
    (1.0, 10.0, 100.0)
    """
    value = read_value(text)
    if not value.is_range or points < 2:
        raise ExpressionError(f"{text!r} spans nothing.", hint='Write span("1..100 sequence", 50).', text=text)
    low, high = value.low, value.high
    if log and low <= 0:
        raise ExpressionError(f"{text!r} has no logarithm.", hint="Begin above zero.", text=text)
    share = [i / (points - 1) for i in range(points)]
    if log:
        numbers = [low * (high / low) ** s for s in share]
        numbers[-1] = high
    else:
        numbers = [low + s * (high - low) for s in share]
    return Axis(tuple(numbers), value.unit.text)


def sweep(library: Library, targets: str | Sequence[str], profiles: tuple[Any, ...], given: Mapping[str, Any]) -> Table:
    """Ask for the targets at every combination of the axes' values."""
    import numpy

    wanted = [targets] if isinstance(targets, str) else list(targets)
    axes, fixed = _split(library, given)
    names = list(axes)
    if math.prod(len(axis) for axis in axes.values()) > _MOST:
        raise LimitError("The table is too large.", hint="Take fewer points.", limit=f"{_MOST} points")
    grids = numpy.meshgrid(*axes.values(), indexing="ij") if axes else []
    columns = {}
    for target in wanted:
        numbers = _numbers(library, target, profiles, fixed, names)
        function = compiled(library, target, [*names, *numbers])
        arrays = dict(zip(names, grids, strict=True))
        columns[target] = numpy.asarray(function(**arrays, **numbers))
    units = {name: library.quantities[name].unit.text for name in [*names, *wanted]}
    return Table(axes, columns, units)


def _split(library: Library, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The givens that are axes, in declared units, and those that are single values."""
    import numpy

    axes: dict[str, Any] = {}
    fixed: dict[str, Any] = {}
    for name, value in given.items():
        quantity = library.quantity(name)
        if isinstance(value, Axis):
            axes[name] = _axis(quantity, value.numbers, value.unit)
        elif hasattr(value, "magnitude") and numpy.ndim(value.magnitude) == 1:
            axes[name] = numpy.asarray([_number(quantity, number * value.units) for number in value.magnitude])
        elif isinstance(value, (list, tuple)) or (hasattr(value, "ndim") and value.ndim == 1):
            axes[name] = numpy.asarray([_number(quantity, one) for one in value])
        else:
            fixed[name] = value
    return axes, fixed


def _axis(quantity: Quantity, numbers: Sequence[float], unit: str) -> Any:
    import numpy

    read = parse_unit(unit)
    if not read.factors and not quantity.unit.is_number:
        raise UnitError(
            f"{quantity.name}: the axis has no unit, and {quantity.name} is in {quantity.unit}.",
            hint=f'Write span("1..10 {quantity.unit}").',
            quantity=quantity.name,
        )
    for end in (numbers[0], numbers[-1]):
        read_given(f"{end!r} {unit}", quantity)
    return numpy.asarray([convert(number, read, quantity.unit) for number in numbers])


def _number(quantity: Quantity, given: Any) -> float:
    value = read_given(given, quantity)
    return convert(value.number, value.unit, quantity.unit)


def _numbers(
    library: Library, target: str, profiles: tuple[Any, ...], fixed: Mapping[str, Any], axes: Sequence[str]
) -> dict[str, float]:
    """The single values in declared units: strong ones, and the weak ones that a plan with these names uses."""
    from derive.planning.plans import plan
    from derive.solving.asking import ask

    question = ask(library, target, profiles, fixed)
    weak = {name: value for name, value in question.weak.items() if name not in axes}
    strong = [name for name in [*axes, *question.strong] if name != target]
    made = plan(library.structure(), target, strong, list(weak))
    used = {**question.strong, **{name: weak[name] for name in made.weak}}
    return {
        name: convert(value.number, value.unit, library.quantities[name].unit)
        for name, value in used.items()
        if name != target
    }
