"""The tails of an unbounded domain, in which an equation with roundings surely has no root.

A rounding steps without end: no search gets through all steps of `floor(x/2) = x + 1`, and a root that stands at a
step, as -2 here, is missed by its sign. But `floor(x/2)` is less than x/2 by 1 at the most. With x/2 less some number
between 0 and 1 in its place, the sides differ beyond -4 and -2, and between these there are few steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from derive.expressions.functions import STEPPED
from derive.expressions.tree import Apply, Name, Node, rebuilt
from derive.numerics.algebra.like_terms import added, difference_of, without_denominators
from derive.numerics.intervals.arithmetic import Span, point_box
from derive.numerics.intervals.enclosure import enclose
from derive.numerics.root_finding.residual import OneUnknown
from derive.numerics.root_finding.univariate_branch_and_prune import middle
from derive.tolerances import LARGEST, SAME_MULTIPLE, SMALLEST

_ROUNDINGS: dict[str, Span] = {"floor": (-1.0, 0.0), "ceil": (0.0, 1.0)}  # how far each moves a number


def without_tails(problem: OneUnknown) -> OneUnknown:
    """The problem in the part of its unbounded domain outside of which roundings surely leave it no root.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.domain import Domain
    >>> real = Domain("real", -math.inf, math.inf)
    >>> cut = without_tails(OneUnknown(parse_equation("floor(x/2) = x + 1"), "x", {}, real)).domain
    >>> round(cut.low, 3), round(cut.high, 3)
    (-4.0, -2.0)
    """
    domain = problem.domain
    if not (math.isinf(domain.low) or math.isinf(domain.high)) or not any(problem.around(STEPPED)):
        return problem
    has_no_root = _tail_test(problem)
    low, high = domain.ends
    start, end = max(low, -LARGEST), min(high, LARGEST)
    if math.isinf(high) and has_no_root((LARGEST, high)):
        high = end = _last_clear(lambda x: has_no_root((x, high)), LARGEST, start)
    if math.isinf(low) and has_no_root((low, -LARGEST)):
        low = _last_clear(lambda x: has_no_root((low, x)), -LARGEST, end)
    return replace(problem, domain=replace(domain, low=low, high=high)) if low < high else problem


def _last_clear(is_clear: Callable[[float], bool], clear: float, other: float) -> float:
    """How near to another number a tail without a root reaches; a millionth more or less brings no further step."""
    while not math.isclose(clear, other, rel_tol=SAME_MULTIPLE, abs_tol=SMALLEST):
        cut = middle((min(clear, other), max(clear, other)))
        clear, other = (cut, other) if is_clear(cut) else (clear, cut)
    return clear


def _tail_test(problem: OneUnknown) -> Callable[[Span], bool]:
    """A test whether an equation has no root in a tail, as the difference of its sides without steps misses zero."""
    spans = point_box(problem.givens)

    def without_steps(part: Node) -> Node | None:
        """What replaces a rounding in a tail: its argument moved by some number between 0 and 1."""
        if not isinstance(part, Apply) or part.op not in STEPPED or problem.name not in part.names:
            return None
        moved = Name(f"rounding {len(spans)}")  # no library declares such a name
        spans[moved.name] = _ROUNDINGS[part.op]
        return added(rebuilt(part.args[0], without_steps), moved)

    difference = difference_of(problem.equation.changed(lambda side: rebuilt(side, without_steps)))
    gap = without_denominators(difference, problem.name)  # zero wherever the sides meet
    return lambda tail: _misses_zero(gap, problem.name, {**spans, problem.name: tail})


def _misses_zero(gap: Node, name: str, box: Mapping[str, Span]) -> bool:
    """Whether a difference is zero nowhere in a tail of its name: by its enclosure, or as it moves away from zero."""
    tail = box[name]
    on_tail = enclose(gap, box, name)
    if on_tail is None or on_tail.misses_zero:
        return on_tail is not None
    is_above = tail[1] == math.inf
    end = tail[0] if is_above else tail[1]
    at_end = enclose(gap, {**box, name: (end, end)}, "")
    if at_end is None or not at_end.misses_zero or on_tail.partial:
        return False
    rises_outwards = on_tail.slopes[0] >= 0 if is_above else on_tail.slopes[1] <= 0
    falls_outwards = on_tail.slopes[1] <= 0 if is_above else on_tail.slopes[0] >= 0
    return rises_outwards if at_end.values[0] > 0 else falls_outwards
