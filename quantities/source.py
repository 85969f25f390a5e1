"""The source of a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["ASKER", "BY_DEFINITION", "DEFAULT", "KINDS", "OTHERWISE", "Kind", "Source"]

Kind = Literal["exact", "measured", "published", "assumed"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Source:
    """A source: what it is, how far it can be trusted, where and when it was read, and a remark.

    >>> Source("NVIDIA H100 data sheet", "published", date="2026-08")
    Source(text='NVIDIA H100 data sheet', kind='published', url='', date='2026-08', note='')
    """

    text: str
    kind: Kind = "published"
    url: str = ""
    date: str = ""
    note: str = ""

    @property
    def stands_in(self) -> bool:
        """Whether the value counts only where no relation gives it."""
        return self.text == OTHERWISE.text

    def __str__(self) -> str:
        details = ", ".join(detail for detail in (self.date, self.url) if detail)
        said = f"{self.text} ({details})" if details else self.text
        return f"{said}; {self.note}" if self.note else said


DEFAULT = Source("default of the quantity", "assumed")
"""The source of a default that states none."""

ASKER = Source("given in the question", "assumed")
"""The source of a value that was typed in with the question."""

BY_DEFINITION = Source("by definition", "exact")
"""The source of a value that is exact by definition."""

OTHERWISE = Source("used where no relation gives it", "assumed")
"""The source of a default that is used only where the relations written for its quantity do not determine it."""
