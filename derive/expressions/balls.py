"""FLINT's balls, numbers in many digits with a bound of all rounding, and each operation on them.

A ball is a midpoint and a radius (Johansson 2017, *Arb*).
"""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, reduce
from typing import Any

from derive.expressions.functions import TABLE, Function

Ball = Any
"""A FLINT number: a ball, or its exact midpoint."""

BITS = 512
MORE_BITS = 2400
"""The precision in which the sum of any doubles is exact."""

_ONE_AT_A_TIME = threading.RLock()  # FLINT keeps one precision for all threads


@contextmanager
def many_digits(bits: int = BITS) -> Iterator[None]:
    """A block in which FLINT computes its balls with this precision."""
    from flint import ctx

    with _ONE_AT_A_TIME, ctx.workprec(bits):
        yield


def precision() -> int:
    """The precision in which FLINT computes its balls at present, in bits."""
    from flint import ctx

    return int(ctx.prec)


@cache
def operations_on_balls() -> dict[str, Callable[..., Ball]]:
    """FLINT's function on balls for each operation, and `number` for that of a whole number."""
    from flint import arb

    return {
        "number": arb,
        "pi": arb.pi,
        "add": lambda *terms: sum(terms),
        "mul": lambda *factors: math.prod(factors),
        "neg": operator.neg,
        "inv": lambda x: 1 / x,
        "pow": _power,
        "max": lambda *args: reduce(arb.max, args),
        "min": lambda *args: reduce(arb.min, args),
        **{name: _from_ends(entry, entry.digits or getattr(arb, name)) for name, entry in TABLE.items()},
    }


def _from_ends(entry: Function, function: Callable[[Ball], Ball]) -> Callable[[Ball], Ball]:
    """A function of a ball, which is at an end of the function's domain if no precision tells the two apart.

    The square root of c**2 - k is zero for the root c of k, though some of the ball around c**2 - k is negative.
    """
    closed = [end for end, is_closed in zip(entry.domain, entry.closed, strict=True) if is_closed]
    ends = [end for end in entry.whole_ends if end in closed]
    if not ends:
        return function

    def applied(x: Ball) -> Ball:
        end = next((end for end in ends if _is_as_good_as(x, end)), None)
        return function(x if end is None else type(x)(end))

    return applied


def _is_as_good_as(x: Ball, number: float) -> bool:
    """Whether not even the highest precision tells a ball from a number."""
    return precision() >= MORE_BITS and x.contains(number) and x.rad() < math.ulp(0.0)


def _power(base: Ball, exponent: Ball) -> Ball:
    """A power of balls, also where the base may be zero or is as good as that, and FLINT has none."""
    from flint import arb

    if exponent > 0 and _is_as_good_as(base, 0):
        return arb(0)
    if base.contains(0) and exponent.is_integer() and exponent > 0:
        return arb(0, base.abs_upper() ** exponent)
    return base**exponent
