"""The audit: every claim put to the library, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence

from derive.auditing.claims import CLAIMS
from derive.auditing.judging import Finding, judge
from derive.errors import unknown
from derive.library import Library

__all__ = ["audit"]


def audit(names: Sequence[str] = (), library: Library | None = None) -> tuple[Finding, ...]:
    """The findings on these claims, or on all, in the order of their names."""
    from derive.relations import library as built_in

    known = {claim.name: claim for claim in CLAIMS}
    for name in names:
        if name.upper() not in known:
            raise unknown("claim", name, list(known))
    wanted = {name.upper() for name in names} or known.keys()
    asked = built_in() if library is None else library
    return tuple(judge(asked, claim) for name, claim in known.items() if name in wanted)
