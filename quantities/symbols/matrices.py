"""One product of two matrices, or any kernel, on one chip or several: its operations, bytes and times."""

from quantities.declaration import Declaration
from quantities.value import exact

flops_per_multiply_add = Declaration(
    "flops_per_multiply_add", "FLOP", "a multiplication and an addition", default=exact("2 FLOP"), latex="k_m"
)
matrix_rows = Declaration("matrix_rows", "", "rows of a matmul's left factor: the batch", latex="m")
matrix_inner = Declaration("matrix_inner", "", "columns of a matmul's left factor, rows of its right one", latex="k")
matrix_columns = Declaration("matrix_columns", "", "columns of a matmul's right factor", latex="n")
left_element_bytes = Declaration("left_element_bytes", "byte", "size of an element of the left factor")
right_element_bytes = Declaration("right_element_bytes", "byte", "size of an element of the right factor: the weights")
product_element_bytes = Declaration("product_element_bytes", "byte", "size of an element of the product")
product_compute = Declaration("product_compute", "FLOP", "operations of one matrix product (matmul)")
product_bytes = Declaration("product_bytes", "byte", "bytes of a matmul: both factors read, the product written")
product_intensity = Declaration(
    "product_intensity", "FLOP/byte", "arithmetic intensity of a matmul: operations for each byte that moves"
)
product_compute_time = Declaration("product_compute_time", "s", "time of a matmul's arithmetic")
product_memory_time = Declaration("product_memory_time", "s", "time of a matmul's reading and writing")
product_time = Declaration("product_time", "s", "time of a matmul if both overlap: the lower bound")
product_time_apart = Declaration("product_time_apart", "s", "time of a matmul if they do not: the upper bound")
matrix_bytes = Declaration(
    "matrix_bytes", "byte", "size of a matmul's right factor, or of any matrix: inner times columns"
)
row_shards = Declaration("row_shards", "", "parts into which the rows of the matrix are split", default=1.0)
column_shards = Declaration("column_shards", "", "parts into which the columns of the matrix are split", default=1.0)
shard_bytes = Declaration("shard_bytes", "byte/chip", "what each chip holds of a matrix that is split")
balance_rows = Declaration(
    "balance_rows", "", "rows, or batch, at which the product's arithmetic takes as long as its reading and writing"
)

# Any kernel, known by its operations and its bytes alone
kernel_compute = Declaration("kernel_compute", "FLOP", "operations of any kernel: a sum, a dot product, an attention")
kernel_bytes = Declaration("kernel_bytes", "byte", "bytes that the kernel reads and writes")
kernel_intensity = Declaration("kernel_intensity", "FLOP/byte", "arithmetic intensity of any kernel")
kernel_compute_time = Declaration("kernel_compute_time", "s", "time of the kernel's arithmetic")
kernel_memory_time = Declaration("kernel_memory_time", "s", "time of the kernel's reading and writing")
kernel_time = Declaration("kernel_time", "s", "time of the kernel if both overlap")
attainable_compute = Declaration(
    "attainable_compute",
    "FLOP/s/chip",
    "the roofline itself: what a chip attains at a kernel's arithmetic intensity",
    aliases=["attainable performance"],
)
