"""The solutions of some equations, by boxes that hold one each or none, and cover the domains.

With F the differences of the sides, J bounds of their slopes in a box X, c its centre and Y any matrix, every
solution in X is `c + d` with d in `-Y*F(c) + (I - Y*J)*(X - c)` (Krawczyk 1969). If that lies inside X - c, there is
exactly one; if it misses X - c, there is none. If the rows of `I - Y*J`, weighed with positive sizes, are less than
these sizes, Y*J is regular, and X holds one at most. Of one unknown this says that the slope has one sign, and if the
signs at both ends are the same too, there is none. A box is empty also where the sides of one equation differ all over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from flint import arb_mat

from derive.certificates.forms import Form
from derive.certificates.proof import Boxes, Claim, FlawError, middle, pieces
from derive.certificates.solution_balls import Ball, ball_of
from derive.expressions.arithmetic import NoElement
from derive.numerics.intervals.arithmetic import Box, is_within
from derive.numerics.intervals.enclosure import Enclosure
from derive.tolerances import AROUND_ZERO, SAME_SOLUTION


class System:
    """The equations of a claim, as the differences of their sides, evaluated over boxes of the unknowns."""

    def __init__(self, claim: Claim) -> None:
        self.unknowns, self.domains = claim.unknowns, claim.domains
        self.forms = [Form(difference, claim.unknowns, claim.spans) for difference in claim.differences]

    def enclosures(self, box: Box, moving: str = "") -> list[Enclosure]:
        """Enclosures of the differences of a claim's equations in a box; NoElement where one is undefined all over."""
        enclosures = [form.enclosed(box, moving) for form in self.forms]
        if None in enclosures:
            raise NoElement
        return [enclosure for enclosure in enclosures if enclosure is not None]

    def contraction(self, box: Box) -> tuple[Any, Any]:
        """The matrices Y and `I - Y*J` for a claim's box; NoElement where slopes are unbounded, or prove nothing."""
        columns = [self.enclosures(box, name) for name in self.unknowns]
        if any(enclosure.partial or not all(map(math.isfinite, enclosure.slopes)) for enclosure in chain(*columns)):
            raise NoElement
        slopes = arb_mat([[ball_of(enclosure.slopes) for enclosure in row] for row in zip(*columns, strict=True)])
        inverse = slopes.mid().inv().mid()
        return inverse, arb_mat(len(box), len(box), 1) - inverse * slopes

    def step(self, box: Box) -> list[tuple[Ball, Ball]]:
        """For each unknown of a claim, the side of the box, and Krawczyk's image of it with any solution in the box."""
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
        """A box without parts in which Krawczyk's step shows that a claim has no solution; None if nothing is left."""
        sides = []
        for (low, high), (_, image) in zip(box, self.step(box), strict=True):
            # `float` rounds to the nearest double, which may lie inside: the next one outwards is a bound for certain
            lowest = math.nextafter(float(image.lower()), -math.inf)
            highest = math.nextafter(float(image.upper()), math.inf)
            sides.append((max(low, lowest), min(high, highest)))
        return tuple(sides) if all(low <= high for low, high in sides) else None

    def holds_one(self, box: Box) -> bool:
        """Whether a box has exactly one solution of a claim's equations."""
        return all(side.contains_interior(image) for side, image in self.step(box))

    def holds_one_at_most(self, box: Box) -> bool:
        """Whether a box has one solution of a claim's equations at most.

        It has where the rows of `I - Y*J`, weighed with the sizes of the sides, are less than these.
        """
        _, factor = self.contraction(box)
        sizes = [high - low if 0 < high - low < math.inf else 1.0 for low, high in box]
        rows = [sum(abs(factor[i, j]) * size for j, size in enumerate(sizes)) for i in range(len(sizes))]
        return all(row < size for row, size in zip(rows, sizes, strict=True))

    def is_empty(self, box: Box) -> bool:
        """Whether a box has no solution of a claim; the cheapest of the three ways to see it comes first."""
        return self.differs(box) or self.keeps_sign(box) or self.narrowed(box) is None

    def differs(self, box: Box) -> bool:
        """Whether the sides of one of a claim's equations differ all over a box, or have no value in it."""
        try:
            return any(enclosure.misses_zero for enclosure in self.enclosures(box))
        except NoElement:
            return True

    def keeps_sign(self, box: Box) -> bool:
        """Whether a claim's only difference is monotone in the only unknown, with one sign at both ends of a box.

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
    """What is wrong with boxes as evidence for a claim of all solutions; empty if they prove it."""
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
    domain_box: Box = tuple((domain.low, domain.high) for domain in claim.domains)
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
    """Whether a narrow box holds a claim's listed solution, and only numbers that are the same but for rounding."""
    return all(
        low <= x <= high and high - low <= 2 * (SAME_SOLUTION * abs(x) or AROUND_ZERO)
        for x, (low, high) in zip(point, narrow, strict=True)
    )
