"""The wires of a chip: inside the scale-up domain, between domains, and to the host."""

from quantities.declaration import Declaration

scale_up_bandwidth = Declaration(
    "scale_up_bandwidth",
    "byte/s/chip",
    "network bandwidth (NVLink, ICI) of one chip inside its domain, in one direction",
    latex="S",
    aliases=["ICI bandwidth", "NVLink bandwidth"],
)
scale_up_bandwidth_both_ways = Declaration(
    "scale_up_bandwidth_both_ways",
    "byte/s/chip",
    "scale-up bandwidth of one chip, both directions added up",
    latex="2S",
    aliases=["NVLink bandwidth"],
)
scale_up_links = Declaration(
    "scale_up_links", "1/chip", "links (NVLink, ICI) of one chip inside its domain", aliases=["NVLinks per GPU"]
)
scale_up_link_bandwidth = Declaration(
    "scale_up_link_bandwidth", "byte/s", "bandwidth of one link inside the domain, in one direction"
)
scale_out_bandwidth = Declaration(
    "scale_out_bandwidth",
    "byte/s/chip",
    "network bandwidth (InfiniBand, Ethernet) of one chip between domains, in one direction",
    latex="O",
    aliases=["DCN bandwidth", "InfiniBand bandwidth"],
)
scale_out_line_rate = Declaration(
    "scale_out_line_rate",
    "bit/s/chip",
    "scale-out bandwidth as network cards print it, in bits",
    aliases=["NIC bandwidth"],
)
scale_out_slowdown = Declaration(
    "scale_out_slowdown", "", "how many times slower the network is between domains than inside", latex="S/O"
)
scale_up_domain = Declaration(
    "scale_up_domain", "chip", "chips that the scale-up network joins; those in use are `chips`", latex="n_D"
)
host_link_bandwidth = Declaration(
    "host_link_bandwidth",
    "byte/s/chip",
    "bandwidth (PCIe) from a chip to its host, in one direction",
    latex="W_h",
    aliases=["PCIe bandwidth"],
)
scale_up_ratio = Declaration(
    "scale_up_ratio", "FLOP/byte", "operations for each byte that the scale-up network carries: its roofline"
)
scale_out_ratio = Declaration(
    "scale_out_ratio", "FLOP/byte", "operations for each byte that the scale-out network carries: its roofline"
)
bandwidth_over_network = Declaration(
    "bandwidth_over_network", "", "memory bandwidth over scale-up bandwidth", latex="W/S"
)
domain_egress = Declaration(
    "domain_egress", "byte/s", "egress of a domain: scale-out bandwidth of all the chips together"
)
domain_scale_up_bandwidth = Declaration(
    "domain_scale_up_bandwidth", "byte/s", "scale-up bandwidth of all the chips together, in one direction"
)
domain_scale_up_bandwidth_both_ways = Declaration(
    "domain_scale_up_bandwidth_both_ways", "byte/s", "scale-up bandwidth of all the chips, both directions added up"
)
host_link_ratio = Declaration(
    "host_link_ratio", "FLOP/byte", "operations for each byte that the link to the host (PCIe) carries: its roofline"
)
weight_load_time = Declaration(
    "weight_load_time", "s", "time to bring the weights from the hosts' memory, every chip over its own link (PCIe)"
)
switches = Declaration("switches", "", "switches of a scale-up domain")
switch_ports = Declaration("switch_ports", "", "ports of one switch")
switch_bandwidth = Declaration(
    "switch_bandwidth", "byte/s", "what all switches of a scale-up domain (NVSwitch) carry, in one direction"
)
bisection_bandwidth = Declaration(
    "bisection_bandwidth", "byte/s", "from one half of a scale-up domain to the other, in one direction"
)
pod_length = Declaration("pod_length", "", "chips along the first axis of a torus")
pod_width = Declaration("pod_width", "", "chips along its second axis")
pod_height = Declaration("pod_height", "", "chips along its third axis; 1 where there are two", default=1.0)
pod_chips = Declaration(
    "pod_chips", "chip", "chips of a torus (a TPU pod or slice): the product of its axes", aliases=["pod slice"]
)

# Matrices split among the chips of a domain (tensor parallelism), in serving
layer_sums = Declaration(
    "layer_sums",
    "",
    "sums over all chips in one layer: one after attention, one after the feed-forward part",
    default=2.0,
)
sum_latency = Declaration("sum_latency", "s", "delay of one sum, however small", domain="nonnegative", default="0 s")
layer_sum_time = Declaration(
    "layer_sum_time",
    "s",
    "time of one sum (all-reduce) of a serving step's activations over all chips",
    domain="nonnegative",
)
tensor_sum_time = Declaration(
    "tensor_sum_time",
    "s",
    "time of all sums of a serving step; where they overlap the rest, give it as the network time",
    domain="nonnegative",
)
grid_layer_time = Declaration(
    "grid_layer_time",
    "s",
    "network time of a feed-forward layer whose matrices are split along both axes, in the best grid of chips",
)
grid_chips = Declaration("grid_chips", "chip", "chips from which splitting along both axes sends less than along one")
