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
from derive.expressions.tree import Apply, Name, Node, operations, rebuilt
from derive.numerics.algebra.like_terms import added, denominators, difference_of, negated, without_denominators
from derive.numerics.intervals.arithmetic import Span, point_box
from derive.numerics.intervals.enclosure import enclose
from derive.numerics.root_finding.residual import OneUnknown
from derive.numerics.root_finding.univariate_branch_and_prune import last_holding
from derive.tolerances import LARGEST, SAME_MULTIPLE

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
    name, domain = problem.name, problem.domain
    stepped = operations(*problem.sides, among=STEPPED)
    if not (math.isinf(domain.low) or math.isinf(domain.high)) or not any(name in each.names for each in stepped):
        return problem
    has_no_root = _tail_test(problem)
    low, high = domain.ends
    start, end = max(low, -LARGEST), min(high, LARGEST)
    if math.isinf(high) and has_no_root((LARGEST, high)):
        end = last_holding(lambda x: has_no_root((x, high)), LARGEST, start)
        high = min(high, end + SAME_MULTIPLE * abs(end))
    if math.isinf(low) and has_no_root((low, -LARGEST)):
        start = last_holding(lambda x: has_no_root((low, x)), -LARGEST, end)
        low = max(low, start - SAME_MULTIPLE * abs(start))
    return replace(problem, domain=replace(domain, low=low, high=high)) if low < high else problem


def _tail_test(problem: OneUnknown) -> Callable[[Span], bool]:
    """A test whether an equation has no root in a tail, as the difference of its sides without steps misses zero."""
    spans = point_box({given: number for given, number in problem.known.items() if given != problem.name})

    def without_steps(part: Node) -> Node | None:
        if not isinstance(part, Apply) or problem.name not in part.names:
            return None
        if part.op == "add":  # like terms that only the rounding kept apart
            return added(*(rebuilt(arg, without_steps) for arg in part.args))
        if part.op == "neg":
            return negated(rebuilt(part.args[0], without_steps))
        if part.op not in STEPPED:
            return None
        moved = Name(f"rounding {len(spans)}")  # no library declares such a name
        spans[moved.name] = _ROUNDINGS[part.op]
        return added(rebuilt(part.args[0], without_steps), moved)

    gap = difference_of(problem.equation.changed(lambda side: rebuilt(side, without_steps)))
    divisors, multiplied = denominators(gap, problem.name), without_denominators(gap, problem.name)

    def has_no_root(tail: Span) -> bool:
        box = {**spans, problem.name: tail}
        below = [enclose(divisor, box, "") for divisor in divisors]
        is_safe = all(enclosure is not None and enclosure.misses_zero for enclosure in below)
        return _misses_zero(multiplied if is_safe else gap, problem.name, box)

    return has_no_root


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
