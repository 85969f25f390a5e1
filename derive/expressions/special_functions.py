"""Functions that Python's math module lacks or restricts, in floats, and some on FLINT's balls."""

from __future__ import annotations

import math
from typing import Any

from derive.tolerances import LAST_DIGIT

_BRANCH = -1 / math.e  # where the two branches of Lambert's function meet, as a double,
_BRANCH_REST = 1.2428753672788363e-17  # and the rest of that number
_SERIES_LIMIT = 0.02  # distance from the branch point, as its square root, up to which the series is used
_SERIES = (1.0, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600, -1963 / 204120)


def inverse_error(y: float) -> float:
    """A special function: the inverse of the error function by scipy, accurate to some units of the last place."""
    if not -1 < y < 1:
        raise ValueError("the inverse error function of a number that is not between -1 and 1")
    from scipy.special import erfinv

    return float(erfinv(float(y)))  # which knows no fractions


def gamma(x: float) -> float:
    """The special function gamma of a positive number; other numbers, among which are its poles, are refused."""
    if not x > 0:
        raise ValueError("the gamma function of a number that is not positive")
    return math.gamma(x)


def gamma_slope(x: float, y: float) -> float:
    """The slope of the special function gamma at x, where its value is y."""
    from scipy.special import psi

    return y * float(psi(x))


def _above_branch(x: float) -> float:
    """The root of `2*(e*x + 1)`, a distance from the branch point of Lambert's special function, to all digits."""
    distance = (x - _BRANCH) - _BRANCH_REST
    if distance < 0:
        raise ValueError("Lambert's function of a number below -1/e")
    return math.sqrt(2 * math.e * distance)


def lambert(x: float) -> float:
    """The special function of Lambert, on its principal branch: the w of -1 or more for which w*exp(w) is x.

    scipy's loses half of the digits near the branch point, where the argument itself has to be known better.
    """
    if x == math.inf:
        return x
    root = _above_branch(x)
    if root < _SERIES_LIMIT:
        return _series_at_branch(root) - 1
    w = _start(x, root)
    for _ in range(60):  # each of Halley's steps triples the digits
        exponential = math.exp(w)
        if w < 700:
            gap = w * exponential - x
            step = gap / (exponential * (w + 1) - (w + 2) * gap / (2 * w + 2))
        else:  # the products with the exponential may overflow
            step = (w - x / exponential) / (w + 1)
        w -= step
        if abs(step) <= LAST_DIGIT * abs(w):
            break
    return w


def _start(x: float, root: float) -> float:
    """A first guess for Lambert's special function at x, from the square root of its distance from the branch point."""
    if x < 1 and root < 1:
        return _series_at_branch(root) - 1
    if abs(x) < 0.1:
        return x * (1 - x)
    if x < 3:
        return math.log1p(x) * 0.8
    return math.log(x) - math.log(math.log(x))


def _series_at_branch(root: float) -> float:
    """Lambert's special function plus 1 near its branch point, as a series in the root of the distance from it."""
    total = 0.0
    for factor in reversed(_SERIES):
        total = (total + factor) * root
    return total


def lambert_slope(x: float, w: float) -> float:
    """The slope of Lambert's special function at x, where its value is w."""
    if x == math.inf:
        return 0.0
    root = _above_branch(x)
    if root == 0:
        return math.inf
    return math.exp(-w) / (_series_at_branch(root) if root < _SERIES_LIMIT else w + 1)


# On FLINT's balls, which are so narrow that an exact number in one is meant


def root_of_ball(x: Any) -> Any:
    """The special function `sqrt` on FLINT's balls; of one with zero, that of its part that is not negative."""
    return (x.nonnegative_part() if x.contains(0) else x).sqrt()


def whole_below_ball(x: Any) -> Any:
    """The special function `floor` on FLINT's balls; a whole number inside a ball is what that stands for."""
    nearest = (x + 0.5).floor()
    return nearest if x.contains(nearest) else x.floor()


def gamma_of_ball(x: Any) -> Any:
    return x.gamma() if x > 0 else x.nan()
