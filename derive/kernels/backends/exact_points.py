"""Decisions that doubles leave open at single points, computed from the decimals that were given there.

A number that is given is the decimal as which it is written: 2.7/0.45 is 6, in doubles a little more. What is rounded
to a whole number, compared, or at the end of a function's domain has here the value that the solver gives it. Many
points whose decimals are short are worked out together, as quotients of whole numbers that doubles hold.

A number that is given in another unit than the declared one need be no decimal there: 25 cm are 9.84251968503937 inch,
rounded. Its rational is stated beside the points, by its double.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, reduce
from types import MappingProxyType
from typing import Any

import numpy

from derive.expressions.arithmetic import Arithmetic, NoElement
from derive.expressions.functions import STEPPED
from derive.expressions.tree import COMPARISONS, CONDITIONS, Apply, Node, names_in, walk, with_forms
from derive.numerics.algebra.evaluation import truth, value, with_exact_parts
from derive.numerics.algebra.exact_values import exactly_computed
from derive.numerics.algebra.multiprecision import exactly
from derive.time_limits import query, tick
from quantities.rational import written

UNDEFINED = 0.5
"""The verdict of a condition on arrays that is neither true, which is 1, nor false, which is 0."""

_MOST = 2.0**52  # whole numbers up to here are doubles, and so far apart that their quotients round to the right side
_LONGEST = 1e15  # every decimal below has a double of its own
_LARGEST = 200  # parts of a form without a rational value that is put into others; a larger one is rounded
_PLACES = 9  # limit on the decimal places of numbers that are worked out together

Quotient = tuple[Any, Any]
"""Arrays of whole numbers: numerators and denominators."""

_RATIONALS: ContextVar[Mapping[float, float]] = ContextVar("rationals", default=MappingProxyType({}))


@contextmanager
def beside_rationals(numbers: Mapping[float, float]) -> Iterator[None]:
    """State the numbers that are no decimals at all exact points computed inside, as rationals by their doubles."""
    token = _RATIONALS.set(numbers)
    try:
        yield
    finally:
        _RATIONALS.reset(token)


def as_given(number: float) -> float:
    """A double at an exact point as the number that was given: a stated rational, or else its decimal."""
    return _RATIONALS.get().get(number) or written(float(number))


class ExactPoints:
    """A decision at points: an expression, after the steps that compute the numbers in it from those that are given.

    >>> from derive.expressions.grammar import parse_expression
    >>> rounded_up = ExactPoints(parse_expression("ceil(q)"), {"q": parse_expression("a/b")})
    >>> rounded_up.names, rounded_up.at(2.7, 0.45)
    (('a', 'b'), 6.0)
    """

    def __init__(self, decision: Node, steps: Mapping[str, Node]) -> None:
        self.decision = decision
        self.steps = dict(steps)
        self.names = tuple(name for name in names_in(decision, *steps.values()) if name not in steps)

    @property
    def is_condition(self) -> bool:
        return isinstance(self.decision, Apply) and self.decision.op in CONDITIONS

    def at(self, *numbers: float) -> float | bool | None:
        """The exact value of the decision at one point of given decimals, NaN if there is none; None if undefined."""
        values = {name: as_given(number) for name, number in zip(self.names, numbers, strict=True)}
        irrational: dict[str, Node] = {}
        for name, step in self.steps.items():
            form = with_forms(step, irrational) if irrational else step
            exact = exactly_computed(form, values)
            if exact is not None:
                values[name] = exact
            elif sum(1 for _ in walk(form)) <= _LARGEST:
                irrational[name] = form
            else:
                values[name] = _in_many_digits(form, values)
        decision = with_forms(self.decision, irrational) if irrational else self.decision
        if self.is_condition:
            return truth(decision, values)
        exact = exactly_computed(decision, values)
        if exact is not None:
            return exact
        if not isinstance(decision, Apply) or decision.op not in STEPPED:
            return _in_many_digits(decision, values)
        rounded = with_exact_parts(decision, values)
        return math.nan if rounded is None else value(rounded, values)

    def known(self, *numbers: float) -> float | bool:
        """The exact value of the decision at one point, for the dialect of floats; it raises where there is none."""
        result = self.at(*numbers)
        if result is None or result != result:
            raise ValueError("undefined")
        return result

    def at_all(self, columns: Sequence[Any]) -> Any:
        """The exact values of the decision at many points of given decimals; a condition's are 1, 0 and a half."""
        together = self._all_at_once(columns)
        if together is not None:
            return together
        return each_once(self.at, columns) if columns else numpy.array([_as_number(self.at())])

    def _all_at_once(self, columns: Sequence[Any]) -> Any:
        """The exact values at all points at once; None if a number is too long, or not a quotient of whole numbers."""
        try:
            values = {name: _quotient(column) for name, column in zip(self.names, columns, strict=True)}
            for name, form in self.steps.items():
                values[name] = self._arithmetic.fold(form, values.__getitem__)
            numerator, denominator = self._arithmetic.fold(self.decision, values.__getitem__)
        except NoElement:
            return None
        return numerator / denominator

    @cached_property
    def _arithmetic(self) -> Arithmetic[Quotient]:
        """The exact operations on quotients of whole numbers, with positive denominators; a verdict is 1 or 0."""

        def compared(test: Callable[[Any, Any], Any]) -> Callable[[Quotient, Quotient], Quotient]:
            def decided(left: Quotient, right: Quotient) -> Quotient:
                sides = _exact(left[0] * right[1], right[0] * left[1])
                return test(*sides) * 1.0, 1.0

            return decided

        def inverse(number: Quotient) -> Quotient:
            numerator, denominator = number
            if not numpy.all(numerator):
                raise NoElement
            sign = numpy.sign(numerator)
            return sign * denominator, sign * numerator

        return Arithmetic(
            number=lambda node: _exact(*map(_as_double, (node.value.numerator, node.value.denominator))),
            operations={
                "add": lambda *parts: reduce(_sum_of_two, parts),
                "mul": lambda *parts: reduce(_product_of_two, parts),
                "neg": lambda number: (-number[0], number[1]),
                "inv": inverse,
                "floor": lambda number: (numpy.floor(number[0] / number[1]), 1.0),
                "ceil": lambda number: (numpy.ceil(number[0] / number[1]), 1.0),
                **{op: compared(getattr(operator, op)) for op in COMPARISONS.values()},
            },
        )


def each_once(function: Callable[..., float | None], columns: Sequence[Any]) -> Any:
    """The exact values of a decision at points that doubles leave open, once for equal ones; a half where undefined."""
    points, back = numpy.unique(numpy.array(columns), axis=1, return_inverse=True)
    results = []
    with query():
        for point in points.T.tolist():
            tick()
            results.append(_as_number(function(*point)))
    return numpy.array(results)[back.reshape(-1)]


def _in_many_digits(form: Node, values: Mapping[str, float]) -> float:
    """The value of a form at one exact point, in many digits where no quotient is exact; NaN if there is none.

    What is rational in it is exact: in `asin(b/5)` with b = 5 any number of digits of a fifth would leave open
    whether there is a value.
    """
    rational = with_exact_parts(form, values)
    return math.nan if rational is None else exactly(rational, values)


def _as_number(value: float | None) -> float:
    return UNDEFINED if value is None else float(value)


def _as_double(number: int) -> float:
    if abs(number) > _MOST:
        raise NoElement
    return float(number)


def _exact(numerator: Any, denominator: Any) -> Quotient:
    """The exact quotients at many points, if doubles hold all numerators and denominators; an error otherwise."""
    if not (numpy.all(numpy.abs(numerator) <= _MOST) and numpy.all(numpy.abs(denominator) <= _MOST)):
        raise NoElement
    return numerator, denominator


def _sum_of_two(left: Quotient, right: Quotient) -> Quotient:
    first, second = _exact(left[0] * right[1], right[0] * left[1])
    return _exact(first + second, left[1] * right[1])


def _product_of_two(left: Quotient, right: Quotient) -> Quotient:
    return _exact(left[0] * right[0], left[1] * right[1])


def _quotient(column: Any) -> Quotient:
    """The short decimals given at many points as exact quotients: whole numbers over a power of ten."""
    stated = _RATIONALS.get()
    if stated and numpy.isin(column, list(stated)).any():
        raise NoElement
    for places in range(_PLACES + 1):
        denominator = 10.0**places
        numerator = numpy.rint(column * denominator)
        if numpy.all(numerator / denominator == column) and numpy.all(numpy.abs(numerator) < _LONGEST):
            return numerator, denominator
    raise NoElement
