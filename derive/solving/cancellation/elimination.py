"""Elimination: names are solved for and substituted, one by one, until what is left of some equations is enough.

A quantity that is a positive factor in an equation, or in which one is linear, is solved for and substituted into all
others, each of which is written as a product again, so that whatever cancels disappears. For products alone this is
Gaussian elimination on their exponents, in exact fractions. What is left has the same solutions for the target; the
caller must check that the eliminated quantities can exist beside it.

A factor cancels only where it is not zero, and a root splits only where its factors are positive. Both follow from the
known numbers, from the domains, and from the equations themselves: the factors of one side are nonzero if the other is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from derive.expressions.tree import Apply, Equation, Name, Node, Number, is_condition, names_in, replaced, walk
from derive.numerics.algebra.evaluation import holds, value
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.algebra.products import Product, product_of, written
from derive.time_limits import tick
from quantities.domain import Domain

_LARGEST = 2000  # limit on nodes of an equation


@dataclass(frozen=True, slots=True)
class Projection:
    """What elimination leaves: equations, and the eliminated names, each with its form in the names after it."""

    equations: tuple[Equation, ...]
    eliminated: tuple[tuple[str, Node], ...]


def eliminate(
    equations: Sequence[Equation],
    target: str,
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
    is_enough: Callable[[Sequence[Equation]], bool],
) -> Projection | None:
    """Eliminate names by substitution, one by one, until what is left of the equations is enough; None if it never is.

    >>> from derive.expressions.grammar import parse_equation
    >>> gas = [parse_equation(text) for text in ("p*V = n*R*T", "m = n*M", "rho = m/V")]
    >>> anything = dict.fromkeys(["V", "n", "m", "rho"], Domain("positive", 0.0, float("inf"), open_low=True))
    >>> projection = eliminate(gas, "rho", dict.fromkeys("pRTM", 1.0), anything, lambda left: len(left) == 1)
    >>> [str(equation) for equation in projection.equations]
    ['M*p = R*T*rho']
    """
    elimination = _Elimination(known, domains)
    while sum(elimination.note_signs(equation) for equation in equations):  # of all: one may help another
        tick()
    left = [elimination.balanced(equation) for equation in equations]
    eliminated: list[tuple[str, Node]] = []
    while not is_enough(left):
        tick()
        pivot = next(elimination.pivots(left, target), None)
        if pivot is None:
            return None
        eliminated.append((pivot.name, pivot.form))
        left = elimination.substituted(left, pivot)
        if any(sum(1 for _ in walk(*equation.sides)) > _LARGEST for equation in left):
            return None
    return Projection(tuple(left), tuple(eliminated))


class _Pivot(NamedTuple):
    """A step of elimination: the equation that is used up, the name that it is solved for, and the name's form."""

    equation: Equation
    name: str
    form: Node


@dataclass(frozen=True, slots=True)
class _Elimination:
    """An elimination from equations: numbers and domains of their names, and what the equations prove of signs."""

    known: Mapping[str, float]
    domains: Mapping[str, Domain]
    positive: set[Node] = field(default_factory=set)  # nodes that are positive wherever all equations hold
    nonzero: set[Node] = field(default_factory=set)  # nodes that are not zero there
    products: dict[Node, Product] = field(default_factory=dict)  # of sides: most stay while others are eliminated
    factors: dict[Equation, Mapping[str, Fraction]] = field(default_factory=dict)  # so do most equations

    def note_signs(self, equation: Equation) -> bool:
        """Note the factors that an equation proves positive or nonzero for elimination; whether any of them is new.

        These are the factors of a side, if the other side is positive or nonzero.
        """
        left, right = map(self._product, equation.sides)
        fresh: set[Node] = set()
        count = len(self.nonzero)
        for side, opposite in ((left, right), (right, left)):
            if opposite.number and side.number and all(map(self.is_nonzero, opposite.powers)):
                self.nonzero.update(side.powers)
            if opposite.number > 0 and side.number > 0 and all(map(self.is_positive, opposite.powers)):
                doubtful = {base: exponent for base, exponent in side.powers.items() if not self.is_positive(base)}
                never_negative = {base for base in doubtful if self._is_never_negative(base)}
                # a single doubtful factor has the sign of its side; an even power of it would hide the sign
                alone = len(doubtful) == 1 and set(doubtful.values()) <= {1, -1}
                fresh |= doubtful.keys() if alone else never_negative
        fresh = {base for base in fresh - self.positive if not self.known.keys() >= {*names_in(base)}}
        self.positive.update(fresh)
        if fresh:
            self.products.clear()  # a power of a product is split only where its factors are positive
        return bool(fresh) or len(self.nonzero) > count

    def is_nonzero(self, node: Node) -> bool:
        """Whether an expression is certainly not zero, so that elimination may let it cancel."""
        if node in self.nonzero or self.is_positive(node):
            return True
        if isinstance(node, Number):
            return node.value != 0
        if {*names_in(node)} <= self.known.keys():
            return not self._is_zero(node)
        if isinstance(node, Name):
            return 0.0 not in self.domains[node.name]
        return node.op in ("mul", "neg", "inv") and all(map(self.is_nonzero, node.args))

    def _is_zero(self, node: Node) -> bool:
        """Whether an expression of known numbers is zero in the elimination, but for rounding: `a + b - 0.3` may be."""
        return holds(Apply("eq", (node, ZERO)), self.known)

    def _is_never_negative(self, base: Node) -> bool:
        return isinstance(base, Name) and base.name in self.domains and self.domains[base.name].low >= 0

    def is_positive(self, node: Node) -> bool:
        """Whether an expression is certainly positive where all equations of the elimination hold."""
        if isinstance(node, Number):
            return node.value > 0
        if set(names_in(node)) <= self.known.keys():
            return value(node, self.known) > 0 and not self._is_zero(node)
        if node in self.positive:
            return True
        if isinstance(node, Name):
            domain = self.domains[node.name]
            return domain.low >= 0 and 0.0 not in domain
        match node.op:
            case "exp" | "cosh":
                return True
            case "add" | "mul" | "inv" | "sqrt" | "min":
                return all(map(self.is_positive, node.args))
            case "max":
                return any(map(self.is_positive, node.args))
            case "pow":
                return self.is_positive(node.args[0])
        return False

    def balanced(self, equation: Equation) -> Equation:
        """An equation as elimination writes it: two products, without common factors that are surely nonzero."""
        left, right = map(self._product, equation.sides)
        unsure = [base for base in left.powers.keys() & right.powers.keys() if not self.is_nonzero(base)]
        inverse = None if unsure or not right.number else right.to(Fraction(-1))
        ratio = left if inverse is None else left.times(inverse)
        if inverse is None or not ratio.number:
            return Equation(written(left), "=", written(right))
        above = Product(abs(ratio.number), {base: exponent for base, exponent in ratio.powers.items() if exponent > 0})
        below = Product(Fraction(1), {base: -exponent for base, exponent in ratio.powers.items() if exponent < 0})
        if ratio.number < 0:
            below = Product(Fraction(-1), below.powers)
        return Equation(written(above), "=", written(below))

    def _product(self, side: Node) -> Product:
        """A side of an equation as a product; cached, since most sides stay as they are in a step of elimination."""
        product = self.products.get(side)
        if product is None:
            product = self.products[side] = product_of(self._without_zeros(side), self.is_positive)
        return product

    def _without_zeros(self, node: Node) -> Node:
        """An expression of an elimination in which parts that are known to be zero are written as 0."""
        names = names_in(node)
        if is_condition(node):
            return node
        if names and self.known.keys() >= {*names}:
            return ZERO if self._is_zero(node) else node
        return Apply(node.op, tuple(map(self._without_zeros, node.args))) if isinstance(node, Apply) else node

    def substituted(self, equations: Sequence[Equation], pivot: _Pivot) -> list[Equation]:
        """The equations that a step of elimination leaves, without those that say nothing any more."""
        put_in = partial(replaced, old=Name(pivot.name), new=pivot.form)
        left = []
        for equation in equations:
            if equation is pivot.equation:
                continue
            new = self.balanced(equation.changed(put_in)) if pivot.name in equation.names else equation
            if new.lhs != new.rhs:
                left.append(new)
        return left

    def pivots(self, equations: Sequence[Equation], target: str) -> Iterator[_Pivot]:
        """The possible next steps of elimination, those first that eliminate a name which is only a factor."""
        holders: dict[str, list[Equation]] = {}
        for equation in equations:
            for name in equation.names:
                if name != target and name not in self.known:
                    holders.setdefault(name, []).append(equation)

        def rank(name: str) -> tuple[int, int]:
            return sum(name not in self._factors(equation) for equation in holders[name]), len(holders[name])

        for name in sorted(holders, key=rank):
            for equation in sorted(holders[name], key=lambda equation: len(equation.names)):
                exponent = self._factors(equation).get(name)
                form = self._by_factor(equation, name, exponent) if exponent else self._by_isolating(equation, name)
                if form is not None:
                    yield _Pivot(equation, name, form)

    def _factors(self, equation: Equation) -> Mapping[str, Fraction]:
        """The exponents of the positive names that are only factors in an equation, which elimination takes first."""
        if equation not in self.factors:
            ratio = self._ratio(equation)
            powers = {} if ratio is None else ratio.powers
            inside = {*names_in(*(base for base in powers if not isinstance(base, Name)))}
            names = {base.name: exponent for base, exponent in powers.items() if isinstance(base, Name)}
            self.factors[equation] = {
                name: exponent
                for name, exponent in names.items()
                if name not in self.known and name not in inside and self.is_positive(Name(name))
            }
        return self.factors[equation]

    def _ratio(self, equation: Equation) -> Product | None:
        """The quotient of an equation's sides, for elimination; None where the sides may be zero and agree."""
        left, right = map(self._product, equation.sides)
        powers = [*left.powers.items(), *right.powers.items()]
        # a single base of unknown sign is positive where the sides agree, since all other factors are
        doubtful = [exponent for base, exponent in powers if not self.is_positive(base)]
        if doubtful not in ([], [1]) or not (left.number > 0 and right.number > 0):
            return None
        inverse = right.to(Fraction(-1))
        return None if inverse is None else left.times(inverse)

    def _by_factor(self, equation: Equation, name: str, exponent: Fraction) -> Node | None:
        """The form that eliminates a name with this exponent in the quotient of an equation's sides, if any."""
        ratio = self._ratio(equation)
        assert ratio is not None
        others = {base: power for base, power in ratio.powers.items() if base != Name(name)}
        form = Product(ratio.number, others).to(-1 / exponent)
        return None if form is None else written(form)

    def _by_isolating(self, equation: Equation, name: str) -> Node | None:
        """The only form that eliminates a name from an equation, if inverting the equation loses no solution."""
        candidates = isolate(equation, name)
        if not candidates or len(candidates) > 1:
            return None
        (candidate,) = candidates
        if candidate.conditions or candidate.winds or not all(map(self.is_nonzero, candidate.divisors)):
            return None
        return candidate.form if all(self.is_positive(power.args[0]) for power in candidate.powers) else None
