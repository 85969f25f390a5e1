"""The discrete choices of an optimum when the ranges behind it turn out.

An optimum is taken at the middles of ranges. Three questions are answered beside it of every discrete choice: its best
value at the middle, its best value where the ranges turn out worst, and how often it is the best of all in a sample.
In each, the quantities that are free are chosen anew, for a fleet is bought before prices and efficiencies are known,
and its batch is set afterwards.

Values are drawn as in a sample (`tables.monte_carlo`): a typed range is uniform, a profile's is a triangle around its
value. Choices share a draw where they share its origin: what is typed, and what the same profile states. The rents of
two chips are two ranges, though they bear one name. The corners of the ranges count for the worst case.

At each point the free quantities are sought on a grid that shrinks around the best point of the last one, for all draws
at once. The limits of the programs hold at every point that counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy

from derive.errors import ExpressionError, LimitError
from derive.expressions.tree import Node, names_in
from derive.kernels.agreement import tested
from derive.numerics.algebra.evaluation import weighed
from derive.optimization.choice_question import Choice, ChoiceQuestion
from derive.optimization.discrete_choice import SearchedChoice, programs_of
from derive.optimization.program import Program
from derive.presentation.numbers import DIGITS, in_unit, percentage, shown_number
from derive.presentation.plain_data import attributes
from derive.presentation.text import columns
from derive.solving.execution.question import ask
from derive.tables.monte_carlo import spread_of
from derive.time_limits import query
from derive.tolerances import TIGHT
from quantities.declaration import Declaration
from quantities.profiles import Profile
from quantities.value import Value

_MOST_POINTS = 100_000
_MOST_CORNERS = 256
_GRID = {0: 1, 1: 64, 2: 32, 3: 12, 4: 7}  # points along each of so many free quantities
_ROUNDS = 10
_PIECE = 1 << 20  # numbers computed at once


@dataclass(frozen=True)
class Outcome:
    """One discrete choice over the ranges; numbers are in base units."""

    choice: Choice
    middle: float
    worst: float  # the worst that was met in the draws and the corners; infinite where the limits exclude each other
    wins: float  # share of the draws in which no other choice is better
    holds: float  # share of the draws in which the limits allow it at all


@dataclass(frozen=True)
class ChoicesUnderRanges:
    """The choices over the ranges: which is the best at the middle, in the worst case, and how often."""

    sense: str
    quantity: Declaration
    outcomes: tuple[Outcome, ...]
    ranges: tuple[str, ...]  # each with its origin, if that is a profile
    points: int
    seed: int
    none_holds: float = 0.0  # share of the draws in which no choice holds

    @property
    def at_middle(self) -> Outcome:
        return self._best(self.outcomes, lambda outcome: outcome.middle)

    @property
    def in_worst_case(self) -> Outcome:
        """The choice whose worst value over the ranges is the best; one that the limits exclude somewhere has none."""
        return self._best(self.outcomes, lambda outcome: outcome.worst)

    @property
    def most_often(self) -> Outcome:
        return max(self.outcomes, key=lambda outcome: outcome.wins)

    def _best(self, among: Sequence[Outcome], number: Callable[[Outcome], float]) -> Outcome:
        return (min if self.sense == "least" else max)(among, key=number)

    def value(self, base: float) -> Any:
        """A number of a choice over the ranges as a pint Quantity in the declared unit."""
        return in_unit(base, self.quantity.unit)

    @query()
    def text(self, digits: int = DIGITS) -> str:
        """A table of the choices over the ranges, and what is best at the middle, in the worst case and most often."""
        unit = self.quantity.unit
        names = [_choice_name(self, outcome) for outcome in self.outcomes]
        rows = [
            (
                name,
                shown_number(outcome.middle, unit, digits),
                shown_number(outcome.worst, unit, digits) if math.isfinite(outcome.worst) else "excluded",
                percentage(outcome.wins),
                percentage(outcome.holds),
            )
            for name, outcome in zip(names, self.outcomes, strict=True)
        ]
        best_outcomes = {
            "best at the middle": self.at_middle,
            "best in the worst case": self.in_worst_case,
            "best most often": self.most_often,
        }
        lines = [f"{self.sense} {self.quantity.name} over the ranges of {', '.join(self.ranges)}", ""]
        lines += columns([("choice", "at the middle", "in the worst case", "wins", "holds"), *rows])
        lines += ["", *(f"{words}: {_choice_name(self, outcome)}" for words, outcome in best_outcomes.items())]
        if self.none_holds:
            lines.append(f"in {percentage(self.none_holds)} of the draws no choice holds")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def under_ranges(
    question: ChoiceQuestion, choices: Sequence[tuple[SearchedChoice, Choice]], points: int, seed: int
) -> ChoicesUnderRanges:
    """The choices of an optimum where the uncertain ranges turn out: those that have a value at the middles."""
    if isinstance(points, bool) or not isinstance(points, int) or not 1 <= points <= _MOST_POINTS:
        hint = f"Give a whole number from 1 to {_MOST_POINTS}."
        raise ExpressionError(f"points = {points!r} is not allowed.", hint=hint, text=repr(points))
    found_choices = [choice for searched, choice in choices if searched.best.is_found]
    uncertain_choices = [_UncertainChoice(searched) for searched, _ in choices if searched.best.is_found]
    origins = dict.fromkeys(chain.from_iterable(uncertain.origins.values() for uncertain in uncertain_choices))
    if not origins:
        raise ExpressionError(
            f"{question.target} depends on no range in any choice.",
            hint='Give one of the fixed quantities an uncertainty, such as "0.7 +/- 0.1".',
        )
    best_values = numpy.array([uncertain.best(uncertain.draws(points, seed)) for uncertain in uncertain_choices])
    least = best_values.min(axis=0)
    is_none = ~numpy.isfinite(least)
    outcomes = []
    for choice, uncertain, numbers in zip(found_choices, uncertain_choices, best_values, strict=True):
        wins = float(((numbers <= least + TIGHT * numpy.abs(least)) & ~is_none).mean())
        worst = max(float(numbers.max()), float(uncertain.best(uncertain.corners()).max()))
        holds = float(numpy.isfinite(numbers).mean())
        outcomes.append(Outcome(choice, choice.best or 0.0, question.sign * worst, wins, holds))
    target = question.library.declared[question.target]
    none = float(is_none.mean())
    return ChoicesUnderRanges(question.sense, target, tuple(outcomes), tuple(origins), points, seed, none)


class _UncertainChoice:
    """One choice under its uncertain ranges, with a search for each case that they meet."""

    def __init__(self, choice: SearchedChoice) -> None:
        """Build the programs of a choice again, with its uncertain givens as ranges in place of their middles."""
        question, self.pick = choice.question, choice.pick
        self.library = question.library
        asked = ask(self.library, question.target, self.pick.profiles, question.given(self.pick))
        stated = {**asked.weak, **asked.strong}
        uncertain = {name: value for name, value in stated.items() if value.is_range and name not in question.ranges}
        spans = {name: (value.base[0], value.base[2]) for name, value in uncertain.items()}
        programs = programs_of(question, self.pick, asked, spans)
        if any(program.solved is not None or program.ties for program in programs):
            raise LimitError(
                f"{question.target} has no closed form in terms of what is free, and not tied, which this needs.",
                hint="Ask for the best choice at the ends of each range instead.",
                limit="closed forms",
            )
        met = {*names_in(*chain.from_iterable(map(_trees, programs)))}
        self.ranges = {name: value for name, value in uncertain.items() if name in met}
        self.origins = {name: self._origin(name, asked.strong) for name in self.ranges}
        self.searches = [_Search(program, list(self.ranges)) for program in programs]

    def _origin(self, name: str, typed: Mapping[str, Value]) -> str:
        """The name of an uncertain range, with the profile that states it unless it is typed."""
        if name not in typed:
            for entry in reversed(self.pick.profiles):
                profile = entry if isinstance(entry, Profile) else self.library.profile(entry)
                if name in profile.values:
                    return f"{name} of {profile.name}"
        return name

    def draws(self, points: int, seed: int) -> list[Any]:
        """The numbers drawn from each uncertain range of a choice, in base units."""
        columns = []
        for name, value in self.ranges.items():
            stream = numpy.random.default_rng([seed, *self.origins[name].encode()])
            columns.append(spread_of(value, self.library.declared[name]).at(stream.random(points)))
        return columns or [numpy.zeros(points)]

    def corners(self) -> list[Any]:
        """The ends of uncertain ranges in every combination; of many ranges, all low and all high."""
        ends = [(value.base[0], value.base[2]) for value in self.ranges.values()]
        chosen = list(product(*ends)) if 2 ** len(ends) <= _MOST_CORNERS else list(zip(*ends, strict=True))
        return [numpy.array(column) for column in zip(*chosen, strict=True)] or [numpy.zeros(1)]

    def best(self, draws: Sequence[Any]) -> Any:
        """What a choice reaches at each draw of its uncertain ranges, signed so that less is better; else infinite."""
        return numpy.min([search.best(draws) for search in self.searches], axis=0)


def _trees(program: Program) -> Iterable[Node]:
    """The expressions that are computed at each draw of a program's uncertain ranges."""
    yield program.plain
    for limit in program.limits:
        yield from (limit.written.lhs, limit.written.rhs)
        yield from () if limit.guard is None else (limit.guard,)
    yield from program.guards
    yield from (test.form for test in program.domain_tests)


class _Search:
    """The best point of one program, at many draws of its ranges at once."""

    def __init__(self, program: Program, ranges: Sequence[str]) -> None:
        self.program, self.ranges = program, ranges
        self.names = (*program.names, *ranges, *(n for n in program.known if n not in {*program.names, *ranges}))
        self.rows = _GRID.get(program.free, 5)
        self.function = tested(self.names, self._written)

    def _written(self, text: Callable[[Node], str]) -> str:
        """The numpy code of a program's signed goal at draws of its ranges, and of whether all of its limits hold.

        Guards and domains have to hold too. `text` writes a node.
        """
        program = self.program
        tests = []
        for limit in program.limits:
            left, right = text(limit.written.lhs), text(limit.written.rhs)
            over = f"({left} - {right})" if limit.written.op == "<=" else f"({right} - {left})"
            slack = f"{TIGHT!r} * (np.abs({left}) + np.abs({right}))"
            if limit.approximate:
                sizes = " + ".join(f"np.abs({text(part)})" for part in weighed(limit.written))
                slack = f"({slack} + {limit.approximate!r} * ({sizes}))"
            elsewhere = f" | ~(sure({text(limit.guard)}) > 0)" if limit.guard is not None else ""
            tests.append(f"(({over} <= {slack}){elsewhere})")
        tests += [f"(sure({text(guard)}) > 0)" for guard in program.guards]
        for test in program.domain_tests:
            form, low = text(test.form), ">" if test.domain.open_low else ">="
            if math.isfinite(test.domain.low):
                tests.append(f"({form} {low} {test.domain.low!r})")
            if math.isfinite(test.domain.high):
                tests.append(f"({form} <= {test.domain.high!r})")
        verdict = " & ".join(tests) or "True"
        return f"({program.sign!r} * {text(program.plain)}, {verdict})"

    def best(self, draws: Sequence[Any]) -> Any:
        """The least signed goal of a program at each draw of its uncertain ranges."""
        count = len(draws[0])
        piece = max(1, _PIECE // self.rows**self.program.free)
        parts = [self._best([draw[i : i + piece] for draw in draws]) for i in range(0, count, piece)]
        return numpy.concatenate(parts)

    def _best(self, draws: Sequence[Any]) -> Any:
        """The least signed goal that a choice reaches in one program, at some draws of its uncertain ranges.

        It is sought on a grid over the box, then on smaller ones around each draw's best point.
        """
        program, count = self.program, len(draws[0])
        low = [numpy.full(count, side[0]) for side in program.box[: program.free]]
        high = [numpy.full(count, side[1]) for side in program.box[: program.free]]
        best = numpy.full(count, math.inf)
        best_points = [lows.copy() for lows in low]
        for _ in range(_ROUNDS if program.free else 1):
            grid = numpy.meshgrid(*[numpy.linspace(0.0, 1.0, self.rows)] * program.free, indexing="ij")
            shares = [axis.ravel() for axis in grid]
            points = [self._points(i, share, low[i], high[i]) for i, share in enumerate(shares)]
            values = self._values(points, draws)
            places = numpy.argmin(values, axis=1)
            round_best = values[numpy.arange(count), places]
            better = round_best < best
            best = numpy.where(better, round_best, best)
            for i, column in enumerate(points):
                best_points[i] = numpy.where(better, column[numpy.arange(count), places], best_points[i])
                low[i], high[i] = self._around(i, best_points[i], low[i], high[i])
        return best

    def _points(self, i: int, share: Any, low: Any, high: Any) -> Any:
        """Grid points along a free quantity at each draw of ranges, whole for a count; in even ratios if positive."""
        (box_low, box_high), step = self.program.box[i], self.program.steps[i]
        low, high = low[:, None], high[:, None]
        points = low * (high / low) ** share if box_low > 0 else low + (high - low) * share
        if not step:
            return points
        return numpy.clip(numpy.round(points / step), math.ceil(box_low / step), math.floor(box_high / step)) * step

    def _around(self, i: int, centre: Any, low: Any, high: Any) -> tuple[Any, Any]:
        """The next grid's interval at each draw of uncertain ranges: two old steps to each side of the best."""
        box_low, box_high = self.program.box[i]
        if box_low > 0:
            factor = (high / low) ** (2 / (self.rows - 1))
            return numpy.maximum(box_low, centre / factor), numpy.minimum(box_high, centre * factor)
        step = (high - low) * (2 / (self.rows - 1))
        return numpy.maximum(box_low, centre - step), numpy.minimum(box_high, centre + step)

    def _values(self, points: Sequence[Any], draws: Sequence[Any]) -> Any:
        """The signed goal at grid points of each draw of the ranges; infinite where something does not hold."""
        columns = [*points, *(draw[:, None] for draw in draws[: len(self.ranges)])]
        known = [numpy.float64(self.program.known[name]) for name in self.names[len(columns) :]]
        with numpy.errstate(all="ignore"):
            goal, holds = self.function(*columns, *known)
        shape = points[0].shape if points else (len(draws[0]), 1)
        admitted = numpy.where(holds & numpy.isfinite(goal), goal, math.inf)
        return numpy.broadcast_to(admitted, shape)


def _choice_name(result: ChoicesUnderRanges, outcome: Outcome) -> str:
    """The label of a choice over the ranges: the profiles that tell it from the others, and its list entries."""
    shared = set.intersection(*(set(other.choice.profiles) for other in result.outcomes))
    names = [name for name in outcome.choice.profiles if name not in shared or len(result.outcomes) == 1]
    listed = [f"{name} = {text}" for name, text in outcome.choice.listed.items()]
    return ", ".join([*names, *listed]) or "the one choice"


def as_data(result: ChoicesUnderRanges) -> dict[str, Any]:
    """The choices over the uncertain ranges as plain data; `worst` is null where the limits exclude a choice."""
    unit = result.quantity.unit
    return {
        **attributes(result, "ranges", "points", "seed", "none_holds"),
        "outcomes": [
            {
                **attributes(outcome.choice, "profiles", "listed"),
                "middle": unit.from_base(outcome.middle),
                "worst": unit.from_base(outcome.worst) if math.isfinite(outcome.worst) else None,
                **attributes(outcome, "wins", "holds"),
            }
            for outcome in result.outcomes
        ],
    }
