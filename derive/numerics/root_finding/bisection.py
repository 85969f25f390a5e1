"""Bisection down to the last double."""

from __future__ import annotations

import math
from collections.abc import Callable

from derive.numerics.intervals.arithmetic import Span
from derive.numerics.root_finding.root_boxes import middle

__all__ = ["bracketed", "last_holding"]


def bracketed(gap: Callable[[float], float], span: Span) -> float:
    """The root between two ends of opposite sign: the secant, kept inside a bracket by bisection."""
    a, b = span
    fa, fb = gap(a), gap(b)
    for step in range(400):
        if fa == 0 or fb == 0:
            break
        cut = middle((a, b))
        if step % 3 and math.isfinite(fa) and math.isfinite(fb) and fa != fb:
            secant = b - fb * (b - a) / (fb - fa)
            cut = secant if a < secant < b else cut
        if not a < cut < b:
            break
        fm = gap(cut)
        if fm == 0 or fm != fm:
            return cut
        if (fm < 0) == (fa < 0):
            a, fa = cut, fm
        else:
            b, fb = cut, fm
    return a if abs(fa) <= abs(fb) else b


def last_holding(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last double from inside to outside at which a condition holds."""
    if holds(outside):
        return outside
    for _ in range(100):
        cut = (inside + outside) / 2
        if cut in (inside, outside):
            break
        inside, outside = (cut, outside) if holds(cut) else (inside, cut)
    return inside
