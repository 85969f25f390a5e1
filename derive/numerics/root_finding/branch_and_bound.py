"""Branch and bound: the least value of a goal over a box, where gaps are not positive and other expressions are zero.

The box of all names is cut into parts, always the one with the least lower bound first. Every part is treated alike:

1. Narrowing. The goal is a number below the best one known, each gap leaves a slack that is not negative, and each zero
   is zero. Contractors cut the part to where they can hold; the sides of counts are rounded inwards to whole numbers.
2. Monotone sides. Where the goal and every gap that may be zero agree about the better end of a side that stands in no
   zero and no condition, only that end is kept. Otherwise the slopes cut off what they exclude: where all other names
   do their best, one side has to make up for the rest.
3. Bounds. The goal's enclosure; its enclosure with every monotone side at the better end; the mean value form; and that
   of the Lagrangian, in which the slopes of the goal, the gaps and the zeros cancel (`multipliers`).

What is left over is cut in two. Enclosures are rounded outwards, so no point at which all holds is lost: when no part
is left whose bound is below a value that is attained, that value is the least. Parts too small to be cut keep their
bound.

What counts as attained is left to a search. `least_and_greatest` bounds a form, or a quantity without a closed form,
which is a name subject to its equations. There, a value is attained at the points that are tried, where no gap is
positive and all guards hold, if no equation ties the names; else throughout a part in which the equations hold to a
millionth of their terms, gaps exceed zero by no more, and the guards hold. So the bound that is returned is never too
tight. It is close, to one part in a million, unless the limit on parts is reached first.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product
from operator import mul

from derive.errors import LimitError
from derive.expressions.tree import Apply, Equation, Name, Node, names_in
from derive.numerics.algebra.evaluation import holds, value
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.algebra.linear import solved
from derive.numerics.intervals.arithmetic import ZERO as NOTHING
from derive.numerics.intervals.arithmetic import (
    Box,
    MeanValueForm,
    Span,
    better_end,
    distances,
    is_narrower,
    point_box,
    rounded_inwards,
)
from derive.numerics.intervals.enclosure import GAP, enclose, truths
from derive.numerics.root_finding.contractors import BoxConsistency, contracted
from derive.numerics.root_finding.expression_graph import Dag, Run, dag_of
from derive.numerics.root_finding.univariate_branch_and_prune import middle
from derive.time_limits import tick
from derive.tolerances import AROUND_ZERO, EXPRESSION, EXTREME, FINEST_BOX, LEAST, MOST, RANK

PARTS = 1000
"""Parts into which the box is cut for one end, at most."""
_CORNERED = 8  # names up to which every corner is tried
_ROUNDS = 6  # limit on rounds of narrowing of one part
_SWEEPS = 4  # limit on sweeps of the contractors in one round
_FIRST = 1000  # a side that begins at zero is cut at its end divided by this
_PAYS = 0.2  # share of a length that a round must cut off one side for another to follow
_GOAL = "the goal"


@dataclass(frozen=True, slots=True)
class System:
    """A goal and its bounds, residuals that are zero, and the interval of each name."""

    goal: Node
    allowed: Span
    zeros: tuple[Node, ...]
    box: Mapping[str, Span]
    gaps: tuple[Node, ...] = ()  # expressions that may not be positive
    strict: frozenset[int] = frozenset()  # the places of gaps that may not be zero either
    guards: tuple[Node, ...] = ()  # conditions that must hold
    steps: Mapping[str, float] = field(default_factory=dict)  # for each name that is a count, the size of one
    known: Mapping[str, float] = field(default_factory=dict)
    needed: tuple[Node, ...] = ()  # expressions that may be undefined in the box, and must not be


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the box: the values of the goal, the gaps and the zeros in it; their mean value forms, None where
    these prove nothing; and a lower bound of the goal."""

    box: Box
    values: list[Span]
    slopes: list[MeanValueForm | None]
    floor: float = -math.inf


class Boxes:
    """A system as one graph of expressions: its goal, its gaps, each with a slack, and its zeros."""

    def __init__(self, system: System) -> None:
        """Write a system for branch and bound as one graph of expressions: goal, zeros, and gaps, each with a slack."""
        self.system = system
        self.names = tuple(system.box)
        self.whole: Box = tuple(system.box.values())
        self.steps = tuple(system.steps.get(name, 0.0) for name in self.names)
        self.gaps = range(1, 1 + len(system.gaps))  # the places of the gaps among the expressions
        # where all is continuous, what comes near to such a gap's zero comes near to its goal there
        self.strict = {self.gaps[place] for place in system.strict} if any(self.steps) else set()
        tied = {*names_in(*system.zeros, *system.guards)}
        self.loose = [i for i, name in enumerate(self.names) if name not in tied]
        limited = {*names_in(*system.gaps)}
        self.limited = {i for i, name in enumerate(self.names) if name in limited}
        slacks = [f"the slack of {i}" for i in self.gaps]
        equations = [Equation(system.goal, "=", Name(_GOAL))]
        equations += [Equation(gap, "=", Name(slack)) for gap, slack in zip(system.gaps, slacks, strict=True)]
        equations += [Equation(zero, "=", ZERO) for zero in system.zeros]
        dag = dag_of(equations, (*self.names, _GOAL, *slacks), system.known)
        if dag is None:
            raise LimitError(
                "The expressions of the question are nested too deeply to be searched.",
                hint="Ask for an intermediate quantity.",
                limit="depth of expressions",
            )
        self.dag: Dag = dag
        self.consistency = BoxConsistency.of(dag)

    def run(self, sides: Sequence[Span], only: int | None = None) -> Run | None:
        """The enclosures of all expressions over a box of branch and bound, or of one alone; None where undefined."""
        return self.dag.run((*sides, *[NOTHING] * (1 + len(self.gaps))), only)

    def values(self, run: Run) -> list[Span]:
        """The intervals of goal, gaps and zeros over a box of branch and bound, from its run."""
        return [run.spans[root] for root in self.dag.roots]

    def at(self, point: Sequence[float]) -> tuple[list[float], list[list[float]]] | None:
        """Goal, gaps and zeros of branch and bound at a point, with slopes; None where one may jump or is undefined."""
        run = self.run([(x, x) for x in point])
        if run is None or run.flaws:
            return None
        rows = [self.dag.gradient(j, run)[: len(self.names)] for j in range(len(self.dag.roots))]
        slopes = [[(low + high) / 2 for low, high in row] for row in rows]
        return [(low + high) / 2 for low, high in self.values(run)], slopes

    def narrowed(self, sides: Sequence[Span], ceiling: float) -> Box | None:
        """The box of branch and bound contracted to where all can hold and the goal is not above the ceiling."""
        rounded = rounded_inwards(sides, self.steps)
        if rounded is None or not (self.gaps or self.system.zeros):
            return rounded
        low, high = self.system.allowed
        goal = low, min(ceiling, high)
        narrowed = contracted(self.dag, (*rounded, goal, *[(-math.inf, 0.0)] * len(self.gaps)), _SWEEPS)
        if narrowed is not None and self.system.zeros:
            narrowed = self.consistency.contracted(narrowed)
        return None if narrowed is None else rounded_inwards(narrowed[: len(sides)], self.steps)

    def part(self, sides: Box) -> Part | None:
        """A part of branch and bound in a box: bounds of goal, gaps, zeros; None if one of these cannot hold in it."""
        run = self.run(sides)
        if run is None:
            return None
        values = self.values(run)
        if any(values[j][0] > 0 for j in self.gaps):
            return None
        slopes = self._slopes(sides, run)
        for j, form in enumerate(slopes):
            if form is not None:
                low, high = form.values
                values[j] = max(values[j][0], low), min(values[j][1], high)
            least, most = values[j]
            if not least <= most or (j > 0 and least > 0) or (j > len(self.gaps) and most < 0):
                return None
        named = {**point_box(self.system.known), **dict(zip(self.names, sides, strict=True))}
        if any(True not in truths(guard, named) for guard in self.system.guards):
            return None
        return Part(sides, values, slopes)

    def _slopes(self, sides: Box, run: Run) -> list[MeanValueForm | None]:
        """Mean value forms of all expressions over branch and bound's part; None where it may jump or be undefined."""
        count = len(self.names)
        smooth = [self.dag.is_smooth(j, run) for j in range(len(self.dag.roots))]
        rows = [self.dag.gradient(j, run)[:count] if is_smooth else None for j, is_smooth in enumerate(smooth)]
        bounded = [row is not None and all(map(math.isfinite, chain.from_iterable(row))) for row in rows]
        centres = tuple(map(centre, sides))
        at_centres = self.run([(x, x) for x in centres]) if any(bounded) else None
        if at_centres is None:
            return [None] * len(rows)
        asides = distances(sides, centres)
        return [
            MeanValueForm.of(at_centres.spans[self.dag.roots[j]], row, asides)
            if row is not None and bounded[j] and self.dag.is_smooth(j, at_centres)
            else None
            for j, row in enumerate(rows)
        ]

    def better(self, part: Part) -> Box | None:
        """A part of branch and bound cut to better ends, for the goal and all gaps that may bind; None if none is.

        A side that moves only gaps that do not bind is cut to its middle: its ends may be open.
        """
        forms = [part.slopes[0], *(part.slopes[j] for j in self.gaps if self._may_bind(part, j))]
        if None in forms or not self._is_defined(part):
            return None
        sides = list(part.box)
        for i in self.loose:
            slopes = [form.slopes[i] for form in forms if form is not None]
            is_idle = i in self.limited and not self.steps[i] and all(slope == (0, 0) for slope in slopes)
            sides[i] = (centre(part.box[i]),) * 2 if is_idle else better_end(part.box[i], slopes)
        return tuple(sides) if tuple(sides) != part.box else None

    def _may_bind(self, part: Part, gap: int) -> bool:
        """Whether a gap in branch and bound may fail somewhere in a part."""
        most = part.values[gap][1]
        return most > 0 or (most == 0 and gap in self.strict)

    def fails_strictly(self, part: Part) -> bool:
        """Whether a gap that may not be zero is so, or positive, all over a part of branch and bound."""
        return any(part.values[gap][0] >= 0 for gap in self.strict)

    def _is_defined(self, part: Part) -> bool:
        """Whether all that is needed, and each gap, is defined all over a part of branch and bound, its ends included.

        A gap that is smooth is.
        """
        spans = point_box(self.system.known)
        spans |= dict(zip(self.names, part.box, strict=True))
        doubtful = (gap for j, gap in enumerate(self.system.gaps, 1) if part.slopes[j] is None)
        enclosures = [enclose(node, spans, "") for node in (*self.system.needed, *doubtful)]
        return all(enclosure is not None and enclosure.flaw < GAP for enclosure in enclosures)

    def floor(self, part: Part, prices: Sequence[float]) -> float:
        """The lower bound of the goal that branch and bound has in a part: by enclosure, better corner or Lagrangian.

        The prices weigh the gaps and the zeros in the Lagrangian; that of a gap may not be negative.
        """
        goal = part.slopes[0]
        floor = max(part.values[0][0], self.system.allowed[0])
        if goal is None:
            return floor
        corner = self.corner(part)
        if corner != part.box:  # the gaps and the zeros need not be defined there
            run = self.run(corner, only=0)
            if run is not None:
                floor = max(floor, self.values(run)[0][0])
        priced = [(form, price) for form, price in zip(part.slopes[1:], prices, strict=False) if price]
        forms = [form for form, _ in priced if form is not None]
        if forms and len(forms) == len(priced):
            floor = max(floor, goal.plus(forms, [price for _, price in priced]).values[0])
        return floor

    def corner(self, part: Part) -> Box:
        """The box of a part in branch and bound, each side along which the goal is monotone cut to its better end."""
        goal = part.slopes[0]
        if goal is None:
            return part.box
        return tuple(better_end(side, [slope]) for side, slope in zip(part.box, goal.slopes, strict=True))

    def cut(self, part: Part, ceiling: float) -> Box | None:
        """The box of branch and bound's part cut by slopes to where the goal may be below the ceiling and all may hold.

        None if nothing is left. Where the others do their best, one side has to make up for the rest.
        """
        goal, *others = part.slopes
        forms = [goal.raised(-ceiling)] if goal is not None and math.isfinite(ceiling) else []
        for j, form in enumerate(others, 1):
            if form is not None:
                forms += [form] if j in self.gaps else [form, form.negated()]  # a zero is neither positive nor negative
        sides, middles = list(part.box), [*map(centre, part.box)]
        return tuple(sides) if all(form.cut(sides, middles) for form in forms) else None

    def widest(self, part: Part) -> int | None:
        """The side along which branch and bound cuts a part: there the goal, zeros and gaps that may bind change most.

        None if no side can be cut. Where slopes are unknown it is a count, if one is left: at other numbers of it, as
        beside a divisor that is zero at one, they may be known.
        """
        finest = [0.0 if step else FINEST_BOX for step in self.steps]
        open_sides = [i for i, side in enumerate(part.box) if breadth(side) > finest[i]]
        forms = [form for j, form in enumerate(part.slopes) if j not in self.gaps or part.values[j][1] > 0]
        known = [form for form in forms if form is not None]
        counts = [i for i in open_sides if self.steps[i]]
        if counts and len(known) < len(forms):
            return max(counts, key=lambda i: breadth(part.box[i]))
        shares = {i: max((form.share(i) for form in known), default=0.0) for i in open_sides}
        return max(open_sides, key=lambda i: (shares[i], breadth(part.box[i])), default=None)

    def halves(self, sides: Box, i: int) -> tuple[Box, Box]:
        """The two halves of a box that branch and bound cuts along a side; for a count between two whole numbers."""
        (low, high), step = sides[i], self.steps[i]
        first = second = middle((max(low, -MOST), min(high, MOST)), LEAST)
        if low == 0 and high < MOST:
            first = second = max(LEAST, high / _FIRST)
        if step:  # between two whole numbers, so that neither half is empty
            count = max(math.floor(first / step), round(low / step))
            first = (count if math.isinf(high) else min(count, round(high / step) - 1)) * step
            second = first + step
        return (*sides[:i], (low, first), *sides[i + 1 :]), (*sides[:i], (second, high), *sides[i + 1 :])


def multipliers(goal: Sequence[float], others: Sequence[Sequence[float]], signed: Sequence[bool]) -> list[float]:
    """Weights for the Lagrangian by which branch and bound bounds the goal, in which the slopes nearly cancel.

    At a local optimum the goal's slope is a combination of the slopes of the limits that bind, with weights that are
    not negative (Karush, Kuhn and Tucker); of those that are `signed`, none is. Nothing rests on their accuracy: any
    such weights give a valid lower bound, and good ones a tight one.

    >>> multipliers([-2.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [True, True])
    [2.0, 0.0]
    """
    active = [j for j, slope in enumerate(others) if any(slope) and all(map(math.isfinite, slope))]
    while active:
        fitted = _fitted(goal, [others[j] for j in active])
        if fitted is None:
            active.pop()
            continue
        worst = min((j for j in range(len(active)) if signed[active[j]]), key=lambda j: fitted[j], default=None)
        if worst is None or fitted[worst] >= 0:
            by_place = dict(zip(active, fitted, strict=True))
            return [by_place.get(j, 0.0) + 0.0 for j in range(len(others))]  # no negative zero
        del active[worst]
    return [0.0] * len(others)


def _fitted(goal: Sequence[float], slopes: Sequence[Sequence[float]]) -> list[float] | None:
    """Weights with which branch and bound's slopes nearly cancel, by normal equations; None if they are dependent."""
    lengths = [math.sqrt(math.fsum(x * x for x in slope)) for slope in slopes]
    if 0.0 in lengths:  # the square of a slope of 1e-200 is too small for a double
        return None
    units = [[x / length for x in slope] for slope, length in zip(slopes, lengths, strict=True)]
    rows = []
    for unit in units:
        products = [math.fsum(map(mul, unit, other)) for other in units]
        rows.append([*products, -math.fsum(map(mul, unit, goal))])
    weights = solved(rows, RANK)
    return None if weights is None else [x / length for x, length in zip(weights, lengths, strict=True)]


def centre(side: Span) -> float:
    """The middle of a side in branch and bound; of an endless one, a number of a size between those of its ends."""
    low, high = side
    if low == high:
        return low
    if math.isinf(low) or math.isinf(high):
        return middle((max(low, -MOST), min(high, MOST)), LEAST)
    return low / 2 + high / 2


def breadth(side: Span) -> float:
    """How long a side is for branch and bound to cut: relative to size, or near the logarithm of its ends' ratio."""
    low, high = side
    if low == high:
        return 0.0
    size = max(abs(low), abs(high))
    if size == math.inf:
        return 4000.0  # more than the logarithm of any ratio of doubles
    if low > 0 or high < 0:
        near = min(abs(low), abs(high))
        return math.log(size / near) if size > 2 * near else (high - low) / size
    return 2.0 + (high - low) / size if size > AROUND_ZERO else 0.0


_STALE = 100  # parts after which a search that attains nothing better looks at all equal parts in turn


class Search:
    """The search for the least value of a system, best part first. Subclasses say which values are attained."""

    seeks_points = False  # whether it goes on where the bound cannot rise, for a better value

    def __init__(self, boxes: Boxes, most: int, value: float = math.inf) -> None:
        """Begin branch and bound without any part of the box, and with a limit on the number of parts."""
        self.boxes = boxes
        self.most = most  # limit on parts
        self.value = value  # the least that is attained
        self.count = 0  # of parts so far
        self.queue: list[tuple[float, int, Part, int | None]] = []  # bound, turn, part, and the side to cut
        self.latest: tuple[float, int] = (value, 0)  # the least value attained, and how many parts there were by then
        self.settled = math.inf  # the least bound of what is not cut further
        self.pending = -math.inf  # the bound of what is being cut

    @property
    def floor(self) -> float:
        """The lower bound of the goal in all parts of branch and bound: no value is below."""
        return min([self.settled, self.pending, *(bound for bound, *_ in self.queue)])

    def run(self) -> None:
        """Branch and bound: cut the parts with the least bounds until none is below the least value attained."""
        self.push(self.boxes.whole)
        self.pending = math.inf
        while self.queue and self.count < self.most:
            tick()
            if self.queue[0][0] >= self.value - self.slack():
                break
            self.pending, _, part, widest = heapq.heappop(self.queue)
            if widest is None or self.is_endless(part):
                self.settled = min(self.settled, self.pending)
                if not self.seeks_points:
                    break
            else:
                for half in self.boxes.halves(part.box, widest):
                    self.count += 1
                    self.push(half)
                    self.after(half)
            self.pending = math.inf

    def push(self, sides: Box) -> None:
        """Put a part into the queue of branch and bound unless its bound shows nothing better."""
        part = self._examined(sides)
        if part is None or part.floor >= self.value:
            return
        self.attain(part)
        if part.floor < self.value:
            heapq.heappush(self.queue, (part.floor, self._turn(), part, self.boxes.widest(part)))

    def _turn(self) -> int:
        """The turn of branch and bound's latest part among equal ones: the first, as long as that leads to better ones.

        Where it does not, as beside a jump that rounding blurs at every number of one unknown, the others come first.
        """
        if self.value < self.latest[0]:
            self.latest = self.value, self.count
        return -self.count if self.count - self.latest[1] <= _STALE else self.count

    def _examined(self, sides: Box) -> Part | None:
        """A part of branch and bound after narrowing, with the goal's lower bound; None if it has nothing better."""
        boxes = self.boxes
        for _ in range(_ROUNDS):
            narrowed = boxes.narrowed(sides, self.value)
            part = None if narrowed is None else boxes.part(narrowed)
            if part is None or boxes.fails_strictly(part):
                return None
            better = boxes.better(part)
            smaller = boxes.cut(part, self.value) if better is None else better
            if smaller is None:
                return None
            if better is None and not is_narrower(smaller, part.box, _PAYS):
                break
            sides = smaller
        assert part is not None
        floor = self.bound(part)  # what is known is known of the part before the last cut
        return replace(part, floor=floor) if floor <= boxes.system.allowed[1] else None

    def slack(self) -> float:
        """How near to the least value attained branch and bound has to bring the lower bound of the goal."""
        raise NotImplementedError

    def bound(self, part: Part) -> float:
        """The lower bound of the goal that branch and bound has in a part."""
        raise NotImplementedError

    def attain(self, part: Part) -> None:
        """Lower the least value that branch and bound has of the goal by what is attained in a part."""
        raise NotImplementedError

    def is_endless(self, part: Part) -> bool:
        """Whether the goal of branch and bound is below every bound throughout a part."""
        return False

    def after(self, half: Box) -> None:
        """Try something else of the branch and bound's own in each half after a cut."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound that no value exceeds, and whether it is close."""

    at: float
    is_close: bool


def least_and_greatest(system: System, most: int = PARTS) -> tuple[Bound, Bound] | None:
    """The bounds of the goal over the box, below and above, by branch and bound; None if it has no value.

    >>> from derive.expressions.grammar import parse_expression
    >>> roof = parse_expression("t - max(x, 5)")
    >>> bounds = least_and_greatest(System(parse_expression("2*x"), (0, 99), (roof,), {"x": (0, 99), "t": (3, 7)}))
    >>> [round(bound.at, 6) for bound in bounds]
    [0.0, 14.0]
    """
    used = {name: system.box[name] for name in names_in(system.goal, *system.zeros, *system.gaps, *system.guards)}
    points = {name: low for name, (low, high) in used.items() if low == high}
    moving = {name: side for name, side in used.items() if name not in points}
    least_problem = replace(system, box=moving, known=points)
    low = _least(least_problem, most)
    if low is None:
        return None
    negative = -system.allowed[1], -system.allowed[0]
    high = _least(replace(least_problem, goal=Apply("neg", (system.goal,)), allowed=negative), most)
    if high is None or low.at > -high.at:  # no value is between them
        return None
    return low, Bound(-high.at, high.is_close)


def _least(system: System, most: int) -> Bound | None:
    """The goal's lower bound by branch and bound, and whether that has brought it close; None if there is no value."""
    try:
        search = _RangeSearch(system, most)
    except LimitError:
        return Bound(system.allowed[0], is_close=False)
    search.run()
    floor, best = search.floor, search.value
    if floor < best - search.slack():
        return Bound(floor, is_close=False)
    if best == math.inf:
        return None
    is_rounding = not system.zeros and floor >= best - EXPRESSION * abs(best)
    return Bound(best if is_rounding else min(floor, best), is_close=True)


class _RangeSearch(Search):
    """The search for the least value of a goal where zeros may tie its names."""

    def __init__(self, system: System, most: int) -> None:
        super().__init__(Boxes(system), most)
        self.system = system
        self.size: float | None = None  # of the values, beside which a difference is small
        if not system.zeros:
            self._try_corners()

    def slack(self) -> float:
        return max(EXTREME / 2 * max(abs(self.value), self.size or 0.0), LEAST) if self.value < math.inf else 0.0

    def _try_corners(self) -> None:
        """Attain the goal at the middle and corners of branch and bound's box, which also shows how large it gets."""
        sides = self.boxes.whole
        points = [tuple(low / 2 + high / 2 for low, high in sides)]  # next to a pole the goal reaches far
        if len(sides) <= _CORNERED:
            points += product(*sides)
        goals = [goal for goal in map(self._attained_at, points) if math.isfinite(goal)]
        self.size = (max(goals) - min(goals)) / 100 if goals else 0.0

    def _attained_at(self, point: Sequence[float]) -> float:
        """The goal at a point, which counts as attained; infinite where it is undefined or not allowed."""
        named = dict(zip(self.boxes.names, point, strict=True))
        numbers = {**self.system.known, **named}
        number = value(self.system.goal, numbers)
        if not self.system.allowed[0] <= number <= self.system.allowed[1]:
            return math.inf
        if not all(value(gap, numbers) <= 0 for gap in self.system.gaps):  # NaN where one is undefined
            return math.inf
        if not all(holds(guard, numbers) for guard in self.system.guards):
            return math.inf
        self.value = min(self.value, number)
        return number

    def bound(self, part: Part) -> float:
        """The lower bound that branch and bound has in a part, with multipliers for others by middles of slopes."""
        others = [form for form in part.slopes[1:] if form is not None]
        goal = part.slopes[0]
        if goal is None or not others:
            return self.boxes.floor(part, ())
        middles = [[low / 2 + high / 2 for low, high in form.slopes] for form in (goal, *others)]
        signed = [j in self.boxes.gaps for j, form in enumerate(part.slopes) if j and form is not None]
        weights = iter(multipliers(middles[0], middles[1:], signed))
        return self.boxes.floor(part, [0.0 if form is None else next(weights) for form in part.slopes[1:]])

    def attain(self, part: Part) -> None:
        """Lower branch and bound's least value by the goal at a part's centre, or in a part where the zeros hold."""
        low, high = max(part.floor, self.system.allowed[0]), min(part.values[0][1], self.system.allowed[1])
        if self.system.zeros and self.size is None:
            self.size = (high - low) / 100 if math.isfinite(high - low) else 0.0
        if not self.system.zeros:
            self._attained_at(tuple(map(centre, part.box)))
            if not self.system.gaps:
                return
            self._attained_at(tuple(map(centre, self.boxes.corner(part))))
        if self._is_settled(part.box):
            self.value = min(self.value, high)
        elif self.system.zeros:
            corner = self.boxes.narrowed(self.boxes.corner(part), self.value)
            at_corner = None if corner is None else self.boxes.part(corner)
            if at_corner is not None and self._is_settled(at_corner.box):
                self.value = min(self.value, at_corner.values[0][1])

    def is_endless(self, part: Part) -> bool:
        return bool(self.system.zeros) and part.floor == -math.inf and part.values[0][1] <= -MOST

    def _is_settled(self, box: Box) -> bool:
        """Whether values in branch and bound's part count as attained: zeros hold to a millionth of their terms.

        By what a zero may lack, a condition may seem to hold beside a jump: `y < 0` of `y = (x - 2)**2`. So the gaps of
        a system with guards need as much room as its zeros have.
        """
        run = self.boxes.run(box)
        if run is None:
            return False
        sizes = self._sizes_of_terms(run)
        zeros = [j for j in sizes if j not in self.boxes.gaps]
        room = EXTREME * max(map(sizes.__getitem__, zeros), default=0.0) if self.system.guards else 0.0
        for j, size in sizes.items():
            low, high = run.spans[self.boxes.dag.roots[j]]
            if j in self.boxes.gaps and room:
                is_met = high <= -room
            else:
                excess = high if j in self.boxes.gaps else high - low
                is_met = size <= LEAST or excess <= EXTREME * size < math.inf
            if not is_met:
                return False
        return bool(zeros) or self._may_hold(box)

    def _sizes_of_terms(self, run: Run) -> dict[int, float]:
        """How large the terms of each gap and zero of branch and bound are at most, by its place."""
        dag = self.boxes.dag
        steps = {step.place: step for step in dag.steps}
        sizes = {}
        for j, root in enumerate(dag.roots[1:], 1):
            terms = steps[root].args if root in steps and steps[root].op == "add" else (root,)
            sizes[j] = sum(max(map(abs, run.spans[term])) for term in terms)
        return sizes

    def _may_hold(self, box: Box) -> bool:
        """Whether all guards hold at one of some points of branch and bound's part: beside a jump they may nowhere."""
        if not self.system.guards:
            return True
        points = [tuple(map(centre, box)), *(product(*box) if len(box) <= _CORNERED else ())]
        named = ({**self.system.known, **dict(zip(self.boxes.names, point, strict=True))} for point in points)
        return any(all(holds(guard, numbers) for guard in self.system.guards) for numbers in named)
