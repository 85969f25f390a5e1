"""Domains beside an answer: quantities that nobody asked for, and to which its weak values leave no value.

What the givens alone leave no value is a contradiction of them, and ends the question. A weak value is another thing: a
profile says what is usual, and the answer by it stands, with a failed check. So w = 7 of a profile answers `t = a*w`,
and `r = 5 - w` says that no positive r goes with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from derive.errors import DeriveError
from derive.planning.plan import Block
from derive.presentation.cautions import no_value_fits
from derive.solving.diagnosis.domain_violations import certainly_left, is_searched, is_silent
from derive.solving.execution.answer import Check
from derive.solving.execution.block_execution import State, states_for_checks
from derive.solving.execution.checks import AnswerChecks
from derive.solving.execution.conditional_relations import applies_at
from derive.time_limits import Search


@dataclass(frozen=True)
class DomainsBeside:
    """The domains of what follows beside an answer, by exact relations that each leave one quantity open."""

    answer: AnswerChecks

    def checks(self) -> Iterator[Check]:
        """A failed check of each quantity beside the answer to which weak values leave no value in its domain."""
        library, question = self.answer.library, self.answer.question
        start = self._start()
        if start is None:
            return
        state, blocks = self._followed(start)
        left = state.barred
        if left and question.stated_ranges:  # perhaps in the middle of the ranges only
            spans = {name: question.stated_ranges.get(name) or self.answer.reach(name) for name in start.values}
            left &= certainly_left(library, blocks, spans)
        for block in blocks:
            name = block.unknowns[0]
            if name in left and not is_silent(library, block, state.values):
                verdict, tested = no_value_fits(block.relations, block.unknowns), library.declared[name]
                yield Check(name, verdict, math.inf, passed=False, verdict=verdict, brief=verdict, tested=tested)

    def _start(self) -> State | None:
        """What is typed and what the answer rests on; None if that is no weak value but definitions and fallbacks.

        A fallback stands in where nothing is known: that it leaves something else no value says nothing.
        """
        question, plan, state = self.answer.question, self.answer.plan, self.answer.state
        weak = [name for name in plan.weak_behind_target(self.answer.library) if name in question.stated]
        if all(question.weak[name].source.kind == "exact" for name in weak):
            return None
        known = {*question.strong, *weak, *plan.unknowns}
        values = {name: number for name, number in state.values.items() if name in known}
        return State(values, condition_numbers=state.condition_numbers, hints=state.hints, search=Search.COMPLETE)

    def _followed(self, state: State) -> tuple[State, list[Block]]:
        """The state in which all is known that follows beside the answer, and the blocks that lead there, in order."""
        blocks: list[Block] = []
        pending = [name for name in state.values if name not in self.answer.question.strong]
        for name in pending:  # grows as it is walked
            for holder in self.answer.library.holders.get(name, ()):
                block = self._block_of(holder, state)
                following = None if block is None else self._after(block, state)
                if block is not None and following is not None:
                    state = following
                    blocks.append(block)
                    pending += [name for name in block.unknowns if name in state.values]
        return state, blocks

    def _block_of(self, relation_name: str, state: State) -> Block | None:
        """The block of a relation beside the answer that applies and leaves one quantity open, without a weak value."""
        library, answer = self.answer.library, self.answer
        relation = library.relations[relation_name]
        missing = [member for member in library.members[relation_name] if member not in state.values]
        if len(missing) != 1 or not relation.is_exact or relation_name in answer.plan.spent:
            return None
        if missing[0] in {*state.barred, *state.spans, *answer.state.barred, *answer.question.weak}:
            return None
        block = Block((relation_name,), tuple(missing))
        return None if is_searched(library, block) or not applies_at(relation, state.numbers) else block

    def _after(self, block: Block, state: State) -> State | None:
        """The state after a block beside the answer; None if there are several, or that cannot be told."""
        try:
            states = states_for_checks(self.answer.library, block, state)
        except DeriveError:
            return None
        return states[0] if len(states) == 1 else None
