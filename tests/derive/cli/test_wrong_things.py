"""Wrong things typed at every verb: each is refused in words, with a mend, before the work; nothing is ignored."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from derive.cli import cli
from tests.derive.terminal import ask, settle

TANK = """\
[quantities]
side = { unit = "m" }
height = { unit = "m" }
volume = { unit = "m**3" }
steel = { unit = "m**2" }
[relations]
volume = { equation = "volume = side**2*height" }
steel = { equation = "steel = 2*side**2 + 4*side*height" }
[profiles]
low = { height = "1 m" }
high = { height = "3 m" }
"""
ON = ("--library", "tank.toml")
SINGLE = ("sample", "least", "most", "border", "compare", "formula", "compile")
DRAWN = ("sweep", "sample", "least", "most", "front", "border", "compare", "graph", "page", "compile")
ENDINGS = {"graph": ".svg", "page": ".html", "compile": ".py"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"tank.toml": TANK}, monkeypatch)


def asked(verb: str, target: str = "volume", *more: str) -> tuple[str, ...]:
    """A question that has no answer, so that whatever is refused before is refused before the work."""
    given = () if verb in ("formula", "compile", "graph") else ("side=1..2 m",)
    against = ("--against", "side=3 m") if verb == "compare" else ()
    return verb, target, *given, *more, *against, *ON


@pytest.mark.parametrize(
    ("option", "first", "second"),
    [("--library", "tank.toml", "other.toml"), ("--in", "L", "m**3"), ("--digits", "3", "5"), ("--seconds", "9", "5")],
)
def test_an_option_of_one_value_is_typed_once(option: str, first: str, second: str) -> None:
    own = () if option == "--library" else ON
    told = ask("solve", "volume", "side=1 m", "height=2 m", option, first, option, second, *own)
    assert (told.status, told.out) == (2, "")
    assert f"{option} is given twice. Write it once" in told.err
    assert ask("solve", "volume", "side=1 m", "--with", "low", "--with", "high", *ON).status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", "roofline", "--out", ""), "--out names no folder. Write the folder, or --out . for this one."),
        (("manual", "--check", "--out", ""), "--out names no folder."),
        (("solve", "volume", "--library", ""), "The name of a file is empty."),
        (("solve", "volume", "--add", "", *ON), "The name of a file is empty."),
        (("check", ""), "The name of a file is empty."),
        (("audit", "--claims", ""), "The name of a file is empty."),
    ],
)
def test_an_empty_name_is_no_folder_and_no_file(words: tuple[str, ...], said: str) -> None:
    told = ask(*words)
    assert (told.status, told.out) == (2, "")
    assert said in told.err
    assert [path.name for path in Path().iterdir()] == ["tank.toml"]


@pytest.mark.parametrize(
    "words", [("formula", "volume"), ("compile", "volume", "-o", "x.py")], ids=lambda words: words[0]
)
def test_a_number_is_refused_where_names_are_taken(words: tuple[str, ...]) -> None:
    told = ask(*words, "side=2 m", "height", *ON)
    assert (told.status, told.out) == (2, "")
    assert "'side=2 m': " in told.err
    assert "Write side alone." in told.err


def test_what_names_determine_is_told_of_givens_with_their_numbers_too() -> None:
    """Nothing is lost with the numbers: which quantities follow does not depend on them."""
    assert ask("reach", "side=2 m", "height", *ON).out == ask("reach", "side", "height", *ON).out


@pytest.mark.parametrize("verb", DRAWN)
@pytest.mark.parametrize("folder", ["nowhere/x", "tank.toml/x"])
def test_a_file_that_cannot_be_written_is_refused_first(verb: str, folder: str) -> None:
    told = ask(*asked(verb, "volume", "-o", folder + ENDINGS.get(verb, ".svg")))
    assert told.status == 2
    assert "cannot be written" in told.err


@pytest.mark.parametrize("verb", DRAWN)
def test_a_file_of_another_format_is_refused_with_those_that_there_are(verb: str) -> None:
    told = ask(*asked(verb, "volume", "-o", "x.docx"))
    assert told.status == 2
    assert "unknown file format" in told.err
    assert ENDINGS.get(verb, ".svg") in told.err


@pytest.mark.parametrize("verb", [verb for verb in SINGLE if verb not in ("formula", "compile")])
def test_two_targets_where_there_is_one(verb: str) -> None:
    told = ask(*asked(verb, "volume,steel"))
    assert told.status == 2
    assert "There is one TARGET here" in told.err


@pytest.mark.parametrize("verb", ["solve", "sample", "compare", "page"])
def test_a_list_where_each_given_has_one_value(verb: str) -> None:
    output = ("-o", "x.html") if verb == "page" else ()
    told = ask(*asked(verb, "volume", "height=1, 2 m", *output))
    assert told.status == 2
    assert "height=1, 2 m lists values" in told.err
    has_each = any("--each" in option.opts for option in cli.commands[verb].params)
    assert ("--each" in told.err) == has_each


@pytest.mark.parametrize("verb", ["sweep", "sample", "least", "border", "compare"])
def test_the_standard_output_holds_one_thing(verb: str) -> None:
    assert "Leave one out" in ask(*asked(verb, "volume", "--json", "-o", "-")).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("solve", "volume", "--json", "--latex"), "Leave one out"),
        (("formula", "volume", "side", "height", "--json", "--latex"), "Leave one out"),
        (("show", "volume", "--json", "--toml"), "Leave one out"),
        (("show", "roofline", "--toml"), "no entry of a relation file"),
        (("least", "volume", "side=1..2 m", "height=1 m", "--steps", "-o", "-"), "leave out --steps"),
        (("least", "volume", "side=1..2 m", "--among", ","), "--among names no profile"),
        (("least", "volume", "side=1..2 m", "height=1 m", "--such-that", "steel <= 3 foo"), "'foo' is not a unit"),
        (("front", "volume", "side=1..2 m"), "A front has two targets"),
        (("front", "volume,steel,side", "height=1..2 m"), "A front has two targets"),
        (("border", "volume", "side=1..2 m", "height=1..2 m", "steel=1..2 m**2"), "over one or two"),
        (("sweep", "volume", "side=2..1 m", "height=1 m"), "side: value '2..1 m'"),
        (("sweep", "volume", "side=2..2 m", "height=1 m"), "side=2..2 m is no axis"),
        (("sweep", "volume", "side=1..2 m", "height=1..2 foo"), "height: unit 'foo'"),
        (("graph", "volume", "side", "height", "-o", "x.png"), "ends in .svg"),
    ],
)
def test_it_is_refused_in_words(words: tuple[str, ...], said: str) -> None:
    told = ask(*words, *ON)
    assert told.status == 2
    assert said in told.err
    assert told.out == ""


def test_targets_of_a_page_stand_between_commas_too() -> None:
    assert (
        ask("page", "volume,steel", "side=1..2 m", "height=1 m", "-o", "x.html", *ON).out == "x.html: volume, steel\n"
    )


@pytest.mark.parametrize("verb", sorted(cli.commands))
def test_no_option_is_declared_twice_and_every_one_is_told(verb: str) -> None:
    options = [option for option in cli.commands[verb].params if isinstance(option, click.Option)]
    names = [name for option in options for name in option.opts]
    assert len(names) == len(set(names))
    assert all(option.help for option in options)
