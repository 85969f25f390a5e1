"""Numbers for all quantities of the built-in library at once, and questions that they answer.

What no relation is written for is taken from a few random profiles and from the defaults, and drawn where none states
it; the rest follows along the relations as they are written. So the numbers agree with every relation that was used.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import derive
from derive.numerics.algebra.evaluation import value
from derive.planning.directions import forwards
from derive.planning.incidence import structure_of
from derive.solving.execution.question import stated_at
from quantities.value import Value

LIBRARY = derive.llm
WRITTEN = frozenset(structure_of(LIBRARY).forward.values())


@dataclass(frozen=True)
class Asked:
    """A question to the built-in library: what is asked, of which profiles, and which quantities are given."""

    target: str
    profiles: tuple[str, ...]
    given: Mapping[str, float]  # in base units
    kind: str = ""

    @property
    def stated(self) -> dict[str, Value]:
        return {name: stated_at(LIBRARY, name, number) for name, number in self.given.items()}

    def __str__(self) -> str:
        return f"{self.kind} {self.target} {' '.join(self.profiles)} {dict(self.given)} (base units)".strip()


@cache
def state(seed: int) -> Mapping[str, float]:
    """A number in base units for every quantity, as far as it has one in its domain."""
    draw = random.Random(f"state {seed}")
    structure = structure_of(LIBRARY)
    numbers = {name: value.base[1] for name, value in LIBRARY.defaults.items()}
    for profile in draw.sample(list(LIBRARY.profiles), 6):
        stated = LIBRARY.profiles[profile].values
        numbers |= {name: value.base[1] for name, value in stated.items() if name in LIBRARY.declared}
    for name in LIBRARY.declared:
        if name not in WRITTEN and name not in numbers:
            numbers[name] = _drawn(name, draw)
    free = {name for name in numbers if name not in WRITTEN}
    while True:
        taken, known = forwards(structure, list(structure.members), free), set(free)
        while fresh := [name for name in taken if name not in known and known.issuperset(_beside(name, taken[name]))]:
            for name in fresh:
                numbers[name] = value(LIBRARY.relations[taken[name]].written.rhs, numbers)
            known.update(fresh)
        left = [name for name in LIBRARY.declared if name not in known]
        if not left:
            return {name: x for name, x in numbers.items() if x in LIBRARY.declared[name].domain}
        numbers[left[0]] = numbers.get(left[0]) or _drawn(left[0], draw)
        free.add(left[0])


def _beside(name: str, relation: str) -> list[str]:
    return [other for other in structure_of(LIBRARY).members[relation] if other != name]


def _drawn(name: str, draw: random.Random) -> float:
    domain = LIBRARY.declared[name].domain
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        return domain.low + (domain.high - domain.low) * draw.uniform(0.05, 0.95)
    return max(domain.low, 0.0) + 10 ** draw.uniform(-1, 2)


def ends(target: str, draw: random.Random, depth: int = 3) -> list[str]:
    """Quantities from which a target follows, found by going back along relations as they are written."""
    structure = structure_of(LIBRARY)
    front, seen = [target], {target}
    for _ in range(draw.randint(1, depth)):
        for name in [one for one in front if one == target or draw.random() < 0.6]:
            written = [r for r in structure.holders.get(name, ()) if structure.forward.get(r) == name]
            if written:
                fresh = [one for one in structure.members[draw.choice(written)] if one not in seen]
                front = [one for one in front if one != name] + fresh
                seen.update(fresh)
    return [name for name in front if name != target]


def refusal(seed: int) -> Asked:
    """A question that probably gives too little: some of what the target follows from is not given."""
    draw = random.Random(f"refusal {seed}")
    numbers = state(draw.randrange(50))
    target = draw.choice([name for name in LIBRARY.declared if name in LIBRARY.holders])
    needed = [name for name in ends(target, draw) if name in numbers and name not in LIBRARY.defaults]
    given = draw.sample(needed, len(needed) - min(len(needed), draw.randint(1, max(1, len(needed) // 2))))
    if draw.random() < 0.3:
        given += draw.sample([name for name in numbers if name != target], 2)
    profiles = tuple(draw.sample(list(LIBRARY.profiles), draw.random() < 0.25))
    return Asked(target, profiles, {name: numbers[name] for name in given if name != target}, "refusal")
