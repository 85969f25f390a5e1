"""Which relations fix a quantity, seen by their slopes: what counting relations and unknowns is blind to.

Near a point at which relations hold, a quantity is fixed by them if its own direction is a combination of their slopes.
For products this is linear algebra on their exponents, the same at every point. Elsewhere one random point speaks for
nearly all: the slopes are taken there exactly, modulo a prime, where a rank is wrong by chance only (Schwartz 1980).
It is a hint where to look, and no proof: what is found has to be worked out, and held against the relations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.numbers.clock import tick
from derive.numbers.residues import PRIME, Row, drawn, inverse, residue, scaled, slopes, subtract
from derive.planning.directing import forwards
from derive.planning.plans import basis_of

if TYPE_CHECKING:
    from derive.library import Library
    from derive.solving.asking import Outline, Question

__all__ = ["Rows", "combined", "directions", "repeated", "rows_of"]

Rows = dict[str, Row]
"""The slopes of relations by name, and of the weak values, each as `=name`: in the order in which they count."""


def rows_of(
    library: Library, question: Question | Outline, left_out: frozenset[str], numbers: Mapping[str, float] | None = None
) -> Rows:
    """What bears on a question: the slopes of relations, and of weak values, in all that is not given.

    They are taken at a random point; or at one where some names have their numbers, and what follows from these as
    relations are written follows from them, so that a factor may be zero there.
    """
    key = (question.target, frozenset(question.strong), tuple(question.weak), left_out, tuple((numbers or {}).items()))
    found: Rows = library.rows.of(key, lambda: _rows(library, question, left_out, numbers))
    return found


def _rows(
    library: Library, question: Question | Outline, left_out: frozenset[str], numbers: Mapping[str, float] | None
) -> Rows:
    base = basis_of(library.structure(left_out), question.target, question.strong, question.weak)
    structure, weak = base.structure, base.weak
    point, everywhere = _everywhere(library)
    relations = [name for name in base.relations if name in everywhere]
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


def directions(rows: Rows, count: int) -> list[Row]:
    """Random directions in which everything may move while all rows hold; what does not move is left out.

    A row that alone holds some name says how that name moves, whatever the others do, and comes last. Of the few rows
    that remain a basis does.

    >>> one, other = directions({"rho = m/V": {"rho": 1, "m": -1, "V": 1}, "=m": {"m": 1}}, 2)
    >>> "m" in one, (one["rho"] + one["V"]) % PRIME, one["V"] == other["V"]
    (False, 0, False)
    """
    moving = _unfixed(rows)
    kept, last = _leaves(moving)
    basis = _Basis()
    for row in kept.values():
        basis.take(*basis.reduced(row, {}))
    taken = [*((lead, row) for lead, (row, _) in basis.rows.items()), *reversed(last)]
    shares = {lead: -inverse(row[lead]) for lead, row in taken}
    free = sorted({name for row in moving.values() for name in row} - shares.keys())
    found = []
    for turn in range(count):
        moves = {name: drawn(f"{turn} {name}") for name in free}
        for lead, row in taken:
            moves[lead] = 0
            moves[lead] = shares[lead] * sum(slope * moves[name] for name, slope in row.items()) % PRIME
        found.append({name: number for name, number in moves.items() if number})
    return found


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


def _unfixed(rows: Rows) -> Rows:
    """The rows without the names that a row fixes by itself, one after the other."""
    holders = _holders(rows)
    left = {label: dict(row) for label, row in rows.items()}
    pending = [label for label, row in left.items() if len(row) == 1]
    while pending:
        for name in list(left[pending.pop()]):
            for label in holders[name]:
                left[label].pop(name, None)
                if len(left[label]) == 1:
                    pending.append(label)
    return {label: row for label, row in left.items() if row}


def _peeled(rows: Rows, target: str) -> Rows:
    """The rows without those that hold something that no other row holds: no combination can take that off again."""
    return _leaves(rows, target)[0]


def _leaves(rows: Rows, target: str = "") -> tuple[Rows, list[tuple[str, Row]]]:
    """The rows of which every name but the target stands in others too; the rest, each with a name of its own."""
    kept, last = dict(rows), []
    holders = _holders(rows)
    pending = [name for name, labels in holders.items() if len(labels) == 1 and name != target]
    while pending:
        own = pending.pop()
        for label in list(holders[own]):
            row = kept.pop(label)
            last.append((own, row))
            for name in row:
                holders[name].discard(label)
                if len(holders[name]) == 1 and name != target:
                    pending.append(name)
    return kept, last


def _holders(rows: Rows) -> dict[str, set[str]]:
    holders: dict[str, set[str]] = {}
    for label, row in rows.items():
        for name in row:
            holders.setdefault(name, set()).add(label)
    return holders


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
