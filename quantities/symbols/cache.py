"""The KV cache from the architecture, and what quantisation, windows and selection make of it."""

from quantities.declaration import Declaration
from quantities.value import exact

# What one token leaves behind
kv_bytes_per_element = Declaration(
    "kv_bytes_per_element", "byte", "size of a stored element of the KV cache", latex=r"b_{kv}"
)
kv_vectors = Declaration(
    "kv_vectors", "1/token", "a key and a value for each token and head", latex="2", default=exact("2 1/token")
)
kv_bytes_per_layer = Declaration(
    "kv_bytes_per_layer", "byte/token", "KV cache that one layer stores for one token", latex=r"\kappa_l"
)
kv_layers = Declaration("kv_layers", "", "caches of a token: layers, less those that share another's", latex="n_c")
layers_per_cache = Declaration(
    "layers_per_cache",
    "",
    "layers that share one cache; 1 without sharing",
    latex="n_s",
    default=1.0,
    aliases=["CLA sharing factor"],
)
query_group = Declaration(
    "query_group",
    "",
    "query heads that share one key and value: 1 with full heads, all with multi-query",
    latex="g",
    aliases=["n_rep", "n_gqa", "num_queries_per_kv", "GQA group size"],
)
baseline_kv_bytes_per_token = Declaration(
    "baseline_kv_bytes_per_token",
    "byte/token",
    "KV cache of the design that another is compared with",
    latex=r"\kappa_0",
)
kv_saving = Declaration("kv_saving", "", "share of the baseline's KV cache that a design saves", domain="real")

limit_kv_bytes = Declaration("limit_kv_bytes", "byte/sequence", "KV cache of a sequence of the longest context")
attention_intensity = Declaration(
    "attention_intensity",
    "FLOP/byte",
    "operations of decoding attention for each byte of KV cache that it reads",
    latex="I_a",
)
latent_attention_intensity = Declaration(
    "latent_attention_intensity",
    "FLOP/byte",
    "operations of latent attention in decode for each byte of cached latent that it reads",
    latex="I_c",
)
kv_reduction = Declaration("kv_reduction", "", "how many times smaller the KV cache is than the baseline's")
pass_attention_intensity = Declaration(
    "pass_attention_intensity",
    "FLOP/byte",
    "operations of attention for each byte it moves where a pass carries several tokens: in prefill",
)
softmax_flops = Declaration(
    "softmax_flops", "FLOP", "operations of the softmax for one score, as they are commonly counted", default="3 FLOP"
)
unfused_attention_intensity = Declaration(
    "unfused_attention_intensity",
    "FLOP/byte",
    "operations of one head's prefill attention for each byte, where the scores go through memory: not fused",
)

# Reservations and blocks
reservation_use = Declaration(
    "reservation_use", "", "share of a reserved KV cache in use, where the longest context is reserved"
)
block_tokens = Declaration(
    "block_tokens",
    "token",
    "tokens of one block (page) of the KV cache",
    aliases=["block_size", "page-size", "tokens_per_block", "KV block size"],
)
block_bytes = Declaration("block_bytes", "byte", "KV cache of one block (page), all layers together")

# Windows, selection and shared prefixes
global_kv_bytes_per_token = Declaration(
    "global_kv_bytes_per_token", "byte/token", "KV cache that each token beyond the window adds", latex=r"\kappa_g"
)
window_kv_bytes = Declaration(
    "window_kv_bytes", "byte/sequence", "KV cache of the windowed layers once their windows are full", latex="K_w"
)
index_bytes_per_token = Declaration(
    "index_bytes_per_token",
    "byte/token",
    "index keys that sparse attention reads for each token of the context; 0 without an indexer",
    latex=r"\kappa_i",
    domain="nonnegative",
)
selection_scale = Declaration(
    "selection_scale",
    "token/sequence",
    "context up to which attention that selects the square root of its context would select everything",
    latex="c^2",
)
prefix_tokens = Declaration(
    "prefix_tokens",
    "token/sequence",
    "tokens at the start that several sequences have in common",
    latex="L_p",
    domain="nonnegative",
)
prefix_sharers = Declaration("prefix_sharers", "", "sequences that share one stored prefix", latex="n_p")
shared_kv_bytes = Declaration(
    "shared_kv_bytes", "byte/sequence", "KV cache of a sequence whose prefix is stored once for all", latex="K_p"
)
prefix_saving = Declaration(
    "prefix_saving", "", "share of the KV cache that sharing a prefix saves", domain="0..1", latex="s_p"
)

# Quantisation: codes in groups, each group with a scale of its own
code_bytes_per_parameter = Declaration(
    "code_bytes_per_parameter",
    "byte/parameter",
    "size of a weight's code without its scale, such as 4 bit",
    latex="b_q",
)
scale_bytes = Declaration(
    "scale_bytes", "byte", "size of the scale (and zero point) of a group of weights", latex="b_s"
)
scale_group = Declaration("scale_group", "parameter", "weights that share one scale", latex="g_s")
kv_code_bytes = Declaration(
    "kv_code_bytes", "byte", "size of a cached element's code without its scale", latex="b_{kq}"
)
kv_scale_bytes = Declaration(
    "kv_scale_bytes", "byte", "size of the scale of a group of cached elements", latex="b_{ks}"
)
kv_scale_group = Declaration("kv_scale_group", "", "cached elements that share one scale", latex="g_{ks}")
