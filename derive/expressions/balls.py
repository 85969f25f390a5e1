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

from derive.expressions.functions import TABLE

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
        **{name: entry.digits or getattr(arb, name) for name, entry in TABLE.items()},
    }


def _power(base: Ball, exponent: Ball) -> Ball:
    """A power of balls, also where the base may be zero and FLINT has none for a whole positive exponent."""
    from flint import arb

    if base.contains(0) and exponent.is_integer() and exponent > 0:
        return arb(0, base.abs_upper() ** exponent)
    return base**exponent
