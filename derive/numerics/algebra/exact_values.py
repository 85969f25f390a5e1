"""Exact values of expressions at rational numbers: what is typed is a decimal, and 3*0.1 is 0.3.

Doubles say 0.30000000000000004, which is more than 0.3. Where a condition asks which of two numbers is larger and they
differ by rounding only, their exact values decide. They also decide whether a function is defined: `log(1 - a/b)` has
no value at two equal decimals, where doubles may leave the logarithm of 1e-16.

`order` tells which of two expressions is larger, and whether they are equal. Rationals decide, where all numbers are
known as such and both expressions are rational; elsewhere balls of growing precision do. Two sides that 2400 bits do
not tell apart are equal: this is the stated precision. A number that is not known exactly was computed, and is known to
`EXPRESSION`. What it leaves open is undecided: no further digits exist. A number that follows by a formula from exact
ones is an `Irrational`, and has all the digits that one asks for. Doubles with a bound of their error would decide in
10 microseconds instead of 20; the checks of a long answer ask 27 times.

Numbers that are not rational are computed in many digits, as FLINT's balls: a midpoint and a radius that bounds all
rounding (Johansson 2017, *Arb*).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import chain
from typing import Any

from derive.expressions.arithmetic import LOGIC, TESTS, Arithmetic, Fold, NoElement, nothing, taken
from derive.expressions.balls import BITS, MORE_BITS, Ball, many_digits, operations_on_balls, precision
from derive.expressions.functions import TABLE, Function
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in, operations, rebuilt, walk
from derive.tolerances import EXPRESSION
from quantities.rational import Rational, exact_of, is_printed, nearest

_LONGEST = 2000  # bits of a fraction beyond which it is not computed
_STEEPEST = 64  # limit on whole exponents
_DEEPEST = 40  # limit on numbers that stand on each other
Values = Mapping[str, float]

Chosen = Callable[[Apply, Values], Node | None]
"""The arm that a choice takes at some numbers; None if it takes none."""


def no_choice(choice: Apply, values: Values) -> None:
    """No arm, for expressions in which each choice was replaced by the arm that it takes."""


class Undefined(NoElement):
    """An expression has no value at these numbers: it divides by zero, exactly, or leaves a function's domain."""


def rationals(names: Iterable[str], values: Mapping[str, float]) -> dict[str, Fraction] | None:
    """The exact rationals that some given numbers stand for; None if one of them is not known."""
    exact_numbers: dict[str, Fraction] = {}
    for name in names:
        exact = exact_of(values[name]) if name in values else None
        if exact is None:
            return None
        exact_numbers[name] = exact
    return exact_numbers


class Irrational(float):
    """The double nearest to the value of an expression at numbers that are known exactly, and that expression.

    With `c = sqrt(k)` and `b = sqrt(c**2 - k)`, b is zero, of which the double for c would leave 1e-8.

    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.rational import read_decimal
    >>> root = Irrational(math.sqrt(2), parse_expression("sqrt(k)"), {"k": read_decimal("2")})
    >>> root, order(parse_expression("c**2"), parse_expression("2"), {"c": root}, no_choice).value
    (1.4142135623730951, 'equal')
    """

    __slots__ = ("_balls", "depth", "form", "known")

    form: Node
    known: Mapping[str, float]
    depth: int  # how many such numbers stand on each other
    _balls: dict[int, Ball]  # by precision, since each of the known numbers may have an expression of its own

    def __new__(cls, number: float, form: Node, known: Mapping[str, float]) -> Irrational:
        """The double, with its expression and those of the known numbers that stand in it."""
        irrational = super().__new__(cls, number)
        irrational.form = form
        irrational.known = {name: known[name] for name in names_in(form)}
        depths = (number.depth for number in irrational.known.values() if isinstance(number, Irrational))
        irrational.depth = 1 + max(depths, default=0)
        irrational._balls = {}
        return irrational

    @property
    def ball(self) -> Ball:
        """The ball around the exact value, in FLINT's present precision."""
        bits = precision()
        if bits not in self._balls:
            numbers = {name: ball_of(number) for name, number in self.known.items()}
            self._balls[bits] = folded_ball(self.form, numbers, self.known, no_choice)
        return self._balls[bits]

    def __eq__(self, other: object) -> bool:
        is_equal = float.__eq__(self, other)
        if is_equal is not True or not isinstance(other, Irrational) or self is other:
            return is_equal
        with many_digits():
            return bool(self.ball.overlaps(other.ball))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = float.__hash__

    def __reduce__(self) -> tuple[type[Irrational], tuple[float, Node, Mapping[str, float]]]:
        return Irrational, (float(self), self.form, self.known)


def with_exact_value(number: float, form: Node, known: Mapping[str, float]) -> float:
    """A computed number that keeps its exact value, as the value of an expression at known numbers.

    At the end of a long chain it does not: each digit more is computed all along the chain.
    """
    if not number:
        return Rational(Fraction(0))
    irrational = Irrational(number, form, known)
    return irrational if irrational.depth <= _DEEPEST else number


def is_known(number: float) -> bool:
    """Whether the exact value of a number is known, and not only the double nearest to it."""
    return isinstance(number, Irrational) or exact_of(number) is not None


def are_exact(equations: Iterable[Equation], unknowns: Collection[str], values: Mapping[str, float]) -> bool:
    """Whether the exact value of each given and each literal in some equations is known, so that none was rounded."""
    sides = [*chain.from_iterable(equation.sides for equation in equations)]
    if not all(name in values and is_known(values[name]) for name in names_in(*sides) if name not in unknowns):
        return False
    return not any(is_printed(part.value) for part in walk(*sides) if isinstance(part, Number))


def exactly_computed(node: Node, values: Mapping[str, float]) -> float | None:
    """The double nearest to an expression's exact value, NaN where it has none; None if it is not rational.

    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.rational import written
    >>> exactly_computed(parse_expression("ceil(a/b)"), {"a": written(2.7), "b": written(0.45)})
    6.0
    >>> exactly_computed(parse_expression("2*log(1 - a/b)"), {"a": written(8.89), "b": written(8.89)})
    nan
    """
    given = rationals(names_in(node), values)
    if given is None:
        return None
    try:
        number = exact_number(node, given)
    except Undefined:
        return math.nan
    return None if number is None else nearest(number)


def exact_value(node: Node, values: Mapping[str, Fraction]) -> Any:
    """The exact rational value of an expression, or truth of a condition; None if it is not rational, or too long.

    >>> from derive.expressions.grammar import parse_condition, parse_expression
    >>> exact_value(parse_expression("3*x + max(x, 1)"), {"x": Fraction(1, 10)})
    Fraction(13, 10)
    >>> exact_value(parse_condition("3*x <= 0.3"), {"x": Fraction(1, 10)})
    True
    """
    try:
        return exact_number(node, values)
    except Undefined:
        return None


def exact_number(node: Node, values: Mapping[str, Fraction]) -> Any:
    """The exact value of an expression, as `exact_value` tells it; raises `Undefined` where there is none."""
    try:
        return _EXACT.fold(node, values.__getitem__)
    except Undefined:
        raise
    except (NoElement, KeyError):
        return None


def _of_short(operation: Callable[..., Fraction | None]) -> Callable[..., Fraction | None]:
    """An operation on exact rational values: None if one is not rational, and `NoElement` if one is too long."""

    def bounded(*args: Fraction | None) -> Fraction | None:
        """The exact operation on fractions, with the limit on their lengths."""
        if None in args:
            return None
        for arg in args:
            assert arg is not None
            if arg.numerator.bit_length() + arg.denominator.bit_length() > _LONGEST:
                raise NoElement
        return operation(*args)

    return bounded


def _inverse(number: Fraction) -> Fraction:
    if not number:
        raise Undefined
    return 1 / number


def _power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """An exact whole power of a fraction; None for another exponent, or one that is too large."""
    if exponent < 0 and not base:
        raise Undefined
    if exponent.denominator != 1 or abs(exponent) > _STEEPEST:
        return None
    return base ** int(exponent)


def _defined(entry: Function) -> Callable[[Fraction], None]:
    """A function as an exact operation on fractions: None in its domain, where it need not be rational, or `Undefined`.

    An end of its domain that is not a whole number is rounded, as that of lambertw is, and decides nothing exactly.
    """
    low, high = (end if math.isinf(end) or end.is_integer() else math.copysign(math.inf, end) for end in entry.domain)

    def function(number: Fraction) -> None:
        is_inside = low < number < high
        is_end = (entry.closed[0] and number == low) or (entry.closed[1] and number == high)
        if not is_inside and not is_end:
            raise Undefined

    return function


def _of_rationals(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A comparison of two exact rational values; `NoElement` if a side has none, which leaves it to balls."""

    def compared(left: Any, right: Any) -> bool:
        if left is None or right is None:
            raise NoElement
        return test(left, right)

    return compared


_ON_FRACTIONS: dict[str, Callable[..., Fraction | None]] = {
    **{name: entry.rational or _defined(entry) for name, entry in TABLE.items()},
    "add": lambda *args: sum(args, Fraction(0)),
    "mul": lambda *args: math.prod(args, start=Fraction(1)),
    "neg": operator.neg,
    "inv": _inverse,
    "pow": _power,
    "max": lambda *args: max(args),
    "min": lambda *args: min(args),
}
_EXACT: Arithmetic[Fraction] = Arithmetic(
    number=operator.attrgetter("value"),
    operations={
        **{op: _of_short(operation) for op, operation in _ON_FRACTIONS.items()},
        **{op: _of_rationals(test) for op, test in TESTS.items()},
        **LOGIC,
    },
    forms={"piecewise": taken},
)


def ball_of(number: Any) -> Ball:
    """The exact value for which a double stands, as a ball, where it is known; else the double itself."""
    from flint import arb, fmpq

    if isinstance(number, Irrational):
        return number.ball
    exact = exact_of(number)
    return arb(number) if exact is None else arb(fmpq(exact.numerator, exact.denominator))


def folded_ball(form: Node, numbers: Mapping[str, Ball], values: Values, chosen: Chosen) -> Ball:
    """A ball around the exact value of an expression, which need not be rational; not finite if that may be undefined.

    Which arm of a choice is taken, doubles decide. Raises `NoElement` where none is.
    """

    def arm_of(choice: Apply, fold: Fold) -> Ball:
        arm = chosen(choice, values)
        return nothing() if arm is None else fold(arm)

    operations = operations_on_balls()
    number = operations["number"]
    balls: Arithmetic[Ball] = Arithmetic(
        lambda node: number(node.value.numerator) / node.value.denominator, operations, {"piecewise": arm_of}
    )
    return balls.fold(form, numbers.__getitem__)


class Order(Enum):
    """How an expression stands to another."""

    LESS = "less"
    EQUAL = "equal"
    GREATER = "greater"
    UNDECIDED = "undecided"  # the numbers are not known well enough
    UNDEFINED = "undefined"  # one of them has no value, or may have none

    @classmethod
    def of(cls, difference: Fraction | float) -> Order:
        """The order of two exact values by the sign of their difference: larger, smaller or equal; open for NaN."""
        if difference > 0:
            return cls.GREATER
        if difference < 0:
            return cls.LESS
        return cls.EQUAL if difference == 0 else cls.UNDEFINED

    @property
    def is_tie(self) -> bool:
        return self in (Order.EQUAL, Order.UNDECIDED)


def order(left: Node, right: Node, values: Values, chosen: Chosen) -> Order:
    """Which of two expressions is larger at given numbers, or whether they are equal, by their exact values.

    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.rational import read_decimal
    >>> def compared(left, right, **numbers):
    ...     values = {name: read_decimal(text) for name, text in numbers.items()}
    ...     return order(parse_expression(left), parse_expression(right), values, lambda choice, values: None).value
    >>> compared("3*x", "0.3", x="0.1"), compared("10*sqrt(x)", "7", x="0.49"), compared("log(x)", "3*log(2)", x="8")
    ('equal', 'equal', 'equal')
    >>> compared("exp(x)", "exp(2.7)", x="2.70000000000000000001"), compared("a*a - b*b", "0", a="1e20", b="1e20")
    ('greater', 'equal')
    """
    given = rationals(names_in(left, right), values)
    if given is not None:
        exact_left, exact_right = exact_value(left, given), exact_value(right, given)
        if exact_left is not None and exact_right is not None:
            return Order.of(exact_left - exact_right)
    is_exact = all(is_known(values[name]) for name in names_in(left, right))
    return _by_balls((left, right), values, chosen, is_exact=is_exact)


def _by_balls(sides: tuple[Node, Node], values: Values, chosen: Chosen, *, is_exact: bool) -> Order:
    """Which of two exact values is larger, by their difference in ever more digits, where fractions do not decide."""
    for bits in (BITS, MORE_BITS):
        with many_digits(bits):
            numbers = {name: _known(values[name]) for name in names_in(*sides)}
            try:
                gap = _gap_ball(sides, numbers, values, chosen)
            except NoElement:
                return Order.UNDEFINED
            if gap > 0 or gap < 0:
                return Order.GREATER if gap > 0 else Order.LESS
        if not is_exact:
            break
    if not gap.is_finite():
        return Order.UNDEFINED
    return Order.EQUAL if is_exact else Order.UNDECIDED


def _gap_ball(sides: tuple[Node, Node], numbers: Mapping[str, Ball], values: Values, chosen: Chosen) -> Ball:
    """The ball around the difference of two exact values, whose sign tells which is larger.

    Where it is not finite, rational parts are computed exactly first: `acos(a/b)` at a = b has a value, but the ball of
    its argument passes the end of the domain.
    """
    left, right = (folded_ball(side, numbers, values, chosen) for side in sides)
    if (left - right).is_finite():
        return left - right
    forms = (with_rational_parts(side, values, chosen) for side in sides)
    left, right = (folded_ball(form, numbers, values, chosen) for form in forms)
    return left - right


def is_at_end(form: Node, values: Values, chosen: Chosen) -> bool:
    """Whether an argument in a form may be at the end of its domain, for the exact values behind rounded numbers.

    >>> from derive.expressions.grammar import parse_expression
    >>> [is_at_end(parse_expression("sqrt(x - 0.3)"), {"x": x}, no_choice) for x in (0.1 + 0.2, 0.29)]
    [True, False]
    """
    with many_digits():
        numbers = {name: _known(values[name]) for name in names_in(form)}
        for part in operations(form, among=_ENDS):
            argument = part.args[0]
            if not isinstance(argument, Apply):  # a single number is as sure as it can be
                continue
            try:
                ball = folded_ball(argument, numbers, values, chosen)
            except NoElement:
                continue
            if ball.rad() > 0 and any(map(ball.contains, _ENDS[part.op])):
                return True
    return False


_ENDS: Mapping[str, Sequence[float]] = {
    "inv": (0.0,),
    **{name: entry.whole_ends for name, entry in TABLE.items() if entry.whole_ends},
}
"""For each operation the whole numbers at which its domain ends."""


def with_rational_parts(
    node: Node, values: Values, chosen: Chosen, substitute: Callable[[Apply], Node | None] = lambda _: None
) -> Node:
    """An expression with exact rational values in place of all parts that have one, and the arm that each choice takes.

    `substitute` may put another expression in place of any other operation. Raises `Undefined` where a part has no
    value.
    """
    given = {name: exact for name in names_in(node) if (exact := exact_of(values[name])) is not None}

    def replacement(part: Node) -> Node | None:
        """The exact value to put in a part's place; None if each of the part's own parts is looked at."""
        if isinstance(part, Number):
            return part
        number = exact_number(part, given)
        if number is not None:
            return Number(number)
        if isinstance(part, Name):
            return part
        if part.op != "piecewise":
            return substitute(part)
        arm = chosen(part, values)
        return part if arm is None else rebuilt(arm, replacement)

    return rebuilt(node, replacement)


def _known(number: float) -> Ball:
    """A ball of all exact values that a double may stand for: one alone if it is known, else all within its error."""
    from flint import arb

    ball = ball_of(number)
    return ball if is_known(number) else arb(ball, EXPRESSION * abs(number))
