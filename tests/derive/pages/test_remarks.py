"""What a page's answer takes by default, assumes or leaves out stands beside it, with the size the solver finds."""

from __future__ import annotations

import random

import pytest

import derive
from derive.library import Library
from derive.pages.page import page
from derive.tokens.relations import library as built_in
from tests.derive.pages.shown import Shown

LAMP = """\
title = "A lamp"

[quantities]
power = { unit = "W", domain = "0.1..1000 W" }
share = { unit = "", value = "1", domain = "0..1", seen = { least = "0.2", source = "a data sheet" } }
age = { unit = "", value = "1", seen = { least = "0.95", most = "1.08", source = "a test" } }
hours = { unit = "h" }
light = { unit = "W" }
energy = { unit = "J" }
stray_share = { unit = "", meaning = "stray light, over the light" }
room = { unit = "m" }
reach = { unit = "m", value = "3 m" }

[relations]
light = { equation = "light = power*share*age", neglects = "stray_share" }
energy = { equation = "energy = light*hours" }
stray_share = { equation = "stray_share = reach/room" }
"""
GIVEN = {"power": "1..100 W", "hours": "2 h", "room": "10 m"}


@pytest.fixture(scope="module")
def lamp() -> Library:
    return derive.load(LAMP)


@pytest.fixture(scope="module")
def path(lamp, tmp_path_factory):
    file = tmp_path_factory.mktemp("lamp") / "page.html"
    file.write_text(page(lamp, ["energy", "stray_share"], [], GIVEN), encoding="utf-8")
    return file


def test_it_stands_beside_the_answer_with_its_size_largest_first(tab: Shown, path):
    first, second = tab.opened(path).now["notes"]
    assert first == "with share 0.2 (1 by default; a data sheet): 0.2 of it"
    assert second == "light leaves out stray light: 0.3 of what it counts"


@pytest.mark.thorough
def test_it_goes_where_the_default_is_moved_and_comes_back(tab: Shown, path):
    assert len(tab.opened(path, "share=0.5").now["notes"]) == 1
    assert tab.opened(path, "share=0.5&room=100").now["notes"] == []
    assert len(tab.opened(path).now["notes"]) == 2


@pytest.mark.thorough
def test_it_is_what_the_solver_says(tab: Shown, path, lamp):
    """At random settings, forwards and backwards: the solver's words for a changed default, digit for digit."""
    draw = random.Random(5)
    for _ in range(8):
        power, age = round(draw.uniform(1, 100), 3), round(draw.uniform(0.5, 1.5), 3)
        shown = tab.opened(path, f"power={power}&age={age}").now["notes"]
        answer = lamp.solve("energy", power=f"{power} W", age=str(age), hours="2 h", room="10 m")
        assert [text for text in shown if text.startswith("with ")] == [
            str(one) for one in answer.remarks if one.kind == "defaulted"
        ]
    tab.opened(path, "~solve=power&energy=1000")
    answer = lamp.solve("power", energy="1000 J", hours="2 h", room="10 m")
    assert tab.now["notes"][0] == next(str(one) for one in answer.remarks if one.kind == "defaulted")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("target", "given", "moved"),
    [
        ("layer_crossover", {"hidden_size": "12288"}, {"hidden_size": (1000, 20000)}),
        (
            "speculative_speedup",
            {"acceptance_rate": "0.7", "draft_tokens": "4", "draft_cost": "0.1"},
            {"acceptance_rate": (0.1, 0.99), "draft_tokens": (1, 12), "draft_cost": (0.01, 0.3)},
        ),
    ],
)
def test_what_is_assumed_beside_the_givens_is_what_the_solver_says(tab: Shown, tmp_path, target, given, moved):
    """A ratio that nothing states; or what stands in for a relation, as far as a limit admits."""
    library = built_in()
    file = tmp_path / "page.html"
    file.write_text(page(library, [target], [], given), encoding="utf-8")
    draw = random.Random(7)
    for _ in range(6):
        ends = {name: (round(draw.uniform(*ends), 2), library.declared[name]) for name, ends in moved.items()}
        numbers = {name: round(number) if one.is_count else number for name, (number, one) in ends.items()}
        answer = library.solve(
            target, **{name: f"{number} {ends[name][1].unit.text}" for name, number in numbers.items()}
        )
        told = [str(one) for one in answer.remarks if one.kind == "defaulted"]
        assert told
        shown = tab.opened(file, "&".join(f"{name}={number}" for name, number in numbers.items())).now["notes"]
        assert [text for text in shown if text.startswith("with ")] == told


def test_no_page_is_written_that_could_not_answer():
    """What only cancels between relations a page cannot work out; the error says what to give."""
    with pytest.raises(
        derive.DeriveError, match=r"optimal_batch cannot be worked out by a page.*Give sparsity as well"
    ):
        page(built_in(), ["optimal_batch"], [], {"balance_tokens": "300 token"})
    with pytest.raises(derive.DeriveError, match="acceptance_rate cannot be worked out by a page"):
        page(built_in(), ["acceptance_rate"], [], {"tokens_per_step": "2", "draft_tokens": "3"})


@pytest.mark.parametrize(
    ("profiles", "given"),
    [
        pytest.param(
            ["deepseek-v3", "h200-sxm:fp8"],
            {"chips": "144 chip", "batch": "12686 sequence", "context": "4000 token"},
            marks=pytest.mark.long,
        ),
        pytest.param(
            ["deepseek-v3", "gb200:fp8"],
            {"chips": "72 chip", "batch": "1 sequence", "context": "1000 token"},
            marks=pytest.mark.long,
        ),
    ],
)
def test_what_a_page_cannot_follow_is_told_as_it_was_first_set(tab: Shown, tmp_path, profiles, given):
    """What tokens send to experts needs values that nothing else on the page does."""
    library = built_in()
    given = given | {"context": given["context"].replace("token", "token/sequence")}
    told = [str(one) for one in library.solve("step_time", *profiles, **given).remarks if one.kind == "left out"]
    assert told
    file = tmp_path / "page.html"
    file.write_text(page(library, ["step_time"], profiles, given), encoding="utf-8")
    shown = "\n".join(tab.opened(file).now["notes"])
    for text in told:
        relation = text.rpartition("(")[2].partition(" leaves")[0]
        assert f"{', '.join(profiles)} as first set: {text}" in shown or f"{relation} leaves out" in shown
