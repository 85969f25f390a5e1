"""How a training run is spread over chips, and the sizes below which the network binds."""

from quantities.declaration import Declaration
from quantities.value import otherwise

tensor_ways = Declaration(
    "tensor_ways",
    "",
    "chips that split each matrix between them: tensor parallelism",
    default=1.0,
    latex="t",
    aliases=["tensor-model-parallel-size", "tensor_parallel_size", "tp-size", "TP"],
)
context_ways = Declaration(
    "context_ways",
    "",
    "chips that split each sequence between them: context parallelism",
    default=1.0,
    latex="c",
    aliases=["context-parallel-size"],
)
data_ways = Declaration(
    "data_ways",
    "",
    "replicas of the model that train on different sequences: data parallelism",
    latex="n_d",
    aliases=["data-parallel-size", "DP"],
)
replica_chips = Declaration("replica_chips", "chip", "chips that hold one copy of the model", latex="n_{rc}")
micro_batch = Declaration(
    "micro_batch",
    "sequence",
    "sequences that pass through a stage at once",
    latex="b",
    aliases=["micro-batch-size", "train_micro_batch_size_per_gpu", "per_device_train_batch_size"],
)
replica_batch = Declaration("replica_batch", "sequence", "sequences of a step for each replica")
micro_tokens = Declaration("micro_tokens", "token", "tokens that pass through a stage at once", latex="s_b")
scaling_efficiency = Declaration(
    "scaling_efficiency", "", "speed-up over the growth of the cluster that brought it", domain="nonnegative"
)
small_cluster = Declaration("small_cluster", "chip", "chips of the cluster that is compared with")
small_cluster_throughput = Declaration(
    "small_cluster_throughput", "token/s", "tokens that the compared cluster trains on each second"
)
small_cluster_time = Declaration("small_cluster_time", "day", "computing time of the same run on the compared cluster")
strong_scaling_efficiency = Declaration(
    "strong_scaling_efficiency",
    "",
    "chip-hours of the compared cluster over those of the larger one, for the same run",
    domain="nonnegative",
)

# The beat of a pipeline
forward_pass_time = Declaration("forward_pass_time", "s", "time of one micro-batch in a stage, forward")
backward_pass_time = Declaration("backward_pass_time", "s", "time of one micro-batch in a stage, backward")
weight_gradient_time = Declaration(
    "weight_gradient_time", "s", "part of a backward pass in a stage that makes the gradients of the weights"
)
paired_pass_time = Declaration(
    "paired_pass_time", "s", "time of a forward and a backward pass in a stage that overlap each other"
)
micro_batch_time = Declaration("micro_batch_time", "s", "time of one micro-batch in a stage, forward and backward")
zero_bubble_time = Declaration(
    "zero_bubble_time",
    "s",
    "time that a stage waits in a step with the zero-bubble schedule ZB1P",
    domain="nonnegative",
)
dualpipe_bubble_time = Declaration(
    "dualpipe_bubble_time", "s", "time that a stage waits in a step with DualPipe", domain="nonnegative"
)
bubble_time = Declaration(
    "bubble_time",
    "s",
    "time that a stage waits in a step while the pipeline fills and drains",
    domain="nonnegative",
    aliases=["pipeline bubble"],
)
pipeline_step_time = Declaration(
    "pipeline_step_time", "s", "time of a pipelined step: its micro-batches and the bubble"
)
stage_transfer_time = Declaration("stage_transfer_time", "s", "time to hand one micro-batch to the next stage")

# Sizes below which the network takes longer than arithmetic
network_ratio = Declaration(
    "network_ratio", "FLOP/byte", "operations that a chip does while it sends one byte", latex=r"F/W_n"
)
data_parallel_tokens = Declaration(
    "data_parallel_tokens",
    "token/chip",
    "least tokens for each chip at which summing gradients hides behind the backward pass",
    latex="T_{dp}",
)
few_replica_tokens = Declaration(
    "few_replica_tokens", "token/chip", "data_parallel_tokens where replicas are so few that their number counts"
)
least_replica_tokens = Declaration(
    "least_replica_tokens", "token", "least tokens for each replica, or pod, at which summing gradients hides"
)
fsdp_chip_limit = Declaration(
    "fsdp_chip_limit", "chip", "most chips among which FSDP can spread a batch before the network takes longer"
)
fsdp_tokens = Declaration(
    "fsdp_tokens",
    "token/chip",
    "least tokens for each chip at which gathering sharded weights (FSDP) hides behind arithmetic",
)
mixture_data_parallel_tokens = Declaration(
    "mixture_data_parallel_tokens",
    "token/chip",
    "least tokens for each chip at which summing gradients hides, in a model with experts",
)
tensor_limit = Declaration(
    "tensor_limit", "", "most chips that can split the matrices before the network takes longer", latex=r"t_{\max}"
)
fsdp_ways = Declaration("fsdp_ways", "", "best number of chips along the sharded batch, beside tensor parallelism")
axes_ratio = Declaration(
    "axes_ratio",
    "",
    "network axes for the sharded batch over those for tensor parallelism",
    default=otherwise("1"),
)
mixed_tokens = Declaration(
    "mixed_tokens", "token/chip", "least tokens for each chip where sharded batch and split matrices are combined"
)
fsdp_axes = Declaration("fsdp_axes", "", "network axes for the sharded batch", default=1.0)
tensor_axes = Declaration("tensor_axes", "", "network axes for tensor parallelism", default=1.0)
context_block = Declaration(
    "context_block", "token/sequence", "tokens of a sequence that one chip holds with context parallelism"
)
ring_attention_block = Declaration(
    "ring_attention_block",
    "token/sequence",
    "least tokens of a sequence for each chip at which sending keys and values around a ring hides",
)
capacity_factor = Declaration(
    "capacity_factor",
    "",
    "room of an expert over the tokens that it receives on the mean",
    default=1.0,
    aliases=["moe-expert-capacity-factor"],
)
expert_capacity = Declaration(
    "expert_capacity", "token", "tokens of a micro-batch for which one expert has room; what comes on top is dropped"
)
expert_size_limit = Declaration(
    "expert_size_limit",
    "",
    "least inner size of an expert whose arithmetic hides the sending of its tokens",
    latex=r"d_{e\min}",
)
