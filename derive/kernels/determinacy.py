"""Whether a target is determined that counting leaves open, seen at a point.

Where quantities that are missing cancel, the solver eliminates them at given numbers. Whether it can is asked at a
point that is like any other: one number of each given, drawn once and for all. What is said of it there holds for
nearly all others, and where it does not, a compiled function has no value, as the solver has none.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.solving.answering.solver import solve
from derive.solving.cancellation.jacobian_rank import combined, rows_of
from derive.solving.execution.question import Outline
from quantities.domain import Domain
from quantities.value import read_number

if TYPE_CHECKING:
    from derive.library import Library
    from derive.solving.execution.answer import Answer

__all__ = ["eliminates", "probed"]

_DRAWS = 3


def eliminates(library: Library, outline: Outline) -> bool:
    """Whether relations fix a target together that each of them leaves open."""
    found: bool = library.rows.of(("eliminates", outline), lambda: _eliminates(library, outline))
    return found


def _eliminates(library: Library, outline: Outline) -> bool:
    if combined(rows_of(library, outline, frozenset()), outline.target) is None:
        return False
    return any(probed(library, outline.target, outline.strong, draw) is not None for draw in range(_DRAWS))


def probed(library: Library, target: str, names: Sequence[str], draw: int) -> Answer | None:
    """The answer at numbers that are like any others, if there is one there."""
    given = {}
    for name in names:
        quantity = library.declared[name]
        number = _drawn(quantity.domain, random.Random(f"{name} {draw}"))
        given[name] = read_number(quantity.unit.from_base(number), quantity.unit)
    try:
        return solve(library, target, (), given)
    except DeriveError:
        return None


def _drawn(domain: Domain, draw: random.Random) -> float:
    """A number inside a domain, in base units."""
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        return domain.low + (domain.high - domain.low) * draw.uniform(0.2, 0.8)
    number = 2.0 ** draw.uniform(-1, 1)
    if math.isfinite(domain.low):
        return float(domain.low + number * max(1.0, abs(domain.low)))
    return float(domain.high - number * max(1.0, abs(domain.high))) if math.isfinite(domain.high) else number
