"""The states of a plan: its blocks solved one after another, where each of several solutions is followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from derive.errors import DeriveError, LimitError, NoSolutionError
from derive.model.relation_set import RelationSet
from derive.planning.plan import Plan
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.question import NO_CASE, Case
from derive.time_limits import Search, tick

_MOST_STATES = 64  # limit on solutions that are followed
UNPROVED = "numerical search"


@dataclass(frozen=True)
class Found:
    """A plan and its resulting states."""

    plan: Plan
    states: tuple[State, ...]
    left_out: Mapping[str, str]  # relations that do not apply, and why
    reason: str = ""
    case: Case = NO_CASE
    is_assumed_away: bool = False  # by another result, which assumes another case

    @property
    def doubt(self) -> str:
        """The first note on a state of the plan that solutions may be missing; empty if there is none."""
        return next(iter(_doubts_of(self.states)), "")


def solved(library: RelationSet, plan: Plan, start: State) -> tuple[list[State], str]:
    """The states after all blocks of a plan, and why the last block without a solution has none."""
    states, reason = [replace(start, values=dict(start.values))], ""  # a copy, to which the first block may write
    for block in plan.blocks:
        following: list[State] = []
        refused: NoSolutionError | None = None
        for state in states:
            tick()
            try:
                steps, why = block_states(library, block, state, is_last=len(states) == 1)
            except NoSolutionError as error:  # for this state only: another may have one
                refused = error
                continue
            following.extend(steps)
            reason = why or reason
        following = _doubting_alike(states, following)
        if refused is not None and not following:
            raise refused
        if not following:
            reason = f"{', '.join(block.unknowns)}: {reason}"
            if _doubts_of(states):
                hint = "Narrow the domains, or give more."
                raise LimitError(f"{reason}; but others may exist for what it depends on.", hint=hint, limit=UNPROVED)
            return [], reason
        if len(following) > _MOST_STATES:
            what = f"More than {_MOST_STATES} combinations of solutions."
            raise LimitError(what, hint="Give more.", limit=f"{_MOST_STATES} solutions")
        states = following
    return states, ""


def _doubts_of(states: Iterable[State]) -> list[str]:
    """The notes on states of a plan that say that solutions may be missing."""
    return [note for note in chain.from_iterable(state.notes for state in states) if is_doubt(note)]


def _doubting_alike(before: Sequence[State], after: list[State]) -> list[State]:
    """The states after a block, each with all doubts: where one list is open, so is the list of all that follows."""
    doubts = dict.fromkeys(_doubts_of((*before, *after)))

    def doubting(state: State) -> State:
        if doubts.keys() <= {*state.notes}:
            return state
        return replace(state, notes=tuple(dict.fromkeys((*state.notes, *doubts))))

    return [doubting(state) for state in after] if doubts else after


def is_doubt(note: str) -> bool:
    """Whether a note on a state says that solutions may be missing."""
    return "not proved" in note


def is_of_proof(note: str) -> bool:
    """Whether a note on a state says that a search has proved its list of solutions complete."""
    return ": proved by " in note


def is_of_one_turn(note: str) -> bool:
    """Whether a note on a state says that an angle was sought in one turn only, as others may repeat it."""
    return "sought in one turn" in note


def all_of(
    library: RelationSet, plan: Plan, known: Mapping[str, float], hints: Mapping[str, float]
) -> tuple[float, ...] | None:
    """All values of a plan's target from these numbers; None if they are unknown, or not proved to be all."""
    try:
        states, _ = solved(library, plan, State(known, hints=hints, only_numbers=True, search=Search.COMPLETE))
    except NoSolutionError:
        return ()
    except DeriveError:
        return None
    are_known = all(plan.target in state.values and not state.notes for state in states)
    return tuple(state.values[plan.target] for state in states) if are_known else None
