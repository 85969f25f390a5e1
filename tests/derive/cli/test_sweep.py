"""`derive sweep`: a table in the terminal, a file, a picture; what is wrong in words."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import derive
from derive.notebook import as_html, as_text
from tests.derive.terminal import ask, settle

ROOFLINE = """\
[quantities]
batch = { unit = "sequence" }
step = { unit = "ms" }
reading = { unit = "ms", value = "5 ms" }
each = { unit = "ms/sequence", value = "0.05 ms/sequence" }
rate = { unit = "sequence/s" }
[relations]
step = { equation = "step = max(reading, each*batch)" }
rate = { equation = "rate = batch/step" }
[profiles.quick]
reading = "2 ms"
"""
MORE = """\
[quantities]
rate = { unit = "sequence/s" }
day = { unit = "Msequence" }
second = { unit = "s", value = "86400 s" }
[relations.day]
equation = "day = rate*second"
"""
ON = ("--library", "roofline.toml")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"roofline.toml": ROOFLINE, "more.toml": MORE}, monkeypatch)


LAMP = """
[quantities]
power = { unit = "W" }
light = { unit = "W" }
efficiency = { unit = "", value = "1", seen = { least = "0.2", source = "a data sheet" } }
[relations]
light = { equation = "light = power*efficiency" }
"""


def test_a_table_stands_on_the_terminal():
    said = ask("sweep", "step,rate", "batch=50..150 sequence", "--points", "3", *ON)
    assert said.status == 0
    assert said.out.splitlines() == [
        "batch [sequence]  step [ms]  rate [sequence/s]  step.regime",
        "              50          5              10000  reading",
        "             100          5              20000  reading",
        "             150        7.5              20000  each*batch",
    ]


def test_an_axis_is_logarithmic_from_two_decades_on():
    said = ask("sweep", "step", "batch=1..100 sequence", "--points", "3", "--json", *ON)
    assert json.loads(said.out)["axes"]["batch"]["values"] == [1, 10, 100]
    said = ask("sweep", "step", "batch=2..100 sequence", "--points", "3", "--json", *ON)
    assert json.loads(said.out)["axes"]["batch"]["values"] == [2, 51, 100]


def test_a_long_table_is_thinned_and_says_so():
    said = ask("sweep", "step", "batch=1..1000 sequence", "--points", "1000", *ON)
    lines = said.out.splitlines()
    assert len(lines) == 26
    assert (lines[1].split()[0], lines[-1].split()[0]) == ("1", "1000")
    assert "25 of 1000 points" in said.err


def test_a_value_and_a_profile_are_givens():
    said = ask(
        "sweep", "step", "batch=10..30 sequence", "each=0.1 ms/sequence", "--with", "quick", "--points", "2", *ON
    )
    assert [line.split()[1] for line in said.out.splitlines()[1:]] == ["2", "3"]


def test_a_range_with_a_sign_stays_a_given_and_bounds_the_target():
    each = "each=0.05 +/- 0.01 ms/sequence"
    heading, _, line = ask("sweep", "step", "batch=50..200 sequence", each, "--points", "2", *ON).out.splitlines()
    assert heading.split("  ")[:4] == ["batch [sequence]", "step [ms]", "step.low [ms]", "step.high [ms]"]
    assert line.split() == ["200", "10", "8", "12", "each*batch"]
    assert ask("sweep", "step", "batch=1..9 sequence", each, "-o", "x.csv", *ON).status == 0


def test_the_data_are_columns_in_the_order_of_the_rows():
    said = ask("sweep", "step", "batch=50..150 sequence", "reading=1..2 ms", "--points", "2", "--json", *ON)
    data = json.loads(said.out)
    assert data["axes"] == {
        "batch": {"unit": "sequence", "values": [50, 150]},
        "reading": {"unit": "ms", "values": [1, 2]},
    }
    assert data["columns"] == {"step": {"unit": "ms", "values": [2.5, 2.5, 7.5, 7.5]}}
    assert data["regimes"] == {"step.regime": ["each*batch"] * 4}


def test_a_file_holds_every_point_with_its_units():
    assert ask("sweep", "step,rate", "batch=1..1000 sequence", "--points", "90", "-o", "x.csv", *ON) == (0, "", "")
    heading, *lines = csv.reader(Path("x.csv").read_text().splitlines())
    assert heading == ["batch [sequence]", "step [ms]", "rate [sequence/s]", "step.regime", "holds", "fails"]
    assert len(lines) == 90
    assert [float(cell) for cell in lines[-1][:3]] == [1000, 50, 20000]


def test_a_picture_is_drawn():
    assert ask("sweep", "step", "batch=1..1000 sequence", "-o", "x.svg", *ON) == (0, "", "")
    assert ElementTree.parse("x.svg").getroot().tag.endswith("svg")


def test_an_added_file_is_asked_too():
    said = ask("sweep", "day", "batch=100..200 sequence", "--points", "2", "--add", "more.toml", *ON)
    assert said.out.splitlines()[2].split() == ["200", "1728", "each*batch"]


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("step", "batch=3 sequence"), 2, "There is no axis."),
        (("step", "batch"), 2, "is not NAME=VALUE"),
        (("step", "batch=1..9 sequence", "-o", "x.gif"), 2, "ends in .csv, .svg, .png or .pdf"),
        (("step", "batch=1..9 sequence", "-o", "nowhere/x.csv"), 2, "cannot be written"),
        (("step", "batch=1..9 sequence", "-o", "nowhere/x.svg"), 2, "cannot be written"),
        (("step", "batch=1..9"), 2, 'Write "1..9 sequence".'),
        (("step", "batch=1..9 ms"), 2, "does not fit its unit"),
        (("step", "batch=9..1 sequence"), 2, "lower end first"),
        (("step", "batch=-1..9 sequence"), 2, "outside its domain"),
        (("step", "batch=1..9 sequence", "--points", "1"), 2, "--points"),
        (("stepp", "batch=1..9 sequence"), 2, "Did you mean step?"),
        (("batch", "batch=1..9 sequence"), 2, "is also the target"),
        (("step", "rate=1..9 sequence/s", "--with", "slow"), 2, "no profile"),
        (("step", "each=1..9 ms/sequence"), 1, "not determined"),
        (("batch", "step=1..4 ms"), 1, "no answer at any point"),
        (("batch", "step=1..4 ms", "-o", "x.csv"), 1, "no answer at any point"),
    ],
)
def test_what_cannot_be_swept_is_told_in_words(words, status, told):
    said = ask("sweep", *words, *ON)
    assert said.status == status
    assert told in " ".join(said.err.split())
    assert "Traceback" not in said.err


def test_help_shows_an_example():
    said = ask("sweep", "-h")
    assert said.status == 0
    assert "Example:" in said.out


SHELF = """\
[quantities]
book = { unit = "kg" }
books = { unit = "kg" }
bears = { unit = "kg", value = "12 kg" }
hinge = { unit = "" }
[relations]
books = { equation = "books = 3*book" }
shelf = { equation = "books <= bears" }
"""
BOOKS = ("sweep", "books", "book=1..9 kg", "--points", "3", "--library", "shelf.toml")
SAID = "derive: shelf does not hold: books is 15 kg, more than bears, which is 12 kg; so at 2 of 3 points, first at"


def test_what_fails_stands_beside_each_point_and_is_said(tmp_path: Path):
    (tmp_path / "shelf.toml").write_text(SHELF)
    said = ask(*BOOKS)
    assert said.status == 0
    assert said.out.splitlines()[0].split()[-2:] == ["holds", "fails"]
    assert [line.split()[2:] for line in said.out.splitlines()[1:]] == [["yes", "-"], ["no", "shelf"], ["no", "shelf"]]
    assert said.err.splitlines() == [f"{SAID} book = 5 kg."]
    assert ask(*BOOKS, "bears=30 kg") == (0, ask(*BOOKS, "bears=30 kg", "--strict").out, "")


@pytest.mark.parametrize("ending", [(), ("-o", "-"), ("-o", "table.csv"), ("-o", "curve.svg"), ("--json",)])
def test_what_is_assumed_in_the_middle_is_said_beside_the_table(ending, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamp.toml").write_text(LAMP, encoding="utf-8")
    said = ask("sweep", "light", "power=1,3,9 W", "--library", "lamp.toml", *ending)
    assert said.err == "derive: light at power = 3 W: with efficiency 0.2 (1 by default; a data sheet): 0.2 of it.\n"
    assert ("data sheet" in said.out) is ("--json" in ending)
    words = ("sweep", "light", "power=1,3,9 W", "--library", "lamp.toml", "--strict")
    assert (ask(*words).status, ask(*words, "efficiency=0.5").status) == (1, 0)
    assert ask(*words, "efficiency=0.5").err == ""


def test_what_is_assumed_in_the_middle_of_a_sample_and_of_a_front_is_said(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamp.toml").write_text(LAMP, encoding="utf-8")
    said = ask("sample", "light", "power=2..6 W", "--library", "lamp.toml", "--points", "50")
    assert said.err == "derive: light at power = 4 W: with efficiency 0.2 (1 by default; a data sheet): 0.2 of it.\n"
    front = ask("front", "most light,least power", "power=2..6 W", "--library", "lamp.toml", "--points", "3")
    assert "  where light is 4 W: with efficiency 0.2 (1 by default; a data sheet): 0.2 of it\n" in front.out


REMARK = {
    "kind": "defaulted",
    "name": "efficiency",
    "value": "0.2",
    "factor": 0.2,
    "sentence": "with efficiency 0.2 (1 by default; a data sheet): 0.2 of it",
}


@pytest.mark.parametrize(
    ("words", "middle"),
    [
        (("sweep", "light", "power=1,3,9 W"), 3),
        (("sample", "light", "power=2..6 W", "--points", "50"), 4),
        (("front", "most light,least power", "power=2..6 W", "--points", "3"), 4),
    ],
)
def test_the_data_say_what_is_assumed_in_the_words_of_a_single_answer(words, middle, tmp_path: Path):
    (tmp_path / "lamp.toml").write_text(LAMP, encoding="utf-8")
    on = ("--library", "lamp.toml", "--json")
    (alone,) = json.loads(ask("solve", "light", f"power={middle} W", *on).out)["remarks"]
    assert alone == pytest.approx(REMARK)
    said = ask(*words, *on)
    (found,) = json.loads(said.out)["remarks"]
    assert found.pop("target") == "light"
    assert found.pop("at") == {"power": {"value": pytest.approx(middle), "unit": "W"}}
    assert found == pytest.approx(alone)
    assert "a data sheet" in said.err
    (other,) = json.loads(ask("sweep", "light", "power=1,3,9 W", "--each", "efficiency=1,0.5", *on).out)["each"][:1]
    assert other["remarks"] == []  # a value that is typed is not assumed


def test_what_hides_on_a_front_is_said_and_strict(tmp_path: Path):
    shade = 'hinge = { unit = "kg" }\nnail = { unit = "kg" }\n[relations]\nhung = { equation = "hinge = 2*nail" }'
    (tmp_path / "lamp.toml").write_text(LAMP.replace("[relations]", shade), encoding="utf-8")
    words = ("front", "most light,least power", "power=2..6 W", "efficiency=1", "--library", "lamp.toml")
    assert ask(*words, "--strict").status == 0
    said = ask(*words, "hinge=3 kg", "--strict")
    assert (said.status, said.out.splitlines()[1]) == (1, "  hinge plays no part at any point")
    said = ask(*words, "hinge=3 kg", "--json")
    assert (json.loads(said.out)["unused"], said.err) == (["hinge"], "derive: hinge plays no part at any point.\n")
    assert ask(*(one for one in words if one != "efficiency=1"), "--strict").status == 1


def test_a_sample_and_a_table_show_what_they_assume_wherever_they_are_shown():
    lamp = derive.load(LAMP)
    told = "light at power = 4 W: with efficiency 0.2 (1 by default; a data sheet): 0.2 of it"
    assert told in str(lamp.sample("light", power="2..6 W", points=50))
    table = lamp.sweep("light", power=["1 W", "4 W", "9 W"])
    assert told in as_text(table)
    assert told in (as_html(table) or "")


@pytest.mark.thorough
def test_strict_is_an_exit_status(tmp_path: Path):
    (tmp_path / "shelf.toml").write_text(SHELF)
    for way in ((), ("-o", "x.csv"), ("-o", "x.svg"), ("--json",)):
        assert ask(*BOOKS, *way).status == 0
        said = ask(*BOOKS, *way, "--strict")
        assert (said.status, said.err.splitlines()) == (1, [f"{SAID} book = 5 kg."])
        assert ask(*BOOKS, *way, "bears=30 kg", "--strict").status == 0
        said = ask(*BOOKS, *way, "bears=30 kg", "hinge=3", "--strict")
        assert (said.status, said.err.splitlines()) == (1, ["derive: hinge plays no part."])


def test_the_data_say_which_points_hold(tmp_path: Path):
    (tmp_path / "shelf.toml").write_text(SHELF)
    data = json.loads(ask(*BOOKS, "hinge=3", "--json").out)
    assert data["holds"] == [True, False, False]
    assert data["failed"] == {"shelf": [False, True, True]}
    assert data["unused"] == ["hinge"]
    ask(*BOOKS, "-o", "x.csv")
    assert Path("x.csv").read_text().splitlines()[1:] == [
        "1.0,3.0,True,",
        "5.0,15.0,False,shelf",
        "9.0,27.0,False,shelf",
    ]


# Lists as axes, and profiles in turn


def test_a_list_is_an_axis_whose_last_value_may_bear_the_unit():
    for text in ("50,100,150 sequence", "50 sequence, 100 sequence, 150 sequence", "50,0.1 ksequence,150 sequence"):
        said = ask("sweep", "step", f"batch={text}", *ON)
        assert [line.split()[:2] for line in said.out.splitlines()[1:]] == [["50", "5"], ["100", "5"], ["150", "7.5"]]
    said = ask("sweep", "step", "batch=50,100 sequence", "each=0.05,0.1 ms/sequence", *ON)
    assert [line.split()[:3] for line in said.out.splitlines()[1:]] == [
        ["50", "0.05", "5"],
        ["50", "0.1", "5"],
        ["100", "0.05", "5"],
        ["100", "0.1", "10"],
    ]


@pytest.mark.parametrize("text", ["0,5 sequence", "1,000 sequence", "2,000,000 sequence"])
def test_a_comma_of_a_number_is_no_list(text):
    said = ask("sweep", "step", f"batch={text}", *ON)
    assert (said.status, said.out) == (2, "")
    assert "comma" in said.err


def test_numbers_in_groups_of_digits_are_proposed_without_their_commas():
    said = ask("sweep", "step", "batch=1,500, 2,500 sequence", *ON)
    assert "Write 1500, 2500 sequence." in said.err
    said = ask("sweep", "step", "batch=1,500 sequence", *ON)
    assert (said.status, said.out) == (2, "")
    assert "Write 1500 sequence, or 1, 500 sequence for two values." in said.err
    assert ask("sweep", "step", "batch=1, 500 sequence", *ON).status == 0
    assert ask("sweep", "step", "batch=20,500 sequence", *ON).status == 0


def test_each_profile_has_columns_and_a_curve():
    base = ("sweep", "step", "batch=20,200 sequence", "--each", "quick,slow", "--library", "both.toml")
    Path("both.toml").write_text(ROOFLINE + '[profiles.slow]\nreading = "8 ms"\n', encoding="utf-8")
    lines = ask(*base).out.splitlines()
    assert lines[0].split("  ")[:2] == ["batch [sequence]", "step [ms] quick"]
    assert [line.split() for line in lines[1:]] == [
        ["20", "2", "reading", "8", "reading"],
        ["200", "10", "each*batch", "10", "each*batch"],
    ]
    data = json.loads(ask(*base, "--json").out)["each"]
    assert [one["profiles"] for one in data] == [["quick"], ["slow"]]
    assert [one["columns"]["step"]["values"] for one in data] == [[2, 10], [8, 10]]
    ask(*base, "-o", "each.csv")
    assert (
        Path("each.csv").read_text(encoding="utf-8").startswith("batch [sequence],step [ms] quick,step.regime quick,")
    )
    assert ask(*base, "-o", "each.svg").status == 0
    ElementTree.fromstring(Path("each.svg").read_text(encoding="utf-8"))


@pytest.mark.thorough
def test_a_picture_of_each_profile_crosses_what_fails_and_names_the_curves():
    import derive
    from derive.tables.table_charts import charts_of_each

    point = {"chips": "8 chip", "context": "8 ktoken/sequence", "batch": derive.span("1..4096 sequence", 20, log=True)}
    tables = {name: derive.sweep("step_time", name, "llama3-70b", **point) for name in ("h100-sxm:fp8", "b200-sxm:fp8")}
    (chart,) = charts_of_each(tables)
    curves = {one.label: one for one in chart.series}
    for name, table in tables.items():
        assert curves[name].y == pytest.approx(tuple(table.columns["step_time"]))
    failing = sum(int(table.failed["fits_in_memory"].sum()) for table in tables.values())
    assert len(curves["fits in memory fails"].x) == failing > 0


def test_a_profile_without_an_answer_is_named():
    said = ask("sweep", "step", "batch=20,200 sequence", "--each", "quick,fast", *ON)
    assert said.status == 2
    assert "with fast: There is no profile 'fast'" in said.err
    assert "step [ms] quick" in said.out
