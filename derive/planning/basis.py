"""The basis of a plan: the relations that a target is connected to, matched to the unknowns that they fix.

A plan can compute its target if the basis determines it. `determined` collects all targets that some plan can compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from derive.caches import Memo
from derive.planning.directions import directed
from derive.planning.fallbacks import Leads, decide_fallbacks, fallbacks_in_use
from derive.planning.incidence import Exchange, Structure
from derive.planning.matching import Matching, matched

_MATCHINGS = Memo["tuple[Matching, tuple[str, ...]]"](most=8)  # of bases, with the weak values that they use
_SOLVED = Memo[Mapping[str, str]](most=8)
_DETERMINED = Memo["_Determined"](most=64)
_BEYOND = Memo[Matching | None](most=64)


@dataclass(frozen=True)
class Basis:
    """The basis of a plan: the relations that a target is connected to, matched to their unknowns.

    All targets of one component share a basis, except a target that has a weak value: that value is not used for it.
    """

    structure: Structure
    weak: tuple[str, ...]
    relations: tuple[str, ...]
    matching: Matching  # not to be added to; a copy of it may be
    used: tuple[str, ...]  # the weak values in use
    given: frozenset[str]

    @cached_property
    def known(self) -> frozenset[str]:
        """The quantities that a basis builds on: those given, and those whose weak values are in use."""
        return self.given | {*self.used}

    @property
    def solved(self) -> Mapping[str, str]:
        """The relation of the basis that computes each unknown; a spare estimate only tests exact relations."""

        def direct() -> Mapping[str, str]:
            spare = self.structure.estimates - self.matching.fixes.keys()
            relations = [relation for relation in self.relations if relation not in spare]
            return directed(self.structure, relations, self.known)

        return _SOLVED.of(self.structure.session, (self.given, self.weak, self.relations), direct)


def basis_of(
    structure: Structure, target: str, given: Iterable[str], weak: Iterable[str], *, only_bearing: bool = False
) -> Basis:
    """The basis of a plan, also of only the relations that bear on its target.

    Where the relations leave the target open, estimates stand in the place of some. The last few bases are cached.
    """
    strong, weak = frozenset(given), tuple(weak)
    first = _basis_of(structure, target, strong, weak, only_bearing)
    if target in strong or first.matching.settles(target):
        return first
    for exchange in structure.alternatives:
        if _may_settle(structure, first, weak, exchange, target):
            basis = basis_of(exchange.structure, target, strong, weak, only_bearing=only_bearing)
            if basis.matching.settles(target):
                return basis
    return first


def is_surely_open(structure: Structure, target: str, given: frozenset[str], weak: Iterable[str]) -> bool:
    """Whether it is certain, before any basis is matched, that none determines a target.

    One search serves all targets, and misses some that are open.
    """
    if structure.alternatives or target in given:
        return False
    known = given.union(weak)
    lone_relations = structure.apart(known.union(*structure.limits))
    if target in known:
        return all(relation in lone_relations for relation in structure.holders.get(target, ()))
    return target not in structure.within_reach(known)


def _may_settle(structure: Structure, basis: Basis, weak: tuple[str, ...], exchange: Exchange, target: str) -> bool:
    """Whether a basis may determine the target once estimates that can replace other relations are added to it."""
    matching = basis.matching.copy()
    for estimate, names in exchange.estimates.items():
        for name in names:
            if name in basis.given or name in matching.unknowns:
                continue
            if name in weak or _basis_of(structure, name, basis.given, weak, only_bearing=True).matching.settles(name):
                return True  # by relations that the target did not reach
        matching.add(estimate, names)
    return matching.settles(target)


def _basis_of(
    structure: Structure, target: str, strong: frozenset[str], weak: tuple[str, ...], only_bearing: bool
) -> Basis:
    """The basis of a plan without estimates in the place of other relations.

    Which fallbacks stand is decided among all relations, and removes those written for them; what is left is connected,
    and bears on the target, in fewer ways than before, so both are looked at again.
    """
    fixed = strong.union((target,), weak, *structure.limits)

    def bearing_on_target(remaining: Structure) -> Sequence[str]:
        return remaining.bearing(target, strong, fixed) if only_bearing else remaining.reached(target, strong)

    bearing = bearing_on_target(structure)
    bare, usable = decide_fallbacks(structure, bearing, target, strong, weak)
    if bare is not structure:
        bearing = bearing_on_target(bare)

    def match() -> tuple[Matching, tuple[str, ...]]:
        """Match the bearing relations, and keep the weak values that only other relations hold."""
        matching, used = matched(bare, bearing, strong, usable)
        if only_bearing:  # nothing displaces the weak values that only the other relations hold
            held_apart = bare.around(target, strong) - bare.quantities_of(bearing)
            used = [name for name in usable if name in held_apart or name in used]
        return matching, tuple(used)

    weak_names, relations = tuple(usable), tuple(bearing)
    matching, used = _MATCHINGS.of(bare.session, (strong, weak_names, relations), match)
    return Basis(bare, weak=weak_names, relations=relations, matching=matching, used=used, given=strong)


def determined(structure: Structure, given: Iterable[str], weak: Iterable[str]) -> frozenset[str]:
    """All targets that the basis of some plan determines from these given and weak names."""
    known, weak_names = frozenset(given), list(weak)
    first = _Determination(structure, known, weak_names)
    names = first.names | first.beyond(structure.holders)
    alternatives = (exchange.structure for exchange in structure.alternatives if exchange.adds_to(names | known))
    return names.union(*(determined(alternative, known, weak_names) for alternative in alternatives))


def is_determined(structure: Structure, target: str, given: Iterable[str], weak: Iterable[str]) -> bool:
    """Whether the basis of some plan determines a target from these given and weak names."""
    known, weak_names = frozenset(given), list(weak)
    first = _Determination(structure, known, weak_names)
    if target in first.names or target in first.beyond([target]):
        return True
    alternatives = (exchange.structure for exchange in structure.alternatives if exchange.adds_to(first.names | known))
    return any(is_determined(alternative, target, known, weak_names) for alternative in alternatives)


class _Determined(NamedTuple):
    """The targets of all bases with the same fallbacks in use, and these fallbacks: no target leads to any of them."""

    names: frozenset[str]
    fallbacks: list[str]


@dataclass(frozen=True)
class _Determination:
    """What given and weak names determine by bases without estimates in the place of other relations."""

    structure: Structure
    known: frozenset[str]
    weak: Sequence[str]

    @property
    def names(self) -> frozenset[str]:
        """The targets that are determined with the same fallbacks in use."""
        return self._first.names

    @cached_property
    def _first(self) -> _Determined:
        return _DETERMINED.of(self.structure.session, (self.known, tuple(self.weak)), self._with_same_fallbacks)

    def _with_same_fallbacks(self) -> _Determined:
        """Choose the fallbacks, and match the relations that bear on any target."""
        structure, known = self.structure, self.known
        bearing = self._bearing(structure)
        inside = structure.quantities_of(bearing)
        in_use = fallbacks_in_use(structure, bearing, known, self.weak)
        in_use += [name for name in self.weak if name in structure.otherwise and name not in inside]
        bare = structure.not_written_for(in_use)
        used = [*in_use, *self._firm]
        matching, _ = matched(bare, self._bearing(bare), known, used)
        for relation in structure.rivals & bare.members.keys():
            matching.add(relation, structure.members[relation])
        names = {name for name in used if bare.holders.get(name) and name not in known}
        names |= matching.determined(bare)
        names |= bare.led_to(bare.apart(self._fixed), names | known)
        return _Determined(frozenset(names), in_use)

    @cached_property
    def _firm(self) -> Sequence[str]:
        """The weak values that are no fallbacks."""
        return [name for name in self.weak if name not in self.structure.otherwise]

    @cached_property
    def _fixed(self) -> frozenset[str]:
        return self.known.union(self.weak, *self.structure.limits)

    def _bearing(self, structure: Structure) -> list[str]:
        """The relations that may be in the basis of some target: none of them alone contains an open quantity."""
        lone_relations = structure.apart(self._fixed)
        return [relation for relation in structure.members if relation not in lone_relations]

    def beyond(self, targets: Iterable[str]) -> frozenset[str]:
        """The targets that only a basis for them determines: it does not use fallbacks that they lead to."""
        structure = self.structure
        if not any(name in structure.writers for name in self._first.fallbacks):
            return frozenset()
        leads = Leads.of(structure, self.known, self.weak)
        sought = [name for name in targets if name not in self.names and leads.may_lead_on(structure, name)]
        determined_too = set()
        for name in sought:
            led = leads.beyond_fallbacks(structure, name)
            basis = self._basis_beyond(led, name) if led else None
            if basis is not None and basis.settles(name):
                determined_too.add(name)
        return frozenset(determined_too)

    def _basis_beyond(self, led: frozenset[str], name: str) -> Matching | None:
        """The matching without fallbacks that a target leads to; None if it uses the same as for any other target.

        Targets that lead to each other share it.
        """

        def match() -> Matching | None:
            """Match all relations, if fewer fallbacks are in use."""
            structure = self.structure
            in_use = fallbacks_in_use(structure, list(structure.members), self.known, self.weak, name)
            if len(in_use) >= len(self._first.fallbacks):
                return None
            bare = structure.not_written_for(in_use)
            return matched(bare, list(bare.members), self.known, [*in_use, *self._firm])[0]

        return _BEYOND.of(self.structure.session, (self.known, tuple(self.weak), led), match)
