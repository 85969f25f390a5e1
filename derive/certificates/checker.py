"""The checker: it confirms a proof from the equations alone, and uses nothing of the searches that it checks.

A claim lists solutions. What has to be shown is that each exists and that there is no other, whatever the known numbers
are within their blur. Three kinds of evidence show it:

Isolation. Where the unknown stands once, the operations around it are undone from the outside to the inside by the
table of inverses below, on balls that hold every possible number. Each operation has none, one or two numbers that it
takes to its result; so what is left in the end are all solutions.

Count. Where the sides differ by a ratio of polynomials with rational coefficients, its zeros are those of the numerator
that the denominator does not share, and Sturm's theorem counts the different ones in an interval. Every listed number
has exactly one zero next to it, and the domain holds no more of them than are listed.

Boxes. With F the differences of the sides, J bounds of their slopes in a box X, c its centre and Y any matrix, every
solution in X is `c + d` with d in `-Y*F(c) + (I - Y*J)*(X - c)` (Krawczyk 1969). If that lies inside X - c, there is
exactly one; if it misses X - c, there is none. If the rows of `I - Y*J`, weighed with positive sizes, are less than
these sizes, Y*J is regular, and X holds one at most. Of one unknown this says that the slope has one sign, and if the
signs at both ends are the same too, there is none. A box is empty also where one side alone cannot meet the other.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, pairwise, zip_longest
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_poly

from derive.certificates.proof import Box, Boxes, Claim, Count, Cut, Isolation, Proof
from derive.errors import VerificationError
from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply, Equation, Node, cases, names_in
from derive.numerics.intervals.enclosure import Enclosure, Span, enclose, truths
from derive.numerics.intervals.functions import GAP
from derive.tolerances import AROUND_ZERO, SAME_ROOT, SAME_SOLUTION
from quantities.domain import Domain

__all__ = ["System", "check", "verify"]

_DEGREE = 40  # limit on exponents that are multiplied out


def verify(result: Any) -> bool:
    """Whether a proof shows that an answer's solutions are complete; False where the answer claims no such thing.

    A proof that does not hold, or that is of another answer, is a VerificationError.
    """
    proof: Proof | None = result.proof
    if proof is None:
        return False
    given = {name: value.base[1] for name, value in result.given.items()}
    if not any(math.isclose(number, result.base, rel_tol=SAME_ROOT) for number in _targets(proof, given)):
        raise VerificationError(f"{proof.target}: its proof is of other numbers than {result.base}.", relation="")
    return True


def _targets(proof: Proof, given: Mapping[str, float]) -> list[float]:
    """All numbers of the target that the claims leave, each block followed with every solution of those before."""
    states = [dict(given)]
    for claims in _of_one_block(proof.claims):
        following = []
        for state in states:
            claim = next((one for one in claims if _starts_from(one, state)), None)
            if claim is None:
                raise VerificationError(f"{claims[0]}: the proof says nothing of some numbers before.", relation="")
            check(claim)
            following += [state | dict(zip(claim.unknowns, one, strict=True)) for one in claim.solutions]
        states = following
    return [state[proof.target] for state in states]


def _of_one_block(claims: Sequence[Claim]) -> Iterator[list[Claim]]:
    for relations in dict.fromkeys(claim.relations for claim in claims):
        yield [claim for claim in claims if claim.relations == relations]


def _starts_from(claim: Claim, state: Mapping[str, float]) -> bool:
    """Whether the known numbers of a claim are those of a state, and all that its equations need."""
    needed = {*names_in(*(side for one in claim.equations for side in (one.lhs, one.rhs)))} - {*claim.unknowns}
    spans = _spans(claim)
    return needed <= spans.keys() and all(
        spans[name][0] <= state.get(name, math.nan) <= spans[name][1] for name in needed
    )


def check(claim: Claim) -> None:
    """Confirm a claim; a VerificationError says what does not hold."""
    checks: dict[type, Callable[[Claim], str]] = {Isolation: _isolation, Count: _count, Boxes: _boxes}
    try:
        flaw = checks[type(claim.evidence)](claim)
    except (NoElement, ZeroDivisionError, IndexError) as error:
        flaw = f"the evidence cannot be followed: {error!r}"
    if flaw:
        raise VerificationError(f"The proof of {claim} does not hold: {flaw}.", relation=claim.relations[0])


def _spans(claim: Claim) -> dict[str, Span]:
    """Bounds of the known numbers, rounded outwards."""
    spans = {}
    for one in claim.known:
        reach = abs(one.value) * Fraction(one.blur)
        spans[one.name] = _below(one.value - reach), -_below(-one.value - reach)
    return spans


def _below(number: Fraction) -> float:
    """A double that is not above a rational, and next to it."""
    near = float(number)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)


def _ball(span: Span) -> arb:
    return arb(span[0]).union(arb(span[1]))


def _is_sure(yes: bool, no: bool) -> bool:
    """What balls tell of a question; NoElement where they leave it open."""
    if not (yes or no):
        raise NoElement
    return yes


# Isolation


_INVERSES: dict[str, Callable[[arb], Sequence[arb]]] = {
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


def _isolation(claim: Claim) -> str:
    (equation,), (name,) = claim.equations, claim.unknowns
    is_left = name in names_in(equation.lhs)
    node, other = (equation.lhs, equation.rhs) if is_left else (equation.rhs, equation.lhs)
    if name in names_in(other):
        return "the unknown stands on both sides"
    spans, operations = _spans(claim), []
    values = [_value(other, spans)]
    while isinstance(node, Apply):
        holding = [i for i, arg in enumerate(node.args) if name in names_in(arg)]
        if len(holding) != 1:
            return "the unknown stands more than once"
        operations.append(node.op)
        undone: list[arb] = []
        for y in values:
            undone += _undone(node, holding[0], y, claim)
        node, values = node.args[holding[0]], undone
    if tuple(operations) != claim.evidence.operations:
        return "other operations stand around the unknown"
    inside = [x for x in values if not _is_outside(x, claim.domains[0])]
    listed = [x for (x,) in claim.solutions]
    if len(listed) > len(inside) or not all(any(_is_near(x, ball) for ball in inside) for x in listed):
        return "a listed number is no solution"
    return "" if all(any(_is_near(x, ball) for x in listed) for ball in inside) else "a solution is not listed"


def _value(node: Node, spans: Mapping[str, Span]) -> arb:
    """A ball that holds the value of an expression of known numbers."""
    found = enclose(node, spans, "")
    if found is None or found.flaw == GAP:
        raise NoElement
    return _ball(found.values)


def _undone(node: Apply, place: int, y: arb, claim: Claim) -> Sequence[arb]:
    """All numbers of one argument for which an operation comes to y."""
    if node.op in _INVERSES:
        return _INVERSES[node.op](y)
    spans = _spans(claim)
    if node.op == "piecewise":
        return _undone_choice(node, place, y, spans)
    rest = [_value(arg, spans) for i, arg in enumerate(node.args) if i != place]
    match node.op:
        case "add":
            return [y - sum(rest)]
        case "mul":
            factor = math.prod(rest)
            return [y / factor] if _is_sure(factor != 0, False) else []
        case "max":
            return [y] if all(_is_sure(one < y, one > y) for one in rest) else []
        case "min":
            return [y] if all(_is_sure(one > y, one < y) for one in rest) else []
        case "pow" if place == 1:
            base = rest[0]
            return [y.log() / base.log()] if _is_sure(base > 0 and base != 1, False) and _is_sure(y > 0, y <= 0) else []
        case "pow":
            return _roots(y, _RATIONALS.fold(node.args[1], _exact(claim).__getitem__))
    raise NoElement


def _undone_choice(node: Apply, place: int, y: arb, spans: Mapping[str, Span]) -> Sequence[arb]:
    """The same for a choice, of which known numbers have to decide that it takes this arm."""
    for i, (_, condition) in enumerate(cases(node)):
        possible = frozenset({True}) if condition is None else truths(condition, spans)
        if _is_sure(possible == {True}, possible == {False}):
            return [y] if _is_sure(2 * i == place, False) else []
    return []


def _roots(y: arb, power: Fraction) -> Sequence[arb]:
    """All numbers of which a power is y."""
    if y == 0:
        return [arb(0)] if _is_sure(power > 0, power < 0) else []
    is_positive = _is_sure(y > 0, y < 0)
    size = abs(y) ** arb(fmpq(power.denominator, power.numerator))
    if power.denominator != 1:  # of a negative number it is not real
        return [size] if is_positive else []
    if power.numerator % 2 == 0:
        return [size, -size] if is_positive else []
    return [size if is_positive else -size]


def _is_near(number: float, ball: arb) -> bool:
    """Whether a ball holds a number that is the same but for rounding."""
    return bool((ball - number).abs_lower() <= SAME_ROOT * abs(number))


def _is_outside(x: arb, domain: Domain) -> bool:
    return bool(x < domain.low or x > domain.high or (domain.open_low and x <= domain.low))


# Counts


_RATIONALS: Arithmetic[Fraction] = Arithmetic(
    number=lambda node: node.value,
    operations={
        "add": lambda *terms: sum(terms),
        "mul": lambda *factors: math.prod(factors),
        "neg": operator.neg,
        "inv": lambda x: 1 / x,
    },
)
"""Exponents."""

Ratio = tuple[fmpq_poly, fmpq_poly]


def _exact(claim: Claim) -> dict[str, Fraction]:
    return {one.name: one.value for one in claim.known if one.blur == 0}


def _ratio(claim: Claim) -> tuple[fmpq_poly, list[fmpq_poly]]:
    """The numerator of the difference of the sides, and all that they divide by."""
    exact = _exact(claim)
    divisors: list[fmpq_poly] = []

    def constant(value: Fraction) -> Ratio:
        return fmpq_poly([fmpq(value.numerator, value.denominator)]), fmpq_poly([1])

    def named(name: str) -> Ratio:
        return (fmpq_poly([0, 1]), fmpq_poly([1])) if name == claim.unknowns[0] else constant(exact[name])

    def inverse(x: Ratio) -> Ratio:
        divisors.append(x[0])
        return x[1], x[0]

    def power(node: Apply, part: Fold) -> Ratio:
        exponent = _RATIONALS.fold(node.args[1], exact.__getitem__)
        size = abs(exponent)
        if size.denominator != 1 or size > _DEGREE:
            raise NoElement
        above, below = part(node.args[0]) if exponent > 0 else inverse(part(node.args[0]))
        return above**size.numerator, below**size.numerator

    ratios: Arithmetic[Ratio] = Arithmetic(
        number=lambda node: constant(node.value),
        operations={
            "add": lambda *terms: reduce(lambda a, b: (a[0] * b[1] + b[0] * a[1], a[1] * b[1]), terms),
            "mul": lambda *factors: reduce(lambda a, b: (a[0] * b[0], a[1] * b[1]), factors),
            "neg": lambda x: (-x[0], x[1]),
            "inv": inverse,
        },
        forms={"pow": power},
    )
    return ratios.fold(_difference(claim.equations[0]), named)[0], divisors


def _count(claim: Claim) -> str:
    numerator, divisors = _ratio(claim)
    if numerator == 0:
        return "the unknown cancels"
    zeros = numerator // numerator.gcd(numerator.derivative())
    for divisor in divisors:
        zeros //= zeros.gcd(divisor)
    coefficients = [abs(_fraction(one)) for one in zeros.coeffs()]
    remainders, (domain,) = _sturm(zeros), claim.domains
    farthest = 1 + sum(coefficients) / coefficients[-1]  # Cauchy: no zero lies beyond
    low, high = max(domain.low, float(-farthest)), min(domain.high, float(farthest))

    def count(a: Fraction, b: Fraction) -> int:
        """How many zeros lie in the domain, above one number and not above another."""
        first, last = max(a, Fraction(low)), min(b, Fraction(high))
        if first > last:
            return 0
        is_at_low = not domain.open_low and a < low and zeros(_fmpq(first)) == 0
        return _changes(remainders, first) - _changes(remainders, last) + is_at_low

    listed = sorted(Fraction(x) for (x,) in claim.solutions)
    reaches = [Fraction(SAME_ROOT) * abs(x) or Fraction(AROUND_ZERO) for x in listed]
    around = [(x - reach, x + reach) for x, reach in zip(listed, reaches, strict=True)]
    if any(one[1] > other[0] for one, other in pairwise(around)) or any(count(*one) != 1 for one in around):
        return "a listed number is no solution"
    found = count(-farthest - 1, farthest)
    return "" if found == len(listed) == claim.evidence.zeros else "a solution is not listed"


def _sturm(polynomial: fmpq_poly) -> list[fmpq_poly]:
    """A polynomial, its slope, and the remainders of each division with their signs turned."""
    chain = [polynomial, polynomial.derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))
    return chain


def _changes(chain: Sequence[fmpq_poly], x: Fraction) -> int:
    signs = [value > 0 for value in (one(_fmpq(x)) for one in chain) if value != 0]
    return sum(one != other for one, other in pairwise(signs))


def _fmpq(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


# Boxes


def _difference(equation: Equation) -> Node:
    return Apply("add", (equation.lhs, Apply("neg", (equation.rhs,))))


class System:
    """The differences of the sides over boxes."""

    def __init__(self, claim: Claim) -> None:
        self.forms = [_difference(one) for one in claim.equations]
        self.unknowns, self.domains, self.spans = claim.unknowns, claim.domains, _spans(claim)

    def enclosures(self, box: Box, moving: str = "") -> list[Enclosure | None]:
        spans = {**self.spans, **dict(zip(self.unknowns, box, strict=True))}
        return [enclose(form, spans, moving) for form in self.forms]

    def contraction(self, box: Box) -> tuple[arb_mat, arb_mat]:
        """Y, and `I - Y*J`; NoElement where the slopes are unbounded or nearly singular."""
        columns = [self.enclosures(box, name) for name in self.unknowns]
        if any(one is None or one.partial or not all(map(math.isfinite, one.slopes)) for one in chain(*columns)):
            raise NoElement
        size = len(columns)
        slopes = arb_mat([[_ball(column[i].slopes) for column in columns] for i in range(size)])
        inverse = slopes.mid().inv().mid()
        return inverse, arb_mat(size, size, 1) - inverse * slopes

    def step(self, box: Box) -> list[tuple[arb, arb]]:
        """For each unknown, the distances of the box from its centre, and those that a solution may have."""
        inverse, rest = self.contraction(box)
        centre = [low / 2 + high / 2 for low, high in box]
        values = self.enclosures(tuple((x, x) for x in centre))
        if any(one is None or one.partial for one in values):
            raise NoElement
        asides = arb_mat([[_ball(side) - x] for side, x in zip(box, centre, strict=True)])
        reached = rest * asides - inverse * arb_mat([[_ball(one.values)] for one in values])
        return [(asides[i, 0], reached[i, 0]) for i in range(len(box))]

    def holds_one(self, box: Box) -> bool:
        return all(aside.contains_interior(reached) for aside, reached in self.step(box))

    def holds_one_at_most(self, box: Box) -> bool:
        _, rest = self.contraction(box)
        sizes = [high - low if 0 < high - low < math.inf else 1.0 for low, high in box]
        rows = [sum(abs(rest[i, j]) * size for j, size in enumerate(sizes)) for i in range(len(sizes))]
        return all(row < size for row, size in zip(rows, sizes, strict=True))

    def is_empty(self, box: Box) -> bool:
        if any(one is None or one.misses_zero for one in self.enclosures(box)):
            return True
        if len(box) == 1 and self.keeps_sign(box[0]):
            return True
        return not all(aside.overlaps(reached) for aside, reached in self.step(box))

    def keeps_sign(self, side: Span) -> bool:
        """Whether one form is monotone on a side, and has one sign at both ends; it may be zero at an end that is
        not in the domain."""
        whole, low, high = (
            self.enclosures((span,), self.unknowns[0])[0] for span in (side, side[:1] * 2, side[1:] * 2)
        )
        if whole is None or low is None or high is None or not whole.is_monotone:
            return False
        is_left_out = self.domains[0].open_low and side[0] == self.domains[0].low and low.values == (0.0, 0.0)
        signs = [1 if one.values[0] > 0 else -1 if one.values[1] < 0 else 0 for one in (low, high)]
        return signs[1] != 0 and (signs[0] == signs[1] or is_left_out)


def _boxes(claim: Claim) -> str:
    system, evidence = System(claim), claim.evidence
    for place, point in zip_longest(evidence.places, claim.solutions):
        if place is None or point is None:
            return "not every solution has a place"
        if not (_is_around(point, place.narrow) and _within(place.narrow, place.region)):
            return "a listed number lies elsewhere"
        if not (system.holds_one(place.narrow) and system.holds_one_at_most(place.region)):
            return "a listed number is no solution, or not the only one around it"
    pending: list[Box] = [tuple((one.low, one.high) for one in claim.domains)]
    for node in evidence.tree:
        box = pending.pop()
        if isinstance(node, Cut):
            low, high = box[node.unknown]
            if not low <= node.at <= high:
                return "a cut is outside its box"
            for half in ((node.at, high), (low, node.at)):
                pending.append((*box[: node.unknown], half, *box[node.unknown + 1 :]))
        elif node is None and not system.is_empty(box):
            return f"{box} may hold another solution"
        elif node is not None and not _within(box, evidence.places[node].region):
            return f"{box} lies outside the region of its solution"
    return "the boxes do not cover the domains" if pending else ""


def _within(inner: Box, outer: Box) -> bool:
    return all(low <= a and b <= high for (a, b), (low, high) in zip(inner, outer, strict=True))


def _is_around(point: Sequence[float], narrow: Box) -> bool:
    """Whether a box holds a point, and only numbers that are the same but for rounding."""
    return all(
        low <= x <= high and high - low <= 2 * (SAME_SOLUTION * abs(x) or AROUND_ZERO)
        for x, (low, high) in zip(point, narrow, strict=True)
    )
