"""How a training run is spread over chips, and the sizes below which the network binds."""

from quantities.quantity import Quantity

tensor_ways = Quantity("tensor_ways", "", "chips that split each matrix between them", default=1.0, latex="t")
context_ways = Quantity("context_ways", "", "chips that split each sequence between them", default=1.0, latex="c")
data_ways = Quantity("data_ways", "", "replicas of the model that train on different sequences", latex="n_d")
replica_chips = Quantity("replica_chips", "chip", "chips that hold one copy of the model")
micro_batch = Quantity("micro_batch", "sequence", "sequences that pass through a stage at once", latex="b")
replica_batch = Quantity("replica_batch", "sequence", "sequences of a step for each replica")
micro_tokens = Quantity("micro_tokens", "token", "tokens that pass through a stage at once")
scaling_efficiency = Quantity(
    "scaling_efficiency", "", "speed-up over the growth of the cluster that brought it", domain="nonnegative"
)
small_cluster = Quantity("small_cluster", "chip", "chips of the cluster that is compared with")
small_cluster_throughput = Quantity("small_cluster_throughput", "token/s", "tokens which that cluster trains on")

# Sizes below which the network takes longer than arithmetic
network_ratio = Quantity(
    "network_ratio", "FLOP/byte", "operations that a chip does while it sends one byte", latex=r"F/W_n"
)
data_parallel_tokens = Quantity(
    "data_parallel_tokens",
    "token/chip",
    "least tokens for each chip at which summing gradients hides behind the backward pass",
)
fsdp_tokens = Quantity(
    "fsdp_tokens", "token/chip", "least tokens for each chip at which gathering sharded weights hides behind arithmetic"
)
mixture_data_parallel_tokens = Quantity(
    "mixture_data_parallel_tokens", "token/chip", "the same as data_parallel_tokens for a model with experts"
)
tensor_limit = Quantity(
    "tensor_limit", "", "most chips that can split the matrices before the network takes longer", latex=r"t_{\max}"
)
fsdp_ways = Quantity("fsdp_ways", "", "best number of chips along the sharded batch, beside tensor parallelism")
axes_ratio = Quantity(
    "axes_ratio", "", "network axes for the sharded batch over those for tensor parallelism", default=1.0
)
mixed_tokens = Quantity(
    "mixed_tokens", "token/chip", "least tokens for each chip where sharded batch and split matrices are combined"
)
fsdp_axes = Quantity("fsdp_axes", "", "network axes for the sharded batch", default=1.0)
tensor_axes = Quantity("tensor_axes", "", "network axes for tensor parallelism", default=1.0)
expert_size_limit = Quantity(
    "expert_size_limit", "", "least inner size of an expert whose arithmetic hides the sending of its tokens"
)
