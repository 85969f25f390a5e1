"""Full garbage collections are put off for as long as anybody asks for it, and not longer."""

from __future__ import annotations

import gc
from threading import Event, Thread

import pytest

import derive
from derive.garbage import collecting_seldom

TEXT = "[quantities]\nx = {unit = 'm'}\ny = {unit = 'm'}\n[relations]\nr = {equation = 'y = 2*x'}"


def test_what_was_in_force_is_in_force_again_whatever_happens():
    before = gc.get_threshold()
    library = derive.load(TEXT)
    library.solve("y", x="1 m")
    with pytest.raises(derive.DeriveError):
        derive.load("[quantities]\nx = {unit = 'metr'}")
    with pytest.raises(derive.DeriveError):
        library.solve("y")
    assert gc.get_threshold() == before


def test_a_threshold_of_one_s_own_stays_one_s_own():
    before = gc.get_threshold()
    try:
        gc.set_threshold(500, 5, 5000)
        with collecting_seldom():
            assert gc.get_threshold() == (500, 5, 5000)
        assert gc.get_threshold() == (500, 5, 5000)
    finally:
        gc.set_threshold(*before)


def test_who_leaves_first_does_not_speak_for_the_others():
    before, inside, leave = gc.get_threshold(), Event(), Event()

    def stay():
        with collecting_seldom():
            inside.set()
            leave.wait(10)

    other = Thread(target=stay)
    with collecting_seldom():
        other.start()
        assert inside.wait(10)
    assert gc.get_threshold()[2] >= 1000
    leave.set()
    other.join()
    assert gc.get_threshold() == before
