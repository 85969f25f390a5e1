"""A proof: what shows that the solutions of an answer's equations are all that there are.

A proof is data alone. It has a claim for each block of the plan and each set of numbers with which that is reached, and
a claim is a list of solutions, the equations and known numbers that they belong to, and the evidence that the list is
complete. `checker` confirms each claim from these alone; what made the evidence is not trusted.

Known numbers are exact rationals where they were stated; what was computed before is a double, and known up to a blur.
A claim holds for every number within the blur.

Evidence may be a box and the tree that cuts it into parts, with the reason for each part why nothing is missing in it.
A tree lists what is done with each box in the order in which a reader meets them who always turns to the part below
first: it is cut in two, or narrowed, or it is a leaf. That the leaves cover the box needs no proof: they are made of
it, but for what a narrowing takes off, which is computed again. A search writes a tree, and the checker reads it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TypeVar

from derive.expressions.tree import Apply, Equation, Node, names_in
from derive.numerics.algebra.constant_folding import is_decimal, stated
from derive.numerics.intervals.arithmetic import Box
from derive.time_limits import tick
from derive.tolerances import BLUR
from quantities.domain import Domain
from quantities.rational import rounded_up

T = TypeVar("T")


def middle(box: Box) -> tuple[float, ...] | None:
    """The centre of a box in a proof's tree; None of one that has no end."""
    centre = tuple(low / 2 + high / 2 for low, high in box)
    return centre if all(map(math.isfinite, centre)) else None


@dataclass(frozen=True, slots=True)
class Cut:
    """A box cut in two along one of the unknowns: the part below comes first, then the part above."""

    unknown: int
    at: float

    def halves(self, box: Box) -> tuple[Box, Box]:
        """The parts of a box cut in a proof's tree, above and below: on a stack, the part below is met first."""
        low, high = box[self.unknown]
        before, after = box[: self.unknown], box[self.unknown + 1 :]
        return (*before, (self.at, high), *after), (*before, (low, self.at), *after)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A step that takes empty parts off a box: of Newton's method, or by slopes for a bound."""


class FlawError(Exception):
    """A tree does not cover its box; the message says why."""


def pieces(
    box: Box, tree: Sequence[Cut | Narrowing | T], narrowed: Callable[[Box], Box | None]
) -> Iterator[tuple[Box, T]]:
    """The boxes that a proof's tree makes of a box, each with its leaf; a FlawError where they do not cover it.

    Together they cover the box, but for what `narrowed` takes off a part as empty.
    """
    pending = [box]
    for node in tree:
        if not pending:
            raise FlawError("there are more boxes than the cuts make")
        part = pending.pop()
        if isinstance(node, Cut):
            low, high = part[node.unknown]
            if not low <= node.at <= high:
                raise FlawError("a cut is outside its box")
            pending += node.halves(part)
        elif isinstance(node, Narrowing):
            remaining = narrowed(part)
            pending += [] if remaining is None else [remaining]
        else:
            yield part, node
    if pending:
        raise FlawError("the boxes do not cover the whole")


def recorded(
    box: Box, step: Callable[[Box], tuple[Cut | Narrowing | T, Iterable[Box]] | None], most: int
) -> tuple[Cut | Narrowing | T, ...] | None:
    """Record the tree of a certificate that cuts a box into parts, each settled by a step.

    `step` gives the node of a part, and the parts that remain of it, the next one last. None where nothing can be done
    with a part, or there are too many.
    """
    tree: list[Cut | Narrowing | T] = []
    pending = [box]
    while pending:
        tick()
        outcome = step(pending.pop()) if len(tree) <= most else None
        if outcome is None:
            return None
        node, remaining = outcome
        tree.append(node)
        pending += remaining
    return tuple(tree)


def cut_off(box: Box, remaining: Box, share: float, is_settled: Callable[[Box], bool]) -> Cut | None:
    """A cut in a proof's tree that takes off a settled part outside `remaining`, if it is a large share of a side."""
    for i, ((low, high), (least, most)) in enumerate(zip(box, remaining, strict=True)):
        for at, side in ((least, (low, least)), (most, (most, high))):
            is_large = high - low == math.inf or side[1] - side[0] > share * (high - low)
            if low < at < high and is_large and is_settled((*box[:i], side, *box[i + 1 :])):
                return Cut(i, at)
    return None


@dataclass(frozen=True, slots=True)
class KnownNumber:
    """A number that a claim takes for granted, up to a relative error."""

    name: str
    value: Fraction
    blur: float = 0.0

    @classmethod
    def of(cls, name: str, number: float) -> KnownNumber:
        """A number that a claim takes for granted, as it was stated; a computed one is known up to a blur."""
        return cls(name, stated(number), 0.0 if is_decimal(number) else BLUR)

    @property
    def span(self) -> tuple[float, float]:
        """The bounds within which a claim takes a known number to lie, rounded outwards."""
        reach = abs(self.value) * Fraction(self.blur)
        return _rounded_down(self.value - reach), -_rounded_down(-self.value - reach)


def _rounded_down(number: Fraction) -> float:
    """The largest double not above the exact rational of a known number, for the bounds that a proof states."""
    near = float(number)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)


@dataclass(frozen=True, slots=True)
class Isolation:
    """The unknown stands once, and every operation on the way to it is undone by its inverses."""

    operations: tuple[str, ...]  # from the outside to the unknown

    @property
    def in_words(self) -> str:
        return "by the inverse of every operation around it"


@dataclass(frozen=True, slots=True)
class Count:
    """The sides differ by ratios of polynomials, whose zeros in the domain are counted, of two equations both."""

    zeros: int
    polynomials: int = 1

    @property
    def in_words(self) -> str:
        kind = "zeros of a polynomial" if self.polynomials == 1 else "common zeros of two polynomials"
        return f"by the {self.zeros} {kind}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one solution lies: a narrow box that holds it, and a region around it that holds no other."""

    narrow: Box
    region: Box


@dataclass(frozen=True, slots=True)
class Boxes:
    """The domains cut into boxes, each of which holds no solution or lies in the region of one.

    In the tree, a box without a solution is None; one in a region, the number of its place.
    """

    places: tuple[Place, ...]
    tree: tuple[Cut | Narrowing | int | None, ...]

    @property
    def in_words(self) -> str:
        cuts = sum(isinstance(step, Cut) for step in self.tree)
        return f"by {cuts + 1} boxes that cover the domains" if cuts else "by one box, which is the domains"


Evidence = Isolation | Count | Boxes


@dataclass(frozen=True, slots=True)
class Claim:
    """All solutions of some equations for their unknowns within their domains."""

    relations: tuple[str, ...]
    equations: tuple[Equation, ...]
    known: tuple[KnownNumber, ...]
    unknowns: tuple[str, ...]
    domains: tuple[Domain, ...]
    solutions: tuple[tuple[float, ...], ...]
    evidence: Evidence

    @property
    def spans(self) -> dict[str, tuple[float, float]]:
        """The bounds of the known numbers on which a claim of a proof rests."""
        return {known.name: known.span for known in self.known}

    @property
    def exact(self) -> dict[str, Fraction]:
        """The known numbers of a claim that are exact rationals, without a blur."""
        return {known.name: known.value for known in self.known if known.blur == 0}

    @property
    def needed(self) -> set[str]:
        """The names whose numbers the equations of a proof's claim need."""
        return {*names_in(*self.equations)} - {*self.unknowns}

    @property
    def differences(self) -> tuple[Node, ...]:
        """What a claim says to be zero in its solutions: the differences of the sides of its equations."""
        return tuple(Apply("add", (equation.lhs, Apply("neg", (equation.rhs,)))) for equation in self.equations)

    def __str__(self) -> str:
        return f"{', '.join(self.unknowns)} from {', '.join(self.relations)}"


@dataclass(frozen=True, slots=True)
class Proof:
    """The claims for all blocks of a plan, in their order: of each block as many as there are ways to reach it."""

    target: str
    claims: tuple[Claim, ...]

    def __str__(self) -> str:
        lines = []
        for claim in self.claims:
            count = len(claim.solutions)
            solutions = "1 solution" if count == 1 else f"{count} solutions"
            lines.append(f"{claim}: {solutions}, {claim.evidence.in_words}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Proof of {self.target}: {len(self.claims)} claims>"


@dataclass(frozen=True, slots=True)
class Lagrangian:
    """A box in which a bound is kept by the goal plus the limits and zeros, each times its price."""

    prices: tuple[float, ...] = ()  # of the limits, then of the zeros; without any, the goal itself keeps the bound


@dataclass(frozen=True, slots=True)
class Tangent:
    """A box in which the Lagrangian is convex, and keeps the bound by its tangent at a point."""

    prices: tuple[float, ...]
    point: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GuardedLimit:
    """A limit: a gap that is not positive where it holds, and a condition (guard) under which it applies."""

    gap: Node
    guard: Node | None = None
    is_strict: bool = False  # whether it is not zero either


Leaf = Lagrangian | Tangent | None
"""What shows that a box holds nothing below a bound; None if no point of it is admissible."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A goal is nowhere below its floor where the limits, zeros and guards of a program hold.

    `tree` is that of `Boxes`, over the ranges of the variables. A box in which they cannot hold is None.
    """

    names: tuple[str, ...]
    box: Box
    steps: tuple[float, ...]  # of each name: the size of one, if it is a count; else zero
    known: tuple[KnownNumber, ...]
    goal: Node
    limits: tuple[GuardedLimit, ...]
    zeros: tuple[Node, ...]
    guards: tuple[Node, ...]
    floor: float
    tree: tuple[Leaf | Cut | Narrowing, ...]
    left_out: tuple[tuple[str, Node, tuple[float, float]], ...] = ()  # each with its form in those after it, and range


@dataclass(frozen=True, slots=True)
class ProofOfOptimum:
    """No choice is better by more than a distance: the bounds of all programs of all choices."""

    sign: float  # by which a target is multiplied that is to be made greatest
    distance: float  # in base units
    bounds: tuple[tuple[Bound, ...], ...]  # of each choice, one for each case

    def __str__(self) -> str:
        bounds = chain.from_iterable(self.bounds)
        boxes = sum(1 + sum(isinstance(step, Cut) for step in bound.tree) for bound in bounds)
        covering = f"{boxes} boxes that cover" if boxes > 1 else "one box of"
        by = f"{rounded_up(self.distance, 2)} in base units" if self.distance else "0"
        return f"no choice is better by more than {by}: bounds over {covering} all choices"

    def __repr__(self) -> str:
        return f"<ProofOfOptimum: {len(self.bounds)} choices>"
