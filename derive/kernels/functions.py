"""A question as a fast function of numbers.

Each closed form of the plan becomes one line of Python in base units, with common subexpressions shared. `python_numpy`
has two dialects, for floats and for NumPy arrays; `numba_source` has a third, which numba compiles into one loop. Names
of users never reach the text: it calls quantities v0, v1, ... Where an unknown has several inverses, each is tried and
the one that satisfies the relation within the domain is kept. A block without a closed form is solved by lines that
check themselves (`block_kernels`), and by the solver where they cannot decide. Where conditions decide which relations
hold, each case has its own lines (`case_dispatch`).

A point is NaN if it has no admissible value or more than one, if no case holds, or if its givens contradict each
other (`agreement`). The solver is called where lines leave several values that further relations could tell apart, or
where a quantity that the target depends on is only bounded.

A profile's value yields to what is given. Which values a question uses depends on the names of the givens, and on
their numbers only where conditions do. So the question is read at generic numbers, which no profile states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from derive.errors import DeriveError, ExpressionError, unknown
from derive.kernels.agreement import agreement, said_twice
from derive.kernels.arguments import are_floats, by_name, numbers_of
from derive.kernels.backends.numba_source import is_at_hand
from derive.kernels.backends.python_numpy import Floats
from derive.kernels.case_dispatch import Cases, cases, weak_in_conditions
from derive.kernels.lowering import written
from derive.kernels.reach import eliminates, generic_numbers
from derive.kernels.several_targets import JointFunctions, OpenPoints, found_for
from derive.model.relation_set import RelationSet
from derive.solving.execution.question import Question, ask
from derive.time_limits import query
from quantities.value import Value

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
    """Compile a question into a fast function of the givens by keyword that returns the target, in declared units.

    Givens that state something twice must agree, unless they are not to be `tested`. Weak ones are values of profiles.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> resistance = compiled(circuits, "resistance", ["voltage", "current"])
    >>> resistance(voltage=12.0, current=4.0)
    3.0
    """
    if backend not in BACKENDS:
        raise unknown("backend", backend, list(BACKENDS))
    target_cases = found_for(library, target, given)
    names, arrays = target_cases.outline.strong, JointFunctions(library, [target_cases], weak)
    floats = _Floats(library, target_cases, arrays, weak)
    by_backend: dict[str, Callable[[Sequence[Any]], Any]] = {
        "auto": floats.or_arrays,
        "python": floats.of_any,
        "numpy": lambda values: arrays.on_arrays(values)[0],
        "numba": lambda values: arrays.in_machine_code(values)[0],
    }
    if backend == "numba" and not is_at_hand():
        raise DeriveError("This needs numba, which is not installed.", hint="pip install 'derive-engine[speed]'")
    checks, on_numbers = agreement(library, target_cases) if tested else None, by_backend[backend]
    quantities = [library.declared[name] for name in names]

    def slow(given: Sequence[Any]) -> Any:
        values = numbers_of(quantities, given)
        result = on_numbers(values)
        return result if checks is None else checks.kept(values, result)

    if checks is not None or backend in ("numpy", "numba"):
        call = by_name(names, slow)
    else:
        call = by_name(names, slow, lambda: floats.point, lambda *values: floats.lost(values))
    call.__doc__ = f"{target} from {', '.join(names)}, in declared units."
    return call


@dataclass(frozen=True)
class _Floats:
    """The function of floats for one target, written on first use; that of arrays decides where it cannot."""

    library: RelationSet
    cases: Cases
    arrays: JointFunctions
    weak: Container[str]

    @cached_property
    def point(self) -> Callable[..., float]:
        if self.cases.is_asked:
            ask = OpenPoints(self.library, self.cases, self.cases.outline.strong, self.weak)
            return lambda *numbers: ask.solved(numbers)
        return written(self.library, [self.cases], self.cases.outline.strong, Floats())

    def lost(self, values: Sequence[float]) -> float:
        """The value by the compiled function of arrays, at a point where that of floats is undefined or ambiguous."""
        return float(self.arrays.on_arrays(values)[0])

    def of_any(self, values: Sequence[Any]) -> float:
        if not are_floats(values):
            raise ExpressionError('The back end "python" takes no arrays.', hint='Compile with backend="numpy".')
        try:
            result = self.point(*values)
        except (ValueError, ZeroDivisionError, OverflowError):
            return self.lost(values)
        return result if -math.inf < result < math.inf else math.nan

    def or_arrays(self, values: Sequence[Any]) -> Any:
        return self.of_any(values) if are_floats(values) else self.arrays(values)[0]


def compiled_with(
    library: RelationSet, target: str, given: Iterable[str], profiles: tuple[Any, ...], backend: str
) -> Callable[..., Any]:
    """A compiled function of the givens by keyword, in which the values of profiles are constants.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> given = ["wire_length", "wire_section"]
    >>> resistance = compiled_with(circuits, "wire_resistance", given, ("copper",), "auto")
    >>> round(resistance(wire_length=100.0, wire_section=1e-6), 6)
    1.724
    """
    names = [library.declaration(name).name for name in dict.fromkeys(given)]
    question = generic_question(library, target, names, profiles)
    stated = used_values(library, question)
    twice = said_twice(library, names, [question.plan(library)])
    if twice:
        raise DeriveError(
            f"What is given may contradict {twice[0]}, which a function with profiles does not test.",
            hint="Leave one of the givens out, or compile without profiles.",
        )
    inner = compiled(library, target, [*names, *stated], backend, tested=False, weak=stated)
    fixed = {name: library.declared[name].unit.from_base(value.base[1]) for name, value in stated.items()}
    call = by_name(names, lambda values: inner(**dict(zip(names, values, strict=True)), **fixed))
    call.__doc__ = f"{target} from {', '.join(names)}, in declared units."
    return call


def named_by(library: RelationSet, target: str, given: Iterable[str], profiles: tuple[Any, ...]) -> list[str]:
    """The names that a function is compiled from: the givens, and the quantities whose values profiles state."""
    names = [library.declaration(name).name for name in dict.fromkeys(given)]
    return [*names, *used_values(library, generic_question(library, target, names, profiles))]


def generic_question(library: RelationSet, target: str, names: Sequence[str], profiles: tuple[Any, ...]) -> Question:
    """The question behind a fast function, read at generic numbers of the givens, which no profile states."""
    with query():
        return ask(library, target, profiles, generic_numbers(library, names, 0))


def is_own_value_alone(library: RelationSet, question: Question) -> bool:
    """Whether a fast function has only the value that a profile states of its target: nothing else leads to it."""
    is_stated = question.own is not None and question.target in question.origins
    if not is_stated or cases(library, question.outline).alternatives:
        return False
    return not eliminates(library, question.outline)


def used_values(library: RelationSet, question: Question) -> dict[str, Value]:
    """The weak values with which a question becomes a fast function, as some case uses them, except plain defaults.

    A weak value may be used in one case and yield to relations in another. No function with it as a given covers
    both, and the question is refused.
    """
    if is_own_value_alone(library, question):
        assert question.own is not None
        return {question.target: question.own}
    target_cases = cases(library, question.outline)
    used, yielding = _used_and_yielding(library, target_cases, {*question.strong})
    used |= weak_in_conditions(library, target_cases) - yielding
    stated = {
        name: value
        for name, value in question.weak.items()
        if name in used and (value.is_range or value is not library.declared[name].default)
    }
    unsure = sorted(stated.keys() & yielding)
    if unsure:
        raise DeriveError(
            f"Whether {unsure[0]} is taken as stated or follows from the rest depends on conditions.",
            hint=f"Give {unsure[0]}.",
        )
    return stated


def _used_and_yielding(library: RelationSet, target_cases: Cases, strong: set[str]) -> tuple[set[str], set[str]]:
    """For a fast function of a question: the weak values that some case uses, and what relations give in some.

    A plan for a quantity of a condition leaves that quantity's own value out. Where it rests on weak values alone, it
    only repeats what they state: the quantity does not yield to what is given.
    """
    plans = [case.plan for case, _ in target_cases.ends if case is not None]
    used = set[str]().union(*(plan.weak for plan in plans))
    yielding = set()
    for plan in plans:
        solved = {*plan.unknowns}
        yielding |= solved if library.held_by(plan.relations).keys() & strong else solved - {plan.target}
    return used, yielding
