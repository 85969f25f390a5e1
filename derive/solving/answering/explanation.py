"""From a solved state to an answer with steps, sources and checks.

A step is a relation as stated, rearranged, with numbers put in, and evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from derive.expressions.tree import Apply, Equation, Name, Node, names_in, render, walk
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import arms
from derive.numerics.algebra.products import positive_first
from derive.numerics.intervals.enclosure import Span
from derive.planning.dependency_graph import RelationBlock
from derive.planning.incidence import structure_of
from derive.planning.networks import reached
from derive.planning.plan import Block, Plan
from derive.presentation.numbers import filled, shown_number, shown_result
from derive.solving.answering.notes import lost_digits, neglected
from derive.solving.answering.roles_of_givens import Roles
from derive.solving.execution.answer import Answer, Assumption, Check, Course, Lineage, Stage, Step
from derive.solving.execution.block_execution import State, block_states, outcome_of
from derive.solving.execution.checks import AnswerChecks, extended
from derive.solving.execution.plan_states import is_of_proof, proof_of
from derive.solving.ranges.exact_pieces import EXACT_PIECE, EXACT_PIECES
from derive.solving.ranges.range_propagation import WIDE, leaves_domain, ranges_of, spread
from derive.solving.ranges.solution_path import along, hangs_on_what_cancels
from derive.solving.ranges.steady_conditions import unsteady
from derive.solving.sensitivity.elasticities import (
    bounds_of_form,
    bounds_sampled,
    composed,
    degree,
    eased,
    is_monotone,
    slopes,
)
from derive.tolerances import AGREEMENT, TIGHT
from quantities.value import Value

if TYPE_CHECKING:
    from derive.solving.execution.question import Question
    from quantities.declaration import Declaration
    from quantities.units import Unit

__all__ = ["Explanation", "steps_of"]

_OVER_ALL = ("bounds contain every value", "bounds found by")
"""How a state tells that its interval is that of all ranges."""

_IN_THE_MIDDLE = "bounds are those in the middle of the ranges"
_BRIEF = 4  # digits of a number in a remark
_CHOOSING = ("max", "min", "piecewise", "abs")
_STEP = 1e-5  # relative step of central differences: near the cube root of the rounding unit, which leaves ten digits


@dataclass(frozen=True)
class Explanation:
    """What led from a question to one state of its plan, and what else is known of that; part by part, on demand."""

    library: RelationSet
    question: Question
    plan: Plan
    state: State
    left_out: Mapping[str, str]
    is_alone: bool = True
    """Whether it is the plan's only state."""

    def answer(self) -> Answer:
        """The answer of the state."""
        target, state = self.question.target, self.state
        bounds, how = self._bounds()
        notes = unsteady(self.library, self.question, self.plan, state, self.left_out, bounds)
        if state.pieces:
            notes = ()  # they hold in all cases
        if notes:
            how = _where_the_case_turns(how)
        checks, idle, gone = self._tested(bounds)
        return Answer(
            quantity=self.library.declared[target],
            base=None if target in state.spans else state.values[target],
            bounds=bounds,
            given=MappingProxyType(self.used),
            regime=MappingProxyType(self._regime()),
            stated_assumptions=(
                *self._assumptions(how),
                *(Assumption(note, "turning") for note in notes),
                *map(Assumption, gone),
                *(Assumption(text, "lost") for text in lost_digits(self.plan, state)),
            ),
            sources=tuple(dict.fromkeys(value.source for value in self.used.values())),
            quantities=self._quantities,
            checks=checks,
            unused=idle,
            _steps=cache(self._steps),
            _form=lambda: self.form,
            _elasticities=cache(self._elasticities),
            _neglected=cache(lambda: neglected(self.library, self.question, self.plan)),
            _course=cache(self._course),
            _acts_on=cache(lambda: self._roles.acts_on(idle)),
            _lineage=cache(self._lineage),
            _proof=cache(lambda: proof_of(self.library, self.question, self.plan, state)),
        )

    @cached_property
    def form(self) -> Node | None:
        """The closed form in terms of the givens that the answer depends on, if there is one."""
        whole = composed(self.question.target, self.state.forms)
        return None if whole is None or not self.used.keys() >= {*names_in(whole)} else whole

    @cached_property
    def used(self) -> dict[str, Value]:
        """The values that the answer depends on, in the order in which they were stated."""
        relations = [self.library.relations[name] for name in self.plan.relations]
        needed = {self.question.target}.union(*(relation.declared for relation in relations))
        if not all(relation.is_equation for relation in relations):  # a limit compares what follows by others
            needed |= self._roles.acting(())
        return {name: value for name, value in self.question.in_use(self.plan).items() if name in needed}

    @cached_property
    def _roles(self) -> Roles:
        return Roles(self.library, self.question, self.plan, self.left_out)

    @cached_property
    def _quantities(self) -> Mapping[str, Declaration]:
        """All quantities in the plan's relations, in order of appearance."""
        found = {self.plan.target: self.library.declared[self.plan.target]}
        for name in self.plan.relations:
            found |= self.library.relations[name].declared
        return MappingProxyType(found)

    def _tested(self, bounds: Span | None) -> tuple[tuple[Check, ...], tuple[str, ...], tuple[str, ...]]:
        """The checks, the givens that are unused even there, and the definitions that were replaced."""
        whole = extended(self.library, self.plan, self.state)
        possible = AnswerChecks(self.library, self.question, self.plan, whole)
        checks = possible.all(bounds)
        gone = possible.replaced()
        tested = {*gone, *(check.name for check in checks)}
        idle = self._roles.unused(tested)
        if idle and (further := possible.of_idle(idle, tested)):
            checks += further
            tested |= {check.name for check in further}
            idle = self._roles.unused(tested)
        cancelling = self._roles.cancelling(tested, self.state.forms)
        silent = tuple(name for name in self.question.strong if name in cancelling or name in idle)
        return tuple(checks), silent, tuple(gone.values())

    def _steps(self) -> tuple[Step, ...]:
        steps = [steps_of(self.library, self.question, block, self.state) for block in self.plan.blocks]
        return tuple(step for parts in steps for step in parts)

    def _course(self) -> Course | None:
        """The stages of the plan with their closed forms; None if the target is only bounded."""
        library, question, state = self.library, self.question, self.state
        if question.target in state.spans:
            return None
        stages = []
        for block in self.plan.blocks:
            form = state.forms.get(block.unknowns[0]) if len(block.unknowns) == 1 else None
            if form is not None and state.values.keys() >= {*names_in(form)}:
                stages.append(Stage.isolated(block.unknowns[0], block.relations, form))
                continue
            needs = tuple(name for name in library.held_by(block.relations) if name not in block.unknowns)
            stages.append(Stage(block.unknowns, block.relations, needs))

        def again(stage: Stage, known: Mapping[str, float]) -> Mapping[str, float] | None:
            if all(math.isclose(known[name], state.values.get(name, math.nan), rel_tol=TIGHT) for name in stage.needs):
                return {name: state.values.get(name, math.nan) for name in stage.unknowns}  # this one of several
            if len(stage.relations) > len(stage.unknowns):
                return None  # a joint step, which eliminated what is not known here
            found = outcome_of(library, Block(stage.relations, stage.unknowns), known, question.hints).solutions
            return found[0].values if len(found) == 1 and not found[0].spans else None

        origins = {name: profile for name, profile in question.origins.items() if name not in question.strong}
        met = {question.target, *self.used, *(name for stage in stages for name in (*stage.needs, *stage.unknowns))}
        values = {name: number for name, number in state.values.items() if name in met}
        return Course(tuple(stages), values, origins, not self._is_of_one_arm, again)

    def computed_on_the_way(self) -> dict[str, float]:
        """The numbers that relations gave to other quantities than the target."""
        names = (name for block in self.plan.blocks for name in block.unknowns)
        values, spans = self.state.values, self.state.spans
        return {n: values[n] for n in names if n != self.question.target and n in values and n not in spans}

    def _lineage(self) -> Lineage:
        """The relations of the plan with the numbers of the state, and what was typed beside them."""
        question, state = self.question, self.state
        origins = {name: question.origins.get(name, "default") for name in self.used}
        origins |= {name: "given" for name in self.used if name in question.strong}
        beside = {name: value for name, value in question.strong.items() if name not in self.used}
        undecided = {name: [*self._undecided(name)] for name in self.plan.relations}
        return Lineage(
            blocks=tuple(map(self._with_what_a_limit_compares, self.plan.blocks)),
            numbers=state.numbers,
            spans=dict(state.spans),
            origins=origins,
            beside={name: (self.library.declared[name], value) for name, value in beside.items()},
            assumed={name: "; ".join(map(render, conditions)) for name, conditions in undecided.items() if conditions},
        )

    def _with_what_a_limit_compares(self, block: Block) -> RelationBlock:
        """A block's relations; a limit is joined by those that lead from the target to what it compares."""
        library = self.library
        spent = dict.fromkeys(block.relations)
        unknowns = dict.fromkeys(block.unknowns)
        known = {*self.question.strong, *self.plan.weak, self.question.target}
        for limit in block.relations:
            if library.relations[limit].is_equation:
                continue
            for name in library.members[limit]:
                if name not in known:
                    leading = self._roles.plan_of_its_own(name)
                    spent.update(dict.fromkeys(leading.relations))
                    unknowns.update(dict.fromkeys(leading.unknowns))
        return RelationBlock(tuple(library.relations[name] for name in spent), tuple(unknowns))

    @cached_property
    def _known(self) -> Set[str]:
        """What a condition may be decided by."""
        return self.state.known | self.question.weak.keys()

    def _undecided(self, name: str) -> Iterator[Node]:
        """The conditions of a relation that nothing known decides: that they hold is assumed."""
        for condition in self.library.relations[name].conditions:
            if not self._known >= {*names_in(condition)}:
                yield condition

    def _missing(self, condition: Node) -> tuple[str, ...]:
        """What is not known of a condition, down to what no definition gives."""
        writers = structure_of(self.library).writers

        def defined_by(name: str) -> Iterable[str]:
            return () if name in self._known else self.library.held_by(writers.get(name, ()))

        needed = reached(names_in(condition), defined_by)
        return tuple(name for name in needed if name not in self._known and name not in writers)

    def _regime(self) -> dict[str, str]:
        """The binding arm of each relation that contains a choice, unless the givens alone make the choice."""
        found = {}
        values, fixed = self.state.values, self.question.fixed(self.plan)
        for name in self.plan.relations:
            relation = self.library.relations[name]
            if not relation.chooses or not values.keys() >= {*relation.members}:
                continue
            sides = (relation.written.lhs, relation.written.rhs)
            binding = [arm for side in sides for arm in arms(side, values, fixed)]
            if binding:
                found[name] = "; ".join(dict.fromkeys(render(arm) for arm in binding))
        return found

    def _assumptions(self, how: str) -> tuple[Assumption, ...]:
        """What the answer takes for granted, and how its bounds are known."""
        relations = self.library.relations
        found = [
            Assumption(f"{name} is assumed to apply: {render(condition)}", "condition", name, self._missing(condition))
            for name in self.plan.relations
            for condition in self._undecided(name)
        ]
        for name in self.plan.relations:
            tolerance = relations[name].approximate
            if tolerance is not None:
                found.append(Assumption(f"{name} holds within {tolerance:.3g}"))
        for name, value in self.used.items():
            if name not in self.question.strong and _is_believed(value):
                found.append(Assumption(f"{name} = {value} is assumed: {value.source}", "value", name))
        found += map(Assumption, [*self._going_apart(), *self._beyond_what_was_seen()])
        written_for = structure_of(self.library).forward
        for name, why in self.left_out.items():
            if written_for.get(name, self.plan.target) in self._quantities:
                found.append(Assumption(f"{name} is left out: {why}"))
        found += (Assumption(note, "proved" if is_of_proof(note) else "note") for note in self.state.notes)
        if how:
            found.append(Assumption(how, "bounds"))
        return tuple(dict.fromkeys(found))

    def _beyond_what_was_seen(self) -> Iterator[str]:
        """Numbers in the derivation, typed or computed, that no known source reports."""
        for name in self._quantities:
            declared, number = self.library.declared[name], self.state.values.get(name)
            if declared.seen is None or name in self.question.weak or number is None:
                continue
            beyond = declared.seen.beyond(number)
            if beyond:
                yield f"{name} = {shown_number(number, declared.unit, _BRIEF)} is {beyond}"

    def _going_apart(self) -> Iterator[str]:
        """Values in use whose profile assumes another value of some quantity than the one here."""
        for name in self.used:
            profile, others = self.question.goes_with.get(name, ("", {}))
            for other, value in others.items():
                declared = self.library.declared.get(other)
                here = self.state.values.get(other, self.question.stated_numbers.get(other))
                if declared is None or here is None:
                    continue
                if abs(here - value.base[1]) > AGREEMENT * abs(here):
                    shown = shown_number(here, declared.unit)
                    yield f"{name} of {profile} goes with {other} = {value}, which is {shown} here"

    def _bounds(self) -> tuple[Span | None, str]:
        """The bounds of the target over the ranged givens, and how they are known."""
        library, question, made, state = self.library, self.question, self.plan, self.state
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
        if self.form is not None and target in state.values and self._holds_throughout(ranges):
            return self._bounds_of_form(self.form, ranges)
        if made.is_joint:
            bounds = state.spans.get(target)
            return bounds, "the ranges were taken at their middle" if bounds is None else _IN_THE_MIDDLE
        is_coupled = any(len(block.unknowns) > 1 for block in made.blocks)
        followed = along(library, made, state, ranges) if is_coupled or not self.is_alone else None
        found = followed or (spread(library, question, made) if self.is_alone else None)
        if found is not None and found[1].endswith(WIDE) and not is_coupled:
            found = along(library, made, state, ranges) or found
        if found is not None:
            if found[1].endswith(WIDE) and followed is None:
                return found[0], f"{found[1]}, for this solution could not be followed through them"
            return found
        if target in state.spans:
            return state.spans[target], _IN_THE_MIDDLE
        if hangs_on_what_cancels(library, made, state):
            return None, "the ranges were taken at their middle"
        searched = bounds_sampled(self.target_at, ranges)
        return searched, "bounds were searched for along this solution, and are not proved"

    def _holds_throughout(self, ranges: Mapping[str, Span]) -> bool:
        """Whether the closed form holds throughout the ranges; of several solutions each has one of its own."""
        if self._is_of_one_arm:
            return False
        box = {**{name: (number, number) for name, number in self.state.values.items()}, **ranges}
        return not (self.is_alone and leaves_domain(self.library, self.plan.target, self.state.forms, box))

    def _bounds_of_form(self, form: Node, ranges: Mapping[str, Span]) -> tuple[Span, str]:
        """The bounds of the target by its closed form, which holds throughout the ranges."""
        values, domain = self.state.values, self.library.declared[self.plan.target].domain
        here = values[self.plan.target]
        felt = {name: span for name, span in ranges.items() if degree(form, {name: Fraction(1)}) != 0}
        if not is_monotone(form, values, felt):
            form = eased(form, values, felt, self.library.quantities)
        (low, high), how = bounds_of_form(form, values, felt)
        if low == high:
            low = high = here  # but for rounding: the ranges cancel
        low, high = min(low, here), max(high, here)  # rounding may leave it outside
        return (max(low, domain.low), min(high, domain.high)), how

    @cached_property
    def _is_of_one_arm(self) -> bool:
        """Whether the plan inverts a choice, so that the form holds only while its arm binds."""
        for block in self.plan.blocks:
            for name, relation in zip(block.unknowns, block.relations, strict=False):
                written = self.library.relations[relation].written
                for part in walk(written.lhs, written.rhs):
                    if isinstance(part, Apply) and part.op in _CHOOSING and name in names_in(part):
                        return True
        return False

    def target_at(self, moved: Mapping[str, float]) -> float | None:
        """The target at other given numbers, on the branch nearest to the state."""
        now = State({**self.question.start(self.plan), **moved})
        for block in self.plan.blocks:
            steps, _ = block_states(self.library, block, now)
            steps = [step for step in steps if not step.spans]
            if not steps:
                return None
            now = min(steps, key=lambda step: self._distance(step, block.unknowns))
        return now.values[self.question.target]

    def _distance(self, other: State, names: Iterable[str]) -> float:
        return sum(abs(other.values[name] - self.state.values[name]) for name in names)

    def _elasticities(self) -> Mapping[str, float]:
        """By how many percent the target changes with each value in use."""
        target, state = self.question.target, self.state
        if target in state.spans:
            return {}
        others = [name for name in self.used if name != target]
        if self.form is not None:
            exact = slopes(self.form, state.values)
            if exact.keys() >= {*names_in(self.form)}:
                return {name: exact.get(name, 0.0) for name in others}
        if hangs_on_what_cancels(self.library, self.plan, state):
            return {}
        found = {}
        at = state.values[target]
        for name in others:
            number = state.values[name]
            if not number or not at:
                continue
            up, down = (self.target_at({name: number + step}) for step in (_STEP * number, -_STEP * number))
            if up is not None and down is not None:
                found[name] = (up - down) / (2 * _STEP * at)
        return found


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


def _is_believed(value: Value) -> bool:
    """Whether a value is an assumption with a source of its own that is not a publication."""
    source = value.source
    return source.kind == "assumed" and bool(source.date or source.url or source.note)


def steps_of(library: RelationSet, question: Question, block: Block, state: State) -> list[Step]:
    """The steps of one block: a single one if several relations fix their unknowns only together."""
    parts = _parts(library, question, block, state)
    return [Step.joint(tuple(parts))] if len(parts) > 1 else parts


def _parts(library: RelationSet, question: Question, block: Block, state: State) -> list[Step]:
    """One step of a block for each unknown that it fixes."""
    written = [str(library.relations[relation].written) for relation in block.relations]
    found = []
    for i, name in enumerate(block.unknowns):
        form = _readable(name, state.forms.get(name), [library.relations[one].written for one in block.relations])
        result = state.spans[name] if name in state.spans else (state.values[name],) * 2
        rearranged = name if form is None else f"{name} = {render(form)}"
        if len(block.unknowns) == 1:
            relation, equation = ", ".join(block.relations), "; ".join(written)
        else:
            relation, equation = block.relations[i], written[i]
        stated = library.relations[block.relations[min(i, len(block.relations) - 1)]]
        worth = {} if form is None else _worth(form, library, question, state)
        exact = frozenset(other for other in worth if _is_stated(other, question, state))
        unit = library.declared[name].unit
        found.append(
            Step(
                relation=relation,
                equation=equation,
                rearranged=rearranged,
                numbers="" if form is None else filled(form, worth, exact),
                value=shown_result(result, unit),
                quantity=name,
                because=stated.because,
                stated=stated.written,
                form=form,
                worth=worth,
                exact=exact,
                result=(result, unit),
            )
        )
    return found


def _readable(name: str, form: Node | None, stated: Sequence[Equation]) -> Node | None:
    """A form as it is to be read: as it was stated, or else without needless minus signs."""
    if form is None or any(one.lhs == Name(name) and one.rhs == form for one in stated):
        return form
    return positive_first(form)


def _worth(form: Node, library: RelationSet, question: Question, state: State) -> dict[str, tuple[float, Unit]]:
    """The number and unit of each name in a form, as given or as computed."""
    found = {}
    for name in names_in(form):
        if name in state.spans:
            continue
        stated = question.strong.get(name) or question.weak.get(name)
        if stated is not None and _is_stated(name, question, state):
            found[name] = stated.number, stated.unit
        elif name in state.values:
            unit = library.declared[name].unit
            found[name] = unit.from_base(state.values[name]), unit
    return found


def _is_stated(name: str, question: Question, state: State) -> bool:
    """Whether a number was stated and not computed in a step."""
    return name in question.strong or (name in question.weak and name not in state.forms)
