"""The wires of a chip, and how they compare with its memory and its arithmetic."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import capacity, network, roofline, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(capacity, network, roofline),
)

relations = [
    _state(
        "scale_up_bandwidth_both_ways",
        "scale_up_bandwidth_both_ways = 2*scale_up_bandwidth",
        because="vendors add up the two directions",
        source="by definition",
    ),
    _state(
        "scale_up_bandwidth",
        "scale_up_bandwidth = scale_up_links*scale_up_link_bandwidth",
        because="links add up",
        source="by definition",
    ),
    _state(
        "scale_out_line_rate",
        "scale_out_line_rate = scale_out_bandwidth",
        because="network cards are printed in bits, and a byte has eight",
        source="by definition",
    ),
    _state(
        "scale_out_slowdown", "scale_out_slowdown = scale_up_bandwidth/scale_out_bandwidth", because="its definition"
    ),
    _state(
        "scale_up_ratio",
        "scale_up_ratio = peak_compute/scale_up_bandwidth",
        because="what a chip can compute while its domain brings one byte",
    ),
    _state(
        "scale_out_ratio",
        "scale_out_ratio = peak_compute/scale_out_bandwidth",
        because="what a chip can compute while the network brings one byte",
        source="Austin et al., How to Scale Your Model, 2025, GPUs",
    ),
    _state(
        "bandwidth_over_network",
        "bandwidth_over_network = hbm_bandwidth/scale_up_bandwidth",
        because="its definition",
        source="by definition",
    ),
    _state(
        "domain_egress",
        "domain_egress = scale_out_bandwidth*chips",
        because="every chip has its own way out",
        source="by definition",
    ),
    _state(
        "domain_scale_up_bandwidth",
        "domain_scale_up_bandwidth = scale_up_bandwidth*chips",
        because="bandwidths add up",
        source="by definition",
    ),
    _state(
        "domain_scale_up_bandwidth_both_ways",
        "domain_scale_up_bandwidth_both_ways = 2*domain_scale_up_bandwidth",
        because="vendors add up the two directions",
        source="by definition",
    ),
]
