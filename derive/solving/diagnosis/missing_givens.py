"""The givens that are missing for a target: the smallest sets of further ones, and the error that names them.

Near a solution, the quantities that the relations leave open move along the null space of the Jacobian. A set of
names fixes the target if no such move changes the target and none of the names: if the target's move is a combination
of theirs. Take a few random directions in the null space, one more than a set has names. Each name is then a vector
of that many numbers, and whatever holds for these vectors holds for the moves, except with probability 2**-61:

1. A single name fixes the target if its vector is a multiple of the target's. Two directions show all single names at
  once.
2. A pair does, if modulo the target's vector one is a multiple of the other, and the vectors themselves are not.
  Three directions show all pairs at once: names are grouped by the ratio of the two remaining coordinates.
3. Of three names the first is taken modulo as well, and the other two are found like a pair. Beyond three, names are
  added until they suffice, and redundant ones are removed: that set is minimal, though perhaps not smallest.

The Jacobian gives a necessary condition. It suffices if a plan sees it too, by counting. Sets of unknowns that may be
given together without displacing a relation are the independent sets of a matroid. By its exchange property a single
name determines the target exactly if the target, given, would determine the name: one augmenting path, and one search
for possible exchanges (Dulmage and Mendelsohn 1958), find all single names. Where counting fails because other
quantities cancel, these are eliminated on trial, with plausible values for what is missing. One special case: a
default that is used only where its quantity's own relations are not lets those relations run backwards once it is
given.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, islice

from derive.errors import LimitError, UnderdeterminedError
from derive.expressions.tree import names_in
from derive.model.conditions import are_exclusive
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.modular import Quotient, Row, Vector, are_alike
from derive.planning.basis import Basis, basis_of
from derive.planning.incidence import Structure, core_of, structure_of
from derive.planning.matching import Matching, closure
from derive.planning.plan import plan, plan_for
from derive.presentation.cautions import in_a_row
from derive.solving.cancellation.elimination import has_cancelled_answer
from derive.solving.cancellation.jacobian_rank import Rows, directions, jacobian_of
from derive.solving.execution.conditional_relations import Undecided, verdict_at
from derive.solving.execution.question import Outline, Question, stated_at
from derive.time_limits import query, stop_if_over, tick

_NAMED = 6  # limit on quantities that are determined instead, in a sentence
_SETS = 4  # limit on sets of further givens in a sentence
_OFFERED = {2: 64, 3: 16}  # limit on sets, by their number of names
_COMBINED = 1000  # limit on sets of two names or more that are examined
_FIRST = 12  # names nearest to the target that a set of three may begin with
_TRIALS = {1: 6, 2: 4, 3: 4}  # limit on sets whose quantities are eliminated on trial, by their number of names
_EXCLUSIONS = 6  # limit on relations left out since others exclude them
_ASIDE = 0.7139  # factor that makes a plausible number generic

Names = tuple[str, ...]


def shortage(library: RelationSet, question: Question | Outline, left_out: Mapping[str, str]) -> UnderdeterminedError:
    """The error for missing givens, without which a target is open; they are searched for when it is read."""
    missing = _MissingGivens(library, question, frozenset(left_out))
    reasons = "".join(f" {name} is left out, because {why}." for name, why in left_out.items())
    return UnderdeterminedError(
        f"{question.target} is not determined by what is given.{reasons}",
        hint=missing.hint,
        missing=lambda: missing.sets,
    )


@dataclass(frozen=True)
class _MissingGivens:
    """What a question is short of: the smallest sets of further givens, and the hint of its error."""

    library: RelationSet
    question: Question | Outline
    left_out: frozenset[str]

    @cached_property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The smallest sets of missing givens, as an error names them, that would fix the open target."""
        return missing_sets(self.library, self.question, self.left_out)

    def hint(self) -> str:
        """The hint of the error for missing givens: what to give, what states it, and what is determined instead."""
        library, question, sets = self.library, self.question, self.sets
        hints = [*_choices(library, question, sets)]
        if sets:
            hints.append(wanted(sets))
            hints += _standing_in(library, question, sets)
        elif not library.holders.get(question.target):
            hints.append(_held_nowhere(library, question.target))
        own = getattr(question, "own", None)
        if own is not None:
            hints.append(f"Its own {own}, {own.source}, is never used for it; give it to have it checked.")
        determined = [*islice(_determined(library, question, self.left_out), _NAMED + 1)]
        if determined:
            more = " and more" if len(determined) > _NAMED else ""
            hints.append(f"These givens determine {', '.join(determined[:_NAMED])}{more}.")
        return " ".join(hints)


def _held_nowhere(library: RelationSet, target: str) -> str:
    """The hint of an error at a missing given that stands in no equation or inequality."""
    asking = [relation.name for relation in library.conditional if target in names_in(*relation.conditions)]
    if asking:
        return f"Only conditions contain it, those of {in_a_row(asking)}: add a relation, or give it."
    return "No relation contains it: add one, or give it."


def wanted(sets: Sequence[tuple[str, ...]]) -> str:
    """The hint of an error at the missing givens: the first few sets of them, and how many more there are.

    >>> wanted([("mass",), ("weight",)]), wanted([("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"), ("i", "j")])
    ('Give mass, or weight.', 'Give a and b, or c and d, or e and f, or one of 2 other pairs.')
    >>> wanted([])
    ''
    """
    if not sets:
        return ""
    shown = sets if len(sets) <= _SETS else sets[: _SETS - 1]
    options = [" and ".join(names) for names in shown]
    if len(sets) > len(shown):
        what = {1: "others", 2: "other pairs"}.get(len(sets[0]), "other sets")
        options.append(f"one of {len(sets) - len(shown)} {what}")
    return f"Give {', or '.join(options)}."


def _choices(library: RelationSet, question: Question | Outline, sets: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The hint of an error at choices of a profile in use that state missing givens, as a chip's precision does.

    >>> from derive.relation_files.loading import load
    >>> from derive.solving.execution.question import ask
    >>> chip = load('''[quantities]
    ... speed = { unit = "1/s" }
    ... clock = { unit = "1/s" }
    ... width = { unit = "" }
    ... [relations]
    ... speed = { equation = "speed = clock*width" }
    ... [profiles.chip]
    ... clock = "2 GHz"
    ... [profiles."chip:fp8"]
    ... width = "8"''')
    >>> print(*_choices(chip, ask(chip, "speed", ("chip",), {}), [("width",)]))
    Write chip:fp8, which states width.
    """
    for name in dict.fromkeys(getattr(question, "origins", {}).values()):
        if ":" in name or name not in library.profiles:
            continue
        of_missing: dict[tuple[str, ...], list[str]] = {}
        for choice in library.profiles.choices(name):
            profile = f"{name}:{choice}"
            stated = [names for names in sets if {*names} <= library.profiles[profile].values.keys()]
            if stated:
                of_missing.setdefault(stated[0], []).append(profile)
        for names, profiles in of_missing.items():
            verb = "which states" if len(profiles) == 1 else "each of which states"
            yield f"Write {' or '.join(profiles)}, {verb} {' and '.join(names)}."


def _standing_in(library: RelationSet, question: Question | Outline, sets: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The hint of an error at a missing given whose default stands in for its relations, and leads nowhere back.

    >>> from derive.relation_files.loading import load
    >>> from derive.solving.execution.question import Outline
    >>> wing = load('''[quantities]
    ... span = { unit = "m" }
    ... chord = { unit = "m" }
    ... aspect = { unit = "", otherwise = "7" }
    ... [relations]
    ... aspect = { equation = "aspect = span/chord" }''')
    >>> question = Outline("span", ("chord",), ("aspect",))
    >>> print(*_standing_in(wing, question, [("aspect",)]))
    The default of aspect, 7, is used where no relation gives it and never run back: give it if it holds.
    """
    fallbacks = structure_of(library, frozenset(), question.stated).otherwise
    shown = {*chain.from_iterable(sets[:_SETS])}
    for name in sorted(shown & fallbacks & {*question.weak}):
        own = library.defaults[name]
        yield f"The default of {name}, {own}, is {own.source} and never run back: give it if it holds."


def _determined(library: RelationSet, question: Question | Outline, left_out: frozenset[str]) -> Iterator[str]:
    """What is determined instead, as the error for missing givens says: by typed givens, not by defaults alone.

    Counting takes two relations that exclude each other for two equations. So what it may have from both has to have a
    plan of its own for a case, in which one of them does not count.
    """
    structure = structure_of(library, left_out, question.stated)
    typed = [*question.strong, *(name for name in question.weak if name not in library.defaults)]
    if not typed:
        return
    base = basis_of(structure, question.target, question.strong, question.weak)
    known = frozenset({*question.strong, *base.weak})
    matching = Matching.of(base.structure, known)
    is_conditional = any(relation.name in matching.fixes for relation in library.conditional)

    def is_planned(name: str, without: frozenset[str]) -> bool:
        """Whether there is a plan without some relations, and without one of any two that exclude each other."""
        weak = [other for other in question.weak if other != name]
        own = plan_for(library, name, question.strong, weak, left_out | without, question.stated - {name})
        pair = _exclusive_among(library, own.relations)
        if not own.is_determined or not pair or len(without) == _EXCLUSIONS:
            return own.is_determined
        return any(is_planned(name, without | {relation}) for relation in pair)

    def is_of_a_case(name: str) -> bool:
        is_counted_twice = is_conditional and matching.settles(name) and _excluding_pair(library, matching, name)
        return not is_counted_twice or is_planned(name, frozenset())

    counted = closure(base.structure, known) - closure(base.structure, library.defaults) - known
    # counting may find the target fixed although it cancels
    yield from filter(is_of_a_case, sorted(counted - {question.target}))


def missing_sets(
    library: RelationSet, question: Question | Outline, left_out: frozenset[str] = frozenset()
) -> tuple[Names, ...]:
    """The smallest sets of missing givens that would fix the target; none if their search takes too long.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> missing_sets(circuits, Outline("dissipated_power", ("resistance",), ()))
    (('current',), ('voltage',))
    """
    try:
        with query():
            return tuple(_smallest_sets(library, question, left_out, _EXCLUSIONS))
    except LimitError:  # that the target is open is an answer also without a proposal what to give
        return ()


def _smallest_sets(
    library: RelationSet, question: Question | Outline, left_out: frozenset[str], most: int
) -> Iterator[Names]:
    """The smallest sets of missing givens without some relations, and perhaps without `most` that others exclude."""
    idle = _idle(library, question)
    search = _Search(library, question, left_out | frozenset(idle))
    if question.target not in search.matching.unknowns:
        return
    if most and not search.fits_a_case(()):
        yield from _sets_in_cases(library, question, left_out, search.excluding_pair(()), most)
        return
    waking = [(name,) for name in _waking(library, question, left_out, idle)]
    for search_for in (search.singles, search.pairs, search.triples, search.larger):
        # of an empty set, counting finds the target fixed already
        by_counting = [names for names in search_for() if names]
        sets = [names for names in by_counting if search.fits_a_case(names)]
        if search_for == search.singles:
            sets += [names for names in waking if names not in sets]
        if sets:
            yield from sets
            return
        if by_counting and most:  # all rest on cases that exclude each other: each case has sets of its own
            yield from _sets_in_cases(library, question, left_out, search.excluding_pair(by_counting[0]), most)
            return


def _sets_in_cases(
    library: RelationSet, question: Question | Outline, left_out: frozenset[str], pair: Names, most: int
) -> Iterator[Names]:
    """The smallest sets of missing givens without one or the other of two relations that exclude each other."""
    in_cases = [_smallest_sets(library, question, left_out | {relation}, most - 1) for relation in pair]
    several = list(dict.fromkeys(chain.from_iterable(in_cases)))
    fewest = min(map(len, several), default=0)
    yield from (names for names in several if len(names) == fewest)


def _idle(library: RelationSet, question: Question | Outline) -> dict[str, Names]:
    """The relations that do not apply at the known numbers, each with the missing givens at which it would."""
    if isinstance(question, Outline):
        return {}
    idle: dict[str, Names] = {}
    for relation in library.conditional:
        numbers = question.stated_numbers
        failing = [condition for condition in relation.conditions if verdict_at(condition, numbers) is False]
        if failing:
            idle[relation.name] = names_in(*failing)
    return idle


def _waking(
    library: RelationSet, question: Question | Outline, left_out: frozenset[str], idle: Mapping[str, Names]
) -> list[str]:
    """The weak values that missing givens should replace: they exclude relations that would fix the target."""
    waking = []
    for name in dict.fromkeys(chain.from_iterable(idle.values())):
        if name in question.strong:
            continue
        asleep = {relation for relation, names in idle.items() if names != (name,)}
        if name != question.target and _would_settle(library, question, left_out | asleep, name):
            waking.append(name)
    return waking


def _would_settle(library: RelationSet, question: Question | Outline, left_out: frozenset[str], name: str) -> bool:
    """Whether one missing given would determine the target by counting, without some relations."""
    core = core_of(library, (question.target, *question.strong, *question.weak, name))
    graph = core.structure(left_out & core.decisive, question.stated)
    basis = basis_of(graph, question.target, question.strong, question.weak)
    return basis.matching.given((name,)).settles(question.target)


@dataclass(frozen=True)
class _Search:
    """The search for givens that would fix a question's target, by the steps listed at the top of the module."""

    library: RelationSet
    question: Question | Outline
    left_out: frozenset[str]

    def singles(self) -> Iterator[Names]:
        """The single missing givens, each of which would fix the target."""
        if self.question.target not in self.vectors(1):  # the Jacobian fixes the target, but elimination failed
            yield from self.confirmed(self.settling)
            return
        singles = list(self.confirmed(self.parallel(self.vectors(2))))
        if not singles:
            moves = directions(self.rows_at_zeros)
            singles = list(self.confirmed(self.parallel(_vectors([next(moves), next(moves)]))))
        yield from singles

    def confirmed(self, names: Collection[str]) -> Iterator[Names]:
        """The single missing givens that a plan confirms, or for the first few elimination; and fallbacks to give."""
        is_singular = self.question.target not in self.loose  # a block of the plan is, at these numbers
        trials = _TRIALS[1]
        for name in self.ranked(self.freeing_fallbacks.union(names) - {self.question.target}):
            is_shown = is_singular or name in self.settling or name in self.freeing_fallbacks
            trials -= not is_shown
            if is_shown or (trials >= 0 and self.cancels((name,))):
                yield (name,)

    def parallel(self, vectors: Mapping[str, Vector]) -> set[str]:
        """The single givens that may be missing: names that move in proportion to the target along directions."""
        goal = vectors.get(self.question.target)
        return {name for name, vector in vectors.items() if are_alike(goal, vector)} if goal else set()

    def pairs(self) -> Iterator[Names]:
        return self.verified(self.completing(()), 2)

    def triples(self) -> Iterator[Names]:
        vectors = self.vectors(4)
        goal = vectors.get(self.question.target)
        near = sorted((name for name in vectors if name in self.distances), key=lambda name: self.distances[name])
        firsts = [name for name in near if goal and not are_alike(goal, vectors[name])][:_FIRST]
        sets = (self.completing((first,), without=firsts[:i]) for i, first in enumerate(firsts))
        return self.verified(chain.from_iterable(sets), 3)

    def larger(self) -> Iterator[Names]:
        """One larger set of missing givens, none of which is redundant."""
        target = self.question.target
        matching, names = self.matching.given(()), []
        for name in sorted(self.loose - {target}, key=lambda name: (self.distances.get(name, math.inf), name)):
            tick()
            if matching.add(f"={name}", (name,)):
                names.append(name)
                if matching.settles(target):
                    break
        for name in reversed(tuple(names)):
            tick()
            fewer = [other for other in names if other != name]
            if self.settles(fewer):
                names = fewer
        # counting may take the target for fixed though it cancels: the Jacobian shows whether it still moves
        rows = self.rows | {f"={name}": {name: 1} for name in names}
        if self.settles(names) and target not in next(directions(rows)):
            yield tuple(self.ranked(names))

    def completing(self, chosen: Names, without: Collection[str] = ()) -> Iterator[Names]:
        """The chosen names with any two further missing givens that fix the target with them, while no fewer do.

        Modulo the target and the chosen names the two are parallel and nonzero; modulo these without any one of them
        they are not parallel. So each of all these is a combination of all the others, and of no fewer.
        """
        vectors = self.vectors(3 + len(chosen))
        names = self.ranked(vectors.keys() - {*chosen, *without, self.question.target})
        modulo = [vectors[name] for name in (self.question.target, *chosen) if name in vectors]
        if len(modulo) <= len(chosen):
            return
        groups: dict[int, list[tuple[int, str]]] = {}
        ratios = Quotient(modulo).ratios([vectors[name] for name in names])
        for place, (name, ratio) in enumerate(zip(names, ratios, strict=True)):
            if ratio is not None:
                groups.setdefault(ratio, []).append((place, name))
        without_one = [Quotient(modulo[:i] + modulo[i + 1 :]) for i in range(len(modulo))]
        several = [group for group in groups.values() if len(group) > 1]
        left = {
            name: [quotient.left(vectors[name]) for quotient in without_one] for _, name in chain.from_iterable(several)
        }
        pairs = chain.from_iterable(combinations(group, 2) for group in several)
        for (_, name), (_, other) in sorted(pairs, key=lambda pair: (sum(place for place, _ in pair), pair[0])):
            if not any(map(are_alike, left[name], left[other])):
                yield (*chosen, name, other)

    def verified(self, sets: Iterator[Names], size: int) -> Iterator[Names]:
        """The sets of missing givens that a plan confirms, or for the first few of them elimination."""
        trials, offered = _TRIALS[size], 0
        for names in islice(sets, _COMBINED):
            tick()
            fixes = self.settles(names)
            if not fixes and trials:
                trials -= 1
                fixes = self.cancels(names)
            if fixes:
                offered += 1
                yield tuple(self.ranked(names))
            if offered == _OFFERED[size]:
                return

    @property
    def structure(self) -> Structure:
        return structure_of(self.library, self.left_out, self.question.stated)

    @cached_property
    def basis(self) -> Basis:
        """The relations that are connected to the target for which givens are missing, matched to unknowns."""
        question = self.question
        return basis_of(self.structure, question.target, question.strong, question.weak)

    @property
    def matching(self) -> Matching:
        return self.basis.matching

    @cached_property
    def loose(self) -> set[str]:
        """The quantities that counting leaves open, and that may be the missing givens."""
        return self.matching.loose(self.basis.structure.holders)

    @cached_property
    def settling(self) -> set[str]:
        """The single missing givens that would fix the target by counting: those that the target, given, would fix."""
        answered = self.matching.given((self.question.target,))
        return self.loose - answered.loose(self.basis.structure.holders)

    def settles(self, names: Iterable[str]) -> bool:
        """Whether by counting the target would be fixed if these missing names were given."""
        return self.matching.given(names).settles(self.question.target)

    def fits_a_case(self, names: Iterable[str]) -> bool:
        """Whether some case fixes the target with these missing givens, where counting fixes it over all at once.

        Of relations that exclude each other no case has both: of `x = a + b` for c < 1 and `x = a*b` from there on, a
        single given is too few.
        """
        matching, target = self.matching.given(names), self.question.target
        return not matching.settles(target) or _is_of_a_case(self.library, matching, target, _EXCLUSIONS)

    def excluding_pair(self, names: Iterable[str]) -> tuple[str, ...]:
        """Two relations that never apply together, and by both of which the missing givens would fix the target."""
        return _excluding_pair(self.library, self.matching.given(names), self.question.target)

    @cached_property
    def freeing_fallbacks(self) -> set[str]:
        """The fallbacks that are missing as givens: once given, their own relations fix the target."""
        if self.question.target not in self.loose:
            return set()
        otherwise = self.structure.otherwise - self.basis.structure.otherwise
        return {name for name in self.basis.weak if name in otherwise and self.frees(name)}

    def frees(self, name: str) -> bool:
        """Whether a name with a default is the missing given, whose own relations then run backwards to the target."""
        structure, question = self.structure, self.question
        matching = self.matching.given((name,))
        for relation in structure.writers.get(name, ()):
            matching.add(relation, structure.members[relation])
        if not matching.settles(question.target):
            return False
        weak = [other for other in question.weak if other != name]
        return plan(structure, question.target, [*question.strong, name], weak).is_determined

    def cancels(self, names: Names) -> bool:
        """Whether some missing givens would fix the target because the other unknowns cancel, by elimination."""
        numbered = self.numbered(names)
        try:
            return has_cancelled_answer(self.library, numbered, dict.fromkeys(self.left_out, ""))
        except LimitError:
            stop_if_over()
            return False
        except Undecided:  # only in some case
            return False

    def numbered(self, names: Names) -> Question:
        """The question with plausible numbers for the missing givens, and for all names of an outline."""
        library, question = self.library, self.question
        fresh = {name: stated_at(library, name, self.ordinary(name)) for name in names}
        weak = {name: value for name, value in library.defaults.items() if name in question.weak and name not in names}
        if isinstance(question, Outline):
            given = {name: stated_at(library, name, library.plausible(name)) for name in question.strong}
            return Question(question.target, given | fresh, weak)
        weak = {name: value for name, value in question.weak.items() if name not in names}
        return replace(question, strong={**question.strong, **fresh}, weak=weak, own=None, outdated={})

    def ordinary(self, name: str) -> float:
        """A plausible number for a missing given, but generic: at one a factor may vanish or a domain end."""
        number = self.library.plausible(name)
        generic = _ASIDE * number
        return generic if generic in self.library.declared[name].domain else number

    @cached_property
    def rows(self) -> Rows:
        """The Jacobian that shows which givens are missing, at the numbers that are stated."""
        return jacobian_of(self.library, self.question, self.left_out, self.numbers).of_ratios

    @property
    def rows_at_zeros(self) -> Rows:
        """The Jacobian that shows which givens are missing, at stated numbers that are zero, and else at random.

        Where a relation is written for a stated number, and its sum is another at random, what cancels is hidden.
        """
        zeros = {name: number for name, number in self.numbers.items() if number == 0}
        return jacobian_of(self.library, self.question, self.left_out, zeros).of_ratios

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers that are stated, at which the Jacobian shows which givens are missing."""
        question = self.question
        stated = question.values if isinstance(question, Question) else self.library.defaults
        return {name: value.base[1] for name, value in stated.items() if name != question.target}

    def vectors(self, count: int) -> dict[str, Vector]:
        """The vectors of names that may be missing givens: their moves along a few random directions."""
        while len(self.moves) < count:
            self.moves.append(next(self.further_moves))
        return _vectors(self.moves[:count])

    @cached_property
    def moves(self) -> list[Row]:
        """The moves of names that may be missing givens, along directions looked at so far: larger sets need more."""
        return []

    @cached_property
    def further_moves(self) -> Iterator[Row]:
        """The moves of names that may be missing givens, along further random directions of the null space."""
        return directions(self.rows)

    def ranked(self, names: Iterable[str]) -> list[str]:
        """Names that may be the missing givens, in the order in which an error offers them.

        First come measured or published ones, then those that no relation is written for; nearest first.
        """
        measured, writers = self.library.measured, structure_of(self.library).writers

        def rank(name: str) -> tuple[int, float, str]:
            kind = 2 if name in writers else 1
            return 0 if name in measured else kind, self.distances.get(name, math.inf), name

        return sorted(names, key=rank)

    @cached_property
    def distances(self) -> dict[str, int]:
        """The number of relations between the target and each name that is missing among the givens."""
        structure = self.basis.structure
        distances = {self.question.target: 0}
        pending = deque(distances)
        while pending:
            name = pending.popleft()
            for relation in structure.holders.get(name, ()):
                for other in structure.members[relation]:
                    if other not in distances and other not in self.matching.known:
                        distances[other] = distances[name] + 1
                        pending.append(other)
        return distances


def _excluding_pair(library: RelationSet, matching: Matching, name: str) -> tuple[str, ...]:
    """Two relations that exclude each other, and by which a matching fixes a quantity that is not missing."""
    return _exclusive_among(library, matching.relations_for(name))


def _exclusive_among(library: RelationSet, used: Collection[str]) -> tuple[str, ...]:
    """Two of the relations that lead to what is not missing, and that exclude each other; empty without such."""
    conditional = [relation for relation in library.conditional if relation.name in used]
    for relation, other in combinations(conditional, 2):
        if are_exclusive(relation.conditions, other.conditions):
            return relation.name, other.name
    return ()


def _is_of_a_case(library: RelationSet, matching: Matching, name: str, most: int) -> bool:
    """Whether a matching fixes a quantity beside missing givens, perhaps without `most` excluded relations."""
    if not matching.settles(name):
        return False
    pair = _excluding_pair(library, matching, name)
    if not pair or not most:
        return True
    for relation in pair:
        rest = matching.without((relation,))
        rest.add_again([other for other in rest.members if other not in rest.fixes], 1)
        if _is_of_a_case(library, rest, name, most - 1):
            return True
    return False


def _vectors(moves: Sequence[Row]) -> dict[str, Vector]:
    """The vector of each name that may be a missing given: its moves along some directions of a null space."""
    return {name: tuple(move.get(name, 0) for move in moves) for name in moves[0]}
