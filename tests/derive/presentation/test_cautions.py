"""The sentence on a failed check tells numbers that fail it."""

from __future__ import annotations

import re

from hypothesis import assume, example, given
from hypothesis import strategies as st

import derive
from derive.presentation.cautions import displaced, sides_apart
from quantities.spelling import parse_unit
from quantities.value import read_value

FITS = derive.load("""
[quantities]
need = { unit = "GB" }
room = { unit = "byte" }
[relations.fits]
equation = "need <= room"
""").relations["fits"]


@example(1e6, 1e-6)  # 0.001 GB was told as more than 1000 kB
@example(1e12, 4e-7)
@given(st.floats(1.0, 1e20), st.floats(1e-11, 1e3))
def test_the_side_that_is_told_as_more_is_more_as_it_is_told(room, excess):
    need = room * (1 + excess)
    assume(need > room)
    told = sides_apart(FITS, {"need": need, "room": room})
    more, less = re.fullmatch("need is (.*), more than room, which is (.*)", told).groups()
    assert read_value(more).base[1] > read_value(less).base[1]


def test_what_a_default_comes_out_as_is_told_apart_from_it():
    told = displaced("gravity", read_value("9.807 m/s**2"), 9.80665, parse_unit("m/s**2"), is_brief=True)
    assert told == "gravity is 9.807 m/s**2, but comes out as 9.80665 m/s**2 here"
