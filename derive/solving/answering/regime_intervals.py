"""The interval that the conditions of a case leave to a target that nothing fixes there.

The conditions of a case are inequalities. Solved for the target, each has an edge where its sides are equal; between
edges all of them hold everywhere or nowhere, which a few sample points decide. The target's interval is cut to where
they hold. A condition that no closed form expresses in the target cuts nothing, and the answer says so.

Where nothing at all fixes the target in a case, it may lie wherever the conditions hold, provided that some relation
of the case covers the quantities that the relations of other cases cover. If none does (between the last laminar and
the first turbulent flow), the library says nothing about the case: it has no answer, and the other answers say so.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.errors import NoSolutionError
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, names_in, walk
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds, truth
from derive.numerics.algebra.isolation import isolate
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.root_boxes import joined
from derive.planning.plan import Block, Plan
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.outcome import agrees
from derive.solving.blocks.samples import is_narrow, middle
from derive.solving.execution.block_execution import State, outcome_of
from derive.solving.execution.case_boxes import boxes_by_arms, claims, left_by_arms, negation, worded
from derive.solving.execution.plan_execution import decisions_of
from derive.solving.execution.plan_states import Found, planned_for
from derive.solving.execution.question import Question
from derive.solving.execution.regimes import ANOTHER, Decisions, Undecided, applies_at, within_reach
from derive.solving.ranges.bounds import whole_case
from derive.solving.ranges.inequalities import inside, stated_at
from derive.solving.sensitivity.elasticities import composed
from derive.tolerances import NEGLIGIBLE

if TYPE_CHECKING:
    from derive.model.relation import Relation

ENCLOSED = "bounds contain every value over the ranges, and are an enclosure: not every value in them need be reached"

_FLIPS = 6  # limit on flips beside those where sides are equal
_HALVINGS = 200


def confined(library: RelationSet, question: Question, found: Found) -> Found:
    """The states of a case, with intervals of the target cut to where the conditions hold."""
    target = question.target
    if not library.conditional or not any(target in state.spans for state in found.states):
        return found
    if not found.plan.blocks and question.ranges:  # the bounds are those of the whole ranges already
        return found
    rules = _Rules(library, question, found.left_out, decisions_of(library, question))
    return replace(found, states=tuple(one for state in found.states for one in rules.parts(state)))


def told_apart(
    library: RelationSet, question: Question, answers: Sequence[Found], *, is_open: bool = False
) -> list[Found]:
    """The answers without those that leave another quantity no value, if there are several.

    One alone is no less excluded if it assumes a case and others are open (`is_open`). Otherwise the givens themselves
    are at fault where none is left, and all answers stay.
    """
    if sum(len(found.states) for found in answers) + is_open < 2:
        return list(answers)
    if any(question.weak[name].source.stands_in for found in answers for name in found.plan.weak):
        return list(answers)

    def is_sound(found: Found, state: State) -> bool:
        if question.ranges:
            return _is_possible_around(library, replace(question, case=whole_case(library, found)), {})
        if question.target in state.spans:
            return True
        asked = replace(question, case=found.case)
        if propagated(library, state.values, found.left_out, decisions_of(library, asked)) is None:
            return False
        return _is_possible_around(library, asked, state.values)

    kept = [replace(one, states=tuple(state for state in one.states if is_sound(one, state))) for one in answers]
    sound = [found for found in kept if found.states]
    return sound if sound or is_open else list(answers)


def _is_possible_around(library: RelationSet, question: Question, values: Mapping[str, float]) -> bool:
    """Whether some case of the relations around what is known leaves values to what else is in them."""
    known = values.keys() | question.strong.keys()
    choosing = (*library.conditional, *(one for one in library.relations.values() if one.chooses))
    around = (one for one in choosing if not known.isdisjoint(library.members[one.name]))
    also = {name for one in around for name in (*library.members[one.name], *names_in(*one.conditions))}
    also -= known - {name for name, value in question.strong.items() if value.is_range}
    if not also:
        return True
    computed = values.keys() - question.strong.keys()
    stated = {name: stated_at(library, name, values[name]) for name in sorted(computed)}
    asked = question.but(strong={**question.strong, **stated})
    return next(boxes_by_arms(library, asked, sorted(also), computed=computed), None) is not None


def left_open(
    library: RelationSet, question: Question, left_out: Mapping[str, str], *, is_covered: bool = True
) -> list[Found]:
    """The intervals of a target that nothing fixes in a case.

    Empty if they are all of its domain, and also if no relation of the library covers that case, unless that is no
    matter (`is_covered`).
    """
    rules = _Rules(library, question, left_out, decisions_of(library, question))
    refuted = [relation.name for relation in rules.refuted]
    if refuted:
        case = replace(question.case, failing=question.case.failing.union(refuted))
        more = {**left_out, **dict.fromkeys(refuted, ANOTHER)}
        return left_open(library, replace(question, case=case), more, is_covered=is_covered)
    if not question.case.holding and not question.case.failing:
        return []
    if rules.following is None:
        raise _none(question.target, f"where {rules.said}, the givens contradict the relations")
    target, domain = question.target, library.declared[question.target].domain
    left = _left(library, question)
    if left is None:
        raise _none(target, f"nothing in its domain satisfies {rules.said}")
    if not rules.forms and left == (domain.low, domain.high):
        return []
    known = question.numbers
    if is_narrow(left):
        if left[0] == left[1] and rules.is_denied(left[0]):  # of two strict claims: the edge between them is neither
            raise _none(target, f"nothing in its domain satisfies {rules.said}")
        note = f"{target} is the same wherever {rules.said}"
        states = [State({**known, target: middle(left)}, {}, {}, (note,))]
    else:
        note = f"nothing determines {target} where {rules.where or rules.said}"
        state = State(known, {target: left}, {}, (note,))
        states = [replace(state, notes=(note, ENCLOSED))] if question.ranges else list(rules.parts(state))
    if not states:
        raise _none(target, f"nothing in its domain satisfies {rules.where}")
    spoken = tuple(state for state in states if not is_covered or rules.is_spoken_of(state))
    return [Found(Plan(target, (), (), ()), spoken, left_out)] if spoken else []


def _left(library: RelationSet, question: Question) -> Span | None:
    """The interval that the relations and the conditions of a case leave to the target; None if there is none.

    Over ranges it contains every value that the target has anywhere in them.
    """
    found = left_by_arms(library, question, blur=0.0) or left_by_arms(library, question)
    if found is None:
        return None
    low, high = (float(f"{end:.15g}") for end in found)  # without what was rounded outwards
    return low, high


def propagated(
    library: RelationSet, start: Mapping[str, float], left_out: Mapping[str, str], decisions: Decisions, but: str = ""
) -> dict[str, float] | None:
    """The given numbers and all that follows from them, one relation at a time, except `but`; None at a contradiction.

    A contradiction is a relation that does not hold, or that leaves its last unknown no value in its domain.
    """
    known = dict(start)
    reach = _one_by_one(library, known, left_out, but)
    pending = [r for r in library.relations.values() if reach.issuperset(library.members[r.name])]
    pending = [r for r in pending if r.name not in left_out and r.is_exact]
    grows = True
    while grows:
        grows, waiting = False, []
        for relation in pending:
            open_ones = [name for name in library.members[relation.name] if name not in known]
            if len(open_ones) > 1 or open_ones == [but]:
                waiting.append(relation)
                continue
            verdict = decisions.applies(relation)
            if verdict is None and not applies_at(relation, known):
                waiting.append(relation)
                continue
            if verdict is False:
                continue
            if not open_ones:
                if not agrees(relation.written, known):
                    return None
                continue
            name = open_ones[0]
            needed = {other: known[other] for other in library.members[relation.name] if other != name}
            outcome = outcome_of(library, Block((relation.name,), (name,)), needed)
            if not outcome.solutions and not outcome.undecided and not outcome.singular:
                return None
            if len(outcome.solutions) == 1 and name in outcome.solutions[0].values and not outcome.caveat:
                known[name] = outcome.solutions[0].values[name]
                grows = True
        pending = waiting
    return known


def _one_by_one(library: RelationSet, known: Iterable[str], left_out: Container[str], but: str) -> set[str]:
    """All that equations could determine from some names, each its last open one, except one quantity."""
    found = {*known}
    pending = [*library.relations]
    while pending:
        relation = library.relations[pending.pop()]
        open_ones = [name for name in library.members[relation.name] if name not in found]
        if len(open_ones) != 1 or open_ones[0] == but or relation.name in left_out or not relation.is_exact:
            continue
        found.add(open_ones[0])
        pending += library.holders[open_ones[0]]
    return found


def _none(target: str, why: str) -> NoSolutionError:
    what = f"{target} has no admissible value: {why}."
    return NoSolutionError(what, hint="Change one of the givens.", reason=f"{target}: {why}")


@dataclass(frozen=True)
class _Rules:
    """The conditions of a case on its target."""

    library: RelationSet
    question: Question
    left_out: Mapping[str, str]
    decisions: Decisions

    @cached_property
    def known(self) -> dict[str, float]:
        return {**{name: value.base[1] for name, value in self.question.weak.items()}, **(self.following or {})}

    @cached_property
    def forms(self) -> dict[Node, Node]:
        """The claims of the case that involve the target, each expressed in it."""
        denied = (negation(relation.conditions) for relation in self.refuted)
        forms = {claim: self._by_target(claim) for claim in (*claims(self.library, self.question), *denied)}
        return {claim: form for claim, form in forms.items() if form and self.question.target in names_in(form)}

    @cached_property
    def following(self) -> dict[str, float] | None:
        """The numbers that follow from the givens in this case, whatever the target is; None at a contradiction."""
        if self.question.ranges:
            return dict(self.question.numbers)
        return propagated(self.library, self.question.numbers, self.left_out, self.decisions, self.question.target)

    @property
    def said(self) -> str:
        return " and ".join(dict.fromkeys(map(worded, claims(self.library, self.question))))

    @property
    def where(self) -> str:
        return " and ".join(dict.fromkeys(map(worded, self.forms)))

    def parts(self, state: State) -> Iterator[State]:
        """The state with its interval of the target cut to where the claims hold; other states unchanged.

        Ranges that move the edges leave an interval whole: it is cut later, to what all their numbers leave of it.
        """
        target = self.question.target
        edges = self._turns() if target in state.spans and self.forms else None
        if edges is None:
            yield state
            return
        low, high = state.spans[target]
        domain = self.library.declared[target].domain
        is_free = (low, high) == (domain.low, domain.high)
        others = {name: span for name, span in state.spans.items() if name != target}
        ends = [low, *(edge for edge in edges if low < edge < high), high]
        met = [part for span in pairwise(ends) for part in self._met_within(span, _FLIPS)]
        if met and self._is_ranged:
            yield state
            return
        for span in joined(met):
            yield replace(state, spans={**others, target: span}, is_free=is_free)
        for edge in edges:
            alone = not any(one <= edge <= other for one, other in met)
            if alone and low <= edge <= high and edge in domain and self.is_met(edge):
                yield replace(state, values={**state.values, target: edge}, spans=others)

    @property
    def _is_ranged(self) -> bool:
        """Whether a range moves the edges of the case."""
        stated = {**self.question.weak, **self.question.strong}
        return any(name in stated and stated[name].is_range for form in self.forms.values() for name in names_in(form))

    def _met_within(self, span: Span, flips: int) -> Iterator[Span]:
        """The parts of an interval where the claims hold; they may also flip where a side has a pole or is
        undefined."""
        points = [*inside(span), *((0.0,) if span[0] < 0 < span[1] else ())]
        verdicts = [self.is_met(point) for point in points]
        if all(verdicts):
            yield span
        elif any(verdicts) and flips:
            flip = self._flip(points[verdicts.index(True)], points[verdicts.index(False)])
            yield from self._met_within((span[0], flip), flips - 1)
            yield from self._met_within((flip, span[1]), flips - 1)

    def _flip(self, met: float, failed: float) -> float:
        """A number between these at which the claims flip, by bisection."""
        for _ in range(_HALVINGS):
            middle = (met + failed) / 2
            met, failed = (middle, failed) if self.is_met(middle) else (met, middle)
        return 0.0 if abs(failed) <= NEGLIGIBLE * max(1.0, abs(met)) else failed

    def is_spoken_of(self, state: State) -> bool:
        """Whether a relation of this case covers, somewhere here, the quantities of those that do not apply."""
        target = self.question.target
        points = inside(state.spans[target]) if target in state.spans else [state.values[target]]
        others = [name for name in self.left_out if self.library.relations[name].conditions]
        spoken = {name for relation in others for name in self.library.members[relation]} - {target}
        for relation in self.library.conditional:
            if relation.name in others or spoken.isdisjoint(self.library.members[relation.name]):
                continue
            if self.decisions.applies(relation) is True:
                return True
            forms = [form for one in relation.conditions if (form := self._by_target(one))]
            if any(all(holds(form, {**self.known, target: point}) for form in forms) for point in points):
                return True
        return False

    def is_met(self, number: float) -> bool:
        at = {**self.known, self.question.target: number}
        return all(holds(form, at) for form in self.forms.values())

    def is_denied(self, number: float) -> bool:
        """Whether a claim is false at a number; where it is undefined, as 0/0 is, it may hold."""
        at = {**self.known, self.question.target: number}
        return any(truth(form, at) is False for form in self.forms.values())

    @property
    def refuted(self) -> list[Relation]:
        """The relations that do not hold at the givens, whose conditions therefore fail."""
        case, library = self.question.case, self.library
        reach = _one_by_one(library, self.question.strong, self.left_out, self.question.target)
        tested = [
            relation
            for relation in library.conditional
            if relation.name not in case.holding | case.failing and relation.approximate is None
            if reach.issuperset(library.members[relation.name])  # else what follows need not be worked out
        ]
        known = (self.following or {}) if tested else {}
        return [
            relation
            for relation in tested
            if known.keys() >= {*library.members[relation.name]} and not agrees(relation.written, known)
        ]

    def _by_target(self, claim: Node) -> Node | None:
        """A claim in terms of the target and the givens; None if closed forms do not suffice."""
        target, stated = self.question.target, self.following or {}
        forms: dict[str, Node] = {}
        known, left_out = frozenset([*stated, target, *self.question.weak]), frozenset(self.left_out)
        if not within_reach(self.library, known, left_out) >= set(names_in(claim)):
            return None
        for name in names_in(claim):
            if name in stated or name == target:
                continue
            weak = [other for other in self.question.weak if other != name]
            made = planned_for(self.library, name, [*stated, target], weak, left_out, self.question.stated)
            if not made.is_determined:
                if name in self.question.weak:
                    continue  # its own value, which nothing displaces
                return None
            for block in made.blocks:
                relation = self.library.relations[block.relations[0]]
                found = isolate(relation.written, block.unknowns[0]) if len(block.unknowns) == 1 else None
                applies = self.decisions.applies(relation)
                if applies is None:
                    raise Undecided(relation.name)
                if not applies or not found or len(found) > 1 or found[0].conditions or found[0].winds:
                    return None
                forms[block.unknowns[0]] = found[0].form
        return composed("", {**forms, "": claim})

    def _turns(self) -> list[float] | None:
        """The numbers at which a comparison in a claim may flip; None if they are unknown."""
        target, edges = self.question.target, set[float]()
        domain = self.library.declared[target].domain
        for part in (part for form in self.forms.values() for part in walk(form)):
            if not isinstance(part, Apply) or part.op not in COMPARISONS.values() or target not in names_in(part):
                continue
            outcome = solve_block([Equation(part.args[0], "=", part.args[1])], [target], self.known, {target: domain})
            if outcome.undecided or outcome.caveat:
                return None
            edges.update(one.values[target] for one in outcome.solutions if target in one.values)
            edges.update(end for one in outcome.solutions if target in one.spans for end in one.spans[target])
        return sorted(edges)
