"""What a program computes beside its target, found before any line is written.

A point has an output for each quantity of the plans, of all cases together; a check for each relation that some plan
leaves over and whose quantities are known there, or become known by stated values if it is an inequality; a choice for
each relation of a plan in which arms compete; a step for each block; whether a default is displaced by what comes out;
and whether a block for checks has no admissible value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from derive.expressions.tree import names_in
from derive.kernels.agreement import testing
from derive.kernels.case_dispatch import Case, Cases, Fork, Tree
from derive.kernels.programs.choice_forms import Choice, choice_of
from derive.kernels.several_targets import plans_of
from derive.model.relation_set import RelationSet
from derive.planning.plan import Block, Plan
from derive.solving.diagnosis.left_domains import leaving_from
from derive.solving.execution.question import Outline
from derive.solving.ranges.range_propagation import only_form

if TYPE_CHECKING:
    from derive.model.relation import Relation

__all__ = ["Layout", "always_in_use", "extra", "laid_out", "leading_to", "testable", "weak_behind"]


@dataclass(frozen=True)
class Layout:
    """The numbers that a program writes: what each of them tells of what."""

    outputs: tuple[str, ...]  # the target first
    checks: tuple[str, ...]  # relations
    stated_twice: dict[str, dict[str, Cases]]  # relations that the givens decide, with the plans for what is in them
    contradictions: frozenset[str]  # those of them that no weak value plays a part in
    choices: dict[str, Choice]  # by relation
    steps: tuple[Block, ...]
    yielding: tuple[str, ...]  # quantities with a default that may not be what comes out
    barring: dict[Block, bool]  # blocks for checks that may have no admissible value; whether givens alone lead there
    too_many: tuple[str, ...] = ()  # relations with more forms than are told apart

    @cached_property
    def places(self) -> Mapping[tuple[str, Any], int]:
        """Where each number stands, in the order in which `blank` fills them."""
        told: dict[str, Iterable[Any]] = {
            **dict.fromkeys(("number", "why"), self.outputs),
            **dict.fromkeys(("left", "right", "state"), self.checks),
            "form": self.choices,
            "step": self.steps,
            "displaced": self.yielding,
            "barred": self.barring,
        }
        keys = ((what, of) for what, listed in told.items() for of in listed)
        return {key: place for place, key in enumerate(keys)}


def laid_out(library: RelationSet, found: Cases, stated: Iterable[str]) -> Layout:
    """The layout of a question; `stated` names have numbers that only complete inequalities."""
    outline, whole = found.outline, [pair for tree in found.alternatives for pair in _cases(tree, frozenset())]
    plans = [case.plan for case, _ in whole]
    blocks = _in_order(library, plans)
    aside = [(block, case.plan) for case, asides in whole for block in extra(library, outline, case, asides)]
    outputs = dict.fromkeys([outline.target, *_unknowns(blocks), *_unknowns(block for block, _ in aside)])
    twice, firm = _stated_twice(library, found, [case for case, _ in whole])
    checks: dict[str, None] = dict.fromkeys(twice)
    for case, asides in whole:
        known = _known(outline, case, asides) | {*_unknowns(extra(library, outline, case, asides))}
        checks |= dict.fromkeys(testable(library, case, known, stated))
    choosing = [name for block in blocks for name in block.relations if library.relations[name].chooses]
    forms = {
        name: choice_of(library.relations[name].written, {*outline.strong, *always_in_use(plans, name)})
        for name in dict.fromkeys(choosing)
    }
    return Layout(
        tuple(outputs),
        tuple(sorted(checks, key=library.places.__getitem__)),
        twice,
        firm,
        {name: choice for name, choice in forms.items() if choice is not None},
        tuple(blocks),
        tuple(name for name in list(outputs)[1:] if _may_yield(library, name)),
        {block: all(_is_firm(library, made, one) for one, made in aside if one == block) for block, _ in aside},
        tuple(name for name, choice in forms.items() if choice is None),
    )


def always_in_use(plans: Iterable[Plan], relation: str) -> frozenset[str]:
    """The weak values in use wherever a relation is solved."""
    solving = [made for made in plans if relation in made.relations]
    return frozenset.intersection(*(frozenset(made.weak) for made in solving)) if solving else frozenset()


def _in_order(library: RelationSet, plans: Sequence[Plan]) -> list[Block]:
    """The blocks of all plans, each behind those that it needs in any of them, otherwise as they come."""
    needed = dict[Block, set[Block]]()
    for made in plans:
        leading = {name: block for block in made.blocks for name in block.unknowns}
        for block in made.blocks:
            met = library.held_by(block.relations).keys() - {*block.unknowns}
            needed.setdefault(block, set()).update(leading[name] for name in met & leading.keys())
    found = dict[Block, None]()
    while left := [block for block in needed if block not in found]:
        found[next((block for block in left if needed[block] <= found.keys()), left[0])] = None
    return list(found)


def _may_yield(library: RelationSet, name: str) -> bool:
    """Whether a quantity has a default that an answer is compared with: no definition, and not one that stands in."""
    own = library.defaults.get(name)
    return own is not None and own.source.kind != "exact" and not own.source.stands_in


def _is_firm(library: RelationSet, made: Plan, block: Block) -> bool:
    """Whether exact relations and givens alone lead to a block."""
    is_exact = all(library.relations[name].approximate is None for name in block.relations)
    return is_exact and not weak_behind(library, made, library.held_by(block.relations))


def _stated_twice(
    library: RelationSet, found: Cases, whole: Sequence[Case]
) -> tuple[dict[str, dict[str, Cases]], frozenset[str]]:
    """The relations that the givens decide, and those in which no weak value plays a part.

    A limit that a weak value decides is a check like any other. One in whose conditions alone a weak value stands is
    not: these say whether it applies.
    """
    twice = {name: led for name, led in testing(library, found).items() if not _leads(name, led)}
    firm = set()
    for name, led in twice.items():
        here = [(case.plan, library.members[name]) for case in whole]
        inside = {one: plans for one, plans in led.items() if one in library.members[name]}
        there = [(made, (one,)) for one, plans in inside.items() for made in plans_of(plans)]
        if not any(weak_behind(library, made, names) for made, names in (*here, *there)):
            firm.add(name)
    kept = {name: led for name, led in twice.items() if name in firm or library.relations[name].is_equation}
    return kept, frozenset(firm)


def weak_behind(library: RelationSet, made: Plan, names: Iterable[str]) -> set[str]:
    """The weak values of a plan that lead to some quantities."""
    return leading_to(library, (*made.blocks, *made.extra), names) & {*made.weak}


def leading_to(library: RelationSet, blocks: Iterable[Block], names: Iterable[str]) -> set[str]:
    """Some quantities, and all that blocks compute them from; in several cases, from what they need in any."""
    needed: dict[str, set[str]] = {}
    for block in blocks:
        for name in block.unknowns:
            needed.setdefault(name, set()).update(library.held_by(block.relations))
    pending, met = [*names], set[str]()
    while pending:
        name = pending.pop()
        if name not in met:
            met.add(name)
            pending += needed.get(name, ())
    return met


def _leads(relation: str, led: Mapping[str, Cases]) -> bool:
    """Whether a relation holds because a quantity in it follows from it in every case."""
    return any(
        all(made.blocks and relation in made.blocks[-1].relations for made in plans_of(plans)) for plans in led.values()
    )


def extra(library: RelationSet, outline: Outline, case: Case, asides: Iterable[str]) -> list[Block]:
    """The blocks that only checks need, and whose quantities and conditions are known in a case.

    So are those by which what the givens determine may leave its domain.
    """
    known, found = _known(outline, case, asides), list[Block]()
    beside = leaving_from(library, outline.strong).blocks
    for block in (*case.plan.extra, *(one for one in beside if only_form(library, one) is not None)):
        if known.issuperset(block.unknowns):
            continue
        conditions = [condition for name in block.relations for condition in library.relations[name].conditions]
        needed = library.held_by(block.relations).keys() - {*block.unknowns}
        if known >= needed | {*names_in(*conditions)}:
            found.append(block)
            known |= {*block.unknowns}
    return found


def _known(outline: Outline, case: Case, asides: Iterable[str]) -> set[str]:
    """What is known in a case before the blocks for its checks."""
    return {*outline.strong, *case.plan.weak, *asides, *case.plan.unknowns}


def testable(library: RelationSet, case: Case, known: Iterable[str], stated: Iterable[str]) -> list[str]:
    """The relations that a case leaves over and that its numbers test; stated values and defaults complete limits."""
    numbers = {*known}
    everything = numbers | {*stated, *library.defaults}

    def is_tested(relation: Relation) -> bool:
        members = library.members[relation.name]
        if relation.name in case.plan.spent or numbers.isdisjoint(members):
            return False
        there = numbers if relation.is_equation else everything
        return there.issuperset(members) and there.issuperset(names_in(*relation.conditions))

    return [name for name, relation in library.relations.items() if is_tested(relation)]


def _cases(tree: Tree, asides: frozenset[str]) -> Iterator[tuple[Case, frozenset[str]]]:
    """Each case of a tree, with the quantities in the conditions that lead to it."""
    if isinstance(tree, Fork):
        met = asides | {*names_in(tree.condition)}
        yield from _cases(tree.yes, met)
        yield from _cases(tree.no, met)
    elif tree is not None:
        yield tree, asides


def _unknowns(blocks: Iterable[Block]) -> Iterator[str]:
    return (name for block in blocks for name in block.unknowns)
