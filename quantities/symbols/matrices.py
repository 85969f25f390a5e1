"""One product of two matrices on one chip or several: its operations, bytes and times."""

from quantities.quantity import Quantity
from quantities.value import exact

flops_per_multiply_add = Quantity(
    "flops_per_multiply_add", "FLOP", "a multiplication and an addition", default=exact("2 FLOP")
)
matrix_rows = Quantity("matrix_rows", "", "rows of the left factor: the batch", latex="m")
matrix_inner = Quantity("matrix_inner", "", "columns of the left factor and rows of the right one", latex="k")
matrix_columns = Quantity("matrix_columns", "", "columns of the right factor", latex="n")
left_element_bytes = Quantity("left_element_bytes", "byte", "size of an element of the left factor")
right_element_bytes = Quantity("right_element_bytes", "byte", "size of an element of the right factor: the weights")
product_element_bytes = Quantity("product_element_bytes", "byte", "size of an element of the product")
product_compute = Quantity("product_compute", "FLOP", "operations of the product")
product_bytes = Quantity("product_bytes", "byte", "factors read and product written")
product_intensity = Quantity("product_intensity", "FLOP/byte", "operations for each byte that moves")
product_compute_time = Quantity("product_compute_time", "s", "time of the arithmetic")
product_memory_time = Quantity("product_memory_time", "s", "time of the reading and writing")
product_time = Quantity("product_time", "s", "time of the product if both overlap")
product_time_apart = Quantity("product_time_apart", "s", "time of the product if they do not")
matrix_bytes = Quantity("matrix_bytes", "byte", "size of the right factor")
row_shards = Quantity("row_shards", "", "parts into which its rows are split", default=1.0)
column_shards = Quantity("column_shards", "", "parts into which its columns are split", default=1.0)
shard_bytes = Quantity("shard_bytes", "byte/chip", "what each chip holds of it")
