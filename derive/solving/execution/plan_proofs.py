"""The proof of an answer: a claim for each block of its plan, at every set of numbers with which the block is reached.

The blocks are solved again, and each list of solutions gets its certificate. Where one has none, the answer has no
proof. What cases hold is no part of it: an answer that rests on a case which others might exclude has none either.
"""

from __future__ import annotations

from collections.abc import Mapping

from derive.caches import Memo
from derive.certificates.proof import Claim, Proof
from derive.errors import DeriveError
from derive.model.relation_set import RelationSet
from derive.planning.plan import Block, Plan
from derive.solving.blocks.certification import claim_of
from derive.solving.execution.block_execution import State, outcome_of
from derive.solving.execution.plan_states import is_doubt, is_of_one_turn
from derive.solving.execution.question import Question

_CLAIMS = Memo[Claim | None](most=256)
_MOST_CLAIMED = 64  # limit on combinations of solutions


def proof_of(library: RelationSet, question: Question, plan: Plan, state: State) -> Proof | None:
    """The proof that a plan has no other solutions; None where that is not claimed, or has no certificate."""
    is_number = plan.target in state.values and not state.spans
    if not is_number or any(is_doubt(note) or is_of_one_turn(note) for note in state.notes):
        return None
    derived = {*plan.unknowns}
    start = {name: number for name, number in state.values.items() if name not in derived}
    claims = claims_of(library, question, plan, start)
    return None if claims is None else Proof(plan.target, claims)


def claims_of(
    library: RelationSet, question: Question, plan: Plan, start: Mapping[str, float]
) -> tuple[Claim, ...] | None:
    """The claims for a plan's blocks from known numbers, up to one without solutions; None without a certificate."""
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
    """The claim for a plan's block at these numbers, cached for several unknowns, since every answer needs it."""
    if len(block.unknowns) == 1:
        return _claim_at(library, question, block, numbers)
    key = (block, tuple(sorted(numbers.items())), tuple(question.hints.items()))
    return _CLAIMS.of(library.session, key, lambda: _claim_at(library, question, block, numbers))


def _claim_at(library: RelationSet, question: Question, block: Block, numbers: Mapping[str, float]) -> Claim | None:
    """The claim for a plan's block, which is solved once more; None if it has no certificate."""
    needed = library.held_by(block.relations).keys() - {*block.unknowns}
    if not needed <= numbers.keys():
        return None  # something cancels that has no number
    known = {name: numbers[name] for name in needed}
    equations = [library.relations[name].written for name in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    try:
        outcome = outcome_of(library, block, known, question.hints)
        return claim_of(block.relations, equations, block.unknowns, known, domains, outcome)
    except DeriveError:  # also where the time was not enough
        return None
