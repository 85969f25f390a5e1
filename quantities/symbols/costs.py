"""Where the money of a token goes: arithmetic, weights, cache, and the floor under all batches."""

from quantities.declaration import Declaration

flop_price = Declaration("flop_price", "USD/FLOP", "rent of a chip for one achieved operation", latex="p_F")
flops_per_dollar = Declaration(
    "flops_per_dollar", "FLOP/USD", "operations at the achieved peak for the rent of one dollar"
)
memory_price = Declaration("memory_price", "USD/byte/h", "rent of a chip for one byte of its memory", latex="p_C")
compute_cost = Declaration(
    "compute_cost", "USD/Mtoken", "rent for the arithmetic of one token: what it costs to compute it again", latex="c_c"
)
weight_cost = Declaration("weight_cost", "USD/Mtoken", "rent for reading the weights, shared by the batch", latex="c_w")
kv_cost = Declaration(
    "kv_cost", "USD/Mtoken", "rent for reading one sequence's KV cache", latex="c_{kv}", domain="nonnegative"
)
memory_cost = Declaration(
    "memory_cost", "USD/Mtoken", "rent for reading weights and cache: the cost where reading binds"
)
cost_floor = Declaration("cost_floor", "USD/Mtoken", "cost of a token in an unlimited batch", latex=r"c_\infty")
lone_cost = Declaration("lone_cost", "USD/Mtoken", "cost of a token whose sequence is alone in its batch", latex="c_1")
batching_gain = Declaration("batching_gain", "", "cost of a token alone over its cost in the batch", latex="c_1/c")
chip_time_per_token = Declaration("chip_time_per_token", "chip*s/token", "chip-seconds that one token takes")
tokens_per_dollar = Declaration(
    "tokens_per_dollar", "Mtoken/USD", "tokens for the rent of one dollar", aliases=["tokens generated per dollar"]
)
prefill_cost = Declaration(
    "prefill_cost", "USD/Mtoken", "rent of the chips for one input token, at the speed that prefill reaches"
)
request_cost = Declaration(
    "request_cost", "USD/sequence", "rent of the chips for one request: its prompt and its answer"
)
