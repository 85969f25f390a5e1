"""`derive border`: text, data, the map, and what is wrong in words."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.derive.terminal import ask, settle

TRIP = """\
[quantities]
distance = { unit = "km" }
walking  = { unit = "h" }
driving  = { unit = "h" }
parking  = { unit = "h" }
foot     = { unit = "km/h", value = "5 km/h" }
car      = { unit = "km/h", value = "30 km/h" }
time     = { unit = "h" }
[relations]
walking  = { equation = "walking = distance/foot" }
driving  = { equation = "driving = distance/car + parking" }
time     = { equation = "time = min(walking, driving)" }
"""
ASKED = ("border", "time", "parking=0.1..1 h", "distance=1..9 km", "--library", "trip.toml")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"trip.toml": TRIP}, monkeypatch)


def test_the_borders_and_the_regions_are_told():
    told = ask(*ASKED)
    assert told.out.splitlines()[:2] == [
        "time over parking (0.1 h to 1 h) and distance (1 km to 9 km): 1 border",
        "  walking = driving (time), where distance = parking/(1/foot - 1/car)",
    ]
    assert "walking binds (time)" in told.out
    assert told.status == 0


def test_the_data_say_the_same():
    data = json.loads(ask(*ASKED, "--json").out)
    (border,) = data["borders"]
    assert border["formula"] == {"distance": "parking/(1/foot - 1/car)"}
    assert all(distance == pytest.approx(6 * parking) for parking, distance in border["points"])
    assert sum(region["share"] for region in data["regions"]) == pytest.approx(1)
    assert [axis["name"] for axis in data["axes"]] == ["parking", "distance"]


@pytest.mark.parametrize("verb", ["border", "sweep"])
def test_the_map_is_drawn(verb, tmp_path):
    assert ask(verb, *ASKED[1:], "-o", "map.svg").status == 0
    root = ElementTree.parse(tmp_path / "map.svg").getroot()
    assert root.tag.endswith("svg")


def test_what_is_wrong_is_said():
    assert "There is no range" in ask("border", "time", "parking=1 h", "--library", "trip.toml").err
    assert "Name a file that ends in .svg" in ask(*ASKED, "-o", "map.gif").err
