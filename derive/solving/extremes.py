"""The extremes of a form: its least and its greatest value while names move over ranges.

Where the slope keeps its sign in every range given, the extremes lie at two corners of the box and are exact. Where it
does not, the box is subdivided until the extremes are known to one part in a million. Where there is no closed form,
the plan is executed at sample points, and the answer says that its bounds are sampled.

A form is simplified over the box first, so that its bounds get tighter. An arm of a max that cannot bind anywhere in
the box is removed; numbers are substituted exactly; and a remaining ratio of polynomials is reduced, in which any other
function counts as an unknown of its own. What cancels then no longer widens the bounds, as in the share of a time in
itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import chain, islice, product
from typing import TYPE_CHECKING

from derive.expressions.functions import STEPPED
from derive.expressions.tree import (
    Apply,
    Name,
    Node,
    Number,
    applied,
    names_in,
    operations,
    rebuilt,
    render,
    walk,
    with_forms,
)
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import chosen_arm, value, with_exact_parts
from derive.numerics.algebra.exact_values import Order, order
from derive.numerics.algebra.like_terms import ONE, ZERO, negated
from derive.numerics.algebra.multiprecision import exactly
from derive.numerics.algebra.products import with_signs
from derive.numerics.intervals.arithmetic import minus, point_box
from derive.numerics.intervals.enclosure import GAP, Span, enclose
from derive.numerics.root_finding.branch_and_bound import PARTS, System
from derive.numerics.root_finding.continuous_pieces import bounds_by_pieces
from derive.solving.assumptions import Evidence
from derive.time_limits import tick
from quantities.rational import nearest

if TYPE_CHECKING:
    from quantities.quantity import Quantity

EXACT = Evidence("bounds are exact: monotone in every range", are_reached=True)
SEARCHED = Evidence("bounds found by a global search, to one part in a million", are_reached=True)
ROUGH = Evidence("bounds contain every value in the range; they may be too wide", are_wide=True)
EMPTY = Evidence("the form has no value in the range")

_STARTS = 2  # best points of a sample from which a search continues
_SHORTEST = 1e-4  # last step of that search, relative to the range; near an extreme the error is its square
_RATIONAL = {"add", "mul", "neg", "inv", "pow"}
_MOST_NODES = 400  # limit on nodes of a form that is reduced
_MOST_NAMES = 4  # limit on names in it
_WHOLE_OF_WHOLE = frozenset({"add", "mul", "neg", "abs", "max", "min"})
_FUNCTION = "function_"
"""How a name begins that stands for a function while a form is reduced."""


def bounds_of_form(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span], most: int = PARTS
) -> tuple[Span, Evidence]:
    """The least and the greatest value of a form as its names move over the ranges, and how these extremes are known.

    Each is found from `most` parts of their box.
    """
    corners = extreme_corners(form, values, ranges)
    if corners is not None:
        least, greatest = corners
        return (_value_at_corner(form, least), _value_at_corner(form, greatest)), EXACT
    used = {name: ranges.get(name) or (values[name], values[name]) for name in names_in(form)}
    extremes = bounds_by_pieces(System(form, (-math.inf, math.inf), (), used), most)
    if extremes is None:
        return (math.inf, -math.inf), EMPTY
    low, high = extremes
    return (low.at, high.at), SEARCHED if low.is_close and high.is_close else ROUGH


def _value_at_corner(form: Node, corner: Mapping[str, float]) -> float:
    """The extreme of a closed form at a corner of its box by exact parts and many digits, or in doubles without these.

    Doubles would leave the ends of `y*log(9) - 2*y*log(3)` as many wrong digits as its terms have before theirs.
    """
    exact_form = with_exact_parts(form, corner)
    if isinstance(exact_form, Number):
        return nearest(exact_form.value)
    number = math.nan if exact_form is None else exactly(exact_form, corner)
    return number if math.isfinite(number) else value(form, corner)


def extreme_corners(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span]
) -> tuple[Mapping[str, float], Mapping[str, float]] | None:
    """The corners of the ranges at which a form has its extremes, by its slopes' signs; None if one may change."""
    directions = _directions(form, point_box(values) | dict(ranges), ranges)
    if directions is None:
        return None
    least, greatest = dict(values), dict(values)
    for name, rises in directions.items():
        low, high = ranges[name]
        least[name], greatest[name] = (low, high) if rises else (high, low)
    return least, greatest


def _directions(form: Node, spans: Mapping[str, Span], moving: Container[str]) -> dict[str, bool] | None:
    """Whether a form rises or falls with each name that moves, to find its extremes; None if it may do either.

    What is rounded rises with its argument, though in steps: each rounding is a name for the form around it.
    """
    roundings: dict[Apply, str] = {}

    def named(part: Node) -> Node | None:
        """The name for a rounding; no quantity has a space in its own."""
        if isinstance(part, Apply) and part.op in STEPPED:
            return Name(roundings.setdefault(part, f"rounding {len(roundings)}"))
        return None

    around = rebuilt(form, named)
    within = dict(spans)
    for rounding, label in roundings.items():
        reach = enclose(rounding, spans, "")
        if reach is None or reach.flaw == GAP:
            return None
        within[label] = reach.values
    arguments = {label: rounding.args[0] for rounding, label in roundings.items()}
    directions: dict[str, bool] = {}
    for label in names_in(around):
        if label not in arguments and label not in moving:
            continue
        enclosure = enclose(around, within, label)
        if enclosure is None or enclosure.partial or enclosure.slopes[0] < 0 < enclosure.slopes[1]:
            return None
        rises = enclosure.slopes[0] >= 0
        inner = _directions(arguments[label], spans, moving) if label in arguments else {label: True}
        if inner is None:
            return None
        for name, rises_within in inner.items():
            if directions.setdefault(name, rises_within == rises) != (rises_within == rises):
                return None
    return directions


def is_monotone(form: Node, values: Mapping[str, float], ranges: Mapping[str, Span]) -> bool:
    """Whether a form certainly moves one way only with each range, so that its extremes are at corners."""
    return extreme_corners(form, values, ranges) is not None


def bounds_sampled(value_at: Callable[[Mapping[str, float]], float | None], ranges: Mapping[str, Span]) -> Span | None:
    """The extremes over ranges without a closed form: samples at corners, edges, middles, and steps from the best."""
    names = list(ranges)[:6]
    spans = (ranges[name] for name in names)
    samples: list[tuple[float, dict[str, float]]] = []
    for numbers in islice(product(*((low, (low + high) / 2, high) for low, high in spans)), 800):
        tick()
        point = dict(zip(names, numbers, strict=True))
        number = value_at(point)
        if number is not None:
            samples.append((number, point))
    if not samples:
        return None
    samples.sort(key=lambda sample: sample[0])
    low = min(_extreme_near(value_at, ranges, start, -1.0) for start in samples[:_STARTS])
    high = max(_extreme_near(value_at, ranges, start, 1.0) for start in samples[-_STARTS:])
    return low, high


def _extreme_near(
    value_at: Callable[[Mapping[str, float]], float | None],
    ranges: Mapping[str, Span],
    start: tuple[float, dict[str, float]],
    sign: float,
) -> float:
    """An extreme of a target without closed form as names move from a sample, by steps that shrink where none helps."""
    best, point = start
    share = 0.25
    while share > _SHORTEST:
        tick()
        steps = []
        for name, (low, high) in ranges.items():
            if name not in point:
                continue
            for x in (point[name] - share * (high - low), point[name] + share * (high - low)):
                moved = {**point, name: min(max(x, low), high)}
                number = value_at(moved)
                if number is not None:
                    steps.append((number, moved))
        number, moved = max(steps, key=lambda sample: sign * sample[0], default=(best, point))
        if sign * number > sign * best:
            best, point = number, moved
        else:
            share /= 2
    return best


def form_for_bounds(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span], quantities: Mapping[str, Quantity]
) -> Node:
    """A form simplified, before its extremes are sought, to one that equals it all over the ranges.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.quantity import Quantity
    >>> form = parse_expression("max(a*x, b)/(a*x)")
    >>> render(form_for_bounds(form, {"a": 2.0, "b": 3.0}, {"x": (2.0, 5.0)}, {"x": Quantity("x")}))
    '1'
    """
    return _with_whole_divisors(_simplified(form, values, ranges, quantities))


def _simplified(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span], quantities: Mapping[str, Quantity]
) -> Node:
    """A form simplified for its extremes over a box: without idle arms and what cancels, with functions as unknowns."""
    known = {name: number for name, number in values.items() if name not in ranges}
    # A number over its size is a sign before it is taken for positive or negative: at zero it has no value.
    form = folded(without_idle_arms(with_signs(folded(form, known)), ranges), {})

    def with_arguments(part: Node) -> Node | None:
        """A function with its arguments simplified for the extremes of a form; None if rational, a choice as it is."""
        if not isinstance(part, Apply) or _is_rational(part):
            return None
        if part.op == "piecewise" or _occurrences(part) == len(part.names):
            return part
        return Apply(part.op, tuple(_simplified(arg, {}, ranges, quantities) for arg in part.args))

    form = rebuilt(form, with_arguments)
    functions: dict[Node, Name] = {}

    def outlined(part: Node) -> Node | None:
        """A name for a function while a form is reduced for its extremes; None if rational, or without a sure value."""
        if _is_rational(part):
            return None
        enclosure = enclose(part, ranges, "")
        if enclosure is None or enclosure.flaw == GAP:
            return part
        return functions.setdefault(_in_order(part), Name(f"{_FUNCTION}{len(functions)}"))

    outline = rebuilt(form, outlined)
    names = names_in(outline)
    is_small = sum(1 for _ in walk(outline)) <= _MOST_NODES and 0 < len(names) <= _MOST_NAMES
    originals = {name.name: part for part, name in functions.items()}
    is_rational = all(map(_is_rational, walk(outline))) and quantities.keys() | originals.keys() >= {*names}
    if not is_small or not is_rational or _occurrences(outline) == len(names):
        return form
    reduced = [with_forms(one, originals) for one in _reduced(outline, quantities, originals)]
    return min([form, *reduced], key=lambda one: (_occurrences(one), _divisions(one)))


def _with_whole_divisors(node: Node) -> Node:
    """A form with bounds, to find its extremes by, of inverses and logarithms of whole numbers, none of which is zero.

    The enclosure of 1/floor(x) has no end where floor(x) is 0 or 1, and none of its values is above 1.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(_with_whole_divisors(parse_expression("y/(x*floor(x))")))
    'y*max(-1, min(1, 1/floor(x)))/x'
    """
    if not isinstance(node, Apply) or node.op == "piecewise":
        return node
    args = tuple(map(_with_whole_divisors, node.args))
    if node.op == "mul":
        return _flat_product(args)
    if node.op == "log" and _is_whole(args[0]):
        return Apply("max", (ZERO, Apply("log", args)))
    if node.op != "inv":
        return Apply(node.op, args)
    factors = args[0].args if isinstance(args[0], Apply) and args[0].op == "mul" else args
    whole_factors = [factor for factor in factors if _is_whole(factor) and not isinstance(factor, Number)]
    if not whole_factors:
        return Apply("inv", args)
    inverse = Apply("inv", (applied("mul", whole_factors, ONE),))
    rest = [Apply("inv", (factor,)) for factor in factors if factor not in whole_factors]
    return _flat_product([Apply("max", (negated(ONE), Apply("min", (ONE, inverse)))), *rest])


def _flat_product(parts: Iterable[Node]) -> Node:
    """A product in a form whose extremes are sought, with no products among its factors; nothing cancels in it."""
    factors: list[Node] = []
    for part in parts:
        factors += part.args if isinstance(part, Apply) and part.op == "mul" else [part]
    return applied("mul", factors, ONE)


def _is_whole(node: Node) -> bool:
    """Whether a part of a form whose extremes are sought has whole numbers only, since it is rounded."""
    if isinstance(node, Number):
        return node.value.denominator == 1
    if not isinstance(node, Apply):
        return False
    return node.op in STEPPED or (node.op in _WHOLE_OF_WHOLE and all(map(_is_whole, node.args)))


def _in_order(node: Node) -> Node:
    """A form with terms and factors in one order, in which a recurring function is one when extremes are sought."""
    if not isinstance(node, Apply):
        return node
    args = tuple(map(_in_order, node.args))
    return Apply(node.op, tuple(sorted(args, key=render)) if node.op in ("add", "mul", "max", "min") else args)


def without_idle_arms(node: Node, ranges: Mapping[str, Span]) -> Node:
    """A form without arms (of a max, min, sign or absolute value) that its extremes over a box cannot depend on.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(without_idle_arms(parse_expression("abs(x - 1) + max(x, 4)"), {"x": (1.0, 3.0)}))
    '(x - 1) + 4'
    """
    if not isinstance(node, Apply):
        return node
    args = tuple(without_idle_arms(arg, ranges) for arg in node.args)
    if node.op == "abs":
        sign = _sign_over(args[0], ranges)
        if sign is not None:
            return args[0] if sign > 0 else negated(args[0])
    if node.op == "piecewise":
        pairs = zip(args[::2], args[1::2], strict=False)
        kept = [pair for pair in pairs if not _is_of_other_sign(pair[1], ranges)]
        args = (*chain.from_iterable(kept), *args[len(args) - len(args) % 2 :])
        return Apply(node.op, args) if kept else node
    if node.op in ("max", "min"):
        args = tuple(dict.fromkeys(args))
        enclosures = [enclose(arg, ranges, "") for arg in args]
        spans = [enclosure.values for enclosure in enclosures if enclosure is not None and not enclosure.partial]
        if len(spans) == len(args):
            args = _arms_that_may_bind(args, spans if node.op == "max" else [*map(minus, spans)])
        if len(args) == 1:
            return args[0]
    return Apply(node.op, args)


def _is_of_other_sign(condition: Node, ranges: Mapping[str, Span]) -> bool:
    """Whether an arm holds for one sign of a number only, which it never has in the box of the extremes."""
    if not isinstance(condition, Apply) or condition.op not in ("gt", "lt") or condition.args[1] != ZERO:
        return False
    return _sign_over(condition.args[0], ranges) == (-1 if condition.op == "gt" else 1)


def _arms_that_may_bind(arms: Sequence[Node], spans: Sequence[Span]) -> tuple[Node, ...]:
    """The arms of a max that may bind somewhere in the ranges over which extremes are sought; of equal ones, one."""
    floor = max(low for low, _ in spans)
    first = next(arm for arm, (low, _) in zip(arms, spans, strict=True) if low == floor)
    return tuple(arm for arm, (_, high) in zip(arms, spans, strict=True) if high > floor or arm is first)


def _sign_over(form: Node, ranges: Mapping[str, Span]) -> int | None:
    """The sign that a form never has the opposite of over the ranges of its extremes; None if it may have both."""
    enclosure = enclose(form, ranges, "")
    if enclosure is None:
        return None
    if enclosure.values[0] >= 0:
        return 1
    if enclosure.values[1] <= 0:
        return -1
    corners = extreme_corners(form, {}, ranges)
    if corners is None:
        return None
    least, greatest = corners  # an end of the enclosure may lie beyond zero by rounding alone
    if order(form, ZERO, least, chosen_arm) in (Order.GREATER, Order.EQUAL):
        return 1
    return -1 if order(form, ZERO, greatest, chosen_arm) in (Order.LESS, Order.EQUAL) else None


def _is_rational(part: Node) -> bool:
    """Whether an operation leaves a form a ratio of polynomials, which is reduced before its extremes are sought."""
    if not isinstance(part, Apply):
        return True
    if part.op == "pow":
        return isinstance(part.args[1], Number) and part.args[1].value.denominator == 1
    return part.op in _RATIONAL


def _reduced(form: Node, quantities: Mapping[str, Quantity], functions: Iterable[str]) -> list[Node]:
    """A form in lowest terms and partial fractions, to find its extremes by; none if its divisor is zero everywhere.

    Its unknowns are quantities, and names that stand for functions of them.
    """
    import sympy

    from derive.expressions.sympy_bridge import from_sympy, to_sympy
    from quantities.quantity import Quantity

    symbols = {**quantities, **{name: Quantity(name, domain="real") for name in functions}}
    cancelled = sympy.cancel(sympy.together(to_sympy(form, symbols)))
    if cancelled.has(sympy.zoo, sympy.nan):
        return []
    left = cancelled.free_symbols
    split = sympy.apart(cancelled, *left) if len(left) == 1 else cancelled  # (x + 1)/(x + 2) as 1 - 1/(x + 2)
    return [from_sympy(one)[0] for one in (cancelled, split)]


def _occurrences(form: Node) -> int:
    """How often moving names occur in a form: the more often, the wider are the enclosures that bound its extremes."""
    return sum(isinstance(part, Name) for part in walk(form))


def _divisions(form: Node) -> int:
    """The number of divisions in a form: its extremes have no bound where a divisor may be zero."""
    return sum(1 for _ in operations(form, among=("inv",)))
