"""A cache that many threads share gives every one of them what it asked for, however little it holds."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

import derive
from derive.caches import Cache
from derive.errors import LimitError
from derive.time_limits import query, sharing, tick
from tests.derive.operations import ticks
from tests.derive.statements import bare, number
from tests.ordinary import every

THREADS = 12


@contextmanager
def switching_often():
    """Threads that take turns after a few steps."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def test_what_is_kept_is_made_once_and_the_oldest_goes_first():
    made: list[int] = []
    cache: Cache[int] = Cache(size=2)
    for n in (1, 2, 1, 3, 2, 1):
        assert cache.of(n, lambda n=n: made.append(n) or n * n) == n * n
    assert made == [1, 2, 3, 1]
    assert len(cache) == 2


@pytest.mark.parametrize("size", [1, 3])
def test_every_thread_gets_the_value_of_its_own_key(size):
    cache: Cache[int] = Cache(size)

    def ask(seed: int) -> bool:
        return all(cache.of(n % 7, lambda n=n: (n % 7) ** 2) == (n % 7) ** 2 for n in range(seed, seed + 3000))

    with switching_often(), ThreadPoolExecutor(THREADS) as threads:
        assert all(threads.map(ask, range(THREADS)))
    assert len(cache) <= size


@pytest.mark.long
def test_threads_that_share_a_library_do_not_take_its_values_from_each_other():
    circle = bare("x y s p", "x + y = s", "x*y = p", "s = 3*x - y")
    circle.solve("x", p=4.0)
    kept = circle.session.caches.values()
    assert len(kept) >= 4
    for cache in kept:
        cache.size = 1

    def ask(seed: int) -> bool:
        x, y = 1.0 + seed % 5, 1.0 + seed % 5
        found = [circle.solve("x", s=x + y), circle.solve("y", p=x * y), circle.solve("x", p=x * y)]
        return [number(one) for one in found] == pytest.approx([x, y, x])

    with switching_often(), ThreadPoolExecutor(THREADS) as threads:
        assert all(threads.map(ask, range(20 * THREADS)))


def test_a_value_for_which_time_ran_out_is_computed_again():
    cache: Cache[str] = Cache(size=2)
    with ticks(100):

        def compute() -> str:
            with suppress(LimitError), query(), sharing(0.5):
                while is_long:
                    tick()
                return "all"
            return "a part"

        is_long = True
        assert cache.of("key", compute) == "a part"
        is_long = False
        assert cache.of("key", compute) == "all"
        is_long = True
        assert cache.of("key", compute) == "all"


def _told(lib, target, given):
    """What a library says of a question, in words: its answer or its error."""
    try:
        return lib.solve(target, **given).text()
    except derive.DeriveError as error:
        return str(error)


TYPED, COMPUTED = {"b": "0.3"}, {"p": "0.026999999999999996"}  # of the same double; one is a rational


@pytest.mark.thorough
@every("relation", ["(x - a)*y = 0", "x*y = y", "x*y = 0", "x = y"], ordinary=2)
@every("first", [TYPED, COMPUTED])
@every("times", [1, 3])
@every("rest", ["c - a - b", "(c - a - b)*b", "max(c - a - b, 0)", "log(1 + c - a - b)"])
def test_what_is_kept_of_a_rational_does_not_answer_for_its_double(first, times, rest, relation):
    """A rest of zero leaves an unknown free, and one of noise may not."""

    def made():
        return bare("a b c p x y", "b = p**(1/3)", f"y = {rest}", relation, domains=dict.fromkeys("abcpxy", "real"))

    lib, second = made(), COMPUTED if first is TYPED else TYPED
    for given in (*[first] * times, *[second] * times):
        asked = {"a": "0", "c": "0.3", **given}
        assert _told(lib, "x", asked) == _told(made(), "x", asked)
