"""Multiples of units: prefixes such as kilo and mega, so that few digits stand in front of the point."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

_LARGE = {0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E", 21: "Z", 24: "Y"}
_SMALL = {-9: "n", -6: "µ", -3: "m", 0: ""}
_SPELLED = {"byte": "B"}  # after a prefix
_ALL = {**_SMALL, **_LARGE}
_PREFIXES = {**dict.fromkeys(("byte", "FLOP", "token", "parameter"), _LARGE), "W": _ALL, "J": _ALL, "s": _SMALL}
_MULTIPLES = {**_PREFIXES, **dict.fromkeys(("USD", "bit", "sequence"), _LARGE), "Hz": _ALL}
"""The units of which reports write multiples."""
_COUNTED = frozenset({"FLOP", "USD", "parameter", "sequence", "token"})
"""What is counted is written out up to five digits: 50430 tokens."""
_OTHER_NAMES = {"B": "byte", "param": "parameter", "tok": "token"}
_POWERS = {prefix: power for power, prefix in _ALL.items()}
_FIRST_NAME = re.compile(r"([A-Za-zµ]+)(?![\w°$]|\s*(?:\*\*|[\^⁺⁻⁰¹²³⁴-⁹]))")
"""The first name of a unit, unless it is raised: a prefix is raised with it, and MB^2 is no million byte^2."""


def with_prefix(number: float, unit: str, long: float = 1e5) -> tuple[float, str]:
    """A number and its unit as a multiple for people: below one and from `long` on, with a prefix.

    >>> with_prefix(0.0152, "s"), with_prefix(2e9, "byte/s/chip"), with_prefix(5e4, "byte/token")
    ((15.2, 'ms'), (2.0, 'GB/s/chip'), (50000.0, 'byte/token'))
    """
    head = _FIRST_NAME.match(unit)
    if head is None or head[0] not in _PREFIXES or not number or not math.isfinite(number) or 1 <= abs(number) < long:
        return number, unit
    return _multiple(number, head[0], unit[head.end() :], _PREFIXES[head[0]])


def _multiple(number: float, name: str, suffix: str, prefixes: Mapping[int, str]) -> tuple[float, str]:
    """The multiple of a unit whose prefix leaves one to three digits in front of the point, with its number."""
    power = min(max(_thousands(number), min(prefixes)), max(prefixes))
    if not prefixes[power]:
        return number, name + suffix
    return float(f"{number / 10.0**power:.15g}"), prefixes[power] + _SPELLED.get(name, name) + suffix


def _thousands(number: float) -> int:
    """The power of ten of the multiple that a number calls for: the largest thousand up to its size.

    >>> _thousands(999.9), _thousands(1000.0), _thousands(-0.02)
    (0, 3, -3)
    """
    return int(f"{number:.14e}".partition("e")[2]) // 3 * 3


def in_multiples(number: float, unit: str) -> tuple[float, str]:
    """A number and its unit as a multiple for reports: between 1 and 1000 where the unit has prefixes.

    Whole numbers below 100,000 stay, and so do prefixes that people chose, while the number is between 1 and 1000.
    Where only a divisor has multiples, as in prices, it takes the prefix.

    >>> in_multiples(3.79e7, "EFLOP"), in_multiples(8192.0, "byte/token"), in_multiples(4.81e-11, "USD/byte/h")
    ((37.9, 'YFLOP'), (8192.0, 'byte/token'), (48.1, 'USD/TB/h'))
    """
    head = _FIRST_NAME.match(unit)
    if head is None or not number or not math.isfinite(number) or (abs(number) < 1e5 and is_whole(number)):
        return number, unit
    suffix = unit[head.end() :]
    power, name = _split_prefix(head[0])
    long = 1e5 if name in _COUNTED and not power else 1e3
    if name in _MULTIPLES and not 1 <= abs(number) < long:
        bare = float(f"{number * 10.0**power:.15g}")
        scaled, scaled_unit = _multiple(bare, name, suffix, _MULTIPLES[name])
        if scaled_unit != name + suffix or 1 <= abs(bare) < long:
            number, unit = scaled, scaled_unit
    if power or abs(number) >= 1e-3:
        return number, unit
    return _multiple_of_divisor(number, unit.removesuffix(suffix), suffix) or (number, unit)


def _multiple_of_divisor(number: float, dividend: str, suffix: str) -> tuple[float, str] | None:
    """The multiple of a quotient whose divisor takes the prefix, as in `USD/Mtoken`; None if it cannot."""
    divisor = re.match(r"/(byte|token|parameter|FLOP)(?=/|$)", suffix)
    power = -_thousands(number)
    if divisor is None or power not in _LARGE:
        return None
    prefix = _LARGE[power] + _SPELLED.get(divisor[1], divisor[1])
    return float(f"{number * 10.0**power:.15g}"), f"{dividend}/{prefix}{suffix[divisor.end() :]}"


def _split_prefix(spelled: str) -> tuple[int, str]:
    """The power of ten of a unit's prefix, and the unit without it; 0 and the whole if it has no multiples."""
    name = _OTHER_NAMES.get(spelled, spelled)
    if name in _MULTIPLES:
        return 0, name
    for length in (1, 2):
        name = _OTHER_NAMES.get(spelled[length:], spelled[length:])
        if name in _MULTIPLES and spelled[:length] in _POWERS:
            return _POWERS[spelled[:length]], name
    return 0, spelled


def is_whole(number: float) -> bool:
    """Whether a number is whole to twelve digits, so that no multiple of its unit is wanted."""
    return math.isfinite(number) and float(f"{number:.12g}").is_integer()
