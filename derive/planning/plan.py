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
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from derive.caches import Memo
from derive.planning.incidence import Exchange, Structure
from derive.planning.matching import Matching, directed, forwards, led_from, upstream
from derive.planning.networks import components, reached

_BASES = Memo["Basis"](most=8)
_STANDING = Memo[list[str]](most=64)  # a tree of cases asks often
_LEADS = Memo["_Leads"](most=16)
_SPARE = 30  # limit on unneeded relations, and on displaced weak values, that are computed only to be checked


@dataclass(frozen=True, slots=True)
class Block:
    """Relations that are solved together, and the unknowns that they fix."""

    relations: tuple[str, ...]
    unknowns: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """The blocks in order, the weak values in use, and the relations that remain as checks."""

    target: str
    blocks: tuple[Block, ...]
    weak: tuple[str, ...]  # names whose weak value is in use
    checks: tuple[str, ...]  # relations that are not needed, and all of whose quantities are known
    extra: tuple[Block, ...] = ()  # blocks that only the checks need
    is_determined: bool = True

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The relations that lead to the target, in order."""
        return tuple(name for block in self.blocks for name in block.relations)

    @cached_property
    def unknowns(self) -> tuple[str, ...]:
        """The quantities that these fix on the way to the target, in order."""
        return tuple(name for block in self.blocks for name in block.unknowns)

    @cached_property
    def spent(self) -> frozenset[str]:
        """The relations by which something is computed, also for the checks alone: they hold by construction."""
        return frozenset(self.relations).union(*(block.relations for block in self.extra))

    @cached_property
    def sources(self) -> Mapping[str, Block]:
        """The block that fixes each quantity, also for the checks alone."""
        return {name: block for block in (*self.blocks, *self.extra) for name in block.unknowns}

    @property
    def is_joint(self) -> bool:
        """Whether some relations are one step, which eliminates what has no value: no plan to run block by block."""
        return any(len(block.relations) > len(block.unknowns) for block in self.blocks)


def plan(structure: Structure, target: str, given: Sequence[str], weak: Sequence[str]) -> Plan:
    """The plan for a target, from the names that are given and those that have weak values, strongest first.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> found = plan(Structure.of(circuits.relations.values()), "resistance", ["dissipated_power", "current"], [])
    >>> [(block.relations, block.unknowns) for block in found.blocks]
    [(('joule',), ('voltage',)), (('ohm',), ('resistance',))]
    """
    base = basis_of(structure, target, given, weak, only_bearing=True)
    whole = structure
    structure, weak, relations, used, known = base.structure, base.weak, base.relations, base.used, base.known
    if target not in known and not base.matching.settles(target):
        return Plan(target, (), used, (), is_determined=False)
    solved = base.solved
    blocks = ordered(structure, solved, [target], known)
    taken = set(solved.values())
    spare = [relation for relation in relations if relation not in taken][:_SPARE]
    used_relations = (relation for block in blocks for relation in block.relations)
    answered = {target, *(name for relation in used_relations for name in structure.members[relation])}
    displaced = [name for name in weak if name in solved and name not in known]
    yielding = [name for name in displaced if _depends_on_answer(structure, solved, name, answered)][:_SPARE]
    limited: list[str] = []
    from_givens: dict[str, list[Block]] = {}  # of each quantity that only what is given connects with the target
    for names in structure.limits:
        computed = [name for name in names if name in solved and name not in known]
        if not any(_depends_on_answer(structure, solved, name, answered) for name in computed):
            continue
        apart = [name for name in names if not (name in known or name in weak or base.matching.settles(name))]
        led_to = {name: _following_from_givens(whole, name, given) for name in apart}
        if all(led_to.values()):
            limited += computed
            from_givens |= led_to
    limited = limited[:_SPARE]
    members = (name for relation in spare for name in structure.members[relation])
    wanted = [name for name in dict.fromkeys([*members, *yielding, *limited]) if base.matching.settles(name)]
    extra = [block for block in ordered(structure, solved, wanted, known) if block not in blocks]
    extra += dict.fromkeys(chain.from_iterable(from_givens.values()))
    spent = {relation for block in (*blocks, *extra) for relation in block.relations}
    settled = known | {name for block in (*blocks, *extra) for name in block.unknowns}
    checks = tuple(
        relation for relation in relations if relation not in spent and settled.issuperset(structure.members[relation])
    )
    return Plan(target, tuple(blocks), used, checks, tuple(extra))


@dataclass(frozen=True)
class Basis:
    """The relations that a target is connected to, matched to their unknowns.

    All targets of one component have the same, unless one has a weak value itself, which does not count for it.
    """

    structure: Structure
    weak: tuple[str, ...]
    relations: tuple[str, ...]
    matching: Matching  # not to be added to; a copy of it may be
    used: tuple[str, ...]  # the weak values in use
    given: frozenset[str]

    @cached_property
    def known(self) -> frozenset[str]:
        """What is given, and the quantities whose weak values are in use."""
        return self.given | {*self.used}

    @cached_property
    def solved(self) -> Mapping[str, str]:
        """The relation that each unknown follows from; an estimate that is not needed only tests exact ones."""
        spare = self.structure.estimates - self.matching.fixes.keys()
        return directed(self.structure, [one for one in self.relations if one not in spare], self.known)


def basis_of(
    structure: Structure, target: str, given: Iterable[str], weak: Iterable[str], *, only_bearing: bool = False
) -> Basis:
    """The basis of a question, also of only the relations that bear on its target; the last few are cached.

    Where the relations leave the target open, estimates stand in the place of some.
    """
    strong, weak = frozenset(given), tuple(weak)
    first = _basis_of(structure, target, strong, weak, only_bearing)
    if target in strong or first.matching.settles(target):
        return first
    likely = (other.structure for other in structure.alternatives if _may_settle(structure, first, weak, other, target))
    others = (basis_of(other, target, strong, weak, only_bearing=only_bearing) for other in likely)
    return next((other for other in others if other.matching.settles(target)), first)


def fallbacks_led_to(structure: Structure, target: str, given: frozenset[str], weak: Iterable[str]) -> list[str]:
    """The fallbacks that yield since they follow from the target, beside what is given."""
    leads = _Leads.of(structure, given, [name for name in weak if name != target])
    led = leads.beyond_fallbacks(target)
    return [name for name, names in leads.missing if names <= led]


def is_surely_open(structure: Structure, target: str, given: frozenset[str], weak: Iterable[str]) -> bool:
    """Whether no plan could determine a target: this takes one look for all targets, and overlooks some."""
    if structure.alternatives or target in given:
        return False
    known = given.union(weak)
    gone = structure.apart(known.union(*structure.limits))
    if target in known:
        return all(relation in gone for relation in structure.holders.get(target, ()))
    return target not in structure.within_reach(known)


def _may_settle(structure: Structure, basis: Basis, weak: tuple[str, ...], exchange: Exchange, target: str) -> bool:
    """Whether a target may be determined with estimates in the place of other relations: it then is beside them too."""
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
    """The basis without estimates in the place of other relations.

    Which fallbacks stand is decided among all relations, and removes those written for them; what is left is connected,
    and bears on the target, in fewer ways than before, so both are looked at again.
    """
    fixed = strong.union((target,), weak, *structure.limits)

    def among(remaining: Structure) -> Sequence[str]:
        return remaining.bearing(target, strong, fixed) if only_bearing else remaining.reached(target, strong)

    bearing = among(structure)
    bare, rest = _standing_in(structure, bearing, target, strong, weak)
    if bare is not structure:
        bearing = among(bare)

    def made() -> Basis:
        matching, used = based(bare, bearing, strong, rest)
        if only_bearing:  # nothing displaces the weak values that only the other relations hold
            aside = bare.around(target, strong) - {name for relation in bearing for name in bare.members[relation]}
            used = [name for name in rest if name in aside or name in used]
        return Basis(bare, tuple(rest), tuple(bearing), matching, tuple(used), strong)

    return _BASES.of(bare.session, (strong, tuple(rest), tuple(bearing)), made)


def _standing_in(
    structure: Structure, reached: Sequence[str], target: str, given: frozenset[str], weak: Iterable[str]
) -> tuple[Structure, list[str]]:
    """The structure and the weak values, after it is decided which fallback values (`otherwise`) are used.

    A fallback is used where the relations written for its quantity do not determine it, and then replaces them: it is
    never run backwards through them. It is dropped where they do determine it, and where the stated values determine
    it by other relations, or the given ones with other fallbacks; that result may be run backwards. So is one that its
    own relations would yield if the target were known: it is a function of the target, whatever else the question says.
    A fallback that no relation is written for, such as a rest of 0, replaces nothing: it yields to the stated values
    like any default, and to the other ones where a relation ties it to the target. Whoever asks for the reactance of a
    coil means a circuit that has a coil, and none of the capacitors that it might have too.
    """
    rest = [name for name in weak if name != target]
    if structure.otherwise.isdisjoint(rest):
        return structure, rest
    inside = {name for relation in reached for name in structure.members[relation]}
    among: Sequence[str] = ()
    if not structure.otherwise.isdisjoint(inside):
        among = _standing_among(structure, reached, given, rest, target)
    around = structure.around(target, given)
    fallbacks = [name for name in rest if name in structure.otherwise and name in around]
    standing = [name for name in fallbacks if name in among or name not in inside]
    replacing = [name for name in standing if structure.is_written(name)]
    yielding = [name for name in rest if name in standing or name not in fallbacks]
    return structure.not_written_for(standing), list(dict.fromkeys([*replacing, *yielding]))


def _standing_among(
    structure: Structure, reached: Sequence[str], given: frozenset[str], rest: Sequence[str], target: str
) -> list[str]:
    """The fallbacks in use among those that some relations contain."""
    sought = target if _Leads.of(structure, given, rest).beyond_fallbacks(target) else None
    beside = {name for one in reached if target in structure.members[one] for name in structure.members[one]}
    meant = frozenset(name for name in structure.otherwise & beside if not structure.is_written(name))
    key = frozenset(reached), given, tuple(rest), sought, meant
    return _STANDING.of(structure.session, key, lambda: _standing(structure, reached, given, rest, sought, meant))


class _Leads(NamedTuple):
    """What follows from the known names of a question, and by what a target could lead to its fallbacks."""

    structure: Structure
    given: frozenset[str]
    known: frozenset[str]
    ahead: frozenset[str]  # what relations yield from what is known
    missing: Sequence[tuple[str, frozenset[str]]]  # what relations written for fallbacks need beside that
    starts: frozenset[str]  # the quantities that lead to another one alone, or are all that is missing

    @classmethod
    def of(cls, structure: Structure, given: frozenset[str], rest: Sequence[str]) -> _Leads:
        """The leads beside what is given and the other known names; cached."""
        known = given.union(rest)

        def made() -> _Leads:
            ahead = known | forwards(structure, list(structure.members), known).keys()
            needed = [
                (name, frozenset(structure.members[relation]) - ahead)
                for name in rest
                if name in structure.otherwise
                for relation in structure.writers.get(name, ())
            ]
            missing = [(name, names) for name, names in needed if names]
            starts = {name for _, names in missing if len(names) == 1 for name in names}
            for members in structure.members.values() if missing else ():
                open_names = [name for name in members if name not in ahead]
                if len(open_names) == 2:
                    starts.update(open_names)
            return cls(structure, given, known, ahead, missing, frozenset(starts))

        return _LEADS.of(structure.session, (given, known), made)

    def beyond_fallbacks(self, target: str) -> frozenset[str]:
        """What the target leads to beside what is known; nothing unless a fallback leads it to something given."""
        if target in self.known or not self.given or target not in self.starts:
            return frozenset()
        led = led_from(self.structure, target, self.ahead, self.structure.otherwise)
        pending = [name for name, names in self.missing if names <= led]
        met: set[str] = set()
        while pending:
            name = pending.pop()
            if name in self.given:
                return led
            for relation in self.structure.holders.get(name, ()):
                result = self.structure.forward.get(relation)
                if result is None or result in met:
                    continue
                if all(other in self.ahead or other in led for other in self.structure.members[relation]):
                    met.add(result)
                    pending.append(result)
        return frozenset()


def _standing(
    structure: Structure,
    reached: Sequence[str],
    given: frozenset[str],
    rest: Sequence[str],
    sought: str | None = None,
    meant: frozenset[str] = frozenset(),
) -> list[str]:
    """The fallbacks that are used, of a question that reaches such relations; what is sought leads to some of them.

    A rest that a relation ties to the target is meant by the question: the other rests are used before it.
    """
    inside = {name for relation in reached for name in structure.members[relation]}
    candidates = [name for name in rest if name in inside and name in structure.otherwise]
    firm = [name for name in rest if name in inside and name not in structure.otherwise]
    bare = structure.not_written_for(candidates)
    basis, _ = based(bare, [relation for relation in reached if relation in bare.members], given, ())
    stated = basis.given(name for name in firm if name in basis.unknowns)
    yielding = {name for name in candidates if name in stated.unknowns and stated.settles(name)}
    with_fallbacks = basis.given(candidates)
    if any(f"={name}" not in with_fallbacks.fixes for name in candidates):  # the givens determine one of them
        yielding |= _left_over(structure, basis, [name for name in candidates if name not in yielding], meant)
    if yielding:  # the relations written for these are as others from here on, and may lead to other fallbacks
        return _standing(structure, reached, given, [name for name in rest if name not in yielding], sought, meant)
    known = {f"={name}": place for place, name in enumerate([*candidates, *firm])}
    everything = with_fallbacks.given(firm)
    displaced = [label for label in known if label not in everything.fixes]
    ahead = forwards(structure, reached, {*given, *rest}).keys() | given | {*rest}
    if sought is not None:
        ahead |= led_from(structure, sought, ahead, candidates)

    def follows(names: Sequence[str]) -> set[str]:
        """Those of these names that relations yield, as they are written, from what is sought if all other fallbacks
        are known."""
        writers = [relation for name in names for relation in structure.writers.get(name, ())]
        if not any(ahead.issuperset(structure.members[one]) for one in writers):
            return set()
        settled_before = {*given, *rest} - {*names}
        if sought is None:
            leading = upstream(structure, names, settled_before)
            return {*names} & forwards(structure, [one for one in reached if one in leading], settled_before).keys()
        found = settled_before | forwards(structure, reached, settled_before).keys()
        return {*names} & (found | led_from(structure, sought, found, candidates))

    def settled(names: Sequence[str]) -> list[str]:
        """Those of these fallbacks that their own relations determine, if all other fallbacks are known."""
        found = follows(names)
        own = [relation for name in names for relation in structure.writers.get(name, ())]
        if not own or found.issuperset(names):
            return [name for name in names if name in found]
        matching = everything.without(f"={name}" for name in names)
        matching.add_again(displaced, len(everything.fixes) - len(matching.fixes))
        for relation in own:
            if relation not in structure.rivals:
                matching.add_before(relation, structure.members[relation], known)
        return [
            name
            for name in names
            if name in found or (matching.settles(name) and not matching.relations_for(name).isdisjoint(own))
        ]

    # A relation leads to its fallback only where all else in it would be determined with all fallbacks known.
    sure = given | (everything.unknowns.keys() - everything.loose(bare.holders))

    def may_follow(name: str) -> bool:
        writers = structure.writers.get(name, ())
        return any(sure.issuperset({*structure.members[one]} - {name}) for one in writers) or (
            sought is not None and any(ahead.issuperset(structure.members[one]) for one in writers)
        )

    alone = [name for name in candidates if may_follow(name) and settled([name])]
    dropped = alone
    while dropped != (found := settled(dropped)):  # some are determined only through each other
        dropped = found
    for name in alone:  # one that was not determined beside others that have come back since
        if name not in dropped and len(settled([*dropped, name])) > len(dropped):
            dropped = [*dropped, name]
    return [one for one in candidates if one not in dropped]


def _left_over(structure: Structure, basis: Matching, candidates: Sequence[str], meant: Set[str]) -> set[str]:
    """The fallbacks that the given values determine where other fallbacks are known.

    Of two that determine each other it is a rest, of two rests the one that is meant, and else the one whose own
    relations stand on the other.
    """

    whole = structure.whole or structure

    def rank(name: str) -> tuple[bool, bool, int]:
        above = {one for relation in upstream(whole, [name], basis.known) for one in whole.members[relation]}
        return not structure.is_written(name), name in meant, len(above.intersection(candidates))

    tied = basis.given(candidates).conflicting(candidates)  # all others can be known beside any of these
    in_turn = sorted((name for name in candidates if name in tied), key=rank)
    fixes = basis.given(in_turn).fixes  # the matching leaves unmatched what it is given last
    return {name for name in in_turn if f"={name}" not in fixes}


def based(
    structure: Structure, relations: Sequence[str], given: Iterable[str], weak: Iterable[str]
) -> tuple[Matching, list[str]]:
    """The matching of relations to unknowns, and the weak values in use: those of quantities that stay open.

    Later estimates of one unknown are left out: they are not further equations for it.
    """
    strong = frozenset(given)
    basis = Matching(strong)
    late = {one for one in relations if one in structure.rivals and structure.forward[one] not in strong}
    basis.add_all((relation for relation in relations if relation not in late), structure.members)
    reached = basis.unknowns.keys() | {name for one in late for name in structure.members[one]} - strong
    used = [name for name in weak if name in reached and basis.add_value(name)]
    return basis, used


def determined(structure: Structure, given: Iterable[str], weak: Iterable[str]) -> frozenset[str]:
    """The quantities that a plan could compute from these names, whatever its target: no plan determines another."""
    known, rest = frozenset(given), list(weak)
    found = _determined(structure, known, rest)
    others = (other.structure for other in structure.alternatives if other.adds_to(found | known))
    return found.union(*(determined(other, known, rest) for other in others))


def _determined(structure: Structure, known: frozenset[str], rest: Sequence[str]) -> frozenset[str]:
    """The quantities that a plan could compute without estimates in the place of other relations."""
    fixed = known.union(rest, *structure.limits)
    bearing = _bearing(structure, fixed)
    inside = {name for relation in bearing for name in structure.members[relation]}
    standing = _standing(structure, bearing, known, rest)
    standing += [name for name in rest if name in structure.otherwise and name not in inside]
    bare = structure.not_written_for(standing)
    used = [*standing, *(name for name in rest if name not in structure.otherwise)]
    bearing = _bearing(bare, fixed)
    matching, _ = based(bare, bearing, known, used)
    for relation in structure.rivals & bare.members.keys():
        matching.add(relation, structure.members[relation])
    found = {name for name in used if bare.holders.get(name) and name not in known}
    found |= matching.determined(bare)
    found |= bare.led_to(bare.apart(fixed), found | known)
    return frozenset(found) | _determined_by_what_they_lead_to(structure, known, rest, standing, found)


def _bearing(structure: Structure, fixed: frozenset[str]) -> list[str]:
    gone = structure.apart(fixed)
    return [one for one in structure.members if one not in gone]


def _determined_by_what_they_lead_to(
    structure: Structure, known: frozenset[str], rest: Sequence[str], standing: Sequence[str], found: Set[str]
) -> frozenset[str]:
    """The quantities that are determined if asked for, since they lead to fallbacks that stand otherwise."""
    if not any(name in structure.writers for name in standing):
        return frozenset()
    leads = _Leads.of(structure, known, rest)
    sought = [name for name in structure.holders if name not in found and name in leads.starts]
    firm = [name for name in rest if name not in structure.otherwise]
    bases: dict[frozenset[str], Matching | None] = {}  # for quantities that lead to each other
    determined_too = set()
    for name in sought:
        led = leads.beyond_fallbacks(name)
        if led and led not in bases:
            left = _standing(structure, list(structure.members), known, rest, name)
            bare = structure.not_written_for(left)
            bases[led] = None
            if len(left) < len(standing):
                bases[led], _ = based(bare, list(bare.members), known, [*left, *firm])
        basis = bases.get(led)
        if basis is not None and basis.settles(name):
            determined_too.add(name)
    return frozenset(determined_too)


def _depends_on_answer(structure: Structure, solved: Mapping[str, str], name: str, answered: set[str]) -> bool:
    """Whether a displaced weak value is computed from quantities of the answer."""
    behind = reached((name,), lambda found: structure.members[solved[found]] if found in solved else ())
    return any(found in answered for found in behind)


def _following_from_givens(structure: Structure, name: str, given: Sequence[str]) -> list[Block]:
    """The blocks by which a quantity follows from what is given alone; none if it does not."""
    base = basis_of(structure, name, given, (), only_bearing=True)
    if not base.matching.settles(name):
        return []
    return ordered(base.structure, base.solved, [name], base.known)


def ordered(
    structure: Structure, solved: Mapping[str, str], targets: Sequence[str], known: frozenset[str] | set[str]
) -> list[Block]:
    """The blocks that the targets need, in order; what they depend on is solved or known."""
    pending = [name for name in targets if name not in known]
    edges: dict[str, list[str]] = {name: [] for name in pending}
    while pending:
        name = pending.pop()
        for other in structure.members[solved[name]]:
            if other == name or other in known:
                continue
            edges[name].append(other)
            if other not in edges:
                edges[other] = []
                pending.append(other)
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


class ActiveLimits:
    """The inequalities that could determine the target of one question if they were active, with equal sides.

    That is asked of every inequality where nothing else determines the target, and the answer is nearly always no. A
    plan in which it is one more equation would tell, and takes long. Here it joins the matching of the question:

    1. Where it can be matched beside all that is there, it is one more equation, which determines its own unknown and
      what that leads to. No fallback yields to it: one that it determined could not be known beside it.
    2. Where it cannot, it says something of what is determined already, and takes the place of a weak value. That
      leaves as much open as before, unless a fallback yields whose own relations count from then on.
    3. Where estimates may stand in the place of other relations, all of them join.

    >>> from derive.relation_files.loading import load
    >>> fleet = load('''[quantities]
    ... need = { unit = "GB" }
    ... room = { unit = "GB" }
    ... chips = { unit = "chip" }
    ... each = { unit = "GB/chip" }
    ... [relations]
    ... room = { equation = "room = chips*each" }''')
    >>> limits = ActiveLimits(Structure.of(fleet.relations.values()), "chips", ["need", "each"], [])
    >>> [limits.could_determine("limit", names) for names in (["need", "room"], ["need", "each"])]
    [True, False]
    """

    def __init__(self, structure: Structure, target: str, given: Iterable[str], weak: Iterable[str]) -> None:
        base = basis_of(structure, target, given, weak)
        self.structure = structure
        self.target = target
        self.replaced = structure.members.keys() - base.structure.members.keys()
        """The relations in whose place fallbacks stand."""
        self.standing = {structure.forward[relation] for relation in self.replaced}
        self.estimates = [pair for other in structure.alternatives for pair in other.estimates.items()]
        matching = base.matching.copy()
        late = structure.rivals | matching.members.keys()
        matching.add_all((one for one in base.structure.members if one not in late), structure.members)
        self.matching = matching.given(name for name in base.weak if f"={name}" not in matching.members)

    def could_determine(self, limit: str, names: Sequence[str]) -> bool:
        """Whether the target might be determined if this inequality, of these quantities, were an equation."""
        matching = self.matching.copy()
        is_matched = matching.add(limit, names)
        if not is_matched and not self.standing.isdisjoint(matching.circuit(limit)):
            matching.add_all(self.replaced, self.structure.members)
        for estimate, members in self.estimates:
            matching.add(estimate, members)
        return matching.settles(self.target)
