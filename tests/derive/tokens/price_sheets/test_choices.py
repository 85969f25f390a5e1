"""Over chips, sizes and tiers: where the ends of a range lie, and what they ask of the rest."""

from __future__ import annotations

from math import log

import pytest

import derive
from derive.tokens.price_sheets.inference import Inference
from derive.tokens.price_sheets.sheets import plausible, sheet_names
from quantities.profiles import Profile

AXES = plausible(derive.llm, (), "gemini-2-5-pro-prices").axes
CHIPS, TIERS = ([profile.name for profile in AXES[kind]] for kind in ("chip", "tier"))
SIZES = AXES["size"]


def base(profile: str | Profile, name: str, end: int = 1) -> float:
    found = profile if isinstance(profile, Profile) else derive.profile(profile)
    return found.values[name].base[end]


def behind(end: int) -> dict[tuple[str, str], float]:
    """The cache behind a cliff at 200k, with the lower or the upper end of each chip and size."""
    return {
        (chip, size.name): 2
        * base(size, "active_parameters", end)
        * base(chip, "hbm_bandwidth", end)
        / base(chip, "peak_compute", 2 - end)
        / 200e3
        for chip in CHIPS
        for size in SIZES
    }


@pytest.fixture(scope="module")
def gemini() -> Inference:
    return derive.infer("gemini-2-5-pro-prices")


@pytest.fixture(scope="module")
def opus() -> Inference:
    return derive.infer("claude-opus-4-6-before-2026-03-13-prices", "h100-sxm:fp8", "deepseek-v3")


def test_every_choice_states_what_makes_it_one() -> None:
    assert all(base(chip, "peak_compute") and base(chip, "chip_price") for chip in CHIPS)
    assert all(base(size, "active_parameters") for size in SIZES)
    assert all(base(tier, "tier_capacity") for tier in TIERS)
    drains = [base(tier, "tier_capacity") / base(tier, "tier_bandwidth") for tier in TIERS]
    assert drains == sorted(drains)


def test_every_sheet_is_read_with_its_own_model_or_with_those_of_its_class() -> None:
    sizes = {sheet: plausible(derive.llm, (), sheet).axes["size"] for sheet in sheet_names()}
    assert [size.name for size in sizes["deepseek-v3-2-prices"]] == ["deepseek-v3-2"]
    for sheet, found in sizes.items():
        active = [base(size, "active_parameters") for size in found]
        assert max(active) <= 7 * min(active), sheet  # one model, or models of one class
    other = plausible(derive.llm, (), "a-sheet-of-somebody").axes["size"]
    assert {size.name for size in other} >= {"lecture-100b", "gpt-oss-120b"}
    (named,) = plausible(derive.llm, ["llama3-1-405b"], "deepseek-v3-2-prices").axes["size"]
    assert named.name == "llama3-1-405b"


@pytest.mark.thorough
def test_a_published_model_fixes_the_margin() -> None:
    found = derive.infer("deepseek-v3-standard-prices")["input_margin_limit"]
    h100 = derive.profile("h100-sxm:fp8")
    cost = 2 * base("deepseek-v3", "active_parameters") * base(h100, "chip_price") / base(h100, "peak_compute")
    assert found.value.magnitude == pytest.approx(1 - cost / 0.27e-6, rel=1e-9)
    assert found.low_at.size == found.high_at.size == "deepseek-v3"


@pytest.mark.long
def test_bounds_are_called_bounds_and_a_change_of_chip_is_said() -> None:
    lines = str(derive.infer("gemini-2-5-pro-prices")).splitlines()
    for word in ("input_margin_limit", "output_margin_limit", "implied_active_parameters"):
        assert next(line for line in lines if line.endswith(word)).strip().startswith("at most ")
    found = derive.infer("gemini-2-5-pro-prices", "deepseek-v3")
    for one in found.conclusions:
        if one.reference.chip not in ("", "h100-sxm:fp8"):
            assert "since h100-sxm:fp8 does not say" in str(found)


@pytest.mark.thorough
def test_the_range_of_the_cache_is_that_of_all_chips_and_sizes(gemini: Inference) -> None:
    found = gemini["implied_kv_bytes_per_token"]
    least, most = behind(0), behind(2)
    assert (found.low_at.chip, found.low_at.size) == min(least, key=lambda pair: least[pair])
    assert (found.high_at.chip, found.high_at.size) == max(most, key=lambda pair: most[pair])
    assert found.low.magnitude == pytest.approx(min(least.values()))
    assert found.high.magnitude == pytest.approx(max(most.values()))
    assert str(found.reference) == "h100-sxm:fp8, lecture-100b"
    assert found.value.magnitude == pytest.approx(1692.86, rel=1e-5)


@pytest.mark.long
def test_bounds_enclose_the_reference(gemini: Inference, opus: Inference) -> None:
    for found in (*gemini.conclusions, *opus.conclusions):
        assert found.answer.base is not None
        assert found.bounds[0] <= found.answer.base <= found.bounds[1], found.quantity.name


def test_the_levers_are_where_the_range_ends(gemini: Inference) -> None:
    found = gemini["implied_kv_bytes_per_token"]
    low, high = (end.magnitude for end in (found.low, found.high))
    (size,) = [text for text in found.refuted_by if text.startswith("active_parameters")]
    intensity = base("h100-sxm:fp8", "peak_compute") / base("h100-sxm:fp8", "hbm_bandwidth")
    assert f"below {low * intensity * 200e3 / 2 / 1e9:.3g} Gparameter" in size
    assert f"above {high * intensity * 200e3 / 2 / 1e9:.3g} Gparameter" in size
    (chip,) = [text for text in found.refuted_by if text.startswith("hardware_ratio")]
    assert f"below {2 * 100e9 / 200e3 / high:.3g} FLOP/byte" in chip


def test_a_price_that_is_only_reported_widens_the_range(gemini: Inference) -> None:
    found = gemini["break_even_throughput"]
    cheapest = min(derive.profile(chip).values["chip_price"].base[0] for chip in CHIPS)
    dearest = max(derive.profile(chip).values["chip_price"].base[2] for chip in CHIPS)
    assert found.bounds == pytest.approx((cheapest / 10e-6, dearest / 10e-6))


def test_a_cache_is_matched_with_the_tier_that_drains_in_its_life(opus: Inference) -> None:
    for name, life in (("short_matched_share", 300), ("long_matched_share", 3600)):
        apart = {tier: abs(log(life * base(tier, "tier_bandwidth") / base(tier, "tier_capacity"))) for tier in TIERS}
        assert opus[name].reference.tier == min(apart, key=lambda tier: apart[tier])
    assert opus["short_matched_share"].low_at.tier == TIERS[-1]


def test_named_profiles_stand_in_for_the_usual_choices() -> None:
    chosen = plausible(derive.llm, ["h200-sxm", "deepseek-v3", "nvme-gen5-30tb", "rule-anthropic-cache"])
    assert [chip.name for chip in chosen.axes["chip"]] == ["h200-sxm:bf16", "h200-sxm:fp8", "h200-sxm:int8"]
    assert [size.name for size in chosen.axes["size"]] == ["deepseek-v3"]
    assert [tier.name for tier in chosen.axes["tier"]] == ["nvme-gen5-30tb"]
    assert [other.name for other in chosen.fixed] == ["rule-anthropic-cache"]


@pytest.mark.thorough
def test_a_rack_counts_as_its_chips() -> None:
    chip, rack = (
        derive.infer("gemini-2-5-pro-prices", name, "deepseek-v3") for name in ("gb200:fp8", "gb200-nvl72:fp8")
    )
    name = "implied_kv_bytes_per_token"
    assert rack[name].answer.base == pytest.approx(chip[name].answer.base)
    assert str(rack[name].reference) == "gb200-nvl72:fp8, deepseek-v3"


@pytest.mark.thorough
def test_a_rule_completes_a_sheet() -> None:
    bare = '[profiles.own-prices]\ninput_price = "2 USD/Mtoken"\noutput_price = "8 USD/Mtoken"\n'
    choices = ("h100-sxm:fp8", "deepseek-v3", "nvme-gen5-30tb")
    assert "break_even_reads_5min" not in derive.infer(bare, *choices)
    found = derive.infer(bare, *choices, "rule-anthropic-cache")
    assert found["break_even_reads_5min"].value.magnitude == pytest.approx(0.25 / 0.9)


def test_a_contradiction_that_another_chip_closes_is_said_to_be_so() -> None:
    sheet = """[profiles.own-prices]
    input_price = "2 USD/Mtoken"
    price_cliff = "100 ktoken/sequence"
    cache_storage_price = "0.1 USD/Mtoken/h"
    """
    (found,) = derive.infer(sheet, "h100-sxm:fp8", "deepseek-v3", "llama3-1-405b").contradictions
    assert found.prices == ("price_cliff", "cache_storage_price")
    assert found.answer.base == pytest.approx(0.1e-6 / (3.85 / 80e9) / (2 * 37e9 * 3.35 / 1978.9 / 100e3), rel=1e-3)
    assert not found.everywhere
