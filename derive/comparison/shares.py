"""Shares of a change among what moved, so that they sum up to it exactly and depend on no order.

A worth is a function of the set of players that have moved: `worth(0)` before, `worth(2**n - 1)` after. Its *Shapley
value* (L. S. Shapley, "A value for n-person games", 1953) gives each player the mean, over all orders in which the
players may move, of what its own move adds. By symmetry it is the same backwards, with the opposite sign.

With many players that takes too long. Where the function is smooth, the integral of its slope along the straight path
of the logarithms does the same for infinitely small moves (Aumann and Shapley, *Values of Non-Atomic Games*, 1974;
Divisia's index of 1925): the share of x is the integral of d worth/d ln x, times ln x after - ln x before. Both give a
factor of a product exactly the logarithm of its own ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from derive.expressions.tree import Equation, Node
from derive.time_limits import tick
from derive.tolerances import EXPRESSION, MET

MOST_PLAYERS = 12
"""Players up to which every set of them is evaluated."""

_NODES = (16, 32, 64, 128)  # points of the quadrature, until the shares sum up to the change


class Undefined(Exception):  # noqa: N818 - no error: what has no value by itself is joined with others
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
        raise Undefined
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
    raise Undefined
