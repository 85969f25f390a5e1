"""The report on layout, against arithmetic of its own."""

from __future__ import annotations

import shutil
from math import comb, log
from pathlib import Path

import pytest

from derive import Library
from derive.errors import VerificationError
from derive.model.relation import relate
from derive.reports.template_words import vocabulary
from derive.reports.templating import rendered
from derive.tokens.relations import library
from derive.tokens.reports.titles import TEMPLATES
from tests.derive.tokens.reports.reading import chart, headline, lines, row
from tests.derive.tokens.reports.shown import curve, first, letters, words

DEEPSEEK, KV = 671e9, 70272  # bytes in FP8; bytes of cache for a token


@pytest.mark.thorough
def test_no_two_quantities_share_a_letter():
    assert [names for names in letters("layout").values() if len(names) > 1] == []


@pytest.mark.thorough
def test_the_published_point_fixes_the_exponent():
    exponent = log(1.3 / 0.37) / log(64)
    assert first(headline("layout", "The exponent behind the published point").split("=")[1]) == pytest.approx(
        exponent, rel=1e-3
    )
    ends = curve("layout", "layout-sparsity", "as good as dense")
    assert ends[-1] == (512, pytest.approx(0.37 * 512**exponent, rel=1e-3))
    assert curve("layout", "layout-sparsity", "stored, were all of it experts")[-1] == (512, pytest.approx(0.37 * 512))


@pytest.mark.long
def test_the_exchange_of_a_layer_is_the_one_that_deepseek_publishes():
    assert r"6.72\,\mathrm{\mu s}" in words("layout")  # arXiv 2505.09343, section 2.3.2
    sent = 32 * 8 * 7168 * 3
    *_, slower, inside, across = map(first, row("layout", "DeepSeek-V3, 32 tokens", "h100-sxm"))
    assert slower == 450 / 50
    assert inside == pytest.approx(sent * 7 / 8 / 450e3, rel=5e-3)  # microseconds
    assert across == pytest.approx(sent / 2 / 50e3, rel=5e-3)


@pytest.mark.thorough
def test_half_of_the_sends_cross_and_nearly_all_tokens():
    assert "$0.5$ of the *sends*" in words("layout")
    assert f"${1 - comb(128, 8) / comb(256, 8):.4f}$ of the *tokens*" in words("layout")
    assert curve("layout", "layout-crossing", "sends")[3] == (4, pytest.approx(3 / 4))


@pytest.mark.thorough
def test_an_exchange_across_racks_outgrows_the_reading_where_the_picture_says():
    reading = curve("layout", "layout-arms", "memory")
    exchange = curve("layout", "layout-arms", "exchange across two racks")
    batch = next(x for (x, own), (_, other) in zip(reading, exchange, strict=True) if other > own)
    sent = 58 * 8 * 7168 * 3 / 2 / 72 / 50e9  # seconds for each sequence
    read = 8000 * KV / (72 * 8e12)
    assert batch == pytest.approx(DEEPSEEK / (72 * 8e12) / (sent - read), rel=0.1)


@pytest.mark.thorough
def test_a_domain_reads_as_fast_as_all_its_chips_together():
    memory, bandwidth, filled, read, largest = map(first, row("layout", "Domains as one", "72 GB200"))
    assert (memory, bandwidth) == (pytest.approx(72 * 0.186, rel=5e-3), 72 * 8)
    assert filled == pytest.approx(1.04 / 13.392, rel=5e-3)
    assert read == pytest.approx(1040 / 576, rel=5e-3)  # milliseconds
    assert largest == pytest.approx(13.392 - 2000 * 100e3 * 2e3 / 1e12, rel=5e-3)
    assert f"${72 * 8 / (8 * 3.35):.3g}$ times as fast" in words("layout").replace("\n", " ")


@pytest.mark.thorough
def test_the_stages_cancel_from_the_cache_and_not_from_the_weights():
    shown = dict.fromkeys(lines("layout"))
    assert ("C_{kv}", r"\frac{B L \kappa}{n}") in shown
    assert ("C_w", r"\frac{b N_t}{n P}") in shown
    assert ("C_{\\mathrm{held}}", r"\frac{B L \kappa}{n} + \frac{b N_t}{n P}") in shown


def test_the_proof_refuses_a_library_in_which_the_cache_is_divided(tmp_path):
    folder = Path(shutil.copytree(TEMPLATES, tmp_path / "templates"))
    set_before = [
        line for line in (folder / "layout.md").read_text().splitlines() if line.startswith(("{% from", "{% set"))
    ]
    (folder / "layout.md").write_text("\n".join(["# Stages", *set_before, '{% include "layout/pipelining.md" %}', ""]))
    known = library()
    wrong = relate(
        "kv_bytes_per_chip",
        known.quantities["kv_bytes_per_chip"],
        known.quantities["batch"]
        * known.quantities["kv_bytes_per_sequence"]
        / (known.quantities["stages"] * known.quantities["chips"]),
    )
    other = known.without("kv_bytes_per_chip") | Library([wrong])
    with pytest.raises(VerificationError, match=r"pipelining\.md, line \d+: .*stages cancels"):
        rendered("layout", folder / "layout.md", vocabulary(other))


@pytest.mark.thorough
def test_memory_per_chip_falls_below_what_a_chip_has_between_one_stage_and_two():
    held = dict(curve("layout", "layout-pipeline", "both"))
    cache = 256 * 8000 * KV / 8 / 1e9
    for stages in (1, 2, 4, 16):
        assert held[stages] == pytest.approx(DEEPSEEK / 8e9 / stages + cache)
    assert held[1] > chart("layout", "layout-pipeline").marks[0].at > held[2]
    assert all(level == pytest.approx(cache) for _, level in curve("layout", "layout-pipeline", "KV cache"))
    assert dict(curve("layout", "layout-pipeline", "KV cache of 256 in all"))[16] == pytest.approx(cache / 16)


@pytest.mark.thorough
def test_stages_buy_no_speed_and_cost_a_hop_each():
    read = (DEEPSEEK + 256 * 8000 * KV) / (8 * 3.35e9)  # milliseconds
    for stages in (2, 4, 8, 16):
        told = list(map(first, row("layout", "One token of DeepSeek-V3", str(stages))))
        assert told == pytest.approx([read, 2 * stages, read + 2 * stages, read + 0.02 * stages], rel=1e-3)


@pytest.mark.thorough
def test_a_stage_exchanges_a_hundred_times_what_it_hands_on():
    _, inside, boundary, ratio = map(first, row("layout", "Bytes of one token", "deepseek-v3"))
    assert (inside, boundary) == (pytest.approx(8 * 7.168 * 3, rel=1e-3), pytest.approx(7.168 * 2, rel=1e-3))  # kB
    assert ratio == pytest.approx(8 * 3 / 2 * 58 / 4)


@pytest.mark.thorough
def test_the_bubble_is_what_filling_and_draining_leave_idle():
    assert first(headline("layout", "Its pipeline, if it were a plain one").split("=")[1]) == pytest.approx(
        15 / (15 + 15360 / 128), rel=1e-4
    )
    assert "$735$ micro-batches" in words("layout").replace("\n", " ")  # 15/m = 0.02*(1 + 15/m)
    assert curve("layout", "layout-bubble", "16 stages")[-1] == (512, pytest.approx(15 / 527))
    assert curve("layout", "layout-bubble", "4 stages")[0] == (1, pytest.approx(3 / 4))
