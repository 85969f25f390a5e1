"""A plan carried out on numbers: block by block, splitting where a block has several solutions.

Conditions (`when`) are judged on the way: a relation whose condition turns out false is left out, and the plan is made
anew. Where a relation holds whatever its unknown is, another way to the target is tried before it is called bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.asking import Question
from derive.blocks import Outcome, Solution, solve_block
from derive.errors import DeriveError, LimitError, NoSolutionError, UnderdeterminedError
from derive.evaluating import holds
from derive.expression import Equation, Node, names_in, render
from derive.intervals import Span, enclose
from derive.isolating import isolate
from derive.limits import tick
from derive.planning import Block, Plan, plan

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


def carried_out(library: Library, question: Question) -> Found:
    """The plan, made anew until every relation in it applies, and the states it leads to."""
    left_out: dict[str, str] = {}
    strong = {name: value.base[1] for name, value in question.strong.items()}
    everything = {**{name: value.base[1] for name, value in question.weak.items()}, **strong}
    for relation in library.relations.values():
        for condition in relation.conditions:
            if _truth(condition, everything) is False:
                left_out[relation.name] = _whether(condition)
    for _ in range(len(library.relations) + 1):
        tick()
        made = planned(library, question, frozenset(left_out))
        known = {**strong, **{name: question.weak[name].base[1] for name in made.weak}}
        if not made.is_determined:
            return Found(made, (), left_out)
        states, reason = _solved(library, made, State(known))
        slack = _cancelling(made, states, question.target, set(left_out))
        if slack:
            return _elsewhere(library, question, left_out, slack) or Found(made, tuple(states), left_out, reason)
        false = _inapplicable(library, made, states, question)
        if not false:
            return Found(made, tuple(states), left_out, reason)
        left_out.update(false)
    raise LimitError("The conditions of the relations exclude each other in turn.", limit="plans")


def _cancelling(made: Plan, states: Sequence[State], target: str, left_out: set[str]) -> str | None:
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
        return ([bounded], "") if bounded else ([], "a quantity that it needs is only bounded")
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
    """The interval of an unknown that hangs on another's interval."""
    if len(block.unknowns) != 1:
        return None
    name = block.unknowns[0]
    candidates = isolate(relation.written, name)
    if not candidates or len(candidates) != 1:
        return None
    spans = {other: (number, number) for other, number in state.values.items()} | dict(state.spans)
    found = enclose(candidates[0].form, spans, "")
    if found is None:
        return None
    domain = relation.quantities[name].domain
    span = (max(found.values[0], domain.low), min(found.values[1], domain.high))
    return State(state.values, {**state.spans, name: span}, state.forms, state.notes) if span[0] <= span[1] else None


def _inapplicable(library: Library, made: Plan, states: Sequence[State], question: Question) -> dict[str, str]:
    """The relations in use whose condition is false in every state."""
    false: dict[str, str] = {}
    spent = [relation for block in made.blocks for relation in block.relations]
    for name in spent:
        for condition in library.relations[name].conditions:
            truths = [_truth(condition, _with_weak(state.values, question)) for state in states]
            if truths and all(truth is False for truth in truths):
                false[name] = _whether(condition)
    return false


def _with_weak(values: Mapping[str, float], question: Question) -> Mapping[str, float]:
    return {**{name: value.base[1] for name, value in question.weak.items()}, **values}


def _truth(condition: Node, values: Mapping[str, float]) -> bool | None:
    """Whether a condition holds; None where a quantity in it is not known."""
    return holds(condition, values) if all(name in values for name in names_in(condition)) else None


def _whether(condition: Node) -> str:
    return f"{render(condition)} is false"
