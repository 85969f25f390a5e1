"""The bounds of the ratio of two compared answers over the ranges of their givens, or of their difference.

A given with the same number and the same range in both answers is one thing, such as the price of a chip that both
scenarios use, and moves both answers at once. Other ranges move on their own. If a range is shared, and both answers
have closed forms, the bounds are those of the quotient, or of the difference, over the box of all ranges; otherwise
those of the two answers are combined as if nothing were shared, which makes them no narrower than they are.
"""

from __future__ import annotations

from itertools import product

from derive.errors import LimitError
from derive.expressions.tree import Name, Node, names_in
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import added, inverted, multiplied, negated
from derive.numerics.algebra.products import product_of, written
from derive.numerics.intervals.arithmetic import Span
from derive.solving.execution.answer import Answer
from derive.solving.sensitivity.composed_forms import put_in
from derive.solving.sensitivity.form_bounds import bounds_of_form

_PARTS = 100  # boxes of the search for an extreme


def bounds_of_ratio(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds of two compared answers' ratio over their ranges, or of their difference; None without ranges."""
    ranged = [answer for answer in (a, b) if any(value.is_range for value in answer.given.values())]
    if not ranged or any(answer.bounds is None for answer in ranged):
        return None
    assert a.base is not None
    assert b.base is not None
    middle = b.base / a.base if is_ratio else b.base - a.base
    both = _bounds_if_independent(a, b, is_ratio), _bounds_over_box(a, b, is_ratio)
    spans = [span for span in both if span is not None]
    if not spans:
        return None
    lows, highs = zip(*spans, strict=True)
    low, high = min(max(lows), middle), max(min(highs), middle)
    size = 1.0 if is_ratio else float(a.quantity.unit.size)
    return low / size, high / size


def _bounds_if_independent(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds of two compared answers' ratio or difference, as if they shared no range."""
    (low_a, high_a), (low_b, high_b) = ((answer.bounds or (answer.base or 0.0,) * 2) for answer in (a, b))
    if not is_ratio:
        return low_b - high_a, high_b - low_a
    if low_a <= 0 <= high_a:
        return None
    quotients = [y / x for x, y in product((low_a, high_a), (low_b, high_b))]
    return min(quotients), max(quotients)


def _bounds_over_box(a: Answer, b: Answer, is_ratio: bool) -> Span | None:
    """The bounds of two compared answers' ratio or difference over the box of all ranges, some of them shared.

    None unless they share one, and both answers have closed forms that hold throughout the box.
    """
    ranged = [name for name, value in a.given.items() if value.is_range and name in b.given]
    if not any(a.given[name].base == b.given[name].base for name in ranged):
        return None
    courses = a.course, b.course
    if not all(course is not None and course.holds_throughout for course in courses):
        return None
    first, second = a.closed_form, b.closed_form
    if first is None or second is None:
        return None
    given = dict(a.given)
    renamed: dict[str, Node] = {}  # in the second answer, so that each moves on its own
    for name, value_of_b in b.given.items():
        if name in a.given and a.given[name].base == value_of_b.base:
            given[name] = value_of_b
        else:
            given[f"{name}'"] = value_of_b
            renamed[name] = Name(f"{name}'")
    second = put_in(second, renamed)
    numbers = {name: value.base[1] for name, value in given.items()}
    ranges = {name: (value.base[0], value.base[2]) for name, value in given.items() if value.is_range}

    def is_positive(node: Node) -> bool:
        if not isinstance(node, Name):
            return False
        low = ranges[node.name][0] if node.name in ranges else numbers[node.name]
        return low > 0

    form = multiplied(second, inverted(first)) if is_ratio else added(second, negated(first))
    form = written(product_of(form, is_positive))
    if not any(name in ranges for name in names_in(form)):
        number = value(form, numbers)
        return number, number
    try:
        return bounds_of_form(form, numbers, ranges, _PARTS)[0]
    except LimitError:
        return None
