"""Which relations fix a quantity, seen by their slopes: what counting relations and unknowns is blind to.

Near a point at which relations hold, a quantity is fixed by them if its own direction is a combination of their slopes.
For products this is linear algebra on their exponents, the same at every point. Elsewhere one random point speaks for
nearly all: the slopes are taken there exactly, modulo a prime, where a rank is wrong by chance only (Schwartz 1980).
It is a hint where to look, and no proof: what is found has to be worked out, and held against the relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.numbers.clock import tick
from derive.numbers.residues import PRIME, Row, drawn, inverse, residue, scaled, slopes, subtract
from derive.planning.directing import forwards
from derive.planning.plans import standing_in

if TYPE_CHECKING:
    from derive.library import Library
    from derive.solving.asking import Outline, Question

__all__ = ["Rows", "combined", "left_open", "repeated", "rows_of", "spans"]

Rows = dict[str, Row]
"""The slopes of relations by name, and of the weak values, each as `=name`: in the order in which they count."""


def rows_of(
    library: Library, question: Question | Outline, left_out: frozenset[str], numbers: Mapping[str, float] | None = None
) -> Rows:
    """What bears on a question: the slopes of relations, and of weak values, in all that is not given.

    They are taken at a random point; or at one where some names have their numbers, and what follows from these as
    relations are written follows from them, so that a factor may be zero there.
    """
    structure, weak = standing_in(library.structure(left_out), question.target, question.strong, question.weak)
    point, everywhere = _everywhere(library)
    relations = [name for name in structure.reached(question.target, frozenset(question.strong)) if name in everywhere]
    here = {**point, **{name: _whole(number) for name, number in (numbers or {}).items()}}
    moved = set(numbers or ())
    if numbers:
        for name, relation in forwards(structure, relations, moved).items():
            here[name] = residue(library.relations[relation].written.rhs, here)
            moved.add(name)

    def row(relation: str) -> Row:
        found = everywhere[relation]
        if not moved.isdisjoint(found):
            found = slopes(library.relations[relation].written, here) or {}
        return {name: slope for name, slope in found.items() if name not in question.strong}

    late = [name for name in relations if name in structure.rivals]
    first = {name: row(name) for name in relations if name not in late}
    return first | {f"={name}": {name: 1} for name in weak} | {name: row(name) for name in late}


def combined(rows: Rows, target: str) -> tuple[str, ...] | None:
    """The rows of which the target is a combination, of those that come first; None where it is none.

    >>> rows = {"p*V = n*R": {"p": 1, "V": 1, "n": -1}, "m = n*M": {"m": 1, "n": -1},
    ...         "rho = m/V": {"rho": 1, "m": -1, "V": 1}, "=p": {"p": 1}, "z = n": {"z": 1, "n": -1}}
    >>> combined(rows, "rho")
    ('p*V = n*R', 'm = n*M', 'rho = m/V', '=p')
    >>> combined(rows, "n") is None
    True
    """
    basis = _Basis()
    for label, row in _peeled(rows, target).items():
        left, origin = basis.reduced(row, {label: 1})
        if left.keys() == {target}:
            return tuple(label for label in rows if label in origin)
        basis.take(left, origin, target)
    return None


def repeated(rows: Rows, target: str) -> Iterator[tuple[str, ...]]:
    """Rows that make up nothing together: what some of them fix, the others fix again.

    >>> rows = {"a": {"x": 1, "y": 1}, "b": {"y": 1, "z": 1}, "c": {"x": PRIME - 1, "z": 1}, "d": {"w": 1}}
    >>> list(repeated(rows, "w"))
    [('a', 'b', 'c')]
    """
    basis = _Basis()
    for label, row in _peeled(rows, target).items():
        left, origin = basis.reduced(row, {label: 1})
        basis.take(left, origin)
        if not left:
            yield tuple(name for name in rows if name in origin)


def left_open(rows: Rows, names: Iterable[str]) -> Mapping[str, Row]:
    """What rows leave open of some directions: names that fix all of a target's fix the target.

    >>> found = left_open({"rho = m/V": {"rho": 1, "m": -1, "V": 1}, "m": {"m": 1}}, ["rho", "V", "m"])
    >>> sorted(found["rho"]), sorted(found["V"]), found["m"]
    (['V'], ['V'], {})
    """
    basis = _Basis()
    for row in rows.values():
        basis.take(*basis.reduced(row, {}))
    return {name: basis.reduced({name: 1}, {})[0] for name in names}


def spans(rows: Iterable[Row], target: Row) -> bool:
    """Whether a row is a combination of others."""
    basis = _Basis()
    for row in rows:
        basis.take(*basis.reduced(row, {}))
    return not basis.reduced(target, {})[0]


class _Basis:
    """Rows of which each has a leading name that the others lack, and what they were made of."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[Row, Row]] = {}

    def reduced(self, row: Row, origin: Row) -> tuple[Row, Row]:
        """A row without the leading names of the others, and its origin."""
        tick()
        left, made_of = dict(row), dict(origin)
        for name in [name for name in row if name in self.rows]:
            factor = left[name]
            subtract(left, self.rows[name][0], factor)
            subtract(made_of, self.rows[name][1], factor)
        return left, made_of

    def take(self, left: Row, origin: Row, last: str = "") -> None:
        """Take in a row that was reduced; the last name is none to lead with."""
        if not left:
            return
        lead = next((name for name in left if name != last), last)
        share = inverse(left[lead])
        left, origin = scaled(left, share), scaled(origin, share)
        for other, made_of in self.rows.values():
            if lead in other:
                factor = other[lead]
                subtract(other, left, factor)
                subtract(made_of, origin, factor)
        self.rows[lead] = left, origin


def _peeled(rows: Rows, target: str) -> Rows:
    """The rows without those that hold something that no other row holds: no combination can take that off again."""
    kept = dict(rows)
    holders: dict[str, set[str]] = {}
    for label, row in rows.items():
        for name in row:
            holders.setdefault(name, set()).add(label)
    pending = [name for name, labels in holders.items() if len(labels) == 1 and name != target]
    while pending:
        for label in list(holders[pending.pop()]):
            for name in kept.pop(label):
                holders[name].discard(label)
                if len(holders[name]) == 1 and name != target:
                    pending.append(name)
    return kept


def _everywhere(library: Library) -> tuple[Mapping[str, int], Rows]:
    """A random point, and the slopes of all equations there; the relations hold there as far as they run forwards."""

    def made() -> tuple[Mapping[str, int], Rows]:
        structure = library.structure()
        point = {name: drawn(name) for name in structure.holders}
        free = set(structure.holders) - set(structure.forward.values())
        for name, relation in forwards(structure, list(structure.members), free).items():
            point[name] = residue(library.relations[relation].written.rhs, point) or point[name]
        found = {name: slopes(library.relations[name].written, point) for name in structure.members}
        return point, {name: row for name, row in found.items() if row is not None}

    both: tuple[Mapping[str, int], Rows] = library.slopes.of("everywhere", made)
    return both


def _whole(number: float) -> int:
    """A number, exactly, as a whole one modulo the prime."""
    exact = Fraction(number)
    return exact.numerator * inverse(exact.denominator) % PRIME
