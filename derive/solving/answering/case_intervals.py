"""The interval that the conditions of a case leave to a target that nothing fixes there.

The conditions of a case are inequalities. Solved for the target, each has an edge where its sides are equal; between
edges all of them hold everywhere or nowhere, which a few sample points decide. The target's interval is cut to where
they hold. A condition that no closed form expresses in the target cuts nothing, and the answer says so.

Where nothing at all fixes the target in a case, it may lie wherever the conditions hold, provided that some relation
of the case covers the quantities that the relations of other cases cover. If none does (between the last laminar and
the first turbulent flow), the library says nothing about the case: it has no answer, and the other answers say so.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from derive.errors import NoSolutionError
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, applied, conjunction, names_in, walk
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds, truth, value
from derive.numerics.algebra.isolation import isolate
from derive.numerics.intervals.enclosure import Span, spans_of_numbers
from derive.numerics.root_finding.univariate_branch_and_prune import joined
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan, plan_for
from derive.presentation.cautions import in_a_row
from derive.solving.assumptions import Assumption, Evidence
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.closed_forms import composed
from derive.solving.blocks.propagation import narrowed
from derive.solving.blocks.sample_points import is_narrow, middle
from derive.solving.blocks.system import agrees
from derive.solving.diagnosis.conflicts import limits_leave_nothing
from derive.solving.execution.block_execution import State, outcome_of
from derive.solving.execution.case_claims import boxes_by_arms, claims, left_by_arms, worded
from derive.solving.execution.checks import may_be_met
from derive.solving.execution.conditional_relations import ANOTHER, Decisions, Undecided, applies_at, decisions_of
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import NO_CASE, Question, stated_at
from derive.solving.ranges.bounds import whole_case
from derive.solving.ranges.inequalities import inside
from derive.tolerances import NEGLIGIBLE

if TYPE_CHECKING:
    from derive.model.relation import Relation

ENCLOSED = Evidence(
    "bounds contain every value over the ranges, and are an enclosure: not every value in them need be reached"
)

_FLIPS = 6  # limit on points of an interval at which the claims flip, besides those where sides are equal
_HALVINGS = 200  # limit on steps of a bisection; doubles take fewer


def confined(library: RelationSet, question: Question, result: PlanResult) -> PlanResult:
    """The result of a case, with intervals of the target cut to where the conditions of the case and limits hold.

    Raises if limits leave nothing of them, unless they rest on weak values.
    """
    target = question.target
    if not any(target in state.spans for state in result.states):
        return result
    if not result.plan.blocks and question.ranges:  # the bounds are those of the whole ranges already
        return result
    decisions = decisions_of(library, question)
    if library.conditional:
        conditions = _CaseConditions(library, question, result.left_out, decisions)
        result = replace(result, states=_cut(conditions, result, result.states))
    return _within_limits(library, question, result, decisions)


def _within_limits(library: RelationSet, question: Question, result: PlanResult, decisions: Decisions) -> PlanResult:
    """The result of a case, with intervals of the target cut to where limits hold, one after the other."""
    limits = _limits_around(library, question, result, decisions)
    around = _CaseConditions(library, question, result.left_out, decisions, limits)
    cutting: list[str] = []
    states = result.states
    for name, limit in limits.items():
        if limit in around.forms and states:
            left = _cut(replace(around, limits={name: limit}), result, states)
            if left != states:
                cutting.append(name)
            states = left
    if not cutting or (not states and (result.plan.weak or question.ranges)):  # in whose middle there may be nothing
        return result
    if not states:
        raise limits_leave_nothing(library, question, result.plan, cutting)
    note = Assumption(f"its interval is cut to where {in_a_row(cutting)} {'hold' if len(cutting) > 1 else 'holds'}")
    return replace(result, states=tuple(replace(state, notes=(*state.notes, note)) for state in states))


def _cut(conditions: _CaseConditions, result: PlanResult, states: Iterable[State]) -> tuple[State, ...]:
    """The states of a result with their intervals cut; a number that is left of one has to meet all relations itself.

    An interval may end at a number at which its relation does not hold, as that of `floor(x) = 2` does at 3.
    """
    target = conditions.question.target
    relations = [conditions.library.relations[name] for name in result.plan.relations]

    def is_kept(part: State) -> bool:
        """Whether a part is an interval, a number that was never cut, or one at which all holds."""
        if target in part.spans or part in result.states:
            return True
        return conditions.is_met(part.values[target]) and all(may_be_met(each, part.values) for each in relations)

    return tuple(filter(is_kept, chain.from_iterable(map(conditions.parts, states))))


def _limits_around(
    library: RelationSet, question: Question, result: PlanResult, decisions: Decisions
) -> dict[str, Node]:
    """The limits that surely apply in a case and may cut its target's interval, as conditions, by their names."""
    left_aside = {*result.left_out, *result.plan.relations}
    limits = (relation for relation in library.inequalities if relation.approximate is None)
    return {
        relation.name: Apply(COMPARISONS[relation.written.op], relation.written.sides)
        for relation in limits
        if relation.name not in left_aside and decisions.applies(relation) is True
    }


def without_impossible(
    library: RelationSet, question: Question, answers: Sequence[PlanResult], *, is_open: bool = False
) -> list[PlanResult]:
    """The answers whose case leaves every other quantity an interval, by its conditions, if there are several.

    A single answer is tested as well if it assumes a case while others are open (`is_open`). Otherwise, where none is
    possible, the givens themselves are at fault, and all answers stay.
    """
    fewest = 1 if is_open else 2
    if sum(len(result.states) for result in answers) < fewest:
        return list(answers)
    weak_names = chain.from_iterable(result.plan.weak for result in answers)
    if any(question.weak[name].source.stands_in for name in weak_names):
        return list(answers)

    def is_possible(result: PlanResult, state: State) -> bool:
        """Whether a state of an answer, in its case, leaves intervals to the quantities around it."""
        if question.ranges:
            return _is_possible_around(library, replace(question, case=whole_case(library, result)), {})
        if question.target in state.spans:
            return True
        asked = replace(question, case=result.case)
        if propagated(library, state.values, result.left_out, decisions_of(library, asked)) is None:
            return False
        return _is_possible_around(library, asked, state.values)

    possible = []
    for result in answers:
        states = tuple(state for state in result.states if is_possible(result, state))
        if states:
            possible.append(replace(result, states=states))
    return possible if possible or is_open else list(answers)


def _is_possible_around(library: RelationSet, question: Question, values: Mapping[str, float]) -> bool:
    """Whether, in some case, conditional relations around known quantities leave an interval to each of the others."""
    known = values.keys() | question.strong.keys()
    others: set[str] = set()
    for relation in library.relations.values():
        is_around = not known.isdisjoint(library.members[relation.name])
        if is_around and (relation.conditions or relation.chooses):
            others.update(library.members[relation.name], names_in(*relation.conditions))
    others -= known - question.ranges.keys()
    if not others:
        return True
    computed = values.keys() - question.strong.keys()
    stated = {name: stated_at(library, name, values[name]) for name in sorted(computed)}
    asked = question.but(strong={**question.strong, **stated})
    return next(boxes_by_arms(library, asked, sorted(others), computed=computed), None) is not None


def left_open(
    library: RelationSet, question: Question, left_out: Mapping[str, str], *, is_covered: bool = True
) -> list[PlanResult]:
    """The intervals that the conditions of a case leave to a target that nothing fixes there.

    Raises the error that says why there is none. Empty if the target may be anywhere in its domain; if a profile states
    it, and it may be wherever it may be without the case; and, unless `is_covered` is off, if no relation covers the
    case.
    """
    conditions = _CaseConditions(library, question, left_out, decisions_of(library, question))
    refuted = [relation.name for relation in conditions.refuted]
    if refuted:
        case = replace(question.case, failing=question.case.failing.union(refuted))
        more = {**left_out, **dict.fromkeys(refuted, ANOTHER)}
        return left_open(library, replace(question, case=case), more, is_covered=is_covered)
    if not question.case.holding and not question.case.failing:
        return []
    if conditions.following is None:
        raise _no_value_error(question.target, f"where {conditions.in_words}, the givens contradict the relations")
    target, domain = question.target, library.declared[question.target].domain
    span = _span_left(library, question)
    if span is None:
        raise _no_value_error(target, f"nothing in its domain satisfies {conditions.in_words}")
    if not conditions.forms and (span == domain.ends or _is_stated_and_as_without_case(library, question, span)):
        return []
    if is_covered:
        conditions = conditions.where_covered
    states = [_at_point(conditions, span)] if is_narrow(span) else _along_span(conditions, span)
    kept = tuple(state for state in states if not is_covered or conditions.is_covered_by_relation(state))
    return [PlanResult(Plan(target, (), (), ()), kept, left_out)] if kept else []


def _is_stated_and_as_without_case(library: RelationSet, question: Question, span: Span) -> bool:
    """Whether a profile states the target, and it has the same interval without the case, which tells nothing of it."""
    return question.has_stated_target and span == _span_left(library, replace(question, case=NO_CASE))


def _at_point(conditions: _CaseConditions, span: Span) -> State:
    """The state of a target whose interval in a case is one number; raises if the conditions exclude it."""
    question, (low, high), number = conditions.question, span, middle(span)
    target, domain = question.target, conditions.library.declared[question.target].domain
    is_denied = low == high and conditions.is_denied(low)  # as `x < 2` and `x > 2` exclude their edge
    is_excluded = domain.open_low and number <= domain.low
    if is_denied or is_excluded:
        raise _no_value_error(target, f"nothing in its domain satisfies {conditions.in_words}")
    note = Assumption(f"{target} is the same wherever {conditions.in_words}")
    return State({**question.numbers, target: number}, notes=(note,))


def _along_span(conditions: _CaseConditions, span: Span) -> Sequence[State]:
    """The states of a target to which the conditions of a case leave parts of an interval; raises if there are none."""
    question = conditions.question
    note = Assumption(f"nothing determines {question.target} where {conditions.where or conditions.in_words}", "open")
    state = State(question.numbers, {question.target: span}, notes=(note,))
    if question.ranges:
        return [replace(state, notes=(note, ENCLOSED))]
    states = list(conditions.parts(state))
    if not states:
        raise _no_value_error(question.target, f"nothing in its domain satisfies {conditions.where}")
    one_number = Assumption(f"{question.target} is the same wherever {conditions.where}")
    return [replace(part, notes=(one_number,)) if question.target in part.values else part for part in states]


def _span_left(library: RelationSet, question: Question) -> Span | None:
    """The interval that the relations and the conditions of a case leave to the target; None if there is none.

    Over ranges it contains every value that the target has anywhere in them.
    """
    span = left_by_arms(library, question, blur=0.0) or left_by_arms(library, question)
    if span is None:
        return None
    low, high = (float(f"{end:.15g}") for end in span)  # without what was rounded outwards
    return low, high


def propagated(
    library: RelationSet, start: Mapping[str, float], left_out: Mapping[str, str], decisions: Decisions, but: str = ""
) -> dict[str, float] | None:
    """The numbers that follow in a case, without a target whose interval is sought (`but`); None at a contradiction.

    A contradiction is a relation that does not hold, or that leaves its last unknown no value in its domain.
    """
    known = dict(start)
    reach = _reachable_one_by_one(library, known, left_out, but)
    pending = [relation for relation in library.relations.values() if reach.issuperset(library.members[relation.name])]
    pending = [relation for relation in pending if relation.name not in left_out and relation.is_exact]
    count = -1
    while count < len(known):
        count, waiting = len(known), []
        for relation in pending:
            unknowns = [name for name in library.members[relation.name] if name not in known]
            is_early = len(unknowns) > 1 or unknowns == [but]
            verdict = None if is_early else decisions.applies(relation)
            if is_early or (verdict is None and not applies_at(relation, known)):
                waiting.append(relation)
            elif verdict is not False:
                following = _following(library, relation, unknowns, known)
                if following is None:
                    return None
                known |= following
        pending = waiting
    return known


def _following(
    library: RelationSet, relation: Relation, unknowns: Sequence[str], known: Mapping[str, float]
) -> dict[str, float] | None:
    """The number of its only unknown that follows from a relation in a case; None at a contradiction."""
    if not unknowns:
        return {} if agrees(relation.written, known) else None
    (name,) = unknowns
    needed = {member: known[member] for member in library.members[relation.name] if member != name}
    outcome = outcome_of(library, Block((relation.name,), (name,)), needed)
    if not outcome.solutions and not outcome.undecided and not outcome.singular:
        return None
    if len(outcome.solutions) == 1 and name in outcome.solutions[0].values and not outcome.caveat:
        return {name: outcome.solutions[0].values[name]}
    return {}


def _reachable_one_by_one(library: RelationSet, known: Iterable[str], left_out: Container[str], but: str) -> set[str]:
    """The names that a case's equations could determine one by one, but not the target whose interval is sought."""
    reach = {*known}
    unknowns = {name: len(members) for name, members in library.members.items()}  # how many each relation still has
    pending = [*reach]
    ready = [name for name, count in unknowns.items() if count == 1]
    while pending or ready:
        if pending:
            for holder in library.holders.get(pending.pop(), ()):
                unknowns[holder] -= 1
                if unknowns[holder] == 1:
                    ready.append(holder)
            continue
        relation = library.relations[ready.pop()]
        last = [name for name in library.members[relation.name] if name not in reach]
        if not last or last[0] == but or relation.name in left_out or not relation.is_exact:
            continue
        reach.add(last[0])
        pending.append(last[0])
    return reach


def _no_value_error(target: str, why: str) -> NoSolutionError:
    what = f"{target} has no admissible value: {why}."
    return NoSolutionError(what, hint="Change one of the givens.", reason=f"{target}: {why}")


@dataclass(frozen=True)
class _CaseConditions:
    """The claims of a case, as conditions on its target."""

    library: RelationSet
    question: Question
    left_out: Mapping[str, str]
    decisions: Decisions
    limits: Mapping[str, Node] = field(default_factory=dict)  # further conditions, by what follows from the givens

    @cached_property
    def known(self) -> dict[str, float]:
        """The numbers by which a case's conditions become an interval of its target: what follows, or weak values."""
        return {**{name: value.base[1] for name, value in self.question.weak.items()}, **(self.following or {})}

    @cached_property
    def forms(self) -> dict[Node, Node]:
        """The conditions of the case that may cut the target's interval, in terms of it and known names."""
        denied = (self.decisions.logic.negation(relation.conditions) for relation in self.refuted)
        forms = {claim: self._in_terms_of_target(claim) for claim in (*claims(self.library, self.question), *denied)}
        if self.limits and self.following is not None:
            stated = {self.question.target, *self.following}
            of_limits = {limit: self._limit_in_terms_of_target(limit) for limit in self.limits.values()}
            forms |= {limit: form for limit, form in of_limits.items() if form and stated.issuperset(names_in(form))}
        return {claim: form for claim, form in forms.items() if form and self.question.target in names_in(form)}

    @cached_property
    def following(self) -> dict[str, float] | None:
        """What follows from the givens in the case and cuts the target's interval; None at a contradiction."""
        if self.question.ranges:
            return dict(self.question.numbers)
        return propagated(self.library, self.question.numbers, self.left_out, self.decisions, self.question.target)

    @property
    def in_words(self) -> str:
        return " and ".join(dict.fromkeys(map(worded, claims(self.library, self.question))))

    @property
    def where(self) -> str:
        """The conditions of the case that may cut the target's interval, in words."""
        words = {claim: worded(claim) for claim in self.forms}
        either = {claim for claim in words if isinstance(claim, Apply) and claim.op == "or"}
        if len(words) > 1:
            words |= {claim: f"({words[claim]})" for claim in either}
        return " and ".join(dict.fromkeys(words.values()))

    def parts(self, state: State) -> Iterator[State]:
        """Cut the target's interval in a state to where the conditions of the case hold; others are unchanged.

        Ranges that move the edges leave an interval whole: it is cut later, to what all their numbers leave of it.
        """
        target = self.question.target
        edges = self._edges() if target in state.spans and self.forms else None
        if edges is None:
            yield state
            return
        low, high = state.spans[target]
        domain = self.library.declared[target].domain
        is_free = (low, high) == domain.ends
        other_spans = {name: span for name, span in state.spans.items() if name != target}
        ends = [low, *(edge for edge in edges if low < edge < high), high]
        met = [*chain.from_iterable(self._parts_met(span, _FLIPS) for span in pairwise(ends))]
        if met and self._has_ranged_edges:
            yield state
            return
        for span in joined(met):
            yield replace(state, spans={**other_spans, target: span}, is_free=is_free)
        for edge in edges:  # the claims may hold at an edge alone, as `x >= 2` and `x <= 2` do
            is_alone = not any(start <= edge <= end for start, end in met)
            if is_alone and low <= edge <= high and edge in domain and self.is_met(edge):
                yield replace(state, values={**state.values, target: edge}, spans=other_spans)

    @property
    def _has_ranged_edges(self) -> bool:
        """Whether ranges move the edges of the intervals in which the case's conditions hold."""
        return not self.question.stated_ranges.keys().isdisjoint(names_in(*self.forms.values()))

    def _parts_met(self, span: Span, flips: int) -> Iterator[Span]:
        """The parts that the case's conditions leave of the target's interval between two edges."""
        low, high = span
        points = [*inside(span), 0.0] if low < 0 < high else inside(span)
        verdicts = [self.is_met(point) for point in points]
        if all(verdicts):
            yield span
        elif any(verdicts) and flips:
            flip = self._point_of_flip(points[verdicts.index(True)], points[verdicts.index(False)])
            yield from self._parts_met((low, flip), flips - 1)
            yield from self._parts_met((flip, high), flips - 1)

    def _point_of_flip(self, met: float, failed: float) -> float:
        """An edge of the interval in which the case's conditions hold, found by bisection between two numbers."""
        for _ in range(_HALVINGS):
            center = (met + failed) / 2
            if self.is_met(center):
                met = center
            else:
                failed = center
        return 0.0 if abs(failed) <= NEGLIGIBLE * max(1.0, abs(met)) else failed

    @property
    def where_covered(self) -> _CaseConditions:
        """The conditions that cut the target's interval to where a relation covers what those left out would.

        With `y = 0` from 1 to 2 and `y = x` below 1, the second leaves x an interval from 1 on where it does not apply,
        and the first covers that up to 2.
        """
        if self.question.ranges or not all(self._covering):  # nothing is cut there
            return self
        pieces = [conjunction(forms) for forms in self._covering]
        return replace(self, limits={"": applied("or", pieces, Apply("true", ()))})

    @cached_property
    def _covering(self) -> list[list[Node]]:
        """The conditions on the target of each relation that covers quantities of ones left out of the case.

        There are none where the relation applies in any case, or where they are not known.
        """
        left_out = [name for name in self.left_out if self.library.relations[name].conditions]
        covered = set[str]().union(*(self.library.members[name] for name in left_out)) - {self.question.target}
        covering = []
        for relation in self.library.conditional:
            if relation.name in left_out or covered.isdisjoint(self.library.members[relation.name]):
                continue
            forms = (self._in_terms_of_target(condition) for condition in relation.conditions)
            applies = self.decisions.applies(relation) is True
            covering.append([] if applies else [form for form in forms if form is not None])
        return covering

    def is_covered_by_relation(self, state: State) -> bool:
        """Whether in a part of the target's interval a relation covers quantities of ones left out of the case."""
        target = self.question.target
        points = inside(state.spans[target]) if target in state.spans else [state.values[target]]
        for point in points:
            numbers = {**self.known, target: point}
            if any(all(holds(form, numbers) for form in forms) for forms in self._covering):
                return True
        return False

    def is_met(self, number: float) -> bool:
        """Whether a number is in the interval that the case's conditions leave to the target: all hold there."""
        numbers = {**self.known, self.question.target: number}
        return all(holds(form, numbers) for form in self.forms.values())

    def is_denied(self, number: float) -> bool:
        """Whether a condition of the case takes a number from the target's interval: it is false, not undefined."""
        numbers = {**self.known, self.question.target: number}
        return any(truth(form, numbers) is False for form in self.forms.values())

    @property
    def refuted(self) -> list[Relation]:
        """The relations that fail at the givens: that their conditions then fail too may cut the target's interval."""
        case, library = self.question.case, self.library

        def reach_without(*names: str) -> set[str]:
            left_out = {*self.left_out, *names}
            return _reachable_one_by_one(library, self.question.strong, left_out, self.question.target)

        reach = reach_without()
        tested = [
            relation
            for relation in library.conditional
            if relation.name not in case.holding | case.failing and relation.approximate is None
            if reach.issuperset(library.members[relation.name])  # else what follows need not be worked out
            if reach_without(relation.name).issuperset(library.members[relation.name])  # by it, it holds
        ]
        known = (self.following or {}) if tested else {}
        return [
            relation
            for relation in tested
            if known.keys() >= {*library.members[relation.name]} and not self._may_hold(relation, known)
        ]

    def _may_hold(self, relation: Relation, known: Mapping[str, float]) -> bool:
        """Whether a relation, whose failure would cut the target's interval, may hold at some numbers of the ranges."""
        ranges = self.question.ranges
        moving = [name for name in self.library.members[relation.name] if name in ranges]
        if agrees(relation.written, known):
            return True
        spans = {**spans_of_numbers(known), **ranges}
        return bool(moving) and narrowed([relation.written], moving, spans) is not None

    def _limit_in_terms_of_target(self, limit: Node) -> Node | None:
        """A limit that may cut the target's interval, in its terms; None without a form, or in some case alone."""
        try:
            return self._in_terms_of_target(limit)
        except Undecided:  # an interval is not split into cases for a limit
            return None

    def _in_terms_of_target(self, claim: Node, singular: frozenset[str] = frozenset()) -> Node | None:
        """A condition of the case that may cut the target's interval, in its terms; None without a form.

        A relation is `singular` in which the quantity that it would give cancels, as y in `x = 2*y/y`.
        """
        target, stated = self.question.target, self.following or {}
        forms: dict[str, Node] = {}
        known, left_out = frozenset([*stated, target, *self.question.weak]), singular.union(self.left_out)
        if not closure(structure_of(self.library, left_out), known).issuperset(names_in(claim)):
            return None
        for name in names_in(claim):
            if name in stated or name == target:
                continue
            weak = [other for other in self.question.weak if other != name]
            plan = plan_for(self.library, name, [*stated, target], weak, left_out, self.question.stated)
            if not plan.is_determined:
                if name in self.question.weak:
                    continue  # its own value, which nothing displaces
                return None
            for block in plan.blocks:
                relation = self.library.relations[block.relations[0]]
                unknown = block.unknowns[0]
                candidates = isolate(relation.written, unknown) if len(block.unknowns) == 1 else None
                applies = self.decisions.applies(relation)
                if applies is None:
                    raise Undecided(relation.name)
                only = candidates[0] if applies and candidates and len(candidates) == 1 else None
                if only is None or only.conditions or only.winds:
                    return None
                divisors = (divisor for divisor in only.divisors if self.known.keys() >= {*names_in(divisor)})
                if not all(value(divisor, self.known) for divisor in divisors):
                    return self._in_terms_of_target(claim, singular | {relation.name})
                forms[unknown] = only.form
        return composed("", {**forms, "": claim})

    def _edges(self) -> list[float] | None:
        """The edges of the target's interval at which a comparison in the case may flip; None if unknown."""
        target, edges = self.question.target, set[float]()
        domain = self.library.declared[target].domain
        for node in walk(*self.forms.values()):
            if not isinstance(node, Apply) or node.op not in COMPARISONS.values() or target not in names_in(node):
                continue
            outcome = solve_block([Equation(node.args[0], "=", node.args[1])], [target], self.known, {target: domain})
            if outcome.undecided or outcome.caveat:
                return None
            for solution in outcome.solutions:
                if target in solution.values:
                    edges.add(solution.values[target])
                edges.update(solution.spans.get(target, ()))
        return sorted(edges)
