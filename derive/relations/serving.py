"""A request's life: prompt in, first token out, then one after another; and what the servers make of many."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import costs, counting, revenue, roofline, schedule, serving, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(costs, counting, revenue, roofline, schedule, serving),
)

relations = [
    # Time
    _state(
        "prefill_compute",
        "prefill_compute = one_sequence*prompt_tokens*flops_per_parameter*active_parameters",
        because="each token of the prompt passes once through the active parameters",
    ),
    _state(
        "prefill_time",
        "prefill_time = prefill_compute/(peak_compute*chips*prefill_efficiency)",
        because="a prompt brings enough tokens to be bound by compute",
    ),
    _state(
        "time_to_first_token",
        "time_to_first_token = first_wait + prefill_time",
        because="the first token follows from the prompt",
        source="by definition",
    ),
    _state(
        "time_per_output_token",
        "time_per_output_token = 1/user_speed",
        because="its definition",
        source="by definition",
    ),
    _state(
        "reading_speed",
        "reading_speed = user_speed*words_per_token",
        because="words come with their tokens",
        source="Agarwal et al., LLM Inference Performance Engineering, Databricks, 2023",
    ),
    _state(
        "generation_time",
        "generation_time = output_tokens*time_per_output_token",
        because="tokens come one after another",
        source="by definition",
    ),
    _state(
        "request_time",
        "request_time = time_to_first_token + generation_time",
        because="first the prompt, then the answer",
        source="Agarwal et al., LLM Inference Performance Engineering, Databricks, 2023",
    ),
    _state(
        "mean_context",
        "mean_context = prompt_tokens + output_tokens/2",
        because="the context grows by a token at each step",
    ),
    _state(
        "prefill_load",
        "prefill_load = server_arrival_rate*prefill_time/one_sequence",
        because="each arrival keeps the server busy for one prefill",
    ),
    _state(
        "queue_time",
        "queue_time = prefill_load*prefill_time/(2*(1 - prefill_load))",
        because="random arrivals at one server of fixed service time",
        source="Zhong et al., DistServe, arXiv 2401.09670, section 3.1",
    ),
    # Rates
    _state(
        "request_rate",
        "request_rate = throughput/output_tokens",
        because="a request is done when its tokens are",
        source="by definition",
    ),
    _state(
        "request_throughput",
        "request_throughput = batch*output_tokens/request_time",
        because="a batch of requests that start and end together",
        source="Sheng et al., FlexGen, arXiv 2303.06865, section 6",
    ),
    _state(
        "chip_prefill_throughput",
        "chip_prefill_throughput = peak_compute*prefill_efficiency/(flops_per_parameter*active_parameters)",
        because="a prompt brings enough tokens to be bound by compute",
    ),
    _state(
        "node_prefill_throughput",
        "node_prefill_throughput = chip_prefill_throughput*chips_per_node/(1 - cache_hit_rate)",
        because="tokens found in a cache are taken without being computed",
        source="DeepSeek-AI, DeepSeek-V3/R1 Inference System Overview, 2025",
    ),
    _state(
        "node_decode_throughput",
        "node_decode_throughput = chip_throughput*chips_per_node",
        because="chips of a machine add up",
        source="by definition",
    ),
    _state(
        "chip_request_rate",
        "chip_request_rate = request_rate/chips",
        because="the chips share the requests evenly",
        source="by definition",
    ),
    _state(
        "evicted_tokens",
        "evicted_tokens = batch*tokens_per_pass*(prompt_tokens + output_tokens)/output_tokens",
        because="of all sequences, one in so many steps is done and takes its cache along",
        source="Austin et al., How to Scale Your Model, 2025, Serving LLaMA 3-70B",
    ),
    _state(
        "compute_bound_prompt",
        "compute_bound_prompt = balance_tokens*sparsity*compute_efficiency/(bandwidth_efficiency*one_sequence)",
        because="at this many tokens computing takes as long as reading the weights",
    ),
    # Prefill and decode apart
    _state(
        "prefill_per_decode",
        "prefill_per_decode = request_rate*prefill_time/one_sequence",
        because="prompts are to come as fast as requests are completed",
        source="Austin et al., How to Scale Your Model, 2025, Serving LLaMA 3-70B",
    ),
    _state(
        "handover_bytes",
        "handover_bytes = prompt_tokens*kv_bytes_per_token",
        because="the cache of the prompt moves along",
        source="Zhong et al., DistServe, arXiv 2401.09670, section 3.3",
    ),
    _state(
        "handover_time",
        "handover_time = one_sequence*handover_bytes/handover_bandwidth",
        because="its bytes over the wire",
        source="by definition",
    ),
    _state(
        "handover_traffic",
        "handover_traffic = arrival_rate*handover_bytes",
        because="every request is handed over once",
        source="Zhong et al., DistServe, arXiv 2401.09670, section 3.3",
    ),
    _state("prefill_rate", "prefill_rate = one_sequence/prefill_time", because="one prompt follows the other"),
    _state(
        "pool_request_rate",
        "pool_request_rate = min(prefill_servers*prefill_rate, decode_servers*request_rate)",
        because="a request needs both, so the scarcer one binds",
        source="Zhong et al., DistServe, arXiv 2401.09670, section 2",
    ),
    _state(
        "chip_goodput",
        "chip_goodput = pool_request_rate/pool_chips",
        because="its definition",
        source="Zhong et al., DistServe, arXiv 2401.09670, section 2",
    ),
    _state(
        "prefill_nodes",
        "prefill_nodes = input_demand/node_prefill_throughput",
        because="each machine takes its throughput",
        source="DeepSeek-AI, DeepSeek-V3/R1 Inference System Overview, 2025",
    ),
    _state(
        "decode_nodes",
        "decode_nodes = fleet_demand/node_decode_throughput",
        because="each machine yields its throughput",
        source="DeepSeek-AI, DeepSeek-V3/R1 Inference System Overview, 2025",
    ),
    # What a request costs
    _state(
        "prefill_cost",
        "prefill_cost = chip_price/chip_prefill_throughput",
        because="the rent of a chip is shared by the input tokens that it computes",
    ),
    _state(
        "request_cost",
        "request_cost = prompt_tokens*prefill_cost + output_tokens*cost_per_token",
        because="every token pays for the time that it takes",
    ),
]
