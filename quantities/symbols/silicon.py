"""What a chip is made of, and the peak that follows from it."""

from quantities.quantity import Quantity

compute_cores = Quantity("compute_cores", "1/chip", "multiprocessors or cores of a chip")
matrix_units = Quantity("matrix_units", "", "matrix units of one core: tensor cores or systolic arrays")
clock = Quantity("clock", "Hz", "clock of the matrix units")
flops_per_tick = Quantity("flops_per_tick", "FLOP", "operations of one matrix unit in a tick of the clock")
array_rows = Quantity("array_rows", "", "rows of a systolic array")
array_columns = Quantity("array_columns", "", "columns of a systolic array")
memory_stacks = Quantity("memory_stacks", "1/chip", "memory stacks of a chip")
stack_capacity = Quantity("stack_capacity", "byte", "capacity of one stack")
stack_pins = Quantity("stack_pins", "", "data pins of one stack")
pin_rate = Quantity("pin_rate", "bit/s", "bits that one pin carries each second")
