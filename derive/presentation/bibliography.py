"""Sources as a bibliography: numbered in the order in which they are first cited."""

from __future__ import annotations

from quantities.source import Source

__all__ = ["Bibliography"]

_WORD = 40  # characters of a source that may stand where it is cited


class Bibliography:
    """The sources of one page or one book.

    >>> book = Bibliography()
    >>> book.cite(Source("data sheet", date="2026-08")), book.cite(Source("given by the asker", "assumed"))
    (1, 'given by the asker')
    """

    def __init__(self) -> None:
        self._numbers: dict[Source, int] = {}

    def cite(self, source: Source) -> int | str:
        """The source's number, or its own words where they are no place to look at and just somebody's word."""
        is_place = source.kind in ("published", "measured") or source.url or source.date or len(source.text) > _WORD
        return self._numbers.setdefault(source, len(self._numbers) + 1) if is_place else source.text

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources in the order of their numbers."""
        return tuple(self._numbers)
