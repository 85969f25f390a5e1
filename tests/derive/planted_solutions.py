"""Random questions whose solutions are known by construction: all of them, and exactly.

Systems are planted as `y = g(x)` and `r(x) + (y - g(x))*h(x, y) = 0`, so that their solutions are the real roots of r,
which are rational. Then one equation takes a share of the other, and the plane is sheared, so that nothing can be read
off. Polynomials in one unknown are multiplied out from their roots, some double and some close.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from fractions import Fraction

import sympy

from derive.library import Library
from derive.relation_files.loading import load

__all__ = ["Planted", "planted_pair", "planted_polynomial", "planted_waves"]

X, Y = sympy.symbols("x y")
DOMAINS = {"-5..5": (-5, 5), "-20..20": (-20, 20), "real": (-math.inf, math.inf), "positive": (0, math.inf)}


@dataclass(frozen=True)
class Planted:
    """Equations, the domain of all their unknowns, what is typed, and the solutions in the domain."""

    texts: tuple[str, ...]
    domain: str
    given: dict[str, str]
    solutions: tuple[dict[str, float], ...]

    @property
    def library(self) -> Library:
        names = (*{name: None for one in self.solutions for name in one}, *self.given) or ("x", "y")
        kinds = {name: "real" if name in self.given else self.domain for name in ("x", "y", *names)}
        rows = [f'{name} = {{ unit = "1", domain = "{kind}" }}' for name, kind in kinds.items()]
        relations = [f'r{i} = {{ equation = "{text}" }}' for i, text in enumerate(self.texts)]
        return load("\n".join(["[quantities]", *rows, "[relations]", *relations]))

    def values(self, name: str) -> list[float]:
        """The different values of an unknown, in order; those that agree to nine digits are one."""
        found: list[float] = []
        for number in sorted(one[name] for one in self.solutions):
            if not found or not math.isclose(number, found[-1], rel_tol=1e-9):
                found.append(number)
        return found


def _is_inside(number: Fraction | float, domain: str) -> bool:
    low, high = DOMAINS[domain]
    return low <= number <= high and (number != 0 or domain != "positive")


def _small(draw: random.Random) -> sympy.Rational:
    return sympy.Rational(draw.randint(-8, 8), draw.choice([1, 1, 2, 4]))


def _roots(draw: random.Random, count: int) -> list[sympy.Rational]:
    """Rational roots: anywhere, double, close to another, or around another as their middle."""
    found: list[sympy.Rational] = []
    while len(found) < count:
        kind = draw.randrange(5) if found else 4
        if kind == 0:
            found.append(draw.choice(found))
        elif kind == 1:
            found.append(draw.choice(found) + sympy.Rational(1, 2 ** draw.randint(1, 10)))
        elif kind == 2:
            found.append(2 * draw.choice(found) - draw.choice(found))
        else:
            found.append(_small(draw))
    return found


def planted_pair(seed: int) -> Planted:
    """Two polynomial equations in two unknowns."""
    draw = random.Random(f"pair {seed}")
    curve = sum(_small(draw) * X**i for i in range(draw.choice([2, 3])))
    roots = _roots(draw, draw.randint(1, 3))
    first = Y - curve
    second = sympy.prod([X - root for root in roots]) + first * draw.choice([0, 1, X, Y, X - Y, _small(draw)])
    share = draw.choice([0, 0, 1, -2, sympy.Rational(1, 2)])
    first, second = first + share * second, second + draw.choice([0, 1, -1, 3]) * (first + share * second)
    points = [(root, curve.subs(X, root)) for root in dict.fromkeys(roots)]
    a, b = draw.choice([(0, 0), (0, 0), (1, 0), (2, 1), (-1, sympy.Rational(1, 2))])
    turned = {X: X + a * Y, Y: Y + b * X}
    first, second = (sympy.expand(one.subs(turned, simultaneous=True)) for one in (first, second))
    scale = 1 - a * b or 1
    if 1 - a * b == 0:
        return planted_pair(seed + 1_000_003)
    points = [((u - a * v) / scale, (v - b * u) / scale) for u, v in points]
    domain = draw.choice(["-5..5", "-20..20"])
    inside = [{"x": float(x), "y": float(y)} for x, y in points if _is_inside(x, domain) and _is_inside(y, domain)]
    if not all({X, Y} & one.free_symbols for one in (first, second)) or not (first.has(X) and second.has(X)):
        return planted_pair(seed + 1_000_003)
    if not (first.has(Y) and second.has(Y)):
        return planted_pair(seed + 1_000_003)
    return Planted((f"{first} = 0", f"0 = {second}"), domain, {}, tuple(inside))


def planted_waves(seed: int) -> Planted:
    """`sin(x) = k*sin(y)` and `y - x = c`: a sine of one angle, whose zeros are half a turn apart."""
    draw = random.Random(f"waves {seed}")
    share, lag = draw.choice([0.5, -0.25, 2.0, 1.5, 0.125]), draw.choice([1.0, 0.5, -2.0, 3.0, 0.25])
    domain = draw.choice(["-5..5", "-20..20"])
    first = math.atan2(share * math.sin(lag), 1 - share * math.cos(lag))
    angles = [first + n * math.pi for n in range(-9, 10)]
    inside = [{"x": x, "y": x + lag} for x in angles if _is_inside(x, domain) and _is_inside(x + lag, domain)]
    waves = draw.choice([f"sin(x) = {share}*sin(y)", f"sin(x)/{abs(share)} = {math.copysign(1, share)}*sin(y)"])
    return Planted((waves, f"y - x = {lag}"), domain, {}, tuple(inside))


def planted_polynomial(seed: int) -> Planted:
    """A polynomial in one unknown with decimal coefficients, its value typed or written."""
    draw = random.Random(f"polynomial {seed}")
    roots: list[Fraction] = []
    for _ in range(draw.randint(2, 5)):
        kind = draw.randrange(5) if roots else 4
        near = draw.choice(roots) if roots else Fraction(0)
        beside = near + Fraction(draw.choice([-1, 1]), 10 ** draw.randint(1, 6))
        roots.append(
            [near, beside][kind] if kind < 2 else Fraction(draw.randint(-200, 200), draw.choice([1, 4, 10, 100]))
        )
    factors = [Fraction(1)]
    for root in roots:
        factors = [a - root * b for a, b in zip([0, *factors], [*factors, 0], strict=True)]
    level, lead = Fraction(draw.randint(-999, 999), 100), draw.choice([Fraction(1), Fraction(3, 2), Fraction(-1, 10)])
    factors = [lead * one for one in factors]
    factors[0] += level
    text = " + ".join(f"({_decimal(one)})*x**{i}" for i, one in enumerate(factors) if one)
    domain = draw.choice(list(DOMAINS))
    inside = tuple({"x": float(root)} for root in dict.fromkeys(roots) if _is_inside(root, domain))
    if draw.random() < 0.5:
        return Planted((f"y = {text}",), domain, {"y": _decimal(level)}, inside)
    return Planted((f"{text} = {_decimal(level)}",), domain, {}, inside)


def _decimal(number: Fraction) -> str:
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
    whole = abs(number * 10**digits).numerator
    text = f"{whole:0{digits + 1}d}"
    sign = "-" if number < 0 else ""
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else f"{sign}{text}"
