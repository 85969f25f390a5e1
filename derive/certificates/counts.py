"""The solutions of equations between ratios of polynomials, by the zeros of their numerators.

Where the sides differ by a ratio of polynomials with rational coefficients, the solutions are the zeros of the
numerator at which nothing that is divided by is zero. FLINT isolates the different ones, each in a ball of its own.
Two equations in two unknowns have the common zeros of two polynomials, of which `common_zeros` has the theory.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import fmpq, fmpq_poly

from derive.certificates.balls import compared, exponent_of
from derive.certificates.proof import Claim, Count
from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply
from derive.numerics.algebra.polynomials import balls_of_zeros

__all__ = ["flaw_of_count"]

_DEGREE = 40  # limit on exponents that are multiplied out


Ratio = tuple[Any, Any]
"""Numerator and denominator, polynomials in the unknown."""


def flaw_of_count(claim: Claim, evidence: Count) -> str:
    if evidence.zeros != len(claim.solutions):
        return "another number of zeros is listed"
    if len(claim.unknowns) == 1:
        return compared(claim, [(ball,) for ball in _zeros_in_one_unknown(claim)])
    pairs = balls_of_zeros(claim.equations, claim.unknowns, {name: claim.exact[name] for name in claim.needed})
    return "the common zeros cannot be told apart" if pairs is None else compared(claim, pairs)


def _zeros_in_one_unknown(claim: Claim) -> list[Any]:
    """Balls that hold the different zeros."""
    divisors: list[Any] = []

    def inverse(x: Ratio) -> Ratio:
        divisors.append(x[0])
        return x[1], x[0]

    def power(node: Apply, part: Fold) -> Ratio:
        exponent = exponent_of(node.args[1], claim)
        if exponent.denominator != 1 or abs(exponent) > _DEGREE:
            raise NoElement
        above, below = part(node.args[0]) if exponent > 0 else inverse(part(node.args[0]))
        return above ** abs(exponent.numerator), below ** abs(exponent.numerator)

    ratios: Arithmetic[Ratio] = Arithmetic(
        number=lambda node: _constant(node.value),
        operations={
            "add": lambda *terms: reduce(lambda a, b: (a[0] * b[1] + b[0] * a[1], a[1] * b[1]), terms),
            "mul": lambda *factors: reduce(lambda a, b: (a[0] * b[0], a[1] * b[1]), factors),
            "neg": lambda x: (-x[0], x[1]),
            "inv": inverse,
        },
        forms={"pow": power},
    )
    numbers = {name: _constant(value) for name, value in claim.exact.items()}
    numerator, _ = ratios.fold(
        claim.differences[0], {claim.unknowns[0]: (fmpq_poly([0, 1]), fmpq_poly([1])), **numbers}.__getitem__
    )
    if numerator == 0:
        raise NoElement  # the unknown cancels
    zeros = numerator // numerator.gcd(numerator.derivative())
    for divisor in divisors:
        zeros //= zeros.gcd(divisor)
    (domain,) = claim.domains
    if domain.open_low and math.isfinite(domain.low):
        zeros //= zeros.gcd(fmpq_poly([_rational(-Fraction(domain.low)), 1]))  # a zero at the end that does not count
    return [root.real for root, _ in zeros.numer().complex_roots() if root.imag == 0]


def _constant(value: Fraction) -> Ratio:
    return fmpq_poly([_rational(value)]), fmpq_poly([1])


def _rational(value: Fraction) -> Any:
    return fmpq(value.numerator, value.denominator)
