"""The libraries that go by a name, told: what each is called, what it holds and what it comes with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from derive.errors import DeriveError
from derive.relation_files.loading import load
from derive.relation_files.offered import Offer, installed, offers

__all__ = ["Listed", "listed_libraries"]


@dataclass(frozen=True, slots=True)
class Listed:
    """A library that goes by a name; the counts are None, and the title is the reason, if it cannot be loaded."""

    name: str
    title: str
    relations: int | None
    quantities: int | None
    source: str


def listed_libraries(*names: str) -> Iterator[Listed]:
    """These libraries, or all; a name that is none is left out.

    >>> next(listed_libraries("pipes"))
    Listed(name='pipes', title='Flow in pipes', relations=44, quantities=70, source='derive-engine')
    """
    for name, offered in offers().items():
        if not names or name in names:
            for offer in offered:
                yield _listed(offer)


def _listed(offer: Offer) -> Listed:
    try:
        library = load(offer.place) if isinstance(offer.place, Path) else installed(offer.name)
    except DeriveError as error:
        return Listed(offer.name, str(error), None, None, offer.source)
    return Listed(offer.name, library.title, len(library.relations), len(library.declared), offer.source)
