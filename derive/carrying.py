"""A plan carried out on numbers: block by block, splitting where a block has several solutions.

Conditions (`when`) are judged on the way: a relation whose condition turns out false is left out, and the plan is made
anew. Where a relation holds whatever its unknown is, another way to the target is tried before it is called bounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from derive.asking import Question
from derive.blocks import Outcome, Solution, solve_block
from derive.clock import tick
from derive.errors import DeriveError, LimitError, NoSolutionError, UnderdeterminedError
from derive.evaluating import holds
from derive.expression import Equation, Node, names_in, render
from derive.intervals import Span, enclose
from derive.isolating import isolate
from derive.planning import Block, Plan, plan
from derive.ranging import bounds_of_form, composed

if TYPE_CHECKING:
    from derive.library import Library
    from derive.relation import Relation
    from quantities.domain import Domain

__all__ = ["Found", "State", "block_states", "carried_out", "planned"]

_MOST = 64  # solutions that are followed
_KEPT = 256  # outcomes of simultaneous blocks that a library remembers


@dataclass(frozen=True)
class State:
    """A question on its way: the numbers so far, the intervals, and what was noted about them."""

    values: Mapping[str, float]
    spans: Mapping[str, Span] = field(default_factory=dict)
    forms: Mapping[str, Node] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    asides: Mapping[str, float] = field(default_factory=dict)  # what only conditions ask for

    def taken(self, solution: Solution, note: str) -> State:
        """The state after one more block."""
        forms = dict(self.forms)
        if solution.form is not None:
            forms[next(iter(solution.values))] = solution.form
        return State(
            {**self.values, **solution.values},
            {**self.spans, **solution.spans},
            forms,
            (*self.notes, note) if note else self.notes,
        )


@dataclass(frozen=True)
class Found:
    """A plan and the states that it led to."""

    plan: Plan
    states: tuple[State, ...]
    left_out: Mapping[str, str]  # relations that do not apply, and why
    reason: str = ""


def carried_out(library: Library, question: Question, left_out: Mapping[str, str] | None = None) -> Found:
    """The plan, made anew until every relation in it applies, and the states it leads to."""
    aside: dict[str, str] = dict(left_out or {})
    strong = {name: value.base[1] for name, value in question.strong.items()}
    for relation in library.relations.values():
        for condition in relation.conditions:
            if _truth(condition, strong) is False:
                aside[relation.name] = _whether(condition)
    for _ in range(len(library.relations) + 1):
        tick()
        made = planned(library, question, frozenset(aside))
        known = {**strong, **{name: question.weak[name].base[1] for name in made.weak}}
        if not made.is_determined:
            return Found(made, (), aside)
        states, reason = _solved(library, made, State(known))
        slack = _cancelling(made, states, question.target)
        if slack:
            return _elsewhere(library, question, aside, slack) or Found(made, tuple(states), aside, reason)
        states = [_with_conditions(library, question, made, state) for state in states]
        false = _inapplicable(library, made, states)
        if not false:
            return Found(made, tuple(state for state in states if _applies(library, made, state)), aside, reason)
        aside.update(false)
    raise LimitError("The conditions of the relations exclude each other in turn.", limit="plans")


def _with_conditions(library: Library, question: Question, made: Plan, state: State) -> State:
    """The state with the quantities that conditions ask for: derived where they can be, weak values otherwise."""
    used = [library.relations[name] for block in made.blocks for name in block.relations]
    wanted = {name for relation in used for condition in relation.conditions for name in names_in(condition)}
    asides: dict[str, float] = {}
    for name in sorted(wanted - state.values.keys() - state.spans.keys()):
        derived = _derived(library, question, name)
        if derived is not None:
            asides[name] = derived
        elif name in question.weak:
            asides[name] = question.weak[name].base[1]
    return replace(state, asides=asides)


def _derived(library: Library, question: Question, name: str) -> float | None:
    """A quantity that the givens determine by relations without conditions of their own."""
    guarded = {relation.name: "it has a condition" for relation in library.relations.values() if relation.conditions}
    weak = {other: value for other, value in question.weak.items() if other != name}
    try:
        found = carried_out(library, Question(name, question.strong, weak), guarded)
    except DeriveError:
        return None
    values = {state.values.get(name) for state in found.states}
    return values.pop() if len(values) == 1 else None


def _cancelling(made: Plan, states: Sequence[State], target: str) -> str | None:
    """A relation in which its unknown cancels at these numbers, so that the target is only bounded."""
    if not made.checks or not states or not all(target in state.spans for state in states):
        return None
    for block in made.blocks:
        if len(block.unknowns) == 1 and all(block.unknowns[0] in state.spans for state in states):
            return block.relations[0]
    return None


def _elsewhere(library: Library, question: Question, left_out: Mapping[str, str], relation: str) -> Found | None:
    """The answer by another way, where the relation that was to fix an unknown holds whatever it is."""
    made = planned(library, question, frozenset({*left_out, relation}))
    if not made.is_determined:
        return None
    strong = {name: value.base[1] for name, value in question.strong.items()}
    states, _ = _solved(library, made, State({**strong, **{n: question.weak[n].base[1] for n in made.weak}}))
    states = [state for state in states if question.target in state.values]
    return Found(made, tuple(states), left_out) if states else None


def planned(library: Library, question: Question, left_out: frozenset[str]) -> Plan:
    """The plan for a question's names, kept in the library once it is made."""
    key = (question.target, frozenset(question.strong), tuple(question.weak), left_out)
    made = library.plans.get(key)
    if made is None:
        structure = library.structure(left_out)
        made = plan(structure, question.target, list(question.strong), list(question.weak))
        library.plans[key] = made
    return made


def _solved(library: Library, made: Plan, start: State) -> tuple[list[State], str]:
    """The states after all blocks, and why the last block without a solution has none."""
    states, reason = [start], ""
    for block in made.blocks:
        following: list[State] = []
        for state in states:
            tick()
            steps, why = block_states(library, block, state)
            following.extend(steps)
            reason = why or reason
        if not following:
            return [], f"{', '.join(block.unknowns)}: {reason}"
        if len(following) > _MOST:
            raise LimitError(
                f"More than {_MOST} combinations of solutions.", hint="Give more.", limit=f"{_MOST} solutions"
            )
        states = following
    return states, ""


def block_states(library: Library, block: Block, state: State) -> tuple[list[State], str]:
    """The states that follow from solving one block."""
    relations = [library.relations[name] for name in block.relations]
    needed = {name for relation in relations for name in names_in(relation.written.lhs, relation.written.rhs)}
    if needed & state.spans.keys():
        bounded = _bounded(block, relations[0], state)
        if bounded is None:
            raise LimitError(
                f"{', '.join(block.unknowns)} hangs on a quantity that is only bounded, in a way that is not followed.",
                hint=f"Give {' or '.join(sorted(needed & state.spans.keys()))}.",
                limit="bounds through a relation",
            )
        return [bounded], ""
    known = {name: state.values[name] for name in needed if name in state.values}
    domains = {name: library.quantities[name].domain for name in block.unknowns}
    outcome = _outcome(library, block, [relation.written for relation in relations], known, domains)
    if outcome.singular and not outcome.solutions:
        names = ", ".join(block.relations)
        raise _singular(block, names, outcome.reason)
    if outcome.undecided:
        raise LimitError(
            f"{', '.join(block.unknowns)}: {outcome.reason}, and it is not proved that there is none.",
            hint="Narrow the domains, or give a quantity of the block.",
            limit="numerical search",
        )
    steps = []
    for solution in outcome.solutions:
        note = f"{block.unknowns[0]}: {outcome.caveat or solution.proof}" if outcome.caveat or solution.proof else ""
        steps.append(state.taken(solution, note))
    return steps, outcome.reason


def _outcome(
    library: Library,
    block: Block,
    equations: Sequence[Equation],
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
) -> Outcome:
    """The block's outcome; simultaneous ones are kept, since every target behind them asks for the same."""
    if len(block.unknowns) == 1:
        return solve_block(equations, block.unknowns, known, domains)
    key = (block, tuple(sorted(known.items())))
    if key not in library.outcomes:
        if len(library.outcomes) > _KEPT:
            library.outcomes.clear()
        library.outcomes[key] = solve_block(equations, block.unknowns, known, domains)
    return library.outcomes[key]


def _singular(block: Block, names: str, reason: str) -> DeriveError:
    if "contradict" in reason:
        return NoSolutionError(
            f"{', '.join(block.unknowns)}: {names} are singular at these numbers, and {reason}.",
            hint="Change one of the givens, or leave a relation out.",
            reason=reason,
        )
    return UnderdeterminedError(
        f"{', '.join(block.unknowns)}: {names} are singular at these numbers: {reason or 'they cancel'}.",
        hint=f"Give one of {', '.join(block.unknowns)}.",
        missing=[(name,) for name in block.unknowns],
    )


def _bounded(block: Block, relation: Relation, state: State) -> State | None:
    """The interval of an unknown that hangs on another's interval, where its closed form is the only one there is."""
    if len(block.unknowns) != 1:
        return None
    name = block.unknowns[0]
    candidates = isolate(relation.written, name)
    if not candidates or len(candidates) != 1 or candidates[0].conditions or candidates[0].winds:
        return None
    forms = {**state.forms, name: candidates[0].form}
    roots = {other: span for other, span in state.spans.items() if other not in state.forms}
    whole = composed(name, forms)
    if whole is None or not set(names_in(whole)) <= state.values.keys() | roots.keys():
        return None
    low, high = _over(whole, state.values, roots)
    domain = relation.quantities[name].domain
    span = (max(low, domain.low), min(high, domain.high))
    if not span[0] <= span[1]:
        return None
    return replace(state, spans={**state.spans, name: span}, forms=forms)


def _over(form: Node, values: Mapping[str, float], roots: Mapping[str, Span]) -> Span:
    """What a form comes to over intervals: tight where they are finite, an enclosure where they are not."""
    if all(math.isfinite(end) for span in roots.values() for end in span):
        middle = {name: (low + high) / 2 for name, (low, high) in roots.items()}
        return bounds_of_form(form, {**values, **middle}, roots)[0]
    found = enclose(form, {**{name: (number, number) for name, number in values.items()}, **roots}, "")
    return found.values if found else (-math.inf, math.inf)


def _inapplicable(library: Library, made: Plan, states: Sequence[State]) -> dict[str, str]:
    """The relations in use whose condition is false in every state."""
    false: dict[str, str] = {}
    for name in (relation for block in made.blocks for relation in block.relations):
        for condition in library.relations[name].conditions:
            truths = [_truth(condition, {**state.asides, **state.values}) for state in states]
            if truths and all(truth is False for truth in truths):
                false[name] = _whether(condition)
    return false


def _applies(library: Library, made: Plan, state: State) -> bool:
    """Whether no relation in use has a condition that is false here."""
    used = [library.relations[name] for block in made.blocks for name in block.relations]
    values = {**state.asides, **state.values}
    return all(_truth(condition, values) is not False for relation in used for condition in relation.conditions)


def _truth(condition: Node, values: Mapping[str, float]) -> bool | None:
    """Whether a condition holds; None where a quantity in it is not known."""
    return holds(condition, values) if all(name in values for name in names_in(condition)) else None


def _whether(condition: Node) -> str:
    return f"{render(condition)} is false"
