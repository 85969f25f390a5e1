"""Consistency of overdetermined givens, tested point by point.

Where the givens determine a relation that the target does not need, its two sides are compared at every point. Where
they differ, the compiled lines have no answer or the wrong one of several, and the solver is called. So it is where a
quantity that the target does not need leaves its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, product
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError
from derive.expressions.tree import Node, names_in
from derive.kernels.backends.emitter import Sheet, Writer, apart
from derive.kernels.backends.python_numpy import Arrays
from derive.kernels.case_dispatch import Case, Cases, Fork, Tree
from derive.kernels.several_targets import Abreast, Asking, plans_for, points_at
from derive.model.conditions import exclude_each_other
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.matching import Matching, closure
from derive.planning.plan import Plan
from derive.solving.diagnosis.left_domains import leaving_from, may_be_undefined
from derive.solving.ranges.range_propagation import closed_forms
from derive.tolerances import CONTRADICTION

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.planning.plan import Block
    from quantities.declaration import Declaration

_MOST_ASKED = 1000  # limit on points at which the solver is called one by one


def said_twice(library: RelationSet, strong: Sequence[str], plans: Sequence[Plan]) -> tuple[str, ...]:
    """The exact relations that strong values alone decide, if they outnumber the quantities to be found.

    They need not lead to the target: givens that contradict each other elsewhere are contradictory, as for an answer.
    """
    spent = set[str]().union(*(made.relations for made in plans))
    many, known = surplus(library, strong, plans)
    limits = [relation.name for relation in library.inequalities]
    listed = [*(one.name for one in library.relations.values() if one.name in many - spent), *limits]
    exact = [name for name in listed if library.relations[name].approximate is None]
    return tuple(name for name in exact if known.issuperset(library.members[name]))


def surplus(
    library: RelationSet, strong: Sequence[str], plans: Sequence[Plan]
) -> tuple[frozenset[str], frozenset[str]]:
    """The equations of which strong values decide more than there are quantities in them, and all that these decide.

    They are those that no unknown is left for, and all that lead to what is in them. Every other equation holds by
    construction: its own unknown follows from it.
    """
    never = (one.name for one in library.conditional if _is_of_another_case(library, one, plans))
    structure = structure_of(library, frozenset(never))
    known, matching = closure(structure, strong), Matching(frozenset(strong))
    idle = [name for name, members in structure.members.items() if not matching.add(name, members)]
    spare = [name for name in idle if known.issuperset(structure.members[name])]
    leading = (matching.relations_for(one) for name in spare for one in structure.members[name])
    return frozenset({*spare}.union(*leading)), known


def leaving_beside(library: RelationSet, strong: Sequence[str], plans: Sequence[Plan]) -> tuple[Block, ...]:
    """The blocks of what strong values alone determine, and what may leave its domain where no plan needs it."""
    always = set.intersection(*({*made.unknowns} for made in plans)) if plans else set[str]()
    found = leaving_from(library, strong)
    names = found.names - always
    return tuple(block for block in found.blocks if not names.isdisjoint(block.unknowns))


def _text_of(form: Node, text: Writer) -> str:
    return text(form)


def outside(library: RelationSet, block: Block) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The names in closed forms, and a function of their base numbers that is positive where all leave their domain."""
    forms, domain = closed_forms(library, block), library.declared[block.unknowns[0]].domain
    names, is_silent = names_in(*forms), may_be_undefined(library, block)
    whole = [tested(names, partial(_text_of, form)) for form in forms]

    def is_left(found: Any) -> Any:
        import numpy

        slack = CONTRADICTION * numpy.abs(found)
        low = found <= domain.low if domain.open_low else found < domain.low - slack
        return numpy.where(numpy.isfinite(found), low | (found > domain.high + slack), not is_silent)

    def gap(*numbers: Any) -> Any:
        import numpy

        left = [is_left(numpy.asarray(one(*numbers), dtype=float)) for one in whole]
        return numpy.where(numpy.logical_and.reduce(left), 1.0, -1.0)

    return names, gap


def _is_of_another_case(library: RelationSet, relation: Relation, plans: Sequence[Plan]) -> bool:
    """Whether every plan uses a relation that never applies together with this one."""
    return bool(plans) and all(_excludes(library, made, relation) for made in plans)


def _excludes(library: RelationSet, made: Plan, relation: Relation) -> bool:
    """Whether a relation never applies together with one that a plan uses."""
    used = chain.from_iterable(library.relations[name].conditions for name in made.relations)
    return any(exclude_each_other(one, other) for one, other in product(used, relation.conditions))


def gap_of(relation: Relation, tolerance: float = CONTRADICTION) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The names in a relation, and a function of their base numbers that measures its violation.

    The measure is positive where the relation is contradicted, and NaN where that is undecided.
    """
    equation = relation.written
    names = names_in(equation.lhs, equation.rhs, *relation.conditions)

    def write(text: Writer) -> str:
        left, right, whole = apart(equation, text, is_estimate=relation.approximate is not None)
        gap = {"=": f"np.abs({left} - {right})", "<=": f"({left} - {right})", ">=": f"({right} - {left})"}
        applies = "".join(f" * sure({text(condition)})" for condition in relation.conditions)
        return f"({gap[equation.op]} - {tolerance!r} * {whole}){applies}"

    return names, tested(names, write)


def tested(names: Sequence[str], write: Callable[[Writer], str], **calls: Any) -> Callable[..., Any]:
    """A function of quantities in base units, which `write` makes from the texts of expressions."""
    sheet = Sheet(Arrays(), names)
    scope = sheet.start()
    sheet.space |= calls
    return sheet.function(write(lambda node: sheet.expression(node, scope)))


def based(numbers: Any, quantity: Declaration) -> Any:
    """Numbers converted from the declared unit to base units."""
    scaled = numbers * float(quantity.unit.size)
    return scaled + float(quantity.unit.offset) if quantity.unit.offset else scaled


@dataclass(frozen=True)
class Agreement:
    """The checks of what the givens of a target state twice."""

    library: RelationSet
    found: Cases
    gaps: tuple[tuple[tuple[str, ...], Callable[..., Any]], ...]
    beside: Abreast  # quantities in these relations that are neither given nor targets

    def kept(self, values: Sequence[Any], result: Any) -> Any:
        """The target where nothing contradicts it, and the solver's answer where something may."""
        import numpy

        outline = self.found.outline
        named = dict(zip(outline.strong, values, strict=True))
        columns = self.beside([named[name] for name in self.beside.names])
        others = {one.target: column for one, column in zip(self.beside.outlines, columns, strict=True)}
        whole = {**others, outline.target: result, **named}
        bases = {name: based(numpy.asarray(x, dtype=float), self.library.declared[name]) for name, x in whole.items()}
        with numpy.errstate(all="ignore"):
            gaps = [gap(*(bases[name] for name in names)) for names, gap in self.gaps]
        found = agreed(numpy.asarray(result, dtype=float), gaps, values, self._asking.solved)
        return found if found.shape else float(found)

    @cached_property
    def _asking(self) -> Asking:
        return Asking(self.library, self.found, self.found.outline.strong)


def agreed(found: Any, gaps: Iterable[Any], arrays: Sequence[Any], ask: Callable[[Sequence[float]], float]) -> Any:
    """A target where the relations stated twice hold, and the solver's answer where they may not.

    Where neither the target nor the test has a number, the lines divide by zero, and the solver may know another way.
    If those points are too many, the compiled value stands unless it is contradicted.
    """
    import numpy

    wrong, doubtful = numpy.zeros((2, *found.shape), bool)
    for gap in gaps:
        wrong |= gap > 0
        doubtful |= numpy.isnan(gap)
    there = wrong | doubtful
    if not there.any():
        return found
    found = numpy.where(wrong, numpy.nan, found)
    if there.sum() <= _MOST_ASKED:
        found[there] = [ask(point) for point in points_at(there, arrays)]
    return found


def agreement(library: RelationSet, found: Cases) -> Agreement | None:
    """The checks of what the givens of a target state twice; None if they state nothing twice."""
    led = testing(library, found)
    beside = {one: plans for known in led.values() for one, plans in known.items()}
    gaps = tuple(gap_of(library.relations[name]) for name in led)
    strong, target = found.outline.strong, found.outline.target
    for block in leaving_beside(library, strong, found.plans):
        names, gap = outside(library, block)
        led_here = {one: plans_for(library, one, strong) for one in names if one not in (*strong, target)}
        known_here = {one: plans for one, plans in led_here.items() if plans is not None}
        if len(known_here) == len(led_here):
            beside |= known_here
            gaps = (*gaps, (names, gap))
    return Agreement(library, found, gaps, Abreast(library, list(beside.values()))) if gaps else None


def _with_fallback(library: RelationSet, name: str, found: Cases | None) -> Cases | None:
    """The plans for a quantity in a condition, which counts as its fallback where no relation gives it."""
    default = library.declared[name].default
    if found is None or default is None or default.is_range or not default.source.stands_in:
        return found
    return replace(found, alternatives=tuple(_filled(tree, name) for tree in found.alternatives))


def _filled(tree: Tree, name: str) -> Tree:
    """A tree of cases with the weak value of a quantity where it has no case."""
    if isinstance(tree, Fork):
        return replace(tree, yes=_filled(tree.yes, name), no=_filled(tree.no, name))
    return Case(Plan(name, (), (name,), ())) if tree is None else tree


def testing(library: RelationSet, found: Cases) -> dict[str, dict[str, Cases]]:
    """The relations that the givens of a target state twice, each with the plans for what else is in it."""
    strong, tested = found.outline.strong, dict[str, dict[str, Cases]]()
    for name in said_twice(library, strong, found.plans):
        relation = library.relations[name]
        names = names_in(relation.written.lhs, relation.written.rhs, *relation.conditions)
        open_names = [one for one in names if one not in (*strong, found.outline.target)]
        try:
            led = {one: plans_for(library, one, strong) for one in open_names}
        except DeriveError:
            continue
        for one in open_names:
            if one not in library.members[name]:
                led[one] = _with_fallback(library, one, led[one])
        known = {one: plans for one, plans in led.items() if plans is not None}
        if len(known) == len(led):
            tested[name] = known
    return tested
