"""A question as a fast function of numbers.

Each closed form of the plan becomes one line of Python in base units, with common subexpressions shared. `python_numpy`
has two dialects, for floats and for NumPy arrays; `numba_source` has a third, which numba compiles into one loop. Names
of users never reach the text: it calls quantities v0, v1, ... Where an unknown has several inverses, each is tried and
the one that satisfies the relation within the domain is kept. A block without a closed form is solved by lines that
check themselves (`block_kernels`), and by the solver where they cannot decide. Where conditions decide which relations
hold, each case has its own lines (`solving.case_trees`).

A point is NaN if it has no admissible value or more than one, if no case holds, if its givens contradict each other
(`agreement`), or if one lies outside its domain. The solver is called where lines leave several values that further
relations could tell apart, or where a quantity that the target depends on is only bounded.

A profile's value yields to what is given. Which values a question uses depends on the names of the givens, and on
their numbers only where conditions do. So the question is read at generic numbers, which no profile states.

Python itself binds the keywords, so that a call with plain floats costs little more than a call. Whatever else is
passed takes a slower way, on which it is read: a unit of its own, a text or an imaginary part is refused, since a
compiled function takes numbers in declared units, and what is masked or missing becomes NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from types import FunctionType
from typing import Any, Literal, get_args

import numpy

from derive.errors import (
    DeriveError,
    DomainError,
    ExpressionError,
    LimitError,
    UnderdeterminedError,
    UnitError,
    UnknownNameError,
    excerpt,
    unknown,
)
from derive.expressions.tree import names_in
from derive.kernels.agreement import agreed, agreement, based, definitions_determined, said_twice
from derive.kernels.backends.numba_source import is_at_hand
from derive.kernels.own_numbers import OwnNumbers, own_numbers
from derive.kernels.several_targets import JointFunctions, found_for, solved_number
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.solving.case_trees import Cases, cases, same_steps, weak_in_conditions
from derive.solving.determined_quantities import eliminates, generic_numbers
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.question import Question, ask
from derive.time_limits import query
from quantities.declaration import Declaration
from quantities.spelling import parse_unit
from quantities.units import Unit, convert
from quantities.value import Value, is_number, unit_attribute

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
    profiles: tuple[Any, ...] = (),
    is_asked: bool = False,
) -> Callable[..., Any]:
    """A compiled function of the givens by keyword, which returns the target of a question, in declared units.

    Givens that state something twice must agree, unless they are not to be `tested`. Weak ones are values of profiles,
    with which the solver is asked where lines leave a point open, or everywhere if it `is_asked`.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> resistance = compiled(circuits, "resistance", ["voltage", "current"])
    >>> resistance(voltage=12.0, current=4.0)
    3.0
    """
    if backend not in BACKENDS:
        raise unknown("backend", backend, list(BACKENDS))
    target_cases = found_for(library, target, given)
    if is_asked:
        target_cases = replace(target_cases, is_asked=True)
    names, arrays = target_cases.outline.strong, JointFunctions(library, [target_cases], weak, profiles)
    floats = _Floats(arrays)
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
        return result if checks is None else checks.kept(values, result, arrays.solved)

    if checks is not None or backend in ("numpy", "numba"):
        call = by_name(names, slow)
    else:
        call = by_name(names, slow, lambda: floats.point, lambda *values: floats.lost(values))
    call.__doc__ = f"{target} from {', '.join(names)}, in declared units."
    return call


@dataclass(frozen=True)
class _Floats:
    """The function of floats for one target, written on first use; that of arrays decides where it cannot."""

    arrays: JointFunctions

    @cached_property
    def point(self) -> Callable[..., float]:
        return self.arrays.of_floats()

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
    twice = [*said_twice(library, names, [question.plan(library)]), *definitions_determined(library, names)]
    if twice:
        raise LimitError(
            f"What is given may contradict {twice[0]}, which a function with profiles does not test.",
            hint="Leave one of the givens out, or compile without profiles.",
            limit="a function with profiles",
        )
    inner = compiled(
        library,
        target,
        [*names, *stated],
        backend,
        tested=False,
        weak=stated,
        profiles=profiles,
        is_asked=is_told_by_case(library, question, stated, names),
    )
    fixed = {name: library.declared[name].unit.from_base(value.base[1]) for name, value in stated.items()}
    quantities = [library.declared[name] for name in names]
    own = own_numbers(library, target, profiles, {}, names)

    def on_values(given: Sequence[Any]) -> Any:
        values = numbers_of(quantities, given)
        result = inner(**dict(zip(names, values, strict=True)), **fixed)
        return result if own is None else _beside_own_numbers(own, dict(zip(names, values, strict=True)), result)

    call = by_name(names, on_values)
    call.__doc__ = f"{target} from {', '.join(names)}, in declared units."
    return call


def _beside_own_numbers(own: OwnNumbers, values: Mapping[str, Any], result: Any) -> Any:
    """The values of a compiled function, with the solver's answers where givens have the profiles' own numbers."""
    declared = own.library.declared
    gap = own.gap(*(based(numpy.asarray(values[name], dtype=float), declared[name]) for name in own.own))
    column = numpy.asarray(result, dtype=float)

    def solved(point: Sequence[float]) -> float:
        return solved_number(own.library, own.target, dict(zip(values, point, strict=True)), profiles=own.profiles)

    numbers = agreed(column, [numpy.broadcast_to(gap, column.shape)], [*values.values()], solved)
    return numbers if numbers.shape else float(numbers)


def named_by(library: RelationSet, target: str, given: Iterable[str], profiles: tuple[Any, ...]) -> list[str]:
    """The names that a function is compiled from: the givens, and the quantities whose values profiles state."""
    names = [library.declaration(name).name for name in dict.fromkeys(given)]
    question = generic_question(library, target, names, profiles)
    stated = used_values(library, question)
    refuse_depending_on_case(library, question, stated, names)
    return [*names, *stated]


def generic_question(library: RelationSet, target: str, names: Sequence[str], profiles: tuple[Any, ...]) -> Question:
    """The question of a compiled function, read at generic numbers of the givens, which no profile states."""
    with query():
        return ask(library, target, profiles, generic_numbers(library, names, 0), frozenset(names))


def is_own_value_alone(library: RelationSet, question: Question) -> bool:
    """Whether a compiled function has only the value that a profile states of its target: nothing else leads to it."""
    if not question.has_stated_target or cases(library, question.outline).alternatives:
        return False
    return not eliminates(library, question.outline)


def used_values(library: RelationSet, question: Question) -> dict[str, Value]:
    """The weak values with which a question is compiled to a function, as some case uses them, except defaults."""
    if is_own_value_alone(library, question):
        assert question.own is not None
        return {question.target: question.own}
    target_cases = cases(library, question.outline)
    used, yielding = _used_and_yielding(library, target_cases, {*question.strong})
    used |= weak_in_conditions(library, target_cases) - yielding
    return {
        name: value
        for name, value in question.weak.items()
        if name in used and (value.is_range or value is not library.declared[name].default)
    }


def is_told_by_case(
    library: RelationSet, question: Question, stated: Mapping[str, Value], varying: Iterable[str]
) -> bool:
    """Whether a compiled function with these stated values as givens would go wrong in a case, where some givens vary.

    The target's own value may count too, in a case in which nothing else leads to it.
    """
    if question.has_stated_target and not cases_left(library, question, varying).is_everywhere:
        around = structure_of(library).around(question.target, frozenset(question.strong))
        conditional = ({*relation.members, *names_in(*relation.conditions)} for relation in library.conditional)
        if any(not around.isdisjoint(names) for names in conditional):
            return True
    return counts_by_case(library, question, stated, varying)


def counts_by_case(
    library: RelationSet, question: Question, stated: Mapping[str, Value], varying: Iterable[str]
) -> bool:
    """Whether stated values count for a compiled function in only some of the cases that its fixed numbers leave.

    As givens they would all count in every case: with a of one profile and c of a later one, c decides where a relation
    ties it to a, and a where that does not apply.
    """
    if not stated:
        return False
    as_typed = ask(library, question.target, (), {**question.strong, **stated})
    return not same_steps(cases_left(library, question, varying), cases_left(library, as_typed, varying))


def cases_left(library: RelationSet, question: Question, varying: Iterable[str]) -> Cases:
    """The cases of a compiled function's question that are left where some givens vary, and the others do not."""
    truth_of = decisions_of(library, question).truth
    return cases(library, question.outline).where(library, varying, truth_of)


def refuse_depending_on_case(
    library: RelationSet, question: Question, stated: Mapping[str, Value], varying: Iterable[str]
) -> None:
    """Refuse a formula or a file where it depends on the case which stated values count."""
    if counts_by_case(library, question, stated, varying):
        target_cases = cases(library, question.outline)
        used_always = frozenset(question.weak).intersection(*(plan.weak for plan in target_cases.plans))
        deciding = weak_in_conditions(library, target_cases)
        depending = [name for name in stated if name in deciding or name not in used_always]
        raise _depends_on_conditions([*depending, *stated][0])


def _depends_on_conditions(name: str) -> UnderdeterminedError:
    """The error for a function that cannot be compiled, since conditions decide whether a stated value counts."""
    return UnderdeterminedError(
        f"Whether {name} is taken as stated or follows from the rest depends on conditions.",
        hint=f"Give {name}.",
        missing=((name,),),
    )


def _used_and_yielding(library: RelationSet, target_cases: Cases, strong: set[str]) -> tuple[set[str], set[str]]:
    """For a compiled function: the weak values that some case uses, and what relations give in some.

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
    of_any_values: Callable[[Sequence[Any]], Any],
    floats: Callable[[], Callable[..., float]] | None = None,
    lost: Callable[..., float] | None = None,
) -> FunctionType:
    """The Python function that binds the arguments of a compiled one by keyword, with the fastest way for plain floats.

    `floats` makes the function of floats on first use; where that cannot decide, `lost` computes the value. All other
    values go to `of_any_values`.
    """

    def slow(others: dict[str, Any], values: Sequence[Any]) -> Any:
        missing = [name for name, value in zip(names, values, strict=True) if value is _ABSENT]
        if others or missing:
            raise _argument_error(others, missing, names)
        with query(math.inf):
            return of_any_values(values)

    def first(*values: float) -> float:
        assert floats is not None
        with query(math.inf):
            space["quick"] = function = floats()
            return function(*values)

    space: dict[str, Any] = {"slow": slow, "quick": first, "lost": lost, "float": float}
    space |= {"inf": math.inf, "nan": math.nan, "__builtins__": {"ValueError": ValueError}}
    space |= {"ZeroDivisionError": ZeroDivisionError, "OverflowError": OverflowError}
    exec(compile(_call_text(len(names), has_floats=floats is not None), "<derive>", "exec"), space)
    call: FunctionType = space["call"]
    others = next(name for name in ("others" + "_" * i for i in count()) if name not in names)
    inner_names = call.__code__.co_varnames[len(names) + 1 :]
    call.__code__ = call.__code__.replace(co_varnames=(*names, others, *inner_names))
    call.__kwdefaults__ = dict.fromkeys(names, _ABSENT)
    return call


def _call_text(count_of_names: int, *, has_floats: bool) -> str:
    """The source text that binds the arguments of a compiled function by keyword, and sorts out plain floats."""
    arguments = [f"a{i}" for i in range(count_of_names)]
    not_plain = ""
    if arguments:
        not_plain = " or not (" + " is ".join([*(f"{a}.__class__" for a in arguments), "float"]) + ")"
    return _TEXT.format(
        signature=f"*, {', '.join(arguments)}, " if arguments else "",
        values="".join(f"{argument}, " for argument in arguments),
        odd=not_plain if has_floats else " or True",
    )


def _argument_error(others: Iterable[str], missing: Sequence[str], names: Sequence[str]) -> Exception:
    """The error for a call of a compiled function with an unknown argument, or without one that it takes."""
    for name in others:
        return unknown("argument", name, list(names))
    return UnknownNameError(
        f"{', '.join(missing)} is missing from the call.",
        hint=f"Give {', '.join(names)}.",
        name=missing[0],
        kind="argument",
    )


_REAL_KINDS = "biuf"  # NumPy's letters for truth values, whole numbers of both sorts, and floats


def numbers_of(quantities: Sequence[Declaration], given: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a compiled function as floats and arrays of numbers, whose shapes fit each other."""
    if are_floats(given):  # as most are, and all that follows would cost as much as the function itself
        return given
    values = [_number_or_array(*pair) for pair in zip(quantities, given, strict=True)]
    shapes = [value.shape for value in values if value.__class__ is not float]
    if any(shape != shapes[0] for shape in shapes):
        try:
            numpy.broadcast_shapes(*shapes)
        except ValueError:
            raise _misfit(quantities, values) from None
    return values


def are_floats(values: Sequence[Any]) -> bool:
    """Whether all values passed to a compiled function are floats of Python itself: others are made such first."""
    return set(map(type, values)) <= {float}


def _number_or_array(quantity: Declaration, given: Any) -> Any:
    """An argument of a compiled function as a float or an array of numbers; what is masked or missing is NaN."""
    if isinstance(given, float):
        return float(given)
    if isinstance(given, int):
        return _as_float(quantity, given)
    _refuse_unit(quantity, given)
    if is_number(given):
        return _as_float(quantity, given)
    if _is_missing(given):  # NumPy would make it NaN
        raise _no_number(quantity, given)
    if given.__class__ is numpy.ndarray and given.ndim and given.dtype.kind in _REAL_KINDS:
        return given
    if isinstance(given, bytearray):  # NumPy would take the codes of its characters
        raise _no_number(quantity, given)
    try:
        array = numpy.asarray(_listed(quantity, given) if isinstance(given, (list, tuple)) else _unmasked(given))
        if array.dtype.kind == "O":
            numbers = [_number_of_object(quantity, given, entry) for entry in array.flat]
            array = numpy.array(numbers).reshape(array.shape)
    except (TypeError, ValueError):
        raise _no_number(quantity, given) from None
    except OverflowError:
        raise _out_of_range(quantity) from None
    if array.dtype.kind not in _REAL_KINDS:
        raise _no_number(quantity, given)
    return array if array.ndim else float(array)


def _listed(quantity: Declaration, entries: Sequence[Any]) -> list[Any]:
    """A list passed to a compiled function, without masked numbers, at any depth; units in it are refused."""
    listed: list[Any] = []
    for entry in entries:
        if isinstance(entry, (list, tuple)):
            listed.append(_listed(quantity, entry))
        elif entry.__class__ is float:
            listed.append(entry)
        else:
            _refuse_unit(quantity, entry)
            listed.append(_unmasked(entry))
    return listed


def _unmasked(given: Any) -> Any:
    """An array passed to a compiled function with NaN for each masked number, and None among objects; else as it is."""
    if not isinstance(given, numpy.ma.MaskedArray):
        return given
    data, mask = numpy.ma.getdata(given), numpy.ma.getmaskarray(given)
    if data.dtype.kind in _REAL_KINDS:
        return numpy.where(mask, math.nan, data.astype(float))
    objects = data.astype(object)
    objects[mask] = None
    return objects


def _number_of_object(quantity: Declaration, given: Any, entry: Any) -> float:
    """An entry of an array of objects passed to a compiled function, as a float; NaN if it is missing."""
    if _is_missing(entry):
        return math.nan
    _refuse_unit(quantity, entry)
    if not is_number(entry) and not isinstance(entry, bool):
        raise _no_number(quantity, given)
    return _as_float(quantity, entry)


def _is_missing(entry: Any) -> bool:
    """Whether an entry of an array passed to a compiled function is None, or pandas' mark for a missing number."""
    return entry is None or type(entry).__name__ == "NAType"


def _as_float(quantity: Declaration, given: Any) -> float:
    """A number of any type passed to a compiled function, as a float; or an error that names its quantity."""
    try:
        number = float(given)
        is_lost = (math.isinf(number) and -math.inf < given < math.inf) or (number == 0 and given != 0)
    except OverflowError:
        raise _out_of_range(quantity) from None
    except (TypeError, ValueError):
        raise _no_number(quantity, given) from None
    if is_lost:
        raise _out_of_range(quantity)
    return number


def _refuse_unit(quantity: Declaration, given: Any) -> None:
    """Refuse what has a unit of its own, of pint or of xarray, which a compiled function would drop."""
    declared = quantity.unit.text if quantity.unit.text not in ("", "1") else "dimensionless"
    if hasattr(given, "_units") and hasattr(given, "magnitude"):
        unit: Any = str(given.units)
        hint = f'Write {quantity.name}=value.m_as("{declared}").'
    else:
        unit = unit_attribute(given)
        if unit is None or _is_same(unit, quantity.unit):
            return
        hint = f"Convert it to {declared}, and give the numbers alone: {quantity.name}=array.values."
    raise UnitError(
        f"{quantity.name}: a compiled function takes bare numbers{_in_unit(quantity)}, and this is in {unit or '1'}.",
        hint=hint,
        quantity=quantity.name,
        unit=unit,
    )


def _is_same(text: str, unit: Unit) -> bool:
    """Whether the unit of an array passed to a compiled function, as xarray states it, is this one."""
    try:
        return convert(1.0, parse_unit(text), unit) == 1.0
    except DeriveError:
        return False


def _in_unit(quantity: Declaration) -> str:
    """The unit in which a compiled function takes an argument's bare numbers, in words; empty for a plain number."""
    return "" if quantity.unit.text in ("", "1") else f" in {quantity.unit}"


def _no_number(quantity: Declaration, given: Any) -> ExpressionError:
    """The error of what was passed to a compiled function and is neither a number nor an array of numbers."""
    kind = f"array of {given.dtype}" if hasattr(given, "dtype") else type(given).__name__
    return ExpressionError(
        f"{quantity.name}: {excerpt(' '.join(str(given).split()))} ({kind}) is no real number, and no array of them.",
        hint=f"A compiled function takes numbers{_in_unit(quantity)}; `solve` reads texts with units.",
        text=str(given),
    )


def _misfit(quantities: Sequence[Declaration], values: Sequence[Any]) -> ExpressionError:
    """The error for arrays passed to a compiled function whose shapes do not broadcast."""
    arrays = ((quantity.name, value) for quantity, value in zip(quantities, values, strict=True))
    listed = ", ".join(f"{name} {value.shape}" for name, value in arrays if not isinstance(value, float))
    return ExpressionError(
        f"Arrays of these shapes do not fit each other: {listed}.",
        hint="Give arrays of one shape, or of shapes that broadcast, such as (3, 1) and (4,).",
    )


def _out_of_range(quantity: Declaration) -> DomainError:
    """The error of a number that no double is near to, passed to a compiled function."""
    return DomainError(
        f"{quantity.name}: it exceeds the range of double precision.",
        hint="Give a number between 1e-300 and 1e300.",
        quantity=quantity.name,
        domain=quantity.domain.text,
    )
