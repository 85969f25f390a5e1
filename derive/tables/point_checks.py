"""Failed checks and unused givens, point by point: the solver judges, and arithmetic extends its verdicts.

The checks of an answer can change between two points only where one of their inputs does: the sign of a checked
relation's residual, the side of a weak value on which the computed number lies, a condition, or the existence of an
answer. Compiled lines compute these signs at all points, beside the target, and points with equal signs form one
pattern. For each pattern the solver is called at a few points far apart, and its verdict there holds for the pattern.
So a verdict is always the solver's own. Where its verdicts on one pattern differ, it is called at every point of it;
if there are too many, the compiled signs of the checks in question decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

import numpy

from derive.expressions.tree import Node, names_in
from derive.kernels.agreement import GivensTest, gap_of, gaps_beside, outside, tested
from derive.kernels.backends.emitter import Writer
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block
from derive.solving.case_trees import Cases, End
from derive.solving.diagnosis.domain_violations import is_searched, leaving
from derive.tables.point_values import PointFunction, Recipe, Values
from derive.tolerances import AGREEMENT

# The codes of signs. For a relation: it holds, fails, is undefined, has a quantity without a number, or holds only
# because of a range among the stated values. For a condition, the first three are true, false and undefined. For a
# number that replaced a weak value: it agrees with that, lies within its range, or lies outside (1).
_HOLDS, _FAILS, _UNDEFINED, _UNKNOWN, _WITHIN = range(5)


@dataclass(frozen=True)
class Sign:
    """What is tested at each point, and the function that yields its codes."""

    name: str
    function: PointFunction
    is_relation: bool = False

    def depends(self, values: Values, elsewhere: Values) -> bool:
        """Whether some quantity that the sign of a check reads has other numbers among other values."""
        pairs = ((source.read(values), source.read(elsewhere)) for source in self.function.sources)
        return any(not numpy.array_equal(here, there, equal_nan=True) for here, there in pairs)

    def codes(self, values: Values) -> Any:
        """The code of a check's sign at each point, as an array that broadcasts to the axes."""
        return numpy.asarray(self.function.at(values), dtype=numpy.int8)


def _sign(
    recipe: Recipe, name: str, names: Sequence[str], judge: Callable[..., Any], is_relation: bool = False
) -> Sign | None:
    """An input of checks as a sign at each point, unknown where a quantity has no number; None if one has no source."""
    sources = recipe.sources(names, with_stated=True)
    if sources is None:
        return None

    def codes(*numbers: Any) -> Any:
        missing: Any = False
        for column in numbers:
            missing = missing | numpy.isnan(column)
        return numpy.where(missing, _UNKNOWN, judge(*numbers))

    return Sign(name, PointFunction(sources, codes), is_relation)


def _sign_of_gap(recipe: Recipe, name: str, test: GivensTest, is_relation: bool = False) -> Sign | None:
    """The sign of points that tells whether a check fails by a test of givens; None if a quantity has no source."""
    names, gap = test

    def judge(*numbers: Any) -> Any:
        gaps = gap(*numbers)
        return numpy.where(numpy.isfinite(gaps), numpy.where(gaps > 0, _FAILS, _HOLDS), _UNDEFINED)

    return _sign(recipe, name, names, judge, is_relation)


def _relation_sign(recipe: Recipe, relation: Relation) -> Sign | None:
    """The sign of points that tells whether a relation holds, by the tolerance of an answer's checks.

    Whether the relation applies is another sign.
    """
    sign = _sign_of_gap(recipe, relation.name, gap_of(relation, relation.tolerance), is_relation=True)
    if sign is None or relation.approximate is None:
        return sign
    asks_solver = any(_needs_the_solver(source.cases) for source in sign.function.sources)
    return None if asks_solver else sign  # an estimate is not worth a question at every point


def _needs_the_solver(cases: Cases | None) -> bool:
    """Whether to compute a sign of the checks would take the solver at each point, for a quantity or its case."""
    if cases is None:
        return False
    return cases.is_asked or any(case.is_open for case in cases.leaves)


def _condition_sign(recipe: Recipe, condition: Node) -> Sign | None:
    """The sign of a check at points that tells whether a condition is true, false or undefined."""
    names = names_in(condition)

    def write(text: Writer) -> str:
        test = text(condition)
        return f"(sure({test}), sure(contrary({test})))"

    verdicts = tested(names, write)

    def judge(*numbers: Any) -> Any:
        yes, no = verdicts(*numbers)
        return numpy.where(yes, _HOLDS, numpy.where(no, _FAILS, _UNDEFINED))

    return _sign(recipe, "", names, judge)


def _displaced_sign(recipe: Recipe, name: str) -> Sign | None:
    """The sign of a check, at each point of a sweep, that compares a weak value with the number in its place."""
    stated, (low, high) = recipe.weak[name].base[1], recipe.weak[name].as_rounded
    slack = AGREEMENT * max(abs(low), abs(high))

    def judge(number: Any) -> Any:
        apart = numpy.abs(number - stated)
        same = apart <= AGREEMENT * numpy.maximum(numpy.abs(number), abs(stated))
        inside = (low - slack <= number) & (number <= high + slack)
        return numpy.where(same, _HOLDS, numpy.where(inside, _WITHIN, _FAILS))

    return _sign(recipe, name, [name], judge)


def undecided_sign(gap: PointFunction) -> Sign:
    """The sign of points at which a test of givens leaves to the solver what its checks are."""
    return Sign("", PointFunction(gap.sources, lambda *numbers: numpy.where(numpy.isnan(gap.call(*numbers)), 1, 0)))


def contradicted(recipe: Recipe) -> list[PointFunction]:
    """Functions that tell point by point how much a target's checked relations and domains are contradicted.

    Each gives the residual beyond tolerance: positive where what is checked is contradicted, and NaN where that is
    undecided.
    """
    typed = [name for name in recipe.names if name not in recipe.weak]
    gaps = [
        *(gap_of(recipe.library.relations[name]) for name in recipe.checks),
        *gaps_beside(recipe.library, recipe.lines, typed, recipe.leaving, recipe.checks),
    ]
    functions = [(recipe.sources(names), gap) for names, gap in gaps]
    return [PointFunction(sources, gap) for sources, gap in functions if sources is not None]


_FEW = 12  # points at which the solver is simply called
_AGAIN = 8  # pieces in which a verdict is checked again
_MOST_ASKED = 1000
_PLACES: tuple[float, ...] = (0.0, 0.31, 0.62, 1.0)  # shares of a pattern at which the solver is called
_MOST_RANGED = 5  # ranges in one relation whose ends are tried
_BASE = 8  # more than the codes of a sign

Pattern = tuple[int, ...]
"""The codes of a point: whether its target has a number, then one of each sign."""

ValuesAt = Callable[[Mapping[str, float]], Values]
"""What signs read at all points, where some weak values are at these ends of their ranges."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The solver's verdict beside a value: the checks that fail, and the givens that are unused."""

    failed: frozenset[str] = frozenset()
    unused: frozenset[str] | None = None  # None if there is no answer


@dataclass(frozen=True)
class Judgement:
    """The verdicts on a target along axes: for each point the index of its verdict in a list.

    >>> import numpy
    >>> Judgement(numpy.array([0, 1, 0]), (Verdict(), Verdict(frozenset({"fits"})))).failing("fits").tolist()
    [False, True, False]
    """

    places: Any
    verdicts: tuple[Verdict, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of all checks that fail by the verdict at any point."""
        return frozenset().union(*(verdict.failed for verdict in self.verdicts))

    @property
    def unused(self) -> frozenset[str] | None:
        """The givens that the verdicts of checks at all points find unused; None if there is no answer."""
        return unused_in_common(self.verdicts)

    def failing(self, name: str) -> Any:
        """Whether a check fails, at each point."""
        return numpy.array([name in verdict.failed for verdict in self.verdicts])[self.places]

    @property
    def tested(self) -> Any:
        """Whether the solver had an answer to check at each point, or said which relation fails."""
        is_tested = [verdict.unused is not None or bool(verdict.failed) for verdict in self.verdicts]
        return numpy.array(is_tested, dtype=bool)[self.places]


@dataclass(frozen=True)
class Judge:
    """Judges the points of one target: by the signs that tell points apart, and by the solver."""

    signs: tuple[Sign, ...]
    ask: Callable[[tuple[float, ...]], Verdict]
    is_patient: bool  # whether the solver is called at every point
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of weak values, in base units
    known: dict[Pattern, tuple[Verdict, int]] = field(default_factory=dict)  # the verdict and pieces of a pattern
    moving: dict[str, list[str]] = field(default_factory=dict)  # the ranges that a relation depends on

    def judged(self, arrays: Sequence[Any], column: Any, values_at: ValuesAt, *, again: bool = True) -> Judgement:
        """The verdicts of checks at points, from the target's numbers there.

        Unless `again`, the verdict of a known pattern is taken as it is: near the border of two patterns, rounding
        decides which one a point has, and the solver rounds in another order.
        """
        points = [numpy.broadcast_to(array, column.shape).ravel() for array in arrays]

        def ask(place: int) -> Verdict:
            return self.ask(tuple(float(array[place]) for array in points))

        if self.is_patient or column.size <= _FEW:
            decided: Iterable[tuple[Any, Verdict]] = ((place, ask(place)) for place in range(column.size))
        else:
            decided = self._by_pattern(column, values_at, ask, again)
        places = numpy.empty(column.size, numpy.int32)
        verdicts: dict[Verdict, int] = {}
        for points_with_it, verdict in decided:
            places[points_with_it] = verdicts.setdefault(verdict, len(verdicts))
        return Judgement(places.reshape(column.shape), tuple(verdicts))

    def _by_pattern(
        self, column: Any, values_at: ValuesAt, ask: Callable[[int], Verdict], again: bool
    ) -> Iterator[tuple[Any, Verdict]]:
        """The verdicts of checks, each with the points that have it; points of one pattern are judged together."""
        values = values_at({})
        codes = [numpy.isnan(column).astype(numpy.int8)]
        codes += [self._within_ranges(sign, sign.codes(values), values, values_at) for sign in self.signs]
        places, patterns = grouped(codes)
        flat = numpy.broadcast_to(places, column.shape).ravel()
        for i, pattern in enumerate(patterns):
            members = numpy.flatnonzero(flat == i) if len(patterns) > 1 else numpy.arange(flat.size)
            yield from self._of_pattern(pattern, members, ask, again)

    def _within_ranges(self, sign: Sign, codes: Any, values: Values, values_at: ValuesAt) -> Any:
        """The codes of a relation's sign, `_WITHIN` where it fails but holds at some ends of the ranges behind it."""
        if not sign.is_relation or not self.ranges or not (codes == _FAILS).any():
            return codes
        if sign.name not in self.moving:
            moving = [
                name
                for name, ends in self.ranges.items()
                if any(sign.depends(values, values_at({name: end})) for end in ends)
            ]
            self.moving[sign.name] = moving[:_MOST_RANGED]
        names = self.moving[sign.name]
        for chosen in product(*(self.ranges[name] for name in names)) if names else ():
            at_ends = sign.codes(values_at(dict(zip(names, chosen, strict=True))))
            codes = numpy.where((codes == _FAILS) & (at_ends == _HOLDS), _WITHIN, codes)
        return codes

    def _of_pattern(
        self, pattern: Pattern, members: Any, ask: Callable[[int], Verdict], again: bool
    ) -> Iterator[tuple[Any, Verdict]]:
        """The verdict of checks on the points of one pattern of signs, or one on each point where they differ."""
        known, times = self.known.get(pattern, (None, 0))
        shares = _PLACES
        if known is not None:  # asked once more in the middle, so that a pattern which is not one shows
            shares = (0.5,) if again and times < _AGAIN else ()
        places = dict.fromkeys(int(members[int(share * (len(members) - 1))]) for share in shares)
        asked = {place: ask(place) for place in places}
        verdicts = {*asked.values(), *([known] if known is not None else [])}
        if len({(verdict.failed, verdict.unused is None) for verdict in verdicts}) == 1:
            common = Verdict(next(iter(verdicts)).failed, unused_in_common(verdicts))
            self.known[pattern] = common, times + 1
            yield members, common
        elif len(members) <= _MOST_ASKED:
            for place in members.tolist():
                yield place, asked.get(place) or ask(place)
        else:
            signs = zip(self.signs, pattern[1:], strict=True)
            broken = {sign.name for sign, code in signs if sign.name and code in (_FAILS, _UNDEFINED)}
            failed = frozenset().union(*(verdict.failed for verdict in verdicts)) & broken
            yield members, Verdict(failed, unused_in_common(verdicts))


def unused_in_common(verdicts: Iterable[Verdict | Judgement]) -> frozenset[str] | None:
    """The givens that the verdicts of checks at all points with an answer find unused; None if there is none."""
    unused = [verdict.unused for verdict in verdicts if verdict.unused is not None]
    return frozenset.intersection(*unused) if unused else None


def grouped(codes: Sequence[Any]) -> tuple[Any, list[Pattern]]:
    """Group points by the pattern of their checks' signs: the index of each point's pattern, and all patterns.

    >>> import numpy
    >>> places, patterns = grouped([numpy.array([[0], [1]]), numpy.array([2, 2, 3])])
    >>> places.tolist(), patterns
    ([[0, 0, 1], [2, 2, 3]], [(0, 2), (0, 3), (1, 2), (1, 3)])
    """
    places: Any = numpy.zeros((), numpy.int32)
    patterns: list[Pattern] = [()]
    for code in codes:
        low = int(code.min())
        if low == int(code.max()):
            patterns = [(*pattern, low) for pattern in patterns]
            continue
        places = places * _BASE + code
        present = numpy.flatnonzero(numpy.bincount(places.ravel(), minlength=len(patterns) * _BASE))
        patterns = [(*patterns[code_number // _BASE], int(code_number % _BASE)) for code_number in present]
        table = numpy.zeros(int(present[-1]) + 1, numpy.int32)
        table[present] = numpy.arange(len(present))
        places = table[places]
    return places, patterns


def signs_of(recipe: Recipe, given: Iterable[str]) -> tuple[Sign, ...]:
    """All signs of a sweep's points on which a target's checks may depend, by the plans of every case."""
    scope, library = _Scope.of(recipe, given), recipe.library
    relations = [relation for relation in library.relations.values() if scope.may_test(relation)]
    conditions = chain(*map(_conditions, recipe.lines.ends), *(relation.conditions for relation in relations))
    compared = [name for name, value in recipe.weak.items() if name in scope.known and not value.source.stands_in]
    signs = [
        *(_relation_sign(recipe, relation) for relation in relations),
        *(_condition_sign(recipe, condition) for condition in dict.fromkeys(conditions)),
        *(_displaced_sign(recipe, name) for name in compared if name not in recipe.numbers),
        *(_sign_of_gap(recipe, block.unknowns[0], outside(library, block)) for block in _blocks_beside(recipe, scope)),
    ]
    return tuple(sign for sign in signs if sign is not None)


def _blocks_beside(recipe: Recipe, scope: _Scope) -> Iterator[Block]:
    """The blocks that may leave a quantity beside the target no value by the weak values in use, as checks find."""
    if scope.known.isdisjoint(recipe.weak):
        return
    library, known = recipe.library, {*scope.known}
    pending = [name for name in scope.known if name not in recipe.axes]
    for name in pending:  # grows as it is walked
        for holder in library.holders.get(name, ()):
            missing = [member for member in library.members[holder] if member not in known]
            if len(missing) != 1 or missing[0] in recipe.weak or not library.relations[holder].is_exact:
                continue
            block = Block((holder,), tuple(missing))
            if is_searched(library, block):
                continue
            known.add(missing[0])
            pending.append(missing[0])
            if leaving(library, [block]):
                yield block


@dataclass(frozen=True)
class _Scope:
    """The quantities that have numbers at the points of a target, by what they follow from."""

    library: RelationSet
    always: frozenset[str]  # the relations that the plan of every case uses
    known: frozenset[str]  # by some plan
    stated: frozenset[str]  # by some plan or by a stated value
    idle: frozenset[str]  # typed, and used by no plan
    followed: frozenset[str]  # from what is typed
    reached: frozenset[str]  # from what is typed or stated

    @classmethod
    def of(cls, recipe: Recipe, given: Iterable[str]) -> _Scope:
        """The quantities with numbers at the points of a target's checks, with these givens."""
        library = recipe.library
        plans = [case.plan for case, _ in recipe.lines.ends if case is not None]
        blocks = chain.from_iterable((*plan.blocks, *plan.extra) for plan in plans)
        known = frozenset({*recipe.names, recipe.target, *recipe.only_checked})
        known = known.union(*(plan.weak for plan in plans), *(block.unknowns for block in blocks))
        used = [frozenset(plan.relations) for plan in plans]
        typed = frozenset({*recipe.axes, *given})
        return cls(
            library=library,
            always=frozenset.intersection(*used) if used else frozenset(),
            known=known,
            stated=known | {*recipe.weak},
            idle=typed.difference(library.held_by(frozenset().union(*used))),
            followed=frozenset(closure(structure_of(library), typed)),
            reached=frozenset(closure(structure_of(library), recipe.names)) | {*recipe.weak},
        )

    def may_test(self, relation: Relation) -> bool:
        """Whether a relation may be tested as a check at points: all its quantities are known.

        Stated values count for limits and for givens not used elsewhere. An estimate is tested on all that follows from
        what is typed, and a limit on all that follows.
        """
        members = self.library.members[relation.name]
        if relation.name in self.always:
            return False
        if not relation.is_equation and self.reached.issuperset(members):
            return True
        if relation.approximate is not None and self.followed.issuperset(members):
            return True
        if self.known.isdisjoint(members):
            return False
        is_open = not relation.is_equation or not self.idle.isdisjoint(members)
        return (self.stated if is_open else self.known).issuperset(members)


def _conditions(end: End) -> Iterator[Node]:
    """The conditions on which checks depend, point by point: those that lead to a case, and those it must meet."""
    case, decided = end
    yield from decided
    if case is not None:
        yield from chain(case.holding, *case.failing)
