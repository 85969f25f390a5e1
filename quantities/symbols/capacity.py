"""What fits: the memory of the chips, and how it is divided between weights and KV cache."""

from quantities.quantity import Quantity
from quantities.value import otherwise

hbm_capacity = Quantity("hbm_capacity", "byte/chip", "memory of one chip", latex="C")
domain_capacity = Quantity("domain_capacity", "byte", "memory of all the chips together", latex="nC")
domain_bandwidth = Quantity("domain_bandwidth", "byte/s", "memory bandwidth of all the chips together", latex="nW")
domain_compute = Quantity("domain_compute", "FLOP/s", "dense peak of all the chips together", latex="nF")
usable_memory_share = Quantity(
    "usable_memory_share",
    "",
    "share of the memory that weights and KV cache may fill",
    latex="u",
    domain="0..1",
    default=otherwise("1"),
)
usable_hbm_capacity = Quantity(
    "usable_hbm_capacity", "byte/chip", "memory of one chip that weights and KV cache may fill", latex="uC"
)
held_bytes = Quantity("held_bytes", "byte", "weights and KV cache together", latex=r"M_{\mathrm{held}}")
kv_capacity = Quantity(
    "kv_capacity",
    "byte",
    "memory that the weights leave to the KV cache",
    latex=r"M_{\mathrm{free}}",
    domain="nonnegative",
)
batch_capacity = Quantity(
    "batch_capacity",
    "sequence",
    "sequences whose KV cache fits beside the weights",
    latex=r"B_{\max}",
    domain="nonnegative",
)
context_capacity = Quantity(
    "context_capacity",
    "token/sequence",
    "longest context that fits for every sequence of the batch",
    latex=r"L_{\mathrm{fit}}",
    domain="nonnegative",
)
token_capacity = Quantity(
    "token_capacity", "token", "tokens, of all sequences, whose KV cache fits beside the weights", domain="nonnegative"
)
parameter_capacity = Quantity(
    "parameter_capacity",
    "parameter",
    "largest model that fits beside the KV cache",
    latex=r"N_{\max}",
    domain="nonnegative",
)
weight_chips = Quantity(
    "weight_chips", "chip", "fewest chips whose memory holds the weights, before rounding up", latex="n_w"
)
held_chips = Quantity(
    "held_chips", "chip", "fewest chips whose memory holds weights and KV cache, before rounding up", latex="n_M"
)
weight_memory_share = Quantity("weight_memory_share", "", "share of the memory that the weights fill")
kv_memory_share = Quantity("kv_memory_share", "", "share of the memory that the KV cache fills", domain="nonnegative")
kv_to_weights = Quantity("kv_to_weights", "", "bytes of KV cache over bytes of weights", domain="nonnegative")
kv_ways = Quantity("kv_ways", "", "chips among which the KV cache is split instead of being replicated")
replicated_context = Quantity(
    "replicated_context", "token/sequence", "longest context where every chip holds the whole KV cache"
)
split_context = Quantity("split_context", "token/sequence", "longest context where the chips split the KV cache")
kv_capacity_per_chip = Quantity(
    "kv_capacity_per_chip",
    "byte/chip",
    "memory of one chip that the weights leave to the KV cache: what is free",
    domain="nonnegative",
)
cache_blocks = Quantity(
    "cache_blocks", "", "blocks (pages) of KV cache that fit beside the weights", domain="nonnegative"
)
