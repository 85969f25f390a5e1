"""Elimination of quantities that cancel: the answers to questions that merely look underdetermined.

Counting relations and unknowns, pressure and temperature do not determine density: volume, amount and mass are open.
Yet they cancel. So before a target is called underdetermined, the Jacobian of all relations shows whether some of them
fix it together, and which (`jacobian_rank`); the quantities that cancel are eliminated from those; and the result is
planned and solved like any other question. The answer counts only if the eliminated quantities can exist beside it:
some values of the free ones must lead to values for all, each in its domain, at which every relation holds as stated.

Names are solved for and substituted, one by one, until what is left of some equations is enough. A quantity that is a
positive factor in an equation, or in which one is linear, is solved for and substituted into all others, each of which
is written as a product again, so that whatever cancels disappears. For products alone this is Gaussian elimination on
their exponents, in exact fractions. What is left has the same solutions for the target; the caller must check that the
eliminated quantities can exist beside it.

A factor cancels only where it is not zero, and a root splits only where its factors are positive. Both follow from the
known numbers, from the domains, and from the equations themselves: the factors of one side are nonzero if the other is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, islice, permutations
from itertools import product as pairs_of
from math import inf
from typing import NamedTuple

from derive.caches import Memo
from derive.errors import InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import (
    Apply,
    Equation,
    Name,
    Node,
    Number,
    is_condition,
    is_negated,
    names_in,
    replaced,
    walk,
)
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import holds, residual, value
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ONE, ZERO, added, difference_of, negated
from derive.numerics.algebra.products import Product, product_of, written, written_as_product
from derive.planning.matching import Matching
from derive.planning.plan import Block, Plan, plan_for
from derive.solving.assumptions import Assumption
from derive.solving.blocks.closed_forms import composed
from derive.solving.blocks.sample_points import points_across_domains
from derive.solving.blocks.system import agrees
from derive.solving.cancellation.jacobian_rank import Rows, combined, jacobian_of, repeated
from derive.solving.execution.block_execution import State
from derive.solving.execution.conditional_relations import ANOTHER, Undecided, decisions_of
from derive.solving.execution.plan_states import PlanResult, solved
from derive.solving.execution.question import Question
from derive.time_limits import Search, stop_if_over, tick
from quantities.domain import Domain

_TRIED = 64  # trials of values for free quantities
_RELATIONS_LEFT = Memo[RelationSet](most=16)
_REPEATED = 8  # limit on sets of dependent relations that are checked


def cancelled_answer(
    library: RelationSet, question: Question, left_out: Mapping[str, str], carried_out: Collection[str] = ()
) -> PlanResult | None:
    """The cancelled answer to a question: the one in which what is missing cancels; None if there is none.

    What a plan makes of its relations, which are `carried_out` exactly, is all that elimination from them could give.
    """
    for cancellation in _cancellations(library, question, left_out, frozenset(carried_out)):
        result = cancellation.result(search=question.search)
        if result is not None:
            for names in islice(repeated(cancellation.rows, question.target), _REPEATED):
                prove_fit(library, question, names)
            return result
    return None


def has_cancelled_answer(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> bool:
    """Whether a question has a cancelled answer: without what is missing, enough is left to fix the target."""
    return any(cancellation.projection is not None for cancellation in _cancellations(library, question, left_out))


def _cancellations(
    library: RelationSet, question: Question, left_out: Mapping[str, str], carried_out: frozenset[str] = frozenset()
) -> Iterator[_Cancellation]:
    """The relations that may have a cancelled answer, by Jacobians at a random point and at the known numbers.

    If both choose the same relations, these are tried once; those that were carried out are not.
    """
    decisions = decisions_of(library, question)
    tried: list[tuple[str, ...]] = []
    for are_differences, numbers in pairs_of((False, True), (None, question.beside_zeros)):
        skipped = {**dict.fromkeys(question.case.failing, ANOTHER), **left_out}
        while True:
            jacobian = jacobian_of(library, question, frozenset(skipped), numbers, only_combined=True)
            rows = jacobian.of_differences if are_differences else jacobian.of_ratios
            if are_differences and rows is jacobian.of_ratios:
                break
            names = combined(rows, question.target)
            if not names or names in tried:
                break
            relations = [library.relations[name] for name in names if name in library.relations]
            if carried_out == {relation.name for relation in relations}:
                break
            false = {
                relation.name: decisions.whether(relation)
                for relation in relations
                if relation.conditions and decisions.applies(relation) is False
            }
            if not false:
                for relation in relations:
                    if decisions.applies(relation) is None:
                        raise Undecided(relation.name)
                tried.append(names)
                weak = tuple(name.removeprefix("=") for name in names if name not in library.relations)
                known = {name: question.stated_numbers[name] for name in (*question.strong, *weak)}
                beside_zeros = {name: question.beside_zeros[name] for name in known}
                yield _Cancellation(library, question.target, relations, known, beside_zeros, weak, rows, skipped)
                break
            skipped |= false


def prove_fit(library: RelationSet, question: Question, names: Sequence[str]) -> None:
    """Raise if the givens contradict exact relations that are dependent because quantities cancel in them.

    A range is as unknown as what cancels: in its middle alone, terms may vanish that do not elsewhere.
    """
    decisions = decisions_of(library, question)
    relations = [library.relations[name] for name in names if name in library.relations]
    if len(relations) < len(names):
        return
    if any(relation.approximate or decisions.applies(relation) is not True for relation in relations):
        return
    known = {name: number for name, number in question.numbers.items() if name not in question.ranges}
    for equation in required_of_givens(library, names, known):
        if not agrees(equation, known):
            raise _conflict(library, question, names, equation)


def required_of_givens(library: RelationSet, names: Sequence[str], known: Mapping[str, float]) -> Sequence[Equation]:
    """The equations of known names that dependent relations leave where all else cancels; none if it does not."""
    relations = [library.relations[name] for name in names]
    cancellation = _Cancellation(library, "", relations, known, beside_zeros=known)
    written = [relation.written for relation in relations]
    projection = eliminate(written, "", known, cancellation.domains, lambda left: bool(_decided(left, known)))
    return _decided(projection.equations, known) if projection else ()


def _decided(equations: Sequence[Equation], known: Mapping[str, float]) -> list[Equation]:
    """The equations beside a cancelled answer that contain only givens, which satisfy or contradict them."""
    return [equation for equation in equations if known.keys() >= {*equation.names}]


def _conflict(library: RelationSet, question: Question, names: Sequence[str], equation: Equation) -> InconsistentError:
    """The error for givens that contradict an equation which cancellation leaves of some relations."""
    gap = abs(residual(equation, question.numbers))
    involved, deciding = decisions_of(library, question).applying_by(names, Plan(question.target, (), (), ()))
    members = chain.from_iterable(library.members[name] for name in names)
    stated = [f"{name} = {question.strong[name]}" for name in (*members, *deciding) if name in question.strong]
    conflicts = tuple(dict.fromkeys([*involved, *stated]))
    return InconsistentError(
        f"{', '.join(names)}: together they require {equation}, and the sides differ by {gap:.2g} of "
        f"their size. The conflict: {'; '.join(conflicts)}.",
        hint="Change or drop one of the givens, or leave a relation out.",
        conflicts=conflicts,
        gap=gap,
    )


@dataclass(frozen=True)
class _Cancellation:
    """Relations that may have a cancelled answer: they fix a target together, though they hold more unknowns."""

    library: RelationSet
    target: str
    relations: Sequence[Relation]
    known: Mapping[str, float]
    beside_zeros: Mapping[str, float]  # the same numbers, but none that is zero only in the middle of a range
    weak: tuple[str, ...] = ()  # the names whose weak values are known
    rows: Rows = field(default_factory=dict)  # of all relations, from which these were chosen
    left_out: Mapping[str, str] = field(default_factory=dict)

    def result(self, *, search: Search) -> PlanResult | None:
        """The cancelled answer by the equations that elimination leaves; None if elimination fails."""
        projection = self.projection
        if projection is None:
            return None
        outcome = self._states(projection.equations, search=search)
        if outcome is None:
            return None
        states, reason = outcome
        tried = (self._answer_in(projection, state) for state in states)
        answers = tuple(answer for answer in tried if answer is not None)
        if states and not answers:
            return None
        block = Block(tuple(relation.name for relation in self.relations), (self.target,))
        return PlanResult(Plan(self.target, (block,), self.weak, ()), answers, self.left_out, reason)

    @cached_property
    def projection(self) -> Projection | None:
        """The relations without what cancels in them, if they are enough for a cancelled answer; None otherwise."""
        written = [relation.written for relation in self.relations]
        projection = eliminate(written, self.target, self.beside_zeros, self.domains, self._is_enough)
        if projection is not None:
            return projection
        # terms of several unknowns cancel only where their coefficients are numbers
        numeric = [equation.changed(partial(folded, known=self.beside_zeros)) for equation in written]
        return eliminate(numeric, self.target, self.beside_zeros, self.domains, self._is_enough)

    @cached_property
    def domains(self) -> Mapping[str, Domain]:
        """The domains of the unknowns in the relations of a cancelled answer."""
        names = names_in(*(relation.written for relation in self.relations))
        return {name: self.library.declared[name].domain for name in names if name not in self.known}

    def _is_enough(self, equations: Sequence[Equation]) -> bool:
        """Whether, by counting, the equations that elimination leaves fix the target of a cancelled answer."""
        matching = Matching(frozenset(self.known))
        for i, equation in enumerate(equations):
            matching.add(str(i), equation.names)
        return matching.settles(self.target)

    def _states(self, equations: Sequence[Equation], *, search: Search) -> tuple[list[State], str] | None:
        """The states of a cancelled answer by the equations left, and why there are none; None if that is unknown."""
        remaining = _as_relations(self.library, tuple(equations))
        plan = plan_for(remaining, self.target, list(self.known), (), frozenset())
        try:
            states, reason = solved(remaining, plan, State(self.known, search=search))
        except (LimitError, NoSolutionError, UnderdeterminedError):
            stop_if_over()  # another elimination would not help
            return None
        return None if any(self.target not in state.values for state in states) else (states, reason)

    def _answer_in(self, projection: Projection, state: State) -> State | None:
        """The cancelled answer in a state; None if no trial shows that what cancels can exist beside it."""
        eliminated = {name for name, _ in projection.eliminated}
        free = [name for name in self.domains if name not in state.values and name not in eliminated]
        trials = islice(points_across_domains(free, self.known, self.domains), _TRIED)
        if not any(self._fits(projection, {**state.values, **trial}) for trial in trials):
            return None
        form = composed(self.target, state.forms)
        names = " and ".join(free)
        verb = "cancel" if len(free) > 1 else "cancels"
        note = (Assumption(f"{names} {verb}: any value gives the same {self.target}"),) if free else ()
        forms = {}
        if form is not None and self.known.keys() >= {*names_in(form)}:
            forms[self.target] = written_as_product(form)
        return State({**self.known, self.target: state.values[self.target]}, {}, forms, (*note, *state.notes))

    def _fits(self, projection: Projection, values: dict[str, float]) -> bool:
        """Whether values of free quantities lead to values of the eliminated ones that fit a cancelled answer."""
        tick()
        for name, form in reversed(projection.eliminated):
            values[name] = value(form, values)
        if any(values[name] not in domain for name, domain in self.domains.items()):
            return False
        return all(agrees(relation.written, values) for relation in self.relations)


def _as_relations(library: RelationSet, equations: tuple[Equation, ...]) -> RelationSet:
    """The equations left for a cancelled answer as relations, named by their place; cached for all cases."""

    def relation_set() -> RelationSet:
        relations = []
        for place, equation in enumerate(equations):
            declared = {name: library.declared[name] for name in equation.names}
            relations.append(Relation.proved(str(place), equation, declared))
        return RelationSet(relations)

    return _RELATIONS_LEFT.of(library.session, equations, relation_set)


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
    eliminated: list[tuple[str, Node]] = []
    while (spare := elimination.spare_factor(equations, target)) is not None:
        eliminated.append((spare, ONE))
        put_in = partial(replaced, old=Name(spare), new=ONE)
        equations = [equation.changed(put_in) for equation in equations]
    left = [elimination.balanced(equation) for equation in equations]
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
        """An equation as elimination writes it: two products, without common factors that are surely nonzero.

        Terms of both sides in which names cancel are left out.
        """
        left, right = map(self._product, self._without_like_terms(equation).sides)
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

    def _without_like_terms(self, equation: Equation) -> Equation:
        """An equation without what cancels in the difference of its sides, if names do but not all; else unchanged.

        What is left is written with a positive sign, each term on its side.
        """
        if {*names_in(equation.lhs)}.isdisjoint(names_in(equation.rhs)):
            return equation
        difference = self._product(difference_of(equation))
        bases = [base for base in difference.powers if not self.is_nonzero(base)]
        if not bases:  # `a + x = c + x` cannot hold where a and c are known to differ
            bases = [base for base in difference.powers if self.known.keys() >= {*names_in(base)}]
        left_names = {*names_in(*bases)}
        if not left_names or left_names.issuperset(equation.names):
            return equation
        (base, *others) = bases
        if others or difference.powers[base] != 1 or not (isinstance(base, Apply) and base.op == "add"):
            return Equation(written(Product(Fraction(1), {base: difference.powers[base] for base in bases})), "=", ZERO)
        above = [term for term in base.args if not is_negated(term)]
        below = [negated(term) for term in base.args if is_negated(term)]
        return Equation(added(*above), "=", added(*below))

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

    def spare_factor(self, equations: Sequence[Equation], target: str) -> str | None:
        """A name that elimination may take to be 1, since it only multiplies or divides another that may be anything.

        Of `c = b*f` and `s = b*f - a`, with a real b that stands nowhere else, each c and s that is possible is so at
        f = 1: b takes up what f was.
        """
        occurrences: Counter[str] = Counter()
        together: Counter[tuple[Node, str]] = Counter()  # a factor or divisor, and the name beside it
        for node in walk(*chain.from_iterable(equation.sides for equation in equations)):
            if isinstance(node, Name):
                occurrences[node.name] += 1
            elif isinstance(node, Apply) and node.op == "mul":
                for factor, other in permutations(node.args, 2):
                    if isinstance(other, Name) and factor != other:
                        together[factor, other.name] += 1
        for (factor, name), count in together.items():
            base = factor.args[0] if isinstance(factor, Apply) and factor.op == "inv" else factor
            if not isinstance(base, Name) or not {base.name, name}.isdisjoint({target, *self.known}):
                continue
            is_only_here = count == occurrences[base.name] == occurrences[name]
            if is_only_here and self.domains[name].ends == (-inf, inf) and 1.0 in self.domains[base.name]:
                return base.name
        return None

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
