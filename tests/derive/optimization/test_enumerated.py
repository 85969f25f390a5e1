"""Best choices of random small programs against enumeration: none is better, and none is denied where there is one.

The long run: DERIVE_PROGRAMS=0..20000 pytest -m long --override-ini addopts= tests/derive/optimization
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

import derive
from derive import DeriveError, LimitError, VerificationError
from derive.optimization.optimum import Optimum
from tests.derive.optimization.enumerated import Small, best, drawn, feasible, rests_on_rounding
from tests.ordinary import every

FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_PROGRAMS", "0..20000").split(".."))


def chosen(program: Small) -> Optimum | DeriveError:
    """The best choice, or the error that says that there is none."""
    library = derive.load(program.text)
    try:
        with derive.limits(seconds=2):
            return getattr(library, program.sense)("f", such_that=program.such_that, **program.given)
    except VerificationError:
        raise
    except DeriveError as error:
        return error


def outcome(program: Small) -> str:
    """What came of a program, in a word; an assertion fails where it is wrong."""
    found = chosen(program)
    if isinstance(found, LimitError):
        return "limit"
    if isinstance(found, DeriveError):
        met = best(program)
        if met is not None and rests_on_rounding(program, met[1]):
            return "rounding"
        assert met is None, (program.text, program.such_that, program.given, met, str(found))
        return "none"
    value = found.answer.base
    at = {name: float(number) for name, number in found.chosen.items()}
    decimals = {name: float(f"{number:.15g}") for name, number in at.items()}  # which decide ties: 2 + 4e-16 is 2
    there = [state["f"] for point in (at, decimals) for state in feasible(program, point, 1e-6)]
    told = (program.sense, program.text, program.such_that, program.given, value, at)
    assert any(abs(x - value) <= 1e-6 * max(1.0, abs(x)) for x in there), ("not feasible", told, there)
    met = best(program)
    if met is not None and found.gap is not None:
        gap = found.gap if found.gap_is_absolute else found.gap * abs(value)
        slack = 1e-5 * max(abs(met[0]), 1.0)
        assert program.sign * met[0] >= program.sign * value - gap - slack, ("not the best", told, met, found.gap)
    return "proved" if found.proved else "not proved"


def prove(first: int, last: int, share: float) -> None:
    met = Counter(outcome(drawn(seed)) for seed in range(first, last))
    assert met["proved"] >= share * sum(met.values()), met


@pytest.mark.thorough
def test_no_enumerated_point_is_better():
    prove(0, 25, 0.4)


JUMPS = (22001089, 44002629)  # where the best is approached beside a jump and never reached
OPEN_ENDS = (22000556, 22001094)  # where what is tied has no end, so that a box has no middle
COUNTS = (22002709, 22002991, 22004943)  # where a count is zero, or decides a case, up to a rounding of the best point


@pytest.mark.thorough
@every("seed", (*JUMPS, *OPEN_ENDS, *COUNTS), ordinary=4, thorough=8)
def test_no_enumerated_point_is_better_where_one_once_was(seed: int) -> None:
    outcome(drawn(seed))


@pytest.mark.long
def test_no_enumerated_point_of_more_programs_is_better():
    prove(25, 60, 0.4)


@pytest.mark.long
def test_no_enumerated_point_of_many_programs_is_better():
    prove(FIRST, LAST, 0.4)
