"""Global bounds of a target over the whole ranges of its givens, by branch and bound on a plan's relations.

An unknown of the plan that has exactly one closed form, whatever the numbers, is replaced by it. Every other unknown
stays a name, bound by the relations of its block; `branch_and_bound` finds the extremes of the target. So the bounds
hold also where the target has no value in the middle of the ranges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product

from derive.errors import DeriveError
from derive.expressions.tree import Equation, Name, Node, names_in
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.exact_values import exactly_computed
from derive.numerics.algebra.like_terms import ONE, ZERO, difference_of, excess_of, without_quotients
from derive.numerics.intervals.enclosure import Span, enclose
from derive.numerics.root_finding.branch_and_bound import PARTS, Bound, System, least_and_greatest
from derive.numerics.root_finding.continuous_pieces import bounds_by_pieces
from derive.numerics.root_finding.univariate_branch_and_prune import (
    angles_of,
    occurs_outside_angles,
    one_turn,
    turn_in_words,
)
from derive.planning.plan import Block, Plan
from derive.solving.assumptions import Assumption, Evidence
from derive.solving.blocks.closed_forms import candidates_of, composed, domains_of, only_form
from derive.solving.blocks.free_unknowns import parted
from derive.solving.blocks.one_unknown import solutions_of
from derive.solving.blocks.propagation import narrowed
from derive.solving.blocks.substitution import divides_by_zero
from derive.solving.blocks.tearing import straight
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import Question
from derive.solving.extremes import ROUGH, bounds_sampled, extreme_corners, form_for_bounds
from derive.solving.ranges.range_propagation import box_of, leaves, may_cancel, ranges_of
from derive.tolerances import MOST, TIGHT
from quantities.domain import Domain
from quantities.rational import rounded_up

_FOUND = Evidence("bounds found by branch and bound over the whole range, to one part in a million", are_reached=True)
_CORNERS = 6  # limit on ranges whose corners are tried


def global_bounds(library: RelationSet, question: Question, plan: Plan) -> tuple[Span, Evidence] | None:
    """The global bounds of a target over its ranges, and how they are known; None if there are none."""
    enclosure = enclosing_bounds(library, question, plan)
    if enclosure is None:
        return None
    ranges, known = ranges_of(library, question, plan), question.start(plan)

    def at(moved: Mapping[str, float]) -> float | None:
        return _value_at(library, plan, {**known, **moved})

    names = list(ranges)[:_CORNERS]
    corners = [at(dict(zip(names, point, strict=True))) for point in product(*(ranges[name] for name in names))]
    attained = [number for number in corners if number is not None]
    low, high = _nearest(enclosure[0], attained), _nearest(enclosure[1], attained)
    if all(bound.is_close for bound in enclosure):
        return (low, high), _FOUND
    return (low, high), _how_near((low, high), bounds_sampled(at, ranges))


def enclosing_bounds(
    library: RelationSet, question: Question, plan: Plan, most: int = PARTS
) -> tuple[Bound, Bound] | None:
    """Global bounds that contain every value of a target over its ranges; None if branch and bound finds none.

    How near to them values are attained takes longer to find than the bounds, and is not asked here.
    """
    system = _system_of(library, question, plan)
    bounds = bounds_by_pieces(system, most) if system is not None else None
    if bounds is None or bounds[0].at > MOST or bounds[1].at < -MOST:  # no number is so large
        return None
    return bounds


def bounds_under_limits(
    target: str, relations: Sequence[Relation], box: Mapping[str, Span], most: int
) -> tuple[Bound, Bound] | None:
    """Global bounds of a target by equations and inequalities together; None if nothing in the box satisfies them all.

    The box has an interval for each name in them.
    """
    names = dict.fromkeys((target, *chain.from_iterable(relation.written.names for relation in relations)))
    zeros = [difference_of(relation.written) for relation in relations if relation.is_equation]
    gaps = [excess_of(relation.written) for relation in relations if not relation.is_equation]
    spans = {name: box[name] for name in names}
    return least_and_greatest(System(Name(target), box[target], tuple(zeros), spans, tuple(gaps)), most)


def evidence_of(bounds: tuple[Bound, Bound]) -> Evidence:
    """How global bounds are known."""
    return _FOUND if all(bound.is_close for bound in bounds) else ROUGH


def _how_near(bounds: Span, attained: Span | None) -> Evidence:
    """How near to the global bounds values were attained."""
    size = max(map(abs, bounds))
    if attained is not None and 0 < size < math.inf:
        gap = max(attained[0] - bounds[0], bounds[1] - attained[1], 0.0) / size
        if gap <= 0.01:
            near = f"values within {rounded_up(gap, 1)} of their size were found"
            return Evidence(f"bounds contain every value in the range; {near}")
    return ROUGH


def interval_without_middle(
    library: RelationSet, question: Question, first: PlanResult, there: str = "it has no value"
) -> PlanResult | None:
    """The global bounds of a target that has no value in the middle of its ranges, as a result; None if unknown.

    The notes say of the middle what `there` says.
    """
    if not ranges_of(library, question, first.plan):
        return None
    bounds = global_bounds(library, question, first.plan)
    if bounds is None:
        return None
    span, how = bounds
    target = question.target
    domain = library.declared[target].domain
    if domain.open_low and span[1] <= domain.low:  # which the bounds reach, and the target does not
        return None
    relations = first.plan.relations
    plan = Plan(target, (Block(relations, (target,)),), first.plan.weak, ())
    notes = [Assumption(f"{there} in the middle of the ranges"), how]
    notes += _turn_notes(library, question, first.plan)
    start, parts = question.start(first.plan), parts_of_target(library, question, first.plan, span)
    states = tuple(State(start, {target: part}, {}, tuple(notes)) for part in parts)
    return PlanResult(plan, states, first.left_out)


def parts_of_target(library: RelationSet, question: Question, plan: Plan, bounds: Span) -> list[Span]:
    """The parts of a target's global bounds in which all sides of a plan's relations have values, if they are known."""
    target = plan.target
    written = [library.relations[name].written for name in plan.relations]
    box = {name: span for name, span in box_of(library, question, plan).items() if name != target}
    parts = parted(bounds, written, target, box, library.declared[target].domain, solutions_of)
    return parts or [bounds]


def is_open_elsewhere(library: RelationSet, question: Question, plan: Plan) -> bool:
    """Whether no global bounds prove that a plan without a value in the middle of its ranges has none elsewhere."""
    return bool(ranges_of(library, question, plan)) and _system_of(library, question, plan) is None


def _turn_notes(library: RelationSet, question: Question, plan: Plan) -> Iterator[Assumption]:
    """The notes on angles that global bounds hold for in one turn only."""
    box = box_of(library, question, plan)
    for block in plan.blocks:
        turn = _turn_of(library, block, box) if _winds(library, block) else None
        if turn is not None:
            yield Assumption(turn_in_words(turn.low, turn.high, turn), "one turn").on(block.unknowns[0])


_NOWHERE = System(ZERO, (-math.inf, math.inf), (ONE,), {})
"""A system that holds nowhere."""


def _system_of(library: RelationSet, question: Question, plan: Plan) -> System | None:
    """The system whose extremes are the global bounds; None if an unknown cancels, or forms grow too large."""
    if not {*question.strong, *plan.weak, *plan.unknowns}.issuperset(library.held_by(plan.relations)):
        return None  # what cancels in the end may be left open
    builder = _SystemBuilder(library, plan.target, box_of(library, question, plan))
    for block in plan.blocks:
        if not builder.add(block):
            return None
        if builder.holds_nowhere:
            return _NOWHERE
    return builder.system()


def system_within(
    library: RelationSet, plan: Plan, box: Mapping[str, Span], beside: Sequence[Block], limits: Sequence[Equation]
) -> System | None:
    """The system for global bounds of a target where limits hold too; None if it is not known, or an angle has turns.

    The blocks `beside` the plan lead to what the limits compare.
    """
    blocks = (*plan.blocks, *beside)
    known = {*box, *chain.from_iterable(block.unknowns for block in blocks)}
    names = {*library.held_by(chain.from_iterable(block.relations for block in blocks))}
    if not known.issuperset(names) or any(_winds(library, block) for block in blocks):
        return None
    builder = _SystemBuilder(library, plan.target, box)
    for block in blocks:
        if not builder.add(block) or builder.holds_nowhere:
            return None
    return builder.system(limits)


class _SystemBuilder:
    """Builds the system for global bounds, block by block: closed forms, and relations of unknowns without one."""

    def __init__(self, library: RelationSet, target: str, box: Mapping[str, Span]) -> None:
        """Start the system for global bounds with the givens' spans; blocks are added in the order of the plan."""
        self.library = library
        self.target = target
        self.forms: dict[str, Node] = {}
        self.spans = dict(box)  # of the givens, and of the unknowns that stay names
        self.zeros: list[Node] = []
        self.holds_nowhere = False

    def add(self, block: Block) -> bool:
        """Add a block to the system for global bounds, by its closed form if it has one; whether that succeeds."""
        form = only_form(self.library, block)
        if form is None:
            return self._add_relations(block)
        name = block.unknowns[0]
        form_in_inputs = composed(name, {**self.forms, name: form})
        if form_in_inputs is None:
            return False
        if any(may_cancel(candidate, name, self.forms, self.spans) for candidate in candidates_of(self.library, block)):
            return self._add_relations(block)
        written = self.library.relations[block.relations[0]].written
        domain = self.library.declared[name].domain.ends
        is_goal = name == self.target == written.written_for and not any(map(math.isfinite, domain))
        # where the form of the goal has no value, branch and bound finds nothing to bound
        if not is_goal and leaves(self.library, form_in_inputs, self.spans, domain):
            is_added = self._add_relations(block)
            self._cut_to_form(name, form_in_inputs)
            return is_added
        self.forms[name] = form
        difference = composed("", {**self.forms, "": difference_of(written)})
        if is_goal and difference is not None:
            difference = self._for_bounds(difference)
        self.holds_nowhere = difference is not None and divides_by_zero(difference, self.spans)
        return True

    def _cut_to_form(self, name: str, form: Node) -> None:
        """Cut an unknown's interval in the search for global bounds to its form's exact extremes, if it has such.

        A difference that is zero at most would reach 2e-16 in doubles, which lies in a positive domain.
        """
        extremes = _exact_extremes(form, self.spans)
        if extremes is None or name not in self.spans:
            return
        low, high = max(self.spans[name][0], extremes[0]), min(self.spans[name][1], extremes[1])
        domain = self.library.declared[name].domain
        if low > high or (domain.open_low and high <= domain.low):
            self.holds_nowhere = True
        else:
            self.spans[name] = low, high

    def _add_relations(self, block: Block) -> bool:
        """Add the relations of a block as zeros of the system for global bounds; whether that succeeds.

        An angle without bounds of its own is sought in one turn, if that is the same in all of the box.
        """
        turn = None
        if _winds(self.library, block):
            turn = _turn_of(self.library, block, self.spans)
            if turn is None:
                return False
        unknowns, written = self._rest_of(block)
        self.spans |= domains_of(self.library, unknowns)
        if turn is not None:
            self.spans[unknowns[0]] = turn.closed
        differences = [composed("", {**self.forms, "": difference_of(equation)}) for equation in written]
        if None in differences:
            return False
        # numbers are put in, what cancels is left out, and divisors that are certainly positive are multiplied out
        numeric = [self._for_bounds(difference) for difference in differences if difference is not None]
        zeros = [without_quotients(difference, unknowns[0], self.spans) for difference in numeric]
        # where only a part that cancels has no value, no zero shows it
        stated = [equation for equation in written if self.spans.keys() >= {*equation.names}]
        narrower = narrowed([*stated, *(Equation(zero, "=", ZERO) for zero in zeros)], unknowns, self.spans)
        if narrower is None or any(divides_by_zero(difference, self.spans) for difference in numeric):
            self.holds_nowhere = True
        else:
            self.spans |= narrower
            self.zeros += zeros
        return True

    def _rest_of(self, block: Block) -> tuple[Sequence[str], Sequence[Equation]]:
        """The unknowns and equations of a block left for global bounds: one of each if the others have forms."""
        written = [self.library.relations[name].written for name in block.relations]
        domains = {name: self.library.declared[name].domain for name in block.unknowns}
        inputs = self._inputs(written, block.unknowns) if len(written) > 1 else None
        way = straight(written, block.unknowns, inputs, domains) if inputs is not None else None
        if way is None or inputs is None:
            return block.unknowns, written
        tear, branch = way
        box = {**inputs, tear: self.library.declared[tear].domain.ends}
        for name in branch.forms:
            form = composed(name, {**self.forms, **branch.forms})
            if form is None or leaves(self.library, form, box, self.library.declared[name].domain.ends):
                return block.unknowns, written
        self.forms |= branch.forms
        return (tear,), branch.left

    def _inputs(self, written: Sequence[Equation], unknowns: Sequence[str]) -> dict[str, Span] | None:
        """The intervals of all names that a block depends on, for global bounds; None if that of a form is unknown."""
        inputs = dict(self.spans)
        for name in names_in(*written):
            if name not in inputs and name not in unknowns:
                form = composed(name, self.forms)
                reach = None if form is None else enclose(form, self.spans, "")
                if reach is None:
                    return None
                inputs[name] = reach.values
        return inputs

    def system(self, limits: Sequence[Equation] = ()) -> System | None:
        """The finished system for the global bounds of the target, under limits; None if a form grows too large."""
        bounded = (Name(self.target), *map(excess_of, limits))
        in_inputs = [composed("", {**self.forms, "": node}) for node in bounded]
        if None in in_inputs:
            return None
        goal, *gaps = (self._for_bounds(node) for node in in_inputs if node is not None)
        used = {name: self.spans[name] for name in names_in(goal, *self.zeros, *gaps)}
        domain = self.library.declared[self.target].domain
        return System(goal, domain.ends, tuple(self.zeros), used, tuple(gaps))

    def _for_bounds(self, node: Node) -> Node:
        """An expression of the system for global bounds with its numbers put in, and without what cancels."""
        known = {name: low for name, (low, high) in self.spans.items() if low == high}
        moving = {name: span for name, span in self.spans.items() if name not in known}
        return form_for_bounds(node, known, moving, self.library.quantities)


def _exact_extremes(form: Node, box: Mapping[str, Span]) -> Span | None:
    """The extremes of a monotone form for global bounds, as its decimals have them; None of another form."""
    used = {name: box[name] for name in names_in(form)}
    points = {name: low for name, (low, high) in used.items() if low == high}
    corners = extreme_corners(form, points, {name: span for name, span in used.items() if name not in points})
    if corners is None:
        return None
    least, greatest = (exactly_computed(form, corner) for corner in corners)
    if least is None or greatest is None or not least <= greatest:  # NaN where the form is undefined
        return None
    return least, greatest


def _winds(library: RelationSet, block: Block) -> bool:
    """Whether an unbounded unknown stands inside sin, cos or tan alone, so that global bounds need one turn of it."""
    endless = {name for name in block.unknowns if any(map(math.isinf, library.declared[name].domain.ends))}
    written = [library.relations[name].written for name in block.relations]
    for equation, name in product(written, endless):
        if angles_of(equation, name) and not any(occurs_outside_angles(side, name) for side in equation.sides):
            return True
    return False


def _turn_of(library: RelationSet, block: Block, spans: Mapping[str, Span]) -> Domain | None:
    """The turn in which global bounds hold for the only unknown of a block, if no range moves it."""
    if len(block.unknowns) > 1:
        return None
    (name,), equation = block.unknowns, library.relations[block.relations[0]].written
    known = {other: low for other, (low, high) in spans.items() if low == high}
    if not {name, *known}.issuperset(names_in(*angles_of(equation, name))):
        return None
    return one_turn(equation, name, known, library.declared[name].domain)


def _value_at(library: RelationSet, plan: Plan, known: Mapping[str, float]) -> float | None:
    """The target at one point of the ranges, to compare with its global bounds; None unless it has one value."""
    states = [State(known)]
    try:
        for block in plan.blocks:
            following = (block_states(library, block, state) for state in states)
            states = [*chain.from_iterable(steps for steps, _ in following)]
    except DeriveError:
        return None
    return states[0].values.get(plan.target) if len(states) == 1 else None


def _nearest(bound: Bound, attained: list[float]) -> float:
    """A global bound, or the value that the target attains at it but for rounding."""
    close = [number for number in attained if math.isclose(number, bound.at, rel_tol=TIGHT)]
    return min(close, key=lambda number: abs(number - bound.at), default=bound.at)
