"""The shapes of a transformer: counts and sizes, all of them plain numbers, as a model's configuration states them.

The kind of attention decides which of them a model has: grouped heads have `kv_heads` and `head_dimension`, latent
attention has `latent_size` and its own dimensions, and a windowed model has `global_layers` beside its `layers`.
"""

from quantities.declaration import Declaration
from quantities.value import otherwise

layers = Declaration("layers", "", "transformer layers, of all kinds together", latex="n_l")
hidden_size = Declaration("hidden_size", "", "elements of a token's residual vector", latex="d")
vocabulary = Declaration("vocabulary", "", "tokens that the model tells apart", latex="V")

# Attention with one key and value for each group of query heads
attention_heads = Declaration("attention_heads", "", "query heads of a layer", latex="n_q")
kv_heads = Declaration(
    "kv_heads",
    "",
    "heads of a layer that store a key and a value (grouped or multi-query); never of latent attention",
    latex="n_{kv}",
)
head_dimension = Declaration("head_dimension", "", "elements of one head's key or value", latex="d_h")

# Latent attention
latent_size = Declaration(
    "latent_size",
    "",
    "elements of the latent that stands for all keys and values of a token; 0 where heads store their own",
    latex="d_c",
    domain="nonnegative",
)
rope_dimension = Declaration(
    "rope_dimension", "", "elements of the key that carries the position, shared by the heads", latex="d_r"
)
content_dimension = Declaration("content_dimension", "", "elements of a head's key that carry no position", latex="d_n")
value_dimension = Declaration("value_dimension", "", "elements of a head's value, in latent attention", latex="d_v")
query_latent_size = Declaration(
    "query_latent_size", "", "elements of the latent that stands for a token's queries", latex="d_q"
)

# Layers that do not look at everything
global_layers = Declaration("global_layers", "", "layers that attend to the whole context", latex="n_g")
window_layers = Declaration("window_layers", "", "layers that attend to a window only", latex="n_w")
attention_window = Declaration(
    "attention_window", "token/sequence", "latest tokens that a windowed layer attends to", latex="w"
)
index_heads = Declaration(
    "index_heads", "", "heads of the indexer that selects tokens for sparse attention", latex="n_i"
)
index_dimension = Declaration("index_dimension", "", "elements of the indexer's key, shared by its heads", latex="d_i")
selected_tokens = Declaration(
    "selected_tokens", "token/sequence", "tokens that sparse attention reads for each new one", latex="s"
)

# Feed-forward layers and experts
feedforward_size = Declaration(
    "feedforward_size", "", "inner elements of a dense feed-forward layer", latex=r"d_{\mathit{ff}}"
)
experts = Declaration("experts", "", "routed experts of a layer", latex="E")
active_experts = Declaration("active_experts", "", "routed experts that one token is sent to", latex="k_E")
shared_experts = Declaration(
    "shared_experts", "", "experts of a layer that every token passes", latex="E_s", domain="nonnegative", default=0.0
)
expert_size = Declaration("expert_size", "", "inner elements of one expert", latex="d_e")
expert_layers = Declaration("expert_layers", "", "layers whose feed-forward part is made of experts", latex="n_e")
dense_layers = Declaration(
    "dense_layers",
    "",
    "layers with a dense feed-forward part, in a model with experts",
    latex="n_d",
    domain="nonnegative",
    default=otherwise("0"),
)
context_limit = Declaration(
    "context_limit", "token/sequence", "longest context that the model or its provider takes", latex=r"L_{\max}"
)
