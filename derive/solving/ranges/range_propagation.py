"""Propagation of ranges through the closed forms of a plan: what they reach is enclosed one after the other.

So it shows whether a quantity keeps to its domain all over the ranges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

from derive.expressions.tree import Apply, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.isolation import Candidate
from derive.numerics.algebra.like_terms import difference_of
from derive.numerics.intervals.arithmetic import meet, point_box
from derive.numerics.intervals.enclosure import GAP, Enclosure, Span, enclose
from derive.planning.plan import Block, Plan
from derive.solving.blocks.closed_forms import closed_forms, composed, domains_of, enclosed_form
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import Question
from derive.solving.extremes import bounds_of_form, form_for_bounds, is_monotone

_BRANCHES = 16  # limit on combinations of the values of unknowns that have several


def ranges_of(library: RelationSet, question: Question, plan: Plan) -> dict[str, Span]:
    """The ranges among the values that a plan uses, which are propagated through its forms."""
    names = {plan.target, *library.held_by(plan.relations)}
    stated = question.in_use(plan)
    return {name: (value.base[0], value.base[2]) for name, value in stated.items() if value.is_range and name in names}


def box_of(library: RelationSet, question: Question, plan: Plan) -> dict[str, Span]:
    """The box whose ranges are propagated through a plan: the ranges of its givens, and its other numbers as points."""
    points = point_box(question.start(plan))
    return points | ranges_of(library, question, plan)


def may_enter_elsewhere(library: RelationSet, question: Question, found: PlanResult) -> bool:
    """Whether, as ranges are propagated, further values of unknowns that have several may enter their domains.

    `y = cosh(x)` with x in -1..8 has one x for y = 2.5, and two for y = 1.2; and what follows from x may then enter its
    own domain. Without closed forms a value passes an end of the domain where the relation may hold at that end.
    """
    plan = found.plan
    spans = domains_of(library, library.held_by(plan.relations))  # an arm may hold what is open
    branches = [spans | box_of(library, question, plan)]
    for block in plan.blocks:
        forms = closed_forms(library, block) if len(block.unknowns) == 1 else ()
        if not forms or len(branches) * len(forms) > _BRANCHES:
            if len(block.unknowns) == 1 and any(_may_pass_an_end(library, block, branch) for branch in branches):
                return True
            continue
        name = block.unknowns[0]
        following = (_with_reach(branch, name, form) for branch, form in product(branches, forms))
        branches = [branch for branch in following if branch is not None]
    return len(branches) > len(found.states)


def _with_reach(branch: Mapping[str, Span], name: str, form: Node) -> dict[str, Span] | None:
    """The ranges propagated along a branch to one more unknown; None if it leaves its domain."""
    reach = enclose(form, branch, "")
    if reach is None:
        return None
    low, high = meet(reach.values, branch[name])
    return {**branch, name: (low, high)} if low <= high else None


def _may_pass_an_end(library: RelationSet, block: Block, branch: Mapping[str, Span]) -> bool:
    """Whether, as ranges are propagated, a relation of a block may hold at an end of the block's unknown's domain."""
    (name,) = block.unknowns
    for relation in block.relations:
        gap = difference_of(library.relations[relation].written)
        members = {*names_in(gap)}
        others = members - {name}
        is_ranged = branch.keys() >= others and any(branch[other][0] != branch[other][1] for other in others)
        if name not in members or not is_ranged:
            continue
        for end in filter(math.isfinite, branch[name]):
            residual = enclose(gap, {**branch, name: (end, end)}, "")
            if residual is not None and not residual.misses_zero:
                return True
    return False


def leaves_domain(library: RelationSet, target: str, forms: Mapping[str, Node], box: Mapping[str, Span]) -> bool:
    """Whether, as ranges are propagated through closed forms, a quantity behind the target may leave its domain."""
    for name in forms.keys() - {target} - _certainly_inside(library, forms, box):
        form = composed(name, forms)
        if form is None or not box.keys() >= {*names_in(form)}:
            continue
        if leaves(library, form, box, library.declared[name].domain.ends):
            return True
    return False


def _certainly_inside(library: RelationSet, forms: Mapping[str, Node], box: Mapping[str, Span]) -> set[str]:
    """The quantities that certainly keep to their domains as ranges are propagated through their forms."""
    spans = {name: span for name, span in box.items() if name not in forms}
    inside = set[str]()
    pending = dict(forms)
    while ready := [name for name, form in pending.items() if spans.keys() >= {*names_in(form)}]:
        for name in ready:
            enclosure = enclose(pending.pop(name), spans, "")
            if enclosure is not None and stays_within(enclosure, library.declared[name].domain.ends):
                spans[name] = enclosure.values
                inside.add(name)
    return inside


def stays_within(enclosure: Enclosure, domain: Span) -> bool:
    """Whether an expression that ranges are propagated through is defined in all of them, and stays in a domain."""
    (low, high), (least, most) = enclosure.values, domain
    return enclosure.flaw < GAP and least <= low and high <= most


def leaves(library: RelationSet, form: Node, box: Mapping[str, Span], domain: Span) -> bool:
    """Whether a form that ranges are propagated through may leave a domain in a part of them."""
    enclosure = enclose(form, box, "")
    if enclosure is not None and stays_within(enclosure, domain):
        return False
    ranges = {name: span for name, span in box.items() if span[0] < span[1]}
    values = {name: span[0] for name, span in box.items()}
    form = form_for_bounds(form, values, ranges, library.quantities)
    if not is_monotone(form, values, ranges):
        return True
    (low, high), _ = bounds_of_form(form, values, ranges)
    return not (domain[0] <= low and high <= domain[1])


def may_cancel(candidate: Candidate, name: str, forms: Mapping[str, Node], box: Mapping[str, Span]) -> bool:
    """Whether an unknown may cancel somewhere in propagated ranges, and be anything, though its form has an interval.

    That is where a divisor of the form may be zero and the form stays finite: `a*x = b*x` has the form 0/(a - b).
    """
    divisors = [node for node in candidate.divisors if not (isinstance(node, Apply) and node.op == "inv")]
    composed_form = composed(name, {**forms, name: candidate.form}) if divisors else None
    enclosure = None if composed_form is None else enclosed_form(composed_form, box)
    if enclosure is None or not all(map(math.isfinite, enclosure.values)):
        return False
    enclosures = [enclosed_form(composed("", {**forms, "": divisor}), box) for divisor in divisors]
    return any(below is not None and not below.misses_zero for below in enclosures)
