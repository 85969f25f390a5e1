"""What a chip is made of, and the peak that follows from it."""

from quantities.quantity import Quantity

compute_cores = Quantity("compute_cores", "1/chip", "cores of a chip: streaming multiprocessors (SM) or TensorCores")
matrix_units = Quantity("matrix_units", "", "matrix units of one core: tensor cores or systolic arrays (MXU)")
clock = Quantity("clock", "Hz", "clock of the matrix units")
flops_per_tick = Quantity("flops_per_tick", "FLOP", "operations of one matrix unit in a tick (cycle) of the clock")
array_rows = Quantity("array_rows", "", "rows of a systolic array")
array_columns = Quantity("array_columns", "", "columns of a systolic array")
memory_stacks = Quantity("memory_stacks", "1/chip", "memory stacks of a chip")
stack_capacity = Quantity("stack_capacity", "byte", "capacity of one stack")
stack_pins = Quantity("stack_pins", "", "data pins of one stack")
pin_rate = Quantity("pin_rate", "bit/s", "bits that one pin carries each second")
chip_matrix_units = Quantity("chip_matrix_units", "1/chip", "matrix units of a chip, all cores together")
unit_compute = Quantity("unit_compute", "FLOP/s", "peak of one matrix unit: one tensor core or systolic array (MXU)")
sparse_peak_compute = Quantity(
    "sparse_peak_compute", "FLOP/s/chip", "peak as printed with structured sparsity, two of four elements zero"
)

# Vectors, and memory on the chip
core_lanes = Quantity("core_lanes", "", "vector lanes of one core: CUDA cores of a multiprocessor, ALUs of a TPU core")
vector_lanes = Quantity("vector_lanes", "1/chip", "vector lanes (CUDA cores, ALUs) of a chip, all cores together")
lane_flops = Quantity("lane_flops", "FLOP", "operations of a lane in a tick: 1, or 2 where it multiplies and adds")
vector_compute = Quantity("vector_compute", "FLOP/s/chip", "peak of a chip's vector lanes")
core_memory = Quantity("core_memory", "byte", "fast memory of one core: shared memory, registers or L1 cache")
on_chip_capacity = Quantity("on_chip_capacity", "byte/chip", "fast memory of a chip, all cores together")
