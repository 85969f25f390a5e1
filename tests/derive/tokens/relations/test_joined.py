"""Questions that need two parts of the library at once, against numbers worked by hand, forwards and backwards."""

from __future__ import annotations

import pytest

import derive


def asked(target: str, *profiles: str, **given: str | float) -> float:
    base = derive.solve(target, *profiles, **given).base
    assert base is not None
    return base


# Phases of a run: DeepSeek-V3, arXiv 2412.19437, table 1
PHASES = {"extension_chip_time": "119e3 h*chip", "post_training_chip_time": "5e3 h*chip"}
HOUR = 3600.0


def test_chip_hours_of_phases_add_up_and_are_paid_for() -> None:
    run = {"pretraining_chip_time": "2664e3 h*chip", **PHASES}
    assert asked("training_chip_time", **run) == pytest.approx(2788e3 * HOUR)
    assert asked("training_cost", **run, chip_price="2 USD/h/chip") == pytest.approx(5.576e6)
    assert asked("chip_price", **run, training_cost="5.576e6 USD") == pytest.approx(2 / HOUR)
    assert asked("pretraining_chip_time", "deepseek-v3", **PHASES) == pytest.approx(2664e3 * HOUR)
    without = {name: value for name, value in run.items() if name != "extension_chip_time"}
    assert asked("extension_chip_time", **without, training_chip_time="2788e3 h*chip") == pytest.approx(119e3 * HOUR)


def test_a_phase_that_is_not_named_takes_nothing_and_the_answer_says_so() -> None:
    answer = derive.solve("training_cost", pretraining_chip_time="2664e3 h*chip", chip_price="2 USD/h/chip")
    assert answer.base == pytest.approx(5.328e6)
    assert {"extension_chip_time", "post_training_chip_time"} <= set(answer.given)


# A step from its measured parts
TIMES: dict[str, str | float] = {"compute_time": "8 ms", "memory_time": "12 ms", "network_time": "5 ms"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 12e-3),
        ({"overhead_time": "3 ms"}, 15e-3),
        ({"overlap_share": 0.0, "overhead_time": "0 s"}, 25e-3),
        ({"overlap_share": 0.5, "overhead_time": "3 ms"}, 21.5e-3),  # 12 + (8 + 5)/2 + 3
        ({"unhidden_time": "2 ms"}, 14e-3),
    ],
)
def test_a_step_is_its_longest_part_what_does_not_hide_behind_it_and_the_overhead(
    given: dict[str, str | float], expected: float
) -> None:
    assert asked("measured_step_time", **TIMES, **given) == pytest.approx(expected)
    for name, value in given.items():
        others = {other: given[other] for other in given if other != name}
        stated = asked(name, **{name: value})
        found = asked(name, **TIMES, **others, measured_step_time=f"{expected} s")
        assert found == pytest.approx(stated, abs=1e-9)


def test_each_part_explains_a_share_of_a_measured_step() -> None:
    step: dict[str, str | float] = {**TIMES, "measured_step_time": "20 ms", "unhidden_time": "0 s"}
    shares = {"measured_compute_share": 0.4, "measured_memory_share": 0.6, "measured_network_share": 0.25}
    for name, share in (shares | {"overhead_share": 0.4}).items():
        assert asked(name, **step) == pytest.approx(share)
    assert asked("overhead_time", **step) == pytest.approx(8e-3)
    assert asked("unhidden_share", **TIMES, overlap_share=0.0) == pytest.approx(13 / 25)


def test_what_a_step_takes_besides_reaches_users_and_their_bill() -> None:
    serving = {"chips": "8 chip", "batch": "64 sequence", "context": "8 ktoken/sequence", "chip_price": "2 USD/h/chip"}
    profiles = ("h100-sxm:fp8", "llama3-70b")
    step = asked("step_time", *profiles, **serving) + 2e-3
    assert asked("measured_user_speed", *profiles, **serving, overhead_time="2 ms") == pytest.approx(1 / step)
    bill = 8 * 2 / HOUR * step / 64
    assert asked("measured_cost", *profiles, **serving, overhead_time="2 ms") == pytest.approx(bill)
    speed = f"{1 / step} token/s/sequence"
    assert asked("overhead_time", *profiles, **serving, measured_user_speed=speed) == pytest.approx(2e-3)


# A request, prompt and answer
REQUEST = {
    "prompt_tokens": "2000 token/sequence",
    "output_tokens": "500 token/sequence",
    "context": "2250 token/sequence",  # the prompt and half of the answer
}
FLEET = {
    "peak_compute": "1000 TFLOP/s/chip",
    "hbm_bandwidth": "3.35 TB/s/chip",
    "chips": "8 chip",
    "chip_price": "2 USD/h/chip",
    "batch": "64 sequence",
    "bytes_per_parameter": "1 byte/parameter",
    "total_parameters": "70 Gparameter",
    "active_parameters": "70 Gparameter",
    "kv_bytes_per_token": "160 kB/token",
}
PREFILL = 2 * 70e9 * 2000 / 8e15  # parameters alone, as the shapes are not given
MEMORY = (70e9 + 64 * 2250 * 160e3) / (8 * 3.35e12)
CHIP_TIME = 8 * PREFILL + 500 * 8 * MEMORY / 64


def test_a_request_of_so_many_tokens_has_a_time_a_cost_and_chips() -> None:
    without = {name: value for name, value in REQUEST.items() if name != "context"}
    assert asked("mean_context", **without) == pytest.approx(2250)
    assert asked("request_time", **FLEET, **REQUEST) == pytest.approx(PREFILL + 500 * MEMORY)
    assert asked("request_chip_time", **FLEET, **REQUEST) == pytest.approx(CHIP_TIME)
    assert asked("request_cost", **FLEET, **REQUEST) == pytest.approx(CHIP_TIME * 2 / HOUR)
    rate = {"arrival_rate": "100 sequence/s"}
    assert asked("mixed_chips", **FLEET, **REQUEST, **rate) == pytest.approx(100 * CHIP_TIME)
    busy = asked("mixed_chips", **FLEET, **REQUEST, **rate, fleet_utilisation=0.5)
    assert busy == pytest.approx(200 * CHIP_TIME)


def test_a_fleet_takes_so_many_tokens_a_day_of_a_mix() -> None:
    day = asked("token_demand", **FLEET, **REQUEST, mixed_chips="1000 chip")  # tokens a second in base units
    assert day == pytest.approx(1000 / CHIP_TIME * 2500)
    assert asked("input_demand", **FLEET, **REQUEST, mixed_chips="1000 chip") == pytest.approx(day * 0.8)
    back = asked("mixed_chips", **FLEET, **REQUEST, token_demand=f"{day} token/s")
    assert back == pytest.approx(1000)


def test_a_prompt_follows_from_what_a_request_costs() -> None:
    cost = f"{CHIP_TIME * 2 / HOUR} USD/sequence"
    mean = {"context": "2250 token/sequence", "output_tokens": "500 token/sequence"}
    assert asked("prompt_tokens", **FLEET, **mean, request_cost=cost) == pytest.approx(2000)


# Tiers
LINK = {"host_link_bandwidth": "64 GB/s/chip", "kv_bytes_per_token": "70272 byte/token", "chip_price": "2 USD/h/chip"}


@pytest.mark.parametrize(
    ("tiers", "given", "bandwidth"),
    [
        ((), {}, 64e9),  # no tier is named, so the link is all there is
        (("nvme-gen5-30tb",), {}, 14e9),
        (("ddr5-6400-typical-server",), {}, 64e9),  # 614.4 GB/s, more than the link
        (("ddr5-6400-typical-server",), {"chips_per_device": "16 chip"}, 614.4e9 / 16),
    ],
)
def test_a_cache_comes_at_the_rate_of_its_tier_or_of_the_link(
    tiers: tuple[str, ...], given: dict[str, str], bandwidth: float
) -> None:
    cost = 70272 * 2 / HOUR / bandwidth
    assert asked("retrieve_cost", *tiers, **LINK, **given) == pytest.approx(cost)
    unpriced = {name: value for name, value in LINK.items() if name != "chip_price"}
    price = asked("chip_price", *tiers, **unpriced, **given, retrieve_cost=f"{cost} USD/token")
    assert price == pytest.approx(2 / HOUR)


def test_a_tier_with_a_rent_says_how_long_a_cache_may_stay() -> None:
    # 0.08 USD for a GB and month of 730.5 h: the arithmetic of 37e9 parameters at 1978.9 TFLOP/s, less the wait.
    rent = 0.08 / 1e9 / (730.5 * HOUR)
    compute, wait = 2 * 37e9 / 1978.9e12, 70272 / 14e9
    given = {**LINK, "tier_price": f"{rent} USD/byte/s", "context": "0 token/sequence"}
    held = asked("break_even_hold_time", "h100-sxm:fp8", "deepseek-v3", "nvme-gen5-30tb", **given)
    assert held == pytest.approx((compute - wait) * 2 / HOUR / (70272 * rent), rel=1e-4)
