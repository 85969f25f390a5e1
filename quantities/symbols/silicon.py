"""What a chip is made of, and the peak that follows from it."""

from quantities.declaration import Declaration

compute_cores = Declaration(
    "compute_cores",
    "1/chip",
    "cores of a chip: streaming multiprocessors (SM) or TensorCores",
    aliases=["streaming multiprocessors", "SM count"],
)
matrix_units = Declaration("matrix_units", "", "matrix units of one core: tensor cores or systolic arrays (MXU)")
clock = Declaration("clock", "Hz", "clock of the matrix units", aliases=["boost clock"])
flops_per_tick = Declaration("flops_per_tick", "FLOP", "operations of one matrix unit in a tick (cycle) of the clock")
array_rows = Declaration("array_rows", "", "rows of a systolic array")
array_columns = Declaration("array_columns", "", "columns of a systolic array")
memory_stacks = Declaration("memory_stacks", "1/chip", "memory stacks of a chip", aliases=["HBM stacks"])
stack_capacity = Declaration("stack_capacity", "byte", "capacity of one stack")
stack_pins = Declaration("stack_pins", "", "data pins of one stack")
pin_rate = Declaration("pin_rate", "bit/s", "bits that one pin carries each second", aliases=["data rate per pin"])
chip_matrix_units = Declaration(
    "chip_matrix_units", "1/chip", "matrix units of a chip, all cores together", aliases=["tensor cores"]
)
unit_compute = Declaration("unit_compute", "FLOP/s", "peak of one matrix unit: one tensor core or systolic array (MXU)")
sparse_peak_compute = Declaration(
    "sparse_peak_compute",
    "FLOP/s/chip",
    "peak as printed with structured sparsity, two of four elements zero",
    aliases=["TFLOPS with sparsity"],
)

# Vectors, and memory on the chip
core_lanes = Declaration(
    "core_lanes", "", "vector lanes of one core: CUDA cores of a multiprocessor, ALUs of a TPU core"
)
vector_lanes = Declaration(
    "vector_lanes", "1/chip", "vector lanes (CUDA cores, ALUs) of a chip, all cores together", aliases=["CUDA cores"]
)
lane_flops = Declaration("lane_flops", "FLOP", "operations of a lane in a tick: 1, or 2 where it multiplies and adds")
vector_compute = Declaration("vector_compute", "FLOP/s/chip", "peak of a chip's vector lanes")
core_memory = Declaration("core_memory", "byte", "fast memory of one core: shared memory, registers or L1 cache")
on_chip_capacity = Declaration(
    "on_chip_capacity", "byte/chip", "fast memory of a chip, all cores together", aliases=["VMEM"]
)
