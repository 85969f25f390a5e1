"""Where the money of a token goes: arithmetic, weights, cache, and the floor under all batches."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import costs, counting, roofline, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(costs, counting, roofline),
)

relations = [
    # The price of a resource
    _state(
        "flop_price",
        "flop_price = chip_price/(peak_compute*compute_efficiency)",
        because="the rent of a second buys its operations",
    ),
    _state("flops_per_dollar", "flops_per_dollar = 1/flop_price", because="its definition", source="by definition"),
    # The terms of a token
    _state(
        "compute_cost",
        "compute_cost = flops_per_parameter*active_parameters*chip_price/(peak_compute*compute_efficiency)",
        because="each token computes for itself, so the batch does not matter",
    ),
    _state(
        "weight_cost",
        "weight_cost = weight_bytes*read_share*chip_price/(hbm_bandwidth*bandwidth_efficiency*batch*tokens_per_pass)",
        because="one reading of the weights serves the whole batch",
    ),
    _state(
        "kv_cost",
        "kv_cost = kv_bytes_per_sequence*kv_read_share*chip_price/(hbm_bandwidth*bandwidth_efficiency*tokens_per_pass)",
        because="each sequence reads its own cache, so the batch does not matter",
    ),
    _state("memory_cost", "memory_cost = weight_cost + kv_cost", because="one memory serves both"),
    _state(
        "cost_floor",
        "cost_floor = max(compute_cost, kv_cost)",
        because="in an unlimited batch the weights cost nothing",
    ),
    _state(
        "lone_cost",
        "lone_cost = max(compute_cost, weight_cost*batch/one_sequence + kv_cost)",
        because="a sequence alone pays for all the weights that the step reads",
    ),
    _state("batching_gain", "batching_gain = lone_cost/cost_per_token", because="its definition"),
    # Other ways to quote it
    _state(
        "chip_time_per_token",
        "chip_time_per_token = chips*step_time/(batch*tokens_per_pass)",
        because="the chips' time is shared by the tokens of the step",
        source="Pope et al., arXiv 2211.05102, figure 1",
    ),
    _state(
        "tokens_per_dollar", "tokens_per_dollar = 1/cost_per_token", because="its definition", source="by definition"
    ),
]
