"""What an answer assumes, takes by default or leaves out, with what that does to its value.

Each remark is a change of the question, and its factor is the answer to the changed question over the answer itself:

- *left out*: a relation in use `neglects` a share of what it counts. The answer is what comes out with that share
  counted, as far as the givens of the question determine it. Where they lead to a share that is worth telling, an
  answer that rests on the relation says it once, with the number.
- *defaulted*: a quantity has its default, or a ratio follows from defaults alone. The answer is what comes out with
  the value farthest from it that a list of facts states, that was `seen`, or that an inequality for it admits.
- *assumed*: a value in use belongs, by its profile, to another value of some quantity than the one here.
- *displaced*: a value of a named profile, of which the answer makes no use, is another by what is given; or the rest
  of a sum is, because givens that play no part in the answer leave it.

So the sizes are never guesses: what nothing in the library says otherwise is not remarked upon.

What else a quantity may be is what the lists of facts of a library state of it, and what is seen of it. A profile in
such a list is something that there is, a model or a chip, and its values are values that one meets. A profile in a file
of one's own is another scenario, which says nothing about this one. A quantity that no profile states may follow by its
definition from what one states, as the sparsity of a model from its two counts of parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

from derive.caches import Memo
from derive.errors import DeriveError, LimitError
from derive.expressions.tree import Apply, Equation, Name, Number, names_in, with_forms
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import value
from derive.planning.incidence import structure_of
from derive.planning.plan import Plan, determined
from derive.presentation.failed_checks import displaced
from derive.presentation.numbers import shown_number
from derive.solving.execution.answer import Answer, Neglected, Remark
from derive.solving.execution.plan_execution import carried_out
from derive.solving.execution.plan_states import Found
from derive.solving.execution.question import Question, ask
from derive.solving.execution.regimes import Undecided, explored
from derive.solving.ranges.bounds import Branch
from derive.time_limits import query, sharing
from derive.tolerances import AGREEMENT, MOVED, WORTH_TELLING

_PART = 0.5  # of the time of a question, which finding remarks may take
_DIGITS = 4  # of a value that is typed in for a default
_SHARE_DIGITS = 3  # of what is left out
_TABLES = Memo["_Table"](most=1)

_T = TypeVar("_T")

Again = Callable[[Mapping[str, Any]], "float | None"]
"""The answer with other values typed, in base units; None if there is none or not just this one."""

Asked = Callable[[str], "Answer | None"]
"""The answer for another target; None if there is none or not just one."""


def remarks(branch: Branch, answer: Answer, again: Again, asked: Asked) -> tuple[Remark, ...]:
    """The remarks on an answer, the largest first.

    >>> from derive.relation_files.loading import load
    >>> lamp = load('''[quantities]
    ... power = { unit = "W" }
    ... light = { unit = "W" }
    ... efficiency = { unit = "", value = "1", seen = { least = "0.2", source = "a data sheet" } }
    ... [relations]
    ... light = { equation = "light = power*efficiency" }''')
    >>> print(*lamp.solve("light", power="5 W").remarks)
    with efficiency 0.2 (1 by default; a data sheet): 0.2 of it
    >>> lamp.solve("light", power="5 W", efficiency="1").remarks
    ()
    """
    target = branch.question.target
    if answer.base is None or target in branch.question.strong:
        return ()
    work = _Work(branch, answer, again, asked)
    told: list[Remark] = []
    try:
        with query(), sharing(_PART):
            told.extend(work.alone())
            told.extend(work.left_out())
            told.extend(work.mismatched())
            told.extend(work.displaced())
            told.extend(work.taken_up())
            told.extend(work.defaulted())
    except LimitError:  # what was found until then is true
        told.append(Remark("assumed", target, "", None, 1.0, "there was no time to try what else is assumed"))
    return tuple(sorted(told, key=lambda one: -one.weight))


def unless_refused(found: Callable[[], _T]) -> _T | None:
    """What is found, or None if that is refused, unless it is the time that ran out: a question may have a size that
    another has not."""
    try:
        return found()
    except DeriveError as error:
        if isinstance(error, LimitError) and error.limit.endswith(" s"):
            raise
        return None


class _Work:
    """One answer, whose question is asked again with changes."""

    def __init__(self, branch: Branch, answer: Answer, again: Again, asked: Asked) -> None:
        assert answer.base is not None
        self.branch, self.answer, self.again, self.asked = branch, answer, again, asked
        self.library, self.question, self.plan = branch.library, branch.question, branch.plan
        self.base: float = answer.base
        self.assumed = _assumed_in(self.library, self.question)
        self.ratios = open_ratios(self.library, self.question, self.plan.relations, branch.found.left_out)

    def alone(self) -> Iterator[Remark]:
        """That nothing given leads to the answer, where it rests on defaults that might as well be others."""
        members = {name for one in self.plan.relations for name in self.library.relations[one].declared}
        held = [name for name in self.plan.weak if name in members]
        resting = [name for name in held if name in self.assumed]
        is_alone = members.isdisjoint(self.question.strong) and self.question.origins.keys().isdisjoint(held)
        if resting and is_alone:
            values = ", ".join(f"{name} = {self.question.weak[name]}" for name in resting)
            text = f"nothing given leads to {self.question.target}: it rests on {values}"
            yield Remark("defaulted", resting[0], str(self.question.weak[resting[0]]), None, math.inf, text)

    def left_out(self) -> Iterator[Remark]:
        """The shares that relations in use neglect, each with the answer that counts it."""
        for one in self.answer.neglected:
            what = one.what.partition(" (")[0]
            text = f"with {what} counted ({one.relation} leaves it out: {one.shown} of what it counts)"
            is_part = self.library.declared[one.share].domain.high <= 1  # it says of what it counts what is too much
            number = None if is_part else self._with_counted(one)
            if number is not None:
                yield from self._remark("left out", one.share, one.shown, text, number)
            elif abs(one.number) > MOVED:
                text = f"{one.relation} leaves out {what}: {one.shown} of what it counts"
                yield Remark("left out", one.share, one.shown, None, 1 + abs(one.number), text)

    def mismatched(self) -> Iterator[Remark]:
        """The values in use that their profile states for another value of some quantity."""
        tried = set()
        for name in self.answer.given:
            profile, others = self.question.goes_with.get(name, ("", {}))
            for other, assumed in others.items():
                if other not in self.library.declared or other in tried or other == self.question.target:
                    continue
                tried.add(other)
                here = self._number(other)
                if here is None or abs(here - assumed.base[1]) <= AGREEMENT * abs(here):
                    continue
                number = self.again({other: assumed})
                if number is not None:
                    shown = shown_number(here, self.library.declared[other].unit)
                    text = f"with {other} {assumed} (here {shown}; {name} of {profile} goes with it)"
                    yield from self._remark("assumed", other, str(assumed), text, number)

    def displaced(self) -> Iterator[Remark]:
        """The values of named profiles, not in use here, that what is typed makes others by more than a tenth.

        What is typed takes precedence, so the answer may be as meant; but it is not one for what the profile says.
        Where either of two such values may yield to the other, it is the one that then changes less.
        """
        typed = self.question.strong.keys() & self.answer.given.keys()
        compared = {check.name for check in self.answer.checks}
        found: list[tuple[float, str, Answer]] = []
        for name in self._stated_aside() if typed else ():
            answer = None if name in compared else self.asked(name)
            if answer is None or answer.base is None or typed.isdisjoint(answer.given):
                continue
            stated = self.question.weak[name].base[1]
            if abs(answer.base - stated) > MOVED * abs(stated):
                found.append((_ratio(answer.base, stated), name, answer))
        told: set[str] = set()
        for weight, name, answer in sorted(found, key=lambda one: one[:2]):
            if told.isdisjoint(answer.given):
                told.add(name)
                weak = self.question.weak[name]
                text = displaced(name, weak, answer.base, self.library.declared[name].unit)
                yield Remark("displaced", name, str(weak), None, weight, text)

    def taken_up(self) -> Iterator[Remark]:
        """The rests that take up givens which play no part, each with the answer in which these do: at its own value.

        A rest is what counts as some number where nothing gives it, such as fittings that nobody named.
        """
        question, unused = self.question, {*self.answer.unused}
        structure = structure_of(self.library, frozenset(), question.stated)
        for name in sorted(self.assumed & structure.otherwise - {*self.plan.weak}) if unused else ():
            answer = None if structure.is_written(name) else self.asked(name)
            if answer is None or answer.base is None or unused.isdisjoint(answer.given):
                continue
            weak, unit = question.weak[name], self.library.declared[name].unit
            number = self.again({name: weak})
            if number is not None:
                text = f"with {name} {weak} ({weak.source}; it comes out as {shown_number(answer.base, unit)})"
                yield from self._remark("displaced", name, str(weak), text, number)

    def _stated_aside(self) -> Iterator[str]:
        """The quantities of which a named profile has a value, not used, that others may determine.

        What no plan leads to might follow from inequalities, or where unknowns cancel; to seek that takes seconds.
        """
        question = self.question
        for name in question.origins:
            if name not in question.weak or name in self.plan.weak:
                continue
            try:
                led = carried_out(self.library, question.for_target(name))
            except (DeriveError, Undecided):  # by relations of some case at the most
                continue
            if led.plan.is_determined:
                yield name

    def defaulted(self) -> Iterator[Remark]:
        """The defaults that the answer depends on, and the ratios that follow from defaults."""
        told: list[float] = []
        named = set(self.question.origins.values())
        for name in self._defaults():
            if _is_silent(self.library, name, named):
                continue
            here = f"{self.question.weak[name]} by default; "
            others = [*of_default(self.library, name), *_admitted(self.library, name, self._number)]
            for remark in self._farthest(name, others, here):
                told.append(remark.weight)
                yield remark
        for name in self.ratios:
            if _is_silent(self.library, name, named):
                continue
            for remark in self._farthest(name, of_definition(self.library, name), "as in "):
                if not any(abs(remark.weight - other) <= AGREEMENT * other for other in told):  # its reciprocal
                    told.append(remark.weight)
                    yield remark

    def _farthest(self, name: str, elsewhere: Iterable[Elsewhere], here: str) -> Iterator[Remark]:
        """The remark for that of several other values of a quantity which moves the answer most."""
        found: list[Remark] = []
        for other in elsewhere:
            if self._is_slight(name, other):
                continue
            number = self.again({name: other.text})
            if number is not None:
                text = f"with {name} {other.text} ({here}{other.whose})"
                found += self._remark("defaulted", name, other.text, text, number)
        if found:
            yield max(found, key=lambda one: one.weight)

    def _remark(self, kind: str, name: str, value: str, text: str, number: float) -> Iterator[Remark]:
        """The remark, if the answer is another by more than a tenth."""
        unit = self.answer.quantity.unit
        if abs(number - self.base) <= MOVED * abs(self.base):
            return
        factor = number / self.base if self.base else None
        if factor is None or factor <= 0 or unit.offset:
            size = shown_number(number, unit, 3)
        else:
            size = f"{factor:.3g} times as much" if factor > 1 else f"{factor:.2g} of it"
        weight = _ratio(number, self.base)
        yield Remark(kind, name, value, factor, weight, f"{text}: {size}")

    def _is_slight(self, name: str, other: Elsewhere) -> bool:
        """Whether the plan itself, which a default in it leaves as it is, shows that the change makes no difference."""
        if name not in self.plan.weak or self.plan.is_joint or name in self._conditions():
            return False
        number = self.branch.at({name: other.base})
        return number is not None and abs(number - self.base) <= MOVED * abs(self.base)

    def _defaults(self) -> list[str]:
        """The defaults in use, and those that decide which relations apply."""
        deciding = self._conditions() & self.assumed
        return list(dict.fromkeys([*(name for name in self.plan.weak if name in self.assumed), *sorted(deciding)]))

    def _conditions(self) -> set[str]:
        """The names in the conditions of what is used, was left out, or might be used instead."""
        near = self.library.held_by(self.plan.relations).keys()
        return {
            name
            for relation in self.library.conditional
            if not near.isdisjoint(self.library.members[relation.name])
            for name in names_in(*relation.conditions)
        }

    def _number(self, name: str) -> float | None:
        """What a quantity is in this answer."""
        return self.branch.state.values.get(name, self.question.stated_numbers.get(name))

    def _with_counted(self, left_out: Neglected) -> float | None:
        """The answer by the relations in use, where those that leave out a share count it."""
        library = self.library
        held = [_counting(library.relations[name], left_out) for name in self.plan.relations]
        declared = {name: one.but(default=None) for relation in held for name, one in relation.declared.items()}
        small = RelationSet(held, declared.values())
        given = {name: value for name, value in self.question.in_use(self.plan).items() if name in small.declared}
        target = self.question.target
        found = unless_refused(lambda: carried_out(small, ask(small, target, (), given)))
        states = () if found is None else found.states
        numbers = [state.values[target] for state in states if target in state.values]
        return numbers[0] if len(numbers) == len(states) == 1 else None


def neglected(library: RelationSet, question: Question, made: Plan) -> tuple[Neglected, ...]:
    """What the relations of a plan leave out, each share once; the meaning of a share begins with what it is.

    >>> from derive.relation_files.loading import load
    >>> fall = load('''[quantities]
    ... height = { unit = "m" }
    ... speed = { unit = "m/s" }
    ... drag_share = { unit = "", meaning = "the drag of the air, over the speed" }
    ... thickness = { unit = "m" }
    ... gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
    ... [relations]
    ... fall = { equation = "speed = sqrt(2*gravity*height)", neglects = "drag_share" }
    ... drag_share = { equation = "drag_share = 0.001*height/thickness" }''')
    >>> fall.solve("speed", height="5 m", thickness="0.1 m").assumptions
    ('fall leaves out the drag of the air: 0.05 of what it counts (drag_share)',)
    >>> fall.solve("speed", height="5 m", thickness="9 m").assumptions, fall.solve("speed", height="5 m").assumptions
    ((), ())
    """
    found: dict[str, Neglected | None] = {}
    for relation in made.relations:
        share = library.relations[relation].neglected_share
        if share in library.declared and share not in found:
            found[share] = _neglected(library, question, relation, share)
    return tuple(one for one in found.values() if one is not None)


def _neglected(library: RelationSet, question: Question, relation: str, share: str) -> Neglected | None:
    number = _by_givens(library, question, share)
    if number is None or abs(number) < WORTH_TELLING:
        return None
    declared = library.declared[share]
    what = declared.meaning.partition(",")[0] or "a part"
    return Neglected(relation, share, what, number, shown_number(number, declared.unit, _SHARE_DIGITS))


def _by_givens(library: RelationSet, question: Question, name: str) -> float | None:
    """What a quantity is by the givens of a question, if just one number; its own value, where nothing leads to it."""
    if name in question.strong:
        return question.strong[name].base[1]
    weak = {other: value for other, value in question.weak.items() if other != name}
    asked = replace(question, target=name, weak=weak, own=None)
    with query():
        cases = [found for _, found in explored(library, asked, partial(carried_out, library))]
    states = [state for found in cases if isinstance(found, Found) for state in found.states]
    numbers = {state.values[name] for state in states if name in state.values}
    if not numbers and name in question.weak:
        return question.weak[name].base[1]
    return numbers.pop() if len(numbers) == 1 else None


def open_ratios(
    library: RelationSet, question: Question, used: Iterable[str], left_out: Iterable[str] = ()
) -> Iterator[str]:
    """The pure numbers of a derivation, or between quantities in it, that what is stated does not determine."""
    near = {*library.held_by(used), question.target}
    beside = {
        relation.written.written_for
        for name in near
        for one in library.holders.get(name, ())
        if (relation := library.relations[one]).is_equation
        and {*library.members[one]} - {relation.written.written_for} <= near
    }
    names = [name for name in library.declared if name in near | beside and of_definition(library, name)]
    names = [name for name in names if name not in question.strong and name not in question.origins]
    if not names:
        return
    structure = structure_of(library, frozenset(left_out), question.stated)
    assumed = _assumed_in(library, question)
    firm = [name for name in question.weak if name not in assumed]  # in their order: the strongest first
    sure = determined(structure, question.strong, firm)
    yield from (name for name in names if name not in sure)


def _assumed_in(library: RelationSet, question: Question) -> set[str]:
    """The quantities that have their default in a question, and one that is no definition."""
    return {
        name
        for name, weak in question.weak.items()
        if weak is library.declared[name].default and weak.source.kind != "exact"
    }


def _admitted(library: RelationSet, name: str, number: Callable[[str], float | None]) -> Iterator[Elsewhere]:
    """What a quantity may be at most or at least, where an inequality says just that by what is known here."""
    for limit, how in limits_for(library, name):
        numbers = {one: known for one in names_in(limit.written.rhs) if (known := number(one)) is not None}
        if numbers.keys() >= {*names_in(limit.written.rhs)}:
            base = value(limit.written.rhs, numbers)
            if math.isfinite(base):
                yield Elsewhere(shown_number(base, library.declared[name].unit), base, how)


def limits_for(library: RelationSet, name: str) -> Iterator[tuple[Relation, str]]:
    """The inequalities that always hold and have a quantity alone on the left, each in words.

    One under a condition may not apply with another value of the quantity.
    """
    for limit in library.limits.get(name, ()):
        relation = library.relations[limit]
        if relation.written.lhs == Name(name) and not relation.conditions:
            yield relation, f"{'at most' if relation.written.op == '<=' else 'at least'}, by {limit}"


def _ratio(number: float, other: float) -> float:
    """How many times the larger of two numbers is the smaller; infinite where one is zero, or their signs differ."""
    ratio = number / other if other else 0.0
    return max(ratio, 1 / ratio) if ratio > 0 else math.inf


def _counting(relation: Relation, left_out: Neglected) -> Relation:
    """A relation that counts the share that it left out, and holds without conditions."""
    written = relation.written
    if relation.neglected_share == left_out.share:
        larger = Number(1 + Fraction(left_out.number))
        if relation.neglected_of:
            name = relation.neglected_of
            counted = {name: Apply("mul", (Name(name), larger))}
            written = Equation(with_forms(written.lhs, counted), written.op, with_forms(written.rhs, counted))
        else:
            written = Equation(written.lhs, written.op, Apply("mul", (written.rhs, larger)))
    return replace(relation, written=written, conditions=(), neglects="")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A value of a quantity as a given is written, in base units, and where it is from."""

    text: str
    base: float
    whose: str
    in_list: str = ""  # the list of facts that it is from


@dataclass(frozen=True)
class _Table:
    """What lists of facts state of each quantity that has a default, and what follows by a definition of a pure
    number."""

    stated: dict[str, list[Elsewhere]] = field(default_factory=dict)
    defined: dict[str, list[Elsewhere]] = field(default_factory=dict)

    @classmethod
    def of(cls, library: RelationSet) -> _Table:
        return _TABLES.of(library.session, "stated elsewhere", lambda: cls._made(library))

    @classmethod
    def _made(cls, library: RelationSet) -> _Table:
        table = cls()
        pure = [
            (relation.written.rhs, name, frozenset(library.members[relation.name]) - {name})
            for relation in library.relations.values()
            if (name := relation.written.written_for) is not None
            and relation.is_equation
            and not relation.conditions
            and relation.approximate is None
            and library.declared[name].unit.is_number
        ]

        def add(rows: dict[str, list[Elsewhere]], name: str, base: float, whose: tuple[str, str]) -> None:
            text = shown_number(base, library.declared[name].unit, _DIGITS)
            rows.setdefault(name, []).append(Elsewhere(text, base, *whose))

        for profile in library.profiles:
            if not (in_list := library.profiles.list_of(profile)):
                continue
            values = library.profiles[profile].values
            for name in values.keys() & library.defaults.keys():
                add(table.stated, name, values[name].base[1], (profile, in_list))
            numbers = {name: held.base[1] for name, held in values.items() if name in library.declared}
            for form, name, needs in pure:
                if name in numbers or not needs or not needs <= numbers.keys():
                    continue
                base = value(form, numbers)
                if library.declared[name].domain.admits(base):
                    add(table.defined, name, base, (profile, in_list))
        return table


def of_default(library: RelationSet, name: str) -> tuple[Elsewhere, ...]:
    """The ends of what lists of facts state of a quantity, and of what was seen of it."""
    seen = library.declared[name].seen
    found = [*_Table.of(library).stated.get(name, ())]
    if seen is not None:
        ends = ((seen.least, seen.low), (seen.most, seen.high))
        found += [Elsewhere(text, base, seen.source) for text, base in ends if text]
    return _ends(found)


def of_definition(library: RelationSet, name: str) -> tuple[Elsewhere, ...]:
    """The ends of what follows for a pure number from what single profiles state, by its definition."""
    return _ends(_Table.of(library).defined.get(name, ()))


def _ends(found: Iterable[Elsewhere]) -> tuple[Elsewhere, ...]:
    ordered = sorted(found, key=lambda one: one.base)
    return (ordered[0], ordered[-1]) if len(ordered) > 1 else tuple(ordered)


def _is_silent(library: RelationSet, name: str, profiles: Iterable[str]) -> bool:
    """Whether one of these profiles says by its silence that a quantity is what it is by default.

    A list of facts states a quantity where it differs from that: a model without a window has no width of one.
    """
    table = _Table.of(library)
    lists = {one.in_list for one in (*table.stated.get(name, ()), *table.defined.get(name, ()))} - {""}
    return any(library.profiles.list_of(one) in lists for one in profiles if one in library.profiles)
