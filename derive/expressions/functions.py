"""The functions of one number: each is a single entry in one table, which the whole engine reads.

An entry has all facts about a function: its names, value and slope, its domain, turning point and range, its inverses,
its dimension, and how each back end and LaTeX write it. From these follow its place in the grammar and in sympy, its
enclosures and contractors, its automatic derivative, its inverse, its lines of compiled code and its mathematics. To
add a function is to add an entry.

Most functions are monotone, or fall and then rise; the values at their ends and turning point bound the others. For
waves, poles and jumps an entry names the shape, for which other modules have an algorithm each. A slope is written in
the language of relations, from which follow its value for one number and for arrays, and the derivatives of formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from typing import Any, Literal

from derive.expressions import special_functions as special

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
    def whole_ends(self) -> tuple[float, ...]:
        """The whole numbers at which its domain ends; another end, as that of lambertw, is rounded."""
        return tuple(end for end in self.domain if end.is_integer())

    @property
    def is_everywhere(self) -> bool:
        return self.domain == _ALL and self.shape != "tangent"

    @property
    def is_bounded(self) -> bool:
        return math.isfinite(self.between[0]) and math.isfinite(self.between[1])

    @property
    def falls(self) -> bool:
        """Whether the function falls throughout its domain."""
        return self.turn is not None and self.turn[0] == self.domain[1]

    @property
    def swallows(self) -> bool:
        """Whether the function has a finite value at an infinite argument."""
        for end in _ALL:
            with suppress(ValueError, OverflowError):
                if math.isfinite(self.value(end)):
                    return True
        return False

    @property
    def called_in_numpy(self) -> str:
        """The name for the table's entry among NumPy's functions of arrays, with its module; empty if none."""
        return "" if self.in_numpy is None else self.in_numpy or f"numpy.{self.name}"

    @property
    def called_in_numba(self) -> str:
        """The name for the table's entry in machine code: its own, or Python's math function; empty if none."""
        if self.in_numba or getattr(math, self.name, None) is not self.value:
            return self.in_numba
        return f"m.{self.name}"

    @property
    def called_in_javascript(self) -> str:
        """The name for the table's entry in a browser: JavaScript's own, or one of `javascript_runtime.js`."""
        return self.in_javascript or f"Math.{self.name}"

    @property
    def steepness(self) -> str:
        """An upper bound of the size of the function's slope, as a text."""
        return self.steepest or str(self.slope)

    @property
    def slope_of(self) -> Callable[[float, float], float]:
        """The slope that the table's entry gives, as a function of the argument x and of the value y."""
        return _compiled(self.slope, "math") if isinstance(self.slope, str) else self.slope

    @property
    def inverse(self) -> Real | None:
        """The function's inverse by the table, the one where it rises if there are two; else None."""
        if self.inverse_in_doubles or self.period or not self.inverses:
            return self.inverse_in_doubles
        return partial(_compiled(self.inverses[0].form, "math"), math.nan)

    def slope_at(self, x: float) -> float:
        return self.slope_of(x, self.value(x))

    def over(self) -> Callable[..., Any]:
        """The function for arrays; NaN where it is undefined."""
        if self.called_in_numpy:
            module, _, name = self.called_in_numpy.rpartition(".")
            function: Callable[..., Any] = getattr(import_module(module), name)
            return function
        return _element_by_element(self.value)

    def slope_over(self) -> Callable[..., Any]:
        """The slope of the function, for arrays of its arguments and values."""
        if isinstance(self.slope, str) and self.called_in_numpy.startswith("numpy."):
            return _compiled(self.slope, "numpy")
        slope = _element_by_element(self.slope_at)
        return lambda x, y: slope(x)


@cache
def _compiled(text: str, library: str) -> Callable[[Any, Any], Any]:
    """A formula of the table of functions, a text in x and y, as a function for numbers or for arrays."""
    function: Callable[[Any, Any], Any] = eval(f"lambda x, y: {text}", vars(import_module(library)))
    return function


def _element_by_element(function: Real) -> Callable[..., Any]:
    """A function of the table, or its slope, for arrays: applied to each element, and NaN where that is undefined."""
    import numpy

    def element(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    return numpy.vectorize(element, otypes=[float])


_INFINITY = math.inf
_POSITIVE: Span = (0.0, _INFINITY)
_NOT_NEGATIVE = ("y >= 0",)

_ENTRIES = (
    Function(
        "sqrt",
        math.sqrt,
        "0.5/y",
        off=1,
        domain=_POSITIVE,
        closed=(True, False),
        between=_POSITIVE,
        inverses=(Inverse("y**2", _NOT_NEGATIVE),),
        degree=Fraction(1, 2),
        digits=special.root_of_ball,
        latex=r"\sqrt{%s}",
    ),
    Function("exp", math.exp, "y", between=_POSITIVE, inverses=(Inverse("log(y)"),), overflows=True),
    Function(
        "log",
        math.log,
        "1/x",
        also=("ln",),
        domain=_POSITIVE,
        inverses=(Inverse("exp(y)"),),
        steepest="1.5/abs(x)",
        overflows=True,
        latex=r"\ln",
    ),
    Function(
        "log10",
        math.log10,
        "1/(x*log(10))",
        domain=_POSITIVE,
        inverses=(Inverse("10**y"),),
        steepest="1.5/abs(x)",
        overflows=True,
        digits=lambda x: x.log() / x.const_log10(),
        in_sympy=lambda sympy, x: sympy.log(x) / sympy.log(10),
        latex=r"\log_{10}",
    ),
    Function(
        "log2",
        math.log2,
        "1/(x*log(2))",
        domain=_POSITIVE,
        inverses=(Inverse("2**y"),),
        steepest="1.5/abs(x)",
        overflows=True,
        digits=lambda x: x.log() / x.const_log2(),
        in_numba="np.log2",
        in_sympy=lambda sympy, x: sympy.log(x) / sympy.log(2),
        latex=r"\log_{2}",
    ),
    Function(
        "sin",
        math.sin,
        "cos(x)",
        shape="wave",
        between=(-1.0, 1.0),
        period=math.tau,
        steepest="1",
        inverses=(Inverse("asin(y) + 2*turns*pi"), Inverse("pi - asin(y) + 2*turns*pi")),
    ),
    Function(
        "cos",
        math.cos,
        "-sin(x)",
        shape="wave",
        between=(-1.0, 1.0),
        period=math.tau,
        ahead=1,
        steepest="1",
        inverses=(Inverse("acos(y) + 2*turns*pi"), Inverse("-acos(y) + 2*turns*pi")),
    ),
    Function(
        "tan",
        math.tan,
        "1 + y*y",
        shape="tangent",
        period=math.pi,
        inverses=(Inverse("atan(y) + turns*pi"),),
        overflows=True,
    ),
    Function(
        "asin",
        math.asin,
        "1/sqrt((1 - x)*(1 + x))",
        also=("arcsin",),
        shape="arc",
        domain=(-1.0, 1.0),
        closed=(True, True),
        between=(-math.pi / 2, math.pi / 2),
        clips=False,
        bends=(0.0,),
        inverses=(Inverse("sin(y)", ("abs(y) <= 0.5*pi",)),),
        in_numpy="numpy.arcsin",
        latex=r"\arcsin",
    ),
    Function(
        "acos",
        math.acos,
        "-1/sqrt((1 - x)*(1 + x))",
        also=("arccos",),
        shape="arc",
        domain=(-1.0, 1.0),
        closed=(True, True),
        between=(0.0, math.pi),
        clips=False,
        turn=(1.0, 0.0),
        bends=(0.0,),
        inverses=(Inverse("cos(y)", ("y >= 0", "y <= pi")),),
        steepest="1/sqrt(1 - x*x)",
        in_numpy="numpy.arccos",
        latex=r"\arccos",
    ),
    Function(
        "atan",
        math.atan,
        "1/(1 + x*x)",
        also=("arctan",),
        shape="arctangent",
        between=(-math.pi / 2, math.pi / 2),
        clips=False,
        bends=(0.0,),
        inverses=(Inverse("tan(y)", ("abs(y) < 0.5*pi",)),),
        in_numpy="numpy.arctan",
        latex=r"\arctan",
    ),
    Function(
        "sinh",
        math.sinh,
        "cosh(x)",
        bends=(0.0,),
        inverse_in_doubles=math.asinh,
        inverses=(Inverse("log(y + sqrt(y**2 + 1))", other="-log(-y + sqrt((-y)**2 + 1))"),),
        overflows=True,
    ),
    Function(
        "cosh",
        math.cosh,
        "sinh(x)",
        between=(1.0, _INFINITY),
        turn=(0.0, 1.0),
        inverse_in_doubles=math.acosh,
        inverses=(Inverse("log(y + sqrt(y**2 - 1))"), Inverse("-log(y + sqrt(y**2 - 1))")),
        steepest="abs(sinh(x))",
        overflows=True,
    ),
    Function(
        "tanh",
        math.tanh,
        "1/cosh(x)**2",
        between=(-1.0, 1.0),
        clips=False,
        bends=(0.0,),
        inverse_in_doubles=math.atanh,
        steepest="1",
        inverses=(Inverse("0.5*log((1 + y)/(1 - y))"),),
    ),
    Function(
        "asinh",
        math.asinh,
        "1/cosh(y)",
        also=("arcsinh", "arsinh"),
        slope_off=4096,  # of cosh(y), whose argument is rounded; 1 + x*x would overflow
        bends=(0.0,),
        steepest="1/sqrt(1 + x*x)",
        inverses=(Inverse("sinh(y)"),),
        in_numpy="numpy.arcsinh",
        latex=r"\operatorname{arsinh}",
    ),
    Function(
        "acosh",
        math.acosh,
        "1/(sqrt(x - 1)*sqrt(x + 1))",
        also=("arccosh", "arcosh"),
        domain=(1.0, _INFINITY),
        closed=(True, False),
        between=_POSITIVE,
        inverses=(Inverse("cosh(y)", _NOT_NEGATIVE),),
        in_numpy="numpy.arccosh",
        latex=r"\operatorname{arcosh}",
    ),
    Function(
        "atanh",
        math.atanh,
        "1/((1 - x)*(1 + x))",
        also=("arctanh", "artanh"),
        domain=(-1.0, 1.0),
        bends=(0.0,),
        inverses=(Inverse("tanh(y)"),),
        overflows=True,
        in_numpy="numpy.arctanh",
        latex=r"\operatorname{artanh}",
    ),
    Function(
        "abs",
        abs,
        lambda x, y: float(x > 0) - float(x < 0),
        also=("Abs",),
        shape="kink",
        off=0,
        between=_POSITIVE,
        turn=(0.0, 0.0),
        inverse_off=0,
        steepest="1",
        inverses=(Inverse("y", _NOT_NEGATIVE), Inverse("-y", _NOT_NEGATIVE)),
        degree=Fraction(1),
        rational=abs,
        digits=abs,
        in_numba="abs",
        in_sympy="Abs",
        latex=r"\left|%s\right|",
    ),
    Function(
        "ceil",
        lambda x: float(math.ceil(x)),
        lambda x, y: 0.0,
        also=("ceiling",),
        shape="steps",
        off=0,
        steepest="0",
        degree=Fraction(1),
        rational=lambda x: Fraction(math.ceil(x)),
        digits=lambda x: -special.whole_below_ball(-x),
        in_numba="np.ceil",
        in_sympy="ceiling",
        latex=r"\left\lceil %s \right\rceil",
    ),
    Function(
        "floor",
        lambda x: float(math.floor(x)),
        lambda x, y: 0.0,
        shape="steps",
        off=0,
        steepest="0",
        degree=Fraction(1),
        rational=lambda x: Fraction(math.floor(x)),
        digits=special.whole_below_ball,
        in_numba="np.floor",
        latex=r"\left\lfloor %s \right\rfloor",
    ),
    Function(
        "erf",
        math.erf,
        "2/sqrt(pi)*exp(-x*x)",
        off=8,
        slope_off=4096,  # of exp(-x**2), whose argument is rounded
        between=(-1.0, 1.0),
        bends=(0.0,),
        inverse_in_doubles=special.inverse_error,
        inverse_off=256,
        inverses=(Inverse("erfinv(y)", ("y >= -1", "y <= 1")),),
        in_numpy="scipy.special.erf",
        in_javascript="derive.erf",
        latex=r"\operatorname{erf}",
    ),
    Function(
        "erfinv",
        special.inverse_error,
        "sqrt(pi)/2*exp(y*y)",
        also=("inverf",),
        off=64,
        slope_off=4096,
        domain=(-1.0, 1.0),
        bends=(0.0,),
        inverse_off=256,
        inverses=(Inverse("erf(y)"),),
        overflows=True,
        in_numpy="scipy.special.erfinv",
        in_javascript="derive.erfinv",
        latex=r"\operatorname{erf}^{-1}",
    ),
    Function(
        "gamma",
        special.gamma,
        special.gamma_slope,
        off=64,
        slope_off=1 << 14,
        domain=_POSITIVE,
        between=_POSITIVE,
        turn=(1.4616321449683623, 0.8856031944108887),
        steepest="y*(abs(log(x)) + 1/x)",  # a bound, since log(x) - 1/x < psi(x) < log(x)
        overflows=True,
        digits=special.gamma_of_ball,
        in_numpy=None,
        in_javascript="derive.gamma",
        latex=r"\Gamma",
    ),
    Function(
        "lambertw",
        special.lambert,
        special.lambert_slope,
        also=("LambertW",),
        off=256,
        slope_off=1 << 15,
        domain=(math.nextafter(-1 / math.e, 0.0), _INFINITY),
        closed=(True, False),
        between=(-1.0, _INFINITY),
        inverse_off=256,
        inverses=(Inverse("y*exp(y)", ("y >= -1",)),),
        steepest="exp(-y)/(1 + y)",
        in_numpy=None,
        in_javascript="derive.lambertw",
        in_sympy="LambertW",
        latex="W_0",
    ),
)

TABLE: dict[str, Function] = {entry.name: entry for entry in _ENTRIES}
"""The functions of one number by their names."""

PERIODIC = frozenset(name for name, entry in TABLE.items() if entry.period)
STEPPED = frozenset(name for name, entry in TABLE.items() if entry.shape == "steps")
DEGREES = {name: entry.degree for name, entry in TABLE.items() if entry.degree is not None}
