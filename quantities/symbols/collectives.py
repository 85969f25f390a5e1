"""Times of the exchanges between chips, as a ring or a switch allows them."""

from quantities.quantity import Quantity

collective_bandwidth = Quantity(
    "collective_bandwidth",
    "byte/s/chip",
    "bytes that a chip sends each second over all links the exchange uses, one direction counted",
    latex="W_n",
)
collective_bytes = Quantity(
    "collective_bytes", "byte/chip", "the whole array: what each chip ends with, or begins with", latex="V"
)
ring_size = Quantity("ring_size", "", "chips that take part in an exchange", latex="n_r")
ring_share = Quantity("ring_share", "", "share of the array that has to move: all but a chip's own", domain="0..1")
all_gather_time = Quantity("all_gather_time", "s", "every chip collects the shards of all", latex=r"t_{ag}")
reduce_scatter_time = Quantity(
    "reduce_scatter_time", "s", "arrays are summed, each chip keeps a shard", latex=r"t_{rs}"
)
all_reduce_time = Quantity("all_reduce_time", "s", "arrays are summed, every chip keeps the whole", latex=r"t_{ar}")
all_to_all_time = Quantity(
    "all_to_all_time", "s", "every chip sends a different part to each, through a switch", latex=r"t_{aa}"
)
ring_all_to_all_time = Quantity("ring_all_to_all_time", "s", "the same around a ring that runs both ways")
exchanged_bytes = Quantity("exchanged_bytes", "byte/chip", "what each chip holds before an all-to-all")
ring_hop_time = Quantity("ring_hop_time", "s", "delay of one hop around a ring")
ring_latency = Quantity("ring_latency", "s", "delay around a ring that runs both ways", latex=r"t_0")
small_all_gather_time = Quantity("small_all_gather_time", "s", "a gather, however small, with the delay of its hops")
node_bandwidth = Quantity("node_bandwidth", "byte/s", "bytes that a node, or one chip, sends each second")
node_shard_bytes = Quantity("node_shard_bytes", "byte", "what a node has of the array before")
gathered_bytes = Quantity("gathered_bytes", "byte", "the whole array that a node collects")
node_gather_time = Quantity("node_gather_time", "s", "every node collects the shards of all")
gathering_nodes = Quantity("gathering_nodes", "", "nodes, or single chips, that take part")
transfer_bytes = Quantity("transfer_bytes", "byte", "bytes that cross one link")
link_bandwidth = Quantity("link_bandwidth", "byte/s", "bytes that one link carries each second, one direction")
transfer_time = Quantity("transfer_time", "s", "time to send them")
rack_exits = Quantity("rack_exits", "", "network ports of a rack: trays times ports of a tray")
trays = Quantity("trays", "", "compute trays of a rack")
tray_ports = Quantity("tray_ports", "", "network ports of a tray")
port_rate = Quantity("port_rate", "bit/s", "line rate of one port, one direction")
rack_bandwidth = Quantity("rack_bandwidth", "byte/s", "bytes that a rack sends each second")

# The exchanges of a training step
gradient_bytes_per_chip = Quantity("gradient_bytes_per_chip", "byte/chip", "gradients of the weights that a chip holds")
gradient_time = Quantity("gradient_time", "s", "gradients summed over all replicas")
fsdp_time = Quantity("fsdp_time", "s", "sharded weights gathered twice, gradients scattered once")
fsdp_traffic_ratio = Quantity("fsdp_traffic_ratio", "", "bytes of fully sharded over those of plain data parallelism")
tensor_layer_time = Quantity("tensor_layer_time", "s", "the two sums of one layer's forward pass over its tensor group")
