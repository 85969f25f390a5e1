"""What a session or a notebook shows without being asked: one line for everything, and pictures."""

from __future__ import annotations

from typing import Any

import pytest

import derive

CHIP, MODEL = "h100-sxm:fp8", "llama3-70b"
POINT: dict[str, Any] = {"chips": "8 chip", "context": "8 ktoken/sequence"}
ONE = {**POINT, "batch": "64 sequence"}
WIDE = {**POINT, "batch": "1..4096 sequence"}
ALONG = {**POINT, "batch": derive.span("1..64 sequence", 5)}


def things() -> dict[str, Any]:
    """One of each public type."""
    answer = derive.solve("step_time", CHIP, MODEL, **ONE)
    borders = derive.border("step_time", CHIP, MODEL, over="batch", **WIDE)
    sheet = derive.infer("claude-opus-4-6-prices")
    stream = derive.stream("step_time", CHIP, MODEL, **ALONG)
    return {
        "Answer": answer,
        "Step": answer.steps[-1],
        "Proof": answer.proof,
        "Table": derive.sweep("step_time", CHIP, MODEL, **ALONG),
        "Stream": stream,
        "Summary": stream.summary()["step_time"],
        "Sample": derive.sample("step_time", CHIP, MODEL, points=100, **WIDE),
        "Borders": borders,
        "Border": borders[0],
        "Comparison": derive.compare(answer, derive.solve("step_time", "b200-sxm:fp8", MODEL, **ONE)),
        "Optimum": derive.least("cost_per_token", CHIP, MODEL, **WIDE),
        "Front": derive.front(["cost_per_token", "user_speed"], CHIP, MODEL, points=2, **WIDE),
        "Inference": sheet,
        "Conclusion": sheet.conclusions[0],
        "Library": derive.llm,
        "Relation": derive.llm.relations["step_time"],
        "Profile": derive.profile(CHIP),
        "Quantity": derive.llm.quantities["batch"],
        "Problem": derive.check("[quantities]\nx = { unit = 'sek' }")[0],
    }


@pytest.fixture(scope="module")
def held() -> dict[str, Any]:
    return things()


@pytest.mark.thorough
def test_everything_public_is_shown_in_one_short_line(held):
    types = {name for name in derive.__all__ if isinstance(getattr(derive, name), type)}
    assert {name for name in types if not name.endswith("Error")} == set(held)
    for name, thing in held.items():
        assert type(thing).__name__ == name
        shown = repr(thing)
        assert "\n" not in shown
        assert len(shown) < 400, name
        assert "object at 0x" not in shown


def test_the_line_says_what_it_is(held):
    assert repr(held["Answer"]) == "<Answer step_time = 0.0115288 s>"
    assert repr(held["Table"]) == "<Table of step_time over batch: 5 points>"
    assert repr(held["Profile"]) == f"<Profile {CHIP}: {len(derive.profile(CHIP).values)} values>"
    assert repr(held["Optimum"]).startswith("<Optimum least cost_per_token = ")
    parts = "compute_time, memory_time, network_time, least_exchange_time, stated_exchange_time"
    assert repr(held["Relation"]) == f"<Relation step_time: step_time = max({parts})>"


def test_completion_offers_nothing_private(held):
    for thing in (derive, held["Library"], held["Answer"], held["Table"]):
        names = [name for name in dir(thing) if not name.startswith(("__", "_repr_"))]  # a notebook asks for these
        assert names
        assert not [name for name in names if name.startswith("_")]
    assert set(dir(derive)) == set(derive.__all__)


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("name", ["Table", "Sample", "Borders", "Comparison", "Front"])
def test_a_plot_shows_itself(held, name):
    drawn = held[name].plot()._repr_svg_()
    assert drawn.startswith("<?xml")
    assert drawn.rstrip().endswith("</svg>")


@pytest.mark.parametrize("name", ["Table", "Sample"])
def test_a_frame_keeps_its_units(held, name):
    pytest.importorskip("pandas")
    frame = held[name].to_pandas()
    units = frame.attrs["units"]
    assert units["step_time"] == "s"
    for column, unit in units.items():
        assert column in frame.columns
        assert unit == derive.llm.declared[column].unit.text
