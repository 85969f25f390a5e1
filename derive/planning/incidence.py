"""The bare graph of a set of relations: which quantities each holds, and which it is written for."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from derive.expressions.tree import Name, names_in

if TYPE_CHECKING:
    from derive.model.relation import Relation

__all__ = ["Structure"]


@dataclass(frozen=True, slots=True)
class Structure:
    """Relations by name, in order of preference, and their quantities.

    >>> from derive.relation_files.loading import load
    >>> ohm = load('[quantities]\\nV = { unit = "V" }\\nI = { unit = "A" }\\nR = { unit = "ohm" }\\n'
    ...            '[relations]\\nohm = { equation = "V = I*R" }')
    >>> Structure.of(ohm.relations.values()).forward
    {'ohm': 'V'}
    """

    members: Mapping[str, tuple[str, ...]]
    forward: Mapping[str, str]  # relation -> the quantity that it is written for, if it is written for one
    holders: Mapping[str, tuple[str, ...]]  # quantity -> the relations that hold it
    rivals: frozenset[str] = frozenset()  # approximate relations for what an approximate one before them is written for

    otherwise: frozenset[str] = frozenset()  # quantities whose default stands in where their own relations do not do
    pared: dict[frozenset[str], Structure] = field(default_factory=dict, repr=False, compare=False)  # made before
    bases: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)  # of the last few questions

    @classmethod
    def of(cls, relations: Iterable[Relation], otherwise: frozenset[str] = frozenset()) -> Structure:
        members: dict[str, tuple[str, ...]] = {}
        forward: dict[str, str] = {}
        holders: dict[str, list[str]] = {}
        rivals: set[str] = set()
        estimated: set[str] = set()
        for relation in relations:
            written = relation.written
            held = names_in(written.lhs, written.rhs)
            members[relation.name] = held
            if isinstance(written.lhs, Name) and written.lhs.name not in names_in(written.rhs):
                forward[relation.name] = written.lhs.name
                if relation.approximate is not None and written.lhs.name in estimated:
                    rivals.add(relation.name)
                elif relation.approximate is not None:
                    estimated.add(written.lhs.name)
            for name in held:
                holders.setdefault(name, []).append(relation.name)
        held_by = {name: tuple(found) for name, found in holders.items()}
        return cls(members, forward, held_by, frozenset(rivals), otherwise)

    def not_written_for(self, names: Iterable[str]) -> Structure:
        """What is left without the relations that are written for some quantities."""
        key = frozenset(names)
        if key and key not in self.pared:
            members = {r: held for r, held in self.members.items() if self.forward.get(r) not in key}
            self.pared[key] = Structure(
                members,
                {relation: name for relation, name in self.forward.items() if relation in members},
                {name: tuple(r for r in found if r in members) for name, found in self.holders.items()},
                self.rivals & members.keys(),
                self.otherwise - key,
            )
        return self.pared[key] if key else self

    def reached(self, target: str, given: frozenset[str]) -> list[str]:
        """The relations connected to the target through unknowns, in order of preference."""
        seen = {target}
        found: set[str] = set()
        pending = deque([target])
        while pending:
            for relation in self.holders.get(pending.popleft(), ()):
                if relation in found:
                    continue
                found.add(relation)
                fresh = [name for name in self.members[relation] if name not in seen and name not in given]
                seen.update(fresh)
                pending.extend(fresh)
        return [relation for relation in self.members if relation in found]
