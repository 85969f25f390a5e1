"""A query ends when its time is up, in whichever thread it runs."""

from __future__ import annotations

import threading
import time

import pytest

from derive import LimitError
from derive.time_limits import limits, query, tick


def endless():
    with query():
        while True:
            tick()


def outcome(act):
    """What an act raised and how long it took, in a thread of its own."""
    found = []

    def run():
        start = time.monotonic()
        try:
            act()
        except LimitError as error:
            found.append((error.limit, time.monotonic() - start))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    return found[0]


def timed():
    start = time.monotonic()
    with pytest.raises(LimitError) as caught:
        endless()
    return caught.value.limit, time.monotonic() - start


def test_a_query_without_end_is_stopped():
    with limits(seconds=0.05):
        limit, took = timed()
    assert limit == "0.05 s"
    assert 0.05 <= took < 2


def test_a_limit_holds_in_a_thread_that_set_none():
    with limits(seconds=0.05):
        limit, took = outcome(endless)
    assert limit == "0.05 s"
    assert took < 2


def test_a_limit_set_in_a_thread_is_its_own():
    def own():
        with limits(seconds=0.03):
            endless()

    with limits(seconds=30):
        assert outcome(own)[0] == "0.03 s"


@pytest.mark.parametrize(("outer", "inner"), [(30, 0.04), (0.04, 0.08)])
def test_the_inner_of_two_limits_holds_inside_and_the_outer_after(outer, inner):
    with limits(seconds=outer):
        with limits(seconds=inner):
            assert timed()[0] == f"{inner:g} s"
        if outer < 1:
            assert timed()[0] == f"{outer:g} s"


def test_a_query_in_a_query_runs_on_the_clock_of_the_outer_one():
    with limits(seconds=0.05), query(), limits(seconds=30):
        assert timed()[0] == "0.05 s"


def test_a_limit_that_has_ended_stops_nothing():
    with limits(seconds=1e-9):
        pass
    with query():
        for _ in range(100):
            tick()


def test_outside_a_query_no_clock_runs():
    with limits(seconds=1e-9):
        for _ in range(100):
            tick()


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "60", None])
def test_what_is_no_time_is_refused(seconds):
    with pytest.raises(LimitError), limits(seconds=seconds):
        pass
