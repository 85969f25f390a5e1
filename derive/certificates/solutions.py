"""The solutions of some equations, compared with those that a claim lists: as balls that hold one each, or by boxes.

Where the unknown stands once, the operations around it are undone from the outside to the inside by the
table of inverses below, on balls that hold every possible number. Each operation has none, one or two numbers that it
takes to its result; so what is left in the end are all solutions.

Where the sides differ by a ratio of polynomials with rational coefficients, the solutions are the zeros of the
numerator at which nothing that is divided by is zero. FLINT isolates the different ones, each in a ball of its own.
Two equations in two unknowns have the common zeros of two polynomials, of which `common_zeros` has the theory.

Any other equations have boxes that hold one solution each or none, and cover the domains. With F the differences of
the sides, J bounds of their slopes in a box X, c its centre and Y any matrix, every solution in X is `c + d` with d in
`-Y*F(c) + (I - Y*J)*(X - c)` (Krawczyk 1969). If that lies inside X - c, there is exactly one; if it misses X - c,
there is none. If the rows of `I - Y*J`, weighed with positive sizes, are less than these sizes, Y*J is regular, and X
holds one at most. Of one unknown this says that the slope has one sign, and if the signs at both ends are the same too,
there is none. A box is empty also where the sides of one equation differ all over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, zip_longest
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_poly

from derive.certificates.lower_bounds import Form
from derive.certificates.proof import Boxes, Claim, Count, FlawError, Isolation, middle, pieces
from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply, Node, cases, names_in
from derive.numerics.algebra.exact_values import exact_value
from derive.numerics.algebra.polynomials import balls_of_zeros, exactly
from derive.numerics.intervals.arithmetic import Box, Span, is_within
from derive.numerics.intervals.enclosure import GAP, Enclosure, enclose, truths
from derive.tolerances import AROUND_ZERO, SAME_ROOT, SAME_SOLUTION
from quantities.domain import Domain

_DEGREE = 40  # limit on exponents that are multiplied out

Ball = Any
"""A FLINT ball, which holds a number."""
Ratio = tuple[Any, Any]
"""Numerator and denominator, polynomials in the unknown."""


def _flaw_of_listing(claim: Claim, solutions: Iterable[Sequence[Ball]]) -> str:
    """What is wrong with a certificate's solutions, compared with the balls of all; empty if they are the same.

    A solution has a ball for each unknown.
    """
    inside = [balls for balls in solutions if all(map(_may_hold, claim.domains, balls))]
    listed = claim.solutions
    if len(listed) > len(inside) or not all(any(_is_in(point, balls) for balls in inside) for point in listed):
        return "a listed number is no solution"
    is_complete = all(any(_is_in(point, balls) for point in listed) for balls in inside)
    return "" if is_complete else "a solution is not listed"


def _is_in(point: Sequence[float], balls: Sequence[Ball]) -> bool:
    """Whether a listed solution lies in the balls of one that was found, but for rounding."""
    pairs = zip(point, balls, strict=False)
    return all((ball - number).abs_lower() <= SAME_ROOT * abs(number) for number, ball in pairs)


def _may_hold(domain: Domain, ball: Ball) -> bool:
    """Whether an unknown's domain may hold the number in the ball of a certificate's solution."""
    is_at_open_end = domain.open_low and ball <= domain.low
    return not (ball < domain.low or ball > domain.high or is_at_open_end)


def ball_of(span: Span) -> Ball:
    """The FLINT ball that holds every number of an interval, to compare a certificate's solutions with."""
    return arb(span[0]).union(arb(span[1]))


def _is_sure(yes: bool, no: bool) -> bool:
    """Whether balls of solutions prove a statement (`yes`) and not its opposite (`no`); NoElement if neither."""
    if not (yes or no):
        raise NoElement
    return yes


def _exact_exponent(node: Node, claim: Claim) -> Fraction:
    """The exponent of a power in a certificate's equations, whose solutions are balls; NoElement if it is not exact."""
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
    """What is wrong with a certificate's solutions, compared with those by undone operations; empty if they are all."""
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
    """The ball of an expression without unknowns, from which those of a certificate's solutions are computed."""
    enclosure = enclose(node, spans, "")
    if enclosure is None or enclosure.flaw == GAP:
        raise NoElement
    return ball_of(enclosure.values)


def _preimages(node: Apply, place: int, y: Ball, claim: Claim) -> Sequence[Ball]:
    """Undo an operation on the way to a certificate's solutions: balls of all numbers that it takes to y."""
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
    """Undo a choice around the unknown, to check solutions: balls of what its arm at a place may be in one.

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
    """Balls of all solutions x of `x**power = y` that a certificate has to list, where y is a ball."""
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
    """What is wrong with a certificate's solutions, compared with counted zeros of polynomials; empty if all."""
    if evidence.zeros != len(claim.solutions):
        return "another number of zeros is listed"
    if len(claim.unknowns) == 1:
        return _flaw_of_listing(claim, [(ball,) for ball in _zeros_in_one_unknown(claim)])
    pairs = balls_of_zeros(claim.equations, claim.unknowns, {name: claim.exact[name] for name in claim.needed})
    return "the common zeros cannot be told apart" if pairs is None else _flaw_of_listing(claim, pairs)


def _zeros_in_one_unknown(claim: Claim) -> list[Any]:
    """Balls of the zeros of a numerator that a certificate's solutions have to be, where nothing divides by zero."""
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
        zeros //= zeros.gcd(fmpq_poly([exactly(-Fraction(domain.low)), 1]))  # a zero at the end that does not count
    return [root.real for root, _ in zeros.numer().complex_roots() if root.imag == 0]


def _constant(value: Fraction) -> Ratio:
    return fmpq_poly([exactly(value)]), fmpq_poly([1])


class System:
    """The equations of a claim, as the differences of their sides, evaluated over boxes of the unknowns."""

    def __init__(self, claim: Claim) -> None:
        self.unknowns, self.domains = claim.unknowns, claim.domains
        self.forms = [Form(difference, claim.unknowns, claim.spans) for difference in claim.differences]

    def enclosures(self, box: Box, moving: str = "") -> list[Enclosure]:
        """Enclosures of the differences that are zero at a certificate's solution, in a box; NoElement if undefined."""
        enclosures = [form.enclosed(box, moving) for form in self.forms]
        if None in enclosures:
            raise NoElement
        return [enclosure for enclosure in enclosures if enclosure is not None]

    def contraction(self, box: Box) -> tuple[Any, Any]:
        """The matrices Y and `I - Y*J` for a certificate's box; NoElement if slopes are unbounded, or prove nothing."""
        columns = [self.enclosures(box, name) for name in self.unknowns]
        if any(enclosure.partial or not all(map(math.isfinite, enclosure.slopes)) for enclosure in chain(*columns)):
            raise NoElement
        slopes = arb_mat([[ball_of(enclosure.slopes) for enclosure in row] for row in zip(*columns, strict=True)])
        inverse = slopes.mid().inv().mid()
        return inverse, arb_mat(len(box), len(box), 1) - inverse * slopes

    def step(self, box: Box) -> list[tuple[Ball, Ball]]:
        """For each unknown, the side of a certificate's box, and Krawczyk's image, which holds its solutions."""
        centre = middle(box)
        if centre is None:
            raise NoElement
        inverse, factor = self.contraction(box)
        at_centre = self.enclosures(tuple((x, x) for x in centre))
        if any(enclosure.partial for enclosure in at_centre):
            raise NoElement
        sides, middles = arb_mat([[ball_of(side)] for side in box]), arb_mat([[x] for x in centre])
        values = arb_mat([[ball_of(enclosure.values)] for enclosure in at_centre])
        image = middles + factor * (sides - middles) - inverse * values
        return [(sides[i, 0], image[i, 0]) for i in range(len(box))]

    def narrowed(self, box: Box) -> Box | None:
        """The part of a certificate's box that may have solutions, by Krawczyk's step; None if there can be none."""
        sides = []
        for (low, high), (_, image) in zip(box, self.step(box), strict=True):
            # `float` rounds to the nearest double, which may lie inside: the next one outwards is a bound for certain
            lowest = math.nextafter(float(image.lower()), -math.inf)
            highest = math.nextafter(float(image.upper()), math.inf)
            sides.append((max(low, lowest), min(high, highest)))
        return tuple(sides) if all(low <= high for low, high in sides) else None

    def holds_one(self, box: Box) -> bool:
        """Whether a certificate's box has exactly one solution, since Krawczyk's image of it lies inside."""
        return all(side.contains_interior(image) for side, image in self.step(box))

    def holds_one_at_most(self, box: Box) -> bool:
        """Whether a certificate's box has one solution of its equations at most.

        It has where the rows of `I - Y*J`, weighed with the sizes of the sides, are less than these.
        """
        _, factor = self.contraction(box)
        sizes = [high - low if 0 < high - low < math.inf else 1.0 for low, high in box]
        rows = [sum(abs(factor[i, j]) * size for j, size in enumerate(sizes)) for i in range(len(sizes))]
        return all(row < size for row, size in zip(rows, sizes, strict=True))

    def is_empty(self, box: Box) -> bool:
        """Whether a certificate's box is seen to have no solution; the cheapest of three ways comes first."""
        return self.differs(box) or self.keeps_sign(box) or self.narrowed(box) is None

    def differs(self, box: Box) -> bool:
        """Whether a box has no solution since the sides of one equation differ all over it, or have no value."""
        try:
            return any(enclosure.misses_zero for enclosure in self.enclosures(box))
        except NoElement:
            return True

    def keeps_sign(self, box: Box) -> bool:
        """Whether a certificate's box has no solution for its only unknown: the difference keeps its sign.

        Then it has no zero between. At an end that is not in the domain it may be zero.
        """
        if len(box) > 1:
            return False
        (name,), (domain,), ((start, end),) = self.unknowns, self.domains, box
        (over_box,) = self.enclosures(box, name)
        if not over_box.is_monotone:
            return False
        (at_start,), (at_end,) = self.enclosures(((start, start),)), self.enclosures(((end, end),))
        if domain.open_low and start == domain.low and at_start.values == (0.0, 0.0):
            return True
        if over_box.slopes[0] > 0:
            return at_start.values[0] > 0 or at_end.values[1] < 0
        return at_start.values[1] < 0 or at_end.values[0] > 0


def flaw_of_boxes(claim: Claim, evidence: Boxes) -> str:
    """What is wrong with a certificate's boxes, each of one solution or none; empty if they prove the list."""
    system = System(claim)
    for place, point in zip_longest(evidence.places, claim.solutions):
        if place is None or point is None:
            return "not every solution has a place"
        if not (_is_around(place.narrow, point) and is_within(place.narrow, place.region)):
            return "a listed number lies elsewhere"
        if not (system.holds_one(place.narrow) and system.holds_one_at_most(place.region)):
            return "a listed number is no solution, or not the only one around it"
        if not all(x in domain for x, domain in zip(point, claim.domains, strict=True)):
            return "a listed number is outside its domain"
        if any(other is not place and is_within(other.narrow, place.region) for other in evidence.places):
            return "a solution is listed twice"
    domain_box: Box = tuple(domain.ends for domain in claim.domains)
    try:
        for box, number in pieces(domain_box, evidence.tree, lambda box: system.narrowed(box) or box):
            if number is None and not system.is_empty(box):
                return f"{box} may hold another solution"
            if number is not None and not is_within(box, evidence.places[number].region):
                return f"{box} lies outside the region of its solution"
    except FlawError as flaw:
        return str(flaw)
    return ""


def _is_around(narrow: Box, point: Sequence[float]) -> bool:
    """Whether a certificate's narrow box holds a solution, and only numbers that are the same but for rounding."""
    return all(
        low <= x <= high and high - low <= 2 * (SAME_SOLUTION * abs(x) or AROUND_ZERO)
        for x, (low, high) in zip(point, narrow, strict=True)
    )
