"""A request's life: prompt in, first token out, then one after another; and what the servers make of many."""

from quantities.declaration import Declaration

prompt_tokens = Declaration(
    "prompt_tokens",
    "token/sequence",
    "input tokens of a request",
    latex="L_i",
    aliases=["random-input-len", "ISL", "input_tokens", "promptTokenCount"],
)
output_tokens = Declaration(
    "output_tokens",
    "token/sequence",
    "output tokens of a request",
    latex="L_o",
    aliases=["random-output-len", "OSL", "completion_tokens", "candidatesTokenCount"],
)
mean_context = Declaration("mean_context", "token/sequence", "context that decoding reads, on average over a request")

# Time
prefill_efficiency = Declaration(
    "prefill_efficiency", "", "share of the peak that prefill reaches: its MFU", latex=r"\eta_p", default=1.0
)
prefill_compute = Declaration("prefill_compute", "FLOP", "operations of the parameters for one prompt", latex="C_p")
prefill_time = Declaration(
    "prefill_time",
    "s",
    "time to compute one prompt, where compute binds",
    latex="t_p",
    aliases=["request_prefill_time_seconds", "prefill latency"],
)
first_wait = Declaration(
    "first_wait",
    "s",
    "time that a request waits before its prefill begins, such as the queue time",
    domain="nonnegative",
    default="0 s",
    aliases=["request_queue_time_seconds"],
)
time_to_first_token = Declaration(
    "time_to_first_token",
    "s",
    "TTFT: from a request to its first token",
    domain="nonnegative",
    aliases=["time_to_first_token_seconds", "TTFT"],
)
time_per_output_token = Declaration(
    "time_per_output_token",
    "s*sequence/token",
    "TPOT: time between two tokens of one sequence",
    aliases=[
        "time_per_output_token_seconds",
        "inter_token_latency_seconds",
        "TPOT",
        "ITL",
        "inter-token latency",
        "time between tokens",
        "TBT",
        "seconds per token",
    ],
)
words_per_token = Declaration("words_per_token", "1/token", "words of a text for each of its tokens")
reading_speed = Declaration(
    "reading_speed", "1/min/sequence", "words that one user sees each minute", aliases=["words per minute"]
)
generation_time = Declaration(
    "generation_time", "s", "time from a request's first token to its last", aliases=["request_decode_time_seconds"]
)
request_time = Declaration(
    "request_time",
    "s",
    "time from a request to its last token",
    aliases=["e2e_request_latency_seconds", "E2EL", "end-to-end latency"],
)
prefill_load = Declaration(
    "prefill_load",
    "",
    "share of the time in which the prefill is busy",
    domain="0..1",
    latex=r"\rho",
    aliases=["traffic intensity"],
)
server_arrival_rate = Declaration("server_arrival_rate", "sequence/s", "requests that arrive at one prefill server")
queue_time = Declaration(
    "queue_time",
    "s",
    "mean wait of a random arrival before one server of fixed service time",
    domain="nonnegative",
    aliases=["mean waiting time"],
)

# Rates
request_rate = Declaration(
    "request_rate",
    "sequence/s",
    "requests that one copy of the model completes",
    latex=r"\lambda_r",
    aliases=["request throughput", "requests per second"],
)
chip_request_rate = Declaration("chip_request_rate", "sequence/s/chip", "requests that one chip completes")
evicted_tokens = Declaration(
    "evicted_tokens", "token", "tokens of KV cache that leave with the sequences completed in one step, on average"
)
compute_bound_prompt = Declaration(
    "compute_bound_prompt",
    "token/sequence",
    "tokens per pass from which a single sequence is compute-bound",
    latex="q^*",
)

request_throughput = Declaration(
    "request_throughput", "token/s", "output tokens of a batch over the whole time of its requests, prefill included"
)
chip_prefill_throughput = Declaration(
    "chip_prefill_throughput",
    "token/s/chip",
    "input tokens that one chip computes each second, where compute binds",
    aliases=["prefill throughput"],
)
chips_per_node = Declaration("chips_per_node", "chip", "chips of one machine", aliases=["nproc_per_node"])
node_prefill_throughput = Declaration(
    "node_prefill_throughput", "token/s", "input tokens that one machine takes each second, cache hits included"
)
node_decode_throughput = Declaration("node_decode_throughput", "token/s", "output tokens of one machine each second")

# Prefill and decode apart
prefill_per_decode = Declaration(
    "prefill_per_decode",
    "",
    "prefill servers that keep one decode server busy",
    latex="n_{pd}",
    aliases=["prefill to decode ratio"],
)
handover_bandwidth = Declaration(
    "handover_bandwidth", "byte/s", "network bandwidth from prefill to decode", latex=r"W_\to"
)
handover_bytes = Declaration(
    "handover_bytes", "byte/sequence", "KV cache of a prompt, from prefill to decode", latex="K_i"
)
handover_time = Declaration("handover_time", "s", "time to hand over the KV cache of one prompt", latex=r"t_\to")
handover_traffic = Declaration("handover_traffic", "byte/s", "KV cache that all requests hand over each second")
prefill_rate = Declaration("prefill_rate", "sequence/s", "prompts that one prefill server computes each second")
prefill_servers = Declaration("prefill_servers", "", "servers that do prefill only")
decode_servers = Declaration("decode_servers", "", "servers that do decode only")
pool_request_rate = Declaration(
    "pool_request_rate", "sequence/s", "requests that separate prefill and decode servers complete together"
)
pool_chips = Declaration("pool_chips", "chip", "chips of all these servers together")
chip_goodput = Declaration(
    "chip_goodput",
    "sequence/s/chip",
    "requests completed each second by a chip of these servers",
    aliases=["goodput per GPU"],
)
prefill_nodes = Declaration("prefill_nodes", "", "machines that the demand for input tokens keeps busy")
decode_nodes = Declaration("decode_nodes", "", "machines that the demand for output tokens keeps busy")
