"""The layout of a browser program: the numbers that it writes beside its target, found before any line is.

A point has an output for each quantity of the plans, of all cases together; a check for each relation that some plan
leaves over and whose quantities are known there, or become known by stated values if it is an inequality; a choice for
each relation of a plan in which arms compete, with a form for each combination of arms that may bind; a step for each
block; whether a default is displaced by what comes out; and whether a block for checks has no admissible value.

Where a quantity has no number, the program writes the number of the reason instead: its root cause, as a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import TYPE_CHECKING, Any, Literal

from derive.errors import DeriveError
from derive.expressions.tree import Apply, Equation, Node, names_in, render, walk
from derive.kernels.agreement import conditions_of, leaving_beside, leaving_in_some_case, testing
from derive.kernels.backends.emitter import Writer
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import deciding, is_configured, taken_arms
from derive.numerics.algebra.like_terms import arms_of
from derive.planning.basis import determined
from derive.planning.incidence import structure_of
from derive.planning.networks import reached
from derive.planning.plan import Block, Plan
from derive.presentation.cautions import in_a_row
from derive.solving.blocks.closed_forms import arms_in_closed_form, closed_forms, only_form
from derive.solving.case_trees import Case, Cases, ends, plans_for
from derive.solving.diagnosis.domain_violations import leaving_from
from derive.solving.execution.question import Outline

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from quantities.declaration import Declaration

_MOST_FORMS = 100  # limit on forms of one relation


@dataclass(frozen=True)
class Arm:
    """An arm that binds in a form of a relation; if the givens alone make its choice, the names that decide."""

    text: str
    configured_by: tuple[str, ...] | None = None


Form = tuple[Arm, ...]
"""The arms that bind together, outermost first."""


@dataclass(frozen=True)
class Choices:
    """The choices in a relation of a browser program, and its form for each combination of their ways, in order."""

    nodes: tuple[Apply, ...]
    forms: tuple[Form, ...]
    places: tuple[int, ...]  # for each combination of ways, the last changing fastest, the index of its form

    @property
    def regimes(self) -> tuple[str, ...]:
        """The text for each form in a browser program's layout: the arms that the givens do not choose, or ""."""
        return tuple("; ".join(arm.text for arm in form if arm.configured_by is None) for form in self.forms)


def choices_of(equation: Equation, given: Collection[str] = ()) -> Choices | None:
    """The choices in a relation for a browser program's layout, and its forms; None if these are too many.

    >>> from derive.expressions.grammar import parse_equation
    >>> choices_of(parse_equation("t = max(a, min(b, c))")).regimes
    ('a', 'min(b, c); b', 'min(b, c); c')
    >>> choices_of(parse_equation("t = max(a, b) if n > 1 else 0"), ["n"]).regimes
    ('a', 'b', '')
    """
    parts = (part for part in walk(equation.lhs, equation.rhs) if isinstance(part, Apply))
    nodes = {id(part): part for part in parts if part.op in ("max", "min", "piecewise")}
    sizes = [len(arms_of(node)) for node in nodes.values()]
    if math.prod(sizes) > _MOST_FORMS:
        return None
    forms = []
    for ways in product(*map(range, sizes)):
        way_of_each = dict(zip(nodes, ways, strict=True))
        arms = chain(_arms(equation.lhs, way_of_each, given), _arms(equation.rhs, way_of_each, given))
        forms.append(tuple(dict.fromkeys(arms)))
    distinct = tuple(dict.fromkeys(forms))
    return Choices(tuple(nodes.values()), distinct, tuple(map(distinct.index, forms)))


def _arms(node: Node, way_of_each: Mapping[int, int], given: Collection[str]) -> Iterator[Arm]:
    """The arms that bind in a form of a relation, for a browser program's layout; each choice takes its stated way."""
    for choice, arm in taken_arms(node, lambda choice: arms_of(choice)[way_of_each[id(choice)]]):
        yield Arm(render(arm), deciding(choice) if is_configured(choice, given) else None)


def binding_arm(choice: Apply, text: Writer) -> str:
    """The text by which a browser program or a table finds the arm of a choice that binds, the first of equal ones."""
    if choice.op == "piecewise":
        return f"first(({', '.join(map(text, choice.args[1::2]))},), {bool(len(choice.args) % 2)})"
    name = "largest" if choice.op == "max" else "smallest"
    return f"{name}(({', '.join(map(text, choice.args))},))"


Kind = Literal["given", "domain", "undecided", "uncompiled", "case", "contradiction"]
_OPEN = ("undecided", "uncompiled")


@dataclass(frozen=True)
class Reason:
    """The reason why a quantity has no number in a browser program; of a relation, `quantity` is its name."""

    kind: Kind
    quantity: str
    text: str

    @property
    def is_open(self) -> bool:
        """Whether this reason in a layout leaves a number open: the solver may have one where the program has none."""
        return self.kind in _OPEN


class Reasons:
    """The reasons of a browser program, numbered from 1; programs that share `numbers` number them alike.

    >>> from quantities.declaration import Declaration
    >>> listed = Reasons({})
    >>> listed.outside(Declaration("length", "m")), listed.held[2].text
    (2, 'length has no admissible value here: its domain is positive')
    """

    def __init__(self, numbers: dict[Reason, int]) -> None:
        self.numbers = numbers
        self.held: dict[int, Reason] = {}
        self.place(Reason("case", "", "it is not worked out in the case that applies here"))

    def place(self, reason: Reason) -> int:
        number = self.numbers.setdefault(reason, len(self.numbers) + 1)
        self.held[number] = reason
        return number

    def misgiven(self, quantity: Declaration) -> int:
        text = f"{quantity.name} is outside its domain, which is {quantity.domain.text}"
        return self.place(Reason("given", quantity.name, text))

    def outside(self, quantity: Declaration) -> int:
        text = f"{quantity.name} has no admissible value here: its domain is {quantity.domain.text}"
        return self.place(Reason("domain", quantity.name, text))

    def undecided(self, name: str) -> int:
        text = f"{name} cannot be told here: it may have several values or bounds only, or lie beyond what is proved"
        return self.place(Reason("undecided", name, text))

    def unclear(self, condition: Node) -> int:
        return self.place(Reason("undecided", "", f"whether {render(condition)} cannot be told here"))

    def uncompiled(self, block: Block) -> int:
        unknowns, relations = map(in_a_row, (block.unknowns, block.relations))
        text = f"{unknowns} can only be searched for, in {relations}: derive solve does, this page cannot"
        return self.place(Reason("uncompiled", block.unknowns[0], text))

    def unasked(self, target: str) -> int:
        text = f"which relations determine {target} depends on its numbers: derive solve finds out, this page cannot"
        return self.place(Reason("uncompiled", target, text))

    def no_case(self, target: str) -> int:
        return self.place(Reason("case", target, f"no relation for {target} applies here"))

    def failing(self, target: str, conditions: tuple[Node, ...]) -> int:
        all_conditions = " and ".join(dict.fromkeys(map(render, conditions)))
        return self.place(Reason("case", target, f"{all_conditions} does not hold at these numbers"))

    def contradicted(self, relation: str) -> int:
        return self.place(Reason("contradiction", relation, f"the givens contradict {relation}"))

    def yielding(self, relation: str) -> int:
        text = f"{relation} does not hold here, and which default would have to yield cannot be told"
        return self.place(Reason("undecided", relation, text))

    def at_zero(self, factor: Node) -> int:
        text = f"what is given may contradict itself where {render(factor)} is 0: derive solve tells, this page cannot"
        return self.place(Reason("undecided", "", text))

    def several(self, target: str) -> int:
        return self.place(Reason("undecided", target, f"several cases apply here, which differ in {target}"))


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
    beside: dict[Block, dict[str, Cases]]  # of these, those with conditions or several forms; plans for their inputs
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
    beside = _leaving_beside(library, cases)
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
        barring={**dict.fromkeys(beside, True), **barring},
        beside=beside,
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


def _leaving_beside(library: RelationSet, cases: Cases) -> dict[Block, dict[str, Cases]]:
    """The blocks for checks in a browser program's layout that may leave their domain, in some case or by all forms.

    Each comes with the plans for what it and its conditions need beside the givens and the target. No weak value plays
    a part in these, so that a browser program can call what it finds a contradiction of the givens.
    """
    strong, plans_of = cases.outline.strong, dict[Block, dict[str, Cases]]()
    fixed = determined(structure_of(library), strong, ()).union(strong, (cases.outline.target,))
    searched = leaving_from(library, strong).searched

    def is_beside(block: Block) -> bool:
        """Whether no plan tests a block's domain: it has no form of its own, or needs what only a search gives."""
        return only_form(library, block) is None or not searched.isdisjoint(block.inputs(library))

    always = filter(is_beside, leaving_beside(library, strong, cases.plans))
    for block in (*always, *leaving_in_some_case(library, strong, cases.plans)):
        if not closed_forms(library, block) and not arms_in_closed_form(library, block):
            continue
        inputs = block.inputs(library)
        names = inputs.union(names_in(*conditions_of(library, block.relations)))
        if not names <= fixed:
            continue
        needed = sorted(names - {*strong, cases.outline.target})
        try:
            plans = {name: plans_for(library, name, strong) for name in needed}
        except DeriveError:
            continue
        known = {name: own for name, own in plans.items() if own is not None}
        plans_in_use = chain.from_iterable(own.plans for own in known.values())
        is_firm = not any(plan.weak_behind_target(library) for plan in plans_in_use)
        if len(known) == len(needed) and is_firm:
            plans_of[block] = known
    return plans_of


def always_in_use(plans: Iterable[Plan], relation: str) -> frozenset[str]:
    """The weak values on which a relation rests in every case of a layout: each plan that solves it uses them."""
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
            members = block.inputs(library)
            needed.setdefault(block, set()).update(block_of[name] for name in members & block_of.keys())
    ordered = dict[Block, None]()
    while len(ordered) < len(needed):
        remaining = [block for block in needed if block not in ordered]
        ready = [block for block in remaining if needed[block] <= ordered.keys()]
        first = ready[0] if ready else remaining[0]  # blocks of different cases may need each other in a circle
        ordered[first] = None
    return list(ordered)


def _may_yield(library: RelationSet, name: str) -> bool:
    """Whether a layout has a number for whether a default is displaced: it is neither exact nor a fallback."""
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
        needed = block.inputs(library)
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
