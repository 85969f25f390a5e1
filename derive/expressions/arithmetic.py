"""One fold over the expression tree. What a tree comes to depends on the arithmetic in which it is folded.

The same tree stands for a float, a fraction, a ball, an interval, a dimension, a formula of sympy or a line of source
text. All of these are found in one way, from the leaves up, and differ in what stands at each kind of node:

    Name     the caller says what a name stands for: its number, its interval, its letter
    Number   `number` says what a literal stands for
    Apply    a row of the table `operations` makes an element of those of the arguments

An arithmetic is therefore a table. The operations are `add`, `mul`, `neg`, `inv`, `pow`, `pi`, `max`, `min`, those of
conditions, and the functions of one number. An arithmetic does not list the functions. It says what it takes from an
entry of `functions.TABLE` (a value, a slope, a name elsewhere), and so has all of them.

Some operations cannot wait for all their arguments. Of a choice (`piecewise`) only the arm that is taken may have a
value at all; a comparison of floats that rounding would decide has to see what is compared. Such an operation is a
row of the table `forms`. It is given the node itself and the fold, and folds what it needs, arm by arm.

Where an arithmetic has nothing (no row, no element for a name, a fraction that is no fraction), it raises NoElement.

One such arithmetic is that of sums of products with rational coefficients, to multiply out. A sum maps each of its
monomials to a coefficient that is not zero. A monomial is a set of atoms with their powers; the empty one is the number
1. What an atom is, a name or whatever else is no sum, product or power, the caller says.

Another is that of constants: an expression without names must evaluate to a real number that a double can hold. sympy
would compute `9**9**9` digit by digit, and turn `log(0)` into `zoo` and `sqrt(-1)` into an imaginary number. So every
part without names is evaluated here first, once: exactly while it is rational and short, otherwise in floats. In floats
`floor(6.99/6.99)` would be zero. What floats may lose digits of, as `exp(1e-40) - 1`, is computed in many and rounded.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from itertools import zip_longest
from typing import Any, Generic, NoReturn, TypeVar

from derive.expressions.balls import BITS, MORE_BITS, Ball, many_digits, operations_on_balls
from derive.expressions.functions import PERIODIC, STEPPED, TABLE
from derive.expressions.tree import COMPARISONS, Apply, Name, Node, Number, cases
from derive.tolerances import LEAST, MOST

Element = TypeVar("Element")
_Key = TypeVar("_Key")

Fold = Callable[[Node], Any]
"""What a node comes to, in the arithmetic and with the names of the whole tree."""


class NoElement(Exception):  # noqa: N818  # no error: it says that there is no answer in this arithmetic
    """An expression has no counterpart in an arithmetic."""


def nothing(*_: object) -> NoReturn:
    """Raise NoElement for a name, or an operation, that an arithmetic does not have."""
    raise NoElement


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[Element]):
    """What the literals and the operations of an expression stand for.

    >>> signs = Arithmetic(number=lambda node: node.value > 0, operations={"mul": operator.eq, "neg": operator.not_})
    >>> product = Apply("mul", (Name("x"), Apply("neg", (Name("x"),))))
    >>> signs.fold(product, {"x": True}.__getitem__)
    False
    """

    number: Callable[[Number], Element]
    operations: Mapping[str, Callable[..., Any]]
    """Functions of the folded arguments."""
    forms: Mapping[str, Callable[[Apply, Fold], Any]] = field(default_factory=dict)
    """Functions of a node and of the fold, for operations that fold their arguments themselves."""
    otherwise: Callable[[Apply, Fold], Any] = nothing
    """The form of all other operations."""

    def fold(self, node: Node, named: Callable[[str], Element] = nothing) -> Any:
        """The element of an expression in this arithmetic, folded from the leaves up; `named` gives those of names."""
        if isinstance(node, Name):
            return named(node.name)
        if isinstance(node, Number):
            return self.number(node)
        operation = self.operations.get(node.op)
        if operation is not None:
            return operation(*[self.fold(arg, named) for arg in node.args])
        # no function that calls itself: each would be a cycle, which only the collector of garbage frees
        return self.applied(node, lambda inner: self.fold(inner, named))

    def applied(self, node: Apply, part: Fold) -> Any:
        """The element of one operation in this arithmetic; `part` folds its arguments, and may remember theirs."""
        operation = self.operations.get(node.op)
        if operation is not None:
            return operation(*map(part, node.args))
        return self.forms.get(node.op, self.otherwise)(node, part)

    def attempt(self, node: Node, named: Callable[[str], Element] = nothing) -> Element | None:
        """The element of an expression in this arithmetic; None if it has no counterpart there."""
        try:
            element: Element = self.fold(node, named)
        except NoElement:
            return None
        return element


def same(number: Number) -> Number:
    """The literal itself, as the element of a literal in an arithmetic of expressions."""
    return number


def reapplied(node: Apply, part: Fold) -> Apply:
    """The form of an operation in an arithmetic whose elements are trees: the same operation on folded arguments."""
    return Apply(node.op, tuple(map(part, node.args)))


TESTS: dict[str, Callable[[Any, Any], bool]] = {op: getattr(operator, op) for op in COMPARISONS.values()}
"""Comparisons of elements that Python compares."""

LOGIC: dict[str, Callable[..., bool]] = {
    "true": lambda: True,
    "and": lambda *tests: all(tests),
    "or": lambda *tests: any(tests),
    "not": operator.not_,
}
"""Conditions that are true or false."""


def taken(choice: Apply, part: Fold) -> Any:
    """The form of a choice in an arithmetic of true and false conditions: its first arm whose condition is true."""
    for arm, condition in cases(choice):
        if condition is None or part(condition):
            return part(arm)
    raise NoElement


Monomial = frozenset[tuple[Any, Any]]
Sum = dict[Monomial, Fraction]

UNIT: Monomial = frozenset()
"""The empty product."""
_MOST_EXPANDED = 8  # limit on powers that are multiplied out


def power_of(base: Hashable, power: Any = 1) -> Sum:
    """The element of an atom, or of a power of it, in the arithmetic of sums: a sum of one monomial."""
    return {frozenset({(base, power)}): Fraction(1)}


def joined(monomial: Monomial, other: Mapping[Any, Any] | Monomial) -> Monomial:
    """The product of two monomials, in the arithmetic in which trees are folded to sums."""
    powers = dict(monomial)
    for base, power in dict(other).items():
        powers[base] = powers.get(base, 0) + power
    return frozenset((base, power) for base, power in powers.items() if power)


def plus(
    terms: Mapping[_Key, Fraction], other: Mapping[_Key, Fraction], factor: Fraction | int = 1
) -> dict[_Key, Fraction]:
    """The `add` in the arithmetic of sums, with a factor for the second sum; also of any two rows of coefficients.

    >>> plus(power_of("x"), plus(power_of("x"), power_of("y")), -1)
    {frozenset({('y', 1)}): Fraction(-1, 1)}
    """
    total = dict(terms)
    for monomial, coefficient in other.items():
        total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def times(terms: Sum, other: Sum, most: int) -> Sum:
    """The `mul` in the arithmetic of sums, multiplied out; NoElement if it takes more than so many products."""
    if len(terms) * len(other) > most:
        raise NoElement
    total: Sum = {}
    for monomial, factor in terms.items():
        products = {joined(monomial, second): share for second, share in other.items()}
        total = plus(total, products, factor)
    return total


def arithmetic_of_sums(
    most: int, forms: Mapping[str, Callable[[Apply, Fold], Sum]], otherwise: Callable[[Apply, Fold], Sum] = nothing
) -> Arithmetic[Sum]:
    """The arithmetic in which a tree folds to a sum of monomials; `forms` and `otherwise` are for powers, functions."""
    product = partial(times, most=most)
    return Arithmetic(
        number=lambda node: {UNIT: node.value} if node.value else {},
        operations={
            "add": lambda *terms: reduce(plus, terms),
            "neg": lambda inner: plus({}, inner, -1),
            "mul": lambda *factors: reduce(product, factors),
        },
        forms=forms,
        otherwise=otherwise,
    )


def multiplied_out(node: Node, named: Callable[[Node], Hashable], most: int) -> Sum:
    """A tree folded in the arithmetic of sums, with `named` for the atom of a part; NoElement if it has too many terms.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> found = multiplied_out(parse_expression("(a + 2)*a"), render, 9)
    >>> sorted((sorted(key), int(share)) for key, share in found.items())
    [([('a', 1)], 2), ([('a', 2)], 1)]
    """

    def power(node: Apply, part: Fold) -> Sum:
        exponent = node.args[1]
        if not isinstance(exponent, Number) or exponent.value not in range(1, _MOST_EXPANDED + 1):
            return atom(node, part)
        return reduce(partial(times, most=most), [part(node.args[0])] * int(exponent.value))

    def inverse(node: Apply, part: Fold) -> Sum:
        divisor = part(node.args[0])
        if len(divisor) != 1:
            return atom(node, part)
        ((monomial, factor),) = divisor.items()
        return {frozenset((base, -power) for base, power in monomial): 1 / factor}

    def atom(node: Apply, _: Fold) -> Sum:
        return power_of(named(node))

    sums = arithmetic_of_sums(most, {"pow": power, "inv": inverse}, atom)
    total: Sum = sums.fold(node, lambda name: power_of(named(Name(name))))
    return total


# Constants

_HIGHEST = 1000  # limit on constant exponents
_MOST_BITS = 10_000  # limit on those of a power of an exact number
_Value = Any  # of a constant: a rational while it is short, else a float; a truth value; None of what has names
_SURE_BITS = 64  # correct bits of a constant, which is no less than a double has
_LOSING = frozenset(TABLE) - {"abs", "sqrt"}
"""Functions that may make more of what their argument is rounded by."""
_PRECISE = 1e15  # beyond it doubles cannot distinguish neighbouring whole numbers or angles


class ConstantError(Exception):
    """A constant that is refused: which, why, and the limit that it exceeds, if it is only too large."""

    def __init__(self, node: Node, what: str, limit: str = "") -> None:
        super().__init__(what)
        self.node = node
        self.what = what
        self.limit = limit


def prove_constants(node: Node) -> None:
    """Fold a tree in the arithmetic of constants: a ConstantError for the first that is not a finite real number.

    >>> prove_constants(Apply("log", (Number(Fraction(0)),)))
    Traceback (most recent call last):
        ...
    derive.expressions.arithmetic.ConstantError: log(0) is not a real number
    """
    _CONSTANTS.fold(node, lambda _: None)


def may_lose_digits(operation: Apply) -> bool:
    """Whether the arithmetic of constants may lose digits in floats: a sum cancels, a function's argument is rounded.

    >>> one = Number(Fraction(1))
    >>> [may_lose_digits(Apply("log", (arg,))) for arg in (one, Apply("exp", (one,)), Number(Fraction(4, 3)))]
    [False, True, True]
    """
    if operation.op not in _LOSING:
        return operation.op == "add"
    (argument,) = operation.args
    return not (isinstance(argument, Number) and argument.is_double)


def _to_last_digit(node: Apply) -> float | None:
    """The element of a constant in an arithmetic of balls: zero if `MORE_BITS` leave it open, None if not ordinary."""
    operations = operations_on_balls()
    balls: Arithmetic[Ball] = Arithmetic(
        lambda number: operations["number"](number.value.numerator) / number.value.denominator, operations
    )
    for bits in (BITS, MORE_BITS):
        with many_digits(bits):
            ball: Ball = balls.attempt(node)
            if ball is None or not ball.is_finite():
                return None
            if ball.rel_accuracy_bits() >= _SURE_BITS:
                return float(ball) if LEAST < abs(ball) < MOST else None
            is_zero = ball.contains(0)
    return 0.0 if is_zero else None


def _operation(node: Apply, part: Fold) -> _Value:
    """The value of a constant operation, in the arithmetic of constants; None if the operation has names."""
    op = node.op
    values: list[_Value] = [part(arg) for arg in node.args]
    if op == "pow" and values[1] is not None and abs(values[1]) > _HIGHEST:
        raise ConstantError(node, f"the exponent {float(values[1]):g} is over {_HIGHEST}", f"exponent {_HIGHEST}")
    if op == "pow" and values[1] is not None and _bits(node.args[0]) * abs(values[1]) > _MOST_BITS:
        raise ConstantError(node, "a constant has too many digits", f"{_MOST_BITS} bits")
    if op == "inv" and values[0] == 0:
        raise ConstantError(node, "it divides by zero")
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    if (op in PERIODIC or op in STEPPED) and abs(known[0]) > _PRECISE:
        raise ConstantError(node, f"{op} of {float(known[0]):g} is beyond the precision of a double", f"{_PRECISE:g}")
    try:
        result = _short(_OF_CONSTANTS[op](*known))
        if isinstance(result, float) and may_lose_digits(node):
            precise = _to_last_digit(node)
            result = result if precise is None else precise
        return _bounded(node, result)
    except OverflowError:
        return _bounded(node, math.inf)
    except ZeroDivisionError:
        raise ConstantError(node, "it divides by zero") from None
    except ValueError:
        shown = ", ".join(f"{float(value):g}" for value in known)
        raise ConstantError(node, f"{op}({shown}) is not a real number") from None


def _number(node: Number) -> _Value:
    """The value of a literal, in the arithmetic of constants; an error beyond the range of ordinary doubles."""
    value = math.inf if math.isnan(node.real) else node.real  # NaN stands for a number that overflows
    if LEAST < abs(value) < MOST or not node.value:
        return _short(node.value)
    raise ConstantError(node, "a number is out of range", "1e-300 to 1e300")


def _bits(node: Node) -> int:
    """The bits of a literal, by which the arithmetic of constants limits powers; zero of any other node."""
    return _length(node.value) if isinstance(node, Number) else 0


def _short(value: _Value) -> _Value:
    """An element of the arithmetic of constants, as a float if it is a rational with too many bits."""
    return float(value) if isinstance(value, Fraction) and _length(value) > _MOST_BITS else value


def _length(number: Fraction) -> int:
    return (number.numerator * number.denominator).bit_length()


def _bounded(node: Node, value: _Value) -> _Value:
    """The element of a node in the arithmetic of constants; a ConstantError if it is NaN or out of range."""
    if value is None or value == 0 or LEAST < abs(value) < MOST:
        return value
    if value != value:  # NaN
        raise ConstantError(node, "a constant is not a real number")
    raise ConstantError(node, "a constant is out of range", "1e-300 to 1e300")


def _power(base: _Value, exponent: _Value) -> _Value:
    """The `pow` in the arithmetic of constants: exact of a rational if it stays short, else a float."""
    if not base and exponent < 0:
        return 1 / base
    is_whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if isinstance(base, Fraction) and is_whole and _length(base) * abs(exponent) <= _MOST_BITS:
        return base ** int(exponent)
    return math.pow(base, exponent)


def _first_arm(*values: _Value) -> _Value:
    """The `piecewise` in the arithmetic of constants: its first arm whose condition is true; None if none is."""
    arms = (arm for arm, holds in zip_longest(values[::2], values[1::2], fillvalue=True) if holds)
    return next(arms, None)


_OF_CONSTANTS: dict[str, Callable[..., Any]] = {
    "pi": lambda: math.pi,
    "add": lambda *values: sum(values) if all(isinstance(value, Fraction) for value in values) else math.fsum(values),
    "mul": lambda *values: math.prod(values),
    "neg": operator.neg,
    "inv": lambda value: 1 / value,
    "pow": _power,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "piecewise": _first_arm,
    **{name: entry.value for name, entry in TABLE.items()},
    "floor": lambda value: Fraction(math.floor(value)),
    "ceil": lambda value: Fraction(math.ceil(value)),
    **TESTS,
    **LOGIC,
}
_CONSTANTS: Arithmetic[_Value] = Arithmetic(_number, {}, otherwise=_operation)
"""Numbers for what has no names, each within the range of ordinary doubles."""
