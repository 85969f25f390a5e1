"""Random equations in x whose solutions are known by construction, all of them, exactly.

A product is zero where a factor is, and a factor has its zeros where it was built to have them: at the ends of the
domain, at powers of two, at multiples of pi, twice in one place, nearly so, tiny beside large ones. Numbers in the text
are binary fractions, so that the zeros are where they are said to be and not beside it.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from fractions import Fraction

from derive.expressions.grammar import parse_expression
from tests.derive.trees import value

__all__ = ["Known", "known"]

Span = tuple[float, float]


@dataclass(frozen=True)
class Known:
    """An equation, where its unknown may be, and its solutions there: numbers, and whole intervals."""

    text: str
    low: float
    high: float
    roots: tuple[float, ...]
    spans: tuple[Span, ...] = ()
    givens: dict[str, float] = field(default_factory=dict)


def known(seed: int) -> Known:
    draw = random.Random(seed)
    kind = draw.choice((_polynomial, _product, _product, _product, _arms, _waves, _turns, _steps))
    return kind(draw)


def _number(draw: random.Random) -> float:
    """A binary fraction: a whole number, a power of two, tiny, large, or of few digits."""
    kind = draw.randrange(6)
    sign = draw.choice((-1, 1))
    if kind == 0:
        return float(draw.randint(-12, 12))
    if kind == 1:
        return sign * 2.0 ** draw.randint(-8, 8)
    if kind == 2:
        return sign * draw.randint(1, 15) * 2.0 ** draw.randint(-40, -20)
    if kind == 3:
        return sign * draw.randint(1, 15) * 2.0 ** draw.randint(8, 16)
    return sign * draw.randint(1, 2000) / 64


def _numbers(draw: random.Random, count: int) -> list[float]:
    """Zeros: some of them close to others, or the same."""
    found = [_number(draw)]
    while len(found) < count:
        near = draw.choice(found)
        beside = near + draw.choice((-1, 1)) * 2.0 ** draw.randint(-16, -6) * (abs(near) or 1.0)
        found.append(draw.choice((_number(draw), _number(draw), beside, near)))
    return found


def _domain(draw: random.Random, roots: list[float]) -> Span:
    """An interval whose ends are often zeros themselves."""
    reach = max(map(abs, roots)) * 2 + 1
    kind = draw.randrange(5)
    if kind == 0:
        return -math.inf, math.inf
    if kind == 1:
        return 0.0, math.inf
    ends = [draw.choice((*roots, *roots, *roots, -reach, reach, draw.uniform(-reach, reach))) for _ in range(2)]
    low, high = min(ends), max(ends)
    return (low, high) if low < high else (low - 1.0, high)


def _told(text: str, domain: Span, roots: list[float], spans: tuple[Span, ...] = (), equals: str = "0") -> Known:
    low, high = domain
    cut = [(max(a, low), min(b, high)) for a, b in spans]
    points = [a for a, b in cut if a == b and _is_met(text, equals, a)]
    inside = tuple(sorted({x for x in (*roots, *points) if low <= x <= high}))
    return Known(f"{text} = {equals}", low, high, inside, tuple(one for one in cut if one[0] < one[1]))


def _is_met(text: str, equals: str, x: float) -> bool:
    left, right = (value(parse_expression(side), {"x": x}) for side in (text, equals))
    return bool(left == right)


def _written(x: float) -> str:
    return f"({Fraction(x).numerator}/{Fraction(x).denominator})" if x != int(x) or abs(x) > 1e15 else f"({int(x)})"


def _polynomial(draw: random.Random) -> Known:
    """Multiplied out, the constant on the other side."""
    roots = _numbers(draw, draw.randint(1, 4))
    coefficients = [Fraction(1)]
    for root in roots:
        shifted = [*coefficients, Fraction(0)]
        coefficients = [a - Fraction(root) * b for a, b in zip(shifted, [Fraction(0), *coefficients], strict=True)]
    if draw.random() < 0.3:  # and nothing more that is real
        coefficients = [a + b for a, b in zip([*coefficients, 0, 0], [0, 0, *coefficients], strict=True)]
    degree = len(coefficients) - 1
    terms = [f"({c.numerator}/{c.denominator})*x**{degree - i}" for i, c in enumerate(coefficients[:-1]) if c]
    last = -coefficients[-1]
    return _told(" + ".join(terms), _domain(draw, roots), roots, equals=f"({last.numerator}/{last.denominator})")


def _product(draw: random.Random) -> Known:
    """Of functions of the distance from a zero, and of some that have none."""
    roots = _numbers(draw, draw.randint(1, 4))
    shapes = ("(x - {r})", "atan(x - {r})", "(exp((x - {r})/{s}) - 1)", "tanh((x - {r})/{s})", "abs(x - {r})")
    more = (
        "sinh((x - {r})/{s})",
        "(x - {r})**3",
        "max(x - {r}, 2*(x - {r}))",
        "(x - {r} if x < {r} else (x - {r})**2)",
    )
    others = ("(x**2 + 1)", "cosh(x/{s})", "exp(x/{s})", "(2 + sin(x))", "sqrt(1 + abs(x))", "(1 + x**4)**0.25")
    scale = _written(2.0 ** math.ceil(math.log2(max(map(abs, roots)) + 1)))
    factors = [draw.choice((*shapes, *more)).format(r=_written(r), s=scale) for r in roots]
    factors += [draw.choice(others).format(s=scale) for _ in range(draw.randint(0, 2))]
    draw.shuffle(factors)
    return _told("*".join(factors), _domain(draw, roots), roots)


def _arms(draw: random.Random) -> Known:
    """Choices, one arm of which is the number on the other side along an interval, or touches it."""
    a, b = sorted({_number(draw), _number(draw), *(draw.uniform(1, 9) for _ in range(2))})[:2]
    apart = Fraction(b) - Fraction(a)
    left, right, gap = _written(a), _written(b), f"({apart.numerator}/{apart.denominator})"
    reach = abs(a) + abs(b) + 1
    domain = draw.choice(((-math.inf, math.inf), (-reach, reach), (a, reach), (-reach, b), (a, b), (a - 1, b)))
    texts: list[tuple[str, str, list[float], tuple[Span, ...]]] = [
        (f"max(x, {left})", left, [], ((-math.inf, a),)),
        (f"min(x, {left})", left, [], ((a, math.inf),)),
        (f"max(x, {left})", right, [b], ()),
        (f"max(min(x, {right}), {left})", right, [], ((b, math.inf),)),
        (f"abs(x - {left})", gap, [float(a - apart), b], ()),
        (f"abs(x - {left}) + abs(x - {right})", gap, [], ((a, b),)),
        (f"(x if x < {right} else {right} + (x - {right})**2)", left, [a], ()),
        (f"(x - {left} if x < {right} else (x - {left})**2)", "0", [a], ()),
        (f"max(x - {left}, {right} - x, 0)", "0", [], ((b, a),)),
        (f"max(x, {left}) - x", "0", [], ((a, math.inf),)),
        (f"x*(x - {left} if x > {left} else 0)", "0", [], ((-math.inf, a),)),
    ]
    text, equals, roots, spans = draw.choice(texts)
    if text.startswith("x*(x") and a < 0:
        roots = [0.0]
    return _told(text, domain, roots, spans, equals)


def _waves(draw: random.Random) -> Known:
    """Sines and cosines, which are zero at multiples of a number, over several turns."""
    low, high = (draw.choice((-1, 1)) * draw.randint(0, 12) for _ in range(2))
    low, high = min(low, high), max(low, high) + 1
    m = draw.choice((1, 1, 2, 3, 0.5))
    whole = range(math.ceil(low * m), math.floor(high * m) + 1)
    texts = {
        "sin({m}*pi*x)": [n / m for n in whole],
        "sin({m}*pi*x)**2": [n / m for n in whole],
        "cos({m}*pi*x) - 1": [n / m for n in whole if n % 2 == 0],
        "tan({m}*pi*x)": [n / m for n in whole],
        "x*sin({m}*pi*x)": [*(n / m for n in whole), 0.0],
        "(x - {r})*sin({m}*pi*x)": [*(n / m for n in whole), 0.25],
        "sin({m}*pi*x) - sin({m}*pi*x)**3*2": _thirds(m, low, high),
    }
    text, roots = draw.choice(list(texts.items()))
    return _told(text.format(m=_written(m), r="(1/4)"), (float(low), float(high)), roots)


def _turns(draw: random.Random) -> Known:
    """The same in multiples of pi, which no double is, at the ends of the domain too."""
    low, high = draw.randint(-12, 3), draw.randint(4, 12)
    halves = [n * math.pi / 2 for n in range(2 * low, 2 * high + 1)]
    even, odd = halves[::2], halves[1::2]
    texts = {
        "sin(x)": even,
        "cos(x)": odd,
        "x*sin(x)": [*even, 0.0],
        "sin(x)/(x**2 + 1)": even,
        "sin(x)*cos(x)": halves,
        "sin(x)**2": even,
        "sin(x)*(x - 1/2)": [*even, 0.5],
        "cos(x)*exp(x/64)": odd,
        "tan(x)*(x**2 + 1)": even,
        "sin(x) - sin(x)**3": halves,
    }
    text, roots = draw.choice(list(texts.items()))
    return _told(text, draw.choice(((low * math.pi, high * math.pi), (low * 3.0, high * 3.0))), roots)


def _thirds(m: float, low: int, high: int) -> list[float]:
    """Where a sine is zero, or the root of a half in size."""
    quarters = range(math.ceil(low * m * 4), math.floor(high * m * 4) + 1)
    return [n / (4 * m) for n in quarters if n % 4 != 2]


def _steps(draw: random.Random) -> Known:
    """Rounded numbers, powers with broken exponents and logarithms."""
    n, r = draw.randint(-5, 9), 2.0 ** draw.randint(-6, 6) * draw.choice((1, 3, 5))
    s = _written(r)
    texts: list[tuple[str, str, list[float], tuple[Span, ...]]] = [
        (f"floor(x/{s})", str(n), [], ((n * r, (n + 1) * r),)),
        (f"ceil(x/{s})", str(n), [], (((n - 1) * r, n * r),)),
        ("floor(x) + ceil(x)", str(2 * n + 1), [], ((n, n + 1),)),
        ("floor(x) + ceil(x)", str(2 * n), [float(n)], ()),
        (f"(x/{s})**1.5 - (x/{s})**0.5", "0", [0.0, r], ()),
        (f"(x/{s})**(1/3) - x/{s}", "0", [0.0, r], ()),
        (f"(x/{s})**2.5", "0", [0.0], ()),
        (f"log(x/{s})*(x - 2*{s})", "0", [r, 2 * r], ()),
        (f"x*log2(x/{s})", f"2*{s}", [2 * r], ()),
        (f"(x/{s})**0.5*(x - {s})**2", "0", [0.0, r], ()),
        (f"sqrt(x/{s}) + x/{s}", "6", [4 * r], ()),
    ]
    text, equals, roots, spans = draw.choice(texts)
    domain = draw.choice(((0.0, math.inf), (0.0, 16 * r), (r, 4 * r), (0.0, r), (r / 2, 2 * r), (-8 * r, 8 * r)))
    return _told(text, domain, roots, spans, equals)
