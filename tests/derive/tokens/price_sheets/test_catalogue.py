"""Every price sheet of the catalogue, side by side."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import derive
from derive.tokens.price_sheets import inference
from derive.tokens.price_sheets.inference import Inference, survey
from derive.tokens.price_sheets.sheets import QUESTIONS, sheet_names
from derive.tokens.price_sheets.text import points, side_by_side

pytestmark = pytest.mark.thorough

NARROW = ("gb200:fp8", "deepseek-v3", "nvme-gen5-30tb")


READ = (  # of which something is told below
    "claude-sonnet-4-6-prices",
    "claude-opus-4-6-prices",
    "claude-fable-5-1-prices",
    "claude-haiku-5-5-prices",
    "gemini-2-5-pro-prices",
    "gpt-5-prices",
    "o4-mini-prices",
)
SOME = [name for place, name in enumerate(sheet_names()) if place % 4 == 0 or name in READ]


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.long)])
def sheets(request: pytest.FixtureRequest) -> Iterator[dict[str, Inference]]:
    """What the sheets imply; the long run asks all of them, and the thorough one a part."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "some":
            patch.setattr(inference, "sheet_names", lambda: SOME)
        yield {found.sheet: found for found in survey(*NARROW)}


def of(sheet: str, name: str) -> float:
    return derive.profile(sheet).values[name].base[1]


def test_a_sheet_of_the_catalogue_implies_something(sheets: dict[str, Inference]) -> None:
    for sheet, found in sheets.items():
        assert len(found.conclusions) + len(found.missing) == len(QUESTIONS), sheet
        assert not [missing for missing in found.missing if not missing.needs], sheet
        assert found["implied_decode_mfu"].answer.base == pytest.approx(
            of(sheet, "input_price") / of(sheet, "output_price")
        ), sheet
        for one in found.conclusions:
            low, high = one.bounds
            assert one.answer.base is not None, (sheet, one.quantity.name)
            assert low <= one.answer.base <= high, (sheet, one.quantity.name)


def test_a_cliff_is_read_where_there_is_one(sheets: dict[str, Inference]) -> None:
    for sheet, found in sheets.items():
        assert ("implied_kv_bytes_per_token" in found) == ("price_cliff" in derive.profile(sheet).values)


def test_sheets_without_a_cliff_or_a_fast_mode_hardly_contradict_themselves(sheets: dict[str, Inference]) -> None:
    assert not sheets["claude-sonnet-4-6-prices"].contradictions
    assert not sheets["o4-mini-prices"].contradictions  # a ratio that is rounded agrees within its range
    assert [one.prices for one in sheets["claude-opus-4-6-prices"].contradictions] == [
        ("fast_input_price", "fast_output_price")
    ]


def test_the_cliff_and_the_price_of_storage_cannot_both_be_costs(sheets: dict[str, Inference]) -> None:
    (found,) = [
        one for one in sheets["gemini-2-5-pro-prices"].contradictions if one.prices[-1] == "cache_storage_price"
    ]
    by_storage = 4.5e-6 / (10.5 / 186e9)
    by_cliff = 2 * 37e9 * 8 / 5000 / 200e3
    assert found.answer.base == pytest.approx(by_storage / by_cliff, rel=1e-6)
    assert found.everywhere


def test_they_stand_side_by_side(sheets: dict[str, Inference]) -> None:
    header, *rows = side_by_side(list(sheets.values()))
    assert header == ("sheet", *(one.target for one in QUESTIONS if one.compared), "contradictions")
    assert [row[0] for row in rows] == list(sheets)
    (fable,) = [row for row in rows if row[0] == "claude-fable-5-1-prices"]
    assert fable[header.index("cache_discount")] == "40"
    assert fable[header.index("implied_kv_bytes_per_token")] == ""


def test_a_figure_has_its_points(sheets: dict[str, Inference]) -> None:
    found = {sheet: (low, value, high) for sheet, low, value, high in points(sheets.values(), "fair_context")}
    assert found["claude-haiku-5-5-prices"] == pytest.approx((500e3,) * 3)  # five times everything above 100k
    assert "gpt-5-prices" not in found
