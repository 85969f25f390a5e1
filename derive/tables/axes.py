"""Axes: the values along which a question is asked.

An axis is a span, an array with or without a unit, or a list of values. A span stores its ends and its number of
points, never the points: a billion take no more memory than two. A `Line` is an axis read for a quantity: its numbers
in the declared unit, finite and in the domain.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from derive.errors import DomainError, ExpressionError, UnitError
from quantities.declaration import Declaration, read_given
from quantities.rational import exact_of, written
from quantities.registry import unit_of
from quantities.spelling import parse_unit
from quantities.units import DIMENSIONLESS, Unit, convert
from quantities.value import is_number, read_value, unit_attribute

DECADES = 100.0
"""The ratio of the ends of a range from which its axis is logarithmic."""

_EXACT = 1 << 12  # limit on numbers of an array that are converted exactly, one by one


@dataclass(frozen=True)
class Axis:
    """Values along which a question is asked: a number of points between two ends, evenly or in even ratios."""

    low: float
    high: float
    points: int
    unit: str
    log: bool = False

    def __len__(self) -> int:
        return self.points

    @property
    def numbers(self) -> tuple[float, ...]:
        return tuple(self.part(0, self.points).tolist())

    def part(self, start: int, stop: int) -> Any:
        """The numbers of some points of the axis, as an array."""
        share = numpy.arange(start, stop) / (self.points - 1)
        if self.log and math.isfinite(self.high / self.low):
            numbers = self.low * (self.high / self.low) ** share
        elif self.log:
            numbers = self.low ** (1 - share) * self.high**share
        else:
            numbers = self.low + share * (self.high - self.low)
        if stop == self.points and stop > start:
            numbers[-1] = self.high
        return numbers


def span(text: str, points: int = 50, *, log: bool = False) -> Axis:
    """An axis over the range in a text, with a number of points.

    >>> span("1..100 sequence", 3, log=True).numbers
    (1.0, 10.0, 100.0)
    """
    if not isinstance(text, str):
        raise ExpressionError(f"a {type(text).__name__} is not a span.", hint='Write span("1..100 sequence", 50).')
    value = read_value(text)
    try:
        count = operator.index(points)
    except TypeError:
        raise ExpressionError(f"{points!r} is not a number of points.", hint="Give an integer, such as 50.") from None
    if not value.is_range:
        raise ExpressionError(f"{text!r} is not a span.", hint='Write span("1..100 sequence", 50).', text=text)
    if count < 2:
        raise ExpressionError(f"A span has at least 2 points, and is to have {count}.", hint="Give 2 or more.")
    if log and value.low <= 0:
        raise ExpressionError(f"{text!r} has no logarithm.", hint="Begin above zero.", text=text)
    return Axis(value.low, value.high, count, value.unit.text, log)


def spanned(text: str, points: int) -> Axis:
    """A range as an axis, logarithmic from two decades on.

    >>> spanned("1..100 sequence", 3).log, spanned("1..99 sequence", 3).log
    (True, False)
    """
    value = read_value(text)
    return span(text, points, log=value.low > 0 and value.high / value.low >= DECADES)


@dataclass(frozen=True)
class Line:
    """One axis of a sweep: numbers in the declared unit of a quantity."""

    name: str
    source: Any  # a span or an array, possibly dask's
    scale: float = 1.0
    shift: float = 0.0
    rationals: Mapping[float, float] = field(default_factory=dict)  # numbers that are no decimals in the declared unit

    def __len__(self) -> int:
        return len(self.source)

    def part(self, start: int, stop: int) -> Any:
        """The numbers of some points of the axis, in the declared unit."""
        numbers = self.source.part(start, stop) if isinstance(self.source, Axis) else self.source[start:stop]
        return self.declared(numbers)

    def declared(self, numbers: Any) -> Any:
        """Numbers of the axis converted from its own unit to the declared one."""
        scaled = numbers if self.scale == 1 else numbers * self.scale
        return scaled + self.shift if self.shift else scaled


def is_axis(given: Any) -> bool:
    """Whether a given is an axis: a span, a list or an array instead of a single value."""
    if isinstance(given, (Axis, list, tuple, range)):
        return True
    return getattr(getattr(given, "magnitude", given), "ndim", 0) > 0


def is_lazy(array: Any) -> bool:
    """Whether the values along an axis, or of a column, are an array of dask's, to be computed later."""
    return type(array).__module__.partition(".")[0] == "dask"


def line(quantity: Declaration, given: Any) -> Line:
    """Read an axis for a quantity, as numbers in its declared unit.

    >>> line(Declaration("batch", "sequence"), span("1..3 ksequence", 3)).part(1, 3).tolist()
    [2000.0, 3000.0]
    """
    if isinstance(given, Axis):
        unit = _checked_unit(quantity, parse_unit(given.unit), f'"{given.low:.12g}..{given.high:.12g} {quantity.unit}"')
        for end in (given.low, given.high):
            read_given(f"{end!r} {given.unit}", quantity)
        return Line(quantity.name, given, *_conversion(quantity, unit))
    unit, array = DIMENSIONLESS, given
    if hasattr(given, "magnitude"):
        unit, array = unit_of(given), given.magnitude
    elif (named := unit_attribute(given)) is not None:
        unit, array = _unit_of_attribute(quantity, named), given.values
    array = _array(quantity, array)
    if isinstance(array, tuple):  # values, each with its unit
        return _line_of(quantity, _read_values(quantity, array))
    unit = _checked_unit(quantity, unit, f'derive.units.Quantity(array, "{quantity.unit}")')
    axis = Line(quantity.name, array, *_conversion(quantity, unit))
    if is_lazy(array):
        return axis
    if (axis.scale, axis.shift) != (1.0, 0.0) and len(array) <= _EXACT:
        return _line_of(quantity, [convert(number, unit, quantity.unit) for number in map(written, array.tolist())])
    return Line(quantity.name, checked(quantity, axis.declared(array)))


def _line_of(quantity: Declaration, numbers: Sequence[float]) -> Line:
    """The axis of a quantity through numbers in its declared unit, with the rationals of those that are no decimals."""
    array = checked(quantity, numpy.asarray(numbers, dtype=float))
    return Line(quantity.name, array, rationals=no_decimals(numbers))


def no_decimals(numbers: Iterable[float]) -> dict[float, float]:
    """Those numbers whose rational is not the decimal as which they are written, by their doubles.

    >>> from fractions import Fraction
    >>> from quantities.rational import nearest
    >>> no_decimals([2.7, nearest(Fraction(27, 10)), nearest(Fraction(1, 3))])
    {0.3333333333333333: 0.3333333333333333}
    """
    known = ((float(number), number) for number in numbers if exact_of(number) is not None)
    return {double: number for double, number in known if exact_of(written(double)) != exact_of(number)}


def _unit_of_attribute(quantity: Declaration, text: str) -> Unit:
    """The unit that an array of xarray states for an axis; an error that names the quantity if it cannot be read."""
    try:
        return parse_unit(text)
    except UnitError as error:
        what = f"{quantity.name}: the axis states a unit that cannot be read: {error.what}"
        raise UnitError(what, hint=error.hint, quantity=quantity.name, unit=text) from None


def _array(quantity: Declaration, given: Any) -> Any:
    """The numbers of an axis as a one-dimensional array, or a tuple of values to be read one by one."""
    if isinstance(given, (list, tuple, range)):
        if not given:
            raise _wrong(quantity, "the axis is empty", "Give at least one value.")
        if not all(is_number(entry) and unit_attribute(entry) is None for entry in given):
            return tuple(given)
    if isinstance(given, numpy.ma.MaskedArray) and numpy.ma.getmaskarray(given).any():
        place = int(numpy.argmax(numpy.ma.getmaskarray(given)))
        raise _wrong(quantity, f"a masked number is on the axis, at place {place}", "Give array.compressed().")
    array = given if is_lazy(given) else numpy.asarray(given)
    if array.ndim != 1:
        hint = "An axis has one; for points that go together use library.compile(...)."
        raise _wrong(quantity, f"the array has {array.ndim} dimensions", hint)
    if array.shape[0] != array.shape[0]:  # NaN, where dask does not know it
        raise _wrong(quantity, "dask does not know how long the axis is", "Call array.compute_chunk_sizes() first.")
    if array.shape[0] == 0:
        raise _wrong(quantity, "the axis is empty", "Give at least one value.")
    if array.dtype.kind in "OUS" and not is_lazy(array):
        return tuple(array.tolist())
    if array.dtype.kind not in "iuf":
        raise _wrong(quantity, f"an array of {array.dtype} cannot be an axis", "Give real numbers.")
    return array.astype(float)


def _read_values(quantity: Declaration, values: Sequence[Any]) -> list[float]:
    """Read the values of an axis, each with its unit, as numbers in the declared unit."""
    numbers = []
    for entry in values:
        value = read_given(entry, quantity)
        if value.is_range:
            raise _wrong(quantity, f"{value} is a range inside a list of values", "Write derive.span(...).")
        numbers.append(convert(value.number, value.unit, quantity.unit))
    return numbers


def checked(quantity: Declaration, numbers: Any) -> Any:
    """The numbers of an axis in the declared unit, checked to be finite and in the domain."""
    finite = numpy.isfinite(numbers)
    if not finite.all():
        place = int(numpy.argmin(finite))
        raise DomainError(
            f"{quantity.name}: {numbers[place]} is on the axis, at place {place}.",
            hint="Give finite numbers.",
            quantity=quantity.name,
            domain=quantity.domain.text,
        )
    for end in (float(numbers.min()), float(numbers.max())):
        if not quantity.domain.admits(quantity.unit.to_base(end)):
            unit = quantity.unit.text
            read_given(f"{end!r} {unit}", quantity)  # raises the error
    return numbers


def _checked_unit(quantity: Declaration, unit: Unit, example: str) -> Unit:
    """The unit of an axis, refused if there is none and the quantity has one."""
    if unit.factors or unit.text not in ("", "1") or quantity.unit.is_number:
        return unit
    raise UnitError(
        f"{quantity.name}: the axis has no unit, and {quantity.name} is in {quantity.unit}.",
        hint=f"Write {example}.",
        quantity=quantity.name,
    )


def _conversion(quantity: Declaration, unit: Unit) -> tuple[float, float]:
    """The factor and offset that convert an axis from its unit to the declared one."""
    try:
        scale = convert(1.0, unit, quantity.unit)
    except UnitError as error:
        what = f"{quantity.name}: the axis does not fit its unit {quantity.unit}: {error.what}"
        raise UnitError(what, hint=error.hint, quantity=quantity.name, unit=unit.text) from None
    if unit.offset or quantity.unit.offset:
        declared = quantity.unit
        return float(unit.size / declared.size), float((unit.offset - declared.offset) / declared.size)
    return scale, 0.0


def _wrong(quantity: Declaration, what: str, hint: str) -> ExpressionError:
    return ExpressionError(f"{quantity.name}: {what}.", hint=hint, text=quantity.name)
