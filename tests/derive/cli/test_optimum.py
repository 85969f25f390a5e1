"""`derive least`, `most` and `front`: text, data, pictures, and what is wrong in words."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.derive.terminal import ask, settle

TANK = """\
[quantities]
side = { unit = "m" }
height = { unit = "m" }
volume = { unit = "m**3" }
steel = { unit = "m**2" }
price = { unit = "USD" }
each = { unit = "USD/m**2" }
layers = { unit = "", domain = "whole" }
[relations]
volume = { equation = "volume = side**2*height" }
steel = { equation = "steel = (2*side**2 + 4*side*height)*layers" }
price = { equation = "price = each*steel" }
[profiles]
plain = { each = "10 USD/m**2" }
stainless = { each = "45 USD/m**2" }
"""
ON = ("--library", "tank.toml")
CUBE = ("price", "side=1..9 m", "height=1..9 m", "layers=1..3", "--such-that", "volume >= 8 m**3")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"tank.toml": TANK}, monkeypatch)


def test_the_cheapest_tank_is_a_cube():
    told = ask("least", *CUBE, "--among", "stainless,plain", *ON)
    assert told.out.startswith("least price = 240 USD at side = 2 m, height = 2 m, layers = 1, plain")
    assert "proved: no choice is better" in told.out
    assert "volume >= 8 m**3" in told.out
    assert told.status == 0


@pytest.mark.thorough
def test_the_data_say_the_same():
    data = json.loads(ask("least", *CUBE, "--among", "stainless,plain", *ON, "--json").out)
    assert data["value"] == pytest.approx(240, rel=1e-6)
    assert data["proved"]
    assert data["at"]["profiles"] == ["plain"]
    assert data["at"]["layers"] == {"value": 1.0, "unit": ""}
    assert [choice["value"] for choice in data["choices"]] == pytest.approx([1080, 240], rel=1e-6)
    assert {check["name"]: check["passed"] for check in data["answer"]["checks"]} == {"volume >= 8 m**3": True}


def test_a_list_is_a_choice_and_the_steps_are_those_of_the_answer():
    told = ask("most", "volume", "side=1 m, 2 m, 3 m", "height=1..4 m", "--steps", *ON).out
    assert told.startswith("most volume = 36 m**3 at height = 4 m, side = 3 m")
    assert "volume = side**2*height" in told


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ("least", *CUBE, "--among", "stainless,plain"),
        ("most", "volume", "side=1..3 m", "height=2 m"),
        ("front", "price,volume", "side=1..3 m", "height=2 m", "layers=1", "--with", "plain", "--points", "3"),
    ],
)
def test_a_picture_is_drawn(arguments):
    assert ask(*arguments, *ON, "-o", "best.svg").status == 0
    assert ElementTree.fromstring(Path("best.svg").read_text(encoding="utf-8")).tag.endswith("svg")


def test_a_front_is_a_table_of_proved_points():
    question = (
        "front",
        "price,most volume",
        "side=1..3 m",
        "height=2 m",
        "layers=1",
        "--with",
        "plain",
        "--points",
        "3",
    )
    lines = ask(*question, *ON).out.splitlines()
    assert lines[0] == "front of least price and most volume: 3 points, each point is proved"
    assert lines[3].split()[0] == "100"
    data = json.loads(ask(*question, *ON, "--json").out)
    assert [one["sense"] for one in data["targets"]] == ["least", "most"]
    for point in data["points"]:
        price, volume = point["values"]
        side = point["at"]["side"]["value"]
        assert (price, volume) == pytest.approx((10 * (2 * side**2 + 8 * side), 2 * side**2))


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("least", *CUBE, "--such-that", "volume <= 7 m**3", "--with", "plain"), 1, "exclude each other"),
        (("least", "price", "side=2 m", "height=2 m", "layers=1", "--with", "plain"), 2, "Nothing is free"),
        (("least", *CUBE, "-o", "best.gif"), 2, "unknown file format"),
        (("most", *CUBE, "--among", "plain,golden"), 2, "There is no profile 'golden'"),
    ],
)
def test_what_cannot_be_had_is_said(arguments, status, words):
    told = ask(*arguments, *ON)
    assert told.status == status
    assert words in told.err
