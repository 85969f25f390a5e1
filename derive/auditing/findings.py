"""The audit: every claim put to the library, alone and together with the others."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from derive.auditing.claims import CLAIMS
from derive.auditing.claims.scenes import SCENES
from derive.auditing.conflicts import Conflict, conflicts
from derive.auditing.judging import Finding, judge
from derive.errors import UnknownNameError, unknown
from derive.library import Library
from derive.relations import library as built_in

__all__ = ["audit", "clashes"]


def audit(names: Sequence[str] = (), library: Library | None = None) -> tuple[Finding, ...]:
    """The findings on these claims, or on all, in the order of their names.

    >>> [(finding.claim.name, str(finding.verdict)) for finding in audit(["C17", "C20"])]
    [('C17', 'reproduced'), ('C20', 'rounded')]
    """
    known = {claim.name: claim for claim in CLAIMS}
    for name in names:
        if name.upper() not in known:
            raise _unmade(name, list(known))
    wanted = {name.upper() for name in names} or known.keys()
    asked = built_in() if library is None else library
    return tuple(judge(asked, claim) for name, claim in known.items() if name in wanted)


def _unmade(name: str, known: Sequence[str]) -> UnknownNameError:
    """The error for a claim that nobody made; claims are numbered, so that the nearest are those that look alike."""
    error = unknown("claim", name, known)
    like = tuple(get_close_matches(name.upper(), known, n=3, cutoff=0.5))
    hint = f"They run from {known[0]} to {known[-1]}."
    return UnknownNameError(error.what, hint=hint, name=name, kind="claim", suggestions=like)


def clashes(names: Sequence[str] = (), library: Library | None = None) -> tuple[Conflict, ...]:
    """The smallest sets of claims that cannot hold together, or those that one of these claims is part of."""
    wanted = {name.upper() for name in names}
    asked = built_in() if library is None else library
    scenes = [scene for scene in SCENES if not wanted or not wanted.isdisjoint(one.claim for one in scene.assertions)]
    found = conflicts(asked, scenes)
    return tuple(conflict for conflict in found if not wanted or not wanted.isdisjoint(conflict.claims))
