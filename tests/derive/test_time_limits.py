"""A query ends when its time is up, in whichever thread it runs."""

from __future__ import annotations

import threading
from contextlib import suppress

import pytest

from derive import LimitError, time_limits
from derive.time_limits import limits, query, sharing, stop_if_over, tick
from tests.derive.operations import Clock, limits_by


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Each look at the clock takes a millisecond."""
    clock = Clock(0.001)
    monkeypatch.setattr(time_limits, "_WALL", 1)
    with limits_by(clock):
        yield clock


def endless():
    with query():
        while True:
            tick()


def outcome(act):
    """What an act raised, in a thread of its own."""
    found = []

    def run():
        with pytest.raises(LimitError) as caught:
            act()
        found.append(caught.value.limit)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def ended():
    with pytest.raises(LimitError) as caught:
        endless()
    return caught.value.limit


def test_a_query_without_end_is_stopped(clock):
    with limits(seconds=0.05):
        assert ended() == "0.05 s"
    assert 0.05 <= clock.now < 0.06


def test_a_query_is_stopped_on_the_wall_where_its_thread_gets_no_time():
    class Wall(Clock):
        def thread_time(self):
            return 0.0

    wall = Wall(0.001)
    with limits_by(wall), limits(seconds=0.05):
        assert ended() == "0.05 s"
    assert 0.05 <= wall.now < 0.06


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_a_share_leaves_wall_clock_time_for_what_follows_where_its_thread_gets_little(share):
    class Busy(Clock):
        """A machine on which a thread gets a tenth of the time on the wall."""

        def thread_time(self):
            return super().thread_time() / 10

    wall = Busy(0.001)
    with limits_by(wall), limits(seconds=10), query():
        with suppress(LimitError), sharing(share):
            endless()
        tick()
        assert (1 + share) / 2 * 10 <= wall.now < (1 + share) / 2 * 10 + 0.1


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_share_is_counted_in_the_time_of_the_thread_alone(clock, share):
    with limits(seconds=10), query():
        begun = clock.now
        with suppress(LimitError), sharing(share):
            endless()
        assert share * 10 * 0.99 <= clock.now - begun < share * 10 + 0.1


def test_a_limit_holds_in_a_thread_that_set_none(clock):
    with limits(seconds=0.05):
        assert outcome(endless) == "0.05 s"
    assert clock.now < 0.06


def test_a_limit_set_in_a_thread_is_its_own():
    def own():
        with limits(seconds=0.03):
            endless()

    with limits(seconds=30):
        assert outcome(own) == "0.03 s"


@pytest.mark.parametrize(("outer", "inner"), [(30, 0.04), (0.04, 0.08)])
def test_the_inner_of_two_limits_holds_inside_and_the_outer_after(outer, inner):
    with limits(seconds=outer):
        with limits(seconds=inner):
            assert ended() == f"{inner:g} s"
        if outer < 1:
            assert ended() == f"{outer:g} s"


def test_a_query_in_a_query_runs_on_the_clock_of_the_outer_one():
    with limits(seconds=0.05), query(), limits(seconds=30):
        assert ended() == "0.05 s"


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


def test_time_that_is_over_is_seen_at_once_where_what_follows_hangs_on_it():
    """A query looks at the clock in every sixteenth tick only."""
    clock = Clock(0.0)
    with limits_by(clock), limits(seconds=1), query():
        tick()
        stop_if_over()
        clock.now = 2.0
        tick()
        with pytest.raises(LimitError):
            stop_if_over()
