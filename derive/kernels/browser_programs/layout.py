"""The layout of a browser program: the numbers that it writes beside its target, found before any line is.

A point has an output for each quantity of the plans, of all cases together; a check for each relation that some plan
leaves over and whose quantities are known there, or become known by stated values if it is an inequality; a choice for
each relation of a plan in which arms compete; a step for each block; whether a default is displaced by what comes out;
and whether a block for checks has no admissible value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from derive.expressions.tree import names_in
from derive.kernels.agreement import testing
from derive.kernels.browser_programs.choices import Choices, choices_of
from derive.kernels.case_dispatch import Case, Cases, ends
from derive.model.relation_set import RelationSet
from derive.planning.networks import reached
from derive.planning.plan import Block, Plan
from derive.solving.diagnosis.left_domains import leaving_from
from derive.solving.execution.question import Outline
from derive.solving.ranges.range_propagation import only_form

if TYPE_CHECKING:
    from derive.model.relation import Relation


@dataclass(frozen=True)
class Layout:
    """The layout of a browser program: the numbers that it writes, and what each of them tells of what."""

    outputs: tuple[str, ...]  # the target first
    checks: tuple[str, ...]  # relations
    stated_twice: dict[str, dict[str, Cases]]  # relations that the givens decide, with the plans for what is in them
    contradictions: frozenset[str]  # those of them that no weak value plays a part in
    choices: dict[str, Choices]  # by relation
    steps: tuple[Block, ...]
    yielding: tuple[str, ...]  # quantities with a default that may not be what comes out
    barring: dict[Block, bool]  # blocks for checks that may have no admissible value; whether givens alone lead there
    too_many: tuple[str, ...] = ()  # relations with more forms than are told apart

    @cached_property
    def places(self) -> Mapping[tuple[str, Any], int]:
        """The place of each number in a browser program's layout, in the order in which `blank` fills them."""
        subjects_of: dict[str, Iterable[Any]] = {
            **dict.fromkeys(("number", "why"), self.outputs),
            **dict.fromkeys(("left", "right", "state"), self.checks),
            "form": self.choices,
            "step": self.steps,
            "displaced": self.yielding,
            "barred": self.barring,
        }
        keys: list[tuple[str, Any]] = []
        for what, subjects in subjects_of.items():
            keys += [(what, subject) for subject in subjects]
        return {key: place for place, key in enumerate(keys)}


def layout_of(library: RelationSet, cases: Cases, stated: Iterable[str]) -> Layout:
    """The layout of a question's browser program; `stated` names have numbers that only complete inequalities."""
    steps = _steps_in_order(library, cases.plans)
    stated_twice, contradictions = _stated_twice(library, cases)
    checks, barring = _checks(library, cases, stated)
    outputs = dict.fromkeys([cases.outline.target, *_unknowns(steps), *_unknowns(barring)])
    relations = dict.fromkeys(chain.from_iterable(block.relations for block in steps))
    choices: dict[str, Choices | None] = {}
    for name in relations:
        if library.relations[name].chooses:
            given = {*cases.outline.strong, *always_in_use(cases.plans, name)}
            choices[name] = choices_of(library.relations[name].written, given)
    return Layout(
        outputs=tuple(outputs),
        checks=tuple(sorted({*checks, *stated_twice}, key=library.places.__getitem__)),
        stated_twice=stated_twice,
        contradictions=contradictions,
        choices={name: of_relation for name, of_relation in choices.items() if of_relation is not None},
        steps=tuple(steps),
        yielding=tuple(name for name in list(outputs)[1:] if _may_yield(library, name)),
        barring=barring,
        too_many=tuple(name for name, of_relation in choices.items() if of_relation is None),
    )


def _checks(library: RelationSet, cases: Cases, stated: Iterable[str]) -> tuple[set[str], dict[Block, bool]]:
    """The relations that a browser program's layout checks, and its blocks for checks as in `barring`."""
    checks: set[str] = set()
    barring: dict[Block, bool] = {}
    for case, decided in chain.from_iterable(map(ends, cases.alternatives)):
        if case is None:
            continue
        asides = names_in(*decided)
        blocks = blocks_for_checks(library, cases.outline, case, asides)
        known = _known(cases.outline, case, asides) | {*_unknowns(blocks)}
        checks |= {*relations_to_check(library, case, known, stated)}
        for block in blocks:
            barring[block] = barring.get(block, True) and _is_firm(library, case.plan, block)
    return checks, barring


def always_in_use(plans: Iterable[Plan], relation: str) -> frozenset[str]:
    """The weak values in use wherever a browser program solves a relation, whatever case its layout has."""
    solving = [plan for plan in plans if relation in plan.relations]
    return frozenset.intersection(*(frozenset(plan.weak) for plan in solving)) if solving else frozenset()


def _steps_in_order(library: RelationSet, plans: Sequence[Plan]) -> list[Block]:
    """The steps of a browser program's layout: the blocks of all plans, each after those that it needs in any."""
    needed = dict[Block, set[Block]]()
    for plan in plans:
        block_of: dict[str, Block] = {}
        for block in plan.blocks:
            block_of |= dict.fromkeys(block.unknowns, block)
        for block in plan.blocks:
            members = library.held_by(block.relations).keys() - {*block.unknowns}
            needed.setdefault(block, set()).update(block_of[name] for name in members & block_of.keys())
    ordered = dict[Block, None]()
    while len(ordered) < len(needed):
        remaining = [block for block in needed if block not in ordered]
        ready = [block for block in remaining if needed[block] <= ordered.keys()]
        first = ready[0] if ready else remaining[0]  # blocks of different cases may need each other in a circle
        ordered[first] = None
    return list(ordered)


def _may_yield(library: RelationSet, name: str) -> bool:
    """Whether a default may yield to a browser program's own number: it is neither exact nor a fallback."""
    own = library.defaults.get(name)
    return own is not None and own.source.kind != "exact" and not own.source.stands_in


def _is_firm(library: RelationSet, plan: Plan, block: Block) -> bool:
    """Whether exact relations and givens alone lead to a block for checks in a browser program's layout."""
    is_exact = all(library.relations[name].approximate is None for name in block.relations)
    return is_exact and not weak_values_behind(library, plan, library.held_by(block.relations))


def _stated_twice(library: RelationSet, cases: Cases) -> tuple[dict[str, dict[str, Cases]], frozenset[str]]:
    """The relations of a layout that a browser program's givens state twice, and those without weak values.

    A limit that a weak value decides is left out: it is a check like any other. A weak value in its conditions alone
    does not count, since these only say whether it applies.
    """
    twice = {name: plans for name, plans in testing(library, cases).items() if not _follows_in_every_case(name, plans)}
    firm = set()
    for name, plans_of_members in twice.items():
        members = library.members[name]
        is_weak = any(weak_values_behind(library, plan, members) for plan in cases.plans)
        for member in plans_of_members.keys() & {*members}:
            own_plans = plans_of_members[member].plans
            is_weak = is_weak or any(weak_values_behind(library, plan, [member]) for plan in own_plans)
        if not is_weak:
            firm.add(name)
    kept = {name: plans for name, plans in twice.items() if name in firm or library.relations[name].is_equation}
    return kept, frozenset(firm)


def weak_values_behind(library: RelationSet, plan: Plan, names: Iterable[str]) -> set[str]:
    """The weak values of a plan that lead to some quantities in a browser program's layout."""
    return names_leading_to(library, (*plan.blocks, *plan.extra), names) & {*plan.weak}


def names_leading_to(library: RelationSet, blocks: Iterable[Block], names: Iterable[str]) -> set[str]:
    """Some quantities in a browser program's layout, and all from which its blocks compute them, in any case."""
    needed: dict[str, set[str]] = {}
    for block in blocks:
        for name in block.unknowns:
            needed.setdefault(name, set()).update(library.held_by(block.relations))
    return {*reached(names, lambda name: needed.get(name, ()))}


def _follows_in_every_case(relation: str, plans_of_members: Mapping[str, Cases]) -> bool:
    """Whether a relation needs no check in a layout: in each case it determines a quantity itself."""
    for cases in plans_of_members.values():
        if all(plan.blocks and relation in plan.blocks[-1].relations for plan in cases.plans):
            return True
    return False


def blocks_for_checks(library: RelationSet, outline: Outline, case: Case, asides: Iterable[str]) -> list[Block]:
    """The blocks for checks in a browser program's layout of one case, from what is known there.

    Among them are the blocks of quantities that the givens determine and that may leave their domain.
    """
    known, blocks = _known(outline, case, asides), list[Block]()
    beside = leaving_from(library, outline.strong).blocks
    in_closed_form = [block for block in beside if only_form(library, block) is not None]
    for block in (*case.plan.extra, *in_closed_form):
        if known.issuperset(block.unknowns):
            continue
        conditions = chain.from_iterable(library.relations[name].conditions for name in block.relations)
        needed = library.held_by(block.relations).keys() - {*block.unknowns}
        if known >= needed | {*names_in(*conditions)}:
            blocks.append(block)
            known |= {*block.unknowns}
    return blocks


def _known(outline: Outline, case: Case, asides: Iterable[str]) -> set[str]:
    """The quantities that a browser program's layout knows in a case before the blocks for checks."""
    return {*outline.strong, *case.plan.weak, *asides, *case.plan.unknowns}


def relations_to_check(library: RelationSet, case: Case, known: Iterable[str], stated: Iterable[str]) -> list[str]:
    """The relations that a browser program's layout checks in a case; stated values complete limits only."""
    numbers = {*known}
    everything = numbers | {*stated, *library.defaults}

    def is_tested(relation: Relation) -> bool:
        members = library.members[relation.name]
        if relation.name in case.plan.spent or numbers.isdisjoint(members):
            return False
        completing = numbers if relation.is_equation else everything
        return completing.issuperset(members) and completing.issuperset(names_in(*relation.conditions))

    return [name for name, relation in library.relations.items() if is_tested(relation)]


def _unknowns(blocks: Iterable[Block]) -> Iterator[str]:
    """The unknowns of some blocks of a browser program's layout, in their order."""
    return chain.from_iterable(block.unknowns for block in blocks)
