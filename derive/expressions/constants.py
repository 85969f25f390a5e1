"""Constants: an expression without names must evaluate to a real number that a double can hold.

sympy would compute `9**9**9` digit by digit, and turn `log(0)` into `zoo` and `sqrt(-1)` into an imaginary number. So
every part without names is evaluated here first, once, in floats.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest

from derive.expressions.arithmetic import LOGIC, TESTS, Arithmetic, Fold
from derive.expressions.functions import PERIODIC, STEPPED, TABLE
from derive.expressions.tree import Apply, Node, Number
from derive.tolerances import LEAST, MOST

__all__ = ["ConstantError", "exact", "prove_constants"]

_DIGITS = 60  # limit on those of one number
_HIGHEST = 1000  # limit on constant exponents
_BITS = 10_000  # limit on those of a power of an exact number
_WHOLE = 1e15  # beyond it doubles cannot distinguish neighbouring whole numbers or angles


class ConstantError(Exception):
    """A constant that is refused: which, why, and the limit that it exceeds, if it is only too large."""

    def __init__(self, node: Node, what: str, limit: str = "") -> None:
        super().__init__(what)
        self.node = node
        self.what = what
        self.limit = limit


def prove_constants(node: Node) -> None:
    """Raise a ConstantError for the first constant that is not a finite real number.

    >>> from derive.expressions.tree import Number
    >>> from fractions import Fraction
    >>> prove_constants(Apply("log", (Number(Fraction(0)),)))
    Traceback (most recent call last):
        ...
    derive.expressions.constants.ConstantError: log(0) is not a real number
    """
    _CONSTANTS.fold(node, lambda _: None)


def _size(node: Apply, part: Fold) -> float | None:
    """The value of an operation without names, None if it has one; that of a condition is its truth."""
    op = node.op
    sizes: list[float | None] = [part(arg) for arg in node.args]
    if op == "pow" and sizes[1] is not None and abs(sizes[1]) > _HIGHEST:
        raise ConstantError(node, f"the exponent {sizes[1]:g} is over {_HIGHEST}", f"exponent {_HIGHEST}")
    if op == "pow" and sizes[1] is not None and _bits(node.args[0]) * abs(sizes[1]) > _BITS:
        raise ConstantError(node, "a constant has too many digits", f"{_BITS} bits")
    if op == "inv" and sizes[0] == 0:
        raise ConstantError(node, "it divides by zero")
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    if (op in PERIODIC or op in STEPPED) and abs(known[0]) > _WHOLE:
        raise ConstantError(node, f"{op} of {known[0]:g} is beyond the precision of a double", f"{_WHOLE:g}")
    try:
        return _bounded(node, _OPERATIONS[op](*known))
    except OverflowError:
        return _bounded(node, math.inf)
    except ZeroDivisionError:
        raise ConstantError(node, "it divides by zero") from None
    except ValueError:
        shown = ", ".join(f"{size:g}" for size in known)
        raise ConstantError(node, f"{op}({shown}) is not a real number") from None


def _number(node: Number) -> float:
    size = math.inf if node.real != node.real else node.real
    if LEAST < abs(size) < MOST or not node.value:
        return size
    raise ConstantError(node, "a number is out of range", "1e-300 to 1e300")


def _bits(node: Node) -> int:
    """The length of an exact number."""
    return (node.value.numerator * node.value.denominator).bit_length() if isinstance(node, Number) else 0


def _bounded(node: Node, size: float | None) -> float | None:
    if size is None or size == 0 or LEAST < abs(size) < MOST:
        return size
    if size != size:
        raise ConstantError(node, "a constant is not a real number")
    raise ConstantError(node, "a constant is out of range", "1e-300 to 1e300")


def _power(base: float, exponent: float) -> float:
    return math.pow(base, exponent) if base or exponent >= 0 else 1 / base


def _first_arm(*sizes: float) -> float | None:
    arms = (arm for arm, holds in zip_longest(sizes[::2], sizes[1::2], fillvalue=True) if holds)
    return next(arms, None)


_OPERATIONS: dict[str, Callable[..., float | None]] = {
    "pi": lambda: math.pi,
    "add": lambda *sizes: math.fsum(sizes),
    "mul": lambda *sizes: math.prod(sizes),
    "neg": operator.neg,
    "inv": lambda size: 1 / size,
    "pow": _power,
    "min": lambda *sizes: min(sizes),
    "max": lambda *sizes: max(sizes),
    "piecewise": _first_arm,
    **{name: entry.value for name, entry in TABLE.items()},
    **TESTS,
    **LOGIC,
}
_CONSTANTS: Arithmetic[float | None] = Arithmetic(_number, {}, otherwise=_size)
"""Floats for what has no names, each within the range of ordinary doubles."""


@lru_cache(maxsize=1024)
def exact(word: str) -> Fraction | tuple[str, str]:
    """A number exactly as it is written; or "large" or "small", and the limit that it exceeds.

    >>> exact("0.07"), exact("1e400")
    (Fraction(7, 100), ('large', '60 digits, 1e300'))
    """
    digits, _, exponent = word.lower().partition("e")
    if len(digits) > _DIGITS or (exponent and abs(int(exponent[:9])) > 330):
        return "small" if exponent.startswith("-") else "large", f"{_DIGITS} digits, 1e300"
    value = Fraction(word)
    if value and not LEAST < value < MOST:
        return "small" if value < 1 else "large", "1e-300 to 1e300"
    return value
