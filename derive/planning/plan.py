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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from derive.caches import Memo
from derive.model.relation_set import RelationSet
from derive.planning.basis import basis_of, is_surely_open
from derive.planning.incidence import Core, Structure, core_of
from derive.planning.networks import components, reached

_PLANS = Memo["Plan"](most=256)
_SPARE = 30  # limit on unneeded relations, and on displaced weak values, that are computed only to be checked


@dataclass(frozen=True, slots=True)
class Block:
    """Relations that are solved simultaneously, and the unknowns that they fix."""

    relations: tuple[str, ...]
    unknowns: tuple[str, ...]

    def inputs(self, library: RelationSet) -> set[str]:
        """The quantities in the block that are known before it is solved."""
        return library.held_by(self.relations).keys() - {*self.unknowns}


@dataclass(frozen=True)
class Plan:
    """The plan of a question: the blocks in order, the weak values in use, and the relations that remain as checks."""

    target: str
    blocks: tuple[Block, ...]
    weak: tuple[str, ...]  # names whose weak value is in use, also by what does not lead to the target
    checks: tuple[str, ...]  # relations that are not needed, and all of whose quantities are known
    extra: tuple[Block, ...] = ()  # blocks that only the checks need
    is_determined: bool = True

    def behind(self, names: Iterable[str], library: RelationSet) -> Iterator[str]:
        """Some names, and all quantities from which the plan derives them, the nearest first."""

        def derived_from(name: str) -> Iterable[str]:
            return library.held_by(self.sources[name].relations) if name in self.sources else ()

        return reached(names, derived_from)

    def weak_behind_target(self, library: RelationSet) -> list[str]:
        """The weak values from which the plan leads to its target, the strongest first."""
        members = library.held_by(self.relations)
        return [name for name in self.weak if name in members]

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
        """The relations in all blocks of the plan, those only for checks included: they hold by construction."""
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


def _depends_on_answer(structure: Structure, solved: Mapping[str, str], name: str, answered: set[str]) -> bool:
    """Whether a plan computes a quantity from quantities of the answer."""
    behind = reached((name,), lambda unknown: structure.members[solved[unknown]] if unknown in solved else ())
    return any(unknown in answered for unknown in behind)


def _following_from_givens(structure: Structure, name: str, given: Sequence[str]) -> list[Block]:
    """The ordered blocks by which a plan computes a quantity from the givens alone; none if they do not fix it."""
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
