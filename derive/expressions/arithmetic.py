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
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from typing import Any, Generic, NoReturn, TypeVar

from derive.expressions.tree import COMPARISONS, Apply, Name, Node, Number, cases

__all__ = [
    "LOGIC",
    "TESTS",
    "UNIT",
    "Arithmetic",
    "Fold",
    "Monomial",
    "NoElement",
    "Sum",
    "arithmetic_of_sums",
    "joined",
    "multiplied_out",
    "nothing",
    "plus",
    "power_of",
    "reapplied",
    "same",
    "taken",
    "times",
]

Element = TypeVar("Element")

Fold = Callable[[Node], Any]
"""What a node comes to, in the arithmetic and with the names of the whole tree."""


class NoElement(Exception):  # noqa: N818  # no error: it says that there is no answer in this arithmetic
    """An expression has no counterpart in an arithmetic."""


def nothing(*_: object) -> NoReturn:
    """What an arithmetic makes of a name, or of an operation, that it has not."""
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
        """What an expression comes to, where `named` says what its names stand for."""
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
        """One step of the fold; `part` folds the arguments, and may remember what it has folded."""
        operation = self.operations.get(node.op)
        if operation is not None:
            return operation(*map(part, node.args))
        return self.forms.get(node.op, self.otherwise)(node, part)

    def attempt(self, node: Node, named: Callable[[str], Element] = nothing) -> Element | None:
        """What an expression comes to; None if it has no counterpart in this arithmetic."""
        try:
            found: Element = self.fold(node, named)
        except NoElement:
            return None
        return found


def same(number: Number) -> Number:
    """A literal in an arithmetic of expressions."""
    return number


def reapplied(node: Apply, part: Fold) -> Apply:
    """The form of an operation in an arithmetic of expressions: the same operation, on what its arguments became."""
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
    """The form of a choice in an arithmetic whose conditions are true or false: the first arm whose condition is."""
    for arm, condition in cases(choice):
        if condition is None or part(condition):
            return part(arm)
    raise NoElement


Monomial = frozenset[tuple[Any, Any]]
Sum = dict[Monomial, Fraction]

UNIT: Monomial = frozenset()
"""The empty product."""

_HIGHEST = 8  # limit on powers that are multiplied out


def power_of(base: Hashable, power: Any = 1) -> Sum:
    """A power of an atom as a sum."""
    return {frozenset({(base, power)}): Fraction(1)}


def joined(one: Monomial, other: Mapping[Any, Any] | Monomial) -> Monomial:
    """The product of two monomials."""
    powers = dict(one)
    for base, power in dict(other).items():
        powers[base] = powers.get(base, 0) + power
    return frozenset((base, power) for base, power in powers.items() if power)


def plus(one: Sum, other: Sum, factor: Fraction | int = 1) -> Sum:
    """A sum and a multiple of another.

    >>> plus(power_of("x"), plus(power_of("x"), power_of("y")), -1)
    {frozenset({('y', 1)}): Fraction(-1, 1)}
    """
    total = dict(one)
    for monomial, coefficient in other.items():
        total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def _total(*terms: Sum) -> Sum:
    return reduce(plus, terms)


def times(one: Sum, other: Sum, most: int) -> Sum:
    """The product of two sums; NoElement if it takes more than so many products of terms."""
    if len(one) * len(other) > most:
        raise NoElement
    total: Sum = {}
    for first, factor in one.items():
        for second, coefficient in other.items():
            monomial = joined(first, second)
            total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def arithmetic_of_sums(
    most: int, forms: Mapping[str, Callable[[Apply, Fold], Sum]], otherwise: Callable[[Apply, Fold], Sum] = nothing
) -> Arithmetic[Sum]:
    """The arithmetic of sums of so many terms at most; `forms` and `otherwise` say what powers and functions are."""
    product = partial(times, most=most)
    return Arithmetic(
        number=lambda node: {UNIT: node.value} if node.value else {},
        operations={
            "add": _total,
            "neg": lambda inner: plus({}, inner, -1),
            "mul": lambda *factors: reduce(product, factors),
        },
        forms=forms,
        otherwise=otherwise,
    )


def multiplied_out(node: Node, named: Callable[[Node], Hashable], most: int) -> Sum:
    """An expression as a sum of monomials; `named` gives the atom of a part. NoElement if it has too many terms.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> found = multiplied_out(parse_expression("(a + 2)*a"), render, 9)
    >>> sorted((sorted(key), int(share)) for key, share in found.items())
    [([('a', 1)], 2), ([('a', 2)], 1)]
    """

    def power(node: Apply, part: Fold) -> Sum:
        exponent = node.args[1]
        if not isinstance(exponent, Number) or exponent.value not in range(1, _HIGHEST + 1):
            return other(node, part)
        return reduce(partial(times, most=most), [part(node.args[0])] * int(exponent.value))

    def inverse(node: Apply, part: Fold) -> Sum:
        below = part(node.args[0])
        if len(below) != 1:
            return other(node, part)
        ((monomial, factor),) = below.items()
        return {frozenset((base, -power) for base, power in monomial): 1 / factor}

    def other(node: Apply, _: Fold) -> Sum:
        return power_of(named(node))

    found: Sum = arithmetic_of_sums(most, {"pow": power, "inv": inverse}, other).fold(
        node, lambda name: power_of(named(Name(name)))
    )
    return found
