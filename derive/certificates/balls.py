"""Balls that hold numbers, and what they tell of a claim about one unknown."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from flint import arb

from derive.certificates.proof import Claim, Span
from derive.expressions.arithmetic import NoElement
from derive.expressions.tree import Node
from derive.numerics.algebra.exact_values import exact_value
from derive.tolerances import SAME_ROOT

__all__ = ["Ball", "ball_of", "compared", "exponent_of", "is_near", "is_sure"]

Ball = Any
"""A FLINT ball, which holds a number."""


def compared(claim: Claim, found: Iterable[Ball]) -> str:
    """What is wrong with the listed numbers of one unknown, beside those found of which its domain holds a part."""
    (domain,), listed = claim.domains, [x for (x,) in claim.solutions]
    inside = [
        ball
        for ball in found
        if not (ball < domain.low or ball > domain.high or (domain.open_low and ball <= domain.low))
    ]
    if len(listed) > len(inside) or not all(any(is_near(x, ball) for ball in inside) for x in listed):
        return "a listed number is no solution"
    return "" if all(any(is_near(x, ball) for x in listed) for ball in inside) else "a solution is not listed"


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
