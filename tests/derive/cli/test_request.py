"""What the verbs that ask have in common: the unit of the answer, what is taken in turn, what is wrong in a given."""

from __future__ import annotations

import json
from inspect import getmembers, isfunction, signature
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.cli import cli
from derive.cli.request import each_of, in_units
from derive.library import Library
from quantities.spelling import parse_unit
from quantities.units import convert
from tests.derive.terminal import ask, settle

TANK = """\
[quantities]
side = { unit = "m" }
height = { unit = "m" }
volume = { unit = "m**3" }
steel = { unit = "m**2" }
price = { unit = "USD" }
each = { unit = "USD/m**2" }
[relations]
volume = { equation = "volume = side**2*height" }
steel = { equation = "steel = max(2*side**2 + 4*side*height, 40*side*side)" }
price = { equation = "price = each*steel" }
[profiles]
plain = { each = "10 USD/m**2" }
stainless = { each = "45 USD/m**2" }
"""
ON = ("--library", "tank.toml")
VERBS = ("solve", "sweep", "sample", "least", "most", "front", "border", "compare")
RANGE = {"solve": "2 m", "compare": "2 m"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"tank.toml": TANK}, monkeypatch)


def words(verb: str, *more: str, target: str = "price", **given: str) -> tuple[str, ...]:
    """A question of a verb; what it needs besides is added."""
    stated = {"side": RANGE.get(verb, "1..3 m"), "height": "2 m", **given}
    against = ("--against", "height=3 m") if verb == "compare" else ()
    target = f"{target},most volume" if verb == "front" else target
    points = ("--points", "3") if verb in ("sweep", "sample", "front") else ()
    profile = () if "--each" in more else ("--with", "plain")
    return verb, target, *(f"{n}={v}" for n, v in stated.items()), *profile, *points, *more, *against, *ON


def numbers(found: Any, name: str = "") -> list[float]:
    """The numbers of the target in the data of any verb."""
    if isinstance(found, dict):
        own = [found[key] for key in ("value", "difference") if isinstance(found.get(key), float)]
        column = found.get("columns", {}).get("price", {}).get("values", [])
        ends = [*found.get("quantiles", {}).values()]
        listed = found.get("points", [])
        points = [point["values"][0] for point in listed] if isinstance(listed, list) else []
        return [*own, *column, *ends, *points]
    return []


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "border"])
def test_every_verb_answers_in_another_unit(verb: str) -> None:
    unit = "cent, L" if verb == "front" else "cent"
    plain, other = (json.loads(ask(*words(verb, *more, "--json")).out) for more in ((), ("--in", unit)))
    if verb == "solve":
        plain, other = (
            {"value": float(one["value"]["number"]) if isinstance(one["value"], dict) else one["value"]}
            for one in (plain, other)
        )
    before, after = numbers(plain), numbers(other)
    assert before
    assert after == pytest.approx([100 * one for one in before])
    assert '"cent"' in json.dumps(other) or verb == "solve"


@pytest.mark.thorough
def test_the_levels_of_a_map_of_borders_are_in_the_unit() -> None:
    assert ask(*words("border", "--in", "cent", "-o", "map.svg", height="1..3 m")).status == 0


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("unit", ["furlong", "kg", "cnt", "xyz/s"])
def test_a_unit_that_does_not_fit_is_refused_with_units_that_do(verb: str, unit: str) -> None:
    told = ask(*words(verb, "--in", f"{unit},L" if verb == "front" else unit))
    assert told.status == 2
    assert "Traceback" not in told.err
    assert told.err.splitlines()[-1].startswith("derive: price: ")
    named = told.err.rstrip().rstrip(".").rpartition("Write ")[2].rpartition("Did you mean ")[2].rstrip("?")
    assert named.split()
    for one in named.replace(" or ", ", ").split(", "):
        convert(1.0, parse_unit(one), parse_unit("USD"))


@pytest.mark.parametrize("verb", VERBS)
def test_all_wrong_givens_are_listed_and_before_anything_else(verb: str) -> None:
    wrong = {"side": RANGE.get(verb, "1..3 m").replace(" m", " foo"), "height": "3 kg", "length": "3 m"}
    told = ask(*words(verb, **wrong))
    assert told.status == 2
    assert told.err.count("derive: ") - told.err.count("scenario") == 1
    for words_of in ("side: unit 'foo'", "height: 3 kg", "There is no quantity 'length'"):
        assert words_of in told.err


@pytest.mark.thorough
@settings(max_examples=20)
@given(
    st.dictionaries(
        st.sampled_from(["side", "height", "each"]),
        st.sampled_from(["3 foo", "3 kg", "-3", "3 m/s/s", "3 gpus"]),
        min_size=1,
    )
)
def test_wrong_givens_of_any_kind_are_all_named_by_every_verb(wrong: dict[str, str]) -> None:
    stated = {"side": "1..3 m", "height": "2 m", **wrong}
    for verb in ("sweep", "sample", "least", "border"):
        told = ask(verb, "price", *(f"{n}={v}" for n, v in stated.items()), "side2=1..2", *ON).err
        assert all(f"{name}: " in told for name in wrong), told


@pytest.mark.parametrize("verb", ["solve", "sweep", "least", "most", "compare"])
def test_each_turn_is_the_question_alone(verb: str) -> None:
    told = json.loads(ask(*_each(verb)).out)
    assert [(one["profiles"], one["given"]) for one in told["each"]] == [
        (["plain"], {"height": "1 m"}),
        (["plain"], {"height": "2 m"}),
        (["stainless"], {"height": "1 m"}),
        (["stainless"], {"height": "2 m"}),
    ]
    for one in told["each"]:
        stated = (verb, "price", f"side={RANGE.get(verb, '1..3 m')}", f"height={one['given']['height']}")
        more = ("--points", "3") if verb == "sweep" else ()
        against = ("--against", "side=3 m") if verb == "compare" else ()
        alone = json.loads(ask(*stated, "--with", one["profiles"][0], *more, "--json", *ON, *against).out)
        rest = {name: value for name, value in one.items() if name not in ("profiles", "given", "errors")}
        assert (rest["answers"][0] if verb == "solve" else rest) == alone


def _each(verb: str) -> tuple[str, ...]:
    side = f"side={RANGE.get(verb, '1..3 m')}"
    more = ("--points", "3") if verb == "sweep" else ()
    against = ("--against", "side=3 m") if verb == "compare" else ()
    return verb, "price", side, "--each", "plain,stainless", "--each", "height=1,2 m", *more, "--json", *ON, *against


@pytest.mark.parametrize("verb", ["least", "compare"])
def test_turns_stand_side_by_side_and_are_drawn(verb: str) -> None:
    stated = tuple(word for word in _each(verb) if word != "--json")
    told = ask(*stated, "-o", "each.svg")
    assert told.status == 0
    assert "stainless + height = 2 m" in told.out
    assert Path("each.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("verb", ["solve", "sweep", "least", "compare"])
def test_what_is_wrong_in_every_turn_is_said_once(verb: str) -> None:
    told = ask(*words(verb, "--each", "plain,stainless", side="2 foo" if verb in RANGE else "1..2 foo"))
    assert told.status == 2
    assert told.err.count("is not a unit") == 1


@pytest.mark.ordinary(2)
@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("front", ("price,volume", "side=1..3 m", "height=2 m")),
        ("least", ("price", "side=1..3 m", "height=2 m")),
        ("least", ("price", "side=1 m, 2 m", "height=2 m")),
        ("border", ("price", "side=1..30 m", "height=2 m")),
        ("border", ("price", "side=1..30 m", "each=1..20 USD/m**2", "height=2 m")),
        ("sample", ("price", "side=1..30 m", "height=2 m")),
        ("sweep", ("price", "side=1..30 m", "height=2 m")),
    ],
)
def test_a_picture_says_what_holds_in_it(verb: str, more: tuple[str, ...]) -> None:
    assert ask(verb, *more, "--with", "plain", *ON, "-o", "drawn.svg").status == 0
    assert "plain; " in Path("drawn.svg").read_text(encoding="utf-8")
    assert "height = 2 m" in Path("drawn.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--in", "cent,L"), "names 2 units"),
        (("--in", ""), "names no unit"),
        (("--each", ""), "names no profile"),
        (("--each", "side=1,2 m"), "side is given twice"),
        (("--each", "each=1..2 USD/m**2"), "lists no values"),
        (("--each", "each="), "lists no values"),
    ],
)
def test_what_makes_no_sense_is_refused(more: tuple[str, ...], said: str) -> None:
    told = ask(*words("solve", *more))
    assert told.status == 2
    assert said in told.err


def test_a_unit_behind_the_target_and_another_one_are_refused() -> None:
    assert "already" in ask(*words("solve", "--in", "cent", target="price in kUSD")).err


def test_units_and_turns_are_read_from_text() -> None:
    assert in_units(["a", "max(b, c)"], "m,s") == ["a in m", "max(b, c) in s"]
    assert [turn.label for turn in each_of(["a,b", "n=1, 2 m"])] == [
        "a + n = 1 m",
        "a + n = 2 m",
        "b + n = 1 m",
        "b + n = 2 m",
    ]


def test_every_verb_that_draws_says_so_in_its_help() -> None:
    for verb in VERBS:
        names = {one for option in cli.commands[verb].params for one in option.opts}
        assert "--in" in names
        assert {"--digits", "--json", "--library", "--add", "--with"} <= names


@pytest.mark.parametrize("verb", [*VERBS, "formula", "reach", "graph"])
def test_no_word_of_a_library_s_verb_is_an_internal_error_as_a_given(verb: str) -> None:
    """What `Library.sample` calls `points` is `--points` here; as the name of a given it is refused, or unknown."""
    taken = {name for _, method in getmembers(Library, isfunction) for name in signature(method).parameters}
    for name in sorted(taken - {"target"}):
        more = words(verb, **{name: "1"}) if verb in VERBS else (verb, "price", f"{name}=1", *ON)
        told = ask(*more)
        assert told.status in (1, 2), told
        assert "internal error" not in told.err
        assert name in told.err
