"""The Pareto front of two targets: the choices of which no other is better in both.

Each point is two proved optima. The second target is held at a bound (the epsilon-constraint method), the first is made
best under it, and then the second as good as it can be without losing any of the first; without that second step a
point could be dominated. The bounds run from the second target's value where the first is best to its own best value.

Whether a target is to be least or most may be said ("most user_speed"). Where it is not, a rate (so many per time) is
to be most unless it is one of money, and everything else least.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, SupportsIndex

from derive.errors import ExpressionError, InconsistentError, LimitError
from derive.expressions.tree import Apply, Equation, Name
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.model.target_expressions import asking, split_unit
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import ZERO
from derive.optimization.choice_question import ChoiceQuestion, Constraint, read_question
from derive.optimization.discrete_choice import SearchedChoice, answers_at, best_of, put_back, searched_choice
from derive.optimization.infeasibility import none_found
from derive.optimization.optimum_certificate import proof_of_optimum
from derive.optimization.program import DomainTest, Limit, Program
from derive.presentation.cautions import PlacedRemark, is_amiss, largest, without_part
from derive.presentation.charts import Axis, Chart, Series, holding
from derive.presentation.numbers import DIGITS, heading_with_unit, in_unit, shown_choice, shown_number
from derive.presentation.plain_data import point_data
from derive.presentation.text import Document, Result, Section, columns
from derive.solving.execution.answer import Answer
from derive.time_limits import query, sharing
from derive.tolerances import AGREEMENT, TIGHT
from quantities.declaration import Declaration
from quantities.domain import Domain
from quantities.value import Value

_POINTS = 12
_SHARE = 0.2  # of the time that is left, for one search
_DECADE = 10.0  # ratio of the ends from which the bounds are spaced by ratio
_SENSES = ("least", "most")
_ANY = Domain("real", -math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """One choice of the front, with the answers for both targets there."""

    answers: tuple[Answer, Answer]
    chosen: Mapping[str, float]  # in base units
    profiles: tuple[str, ...]
    proved: bool

    @property
    def values(self) -> tuple[Any, Any]:
        """Both targets at a point of the front as pint Quantities."""
        first, second = self.answers
        return first.value, second.value

    @property
    def numbers(self) -> tuple[float, float]:
        """Both targets at a point of the front in their declared units."""
        first, second = (answer.quantity.unit.from_base(answer.base or 0.0) for answer in self.answers)
        return first, second

    @property
    def failed(self) -> set[str]:
        """The names of the checks that do not hold at a point of the front."""
        return {check.name for check in chain.from_iterable(answer.failed for answer in self.answers)}


@dataclass(frozen=True)
class Front(Result):
    """The front, from the best of the first target to the best of the second."""

    targets: tuple[Declaration, Declaration]
    senses: tuple[str, str]
    points: tuple[FrontPoint, ...]
    quantities: Mapping[str, Declaration] = field(repr=False, compare=False)  # that are chosen
    given: Mapping[str, Value] = field(default_factory=dict)  # what is fixed, and the ranges to choose from
    such_that: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        return all(point.proved for point in self.points)

    @property
    def failed(self) -> dict[str, int]:
        """For each check that does not hold somewhere on the front, at how many of its points."""
        broken = [point.failed for point in self.points]
        return {name: sum(name in names for names in broken) for name in sorted(set().union(*broken))}

    @property
    def unused(self) -> tuple[str, ...]:
        """The typed names that no answer of the front uses."""
        first, *others = [set(answer.unused) for answer in chain.from_iterable(point.answers for point in self.points)]
        idle = first.intersection(*others)
        return tuple(name for name in self.points[0].answers[0].unused if name in idle)

    @cached_property
    def remarks(self) -> tuple[PlacedRemark, ...]:
        """What the answers in the middle of the front assume, take by default or leave out, each with its size."""
        middle = self.points[len(self) // 2]
        chosen = point_data(middle.chosen, self.quantities)
        placed: list[PlacedRemark] = []
        for answer in middle.answers:
            placed += [PlacedRemark(answer.quantity.name, chosen, remark) for remark in answer.remarks]
        return tuple(placed)

    def at(self, i: int) -> dict[str, Any]:
        """The quantities and profiles that were chosen at a point of the Pareto front."""
        if not isinstance(i, SupportsIndex) or not -len(self.points) <= i < len(self.points):
            hint = f"Give a whole number below {len(self.points)}: the first is at 0."
            raise ExpressionError(f"{i!r} is no place on this front.", hint=hint, text=repr(i))
        point = self.points[i]
        chosen = {name: in_unit(number, self.quantities[name].unit) for name, number in point.chosen.items()}
        return {**chosen, "profiles": point.profiles}

    @query()
    def _document(self, digits: int | None = None) -> Document:
        """The Pareto front of two targets as a table, and whether its points are proved."""
        shown_digits = digits or DIGITS
        names = [quantity.name for quantity in self.targets]
        rows = [(*names, *self.quantities, "profiles")]
        for point in self.points:
            values = [shown_number(answer.base or 0.0, answer.quantity.unit, shown_digits) for answer in point.answers]
            chosen = [shown_choice(x, self.quantities[name], shown_digits) for name, x in point.chosen.items()]
            rows.append((*values, *chosen, ", ".join(point.profiles) or "-"))
        goals = " and ".join(f"{sense} {name}" for sense, name in zip(self.senses, names, strict=True))
        proof = "each point is proved" if self.proved else "not every point is proved"
        amiss = tuple(_cautions(self, shown_digits))
        return Document(
            headline=f"front of {goals}: {len(self)} points, {proof}",
            remarks=amiss,
            sections=(Section("", columns(rows)),),
            cautions=amiss,
            is_amiss=not self.proved or is_amiss(self),
            charts=lambda: charts(self),
            data=lambda: as_data(self),
        )

    def plot(self) -> Any:
        """The Pareto front as a figure: one target against the other, each chip or model in its own colour."""
        from derive.presentation.plotting import figure

        return figure(*charts(self))

    def __repr__(self) -> str:
        return f"<Front of {str(self).splitlines()[0]}>"

    def __len__(self) -> int:
        return len(self.points)


def pareto_front(
    library: RelationSet,
    targets: Sequence[str],
    profiles: Sequence[Any],
    such_that: str | Iterable[str],
    given: Mapping[str, Any],
    points: int = _POINTS,
) -> Front:
    """The Pareto front of two targets: the choices of which no other is better in both.

    >>> from derive.relation_files.loading import load
    >>> wall = load('''[quantities]
    ... thickness = { unit = "cm" }
    ... price = { unit = "USD" }
    ... loss = { unit = "W" }
    ... [relations]
    ... price = { equation = "price = each*thickness" }
    ... loss = { equation = "loss = leak/thickness" }
    ... [quantities.each]
    ... unit = "USD/cm"
    ... value = "10 USD/cm"
    ... [quantities.leak]
    ... unit = "W*cm"
    ... value = "600 W*cm"''')
    >>> found = pareto_front(wall, ["price", "loss"], (), (), {"thickness": "5..30 cm"}, points=3)
    >>> [f"{point.values[0]:.0f}, {point.values[1]:.0f}" for point in found.points]
    ['50 USD, 120 watt', '86 USD, 70 watt', '300 USD, 20 watt']
    """
    with query():
        library, ((first, first_sense), (second, second_sense)) = _read(library, targets, points)
        question = read_question(library, first.name, first_sense, profiles, such_that, given)
        try:
            undominated = _FrontSearch(question, second, second_sense).undominated(points)
        except InconsistentError:  # of a point at which something leaves its domain by a relation of some case
            if not library.conditional:
                raise
            undominated = _FrontSearch(question, second, second_sense, in_all_cases=True).undominated(points)
        names = (*question.ranges, *question.picks[0].listed)
        quantities = {name: library.declared[name] for name in names}
        shown_given = {**question.fixed, **question.ranges}
        stated = tuple(limit.name for limit in question.limits if limit.is_asked)
        return Front((first, second), (first_sense, second_sense), tuple(undominated), quantities, shown_given, stated)


def _read(
    library: RelationSet, targets: Sequence[str], points: int
) -> tuple[RelationSet, list[tuple[Declaration, str]]]:
    """Read the two targets of a front with their senses, and the library that has them.

    Of an expression, that is a copy of the library in which it is a quantity.
    """
    has_points = isinstance(points, SupportsIndex) and points >= 2
    if not isinstance(targets, (list, tuple)) or len(targets) != 2 or not has_points:
        what = "A front has two targets." if has_points else "A front has two points or more."
        raise ExpressionError(what, hint='Write front(["cost_per_token", "user_speed"], ..., points=12).')
    named = []
    for text in targets:
        sense, name = _split_sense(library, str(text).strip())
        library, name = asking(library, name)
        named.append((sense, name))
    quantities = [(library.declaration(name), sense) for sense, name in named]
    (first, _), (second, _) = quantities
    if first.name == second.name:
        raise ExpressionError(f"{first.name} is named twice.", hint="Name two targets that differ.")
    return library, [(quantity, sense or _usual_sense(quantity)) for quantity, sense in quantities]


def _split_sense(library: RelationSet, text: str) -> tuple[str, str]:
    """Split a target of a front into the sense that stands before it, empty if none does, and its name."""
    word, _, remainder = text.partition(" ")
    name = remainder.strip()
    if word in _SENSES and name:
        return word, name
    if split_unit(name)[0] in library.declared and word not in library.declared:
        raise ExpressionError(f"{text!r}: {word!r} is neither least nor most.", hint=f'Write "most {name}".', text=text)
    return "", text


def _usual_sense(quantity: Declaration) -> str:
    """The sense of a front's target that states none: a rate is to be most, unless it is one of money."""
    powers = {base: power for (base, exponent), power in quantity.dimension.powers if not exponent}
    return "most" if "money" not in powers and powers.get("time", 0) == -1 else "least"


_FRONT = "the front"  # the limit that holds one target at a bound


class _FrontSearch:
    """The search for one front, over the programs of every discrete choice, which are built once.

    The targets are 0 and 1 in the order in which they were named; a bound is signed so that less is better.
    """

    def __init__(
        self, question: ChoiceQuestion, second: Declaration, sense: str, *, in_all_cases: bool = False
    ) -> None:
        """Build the programs of every discrete choice of a front, for each target under a limit on the other."""
        self.question, self.second = question, second
        self.signs = question.sign, 1.0 if sense == "least" else -1.0
        op = "<=" if sense == "least" else ">="
        written = Equation(Name(second.name), op, ZERO)
        relation = Relation("front", written, {second.name: second})
        front_limit = Constraint(_FRONT, written, relation, (second.name,), is_asked=True)
        bounded = replace(question, limits=(*question.limits, front_limit))
        searched = [searched_choice(bounded, pick, boxes=0, in_all_cases=in_all_cases) for pick in question.picks]
        self.choices = [replace(choice, question=question) for choice in searched]
        exchanged = [tuple(map(self._with_goals_exchanged, choice.programs)) for choice in searched]
        self.programs = [choice.programs for choice in searched], exchanged  # of each target, for each choice

    def _with_goals_exchanged(self, program: Program) -> Program:
        """The program of a front whose goal is the second target, with the first in the place of its limit."""
        plain = program.plain if program.sign > 0 else Apply("neg", (program.plain,))
        first_target = Limit(_FRONT, None, Equation(plain, "<=", ZERO), program.goal)
        front_limit = _front_limit(program)
        limits = [*_bounded(program, None).limits, first_target]
        return replace(program.under(limits), goal=front_limit.gap, plain=front_limit.written.lhs, sign=self.signs[1])

    def undominated(self, count: int) -> list[FrontPoint]:
        """The points of a front without those that another one equals or betters in both targets."""
        kept: list[FrontPoint] = []
        for point in self._points(count):
            if not any(self._is_as_good(other, point) for other in kept):
                kept = [other for other in kept if not self._is_as_good(point, other)]
                kept.append(point)
        return kept

    def _is_as_good(self, point: FrontPoint, other: FrontPoint) -> bool:
        """Whether a point of a front is at least as good as another in both targets, but for rounding."""
        return all(
            sign * (a.base or 0.0) <= sign * (b.base or 0.0) + AGREEMENT * abs(b.base or 0.0)
            for a, b, sign in zip(point.answers, other.answers, self.signs, strict=True)
        )

    def _points(self, count: int) -> Iterator[FrontPoint]:
        """The points of a front, from the best of its first target to the best of its second."""
        start, best_second = self._best_of_both(None), self._best(1, None)
        if start is None or best_second is None:
            raise none_found([replace(choice, programs=_without_front(choice)) for choice in self.choices])
        end = _proved_by(self._best_of_both(best_second.best.value), best_second)
        first, last = self._point(start), self._point(end)
        yield first
        here, there = (point.answers[1].base or 0.0 for point in (first, last))
        for i in range(1, count - 1):
            choice = self._best_of_both(self.signs[1] * _between(here, there, i / (count - 1)))
            if choice is not None:
                yield self._point(choice)
        yield last

    def _best_of_both(self, bound: float | None) -> SearchedChoice | None:
        """The choice of a front best in the first target under a bound on the second, and then best in the second.

        Where the search for the second finds nothing as good as the point of the first, it is that point.
        """
        first_best = self._best(0, bound)
        if first_best is None:
            return None
        both_best = self._best(1, first_best.best.value)
        if both_best is None or both_best.best.is_proved:
            return _proved_by(both_best, first_best)
        second_there = min((second for _, second in self._targets_at(first_best)), default=math.inf)
        if second_there < both_best.best.value:
            floor = min(both_best.best.floor, second_there)
            both_best = replace(first_best, best=replace(first_best.best, value=second_there, floor=floor))
        return _proved_by(both_best, first_best)

    def _best(self, target: int, bound: float | None) -> SearchedChoice | None:
        """The best of one target of a front over all discrete choices, where the other is not worse than a bound.

        It is proved if there is a certificate that none of them is better: otherwise no bound is known.
        """
        programs = [tuple(_bounded(program, bound) for program in each) for each in self.programs[target]]
        bests = []
        for cases in programs:
            with sharing(_SHARE):
                bests.append(best_of(cases))
        index = min(range(len(bests)), key=lambda index: bests[index].value)
        if not bests[index].is_found:
            return None
        overall = replace(bests[index], floor=min(bests[index].value, *(best.floor for best in bests)))
        if proof_of_optimum(programs, overall) is None:
            overall = replace(overall, floor=-math.inf)
        return replace(self.choices[index], best=overall)

    def _point(self, choice: SearchedChoice) -> FrontPoint:
        """The point of the front at a best choice, with the answers for both targets there."""
        targets = [*self._targets_at(choice)]
        if not targets:
            what = f"The best {self.second.name} of the front was not found again when its choice was put back."
            raise LimitError.unproved(what, hint="Allow more time, or narrow the ranges.")
        # a point may have several solutions, and only in some has the second target the best value of the search
        at_best = [pair for pair in targets if math.isclose(pair[1], choice.best.value, rel_tol=AGREEMENT)]
        best_first, best_second = min(at_best or targets)
        there = replace(choice, programs=_without_front(choice), best=replace(choice.best, value=best_first))
        there, first = put_back(there)
        given = there.values
        answers = answers_at(self.question.library, self.second.name, choice.pick.profiles, given)
        second = min(answers, key=lambda answer: abs((answer.base or 0.0) - self.signs[1] * best_second))
        chosen = {name: given[name].base[1] for name in (*self.question.ranges, *choice.pick.listed)}
        is_proved = choice.best.is_proved and len(answers) == 1
        return FrontPoint((first, second), chosen, choice.pick.names, is_proved)

    def _targets_at(self, choice: SearchedChoice) -> Iterator[tuple[float, float]]:
        """The signed values of both targets of a front at a best choice, for each solution that holds there."""
        for program, without_front in zip(choice.programs, _without_front(choice), strict=True):
            second = _front_limit(program).written.lhs
            for numbers in program.solutions(choice.best.at):
                if without_front.holds_at(numbers):
                    yield self.signs[0] * value(program.plain, numbers), self.signs[1] * value(second, numbers)


def _front_limit(program: Program) -> Limit:
    """The limit of a program that holds one target of a front at a bound."""
    return next(limit for limit in program.limits if limit.name == _FRONT)


def _without_front(choice: SearchedChoice) -> tuple[Program, ...]:
    return tuple(_bounded(program, None) for program in choice.programs)


def _bounded(program: Program, bound: float | None) -> Program:
    """A program with the other target of the front held at a bound, if any; without one it has a value at least.

    The bound is moved outwards by its rounding, so that the point at which it was found fulfils it.
    """
    front_limit = _front_limit(program)
    others = [limit for limit in program.limits if limit is not front_limit]
    if bound is None:
        has_value = DomainTest(front_limit.written.lhs, _ANY)
        return replace(program.under(others), domain_tests=(*program.domain_tests, has_value))
    return program.under([*others, front_limit.moved(Fraction(bound) + Fraction(TIGHT) * abs(Fraction(bound)))])


def _proved_by(choice: SearchedChoice | None, bounding: SearchedChoice) -> SearchedChoice:
    """A choice on the front under a bound that another choice set, proved only if that other is.

    Without a choice under the bound, it is the other, not proved.
    """
    if choice is not None and bounding.best.is_proved:
        return choice
    last = bounding if choice is None else choice
    return replace(last, best=replace(last.best, floor=-math.inf))


def _between(here: float, there: float, share: float) -> float:
    """A bound between two values of a front's second target, spaced by ratio where they are far apart."""
    if min(here, there) > 0 and max(here, there) > _DECADE * min(here, there):
        return here * math.pow(there / here, share)
    return here + share * (there - here)


def _cautions(front: Front, digits: int = DIGITS) -> Iterator[str]:
    """What a Pareto front warns of: checks failing at its points, idle givens, and what its middle assumes."""
    for name, count in front.failed.items():
        yield f"{name} does not hold at {count} of {len(front)} points"
    if front.unused:
        yield f"{without_part(front.unused)} at any point"
    middle = {answer.quantity.name: answer for answer in front.points[len(front) // 2].answers}
    for placed in largest(front.remarks):
        answer = middle[placed.target]
        value = shown_number(answer.base or 0.0, answer.quantity.unit, digits)
        yield f"where {placed.target} is {value}: {placed.remark.text}"


def charts(front: Front) -> tuple[Chart, ...]:
    """The picture of a Pareto front: one target against the other, its points told apart by profiles that differ."""
    first, second = front.targets
    x, y = zip(*(point.numbers[::-1] for point in front.points), strict=True)  # the second target along, the first up
    everywhere = set.intersection(*(set(point.profiles) for point in front.points))
    differing = [", ".join(name for name in point.profiles if name not in everywhere) for point in front.points]
    series = [Series.of(x, y, style="dotted", color=7)]
    for label in dict.fromkeys(differing):
        places = [i for i, name in enumerate(differing) if name == label]
        series.append(Series.of([x[i] for i in places], [y[i] for i in places], label, style="points"))
    quantities = (first, second)
    up, along = (heading_with_unit(entry.name.replace("_", " "), entry.unit.shown) for entry in quantities)
    drawn = Chart(
        Axis(along, _is_wide(x)),
        Axis(up, _is_wide(y)),
        tuple(series),
        title=f"{front.senses[0]} {first.name} and {front.senses[1]} {second.name}".replace("_", " "),
    )
    shared = [name for name in front.points[0].profiles if name in everywhere]
    return holding([drawn], shared, front.given, front.such_that)


def _is_wide(numbers: Sequence[float]) -> bool:
    """Whether an axis of a front's chart is logarithmic: from one decade on, since a front is steep at its ends."""
    return min(numbers) > 0 and max(numbers) >= _DECADE * min(numbers)


def as_data(front: Front) -> dict[str, Any]:
    """What `derive front --json` tells of a Pareto front: both targets, and the values and the choice of each point."""
    targets = zip(front.targets, front.senses, strict=True)
    return {
        "targets": [{"name": target.name, "sense": sense, "unit": target.unit.text} for target, sense in targets],
        "proved": front.proved,
        "points": [
            {
                "values": list(point.numbers),
                "at": point_data(point.chosen, front.quantities),
                "profiles": list(point.profiles),
                "proved": point.proved,
                "failed": sorted(point.failed),
            }
            for point in front.points
        ],
        "unused": list(front.unused),
        "remarks": [remark.data for remark in front.remarks],
    }
