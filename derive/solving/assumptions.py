"""What an answer takes for granted: sentences for its readers, each of a kind that the solver decides by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal[
    "note",
    "unproved",  # other solutions may exist: no search has proved that there are none
    "one turn",  # an angle was sought in one turn only: others may repeat it
    "proved",  # a list of solutions is complete, by a search
    "open",  # nothing determines the target in some case
    "condition",  # a relation applies
    "turning",  # a relation applies in the middle of the ranges
    "value",  # a number that a source assumes
    "own",  # a number of the target itself, which a profile states
    "bounds",  # how the bounds over all ranges are known
    "enclosed",  # an interval has all values of a quantity, and others
    "unnarrowed",  # relations that were left for checks do not narrow the bounds
    "lost",  # a number of which rounding left nothing
    "away",  # another answer assumes another case
]


@dataclass(frozen=True, slots=True)
class Assumption:
    """A sentence on what an answer takes for granted."""

    text: str
    kind: Kind = "note"
    about: str = ""  # the relation or quantity, where there is one
    missing: tuple[str, ...] = ()  # what would have to be given to know whether a condition holds

    @property
    def leaves_others(self) -> bool:
        """Whether the assumption says that other solutions may exist, missed by a search or in another turn."""
        return self.kind in ("unproved", "one turn")

    def on(self, unknown: str) -> Assumption:
        """The assumption about a block, with the name of its first unknown, since an answer may have several blocks."""
        return replace(self, text=f"{unknown}: {self.text}", about=unknown)


@dataclass(frozen=True, slots=True)
class Evidence(Assumption):
    """A sentence on how bounds over ranges are known, and what it claims of them."""

    kind: Kind = "bounds"
    are_reached: bool = False  # both are values, to one part in a million
    are_wide: bool = False  # they may be far from all values
    is_along: bool = False  # there may be other solutions, with other values
    is_proved: bool = True
