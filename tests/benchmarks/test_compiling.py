"""Compiled functions beside the same formulas written by hand: a price per token by the roofline, five relations.

    pytest tests/benchmarks/test_compiling.py --override-ini addopts= -q -s

Two arrays added are what it takes at least to touch the points at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy
import pytest

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


def side_by_side(ours: Callable[[], Any], theirs: Callable[[], Any], times: int = 25) -> tuple[float, float, float]:
    """The least seconds of each, which other work on the machine spoils least, and the median of the ratios."""
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(times)]
    return min(a for a, _ in pairs), min(b for _, b in pairs), median(b / a for a, b in pairs)


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def told(what: str, seconds: tuple[float, float, float], unit: str = "ms", share: float = 1e3) -> float:
    """Print and yield how many times as fast as the other ours is."""
    ours, theirs, ratio = seconds
    best = theirs / ours
    print(f"\n{what}: {ours * share:.2f} {unit}, {theirs * share:.2f} {unit}: {best:.2f} (median {ratio:.2f})")
    return best


@pytest.mark.parametrize("backend", ["auto", "python"])
def test_a_call_takes_at_most_four_times_as_long(backend):
    function = ROOFLINE.compile("cost", list(POINT), backend)
    assert function(**POINT) == by_hand(**POINT)

    def many(call: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: [call(**POINT) for _ in range(10_000)]

    ratio = told(f"a call, {backend}, by hand", side_by_side(many(function), many(by_hand)), "ns", 1e5)
    assert ratio >= 1 / 4


LINES = {"batch": numpy.linspace(1, 1000, 4_000_000), "cache": numpy.linspace(1e8, 1e9, 4_000_000)}
GRID = {"batch": numpy.linspace(1, 1000, 2000)[:, None], "cache": numpy.linspace(1e8, 1e9, 2000)}


@pytest.mark.parametrize("axes", [LINES, GRID], ids=["lines", "grid"])
def test_four_million_points_take_hardly_longer_with_numpy(axes):
    function, at = ROOFLINE.compile("cost", list(POINT), "numpy"), {**POINT, **axes}
    assert numpy.allclose(function(**at), by_hand(**at, larger=numpy.maximum), rtol=1e-13)
    ratio = told(
        "4 million points, numpy, by hand",
        side_by_side(lambda: function(**at), lambda: by_hand(**at, larger=numpy.maximum)),
    )
    assert ratio >= 0.9


@pytest.mark.parametrize("axes", [LINES, GRID], ids=["lines", "grid"])
def test_four_million_points_are_five_times_as_fast_in_machine_code(axes):
    pytest.importorskip("numba")
    function, at = ROOFLINE.compile("cost", list(POINT)), {**POINT, **axes}
    first = _seconds(lambda: function(**at))
    assert numpy.allclose(function(**at), by_hand(**at, larger=numpy.maximum), rtol=1e-13)
    print(f"\nthe first call: {first:.2f} s, of which nearly all is translating")
    hand = told(
        "4 million points, auto, by hand",
        side_by_side(lambda: function(**at), lambda: by_hand(**at, larger=numpy.maximum)),
    )
    floor = told(
        "4 million points, auto, adding two arrays",
        side_by_side(lambda: function(**at), lambda: LINES["batch"] + LINES["cache"]),
    )
    assert hand >= 5
    assert floor >= 1 / 3


def test_where_translating_pays():
    """From how many points on the second that translating takes is won back."""
    pytest.importorskip("numba")
    names = " ".join(f"x{i}" for i in range(11))
    chain = bare(names, *[f"x{i + 1} = max(x{i}*1.01, 0.5)/(1 + 0.01*x{i})" for i in range(10)])
    machine, arrays = (chain.compile("x10", ["x0"], backend) for backend in ("numba", "numpy"))
    x0 = numpy.linspace(0.1, 9, 1_000_000)
    first = _seconds(lambda: machine(x0=x0[:10]))
    ours, theirs, _ = side_by_side(lambda: machine(x0=x0), lambda: arrays(x0=x0), 7)
    told("a million points of ten relations, numba, numpy", (ours, theirs, theirs / ours))
    print(f"translating: {first:.2f} s, won back from {first / (theirs - ours):.0f} million points on")
    assert theirs > 2 * ours
