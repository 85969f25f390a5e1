"""The arithmetic of attention, which grows with the square of the context, against that of the parameters."""

from quantities.declaration import Declaration
from quantities.value import exact

flops_per_pair = Declaration(
    "flops_per_pair",
    "FLOP*sequence/token**2",
    "a multiplication and an addition, for one element of one head and each pair of tokens of a sequence",
    default=exact("2 FLOP*sequence/token**2"),
    latex="k_a",
)
causal_share = Declaration(
    "causal_share",
    "",
    "share of all pairs of a training sequence that is counted: 1/2 for the past alone",
    domain="0..1",
    default=1.0,
    latex=r"\gamma_c",
)

# For each token
attention_flops_per_token = Declaration(
    "attention_flops_per_token",
    "FLOP/token",
    "attention over the context, all layers alike",
    latex="f_a",
)
latent_attention_flops_per_token = Declaration(
    "latent_attention_flops_per_token", "FLOP/token", "latent attention over the context", latex="f_{lat}"
)
windowed_attention_flops_per_token = Declaration(
    "windowed_attention_flops_per_token",
    "FLOP/token",
    "attention where all but the global layers see a window",
    latex="f_{win}",
)
sparse_attention_flops_per_token = Declaration(
    "sparse_attention_flops_per_token",
    "FLOP/token",
    "latent attention over selected tokens, the indexer over all",
    latex="f_{sp}",
)
causal_attention_flops_per_token = Declaration(
    "causal_attention_flops_per_token",
    "FLOP/token",
    "mean over a causal pass through the whole context",
    latex=r"\bar f_a",
)
absorbed_attention_flops_per_token = Declaration(
    "absorbed_attention_flops_per_token",
    "FLOP/token",
    "latent attention in decode, where queries meet the latents themselves and no key is written out",
    latex="f_{abs}",
)
parameter_flops_per_token = Declaration(
    "parameter_flops_per_token", "FLOP/token", "one token through the active parameters", latex="f_N"
)
forward_flops_per_token = Declaration(
    "forward_flops_per_token", "FLOP/token", "parameters and attention, forward", latex="f"
)
attention_share = Declaration(
    "attention_share", "", "attention's share of a token's forward operations", domain="0..1", latex=r"\alpha_a"
)
attention_crossover = Declaration(
    "attention_crossover",
    "token/sequence",
    "context at which attention does as many operations as the parameters",
    latex="L_a",
)
latent_attention_crossover = Declaration(
    "latent_attention_crossover",
    "token/sequence",
    "context at which latent attention does as many operations as the parameters",
    latex="L_{lat}",
)
absorbed_attention_crossover = Declaration(
    "absorbed_attention_crossover",
    "token/sequence",
    "context at which latent attention in decode does as many operations as the parameters",
    latex="L_{abs}",
)
layer_crossover = Declaration(
    "layer_crossover",
    "token/sequence",
    "sequence over which a classic layer's attention equals its matrices",
    latex="L_l",
)
layer_attention_ratio = Declaration(
    "layer_attention_ratio",
    "",
    "attention's operations over those of the matrices, in a classic layer: s / 8 h if gated",
)
projection_crossover = Declaration(
    "projection_crossover",
    "token/sequence",
    "sequence over which attention equals its own matrices, for queries, keys, values and output",
)

# In training
training_attention_flops_per_token = Declaration(
    "training_attention_flops_per_token",
    "FLOP/token",
    "attention of one training token, forward and backward",
    latex="f_{tr}",
)
latent_training_attention_flops_per_token = Declaration(
    "latent_training_attention_flops_per_token",
    "FLOP/token",
    "latent attention of one training token, forward and backward",
)
training_attention_ratio = Declaration(
    "training_attention_ratio",
    "",
    "attention over parameters in the operations of a training token",
    latex=r"\alpha_{tr}",
)
flops_per_trained_token = Declaration(
    "flops_per_trained_token", "FLOP/token", "parameters and attention for one training token, forward and backward"
)
exact_training_compute = Declaration(
    "exact_training_compute", "FLOP", "operations that a run needs, attention included"
)
mfu_with_attention = Declaration(
    "mfu_with_attention", "", "training MFU where attention is counted as well", domain="0..1"
)

# A step of a classic transformer, logits included
classic_block_compute = Declaration("classic_block_compute", "FLOP", "forward through all layers, attention included")
classic_logit_compute = Declaration("classic_logit_compute", "FLOP", "forward from the last layer to the vocabulary")
classic_step_compute = Declaration("classic_step_compute", "FLOP", "operations that one step needs")
classic_hardware_compute = Declaration(
    "classic_hardware_compute", "FLOP", "operations of one step, the layers' recomputation included"
)
classic_selective_compute = Declaration(
    "classic_selective_compute", "FLOP", "operations of one step that recomputes attention alone"
)
reported_selective_compute = Declaration(
    "reported_selective_compute",
    "FLOP",
    "operations of one step that recomputes attention, as its authors count them: all of attention twice",
)
reported_selective_hfu = Declaration(
    "reported_selective_hfu", "", "HFU of a step that recomputes attention, as its authors count it", domain="0..1"
)
classic_achieved_compute = Declaration(
    "classic_achieved_compute", "FLOP/s/chip", "operations of a step, recomputation included, for each chip and second"
)
classic_model_rate = Declaration(
    "classic_model_rate", "FLOP/s/chip", "operations that a step needs, for each chip and second"
)
classic_mfu = Declaration("classic_mfu", "", "needed operations of a step over the peak", domain="0..1")
classic_hfu = Declaration(
    "classic_hfu", "", "operations of a step, recomputation included, over the peak", domain="0..1"
)
classic_training_time = Declaration(
    "classic_training_time", "day", "a run that recomputes all layers: 8 FLOP for each parameter and token"
)
