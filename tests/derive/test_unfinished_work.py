"""What ran out of time leaves nothing behind: the same question with enough time is answered as in a fresh process."""

from __future__ import annotations

from contextlib import suppress

import pytest

from derive import Library
from derive.errors import DeriveError, LimitError
from tests.derive.operations import ticks
from tests.derive.planted_solutions import Planted, planted_pair, planted_waves
from tests.ordinary import every

ENOUGH = 10**7
"""Ticks that no question here takes."""


def answered(library: Library, planted: Planted, name: str) -> list[tuple[str, tuple[str, ...]]]:
    """The answers with what is assumed; or the error."""
    try:
        answers = library.solve_all(name, **planted.given)
    except LimitError:
        raise
    except DeriveError as error:
        return [(str(error), ())]
    return [(str(answer.value), tuple(map(str, answer.assumptions))) for answer in answers]


@pytest.mark.parametrize("kind", [planted_pair, planted_waves])
@every("seed", range(40), ordinary=40, thorough=80)
def test_a_question_that_ran_out_of_time_is_answered_with_more_as_if_it_were_new(kind, seed):
    planted = kind(seed)
    with ticks(ENOUGH) as clock:
        expected = answered(planted.library, planted, "x")
    for share in (0.2, 0.5, 0.8, 0.95):
        library = planted.library
        with suppress(LimitError), ticks(int(share * clock.now)):
            answered(library, planted, "x")
        with ticks(ENOUGH):
            assert answered(library, planted, "x") == expected, share
