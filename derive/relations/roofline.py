"""The roofline: a step takes the longer of two times, and price, speed and the best batch follow from which it is."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import roofline, vocabulary

_state = partial(
    relate, source="R. Pope with D. Patel, blackboard lecture, April 2026", quantities=vocabulary(roofline)
)

relations = [
    # A step and its times
    _state(
        "step_time",
        "step_time = max(compute_time, memory_time, network_time)",
        because="arithmetic, reading and communication overlap, so the longest binds",
    ),
    _state(
        "compute_time",
        "compute_time = batch*tokens_per_pass*active_parameters*flops_per_parameter"
        "/(peak_compute*chips*compute_efficiency)",
        because="each token of the step passes once through the active parameters",
    ),
    _state(
        "kv_bytes_per_sequence",
        "kv_bytes_per_sequence = context*kv_bytes_per_token",
        because="every token of the context keeps its cache",
    ),
    _state(
        "kv_bytes",
        "kv_bytes = batch*kv_bytes_per_sequence",
        because="every sequence of the batch has a cache of its own",
    ),
    _state(
        "kv_time",
        "kv_time = kv_bytes*kv_read_share/(hbm_bandwidth*chips*bandwidth_efficiency)",
        because="attention reads the cache of every token of every sequence",
    ),
    _state(
        "weight_bytes",
        "weight_bytes = total_parameters*bytes_per_parameter",
        because="every parameter is stored once",
        source="by definition",
    ),
    _state(
        "weight_time",
        "weight_time = weight_bytes*read_share/(hbm_bandwidth*chips*bandwidth_efficiency)",
        because="a step reads every weight once, however many tokens it carries",
    ),
    _state("memory_time", "memory_time = weight_time + kv_time", because="one memory serves both"),
    _state(
        "sequential_step_time",
        "sequential_step_time = kv_time + max(compute_time, weight_time)",
        because="where attention and the matrices take turns, only the matrices hide their reading behind arithmetic",
        source="Austin et al., How to Scale Your Model, 2025, Inference",
    ),
    # What a step yields
    _state(
        "throughput",
        "throughput = batch*tokens_per_pass/step_time",
        because="a step yields its tokens once every step time",
    ),
    _state(
        "compute_throughput",
        "compute_throughput = batch*tokens_per_pass/compute_time",
        because="a step yields its tokens once every compute time",
    ),
    _state(
        "memory_throughput",
        "memory_throughput = batch*tokens_per_pass/memory_time",
        because="a step yields its tokens once every memory time",
    ),
    _state("user_speed", "user_speed = tokens_per_pass/step_time", because="each sequence advances once a step"),
    _state("fleet_rent", "fleet_rent = chip_price*chips", because="every chip is paid for", source="by definition"),
    _state(
        "cost_per_token",
        "cost_per_token = fleet_rent/throughput",
        because="the rent of the chips is shared by their tokens",
    ),
    _state(
        "chip_throughput",
        "chip_throughput = throughput/chips",
        because="the chips share the tokens evenly",
        source="by definition",
    ),
    _state("step_rate", "step_rate = 1/step_time", because="steps follow one another", source="by definition"),
    _state(
        "fastest_speed",
        "fastest_speed = tokens_per_pass/weight_time",
        because="no step is shorter than the reading of its weights",
    ),
    # How well it uses the chip
    _state("mfu", "mfu = compute_time/step_time", because="arithmetic idles while memory is read"),
    _state(
        "bytes_read", "bytes_read = weight_bytes*read_share + kv_bytes*kv_read_share", because="one memory serves both"
    ),
    _state(
        "achieved_bandwidth",
        "achieved_bandwidth = bytes_read/step_time",
        because="its definition",
        source="Agarwal et al., LLM Inference Performance Engineering, Databricks, 2023",
    ),
    _state(
        "served_compute",
        "served_compute = chip_throughput*flops_per_parameter*active_parameters",
        because="each token passes once through the active parameters",
        source="Chowdhery et al., PaLM, arXiv 2204.02311, section 4.1",
    ),
    _state(
        "serving_mfu",
        "serving_mfu = served_compute/peak_compute",
        because="its definition",
        source="Chowdhery et al., PaLM, arXiv 2204.02311, section 4.1",
    ),
    _state(
        "mbu",
        "mbu = bytes_read/(step_time*hbm_bandwidth*chips)",
        because="what was read over what could have been read in the time",
        source="Agarwal et al., LLM Inference Performance Engineering, Databricks, 2023",
    ),
    _state(
        "pass_compute",
        "pass_compute = batch*tokens_per_pass*active_parameters*flops_per_parameter",
        because="each token of the step passes once through the active parameters",
    ),
    _state(
        "arithmetic_intensity",
        "arithmetic_intensity = pass_compute/bytes_read",
        because="its definition",
        source="Williams, Waterman and Patterson, Roofline, 2009",
    ),
    _state(
        "memory_to_compute",
        "memory_to_compute = memory_time/compute_time",
        because="its definition",
        source="by definition",
    ),
    # Balance
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
    _state("active_share", "active_share = 1/sparsity", because="sparsity is also quoted upside down"),
    _state(
        "optimal_batch",
        "optimal_batch = balance_tokens*sparsity*compute_efficiency/(bandwidth_efficiency*tokens_per_pass)",
        because="compute time equals weight time; only the active parameters compute, all are read",
    ),
    _state(
        "crossover_context",
        "crossover_context = tokens_per_pass*flops_per_parameter*active_parameters*hbm_bandwidth"
        "*bandwidth_efficiency/(peak_compute*compute_efficiency)/kv_bytes_per_token",
        because="beyond this context reading the cache takes longer than arithmetic, at any batch",
    ),
    _state("scaled_batch", "scaled_batch = batch/optimal_batch", because="its definition"),
    _state("scaled_context", "scaled_context = context/crossover_context", because="its definition"),
    _state(
        "kv_optimal_batch",
        "kv_optimal_batch = optimal_batch/(1 - scaled_context)",
        because="the cache takes its share of the time that the weights had",
        when=["scaled_context < 1"],
    ),
    _state(
        "scaled_memory_time",
        "scaled_memory_time = 1/scaled_batch + scaled_context",
        because="in units of the compute time the weights take B*/B and the cache L/L*",
    ),
    _state(
        "scaled_step_time", "scaled_step_time = max(1, scaled_memory_time)", because="the longer of the two times binds"
    ),
]
