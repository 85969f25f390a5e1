"""The closed forms of blocks, their divisors, and the forms composed of them, with their elasticities.

A block has a closed form over whole ranges only if it is the value of its unknown at every point of them: if isolation
leaves out no value there, and no condition or choice decides between several.

The blocks' closed forms are substituted into each other until only givens are left. An enclosure of such a form gives
the exact slope at a point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from derive.expressions.tree import Apply, Equation, Name, Node, conjunction, names_in, operations, rebuilt, walk
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.isolation import Candidate, isolate, leaves_out
from derive.numerics.algebra.like_terms import derivative, exponent_of
from derive.numerics.algebra.multiprecision import exactly
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import Enclosure, Span, enclose
from derive.planning.plan import Block
from derive.solving.blocks.free_unknowns import has_choice, variants_of
from derive.tolerances import AGREEMENT, EXTREME

LARGEST_FORM = 5000
"""Nodes of the largest closed form that is written out."""


def only_form(library: RelationSet, block: Block) -> Node | None:
    """The closed form of a block that holds over any ranges; None if there is not exactly one."""
    candidates = candidates_of(library, block)
    return candidates[0].form if len(candidates) == 1 and not candidates[0].conditions else None


def closed_forms(library: RelationSet, block: Block) -> tuple[Node, ...]:
    """The closed forms of a block, one of which holds at any point of any ranges; else none.

    A form that holds under conditions has no number where they fail.
    """
    if has_choice(library.relations[block.relations[0]].written, block.unknowns[0]):
        return ()
    return tuple(_under_conditions(candidate) for candidate in candidates_of(library, block))


def arms_in_closed_form(library: RelationSet, block: Block) -> tuple[tuple[Equation, tuple[Node, ...]], ...]:
    """The relation of a block with each arm of the max or min around its unknown, and the unknown's forms by that arm.

    An arm without the unknown has no form. There are no arms if some other one has none, or if nothing binds.
    """
    written, name = library.relations[block.relations[0]].written, block.unknowns[0]
    if len(block.relations) > 1 or not has_choice(written, name):
        return ()
    if any(name in choice.names for choice in operations(*written.sides, among=("abs", "piecewise"))):
        return ()
    arms = []
    for (variant,) in variants_of((written,), [name]):
        forms = tuple(map(_under_conditions, candidates_for(library, variant, name)))
        if name in variant.names and (not forms or has_choice(variant, name)):
            return ()
        arms.append((variant, forms))
    return tuple(arms)


def divisors_beside(library: RelationSet, equations: Iterable[Equation], forms: Iterable[Node]) -> list[Node]:
    """The divisors of relations that may be zero and are none of their closed forms: only the forms have a value there.

    The form of `a = x/b` is `x = a*b`, and has a value where b is zero; the relation has none.
    """
    sides = chain.from_iterable(equation.sides for equation in equations)
    own = frozenset(_divisors(forms))
    divisors = dict.fromkeys(divisor for divisor in _divisors(sides) if names_in(divisor))
    return [divisor for divisor in divisors if divisor not in own and may_be_zero(library, divisor)]


def _divisors(nodes: Iterable[Node]) -> Iterator[Node]:
    """What relations, or their closed forms, divide by; of negative powers the base."""
    for part in operations(*nodes, among=("inv", "pow")):
        exponent = exponent_of(part)
        if exponent is not None and exponent < 0:
            yield part.args[0]


def zero_divisors(library: RelationSet, candidates: Iterable[Candidate]) -> list[Node]:
    """The divisors of a block's closed forms that may be zero: there the unknown of `n = a*x` may be anything."""
    divisors = dict.fromkeys(chain.from_iterable(candidate.divisors for candidate in candidates))
    within = [divisor for divisor in divisors if not (isinstance(divisor, Apply) and divisor.op == "inv")]
    return [divisor for divisor in within if names_in(divisor) and may_be_zero(library, divisor)]


def lost_divisors(library: RelationSet, candidates: Sequence[Candidate]) -> list[Node]:
    """The divisors of a block's closed forms that may be zero and stand in none: `a*x = a*b` has the form b."""
    shown = frozenset(_divisors(candidate.form for candidate in candidates))
    return [divisor for divisor in zero_divisors(library, candidates) if divisor not in shown]


def may_be_zero(library: RelationSet, divisor: Node) -> bool:
    """Whether a divisor of a relation or of its closed form may be zero as its quantities range over their domains."""
    enclosure = enclose(divisor, {name: library.declared[name].domain.closed for name in names_in(divisor)}, "")
    return enclosure is None or not enclosure.misses_zero


def candidates_of(library: RelationSet, block: Block) -> tuple[Candidate, ...]:
    """The isolated forms of a block's unknown, if they leave out none of its values; else none."""
    if len(block.unknowns) > 1:
        return ()
    return candidates_for(library, library.relations[block.relations[0]].written, block.unknowns[0])


def candidates_for(library: RelationSet, equation: Equation, name: str) -> tuple[Candidate, ...]:
    """The isolated forms of a quantity in an equation, if they leave out none of its values; else none."""
    candidates = isolate(equation, name) or () if name in equation.names else ()
    if any(candidate.winds for candidate in candidates):
        return ()
    powers = [*chain.from_iterable(candidate.powers for candidate in candidates)]
    is_short = leaves_out(powers, domains_of(library, names_in(*powers)))
    return () if is_short else candidates


def _under_conditions(candidate: Candidate) -> Node:
    """The closed form of a candidate: without a number where its conditions fail."""
    if not candidate.conditions:
        return candidate.form
    return Apply("piecewise", (candidate.form, conjunction(candidate.conditions)))


def domains_of(library: RelationSet, names: Iterable[str]) -> dict[str, Span]:
    """The ends of the domains of some quantities, as a box for closed forms."""
    return {name: library.declared[name].domain.ends for name in names}


def enclosed_form(form: Node | None, box: Mapping[str, Span]) -> Enclosure | None:
    """The enclosure of a closed form whose inputs are intervals; None if there is none, or a name has no interval."""
    return enclose(form, box, "") if form is not None and box.keys() >= {*names_in(form)} else None


def composed(target: str, forms: Mapping[str, Node]) -> Node | None:
    """A closed form composed of those of the blocks that lead to it; None if one is missing or it grows too large.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(composed("c", {"b": parse_expression("2*a"), "c": parse_expression("b**2")}))
    '(2*a)**2'
    """
    if target not in forms:
        return None
    sizes: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in sizes:
            sizes[name] = 0
            nodes = walk(forms[name])
            sizes[name] = sum(size(node.name) if isinstance(node, Name) and node.name in forms else 1 for node in nodes)
        return sizes[name]

    try:
        if size(target) > LARGEST_FORM:
            return None
        return put_in(forms[target], forms)
    except RecursionError:
        return None


def put_in(node: Node, forms: Mapping[str, Node]) -> Node:
    """A form into which closed forms are substituted for names, and others into these, until none is left."""
    return rebuilt(
        node, lambda part: put_in(forms[part.name], forms) if isinstance(part, Name) and part.name in forms else None
    )


def slopes(form: Node, values: Mapping[str, float]) -> dict[str, float]:
    """The elasticities of a closed form at some values: d ln form / d ln name, for the names in it.

    A name has none where the form may have a corner, a jump or an end. Where terms nearly cancel, doubles lose digits
    of the form, and an enclosure in them is wide: both are computed in many digits.
    """
    number = exactly(form, values)
    spans = point_box(values)
    slopes = {}
    for name in names_in(form):
        # the numbers beside it show a jump: at 3 alone floor(x) is a constant
        around = {**spans, name: (math.nextafter(values[name], -math.inf), math.nextafter(values[name], math.inf))}
        enclosure = enclose(form, around, name)
        if enclosure is None or enclosure.partial or number != number:
            continue
        low, high = (slope * values[name] / number if number else math.nan for slope in enclosure.slopes)
        if abs(high - low) <= EXTREME * (abs(low) + abs(high)) + AGREEMENT < math.inf:
            slopes[name] = (low + high) / 2
            continue
        smooth = derivative(form, name)
        if smooth is not None and number:
            slopes[name] = exactly(smooth, values) * values[name] / number
    return {name: slope + 0.0 for name, slope in slopes.items() if math.isfinite(slope)}  # not -0
