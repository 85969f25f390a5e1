"""The solutions of an equation as balls that hold one each, with which the listed ones are compared.

Where the unknown stands once, the operations around it are undone from the outside to the inside by the
table of inverses below, on balls that hold every possible number. Each operation has none, one or two numbers that it
takes to its result; so what is left in the end are all solutions.

Where the sides differ by a ratio of polynomials with rational coefficients, the solutions are the zeros of the
numerator at which nothing that is divided by is zero. FLINT isolates the different ones, each in a ball of its own.
Two equations in two unknowns have the common zeros of two polynomials, of which `common_zeros` has the theory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain
from typing import Any

from flint import arb, fmpq, fmpq_poly

from derive.certificates.proof import Claim, Count, Isolation
from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply, Node, cases, names_in
from derive.numerics.algebra.exact_values import exact_value
from derive.numerics.algebra.polynomials import balls_of_zeros
from derive.numerics.intervals.arithmetic import Span
from derive.numerics.intervals.enclosure import GAP, enclose, truths
from derive.tolerances import SAME_ROOT
from quantities.domain import Domain

_DEGREE = 40  # limit on exponents that are multiplied out

Ball = Any
"""A FLINT ball, which holds a number."""
Ratio = tuple[Any, Any]
"""Numerator and denominator, polynomials in the unknown."""


def _flaw_of_listing(claim: Claim, solutions: Iterable[Sequence[Ball]]) -> str:
    """What is wrong with the listed solutions of a claim, compared with the balls of all its solutions.

    A solution has a ball for each unknown.
    """
    inside = [balls for balls in solutions if all(map(_may_hold, claim.domains, balls))]
    listed = claim.solutions
    if len(listed) > len(inside) or not all(any(_is_in(point, balls) for balls in inside) for point in listed):
        return "a listed number is no solution"
    is_complete = all(any(_is_in(point, balls) for point in listed) for balls in inside)
    return "" if is_complete else "a solution is not listed"


def _is_in(point: Sequence[float], balls: Sequence[Ball]) -> bool:
    """Whether each ball of a solution holds the number of a listed point, but for rounding."""
    return all(map(_is_same_number, point, balls))


def _may_hold(domain: Domain, ball: Ball) -> bool:
    """Whether an unknown's domain may hold the number in a solution's ball."""
    is_at_open_end = domain.open_low and ball <= domain.low
    return not (ball < domain.low or ball > domain.high or is_at_open_end)


def _is_same_number(number: float, ball: Ball) -> bool:
    """Whether a solution's ball holds the same number as a listed one but for rounding."""
    return bool((ball - number).abs_lower() <= SAME_ROOT * abs(number))


def ball_of(span: Span) -> Ball:
    """The FLINT ball that holds every number of an interval."""
    return arb(span[0]).union(arb(span[1]))


def _is_sure(yes: bool, no: bool) -> bool:
    """Whether balls prove a statement (`yes`) and not its opposite (`no`); NoElement where they prove neither."""
    if not (yes or no):
        raise NoElement
    return yes


def _exact_exponent(node: Node, claim: Claim) -> Fraction:
    """The exponent of a power in a claim's equation, which has to be known exactly."""
    exponent = exact_value(node, claim.exact)
    if exponent is None:
        raise NoElement
    return Fraction(exponent)


_INVERSES: dict[str, Callable[[Ball], Sequence[Ball]]] = {
    "neg": lambda y: [-y],
    "inv": lambda y: [1 / y] if _is_sure(y != 0, y == 0) else [],
    "sqrt": lambda y: [y * y] if _is_sure(y >= 0, y < 0) else [],
    "abs": lambda y: [y, -y] if _is_sure(y >= 0, y < 0) else [],
    "exp": lambda y: [y.log()] if _is_sure(y > 0, y <= 0) else [],
    "log": lambda y: [y.exp()],
    "log2": lambda y: [arb(2) ** y],
    "log10": lambda y: [arb(10) ** y],
    "sinh": lambda y: [y.asinh()],
    "cosh": lambda y: [y.acosh(), -y.acosh()] if _is_sure(y >= 1, y < 1) else [],
    "tanh": lambda y: [y.atanh()] if _is_sure(abs(y) < 1, abs(y) >= 1) else [],
    "asinh": lambda y: [y.sinh()],
    "acosh": lambda y: [y.cosh()] if _is_sure(y >= 0, y < 0) else [],
    "atanh": lambda y: [y.tanh()],
    "asin": lambda y: [y.sin()] if _is_sure(2 * abs(y) <= arb.pi(), 2 * abs(y) > arb.pi()) else [],
    "acos": lambda y: [y.cos()] if _is_sure(abs(2 * y - arb.pi()) <= arb.pi(), y < 0 or y > arb.pi()) else [],
    "atan": lambda y: [y.tan()] if _is_sure(2 * abs(y) < arb.pi(), 2 * abs(y) >= arb.pi()) else [],
    "erf": lambda y: [y.erfinv()] if _is_sure(abs(y) < 1, abs(y) >= 1) else [],
}
"""All numbers that an operation takes to y."""


def flaw_of_isolation(claim: Claim, evidence: Isolation) -> str:
    """What is wrong with a claim whose unknown is isolated by inverse operations; empty if it holds."""
    (equation,), (name,) = claim.equations, claim.unknowns
    is_left = name in names_in(equation.lhs)
    node, other = (equation.lhs, equation.rhs) if is_left else (equation.rhs, equation.lhs)
    if name in names_in(other):
        return "the unknown stands on both sides"
    operations: list[str] = []
    values = [_value(other, claim.spans)]
    while isinstance(node, Apply):
        places = [i for i, arg in enumerate(node.args) if name in names_in(arg)]
        if len(places) != 1:
            return "the unknown stands more than once"
        operations.append(node.op)
        (place,) = places
        values = [*chain.from_iterable(_preimages(node, place, y, claim) for y in values)]
        node = node.args[place]
    if tuple(operations) != evidence.operations:
        return "other operations stand there"
    return _flaw_of_listing(claim, [(ball,) for ball in values])


def _value(node: Node, spans: Mapping[str, Span]) -> Ball:
    """The ball that holds the value of an expression of a claim's known numbers."""
    enclosure = enclose(node, spans, "")
    if enclosure is None or enclosure.flaw == GAP:
        raise NoElement
    return ball_of(enclosure.values)


def _preimages(node: Apply, place: int, y: Ball, claim: Claim) -> Sequence[Ball]:
    """Balls of the numbers that an operation in a claim's equation takes to y as the argument at a place."""
    if node.op in _INVERSES:
        return _INVERSES[node.op](y)
    if node.op == "piecewise":
        return _preimages_of_choice(node, place, y, claim)
    if node.op == "pow" and place == 0:
        return _roots(y, _exact_exponent(node.args[1], claim))
    others = [_value(arg, claim.spans) for i, arg in enumerate(node.args) if i != place]
    match node.op:
        case "add":
            return [y - sum(others)]
        case "mul" if math.prod(others) != 0:
            return [y / math.prod(others)]
        case "max":
            return [y] if all(_is_sure(other < y, other > y) for other in others) else []
        case "min":
            return [y] if all(_is_sure(other > y, other < y) for other in others) else []
        case "pow" if others[0] > 0 and others[0] != 1:
            return [y.log() / others[0].log()] if _is_sure(y > 0, y <= 0) else []
    raise NoElement


def _preimages_of_choice(node: Apply, place: int, y: Ball, claim: Claim) -> Sequence[Ball]:
    """Balls of the numbers that a piecewise choice in a claim's equation takes to y in the arm at a place.

    Known numbers have to decide that the choice takes this arm.
    """
    for i, (_, condition) in enumerate(cases(node)):
        possible = {True} if condition is None else truths(condition, claim.spans)
        if _is_sure(possible == {True}, possible == {False}):
            if place != 2 * i:  # arms and conditions alternate; another arm is taken, or the unknown is in a condition
                raise NoElement
            return [y]
    return []


def _roots(y: Ball, power: Fraction) -> Sequence[Ball]:
    """Balls of all numbers of which a power is y."""
    if y == 0:
        return [arb(0)] if _is_sure(power > 0, power < 0) else []
    is_positive = _is_sure(y > 0, y < 0)
    size = abs(y) ** arb(fmpq(power.denominator, power.numerator))
    if power.denominator != 1:  # of a negative number it is not real
        return [size] if is_positive else []
    if power.numerator % 2 == 0:
        return [size, -size] if is_positive else []
    return [size if is_positive else -size]


def flaw_of_count(claim: Claim, evidence: Count) -> str:
    """What is wrong with a claim whose solutions are counted zeros of polynomials; empty if it holds."""
    if evidence.zeros != len(claim.solutions):
        return "another number of zeros is listed"
    if len(claim.unknowns) == 1:
        return _flaw_of_listing(claim, [(ball,) for ball in _zeros_in_one_unknown(claim)])
    pairs = balls_of_zeros(claim.equations, claim.unknowns, {name: claim.exact[name] for name in claim.needed})
    return "the common zeros cannot be told apart" if pairs is None else _flaw_of_listing(claim, pairs)


def _zeros_in_one_unknown(claim: Claim) -> list[Any]:
    """Balls of the different zeros of a claim's numerator at which nothing that is divided by is zero."""
    divisors: list[Any] = []

    def inverse(ratio: Ratio) -> Ratio:
        above, below = ratio
        divisors.append(above)
        return below, above

    def power(node: Apply, part: Fold) -> Ratio:
        exponent = _exact_exponent(node.args[1], claim)
        if exponent.denominator != 1 or abs(exponent) > _DEGREE:
            raise NoElement
        base = part(node.args[0])
        above, below = base if exponent > 0 else inverse(base)
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
    names = {claim.unknowns[0]: (fmpq_poly([0, 1]), fmpq_poly([1])), **numbers}
    numerator, _ = ratios.fold(claim.differences[0], names.__getitem__)
    if numerator == 0:
        raise NoElement  # the unknown cancels
    zeros = numerator // numerator.gcd(numerator.derivative())  # each zero once, whatever its multiplicity
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
