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

_ZERO = "ZeRO, arXiv 1910.02054, section 7"

relations = [
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
    _state("ring_latency", "ring_latency = ring_size*ring_hop_time/2", because="the farthest chip is half a ring away"),
    _state(
        "small_all_gather_time",
        "small_all_gather_time = max(all_gather_time, ring_latency)",
        because="hops and sending overlap, so the longer one binds",
    ),
    _define(
        "gathered_bytes", "gathered_bytes = gathering_nodes*node_shard_bytes", because="the shards make up the array"
    ),
    _state(
        "node_gather_time",
        "node_gather_time = gathered_bytes*(1 - 1/gathering_nodes)/node_bandwidth",
        because="a node receives every shard but its own, through all its ports",
    ),
    _define("transfer_time", "transfer_time = transfer_bytes/link_bandwidth", because="a link sends at its rate"),
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
        "tensor_layer_time",
        "tensor_layer_time = 2*2*micro_tokens*hidden_size*activation_bytes_per_element*vector_per_token"
        "*(1 - 1/tensor_ways)/(collective_bandwidth*one_chip)",
        because="attention and feed-forward layer each end in a sum over the group",
        source="Megatron-LM, arXiv 1909.08053, section 3",
    ),
]
