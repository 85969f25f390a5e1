"""Claims that cannot hold together: what each says, and what all but one imply."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from derive.audit.conflicts import Conflict
from derive.audit.scene import Assertion
from derive.errors import DeriveError
from derive.library import Library
from derive.presentation.document import Block, Heading, Text, verbatim
from derive.reports.formulas import chain
from derive.reports.vocabulary import Said, number
from derive.solving.execution.answer import Answer
from derive.tolerances import TOLD
from quantities.value import read_value

__all__ = ["Follows", "clash", "follows", "said"]


Follows = tuple[Assertion, Answer] | None
"""What one claim of a set says, and the answer that the others imply in its place; None if it takes more than that."""


def said(one: Assertion, implied: Answer) -> str:
    """What a claim says of the quantity for which the others imply an answer.

    >>> from derive.tokens.relations import library
    >>> said(Assertion("C06", "step_rate", "64 1/s"), library().solve("step_rate", step_time="20 ms"))
    'C06: steps each second, 64/s'
    """
    meaning = re.split("[;:] ", implied.quantity.meaning)[0] or one.quantity.replace("_", " ")
    return verbatim(f"{one.claim}: {meaning}, {one.value.replace(' 1/', '/')}")


def clash(conflict: Conflict, found: Follows) -> Iterator[Block]:
    """What the claims say and what is taken to hold, then the derivation that shows that both cannot be."""
    apart = number(conflict.factor)
    told = ", ".join(f"{one.claim} `{one.quantity}` = {verbatim(one.value)}" for one in conflict.assertions)
    taken = ", ".join(f"`{name}` = {verbatim(value)}" for name, value in conflict.scene.premises)
    implied = verbatim(str(conflict.error))
    if found is not None:
        denied, answer = found
        implied = f"Of `{denied.quantity}`, the others imply {Said.of(answer, 4)}: apart by a factor of {apart}."
    yield Heading(f"{verbatim(conflict.scene.words)}: {' and '.join(conflict.claims)}", 3)
    yield Text(f"Said: {told}.{f' Taken to hold: {taken}.' if taken else ''} {implied}")
    if found is not None:
        yield chain(found[1])


def follows(conflict: Conflict, library: Library) -> Follows:
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
