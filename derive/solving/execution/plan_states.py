"""The states of a plan: its blocks solved one after another, where each of several solutions is followed.

The proof of an answer has a claim for each block of its plan, at every set of numbers with which the block is reached.
The blocks are solved again, and each list of solutions gets its certificate. Where one has none, the answer has no
proof. What cases hold is no part of it: an answer that rests on a case which others might exclude has none either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from derive.caches import Memo, numbers_as_key
from derive.certificates.proof import Claim, Proof
from derive.errors import DeriveError, LimitError, LimitKind, NoSolutionError
from derive.model.relation_set import RelationSet
from derive.planning.plan import Block, Plan
from derive.solving.assumptions import Assumption
from derive.solving.blocks.certification import claim_of
from derive.solving.blocks.outcome import OTHERS_MAY_EXIST
from derive.solving.execution.block_execution import State, block_states, outcome_of
from derive.solving.execution.question import NO_CASE, Case, Question
from derive.time_limits import Search, tick

_MOST_STATES = 512  # limit on solutions that are followed


@dataclass(frozen=True)
class PlanResult:
    """A plan and its resulting states."""

    plan: Plan
    states: tuple[State, ...]
    left_out: Mapping[str, str]  # relations that do not apply, and why
    reason: str = ""
    case: Case = NO_CASE
    is_assumed_away: bool = False  # by another result, which assumes another case

    @property
    def doubt(self) -> str:
        """The first note in the states of a plan's blocks that solutions may be missing; empty if there is none."""
        return next((note.text for note in _doubts_of(self.states)), "")


def solved(library: RelationSet, plan: Plan, start: State) -> tuple[list[State], str]:
    """The states after a plan's blocks are solved one after another, and why the last without a solution has none."""
    states, reason = [replace(start, values=dict(start.values))], ""  # a copy, to which the first block may write
    for block in plan.blocks:
        following: list[State] = []
        refused: NoSolutionError | LimitError | None = None
        doubts: list[Assumption] = []
        for state in states:
            tick()
            try:
                steps, why = block_states(library, block, state, is_last=len(states) == 1)
            except NoSolutionError as error:  # for this state only: another may have one
                refused = refused or error
                continue
            except LimitError as error:
                if error.kind is not LimitKind.PROOF or len(states) == 1:
                    raise
                refused, doubts = error, [OTHERS_MAY_EXIST.on(block.unknowns[0])]
                continue
            following.extend(steps)
            reason = why or reason
        following = _doubting_alike(states, following, doubts)
        if refused is not None and not following:
            raise refused
        if not following:
            reason = f"{', '.join(block.unknowns)}: {reason}"
            if any(note.leaves_others for state in states for note in state.notes):
                what = f"{reason}; but others may exist for what it depends on."
                raise LimitError.unproved(what, hint="Narrow the domains, or give more.")
            return [], reason
        if len(following) > _MOST_STATES:
            what = f"More than {_MOST_STATES} combinations of solutions."
            raise LimitError(what, hint="Give more.", limit=f"{_MOST_STATES} solutions")
        states = following
    return states, ""


def _doubts_of(states: Iterable[State]) -> list[Assumption]:
    """The notes on states of a plan that say that solutions may be missing.

    Not so that there are other turns of an angle: relations that contradict this one may still be met together, which
    other plans find out. Only where nothing is left do the turns count (`Assumption.leaves_others`).
    """
    return [note for note in chain.from_iterable(state.notes for state in states) if note.kind == "unproved"]


def _doubting_alike(before: Sequence[State], after: list[State], more: Sequence[Assumption]) -> list[State]:
    """The states after a block, each with all doubts: where one list is open, so is the list of all that follows."""
    doubts = dict.fromkeys((*_doubts_of((*before, *after)), *more))

    def doubting(state: State) -> State:
        if doubts.keys() <= {*state.notes}:
            return state
        return replace(state, notes=tuple(dict.fromkeys((*state.notes, *doubts))))

    return [doubting(state) for state in after] if doubts else after


def all_of(
    library: RelationSet, plan: Plan, known: Mapping[str, float], hints: Mapping[str, float]
) -> tuple[float, ...] | None:
    """All values that the states of a plan give its target; None if they are unknown, or not proved to be all."""
    try:
        states, _ = solved(library, plan, State(known, hints=hints, only_numbers=True, search=Search.COMPLETE))
    except NoSolutionError:
        return ()
    except DeriveError:
        return None

    def is_proved(state: State) -> bool:
        return plan.target in state.values and all(note.kind == "proved" for note in state.notes)

    are_known = all(map(is_proved, states))
    return tuple(state.values[plan.target] for state in states) if are_known else None


_CLAIMS = Memo[Claim | None](most=256)
_MOST_CLAIMED = 64  # limit on combinations of solutions


def proof_of(library: RelationSet, question: Question, plan: Plan, state: State) -> Proof | None:
    """The proof that no block of a plan, solved again, has other solutions; None if not claimed, or not certified."""
    is_number = plan.target in state.values and not state.spans
    if not is_number or any(note.leaves_others for note in state.notes):
        return None
    derived = {*plan.unknowns}
    if plan.target not in derived and plan.target not in question.values:
        return None  # its number is that of a case, or what else cancels leaves it
    start = {name: number for name, number in state.values.items() if name not in derived}
    claims = claims_of(library, question, plan, start)
    return None if claims is None else Proof(plan.target, claims)


def claims_of(
    library: RelationSet, question: Question, plan: Plan, start: Mapping[str, float]
) -> tuple[Claim, ...] | None:
    """The claims for a plan's blocks, solved again up to one without solutions; None without a certificate."""
    states = [dict(start)]
    claims: list[Claim] = []
    for block in plan.blocks:
        following: list[dict[str, float]] = []
        for numbers in states:
            claim = _claim(library, question, block, numbers)
            if claim is None:
                return None
            claims.append(claim)
            following += [numbers | dict(zip(claim.unknowns, solution, strict=True)) for solution in claim.solutions]
        if len(following) > _MOST_CLAIMED:
            return None
        states = following
    return tuple(claims)


def _claim(library: RelationSet, question: Question, block: Block, numbers: Mapping[str, float]) -> Claim | None:
    """The claim for the block that a plan reaches with these numbers, cached if it has several unknowns."""
    needed = block.inputs(library)
    if not needed <= numbers.keys():
        return None  # something cancels that has no number
    known = {name: numbers[name] for name in needed}
    if len(block.unknowns) == 1:
        return _claim_at(library, block, known, hints={})
    hints = {name: question.hints[name] for name in block.unknowns if name in question.hints}
    key = (block, numbers_as_key(known), tuple(hints.items()))
    return _CLAIMS.of(library.session, key, lambda: _claim_at(library, block, known, hints))


def _claim_at(
    library: RelationSet, block: Block, known: Mapping[str, float], hints: Mapping[str, float]
) -> Claim | None:
    """The claim for one block at the numbers that its plan leads to, solved once more; None without a certificate."""
    equations = [library.relations[name].written for name in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    try:
        outcome = outcome_of(library, block, known, hints)
        return claim_of(block.relations, equations, block.unknowns, known, domains, outcome)
    except DeriveError:  # also where the time was not enough
        return None
