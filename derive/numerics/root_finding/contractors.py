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
from itertools import chain

from derive.expressions.functions import TABLE, Function
from derive.numerics.intervals.arithmetic import ALL, FAINT, Box, Span, hull, meet, minus, outward, over, plus, times
from derive.numerics.intervals.enclosure import raised
from derive.numerics.root_finding.expression_graph import Dag, Run, Step, without_each
from derive.tolerances import AGREEMENT, EPSILON, HANDFUL, UNDERFLOW

_SWEEPS = 12  # limit on sweeps in one contraction
_PAYS = 0.9  # share of a width to which a sweep must cut one unknown for another to follow
_WIDE = 1e-3  # ratio of the ends of a span below which its width is that of its logarithm
_WIDEST = 40.0  # width of an angle up to which a wave is inverted, turn by turn
_LARGEST_LOGARITHM = 745.0  # limit on the size of the logarithm of a double that is not zero
_HALF_TURN = (math.nextafter(math.pi, 0), math.nextafter(math.pi, 4))

Pieces = Iterable[Span]
_Inverse = Callable[[Span, Span], Pieces]


def contracted(dag: Dag, box: Sequence[Span], sweeps: int = _SWEEPS) -> Box | None:
    """The box contracted by the sweeps of HC4, without losing a solution; None if nothing remains.

    >>> from derive.expressions.grammar import parse_equation
    >>> from derive.numerics.root_finding.expression_graph import dag_of
    >>> dag = dag_of([parse_equation("x*y = 6"), parse_equation("x**2 + y = 5")], ["x", "y"], {})
    >>> contracted(dag, ((1.0, 9.0), (4.5, 9.0))) is None
    True
    """
    current = tuple(box)
    for _ in range(sweeps):
        run = dag.run(current)
        narrowed = None if run is None else _swept(dag, run)
        if narrowed is None:
            return None
        if not any(map(_pays, current, narrowed)):
            return narrowed
        current = narrowed
    return current


@dataclass(frozen=True, slots=True)
class BoxConsistency:
    """The contractor of each unknown that stands more than once in an equation."""

    dag: Dag
    repeated: tuple[tuple[int, ...], ...]  # for each equation, the unknowns that stand more than once in it
    work: int  # the cost of one contraction, in steps of the graph

    @classmethod
    def of(cls, dag: Dag) -> BoxConsistency:
        repeated = tuple(_repeated(steps, len(dag.unknowns)) for steps in dag.below)
        equations = zip(dag.below, repeated, strict=True)
        work = sum(2 * len(steps) * (1 + len(unknowns)) for steps, unknowns in equations if unknowns)
        return cls(dag, repeated, work)

    def contracted(self, box: Box) -> Box | None:
        """The box contracted at both ends of its sides by box consistency; None if nothing remains.

        >>> from derive.expressions.grammar import parse_equation
        >>> from derive.numerics.root_finding.expression_graph import dag_of
        >>> dag = dag_of([parse_equation("x**2 - x = 0")], ["x"], {})
        >>> [(low, high)] = BoxConsistency.of(dag).contracted(((-9.0, 9.0),))
        >>> round(low, 6), round(high, 6)
        (-4.263158, 4.764706)
        """
        narrowed: Box | None = box
        for equation, unknowns in enumerate(self.repeated):
            is_bounded = unknowns and all(map(math.isfinite, chain.from_iterable(box[i] for i in unknowns)))
            if narrowed is not None and is_bounded:
                narrowed = self._contracted_by(equation, narrowed)
        return narrowed

    def _contracted_by(self, equation: int, box: Box) -> Box | None:
        """The box with the sides of repeated unknowns contracted by one equation; None if nothing remains."""
        run = self.dag.run(box, equation)
        if run is None or run.flaws:
            return box
        slopes = self.dag.gradient(equation, run)
        for i in self.repeated[equation]:
            rise, fall = slopes[i][1], -slopes[i][0]
            if not (math.isfinite(rise) and math.isfinite(fall)):
                continue
            low, high = box[i]
            above, below = self._away_from_zero(equation, box, i, low)
            low += _distance(low, above, fall, below, rise)
            above, below = self._away_from_zero(equation, box, i, high)
            high -= _distance(high, above, rise, below, fall)  # leftwards, it falls as far as it rises rightwards
            if not low <= high:
                return None
            box = (*box[:i], (low, high), *box[i + 1 :])
        return box

    def _away_from_zero(self, equation: int, box: Box, i: int, number: float) -> Span:
        """How far above zero, and below, an equation is at least over the box where one unknown is a number."""
        run = self.dag.run((*box[:i], (number, number), *box[i + 1 :]), equation)
        if run is None or run.flaws:
            return 0.0, 0.0
        low, high = run.spans[self.dag.roots[equation]]
        return max(low, 0.0), max(-high, 0.0)


def _distance(point: float, above: float, fall: float, below: float, rise: float) -> float:
    """The least distance of a zero from an end of a contracted side, rounded down; infinite if there is none.

    At the point the function is `above` zero, or `below` it; from there it falls and rises by so much for each unit.
    """
    gap, steep = (above, fall) if above > 0 else (below, rise)
    if gap == 0:
        return 0.0
    if steep <= 0:
        return math.inf
    return max(gap / steep * (1 - 4 * EPSILON) - 4 * EPSILON * (abs(point) + gap / steep) - UNDERFLOW, 0.0)


def _repeated(steps: Sequence[Step], count: int) -> tuple[int, ...]:
    """The unknowns that box consistency contracts by an equation: several ways lead to them from its first step."""
    ways = {step.place: 0 for step in steps}
    if steps:
        ways[steps[0].place] = 1
    for step in steps:
        for arg in step.args:
            ways[arg] = ways.get(arg, 0) + ways[step.place]
    return tuple(i for i in range(count) if ways.get(i, 0) > 1)


def _swept(dag: Dag, run: Run) -> Box | None:
    """The spans of the unknowns contracted by one backward sweep; None if one is empty."""
    spans = run.spans
    for root in (*dag.roots, *dag.implied):
        if not spans[root][0] <= 0 <= spans[root][1]:
            return None
        spans[root] = (0.0, 0.0)
    taken = set[int]()  # steps of arms that are certainly taken: of the others nothing needs a value
    for step in reversed(dag.steps):
        if step.place in dag.inner and step.place not in taken:
            continue
        if dag.inner and (step.op != "piecewise" or len(run.arms[step.place]) == 1):
            taken.update(run.arms[step.place] if step.op == "piecewise" else step.args)
        for arg, (least, most) in _backwards(step, run):
            low, high = spans[arg]
            low, high = max(low, least), min(high, most)
            if not low <= high:
                return None
            spans[arg] = (low, high)
    return tuple(spans[: len(dag.unknowns)])


def _pays(before: Span, after: Span) -> bool:
    """Whether a contractor's last sweep has narrowed some unknown by enough to be worth repeating."""
    if before == after:  # a point, too, of which no share is left to cut
        return False
    (low, high), (bottom, top) = before, after
    if (math.isinf(low) and bottom > low) or (math.isinf(high) and top < high):
        return True
    if top - bottom <= _PAYS * (high - low) < math.inf:
        return True
    return 0 < low < _WIDE * high < math.inf and math.log(top / bottom) <= _PAYS * math.log(high / low)


def _backwards(step: Step, run: Run) -> list[tuple[int, Span]]:
    """Contract each argument of one expression backwards, by the span of that expression (HC4)."""
    spans, args = run.spans, step.args
    values = spans[step.place]
    match step.op:
        case "add":
            others = without_each([spans[arg] for arg in args], plus, (0.0, 0.0))
            return [(arg, plus(values, minus(other))) for arg, other in zip(args, others, strict=True)]
        case "mul":
            others = without_each([spans[arg] for arg in args], times, (1.0, 1.0))
            pairs = zip(args, others, strict=True)
            return [(arg, _within(spans[arg], quotients(values, other))) for arg, other in pairs]
        case "neg":
            return [(args[0], minus(values))]
        case "positive" | "guarded":
            return [(args[-1], values)] if spans[args[0]][0] >= 0 else []
        case "max" | "min":
            return _of_extreme(step, run)
        case "piecewise":
            arms = run.arms[step.place]
            return [(arms[0], values)] if len(arms) == 1 else []
        case "pow":
            return [(args[0], _within(spans[args[0]], _bases_between(values, spans[args[1]], spans[args[0]])))]
        case op:
            return [(args[0], _within(spans[args[0]], _INVERSES[op](values, spans[args[0]])))]


_NONE: Span = (math.inf, -math.inf)


def _within(span: Span, pieces: Pieces) -> Span:
    """The hull of what a contractor's pieces of an inverse have in common with a span; empty if that is nothing."""
    low, high = _NONE
    for piece in pieces:
        common = meet(span, piece)
        if common[0] <= common[1]:
            low, high = min(low, common[0]), max(high, common[1])
    return low, high


def quotients(values: Span, divisor: Span) -> list[Span]:
    """Invert a product for a contractor: the factors whose product with a divisor lies in a span, in up to two pieces.

    >>> [[round(end, 9) for end in piece] for piece in quotients((2.0, 4.0), (-1.0, 2.0))]
    [[-inf, -2.0], [1.0, inf]]
    """
    if divisor[0] > 0 or divisor[1] < 0:
        return [times(values, over(divisor))]
    if values[0] <= 0 <= values[1]:
        return [ALL]
    if values[1] < 0:
        return quotients(minus(values), minus(divisor))
    pieces: list[Span] = []
    if divisor[0] < 0:
        pieces.append((-math.inf, outward(0.0, values[0] / divisor[0])[1]))
    if divisor[1] > 0:
        pieces.append((outward(values[0] / divisor[1], 0.0)[0], math.inf))
    return pieces


def _of_extreme(step: Step, run: Run) -> list[tuple[int, Span]]:
    """Contract the arguments of a max or min: none of them is beyond it, and one of them equals it."""
    spans, values = run.spans, run.spans[step.place]
    upwards = step.op == "max"
    bound = (-math.inf, values[1]) if upwards else (values[0], math.inf)
    binding = [arg for arg in step.args if (spans[arg][1] >= values[0] if upwards else spans[arg][0] <= values[1])]
    if not binding:
        return [(step.args[0], _NONE)]
    return [(arg, meet(bound, values) if binding == [arg] else bound) for arg in step.args]


def _bases_between(values: Span, exponents: Span, base: Span) -> list[Span]:
    """Contract the base of a power whose constant exponent is a double, or a number between two, such as a third.

    Of the second kind only positive ones that are certainly not whole are inverted.
    """
    low, high = exponents
    if low == high:
        return _bases_of(values, low, base)
    may_be_whole = math.floor(high) >= low
    if low <= 0 or may_be_whole:
        return [ALL]
    if values[1] < 0:
        return []
    # a root rises or falls with its exponent, so that those of the ends enclose all between
    return [hull(_roots(values, low), _roots(values, high))]


def _bases_of(values: Span, n: float, base: Span) -> list[Span]:
    """Contract the base of a power: its n-th power lies in a span; non-integer powers have none below zero."""
    if n == 0:
        return [ALL]
    if n < 0:
        inverses = quotients((1.0, 1.0), values)
        return [*chain.from_iterable(_bases_of(inverse, -n, base) for inverse in inverses)]
    if n != int(n):
        return [] if values[1] < 0 else [_roots(values, n)]
    if int(n) % 2:
        low, high = values
        bottom = -_roots((0.0, -low), n)[1] if low < 0 else _roots((low, math.inf), n)[0]
        top = -_roots((-high, math.inf), n)[0] if high < 0 else _roots((0.0, high), n)[1]
        return [(bottom, top)]
    return [] if values[1] < 0 else [_roots(values, n), minus(_roots(values, n))]


def _roots(span: Span, n: float) -> Span:
    """The span to which a power contracts its base: the n-th roots of the nonnegative part of the power's span."""
    bottom, top = (math.sqrt(end) if n == 2 else raised(end, 1 / n) for end in (max(span[0], 0.0), span[1]))
    low, high = outward(bottom, top)
    spread = 0.0 if n == 2 else _LARGEST_LOGARITHM * EPSILON  # as 1/n is rounded
    return low * (1 - spread), high * (1 + spread)


def _of_wave(entry: Function) -> _Inverse:
    """Contract the argument of sin or cos to the angles whose sine lies in a span, less the quarter turns ahead."""
    ahead = times(_HALF_TURN, (entry.ahead / 2,) * 2)

    def pieces(values: Span, angle: Span) -> list[Span]:
        """The pieces to which angles are contracted, turn by turn near their own span, whose wave lies in a span."""
        if angle[1] - angle[0] > _WIDEST or max(abs(angle[0]), abs(angle[1])) > 1e6:
            return [ALL]
        low, high = max(values[0], -1.0), min(values[1], 1.0)
        if low > high:
            return []
        arc = outward(math.asin(low), math.asin(high))
        first, last = math.floor(angle[0] / math.tau) - 2, math.ceil(angle[1] / math.tau) + 2
        arcs: list[Span] = []
        for turn in range(first, last + 1):
            rising = plus(plus(arc, times(_HALF_TURN, (2.0 * turn,) * 2)), minus(ahead))
            falling = plus(plus(minus(arc), times(_HALF_TURN, (2.0 * turn + 1,) * 2)), minus(ahead))
            arcs += [rising, falling]
        return arcs

    return pieces


def _of_tangent(values: Span, angle: Span) -> list[Span]:
    """Contract the argument of the tangent to the angles whose tangent lies in a span, near the span that they have."""
    if angle[1] - angle[0] > _WIDEST or max(abs(angle[0]), abs(angle[1])) > 1e6:
        return [ALL]
    arc = outward(math.atan(values[0]), math.atan(values[1]))
    first, last = math.floor(angle[0] / math.pi) - 2, math.ceil(angle[1] / math.pi) + 2
    return [plus(arc, times(_HALF_TURN, (float(turn),) * 2)) for turn in range(first, last + 1)]


def _monotone(entry: Function) -> _Inverse:
    """Contract the argument of a monotone or even function; nothing is excluded if the table has no inverse."""
    inverse, off, (least, most) = entry.inverse, entry.inverse_off, entry.between
    if inverse is None:
        return lambda values, _: [ALL]

    def pieces(values: Span, _: Span) -> list[Span]:
        """The pieces to which arguments are contracted, of both signs for an even function."""
        low, high = max(values[0], least), min(values[1], most)
        if low > high:
            return []
        arguments = outward(_limit(inverse, low), _limit(inverse, high), off)
        return [arguments, minus(arguments)] if entry.turn else [arguments]

    return pieces


def _limit(function: Callable[[float], float], x: float) -> float:
    """The end of a contracted span: the value of an inverse, or its limit at a domain's end; underflow is not zero."""
    try:
        return function(x) or (FAINT if x and x > -math.inf else 0.0)
    except OverflowError:
        return math.copysign(math.inf, x)
    except ValueError:
        return math.copysign(math.inf, x) if x else -math.inf


def _of_arc(entry: Function) -> _Inverse:
    """Contract the argument of asin or acos, to the sine or cosine of the angles on the half turn in which they lie."""
    (least, most), function = entry.between, entry.inverse
    assert function is not None

    def pieces(values: Span, _: Span) -> list[Span]:
        low, high = max(values[0], least), min(values[1], most)
        if low > high:
            return [] if values[0] > most + AGREEMENT or values[1] < least - AGREEMENT else [ALL]
        low, high = (function(high), function(low)) if entry.falls else (function(low), function(high))
        return [(low - HANDFUL, high + HANDFUL)]

    return pieces


def _of_arctangent(values: Span, _: Span) -> list[Span]:
    if values[1] <= -math.pi / 2 or values[0] >= math.pi / 2:
        return [ALL] if min(abs(values[0]), abs(values[1])) < 1.6 else []
    low = math.tan(values[0]) if values[0] > -math.pi / 2 else -math.inf
    high = math.tan(values[1]) if values[1] < math.pi / 2 else math.inf
    return [outward(low, high)]


def _of_steps(entry: Function) -> _Inverse:
    """Contract the argument of a function that rounds to all numbers that it may round into a span."""
    up = entry.value(0.5)  # one if it rounds up, else zero
    return lambda values, _: [plus(values, (-up, 1.0 - up))]


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
    "inv": lambda values, _: quotients((1.0, 1.0), values),
    **{name: _SHAPES[entry.shape](entry) for name, entry in TABLE.items()},
}
"""For each function, the arguments at which its value lies in a span."""
