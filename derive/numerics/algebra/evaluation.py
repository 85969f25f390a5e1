"""The evaluation of expressions and conditions at given numbers, in doubles; NaN where a value is undefined.

Everything is in coherent base units, so a value is a bare float. Whatever real arithmetic leaves undefined (the root
of a negative number, a division by zero, an overflow) is NaN and stays NaN, so that a candidate solution that needs
it fails its substitution instead of raising.

A condition is true, false or undefined. A value too large for a double still compares with an ordinary one: `exp(800)
> 5` is true. An undefined value compares with nothing, and two values that are both too large do not compare; a
choice that meets such a condition before a true one is undefined.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain
from operator import itemgetter
from typing import Any

from derive.expressions.arithmetic import TESTS, Arithmetic, NoElement, may_lose_digits
from derive.expressions.balls import many_digits
from derive.expressions.functions import STEPPED, TABLE
from derive.expressions.tree import COMPARISONS, Apply, Equation, Name, Node, Number, cases, names_in
from derive.numerics.algebra.exact_values import Order, Undefined, folded_ball, order, with_rational_parts
from derive.numerics.intervals.enclosure import Span, joined, truths
from derive.tolerances import ASIDE, LAST_DIGIT, MET
from quantities.rational import exact_of

Values = Mapping[str, float]

Evaluator = Callable[[Values], Any]
"""The value of an expression, or the truth of a condition, as a function of the numbers of its names."""

_NAN = math.nan
_INFINITY = math.inf
_NEAR = 1e-10  # relative distance from a root at which its residual is above the rounding of sums
_LEAST_POWER = 0.12  # of the distance from a root with which a residual grows: with less, it is no root's
_DOUBLE = 60  # correct bits from which a number is rounded to the right double, or to one beside it


def power(args: Sequence[float]) -> float:
    """The evaluation of a real power in doubles; NaN where it would be complex or infinite."""
    base, exponent = args
    if base == 0 and exponent < 0:
        return _NAN
    result = base**exponent
    return result if isinstance(result, float) else _NAN


def value(node: Node, values: Values) -> float:
    """The evaluation of an expression at given numbers, as a float; NaN where it is undefined.

    >>> from derive.expressions.grammar import parse_expression
    >>> value(parse_expression("2*max(x, 3)**2"), {"x": 1.0})
    18.0
    """
    if isinstance(node, Name):
        return values[node.name]
    if isinstance(node, Number):
        return node.real
    try:
        number: float = (node.evaluator or _evaluator(node))(values)
    except (ValueError, ZeroDivisionError, OverflowError):
        return _NAN
    return number


_number_of = lru_cache(maxsize=4096)(itemgetter)  # one for all places of a name


def _evaluator(node: Node) -> Evaluator:
    """The evaluation of an expression, as a function of the given numbers that is made once for each node.

    If one part is undefined, so is the whole; an error therefore ends the evaluation, and so does NaN.
    """
    if isinstance(node, Name):
        return _number_of(node.name)
    if isinstance(node, Number):
        return _EVALUATORS.number(node)
    if node.evaluator is None:
        constant = _from_many_digits(node)
        evaluator = _EVALUATORS.applied(node, _evaluator) if constant is None else _constant(constant)
        object.__setattr__(node, "evaluator", evaluator)
    assert node.evaluator is not None
    return node.evaluator


def _product(factors: Sequence[Evaluator], values: Values) -> float:
    result = 1.0
    for factor in factors:
        result *= factor(values)
    return result if -_INFINITY < result < _INFINITY else _NAN


def _of_several(function: Callable[[list[float]], float], arguments: Sequence[Evaluator], values: Values) -> float:
    args = [argument(values) for argument in arguments]
    for arg in args:
        if math.isnan(arg):
            return _NAN
    result = function(args)
    return result if -_INFINITY < result < _INFINITY else _NAN


def _of_one(function: Callable[[float], float], argument: Evaluator, values: Values) -> float:
    result = function(argument(values))
    return result if -_INFINITY < result < _INFINITY else _NAN


def _chosen(choice: Apply, values: Values) -> float:
    arm = chosen_arm(choice, values)
    return _NAN if arm is None else value(arm, values)


def chosen_arm(choice: Apply, values: Values) -> Node | None:
    """The arm that a choice takes in its evaluation; None if no condition holds, or an undefined one comes first."""
    for arm, condition in cases(choice):
        met = condition is None or truth(condition, values)
        if met:
            return arm
        if met is None:
            return None
    return None


def binding_arm(choice: Apply, values: Values) -> Node | None:
    """The arm of a maximum, a minimum or a choice that binds in its evaluation; None if none can be told."""
    if choice.op == "piecewise":
        return chosen_arm(choice, values)
    binds = Order.GREATER if choice.op == "max" else Order.LESS
    best, *others = choice.args
    for arg in others:
        ordering = order(arg, best, values, chosen_arm)
        if ordering in (Order.UNDECIDED, Order.UNDEFINED):
            ordering = Order.of(value(arg, values) - value(best, values))
        if ordering is binds:  # of arms that are equal, the first
            best = arg
    return best


def holds(condition: Node, values: Values) -> bool:
    """Whether the evaluation of a condition at given numbers gives true; an undefined one does not hold."""
    return truth(condition, values) is True


def truth(condition: Node, values: Values) -> bool | None:
    """The evaluation of a condition at given numbers; None where it is undefined, as a value would be NaN.

    >>> from derive.expressions.grammar import parse_condition
    >>> [truth(parse_condition("exp(x) > 5"), {"x": x}) for x in (1.0, 800.0)]
    [False, True]
    >>> truth(parse_condition("log(x) > 5"), {"x": -1.0})
    """
    result: bool | None = _evaluator(condition)(values)
    return result


def _denied(inner: Evaluator, values: Values) -> bool | None:
    met = inner(values)
    return None if met is None else not met


def _joined(op: str, conditions: Sequence[Evaluator], values: Values) -> bool | None:
    return joined(op, (condition(values) for condition in conditions))


_OF_PRODUCTS = frozenset({"mul", "inv", "neg", "abs", "max", "min", "sqrt"})


def _is_product(node: Node) -> bool:
    """Whether evaluation in doubles is right to nearly all digits, as nothing can cancel in the expression."""
    return not isinstance(node, Apply) or (node.op in _OF_PRODUCTS and all(map(_is_product, node.args)))


def _compared(comparison: Apply, is_of_products: bool, values: Values) -> bool | None:
    """The evaluation of a comparison in doubles or, where its sides are nearly equal, by exact values."""
    left_side, right_side = comparison.args
    left, right = value(left_side, values), value(right_side, values)
    if math.isnan(left) or math.isnan(right):
        return _beyond_doubles(comparison, (left, right), values)
    # a product is right to nearly all its digits; only sides that are nearly equal, or sums, need more of them
    is_clear = is_of_products and abs(left - right) > MET * max(abs(left), abs(right))
    if is_clear or _AS_DOUBLES.get() or math.isinf(left) or math.isinf(right):
        return TESTS[comparison.op](left, right)
    ordering = order(left_side, right_side, values, chosen_arm)
    return comparison.op in _HOLDS[Order.of(left - right) if ordering is Order.UNDEFINED else ordering]


def _rounded(argument: Node, function: Callable[[float], float], values: Values) -> float:
    """The evaluation of a number rounded up or down, by its double or, if that is nearly whole, by its exact value."""
    number = value(argument, values)
    nearest = float(round(number))
    if _AS_DOUBLES.get() or abs(number - nearest) > MET * _size(argument, number, values):
        return function(number)
    ordering = order(argument, Number(Fraction(nearest)), values, chosen_arm)
    if ordering is Order.UNDEFINED:
        return function(number)
    if ordering.is_tie:
        return nearest
    return nearest + function(0.5 if ordering is Order.GREATER else -0.5)  # a large double has no half beside it


def _from_many_digits(node: Apply) -> float | None:
    """What evaluation takes for a constant in which doubles may lose digits: its value from many; None of any other."""
    if node.names or not may_lose_digits(node):
        return None
    with many_digits():
        try:
            ball = folded_ball(node, {}, {}, chosen_arm)
        except NoElement:
            return None
        return float(ball) if ball.is_finite() and ball.rel_accuracy_bits() > _DOUBLE else None


def in_doubles(constant: Node) -> float:
    """The evaluation of a constant operation by operation in doubles; NaN where it is undefined."""
    try:
        number: float = _EVALUATORS.fold(constant, itemgetter)({})
    except (ValueError, ZeroDivisionError, OverflowError):
        return _NAN
    return number


def _constant(number: float) -> Evaluator:
    return lambda _: number


_EVALUATORS: Arithmetic[Evaluator] = Arithmetic(
    number=lambda node: _constant(node.real),
    operations={
        "pi": lambda: _constant(math.pi),
        "add": lambda *terms: partial(_of_several, math.fsum, terms),
        "mul": lambda *factors: partial(_product, factors),
        "pow": lambda *arguments: partial(_of_several, power, arguments),
        "max": lambda *arms: partial(_of_several, max, arms),
        "min": lambda *arms: partial(_of_several, min, arms),
        "neg": partial(partial, _of_one, operator.neg),
        "inv": partial(partial, _of_one, lambda x: 1.0 / x),
        **{name: partial(partial, _of_one, entry.value) for name, entry in TABLE.items() if name not in STEPPED},
        "true": lambda: _constant(True),
        "and": lambda *conditions: partial(_joined, "and", conditions),
        "or": lambda *conditions: partial(_joined, "or", conditions),
        "not": partial(partial, _denied),
    },
    forms={
        "piecewise": lambda choice, _: partial(_chosen, choice),
        **dict.fromkeys(STEPPED, lambda step, _: partial(_rounded, step.args[0], TABLE[step.op].value)),
        **dict.fromkeys(TESTS, lambda test, _: partial(_compared, test, all(map(_is_product, test.args)))),
    },
)
"""Functions of the numbers, one made of others: a tree is folded once, and called at each point."""


_HOLDS = {
    Order.LESS: ("lt", "le", "ne"),
    Order.EQUAL: ("le", "ge", "eq"),
    Order.GREATER: ("gt", "ge", "ne"),
    Order.UNDECIDED: ("le", "ge", "eq"),
}
"""The comparisons that hold; sides that the digits of computed numbers do not tell apart are taken for equal."""


_AS_DOUBLES = ContextVar("derive_as_doubles", default=False)


@contextmanager
def as_doubles() -> Iterator[None]:
    """A block in which evaluation compares in doubles alone and not by exact values, for a search beside a jump."""
    token = _AS_DOUBLES.set(True)
    try:
        yield
    finally:
        _AS_DOUBLES.reset(token)


def _beyond_doubles(comparison: Apply, sides: Sequence[float], values: Values) -> bool | None:
    """The evaluation of a comparison whose sides are not both finite doubles; None if it is undefined.

    Where enclosures leave it open, as those of two overflows do, balls may decide it: they may be larger than doubles.
    """
    spans = {name: (values[name], values[name]) for name in names_in(comparison)}
    if not all(math.isfinite(number) for number, _ in spans.values()):
        return None
    known = (arg if x != x else Number(Fraction(x)) for arg, x in zip(comparison.args, sides, strict=True))
    possible = truths(Apply(comparison.op, tuple(known)), spans)
    if len(possible) == 1:
        return next(iter(possible))
    if _AS_DOUBLES.get():
        return None
    left, right = comparison.args
    ordering = order(left, right, values, chosen_arm)
    if ordering is Order.UNDECIDED and any(math.isfinite(side) and side != 0 for side in sides):
        return None  # what is left where overflows cancel may be on either side of a number
    return None if ordering is Order.UNDEFINED else comparison.op in _HOLDS[ordering]


def truth_within(condition: Node, box: Mapping[str, Span]) -> bool | None:
    """The evaluation of a condition at all numbers in a box; None if it is open or undefined there."""
    possible = truths(condition, box)
    return next(iter(possible)) if len(possible) == 1 else None


def terms(node: Node) -> tuple[Node, ...]:
    """The terms of a sum, signs aside, by which the evaluation of a residual is measured; else the one expression."""
    if isinstance(node, Apply) and node.op == "add":
        return tuple(chain.from_iterable(map(terms, node.args)))
    if isinstance(node, Apply) and node.op == "neg":
        return terms(node.args[0])
    return (node,)


def residual(equation: Equation, values: Values) -> float:
    """The evaluation of an equation's two sides: their difference over the sum of absolute terms; NaN where undefined.

    >>> from derive.expressions.grammar import parse_equation
    >>> residual(parse_equation("a = b + c"), {"a": 4.0, "b": 1.0, "c": 3.0})
    0.0
    """
    left, right = value(equation.lhs, values), value(equation.rhs, values)
    gap = left - right
    if gap == 0:
        return 0.0
    size = _size(equation.lhs, left, values) + _size(equation.rhs, right, values)
    return gap / size if math.isfinite(size) and size > 0 else _NAN


def size_of(equation: Equation, values: Values) -> float:
    """The evaluation of the sum of an equation's absolute terms, by which its residual is measured."""
    return sum(_size(side, value(side, values), values) for side in equation.sides)


def with_exact_parts(node: Node, values: Values) -> Node | None:
    """An expression made ready for evaluation, each part that has an exact value replaced by it; None if undefined.

    The angle whose cosine is (1.3 - 0.9)/0.4 is zero; in doubles that ratio is more than one, and there is no angle.
    What is rounded up or down is a whole number where its decimals say so: log(1000)/log(10) is 3. Of a choice the arm
    is left that it takes.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> from quantities.rational import written
    >>> angle = parse_expression("acos((y - 0.9)/0.4) + 2*turns")
    >>> render(with_exact_parts(angle, {"y": written(1.3), "turns": 1.0}))
    'acos(1) + 2*turns'
    >>> render(with_exact_parts(parse_expression("x*floor(log(y)/log(10))"), {"x": 2.0, "y": written(1000)}))
    'x*3'
    """

    def whole_at_tie(part: Apply) -> Node | None:
        """The whole number from which what is rounded differs by rounding only; what was computed decides nothing."""
        number = value(part.args[0], values) if part.op in STEPPED else _NAN
        if not math.isfinite(number):
            return None
        nearest = Number(Fraction(round(number)))
        return nearest if order(part.args[0], nearest, values, chosen_arm).is_tie else None

    try:
        return with_rational_parts(node, values, chosen_arm, whole_at_tie)
    except Undefined:
        return None


def residual_of_decimals(equation: Equation, values: Values) -> float:
    """The evaluation of an equation's residual with each part that has an exact value by that; else NaN.

    In doubles a part may lie beside the end of a function's domain, by a rounding.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.rational import written
    >>> root = parse_equation("x = sqrt(a - b - c)")
    >>> typed = {"a": written(0.3), "b": written(0.2), "c": written(0.1), "x": 0.0}
    >>> residual(root, typed), residual_of_decimals(root, typed)
    (nan, 0.0)
    """
    left, right = (with_exact_parts(side, values) for side in equation.sides)
    if left is not None and right is not None:
        gap = residual(Equation(left, equation.op, right), values)
        if not math.isnan(gap):
            return gap
    return _residual_beyond_doubles(equation, values)


def _residual_beyond_doubles(equation: Equation, values: Values) -> float:
    """The residual of a limit of which a side is larger than any double: all of its size; NaN where it is undefined.

    >>> from derive.expressions.grammar import parse_equation
    >>> [_residual_beyond_doubles(parse_equation(text), {"x": 1000.0}) for text in ("exp(x) >= 1", "1 >= exp(x)")]
    [1.0, -1.0]
    """
    if equation.op == "=":
        return _NAN
    is_met = truth(Apply(COMPARISONS[equation.op], equation.sides), values)
    if is_met is None:
        return _NAN
    return 1.0 if is_met is (equation.op == ">=") else -1.0


def _size(side: Node, number: float, values: Values) -> float:
    """The evaluation of the sum of absolute terms of a side whose own value is known."""
    if isinstance(side, Apply) and side.op in ("add", "neg"):
        return sum(abs(value(term, values)) for term in terms(side))
    return abs(number)


def departure(equation: Equation, values: Values) -> float:
    """The evaluation of how far an estimate's sides differ, as a share of the value of its formula.

    >>> from derive.expressions.grammar import parse_equation
    >>> round(departure(parse_equation("y = 2*x"), {"x": 1.0, "y": 2.12}), 9)
    0.06
    """
    gap = value(equation.lhs, values) - value(equation.rhs, values)
    if gap == 0 or math.isnan(gap):
        return gap
    size = sum(abs(value(part, values)) for part in weighed(equation))
    if size == 0:
        return math.copysign(_INFINITY, gap)
    return gap / size if size < _INFINITY else _NAN


def weighed(equation: Equation) -> tuple[Node, ...]:
    """The expressions whose evaluation measures the departure of an estimate: those of its formula.

    That is its right side, or its left if a name alone is on the right. In a balance, one side of which is the number
    0, nothing is a formula for anything, and the share is one of all terms together.
    """
    sides = equation.sides
    if any(isinstance(side, Number) and side.value == 0 for side in sides):
        return tuple(chain.from_iterable(map(terms, sides)))
    is_turned = equation.op == "=" and isinstance(equation.rhs, Name) and not isinstance(equation.lhs, Name)
    return (equation.lhs if is_turned else equation.rhs,)


def share_of(equation: Equation, share: float) -> Node:
    """The expression of a share of what an estimate's departure is measured by in evaluation.

    >>> from derive.expressions.grammar import parse_equation
    >>> value(share_of(parse_equation("y = 2*x"), 0.25), {"x": -6.0, "y": 1.0})
    3.0
    """
    sizes = [Apply("abs", (part,)) for part in weighed(equation)]
    size = sizes[0] if len(sizes) == 1 else Apply("add", tuple(sizes))
    return Apply("mul", (Number(Fraction(share)), size))


def strain(equation: Equation, values: Values, moving: Iterable[str] | None = None) -> float:
    """The evaluation of an equation's difference, relative to its change if every number changed by its own size.

    It works where a side is zero and its terms give no measure, as in `cos(x) = 0`. `moving` limits the numbers
    that change: each up and down, since beside a corner, as of `max(6 - x**2, 0)`, one side may stay as it is.
    """
    gap = value(equation.lhs, values) - value(equation.rhs, values)
    moved = 0.0
    for name in equation.names if moving is None else moving:
        step = ASIDE * abs(values[name])  # zero for a zero, which has no size
        shifted = [{**values, name: number} for number in (values[name] + step, values[name] - step)]
        changes = [value(equation.lhs, at) - value(equation.rhs, at) - gap for at in shifted]
        moved += max((abs(change) for change in changes if change == change), default=0.0) / ASIDE
    return abs(gap) / moved if moved else math.inf


def is_last_digit(equation: Equation, values: Values) -> bool:
    """Whether an equation's residual is what the last digit of a computed number leaves of it beside a root.

    Next to a root that starts there, the residual grows with a power of the distance, as that of `sqrt(x**2 - 3) = 0`
    does with its root: at the double next to sqrt(3) it is 1e-8. Which power it is, two distances tell.
    """
    gap = abs(value(equation.lhs, values) - value(equation.rhs, values))
    for name in equation.names:
        if not values[name] or exact_of(values[name]) is not None:
            continue
        for side in (-1, 1):
            points = [{**values, name: values[name] * (1 + side * distance)} for distance in (_NEAR, ASIDE)]
            near, far = (abs(value(equation.lhs, at) - value(equation.rhs, at)) for at in points)
            if not 0 < near < far < _INFINITY:
                continue
            power = math.log(far / near) / math.log(ASIDE / _NEAR)
            if power >= _LEAST_POWER and gap <= 2 * near * (LAST_DIGIT / _NEAR) ** power:
                return True
    return False


def arms(node: Node, values: Values, given: Collection[str] = ()) -> list[Node]:
    """The arms that evaluation of an expression takes at given numbers, outermost first, but for configured choices.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> wait = parse_expression("max(work, delay if chips > 1 else 0)")
    >>> [[render(arm) for arm in arms(wait, {"work": 2, "delay": 3, "chips": 8}, given)] for given in ([], ["chips"])]
    [['delay if chips > 1 else 0', 'delay'], ['delay if chips > 1 else 0']]
    """
    taken = taken_arms(node, lambda choice: binding_arm(choice, values))
    return [arm for choice, arm in taken if not is_configured(choice, given)]


def taken_arms(node: Node, arm_of: Callable[[Apply], Node | None]) -> Iterator[tuple[Apply, Node]]:
    """The choices to which an evaluation of the expression comes, each with the arm taken, outermost first."""
    if not isinstance(node, Apply):
        return
    if node.op not in ("max", "min", "piecewise"):
        for arg in node.args:
            yield from taken_arms(arg, arm_of)
        return
    arm = arm_of(node)
    if arm is not None:
        yield node, arm
        yield from taken_arms(arm, arm_of)


def is_configured(choice: Apply, given: Collection[str]) -> bool:
    """Whether a choice's evaluation hangs on the givens alone, so that the arm that it takes is no regime.

    A maximum or a minimum is never configured: which of two typed numbers is the larger is what a reader asks.
    """
    if choice.op != "piecewise":
        return False
    return all(name in given for name in deciding(choice))


def deciding(choice: Apply) -> tuple[str, ...]:
    """The names whose numbers decide which arm the evaluation of a choice takes: those in its conditions."""
    return names_in(*(condition for _, condition in cases(choice) if condition is not None))
