"""Limits cut the intervals that roundings, arms and zero factors leave an unknown.

The oracle tries the numbers of a fine grid in the relations, in fractions.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import derive
from tests.derive.statements import bare, span
from tests.ordinary import every

FORMS = {
    "floor(x)": math.floor,
    "ceil(x/2)": lambda x: math.ceil(x / 2),
    "max(0, floor(x))": lambda x: max(0, math.floor(x)),
    "max(x, 2)": lambda x: max(x, 2),
    "min(x, 1) + min(x, 3)": lambda x: min(x, 1) + min(x, 3),
    "abs(x - 1) + abs(x + 1)": lambda x: abs(x - 1) + abs(x + 1),
    "0*x": lambda x: 0,
    "floor(x)*0": lambda x: 0,
    "x/abs(x)": lambda x: x / abs(x) if x else None,
}
LIMITS = {
    "x <= {k}": lambda x, k: x <= k,
    "2*x >= {k}": lambda x, k: 2 * x >= k,
    "z <= {k}": lambda x, k: 3 - x <= k,
    "z*x >= {k}": lambda x, k: (3 - x) * x >= k,
    "abs(x) >= {k}": lambda x, k: abs(x) >= k,
}
GRID = [Fraction(i, 16) for i in range(-4 * 16, 6 * 16 + 1)]
LAW = "z = 3 - x"


@every("seed", range(400), ordinary=8)
def test_limits_leave_of_an_interval_what_a_grid_shows(seed: int) -> None:
    draw = random.Random(f"limits on intervals {seed}")
    form = draw.choice([*FORMS])
    y = FORMS[form](draw.choice([x for x in GRID if FORMS[form](x) is not None]))
    limits = [(draw.choice([*LIMITS]), Fraction(draw.randint(-6, 10), 2)) for _ in range(draw.choice((1, 1, 2)))]
    relations = [f"y = {form}", LAW, *(text.format(k=float(k)) for text, k in limits)]
    asked = bare("x y z", *relations, domains={"x": "-4..6", "y": "real", "z": "real"})

    def fits(x: Fraction) -> bool:
        return FORMS[form](x) == y and all(LIMITS[text](x, k) for text, k in limits)

    fitting = [x for x in GRID if fits(x)]
    try:
        answers = asked.solve_all("x", y=float(y))
    except (derive.InconsistentError, derive.NoSolutionError):
        assert not fitting, (relations, y, fitting)
        return
    except derive.UnderdeterminedError:  # limits in several pieces that reach from end to end
        assert fitting
        assert (fitting[0], fitting[-1]) == (GRID[0], GRID[-1]), (relations, y)
        return
    spans = [(answer.base,) * 2 if answer.base is not None else span(answer) for answer in answers]
    for x in fitting:
        assert any(low - 1e-9 <= x <= high + 1e-9 for low, high in spans), (relations, y, float(x), spans)
    for x in GRID:
        is_inside = any(low + 1 / 8 < x < high - 1 / 8 for low, high in spans)
        beside = (x, x - Fraction(1, 16), x + Fraction(1, 16))
        assert not is_inside or any(map(fits, beside)), (relations, y, float(x), spans)
    if not fitting:  # a number between those of the grid
        assert all(low == high for low, high in spans), (relations, y, spans)
