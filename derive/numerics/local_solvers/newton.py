"""Newton's method: damped steps on relative residuals, from many starts.

Unknowns span forty orders of magnitude. A residual is therefore taken relative to the size of its equation's terms,
and a step relative to the size of each unknown. Otherwise a step that suits one unknown is negligible for another.

Two to four unknowns take 5 to 13 microseconds in plain floats, and 9 to 11 in NumPy, which takes a quarter of a
second to import; scipy's methods (`minpack`) take a second more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from derive.expressions.tree import Apply, Equation, Node
from derive.numerics.algebra.evaluation import residual
from derive.numerics.algebra.like_terms import ZERO, constant_exponent
from derive.numerics.algebra.linear import solved
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, BLUR, LEAST, RANK_OF_SLOPES

_STEP = 1e-7  # relative step of the difference quotients
_DAMPED = 1e-5  # share of the largest diagonal entry that is added to each of them


def many_starts(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    known: Mapping[str, float],
    starts: Sequence[Mapping[str, float]],
    positive: frozenset[str] = frozenset(),
    steps: int = 80,
) -> Iterator[dict[str, float]]:
    """The solutions to which damped Newton steps on relative residuals lead from many starts.

    >>> from derive.expressions.grammar import parse_equation
    >>> pair = [parse_equation("x*y = 6*u"), parse_equation("x + y = 5*u")]
    >>> (root,) = many_starts(pair, ["x", "y"], {"u": 1.0}, [{"x": 1.0, "y": 9.0}])
    >>> [round(number, 9) for number in root.values()]
    [2.0, 3.0]
    """
    system = _System([*map(_with_terms, equations)], unknowns, known, positive)
    for start in starts:
        tick()
        point = system.descended(dict(start), steps)
        if point is not None:
            yield point


def is_isolated(
    equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float], rank: float = RANK_OF_SLOPES
) -> bool:
    """Whether the Jacobian of relative residuals has full rank at a solution, by differences to either side."""
    system = _System([*map(_with_terms, equations)], list(point), known)
    gaps = system.gaps(point)
    return gaps is not None and all(
        (rows := system.rows(point, gaps, step)) and solved(rows, rank) for step in (_STEP, -_STEP)
    )


def _with_terms(equation: Equation) -> Equation:
    """An equation whose terms give its residual a size for Newton's method: `(x + y)/9 = 0` as `x + y = 0`.

    A product is as large as its gap to zero, so that the relative residual is one wherever it is not zero.
    """
    return equation.changed(_without_factors) if ZERO in equation.sides else equation


def _without_factors(side: Node) -> Node:
    """The one factor of a side that is no number, so that its terms give a relative residual its size; or the side."""
    if not isinstance(side, Apply) or side.op != "mul":
        return side
    others = [factor for factor in side.args if not constant_exponent(factor)]
    return others[0] if len(others) == 1 else side


@dataclass(frozen=True, slots=True)
class _System:
    """Equations in some unknowns at known numbers: their relative residuals, and Newton's steps."""

    equations: Sequence[Equation]
    unknowns: Sequence[str]
    known: Mapping[str, float]
    positive: frozenset[str] = frozenset()

    def descended(self, point: dict[str, float], steps: int) -> dict[str, float] | None:
        """The solution to which damped Newton steps lead from a point; None if they do not converge."""
        gaps = self.gaps(point)
        for _ in range(steps):
            if gaps is None:
                return None
            size = max(map(abs, gaps))
            if size <= BLUR:
                return point
            rows = self.rows(point, gaps)
            step = rows and (solved([*map(list, rows)], RANK_OF_SLOPES) or solved(_normal(rows), RANK_OF_SLOPES))
            if not step:
                return None
            moved = self.damped(point, dict(zip(self.unknowns, step, strict=True)), size)
            if moved is None:
                return point if size <= AGREEMENT else None
            point, gaps = moved
        return point if gaps is not None and max(map(abs, gaps)) <= AGREEMENT else None

    def gaps(self, point: Mapping[str, float]) -> list[float] | None:
        values = {**self.known, **point}
        gaps = [residual(equation, values) for equation in self.equations]
        return gaps if all(math.isfinite(gap) for gap in gaps) else None

    def rows(self, point: Mapping[str, float], gaps: Sequence[float], share: float = _STEP) -> list[list[float]] | None:
        """The linear equations of a Newton step, in relative changes of the unknowns."""
        columns = []
        for name in self.unknowns:
            step = share * abs(point[name]) or share
            shifted = self.gaps({**point, name: point[name] + step})
            if shifted is None:
                return None
            columns.append([(moved_gap - gap) / share for moved_gap, gap in zip(shifted, gaps, strict=True)])
        return [[column[i] for column in columns] + [-gap] for i, gap in enumerate(gaps)]

    def damped(
        self, point: Mapping[str, float], direction: Mapping[str, float], size: float
    ) -> tuple[dict[str, float], list[float]] | None:
        """The point after the first of ever shorter shares of a Newton step that reduces the residual."""
        share = min(1.0, 5.0 / max(LEAST, *map(abs, direction.values())))
        for _ in range(30):
            moved = {name: _stepped(x, share * direction[name], name in self.positive) for name, x in point.items()}
            gaps = self.gaps(moved)
            if gaps is not None and max(map(abs, gaps)) < size:
                return moved, gaps
            share /= 2
        return None


def _normal(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """The damped normal equations of a Newton step (Levenberg 1944), solvable where the Jacobian is singular.

    A system with a curve of solutions is singular all along it; to recognise it, a point of the curve must be found.
    """
    size = len(rows)
    squares = [[math.fsum(row[i] * row[k] for row in rows) for k in range(size + 1)] for i in range(size)]
    scale = max(squares[i][i] for i in range(size)) or 1.0
    return [
        [entry / scale + (_DAMPED if i == k else 0.0) for k, entry in enumerate(row)] for i, row in enumerate(squares)
    ]


def _stepped(x: float, change: float, positive: bool) -> float:
    """An unknown after a relative Newton step; one that must stay positive is cut to a tenth at most."""
    if x == 0:
        return change
    return x * (1 + (max(change, -0.9) if positive else change))
