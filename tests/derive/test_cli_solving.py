"""`derive solve` and `derive graph`: the answer on standard output, what is wrong in words on standard error."""

from __future__ import annotations

import json
import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.derive.terminal import ask, settle

PENDULUM = """\
[quantities]
length = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
period = { unit = "s" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
[profiles.clock]
length = "0.994 m"
[profiles.moon]
gravity = "1.62 m/s**2"
"""
MORE = """\
[quantities]
period = { unit = "s" }
swings = { unit = "1" }
day = { unit = "h" }
[relations.counted]
equation = "day = swings*period"
"""
ROOTS = """\
[quantities]
x = { unit = "1" }
y = { unit = "1" }
[relations.parabola]
equation = "y = x**2 - 3*x + 4"
"""
FILES = {"pendulum.toml": PENDULUM, "more.toml": MORE, "roots.toml": ROOTS, "broken.toml": "[quantities"}
ON_PENDULUM = ("--library", "pendulum.toml")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, FILES, monkeypatch)


def test_one_question_is_answered_in_one_line():
    said = ask("solve", "period", "length=0.994 m", *ON_PENDULUM)
    assert said == (0, "period = 2.00038 s\n", "")


def test_it_answers_backwards_in_other_units():
    said = ask("solve", "length", "period=2000 ms", "gravity = 9.81 m/s**2", *ON_PENDULUM)
    assert said.out == "length = 0.993961 m\n"


def test_profiles_are_named_with_with_and_the_last_one_wins():
    assert ask("solve", "period", "--with", "clock", *ON_PENDULUM).out == "period = 2.00038 s\n"
    assert ask("solve", "period", "--with", "clock", "--with", "moon", *ON_PENDULUM).out == "period = 4.9217 s\n"


def test_a_file_is_added():
    said = ask("solve", "swings", "day=24 h", "length=0.994 m", "--add", "more.toml", *ON_PENDULUM)
    assert said.out == "swings = 43191.8\n"


def test_the_steps_are_shown_on_demand():
    said = ask("solve", "period", "length=0.994 m", "--steps", *ON_PENDULUM)
    assert said.status == 0
    assert said.out.startswith("period = 2.00038 s\n")
    assert "period = 2*pi*sqrt(length/gravity)" in said.out
    assert "small_swing" in said.out
    assert "9.80665" in said.out
    assert "\x1b" not in said.out


def test_data_for_programs_has_all_of_it():
    data = json.loads(ask("solve", "period", "length=0.994 m", "--json", *ON_PENDULUM).out)
    assert data["value"] == pytest.approx(2 * math.pi * math.sqrt(0.994 / 9.80665))
    assert (data["target"], data["unit"], data["low"], data["high"]) == ("period", "s", None, None)
    assert [step["relation"] for step in data["steps"]] == ["small_swing"]
    assert set(data["given"]) == {"length", "gravity"}
    assert {"regime", "assumptions", "checks"} <= data.keys()


def test_data_with_ranges_has_both_ends():
    data = json.loads(ask("solve", "period", "length=1..4 m", "--json", *ON_PENDULUM).out)
    assert data["high"] == pytest.approx(2 * data["low"])


def test_latex_is_balanced():
    said = ask("solve", "period", "length=0.994 m", "--latex", *ON_PENDULUM)
    assert said.status == 0
    assert said.out.count("{") == said.out.count("}") > 0
    assert "period" in said.out


STATUS = [
    (("period", "length=1 m"), 0, ""),
    (("period",), 1, "length"),
    (("period", "length=1 m", "period=3 s", "gravity=9.81 m/s**2"), 1, "small_swing"),
    (("period", "length=-1 m"), 2, "length"),
    (("period", "length=1 kg"), 2, "length"),
    (("period", "length=1"), 2, "length"),
    (("period", "lenght=1 m"), 2, "length"),
    (("perod", "length=1 m"), 2, "period"),
    (("period", "length"), 2, "NAME=VALUE"),
    (("period", "length=1 m", "length=2 m"), 2, "twice"),
    (("period", "--with", "clok"), 2, "clock"),
    (("period", "length=1 m", "--add", "absent.toml"), 2, "absent.toml"),
    (("period", "length=1 m", "--add", "broken.toml"), 2, "broken.toml"),
    ((), 2, "TARGET"),
]


@pytest.mark.parametrize(("arguments", "status", "word"), STATUS, ids=[" ".join(a) for a, _, _ in STATUS])
def test_the_status_tells_and_the_words_go_to_standard_error(arguments, status, word):
    said = ask("solve", *arguments, *ON_PENDULUM)
    assert said.status == status
    assert word in said.err
    assert "Traceback" not in said.err
    assert "internal error" not in said.err
    assert bool(said.out) == (status == 0)


@pytest.mark.parametrize(("y", "word"), [("2", "2 admissible"), ("1", "no admissible")])
def test_several_roots_and_none_are_a_no(y, word):
    said = ask("solve", "x", f"y={y}", "--library", "roots.toml")
    assert (said.status, said.out) == (1, "")
    assert word in said.err


def svg(text: str) -> set[str]:
    """The texts in a picture."""
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return {"".join(node.itertext()).split(" ")[0] for node in root.iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize("question", [(), ("period", "length"), ("length", "period=2 s")])
def test_a_graph_is_a_picture_that_names_the_quantities(question):
    said = ask("graph", *question, *ON_PENDULUM, "-o", "plan.svg")
    assert said.status == 0
    assert {"length", "gravity", "period"} <= svg(Path("plan.svg").read_text(encoding="utf-8"))
    assert svg(ask("graph", *question, *ON_PENDULUM).out)


@pytest.mark.parametrize("arguments", [("perod",), ("period", "lenght"), ("-o", "absent/plan.svg")])
def test_a_graph_that_cannot_be_drawn_is_refused_in_words(arguments):
    said = ask("graph", *arguments, *ON_PENDULUM)
    assert said.status == 2
    assert said.err
    assert "Traceback" not in said.err


# What does not hold, and what plays no part

FULL = ("memory_throughput", "batch=240 sequence", "weight_bytes=26 GB", "kv_bytes_per_sequence=6.7 GB/sequence",
        "chips=8 chip", "hbm_bandwidth=8.2e11 B/s/chip", "hbm_capacity=16 GB/chip")  # fmt: skip
UNFIT = "fits_in_memory does not hold: weight_bytes/stages + kv_bytes is 1.634 TB, more than hbm_capacity*chips*"
IDLE = "layers plays no part in this answer"


@pytest.mark.parametrize(
    ("more", "told"), [((), [UNFIT]), (("layers=80",), [UNFIT, IDLE]), (("layers=80", "--strict"), [UNFIT, IDLE])]
)
def test_what_does_not_hold_and_what_plays_no_part_is_said_beside_the_answer(more, told):
    said = ask("solve", *FULL, *more)
    assert said.out == "memory_throughput = 963.525 token/s\n"
    assert said.status == (1 if "--strict" in more else 0)
    lines = said.err.splitlines()
    assert len(lines) == len(told)
    assert all(line.startswith(f"derive: {start}") for line, start in zip(lines, told, strict=True))


def test_strict_lets_pass_what_holds():
    said = ask("solve", "drain_time", "hbm_capacity=80 GB/chip", "hbm_bandwidth=3.35 TB/s/chip", "--strict")
    assert (said.status, said.err) == (0, "")


@pytest.mark.parametrize("form", ["--steps", "--latex", "--json"])
def test_every_form_says_it_under_the_headline(form):
    said = ask("solve", *FULL, "layers=80", form)
    assert said.err.count("\n") == 2
    if form == "--json":
        data = json.loads(said.out)
        assert [one["name"] for one in data["failed"]] == ["fits_in_memory"]
        assert data["failed"][0]["sentence"].startswith(UNFIT)
        assert data["unused"] == ["layers"]
        return
    page = said.out.replace("\\_", "_").replace("\\allowbreak{}", "")
    head, first, second = [line for line in page.splitlines() if line][:3]
    assert "963.525" in head or "964" in head
    assert UNFIT in first
    assert IDLE in second


def test_data_is_json_where_something_is_infinite():
    def refuse(token):
        raise AssertionError(token)

    (Path("open.toml")).write_text(
        '[quantities]\nx = { unit = "1" }\ny = { unit = "1" }\nf = { unit = "1", value = "0.5" }\n'
        'w = { unit = "1" }\n[relations]\na = { equation = "w = 1 + x" }\nb = { equation = "x = 1 - y*f" }\n'
        '[profiles.p]\ny = "1"\n'
    )
    said = ask("solve", "x", "w=3", "--with", "p", "--json", "--library", "open.toml")
    data = json.loads(said.out, parse_constant=refuse)
    assert [check["gap"] for check in data["checks"]] == [None]


def test_digits_are_shown_as_many_as_are_asked_for():
    period = f"{2 * math.pi * math.sqrt(0.994 / 9.80665):.12g}"
    assert ask("solve", "period", "length=0.994 m", "--digits", "12", *ON_PENDULUM).out == f"period = {period} s\n"
    assert period in ask("solve", "period", "length=0.994 m", "--digits", "12", "--latex", *ON_PENDULUM).out
    assert ask("solve", "period", "length=0.994 m", "--digits", "0", *ON_PENDULUM).status == 2
