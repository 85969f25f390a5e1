"""Which inequalities could determine a target if they were active, that is, if their sides were equal.

That is asked of every inequality where nothing else determines the target, and the answer is nearly always no. A plan
in which the inequality is one more equation would tell, and takes long. Here it joins the matching of the question:

1. Where it can be matched beside all that is there, it is one more equation, which determines its own unknown and what
  that leads to. No fallback yields to it: one that it determined could not be known beside it.
2. Where it cannot, it says something of what is determined already, and takes the place of a weak value. That leaves
  as much open as before, unless a fallback yields whose own relations count from then on.
3. Where estimates may stand in the place of other relations, all of them join.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from derive.planning.incidence import Structure
from derive.planning.plan import basis_of

__all__ = ["ActiveLimits"]


class ActiveLimits:
    """The inequalities that could determine the target of one question.

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
