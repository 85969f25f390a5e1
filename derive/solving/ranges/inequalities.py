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
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import chain, combinations, pairwise, product
from typing import NamedTuple

from derive.caches import Memo
from derive.errors import DeriveError, InconsistentError, LimitError, NoSolutionError
from derive.expressions.functions import STEPPED
from derive.expressions.tree import Equation, Name, Node, has_operation, names_in
from derive.model.dimensional_analysis import dimension_of
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.products import without_common_factors
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.branch_and_bound import Bound
from derive.numerics.root_finding.univariate_branch_and_prune import JUMPS
from derive.planning.basis import basis_of
from derive.planning.incidence import Structure, core_of
from derive.planning.plan import Block, Plan
from derive.presentation.cautions import by_default
from derive.presentation.numbers import told_apart
from derive.solving.assumptions import Assumption, Evidence
from derive.solving.blocks.system import agrees
from derive.solving.execution.block_execution import State
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.plan_execution import carried_out
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import NO_CASE, Case, Question, stated_at
from derive.solving.ranges.global_bounds import bounds_under_limits, evidence_of
from derive.time_limits import Search, sharing, stop_if_over
from derive.tolerances import AGREEMENT, ASIDE, EXTREME
from quantities.declaration import Declaration
from quantities.value import Value

_EDGES = 4  # limit on edges of an inequality
_EQUALITIES = Memo[RelationSet](most=16)  # a library in which one inequality is an equation
_CASES = Memo[RelationSet](most=16)  # a library in which one case holds whatever its conditions
_SHARES = (0.05, 0.5, 0.95)  # of an interval, at which an inequality is tested first
_SHARE = 0.2  # of the time left, which tests of inequalities between their edges may take
_SEARCHED = 8  # limit on relations that are searched together with inequalities
_PARTS, _FEW_PARTS = 300, 60  # limits on parts of the box of one such search
_CLOSER = tuple(share / 8 for share in range(1, 8))  # the same where other relations have no solution there


def bounded(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> PlanResult | None:
    """The interval that inequalities leave to the target; None if none of them bounds it."""
    if not library.inequalities:
        return None
    together = _JointLimits(library, question, left_out, tuple(_limits_of_target(library, question, left_out)))
    if not together.limits:
        return None
    return together.over_ranges() if together.is_ranged and together.are_few else together.by_edges()


def _limits_of_target(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> Iterator[_Limit]:
    """The inequalities that could determine the target if their sides were equal.

    Their edges are known, or they contain nothing but the target and what is typed, so that a search can tell.
    """
    core = core_of(library, (question.target, *question.strong, *question.weak))
    structure = core.structure(core.decisive.intersection(left_out), question.stated)
    active = ActiveLimits(structure, question.target, question.strong, question.weak)
    for relation in library.inequalities:
        if relation.name in left_out or not active.could_determine(relation.name, library.members[relation.name]):
            continue
        limit = _Limit(library, question, relation)
        is_direct = {question.target, *question.strong} >= {*relation.members}
        if not limit.says_nothing_of_target and (limit.edges is not None or is_direct):
            yield limit


@dataclass(frozen=True)
class _JointLimits:
    """The inequalities that may bound the target of a question together."""

    library: RelationSet
    question: Question
    left_out: Mapping[str, str]
    limits: tuple[_Limit, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the inequalities."""
        return tuple(limit.relation.name for limit in self.limits)

    @property
    def listed(self) -> str:
        """The names of the inequalities, as a note or an error lists them."""
        return ", ".join(self.names)

    @property
    def weak(self) -> tuple[str, ...]:
        """The names whose weak values lead to edges of the inequalities."""
        return tuple(dict.fromkeys(chain.from_iterable(limit.weak for limit in self.limits)))

    @property
    def stated(self) -> dict[str, Value]:
        """The typed values, and the weak ones that lead to edges of the inequalities."""
        return {**self.question.strong, **{name: self.question.weak[name] for name in self.weak}}

    @property
    def is_ranged(self) -> bool:
        """Whether the edges of an inequality may move with ranges."""
        return any(limit.is_ranged for limit in self.limits)

    @cached_property
    def relations(self) -> list[Relation]:
        """The inequalities and the relations that lead to their edges, as far as they are exact and surely apply.

        Whether a relation under conditions applies may change within ranges; without it, bounds contain every value.
        """
        decisions = decisions_of(self.library, self.question)
        names = dict.fromkeys([*self.names, *chain.from_iterable(limit.others for limit in self.limits)])
        relations = [self.library.relations[name] for name in names]
        exact = (relation for relation in relations if relation.approximate is None)
        return list(filter(decisions.surely_applies, exact))

    @property
    def are_few(self) -> bool:
        """Whether the inequalities hang on so few relations that all that is open in them can be searched."""
        return len(self.relations) <= _SEARCHED

    def over_ranges(self) -> PlanResult | None:
        """The interval that is left wherever the givens are in their ranges; None if it is the whole domain.

        In the middle of the ranges the inequalities may exclude each other though they do not elsewhere.
        """
        bounds = self._searched(_PARTS)
        span = bounds[0].at, bounds[1].at
        if span == self.library.declared[self.question.target].domain.ends:
            return None
        return self._interval(span, evidence_of(bounds))

    def by_edges(self) -> PlanResult | None:
        """The interval or the number that is left between edges; None if no inequality bounds the target."""
        domain = self.library.declared[self.question.target].domain
        allowed: list[tuple[_Limit, Span | None]] = []
        try:
            with suppress(LimitError), sharing(_SHARE):
                allowed = [(limit, limit.allowed()) for limit in self.limits]
            stop_if_over()  # of the whole query, and not only the share
        except InconsistentError:
            if self.is_ranged:  # in the middle of the ranges, and perhaps not elsewhere
                return None
            raise
        spans = [span for _, span in allowed if span is not None]
        low = max([domain.low, *(span[0] for span in spans)])
        high = min([domain.high, *(span[1] for span in spans)])
        if len(spans) < len(allowed) and self.are_few:  # together they may leave less, as limits do in several pieces
            bounds = self._searched(_PARTS)
            ends = bounds[0].at, bounds[1].at
            if not all(math.isclose(*pair, rel_tol=EXTREME) for pair in zip(ends, (low, high), strict=True)):
                is_point = math.isclose(*ends, rel_tol=AGREEMENT)
                return self.between(*ends) if is_point else self._interval(ends, evidence_of(bounds))
        if not spans:
            return None
        used = replace(self, limits=tuple(limit for limit, span in allowed if span is not None))
        return used.between(low, high)

    def between(self, low: float, high: float) -> PlanResult | None:
        """What inequalities leave that all hold between two edges: an interval, or the number in which these meet."""
        if low > high and self.is_ranged:
            return None
        meeting = _meeting_point(self.limits, (low, high))
        told = self.library.declared[self.question.target].domain.told
        if meeting is not None:
            known = {name: given.base[1] for name, given in self.stated.items()}
            if any(limit.fails_at(meeting, known) for limit in self.limits):
                raise self._exclusion(f"it would have to be {told(meeting)}, where they do not all hold", math.inf)
            note = Assumption(f"{self.listed} leave it one value; nothing else determines it")
            return self._result(State({**known, self.question.target: meeting}, notes=(note,)))
        if low > high:
            least, most = told_apart(lambda digits: [told(end, digits) for end in (low, high)])
            by = (low - high) / max(abs(low), abs(high))
            raise self._exclusion(f"it would have to be at least {least} and at most {most}", by)
        if len(self.limits) > 1 and self.are_few:
            self._searched(_FEW_PARTS)  # each holds alone where it was tried, and all together perhaps nowhere
        return self._interval((low, high))

    def _searched(self, parts: int) -> tuple[Bound, Bound]:
        """The bounds of the target by a search over all that is open; raises if no value satisfies all inequalities."""
        box = {name: declaration.domain.ends for name, declaration in self.library.declared.items()}
        box |= {name: (given.base[0], given.base[2]) for name, given in self.stated.items()}
        bounds = bounds_under_limits(self.question.target, self.relations, box, parts)
        if bounds is None:
            raise self._exclusion("no value of it satisfies all of them", math.inf)
        return bounds

    def _exclusion(self, reason: str, gap: float) -> InconsistentError:
        """The error that the inequalities exclude each other."""
        what = f"{self.question.target}: {self.listed} exclude each other: {reason}."
        return InconsistentError(what, hint="Change one of the givens.", conflicts=self.names, gap=gap)

    def _interval(self, span: Span, *how: Evidence) -> PlanResult:
        """The result in which the inequalities bound the target by an interval."""
        note = Assumption(f"bounded by {self.listed}; nothing else determines it")
        return self._result(State({}, {self.question.target: span}, notes=(note, *how)))

    def _result(self, state: State) -> PlanResult:
        """The result of a plan of one block, by which the inequalities bound the target."""
        target = self.question.target
        plan = Plan(target, (Block(self.names, (target,)),), self.weak, ())
        return PlanResult(plan, (state,), self.left_out)


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
        """The sides of the inequality without the quantities that multiply both and are positive.

        One that may be zero stays: there both sides are zero, and `-x*x >= x` holds, though `-x >= 1` does not.
        """

        def is_positive(base: Node) -> bool:
            if not isinstance(base, Name):
                return False
            domain = self.relation.declared[base.name].domain
            return domain.low > 0 or (domain.low == 0 and domain.open_low)

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
        if relation.name not in result.plan.relations or result.doubt:
            return None
        sides = chain.from_iterable(library.relations[name].written.sides for name in result.plan.relations)
        if not result.states and has_operation(
            *sides, among=JUMPS
        ):  # the inequality may turn at a jump without an edge
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
        isolated = [point for point in points if not any(low <= point <= high for low, high in allowed)]
        allowed += [(point, point) for point in isolated if self.holds_at(point, AGREEMENT)]
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
        the other relations have a solution at none of these; where these relations are many, that takes too long, and
        the inequality is ignored.
        """
        points = inside(span)
        verdicts = [self.verdict_at(point) for point in points]
        unknown = [point for point, verdict in zip(points, verdicts, strict=True) if verdict is _Verdict.UNKNOWN]
        farthest = [] if all(map(math.isfinite, span)) else [max(points, key=abs)]
        if unknown not in ([], farthest):
            return _Verdict.UNKNOWN
        if _Verdict.HOLDS in verdicts:
            return _Verdict.HOLDS
        verdicts += map(self.verdict_at, _beside_ends(span))
        if _Verdict.HOLDS in verdicts or all(self.holds_at(point, AGREEMENT) for point in points):
            return _Verdict.HOLDS
        if _Verdict.FAILS not in verdicts:
            if len(self.others) > _SEARCHED or self._may_have_lone_solutions:
                return _Verdict.UNKNOWN  # other points may have a solution
            verdicts += map(self.verdict_at, inside(span, _CLOSER))
        known = (verdict for verdict in (_Verdict.HOLDS, _Verdict.FAILS) if verdict in verdicts)
        return next(known, _Verdict.NO_SOLUTION)

    @property
    def _may_have_lone_solutions(self) -> bool:
        """Whether other relations may hold at single numbers of the target, between which an inequality is not tried.

        So `x = ceil(y)` holds at whole numbers alone.
        """
        relations = (relation for relation in self.library.relations.values() if relation.is_equation)
        return has_operation(*chain.from_iterable(each.written.sides for each in relations), among=STEPPED)

    def holds_at(self, point: float, slack: float = 0.0) -> bool:
        """Whether it is certain that the inequality holds where the target is a number."""
        return self.verdict_at(point, slack) is _Verdict.HOLDS

    def fails_at(self, point: float, known: Mapping[str, float]) -> bool:
        """Whether it is certain that the inequality does not hold where the target is a number, or is undefined."""
        values = {**known, self.question.target: point}
        if values.keys() >= {*self.relation.members}:
            return not agrees(self.relation.written, values)
        return self.verdict_at(point, AGREEMENT) in (_Verdict.FAILS, _Verdict.NO_SOLUTION)

    def verdict_at(self, point: float, slack: float = 0.0) -> _Verdict:
        """Whether the inequality holds where the target is a number; unknown if another solution is not excluded.

        Its sides are asked for, and not the quantities in it one by one: these may keep or lose their weak values.
        """
        library, sides = self.with_sides
        question = self.question
        strong = {**question.strong, question.target: stated_at(library, question.target, point)}
        states: list[dict[str, float]] = [{}]
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
            numbers = [state.values.get(name) for state in result.states]
            if not numbers or None in numbers or min(len(numbers), len(states)) > 1:
                return _Verdict.UNKNOWN
            states = [{**state, name: number} for state, number in product(states, numbers) if number is not None]
        # of several roots one may fail, and another limit hold for that one alone
        verdicts = {agrees(sides, values, slack) for values in states}
        if len(verdicts) > 1:
            return _Verdict.UNKNOWN
        return _Verdict.HOLDS if True in verdicts else _Verdict.FAILS

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
