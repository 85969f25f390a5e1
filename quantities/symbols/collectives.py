"""Times of the exchanges between chips, as a ring or a switch allows them."""

from quantities.declaration import Declaration

collective_bandwidth = Declaration(
    "collective_bandwidth",
    "byte/s/chip",
    "bytes that a chip sends each second over all links the exchange uses, one direction counted",
    latex="W_n",
)
axis_bandwidth = Declaration(
    "axis_bandwidth",
    "byte/s/chip",
    "bytes that a chip sends each second along one axis of the network, to both neighbours together",
)
network_axes = Declaration("network_axes", "", "axes of the network that the exchange uses at once")
collective_bytes = Declaration(
    "collective_bytes", "byte/chip", "the whole array: what each chip ends with, or begins with", latex="V"
)
ring_size = Declaration("ring_size", "", "chips that take part in an exchange", latex="n_r")
ring_share = Declaration(
    "ring_share", "", "share of the array that has to move: all but a chip's own", domain="0..1", latex="f_r"
)
all_gather_time = Declaration(
    "all_gather_time", "s", "time of an all-gather: every chip collects the shards of all", latex=r"t_{ag}"
)
reduce_scatter_time = Declaration(
    "reduce_scatter_time", "s", "time of a reduce-scatter: arrays are summed, each chip keeps a shard", latex=r"t_{rs}"
)
all_reduce_time = Declaration(
    "all_reduce_time", "s", "time of an all-reduce: arrays are summed, every chip keeps the whole", latex=r"t_{ar}"
)
all_to_all_time = Declaration(
    "all_to_all_time",
    "s",
    "time of an all-to-all: every chip sends a different part to each, through a switch",
    latex=r"t_{aa}",
)
ring_all_to_all_time = Declaration(
    "ring_all_to_all_time", "s", "time of an all-to-all around a ring that runs both ways"
)
exchanged_bytes = Declaration("exchanged_bytes", "byte/chip", "what each chip holds before an all-to-all", latex="V_x")
ring_hop_time = Declaration("ring_hop_time", "s", "delay of one hop around a ring")
ring_latency = Declaration("ring_latency", "s", "delay to the far side of a ring that runs both ways", latex=r"t_0")
two_way_gather_time = Declaration(
    "two_way_gather_time",
    "s",
    "time of an all-gather around a ring that runs both ways, in whole hops: the whole array, or its delay",
)
small_all_gather_time = Declaration(
    "small_all_gather_time", "s", "time of an all-gather, however small: its sending or the delay of its hops"
)
reached_chips = Declaration("reached_chips", "", "chips that each chip has something for, at most, in an all-to-all")
sparse_all_to_all_time = Declaration(
    "sparse_all_to_all_time", "s", "time of an all-to-all in which each chip has something for a few others only"
)
delayed_all_reduce_time = Declaration(
    "delayed_all_reduce_time", "s", "time of an all-reduce around a one-way ring, the delay of its hops added"
)
switched_all_reduce_time = Declaration(
    "switched_all_reduce_time", "s", "time of an all-reduce whose sums are made in the switches"
)
measured_all_reduce_time = Declaration("measured_all_reduce_time", "s", "time that an all-reduce was measured to take")
network_efficiency = Declaration(
    "network_efficiency", "", "bandwidth measured in an all-reduce over that of the links", domain="0..1"
)
algorithm_bandwidth = Declaration(
    "algorithm_bandwidth",
    "byte/s/chip",
    "algbw: bytes of an array over the measured time of its all-reduce",
    aliases=["algbw"],
)
bus_bandwidth = Declaration(
    "bus_bandwidth",
    "byte/s/chip",
    "busbw: bytes that a chip sends each second in an all-reduce, as it was measured",
    aliases=["busbw"],
)
node_bandwidth = Declaration("node_bandwidth", "byte/s", "bytes that a node, or one chip, sends each second")
node_shard_bytes = Declaration("node_shard_bytes", "byte", "what a node has of the array before an all-gather")
gathered_bytes = Declaration("gathered_bytes", "byte", "the whole array that a node collects")
node_gather_time = Declaration(
    "node_gather_time", "s", "time of an all-gather among nodes: each collects the shards of all"
)
gathering_nodes = Declaration("gathering_nodes", "", "nodes, or single chips, that take part in an all-gather")
gather_bandwidth = Declaration(
    "gather_bandwidth", "byte/s", "bytes of an array over the time of its all-gather among nodes"
)
hierarchical_gather_time = Declaration(
    "hierarchical_gather_time", "s", "time of an all-gather inside and among nodes at once"
)
transfer_bytes = Declaration("transfer_bytes", "byte", "bytes that cross one link")
link_bandwidth = Declaration("link_bandwidth", "byte/s", "bytes that one link carries each second, one direction")
transfer_time = Declaration("transfer_time", "s", "time to send bytes over one link")
message_latency = Declaration(
    "message_latency", "s", "delay of a message, however short, on one link", domain="nonnegative"
)
message_time = Declaration("message_time", "s", "time of a message: its latency and its sending")
latency_bytes = Declaration("latency_bytes", "byte", "size of a message whose sending takes as long as its latency")
rack_exits = Declaration("rack_exits", "", "network ports of a rack: trays times ports of a tray")
trays = Declaration("trays", "", "compute trays of a rack")
tray_ports = Declaration("tray_ports", "", "network ports of a tray")
port_rate = Declaration("port_rate", "bit/s", "line rate of one port, one direction", aliases=["port speed"])
rack_bandwidth = Declaration("rack_bandwidth", "byte/s", "bytes that a rack sends each second")

# The exchanges of a training step
gradient_bytes_per_chip = Declaration(
    "gradient_bytes_per_chip", "byte/chip", "gradients of the weights that a chip holds", latex="V_g"
)
gradient_time = Declaration(
    "gradient_time", "s", "time to sum gradients over all replicas: their all-reduce", latex="t_g"
)
fsdp_time = Declaration(
    "fsdp_time", "s", "network time of a step with FSDP: sharded weights gathered twice, gradients scattered once"
)
fsdp_traffic_ratio = Declaration(
    "fsdp_traffic_ratio", "", "bytes of fully sharded over those of plain data parallelism"
)
tensor_layer_traffic = Declaration(
    "tensor_layer_traffic", "byte/chip", "bytes that a chip sends for one layer with tensor parallelism, both passes"
)
tensor_layer_time = Declaration(
    "tensor_layer_time", "s", "network time of one layer's forward pass with tensor parallelism: two all-reduces"
)
