"""Programs reduced for the search: their expressions spread out, and the quantities that their ties give left out.

An enclosure treats two occurrences of a name as two numbers. `(w + k*batch)/batch` therefore seems to rise or to fall
with the batch, until boxes are small; `w/batch + k` surely falls. So a factor is multiplied into a sum where it meets
its own powers there, and into the arms of a max or min where it is positive; a division by a maximum is the minimum
of the divisions. Other sums stay as they are: multiplied out, they would have more occurrences and not fewer.

A tie in which a quantity stands as a term, or once inside logarithms and exponentials, gives it one value:
`x + 2*y = z` leaves two of the three to choose. Such a quantity is put in everywhere, and its range becomes two limits.
The search then has a side less, and a goal that is only flat along the tie may become convex.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in, walk, with_forms
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ZERO, added, inverted, multiplied, negated, occurrences
from derive.numerics.algebra.linear import linear_form
from derive.numerics.algebra.products import Product, Test, product_of, written
from derive.numerics.intervals.enclosure import Span, enclose
from derive.optimization.program import DomainTest, Limit, Program, limits_of_range
from derive.solving.extremes import without_idle_arms
from derive.tolerances import UNDERFLOW

_MIRRORED = {"max": "min", "min": "max"}


def in_free_names(node: Node, known: Mapping[str, float], box: Mapping[str, Span]) -> Node:
    """A program's expression reduced to what is free: known numbers put in exactly, and the rest spread out.

    The box tells which factors are positive.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> render(in_free_names(parse_expression("a*(w + k*b)/b"), {"a": 2.0, "w": 3.0, "k": 0.5}, {"b": (1.0, 9.0)}))
    '6/b + 1'
    """

    def is_positive(factor: Node) -> bool:
        if not box.keys() >= {*names_in(factor)}:
            return False
        enclosure = enclose(factor, box, "")
        return enclosure is not None and enclosure.values[0] > 0

    small = without_idle_arms(folded(node, known), box)
    return _shared(folded(spread_out(small, is_positive), {}))


def _shared(node: Node) -> Node:
    """A reduced program's expression with each product's number apart, so that like products are shared.

    What one limit says of `width*length` then narrows what another says of `-3*width*length`.
    """
    if not isinstance(node, Apply):
        return node
    args = tuple(map(_shared, node.args))
    if node.op == "mul" and len(args) > 2 and isinstance(args[0], Number):
        return Apply("mul", (args[0], Apply("mul", args[1:])))
    return Apply(node.op, args)


def spread_out(node: Node, is_positive: Test) -> Node:
    """A goal or limit of a reduced program, with factors multiplied into its sums and choices for tighter enclosures.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> render(spread_out(parse_expression("3*max(c*b, w + k*b)/b"), lambda node: True))
    'max(3*c, 3*k + 3*w/b)'
    """
    if isinstance(node, Apply) and node.op == "piecewise":
        pairs = (arg if i % 2 else spread_out(arg, is_positive) for i, arg in enumerate(node.args))
        return Apply("piecewise", tuple(pairs))
    return _spread(product_of(node, is_positive), is_positive)


def _spread(factors: Product, is_positive: Test) -> Node:
    """A product in a reduced program, spread out: a factor is multiplied into a sum or a choice's arms, repeatedly."""
    for base, exponent in factors.powers.items():
        if not isinstance(base, Apply) or base.op not in ("add", "max", "min") or exponent not in (1, -1):
            continue
        is_divisor = exponent == -1
        if is_divisor and not (base.op != "add" and all(map(is_positive, base.args))):
            continue
        others = Product(factors.number, {other: e for other, e in factors.powers.items() if other != base})
        args = [Apply("inv", (arg,)) if is_divisor else arg for arg in base.args]
        terms = [product_of(arg, is_positive) for arg in args]
        if base.op == "add":
            if len(factors.powers) == 1 or _meets(others, terms):
                return added(*(_spread(term.times(others), is_positive) for term in terms))
        elif all(map(is_positive, others.powers)):
            is_mirrored = is_divisor == (others.number > 0)
            op = _MIRRORED[base.op] if is_mirrored else base.op
            return Apply(op, tuple(_spread(term.times(others), is_positive) for term in terms))
    return written(Product(factors.number, {_inner(base, is_positive): e for base, e in factors.powers.items()}))


def _meets(factor: Product, terms: list[Product]) -> bool:
    """Whether a factor meets its own powers in a sum, so that reduction spreads the product out."""
    return any(not factor.powers.keys().isdisjoint(term.powers) for term in terms)


def _inner(base: Node, is_positive: Test) -> Node:
    """A factor that reduction leaves apart when it spreads out a product, with its own arguments spread out."""
    if isinstance(base, (Name, Number)) or base.op == "piecewise":
        return base
    return Apply(base.op, tuple(spread_out(arg, is_positive) for arg in base.args))


_MOST = 400  # limit on nodes of a form that is put in


@dataclass(frozen=True, slots=True)
class ReducedProgram:
    """A program, and the same without the names that its ties give; each has a form in those left or given later."""

    original: Program
    program: Program
    forms: tuple[tuple[str, Node], ...] = ()

    def of(self, point: Sequence[float]) -> tuple[float, ...]:
        """The part of a point that the reduced program leaves to choose."""
        numbers = dict(zip(self.original.names, point, strict=False))
        return tuple(numbers[name] for name in self.program.names[: self.program.free])

    def full(self, point: Sequence[float]) -> tuple[float, ...]:
        """A point of the reduced program with the quantities that ties give, kept in their ranges despite rounding.

        A number too small to be told from zero is zero: others that follow from it would be rounded away.
        """
        chosen = {name: self._near_zero(name, x) for name, x in zip(self.program.names, point, strict=False)}
        numbers = {**self.program.known, **chosen}
        for name, form in reversed(self.forms):  # the last form has only names that are left
            low, high = self.original.box[self.original.names.index(name)]
            numbers[name] = self._near_zero(name, min(max(value(form, numbers), low), high))
        return tuple(numbers[name] for name in self.original.names[: self.original.free])

    def _near_zero(self, name: str, number: float) -> float:
        low, high = self.original.box[self.original.names.index(name)]
        return 0.0 if abs(number) < UNDERFLOW and low <= 0 <= high else number

    def ways(self, reduced_ways: Sequence[str]) -> tuple[str, ...]:
        """How the target moves with each free quantity before reduction; empty for one that a tie gives."""
        known = dict(zip(self.program.names, reduced_ways, strict=False))
        return tuple(known.get(name, "") for name in self.original.names[: self.original.free])


def reduced(program: Program) -> ReducedProgram:
    """A program reduced to as few names as its ties allow.

    >>> from derive.expressions.grammar import parse_equation, parse_expression
    >>> goal, tie = parse_expression("x**2 + y"), Limit("tie", None, parse_equation("x + y = 1"),
    ...                                                 parse_expression("x + y - 1"))
    >>> whole = Program(("x", "y"), ((0.0, 1.0), (0.0, 1.0)), (0.0, 0.0), 2, goal, goal, {}, (), (tie,))
    >>> found = reduced(whole)
    >>> found.program.names, found.full((0.25,))
    (('y',), (0.75, 0.25))
    """
    remaining, forms = program, []
    pivot = None if program.solved is not None else next(_pivots(remaining), None)
    while pivot is not None:
        tie, name, form = pivot
        forms.append((name, form))
        remaining = _without(remaining, tie, name, form)
        pivot = next(_pivots(remaining), None)
    return ReducedProgram(program, remaining, tuple(forms))


def _pivots(program: Program) -> Iterator[tuple[Limit, str, Node]]:
    """The quantities that ties give and that reduction can leave out, first the one that stands in fewest places."""
    places: dict[str, int] = {}
    for node in walk(program.goal, *(limit.gap for limit in program.limits), *program.zeros):
        if isinstance(node, Name):
            places[node.name] = places.get(node.name, 0) + 1
    uncounted = [name for name, step in zip(program.names, program.steps, strict=True) if not step]
    candidates = [(tie, name) for tie, name in product(program.ties, uncounted) if name in names_in(tie.gap)]
    for tie, name in sorted(candidates, key=lambda candidate: places.get(candidate[1], 0)):
        form = _form_from_tie(tie.gap, name, program.spans)
        if form is not None and (_is_plain(form, program) or _stands_apart(name, program.goal)):
            yield tie, name, form


def _is_plain(form: Node, program: Program) -> bool:
    """Whether reduction may put in the form that a tie gives: a sum of quantities, or made of counts alone."""
    counts = {name for name, step in zip(program.names, program.steps, strict=True) if step}
    return counts.issuperset(names_in(form)) or linear_form(form, frozenset(names_in(form))) is not None


def _stands_apart(name: str, goal: Node) -> bool:
    """Whether reduction may leave out a quantity that a tie gives, since it is at most a term of the goal.

    Where it is a factor, its range says more than a form of it.
    """
    linear = linear_form(goal, frozenset({name}))
    return linear is not None and isinstance(folded(linear.get(name, ZERO), {}), Number)


def _form_from_tie(gap: Node, name: str, spans: Mapping[str, Span]) -> Node | None:
    """The one form that a tie gives a quantity, so that reduction can leave it out; None if none, or several.

    A factor that is no number is left alone: the quotient by it would be wider than the tie.
    """
    linear = linear_form(gap, frozenset({name}))
    if linear is not None:
        factor = folded(linear.get(name, ZERO), {})
        is_single = isinstance(factor, Number) and factor.value != 0
        form = multiplied(negated(linear.get(None, ZERO)), inverted(factor)) if is_single else None
    else:
        candidates = isolate(Equation(gap, "=", ZERO), name) if _is_one_to_one(gap, name) else ()
        form = candidates[0].form if candidates else None
    spread = None if form is None else in_free_names(form, {}, spans)
    return spread if spread is not None and sum(1 for _ in walk(spread)) <= _MOST else None


def _is_one_to_one(gap: Node, name: str) -> bool:
    """Whether a tie gives a quantity to be left out by reduction one value: it stands in logarithms and the like."""
    around = [node for node in walk(gap) if isinstance(node, Apply) and name in names_in(node)]
    if occurrences(gap, name) != 1 or any(node.op not in ("add", "neg", "mul", "log", "exp") for node in around):
        return False
    factors = chain.from_iterable(node.args for node in around if node.op == "mul")
    return all(isinstance(factor, Number) for factor in factors if name not in names_in(factor))


def _without(program: Program, tie: Limit, name: str, form: Node) -> Program:
    """A program reduced by a quantity: a form by a tie stands in its place, and its range becomes limits."""
    index = program.names.index(name)
    spans = {other: span for other, span in program.spans.items() if other != name}
    forms = {name: form}

    def spread(node: Node) -> Node:
        return in_free_names(with_forms(node, forms), {}, spans) if name in names_in(node) else node

    def moved(limit: Limit) -> Limit:
        written = Equation(spread(limit.written.lhs), limit.written.op, spread(limit.written.rhs))
        guard = None if limit.guard is None else with_forms(limit.guard, forms)
        return replace(limit, written=written, gap=spread(limit.gap), guard=guard)

    return replace(
        program,
        names=(*program.names[:index], *program.names[index + 1 :]),
        box=(*program.box[:index], *program.box[index + 1 :]),
        steps=(*program.steps[:index], *program.steps[index + 1 :]),
        free=program.free - 1,
        goal=spread(program.goal),
        plain=with_forms(program.plain, forms),
        limits=(*map(moved, program.limits), *_limits_of_range(form, program.box[index], spans)),
        ties=tuple(moved(other_tie) for other_tie in program.ties if other_tie is not tie),
        guards=tuple(with_forms(guard, forms) for guard in program.guards),
        domain_tests=tuple(DomainTest(with_forms(test.form, forms), test.domain) for test in program.domain_tests),
    )


def _limits_of_range(form: Node, span: Span, spans: Mapping[str, Span]) -> Iterator[Limit]:
    """The ends of a reduced quantity's range as limits of its form, but for those that it cannot pass."""
    (low, high), enclosure = span, enclose(form, spans, "")
    if enclosure is not None:
        low = -math.inf if enclosure.values[0] >= low else low
        high = math.inf if enclosure.values[1] <= high else high
    return limits_of_range(form, low, high, lambda gap: in_free_names(gap, {}, spans))
