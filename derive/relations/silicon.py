"""Peaks from what a chip is made of."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import capacity, matrices, roofline, silicon, vocabulary

_state = partial(relate, source="by definition", quantities=vocabulary(roofline, capacity, matrices, silicon))

relations = [
    _state(
        "peak_compute",
        "peak_compute = compute_cores*matrix_units*flops_per_tick*clock",
        because="all units work in every tick",
    ),
    _state(
        "flops_per_tick",
        "flops_per_tick = flops_per_multiply_add*array_rows*array_columns",
        because="every cell of a systolic array multiplies and adds once a tick",
        source="Jouppi et al., arXiv 1704.04760",
    ),
    _state(
        "hbm_bandwidth",
        "hbm_bandwidth = memory_stacks*stack_pins*pin_rate",
        because="all pins of all stacks work at once",
    ),
    _state("hbm_capacity", "hbm_capacity = memory_stacks*stack_capacity", because="stacks add up"),
    _state("chip_matrix_units", "chip_matrix_units = compute_cores*matrix_units", because="every core has its own"),
    _state("unit_compute", "unit_compute = flops_per_tick*clock", because="a unit works in every tick"),
    _state(
        "sparse_peak_compute",
        "sparse_peak_compute = 2*peak_compute",
        because="half of the multiplications are skipped",
        source="Mishra et al., arXiv 2104.08378",
    ),
    # Vectors, and memory on the chip
    _state("vector_lanes", "vector_lanes = compute_cores*core_lanes", because="every core has its own"),
    _state("vector_compute", "vector_compute = vector_lanes*lane_flops*clock", because="all lanes work in every tick"),
    _state("on_chip_capacity", "on_chip_capacity = compute_cores*core_memory", because="every core has its own"),
]
