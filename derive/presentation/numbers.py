"""Numbers in base units, shown in a unit: as a pint Quantity, or as text.

They are written in Python's own format, and not in that of a locale: the text reads back as the same number everywhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Set
from typing import Any

from derive.expressions.tree import Apply, Name, Node, render
from derive.tolerances import POWER_OF_TEN
from quantities.units import Unit

__all__ = [
    "DIGITS",
    "STATED",
    "customary",
    "filled",
    "in_unit",
    "labelled",
    "prefixed",
    "ranged",
    "rounded",
    "shown_number",
    "shown_result",
    "shown_span",
    "spelled",
    "with_unit",
]

DIGITS = 6
"""Digits of a result by default."""

STATED = 12
"""Digits that show a number as it was stated."""

_LARGE = {0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_SMALL = {-9: "n", -6: "µ", -3: "m", 0: ""}
_SPELLED = {"byte": "B"}  # after a prefix
_PREFIXES = {
    **dict.fromkeys(("byte", "FLOP", "token", "parameter"), _LARGE),
    **{unit: {**_SMALL, **_LARGE} for unit in ("W", "J")},
    "s": _SMALL,
}


def in_unit(base: float, unit: Unit) -> Any:
    """A number in base units as a pint Quantity in a unit."""
    from quantities.registry import quantity

    return quantity(unit.from_base(base), unit)


def prefixed(number: float, unit: str, long: float = 1e5) -> tuple[float, str]:
    """A number and its unit; below one and from `long` on, with a prefix that leaves one to three digits in front.

    >>> prefixed(0.0152, "s"), prefixed(1.412e11, "byte"), prefixed(2e9, "byte/s/chip"), prefixed(5e4, "byte/token")
    ((15.2, 'ms'), (141.2, 'GB'), (2.0, 'GB/s/chip'), (50000.0, 'byte/token'))
    """
    head = re.match(r"[A-Za-z]+", unit)
    if head is None or head[0] not in _PREFIXES or not number or not math.isfinite(number) or 1 <= abs(number) < long:
        return number, unit
    rest = unit[head.end() :]
    prefixes = _PREFIXES[head[0]]
    power = min(max(3 * math.floor(math.log10(abs(number)) / 3 + POWER_OF_TEN), min(prefixes)), max(prefixes))
    if rest.startswith("**") or not prefixes[power]:
        return number, unit
    return float(f"{number / 10.0**power:.15g}"), prefixes[power] + _SPELLED.get(head[0], head[0]) + rest


def with_unit(shown: str, unit: str) -> str:
    """The text of a number, with its unit if it has one.

    >>> with_unit("15.1", "ms"), with_unit("3", "1")
    ('15.1 ms', '3')
    """
    return shown if unit in ("", "1") else f"{shown} {unit}"


def ranged(low: float, high: float, unit: str) -> str:
    """A range as it is typed: `16..64 sequence`."""
    return with_unit(f"{low:.{DIGITS}g}..{high:.{DIGITS}g}", unit)


def labelled(name: str, unit: str) -> str:
    """The heading of numbers that share a unit: `batch [sequence]`."""
    return name if unit in ("", "1") else f"{name} [{unit}]"


def spelled(unit: Unit) -> str:
    """The text of a unit; empty for a plain number, however it was spelled."""
    return "" if unit.text in ("1", "dimensionless") else unit.text


def rounded(number: float, digits: int, long: float) -> str:
    """A number with these digits, and no exponent below `long`.

    >>> rounded(12685.7, 4, 1e6), rounded(3.2e9, 4, 1e6)
    ('12690', '3.2e+09')
    """
    short = f"{number:.{digits}g}"
    return f"{float(short):.{max(digits, 10)}g}" if abs(number) < long else short


def customary(base: float, unit: Unit, digits: int = 4) -> str:
    """A number in base units as people write it: in a unit, with the prefix that leaves few digits.

    >>> from quantities.spelling import parse_unit
    >>> customary(1.634e12, parse_unit("byte"))
    '1.634 TB'
    """
    number, text = prefixed(unit.from_base(base), spelled(unit))
    return with_unit(f"{number:.{digits}g}", text)


def shown_number(base: float, unit: Unit, digits: int = DIGITS) -> str:
    """A number in base units as text in a unit.

    >>> from quantities.spelling import parse_unit
    >>> shown_number(0.0151, parse_unit("ms"))
    '15.1 ms'
    """
    return with_unit(f"{unit.from_base(base):.{digits}g}", spelled(unit))


def shown_result(result: tuple[float, float], unit: Unit, digits: int = DIGITS) -> str:
    """A result: a number, or an interval in words.

    >>> from quantities.spelling import parse_unit
    >>> shown_result((2.0, 2.0), parse_unit("m")), shown_result((2.0, 3.0), parse_unit("m"))
    ('2 m', 'between 2 m and 3 m')
    """
    low, high = result
    return shown_number(low, unit, digits) if low == high else shown_span(low, high, unit, digits)


def filled(form: Node, worth: Mapping[str, tuple[float, Unit]], exact: Set[str], digits: int = DIGITS) -> str:
    """A form with a number and unit in place of each quantity; the exact ones as they were stated.

    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.spelling import parse_unit
    >>> filled(parse_expression("distance/2"), {"distance": (10/3, parse_unit("m"))}, set())
    '(3.33333 m)/2'
    """

    def substituted(part: Node) -> Node:
        if isinstance(part, Name) and part.name in worth:
            number, unit = worth[part.name]
            shown = f"{number:.{STATED if part.name in exact else digits}g}"
            return Name(f"({shown} {unit})" if spelled(unit) else shown)
        return Apply(part.op, tuple(map(substituted, part.args))) if isinstance(part, Apply) else part

    return render(substituted(form))


def shown_span(low: float, high: float, unit: Unit, digits: int = DIGITS) -> str:
    """An interval in base units in words, without its open ends.

    >>> from quantities.spelling import parse_unit
    >>> shown_span(1.0, math.inf, parse_unit("s"))
    'at least 1 s'
    """
    if math.isinf(low) and math.isinf(high):
        return "anything"
    if math.isinf(high):
        return f"at least {shown_number(low, unit, digits)}"
    if math.isinf(low):
        return f"at most {shown_number(high, unit, digits)}"
    return f"between {shown_number(low, unit, digits)} and {shown_number(high, unit, digits)}"
