"""The interval that inequalities leave to a target that no equation fixes.

An inequality has an edge where its sides are equal: between edges it holds everywhere or nowhere, which a few sample
points decide. Where they do not, the inequality is ignored.

Where nothing else determines the target, every inequality is tried, and nearly always in vain. A plan with the
inequality as one more equation would tell whether it could determine the target if it were active, but takes long. So
the inequality is added to the matching of the question (`ActiveLimits`):

1. If it can be matched, it is one more equation: it determines its own unknown and what follows from that. No
  fallback yields to it: one that it determined could not be known beside it.
2. If it cannot, it constrains what is determined already, and takes the place of a weak value. That leaves as much
  open as before, unless a fallback yields: its own relations then count again.
3. If estimates may stand in the place of other relations, all of them are added.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from derive.caches import Memo
from derive.errors import DeriveError, InconsistentError, NoSolutionError
from derive.expressions.functions import STEPPED
from derive.expressions.tree import Equation, Name, Node, has_operation, names_in
from derive.model.dimensional_analysis import dimension_of
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.products import without_common_factors
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.branch_and_bound import Bound
from derive.planning.basis import basis_of
from derive.planning.incidence import Structure, core_of
from derive.planning.plan import Block, Plan
from derive.presentation.cautions import by_default
from derive.presentation.numbers import told_apart
from derive.solving.assumptions import Assumption
from derive.solving.blocks.system import agrees
from derive.solving.execution.block_execution import State
from derive.solving.execution.plan_execution import carried_out
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import NO_CASE, Case, Question, stated_at
from derive.solving.ranges.global_bounds import bounds_under_limits, evidence_of
from derive.time_limits import Search
from derive.tolerances import AGREEMENT, ASIDE
from quantities.declaration import Declaration

_EDGES = 4  # limit on edges of an inequality
_EQUALITIES = Memo[RelationSet](most=16)  # a library in which one inequality is an equation
_CASES = Memo[RelationSet](most=16)  # a library in which one case holds whatever its conditions
_SHARES = (0.05, 0.5, 0.95)  # of an interval, at which an inequality is tested first
_JOINT = 8  # limit on relations that are searched together with inequalities
_PARTS, _FEW_PARTS = 300, 60  # limits on parts of the box of one such search
_CLOSER = tuple(share / 16 for share in range(1, 16))  # the same where other relations have no solution there
_JUMPS = {"piecewise", *STEPPED}


def bounded(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> PlanResult | None:
    """The interval that inequalities leave to the target; None if none of them bounds it."""
    if not library.inequalities:
        return None
    limits = [*_limits_of_target(library, question, left_out)]
    is_ranged = any(limit.is_ranged for limit in limits)
    is_small = len(_joint_relations(limits)) <= _JOINT
    if is_ranged and is_small:
        return _bounded_over_ranges(limits, left_out)
    target, domain = question.target, library.declared[question.target].domain
    low, high = domain.ends
    used: list[_Limit] = []
    for limit in limits:
        try:
            span = limit.allowed()
        except InconsistentError:
            if is_ranged:  # in the middle of the ranges, and perhaps not elsewhere
                return None
            raise
        if span is not None:
            low, high = max(low, span[0]), min(high, span[1])
            used.append(limit)
    if not used or (is_ranged and low > high):
        return None
    weak = tuple(dict.fromkeys(chain.from_iterable(limit.weak for limit in used)))
    names = tuple(limit.relation.name for limit in used)
    listed = ", ".join(names)
    meeting = _meeting_point(used, (low, high))
    if meeting is not None:
        stated = {**question.strong, **{name: question.weak[name] for name in weak}}
        known = {name: value.base[1] for name, value in stated.items()}
        note = Assumption(f"{listed} leave it one value; nothing else determines it")
        state = State({**known, target: meeting}, notes=(note,))
    elif low > high:
        least, most = told_apart(lambda digits: [domain.told(end, digits) for end in (low, high)])
        raise InconsistentError(
            f"{target}: {listed} exclude each other: it would have to be at least {least} and at most {most}.",
            hint="Change one of the givens.",
            conflicts=names,
            gap=(low - high) / max(abs(low), abs(high)),
        )
    else:
        if is_small and len(used) > 1:  # each alone holds where it was tried
            _bounds_of_all(used, _FEW_PARTS)  # raises if they exclude each other
        note = Assumption(f"bounded by {listed}; nothing else determines it")
        state = State({}, {target: (low, high)}, notes=(note,))
    return PlanResult(Plan(target, (Block(names, (target,)),), weak, ()), (state,), left_out)


def _limits_of_target(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> Iterator[_Limit]:
    """The inequalities that could determine the target if their sides were equal, and whose edges are known."""
    core = core_of(library, (question.target, *question.strong, *question.weak))
    structure = core.structure(core.decisive.intersection(left_out), question.stated)
    active = ActiveLimits(structure, question.target, question.strong, question.weak)
    for relation in library.inequalities:
        if relation.name in left_out or not active.could_determine(relation.name, library.members[relation.name]):
            continue
        limit = _Limit(library, question, relation)
        if not limit.says_nothing_of_target and limit.edges is not None:
            yield limit


def _bounded_over_ranges(limits: Sequence[_Limit], left_out: Mapping[str, str]) -> PlanResult | None:
    """The interval that inequalities leave to the target wherever the givens are in their ranges; None if all of it.

    In the middle of the ranges they may exclude each other though they do not elsewhere.
    """
    target = limits[0].question.target
    bounds = _bounds_of_all(limits)
    span = bounds[0].at, bounds[1].at
    if span == limits[0].library.declared[target].domain.ends:
        return None
    names = tuple(limit.relation.name for limit in limits)
    listed = ", ".join(names)
    weak = tuple(dict.fromkeys(chain.from_iterable(limit.weak for limit in limits)))
    note = Assumption(f"bounded by {listed}; nothing else determines it")
    state = State({}, {target: span}, notes=(note, evidence_of(bounds)))
    return PlanResult(Plan(target, (Block(names, (target,)),), weak, ()), (state,), left_out)


def _joint_relations(limits: Sequence[_Limit]) -> list[Relation]:
    """Inequalities and what leads to their edges, as far as they are exact and surely apply.

    Whether a relation under conditions applies may change within ranges; without it, bounds contain every value too.
    """
    led_by = dict.fromkeys(chain.from_iterable(limit.others for limit in limits))
    relations = [limit.relation for limit in limits]
    relations += [limit.library.relations[name] for limit in limits[:1] for name in led_by]
    return [relation for relation in relations if relation.approximate is None and not relation.conditions]


def _bounds_of_all(limits: Sequence[_Limit], parts: int = _PARTS) -> tuple[Bound, Bound]:
    """The bounds of the target by inequalities and what leads to their edges; raises if no value satisfies all."""
    library, question = limits[0].library, limits[0].question
    relations = _joint_relations(limits)
    box = {name: declaration.domain.ends for name, declaration in library.declared.items()}
    stated = {**question.strong, **{name: question.weak[name] for limit in limits for name in limit.weak}}
    box |= {name: (value.base[0], value.base[2]) for name, value in stated.items()}
    bounds = bounds_under_limits(question.target, relations, box, parts)
    if bounds is None:
        names = tuple(limit.relation.name for limit in limits)
        raise InconsistentError(
            f"{question.target}: {', '.join(names)} exclude each other: no value of it satisfies all of them.",
            hint="Change one of the givens.",
            conflicts=names,
            gap=math.inf,
        )
    return bounds


def pinned(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> PlanResult | None:
    """The value of an expression that two inequalities make both the least and the greatest of the target; or None.

    No search is made: the expression has to follow one quantity at a time. What cancels between other relations can
    have no other value, since limits hold wherever these do.
    """
    target = question.target
    limits = [relation for relation in library.inequalities if relation.written.lhs == Name(target)]
    limits = [relation for relation in limits if relation.approximate is None and not relation.conditions]
    limits = [relation for relation in limits if relation.name not in left_out]
    pairs = [pair for pair in combinations(limits, 2) if _are_opposite(*pair)]
    if not pairs or question.ranges:
        return None
    for first, second in pairs:
        extended_library, sides = _Limit(library, question, first).with_sides
        if not isinstance(sides.rhs, Name):
            continue
        try:
            result = carried_out(extended_library, question.but(target=sides.rhs.name, own=None))
        except DeriveError:  # another method may have an answer; if none has, that reports the error
            continue
        is_simple = all(len(block.unknowns) == 1 for block in result.plan.blocks)
        if not result.plan.is_determined or not is_simple or len(result.states) != 1 or result.states[0].spans:
            continue
        (state,) = result.states
        values = dict(state.values)
        number = values.pop(sides.rhs.name)
        if number not in library.declared[target].domain:
            continue
        note = Assumption(f"{first.name}, {second.name} leave it one value; nothing else determines it")
        blocks = (*result.plan.blocks[:-1], Block((first.name, second.name), (target,)))
        state = State({**values, target: number}, {}, {}, (*state.notes, note), state.condition_numbers)
        return PlanResult(Plan(target, blocks, result.plan.weak, ()), (state,), result.left_out)
    return None


def _are_opposite(first: Relation, second: Relation) -> bool:
    """Whether one inequality limits from above what the other limits from below, at the same expression."""
    return first.written.rhs == second.written.rhs and {first.written.op, second.written.op} == {"<=", ">="}


def _meeting_point(limits: Sequence[_Limit], span: Span) -> float | None:
    """The number in which all inequalities meet that bound the target; None if they leave more, or nothing.

    Rounding may have set their ends apart.
    """
    low, high = span
    shortest = sorted(span, key=lambda end: len(repr(end)))
    if math.isclose(low, high, rel_tol=AGREEMENT):
        return shortest[0]
    if low < high:
        return None
    return next((end for end in shortest if all(limit.holds_at(end, AGREEMENT) for limit in limits)), None)


class _Verdict(Enum):
    """What is known of an inequality at a number of the target, or inside an interval."""

    HOLDS = "holds"
    FAILS = "fails"
    NO_SOLUTION = "no solution"  # the other relations, or the case of the question, do not admit the number
    UNKNOWN = "unknown"


class _Edges(NamedTuple):
    """The target's values at which the sides of an inequality are equal."""

    inside: list[float]
    at_ends: list[float]  # those at the ends of the target's domain
    weak: tuple[str, ...]  # the names whose weak values lead to them
    relations: tuple[str, ...]  # the other relations that lead to them


@dataclass(frozen=True)
class _Limit:
    """An inequality that may bound the target of a question."""

    library: RelationSet
    question: Question
    relation: Relation

    @property
    def says_nothing_of_target(self) -> bool:
        """Whether the inequality compares only what is known, once positive factors of both sides are left out.

        It is a check then. If all of that is typed, a limit that does not hold is a contradiction, and reported like
        any other.
        """
        names = names_in(*self._without_positive_factors)
        return self.question.values.keys() >= {*names} and not self.question.strong.keys() >= {*names}

    @cached_property
    def _without_positive_factors(self) -> tuple[Node, Node]:
        """The sides of the inequality without the quantities that multiply both and are never negative."""

        def is_positive(base: Node) -> bool:
            return isinstance(base, Name) and self.relation.declared[base.name].domain.low >= 0

        return without_common_factors(*self.relation.written.sides, is_positive)

    @property
    def weak(self) -> tuple[str, ...]:
        """The names whose weak values lead to the edges of the inequality."""
        return () if self.edges is None else self.edges.weak

    @property
    def others(self) -> tuple[str, ...]:
        """The relations that lead to the edges of the inequality."""
        return () if self.edges is None else self.edges.relations

    @property
    def is_ranged(self) -> bool:
        """Whether the edges of the inequality may move with ranges."""
        values = {**self.question.strong, **{name: self.question.weak[name] for name in self.weak}}
        names = {*self.relation.members, *self.library.held_by(self.others)}
        return any(value.is_range for name, value in values.items() if name in names)

    @cached_property
    def edges(self) -> _Edges | None:
        """The edges of the inequality: target values at which its sides are equal; None if some may be missing.

        They are edges in any case, also where the case itself ends at one and does not hold there: `c <= d` where not
        `c >= d`.
        """
        library, relation, target = self.library, self.relation, self.question.target
        question = replace(self.question, search=Search.NONE)
        left, right = self._without_positive_factors  # else relations for these factors would be solved as well
        if target not in names_in(left, right):
            left, right = relation.written.sides
        equal = replace(relation, written=Equation(left, "=", right))

        def at_equality() -> RelationSet:
            others = [other for other in library.relations.values() if other.name != relation.name]
            # the case of the question may hold or exclude any relation with conditions, inequalities too
            needed = [other for other in others if other.is_equation or other.conditions]
            return type(library)([*needed, equal], library.declared.values())

        try:
            at_equality_library = _EQUALITIES.of(library.session, (equal.name, equal.written), at_equality)
            result = carried_out(at_equality_library, question)
            if not result.states and result.plan.is_determined and question.case != NO_CASE:
                result = carried_out(_of_case(at_equality_library, question.case), question.but(case=NO_CASE))
        except DeriveError:
            return None
        if relation.name not in result.plan.relations:
            return None
        if not result.states and _may_jump(library, result.plan):
            return None
        if result.doubt:
            return None
        ends = [state.values[target] for state in result.states if target in state.values]
        ends += chain.from_iterable(state.spans[target] for state in result.states if target in state.spans)
        domain = library.declared[target].domain
        edges = sorted({end for end in ends if domain.low < end < domain.high})
        at_ends = sorted({end for end in ends if end in domain} - {*edges})
        others = tuple(name for name in result.plan.relations if name != relation.name)
        return _Edges(edges, at_ends, result.plan.weak, others) if len(edges) <= _EDGES else None

    def allowed(self) -> Span | None:
        """The interval that the inequality leaves to the target, by a test between any two edges; None if unknown.

        At an edge the sides are equal: where the inequality holds on neither side of it, it leaves the edge alone.
        """
        edges = self.edges
        if edges is None:
            return None
        domain = self.library.declared[self.question.target].domain
        pieces = [span for span in pairwise([domain.low, *edges.inside, domain.high]) if span[0] < span[1]]
        verdicts: dict[Span, _Verdict] = {}
        for span in pieces:
            verdicts[span] = self._verdict_inside(span)
            if verdicts[span] is _Verdict.UNKNOWN:
                return None
        allowed = [span for span, verdict in verdicts.items() if verdict is _Verdict.HOLDS]
        points = [*edges.inside, *edges.at_ends]
        if not points and {*verdicts.values()} == {_Verdict.FAILS}:
            raise self._denial()
        apart = [point for point in points if not any(low <= point <= high for low, high in allowed)]
        allowed += [(point, point) for point in apart if self.holds_at(point, AGREEMENT)]
        return allowed[0] if len(allowed) == 1 else None

    def _denial(self) -> InconsistentError:
        """The error that the inequality holds for no value of the target in its domain."""
        relation = self.relation
        because = f" ({relation.because})" if relation.because else ""
        return InconsistentError(
            f"{relation.name}: {relation.written} does not hold for any {self.question.target} in its domain{because}.",
            hint="Change one of the givens." + by_default([relation], self.library.defaults, self.question.strong),
            conflicts=(relation.name,),
            gap=math.inf,
        )

    def _verdict_inside(self, span: Span) -> _Verdict:
        """Whether the inequality holds inside an interval of the target.

        Points inside are tried first, then points just beside the ends: other relations may leave solutions only there,
        as for a cost within a thousandth of its edge. Last, its sides may be equal throughout but for rounding. A point
        far out may have no double, as `exp(1000)` has none: then the other points decide. More points are tried where
        the other relations have a solution at none of these.
        """
        points = inside(span)
        verdicts = [self.verdict_at(point) for point in points]
        unknown = verdicts.count(_Verdict.UNKNOWN)
        if unknown > 1 or (unknown and all(map(math.isfinite, span))):
            return _Verdict.UNKNOWN
        if _Verdict.HOLDS in verdicts:
            return _Verdict.HOLDS
        beside = [self.verdict_at(end) for end in _beside_ends(span)]
        if _Verdict.HOLDS in beside or all(self.holds_at(point, AGREEMENT) for point in points):
            return _Verdict.HOLDS
        if _Verdict.FAILS in (*verdicts, *beside):
            return _Verdict.FAILS
        further = [self.verdict_at(point) for point in inside(span, _CLOSER)]
        return _Verdict.HOLDS if _Verdict.HOLDS in further else _Verdict.NO_SOLUTION

    def holds_at(self, point: float, slack: float = 0.0) -> bool:
        """Whether it is certain that the inequality holds where the target is a number."""
        return self.verdict_at(point, slack) is _Verdict.HOLDS

    def verdict_at(self, point: float, slack: float = 0.0) -> _Verdict:
        """Whether the inequality holds where the target is a number; unknown if another solution is not excluded.

        Its sides are asked for, and not the quantities in it one by one: these may keep or lose their weak values.
        """
        library, sides = self.with_sides
        question = self.question
        strong = {**question.strong, question.target: stated_at(library, question.target, point)}
        values = {}
        for name in sides.names:
            try:
                side_question = Question(name, strong, question.weak, case=question.case, search=Search.NONE)
                result = carried_out(library, side_question)
            except NoSolutionError:  # the number is of another case
                return _Verdict.NO_SOLUTION
            except DeriveError:
                return _Verdict.UNKNOWN
            if result.doubt:
                return _Verdict.UNKNOWN
            if result.plan.is_determined and not result.states:
                return _Verdict.NO_SOLUTION
            if len(result.states) != 1 or name not in result.states[0].values:
                return _Verdict.UNKNOWN
            values[name] = result.states[0].values[name]
        return _Verdict.HOLDS if agrees(sides, values, slack) else _Verdict.FAILS

    @cached_property
    def with_sides(self) -> tuple[RelationSet, Equation]:
        """The library with each side of an inequality as a quantity, and the inequality between these two."""
        library, relation = self.library, self.relation
        dimensions = {name: declaration.dimension for name, declaration in relation.declared.items()}
        stated: list[Relation] = []
        sides: list[Node] = []
        for side, expression in zip(("left", "right"), relation.written.sides, strict=True):
            if not names_in(expression):
                sides.append(expression)
                continue
            name = f"{relation.name}.{side}"
            while name in library.declared:
                name += "_"
            measured = Declaration(name, str(dimension_of(expression, dimensions) or ""), domain="real")
            stated.append(Relation(name, Equation(Name(name), "=", expression), {**relation.declared, name: measured}))
            sides.append(Name(name))
        left, right = sides
        declared = chain.from_iterable(relation.declared.values() for relation in stated)
        extended = type(library)([*library.relations.values(), *stated], [*library.declared.values(), *declared])
        return extended, Equation(left, relation.written.op, right)


def _of_case(library: RelationSet, case: Case) -> RelationSet:
    """The library to find an inequality's edge in for a case: without its conditions and the relations of others."""

    def made() -> RelationSet:
        kept = [relation for name, relation in library.relations.items() if name not in case.failing]
        free = [replace(relation, conditions=()) if relation.name in case.holding else relation for relation in kept]
        return type(library)(free, library.declared.values())

    return _CASES.of(library.session, case, made)


def _may_jump(library: RelationSet, plan: Plan) -> bool:
    """Whether a relation of the plan has a choice or a step, at which an inequality may turn without an edge."""
    sides = chain.from_iterable(library.relations[name].written.sides for name in plan.relations)
    return has_operation(*sides, among=_JUMPS)


def _beside_ends(span: Span) -> list[float]:
    """The numbers just inside the finite ends of an interval between the edges of an inequality."""
    low, high = span
    if all(map(math.isfinite, span)):
        inwards = ASIDE * (high - low)
    else:  # by the size of the finite end
        inwards = ASIDE * (max((abs(end) for end in span if math.isfinite(end)), default=0.0) or 1.0)
    return [end for end in (low + inwards, high - inwards) if math.isfinite(end)]


def inside(span: Span, shares: Sequence[float] = _SHARES) -> list[float]:
    """Some numbers in an interval between the edges of an inequality, which may be unbounded, to test it at.

    The shares of a bounded interval at which they lie become steps of growing size where an end is missing.
    """
    low, high = span
    if math.isfinite(low) and math.isfinite(high):
        return [low + (high - low) * share for share in shares]
    steps = [10 ** (6 * share - 3) for share in shares]
    if math.isinf(low) and math.isinf(high):
        return [sign * step for step in steps for sign in (-1, 1)]
    end, sign = (low, 1) if math.isfinite(low) else (high, -1)
    return [end + sign * step * (abs(end) or 1.0) for step in steps]


class ActiveLimits:
    """The inequalities that could determine the target of one question if they were active, with equal sides.

    >>> from derive.relation_files.loading import load
    >>> fleet = load('''[quantities]
    ... need = { unit = "GB" }
    ... room = { unit = "GB" }
    ... chips = { unit = "chip" }
    ... each = { unit = "GB/chip" }
    ... [relations]
    ... room = { equation = "room = chips*each" }''')
    >>> limits = ActiveLimits(Structure.of(fleet.relations.values()), "chips", ["need", "each"], [])
    >>> [limits.could_determine("limit", names) for names in (["need", "room"], ["need", "each"])]
    [True, False]
    """

    def __init__(self, structure: Structure, target: str, given: Iterable[str], weak: Iterable[str]) -> None:
        """Prepare the matching of the question's basis, to which an inequality is added as if it were active."""
        base = basis_of(structure, target, given, weak)
        self.structure = structure
        self.target = target
        self.replaced = structure.members.keys() - base.structure.members.keys()
        """The relations in whose place fallbacks stand."""
        self.fallbacks = {structure.forward[relation] for relation in self.replaced}
        self.estimates = [*chain.from_iterable(exchange.estimates.items() for exchange in structure.alternatives)]
        matching = base.matching.copy()
        late = structure.rivals | matching.members.keys()
        matching.add_all((relation for relation in base.structure.members if relation not in late), structure.members)
        self.matching = matching.given(name for name in base.weak if f"={name}" not in matching.members)

    def could_determine(self, limit: str, names: Sequence[str]) -> bool:
        """Whether a plan might determine the target if an inequality of these quantities were an equation."""
        matching = self.matching.copy()
        is_matched = matching.add(limit, names)
        if not is_matched and not self.fallbacks.isdisjoint(matching.circuit(limit)):
            matching.add_all(self.replaced, self.structure.members)
        for estimate, members in self.estimates:
            matching.add(estimate, members)
        return matching.settles(self.target)
