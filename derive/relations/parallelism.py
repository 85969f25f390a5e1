"""Ways to spread a run over chips, and the sizes at which the network takes as long as the arithmetic it serves.

Each limit sets the bytes of one exchange over the bandwidth against the operations that hide it over the peak; the
parameters of the layer are on both sides and cancel.
"""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import (
    architecture,
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

_SUBJECTS = (roofline, counting, architecture, shapes, pipeline, training, parallelism, memory_in_training, collectives)

_state = partial(
    relate, source="Austin et al., How to Scale Your Model, 2025, Training", quantities=vocabulary(*_SUBJECTS)
)

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
    _state(
        "expert_size_limit",
        "expert_size_limit = 2*activation_bytes_per_element*vector_per_token*network_ratio"
        "/(feedforward_matrices*flops_per_parameter*one_parameter)",
        because="a token goes to its expert and comes back, and passes the expert's matrices in between",
    ),
]
