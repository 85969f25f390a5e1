"""The interval Newton method of Krawczyk: whether a box holds exactly one solution of a square system, or none.

Let F be continuous on a box X with centre c and radii r, J an enclosure of its slopes there, and Y any real matrix,
here an approximate inverse of J's midpoint. By the mean value theorem every solution in X is `c + d` with

    d = b + (I - Y*A)*d    for some matrix A in J,    where b = -Y*F(c).

With E an upper bound of |I - Y*A| for all A in J, each component of d lies in `b_i +- (E*r)_i`. Hence:

- no solution lies in X outside these bounds, and none at all where they miss X (contraction);
- if `|b_i| + (E*r)_i < r_i` for all i, X holds exactly one solution (Krawczyk 1969, Moore 1977). Existence: the
  right-hand side maps X - c into itself and has a fixed point (Brouwer), and Y is regular, since the norm of I - Y*A,
  scaled by r, is less than one. Uniqueness: the difference of two solutions would be mapped to zero by some Y*A,
  which is regular for the same reason. For uniqueness alone `(E*r)_i < r_i` is enough.

Where E_ii is less than one, the i-th row can be solved for d_i (Hansen and Sengupta 1981). The matrices are FLINT's, of
balls, which bound their own rounding (Johansson 2017). Each equation is divided by its change over the box, so that
sizes do not decide which pivot is the largest.

Where numbers in F are only known to lie in ranges, F(c) and J enclose what they are for all of them, and the claims
hold throughout: one solution at each point of the ranges, which is continuous (with parameters: Neumaier 1990, chapter
5). Its slopes in the parameters solve `J du/dp = -G`, with G the slopes of F in them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import mul
from typing import Any

from derive.numerics.intervals.arithmetic import Box, Span, is_narrower
from derive.numerics.root_finding.expression_graph import Dag
from derive.tolerances import EPSILON, UNDERFLOW

_SHARES = (1.0, 0.25, 1e-2, 1e-4, 1e-7, 1e-10)  # shares of a box that are tried around a point
_WIDENINGS = 20  # limit on tries to find a box that holds what its image holds
_WIDENED = 1.1  # by which an image is widened for another try
_TIGHTENING = 40  # limit on steps that narrow a box, of which the first in a wide box gain little
_PAYS = 0.1  # share of a width that a step must cut off one unknown for another to follow

Matrix = Any
"""A FLINT matrix of balls."""


@dataclass(frozen=True, slots=True)
class Newton:
    """The result of one step: the rest of the box, None if it is empty, and whether it holds exactly one solution."""

    left: Box | None
    unique: bool
    single: bool  # whether it holds at most one
    towards: tuple[float, ...]  # the point that a step from the centre leads to
    reach: tuple[float, ...]  # how far from there a solution of the box may be
    smears: tuple[float, ...]  # each unknown's share in the variation of the equations


def newton(dag: Dag, box: Sequence[Span]) -> Newton | None:
    """One interval Newton step of Krawczyk's over a box; None if slopes are unbounded, undefined or nearly singular.

    >>> from derive.expressions.grammar import parse_equation
    >>> from derive.numerics.root_finding.expression_graph import dag_of
    >>> dag = dag_of([parse_equation("x**2 + y**2 = 25"), parse_equation("x + y = 7")], ["x", "y"], {})
    >>> newton(dag, ((2.6, 3.4), (3.6, 4.4))).unique, newton(dag, ((2.0, 2.5), (3.6, 4.4))).left
    (True, None)
    """
    from flint import arb, arb_mat

    centre = tuple(low + (high - low) / 2 for low, high in box)
    radii = [math.nextafter(max(c - low, high - c), math.inf) for c, (low, high) in zip(centre, box, strict=True)]
    slopes = _slopes(dag, box)
    at_centre = None if slopes is None else dag.run([(c, c) for c in centre])
    if slopes is None or at_centre is None or at_centre.flaws:
        return None
    gaps = [at_centre.spans[root] for root in dag.roots]
    scales = _scales(slopes, radii)
    if scales is None or not all(math.isfinite(low) and math.isfinite(high) for low, high in gaps):
        return None
    matrix = _scaled(slopes, scales)
    inverse = _inverse(matrix)
    if inverse is None:
        return None
    size = len(box)
    products = inverse * matrix
    errors = arb_mat(size, size, 1) - products
    off_diagonal = arb_mat([[0 if i == j else errors[i, j] for j in range(size)] for i in range(size)])
    displacements = arb_mat([[arb(0, radius)] for radius in radii])  # of any point of the box from its centre
    steps = -inverse * _scaled([[gap] for gap in gaps], scales)
    reaches, rests = errors * displacements, off_diagonal * displacements
    narrowed: list[Span] = []
    towards, reach = [], []
    unique = single = True
    for i, (low, high) in enumerate(box):
        move = steps[i, 0] + reaches[i, 0]  # the bounds of d_i
        solved_move = (steps[i, 0] + rests[i, 0]) / products[i, i]  # NaN, which is no bound, if the divisor may be zero
        single = single and reaches[i, 0].abs_upper() < radii[i]
        unique = unique and move.abs_upper() < min(centre[i] - low, high - centre[i]) * (1 - 4 * EPSILON)
        towards.append(centre[i] + float(move.mid()))
        reach.append(math.nextafter(float(move.rad()), math.inf))
        (bottom, top), (least, most) = _ends(centre[i] + move), _ends(centre[i] + solved_move)
        narrowed.append((max(low, bottom, least), min(high, top, most)))
    is_empty = any(low > high for low, high in narrowed)
    remaining, smears = None if is_empty else tuple(narrowed), _smears(slopes, radii)
    return Newton(remaining, unique, single, towards=tuple(towards), reach=tuple(reach), smears=smears)


def isolated_near(dag: Dag, point: Sequence[float], reach: Sequence[float]) -> tuple[Box, Box] | None:
    """A box near a point that Krawczyk's step proves to hold one solution, and a narrow one in it; or None.

    The box is the largest tried share of the reach for which this is proved.
    """
    isolated = isolated_over(dag, point)
    if isolated is None:
        return None
    _, narrow = isolated
    for share in _SHARES:
        around = tuple(
            (low - share * size, high + share * size) for (low, high), size in zip(narrow, reach, strict=True)
        )
        step = newton(dag, around)
        if step is not None and step.unique:
            return around, narrow
    return isolated


def isolated_over(dag: Dag, point: Sequence[float]) -> tuple[Box, Box] | None:
    """A box that Krawczyk's step proves to hold one solution for all numbers in some ranges, and a narrow one in it.

    The solution is therefore continuous in these numbers. None if that is not proved in a few tries, of which the first
    is `point`.

    >>> from derive.expressions.grammar import parse_equation
    >>> from derive.numerics.root_finding.expression_graph import dag_of
    >>> dag = dag_of([parse_equation("x**2 = a")], ["x"], {}, ranges={"a": (3.9, 4.1)})
    >>> [[round(end, 3) for end in side] for side in isolated_over(dag, [2.0])[1]]
    [[1.975, 2.025]]
    """
    box = tuple((x, x) for x in point)
    for _ in range(_WIDENINGS):
        step = newton(dag, box)
        if step is None:
            return None
        if step.unique and step.left is not None:
            return box, tightened(dag, step.left)
        margins = [_WIDENED * reach + 64 * EPSILON * abs(x) for x, reach in zip(step.towards, step.reach, strict=True)]
        box = tuple((x - margin, x + margin) for x, margin in zip(step.towards, margins, strict=True))
        if not all(map(math.isfinite, chain.from_iterable(box))):
            return None
    return None


def implicit_slopes(dag: Dag, box: Box) -> list[list[Span]] | None:
    """The slopes of a system's solution in its parameters over a box, by Krawczyk's matrix; None if undetermined.

    The first unknowns are the solution, as many as there are equations, and the others the parameters. The slopes s
    solve `J*s = -G`, so that `s = -Y*G + (I - Y*J)*s`. Relative to the sides of the box, no component is greater than
    the greatest of Y*G, divided by one less the norm of I - Y*J.

    >>> from derive.expressions.grammar import parse_equation
    >>> from derive.numerics.root_finding.expression_graph import dag_of
    >>> dag = dag_of([parse_equation("x**2 = a")], ["x", "a"], {})
    >>> [[round(end, 2) for end in slope] for slope in implicit_slopes(dag, ((1.98, 2.02), (3.95, 4.05)))[0]]
    [[0.25, 0.25]]
    """
    from flint import arb, arb_mat

    rows = _slopes(dag, box)
    sizes = [max(high - low, EPSILON * max(abs(low), abs(high)), UNDERFLOW) for low, high in box]
    scales = None if rows is None else _scales(rows, sizes)
    if rows is None or scales is None:
        return None
    count = len(rows)
    widths = arb_mat([[sizes[i] if i == j else 0 for j in range(count)] for i in range(count)])
    matrix = _scaled([row[:count] for row in rows], scales) * widths
    inverse = _inverse(matrix)
    if inverse is None:
        return None
    errors = (arb_mat(count, count, 1) - inverse * matrix) * arb_mat([[arb(0, 1)] for _ in range(count)])
    norm = max(error.abs_upper() for error in errors.entries())
    if not norm < 1:
        return None
    columns = (-inverse * _scaled([row[count:] for row in rows], scales)).transpose().tolist()
    most = [max(share.abs_upper() for share in column) / (1 - norm) for column in columns]
    return [
        [_ends(sizes[i] * (column[i] + errors[i, 0] * largest)) for column, largest in zip(columns, most, strict=True)]
        for i in range(count)
    ]


def tightened(dag: Dag, box: Box) -> Box:
    """A box known to hold a solution, narrowed by Krawczyk's steps to the precision of doubles."""
    for _ in range(_TIGHTENING):
        step = newton(dag, box)
        if step is None or step.left is None:
            return box
        before, box = box, step.left
        if not is_narrower(box, before, _PAYS):
            break
    return box


def _smears(slopes: Sequence[Sequence[Span]], radii: Sequence[float]) -> tuple[float, ...]:
    """Each unknown's share in the equations' changes over the box, by Krawczyk's slopes (Trombettoni 2010)."""
    shares = [0.0] * len(radii)
    for row in slopes:
        changes = [max(-low, high) * radius for (low, high), radius in zip(row, radii, strict=True)]
        change = sum(changes)
        if 0 < change < math.inf:
            shares = [share + part / change for share, part in zip(shares, changes, strict=True)]
    return tuple(shares)


def _slopes(dag: Dag, box: Sequence[Span]) -> list[list[Span]] | None:
    """Enclosures of all slopes of the equations over a box, for Krawczyk's step; None if unbounded."""
    if not all(math.isfinite(low) and math.isfinite(high) for low, high in box):
        return None
    run = dag.run(box)
    if run is None or run.flaws:
        return None
    rows = [dag.gradient(i, run) for i in range(len(dag.roots))]
    ends = chain.from_iterable(chain.from_iterable(rows))
    return rows if all(map(math.isfinite, ends)) else None


def _scales(slopes: Sequence[Sequence[Span]], radii: Sequence[float]) -> list[float] | None:
    """The changes of equations over the box, by which Krawczyk's matrix is divided; None if one does not change."""
    scales = []
    for row in slopes:
        sizes = [max(-low, high) for low, high in row]
        scales.append(max(map(mul, sizes, radii)) or max(sizes))
    return scales if all(0 < scale < math.inf for scale in scales) else None


def _scaled(rows: Sequence[Sequence[Span]], scales: Sequence[float]) -> Matrix:
    """The matrix of slopes for Krawczyk's step, each row divided by its scale."""
    from flint import arb_mat

    return arb_mat([[_ball(entry) / scale for entry in row] for row, scale in zip(rows, scales, strict=True)])


def _inverse(matrix: Matrix) -> Matrix | None:
    """An approximate inverse of the matrix of slopes, as Krawczyk's operator needs it; None if nearly singular."""
    try:
        return matrix.mid().inv().mid()
    except ZeroDivisionError:
        return None


def _ball(span: Span) -> Any:
    """FLINT's ball around an interval, for the matrices of Krawczyk's step."""
    from flint import arb

    low, high = span
    middle = low / 2 + high / 2
    radius = math.nextafter(max(high - middle, middle - low), math.inf) if low < high else 0
    return arb(middle, radius)


def _ends(ball: Any) -> Span:
    """The interval around FLINT's ball, as Krawczyk's step returns it."""
    return math.nextafter(float(ball.lower()), -math.inf), math.nextafter(float(ball.upper()), math.inf)
