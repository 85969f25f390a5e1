"""All roots of one equation in one unknown, with a proof of completeness wherever one is possible.

The known numbers are substituted exactly (`constant_folding`). The roots of a ratio of polynomials are counted
(`polynomials`). For any other form the domain is cut into boxes until each is known to hold one root or none
(`univariate_branch_and_prune`). Places that doubles cannot settle are judged with more digits (`multiprecision`): a
level stretch may be a double root, or a plateau, on which the unknown cancels and the answer is an interval, or two
sides that only approach each other.

An unknown inside a sine, without bounds of its own, is sought within one period.

`Roots.proved` claims that no root is missing where roots were sought. For a ratio of polynomials the count proves it.
Otherwise `univariate_branch_and_prune` has proved that the sides can meet only in the places that it returns, and each
of these has been settled:

- a crossing holds one root, which is bracketed to the last digit;
- a flat or level stretch is an interval of solutions, or holds one root where the sides come nearest, or none at a
  hundred and fifty digits; a wide stretch for which none of these is shown cancels the claim;
- at a jump, a root is attained on one of its sides, or the form is monotone on each side with one sign at its ends,
  or the sides differ all around; otherwise the claim is cancelled;
- a place beyond the work limit or the resolution of doubles cancels the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from derive.expressions.tree import Number, walk
from derive.numerics.algebra import evaluation
from derive.numerics.algebra.multiprecision import is_attained, is_level, turning_point
from derive.numerics.algebra.polynomials import Polynomial, fraction, ratio_of, real_roots
from derive.numerics.intervals.arithmetic import Span, lies_in
from derive.numerics.intervals.enclosure import JUMP, enclose
from derive.numerics.root_finding.residual import OneUnknown
from derive.numerics.root_finding.univariate_branch_and_prune import (
    Places,
    joined,
    last_holding,
    middle,
    occurs_outside_angles,
    one_turn,
    pruned,
    recurs,
)
from derive.tolerances import (
    AGREEMENT,
    BLUR,
    HANDFUL,
    LARGEST,
    LEAST,
    MOST,
    NEAR_MULTIPLE,
    NEGLIGIBLE,
    SAME_MULTIPLE,
    SAME_ROOT,
    SAME_SOLUTION,
    SMALLEST,
)
from quantities.domain import Domain

_PATIENCE = 1000  # limit on boxes opened in a domain
_MORE = 3000  # the same in a bounded domain
_WIDE = 1e-2  # relative width up to which a level stretch may be a multiple root
_ALONG = (0.03, 0.47, 0.97)  # shares of a stretch at which the sides are compared
_TAILS = ((LEAST, SMALLEST), (LARGEST, MOST))  # sizes beyond the search, tested at their ends only


@dataclass(frozen=True, slots=True)
class Roots:
    """The result of a search: single values, whole intervals, and whether these are certainly all."""

    values: tuple[float, ...]
    plateaus: tuple[Span, ...] = ()
    sought: Span = (0.0, 0.0)
    proved: bool = True  # no other root lies in the searched part
    turn: bool = False  # the search was limited to one turn of an angle
    recurs: bool = False  # and every other turn repeats it
    clear: bool = True  # and no root is smaller or larger than the searched sizes


@evaluation.as_doubles()
def roots_of(problem: OneUnknown) -> Roots:
    """All roots of an equation in one unknown in its domain, and whether they are proved to be all.

    >>> from derive.expressions.grammar import parse_equation
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> cubic = parse_equation("x**3 - 6*x**2 + 11*x = 6*one")
    >>> roots_of(OneUnknown(cubic, "x", {"one": 1.0}, positive)).values
    (1.0, 2.0, 3.0)
    """
    equation, name, known, domain = problem.equation, problem.name, problem.known, problem.domain
    search = _Search(problem)
    turn = one_turn(equation, name, known, domain)
    if turn is None:
        patience = _MORE if math.isfinite(domain.high - domain.low) else _PATIENCE
        return search.counted(domain) or search.settled(domain, patience)
    everywhere = None
    if occurs_outside_angles(search.form, name):  # nothing repeats, so roots may be few in the whole domain
        everywhere = search.settled(domain, _PATIENCE // 4)
        if everywhere.proved:
            return everywhere
    in_one_turn = replace(search.settled(turn, _PATIENCE), turn=True)
    if in_one_turn.values or in_one_turn.plateaus:
        return in_one_turn
    return everywhere or replace(in_one_turn, recurs=recurs(equation, name, known, in_one_turn.sought))


class _Search:
    def __init__(self, problem: OneUnknown) -> None:
        self.problem = problem
        self.name = problem.name
        self.form = problem.form

    def counted(self, domain: Domain) -> Roots | None:
        """All roots of the equation if it is a ratio of polynomials, whose number is proved; None if it is none."""
        ratio = ratio_of(self.form, self.name)
        if ratio is None:
            return None
        numerator, denominator = ratio
        roots = real_roots(numerator, self.problem.is_blurred)
        if roots is None:
            return None
        zeros = [x for x in roots if not _is_pole(denominator, x)]
        values = [x for x in zeros if x in domain]
        ends = self._at_ends(domain, values) if self.problem.rounded else _missed_ends(domain, values, zeros)
        return Roots((*values, *ends), sought=domain.ends)

    def settled(self, domain: Domain, patience: int) -> Roots:
        """The roots of an equation that is no ratio of polynomials, from the places that may hold them."""
        places = self._with_edges(pruned(self.form, self.name, domain.ends, patience))
        plateaus, points, doubtful = self._judged(places)
        values = [self._crossing(span) for span in places.crossings] + points
        for span in places.unsettled:
            values += self._unsettled_root(span)
        beyond, clear = self._in_tails(domain)
        inside = [x for x in (*values, *beyond) if x in domain]
        distinct = tuple(self._distinct((*inside, *self._at_ends(domain, inside)), plateaus))
        sought = max(domain.low, -LARGEST), min(domain.high, LARGEST)
        return Roots(
            values=distinct,
            plateaus=tuple(self._to_zero(_widened(span, domain)) for span in plateaus),
            sought=_without(sought, places.beyond),
            proved=not (doubtful or places.unsettled or places.beyond),
            clear=clear,
        )

    def _with_edges(self, places: Places) -> Places:
        """The places of roots, with those at the edges of a wide level stretch as parts of it, where it is monotone.

        So it is at the end of a square root's domain, where the sides move away from each other by less than rounding.
        """
        edges = (*places.jumps, *joined(places.unsettled))
        level = [self._with_monotone_edges(span, edges) for span in places.level]

        def without_edges(spans: Sequence[Span]) -> list[Span]:
            return [span for span in spans if not any(lies_in(span, stretch, 0.0) for stretch in level)]

        return replace(
            places, level=level, jumps=without_edges(places.jumps), unsettled=without_edges(places.unsettled)
        )

    def _with_monotone_edges(self, span: Span, edges: Iterable[Span]) -> Span:
        """A level stretch with the places of roots at its edges, if it is wide and the form is monotone throughout."""
        low, high = span
        if high - low <= _WIDE * max(-low, high):
            return span
        beside = [edge for edge in edges if edge[0] <= high and low <= edge[1]]
        both = min([low, *(start for start, _ in beside)]), max([high, *(end for _, end in beside)])
        enclosure = enclose(self.form, {self.name: both}, self.name) if beside else None
        return both if enclosure is not None and enclosure.is_monotone else span

    def _at_ends(self, domain: Domain, roots: Sequence[float]) -> list[float]:
        """The roots at the ends of the equation's domain, within their own rounding or that of the known numbers."""
        ends: list[float] = []
        for end, outwards in ((domain.low, -1), (domain.high, 1)):
            enclosure = enclose(self.form, {self.name: (end, end)}, self.name) if end in domain else None
            if enclosure is None or not enclosure.is_monotone:
                continue
            gap, slope = self.problem.value(end), min(enclosure.slopes, key=abs)
            is_root = abs(self.problem.residual(end)) <= HANDFUL or abs(gap / slope) <= 4 * math.ulp(end)
            if not (is_root or self.problem.is_blurred(end)):
                continue
            reach = max(SAME_ROOT * abs(end), 4 * abs(gap / slope))
            leaves = gap * slope * outwards < 0  # the sides meet outside
            if (is_root or leaves) and not any(abs(x - end) <= reach for x in roots):
                ends.append(end)
        return ends

    def _in_tails(self, domain: Domain) -> tuple[list[float], bool]:
        """The roots too small or too large for the search, and whether there are certainly no more of them."""
        roots: list[float] = []
        clear = True
        for start, end in (*_TAILS, *((-high, -low) for low, high in _TAILS)):
            low, high = max(start, domain.low), min(end, domain.high)
            enclosure = enclose(self.form, {self.name: (low, high)}, self.name) if low < high else None
            if enclosure is None or enclosure.misses_zero or self._is_monotone_from_root_at_zero(low, high):
                continue
            crosses = self.problem.changes(low, high)
            roots += [self._crossing((low, high))] if crosses else []
            clear = clear and enclosure.is_monotone and crosses is not None
        return roots, clear

    def _is_monotone_from_root_at_zero(self, low: float, high: float) -> bool:
        """Whether zero is a root and the form is monotone from there through a tail, which then has no root."""
        if self.problem.residual(0.0) != 0 or self.problem.sign(0.0) != 0:
            return False
        enclosure = enclose(self.form, {self.name: (min(low, 0.0), max(high, 0.0))}, self.name)
        return enclosure is not None and enclosure.is_monotone

    def _judged(self, places: Places) -> tuple[list[Span], list[float], bool]:
        """The plateaus and roots in places that doubles leave open, and whether any place stays in doubt."""
        plateaus: list[Span] = []
        points: list[float] = []
        resolved: list[Span] = []  # level stretches that hold a root
        doubtful = False
        for span in places.level:
            is_wide = span[1] - span[0] > max(_WIDE * max(abs(span[0]), abs(span[1])), NEGLIGIBLE)
            is_flat = any(low < span[1] and span[0] < high for low, high in places.flat)
            is_constant = is_flat or (is_wide and is_level(self.problem.equation, self.name, self.problem.known, *span))
            if is_constant and not self._meets_along(span):  # the sides only look equal beside a large unknown
                doubtful = doubtful or not any(lies_in(span, flat_span, 0.0) for flat_span in joined(places.flat))
                continue
            if is_constant:
                edges = self._edge(span, places.jumps, side=0), self._edge(span, places.jumps, side=1)
                plateaus.append((self._exact(edges, side=0), self._exact(edges, side=1)))
                continue
            roots = self._level_root(span)
            if is_wide:  # and not level: usually the sides only approach each other
                roots = [x for x in roots if self.problem.is_root(x)]
            points += roots
            if roots:
                resolved.append(span)
            doubtful = doubtful or (is_wide and not roots)
        for span in places.jumps:
            if any(low <= span[1] and span[0] <= high for low, high in plateaus):
                continue
            roots = [*(self._edge_root(span) or self._level_root(span)), *self._roots_at_constants(span)]
            # with both ends undefined, samples do not tell whether some number between them has a value
            is_lone = all(math.isnan(self.problem.value(end)) for end in span)
            if is_lone and not roots:
                roots = self._lone_root(span)
            settled = bool(roots) or (not is_lone and self._is_gap(span) and not self._may_end_at_root(span))
            if any(low <= span[1] and span[0] <= high for low, high in resolved):  # the edge of a blurred root
                roots = [x for x in roots if self.problem.is_root(x)]
            if self._jumps(span):
                roots, settled = self._root_at_jump(span, roots)
            points += roots
            doubtful = doubtful or self.problem.has_single_points() or not settled
        return plateaus, points, doubtful

    def _meets_along(self, span: Span) -> bool:
        """Whether a level stretch is a plateau of roots: the sides agree at one of its points."""
        low, high = max(span[0], -LARGEST), min(span[1], LARGEST)
        points = (middle((low, high)), *(low + (high - low) * share for share in _ALONG))
        return any(map(self.problem.meets_beside_givens, points))

    def _crossing(self, span: Span) -> float:
        """The one root in the place of a crossing, to the last digit even where doubles are too few."""
        low, high = (self.problem.value(end) for end in span)
        gap = self.problem.value if low < 0 < high or high < 0 < low else self.problem.sure
        x = self.problem.polished(bracketed(gap, span))
        return x if x is not None and span[0] <= x <= span[1] else turning_point(self.form, self.name, span)

    def _level_root(self, span: Span) -> list[float]:
        """The root that a level stretch is judged to hold, if any: where the sides come nearest, or beside it."""
        low, high = span
        if 2 * low - high <= 0 <= 2 * high - low and self.problem.is_root(0.0):
            return [0.0]
        x = turning_point(self.form, self.name, span)
        if self.problem.is_root(x) or self.problem.is_blurred(x):
            return [x]
        y = self.problem.polished(x)
        if y is not None and lies_in((y, y), span, SAME_ROOT) and self.problem.is_root(y):  # near a pole it may be far
            return [y]
        return self._crossing_beside(span)

    def _crossing_beside(self, span: Span) -> list[float]:
        """The root beside a place that rounding makes level: at the end of a box, it is in that or the next one.

        The flatter the form, the farther away rounding reaches.
        """
        low, high = span
        for share in (SAME_SOLUTION, SAME_MULTIPLE, NEAR_MULTIPLE):
            reach = share * max(abs(low), abs(high))
            around = low - reach, high + reach
            enclosure = enclose(self.form, {self.name: around}, self.name) if low == high else None
            if enclosure is None or enclosure.partial or not enclosure.is_monotone:
                break  # no single root, or none at all
            if self.problem.sign(around[0]) * self.problem.sign(around[1]) < 0:
                return [turning_point(self.form, self.name, around)]
        return []

    def _edge_root(self, span: Span) -> list[float]:
        """The root, if it is one, at the last number of a stretch before the sides are undefined."""
        x = self._last_defined(span)
        return [x] if x is not None and (self.problem.is_root(x) or self.problem.is_blurred(x)) else []

    def _lone_root(self, span: Span) -> list[float]:
        """The root, if it is one, at the shortest decimal in a short stretch: the sides may be defined there alone.

        So `z = 3 - sqrt(-(z - 3)**2)` has one at 3.
        """
        decimals = (float(f"{middle(span):.{digits}g}") for digits in range(1, 17))
        shortest = next((x for x in decimals if span[0] <= x <= span[1]), None)
        return [] if shortest is None or not self.problem.is_root(shortest) else [shortest]

    def _last_defined(self, span: Span) -> float | None:
        """The last number at which the sides are defined, in a stretch where just one end is; None otherwise."""
        is_low_undefined, is_high_undefined = (math.isnan(self.problem.value(end)) for end in span)
        if is_low_undefined == is_high_undefined:
            return None
        inside, outside = reversed(span) if is_low_undefined else span
        return last_holding(lambda x: not math.isnan(self.problem.value(x)), inside, outside)

    def _may_end_at_root(self, span: Span) -> bool:
        """Whether there may be a root between two doubles, where the sides cease to be defined.

        Beside the edge of a square root they still differ by the root of the rounding.
        """
        x = self._last_defined(span)
        if x is None:
            return False
        reach = 4 * math.ulp(x)
        enclosure = enclose(self.form, {self.name: (x - reach, x + reach)}, self.name)
        return enclosure is not None and not enclosure.misses_zero and all(map(math.isfinite, enclosure.values))

    def _jumps(self, span: Span) -> bool:
        """Whether the form is defined all along a stretch, but may jump in it past a root."""
        enclosure = enclose(self.form, {self.name: span}, self.name)
        return enclosure is not None and enclosure.flaw == JUMP

    def _root_at_jump(self, span: Span, roots: list[float]) -> tuple[list[float], bool]:
        """The root in the place of a jump, if attained and not only approached, and whether there surely is no other.

        The jump lies between two doubles. Up to the first and from the second on the form is smooth. If it is also
        monotone there, its signs at the ends decide, computed with a hundred and fifty digits.
        """
        first = last_holding(lambda x: self.problem.pattern(x) == self.problem.pattern(span[0]), *span)
        second = math.nextafter(first, math.inf)
        sides = ((span[0], first), (min(second, span[1]), span[1]))
        candidates = [x for x in dict.fromkeys((first, second, *span, *roots)) if span[0] <= x <= span[1]]
        attained = [x for x in candidates if is_attained(self.problem.equation, self.name, self.problem.at(x))]
        if not attained:  # a number at which a condition changes may miss being a root by rounding alone
            attained = [x for x in candidates if self.problem.is_border(x) and abs(self.problem.residual(x)) <= HANDFUL]
        return attained[:1], bool(attained) or all(self._is_clear(side) for side in sides)

    def _is_clear(self, span: Span) -> bool:
        """Whether there is certainly no root in a stretch on one side of a jump of the form."""
        enclosure = enclose(self.form, {self.name: span}, self.name)
        if enclosure is None or (not enclosure.partial and enclosure.misses_zero):
            return True
        signs = [self.problem.sign(x) for x in span]
        return signs[0] * signs[1] > 0 and (span[0] == span[1] or enclosure.is_monotone)

    def _unsettled_root(self, span: Span) -> list[float]:
        """The root that a change of sign shows in a stretch left over at the work limit."""
        gaps = self.problem.value(span[0]), self.problem.value(span[1])
        if not (gaps[0] < 0 < gaps[1] or gaps[1] < 0 < gaps[0]) or self._agrees_along(span):
            return []
        x = self._crossing(span)
        return [x] if self.problem.is_root(x) else []

    def _agrees_along(self, span: Span) -> bool:
        """Whether changes of sign in a long stretch are rounding and no roots, as the sides agree all along it."""
        low, high = span
        is_long = high - low > _WIDE * max(-low, high)
        return is_long and all(abs(self.problem.residual(x)) <= HANDFUL for x in (low, middle(span), high))

    def _roots_at_constants(self, span: Span) -> list[float]:
        """The roots in the place of a jump at numbers that the equation contains, as 3 in the condition `x == 3`."""
        numbers = {part.real for part in walk(self.form) if isinstance(part, Number)}
        return [x for x in numbers if span[0] <= x <= span[1] and abs(self.problem.residual(x)) <= HANDFUL]

    def _is_gap(self, span: Span) -> bool:
        """Whether the place of a jump or pole has no root: the sides differ there, or are undefined."""
        sizes = [self.problem.residual(end) for end in (*span, middle(span))]
        return all(size != size or abs(size) > AGREEMENT for size in sizes)

    def _to_zero(self, span: Span) -> Span:
        """A plateau of roots extended to zero, where only the search's least size kept it from getting there.

        At zero itself the sides may be undefined, as 1/x is; then the least number decides.
        """
        low, high = span
        if 0 < low <= min(NEGLIGIBLE, SAME_ROOT * high) and 0 in map(self.problem.residual, (0.0, LEAST)):
            return 0.0, high
        is_below = 0 > high >= max(-NEGLIGIBLE, SAME_ROOT * low) and 0 in map(self.problem.residual, (0.0, -LEAST))
        return (low, 0.0) if is_below else span

    def _edge(self, span: Span, jumps: Iterable[Span], *, side: int) -> float:
        """The end of a plateau of roots, to the last digit where a jump adjoins it."""
        end = span[side]
        for low, high in jumps:
            if low <= end <= high:
                inside, outside = (high, low) if side == 0 else (low, high)
                return last_holding(lambda x: abs(self.problem.residual(x)) <= HANDFUL, inside, outside)
        return end

    def _exact(self, span: Span, *, side: int) -> float:
        """The end up to which all numbers of a plateau are exact roots: the sides are equal there to every digit."""
        end, far_end = span[side], span[1 - side]
        if abs(end) >= LARGEST or self.problem.sign(end) == 0:
            return end
        reach = math.copysign(min(abs(far_end - end), 2 * abs(end) + 1), far_end - end)
        nearer = (end + reach * 2.0**-halvings for halvings in (40, 30, 20, 10, 3, 1))
        inside = next((x for x in nearer if self.problem.sign(x) == 0), end)
        return last_holding(lambda x: self.problem.sign(x) == 0, inside, end) if inside != end else end

    def _distinct(self, values: Iterable[float], plateaus: list[Span]) -> list[float]:
        """The roots in order, without those in a plateau and those that are another one but for rounding."""
        distinct: list[float] = []
        for x in sorted(values):
            if any(lies_in((x, x), span, SAME_ROOT) for span in plateaus):
                continue
            if not distinct or not math.isclose(x, distinct[-1], rel_tol=SAME_ROOT):
                distinct.append(x)
            elif self.problem.residual(x) == 0 and self.problem.residual(distinct[-1]) != 0:
                distinct[-1] = x  # such as the end of a square root's domain, beside which the sides are far apart
        return distinct


def _missed_ends(domain: Domain, values: Sequence[float], roots: Iterable[float]) -> list[float]:
    """The roots that a domain misses by no more than the rounding of its ends, as these ends."""
    ends = (end for end in domain.ends if end in domain and end not in values)
    return [end for end in ends if any(abs(x - end) <= 4 * math.ulp(end) for x in roots)]


def _is_pole(denominator: Polynomial, x: float) -> bool:
    """Whether the numerator's root is none of the equation: the denominator is zero there but for rounding."""
    try:
        terms = [float(fraction(c)) * x**i for i, c in enumerate(denominator.coeffs())]
        return abs(math.fsum(terms)) <= BLUR * math.fsum(map(abs, terms))
    except OverflowError:  # a number too large for a double
        return False


def _without(sought: Span, beyond: list[Span]) -> Span:
    """The span in which roots were sought, without the part beyond all doubles."""
    low, high = sought
    for start, end in beyond:
        low, high = (end if start <= low else low), (start if end >= high else high)
    return low, high


def _widened(span: Span, domain: Domain) -> Span:
    """The plateau of roots extended to the ends of the domain where the search stopped short of them."""
    low = domain.low if span[0] <= -LARGEST or (0 < span[0] <= SMALLEST and domain.low >= 0) else span[0]
    return low, domain.high if span[1] >= LARGEST else span[1]


def bracketed(gap: Callable[[float], float], span: Span) -> float:
    """The root of a crossing, by bisection until its two ends are of one size, then by secants."""
    a, b = span
    fa, fb = gap(a), gap(b)
    for step in range(400):
        if fa == 0 or fb == 0:
            break
        cut = middle((a, b))
        is_near = abs(a) / 4 <= abs(b) <= 4 * abs(a)
        if is_near and step % 3 and math.isfinite(fa) and math.isfinite(fb) and fa != fb:
            secant = b - fb * (b - a) / (fb - fa)
            cut = min(max(secant, a + 2 * math.ulp(a)), b - 2 * math.ulp(b))  # beyond a root that an end has come to
        if not a < cut < b:
            break
        fm = gap(cut)
        if fm == 0 or fm != fm:
            return cut
        if (fm < 0) == (fa < 0):
            a, fa = cut, fm
        else:
            b, fb = cut, fm
    return a if abs(fa) <= abs(fb) else b
