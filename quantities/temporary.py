"""Units that a relation file defines, for as long as it is read and no longer.

A unit keeps its meaning while the process lives (`definitions`), so that no value is ever taken for another. Where a
file is read again and again while it is being written, its units change; what was defined is then forgotten, together
with everything that was read by their names. One thread at a time may be inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock

from quantities.definitions import forget, own_units
from quantities.domain import read_domain
from quantities.spelling import parse_unit
from quantities.value import read_value

__all__ = ["units_for_a_while"]

_LOCK = RLock()


@contextmanager
def units_for_a_while() -> Iterator[Callable[[], frozenset[str]]]:
    """Forget at the end the units that are defined inside; tells at any time which they are so far.

    >>> from quantities.definitions import define, entry
    >>> from fractions import Fraction
    >>> with units_for_a_while() as defined:
    ...     _ = define("florin", Fraction(2), None, "a sheet")
    ...     sorted(defined()), str(parse_unit("florin/s").dimension)
    (['florin'], 'florin/s')
    >>> entry("florin") is None
    True
    """
    with _LOCK:
        before = frozenset(own_units())

        def defined() -> frozenset[str]:
            return frozenset(own_units()) - before

        try:
            yield defined
        finally:
            if names := defined():
                forget(names)
                for cached in (parse_unit, read_value, read_domain):
                    cached.cache_clear()
