"""A quantity: a sympy symbol that knows its unit.

sympy takes two symbols of one name for the same thing. Here the unit and the domain take part in equality and hashing,
so that two quantities that share nothing but a name never merge inside an expression; they travel along through
pickling, copying, substitution and code generation.
"""

from __future__ import annotations

import keyword
import re
from typing import Any, Self

from sympy import Symbol

from quantities.dimension import Dimension
from quantities.domain import Domain, read_domain
from quantities.errors import DomainError, ExpressionError, UnitError, excerpt
from quantities.source import ASKER, Source
from quantities.units import DIMENSIONLESS, Unit, convert, parse_unit
from quantities.value import Value, is_number, read_number, read_value

__all__ = ["Quantity", "check_name", "read_given"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_NAME = 120
_CONSTANTS = {"pi": "the number 3.14159..."}


class Quantity(Symbol):  # type: ignore[misc]  # sympy has no types
    """A named thing with a unit.

    >>> period = Quantity("period", "s", "time of one swing", latex="T")
    >>> period.unit.text, str(period.dimension), period.domain.text
    ('s', 's', 'positive')
    >>> period == Quantity("period", "ms")
    False
    """

    __slots__ = ("default", "domain", "latex", "meaning", "unit")

    unit: Unit
    meaning: str
    latex: str
    domain: Domain
    default: Value | None

    def __new__(
        cls,
        name: str,
        unit: str = "",
        meaning: str = "",
        *,
        latex: str = "",
        domain: str = "positive",
        default: str | float | Value | None = None,
    ) -> Self:
        read = parse_unit(unit)
        held = read_domain(domain, read)
        self: Self = Symbol.__xnew__(cls, check_name(name), **held.assumptions)
        self.unit, self.domain, self.meaning, self.latex = read, held, meaning, latex
        self.default = None if default is None else read_given(default, self)
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str, str, str], dict[str, Any]]:
        names = {"latex": self.latex, "domain": self.domain.text, "default": self.default}
        return (self.name, self.unit.text, self.meaning), names

    def _hashable_content(self) -> tuple[Any, ...]:
        factors = ",".join(f"{name}^{power}" for name, power in sorted(self.unit.factors))
        return (*super()._hashable_content(), factors, self.domain.text)

    @property
    def dimension(self) -> Dimension:
        """What the quantity's unit measures."""
        return self.unit.dimension


def check_name(name: str) -> str:
    """The name itself, if a quantity or relation can bear it.

    >>> check_name("lambda")
    Traceback (most recent call last):
        ...
    quantities.errors.ExpressionError: 'lambda' cannot be a name: it is a word of the language. Write lambda_ instead.
    """
    if not isinstance(name, str):
        raise ExpressionError(f"{name!r} cannot be a name: it is no text.", hint="Write a word such as batch.")
    parts = name.split(".")
    for part in parts:
        reason, hint = _refusal(part)
        if reason:
            raise ExpressionError(f"{excerpt(name)} cannot be a name: {reason}.", hint=hint, text=name)
    return name


def _refusal(part: str) -> tuple[str, str]:
    if part in _CONSTANTS:
        return f"it is {_CONSTANTS[part]}", f"Write {part}_ instead."
    if keyword.iskeyword(part):
        return "it is a word of the language", f"Write {part}_ instead."
    if len(part) > _LONGEST_NAME:
        return f"it has {len(part)} characters", f"Keep it under {_LONGEST_NAME}."
    if part.startswith("__"):
        return "it begins with two underscores", "Begin it with a letter."
    if not _NAME.fullmatch(part):
        return "it is not one word of letters, digits and underscores", "Write it as in kv_bytes_per_token."
    return "", ""


def read_given(given: Any, quantity: Quantity, source: Source = ASKER) -> Value:
    """What somebody states of a quantity, as a value that fits its unit and lies in its domain.

    >>> str(read_given("3 min", Quantity("period", "s")))
    '3 min'
    >>> read_given(3.0, Quantity("period", "s"))
    Traceback (most recent call last):
        ...
    quantities.errors.UnitError: period: 3.0 has no unit, and period is in s. Write "3.0 s".
    """
    value = _value_of(given, quantity, source)
    try:
        convert(1.0, value.unit, quantity.unit)
    except UnitError as error:
        what = f"{quantity.name}: {value} does not fit its unit {quantity.unit}: {error.what}"
        raise UnitError(what, hint=error.hint, quantity=quantity.name, unit=value.unit.text) from None
    for end in value.base:
        if end not in quantity.domain:
            raise DomainError(
                f"{quantity.name}: {value} lies outside its domain, {quantity.domain.text}.",
                hint=f"Give a value that is {quantity.domain.text}, or declare another domain.",
                quantity=quantity.name,
                domain=quantity.domain.text,
            )
    return value


def _value_of(given: Any, quantity: Quantity, source: Source) -> Value:
    """The given as a value in a unit of its own."""
    try:
        if isinstance(given, Value):
            return given
        if isinstance(given, str):
            value = read_value(given)
        elif hasattr(given, "_units") and hasattr(given, "magnitude"):
            from quantities.registry import unit_of

            value = read_number(float(given.magnitude), unit_of(given))
        elif is_number(given):
            value = read_number(float(given), DIMENSIONLESS)
        else:
            raise TypeError
    except (DomainError, ExpressionError) as error:
        error.what = f"{quantity.name}: {error.what}"
        raise
    except UnitError as error:
        raise UnitError(
            f"{quantity.name}: {error.what}", hint=error.hint, quantity=quantity.name, unit=error.unit
        ) from None
    except (TypeError, ValueError, OverflowError):
        raise ExpressionError(
            f"{quantity.name}: a {type(given).__name__} is no value.",
            hint=f'Write a text such as "3 {quantity.unit}", or a pint Quantity.',
            text=repr(given)[:80],
        ) from None
    return _with_unit(value, str(given), quantity).sourced(source)


def _with_unit(value: Value, shown: str, quantity: Quantity) -> Value:
    """A bare number is accepted only where it cannot be misread."""
    if value.unit.factors or value.unit.text or quantity.unit.is_number:
        return value
    raise UnitError(
        f"{quantity.name}: {shown} has no unit, and {quantity.name} is in {quantity.unit}.",
        hint=f'Write "{shown.strip()} {quantity.unit}".',
        quantity=quantity.name,
    )
