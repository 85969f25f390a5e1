"""Claims that cannot hold together: what each says, and what all but one imply."""

from __future__ import annotations

import math
from collections.abc import Iterator

from derive.audit.conflicts import Conflict
from derive.audit.scene import Assertion
from derive.errors import DeriveError
from derive.library import Library
from derive.presentation.document import Block, Grid, Heading, Text, verbatim
from derive.reports.formulas import chain
from derive.reports.vocabulary import Said, number
from derive.solving.execution.answer import Answer
from derive.tolerances import TOLD
from quantities.value import read_value

__all__ = ["clash"]


def clash(conflict: Conflict, library: Library) -> Iterator[Block]:
    """A conflict, with the derivation that shows it."""
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
        f"Of `{denied.quantity}` {denied.claim} says {verbatim(denied.value)}, and {Said.of(answer, 4)} follows from "
        f"the others: apart by a factor of {apart}."
    )
    yield chain(answer)


def _follows(conflict: Conflict, library: Library) -> tuple[Assertion, Answer] | None:
    """The claim of the set that shows the factor, and the answer that the others imply in its place."""
    for denied in sorted(conflict.assertions, key=lambda one: not conflict.error.what.startswith(one.name)):
        others = {one.quantity: one.value for one in conflict.assertions if one is not denied}
        try:
            answer = library.solve(denied.quantity, **{**dict(conflict.scene.premises), **others})
        except DeriveError:
            continue
        says = read_value(denied.value).base[1]
        if answer.base and math.isclose(abs(math.log(answer.base / says)), math.log(conflict.factor), rel_tol=TOLD):
            return denied, answer
    return None
