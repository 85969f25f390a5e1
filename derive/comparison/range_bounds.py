"""What ranges leave open: the bounds of a ratio or difference of two answers, and whether two numbers may be one.

A given with the same number and the same range in both answers is one thing, such as the price of a chip that both
scenarios use, and moves both answers at once. Other ranges move on their own. If a range is shared, and both answers
have closed forms, the bounds are those of the quotient, or of the difference, over the box of all ranges; otherwise
those of the two answers are combined as if nothing were shared, which makes them no narrower than they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from derive.errors import LimitError
from derive.expressions.tree import Name, Node, names_in
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import added, inverted, multiplied, negated
from derive.numerics.algebra.products import product_of, written
from derive.numerics.intervals.arithmetic import Span
from derive.solving.execution.answer import Answer
from derive.solving.sensitivity.elasticities import bounds_of_form, put_in
from quantities.value import Value

__all__ = ["bounds_of", "corners", "overlap"]

_PARTS = 100  # boxes of the search for an extreme


def overlap(one: Value, other: Value) -> bool:
    """Whether two numbers may be the same within their ranges.

    >>> from quantities.value import read_value
    >>> overlap(read_value("2..4 m"), read_value("350 cm")), overlap(read_value("2 m"), read_value("3 m"))
    (True, False)
    """
    return one.base[0] <= other.base[2] and other.base[0] <= one.base[2]


def corners(one: Value, other: Value) -> Iterator[tuple[float, float]]:
    """The ends of the ranges of two numbers, in all combinations."""
    return product((one.base[0], one.base[2]), (other.base[0], other.base[2]))


def bounds_of(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds of the second value over the first, or of the difference in the target's unit; None without ranges."""
    if not any(value.is_range for answer in (a, b) for value in answer.given.values()):
        return None
    if any(any(v.is_range for v in answer.given.values()) and answer.bounds is None for answer in (a, b)):
        return None
    assert a.base is not None
    assert b.base is not None
    middle = b.base / a.base if is_ratio else b.base - a.base
    found = [span for span in (_apart(a, b, is_ratio), _together(a, b, is_ratio)) if span is not None]
    if not found:
        return None
    low, high = max(span[0] for span in found), min(span[1] for span in found)
    low, high = min(low, middle), max(high, middle)
    size = 1.0 if is_ratio else float(a.quantity.unit.size)
    return low / size, high / size


def _apart(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds if the two answers had nothing in common."""
    (low_a, high_a), (low_b, high_b) = ((one.bounds or (one.base or 0.0,) * 2) for one in (a, b))
    if not is_ratio:
        return low_b - high_a, high_b - low_a
    if low_a <= 0 <= high_a:
        return None
    quotients = [y / x for x in (low_a, high_a) for y in (low_b, high_b)]
    return min(quotients), max(quotients)


def _together(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds over the box of all ranges, if the answers share any and have closed forms that hold throughout it."""
    shared = [name for name, one in a.given.items() if one.is_range and name in b.given]
    if not any(a.given[name].base == b.given[name].base for name in shared):
        return None
    courses = a.course, b.course
    if not all(course is not None and course.holds_throughout for course in courses):
        return None
    first, second = a.closed_form, b.closed_form
    if first is None or second is None:
        return None
    apart = [name for name, one in b.given.items() if name not in a.given or a.given[name].base != one.base]
    own = {name: Name(f"{name}'") for name in apart}
    second = put_in(second, own)
    given = {**a.given, **{own[name].name if name in own else name: one for name, one in b.given.items()}}
    numbers = {name: one.base[1] for name, one in given.items()}
    ranges = {name: (one.base[0], one.base[2]) for name, one in given.items() if one.is_range}

    def is_positive(node: Node) -> bool:
        return isinstance(node, Name) and (ranges.get(node.name) or (numbers[node.name],))[0] > 0

    form = multiplied(second, inverted(first)) if is_ratio else added(second, negated(first))
    form = written(product_of(form, is_positive))
    if not any(name in ranges for name in names_in(form)):
        number = value(form, numbers)
        return number, number
    try:
        return bounds_of_form(form, numbers, ranges, _PARTS)[0]
    except LimitError:
        return None
