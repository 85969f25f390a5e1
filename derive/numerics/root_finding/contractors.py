"""Contractors: boxes narrowed by equations without losing a solution.

HC4 (Benhamou, Goualard, Granvilliers and Puget 1999) works on each expression of a system. Forwards, the spans of the
arguments bound that of the expression. Backwards, from the residual of an equation, which is zero, the span of an
expression bounds each of its arguments: `z = x + y` gives `x = z - y`, `z = exp(x)` gives `x = log(z)`. Each step is
an enclosure, rounded outwards, so every solution of the equations stays in the spans and in the narrowed box; if a
span becomes empty there is no solution. What one equation gains passes to others through shared expressions. The
sweeps are repeated as long as they gain enough.

An inverse with several branches (a root, an arc) returns the hull of those that meet the argument's span.

HC4 treats two occurrences of an unknown as two unknowns. Box consistency (Benhamou, McAllester and Van Hentenryck 1994)
does not: an equation is taken as a function of that unknown alone, with the others anywhere in the box. Where it is
positive at an end and falls by no more than s for each unit, its zero is at least its value there, divided by s, away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from derive.expressions.functions import TABLE, Function
from derive.numerics.intervals.arithmetic import ALL, FAINT, Span, meet, minus, outward, over, plus, times
from derive.numerics.intervals.boxes import Box
from derive.numerics.intervals.enclosure import raised
from derive.numerics.root_finding.expression_graph import Dag, Run, Step, without_each
from derive.tolerances import AGREEMENT, EPSILON, HANDFUL, UNDERFLOW

_SWEEPS = 12  # limit on sweeps in one contraction
_PAYS = 0.9  # share of a width to which a sweep must cut one unknown for another to follow
_WIDE = 1e-3  # ratio of the ends of a span below which its width is that of its logarithm
_WIDEST = 40.0  # limit on periods of a wave in its inverse
_LARGEST_LOGARITHM = 745.0  # of any double but zero, by size
_HALF_TURN = (math.nextafter(math.pi, 0), math.nextafter(math.pi, 4))

Pieces = Iterable[Span]
_Inverse = Callable[[Span, Span], Pieces]


def contracted(dag: Dag, box: Sequence[Span], sweeps: int = _SWEEPS) -> Box | None:
    """The box without some parts that hold no solution; None if nothing remains.

    >>> from derive.expressions.grammar import parse_equation
    >>> from derive.numerics.root_finding.expression_graph import dag_of
    >>> dag = dag_of([parse_equation("x*y = 6"), parse_equation("x**2 + y = 5")], ["x", "y"], {})
    >>> contracted(dag, ((1.0, 9.0), (4.5, 9.0))) is None
    True
    """
    here = tuple(box)
    for _ in range(sweeps):
        run = dag.run(here)
        left = None if run is None else _swept(dag, run)
        if left is None:
            return None
        if not any(_pays(one, other) for one, other in zip(here, left, strict=True)):
            return left
        here = left
    return here


@dataclass(frozen=True, slots=True)
class BoxConsistency:
    """The contractor of each unknown that stands more than once in an equation."""

    dag: Dag
    repeated: tuple[tuple[int, ...], ...]  # for each equation, those unknowns
    work: int  # the cost of one contraction, in steps of the graph

    @classmethod
    def of(cls, dag: Dag) -> BoxConsistency:
        repeated = tuple(_repeated(steps, len(dag.unknowns)) for steps in dag.below)
        work = sum(2 * len(steps) * (1 + len(held)) for steps, held in zip(dag.below, repeated, strict=True) if held)
        return cls(dag, repeated, work)

    def contracted(self, box: Box) -> Box | None:
        """The box with its sides cut at both ends; None if nothing remains.

        >>> from derive.expressions.grammar import parse_equation
        >>> from derive.numerics.root_finding.expression_graph import dag_of
        >>> dag = dag_of([parse_equation("x**2 - x = 0")], ["x"], {})
        >>> [(low, high)] = BoxConsistency.of(dag).contracted(((-9.0, 9.0),))
        >>> round(low, 6), round(high, 6)
        (-4.263158, 4.764706)
        """
        here: Box | None = box
        for equation, unknowns in enumerate(self.repeated):
            is_bounded = unknowns and all(math.isfinite(end) for i in unknowns for end in box[i])
            if here is not None and is_bounded:
                here = self._contracted_by(equation, here)
        return here

    def _contracted_by(self, equation: int, box: Box) -> Box | None:
        run = self.dag.run(box, equation)
        if run is None or run.flawed:
            return box
        slopes = self.dag.gradient(equation, run)
        for i in self.repeated[equation]:
            rise, fall = slopes[i][1], -slopes[i][0]
            if not (math.isfinite(rise) and math.isfinite(fall)):
                continue
            low, high = box[i]
            up, down = self._signed(equation, box, i, low)
            low += _distance(up, fall, down, rise, low)
            up, down = self._signed(equation, box, i, high)
            high -= _distance(up, rise, down, fall, high)
            if not low <= high:
                return None
            box = (*box[:i], (low, high), *box[i + 1 :])
        return box

    def _signed(self, equation: int, box: Box, i: int, at: float) -> Span:
        """The least amount by which an equation is above zero, and below it, where an unknown has a number."""
        run = self.dag.run((*box[:i], (at, at), *box[i + 1 :]), equation)
        if run is None or run.flawed:
            return 0.0, 0.0
        low, high = run.spans[self.dag.roots[equation]]
        return max(low, 0.0), max(-high, 0.0)


def _distance(above: float, fall: float, below: float, rise: float, at: float) -> float:
    """How far a zero is from a point at least, rounded down; infinite if there is none.

    The function is above or below zero at the point, and falls and rises by so much for each unit at most.
    """
    gap, steep = (above, fall) if above > 0 else (below, rise)
    if gap == 0:
        return 0.0
    if steep <= 0:
        return math.inf
    return max(gap / steep * (1 - 4 * EPSILON) - 4 * EPSILON * (abs(at) + gap / steep) - UNDERFLOW, 0.0)


def _repeated(steps: Sequence[Step], count: int) -> tuple[int, ...]:
    """The unknowns to which more than one way leads from the first of some steps."""
    ways = {step.at: 0 for step in steps}
    if steps:
        ways[steps[0].at] = 1
    for step in steps:
        for arg in step.args:
            ways[arg] = ways.get(arg, 0) + ways[step.at]
    return tuple(i for i in range(count) if ways.get(i, 0) > 1)


def _swept(dag: Dag, run: Run) -> Box | None:
    """The spans of the unknowns after one backward sweep."""
    spans = run.spans
    for root in (*dag.roots, *dag.implied):
        if not spans[root][0] <= 0 <= spans[root][1]:
            return None
        spans[root] = (0.0, 0.0)
    taken = set[int]()  # steps of arms that are certainly taken: of the others nothing needs a value
    for step in reversed(dag.steps):
        if step.at in dag.inner and step.at not in taken:
            continue
        if dag.inner and (step.op != "piecewise" or len(run.arms[step.at]) == 1):
            taken.update(run.arms[step.at] if step.op == "piecewise" else step.args)
        for arg, left in _backwards(step, run):
            low, high = spans[arg]
            low, high = max(low, left[0]), min(high, left[1])
            if not low <= high:
                return None
            spans[arg] = (low, high)
    return tuple(spans[: len(dag.unknowns)])


def _pays(before: Span, after: Span) -> bool:
    """Whether an unknown has been cut by enough for another sweep."""
    if before == after:  # a point, too, of which no share is left to cut
        return False
    (low, high), (bottom, top) = before, after
    if (math.isinf(low) and bottom > low) or (math.isinf(high) and top < high):
        return True
    if top - bottom <= _PAYS * (high - low) < math.inf:
        return True
    return 0 < low < _WIDE * high < math.inf and math.log(top / bottom) <= _PAYS * math.log(high / low)


def _backwards(step: Step, run: Run) -> list[tuple[int, Span]]:
    """The bounds of each argument that follow from the span of an expression."""
    spans, args = run.spans, step.args
    whole = spans[step.at]
    match step.op:
        case "add":
            rests = without_each([spans[arg] for arg in args], plus, (0.0, 0.0))
            return [(arg, plus(whole, minus(rest))) for arg, rest in zip(args, rests, strict=True)]
        case "mul":
            rests = without_each([spans[arg] for arg in args], times, (1.0, 1.0))
            pairs = zip(args, rests, strict=True)
            return [(arg, _within(spans[arg], quotients(whole, rest))) for arg, rest in pairs]
        case "neg":
            return [(args[0], minus(whole))]
        case "positive" | "guarded":
            return [(args[-1], whole)] if spans[args[0]][0] >= 0 else []
        case "max" | "min":
            return _of_extreme(step, run)
        case "piecewise":
            arms = run.arms[step.at]
            return [(arms[0], whole)] if len(arms) == 1 else []
        case "pow":
            low, high = spans[args[1]]
            pieces = _bases_of(whole, low, spans[args[0]]) if low == high else [ALL]
            return [(args[0], _within(spans[args[0]], pieces))]
        case op:
            return [(args[0], _within(spans[args[0]], _INVERSES[op](whole, spans[args[0]])))]


_NONE: Span = (math.inf, -math.inf)


def _within(span: Span, pieces: Pieces) -> Span:
    """The hull of the intersections of pieces with a span; empty if there are none."""
    low, high = _NONE
    for piece in pieces:
        left = meet(span, piece)
        if left[0] <= left[1]:
            low, high = min(low, left[0]), max(high, left[1])
    return low, high


def quotients(whole: Span, divisor: Span) -> list[Span]:
    """The numbers whose product with a divisor lies in a span, in one piece, two or none.

    >>> [[round(end, 9) for end in piece] for piece in quotients((2.0, 4.0), (-1.0, 2.0))]
    [[-inf, -2.0], [1.0, inf]]
    """
    if divisor[0] > 0 or divisor[1] < 0:
        return [times(whole, over(divisor))]
    if whole[0] <= 0 <= whole[1]:
        return [ALL]
    if whole[1] < 0:
        return quotients(minus(whole), minus(divisor))
    found: list[Span] = []
    if divisor[0] < 0:
        found.append((-math.inf, outward(0.0, whole[0] / divisor[0])[1]))
    if divisor[1] > 0:
        found.append((outward(whole[0] / divisor[1], 0.0)[0], math.inf))
    return found


def _of_extreme(step: Step, run: Run) -> list[tuple[int, Span]]:
    """The bounds of the arguments of a max or min: none is beyond it, and one equals it."""
    spans, whole = run.spans, run.spans[step.at]
    upwards = step.op == "max"
    bound = (-math.inf, whole[1]) if upwards else (whole[0], math.inf)
    binding = [arg for arg in step.args if (spans[arg][1] >= whole[0] if upwards else spans[arg][0] <= whole[1])]
    if not binding:
        return [(step.args[0], _NONE)]
    return [(arg, meet(bound, whole) if binding == [arg] else bound) for arg in step.args]


def _bases_of(whole: Span, n: float, base: Span) -> list[Span]:
    """The bases whose n-th power lies in a span; non-integer powers have none below zero."""
    if n == 0:
        return [ALL]
    if n < 0:
        return [piece for one in quotients((1.0, 1.0), whole) for piece in _bases_of(one, -n, base)]
    if n != int(n):
        return [] if whole[1] < 0 else [_roots(whole, n)]
    if int(n) % 2:
        low, high = whole
        bottom = -_roots((0.0, -low), n)[1] if low < 0 else _roots((low, math.inf), n)[0]
        top = -_roots((-high, math.inf), n)[0] if high < 0 else _roots((0.0, high), n)[1]
        return [(bottom, top)]
    return [] if whole[1] < 0 else [_roots(whole, n), minus(_roots(whole, n))]


def _roots(span: Span, n: float) -> Span:
    """The n-th roots of the nonnegative part of a span."""
    bottom, top = (math.sqrt(end) if n == 2 else raised(end, 1 / n) for end in (max(span[0], 0.0), span[1]))
    low, high = outward(bottom, top)
    spread = 0.0 if n == 2 else _LARGEST_LOGARITHM * EPSILON  # as 1/n is rounded
    return low * (1 - spread), high * (1 + spread)


def _of_wave(entry: Function) -> _Inverse:
    """The inverse of sin or cos: the angles whose sine lies in a span, less the quarter turns it is ahead."""
    ahead = times(_HALF_TURN, (entry.ahead / 2,) * 2)

    def pieces(whole: Span, angle: Span) -> list[Span]:
        if angle[1] - angle[0] > _WIDEST or max(abs(angle[0]), abs(angle[1])) > 1e6:
            return [ALL]
        low, high = max(whole[0], -1.0), min(whole[1], 1.0)
        if low > high:
            return []
        arc = outward(math.asin(low), math.asin(high))
        first, last = math.floor(angle[0] / math.tau) - 2, math.ceil(angle[1] / math.tau) + 2
        found: list[Span] = []
        for turn in range(first, last + 1):
            rising = plus(plus(arc, times(_HALF_TURN, (2.0 * turn,) * 2)), minus(ahead))
            falling = plus(plus(minus(arc), times(_HALF_TURN, (2.0 * turn + 1,) * 2)), minus(ahead))
            found += [rising, falling]
        return found

    return pieces


def _of_tangent(whole: Span, angle: Span) -> list[Span]:
    if angle[1] - angle[0] > _WIDEST or max(abs(angle[0]), abs(angle[1])) > 1e6:
        return [ALL]
    arc = outward(math.atan(whole[0]), math.atan(whole[1]))
    first, last = math.floor(angle[0] / math.pi) - 2, math.ceil(angle[1] / math.pi) + 2
    return [plus(arc, times(_HALF_TURN, (float(turn),) * 2)) for turn in range(first, last + 1)]


def _monotone(entry: Function) -> _Inverse:
    """The inverse of a monotone or even function; it excludes nothing if the table has none."""
    inverse, off, (least, most) = entry.inverse, entry.inverse_off, entry.between
    if inverse is None:
        return lambda whole, _: [ALL]

    def pieces(whole: Span, _: Span) -> list[Span]:
        low, high = max(whole[0], least), min(whole[1], most)
        if low > high:
            return []
        first, last = _limit(inverse, low), _limit(inverse, high)
        if entry.falls:
            return [outward(last, first, off)]
        found = outward(first, last, off)
        return [found, minus(found)] if entry.turn else [found]

    return pieces


def _limit(function: Callable[[float], float], x: float) -> float:
    """A value, or the limit at the end of the domain; an underflow is not zero."""
    try:
        return function(x) or (FAINT if x and x > -math.inf else 0.0)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, x) if x else -math.inf


def _of_arc(entry: Function) -> _Inverse:
    (least, most), function = entry.between, entry.inverse
    assert function is not None

    def pieces(whole: Span, _: Span) -> list[Span]:
        low, high = max(whole[0], least), min(whole[1], most)
        if low > high:
            return [] if whole[0] > most + AGREEMENT or whole[1] < least - AGREEMENT else [ALL]
        low, high = (function(high), function(low)) if entry.falls else (function(low), function(high))
        return [(low - HANDFUL, high + HANDFUL)]

    return pieces


def _of_arctangent(whole: Span, _: Span) -> list[Span]:
    if whole[1] <= -math.pi / 2 or whole[0] >= math.pi / 2:
        return [ALL] if min(abs(whole[0]), abs(whole[1])) < 1.6 else []
    low = math.tan(whole[0]) if whole[0] > -math.pi / 2 else -math.inf
    high = math.tan(whole[1]) if whole[1] < math.pi / 2 else math.inf
    return [outward(low, high)]


def _of_steps(entry: Function) -> _Inverse:
    up = entry.value(0.5)  # one if it rounds up, else zero
    return lambda whole, _: [plus(whole, (-up, 1.0 - up))]


_SHAPES: dict[str, Callable[[Function], _Inverse]] = {
    "monotone": _monotone,
    "kink": _monotone,
    "arc": _of_arc,
    "arctangent": lambda _: _of_arctangent,
    "wave": _of_wave,
    "tangent": lambda _: _of_tangent,
    "steps": _of_steps,
}
_INVERSES: dict[str, _Inverse] = {
    "inv": lambda whole, _: quotients((1.0, 1.0), whole),
    **{name: _SHAPES[entry.shape](entry) for name, entry in TABLE.items()},
}
"""For each function, the arguments at which its value lies in a span."""
