"""The declaration of a quantity: its unit, meaning and domain.

A `Declaration` is all that checking, planning and arithmetic need. A `Quantity` is the same as a sympy symbol, for
writing expressions; questions of numbers do not need sympy.

Everything in a declaration is part of equality and hashing, so that two libraries never exchange their defaults.
`agreed` merges two declarations of one name, if they can be merged.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from math import isclose
from typing import Any, NoReturn

from quantities.dimension import Dimension
from quantities.domain import Domain, SeenEnds, read_domain, read_seen
from quantities.errors import DomainError, ExpressionError, UnitError, excerpt
from quantities.proposals import hint_on_unit, proposed
from quantities.rational import as_number
from quantities.spelling import parse_unit
from quantities.tolerances import SAME_COUNT, SAME_DEFAULT
from quantities.units import DIMENSIONLESS, Unit, convert
from quantities.value import ASKER, DEFAULT, Source, Value, is_number, read_number, read_value, unit_attribute

__all__ = ["Declaration", "agreed", "check_name", "declaration_of", "read_aliases", "read_given", "same_thing"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_NAME = 120
_DIGITS = 12  # of a number that a package computed
_WRITTEN = re.compile(r'Write "(.+)"\.')
_THINGS = tuple(parse_unit(thing).dimension for thing in ("sequence", "chip"))
_NOTHING_SEEN = SeenEnds(least="", most="", source="", low=-math.inf, high=math.inf)
_CONSTANTS = {"pi": "the number 3.14159..."}


class Declaration:
    """A named thing with a unit.

    >>> period = Declaration("period", "s", "time of one swing", latex="T")
    >>> period.unit.text, str(period.dimension), period.domain.text
    ('s', 's', 'positive')
    >>> period == Declaration("period", "ms")
    False
    """

    name: str
    unit: Unit
    meaning: str
    latex: str
    domain: Domain
    default: Value | None
    aliases: tuple[str, ...]
    seen: SeenEnds | None

    def __init__(
        self,
        name: str,
        unit: str = "",
        meaning: str = "",
        *,
        latex: str = "",
        domain: str = "positive",
        default: str | float | Value | None = None,
        aliases: Iterable[str] = (),
        seen: Mapping[str, str] | None = None,
    ) -> None:
        for what, text in (("unit", unit), ("meaning", meaning), ("latex", latex), ("domain", domain)):
            if not isinstance(text, str):
                raise ExpressionError(f"{name}: the {what} is a {type(text).__name__}.", hint=f'Write {what}="...".')
        own_unit = parse_unit(unit)
        own_domain = read_domain(domain, own_unit)
        other_names = read_aliases(name, aliases)
        self.__dict__.update(
            name=check_name(name), unit=own_unit, meaning=meaning, latex=latex, domain=own_domain, aliases=other_names
        )
        self.__dict__["seen"] = None if seen is None else read_seen(seen, name, own_unit)
        self.__dict__["default"] = None if default is None else read_given(default, self, DEFAULT)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{self.name}: a quantity is immutable; declare another one.")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    @property
    def dimension(self) -> Dimension:
        """What the unit of the declaration measures."""
        return self.unit.dimension

    @property
    def is_count(self) -> bool:
        """Whether a declaration counts what cannot be halved: by its domain, or as its unit is the thing counted.

        A number of sequences or chips may be a mean, so one that is not whole is accepted where the domain allows it.

        >>> Declaration("batch", "sequence").is_count, Declaration("time", "s").is_count
        (True, False)
        """
        return self.domain.whole or (self.unit.size == 1 and self.dimension in _THINGS)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The fields of the declaration (unit, meaning, domain and so on) as texts, to compare it with another one."""
        scale = ",".join(f"{part}^{power}" for part, power in sorted(self.unit.factors))
        ends = f"{self.domain.low!r},{self.domain.high!r},{self.domain.open_low}"
        default = "" if self.default is None else repr(self.default)
        seen = () if self.seen is None else (repr(self.seen.words),)
        return self.name, scale, ends, self.meaning, self.latex, default, *self.aliases, *seen

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Declaration) and self.said == other.said)

    def __hash__(self) -> int:
        return hash(self.said)

    @property
    def words(self) -> dict[str, Any]:
        """The arguments that make the declaration again."""
        texts = {"name": self.name, "unit": self.unit.text, "meaning": self.meaning, "latex": self.latex}
        seen = {} if self.seen is None else {"seen": self.seen.words}
        return {**texts, "domain": self.domain.text, "default": self.default, "aliases": self.aliases, **seen}

    def but(self, **changes: Any) -> Declaration:
        """The same declaration with some arguments replaced.

        >>> Declaration("length", "m", "of the string").but(name="width", domain="real").words["meaning"]
        'of the string'
        """
        return Declaration(**{**self.words, **changes})

    def shown_in(self, unit: Unit) -> Declaration:
        """The same declaration in another unit, in which numbers that are declared without one keep their meaning.

        >>> share = Declaration("share", domain="0..1", default="0.4").shown_in(parse_unit("percent"))
        >>> str(share.default), share.domain.high
        ('40 percent', 1.0)
        """
        domain, default = self.domain.text, self.default
        if self.domain.is_bare:
            ends, comma, whole = domain.partition(",")
            domain = f"{ends} {self.unit.text if self.unit.factors else 'dimensionless'}{comma}{whole}"
        if default is not None and not default.unit.text:
            default = default.within(unit)
        return self.but(unit=unit.text, domain=domain, default=default)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Declaration, **self.words), ()

    def __repr__(self) -> str:
        return self.name


def read_aliases(name: str, aliases: Any) -> tuple[str, ...]:
    """Read the other names in a declaration: a quantity is searched by them, but not named in a relation.

    >>> read_aliases("token_interval", ["TPOT", "seconds per token", "TPOT"])
    ('TPOT', 'seconds per token')
    """
    listed = tuple(aliases) if isinstance(aliases, Iterable) and not isinstance(aliases, (str, Mapping)) else (None,)
    if not all(isinstance(alias, str) and any(map(str.isalnum, alias)) for alias in listed):
        example = f'["{aliases}"]' if isinstance(aliases, str) and aliases else '["TPOT", "seconds per token"]'
        raise ExpressionError(f"{name}: aliases is not a list of words.", hint=f"Write aliases = {example}.", text=name)
    return tuple(dict.fromkeys(listed))


def declaration_of(thing: Any) -> Declaration | None:
    """The declaration that a thing is, or that it carries as a sympy quantity does; None of anything else."""
    if isinstance(thing, Declaration):
        return thing
    declaration = getattr(thing, "declaration", None)
    return declaration if isinstance(declaration, Declaration) else None


def same_thing(first: Declaration, second: Declaration) -> bool:
    """Whether two declarations of one name measure the same, on the same scale and in the same domain.

    >>> same_thing(Declaration("force", "N"), Declaration("force", "kg*m/s**2", "a push"))
    True
    """
    return first is second or _scale(first) == _scale(second)


def _scale(quantity: Declaration) -> tuple[Any, ...]:
    unit, domain = quantity.unit, quantity.domain
    return unit.dimension, unit.size, unit.offset, unit.counts, domain.low, domain.high, domain.open_low


def agreed(first: Declaration, second: Declaration) -> Declaration:
    """One declaration made of two of the same name, if they mean the same.

    >>> both = agreed(Declaration("x", "m", default="3 m"), Declaration("x", "m", "a length"))
    >>> both.meaning, str(both.default)
    ('a length', '3 m')
    """
    if first == second:
        return first
    if not same_thing(first, second):
        scales = f"in {first.unit} and {first.domain.text}, in {second.unit} and {second.domain.text}"
        raise _clash(first.name, scales)
    if first.meaning and second.meaning and first.meaning != second.meaning:
        raise _clash(first.name, f"meaning {first.meaning!r} and {second.meaning!r}")
    pairs = zip(first.default.base, second.default.base, strict=True) if first.default and second.default else ()
    if not all(isclose(*pair, rel_tol=SAME_DEFAULT) for pair in pairs):
        raise _clash(first.name, f"default {str(first.default)!r} and {str(second.default)!r}")
    return first.but(
        meaning=first.meaning or second.meaning,
        latex=first.latex or second.latex,
        default=first.default or second.default,
        aliases=(*first.aliases, *second.aliases),
        seen=(first.seen or second.seen or _NOTHING_SEEN).words or None,
    )


def _clash(name: str, difference: str) -> ExpressionError:
    what = f"The quantity {name} is declared twice with two meanings: {difference}."
    return ExpressionError(what, hint="Rename one, or leave one out.", text=name)


def check_name(name: str) -> str:
    """The name itself, if a declaration of a quantity or relation can have it.

    >>> check_name("lambda")
    Traceback (most recent call last):
        ...
    quantities.errors.ExpressionError: 'lambda' cannot be a name: it is a word of the language. Write lambda_ instead.
    """
    if not isinstance(name, str):
        raise ExpressionError(f"a {type(name).__name__} cannot be a name.", hint="Write a word such as batch.")
    parts = name.split(".")
    for part in parts:
        reason, hint = _refusal(part)
        if reason:
            raise ExpressionError(f"{excerpt(name)} cannot be a name: {reason}.", hint=hint, text=name)
    return name


def _refusal(part: str) -> tuple[str, str]:
    """Why a declaration cannot have this part of a name, and the hint; two empty texts if it can."""
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


def read_given(given: Any, quantity: Declaration, source: Source = ASKER) -> Value:
    """Read a given as a value that fits the unit and the domain in the declaration of its quantity.

    >>> str(read_given("3 min", Declaration("period", "s")))
    '3 min'
    >>> read_given(3.0, Declaration("period", "s"))
    Traceback (most recent call last):
        ...
    quantities.errors.UnitError: period: 3.0 has no unit, and period is in s. Write "3.0 s".
    """
    value = _value_of(given, quantity, source)
    try:
        convert(1.0, value.unit, quantity.unit)
    except UnitError as error:
        what = f"{quantity.name}: {value} does not fit its unit {quantity.unit}: {error.what}"
        hint = _hint(given if isinstance(given, str) else str(value), quantity, error.hint)
        raise UnitError(what, hint=hint, quantity=quantity.name, unit=value.unit.text) from None
    if value.unit.dimension != quantity.dimension:  # cycles given for radians, or the other way round
        value = value.within(quantity.unit)
    is_typed = not isinstance(given, Value)  # a curve passes between the whole numbers, and a mean lies there
    if is_typed and quantity.domain.whole and not _has_whole(value, quantity):
        raise _not_whole(value, quantity)
    low, number, high = value.base
    for end in (low, number, high) if value.is_range else (number,):
        if not quantity.domain.admits(end, value.unit):
            domain = quantity.domain.text
            what = f"{quantity.name}: {value} lies outside its domain, {domain}."
            hint = f"Give a value that is {domain}, or declare another domain."
            raise DomainError(what, hint=hint, quantity=quantity.name, domain=domain)
    return value


def _has_whole(value: Value, quantity: Declaration) -> bool:
    """Whether a value is whole, or a range with a whole number in it, as a given of a count is."""
    if not value.is_range:
        return quantity.domain.is_whole(value.base[1])
    low, _, high = (quantity.unit.from_base(end) for end in value.base)
    return math.ceil(low - SAME_COUNT * max(1.0, abs(low))) <= math.floor(high + SAME_COUNT * max(1.0, abs(high)))


def _not_whole(value: Value, quantity: Declaration) -> DomainError:
    facts = {"quantity": quantity.name, "domain": quantity.domain.text}
    if value.is_range:
        return DomainError(f"{quantity.name}: no whole number lies in {value}.", hint="Widen the range.", **facts)
    unit, count = quantity.unit, quantity.unit.from_base(value.base[1])
    neighbours = [end for end in (math.floor(count), math.ceil(count)) if quantity.domain.admits(unit.to_base(end))]
    counts = " or ".join(f"{end} {'' if unit.is_number else unit.text}".rstrip() for end in neighbours)
    what = f"{quantity.name}: {value} is not whole, and {quantity.name} is a count."
    return DomainError(what, hint=f"Give {counts or 'a value that is ' + quantity.domain.text}.", **facts)


def _value_of(given: Any, quantity: Declaration, source: Source) -> Value:
    """Read what is given for a declared quantity, of any type, as a value in the unit in which it is stated."""
    if not isinstance(given, str) and _deviates(getattr(given, "magnitude", given)):
        raise _deviating(given, quantity)
    try:
        if isinstance(given, Value):
            return _with_unit(given, str(given), quantity)
        if isinstance(given, str):
            value = read_value(given)
        elif hasattr(given, "_units") and hasattr(given, "magnitude"):
            from quantities.registry import unit_of

            if not is_number(given.magnitude):
                raise TypeError
            value = read_number(as_number(given.magnitude), unit_of(given))
        elif is_number(given):
            unit_text = unit_attribute(given)
            unit = DIMENSIONLESS if unit_text is None else parse_unit(unit_text)
            value = read_number(as_number(given), unit)
        else:
            raise TypeError
    except ExpressionError as error:
        error.what = f"{quantity.name}: {error.what}"
        if written := _WRITTEN.fullmatch(error.hint):
            error.hint = _hint(written[1], quantity, f"Give a value in {quantity.unit}.")
        raise
    except (DomainError, OverflowError) as error:
        what, hint = "it exceeds the range of double precision.", "Give a number between 1e-300 and 1e300."
        if isinstance(error, DomainError):
            what, hint = error.what, error.hint
        facts = {"quantity": quantity.name, "domain": quantity.domain.text}
        raise DomainError(f"{quantity.name}: {what}", hint=hint, **facts) from None
    except UnitError as error:
        hint = _hint(str(given), quantity, hint_on_unit(error.unit, error.hint, quantity.unit))
        raise UnitError(f"{quantity.name}: {error.what}", hint=hint, quantity=quantity.name, unit=error.unit) from None
    except (TypeError, ValueError):
        kind = type(given).__name__
        hint = f'Write a string such as "3 {quantity.unit}", or a pint Quantity.'
        raise ExpressionError(f"{quantity.name}: a {kind} is not a value.", hint=hint, text=kind) from None
    is_shown = isinstance(given, str) or (is_number(given) and unit_attribute(given) is None)
    shown = str(given) if is_shown else repr(value.number)
    return _with_unit(value, shown, quantity).sourced(source)


def _deviates(number: Any) -> bool:
    """Whether a number for a declared quantity carries a standard deviation, as the package uncertainties has it."""
    return all(is_number(getattr(number, part, None)) for part in ("nominal_value", "std_dev"))


def _deviating(given: Any, quantity: Declaration) -> ExpressionError:
    """The error for a value of a declared quantity with a standard deviation, which is no range with ends."""
    number = getattr(given, "magnitude", given)
    unit = str(getattr(given, "units", quantity.unit)).replace(" ", "")
    middle, spread = float(number.nominal_value), float(number.std_dev)
    shown, *widths = (f"{x:.{_DIGITS}g}" for x in (middle, spread, 2 * spread))
    single, double = (f"{shown} +/- {width} {unit}".rstrip() for width in widths)
    what = f"{quantity.name}: {shown} with a standard deviation of {widths[0]} is no range, which has ends."
    hint = f'Give the range that you mean: "{single}" for one deviation, "{double}" for two.'
    return ExpressionError(what, hint=hint, text=str(number))


def _with_unit(value: Value, shown: str, quantity: Declaration) -> Value:
    """A value with a unit, as its quantity's declaration demands; a bare number only where it cannot be misread."""
    if value.unit.factors or value.unit.text or quantity.unit.is_number:
        return value
    what = f"{quantity.name}: {shown} has no unit, and {quantity.name} is in {quantity.unit}."
    hint = _hint(shown, quantity, f'Write "{shown.strip()} {quantity.unit}".')
    raise UnitError(what, hint=hint, quantity=quantity.name)


def _hint(text: str, quantity: Declaration, otherwise: str) -> str:
    """The hint for a value that does not fit the quantity's declaration: a proposal, or else the hint on its unit."""
    written = proposed(text, quantity.unit, quantity.domain)
    if not written:
        return f"{otherwise} Give a value in {quantity.unit}." if otherwise.startswith("They differ") else otherwise
    is_conditional = otherwise.startswith("If ")  # the number may need a change as well
    return f"{written}. {otherwise}" if is_conditional else f"{written}."
