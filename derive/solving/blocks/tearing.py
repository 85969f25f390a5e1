"""Tearing: one unknown is guessed, the others follow from it, and one residual is left to solve.

The last relation determines the tear: one relation with one unknown, with all its roots. Where it holds along an
interval, the other unknowns are computed along the interval, and the whole system decides how much of it counts.

When the list of solutions is complete: the relations were only rewritten, so every solution lies on a branch, or has
a zero divisor or a negative base, and both of these are passed on. On a branch it belongs to a root of the last
relation. So nothing is missing if all roots of that relation are known, and each has been followed to the one
solution that belongs to it, which holds or does not. Doubles may not suffice for that step. A root has some sixteen
digits, roots that agree to nine digits are merged, and an unknown that depends on further digits can be anything. A
root therefore counts as followed only if, all around it, the unknowns that belong to it stay together, or interval
arithmetic proves at most one solution there; and if the values computed for it solve the relations, or are enclosed
outside their domains. Otherwise the caveat says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise

from derive.errors import Cause, LimitError, LimitKind
from derive.expressions.functions import STEPPED
from derive.expressions.tree import Equation, Name, Node, Number, operations
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.exact_values import exact_value, rationals
from derive.numerics.algebra.homogeneity import ANY_DEGREE
from derive.numerics.algebra.isolation import leaves_out
from derive.numerics.algebra.like_terms import added, difference_of, negated, occurrences
from derive.numerics.algebra.multiprecision import exactly, is_cancelled
from derive.numerics.algebra.products import product_of, written
from derive.numerics.algebra.refinement import fails_at_root
from derive.numerics.intervals.arithmetic import lies_in, point_box
from derive.numerics.intervals.enclosure import Span, enclose
from derive.solving.assumptions import Assumption
from derive.solving.blocks.free_unknowns import (
    bounds_over,
    by_proportion,
    degree_in,
    has_choice,
    is_level_span,
    ties_of,
)
from derive.solving.blocks.one_unknown import solutions_of
from derive.solving.blocks.outcome import OTHERS_MAY_EXIST, Outcome, Solution, is_covered, repeats
from derive.solving.blocks.polishing import are_apart, polished
from derive.solving.blocks.sample_points import is_constant, middle, runs, within
from derive.solving.blocks.substitution import (
    Branch,
    Lost,
    Worth,
    expressed,
    loses_nothing,
    may_be_lost,
    sizes,
    spans_of,
    substituted,
)
from derive.solving.blocks.system import System
from derive.time_limits import sharing, stop_if_over, tick
from derive.tolerances import AGREEMENT, LEAST, SAME_MULTIPLE, SAME_ROOT, TIGHT
from quantities.domain import Domain

_TOGETHER = 2 * SAME_ROOT  # relative distance from a root within which others were merged with it
_BESIDE = 3e-3  # relative distance from a root at which only a level still holds
_MOST = 40  # limit on unknowns of a system that is torn
_LARGEST = 3000  # limit on nodes of its equations
_OFTEN = 200  # limit on occurrences of a tear in one relation; beyond it, finding the roots takes too long
_SHARE = 0.4  # of the time left, which tearing may take
_TEARS = 3  # limit on unknowns that are tried as the tear
_PARTS = 100  # limit on parts for the bounds of an unknown along a piece


def torn(system: System) -> tuple[Outcome, tuple[Lost, ...]] | None:
    """The outcome by tearing, and what tearing may have lost: equations, each with a divisor that may be zero.

    None for a large system, one without a tear, or where the time for it ends before the first outcome.
    """
    if len(system.unknowns) > _MOST or sizes(system.equations) > _LARGEST:
        return None
    results: list[tuple[Outcome, tuple[Lost, ...]]] = []
    with suppress(LimitError), sharing(_SHARE):
        for outcome, lost in _outcomes_by_tear(system):
            has_no_root = outcome.cause is Cause.NO_ROOT and not outcome.undecided  # of the last relation: proved
            if not outcome.caveat and not lost and (outcome.solutions or has_no_root):
                return outcome, lost
            results.append((outcome, lost))
            if len(results) == _TEARS:
                break
    stop_if_over()  # of the whole query, and not only the share
    if not results:
        return None
    best, lost = max(results, key=lambda result: _rank(*result))
    if not best.solutions and any(outcome.undecided for outcome, _ in results):
        return replace(best, undecided=True), lost  # an undefined branch may be at an edge
    if not best.caveat and not lost:
        return best, lost
    solutions = list(best.solutions)  # and those by the other tears: no tear is certain to give all
    for solution in chain.from_iterable(outcome.solutions for outcome, _ in results if outcome is not best):
        if (best.caveat or _is_lost(solution, lost, system)) and not is_covered(solution, solutions):
            solutions.append(solution)
    return replace(best, solutions=tuple(solutions)), lost


def _is_lost(solution: Solution, lost: Sequence[Lost], system: System) -> bool:
    """Whether a solution by another tear may be one that the best tear lost, since a divisor is zero there.

    Elsewhere, none is missing. Where a root is a multiple one, another tear may find it in pieces, a few digits apart.
    """
    around = {
        name: (x - _BESIDE * abs(x), x + _BESIDE * abs(x)) for name, x in {**system.known, **solution.values}.items()
    }
    box = {**around, **solution.spans}
    enclosures = (enclose(divisor, box, "") for _, divisor in lost)
    return any(enclosure is None or not enclosure.misses_zero for enclosure in enclosures)


def _outcomes_by_tear(system: System) -> Iterator[tuple[Outcome, tuple[Lost, ...]]]:
    """The outcome by each tear, and the equations with divisors by which the tear may have lost solutions."""
    for tear, branches in tearings(system):
        tick()
        if leaves_out(chain.from_iterable(branch.powers for branch in branches), spans_of(system)):
            continue
        sides = chain.from_iterable(branch.left[0].sides for branch in branches)
        if any(occurrences(side, tear) > _OFTEN for side in sides):
            continue
        outcome = _solutions_along(branches, tear, system)
        divided = dict.fromkeys(chain.from_iterable(branch.lost for branch in branches))
        yield outcome, tuple(lost for lost in divided if may_be_lost(*lost, system))


def tearings(system: System) -> list[tuple[str, tuple[Branch, ...]]]:
    """The tears by which the other unknowns can be expressed, those with the fewest inversions first."""
    ways = [(tear, expressed(system.equations, system.unknowns, tear)) for tear in system.unknowns]
    return sorted(((tear, branches) for tear, branches in ways if branches), key=_effort)


def _effort(way: tuple[str, tuple[Branch, ...]]) -> tuple[int, int]:
    """The number of branches of a tear, and of the divisions and inverted powers in them."""
    _, branches = way
    return len(branches), sum(len(branch.lost) + len(branch.powers) for branch in branches)


def straight(
    equations: Sequence[Equation], unknowns: Sequence[str], spans: Mapping[str, Span], domains: Mapping[str, Domain]
) -> tuple[str, Branch] | None:
    """A tear by which all other unknowns can be expressed in one way, whatever the numbers in their spans are."""
    box = {**spans, **{name: domains[name].closed for name in unknowns}}
    ways = [(tear, expressed(equations, unknowns, tear)) for tear in unknowns]
    for tear, branches in sorted(ways, key=_effort):
        if len(branches) == 1 and not branches[0].conditions and loses_nothing(branches[0], box):
            return tear, branches[0]
    return None


def _rank(outcome: Outcome, lost: Sequence[Lost]) -> tuple[bool, bool, bool, int]:
    """The rank of a tear's outcome: solutions before none, decided before not, proved before not, few lost."""
    return bool(outcome.solutions), not outcome.undecided, not outcome.caveat, -len(lost)


def _solutions_along(branches: Sequence[Branch], tear: str, system: System) -> Outcome:
    """The solutions along all branches of a tear."""
    solutions: list[Solution] = []
    caveat: Assumption | None = None
    reason, cause = "", None
    undecided = False
    for forms in branches:
        branch = _TornBranch(forms, tear, system)
        outcome = branch.roots()
        caveat = caveat or outcome.caveat
        if not reason:
            reason, cause = outcome.reason, outcome.cause
        undecided = undecided or outcome.undecided
        entire = branch.in_proportion(outcome)
        if entire is not None:  # every point of the branch is a solution
            solutions.append(entire)
            continue
        for solution in outcome.solutions:
            if tear in solution.spans:
                pieces = branch.spanned(solution.spans[tear])
                solutions.extend(pieces)
                # between the samples there may be some
                undecided = undecided or not (pieces or branch.fails_along(solution.spans[tear]))
                continue
            root = solution.values[tear]
            low, high = sorted((root * 0.999, root * 1.001)) if root else (-1e-3, 1e-3)
            # the last relation may hold along an interval around the root, of which the search gave one point
            if is_level_span(branch.last, (low, high)):
                pieces = branch.spanned(branch.last.domain.ends, [root])
                solutions.extend(piece for piece in pieces if not is_covered(piece, solutions))
                continue
            values = polished(branch.at(root), system)
            if not system.holds(values):  # in doubles the forms may have lost digits
                values = polished(branch.at(root, exactly), system)
            box = branch.box_around(root)
            if not system.holds(values):
                values = branch.with_zeros(values, box)
            if not branch.is_followed(values, box) or branch.is_in_doubt(values, box):
                caveat = caveat or OTHERS_MAY_EXIST
            if not system.holds(values):
                reason = reason or system.outside(values)
            elif branch.is_refuted(root):
                continue
            elif not repeats(values, solutions) or _is_proved_apart(values, solutions, system):
                solutions.append(Solution(values, {}, proof=solution.proof))
        roots = [solution.values[tear] for solution in outcome.solutions if tear in solution.values]
        for seed in branch.level_seeds(roots):
            pieces = branch.spanned(branch.last.domain.ends, [seed])
            solutions.extend(piece for piece in pieces if not is_covered(piece, solutions))
    undecided = (undecided or bool(caveat)) and not solutions
    return Outcome(tuple(solutions), caveat, reason=reason, cause=cause, undecided=undecided)


def _is_proved_apart(values: Mapping[str, float], solutions: Sequence[Solution], system: System) -> bool:
    """Whether a solution by tearing is proved to be another than all known solutions close to it."""
    close = [other.values for other in solutions if repeats(values, [other])]
    if repeats(values, solutions, SAME_ROOT):
        return False
    return all(are_apart(values, other, system.with_choices) for other in close)


class _TornBranch:
    """A branch of a system at its numbers: the last relation has the tear alone, the forms give the other unknowns."""

    def __init__(self, branch: Branch, tear: str, system: System) -> None:
        self.branch = branch
        self.forms = branch.forms
        self.tear = tear
        self.system = system
        self.last = system.alone(branch.left[0], tear)

    def at(self, x: float, worth: Worth = value) -> dict[str, float]:
        """All unknowns of a torn branch where the tear is a number."""
        return self.branch.at({self.tear: x}, self.system.known, worth)

    def roots(self) -> Outcome:
        """The tear's values by the last relation; undecided if its angles make too many turns to try each."""
        try:
            return solutions_of(replace(self.last, equation=self.last.equation.changed(self._reduced)))
        except LimitError as error:
            if error.kind is not LimitKind.TURNS:
                raise
            return Outcome((), OTHERS_MAY_EXIST, undecided=True)

    def with_zeros(self, values: dict[str, float], box: Mapping[str, Span] | None) -> dict[str, float]:
        """The unknowns at a root of the tear, with zeros that rounding alone has missed, if the system holds there.

        Of `x*max(y, x) = 0` and `y = exp(x) - 1/10`, y is 1e-17 at the root of the tear, and the product no zero.
        """
        zeros = {name: 0.0 for name, (low, high) in (box or {}).items() if low <= 0 <= high}
        return {**values, **zeros} if zeros and self.system.holds({**values, **zeros}) else values

    def is_in_doubt(self, values: Mapping[str, float], box: Mapping[str, Span] | None) -> bool:
        """Whether a root of the tear may be a solution though the system does not hold at its numbers."""
        return box is not None and not self.system.holds(values) and not self._surely_fails(box)

    def box_around(self, root: float) -> dict[str, Span] | None:
        """The box of all unknowns about a root of the tear; None if one certainly leaves its domain."""
        reach = _TOGETHER * abs(root) or LEAST
        return self._box_over((root - reach, root + reach))

    def is_followed(self, values: Mapping[str, float], box: Mapping[str, Span] | None) -> bool:
        """Whether a root of the tear, with every number within its rounding, is followed to one solution at most."""
        system, tear = self.system, self.tear
        if box is None:
            return True  # not a solution
        around = {**point_box(system.known), tear: box[tear]}
        if not system.holds(values) and self._surely_fails(box):
            return True
        if any(x != x for x in values.values()) or system.misses(values):
            return False
        if not system.is_at_open_end(values):
            return False  # rounding may have moved it out
        widths = [(high - low) / abs(values[name]) if values[name] else high - low for name, (low, high) in box.items()]
        if max(widths) <= 4 * _TOGETHER:
            return True
        gap = enclose(added(self.last.sides[0], negated(self.last.sides[1])), around, tear)
        if gap is not None and gap.is_monotone:
            return True
        step = system.step_in(box)
        return (step is not None and step.single) or max(widths) <= SAME_MULTIPLE

    def fails_along(self, span: Span) -> bool:
        """Whether the torn system surely has no solution along an interval of the tear, by the parts between marks."""
        boxes = map(self._box_over, pairwise(self._marked(span)))
        return all(box is None or self._surely_fails(box) for box in boxes)

    def _box_over(self, span: Span) -> dict[str, Span] | None:
        """The box of all unknowns that follow from an interval of the tear; None if one certainly leaves its domain."""
        box = {self.tear: span}
        around = {**point_box(self.system.known), **box}
        for name, form in self.forms.items():
            enclosure = enclose(form, around, "")
            low, high = self.system.domains[name].ends
            if enclosure is None or enclosure.values[1] < low or enclosure.values[0] > high:
                return None
            box[name] = enclosure.values
        return box

    def _surely_fails(self, box: Mapping[str, Span]) -> bool:
        """Whether an equation certainly fails all over a box in which the tear and the unknowns that follow it lie."""
        system = self.system
        around = {**point_box(system.known), **box}
        equations = dict.fromkeys((*system.equations, *system.with_choices.equations))
        gaps = (enclose(difference_of(equation), around, "") for equation in equations)
        return any(gap is None or gap.misses_zero for gap in gaps)

    def is_refuted(self, root: float) -> bool:
        """Whether a root of the tear is no solution of the torn system: with exact numbers, an equation fails."""
        system = self.system.with_choices
        if not system.is_exact:
            return False
        return fails_at_root(self.last.equation, {self.tear: root}, self.forms, system.equations, system.known)

    def level_seeds(self, roots: Sequence[float]) -> list[float]:
        """Points away from the tear's roots at which the system holds within rounding, since an arm cancels there."""
        last = self.last
        if not has_choice(last.equation, self.tear):
            return []
        if roots:  # an interval in which an arm cancels ends at a root, where another arm begins to bind
            points = [*chain.from_iterable((root * (1 - _BESIDE), root * (1 + _BESIDE)) for root in roots)]
        else:
            points = [middle(piece) for piece in pairwise(self._marked(last.domain.ends))]
        met = [x for x in points if self.system.meets(self.at(x))]
        return [x for x in met if is_cancelled(last.equation, self.tear, last.at(x)) and last.meets_beside_givens(x)]

    def spanned(self, span: Span, seeds: Sequence[float] = ()) -> list[Solution]:
        """The parts of an interval of the tear along which the torn system holds, with the unknowns that follow it.

        Two conditions may leave a single point: `q <= 3.4` and `q >= 3.4`.
        """
        marks = self._marked(span)
        between = [middle(piece) for piece in pairwise(marks)]
        # in doubles the forms may have lost digits
        for tolerance, worth in ((TIGHT, value), (TIGHT, exactly), (AGREEMENT, value), (AGREEMENT, exactly)):
            if worth is exactly and not any(self.system.holds(self.at(x, exactly), tolerance) for x in between):
                continue

            def holds(x: float, tolerance: float = tolerance, worth: Worth = worth) -> bool:
                return self.system.holds(self.at(x, worth), tolerance)

            pieces = [
                piece for piece in runs(holds, span, self.system.known, [*seeds, *between]) if self._holds_in(piece)
            ]
            alone = [x for x in marks[1:-1] if holds(x)]
            alone = [x for x in alone if not any(lies_in((x, x), piece, SAME_ROOT) for piece in pieces)]
            if pieces or alone:
                exact = (_with_ends_among([x for x in marks if holds(x)], piece) for piece in pieces)
                along = (self._piece(piece, worth) for piece in exact)
                return [*along, *(Solution(self.at(x, worth), {}) for x in alone)]
        return []

    def _holds_in(self, piece: Span) -> bool:
        """Whether the torn system holds inside an interval of the tear, not only within rounding, as far as it is seen.

        Where x is large, `x + 1 = x` holds within rounding. In rationals it does not.
        """
        numbers = rationals(self.system.known, self.system.known)
        if numbers is None or not self.system.is_exact:
            return True
        numbers[self.tear] = Fraction(middle(piece))
        for name, form in self.forms.items():
            number = exact_value(form, numbers)
            if number is None:
                return True
            numbers[name] = number
        return self.system.with_choices.holds_exactly(numbers) is not False

    def in_proportion(self, roots: Outcome) -> Solution | None:
        """The torn system's solution along the tear's whole domain, by proportion; None if it does not hold throughout.

        Each unknown that moves has to be a power of the tear, times a factor, and its domain all positive numbers. One
        that does not move is tested at one point.
        """
        system, tear = self.system, self.tear
        if not any(solution.is_whole for solution in roots.solutions):
            return None
        degrees = {name: degree_in(form, tear, system.known) for name, form in self.forms.items()}
        unmoved = {name for name, degree in degrees.items() if degree in (0, ANY_DEGREE)}
        if None in degrees.values():
            return None
        if any(system.domains[name].ends != (0.0, math.inf) for name in degrees.keys() - unmoved):
            return None
        for equation in system.with_choices.equations:
            outcome = by_proportion(system.alone(equation.changed(self._put_in), tear))
            if outcome is None or not any(solution.is_whole for solution in outcome.solutions):
                return None
        at_one = self.at(1.0)
        if not system.holds(at_one):
            return None
        along = self._piece(self.last.domain.ends)
        fixed = {**along.values, **{name: at_one[name] for name in unmoved}}
        return Solution(fixed, {name: span for name, span in along.spans.items() if name not in fixed}, is_whole=True)

    def _marked(self, span: Span) -> list[float]:
        """The ends of an interval of the tear, and between them where the torn system's arms or domains may change."""
        return [span[0], *sorted(x for x in self._turns if span[0] < x < span[1]), span[1]]

    @cached_property
    def _turns(self) -> frozenset[float]:
        """Values of the tear where the torn system may change: another arm binds, or an unknown leaves its domain."""
        ties = [*chain.from_iterable(map(ties_of, self.system.with_choices.equations))]
        for name in self.forms:
            ends = filter(math.isfinite, self.system.domains[name].ends)
            ties += [Equation(Name(name), "=", Number(Fraction(end))) for end in ends]
        turns: set[float] = set()
        for tie in ties:
            in_tear = tie.changed(self._put_in).changed(self._reduced)
            if self.tear in in_tear.names:
                for solution in solutions_of(self.system.alone(in_tear, self.tear)).solutions:
                    turns.update(solution.values.values() or solution.spans[self.tear])
        return frozenset(turns)

    def _put_in(self, node: Node) -> Node:
        """An expression of the unknowns rewritten in the tear alone."""
        return substituted(node, self.forms)

    def _reduced(self, form: Node) -> Node:
        """A form in which a positive tear occurs less often, if that cancels; else the form as it is."""
        domain = self.last.domain
        if domain.low < 0 or 0.0 in domain or occurrences(form, self.tear) < 2:
            return form

        def is_positive(base: Node) -> bool:
            return isinstance(base, Name) and (base.name == self.tear or self.system.known.get(base.name, 0.0) > 0)

        fewer = written(product_of(form, is_positive))
        return fewer if occurrences(fewer, self.tear) < occurrences(form, self.tear) else form

    def _without_open_ends(self, piece: Span, worth: Worth) -> Span:
        """An interval of the tear without the ends at which the torn system fails, as a form may step there."""
        low, high = (
            end if math.isinf(end) or self.system.holds(self.at(end, worth)) else math.nextafter(end, middle(piece))
            for end in piece
        )
        return low, high

    def _piece(self, piece: Span, worth: Worth = value) -> Solution:
        """All unknowns along one interval of the tear; constant ones have a value."""
        spans: dict[str, Span] = {self.tear: piece}
        for name, form in self.forms.items():
            is_stepped = any(True for _ in operations(form, among=STEPPED))
            along = self._without_open_ends(piece, worth) if is_stepped else piece
            low, high = bounds_over(self._reduced(form), self.system.known, {self.tear: along}, _PARTS)
            least, most = self.system.domains[name].ends
            spans[name] = max(low, least), min(high, most)
        points = [self.at(x, worth) for x in within(piece)]
        fixed = {
            n: points[0][n] + 0.0 for n, span in spans.items() if is_constant([point[n] for point in points], span)
        }
        if worth is value:  # else the bounds, which are computed in doubles, have lost digits
            fixed |= {n: low + 0.0 for n, (low, high) in spans.items() if low == high}  # turns -0.0 into 0.0
        return Solution(fixed, {name: span for name, span in spans.items() if name not in fixed})


def _with_ends_among(marks: Sequence[float], piece: Span) -> Span:
    """An interval of the tear that ends at marks, where bisection within a tolerance ended beside them."""
    low, high = (next((x for x in marks if math.isclose(x, end, rel_tol=SAME_ROOT)), end) for end in piece)
    return low, high
