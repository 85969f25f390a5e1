"""Claims that cannot hold together: what each says, and what follows from all but one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from derive.auditing.conflicts import Conflict
from derive.auditing.scene import Assertion
from derive.errors import DeriveError
from derive.library import Library
from derive.reporting.asking import chain, number, say
from derive.reporting.document import Block, Grid, Heading, Text, verbatim
from derive.solving.answer import Answer
from quantities.value import read_value

__all__ = ["clashing"]


def clashing(conflicts: Sequence[Conflict], library: Library) -> Iterator[Block]:
    """All conflicts, each with its derivation."""
    yield Text(
        "Each claim may pass alone and still deny its neighbour. What several claims say of one rack, one model or one "
        "fleet is asked for at once; where the library refuses, it names a smallest set that conflicts. Only those "
        "count that miss each other even when every spoken number is given all the room that it bears. The factor is "
        "by how much they miss: what follows from all but one, over what that one says, or the other way round."
    )
    for conflict in conflicts:
        yield from _clash(conflict, library)


def _clash(conflict: Conflict, library: Library) -> Iterator[Block]:
    apart = number(conflict.factor)
    yield Heading(f"{verbatim(conflict.scene.words)}: {' and '.join(conflict.claims)}, by a factor of {apart}", 3)
    rows = tuple((one.claim, f"`{one.quantity}`", verbatim(one.value)) for one in conflict.assertions)
    premises = ", ".join(f"{name} = {value}" for name, value in conflict.scene.premises)
    yield Grid(("claim", "speaks of", "and says"), rows, verbatim(f"Taken to hold: {premises}.") if premises else "")
    found = _follows(conflict, library)
    if found is None:
        yield Text(verbatim(str(conflict.error)))
        return
    denied, answer = found
    yield Text(
        f"Of `{denied.quantity}` {denied.claim} says {verbatim(denied.value)}, and {say(answer, 4)} follows from the "
        f"others: apart by a factor of {apart}."
    )
    yield chain(answer)


def _follows(conflict: Conflict, library: Library) -> tuple[Assertion, Answer] | None:
    """A claim of the set, and what follows in its place from the others: the one that shows the factor."""
    for denied in sorted(conflict.assertions, key=lambda one: not conflict.error.what.startswith(one.name)):
        others = {one.quantity: one.value for one in conflict.assertions if one is not denied}
        try:
            answer = library.solve(denied.quantity, **{**dict(conflict.scene.premises), **others})
        except DeriveError:
            continue
        says = read_value(denied.value).base[1]
        if answer.base and math.isclose(abs(math.log(answer.base / says)), math.log(conflict.factor), rel_tol=1e-6):
            return denied, answer
    return None
