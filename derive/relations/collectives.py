"""Exchanges between chips: a chip receives every shard but its own, at the rate at which it can receive."""

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
    training,
    vocabulary,
)

_SUBJECTS = (roofline, counting, architecture, pipeline, training, parallelism, memory_in_training, collectives)

_state = partial(
    relate, source="Austin et al., How to Scale Your Model, 2025, Sharding", quantities=vocabulary(*_SUBJECTS)
)

_define = partial(_state, source="by definition")

_GPUS = "Austin et al., How to Scale Your Model, 2025, GPUs"
_ZERO = "ZeRO, arXiv 1910.02054, section 7"

relations = [
    _define(
        "collective_bandwidth", "collective_bandwidth = network_axes*axis_bandwidth", because="axes work side by side"
    ),
    _define("ring_share", "ring_share = 1 - 1/ring_size", because="a chip has its own shard already"),
    _state(
        "all_gather_time",
        "all_gather_time = collective_bytes*ring_share/collective_bandwidth",
        because="every chip receives all shards but its own",
    ),
    _state(
        "reduce_scatter_time",
        "reduce_scatter_time = collective_bytes*ring_share/collective_bandwidth",
        because="it is a gather run backwards, with sums on the way",
    ),
    _state(
        "all_reduce_time",
        "all_reduce_time = reduce_scatter_time + all_gather_time",
        because="sums are made in shards, then collected",
    ),
    _state(
        "all_to_all_time",
        "all_to_all_time = exchanged_bytes*ring_share/collective_bandwidth",
        because="all but a chip's own part leaves it",
    ),
    _state(
        "ring_all_to_all_time",
        "ring_all_to_all_time = collective_bytes/(4*collective_bandwidth)",
        because="on a ring that runs both ways a part travels a quarter of the way round, on the mean",
    ),
    _state(
        "exchanged_bytes",
        "exchanged_bytes = collective_bytes/ring_size",
        because="each chip holds its part of the array",
    ),
    _state(
        "sparse_all_to_all_time",
        "sparse_all_to_all_time = all_to_all_time*min(1, reached_chips/ring_size)",
        because="what nobody asks for is not sent",
        source=_GPUS,
    ),
    _state("ring_latency", "ring_latency = ring_size*ring_hop_time/2", because="the farthest chip is half a ring away"),
    _state(
        "small_all_gather_time",
        "small_all_gather_time = max(all_gather_time, ring_latency)",
        because="hops and sending overlap, so the longer one binds",
    ),
    _state(
        "delayed_all_reduce_time",
        "delayed_all_reduce_time = all_reduce_time + 2*(ring_size - 1)*ring_hop_time",
        because="shards go once around to be summed and once more to be collected",
        source="Thakur et al., Optimization of Collective Communication Operations in MPICH, 2005",
    ),
    _state(
        "switched_all_reduce_time",
        "switched_all_reduce_time = collective_bytes/collective_bandwidth",
        because="each chip sends its array once and receives the sum once",
        source=_GPUS,
    ),
    _define(
        "algorithm_bandwidth",
        "algorithm_bandwidth = collective_bytes/measured_all_reduce_time",
        because="its definition",
    ),
    _state(
        "bus_bandwidth",
        "bus_bandwidth = 2*ring_share*algorithm_bandwidth",
        because="an all-reduce moves nearly twice the array",
        source="NVIDIA, nccl-tests, PERFORMANCE.md",
    ),
    _define(
        "network_efficiency",
        "network_efficiency = bus_bandwidth/collective_bandwidth",
        because="what is measured is a share of what the links could carry",
    ),
    _state(
        "two_way_gather_time",
        "two_way_gather_time = max(collective_bytes/collective_bandwidth, ring_latency)",
        because="every hop sends two shards, half a ring of them the whole array, and no hop is shorter than its delay",
    ),
    _define(
        "gathered_bytes", "gathered_bytes = gathering_nodes*node_shard_bytes", because="the shards make up the array"
    ),
    _state(
        "node_gather_time",
        "node_gather_time = gathered_bytes*(1 - 1/gathering_nodes)/node_bandwidth",
        because="a node receives every shard but its own, through all its ports",
    ),
    _state(
        "gather_bandwidth",
        "gather_bandwidth = node_bandwidth/(1 - 1/gathering_nodes)",
        because="a node's own shard need not be sent",
        source=_GPUS,
    ),
    _state(
        "hierarchical_gather_time",
        "hierarchical_gather_time = max(all_gather_time, node_gather_time)",
        because="the levels of the network work at once, so the slowest binds",
        source=_GPUS,
    ),
    _define("transfer_time", "transfer_time = transfer_bytes/link_bandwidth", because="a link sends at its rate"),
    _define("message_time", "message_time = message_latency + transfer_time", because="the first byte arrives late"),
    _define(
        "latency_bytes", "latency_bytes = link_bandwidth*message_latency", because="sending takes the latency once more"
    ),
    _define("rack_exits", "rack_exits = trays*tray_ports", because="trays are alike"),
    _define("rack_bandwidth", "rack_bandwidth = rack_exits*port_rate", because="ports work side by side"),
    # In a training step
    _state(
        "gradient_bytes_per_chip",
        "gradient_bytes_per_chip = total_parameters*gradient_bytes_per_parameter/replica_chips",
        because="the chips of a replica share its parameters",
        source=_ZERO,
    ),
    _state(
        "gradient_time",
        "gradient_time = 2*gradient_bytes_per_chip*(1 - 1/data_ways)/collective_bandwidth",
        because="gradients are scattered and gathered over the replicas",
        source=_ZERO,
    ),
    _state(
        "fsdp_time",
        "fsdp_time = total_parameters*(2*bytes_per_parameter + gradient_bytes_per_parameter)/replica_chips"
        "*(1 - 1/data_ways)/collective_bandwidth",
        because="weights are gathered for the forward and for the backward pass, gradients scattered once",
        source=_ZERO,
    ),
    _state(
        "fsdp_traffic_ratio",
        "fsdp_traffic_ratio = (2*bytes_per_parameter + gradient_bytes_per_parameter)/(2*gradient_bytes_per_parameter)",
        because="three passes over the parameters instead of two",
        source=_ZERO,
    ),
    _state(
        "tensor_layer_traffic",
        "tensor_layer_traffic = 2*2*2*micro_tokens*hidden_size*activation_bytes_per_element*vector_per_token"
        "*(1 - 1/tensor_ways)/one_chip",
        because="two sums forward and two backward, and a sum sends nearly twice its array",
        source="Narayanan et al., arXiv 2104.04473, section 3.2",
    ),
    _state(
        "tensor_layer_time",
        "tensor_layer_time = 2*2*micro_tokens*hidden_size*activation_bytes_per_element*vector_per_token"
        "*(1 - 1/tensor_ways)/(collective_bandwidth*one_chip)",
        because="attention and feed-forward layer each end in a sum over the group",
        source="Megatron-LM, arXiv 1909.08053, section 3",
    ),
]
