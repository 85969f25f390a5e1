"""Constants: an expression without names must evaluate to a real number that a double can hold.

sympy would compute `9**9**9` digit by digit, and turn `log(0)` into `zoo` and `sqrt(-1)` into an imaginary number. So
every part without names is evaluated here first, once: exactly while it is rational and short, otherwise in floats. In
floats `floor(6.99/6.99)` would be zero.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from derive.expressions.arithmetic import LOGIC, TESTS, Arithmetic, Fold
from derive.expressions.functions import PERIODIC, STEPPED, TABLE
from derive.expressions.tree import Apply, Node, Number
from derive.tolerances import LEAST, MOST

__all__ = ["ConstantError", "exact", "prove_constants"]

_DIGITS = 60  # limit on those of one number
_HIGHEST = 1000  # limit on constant exponents
_BITS = 10_000  # limit on those of a power of an exact number
_Size = Any  # a rational while it is short, else a float; None of what has names
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


def _size(node: Apply, part: Fold) -> _Size:
    """The value of an operation without names, None if it has one; that of a condition is its truth."""
    op = node.op
    sizes: list[_Size] = [part(arg) for arg in node.args]
    if op == "pow" and sizes[1] is not None and abs(sizes[1]) > _HIGHEST:
        raise ConstantError(node, f"the exponent {float(sizes[1]):g} is over {_HIGHEST}", f"exponent {_HIGHEST}")
    if op == "pow" and sizes[1] is not None and _bits(node.args[0]) * abs(sizes[1]) > _BITS:
        raise ConstantError(node, "a constant has too many digits", f"{_BITS} bits")
    if op == "inv" and sizes[0] == 0:
        raise ConstantError(node, "it divides by zero")
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    if (op in PERIODIC or op in STEPPED) and abs(known[0]) > _WHOLE:
        raise ConstantError(node, f"{op} of {float(known[0]):g} is beyond the precision of a double", f"{_WHOLE:g}")
    try:
        return _bounded(node, _short(_OPERATIONS[op](*known)))
    except OverflowError:
        return _bounded(node, math.inf)
    except ZeroDivisionError:
        raise ConstantError(node, "it divides by zero") from None
    except ValueError:
        shown = ", ".join(f"{float(size):g}" for size in known)
        raise ConstantError(node, f"{op}({shown}) is not a real number") from None


def _number(node: Number) -> _Size:
    size = math.inf if node.real != node.real else node.real
    if LEAST < abs(size) < MOST or not node.value:
        return _short(node.value)
    raise ConstantError(node, "a number is out of range", "1e-300 to 1e300")


def _bits(node: Node) -> int:
    """The length of an exact number."""
    return _length(node.value) if isinstance(node, Number) else 0


def _short(size: _Size) -> _Size:
    """A number, as a float if it is rational and long."""
    return float(size) if isinstance(size, Fraction) and _length(size) > _BITS else size


def _length(number: Fraction) -> int:
    return (number.numerator * number.denominator).bit_length()


def _bounded(node: Node, size: _Size) -> _Size:
    if size is None or size == 0 or LEAST < abs(size) < MOST:
        return size
    if size != size:
        raise ConstantError(node, "a constant is not a real number")
    raise ConstantError(node, "a constant is out of range", "1e-300 to 1e300")


def _power(base: _Size, exponent: _Size) -> _Size:
    if not base and exponent < 0:
        return 1 / base
    is_whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if isinstance(base, Fraction) and is_whole and _length(base) * abs(exponent) <= _BITS:
        return base ** int(exponent)
    return math.pow(base, exponent)


def _first_arm(*sizes: _Size) -> _Size:
    arms = (arm for arm, holds in zip_longest(sizes[::2], sizes[1::2], fillvalue=True) if holds)
    return next(arms, None)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "pi": lambda: math.pi,
    "add": lambda *sizes: sum(sizes) if all(isinstance(size, Fraction) for size in sizes) else math.fsum(sizes),
    "mul": lambda *sizes: math.prod(sizes),
    "neg": operator.neg,
    "inv": lambda size: 1 / size,
    "pow": _power,
    "min": lambda *sizes: min(sizes),
    "max": lambda *sizes: max(sizes),
    "piecewise": _first_arm,
    **{name: entry.value for name, entry in TABLE.items()},
    "floor": lambda size: Fraction(math.floor(size)),
    "ceil": lambda size: Fraction(math.ceil(size)),
    **TESTS,
    **LOGIC,
}
_CONSTANTS: Arithmetic[_Size] = Arithmetic(_number, {}, otherwise=_size)
"""Numbers for what has no names, each within the range of ordinary doubles."""


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
