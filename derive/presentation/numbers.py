"""Numbers as people read them: from base units to a unit, as a pint Quantity or as text with so many digits.

They are written in Python's own format, and not in that of a locale: the text reads back as the same number everywhere.
A unit takes a prefix such as kilo or mega where that leaves few digits in front of the point.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Any

from derive.errors import ExpressionError
from derive.expressions.tree import Apply, Name, Node, Number, names_in, render, with_forms
from quantities.rational import text_of, written
from quantities.units import Unit

if TYPE_CHECKING:
    from quantities.declaration import Declaration
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

_MOST_DIGITS = 17  # which tell each double from all others


def prove_digits(digits: Any) -> None:
    """Refuse a number of digits to which no number is shown."""
    if digits is None:
        return
    is_whole = isinstance(digits, Integral) and not isinstance(digits, bool)  # of Python or NumPy
    if not is_whole or not 1 <= digits <= _MOST_DIGITS:
        hint = f"Give a whole number from 1 to {_MOST_DIGITS}."
        raise ExpressionError(f"digits = {digits!r} is not allowed.", hint=hint, text=repr(digits))


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
    """A number and its unit as a multiple that people read easily: between 1 and 1000 where the unit has prefixes.

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
    """A number with the prefix in its unit's divisor where that reads better, as in `USD/Mtoken`; else None."""
    divisor = re.match(r"/(byte|token|parameter|FLOP)(?=/|$)", suffix)
    power = -_thousands(number)
    if divisor is None or power not in _LARGE:
        return None
    prefix = _LARGE[power] + _SPELLED.get(divisor[1], divisor[1])
    return float(f"{number * 10.0**power:.15g}"), f"{dividend}/{prefix}{suffix[divisor.end() :]}"


def _split_prefix(spelled: str) -> tuple[int, str]:
    """The power of ten of a prefix before a number's unit, and the unit alone; 0 and the whole without multiples."""
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


DIGITS = 6
"""Digits of a result by default."""

STATED = 12
"""Digits that show a number as it was stated, unless it is a longer decimal."""

ALL_DIGITS = 15
"""Digits that every double holds."""

REPORTED = 4
"""Digits of a number in a report, at most; a whole number below a million is written out."""

_AMOUNT = re.compile(
    r"(?<![\w.:@/-])(?<!arXiv )(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w:@-]|\.\d)(?: ([A-Za-z][\w*/^]*+)(?! \*))?"
)


def in_unit(base: float, unit: Unit) -> Any:
    """A number in base units as people read it, converted by its decimals: a pint Quantity in its unit."""
    from quantities.registry import quantity

    return quantity(unit.from_base(written(base)), unit)


def reported_digits(number: float, digits: int = REPORTED) -> int:
    """The digits to show of a number in a report: all of a whole one below a million, otherwise at most four.

    >>> reported_digits(129280.0), reported_digits(12685.7142857, 12), reported_digits(0.5, 3)
    (6, 4, 3)
    """
    return 6 if abs(number) < 1e6 and is_whole(number) else min(digits, REPORTED)


def with_short_numbers(text: str) -> str:
    """A text with its long numbers, and those with a power of ten, shortened as people read them.

    >>> with_short_numbers("compute = 3.8e+25 FLOP (arXiv 2407.21783), 3.084e+07 h*chip, 0.333333333333 of 2024")
    'compute = 38 YFLOP (arXiv 2407.21783), 30840000 h*chip, 0.3333 of 2024'
    """

    def shorter(match: re.Match[str]) -> str:
        significant = match[1].replace(".", "").strip("0")
        if "e" not in match[1] and len(significant) < DIGITS and len(match[1]) < DIGITS + 2:
            return match[0]
        number, unit = in_multiples(float(match[1]), match[2] or "")
        return with_unit(rounded_text(number, reported_digits(number), 1e9), unit)

    return _AMOUNT.sub(shorter, text)


def with_unit(shown: str, unit: str) -> str:
    """The text of a number with its unit behind it, if it has one.

    >>> with_unit("15.1", "ms"), with_unit("3", "1")
    ('15.1 ms', '3')
    """
    return shown if unit in ("", "1") else f"{shown} {unit}"


def range_text(low: float, high: float, unit: str, digits: int = DIGITS) -> str:
    """The text of a range of numbers as a user types it: `16..64 sequence`."""
    return with_unit(f"{low:.{digits}g}..{high:.{digits}g}", unit)


def heading_with_unit(name: str, unit: str) -> str:
    """The heading of a column or axis of numbers, with their unit: `batch [sequence]`."""
    return name if unit in ("", "1") else f"{name} [{unit}]"


def rounded_text(number: float, digits: int, long: float) -> str:
    """The text of a number with so many digits, and without an exponent below `long`.

    >>> rounded_text(12685.7, 4, 1e6), rounded_text(3.2e9, 4, 1e6)
    ('12690', '3.2e+09')
    """
    short = f"{number:.{digits}g}"
    return f"{float(short):.{max(digits, 10)}g}" if abs(number) < long else short


def percentage(share: float) -> str:
    """The text of a share as a percentage, which is 100 % only where it is the whole.

    >>> percentage(0.125), percentage(0.99999), percentage(1.0), percentage(1e-5)
    ('12.5 %', '99.999 %', '100 %', '0.001 %')
    """
    digits = 3
    shown = f"{100 * share:.{digits}g}"
    # This ends: no double beside one is 100 after it is multiplied by 100, and seventeen digits tell it from 100.
    while float(shown) == 100 and share != 1:
        digits += 1
        shown = f"{100 * share:.{digits}g}"
    return f"{shown} %"


def customary(base: float, unit: Unit, digits: int = 4) -> str:
    """The text of a number in base units as people write it: in a unit, with a prefix that leaves few digits.

    >>> from quantities.spelling import parse_unit
    >>> customary(1.634e12, parse_unit("byte"))
    '1.634 TB'
    """
    number, text = with_prefix(unit.from_base(base), unit.shown)
    return with_unit(f"{number:.{digits}g}", text)


def shown_number(base: float, unit: Unit, digits: int = DIGITS) -> str:
    """The text of a number in base units, in a unit.

    >>> from quantities.spelling import parse_unit
    >>> shown_number(0.0151, parse_unit("ms")), shown_number(-0.0, parse_unit("ms"))
    ('15.1 ms', '0 ms')
    """
    return with_unit(f"{unit.from_base(base) + 0.0:.{digits}g}", unit.shown)  # not -0


def shown_choice(base: float, quantity: Declaration, digits: int = DIGITS) -> str:
    """A number as text with so many digits; a whole count that may be chosen is in full, since rounded it is another.

    >>> from quantities.declaration import Declaration
    >>> shown_choice(1234567.0, Declaration("batch", "sequence", domain="whole"))
    '1234567 sequence'
    """
    is_count = quantity.is_count and quantity.domain.is_whole(base)
    return shown_number(base, quantity.unit, max(digits, ALL_DIGITS) if is_count else digits)


def told_apart(texts: Callable[[int], Sequence[str]], digits: int = DIGITS) -> Sequence[str]:
    """The texts of numbers with the fewest digits, from `digits` on, that tell each from the others, if any do.

    >>> told_apart(lambda digits: [f"{x:.{digits}g}" for x in (1.0, 1.00000001)])
    ['1', '1.00000001']
    """
    shown = texts(digits)
    trials = (texts(more) for more in range(digits, ALL_DIGITS + 1))
    return next((trial for trial in trials if len(set(trial)) == len(trial)), shown)


def shown_result(result: tuple[float, float], unit: Unit, digits: int = DIGITS) -> str:
    """The text of a result in base units: a number, or an interval in words.

    >>> from quantities.spelling import parse_unit
    >>> shown_result((2.0, 2.0), parse_unit("m")), shown_result((2.0, 3.0), parse_unit("m"))
    ('2 m', 'between 2 m and 3 m')
    """
    low, high = result
    return shown_number(low, unit, digits) if low == high else shown_span(low, high, unit, digits)


def filled(form: Node, worth: Mapping[str, tuple[float, Unit]], exact: Set[str], digits: int = DIGITS) -> str:
    """A formula as text with numbers as people read them in place of names; exact ones have all their digits.

    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.spelling import parse_unit
    >>> filled(parse_expression("distance/2"), {"distance": (10/3, parse_unit("m"))}, set())
    '(3.33333 m)/2'
    >>> filled(parse_expression("x**2 - x"), {"x": (-0.5, parse_unit("1"))}, set())
    '(-0.5)**2 - (-0.5)'
    """

    def shown(name: str) -> Node:
        number, unit = worth[name]
        text = text_of(number, max(STATED, digits)) if name in exact else f"{number:.{digits}g}"
        return Name(f"({text} {unit})") if unit.shown else _literal(text)

    return render(with_forms(form, {name: shown(name) for name in names_in(form) if name in worth}))


def _literal(shown: str) -> Node:
    """A number's text as an expression of it, so that a negative one gets brackets where a power follows."""
    size = Number(Fraction(shown.removeprefix("-")), shown.removeprefix("-"))
    return Apply("neg", (size,)) if shown.startswith("-") else size


def shown_span(low: float, high: float, unit: Unit, digits: int = DIGITS) -> str:
    """The text of an interval of numbers in base units, such as `at least 1 s`; an infinite end is left out.

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
