"""The dialects of Python floats and NumPy arrays.

Three-valued conditions on arrays: 1 for true, 0 for false, a half for undefined.

With these numbers `and` is the minimum, `or` the maximum, and `not` is 1 - x. While every point is defined the array
is boolean, and the same formulas hold.

A quantity that the target depends on may have several admissible roots, of which perhaps only one leads to an answer.
Arrays follow all of them: roots lie along a new axis before the axes of the points, later lines broadcast over it,
and at the end a point has as many values as answers. `Axes` counts these axes. Each call also returns where the
quantity is only bounded, which lines cannot follow. Floats leave such points to arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import count
from typing import Any

import numpy

from derive.expressions.functions import TABLE, Function
from derive.expressions.tree import Apply, Name, Node, Number, names_in
from derive.kernels.backends import python_runtime
from derive.kernels.backends.emitter import (
    DOUBT,
    NUMBERS,
    SIGNS,
    Dialect,
    Writer,
    is_clear,
    is_literal,
    nested,
    operations,
    unsettled,
)
from derive.kernels.backends.exact_points import UNDEFINED, ExactPoints, each_once
from derive.numerics.algebra.evaluation import truth
from derive.tolerances import SAME_ROOT


def _exact_points(node: Apply, part: Writer) -> tuple[str, str] | None:
    """The Python texts of a decision's exact points and givens, for floats or arrays; None if the solver is asked."""
    if len(node.args) == 3:
        return None
    place, *names = node.args[3:]
    assert isinstance(place, Number)
    return f"exact[{place.value}]", "".join(f"{part(name)}, " for name in names)


class Floats(Dialect):
    """Python's own floats; an undefined value raises, or is NaN."""

    leaves = True
    operations = operations(
        lambda entry: f"m.{entry.name}",
        max=lambda *args: f"max({', '.join(args)})",
        min=lambda *args: f"min({', '.join(args)})",
    )

    def __init__(self) -> None:
        self._fresh = count()

    def names(self) -> dict[str, Any]:
        own = {"max": max, "min": min, "abs": abs, "only": only, "undefined": _undefined}
        return {"m": NUMBERS, "inf": math.inf, **own}

    def settled(self, text: str, is_near: str, node: Apply, part: Writer) -> str:
        exact_points = _exact_points(node, part)
        known = "undefined()" if exact_points is None else f"{exact_points[0]}.known({exact_points[1]})"
        return f"({known} if {is_near} else {text})"

    def sound(self, text: str) -> str:
        if text.isidentifier():
            return f"({text} if {text} - {text} == 0.0 else undefined())"
        return f"(w if (w := {text}) - w == 0.0 else undefined())"

    def comparison(self, node: Apply, left: str, right: str, part: Writer) -> str:
        (left, first_text), (right, second_text) = map(self._named, (left, right))
        return f"({left} {SIGNS[node.op]} {right} if -inf < {first_text} - {second_text} < inf else undefined())"

    def _named(self, text: str) -> tuple[str, str]:
        """The name of a number that a line on Python floats uses again, and the text that assigns it there."""
        if text.isidentifier() or text == "0.0" or is_literal(text):
            return text, text
        name = f"w{next(self._fresh)}"
        return name, f"({name} := {text})"


def _function_name(entry: Function) -> str:
    """The name of a function over arrays: NumPy's, or one of `special`."""
    name = entry.called_in_numpy
    return f"np.{name[6:]}" if name.startswith("numpy.") else f"special.{entry.name}"


def _power(base: str, exponent: str) -> str:
    power = f"np.power({base}, {exponent})"
    if is_literal(exponent):
        return power
    return f"np.where(np.isnan({base}) | np.isnan({exponent}), np.nan, {power})"  # NaN**0 is 1, and so is 1**NaN


class Arrays(Dialect):
    """NumPy's arrays of floats; an undefined value is NaN, or an infinity until an operation uses it."""

    is_lazy = False
    size = "np.abs"
    operations = operations(
        _function_name,
        max=nested("np.maximum"),
        min=nested("np.minimum"),
        pow=_power,
        inv="np.divide(1.0, {})".format,  # for two literals Python's own division would raise
    )

    def __init__(self) -> None:
        self._judges: list[Callable[..., bool | None]] = []
        self._places: dict[Node, int] = {}  # the judge of each comparison

    def names(self) -> dict[str, Any]:
        return {"np": numpy, "inf": math.inf, "judges": self._judges, "special": _OfArrays(), **_NAMES}

    def settled(self, text: str, is_near: str, node: Apply, part: Writer) -> str:
        exact_points = _exact_points(node, part)
        if exact_points is None:
            return f"(({DOUBT} := {is_near}), {text})[1]"
        return f"settled({text}, {is_near}, {exact_points[0]}, ({exact_points[1]}))"

    def comparison(self, node: Apply, left: str, right: str, part: Writer) -> str:
        """The text of a comparison of arrays, which the evaluator decides where a side is not finite."""
        test = f"({left} {SIGNS[node.op]} {right})"
        names = names_in(unsettled(node))
        if node not in self._places:
            self._places[node] = len(self._judges)
            plain = unsettled(node)
            self._judges.append(lambda *numbers: truth(plain, dict(zip(names, numbers, strict=True))))
        values = "".join(f"{part(Name(name))}, " for name in names)
        clear = all(map(is_clear, node.args))
        return f"compared({test}, {left}, {right}, {clear}, judges[{self._places[node]}], ({values}))"

    def logic(self, op: str, tests: Sequence[str]) -> str:
        if op == "not":
            return f"contrary({tests[0]})"
        if op == "and":
            return f"both({', '.join(tests)})"
        return nested("np.maximum")(*tests)

    def sure(self, test: str) -> str:
        return f"sure({test})"

    def pick(self, test: str, yes: str, no: str) -> str:
        return f"chosen({test}, {yes}, {no})"


class _OfArrays:
    """The functions that NumPy lacks for arrays, each made on first use."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in TABLE:
            raise AttributeError(name)
        function = TABLE[name].over()
        setattr(self, name, function)
        return function


def _undefined() -> float:
    raise ValueError("undefined")


Judge = Callable[..., "bool | None"]
"""The verdict of a comparison at the numbers of its names."""


def compared(test: Any, left: Any, right: Any, is_clear: bool, judge: Judge, names: Sequence[Any]) -> Any:
    """A comparison of NumPy arrays, three-valued, which the evaluator decides where the sides are not both finite.

    Sides are clear if an infinity in them can only be a number too large for a double, and compares as such.
    """
    if numpy.isfinite(left - right).all():
        return test
    test, left, right, *names = numpy.broadcast_arrays(test, left, right, *names)
    known = numpy.isfinite(left) & numpy.isfinite(right)
    pending = ~known & numpy.logical_and.reduce([numpy.isfinite(name) for name in names])
    if is_clear:
        known = ~numpy.isnan(left - right)
        pending &= ~(known | numpy.isnan(left) | numpy.isnan(right))
    verdicts = numpy.where(known, test, UNDEFINED)
    if pending.any():
        verdicts[pending] = each_once(judge, [name[pending] for name in names])
    return verdicts if (verdicts == UNDEFINED).any() else verdicts == 1


def settled(computed: Any, is_near: Any, exact: ExactPoints, numbers: Sequence[Any]) -> Any:
    """What a line computes on NumPy arrays, with exact values from the givens where doubles leave a decision open."""
    if not numpy.any(is_near):
        return computed
    is_test = exact.is_condition
    computed, is_near, *numbers = numpy.broadcast_arrays(computed, is_near, *numbers)
    result = computed.astype(float)
    result[is_near] = exact.at_all([number[is_near] for number in numbers])
    if is_test and not (result == UNDEFINED).any():
        result = result == 1
    return result[()]


def inside(number: Any, low: float, high: float, is_open: bool) -> Any:
    """Where the numbers of a NumPy array are finite and lie within bounds; a single verdict if all of them do.

    >>> import numpy
    >>> inside(numpy.array([1.0, 2.0]), 0.0, 5.0, True), inside(numpy.array([1.0, 2.0]), 0.0, 1.0, True).tolist()
    (True, [True, False])
    """
    if isinstance(number, float):
        above = low < number if is_open or low == -math.inf else low <= number
        return bool(above and (number < high if high == math.inf else number <= high))
    if number.size and low < numpy.minimum.reduce(number, None) and numpy.maximum.reduce(number, None) < high:
        return True
    above = low < number if is_open or low == -math.inf else low <= number
    return above & (number < high if high == math.inf else number <= high)


def sound(number: Any) -> Any:
    """What a line computes on NumPy arrays, with NaN in place of infinities."""
    if inside(number, -math.inf, math.inf, is_open=True) is True:
        return number
    return numpy.where(numpy.isfinite(number), number, numpy.nan)[()]


def chosen(verdicts: Any, yes: Any, no: Any) -> Any:
    """The numbers of one NumPy array or another, as a three-valued condition says; NaN where it is undefined.

    >>> import numpy
    >>> chosen(numpy.array([1, 0, 0.5]), 7.0, 8.0).tolist()
    [7.0, 8.0, nan]
    """
    if not _are_bools(verdicts):
        return numpy.where(verdicts == UNDEFINED, numpy.nan, numpy.where(verdicts == 1, yes, no))
    if numpy.ndim(verdicts):
        return numpy.where(verdicts, yes, no)
    return yes if verdicts else no


def both(*verdicts: Any) -> Any:
    """The `and` of three-valued conditions on NumPy arrays, their minimum; what holds everywhere costs nothing."""
    undecided = [verdicts_here for verdicts_here in verdicts if verdicts_here is not True]
    return reduce(numpy.minimum, undecided) if undecided else True


def contrary(verdicts: Any) -> Any:
    """The negation of a three-valued condition on NumPy arrays: undefined where the condition is."""
    return numpy.logical_not(verdicts) if _are_bools(verdicts) else 1 - verdicts


def sure(verdicts: Any) -> Any:
    """Where a three-valued condition on NumPy arrays is true, neither false nor undefined."""
    return verdicts if _are_bools(verdicts) else verdicts == 1


def _are_bools(verdicts: Any) -> bool:
    return isinstance(verdicts, bool) or verdicts.dtype == bool


# Several roots, each along an axis of its own


class Axes:
    """The number of axes of the arrays in one call, and the solutions that the call has computed, for all targets."""

    def __init__(self, *arguments: Any) -> None:
        self.count = max((argument.ndim for argument in arguments), default=0)
        self._solved: dict[Any, Any] = {}

    def once(self, function: Callable[..., Any], point: tuple[Any, ...]) -> Any:
        """The result of a function at a point of the arrays, computed once while a call of NumPy lines lasts."""
        if (function, point) not in self._solved:
            self._solved[function, point] = function(*point)
        return self._solved[function, point]

    def added(self, values: Any) -> Any:
        """Arrays of several roots, shaped for NumPy to broadcast: the axis of roots comes before all others."""
        size, count, *shape = values.shape
        values = values.reshape(size, count, *(1,) * (self.count - len(shape)), *shape)
        self.count += 1
        return values


def branches(axes: Axes, inside: Any, *candidates: Any) -> tuple[Any, Any]:
    """The one root among NumPy arrays, ignoring NaN; if points inside have more, all roots along a new axis.

    The second result says at which points inside it is only bounded.
    """
    candidates = numpy.broadcast_arrays(*candidates)  # an arm of literals alone is one number for all points
    low, high = numpy.fmin.reduce(candidates), numpy.fmax.reduce(candidates)
    if not (_are_same(low, high) | numpy.isnan(low)).all():
        is_bounded = numpy.isinf(high) & inside
        finite = [numpy.where(numpy.isinf(candidate), numpy.nan, candidate) for candidate in candidates]
        low, high = numpy.fmin.reduce(finite), numpy.fmax.reduce(finite)
        differ = ~_are_same(low, high) & ~numpy.isnan(low)
        low = numpy.where(is_bounded, numpy.nan, low)
        if (differ & inside & ~is_bounded).any():
            low = axes.added(numpy.array(numpy.broadcast_arrays(*finite))[None])[0]
        return low, is_bounded
    return low, False


def _are_same(low: Any, high: Any) -> Any:
    """Where two NumPy arrays of roots are the same within rounding; nowhere, where they are undefined."""
    return high - low <= SAME_ROOT * numpy.minimum(numpy.abs(low), numpy.abs(high))


def rows(result: Any, bounded: Sequence[Any], *arguments: Any) -> Any:
    """The values of lines on NumPy arrays, a row for each root; a row of infinities where one was only bounded."""
    shape = numpy.broadcast_shapes(*(argument.shape for argument in arguments))  # some may have an axis of roots
    bounded = [flag for flag in bounded if numpy.any(flag)]
    if not bounded and numpy.shape(result) == shape:
        return numpy.asarray(result)[None]
    parts = [result, *(numpy.where(flag, numpy.inf, numpy.nan) for flag in bounded)]
    full = [numpy.broadcast_to(part, numpy.broadcast_shapes(numpy.shape(part), shape)) for part in parts]
    rows_of_parts = [part.reshape(-1, *shape) for part in full]
    return rows_of_parts[0] if len(rows_of_parts) == 1 else numpy.concatenate(rows_of_parts)


def of_one_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function on NumPy arrays of one value for each point, and where there is none, made from a function of rows."""

    def at(axes: Axes, *arrays: Any) -> tuple[Any, Any]:
        (values,) = function(*map(numpy.asarray, arrays))  # what is the same at all points may be a literal
        number, several, bounded = only_of_arrays(values)
        return number, several | bounded

    return at


def only_of_arrays(values: Any) -> tuple[Any, Any, Any]:
    """The one value of each point among NumPy rows, or NaN; where rows differ; and where one is only bounded."""
    if len(values) == 1:
        return values[0], numpy.False_, numpy.False_
    low, high = numpy.fmin.reduce(values), numpy.fmax.reduce(values)
    same = _are_same(low, high)
    return numpy.where(same, low, numpy.nan), ~same & ~numpy.isnan(low), numpy.isinf(high)


def only(*numbers: float) -> float:
    """The one value among Python floats, ignoring NaN; it raises if there are several, or if one is only bounded.

    >>> only(math.nan, 2.0, 2.0)
    2.0
    """
    number = python_runtime.only(*numbers)
    if math.isinf(number):
        raise ValueError("several values, or bounds and no value")
    return number


_NAMES = {
    function.__name__: function
    for function in (compared, settled, both, chosen, contrary, inside, sound, sure, Axes, branches, rows)
}
"""The functions that a text may call, by their names."""
