"""The arguments of a compiled function: bound by keyword, and made floats or arrays without another meaning.

Python itself binds the keywords, so that a call with plain floats costs little more than a call. Whatever else is
passed takes a slower way, on which it is read: a unit of its own, a text or an imaginary part is refused, since a
compiled function takes numbers in declared units, and what is masked or missing becomes NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from types import FunctionType
from typing import Any

from derive.errors import DeriveError, DomainError, ExpressionError, UnitError, UnknownNameError, excerpt, unknown
from derive.time_limits import query
from quantities.declaration import Declaration
from quantities.spelling import parse_unit
from quantities.units import Unit, convert
from quantities.value import is_number, unit_attribute

# The names are put into the finished code object and never into its text; a name may be any string. A call that is
# not plain (other types of numbers, arrays, a name too many or too few) takes the slow path.

_ABSENT: Any = type("Absent", (), {"__slots__": (), "__repr__": lambda _: "required"})()

_TEXT = """
def call({signature}**others):
    if others{odd}:
        return slow(others, ({values}))
    try:
        found = quick({values})
    except (ValueError, ZeroDivisionError, OverflowError):
        return lost({values})
    return found if -inf < found < inf else nan
"""


def by_name(
    names: Sequence[str],
    of_any_values: Callable[[Sequence[Any]], Any],
    floats: Callable[[], Callable[..., float]] | None = None,
    lost: Callable[..., float] | None = None,
) -> FunctionType:
    """A Python function that binds arguments by keyword for a compiled one, with the fastest way for plain floats.

    `floats` makes the function of floats on first use; where that cannot decide, `lost` computes the value. All other
    values go to `of_any_values`.
    """

    def slow(others: dict[str, Any], values: Sequence[Any]) -> Any:
        missing = [name for name, value in zip(names, values, strict=True) if value is _ABSENT]
        if others or missing:
            raise _argument_error(others, missing, names)
        with query(math.inf):
            return of_any_values(values)

    def first(*values: float) -> float:
        assert floats is not None
        with query(math.inf):
            space["quick"] = function = floats()
            return function(*values)

    space: dict[str, Any] = {"slow": slow, "quick": first, "lost": lost, "float": float}
    space |= {"inf": math.inf, "nan": math.nan, "__builtins__": {"ValueError": ValueError}}
    space |= {"ZeroDivisionError": ZeroDivisionError, "OverflowError": OverflowError}
    exec(compile(_call_text(len(names), has_floats=floats is not None), "<derive>", "exec"), space)
    call: FunctionType = space["call"]
    others = next(name for name in ("others" + "_" * i for i in count()) if name not in names)
    inner_names = call.__code__.co_varnames[len(names) + 1 :]
    call.__code__ = call.__code__.replace(co_varnames=(*names, others, *inner_names))
    call.__kwdefaults__ = dict.fromkeys(names, _ABSENT)
    return call


def _call_text(count_of_names: int, *, has_floats: bool) -> str:
    """The source text of a function that binds arguments by keyword, numbered, and sorts out plain floats."""
    arguments = [f"a{i}" for i in range(count_of_names)]
    not_plain = ""
    if arguments:
        not_plain = " or not (" + " is ".join([*(f"{a}.__class__" for a in arguments), "float"]) + ")"
    return _TEXT.format(
        signature=f"*, {', '.join(arguments)}, " if arguments else "",
        values="".join(f"{argument}, " for argument in arguments),
        odd=not_plain if has_floats else " or True",
    )


def _argument_error(others: Iterable[str], missing: Sequence[str], names: Sequence[str]) -> Exception:
    """The error for a call of a compiled function with an unknown argument, or without one that it takes."""
    for name in others:
        return unknown("argument", name, list(names))
    return UnknownNameError(
        f"{', '.join(missing)} is missing from the call.",
        hint=f"Give {', '.join(names)}.",
        name=missing[0],
        kind="argument",
    )


_REAL_KINDS = "biuf"  # NumPy's letters for truth values, whole numbers of both sorts, and floats


def numbers_of(quantities: Sequence[Declaration], given: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a compiled function as floats and arrays of numbers, whose shapes fit each other."""
    if are_floats(given):  # as most are, and all that follows would cost as much as the function itself
        return given
    values = [_number_or_array(*pair) for pair in zip(quantities, given, strict=True)]
    shapes = [value.shape for value in values if value.__class__ is not float]
    if any(shape != shapes[0] for shape in shapes):
        import numpy

        try:
            numpy.broadcast_shapes(*shapes)
        except ValueError:
            raise _misfit(quantities, values) from None
    return values


def are_floats(values: Sequence[Any]) -> bool:
    """Whether all values are floats of Python itself: a subclass, as of NumPy, is made one first."""
    return set(map(type, values)) <= {float}


def _number_or_array(quantity: Declaration, given: Any) -> Any:
    """What is passed for a quantity, as a float or an array of numbers; what is masked or missing is NaN."""
    if isinstance(given, float):
        return float(given)
    if isinstance(given, int):
        return _as_float(quantity, given)
    _refuse_unit(quantity, given)
    if is_number(given):
        return _as_float(quantity, given)
    if _is_missing(given):  # NumPy would make it NaN
        raise _no_number(quantity, given)
    import numpy

    if given.__class__ is numpy.ndarray and given.ndim and given.dtype.kind in _REAL_KINDS:
        return given
    if isinstance(given, bytearray):  # NumPy would take the codes of its characters
        raise _no_number(quantity, given)
    try:
        array = numpy.asarray(_listed(quantity, given) if isinstance(given, (list, tuple)) else _unmasked(given))
        if array.dtype.kind == "O":
            numbers = [_number_of_object(quantity, given, entry) for entry in array.flat]
            array = numpy.array(numbers).reshape(array.shape)
    except (TypeError, ValueError):
        raise _no_number(quantity, given) from None
    except OverflowError:
        raise _out_of_range(quantity) from None
    if array.dtype.kind not in _REAL_KINDS:
        raise _no_number(quantity, given)
    return array if array.ndim else float(array)


def _listed(quantity: Declaration, entries: Sequence[Any]) -> list[Any]:
    """A list that is passed for a quantity, without masked numbers, at any depth; units in it are refused."""
    listed: list[Any] = []
    for entry in entries:
        if isinstance(entry, (list, tuple)):
            listed.append(_listed(quantity, entry))
        elif entry.__class__ is float:
            listed.append(entry)
        else:
            _refuse_unit(quantity, entry)
            listed.append(_unmasked(entry))
    return listed


def _unmasked(given: Any) -> Any:
    """A passed array of NumPy with NaN for each masked number, and None among objects; any other argument as it is."""
    import numpy

    if not isinstance(given, numpy.ma.MaskedArray):
        return given
    data, mask = numpy.ma.getdata(given), numpy.ma.getmaskarray(given)
    if data.dtype.kind in _REAL_KINDS:
        return numpy.where(mask, math.nan, data.astype(float))
    objects = data.astype(object)
    objects[mask] = None
    return objects


def _number_of_object(quantity: Declaration, given: Any, entry: Any) -> float:
    """An entry in an array of objects as a float, NaN if it is missing; `given` is the array as it was passed."""
    if _is_missing(entry):
        return math.nan
    _refuse_unit(quantity, entry)
    if not is_number(entry) and not isinstance(entry, bool):
        raise _no_number(quantity, given)
    return _as_float(quantity, entry)


def _is_missing(entry: Any) -> bool:
    """Whether an entry of an array is None, or the mark of pandas for a missing number."""
    return entry is None or type(entry).__name__ == "NAType"


def _as_float(quantity: Declaration, given: Any) -> float:
    """A number of any type as a float, or an error that names its quantity."""
    try:
        number = float(given)
        is_lost = (math.isinf(number) and -math.inf < given < math.inf) or (number == 0 and given != 0)
    except OverflowError:
        raise _out_of_range(quantity) from None
    except (TypeError, ValueError):
        raise _no_number(quantity, given) from None
    if is_lost:
        raise _out_of_range(quantity)
    return number


def _refuse_unit(quantity: Declaration, given: Any) -> None:
    """Refuse what has a unit of its own, of pint or of xarray, which a compiled function would drop."""
    declared = quantity.unit.text if quantity.unit.text not in ("", "1") else "dimensionless"
    if hasattr(given, "_units") and hasattr(given, "magnitude"):
        unit: Any = str(given.units)
        hint = f'Write {quantity.name}=value.m_as("{declared}").'
    else:
        unit = unit_attribute(given)
        if unit is None or _is_same(unit, quantity.unit):
            return
        hint = f"Convert it to {declared}, and give the numbers alone: {quantity.name}=array.values."
    raise UnitError(
        f"{quantity.name}: a compiled function takes bare numbers{_in_unit(quantity)}, and this is in {unit or '1'}.",
        hint=hint,
        quantity=quantity.name,
        unit=unit,
    )


def _is_same(text: str, unit: Unit) -> bool:
    """Whether a text names this unit; one that cannot be read, as xarray may hold, does not."""
    try:
        return convert(1.0, parse_unit(text), unit) == 1.0
    except DeriveError:
        return False


def _in_unit(quantity: Declaration) -> str:
    """The unit in which a compiled function takes an argument's bare numbers, in words; empty for a plain number."""
    return "" if quantity.unit.text in ("", "1") else f" in {quantity.unit}"


def _no_number(quantity: Declaration, given: Any) -> ExpressionError:
    """The error of what was passed to a compiled function and is neither a number nor an array of numbers."""
    kind = f"array of {given.dtype}" if hasattr(given, "dtype") else type(given).__name__
    return ExpressionError(
        f"{quantity.name}: {excerpt(' '.join(str(given).split()))} ({kind}) is no real number, and no array of them.",
        hint=f"A compiled function takes numbers{_in_unit(quantity)}; `solve` reads texts with units.",
        text=str(given),
    )


def _misfit(quantities: Sequence[Declaration], values: Sequence[Any]) -> ExpressionError:
    """The error for arrays whose shapes do not broadcast."""
    arrays = ((quantity.name, value) for quantity, value in zip(quantities, values, strict=True))
    listed = ", ".join(f"{name} {value.shape}" for name, value in arrays if not isinstance(value, float))
    return ExpressionError(
        f"Arrays of these shapes do not fit each other: {listed}.",
        hint="Give arrays of one shape, or of shapes that broadcast, such as (3, 1) and (4,).",
    )


def _out_of_range(quantity: Declaration) -> DomainError:
    """The error of a number that no double is near to, passed to a compiled function."""
    return DomainError(
        f"{quantity.name}: it exceeds the range of double precision.",
        hint="Give a number between 1e-300 and 1e300.",
        quantity=quantity.name,
        domain=quantity.domain.text,
    )
