"""Two times, their maximum, and what follows for batch, latency and price."""

from quantities.declaration import Declaration
from quantities.value import exact, otherwise

# The chip. Peak compute is dense, at a named precision; what is achieved is the peak times an efficiency.
peak_compute = Declaration(
    "peak_compute",
    "FLOP/s/chip",
    "dense peak of one chip at the precision in use",
    latex="F",
    aliases=["peak performance", "peak TFLOPS", "peak FLOPS", "Tensor Core TFLOPS"],
)
hbm_bandwidth = Declaration(
    "hbm_bandwidth",
    "byte/s/chip",
    "memory bandwidth of one chip",
    latex="W",
    aliases=["memory bandwidth", "GPU memory bandwidth"],
)
compute_efficiency = Declaration(
    "compute_efficiency", "", "share of the peak that arithmetic reaches", latex=r"\eta_c", default=1.0
)
bandwidth_efficiency = Declaration(
    "bandwidth_efficiency", "", "share of the bandwidth that reading reaches", latex=r"\eta_m", default=1.0
)
chips = Declaration(
    "chips",
    "chip",
    "chips that share the model: the scale-up domain",
    latex="n",
    aliases=["number of GPUs", "GPU count"],
)
chip_price = Declaration(
    "chip_price",
    "USD/h/chip",
    "rent of one chip",
    latex="p",
    aliases=["GPU hourly price", "price per GPU hour", "$/GPU-hour", "GPU rental price"],
)

# The model
active_parameters = Declaration(
    "active_parameters",
    "parameter",
    "parameters that one token passes through",
    latex="N_a",
    aliases=["activated parameters"],
)
total_parameters = Declaration(
    "total_parameters",
    "parameter",
    "parameters that are stored",
    latex="N_t",
    aliases=["parameter count", "number of parameters", "model size"],
)
bytes_per_parameter = Declaration(
    "bytes_per_parameter", "byte/parameter", "size of a stored weight", latex="b", aliases=["bits per weight", "bpw"]
)
flops_per_parameter = Declaration(
    "flops_per_parameter",
    "FLOP/parameter/token",
    "one multiplication and one addition",
    latex="k",
    default=exact("2 FLOP/parameter/token"),
)
kv_bytes_per_token = Declaration(
    "kv_bytes_per_token", "byte/token", "KV cache stored for one token", latex=r"\kappa", aliases=["KV cache per token"]
)
weight_bytes = Declaration("weight_bytes", "byte", "all stored weights", latex="M_w")
read_share = Declaration(
    "read_share",
    "",
    "share of the stored weights that a step reads: all of them, unless some experts have no token",
    latex="f_w",
    default=otherwise("1"),
)
active_share = Declaration(
    "active_share", "", "active over stored parameters: the reciprocal of sparsity", latex=r"1/\sigma", domain="0..1"
)
sparsity = Declaration(
    "sparsity", "", "stored over active parameters; an expert ratio is another number", latex=r"\sigma"
)

# The operating point
batch = Declaration(
    "batch",
    "sequence",
    "sequences that one step serves",
    latex="B",
    aliases=["num_requests_running", "batch size", "concurrency"],
)
tokens_per_pass = Declaration(
    "tokens_per_pass",
    "token/sequence",
    "1 in decode, the prompt's length in prefill",
    latex="q",
    default="1 token/sequence",
)
context = Declaration(
    "context",
    "token/sequence",
    "tokens of each sequence held in the KV cache; for a whole request, its mean context",
    latex="L",
    domain="nonnegative",
    aliases=["context size"],
)
kv_bytes_per_sequence = Declaration(
    "kv_bytes_per_sequence", "byte/sequence", "KV cache of one sequence", latex="K", domain="nonnegative"
)
kv_bytes = Declaration(
    "kv_bytes", "byte", "KV cache of the whole batch", latex="M_{kv}", domain="nonnegative", aliases=["KV cache size"]
)
kv_read_share = Declaration(
    "kv_read_share",
    "",
    "what a step reads of the KV cache over what is stored; less than 1 with sparse attention",
    latex=r"f_{kv}",
    default=otherwise("1"),
)
bytes_read = Declaration("bytes_read", "byte", "weights and KV cache that a step reads", latex="M_r")
crossover_context = Declaration(
    "crossover_context",
    "token/sequence",
    "context at which reading the KV cache takes as long as computing",
    latex="L^*",
)
balance_tokens = Declaration(
    "balance_tokens",
    "token",
    "critical batch of a dense model, in tokens: weights are read as fast as used",
    latex=r"\beta",
    aliases=["critical batch size"],
)
hardware_ratio = Declaration(
    "hardware_ratio",
    "FLOP/byte",
    "intensity of the chip (ops:byte): operations for each byte of memory read",
    latex="F/W",
    aliases=["ridge point", "machine balance", "ops:byte ratio"],
)
optimal_batch = Declaration(
    "optimal_batch", "sequence", "batch at which compute and weight fetch take equally long", latex="B^*"
)
kv_optimal_batch = Declaration(
    "kv_optimal_batch",
    "sequence",
    "batch at which compute takes as long as weight and KV fetch together",
    latex=r"B^*_{kv}",
)
scaled_batch = Declaration(
    "scaled_batch", "", "batch over the optimal batch: the safety factor of a deployment", latex="B/B^*"
)
scaled_context = Declaration(
    "scaled_context", "", "context over the crossover context", latex="L/L^*", domain="nonnegative"
)
scaled_memory_time = Declaration(
    "scaled_memory_time",
    "",
    "memory time over compute time where a step reads all weights and the whole cache",
    latex=r"\theta_m",
)
scaled_step_time = Declaration(
    "scaled_step_time",
    "",
    "step time over compute time, in the same case: cost over the cost of compute",
    latex=r"\theta",
)

# What follows
compute_time = Declaration("compute_time", "s", "time of a step's arithmetic", latex="t_c")
weight_time = Declaration(
    "weight_time",
    "s",
    "time to read the weights once: the floor under a decode step",
    latex="t_w",
    aliases=["weight loading time"],
)
kv_time = Declaration("kv_time", "s", "time to read the KV cache once", latex=r"t_{kv}", domain="nonnegative")
memory_time = Declaration("memory_time", "s", "time of a step's reading", latex="t_m")
network_time = Declaration(
    "network_time",
    "s",
    "time of a step's communication, which overlaps the rest; 0 unless it is given",
    latex="t_n",
    domain="nonnegative",
    default="0 s",
)
step_time = Declaration(
    "step_time", "s", "time of one step, of decode or of prefill", latex="t", aliases=["decode step latency"]
)
throughput = Declaration(
    "throughput",
    "token/s",
    "tokens of the whole fleet of chips each second",
    latex="R",
    aliases=[
        "avg_generation_throughput_toks_per_s",
        "output token throughput",
        "gen_throughput",
        "tokens per second",
        "tok/s",
        "TPS",
    ],
)
sequential_step_time = Declaration(
    "sequential_step_time", "s", "time of one step if reading the KV cache overlaps nothing"
)
compute_throughput = Declaration("compute_throughput", "token/s", "tokens each second if arithmetic binds")
memory_throughput = Declaration("memory_throughput", "token/s", "tokens each second if reading binds")
user_speed = Declaration(
    "user_speed",
    "token/s/sequence",
    "tokens that one user sees each second",
    latex="r",
    aliases=["TPS/user", "tokens per second per user", "interactivity", "output speed"],
)
fleet_rent = Declaration("fleet_rent", "USD/h", "rent of all the chips that share the model", latex="pn")
cost_per_token = Declaration(
    "cost_per_token",
    "USD/Mtoken",
    "rent of the chips for one token; a price adds a margin",
    latex="c",
    aliases=["$ per million tokens", "cost per million tokens", "$/Mtok"],
)
mfu = Declaration(
    "mfu",
    "",
    "share of a step in which arithmetic would do at the achieved peak; papers print serving_mfu",
    latex=r"\mathrm{MFU}",
)
chip_throughput = Declaration(
    "chip_throughput",
    "token/s/chip",
    "tokens of one chip each second",
    aliases=["tokens per second per GPU", "tok/s/gpu"],
)
step_rate = Declaration("step_rate", "1/s", "steps each second", latex="f_s")
fastest_speed = Declaration(
    "fastest_speed", "token/s/sequence", "speed of a user where the weights alone are read: the limit of small batches"
)
pass_compute = Declaration("pass_compute", "FLOP", "operations of one step, for all its tokens")
arithmetic_intensity = Declaration(
    "arithmetic_intensity",
    "FLOP/byte",
    "operations of a step for each byte it reads",
    aliases=["operational intensity"],
)
memory_to_compute = Declaration(
    "memory_to_compute", "", "memory time over compute time: above 1, memory binds", latex="t_m/t_c"
)
achieved_bandwidth = Declaration(
    "achieved_bandwidth", "byte/s", "bytes that a step reads over its time, all chips together"
)
served_compute = Declaration(
    "served_compute", "FLOP/s/chip", "operations of the parameters that one chip does each second for its tokens"
)
serving_mfu = Declaration(
    "serving_mfu",
    "",
    "MFU as papers print it: operations done for served tokens over the peak, no efficiency put in",
    aliases=["MFU", "model FLOPs utilization"],
)
mbu = Declaration(
    "mbu",
    "",
    "bandwidth utilisation: bytes that a step reads over what memory could deliver",
    latex=r"\mathrm{MBU}",
    aliases=["model bandwidth utilization"],
)
