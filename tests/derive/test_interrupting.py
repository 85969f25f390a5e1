"""What takes too long is ended wherever it is, and leaves nothing half done."""

from __future__ import annotations

import gc
import os
import threading
import time
from contextlib import contextmanager, suppress
from random import Random
from weakref import WeakSet

import pytest
import sympy

import derive
from derive import LimitError, time_limits
from derive.time_limits import Interruption, interrupted_after, limits, query, sharing
from tests.derive.hostile import file_of, numbered

LONG = int(os.environ.get("DERIVE_INTERRUPTED", "200"))


@pytest.fixture
def at_once(monkeypatch):
    """Queries are interrupted at their very end."""
    monkeypatch.setattr(time_limits, "_WALL", 1)
    monkeypatch.setattr(time_limits, "_GRACE", 0.0)


def spin():
    while True:
        pass


def sleep_awake(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def swallowing():
    while True:
        with suppress(Exception):
            spin()


def expanded():
    return ((sum(sympy.symbols("a:40")) + 1) ** 40).expand()


@pytest.mark.parametrize("endless", [spin, swallowing, expanded])
def test_what_looks_at_no_clock_is_ended(at_once, endless):
    with pytest.raises(LimitError) as caught, limits(seconds=0.05), query():
        endless()
    assert caught.value.limit == "0.05 s"


def test_it_is_ended_in_a_thread(at_once):
    found = []

    def act():
        try:
            with limits(seconds=0.05), query():
                spin()
        except LimitError as error:
            found.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join(30)
    assert len(found) == 1


def test_a_share_is_ended_and_the_query_goes_on(at_once):
    with limits(seconds=20), query():
        with pytest.raises(LimitError), sharing(0.002):
            spin()
        assert sum(range(10)) == 45


def test_nothing_is_ended_after_its_block():
    for _ in range(50):
        with interrupted_after(0.02):
            pass
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        pass


def test_what_goes_on_is_interrupted_again(monkeypatch):
    monkeypatch.setattr(time_limits, "_AGAIN", 0.01)
    met = 0
    with interrupted_after(0.01):
        while met < 3:
            try:
                spin()
            except Interruption:
                met += 1


@pytest.mark.thorough
def test_what_begins_and_ends_a_block_is_whole(monkeypatch):
    monkeypatch.setattr(time_limits, "_SOON", 0.001)
    state = {"open": 0, "undone": 0}

    @contextmanager
    def held():
        state["open"] += 1
        _ = [None for _ in range(2000)]
        try:
            yield
        finally:
            _ = [None for _ in range(2000)]
            state["open"] -= 1

    for turn in range(10):
        try:
            with interrupted_after(0.002 + turn / 7000):
                while True:
                    with held():
                        pass
        except Interruption:
            pass
        assert state["open"] == 0


@pytest.mark.thorough
def test_what_the_garbage_collector_calls_is_whole():
    begun, ended = [], []

    def callback(phase, info):
        begun.append(phase)
        _ = [None for _ in range(20_000)]
        ended.append(phase)

    gc.callbacks.append(callback)
    try:
        for turn in range(0, 20, 3):
            with suppress(Interruption), interrupted_after(0.002 + turn / 10_000):
                while True:
                    gc.collect(0)
                    _ = [None for _ in range(200_000)]
    finally:
        gc.callbacks.remove(callback)
    assert begun == ended


def test_what_weak_references_call_is_whole():
    class Held:
        pass

    kept = WeakSet()
    for turn in range(20):
        with suppress(Interruption), interrupted_after(0.002 + turn / 10_000):
            while True:
                kept.add(Held())


@pytest.mark.parametrize("seconds", [1e8, 1e10, 1e300, 10**400, float("inf")])
def test_after_the_longest_of_limits_a_short_one_is_kept(at_once, monkeypatch, seconds):
    monkeypatch.setattr(time_limits, "_watch", time_limits._Watch())
    with limits(seconds=seconds), query():
        time.sleep(0.02)  # so that the background thread begins to wait for it
    with pytest.raises(LimitError), limits(seconds=0.05), query():
        sleep_awake(30)


def test_a_question_in_a_question_of_several_has_its_own_limit(at_once):
    with time_limits.several_queries(60.0), pytest.raises(LimitError) as caught, limits(seconds=0.02), query():
        spin()
    assert caught.value.limit == "0.02 s"


def test_several_questions_have_one_limit_together(at_once):
    asked = []

    def all_of_them():
        with limits(seconds=0.2), time_limits.several_queries(60.0):
            for number in range(10_000):
                with query():
                    time.sleep(0.01)
                asked.append(number)

    with pytest.raises(LimitError):
        all_of_them()
    assert 0 < len(asked) < 10_000


KINDS = {
    "choice": ("y = " + " + ".join(f"max(x{i}, z)" for i in range(9)), "z"),
    "polynomial": ("y = z**7 - 3*z**5 + z**2 - x0*z - x1", "z"),
    "waves": ("y = sin(3*z) + z/5 - x0 + x1", "z"),
    "cases": ("y = " + "".join(f"{i}*z + x{i} if z < {i} else " for i in range(1, 9)) + "z", "z"),
    "backwards": ("y = sqrt(x0*z)/(1 + x1*z**2) + log(1 + z)", "z"),
}


def shown(library, target, given) -> str:
    """The values of a question, or what is said instead."""
    try:
        return "; ".join(f"{one.base!r} {one.bounds!r} {one.assumptions}" for one in library.solve_all(target, **given))
    except derive.DeriveError as error:
        return f"{type(error).__name__}: {error}"


def interrupted(kind: str, draw: Random) -> tuple[str, str]:
    """What a library says after it was interrupted four times, and what a fresh one says."""
    equation, target = KINDS[kind]
    source = file_of(["y", "z", *numbered(9)], {"r": equation})
    given = {"y": str(draw.randint(1, 40)), **{name: f"{draw.uniform(0.1, 3):.3f}" for name in numbered(9)}}
    library = derive.load(source)
    for _ in range(4):
        with suppress(derive.DeriveError), limits(seconds=draw.choice([0.0005, 0.002, 0.005, 0.02])):
            library.solve_all(target, **given)
    return shown(library, target, given), shown(derive.load(source), target, given)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "seeds",
    [
        range(2),
        pytest.param(range(100, 104), marks=pytest.mark.thorough),
        pytest.param(range(1000, 1000 + LONG), marks=pytest.mark.long),
    ],
)
def test_a_library_that_was_interrupted_answers_as_a_fresh_one(at_once, kind, seeds):
    for seed in seeds:
        after, fresh = interrupted(kind, Random(seed))
        assert after == fresh, seed
