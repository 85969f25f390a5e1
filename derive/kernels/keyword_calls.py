"""A function that takes numbers by name as Python itself takes them, so that a call costs little more than a call.

The names are put into the finished code object and never into its text; a name may be any word whatever. A call that
is not a plain one - numbers of other kinds, arrays, a name too many or too few - goes the slow way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from types import FunctionType
from typing import Any

from derive.errors import UnknownNameError, unknown

__all__ = ["by_name"]

_ABSENT: Any = type("Absent", (), {"__slots__": (), "__repr__": lambda _: "required"})()

_TEXT = """
def call({signature}**others):
    if others{odd}:
        return slow(others, ({values}))
    try:
        found = quick({values})
    except (ValueError, ZeroDivisionError, OverflowError):
        return lost({values})
    return found if -inf < found < inf else nan
"""


def by_name(
    names: Sequence[str],
    at_large: Callable[[Sequence[Any]], Any],
    floats: Callable[[], Callable[..., float]] | None = None,
    lost: Callable[..., float] | None = None,
) -> FunctionType:
    """The function of any values; floats go to the function that `floats` makes when first needed, and to `lost`
    where that cannot tell.
    """

    def slow(others: dict[str, Any], values: Sequence[Any]) -> Any:
        missing = [name for name, value in zip(names, values, strict=True) if value is _ABSENT]
        if others or missing:
            raise _misnamed(others, missing, names)
        return at_large(values)

    def first(*values: float) -> float:
        assert floats is not None
        space["quick"] = made = floats()
        return made(*values)

    arguments = [f"a{i}" for i in range(len(names))]
    odd = " or not (" + " is ".join([*(f"{a}.__class__" for a in arguments), "float"]) + ")" if names else ""
    text = _TEXT.format(
        signature=f"*, {', '.join(arguments)}, " if names else "",
        values="".join(f"{argument}, " for argument in arguments),
        odd=odd if floats else " or True",
    )
    space: dict[str, Any] = {"slow": slow, "quick": first, "lost": lost, "float": float}
    space |= {"inf": math.inf, "nan": math.nan, "__builtins__": {"ValueError": ValueError}}
    space |= {"ZeroDivisionError": ZeroDivisionError, "OverflowError": OverflowError}
    exec(compile(text, "<derive>", "exec"), space)
    call: FunctionType = space["call"]
    others = next(name for name in ("others" + "_" * i for i in count()) if name not in names)
    held = call.__code__.co_varnames[len(names) + 1 :]
    call.__code__ = call.__code__.replace(co_varnames=(*names, others, *held))
    call.__kwdefaults__ = dict.fromkeys(names, _ABSENT)
    return call


def _misnamed(others: Iterable[str], missing: Sequence[str], names: Sequence[str]) -> Exception:
    for name in others:
        return unknown("argument", name, list(names))
    return UnknownNameError(
        f"{', '.join(missing)} is missing from the call.",
        hint=f"Give {', '.join(names)}.",
        name=missing[0],
        kind="argument",
    )
