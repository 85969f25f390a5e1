"""Sums of products with rational coefficients: what an expression comes to when it is multiplied out.

A sum maps each of its monomials to a coefficient that is not zero. A monomial is a set of atoms with their powers; the
empty one is the number 1. What an atom is, a name or whatever else is no sum, product or power, the caller says.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from functools import partial, reduce
from typing import Any

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement, nothing
from derive.expressions.tree import Apply, Name, Node, Number

__all__ = ["UNIT", "Monomial", "Sum", "arithmetic_of_sums", "joined", "multiplied_out", "plus", "power_of", "times"]

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
