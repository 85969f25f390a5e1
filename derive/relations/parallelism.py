"""Ways to spread a run over chips, and the sizes at which the network takes as long as the arithmetic it serves.

Each limit sets the bytes of one exchange over the bandwidth against the operations that hide it over the peak; the
parameters of the layer are on both sides and cancel.
"""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import (
    architecture,
    attention,
    collectives,
    counting,
    memory_in_training,
    parallelism,
    pipeline,
    roofline,
    shapes,
    training,
    vocabulary,
)

_SUBJECTS = (
    roofline,
    counting,
    architecture,
    attention,
    shapes,
    pipeline,
    training,
    parallelism,
    memory_in_training,
    collectives,
)

_state = partial(
    relate, source="Austin et al., How to Scale Your Model, 2025, Training", quantities=vocabulary(*_SUBJECTS)
)

_DUALPIPE = "DeepSeek-V3, arXiv 2412.19437, table 2"

_define = partial(_state, source="by definition")

relations = [
    # Chips and batches
    _define(
        "replica_chips",
        "replica_chips = tensor_ways*context_ways*stages*one_chip",
        because="the ways to split one model multiply",
    ),
    _define("training_chips", "training_chips = data_ways*replica_chips", because="every replica has chips of its own"),
    _define(
        "replica_batch",
        "replica_batch = micro_batch*micro_batches",
        because="a replica takes one micro-batch after the other",
    ),
    _define("global_batch", "global_batch = data_ways*replica_batch", because="the replicas train side by side"),
    _define(
        "micro_tokens", "micro_tokens = micro_batch*sequence_length", because="sequences are filled to their length"
    ),
    _define(
        "scaling_efficiency",
        "scaling_efficiency = (training_throughput/training_chips)/(small_cluster_throughput/small_cluster)",
        because="perfect scaling leaves each chip its rate",
    ),
    _define(
        "strong_scaling_efficiency",
        "strong_scaling_efficiency = small_cluster_time*small_cluster/(training_time*training_chips)",
        because="perfect scaling leaves the chip-hours of a run as they are",
    ),
    # The beat of a pipeline
    _define(
        "micro_batch_time",
        "micro_batch_time = forward_pass_time + backward_pass_time",
        because="a micro-batch goes forward and backward",
    ),
    _state(
        "zero_bubble_time",
        "zero_bubble_time = (stages - 1)*(forward_pass_time + backward_pass_time - 2*weight_gradient_time)",
        because="gradients of the weights can wait, and fill the bubble",
        source=_DUALPIPE,
    ),
    _state(
        "dualpipe_bubble_time",
        "dualpipe_bubble_time = (stages/2 - 1)*(paired_pass_time + backward_pass_time - 3*weight_gradient_time)",
        because="micro-batches enter from both ends, and a forward pass overlaps a backward one",
        source=_DUALPIPE,
    ),
    _state(
        "bubble_time",
        "bubble_time = (stages - 1)*micro_batch_time/interleaving",
        because="a stage waits while the others fill and drain; smaller pieces fill sooner",
        source="Narayanan et al., arXiv 2104.04473, section 2.2",
    ),
    _define(
        "pipeline_step_time",
        "pipeline_step_time = micro_batches*micro_batch_time + bubble_time",
        because="a stage either works on a micro-batch or waits",
    ),
    _define(
        "stage_transfer_time",
        "stage_transfer_time = micro_tokens*boundary_bytes_per_token/(collective_bandwidth*one_chip)",
        because="one vector for each token crosses the boundary",
    ),
    # Limits
    _define(
        "network_ratio",
        "network_ratio = peak_compute/collective_bandwidth",
        because="what a chip can compute while it sends one byte",
    ),
    _state(
        "data_parallel_tokens",
        "data_parallel_tokens = network_ratio*2*gradient_bytes_per_parameter"
        "/(backward_flops_per_parameter*replica_chips)",
        because="a sum over replicas sends each gradient twice, and the backward pass hides it",
    ),
    _state(
        "fsdp_tokens",
        "fsdp_tokens = network_ratio*bytes_per_parameter/(flops_per_parameter*replica_chips)",
        because="each weight is sent once for a forward pass that uses it once for every token",
    ),
    _state(
        "few_replica_tokens",
        "few_replica_tokens = data_parallel_tokens*(1 - 1/data_ways)",
        because="a replica has a share of the sums already",
        source="Austin et al., How to Scale Your Model, 2025, GPUs",
    ),
    _state(
        "least_replica_tokens",
        "least_replica_tokens = data_parallel_tokens*replica_chips",
        because="the chips of a replica share its tokens",
    ),
    _state(
        "fsdp_chip_limit",
        "fsdp_chip_limit = batch_tokens/fsdp_tokens",
        because="beyond it each chip has too few tokens to hide the gathering",
    ),
    _state(
        "mixture_data_parallel_tokens",
        "mixture_data_parallel_tokens = data_parallel_tokens*sparsity",
        because="all parameters have gradients, the active ones alone compute",
    ),
    _state(
        "tensor_limit",
        "tensor_limit = feedforward_matrices*flops_per_parameter*one_parameter*feedforward_size"
        "/(2*activation_bytes_per_element*vector_per_token*network_ratio)",
        because="a layer's activations are gathered and scattered once, whatever the number of chips",
    ),
    _define("axes_ratio", "axes_ratio = fsdp_axes/tensor_axes", because="its definition"),
    _state(
        "fsdp_ways",
        "fsdp_ways = sqrt(axes_ratio*batch_tokens*training_chips/(feedforward_size*one_token*one_chip))",
        because="sending weights and sending activations take the least time together where they take equally long",
    ),
    _state(
        "mixed_tokens",
        "mixed_tokens = fsdp_tokens**2*one_chip/(fsdp_axes*tensor_axes*feedforward_size*one_token)",
        because="at the best split both exchanges shrink with the root of the chips",
    ),
    _define(
        "context_block", "context_block = sequence_length/context_ways", because="the chips share a sequence evenly"
    ),
    _state(
        "ring_attention_block",
        "ring_attention_block = network_ratio*2*activation_bytes_per_element*vector_per_token/(2*flops_per_pair)",
        because="keys and values of a block travel while scores and sums of the one before are computed",
        source="Liu et al., Ring Attention, arXiv 2310.01889, section 3",
    ),
    _state(
        "expert_capacity",
        "expert_capacity = capacity_factor*micro_tokens*active_experts/experts",
        because="an expert has room for somewhat more than its mean share",
        source="Switch Transformers, arXiv 2101.03961, section 2.2",
    ),
    _state(
        "expert_size_limit",
        "expert_size_limit = 2*activation_bytes_per_element*vector_per_token*network_ratio"
        "/(feedforward_matrices*flops_per_parameter*one_parameter)",
        because="a token goes to its expert and comes back, and passes the expert's matrices in between",
    ),
]
