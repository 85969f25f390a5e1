"""A page as plain data: its quantities, choices, and plans, with what the plans share written once.

Numbers are in declared units. A plan is a program of `kernels.programs`: JavaScript that takes the known quantities
and yields everything that the page shows. Its texts (steps, checks, reasons) are kept in tables beside the programs,
since the N + 1 plans of a page have most of them in common.

A slider covers what one may want to try: the range that was asked for; otherwise a bounded domain, or two decades on
either side of the value, cut at the domain; and always the values that the page's profiles have. Where its ends are far
apart it goes by ratios. A slider that begins at zero and goes by ratios has the zero at its left end.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal, NamedTuple

from derive.errors import DeriveError, LimitError
from derive.expressions.tree import names_in
from derive.kernels.case_dispatch import cases_of_stated
from derive.kernels.programs.program import Program, Shared, programmed
from derive.model.relation_set import RelationSet
from derive.pages.page_question import Choices, PageQuestion, Variants, in_one_sentence, slots, variants
from derive.presentation.failed_checks import MOST_REMARKS
from derive.presentation.numbers import spelled
from derive.solving.answering.remarks import Elsewhere, limits_for, of_default, of_definition
from derive.solving.execution.question import outlined
from quantities.declaration import Declaration
from quantities.facts import Profile
from quantities.proposals import offered
from quantities.value import Value, read_number

_AROUND = 100.0  # how many times larger and smaller than the value a slider goes
_WIDE = 20.0  # the ratio of the ends from which it goes by ratios
_OPEN = "{} is not determined by what is given"


def page_data(
    library: RelationSet, targets: Sequence[str], profiles: Sequence[str], given: Mapping[str, Value]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The data of a page, and the JavaScript of its plans, by the places that the data name.

    An error if its question has no answer.
    """
    offers = slots(library, profiles)
    starts = {
        name: read_number(starting_number(value, library.declared[name]), library.declared[name].unit)
        for name, value in given.items()
    }
    found = variants(library, targets, offers, starts)
    plans = _Plans(library, {library.profiles.list_of(slot.chosen) for slot in offers})
    made = [plans.of_variant(question) for question in found.questions]
    _prove_answered(found.questions[0], made[0])
    names = plans.spoken_of(found)
    data = {
        "targets": list(targets),
        "quantities": {name: _quantity(library, name, found, given, plans.constants) for name in names},
        "slots": [_slot(library, choice, names) for choice in found.choices],
        "variants": made,
        "byGroups": {",".join(map(str, places)): one for places, one in found.by_groups.items()},
        "programs": plans.programs,
        "steps": list(map(json.loads, plans.steps)),
        "checks": list(map(json.loads, plans.checks)),
        "reasons": [asdict(one) for one in plans.shared.reasons],
        "inputs": [*plans.shared.inputs],
        "letters": plans.letters,
        "idle": list(found.questions[0].idle),
    }
    return data, tuple(plans.kernels)


def _prove_answered(question: PageQuestion, made: Mapping[str, Any]) -> None:
    """Raises if the page could not work out what it is for, because only the solver can."""
    target = question.targets[0]
    plan = made["plans"][target]
    if isinstance(plan, int):
        return
    why = plan["search"] if isinstance(plan, dict) else plan.rstrip(".")
    if why == _OPEN.format(target):
        why = "no relations lead to it one after another"
    hint = f"Give {' and '.join(question.ratios)} as well." if question.ratios else "Give others, or ask derive solve."
    raise LimitError(
        f"{target} cannot be worked out by a page: {why}.",
        hint=hint,
        limit="the arithmetic of a page",
    )


class _Plans:
    """The plans of a page: texts and plans that occur in several places are each kept once.

    The profiles of a page stand in these `lists`.
    """

    def __init__(self, library: RelationSet, lists: Collection[str]) -> None:
        self.library = library
        self.lists = lists
        self.shared = Shared()
        self.steps: dict[str, int] = {}  # each as JSON, and its place
        self.checks: dict[str, int] = {}
        self.kernels: dict[str, int] = {}
        self.programs: list[dict[str, Any]] = []
        self.constants: dict[str, float] = {}
        self.letters: dict[str, str] = {}
        self._used: dict[tuple[str, frozenset[str]], set[frozenset[str]]] = {}

    def of_variant(self, question: PageQuestion) -> dict[str, Any]:
        """The plans of a variant: for each quantity that can be asked for, and for the further targets."""
        first, given = question.targets[0], question.given_for(question.targets[0])
        others = [target for target in question.targets[1:] if target not in question.known]
        solved = {unknown: self._plan(unknown, question.given_for(unknown)) for unknown in (first, *question.known)}
        watched = {target: self._plan(target, given) for target in others}
        for unknown, plan in solved.items():
            if isinstance(plan, dict) and (why := self._one_way(question, first, unknown)):
                solved[unknown] = why
        refused = {
            target: {name: why for name in question.known if (why := self._one_way(question, target, name))}
            for target in watched
        }
        shares = self._shares(question)
        return {
            "known": list(question.known),
            "beside": list(question.beside),
            "plans": solved,
            "watched": watched,
            "refused": refused,
            "shares": shares,
            "atFirst": _not_followed(question, {one["share"] for one in shares}),
            "assumed": self._assumed(question, list(solved)),
        }

    def _assumed(self, question: PageQuestion, unknowns: Sequence[str]) -> list[dict[str, Any]]:
        """What answers assume beside the givens, with the plans that take it as given, and what it is elsewhere.

        A profile of a list that states it says by silence that it holds: the choice is among such, and no plan is
        needed.
        """
        others: dict[str, list[dict[str, Any]]] = {}
        for name in question.fallbacks:
            declared = self.library.declared[name]
            elsewhere = [_as_data(declared, one) for one in of_default(self.library, name)]
            here = f"{declared.default} by default; "
            others[name] = self._told(here, [*elsewhere, *self._limits(question, name)])
        for name in question.ratios:
            declared = self.library.declared[name]
            elsewhere = [_as_data(declared, one) for one in of_definition(self.library, name)]
            others.setdefault(name, []).extend(self._told("as in ", elsewhere))
        found = []
        for name, told in others.items():
            if told and name not in question.known:
                plans = {one: self._plan(one, (*question.given_for(one), name)) for one in unknowns}
                placed = {unknown: place for unknown, place in plans.items() if isinstance(place, int)}
                found.append({"name": name, "plans": placed, "others": told})
        return found

    def _told(self, here: str, elsewhere: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What is stated elsewhere, with what it is here; nothing where a list of the page's profiles states it."""
        is_listed = any(one.get("list") in self.lists for one in elsewhere)
        return [] if is_listed else [{**one, "here": here} for one in elsewhere]

    def _limits(self, question: PageQuestion, name: str) -> list[dict[str, Any]]:
        """The plans for what a quantity is where an inequality only just admits it, if givens alone say that."""
        found = []
        for limit, how in limits_for(self.library, name):
            needs = names_in(limit.written.rhs)
            if {*needs} <= {*question.known}:
                met = RelationSet([replace(limit, written=replace(limit.written, op="="))])
                place = self._placed(programmed(met, name, tuple(needs), shared=self.shared))
                if isinstance(place, int):
                    found.append({"plan": place, "whose": how})
        return found

    def _shares(self, question: PageQuestion) -> list[dict[str, Any]]:
        """What the relations on the way to the first target leave out, each with the plan for its share, if any."""
        found: list[dict[str, Any]] = []
        used = self._relations(question.targets[0], (*question.known, *question.beside))
        for name in sorted((one for names in used for one in names), key=list(self.library.relations).index):
            share = self.library.relations[name].neglected_share
            if not share or any(one["share"] == share for one in found):
                continue
            place = self._plan(share, question.given_for(question.targets[0]))
            if isinstance(place, int):
                what = self.library.declared[share].meaning.partition(",")[0] or "a part"
                found.append({"relation": name, "share": share, "what": what, "plan": place})
        return found

    def _one_way(self, question: PageQuestion, target: str, unknown: str) -> str:
        """Why a quantity cannot be searched for by the plan forwards to a target; empty if it can.

        The engine may take other relations backwards: a fallback stands where a relation would need what is asked for.
        Then its answer is not where the plan forwards comes out.
        """
        whole = (*question.known, *question.beside)
        try:
            forwards = self._relations(target, whole)
            backwards = self._relations(unknown, (*(name for name in whole if name != unknown), target))
        except DeriveError as error:
            return f"{in_one_sentence(error)}."
        if not backwards:
            return f"{_OPEN.format(unknown)}."
        other = "derive solve works it out by other relations than the way forwards, which this page cannot search."
        return "" if forwards == backwards else other

    def _relations(self, target: str, given: Iterable[str]) -> set[frozenset[str]]:
        """The relations of each plan for a target; none if counting leaves it open."""
        key = target, frozenset(given)
        if key not in self._used:
            found = cases_of_stated(self.library, outlined(self.library, target, given))
            self._used[key] = {frozenset(made.relations) for made in found.plans}
        return self._used[key]

    def _plan(self, unknown: str, given: Sequence[str]) -> int | str | dict[str, str]:
        """The place of a plan, or why there is none, or why the page has to search: only the solver could do it."""
        try:
            if not self._relations(unknown, given):
                return f"{_OPEN.format(unknown)}."
            return self._placed(programmed(self.library, unknown, given, shared=self.shared))
        except DeriveError as error:
            return f"{in_one_sentence(error)}."

    def _placed(self, made: Program) -> int | dict[str, str]:
        """The place of a program, or why the page has to search."""
        said = made.data()
        if not said["answers"]:
            return {"search": " ".join(one["reason"] for one in said["left_out"])}
        self.constants |= {one["name"]: one["number"] for one in said["constants"]}
        self.letters |= {name: letter for name, letter in said["letters"].items() if name not in self.letters}
        checks = [one for one in said["checks"] if not _rests_on_a_fallback(made, one)]
        self.programs.append(
            {
                "kernel": self.kernels.setdefault(made.source, len(self.kernels)),
                "size": said["size"],
                "inputs": [self.shared.inputs[name] for name in made.inputs],
                "outputs": said["outputs"],
                "checks": [_tabled(self.checks, one, "left", "right", "state") for one in checks],
                "choices": said["choices"],
                "steps": [_tabled(self.steps, one, "at") for one in said["steps"]],
                "yielding": said["yielding"],
                "barring": [one for one in said["barring"] if one["contradicts"]],
                "leftOut": said["left_out"],
            }
        )
        return len(self.programs) - 1

    def spoken_of(self, found: Variants) -> list[str]:
        """The names of all quantities on a page."""
        names = dict.fromkeys(found.questions[0].targets)
        for question in found.questions:
            names |= dict.fromkeys((*question.known, *question.beside))
        inputs = [*self.shared.inputs]
        for program in self.programs:
            names |= dict.fromkeys(one["name"] for one in program["outputs"])
            names |= dict.fromkeys(inputs[place] for place in program["inputs"])
        return list(names | dict.fromkeys(self.constants))


def _tabled(table: dict[str, int], entry: Mapping[str, Any], *own: str) -> dict[str, int]:
    """What is an entry's own, and the place of the rest of it in a table."""
    text = json.dumps({key: value for key, value in entry.items() if key not in own})
    return {"text": table.setdefault(text, len(table)), **{key: entry[key] for key in own}}


def _not_followed(question: PageQuestion, followed: Collection[str]) -> list[str]:
    """What relations leave out of the answer as the page is first set, where no plan says how that goes on.

    The share may need values that nothing else on the page does, or depend on cases that only the solver sorts.
    """
    remarks = [one for one in question.answer.remarks if one.kind == "left out" and one.name not in followed]
    setting = f"{', '.join(question.profiles)} as first set" if question.profiles else "as first set"
    return [f"{setting}: {one.text}" for one in remarks[:MOST_REMARKS]]


def _rests_on_a_fallback(made: Program, check: Mapping[str, Any]) -> bool:
    """Whether a check of an equation needs a value that only stands in for a relation: an answer does not test it."""
    members = {name: made.library.declared[name].default for name in made.library.members[check["relation"]]}
    stands_in = (name for name, one in members.items() if one is not None and one.source.stands_in)
    return check["op"] == "=" and any(name not in made.inputs for name in stands_in)


def _quantity(
    library: RelationSet,
    name: str,
    found: Variants,
    given: Mapping[str, Value],
    constants: Mapping[str, float],
) -> dict[str, Any]:
    """A quantity: what it is, its units, its domain, and if it can be moved its slider and where it starts."""
    quantity = library.declared[name]
    low, high = (quantity.unit.from_base(end) for end in (quantity.domain.low, quantity.domain.high))
    said: dict[str, Any] = {
        "meaning": quantity.meaning,
        "units": [[text, float(one.size), float(one.offset)] for text, one in offered(quantity.unit).items()],
        "domain": quantity.domain.text,
        "low": low if low > float("-inf") else None,
        "high": high if high < float("inf") else None,
    }
    if name in constants:
        said["constant"] = constants[name]
    if quantity.is_count:
        said["count"] = True
    said |= {key: True for key in ("open_low", "whole") if getattr(quantity.domain, key)}
    value = next((given.get(name, one.values[name]) for one in found.questions if name in one.values), None)
    if value is None:
        return said
    units = [*offered(quantity.unit)]
    if spelled(value.unit) in units[1:]:
        said["shown"] = spelled(value.unit)
    said["slider"] = _slider(library, quantity, value, found, given)
    if name in given:
        said["typed"] = starting_number(value, quantity)
    default = quantity.default
    if default is not None:
        said["default"] = quantity.unit.from_base(default.base[1])
        others = [*of_default(library, name), *of_definition(library, name)]
        if default.source.kind != "exact" and others:  # a profile of one of their lists says by silence that it holds
            said["elsewhere"] = [_as_data(quantity, one) for one in others]
    return said


def _as_data(quantity: Declaration, one: Elsewhere) -> dict[str, Any]:
    return {"number": quantity.unit.from_base(one.base), "text": one.text, "whose": one.whose, "list": one.in_list}


def _slider(
    library: RelationSet, quantity: Declaration, value: Value, found: Variants, given: Mapping[str, Value]
) -> list[Any]:
    """The ends of a quantity's slider and how it goes: it reaches the values of all profiles that the page offers."""
    names = [name for choice in found.choices for group in choice.groups for name in group]
    values = (library.profile(name).values.get(quantity.name) for name in names)
    others = [] if quantity.name in given else [quantity.unit.from_base(one.base[1]) for one in values if one]
    sizes = found.questions[0].sizes
    like = [abs(size) for name, size in sizes.items() if library.declared[name].dimension == quantity.dimension]
    size = quantity.unit.from_base(max(like, default=0.0))
    return [*slider(quantity, value, others, size, asked=quantity.name in given)]


def _slot(library: RelationSet, choice: Choices, names: Sequence[str]) -> dict[str, Any]:
    """A slot: its profiles with their numbers of the page's quantities, and those left out with the reason."""
    labels = library.profiles.labels()
    entries = []
    for i, group in enumerate(choice.groups):
        for name in group:
            profile, label = library.profile(name), labels.get(name.partition(":")[0]) or labels.get(name)
            entries.append(
                {
                    "name": name,
                    "title": (label.title if label else "") or profile.title,
                    "also": list(label.also) if label else [],
                    "group": i,
                    "values": {
                        one: library.declared[one].unit.from_base(value.base[1])
                        for one, value in profile.values.items()
                        if one in names
                    },
                    "list": library.profiles.list_of(name),
                    "goesWith": _goes_with(library, profile, names),
                }
            )
    left_out = [{"names": list(names), "reason": reason} for reason, names in choice.left_out.items()]
    return {"kind": choice.slot.kind, "chosen": choice.slot.chosen, "profiles": entries, "leftOut": left_out}


def _goes_with(library: RelationSet, profile: Profile, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The numbers of other quantities that a profile's numbers assume."""
    return {
        one: {other: library.declared[other].unit.from_base(value.base[1]) for other, value in assumed.items()}
        for one, assumed in profile.goes_with.items()
        if one in names and assumed.keys() <= {*names}
    }


class Slider(NamedTuple):
    """The ends of a slider in the declared unit, and how it goes."""

    low: float
    high: float
    scale: Literal["ratio", "difference", "ratio from zero"]


def starting_number(value: Value, quantity: Declaration) -> float:
    """The number at which a given starts, in the declared unit: the middle of a wide range is that of its ratios.

    >>> from quantities.value import read_value
    >>> starting_number(read_value("1..4096 sequence"), Declaration("batch", "sequence"))
    64.0
    """
    low, number, high = map(quantity.unit.from_base, value.base)
    is_middle = value.is_range and math.isclose(number, (low + high) / 2)
    found = math.sqrt(low * high) if is_middle and low > 0 and high / low >= _WIDE else number
    return float(round(found)) if quantity.domain.whole else found


def slider(
    quantity: Declaration, value: Value, others: Iterable[float] = (), like: float = 0.0, *, asked: bool = False
) -> Slider:
    """The slider of a given: `others` are values that it must reach, `like` a size to go by where the value is zero.

    >>> from quantities.value import read_value
    >>> slider(Declaration("context", "token/sequence"), read_value("8 ktoken/sequence"))
    Slider(low=50.0, high=1000000.0, scale='ratio')
    >>> slider(Declaration("share", "", domain="0..1"), read_value("0.4"))
    Slider(low=0.0, high=1.0, scale='difference')
    >>> slider(Declaration("delay", "s", domain="nonnegative"), read_value("0 s"), like=0.3)
    Slider(low=0.0, high=5.0, scale='ratio from zero')
    """
    unit, domain = quantity.unit, quantity.domain
    least, most = unit.from_base(domain.low), unit.from_base(domain.high)
    ends = [unit.from_base(end) for end in (value.base[0], value.base[2])]
    start = starting_number(value, quantity)
    if not (asked and value.is_range):
        ends = [*ends, *_usual(start, least, most, like, is_scale=not unit.offset)]
    reached = [*ends, start, *others]
    low, high = max(min(reached), least), min(max(reached), most)
    if low == least and domain.open_low and low >= 0:
        low = min(number for number in (*reached, high) if number > least) if any(n > least for n in reached) else high
    if domain.whole:
        low, high = math.ceil(low), math.floor(high)
    return Slider(low, high, _scale(low, high))


def _usual(start: float, least: float, most: float, like: float, *, is_scale: bool) -> tuple[float, float]:
    """The ends where nobody asked for any."""
    if math.isfinite(least) and math.isfinite(most):
        return (nice(most / _AROUND**2, -1), most) if least == 0 and most > _AROUND**2 else (least, most)
    if is_scale and start > 0 <= least:
        return nice(start / _AROUND, -1), nice(start * _AROUND, 1)
    if is_scale and start == 0 <= least:
        return 0.0, nice(like * 10, 1) if like > 0 else 1.0
    if not is_scale:
        return start - _AROUND, start + _AROUND
    reach = nice(4 * abs(start), 1) if start else 1.0
    return -reach, reach


def _scale(low: float, high: float) -> Literal["ratio", "difference", "ratio from zero"]:
    if low > 0 and high / low >= _WIDE:
        return "ratio"
    return "ratio from zero" if low == 0 and high not in (1.0, 100.0) and high > 0 else "difference"


def nice(number: float, way: int) -> float:
    """The next 1, 2 or 5 times a power of ten above a number, or below it.

    >>> nice(823.0, 1), nice(823.0, -1), nice(0.03, 1)
    (1000.0, 500.0, 0.05)
    """
    power = 10.0 ** math.floor(math.log10(number))
    steps = [float(f"{step * power:.1g}") for step in (1, 2, 5, 10)]
    shown = float(f"{number:.12g}")
    if way > 0:
        return next(step for step in steps if step >= shown)
    return next(step for step in reversed(steps) if step <= shown)
