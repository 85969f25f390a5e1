"""Special functions of one number: each is one entry of one table, which every room reads.

An entry says all that anybody needs of a function: how it is called, what it comes to and how steep it is, where it is
defined, where it turns, what its values lie between, what leads back from them, and how it is written. From that
follow its place in the grammar and in sympy, its enclosures and contractors, its automatic derivative, its inverse, its
lines of compiled code and its mathematics on paper. To add a function is to add an entry.

The basic functions (exp, log, the angles and their kin) have rules of their own in these rooms, where a wave or a pole
asks for more than an entry can say.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["SPECIAL", "Special", "element_by_element"]

Real = Callable[[float], float]

_INFINITY = math.inf
_BRANCH = -1 / math.e  # where the two branches of Lambert's function meet, but for
_BRANCH_REST = 1.2428753672788363e-17  # what a double has no room for
_NEAR = 0.02  # of the branch point, in its square root, up to where a series is better than iteration
_SERIES = (1.0, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600, -1963 / 204120)


@dataclass(frozen=True, slots=True)
class Special:
    """A function that rises, or falls up to where it turns and rises from there on.

    Values and slopes are off by at most so many units of their last place. Where the slope itself turns (`bends`), it
    may be greatest or least. `domain` is where it is defined, with the ends that are `closed`.
    """

    name: str
    spellings: tuple[str, ...]
    value: Real
    slope: Real
    off: float
    slope_off: float
    domain: tuple[float, float] = (-_INFINITY, _INFINITY)
    closed: tuple[bool, bool] = (False, False)
    between: tuple[float, float] = (-_INFINITY, _INFINITY)
    turn: tuple[float, float] | None = None  # where it is least, and how small
    bends: tuple[float, ...] = ()
    undone: Real | None = None  # the argument that leads to a value
    inverse: str = ""  # the same as a form in y, in the language of relations
    steepness: str = ""  # the size of the slope, or more, as a form in x
    array: str = ""  # a NumPy ufunc, or its like, as module:name
    in_sympy: str = ""
    is_in_math: bool = False  # whether Python's math has it, and numba with it
    latex: str = ""

    @property
    def is_bounded(self) -> bool:
        return math.isfinite(self.between[0]) and math.isfinite(self.between[1])

    @property
    def is_everywhere(self) -> bool:
        return self.domain == (-_INFINITY, _INFINITY)

    def over(self) -> Callable[..., Any]:
        """The function for arrays; where it is undefined, they hold NaN."""
        if self.array:
            module, name = self.array.split(":")
            found: Callable[..., Any] = getattr(import_module(module), name)
            return found
        return element_by_element(self.value)


def element_by_element(function: Real) -> Callable[..., Any]:
    """A function of one number for arrays, which hold NaN where it is undefined."""
    import numpy

    def one(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    return numpy.vectorize(one, otypes=[float])


def _error_slope(x: float) -> float:
    return 2 / math.sqrt(math.pi) * math.exp(-x * x)


def _inverse_error(y: float) -> float:
    """The inverse of the error function: a start of scipy's, which is right to some units of the last place."""
    if not -1 < y < 1:
        raise ValueError("the inverse error function of a number that is not between -1 and 1")
    from scipy.special import erfinv

    return float(erfinv(y))


def _inverse_error_slope(y: float) -> float:
    x = _inverse_error(y)
    return math.sqrt(math.pi) / 2 * math.exp(x * x)


def _gamma(x: float) -> float:
    """The gamma function of a positive number: below zero it has a pole at every whole one, and is not offered."""
    if not x > 0:
        raise ValueError("the gamma function of a number that is not positive")
    return math.gamma(x)


def _gamma_slope(x: float) -> float:
    from scipy.special import psi

    return math.gamma(x) * float(psi(x))


def _above_branch(x: float) -> float:
    """The square root of twice `e*x + 1`, with no digits lost where the two terms cancel."""
    rest = (x - _BRANCH) - _BRANCH_REST
    if rest < 0:
        raise ValueError("Lambert's function of a number below -1/e")
    return math.sqrt(2 * math.e * rest)


def _lambert(x: float) -> float:
    """The principal branch: the w of -1 or more for which w*exp(w) is x."""
    if x == _INFINITY:
        return x
    root = _above_branch(x)
    if root < _NEAR:
        return _one_more(root) - 1
    w = _start(x, root)
    for _ in range(60):  # Halley's steps treble the digits each
        grown = math.exp(w)
        gap = w * grown - x if w < 700 else w - x / grown
        step = gap / (grown * (w + 1) - (w + 2) * gap / (2 * w + 2)) if w < 700 else gap * w / (w + 1)
        w -= step
        if abs(step) <= 4e-16 * abs(w):
            break
    return w


def _start(x: float, root: float) -> float:
    if x < 1:
        return _one_more(root) - 1 if root < 1 else x * (1 - x) if abs(x) < 0.1 else math.log1p(x) * 0.8
    if x < 3:
        return math.log1p(x) * 0.8
    return math.log(x) - math.log(math.log(x))


def _one_more(root: float) -> float:
    """`w + 1` near the branch point, as a series in its square root."""
    total = 0.0
    for factor in reversed(_SERIES):
        total = (total + factor) * root
    return total


def _lambert_slope(x: float) -> float:
    if x == _INFINITY:
        return 0.0
    root = _above_branch(x)
    if root == 0:
        return _INFINITY
    w = _lambert(x)
    return math.exp(-w) / (_one_more(root) if root < _NEAR else w + 1)


_ENTRIES = (
    Special(
        "erf",
        ("erf",),
        math.erf,
        _error_slope,
        off=8,
        slope_off=4096,  # of exp(-x**2), whose argument is rounded
        between=(-1.0, 1.0),
        bends=(0.0,),
        undone=_inverse_error,
        inverse="erfinv(y)",
        steepness="2/sqrt(pi)*exp(-x**2)",
        array="scipy.special:erf",
        in_sympy="erf",
        is_in_math=True,
        latex=r"\operatorname{erf}",
    ),
    Special(
        "erfinv",
        ("erfinv", "inverf"),
        _inverse_error,
        _inverse_error_slope,
        off=64,
        slope_off=4096,
        domain=(-1.0, 1.0),
        bends=(0.0,),
        undone=math.erf,
        inverse="erf(y)",
        steepness="sqrt(pi)/2*exp(erfinv(x)**2)",
        array="scipy.special:erfinv",
        in_sympy="erfinv",
        latex=r"\operatorname{erf}^{-1}",
    ),
    Special(
        "gamma",
        ("gamma",),
        _gamma,
        _gamma_slope,
        off=64,
        slope_off=1 << 14,
        domain=(0.0, _INFINITY),
        between=(0.0, _INFINITY),
        turn=(1.4616321449683623, 0.8856031944108887),
        steepness="gamma(x)*(abs(log(x)) + 1/x)",  # more than the slope: log(x) - 1/x < psi(x) < log(x)
        in_sympy="gamma",
        latex=r"\Gamma",
    ),
    Special(
        "lambertw",
        ("lambertw", "LambertW"),
        _lambert,
        _lambert_slope,
        off=256,
        slope_off=1 << 15,
        domain=(math.nextafter(_BRANCH, 0.0), _INFINITY),
        closed=(True, False),
        between=(-1.0, _INFINITY),
        undone=lambda y: y * math.exp(y),
        inverse="y*exp(y)",
        steepness="exp(-lambertw(x))/(1 + lambertw(x))",
        in_sympy="LambertW",
        latex="W_0",
    ),
)

SPECIAL: dict[str, Special] = {entry.name: entry for entry in _ENTRIES}
"""The special functions by their names."""
