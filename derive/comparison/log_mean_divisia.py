"""The logarithmic mean Divisia index: the shares of numbers in the ratio of a sum of products, in closed form.

A sum s of positive terms t changes from one answer to the other. With L the logarithmic mean, and v = t/s the part of a
term in its sum,

    ln(s after / s before)  =  sum of  w * ln(t after / t before),     w = L(v before, v after) / (sum of all such L),

exactly: L(v) * ln(v after / v before) is v after - v before, and all v sum up to one. Each term is a product of powers,
so its logarithm is a sum of those of its numbers. This is LMDI-II (B. W. Ang and K.-H. Choi, "Decomposition of
aggregate energy and gas emission intensities for industry: a refined Divisia index method", The Energy Journal 18,
1997; in the theory of price indices the weights are those of Sato and of Vartia, 1976). Of the two indices of that name
it is the one whose weights sum up to one, so that a factor of the whole sum has exactly its own ratio. It takes no more
time for many numbers than for few, and backwards it gives the reciprocals.

The sum is multiplied out first, so that the shares do not depend on how the relations put it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from derive.comparison.shares import log_mean
from derive.expressions.arithmetic import UNIT, NoElement, Sum, plus, power_of, times
from derive.expressions.tree import Apply, Node, Number
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.products import Product, Test, product_of

_TERMS = 64  # limit on terms of a sum multiplied out
_POWER = 3  # highest power of a sum that is multiplied out

Moving = Callable[[Node], "int | None"]
"""The one player that moves an expression, -1 if none does; None if several do."""


def monomials(node: Node, is_positive: Test) -> tuple[Product, ...] | None:
    """The terms for the Divisia index: a sum multiplied out into products of powers; None if these are too many.

    >>> from derive.expressions.grammar import parse_expression
    >>> len(monomials(parse_expression("a*(b + c)**2 + d"), lambda node: True))
    4
    """
    try:
        terms = _multiplied_out(node, is_positive)
    except NoElement:
        return None
    return tuple(Product(number, dict(key)) for key, number in terms.items()) if len(terms) <= _TERMS else None


def _multiplied_out(node: Node, is_positive: Test) -> Sum:
    """A sum for the Divisia index with its products and low powers of sums multiplied out.

    Raises `NoElement` if the terms are too many.
    """
    total: Sum = {}
    for term in node.args if isinstance(node, Apply) and node.op == "add" else (node,):
        product = product_of(term, is_positive)
        expanded: Sum = {UNIT: product.number} if product.number else {}
        for base, exponent in product.powers.items():
            is_sum = isinstance(base, Apply) and base.op == "add"
            if is_sum and exponent.denominator == 1 and 0 < exponent <= _POWER:
                for _ in range(int(exponent)):
                    expanded = times(expanded, _multiplied_out(base, is_positive), _TERMS)
            else:
                expanded = times(expanded, power_of(base, exponent), _TERMS)
        total = plus(total, expanded)
    return total


def divisia_shares(
    terms: Sequence[Product], players: int, moving: Moving, before: Mapping[str, float], after: Mapping[str, float]
) -> list[float] | None:
    """The share of each player in the logarithm of the ratio of a sum, by the logarithmic mean Divisia index.

    None if a term is not positive, or not a product of powers of what the players move.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import names_in
    >>> terms = monomials(parse_expression("p*x + p*y"), lambda node: True)
    >>> moving = lambda node: "pxy".index(names_in(node)[0])
    >>> shares = divisia_shares(terms, 3, moving, {"p": 1, "x": 1, "y": 2}, {"p": 2, "x": 2, "y": 2})
    >>> [round(math.exp(share), 6) for share in shares]
    [2.0, 1.333333, 1.0]
    """
    sizes, logs = [], []
    for term in terms:
        pair = _size(term, before), _size(term, after)
        ratios = _logs(term, players, moving, before, after)
        if ratios is None or not all(0 < size < math.inf for size in pair):
            return None
        sizes.append(pair)
        logs.append(ratios)
    first_total, second_total = (math.fsum(pair[end] for pair in sizes) for end in (0, 1))
    weights = [log_mean(first / first_total, second / second_total) for first, second in sizes]
    total_weight = math.fsum(weights)
    return [math.fsum(w * row[i] for w, row in zip(weights, logs, strict=True)) / total_weight for i in range(players)]


def _size(term: Product, numbers: Mapping[str, float]) -> float:
    """The value of a term of the Divisia index; NaN where it has none, or a factor is not positive."""
    try:
        factors = [math.pow(_number(base, numbers), float(e)) for base, e in term.powers.items()]
        return math.prod(factors, start=float(term.number))
    except (OverflowError, ValueError):
        return math.nan


def _number(base: Node, numbers: Mapping[str, float]) -> float:
    number = base.real if isinstance(base, Number) else value(base, numbers)
    return number if number > 0 else math.nan


def _logs(
    term: Product, players: int, moving: Moving, before: Mapping[str, float], after: Mapping[str, float]
) -> list[float] | None:
    """What each player adds to the logarithm of a term of the Divisia index.

    None if several players move one of its factors, or a factor has no logarithm.
    """
    logs = [0.0] * players
    for base, exponent in term.powers.items():
        player = moving(base)
        if player is None:
            return None
        if player >= 0:
            first, second = _number(base, before), _number(base, after)
            if not (first > 0 and second > 0):
                return None
            logs[player] += float(exponent) * math.log(second / first)
    return logs
