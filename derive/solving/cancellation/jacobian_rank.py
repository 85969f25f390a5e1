"""Which relations fix a quantity, by the rank of their Jacobian at a random point.

Near a solution of the relations, they fix a quantity if its unit vector is a combination of their gradients. For
products this is linear algebra on exponents, the same at every point. Otherwise one random point represents nearly
all: the gradients are computed there exactly, modulo a prime, where a rank is wrong only by chance (Schwartz 1980).
The result is a hint and no proof: the answer still has to be computed and checked against the relations.

Nearly all rows hold a name of their own and are peeled off first: of the 660 of the built-in library some 40 are
left. Eliminating them takes 0.5 ms here and in FLINT's `nmod_mat`, which does not return the combination of rows.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from derive.caches import Memo, numbers_as_key
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.modular import PRIME, Row, Slopes, drawn, inverse, residue, scaled, slopes, subtract
from derive.planning.basis import basis_of
from derive.planning.directions import forwards
from derive.planning.incidence import Occurrences, core_of, structure_of
from derive.time_limits import tick
from quantities.rational import exact_of

if TYPE_CHECKING:
    from derive.planning.incidence import Structure
    from derive.solving.execution.question import Outline, Question

Rows = dict[str, Row]
"""The slopes of relations by name, and of the weak values, each as `=name`: in the order in which they count."""


class Jacobian(NamedTuple):
    """The Jacobian of a question, by the two ways to write relations that may not hold at its point.

    How such a relation is written decides which terms cancel: in ratios of its sides, or in their difference, if it
    holds a sum.
    """

    of_ratios: Rows
    of_differences: Rows  # the same rows where no such relation holds a sum

    @property
    def forms(self) -> Sequence[Rows]:
        """The rows in both ways, or once where they are the same."""
        return (self.of_ratios,) if self.of_differences is self.of_ratios else self


_JACOBIANS = Memo[Jacobian](most=16)  # one error message needs the same rows several times
_SLOPES = Memo[Slopes | None](most=4096)  # trials of one question move few numbers
_EVERYWHERE = Memo[tuple[Mapping[str, int], Mapping[str, Slopes]]](most=1)


def jacobian_of(
    library: RelationSet,
    question: Question | Outline,
    left_out: frozenset[str],
    numbers: Mapping[str, float] | None = None,
    *,
    only_combined: bool = False,
) -> Jacobian:
    """The Jacobian of a question: the slopes of relations and of weak values in all that is not given.

    The point is random, or has known numbers for some names and for what follows from them in the direction relations
    are written, so that a factor may be zero there. Relations that cannot run forwards may not hold at the point.

    Where rows are only to be combined, those of the core are enough (`structure_of_combined`); not so for how names
    move.
    """
    names = question.target, frozenset(question.strong), tuple(question.weak), question.stated
    key = (*names, left_out, numbers_as_key(numbers or {}), only_combined)

    def jacobian() -> Jacobian:
        if not only_combined:
            return _jacobian(library, question, structure_of(library, left_out, question.stated), numbers)
        named = (question.target, *question.strong, *question.weak)
        # a name of its own may cancel in a difference, also at the random point
        graph = structure_of_combined(library, named, left_out, question.stated, is_generic=False)
        return _jacobian(library, question, graph, numbers)

    return _JACOBIANS.of(library.session, key, jacobian)


def structure_of_combined(
    library: RelationSet,
    names: Iterable[str],
    left_out: frozenset[str],
    stated: frozenset[str] = frozenset(),
    *,
    is_generic: bool,
) -> Structure:
    """The relations whose rows of the Jacobian may be combined: each one left out holds a name of its own.

    At known numbers its slope in that name may be zero, unless the relation is written for it.
    """
    unwritten = () if is_generic else library.declared.keys() - structure_of(library).forward.values()
    core = core_of(library, (*names, *unwritten))
    return core.structure(left_out & core.decisive, stated)


def _jacobian(
    library: RelationSet, question: Question | Outline, graph: Structure, numbers: Mapping[str, float] | None
) -> Jacobian:
    """The Jacobian for a structure's relations and for the weak values in use: rival relations count last."""
    base = basis_of(graph, question.target, question.strong, question.weak)
    structure, weak = base.structure, base.weak
    at_point = _slopes_at(library, structure, base.relations, numbers or {})

    def rows(slopes_by_name: Rows) -> Rows:
        without = _without_known(slopes_by_name, question.strong)
        late = {name: row for name, row in without.items() if name in structure.rivals}
        first = {name: row for name, row in without.items() if name not in late}
        return first | {f"={name}": {name: 1} for name in weak} | late

    of_ratios = rows({name: its.of_ratio for name, its in at_point.items()})
    if all(its.of_difference is its.of_ratio for its in at_point.values()):
        return Jacobian(of_ratios, of_ratios)
    return Jacobian(of_ratios, rows({name: its.of_difference for name, its in at_point.items()}))


def _slopes_at(
    library: RelationSet, structure: Structure, names: Sequence[str], numbers: Mapping[str, float]
) -> Mapping[str, Slopes]:
    """The slopes of relations at the random point, but with these numbers and what follows from them."""
    point, everywhere = _everywhere(library)
    relations = [name for name in names if name in everywhere]
    if not numbers:
        return {name: everywhere[name] for name in relations}
    values = {**point, **{name: _residue_of_number(number) for name, number in numbers.items()}}
    moved = set(numbers)
    for name, relation in forwards(structure, relations, moved).items():
        values[name] = residue(library.relations[relation].written.rhs, values)
        moved.add(name)

    def slopes_of(name: str) -> Slopes:
        """The slopes of one relation, computed anew only if the point is another one for it."""
        its = everywhere[name]
        if moved.isdisjoint(its.of_ratio) and moved.isdisjoint(its.of_difference):
            return its
        point = tuple([values[member] for member in structure.members[name]])
        equation = library.relations[name].written
        at_values = _SLOPES.of(library.session, (name, point), lambda: slopes(equation, values))
        return at_values or Slopes({}, {})

    return {name: slopes_of(name) for name in relations}


def _rows_at(library: RelationSet, structure: Structure, names: Sequence[str], numbers: Mapping[str, float]) -> Rows:
    """The rows of relations, as ratios of their sides, at the random point, but with these numbers and what follows."""
    return {name: its.of_ratio for name, its in _slopes_at(library, structure, names, numbers).items()}


def _without_known(rows: Rows, known: Container[str]) -> Rows:
    """The rows of a Jacobian without the slopes in known names."""
    return {
        label: {n: slope for n, slope in row.items() if n not in known} if any(n in known for n in row) else row
        for label, row in rows.items()
    }


def combined(rows: Rows, target: str) -> tuple[str, ...] | None:
    """The first rows of a Jacobian of which the target's unit vector is a combination; None if there are none.

    >>> rows = {"p*V = n*R": {"p": 1, "V": 1, "n": -1}, "m = n*M": {"m": 1, "n": -1},
    ...         "rho = m/V": {"rho": 1, "m": -1, "V": 1}, "=p": {"p": 1}, "z = n": {"z": 1, "n": -1}}
    >>> combined(rows, "rho")
    ('p*V = n*R', 'm = n*M', 'rho = m/V', '=p')
    >>> combined(rows, "n") is None
    True
    """
    sums = (origin for remainder, origin in _reduced(rows, target) if remainder.keys() == {target})
    return next((tuple(label for label in rows if label in origin) for origin in sums), None)


def repeated(rows: Rows, target: str) -> Iterator[tuple[str, ...]]:
    """Minimal sets of dependent rows of a Jacobian: some of the rows fix again what the others fix.

    >>> rows = {"a": {"x": 1, "y": 1}, "b": {"y": 1, "z": 1}, "c": {"x": PRIME - 1, "z": 1}, "d": {"w": 1}}
    >>> list(repeated(rows, "w"))
    [('a', 'b', 'c')]
    """
    for remainder, origin in _reduced(rows, target):
        if not remainder:
            yield tuple(name for name in rows if name in origin)


def _reduced(rows: Rows, target: str) -> Iterator[tuple[Row, Row]]:
    """Each row of a Jacobian reduced by the rows before it, and the combination of the given rows that equals it.

    Rows that hold a name of their own are left out, unless it is the target: no combination can cancel such a name.
    """
    basis = _Basis()
    kept, _ = _without_own_names(rows, target)
    for label, row in kept.items():
        remainder, origin = basis.reduced(row, {label: 1})
        yield remainder, origin
        basis.take(remainder, origin, target)


def tied(library: RelationSet, question: Question) -> list[str]:
    """The givens in exact relations with dependent rows of the Jacobian: other givens may fix them at other values.

    Such a given is a combination of rows, so once it is known the combination is zero.
    """
    strong = question.strong
    relations = library.relations.items()
    exact = [name for name, relation in relations if relation.approximate is None and not relation.conditions]
    zeros = dict.fromkeys(question.zeros, 0.0)
    rows = _without_known(_rows_at(library, structure_of(library), exact, zeros), strong)
    rows |= {f"={name}": {name: 1} for name, value in question.weak.items() if value.source.kind == "exact"}
    dependent = {*chain.from_iterable(repeated(rows, ""))}
    members = {*chain.from_iterable(library.members.get(label, ()) for label in dependent)}
    return [name for name in strong if name in members]


def repeated_among(
    library: RelationSet, structure: Structure, given: Iterable[str], numbers: Mapping[str, float]
) -> Iterator[tuple[str, ...]]:
    """Minimal sets of relations with dependent rows once these names are given, some of them with numbers.

    As ratios of their sides `x = a*s` and `x = c*s` are dependent in x and s, and as differences `x = a + s` and
    `x = c + s`.
    """
    known = frozenset(given)
    slopes_at_point = _slopes_at(library, structure, list(structure.members), numbers)
    of_ratios = {name: its.of_ratio for name, its in slopes_at_point.items()}
    of_differences = {name: its.of_difference for name, its in slopes_at_point.items()}
    in_ratios = list(repeated(_without_known(of_ratios, known), ""))
    yield from in_ratios
    if of_differences != of_ratios:
        others = repeated(_without_known(of_differences, known), "")
        yield from (names for names in others if names not in in_ratios)


def moving_beside(
    library: RelationSet, structure: Structure, given: Iterable[str], numbers: Mapping[str, float]
) -> frozenset[str]:
    """The names that the relations of a structure leave free to move once these are given, some of them with numbers.

    A relation whose slopes are unknown is taken to tie all its names.
    """
    rows = _rows_at(library, structure, list(structure.members), numbers)
    for relation, members in structure.members.items():
        if not rows.get(relation):
            rows[relation] = {name: drawn(f"{relation} {name}") for name in members}
    return frozenset(next(directions(_without_known(rows, frozenset(given)))))


def directions(rows: Rows) -> Iterator[Row]:
    """Random directions of the null space of a Jacobian, without end; names that do not move are left out.

    A row with a name of its own determines how that name moves, whatever the others do, and comes last. A basis of
    the few remaining rows determines the rest.

    >>> moves = directions({"rho = m/V": {"rho": 1, "m": -1, "V": 1}, "=m": {"m": 1}})
    >>> first, second = next(moves), next(moves)
    >>> "m" in first, (first["rho"] + first["V"]) % PRIME, first["V"] == second["V"]
    (False, 0, False)
    """
    kept, last = _without_own_names(rows)
    basis = _Basis()
    for row in kept.values():
        basis.take(*basis.reduced(row, {}))
    taken = [*((lead, row) for lead, (row, _) in basis.rows.items()), *reversed(last)]
    shares = {lead: -inverse(row[lead]) for lead, row in taken}
    free = sorted({*chain.from_iterable(rows.values())} - shares.keys())
    for turn in count():
        moves = {name: drawn(f"{turn} {name}") for name in free}
        for lead, row in taken:
            moves[lead] = 0
            moves[lead] = shares[lead] * sum(slope * moves[name] for name, slope in row.items()) % PRIME
        yield {name: number for name, number in moves.items() if number}


class _Basis:
    """Rows of a Jacobian, each with a leading name that the others lack, and the given rows combined in it."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[Row, Row]] = {}

    def reduced(self, row: Row, origin: Row) -> tuple[Row, Row]:
        """A row of a Jacobian without the leading names of the others, and its combination of given rows."""
        tick()
        remainder, combination = dict(row), dict(origin)
        for name in [name for name in row if name in self.rows]:
            factor = remainder[name]
            basis_row, its_combination = self.rows[name]
            subtract(remainder, basis_row, factor)
            subtract(combination, its_combination, factor)
        return remainder, combination

    def take(self, remainder: Row, origin: Row, last: str = "") -> None:
        """Add a reduced row of a Jacobian; the name `last` leads only if there is no other."""
        if not remainder:
            return
        lead = next((name for name in remainder if name != last), last)
        share = inverse(remainder[lead])
        remainder, origin = scaled(remainder, share), scaled(origin, share)
        for other, combination in self.rows.values():
            if lead in other:
                factor = other[lead]
                subtract(other, remainder, factor)
                subtract(combination, origin, factor)
        self.rows[lead] = remainder, origin


def _without_own_names(rows: Rows, target: str = "") -> tuple[Rows, list[tuple[str, Row]]]:
    """Split a Jacobian's rows into those that share all names but the target, and those with a name of their own."""
    own_names = Occurrences.of(rows).lone((target,))
    kept = {label: row for label, row in rows.items() if label not in own_names}
    return kept, [(name, rows[label]) for label, name in own_names.items()]


def _everywhere(library: RelationSet) -> tuple[Mapping[str, int], Mapping[str, Slopes]]:
    """The slopes of all equations, and their random point, where relations hold as far as they run forwards."""

    def point_and_slopes() -> tuple[Mapping[str, int], Mapping[str, Slopes]]:
        """Draw the random point of the Jacobian, follow relations forwards from it, and compute all slopes there."""
        structure = structure_of(library)
        point = {name: drawn(name) for name in structure.holders}
        free = set(structure.holders) - set(structure.forward.values())
        for name, relation in forwards(structure, list(structure.members), free).items():
            point[name] = residue(library.relations[relation].written.rhs, point) or point[name]
        of_all = {name: slopes(library.relations[name].written, point) for name in structure.members}
        return point, {name: its for name, its in of_all.items() if its is not None}

    return _EVERYWHERE.of(library.session, "", point_and_slopes)


def _residue_of_number(number: float) -> int:
    """A number of the Jacobian's point, exactly, as an integer modulo the prime."""
    written = exact_of(number)
    exact = Fraction(number) if written is None else written
    return exact.numerator * inverse(exact.denominator) % PRIME
