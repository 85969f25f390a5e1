"""Numbers that know the rational which they round.

What people write is a decimal, and 2.7 is 27/10, which no double is: 2.7/0.45 is 6, in doubles a little more, and
rounded up it would be 7. So a number that was written keeps its rational beside the double that is nearest to it.
Arithmetic that finds the rational in all its numbers computes with it, and rounds once; all other arithmetic sees an
ordinary float.
"""

from __future__ import annotations

import math
import numbers
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

__all__ = [
    "Rational",
    "as_number",
    "exact_of",
    "is_printed",
    "nearest",
    "read_decimal",
    "rounded_up",
    "text_of",
    "written",
]

_DECIMALS = 15  # digits of a decimal that every double holds
_ALL_DIGITS = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX)
_EQUAL = float.__eq__


class Rational(float):
    """The double nearest to a rational number, and that number.

    Two of them compare as rationals. Beside any other number each is its double: 2.7 as it was typed is the float 2.7.

    >>> third = Rational(Fraction(1, 3))
    >>> third, third.exact, 3*third
    (0.3333333333333333, Fraction(1, 3), 1.0)
    >>> typed, beside = Rational(Fraction("2.7")), Rational(Fraction("2.70000000000000000001"))
    >>> typed < beside, typed == 2.7, beside == 2.7
    (True, True, True)
    """

    __slots__ = ("exact",)

    exact: Fraction

    def __new__(cls, exact: Fraction) -> Rational:
        number = super().__new__(cls, exact)
        number.exact = exact
        return number

    def __eq__(self, other: object) -> bool:
        is_equal = _EQUAL(self, other)
        return self.exact == other.exact if is_equal is True and isinstance(other, Rational) else is_equal

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: float) -> bool:
        if isinstance(other, Rational) and _EQUAL(self, other):
            return self.exact < other.exact
        return float.__lt__(self, other)

    def __le__(self, other: float) -> bool:
        if isinstance(other, Rational) and _EQUAL(self, other):
            return self.exact <= other.exact
        return float.__le__(self, other)

    def __gt__(self, other: float) -> bool:
        if isinstance(other, Rational) and _EQUAL(self, other):
            return self.exact > other.exact
        return float.__gt__(self, other)

    def __ge__(self, other: float) -> bool:
        if isinstance(other, Rational) and _EQUAL(self, other):
            return self.exact >= other.exact
        return float.__ge__(self, other)

    __hash__ = float.__hash__

    def __reduce__(self) -> tuple[type[Rational], tuple[Fraction]]:
        return Rational, (self.exact,)


def nearest(exact: Fraction) -> float:
    """The double nearest to a rational number, which it keeps; infinite beyond all doubles."""
    try:
        return Rational(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def exact_of(number: float) -> Fraction | None:
    """The rational that a number rounds; None if that is not known."""
    return number.exact if isinstance(number, Rational) else None


def read_decimal(text: str) -> float:
    """The rational that a decimal spells, with all its digits; zero or infinite where it is beyond all doubles.

    Sixteen or seventeen digits with which a double prints are a number that was computed, and is not known better than
    that double: typed again, 0.1 + 0.2 is still what it was. Digits that are the double itself are exact.

    >>> exact_of(read_decimal("0.100000000000000000001")), read_decimal("1e999999999")
    (Fraction(100000000000000000001, 1000000000000000000000), inf)
    >>> exact_of(read_decimal("0.30000000000000004")), exact_of(read_decimal("0.30000000000000005"))
    (None, Fraction(6000000000000001, 20000000000000000))
    """
    number = float(text)
    if not math.isfinite(number):
        return number
    if number == 0:  # whatever its exponent, which may be too large to be written out
        return Rational(Fraction(0))
    exact = Fraction(Decimal(text))  # in half the time of Fraction(text)
    return number if is_printed(exact) else Rational(exact)


def is_printed(exact: Fraction) -> bool:
    """Whether a rational has the sixteen or seventeen digits with which a double prints that was computed.

    >>> is_printed(Fraction("0.30000000000000004")), is_printed(Fraction("0.3")), is_printed(Fraction(10) ** 400)
    (True, False, False)
    >>> is_printed(Fraction("1000000000000000.5"))  # which a double is
    False
    """
    try:
        number = float(exact)
    except OverflowError:
        return False
    has_few_digits = float(f"{number:.{_DECIMALS}g}") == number
    return not has_few_digits and Fraction(number) != exact and Fraction(repr(number)) == exact


def as_number(given: Any) -> float:
    """A number of any type, also NumPy's or sympy's, as a double that knows the rational which it rounds.

    >>> from decimal import Decimal
    >>> exact_of(as_number(2**53 + 1)), exact_of(as_number(Decimal("2.70000000000000000001"))) > Fraction("2.7")
    (Fraction(9007199254740993, 1), True)
    >>> as_number(Decimal("1e-400"))
    Traceback (most recent call last):
        ...
    OverflowError: the number is beyond all doubles
    """
    if isinstance(given, numbers.Rational):
        number = nearest(Fraction(int(given.numerator), int(given.denominator)))
    elif isinstance(given, Decimal):
        number = read_decimal(str(given))
    else:
        number = given if isinstance(given, Rational) else written(float(given))
    is_too_large = math.isinf(number) and -math.inf < given < math.inf
    if is_too_large or (number == 0 and given != 0):
        raise OverflowError("the number is beyond all doubles")
    return number


def written(number: float) -> float:
    """A float with the rational of the decimal as which it was written.

    A computed number, such as 0.1 + 0.2, has more digits than people write, also where it is typed again. It is rounded
    already, and remains as it is.

    >>> exact_of(written(2.7)), exact_of(written(0.1 + 0.2))
    (Fraction(27, 10), None)
    """
    if isinstance(number, Rational) or not math.isfinite(number):
        return number
    shortest = f"{number:.{_DECIMALS}g}"
    if float(shortest) == number:
        return Rational(Fraction(shortest))
    exact = Fraction(number)
    return Rational(exact) if Fraction(repr(number)) == exact else number


def text_of(number: float, digits: int) -> str:
    """The text of a number: a longer decimal that knows its rational has all its digits, any other this many.

    >>> text_of(read_decimal("2.70000000000000000001"), 12), text_of(read_decimal("27e-25"), 12), text_of(1/3, 12)
    ('2.70000000000000000001', '2.7e-24', '0.333333333333')
    """
    shortened = f"{number:.{digits}g}"
    exact = exact_of(number)
    if exact is None or Fraction(shortened) == exact:
        return shortened
    places = _decimal_places(exact.denominator)
    if places is None:
        return shortened
    digits_alone = Decimal(exact.numerator * 10**places // exact.denominator)
    return f"{digits_alone.scaleb(-places, _ALL_DIGITS).normalize(_ALL_DIGITS):g}"


def rounded_up(number: float, digits: int) -> str:
    """A bound as text with so many digits, which is no less than the bound.

    >>> rounded_up(0.0014, 1), rounded_up(0.002, 1), rounded_up(1.4e-9, 1), rounded_up(0.0, 1)
    ('0.002', '0.002', '2e-09', '0')
    """
    shown = f"{number:.{digits}g}"
    if float(shown) >= number:
        return shown
    above = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(number))
    return f"{float(above):.{digits}g}"  # a decimal itself is written in another way: 2e-9


def _decimal_places(denominator: int) -> int | None:
    """How many decimal places a rational with this denominator has; None if they never end."""
    twos = (denominator & -denominator).bit_length() - 1
    odd_part, fives = denominator >> twos, 0
    while odd_part % 5 == 0:
        odd_part, fives = odd_part // 5, fives + 1
    return max(twos, fives) if odd_part == 1 else None
