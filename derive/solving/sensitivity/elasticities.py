"""Elasticities of an answer, composed closed forms, and bounds over ranges.

The blocks' closed forms are substituted into each other until only givens are left. Interval arithmetic then gives
the exact slope at a point, and the sign of the slope over a box: where it keeps its sign in every ranged given, the
extremes lie at two corners of the box and are exact. Where it does not, the box is subdivided until the extremes are
known to one part in a million. Where there is no closed form, the plan is executed at sample points, and the answer
says that its bounds are sampled.

The degree of homogeneity of an expression: how it scales when its names scale.

If names are scaled by powers of a positive number, a homogeneous expression scales by the power that is its degree.
That is a proof for all values, where numbers only sample a few: a term too small to be seen beside others still has a
degree of its own, and a sum of different degrees has none.

Closed forms simplified over a box, so that their bounds get tighter.

An arm of a max that cannot bind anywhere in the box is removed; numbers are substituted exactly; and a remaining
ratio of polynomials is reduced. A quantity that cancels then no longer widens the bounds, as in the share of a time
in itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement, nothing
from derive.expressions.functions import DEGREES, STEPPED
from derive.expressions.tree import Apply, Name, Node, Number, names_in, rebuilt, walk
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import Span, enclose
from derive.numerics.root_finding.branch_and_bound import PARTS, System, least_and_greatest
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, EXTREME

if TYPE_CHECKING:
    from quantities.quantity import Quantity

LARGEST = 5000
"""Nodes of the largest closed form that is written out."""
EXACT = "bounds are exact: monotone in every range"
SEARCHED = "bounds found by a global search, to one part in a million"
ROUGH = "bounds contain every value in the range; they may be too wide"

_STARTS = 2  # best points of a sample from which a search continues
_SHORTEST = 1e-4  # last step of that search, relative to the range; near an extreme the error is its square


def composed(target: str, forms: Mapping[str, Node]) -> Node | None:
    """The target's form with the other forms substituted, or None if one is missing or it grows too large.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(composed("c", {"b": parse_expression("2*a"), "c": parse_expression("b**2")}))
    '(2*a)**2'
    """
    if target not in forms:
        return None
    sizes: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in sizes:
            sizes[name] = 0
            held = walk(forms[name])
            sizes[name] = sum(size(part.name) if isinstance(part, Name) and part.name in forms else 1 for part in held)
        return sizes[name]

    try:
        if size(target) > LARGEST:
            return None
        return put_in(forms[target], forms)
    except RecursionError:
        return None


def put_in(node: Node, forms: Mapping[str, Node]) -> Node:
    """An expression with forms substituted for their names, recursively."""
    return rebuilt(
        node, lambda part: put_in(forms[part.name], forms) if isinstance(part, Name) and part.name in forms else None
    )


def slopes(form: Node, values: Mapping[str, float]) -> dict[str, float]:
    """d ln form / d ln name, for every name in it."""
    at = value(form, values)
    spans = {name: (number, number) for name, number in values.items()}
    found = {}
    for name in names_in(form):
        enclosure = enclose(form, spans, name)
        if enclosure is None or at == 0 or at != at:
            continue
        low, high = (slope * values[name] / at for slope in enclosure.slopes)
        if abs(high - low) <= EXTREME * (abs(low) + abs(high)) + AGREEMENT < math.inf:
            found[name] = (low + high) / 2
    return found


def bounds_of_form(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span], most: int = PARTS
) -> tuple[Span, str]:
    """The least and the greatest value over the box of the ranges, and how they are known: from so many parts for
    each at most."""
    corners = _corners(form, values, ranges)
    if corners is not None:
        least, greatest = corners
        return (value(form, least), value(form, greatest)), EXACT
    used = {name: ranges.get(name) or (values[name], values[name]) for name in names_in(form)}
    found = least_and_greatest(System(form, (-math.inf, math.inf), (), used), most)
    if found is None:
        return (math.inf, -math.inf), "the form has no value in the range"
    low, high = found
    return (low.at, high.at), SEARCHED if low.is_close and high.is_close else ROUGH


def _corners(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span]
) -> tuple[Mapping[str, float], Mapping[str, float]] | None:
    """The corners of the box at which a form is least and greatest; None where it may turn within one of the ranges."""
    spans = {name: (number, number) for name, number in values.items()} | dict(ranges)
    least, greatest = dict(values), dict(values)
    for name in names_in(form):
        if name not in ranges:
            continue
        found = enclose(form, spans, name)
        if found is None or found.partial or found.slopes[0] < 0 < found.slopes[1]:
            return None
        low, high = ranges[name]
        least[name], greatest[name] = (low, high) if found.slopes[0] >= 0 else (high, low)
    return least, greatest


def is_monotone(form: Node, values: Mapping[str, float], ranges: Mapping[str, Span]) -> bool:
    """Whether a form is certainly monotone or constant in each of the ranges."""
    return _corners(form, values, ranges) is not None


def bounds_sampled(again: Callable[[Mapping[str, float]], float | None], ranges: Mapping[str, Span]) -> Span | None:
    """The extremes by a search: at corners, edges and middles of the box, and from the best of these on."""
    names = list(ranges)[:6]
    points = list(product(*((low, (low + high) / 2, high) for low, high in (ranges[name] for name in names))))
    found: list[tuple[float, dict[str, float]]] = []
    for point in points[:800]:
        tick()
        at = dict(zip(names, point, strict=True))
        number = again(at)
        if number is not None:
            found.append((number, at))
    if not found:
        return None
    found.sort(key=lambda one: one[0])
    low = min(_climbed(again, ranges, start, -1.0) for start in found[:_STARTS])
    high = max(_climbed(again, ranges, start, 1.0) for start in found[-_STARTS:])
    return low, high


def _climbed(
    again: Callable[[Mapping[str, float]], float | None],
    ranges: Mapping[str, Span],
    start: tuple[float, dict[str, float]],
    sign: float,
) -> float:
    """The extreme near a point: a step along each range while that helps, then steps of half the length."""
    best, at = start
    share = 0.25
    while share > _SHORTEST:
        tick()
        steps = []
        for name, (low, high) in ranges.items():
            for aside in (at.get(name, low) - share * (high - low), at.get(name, low) + share * (high - low)):
                moved = {**at, name: min(max(aside, low), high)}
                number = again(moved) if name in at else None
                steps.extend([] if number is None else [(number, moved)])
        number, moved = max(steps, key=lambda one: sign * one[0], default=(best, at))
        if sign * number > sign * best:
            best, at = number, moved
        else:
            share /= 2
    return best


ANY = "any"
"""The degree of zero, which has every one."""

_POWERS = 1000  # the largest denominator of a power


def degree(node: Node, degrees: Mapping[str, Fraction]) -> Fraction | None:
    """The degree of an expression in names of some degrees, the others being fixed; None if it has none.

    >>> from derive.expressions.grammar import parse_expression
    >>> mass = {"m": Fraction(1), "p": Fraction(1), "v": Fraction(0)}
    >>> [str(degree(parse_expression(text), mass)) for text in ("sqrt(m*v)", "p/(m*v + p)", "m + v")]
    ['1/2', '0', 'None']
    """
    return _DEGREES.attempt(node, lambda name: degrees.get(name, Fraction(0)))


def _alike(*parts: Any) -> Any:
    """The one degree of all terms."""
    powers = {part for part in parts if part is not ANY}
    if len(powers) > 1:
        raise NoElement
    return powers.pop() if powers else ANY


def _scaled(degree: Fraction, part: Any) -> Any:
    return part if part is ANY else part * degree


OPERATIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("add", "max", "min"), _alike),
    "neg": lambda part: part,
    "mul": lambda *parts: ANY if any(part is ANY for part in parts) else sum(parts, Fraction(0)),
    "inv": lambda part: nothing() if part is ANY else -part,
    **{name: partial(_scaled, degree) for name, degree in DEGREES.items() if name not in STEPPED},
}
"""The degree of each operation, from those of its arguments."""


def _other(node: Apply, part: Fold) -> Fraction:
    """A power, or an operation that has a degree only where its arguments do not scale."""
    parts: list[Fraction] = [part(arg) for arg in node.args]
    if not any(parts):
        return Fraction(0)
    if node.op != "pow" or names_in(node.args[1]):
        raise NoElement
    return parts[0] * Fraction(value(node.args[1], {})).limit_denominator(_POWERS)


_DEGREES: Arithmetic[Fraction] = Arithmetic(lambda _: Fraction(0), OPERATIONS, otherwise=_other)


_RATIONAL = {"add", "mul", "neg", "inv", "pow"}
_LARGEST = 400  # limit on nodes of a form that is reduced
_MOST = 4  # limit on names in it


def eased(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span], quantities: Mapping[str, Quantity]
) -> Node:
    """An expression of the ranges alone that equals the form everywhere in them.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.quantity import Quantity
    >>> form = parse_expression("max(a*x, b)/(a*x)")
    >>> render(eased(form, {"a": 2.0, "b": 3.0}, {"x": (2.0, 5.0)}, {"x": Quantity("x")}))
    '1'
    """
    known = {name: number for name, number in values.items() if name not in ranges}
    form = folded(without_idle_arms(folded(form, known), ranges), {})
    parts = list(walk(form))
    names = names_in(form)
    rational = all(_is_rational(part) for part in parts)
    if not rational or len(parts) > _LARGEST or not 0 < len(names) <= _MOST or any(n not in quantities for n in names):
        return form
    return _reduced(form, quantities)


def without_idle_arms(node: Node, ranges: Mapping[str, Span]) -> Node:
    """The expression without the arms of a max or min that never bind in the ranges."""
    if not isinstance(node, Apply):
        return node
    args = tuple(without_idle_arms(arg, ranges) for arg in node.args)
    if node.op in ("max", "min"):
        found = [enclose(arg, ranges, "") for arg in args]
        spans = [e.values for e in found if e is not None and not e.partial]
        if len(spans) == len(args):
            best = max(low for low, _ in spans) if node.op == "max" else min(high for _, high in spans)
            args = tuple(
                arg
                for arg, (low, high) in zip(args, spans, strict=True)
                if (high >= best if node.op == "max" else low <= best)
            )
    return args[0] if node.op in ("max", "min") and len(args) == 1 else Apply(node.op, args)


def _is_rational(part: Node) -> bool:
    if not isinstance(part, Apply):
        return True
    if part.op == "pow":
        return isinstance(part.args[1], Number) and part.args[1].value.denominator == 1
    return part.op in _RATIONAL


def _reduced(form: Node, quantities: Mapping[str, Quantity]) -> Node:
    import sympy

    from derive.expressions.sympy_bridge import from_sympy, to_sympy

    whole = sympy.cancel(sympy.together(to_sympy(form, quantities)))
    symbols = whole.free_symbols
    split = sympy.apart(whole, *symbols) if len(symbols) == 1 else whole  # (x + 1)/(x + 2) as 1 - 1/(x + 2)
    return min(form, from_sympy(whole)[0], from_sympy(split)[0], key=_mentions)


def _mentions(form: Node) -> int:
    """The number of occurrences of ranged names in a form: the more there are, the wider its enclosure."""
    return sum(isinstance(part, Name) for part in walk(form))
