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

Where E_ii is less than one, the i-th row can be solved for d_i, whose bounds are then `b_i +- sum of E_ij*r_j` over
the others, divided by a number between 1 - E_ii and 1 + E_ii (Hansen and Sengupta 1981). J is stored as midpoints and
radii, so that the matrices are multiplied in doubles; their rounding error is bounded by the sum of the absolute
products and added to E (Rump 1999).

Where numbers in F are only known to lie in ranges, F(c) and J enclose what they are for all of them, and the claims
hold throughout: one solution at each point of the ranges, which is continuous (with parameters: Neumaier 1990, chapter
5). Its slopes in the parameters solve `J du/dp = -G`, with G the slopes of F in them.

The matrices are lists. For four unknowns Y and E are a fifth of the work, 0.08 ms, of which NumPy would save two
thirds; but its import takes a quarter of a second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from derive.numerics.intervals.arithmetic import FAINT, ZERO, Span, plus, times
from derive.numerics.root_finding.expression_graph import Box, Dag
from derive.tolerances import EPSILON, UNDERFLOW

_SHARES = (1.0, 0.25, 1e-2, 1e-4, 1e-7, 1e-10)  # shares of a box that are tried around a point
_WIDENINGS = 20  # limit on tries to find a box that holds what its image holds
_WIDENED = 1.1  # of an image, for another try
_TIGHTENING = 40  # limit on steps that narrow a box, of which the first in a wide box gain little
_PAYS = 0.9  # share of a width to which a step must cut one unknown for another to follow

Matrix = list[list[float]]


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
    """One step of the interval Newton method; None where the slopes are unbounded, undefined or nearly singular.

    >>> from derive.expressions.grammar import parse_equation
    >>> from derive.numerics.root_finding.expression_graph import dag_of
    >>> dag = dag_of([parse_equation("x**2 + y**2 = 25"), parse_equation("x + y = 7")], ["x", "y"], {})
    >>> newton(dag, ((2.6, 3.4), (3.6, 4.4))).unique, newton(dag, ((2.0, 2.5), (3.6, 4.4))).left
    (True, None)
    """
    slopes = _slopes(dag, box)
    if slopes is None:
        return None
    centre = tuple(low + (high - low) / 2 for low, high in box)
    radii = [_up(max(c - low, high - c)) for c, (low, high) in zip(centre, box, strict=True)]
    shares = _smears(slopes, radii)
    middles, spreads = _split(slopes)
    inverse = _approximate_inverse(middles, radii)
    here = dag.run([(c, c) for c in centre])
    if inverse is None or here is None or here.flawed:
        return None
    gaps = [here.spans[root] for root in dag.roots]
    if not all(math.isfinite(low) and math.isfinite(high) for low, high in gaps):
        return None
    steps, blurs = _steps(inverse, gaps)
    errors = _errors(inverse, middles, spreads)
    towards = tuple(c + step for c, step in zip(centre, steps, strict=True))
    reaches = tuple(_up(_sum(row, radii) + blur) for row, blur in zip(errors, blurs, strict=True))
    left: list[Span] = []
    unique = single = True
    for i, (low, high) in enumerate(box):
        reach = _sum(errors[i], radii)
        single = single and reach < radii[i]
        inside = min(centre[i] - low, high - centre[i]) * (1 - 4 * EPSILON)
        unique = unique and _up(abs(steps[i]) + blurs[i] + reach) < inside
        bound = reaches[i]
        bottom, top = steps[i] - bound, steps[i] + bound
        if errors[i][i] < 1:
            bottom, top = _divided(i, steps[i], blurs[i], errors[i], radii, (bottom, top))
        slack = 4 * EPSILON * (abs(centre[i]) + abs(steps[i]) + bound) + UNDERFLOW
        bottom, top = max(low, centre[i] + bottom - slack), min(high, centre[i] + top + slack)
        if not bottom <= top:
            return Newton(None, False, True, towards, reaches, shares)
        left.append((bottom, top))
    return Newton(tuple(left), unique, single, towards, reaches, shares)


def isolated_near(dag: Dag, point: Sequence[float], reach: Sequence[float]) -> tuple[Box, Box] | None:
    """A box that holds exactly one solution, and a narrow box around that; None if none is found near the point.

    The box is the largest tried share of the reach for which this is proved.
    """
    found = isolated_over(dag, point)
    if found is None:
        return None
    narrow = found[1]
    for share in _SHARES:
        around = tuple(
            (low - share * size, high + share * size) for (low, high), size in zip(narrow, reach, strict=True)
        )
        step = newton(dag, around)
        if step is not None and step.unique:
            return around, narrow
    return found


def isolated_over(dag: Dag, point: Sequence[float]) -> tuple[Box, Box] | None:
    """A box that holds exactly one solution for all numbers in the graph's ranges, which is therefore continuous in
    them, and a narrow box around that; None if that is not proved from a solution at one of them on.

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
        aside = [_WIDENED * reach + 64 * EPSILON * abs(x) for x, reach in zip(step.towards, step.reach, strict=True)]
        box = tuple((x - by, x + by) for x, by in zip(step.towards, aside, strict=True))
        if not all(math.isfinite(end) for side in box for end in side):
            return None
    return None


def implicit_slopes(dag: Dag, box: Box) -> list[list[Span]] | None:
    """How each of the first unknowns moves with each of the others, as many of which as there are equations are bound
    by them; None where the equations may not bind them.

    The slopes s solve `J*s = -G`, so that `s = -Y*G + (I - Y*J)*s`. Relative to the sides of the box, no component
    is greater than the greatest of Y*G, divided by one less the norm of E.

    >>> from derive.expressions.grammar import parse_equation
    >>> from derive.numerics.root_finding.expression_graph import dag_of
    >>> dag = dag_of([parse_equation("x**2 = a")], ["x", "a"], {})
    >>> [[round(end, 2) for end in slope] for slope in implicit_slopes(dag, ((1.98, 2.02), (3.95, 4.05)))[0]]
    [[0.25, 0.25]]
    """
    rows = _slopes(dag, box)
    if rows is None:
        return None
    count = len(rows)
    middles, spreads = _split([row[:count] for row in rows])
    sizes = [_up(max(high - low, EPSILON * max(abs(low), abs(high)), UNDERFLOW)) for low, high in box[:count]]
    inverse = _approximate_inverse(middles, sizes)
    if inverse is None:
        return None
    reaches = [_sum(row, sizes) for row in _errors(inverse, middles, spreads)]
    norm = _up(max(reach / size for reach, size in zip(reaches, sizes, strict=True)))
    if not norm < 1:
        return None
    found = []
    for j in range(count, len(dag.unknowns)):
        first = []
        for line in inverse:
            total = ZERO
            for y, row in zip(line, rows, strict=True):
                total = plus(total, times((-y, -y), row[j]))
            first.append(total)
        most = max(max(-low, high) / size for (low, high), size in zip(first, sizes, strict=True))
        asides = [_up(_up(reach * most) / (1 - norm)) for reach in reaches]
        found.append([plus(slope, (-aside, aside)) for slope, aside in zip(first, asides, strict=True)])
    return [list(slopes) for slopes in zip(*found, strict=True)]


def tightened(dag: Dag, box: Box) -> Box:
    """A box that is known to hold a solution, narrowed to the precision of doubles."""
    for _ in range(_TIGHTENING):
        found = newton(dag, box)
        if found is None or found.left is None:
            return box
        pays = any(b - a < _PAYS * (high - low) for (a, b), (low, high) in zip(found.left, box, strict=True))
        box = found.left
        if not pays:
            break
    return box


def _smears(slopes: Sequence[Sequence[Span]], radii: Sequence[float]) -> tuple[float, ...]:
    """Each unknown's share in the variation of the equations, summed over them (Trombettoni 2010)."""
    total = [0.0] * len(radii)
    for row in slopes:
        parts = [max(-low, high) * radius for (low, high), radius in zip(row, radii, strict=True)]
        whole = sum(parts)
        if 0 < whole < math.inf:
            total = [sofar + part / whole for sofar, part in zip(total, parts, strict=True)]
    return tuple(total)


def _slopes(dag: Dag, box: Sequence[Span]) -> list[list[Span]] | None:
    """Enclosures of all slopes of the equations; None if they are unbounded."""
    if not all(math.isfinite(low) and math.isfinite(high) for low, high in box):
        return None
    run = dag.run(box)
    if run is None or run.flawed:
        return None
    rows = [dag.gradient(i, run) for i in range(len(dag.roots))]
    bounded = all(math.isfinite(low) and math.isfinite(high) for row in rows for low, high in row)
    return rows if bounded else None


def _split(slopes: Sequence[Sequence[Span]]) -> tuple[Matrix, Matrix]:
    """Intervals as midpoints and radii that cover them."""
    middles = [[low / 2 + high / 2 for low, high in row] for row in slopes]
    spreads = [
        [_up(max(high - middle, middle - low)) for (low, high), middle in zip(row, along, strict=True)]
        for row, along in zip(slopes, middles, strict=True)
    ]
    return middles, spreads


def _up(x: float) -> float:
    return x * (1 + 4 * EPSILON) + FAINT


def _sum(row: Sequence[float], column: Sequence[float]) -> float:
    """An upper bound of a sum of nonnegative products."""
    total: float = sum(map(mul, row, column))
    return total * (1 + (2 * len(row) + 4) * EPSILON) + UNDERFLOW


def _steps(inverse: Matrix, gaps: Sequence[Span]) -> tuple[list[float], list[float]]:
    """b, and a bound on its error by rounding and by the enclosure of F."""
    middles = [low / 2 + high / 2 for low, high in gaps]
    share = (len(gaps) + 4) * EPSILON
    sizes = [
        _up(max(high - middle, middle - low)) + share * abs(middle)
        for (low, high), middle in zip(gaps, middles, strict=True)
    ]
    steps = [-sum(map(mul, row, middles)) for row in inverse]
    return steps, [_sum([abs(x) for x in row], sizes) for row in inverse]


def _errors(inverse: Matrix, middles: Matrix, spreads: Matrix) -> Matrix:
    """E: an upper bound of |I - Y*A| for all matrices A of the enclosure."""
    size = len(inverse)
    share = (size + 4) * EPSILON
    columns = list(zip(*middles, strict=True))
    widths = [
        [spread + share * abs(middle) for spread, middle in zip(*pair, strict=True)]
        for pair in zip(zip(*spreads, strict=True), columns, strict=True)
    ]
    errors = []
    for i, row in enumerate(inverse):
        sizes = [abs(x) for x in row]
        errors.append(
            [
                _up(abs((i == j) - sum(map(mul, row, columns[j]))) + _sum(sizes, widths[j]) + share * (i == j))
                for j in range(size)
            ]
        )
    return errors


def _divided(i: int, step: float, blur: float, errors: Sequence[float], radii: Sequence[float], bounds: Span) -> Span:
    """Bounds of a component of d with the diagonal divided off, where they are tighter."""
    others = _sum([0.0 if j == i else error for j, error in enumerate(errors)], radii)
    reach = _up(others + blur)
    low, high = step - reach, step + reach
    least, most = (1 - errors[i]) * (1 - 4 * EPSILON), _up(1 + errors[i])
    low = low / (least if low < 0 else most)
    high = high / (least if high > 0 else most)
    slack = 4 * EPSILON * (abs(low) + abs(high))
    return max(bounds[0], low - slack), min(bounds[1], high + slack)


def _approximate_inverse(matrix: Matrix, radii: Sequence[float]) -> Matrix | None:
    """An approximate inverse (Gauss-Jordan, rows scaled by their size over the box); None if it is singular."""
    size = len(matrix)
    rows = []
    for i, row in enumerate(matrix):
        scale = max((abs(entry) * radius for entry, radius in zip(row, radii, strict=True)), default=0.0)
        scale = scale if scale > UNDERFLOW else max(map(abs, row))  # a point has no radii
        if not 0 < scale < math.inf:
            return None
        rows.append([entry / scale for entry in row] + [(1 / scale if i == j else 0.0) for j in range(size)])
    for column in range(size):
        best = max(range(column, size), key=lambda i: abs(rows[i][column]))
        pivot = rows[best][column]
        if not pivot or not math.isfinite(pivot):
            return None
        rows[column], rows[best] = rows[best], rows[column]
        lead = [entry / pivot for entry in rows[column]]
        rows[column] = lead
        for i, row in enumerate(rows):
            if i != column and row[column]:
                factor = row[column]
                rows[i] = [entry - factor * above for entry, above in zip(row, lead, strict=True)]
    inverse = [row[size:] for row in rows]
    return inverse if all(math.isfinite(entry) for row in inverse for entry in row) else None
