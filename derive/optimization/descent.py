"""A local search from a point: sequential least squares programming, on a box of sides of length one.

The search of boxes proves what is best, and this finds it sooner. scipy ends with limits broken by rounding, so the
same search is made with a margin inside them too; a point counts only if it passes every limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from derive.numerics.intervals.arithmetic import Span
from derive.tolerances import AGREEMENT, FLAT, MET

__all__ = ["descended"]

_MARGINS = (0.0, MET, AGREEMENT)  # inside the limits, relative to how far they move across the box
_ITERATIONS = 60

_Seen = tuple[list[float], list[list[float]]]
"""The values of the goal, of each limit and each zero at a point, and their slopes."""


def descended(
    seen: Callable[[Sequence[float]], _Seen | None],
    start: Sequence[float],
    box: Sequence[Span],
    moving: Sequence[int],
    ties: int = 0,
) -> Iterator[tuple[float, ...]]:
    """The points at which the searches with each margin end; only the sides in `moving` are changed.

    The last of what is seen are `ties`, which have to be zero.

    >>> def seen(point):
    ...     return [point[0] + point[1], 1.0 - point[0]*point[1]], [[1.0, 1.0], [-point[1], -point[0]]]
    >>> [round(x, 6) for x in next(descended(seen, (3.0, 1.0), [(0.1, 9.0), (0.1, 9.0)], [0, 1]))]
    [1.0, 1.0]
    """
    from warnings import catch_warnings, simplefilter

    from scipy.optimize import minimize

    first = seen(start)
    if first is None or not moving:
        return
    lows, widths = [box[i][0] for i in moving], [box[i][1] - box[i][0] for i in moving]
    scales = [sum(abs(slope[i]) * w for i, w in zip(moving, widths, strict=True)) or 1.0 for slope in first[1]]
    held: dict[tuple[float, ...], _Seen] = {}

    def whole(x: Sequence[float]) -> tuple[float, ...]:
        point = list(start)
        for i, low, width, share in zip(moving, lows, widths, x, strict=True):
            point[i] = min(max(low + width * float(share), low), low + width)
        return tuple(point)

    def at(x: Sequence[float]) -> _Seen:
        key = tuple(map(float, x))
        if key not in held:
            held[key] = seen(whole(x)) or first
        return held[key]

    def value(x: Sequence[float], j: int, margin: float) -> float:
        return (at(x)[0][j] / scales[j] if j == 0 else -at(x)[0][j] / scales[j]) - margin

    def slope(x: Sequence[float], j: int) -> list[float]:
        sign = 1.0 if j == 0 else -1.0
        return [sign * at(x)[1][j][i] * w / scales[j] for i, w in zip(moving, widths, strict=True)]

    x0 = [(start[i] - low) / width for i, low, width in zip(moving, lows, widths, strict=True)]
    for margin in _MARGINS:
        limits = len(first[0]) - ties
        rules = [
            {"type": "ineq", "fun": value, "jac": lambda x, j, _: slope(x, j), "args": (j, margin)}
            if j < limits
            else {"type": "eq", "fun": value, "jac": lambda x, j, _: slope(x, j), "args": (j, 0.0)}
            for j in range(1, len(first[0]))
        ]
        with catch_warnings():
            simplefilter("ignore")
            found = minimize(
                lambda x: value(x, 0, 0.0),
                x0,
                jac=lambda x: slope(x, 0),
                bounds=[(0.0, 1.0)] * len(moving),
                constraints=rules,
                method="SLSQP",
                options={"ftol": FLAT, "maxiter": _ITERATIONS},
            )
        yield whole(found.x)
