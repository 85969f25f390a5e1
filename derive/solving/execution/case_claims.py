"""What a case claims, and the intervals that it leaves to quantities.

A case claims that the conditions of some relations hold and those of others do not. The claims narrow the domains of
the quantities in them. So do the relations around those quantities that hold in the case: each claim is an equation
with a slack (`y >= 11` is `y = 11 + slack`, where the slack is at least zero), and HC4 narrows all of them together
(`contractors`). Nothing that a solution could have is cut off, so a case without any value left is no case.

Where `x*y > 5` fails, `x*y <= 5` holds. Where `log(x) > 5` fails, `log(x)` may also be undefined, and then
`log(x) <= 5` fails as well. So the failure of a comparison is its opposite only if both sides have a value wherever the
domains and the other claims leave their quantities.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, TypeGuard

from derive.caches import Memo
from derive.expressions.tree import (
    OPPOSITE,
    Apply,
    Equation,
    Name,
    Node,
    Number,
    conjunction,
    is_simple,
    names_in,
    render,
)
from derive.model.conditions import MIRRORED, implied, one_relation_for_each_arm
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import truth_within
from derive.numerics.intervals.arithmetic import hull, point_box
from derive.numerics.intervals.enclosure import GAP, Span, enclose
from derive.numerics.root_finding.contractors import contracted
from derive.numerics.root_finding.expression_graph import dag_of
from derive.planning.basis import is_surely_open
from derive.planning.incidence import core_of, structure_of
from derive.planning.plan import plan_for
from derive.solving.blocks.system import agrees
from derive.tolerances import AGREEMENT, EXPRESSION, LEAST

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.solving.execution.question import Question
    from quantities.value import Value

_COMPARED = Memo[frozenset[str]](most=1)
_ROUNDS = 3  # limit on rounds in which the conditions of a case narrow the domains
_AROUND = 24  # limit on relations around the claims that narrow them
_SPLITS = 3  # limit on relations there that are taken both to apply and not to
_SPLITS_BY_ARMS = 5  # the same where the arms of choices are among them


def claims(library: RelationSet, question: Question) -> list[Node]:
    """All that a case claims, in the library's order: the conditions that hold in it, and negations of the others."""
    return CaseLogic.of(library, question).claims


def conditions_of(relations: Iterable[Relation]) -> Iterator[Node]:
    """The conditions of some relations, each of which a case may claim."""
    return chain.from_iterable(relation.conditions for relation in relations)


def negation(conditions: tuple[Node, ...]) -> Node:
    """The claim by which a case denies that some conditions hold together, whatever its box."""
    return Apply("not", (conjunction(conditions),))


class _FixedNumbers:
    """The numbers of quantities that the conditions of cases compare, and that are given or that no relation leads to.

    All cases of a question have the same, also where its choices are taken apart.
    """

    def __init__(self, library: RelationSet, question: Question) -> None:
        """Start without a fixed number: each is found when a condition that a case claims first asks for it."""
        self.library = library
        self.question = question.detached()
        self.numbers: dict[str, float | None] = {}
        self.folded: dict[Node, Node] = {}  # conditions with these numbers, which every case asks for again

    @classmethod
    def of(cls, library: RelationSet, question: Question) -> _FixedNumbers:
        """The fixed numbers that all cases of a question share, stored with it for the library that was asked first."""
        key = "fixed", question.target, id(question.strong), id(question.weak)
        if key not in question.decided:
            question.decided[key] = cls(library, question)
        fixed: _FixedNumbers = question.decided[key]
        return fixed

    def number(self, name: str) -> float | None:
        """The number of a quantity in the claims of every case; None if it is not compared, or relations lead to it."""
        if name not in self.numbers:
            self.numbers[name] = None
            if name in _compared(self.library):
                value = with_own_values(self.library, self.question, [name]).strong.get(name)
                self.numbers[name] = None if value is None or value.is_range else value.base[1]
        return self.numbers[name]

    def put_into(self, condition: Node) -> Node:
        """A condition that a case claims or denies, with the numbers of the quantities that are fixed in every case."""
        if condition not in self.folded:
            numbers = {name: number for name in names_in(condition) if (number := self.number(name)) is not None}
            self.folded[condition] = folded(condition, numbers)
        return self.folded[condition]


class CaseLogic:
    """The logic of a case: what the conditions that hold in the case, and those that fail, say of others.

    Quantities that are fixed have their numbers there: `x > k` and `x < 2` exclude each other if k is 3. Each number is
    found when a condition first asks for it, since that takes a plan.
    """

    def __init__(self, library: RelationSet, question: Question) -> None:
        """Collect what the question's case claims, and the conditions that hold or fail by its claims."""
        self.library = library
        self.question = question.detached()
        self.fixed_numbers = _FixedNumbers.of(library, question)
        self.claims: list[Node] = []
        self.with_value = set[Node]()  # the sides of the comparisons that hold
        self.is_contradictory = False
        self.known: dict[Node, bool] = {}  # of several conditions that fail together, it is open which of them does
        for conditions, hold in self._conditions_of_case():
            self.claims += conditions if hold else [self.negation(conditions)]

    @classmethod
    def of(cls, library: RelationSet, question: Question) -> CaseLogic:
        """The logic of what a question's case claims, which is stored with the question."""
        key = "logic", id(library), question.case, question.target, id(question.strong), id(question.weak)
        if key not in question.decided:
            question.decided[key] = cls(library, question)
        logic: CaseLogic = question.decided[key]
        return logic

    def verdict(self, condition: Node) -> bool | None:
        """Whether a condition holds because of what the case claims; None if its claims do not decide it."""
        return implied(self._at_numbers(condition), self.known) if self.known else None

    def negation(self, conditions: tuple[Node, ...]) -> Node:
        """The claim by which a case denies some conditions: the opposite of a single one whose sides have a value."""
        if len(conditions) == 1:
            opposite = self._opposite(conditions[0])
            if opposite is not None:
                return opposite
        return negation(conditions)

    @cached_property
    def box(self) -> dict[str, Span] | None:
        """The box of a case: domains of the quantities in conditions, narrowed by its claims; None if it is empty.

        Ends are those of the claims themselves, which decide conditions at their edges: nothing is rounded outwards.
        """
        if self.is_contradictory:
            return None
        names = names_in(*conditions_of(self.library.conditional))
        box = {name: _stated_span(self.library, self.question, name) for name in names}
        for _ in range(_ROUNDS):
            for claim in self.claims:
                if not _narrow(claim, box):
                    return None
        return box

    def fixed(self, name: str) -> float | None:
        """The number of a quantity in the claims of this case, if it is given or no relation leads to it."""
        return self.fixed_numbers.number(name)

    def _at_numbers(self, condition: Node) -> Node:
        """A condition that the case claims or denies, with the numbers of the quantities that are fixed."""
        return self.fixed_numbers.put_into(condition)

    def _conditions_of_case(self) -> Iterator[tuple[tuple[Node, ...], bool]]:
        """The conditions of each relation of the case that are not implied, and whether they hold together.

        Where `x > 3` holds, the failure of `x > 2 and x < 4` is that of `x < 4`.
        """
        library, case = self.library, self.question.case
        for name in sorted(case.holding, key=library.places.__getitem__):
            conditions = library.relations[name].conditions
            self.known |= dict.fromkeys(map(self._at_numbers, conditions), True)
            plain = tuple(map(_without_not, conditions))  # a denied comparison that holds has sides with a value
            self.known |= dict.fromkeys(map(self._at_numbers, plain), True)
            self.with_value.update(*(condition.args for condition in plain if _is_comparison(condition)))
            yield plain, True
        failing = [library.relations[name].conditions for name in sorted(case.failing, key=library.places.__getitem__)]
        single = [conditions[0] for conditions in failing if len(conditions) == 1]
        self.known |= {self._at_numbers(condition): False for condition in single}
        for condition in single:  # after all that fail are known, which may show that the sides of others have a value
            self._learn_failure(condition)
        for conditions in failing:
            open_ones = conditions
            if len(conditions) > 1:
                are_open = (node for node in conditions if implied(self._at_numbers(node), self.known) is not True)
                open_ones = tuple(are_open)
                if len(open_ones) == 1:
                    self._learn_failure(open_ones[0])
                if not open_ones:
                    self.is_contradictory = True
                    open_ones = conditions
            yield open_ones, False

    def _learn_failure(self, condition: Node) -> None:
        """Note that the case denies a condition, and claims its opposite if the sides surely have a value."""
        at_numbers = self._at_numbers(condition)
        self.known[at_numbers] = False
        opposite = self._opposite(condition)
        if opposite is None:
            return
        opposite_at_numbers = self._at_numbers(opposite)
        if implied(opposite_at_numbers, self.known) is False:
            self.is_contradictory = True
            return
        self.known |= {opposite_at_numbers: True, negation((at_numbers,)): True}

    def _opposite(self, condition: Node) -> Node | None:
        """The comparison that a case claims by denying this one; None if a side may be undefined, and both may fail."""
        plain = _without_not(condition)
        if not _is_comparison(plain):
            return None
        open_sides = [side for side in plain.args if not is_simple(side) and side not in self.with_value]
        if open_sides:
            spans = self._spans_left(names_in(condition))
            if not all(_has_value(side, spans) for side in open_sides):
                return None
        return _reversed(plain)

    def _spans_left(self, names: Iterable[str]) -> dict[str, Span]:
        """The intervals of some quantities in a case's box: their domains, cut by known comparisons of them alone."""
        spans: dict[str, Span] = {}
        for name in names:
            number = self.fixed(name)
            if number is not None:
                spans[name] = number, number
            elif name in self.question.strong:
                spans[name] = _stated_span(self.library, self.question, name)
            else:
                spans[name] = self.library.declared[name].domain.closed
        for condition, holds in self.known.items():
            if spans.keys() >= {*names_in(condition)}:
                left = dict(spans)
                if not _narrow(condition if holds else negation((condition,)), left):
                    break  # nothing is left, so it does not matter what has a value
                spans = left
        return {name: self._without_excluded_ends(name, span) for name, span in spans.items()}

    def _without_excluded_ends(self, name: str, span: Span) -> Span:
        """The interval that a case leaves, without an end that a strict claim excludes and that may be a pole."""
        low, high = span
        if math.isfinite(low) and implied(Apply("gt", (Name(name), Number(Fraction(low)))), self.known):
            low = math.nextafter(low, math.inf) if low else LEAST
        if math.isfinite(high) and implied(Apply("lt", (Name(name), Number(Fraction(high)))), self.known):
            high = math.nextafter(high, -math.inf) if high else -LEAST
        return low, high


def _is_comparison(condition: Node) -> TypeGuard[Apply]:
    return isinstance(condition, Apply) and condition.op in OPPOSITE


def _reversed(comparison: Apply) -> Apply:
    """The comparison that a case claims by denying this one, if its sides have a value there."""
    return Apply(OPPOSITE[comparison.op], comparison.args, comparison.at)


def _without_not(condition: Node) -> Node:
    """The comparison that a case claims by denying one whose sides have a value; any other condition unchanged."""
    if isinstance(condition, Apply) and condition.op == "not" and _is_comparison(condition.args[0]):
        return _reversed(condition.args[0])
    return condition


def _has_value(side: Node, spans: Mapping[str, Span]) -> bool:
    """Whether a side that a case compares has a value all over the intervals left to it; False if not shown."""
    enclosure = enclose(_with_poles_apart(side), spans, "")
    return enclosure is not None and enclosure.flaw != GAP


def _with_poles_apart(node: Node) -> Node:
    """A side of a claim with `1/a/b` for `1/(a*b)`, and `(1/a)**2` for `1/a**2`; if that has a value, so has the side.

    As a double, the product of two tiny numbers is zero, which has no inverse.
    """
    if not isinstance(node, Apply):
        return node
    if node.op == "inv" and isinstance(node.args[0], Apply):
        inner = node.args[0]
        if inner.op == "mul":
            return Apply("mul", tuple(_with_poles_apart(Apply("inv", (factor,))) for factor in inner.args))
        if inner.op == "pow":
            base, exponent = inner.args
            return Apply("pow", (_with_poles_apart(Apply("inv", (base,))), exponent))
    if node.op == "pow" and isinstance(node.args[1], Apply) and node.args[1].op == "neg":
        return _with_poles_apart(Apply("inv", (Apply("pow", (node.args[0], *node.args[1].args)),)))
    return Apply(node.op, tuple(map(_with_poles_apart, node.args)), node.at)


def _compared(library: RelationSet) -> frozenset[str]:
    """The quantities that the claims of cases may compare with other quantities."""

    def compute() -> frozenset[str]:
        names_of_each = map(names_in, conditions_of(library.conditional))
        return frozenset().union(*(names for names in names_of_each if len(names) > 1))

    return _COMPARED.of(library.session, "", compute)


def is_possible(library: RelationSet, question: Question, also: Iterable[str] = ()) -> bool:
    """Whether the claims of a case, and the relations around them and `also` others, leave values within the domains.

    Claims hardly contradict each other: a case is split only by relations that the claims so far leave undecided.
    """
    if CaseLogic.of(library, question).box is None:
        return False
    return next(boxes(_in_arms(library, question), question, also), None) is not None


def _in_arms(library: RelationSet, question: Question, *, of_same_names: bool = False) -> RelationSet:
    """The library for boxes by arms: each arm of a choice is a relation of its own case, if the question's is in it."""
    arm_library = one_relation_for_each_arm(library, of_same_names=of_same_names)
    case = question.case.holding | question.case.failing
    return library if arm_library is None or not arm_library.relations.keys() >= case else arm_library


def left_by_arms(library: RelationSet, question: Question, blur: float = AGREEMENT) -> Span | None:
    """The interval of the target over all boxes of a case by arms; None if there is no box.

    Where the first boxes leave all that is stated of the target, no further one is looked at.
    """
    target = question.target
    widest = _widened(_stated_span(library, question, target), blur)
    span: Span | None = None
    for box in boxes_by_arms(library, question, [target], blur):
        span = box[target] if span is None else hull(span, box[target])
        if span == widest:
            break
    return span


def boxes_by_arms(
    library: RelationSet,
    question: Question,
    also: Iterable[str],
    blur: float = AGREEMENT,
    computed: Collection[str] = (),
) -> Iterator[dict[str, Span]]:
    """The boxes of a case in which each arm of the choices around is a relation of its own case.

    The first one tells whether there is any.
    """
    arm_library = _in_arms(library, question, of_same_names=True)
    refuted = _refuted(arm_library, question)
    if refuted.isdisjoint(question.case.holding):
        asked = replace(question, case=replace(question.case, failing=question.case.failing | refuted))
        yield from boxes(arm_library, asked, also, blur, computed, splits=_SPLITS_BY_ARMS)


def _stated_span(library: RelationSet, question: Question, name: str) -> Span:
    """The side of a case's box at the start: the range of a given, or the domain of any other quantity."""
    value, domain = question.strong.get(name), library.declared[name].domain
    return domain.ends if value is None else (value.base[0], value.base[2])


def boxes(
    library: RelationSet,
    question: Question,
    also: Iterable[str] = (),
    blur: float = AGREEMENT,
    computed: Collection[str] = (),
    splits: int = _SPLITS,
) -> Iterator[dict[str, Span]]:
    """The intervals that a case leaves to the quantities of its claims and `also` to others, by the relations around.

    No box if nothing is left. `blur` is the relative error that the given numbers may have; those that are `computed`
    decide no condition on whose edge they lie. A relation of which it is open whether it applies is taken both ways, as
    long as there are `splits` left: a box for each of them.
    """
    comparisons = [*chain.from_iterable(map(_comparisons, claims(library, question)))]
    compared = names_in(*chain.from_iterable(sides for _, *sides in comparisons))
    holding = sorted(question.case.holding & library.relations.keys(), key=library.places.__getitem__)
    start = dict.fromkeys([*compared, *also, *library.held_by(holding)])
    question = with_own_values(library, question, compared)
    relations, undecided = _around(library, question, start, computed)
    if not splits or not undecided:
        box = _contracted(library, question, start, relations, comparisons, blur)
        if box is not None:
            yield box
        return
    for case in (question.case.taking(undecided[0]), question.case.without(undecided[0])):
        yield from boxes(library, replace(question, case=case), also, blur, computed, splits - 1)


def _contracted(
    library: RelationSet,
    question: Question,
    start: Iterable[str],
    relations: Sequence[Relation],
    comparisons: Iterable[tuple[str, Node, Node]],
    blur: float,
) -> dict[str, Span] | None:
    """The box of a case that relations and the comparisons of claims leave; None if nothing is left."""
    equations = [relation.written for relation in relations]
    slacks: dict[str, Span] = {}
    larger: dict[str, Node] = {}  # the larger side of each strict comparison
    for op, left, right in comparisons:
        slack = f"slack {len(slacks)}"  # no quantity has a space in its name
        more, less = (right, left) if op in ("lt", "le") else (left, right)
        slacks[slack] = (0.0, 0.0) if op == "eq" else (0.0, math.inf)
        if op in ("lt", "gt"):
            larger[slack] = more
        if op != "ne":
            equations.append(Equation(more, "=", Apply("add", (less, Name(slack)))))
    names = dict.fromkeys(chain(start, *(library.members[relation.name] for relation in relations)))
    spans = {name: _stated_span(library, question, name) for name in names}
    known = {name: low for name, (low, high) in spans.items() if low == high and name in question.strong}
    free = {name: span for name, span in spans.items() if name not in known}
    box = {name: _widened(span, blur) for name, span in free.items()} | slacks
    dag = dag_of(equations, list(box), known, blur=blur)
    if dag is None:
        return spans
    spans_left = contracted(dag, list(box.values()))
    if spans_left is None:
        return None
    remaining = dict(zip(box, spans_left, strict=True))
    within = {**point_box(known), **remaining}
    if any(remaining[slack][1] <= EXPRESSION * _largest(side, within) for slack, side in larger.items()):
        return None  # the sides of a strict comparison can only be equal
    return spans | remaining


def _largest(side: Node, box: Mapping[str, Span]) -> float:
    """The largest size that an expression has in a case's box; zero where that is not known or infinite."""
    enclosure = enclose(side, box, "")
    size = 0.0 if enclosure is None else max(map(abs, enclosure.values))
    return size if math.isfinite(size) else 0.0


def _refuted(library: RelationSet, question: Question) -> frozenset[str]:
    """The relations that fail at the given numbers: no value is left to a case that claims their conditions."""
    known = {name: value.base[1] for name, value in question.strong.items() if not value.is_range}
    testable = [rule for rule in library.conditional if known.keys() >= {*library.members[rule.name]}]
    return frozenset(rule.name for rule in testable if rule.approximate is None and not agrees(rule.written, known))


def with_own_values(library: RelationSet, question: Question, names: Iterable[str]) -> Question:
    """The question with those weak values as givens that its case's claims may use, as no relation leads to them.

    Every case of a question asks for the same. The stored givens are one object, by which numbers are stored again.
    """
    names = tuple(names)
    key = "own", id(library), question.target, id(question.strong), id(question.weak), names
    if key not in question.decided:
        own = _own_values(library, question, names)
        strong = {**question.strong, **own} if own else question.strong
        question.decided[key] = strong, (library, question.strong, question.weak)  # kept, so that no other has their id
    strong, _ = question.decided[key]
    return question if strong is question.strong else replace(question, strong=strong)


def _own_values(library: RelationSet, question: Question, names: Iterable[str]) -> dict[str, Value]:
    """The weak values that a case's claims take as given: relations lead to none of these quantities."""
    own = {}
    core = core_of(library, (question.target, *question.strong, *question.weak))
    structure = structure_of(library, frozenset(), question.stated)
    given = frozenset(question.strong)
    for name in names:
        value = question.weak.get(name)
        if value is None or name in question.strong or name == question.target or value.source.stands_in:
            continue
        others = [weak_name for weak_name in question.weak if weak_name != name]
        is_open = is_surely_open(structure, name, given, question.weak)  # quicker than a plan
        if is_open or not plan_for(library, name, given, others, frozenset(), question.stated, core).is_determined:
            own[name] = value
    return own


def _widened(span: Span, blur: float) -> Span:
    """A side of a case's box with its finite ends moved outwards by a share of their size."""
    low, high = span
    if math.isfinite(low):
        low -= blur * abs(low)
    if math.isfinite(high):
        high += blur * abs(high)
    return low, high


def _around(
    library: RelationSet, question: Question, start: Iterable[str], computed: Collection[str]
) -> tuple[list[Relation], list[str]]:
    """The nearest relations around a case's quantities that surely hold, and those of which that is undecided."""
    logic = CaseLogic.of(library, question)
    points = {name: (value.base[1],) * 2 for name, value in question.strong.items() if not value.is_range}
    points |= {name: _widened(span, AGREEMENT) for name, span in points.items() if name in computed}
    nearest: dict[str, Relation] = {}
    undecided: dict[str, None] = {}
    pending = [name for name in start if not _is_point(question, name)]
    seen = set(pending)
    for name in pending:  # the list grows as it is walked
        for holder in library.holders.get(name, ()):
            relation = library.relations[holder]
            if holder in nearest or not relation.is_exact:
                continue
            if _may_be_replaced_by_fallback(library, question, relation):
                continue
            verdicts = [_verdict(condition, logic, points) for condition in relation.conditions]
            if False in verdicts or holder in question.case.failing:
                continue
            if None in verdicts and holder not in question.case.holding:
                undecided[holder] = None
                continue
            nearest[holder] = relation
            if len(nearest) >= _AROUND:
                return list(nearest.values()), list(undecided)
            unseen = [name for name in library.members[holder] if name not in seen and not _is_point(question, name)]
            seen.update(unseen)
            pending += unseen
    return list(nearest.values()), list(undecided)


def _verdict(condition: Node, logic: CaseLogic, points: Mapping[str, Span]) -> bool | None:
    """Whether a condition holds by what a case claims, or all over the intervals of the known quantities in it."""
    verdict = logic.verdict(condition)
    if verdict is not None or not points.keys() >= {*names_in(condition)}:
        return verdict
    return truth_within(condition, points)


def _may_be_replaced_by_fallback(library: RelationSet, question: Question, relation: Relation) -> bool:
    """Whether a relation may not narrow a case's box, because a fallback may stand in its place.

    A coil without a capacitor has no reactance of one.
    """
    written_for = relation.written.written_for
    default = library.declared[written_for].default if written_for is not None else None
    if default is None or not default.source.stands_in:
        return False
    return any(name not in question.strong for name in library.members[relation.name] if name != written_for)


def _is_point(question: Question, name: str) -> bool:
    return name in question.strong and not question.strong[name].is_range


def _comparisons(claim: Node) -> Iterator[tuple[str, Node, Node]]:
    """The comparisons by which a case's claim narrows boxes; none of a claim that needs only some of them to hold."""
    if isinstance(claim, Apply) and claim.op == "and":
        for argument in claim.args:
            yield from _comparisons(argument)
    comparison = _comparison(claim)
    if comparison is not None:
        yield comparison


def _narrow(claim: Node, box: dict[str, Span]) -> bool:
    """Cut a case's box to where the comparison of a claim may hold, if a name is one side; False if nothing is left."""
    comparison = _comparison(claim)
    if comparison is None:
        return True
    op, left, right = comparison
    for side, opposite, comparison_op in ((left, right, op), (right, left, MIRRORED[op])):
        if not isinstance(side, Name):
            continue
        enclosure = enclose(opposite, box, "")
        if enclosure is None:
            continue
        low, high = box[side.name]
        if comparison_op in ("lt", "le", "eq"):
            high = min(high, enclosure.values[1])
        if comparison_op in ("gt", "ge", "eq"):
            low = max(low, enclosure.values[0])
        if low > high:
            return False
        box[side.name] = low, high
    return True


def _comparison(claim: Node) -> tuple[str, Node, Node] | None:
    """The comparison that a case claims, or the opposite of one that it denies if the sides are defined."""
    plain = _without_not(claim)
    if not _is_comparison(plain) or (plain is not claim and not all(map(is_simple, plain.args))):
        return None
    return plain.op, plain.args[0], plain.args[1]


def worded(claim: Node) -> str:
    """What a case claims, in words: a denied comparison reads as its opposite where its sides are defined.

    >>> from derive.expressions.grammar import parse_condition
    >>> worded(parse_condition("not x < 2"))
    'x >= 2'
    """
    comparison = _comparison(claim)
    return render(claim if comparison is None else Apply(comparison[0], comparison[1:]))
