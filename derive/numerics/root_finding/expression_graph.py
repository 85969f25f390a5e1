"""A system of equations as one directed acyclic graph of expressions, each stored once.

Arguments precede the expressions that use them. A forward pass over a box encloses the value of each expression
(interval arithmetic, rounded outwards: Schichl and Neumaier 2005). A backward pass from one equation encloses its
slopes in all unknowns (reverse accumulation: Griewank and Walther, Evaluating Derivatives, 2008): an expression
passes the equation's slope in it, times its own slope in each argument, on to that argument. Where an expression may
be undefined or jump inside the box, the mean value theorem does not apply, and the pass notes the flaw. At a
kink of max or abs the slopes from both sides are joined, for which the theorem still holds (Lebourg 1975).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from types import MappingProxyType

from derive.expressions.arithmetic import NoElement
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in, with_forms
from derive.numerics.algebra.like_terms import difference_of
from derive.numerics.intervals.arithmetic import ALL, ZERO, Span, hull, plus, times
from derive.numerics.intervals.enclosure import SMOOTH, SPANS, Enclosure, applied, arms_allowed, around, powers, truths

_ONE: Span = (1.0, 1.0)
_STEEPEST = 1000  # limit on integer exponents computed as such
_DEEPEST = 400  # limit on levels of an expression


@dataclass(frozen=True, slots=True)
class Step:
    """One expression: its place in the graph, its operation, and the places of its arguments."""

    place: int
    op: str
    args: tuple[int, ...]
    conditions: tuple[Node, ...] = ()
    power: int = 0  # the exponent, where it is positive and whole


@dataclass(slots=True)
class Run:
    """The result of a pass over a box: the span of each expression, and the slope of each function of one argument."""

    spans: list[Span]
    slopes: dict[int, Span] = field(default_factory=dict)
    arms: dict[int, tuple[int, ...]] = field(default_factory=dict)  # of each choice, those that its conditions allow
    missing: set[int] = field(default_factory=set)  # places that stand in arms alone and are nowhere defined
    flaws: set[int] = field(default_factory=set)  # places that may jump in the box, or be undefined


@dataclass(frozen=True, slots=True)
class Dag:
    """The equations' expressions in order; the unknowns come first."""

    unknowns: tuple[str, ...]
    start: tuple[Span, ...]  # the span of each place before a pass
    steps: tuple[Step, ...]  # those that depend on an unknown
    roots: tuple[int, ...]  # the places of the differences of the equations' sides
    implied: tuple[int, ...]  # the same for equations that follow from these
    below: tuple[tuple[Step, ...], ...]  # for each equation: the steps it is made of, itself first
    inner: frozenset[int]  # steps that stand in arms alone: nothing follows from them unless their arm is taken
    ranges: Mapping[str, Span]  # the intervals of names that are only known to lie in one

    @property
    def work(self) -> int:
        """The cost of a pass over the graph, in steps."""
        return len(self.steps) + sum(map(len, self.below))

    def run(self, box: Sequence[Span], equation: int | None = None) -> Run | None:
        """Pass forwards over the graph: the enclosures of all expressions, or of those in one equation, over a box.

        None if an expression is nowhere defined.
        """
        run = Run(list(self.start))
        run.spans[: len(box)] = box
        named = {**self.ranges, **dict(zip(self.unknowns, box, strict=True))}
        for step in self.steps if equation is None else reversed(self.below[equation]):
            span = _forwards(step, run, named)
            if span is not None:
                run.spans[step.place] = span
            elif step.place in self.inner:
                run.missing.add(step.place)
            else:
                return None
        return run

    def is_smooth(self, equation: int, run: Run) -> bool:
        """Whether a backward pass through the graph proves anything: no expression below the equation has a flaw."""
        return not run.flaws or run.flaws.isdisjoint(step.place for step in self.below[equation])

    def gradient(self, equation: int, run: Run) -> list[Span]:
        """Pass backwards over the graph: enclosures of an equation's slopes in all unknowns on a box without flaws."""
        adjoints: dict[int, Span] = {self.roots[equation]: _ONE}
        for step in self.below[equation]:
            adjoint = adjoints.pop(step.place, None)
            if adjoint is None or adjoint == ZERO:
                continue
            for arg, slope in zip(step.args, _slopes(step, run), strict=True):
                contribution = times(adjoint, slope)
                adjoints[arg] = plus(adjoints[arg], contribution) if arg in adjoints else contribution
        return [adjoints.get(i, ZERO) for i in range(len(self.unknowns))]


def dag_of(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    known: Mapping[str, float],
    implied: Sequence[Equation] = (),
    blur: float = 0.0,
    ranges: Mapping[str, Span] = MappingProxyType({}),
) -> Dag | None:
    """The graph of a system's expressions at known numbers; None if one is nested too deeply.

    `blur` is the relative error that the known numbers may have; `ranges` are intervals in which others lie.

    >>> from derive.expressions.grammar import parse_equation
    >>> dag = dag_of([parse_equation("x**2 + y = 3"), parse_equation("x**2 = y")], ["x", "y"], {})
    >>> run = dag.run([(1.0, 2.0), (0.0, 1.0)])
    >>> [[round(end) for end in run.spans[root]] for root in dag.roots]
    [[-2, 2], [0, 4]]
    >>> [[round(end) for end in slope] for slope in dag.gradient(1, run)]
    [[2, 4], [-1, -1]]
    """
    writer = _Writer(tuple(unknowns), known, blur, ranges)
    try:
        roots = tuple(writer.place(difference_of(equation)) for equation in equations)
        implied_roots = tuple(writer.place(difference_of(equation)) for equation in implied)
    except (RecursionError, KeyError):
        return None
    steps = tuple(step for step in writer.steps if writer.moves[step.place])
    step_at = {step.place: step for step in steps}
    below = tuple(_below(root, step_at) for root in roots)
    outer = set[int]()
    for root in (*roots, *implied_roots):
        outer.update(step.place for step in _below(root, step_at, with_arms=False))
    inner = frozenset(step_at.keys() - outer)
    return Dag(tuple(unknowns), tuple(writer.start), steps, roots, implied_roots, below, inner, ranges)


def _below(root: int, step_at: Mapping[int, Step], *, with_arms: bool = True) -> tuple[Step, ...]:
    """The steps of the graph that an expression is made of, itself first; those in arms of choices only `with_arms`."""
    reached, pending = set[int](), [root]
    while pending:
        place = pending.pop()
        if place in step_at and place not in reached:
            reached.add(place)
            if with_arms or step_at[place].op != "piecewise":
                pending.extend(step_at[place].args)
    return tuple(step_at[place] for place in sorted(reached, reverse=True))


class _Writer:
    """The graph under construction: equal expressions share a place."""

    def __init__(
        self, unknowns: tuple[str, ...], known: Mapping[str, float], blur: float, ranges: Mapping[str, Span]
    ) -> None:
        """Begin a graph that has the places of the unknowns alone."""
        self.start: list[Span] = [ALL] * len(unknowns)
        self.moves = [True] * len(unknowns)  # whether a place depends on an unknown
        self.steps: list[Step] = []
        self.names = {name: i for i, name in enumerate(unknowns)}
        self.known = known
        self.blur = blur
        self.ranges = ranges
        self.places: dict[object, int] = {}

    def place(self, node: Node, depth: int = 0) -> int:
        """The place of an expression in the graph, with its parts."""
        if depth > _DEEPEST:
            raise RecursionError
        if isinstance(node, Name) and node.name in self.names:
            return self.names[node.name]
        if not isinstance(node, Apply):
            return self._constant(node)
        if node.op == "pow":
            return self._power(*(self.place(arg, depth + 1) for arg in node.args))
        conditions: tuple[Node, ...] = ()
        args = node.args
        if node.op == "piecewise":
            names = (name for name in names_in(*node.args[1::2]) if name in self.known)
            numbers = {name: Number(Fraction(self.known[name])) for name in names}
            conditions = tuple(with_forms(condition, numbers) for condition in node.args[1::2])
            args = node.args[::2]
        return self._operation(node.op, *(self.place(arg, depth + 1) for arg in args), conditions=conditions)

    def _power(self, base: int, exponent: int) -> int:
        """The place of a power in the graph: for a fixed exponent as such, and else by `exp(y*log(x))`.

        An exponent that is no double, such as a third, is fixed too: zero has such a power, and no logarithm. A
        negative base has powers where the exponent is whole. So they are kept open if it may be whole.
        """
        low, high = self.start[exponent]
        is_broken = not self.moves[exponent] and math.floor(high) < low
        if low == high or (is_broken and low > 0):
            return self._operation("pow", base, exponent)
        positive = base if is_broken else self._operation("positive", base)
        logarithm = self._operation("mul", exponent, self._operation("log", positive))
        power = self._operation("exp", logarithm)
        return power if is_broken else self._operation("guarded", base, exponent, power)

    def _operation(self, op: str, *places: int, conditions: tuple[Node, ...] = ()) -> int:
        """The place in the graph of an operation on the expressions at some places; a new one if it has none yet."""
        key = (op, places, conditions)
        if key not in self.places:
            self.places[key] = self._new(op, places, conditions)
        return self.places[key]

    def _constant(self, node: Node) -> int:
        if node not in self.places:
            self.places[node] = len(self.start)
            self.start.append(self._span(node))
            self.moves.append(False)
        return self.places[node]

    def _span(self, node: Node) -> Span:
        """The span of a constant in the graph: its double or the ones next to it; of a known number, its blur."""
        if isinstance(node, Number):
            return around(node)
        assert isinstance(node, Name)
        if node.name in self.ranges:
            return self.ranges[node.name]
        number = self.known[node.name]
        return number - self.blur * abs(number), number + self.blur * abs(number)

    def _new(self, op: str, places: tuple[int, ...], conditions: tuple[Node, ...]) -> int:
        """Add a step to the graph for an operation; one of constants alone is computed here, once for all runs."""
        low, high = self.start[places[1]] if op == "pow" else ZERO
        power = int(low) if low == high and 0 < low <= _STEEPEST and low == int(low) else 0
        step = Step(len(self.start), op, places, conditions, power)
        moves = op == "piecewise" or any(self.moves[place] for place in places)
        self.start.append(ALL)
        if not moves:
            run = Run(self.start)
            span = _forwards(step, run, self.ranges)
            moves = span is None or bool(run.flaws)  # so that every run finds the flaw
            self.start[step.place] = ALL if span is None else span
        self.moves.append(moves)
        self.steps.append(step)
        return step.place


def _forwards(step: Step, run: Run, named: Mapping[str, Span]) -> Span | None:
    """The enclosure of a step of the graph from those of its arguments; None if it is nowhere defined."""
    spans, args = run.spans, step.args
    if run.missing and step.op != "piecewise" and not run.missing.isdisjoint(args):
        return None
    operation = SPANS.get(step.op)
    if operation is not None:
        return operation(*[spans[arg] for arg in args])
    match step.op:
        case "piecewise":
            return _chosen(step, run, named)
        case "pow" if step.power > 0:
            return powers(spans[args[0]], step.power)
        case "positive":  # the base of a power where it has a logarithm
            low, high = spans[args[0]]
            return (max(low, 0.0), high) if high > 0 else (0.0, math.inf)
        case "guarded":
            return _guarded(step, run)
        case _:
            return _function(step, run)


def _guarded(step: Step, run: Run) -> Span | None:
    """The enclosure of a power in the graph; any value where its base may be negative and its exponent whole."""
    base, exponent, power = (run.spans[arg] for arg in step.args)
    if base[0] >= 0:
        return power
    run.flaws.add(step.place)
    is_fractional = math.isfinite(exponent[1]) and math.floor(exponent[1]) < exponent[0]
    return None if base[1] < 0 and is_fractional else ALL


def _function(step: Step, run: Run) -> Span | None:
    """The enclosure in the graph of a function of one argument, or of a power; its slope and flaw go to the run."""
    inner = [Enclosure(run.spans[step.args[0]], _ONE)]
    if step.op == "pow":
        inner.append(Enclosure(run.spans[step.args[1]], ZERO))
    try:
        bounds = applied(step.op, *inner)
    except NoElement:
        return None
    if bounds.flaw != SMOOTH:
        run.flaws.add(step.place)
    run.slopes[step.place] = bounds.slopes
    return bounds.values


def _chosen(step: Step, run: Run, named: Mapping[str, Span]) -> Span | None:
    """The enclosure of a choice in the graph: the hull of the arms that its conditions allow."""
    possible = (truths(condition, named) for condition in step.conditions)
    places, is_partial = arms_allowed(possible, len(step.args) + len(step.conditions))
    allowed = tuple(step.args[place] for place in places if step.args[place] not in run.missing)
    if is_partial or len(allowed) > 1 or len(allowed) < len(places):
        run.flaws.add(step.place)
    run.arms[step.place] = allowed
    span: Span | None = None
    for arm in allowed:
        span = run.spans[arm] if span is None else hull(span, run.spans[arm])
    return span


def _slopes(step: Step, run: Run) -> list[Span]:
    """The slopes of a step of the graph in each of its arguments."""
    spans, args = run.spans, step.args
    match step.op:
        case "add":
            return [_ONE] * len(args)
        case "neg":
            return [(-1.0, -1.0)]
        case "positive":
            return [_ONE]
        case "guarded":
            return [ZERO, ZERO, _ONE]
        case "mul":
            return without_each([spans[arg] for arg in args], times, _ONE)
        case "max" | "min":
            low, high = spans[step.place]
            binding = [spans[arg][1] >= low if step.op == "max" else spans[arg][0] <= high for arg in args]
            slope = _ONE if sum(binding) == 1 else (0.0, 1.0)  # where several may bind, any share of each
            return [slope if may_bind else ZERO for may_bind in binding]
        case "piecewise":
            first = args.index(run.arms[step.place][0])
            return [_ONE if i == first else ZERO for i in range(len(args))]
        case "pow" if step.power > 0:
            return [times((float(step.power),) * 2, powers(spans[args[0]], step.power - 1)), ZERO]
        case "pow":
            return [run.slopes[step.place], ZERO]
        case _:
            return [run.slopes[step.place]] * len(args)


def without_each(spans: Sequence[Span], joined: Callable[[Span, Span], Span], nothing: Span) -> list[Span]:
    """For each span, the sum or the product of all others, as the passes over the graph need it.

    >>> without_each([(2.0, 2.0), (3.0, 4.0), (5.0, 5.0)], hull, ZERO)
    [(3.0, 5.0), (2.0, 5.0), (2.0, 4.0)]
    """
    if len(spans) == 1:
        return [nothing]
    if len(spans) == 2:
        return [spans[1], spans[0]]
    before = [*accumulate(spans[:-1], joined)]
    after = [*accumulate(spans[:0:-1], joined)][::-1]
    return [after[0], *map(joined, before, after[1:]), before[-1]]
