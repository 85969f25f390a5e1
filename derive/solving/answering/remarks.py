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
from itertools import chain
from typing import Any, TypeVar

from derive.caches import Memo
from derive.errors import DeriveError, LimitError
from derive.expressions.tree import Apply, Equation, Name, Number, names_in, with_forms
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import value
from derive.planning.basis import determined
from derive.planning.incidence import structure_of
from derive.planning.plan import Plan
from derive.presentation.cautions import displaced
from derive.presentation.numbers import shown_number
from derive.solving.execution.answer import Answer, Omission, Remark
from derive.solving.execution.conditional_relations import Undecided, explored
from derive.solving.execution.plan_execution import carried_out
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import Question, ask
from derive.solving.ranges.bounds import SolutionBranch
from derive.time_limits import query, sharing
from derive.tolerances import AGREEMENT, MOVED, WORTH_TELLING

_TIME_SHARE = 0.5  # of the time of a question, which finding remarks may take
_DIGITS = 4  # of a value that is typed in for a default
_SHARE_DIGITS = 3  # of what is left out
_ALTERNATIVES = Memo["_Alternatives"](most=1)

_T = TypeVar("_T")

Again = Callable[[Mapping[str, Any]], "float | None"]
"""The answer with other values typed, in base units; None if there is none or not just this one."""

Asked = Callable[[str], "Answer | None"]
"""The answer for another target; None if there is none or not just one."""


def remarks(branch: SolutionBranch, answer: Answer, again: Again, asked: Asked) -> tuple[Remark, ...]:
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
    search = _RemarkSearch(branch, answer, again, asked)
    kinds = (search.alone, search.left_out, search.mismatched, search.displaced, search.taken_up, search.defaulted)
    collected: list[Remark] = []
    try:
        with query(), sharing(_TIME_SHARE):
            for remarks_of_kind in kinds:
                collected.extend(remarks_of_kind())
    except LimitError:  # the remarks until then are true
        text = "there was no time to try what else is assumed"
        collected.append(Remark("assumed", target, value="", factor=None, weight=1.0, text=text))
    return tuple(sorted(collected, key=lambda remark: -remark.weight))


def unless_refused(compute: Callable[[], _T]) -> _T | None:
    """The answer to a question changed for a remark; None if an error refuses it.

    Want of time is passed on, and ends the whole search. A changed question may exceed a limit on size that the
    question itself keeps.
    """
    try:
        return compute()
    except DeriveError as error:
        if isinstance(error, LimitError) and error.is_of_time:
            raise
        return None


class _RemarkSearch:
    """The search for remarks on one answer: its question is asked again with changes."""

    def __init__(self, branch: SolutionBranch, answer: Answer, again: Again, asked: Asked) -> None:
        assert answer.base is not None
        self.branch, self.answer, self.again, self.asked = branch, answer, again, asked
        self.library, self.question, self.plan = branch.library, branch.question, branch.plan
        self.base: float = answer.base
        self.assumed = _assumed_defaults(self.library, self.question)
        self.ratios = open_ratios(self.library, self.question, self.plan.relations, branch.found.left_out)

    def alone(self) -> Iterator[Remark]:
        """The remark that an answer rests on defaults alone, to which nothing given leads."""
        question = self.question
        members = set[str]().union(*(self.library.relations[name].declared for name in self.plan.relations))
        weak = [name for name in self.plan.weak if name in members]
        defaults = {name: str(question.weak[name]) for name in weak if name in self.assumed}
        is_alone = members.isdisjoint(question.strong) and question.origins.keys().isdisjoint(weak)
        if defaults and is_alone:
            values = ", ".join(f"{name} = {value}" for name, value in defaults.items())
            text = f"nothing given leads to {question.target}: it rests on {values}"
            first, shown = next(iter(defaults.items()))
            yield Remark("defaulted", first, shown, factor=None, weight=math.inf, text=text)

    def left_out(self) -> Iterator[Remark]:
        """Remarks on the shares that relations in use neglect, each with the answer that counts the share."""
        for neglected_share in self.answer.neglected:
            share, shown = neglected_share.share, neglected_share.shown
            what, _, _ = neglected_share.what.partition(" (")
            # a share that cannot exceed 1 is the part of what is counted that is too much: there is nothing to add
            is_part = self.library.declared[share].domain.high <= 1
            number = None if is_part else self._answer_with_share(neglected_share)
            if number is not None:
                text = f"with {what} counted ({neglected_share.relation} leaves it out: {shown} of what it counts)"
                yield from self._remark("left out", share, shown, text, number)
            elif abs(neglected_share.number) > MOVED:
                text = f"{neglected_share.relation} leaves out {what}: {shown} of what it counts"
                yield Remark("left out", share, shown, None, weight=1 + abs(neglected_share.number), text=text)

    def mismatched(self) -> Iterator[Remark]:
        """Remarks on values in use that their profile states for another value of some quantity."""
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
        """Remarks on unused values of named profiles that typed values make others by more than a tenth.

        What is typed takes precedence, so the answer may be as meant; but it is not one for what the profile says.
        Where either of two such values may yield to the other, it is the one that then changes less.
        """
        typed = self.question.strong.keys() & self.answer.given.keys()
        if not typed:
            return
        compared = {check.name for check in self.answer.checks}
        changed: list[tuple[float, str, Answer]] = []
        for name in self._unused_profile_values():
            answer = None if name in compared else self.asked(name)
            if answer is None or answer.base is None or typed.isdisjoint(answer.given):
                continue
            stated = self.question.weak[name].base[1]
            if abs(answer.base - stated) > MOVED * abs(stated):
                changed.append((_ratio(answer.base, stated), name, answer))
        explained: set[str] = set()
        for weight, name, answer in sorted(changed, key=lambda entry: entry[:2]):
            if explained.isdisjoint(answer.given):
                explained.add(name)
                weak = self.question.weak[name]
                text = displaced(name, weak, answer.base, self.library.declared[name].unit)
                yield Remark("displaced", name, str(weak), None, weight, text)

    def taken_up(self) -> Iterator[Remark]:
        """Remarks on fallbacks that take up unused givens, each with the answer at the fallback's own value.

        At this value the givens count. A fallback is what a quantity counts as where nothing gives it, such as fittings
        that nobody named.
        """
        question, unused = self.question, {*self.answer.unused}
        if not unused:
            return
        structure = structure_of(self.library, frozenset(), question.stated)
        for name in sorted(self.assumed & structure.otherwise - {*self.plan.weak}):
            answer = None if structure.is_written(name) else self.asked(name)
            if answer is None or answer.base is None or unused.isdisjoint(answer.given):
                continue
            weak, unit = question.weak[name], self.library.declared[name].unit
            number = self.again({name: weak})
            if number is not None:
                text = f"with {name} {weak} ({weak.source}; it comes out as {shown_number(answer.base, unit)})"
                yield from self._remark("displaced", name, str(weak), text, number)

    def _unused_profile_values(self) -> Iterator[str]:
        """Quantities for remarks: a named profile gives a value that the answer does not use, and a plan leads to them.

        Others might follow from inequalities, or where unknowns cancel; to seek that takes seconds.
        """
        question = self.question
        for name in question.origins:
            if name not in question.weak or name in self.plan.weak:
                continue
            try:
                result = carried_out(self.library, question.for_target(name))
            except (DeriveError, Undecided):  # it follows in some case at the most
                continue
            if result.plan.is_determined:
                yield name

    def defaulted(self) -> Iterator[Remark]:
        """Remarks on how other values of defaults, and of ratios that follow from defaults, change the answer."""
        weights: list[float] = []
        named = set(self.question.origins.values())
        for name in self._defaults():
            if _is_default_by_silence(self.library, name, named):
                continue
            here = f"{self.question.weak[name]} by default; "
            others = [*of_default(self.library, name), *_limits_at(self.library, name, self._number)]
            for remark in self._farthest(name, others, here):
                weights.append(remark.weight)
                yield remark
        for name in self.ratios:
            if _is_default_by_silence(self.library, name, named):
                continue
            for remark in self._farthest(name, of_definition(self.library, name), "as in "):
                # a ratio and its reciprocal move the answer by the same factor: one remark is enough
                if not any(abs(remark.weight - weight) <= AGREEMENT * weight for weight in weights):
                    weights.append(remark.weight)
                    yield remark

    def _farthest(self, name: str, alternatives: Iterable[AlternativeValue], here: str) -> Iterator[Remark]:
        """The remark on the one of several alternative values of a quantity that moves the answer most."""
        candidates: list[Remark] = []
        for alternative in alternatives:
            if self._is_slight(name, alternative):
                continue
            number = self.again({name: alternative.text})
            if number is not None:
                text = f"with {name} {alternative.text} ({here}{alternative.whose})"
                candidates += self._remark("defaulted", name, alternative.text, text, number)
        if candidates:
            yield max(candidates, key=lambda remark: remark.weight)

    def _remark(self, kind: str, name: str, value: str, text: str, number: float) -> Iterator[Remark]:
        """The remark on a change of the question, if it changes the answer by more than a tenth."""
        unit = self.answer.quantity.unit
        if abs(number - self.base) <= MOVED * abs(self.base):
            return
        factor = number / self.base if self.base else None
        if factor is None or factor <= 0 or unit.offset:
            size = shown_number(number, unit, 3)
        else:
            size = f"{factor:.3g} times as much" if factor > 1 else f"{factor:.2g} of it"
        yield Remark(kind, name, value, factor, weight=_ratio(number, self.base), text=f"{text}: {size}")

    def _is_slight(self, name: str, alternative: AlternativeValue) -> bool:
        """Whether an alternative to a default, at an unchanged plan, moves the answer too little for a remark."""
        if name not in self.plan.weak or self.plan.is_joint or name in self._names_in_conditions():
            return False
        number = self.branch.at({name: alternative.base})
        return number is not None and abs(number - self.base) <= MOVED * abs(self.base)

    def _defaults(self) -> list[str]:
        """The defaults for remarks: those in use, and those that decide which relations apply."""
        deciding = sorted(self._names_in_conditions() & self.assumed)
        return [name for name in dict.fromkeys([*self.plan.weak, *deciding]) if name in self.assumed]

    def _names_in_conditions(self) -> set[str]:
        """The names in conditions near the answer, whose defaults remarks change too, as they decide what applies."""
        near = self.library.held_by(self.plan.relations).keys()
        relations = [rule for rule in self.library.conditional if not near.isdisjoint(self.library.members[rule.name])]
        return {*names_in(*chain.from_iterable(relation.conditions for relation in relations))}

    def _number(self, name: str) -> float | None:
        """The number of a quantity in the answer remarked on, or else the number stated of it."""
        return self.branch.state.values.get(name, self.question.stated_numbers.get(name))

    def _answer_with_share(self, left_out: Omission) -> float | None:
        """The answer changed for a remark: relations in use count a neglected share; None if it is not one number."""
        library = self.library
        relations = [_with_share_counted(library.relations[name], left_out) for name in self.plan.relations]
        declared = dict(chain.from_iterable(relation.declared.items() for relation in relations))
        small = RelationSet(relations, [quantity.but(default=None) for quantity in declared.values()])
        given = {name: value for name, value in self.question.in_use(self.plan).items() if name in small.declared}
        target = self.question.target
        result = unless_refused(lambda: carried_out(small, ask(small, target, (), given)))
        if result is None or len(result.states) != 1:
            return None
        return result.states[0].values.get(target)


def neglected(library: RelationSet, question: Question, plan: Plan) -> tuple[Omission, ...]:
    """The neglected shares that are worth a remark: of the relations of a plan, by the givens, each share once.

    The meaning of a share begins with what it is.

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
    by_share: dict[str, Omission | None] = {}
    for relation in plan.relations:
        share = library.relations[relation].neglected_share
        if share in library.declared and share not in by_share:
            by_share[share] = _neglected(library, question, relation, share)
    return tuple(neglected_share for neglected_share in by_share.values() if neglected_share is not None)


def _neglected(library: RelationSet, question: Question, relation: str, share: str) -> Omission | None:
    """The share that a relation neglects; None if the givens do not determine it, or it is too small for a remark."""
    number = _number_by_givens(library, question, share)
    if number is None or abs(number) < WORTH_TELLING:
        return None
    declared = library.declared[share]
    what = declared.meaning.partition(",")[0] or "a part"
    return Omission(relation, share, what, number, shown_number(number, declared.unit, _SHARE_DIGITS))


def _number_by_givens(library: RelationSet, question: Question, name: str) -> float | None:
    """The number of a neglected share for a remark: one by the givens over all cases, else its weak value, or None."""
    if name in question.strong:
        return question.strong[name].base[1]
    weak = {weak_name: value for weak_name, value in question.weak.items() if weak_name != name}
    asked = replace(question, target=name, weak=weak, own=None)
    with query():
        cases = [outcome for _, outcome in explored(library, asked, partial(carried_out, library))]
    states = chain.from_iterable(outcome.states for outcome in cases if isinstance(outcome, PlanResult))
    numbers = {state.values[name] for state in states if name in state.values}
    if not numbers and name in question.weak:
        return question.weak[name].base[1]
    return numbers.pop() if len(numbers) == 1 else None


def open_ratios(
    library: RelationSet, question: Question, used: Iterable[str], left_out: Iterable[str] = ()
) -> Iterator[str]:
    """The pure numbers in or around a derivation that stated values leave open, so that remarks may change them."""
    members = {*library.held_by(used), question.target}
    defined_by_members = set()
    for holder in chain.from_iterable(library.holders.get(name, ()) for name in members):
        relation = library.relations[holder]
        defined = relation.written.written_for
        if relation.is_equation and {*library.members[holder]} - {defined} <= members:
            defined_by_members.add(defined)
    near = members | defined_by_members
    names = [name for name in library.declared if name in near and of_definition(library, name)]
    names = [name for name in names if name not in question.strong and name not in question.origins]
    if not names:
        return
    structure = structure_of(library, frozenset(left_out), question.stated)
    assumed = _assumed_defaults(library, question)
    firm = [name for name in question.weak if name not in assumed]  # in their order: the strongest first
    known = determined(structure, question.strong, firm)
    yield from (name for name in names if name not in known)


def _assumed_defaults(library: RelationSet, question: Question) -> set[str]:
    """The quantities whose default a remark may change: it is assumed, and no definition."""
    return {
        name
        for name, weak in question.weak.items()
        if weak is library.declared[name].default and weak.source.kind != "exact"
    }


def _limits_at(library: RelationSet, name: str, number: Callable[[str], float | None]) -> Iterator[AlternativeValue]:
    """Alternatives for a remark on a quantity: its limits by inequalities whose other side has a number here."""
    for limit, how in limits_for(library, name):
        bound = limit.written.rhs
        numbers = {needed: known for needed in names_in(bound) if (known := number(needed)) is not None}
        if numbers.keys() >= {*names_in(bound)}:
            base = value(bound, numbers)
            if math.isfinite(base):
                yield AlternativeValue(shown_number(base, library.declared[name].unit), base, whose=how)


def limits_for(library: RelationSet, name: str) -> Iterator[tuple[Relation, str]]:
    """The unconditional inequalities with a quantity alone on the left, each in the words of a remark.

    An inequality under a condition may not apply with another value of the quantity.
    """
    for limit in library.limits.get(name, ()):
        relation = library.relations[limit]
        if relation.written.lhs == Name(name) and not relation.conditions:
            side = "at most" if relation.written.op == "<=" else "at least"
            yield relation, f"{side}, by {limit}"


def _ratio(number: float, reference: float) -> float:
    """The ratio of two numbers that weighs a remark, 1 or more; infinite if one is zero, or if their signs differ."""
    ratio = number / reference if reference else 0.0
    return max(ratio, 1 / ratio) if ratio > 0 else math.inf


def _with_share_counted(relation: Relation, left_out: Omission) -> Relation:
    """A relation changed for a remark: it counts the share that it neglects, and holds without conditions."""
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
class AlternativeValue:
    """Another value of a quantity for a remark: as a given is written, in base units, and where it is from."""

    text: str
    base: float
    whose: str
    in_list: str = ""  # the list of facts that it is from


@dataclass(frozen=True)
class _Alternatives:
    """The alternatives for remarks in lists of facts: values stated for defaults, and pure numbers by definitions."""

    stated: dict[str, list[AlternativeValue]] = field(default_factory=dict)
    defined: dict[str, list[AlternativeValue]] = field(default_factory=dict)

    @classmethod
    def of(cls, library: RelationSet) -> _Alternatives:
        """The alternatives for remarks in the lists of facts of a library, read once."""
        return _ALTERNATIVES.of(library.session, "stated elsewhere", lambda: cls._read_from(library))

    @classmethod
    def _read_from(cls, library: RelationSet) -> _Alternatives:
        """Read the alternatives for remarks from each profile in the lists of facts of a library."""
        alternatives = cls()
        definitions = [
            (relation.written.rhs, name, frozenset(library.members[relation.name]) - {name})
            for relation in library.relations.values()
            if (name := relation.written.written_for) is not None
            and relation.is_equation
            and not relation.conditions
            and relation.approximate is None
            and library.declared[name].unit.is_number
        ]
        for profile in library.profiles:
            in_list = library.profiles.list_of(profile)
            if not in_list:
                continue
            values = library.profiles[profile].values
            for name in values.keys() & library.defaults.keys():
                base = values[name].base[1]
                text = shown_number(base, library.declared[name].unit, _DIGITS)
                alternatives.stated.setdefault(name, []).append(AlternativeValue(text, base, profile, in_list))
            numbers = {name: stated.base[1] for name, stated in values.items() if name in library.declared}
            for form, name, needs in definitions:
                if name in numbers or not needs or not needs <= numbers.keys():
                    continue
                base = value(form, numbers)
                if library.declared[name].domain.admits(base):
                    text = shown_number(base, library.declared[name].unit, _DIGITS)
                    alternatives.defined.setdefault(name, []).append(AlternativeValue(text, base, profile, in_list))
        return alternatives


def of_default(library: RelationSet, name: str) -> tuple[AlternativeValue, ...]:
    """Alternatives to a default for a remark: the ends of what lists of facts state and of what was seen."""
    seen = library.declared[name].seen
    values = [*_Alternatives.of(library).stated.get(name, ())]
    if seen is not None:
        ends = ((seen.least, seen.low), (seen.most, seen.high))
        values += [AlternativeValue(text, base, seen.source) for text, base in ends if text]
    return _least_and_greatest(values)


def of_definition(library: RelationSet, name: str) -> tuple[AlternativeValue, ...]:
    """Alternatives to a pure number for a remark: the ends of what its definition gives for single profiles."""
    return _least_and_greatest(_Alternatives.of(library).defined.get(name, ()))


def _least_and_greatest(values: Iterable[AlternativeValue]) -> tuple[AlternativeValue, ...]:
    """The least and the greatest of alternative values for a remark; a single one as it is."""
    ordered = sorted(values, key=lambda alternative: alternative.base)
    return (ordered[0], ordered[-1]) if len(ordered) > 1 else tuple(ordered)


def _is_default_by_silence(library: RelationSet, name: str, profiles: Iterable[str]) -> bool:
    """Whether a named profile confirms a default by its silence, so that no remark is due.

    A list of facts states a quantity where it differs from that: a model without a window has no width of one.
    """
    table = _Alternatives.of(library)
    alternatives = (*table.stated.get(name, ()), *table.defined.get(name, ()))
    lists = {alternative.in_list for alternative in alternatives} - {""}
    return any(library.profiles.list_of(profile) in lists for profile in profiles if profile in library.profiles)
