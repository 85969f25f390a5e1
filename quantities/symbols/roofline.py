"""Two times, their maximum, and what follows for batch, latency and price."""

from quantities.quantity import Quantity

# The chip. Peak compute is dense, at a named precision; what is achieved is the peak times an efficiency.
peak_compute = Quantity("peak_compute", "FLOP/s/chip", "dense peak of one chip at the precision in use", latex="F")
hbm_bandwidth = Quantity("hbm_bandwidth", "byte/s/chip", "memory bandwidth of one chip", latex="W")
compute_efficiency = Quantity(
    "compute_efficiency", "", "share of the peak that arithmetic reaches", latex=r"\eta_c", default=1.0
)
bandwidth_efficiency = Quantity(
    "bandwidth_efficiency", "", "share of the bandwidth that reading reaches", latex=r"\eta_m", default=1.0
)
chips = Quantity("chips", "chip", "chips that share the model: the scale-up domain", latex="n")
chip_price = Quantity("chip_price", "USD/h/chip", "rent of one chip", latex="p")

# The model
active_parameters = Quantity("active_parameters", "parameter", "parameters that one token passes through", latex="N_a")
total_parameters = Quantity("total_parameters", "parameter", "parameters that are stored", latex="N_t")
bytes_per_parameter = Quantity("bytes_per_parameter", "byte/parameter", "size of a stored weight", latex="b")
flops_per_parameter = Quantity(
    "flops_per_parameter",
    "FLOP/parameter/token",
    "one multiplication and one addition",
    latex="k",
    default="2 FLOP/parameter/token",
)
kv_bytes_per_token = Quantity("kv_bytes_per_token", "byte/token", "KV cache stored for one token", latex=r"\kappa")
sparsity = Quantity("sparsity", "", "stored over active parameters; an expert ratio is another number", latex=r"\sigma")

# The operating point
batch = Quantity("batch", "sequence", "sequences that one step serves", latex="B")
tokens_per_pass = Quantity(
    "tokens_per_pass",
    "token/sequence",
    "1 in decode, the prompt's length in prefill",
    latex="q",
    default="1 token/sequence",
)
context = Quantity("context", "token/sequence", "tokens of each sequence held in the KV cache", latex="L")
crossover_context = Quantity(
    "crossover_context",
    "token/sequence",
    "context at which reading the KV cache takes as long as computing",
    latex="L^*",
)
balance_tokens = Quantity(
    "balance_tokens", "token", "tokens in a step whose weights are read as fast as used", latex=r"\beta"
)
hardware_ratio = Quantity("hardware_ratio", "FLOP/byte", "operations for each byte that memory delivers", latex="F/W")
optimal_batch = Quantity(
    "optimal_batch", "sequence", "batch at which compute and weight fetch take equally long", latex="B^*"
)

# What follows
compute_time = Quantity("compute_time", "s", "time of a step's arithmetic", latex="t_c")
weight_time = Quantity("weight_time", "s", "time to read the weights once", latex="t_w")
kv_time = Quantity("kv_time", "s", "time to read the KV cache once", latex=r"t_{kv}")
memory_time = Quantity("memory_time", "s", "time of a step's reading", latex="t_m")
step_time = Quantity("step_time", "s", "time of one step", latex="t")
throughput = Quantity("throughput", "token/s", "tokens of the whole fleet of chips each second", latex="R")
user_speed = Quantity("user_speed", "token/s/sequence", "tokens that one user sees each second", latex="r")
cost_per_token = Quantity(
    "cost_per_token", "USD/Mtoken", "rent of the chips for one token; a price adds a margin", latex="c"
)
mfu = Quantity("mfu", "", "share of a step in which arithmetic would do at the achieved peak", latex=r"\mathrm{MFU}")
