"""The audit: every claim of the lecture and of texts about it, tested alone and together with the others.

The claims are paraphrased, in one file for each subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import chain
from pathlib import Path

from derive.audit.claim import Claim, Scene
from derive.audit.claims_file import Book, read_claims
from derive.audit.verdicts import Conflict, Finding, conflicts, judge
from derive.errors import UnknownNameError, unknown
from derive.library import Library
from derive.tables.progress import with_progress_bar
from derive.tokens.relations import library as built_in


@cache
def _books() -> tuple[Book, ...]:
    return tuple(map(read_claims, sorted((Path(__file__).parent / "claims").glob("*.toml"))))


def claims() -> tuple[Claim, ...]:
    """All claims of the built-in audit, in the order of their names."""
    claims_of_books = chain.from_iterable(book.claims for book in _books())
    return tuple(sorted(claims_of_books, key=lambda claim: claim.name))


def scenes() -> tuple[Scene, ...]:
    """All scenes of the built-in audit, file by file."""
    return tuple(chain.from_iterable(book.scenes for book in _books()))


def audit(names: Sequence[str] = (), library: Library | None = None, book: Book | None = None) -> tuple[Finding, ...]:
    """Audit claims: the findings on these claims of a book, or on all.

    By default it is the built-in book, in the order of the claims' names. A bar on a terminal says how many are left,
    and for how long.

    >>> [(finding.claim.name, str(finding.verdict)) for finding in audit(["C17", "C20"])]
    [('C17', 'reproduced'), ('C20', 'contradicted')]
    """
    known = {claim.name: claim for claim in (claims() if book is None else book.claims)}
    wanted = {_named(name, list(known)) for name in names} or known.keys()
    asked = built_in() if library is None else library
    chosen = [claim for name, claim in known.items() if name in wanted]
    return tuple(with_progress_bar(((1, judge(asked, claim)) for claim in chosen), len(chosen), "claims"))


def _named(name: str, known: Sequence[str]) -> str:
    """The name of a claim of the lecture, or of another book, from one in any case.

    Claims are numbered, so an error suggests those that look alike.
    """
    for claim_name in known:
        if claim_name.upper() == name.upper():
            return claim_name
    like = tuple(get_close_matches(name.upper(), known, n=3, cutoff=0.5))
    hint = f"They run from {known[0]} to {known[-1]}." if known else "The file states none."
    raise UnknownNameError(unknown("claim", name, known).what, hint=hint, name=name, kind="claim", suggestions=like)


def clashes(
    names: Sequence[str] = (), library: Library | None = None, book: Book | None = None
) -> tuple[Conflict, ...]:
    """The smallest sets of claims of the lecture or a book that cannot hold together, or those with a named claim."""
    wanted = {name.upper() for name in names}

    def concerns(claimants: Iterable[str]) -> bool:
        return not wanted or not wanted.isdisjoint(name.upper() for name in claimants)

    asked = built_in() if library is None else library
    stated = scenes() if book is None else book.scenes
    chosen = [scene for scene in stated if concerns(assertion.claim for assertion in scene.assertions)]
    return tuple(conflict for conflict in conflicts(asked, chosen) if concerns(conflict.claims))
