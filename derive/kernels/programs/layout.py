"""What a program computes beside its target, found before any line is written.

A point has an output for each quantity of the plans, of all cases together; a check for each relation that some plan
leaves over and whose quantities are known there, or become known by stated values if it is an inequality; a choice for
each relation of a plan in which arms compete; a step for each block; whether a default is displaced by what comes out;
and whether a block for checks has no admissible value.

Where a quantity has no number, a reason stands in its place: the root cause, as a finished sentence. A relation with
choices has a form for each combination of arms that may bind.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

from derive.expressions.tree import Apply, Equation, Node, names_in, render, walk
from derive.kernels.agreement import testing
from derive.kernels.case_dispatch import Case, Cases, ends
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import deciding, is_configured, taken_arms
from derive.numerics.algebra.like_terms import arms_of
from derive.planning.networks import reached
from derive.planning.plan import Block, Plan
from derive.solving.diagnosis.left_domains import leaving_from
from derive.solving.execution.question import Outline
from derive.solving.ranges.range_propagation import only_form

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from quantities.declaration import Declaration

_MOST = 100  # limit on forms of one relation


@dataclass(frozen=True)
class Arm:
    """An arm that binds; if the givens alone make its choice, the names that decide it."""

    text: str
    configured_by: tuple[str, ...] | None = None


Form = tuple[Arm, ...]
"""The arms that bind together, outermost first."""


@dataclass(frozen=True)
class Choice:
    """The choices in a relation, and its form for each combination of ways that they may go, in their order."""

    nodes: tuple[Apply, ...]
    forms: tuple[Form, ...]
    places: tuple[int, ...]  # for each combination of ways, the last changing fastest, the index of its form

    @property
    def regimes(self) -> tuple[str, ...]:
        """What is told of each form: the arms that the givens alone do not choose; "" where these are none."""
        return tuple("; ".join(arm.text for arm in form if arm.configured_by is None) for form in self.forms)


def choice_of(equation: Equation, given: Collection[str] = ()) -> Choice | None:
    """The forms of a relation, some of whose quantities are given; None if they are too many.

    >>> from derive.expressions.grammar import parse_equation
    >>> choice_of(parse_equation("t = max(a, min(b, c))")).regimes
    ('a', 'min(b, c); b', 'min(b, c); c')
    >>> choice_of(parse_equation("t = max(a, b) if n > 1 else 0"), ["n"]).regimes
    ('a', 'b', '')
    """
    parts = (part for part in walk(equation.lhs, equation.rhs) if isinstance(part, Apply))
    nodes = {id(part): part for part in parts if part.op in ("max", "min", "piecewise")}
    sizes = [len(arms_of(node)) for node in nodes.values()]
    if math.prod(sizes) > _MOST:
        return None
    forms = [
        tuple(dict.fromkeys(arm for side in (equation.lhs, equation.rhs) for arm in _arms(side, taken, given)))
        for taken in (dict(zip(nodes, places, strict=True)) for places in product(*map(range, sizes)))
    ]
    distinct = tuple(dict.fromkeys(forms))
    return Choice(tuple(nodes.values()), distinct, tuple(map(distinct.index, forms)))


def _arms(node: Node, taken: Mapping[int, int], given: Collection[str]) -> Iterator[Arm]:
    """The binding arms, outermost first, if each choice goes its stated way."""
    for choice, arm in taken_arms(node, lambda choice: arms_of(choice)[taken[id(choice)]]):
        yield Arm(render(arm), deciding(choice) if is_configured(choice, given) else None)


Kind = Literal["given", "domain", "undecided", "uncompiled", "case", "contradiction"]
_OPEN = ("undecided", "uncompiled")


@dataclass(frozen=True)
class Reason:
    """A reason; the quantity is that of which it is said, or a relation's name."""

    kind: Kind
    quantity: str
    text: str

    def __post_init__(self) -> None:
        assert self.kind in get_args(Kind)

    @property
    def is_open(self) -> bool:
        """Whether the solver may have a number nevertheless."""
        return self.kind in _OPEN


class Reasons:
    """The reasons of a program; each is told by its number, from 1.

    Programs that share `numbers` tell the same reason by the same number.

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
        named, relations = (_listed(names) for names in (block.unknowns, block.relations))
        text = f"{named} can only be searched for, in {relations}: derive solve does, this page cannot"
        return self.place(Reason("uncompiled", block.unknowns[0], text))

    def unasked(self, target: str) -> int:
        text = f"which relations determine {target} depends on its numbers: derive solve finds out, this page cannot"
        return self.place(Reason("uncompiled", target, text))

    def no_case(self, target: str) -> int:
        return self.place(Reason("case", target, f"no relation for {target} applies here"))

    def failing(self, target: str, conditions: tuple[Node, ...]) -> int:
        said = " and ".join(dict.fromkeys(map(render, conditions)))
        return self.place(Reason("case", target, f"{said} does not hold at these numbers"))

    def contradicted(self, relation: str) -> int:
        return self.place(Reason("contradiction", relation, f"the givens contradict {relation}"))

    def yielding(self, relation: str) -> int:
        text = f"{relation} does not hold here, and which default would have to yield cannot be told"
        return self.place(Reason("undecided", relation, text))

    def several(self, target: str) -> int:
        return self.place(Reason("undecided", target, f"several cases apply here, which differ in {target}"))


def _listed(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


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
    outline, plans = found.outline, found.plans
    every = [end for tree in found.alternatives for end in ends(tree)]
    whole = [(case, names_in(*decided)) for case, decided in every if case is not None]
    blocks = _in_order(library, plans)
    aside = [(block, case.plan) for case, asides in whole for block in extra(library, outline, case, asides)]
    outputs = dict.fromkeys([outline.target, *_unknowns(blocks), *_unknowns(block for block, _ in aside)])
    twice, firm = _stated_twice(library, found)
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


def _stated_twice(library: RelationSet, found: Cases) -> tuple[dict[str, dict[str, Cases]], frozenset[str]]:
    """The relations that the givens decide, and those in which no weak value plays a part.

    A limit that a weak value decides is a check like any other. One in whose conditions alone a weak value stands is
    not: these say whether it applies.
    """
    twice = {name: led for name, led in testing(library, found).items() if not _leads(name, led)}
    firm = set()
    for name, led in twice.items():
        here = [(made, library.members[name]) for made in found.plans]
        inside = {one: plans for one, plans in led.items() if one in library.members[name]}
        there = [(made, (one,)) for one, plans in inside.items() for made in plans.plans]
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
    return {*reached(names, lambda name: needed.get(name, ()))}


def _leads(relation: str, led: Mapping[str, Cases]) -> bool:
    """Whether a relation holds because a quantity in it follows from it in every case."""
    return any(
        all(made.blocks and relation in made.blocks[-1].relations for made in plans.plans) for plans in led.values()
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


def _unknowns(blocks: Iterable[Block]) -> Iterator[str]:
    return (name for block in blocks for name in block.unknowns)
