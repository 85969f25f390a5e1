"""Why there is no choice at all: a smallest set of limits that exclude each other, and the nearest miss.

A set of limits is excluded if in every discrete choice and every case no point of the ranges fulfils it; branch and
bound proves that. Sets are tried by size, so that the first one found is a smallest. The nearest miss moves one limit
of that set outwards by as little as will do, while the others hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from derive.errors import AmbiguousError, DeriveError, InconsistentError, LimitError, NoSolutionError
from derive.numerics.algebra.like_terms import ZERO
from derive.optimization.discrete_choice import SearchedChoice
from derive.optimization.program import Limit, Program, whole_if_counted
from derive.optimization.search import least_of
from derive.presentation.cautions import side_unit
from derive.presentation.numbers import shown_choice, shown_number
from derive.solving.answering.solver import solve
from derive.solving.execution.question import stated_at
from derive.time_limits import tick
from quantities.declaration import Declaration
from quantities.value import Value

_ALL = 8  # limits up to which every set is tried by size
_BOXES = 2000  # to prove that limits exclude each other
_NEAR = 400  # to find the nearest miss
_BOUNDED = "In the middle of the ranges {0} is only bounded. Give {0} a range too: then it is part of the choice."


def excluding(programs: Sequence[Program]) -> tuple[str, ...]:
    """A smallest set of limits that are infeasible together; empty if that cannot be proved."""
    limits = chain.from_iterable((*program.limits, *program.ties) for program in programs)
    names = list(dict.fromkeys(limit.name for limit in limits if limit.relation is not None))
    for chosen in _sets(names):
        if _is_excluded(programs, frozenset(chosen)):
            return chosen if len(names) <= _ALL else _thinned(programs, chosen)
    return ()


def _sets(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Sets of limits that may be infeasible together, by size; of many limits, only the small sets and then all."""
    sizes = range(len(names) + 1) if len(names) <= _ALL else range(3)
    for size in sizes:
        yield from combinations(names, size)
    if len(names) > _ALL:
        yield tuple(names)


def _thinned(programs: Sequence[Program], names: Sequence[str]) -> tuple[str, ...]:
    """The limits that are left infeasible together when every one that can be spared has been dropped in turn."""
    kept = list(names)
    for name in names:
        others = [other for other in kept if other != name]
        if _is_excluded(programs, frozenset(others)):
            kept = others
    return tuple(kept)


def _is_excluded(programs: Sequence[Program], names: frozenset[str]) -> bool:
    """Whether it is proved infeasible to fulfil the limits of these names together at any point of the programs."""
    for program in programs:
        tick()
        if program.is_sampled:
            return False
        best = least_of([replace(program.with_stated(names), goal=ZERO, plain=ZERO, sign=1.0)], _BOXES)
        if best.floor < float("inf"):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Miss:
    """A limit that is missed at the point nearest to it, and its sides there."""

    limit: Limit
    sides: tuple[float, float]
    point: tuple[float, ...]
    program: Program
    is_proved: bool

    @property
    def by(self) -> float:
        return abs(self.sides[0] - self.sides[1])

    @property
    def share(self) -> float:
        """How far a limit that is missed would have to move for a choice to be feasible, as a share of its sides."""
        left, right = self.sides
        return self.by / (abs(right) or abs(left) or 1.0)


def none_found(choices: Sequence[SearchedChoice], *, is_point: bool = False) -> DeriveError:
    """The error that says why there is no feasible choice at all; where nothing ranges, each choice is a point.

    A choice without a solution is infeasible like any other.
    """
    error = _why_none_found(choices, is_point=is_point)
    if not isinstance(error, NoSolutionError):
        return error
    where = "" if len(choices) == 1 else f" in any of {len(choices)} choices; the first"
    what = f"{choices[0].question.target} has no admissible value{where}: {error.reason or error.what}."
    return InconsistentError(what, hint="Offer other choices, or move a limit.", conflicts=(), gap=math.inf)


def _why_none_found(choices: Sequence[SearchedChoice], *, is_point: bool) -> DeriveError:
    """Why there is no feasible choice, as the search of the choices or the solver says it."""
    question = choices[0].question
    searched = [choice for choice in choices if choice.error is None]
    errors = [choice.error for choice in choices if choice.error is not None]
    # a choice that was searched has an error only if its answer did not hold
    at_points = [choice.error for choice in choices if choice.error is not None and choice.best.boxes]
    if errors and (not searched or at_points):
        # that the target has no value at one point of the ranges says nothing of the others
        may_be_elsewhere = bool(question.ranges) and any(isinstance(error, NoSolutionError) for error in at_points)
        is_open = may_be_elsewhere or any(choice.best.floor < math.inf for choice in searched)
        return _unproved(question.target) if is_open else errors[0]
    programs = [*chain.from_iterable(choice.programs for choice in searched)]
    error = infeasible(question.target, programs, len(choices), question.library.declared)
    if isinstance(error, LimitError) or is_point:
        asked = [choice for choice in searched if choice.programs or is_point]
        return next(filter(None, (_solver_error(choice, is_point=is_point) for choice in asked)), error)
    return error


def _solver_error(choice: SearchedChoice, *, is_point: bool) -> DeriveError | None:
    """The solver's error in the middle of the ranges of a choice in which no feasible point was found.

    A contradiction, a missing solution and several solutions count only if the ranges are one point.
    """
    question = choice.question
    free: dict[str, Value] = {}
    if not is_point:
        program = choice.programs[0]
        middle = [low / 2 + high / 2 for low, high in program.box[: program.free]]
        for name, x, step in zip(program.names, middle, program.steps, strict=False):
            free[name] = stated_at(question.library, name, whole_if_counted(x, step))
    try:
        solve(question.library, question.target, choice.pick.profiles, {**question.fixed, **choice.pick.listed, **free})
    except (InconsistentError, NoSolutionError, AmbiguousError) as error:
        if is_point:
            return error
        is_bounded = isinstance(error, AmbiguousError) and all(answer.base is None for answer in error.answers)
        # at one point, which says nothing of the others
        return _unproved(question.target, hint=_BOUNDED.format(question.target)) if is_bounded else None
    except DeriveError as error:
        return error
    return None


def infeasible(
    target: str, programs: Sequence[Program], count: int, declared: Mapping[str, Declaration]
) -> InconsistentError | LimitError:
    """The error that says which limits make every choice infeasible, and the nearest miss."""
    names = excluding(programs)
    if not names and not _is_excluded(programs, frozenset()):
        return _unproved(target)
    if not names:
        return InconsistentError(
            f"{target} has no value anywhere in the ranges.", hint="Widen the ranges.", conflicts=(), gap=float("inf")
        )
    misses = [*chain.from_iterable(_misses(programs, name, names) for name in names)]
    nearest = min(misses, key=lambda miss: miss.share, default=None)
    where = "" if count == 1 else f" in any of {count} choices"
    together = f"{' and '.join(names)} exclude each other" if len(names) > 1 else f"{names[0]} cannot hold"
    if nearest is None:
        together, miss, gap = f"{together} in these ranges", "", float("inf")
    else:
        miss, gap = f" {_miss_text(nearest, names, declared)}", nearest.share
    return InconsistentError(
        f"{target}: {together}{where}.{miss}",
        hint="Move a limit, or widen the ranges.",
        conflicts=names,
        gap=gap,
    )


def _unproved(target: str, *, hint: str = "Narrow the ranges.") -> LimitError:
    """The error where no choice was found, and some may yet be feasible."""
    what = f"{target}: no choice was found that fulfils the limits, and it is not proved that there is none."
    return LimitError.unproved(what, hint=hint)


def _misses(programs: Sequence[Program], name: str, names: Sequence[str]) -> Iterator[_Miss]:
    """The nearest miss of one limit in each infeasible program, while the other limits of the set hold."""
    for program in programs:
        limit = next((limit for limit in program.limits if limit.name == name), None)
        if limit is None:
            continue
        others = program.with_stated([other for other in names if other != name])
        goal = replace(others, goal=limit.gap, plain=limit.gap, sign=1.0)
        best = least_of([goal], _NEAR)
        numbers = goal.numbers(best.at) if best.is_found else None
        if numbers is not None:
            yield _Miss(limit, limit.sides_at(numbers), best.at, program, best.is_proved)


def _miss_text(miss: _Miss, names: Sequence[str], declared: Mapping[str, Declaration]) -> str:
    """The sentence about the nearest miss of one of the limits that are infeasible together."""
    relation = miss.limit.relation
    assert relation is not None
    unit = side_unit(relation, relation.written.lhs)
    left, right = (shown_number(side, unit) for side in miss.sides)
    sure = "at least" if miss.is_proved else "at the nearest point that was found"
    others = "" if len(names) == 1 else ", while the others hold"
    free = zip(miss.program.names, miss.point, strict=False)
    point = ", ".join(f"{name} = {shown_choice(x, declared[name])}" for name, x in free)
    where = f", at {point}" if point else ""
    missed = f"{miss.limit.name} is missed by {shown_number(miss.by, unit)} {sure}"
    return f"{missed}{others}: {left} against {right}{where}."
