"""The checker: it confirms a proof from the equations alone, and uses nothing of the searches that it checks.

A claim lists solutions. What has to be shown is that each exists and that there is no other, whatever the known numbers
are within their blur. Three kinds of evidence show it:

Isolation. Where the unknown stands once, the operations around it are undone from the outside to the inside by the
table of inverses below, on balls that hold every possible number. Each operation has none, one or two numbers that it
takes to its result; so what is left in the end are all solutions.

Count. Where the sides differ by a ratio of polynomials with rational coefficients, the solutions are the zeros of the
numerator at which nothing that is divided by is zero. FLINT isolates the different ones, each in a ball of its own.

Boxes. With F the differences of the sides, J bounds of their slopes in a box X, c its centre and Y any matrix, every
solution in X is `c + d` with d in `-Y*F(c) + (I - Y*J)*(X - c)` (Krawczyk 1969). If that lies inside X - c, there is
exactly one; if it misses X - c, there is none. If the rows of `I - Y*J`, weighed with positive sizes, are less than
these sizes, Y*J is regular, and X holds one at most. Of one unknown this says that the slope has one sign, and if the
signs at both ends are the same too, there is none. A box is empty also where the sides of one equation differ all over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, zip_longest
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_poly

from derive.certificates.bounds import flaw_of, reaches
from derive.certificates.proof import Box, Boxes, Claim, Count, Cut, Isolation, Narrowing, Proof, ProofOfOptimum, Span
from derive.errors import VerificationError
from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply, Node, cases, names_in
from derive.numerics.algebra.exact_values import exact_value
from derive.numerics.intervals.enclosure import Enclosure, enclose, truths
from derive.numerics.intervals.functions import GAP
from derive.tolerances import AROUND_ZERO, EXTREME, SAME_ROOT, SAME_SOLUTION

__all__ = ["System", "check", "verify"]

_DEGREE = 40  # limit on exponents that are multiplied out

Ball = Any
"""A FLINT ball, which holds a number."""


def verify(result: Any) -> bool:
    """Whether a proof shows that the solutions of an answer's equations are complete.

    False where the answer claims no such thing. A proof that does not hold, or that is of another answer, is a
    VerificationError.
    """
    proof: Proof | ProofOfOptimum | None = result.proof
    if proof is None:
        return False
    if isinstance(proof, ProofOfOptimum):
        return _is_best(result, proof)
    stated = {part.stated for step in result.steps for part in (step.together or (step,))}
    for claim in proof.claims:
        is_of_it = stated.issuperset(claim.equations)
        pairs = zip(claim.unknowns, claim.domains, strict=True)
        if not is_of_it or any(result.quantities[name].domain != domain for name, domain in pairs):
            raise VerificationError(f"{claim}: the proof is of other relations or domains.", relation=str(claim))
    given = {name: value.base[1] for name, value in result.given.items()}
    if not any(math.isclose(x, result.base, rel_tol=SAME_ROOT) for x in _targets(proof, given)):
        raise VerificationError(f"{proof.target}: the proof is of other numbers than {result.base}.")
    return True


def _is_best(result: Any, proof: ProofOfOptimum) -> bool:
    """Confirm that no choice is better by more than a distance that counts as none."""
    value = proof.sign * result.answer.base
    is_near = result.gap_is_absolute or proof.distance <= EXTREME * abs(value)
    if not is_near or len(proof.bounds) != len(result.choices):
        raise VerificationError("The proof of the optimum is of another value, or of fewer choices.")
    for i, (choice, bounds) in enumerate(zip(result.choices, proof.bounds, strict=True)):
        flaws = [flaw_of(bound) for bound in bounds]
        if any(not abs(bound.floor - value) <= 2 * proof.distance for bound in bounds):
            flaws.append("its floor is not next to the value")
        if choice.best is not None and not any(reaches(one, choice.at, proof.sign * choice.best) for one in bounds):
            flaws.append("its goal has another value there")
        if any(flaws):
            raise VerificationError(f"The bound of choice {i + 1} does not hold: {', '.join(filter(None, flaws))}.")
    return True


def _targets(proof: Proof, given: Mapping[str, float]) -> list[float]:
    """All numbers of the target that the claims leave, each block followed with every solution of those before."""
    states = [dict(given)]
    for relations in dict.fromkeys(claim.relations for claim in proof.claims):
        following = []
        for state in states:
            alike = (one for one in proof.claims if one.relations == relations and _starts_from(one, state))
            claim = next(alike, None)
            if claim is None:
                raise VerificationError(f"{', '.join(relations)}: there is no claim for some numbers before.")
            check(claim)
            following += [state | dict(zip(claim.unknowns, one, strict=True)) for one in claim.solutions]
        states = following
    return [state.get(proof.target, math.nan) for state in states]


def _starts_from(claim: Claim, state: Mapping[str, float]) -> bool:
    """Whether the known numbers of a claim are those of a state, and all that its equations need."""
    spans = claim.spans
    return claim.needed == spans.keys() and all(a <= state.get(name, math.nan) <= b for name, (a, b) in spans.items())


def check(claim: Claim) -> None:
    """Confirm a claim; a VerificationError says what does not hold."""
    try:
        match claim.evidence:
            case Isolation():
                flaw = _isolation(claim, claim.evidence)
            case Count():
                flaw = _count(claim, claim.evidence)
            case Boxes():
                flaw = _boxes(claim, claim.evidence)
    except (NoElement, LookupError, ValueError, ZeroDivisionError):
        flaw = "its evidence cannot be followed"
    if flaw:
        raise VerificationError(f"{claim}: the proof does not hold: {flaw}.", relation=claim.relations[0])


def _compared(claim: Claim, found: Iterable[Ball]) -> str:
    """What is wrong with the listed numbers of one unknown, beside those found of which its domain holds a part."""
    (domain,), listed = claim.domains, [x for (x,) in claim.solutions]
    inside = [
        ball
        for ball in found
        if not (ball < domain.low or ball > domain.high or (domain.open_low and ball <= domain.low))
    ]
    if len(listed) > len(inside) or not all(any(_is_near(x, ball) for ball in inside) for x in listed):
        return "a listed number is no solution"
    return "" if all(any(_is_near(x, ball) for x in listed) for ball in inside) else "a solution is not listed"


def _is_near(number: float, ball: Ball) -> bool:
    """Whether a ball holds a number that is the same but for rounding."""
    return bool((ball - number).abs_lower() <= SAME_ROOT * abs(number))


def _ball(span: Span) -> Ball:
    return arb(span[0]).union(arb(span[1]))


def _is_sure(yes: bool, no: bool) -> bool:
    """What balls tell of a question; NoElement where they leave it open."""
    if not (yes or no):
        raise NoElement
    return yes


# Isolation


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


def _exponent(node: Node, claim: Claim) -> Fraction:
    """An exponent that is known exactly."""
    found = exact_value(node, claim.exact)
    if found is None:
        raise NoElement
    return Fraction(found)


def _isolation(claim: Claim, evidence: Isolation) -> str:
    (equation,), (name,) = claim.equations, claim.unknowns
    is_left = name in names_in(equation.lhs)
    node, other = (equation.lhs, equation.rhs) if is_left else (equation.rhs, equation.lhs)
    if name in names_in(other):
        return "the unknown stands on both sides"
    operations: list[str] = []
    values = [_value(other, claim.spans)]
    while isinstance(node, Apply):
        holding = [i for i, arg in enumerate(node.args) if name in names_in(arg)]
        if len(holding) != 1:
            return "the unknown stands more than once"
        operations.append(node.op)
        values = [*chain(*(_undone(node, holding[0], y, claim) for y in values))]
        node = node.args[holding[0]]
    return _compared(claim, values) if tuple(operations) == evidence.operations else "other operations stand there"


def _value(node: Node, spans: Mapping[str, Span]) -> Ball:
    """A ball that holds the value of an expression of known numbers."""
    found = enclose(node, spans, "")
    if found is None or found.flaw == GAP:
        raise NoElement
    return _ball(found.values)


def _undone(node: Apply, place: int, y: Ball, claim: Claim) -> Sequence[Ball]:
    """All numbers of one argument for which an operation comes to y."""
    if node.op in _INVERSES:
        return _INVERSES[node.op](y)
    if node.op == "piecewise":
        return _undone_choice(node, place, y, claim)
    if node.op == "pow" and place == 0:
        return _roots(y, _exponent(node.args[1], claim))
    rest = [_value(arg, claim.spans) for i, arg in enumerate(node.args) if i != place]
    match node.op:
        case "add":
            return [y - sum(rest)]
        case "mul" if math.prod(rest) != 0:
            return [y / math.prod(rest)]
        case "max":
            return [y] if all(_is_sure(one < y, one > y) for one in rest) else []
        case "min":
            return [y] if all(_is_sure(one > y, one < y) for one in rest) else []
        case "pow" if rest[0] > 0 and rest[0] != 1:
            return [y.log() / rest[0].log()] if _is_sure(y > 0, y <= 0) else []
    raise NoElement


def _undone_choice(node: Apply, place: int, y: Ball, claim: Claim) -> Sequence[Ball]:
    """The same for a choice, of which known numbers have to decide that it takes this arm."""
    for i, (_, condition) in enumerate(cases(node)):
        possible = {True} if condition is None else truths(condition, claim.spans)
        if _is_sure(possible == {True}, possible == {False}):
            return [y] if _is_sure(2 * i == place, False) else []
    return []


def _roots(y: Ball, power: Fraction) -> Sequence[Ball]:
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


# Counts


Ratio = tuple[Any, Any]
"""Numerator and denominator, polynomials in the unknown."""


def _count(claim: Claim, evidence: Count) -> str:
    divisors: list[Any] = []

    def inverse(x: Ratio) -> Ratio:
        divisors.append(x[0])
        return x[1], x[0]

    def power(node: Apply, part: Fold) -> Ratio:
        exponent = _exponent(node.args[1], claim)
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
        return "the unknown cancels"
    zeros = numerator // numerator.gcd(numerator.derivative())
    for divisor in divisors:
        zeros //= zeros.gcd(divisor)
    (domain,) = claim.domains
    if domain.open_low and math.isfinite(domain.low):
        zeros //= zeros.gcd(fmpq_poly([_rational(-Fraction(domain.low)), 1]))  # a zero at the end that does not count
    isolated = [root.real for root, _ in zeros.numer().complex_roots() if root.imag == 0]
    return _compared(claim, isolated) if evidence.zeros == len(claim.solutions) else "another number of zeros is listed"


def _constant(value: Fraction) -> Ratio:
    return fmpq_poly([_rational(value)]), fmpq_poly([1])


def _rational(value: Fraction) -> Any:
    return fmpq(value.numerator, value.denominator)


# Boxes


class System:
    """The differences of the sides over boxes."""

    def __init__(self, claim: Claim) -> None:
        self.unknowns, self.domains = claim.unknowns, claim.domains
        self.forms, self.spans = claim.differences, claim.spans

    def enclosures(self, box: Box, moving: str = "") -> list[Enclosure]:
        """The differences in a box; NoElement where one is undefined all over."""
        spans = {**self.spans, **dict(zip(self.unknowns, box, strict=True))}
        found = [enclose(form, spans, moving) for form in self.forms]
        if None in found:
            raise NoElement
        return [one for one in found if one is not None]

    def contraction(self, box: Box) -> tuple[Any, Any]:
        """Y, and `I - Y*J`; NoElement where slopes are unbounded, or prove nothing."""
        columns = [self.enclosures(box, name) for name in self.unknowns]
        if any(one.partial or not all(map(math.isfinite, one.slopes)) for one in chain(*columns)):
            raise NoElement
        slopes = arb_mat([[_ball(one.slopes) for one in row] for row in zip(*columns, strict=True)])
        inverse = slopes.mid().inv().mid()
        return inverse, arb_mat(len(box), len(box), 1) - inverse * slopes

    def step(self, box: Box) -> list[tuple[Ball, Ball]]:
        """For each unknown, the numbers of the box, and those that a solution in it may have."""
        inverse, rest = self.contraction(box)
        centre = [low / 2 + high / 2 for low, high in box]
        values = self.enclosures(tuple((x, x) for x in centre))
        if any(one.partial for one in values):
            raise NoElement
        sides, middles = arb_mat([[_ball(side)] for side in box]), arb_mat([[x] for x in centre])
        reached = middles + rest * (sides - middles) - inverse * arb_mat([[_ball(one.values)] for one in values])
        return [(sides[i, 0], reached[i, 0]) for i in range(len(box))]

    def narrowed(self, box: Box) -> Box | None:
        """A box without the parts in which a step shows that there is no solution; None if nothing is left."""
        left = []
        for (low, high), (_, reached) in zip(box, self.step(box), strict=True):
            least, most = float(reached.lower()), float(reached.upper())
            left.append((max(low, math.nextafter(least, -math.inf)), min(high, math.nextafter(most, math.inf))))
        return tuple(left) if all(low <= high for low, high in left) else None

    def holds_one(self, box: Box) -> bool:
        return all(side.contains_interior(reached) for side, reached in self.step(box))

    def holds_one_at_most(self, box: Box) -> bool:
        _, rest = self.contraction(box)
        sizes = [high - low if 0 < high - low < math.inf else 1.0 for low, high in box]
        rows = [sum(abs(rest[i, j]) * size for j, size in enumerate(sizes)) for i in range(len(sizes))]
        return all(row < size for row, size in zip(rows, sizes, strict=True))

    def is_empty(self, box: Box) -> bool:
        return self.differs(box) or self.keeps_sign(box) or self.narrowed(box) is None

    def differs(self, box: Box) -> bool:
        """Whether the sides of one equation differ all over a box, or have no value in it."""
        try:
            return any(one.misses_zero for one in self.enclosures(box))
        except NoElement:
            return True

    def keeps_sign(self, box: Box) -> bool:
        """Whether the form leads away from zero along the only unknown, seen from one end of the box; at an end that is
        not in the domain it may be zero."""
        if len(box) > 1:
            return False
        (name,), (domain,), ((start, end),) = self.unknowns, self.domains, box
        (whole,) = self.enclosures(box, name)
        if not whole.is_monotone:
            return False
        (low,), (high,) = self.enclosures(((start, start),)), self.enclosures(((end, end),))
        if domain.open_low and start == domain.low and low.values == (0.0, 0.0):
            return True
        if whole.slopes[0] > 0:
            return low.values[0] > 0 or high.values[1] < 0
        return low.values[1] < 0 or high.values[0] > 0


def _boxes(claim: Claim, evidence: Boxes) -> str:
    system = System(claim)
    for place, point in zip_longest(evidence.places, claim.solutions):
        if place is None or point is None:
            return "not every solution has a place"
        if not (_is_around(place.narrow, point) and _is_within(place.narrow, place.region)):
            return "a listed number lies elsewhere"
        if not (system.holds_one(place.narrow) and system.holds_one_at_most(place.region)):
            return "a listed number is no solution, or not the only one around it"
        if not all(x in domain for x, domain in zip(point, claim.domains, strict=True)):
            return "a listed number is outside its domain"
        if any(one is not place and _is_within(one.narrow, place.region) for one in evidence.places):
            return "a solution is listed twice"
    pending: list[Box] = [tuple((one.low, one.high) for one in claim.domains)]
    for node in evidence.tree:
        box = pending.pop()
        if isinstance(node, Cut):
            low, high = box[node.unknown]
            if not low <= node.at <= high:
                return "a cut is outside its box"
            for half in ((node.at, high), (low, node.at)):
                pending.append((*box[: node.unknown], half, *box[node.unknown + 1 :]))
        elif isinstance(node, Narrowing):
            pending.append(system.narrowed(box) or box)
        elif node is None and not system.is_empty(box):
            return f"{box} may hold another solution"
        elif isinstance(node, int) and not _is_within(box, evidence.places[node].region):
            return f"{box} lies outside the region of its solution"
    return "the boxes do not cover the domains" if pending else ""


def _is_within(inner: Box, outer: Box) -> bool:
    return all(low <= a and b <= high for (a, b), (low, high) in zip(inner, outer, strict=True))


def _is_around(narrow: Box, point: Sequence[float]) -> bool:
    """Whether a box holds a point, and only numbers that are the same but for rounding."""
    return all(
        low <= x <= high and high - low <= 2 * (SAME_SOLUTION * abs(x) or AROUND_ZERO)
        for x, (low, high) in zip(point, narrow, strict=True)
    )
