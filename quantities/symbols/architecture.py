"""The shapes of a transformer: counts and sizes, all of them plain numbers, as a model's configuration states them.

The kind of attention decides which of them a model has: grouped heads have `kv_heads` and `head_dimension`, latent
attention has `latent_size` and its own dimensions, and a windowed model has `global_layers` beside its `layers`.
"""

from quantities.declaration import Declaration
from quantities.value import otherwise

layers = Declaration(
    "layers",
    "",
    "transformer layers, of all kinds together",
    latex="n_l",
    aliases=["n_layer", "num_layers", "num_hidden_layers", "block_count", "number of layers", "depth"],
)
hidden_size = Declaration(
    "hidden_size",
    "",
    "elements of a token's residual vector",
    latex="d",
    aliases=[
        "n_embd",
        "d_model",
        "embedding_length",
        "embedding dimension",
        "model dimension",
        "residual stream width",
        "hidden_dim",
    ],
)
vocabulary = Declaration(
    "vocabulary",
    "",
    "tokens that the model tells apart",
    latex="V",
    aliases=["vocab_size", "n_vocab", "padded_vocab_size", "vocabulary size"],
)

# Attention with one key and value for each group of query heads
attention_heads = Declaration(
    "attention_heads",
    "",
    "query heads of a layer",
    latex="n_q",
    aliases=[
        "n_head",
        "num_heads",
        "num_attention_heads",
        "attention.head_count",
        "query heads",
        "number of heads",
        "heads",
    ],
)
kv_heads = Declaration(
    "kv_heads",
    "",
    "heads of a layer that store a key and a value (grouped or multi-query); never of latent attention",
    latex="n_{kv}",
    aliases=[
        "num_key_value_heads",
        "num_kv_heads",
        "multi_query_group_num",
        "n_kv_heads",
        "attention.head_count_kv",
        "n_head_kv",
        "num-query-groups",
        "key-value heads",
    ],
)
head_dimension = Declaration(
    "head_dimension",
    "",
    "elements of one head's key or value",
    latex="d_h",
    aliases=["d_kv", "head_dim", "attention.key_length", "kv-channels"],
)

# Latent attention
latent_size = Declaration(
    "latent_size",
    "",
    "elements of the latent that stands for all keys and values of a token; 0 where heads store their own",
    latex="d_c",
    domain="nonnegative",
    aliases=["kv_lora_rank"],
)
rope_dimension = Declaration(
    "rope_dimension",
    "",
    "elements of the key that carries the position, shared by the heads",
    latex="d_r",
    aliases=["qk_rope_head_dim"],
)
content_dimension = Declaration(
    "content_dimension",
    "",
    "elements of a head's key that carry no position",
    latex="d_n",
    aliases=["qk_nope_head_dim"],
)
value_dimension = Declaration(
    "value_dimension",
    "",
    "elements of a head's value, in latent attention",
    latex="d_v",
    aliases=["v_head_dim", "attention.value_length"],
)
query_latent_size = Declaration(
    "query_latent_size",
    "",
    "elements of the latent that stands for a token's queries",
    latex="d_q",
    aliases=["q_lora_rank"],
)

# Layers that do not look at everything
global_layers = Declaration("global_layers", "", "layers that attend to the whole context", latex="n_g")
window_layers = Declaration("window_layers", "", "layers that attend to a window only", latex="n_w")
attention_window = Declaration(
    "attention_window",
    "token/sequence",
    "latest tokens that a windowed layer attends to",
    latex="w",
    aliases=["sliding_window", "attention_chunk_size"],
)
index_heads = Declaration(
    "index_heads",
    "",
    "heads of the indexer that selects tokens for sparse attention",
    latex="n_i",
    aliases=["index_n_heads"],
)
index_dimension = Declaration(
    "index_dimension", "", "elements of the indexer's key, shared by its heads", latex="d_i", aliases=["index_head_dim"]
)
selected_tokens = Declaration(
    "selected_tokens",
    "token/sequence",
    "tokens that sparse attention reads for each new one",
    latex="s",
    aliases=["index_topk"],
)

# Feed-forward layers and experts
feedforward_size = Declaration(
    "feedforward_size",
    "",
    "inner elements of a dense feed-forward layer",
    latex=r"d_{\mathit{ff}}",
    aliases=[
        "n_inner",
        "d_ff",
        "intermediate_size",
        "ffn_dim",
        "inter_dim",
        "hidden_dim",
        "feed_forward_length",
        "n_ff",
        "ffn-hidden-size",
        "FFN size",
        "MLP width",
    ],
)
experts = Declaration(
    "experts",
    "",
    "routed experts of a layer",
    latex="E",
    aliases=["num_local_experts", "num_experts", "moe_num_experts", "n_routed_experts", "expert_count", "n_expert"],
)
active_experts = Declaration(
    "active_experts",
    "",
    "routed experts that one token is sent to",
    latex="k_E",
    aliases=[
        "num_experts_per_tok",
        "moe_top_k",
        "n_activated_experts",
        "expert_used_count",
        "n_expert_used",
        "moe-router-topk",
        "activated experts",
        "experts per token",
        "top-k experts",
    ],
)
shared_experts = Declaration(
    "shared_experts",
    "",
    "experts of a layer that every token passes",
    latex="E_s",
    domain="nonnegative",
    default=0.0,
    aliases=["n_shared_experts", "expert_shared_count"],
)
expert_size = Declaration(
    "expert_size",
    "",
    "inner elements of one expert",
    latex="d_e",
    aliases=["moe_intermediate_size", "moe_inter_dim", "expert_feed_forward_length", "moe-ffn-hidden-size"],
)
expert_layers = Declaration("expert_layers", "", "layers whose feed-forward part is made of experts", latex="n_e")
dense_layers = Declaration(
    "dense_layers",
    "",
    "layers with a dense feed-forward part, in a model with experts",
    latex="n_d",
    domain="nonnegative",
    default=otherwise("0"),
    aliases=["first_k_dense_replace", "n_dense_layers", "leading_dense_block_count"],
)
context_limit = Declaration(
    "context_limit",
    "token/sequence",
    "longest context that the model or its provider takes",
    latex=r"L_{\max}",
    aliases=[
        "n_ctx",
        "max_position_embeddings",
        "seq_length",
        "max_seq_len",
        "model_max_length",
        "context_length",
        "n_ctx_train",
        "max_model_len",
        "context window",
    ],
)
