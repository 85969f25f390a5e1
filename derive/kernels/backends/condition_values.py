"""Three-valued conditions on arrays: 1 for true, 0 for false, a half for undefined.

With these numbers `and` is the minimum, `or` the maximum, and `not` is 1 - x. While every point is defined the array
is boolean, and the same formulas hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from derive.kernels.backends.exact_points import UNDEFINED, ExactPoints

__all__ = ["NAMES", "both", "chosen", "contrary", "inside", "settled", "sound", "sure", "told"]

_HALF = UNDEFINED

Judge = Callable[..., "bool | None"]
"""What a comparison comes to at the numbers of its names."""


def told(test: Any, left: Any, right: Any, is_clear: bool, judge: Judge, names: Sequence[Any]) -> Any:
    """A comparison, passed to the evaluator where its sides are not both finite.

    Sides are clear if an infinity in them can only be a number too large for a double, and compares as such.
    """
    import numpy

    if numpy.isfinite(left - right).all():
        return test
    test, left, right, *names = numpy.broadcast_arrays(test, left, right, *names)
    known = numpy.isfinite(left) & numpy.isfinite(right)
    pending = ~known & numpy.logical_and.reduce([numpy.isfinite(name) for name in names])
    if is_clear:
        known = ~numpy.isnan(left - right)
        pending &= ~(known | numpy.isnan(left) | numpy.isnan(right))
    verdicts = numpy.where(known, test, _HALF)
    if pending.any():
        points, back = numpy.unique(numpy.array([name[pending] for name in names]), axis=1, return_inverse=True)
        truths = [judge(*map(float, point)) for point in points.T]
        verdicts[pending] = numpy.array([_HALF if truth is None else truth for truth in truths])[back.reshape(-1)]
    return verdicts if (verdicts == _HALF).any() else verdicts == 1


def settled(found: Any, near: Any, exact: ExactPoints, numbers: Sequence[Any]) -> Any:
    """Numbers or verdicts, worked out from what was given where doubles are too near to another one."""
    import numpy

    if not numpy.any(near):
        return found
    is_test = exact.is_condition
    found, near, *numbers = numpy.broadcast_arrays(found, near, *numbers)
    result = found.astype(float)
    result[near] = exact.at_all([number[near] for number in numbers])
    if is_test and not (result == _HALF).any():
        result = result == 1
    return result[()]


def inside(number: Any, low: float, high: float, is_open: bool) -> Any:
    """Where a number is finite and lies within bounds; a single verdict if all of it does.

    >>> import numpy
    >>> inside(numpy.array([1.0, 2.0]), 0.0, 5.0, True), inside(numpy.array([1.0, 2.0]), 0.0, 1.0, True).tolist()
    (True, [True, False])
    """
    import numpy

    if isinstance(number, float):
        above = low < number if is_open or low == -math.inf else low <= number
        return bool(above and (number < high if high == math.inf else number <= high))
    if number.size and low < numpy.minimum.reduce(number, None) and numpy.maximum.reduce(number, None) < high:
        return True
    above = low < number if is_open or low == -math.inf else low <= number
    return above & (number < high if high == math.inf else number <= high)


def sound(number: Any) -> Any:
    """A number that is finite, or NaN."""
    import numpy

    if inside(number, -math.inf, math.inf, True) is True:
        return number
    return numpy.where(numpy.isfinite(number), number, numpy.nan)[()]


def chosen(verdicts: Any, yes: Any, no: Any) -> Any:
    """One array or another, point by point; NaN where the condition is undefined.

    >>> import numpy
    >>> chosen(numpy.array([1, 0, 0.5]), 7.0, 8.0).tolist()
    [7.0, 8.0, nan]
    """
    import numpy

    if _are_bools(verdicts):
        return numpy.where(verdicts, yes, no) if numpy.ndim(verdicts) else yes if verdicts else no
    return numpy.where(verdicts == _HALF, numpy.nan, numpy.where(verdicts == 1, yes, no))


def both(*verdicts: Any) -> Any:
    """Where all of several conditions hold; conditions that hold everywhere cost nothing."""
    import numpy

    left = [one for one in verdicts if one is not True]
    return reduce(numpy.minimum, left) if left else True


def contrary(verdicts: Any) -> Any:
    import numpy

    return numpy.logical_not(verdicts) if _are_bools(verdicts) else 1 - verdicts


def sure(verdicts: Any) -> Any:
    """Where a condition is certainly true."""
    return verdicts if _are_bools(verdicts) else verdicts == 1


def _are_bools(verdicts: Any) -> bool:
    return isinstance(verdicts, bool) or verdicts.dtype == bool


NAMES = {one.__name__: one for one in (told, settled, both, chosen, contrary, inside, sound, sure)}
"""By which the text of a function calls them."""
