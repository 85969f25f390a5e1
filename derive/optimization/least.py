"""The verbs `least` and `most`: every discrete choice is searched over its ranges, and the best is put back.

The answer at the best point is an ordinary one: it is solved again from the chosen values, its checks are tested, and
so is every limit of the question. The bound of the whole is the least bound of the choices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from derive.certificates.proof import ProofOfOptimum
from derive.errors import (
    AmbiguousError,
    DeriveError,
    InconsistentError,
    LimitError,
    NoSolutionError,
    UnknownNameError,
    VerificationError,
)
from derive.expressions.tree import Equation, Node, names_in
from derive.kernels.agreement import leaving_beside, said_twice
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import residual
from derive.numerics.intervals.enclosure import Span
from derive.optimization.asked_choice import Asked, Pick, asked
from derive.optimization.certifying import proof_of_optimum
from derive.optimization.limit_forms import closed_forms
from derive.optimization.limits import bindings, excluding, infeasible
from derive.optimization.optimum import Binding, Choice, Optimum
from derive.optimization.program import Program
from derive.optimization.programs import NO_SPANS, Unwritten, programs
from derive.optimization.putting_back import Looked, put_back, values_at
from derive.optimization.sampling import best_met, sampled_program
from derive.optimization.search import BOXES, Best, least_of
from derive.optimization.stated_limits import Stated, library_limits, limits_of_domain, stated_limits
from derive.optimization.under_ranges import Contender, uncertain, under_ranges
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan
from derive.presentation.numbers import shown_number
from derive.solving.answering.solver import solve
from derive.solving.diagnosis.left_domains import leaving_in_a_case
from derive.solving.execution.answer import Answer
from derive.solving.execution.question import Question, ask
from derive.solving.ranges.inequalities import stated_at
from derive.solving.ranges.range_propagation import only_form
from derive.time_limits import query, sharing
from derive.tolerances import AGREEMENT
from quantities.value import Value

__all__ = ["best_choice", "looked_at", "may_leave_in_a_case", "none_found", "searched"]


_EXPLAINING = 0.3  # of the time that is left, which telling what binds may take
_OUT_OF_TIME = "the time ran out before every limit and every end was tried: others may bind"


def best_choice(
    library: RelationSet,
    target: str,
    profiles: Sequence[Any],
    such_that: str | Iterable[str],
    given: Mapping[str, Any],
    sense: str,
) -> Optimum:
    """The choice that makes the target least or most.

    >>> from derive.relation_files.loading import load
    >>> fence = load('''[quantities]
    ... width  = { unit = "m" }
    ... length = { unit = "m" }
    ... area   = { unit = "m**2" }
    ... fence  = { unit = "m" }
    ... [relations]
    ... area  = { equation = "area = width*length" }
    ... fence = { equation = "fence = 2*width + 2*length" }''')
    >>> found = best_choice(fence, "area", (), ["fence <= 40 m"], {"width": "1..30 m", "length": "1..30 m"}, "most")
    >>> print(f"{found.value:.6f}", found.proved, [one.name for one in found.binding])
    100.000000 meter ** 2 True ['fence <= 40 m']
    """
    with query():
        question = asked(library, target, profiles, given)
        limits = [*library_limits(library), *stated_limits(library, such_that)]
        sign = 1.0 if sense == "least" else -1.0
        looked = [looked_at(library, question, pick, limits, sign) for pick in question.picks]
        one, answer, looked = _put_back_in_turn(library, question, limits, looked, sign)
        return _told(library, question, limits, sense, one, answer, looked)


def looked_at(
    library: RelationSet,
    question: Asked,
    pick: Pick,
    limits: Sequence[Stated],
    sign: float,
    boxes: int = BOXES,
    *,
    in_all_cases: bool = False,
) -> Looked:
    """One discrete choice, searched over the ranges in at most so many boxes.

    What nobody asked for may leave its domain by relations of some case only; that is looked at `in_all_cases`.
    """
    try:
        one = ask(library, question.target, pick.profiles, question.given(pick))
        made = _programs_of(library, question, pick, one, limits, sign, in_all_cases=in_all_cases)
        with sharing(0.5):
            return Looked(pick, made, searched(made, boxes) if boxes else Best(), given=question.fixed)
    except UnknownNameError:
        raise
    except DeriveError as error:
        return Looked(pick, error=error)


def _programs_of(
    library: RelationSet,
    question: Asked,
    pick: Pick,
    one: Question,
    limits: Sequence[Stated],
    sign: float,
    spans: Mapping[str, Span] = NO_SPANS,
    *,
    in_all_cases: bool = False,
) -> tuple[Program, ...]:
    """The programs of one discrete choice, with the limits that what is given twice and domains put on them.

    Where something has no expression in terms of what is free, the solver is asked at each point instead.
    """
    try:
        made = tuple(programs(library, one, limits, question.free, sign, spans))
        ties = (*_ties(library, question, made), *_domains(library, question, made, in_all_cases=in_all_cases))
        return tuple(programs(library, one, [*limits, *ties], question.free, sign, spans)) if ties else made
    except Unwritten:
        return (sampled_program(library, one, pick.profiles, limits, question.free, sign),)


def searched(made: Sequence[Program], boxes: int = BOXES) -> Best:
    """The best of some programs: with a proof, unless the solver has to be asked at each point."""
    return best_met(made[0]) if made and made[0].is_sampled else least_of(made, boxes)


def _ties(library: RelationSet, question: Asked, made: Sequence[Program]) -> Iterator[Stated]:
    """The relations that tie what is free to what else is given: as equations, and as limits where only a case has
    them."""
    plans = [plan for program in made for plan in program.plans]
    strong = _typed(question)
    for name in said_twice(library, strong, plans):
        relation = library.relations[name]
        if not relation.is_equation or question.ranges.keys().isdisjoint(names_in(*_sides(relation))):
            continue
        names = names_in(*_sides(relation), *relation.conditions)
        if _is_tied(library, relation, strong, plans):
            yield Stated(name, relation.written, relation, names)
            continue
        for op in ("<=", ">="):
            written = Equation(relation.written.lhs, op, relation.written.rhs)
            yield Stated(name, written, relation, names, {}, relation.conditions)


def _sides(relation: Relation) -> tuple[Node, Node]:
    return relation.written.lhs, relation.written.rhs


def _domains(
    library: RelationSet, question: Asked, made: Sequence[Program], *, in_all_cases: bool = False
) -> Iterator[Stated]:
    """The domains that what is free might make a quantity leave that nobody asked for, as limits."""
    plans = [plan for program in made for plan in program.plans]
    typed = _typed(question)
    for block in leaving_beside(library, typed, plans):
        yield from _of_its_form(library, block, limits_of_domain(library, block.unknowns[0]))
    for name in sorted(leaving_in_a_case(library, typed)) if in_all_cases else ():
        yield from limits_of_domain(library, name)


def may_leave_in_a_case(library: RelationSet, question: Asked) -> bool:
    """Whether to search again within the domains of all cases finds anything else than the first search."""
    return bool(leaving_in_a_case(library, _typed(question)))


def _of_its_form(library: RelationSet, block: Block, limits: Sequence[Stated]) -> Iterator[Stated]:
    """Limits of a quantity; of a count, those of its form: what is worked out need not be whole."""
    form = only_form(library, block) if library.declared[block.unknowns[0]].is_count else None
    for limit in limits:
        written = limit.written if form is None else replace(limit.written, lhs=form)
        yield limit if form is None else replace(limit, written=written, names=names_in(form))


def _typed(question: Asked) -> list[str]:
    return [*question.fixed, *question.picks[0].listed, *question.ranges]


def _is_tied(library: RelationSet, relation: Relation, strong: Sequence[str], plans: Sequence[Plan]) -> bool:
    """Whether a relation that always holds has no quantity that is not known without it, in every case."""
    if relation.conditions:
        return False
    spent = {name for made in plans for name in made.relations}
    others = {other.name for other in library.conditional if other.name not in spent}
    known = closure(structure_of(library, frozenset({relation.name, *others})), strong)
    return known.issuperset(library.members[relation.name])


def _put_back_in_turn(
    library: RelationSet, question: Asked, limits: Sequence[Stated], looked: Sequence[Looked], sign: float
) -> tuple[Looked, Answer, list[Looked]]:
    """The best choice whose answer holds, with that answer; a choice without one is ruled out, and says why.

    Before that, it is searched again for a point at which nothing leaves its domain by the relations of some case.
    """
    left = list(looked)
    pending = [place for place, one in enumerate(left) if one.best.is_found]
    searched_again: set[int] = set()
    while pending:
        place = min(pending, key=lambda one: left[one].best.value)
        one = left[place]
        pending.remove(place)
        try:
            return *put_back(library, question, limits, one), left
        except VerificationError:
            raise
        except DeriveError as error:
            left[place] = replace(one, best=replace(one.best, value=math.inf, at=()), error=error)
            is_new = place not in searched_again and may_leave_in_a_case(library, question)
            if isinstance(error, InconsistentError) and is_new:
                searched_again.add(place)
                other = looked_at(library, question, one.pick, limits, sign, in_all_cases=True)
                if other.error is None and other.best.is_found:
                    left[place] = other
                    pending.append(place)
    raise none_found(library, question.target, left, is_point=not question.ranges)


def none_found(library: RelationSet, target: str, looked: Sequence[Looked], *, is_point: bool = False) -> DeriveError:
    """Why there is no choice at all; where nothing ranges, each choice is a point."""
    searched = [one for one in looked if one.error is None]
    errors = [one.error for one in looked if one.error is not None]
    if errors and (not searched or any(one.error is not None and one.best.boxes for one in looked)):
        return errors[0]
    found = infeasible(target, [program for one in searched for program in one.programs], len(looked), library.declared)
    if isinstance(found, LimitError) or is_point:
        for one in searched:
            _try(library, target, one, is_point=is_point)
    return found


def _try(library: RelationSet, target: str, one: Looked, *, is_point: bool) -> None:
    """Raise what the solver lacks in the middle of the ranges; what it denies there, if they are one point."""
    free: dict[str, Value] = {}
    if not is_point:
        program = one.programs[0]
        middle = [low / 2 + high / 2 for low, high in program.box[: program.free]]
        sides = zip(program.names, middle, program.steps, strict=False)
        free = {name: stated_at(library, name, round(x / step) * step if step else x) for name, x, step in sides}
    elsewhere = () if is_point else (InconsistentError, NoSolutionError, AmbiguousError)
    with suppress(*elsewhere):  # these say nothing of the other points
        solve(library, target, one.pick.profiles, {**one.given, **one.pick.listed, **free})


def _told(
    library: RelationSet,
    question: Asked,
    limits: Sequence[Stated],
    sense: str,
    one: Looked,
    answer: Answer,
    looked: Sequence[Looked],
) -> Optimum:
    floor = min(_floor(other) for other in looked)
    whole = replace(one.best, floor=min(floor, one.best.value))
    found, forms, is_in_time = _explained(library, one)
    values = values_at(library, question, one)
    names = (question.target, *question.ranges, *one.pick.listed, *names_in(*forms.values()))
    return Optimum(
        sense=sense,
        answer=answer,
        chosen={name: values[name].base[1] for name in (*question.ranges, *one.pick.listed)},
        profiles=one.pick.names,
        binding=found,
        is_bounded=whole.is_proved,
        gap=_told_gap(library, question, whole),
        gap_is_absolute=whole.is_zero,
        choices=tuple(_choice(question, other) for other in looked),
        reasons=(*_reasons(library, question, one, found), *(() if is_in_time else (_OUT_OF_TIME,))),
        boxes=sum(other.best.boxes for other in looked),
        ranged=tuple(question.ranges),
        quantities={name: library.declared[name] for name in names if name in library.declared},
        forms=forms,
        values={name: value for limit in limits for name, value in limit.values.items()},
        _proof=lambda: _proof(looked, whole),
        over_ranges=lambda points, seed: under_ranges(
            library, question, sense, _contenders(library, question, limits, looked, sense), points, seed
        ),
    )


def _proof(looked: Sequence[Looked], best: Best) -> ProofOfOptimum | None:
    """What shows that no choice is better; a choice of which nothing determines the target has no programs.

    None where one is ruled out for another reason: by an answer that did not hold, or that was not found in time.
    """
    if best.floor == -math.inf or any(one.error is not None and (one.is_unknown or one.best.boxes) for one in looked):
        return None
    return proof_of_optimum([() if one.error is not None else one.programs for one in looked], best)


def _explained(library: RelationSet, one: Looked) -> tuple[tuple[Binding, ...], Mapping[str, Node], bool]:
    """What binds, the forms of what was chosen, and whether the time was enough to try every limit."""
    found: list[Binding] = []
    try:
        with sharing(_EXPLAINING):  # each is a search of its own, and what is best is found by now
            found += bindings(one.programs, one.best, library.declared)
            return tuple(found), closed_forms(one.programs, one.best, found), True
    except LimitError:
        return tuple(found), {}, False


def _told_gap(library: RelationSet, question: Asked, best: Best) -> float | None:
    """The gap as it is told: a share of the value, or a distance in the declared unit; None if there is no bound."""
    if not math.isfinite(best.gap):
        return None
    unit = library.declared[question.target].unit
    return best.gap / float(unit.size) if best.is_zero else best.gap


def _contenders(
    library: RelationSet, question: Asked, limits: Sequence[Stated], looked: Sequence[Looked], sense: str
) -> list[Contender]:
    """The choices that have a value at the middles, each with the programs of all cases that its ranges meet."""
    sign = 1.0 if sense == "least" else -1.0
    contenders = []
    for one in (one for one in looked if one.best.is_found):
        there = ask(library, question.target, one.pick.profiles, question.given(one.pick))
        spans = {name: (value.base[0], value.base[2]) for name, value in uncertain(there, question).items()}
        cases = _programs_of(library, question, one.pick, there, limits, sign, spans)
        contenders.append(Contender(one.pick, cases, there, _choice(question, one)))
    return contenders


def _floor(one: Looked) -> float:
    """The bound of a choice: none where nothing is known about it, infinite where it has no answer."""
    if one.error is not None and one.best.boxes == 0:
        return -math.inf if one.is_unknown else math.inf
    return one.best.floor


def _choice(question: Asked, one: Looked) -> Choice:
    listed = {name: str(value) for name, value in one.pick.listed.items()}
    if one.error is not None:
        return Choice(one.pick.names, listed, None, {}, one.error.what, not one.is_unknown)
    if not one.best.is_found:
        names: tuple[str, ...] = ()
        with suppress(LimitError):
            names = excluding(one.programs)
        why = f"{' and '.join(names)} rule it out" if len(names) > 1 else f"{names[0]} rules it out" if names else ""
        is_sure = one.best.floor == math.inf
        unsure = "no point was found, and it is not proved that there is none"
        why = (why or "the target has no value in these ranges") if is_sure else unsure
        return Choice(one.pick.names, listed, None, {}, why, is_sure)
    best = one.best.value * one.programs[0].sign
    return Choice(
        one.pick.names, listed, best, dict(zip(question.ranges, one.best.at, strict=True)), "", one.best.is_proved
    )


def _domains_that_stop(one: Looked) -> Iterator[str]:
    """The ends of domains, of quantities that nobody asked for, on which the best point lies."""
    for program in one.programs:
        numbers = program.numbers(one.best.at)
        for limit in program.limits:
            if limit.is_domain and numbers is not None and abs(residual(limit.written, numbers)) <= AGREEMENT:
                yield limit.name


def _reasons(library: RelationSet, question: Asked, one: Looked, found: Sequence[Binding]) -> tuple[str, ...]:
    """Why the point is the best, for each free quantity."""
    told = []
    limits = [one.name for one in found] or list(dict.fromkeys(_domains_that_stop(one)))
    is_counted = any(step for program in one.programs for step in program.steps)
    stops = " and ".join(limits) or ("a whole number" if is_counted else "the edge of a case")
    for i, (name, way) in enumerate(zip(question.ranges, one.best.ways, strict=False)):
        low, high = one.programs[0].box[i]
        at = one.best.at[i]
        place = shown_number(at, library.declared[name].unit)
        if way in ("rises", "falls"):
            end = " the lower end of its range" if at == low else " the upper end of its range" if at == high else ""
            stop = f"{place} is{end}" if end else f"{stops} stops it at {place}"
            moves = f"{question.target} {way} with {name} wherever the limits hold; " if name != question.target else ""
            told.append(f"{moves}{stop}")
    return tuple(told)
