"""Quantities that may leave their domains where they follow from others.

A product of positive quantities is positive, whatever they are; a share that is a difference may come out negative. Of
which kind a quantity is depends on the relation that it follows from, and on the domains of what else is in that. Where
a quantity has several forms, as a square has two roots, it leaves its domain if all of them do. So it is with the arms
of a max: no b has a `c = max(a, b)` that is less than a. What has no closed form may always leave its domain; a search
for what nobody asked for would cost more than the answer, so nothing that follows from such a quantity is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain

from derive.caches import Memo
from derive.expressions.functions import STEPPED
from derive.expressions.tree import Equation, Node, names_in, operations, with_forms
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import residual, value
from derive.numerics.intervals.enclosure import Span, enclose
from derive.planning.directions import directed
from derive.planning.incidence import structure_of
from derive.planning.matching import Matching
from derive.planning.plan import Block, ordered
from derive.solving.blocks.block import is_refuted
from derive.solving.blocks.closed_forms import arms_in_closed_form, closed_forms, divisors_beside, domains_of, only_form
from derive.tolerances import AGREEMENT

_LEAVING = Memo["DomainExits"](most=256)
_LEAVING_IN_A_CASE = Memo[tuple[Block, ...]](most=256)


def leaving(library: RelationSet, blocks: Iterable[Block]) -> list[str]:
    """The unknowns of some blocks that may violate their domains by the forms that they follow from, in order.

    >>> from derive.relation_files.loading import load
    >>> rod = load('''[quantities]
    ... whole = { unit = "m" }
    ... piece = { unit = "m" }
    ... rest = { unit = "m" }
    ... share = { unit = "" }
    ... [relations]
    ... rest = { equation = "rest = whole - piece" }
    ... share = { equation = "share = piece/whole" }''')
    >>> leaving(rod, [Block(("rest",), ("rest",)), Block(("share",), ("share",))])
    ['rest']
    """
    leaving_names, searched = list[str](), set[str]()
    for block in blocks:
        forms = closed_forms(library, block)
        if not forms and (not is_searched(library, block) or searched.isdisjoint(block.inputs(library))):
            leaving_names.append(block.unknowns[0])
        if is_searched(library, block) or not searched.isdisjoint(block.inputs(library)):
            searched.update(block.unknowns)
        elif forms and all(_may_leave(library, block, form) for form in forms):
            leaving_names.append(block.unknowns[0])
    return leaving_names


def _may_leave(library: RelationSet, block: Block, form: Node) -> bool:
    """Whether a quantity may violate its domain where it follows by a form from others, which keep to theirs.

    It does so too where it makes a divisor of its relation zero: for `a = y/b` with y = 0, the form of b is 0.
    """
    domain = library.declared[block.unknowns[0]].domain
    domains = {name: library.declared[name].domain for name in names_in(form)}
    enclosure = enclose(form, {name: own.closed for name, own in domains.items()}, "")
    if enclosure is None or (enclosure.partial and not may_be_undefined(library, block)):
        return True
    low, high = enclosure.values
    if domain.open_low and low <= domain.low and any(0.0 in own for own in domains.values()):
        return True  # products of positive numbers are taken for positive, though their enclosures begin at zero
    if low < domain.low or high > domain.high:
        return True
    return bool(divisors_beside(library, [library.relations[block.relations[0]].written], [form]))


def is_searched(library: RelationSet, block: Block) -> bool:
    """Whether it takes a search to tell whether a block's unknowns violate their domains: it has no closed form."""
    if closed_forms(library, block):
        return False
    return not (_is_rounded(library, block) or arms_in_closed_form(library, block))


def _is_rounded(library: RelationSet, block: Block) -> bool:
    """Whether a block's relation rounds its unknown, which may violate its domain: no x has a `y = 2*floor(x)` of 9."""
    if len(block.relations) > 1:
        return False
    written = library.relations[block.relations[0]].written
    return any(block.unknowns[0] in operation.names for operation in operations(*written.sides, among=STEPPED))


def may_be_undefined(library: RelationSet, block: Block) -> bool:
    """Whether a block's unknown may be undefined, which violates no domain: its relation is written for it.

    A short circuit has no ratio of standing waves. But `d*x = 10` fails for every `d` where `x` is zero.
    """
    return library.relations[block.relations[0]].written.written_for == block.unknowns[0]


def is_silent(library: RelationSet, block: Block, values: Mapping[str, float]) -> bool:
    """Whether a block's relation leaves its unknown without a number at some numbers, which violates no domain.

    So it is also where a definition is given at its limit: with a share `1 - 1/racks` of 1, the racks are infinite.
    """
    form = only_form(library, block)
    if form is None or not values.keys() >= {*names_in(form)} or math.isfinite(value(form, values)):
        return False
    return may_be_undefined(library, block) or _is_at_limit(library, block, values)


def _is_at_limit(library: RelationSet, block: Block, values: Mapping[str, float]) -> bool:
    """Whether a definition has an infinite unknown, which violates no domain: for a = 0, `y = a*x` has none."""
    written, name = library.relations[block.relations[0]].written, block.unknowns[0]
    if not may_be_at_limit(library, block):
        return False
    return abs(residual(written, {**values, name: math.inf})) <= AGREEMENT  # an undefined one is not


def may_be_at_limit(library: RelationSet, block: Block) -> bool:
    """Whether a block's unknown may be infinite, which violates no domain: its relation defines another quantity."""
    written = library.relations[block.relations[0]].written
    return written.written_for is not None and library.declared[block.unknowns[0]].domain.high == math.inf


@dataclass(frozen=True, slots=True)
class DomainExits:
    """The quantities that may violate their domains among all that givens determine, and the blocks behind them."""

    names: frozenset[str] = frozenset()
    blocks: tuple[Block, ...] = ()
    searched: frozenset[str] = frozenset()  # what only a search gives: what follows from these is left out


def leaving_from(library: RelationSet, given: Iterable[str]) -> DomainExits:
    """The domain violations to be expected among all that exact and unconditional relations determine."""
    names = frozenset(given)
    return _LEAVING.of(library.session, names, lambda: _leaving_by(library, names))


def leaving_in_a_case(library: RelationSet, given: Iterable[str]) -> frozenset[str]:
    """The further quantities that may violate their domains where relations under conditions apply."""
    blocks = leaving_blocks_in_a_case(library, given)
    return frozenset(chain.from_iterable(block.unknowns for block in blocks))


def leaving_blocks_in_a_case(library: RelationSet, given: Iterable[str]) -> tuple[Block, ...]:
    """The blocks whose unknowns may violate their domains only where relations under conditions apply.

    Of several relations for one quantity, each in its own case, any may make it leave its domain.
    """
    names = frozenset(given)
    return _LEAVING_IN_A_CASE.of(library.session, names, lambda: _leaving_in_a_case(library, names))


def _leaving_in_a_case(library: RelationSet, names: frozenset[str]) -> tuple[Block, ...]:
    """Find the blocks whose unknowns may violate their domains only where relations under conditions apply."""
    alone = [
        Block((relation.name,), (relation.written_for,))
        for relation in library.conditional
        if relation.approximate is None and relation.written_for is not None and relation.written_for not in names
    ]
    in_cases = _leaving_by(library, names, conditional=True)
    blocks = [block for block in in_cases.blocks if not in_cases.names.isdisjoint(block.unknowns)]
    blocks += [block for block in alone if leaving(library, [block])]
    always = leaving_from(library, names).names
    return tuple(block for block in dict.fromkeys(blocks) if always.isdisjoint(block.unknowns))


def _leaving_by(library: RelationSet, given: frozenset[str], *, conditional: bool = False) -> DomainExits:
    """The quantities that may violate their domains by exact relations, by conditional ones only where asked for."""
    left_out = {
        name
        for name, relation in library.relations.items()
        if relation.approximate is not None or (relation.conditions and not conditional)
    }
    structure = structure_of(library, frozenset(left_out))
    determined = Matching.of(structure, given).determined(structure)
    if not determined:
        return DomainExits()
    solved = directed(structure, list(structure.members), given)
    blocks = ordered(structure, solved, sorted(determined), given)
    names = leaving(library, blocks)
    searched = chain.from_iterable(block.unknowns for block in blocks if is_searched(library, block))
    return DomainExits(frozenset(names), tuple(ordered(structure, solved, names, given)), frozenset(searched))


def certainly_left(library: RelationSet, blocks: Iterable[Block], given: Mapping[str, Span]) -> frozenset[str]:
    """The unknowns of ordered blocks that certainly violate their domains, wherever the givens lie in ranges.

    What follows from these has no value either. An unknown without a closed form is taken to have a value, unless it is
    seen without a search that it has none.
    """
    spans, without_value = dict(given), set[str]()
    for block in blocks:
        inputs = block.inputs(library)
        if inputs & without_value:
            without_value.update(block.unknowns)
            continue
        spans |= domains_of(library, block.unknowns)
        forms, name = closed_forms(library, block), block.unknowns[0]
        if arms := arms_in_closed_form(library, block):
            written = library.relations[block.relations[0]].written
            if not any(_may_fit(written, name, arm, spans) for arm in arms):
                without_value.add(name)
            continue
        if not forms:
            if spans.keys() >= inputs and is_nowhere(library, block, {given: spans[given] for given in inputs}):
                without_value.update(block.unknowns)
            continue
        if not spans.keys() >= {*names_in(*forms)}:
            continue
        low, high = spans[name]
        enclosures = [enclosure for form in forms if (enclosure := enclose(form, spans, "")) is not None]
        if len(enclosures) < len(forms) or any(enclosure.partial for enclosure in enclosures):
            # a divisor may be zero, and then the relation may hold for any number, as `y = a*x` does for y = a = 0
            if is_nowhere(library, block, {given: spans[given] for given in inputs}):
                without_value.add(name)
            continue
        ends = [enclosure.values for enclosure in enclosures]
        inside = [(max(low, start), min(high, end)) for start, end in ends if start <= high and end >= low]
        if not inside:
            without_value.add(name)
            continue
        spans[name] = min(start for start, _ in inside), max(end for _, end in inside)
    return frozenset(without_value)


def is_nowhere(library: RelationSet, block: Block, spans: Mapping[str, Span]) -> bool:
    """Whether the unknowns of a block violate their domains wherever its other quantities lie in spans."""
    equations = [library.relations[relation].written for relation in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    return is_refuted(equations, block.unknowns, spans, domains)


def _may_fit(written: Equation, name: str, arm: tuple[Equation, tuple[Node, ...]], spans: Mapping[str, Span]) -> bool:
    """Whether an arm of a max or min may leave its unknown a value in its domain, wherever all others lie in spans.

    By a form of the arm, the whole relation has to hold as well; an arm without the unknown has none.
    """
    variant, forms = arm
    if not forms:
        return _may_agree(variant, spans)
    return any(
        _meets(form, spans, spans[name]) and _may_agree(written.changed(partial(with_forms, forms={name: form})), spans)
        for form in forms
    )


def _meets(form: Node, spans: Mapping[str, Span], domain: Span) -> bool:
    """Whether a form of a quantity may lie in its domain, or that cannot be told."""
    enclosure = enclose(form, spans, "") if spans.keys() >= {*names_in(form)} else None
    return enclosure is None or (enclosure.values[0] <= domain[1] and enclosure.values[1] >= domain[0])


def _may_agree(equation: Equation, spans: Mapping[str, Span]) -> bool:
    """Whether the sides of an equation of others than the unknown may agree somewhere in spans, or that is not told."""
    if not spans.keys() >= {*equation.names}:
        return True
    enclosures = [enclose(side, spans, "") for side in equation.sides]
    ends = [enclosure.values for enclosure in enclosures if enclosure is not None]
    if len(ends) < len(enclosures):
        return True
    slack = AGREEMENT * max(abs(end) for span in ends for end in span)
    return max(low for low, _ in ends) <= min(high for _, high in ends) + slack
