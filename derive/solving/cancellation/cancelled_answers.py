"""Answers to questions that look underdetermined, because what is missing cancels.

Counting relations and unknowns, pressure and temperature do not determine density: volume, amount and mass are open.
Yet they cancel. So before a target is called underdetermined, the Jacobian of all relations shows whether some of
them fix it together, and which (`jacobian_rank`); the quantities that cancel are eliminated from those
(`elimination`); and the result is planned and solved like any other question. The answer counts only if the
eliminated quantities can exist beside it: some values of the free ones must lead to values for all, each in its
domain, at which every relation holds as stated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, islice

from derive.caches import Memo
from derive.errors import InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import Equation, names_in
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import residual, value
from derive.numerics.algebra.products import written_as_product
from derive.planning.matching import Matching
from derive.planning.plan import Block, Plan, plan_for
from derive.solving.assumptions import Assumption
from derive.solving.blocks.closed_forms import composed
from derive.solving.blocks.outcome import agrees
from derive.solving.blocks.sample_points import points_across_domains
from derive.solving.cancellation.elimination import Projection, eliminate
from derive.solving.cancellation.jacobian_rank import Rows, combined, repeated, rows_of
from derive.solving.execution.block_execution import State
from derive.solving.execution.plan_states import PlanResult, solved
from derive.solving.execution.question import Question
from derive.solving.execution.regimes import ANOTHER, Undecided, decisions_of
from derive.time_limits import Search, stop_if_over, tick
from quantities.domain import Domain

_TRIED = 64  # trials of values for free quantities
_RELATIONS_LEFT = Memo[RelationSet](most=16)
_REPEATED = 8  # limit on sets of dependent relations that are checked


def cancelled_answer(
    library: RelationSet, question: Question, left_out: Mapping[str, str], carried_out: Collection[str] = ()
) -> PlanResult | None:
    """The cancelled answer to a question: the one in which what is missing cancels; None if there is none.

    What a plan makes of its relations, which are `carried_out` exactly, is all that elimination from them could give.
    """
    for cancellation in _cancellations(library, question, left_out, frozenset(carried_out)):
        result = cancellation.result(search=question.search)
        if result is not None:
            for names in islice(repeated(cancellation.rows, question.target), _REPEATED):
                prove_fit(library, question, names)
            return result
    return None


def has_cancelled_answer(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> bool:
    """Whether a question has a cancelled answer: without what is missing, enough is left to fix the target."""
    return any(cancellation.projection is not None for cancellation in _cancellations(library, question, left_out))


def _cancellations(
    library: RelationSet, question: Question, left_out: Mapping[str, str], carried_out: frozenset[str] = frozenset()
) -> Iterator[_Cancellation]:
    """The relations that may have a cancelled answer, by Jacobians at a random point and at the known numbers.

    If both choose the same relations, these are tried once; those that were carried out are not.
    """
    decisions = decisions_of(library, question)
    tried: list[tuple[str, ...]] = []
    for numbers in (None, question.beside_zeros):
        skipped = {**dict.fromkeys(question.case.failing, ANOTHER), **left_out}
        while True:
            rows = rows_of(library, question, frozenset(skipped), numbers, only_combined=True)
            names = combined(rows, question.target)
            if not names or names in tried:
                break
            relations = [library.relations[name] for name in names if name in library.relations]
            if carried_out == {relation.name for relation in relations}:
                break
            false = {
                relation.name: decisions.whether(relation)
                for relation in relations
                if relation.conditions and decisions.applies(relation) is False
            }
            if not false:
                for relation in relations:
                    if decisions.applies(relation) is None:
                        raise Undecided(relation.name)
                tried.append(names)
                weak = tuple(name.removeprefix("=") for name in names if name not in library.relations)
                known = {name: question.stated_numbers[name] for name in (*question.strong, *weak)}
                beside_zeros = {name: question.beside_zeros[name] for name in known}
                yield _Cancellation(library, question.target, relations, known, beside_zeros, weak, rows, skipped)
                break
            skipped |= false


def prove_fit(library: RelationSet, question: Question, names: Sequence[str]) -> None:
    """Raise if the givens contradict exact relations that are dependent because quantities cancel in them.

    A range is as unknown as what cancels: in its middle alone, terms may vanish that do not elsewhere.
    """
    decisions = decisions_of(library, question)
    relations = [library.relations[name] for name in names if name in library.relations]
    if len(relations) < len(names):
        return
    if any(relation.approximate or decisions.applies(relation) is not True for relation in relations):
        return
    known = {name: number for name, number in question.numbers.items() if name not in question.ranges}
    cancellation = _Cancellation(library, "", relations, known, beside_zeros=known)
    written = [relation.written for relation in relations]
    projection = eliminate(written, "", known, cancellation.domains, lambda left: bool(_decided(left, known)))
    for equation in _decided(projection.equations, known) if projection else ():
        if not agrees(equation, known):
            raise _conflict(question, names, relations, equation)


def _decided(equations: Sequence[Equation], known: Mapping[str, float]) -> list[Equation]:
    """The equations beside a cancelled answer that contain only givens, which satisfy or contradict them."""
    return [equation for equation in equations if known.keys() >= {*equation.names}]


def _conflict(
    question: Question, names: Sequence[str], relations: Sequence[Relation], equation: Equation
) -> InconsistentError:
    """The error for givens that contradict an equation which cancellation leaves of some relations."""
    gap = abs(residual(equation, question.numbers))
    declared = chain.from_iterable(relation.declared for relation in relations)
    stated = [f"{name} = {question.strong[name]}" for name in declared if name in question.strong]
    conflicts = tuple(dict.fromkeys([*names, *stated]))
    return InconsistentError(
        f"{', '.join(names)}: together they require {equation}, and the sides differ by {gap:.2g} of "
        f"their size. The conflict: {'; '.join(conflicts)}.",
        hint="Change or drop one of the givens, or leave a relation out.",
        conflicts=conflicts,
        gap=gap,
    )


@dataclass(frozen=True)
class _Cancellation:
    """Relations that may have a cancelled answer: they fix a target together, though they hold more unknowns."""

    library: RelationSet
    target: str
    relations: Sequence[Relation]
    known: Mapping[str, float]
    beside_zeros: Mapping[str, float]  # the same numbers, but none that is zero only in the middle of a range
    weak: tuple[str, ...] = ()  # the names whose weak values are known
    rows: Rows = field(default_factory=dict)  # of all relations, from which these were chosen
    left_out: Mapping[str, str] = field(default_factory=dict)

    def result(self, *, search: Search) -> PlanResult | None:
        """The cancelled answer by the equations that elimination leaves; None if elimination fails."""
        projection = self.projection
        if projection is None:
            return None
        outcome = self._states(projection.equations, search=search)
        if outcome is None:
            return None
        states, reason = outcome
        tried = (self._answer_in(projection, state) for state in states)
        answers = tuple(answer for answer in tried if answer is not None)
        if states and not answers:
            return None
        block = Block(tuple(relation.name for relation in self.relations), (self.target,))
        return PlanResult(Plan(self.target, (block,), self.weak, ()), answers, self.left_out, reason)

    @cached_property
    def projection(self) -> Projection | None:
        """The relations without what cancels in them, if they are enough for a cancelled answer; None otherwise."""
        written = [relation.written for relation in self.relations]
        projection = eliminate(written, self.target, self.beside_zeros, self.domains, self._is_enough)
        if projection is not None:
            return projection
        # terms of several unknowns cancel only where their coefficients are numbers
        numeric = [equation.changed(partial(folded, known=self.beside_zeros)) for equation in written]
        return eliminate(numeric, self.target, self.beside_zeros, self.domains, self._is_enough)

    @cached_property
    def domains(self) -> Mapping[str, Domain]:
        """The domains of the unknowns in the relations of a cancelled answer."""
        names = names_in(*(relation.written for relation in self.relations))
        return {name: self.library.declared[name].domain for name in names if name not in self.known}

    def _is_enough(self, equations: Sequence[Equation]) -> bool:
        """Whether, by counting, the equations that elimination leaves fix the target of a cancelled answer."""
        matching = Matching(frozenset(self.known))
        for i, equation in enumerate(equations):
            matching.add(str(i), equation.names)
        return matching.settles(self.target)

    def _states(self, equations: Sequence[Equation], *, search: Search) -> tuple[list[State], str] | None:
        """The states of a cancelled answer by the equations left, and why there are none; None if that is unknown."""
        remaining = _as_relations(self.library, tuple(equations))
        plan = plan_for(remaining, self.target, list(self.known), (), frozenset())
        try:
            states, reason = solved(remaining, plan, State(self.known, search=search))
        except (LimitError, NoSolutionError, UnderdeterminedError):
            stop_if_over()  # another elimination would not help
            return None
        return None if any(self.target not in state.values for state in states) else (states, reason)

    def _answer_in(self, projection: Projection, state: State) -> State | None:
        """The cancelled answer in a state; None if no trial shows that what cancels can exist beside it."""
        eliminated = {name for name, _ in projection.eliminated}
        free = [name for name in self.domains if name not in state.values and name not in eliminated]
        trials = islice(points_across_domains(free, self.known, self.domains), _TRIED)
        if not any(self._fits(projection, {**state.values, **trial}) for trial in trials):
            return None
        form = composed(self.target, state.forms)
        names = " and ".join(free)
        verb = "cancel" if len(free) > 1 else "cancels"
        note = (Assumption(f"{names} {verb}: any value gives the same {self.target}"),) if free else ()
        forms = {}
        if form is not None and self.known.keys() >= {*names_in(form)}:
            forms[self.target] = written_as_product(form)
        return State({**self.known, self.target: state.values[self.target]}, {}, forms, (*note, *state.notes))

    def _fits(self, projection: Projection, values: dict[str, float]) -> bool:
        """Whether values of free quantities lead to values of the eliminated ones that fit a cancelled answer."""
        tick()
        for name, form in reversed(projection.eliminated):
            values[name] = value(form, values)
        if any(values[name] not in domain for name, domain in self.domains.items()):
            return False
        return all(agrees(relation.written, values) for relation in self.relations)


def _as_relations(library: RelationSet, equations: tuple[Equation, ...]) -> RelationSet:
    """The equations left for a cancelled answer as relations, named by their place; cached for all cases."""

    def relation_set() -> RelationSet:
        relations = []
        for place, equation in enumerate(equations):
            declared = {name: library.declared[name] for name in equation.names}
            relations.append(Relation.proved(str(place), equation, declared))
        return RelationSet(relations)

    return _RELATIONS_LEFT.of(library.session, equations, relation_set)
