"""Parameters counted from the shapes of a transformer.

A count has a name of its own beside the published `total_parameters`: the two differ by norms, biases and rounding.
"""

from quantities.declaration import Declaration
from quantities.value import otherwise

feedforward_matrices = Declaration(
    "feedforward_matrices",
    "",
    "matrices of a feed-forward layer or an expert: 3 where it is gated, 2 where it is not",
    default=3.0,
    latex="m",
)
embedding_matrices = Declaration(
    "embedding_matrices", "", "matrices over the vocabulary: 2, or 1 where input and output share it", latex="m_V"
)

# One layer
layer_attention_parameters = Declaration(
    "layer_attention_parameters", "parameter", "attention matrices of one layer with grouped heads"
)
latent_layer_parameters = Declaration(
    "latent_layer_parameters", "parameter", "attention matrices of one layer with latent attention", latex="N_A"
)
layer_feedforward_parameters = Declaration(
    "layer_feedforward_parameters", "parameter", "feed-forward matrices of one dense layer", latex="N_f"
)
expert_parameters = Declaration("expert_parameters", "parameter", "matrices of one expert", latex="N_e")
router_parameters = Declaration(
    "router_parameters", "parameter", "matrix that scores the experts of one layer", latex="N_r"
)
embedding_parameters = Declaration("embedding_parameters", "parameter", "matrices over the vocabulary", latex="N_v")

# The model
attention_parameters = Declaration(
    "attention_parameters", "parameter", "attention matrices of all layers, grouped heads"
)
feedforward_parameters = Declaration(
    "feedforward_parameters", "parameter", "feed-forward matrices of all layers of a dense model"
)
block_parameters = Declaration("block_parameters", "parameter", "all layers of a dense model, without embeddings")
counted_parameters = Declaration(
    "counted_parameters", "parameter", "matrices of a dense model, counted from its shapes"
)
norm_parameters = Declaration(
    "norm_parameters", "parameter", "scales of the norms: two vectors for each layer and one at the end"
)
exact_parameters = Declaration(
    "exact_parameters",
    "parameter",
    "matrices and two norms a layer of a dense model without biases, such as Llama: to the last parameter",
)
attention_parameter_share = Declaration(
    "attention_parameter_share", "", "share of a dense layer's parameters that is attention", domain="0..1"
)
mixture_parameters = Declaration(
    "mixture_parameters", "parameter", "matrices of a model with grouped heads and experts (MoE)"
)
mixture_active_parameters = Declaration(
    "mixture_active_parameters", "parameter", "what one token passes through of a model with grouped heads and experts"
)
uniform_mixture_parameters = Declaration(
    "uniform_mixture_parameters",
    "parameter",
    "matrices of a model with experts in every layer, none of them shared, and grouped heads",
)
uniform_mixture_active_parameters = Declaration(
    "uniform_mixture_active_parameters",
    "parameter",
    "what one token passes through of a model with experts in every layer, none of them shared",
)
latent_mixture_parameters = Declaration(
    "latent_mixture_parameters",
    "parameter",
    "matrices of a model with latent attention (MLA) and experts",
    latex=r"N_\star",
)
latent_mixture_active_parameters = Declaration(
    "latent_mixture_active_parameters",
    "parameter",
    "what one token passes through of a model with latent attention and experts",
    latex=r"N_a^{\star}",
)
expert_share = Declaration("expert_share", "", "share of the stored parameters in routed experts", domain="0..1")
expert_sparsity = Declaration(
    "expert_sparsity", "", "routed experts over active ones; sparsity counts parameters", aliases=["MoE sparsity"]
)

# The classic transformer: as many key as query heads, all of hidden size together, and an ungated feed-forward layer
widening = Declaration(
    "widening",
    "",
    "inner size of a feed-forward layer over the hidden size",
    default=otherwise("4"),
    latex="w",
    aliases=["expansion_ratio", "mlp_ratio"],
)
positions = Declaration(
    "positions",
    "",
    "learned position vectors; 0 where there are none",
    domain="nonnegative",
    latex="n_s",
    aliases=["n_positions", "max_position_embeddings"],
)
classic_block_parameters = Declaration(
    "classic_block_parameters", "parameter", "matrices of all layers of a classic transformer: 12 l h^2"
)
classic_parameters = Declaration(
    "classic_parameters", "parameter", "a classic transformer with biases, norms, embeddings and positions"
)

# An adapter beside frozen matrices
adapter_rank = Declaration(
    "adapter_rank", "", "inner size of a low-rank adapter", latex="r", aliases=["lora_rank", "lora_r"]
)
adapted_matrices = Declaration("adapted_matrices", "", "matrices with an adapter, each of hidden by hidden size")
adapter_parameters = Declaration(
    "adapter_parameters", "parameter", "what is trained in low-rank adaptation", aliases=["trainable parameters"]
)
adapter_share = Declaration("adapter_share", "", "adapters over all stored parameters")
