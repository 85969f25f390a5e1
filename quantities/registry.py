"""The one pint registry that all values belong to, and the only door to pint.

It is built from the same `units.txt` that the strict reader uses, so that bit, token and chip are dimensions from the
start, and it reads text through that reader: `registry("1,5 m")` is an error here, not 15 m. Conversions pass through
`units.convert` wherever cycles could slide into radians.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pint
from pint.util import UnitsContainer

from quantities.definitions import definition_lines
from quantities.units import Unit, convert, parse_unit

__all__ = ["Registry", "quantity", "registry", "unit_of"]


class Registry(pint.UnitRegistry[Any]):
    """pint's registry, with this package's units and this package's reading of text."""

    def parse_units_as_container(
        self, input_string: str, as_delta: bool | None = None, case_sensitive: bool | None = None
    ) -> UnitsContainer:
        return _container(parse_unit(str(input_string)))

    def parse_expression(self, input_string: str, *args: Any, **values: Any) -> Any:
        from quantities.value import read_value

        if not input_string:
            return self.Quantity(1)
        value = read_value(input_string)
        return quantity(value.number, value.unit)

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
    """The registry, built when first asked for."""
    built = Registry(None, cache_folder=None)
    built.load_definitions(definition_lines())
    built._build_cache()
    return built


def quantity(number: Any, unit: Unit) -> Any:
    """A number (or an array) in a unit, as a pint Quantity."""
    units = registry()
    return units.Quantity(number, units.Unit(_container(unit)))


def unit_of(units: Any) -> Unit:
    """The unit of a pint Quantity or Unit of any registry, read anew by its units' names."""
    container = getattr(units, "_units", units)
    parts = []
    for name, power in container.items():
        exponent = Fraction(power).limit_denominator(99)
        parts.append(str(name) if exponent == 1 else f"{name}**({exponent})")
    return parse_unit("*".join(parts))


def _container(unit: Unit) -> UnitsContainer:
    return UnitsContainer(
        {name: int(power) if power.denominator == 1 else float(power) for name, power in unit.factors}
    )
