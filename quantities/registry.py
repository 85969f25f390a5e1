"""The pint registry of all values; only this module imports pint.

It is built from the `units.txt` that the strict reader uses, so that it knows bit, token and chip, and it reads text
through that reader: `registry("1,5 m")` is an error here, not 15 m. Conversions go through `units.convert` wherever
cycles could be confused with radians.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import pint
from pint.util import UnitsContainer

from quantities.definitions import definition_lines, own_units
from quantities.errors import ExpressionError, UnitError, excerpt
from quantities.spelling import HIGHEST, parse_unit
from quantities.tolerances import SAME_UNIT
from quantities.units import Unit, convert
from quantities.value import read_value

__all__ = ["Registry", "known_to_pint", "quantity", "registry", "unit_of"]

if TYPE_CHECKING:
    _Quantity = pint.registry.Quantity[Any]
    _UnitRegistry = pint.UnitRegistry[Any]
else:  # in pint 0.24 these cannot be subscripted
    _Quantity, _UnitRegistry = pint.registry.Quantity, pint.UnitRegistry


class RegistryQuantity(_Quantity):
    """A pint Quantity that unpickles into this registry, and is unequal to whatever it does not convert to."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.magnitude, dict(self._units))

    def __eq__(self, other: object) -> Any:
        try:
            return super().__eq__(other)
        except UnitError:
            return False

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return not equal if isinstance(equal, bool) else ~equal

    def to_compact(self, unit: Any = None) -> Any:
        """The pint quantity with a suitable prefix; unchanged if its unit does not take it (there is no nanobyte)."""
        try:
            return super().to_compact(unit)
        except UnitError:
            return self if unit is None else self.to(unit)

    def compare(self, other: Any, op: Any) -> Any:
        return super().compare(other.to(self.units) if isinstance(other, RegistryQuantity) else other, op)

    __hash__ = pint.registry.Quantity.__hash__


class UndefinedUnitError(UnitError, pint.UndefinedUnitError):
    """An unknown unit, asked of the registry itself: what works with any pint registry expects pint's own error."""


RegistryQuantity.__name__ = RegistryQuantity.__qualname__ = "Quantity"  # as pint calls it, and as messages do


def _rebuilt(magnitude: Any, factors: dict[str, Any]) -> Any:
    units = registry()
    return units.Quantity(magnitude, units.Unit(UnitsContainer(factors)))


@contextmanager
def _pints_own_error(text: str) -> Iterator[None]:
    try:
        yield
    except UnitError as error:
        undefined = UndefinedUnitError(error.what, hint=error.hint, quantity=error.quantity, unit=error.unit)
        undefined.unit_names = (error.unit or text,)
        raise undefined from None


class Registry(_UnitRegistry):
    """pint's registry with the units and the strict reader of this package."""

    Quantity: TypeAlias = RegistryQuantity
    _learned = 0  # how many units of relation files pint knows

    def __getattr__(self, item: str) -> Any:
        try:
            return super().__getattr__(item)
        except UnitError as error:
            raise AttributeError(str(error)) from None

    def parse_units_as_container(
        self, input_string: str, as_delta: bool | None = None, case_sensitive: bool | None = None
    ) -> UnitsContainer:
        with _pints_own_error(str(input_string)):
            return self.container(parse_unit(str(input_string)).factors)

    def get_name(self, name_or_alias: str, case_sensitive: bool | None = None) -> str:
        """A unit's name by any of its names, read strictly: pint alone would accept `mb` or `krpm`."""
        if not name_or_alias or name_or_alias == "dimensionless" or name_or_alias in self._units:
            return super().get_name(name_or_alias, case_sensitive)
        with _pints_own_error(name_or_alias):
            name = parse_unit(name_or_alias).factors[0][0]
        return name if name in self._units else super().get_name(name, case_sensitive)

    def container(self, factors: Iterable[tuple[str, Fraction]]) -> UnitsContainer:
        """A unit in pint's form; units of relation files and prefixed ones are added to pint on first use."""
        for own, (entry, _) in list(own_units().items())[self._learned :]:
            meaning = f"[{own}]" if str(entry.dimension) == own else f"{float(entry.factor)!r} * {entry.dimension}"
            self.define(f"{own} = {meaning}")
            self._learned += 1
        powers = {name: int(power) if power.denominator == 1 else float(power) for name, power in factors}
        for name in powers:
            if name not in self._units:
                self.get_name(name)
        return UnitsContainer(powers)

    def parse_expression(self, input_string: str, *args: Any, **values: Any) -> Any:
        if not input_string:
            return self.Quantity(1)
        with _pints_own_error(input_string):
            value = read_value(input_string)
        if value.is_range:
            what = f"value {excerpt(input_string)}: a pint Quantity is one number, and this is a range."
            raise ExpressionError(what, hint="Give the text itself, which `solve` reads as a range.", text=input_string)
        return quantity(value.number, value.unit)

    __call__ = parse_expression  # pint's own would bypass this reader

    def _convert(  # type: ignore[override]  # pint's own levels disagree on the signature
        self, value: Any, src: Any, dst: Any, inplace: bool = False, **options: Any
    ) -> Any:
        source, target = unit_of(src), unit_of(dst)
        if source.counts or target.counts:
            factor = convert(1.0, source, target)
            if inplace:
                value *= factor
                return value
            return value * factor
        return super()._convert(value, src, dst, inplace, **options)


@cache
def registry() -> Registry:
    """The registry, built on first use."""
    built = Registry(filename=None, cache_folder=None)
    built.load_definitions(definition_lines())
    built._build_cache()
    return built


def quantity(number: Any, unit: Unit) -> Any:
    """A number (or an array) in a unit as a quantity of the pint registry."""
    return registry().Quantity(number, _pint_unit(unit))


@lru_cache(maxsize=4096)
def _pint_unit(unit: Unit) -> Any:
    units = registry()
    return units.Unit(units.container(unit.factors))


def unit_of(units: Any) -> Unit:
    """The unit of a pint Quantity or Unit of any registry, read again by its units' names.

    A name that has another meaning in its registry (pint's barrel is not the barrel of oil) is refused.
    """
    container = getattr(units, "_units", units)
    parts = []
    for name, power in container.items():
        exponent = Fraction(power).limit_denominator(HIGHEST)
        parts.append(str(name) if exponent == 1 else f"{name}**({exponent})")
    unit = parse_unit("*".join(parts))
    theirs = getattr(units, "_REGISTRY", None)
    if theirs is not None and theirs is not registry():
        _compare(unit, theirs.Quantity(1, container))
    return unit


_SHORTEST = 3  # letters of a name that is looked up in pint


@cache
def _pints_own() -> Any:
    return pint.UnitRegistry()


def known_to_pint(name: str) -> str:
    """What a name is as a unit in pint's own registry, in base units that are known here; empty if it is none.

    Prefixes are not tried: pint reads "cat" as a hundredth of a technical atmosphere. Nor are letters, which it takes
    for constants of nature.

    >>> known_to_pint("furlong"), known_to_pint("cat")
    ('201.168402337 m', '')
    """
    theirs = _pints_own()
    read = theirs.parse_unit_name(name) if name.isidentifier() and len(name) >= _SHORTEST else ()
    unprefixed = next((unit for prefix, unit, _ in read if not prefix), "")
    if not unprefixed or not theirs._units[unprefixed].is_multiplicative:
        return ""
    try:
        based = theirs.Quantity(1, unprefixed).to_base_units()
        unit = parse_unit(f"{based.units:C}")
    except (pint.PintError, UnitError):
        return ""
    return f"{based.magnitude * float(unit.size):.12g} {unit.dimension}" if unit.dimension else ""


_PHYSICAL = {"mass", "length", "time", "current", "temperature", "substance", "luminosity"}


def _compare(unit: Unit, theirs: Any) -> None:
    """Refuse a unit that has another size or dimension in the pint registry that it comes from."""
    if unit.offset or unit.dimension.bases.keys() - _PHYSICAL:
        return
    base = str(unit.dimension)
    try:
        size = theirs.m_as("" if base == "1" else base)
    except pint.DimensionalityError:
        size = math.nan
    if not math.isclose(size, unit.size, rel_tol=SAME_UNIT):
        there = f"'{theirs.units}' is {theirs.to_base_units():.6g} in its own registry"
        here = f"{float(unit.size):.6g} {base} here"
        raise UnitError(f"{there}, and {here}.", hint=f"Give the value in {base}.", unit=unit.text)
