"""Which fallbacks (`otherwise`) a plan uses: defaults that stand in where a quantity's own relations do not give it.

A fallback is used where the relations written for its quantity do not determine it, and then replaces them: it is
never run backwards through them. It is dropped where they do determine it, and where the stated values determine
it by other relations, or the given ones with other fallbacks; that result may be run backwards. So is one that its
own relations would yield if the target were known: it is a function of the target, whatever else the question says.
A fallback that no relation is written for, such as a rest of 0, replaces nothing: it yields to the stated values
like any default, and to the other ones where a relation ties it to the target. Whoever asks for the reactance of a
coil means a circuit that has a coil, and none of the capacitors that it might have too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from derive.caches import Memo, Session
from derive.planning.directions import forwards, led_from, upstream
from derive.planning.incidence import Structure
from derive.planning.matching import Matching, matched

_FALLBACKS = Memo[list[str]](most=256)  # a tree of cases asks often
_LEADS = Memo["Leads"](most=16)


def decide_fallbacks(
    structure: Structure, reached: Sequence[str], target: str, given: frozenset[str], weak: Iterable[str]
) -> tuple[Structure, list[str]]:
    """Decide which fallbacks (`otherwise`) a plan uses; returns the structure and weak values that then count."""
    usable = [name for name in weak if name != target]
    if structure.otherwise.isdisjoint(usable):
        return structure, usable
    inside = structure.quantities_of(reached)
    in_use: Sequence[str] = ()
    if not structure.otherwise.isdisjoint(inside):
        in_use = _fallbacks_among(structure, reached, given, usable, target)
    fallbacks = structure.otherwise & structure.around(target, given)
    dropped = (fallbacks & inside).difference(in_use)
    yielding = [name for name in usable if name not in dropped]
    kept = [name for name in yielding if name in fallbacks]
    replacing = [name for name in kept if structure.is_written(name)]
    return structure.not_written_for(kept), list(dict.fromkeys([*replacing, *yielding]))


def _fallbacks_among(
    structure: Structure, reached: Sequence[str], given: frozenset[str], weak: Sequence[str], target: str
) -> list[str]:
    """The fallbacks that a plan uses among those that some relations contain.

    A relation that alone contains an open quantity fixes only that one, and no fallback. So without such relations the
    result is the same, and most targets of a question share it; but not a target that leads to fallbacks.
    """
    neighbours = structure.quantities_of(relation for relation in reached if target in structure.members[relation])
    tied = frozenset(name for name in structure.otherwise & neighbours if not structure.is_written(name))
    in_use: list[str] = []  # fallbacks that only relations set apart contain
    sought = target if Leads.of(structure, given, weak).beyond_fallbacks(structure, target) else None
    if sought is None:
        lone_relations = structure.apart(given.union(weak, *structure.limits))
        left = [relation for relation in reached if relation not in lone_relations]
        only_in_these = structure.quantities_of(reached) - structure.quantities_of(left)
        in_use = [name for name in weak if name in structure.otherwise and name in only_in_these]
        reached = left
    choice = _Choice(structure, reached, given, weak, sought, tied)
    return [*in_use, *_FALLBACKS.of(choice.session, choice.key, choice.in_use)]


def fallbacks_in_use(
    structure: Structure, reached: Sequence[str], given: frozenset[str], weak: Sequence[str], sought: str | None = None
) -> list[str]:
    """The fallbacks that a plan uses for a question that reaches some relations; `sought` leads to some of them."""
    return _Choice(structure, reached, given, weak, sought).in_use()


def fallbacks_led_to(structure: Structure, target: str, given: frozenset[str], weak: Iterable[str]) -> list[str]:
    """The fallbacks that a plan does not use, since relations yield them from the target and other known names."""
    leads = Leads.of(structure, given, [name for name in weak if name != target])
    return leads.led_to(structure, leads.beyond_fallbacks(structure, target))


class Leads(NamedTuple):
    """What follows from the known names of a question, from which a target may lead on to its fallbacks."""

    given: frozenset[str]
    known: frozenset[str]
    ahead: frozenset[str]  # what relations yield from what is known
    fallbacks: Sequence[str]  # those with weak values, in the order of these

    @classmethod
    def of(cls, structure: Structure, given: frozenset[str], weak: Sequence[str]) -> Leads:
        """The leads of a question to its fallbacks, from the given and the weak names; cached."""
        known = given.union(weak)

        def build() -> Leads:
            ahead = known | forwards(structure, list(structure.members), known).keys()
            return cls(given, known, ahead, [name for name in weak if name in structure.otherwise])

        return _LEADS.of(structure.session, (given, known), build)

    def may_lead_on(self, structure: Structure, name: str) -> bool:
        """Whether a quantity leads to another one alone, or is all that a relation for a fallback misses."""
        for relation in structure.holders.get(name, ()):
            missing = [member for member in structure.members[relation] if member not in self.ahead]
            if len(missing) == 2 or (len(missing) == 1 and structure.forward.get(relation) in self.fallbacks):
                return True
        return False

    def led_to(self, structure: Structure, led: frozenset[str]) -> list[str]:
        """The fallbacks that some relation yields with a few more known names, and not without them."""
        yielded = set()
        for relation in chain.from_iterable(structure.holders.get(name, ()) for name in led):
            result = structure.forward.get(relation)
            if result in self.fallbacks and led.issuperset(structure.inputs[relation] - self.ahead):
                yielded.add(result)
        return [name for name in self.fallbacks if name in yielded] if yielded else []

    def beyond_fallbacks(self, structure: Structure, target: str) -> frozenset[str]:
        """The quantities that follow from a target; none unless it leads through a fallback to a given."""
        if target in self.ahead or not self.given or not self.may_lead_on(structure, target):
            return frozenset()
        led = led_from(structure, target, self.ahead, structure.otherwise)
        pending = self.led_to(structure, led)
        results: set[str] = set()
        while pending:
            name = pending.pop()
            if name in self.given:
                return led
            for relation in structure.holders.get(name, ()):
                result = structure.forward.get(relation)
                if result is None or result in results:
                    continue
                if all(member in self.ahead or member in led for member in structure.members[relation]):
                    results.add(result)
                    pending.append(result)
        return frozenset()


@dataclass(frozen=True)
class _Choice:
    """The choice of fallbacks for a question that reaches some relations of a structure."""

    structure: Structure
    reached: Sequence[str]
    given: frozenset[str]
    weak: Sequence[str]
    sought: str | None = None  # the target, where it leads to some of the fallbacks
    tied: frozenset[str] = frozenset()  # fallbacks that nothing is written for and a relation ties to the target

    @property
    def session(self) -> Session:
        """The caches for this choice: those of all structures of a library where relations out of reach play no part.

        What is sought may lead on through any relation.
        """
        is_of_all = self.sought is None and self.structure.full_graph is not None
        return self.structure.session_of_library if is_of_all else self.structure.session

    @property
    def key(self) -> Hashable:
        """All that the choice depends on, as a key."""
        structure = self.structure
        writers = tuple([structure.writers.get(name) for name in self.candidates])
        stated = self.given, tuple(self.weak), self.sought, self.tied
        return self._reached_relations, writers, stated, structure.otherwise, structure.rivals, structure.elsewhere

    def in_use(self) -> list[str]:
        """The fallbacks that a plan uses."""
        yielding = self._yielding()
        if yielding:  # the relations written for these are as others from here on, and may lead to other fallbacks
            return replace(self, weak=[name for name in self.weak if name not in yielding]).in_use()
        determined_alone = [
            name
            for name in self.candidates
            if self._may_follow(name) and (self._follows_from_others(name) or self._determined_by_own([name]))
        ]
        dropped = determined_alone
        while dropped != (still_determined := self._determined_by_own(dropped)):
            dropped = still_determined  # some are determined only through each other
        for name in determined_alone:  # one that was not determined beside others that have come back since
            if name not in dropped and len(self._determined_by_own([*dropped, name])) > len(dropped):
                dropped = [*dropped, name]
        return [name for name in self.candidates if name not in dropped]

    @cached_property
    def candidates(self) -> list[str]:
        """The fallbacks that the relations in reach contain."""
        return [name for name in self._weak_inside if name in self.structure.otherwise]

    @cached_property
    def firm(self) -> list[str]:
        """The weak values in the relations in reach that are no fallbacks."""
        return [name for name in self._weak_inside if name not in self.structure.otherwise]

    @cached_property
    def _weak_inside(self) -> list[str]:
        inside = self.structure.quantities_of(self.reached)
        return [name for name in self.weak if name in inside]

    @cached_property
    def bare(self) -> Structure:
        """The structure if all fallbacks were chosen: without the relations written for them."""
        return self.structure.not_written_for(self.candidates)

    @cached_property
    def basis(self) -> Matching:
        """The matching to which fallbacks are added: of the relations in reach that are not written for any of them."""
        basis, _ = matched(self.bare, [name for name in self.reached if name in self.bare.members], self.given, ())
        return basis

    @cached_property
    def with_fallbacks(self) -> Matching:
        """The matching with all candidate fallbacks in use, before any of them is dropped."""
        return self.basis.given(self.candidates)

    @cached_property
    def with_all(self) -> Matching:
        """The matching with all candidate fallbacks in use, and after them the other weak values."""
        return self.with_fallbacks.given(self.firm)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each weak value, by its label, in the order of choice: fallbacks first, then all others."""
        return {f"={name}": place for place, name in enumerate([*self.candidates, *self.firm])}

    @cached_property
    def displaced(self) -> list[str]:
        """The fallbacks and other weak values that the ones chosen before them, and the givens, leave no room for."""
        return [label for label in self.places if label not in self.with_all.fixes]

    @cached_property
    def ahead(self) -> Set[str]:
        """The quantities that may lead on to fallbacks: what relations yield as written, or from what is sought."""
        ahead = {*self.given, *self.weak, *self._yielded}
        if self.sought is not None:
            ahead |= led_from(self.structure, self.sought, ahead, self.candidates)
        return ahead

    @cached_property
    def _yielded(self) -> dict[str, str]:
        """What relations in reach yield as written from all known names, each with its relation."""
        return forwards(self.structure, self.reached, {*self.given, *self.weak})

    @cached_property
    def _origins(self) -> dict[str, frozenset[str]]:
        """The known names from which each known or yielded quantity follows: a known one from itself."""
        origins = {name: frozenset((name,)) for name in (*self.given, *self.weak)}
        for name, relation in self._yielded.items():
            inputs = self.structure.inputs[relation]
            if origins.keys() >= inputs:
                origins[name] = frozenset().union(*(origins[member] for member in inputs))
        return origins

    @cached_property
    def determinable(self) -> Set[str]:
        """The quantities that would be determined with all fallbacks chosen."""
        return self.given | (self.with_all.unknowns.keys() - self.with_all.loose(self.bare.holders))

    def _yielding(self) -> set[str]:
        """The fallbacks that yield to stated values, or to the givens with other fallbacks."""
        stated = self.basis.given(name for name in self.firm if name in self.basis.unknowns)
        settled_names = stated.unknowns.keys() - stated.loose(self.bare.holders)
        yielding = {name for name in self.candidates if name in settled_names}
        if any(f"={name}" not in self.with_fallbacks.fixes for name in self.candidates):
            yielding |= self._redundant([name for name in self.candidates if name not in yielding])
        return yielding

    def _redundant(self, candidates: Sequence[str]) -> set[str]:
        """The fallbacks to drop since the givens determine them together with the other fallbacks.

        Of two that determine each other it is the one that no relation is written for; of two such, the one that a
        relation ties to the target; and else the one whose own relations depend on the other.
        """
        basis, structure = self.basis, self.structure
        full_graph = structure.full_graph or structure

        def rank(name: str) -> tuple[bool, bool, int]:
            inputs = full_graph.quantities_of(upstream(full_graph, [name], basis.known))
            return not structure.is_written(name), name in self.tied, len(inputs.intersection(candidates))

        conflicting = basis.given(candidates).conflicting(candidates)  # all others can be known beside any of these
        in_turn = sorted((name for name in candidates if name in conflicting), key=rank)
        fixes = basis.given(in_turn).fixes  # the matching leaves unmatched what it is given last
        return {name for name in in_turn if f"={name}" not in fixes}

    def _may_follow(self, name: str) -> bool:
        """Whether own relations may lead to a fallback: all else in one would be determined with all chosen.

        Several may determine it together with what is open in each of them.
        """
        writers = self.structure.writers.get(name, ())
        if len(writers) > 1 or any(self.determinable >= self.structure.inputs[relation] for relation in writers):
            return True
        return self.sought is not None and any(self.ahead >= {*self.structure.members[writer]} for writer in writers)

    def _follows_from_others(self, name: str) -> bool:
        """Whether it is certain that relations yield a fallback as written from the other known names."""
        origins, inputs = self._origins, self.structure.inputs
        within = [relation for relation in self._writers_of([name]) if relation in self._reached_relations]
        return any(
            all(member in origins and name not in origins[member] for member in inputs[relation]) for relation in within
        )

    @cached_property
    def _reached_relations(self) -> frozenset[str]:
        return frozenset(self.reached)

    def _determined_by_own(self, names: Sequence[str]) -> list[str]:
        """The fallbacks among `names` that their own relations determine, if all other fallbacks are chosen."""
        following = self._following(names)
        own = self._writers_of(names)
        if not own or following.issuperset(names):
            return [name for name in names if name in following]
        matching = self.with_all.without(f"={name}" for name in names)
        matching.add_again(self.displaced, len(self.with_all.fixes) - len(matching.fixes))
        for relation in own:
            if relation not in self.structure.rivals:
                matching.add_before(relation, self.structure.members[relation], self.places)
        return [
            name
            for name in names
            if name in following or (matching.settles(name) and not matching.relations_for(name).isdisjoint(own))
        ]

    def _following(self, names: Sequence[str]) -> set[str]:
        """The fallbacks among `names` that relations yield as written, from what is sought and all other fallbacks."""
        structure, reached = self.structure, self.reached
        if not any(self.ahead >= {*structure.members[relation]} for relation in self._writers_of(names)):
            return set()
        known_before = {*self.given, *self.weak} - {*names}
        if self.sought is None:
            leading = upstream(structure, names, known_before)
            relations = [relation for relation in reached if relation in leading]
            return {*names} & forwards(structure, relations, known_before).keys()
        determined = known_before | forwards(structure, reached, known_before).keys()
        return {*names} & (determined | led_from(structure, self.sought, determined, self.candidates))

    def _writers_of(self, names: Sequence[str]) -> list[str]:
        """The relations that are written for some fallbacks."""
        return [*chain.from_iterable(self.structure.writers.get(name, ()) for name in names)]
