"""Numbers in many digits: FLINT's balls, a midpoint and a radius that bounds all rounding (Johansson 2017, *Arb*)."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, reduce
from typing import Any

from derive.expressions.arithmetic import Arithmetic, Fold
from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Node
from quantities.rational import exact_of

__all__ = ["Ball", "ball_of", "folded_ball", "many_digits"]

Ball = Any
"""A FLINT number: a ball, or its exact midpoint."""

_BITS = 512
_ONE_AT_A_TIME = threading.RLock()  # FLINT keeps one precision for all threads


@contextmanager
def many_digits(bits: int = _BITS) -> Iterator[None]:
    """A block in which FLINT works with this precision."""
    from flint import ctx

    with _ONE_AT_A_TIME, ctx.workprec(bits):
        yield


def ball_of(number: Any) -> Ball:
    """The ball of a number: of the rational that a double rounds, where that is known."""
    from flint import arb, fmpq

    exact = exact_of(number)
    return arb(number) if exact is None else arb(fmpq(exact.numerator, exact.denominator))


def folded_ball(form: Node, numbers: Mapping[str, Ball], chosen: Callable[[Apply, Fold], Ball]) -> Ball:
    """A ball that holds the value of an expression; not finite if that may be undefined.

    `chosen` says what a choice comes to.
    """
    operations = _operations()
    number = operations["number"]
    balls: Arithmetic[Ball] = Arithmetic(
        lambda node: number(node.value.numerator) / node.value.denominator, operations, {"piecewise": chosen}
    )
    return balls.fold(form, numbers.__getitem__)


@cache
def _operations() -> dict[str, Callable[..., Ball]]:
    """FLINT's function for each operation."""
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
    """A power. Where a base may be zero, FLINT has none, though any whole positive power is defined there."""
    from flint import arb

    if base.contains(0) and exponent.is_integer() and exponent > 0:
        return arb(0, base.abs_upper() ** exponent)
    return base**exponent
