"""Inequalities that could determine a target if they were active, found without a plan for each.

Where nothing else determines the target, every inequality is tried, and nearly always in vain. A plan with the
inequality as one more equation would tell, but takes long. Here it is added to the matching of the question:

1. If it can be matched, it is one more equation: it determines its own unknown and what follows from that. No
  fallback yields to it: one that it determined could not be known beside it.
2. If it cannot, it constrains what is determined already, and takes the place of a weak value. That leaves as much
  open as before, unless a fallback yields: its own relations then count again.
3. If estimates may stand in the place of other relations, all of them are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from derive.planning.incidence import Structure
from derive.planning.plan import basis_of


class ActiveLimits:
    """The inequalities that could determine the target of one question if they were active, with equal sides.

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
        """Prepare the matching of the question's basis for trials, with further relations and weak values."""
        base = basis_of(structure, target, given, weak)
        self.structure = structure
        self.target = target
        self.replaced = structure.members.keys() - base.structure.members.keys()
        """The relations in whose place fallbacks stand."""
        self.standing = {structure.forward[relation] for relation in self.replaced}
        self.estimates = [*chain.from_iterable(exchange.estimates.items() for exchange in structure.alternatives)]
        matching = base.matching.copy()
        late = structure.rivals | matching.members.keys()
        matching.add_all((relation for relation in base.structure.members if relation not in late), structure.members)
        self.matching = matching.given(name for name in base.weak if f"={name}" not in matching.members)

    def could_determine(self, limit: str, names: Sequence[str]) -> bool:
        """Whether a plan might determine the target if an inequality of these quantities were an equation."""
        matching = self.matching.copy()
        is_matched = matching.add(limit, names)
        if not is_matched and not self.standing.isdisjoint(matching.circuit(limit)):
            matching.add_all(self.replaced, self.structure.members)
        for estimate, members in self.estimates:
            matching.add(estimate, members)
        return matching.settles(self.target)
