"""The checker counts the common zeros of two polynomials: no claim with another list passes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from derive import VerificationError
from derive.certificates.checker import check
from derive.certificates.proof import Claim, Count
from derive.expressions.grammar import parse_equation
from quantities.domain import Domain
from tests.derive.planted_solutions import planted_pair

REAL = Domain("real", -math.inf, math.inf)


def claim_of(seed: int) -> Claim:
    """A claim with the solutions that were planted in two equations."""
    planted = planted_pair(seed)
    end = float(planted.domain.rpartition(".")[2])
    solutions = tuple((solution["x"], solution["y"]) for solution in planted.solutions)
    return Claim(
        relations=("r0", "r1"),
        equations=tuple(map(parse_equation, planted.texts)),
        known=(),
        unknowns=("x", "y"),
        domains=(Domain(planted.domain, -end, end),) * 2,
        solutions=solutions,
        evidence=Count(len(solutions), 2),
    )


@pytest.mark.parametrize("seed", range(30))
def test_the_planted_solutions_are_confirmed_and_no_others(seed):
    claim = claim_of(seed)
    check(claim)
    wrong = [(*claim.solutions, (0.123, 4.56)), *(claim.solutions[:i] for i in range(len(claim.solutions)))]
    wrong += [((x * (1 + 1e-6) + 1e-6, y), *claim.solutions[1:]) for x, y in claim.solutions[:1]]
    for solutions in wrong:
        with pytest.raises(VerificationError):
            check(replace(claim, solutions=solutions, evidence=Count(len(solutions), 2)))
    with pytest.raises(VerificationError, match="another number of zeros"):
        check(replace(claim, evidence=Count(len(claim.solutions) + 1, 2)))


def test_a_common_curve_is_no_count():
    line = tuple(map(parse_equation, ("x = y", "2*x = 2*y")))
    claim = replace(claim_of(0), equations=line, domains=(REAL, REAL), solutions=(), evidence=Count(0, 2))
    with pytest.raises(VerificationError, match="cannot be told apart"):
        check(claim)
