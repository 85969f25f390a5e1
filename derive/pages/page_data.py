"""A page as plain data: its quantities, choices, and plans, with what the plans share written once.

Numbers are in declared units. A plan is a program of `kernels.programs`: JavaScript that takes the known quantities
and yields everything that the page shows. Its texts (steps, checks, reasons) are kept in tables beside the programs,
since the N + 1 plans of a page have most of them in common.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from derive.errors import DeriveError, LimitError
from derive.expressions.tree import names_in
from derive.kernels.case_dispatch import cases_of_stated
from derive.kernels.programs.program import Program, programmed
from derive.kernels.programs.reasons import Reason
from derive.kernels.several_targets import plans_of
from derive.model.relation_set import RelationSet
from derive.pages.page_question import PageQuestion
from derive.pages.profiles_of_page import Slot, slots
from derive.pages.sliders import Slider, slider, starting_number
from derive.pages.variants import Choices, Variants, variants
from derive.presentation.failed_checks import MOST_REMARKS
from derive.presentation.numbers import spelled
from derive.solving.answering.remarks import limits_for
from derive.solving.answering.stated_elsewhere import Elsewhere, of_default, of_definition
from derive.solving.execution.question import outlined
from quantities.declaration import Declaration
from quantities.facts import Profile
from quantities.proposals import offered
from quantities.value import Value, read_number

__all__ = ["PageData", "page_data"]

_OPEN = "{} is not determined by what is given"


@dataclass(frozen=True)
class PageData:
    """The data of a page, and the JavaScript of its plans, by the places that the data name."""

    data: Mapping[str, Any]
    kernels: tuple[str, ...]


@dataclass
class _Tables:
    """Texts and plans that occur in several places, each kept once."""

    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)
    reasons: dict[Reason, int] = field(default_factory=dict)
    kernels: dict[str, int] = field(default_factory=dict)
    programs: list[dict[str, Any]] = field(default_factory=list)
    constants: dict[str, float] = field(default_factory=dict)
    letters: dict[str, str] = field(default_factory=dict)
    ways: dict[tuple[str, frozenset[str]], set[frozenset[str]]] = field(default_factory=dict)

    def place(self, table: dict[str, dict[str, Any]], entry: dict[str, Any]) -> int:
        """The place of an entry in its table."""
        key = repr(sorted(entry.items()))
        table.setdefault(key, entry)
        return list(table).index(key)

    def used(self, library: RelationSet, target: str, given: Iterable[str]) -> set[frozenset[str]]:
        """The relations of each plan for a target; none if counting leaves it open."""
        key = target, frozenset(given)
        if key not in self.ways:
            found = plans_of(cases_of_stated(library, outlined(library, target, given)))
            self.ways[key] = {frozenset(made.relations) for made in found}
        return self.ways[key]


def page_data(
    library: RelationSet, targets: Sequence[str], profiles: Sequence[str], given: Mapping[str, Value]
) -> PageData:
    """Everything that a page needs; an error if its question has no answer."""
    offers = slots(library, profiles)
    starts = {
        name: read_number(starting_number(value, library.declared[name]), library.declared[name].unit)
        for name, value in given.items()
    }
    found = variants(library, targets, offers, starts)
    tables = _Tables()
    lists = {library.profiles.list_of(slot.chosen) for slot in offers}
    plans = [_plans(library, question, lists, tables) for question in found.questions]
    _prove_answered(library, found.questions[0], plans[0])
    names = _spoken_of(found, tables)
    data = {
        "targets": list(targets),
        "quantities": {name: _quantity(library, name, found, given, tables) for name in names},
        "slots": [_slot(library, slot, choice, names) for slot, choice in zip(offers, found.choices, strict=True)],
        "variants": plans,
        "byGroups": {",".join(map(str, places)): one for places, one in found.by_groups.items()},
        "programs": tables.programs,
        "steps": list(tables.steps.values()),
        "checks": list(tables.checks.values()),
        "reasons": [asdict(one) for one in tables.reasons],
        "letters": tables.letters,
        "idle": list(found.questions[0].idle),
    }
    return PageData(data, tuple(tables.kernels))


def _prove_answered(library: RelationSet, question: PageQuestion, made: Mapping[str, Any]) -> None:
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


def _plans(library: RelationSet, question: PageQuestion, lists: Collection[str], tables: _Tables) -> dict[str, Any]:
    """The plans of a variant: for each quantity that can be asked for, and for the further targets."""
    others = [target for target in question.targets[1:] if target not in question.known]
    solved: dict[str, int | str | dict[str, str]] = {}
    for unknown in (question.targets[0], *question.known):
        solved[unknown] = _plan(library, unknown, question.given_for(unknown), tables)
    watched = {target: _plan(library, target, question.given_for(question.targets[0]), tables) for target in others}
    for unknown, plan in solved.items():
        if isinstance(plan, dict) and (why := _one_way(library, question, question.targets[0], unknown, tables)):
            solved[unknown] = why
    refused = {
        target: {name: why for name in question.known if (why := _one_way(library, question, target, name, tables))}
        for target in watched
    }
    shares = _shares(library, question, tables)
    return {
        "known": list(question.known),
        "beside": list(question.beside),
        "plans": solved,
        "watched": watched,
        "refused": refused,
        "shares": shares,
        "atFirst": _not_followed(question, {one["share"] for one in shares}),
        "assumed": _assumed(library, question, list(solved), lists, tables),
    }


def _assumed(
    library: RelationSet, question: PageQuestion, unknowns: Sequence[str], lists: Collection[str], tables: _Tables
) -> list[dict[str, Any]]:
    """What answers assume beside the givens, with the plans that take it as given, and what it is elsewhere.

    A profile of a list that states it says by silence that it holds: the choice is among such, and no plan is needed.
    """
    found: dict[str, dict[str, Any]] = {}

    def add(name: str, here: str, others: Sequence[dict[str, Any]]) -> None:
        if others and name not in question.known and not any(one.get("list") in lists for one in others):
            made = {one: _plan(library, one, (*question.given_for(one), name), tables) for one in unknowns}
            plans = {unknown: place for unknown, place in made.items() if isinstance(place, int)}
            found.setdefault(name, {"name": name, "plans": plans, "others": []})
            found[name]["others"] += [{**one, "here": here} for one in others]

    for name in question.fallbacks:
        declared = library.declared[name]
        elsewhere = [_as_data(declared, one) for one in of_default(library, name)]
        add(name, f"{declared.default} by default; ", [*elsewhere, *_limits(library, question, name, tables)])
    for name in question.ratios:
        add(name, "as in ", [_as_data(library.declared[name], one) for one in of_definition(library, name)])
    return list(found.values())


def _limits(library: RelationSet, question: PageQuestion, name: str, tables: _Tables) -> list[dict[str, Any]]:
    """The plans for what a quantity is where an inequality only just admits it, as far as givens alone say that."""
    found = []
    for limit, how in limits_for(library, name):
        needs = names_in(limit.written.rhs)
        if {*needs} <= {*question.known}:
            met = RelationSet([replace(limit, written=replace(limit.written, op="="))])
            place = _place(programmed(met, name, tuple(needs), numbers=tables.reasons), tables)
            if isinstance(place, int):
                found.append({"plan": place, "whose": how})
    return found


def _shares(library: RelationSet, question: PageQuestion, tables: _Tables) -> list[dict[str, Any]]:
    """What the relations on the way to the first target leave out, each with the plan for its share, if it has one."""
    found: list[dict[str, Any]] = []
    forwards = tables.used(library, question.targets[0], (*question.known, *question.beside))
    used = [one for names in forwards for one in names]
    for name in sorted(used, key=list(library.relations).index):
        share = library.relations[name].neglected_share
        if not share or any(one["share"] == share for one in found):
            continue
        place = _plan(library, share, question.given_for(question.targets[0]), tables)
        if isinstance(place, int):
            what = library.declared[share].meaning.partition(",")[0] or "a part"
            found.append({"relation": name, "share": share, "what": what, "plan": place})
    return found


def _not_followed(question: PageQuestion, followed: Collection[str]) -> list[str]:
    """What relations leave out of the answer as the page is first set, where no plan says how that goes on.

    The share may need values that nothing else on the page does, or depend on cases that only the solver sorts.
    """
    remarks = [one for one in question.answer.remarks if one.kind == "left out" and one.name not in followed]
    setting = f"{', '.join(question.profiles)} as first set" if question.profiles else "as first set"
    return [f"{setting}: {one.text}" for one in remarks[:MOST_REMARKS]]


def _one_way(library: RelationSet, question: PageQuestion, target: str, unknown: str, tables: _Tables) -> str:
    """Why a quantity cannot be searched for by the plan forwards to a target; empty if it can.

    The engine may take other relations backwards: a fallback stands where a relation would need what is asked for. Then
    its answer is not where the plan forwards comes out.
    """
    whole = (*question.known, *question.beside)
    given = (*(name for name in whole if name != unknown), target)
    try:
        forwards = tables.used(library, target, whole)
        backwards = tables.used(library, unknown, given)
    except DeriveError as error:
        return error.what.partition("\n")[0].partition(". ")[0].rstrip(".") + "."
    if not backwards:
        return f"{_OPEN.format(unknown)}."
    other = "derive solve works it out by other relations than the way forwards, which this page cannot search."
    return "" if forwards == backwards else other


def _plan(library: RelationSet, unknown: str, given: Sequence[str], tables: _Tables) -> int | str | dict[str, str]:
    """The place of a plan, or why there is none, or why the page has to search: only the solver could work it out."""
    try:
        if not tables.used(library, unknown, given):
            return f"{_OPEN.format(unknown)}."
        return _place(programmed(library, unknown, given, numbers=tables.reasons), tables)
    except DeriveError as error:
        return error.what.partition("\n")[0].partition(". ")[0].rstrip(".") + "."


def _place(made: Program, tables: _Tables) -> int | dict[str, str]:
    """The place of a program, or why the page has to search."""
    said = made.data()
    if not said["answers"]:
        return {"search": " ".join(one["reason"] for one in said["left_out"])}
    tables.constants |= {one["name"]: one["number"] for one in said["constants"]}
    tables.letters |= {name: letter for name, letter in said["letters"].items() if name not in tables.letters}
    tables.programs.append(_program(made, said, tables))
    return len(tables.programs) - 1


def _program(made: Program, said: Mapping[str, Any], tables: _Tables) -> dict[str, Any]:
    """A program's data without what its quantities' declarations say, and with its texts in tables."""
    ways = ("left", "right", "state")
    return {
        "kernel": tables.kernels.setdefault(made.source, len(tables.kernels)),
        "size": said["size"],
        "inputs": [one["name"] for one in said["inputs"]],
        "outputs": [[one["name"], one["at"], one["why"], one["role"]] for one in said["outputs"]],
        "checks": [
            [tables.place(tables.checks, {k: v for k, v in one.items() if k not in ways}), *(one[k] for k in ways)]
            for one in said["checks"]
            if not _rests_on_a_fallback(made, one)
        ],
        "choices": [[one["relation"], one["at"], one["forms"]] for one in said["choices"]],
        "steps": [
            [tables.place(tables.steps, {k: v for k, v in one.items() if k != "at"}), one["at"]]
            for one in said["steps"]
        ],
        "yielding": [[one["name"], one["said"], one["state"]] for one in said["yielding"]],
        "barring": [
            [one["relation"], one["verdict"], one["state"], one["behind"]]
            for one in said["barring"]
            if one["contradicts"]
        ],
        "leftOut": said["left_out"],
    }


def _rests_on_a_fallback(made: Program, check: Mapping[str, Any]) -> bool:
    """Whether a check of an equation needs a value that only stands in for a relation: an answer does not test it."""
    members = {name: made.library.declared[name].default for name in made.library.members[check["relation"]]}
    stands_in = (name for name, one in members.items() if one is not None and one.source.stands_in)
    return check["op"] == "=" and any(name not in made.inputs for name in stands_in)


def _spoken_of(found: Variants, tables: _Tables) -> list[str]:
    """The names of all quantities on a page."""
    names = dict.fromkeys(found.questions[0].targets)
    for question in found.questions:
        names |= dict.fromkeys((*question.known, *question.beside))
    for program in tables.programs:
        names |= dict.fromkeys(one[0] for one in program["outputs"])
        names |= dict.fromkeys(program["inputs"])
    return list(names | dict.fromkeys(tables.constants))


def _quantity(
    library: RelationSet, name: str, found: Variants, given: Mapping[str, Value], tables: _Tables
) -> dict[str, Any]:
    """A quantity: what it is, its units, its domain, and if it can be moved its slider and where it starts."""
    quantity = library.declared[name]
    low, high = (quantity.unit.from_base(end) for end in (quantity.domain.low, quantity.domain.high))
    said: dict[str, Any] = {
        "meaning": quantity.meaning,
        "units": [[one.text, one.size, one.offset] for one in offered(quantity.unit)],
        "domain": quantity.domain.text,
        "low": low if low > float("-inf") else None,
        "high": high if high < float("inf") else None,
    }
    if name in tables.constants:
        said["constant"] = tables.constants[name]
    if quantity.is_count:
        said["count"] = True
    said |= {key: True for key in ("open_low", "whole") if getattr(quantity.domain, key)}
    value = next((given.get(name, one.values[name]) for one in found.questions if name in one.values), None)
    if value is None:
        return said
    units = [one.text for one in offered(quantity.unit)]
    if spelled(value.unit) in units[1:]:
        said["shown"] = spelled(value.unit)
    said["slider"] = _ends(_slider(library, quantity, value, found, given))
    if name in given:
        said["typed"] = starting_number(value, quantity)
    default = quantity.default
    if default is not None:
        said["default"] = quantity.unit.from_base(default.base[1])
        if default.source.kind != "exact":
            said |= _elsewhere(library, quantity)
    return said


def _elsewhere(library: RelationSet, quantity: Declaration) -> dict[str, Any]:
    """What is stated elsewhere for a default, and by which lists: a profile of one says by silence that it holds."""
    others = (*of_default(library, quantity.name), *of_definition(library, quantity.name))
    if not others:
        return {}
    return {"elsewhere": [_as_data(quantity, one) for one in others]}


def _as_data(quantity: Declaration, one: Elsewhere) -> dict[str, Any]:
    return {"number": quantity.unit.from_base(one.base), "text": one.text, "whose": one.whose, "list": one.in_list}


def _ends(made: Slider) -> list[Any]:
    return list(asdict(made).values())[:3]


def _slider(
    library: RelationSet, quantity: Declaration, value: Value, found: Variants, given: Mapping[str, Value]
) -> Slider:
    """The slider of a quantity, which reaches the values of all profiles that the page offers."""
    names = [name for choice in found.choices for group in choice.groups for name in group]
    values = (library.profile(name).values.get(quantity.name) for name in names)
    others = [] if quantity.name in given else [quantity.unit.from_base(one.base[1]) for one in values if one]
    sizes = found.questions[0].sizes
    like = [abs(size) for name, size in sizes.items() if library.declared[name].dimension == quantity.dimension]
    return slider(
        quantity, value, others, quantity.unit.from_base(max(like, default=0.0)), asked=quantity.name in given
    )


def _slot(library: RelationSet, slot: Slot, choice: Choices, names: Sequence[str]) -> dict[str, Any]:
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
    left_out = [{"names": list(one.names), "reason": one.reason} for one in choice.left_out]
    return {"kind": slot.kind, "chosen": slot.chosen, "profiles": entries, "leftOut": left_out}


def _goes_with(library: RelationSet, profile: Profile, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The numbers of other quantities that a profile's numbers assume."""
    return {
        one: {other: library.declared[other].unit.from_base(value.base[1]) for other, value in assumed.items()}
        for one, assumed in profile.goes_with.items()
        if one in names and assumed.keys() <= {*names}
    }
