"""The roofline's report: what it shows is what plain arithmetic on the data sheets gives."""

from __future__ import annotations

import re

import pytest

from tests.derive.tokens.reports.reading import line, picture, row, words

pytestmark = pytest.mark.thorough

PARAMETERS, BYTES, CACHE = 70.6e9, 2.0, 327_680.0  # Llama 3 70B in BF16
PAIR = 2 * 80 * 64 * 2 * 128  # FLOP for each token that another attends to
COMPUTE, BANDWIDTH, CHIPS = 989.4e12, 3.35e12, 8  # H100


def step(batch: float, context: float) -> float:
    compute = batch * (2 * PARAMETERS + PAIR * context) / (COMPUTE * CHIPS)
    memory = (PARAMETERS * BYTES + batch * context * CACHE) / (BANDWIDTH * CHIPS)
    return max(compute, memory)


def test_the_knee_lies_where_both_times_are_equal():
    knee = (PARAMETERS * BYTES / BANDWIDTH) / ((2 * PARAMETERS + PAIR * 500) / COMPUTE - 500 * CACHE / BANDWIDTH)
    (chart,) = picture("roofline", "roofline-latency").charts
    assert chart.marks[0].at == pytest.approx(knee, rel=1e-6)
    assert [(shade.low, shade.high) for shade in chart.shades] == [(1, chart.marks[0].at), (chart.marks[0].at, 4096)]


def test_the_step_is_the_longer_of_its_two_times_at_every_batch():
    whole = line("roofline", "roofline-latency", "step")
    assert whole == pytest.approx({batch: 1e3 * step(batch, 500) for batch in whole})


def test_the_cost_is_the_rent_of_a_step_over_its_tokens():
    whole, rent = line("roofline", "roofline-cost", "cost per token"), 2 * CHIPS / 3600
    assert whole == pytest.approx({batch: 1e6 * rent * step(batch, 500) / batch for batch in whole})


def test_the_derivations_come_to_what_is_worked_out_by_hand():
    told = words("roofline")
    assert f"{1e3 * step(32, 8000):.4g}" == "8.399"
    assert "t = 8.399" in told
    context = (25e-3 * BANDWIDTH * CHIPS - PARAMETERS * BYTES) / (32 * CACHE)
    assert f"$`{float(f'{context:.4g}'):.0f}`$ tokens" in told
    assert f"{(PARAMETERS * BYTES + 32 * context * CACHE) / 1e9:.0f}" == "670"
    assert re.search(r"670\\,\\mathrm\{GB\}`\$, more than the \$`640\\,\\mathrm\{GB\}`\$ of memory", told)


def test_balance_tokens_are_operations_over_bytes():
    ampere, hopper = (row("roofline", "Balance tokens", chip) for chip in ("A100 80 GB", "H100"))
    assert f"{312e12 / 2.039e12 * 2 / 2:.0f}" in ampere[0]
    assert f"{1978.9 / 3.35 * 1 / 2:.0f}" in hopper[1]
    assert ampere[2] == "none"
