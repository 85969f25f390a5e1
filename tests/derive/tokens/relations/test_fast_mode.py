"""What a fast mode's price and speed leave open of a normal step, against steps whose parts are drawn."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import derive
from derive.errors import DeriveError

SHARES = st.floats(0.02, 0.98)


def solved(target: str, **told: float) -> float:
    return float(derive.solve(target, **told).value.magnitude)


@pytest.mark.thorough
@settings(max_examples=12)
@given(SHARES, SHARES, SHARES, st.floats(0.05, 1), SHARES)
def test_a_step_lies_within_what_its_fast_mode_leaves_open(
    memory: float, weights_part: float, batch_part: float, spared: float, read: float
) -> None:
    weights, cache = memory * weights_part, memory * (1 - weights_part)
    # The batch is at most what leaves memory to bind the fast step, whose arithmetic takes that part of a normal one's.
    batch = batch_part * weights * spared / (1 - cache + weights * spared)
    fast_read = read * (batch + (1 - batch) * spared)  # a smaller batch reads no less than its part
    fast_memory = weights * fast_read / read + batch * cache
    told = {"fast_speed_ratio": 1 / fast_memory, "fast_price_ratio": fast_memory / batch}
    told |= {"fast_read_share": fast_read, "read_share": read}
    assert solved("most_weight_share", **told) >= weights * (1 - 1e-9)
    assert solved("least_weight_share", **told) <= weights * (1 + 1e-9)
    assert solved("most_kv_share", **told) >= cache * (1 - 1e-9)


@pytest.mark.thorough
@settings(max_examples=8)
@given(st.floats(1.05, 20), st.floats(1.05, 20))
def test_the_ends_are_a_memory_bound_step_and_one_without_cache(speed: float, price: float) -> None:
    ratios = {"fast_speed_ratio": speed, "fast_price_ratio": price}
    assert solved("least_weight_share", **ratios) == pytest.approx(solved("weight_share", **ratios, memory_share=1))
    assert solved("most_kv_share", **ratios) == pytest.approx(solved("kv_share", **ratios, memory_share=1))
    assert solved("most_weight_share", **ratios) == pytest.approx(solved("weight_share", **ratios, kv_share=0))


def test_six_times_the_price_for_two_and_a_half_times_the_speed() -> None:
    # A fifteenth of the batch: w + v = 1 and w + v/15 = 1/2.5, so that w is 5/14.
    ratios = {"fast_speed_ratio": 2.5, "fast_price_ratio": 6.0}
    found = [solved(name, **ratios) for name in ("least_weight_share", "most_weight_share", "most_kv_share")]
    assert found == pytest.approx([5 / 14, 0.4, 9 / 14])


@pytest.mark.parametrize("told", [{"fast_price_ratio": 0.9}, {"fast_price_ratio": 6.0, "network_share": 0.5}])
def test_a_fast_step_that_memory_may_not_bind_tells_no_least_share(told: dict[str, float]) -> None:
    with pytest.raises(DeriveError):
        derive.solve("least_weight_share", fast_speed_ratio=2.5, **told)
