"""What a file says of what is left out: by a relation, or by a number that stands in."""

from __future__ import annotations

import pickle

import pytest

import derive
from derive.errors import UnitError, UnknownNameError
from derive.relation_files.writing import written

FALL = """
[quantities]
height = { unit = "m" }
speed = { unit = "m/s" }
gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
air_share = { unit = "", meaning = "what the air takes, of the speed" }
lift = { unit = "m", domain = "nonnegative", otherwise = "0 m", reason = "no wing is stated" }
wing = { unit = "m" }
[relations]
fall = { equation = "speed = sqrt(2*gravity*(height - lift))", neglects = "air_share" }
air_share = { equation = "air_share = 0.001*height/wing" }
lift = { equation = "lift = wing/2" }
"""


def test_a_relation_says_how_much_it_leaves_out() -> None:
    fall = derive.load(FALL)
    known = fall.solve("speed", height="5 m", wing="0.2 m")
    sentence = "fall leaves out what the air takes: 0.025 of what it counts (air_share)"
    assert known.assumptions == (sentence,)
    assert fall.solve("speed", height="5 m", wing="2 m").assumptions == ()  # too little to tell
    assert pickle.loads(pickle.dumps(known)).assumptions == (sentence,)


def test_what_stands_in_for_a_reason_says_so() -> None:
    fall = derive.load(FALL)
    assumptions = fall.solve("speed", height="5 m").assumptions
    assert assumptions[0] == "lift = 0 m is assumed: used where no relation gives it; no wing is stated"
    assert len(assumptions) == 1  # of an unknown size
    assert not any("no wing" in assumption for assumption in fall.solve("speed", height="5 m", wing="2 m").assumptions)


def test_both_are_written_as_they_were_read() -> None:
    fall = derive.load(FALL)
    assert 'reason = "no wing is stated"' in written(fall, "lift")[0]
    assert 'neglects = "air_share"' in written(fall, "fall")[-1]
    assert derive.load(FALL) == fall
    assert derive.load(FALL.replace(', neglects = "air_share"', "")) != fall


def test_at_a_point_of_its_own_a_relation_neglects_what_is_left_out_there() -> None:
    both = derive.load(FALL).at("high", ["height"])
    assert both.relations["high.fall"].neglects == "high.air_share"
    assumptions = both.solve("high.speed", **{"high.height": "10 m", "height": "5 m", "wing": "0.2 m"}).assumptions
    assert any(assumption.endswith("0.05 of what it counts (high.air_share)") for assumption in assumptions)


def test_what_is_neglected_is_declared_and_a_share() -> None:
    with pytest.raises(UnknownNameError, match="air_shore"):
        derive.load(FALL.replace('neglects = "air_share"', 'neglects = "air_shore"'))
    with pytest.raises(UnitError, match="fall, neglects: wing is not a share, it is in m"):
        derive.load(FALL.replace('neglects = "air_share"', 'neglects = "wing"'))
