"""One product of matrices, and any kernel: the smallest things that have a roofline."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import counting, matrices, roofline, vocabulary

_state = partial(
    relate,
    source="Austin et al., How to Scale Your Model, 2025, Rooflines",
    quantities=vocabulary(roofline, counting, matrices),
)

relations = [
    _state(
        "product_compute",
        "product_compute = flops_per_multiply_add*matrix_rows*matrix_inner*matrix_columns",
        because="each element of the product is a sum over the inner size",
    ),
    _state(
        "product_bytes",
        "product_bytes = left_element_bytes*matrix_rows*matrix_inner + right_element_bytes*matrix_inner*matrix_columns"
        " + product_element_bytes*matrix_rows*matrix_columns",
        because="each factor is read once and the product written once",
    ),
    _state(
        "product_intensity",
        "product_intensity = product_compute/product_bytes",
        because="its definition",
        source="by definition",
    ),
    _state(
        "product_compute_time",
        "product_compute_time = product_compute/(peak_compute*chips*compute_efficiency)",
        because="arithmetic at the peak that is reached",
    ),
    _state(
        "product_memory_time",
        "product_memory_time = product_bytes/(hbm_bandwidth*chips*bandwidth_efficiency)",
        because="reading at the bandwidth that is reached",
    ),
    _state(
        "product_time",
        "product_time = max(product_compute_time, product_memory_time)",
        because="arithmetic and reading overlap, so the longer one binds",
    ),
    _state(
        "product_time_apart",
        "product_time_apart = product_compute_time + product_memory_time",
        because="without overlap one waits for the other",
    ),
    _state(
        "matrix_bytes",
        "matrix_bytes = right_element_bytes*matrix_inner*matrix_columns",
        because="every element is stored once",
    ),
    _state(
        "shard_bytes",
        "shard_bytes = matrix_bytes/(row_shards*column_shards*one_chip)",
        because="each chip holds one of the parts",
        source="Austin et al., How to Scale Your Model, 2025, Sharding",
    ),
    _state(
        "balance_rows",
        "balance_rows = hardware_ratio*right_element_bytes*matrix_inner*matrix_columns"
        "/(flops_per_multiply_add*matrix_inner*matrix_columns"
        " - hardware_ratio*(left_element_bytes*matrix_inner + product_element_bytes*matrix_columns))",
        because="the intensity of the product equals that of the chip",
    ),
    # Any kernel
    _state(
        "kernel_intensity",
        "kernel_intensity = kernel_compute/kernel_bytes",
        because="its definition",
        source="Williams, Waterman and Patterson, Roofline, 2009",
    ),
    _state(
        "kernel_compute_time",
        "kernel_compute_time = kernel_compute/(peak_compute*chips*compute_efficiency)",
        because="arithmetic at the peak that is reached",
    ),
    _state(
        "kernel_memory_time",
        "kernel_memory_time = kernel_bytes/(hbm_bandwidth*chips*bandwidth_efficiency)",
        because="reading at the bandwidth that is reached",
    ),
    _state(
        "kernel_time",
        "kernel_time = max(kernel_compute_time, kernel_memory_time)",
        because="arithmetic and reading overlap, so the longer one binds",
    ),
    _state(
        "attainable_compute",
        "attainable_compute = min(peak_compute*compute_efficiency,"
        " kernel_intensity*hbm_bandwidth*bandwidth_efficiency)",
        because="a chip computes no more than its peak, and no more than memory feeds",
        source="Williams, Waterman and Patterson, Roofline, 2009",
    ),
]
