"""The explanation of a candidate: the answer made of it, with bounds, steps, sources, assumptions and checks.

A step is a relation as stated, rearranged, with numbers put in, and evaluated.

Doubles keep nothing of a number that is too small for them, or that stands beside a pole: `exp(-1000)` is zero in
doubles and nowhere else, and the tangent of 1.5707963267948966 another number with another last digit. An answer that
rests on such a number says so.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from derive.certificates.proof import Proof
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in, render, walk
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import arms, is_configured, value
from derive.numerics.algebra.multiprecision import exactly, sign_of_gap
from derive.numerics.algebra.products import positive_first
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span
from derive.planning.dependency_graph import RelationBlock
from derive.planning.incidence import structure_of
from derive.planning.networks import reached
from derive.planning.plan import Block, Plan
from derive.presentation.numbers import filled, shown_number, shown_result
from derive.solving.answering.remarks import neglected
from derive.solving.answering.roles_of_givens import Roles
from derive.solving.assumptions import Assumption, Evidence
from derive.solving.blocks.closed_forms import slopes
from derive.solving.diagnosis.domains_beside import DomainsBeside
from derive.solving.execution.answer import Answer, Check, Course, Lineage, Stage, Step
from derive.solving.execution.block_execution import State, outcome_of
from derive.solving.execution.case_claims import conditions_of
from derive.solving.execution.checks import AnswerChecks, extended
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.plan_states import PlanResult, proof_of
from derive.solving.execution.question import NO_CASE
from derive.solving.ranges.bounds import Bounds, SolutionBranch, conditions_that_may_change
from derive.tolerances import AGREEMENT, CORNER, EPSILON, SAME_ROOT, TIGHT, VANISHED, WORTH_TELLING
from quantities.rational import exact_of
from quantities.value import Value

if TYPE_CHECKING:
    from derive.solving.answering.candidates import Candidates
    from derive.solving.execution.question import Question
    from quantities.declaration import Declaration
    from quantities.units import Unit

_BRIEF_DIGITS = 4  # digits of a number in a remark
_WITH_POLES = ("tan", "sin", "cos")
_ZERO = Number(Fraction(0))
_STEP = 1e-5  # relative step of central differences: near the cube root of the rounding unit, which leaves ten digits


@dataclass(frozen=True)
class Explanation:
    """The explanation of one candidate state: all that its answer says of it, part by part, on demand."""

    candidates: Candidates
    library: RelationSet  # of the relations that the result uses
    result: PlanResult
    state: State

    @property
    def question(self) -> Question:
        return self.candidates.question

    @property
    def plan(self) -> Plan:
        return self.result.plan

    @property
    def _number(self) -> float | None:
        """The number that the explanation is of, in base units; None if the candidate only bounds the target."""
        target = self.question.target
        return None if target in self.state.spans else self.state.values[target]

    @cached_property
    def branch(self) -> SolutionBranch:
        """The candidate as a solution branch, which its explanation follows around the middle of the ranges."""
        return SolutionBranch(self.library, self.question, self.result, self.state)

    def answer(self) -> Answer:
        """The answer that explains the state: bounds, notes and checks at once, steps and the rest on demand."""
        target, state = self.question.target, self.state
        bounds, notes = self._bounds_and_notes()
        checks, unused, replaced = self._checks_and_unused(bounds.ends)
        cut = self._cut(bounds)
        has_no_middle = self._is_middle_cut_away(bounds, cut)
        further = [Assumption(note, "turning") for note in notes]
        further += map(Assumption, replaced)
        further += (Assumption(text, "lost") for text in _lost_digits(self.plan, state))
        if has_no_middle:
            further.append(Assumption("it has no value in the middle of the ranges"))
        if self.result.is_assumed_away:
            further.append(Assumption("another answer assumes that this is not the case", "away"))
        given = {**self.used, **self._deciding}
        return Answer(
            quantity=self.library.declared[target],
            base=None if has_no_middle else self._number,
            bounds=cut.ends,
            given=MappingProxyType(given),
            regime=MappingProxyType({**self._regime(), **self._arms()}),
            stated_assumptions=(*self._assumptions(cut.how), *further),
            sources=tuple(dict.fromkeys(value.source for value in given.values())),
            quantities=self._quantities,
            checks=checks,
            unused=unused,
            _steps=tuple if has_no_middle else cache(self._steps),
            _form=lambda: self.branch.form,
            _elasticities=cache(self._elasticities),
            _neglected=cache(lambda: neglected(self.library, self.question, self.plan)),
            _course=cache(lambda: self._course(bounds.ends)),
            _acts_on=cache(lambda: self._roles.acts_on(unused)),
            _lineage=cache(lambda: self._lineage(with_numbers=not has_no_middle)),
            _proof=cache(self._proof),
        )

    def _bounds_and_notes(self) -> tuple[Bounds, tuple[str, ...]]:
        """The bounds in an explanation, and its notes on conditions that may change within the ranges."""
        bounds = self.branch.bounds()
        if self.state.pieces:
            return bounds, ()  # the pieces are values over all cases
        notes = conditions_that_may_change(self.branch, bounds.ends)
        return (bounds.where_case_may_fail() if notes else bounds), notes

    def _cut(self, bounds: Bounds) -> Bounds:
        """The bounds in an explanation, cut to what the case and other quantities leave of them."""
        branch = self.branch
        if not self.candidates.is_exact and not self.state.is_free:
            bounds = branch.cut_to_case(bounds)
        return branch.without_unreached(branch.cut_to_limits(bounds))

    def _is_middle_cut_away(self, bounds: Bounds, cut: Bounds) -> bool:
        """Whether the number in an explanation lies outside its own bounds: its case holds elsewhere only."""
        if self._number is None or cut.ends is None or cut.ends == bounds.ends:
            return False
        return not lies_in((self._number, self._number), cut.ends, SAME_ROOT)

    def _proof(self) -> Proof | None:
        """The proof in the explanation of a candidate; None if there is none, or if a candidate is that of a case."""
        if any(result.case != NO_CASE for _, result in self.candidates.answers):  # a case is no part of a proof
            return None
        return proof_of(self.library, self.question, self.plan, self.state)

    @cached_property
    def used(self) -> dict[str, Value]:
        """The given and weak values in an explanation of an answer, in the order in which they were stated."""
        relations = [self.library.relations[name] for name in self.plan.relations]
        needed = {self.question.target}.union(*(relation.declared for relation in relations))
        if not all(relation.is_equation for relation in relations):  # a limit compares what follows by other relations
            needed |= self._roles.acting((), with_weak=True)
        return {name: value for name, value in self.question.in_use(self.plan).items() if name in needed}

    @cached_property
    def _deciding(self) -> dict[str, Value]:
        """The given and weak values in an explanation that act by deciding that a relation of the plan applies.

        Fallbacks are none of these: nothing was said of their quantities.
        """
        library, question = self.library, self.question
        deciding = {*names_in(*conditions_of(library.relations[name] for name in self.plan.relations))}
        if deciding <= self.used.keys():
            return {}
        behind = frozenset[str]().union(*map(decisions_of(library, question).stated_behind, deciding))
        stated = {**question.weak, **question.strong}
        return {name: value for name, value in stated.items() if name in behind and not value.source.stands_in}

    @cached_property
    def _roles(self) -> Roles:
        return Roles(self.library, self.question, self.plan, self.result.left_out)

    @cached_property
    def _quantities(self) -> Mapping[str, Declaration]:
        """All quantities of an explanation: those in the relations of its plan, in order of appearance."""
        quantities = {self.plan.target: self.library.declared[self.plan.target]}
        for name in self.plan.relations:
            quantities |= self.library.relations[name].declared
        return MappingProxyType(quantities)

    def _checks_and_unused(self, bounds: Span | None) -> tuple[tuple[Check, ...], tuple[str, ...], tuple[str, ...]]:
        """The checks in an explanation, its unused givens, and a sentence for each replaced definition."""
        state = extended(self.library, self.plan, self.state)
        answer_checks = AnswerChecks(self.library, self.question, self.plan, state)
        checks = [*answer_checks.all(bounds), *DomainsBeside(answer_checks).checks()]
        replaced = answer_checks.replaced()
        tested = {*replaced, *(check.name for check in checks), *self._narrowing()}
        idle = self._roles.unused(tested)
        if idle and (further := answer_checks.of_idle(idle, tested)):
            checks += further
            tested |= {check.name for check in further}
            idle = self._roles.unused(tested)
        cancelling = self._roles.cancelling(tested, self.state.forms)
        unused = tuple(name for name in self.question.strong if name in cancelling or name in idle)
        return tuple(checks), unused, tuple(replaced.values())

    def _narrowing(self) -> Iterator[str]:
        """The relations beside the plan that narrow the interval of the target in an explanation."""
        target = self.question.target
        if target not in self.state.spans:
            return
        decisions = decisions_of(self.library, self.question)
        for name in self.library.holders.get(target, ()):
            relation = self.library.relations[name]
            is_known = self._known | {target} >= {*relation.members}
            if is_known and relation.is_equation and decisions.applies(relation) is True:
                yield name

    def _steps(self) -> tuple[Step, ...]:
        """The steps of an explanation: one for each block, joint for a block of several unknowns."""
        steps: list[Step] = []
        for block in self.plan.blocks:
            parts = tuple(self._step(block, place) for place in range(len(block.unknowns)))
            steps.append(Step.joint(parts) if len(parts) > 1 else parts[0])
        return tuple(steps)

    def _step(self, block: Block, place: int) -> Step:
        """The step of an explanation for one unknown of a block: relation, rearranged form, numbers and result."""
        state, name = self.state, block.unknowns[place]
        written = [self.library.relations[relation].written for relation in block.relations]
        form = _form_to_read(name, state.forms.get(name), written)
        result = state.spans[name] if name in state.spans else (state.values[name],) * 2
        if len(block.unknowns) == 1:
            relation, equation = ", ".join(block.relations), "; ".join(map(str, written))
        else:
            relation, equation = block.relations[place], str(written[place])
        stated = self.library.relations[block.relations[min(place, len(block.relations) - 1)]]
        worth = {} if form is None else self._numbers_put_in(form)
        exact = frozenset(filter(self._is_stated, worth))
        rearranged, numbers = name, ""
        if form is not None:
            rearranged, numbers = f"{name} = {render(form)}", filled(form, worth, exact)
        unit = self.library.declared[name].unit
        return Step(
            relation=relation,
            equation=equation,
            rearranged=rearranged,
            numbers=numbers,
            value=shown_result(result, unit),
            quantity=name,
            because=stated.because,
            stated=stated.written,
            form=form,
            worth=worth,
            exact=exact,
            result=(result, unit),
        )

    def _numbers_put_in(self, form: Node) -> dict[str, tuple[float, Unit]]:
        """The numbers, with units, that a step of the explanation puts into its form, as given or as computed."""
        numbers = {}
        for name in names_in(form):
            if name in self.state.spans:
                continue
            if self._is_stated(name):
                stated = self.question.values[name]
                numbers[name] = stated.number, stated.unit
            elif name in self.state.values:
                unit = self.library.declared[name].unit
                numbers[name] = unit.from_base(self.state.values[name]), unit
        return numbers

    def _is_stated(self, name: str) -> bool:
        """Whether a number in an explanation was stated and not computed in a step."""
        question = self.question
        return name in question.strong or (name in question.weak and name not in self.state.forms)

    def _course(self, ends: Span | None) -> Course | None:
        """The stages by which an explained answer is computed again; None if it is only bounded."""
        question, state = self.question, self.state
        if self._number is None:
            return None
        stages = [self._stage(block) for block in self.plan.blocks]
        names = {question.target, *self.used}.union(*((*stage.needs, *stage.unknowns) for stage in stages))
        return Course(
            stages=tuple(stages),
            values={name: number for name, number in state.values.items() if name in names},
            origins={name: profile for name, profile in question.origins.items() if name not in question.strong},
            holds_throughout=self.branch.has_one_form and not conditions_that_may_change(self.branch, ends),
            again=self._stage_at,
        )

    def _stage(self, block: Block) -> Stage:
        """The stage in an explanation that computes a block again: by its closed form, if it has one."""
        form = self.state.forms.get(block.unknowns[0]) if len(block.unknowns) == 1 else None
        if form is not None and self.state.values.keys() >= {*names_in(form)}:
            return Stage.isolated(block.unknowns[0], block.relations, form)
        needs = tuple(name for name in self.library.held_by(block.relations) if name not in block.unknowns)
        return Stage(block.unknowns, block.relations, needs)

    def _stage_at(self, stage: Stage, known: Mapping[str, float]) -> Mapping[str, float] | None:
        """The unknowns of one stage of the explanation at other numbers; None without a single solution there."""
        values = self.state.values
        if all(math.isclose(known[name], values.get(name, math.nan), rel_tol=TIGHT) for name in stage.needs):
            # at its own numbers a stage keeps its solution, which may be one of several
            return {name: values.get(name, math.nan) for name in stage.unknowns}
        if len(stage.relations) > len(stage.unknowns):
            return None  # a joint step, which eliminated what is not known here
        block = Block(stage.relations, stage.unknowns)
        solutions = outcome_of(self.library, block, known, self.question.hints).solutions
        return solutions[0].values if len(solutions) == 1 and not solutions[0].spans else None

    def _lineage(self, *, with_numbers: bool) -> Lineage:
        """The lineage in an explanation: relations of the plan, numbers of the state, and givens not in use."""
        question, state = self.question, self.state
        origins = {name: question.origins.get(name, "default") for name in self.used}
        origins |= {name: "given" for name in self.used if name in question.strong}
        unused = {name: value for name, value in question.strong.items() if name not in self.used}
        undecided = {name: [*self._undecided(name)] for name in self.plan.relations}
        return Lineage(
            blocks=tuple(map(self._joined_block, self.plan.blocks)),
            numbers=state.numbers if with_numbers else {},
            spans=dict(state.spans) if with_numbers else {},
            origins=origins,
            beside={name: (self.library.declared[name], value) for name, value in unused.items()},
            assumed={name: "; ".join(map(render, conditions)) for name, conditions in undecided.items() if conditions},
        )

    def _joined_block(self, block: Block) -> RelationBlock:
        """A block in an explanation's lineage; a limit brings the relations that lead to what it compares."""
        library = self.library
        joined = dict.fromkeys(block.relations)
        unknowns = dict.fromkeys(block.unknowns)
        known = {*self.question.strong, *self.plan.weak, self.question.target}
        for limit in block.relations:
            if library.relations[limit].is_equation:
                continue
            for name in library.members[limit]:
                if name not in known:
                    leading = self._roles.plan_of_its_own(name)
                    joined.update(dict.fromkeys(leading.relations))
                    unknowns.update(dict.fromkeys(leading.unknowns))
        return RelationBlock(tuple(library.relations[name] for name in joined), tuple(unknowns))

    @cached_property
    def _known(self) -> Set[str]:
        """The names of all numbers, weak ones too, that may decide a condition in an explanation."""
        return self.state.known | self.question.strong.keys() | self.question.weak.keys()

    def _arms(self) -> dict[str, str]:
        """The arm that the explanation shows in the place of each choice, unless the givens choose the arm."""
        if self.library is self.candidates.library:
            return {}
        fixed = self.question.fixed(self.plan)
        arm_of = {}
        for name in self.plan.relations:
            relation = self.library.relations[name]
            if relation.chooses:
                continue
            choices = self.candidates.library.relations[name].choices
            if not all(is_configured(choice, fixed) for choice in choices):
                arm_of[name] = render(relation.written.rhs)
        return arm_of

    def _undecided(self, name: str) -> Iterator[Node]:
        """The conditions that an explanation lists as assumed for a relation, since nothing known decides them."""
        for condition in self.library.relations[name].conditions:
            unknown = [member for member in names_in(condition) if member not in self._known]
            if unknown and not all(map(self._follows, unknown)):
                yield condition

    def _follows(self, name: str) -> bool:
        """Whether a quantity of a condition follows from what is known, though the plan explained does not say so."""
        return decisions_of(self.library, self.question).following(name) is not None

    def _not_given_of(self, condition: Node) -> tuple[str, ...]:
        """What to give so that the explanation need not list a condition as assumed: names without a relation."""
        writers = structure_of(self.library).writers

        def defined_by(name: str) -> Iterable[str]:
            return () if name in self._known else self.library.held_by(writers.get(name, ()))

        needed = reached(names_in(condition), defined_by)
        return tuple(name for name in needed if name not in self._known and name not in writers)

    def _regime(self) -> dict[str, str]:
        """The regime in an explanation: the binding arm of each choice that the givens alone do not make."""
        regime = {}
        values, fixed = self.state.values, self.question.fixed(self.plan)
        for name in self.plan.relations:
            relation = self.library.relations[name]
            if not relation.chooses or not values.keys() >= {*relation.members}:
                continue
            binding = [*arms(relation.written.lhs, values, fixed), *arms(relation.written.rhs, values, fixed)]
            if binding:
                regime[name] = "; ".join(dict.fromkeys(map(render, binding)))
        return regime

    def _assumptions(self, how: Evidence | None) -> tuple[Assumption, ...]:
        """What the explanation lists as assumed: conditions, estimates, values, what is left out, kind of bounds."""
        assumptions = []
        for name in self.plan.relations:
            for condition in self._undecided(name):
                text = f"{name} is assumed to apply: {render(condition)}"
                missing = self._not_given_of(condition)
                assumptions.append(Assumption(text, "condition", about=name, missing=missing))
        for name in self.plan.relations:
            tolerance = self.library.relations[name].approximate
            if tolerance is not None:
                assumptions.append(Assumption(f"{name} holds within {tolerance:.3g}"))
        for name, used in self.used.items():
            if name not in self.question.strong and _is_sourced_assumption(used):
                assumptions.append(Assumption(f"{name} = {used} is assumed: {used.source}", "value", about=name))
        assumptions += map(Assumption, [*self._unmet_profile_assumptions(), *self._numbers_beyond_reports()])
        written_for = structure_of(self.library).forward
        for name, why in self.result.left_out.items():
            if written_for.get(name, self.plan.target) in self._quantities:
                assumptions.append(Assumption(f"{name} is left out: {why}"))
        assumptions += (note for note in self.state.notes if note.kind != "bounds")
        if how is not None:
            assumptions.append(how)
        return tuple(dict.fromkeys(assumptions))

    def _numbers_beyond_reports(self) -> Iterator[str]:
        """Sentences in an explanation on its numbers, typed or computed, beyond all that known sources report."""
        for name in self._quantities:
            declared, number = self.library.declared[name], self.state.values.get(name)
            if declared.seen is None or name in self.question.weak or number is None:
                continue
            beyond = declared.seen.beyond(number)
            if beyond:
                yield f"{name} = {shown_number(number, declared.unit, _BRIEF_DIGITS)} is {beyond}"

    def _unmet_profile_assumptions(self) -> Iterator[str]:
        """Sentences in an explanation on values of profiles that go with another value of a quantity than here."""
        for name in self.used:
            profile, others = self.question.goes_with.get(name, ("", {}))
            for other, assumed in others.items():
                declared = self.library.declared.get(other)
                here = self.state.values.get(other, self.question.stated_numbers.get(other))
                if declared is None or here is None:
                    continue
                if abs(here - assumed.base[1]) > AGREEMENT * abs(here):
                    shown = shown_number(here, declared.unit)
                    yield f"{name} of {profile} goes with {other} = {assumed}, which is {shown} here"

    def _elasticities(self) -> Mapping[str, float]:
        """The elasticities in an explanation: by how many percent the target changes with each value in use.

        They are exact by a closed form, or else by central differences. On a corner or at a jump there is none.
        """
        number, state = self._number, self.state
        if number is None:
            return {}
        inputs = [name for name in self.used if name != self.question.target]
        form = self.branch.form
        if form is not None:
            exact = slopes(form, state.values)
            if exact.keys() >= {*names_in(form)}:
                return {name: exact.get(name, 0.0) for name in inputs}
        if self.branch.hangs_on_what_cancels:
            return {}
        elasticities = {}
        for name in inputs:
            given = state.values[name]
            if not given or not number:
                continue
            elasticity, other = (self._elasticity(name, number, step) for step in (_STEP, _STEP / 10))
            if elasticity is None or other is None or abs(elasticity - other) > WORTH_TELLING * (1.0 + abs(other)):
                continue  # differences of so few digits that they say nothing
            elasticities[name] = elasticity
        return elasticities

    def _elasticity(self, name: str, number: float, step: float, bend: float = math.inf) -> float | None:
        """The elasticity that an explanation gives a value, by central differences; None at a corner, jump or end.

        The slopes on both sides differ on a corner at any step, and on a curve by less where the step is smaller, as
        `bend` is at one ten times as large.
        """
        given = self.state.values[name]
        up, down = (self.branch.at({name: given + change * given}) for change in (step, -step))
        if up is None or down is None:
            return None
        above, below = (up - number) / (step * number), (number - down) / (step * number)
        gap = abs(above - below)
        if gap <= CORNER * (1.0 + abs(above) + abs(below)) or gap < bend / 2 < math.inf:
            return (up - down) / (2 * step * number)
        return self._elasticity(name, number, step / 10, gap) if bend == math.inf else None


def _is_sourced_assumption(value: Value) -> bool:
    """Whether an explanation names a value as an assumption: its source is assumed, and is told in some way."""
    source = value.source
    return source.kind == "assumed" and bool(source.date or source.url or source.note)


def _form_to_read(name: str, form: Node | None, stated: Sequence[Equation]) -> Node | None:
    """The form that an explanation shows in a step: as it was stated, or else without needless minus signs."""
    if form is None or any(equation.lhs == Name(name) and equation.rhs == form for equation in stated):
        return form
    return positive_first(form)


def _lost_digits(plan: Plan, state: State) -> Iterator[str]:
    """Sentences in an explanation on numbers in its steps whose digits are lost to rounding.

    >>> from derive.relation_files.loading import load
    >>> decay = load('''[quantities]
    ... time = { unit = "s" }
    ... rate = { unit = "1/s" }
    ... left = { unit = "", domain = "nonnegative" }
    ... [relations]
    ... decay = { equation = "left = exp(-time*rate)" }''')
    >>> print(decay.solve("left", time="1000 s", rate="1 1/s"))  # doctest: +ELLIPSIS
    left = 0
      left is not zero: exp(-time*rate) is smaller than any number with which this computes
    ...
    """
    for name in plan.unknowns:
        form = state.forms.get(name)
        if form is None or name not in state.values or not state.values.keys() >= {*names_in(form)}:
            continue
        is_small = abs(state.values[name]) < sys.float_info.min  # below it, doubles lose digits, and at last are zero
        if is_small and not sign_of_gap(Equation(form, "=", _ZERO), state.values):
            continue
        if is_small and abs(exactly(form, state.values)) < sys.float_info.min:
            yield f"{name} is not zero: {render(form)} is smaller than any number with which this computes"
        else:
            yield from _unstable_digits(name, form, state)


def _unstable_digits(name: str, form: Node, state: State) -> Iterator[str]:
    """The sentence in an explanation on a number in its steps that changes with the last digit of a name in its form.

    The last digit of a computed number is rounded. That of a typed one is not, but beside a pole nobody means it.
    """
    has_poles = any(isinstance(part, Apply) and part.op in _WITH_POLES for part in walk(form))
    number = value(form, state.values)
    for needed in names_in(form):
        is_computed = exact_of(state.values[needed]) is None
        if not (is_computed or has_poles):
            continue
        # in doubles first, which is quick, and at a distance that is larger than their rounding
        moved = value(form, {**state.values, needed: state.values[needed] * (1 + TIGHT)})
        if abs(moved - number) <= TIGHT / EPSILON * AGREEMENT * abs(number):
            continue
        exact = exactly(form, state.values)
        next_to_it = exactly(form, {**state.values, needed: state.values[needed] * (1 + EPSILON)})
        allowed = AGREEMENT if is_computed else VANISHED
        # `not <=` and not `>`, since the form may be undefined there, which makes it NaN
        if not abs(next_to_it - exact) <= allowed * abs(exact) and not math.isnan(exact):
            yield f"{name} hangs on the last digit of {needed}: next to it {render(form)} is another number"
            return
