"""The roofline: a step takes the longer of two times, and price, speed and the best batch follow from which it is."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import roofline, vocabulary

_state = partial(
    relate, source="R. Pope with D. Patel, blackboard lecture, April 2026", quantities=vocabulary(roofline)
)

relations = [
    _state(
        "compute_time",
        "compute_time = batch*tokens_per_pass*active_parameters*flops_per_parameter"
        "/(peak_compute*chips*compute_efficiency)",
        because="each token of the step passes once through the active parameters",
    ),
    _state(
        "weight_time",
        "weight_time = total_parameters*bytes_per_parameter/(hbm_bandwidth*chips*bandwidth_efficiency)",
        because="a step reads every weight once, however many tokens it carries",
    ),
    _state(
        "kv_time",
        "kv_time = batch*context*kv_bytes_per_token/(hbm_bandwidth*chips*bandwidth_efficiency)",
        because="attention reads the cache of every token of every sequence",
    ),
    _state("memory_time", "memory_time = weight_time + kv_time", because="one memory serves both"),
    _state(
        "step_time",
        "step_time = max(compute_time, memory_time)",
        because="arithmetic and reading overlap, so the longer one binds",
    ),
    _state(
        "throughput",
        "throughput = batch*tokens_per_pass/step_time",
        because="a step yields its tokens once every step time",
    ),
    _state("user_speed", "user_speed = tokens_per_pass/step_time", because="each sequence advances once a step"),
    _state(
        "cost_per_token",
        "cost_per_token = chip_price*chips*step_time/(batch*tokens_per_pass)",
        because="the step's rent is shared by its tokens",
    ),
    _state("mfu", "mfu = compute_time/step_time", because="arithmetic idles while memory is read"),
    _state(
        "hardware_ratio",
        "hardware_ratio = peak_compute/hbm_bandwidth",
        because="what a chip can compute while it reads one byte",
    ),
    _state(
        "balance_tokens",
        "balance_tokens = hardware_ratio*bytes_per_parameter/flops_per_parameter",
        because="at this many tokens a dense model's weights are used as fast as they are read",
    ),
    _state("sparsity", "sparsity = total_parameters/active_parameters", because="its definition"),
    _state(
        "optimal_batch",
        "optimal_batch*tokens_per_pass = balance_tokens*sparsity*compute_efficiency/bandwidth_efficiency",
        because="compute time equals weight time; only the active parameters compute, all are read",
    ),
    _state(
        "crossover_context",
        "kv_bytes_per_token*crossover_context/(hbm_bandwidth*bandwidth_efficiency)"
        " = tokens_per_pass*flops_per_parameter*active_parameters/(peak_compute*compute_efficiency)",
        because="beyond this context reading the cache takes longer than arithmetic, at any batch",
    ),
]
