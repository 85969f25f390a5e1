"""Compiled functions beside the same formulas written by hand: a price per token by the roofline, five relations.

Times are of the processor, so that what else the machine does counts little.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from timeit import repeat
from typing import Any

import numpy

from tests.derive.statements import bare

ROOFLINE = bare(
    "cost price step compute weights kv tokens flops peak bytes params bandwidth batch cache",
    "compute = flops*batch/peak",
    "weights = bytes*params/bandwidth",
    "kv = cache*batch/bandwidth",
    "step = max(compute, weights + kv)",
    "cost = price*step/tokens",
)
POINT = {
    "price": 2.0,
    "flops": 1.4e11,
    "batch": 64.0,
    "peak": 1e15,
    "bytes": 2.0,
    "params": 7e10,
    "bandwidth": 3.35e12,
    "cache": 1e9,
    "tokens": 64.0,
}


def by_hand(price, flops, batch, peak, bytes, params, bandwidth, cache, tokens, *, larger: Any = max):  # noqa: A002
    compute = flops * batch / peak
    weights = bytes * params / bandwidth
    kv = cache * batch / bandwidth
    return price * larger(compute, weights + kv) / tokens


def seconds(call: Callable[[], Any], times: int) -> float:
    return min(repeat(call, number=times, repeat=9, timer=time.process_time)) / times


def test_a_call_takes_at_most_four_times_as_long():
    function = ROOFLINE.compile("cost", list(POINT))
    assert function(**POINT) == by_hand(**POINT)
    times = [seconds(lambda call=call: call(**POINT), 20_000) for call in (function, by_hand)]
    print(f"\na call: {times[0] * 1e9:.0f} ns, by hand {times[1] * 1e9:.0f} ns: {times[0] / times[1]:.2f} times")
    assert times[0] <= 4 * times[1]


def test_four_million_points_take_hardly_longer():
    function = ROOFLINE.compile("cost", list(POINT), "numpy")
    grid = {"batch": numpy.linspace(1, 1000, 4_000_000), "cache": numpy.linspace(1e8, 1e9, 4_000_000)}
    at = {**POINT, **grid}
    assert numpy.allclose(function(**at), by_hand(**at, larger=numpy.maximum), rtol=1e-13)
    times = [seconds(lambda: function(**at), 1), seconds(lambda: by_hand(**at, larger=numpy.maximum), 1)]
    print(f"\n4 million points: {times[0] * 1e3:.0f} ms, by hand {times[1] * 1e3:.0f} ms: {times[1] / times[0]:.2f}")
    assert times[1] >= 0.8 * times[0]
