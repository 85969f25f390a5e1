"""The functions of one number: each is a single entry in one table, which the whole engine reads.

An entry has all facts about a function: its names, value and slope, its domain, turning point and range, its inverses,
its dimension, and how each back end and LaTeX write it. From these follow its place in the grammar and in sympy, its
enclosures and contractors, its automatic derivative, its inverse, its lines of compiled code and its mathematics. To
add a function is to add an entry.

Most functions are monotone, or fall and then rise; the values at their ends and turning point bound the others. For
waves, poles and jumps an entry names the shape, for which other modules have an algorithm each. Slopes take a library
of functions as an argument, NumPy for arrays and math for one number, so that the table imports neither; where bounds
of slopes must be narrow, they take interval arithmetic in the same way.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from derive.expressions.function_entry import Function, Inverse, Span
from derive.expressions.special_functions import gamma, gamma_slope, inverse_error, lambert, lambert_slope

__all__ = ["DEGREES", "PERIODIC", "STEPPED", "TABLE", "Function"]

_INFINITY = math.inf
_POSITIVE: Span = (0.0, _INFINITY)
_ONE: Span = (1.0, 1.0)
_LN2, _LN10 = math.log(2.0), math.log(10.0)
_OVER_LN2: Span = (1.4426950408889623, 1.4426950408889645)  # bounds of 1/log(2)
_OVER_LN10: Span = (0.4342944819032514, 0.43429448190325215)  # bounds of 1/log(10)


def _arc_slopes(i: Any, x: Span) -> Span:
    """`1/sqrt(1 - x**2)`, without cancellation where the square is close to one."""

    def at(size: Span) -> Span:
        under = i.times(i.plus(_ONE, i.minus(size)), i.plus(_ONE, size))
        if under[1] <= 0:
            return 0.0, _INFINITY
        bounds: Span = i.over(i.outward(math.sqrt(under[0]), math.sqrt(under[1]), 1))
        return bounds

    found: Span = i.even(at, x)
    return found


def _hyperbolic(i: Any, x: Span) -> Span:
    """`cosh(x)`."""
    found: Span = i.ends(math.cosh, i.sizes(x), 1.0)
    return found


_NOT_NEGATIVE = ("y >= 0",)

_ENTRIES = (
    Function(
        "sqrt",
        math.sqrt,
        lambda m, x, y: 0.5 / y,
        off=1,
        domain=_POSITIVE,
        closed=(True, False),
        between=_POSITIVE,
        slopes=lambda i, x, y: i.times((0.5, 0.5), i.over(y)) if y[1] > 0 else _POSITIVE,
        inverse=lambda y: y * y,
        inverses=(Inverse("y**2", _NOT_NEGATIVE),),
        steepness="0.5/y",
        degree=Fraction(1, 2),
        latex=r"\sqrt{%s}",
    ),
    Function(
        "exp",
        math.exp,
        lambda m, x, y: y,
        between=_POSITIVE,
        slopes=lambda i, x, y: y,
        inverse=math.log,
        inverses=(Inverse("log(y)"),),
        steepness="y",
        overflows=True,
    ),
    Function(
        "log",
        math.log,
        lambda m, x, y: 1.0 / x,
        also=("ln",),
        domain=_POSITIVE,
        slopes=lambda i, x, y: i.over(x),
        inverse=math.exp,
        inverses=(Inverse("exp(y)"),),
        steepness="1.5/abs(x)",
        overflows=True,
        latex=r"\ln",
    ),
    Function(
        "log10",
        math.log10,
        lambda m, x, y: 1.0 / (x * _LN10),
        domain=_POSITIVE,
        slopes=lambda i, x, y: i.times(i.over(x), _OVER_LN10),
        inverse=lambda y: 10.0**y,
        inverses=(Inverse("10**y"),),
        steepness="1.5/abs(x)",
        overflows=True,
        digits=lambda x: x.log() / x.const_log10(),
        in_sympy=lambda sympy, x: sympy.log(x) / sympy.log(10),
        latex=r"\log_{10}",
    ),
    Function(
        "log2",
        math.log2,
        lambda m, x, y: 1.0 / (x * _LN2),
        domain=_POSITIVE,
        slopes=lambda i, x, y: i.times(i.over(x), _OVER_LN2),
        inverse=lambda y: 2.0**y,
        inverses=(Inverse("2**y"),),
        steepness="1.5/abs(x)",
        overflows=True,
        digits=lambda x: x.log() / x.const_log2(),
        in_numba="np.log2",
        in_sympy=lambda sympy, x: sympy.log(x) / sympy.log(2),
        latex=r"\log_{2}",
    ),
    Function(
        "sin",
        math.sin,
        lambda m, x, y: m.cos(x),
        shape="wave",
        between=(-1.0, 1.0),
        period=math.tau,
        inverses=(Inverse("asin(y) + 2*turns*pi"), Inverse("pi - asin(y) + 2*turns*pi")),
    ),
    Function(
        "cos",
        math.cos,
        lambda m, x, y: -m.sin(x),
        shape="wave",
        between=(-1.0, 1.0),
        period=math.tau,
        ahead=1,
        inverses=(Inverse("acos(y) + 2*turns*pi"), Inverse("-acos(y) + 2*turns*pi")),
    ),
    Function(
        "tan",
        math.tan,
        lambda m, x, y: 1.0 + y * y,
        shape="tangent",
        period=math.pi,
        inverses=(Inverse("atan(y) + turns*pi"),),
        steepness="1 + y*y",
        overflows=True,
    ),
    Function(
        "asin",
        math.asin,
        lambda m, x, y: 1.0 / m.sqrt(1.0 - x * x),
        also=("arcsin",),
        shape="arc",
        domain=(-1.0, 1.0),
        closed=(True, True),
        between=(-math.pi / 2, math.pi / 2),
        clips=False,
        slopes=lambda i, x, y: _arc_slopes(i, x),
        inverse=math.sin,
        inverses=(Inverse("sin(y)", ("abs(y) <= 0.5*pi",)),),
        steepness="1/sqrt(1 - x*x)",
        in_numpy="numpy.arcsin",
        latex=r"\arcsin",
    ),
    Function(
        "acos",
        math.acos,
        lambda m, x, y: -1.0 / m.sqrt(1.0 - x * x),
        also=("arccos",),
        shape="arc",
        domain=(-1.0, 1.0),
        closed=(True, True),
        between=(0.0, math.pi),
        clips=False,
        turn=(1.0, 0.0),
        slopes=lambda i, x, y: i.minus(_arc_slopes(i, x)),
        inverse=math.cos,
        inverses=(Inverse("cos(y)", ("y >= 0", "y <= pi")),),
        steepness="1/sqrt(1 - x*x)",
        in_numpy="numpy.arccos",
        latex=r"\arccos",
    ),
    Function(
        "atan",
        math.atan,
        lambda m, x, y: 1.0 / (1.0 + x * x),
        also=("arctan",),
        shape="arctangent",
        between=(-math.pi / 2, math.pi / 2),
        clips=False,
        slopes=lambda i, x, y: i.over(i.plus(_ONE, i.square(x))),
        inverse=math.tan,
        inverses=(Inverse("tan(y)", ("abs(y) < 0.5*pi",)),),
        steepness="1/(1 + x*x)",
        in_numpy="numpy.arctan",
        latex=r"\arctan",
    ),
    Function(
        "sinh",
        math.sinh,
        lambda m, x, y: m.cosh(x),
        slopes=lambda i, x, y: _hyperbolic(i, x),
        inverse=math.asinh,
        inverses=(Inverse("log(y + sqrt(y**2 + 1))", other="-log(-y + sqrt((-y)**2 + 1))"),),
        steepness="cosh(x)",
        overflows=True,
    ),
    Function(
        "cosh",
        math.cosh,
        lambda m, x, y: m.sinh(x),
        between=(1.0, _INFINITY),
        turn=(0.0, 1.0),
        slopes=lambda i, x, y: i.ends(math.sinh, x),
        inverse=math.acosh,
        inverses=(Inverse("log(y + sqrt(y**2 - 1))"), Inverse("-log(y + sqrt(y**2 - 1))")),
        steepness="abs(sinh(x))",
        overflows=True,
    ),
    Function(
        "tanh",
        math.tanh,
        lambda m, x, y: 1.0 - y * y,
        between=(-1.0, 1.0),
        clips=False,
        slopes=lambda i, x, y: i.over(i.square(_hyperbolic(i, x))),
        inverse=math.atanh,
        inverses=(Inverse("0.5*log((1 + y)/(1 - y))"),),
    ),
    Function(
        "asinh",
        math.asinh,
        lambda m, x, y: 1.0 / m.hypot(1.0, x),
        also=("arcsinh", "arsinh"),
        bends=(0.0,),
        inverse=math.sinh,
        inverses=(Inverse("sinh(y)"),),
        steepness="1/sqrt(1 + x*x)",
        in_numpy="numpy.arcsinh",
        latex=r"\operatorname{arsinh}",
    ),
    Function(
        "acosh",
        math.acosh,
        lambda m, x, y: 1.0 / (m.sqrt(x - 1.0) * m.sqrt(x + 1.0)),
        also=("arccosh", "arcosh"),
        domain=(1.0, _INFINITY),
        closed=(True, False),
        between=_POSITIVE,
        inverse=math.cosh,
        inverses=(Inverse("cosh(y)", _NOT_NEGATIVE),),
        steepness="1/sqrt((x - 1)*(x + 1))",
        in_numpy="numpy.arccosh",
        latex=r"\operatorname{arcosh}",
    ),
    Function(
        "atanh",
        math.atanh,
        lambda m, x, y: 1.0 / ((1.0 - x) * (1.0 + x)),
        also=("arctanh", "artanh"),
        domain=(-1.0, 1.0),
        bends=(0.0,),
        inverse=math.tanh,
        inverses=(Inverse("tanh(y)"),),
        steepness="1/((1 - x)*(1 + x))",
        overflows=True,
        in_numpy="numpy.arctanh",
        latex=r"\operatorname{artanh}",
    ),
    Function(
        "abs",
        abs,
        lambda m, x, y: m.sign(x),
        also=("Abs",),
        shape="kink",
        off=0,
        between=_POSITIVE,
        turn=(0.0, 0.0),
        inverse=lambda y: y,
        inverse_off=0,
        inverses=(Inverse("y", _NOT_NEGATIVE), Inverse("-y", _NOT_NEGATIVE)),
        degree=Fraction(1),
        digits=abs,
        in_numba="abs",
        in_sympy="Abs",
        latex=r"\left|%s\right|",
    ),
    Function(
        "ceil",
        lambda x: float(math.ceil(x)),
        lambda m, x, y: m.zeros_like(x),
        also=("ceiling",),
        shape="steps",
        off=0,
        steepness="0",
        degree=Fraction(1),
        in_numba="np.ceil",
        in_sympy="ceiling",
        latex=r"\left\lceil %s \right\rceil",
    ),
    Function(
        "floor",
        lambda x: float(math.floor(x)),
        lambda m, x, y: m.zeros_like(x),
        shape="steps",
        off=0,
        steepness="0",
        degree=Fraction(1),
        in_numba="np.floor",
        latex=r"\left\lfloor %s \right\rfloor",
    ),
    Function(
        "erf",
        math.erf,
        lambda m, x, y: 2 / math.sqrt(math.pi) * math.exp(-x * x),
        off=8,
        slope_off=4096,  # of exp(-x**2), whose argument is rounded
        between=(-1.0, 1.0),
        bends=(0.0,),
        inverse=inverse_error,
        inverse_off=256,
        inverses=(Inverse("erfinv(y)", ("y >= -1", "y <= 1")),),
        steepness="2/sqrt(pi)*exp(-x**2)",
        in_numpy="scipy.special.erf",
        in_javascript="derive.erf",
        latex=r"\operatorname{erf}",
    ),
    Function(
        "erfinv",
        inverse_error,
        lambda m, x, y: math.sqrt(math.pi) / 2 * math.exp(y * y),
        also=("inverf",),
        off=64,
        slope_off=4096,
        domain=(-1.0, 1.0),
        bends=(0.0,),
        inverse=math.erf,
        inverse_off=256,
        inverses=(Inverse("erf(y)"),),
        steepness="sqrt(pi)/2*exp(y**2)",
        overflows=True,
        in_numpy="scipy.special.erfinv",
        in_javascript="derive.erfinv",
        latex=r"\operatorname{erf}^{-1}",
    ),
    Function(
        "gamma",
        gamma,
        gamma_slope,
        off=64,
        slope_off=1 << 14,
        domain=_POSITIVE,
        between=_POSITIVE,
        turn=(1.4616321449683623, 0.8856031944108887),
        steepness="y*(abs(log(x)) + 1/x)",  # a bound, since log(x) - 1/x < psi(x) < log(x)
        overflows=True,
        in_numpy=None,
        in_javascript="derive.gamma",
        latex=r"\Gamma",
    ),
    Function(
        "lambertw",
        lambert,
        lambert_slope,
        also=("LambertW",),
        off=256,
        slope_off=1 << 15,
        domain=(math.nextafter(-1 / math.e, 0.0), _INFINITY),
        closed=(True, False),
        between=(-1.0, _INFINITY),
        inverse=lambda y: y * math.exp(y),
        inverse_off=256,
        inverses=(Inverse("y*exp(y)", ("y >= -1",)),),
        steepness="exp(-y)/(1 + y)",
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
