"""The classical square systems of nonlinear equations, as relations in text, with the starts that were published.

`MORE` is J. J. Moré, B. S. Garbow and K. E. Hillstrom, "Testing unconstrained optimization software", ACM Transactions
on Mathematical Software 7 (1981), pages 17 to 41: the numbers behind a name are the paper's. Wood, Watson and the
variably dimensioned function are sums of squares there; as in the authors' own tests of solvers of equations
(MINPACK-1, Argonne report ANL-80-74, 1980), the system is what makes their slopes zero.
`BURDEN` is R. L. Burden and J. D. Faires, "Numerical Analysis", 9th edition, chapter 10.
`COUNTED` are benchmarks of interval solvers, each with the box in which its solutions were counted: from the collection
of the COPRIN project (INRIA), from P. Van Hentenryck, L. Michel and Y. Deville, "Numerica" (1997), chapter 8 (Puma,
neurophysiology, the chemical equilibrium), and from K. Yamamura, H. Kawata and A. Tokue, BIT 38 (1998).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial

import derive
from derive import Library

__all__ = ["BURDEN", "COUNTED", "LARGE", "MORE", "Classic", "Counted", "stated"]


@dataclass(frozen=True)
class Classic:
    """Equations in x1, x2, ..., the published start, and a published solution where there is one."""

    name: str
    equations: tuple[str, ...]
    start: tuple[float, ...]
    solution: tuple[float, ...] = ()
    domain: str = "real"

    @property
    def unknowns(self) -> tuple[str, ...]:
        return tuple(f"x{i + 1}" for i in range(len(self.start)))


@dataclass(frozen=True)
class Counted:
    """A system, and how many solutions it has in a box with equal sides."""

    classic: Classic
    count: int


@cache
def stated(classic: Classic, *, with_start: bool = True) -> Library:
    """The system as a library; the start is a profile of weak values."""
    lines = ["[quantities]", *(f'{name} = {{ unit = "1", domain = "{classic.domain}" }}' for name in classic.unknowns)]
    for number, equation in enumerate(classic.equations, 1):
        lines += [f"[relations.r{number}]", f'equation = "{equation}"']
    if with_start:
        lines += ["[profiles.start]"]
        lines += [f'{name} = "{x!r}"' for name, x in zip(classic.unknowns, classic.start, strict=True)]
    return derive.load("\n".join(lines) + "\n")


def _rosenbrock() -> Classic:
    return Classic("Rosenbrock (1)", ("10*(x2 - x1**2) = 0", "1 - x1 = 0"), (-1.2, 1.0), (1.0, 1.0))


def _powell_singular() -> Classic:
    texts = ("x1 + 10*x2 = 0", "sqrt(5)*(x3 - x4) = 0", "(x2 - 2*x3)**2 = 0", "sqrt(10)*(x1 - x4)**2 = 0")
    return Classic("Powell singular (13)", texts, (3.0, -1.0, 0.0, 1.0), (0.0,) * 4)


def _powell_badly_scaled() -> Classic:
    texts = ("10**4*x1*x2 = 1", "exp(-x1) + exp(-x2) = 1.0001")
    return Classic("Powell badly scaled (3)", texts, (0.0, 1.0), (1.0981593296997149e-5, 9.106146739867318))


def _wood() -> Classic:
    texts = (
        "-200*x1*(x2 - x1**2) - (1 - x1) = 0",
        "200*(x2 - x1**2) + 20.2*(x2 - 1) + 19.8*(x4 - 1) = 0",
        "-180*x3*(x4 - x3**2) - (1 - x3) = 0",
        "180*(x4 - x3**2) + 20.2*(x4 - 1) + 19.8*(x2 - 1) = 0",
    )
    return Classic("Wood (14)", texts, (-3.0, -1.0, -3.0, -1.0), (1.0,) * 4)


def _helical_valley() -> Classic:
    angle = "(atan(x2/x1)/(2*pi) if x1 > 0 else atan(x2/x1)/(2*pi) + 0.5)"
    texts = (f"10*(x3 - 10*{angle}) = 0", "10*(sqrt(x1**2 + x2**2) - 1) = 0", "x3 = 0")
    return Classic("helical valley (7)", texts, (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))


def _watson(n: int) -> Classic:
    sums: list[list[str]] = [[] for _ in range(n)]
    for i in range(1, 30):
        powers = [Fraction(i, 29) ** j for j in range(n)]
        slope = _sum(f"{float(j * powers[j - 1])!r}*x{j + 1}" for j in range(1, n))
        height = _sum(f"{float(powers[j])!r}*x{j + 1}" for j in range(n))
        for k in range(n):
            first, second = float(k * Fraction(i, 29) ** (k - 1)), float(2 * Fraction(i, 29) ** k)
            sums[k].append(f"({first!r} - {second!r}*({height}))*({slope} - ({height})**2 - 1)")
    sums[0].append("x1*(1 - 2*(x2 - x1**2 - 1))")
    sums[1].append("(x2 - x1**2 - 1)")
    return Classic(f"Watson (20), {n}", tuple(f"{_sum(parts)} = 0" for parts in sums), (0.0,) * n)


def _chebyquad(n: int) -> Classic:
    texts = []
    for k in range(1, n + 1):
        means = _sum(_chebyshev(k, f"(2*x{j} - 1)") for j in range(1, n + 1))
        texts.append(f"({means})/{n} = {'0' if k % 2 else f'-1/{k * k - 1}'}")
    return Classic(f"Chebyquad (35), {n}", tuple(texts), tuple(j / (n + 1) for j in range(1, n + 1)))


def _chebyshev(k: int, x: str) -> str:
    """The polynomial of Chebyshev, by Horner's rule."""
    before, now = [1], [0, 1]
    for _ in range(k - 1):
        doubled = [0, *(2 * c for c in now)]
        before, now = now, [c - (before[i] if i < len(before) else 0) for i, c in enumerate(doubled)]
    factors = now if k else before
    text = str(factors[-1])
    for factor in reversed(factors[:-1]):
        text = f"({text}*{x}{f' {factor:+d}'.replace('+', '+ ').replace('-', '- ') if factor else ''})"
    return text


def _brown_almost_linear(n: int) -> Classic:
    total = _sum(_names(n))
    texts = [f"x{k} + {total} = {n + 1}" for k in range(1, n)]
    return Classic(f"Brown almost linear (27), {n}", (*texts, "*".join(_names(n)) + " = 1"), (0.5,) * n, (1.0,) * n)


def _discrete_boundary_value(n: int) -> Classic:
    texts = []
    for k in range(1, n + 1):
        beside = "".join(f" - x{j}" for j in (k - 1, k + 1) if 1 <= j <= n)
        texts.append(f"2*x{k}{beside} + (x{k} + {k}/{n + 1} + 1)**3/(2*{n + 1}**2) = 0")
    start = tuple(k / (n + 1) * (k / (n + 1) - 1) for k in range(1, n + 1))
    return Classic(f"discrete boundary value (28), {n}", tuple(texts), start)


def _discrete_integral(n: int) -> Classic:
    texts = []
    m = n + 1
    for k in range(1, n + 1):
        parts = []
        for j in range(1, n + 1):
            weight = float(Fraction((m - k) * j if j <= k else k * (m - j), 2 * m**3))
            parts.append(f"{weight!r}*(x{j} + {j}/{m} + 1)**3")
        texts.append(f"x{k} + {_sum(parts)} = 0")
    return Classic(f"discrete integral (29), {n}", tuple(texts), _discrete_boundary_value(n).start)


def _trigonometric(n: int) -> Classic:
    total = _sum(f"cos(x{j})" for j in range(1, n + 1))
    texts = tuple(f"{n} - ({total}) + {k}*(1 - cos(x{k})) - sin(x{k}) = 0" for k in range(1, n + 1))
    return Classic(f"trigonometric (26), {n}", texts, (1 / n,) * n)


def _variably_dimensioned(n: int) -> Classic:
    total = _sum(f"{j}*(x{j} - 1)" for j in range(1, n + 1))
    texts = tuple(f"x{k} - 1 + {k}*(({total}) + 2*({total})**3) = 0" for k in range(1, n + 1))
    return Classic(f"variably dimensioned (25), {n}", texts, tuple(1 - j / n for j in range(1, n + 1)), (1.0,) * n)


def _broyden_tridiagonal(n: int) -> Classic:
    texts = []
    for k in range(1, n + 1):
        before = f" - x{k - 1}" if k > 1 else ""
        after = f" - 2*x{k + 1}" if k < n else ""
        texts.append(f"(3 - 2*x{k})*x{k}{before}{after} + 1 = 0")
    return Classic(f"Broyden tridiagonal (30), {n}", tuple(texts), (-1.0,) * n)


def _broyden_banded(n: int) -> Classic:
    texts = []
    for k in range(1, n + 1):
        beside = [j for j in range(max(1, k - 5), min(n, k + 1) + 1) if j != k]
        texts.append(f"x{k}*(2 + 5*x{k}**2) + 1 - ({_sum(f'x{j}*(1 + x{j})' for j in beside)}) = 0")
    return Classic(f"Broyden banded (31), {n}", tuple(texts), (-1.0,) * n)


def _extended(classic: Classic, copies: int) -> Classic:
    """So many copies of a system, each with unknowns of its own."""
    size, texts = len(classic.start), []
    for copy in range(copies):
        for equation in classic.equations:
            texts.append(re.sub(r"x(\d+)", partial(_numbered, copy * size), equation))
    name = f"extended {classic.name}, {copies * size}"
    return Classic(name, tuple(texts), classic.start * copies, classic.solution * copies)


def _numbered(first: int, found: re.Match[str]) -> str:
    return f"x{first + int(found[1])}"


def _names(n: int) -> list[str]:
    return [f"x{j}" for j in range(1, n + 1)]


def _sum(parts: Iterable[str]) -> str:
    return " + ".join(parts)


MORE: tuple[Classic, ...] = (
    _rosenbrock(),
    _powell_singular(),
    _powell_badly_scaled(),
    _wood(),
    _helical_valley(),
    _watson(6),
    _watson(9),
    *map(_chebyquad, (5, 6, 7, 9)),
    *map(_brown_almost_linear, (5, 10, 30, 40)),
    _discrete_boundary_value(10),
    *map(_discrete_integral, (1, 10)),
    _trigonometric(10),
    _variably_dimensioned(10),
    _broyden_tridiagonal(10),
    _broyden_banded(10),
    _extended(_rosenbrock(), 5),
    _extended(_powell_singular(), 3),
)

LARGE: tuple[Classic, ...] = (
    *map(_discrete_boundary_value, (100, 1000)),
    _discrete_integral(100),
    *map(_broyden_tridiagonal, (100, 1000)),
    *map(_broyden_banded, (100, 1000)),
    _variably_dimensioned(100),
    _extended(_rosenbrock(), 50),
    _extended(_powell_singular(), 25),
)

BURDEN: tuple[Classic, ...] = (
    Classic(
        "section 10.1, example 2",
        (
            "3*x1 - cos(x2*x3) - 1/2 = 0",
            "x1**2 - 81*(x2 + 0.1)**2 + sin(x3) + 1.06 = 0",
            "exp(-x1*x2) + 20*x3 + (10*pi - 3)/3 = 0",
        ),
        (0.1, 0.1, -0.1),
        (0.5, 0.0, -math.pi / 6),
    ),
    Classic(
        "section 10.1, example 1",
        ("x1**2 - 10*x1 + x2**2 + 8 = 0", "x1*x2**2 + x1 - 10*x2 + 8 = 0"),
        (0.0, 0.0),
        (1.0, 1.0),
    ),
    Classic("exercise set 10.1, 5a", ("x2 - x1**2 + 2*x1 - 0.5 = 0", "x1**2 + 4*x2**2 - 4 = 0"), (2.0, 0.25)),
    Classic(
        "exercise set 10.1, 7a",
        (
            "3*x1 - cos(x2*x3) - 0.5 = 0",
            "4*x1**2 - 625*x2**2 + 2*x2 - 1 = 0",
            "exp(-x1*x2) + 20*x3 + (10*pi - 3)/3 = 0",
        ),
        (0.0, 0.0, 0.0),
    ),
    Classic(
        "exercise set 10.1, 7b",
        ("x1**2 + x2 - 37 = 0", "x1 - x2**2 - 5 = 0", "x1 + x2 + x3 - 3 = 0"),
        (5.0, 1.0, -2.0),
        (6.0, 1.0, -4.0),
    ),
    Classic(
        "exercise set 10.1, 7c",
        ("15*x1 + x2**2 - 4*x3 = 13", "x1**2 + 10*x2 - x3 = 11", "x2**3 - 25*x3 = -22"),
        (1.0, 1.0, 1.0),
    ),
    Classic(
        "exercise set 10.1, 7d",
        (
            "10*x1 - 2*x2**2 + x2 - 2*x3 - 5 = 0",
            "8*x2**2 + 4*x3**2 - 9 = 0",
            "8*x2*x3 + 4 = 0",
        ),
        (0.5, 1.0, -0.5),
        (0.5, 1.0, -0.5),
    ),
    Classic(
        "exercise set 10.2, 1a",
        ("4*x1**2 - 20*x1 + x2**2/4 + 8 = 0", "x1*x2**2/2 + 2*x1 - 5*x2 + 8 = 0"),
        (0.0, 0.0),
        (0.5, 2.0),
    ),
    Classic(
        "exercise set 10.2, 1b",
        (
            "sin(4*pi*x1*x2) - 2*x2 - x1 = 0",
            "(4*pi - 1)/(4*pi)*(exp(2*x1) - exp(1)) + 4*exp(1)*x2**2 - 2*exp(1)*x1 = 0",
        ),
        (0.0, 0.0),
    ),
    Classic(
        "exercise set 10.2, 2d",
        (
            "4*x1 - x2 + x3 = x1*x4",
            "-x1 + 3*x2 - 2*x3 = x2*x4",
            "x1 - 2*x2 + 3*x3 = x3*x4",
            "x1**2 + x2**2 + x3**2 = 1",
        ),
        (0.0, 1.0, 1.0, 1.0),
        (0.0, math.sqrt(0.5), math.sqrt(0.5), 1.0),
    ),
    Classic(
        "exercise set 10.2, 11: the sinking of plates",
        tuple(f"x1*exp(x2*{r}) + x3*{r} = {p}" for r, p in ((1, 10), (2, 12), (3, 15))),
        (10.0, 0.1, -1.0),
        (8.77129, 0.259690, -1.37217),
    ),
)


def _boxed(classic: Classic, domain: str, count: int) -> Counted:
    return Counted(replace(classic, name=f"{classic.name} in {domain}", domain=domain), count)


def _in_box(name: str, texts: Iterable[str], domain: str, count: int) -> Counted:
    equations = tuple(texts)
    return _boxed(Classic(name, equations, (0.0,) * len(equations)), domain, count)


def _freudenstein(n: int) -> Iterator[str]:
    for i in range(1, n, 2):
        yield f"x{i} - 13 + ((5 - x{i + 1})*x{i + 1} - 2)*x{i + 1} = 0"
        yield f"x{i} - 29 + ((x{i + 1} + 1)*x{i + 1} - 14)*x{i + 1} = 0"


def _trigexp(n: int) -> Iterator[str]:
    yield "3*x1**3 + 2*x2 - 5 + sin(x1 - x2)*sin(x1 + x2) = 0"
    for i in range(2, n):
        wave = f"sin(x{i} - x{i + 1})*sin(x{i} + x{i + 1})"
        yield f"3*x{i}**3 + 2*x{i + 1} - 5 + {wave} + 4*x{i} - x{i - 1}*exp(x{i - 1} - x{i}) - 3 = 0"
    yield f"4*x{n} - x{n - 1}*exp(x{n - 1} - x{n}) - 3 = 0"


def _yamamura(n: int) -> Iterator[str]:
    total = _sum(f"x{j}**3" for j in range(1, n + 1))
    return (f"x{k} - ({total} + {k})/(2*{n}) = 0" for k in range(1, n + 1))


def _bratu(n: int) -> Iterator[str]:
    for k in range(1, n + 1):
        beside = "".join(f"x{j} + " for j in (k - 1, k + 1) if 1 <= j <= n)
        yield f"{beside}exp(x{k})/{(n + 1) ** 2} - 2*x{k} = 0"


def _troesch(n: int) -> Iterator[str]:
    for k in range(1, n + 1):
        before = f"x{k - 1} + " if k > 1 else ""
        after = f"x{k + 1}" if k < n else "1"
        yield f"{before}{after} - 2*x{k} = 10/{(n + 1) ** 2}*sinh(10*x{k})"


def _feigenbaum(n: int) -> Iterator[str]:
    return (f"3.84*x{i}*(1 - x{i}) = x{i % n + 1}" for i in range(1, n + 1))


_PUMA = (
    "0.004731*x1*x3 - 0.3578*x2*x3 - 0.1238*x1 - 0.001637*x2 - 0.9338*x4 + x7 - 0.3571 = 0",
    "0.2238*x1*x3 + 0.7623*x2*x3 + 0.2638*x1 - 0.07745*x2 - 0.6734*x4 - 0.6022 = 0",
    "x6*x8 + 0.3578*x1 + 0.004731*x2 = 0",
    "-0.7623*x1 + 0.2238*x2 + 0.3461 = 0",
    *(f"x{i}**2 + x{i + 1}**2 = 1" for i in (1, 3, 5, 7)),
)
_NEUROPHYSIOLOGY = (
    "x5*x3**3 + x6*x4**3 = 5",
    "x5*x1**3 + x6*x2**3 = 4",
    "x5*x1*x3**2 + x6*x2*x4**2 = 3",
    "x5*x1**2*x3 + x6*x2**2*x4 = 2",
    "x1**2 + x3**2 = 1",
    "x2**2 + x4**2 = 1",
)
_EQUILIBRIUM = (
    "x1*x2 + x1 - 3*x5 = 0",
    "2*x1*x2 + x1 + x2*x3**2 + 0.00001799/40*x2 - 10*x5 + 0.00003846/20*x2**2 + 0.003448/sqrt(40)*x2*x3"
    " + 0.0002155/sqrt(40)*x2*x4 = 0",
    "2*x2*x3**2 + 0.386*x3**2 - 8*x5 + 0.002597/sqrt(40)*x3 + 0.003448/sqrt(40)*x2*x3 = 0",
    "0.0002155/sqrt(40)*x2*x4 + 2*x4**2 - 40*x5 = 0",
    "x1*(x2 + 1) + 0.00003846/40*x2**2 + x2*x3**2 + 0.00001799/40*x2 + 0.193*x3**2 + x4**2 - 1"
    " + 0.002597/sqrt(40)*x3 + 0.003448/sqrt(40)*x2*x3 + 0.0002155/sqrt(40)*x2*x4 = 0",
)

COUNTED: tuple[Counted, ...] = (
    _boxed(_broyden_tridiagonal(10), "-100..100", 2),
    _boxed(_broyden_tridiagonal(20), "-100..100", 2),
    _boxed(_broyden_banded(10), "-100..101", 1),
    _boxed(_discrete_boundary_value(20), "-100..100", 1),
    _boxed(_discrete_integral(20), "-4..5", 1),
    _boxed(_brown_almost_linear(10), "-10..10", 2),
    _in_box("Freudenstein and Roth, extended, 10", _freudenstein(10), "-1000..1000", 1),
    _in_box("trigexp 1, 10", _trigexp(10), "-100..100", 1),
    _in_box("Yamamura, 10", _yamamura(10), "-2.5..2.5", 3),
    _in_box("Bratu, 10", _bratu(10), "-1e8..20", 2),
    _in_box("Troesch, 20", _troesch(20), "-1..1", 1),
    _in_box("Feigenbaum, 3", _feigenbaum(3), "0..100", 8),
    _in_box("Puma", _PUMA, "-1..1", 16),
    _in_box("neurophysiology", _NEUROPHYSIOLOGY, "-10..10", 8),
    _in_box("chemical equilibrium", _EQUILIBRIUM, "0..1e8", 1),
)
