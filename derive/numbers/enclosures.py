"""What an operation makes of enclosures of its arguments: where its values lie, and where its slopes.

One rule for each operation. A rule's factor is the operation's own slope, which the chain rule multiplies with the
slope inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from derive.numbers.spans import ALL, FAINT, ZERO, Span, hull, minus, outward, plus, product, times

__all__ = ["GAP", "JUMP", "SMOOTH", "Enclosure", "applied", "sum_of"]

SMOOTH, JUMP, GAP = range(3)
"""What an expression may be: defined and smooth throughout, defined throughout, or not even that."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Where an expression's values and slopes lie, and what may be wrong with it there."""

    values: Span
    slopes: Span
    flaw: int = SMOOTH

    @property
    def partial(self) -> bool:
        """Whether it may jump, or be undefined somewhere."""
        return self.flaw != SMOOTH

    @property
    def misses_zero(self) -> bool:
        return self.values[0] > 0 or self.values[1] < 0

    @property
    def is_monotone(self) -> bool:
        return not self.partial and (self.slopes[0] > 0 or self.slopes[1] < 0)


def applied(op: str, parts: list[Enclosure]) -> Enclosure | None:
    """The enclosure of an operation; None where it is nowhere defined.

    >>> tripled = applied("mul", [Enclosure((1.0, 2.0), (1.0, 1.0)), Enclosure((3.0, 3.0), ZERO)])
    >>> [round(end, 12) for end in (*tripled.values, *tripled.slopes)]
    [3.0, 6.0, 3.0, 3.0]
    """
    flaw = max((part.flaw for part in parts), default=SMOOTH)
    match op:
        case "add":
            return sum_of(parts)
        case "mul":
            product = parts[0]
            for part in parts[1:]:
                slopes = plus(times(product.values, part.slopes), times(part.values, product.slopes))
                product = Enclosure(times(product.values, part.values), slopes)
            return Enclosure(product.values, product.slopes, flaw)
        case "neg":
            return Enclosure(minus(parts[0].values), minus(parts[0].slopes), flaw)
        case "pow":
            return _power(parts[0], parts[1], flaw)
        case "max" | "min":
            return _extreme(op, parts, flaw)
        case _:
            return _RULES[op](parts[0])


def sum_of(parts: list[Enclosure]) -> Enclosure:
    """The enclosure of a sum, from those of its terms."""
    values = slopes = ZERO
    for part in parts:
        values, slopes = plus(values, part.values), plus(slopes, part.slopes)
    return Enclosure(values, slopes, max((part.flaw for part in parts), default=SMOOTH))


def _chained(inner: Enclosure, values: Span, factor: Span, gap: bool = False) -> Enclosure:
    """A function's values, and its slope times the slope inside."""
    return Enclosure(outward(*values), times(outward(*factor), inner.slopes), GAP if gap else inner.flaw)


def _rising(function: Callable[[float], float], slope: Callable[[Span], Span]) -> Callable[[Enclosure], Enclosure]:
    def rule(inner: Enclosure) -> Enclosure:
        low, high = (_at(function, end) for end in inner.values)
        return _chained(inner, (low, high), slope(inner.values))

    return rule


def _at(function: Callable[[float], float], x: float) -> float:
    try:
        return function(x) or (FAINT if function is math.exp and x > -math.inf else 0.0)
    except OverflowError:
        return math.inf if x > 0 or function is math.cosh else -math.inf


def _inverse(inner: Enclosure) -> Enclosure:
    low, high = inner.values
    if low <= 0 <= high:
        if low == 0 == high:
            return Enclosure(ALL, ALL, GAP)
        values = (1 / high, math.inf) if low == 0 else (-math.inf, 1 / low) if high == 0 else ALL
        return Enclosure(values, ALL if inner.slopes != ZERO else ZERO, GAP)
    values = (1 / high, 1 / low)
    squares = [product(end, end) for end in values]
    return _chained(inner, values, (-max(squares), -min(squares)))


def _log(inner: Enclosure, base: float = math.e) -> Enclosure | None:
    low, high = inner.values
    if high <= 0:
        return None
    scale = math.log(base)
    bottom = math.log(low) / scale if low > 0 else -math.inf
    top = math.log(high) / scale if high < math.inf else math.inf
    factor = (1 / high / scale if high < math.inf else 0.0, 1 / low / scale if low > 0 else math.inf)
    return _chained(inner, (bottom, top), factor, low <= 0)


def _root(inner: Enclosure) -> Enclosure | None:
    low, high = inner.values
    if high < 0:
        return None
    ends = (math.sqrt(max(low, 0.0)), math.sqrt(high) if high < math.inf else math.inf)
    factor = (0.5 / ends[1] if ends[1] > 0 else math.inf, 0.5 / ends[0] if ends[0] > 0 else math.inf)
    return _chained(inner, ends, factor, low < 0)


def _power(base: Enclosure, exponent: Enclosure, flaw: int) -> Enclosure | None:
    low, high = exponent.values
    if low == high and exponent.slopes == ZERO:
        return _fixed_power(base, low, flaw)
    logged = _log(base)
    if logged is None or base.values[0] < 0:
        return Enclosure(ALL, ALL, GAP)
    product = applied("mul", [exponent, logged])
    return _RULES["exp"](product) if product else None


def _fixed_power(base: Enclosure, n: float, flaw: int) -> Enclosure | None:
    if n == 0:
        return Enclosure((1.0, 1.0), ZERO, flaw)
    if n < 0:
        positive = _fixed_power(base, -n, flaw)
        return _inverse(positive) if positive else None
    low, high = base.values
    whole = n == int(n)
    if not whole:
        if high < 0:
            return None
        flaw, low = GAP if low < 0 else flaw, max(low, 0.0)
    even = whole and int(n) % 2 == 0
    ends = (_pow(low, n), _pow(high, n))
    values = (0.0, max(ends)) if even and low <= 0 <= high else (min(ends), max(ends))
    if n == 1:
        return Enclosure(values, base.slopes, flaw)
    values = outward(*values)
    lower = (_pow(low, n - 1), _pow(high, n - 1)) if low or n > 1 else (math.inf, _pow(high, n - 1))
    inside = min(lower), max(lower)
    if whole and not even and low <= 0 <= high:
        inside = (0.0, inside[1])
    return Enclosure(values, times(times((n, n), inside), base.slopes), flaw)


def _pow(x: float, n: float) -> float:
    if math.isinf(x) and n <= 0:
        return 0.0 if n < 0 else 1.0
    if math.isinf(x):
        return math.inf if x > 0 or n % 2 == 0 else -math.inf
    try:
        return float(x**n) or (x and math.copysign(FAINT, x if n % 2 == 1 else 1.0))
    except OverflowError:
        return -math.inf if x < 0 and n % 2 == 1 else math.inf


def _absolute(inner: Enclosure) -> Enclosure:
    low, high = inner.values
    if low >= 0:
        return inner
    if high <= 0:
        return Enclosure(minus(inner.values), minus(inner.slopes), inner.flaw)
    return _chained(inner, (0.0, max(-low, high)), (-1.0, 1.0))


def _extreme(op: str, parts: list[Enclosure], flaw: int) -> Enclosure:
    pick = max if op == "max" else min
    values = (pick(part.values[0] for part in parts), pick(part.values[1] for part in parts))
    able = [part for part in parts if (part.values[1] >= values[0] if op == "max" else part.values[0] <= values[1])]
    slopes = able[0].slopes
    for part in able[1:]:
        slopes = hull(slopes, part.slopes)
    return Enclosure(values, slopes, flaw)


def _stepped(rounded: Callable[[float], int]) -> Callable[[Enclosure], Enclosure]:
    def rule(inner: Enclosure) -> Enclosure:
        low, high = (float(rounded(end)) if math.isfinite(end) else end for end in inner.values)
        return Enclosure((low, high), ZERO, max(inner.flaw, JUMP) if low != high else inner.flaw)

    return rule


def _wave(shift: float) -> Callable[[Enclosure], Enclosure]:
    """sin and cos, which is sin a quarter turn ahead; the slope is the wave another quarter ahead."""

    def rule(inner: Enclosure) -> Enclosure:
        low, high = (end + shift for end in inner.values)
        return _chained(inner, _sine(low, high), _sine(low + math.pi / 2, high + math.pi / 2))

    return rule


def _sine(low: float, high: float) -> Span:
    if not high - low < math.tau or abs(low) > 1e9:
        return -1.0, 1.0
    crest = math.ceil((low - math.pi / 2) / math.tau) * math.tau + math.pi / 2
    trough = math.ceil((low + math.pi / 2) / math.tau) * math.tau - math.pi / 2
    ends = math.sin(low), math.sin(high)
    return (-1.0 if trough <= high else min(ends)), (1.0 if crest <= high else max(ends))


def _tangent(inner: Enclosure) -> Enclosure:
    low, high = inner.values
    if high - low < math.pi and math.tan(low) <= math.tan(high):  # which falls only where a pole lies between
        return _chained(inner, (math.tan(low), math.tan(high)), (1.0, math.inf))
    return Enclosure(ALL, ALL if inner.slopes != ZERO else ZERO, GAP)


def _arc(function: Callable[[float], float], sign: float) -> Callable[[Enclosure], Enclosure | None]:
    def rule(inner: Enclosure) -> Enclosure | None:
        low, high = inner.values
        if high < -1 or low > 1:
            return None
        ends = [function(min(max(end, -1.0), 1.0)) for end in (low, high)]
        factor = (1.0, math.inf) if sign > 0 else (-math.inf, -1.0)
        return _chained(inner, (min(ends), max(ends)), factor, low < -1 or high > 1)

    return rule


def _cosh(inner: Enclosure) -> Enclosure:
    low, high = inner.values
    ends = [_at(math.cosh, end) for end in (low, high)]
    slopes = (_at(math.sinh, low), _at(math.sinh, high))
    return _chained(inner, (1.0 if low <= 0 <= high else min(ends), max(ends)), slopes)


def _exp_slope(span: Span) -> Span:
    return _at(math.exp, span[0]), _at(math.exp, span[1])


def _cosh_slope(span: Span) -> Span:
    ends = [_at(math.cosh, end) for end in span]
    return (1.0 if span[0] <= 0 <= span[1] else min(ends)), max(ends)


def _bell(function: Callable[[float], float]) -> Callable[[Span], Span]:
    """The slope of atan or tanh: largest at zero, falling on both sides."""

    def slope(span: Span) -> Span:
        ends = [function(end) for end in span]
        return min(ends), (1.0 if span[0] <= 0 <= span[1] else max(ends))

    return slope


_RULES: dict[str, Callable[[Enclosure], Enclosure | None]] = {
    "inv": _inverse,
    "sqrt": _root,
    "abs": _absolute,
    "log": _log,
    "log10": lambda inner: _log(inner, 10.0),
    "log2": lambda inner: _log(inner, 2.0),
    "exp": _rising(math.exp, _exp_slope),
    "sinh": _rising(math.sinh, _cosh_slope),
    "cosh": _cosh,
    "tanh": _rising(math.tanh, _bell(lambda x: 1 - math.tanh(x) ** 2)),
    "atan": _rising(math.atan, _bell(lambda x: 1 / (1 + x * x))),
    "sin": _wave(0.0),
    "cos": _wave(math.pi / 2),
    "tan": _tangent,
    "asin": _arc(math.asin, 1.0),
    "acos": _arc(math.acos, -1.0),
    "floor": _stepped(math.floor),
    "ceil": _stepped(math.ceil),
}
