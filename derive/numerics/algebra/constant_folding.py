"""Constant folding: known numbers substituted into an expression, and its constants evaluated exactly.

A float is a rational number: the decimal that it was read from, where that is short. Sums, products and integer powers
of rationals are rational: terms cancel exactly here, where doubles would leave rounding noise in which a search finds
false roots.

An irrational constant, such as log(8), is taken with many digits while constants are combined, and rounded to a double
in the end. Where a sum with such a constant cancels to all these digits, it is zero: `x*log(8) - 3*x*log(2)` is not
1e-16*x. The digits are so many that what any double leaves beside another is no such sum: 1e70 + sqrt(2) - 1e70 is
sqrt(2). In the same way a constant that is a short fraction to all these digits is that fraction, as sqrt(2)**2 and
sin(pi/6) are, so that `floor` and `acos` take it at its exact value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from derive.expressions.arithmetic import TESTS, Arithmetic, Fold, NoElement, may_lose_digits, reapplied, same
from derive.expressions.balls import Ball, many_digits
from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Name, Node, Number, applied, names_in, operations, rebuilt, walk
from derive.numerics.algebra.evaluation import in_doubles, value
from derive.numerics.algebra.exact_values import Irrational, folded_ball, no_choice
from derive.tolerances import EPSILON, EXPRESSION
from quantities.rational import exact_of

_DECIMALS = 14  # digits of a number that was hardly rounded: a double keeps fifteen
_LONGEST = 6000  # bits of a fraction, beyond which a constant is rounded to a double
_STEEPEST = 64  # limit on whole exponents that are evaluated exactly
_UNDOING = {"exp": "log", "log": "exp"}  # each with the function whose value it takes back
_DIGITS = 1200  # bits to which an irrational constant is folded
_LOST_DIGITS = 40  # limit on those that its own function may lose
_KNOWN_DIGITS = 1100  # bits of a folded constant that are right, after operations that have lost some
_SAME_BITS = 1050  # a sum of irrational constants that cancels to these is zero; beside 1e300 a one is left at 2**-997
SAME_CONSTANT = Fraction(1, 1 << _SAME_BITS)  # the share of irrational constants up to which their rest is zero
_LONGEST_SHORT = 1 << 200  # limit on the numerator or the denominator of a fraction that a constant turns out to be
_BY_CHANCE = 1 << 100  # limit on quotients in the continued fraction of a constant that is no short one
_LONGEST_WRITTEN = 160  # limit on bits of a numerator, above which it may be that of a folded irrational constant
_LEAST_TWOS = 100  # limit on bits of its denominator, below which it may be a long number that is typed


def folded(node: Node, known: Mapping[str, float]) -> Node:
    """Fold constants: put known numbers into an expression and evaluate all its constant parts exactly.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(folded(parse_expression("(1e30 + b*x) - 1e30"), {"b": 2.0}))
    '2*x'
    """
    return with_doubles(folded_in_many_digits(node, known))


def folded_in_many_digits(node: Node, known: Mapping[str, float]) -> Node:
    """Fold constants as `folded` does, and leave irrational ones all digits with which they are combined."""

    def named(name: str) -> Node:
        number = known.get(name)
        return Name(name) if number is None or not math.isfinite(number) else Number(stated(number))

    result: Node = _FOLDED.fold(node, named)
    return result


def with_precise_constants(node: Node) -> Node:
    """An expression in which constants are folded with many digits where doubles lose some, since terms cancel.

    >>> from derive.expressions.grammar import parse_expression
    >>> value(with_precise_constants(parse_expression("y*(log(8) - 3.000000000001*log(2))")), {"y": 1e12})
    -0.6931471805599453
    """

    def precise(part: Node) -> Node | None:
        if not isinstance(part, Apply):
            return None
        if part.names:
            return _FOLDED.fold(part, Name) if part.op == "add" and _cancels(part) else None
        return _precise_constant(part) or part

    return rebuilt(node, precise)


def _cancels(total: Apply) -> bool:
    """Whether a sum's constants have to be folded with many digits: like terms cancel so far that doubles lose some."""
    shares: dict[Node, list[Fraction]] = {}
    counts = Counter(frozenset(names_in(term)) for term in total.args)
    for term in total.args:
        if counts[frozenset(names_in(term))] == 1:
            continue  # like terms have the same names
        share, rest = _shared(_FOLDED.fold(term, Name))
        shares.setdefault(rest, []).append(share)
    for numbers in shares.values():
        factor = sum(numbers, Fraction(0))
        if factor and abs(factor) * Fraction(EXPRESSION) < max(map(abs, numbers)) * Fraction(EPSILON):
            return True  # a factor of zero has to keep its terms, which may be undefined
    return False


def _precise_constant(constant: Apply) -> Number | None:
    """A constant folded with many digits; None if arithmetic in doubles loses none of them, or it is no number."""
    if not any(map(may_lose_digits, operations(constant))):
        return None
    number = _FOLDED.fold(constant, Name)
    if not isinstance(number, Number):
        return None
    return None if abs(in_doubles(constant) - number.real) <= EXPRESSION * abs(number.real) else number


def with_doubles(node: Node) -> Node:
    """What constant folding leaves of an expression in the end, with irrational constants rounded to doubles."""

    def rounded(part: Node) -> Node | None:
        if isinstance(part, Number) and is_irrational(part.value):
            return _double(part.value)
        return None

    is_long = any(isinstance(part, Number) and is_irrational(part.value) for part in walk(node))
    return rebuilt(node, rounded) if is_long else node


def stated(number: float) -> Fraction:
    """The rational that a double stands for in constant folding: known for it, a decimal of fourteen digits, or itself.

    An irrational number is one of many digits, as other irrational constants are.

    >>> stated(8.38), stated(0.1 + 0.2) == Fraction(0.1 + 0.2)
    (Fraction(419, 50), True)
    """
    exact = exact_of(number)
    if exact is not None:
        return exact
    if isinstance(number, Irrational):
        with many_digits(_DIGITS):
            ball = number.ball
            if ball.rel_accuracy_bits() >= _KNOWN_DIGITS:
                return as_short_fraction(_fraction_of(ball))
    return Fraction(repr(float(number))) if is_decimal(number) else Fraction(number)


def is_decimal(number: float) -> bool:
    """Whether constant folding takes a double for a short decimal that was written, and not for a computed number."""
    return exact_of(number) is not None or float(f"{number:.{_DECIMALS - 1}e}") == number


def _sum(*args: Node) -> Node:
    """Fold a sum to a flat one, with its like terms and its constants added up."""
    constants: list[Fraction] = []
    shares: dict[Node, list[Fraction]] = {}
    for arg in args:
        for term in arg.args if isinstance(arg, Apply) and arg.op == "add" else (arg,):
            if isinstance(term, Number):
                constants.append(term.value)
            else:
                share, rest = _shared(term)
                shares.setdefault(rest, []).append(share)
    total = total_of(constants)
    sums = ((rest, total_of(numbers)) for rest, numbers in shares.items())
    terms = [_product(Number(share), rest) for rest, share in sums if share or _is_undefined(rest)]
    if total:
        terms.append(_short(total))
    return applied("add", terms, Number(total))


def _is_undefined(node: Node) -> bool:
    """Whether an expression has an undefined constant part, so that folding must not cancel it."""
    constants = (part for part in operations(node) if not part.names)
    return any(math.isnan(value(part, {})) for part in constants)


def _shared(term: Node) -> tuple[Fraction, Node]:
    """A term of a sum after constant folding, as the number in front of it and the rest."""
    if isinstance(term, Number):
        return term.value, Number(Fraction(1))
    if isinstance(term, Apply) and term.op == "mul" and isinstance(term.args[0], Number):
        return term.args[0].value, applied("mul", term.args[1:], term)
    return Fraction(1), term


def _product(*args: Node) -> Node:
    """Fold a product to a flat one, its constants multiplied; a zero stays a factor, as the others may be undefined."""
    others: list[Node] = []
    factor, irrational = Fraction(1), 0
    for arg in args:
        for part in arg.args if isinstance(arg, Apply) and arg.op == "mul" else (arg,):
            if isinstance(part, Number):
                factor *= part.value
                irrational += is_irrational(part.value)
            else:
                others.append(part)
    constant = _short(as_short_fraction(factor) if irrational > 1 else factor)
    return applied("mul", others if factor == 1 else [constant, *others], constant)


def _negated(arg: Node) -> Node:
    """Constant folding of a negative: the sign goes into the number, the terms or the factors of what is folded."""
    if isinstance(arg, Number):
        return Number(-arg.value)
    if isinstance(arg, Apply) and arg.op == "add":
        return Apply("add", tuple(_negated(term) for term in arg.args))
    return _product(Number(Fraction(-1)), arg)


def _constant(node: Apply, fold: Fold) -> Node:
    """Fold any other operation: it becomes a number if it is one of numbers.

    One that undoes another is undone with it, since the other's value is rounded: exp(log(8)) is 8.
    """
    undone = node.args[0] if node.op in _UNDOING else None
    if isinstance(undone, Apply) and undone.op == _UNDOING[node.op]:
        number = fold(undone.args[0])
        if isinstance(number, Number) and (undone.op != "log" or number.value > 0):
            return number
    applied_node = reapplied(node, fold)
    numbers = [arg.value for arg in applied_node.args if isinstance(arg, Number)]
    is_constant = bool(numbers) or node.op == "pi"
    if not is_constant or len(numbers) < len(applied_node.args):
        return applied_node
    is_exact = bool(numbers) and numbers[0] != 0 and not is_irrational(numbers[0])
    if node.op == "inv" and is_exact:
        return _short(1 / numbers[0])
    if node.op == "pow" and is_exact and numbers[1].denominator == 1 and abs(numbers[1]) <= _STEEPEST:
        return _short(numbers[0] ** numbers[1].numerator)
    if node.op in ("max", "min"):
        return Number(max(numbers) if node.op == "max" else min(numbers))
    entry = TABLE.get(node.op)
    if entry is not None and entry.rational:
        return Number(entry.rational(numbers[0]))
    rounded = value(applied_node, {})
    if not math.isfinite(rounded):
        return applied_node
    precise = in_many_digits(applied_node)
    return Number(Fraction(rounded) if precise is None else precise)


_FOLDED: Arithmetic[Node] = Arithmetic(
    same, {"add": _sum, "mul": _product, "neg": _negated}, dict.fromkeys(TESTS, reapplied), otherwise=_constant
)


def _short(number: Fraction) -> Number:
    """A folded constant, rounded to a double if its fraction is too long; an irrational one keeps its digits."""
    if number.numerator.bit_length() + number.denominator.bit_length() <= _LONGEST:
        return Number(number)
    if is_irrational(number):
        return Number(to_digits(number))
    return _double(number)


def _double(number: Fraction) -> Number:
    """A folded constant rounded to a double; one beyond all doubles as it is."""
    try:
        return Number(Fraction(float(number)))
    except OverflowError:
        return Number(number)


# Irrational constants


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
                ball = folded_ball(operation, balls, {}, no_choice)
            except NoElement:
                return None
            if not ball.is_finite():
                return None
            if balls and ball.contains(0) and ball.rad() * 2**_SAME_BITS < 1:
                return Fraction(0)
            if ball.rel_accuracy_bits() < sure:
                continue
            number = _fraction_of(ball)
        return as_short_fraction(number if working == _DIGITS else to_digits(number))
    return None


def _fraction_of(ball: Ball) -> Fraction:
    """The midpoint of the ball around an irrational constant."""
    mantissa, exponent = map(int, ball.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def to_digits(number: Fraction) -> Fraction:
    """An irrational constant that a product has made longer than its digits are, without those beyond them."""
    size = number.numerator.bit_length() - number.denominator.bit_length()
    twos = Fraction(2) ** (_DIGITS - size)
    return round(number * twos) / twos
