"""Answers to questions that look underdetermined, because what is missing cancels.

Counting relations and unknowns, pressure and temperature do not determine density: volume, amount and mass are open.
Yet they cancel. So before a target is called underdetermined, the Jacobian of all relations shows whether some of
them fix it together, and which (`jacobian_rank`); the quantities that cancel are eliminated from those
(`elimination`); and the result is planned and solved like any other question. The answer counts only if the
eliminated quantities can exist beside it: some values of the free ones must lead to values for all, each in its
domain, at which every relation holds as stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from derive.caches import Memo
from derive.errors import InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import Equation, names_in
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import residual, value
from derive.planning.matching import Matching
from derive.planning.plan import Block, Plan
from derive.solving.blocks.multistart import starts
from derive.solving.blocks.outcome import agrees
from derive.solving.cancellation.elimination import Projection, projected, reduced
from derive.solving.cancellation.jacobian_rank import Rows, combined, repeated, rows_of
from derive.solving.execution.block_execution import State
from derive.solving.execution.plan_execution import decisions_of
from derive.solving.execution.plan_states import Found, planned_for, solved
from derive.solving.execution.question import Question
from derive.solving.execution.regimes import ANOTHER, Undecided
from derive.solving.sensitivity.elasticities import composed
from derive.time_limits import tick
from quantities.domain import Domain

__all__ = ["cancelled", "cancels", "prove_fit"]

_TRIED = 64  # trials of values for free quantities
_LEFT = Memo[RelationSet](most=64)
_REPEATED = 8  # limit on sets of dependent relations that are checked


def cancelled(library: RelationSet, question: Question, aside: Mapping[str, str]) -> Found | None:
    """The answer that does not depend on what is missing, if there is one."""
    for elimination, weak, rows, left_out in _eliminations(library, question, aside):
        result = elimination.carried_out(weak)
        if result is not None:
            for names in islice(repeated(rows, question.target), _REPEATED):
                prove_fit(library, question, names)
            return replace(result, left_out=left_out)
    return None


def cancels(library: RelationSet, question: Question, aside: Mapping[str, str]) -> bool:
    """Whether elimination of what is missing leaves enough to fix the target, whatever the numbers."""
    return any(one.left is not None for one, _, _, _ in _eliminations(library, question, aside))


def _eliminations(
    library: RelationSet, question: Question, aside: Mapping[str, str]
) -> Iterator[tuple[_Elimination, tuple[str, ...], Rows, Mapping[str, str]]]:
    """The relations to eliminate from, chosen by their Jacobian at a random point and at the known numbers."""
    decisions = decisions_of(library, question)
    for at in (None, question.stated_numbers):
        left_out = {**dict.fromkeys(question.case.failing, ANOTHER), **aside}
        while True:
            rows = rows_of(library, question, frozenset(left_out), at, only_combined=True)
            used = combined(rows, question.target)
            if not used:
                break
            relations = [library.relations[name] for name in used if name in library.relations]
            false = {
                one.name: decisions.whether(one)
                for one in relations
                if one.conditions and decisions.applies(one) is False
            }
            if not false:
                for one in relations:
                    if decisions.applies(one) is None:
                        raise Undecided(one.name)
                weak = tuple(name.removeprefix("=") for name in used if name not in library.relations)
                known = {name: question.stated_numbers[name] for name in (*question.strong, *weak)}
                yield _Elimination(library, question.target, relations, known), weak, rows, left_out
                break
            left_out |= false


def prove_fit(library: RelationSet, question: Question, names: Sequence[str]) -> None:
    """Raise if exact relations are dependent and the givens contradict them."""
    decisions = decisions_of(library, question)
    relations = [library.relations[name] for name in names if name in library.relations]
    if len(relations) < len(names) or any(one.approximate or decisions.applies(one) is not True for one in relations):
        return
    known = question.numbers
    whole = _Elimination(library, "", relations, known)
    left = projected(
        [one.written for one in relations], "", known, whole.domains, lambda rest: bool(whole.tested(rest))
    )
    for equation in whole.tested(left.equations) if left else ():
        gap = residual(equation, known)
        if not agrees(equation, known) and question.ranges.keys().isdisjoint(names_in(equation.lhs, equation.rhs)):
            stated = [f"{n} = {question.strong[n]}" for one in relations for n in one.declared if n in question.strong]
            conflicts = list(dict.fromkeys([*names, *stated]))
            raise InconsistentError(
                f"{', '.join(names)}: together they require {equation}, and the sides differ by {abs(gap):.2g} of "
                f"their size. The conflict: {'; '.join(conflicts)}.",
                hint="Change or drop one of the givens, or leave a relation out.",
                conflicts=conflicts,
                gap=abs(gap),
            )


@dataclass(frozen=True)
class _Elimination:
    """Relations that fix a target together, though they hold more unknowns than they are."""

    library: RelationSet
    target: str
    relations: Sequence[Relation]
    known: Mapping[str, float]

    def carried_out(self, weak: tuple[str, ...]) -> Found | None:
        """The remaining relations, solved; None if elimination fails."""
        left = self.left
        solved = None if left is None else self._states(left.equations)
        if left is None or solved is None:
            return None
        states, reason = solved
        told = [one for state in states if (one := self._told(left, state)) is not None]
        block = Block(tuple(relation.name for relation in self.relations), (self.target,))
        return Found(Plan(self.target, (block,), weak, ()), tuple(told), {}, reason) if told or not states else None

    @cached_property
    def left(self) -> Projection | None:
        """The remaining relations, enough to fix the target; None if elimination fails."""
        written = [relation.written for relation in self.relations]
        found = projected(written, self.target, self.known, self.domains, self._is_enough)
        if found is not None:
            return found
        # terms of several unknowns cancel only where their coefficients are numbers
        folds = [(folded(one.lhs, self.known), folded(one.rhs, self.known)) for one in written]
        equations = [Equation(left, "=", right) for left, right in folds]
        return projected(equations, self.target, self.known, self.domains, self._is_enough)

    @cached_property
    def domains(self) -> Mapping[str, Domain]:
        names = names_in(*(side for one in self.relations for side in (one.written.lhs, one.written.rhs)))
        return {name: self.library.declared[name].domain for name in names if name not in self.known}

    def tested(self, equations: Sequence[Equation]) -> list[Equation]:
        """The equations without unknowns."""
        return [equation for equation in equations if self.known.keys() >= {*names_in(equation.lhs, equation.rhs)}]

    def _is_enough(self, equations: Sequence[Equation]) -> bool:
        """Whether, by counting, these equations fix the target."""
        matching = Matching(frozenset(self.known))
        for i, equation in enumerate(equations):
            matching.add(str(i), names_in(equation.lhs, equation.rhs))
        return matching.settles(self.target)

    def _states(self, equations: Sequence[Equation]) -> tuple[list[State], str] | None:
        """The states that equations lead to, and why there are none; None if unknown."""
        left = _as_relations(self.library, tuple(equations))
        made = planned_for(left, self.target, list(self.known), (), frozenset())
        try:
            states, reason = solved(left, made, State(self.known))
        except (LimitError, NoSolutionError, UnderdeterminedError):
            tick()
            return None
        return None if any(self.target not in state.values for state in states) else (states, reason)

    def _told(self, left: Projection, state: State) -> State | None:
        """The answer in a state, if the eliminated quantities can exist beside it."""
        eliminated = {name for name, _ in left.eliminated}
        free = [name for name in self.domains if name not in state.values and name not in eliminated]
        if not any(
            self._fits(left, {**state.values, **start}) for start in starts(free, self.known, self.domains, _TRIED)
        ):
            return None
        form = composed(self.target, state.forms)
        names = " and ".join(free)
        verb = "cancel" if len(free) > 1 else "cancels"
        note = (f"{names} {verb}: any value gives the same {self.target}",) if free else ()
        kept = {} if form is None or not set(names_in(form)) <= self.known.keys() else {self.target: reduced(form)}
        return State({**self.known, self.target: state.values[self.target]}, {}, kept, (*note, *state.notes))

    def _fits(self, left: Projection, values: dict[str, float]) -> bool:
        """Whether values of the free quantities lead to values of all, at which every relation holds."""
        tick()
        for name, form in reversed(left.eliminated):
            values[name] = value(form, values)
        if any(values[name] not in domain for name, domain in self.domains.items()):
            return False
        return all(agrees(relation.written, values) for relation in self.relations)


def _as_relations(library: RelationSet, equations: tuple[Equation, ...]) -> RelationSet:
    """Equations as relations, named by their place; cached, since the cases of a question are left with the same."""

    def made() -> RelationSet:
        relations = []
        for place, equation in enumerate(equations):
            declared = {name: library.declared[name] for name in names_in(equation.lhs, equation.rhs)}
            relations.append(Relation.proved(str(place), equation, declared))
        return RelationSet(relations)

    return _LEFT.of(library.session, equations, made)
