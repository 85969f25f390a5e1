"""From a solved state to an answer with steps, sources and checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from derive.expressions.tree import Apply, Node, names_in, render, walk
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import arms
from derive.numerics.intervals.enclosure import Span
from derive.planning.dependency_graph import RelationBlock
from derive.planning.incidence import structure_of
from derive.planning.plan import Block
from derive.presentation.numbers import shown_number
from derive.solving.answering.lost_digits import lost_digits
from derive.solving.answering.neglected import neglected
from derive.solving.answering.roles_of_givens import acting, acts_on, cancelling, plan_of_its_own, unused
from derive.solving.answering.steps import steps_of
from derive.solving.execution.answer import Answer, Assumption, Check
from derive.solving.execution.block_execution import State, block_states, outcome_of
from derive.solving.execution.checks import checks_of, extended, idle_checks, replaced
from derive.solving.execution.course import Course, Stage
from derive.solving.execution.lineage import Lineage
from derive.solving.execution.plan_states import is_of_proof
from derive.solving.execution.proving import proof_of
from derive.solving.ranges.exact_pieces import EXACT_PIECE, EXACT_PIECES
from derive.solving.ranges.range_propagation import WIDE, leaves_domain, ranges_of, spread
from derive.solving.ranges.solution_path import along, hangs_on_what_cancels
from derive.solving.ranges.steady_conditions import unsteady
from derive.solving.sensitivity.box_simplification import eased, is_monotone
from derive.solving.sensitivity.elasticities import bounds_of_form, bounds_sampled, composed, slopes
from derive.solving.sensitivity.homogeneity import degree
from derive.tolerances import AGREEMENT, TIGHT
from quantities.value import Value

if TYPE_CHECKING:
    from derive.planning.plan import Plan
    from derive.solving.execution.question import Question
    from quantities.declaration import Declaration

__all__ = ["answer_of", "target_at"]

_OVER_ALL = (
    "bounds contain every value",
    "bounds found by",
)  # how a state tells that its interval is that of all ranges
_IN_THE_MIDDLE = "bounds are those in the middle of the ranges"
_BRIEF = 4  # digits of a number in a remark
_STEP = 1e-5  # relative step of central differences: near the cube root of the rounding unit, which leaves ten digits


def answer_of(
    library: RelationSet, question: Question, made: Plan, state: State, left_out: Mapping[str, str], alone: bool = True
) -> Answer:
    """The answer of one state; `alone` says whether it is the plan's only state."""
    target = question.target
    used = _used(library, question, made, left_out)

    @cache
    def form() -> Node | None:
        """The closed form in terms of the givens that the answer depends on, if there is one."""
        whole = composed(target, state.forms)
        return None if whole is None or not used.keys() >= set(names_in(whole)) else whole

    bounds, how = _bounds(library, question, made, state, form, alone)
    turning = [Assumption(note, "turning") for note in unsteady(library, question, made, state, left_out, bounds)]
    if state.pieces:
        turning = []  # they hold in all cases
    if turning:
        how = _where_the_case_turns(how)
    checks, idle, gone = _tested(library, question, made, state, left_out, bounds)
    return Answer(
        quantity=library.declared[target],
        base=None if target in state.spans else state.values[target],
        bounds=bounds,
        given=MappingProxyType(used),
        regime=MappingProxyType(_regime(library, question, made, state)),
        stated_assumptions=(
            *_assumptions(library, question, made, state, left_out, used, how),
            *turning,
            *map(Assumption, gone),
            *(Assumption(text, "lost") for text in lost_digits(made, state)),
        ),
        sources=tuple(dict.fromkeys(value.source for value in used.values())),
        quantities=_spoken_of(library, made),
        checks=checks,
        unused=idle,
        _steps=cache(
            lambda: tuple(step for block in made.blocks for step in steps_of(library, question, block, state))
        ),
        _form=form,
        _elasticities=cache(lambda: _elasticities(library, question, made, state, form(), used)),
        _neglected=cache(lambda: neglected(library, question, made)),
        _course=cache(lambda: _course(library, question, made, state, used)),
        _acts_on=cache(lambda: acts_on(library, question, left_out, idle)),
        _lineage=cache(lambda: _lineage(library, question, made, state, left_out, used)),
        _proof=cache(lambda: proof_of(library, question, made, state)),
    )


def _where_the_case_turns(how: str) -> str:
    """How bounds are known over ranges throughout which their case does not hold: no better than before."""
    if not how or "not proved" in how:
        return how
    if "along this solution" in how:
        return (
            "bounds contain every value along this solution; they may be too wide, as its case does not hold "
            "throughout the ranges; elsewhere in the ranges there may be others"
        )
    return "bounds contain every value in this case; they may be too wide, as it does not hold throughout the ranges"


def _tested(
    library: RelationSet, question: Question, made: Plan, state: State, left_out: Mapping[str, str], bounds: Span | None
) -> tuple[tuple[Check, ...], tuple[str, ...], tuple[str, ...]]:
    """The checks, the givens that are unused even there, and the definitions that were replaced."""
    whole = extended(library, made, state)
    checks = checks_of(library, question, made, whole, bounds)
    gone = replaced(library, question, made, whole)
    tested = {*gone, *(check.name for check in checks)}
    idle = unused(library, question, made, left_out, tested)
    if idle and (further := idle_checks(library, question, made, whole, idle, tested)):
        checks += further
        tested |= {check.name for check in further}
        idle = unused(library, question, made, left_out, tested)
    gone_out = cancelling(library, question, made, left_out, tested, state.forms)
    silent = tuple(name for name in question.strong if name in gone_out or name in idle)
    return tuple(checks), silent, tuple(gone.values())


def _used(library: RelationSet, question: Question, made: Plan, left_out: Mapping[str, str]) -> dict[str, Value]:
    """The values that the answer depends on, in the order in which they were stated."""
    needed = {question.target}
    spent = [library.relations[name] for block in made.blocks for name in block.relations]
    for relation in spent:
        needed.update(relation.declared)
    if not all(relation.is_equation for relation in spent):  # a limit compares what follows by other relations
        needed |= acting(library, question, made, left_out, ())
    stated = {**question.strong, **{name: question.weak[name] for name in made.weak}}
    return {name: value for name, value in stated.items() if name in needed}


def _course(
    library: RelationSet, question: Question, made: Plan, state: State, used: Mapping[str, Value]
) -> Course | None:
    """The stages of the plan with their closed forms; None if the target is only bounded."""
    if question.target in state.spans:
        return None
    stages = []
    for block in made.blocks:
        form = state.forms.get(block.unknowns[0]) if len(block.unknowns) == 1 else None
        if form is not None and state.values.keys() >= {*names_in(form)}:
            stages.append(Stage.isolated(block.unknowns[0], block.relations, form))
            continue
        held = dict.fromkeys(name for relation in block.relations for name in library.members[relation])
        needs = tuple(name for name in held if name not in block.unknowns)
        stages.append(Stage(block.unknowns, block.relations, needs))

    def again(stage: Stage, known: Mapping[str, float]) -> Mapping[str, float] | None:
        if all(math.isclose(known[name], state.values.get(name, math.nan), rel_tol=TIGHT) for name in stage.needs):
            return {name: state.values.get(name, math.nan) for name in stage.unknowns}  # this one of several solutions
        if len(stage.relations) > len(stage.unknowns):
            return None  # a joint step, which eliminated what is not known here
        found = outcome_of(library, Block(stage.relations, stage.unknowns), known, question.hints).solutions
        return found[0].values if len(found) == 1 and not found[0].spans else None

    origins = {name: profile for name, profile in question.origins.items() if name not in question.strong}
    met = {question.target, *used, *(name for stage in stages for name in (*stage.needs, *stage.unknowns))}
    values = {name: number for name, number in state.values.items() if name in met}
    return Course(tuple(stages), values, origins, not _chosen_arm(library, made, state), again)


def _lineage(
    library: RelationSet,
    question: Question,
    made: Plan,
    state: State,
    left_out: Mapping[str, str],
    used: Mapping[str, Value],
) -> Lineage:
    """The relations of the plan with the numbers of the state, and what was typed beside them."""
    blocks = tuple(_with_what_a_limit_compares(library, question, made, left_out, block) for block in made.blocks)
    origins = {name: question.origins.get(name, "default") for name in used}
    origins |= {name: "given" for name in used if name in question.strong}
    beside = {name: value for name, value in question.strong.items() if name not in used}
    everything = state.values.keys() | state.spans.keys() | state.asides.keys() | question.weak.keys()
    undecided = {
        name: tuple(_undecided(library, name, everything)) for block in made.blocks for name in block.relations
    }
    return Lineage(
        blocks=blocks,
        numbers={**state.asides, **state.values},
        spans=dict(state.spans),
        origins=origins,
        beside={name: (library.declared[name], value) for name, value in beside.items()},
        assumed={name: "; ".join(map(render, conditions)) for name, conditions in undecided.items() if conditions},
    )


def _with_what_a_limit_compares(
    library: RelationSet, question: Question, made: Plan, left_out: Mapping[str, str], block: Block
) -> RelationBlock:
    """A block's relations; a limit is joined by those that lead from the target to what it compares."""
    spent = dict.fromkeys(block.relations)
    unknowns = dict.fromkeys(block.unknowns)
    known = {*question.strong, *made.weak, question.target}
    for limit in block.relations:
        if library.relations[limit].is_equation:
            continue
        for name in library.members[limit]:
            leading = () if name in known else plan_of_its_own(library, question, left_out, name).blocks
            for one in leading:
                spent.update(dict.fromkeys(one.relations))
                unknowns.update(dict.fromkeys(one.unknowns))
    return RelationBlock(tuple(library.relations[name] for name in spent), tuple(unknowns))


def _undecided(library: RelationSet, name: str, known: Container[str]) -> Iterator[Node]:
    """The conditions of a relation that nothing known decides: that they hold is assumed."""
    for condition in library.relations[name].conditions:
        if not all(other in known for other in names_in(condition)):
            yield condition


def _spoken_of(library: RelationSet, made: Plan) -> Mapping[str, Declaration]:
    """All quantities in the plan's relations, in order of appearance."""
    found = {made.target: library.declared[made.target]}
    for relation in (name for block in made.blocks for name in block.relations):
        found |= library.relations[relation].declared
    return MappingProxyType(found)


def _regime(library: RelationSet, question: Question, made: Plan, state: State) -> dict[str, str]:
    """The binding arm of each relation that contains a choice, unless the givens alone make the choice."""
    found = {}
    fixed = question.fixed(made.weak)
    for block in made.blocks:
        for name in block.relations:
            relation = library.relations[name]
            if not relation.chooses or not all(other in state.values for other in library.members[name]):
                continue
            written = relation.written
            binding = [arm for side in (written.lhs, written.rhs) for arm in arms(side, state.values, fixed)]
            if binding:
                found[name] = "; ".join(dict.fromkeys(render(arm) for arm in binding))
    return found


def _missing(library: RelationSet, condition: Node, known: Container[str]) -> tuple[str, ...]:
    """What is not known of a condition, down to what no definition gives."""
    forward = structure_of(library).forward
    missing: dict[str, None] = {}
    seen: set[str] = set()
    pending = list(names_in(condition))
    while pending:
        name = pending.pop(0)
        if name in seen or name in known:
            continue
        seen.add(name)
        definitions = [one for one, left in forward.items() if left == name]
        if not definitions:
            missing[name] = None
        for one in definitions:
            pending.extend(library.members[one])
    return tuple(missing)


def _assumptions(
    library: RelationSet,
    question: Question,
    made: Plan,
    state: State,
    left_out: Mapping[str, str],
    used: Mapping[str, Value],
    how: str,
) -> tuple[Assumption, ...]:
    spent = [relation for block in made.blocks for relation in block.relations]
    known = state.values.keys() | state.spans.keys() | state.asides.keys() | question.weak.keys()
    unknown = [
        Assumption(
            f"{name} is assumed to apply: {render(condition)}", "condition", name, _missing(library, condition, known)
        )
        for name in spent
        for condition in _undecided(library, name, known)
    ]
    near = [
        f"{name} holds within {tolerance:.3g}"
        for name in spent
        if (tolerance := library.relations[name].approximate) is not None
    ]
    spoken = _spoken_of(library, made)
    written_for = structure_of(library).forward
    aside = [
        f"{name} is left out: {why}"
        for name, why in left_out.items()
        if written_for.get(name, question.target) in spoken
    ]
    assumed = [
        Assumption(f"{name} = {value} is assumed: {value.source}", "value", name)
        for name, value in _believed(question, used)
    ]
    apart = _going_apart(library, question, state, used)
    unheard = _beyond_what_was_seen(library, question, state, spoken)
    noted = [
        *map(Assumption, [*apart, *unheard, *aside]),
        *(Assumption(note, "proved" if is_of_proof(note) else "note") for note in state.notes),
    ]
    known_by = [Assumption(how, "bounds")] if how else []
    return tuple(dict.fromkeys([*unknown, *map(Assumption, near), *assumed, *noted, *known_by]))


def _beyond_what_was_seen(
    library: RelationSet, question: Question, state: State, spoken: Iterable[str]
) -> Iterator[str]:
    """Numbers in the derivation, typed or computed, that no known source reports."""
    for name in spoken:
        declared = library.declared[name]
        if declared.seen is None or name in question.weak or name not in state.values:
            continue
        beyond = declared.seen.beyond(state.values[name])
        if beyond:
            yield f"{name} = {shown_number(state.values[name], declared.unit, _BRIEF)} is {beyond}"


def _going_apart(library: RelationSet, question: Question, state: State, used: Mapping[str, Value]) -> Iterator[str]:
    """Values in use whose profile assumes another value of some quantity than the one here."""
    for name in used:
        profile, others = question.goes_with.get(name, ("", {}))
        for other, value in others.items():
            declared = library.declared.get(other)
            stated = question.strong.get(other) or question.weak.get(other)
            here = state.values.get(other, stated.base[1] if stated else None)
            if declared is None or here is None:
                continue
            if abs(here - value.base[1]) > AGREEMENT * abs(here):
                shown = shown_number(here, declared.unit)
                yield f"{name} of {profile} goes with {other} = {value}, which is {shown} here"


def _believed(question: Question, used: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """The assumptions among profile values: those with a source of their own that is not a publication."""
    found = []
    for name, value in used.items():
        source = value.source
        if name not in question.strong and source.kind == "assumed" and (source.date or source.url or source.note):
            found.append((name, value))
    return found


def _bounds(
    library: RelationSet, question: Question, made: Plan, state: State, formed: Callable[[], Node | None], alone: bool
) -> tuple[Span | None, str]:
    """The bounds of the target over the ranged givens, and how they are known."""
    ranges = ranges_of(library, question, made)
    target = question.target
    if target in ranges:
        return ranges[target], ""
    if state.pieces:
        (low, _), (_, high) = state.pieces[0], state.pieces[-1]
        return (low, high), EXACT_PIECE if len(state.pieces) == 1 else EXACT_PIECES
    if not ranges or any(note.startswith(_OVER_ALL) for note in state.notes):
        return state.spans.get(target), ""
    domain = library.declared[target].domain
    if state.is_free or state.spans.get(target) == (domain.low, domain.high):  # ranges do not bind it
        return state.spans[target], ""
    form = formed()
    box = {name: (number, number) for name, number in state.values.items()} | ranges
    whole = form is not None and target in state.values and not _chosen_arm(library, made, state)
    if form is not None and whole and not (alone and leaves_domain(library, target, state.forms, box)):
        felt = {name: span for name, span in ranges.items() if degree(form, {name: Fraction(1)}) != 0}
        if not is_monotone(form, state.values, felt):
            form = eased(form, state.values, felt, library.quantities)
        (low, high), how = bounds_of_form(form, state.values, felt)
        if low == high:
            low = high = state.values[target]  # but for rounding: the ranges cancel
        low, high = min(low, state.values[target]), max(high, state.values[target])  # rounding may leave it outside
        return (max(low, domain.low), min(high, domain.high)), how
    if any(len(block.relations) > len(block.unknowns) for block in made.blocks):  # one joint step, not a plan to run
        bounds = state.spans.get(target)
        return bounds, "the ranges were taken at their middle" if bounds is None else _IN_THE_MIDDLE
    coupled = any(len(block.unknowns) > 1 for block in made.blocks)
    followed = along(library, made, state, ranges) if coupled or not alone else None
    found = followed or (spread(library, question, made) if alone else None)
    if found is not None and found[1].endswith(WIDE) and not coupled:
        found = along(library, made, state, ranges) or found
    if found is not None:
        unfollowed = found[1].endswith(WIDE) and followed is None
        return (found[0], f"{found[1]}, for this solution could not be followed through them") if unfollowed else found
    if target in state.spans:
        return state.spans[target], _IN_THE_MIDDLE
    if hangs_on_what_cancels(library, made, state):
        return None, "the ranges were taken at their middle"
    searched = bounds_sampled(lambda moved: target_at(library, question, made, state, moved), ranges)
    return searched, "bounds were searched for along this solution, and are not proved"


def _chosen_arm(library: RelationSet, made: Plan, state: State) -> bool:
    """Whether the plan inverts a choice, so that the form holds only while its arm binds."""
    for block in made.blocks:
        for name, relation in zip(block.unknowns, block.relations, strict=False):
            written = library.relations[relation].written
            choice = any(
                isinstance(part, Apply) and part.op in ("max", "min", "piecewise", "abs") and name in names_in(part)
                for part in walk(written.lhs, written.rhs)
            )
            if choice:
                return True
    return False


def target_at(
    library: RelationSet, question: Question, made: Plan, state: State, moved: Mapping[str, float]
) -> float | None:
    """The target at other given numbers, on the branch nearest to the solution found."""
    given = {name: value.base[1] for name, value in question.strong.items()}
    given |= {name: question.weak[name].base[1] for name in made.weak}
    now = State({**given, **moved})
    for block in made.blocks:
        steps, _ = block_states(library, block, now)
        steps = [step for step in steps if not step.spans]
        if not steps:
            return None
        now = min(steps, key=lambda step: sum(abs(step.values[n] - state.values[n]) for n in block.unknowns))
    return now.values[question.target]


def _elasticities(
    library: RelationSet, question: Question, made: Plan, state: State, form: Node | None, used: Mapping[str, Value]
) -> Mapping[str, float]:
    if question.target in state.spans:
        return {}
    if form is not None:
        exact = slopes(form, state.values)
        if exact.keys() >= set(names_in(form)):
            return {name: exact.get(name, 0.0) for name in used if name != question.target}
    if hangs_on_what_cancels(library, made, state):
        return {}
    found = {}
    at = state.values[question.target]
    for name in used:
        number = state.values[name]
        if not number or not at or name == question.target:
            continue
        step = _STEP * number
        up = target_at(library, question, made, state, {name: number + step})
        down = target_at(library, question, made, state, {name: number - step})
        if up is not None and down is not None:
            found[name] = (up - down) / (2 * _STEP * at)
    return found
