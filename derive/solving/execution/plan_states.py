"""The plan of a question, cached, and its blocks solved one after another.

Where a block has several solutions, each is followed.

The proof of an answer is a claim for each block of its plan, at every set of numbers with which the block is reached:
the blocks are solved again, and each list of solutions gets its certificate. Where one has none, the answer has no
proof. What cases hold is no part of it: an answer that rests on a case which others might exclude has none either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from derive.caches import Memo
from derive.certificates.proof import Claim, Proof
from derive.errors import DeriveError, LimitError, NoSolutionError
from derive.model.relation_set import RelationSet
from derive.planning.incidence import Core, core_of
from derive.planning.plan import Block, Plan, plan
from derive.solving.blocks.certification import claim_of
from derive.solving.execution.block_execution import State, block_states, outcome_of
from derive.solving.execution.question import NO_CASE, Case, Outline, Question
from derive.time_limits import tick

_PLANS = Memo[Plan](most=512)

_MOST = 64  # limit on solutions that are followed
UNPROVED = "numerical search"
_CLAIMS = Memo[Claim | None](most=256)
_STATES = 64  # limit on combinations of solutions


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
        """The first note on a state that says that solutions may be missing; empty if none does."""
        notes = chain.from_iterable(state.notes for state in self.states)
        return next(filter(is_doubt, notes), "")


def planned(library: RelationSet, question: Question, left_out: frozenset[str], core: Core | None = None) -> Plan:
    """The plan for a question's names, cached in the library; another question's core may hold its target as well."""
    return planned_for(library, question.target, question.strong, question.weak, left_out, question.stated, core)


def planned_for(
    library: RelationSet,
    target: str,
    strong: Iterable[str],
    weak: Iterable[str],
    left_out: frozenset[str],
    stated: frozenset[str] = frozenset(),
    core: Core | None = None,
) -> Plan:
    """The plan for a target from names, cached in the library."""
    strong, weak = list(strong), list(weak)
    core = core or core_of(library, (target, *strong, *weak))
    aside = left_out & core.decisive

    def made() -> Plan:
        return plan(core.structure(aside, stated), target, strong, weak)

    return _PLANS.of(library.session, (target, frozenset(strong), tuple(weak), aside, stated), made)


def lone_fallbacks(library: RelationSet, made: Plan, question: Question | Outline) -> frozenset[str]:
    """The fallbacks (`otherwise`) of a plan that uses nothing else: what nothing stated leads to is not determined."""
    relations = [library.relations[name] for name in made.relations]
    members = {name for relation in relations for name in relation.declared}
    weak = frozenset(made.weak) & members
    if made.target in question.strong or not members.isdisjoint(question.strong) or weak & question.stated:
        return frozenset()
    return weak if all(library.defaults[name].source.stands_in for name in weak) else frozenset()


def solved(library: RelationSet, made: Plan, start: State) -> tuple[list[State], str]:
    """The states after all blocks, and why the last block without a solution has none."""
    states, reason = [replace(start, values=dict(start.values))], ""
    for block in made.blocks:
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
            if any(is_doubt(note) for state in states for note in state.notes):
                hint = "Narrow the domains, or give more."
                raise LimitError(f"{reason}; but others may exist for what it depends on.", hint=hint, limit=UNPROVED)
            return [], reason
        if len(following) > _MOST:
            raise LimitError(
                f"More than {_MOST} combinations of solutions.", hint="Give more.", limit=f"{_MOST} solutions"
            )
        states = following
    return states, ""


def _doubting_alike(before: Sequence[State], after: list[State]) -> list[State]:
    """The states, each with what is not proved of any: where one list is open, so is the list of all that follows."""
    doubts = dict.fromkeys(note for state in (*before, *after) for note in state.notes if is_doubt(note))
    return [
        state
        if doubts.keys() <= {*state.notes}
        else replace(state, notes=tuple(dict.fromkeys((*state.notes, *doubts))))
        for state in after
    ]


def is_doubt(note: str) -> bool:
    """Whether a note says that solutions may be missing."""
    return "not proved" in note


def is_of_proof(note: str) -> bool:
    """Whether a note says that a search has proved its list complete."""
    return ": proved by " in note


def is_of_one_turn(note: str) -> bool:
    """Whether a note says that an angle was sought in one turn only, as others may repeat it."""
    return "sought in one turn" in note


def all_of(
    library: RelationSet, made: Plan, known: Mapping[str, float], hints: Mapping[str, float]
) -> tuple[float, ...] | None:
    """All values of a plan's target from these numbers; None if they are unknown."""
    try:
        states, _ = solved(library, made, State(known, hints=hints, only_numbers=True))
    except NoSolutionError:
        return ()
    except DeriveError:
        return None
    sure = all(made.target in state.values and not state.notes for state in states)
    return tuple(state.values[made.target] for state in states) if sure else None


def proof_of(library: RelationSet, question: Question, made: Plan, state: State) -> Proof | None:
    """What shows that a plan has no other solutions than were found; None where that is not claimed, or has no
    certificate."""
    is_number = made.target in state.values and not state.spans
    if not is_number or any(is_doubt(note) or is_of_one_turn(note) for note in state.notes):
        return None
    found = {*made.unknowns}
    start = {name: number for name, number in state.values.items() if name not in found}
    claims = claims_of(library, question, made, start)
    return None if claims is None else Proof(made.target, claims)


def claims_of(
    library: RelationSet, question: Question, made: Plan, start: Mapping[str, float]
) -> tuple[Claim, ...] | None:
    """The claims for the blocks of a plan from known numbers on, up to one without a solution; None without one."""
    states = [dict(start)]
    claims: list[Claim] = []
    for block in made.blocks:
        following: list[dict[str, float]] = []
        for numbers in states:
            claim = _claim(library, question, block, numbers)
            if claim is None:
                return None
            claims.append(claim)
            following += [numbers | dict(zip(claim.unknowns, one, strict=True)) for one in claim.solutions]
        if len(following) > _STATES:
            return None
        states = following
    return tuple(claims)


def _claim(library: RelationSet, question: Question, block: Block, numbers: Mapping[str, float]) -> Claim | None:
    """The claim for one block at these numbers; those of several unknowns are cached, since every answer needs them."""
    if len(block.unknowns) == 1:
        return _claim_at(library, question, block, numbers)
    key = (block, tuple(sorted(numbers.items())), tuple(question.hints.items()))
    return _CLAIMS.of(library.session, key, lambda: _claim_at(library, question, block, numbers))


def _claim_at(library: RelationSet, question: Question, block: Block, numbers: Mapping[str, float]) -> Claim | None:
    held = library.held_by(block.relations).keys() - {*block.unknowns}
    if not held <= numbers.keys():
        return None  # something cancels that has no number
    known = {name: numbers[name] for name in held}
    equations = [library.relations[name].written for name in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    try:
        outcome = outcome_of(library, block, known, question.hints)
        return claim_of(block.relations, equations, block.unknowns, known, domains, outcome)
    except DeriveError:  # also where the time was not enough
        return None
