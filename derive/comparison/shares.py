"""Shares of a change among what moved, so that they sum up to it exactly and depend on no order.

A sum s of positive terms t changes from one answer to the other. With L the logarithmic mean, and v = t/s the part of a
term in its sum,

    ln(s after / s before)  =  sum of  w * ln(t after / t before),     w = L(v before, v after) / (sum of all such L),

exactly: L(v) * ln(v after / v before) is v after - v before, and all v sum up to one. Each term is a product of powers,
so its logarithm is a sum of those of its numbers. This logarithmic mean Divisia index is LMDI-II (B. W. Ang and K.-H.
Choi, "Decomposition of aggregate energy and gas emission intensities for industry: a refined Divisia index method", The
Energy Journal 18, 1997; in the theory of price indices the weights are those of Sato and of Vartia, 1976). Of the two
indices of that name it is the one whose weights sum up to one, so that a factor of the whole sum has exactly its own
ratio. It takes no more time for many numbers than for few, and backwards it gives the reciprocals. The sum is
multiplied out first, so that the shares do not depend on how the relations put it.

Elsewhere a worth is a function of the set of players that have moved: `worth(0)` before, `worth(2**n - 1)` after. Its
Shapley value (L. S. Shapley, "A value for n-person games", 1953) gives each player the mean, over all orders in which
the players may move, of what its own move adds. By symmetry it is the same backwards, with the opposite sign.

With many players that takes too long. Where the function is smooth, the integral of its slope along the straight path
of the logarithms does the same for infinitely small moves (Aumann and Shapley, "Values of Non-Atomic Games", 1974;
Divisia's index of 1925): the share of x is the integral of d worth/d ln x, times ln x after - ln x before. Both give a
factor of a product exactly the logarithm of its own ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from derive.expressions.arithmetic import UNIT, NoElement, Sum, plus, power_of, times
from derive.expressions.tree import Apply, Equation, Node
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.products import Product, Test, product_of
from derive.time_limits import tick
from derive.tolerances import EXPRESSION, MET

MOST_PLAYERS = 12
"""Players up to which every set of them is evaluated."""

_NODES = (16, 32, 64, 128)  # points of the quadrature, until the shares sum up to the change


class UndefinedMixture(Exception):  # noqa: N818 - no error: what has no value by itself is joined with others
    """A mixture of the two answers has no value, or not the sign of both; the named numbers have one together."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        super().__init__()
        self.names = frozenset(names)


def log_mean(first: float, second: float) -> float:
    """The logarithmic mean of two positive numbers, for shares: their difference over that of their logarithms.

    >>> log_mean(2.0, 2.0), round(log_mean(1.0, 8.0), 6)
    (2.0, 3.366288)
    """
    apart = math.log(second / first)
    return first * math.expm1(apart) / apart if abs(apart) > EXPRESSION else first


def shapley(players: int, worth: Callable[[int], float]) -> list[float]:
    """The share of each player by Shapley's value; `worth` gets a set of players as the number whose bits are theirs.

    >>> shapley(2, lambda moved: [0.0, 1.0, 3.0, 10.0][moved])
    [4.0, 6.0]
    """
    worths = []
    for moved in range(1 << players):
        tick()
        worths.append(worth(moved))
    weights = [1 / (players * math.comb(players - 1, size)) for size in range(players)]
    return [
        math.fsum(
            weights[moved.bit_count()] * (worths[moved | 1 << player] - worths[moved])
            for moved in range(1 << players)
            if not moved & 1 << player
        )
        for player in range(players)
    ]


def slopes_along(
    form: Node, names: Sequence[str], before: Mapping[str, float], after: Mapping[str, float], is_log: bool
) -> list[float]:
    """The share of each name in the change of a form, by the integral of slopes along the path of a comparison.

    All names move at once, those with a ratio in proportion to its logarithm and the others evenly.

    >>> from derive.expressions.grammar import parse_expression
    >>> form = parse_expression("x**2*(y + 1)")
    >>> [round(share, 6) for share in slopes_along(form, ["x", "y"], {"x": 1, "y": 1}, {"x": 3, "y": 7}, True)]
    [2.197225, 1.386294]
    """
    import numpy

    from derive.numerics.algebra.like_terms import ZERO
    from derive.numerics.local_solvers.automatic_differentiation import Tape

    tape = Tape([Equation(form, "=", ZERO)], names, {name: x for name, x in before.items() if name not in names})
    start, end = (numpy.array([point[name] for name in names], float) for point in (before, after))
    has_ratio = start * end > 0
    logs = numpy.log(numpy.where(has_ratio, end / numpy.where(has_ratio, start, 1.0), 1.0))
    first, last = (float(tape.gaps(point)[0]) for point in (start, end))
    if is_log and not first * last > 0:
        raise UndefinedMixture
    change = math.log(last / first) if is_log else last - first
    for count in _NODES:
        tick()
        nodes, weights = numpy.polynomial.legendre.leggauss(count)
        shares = numpy.zeros(len(names))
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            point = numpy.where(has_ratio, start * numpy.exp(node * logs), start + node * (end - start))
            speed = numpy.where(has_ratio, point * logs, end - start)
            slope = numpy.asarray(tape.jacobian(point))[0] * speed
            shares += weight * (slope / tape.gaps(point)[0] if is_log else slope)
        if abs(float(shares.sum()) - change) <= MET * max(1.0, float(numpy.abs(shares).sum())):
            return [float(share) for share in shares]
    raise UndefinedMixture


_TERMS = 64  # limit on terms of a sum multiplied out
_POWER = 3  # highest power of a sum that is multiplied out

Moving = Callable[[Node], "int | None"]
"""The one player that moves an expression, -1 if none does; None if several do."""


def monomials(node: Node, is_positive: Test) -> tuple[Product, ...] | None:
    """The products of powers that a sum consists of, so that its change can be shared; None if they are too many.

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
    """A sum that is to be shared by the Divisia index, with products and low powers of sums multiplied out.

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
    number = value(base, numbers)
    return number if number > 0 else math.nan


def _logs(
    term: Product, players: int, moving: Moving, before: Mapping[str, float], after: Mapping[str, float]
) -> list[float] | None:
    """Each player's part in a term's logarithm, for its share by the Divisia index; None if several move a factor."""
    logs = [0.0] * players
    for base, exponent in term.powers.items():
        player = moving(base)
        if player is None:
            return None
        if player >= 0:
            logs[player] += float(exponent) * math.log(_number(base, after) / _number(base, before))
    return logs
