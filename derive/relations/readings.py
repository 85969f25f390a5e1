"""What a price sheet gives away if prices are costs, and how far two of its prices agree."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import capacity, context, costs, menu, network, prices, readings, roofline, tiers, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(capacity, context, costs, menu, network, prices, readings, roofline, tiers),
)
_define = partial(_state, because="its definition", source="by definition")

relations = [
    # Output against input
    _state(
        "implied_memory_to_compute",
        "output_input_ratio = max(1, implied_memory_to_compute)",
        because="a token of prefill takes its compute time, one of decode the longer of its two times",
    ),
    _state(
        "implied_least_batch",
        "implied_least_batch = optimal_batch/max(1, output_input_ratio)",
        because="reading the weights takes so many times the compute time; caches that are read besides ask for more",
    ),
    _define(
        "output_input_ratio_above_cliff",
        "output_input_ratio_above_cliff = output_price_above_cliff/input_price_above_cliff",
    ),
    _define("cliff_ratio_shift", "cliff_ratio_shift = output_input_ratio_above_cliff/output_input_ratio"),
    # The fast mode, together with the output price
    _state(
        "implied_scaled_batch",
        "implied_scaled_batch = 1/(implied_memory_to_compute*weight_share)",
        because="in units of the compute time the weights take B*/B",
    ),
    _state(
        "implied_scaled_context",
        "implied_scaled_context = implied_memory_to_compute*kv_share",
        because="in units of the compute time the cache takes L/L*",
    ),
    _state(
        "implied_mean_context",
        "implied_mean_context = implied_scaled_context*price_cliff",
        because="the price rises at the crossover context",
    ),
    # Waiting
    _state(
        "implied_slow_discount",
        "implied_slow_discount = 1/(1 - batch_discount)",
        because="who can wait is served in a full batch, which still pays its cost",
    ),
    _define("implied_slow_input_discount", "implied_slow_input_discount = 1/(1 - batch_input_discount)"),
    # Readings of the KV cache
    _state(
        "implied_kv_bytes_by_output",
        "implied_kv_bytes_by_output = max(1, output_input_ratio)*implied_kv_bytes_per_token",
        because="where decode reads weights for so many times its compute time, the cache shows when it takes as long",
    ),
    _state(
        "implied_kv_bytes_by_storage",
        "implied_kv_bytes_by_storage = cache_storage_price/memory_price",
        because="no memory that keeps a cache is dearer; in a cheaper one the same price keeps more bytes",
    ),
    _state(
        "implied_kv_bytes_by_hits",
        "implied_kv_bytes_by_hits = cache_read_ratio*flops_per_parameter*active_parameters*host_link_bandwidth"
        "/(peak_compute*compute_efficiency)",
        because="a miss occupies the chip for its arithmetic, a hit for its bytes",
    ),
    _define("output_kv_gap", "output_kv_gap = implied_kv_bytes_by_output/implied_kv_bytes_per_token"),
    _define("storage_kv_gap", "storage_kv_gap = implied_kv_bytes_by_storage/implied_kv_bytes_per_token"),
    _define("hits_kv_gap", "hits_kv_gap = implied_kv_bytes_by_hits/implied_kv_bytes_per_token"),
    # Readings of the context
    _state(
        "fair_input_context",
        "fair_input_context = price_cliff*(1 + input_surcharge)",
        because="beyond the cliff the cost grows with the context",
    ),
    _define("surcharge_gap", "surcharge_gap = fair_input_context/fair_context"),
    # Holding a cache
    _state(
        "short_matched_share",
        "short_matched_share = short_hold/tier_drain_time",
        because="a device that is read once in its drain time uses capacity and bandwidth alike",
    ),
    _state(
        "long_matched_share",
        "long_matched_share = long_hold/tier_drain_time",
        because="a device that is read once in its drain time uses capacity and bandwidth alike",
    ),
    _state(
        "priced_hold_time",
        "priced_hold_time = (input_price - cache_read_price)/cache_storage_price",
        because="each hit saves the input price less its own, each hour costs the price of storage",
    ),
    _state(
        "implied_write_charge",
        "implied_write_charge = cache_write_price_5min - input_price - implied_storage_price*short_hold",
        because="of a write's price the token pays its arithmetic and the time its rent",
    ),
    # Margins
    _state(
        "implied_active_parameters",
        "implied_active_parameters = input_price*peak_compute*compute_efficiency/(flops_per_parameter*chip_price)",
        because="a larger model's arithmetic alone costs more than the price",
    ),
    _state(
        "input_margin_limit",
        "input_margin_limit = 1 - compute_cost/input_price",
        because="each token computes for itself",
    ),
    _state(
        "output_margin_limit",
        "output_margin_limit = 1 - compute_cost/output_price",
        because="no batch makes the arithmetic of a token cheaper",
    ),
    _state(
        "hit_margin_limit",
        "hit_margin_limit = 1 - retrieve_cost/cache_read_price",
        because="the chip waits while its link brings the bytes",
    ),
]
