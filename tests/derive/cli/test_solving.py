"""`derive solve`, several targets, units, profiles in turn; `least`, `most`, `front`: text, data, pictures, errors."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import derive
from derive.cli.request import as_targets
from tests.derive.terminal import ask, settle

PENDULUM = """\
[quantities]
length = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
period = { unit = "s" }
swings = { unit = "1", domain = "whole" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
[profiles.clock]
length = "0.994 m"
[profiles.hall]
length = "20 m"
[profiles.moon]
gravity = "1.62 m/s**2"
"""
ROOTS = """\
[quantities]
x = { unit = "1" }
y = { unit = "1" }
[relations.parabola]
equation = "y = x**2 - 3*x + 4"
"""
ON = ("--library", "pendulum.toml")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"pendulum.toml": PENDULUM, "roots.toml": ROOTS, "tank.toml": TANK}, monkeypatch)


def test_several_targets_have_a_line_each():
    assert ask("solve", "period, length/period**2", "length=0.994 m", *ON) == (
        0,
        "period = 2.00038 s\nlength_per_period_to_the_2 = 0.248405 m/s**2\n",
        "",
    )


def test_steps_that_answers_share_are_shown_once():
    out = ask("solve", "period,period/length", "length=0.994 m", "--steps", *ON).out
    assert out.splitlines()[:2] == ["period = 2.00038 s", "period_per_length = 2.01246 s/m"]
    assert out.count("small_swing: period") == 1
    assert out.count("length  = 0.994 m") == 1


def test_the_targets_are_split_at_commas_in_no_parentheses():
    assert as_targets("max(a, b), c ,c") == ["max(a, b)", "c"]
    assert as_targets(",") == [","]
    said = ask("solve", "max(length, 2*length) in cm", "length=1 m", *ON)
    assert said.out == "max_length_2_times_length = 200 cm\n"


def test_an_expression_is_asked_for_backwards_too():
    """The step names what was given, and the answer is that of the quantities in it."""
    said = ask("solve", "2*length", "period=2 s", "--steps", *ON)
    assert said.out.startswith("asked_2_times_length = 1.98724 m\n")
    assert "asked_2_times_length = 2*length" in said.out


def test_the_unit_of_the_answer_is_asked_for():
    assert ask("solve", "period", "length=0.994 m", "--in", "ms", *ON).out == "period = 2000.38 ms\n"
    assert ask("solve", "period in ms", "length=0.994 m", *ON).out == "period = 2000.38 ms\n"
    data = json.loads(ask("solve", "period", "length=0.994 m", "--in", "min", "--json", *ON).out)
    assert data["unit"] == "min"
    assert data["value"] == pytest.approx(2.00038 / 60, rel=1e-5)


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("period in kg", "period: kg does not fit its unit s."),
        ("length/period in km", "does not fit its unit m/s. Write km/s."),
        ("length/period in parsek", "'parsek' is not a unit"),
        ("swings in %", "swings keeps its unit 1: it counts."),
        ("lenght/period", "Did you mean length?"),
        ("length + period", "length is m and period is s"),
        ("length/", "it ends where a value is expected"),
        ("(length < 2*length)", "not a condition"),
    ],
)
def test_a_target_that_cannot_be_worked_out_is_refused_in_words(target, told):
    said = ask("solve", target, "length=0.994 m", *ON)
    assert said.status in (1, 2)
    assert said.out == ""
    assert told in said.err
    assert "Traceback" not in said.err
    assert "internal error" not in said.err


def test_all_answers_are_shown_on_demand():
    said = ask("solve", "x", "y=2", "--all", "--library", "roots.toml")
    assert (said.status, said.out) == (0, "x = 1\nx = 2\n")
    data = json.loads(ask("solve", "x", "y=2", "--all", "--json", "--library", "roots.toml").out)
    assert [one["value"] for one in data["answers"]] == [1, 2]
    assert data["errors"] == []


def test_what_has_no_answer_is_told_beside_what_has_one():
    said = ask("solve", "period,swings", "length=0.994 m", *ON)
    assert said.out == "period = 2.00038 s\n"
    assert "swings" in said.err
    assert said.status == 1
    data = json.loads(ask("solve", "period,swings", "length=0.994 m", "--json", *ON).out)
    assert [one["target"] for one in data["answers"]] == ["period"]
    assert [(one["target"], one["kind"]) for one in data["errors"]] == [("swings", "UnderdeterminedError")]


def test_each_profile_has_a_row():
    assert ask("solve", "period,2*length in cm", "--each", "clock,hall", *ON) == (
        0,
        "profile  period     asked_2_times_length\nclock    2.00038 s  198.8 cm\nhall     8.97294 s  4000 cm\n",
        "",
    )


def test_a_given_that_matters_to_one_target_is_not_called_idle():
    said = ask("solve", "period,2*length", "length=0.994 m", "gravity=9.81 m/s**2", *ON)
    assert said.err == ""
    assert "gravity plays no part" in ask("solve", "2*length", "length=0.994 m", "gravity=9.81 m/s**2", *ON).err


def test_two_each_are_crossed_and_one_that_fails_is_named():
    said = ask("solve", "period", "--each", "clock,hall", "--each", "moon", *ON)
    assert [line.split()[:3] for line in said.out.splitlines()[1:]] == [["clock", "+", "moon"], ["hall", "+", "moon"]]
    said = ask("solve", "period", "--each", "clock,moon", *ON)
    assert said.status == 1
    assert "with moon: period is not determined" in said.err
    assert "2.00038 s" in said.out


EXPRESSIONS = ("step_time", "weight_bytes/chips", "cost_per_token*context", "max(kv_time, weight_time) - compute_time")
POINT = {"chips": "8 chip", "context": "8 ktoken/sequence", "batch": "64 sequence"}


@pytest.mark.parametrize("target", EXPRESSIONS)
def test_all_verbs_agree_on_an_expression(target):
    """The expression of the answers is the answer of the expression, and the other verbs say the same."""
    from derive.expressions.grammar import parse_expression
    from derive.expressions.tree import names_in
    from derive.numerics.algebra.evaluation import value

    profiles = ("h100-sxm:fp8", "llama3-70b")
    answer = derive.solve(target, *profiles, **POINT)
    node = parse_expression(target)
    parts = {name: derive.solve_all(name, *profiles, **POINT)[0].base for name in names_in(node)}
    assert answer.base == pytest.approx(value(node, parts), rel=1e-12)
    table = derive.sweep(target, *profiles, **{**POINT, "batch": ["32 sequence", "64 sequence"]})
    assert table.columns[answer.quantity.name][1] == pytest.approx(answer.value.magnitude, rel=1e-12)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("unit", ["s", "ms", "h", "µs", "min"])
def test_a_unit_moves_no_value(unit):
    profiles = ("h100-sxm:fp8", "llama3-70b")
    plain = derive.solve("step_time", *profiles, **POINT)
    moved = derive.solve(f"step_time in {unit}", *profiles, **POINT)
    assert moved.base == plain.base
    assert moved.quantity.name == "step_time"
    assert moved.regime == plain.regime
    assert moved.to("s").magnitude == pytest.approx(plain.value.magnitude, rel=1e-12)
    table = derive.sweep(f"step_time in {unit}", *profiles, **{**POINT, "batch": ["32 sequence", "64 sequence"]})
    assert table.columns["step_time"][1] == pytest.approx(moved.value.magnitude, rel=1e-12)


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
ON_TANK = ("--library", "tank.toml")
CUBE = ("price", "side=1..9 m", "height=1..9 m", "layers=1..3", "--such-that", "volume >= 8 m**3")


def test_the_cheapest_tank_is_a_cube():
    told = ask("least", *CUBE, "--among", "stainless,plain", *ON_TANK)
    assert told.out.startswith("least price = 240 USD at side = 2 m, height = 2 m, layers = 1, plain")
    assert "proved: no choice is better" in told.out
    assert "volume >= 8 m**3" in told.out
    assert told.status == 0


@pytest.mark.thorough
def test_the_data_say_the_same():
    data = json.loads(ask("least", *CUBE, "--among", "stainless,plain", *ON_TANK, "--json").out)
    assert data["value"] == pytest.approx(240, rel=1e-6)
    assert data["proved"]
    assert data["at"]["profiles"] == ["plain"]
    assert data["at"]["layers"] == {"value": 1.0, "unit": ""}
    assert [choice["value"] for choice in data["choices"]] == pytest.approx([1080, 240], rel=1e-6)
    assert {check["name"]: check["passed"] for check in data["answer"]["checks"]} == {"volume >= 8 m**3": True}


def test_a_list_is_a_choice_and_the_steps_are_those_of_the_answer():
    told = ask("most", "volume", "side=1 m, 2 m, 3 m", "height=1..4 m", "--steps", *ON_TANK).out
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
    assert ask(*arguments, *ON_TANK, "-o", "best.svg").status == 0
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
    lines = ask(*question, *ON_TANK).out.splitlines()
    assert lines[0] == "front of least price and most volume: 3 points, each point is proved"
    assert lines[3].split()[0] == "100"
    data = json.loads(ask(*question, *ON_TANK, "--json").out)
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
    told = ask(*arguments, *ON_TANK)
    assert told.status == status
    assert words in told.err
