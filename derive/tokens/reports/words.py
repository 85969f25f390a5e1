"""Template words for the built-in library only: its claims and its price sheets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["words"]


def words(library: Library) -> Mapping[str, Any]:
    """The words for claims and price sheets, which are evaluated when a template uses them.

    >>> from derive.tokens.relations import library
    >>> sorted(words(library()))
    ['audit', 'sheets']
    """

    def audit() -> Mapping[str, Any]:
        from derive.tokens.audit import audit as audited
        from derive.tokens.audit import clashes
        from derive.tokens.reports.verdict_tables import verdicts

        return verdicts(audited(library=library), clashes(library=library), library)

    def sheets() -> Mapping[str, Any]:
        from derive.tokens.reports.sheet_tables import read

        return read(library)

    return {"audit": audit, "sheets": sheets}
