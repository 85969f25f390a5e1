"""Rows of the Jacobian: which relations fix a target together is seen on the few that may be combined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.solving.cancellation.jacobian_rank import combined, jacobian_of, repeated
from derive.solving.execution.question import ask
from tests.derive.random_questions import scene, text


def of_several(rows, target) -> list[tuple[str, ...]]:
    """The dependent rows; one alone is of a relation that has no value at the numbers."""
    return [names for names in repeated(rows, target) if len(names) > 1]


@given(draw=st.randoms(use_true_random=False), dropped=st.integers(0, 2))
def test_what_is_combined_at_known_numbers_is_combined_of_all_rows(draw, dropped):
    found = scene(derive.llm, draw)
    names = draw.sample(sorted(found.given), max(0, len(found.given) - dropped))
    question = ask(derive.llm, found.target, (), {name: text(derive.llm, name, found.given[name]) for name in names})
    for numbers in ({}, question.stated_numbers):
        few = jacobian_of(derive.llm, question, frozenset(), numbers, only_combined=True)
        every = jacobian_of(derive.llm, question, frozenset(), numbers)
        for rows, all_rows in zip(few, every, strict=True):  # by ratios, and by differences
            assert combined(rows, found.target) == combined(all_rows, found.target)
            assert of_several(rows, found.target) == of_several(all_rows, found.target)
