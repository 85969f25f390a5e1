"""Roots with a singular Jacobian: whether they are isolated, of which order, and to how many digits.

A singular Jacobian at a root does not prove a curve of solutions: a line that touches a circle meets it once. So
solutions are sought at two distances along each null direction of the Jacobian: on the plane at that distance the
residuals are minimised by least squares. On a curve of solutions they vanish at both distances. Around an isolated
root they grow like a power of the distance. That power is the order of the root, and the number of digits is divided
by it: an order of two leaves eight of sixteen, since a change in the sixteenth digit of a given moves a double root
in the eighth.

Newton's method still converges to such a root, slowly, and with a hundred and fifty digits it is not stopped by
rounding. Its steps shrink by a constant ratio, which gives their sum (Reddien 1978; Decker and Kelley 1980).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from derive.expressions.tree import Equation
from derive.numerics.algebra.exact_values import many_digits
from derive.numerics.algebra.multiprecision import difference
from derive.time_limits import tick
from derive.tolerances import LIBRARY_GAP, NO_GAP, QUOTIENT, RANK_AT_ROOT, SHARP, VANISHING

__all__ = ["Standing", "sharpened", "standing"]

_DISTANCES = (0.1, 0.03)  # as shares of the unknowns
_AROUND = 0.3  # share of the unknowns within which the size of a gap is measured
_FAR = 10.0  # step, as a share of the largest unknown, that leads elsewhere
_STEPS = 150
_SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a root is isolated, and its order, which is one where the Jacobian is regular."""

    alone: bool
    order: int


def standing(equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]) -> Standing:
    """Whether a root is isolated, and of which order.

    >>> from derive.expressions.grammar import parse_equation
    >>> line = parse_equation("x + y = 2")
    >>> standing([parse_equation("x**2 + y**2 = 2"), line], {"x": 1.0, "y": 1.0}, {})
    Standing(alone=True, order=2)
    >>> standing([parse_equation("(x + y)**2 = 4"), line], {"x": 1.0, "y": 1.0}, {})
    Standing(alone=False, order=1)
    """
    import numpy as np

    from derive.numerics.local_solvers.automatic_differentiation import Tape

    tape = Tape(equations, list(point), known)
    at = np.array(list(point.values()))
    jacobian = tape.jacobian(at)
    slopes, columns = _balanced(jacobian.toarray() if tape.is_sparse else jacobian)
    if not np.isfinite(slopes).all():
        return Standing(alone=True, order=1)
    values = np.linalg.svd(slopes, compute_uv=False)
    if values[-1] > RANK_AT_ROOT * values[0]:
        return Standing(alone=True, order=1)
    unit = _units(at, columns)
    weights = _weights(tape, at, unit)
    _, values, directions = np.linalg.svd(slopes / columns * unit)
    flat = directions[values <= RANK_AT_ROOT * values[0]] if values[0] else directions
    orders = [1]
    for direction, sign in product(flat, (1.0, -1.0)):
        gaps = [_least_gap(tape, (at, unit, weights), sign * direction, distance) for distance in _DISTANCES]
        if max(gaps) <= NO_GAP:
            return Standing(alone=False, order=1)
        if min(gaps) > 0 and math.isfinite(max(gaps)):
            orders.append(round(math.log(gaps[0] / gaps[1]) / math.log(_DISTANCES[0] / _DISTANCES[1])))
    return Standing(alone=True, order=max(2, *orders))


def _balanced(matrix: Any) -> tuple[Any, Any]:
    """A matrix with rows and columns scaled to the size one, and the factors of its columns."""
    import numpy as np

    columns = np.ones(matrix.shape[1])
    for _ in range(_SWEEPS):
        for axis in (1, 0):
            largest = np.max(np.abs(matrix), axis=axis, keepdims=True)
            scale = 1.0 / np.where(largest > 0, largest, 1.0)
            matrix = matrix * scale
            columns = columns * scale[0] if axis == 0 else columns
    return matrix, columns


def _units(at: Any, columns: Any) -> Any:
    """The size of each unknown; for a zero, the size at which it matters as much as the others."""
    import numpy as np

    shares = np.abs(at) / columns
    largest = shares.max() or 1.0
    return np.where(shares > NO_GAP * largest, np.abs(at), largest * columns)


def _weights(tape: Any, at: Any, unit: Any) -> Any:
    """The factors that scale each gap to one in the surroundings of a point."""
    import numpy as np

    draw = np.random.default_rng(0)
    around = [np.abs(tape.gaps(at + _AROUND * unit * draw.uniform(-1, 1, len(at)))) for _ in range(len(at) + 6)]
    largest = np.max(np.nan_to_num(around), axis=0)
    return 1.0 / np.where(largest > 0, largest, 1.0)


def _least_gap(tape: Any, place: tuple[Any, Any, Any], direction: Any, distance: float) -> float:
    """How small the gaps can be made at a distance from a root along a direction; infinite if undefined."""
    import numpy as np
    from scipy import optimize

    at, unit, weights = place

    def gaps(step: Any) -> Any:
        tick()
        found = tape.gaps(at + unit * step) * weights
        return np.append(np.where(np.isfinite(found), found, 1.0), direction @ step - distance)

    def slopes(step: Any) -> Any:
        found = tape.jacobian(at + unit * step)
        rows = (found.toarray() if tape.is_sparse else found) * unit * weights[:, None]
        return np.vstack([np.nan_to_num(rows), direction])

    ends = dict.fromkeys(("xtol", "ftol", "gtol"), LIBRARY_GAP)
    found = optimize.least_squares(gaps, distance * direction, slopes, method="lm", **ends)
    moved = direction @ found.x
    if not 0.5 * distance < moved < 2.0 * distance:
        return math.inf
    left = tape.gaps(at + unit * found.x) * weights
    return float(np.max(np.abs(left))) if np.isfinite(left).all() else math.inf


@many_digits()
def sharpened(
    equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]
) -> dict[str, float] | None:
    """A root to the last digit of doubles, by Newton's method with 150 digits; None if it does not converge.

    >>> from derive.expressions.grammar import parse_equation
    >>> tangent = [parse_equation("x**2 + y**2 = 2"), parse_equation("x + y = 2")]
    >>> sharpened(tangent, {"x": 1.00000003, "y": 0.99999998}, {})
    {'x': 1.0, 'y': 1.0}
    """
    from flint import arb

    at = [arb(x) for x in point.values()]
    sizes = [abs(x) or max(map(abs, point.values())) or 1.0 for x in point.values()]

    def stepping(place: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
        """The relative length of the Newton step at a place, and the step."""
        tick()
        step = _step(equations, dict(zip(point, place, strict=True)), known, sizes)
        return max(abs(part) / size for part, size in zip(step, sizes, strict=True)) if step else math.inf, step or ()

    length, step = stepping(at)
    for _ in range(_STEPS):
        if not step or not max(map(abs, step)) <= _FAR * max(sizes):
            return None
        if length <= SHARP:
            return {name: _rounded(x, size) for name, x, size in zip(point, at, sizes, strict=True)}
        at = [(x - part).mid() for x, part in zip(at, step, strict=True)]
        before, (length, step) = length, stepping(at)
        if 0.3 < length / before < 0.95:
            ahead = [(x - part / (1 - length / before)).mid() for x, part in zip(at, step, strict=True)]
            farther = stepping(ahead)
            if farther[0] < 0.1 * length:
                at, (length, step) = ahead, farther
    return None


def _rounded(x: Any, size: float) -> float:
    """A number as a double; zero if Newton's method has brought it ever closer to zero."""
    return 0.0 if abs(x) <= VANISHING * size else float(x)


def _step(
    equations: Sequence[Equation], at: Mapping[str, Any], known: Mapping[str, float], sizes: Sequence[Any]
) -> Sequence[Any] | None:
    """A Newton step in many digits; None if the Jacobian is singular or a side is undefined."""
    from flint import arb, arb_mat

    here = [difference(equation, at, known) for equation in equations]
    if any(gap is None for gap in here):
        return None
    if all(gap == 0 for gap in here):
        return [arb(0)] * len(here)
    columns = []
    for size, (name, x) in zip(sizes, at.items(), strict=True):
        aside = QUOTIENT * (size if x == 0 else abs(x))
        there = [difference(equation, {**at, name: (x + aside).mid()}, known) for equation in equations]
        if any(gap is None for gap in there):
            return None
        columns.append([(gap - gap_here) / aside for gap, gap_here in zip(there, here, strict=True)])
    try:
        found = arb_mat(columns).transpose().solve(arb_mat([[gap] for gap in here]))
    except ZeroDivisionError:
        return None
    return [part.mid() for part in found.entries()]
