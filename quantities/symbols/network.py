"""The wires of a chip: inside the scale-up domain, between domains, and to the host."""

from quantities.quantity import Quantity

scale_up_bandwidth = Quantity(
    "scale_up_bandwidth", "byte/s/chip", "network bandwidth of one chip inside its domain, in one direction", latex="S"
)
scale_up_bandwidth_both_ways = Quantity(
    "scale_up_bandwidth_both_ways", "byte/s/chip", "the same, both directions added up", latex="2S"
)
scale_up_links = Quantity("scale_up_links", "1/chip", "links of one chip inside its domain")
scale_up_link_bandwidth = Quantity("scale_up_link_bandwidth", "byte/s", "bandwidth of one such link, in one direction")
scale_out_bandwidth = Quantity(
    "scale_out_bandwidth", "byte/s/chip", "network bandwidth of one chip between domains, in one direction", latex="O"
)
scale_out_line_rate = Quantity("scale_out_line_rate", "bit/s/chip", "the same as network cards print it, in bits")
scale_out_slowdown = Quantity(
    "scale_out_slowdown", "", "how many times slower the network is between domains", latex="S/O"
)
scale_up_domain = Quantity("scale_up_domain", "chip", "chips that the scale-up network joins; those in use are `chips`")
host_link_bandwidth = Quantity(
    "host_link_bandwidth", "byte/s/chip", "bandwidth from a chip to its host, in one direction"
)
scale_up_ratio = Quantity(
    "scale_up_ratio", "FLOP/byte", "operations for each byte that the scale-up network carries: its roofline"
)
scale_out_ratio = Quantity(
    "scale_out_ratio", "FLOP/byte", "operations for each byte that the scale-out network carries: its roofline"
)
bandwidth_over_network = Quantity("bandwidth_over_network", "", "memory bandwidth over scale-up bandwidth", latex="W/S")
domain_egress = Quantity("domain_egress", "byte/s", "scale-out bandwidth of all the chips together")
domain_scale_up_bandwidth = Quantity(
    "domain_scale_up_bandwidth", "byte/s", "scale-up bandwidth of all the chips together, in one direction"
)
domain_scale_up_bandwidth_both_ways = Quantity(
    "domain_scale_up_bandwidth_both_ways", "byte/s", "the same, both directions added up"
)
