"""Bounded caches of earlier results, safe to share between threads.

A `Memo` is a kind of cached result, defined beside the code that computes it; a `Session` has the caches of one
library, which is immutable.

A cache holds what one question, or the next few, may ask again, and no more: each full collection of garbage walks
through all that is held, and one of 200,000 objects takes longer than nearly any question.

A value is stored only if all of the work for it was done: where time ran out for a part of it, the next question may
have more.

Reading needs no lock. Values are stored, and the oldest removed, under a lock. They are computed without it, so two
threads that need the same value at once may both compute it, and neither waits for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar

from derive.time_limits import overruns

T = TypeVar("T")


def numbers_as_key(numbers: Mapping[str, float]) -> Hashable:
    """Numbers by name as a part of a cache's key, in which a rational and the double nearest to it are two numbers.

    They compare as equal, and of a difference with noise in its last digit only the double's is zero.
    """
    return tuple([(name, number, number.__class__) for name, number in sorted(numbers.items())])


class Cache(Generic[T]):
    """At most `size` values by key.

    >>> squares = Cache[int](size=2)
    >>> [squares.of(n, lambda n=n: n * n) for n in (3, 4, 5)], len(squares)
    ([9, 16, 25], 2)
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._values: dict[Hashable, T] = {}
        self._lock = Lock()

    def of(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The cached value of a key; if there is none, it is computed and stored, unless its time ran out."""
        cached = self._values.get(key, self)  # the cache itself is no value, and None may be one
        if not isinstance(cached, Cache):
            return cached
        overruns_before = overruns()
        value = compute()
        if overruns() > overruns_before:
            return value
        with self._lock:
            self._values[key] = value
            while len(self._values) > self.size:
                del self._values[next(iter(self._values))]
        return value

    def __len__(self) -> int:
        return len(self._values)


class Session:
    """The caches of one library, by the kind of their results; threads may share it."""

    def __init__(self) -> None:
        self.caches: dict[Any, Cache[Any]] = {}


class Memo(Generic[T]):
    """A kind of results that are computed once in a session; at most `most` are kept.

    >>> squares, session = Memo[int](most=2), Session()
    >>> [squares.of(session, n, lambda n=n: n * n) for n in (3, 4, 5)], len(session.caches[squares])
    ([9, 16, 25], 2)
    """

    def __init__(self, most: int) -> None:
        self.most = most

    def of(self, session: Session, key: Hashable, compute: Callable[[], T]) -> T:
        """A session's cached value of a key; if there is none, it is computed and stored."""
        # An empty cache is false; `setdefault` then returns it.
        cache: Cache[T] = session.caches.get(self) or session.caches.setdefault(self, Cache(self.most))
        return cache.of(key, compute)
