"""The wires of a chip: inside the scale-up domain, between domains, and to the host."""

from quantities.quantity import Quantity

scale_up_bandwidth = Quantity(
    "scale_up_bandwidth",
    "byte/s/chip",
    "network bandwidth (NVLink, ICI) of one chip inside its domain, in one direction",
    latex="S",
)
scale_up_bandwidth_both_ways = Quantity(
    "scale_up_bandwidth_both_ways",
    "byte/s/chip",
    "scale-up bandwidth of one chip, both directions added up",
    latex="2S",
)
scale_up_links = Quantity("scale_up_links", "1/chip", "links (NVLink, ICI) of one chip inside its domain")
scale_up_link_bandwidth = Quantity(
    "scale_up_link_bandwidth", "byte/s", "bandwidth of one link inside the domain, in one direction"
)
scale_out_bandwidth = Quantity(
    "scale_out_bandwidth",
    "byte/s/chip",
    "network bandwidth (InfiniBand, Ethernet) of one chip between domains, in one direction",
    latex="O",
)
scale_out_line_rate = Quantity(
    "scale_out_line_rate", "bit/s/chip", "scale-out bandwidth as network cards print it, in bits"
)
scale_out_slowdown = Quantity(
    "scale_out_slowdown", "", "how many times slower the network is between domains than inside", latex="S/O"
)
scale_up_domain = Quantity(
    "scale_up_domain", "chip", "chips that the scale-up network joins; those in use are `chips`", latex="n_D"
)
host_link_bandwidth = Quantity(
    "host_link_bandwidth", "byte/s/chip", "bandwidth (PCIe) from a chip to its host, in one direction", latex="W_h"
)
scale_up_ratio = Quantity(
    "scale_up_ratio", "FLOP/byte", "operations for each byte that the scale-up network carries: its roofline"
)
scale_out_ratio = Quantity(
    "scale_out_ratio", "FLOP/byte", "operations for each byte that the scale-out network carries: its roofline"
)
bandwidth_over_network = Quantity("bandwidth_over_network", "", "memory bandwidth over scale-up bandwidth", latex="W/S")
domain_egress = Quantity("domain_egress", "byte/s", "egress of a domain: scale-out bandwidth of all the chips together")
domain_scale_up_bandwidth = Quantity(
    "domain_scale_up_bandwidth", "byte/s", "scale-up bandwidth of all the chips together, in one direction"
)
domain_scale_up_bandwidth_both_ways = Quantity(
    "domain_scale_up_bandwidth_both_ways", "byte/s", "scale-up bandwidth of all the chips, both directions added up"
)
host_link_ratio = Quantity(
    "host_link_ratio", "FLOP/byte", "operations for each byte that the link to the host (PCIe) carries: its roofline"
)
weight_load_time = Quantity(
    "weight_load_time", "s", "time to bring the weights from the hosts' memory, every chip over its own link (PCIe)"
)
switches = Quantity("switches", "", "switches of a scale-up domain")
switch_ports = Quantity("switch_ports", "", "ports of one switch")
switch_bandwidth = Quantity(
    "switch_bandwidth", "byte/s", "what all switches of a scale-up domain (NVSwitch) carry, in one direction"
)
bisection_bandwidth = Quantity(
    "bisection_bandwidth", "byte/s", "from one half of a scale-up domain to the other, in one direction"
)
pod_length = Quantity("pod_length", "", "chips along the first axis of a torus")
pod_width = Quantity("pod_width", "", "chips along its second axis")
pod_height = Quantity("pod_height", "", "chips along its third axis; 1 where there are two", default=1.0)
pod_chips = Quantity("pod_chips", "chip", "chips of a torus (a TPU pod or slice): the product of its axes")

# Matrices split among the chips of a domain (tensor parallelism), in serving
layer_sums = Quantity(
    "layer_sums",
    "",
    "sums over all chips in one layer: one after attention, one after the feed-forward part",
    default=2.0,
)
sum_latency = Quantity("sum_latency", "s", "delay of one sum, however small", domain="nonnegative", default="0 s")
layer_sum_time = Quantity(
    "layer_sum_time",
    "s",
    "time of one sum (all-reduce) of a serving step's activations over all chips",
    domain="nonnegative",
)
tensor_sum_time = Quantity(
    "tensor_sum_time",
    "s",
    "time of all sums of a serving step; where they overlap the rest, give it as the network time",
    domain="nonnegative",
)
grid_layer_time = Quantity(
    "grid_layer_time",
    "s",
    "network time of a feed-forward layer whose matrices are split along both axes, in the best grid of chips",
)
grid_chips = Quantity("grid_chips", "chip", "chips from which splitting along both axes sends less than along one")
