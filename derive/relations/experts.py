"""Sparse models: what experts save, what a step reads of them, and what sending tokens to them takes."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import architecture, counting, experts, network, roofline, shapes, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(architecture, counting, experts, network, roofline, shapes),
)

relations = [
    # What sparsity gives back
    _state(
        "dense_equivalent",
        "dense_equivalent = active_parameters*experts**return_exponent",
        because="quality grows as a small power of the number of experts",
        source="Clark et al., arXiv 2202.01169; the lecture reads 64 experts with 370 M active as 1.3 B dense",
    ),
    _state(
        "compute_return",
        "compute_return = dense_equivalent/active_parameters",
        because="its definition",
        source="by definition",
    ),
    _state(
        "parameters_per_saved",
        "parameters_per_saved = (total_parameters - dense_equivalent)/(dense_equivalent - active_parameters)",
        because="what is stored more, over what is computed less",
    ),
    # What a step reads
    _state(
        "expert_read_share",
        "expert_read_share = 1 - (1 - active_experts/experts)**(batch*tokens_per_pass/one_token)",
        because="an expert is left in memory if no token of the step chose it; choices are even and independent",
    ),
    _state(
        "experts_read", "experts_read = experts*expert_read_share", because="its definition", source="by definition"
    ),
    _state(
        "routed_parameters",
        "routed_parameters = expert_parameters*experts*expert_layers",
        because="every layer of experts stores all of them",
        source="by definition",
    ),
    _state(
        "read_share",
        "read_share = 1 - routed_parameters/total_parameters*(1 - expert_read_share)",
        because="all that is no expert is read always",
    ),
    _state(
        "active_weight_time",
        "active_weight_time = active_parameters*bytes_per_parameter/(hbm_bandwidth*chips*bandwidth_efficiency)",
        because="a token alone reads the experts that it is sent to and no others",
        source="DeepSeek-AI, arXiv 2505.09343, section 2.2.2",
    ),
    _state(
        "single_user_speed",
        "single_user_speed = tokens_per_pass/active_weight_time",
        because="each step yields its tokens",
        source="DeepSeek-AI, arXiv 2505.09343, section 2.2.2",
    ),
    _state(
        "tokens_per_expert",
        "tokens_per_expert = batch*tokens_per_pass*active_experts/experts",
        because="tokens spread evenly over the experts",
    ),
    _state(
        "expert_balance_tokens",
        "expert_balance_tokens = balance_tokens*expert_sparsity",
        because="each expert sees only its part of the tokens",
    ),
    # Where the experts are
    _state(
        "experts_per_chip",
        "experts_per_chip = (experts + redundant_experts)/chips",
        because="experts spread evenly over the chips",
    ),
    _state(
        "remote_share",
        "remote_share = 1 - one_chip/chips",
        because="one chip in all of them is where the token already is",
    ),
    _state(
        "racks",
        "racks = chips/scale_up_domain",
        because="chips fill one scale-up domain after another",
        when=["chips >= scale_up_domain"],
    ),
    _state(
        "crossing_share",
        "crossing_share = 1 - 1/racks",
        because="one rack in all of them is where the token already is",
    ),
    _state(
        "token_crossing_share",
        "token_crossing_share = 1 - (1/racks)**active_experts",
        because="a token stays if all its experts are where it is",
    ),
    # What is sent
    _state(
        "step_tokens_per_chip",
        "step_tokens_per_chip = batch*tokens_per_pass/chips",
        because="tokens spread evenly over the chips",
    ),
    _state(
        "sends_per_token",
        "sends_per_token = vector_per_token*active_experts",
        because="a token goes to each of its routed experts",
    ),
    _state(
        "exchange_bytes_per_token",
        "exchange_bytes_per_token = sends_per_token*hidden_size*(dispatch_bytes_per_element"
        " + combine_bytes_per_element)",
        because="a vector goes out and its result comes back",
        source="DeepSeek-AI, arXiv 2505.09343, section 2.3.2",
    ),
    _state(
        "exchange_time",
        "exchange_time = step_tokens_per_chip*exchange_bytes_per_token*remote_share/scale_up_bandwidth",
        because="each chip sends for its own tokens",
        when=["chips <= scale_up_domain"],
    ),
    _state(
        "crossing_time",
        "crossing_time = step_tokens_per_chip*exchange_bytes_per_token*crossing_share/scale_out_bandwidth",
        because="what leaves the rack takes the slower network",
    ),
    _state(
        "exchanges",
        "exchanges = expert_layers*overlapped_batches",
        because="every layer of experts dispatches and combines each micro-batch once",
    ),
    _state(
        "communication_time",
        "communication_time = exchanges*exchange_time",
        because="the layers of a step follow one another",
        source="DeepSeek-AI, arXiv 2505.09343, section 2.3.2",
    ),
]
