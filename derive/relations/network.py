"""The wires of a chip, and how they compare with its memory and its arithmetic."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import architecture, capacity, counting, experts, network, pipeline, roofline, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(architecture, capacity, counting, experts, network, pipeline, roofline),
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
    _state(
        "host_link_ratio",
        "host_link_ratio = peak_compute/host_link_bandwidth",
        because="what a chip can compute while its host sends one byte",
        source="Austin et al., How to Scale Your Model, 2025, TPUs",
    ),
    _state(
        "weight_load_time",
        "weight_load_time = weight_bytes/(host_link_bandwidth*chips)",
        because="each chip loads its part over a link of its own",
        source="Austin et al., How to Scale Your Model, 2025, TPUs",
    ),
    # How a domain is wired
    _state(
        "switch_bandwidth",
        "switch_bandwidth = switches*switch_ports*scale_up_link_bandwidth",
        because="every port carries a link",
        source="Austin et al., How to Scale Your Model, 2025, GPUs",
    ),
    _state(
        "bisection_bandwidth",
        "bisection_bandwidth = domain_scale_up_bandwidth/2",
        because="half of the chips send all that they can to the other half",
        source="Austin et al., How to Scale Your Model, 2025, GPUs",
    ),
    _state(
        "pod_chips",
        "pod_chips = one_chip*pod_length*pod_width*pod_height",
        because="a torus is a full grid",
        source="Austin et al., How to Scale Your Model, 2025, TPUs",
    ),
    # Split matrices
    _state(
        "layer_sum_time",
        "layer_sum_time = 2*batch*tokens_per_pass*boundary_bytes_per_token*remote_share/(scale_up_bandwidth*one_chip)",
        because="the parts of every vector are scattered and summed, then gathered, around a ring",
        source="Pope et al., arXiv 2211.05102, section 3.2",
    ),
    _state(
        "tensor_sum_time",
        "tensor_sum_time = layers*layer_sums*(layer_sum_time + sum_latency)",
        because="the layers of a step follow one another",
        source="C. Chen, Transformer Inference Arithmetic, 2022",
    ),
    _state(
        "grid_layer_time",
        "grid_layer_time = 4*batch*tokens_per_pass*vector_per_token*activation_bytes_per_element"
        "*sqrt(hidden_size*feedforward_size*one_chip/chips)/(scale_up_bandwidth*one_chip)",
        because="rows and columns of the grid each carry their part, in and out; the best grid makes them equal",
        source="Pope et al., arXiv 2211.05102, section 3.2.2",
    ),
    _state(
        "grid_chips",
        "grid_chips = 4*one_chip*feedforward_size/hidden_size",
        because="along one axis every chip sends the whole residual vector, however many there are",
        source="Pope et al., arXiv 2211.05102, section 3.2.2",
    ),
]
