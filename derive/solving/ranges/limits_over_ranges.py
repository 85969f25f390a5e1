"""Bounds over ranges, cut to where the limits of the library hold: inequalities that fail in a part of the ranges.

A limit is a check in the middle of the ranges. Elsewhere in them it may forbid what the target's form reaches: with
`t = a*b` and `t <= 18`, t is at most 18, whatever the ranges of a and b. So the limits become gaps that are not
positive, beside the equations of the plan, and branch and bound finds the extremes of the target under them.

A limit that surely holds all over the ranges is left aside, which an enclosure tells. One that surely holds nowhere
leaves nothing: it is a contradiction, or the failed check of a weak value. Where a limit that may fail cannot be taken
along, as it has a condition or is an estimate, or where the equations have no system for branch and bound, the bounds
no longer claim to be reached.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from derive.errors import InconsistentError
from derive.expressions.tree import Apply, Name, Node, Number, names_in
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import added
from derive.numerics.intervals.arithmetic import meet
from derive.numerics.intervals.enclosure import GAP, Span, enclose
from derive.numerics.root_finding.branch_and_bound import System, least_and_greatest
from derive.planning.plan import Block, Plan
from derive.solving.assumptions import Evidence
from derive.solving.execution.block_execution import State
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import Question
from derive.solving.ranges.global_bounds import system_within
from derive.tolerances import AGREEMENT, EXTREME
from quantities.domain import Domain
from quantities.rational import exact_of

UNREACHED = Evidence("bounds contain every value in the range; not every value in them need be reached")
WITHIN_LIMITS = Evidence(
    "bounds are those in the part of the ranges where all limits hold, to one part in a million", are_reached=True
)
NOWHERE_WITHIN_LIMITS = Evidence("bounds contain every value in the range; nowhere in it do all limits hold")

_PARTS = 300  # limit on parts of the ranges for one end


@dataclass(frozen=True)
class Remainder:
    """What limits over ranges leave of the bounds of a target: None where they hold together nowhere."""

    ends: Span | None
    are_close: bool  # whether values come near both ends


def within_limits(library: RelationSet, question: Question, plan: Plan, result: PlanResult) -> PlanResult:
    """The result of a target that has no value in the middle of the ranges, cut to what limits leave elsewhere.

    Raises the contradiction if they leave nothing.
    """
    target = question.target
    limits = LimitsOverRanges(library, question, plan, result.left_out)
    spans = [state.spans[target] for state in result.states if target in state.spans]
    if not library.inequalities or not spans:
        return result
    left = limits.remainder((min(low for low, _ in spans), max(high for _, high in spans)))
    if left is None:
        return result
    domain = library.declared[target].domain
    states = [_cut_to(left.ends, state, target, domain) for state in result.states] if left.ends is not None else []
    cut = tuple(state for state in states if state is not None)
    if cut:
        how = WITHIN_LIMITS if left.are_close else UNREACHED
        return replace(result, states=tuple(_known_by(how, state) for state in cut))
    contradiction = limits.contradiction()
    if contradiction is not None:
        raise contradiction
    return replace(result, states=tuple(_known_by(NOWHERE_WITHIN_LIMITS, state) for state in result.states))


def _cut_to(ends: Span, state: State, target: str, domain: Domain) -> State | None:
    """A state over ranges whose interval of the target is cut to what limits leave; None if nothing is left.

    An end that the domain excludes is nothing.
    """
    if target not in state.spans:
        return state
    low, high = meet(state.spans[target], ends)
    if low > high or (domain.open_low and high <= domain.low):
        return None
    return replace(state, spans={**state.spans, target: (low, high)})


def _known_by(how: Evidence, state: State) -> State:
    """A state over ranges with the evidence of its bounds within limits in place of that without them."""
    return replace(state, notes=(*(note for note in state.notes if not isinstance(note, Evidence)), how))


@dataclass(frozen=True)
class LimitsOverRanges:
    """The limits that compare what ranges move, beside the plan of a target."""

    library: RelationSet
    question: Question
    plan: Plan
    left_out: Mapping[str, str]

    def remainder(self, ends: Span) -> Remainder | None:
        """What is left of bounds over the ranges where all limits hold; None where these leave the bounds alone."""
        left = self._remainder_by_system(ends)
        if any(blocks is None for blocks in self._led_to.values()):
            return Remainder(ends if left is None else left.ends, are_close=False)
        return left

    def _remainder_by_system(self, ends: Span) -> Remainder | None:
        """What is left of bounds over the ranges where all limits hold that can be taken along with the plan."""
        if not self._blocks_to:
            return None
        system = self._system
        if system is None:
            return Remainder(ends, are_close=False)
        firm: list[tuple[Relation, Node]] = []
        is_sure = True  # whether no other limit may fail in a part of the ranges
        for limit, gap in zip(self._blocks_to, system.gaps, strict=True):
            enclosure = enclose(gap, system.box, "")
            if enclosure is not None and enclosure.flaw != GAP and enclosure.values[1] <= 0:
                continue  # it holds all over them
            holds_nowhere = enclosure is None or enclosure.values[0] > 0
            if not self._is_sure(limit):
                is_sure = is_sure and holds_nowhere
            elif holds_nowhere:
                return Remainder(None, are_close=False)
            else:
                firm.append((limit, gap))
        if not firm:
            return None if is_sure else Remainder(ends, are_close=False)
        allowed, others = system.allowed, []
        for limit, gap in firm:
            stated = self._stated_end(limit)
            if stated is None or system.zeros:
                others.append(gap)
            else:
                allowed = meet(allowed, stated)
        low, high = meet(ends, allowed)
        if low <= high and not others:
            goal = enclose(system.goal, system.box, "")
            is_continuous = goal is not None and not goal.partial  # so that it reaches a limit between its bounds
            return Remainder((low, high), is_sure and is_continuous)
        within = replace(system, allowed=allowed, gaps=tuple(others))
        extremes = least_and_greatest(within, _PARTS) if low <= high else None
        if extremes is None:
            return Remainder(None, are_close=False)
        least, greatest = extremes
        slack = EXTREME * max(abs(least.at), abs(greatest.at))
        is_low, is_high = least.at > low + slack, greatest.at < high - slack
        left = (least.at if is_low else low), (greatest.at if is_high else high)
        is_near = abs(least.at - left[0]) <= slack and abs(greatest.at - left[1]) <= slack
        return Remainder(left, is_sure and is_near and least.is_close and greatest.is_close)

    def contradiction(self) -> InconsistentError | None:
        """The error that typed ranges and exact relations contradict each other; None unless all limits show that.

        Whoever has found that the limits leave nothing asks for it. An agreement of sides is left room for.
        """
        system = self._system
        if system is None:
            return None
        limits = list(filter(self._is_sure, self._blocks_to))
        blocks = (*self.plan.blocks, *chain.from_iterable(self._blocks_to[limit] for limit in limits))
        used = dict.fromkeys(chain.from_iterable(block.relations for block in blocks))
        relations = [*limits, *(self.library.relations[name] for name in used)]
        behind = dict.fromkeys(chain.from_iterable(self.library.members[relation.name] for relation in relations))
        is_weak = any(name in self._spans and name not in self.question.strong for name in behind)
        if is_weak or not all(map(self._is_sure, relations)):
            return None
        gaps = [gap for limit, gap in zip(self._blocks_to, system.gaps, strict=True) if limit in limits]
        loose = tuple(_with_room(gap, system) for gap in gaps)
        if least_and_greatest(replace(system, gaps=loose), _PARTS) is not None:
            return None
        given = [f"{name} = {self.question.strong[name]}" for name in behind if name in self.question.strong]
        names = [limit.name for limit in limits]
        is_one = len(names) == 1
        nowhere = f"{names[0]} holds nowhere" if is_one else f"{', '.join(names)} hold together nowhere"
        return InconsistentError(
            f"{self.plan.target}: {nowhere} in the ranges. "
            f"The conflict: {', '.join(relation.name for relation in relations)}; {', '.join(given)}.",
            hint=f"Change or drop one of the givens, or leave out {'' if is_one else 'one of '}{', '.join(names)}.",
            conflicts=(*(relation.name for relation in relations), *given),
            gap=math.inf,
        )

    @property
    def _blocks_to(self) -> dict[Relation, tuple[Block, ...]]:
        """The limits that can be taken along with the plan, with the blocks beside it that lead to each."""
        return {limit: blocks for limit, blocks in self._led_to.items() if blocks is not None}

    @cached_property
    def _led_to(self) -> dict[Relation, tuple[Block, ...] | None]:
        """The limits whose sides are known and that ranges move, with the blocks beside the plan that lead to each.

        None stands for blocks of which one may not apply, or not exactly, or is no step beside the plan.
        """
        blocks_to: dict[Relation, tuple[Block, ...] | None] = {}
        for limit in self.library.inequalities:
            if limit.name in self.left_out or limit.name in self.plan.spent:
                continue
            blocks = self._blocks_for(self.library.members[limit.name])
            if blocks is None:
                continue
            behind = {*self.library.members[limit.name], *self.library.held_by(self.plan.relations)}
            behind.update(*(self.library.held_by(block.relations) for block in blocks))
            if not self._ranges.isdisjoint(behind) and not any(map(self._stands_in, behind)):
                blocks_to[limit] = blocks if self._are_steps(blocks) else None
        return blocks_to

    def _blocks_for(self, members: Sequence[str]) -> tuple[Block, ...] | None:
        """The blocks beside the plan that lead to what a limit compares; None if that is not known over the ranges."""
        blocks: dict[Block, None] = {}
        for name in members:
            reached = {*self.plan.unknowns, *self._spans}.union(*(block.unknowns for block in blocks))
            if name in reached:
                continue
            plan = self.question.for_target(name).plan(self.library, frozenset(self.left_out))
            if not plan.is_determined:
                return None
            blocks |= dict.fromkeys(block for block in plan.blocks if not reached >= {*block.unknowns})
        return tuple(blocks)

    def _are_steps(self, blocks: Sequence[Block]) -> bool:
        """Whether all blocks that lead to a limit are steps beside the plan, by exact relations that surely apply."""
        reached = {*self.plan.unknowns, *self._spans}
        for block in blocks:
            relations = [self.library.relations[relation] for relation in block.relations]
            is_joint = len(relations) > len(block.unknowns)
            if is_joint or not all(relation.is_exact and self._is_sure(relation) for relation in relations):
                return False
            if not reached.isdisjoint(block.unknowns) or not reached >= block.inputs(self.library):
                return False
            reached.update(block.unknowns)
        return True

    def _is_sure(self, relation: Relation) -> bool:
        """Whether a relation or a limit is no estimate and applies all over the ranges."""
        return relation.approximate is None and decisions_of(self.library, self.question).surely_applies(relation)

    @cached_property
    def _spans(self) -> dict[str, Span]:
        """The intervals of all stated values beside limits; a weak value yields to what the plan computes."""
        computed = self.plan.sources
        stated = self.question.values
        return {name: (each.base[0], each.base[2]) for name, each in stated.items() if name not in computed}

    @cached_property
    def _ranges(self) -> frozenset[str]:
        return frozenset(name for name, (low, high) in self._spans.items() if low < high)

    def _stands_in(self, name: str) -> bool:
        """Whether the value of a quantity behind a limit only stands in where nothing else is known."""
        weak = self.question.weak.get(name)
        return weak is not None and name in self._spans and name not in self.question.strong and weak.source.stands_in

    @cached_property
    def _system(self) -> System | None:
        """The equations of the plan with all limits as gaps over the ranges; None if they have no such system."""
        blocks_to_limits: dict[Block, None] = {}
        for blocks in self._blocks_to.values():
            blocks_to_limits |= dict.fromkeys(blocks)
        written = [limit.written for limit in self._blocks_to]
        return system_within(self.library, self.plan, self._spans, [*blocks_to_limits], written)

    def _stated_end(self, limit: Relation) -> Span | None:
        """The interval to which a limit holds the target itself, as `t <= 18` does; None for any other limit."""
        left, right = limit.written.sides
        target, is_below = Name(self.plan.target), limit.written.op == "<="
        if right == target:
            left, right, is_below = right, left, not is_below
        names = names_in(right)
        if left != target or any(name not in self._spans or name in self._ranges for name in names):
            return None
        end = value(right, {name: self._spans[name][0] for name in names})
        return (-math.inf, end) if is_below else (end, math.inf)


def _with_room(gap: Node, system: System) -> Node:
    """The gap of a limit over the ranges, less what its sides may differ by and still agree."""
    terms = gap.args if isinstance(gap, Apply) and gap.op == "add" else (gap,)
    enclosures = [enclose(term, system.box, "") for term in terms]
    size = sum(max(map(abs, enclosure.values)) for enclosure in enclosures if enclosure is not None)
    room = exact_of(AGREEMENT * size)
    return gap if room is None else added(gap, Number(-room))
