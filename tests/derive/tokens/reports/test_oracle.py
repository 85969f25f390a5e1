"""What the oracle's report shows of the sheets, worked out from the sheets alone."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import derive
from derive.presentation.document import Grid
from derive.tokens.price_sheets.sheets import plausible, sheet_names
from derive.tokens.reports import report_files
from tests.derive.tokens.reports.reading import headline, paragraph, picture, row, words

pytestmark = pytest.mark.thorough

FLOPS, BANDWIDTH = 1978.9e12, 3.35e12  # H100 in FP8
MEMORY = 3.85 / 80  # USD/GB/h, as it is rented with its chip
SMALLEST, LARGEST = 32e9, 100e9  # active parameters of a large model, Kimi K2 to the lecture's
DEEPSEEK = 37e9  # active parameters of the one sheet here whose model is published
WHOLE = {"gemini-2-5-pro": "Google", "claude-opus-5-5": "Anthropic", "gpt-5-4": "OpenAI", "deepseek-v3-2": "DeepSeek"}


def price(sheet: str, name: str) -> float:
    return derive.profile(f"{sheet}-prices").values[name].number


def grid(caption: str) -> Grid:
    grids = (block for block in report_files.report("oracle").blocks if isinstance(block, Grid))
    return next(one for one in grids if one.caption.startswith(caption))


def cell(sheet: str, head: str) -> str:
    shown = grid(f"The sheets of {WHOLE[sheet]}.")
    return row("oracle", shown.caption, f"`{sheet}`")[shown.header.index(head) - 1]


def test_every_sheet_stands_in_one_table_of_its_vendor():
    grids = [block for block in report_files.report("oracle").blocks if isinstance(block, Grid)]
    listed = [cells[0].strip("`") for one in grids if one.caption.startswith("The sheets of") for cells in one.rows]
    assert sorted(f"{name}-prices" for name in listed) == sorted(sheet_names())
    for vendor in set(WHOLE.values()):
        names = {cells[0].strip("`").split("-")[0] for cells in grid(f"The sheets of {vendor}.").rows}
        assert names <= {"Google": {"gemini"}, "Anthropic": {"claude"}, "DeepSeek": {"deepseek"}}.get(
            vendor, {"gpt", "o1", "o3", "o4"}
        )


@pytest.mark.parametrize("sheet", WHOLE)
def test_reading_discount_and_margins_are_ratios_of_prices(sheet):
    paid, sold = price(sheet, "input_price"), price(sheet, "output_price")
    assert cell(sheet, "reading") == f"${sold / paid:.3g}$"
    assert cell(sheet, "hit") == f"${paid / price(sheet, 'cache_read_price'):.3g}$"
    active = DEEPSEEK if sheet.startswith("deepseek") else LARGEST
    arithmetic = 2 * active * 3.85 / 3600 / FLOPS * 1e6  # USD/Mtoken
    assert cell(sheet, "in") == f"${1 - arithmetic / paid:.3g}$"
    assert cell(sheet, "out") == f"${1 - arithmetic / sold:.3g}$"


def test_a_cliff_leaves_a_cache_and_its_range_runs_over_chips_and_sizes():
    cliff = price("gemini-2-5-pro", "price_cliff")
    assert cell("gemini-2-5-pro", "cache") == "$1690$"
    assert 2 * 100e9 * BANDWIDTH / FLOPS / cliff == pytest.approx(1690, rel=3e-3)
    chips = [chip.values for chip in plausible(derive.llm, ()).axes["chip"]]  # some of which state a range
    slow, fast = (
        pick(chip["hbm_bandwidth"].base[end] / chip["peak_compute"].base[2 - end] for chip in chips)
        for pick, end in ((min, 0), (max, 2))
    )
    low, high = 2 * SMALLEST * slow / cliff, 2 * LARGEST * fast / cliff
    assert cell("gemini-2-5-pro", "from, to") == f"${low:.3g}$ to ${float(f'{high:.3g}'):g}$"


def test_storage_is_a_rent_of_memory():
    opus = "claude-opus-5-5"
    hour = (price(opus, "cache_write_price_1h") - price(opus, "cache_write_price_5min")) / (55 / 60)
    assert cell(opus, "storage") == f"${hour:.3g}$"
    assert cell(opus, "memory") == f"${hour / 1e6 / 70272 * 1e9:.3g}$"
    assert cell("gemini-2-5-pro", "memory") == f"${4.5 / 1e6 / 70272 * 1e9:.3g}$"
    shown = grid("The sheets of Anthropic.")
    assert row("oracle", shown.caption, "`claude-opus-4-6`")[shown.header.index("fast batch") - 1] == f"${1 / 15:.3g}$"


def test_a_column_that_no_sheet_of_a_vendor_fills_is_left_out():
    assert "storage" not in grid("The sheets of OpenAI.").header
    assert grid("The sheets of DeepSeek.").header == ("sheet", "reading", "hit", "in", "out")


def test_gaps_are_those_of_the_prices():
    shown = grid("The gaps, sheet by sheet")
    gaps = dict(zip(shown.header[1:], row("oracle", shown.caption, "`gemini-2-5-pro`"), strict=True))
    paid, sold, cliff = (price("gemini-2-5-pro", name) for name in ("input_price", "output_price", "price_cliff"))
    kept = 2 * 100e9 * BANDWIDTH / FLOPS / cliff
    storage = 4.5 / 1e6 / (MEMORY / 1e9) / kept
    assert gaps["cliff, output"] == f"${sold / paid:.3g}$"
    assert gaps["cliff, storage"] == f"${storage:.3g}$"
    assert headline(
        "oracle", "How many caches of the cliff's size the storage price of Gemini 2.5 Pro pays for"
    ).endswith(f"= {storage:.3g}")
    assert gaps["two surcharges"] == f"${(2.5 / paid) / (15 / sold):.3g}$"
    assert gaps["ratio above"] == f"${(15 / 2.5) / (sold / paid):.3g}$"
    assert f"{4.5 / storage:.3g}" in paragraph("oracle", "The cliff leaves a small cache")


def test_the_fast_mode_asks_for_longer_contexts_than_the_cliff_allows():
    batch = 1 / (6 * 2.5)
    cache = (1 - 1 / 2.5) / (1 - batch)
    scaled = 5 * cache
    assert headline("oracle", "Where the fast mode of Claude Opus 4.6 puts the mean context, in cliffs").endswith(
        f"= {scaled:.3g}"
    )
    said = paragraph("oracle", "The fast mode is so much more expensive")
    assert f"{200 * scaled:.0f}" in said
    slower = 1.21
    assert 5 * (1 - 1 / slower) / (1 - 1 / (6 * slower)) == pytest.approx(1, rel=0.02)
    assert str(slower) in said


def test_one_price_would_mend_both_surcharges():
    said = paragraph("oracle", "Beyond the cliff cost grows")
    assert "400" in said
    assert "300" in said
    assert said.count(r"$20\,\mathrm{USD/Mtoken}$") == 2  # twice 10, as the input is twice 1.25


def test_published_models_would_have_their_cliffs_far_earlier():
    shown = grid("The cliffs that published models")
    cliffs = {cells[0]: cells[-1] for cells in shown.rows}
    assert cliffs["DeepSeek-V3"].startswith("$1780")
    assert pytest.approx(1780, rel=3e-3) == 2 * 37e9 * BANDWIDTH / FLOPS / 70272
    assert "100" in paragraph("oracle", "The latest of them stands at")


def test_a_hit_is_charged_more_than_its_fetching():
    said = paragraph("oracle", "Then the price of a cache hit")
    worth = price("deepseek-v3-standard", "input_price") * 70272 / 450e9 * 5e15 / (2 * 37e9)
    assert f"{worth:.3g}" in said


def test_the_pictures_have_a_point_for_each_sheet_that_speaks():
    ratios = picture("oracle", "oracle-ratios").charts[0]
    points = [series for series in ratios.series if series.style == "points"]
    assert sum(len(series.x) for series in points) == len(sheet_names()) == len(ratios.y.names)
    assert {series.label for series in points} == set(WHOLE.values())
    cliffs = picture("oracle", "oracle-cliffs").charts[0]
    stated = [name for name in sheet_names() if "price_cliff" in derive.profile(name).values]
    assert [f"{name}-prices" for name in cliffs.y.names] == stated
    assert max(max(series.x) for series in cliffs.series) < min(mark.at for mark in cliffs.marks)


def test_what_would_refute_a_reading_is_said():
    shown = words("oracle")
    assert "## What would refute it" in shown
    assert "a decode step measured to read for more or less than 8 of its compute time" in shown.replace("\\", "")


@pytest.mark.long
def test_it_is_the_same_under_any_order_of_hashing():
    script = "from derive.tokens.reports import report_files; print(*sorted(report_files.texts('oracle').items()))"
    root = Path(__file__).parents[4]
    told = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", script],
                cwd=root,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
        ).hexdigest()
        for seed in ("1", "2")
    }
    assert len(told) == 1
