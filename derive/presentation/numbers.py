"""Numbers as people read them: from base units to a unit, as a pint Quantity or as text with so many digits.

They are written in Python's own format, and not in that of a locale: the text reads back as the same number everywhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from derive.expressions.tree import Apply, Name, Node, Number, names_in, render, with_forms
from derive.presentation.multiples import in_multiples, is_whole, with_prefix
from quantities.rational import text_of
from quantities.units import Unit

if TYPE_CHECKING:
    from quantities.declaration import Declaration

DIGITS = 6
"""Digits of a result by default."""

STATED = 12
"""Digits that show a number as it was stated, unless it is a longer decimal."""

_ALL_DIGITS = 15
"""Digits that every double holds."""

REPORTED = 4
"""Digits of a number in a report, at most; a whole number below a million is written out."""

_AMOUNT = re.compile(
    r"(?<![\w.:@/-])(?<!arXiv )(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w:@-]|\.\d)(?: ([A-Za-z][\w*/^]*+)(?! \*))?"
)


def in_unit(base: float, unit: Unit) -> Any:
    """The pint Quantity of a number in base units, in a unit."""
    from quantities.registry import quantity

    return quantity(unit.from_base(base), unit)


def reported_digits(number: float, digits: int = REPORTED) -> int:
    """The digits that a report shows of a number: all of a whole one below a million, otherwise at most four.

    >>> reported_digits(129280.0), reported_digits(12685.7142857, 12), reported_digits(0.5, 3)
    (6, 4, 3)
    """
    return 6 if abs(number) < 1e6 and is_whole(number) else min(digits, REPORTED)


def with_short_numbers(text: str) -> str:
    """The text of a report with its long numbers, and those with a power of ten, shortened.

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


def unit_text(unit: Unit) -> str:
    """The text of the unit behind a number; empty for a plain number, however its unit was spelled."""
    return "" if unit.text in ("1", "dimensionless") else unit.text


def rounded_text(number: float, digits: int, long: float) -> str:
    """The text of a number with so many digits, and without an exponent below `long`.

    >>> rounded_text(12685.7, 4, 1e6), rounded_text(3.2e9, 4, 1e6)
    ('12690', '3.2e+09')
    """
    short = f"{number:.{digits}g}"
    return f"{float(short):.{max(digits, 10)}g}" if abs(number) < long else short


def percentage(share: float, digits: int = 3) -> str:
    """The text of a share as a percentage, which is 100 % only where it is the whole.

    >>> percentage(0.125), percentage(0.99999), percentage(1.0), percentage(1e-5)
    ('12.5 %', '99.999 %', '100 %', '0.001 %')
    """
    shown = f"{100 * share:.{digits}g}"
    while float(shown) == 100 and share != 1 and digits < STATED:
        digits += 1
        shown = f"{100 * share:.{digits}g}"
    return f"{shown} %"


def customary(base: float, unit: Unit, digits: int = 4) -> str:
    """The text of a number in base units as people write it: in a unit, with a prefix that leaves few digits.

    >>> from quantities.spelling import parse_unit
    >>> customary(1.634e12, parse_unit("byte"))
    '1.634 TB'
    """
    number, text = with_prefix(unit.from_base(base), unit_text(unit))
    return with_unit(f"{number:.{digits}g}", text)


def shown_number(base: float, unit: Unit, digits: int = DIGITS) -> str:
    """The text of a number in base units, in a unit.

    >>> from quantities.spelling import parse_unit
    >>> shown_number(0.0151, parse_unit("ms")), shown_number(-0.0, parse_unit("ms"))
    ('15.1 ms', '0 ms')
    """
    return with_unit(f"{unit.from_base(base) + 0.0:.{digits}g}", unit_text(unit))  # not -0


def shown_choice(base: float, quantity: Declaration, digits: int = DIGITS) -> str:
    """The text of a number that may be chosen for a quantity: a whole count in full, since rounded it is another.

    >>> from quantities.declaration import Declaration
    >>> shown_choice(1234567.0, Declaration("batch", "sequence", domain="whole"))
    '1234567 sequence'
    """
    is_count = quantity.is_count and quantity.domain.is_whole(base)
    return shown_number(base, quantity.unit, max(digits, _ALL_DIGITS) if is_count else digits)


def told_apart(texts: Callable[[int], Sequence[str]], digits: int = DIGITS) -> Sequence[str]:
    """The texts of numbers with the fewest digits, from `digits` on, that tell each from the others, if any do.

    >>> told_apart(lambda digits: [f"{x:.{digits}g}" for x in (1.0, 1.00000001)])
    ['1', '1.00000001']
    """
    shown = texts(digits)
    trials = (texts(more) for more in range(digits, _ALL_DIGITS + 1))
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
    """The text of a formula with a number and its unit in place of each name; exact numbers have all their digits.

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
        return Name(f"({text} {unit})") if unit_text(unit) else _literal(text)

    return render(with_forms(form, {name: shown(name) for name in names_in(form) if name in worth}))


def _literal(shown: str) -> Node:
    """The expression of a printed number, so that a negative one gets brackets where a power follows."""
    try:
        size = Number(Fraction(shown.removeprefix("-")), shown.removeprefix("-"))
    except ValueError:  # it is not finite
        return Name(shown)
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
