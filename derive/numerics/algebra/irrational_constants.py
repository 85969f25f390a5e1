"""Irrational constants while constants are folded: fractions with many digits, and an exact value where they have one.

An irrational constant, such as log(8), is taken with many digits while constants are combined, and rounded to a double
in the end. Where a sum with such a constant cancels to all these digits, it is zero: `x*log(8) - 3*x*log(2)` is not
1e-16*x. The digits are so many that what any double leaves beside another is no such sum: 1e70 + sqrt(2) - 1e70 is
sqrt(2). In the same way a constant that is a short fraction to all these digits is that fraction, as sqrt(2)**2 and
sin(pi/6) are, so that `floor` and `acos` take it at its exact value.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from derive.expressions.arithmetic import NoElement
from derive.expressions.balls import Ball, many_digits
from derive.expressions.tree import Apply, Name, Node, Number
from derive.numerics.algebra.exact_values import folded_ball

_DIGITS = 1200  # bits to which an irrational constant is folded
_LOST_DIGITS = 40  # limit on those that its own function may lose
_KNOWN_DIGITS = 1100  # bits of a folded constant that are right, after operations that have lost some
_SAME_BITS = 1050  # a sum of irrational constants that cancels to these is zero; beside 1e300 a one is left at 2**-997
SAME_CONSTANT = Fraction(1, 1 << _SAME_BITS)  # the share of irrational constants up to which their rest is zero
_LONGEST_SHORT = 1 << 200  # limit on the numerator or the denominator of a fraction that a constant turns out to be
_BY_CHANCE = 1 << 100  # limit on quotients in the continued fraction of a constant that is no short one
_LONGEST_WRITTEN = 160  # limit on bits of a numerator, above which it may be that of a folded irrational constant
_LEAST_TWOS = 100  # limit on bits of its denominator, below which it may be a long number that is typed


def is_irrational(number: Fraction) -> bool:
    """Whether a constant was folded from an irrational one: it has many digits, and a power of two below them.

    What is typed has as many fives as twos there, and a double has few digits.
    """
    denominator = number.denominator
    twos = (denominator & -denominator).bit_length() - 1
    return number.numerator.bit_length() > _LONGEST_WRITTEN and 2 * twos > max(denominator.bit_length(), _LEAST_TWOS)


def total_of(numbers: Sequence[Fraction]) -> Fraction:
    """The sum of constants; zero where irrational ones cancel to all digits that they are folded with."""
    total = sum(numbers, Fraction(0))
    irrational = sum(map(is_irrational, numbers))
    if not total or not irrational:
        return total
    if abs(total) <= max(map(abs, numbers)) / (1 << _SAME_BITS):
        return Fraction(0)
    return as_short_fraction(total) if irrational > 1 else total


@lru_cache(maxsize=512)
def as_short_fraction(number: Fraction) -> Fraction:
    """The short fraction that a constant made of irrational ones is to all its digits; any other as it is.

    >>> as_short_fraction(Fraction(1, 3) + Fraction(1, 1 << 1190))
    Fraction(1, 3)
    """
    if not is_irrational(number):
        return number
    size, below = abs(number).as_integer_ratio()
    (p, last_p), (q, last_q) = (1, 0), (0, 1)  # a convergent of the continued fraction, and the one before it
    while below and min(p, q) < _LONGEST_SHORT:
        quotient, rest = divmod(size, below)
        if quotient > _BY_CHANCE and p * q * quotient >= 1 << _SAME_BITS:
            return Fraction(p, q) if number > 0 else -Fraction(p, q)
        p, last_p = quotient * p + last_p, p
        q, last_q = quotient * q + last_q, q
        size, below = below, rest
    return number


def in_many_digits(node: Apply) -> Fraction | None:
    """An irrational constant as a fraction with many digits, or the exact value that it has, as sqrt(1e70); else None.

    Irrational arguments are known to a part of their digits: sin(pi) is zero, and asin(1) is not what is next to it.
    """
    from flint import arb

    balls: dict[str, Ball] = {}

    def with_ball(arg: Node) -> Node:
        """An argument, or a name in the place of an irrational one."""
        if not isinstance(arg, Number) or not is_irrational(arg.value):
            return arg
        name = Name(f"{len(balls)}")
        middle = arb(arg.value.numerator) / arg.value.denominator
        balls[name.name] = arb(middle, abs(middle) / 2**_KNOWN_DIGITS)
        return name

    with many_digits(_DIGITS):
        operation = Apply(node.op, tuple(map(with_ball, node.args)))
    sure = (_KNOWN_DIGITS if balls else _DIGITS) - _LOST_DIGITS
    for working in (_DIGITS,) if balls else (_DIGITS, 2 * _DIGITS):  # exact arguments are known to any digits
        with many_digits(working):
            try:
                ball = folded_ball(operation, balls, {}, _no_choice)
            except NoElement:
                return None
            if not ball.is_finite():
                return None
            if balls and ball.contains(0) and ball.rad() * 2**_SAME_BITS < 1:
                return Fraction(0)
            if ball.rel_accuracy_bits() < sure:
                continue
            mantissa, exponent = map(int, ball.mid().man_exp())
        number = Fraction(mantissa) * Fraction(2) ** exponent
        return as_short_fraction(number if working == _DIGITS else to_digits(number))
    return None


def _no_choice(*_: object) -> None:
    """None, as an irrational constant contains no choice whose arm would have to be taken."""


def to_digits(number: Fraction) -> Fraction:
    """An irrational constant that a product has made longer than its digits are, without those beyond them."""
    size = number.numerator.bit_length() - number.denominator.bit_length()
    twos = Fraction(2) ** (_DIGITS - size)
    return round(number * twos) / twos
