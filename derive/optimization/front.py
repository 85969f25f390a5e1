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
from typing import Any

from derive.errors import ExpressionError, InconsistentError
from derive.expressions.tree import Apply, Equation, Name, Number
from derive.model.asked_expressions import asking, split_unit
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.like_terms import ZERO, added, negated
from derive.optimization.asked_choice import Asked, Pick, asked
from derive.optimization.certifying import proof_of_optimum
from derive.optimization.least import looked_at, may_leave_in_a_case, none_found, searched
from derive.optimization.program import Limit, Program
from derive.optimization.putting_back import Looked, answers_at, put_back, values_at
from derive.optimization.search import Best
from derive.optimization.stated_limits import Stated, library_limits, stated_limits
from derive.presentation.charts import Axis, Chart, Series, holding
from derive.presentation.failed_checks import is_amiss, without_part
from derive.presentation.numbers import DIGITS, in_unit, labelled, shown_number, spelled
from derive.presentation.placed_remarks import PlacedRemark, largest, point_data
from derive.presentation.text import Document, Section, columns
from derive.showing import Shown
from derive.solving.execution.answer import Answer
from derive.time_limits import query, sharing
from derive.tolerances import AGREEMENT, TIGHT
from quantities.declaration import Declaration
from quantities.value import Value

__all__ = ["Front", "FrontPoint", "as_data", "charts", "document", "pareto_front"]

_POINTS = 12
_SHARE = 0.2  # of the time that is left, for one search
_DECADE = 10.0  # ratio of the ends from which the bounds are spaced by ratio
_SENSES = ("least", "most")


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """One choice of the front, with the answers for both targets there."""

    answers: tuple[Answer, Answer]
    chosen: Mapping[str, float]  # in base units
    profiles: tuple[str, ...]
    proved: bool

    @property
    def values(self) -> tuple[Any, Any]:
        """Both targets as pint Quantities."""
        first, second = self.answers
        return first.value, second.value


@dataclass(frozen=True)
class Front(Shown):
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
        broken = [{check.name for answer in point.answers for check in answer.failed} for point in self.points]
        return {name: sum(name in names for names in broken) for name in sorted(set().union(*broken))}

    @property
    def unused(self) -> tuple[str, ...]:
        """The typed names that no answer of the front uses."""
        first, *others = [set(answer.unused) for point in self.points for answer in point.answers]
        idle = first.intersection(*others)
        return tuple(name for name in self.points[0].answers[0].unused if name in idle)

    @cached_property
    def remarks(self) -> tuple[PlacedRemark, ...]:
        """What the answers in the middle of the front assume, take by default or leave out, each with its size."""
        middle = self.points[len(self) // 2]
        chosen = point_data(middle.chosen, self.quantities)
        return tuple(
            PlacedRemark(answer.quantity.name, chosen, remark) for answer in middle.answers for remark in answer.remarks
        )

    def at(self, i: int) -> dict[str, Any]:
        """What was chosen at a point of the front."""
        point = self.points[i]
        found = {name: in_unit(number, self.quantities[name].unit) for name, number in point.chosen.items()}
        return {**found, "profiles": point.profiles}

    @query()
    def text(self, digits: int = DIGITS) -> str:
        """The front as a table."""
        return document(self, digits).text

    @query()
    def _document(self, digits: int | None = None) -> Document:
        return document(self, digits or DIGITS)

    def plot(self) -> Any:
        """A figure: one target against the other, each chip or model of the front in its own colour."""
        from derive.presentation.plotting import figure

        return figure(*charts(self))

    def __repr__(self) -> str:
        return f"<Front of {str(self).splitlines()[0]}>"

    def __str__(self) -> str:
        return self.text()

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
    """The choices of which no other is better in both targets.

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
        library, ((first, sense), (second, other)) = _read(library, targets, points)
        question = asked(library, first.name, profiles, given)
        stated = [*stated_limits(library, such_that)]
        limits = [*library_limits(library), *stated]
        try:
            work = _Work(library, question, limits, (first, second), (sense, other))
            found = _undominated(work.points(points), work.signs)
        except InconsistentError:  # of a point at which something leaves its domain by a relation of some case
            if not may_leave_in_a_case(library, question):
                raise
            work = _Work(library, question, limits, (first, second), (sense, other), in_all_cases=True)
            found = _undominated(work.points(points), work.signs)
        names = (*question.ranges, *question.picks[0].listed)
        quantities = {name: library.declared[name] for name in names}
        told = {**question.fixed, **question.ranges}
        such = tuple(one.name for one in stated)
        return Front((first, second), (sense, other), tuple(found), quantities, told, such)


def _read(
    library: RelationSet, targets: Sequence[str], points: int
) -> tuple[RelationSet, list[tuple[Declaration, str]]]:
    """The targets with their senses, and the library that has them: an expression is a quantity of a copy."""
    if isinstance(targets, str) or len(targets) != 2 or points < 2:
        what = "A front has two targets." if points >= 2 else "A front has two points or more."
        raise ExpressionError(what, hint='Write front(["cost_per_token", "user_speed"], ..., points=12).')
    named = []
    for text in targets:
        sense, name = _parted(library, str(text).strip())
        library, name = asking(library, name)
        named.append((sense, name))
    found = [(library.declaration(name), sense) for sense, name in named]
    if found[0][0].name == found[1][0].name:
        raise ExpressionError(f"{found[0][0].name} is named twice.", hint="Name two targets that differ.")
    return library, [(quantity, sense or _usual(quantity)) for quantity, sense in found]


def _parted(library: RelationSet, text: str) -> tuple[str, str]:
    """The sense before a target, if it is told, and the target."""
    word, _, rest = text.partition(" ")
    name = rest.strip()
    if word in _SENSES and name:
        return word, name
    if split_unit(name)[0] in library.declared and word not in library.declared:
        raise ExpressionError(f"{text!r}: {word!r} is neither least nor most.", hint=f'Write "most {name}".', text=text)
    return "", text


def _usual(quantity: Declaration) -> str:
    powers = {base: power for (base, exponent), power in quantity.dimension.powers if not exponent}
    return "most" if "money" not in powers and powers.get("time", 0) == -1 else "least"


class _Work:
    """The search for one front: the programs of every discrete choice, made once."""

    def __init__(
        self,
        library: RelationSet,
        question: Asked,
        limits: Sequence[Stated],
        targets: tuple[Declaration, Declaration],
        senses: tuple[str, str],
        *,
        in_all_cases: bool = False,
    ) -> None:
        self.library, self.question, self.limits, self.targets = library, question, limits, targets
        self.signs = tuple(1.0 if sense == "least" else -1.0 for sense in senses)
        self.op = "<=" if senses[1] == "least" else ">="
        name = targets[1].name
        written = Equation(Name(name), self.op, ZERO)
        held = Stated(_FRONT, written, Relation("front", written, {name: targets[1]}), (name,), is_asked=True)
        within, sign = [*limits, held], self.signs[0]
        looked = [
            looked_at(library, question, pick, within, sign, 0, in_all_cases=in_all_cases) for pick in question.picks
        ]
        self.picks: list[tuple[Pick, tuple[Program, ...]]] = [(one.pick, one.programs) for one in looked]
        self.looked = looked

    def points(self, count: int) -> Iterator[FrontPoint]:
        """The points, from the best of the first target on."""
        start = self._best(None)
        end = self._best_of_second(None)
        if start is None or end is None:
            raise none_found(self.library, self.question.target, [replace(one, best=Best()) for one in self._plain()])
        first = self._point(start)
        yield first
        here, there = (point.answers[1].base or 0.0 for point in (first, self._point(end)))
        for i in range(1, count - 1):
            found = self._best(_between(here, there, i / (count - 1)))
            if found is not None:
                yield self._point(found)
        yield self._point(end)

    def _plain(self) -> list[Looked]:
        return [
            replace(one, programs=tuple(program.under(_others(program)) for program in one.programs))
            for one in self.looked
        ]

    def _best(self, bound: float | None) -> Looked | None:
        """The best of the first target where the second is not worse than a bound, then the best of the second."""

        def held(program: Program) -> Program:
            own = _own(program)
            return program.under([*_others(program), *([] if bound is None else [_bounded(own, bound)])])

        found = self._over_picks(held)
        return None if found is None else _proved_by(self._best_of_second(found), found)

    def _best_of_second(self, found: Looked | None) -> Looked | None:
        """The best of the second target, where the first is not worse than found; the first is then made best."""

        def turned(program: Program) -> Program:
            own = _own(program)
            limits = [*_others(program), *([] if found is None else [_as_limit(program, found.best.value)])]
            sign = -1.0 if self.op == ">=" else 1.0
            return replace(program.under(limits), goal=own.gap, plain=own.written.lhs, sign=sign)

        best = self._over_picks(turned)
        if best is None or found is not None:
            return best
        value_there = best.best.value * (-1.0 if self.op == ">=" else 1.0)
        return _proved_by(self._best(value_there), best)

    def _over_picks(self, changed: Any) -> Looked | None:
        """The best over all discrete choices of the programs, each changed in the same way.

        It is proved if there is a certificate that none of them is better: otherwise no bound is known.
        """
        best: Looked | None = None
        floor = math.inf
        choices: list[tuple[Program, ...]] = []
        for pick, programs in self.picks:
            made = tuple(changed(program) for program in programs)
            choices.append(made)
            with sharing(_SHARE):
                found = searched(made) if made else Best()
            floor = min(floor, found.floor)
            if found.is_found and (best is None or found.value < best.best.value):
                best = Looked(pick, programs, found)
        if best is None:
            return None
        whole = replace(best.best, floor=min(floor, best.best.value))
        is_certified = proof_of_optimum(choices, whole) is not None
        return replace(best, best=whole if is_certified else replace(whole, floor=-math.inf))

    def _point(self, found: Looked) -> FrontPoint:
        """A point with its answers, put back."""
        programs = tuple(program.under(_others(program)) for program in found.programs)
        reached = min(program.at(found.best.at) for program in programs)
        there = replace(found, programs=programs, best=replace(found.best, value=reached))
        there, first = put_back(self.library, self.question, self.limits, there)
        given = values_at(self.library, self.question, there)
        second, is_only = self._second(found, given)
        chosen = {name: given[name].base[1] for name in (*self.question.ranges, *found.pick.listed)}
        return FrontPoint((first, second), chosen, found.pick.names, found.best.is_proved and is_only)

    def _second(self, found: Looked, given: Mapping[str, Value]) -> tuple[Answer, bool]:
        """The answer for the second target at a point, and whether it is the only one; if not, the search's own."""
        answers = answers_at(self.library, self.targets[1].name, found.pick.profiles, given)
        if len(answers) == 1:
            return answers[0], True
        own = min(found.programs, key=lambda program: program.under(_others(program)).at(found.best.at))
        numbers = own.under(_others(own)).numbers(found.best.at)
        reached = math.nan if numbers is None else _own(own).sides_at(numbers)[0]
        return min(answers, key=lambda answer: abs((answer.base or 0.0) - reached)), False


def _proved_by(found: Looked | None, before: Looked) -> Looked:
    """A best choice under the bound of another one, which is only proved if that is; without one, that other."""
    if found is not None and before.best.is_proved:
        return found
    last = before if found is None else found
    return replace(last, best=replace(last.best, floor=-math.inf))


_FRONT = "the front"


def _own(program: Program) -> Limit:
    return next(limit for limit in program.limits if limit.name == _FRONT)


def _others(program: Program) -> list[Limit]:
    return [limit for limit in program.limits if limit.name != _FRONT]


def _bounded(limit: Limit, bound: float) -> Limit:
    """The limit on the second target, at a bound."""
    end = _loosened(bound, limit.written.op)
    gap = folded(added(limit.gap, negated(end) if limit.written.op == "<=" else end), {})
    return replace(limit, written=Equation(limit.written.lhs, limit.written.op, end), gap=gap)


def _as_limit(program: Program, bound: float) -> Limit:
    """The goal of a program as a limit: not worse than a bound."""
    end = _loosened(bound, "<=")
    plain = program.plain if program.sign > 0 else Apply("neg", (program.plain,))
    return Limit("", None, Equation(plain, "<=", end), folded(added(program.goal, negated(end)), {}))


def _loosened(bound: float, op: str) -> Number:
    """A bound that was itself found, moved outwards by its rounding: where it was found it has to hold."""
    slack = Fraction(TIGHT) * abs(Fraction(bound))
    return Number(Fraction(bound) + (slack if op == "<=" else -slack))


def _between(here: float, there: float, share: float) -> float:
    """A bound between two values: by ratio where they are far apart."""
    if min(here, there) > 0 and max(here, there) > _DECADE * min(here, there):
        return here * math.pow(there / here, share)
    return here + share * (there - here)


def _undominated(points: Iterable[FrontPoint], signs: Sequence[float]) -> list[FrontPoint]:
    """The points that differ and that no other one is better than."""
    found: list[FrontPoint] = []
    for point in points:
        if not any(_is_as_good(other, point, signs) for other in found):
            found = [other for other in found if not _is_as_good(point, other, signs)]
            found.append(point)
    return found


def _is_as_good(one: FrontPoint, other: FrontPoint, signs: Sequence[float]) -> bool:
    """Whether a point is at least as good as another in both targets, but for rounding."""
    return all(
        sign * (a.base or 0.0) <= sign * (b.base or 0.0) + AGREEMENT * abs(b.base or 0.0)
        for a, b, sign in zip(one.answers, other.answers, signs, strict=True)
    )


def document(front: Front, digits: int = DIGITS) -> Document:
    """The front as a table, and what is proved of it."""
    names = [quantity.name for quantity in front.targets]
    rows = [(*names, *front.quantities, "profiles")]
    for point in front.points:
        values = [shown_number(answer.base or 0.0, answer.quantity.unit, digits) for answer in point.answers]
        chosen = [shown_number(x, front.quantities[name].unit, digits) for name, x in point.chosen.items()]
        rows.append((*values, *chosen, ", ".join(point.profiles) or "-"))
    told = " and ".join(f"{sense} {name}" for sense, name in zip(front.senses, names, strict=True))
    proof = "each point is proved" if front.proved else "not every point is proved"
    amiss = tuple(_cautions(front, digits))
    return Document(
        headline=f"front of {told}: {len(front)} points, {proof}",
        remarks=amiss,
        sections=(Section("", columns(rows)),),
        cautions=amiss,
        is_amiss=not front.proved or is_amiss(front),
        charts=lambda: charts(front),
        data=lambda: as_data(front),
    )


def _cautions(front: Front, digits: int = DIGITS) -> Iterator[str]:
    """What stands below the headline: failed checks, givens without effect, and what the middle assumes."""
    for name, count in front.failed.items():
        yield f"{name} does not hold at {count} of {len(front)} points"
    if front.unused:
        yield f"{without_part(front.unused)} at any point"
    middle = {answer.quantity.name: answer for answer in front.points[len(front) // 2].answers}
    for one in largest(front.remarks):
        answer = middle[one.target]
        shown = shown_number(answer.base or 0.0, answer.quantity.unit, digits)
        yield f"where {one.target} is {shown}: {one.remark.text}"


def charts(front: Front) -> tuple[Chart, ...]:
    """One target against the other; the profiles that differ along the front are told apart."""
    first, second = front.targets
    numbers = [
        [answer.quantity.unit.from_base(answer.base or 0.0) for answer in point.answers] for point in front.points
    ]
    everywhere = set.intersection(*(set(point.profiles) for point in front.points))
    own = [", ".join(name for name in point.profiles if name not in everywhere) for point in front.points]
    series = [Series.of([y for _, y in numbers], [x for x, _ in numbers], style="dotted", color=7)]
    for label in dict.fromkeys(own):
        mine = [pair for pair, name in zip(numbers, own, strict=True) if name == label]
        series.append(Series.of([y for _, y in mine], [x for x, _ in mine], label, style="points"))
    up, along = (labelled(one.name.replace("_", " "), spelled(one.unit)) for one in (first, second))
    drawn = Chart(
        Axis(along, _is_wide([y for _, y in numbers])),
        Axis(up, _is_wide([x for x, _ in numbers])),
        tuple(series),
        title=f"{front.senses[0]} {first.name} and {front.senses[1]} {second.name}".replace("_", " "),
    )
    shared = [name for name in front.points[0].profiles if name in everywhere]
    return holding([drawn], shared, front.given, front.such_that)


def _is_wide(numbers: Sequence[float]) -> bool:
    """Whether an axis is logarithmic: already from one decade on, since a front is steep at its ends."""
    return min(numbers) > 0 and max(numbers) >= _DECADE * min(numbers)


def as_data(front: Front) -> dict[str, Any]:
    """The front as plain data: the schema of `derive front --json`."""
    return {
        "targets": [
            {"name": one.name, "sense": sense, "unit": one.unit.text}
            for one, sense in zip(front.targets, front.senses, strict=True)
        ],
        "proved": front.proved,
        "points": [
            {
                "values": [answer.quantity.unit.from_base(answer.base or 0.0) for answer in point.answers],
                "at": {
                    name: {"value": front.quantities[name].unit.from_base(x), "unit": front.quantities[name].unit.text}
                    for name, x in point.chosen.items()
                },
                "profiles": list(point.profiles),
                "proved": point.proved,
                "failed": sorted({check.name for answer in point.answers for check in answer.failed}),
            }
            for point in front.points
        ],
        "unused": list(front.unused),
        "remarks": [remark.data for remark in front.remarks],
    }
