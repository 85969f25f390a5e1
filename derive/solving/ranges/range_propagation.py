"""The interval of a target over the whole ranges of its givens, where the midpoint is not enough.

An unknown of the plan that has exactly one closed form, whatever the numbers, is replaced by it. Every other unknown
stays a name, bound by the relations of its block; `branch_and_bound` finds the extremes of the target.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product

from derive.errors import DeriveError
from derive.expressions.tree import Apply, Equation, Name, Node, conjunction, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import without_quotients
from derive.numerics.algebra.isolation import Candidate, isolate, leaves_out
from derive.numerics.algebra.like_terms import ONE, ZERO, difference_of
from derive.numerics.intervals.enclosure import Enclosure, Span, enclose
from derive.numerics.root_finding.branch_and_bound import PARTS, Bound, System, least_and_greatest
from derive.numerics.root_finding.periods import angles_of, occurs_outside_angles, one_turn
from derive.planning.plan import Block, Plan
from derive.solving.blocks.complete_search import narrowed
from derive.solving.blocks.free_unknowns import has_choice
from derive.solving.blocks.tearing import straight
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.plan_states import Found
from derive.solving.execution.question import Question
from derive.solving.sensitivity.composed_forms import composed
from derive.solving.sensitivity.form_bounds import bounds_of_form, bounds_sampled, eased, is_monotone
from derive.tolerances import EXTREME
from quantities.domain import Domain

WIDE = "they may be too wide"
"""What is said of bounds that are far from the values found."""

_CORNERS = 6  # limit on ranges whose corners are tried


def ranges_of(library: RelationSet, question: Question, plan: Plan) -> dict[str, Span]:
    """The ranges among the values that a plan uses."""
    names = {plan.target, *library.held_by(plan.relations)}
    stated = question.in_use(plan)
    return {name: (value.base[0], value.base[2]) for name, value in stated.items() if value.is_range and name in names}


def spread(library: RelationSet, question: Question, plan: Plan) -> tuple[Span, str] | None:
    """The target's bounds over the whole ranges by branch and bound, and how they are known; None if there are none."""
    enclosure = enclosed(library, question, plan)
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
        return (low, high), "bounds found by branch and bound over the whole range, to one part in a million"
    return (low, high), f"bounds contain every value in the range; {_how_near((low, high), bounds_sampled(at, ranges))}"


def enclosed(library: RelationSet, question: Question, plan: Plan, most: int = PARTS) -> tuple[Bound, Bound] | None:
    """Bounds that contain every value of the target over all ranges, by branch and bound; None if it finds none.

    How near to them values are attained takes longer to find than the bounds, and is not asked here.
    """
    if not _is_fixed(library, question, plan):
        return None
    system = _system(library, question, plan)
    return least_and_greatest(system, most) if system is not None else None


def _box(library: RelationSet, question: Question, plan: Plan) -> dict[str, Span]:
    """The box of a plan: its ranges, and its other numbers as points."""
    points = {name: (number, number) for name, number in question.start(plan).items()}
    return points | ranges_of(library, question, plan)


def _is_fixed(library: RelationSet, question: Question, plan: Plan) -> bool:
    """Whether a plan fixes all quantities in its relations, as branch and bound over the ranges requires.

    One that cancels in the end may be left open.
    """
    fixed = {*question.strong, *plan.weak, *plan.unknowns}
    return fixed.issuperset(library.held_by(plan.relations))


def _how_near(bounds: Span, attained: Span | None) -> str:
    """The words for how near to the bounds over the ranges values were attained."""
    size = max(map(abs, bounds))
    if attained is not None and 0 < size < math.inf:
        gap = max(attained[0] - bounds[0], bounds[1] - attained[1], 0.0) / size
        if gap <= 0.01:
            return f"values within {_rounded_up(gap):g} of their size were found"
    return WIDE


def _rounded_up(gap: float) -> float:
    """A gap between bounds and values over the ranges, to one digit and no less than it is.

    >>> [f"{_rounded_up(gap):g}" for gap in (0.0014, 0.002, 0.0)]
    ['0.002', '0.002', '0']
    """
    shown = float(f"{gap:.1g}")
    return shown if shown >= gap else float(f"{gap + 10.0 ** math.floor(math.log10(gap)) / 2:.1g}")


def spread_without_middle(
    library: RelationSet, question: Question, first: Found, there: str = "it has no value"
) -> Found | None:
    """The interval of a target that has no value at the midpoint of the ranges, but may have some elsewhere.

    The notes say of the midpoint what `there` says.
    """
    if not ranges_of(library, question, first.plan):
        return None
    bounds = spread(library, question, first.plan)
    if bounds is None:
        return None
    span, how = bounds
    target = question.target
    domain = library.declared[target].domain
    if domain.open_low and span[1] <= domain.low:  # which the bounds reach, and the target does not
        return None
    relations = first.plan.relations
    plan = Plan(target, (Block(relations, (target,)),), first.plan.weak, ())
    notes = (f"{there} in the middle of the ranges", how, *_turns(library, question, first.plan))
    return Found(plan, (State(question.start(first.plan), {target: span}, {}, notes),), first.left_out)


def is_open_elsewhere(library: RelationSet, question: Question, plan: Plan) -> bool:
    """Whether a plan without a value in the middle of the ranges may have one elsewhere in them."""
    if not ranges_of(library, question, plan):
        return False
    return not _is_fixed(library, question, plan) or _system(library, question, plan) is None


def may_enter_elsewhere(library: RelationSet, question: Question, plan: Plan) -> bool:
    """Whether a value of an unknown that has several may enter or leave its domain within the ranges.

    `y = cosh(x)` with x in -1..8 has one x for y = 2.5, and two for y = 1.2. A value passes an end of the domain where
    the relation may hold at that end.
    """
    spans = domains_of(library, library.held_by(plan.relations))  # an arm may hold what is open
    spans |= _box(library, question, plan)
    for block in plan.blocks:
        form = only_form(library, block)
        for name in block.unknowns:
            reach = None if form is None else enclose(form, spans, "")
            spans[name] = domain_of(library, name) if reach is None else reach.values
        if form is not None or len(block.unknowns) > 1:
            continue
        (name,), equation = block.unknowns, library.relations[block.relations[0]].written
        gap = difference_of(equation)
        others = {*names_in(gap)} - {name}
        if not spans.keys() >= others or all(spans[other][0] == spans[other][1] for other in others):
            continue
        for end in filter(math.isfinite, spans[name]):
            residual = enclose(gap, {**spans, name: (end, end)}, "")
            if residual is not None and not residual.partial and not residual.misses_zero:
                return True
    return False


def _turns(library: RelationSet, question: Question, plan: Plan) -> Iterator[str]:
    """The notes on angles of a plan that are sought in one turn over the ranges."""
    box = _box(library, question, plan)
    for block in plan.blocks:
        turn = _turn_of(library, block, box) if _winds(library, block) else None
        if turn is not None:
            yield f"{block.unknowns[0]}: sought in one turn, from {turn.low:.6g} to {turn.high:.6g}"


def leaves_domain(library: RelationSet, target: str, forms: Mapping[str, Node], box: Mapping[str, Span]) -> bool:
    """Whether some quantity that the target depends on may leave its domain in a part of the ranges."""
    for name in forms.keys() - {target} - _certainly_inside(library, forms, box):
        form = composed(name, forms)
        if form is None or not box.keys() >= {*names_in(form)}:
            continue
        if leaves(library, form, box, domain_of(library, name)):
            return True
    return False


def _certainly_inside(library: RelationSet, forms: Mapping[str, Node], box: Mapping[str, Span]) -> set[str]:
    """The quantities that certainly keep to their domains over the ranges, by enclosures of their forms."""
    spans = {name: span for name, span in box.items() if name not in forms}
    inside = set[str]()
    pending = dict(forms)
    while ready := [name for name, form in pending.items() if spans.keys() >= {*names_in(form)}]:
        for name in ready:
            enclosure = enclose(pending.pop(name), spans, "")
            if enclosure is not None and stays_within(enclosure, domain_of(library, name)):
                spans[name] = enclosure.values
                inside.add(name)
    return inside


def stays_within(enclosure: Enclosure, domain: Span) -> bool:
    """Whether an expression enclosed over ranges is defined in all of them, and lies in a domain there."""
    (low, high), (least, most) = enclosure.values, domain
    return not enclosure.partial and least <= low and high <= most


def leaves(library: RelationSet, form: Node, box: Mapping[str, Span], domain: Span) -> bool:
    """Whether a form may leave a domain in a part of the box of the ranges."""
    enclosure = enclose(form, box, "")
    if enclosure is not None and stays_within(enclosure, domain):
        return False
    ranges = {name: span for name, span in box.items() if span[0] < span[1]}
    values = {name: span[0] for name, span in box.items()}
    form = eased(form, values, ranges, library.quantities)
    if not is_monotone(form, values, ranges):
        return True
    (low, high), _ = bounds_of_form(form, values, ranges)
    return not (domain[0] <= low and high <= domain[1])


_NOWHERE = System(ZERO, (-math.inf, math.inf), (ONE,), {})
"""A system that holds nowhere."""


def _system(library: RelationSet, question: Question, plan: Plan) -> System | None:
    """The system that branch and bound solves over the ranges; None if an unknown cancels, or forms grow too large.

    An angle without bounds of its own is sought in one turn, if that is the same in all of the box.
    """
    forms: dict[str, Node] = {}
    spans = _box(library, question, plan)
    zeros: list[Node] = []
    for block in plan.blocks:
        form = only_form(library, block)
        if form is not None:
            name = block.unknowns[0]
            composed_form = composed(name, {**forms, name: form})
            if composed_form is None:
                return None
            if not leaves(library, composed_form, spans, domain_of(library, name)):
                forms[name] = form
                continue
        winds = _winds(library, block)
        turn = _turn_of(library, block, spans) if winds else None
        if winds and turn is None:
            return None
        unknowns, written = _rest_of_block(library, block, forms, spans)
        spans |= domains_of(library, unknowns)
        if turn is not None:
            spans[unknowns[0]] = turn.closed
        differences = [composed("", {**forms, "": difference_of(equation)}) for equation in written]
        # numbers are put in, what cancels is left out, and divisors that are certainly positive are multiplied out
        known = {name: low for name, (low, high) in spans.items() if low == high}
        moving = {name: span for name, span in spans.items() if name not in known}
        present = (difference for difference in differences if difference is not None)
        numeric = [eased(difference, known, moving, library.quantities) for difference in present]
        block_zeros = [without_quotients(difference, unknowns[0], spans) for difference in numeric]
        narrower = narrowed([Equation(zero, "=", ZERO) for zero in block_zeros], unknowns, spans)
        if None in differences:
            return None
        if narrower is None or any(map(_is_divided_by_zero, numeric)):
            return _NOWHERE
        spans |= narrower
        zeros += block_zeros
    goal = composed("", {**forms, "": Name(plan.target)})
    if goal is None:
        return None
    known = {name: low for name, (low, high) in spans.items() if low == high}
    goal = eased(goal, known, {name: span for name, span in spans.items() if name not in known}, library.quantities)
    used = {name: spans[name] for name in names_in(goal, *zeros)}
    return System(goal, domain_of(library, plan.target), tuple(zeros), used)


def _is_divided_by_zero(node: Node) -> bool:
    """Whether an expression has no value anywhere, since a divisor is zero: `x/(x - x)`; arms of choices aside."""
    if not isinstance(node, Apply) or node.op == "piecewise":
        return False
    return (node.op == "inv" and node.args[0] == ZERO) or any(map(_is_divided_by_zero, node.args))


def _rest_of_block(
    library: RelationSet, block: Block, forms: dict[str, Node], spans: Mapping[str, Span]
) -> tuple[Sequence[str], Sequence[Equation]]:
    """The unknowns and equations of a block left to branch and bound: one of each if the others have forms, or all."""
    written = [library.relations[name].written for name in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    inputs = _inputs(written, block.unknowns, forms, spans) if len(written) > 1 else None
    way = straight(written, block.unknowns, inputs, domains) if inputs is not None else None
    if way is None or inputs is None:
        return block.unknowns, written
    tear, branch = way
    box = {**inputs, tear: domain_of(library, tear)}
    for name in branch.forms:
        form = composed(name, {**forms, **branch.forms})
        if form is None or leaves(library, form, box, domain_of(library, name)):
            return block.unknowns, written
    forms |= branch.forms
    return (tear,), branch.left


def _inputs(
    written: Sequence[Equation], unknowns: Sequence[str], forms: Mapping[str, Node], spans: Mapping[str, Span]
) -> dict[str, Span] | None:
    """The intervals over the ranges of all names that a block depends on, by their forms; None if one is unknown."""
    inputs = dict(spans)
    for name in names_in(*written):
        if name not in inputs and name not in unknowns:
            form = composed(name, forms)
            reach = None if form is None else enclose(form, spans, "")
            if reach is None:
                return None
            inputs[name] = reach.values
    return inputs


def domain_of(library: RelationSet, name: str) -> Span:
    """The ends of a quantity's domain, as an interval to propagate."""
    domain = library.declared[name].domain
    return domain.low, domain.high


def domains_of(library: RelationSet, names: Iterable[str]) -> dict[str, Span]:
    return {name: domain_of(library, name) for name in names}


def only_form(library: RelationSet, block: Block) -> Node | None:
    """The closed form of a block's unknown that holds over any ranges; None if there is not exactly one."""
    candidates = candidates_of(library, block)
    if len(candidates) != 1:
        return None
    (only,), equation = candidates, library.relations[block.relations[0]].written
    is_unconditional = not only.conditions and not has_choice(equation, block.unknowns[0])
    return only.form if is_unconditional or _is_plain(equation, block.unknowns[0]) else None


def closed_forms(library: RelationSet, block: Block) -> tuple[Node, ...]:
    """The closed forms of a block's unknown, if one of them is its value at any point of the ranges; else none.

    A form that holds under conditions has no number where they fail.
    """
    candidates, equation = candidates_of(library, block), library.relations[block.relations[0]].written
    if len(candidates) == 1 and _is_plain(equation, block.unknowns[0]):
        return (candidates[0].form,)
    if has_choice(equation, block.unknowns[0]):
        return ()
    return tuple(_under_conditions(candidate) for candidate in candidates)


def candidates_of(library: RelationSet, block: Block) -> tuple[Candidate, ...]:
    """The forms of a block's unknown by isolation, if they leave out no value of it over any ranges; else none."""
    if len(block.unknowns) > 1:
        return ()
    candidates = isolate(library.relations[block.relations[0]].written, block.unknowns[0]) or ()
    if any(candidate.winds for candidate in candidates):
        return ()
    powers = [*chain.from_iterable(candidate.powers for candidate in candidates)]
    is_short = leaves_out(powers, domains_of(library, names_in(*powers)))
    return () if is_short else candidates


def _is_plain(equation: Equation, name: str) -> bool:
    """Whether an equation is written for a name, which stands alone on its left."""
    return isinstance(equation.lhs, Name) and equation.lhs.name == name


def _under_conditions(candidate: Candidate) -> Node:
    """The form of a candidate where its conditions hold, and no number in other parts of the ranges."""
    if not candidate.conditions:
        return candidate.form
    return Apply("piecewise", (candidate.form, conjunction(candidate.conditions)))


def _winds(library: RelationSet, block: Block) -> bool:
    """Whether an unknown without bounds of its own stands inside sin, cos or tan alone, so that its values recur."""
    endless = {name for name in block.unknowns if any(map(math.isinf, domain_of(library, name)))}
    written = [library.relations[name].written for name in block.relations]
    for equation, name in product(written, endless):
        if angles_of(equation, name) and not any(occurs_outside_angles(side, name) for side in equation.sides):
            return True
    return False


def _turn_of(library: RelationSet, block: Block, spans: Mapping[str, Span]) -> Domain | None:
    """The turn in which the only unknown of a block is sought over the ranges, if none of them moves it."""
    if len(block.unknowns) > 1:
        return None
    (name,), equation = block.unknowns, library.relations[block.relations[0]].written
    known = {other: low for other, (low, high) in spans.items() if low == high}
    if not {name, *known}.issuperset(names_in(*angles_of(equation, name))):
        return None
    return one_turn(equation, name, known, library.declared[name].domain)


def _value_at(library: RelationSet, plan: Plan, known: Mapping[str, float]) -> float | None:
    """The target at one point of the ranges, if it has exactly one value there."""
    states = [State(known)]
    try:
        for block in plan.blocks:
            following = (block_states(library, block, state) for state in states)
            states = [*chain.from_iterable(steps for steps, _ in following)]
    except DeriveError:
        return None
    return states[0].values.get(plan.target) if len(states) == 1 else None


def _nearest(bound: Bound, attained: list[float]) -> float:
    """The bound over the ranges, or the value that the target attains at it."""
    close = [number for number in attained if math.isclose(number, bound.at, rel_tol=EXTREME)]
    return min(close, key=lambda number: abs(number - bound.at), default=bound.at)
