"""Local solving from a start: the methods of MINPACK, and Newton's method for sparse systems.

Powell's hybrid method (Powell 1970; MINPACK's `hybr`) follows a dogleg between the Newton step and the steepest
descent and updates its Jacobian by Broyden's rule; it comes first where the unknowns are few. Where it stalls without
a root, and always where the unknowns are many, Newton's method is damped by the natural monotonicity test (Deuflhard,
*Newton Methods for Nonlinear Problems*, 2004, section 3.3): a step is accepted if the next correction, with the same
Jacobian, is shorter. Unlike residuals, corrections do not change when an equation is scaled. The Levenberg-Marquardt
method (`lm`) comes last; it also leaves points where the Jacobian is singular.

A positive unknown is solved for in its logarithm, so that its size does not matter and it stays positive; if that
fails, directly. Each equation is scaled by its change when every unknown changes by its own size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from derive.expressions.balls import many_digits
from derive.expressions.tree import Equation
from derive.numerics.algebra.multiprecision import difference
from derive.numerics.local_solvers.automatic_differentiation import Tape
from derive.time_limits import tick
from derive.tolerances import HANDFUL, NEAR_MULTIPLE, NEGLIGIBLE, RANK, SAME_ROOT

Array = Any
"""A NumPy array of floats."""

_FEW = 60  # unknowns up to which the dense methods come first
_MANY = 300  # unknowns above which they are not tried
_STEPS = 100
_SHORTEST = 1e-6  # least share of a Newton step that is tried
_FARTHEST = 3.0  # limit on the change of a logarithm in one step
_CALL = 1000  # cost of a call in operations, whatever the size of the system
_BEYOND = 1e100  # replaces an undefined residual


class Search:
    """Searches for roots of one system from given starts, and their work so far, in operations."""

    def __init__(self, tape: Tape, positive: Sequence[bool]) -> None:
        self.tape = tape
        self.positive = np.array(positive)
        self.work = 0

    def root_near(self, start: Sequence[float], *, has_each_method: bool = True) -> Array | None:
        """A root by local solving from a start: a method of MINPACK or Newton's, confirmed by full Newton steps.

        None if none of the methods finds one, or the first of them where only that is tried.
        """
        point = np.array(start, dtype=float)
        logarithmic = self.positive & (point > 0)
        charts = [logarithmic, np.zeros_like(logarithmic)] if logarithmic.any() else [logarithmic]
        for chart in charts:  # a chart says which unknowns are solved for in their logarithms
            for method in self._methods()[: None if has_each_method else 1]:
                tick()
                approached = method(_ScaledSystem(self, chart, point))
                if approached is not None and np.isfinite(approached).all():
                    root = corrected(self.tape, approached)
                    if root is not None:
                        return root
        return None

    def _methods(self) -> list[Callable[[_ScaledSystem], Array | None]]:
        size = len(self.tape.unknowns)
        if size <= _FEW:
            return [_hybrid, _newton, _levenberg]
        return [_newton, _hybrid] if size <= _MANY else [_newton]


class _ScaledSystem:
    """The system in scaled unknowns: in logarithms where the chart says so, else divided by their size."""

    def __init__(self, search: Search, chart: Array, start: Array) -> None:
        """Scale each unknown by its size at the start, and each residual by its change there."""
        self.search, self.chart = search, chart
        size = np.abs(start)
        middling = np.exp(np.mean(np.log(size[size > 0]))) if size.any() else 1.0
        self.unit = np.where(chart, 1.0, np.maximum(size, 1e-3 * middling))
        self.start = self.scaled(start)
        self.weights = np.ones(len(start))
        moved = abs(self.jacobian(self.start)).sum(axis=1)
        self.weights = 1.0 / np.where(np.isfinite(moved) & (moved > 0), moved, 1.0)

    def scaled(self, point: Array) -> Array:
        return np.where(self.chart, np.log(np.where(self.chart, point, 1.0)), point / self.unit)

    def unscaled(self, point: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.where(self.chart, np.exp(np.where(self.chart, point, 0.0)), point * self.unit)

    def gaps(self, point: Array) -> Array:
        tick()
        self.search.work += self.search.tape.work + _CALL
        with np.errstate(all="ignore"):
            gaps = self.search.tape.gaps(self.unscaled(point)) * self.weights
        return np.where(np.isfinite(gaps), gaps, _BEYOND)

    def jacobian(self, point: Array) -> Array:
        """The Jacobian of the scaled residuals in the scaled unknowns, for MINPACK or Newton's method."""
        tape = self.search.tape
        self.search.work += tape.work * min(len(tape.unknowns), 30) + 3 * _CALL
        outer = self.unscaled(point)
        slopes = tape.jacobian(outer)
        unit = np.where(self.chart, outer, self.unit)
        if tape.is_sparse:
            from scipy import sparse

            return sparse.diags_array(self.weights) @ slopes @ sparse.diags_array(unit)
        with np.errstate(all="ignore"):
            slopes = slopes * unit * self.weights[:, None]
        return np.nan_to_num(slopes, nan=0.0, posinf=_BEYOND, neginf=-_BEYOND)


def _by_minpack(system: _ScaledSystem, method: str, limit: str) -> Array | None:
    """The point at which a method of MINPACK stops by its own tolerance; `limit` names its option for the work."""
    from scipy import optimize

    dense = (lambda point: system.jacobian(point).toarray()) if system.search.tape.is_sparse else system.jacobian
    if np.abs(system.gaps(system.start)).max() >= _BEYOND:
        return None
    with np.errstate(all="ignore"):
        result = optimize.root(
            system.gaps, system.start, jac=dense, method=method, options={limit: 20 * (len(system.start) + 5)}
        )
    system.search.work += result.nfev * len(system.start)
    return system.unscaled(result.x)


_hybrid = partial(_by_minpack, method="hybr", limit="maxfev")
_levenberg = partial(_by_minpack, method="lm", limit="maxiter")


def _newton(system: _ScaledSystem) -> Array | None:
    """A scaled system's root where MINPACK stalls or unknowns are many, by Newton's method; None without a step."""
    point, share = system.start, 1.0
    gaps = system.gaps(point)
    for _ in range(_STEPS):
        tick()
        solve = solver(system.jacobian(point))
        step = None if solve is None or np.abs(gaps).max() >= _BEYOND else -solve(gaps)
        if solve is None or step is None or not np.isfinite(step).all():
            return None
        length = _length(step, point, system.chart)
        if length <= SAME_ROOT:
            return system.unscaled(point + step)
        farthest = np.abs(step[system.chart]).max(initial=0.0)
        share = min(1.0, 2.0 * share, _FARTHEST / farthest if farthest else 1.0)
        while True:
            moved = point + share * step
            gaps = system.gaps(moved)
            nearer = _length(solve(gaps), moved, system.chart) if np.abs(gaps).max() < _BEYOND else np.inf
            if nearer <= (1.0 - share / 4.0) * length:
                break
            share /= 2.0
            if share < _SHORTEST:  # as at a root, where only rounding is left of the steps
                return system.unscaled(point)
        point = moved
    return system.unscaled(point)


def _length(step: Array, point: Array, chart: Array) -> float:
    """The length of a correction to MINPACK's scaled unknowns, relative to them; of those in logarithms, as it is."""
    scale = np.where(chart, 1.0, np.maximum(np.abs(point), 1.0))
    with np.errstate(over="ignore"):  # infinity is what it comes to
        return float(np.sqrt(np.mean((step / scale) ** 2)))


def solver(jacobian: Array) -> Callable[[Array], Array] | None:
    """A solver of a local step's linear equations; of a singular Jacobian by least squares, or None if it is sparse."""
    if not isinstance(jacobian, np.ndarray):
        from scipy.sparse import linalg

        try:
            factors = linalg.splu(jacobian.tocsc())
        except (RuntimeError, ValueError):
            return None
        solve: Callable[[Array], Array] = factors.solve
        return solve
    from scipy import linalg as dense

    if not np.isfinite(jacobian).all():
        return None
    lu, pivots, _ = dense.lapack.dgetrf(jacobian)
    diagonal = np.abs(np.diag(lu))
    if diagonal.min() > RANK * diagonal.max():
        return lambda right: dense.lapack.dgetrs(lu, pivots, right)[0]
    return lambda right: np.linalg.lstsq(jacobian, right, rcond=RANK)[0]


def refined(tape: Tape, equations: Sequence[Equation], root: Array) -> Array:
    """A local root of MINPACK's refined to its last digit: gaps in many digits, steps in doubles (Wilkinson 1963).

    An unknown that has lost all its digits is set to zero, if the next correction does not move it back.
    """
    solve = solver(tape.jacobian(root))
    if solve is None:
        return root

    def step_from(point: Array) -> Array | None:
        numbers = dict(zip(tape.unknowns, point.tolist(), strict=True))
        with many_digits():
            gaps = [difference(equation, numbers, tape.known) for equation in equations]
        return None if any(gap is None for gap in gaps) else solve(np.array([float(gap) for gap in gaps]))

    current, shortest = root, np.inf
    for _ in range(3):
        tick()
        step = step_from(current)
        length = np.inf if step is None else float(np.max(np.abs(step) / np.where(root != 0, np.abs(root), 1.0)))
        if not length < shortest:
            break
        current, shortest = current - step, length
    small = np.abs(current) <= NEGLIGIBLE * np.abs(root)
    snapped = np.where(small, 0.0, current)
    step_back = step_from(snapped) if small.any() else None
    stays = step_back is not None and np.all(np.abs(step_back[small]) <= 1e-3 * np.abs(root[small]))
    return snapped if stays else current


def corrected(tape: Tape, point: Array) -> Array | None:
    """A point of MINPACK's or Newton's after a few full Newton steps, if these shrink until only rounding is left."""
    best, shortest = None, np.inf
    for _ in range(12):
        tick()
        gaps = tape.gaps(point)
        if not np.isfinite(gaps).all():
            break
        if not gaps.any():
            return point
        matrix = tape.jacobian(point)
        solve = solver(matrix) if np.isfinite(matrix.data if tape.is_sparse else matrix).all() else None
        step = None if solve is None else solve(gaps)
        if step is None or not np.isfinite(step).all():
            break
        length = float(np.max(np.abs(step) / np.maximum(np.abs(point), 1e-3 * np.max(np.abs(point)) or 1.0)))
        if length >= 0.7 * shortest:
            break
        best, shortest = point, length
        point = point - step
        if length <= HANDFUL:
            return point
    return best if shortest <= NEAR_MULTIPLE else None
