"""The claims of the lecture and of what was written about it: in our own words, one file a subject."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from derive.audit.claim import Claim
from derive.audit.claims_file import read_claims
from derive.audit.scene import Scene

__all__ = ["claims", "scenes"]

_BOOKS = Path(__file__).parent


@cache
def claims() -> tuple[Claim, ...]:
    """All claims, in the order of their names."""
    made = (claim for path in _BOOKS.glob("*.toml") for claim in read_claims(path).claims)
    return tuple(sorted(made, key=lambda claim: claim.name))


@cache
def scenes() -> tuple[Scene, ...]:
    """What several claims say of one thing."""
    return tuple(scene for path in sorted(_BOOKS.glob("*.toml")) for scene in read_claims(path).scenes)
