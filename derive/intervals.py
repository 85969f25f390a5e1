"""What an expression can come to while one name runs over an interval, and which way it can move.

`enclose` returns a box that surely holds the expression's values, and one that surely holds its slope. If the values'
box misses zero, there is no root; if the slope's box misses zero, there is at most one. That is how the absence and
the uniqueness of roots are proved here; sampling never proves either.

A `Span` is (low, high). An enclosure may be `partial`: somewhere on the interval the expression is undefined or jumps,
so that its slope proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from derive.expression import Apply, Name, Node, Number

__all__ = ["Enclosure", "Span", "enclose"]

Span = tuple[float, float]

_ALL: Span = (-math.inf, math.inf)
_ZERO: Span = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Where an expression's values and slopes lie; `partial` where it is not smooth and defined throughout."""

    values: Span
    slopes: Span
    partial: bool = False

    @property
    def misses_zero(self) -> bool:
        return self.values[0] > 0 or self.values[1] < 0

    @property
    def is_monotone(self) -> bool:
        return not self.partial and (self.slopes[0] > 0 or self.slopes[1] < 0)


def enclose(node: Node, spans: Mapping[str, Span], moving: str) -> Enclosure | None:
    """The enclosure of an expression as `moving` runs over its span; None where the expression is nowhere defined.

    >>> from derive.grammar import parse_expression
    >>> found = enclose(parse_expression("x**2 + x"), {"x": (1.0, 2.0)}, "x")
    >>> found.values, found.slopes
    ((2.0, 6.0), (3.0, 5.0))
    """
    if isinstance(node, Number):
        return Enclosure((float(node.value),) * 2, _ZERO)
    if isinstance(node, Name):
        return Enclosure(spans[node.name], (1.0, 1.0) if node.name == moving else _ZERO)
    if node.op == "pi":
        return Enclosure((math.pi, math.pi), _ZERO)
    if node.op == "piecewise":
        return _choice(node, spans, moving)
    parts = []
    for arg in node.args:
        part = enclose(arg, spans, moving)
        if part is None:
            return None
        parts.append(part)
    try:
        return _applied(node, parts)
    except (ValueError, OverflowError, ZeroDivisionError):
        return Enclosure(_ALL, _ALL, True)


def _applied(node: Apply, parts: list[Enclosure]) -> Enclosure | None:
    partial = any(part.partial for part in parts)
    match node.op:
        case "add":
            values = slopes = _ZERO
            for part in parts:
                values, slopes = _plus(values, part.values), _plus(slopes, part.slopes)
            return Enclosure(values, slopes, partial)
        case "mul":
            product = parts[0]
            for part in parts[1:]:
                slopes = _plus(_times(product.values, part.slopes), _times(part.values, product.slopes))
                product = Enclosure(_times(product.values, part.values), slopes)
            return Enclosure(product.values, product.slopes, partial)
        case "neg":
            return Enclosure(_negated(parts[0].values), _negated(parts[0].slopes), partial)
        case "pow":
            return _power(parts[0], parts[1], partial)
        case "max" | "min":
            return _extreme(node.op, parts, partial)
        case op:
            return _RULES[op](parts[0])


def _plus(a: Span, b: Span) -> Span:
    return _sure(a[0] + b[0], a[1] + b[1])


def _negated(a: Span) -> Span:
    return -a[1], -a[0]


def _times(a: Span, b: Span) -> Span:
    if _ZERO in (a, b):
        return _ZERO
    ends = [_product(x, y) for x in a for y in b]
    return min(ends), max(ends)


def _product(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y


def _sure(low: float, high: float) -> Span:
    return (-math.inf if low != low else low), (math.inf if high != high else high)


def _hull(a: Span, b: Span) -> Span:
    return min(a[0], b[0]), max(a[1], b[1])


def _chained(inner: Enclosure, values: Span, factor: Span, partial: bool = False) -> Enclosure:
    """A function's values, and its slope times the slope inside."""
    return Enclosure(_sure(*values), _times(_sure(*factor), inner.slopes), inner.partial or partial)


def _rising(function: Callable[[float], float], slope: Callable[[Span], Span]) -> Callable[[Enclosure], Enclosure]:
    def rule(inner: Enclosure) -> Enclosure:
        low, high = (_at(function, end) for end in inner.values)
        return _chained(inner, (low, high), slope(inner.values))

    return rule


def _at(function: Callable[[float], float], x: float) -> float:
    try:
        return function(x)
    except OverflowError:
        return math.inf if x > 0 or function is math.cosh else -math.inf


def _inverse(inner: Enclosure) -> Enclosure:
    low, high = inner.values
    if low <= 0 <= high:
        if low == 0 == high:
            return Enclosure(_ALL, _ALL, True)
        values = (1 / high, math.inf) if low == 0 else (-math.inf, 1 / low) if high == 0 else _ALL
        return Enclosure(values, _ALL if inner.slopes != _ZERO else _ZERO, True)
    values = (1 / high, 1 / low)
    squares = [_product(end, end) for end in values]
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


def _power(base: Enclosure, exponent: Enclosure, partial: bool) -> Enclosure | None:
    low, high = exponent.values
    if low == high and exponent.slopes == _ZERO:
        return _fixed_power(base, low, partial)
    logged = _log(base)
    if logged is None or base.values[0] < 0:
        return Enclosure(_ALL, _ALL, True)
    product = _applied(Apply("mul", ()), [exponent, logged])
    return _RULES["exp"](product) if product else None


def _fixed_power(base: Enclosure, n: float, partial: bool) -> Enclosure | None:
    if n == 0:
        return Enclosure((1.0, 1.0), _ZERO, partial)
    if n < 0:
        positive = _fixed_power(base, -n, partial)
        return _inverse(positive) if positive else None
    low, high = base.values
    whole = n == int(n)
    if not whole:
        if high < 0:
            return None
        partial, low = partial or low < 0, max(low, 0.0)
    even = whole and int(n) % 2 == 0
    ends = (_pow(low, n), _pow(high, n))
    values = (0.0, max(ends)) if even and low <= 0 <= high else (min(ends), max(ends))
    if n == 1:
        return Enclosure(values, base.slopes, partial)
    lower = (_pow(low, n - 1), _pow(high, n - 1)) if low or n > 1 else (math.inf, _pow(high, n - 1))
    inside = min(lower), max(lower)
    if whole and not even and low <= 0 <= high:
        inside = (0.0, inside[1])
    return Enclosure(values, _times(_times((n, n), inside), base.slopes), partial)


def _pow(x: float, n: float) -> float:
    if math.isinf(x) and n <= 0:
        return 0.0 if n < 0 else 1.0
    if math.isinf(x):
        return math.inf if x > 0 or n % 2 == 0 else -math.inf
    try:
        return float(x**n)
    except OverflowError:
        return -math.inf if x < 0 and n % 2 == 1 else math.inf


def _absolute(inner: Enclosure) -> Enclosure:
    low, high = inner.values
    if low >= 0:
        return inner
    if high <= 0:
        return Enclosure(_negated(inner.values), _negated(inner.slopes), inner.partial)
    return _chained(inner, (0.0, max(-low, high)), (-1.0, 1.0))


def _extreme(op: str, parts: list[Enclosure], partial: bool) -> Enclosure:
    pick = max if op == "max" else min
    values = (pick(part.values[0] for part in parts), pick(part.values[1] for part in parts))
    able = [part for part in parts if (part.values[1] >= values[0] if op == "max" else part.values[0] <= values[1])]
    slopes = able[0].slopes
    for part in able[1:]:
        slopes = _hull(slopes, part.slopes)
    return Enclosure(values, slopes, partial)


def _stepped(rounded: Callable[[float], int]) -> Callable[[Enclosure], Enclosure]:
    def rule(inner: Enclosure) -> Enclosure:
        low, high = (float(rounded(end)) if math.isfinite(end) else end for end in inner.values)
        return Enclosure((low, high), _ZERO, inner.partial or low != high)

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
    if not high - low < math.pi or math.floor(low / math.pi + 0.5) != math.floor(high / math.pi + 0.5):
        return Enclosure(_ALL, _ALL if inner.slopes != _ZERO else _ZERO, True)
    return _chained(inner, (math.tan(low), math.tan(high)), (1.0, math.inf))


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


def _choice(node: Apply, spans: Mapping[str, Span], moving: str) -> Enclosure | None:
    """All arms that the conditions leave possible; where more than one, the values may jump."""
    found: list[Enclosure] = []
    certain = gap = False
    for i in range(0, len(node.args) - 1, 2):
        truth = _truth(node.args[i + 1], spans, moving)
        if truth is not False:
            arm = enclose(node.args[i], spans, moving)
            found.extend([arm] if arm else [])
            gap = gap or arm is None
        if truth is True:
            certain = True
            break
    if not certain:
        arm = enclose(node.args[-1], spans, moving) if len(node.args) % 2 else None
        found.extend([arm] if arm else [])
        gap = gap or arm is None
    if not found:
        return None
    whole = found[0]
    for arm in found[1:]:
        whole = Enclosure(_hull(whole.values, arm.values), _hull(whole.slopes, arm.slopes), True)
    return Enclosure(whole.values, whole.slopes, True) if gap else whole


def _truth(condition: Node, spans: Mapping[str, Span], moving: str) -> bool | None:
    """Whether a condition holds throughout, nowhere, or (None) in part."""
    assert isinstance(condition, Apply)
    if condition.op == "true":
        return True
    if condition.op in ("and", "or"):
        truths = [_truth(arg, spans, moving) for arg in condition.args]
        decided = condition.op == "or"
        if decided in truths:
            return decided
        return None if None in truths else not decided
    if condition.op == "not":
        inner = _truth(condition.args[0], spans, moving)
        return None if inner is None else not inner
    left, right = (enclose(arg, spans, moving) for arg in condition.args)
    if left is None or right is None:
        return False
    truth = _compared(condition.op, left.values, right.values)
    return None if truth and (left.partial or right.partial) else truth


def _compared(op: str, left: Span, right: Span) -> bool | None:
    (a, b), (c, d) = left, right
    match op:
        case "lt":
            return True if b < c else False if a >= d else None
        case "le":
            return True if b <= c else False if a > d else None
        case "gt":
            return True if a > d else False if b <= c else None
        case "ge":
            return True if a >= d else False if b < c else None
        case _:
            apart = b < c or d < a
            same = a == b == c == d
            return (op == "eq") if same else (op == "ne") if apart else None
