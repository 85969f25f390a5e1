"""Numbers that know the rational which they round.

What people write is a decimal, and 2.7 is 27/10, which no double is: 2.7/0.45 is 6, in doubles a little more, and
rounded up it would be 7. So a number that was written keeps its rational beside the double that is nearest to it.
Arithmetic that finds the rational in all its numbers computes with it, and rounds once; all other arithmetic sees an
ordinary float.
"""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["Rational", "exact_of", "nearest", "written"]

_DECIMALS = 15  # digits of a decimal that every double holds


class Rational(float):
    """The double nearest to a rational number, and that number.

    >>> third = Rational(Fraction(1, 3))
    >>> third, third.exact, 3*third
    (0.3333333333333333, Fraction(1, 3), 1.0)
    """

    __slots__ = ("exact",)

    exact: Fraction

    def __new__(cls, exact: Fraction) -> Rational:
        made = super().__new__(cls, exact)
        made.exact = exact
        return made

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


def written(number: float) -> float:
    """A float with the decimal as which it was written.

    A computed number, such as 0.1 + 0.2, has more digits than people write, also where it is typed again. It is rounded
    already, and remains as it is.

    >>> exact_of(written(2.7)), exact_of(written(0.1 + 0.2))
    (Fraction(27, 10), None)
    """
    if isinstance(number, Rational) or not math.isfinite(number):
        return number
    shortest = f"{number:.{_DECIMALS}g}"
    return Rational(Fraction(shortest)) if float(shortest) == number else number
