"""Values as people write them: a number or a range, a unit, and the source of the number.

    value  = number [unit]  |  number ("+/-" | "±") number [unit]  |  number [unit] ".." number [unit]
    number = [sign] digits [ "." digits ] [ "e" exponent ]

The number is read strictly, because lenient readers change the meaning of a decimal comma (`1,5 m`), a second point
(`3.0.0 m`) or a broken exponent (`1e3.5 m`). U+2212 is read as a minus.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

from quantities.errors import DomainError, ExpressionError, UnitError, excerpt
from quantities.rational import exact_of, nearest, read_decimal, text_of, written
from quantities.spelling import parse_unit
from quantities.units import DIMENSIONLESS, Unit, convert

__all__ = [
    "ASKER",
    "BY_DEFINITION",
    "DEFAULT",
    "KINDS",
    "OTHERWISE",
    "Kind",
    "Source",
    "Value",
    "is_number",
    "otherwise",
    "read_number",
    "read_value",
    "unit_attribute",
]

Kind = Literal["exact", "measured", "published", "assumed"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Source:
    """A source: what it is, how far it can be trusted, where and when it was read, and a remark.

    >>> Source("NVIDIA H100 data sheet", "published", date="2026-08")
    Source(text='NVIDIA H100 data sheet', kind='published', url='', date='2026-08', note='')
    """

    text: str
    kind: Kind = "published"
    url: str = ""
    date: str = ""
    note: str = ""

    @property
    def stands_in(self) -> bool:
        """Whether the value counts only where no relation gives it."""
        return self.text == OTHERWISE.text

    def __str__(self) -> str:
        details = ", ".join(detail for detail in (self.date, self.url) if detail)
        text = f"{self.text} ({details})" if details else self.text
        return f"{text}; {self.note}" if self.note else text


DEFAULT = Source("default of the quantity", "assumed")
"""The source of a default that states none."""

ASKER = Source("given in the question", "assumed")
"""The source of a value that was typed in with the question."""

BY_DEFINITION = Source("by definition", "exact")
"""The source of a value that is exact by definition."""

OTHERWISE = Source("used where no relation gives it", "assumed")
"""The source of a default that is used only where the relations written for its quantity do not determine it."""

_DIGITS = 12  # of a number as text that is no decimal
_ALL_DIGITS = 17  # which tell each double from all others
_LONGEST = 400  # characters of a value's text
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COUNTED = {"information", "operation", "token", "parameter", "sequence", "accelerator", "cycle"}
_ANOTHER_NUMBER = re.compile(r"\s+(\d+(?:\s+\d{3}\b)*)(?!\s*/)")
_EXPONENT = re.compile(r"[eE][+-]?(\d|$|\s)")
# behind a number: *10^3, or ^3
_POWER = re.compile(r"\s*(?P<ten>[*×·x]\s*10)?\s*(?:\^|\*\*)\s*\(?(?P<exponent>[+-]?\d+)\)?(?![\d.])")
_RATIO = re.compile(r"\s*/\s*([2-9]\d*|1\d+)(?![\d.])")  # behind a number: /2, but not /1
_QUOTES = "\"'`“”‘’«»"
_DASHES = "‐‑‒–—―"
_NO_NUMBER = re.compile(r"[+-]?(nan|inf(inity)?)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Value:
    """A number with its unit, bounds and source; without a range the bounds are the number itself.

    >>> value = read_value("300 +/- 20 FLOP/byte")
    >>> value.low, value.number, value.high, str(value.unit)
    (280.0, 300.0, 320.0, 'FLOP/byte')
    """

    number: float
    low: float
    high: float
    unit: Unit
    source: Source = ASKER
    rounding: float = field(default=0.0, compare=False, repr=False)  # half a unit of the last written place
    is_beside_range: bool = False  # whether the number is stated, and not only the middle of its range

    def between(self, ends: Value) -> Value:
        """The value of the same number, as it is written with a range around it: 3 (2..10) USD.

        >>> str(read_value("3 USD").between(read_value("2..10 USD")))
        '3 (2..10) USD'
        """
        ends = ends.within(self.unit)
        if not ends.low <= self.number <= ends.high:
            raise ExpressionError(f"value {self}: it lies outside its range, {ends}.", hint="Widen the range.")
        return replace(self, low=ends.low, high=ends.high, is_beside_range=ends.is_range)

    @cached_property
    def is_range(self) -> bool:
        return self.low is not self.high and self.low != self.high

    @cached_property
    def base(self) -> tuple[float, float, float]:
        """The (low, number, high) of the value in coherent base units."""
        to_base = self.unit.to_base
        number = to_base(self.number)
        if self.low is self.number is self.high:
            return number, number, number
        return to_base(self.low), number, to_base(self.high)

    @cached_property
    def as_rounded(self) -> tuple[float, float]:
        """The ends, in base units, of what a written value may have been rounded from: a published 175 may be 174.6.

        >>> read_value("175 kg").sourced(Source("a report")).as_rounded
        (174.5, 175.5)
        """
        low, _, high = self.base
        if self.source.kind not in ("published", "measured") or self.is_range:
            return low, high
        return self.unit.to_base(self.number - self.rounding), self.unit.to_base(self.number + self.rounding)

    def within(self, unit: Unit) -> Value:
        """The same value in another unit."""
        low, number, high = (convert(x, self.unit, unit) for x in (self.low, self.number, self.high))
        rounding = convert(self.number + self.rounding, self.unit, unit) - number if self.rounding else 0.0
        return Value(number, low, high, unit, self.source, rounding, self.is_beside_range)

    def sourced(self, source: Source) -> Value:
        """The same value with another source."""
        return self if source is self.source else replace(self, source=source)

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit.text not in ("", "1") else ""
        if not self.is_range:
            return f"{text_of(self.number, _DIGITS)}{unit}"
        low, high = (text_of(end, _DIGITS) for end in (self.low, self.high))
        if math.isclose(self.number, self.low / 2 + self.high / 2):
            return f"{low}..{high}{unit}"
        return f"{text_of(self.number, _DIGITS)} ({low}..{high}){unit}"


def otherwise(text: str) -> Value:
    """Read a default that is used only where the relations for its quantity do not determine it.

    >>> str(otherwise("1"))
    '1'
    """
    return read_value(text).sourced(OTHERWISE)


@lru_cache(maxsize=4096)
def read_value(text: str) -> Value:
    """Read a value: a number or a range, with its unit.

    >>> str(read_value("3.35 TB/s")), str(read_value("2..6"))
    ('3.35 TB/s', '2..6')
    >>> read_value("1,5 m")
    Traceback (most recent call last):
        ...
    quantities.errors.ExpressionError: value '1,5 m': a comma follows 1. Write 1.5.
    """
    if len(text) > _LONGEST:
        what = f"value {excerpt(text)}: {len(text)} characters are too many for a value."
        raise ExpressionError(what, hint=f"Keep it under {_LONGEST}.", text=text)
    return _Reader(text).value()


def read_number(number: float, unit: Unit, text: str = "", rounding: float = 0.0) -> Value:
    """Read a value without a range, proved finite and representable in base units."""
    shown = text or repr(number)
    if not math.isfinite(number):
        raise DomainError(f"value {excerpt(shown)}: it is not a finite number.", hint="Give a finite number.")
    number = written(number)
    value = Value(number, number, number, unit, rounding=rounding)
    _, base, _ = value.base
    if not math.isfinite(base) or (number != 0 and base == 0 and not unit.offset):
        what = f"value {excerpt(shown)}: in base units it exceeds the range of double precision."
        raise DomainError(what, hint="Give a number between 1e-300 and 1e300 in base units.")
    if unit.offset and base < 0:
        raise DomainError(f"value {excerpt(shown)}: it lies below absolute zero.", hint="Temperatures start at 0 K.")
    return value


def _middle(low: float, high: float) -> float:
    """The number of a value that is a range: halfway between its ends, exactly where both are known exactly."""
    least, most = exact_of(low), exact_of(high)
    if least is None or most is None:
        return low / 2 + high / 2
    return nearest((least + most) / 2)


class _Reader:
    """One pass over a value's text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = text.replace("−", "-").replace("±", "+/-").strip()
        self.next = 0

    def value(self) -> Value:
        """Read the whole text as a value: a number or a range, and its unit."""
        first = self._number()
        behind = self.plain[self.next :]
        before, dots, _ = behind.partition("..")
        if dots:
            return self._range(first, before)
        before, sign, _ = behind.partition("+/-")
        if sign:
            return self._plus_minus(first, before)
        unit = self._unit(behind)
        return read_number(first, unit, self.text, rounding=_half_a_place(self.plain[: self.next], unit))

    def _plus_minus(self, number: float, before: str) -> Value:
        """Read a value with a width, where `before` stands between the number and the sign."""
        self._skip("+/-")
        width = self._number()
        if width < 0:
            raise self._error(f"the width {_in_full(width)} is negative.", "Write 5 +/- 0.1.")
        unit = self._unit(self.plain[self.next :])
        if before.strip() and before.strip() != unit.text:
            hint = self._converted_ends(number, width, self._unit(before), unit)
            raise self._error("the width is in another unit.", hint)
        low, high = _ends(number, width)
        if "percent" in dict(unit.factors) and not before.strip():
            hint = f"Write the ends: {_in_full(low)}..{_in_full(high)} {unit}, or a width without the percent."
            raise self._error("the width can be read two ways.", hint)
        return self._bounded(low, number, high, unit)

    def _converted_ends(self, number: float, width: float, unit: Unit, width_unit: Unit) -> str:
        """The hint for a value whose width is in another unit: its ends, if the width converts."""
        exact, exact_width = exact_of(number), exact_of(width)
        if exact is None or exact_width is None or width_unit.offset:
            return f"Write the ends, as in 270..330 {unit}."
        share = exact_width * width_unit.size
        if width_unit.dimension == unit.dimension:
            half = share / unit.size
        elif not width_unit.dimension and not unit.offset:
            half = abs(exact) * share
        else:
            return f"Write the ends, as in 270..330 {unit}."
        return f"Write the ends: {_in_full(nearest(exact - half))}..{_in_full(nearest(exact + half))} {unit}."

    def _range(self, low: float, before: str) -> Value:
        """Read a value that was written as a range, where `before` stands between its lower end and the dots."""
        self.next += len(before)
        self._skip("..")
        if self.plain[self.next : self.next + 1] == ".":
            raise self._error("three dots can be read two ways.", "Write a range with two: 0..5 m.")
        high = self._number()
        unit = self._unit(self.plain[self.next :])
        if before.strip() and not self.plain[self.next :].strip():
            hint = f"Write {_in_full(low)}..{_in_full(high)} {before.strip()}."
            raise self._error("the upper end has no unit.", hint)
        if before.strip():
            lower_unit = self._unit(before)
            # kelvins may also be a difference of temperatures: keep the end that is absolute in its own unit, so that
            # a quantity which is a difference refuses the range
            if lower_unit.offset and not unit.offset:
                high, unit = convert(high, unit, lower_unit), lower_unit
            else:
                low = convert(low, lower_unit, unit)
        if low > high:
            what = f"the range runs from {_in_full(low)} down to {_in_full(high)}."
            raise self._error(what, "Write the lower end first.")
        return self._bounded(low, _middle(low, high), high, unit)

    def _bounded(self, low: float, number: float, high: float, unit: Unit) -> Value:
        for end in (low, high):
            read_number(end, unit, self.text)
        return Value(number, low, high, unit)

    def _skip(self, mark: str) -> None:
        self.next = self.plain.index(mark, self.next) + len(mark)

    def _number(self) -> float:
        """Read the next number in the text of a value."""
        while self.plain[self.next : self.next + 1].isspace():
            self.next += 1
        here = self.plain[self.next :]
        if _NO_NUMBER.match(here):
            raise DomainError(f"value {excerpt(self.text)}: it is not a finite number.", hint="Give a finite number.")
        match = _NUMBER.match(here)
        if match is None:
            raise self._error("it does not begin with a number.", self._beginning(here))
        word = match.group()
        self._refuse_run_on(word, here[match.end() :])
        number = read_decimal(word)
        if math.isinf(number) or (number == 0 and re.search(r"[1-9]", re.split("[eE]", word)[0])):
            size = "large" if number else "small"
            what = f"value {excerpt(self.text)}: {word} is too {size} for double precision."
            raise DomainError(what, hint="Give a number between 1e-300 and 1e300.")
        self.next += match.end()
        return number

    def _refuse_run_on(self, word: str, rest: str) -> None:
        """Refuse what follows a value's number directly and looks like a part of it."""
        mark = rest[:1]
        if mark == ",":
            raise self._error(f"a comma follows {word}.", _comma(word, rest))
        if mark == "." and not rest.startswith(".."):
            raise self._error(f"another point follows {word}.", "Write one decimal point, as in 1.5e3.")
        if mark in ("_", "'") or (mark.isdigit() and not mark.isascii()):
            raise self._error(f"{mark!r} is inside the number.", "Write plain digits 0 to 9, as in 1e6.")
        following = _ANOTHER_NUMBER.match(rest)
        if following and following.group(1) != "1":
            together = word + "".join(following.group(1).split())
            raise self._error(f"two numbers, {word} and {following.group(1)}.", f"Write {together}.")
        power = _POWER.match(rest)
        if power and (power["ten"] or word == "10"):
            if not power["ten"]:  # 10^3 itself, and not 10*10^3
                hint = f"Write 1e{power['exponent']}."
            elif "e" in word.lower():
                hint = "Write a single power of ten, as in 1.5e3."
            else:
                hint = f"Write {word}e{power['exponent']}."
            raise self._not_a_unit(f"a power follows {word}.", hint)
        if (ratio := _RATIO.match(rest)) and (exact := exact_of(read_decimal(word))) is not None:
            quotient = exact / int(ratio[1])
            decimal = _in_full(nearest(quotient))
            if Fraction(decimal) != quotient:  # no decimal is a third: the shortest that is read as the same double
                decimal = f"{float(quotient)!r}"
            unit = rest[ratio.end() :].strip()
            hint = f"Write {decimal} {unit}".rstrip() + "."
            raise self._not_a_unit(f"{word}{ratio[0].rstrip()} is no decimal.", hint)
        if rest.lstrip().startswith(("+-", "-+")):
            sign, width = rest.lstrip()[:2], rest.lstrip()[2:].strip()
            raise self._error(f"{sign!r} follows {word}.", f"Write {word} +/- {width or '0.1'}.")
        if word[-1:] in "0123456789." and _EXPONENT.match(rest):
            raise self._error(f"the exponent after {word} is broken.", "Write 1.5e3.")

    def _beginning(self, here: str) -> str:
        """The hint for a text that cannot be read as a value, since it does not begin with a number."""
        mark = here[:1]
        if mark.isdigit():
            return "Write the digits 0 to 9."
        if mark in ("$", "€", "£"):
            return self._priced(mark, here)
        if mark and mark in _QUOTES:
            return "Leave the quotation marks out."
        if mark and mark in _DASHES:
            return "Write the minus as '-'."
        if mark and not mark.isprintable():
            return f"Leave out the character U+{ord(mark):04X}, which cannot be seen."
        if mark in ("<", ">", "~", "≈", "="):
            return "Write a range, as in 2..6 m."
        return "Write a number and its unit, as in 3.35 TB/s."

    def _priced(self, mark: str, here: str) -> str:
        """The hint for a value that was typed with a currency sign in front of its number: $2.5/h is 2.5 USD/h."""
        name = {"$": "USD", "€": "EUR", "£": "GBP"}[mark]
        match = _NUMBER.match(here[1:].lstrip())
        if match is None:
            return f"Write the number first: 3 {name}."
        behind = here[1:].lstrip()[match.end() :].strip()
        after = behind if not behind or behind.startswith("/") else f" {behind}"
        price = f'"{match.group()} {name}{after}"'
        return f"Write {price}." if mark == "$" else f"Give it in USD, or declare {name} in [units] and write {price}."

    def _unit(self, text: str) -> Unit:
        """Read the unit behind the number of a value; 60/min is 60 1/min."""
        stripped = text.strip()
        if stripped.startswith(("/", "per ")):
            stripped = "1/" + stripped.removeprefix("/").removeprefix("per ").strip()
        return parse_unit(stripped) if stripped else DIMENSIONLESS

    def _not_a_unit(self, what: str, hint: str) -> UnitError:
        """The error for what stands behind a value's number in the place of its unit."""
        return UnitError(f"value {excerpt(self.text)}: {what}", hint=hint, unit=self.text)

    def _error(self, what: str, hint: str) -> ExpressionError:
        said = f"value {excerpt(self.text)}: {what}"
        return ExpressionError(said, hint=hint, text=self.text, position=(1, self.next + 1))


def _in_full(number: float) -> str:
    """The text of a value's number, with all the digits that were typed, so that a hint can be typed back."""
    return text_of(number, _ALL_DIGITS)


def _ends(number: float, width: float) -> tuple[float, float]:
    """The ends of a value with a width, exact if both are known exactly."""
    exact, exact_width = exact_of(number), exact_of(width)
    if exact is None or exact_width is None:
        return number - width, number + width
    return nearest(exact - exact_width), nearest(exact + exact_width)


def _half_a_place(word: str, unit: Unit) -> float:
    """Half a unit of the last digit in which a value was typed; zero for a whole number of counted things.

    >>> _half_a_place("3.14e23", parse_unit("FLOP")), _half_a_place("80", DIMENSIONLESS)
    (5e+20, 0.0)
    """
    mantissa, _, power = word.lower().partition("e")
    _, _, places = mantissa.partition(".")
    is_count = not places and not power and unit.size == 1 and _COUNTED.issuperset(unit.dimension.bases)
    return 0.0 if is_count else float(f"5e{int(power or 0) - len(places) - 1}")


def _comma(word: str, rest: str) -> str:
    """The hint for a value whose number is written with commas.

    >>> _comma("1", ",000.5 m"), _comma("1", ",5 m"), _comma("1.000", ",5 m")
    ('Write 1000.5.', 'Write 1.5.', 'Write 1000.5.')
    """
    match = re.match(r"((?:,[0-9]*)+)(\.[0-9]+)?", rest)
    *_, last = groups = (match[1] if match else ",").split(",")[1:]
    decimals = match[2] or "" if match else ""
    thousands, _, places = word.partition(".")
    together = word + "".join(groups) + decimals
    if places:
        is_turned_round = len(places) == 3 and len(groups) == 1 and last and not decimals
        return f"Write {thousands}{places}.{last}." if is_turned_round else "Write one decimal point, as in 1000.5."
    if len(groups) > 1 or not last or decimals:
        return f"Write {together}."
    return (
        f"Write {word}.{last} for a decimal, {together} for thousands." if len(last) == 3 else f"Write {word}.{last}."
    )


def is_number(given: Any) -> bool:
    """Whether a bare value is a real number of Python, NumPy, sympy, fractions or decimal, and not a truth value."""
    if isinstance(given, (bool, str, bytes, complex)):
        return False
    if isinstance(given, (int, float)):
        return True
    if getattr(given, "shape", ()) != () or not hasattr(given, "__float__") or hasattr(given, "_units"):
        return False
    if getattr(given, "mask", False):  # NumPy hides the number
        return False
    return getattr(getattr(given, "dtype", None), "kind", "f") in "iuf"


def unit_attribute(given: Any) -> str | None:
    """The text of the unit that a value from xarray states, a number or an array; None of anything else."""
    text = getattr(given, "attrs", {}).get("units")
    return text if isinstance(text, str) else None
