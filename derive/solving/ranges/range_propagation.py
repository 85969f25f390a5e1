"""Propagation of ranges through the closed forms of a plan: which forms hold all over them, and what they reach.

A block has a closed form over whole ranges only if it is the value of its unknown at every point of them: if isolation
leaves out no value there, and no condition or choice decides between several. What such forms reach is enclosed one
after the other. So it shows whether a quantity keeps to its domain all over the ranges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product

from derive.expressions.tree import Apply, Equation, Node, conjunction, names_in, operations
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.isolation import Candidate, isolate, leaves_out
from derive.numerics.algebra.like_terms import difference_of, exponent_of
from derive.numerics.intervals.arithmetic import meet
from derive.numerics.intervals.enclosure import Enclosure, Span, enclose
from derive.planning.plan import Block, Plan
from derive.solving.blocks.free_unknowns import has_choice
from derive.solving.execution.block_execution import enclosed_form
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import Question
from derive.solving.sensitivity import bounds_of_form, composed, form_for_bounds, is_monotone

_BRANCHES = 16  # limit on combinations of the values of unknowns that have several


def ranges_of(library: RelationSet, question: Question, plan: Plan) -> dict[str, Span]:
    """The ranges among the values that a plan uses, which are propagated through its forms."""
    names = {plan.target, *library.held_by(plan.relations)}
    stated = question.in_use(plan)
    return {name: (value.base[0], value.base[2]) for name, value in stated.items() if value.is_range and name in names}


def box_of(library: RelationSet, question: Question, plan: Plan) -> dict[str, Span]:
    """The box whose ranges are propagated through a plan: the ranges of its givens, and its other numbers as points."""
    points = {name: (number, number) for name, number in question.start(plan).items()}
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
    """Whether, over propagated ranges, the relation of a block may hold at an end of its unknown's domain."""
    (name,), equation = block.unknowns, library.relations[block.relations[0]].written
    gap = difference_of(equation)
    others = {*names_in(gap)} - {name}
    if not branch.keys() >= others or all(branch[other][0] == branch[other][1] for other in others):
        return False
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
        if leaves(library, form, box, domain_of(library, name)):
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
            if enclosure is not None and stays_within(enclosure, domain_of(library, name)):
                spans[name] = enclosure.values
                inside.add(name)
    return inside


def stays_within(enclosure: Enclosure, domain: Span) -> bool:
    """Whether an expression that ranges are propagated through is defined in all of them, and stays in a domain."""
    (low, high), (least, most) = enclosure.values, domain
    return not enclosure.partial and least <= low and high <= most


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


def domain_of(library: RelationSet, name: str) -> Span:
    """The ends of a quantity's domain, as a range to propagate."""
    domain = library.declared[name].domain
    return domain.low, domain.high


def domains_of(library: RelationSet, names: Iterable[str]) -> dict[str, Span]:
    """The ends of the domains of some quantities, as ranges to propagate."""
    return {name: domain_of(library, name) for name in names}


def only_form(library: RelationSet, block: Block) -> Node | None:
    """The closed form that any ranges can be propagated through in a block; None if there is not exactly one."""
    candidates = candidates_of(library, block)
    return candidates[0].form if len(candidates) == 1 and not candidates[0].conditions else None


def closed_forms(library: RelationSet, block: Block) -> tuple[Node, ...]:
    """The closed forms of a block, one of which holds at any point of the ranges propagated through them; else none.

    A form that holds under conditions has no number where they fail.
    """
    if has_choice(library.relations[block.relations[0]].written, block.unknowns[0]):
        return ()
    return tuple(_under_conditions(candidate) for candidate in candidates_of(library, block))


def divisors_beside(library: RelationSet, equations: Iterable[Equation], forms: Iterable[Node]) -> list[Node]:
    """The divisors of relations that may be zero and are none of their closed forms: only the forms have a value there.

    The form of `a = x/b` is `x = a*b`, and has a value where b is zero; the relation has none.
    """
    sides = chain.from_iterable(equation.sides for equation in equations)
    own = frozenset(_divisors(forms))
    divisors = dict.fromkeys(divisor for divisor in _divisors(sides) if names_in(divisor))
    return [divisor for divisor in divisors if divisor not in own and may_be_zero(library, divisor)]


def _divisors(nodes: Iterable[Node]) -> Iterator[Node]:
    """What relations, or the closed forms that ranges run through, divide by; of negative powers the base."""
    for part in operations(*nodes, among=("inv", "pow")):
        exponent = exponent_of(part)
        if exponent is not None and exponent < 0:
            yield part.args[0]


def zero_divisors(library: RelationSet, candidates: Iterable[Candidate]) -> list[Node]:
    """The divisors of a block's closed forms that may be zero: there the unknown of `n = a*x` may be anything."""
    divisors = dict.fromkeys(chain.from_iterable(candidate.divisors for candidate in candidates))
    within = [divisor for divisor in divisors if not (isinstance(divisor, Apply) and divisor.op == "inv")]
    return [divisor for divisor in within if names_in(divisor) and may_be_zero(library, divisor)]


def lost_divisors(library: RelationSet, candidates: Sequence[Candidate]) -> list[Node]:
    """The divisors of a block's closed forms that may be zero and stand in none: `a*x = a*b` has the form b."""
    shown = frozenset(_divisors(candidate.form for candidate in candidates))
    return [divisor for divisor in zero_divisors(library, candidates) if divisor not in shown]


def may_be_zero(library: RelationSet, divisor: Node) -> bool:
    """Whether a divisor of a relation or of its closed form may be zero as its quantities range over their domains."""
    enclosure = enclose(divisor, {name: library.declared[name].domain.closed for name in names_in(divisor)}, "")
    return enclosure is None or not enclosure.misses_zero


def candidates_of(library: RelationSet, block: Block) -> tuple[Candidate, ...]:
    """The isolated forms to propagate ranges through, if they leave out no value of a block's unknown; else none."""
    if len(block.unknowns) > 1:
        return ()
    candidates = isolate(library.relations[block.relations[0]].written, block.unknowns[0]) or ()
    if any(candidate.winds for candidate in candidates):
        return ()
    powers = [*chain.from_iterable(candidate.powers for candidate in candidates)]
    is_short = leaves_out(powers, domains_of(library, names_in(*powers)))
    return () if is_short else candidates


def may_cancel(candidate: Candidate, name: str, forms: Mapping[str, Node], box: Mapping[str, Span]) -> bool:
    """Whether an unknown may cancel somewhere in the ranges, and be anything there, though its form has an interval.

    That is where a divisor of the form may be zero and the form stays finite: `a*x = b*x` has the form 0/(a - b).
    """
    divisors = [node for node in candidate.divisors if not (isinstance(node, Apply) and node.op == "inv")]
    composed_form = composed(name, {**forms, name: candidate.form}) if divisors else None
    enclosure = None if composed_form is None else enclosed_form(composed_form, box)
    if enclosure is None or not all(map(math.isfinite, enclosure.values)):
        return False
    enclosures = [enclosed_form(composed("", {**forms, "": divisor}), box) for divisor in divisors]
    return any(below is not None and not below.misses_zero for below in enclosures)


def _under_conditions(candidate: Candidate) -> Node:
    """The closed form that ranges are propagated through: no number where a candidate's conditions fail."""
    if not candidate.conditions:
        return candidate.form
    return Apply("piecewise", (candidate.form, conjunction(candidate.conditions)))
