"""The bounds of a target over the ranges of its givens: by which way they are found, and how they are known.

A question with ranges is answered in the middle of each, in the case that holds there. Its bounds come from the first
of these ways that leads to any, and the answer says which it was:

1. They are known already: the target is a range itself, all its values are known (`target_values`), inequalities or a
  search over the whole ranges left it an interval, or nothing but its domain and its case bound it.
2. By its closed form, if that holds throughout the ranges. Where the form is monotone in each of them, its extremes lie
  at two corners and are exact; else branch and bound finds them.
3. Along the solution (`solution_path`), where unknowns fix each other only together, or there are several solutions.
4. By branch and bound on all equations of the plan (`global_bounds`), if the solution is the only one.
5. By a search along the solution, which proves nothing.

Bounds are those of one case. If a condition (`when`) may change within the ranges, or cannot be decided, the answer
says so: this too is told by bounds, those of the quantities in the condition. At last bounds are cut to what the case
leaves of them, and claim to be reached only where no other quantity forbids it.

Where one case of a quantity may hold in one part of the ranges and another elsewhere, their relations are joined to a
single one first: `y = x` when x < 3 and `y = 10*x` when x >= 3 are one equation with a choice of arms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, pairwise

from derive.caches import Memo
from derive.errors import DeriveError
from derive.expressions.tree import (
    COMPARISONS,
    Apply,
    Equation,
    Name,
    Node,
    Number,
    conjunction,
    names_in,
    operations,
    render,
    walk,
)
from derive.model.conditions import are_exclusive, implied
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import with_precise_constants
from derive.numerics.algebra.evaluation import holds
from derive.numerics.algebra.homogeneity import degree
from derive.numerics.algebra.isolation import Candidate, isolate
from derive.numerics.algebra.like_terms import SWITCHES, ZERO, added, negated
from derive.numerics.intervals.arithmetic import lies_in, meet, point_box
from derive.numerics.intervals.enclosure import Span, enclose, truths
from derive.planning.plan import Plan
from derive.presentation.numbers import shown_number
from derive.solving.assumptions import Evidence
from derive.solving.blocks.closed_forms import composed
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.case_claims import boxes_by_arms, claims, left_by_arms
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.plan_execution import conditional_in
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import NO_CASE, Case, Question, stated_between
from derive.solving.extremes import EXACT, ROUGH, SEARCHED, bounds_of_form, bounds_sampled, form_for_bounds, is_monotone
from derive.solving.ranges.global_bounds import enclosing_bounds, global_bounds, parts_of_target
from derive.solving.ranges.limits_over_ranges import NOWHERE_WITHIN_LIMITS, UNREACHED, WITHIN_LIMITS, LimitsOverRanges
from derive.solving.ranges.range_propagation import leaves_domain, may_cancel, may_enter_elsewhere, ranges_of
from derive.solving.ranges.solution_path import ATTAINED_ALONG, along, hangs_on_what_cancels
from derive.tolerances import ASIDE, SAME_ROOT
from quantities.domain import Domain

EXACT_PIECE = Evidence("bounds are exact: every number between them is a value", are_reached=True)
_EXACT_PIECES = Evidence("bounds are exact: not every number between them is a value", are_reached=True)
_CUT = Evidence("bounds contain every value in this case; not every value in them need be reached")
_OF_COUNTS = Evidence(
    "bounds contain every value in the range; a count in it is whole, so that not all of them need be reached"
)
_UNREACHED_ALONG = Evidence(
    "bounds contain every value along this solution; not every value in them need be reached; elsewhere in the ranges "
    "there may be others",
    is_along=True,
)
_CASE_MAY_FAIL = Evidence(
    "bounds contain every value in this case; they may be too wide, as it does not hold throughout the ranges"
)
_CASE_MAY_FAIL_ALONG = Evidence(
    "bounds contain every value along this solution; they may be too wide, as its case does not hold throughout the "
    "ranges; elsewhere in the ranges there may be others",
    is_along=True,
)
_ROUGH_ALONG = Evidence(
    "bounds along this solution contain every value of it; elsewhere in the ranges there may be others", is_along=True
)
_SEARCHED_ALONG = Evidence(
    "bounds were searched for along this solution, and are not proved", is_along=True, is_proved=False
)
_IN_THE_MIDDLE = Evidence("bounds are those in the middle of the ranges")
_TAKEN_AT_MIDDLE = Evidence("the ranges were taken at their middle")

_GAP = Name("left without right")

# A condition asks for a sign: bounds that are close are not needed, and a note is not worth more than its answer.
_PARTS = 20
_PIECES = 20


@dataclass(frozen=True)
class Bounds:
    """The bounds of a target over the ranges: the ends of all its values, and how they are known."""

    ends: Span | None
    how: Evidence | None = None

    def where_case_may_fail(self) -> Bounds:
        """The bounds over ranges in a part of which the case does not hold, so that they may be too wide."""
        if self.how is None or not self.how.is_proved:
            return self
        return replace(self, how=_CASE_MAY_FAIL_ALONG if self.how.is_along else _CASE_MAY_FAIL)


@dataclass(frozen=True)
class SolutionBranch:
    """A solution branch: one solution of a plan in the middle of the ranges, with its bounds around it."""

    library: RelationSet
    question: Question
    found: PlanResult
    state: State

    @property
    def plan(self) -> Plan:
        return self.found.plan

    @property
    def is_alone(self) -> bool:
        """Whether the bounds are those of the only solution: the plan has no other in the middle of the ranges."""
        return len(self.found.states) == 1

    @cached_property
    def form(self) -> Node | None:
        """The closed form of the target by which its bounds are found along the branch; None if there is none."""
        form = composed(self.question.target, self.state.forms)
        is_known = form is not None and self.question.in_use(self.plan).keys() >= {*names_in(form)}
        return form if is_known else None

    @cached_property
    def steady_forms(self) -> Mapping[str, Node]:
        """The closed forms of the unknowns that hold all over the ranges, so that bounds may be taken from them.

        No other form replaces them, as in `x = a**3`, where a is the root of x, and below zero less that of -x; and the
        unknown cancels nowhere.
        """
        points = point_box(self.state.values)
        box = points | ranges_of(self.library, self.question, self.plan)
        unsteady_names = set[str]()
        for block in self.plan.blocks:
            if len(block.unknowns) == 1:
                (name,), equation = block.unknowns, self.library.relations[block.relations[0]].written
                for candidate in isolate(equation, name) or ():
                    if self._may_replace(candidate, name, box) or may_cancel(candidate, name, self.state.forms, box):
                        unsteady_names.add(name)
        return {name: form for name, form in self.state.forms.items() if name not in unsteady_names}

    def _may_replace(self, candidate: Candidate, name: str, box: Mapping[str, Span]) -> bool:
        """Whether another form of an unknown may hold elsewhere in the ranges, so that bounds need both."""
        values = self.state.values
        if values.keys() >= {*names_in(*candidate.conditions)} and holds(conjunction(candidate.conditions), values):
            return False
        forms = {**self.state.forms, name: candidate.form}
        form, condition = composed(name, forms), composed("", {**forms, "": conjunction(candidate.conditions)})
        if form is None or condition is None or not box.keys() >= {*names_in(form, condition)}:
            return True
        enclosure = enclose(form, box, "")
        if enclosure is None or True not in truths(condition, box):
            return False
        low, high = meet(enclosure.values, self.library.declared[name].domain.ends)
        return low <= high

    @cached_property
    def is_of_one_arm(self) -> bool:
        """Whether the plan inverts a choice, so that bounds by its form hold only while its arm binds."""
        for block in self.plan.blocks:
            for name, relation in zip(block.unknowns, block.relations, strict=False):
                choices = operations(*self.library.relations[relation].written.sides, among=SWITCHES)
                if any(name in choice.names for choice in choices):
                    return True
        return False

    @cached_property
    def has_one_form(self) -> bool:
        """Whether the form of the solution branch holds all over the ranges, where the target is in its domain."""
        return not self.is_of_one_arm and len(self.steady_forms) == len(self.state.forms)

    @cached_property
    def hangs_on_what_cancels(self) -> bool:
        """Whether no search along the solution finds bounds, as some quantities have no value."""
        return hangs_on_what_cancels(self.library, self.plan, self.state)

    def at(self, moved: Mapping[str, float]) -> float | None:
        """The target at other givens in the ranges, to sample bounds by, from the solution nearest to this branch."""
        state = State({**self.question.start(self.plan), **moved})
        for block in self.plan.blocks:
            steps, _ = block_states(self.library, block, state)
            steps = [step for step in steps if not step.spans]
            if not steps:
                return None
            state = min(steps, key=lambda step: self._distance(step, block.unknowns))
        return state.values[self.question.target]

    def _distance(self, other: State, names: Iterable[str]) -> float:
        return sum(abs(other.values[name] - self.state.values[name]) for name in names)

    def bounds(self) -> Bounds:
        """The bounds of the target over the ranges of the givens; a count in these takes its whole numbers only."""
        bounds = self._between_ends()
        moving = ranges_of(self.library, self.question, self.plan)
        domains = {name: self.library.declared[name].domain for name in moving}
        counts = {name: domain for name, domain in domains.items() if domain.whole}
        if not counts or bounds.how is None or not bounds.how.are_reached:
            return bounds
        if bounds.how == EXACT and all(all(map(domain.is_whole, moving[name])) for name, domain in counts.items()):
            return bounds  # they are those at the ends of the ranges
        return replace(bounds, how=_OF_COUNTS)

    def _between_ends(self) -> Bounds:
        """The bounds of the target between the ends of the ranges, by the first way that leads to any."""
        ranges, target = ranges_of(self.library, self.question, self.plan), self.question.target
        known = self._known_bounds(ranges)
        if known is not None:
            return known
        if self.form is not None and target in self.state.values and self._holds_throughout(ranges):
            return self._by_form(self.form, ranges)
        in_middle = self.state.spans.get(target)
        if self.plan.is_joint:
            return Bounds(in_middle, _TAKEN_AT_MIDDLE if in_middle is None else _IN_THE_MIDDLE)
        proved = self._by_plan(ranges)
        if proved is not None:
            ends, how = proved
            if in_middle is not None:  # the target cancels: it has no value where a side has none
                parts = parts_of_target(self.library, self.question, self.plan, ends)
                ends = (parts[0][0], parts[-1][1])
            return Bounds(ends, how)
        if in_middle is not None:
            return Bounds(in_middle, _IN_THE_MIDDLE)
        if self.hangs_on_what_cancels:
            return Bounds(None, _TAKEN_AT_MIDDLE)
        return Bounds(bounds_sampled(self.at, ranges), _SEARCHED_ALONG)

    def _known_bounds(self, ranges: Mapping[str, Span]) -> Bounds | None:
        """The bounds over the ranges that the state of the branch has already; None if they are to be found."""
        state, target = self.state, self.question.target
        if target in ranges:
            return Bounds(ranges[target])
        if state.pieces:
            (low, _), (_, high) = state.pieces[0], state.pieces[-1]
            return Bounds((low, high), EXACT_PIECE if len(state.pieces) == 1 else _EXACT_PIECES)
        how = next((note for note in state.notes if isinstance(note, Evidence)), None)
        if not ranges or how is not None:
            return Bounds(state.spans.get(target), how)
        # the ranges do not bind what may be anywhere in its domain
        if state.is_free or state.spans.get(target) == self.library.declared[target].domain.ends:
            return Bounds(state.spans[target])
        return None

    def _by_plan(self, ranges: Mapping[str, Span]) -> tuple[Span, Evidence] | None:
        """The bounds over the ranges along the branch, or by branch and bound if it is alone; None if both fail."""
        library, plan, state = self.library, self.plan, self.state
        is_coupled = any(len(block.unknowns) > 1 for block in plan.blocks)
        followed = along(library, plan, state, ranges) if is_coupled or not self.is_alone else None
        result = followed or (global_bounds(library, self.question, plan) if self.is_alone else None)
        if result is None:
            return None
        ends, how = result
        if how.are_wide and not is_coupled:
            ends, how = along(library, plan, state, ranges) or result
        if how.are_wide:
            how = replace(how, text=f"{how.text}, for this solution could not be followed through them")
        return ends, how

    def _holds_throughout(self, ranges: Mapping[str, Span]) -> bool:
        """Whether the closed form of the branch holds throughout the ranges, so that bounds may be taken from it.

        Of several branches each has a form of its own.
        """
        if not self.has_one_form:
            return False
        box = {**point_box(self.state.values), **ranges}
        return not (self.is_alone and leaves_domain(self.library, self.plan.target, self.state.forms, box))

    def _by_form(self, form: Node, ranges: Mapping[str, Span]) -> Bounds:
        """The bounds of the target over the ranges by its closed form, which holds throughout them."""
        values, domain = self.state.values, self.library.declared[self.plan.target].domain
        form = with_precise_constants(form)
        in_middle = values[self.plan.target]
        moving = {name: span for name, span in ranges.items() if not _cancels(form, name, span)}
        if not is_monotone(form, values, moving):
            form = form_for_bounds(form, values, moving, self.library.quantities)
        (low, high), how = bounds_of_form(form, values, moving)
        if low == high:
            low = high = in_middle  # but for rounding: the ranges cancel
        low, high = min(low, in_middle), max(high, in_middle)  # rounding may leave it outside
        kept = max(low, domain.low), min(high, domain.high)
        if kept != (low, high):
            enclosure = enclose(form, {name: (number, number) for name, number in values.items()} | moving, "")
            if enclosure is None or enclosure.partial:  # it may jump over the end of the domain
                how = UNREACHED
        return Bounds(kept, how)

    def cut_to_case(self, bounds: Bounds) -> Bounds:
        """The bounds over ranges, cut to what the case of the branch leaves to the target."""
        library, question = self.library, replace(self.question, case=whole_case(self.library, self.found))
        if not question.ranges or question.case == NO_CASE or bounds.ends is None:
            return bounds
        fixed = {name for name, value in question.values.items() if not value.is_range}
        if fixed.issuperset(names_in(*claims(library, question))):  # the ranges do not touch what decides the case
            return bounds
        left_to_target = left_by_arms(library, question)
        if left_to_target is None:
            return bounds
        (low, high), (least, most) = bounds.ends, left_to_target
        if low < least <= high:
            low = float(f"{least:.15g}")  # without what was rounded outwards
        if low <= most < high:
            high = float(f"{most:.15g}")
        if (low, high) == bounds.ends:
            return bounds
        is_reached = bounds.how is not None and bounds.how.are_reached and not bounds.how.is_along
        return Bounds((low, high), _CUT if is_reached else bounds.how)

    @cached_property
    def limits(self) -> LimitsOverRanges:
        """The limits by which the bounds of the branch are cut."""
        return LimitsOverRanges(self.library, self.question, self.plan, self.found.left_out)

    def cut_to_limits(self, bounds: Bounds) -> Bounds:
        """The bounds over ranges, cut to what limits leave of them, and without a claim that those do not allow."""
        how, target = bounds.how, self.question.target
        is_number = target in self.state.values and target not in self.question.strong
        if not self.library.inequalities or not self.question.ranges or not is_number or self.plan.is_joint:
            return bounds
        if bounds.ends is None or how is None or not how.is_proved or how in (_IN_THE_MIDDLE, _TAKEN_AT_MIDDLE):
            return bounds
        left = self.limits.remainder(bounds.ends)
        if left is None:
            return bounds
        if left.ends is None:
            return replace(bounds, how=NOWHERE_WITHIN_LIMITS)
        if left.ends[0] > left.ends[1]:
            return replace(bounds, how=_UNREACHED_ALONG if how.is_along else UNREACHED)
        number = self.state.values[target]
        if not lies_in((number, number), left.ends, SAME_ROOT):  # it is told, and which limit forbids it
            return replace(bounds, how=self._allowed_elsewhere(left.ends, how))
        if how.are_reached:
            if how.is_along or not self.is_alone or not left.are_close:
                how = _UNREACHED_ALONG if how.is_along else UNREACHED
            elif left.ends != bounds.ends:
                how = WITHIN_LIMITS
        return Bounds(left.ends, how)

    def _allowed_elsewhere(self, ends: Span, how: Evidence) -> Evidence:
        """The note on bounds over ranges in whose middle a limit fails, with the interval where all limits hold."""
        low, high = (shown_number(end, self.library.declared[self.question.target].unit) for end in ends)
        unreached = _UNREACHED_ALONG if how.is_along else UNREACHED
        return replace(unreached, text=f"{unreached.text}; where all limits hold, it is {low} to {high}")

    def without_unreached(self, bounds: Bounds) -> Bounds:
        """The bounds over ranges, without the claim that they are reached where other quantities forbid it.

        Nor do they claim to be all there is where another value may come into the domain.
        """
        how = bounds.how
        if bounds.ends is None or how is None or not self.question.ranges:
            return bounds
        low, high = bounds.ends
        if how in (EXACT, SEARCHED, ROUGH, UNREACHED, WITHIN_LIMITS) and may_enter_elsewhere(
            self.library, self.question, self.found
        ):
            how = _ROUGH_ALONG if how in (ROUGH, UNREACHED) else ATTAINED_ALONG
            bounds = replace(bounds, how=how)
        if not how.are_reached:
            return bounds
        inwards = ASIDE * (high - low)
        # ends are rounded, and may lie outside by that alone
        near_ends = [(low, low + inwards), (high - inwards, high)]
        if not math.isfinite(inwards) or all(map(self.is_possible_within, near_ends)):
            return bounds
        return replace(bounds, how=_UNREACHED_ALONG if how.is_along else UNREACHED)

    def is_possible_within(self, ends: Span) -> bool:
        """Whether other quantities let the target come near one of its bounds somewhere in the ranges."""
        question = self.question
        if any(question.weak[name].source.stands_in for name in self.plan.weak):
            return True
        target = {question.target: stated_between(self.library, question.target, ends)}
        case = whole_case(self.library, self.found)
        asked = question.but(strong={**question.strong, **target}, case=case)
        return next(boxes_by_arms(self.library, asked, asked.strong), None) is not None


def whole_case(library: RelationSet, found: PlanResult) -> Case:
    """The case in which a target's bounds over the ranges hold: its own, with all conditional relations in use."""
    used = [relation.name for relation in conditional_in(library, found.plan)]
    return replace(found.case, holding=found.case.holding.union(used))


def conditions_that_may_change(branch: SolutionBranch, ends: Span | None) -> tuple[str, ...]:
    """Notes on conditions that may change within the ranges, by the bounds of the quantities in them."""
    library, plan, left_out = branch.library, branch.plan, branch.found.left_out
    if not branch.question.stated_ranges:
        return ()
    conditions = []
    for name in (*plan.relations, *left_out):
        conditions += [(name, condition) for condition in library.relations[name].conditions]
    if not _may_depend(branch, [condition for _, condition in conditions]):
        return ()
    bounds = _ConditionBounds(branch)
    if ends is not None:
        bounds.spans[plan.target] = ends
    notes = []
    for name, condition in conditions:
        if not bounds.values.keys() >= set(names_in(condition)) or not bounds.may_change(condition):
            continue
        holds_here, text = holds(condition, bounds.values), render(condition)
        if name in plan.relations:
            notes.append(f"{name} is used, since {text} in the middle of the ranges; elsewhere in them it may not be")
        elif not holds_here:
            notes.append(f"{name} is left out, but {text} may be true elsewhere than in the middle of the ranges")
    return tuple(dict.fromkeys(notes))


def _may_depend(branch: SolutionBranch, conditions: Sequence[Node]) -> bool:
    """Whether some conditions depend on any of the ranges, so that only bounds of their quantities decide them."""
    library, question, plan, state = branch.library, branch.question, branch.plan, branch.state
    names = {*names_in(*conditions)}
    worked_out = state.condition_numbers.keys() - state.values.keys() - question.values.keys()
    if not names.isdisjoint(worked_out):  # beside the plan, from anything
        return True
    return any(name in question.stated_ranges for name in plan.behind(names, library))


class _ConditionBounds:
    """The bounds over the ranges of the quantities in conditions, each computed once."""

    def __init__(self, branch: SolutionBranch) -> None:
        self.branch, self.left_out = branch, frozenset(branch.found.left_out)
        self.library, self.question, self.state = branch.library, branch.question, branch.state
        self.given = self.question.strong.keys() | set(branch.plan.weak)
        self.ranges = self.question.stated_ranges
        self.values = {**self.question.stated_numbers, **self.state.numbers}
        self.spans: dict[str, Span | None] = {}

    def may_change(self, condition: Node) -> bool:
        """Whether a condition may be true in one part of the ranges and not in another, as told by bounds.

        It is decided by forms, which is cheap, or by the bounds of its quantities; of one whose bounds are not known,
        by its domain.
        """
        if isinstance(condition, Apply) and condition.op in COMPARISONS.values() and self._is_sure(condition):
            return False
        names = names_in(condition)
        spans = {name: self.library.declared[name].domain.ends for name in names}
        for name in names:  # bounds of the others are not worth finding once those of some decide it
            spans[name] = self._span(name) or spans[name]
            if len(truths(condition, spans)) == 1:
                return False
        return True

    def _is_sure(self, comparison: Apply) -> bool:
        """Whether bounds of the difference of its sides show that a comparison comes out alike all over the ranges."""
        left, right = comparison.args
        gap = self._bounds_of(composed("", {**self.branch.steady_forms, "": added(left, negated(right))}))
        return gap is not None and len(truths(Apply(comparison.op, (_GAP, ZERO)), {_GAP.name: gap})) == 1

    def _span(self, name: str) -> Span | None:
        """The bounds over the ranges of a quantity in a condition, cached; None if unknown."""
        if name not in self.spans:
            self.spans[name] = self._find_span(name)
        return self.spans[name]

    def _find_span(self, name: str) -> Span | None:
        """The bounds of a quantity over the ranges: by its form, along this solution, or by a plan of its own."""
        point = (self.values[name],) * 2
        if name in self.given:
            return self.ranges.get(name, point)
        by_form = self._bounds_of(composed(name, self.branch.steady_forms))
        if by_form is not None:
            return by_form
        plan = self.branch.plan
        if name in self.state.values:  # solved for together with others: this solution is followed
            ranges = ranges_of(self.library, self.question, plan)
            followed = along(self.library, replace(plan, target=name), self.state, ranges)
            if followed is not None:
                return followed[0]
        question = self.question.for_target(name)
        own_plan = question.plan(self.library, self.left_out)
        is_stated = name in self.question.weak and decisions_of(self.library, self.question).following(name) is None
        if is_stated or not own_plan.is_determined:
            return self.ranges.get(name, point)
        if not ranges_of(self.library, question, own_plan):
            return point
        try:
            ends = enclosing_bounds(self.library, question, own_plan, _PIECES)
        except DeriveError:
            return None
        return (ends[0].at, ends[1].at) if ends else None

    def _bounds_of(self, form: Node | None) -> Span | None:
        """The bounds of a form over the ranges of the givens, and of what has bounds already; None if unknown."""
        if form is None:
            return None
        spans = dict(self.ranges)
        for name in {*names_in(form)} - self.given:
            span = self.spans.get(name)
            if span is None:
                return None
            spans[name] = span
        (low, high), _ = bounds_of_form(form, self.values, spans, _PARTS)
        return (low, high) if low <= high else None


def _cancels(form: Node, name: str, span: Span) -> bool:
    """Whether the range of a name leaves a form's bounds alone: `a/abs(a)` is constant where it has one sign."""
    return (span[0] >= 0 or span[1] <= 0) and degree(form, {name: Fraction(1)}) == 0


_JOINED = Memo[RelationSet](most=1)


def joined(library: RelationSet) -> RelationSet | None:
    """The library for bounds over several cases: one relation for each quantity that has several; or None."""
    groups = {group[0].name: group for group in _groups(library)}
    if not groups:
        return None
    gone = {relation.name for relation in chain.from_iterable(group[1:] for group in groups.values())}

    def with_joined() -> RelationSet:
        kept = [relation for name, relation in library.relations.items() if name not in gone]
        chosen = {name: _relation_of_cases(group) for name, group in groups.items()}
        return library.holding([chosen.get(relation.name, relation) for relation in kept])

    return _JOINED.of(library.session, (), with_joined)


def is_gapless(library: RelationSet) -> bool:
    """Whether the cases joined for bounds leave no gap: one relation of each quantity applies whatever the numbers."""
    return all(_is_gapless(group) for group in _groups(library))


def _groups(library: RelationSet) -> list[list[Relation]]:
    """The groups of relations to be joined before bounds are found: those for one quantity, with exclusive cases."""
    written: dict[str, list[Relation]] = {}
    for relation in library.conditional:
        result = relation.written.written_for
        if result is not None and relation.is_equation:
            written.setdefault(result, []).append(relation)

    def is_of_cases(group: Sequence[Relation]) -> bool:
        pairs = combinations(group, 2)
        return len(group) > 1 and all(are_exclusive(first.conditions, other.conditions) for first, other in pairs)

    return list(filter(is_of_cases, written.values()))


def _relation_of_cases(group: Sequence[Relation]) -> Relation:
    """One relation for bounds over all of the ranges: it joins a group, and chooses between its cases."""
    first = group[0]
    arms = chain.from_iterable((relation.written.rhs, conjunction(relation.conditions)) for relation in group)
    written = Equation(first.written.lhs, "=", Apply("piecewise", tuple(arms)))
    declared = dict(chain.from_iterable(relation.declared.items() for relation in group))
    tolerances = [relation.approximate for relation in group if relation.approximate is not None]
    reasons = [(relation.because, relation.source) for relation in group]
    because, source = ("; ".join(dict.fromkeys(filter(None, texts))) for texts in zip(*reasons, strict=True))
    return Relation.proved(
        first.name, written, declared, because=because, source=source, approximate=max(tolerances, default=None)
    )


def _is_gapless(group: Sequence[Relation]) -> bool:
    """Whether the cases joined for bounds leave no gap: a condition holds whatever the numbers; False if unknown."""
    conditions = [conjunction(relation.conditions) for relation in group]
    names = names_in(*conditions)
    if len(names) > 1:
        first, *others = conditions
        return len(others) == 1 and implied(others[0], {first: False}) is True
    if not names:
        return any(holds(condition, {}) for condition in conditions)
    domain = group[0].declared[names[0]].domain
    return all(any(holds(condition, {names[0]: x}) for condition in conditions) for x in _points(conditions, domain))


def _points(conditions: Sequence[Node], domain: Domain) -> list[float]:
    """Numbers at which cases joined for bounds are tested for a gap: those in conditions, between and beyond them."""
    edges = sorted({part.real for part in walk(*conditions) if isinstance(part, Number)} | {0.0})
    beyond = [edges[0] - 1 - abs(edges[0]), edges[-1] + 1 + abs(edges[-1])]
    points = [*edges, *((low + high) / 2 for low, high in pairwise(edges)), *beyond]
    return [point for point in points if point in domain]
