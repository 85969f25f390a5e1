"""Claims that cannot hold together, found by stating all of them at once.

In a scene, what several claims say about one rack, model or fleet is stated at once, each as a relation with the
claim's name. The library is asked, and its error names a smallest conflicting set and its gap. Further sets are found
by leaving out, in turn, each claim of the known sets. A set counts only if its claims still conflict when every
spoken number is given its full tolerance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from derive.audit.claim import Assertion, Scene
from derive.errors import DeriveError, InconsistentError
from derive.library import Library
from derive.model.relation import relate
from derive.presentation.numbers import rounded_text
from quantities.declaration import Declaration
from quantities.value import read_value

_LONG = 1e7  # from which a factor is written with an exponent


@dataclass(frozen=True)
class Conflict:
    """A smallest set of claims that cannot hold together, and the library's error."""

    scene: Scene
    assertions: tuple[Assertion, ...]
    error: InconsistentError

    @property
    def claims(self) -> tuple[str, ...]:
        return tuple(sorted({assertion.claim for assertion in self.assertions}))

    @cached_property
    def factor(self) -> float:
        """The ratio of the larger side of the conflict to the smaller one."""
        return (1 + self.error.gap) / (1 - self.error.gap)

    def __str__(self) -> str:
        parts = "; ".join(str(assertion) for assertion in self.assertions)
        return f"{self.scene.words}: {parts} differ by a factor of {rounded_text(self.factor, 3, _LONG)}"


def conflicts(library: Library, scenes: Sequence[Scene]) -> tuple[Conflict, ...]:
    """All smallest sets of claims that cannot hold together, scene by scene."""
    return tuple(chain.from_iterable(_in_scene(library, scene) for scene in scenes))


def _in_scene(library: Library, scene: Scene) -> Iterator[Conflict]:
    """The smallest conflicting sets of a scene's claims, found by leaving out each claim of a known set in turn."""
    pending, seen = [scene.assertions], set()
    known: set[frozenset[Assertion]] = set()
    while pending:
        assertions = pending.pop(0)
        if frozenset(assertions) in seen:
            continue
        seen.add(frozenset(assertions))
        error = _refusal(library, scene, assertions)
        if error is None:
            continue
        named = set(re.findall(r"\w+", " ".join(error.conflicts)))
        clashing = tuple(assertion for assertion in assertions if assertion.name in named)
        if frozenset(clashing) not in known and _are_apart(library, scene, clashing):
            yield Conflict(scene, clashing, error)
        known.add(frozenset(clashing))
        # A further conflicting set lacks at least one claim of this one.
        pending += [tuple(other for other in assertions if other != left_out) for left_out in clashing]


def _refusal(library: Library, scene: Scene, assertions: Sequence[Assertion]) -> InconsistentError | None:
    """The library's error where several claims of a scene are stated at once; None if they do not conflict."""
    if len(assertions) < 2:
        return None
    relations, given = [], dict(scene.premises)
    for assertion in assertions:
        quantity = library.declaration(assertion.quantity)
        claimed = Declaration(assertion.name, quantity.unit.text, domain=quantity.domain.text)
        relations.append(relate(assertion.name, quantity, claimed, because=f"so {assertion.claim} says"))
        given[assertion.name] = assertion.value
    try:
        (library | Library(relations)).solve(assertions[0].quantity, **given)
    except InconsistentError as error:
        return error
    except DeriveError:
        return None
    return None


def _are_apart(library: Library, scene: Scene, clashing: Sequence[Assertion]) -> bool:
    """Whether claims conflict even with the full tolerance of each.

    They do if the consequence of all but one claim misses that one.
    """
    *others, last = clashing
    low, _, high = read_value(last.room).base
    if any(other.quantity == last.quantity for other in others):
        spans = [read_value(other.room).base for other in others if other.quantity == last.quantity]
        return any(high < other_low or other_high < low for other_low, _, other_high in spans)
    given = {**dict(scene.premises), **{other.quantity: other.room for other in others}}
    try:
        answer = library.solve(last.quantity, **given)
    except DeriveError:
        return False
    if answer.bounds is not None:
        least, most = answer.bounds
        return most < low or least > high
    return answer.base is None or not low <= answer.base <= high
