"""The type of an entry in the table of functions, and what can be derived from an entry alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal

__all__ = ["Function", "Inverse", "Span"]

Real = Callable[[float], float]
Span = tuple[float, float]
Shape = Literal["monotone", "arc", "arctangent", "wave", "tangent", "kink", "steps"]

_ALL: Span = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Inverse:
    """An argument that leads to the value y, and what must hold of y for it, in the language of relations.

    An angle may have any whole number of `turns` beside it. `other` is the same number by a way on which nothing
    cancels.
    """

    form: str
    where: tuple[str, ...] = ()
    other: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of one number: it rises, or falls up to where it turns and rises from there on, or has a shape.

    Values are off by at most so many units of their last place. `domain` is where it is defined, with the ends that are
    `closed`; one that falls throughout turns at the end of it. Texts are in x, and in y for the value.

    >>> cube = Function("cube", lambda x: x**3, lambda m, x, y: 3 * x * x, off=1)
    >>> cube.slope_at(2.0), cube.is_everywhere, cube.is_bounded
    (12.0, True, False)
    """

    name: str
    value: Real
    slope: Callable[[Any, Any, Any], Any]  # of a library of functions, at x, where the value is y
    also: tuple[str, ...] = ()  # other spellings
    shape: Shape = "monotone"
    off: int = 4  # what a function of the C library may be off by
    slope_off: int = 16  # the same of the slope
    domain: Span = _ALL
    closed: tuple[bool, bool] = (False, False)
    between: Span = _ALL  # where the values lie
    clips: bool = True  # whether enclosures end there too: half of pi is no double
    turn: Span | None = None  # where it is least, and how small
    bends: tuple[float, ...] = ()  # where the slope turns
    slopes: Callable[[Any, Span, Span], Span] | None = None  # bounds of it, of interval arithmetic
    period: float = 0.0
    ahead: int = 0  # quarter turns by which a wave runs ahead of the sine
    undone: Real | None = None  # the argument that leads to a value: where it rises, if it does so but on one side
    undone_off: int = 4
    inverses: tuple[Inverse, ...] = ()
    steepness: str = "1"  # the size of the slope, or more
    degree: Fraction | None = None  # of its value in the unit of its argument; None where it takes a number
    overflows: bool = False  # whether finite numbers lead to an infinity
    digits: Callable[[Any], Any] | None = None  # of a ball of FLINT's, where that has no function of the name
    in_numpy: str | None = ""  # a function of arrays by another name; None where it goes element by element
    in_numba: str = ""  # where it is not what Python's math says
    in_sympy: str | Callable[[Any, Any], Any] = ""  # another name, or what sympy makes of x
    latex: str = ""  # where it is no command of its name; with %s for the argument, or that follows in parentheses

    @property
    def is_everywhere(self) -> bool:
        return self.domain == _ALL and self.shape != "tangent"

    @property
    def is_bounded(self) -> bool:
        return math.isfinite(self.between[0]) and math.isfinite(self.between[1])

    @property
    def falls(self) -> bool:
        return self.turn is not None and self.turn[0] == self.domain[1]

    @property
    def swallows(self) -> bool:
        """Whether it makes a finite number of an infinity."""
        for end in _ALL:
            with suppress(ValueError, OverflowError):
                if math.isfinite(self.value(end)):
                    return True
        return False

    @property
    def called_in_numpy(self) -> str:
        """What arrays call it, with its module; nothing where it goes element by element."""
        return "" if self.in_numpy is None else self.in_numpy or f"numpy.{self.name}"

    @property
    def called_in_numba(self) -> str:
        """What machine code calls it, which has what Python's math has; nothing where it cannot."""
        return self.in_numba or (f"m.{self.name}" if getattr(math, self.name, None) is self.value else "")

    def slope_at(self, x: float) -> float:
        return float(self.slope(math, x, self.value(x)))

    def over(self) -> Callable[..., Any]:
        """The function for arrays; where it is undefined, they hold NaN."""
        if self.called_in_numpy:
            module, _, name = self.called_in_numpy.rpartition(".")
            found: Callable[..., Any] = getattr(import_module(module), name)
            return found
        return _element_by_element(self.value)

    def slope_over(self) -> Callable[..., Any]:
        """Its slope for arrays of arguments and of the values there."""
        if self.called_in_numpy.startswith("numpy."):
            library = import_module("numpy")
            return lambda x, y: self.slope(library, x, y)
        whole = _element_by_element(self.slope_at)
        return lambda x, y: whole(x)


def _element_by_element(function: Real) -> Callable[..., Any]:
    """A function of one number for arrays, which hold NaN where it is undefined."""
    import numpy

    def one(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    return numpy.vectorize(one, otypes=[float])
