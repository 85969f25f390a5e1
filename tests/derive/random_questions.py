"""Random questions to a library, with numbers that fit each other: its quantities worked out forwards from givens."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from derive.expressions.tree import names_in
from derive.library import Library
from derive.numerics.algebra.evaluation import holds, value
from derive.planning.incidence import structure_of
from quantities.declaration import Declaration

_DEEP = 4
_TRIES = 50


@dataclass(frozen=True)
class Scene:
    """Numbers in base units for some quantities, all of which follow from `given` by `relations`."""

    target: str
    given: Mapping[str, float]
    values: Mapping[str, float]
    relations: tuple[str, ...]


def scene(library: Library, draw: Random) -> Scene:
    """A quantity, the relations that lead to it, and numbers that satisfy them."""
    forward = structure_of(library).forward
    written: dict[str, list[str]] = {}
    for relation, name in forward.items():
        written.setdefault(name, []).append(relation)
    targets = sorted(written)
    while True:
        target = draw.choice(targets)
        order: list[str] = []
        leaves: list[str] = []
        _unfold(library, written, target, draw, _DEEP, {}, order, leaves)
        for _ in range(_TRIES):
            found = _numbers(library, forward, draw, order, leaves)
            if found is not None:
                given = {name: found[name] for name in leaves if not _is_definition(library, name)}
                return Scene(target, given, found, tuple(order))


def text(library: Library, name: str, number: float) -> str:
    """A number in base units as an asker types it."""
    unit = library.declared[name].unit
    return f"{unit.from_base(number)!r} {unit.text}"


def drawn(library: Library, name: str, draw: Random) -> float:
    """A number of the quantity's domain, in base units; a whole one, if it is a count."""
    one = library.declared[name]
    number = _drawn(one, draw)
    return one.unit.to_base(float(max(1, round(one.unit.from_base(number))))) if one.domain.whole else number


def _drawn(one: Declaration, draw: Random) -> float:
    low, high = one.domain.low, one.domain.high
    if math.isfinite(low) and math.isfinite(high):
        return low + (high - low) * draw.uniform(0.05, 0.95)
    if one.default is not None and draw.random() < 0.5 and one.default.base[1]:
        return one.default.base[1] * draw.choice([1.0, 2.0, 0.5])
    return one.unit.to_base(float(f"{math.exp(draw.uniform(-1, 4)):.3g}"))


def _is_definition(library: Library, name: str) -> bool:
    default = library.declared[name].default
    return default is not None and default.source.kind == "exact"


def _unfold(library, written, name, draw, deep, seen, order, leaves) -> None:
    """Choose how a quantity is worked out: from others, by a relation that is written for it, or not at all."""
    if name in seen:
        return
    seen[name] = True
    ways = [one for one in written.get(name, ()) if library.relations[one].approximate is None]
    ways = [one for one in ways if not any(other in seen for other in library.members[one] if other != name)]
    if not ways or deep == 0 or (deep < _DEEP and draw.random() < 0.35):
        leaves.append(name)
        return
    way = draw.choice(ways)
    for other in library.members[way]:
        if other != name:
            _unfold(library, written, other, draw, deep - 1, seen, order, leaves)
    order.append(way)


def _numbers(library, forward, draw, order, leaves) -> dict[str, float] | None:
    values = {
        name: library.declared[name].default.base[1] if _is_definition(library, name) else drawn(library, name, draw)
        for name in leaves
    }
    for way in order:
        relation, name = library.relations[way], forward[way]
        values[name] = value(relation.written.rhs, values)
        if not math.isfinite(values[name]) or values[name] not in library.declared[name].domain:
            return None
    for way in order:
        for condition in library.relations[way].conditions:
            known = all(name in values for name in names_in(condition))
            if known and not holds(condition, values):
                return None
    return values
