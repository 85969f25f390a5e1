"""The claims of the lecture and of texts about it, paraphrased, in one file for each subject."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from derive.audit.claim import Claim, Scene
from derive.audit.claims_file import read_claims

__all__ = ["claims", "scenes"]

_BOOKS = Path(__file__).parent


@cache
def claims() -> tuple[Claim, ...]:
    """All claims, in the order of their names."""
    made = (claim for path in _BOOKS.glob("*.toml") for claim in read_claims(path).claims)
    return tuple(sorted(made, key=lambda claim: claim.name))


@cache
def scenes() -> tuple[Scene, ...]:
    """All scenes, file by file."""
    return tuple(scene for path in sorted(_BOOKS.glob("*.toml")) for scene in read_claims(path).scenes)
