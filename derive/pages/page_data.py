"""A page as plain data: its quantities, choices, and plans, with what the plans share written once.

Numbers are in declared units. A plan is a program of `kernels.browser_programs`: JavaScript that takes the known
quantities and yields everything that the page shows. Its texts (steps, checks, reasons) are kept in tables beside the
programs, since the N + 1 plans of a page have most of them in common.

A slider covers what one may want to try: the range that was asked for; otherwise a bounded domain, or two decades on
either side of the value, cut at the domain; and always the values that the page's profiles have. Where its ends are far
apart it goes by ratios. A slider that begins at zero and goes by ratios has the zero at its left end.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any, Literal, NamedTuple

from derive.errors import DeriveError, LimitError
from derive.expressions.tree import names_in
from derive.kernels.agreement import leaving_beside_in_any_case
from derive.kernels.browser_programs.program import Program, SharedParts, program_of
from derive.model.relation_set import RelationSet
from derive.pages.page_question import Choices, PageQuestion, Variants, in_one_sentence, slots, variants
from derive.presentation.cautions import MOST_REMARKS
from derive.solving.answering.remarks import AlternativeValue, limits_for, of_default, of_definition
from derive.solving.case_trees import Cases, cases_of_stated
from derive.solving.execution.question import outlined
from quantities.declaration import Declaration
from quantities.profiles import Profile
from quantities.proposals import offered
from quantities.value import Value, read_number

_AROUND = 100.0  # how many times larger and smaller than the value a slider goes
_WIDE = 20.0  # the ratio of the ends from which it goes by ratios
_OPEN = "{} is not determined by what is given"


def page_data(
    library: RelationSet, targets: Sequence[str], profiles: Sequence[str], given: Mapping[str, Value]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The data of a page with sliders, and the JavaScript of its plans, by the places that the data name.

    An error if its question has no answer.
    """
    offers = slots(library, profiles)
    starts = {
        name: read_number(starting_number(value, library.declared[name]), library.declared[name].unit)
        for name, value in given.items()
    }
    page_variants = variants(library, targets, offers, starts)
    own_question = page_variants.questions[0]
    plans = _Plans(library, {library.profiles.list_of(slot.chosen) for slot in offers})
    plans_of_variants = [plans.of_variant(question) for question in page_variants.questions]
    _prove_answered(own_question, plans_of_variants[0])
    names = plans.spoken_of(page_variants)
    data = {
        "targets": list(targets),
        "quantities": {name: _quantity(library, name, page_variants, given, plans.constants) for name in names},
        "slots": [_slot(library, choice, names) for choice in page_variants.choices],
        "variants": plans_of_variants,
        "byGroups": {",".join(map(str, places)): variant for places, variant in page_variants.by_groups.items()},
        "programs": plans.programs,
        "steps": list(map(json.loads, plans.steps)),
        "checks": list(map(json.loads, plans.checks)),
        "reasons": [asdict(reason) for reason in plans.shared.reasons],
        "inputs": [*plans.shared.inputs],
        "letters": plans.letters,
        "idle": list(own_question.idle),
    }
    return data, tuple(plans.kernels)


def _prove_answered(question: PageQuestion, plans_of_variant: Mapping[str, Any]) -> None:
    """Raises if the page's data have no plan for its first target, because only the solver can work it out."""
    target = question.targets[0]
    plan = plans_of_variant["plans"][target]
    if isinstance(plan, int):
        return
    why = plan["search"] if isinstance(plan, dict) else plan.rstrip(".")
    if why == _OPEN.format(target):
        why = "no relations lead to it one after another"
    hint = f"Give {' and '.join(question.ratios)} as well." if question.ratios else "Give others, or ask derive solve."
    raise LimitError(f"{target} cannot be worked out by a page: {why}.", hint=hint, limit="the arithmetic of a page")


class _Plans:
    """The plans of a page: texts and plans that occur in several places are each kept once.

    The profiles of a page stand in these `lists`.
    """

    def __init__(self, library: RelationSet, lists: Collection[str]) -> None:
        self.library = library
        self.lists = lists
        self.shared = SharedParts()
        self.steps: dict[str, int] = {}  # each as JSON, and its place
        self.checks: dict[str, int] = {}
        self.kernels: dict[str, int] = {}
        self.programs: list[dict[str, Any]] = []
        self.constants: dict[str, float] = {}
        self.letters: dict[str, str] = {}
        self._used: dict[tuple[str, frozenset[str]], Cases] = {}

    def of_variant(self, question: PageQuestion) -> dict[str, Any]:
        """A variant in a page's data: the plans for each quantity that can be asked for, and for further targets."""
        first, given = question.targets[0], question.given_for(question.targets[0])
        others = [target for target in question.targets[1:] if target not in question.known]
        solved = {unknown: self._plan(unknown, question.given_for(unknown)) for unknown in (first, *question.known)}
        watched = {target: self._plan(target, given) for target in others}
        for unknown, plan in solved.items():
            if isinstance(plan, dict) and (why := self._why_not_searched(question, first, unknown)):
                solved[unknown] = why
        refused = {}
        for target in watched:
            reasons = {name: self._why_not_searched(question, target, name) for name in question.known}
            refused[target] = {name: reason for name, reason in reasons.items() if reason}
        searched = {target: [name for name in question.known if name not in refused[target]] for target in watched}
        searched[first] = [unknown for unknown, plan in solved.items() if isinstance(plan, dict)]
        shares = self._shares(question)
        return {
            "known": list(question.known),
            "beside": list(question.beside),
            "plans": solved,
            "watched": watched,
            "refused": refused,
            "overdetermined": self._overdetermined(question, searched),
            "shares": shares,
            "atFirst": _not_followed(question, {share["share"] for share in shares}),
            "assumed": self._assumed(question, list(solved)),
        }

    def _overdetermined(
        self, question: PageQuestion, searched: Mapping[str, Sequence[str]]
    ) -> dict[str, dict[str, list[str]]]:
        """The relations that may deny givens a value though a page searches for what they rest on, as data.

        They follow from the other givens and the target without what is searched for: `p = 1/r` and `r = max(1, m)`
        deny p = 2, also where r is computed from what is searched.
        """
        relations: dict[str, dict[str, list[str]]] = {}
        for target, unknowns in searched.items():
            for unknown in unknowns:
                given = [name for name in (*question.known, *question.beside) if name not in (unknown, target)]
                plans = self._cases(unknown, (*given, target)).plans
                blocks = leaving_beside_in_any_case(self.library, (*given, target), plans)
                if blocks:
                    names = list(dict.fromkeys(block.relations[0] for block in blocks))
                    relations.setdefault(target, {})[unknown] = names
        return relations

    def _assumed(self, question: PageQuestion, unknowns: Sequence[str]) -> list[dict[str, Any]]:
        """What a page's answers assume beside the givens, as data: the plans with it given, and what it is elsewhere.

        Where a list of the page's profiles states a quantity for some of them, the others mean the default by their
        silence: the choice among them says it, and no plan is needed.
        """
        others: dict[str, list[dict[str, Any]]] = {}
        for name in question.fallbacks:
            declared = self.library.declared[name]
            elsewhere = [_as_data(declared, value) for value in of_default(self.library, name)]
            here = f"{declared.default} by default; "
            others[name] = self._stated_elsewhere(here, [*elsewhere, *self._limits(question, name)])
        for name in question.ratios:
            declared = self.library.declared[name]
            elsewhere = [_as_data(declared, value) for value in of_definition(self.library, name)]
            others.setdefault(name, []).extend(self._stated_elsewhere("as in ", elsewhere))
        assumptions = []
        for name, statements in others.items():
            if statements and name not in question.known:
                plans = {unknown: self._plan(unknown, (*question.given_for(unknown), name)) for unknown in unknowns}
                placed = {unknown: place for unknown, place in plans.items() if isinstance(place, int)}
                assumptions.append({"name": name, "plans": placed, "others": statements})
        return assumptions

    def _stated_elsewhere(self, here: str, elsewhere: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What is stated elsewhere, with what it is here; nothing where a list of the page's profiles states it."""
        is_listed = any(value.get("list") in self.lists for value in elsewhere)
        return [] if is_listed else [{**value, "here": here} for value in elsewhere]

    def _limits(self, question: PageQuestion, name: str) -> list[dict[str, Any]]:
        """A page's plans for the largest or smallest value that an inequality admits, if givens alone fix it."""
        plans = []
        for limit, words in limits_for(self.library, name):
            needs = names_in(limit.written.rhs)
            if {*needs} <= {*question.known}:
                bound = RelationSet([replace(limit, written=replace(limit.written, op="="))])
                place = self._placed(program_of(bound, name, tuple(needs), shared=self.shared))
                if isinstance(place, int):
                    plans.append({"plan": place, "whose": words})
        return plans

    def _shares(self, question: PageQuestion) -> list[dict[str, Any]]:
        """What the relations behind a page's first target leave out, as data with the plan for each share."""
        shares: list[dict[str, Any]] = []
        used = self._relations(question.targets[0], (*question.known, *question.beside))
        for name in sorted(chain.from_iterable(used), key=list(self.library.relations).index):
            share = self.library.relations[name].neglected_share
            if not share or any(entry["share"] == share for entry in shares):
                continue
            place = self._plan(share, question.given_for(question.targets[0]))
            if isinstance(place, int):
                what = self.library.declared[share].meaning.partition(",")[0] or "a part"
                shares.append({"relation": name, "share": share, "what": what, "plan": place})
        return shares

    def _why_not_searched(self, question: PageQuestion, target: str, unknown: str) -> str:
        """The reason in a page's data why a quantity is not searched by the plan forwards to a target, or "".

        The engine may take other relations backwards: a fallback stands where a relation would need what is asked for.
        Then its answer is not where the plan forwards comes out.
        """
        given = (*question.known, *question.beside)
        try:
            forwards = self._relations(target, given)
            backwards = self._relations(unknown, (*(name for name in given if name != unknown), target))
        except DeriveError as error:
            return f"{in_one_sentence(error)}."
        if not backwards:
            return f"{_OPEN.format(unknown)}."
        reason = "derive solve works it out by other relations than the way forwards, which this page cannot search."
        return "" if forwards == backwards else reason

    def _relations(self, target: str, given: Iterable[str]) -> set[frozenset[str]]:
        """The relations that each plan of a page uses for a quantity; none if counting leaves it open."""
        return {frozenset(plan.relations) for plan in self._cases(target, given).plans}

    def _cases(self, target: str, given: Iterable[str]) -> Cases:
        """The cases of a page's quantity, each with its plan; made once for all that asks for them."""
        key = target, frozenset(given)
        if key not in self._used:
            self._used[key] = cases_of_stated(self.library, outlined(self.library, target, given))
        return self._used[key]

    def _plan(self, unknown: str, given: Sequence[str]) -> int | str | dict[str, str]:
        """The place of a plan, or why there is none, or why the page has to search: only the solver could do it."""
        try:
            if not self._relations(unknown, given):
                return f"{_OPEN.format(unknown)}."
            return self._placed(program_of(self.library, unknown, given, shared=self.shared))
        except DeriveError as error:
            return f"{in_one_sentence(error)}."

    def _placed(self, program: Program) -> int | dict[str, str]:
        """The place of a program in a page's data, or why the page has to search."""
        data = program.data()
        if not data["answers"]:
            return {"search": " ".join(case["reason"] for case in data["left_out"])}
        self.constants |= {constant["name"]: constant["number"] for constant in data["constants"]}
        self.letters |= {name: letter for name, letter in data["letters"].items() if name not in self.letters}
        checks = [check for check in data["checks"] if not _rests_on_a_fallback(program, check)]
        self.programs.append(
            {
                "kernel": self.kernels.setdefault(program.source, len(self.kernels)),
                "size": data["size"],
                "inputs": [self.shared.inputs[name] for name in program.inputs],
                "outputs": data["outputs"],
                "checks": [_tabled(self.checks, check, "left", "right", "state") for check in checks],
                "choices": data["choices"],
                "steps": [_tabled(self.steps, step, "at") for step in data["steps"]],
                "yielding": data["yielding"],
                "barring": [limit for limit in data["barring"] if limit["contradicts"]],
                "leftOut": data["left_out"],
            }
        )
        return len(self.programs) - 1

    def spoken_of(self, page_variants: Variants) -> list[str]:
        """The names of all quantities in the data of a page with sliders."""
        names = dict.fromkeys(page_variants.questions[0].targets)
        for question in page_variants.questions:
            names |= dict.fromkeys((*question.known, *question.beside))
        inputs = [*self.shared.inputs]
        for program in self.programs:
            names |= dict.fromkeys(output["name"] for output in program["outputs"])
            names |= dict.fromkeys(inputs[place] for place in program["inputs"])
        return list(names | dict.fromkeys(self.constants))


def _tabled(table: dict[str, int], entry: Mapping[str, Any], *own: str) -> dict[str, int]:
    """An entry of a page's data, with its `own` keys kept, and all others replaced by their text's place in a table."""
    text = json.dumps({key: value for key, value in entry.items() if key not in own})
    return {"text": table.setdefault(text, len(table)), **{key: entry[key] for key in own}}


def _not_followed(question: PageQuestion, followed: Collection[str]) -> list[str]:
    """What the data of a page say that relations leave out as it is first set, where no plan follows it.

    The share may need values that nothing else on the page does, or depend on cases that only the solver sorts.
    """
    left_out = [remark for remark in question.answer.remarks if remark.kind == "left out"]
    setting = f"{', '.join(question.profiles)} as first set" if question.profiles else "as first set"
    return [f"{setting}: {remark.text}" for remark in left_out if remark.name not in followed][:MOST_REMARKS]


def _rests_on_a_fallback(program: Program, check: Mapping[str, Any]) -> bool:
    """Whether a page's data leave out an equation's check, as it needs a value that stands in for a relation."""
    defaults = {name: program.library.declared[name].default for name in program.library.members[check["relation"]]}
    stands_in = (name for name, default in defaults.items() if default is not None and default.source.stands_in)
    return check["op"] == "=" and any(name not in program.inputs for name in stands_in)


def _quantity(
    library: RelationSet, name: str, page_variants: Variants, given: Mapping[str, Value], constants: Mapping[str, float]
) -> dict[str, Any]:
    """A quantity in a page's data: what it is, its units, its domain, and if it can be moved its slider and start."""
    quantity = library.declared[name]
    low, high = (quantity.unit.from_base(end) for end in quantity.domain.ends)
    data: dict[str, Any] = {
        "meaning": quantity.meaning,
        "units": [[text, float(unit.size), float(unit.offset)] for text, unit in offered(quantity.unit).items()],
        "domain": quantity.domain.text,
        "low": low if low > float("-inf") else None,
        "high": high if high < float("inf") else None,
    }
    if name in constants:
        data["constant"] = constants[name]
    if quantity.is_count:
        data["count"] = True
    data |= {key: True for key in ("open_low", "whole") if getattr(quantity.domain, key)}
    values = (given.get(name, question.values[name]) for question in page_variants.questions if name in question.values)
    value = next(values, None)
    if value is None:
        return data
    units = [*offered(quantity.unit)]
    if value.unit.shown in units[1:]:
        data["shown"] = value.unit.shown
    data["slider"] = _slider(library, quantity, value, page_variants, given)
    if name in given:
        data["typed"] = starting_number(value, quantity)
    default = quantity.default
    if default is not None:
        data["default"] = quantity.unit.from_base(default.base[1])
        others = [*of_default(library, name), *of_definition(library, name)]
        if default.source.kind != "exact" and others:  # a profile of one of their lists says by silence that it holds
            data["elsewhere"] = [_as_data(quantity, value) for value in others]
    return data


def _as_data(quantity: Declaration, value: AlternativeValue) -> dict[str, Any]:
    number = quantity.unit.from_base(value.base)
    return {"number": number, "text": value.text, "whose": value.whose, "list": value.in_list}


def _slider(
    library: RelationSet, quantity: Declaration, value: Value, page_variants: Variants, given: Mapping[str, Value]
) -> list[Any]:
    """The data of a page's slider, its ends and how it goes: it reaches the values of all profiles offered."""
    groups = chain.from_iterable(choice.groups for choice in page_variants.choices)
    values = (library.profile(name).values.get(quantity.name) for name in chain.from_iterable(groups))
    others = [] if quantity.name in given else [quantity.unit.from_base(stated.base[1]) for stated in values if stated]
    sizes = page_variants.questions[0].sizes
    like = [abs(size) for name, size in sizes.items() if library.declared[name].dimension == quantity.dimension]
    size = quantity.unit.from_base(max(like, default=0.0))
    return [*slider(quantity, value, others, size, asked=quantity.name in given)]


def _slot(library: RelationSet, choice: Choices, names: Sequence[str]) -> dict[str, Any]:
    """A slot in a page's data: its profiles with their numbers of quantities, and those left out with the reason."""
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
                    "values": _numbers(library, {key: profile.values[key] for key in profile.values if key in names}),
                    "list": library.profiles.list_of(name),
                    "goesWith": _goes_with(library, profile, names),
                }
            )
    left_out = [{"names": list(names), "reason": reason} for reason, names in choice.left_out.items()]
    return {"kind": choice.slot.kind, "chosen": choice.slot.chosen, "profiles": entries, "leftOut": left_out}


def _goes_with(library: RelationSet, profile: Profile, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The numbers of other quantities that a profile's numbers assume, in a page's data."""
    return {
        name: _numbers(library, assumed)
        for name, assumed in profile.goes_with.items()
        if name in names and assumed.keys() <= {*names}
    }


def _numbers(library: RelationSet, values: Mapping[str, Value]) -> dict[str, float]:
    """Values as plain numbers in a page's data, in the declared units of their quantities."""
    return {name: library.declared[name].unit.from_base(value.base[1]) for name, value in values.items()}


class Slider(NamedTuple):
    """The ends of a slider in the declared unit, and how it goes."""

    low: float
    high: float
    scale: Literal["ratio", "difference", "ratio from zero"]


def starting_number(value: Value, quantity: Declaration) -> float:
    """The number at which a page's slider starts, in the declared unit: the middle of a wide range is that of ratios.

    >>> from quantities.value import read_value
    >>> starting_number(read_value("1..4096 sequence"), Declaration("batch", "sequence"))
    64.0
    """
    low, number, high = map(quantity.unit.from_base, value.base)
    is_middle = value.is_range and math.isclose(number, (low + high) / 2)
    start = math.sqrt(low * high) if is_middle and low > 0 and high / low >= _WIDE else number
    return float(round(start)) if quantity.domain.whole else start


def slider(
    quantity: Declaration, value: Value, others: Iterable[float] = (), like: float = 0.0, *, asked: bool = False
) -> Slider:
    """A page's slider as data: its ends reach `others`, and `like` is a size to go by where the given is at zero.

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
        # The slider must not begin at an end that does not belong to the domain: it begins at the next number to reach.
        low = min((number for number in (*reached, high) if number > least), default=high)
    if domain.whole:
        low, high = math.ceil(low), math.floor(high)
    return Slider(low, high, _scale(low, high))


def _usual(start: float, least: float, most: float, like: float, *, is_scale: bool) -> tuple[float, float]:
    """The ends of a slider in page data, if nobody asked for a range; `is_scale` is False for units with an offset."""
    if math.isfinite(least) and math.isfinite(most):
        if least == 0 and most > _AROUND**2:
            return nice(most / _AROUND**2, -1), most
        return least, most
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
    """A round number for an end of a page's slider: the next 1, 2 or 5 times a power of ten above a number, or below.

    >>> nice(823.0, 1), nice(823.0, -1), nice(0.03, 1)
    (1000.0, 500.0, 0.05)
    """
    power = 10.0 ** math.floor(math.log10(number))
    steps = [float(f"{step * power:.1g}") for step in (1, 2, 5, 10)]
    shown = float(f"{number:.12g}")
    if way > 0:
        return next(step for step in steps if step >= shown)
    return next(step for step in reversed(steps) if step <= shown)
