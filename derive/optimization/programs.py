"""From a question to its programs: each case of the plan as expressions of the free quantities.

The plans are those of compiled functions (`kernels.case_dispatch`), so that the best point is one at which the question
has the same answer. A fork that the whole box decides is followed on one side; otherwise each side is a program, with
its condition as a guard. A quantity in use that may leave its domain in the box is a side condition.

A quantity without a closed form and a count that relations determine, which takes whole numbers alone, are variables
of their own, bound by a zero. At a point of what is free, they are worked out with every solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, product
from types import MappingProxyType

from derive.errors import DeriveError, LimitError
from derive.expressions.tree import Apply, Equation, Name, Node, Number, conjunction, names_in, with_forms
from derive.kernels.case_dispatch import Asides, Case, Fork, Tree, cases
from derive.kernels.reach import eliminates
from derive.model.conditions import implied
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import value, weighed
from derive.numerics.algebra.like_terms import ZERO, added, negated
from derive.numerics.algebra.linear import linear_form
from derive.numerics.intervals.enclosure import Span, enclose, truths
from derive.optimization.program import (
    Limit,
    Program,
    Side,
    excess,
    is_of_time,
    known_numbers,
    limits_of_range,
    step_of,
)
from derive.optimization.question import Stated
from derive.optimization.spreading import in_free_names
from derive.planning.plan import Block, Plan
from derive.solving.cancellation.jacobian_rank import combined, rows_of
from derive.solving.diagnosis.diagnosis import shortage
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.question import Outline, Question
from derive.solving.ranges.range_propagation import only_form
from derive.solving.sensitivity.elasticities import composed, put_in
from derive.tolerances import BLUR
from quantities.domain import Domain

_NOTHING_TOLD: Mapping[Node, bool] = MappingProxyType({})
NO_SPANS: Mapping[str, Span] = MappingProxyType({})
_MOST = 64  # limit on cases of one question


def programs(
    library: RelationSet,
    question: Question,
    stated: Sequence[Stated],
    free: Mapping[str, Span],
    sign: float,
    uncertain: Mapping[str, Span] = NO_SPANS,
) -> list[Program]:
    """The programs of a question, one for each case that the box allows; none if its target is not determined.

    Known quantities are at the middles of their ranges; where some are uncertain, the programs are those of every case
    that their ranges meet, to be looked at with numbers put in for them.
    """
    return _Writing(library, question, stated, free, sign, uncertain).programs()


@dataclass(frozen=True)
class Zero:
    """A quantity that is a variable of its own: one without a closed form, or a count."""

    name: str
    domain: Domain
    node: Node  # zero where its relation holds
    form: Node | None = None  # of a count, whose step is the size of one
    step: float = 0.0

    @property
    def span(self) -> Span:
        return self.domain.low, self.domain.high

    def at(self, values: Mapping[str, float]) -> float:
        """The number itself, which that of a count has to be to within rounding; NaN where it is not."""
        number = values[self.name] if self.form is None else value(self.form, values)
        return self.near(number) if self.step else number

    def near(self, number: float) -> float:
        """The whole number of a count that a number is but for rounding; NaN where it is none."""
        if not math.isfinite(number):
            return math.nan
        whole = round(number / self.step) * self.step
        is_whole = abs(number - whole) <= BLUR * max(self.step, abs(whole))
        return whole if is_whole and self.domain.admits(whole) else math.nan


@dataclass(frozen=True)
class Way:
    """A quantity as an expression in one case, and what that takes."""

    form: Node
    guards: tuple[Node, ...] = ()
    zeros: tuple[Zero, ...] = ()
    sides: tuple[Side, ...] = ()
    open_ones: tuple[str, ...] = ()  # what a divisor of its form leaves open where it may be zero in the box
    plans: tuple[Plan, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


class _Writing:
    """The programs of one question under construction."""

    def __init__(
        self,
        library: RelationSet,
        question: Question,
        limits: Sequence[Stated],
        free: Mapping[str, Span],
        sign: float,
        uncertain: Mapping[str, Span],
    ) -> None:
        self.library, self.question, self.limits, self.free, self.sign = library, question, limits, free, sign
        self.known = known_numbers(library, question, limits, free)
        self.fixed = {name: number for name, number in self.known.items() if name not in uncertain}
        self.box = {**{name: (number, number) for name, number in self.fixed.items()}, **uncertain, **free}
        self.held: dict[str, list[Way]] = {}

    def programs(self) -> list[Program]:
        found: list[Program] = []
        for goal in self._ways(self.question.target):
            limits = [one for one in self.limits if self._is_tested(one, goal)]
            names = dict.fromkeys(chain.from_iterable(one.names for one in limits))
            others = {*chain.from_iterable(one.names for one in limits if not one.is_domain)}
            choices = [
                self._ways_beside(name, goal) if name in others else self._ways_or_none(name, goal) for name in names
            ]
            for beside in product(*choices):
                if len(found) >= _MOST:
                    raise self._too_many()
                found.append(self._program(goal, limits, dict(zip(names, beside, strict=True))))
        return found

    def _too_many(self) -> LimitError:
        return LimitError(
            f"{self.question.target} depends on more than {_MOST} cases in these ranges.",
            hint="Narrow the ranges, or leave out the relations of other cases: library.without(name, ...).",
            limit=f"{_MOST} cases",
        )

    def _is_tested(self, limit: Stated, goal: Way) -> bool:
        """Whether a limit can be tested; one that the question states has to be."""
        unknown = next((name for name in limit.names if not self._ways_beside(name, goal)), None)
        if unknown is not None and limit.is_asked:
            error = self._shortage(unknown)
            error.what = f"such_that {limit.name}: {error.what}"
            raise error
        return unknown is None

    def _shortage(self, name: str) -> DeriveError:
        weak = {other: value for other, value in self.question.weak.items() if other != name}
        return shortage(self.library, self.question.but(target=name, weak=weak, own=None), {})

    def _ways_beside(self, name: str, goal: Way) -> list[Way]:
        """The ways to a quantity of a limit, which an answer tests with the same numbers: as the target's plan has it,
        else as a profile states it, else by a plan of its own, else its default."""
        for made in goal.plans:
            if any(name in block.unknowns for block in made.blocks):
                return [self._within(name, goal, made)]
        if name in self.question.weak and name not in self.library.defaults:
            return [Way(Name(name))]
        found = self._ways(name) if name != self.question.target else [goal]
        return found or ([Way(Name(name))] if name in self.question.weak else [])

    def _ways_or_none(self, name: str, goal: Way) -> list[Way]:
        """The ways to a quantity of which only the domain is tested; where none applies, any number in that will do."""
        ways = self._ways_beside(name, goal)
        if not all(way.guards for way in ways):
            return ways
        domain = self.library.declared[name].domain
        inside = next((end for end in (domain.low, domain.high) if math.isfinite(end)), 0.0)
        elsewhere = tuple(Apply("not", (conjunction(way.guards),)) for way in ways)
        return [*ways, Way(Number(Fraction(inside)), elsewhere)]

    def _within(self, name: str, goal: Way, made: Plan) -> Way:
        forms = self._forms(made)[0]
        return Way(put_in(Name(name), forms))

    def _ways(self, name: str) -> list[Way]:
        """All the ways to a quantity; none if it is not determined, or has no expression."""
        if name in self.question.strong:
            return [Way(Name(name))]
        if name not in self.held:
            weak = tuple(other for other in self.question.weak if other != name)
            own = name in self.library.defaults and name not in self.question.weak and name != self.question.target
            outline = Outline(name, tuple(self.question.strong), weak, self.question.stated - {name})
            found = cases(self.library, outline)
            if found.is_asked:
                raise Unwritten(name)
            if name == self.question.target and not found.alternatives:
                raise Unwritten(name) if eliminates(self.library, outline) else self._shortage(name)
            trees = [self._of_tree(tree, found.asides, outline) for tree in found.alternatives]
            every = [*chain.from_iterable(trees)]
            # ways that differ only in how a condition is decided are one
            ways = list({(way.form, way.guards, way.zeros, way.sides): way for way in reversed(every)}.values())
            self.held[name] = ways[::-1] or ([Way(Name(name))] if own else [])
        return self.held[name]

    def _of_tree(
        self, tree: Tree, asides: Asides, outline: Outline | None = None, told: Mapping[Node, bool] = _NOTHING_TOLD
    ) -> Iterator[Way]:
        """The ways of a tree of cases, and of what follows where the conditions on the way to it are as told."""
        if isinstance(tree, Case):
            yield from self._of_case(tree)
        elif tree is None and outline is not None and self._is_eliminated(outline, told):
            raise Unwritten(outline.target)
        elif isinstance(tree, Fork):
            for condition, guard in self._conditions(tree.condition, asides):
                possible = truths(condition, self._spans(condition, guard))
                for truth, side in ((True, tree.yes), (False, tree.no)):
                    if truth in possible or None in possible:
                        sure = possible == {truth}
                        claimed = condition if truth else Apply("not", (condition,))
                        claim = () if sure else (claimed,)
                        for way in self._of_tree(side, asides, outline, {**told, tree.condition: truth}):
                            yield _joined(way, guard, claim)

    def _is_eliminated(self, outline: Outline, told: Mapping[Node, bool]) -> bool:
        """Whether relations fix a target together in a case in which counting leaves it open."""
        excluded = [
            relation.name
            for relation in self.library.conditional
            if any(implied(condition, told) is False for condition in relation.conditions)
        ]
        return (
            combined(rows_of(self.library, outline, frozenset(excluded), only_combined=True), outline.target)
            is not None
        )

    def _spans(self, condition: Node, way: Way) -> dict[str, Span]:
        return {**self.box, **{zero.name: zero.span for zero in way.zeros}}

    def _conditions(self, condition: Node, asides: Asides) -> Iterator[tuple[Node, Way]]:
        """A condition in terms of the free quantities, in each case of the quantities in it."""
        names = [name for name in names_in(condition) if name not in self.question.strong]
        each = [
            [*chain.from_iterable(self._of_tree(tree, asides) for tree in asides[name])]
            if name in asides
            else [Way(Name(name))]
            for name in names
        ]
        for chosen in product(*each):
            forms = {name: way.form for name, way in zip(names, chosen, strict=True)}
            yield with_forms(condition, forms), _merged(chosen)

    def _of_case(self, case: Case) -> Iterator[Way]:
        """The way of a plan, unless the box excludes it."""
        forms, zeros, renamed = self._forms(case.plan)
        target = case.plan.target
        form = composed("", {**forms, "": Name(renamed.get(target, target))})
        if form is None:
            raise Unwritten(target)
        spans = {**self.box, **{zero.name: zero.span for zero in zeros}}
        guards = []
        negations = [Apply("not", (conjunction(conditions),)) for conditions in case.failing]
        following = [put_in(one.condition, {**forms, **self._beside(one.plans)}) for one in case.following]
        for whole in (*(put_in(condition, forms) for condition in (*case.holding, *negations)), *following):
            possible = truths(whole, spans)
            if True not in possible and None not in possible:
                return
            guards += [] if possible == {True} else [whole]
        sides = self._sides(case.plan, forms, spans)
        if sides is not None:
            open_ones = tuple(self._open_at_zeros(case.plan, forms, spans))
            yield Way(form, tuple(guards), zeros, sides, open_ones, (case.plan,), renamed)

    def _open_at_zeros(self, made: Plan, forms: Mapping[str, Node], spans: Mapping[str, Span]) -> Iterator[str]:
        """What a relation leaves open at points of the box where its factor there is zero, and the rest is too.

        The form `0/x` of y in `x*y = 0` says zero, and y may be anything where x is zero.
        """
        for block in made.blocks:
            if len(block.unknowns) > 1:
                continue
            (name,), written = block.unknowns, self.library.relations[block.relations[0]].written
            parts = linear_form(added(written.lhs, negated(written.rhs)), frozenset({name}))
            if parts is None or name not in parts or not names_in(parts[name]):
                continue
            others = {other: form for other, form in forms.items() if other != name}
            seen = [enclose(put_in(parts.get(key, ZERO), others), spans, "") for key in (name, None)]
            if all(one is None or not one.misses_zero for one in seen):
                yield name

    def _beside(self, plans: Sequence[Plan]) -> dict[str, Node]:
        """The forms of what follows from the numbers of a case, for its conditions."""
        found: dict[str, Node] = {}
        for block in chain.from_iterable(made.blocks for made in plans):
            form = only_form(self.library, block)
            if form is None:
                raise Unwritten(block.unknowns[0])
            found[block.unknowns[0]] = form
        return found

    def _forms(self, made: Plan) -> tuple[dict[str, Node], tuple[Zero, ...], dict[str, str]]:
        """The forms of a plan's unknowns, the zeros of those that are variables, and the names of these."""
        forms: dict[str, Node] = {}
        zeros: list[Zero] = []
        renamed: dict[str, str] = {}
        for block in made.blocks:
            form = only_form(self.library, block)
            if form is not None and self._is_plain(block.unknowns[0], form):
                forms[block.unknowns[0]] = form
                continue
            count_form = None if form is None else self._composed(block.unknowns[0], form, forms)
            for name in block.unknowns:
                renamed[name] = f"{name} by {', '.join(block.relations)}"
                forms[name] = Name(renamed[name])
            for name, relation in zip(block.unknowns, block.relations, strict=True):
                written, declared = self.library.relations[relation].written, self.library.declared[name]
                node = self._composed(name, added(written.lhs, negated(written.rhs)), forms)
                step = declared.unit.to_base(1.0) if declared.domain.whole else 0.0
                zeros.append(Zero(renamed[name], declared.domain, node, count_form, step))
        return forms, tuple(zeros), renamed

    def _composed(self, name: str, node: Node, forms: Mapping[str, Node]) -> Node:
        whole = composed("", {**forms, "": node})
        if whole is None:
            raise Unwritten(name)
        return whole

    def _is_plain(self, name: str, form: Node) -> bool:
        """Whether a quantity is no count, or whole wherever what it is made of is."""
        return not self.library.declared[name].domain.whole or (self._is_counted(name) and self._is_whole(form))

    def _is_counted(self, name: str) -> bool:
        """Whether a quantity is whole in base units too."""
        declared = self.library.declared[name]
        return declared.domain.whole and declared.unit.size == 1

    def _is_whole(self, node: Node) -> bool:
        """Whether an expression is whole because of its operations, counts being whole."""
        if isinstance(node, Number):
            return node.value.denominator == 1
        if isinstance(node, Name):
            return self._is_counted(node.name)
        match node.op:
            case "floor" | "ceil":
                return True
            case "add" | "mul" | "neg" | "max" | "min" | "abs":
                return all(map(self._is_whole, node.args))
            case "pow":
                exponent = node.args[1]
                return self._is_whole(node.args[0]) and isinstance(exponent, Number) and exponent.value in range(1, 9)
            case _:
                return False

    def _sides(self, made: Plan, forms: Mapping[str, Node], spans: Mapping[str, Span]) -> tuple[Side, ...] | None:
        """The domains that are not certain over the box; None if one is certainly left."""
        reach = dict(spans)
        found: list[Side] = []
        for name in made.unknowns:
            domain = self.library.declared[name].domain
            seen = enclose(forms[name], reach, "")
            if seen is None:
                return None
            reach[name] = seen.values
            if _is_inside(seen.values, domain) and not seen.flaw > 1:
                continue
            whole = self._spread(put_in(Name(name), forms), spans)
            seen = enclose(whole, spans, "")
            if seen is None or seen.values[1] < domain.low or seen.values[0] > domain.high:
                return None
            reach[name] = seen.values
            if not _is_inside(seen.values, domain) or seen.flaw > 1:
                found.append(Side(put_in(Name(name), forms), domain))
        return tuple(found)

    def _spread(self, node: Node, spans: Mapping[str, Span]) -> Node:
        return in_free_names(node, self.fixed, spans)

    def _program(self, goal: Way, limits: Sequence[Stated], beside: Mapping[str, Way]) -> Program:
        whole = _merged([goal, *beside.values()])
        forms = {name: way.form for name, way in beside.items()}
        unknowns = {zero.name: zero.span for zero in whole.zeros}
        spans = {**self.box, **unknowns}
        written = [self._limit(limit, forms, spans) for limit in limits]
        names = (*self.free, *unknowns)
        steps = [step_of(self.library.declared[name]) for name in self.free]
        plain = goal.form if self.sign > 0 else negated(goal.form)

        def ends(side: Side) -> Iterator[Limit]:  # the excluded end of an open domain is left to the points
            return limits_of_range(side.form, side.domain.low, side.domain.high, lambda gap: self._spread(gap, spans))

        return Program(
            names=names,
            box=(*self.free.values(), *unknowns.values()),
            steps=(*steps, *(zero.step for zero in whole.zeros)),
            free=len(self.free),
            goal=self._spread(plain, spans),
            plain=goal.form,
            known=self.known,
            limits=(*(one for one in written if one.written.op != "="), *chain.from_iterable(map(ends, whole.sides))),
            ties=tuple(one for one in written if one.written.op == "="),
            definitions=tuple(self._spread(zero.node, spans) for zero in whole.zeros),
            guards=tuple(folded(guard, self.fixed) for guard in whole.guards),
            sides=whole.sides,
            open_ones=whole.open_ones,
            sign=self.sign,
            plans=whole.plans,
            counts=tuple((zero.name, zero.form) for zero in whole.zeros if zero.form is not None),
            solved=_solver(self.library, whole) if unknowns else None,
        )

    def _limit(self, limit: Stated, forms: Mapping[str, Node], spans: Mapping[str, Span]) -> Limit:
        left, right = with_forms(limit.written.lhs, forms), with_forms(limit.written.rhs, forms)
        written = Equation(left, limit.written.op, right)
        over = excess(written)
        if limit.approximate:
            sizes = [Apply("abs", (with_forms(part, forms),)) for part in weighed(limit.written)]
            whole = sizes[0] if len(sizes) == 1 else Apply("add", tuple(sizes))
            over = added(over, negated(Apply("mul", (Number(Fraction(limit.approximate)), whole))))
        gap = self._spread(over, spans)
        guard = None
        if limit.conditions:
            guard = conjunction(tuple(folded(with_forms(one, forms), self.fixed) for one in limit.conditions))
        if guard is not None and truths(guard, spans) == {True}:
            guard = None  # it holds in the whole box
        if guard is not None:
            gap = Apply("piecewise", (gap, guard, Number(Fraction(-1.0))))
        return Limit(limit.name, limit.relation, written, gap, limit.approximate, guard, limit.is_domain)


def _is_inside(values: Span, domain: Domain) -> bool:
    low = values[0] > domain.low if domain.open_low else values[0] >= domain.low
    return low and values[1] <= domain.high


class Unwritten(Exception):  # noqa: N818 - no error: the solver is asked at points instead
    """A quantity has no expression in terms of what is free."""


def _merged(ways: Iterable[Way]) -> Way:
    """What several ways take together."""
    whole = Way(Number(Fraction(0.0)))
    for way in ways:
        whole = _joined(way, whole, ())
    return whole


def _joined(way: Way, other: Way, claim: tuple[Node, ...]) -> Way:
    """A way, with what another one takes and a further condition."""
    zeros = {zero.name: zero for zero in (*other.zeros, *way.zeros)}
    return replace(
        way,
        guards=tuple(dict.fromkeys((*other.guards, *claim, *way.guards))),
        zeros=tuple(zeros.values()),
        sides=tuple(dict.fromkeys((*other.sides, *way.sides))),
        open_ones=tuple(dict.fromkeys((*other.open_ones, *way.open_ones))),
        plans=tuple(dict.fromkeys((*other.plans, *way.plans))),
        renamed={**other.renamed, **way.renamed},
    )


def _solver(library: RelationSet, whole: Way) -> Callable[[Mapping[str, float]], list[Mapping[str, float]]]:
    """The function that works out at a point what is a variable of its own: every solution there."""
    plans, renamed = whole.plans, whole.renamed
    counts = {zero.name: zero for zero in whole.zeros if zero.form is not None}
    counted = {name: counts[own] for name, own in renamed.items() if own in counts}
    is_closed = all(zero.form is not None for zero in whole.zeros)

    def solutions(values: Mapping[str, float]) -> Iterator[dict[str, float]]:
        """What has no closed form, in each combination of the plans' solutions that agree."""
        open_blocks = [[block for block in made.blocks if only_form(library, block) is None] for made in plans]
        names = [[*chain.from_iterable(block.unknowns for block in blocks)] for blocks in open_blocks]
        for states in product(*(_states(library, made, values, counted) for made in plans)):
            numbers: dict[str, float] = {}
            pairs = zip(names, states, strict=True)
            each = chain.from_iterable([(renamed[name], state.values[name]) for name in own] for own, state in pairs)
            if all(numbers.setdefault(name, x) == x for name, x in each):
                yield numbers

    def solved(values: Mapping[str, float]) -> list[Mapping[str, float]]:
        whole_ones: list[Mapping[str, float]] = []
        for found in [{}] if is_closed else solutions(values):
            for zero in whole.zeros:
                found[zero.name] = zero.at({**values, **found})
            if all(map(math.isfinite, found.values())):
                whole_ones.append(found)
        return whole_ones

    return solved


def _states(library: RelationSet, made: Plan, values: Mapping[str, float], counted: Mapping[str, Zero]) -> list[State]:
    """The solutions of a plan at a point: those that have a number for every unknown.

    What follows from a count follows from the whole number, and not from what rounding made of it: the root of
    `d**2 = 4 - n` is zero where n is four, and far from zero where it is 3.9999999999999984.
    """
    states = [State(dict(values))]
    try:
        for block in made.blocks:
            steps = chain.from_iterable(block_states(library, block, state)[0] for state in states)
            states = [_with_whole_counts(step, block, counted) for step in steps]
    except DeriveError as error:
        if is_of_time(error):
            raise
        return []
    unknowns = [*made.unknowns]
    return [state for state in states if state.values.keys() >= {*unknowns}]


def _with_whole_counts(state: State, block: Block, counted: Mapping[str, Zero]) -> State:
    """The state after a block, in which a count that is whole up to rounding is whole."""
    whole = {
        name: counted[name].near(state.values[name])
        for name in block.unknowns
        if name in counted and name in state.values
    }
    found = {name: number for name, number in whole.items() if math.isfinite(number)}
    return replace(state, values={**state.values, **found}) if found else state
