"""Questions that need two parts of the library at once, against numbers worked by hand, forwards and backwards."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

import derive
from tests.ordinary import examples


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
TIMES["least_exchange_time"] = "0 s"


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


# Networks. The arrays and the times of Austin et al., How to Scale Your Model, 2025, Sharding and GPUs.
ARRAY: dict[str, str | float] = {
    "exchanged_rows": 8192,
    "exchanged_columns": 32768,
    "exchanged_bytes_per_element": "2 byte",
}


@pytest.mark.parametrize("chip", ["h100-sxm", "b300-sxm", "rubin-r200", "h20-96gb", "gb200"])
def test_an_array_is_gathered_over_the_links_of_a_chip_behind_a_switch(chip: str) -> None:
    bandwidth = derive.profile(chip).values["scale_up_bandwidth"].base[1]
    found = asked("all_gather_time", chip, **ARRAY, network_axes=1, ring_size=8)
    assert found == pytest.approx(8192 * 32768 * 2 * 7 / 8 / bandwidth)
    with pytest.raises(derive.UnderdeterminedError) as caught:
        derive.solve("all_gather_time", chip, **ARRAY, ring_size=8)
    assert ("network_axes",) in caught.value.missing


@pytest.mark.long
@given(st.sampled_from(["mi300x", "mi325x", "mi355x", "h100-pcie"]), st.data())
def test_in_a_mesh_a_chip_sends_to_each_of_the_others_over_links_of_their_own(chip: str, data: st.DataObject) -> None:
    values = {name: value.base[1] for name, value in derive.profile(chip).values.items()}
    ring = data.draw(st.integers(2, round(values["scale_up_domain"])))
    pair = values["scale_up_pair_bandwidth"]
    whole = 8192 * 32768 * 2
    assert asked("all_gather_time", chip, **ARRAY, ring_size=ring) == pytest.approx(whole / ring / pair)
    assert asked("all_to_all_time", chip, **ARRAY, ring_size=ring) == pytest.approx(whole / ring**2 / pair)
    assert asked("ring_size", chip, **ARRAY, all_gather_time=f"{whole / ring / pair} s") == pytest.approx(ring)


@pytest.mark.parametrize("chip", ["mi300x", "h100-pcie"])
def test_a_mesh_ends_with_its_domain(chip: str) -> None:
    with pytest.raises(derive.UnderdeterminedError, match=r"mesh_bandwidth is left out, because one_chip\*ring_size"):
        derive.solve("all_gather_time", chip, **ARRAY, ring_size=9)


@pytest.mark.parametrize("chip", ["v100-sxm-16gb", "l4", "trainium2", "groq-lpu-v1"])
def test_a_chip_without_a_bandwidth_along_an_axis_says_so(chip: str) -> None:
    with pytest.raises(derive.UnderdeterminedError, match="Give axis_bandwidth"):
        derive.solve("all_gather_time", chip, **ARRAY, network_axes=1, ring_size=8)


def test_an_array_follows_from_the_time_of_its_exchange() -> None:
    time = asked("all_reduce_time", "tpu-v5e", **ARRAY, network_axes=2, ring_size=16)
    assert time == pytest.approx(2 * 8192 * 32768 * 2 * 15 / 16 / (2 * 90e9))
    unknown = {name: value for name, value in ARRAY.items() if name != "exchanged_rows"}
    rows = asked("exchanged_rows", "tpu-v5e", **unknown, network_axes=2, ring_size=16, all_reduce_time=f"{time} s")
    assert rows == pytest.approx(8192)


MATRIX: dict[str, str | float] = {"matrix_inner": 2048, "matrix_columns": 8192, "right_element_bytes": "2 byte"}


@pytest.mark.parametrize(("rows", "columns", "left"), [(16, 1, 1), (1, 16, 1), (16, 4, 4)])
def test_a_split_matrix_is_gathered_along_the_side_whose_shards_a_ring_has(rows: int, columns: int, left: int) -> None:
    split: dict[str, str | float] = {**MATRIX, "row_shards": rows, "column_shards": columns, "ring_size": 16}
    assert asked("collective_bytes", **split) == pytest.approx(2048 * 8192 * 2 / left)


def test_a_matrix_that_is_not_split_over_a_ring_is_not_gathered_around_it() -> None:
    with pytest.raises(derive.UnderdeterminedError, match="row_shards\\*column_shards >= ring_size is false"):
        derive.solve("collective_bytes", **MATRIX, ring_size=16)


# Experts: DeepSeek-V3, dispatched in one byte and combined in two
SENT: dict[str, str | float] = {
    "dispatch_bytes_per_element": "1 byte",
    "combine_bytes_per_element": "2 byte",
    "batch": "9216 sequence",
}
SENT_BYTES = 8 * 7168 * 3


@pytest.mark.parametrize(
    ("chips", "layer"),
    [
        (72, 9216 / 72 * SENT_BYTES * 71 / 72 / 900e9),
        (144, 9216 / 144 * SENT_BYTES / 2 / 50e9),  # half of the sends leave their rack, and the slow network binds
    ],
)
def test_exchanges_inside_and_across_racks_reach_the_users_speed(chips: int, layer: float) -> None:
    given: dict[str, str | float] = {**SENT, "chips": f"{chips} chip", "scale_out_bandwidth": "50 GB/s/chip"}
    total = asked("communication_time", "gb200", "deepseek-v3", **given)
    assert total == pytest.approx(58 * layer)
    served = {**given, "context": "4 ktoken/sequence"}
    unsent = {name: value for name, value in served.items() if not name.endswith("bytes_per_element")}
    step = asked("step_time", "gb200:fp8", "deepseek-v3", **unsent)
    speed = asked("exchanging_user_speed", "gb200:fp8", "deepseek-v3", **served)
    assert speed == pytest.approx(1 / max(step, total))
    assert (total > step) == (chips == 144)


EXPERTS = [name for name in derive.llm.profiles if {"expert_layers", "hidden_size"} <= {*derive.profile(name).values}]


@pytest.mark.long
@given(st.sampled_from(EXPERTS), st.sampled_from([8, 72, 144, 288]), st.integers(8, 16384))
@examples(16, ordinary=1)
def test_a_step_counts_the_exchanges_whose_sizes_are_stated(model: str, chips: int, batch: int) -> None:
    given = {**SENT, "chips": f"{chips} chip", "batch": f"{batch} sequence", "context": "4 ktoken/sequence"}
    point = ("gb200:fp8", model)
    unwired = {name: value for name, value in given.items() if name not in SENT or name == "batch"}
    total, without = asked("communication_time", *point, **given), asked("step_time", *point, **unwired)
    assert asked("step_time", *point, **given) == pytest.approx(max(total, without))
    assert asked("exchanging_user_speed", *point, **given) == pytest.approx(1 / max(total, without))
    other_way = asked("step_time", *point, **unwired, network_time=f"{total} s")
    assert other_way == pytest.approx(max(total, without))


def test_what_stays_in_a_rack_takes_the_fast_network_beside_the_slow_one() -> None:
    given: dict[str, str | float] = {**SENT, "chips": "144 chip", "scale_out_bandwidth": "5 TB/s/chip"}
    layer = 9216 / 144 * SENT_BYTES * (143 / 144 - 1 / 2) / 900e9
    assert asked("layer_exchange_time", "gb200", "deepseek-v3", **given) == pytest.approx(layer)


def test_a_boundary_takes_its_latency_and_its_bytes() -> None:
    given: dict[str, str | float] = {
        "batch": "2000 sequence",
        "activation_bytes_per_element": "2 byte",
        "chips": "72 chip",
        "scale_out_bandwidth": "50 GB/s/chip",
    }
    sent = 2000 * 7168 * 2 / (72 * 50e9)
    assert asked("hop_time", "deepseek-v3", **given) == pytest.approx(sent)
    assert asked("hop_delay", "deepseek-v3", **given, hop_latency="1 ms", stages=4) == pytest.approx(4 * (sent + 1e-3))
    assert asked("hop_latency", "deepseek-v3", **given, hop_time="2 ms") == pytest.approx(2e-3 - sent)


# Where one time hides another: at the limit both are the same, worked out on their own.


@given(
    st.sampled_from(["h100-sxm:bf16", "gb200:fp8"]), st.sampled_from(["llama3-70b", "deepseek-v3"]), st.integers(1, 64)
)
def test_from_a_batch_on_arithmetic_hides_the_streaming_of_weights(chip: str, model: str, chips: int) -> None:
    link = {"chips": f"{chips} chip", "host_link_bandwidth": "64 GB/s/chip"}
    batch = f"{asked('streaming_batch', chip, model, **link)} sequence"
    load = asked("weight_load_time", chip, model, **link)
    assert asked("compute_time", chip, model, chips=link["chips"], batch=batch) == pytest.approx(load)


@given(st.sampled_from(["tpu-v5p:bf16", "h100-sxm:bf16"]), st.integers(2, 64), st.integers(1, 3))
def test_from_an_inner_size_on_arithmetic_hides_the_sum_of_a_split_product(chip: str, ring: int, axes: int) -> None:
    network = {"ring_size": ring, "network_axes": axes}
    inner = asked("hiding_inner_size", chip, **network, product_element_bytes="2 byte")
    product = {"matrix_rows": 1024, "matrix_columns": 4096, "matrix_inner": inner, "chips": f"{ring} chip"}
    array = {"exchanged_rows": 1024, "exchanged_columns": 4096, "exchanged_bytes_per_element": "2 byte"}
    assert asked("product_compute_time", chip, **product) == pytest.approx(
        asked("all_reduce_time", chip, **network, **array)
    )


@given(st.integers(1, 512), st.sampled_from([1, 2]))
def test_up_to_so_many_chips_reading_a_matrix_hides_the_sending_of_its_activations(batch: int, width: int) -> None:
    sizes = {"bytes_per_parameter": f"{width} byte/parameter", "activation_bytes_per_element": "2 byte"}
    chips = asked("decode_split_limit", "h100-sxm", "llama3-70b", **sizes, batch=f"{batch} sequence")
    reading = 8192 * 28672 * width / (chips * 3.35e12)
    assert 8192 * batch * 2 / 450e9 == pytest.approx(reading)
