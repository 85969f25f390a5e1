"""Lagrange multipliers at a point: what each limit that is near costs the goal.

At a local optimum the goal's slope is a combination of the slopes of the limits that bind, with weights that are not
negative (Karush, Kuhn and Tucker). The weights found here are the least squares fit at a point. Nothing rests on their
accuracy: any weights that are not negative give a valid lower bound, and good ones a tight one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from derive.tolerances import RANK

__all__ = ["multipliers"]


def multipliers(goal: Sequence[float], others: Sequence[Sequence[float]], signed: Sequence[bool]) -> list[float]:
    """A weight for each slope, so that the goal's slope and theirs cancel as far as they can.

    Of those that are `signed`, none is negative.

    >>> multipliers([-2.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [True, True])
    [2.0, 0.0]
    """
    active = [j for j, slope in enumerate(others) if any(slope) and all(map(math.isfinite, slope))]
    while active:
        found = _fitted(goal, [others[j] for j in active])
        if found is None:
            active.pop()
            continue
        worst = min((j for j in range(len(active)) if signed[active[j]]), key=lambda j: found[j], default=None)
        if worst is None or found[worst] >= 0:
            weights = dict(zip(active, found, strict=True))
            return [weights.get(j, 0.0) + 0.0 for j in range(len(others))]  # no negative zero
        del active[worst]
    return [0.0] * len(others)


def _fitted(goal: Sequence[float], slopes: Sequence[Sequence[float]]) -> list[float] | None:
    """The weights by the normal equations, each slope scaled to length one; None if they are dependent."""
    lengths = [math.sqrt(math.fsum(x * x for x in slope)) for slope in slopes]
    units = [[x / length for x in slope] for slope, length in zip(slopes, lengths, strict=True)]
    rows = [
        [*(math.fsum(map(_times, one, other)) for other in units), -math.fsum(map(_times, one, goal))] for one in units
    ]
    count = len(rows)
    for i in range(count):
        pivot = max(range(i, count), key=lambda k: abs(rows[k][i]))
        if abs(rows[pivot][i]) < RANK:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(count):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [rows[i][count] / rows[i][i] / lengths[i] for i in range(count)]


def _times(x: float, y: float) -> float:
    return x * y
