"""Where a cache is kept: computing it again, fetching it, or paying the rent of holding it."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import (
    attention,
    capacity,
    costs,
    counting,
    network,
    prices,
    revenue,
    roofline,
    tiers,
    vocabulary,
)

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(capacity, costs, network, prices, revenue, roofline, tiers, attention, counting),
)

relations = [
    # Tiers
    _state(
        "tier_drain_time",
        "tier_drain_time = tier_capacity/tier_bandwidth",
        because="what a device holds, over what it reads in a second",
    ),
    _state(
        "tier_fill_time",
        "tier_fill_time = tier_capacity/tier_write_bandwidth",
        because="what a device holds, over what it writes in a second",
    ),
    _state("tier_price", "tier_price = tier_device_price/tier_capacity", because="a byte takes its share of the rent"),
    _state(
        "matched_share",
        "matched_share = hold_time/tier_drain_time",
        because="a device that is read once in its drain time uses capacity and bandwidth alike",
    ),
    _state(
        "stored_bytes",
        "stored_bytes = tier_bandwidth*hold_time",
        because="all that is stored is read once before it is dropped",
    ),
    _state(
        "retrieve_time",
        "retrieve_time = kv_bytes_per_sequence*one_sequence/tier_bandwidth",
        because="its bytes at the bandwidth of the device",
    ),
    _state(
        "tier_sequences",
        "tier_sequences = tier_capacity/kv_bytes_per_sequence",
        because="each sequence takes its cache",
    ),
    # Rebuild, retrieve or hold
    _state(
        "storage_cost",
        "storage_cost = kv_bytes_per_token*tier_price",
        because="a cache pays for the bytes that it fills",
    ),
    _state("hold_cost", "hold_cost = storage_cost*hold_time", because="rent grows with time"),
    _state(
        "tier_hold_cost",
        "tier_hold_cost = storage_cost*max(hold_time, tier_drain_time)",
        because="a device that is drained more slowly than it is to be read stands partly empty",
        source="by definition",
    ),
    _state(
        "retrieve_cost",
        "retrieve_cost = kv_bytes_per_token*chip_price/host_link_bandwidth",
        because="the chip waits while its link brings the bytes",
    ),
    _state("rebuild_to_retrieve", "rebuild_to_retrieve = compute_cost/retrieve_cost", because="its definition"),
    _state(
        "break_even_hold_time",
        "break_even_hold_time = (compute_cost - retrieve_cost)/storage_cost",
        because="what retrieving saves pays for so long a rent",
    ),
    _state(
        "mean_input_cost",
        "mean_input_cost = (1 - cache_hit_rate)*compute_cost + cache_hit_rate*retrieve_cost",
        because="a miss is computed, a hit is fetched",
    ),
    _state(
        "implied_tier_price",
        "implied_tier_price = cache_storage_price/kv_bytes_per_token",
        because="what is charged for a token, over the bytes that it fills",
    ),
    # Memory for compute
    _state(
        "uncached_compute_per_token",
        "uncached_compute_per_token = parameter_flops_per_token*context/one_token*one_sequence",
        because="without a cache every token of the context passes again",
    ),
    _state(
        "flops_per_cached_byte",
        "flops_per_cached_byte = parameter_flops_per_token/kv_bytes_per_token",
        because="each use of the cache saves one pass",
    ),
    _state(
        "hbm_hold_time",
        "hbm_hold_time = compute_cost/(kv_bytes_per_token*memory_price)",
        because="rent for arithmetic against rent for memory, of the same chip",
    ),
]
