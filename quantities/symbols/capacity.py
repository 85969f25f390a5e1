"""What fits: the memory of the chips, and how it is divided between weights and KV cache."""

from quantities.declaration import Declaration
from quantities.value import otherwise

hbm_capacity = Declaration("hbm_capacity", "byte/chip", "memory of one chip", latex="C", aliases=["GPU memory", "VRAM"])
domain_capacity = Declaration("domain_capacity", "byte", "memory of all the chips together", latex="nC")
domain_bandwidth = Declaration("domain_bandwidth", "byte/s", "memory bandwidth of all the chips together", latex="nW")
domain_compute = Declaration("domain_compute", "FLOP/s", "dense peak of all the chips together", latex="nF")
usable_memory_share = Declaration(
    "usable_memory_share",
    "",
    "share of the memory that weights and KV cache may fill",
    latex="u",
    domain="0..1",
    default=otherwise("1"),
    aliases=["mem-fraction-static"],
)
usable_hbm_capacity = Declaration(
    "usable_hbm_capacity", "byte/chip", "memory of one chip that weights and KV cache may fill", latex="uC"
)
held_bytes = Declaration("held_bytes", "byte", "weights and KV cache together", latex=r"M_{\mathrm{held}}")
kv_capacity = Declaration(
    "kv_capacity",
    "byte",
    "memory that the weights leave to the KV cache",
    latex=r"M_{\mathrm{free}}",
    domain="nonnegative",
)
batch_capacity = Declaration(
    "batch_capacity",
    "sequence",
    "sequences whose KV cache fits beside the weights",
    latex=r"B_{\max}",
    domain="nonnegative",
)
context_capacity = Declaration(
    "context_capacity",
    "token/sequence",
    "longest context that fits for every sequence of the batch",
    latex=r"L_{\mathrm{fit}}",
    domain="nonnegative",
)
token_capacity = Declaration(
    "token_capacity",
    "token",
    "tokens, of all sequences, whose KV cache fits beside the weights",
    domain="nonnegative",
    aliases=["max_total_num_tokens"],
)
parameter_capacity = Declaration(
    "parameter_capacity",
    "parameter",
    "largest model that fits beside the KV cache",
    latex=r"N_{\max}",
    domain="nonnegative",
)
weight_chips = Declaration(
    "weight_chips", "chip", "fewest chips whose memory holds the weights, before rounding up", latex="n_w"
)
held_chips = Declaration(
    "held_chips", "chip", "fewest chips whose memory holds weights and KV cache, before rounding up", latex="n_M"
)
weight_memory_share = Declaration("weight_memory_share", "", "share of the memory that the weights fill")
kv_memory_share = Declaration(
    "kv_memory_share", "", "share of the memory that the KV cache fills", domain="nonnegative"
)
kv_to_weights = Declaration("kv_to_weights", "", "bytes of KV cache over bytes of weights", domain="nonnegative")
kv_ways = Declaration("kv_ways", "", "chips among which the KV cache is split instead of being replicated")
replicated_context = Declaration(
    "replicated_context", "token/sequence", "longest context where every chip holds the whole KV cache"
)
split_context = Declaration("split_context", "token/sequence", "longest context where the chips split the KV cache")
kv_capacity_per_chip = Declaration(
    "kv_capacity_per_chip",
    "byte/chip",
    "memory of one chip that the weights leave to the KV cache: what is free",
    domain="nonnegative",
)
cache_blocks = Declaration(
    "cache_blocks",
    "",
    "blocks (pages) of KV cache that fit beside the weights",
    domain="nonnegative",
    aliases=["num_gpu_blocks"],
)
