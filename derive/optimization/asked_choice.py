"""What a question leaves free: ranges, lists of values, and profiles of which any one may be taken.

Every combination of list entries and profiles is a `Pick`, with a question of its own; the ranges are free in each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from derive.errors import ExpressionError, LimitError, read_all
from derive.expressions.tree import names_in
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.arithmetic import Span
from quantities.declaration import Declaration, read_given
from quantities.facts import Profile
from quantities.value import Value

__all__ = ["Asked", "Pick", "asked", "is_choice"]

_MOST = 2000  # limit on discrete choices


@dataclass(frozen=True)
class Pick:
    """One discrete choice: the profiles, and the value taken of each list."""

    profiles: tuple[str | Profile, ...]
    listed: Mapping[str, Value]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name if isinstance(one, Profile) else one for one in self.profiles)


@dataclass(frozen=True)
class Asked:
    """A question with choices: what is fixed, what is free, and the discrete choices."""

    target: str
    fixed: Mapping[str, Value]
    ranges: Mapping[str, Value]
    picks: tuple[Pick, ...]

    @property
    def free(self) -> dict[str, Span]:
        return {name: (value.base[0], value.base[2]) for name, value in self.ranges.items()}

    def given(self, pick: Pick) -> dict[str, Any]:
        """The givens of a question about one discrete choice; what is free is a range."""
        return {**self.fixed, **pick.listed, **self.ranges}


def asked(library: RelationSet, target: str, profiles: Sequence[Any], given: Mapping[str, Any]) -> Asked:
    """Read a question. Where nothing at all is given, every quantity around the target may be chosen from its domain.

    >>> from derive.library import Library
    >>> track = Library(quantities=[Declaration("length", "m"), Declaration("laps", "")])
    >>> found = asked(track, "laps", (), {"length": "1..3 m", "laps": [1, 2]})
    >>> found.free, [str(pick.listed["laps"]) for pick in found.picks]
    ({'length': (1.0, 3.0)}, ['1', '2'])
    """
    library.declaration(target)
    given = given if given or profiles else dict(_bounded_domains(library, target))

    def read(name: str, value: Any) -> Value | tuple[Value, ...]:
        quantity = library.declaration(name)
        if is_choice(value):
            return _listed(quantity, value)
        return _range(quantity, read_given(value, quantity), value)

    found = read_all(read, given)
    lists = {name: values for name, values in found.items() if isinstance(values, tuple)}
    single = {name: value for name, value in found.items() if isinstance(value, Value)}
    ranges = {name: value for name, value in single.items() if _is_free(value, given[name])}
    fixed = {name: value for name, value in single.items() if name not in ranges}
    places = [tuple(one) if is_choice(one) else (one,) for one in profiles]
    if any(not one for one in places):
        raise ExpressionError("A choice of profiles is empty.", hint='Name one or more: ("h100-sxm:fp8", "b200:fp8").')
    for one in (one for place in places for one in place if not isinstance(one, Profile)):
        library.profile(one)
    if not lists and not ranges and all(len(place) == 1 for place in places):
        raise ExpressionError(
            f"Nothing is free to choose for {target}.",
            hint='Give a range, batch="1..4096 sequence", a list of values, or a tuple of profiles.',
        )
    _prove_few(math.prod(map(len, [*places, *lists.values()])))
    picks = tuple(_picks(places, lists))
    return Asked(target, fixed, ranges, picks)


def _bounded_domains(library: RelationSet, target: str) -> Iterator[tuple[str, str]]:
    """The domains with two ends of the quantities that relations lead to from a target, and that have no default."""
    reached, pending = {target}, [target]
    relations = [{*names_in(one.written.lhs, one.written.rhs)} for one in library.relations.values()]
    while pending:
        name = pending.pop()
        for names in (names for names in relations if name in names):
            pending += names - reached
            reached |= names
    for name in sorted(reached - {target, *library.defaults}):
        domain = library.declared[name].domain
        if math.isfinite(domain.low) and math.isfinite(domain.high):
            yield name, domain.text.partition(",")[0]


def is_choice(value: Any) -> bool:
    """Whether a given is a list of values, any one of which may be taken."""
    return isinstance(value, (list, tuple, range))


def _picks(places: Sequence[tuple[Any, ...]], lists: Mapping[str, tuple[Value, ...]]) -> Iterator[Pick]:
    for chosen in product(*places):
        for values in product(*lists.values()):
            yield Pick(chosen, dict(zip(lists, values, strict=True)))


def _prove_few(count: int) -> None:
    if count > _MOST:
        raise LimitError(
            f"There are {count} combinations of list entries and profiles.",
            hint=f'Give a range instead of a list, as in chips="8..72 chip"; {_MOST} combinations are gone through.',
            limit=f"{_MOST} combinations",
        )


def _listed(quantity: Declaration, values: Any) -> tuple[Value, ...]:
    read = [read_given(value, quantity) for value in values]
    if not read or any(value.is_range for value in read):
        what = "a list without an entry" if not read else "a range in a list"
        raise ExpressionError(
            f"{quantity.name}: {what} is no choice.",
            hint='Write ["8 chip", "16 chip"], or one range.',
            text=quantity.name,
        )
    return tuple({value.base[1]: value for value in read}.values())


def _range(quantity: Declaration, value: Value, given: Any) -> Value:
    """The value itself; a range of a count has to contain a whole number."""
    if _is_free(value, given) and quantity.is_count:
        low, high = (quantity.unit.from_base(value.base[i]) for i in (0, 2))
        if math.ceil(low) > math.floor(high):
            raise ExpressionError(
                f"{quantity.name}: no whole number lies in {value}.", hint="Widen the range.", text=str(given)
            )
    return value


def _is_free(value: Value, given: Any) -> bool:
    """Whether a range may be chosen from: one with an uncertainty (300 +/- 20) is not, it is taken at its middle."""
    is_uncertain = isinstance(given, str) and any(sign in given for sign in ("+/-", "±"))
    return value.is_range and not is_uncertain
