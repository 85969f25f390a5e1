"""A solution followed through the ranges of its givens: the stages of a plan, and the bounds along it.

What follows from the givens alone is put into the equations, so that what cancels in them is gone before any interval
is formed. Of what is left, the equations up to the target's are followed (`continuation`). Unknowns beside it that are
forms in it only have to stay in their domains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from derive.expressions.tree import Name, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.like_terms import added, negated, simplified
from derive.numerics.intervals.enclosure import Span, enclose
from derive.planning.plan import Block, Plan
from derive.solving.blocks.tearing import straight
from derive.solving.execution.block_execution import State
from derive.solving.ranges.range_propagation import domain_of, how_near, leaves, only_form
from derive.solving.sensitivity.continuation import Stage, followed
from derive.solving.sensitivity.elasticities import composed, put_in

__all__ = ["ATTAINED_ALONG", "along", "hangs_on_what_cancels"]

ATTAINED_ALONG = "bounds along this solution are attained"


def along(library: RelationSet, made: Plan, state: State, ranges: Mapping[str, Span]) -> tuple[Span, str] | None:
    """The target's bounds along this solution, and how they are known; None if it cannot be followed."""
    if hangs_on_what_cancels(library, made, state):
        return None
    spans = _spans_of(library, made, state, ranges)
    stages = _all_stages(library, made, spans)
    felt = names_in(*(zero for stage in stages for zero in stage.zeros))
    moving = {name: span for name, span in ranges.items() if name in felt}
    first = next((place for place, stage in enumerate(stages) if made.target in stage.unknowns), len(stages)) + 1
    found = followed(stages[:first], made.target, moving, state.values, spans)
    if found is not None and not _stay(stages[first:], {**spans, made.target: found.span}):
        found = followed(stages, made.target, moving, state.values, spans)
    if found is None:
        return None
    how = ATTAINED_ALONG
    if not found.attained:
        how = f"bounds along this solution are those of an enclosure: {how_near(found.span, found.met)}"
    return found.span, f"{how}; elsewhere in the ranges there may be others"


def hangs_on_what_cancels(library: RelationSet, made: Plan, state: State) -> bool:
    """Whether some quantities of the relations have no value, so that they cannot be run one by one."""
    return any(name not in state.values for name in library.held_by(made.relations))


def _spans_of(library: RelationSet, made: Plan, state: State, ranges: Mapping[str, Span]) -> dict[str, Span]:
    """The domains of the unknowns, and the ranges of the givens."""
    given = state.values.keys() - {*made.unknowns}
    spans = {name: domain_of(library, name) for name in state.values if name in library.declared}
    return spans | {name: ranges.get(name, (state.values[name],) * 2) for name in given}


def _all_stages(library: RelationSet, made: Plan, spans: dict[str, Span]) -> list[Stage]:
    """The stages of a plan. What follows from the givens alone is put into them, so that what cancels is gone."""
    forms: dict[str, Node] = {}
    found: list[Stage] = []
    for block in made.blocks:
        name, form = block.unknowns[0], only_form(library, block)
        whole = None if form is None else composed(name, {**forms, name: form})
        if whole is not None and name != made.target:
            whole = simplified(whole)
            reach = enclose(whole, spans, "")
            if reach is not None and not leaves(library, whole, spans, domain_of(library, name)):
                forms[name], spans[name] = whole, reach.values
                continue
        for stage in _stages(library, block, spans):
            found.append(Stage(tuple(simplified(put_in(zero, forms)) for zero in stage.zeros), stage.unknowns))
    return found


def _stages(library: RelationSet, block: Block, spans: Mapping[str, Span]) -> list[Stage]:
    """The stages of a block: torn, if the other unknowns have forms in one of them; else a single one."""
    written = [library.relations[name].written for name in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    way = straight(written, block.unknowns, spans, domains) if len(written) > 1 else None
    if way is None or len(way[1].left) != 1:
        return [Stage(tuple(added(one.lhs, negated(one.rhs)) for one in written), tuple(block.unknowns))]
    tear, branch = way
    left = branch.left[0]
    whole = composed("", {**branch.forms, "": added(left.lhs, negated(left.rhs))})
    forms = {name: composed(name, branch.forms) for name in branch.forms}
    if whole is None or None in forms.values():
        return [Stage(tuple(added(one.lhs, negated(one.rhs)) for one in written), tuple(block.unknowns))]
    others = [Stage((added(Name(name), negated(form)),), (name,)) for name, form in forms.items() if form is not None]
    return [Stage((whole,), (tear,)), *others]


def _stay(stages: Sequence[Stage], spans: Mapping[str, Span]) -> bool:
    """Whether what follows from earlier unknowns certainly stays in its domain: each is one name less its form."""
    reached = dict(spans)
    for stage in stages:
        form = _form_of(stage)
        found = None if form is None else enclose(form, reached, "")
        if found is None or found.partial:
            return False
        name = stage.unknowns[0]
        low, high = spans[name]
        if not (low <= found.values[0] and found.values[1] <= high):
            return False
        reached[name] = found.values
    return True


def _form_of(stage: Stage) -> Node | None:
    """The form of a stage's only unknown, where its equation is that name less its form."""
    if len(stage.unknowns) > 1:
        return None
    name = stage.unknowns[0]
    form = simplified(negated(added(stage.zeros[0], negated(Name(name)))))
    return None if name in names_in(form) else form
