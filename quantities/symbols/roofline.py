"""Two times, their maximum, and what follows for batch, latency and price."""

from quantities.quantity import Quantity
from quantities.value import exact, otherwise

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
    default=exact("2 FLOP/parameter/token"),
)
kv_bytes_per_token = Quantity("kv_bytes_per_token", "byte/token", "KV cache stored for one token", latex=r"\kappa")
weight_bytes = Quantity("weight_bytes", "byte", "all stored weights", latex="M_w")
read_share = Quantity(
    "read_share",
    "",
    "share of the stored weights that a step reads: all of them, unless some experts have no token",
    latex="f_w",
    default=otherwise("1"),
)
active_share = Quantity(
    "active_share", "", "active over stored parameters: the reciprocal of sparsity", latex=r"1/\sigma", domain="0..1"
)
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
context = Quantity(
    "context",
    "token/sequence",
    "tokens of each sequence held in the KV cache; for a whole request, its mean context",
    latex="L",
    domain="nonnegative",
)
kv_bytes_per_sequence = Quantity(
    "kv_bytes_per_sequence", "byte/sequence", "KV cache of one sequence", latex="K", domain="nonnegative"
)
kv_bytes = Quantity("kv_bytes", "byte", "KV cache of the whole batch", latex="M_{kv}", domain="nonnegative")
kv_read_share = Quantity(
    "kv_read_share",
    "",
    "what a step reads of the KV cache over what is stored; less than 1 with sparse attention",
    latex=r"f_{kv}",
    default=otherwise("1"),
)
bytes_read = Quantity("bytes_read", "byte", "weights and KV cache that a step reads", latex="M_r")
crossover_context = Quantity(
    "crossover_context",
    "token/sequence",
    "context at which reading the KV cache takes as long as computing",
    latex="L^*",
)
balance_tokens = Quantity(
    "balance_tokens",
    "token",
    "critical batch of a dense model, in tokens: weights are read as fast as used",
    latex=r"\beta",
)
hardware_ratio = Quantity(
    "hardware_ratio",
    "FLOP/byte",
    "intensity of the chip (ops:byte): operations for each byte of memory read",
    latex="F/W",
)
optimal_batch = Quantity(
    "optimal_batch", "sequence", "batch at which compute and weight fetch take equally long", latex="B^*"
)
kv_optimal_batch = Quantity(
    "kv_optimal_batch",
    "sequence",
    "batch at which compute takes as long as weight and KV fetch together",
    latex=r"B^*_{kv}",
)
scaled_batch = Quantity(
    "scaled_batch", "", "batch over the optimal batch: the safety factor of a deployment", latex="B/B^*"
)
scaled_context = Quantity(
    "scaled_context", "", "context over the crossover context", latex="L/L^*", domain="nonnegative"
)
scaled_memory_time = Quantity(
    "scaled_memory_time",
    "",
    "memory time over compute time where a step reads all weights and the whole cache",
    latex=r"\theta_m",
)
scaled_step_time = Quantity(
    "scaled_step_time",
    "",
    "step time over compute time, in the same case: cost over the cost of compute",
    latex=r"\theta",
)

# What follows
compute_time = Quantity("compute_time", "s", "time of a step's arithmetic", latex="t_c")
weight_time = Quantity("weight_time", "s", "time to read the weights once: the floor under a decode step", latex="t_w")
kv_time = Quantity("kv_time", "s", "time to read the KV cache once", latex=r"t_{kv}", domain="nonnegative")
memory_time = Quantity("memory_time", "s", "time of a step's reading", latex="t_m")
network_time = Quantity(
    "network_time",
    "s",
    "time of a step's communication, which overlaps the rest; 0 unless it is given",
    latex="t_n",
    domain="nonnegative",
    default="0 s",
)
step_time = Quantity("step_time", "s", "time of one step, of decode or of prefill", latex="t")
throughput = Quantity("throughput", "token/s", "tokens of the whole fleet of chips each second", latex="R")
sequential_step_time = Quantity(
    "sequential_step_time", "s", "time of one step if reading the KV cache overlaps nothing"
)
compute_throughput = Quantity("compute_throughput", "token/s", "tokens each second if arithmetic binds")
memory_throughput = Quantity("memory_throughput", "token/s", "tokens each second if reading binds")
user_speed = Quantity("user_speed", "token/s/sequence", "tokens that one user sees each second", latex="r")
fleet_rent = Quantity("fleet_rent", "USD/h", "rent of all the chips that share the model", latex="pn")
cost_per_token = Quantity(
    "cost_per_token", "USD/Mtoken", "rent of the chips for one token; a price adds a margin", latex="c"
)
mfu = Quantity(
    "mfu",
    "",
    "share of a step in which arithmetic would do at the achieved peak; papers print serving_mfu",
    latex=r"\mathrm{MFU}",
)
chip_throughput = Quantity("chip_throughput", "token/s/chip", "tokens of one chip each second")
step_rate = Quantity("step_rate", "1/s", "steps each second", latex="f_s")
fastest_speed = Quantity(
    "fastest_speed", "token/s/sequence", "speed of a user where the weights alone are read: the limit of small batches"
)
pass_compute = Quantity("pass_compute", "FLOP", "operations of one step, for all its tokens")
arithmetic_intensity = Quantity("arithmetic_intensity", "FLOP/byte", "operations of a step for each byte it reads")
memory_to_compute = Quantity(
    "memory_to_compute", "", "memory time over compute time: above 1, memory binds", latex="t_m/t_c"
)
achieved_bandwidth = Quantity(
    "achieved_bandwidth", "byte/s", "bytes that a step reads over its time, all chips together"
)
served_compute = Quantity(
    "served_compute", "FLOP/s/chip", "operations of the parameters that one chip does each second for its tokens"
)
serving_mfu = Quantity(
    "serving_mfu", "", "MFU as papers print it: operations done for served tokens over the peak, no efficiency put in"
)
mbu = Quantity(
    "mbu", "", "bandwidth utilisation: bytes that a step reads over what memory could deliver", latex=r"\mathrm{MBU}"
)
