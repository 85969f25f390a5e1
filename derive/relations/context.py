"""Long contexts: where reading the cache overtakes computing, and where it stops being possible."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import context, prices, roofline, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(context, prices, roofline),
)

relations = [
    _state(
        "cliff_context",
        "cliff_context = crossover_context*(1 - optimal_batch/batch)",
        because="the weights take their share of the time before the cache does",
        when=["batch > optimal_batch"],
    ),
    # The wall
    _state(
        "readable_context",
        "readable_context = (hbm_bandwidth*chips*bandwidth_efficiency*latency_budget"
        " - weight_bytes*read_share)/(batch*kv_bytes_per_token*kv_read_share)",
        because="what memory delivers in the time, less the weights",
    ),
    _state(
        "kv_bandwidth", "kv_bandwidth = kv_bytes*kv_read_share*step_rate", because="every step reads the cache once"
    ),
    # What a price cliff gives away
    _state(
        "implied_kv_bytes_per_token",
        "implied_kv_bytes_per_token = tokens_per_pass*flops_per_parameter*active_parameters"
        "*hbm_bandwidth*bandwidth_efficiency/(peak_compute*compute_efficiency)/price_cliff",
        because="the price rises where the cost begins to",
    ),
    _state(
        "implied_kv_bytes_by_weights",
        "implied_kv_bytes_by_weights = weight_bytes*read_share/(batch*price_cliff)",
        because="another reading: the price rises where the cache weighs as much as the weights",
    ),
    _state(
        "fair_context",
        "fair_context = price_cliff*(1 + output_surcharge)",
        because="beyond the cliff the cost grows with the context",
    ),
]
