"""A discrete choice: its programs, the search over its ranges, and the question answered at the best point.

What is given twice and what domains may be left put limits of their own on the programs. The answer at the best point
is an ordinary one: it is solved again from the chosen values, and every limit of the question is tested on it.

Where a target has no expression in terms of what is free, the solver answers at points: at the corners, the edges and
the middles of the ranges, and from the best of these on along the axes with ever shorter steps. Nothing is known of the
points between, and the best point met is told as not proved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, islice, product
from types import MappingProxyType
from typing import Any

from derive.errors import (
    AmbiguousError,
    DeriveError,
    LimitError,
    UnderdeterminedError,
    UnknownNameError,
    VerificationError,
)
from derive.expressions.tree import COMPARISONS, Apply, Equation, Name, Number, names_in
from derive.kernels.agreement import leaving_beside, said_twice
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds, residual, truth, value
from derive.numerics.algebra.exact_values import exactly_computed
from derive.numerics.algebra.like_terms import difference_of, excess_of
from derive.numerics.intervals.arithmetic import Span
from derive.optimization.case_programs import NoExpression, ProgramBuilder
from derive.optimization.choice_question import ChoiceQuestion, Constraint, Pick, limits_of_domain
from derive.optimization.points import Points, along_axes, neighbours, shortened
from derive.optimization.program import (
    Limit,
    Program,
    Solutions,
    known_numbers,
    limits_of,
    step_of,
    whole_if_counted,
)
from derive.optimization.search import BOXES, SearchResult, least_of, tolerated
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan
from derive.solving.answering.solver import solve, solve_all, the_one
from derive.solving.assumptions import Assumption
from derive.solving.blocks.closed_forms import only_form
from derive.solving.blocks.system import agrees
from derive.solving.diagnosis.domain_violations import leaving_in_a_case
from derive.solving.execution.answer import Answer, Check
from derive.solving.execution.question import Question, ask, stated_at
from derive.time_limits import sharing, tick
from derive.tolerances import AGREEMENT, EXTREME
from quantities import rational
from quantities.profiles import Profile
from quantities.value import Value

_GRID = 81  # points of the first grid, at most
_TRIED = 60  # points along the axes


def sampled_program(
    library: RelationSet,
    question: Question,
    profiles: Sequence[str | Profile],
    limits: Sequence[Constraint],
    free: Mapping[str, Span],
    sign: float,
) -> Program:
    """The program of a discrete choice without expressions, for which the solver answers at each point.

    Its limits are those that can be tested.
    """
    strong = {name: value for name, value in question.strong.items() if name not in free}
    wanted = [question.target]
    tested = []
    for limit in limits:
        if limit.is_asked or all(_is_known(library, question, name) for name in limit.names):
            gap = excess_of(limit.written)
            tested.append(Limit(limit.name, limit.relation, limit.written, gap, limit.approximate))
            wanted += [name for name in limit.names if name not in wanted]

    def solved(values: Mapping[str, float]) -> Solutions:
        """The solver's numbers for target and limits at a point of a discrete choice; none where one has no answer."""
        tick()
        given = {**strong, **{name: stated_at(library, name, values[name]) for name in free}}
        numbers: dict[str, float] = {}
        in_use: Mapping[
            str, Value
        ] = {}  # by the target's answer: asked for alone, such a quantity may be another number
        for name in wanted:
            try:
                if name == question.target:
                    answer = the_one(solve_all(library, name, tuple(profiles), given))
                    number = None if answer is None else answer.base
                    in_use = {} if answer is None else answer.given
                elif name in in_use:
                    number = in_use[name].base[1]
                else:
                    number = quantity_at(library, name, profiles, given)
            except DeriveError as error:
                if isinstance(error, LimitError) and error.is_of_time:
                    raise
                return Solutions((), is_complete=False)
            domain = library.declared[name].domain
            if number is None or (domain.whole and not domain.is_whole(number)):
                return Solutions((), is_complete=False)
            numbers[name] = number
        return Solutions((numbers,))

    return Program(
        names=tuple(free),
        box=tuple(free.values()),
        steps=tuple(step_of(library.declared[name]) for name in free),
        free=len(free),
        goal=Name(question.target),
        plain=Name(question.target),
        known=known_numbers(library, question, limits, free),
        limits=tuple(tested),
        sign=sign,
        plans=(Plan(question.target, (), (), ()),),
        solved=solved,
        is_sampled=True,
    )


def _is_known(library: RelationSet, question: Question, name: str) -> bool:
    """Whether a sampled discrete choice can test a limit's quantity: it is the target, stated, or determined."""
    if name == question.target or name in question.strong or name in question.weak:
        return True
    weak = {other: value for other, value in question.weak.items() if other != name}
    inner = Question(name, question.strong, weak)
    return inner.plan(library).is_determined


def quantity_at(
    library: RelationSet, name: str, profiles: Sequence[str | Profile], given: Mapping[str, Value]
) -> float | None:
    """The solver's one value of a quantity at a point of a discrete choice, or its weak value if it has no other."""
    if name in given:
        return given[name].base[1]
    question = ask(library, name, tuple(profiles), given)
    if question.own is not None and not question.plan(library).is_determined:
        return question.own.base[1]
    try:
        answer = the_one(solve_all(library, name, tuple(profiles), given))
    except UnderdeterminedError:  # no relation that leads to it applies at this point
        if question.own is None:
            raise
        return question.own.base[1]
    return None if answer is None else answer.base


def best_met(program: Program) -> SearchResult:
    """The best of the points at which a discrete choice is sampled; no bound is known.

    >>> from derive.expressions.grammar import parse_expression
    >>> form = parse_expression("(x - 2)**2 + 1")
    >>> found = best_met(Program(("x",), ((0.0, 7.0),), (0.0,), 1, form, form, {}, is_sampled=True))
    >>> round(found.at[0], 3), found.floor
    (2.0, -inf)
    """
    goals: dict[tuple[float, ...], float] = {}

    def at(point: tuple[float, ...]) -> float:
        if point not in goals:
            goals[point] = program.at(point)
        return goals[point]

    try:
        for point in islice(product(*_places(program)), _GRID):
            at(point)
        best = min(goals, key=at)
        if at(best) < math.inf:
            for _ in along_axes(program, best, at, _TRIED):
                pass
    except LimitError:
        pass
    finite = [number for number in goals.values() if number < math.inf]
    if not finite:
        return SearchResult(floor=-math.inf, boxes=len(goals))
    best = min(goals, key=goals.__getitem__)
    return SearchResult(goals[best], best, -math.inf, max(finite) - min(finite), len(goals), ("",) * program.free)


def _places(program: Program) -> list[list[float]]:
    """The numbers of each range at which a discrete choice is sampled: all of a few counts, or ends and middle."""
    sides = [*zip(program.box, program.steps, strict=True)]
    if all(step and high - low <= _GRID * step for (low, high), step in sides):
        counts = [_counts(span, step) for span, step in sides]
        if math.prod(map(len, counts)) <= _GRID:
            return counts
    return [_ends_and_middle(span, step) for span, step in sides]


def _ends_and_middle(span: Span, step: float) -> list[float]:
    """The ends and the middle of a range at which a discrete choice is sampled, whole where it counts."""
    low, high = span
    ends = [math.ceil(low / step) * step, math.floor(high / step) * step] if step else [low, high]
    return list(dict.fromkeys([ends[0], whole_if_counted(low / 2 + high / 2, step), ends[1]]))


def _counts(span: Span, step: float) -> list[float]:
    """All whole numbers of a range in which something is counted, for a discrete choice."""
    return [count * step for count in range(math.ceil(span[0] / step), math.floor(span[1] / step) + 1)]


@dataclass(frozen=True)
class SearchedChoice:
    """A discrete choice after the search: its programs and the best in them, or the error that rules it out."""

    question: ChoiceQuestion
    pick: Pick
    programs: tuple[Program, ...] = ()
    best: SearchResult = field(default_factory=SearchResult)
    error: DeriveError | None = None
    in_all_cases: bool = False  # whether domains that some case may leave are among the limits

    @property
    def is_unknown(self) -> bool:
        """Whether the work on the discrete choice was cut short, so that it may hold something better."""
        return self.error is not None and getattr(self.error, "limit", None) is not None

    @property
    def values(self) -> dict[str, Value]:
        """The givens at the best point of the discrete choice."""
        return self.question.values_at(self.pick, self.best.at)


def searched_choice(
    question: ChoiceQuestion, pick: Pick, boxes: int = BOXES, *, in_all_cases: bool = False
) -> SearchedChoice:
    """Search one discrete choice of a question over its ranges in at most so many boxes.

    With `in_all_cases`, a quantity nobody asked for has to have a value in its domain also by a relation of some case.
    """
    try:
        asked = ask(question.library, question.target, pick.profiles, question.given(pick))
        case_programs = programs_of(question, pick, asked, in_all_cases=in_all_cases)
        with sharing(0.5):
            best = best_of(case_programs, boxes) if boxes else SearchResult()
            if boxes and not best.is_found and _is_one_point(question):
                solved = sampled_program(question.library, asked, pick.profiles, question.limits, {}, question.sign)
                met = best_met(solved)
                if met.is_found:
                    case_programs, best = (solved,), replace(met, floor=met.value)
        return SearchedChoice(question, pick, case_programs, best, in_all_cases=in_all_cases)
    except UnknownNameError:
        raise
    except DeriveError as error:
        return SearchedChoice(question, pick, error=error)


def remade(choice: SearchedChoice) -> tuple[Program, ...]:
    """The programs of a discrete choice made anew, after its question has changed."""
    question, pick = choice.question, choice.pick
    asked = ask(question.library, question.target, pick.profiles, question.given(pick))
    return programs_of(question, pick, asked, in_all_cases=choice.in_all_cases)


def _is_one_point(question: ChoiceQuestion) -> bool:
    """Whether each discrete choice is one point, about which the solver can be asked where expressions miss a value.

    They do where they divide by zero. The solver does not ask whether what follows is a whole count.
    """
    has_counts = any(declared.domain.whole for declared in question.library.declared.values())
    return not question.ranges and not has_counts


def best_of(case_programs: Sequence[Program], boxes: int = BOXES) -> SearchResult:
    """Search the programs of a discrete choice for its best point: with a proof, unless they are sampled."""
    if case_programs and case_programs[0].is_sampled:
        return best_met(case_programs[0])
    return least_of(case_programs, boxes)


def programs_of(
    question: ChoiceQuestion,
    pick: Pick,
    asked: Question,
    uncertain: Mapping[str, Span] = MappingProxyType({}),
    *,
    in_all_cases: bool = False,
) -> tuple[Program, ...]:
    """The programs by which a discrete choice is searched, with limits for what is given twice and for domains.

    Where something has no expression in terms of what is free, the solver is asked at each point instead.
    """
    library, free, sign = question.library, question.free, question.sign
    builder = ProgramBuilder(library, asked, question.limits, free, sign, uncertain, in_all_cases)
    try:
        case_programs = builder.programs()
        plans = [*chain.from_iterable(program.plans for program in case_programs)]
        ties = (*_ties(question, plans), *_domains(question, plans, in_all_cases=in_all_cases))
        if ties:
            case_programs = replace(builder, limits=[*question.limits, *ties]).programs()
        return tuple(case_programs)
    except NoExpression:
        return (sampled_program(library, asked, pick.profiles, question.limits, free, sign),)


def _ties(question: ChoiceQuestion, plans: Sequence[Plan]) -> Iterator[Constraint]:
    """The relations between what is free in a discrete choice and what else is given, as limits.

    Each is a tie, or two limits where only some case has the relation.
    """
    library = question.library
    for name in said_twice(library, question.typed, plans):
        relation = library.relations[name]
        written = relation.written
        if not relation.is_equation or question.ranges.keys().isdisjoint(names_in(written.lhs, written.rhs)):
            continue
        names = names_in(written.lhs, written.rhs, *relation.conditions)
        if _is_tied(library, relation, question.typed, plans):
            yield Constraint(name, written, relation, names)
            continue
        for op in ("<=", ">="):
            yield Constraint(
                name, Equation(written.lhs, op, written.rhs), relation, names, conditions=relation.conditions
            )


def _is_tied(library: RelationSet, relation: Relation, strong: Sequence[str], plans: Sequence[Plan]) -> bool:
    """Whether a relation ties what is given in a discrete choice: it holds in every case, and gives nothing new."""
    if relation.conditions:
        return False
    used = {*chain.from_iterable(plan.relations for plan in plans)}
    others = {other.name for other in library.conditional if other.name not in used}
    known = closure(structure_of(library, frozenset({relation.name, *others})), strong)
    return known.issuperset(library.members[relation.name])


def _domains(question: ChoiceQuestion, plans: Sequence[Plan], *, in_all_cases: bool) -> Iterator[Constraint]:
    """Domains, as limits of a discrete choice, of quantities that nobody asked for and that may leave them."""
    library = question.library
    for block in leaving_beside(library, question.typed, plans):
        yield from _of_its_form(library, block, limits_of_domain(library, block.unknowns[0]))
    for name in sorted(leaving_in_a_case(library, question.typed)) if in_all_cases else ():
        yield from limits_of_domain(library, name)


def _of_its_form(library: RelationSet, block: Block, limits: Sequence[Constraint]) -> Iterator[Constraint]:
    """The limits of a domain in a discrete choice; of a count, those of its form, which need not be whole."""
    form = only_form(library, block) if library.declared[block.unknowns[0]].is_count else None
    for limit in limits:
        if form is None:
            yield limit
        else:
            yield replace(limit, written=replace(limit.written, lhs=form), names=names_in(form))


def put_back(choice: SearchedChoice) -> tuple[SearchedChoice, Answer]:
    """A discrete choice with the answer at its best point; the question's limits are among the answer's checks.

    Where a limit, the end of a domain or a jump decides, the point's own rounding may lie beyond it; a neighbour then
    counts, with the value that it has itself.
    """
    choice = _within_exact_limits(choice)
    try:
        return choice, _answer_at(choice)
    except LimitError:
        raise
    except DeriveError as error:
        confirmed = _neighbour(choice)
        if confirmed is None and isinstance(error, VerificationError):
            confirmed = _at_its_own_value(choice)
        if confirmed is None:
            raise
        return confirmed


def _within_exact_limits(choice: SearchedChoice) -> SearchedChoice:
    """A discrete choice whose best point keeps to each limit exactly, or lies beside a point that does and is as good.

    A limit holds up to rounding, which is a small share of its terms. But where its sides only touch, as `x**2 + 1` and
    `2*x` do at 1, that share spans a millionth of x. There a point nearby counts that keeps to it, with the value that
    it has itself; where none is known, the bound proves nothing of the value.
    """
    best, programs = choice.best, [program for program in choice.programs if _is_met(program, choice.best.at)]
    if not programs or any(_is_met(program, best.at, exactly=True) for program in programs):
        return choice
    good_enough = best.value + tolerated(best.value, best.blur, EXTREME)
    kept: tuple[float, tuple[float, ...]] | None = None
    for program in programs:
        for point in chain(neighbours(program, best.at), shortened(program, best.at)):
            if not _is_met(program, point, exactly=True):
                continue
            goal = program.at(point)
            if goal <= good_enough:
                return choice
            if goal < math.inf and (kept is None or goal < kept[0]):
                kept = goal, point
    if kept is None:
        return replace(choice, best=replace(best, floor=-math.inf))
    return replace(choice, best=replace(best, value=kept[0], at=kept[1]))


def _is_met(program: Program, point: tuple[float, ...], *, exactly: bool = False) -> bool:
    """Whether a point of a discrete choice keeps to the limits of a program, up to rounding or exactly.

    What is solved for, tied or an estimate has no exact numbers, and keeps to them as far as can be told.
    """
    numbers = program.numbers(point)
    if numbers is None or not program.holds_at(numbers):
        return False
    if not exactly or program.solved is not None or program.zeros or program.ties:
        return True
    tests = (limit for limit in program.limits if not limit.approximate and limit.written.op != "=")
    applying = (limit for limit in tests if limit.guard is None or holds(limit.guard, numbers))
    decimals = {**numbers, **{name: rational.written(numbers[name]) for name in program.names}}
    return all(_holds_exactly(limit.written, decimals) for limit in applying)


def _holds_exactly(written: Equation, numbers: Mapping[str, float]) -> bool:
    """Whether a limit of a discrete choice holds by the exact decimals of numbers, or as far as can be told."""
    excess = exactly_computed(difference_of(written), numbers)
    if excess is None:
        return truth(Apply(COMPARISONS[written.op], written.sides), numbers) is not False
    return excess <= 0 if written.op == "<=" else excess >= 0


def _neighbour(choice: SearchedChoice) -> tuple[SearchedChoice, Answer] | None:
    """A discrete choice moved to a neighbour of its best point, with the answer that holds there.

    It is the nearest neighbour that is as good, else the best of them.
    """
    best: tuple[SearchedChoice, Answer] | None = None
    good_enough = choice.best.value + tolerated(choice.best.value, choice.best.blur, EXTREME)
    program = choice.programs[0]
    for point in chain(neighbours(program, choice.best.at), shortened(program, choice.best.at)):
        with suppress(DeriveError):
            moved = replace(choice, best=replace(choice.best, at=point))
            moved, answer = _with_its_value(moved, _answer_at(moved))
            if best is None or moved.best.value < best[0].best.value:
                best = moved, answer
            if moved.best.value <= good_enough:
                break
    return best


def _at_its_own_value(choice: SearchedChoice) -> tuple[SearchedChoice, Answer] | None:
    """A discrete choice with the value of its answer at the best point; None if that lies beyond the bound.

    The bound then is false. Rounding decides otherwise than the solver in `ceil((d + 1) - d)`, which is 2 for some d in
    doubles.
    """
    with suppress(DeriveError):
        valued, answer = _with_its_value(choice, _answer_at(choice, is_any=True))
        if valued.best.value >= choice.best.floor - tolerated(choice.best.floor, choice.best.blur, EXTREME):
            return valued, answer
    return None


def _with_its_value(choice: SearchedChoice, answer: Answer) -> tuple[SearchedChoice, Answer]:
    """A discrete choice with the value of its answer in place of the one that was searched."""
    assert answer.base is not None
    return replace(choice, best=replace(choice.best, value=answer.base * choice.question.sign)), answer


def _answer_at(choice: SearchedChoice, *, is_any: bool = False) -> Answer:
    """The answer at the best point of a discrete choice; refused if a limit fails.

    Unless `is_any`, it is refused too if the search found another value.
    """
    question, given = choice.question, choice.values
    answers = answers_at(question.library, question.target, choice.pick.profiles, given)
    expected = choice.best.value * question.sign
    nearest = min(answers, key=lambda answer: abs((answer.base or 0.0) - expected))
    answer = nearest if len(answers) == 1 else _as_one_of_several(nearest, len(answers))
    if not is_any and not _is_reached(choice, answer.base or 0.0):
        raise _unconfirmed(question.target, answer, expected)
    applied = {limit.name: limit for limit in limits_of(choice.programs) if limit.relation is not None}
    best_point = _BestPoint(choice, given, answer)
    answered = {check.name for check in answer.checks}
    pending = [limit for limit in question.limits if limit.name in applied and limit.name not in answered]
    tested = [best_point.check(limit) for limit in pending]
    checks = [
        check if check.passed or check.name not in applied else best_point.checked_again(check)
        for check in (*answer.checks, *tested)
    ]
    broken = [check for check in checks if check.name in applied and not check.passed]
    if broken and any(map(math.isnan, broken[0].numbers.values())):
        raise _untested(broken[0], expected)
    if broken:
        raise _unconfirmed(f"{question.target} under {broken[0].name}", answer, expected)
    in_limits = {*chain.from_iterable(names_in(limit.written.lhs, limit.written.rhs) for limit in applied.values())}
    unused = tuple(name for name in answer.unused if name not in in_limits)
    return replace(answer, checks=tuple(checks), unused=unused)


@dataclass(frozen=True)
class _BestPoint:
    """The best point of a choice, with the answer there, on which limits are tested."""

    choice: SearchedChoice
    given: Mapping[str, Value]
    answer: Answer

    def check(self, limit: Constraint) -> Check:
        """The test, at a discrete choice's best point, of a limit that the answer there does not test by itself."""
        values = {name: value.base[1] for name, value in limit.values.items()}
        values |= self._numbers(limit.names)
        if not all(holds(condition, values) for condition in limit.conditions):
            return Check(limit.name, limit.name, 0.0, passed=True, tested=limit.relation, numbers=values)
        gap, passed = residual(limit.written, values), agrees(limit.written, values)
        return Check(limit.name, limit.name, gap, passed, tested=limit.relation, numbers=values)

    def checked_again(self, check: Check) -> Check:
        """A check that failed at a discrete choice's best point, passed if its sides differ by rounding only.

        That is the rounding of all that the sides are made of: a quantity that is nearly zero may be a difference of
        large ones, and what it lacks then is their rounding. And where several solutions have one value of the target,
        the answer is of the first, and the limit may hold of another.
        """
        for program in self.choice.programs:
            numbers = program.numbers(self.choice.best.at)
            if numbers is None or not program.holds_at(numbers):
                continue
            for i, limit in enumerate(program.limits):
                if limit.name != check.name or limit.relation is None:
                    continue
                written = limit.relation.written
                names = names_in(written.lhs, written.rhs)
                declared = self.choice.question.library.declared
                stated = {name: program.known[name] for name in names if name not in declared}
                values = {**stated, **self._numbers(name for name in names if name not in stated)}
                excess = value(written.lhs, values) - value(written.rhs, values)
                if program.solved is not None or abs(excess) <= _rounding_of(program, numbers, i):
                    return replace(check, gap=residual(limit.written, numbers), passed=True, verdict="", brief="")
        return check

    def _numbers(self, names: Iterable[str]) -> dict[str, float]:
        """The numbers of quantities at a discrete choice's best point: of the answer there, or of further ones."""
        steps = chain.from_iterable(step.together or (step,) for step in self.answer.steps)
        results = {step.quantity: step.result[0] for step in steps if step.result is not None}
        known = {name: low for name, (low, high) in results.items() if low == high}
        if self.answer.base is not None:
            known[self.answer.quantity.name] = self.answer.base
        values = {}
        for name in names:
            number = known.get(name)
            if number is None:
                number = quantity_at(self.choice.question.library, name, self.choice.pick.profiles, self.given)
            values[name] = math.nan if number is None else number
        return values


def _rounding_of(program: Program, numbers: Mapping[str, float], place: int) -> float:
    """By how much rounding may move a limit of a program at a discrete choice's best point."""
    return Points(program).blur([numbers[name] for name in program.names], place + 1)


def answers_at(library: RelationSet, target: str, profiles: Sequence[Any], given: Mapping[str, Value]) -> list[Answer]:
    """The answers with a number to a discrete choice's question at its best point; without any, the solver's error."""
    try:
        return [solve(library, target, tuple(profiles), given)]
    except AmbiguousError as error:
        answers = [answer for answer in error.answers if answer.base is not None]
        if not answers:
            raise
        return answers


def _as_one_of_several(answer: Answer, count: int) -> Answer:
    """The answer at a discrete choice's best point, with a note that the question has several there."""
    name = answer.quantity.name
    note = Assumption(f"{name} has {count} admissible values at this choice; this is the best that the limits allow")
    return replace(answer, stated_assumptions=(*answer.stated_assumptions, note))


def _is_reached(choice: SearchedChoice, number: float) -> bool:
    """Whether the answer at a discrete choice's best point is the goal that was found, but for rounding."""
    expected = choice.best.value * choice.question.sign
    if math.isclose(number, expected, rel_tol=AGREEMENT):
        return True
    for program in choice.programs:
        values = program.numbers(choice.best.at)
        if values is None:
            continue
        if abs(residual(Equation(program.plain, "=", Number(Fraction(number))), values)) <= AGREEMENT:
            return True
        if abs(number - expected) <= AGREEMENT * program.change_by_one_count(values):
            return True
    return abs(number - expected) <= choice.best.blur


def _untested(check: Check, expected: float) -> LimitError:
    """The error where a limit contains what nothing determines at a discrete choice's best point."""
    names = ", ".join(name for name, number in check.numbers.items() if math.isnan(number))
    return LimitError(
        f"The best point was found at {expected:.12g}, where {check.name} is not tested: {names} has no one value.",
        hint=f"Give {names}, or leave that point out of the choice.",
        limit="limits at the best point",
    )


def _unconfirmed(what: str, answer: Answer, expected: float) -> VerificationError:
    """The error where the answer at a discrete choice's best point does not confirm what the search found."""
    return VerificationError(
        f"{what}: the best point was found at {expected:.12g}, and its answer is {answer.base}.",
        hint="This is a bug in derive: report the question.",
        relation=answer.quantity.name,
        residual=math.inf,
    )
