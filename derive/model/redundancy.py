"""Redundant relations: identities, duplicates, and cycles that determine nothing.

Two equations are the same if one is a nonzero multiple of the other. Brought to one side and over one denominator, an
equation is a sum of terms, each a coefficient and powers of atoms; divided by its first coefficient and by the powers
common to all its terms, it has one normal form. An atom is a quantity, pi, or a function of terms (exp, max, a power
with a symbolic exponent). The arithmetic is in fractions, so different equations never look the same; expressions too
long to expand are skipped.

    a = 2*b,  b = a/2            a - 2*b, both
    y = x/(a + b),  x = y*(a + b)     a*y + b*y - x, both
    a = a                        no term at all

A cycle has as many equations as quantities, one of which follows from the others: linear equations are compared by
their coefficients, products by their exponents. Shortcuts (P = V*I and P = V**2/R beside V = I*R) have more
quantities than equations, leave some of them free, and are sound; so is the same formula under other conditions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import chain
from typing import Any, NamedTuple

from flint import fmpz

from derive.errors import Problem
from derive.expressions.arithmetic import UNIT, Fold, NoElement, Sum, arithmetic_of_sums, joined, plus, power_of, times
from derive.expressions.tree import Apply, Name, Node, walk
from derive.model.relation import Relation

_MOST_TERMS = 200  # limit on terms of an expanded equation
_MOST_EXPANDED = 6  # limit on the power to which a sum is expanded
_MOST_IN_CORE = 300  # limit on relations among which cycles are sought

_Row = dict[Any, Fraction]
_PRIMES = 1229  # limit on primes that are tried as factors: those below ten thousand


class _Atom(NamedTuple):
    """A factor of a term: a quantity by its name, pi, a sum, or a function of sums, by its operation."""

    kind: str  # name, pi, sum, or an operation
    parts: tuple[Any, ...]


def redundant(relations: Sequence[Relation]) -> Iterator[Problem]:
    """A problem for each redundant relation: an identity, a duplicate of an earlier relation, or the last of a cycle.

    >>> from derive.model.relation import relate
    >>> from quantities.declaration import Declaration
    >>> a, b = Declaration("a", "m"), Declaration("b", "m")
    >>> stated = [relate(name, text, quantities=[a, b]) for name, text in (("one", "a = 2*b"), ("two", "b = a/2"))]
    >>> print(next(redundant(stated)).message)
    it is the same as one.
    """
    members = {relation.name: frozenset(relation.written.names) for relation in relations}
    counts = Counter(members.values())
    unconditional = [relation.name for relation in relations if relation.is_equation and not relation.conditions]
    core = _core({name: members[name] for name in unconditional})
    in_cycles = core if len(core) <= _MOST_IN_CORE else []
    seen: dict[object, str] = {}  # the first relation of each normal form
    expanded: dict[str, tuple[Relation, Sum]] = {}
    for relation in relations:
        may_repeat = counts[members[relation.name]] > 1 or relation.name in in_cycles
        terms = _canonical(relation) if may_repeat or _may_cancel(relation) else None  # expanding takes time
        if terms is None:
            continue
        if not terms:
            hint = "State what fixes one of its quantities, or leave it out."
            what = "it is an identity: both sides are the same for all values."
            yield Problem(relation.name, line=0, message=what, hint=hint)
        elif relation.is_equation:
            key = (_normalized(_product_row(relation, terms) or terms), frozenset(relation.when))
            if other := seen.get(key):
                hint = f"Leave out {other} or {relation.name}: either one gives any of its quantities."
                yield Problem(relation.name, line=0, message=f"it is the same as {other}.", hint=hint)
            else:
                seen[key] = relation.name
                expanded[relation.name] = (relation, terms)
    yield from _cycles([expanded[name] for name in in_cycles if name in expanded])


def _may_cancel(relation: Relation) -> bool:
    """Whether a relation may be redundant as an identity: every quantity of it occurs twice or more."""
    counts = Counter(part.name for part in walk(*relation.written.sides) if isinstance(part, Name))
    return all(count > 1 for count in counts.values())


def _normalized(row: Mapping[Any, Fraction]) -> frozenset[tuple[object, Fraction]]:
    """An equation's coefficients divided by one of them, so that redundant multiples give the same row."""
    first = row[min(row, key=hash)]
    return frozenset((column, factor / first) for column, factor in row.items())


# One side, expanded


def _canonical(relation: Relation) -> Sum | None:
    """The difference of a relation's sides in a normal form that shows redundant relations; None if too long."""
    written = relation.written
    expansion = _Expansion(frozenset(name for name in relation.declared if _is_positive(relation, name)))
    try:
        terms = expansion.cleared(plus(expansion.terms(written.lhs), expansion.terms(written.rhs), -1))
    except (NoElement, OverflowError, ZeroDivisionError):
        return None
    shared = {atom: -power for atom, power in _lowest(terms).items() if power < 0 or expansion.is_positive(atom)}
    return {joined(monomial, shared): factor for monomial, factor in terms.items()}


class _Expansion:
    """Trees as sums of terms; a sum in a denominator or under a root is an atom, which holds its terms."""

    def __init__(self, positive: frozenset[str]) -> None:
        self.positive = positive

    def is_positive(self, atom: _Atom) -> bool:
        return atom.kind == "pi" or (atom.kind == "name" and atom.parts[0] in self.positive)

    def terms(self, node: Node) -> Sum:
        """A side of a relation as a sum of terms, to see if it is redundant; NoElement if it has too many."""
        powers = {
            "inv": lambda node, part: self._power(part(node.args[0]), Fraction(-1)),
            "sqrt": lambda node, part: self._power(part(node.args[0]), Fraction(1, 2)),
            "pow": self._raised,
        }
        sums = arithmetic_of_sums(_MOST_TERMS, powers, _function)
        terms: Sum = sums.fold(node, lambda name: power_of(_Atom("name", (name,))))
        return terms

    def _raised(self, node: Apply, part: Fold) -> Sum:
        """A power in the normal form that shows redundant relations: of a sum, or an atom."""
        exponent: Sum = part(node.args[1])
        if exponent.keys() <= {UNIT}:
            return self._power(part(node.args[0]), exponent.get(UNIT, Fraction(0)))
        return _function(node, part)

    def _power(self, base: Sum, power: Fraction) -> Sum:
        """A power of a sum in the normal form that shows redundant relations: multiplied out, or made an atom."""
        if not base:
            if power <= 0:
                raise ZeroDivisionError
            return {}
        if len(base) == 1:
            ((monomial, factor),) = base.items()
            raised = frozenset((atom, exponent * power) for atom, exponent in monomial if exponent * power)
            if power.denominator == 1 and abs(power) <= _MOST_TERMS:
                return {raised: factor ** int(power)}
            is_known = factor > 0 and all(self.is_positive(atom) for atom, _ in monomial)
            if is_known and (root := _root(factor, power)) is not None:
                return {raised: root}
        atom = _Atom("sum", (frozenset(base.items()),))
        if power.denominator == 1 and 0 < power <= _MOST_EXPANDED:
            return _written_out(power_of(atom, power))
        return power_of(atom, power)

    def cleared(self, terms: Sum) -> Sum:
        """The terms of an equation over one denominator, so that it can be seen to be redundant."""
        for _ in range(_MOST_EXPANDED):
            denominators = {atom: -power for atom, power in _lowest(terms).items() if atom.kind == "sum" and power < 0}
            if not denominators:
                break
            terms = _written_out({joined(monomial, denominators): factor for monomial, factor in terms.items()})
        return terms


def _written_out(terms: Sum) -> Sum:
    """The terms of a normal form that shows redundant relations, with small powers of sums multiplied out."""
    total: Sum = {}
    for monomial, factor in terms.items():
        factors: list[Sum] = [{UNIT: factor}]
        for atom, power in monomial:
            is_whole = atom.kind == "sum" and power.denominator == 1 and 0 < power <= _MOST_EXPANDED
            factors += [dict(atom.parts[0])] * int(power) if is_whole else [power_of(atom, power)]
        total = plus(total, reduce(partial(times, most=_MOST_TERMS), factors))
    return total


def _lowest(terms: Sum) -> dict[_Atom, Fraction]:
    """The lowest power of each atom in an equation that may be redundant: common to all terms, or in a denominator."""
    monomials = [dict(monomial) for monomial in terms]
    atoms = dict.fromkeys(chain.from_iterable(monomials))
    return {atom: min(powers.get(atom, Fraction(0)) for powers in monomials) for atom in atoms}


def _function(node: Apply, part: Fold) -> Sum:
    """The atom for an operation such as exp or max in the normal form that shows redundant relations."""
    if node.op == "pi":
        return power_of(_Atom("pi", ()))
    arguments: Iterable[object] = (frozenset(part(arg).items()) for arg in node.args)
    is_symmetric = node.op in ("max", "min", "and", "or")
    return power_of(_Atom(node.op, (frozenset(arguments),) if is_symmetric else tuple(arguments)))


def _root(number: Fraction, power: Fraction) -> Fraction | None:
    """The power of a positive coefficient in the form that shows redundant relations, if it is rational; or None."""
    roots = []
    for integer in (number.numerator, number.denominator):
        base = round(integer ** (1 / power.denominator)) if integer < 10**15 else 0
        if base**power.denominator != integer:
            return None
        roots.append(Fraction(base))
    if abs(power.numerator) > _MOST_TERMS:
        return None
    above, below = roots
    return (above / below) ** power.numerator


# Cycles


def _cycles(stated: Sequence[tuple[Relation, Sum]]) -> Iterator[Problem]:
    """A problem for each redundant relation that closes a cycle among linear equations, or among products."""
    reported: set[str] = set()
    for row_of in (_linear_row, _product_row):
        rows = {relation.name: row for relation, terms in stated if (row := row_of(relation, terms)) is not None}
        names = {name: frozenset(_quantities_in(row)) for name, row in rows.items()}
        for cycle in _dependent({name: rows[name] for name in _core(names)}):
            *others, last = cycle
            quantities = frozenset[str]().union(*(names[name] for name in cycle))
            if len(quantities) <= len(cycle) and last not in reported:
                reported.add(last)
                what = f"it goes in a circle with {', '.join(others)}: it follows from them and fixes nothing."
                hint = f"Leave out {last}, or state something else about its quantities."
                yield Problem(last, line=0, message=what, hint=hint)


def _linear_row(relation: Relation, terms: Sum) -> _Row | None:
    """The coefficients of a linear relation, its constant included, to find redundant ones; None of any other."""
    for monomial in terms:
        if any(atom.kind not in ("name", "pi") for atom, _ in monomial):
            return None
        powers = [power for atom, power in monomial if atom.kind == "name"]
        if powers not in ([], [1]):
            return None
    return terms


def _product_row(relation: Relation, terms: Sum) -> _Row | None:
    """The exponents of an equation of two products, its number's primes included, to find redundant ones; or None."""
    if len(terms) != 2:
        return None
    (left, left_factor), (right, right_factor) = terms.items()
    ratio = -right_factor / left_factor
    exponents = joined(left, {atom: -power for atom, power in right})
    if ratio <= 0 or any(atom.kind not in ("name", "pi") for atom, _ in exponents):
        return None
    if any(not _is_positive(relation, str(atom.parts[0])) for atom, _ in exponents if atom.kind == "name"):
        return None
    row: _Row = dict(exponents)
    for integer, sign in ((ratio.numerator, -1), (ratio.denominator, 1)):
        for prime, count in fmpz(integer).factor(trial_limit=_PRIMES):  # a rest without small factors is one of them
            row[int(prime)] = row.get(int(prime), Fraction(0)) + sign * count
    return row


def _is_positive(relation: Relation, name: str) -> bool:
    domain = relation.declared[name].domain
    return domain.low > 0 or (domain.low == 0 and domain.open_low)


def _quantities_in(row: _Row) -> Iterator[str]:
    """The names of the quantities in the row of an equation that may be redundant, out of its columns."""
    for column in row:
        if not isinstance(column, int):
            atoms = [column] if isinstance(column, _Atom) else [atom for atom, _ in column]
            yield from (atom.parts[0] for atom in atoms if atom.kind == "name")


def _core(names: Mapping[str, frozenset[str]]) -> list[str]:
    """The relations that can be redundant in a cycle: each of their quantities occurs in another one of them."""
    remaining = dict(names)
    relations_of: dict[str, set[str]] = {}
    for relation, members in names.items():
        for name in members:
            relations_of.setdefault(name, set()).add(relation)
    removable = [next(iter(relations)) for relations in relations_of.values() if len(relations) == 1]
    while removable:
        relation = removable.pop()
        for name in remaining.pop(relation, ()):
            relations_of[name].discard(relation)
            if len(relations_of[name]) == 1:
                removable += relations_of[name]
    return list(remaining)


def _dependent(rows: Mapping[str, _Row]) -> Iterator[list[str]]:
    """The smallest sets of equations, as rows, whose last one is redundant beside the others, by exact elimination."""
    pivots: dict[object, tuple[_Row, dict[str, Fraction]]] = {}
    for name, given in rows.items():
        row, combination = dict(given), {name: Fraction(1)}  # of which rows this one is the sum, with what factors
        while pivot := next((column for column in row if column in pivots), None):
            pivot_row, pivot_combination = pivots[pivot]
            factor = row[pivot] / pivot_row[pivot]
            row = plus(row, pivot_row, -factor)
            combination = plus(combination, pivot_combination, -factor)
        if row:
            pivots[next(iter(row))] = (row, combination)
        else:
            yield [other for other in rows if other in combination]
