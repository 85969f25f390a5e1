"""The plan of a question: which relations answer it, in which order; structure only, no numbers.

A library is a bipartite graph of quantities and relations. A question is a target and a set of given names. The plan
is found in four steps, and every tie goes to the relation that was stated first.

1. Reach. The component of the target, connected through quantities that are not given; all else is ignored. So are
  relations that alone contain an open quantity: they say that one, and nothing of the target.
2. Basis. A maximum matching of relations to unknowns decides which relations are needed and which can only be checks
  (those with no unknown left to fix). Weak values (defaults, profiles) enter last, each as a relation of one unknown,
  so a weak value is used only where the relations and the givens leave its quantity open. Of several approximate
  relations for one quantity only the first takes part: two estimates of one quantity are not two equations. One that
  says what another relation says in less or more detail takes part in its place only, for what is open otherwise.
3. Directions. From the givens, relations run forwards as they are written, as far as possible; among several
  relations for one quantity the first stated wins, unless it would close a cycle. The remaining unknowns are matched
  again, backwards.
4. Blocks. Quantities that need each other form a strongly connected component: a block of simultaneous equations. The
  plan is the components that the target needs, in topological order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

from derive.caches import Memo
from derive.model.relation_set import RelationSet
from derive.planning.directions import directed, forwards, led_from, upstream
from derive.planning.incidence import Core, Exchange, Structure, core_of
from derive.planning.matching import Matching
from derive.planning.networks import components, reached

_PLANS = Memo["Plan"](most=512)
_MATCHINGS = Memo["tuple[Matching, tuple[str, ...]]"](most=8)  # of bases, with the weak values that they use
_SOLVED = Memo[Mapping[str, str]](most=8)
_FALLBACKS = Memo[list[str]](most=64)  # a tree of cases asks often
_LEADS = Memo["_Leads"](most=16)
_SPARE = 30  # limit on unneeded relations, and on displaced weak values, that are computed only to be checked


@dataclass(frozen=True, slots=True)
class Block:
    """Relations that are solved simultaneously, and the unknowns that they fix."""

    relations: tuple[str, ...]
    unknowns: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """The plan of a question: the blocks in order, the weak values in use, and the relations that remain as checks."""

    target: str
    blocks: tuple[Block, ...]
    weak: tuple[str, ...]  # names whose weak value is in use
    checks: tuple[str, ...]  # relations that are not needed, and all of whose quantities are known
    extra: tuple[Block, ...] = ()  # blocks that only the checks need
    is_determined: bool = True

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The relations by which the plan leads to the target, in order."""
        return tuple(chain.from_iterable(block.relations for block in self.blocks))

    @cached_property
    def unknowns(self) -> tuple[str, ...]:
        """The quantities that the plan's relations fix on the way to the target, in order."""
        return tuple(chain.from_iterable(block.unknowns for block in self.blocks))

    @cached_property
    def spent(self) -> frozenset[str]:
        """The relations of the plan that compute a quantity, for target or check, and so hold by construction."""
        return frozenset(self.relations).union(*(block.relations for block in self.extra))

    @cached_property
    def sources(self) -> Mapping[str, Block]:
        """The block of the plan that fixes each quantity, needed for the target or for a check."""
        sources: dict[str, Block] = {}
        for block in (*self.blocks, *self.extra):
            sources.update(dict.fromkeys(block.unknowns, block))
        return sources

    @property
    def is_joint(self) -> bool:
        """Whether a block of the plan has more relations than unknowns, so that no block can be run alone."""
        return any(len(block.relations) > len(block.unknowns) for block in self.blocks)


def plan_for(
    library: RelationSet,
    target: str,
    given: Iterable[str],
    weak: Iterable[str],
    left_out: frozenset[str] = frozenset(),
    stated: frozenset[str] = frozenset(),
    core: Core | None = None,
) -> Plan:
    """The plan for a target in a library, cached in it; what a profile states (`stated`) is no fallback.

    The core of another target serves as well, if it holds this one.
    """
    given, weak = list(given), list(weak)
    core = core or core_of(library, (target, *given, *weak))
    left_out &= core.decisive  # the others make no difference, and would be other keys of the same plan
    key = target, frozenset(given), tuple(weak), left_out, stated
    return _PLANS.of(library.session, key, lambda: plan(core.structure(left_out, stated), target, given, weak))


def plan(structure: Structure, target: str, given: Sequence[str], weak: Sequence[str]) -> Plan:
    """The plan for a target, from the names that are given and those that have weak values, strongest first.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> found = plan(Structure.of(circuits.relations.values()), "resistance", ["dissipated_power", "current"], [])
    >>> [(block.relations, block.unknowns) for block in found.blocks]
    [(('joule',), ('voltage',)), (('ohm',), ('resistance',))]
    """
    base = basis_of(structure, target, given, weak, only_bearing=True)
    all_relations = structure
    structure, weak, relations, used, known = base.structure, base.weak, base.relations, base.used, base.known
    if target not in known and not base.matching.settles(target):
        return Plan(target, blocks=(), weak=used, checks=(), is_determined=False)
    solved = base.solved
    blocks = ordered(structure, solved, [target], known)
    solving = set(solved.values())
    unneeded = [relation for relation in relations if relation not in solving][:_SPARE]
    answered = structure.quantities_of(chain.from_iterable(block.relations for block in blocks)) | {target}
    displaced = [name for name in weak if name in solved and name not in known]
    yielding = [name for name in displaced if _depends_on_answer(structure, solved, name, answered)][:_SPARE]
    limited: list[str] = []
    from_givens: dict[str, list[Block]] = {}  # of each quantity that only what is given connects with the target
    for names in structure.limits:
        computed = [name for name in names if name in solved and name not in known]
        if not any(_depends_on_answer(structure, solved, name, answered) for name in computed):
            continue
        disconnected = [name for name in names if not (name in known or name in weak or base.matching.settles(name))]
        blocks_from_givens = {name: _following_from_givens(all_relations, name, given) for name in disconnected}
        if all(blocks_from_givens.values()):
            limited += computed
            from_givens |= blocks_from_givens
    limited = limited[:_SPARE]
    members = chain.from_iterable(structure.members[relation] for relation in unneeded)
    wanted = [name for name in dict.fromkeys([*members, *yielding, *limited]) if base.matching.settles(name)]
    extra = [block for block in ordered(structure, solved, wanted, known) if block not in blocks]
    extra += dict.fromkeys(chain.from_iterable(from_givens.values()))
    spent = {*chain.from_iterable(block.relations for block in (*blocks, *extra))}
    known_or_derived = known.union(*(block.unknowns for block in (*blocks, *extra)))
    unused = (relation for relation in relations if relation not in spent)
    checks = tuple(relation for relation in unused if known_or_derived.issuperset(structure.members[relation]))
    return Plan(target, tuple(blocks), weak=used, checks=checks, extra=tuple(extra))


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
        """The quantities that a plan starts from: those given, and those whose weak values are in use."""
        return self.given | {*self.used}

    @property
    def solved(self) -> Mapping[str, str]:
        """The relation that a plan computes each unknown from; a spare estimate only tests exact relations."""

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


def fallbacks_led_to(structure: Structure, target: str, given: frozenset[str], weak: Iterable[str]) -> list[str]:
    """The fallbacks that a plan does not use, since relations yield them from the target and other known names."""
    leads = _Leads.of(structure, given, [name for name in weak if name != target])
    led = leads.beyond_fallbacks(structure, target)
    return [name for name, names in leads.missing if names <= led]


def is_surely_open(structure: Structure, target: str, given: frozenset[str], weak: Iterable[str]) -> bool:
    """Whether it is certain that no plan determines a target.

    One search serves all targets, and misses some that are open.
    """
    if structure.alternatives or target in given:
        return False
    known = given.union(weak)
    apart = structure.apart(known.union(*structure.limits))
    if target in known:
        return all(relation in apart for relation in structure.holders.get(target, ()))
    return target not in structure.within_reach(known)


def _may_settle(structure: Structure, basis: Basis, weak: tuple[str, ...], exchange: Exchange, target: str) -> bool:
    """Whether a plan may determine its target with estimates in the place of other relations, tried beside them."""
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
    bare, usable = _decide_fallbacks(structure, bearing, target, strong, weak)
    if bare is not structure:
        bearing = bearing_on_target(bare)

    def match() -> tuple[Matching, tuple[str, ...]]:
        """Match the bearing relations, and keep the weak values that only other relations hold."""
        matching, used = based(bare, bearing, strong, usable)
        if only_bearing:  # nothing displaces the weak values that only the other relations hold
            held_apart = bare.around(target, strong) - bare.quantities_of(bearing)
            used = [name for name in usable if name in held_apart or name in used]
        return matching, tuple(used)

    weak_names, relations = tuple(usable), tuple(bearing)
    matching, used = _MATCHINGS.of(bare.session, (strong, weak_names, relations), match)
    return Basis(bare, weak=weak_names, relations=relations, matching=matching, used=used, given=strong)


def _decide_fallbacks(
    structure: Structure, reached: Sequence[str], target: str, given: frozenset[str], weak: Iterable[str]
) -> tuple[Structure, list[str]]:
    """Decide which fallbacks (`otherwise`) a plan uses; returns the structure and weak values that then count.

    A fallback is used where the relations written for its quantity do not determine it, and then replaces them: it is
    never run backwards through them. It is dropped where they do determine it, and where the stated values determine
    it by other relations, or the given ones with other fallbacks; that result may be run backwards. So is one that its
    own relations would yield if the target were known: it is a function of the target, whatever else the question says.
    A fallback that no relation is written for, such as a rest of 0, replaces nothing: it yields to the stated values
    like any default, and to the other ones where a relation ties it to the target. Whoever asks for the reactance of a
    coil means a circuit that has a coil, and none of the capacitors that it might have too.
    """
    usable = [name for name in weak if name != target]
    if structure.otherwise.isdisjoint(usable):
        return structure, usable
    inside = structure.quantities_of(reached)
    in_use: Sequence[str] = ()
    if not structure.otherwise.isdisjoint(inside):
        in_use = _fallbacks_among(structure, reached, given, usable, target)
    around = structure.around(target, given)
    fallbacks = [name for name in usable if name in structure.otherwise and name in around]
    kept = [name for name in fallbacks if name in in_use or name not in inside]
    replacing = [name for name in kept if structure.is_written(name)]
    yielding = [name for name in usable if name in kept or name not in fallbacks]
    return structure.not_written_for(kept), list(dict.fromkeys([*replacing, *yielding]))


def _fallbacks_among(
    structure: Structure, reached: Sequence[str], given: frozenset[str], weak: Sequence[str], target: str
) -> list[str]:
    """The fallbacks that a plan uses among those that some relations contain.

    A relation that alone contains an open quantity fixes only that one, and no fallback. So without such relations the
    result is the same, and most targets of a question share it; but not a target that leads to fallbacks.
    """
    beside = structure.quantities_of(relation for relation in reached if target in structure.members[relation])
    tied = frozenset(name for name in structure.otherwise & beside if not structure.is_written(name))
    in_use: list[str] = []  # fallbacks that only relations set apart contain
    sought = target if _Leads.of(structure, given, weak).beyond_fallbacks(structure, target) else None
    if sought is None:
        lone_relations = structure.apart(given.union(weak, *structure.limits))
        left = [relation for relation in reached if relation not in lone_relations]
        only_in_these = structure.quantities_of(reached) - structure.quantities_of(left)
        in_use = [name for name in weak if name in structure.otherwise and name in only_in_these]
        reached = left
    key = frozenset(reached), given, tuple(weak), sought, tied
    find = partial(_fallbacks_in_use, structure, reached, given, weak, sought=sought, tied=tied)
    return [*in_use, *_FALLBACKS.of(structure.session, key, find)]


class _Leads(NamedTuple):
    """What follows from the known names of a question, and what is missing beside them to compute its fallbacks."""

    given: frozenset[str]
    known: frozenset[str]
    ahead: frozenset[str]  # what relations yield from what is known
    missing: Sequence[tuple[str, frozenset[str]]]  # what relations written for fallbacks need beside that
    starts: frozenset[str]  # the quantities that lead to another one alone, or are all that is missing

    @classmethod
    def of(cls, structure: Structure, given: frozenset[str], weak: Sequence[str]) -> _Leads:
        """The leads of a question to its fallbacks, from the given and the weak names; cached."""
        known = given.union(weak)

        def build() -> _Leads:
            """Collect what the known names yield, what fallbacks miss beside that, and which quantities may lead on."""
            ahead = known | forwards(structure, list(structure.members), known).keys()
            missing: list[tuple[str, frozenset[str]]] = []
            for name in weak:
                writers = structure.writers.get(name, ()) if name in structure.otherwise else ()
                needs = [frozenset(structure.members[relation]) - ahead for relation in writers]
                missing += [(name, names) for names in needs if names]
            starts = set(chain.from_iterable(names for _, names in missing if len(names) == 1))
            if missing:
                for members in structure.members.values():
                    open_names = [name for name in members if name not in ahead]
                    if len(open_names) == 2:
                        starts.update(open_names)
            return cls(given, known, ahead, missing, frozenset(starts))

        return _LEADS.of(structure.session, (given, known), build)

    def beyond_fallbacks(self, structure: Structure, target: str) -> frozenset[str]:
        """The quantities that follow from a target; none unless it leads through a fallback to a given."""
        if target in self.known or not self.given or target not in self.starts:
            return frozenset()
        led = led_from(structure, target, self.ahead, structure.otherwise)
        pending = [name for name, names in self.missing if names <= led]
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


def _fallbacks_in_use(
    structure: Structure,
    reached: Sequence[str],
    given: frozenset[str],
    weak: Sequence[str],
    *,
    sought: str | None = None,
    tied: frozenset[str] = frozenset(),
) -> list[str]:
    """The fallbacks that a plan uses for a question that reaches some relations; `sought` leads to some of them.

    Of fallbacks that no relation is written for, those that a relation ties to the target are the first to yield.
    """
    inside = structure.quantities_of(reached)
    candidates = [name for name in weak if name in inside and name in structure.otherwise]
    firm = [name for name in weak if name in inside and name not in structure.otherwise]
    bare = structure.not_written_for(candidates)
    basis, _ = based(bare, [relation for relation in reached if relation in bare.members], given, ())
    stated = basis.given(name for name in firm if name in basis.unknowns)
    yielding = {name for name in candidates if name in stated.unknowns and stated.settles(name)}
    with_fallbacks = basis.given(candidates)
    if any(f"={name}" not in with_fallbacks.fixes for name in candidates):  # the givens determine one of them
        yielding |= _redundant(structure, basis, [name for name in candidates if name not in yielding], tied)
    if yielding:  # the relations written for these are as others from here on, and may lead to other fallbacks
        weak = [name for name in weak if name not in yielding]
        return _fallbacks_in_use(structure, reached, given, weak, sought=sought, tied=tied)
    known = {f"={name}": place for place, name in enumerate([*candidates, *firm])}
    everything = with_fallbacks.given(firm)
    displaced = [label for label in known if label not in everything.fixes]
    ahead = forwards(structure, reached, {*given, *weak}).keys() | given | {*weak}
    if sought is not None:
        ahead |= led_from(structure, sought, ahead, candidates)

    def follows(names: Sequence[str]) -> set[str]:
        """The fallbacks among `names` that relations yield as written, from what is sought and all other fallbacks."""
        writers = [*chain.from_iterable(structure.writers.get(name, ()) for name in names)]
        if not any(ahead.issuperset(structure.members[relation]) for relation in writers):
            return set()
        known_before = {*given, *weak} - {*names}
        if sought is None:
            leading = upstream(structure, names, known_before)
            relations = [relation for relation in reached if relation in leading]
            return {*names} & forwards(structure, relations, known_before).keys()
        determined = known_before | forwards(structure, reached, known_before).keys()
        return {*names} & (determined | led_from(structure, sought, determined, candidates))

    def determined_by_own(names: Sequence[str]) -> list[str]:
        """The fallbacks among `names` that their own relations determine, if all other fallbacks are known."""
        following = follows(names)
        own = [*chain.from_iterable(structure.writers.get(name, ()) for name in names)]
        if not own or following.issuperset(names):
            return [name for name in names if name in following]
        matching = everything.without(f"={name}" for name in names)
        matching.add_again(displaced, len(everything.fixes) - len(matching.fixes))
        for relation in own:
            if relation not in structure.rivals:
                matching.add_before(relation, structure.members[relation], known)
        return [
            name
            for name in names
            if name in following or (matching.settles(name) and not matching.relations_for(name).isdisjoint(own))
        ]

    # A relation leads to its fallback only where all else in it would be determined with all fallbacks known.
    determinable = given | (everything.unknowns.keys() - everything.loose(bare.holders))

    def may_follow(name: str) -> bool:
        inputs = [{*structure.members[relation]} for relation in structure.writers.get(name, ())]
        if any(determinable.issuperset(members - {name}) for members in inputs):
            return True
        return sought is not None and any(ahead.issuperset(members) for members in inputs)

    determined_alone = [name for name in candidates if may_follow(name) and determined_by_own([name])]
    dropped = determined_alone
    while dropped != (still_determined := determined_by_own(dropped)):  # some are determined only through each other
        dropped = still_determined
    for name in determined_alone:  # one that was not determined beside others that have come back since
        if name not in dropped and len(determined_by_own([*dropped, name])) > len(dropped):
            dropped = [*dropped, name]
    return [name for name in candidates if name not in dropped]


def _redundant(structure: Structure, basis: Matching, candidates: Sequence[str], tied: Set[str]) -> set[str]:
    """The fallbacks that a plan drops, since the givens determine them together with the other fallbacks.

    Of two that determine each other it is the one that no relation is written for; of two such, the one that a relation
    ties to the target; and else the one whose own relations depend on the other.
    """
    full_graph = structure.full_graph or structure

    def rank(name: str) -> tuple[bool, bool, int]:
        inputs = full_graph.quantities_of(upstream(full_graph, [name], basis.known))
        return not structure.is_written(name), name in tied, len(inputs.intersection(candidates))

    conflicting = basis.given(candidates).conflicting(candidates)  # all others can be known beside any of these
    in_turn = sorted((name for name in candidates if name in conflicting), key=rank)
    fixes = basis.given(in_turn).fixes  # the matching leaves unmatched what it is given last
    return {name for name in in_turn if f"={name}" not in fixes}


def based(
    structure: Structure, relations: Sequence[str], given: Iterable[str], weak: Iterable[str]
) -> tuple[Matching, list[str]]:
    """The matching for a plan's basis, and the weak values in use: those of quantities that stay open.

    Later estimates of one unknown are left out: they are not further equations for it.
    """
    strong = frozenset(given)
    basis = Matching(strong)
    late = {name for name in relations if name in structure.rivals and structure.forward[name] not in strong}
    basis.add_all((relation for relation in relations if relation not in late), structure.members)
    inside = basis.unknowns.keys() | structure.quantities_of(late) - strong
    used = [name for name in weak if name in inside and basis.add_value(name)]
    return basis, used


def determined(structure: Structure, given: Iterable[str], weak: Iterable[str]) -> frozenset[str]:
    """All quantities that a plan could compute from some names, whatever its target."""
    known, weak_names = frozenset(given), list(weak)
    names = _determined(structure, known, weak_names)
    alternatives = (exchange.structure for exchange in structure.alternatives if exchange.adds_to(names | known))
    return names.union(*(determined(alternative, known, weak_names) for alternative in alternatives))


def _determined(structure: Structure, known: frozenset[str], weak: Sequence[str]) -> frozenset[str]:
    """The quantities that a plan could compute without estimates in the place of other relations."""
    fixed = known.union(weak, *structure.limits)
    bearing = _bearing_relations(structure, fixed)
    inside = structure.quantities_of(bearing)
    in_use = _fallbacks_in_use(structure, bearing, known, weak)
    in_use += [name for name in weak if name in structure.otherwise and name not in inside]
    bare = structure.not_written_for(in_use)
    used = [*in_use, *(name for name in weak if name not in structure.otherwise)]
    bearing = _bearing_relations(bare, fixed)
    matching, _ = based(bare, bearing, known, used)
    for relation in structure.rivals & bare.members.keys():
        matching.add(relation, structure.members[relation])
    names = {name for name in used if bare.holders.get(name) and name not in known}
    names |= matching.determined(bare)
    names |= bare.led_to(bare.apart(fixed), names | known)
    return frozenset(names) | _determined_by_what_they_lead_to(structure, known, weak, in_use, names)


def _bearing_relations(structure: Structure, fixed: frozenset[str]) -> list[str]:
    """The relations that may bear on any plan's target: none of them alone contains an open quantity."""
    apart = structure.apart(fixed)
    return [relation for relation in structure.members if relation not in apart]


def _determined_by_what_they_lead_to(
    structure: Structure, known: frozenset[str], weak: Sequence[str], in_use: Sequence[str], determined: Set[str]
) -> frozenset[str]:
    """The quantities that a plan determines only as targets: fallbacks that they lead to are then not used."""
    if not any(name in structure.writers for name in in_use):
        return frozenset()
    leads = _Leads.of(structure, known, weak)
    sought = [name for name in structure.holders if name not in determined and name in leads.starts]
    firm = [name for name in weak if name not in structure.otherwise]
    bases: dict[frozenset[str], Matching | None] = {}  # for quantities that lead to each other
    determined_too = set()
    for name in sought:
        led = leads.beyond_fallbacks(structure, name)
        if led and led not in bases:
            in_use_for_name = _fallbacks_in_use(structure, list(structure.members), known, weak, sought=name)
            bare = structure.not_written_for(in_use_for_name)
            bases[led] = None
            if len(in_use_for_name) < len(in_use):
                bases[led], _ = based(bare, list(bare.members), known, [*in_use_for_name, *firm])
        basis = bases.get(led)
        if basis is not None and basis.settles(name):
            determined_too.add(name)
    return frozenset(determined_too)


def _depends_on_answer(structure: Structure, solved: Mapping[str, str], name: str, answered: set[str]) -> bool:
    """Whether a plan computes a quantity from quantities of the answer."""
    behind = reached((name,), lambda unknown: structure.members[solved[unknown]] if unknown in solved else ())
    return any(unknown in answered for unknown in behind)


def _following_from_givens(structure: Structure, name: str, given: Sequence[str]) -> list[Block]:
    """The blocks of a plan by which a quantity follows from the givens alone; none if it does not."""
    if is_surely_open(structure, name, frozenset(given), ()):
        return []
    base = basis_of(structure, name, given, (), only_bearing=True)
    if not base.matching.settles(name):
        return []
    return ordered(base.structure, base.solved, [name], base.known)


def ordered(
    structure: Structure, solved: Mapping[str, str], targets: Sequence[str], known: frozenset[str] | set[str]
) -> list[Block]:
    """The blocks of a plan that some targets need, in order; what the blocks depend on is solved or known."""
    pending = [name for name in targets if name not in known]
    edges: dict[str, list[str]] = {name: [] for name in pending}
    while pending:
        name = pending.pop()
        for member in structure.members[solved[name]]:
            if member == name or member in known:
                continue
            edges[name].append(member)
            if member not in edges:
                edges[member] = []
                pending.append(member)
    if not edges:
        return []
    order = {name: i for i, name in enumerate(structure.holders)}
    position = {relation: i for i, relation in enumerate(structure.members)}
    blocks = []
    for component in components(edges):
        unknowns = tuple(sorted(component, key=lambda name: order.get(name, -1)))
        relations = tuple(sorted((solved[name] for name in unknowns), key=position.__getitem__))
        blocks.append(Block(relations, unknowns))
    return blocks
