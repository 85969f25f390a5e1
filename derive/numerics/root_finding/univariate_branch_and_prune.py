"""Branch and prune in one unknown: where a form may be zero, and what is proved about each such place.

The domain is cut into boxes. If the enclosure (`enclosure`) of the form on a box excludes zero, the box is dropped.
If the form is monotone there, it has one root or none, which the signs at the box's ends decide. Otherwise the box is
bisected, by ratio rather than by length, since magnitudes run from 1e-15 to 1e30. The slope narrows the enclosure of
a small box to second order in its width, so that even a double root is confined in few boxes.

A form is level where it is zero within rounding, relative to its own terms. Places that doubles cannot settle (a
level stretch, a double root, a jump) are returned as such, to be judged with more digits. A form is flat where it
does not depend on the name at all: its slopes are zero. There it is a constant, which counts as zero if the two sides
agree to nine digits, as when an arm of a maximum ties with a given number that was rounded.

What is proved. Every point of the span at which the form may be zero is in one of the returned places, because

1. a box is dropped only if an enclosure of the form on it misses zero by more than a share of its terms, so that no
  rounding of its numbers can bring it to zero, or if the form is undefined throughout it;
2. a box counts as a crossing only if the form is defined throughout, its slopes have one sign, and its signs at the
  ends are certain and differ (one root) or are the same (no root, and the box is dropped);
3. any other box is cut in two that cover it, or is itself one of the places: where rounding hides the form at all
  sample points, cutting further gains nothing, and its parts are unsettled.

So a search is complete if each place except the crossings is shown to be a root, an interval of roots, or neither.

Of an unbounded domain one period is searched, where the unknown stands in angles alone that have one in common.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from derive.expressions.functions import PERIODIC, STEPPED
from derive.expressions.tree import Apply, Equation, Node, has_operation, names_in, operations, rebuilt
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import ZERO as ZERO_NODE
from derive.numerics.algebra.like_terms import derivative, occurrences
from derive.numerics.intervals.arithmetic import ZERO, Span, meet, plus, point_box, shifted
from derive.numerics.intervals.enclosure import Enclosure, enclose, sum_of
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, BLUR, EXPRESSION, FINEST_BOX, LARGEST, SAME_ROOT, SMALLEST
from quantities.domain import Domain

_STRIDE = 1e4  # largest ratio of the ends of a box that is given up because doubles overflow in it
_UNSEEN = 1e-3  # share of the terms within which rounding hides a form at a single point
_LONG = 0.05  # relative width of a long box
_SAMPLES = (0.1273, 0.3819, 0.7321)  # shares of a box at which regularly spaced roots are unlikely
_NEAR = 1e-4  # relative distance from the middle of a box within which a level stretch is recognised
_HIDDEN = 64  # parts into which boxes are cut where rounding hides the form


@dataclass(slots=True)
class Places:
    """The places where a form may vanish."""

    crossings: list[Span] = field(default_factory=list)  # each holds exactly one root: proved
    level: list[Span] = field(default_factory=list)  # zero within rounding
    flat: list[Span] = field(default_factory=list)  # zero because the form does not depend on the name
    jumps: list[Span] = field(default_factory=list)  # not cut further: a jump, a pole, an edge of the definition
    unsettled: list[Span] = field(default_factory=list)  # left over at the work limit, or hidden by rounding
    beyond: list[Span] = field(default_factory=list)  # doubles overflow here


def pruned(form: Node, name: str, span: Span, patience: int = 2000) -> Places:
    """Univariate branch and prune: the places of a span where a form can be zero; it is not zero anywhere else.

    `patience` is the limit on boxes that are opened.

    >>> from derive.expressions.grammar import parse_expression
    >>> places = pruned(parse_expression("exp(x) - 3*x"), "x", (0.0, 10.0))
    >>> len(places.crossings), places.level, places.jumps, places.unsettled
    (2, [], [], [])
    """
    search = _Search(form, name)
    pending = deque(_parts(span))
    for _ in range(patience):
        if not pending:
            break
        tick()
        box = pending.popleft()
        if not search.settles(box):
            pending.extend(_halves(box))
    places = search.places
    places.unsettled.extend((*pending, *_cut(search.hidden)))
    for spans in (places.crossings, places.level, places.flat, places.jumps, places.unsettled, places.beyond):
        spans.sort()
    places.level, places.beyond = joined((*places.level, *places.flat)), joined(places.beyond)
    places.jumps = joined(places.jumps)
    return places


@dataclass(frozen=True, slots=True)
class _FormOnBox:
    """The form on a box: its enclosure, the same widened by rounding, and the size of its terms."""

    bounds: Enclosure
    loose: Span
    size: float

    @property
    def misses_zero(self) -> bool:
        return self.loose[0] > 0 or self.loose[1] < 0

    @property
    def is_hidden(self) -> bool:
        """Whether a box may be a place of zeros that rounding, or a wide enclosure of the univariate form, hides."""
        low, high = self.bounds.values
        return not self.misses_zero and (high - low > _UNSEEN * self.size or max(-low, high) <= BLUR * self.size)

    @property
    def is_finite(self) -> bool:
        return math.isfinite(self.bounds.values[0]) and math.isfinite(self.bounds.values[1])


class _Search:
    def __init__(self, form: Node, name: str) -> None:
        self.name = name
        self.terms = form.args if isinstance(form, Apply) and form.op == "add" else (form,)
        self.places = Places()
        self.hidden: list[Span] = []

    def settles(self, box: Span) -> bool:
        """Whether a box is dropped, or kept as a place of zeros of the univariate form, and need not be cut further."""
        on_box = self._form_on(box)
        if on_box is None or self._is_flat(box, on_box) or on_box.misses_zero:
            return True
        if not on_box.bounds.partial:
            if on_box.bounds.is_monotone and self._crossed(box):
                return True
            if self._narrowed(box, on_box):
                return True
        if math.isclose(*box, rel_tol=FINEST_BOX):
            self.places.jumps.append(box)
            return True
        return not on_box.is_finite and self._overflows(box)

    def _is_flat(self, box: Span, on_box: _FormOnBox) -> bool:
        """Whether a box is a flat place: the univariate form does not depend on its name there, and is zero."""
        if on_box.bounds.partial or on_box.bounds.slopes != ZERO or box[0] == box[1]:
            return False
        centre = middle(box)
        at_centre = self._form_on((centre, centre))
        if at_centre is None or not max(map(abs, at_centre.bounds.values)) <= AGREEMENT * at_centre.size:
            return False
        self.places.flat.append(box)
        return True

    def _crossed(self, box: Span) -> bool:
        """Settle a box on which the univariate form is monotone, by the signs at its ends."""
        low, high = (self._sign(end) for end in box)
        if low is None or high is None:
            return False
        if (low == 0) != (high == 0) and self._sign(_inner_point(box, low == 0)) == 0:
            return False  # level also inside the end: further cuts show how far
        if low * high < 0:
            self.places.crossings.append(box)
        if low == 0 or high == 0:
            self.places.level.append((box[0] if low == 0 else box[1], box[1] if high == 0 else box[0]))
        return True

    def _narrowed(self, box: Span, on_box: _FormOnBox) -> bool:
        """Whether the slopes of the univariate form settle a box: dropped, a level place, or hidden by rounding."""
        centre = middle(box)
        at_centre = self._form_on((centre, centre))
        if at_centre is None or at_centre.bounds.partial or not at_centre.is_finite:
            return False
        low, high = _by_slopes(box, centre, on_box, at_centre)
        noise = EXPRESSION * on_box.size
        if low > noise or high < -noise:
            return True
        if max(-low, high) <= EXPRESSION * at_centre.size:
            self.places.level.append(box)
            return True
        if self._is_hidden(box, centre, at_centre):
            self.hidden.append(box)
            return True
        return False

    def _is_hidden(self, box: Span, centre: float, at_centre: _FormOnBox) -> bool:
        """Whether a long box is not cut further: rounding hides the univariate form at all samples in it."""
        low, high = box
        if not at_centre.is_hidden or high - low <= _LONG * max(-low, high):
            return False
        others = (self._form_on((x, x)) for x in (low + (high - low) * share for share in _SAMPLES))
        if not all(form is not None and form.is_hidden for form in others):
            return False
        width = _NEAR * min(abs(centre), high - low)
        around = centre - width, centre + width
        form = self._form_on(around)
        if form is None:
            return False
        least, most = _by_slopes(around, centre, form, at_centre)
        return max(-least, most) > EXPRESSION * at_centre.size  # else it is level there, as further cuts will show

    def _sign(self, x: float) -> int | None:
        """The sign of the univariate form at a point of a box, zero within rounding; None where it is not finite."""
        at_point = self._form_on((x, x))
        if at_point is None or at_point.bounds.partial or not at_point.is_finite:
            return None
        if at_point.loose[0] > 0:
            return 1
        return -1 if at_point.loose[1] < 0 else 0

    def _overflows(self, box: Span) -> bool:
        """Whether a short box is a place beyond all doubles, as the univariate form overflows at ends and middle."""
        if abs(box[1] - box[0]) > _STRIDE * min(abs(box[0]), abs(box[1])):
            return False
        for point in (*box, middle(box)):
            at_point = self._form_on((point, point))
            if at_point is None or at_point.is_finite:
                return False
        self.places.beyond.append(box)
        return True

    def _form_on(self, box: Span) -> _FormOnBox | None:
        """The univariate form on a box: its enclosure, and the size of its terms; None if it is nowhere defined."""
        spans = {self.name: box}
        terms: list[Enclosure] = []
        for node in self.terms:
            term = enclose(node, spans, self.name)
            if term is None:
                return None
            terms.append(term)
        loose = [_loosened(term.values) for term in terms]
        size = sum(max(-term.values[0], term.values[1]) for term in terms)
        bounds = _total(low for low, _ in loose), -_total(-high for _, high in loose)
        return _FormOnBox(sum_of(*terms), bounds, size)


def _by_slopes(box: Span, centre: float, on_box: _FormOnBox, at_centre: _FormOnBox) -> Span:
    """The univariate form on a box, enclosed by its value at the middle and its slopes."""
    by_slopes = shifted(at_centre.bounds.values, on_box.bounds.slopes, plus(box, (-centre, -centre)))
    return meet(on_box.bounds.values, by_slopes)


def _loosened(values: Span) -> Span:
    """The enclosure of a univariate form's term on a box, widened so that no rounding makes it miss zero."""
    low, high = values
    return low - EXPRESSION * min(abs(low), LARGEST), high + EXPRESSION * min(abs(high), LARGEST)


def _total(lows: Iterable[float]) -> float:
    """The lower end of a univariate form's enclosure, as the sum of its terms'; minus infinity if it is undefined."""
    total = sum(lows)
    return total if total == total else -math.inf


def _parts(span: Span) -> list[Span]:
    """A span as the first boxes of the univariate search, which do not contain zero inside."""
    low, high = max(span[0], -LARGEST), min(span[1], LARGEST)
    boxes: list[Span] = []
    if low < -SMALLEST:
        boxes.append((low, min(high, -SMALLEST)))
    if low <= 0 <= high:
        boxes.append((0.0, 0.0))
    if high > SMALLEST:
        boxes.append((max(low, SMALLEST), high))
    return boxes


def middle(span: Span, least: float = SMALLEST) -> float:
    """The number at which univariate branch and prune cuts a box: zero, by ratio between far ends, or by length.

    `least` replaces an end at zero when the span is cut by ratio.
    """
    low, high = span
    if low < 0:
        return -middle((-high, -low), least) if high <= 0 else 0.0
    near = low or least
    return math.sqrt(near) * math.sqrt(high) if high > 4 * near else (low + high) / 2


def last_holding(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last double from one point towards another at which a condition holds, found by univariate cuts."""
    if holds(outside):
        return outside
    while True:
        cut = middle((min(inside, outside), max(inside, outside)))
        if cut in (inside, outside):
            return inside
        inside, outside = (cut, outside) if holds(cut) else (inside, cut)


def _inner_point(box: Span, first: bool) -> float:
    """A point inside a box, next to an end where the univariate form is level, at which its sign is asked once more."""
    near, far = box if first else (box[1], box[0])
    return near + 0.01 * (far - near) if abs(near) > abs(far) / 4 else near * 1.01


def _halves(box: Span) -> tuple[Span, Span]:
    cut = middle(box)
    return (box[0], cut), (cut, box[1])


def _cut(boxes: Iterable[Span]) -> list[Span]:
    """The boxes in which rounding hides the univariate form, cut into smaller ones until there are many."""
    pieces = deque(boxes)
    while 0 < len(pieces) < _HIDDEN:
        pieces.extend(_halves(pieces.popleft()))
    return list(pieces)


def joined(spans: Iterable[Span]) -> list[Span]:
    """The places that boxes have left for zeros of the univariate form, in order, with adjacent spans joined."""
    merged: list[Span] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1] + 2 * SMALLEST:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return merged


JUMPS = frozenset({"piecewise", *STEPPED})
"""The operations at which a univariate form need not be continuous where it is defined."""
_MULTIPLE = 24  # limit on turns of the slowest angle in a common period


def turn_in_words(low: float, high: float, domain: Domain) -> str:
    """The sentence that univariate branch and prune searched one turn only of an unbounded domain, from low to high.

    >>> from quantities.domain import read_domain
    >>> from quantities.spelling import parse_unit
    >>> turn_in_words(0.0, math.pi, read_domain("real", parse_unit("degree")))
    'sought in one turn, from 0 degree to 180 degree'
    """
    return f"sought in one turn, from {domain.told(low)} to {domain.told(high)}"


def one_turn(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> Domain | None:
    """The turn of an unbounded domain that univariate branch and prune searches: of all angles with the unknown.

    None where the domain is bounded, or no angle takes more than a turn in it, as in `sin(tanh(x))`.
    """
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        return None
    angles = angles_of(equation, name)
    box = {**point_box(known), name: domain.closed}
    reaches = [enclose(angle, box, "") for angle in angles]
    if all(reach is None or reach.values[1] - reach.values[0] <= math.tau for reach in reaches):
        return None
    spans = [span for angle in angles if (span := _turn_of(angle, name, known, domain))]
    if not spans:
        return None
    low, high = max(spans, key=lambda span: span[1] - span[0])
    common = _common_period([span[1] - span[0] for span in spans]) if len(spans) == len(angles) else None
    if common and common > high - low:
        low, high = _placed(common, domain)
    return Domain(f"{low:.6g}..{high:.6g}", low, high, domain.open_low and low == domain.low, domain.unit)


def recurs(equation: Equation, name: str, known: Mapping[str, float], turn: Span) -> bool:
    """Whether the zeros of a univariate form in one period show all: its angles have a period in common.

    Several angles have one only if all are linear: `abs(x)` turns back at zero, where x goes on. A single angle passes
    all others of its circle if it moves through a whole turn without a jump.

    >>> from derive.expressions.grammar import parse_equation
    >>> equations = [parse_equation(text) for text in ("sin(2*x) = cos(3*x)", "sin(x) = a*sin(x**2)")]
    >>> [recurs(equation, "x", {"a": 0.3}, (-math.pi, math.pi)) for equation in equations]
    [True, False]
    """
    angles = [*dict.fromkeys(angles_of(equation, name))]
    if any(occurs_outside_angles(side, name) for side in equation.sides):
        return False
    if len(angles) == 1:
        return _makes_whole_turn(angles[0], name, known, turn)
    slopes = [derivative(angle, name) for angle in angles]
    if any(slope is None or occurrences(slope, name) for slope in slopes):
        return False
    rates = [_rate_of(_along(angle, name, known)) for angle in angles]
    periods = [math.tau / abs(rate) for rate in rates if rate]
    return len(periods) == len(angles) and _common_period(periods) is not None


def _makes_whole_turn(angle: Node, name: str, known: Mapping[str, float], turn: Span) -> bool:
    """Whether an angle in a univariate form surely goes through a whole turn without a jump."""
    if has_operation(angle, among=JUMPS):
        return False
    reach = enclose(angle, {**point_box(known), name: turn}, "")
    if reach is None or reach.partial or not all(map(math.isfinite, reach.values)):
        return False
    first, last = map(_along(angle, name, known), turn)
    return abs(last - first) >= math.tau * (1 - AGREEMENT)


def angles_of(equation: Equation, name: str) -> list[Node]:
    """The angles (arguments of sine, cosine, tangent) in a univariate form, one period of which is searched."""
    return [wave.args[0] for wave in operations(*equation.sides, among=PERIODIC) if name in wave.names]


def _common_period(turns: Sequence[float]) -> float | None:
    """The one period of a univariate form with several angles: the least common multiple of their turns; or None."""
    longest = max(turns)
    for count in range(1, _MULTIPLE + 1):
        shares = [count * longest / turn for turn in turns]
        if all(abs(share - round(share)) <= SAME_ROOT * share for share in shares):
            return count * longest
    return None


def _along(angle: Node, name: str, known: Mapping[str, float]) -> Callable[[float], float]:
    """An angle in a univariate form as a function of the name."""
    return lambda x: value(angle, {**known, name: x})


def _rate_of(angle_at: Callable[[float], float], further: Sequence[float] = (3.0,)) -> float | None:
    """The rate of an angle in a univariate form, which tells its period, if it is constant up to further points."""
    start = angle_at(0.0)
    rate = angle_at(1.0) - start
    steady = rate != 0 and all(abs(angle_at(x) - start - x * rate) <= AGREEMENT * abs(rate) for x in further)
    return rate if steady else None


def _turn_of(angle: Node, name: str, known: Mapping[str, float], domain: Domain) -> Span | None:
    """The part of an unbounded domain in which one angle of a univariate form makes its turn, to be searched for zeros.

    Where an angle takes no whole turn above zero, it is looked at below zero as well.
    """
    angle_at = _along(angle, name, known)
    rate = _rate_of(angle_at, (3.0, -3.0) if domain.low < 0 else (3.0,))  # that of abs(x) turns at zero
    if rate:
        low, high = _placed(math.tau / abs(rate), domain)
        if _rate_of(angle_at, (low, high)):  # abs(x/100 - 1) turns back within it
            return low, high
    start, end = max(domain.low, SMALLEST), min(domain.high, LARGEST)
    if not abs(angle_at(start)) < math.tau:
        start, end = end, start
    first = angle_at(start)
    if not abs(first) < math.tau:
        return None
    last = last_holding(lambda x: abs(angle_at(x) - first) <= math.tau, start, end)
    lowest = min(start, last)
    if domain.low < 0 and {start, last} == {SMALLEST, LARGEST}:
        lowest = last_holding(lambda x: abs(angle_at(x) - first) <= math.tau, -SMALLEST, max(domain.low, -LARGEST))
    return lowest, max(start, last)


def _placed(turn: float, domain: Domain) -> Span:
    """Where a univariate form's period is searched in a domain with one end at most: around zero, or from the end."""
    if domain.low > -turn / 2:
        return domain.low, domain.low + turn
    if domain.high < turn / 2:
        return domain.high - turn, domain.high
    return -turn / 2, turn / 2


def occurs_outside_angles(form: Node, name: str) -> bool:
    """Whether a univariate form has no period, as its name occurs outside of sines, cosines and tangents."""
    outside = rebuilt(form, lambda part: ZERO_NODE if isinstance(part, Apply) and part.op in PERIODIC else None)
    return name in names_in(outside)
