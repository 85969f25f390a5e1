"""Balls that hold numbers, and what they tell of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from derive.certificates.proof import Claim, Span
from derive.expressions.arithmetic import NoElement
from derive.expressions.tree import Node
from derive.numerics.algebra.exact_values import exact_value
from derive.tolerances import SAME_ROOT
from quantities.domain import Domain

__all__ = ["Ball", "ball_of", "compared", "exponent_of", "is_near", "is_sure"]

Ball = Any
"""A FLINT ball, which holds a number."""


def compared(claim: Claim, found: Iterable[Sequence[Ball]]) -> str:
    """What is wrong with the listed solutions, beside those found of which the domains hold a part: a ball for each
    unknown."""
    inside = [point for point in found if all(map(_may_hold, claim.domains, point))]
    listed = claim.solutions
    if len(listed) > len(inside) or not all(any(all(map(is_near, one, point)) for point in inside) for one in listed):
        return "a listed number is no solution"
    is_complete = all(any(all(map(is_near, one, point)) for one in listed) for point in inside)
    return "" if is_complete else "a solution is not listed"


def _may_hold(domain: Domain, ball: Ball) -> bool:
    """Whether a domain may hold the number in a ball."""
    is_at_open_end = domain.open_low and ball <= domain.low
    return not (ball < domain.low or ball > domain.high or is_at_open_end)


def is_near(number: float, ball: Ball) -> bool:
    """Whether a ball holds a number that is the same but for rounding."""
    return bool((ball - number).abs_lower() <= SAME_ROOT * abs(number))


def ball_of(span: Span) -> Ball:
    return arb(span[0]).union(arb(span[1]))


def is_sure(yes: bool, no: bool) -> bool:
    """What balls tell of a question; NoElement where they leave it open."""
    if not (yes or no):
        raise NoElement
    return yes


def exponent_of(node: Node, claim: Claim) -> Fraction:
    """An exponent that is known exactly."""
    found = exact_value(node, claim.exact)
    if found is None:
        raise NoElement
    return Fraction(found)
