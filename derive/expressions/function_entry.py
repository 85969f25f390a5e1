"""The type of an entry in the table of functions, and what follows from an entry alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from typing import Any, Literal

__all__ = ["Function", "Inverse", "Span"]

Real = Callable[[float], float]
Span = tuple[float, float]
Shape = Literal["monotone", "arc", "arctangent", "wave", "tangent", "kink", "steps"]

_ALL: Span = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Inverse:
    """An argument that has the value y, and the conditions on y for it, in the language of relations.

    An angle may have any whole number of `turns` added. `other` is the same number by a formula without cancellation.
    """

    form: str
    where: tuple[str, ...] = ()
    other: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of one number: it rises, or falls up to its turning point and rises after it, or has a shape.

    `domain` is where it is defined, including the ends that are `closed`; a function that falls throughout turns at
    the upper end. Texts are in x, and in y for the value.

    >>> cube = Function("cube", lambda x: x**3, "3*x**2", off=1)
    >>> cube.slope_at(2.0), cube.is_everywhere, cube.is_bounded
    (12.0, True, False)
    """

    name: str
    value: Real
    slope: str | Callable[[float, float], float]  # a text, or a function of x and of the value y
    also: tuple[str, ...] = ()  # other spellings
    shape: Shape = "monotone"
    off: int = 4  # limit on the error of a value, in units of its last place
    slope_off: int = 16  # the same for the slope
    domain: Span = _ALL
    closed: tuple[bool, bool] = (False, False)
    between: Span = _ALL  # where the values lie
    clips: bool = True  # whether enclosures are cut off there; half of pi is not a double
    turn: Span | None = None  # its minimum: where, and its value
    bends: tuple[float, ...] = ()  # where the slope turns
    period: float = 0.0
    ahead: int = 0  # quarter turns by which a wave is ahead of the sine
    inverse_in_doubles: Real | None = None  # the argument that has a value, if a text of it loses digits
    inverse_off: int = 4
    inverses: tuple[Inverse, ...] = ()
    steepest: str = ""  # an upper bound of the size of the slope, if that is not the slope itself
    degree: Fraction | None = None  # of the argument's unit in that of the value; None if the argument is a number
    overflows: bool = False  # whether finite numbers may have an infinite value
    rational: Callable[[Fraction], Fraction] | None = None  # the function of a fraction, if that is one again
    digits: Callable[[Any], Any] | None = None  # the function of a FLINT ball, if it is not FLINT's of this name
    in_numpy: str | None = ""  # the function of arrays, if it has another name; None if there is none
    in_numba: str = ""  # the function in machine code, if it is not Python's math function
    in_javascript: str = ""  # the function in a browser, if it is not JavaScript's Math function of this name
    in_sympy: str | Callable[[Any, Any], Any] = ""  # another name, or sympy's expression of x
    latex: str = ""  # if it is not a command of this name; with %s for the argument, else that follows in parentheses

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
        """Whether an infinite argument has a finite value."""
        for end in _ALL:
            with suppress(ValueError, OverflowError):
                if math.isfinite(self.value(end)):
                    return True
        return False

    @property
    def called_in_numpy(self) -> str:
        """The function of arrays with its module; empty if there is none."""
        return "" if self.in_numpy is None else self.in_numpy or f"numpy.{self.name}"

    @property
    def called_in_numba(self) -> str:
        """The function in machine code, which has those of Python's math; empty if there is none."""
        return self.in_numba or (f"m.{self.name}" if getattr(math, self.name, None) is self.value else "")

    @property
    def called_in_javascript(self) -> str:
        """The function in a browser: JavaScript's own, or one of `javascript_runtime.js`."""
        return self.in_javascript or f"Math.{self.name}"

    @property
    def steepness(self) -> str:
        """An upper bound of the size of the slope."""
        return self.steepest or str(self.slope)

    @property
    def slope_of(self) -> Callable[[float, float], float]:
        """The slope as a function of x and of the value y."""
        return _compiled(self.slope, "math") if isinstance(self.slope, str) else self.slope

    @property
    def inverse(self) -> Real | None:
        """The argument that has a value; if there are two, the one where the function rises. None if there are more."""
        if self.inverse_in_doubles or self.period or not self.inverses:
            return self.inverse_in_doubles
        return partial(_compiled(self.inverses[0].form, "math"), math.nan)

    def slope_at(self, x: float) -> float:
        return self.slope_of(x, self.value(x))

    def over(self) -> Callable[..., Any]:
        """The function for arrays; NaN where it is undefined."""
        if self.called_in_numpy:
            module, _, name = self.called_in_numpy.rpartition(".")
            found: Callable[..., Any] = getattr(import_module(module), name)
            return found
        return _element_by_element(self.value)

    def slope_over(self) -> Callable[..., Any]:
        """Its slope for arrays of arguments and values."""
        if isinstance(self.slope, str) and self.called_in_numpy.startswith("numpy."):
            return _compiled(self.slope, "numpy")
        whole = _element_by_element(self.slope_at)
        return lambda x, y: whole(x)


@cache
def _compiled(text: str, library: str) -> Callable[[Any, Any], Any]:
    """A text in x and y as a function, for numbers or for arrays."""
    function: Callable[[Any, Any], Any] = eval(f"lambda x, y: {text}", vars(import_module(library)))
    return function


def _element_by_element(function: Real) -> Callable[..., Any]:
    """A function of one number, applied to arrays; NaN where it is undefined."""
    import numpy

    def one(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    return numpy.vectorize(one, otypes=[float])
