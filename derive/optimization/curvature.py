"""Lower bounds by convexity: where the Lagrangian is convex on a box, each of its tangents lies below it.

A bound by slopes is off by the square of the size of a box, so that around an optimum many small boxes are left. A
tangent at the best point itself is flat, and closes the box around it at once. Convexity is shown as the checker of
certificates shows it (`certificates.forms`), so that what closes a box here closes it there.

Along a tie the Lagrangian need not be convex, but the square of a tie is zero too. Times a price it makes the
Lagrangian convex across the tie, where an optimum is one that small moves along the tie make worse (augmented
Lagrangian; Bertsekas 1982).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from derive.certificates.bounds import Program as Checked
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import derivative
from derive.numerics.intervals.arithmetic import Box
from derive.optimization.program import Program

_MOST = 6  # variables
_TRIES = 50  # boxes of a size that are tried although none was convex so far
_SQUARES = (0.0, 1.0, 4.0, 16.0, 64.0, 256.0)  # prices of squares, relative to the second derivatives
_ENOUGH = 0.5  # share of the least curvature that the highest price reaches


class PricedPoint(NamedTuple):
    """A point, and the prices there: of the limits, of the zeros, and of the squares of zeros if they have any."""

    point: tuple[float, ...]
    prices: tuple[float, ...]


class Curvature:
    """The Lagrangians of a program at several prices, with their second derivatives."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.left = _TRIES
        self.broadest = 1.0  # box that is tried, as a share of the ranges
        self.is_small = program.solved is None and not program.is_sampled and len(program.names) <= _MOST

    @cached_property
    def checked(self) -> Checked:
        return Checked(self.program.bound(-math.inf))

    def floor(self, sides: Box, best: Sequence[float], prices: Sequence[float]) -> float:
        """A lower bound of the goal by a tangent of the Lagrangian; none where this is not proved to be convex."""
        if not self.is_small or not self._is_worth(sides):
            return -math.inf
        floor = self.checked.lagrangian(prices).least_by_tangent(sides, best)
        self.left = _TRIES if floor > -math.inf else self.left - 1
        return floor

    def _is_worth(self, sides: Box) -> bool:
        """Whether a box is small enough to try convexity: after many failures only those of half the size are tried."""
        ranges = zip(sides, self.program.box, strict=True)
        shares = [(high - low) / (most - least) for (low, high), (least, most) in ranges if most > least]
        breadth = max(shares, default=0.0)
        if self.left <= 0:
            self.broadest, self.left = breadth / 2, _TRIES
        return breadth <= self.broadest

    def with_squares(self, point: Sequence[float], prices: Sequence[float]) -> tuple[float, ...]:
        """The prices at a point, then those of squares of zeros that make the Lagrangian convex there, if any do."""
        program = self.program
        if not self.is_small or not program.zeros or not prices:
            return tuple(prices)
        from numpy import array, zeros
        from numpy.linalg import eigvalsh, norm

        values = {**program.known, **dict(zip(program.names, point, strict=True))}
        seconds = self.checked.lagrangian(prices).seconds
        firsts = [[derivative(zero, name) for name in program.names] for zero in program.zeros]
        if None in chain(*seconds, *firsts):
            return tuple(prices)
        widths = array([high - low for low, high in program.box])
        triangle = [[value(form, values) for form in row if form is not None] for row in seconds]
        places = range(len(triangle))
        hessian = array([[triangle[max(i, k)][min(i, k)] for k in places] for i in places]) * widths[:, None] * widths
        slopes = [array([value(form, values) for form in row if form is not None]) * widths for row in firsts]
        moving = [i for i, width in enumerate(widths) if width]
        size = float(norm(hessian)) or 1.0
        # at price 1 times its share, the square of a zero has second derivatives as large as those of the Lagrangian
        shares = [size / (2 * float(slope @ slope)) if slope.any() else 0.0 for slope in slopes]
        across = zeros(hessian.shape)
        for share, slope in zip(shares, slopes, strict=True):
            across += 2 * share * slope[:, None] * slope
        least = [float(eigvalsh((hessian + price * across)[moving][:, moving])[0]) for price in _SQUARES]
        if not least[-1] > 0:  # not convex even at the highest price
            return tuple(prices)
        enough = next(i for i, low in enumerate(least) if low >= _ENOUGH * least[-1])
        return (*prices, *(_SQUARES[enough] * share for share in shares))
