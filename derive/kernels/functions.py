"""A question as a fast function of numbers.

Each closed form of the plan becomes one line of Python in base units, with common subexpressions shared. `emitter`
has two dialects, for floats and for NumPy arrays; `numba_source` has a third, which numba compiles into one loop
(`numba_loops`). Names of users never reach the text: it calls quantities v0, v1, ... Where an unknown has several
inverses, each is tried and the one that satisfies the relation within the domain is kept. A block without a closed
form is solved by lines that check themselves (`block_kernels`), and by the solver where they cannot decide. Where
conditions decide which relations hold, each case has its own lines (`case_dispatch`).

A point is NaN if it has no admissible value or more than one, if no case holds, or if its givens contradict each
other (`agreement`). The solver is called where lines leave several values that further relations could tell apart, or
where a quantity that the target depends on is only bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cached_property
from itertools import count
from types import FunctionType
from typing import Any, Literal, get_args

from derive.errors import DeriveError, UnknownNameError, unknown
from derive.kernels.agreement import agreement
from derive.kernels.backends.numba_source import is_at_hand
from derive.kernels.backends.python_numpy import Floats
from derive.kernels.case_dispatch import Cases
from derive.kernels.lowering import written
from derive.kernels.several_targets import Abreast, Asking, found_for
from derive.model.relation_set import RelationSet
from derive.time_limits import query
from quantities.value import is_number

__all__ = ["BACKENDS", "Backend", "by_name", "compiled"]

Backend = Literal["auto", "python", "numpy", "numba"]
BACKENDS: tuple[str, ...] = get_args(Backend)


def compiled(
    library: RelationSet,
    target: str,
    given: Iterable[str],
    backend: str = "auto",
    *,
    tested: bool = True,
    weak: Container[str] = (),
) -> Callable[..., Any]:
    """A function of the givens by keyword that returns the target, all in declared units.

    Givens that state something twice must agree, unless they are not to be `tested`. Weak ones are values of profiles.

    >>> from derive.relation_files.loading import load
    >>> ohm = load('''[quantities]
    ... V = { unit = "V" }
    ... I = { unit = "mA" }
    ... R = { unit = "kohm" }
    ... [relations.ohm]
    ... equation = "V = I*R"''')
    >>> resistance = compiled(ohm, "R", ["V", "I"])
    >>> resistance(V=12.0, I=4.0)
    3.0
    """
    if backend not in BACKENDS:
        raise unknown("backend", backend, list(BACKENDS))
    found = found_for(library, target, given)
    names, arrays = found.outline.strong, Abreast(library, [found], weak)
    floats = _Floats(library, found, arrays, weak)
    at_large: dict[str, Callable[[Sequence[Any]], Any]] = {
        "auto": floats.or_arrays,
        "python": floats.of_any,
        "numpy": lambda values: arrays.on_arrays(values)[0],
        "numba": lambda values: arrays.in_machine_code(values)[0],
    }
    if backend == "numba" and not is_at_hand():
        hint = "pip install 'derive-engine[speed]'"
        raise DeriveError("This needs numba, which is not installed.", hint=hint)
    agreed, slow = agreement(library, found) if tested else None, at_large[backend]
    if agreed is not None:
        call = by_name(names, lambda values: agreed.kept(values, slow(values)))
    elif backend in ("numpy", "numba"):
        call = by_name(names, slow)
    else:
        call = by_name(names, slow, lambda: floats.point, lambda *values: floats.lost(values))
    call.__doc__ = f"{target} from {', '.join(names)}, in declared units."
    return call


class _Floats:
    """The function of floats, made on first use; arrays take over where it cannot decide."""

    def __init__(self, library: RelationSet, found: Cases, arrays: Abreast, weak: Container[str]) -> None:
        self._library = library
        self._weak = weak
        self._found = found
        self._arrays = arrays

    @cached_property
    def point(self) -> Callable[..., float]:
        if self._found.is_asked:
            ask = Asking(self._library, self._found, self._found.outline.strong, self._weak)
            return lambda *numbers: ask.solved(numbers)
        return written(self._library, [self._found], self._found.outline.strong, Floats())

    def lost(self, values: Sequence[float]) -> float:
        """The value of an undefined or ambiguous point."""
        return float(self._arrays.on_arrays(values)[0])

    def of_any(self, values: Sequence[Any]) -> float:
        numbers = tuple(map(float, values))
        try:
            result = self.point(*numbers)
        except (ValueError, ZeroDivisionError, OverflowError):
            return self.lost(numbers)
        return result if -math.inf < result < math.inf else math.nan

    def or_arrays(self, values: Sequence[Any]) -> Any:
        return self.of_any(values) if all(map(is_number, values)) else self._arrays(values)[0]


# A function with keyword arguments that Python itself binds, so that a call costs little more than a call
#
# The names are put into the finished code object and never into its text; a name may be any string. A call that is
# not plain (other types of numbers, arrays, a name too many or too few) takes the slow path.


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
    """The function of any values; floats go to the function that `floats` makes on first use, and to `lost` where
    that cannot decide.
    """

    def slow(others: dict[str, Any], values: Sequence[Any]) -> Any:
        missing = [name for name, value in zip(names, values, strict=True) if value is _ABSENT]
        if others or missing:
            raise _misnamed(others, missing, names)
        with query(math.inf):
            return at_large(values)

    def first(*values: float) -> float:
        assert floats is not None
        with query(math.inf):
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
