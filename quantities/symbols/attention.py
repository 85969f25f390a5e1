"""The arithmetic of attention, which grows with the square of the context, against that of the parameters."""

from quantities.quantity import Quantity
from quantities.value import exact

flops_per_pair = Quantity(
    "flops_per_pair",
    "FLOP*sequence/token**2",
    "a multiplication and an addition, for one element of one head and each pair of tokens of a sequence",
    default=exact("2 FLOP*sequence/token**2"),
    latex="k_a",
)
causal_share = Quantity(
    "causal_share",
    "",
    "share of all pairs of a training sequence that is counted: 1/2 for the past alone",
    domain="0..1",
    default=1.0,
    latex=r"\gamma_c",
)

# For each token
attention_flops_per_token = Quantity(
    "attention_flops_per_token",
    "FLOP/token",
    "attention over the context, all layers alike",
    latex="f_a",
)
latent_attention_flops_per_token = Quantity(
    "latent_attention_flops_per_token", "FLOP/token", "latent attention over the context", latex="f_{lat}"
)
windowed_attention_flops_per_token = Quantity(
    "windowed_attention_flops_per_token",
    "FLOP/token",
    "attention where all but the global layers see a window",
    latex="f_{win}",
)
sparse_attention_flops_per_token = Quantity(
    "sparse_attention_flops_per_token",
    "FLOP/token",
    "latent attention over selected tokens, the indexer over all",
    latex="f_{sp}",
)
causal_attention_flops_per_token = Quantity(
    "causal_attention_flops_per_token",
    "FLOP/token",
    "mean over a causal pass through the whole context",
    latex=r"\bar f_a",
)
absorbed_attention_flops_per_token = Quantity(
    "absorbed_attention_flops_per_token",
    "FLOP/token",
    "latent attention in decode, where queries meet the latents themselves and no key is written out",
    latex="f_{abs}",
)
parameter_flops_per_token = Quantity(
    "parameter_flops_per_token", "FLOP/token", "one token through the active parameters", latex="f_N"
)
forward_flops_per_token = Quantity(
    "forward_flops_per_token", "FLOP/token", "parameters and attention, forward", latex="f"
)
attention_share = Quantity(
    "attention_share", "", "attention's share of a token's forward operations", domain="0..1", latex=r"\alpha_a"
)
attention_crossover = Quantity(
    "attention_crossover",
    "token/sequence",
    "context at which attention does as many operations as the parameters",
    latex="L_a",
)
latent_attention_crossover = Quantity(
    "latent_attention_crossover",
    "token/sequence",
    "context at which latent attention does as many operations as the parameters",
    latex="L_{lat}",
)
absorbed_attention_crossover = Quantity(
    "absorbed_attention_crossover",
    "token/sequence",
    "context at which latent attention in decode does as many operations as the parameters",
    latex="L_{abs}",
)
layer_crossover = Quantity(
    "layer_crossover",
    "token/sequence",
    "sequence over which a classic layer's attention equals its matrices",
    latex="L_l",
)
layer_attention_ratio = Quantity(
    "layer_attention_ratio",
    "",
    "attention's operations over those of the matrices, in a classic layer: s / 8 h if gated",
)
projection_crossover = Quantity(
    "projection_crossover",
    "token/sequence",
    "sequence over which attention equals its own matrices, for queries, keys, values and output",
)

# In training
training_attention_flops_per_token = Quantity(
    "training_attention_flops_per_token",
    "FLOP/token",
    "attention of one training token, forward and backward",
    latex="f_{tr}",
)
latent_training_attention_flops_per_token = Quantity(
    "latent_training_attention_flops_per_token",
    "FLOP/token",
    "latent attention of one training token, forward and backward",
)
training_attention_ratio = Quantity(
    "training_attention_ratio",
    "",
    "attention over parameters in the operations of a training token",
    latex=r"\alpha_{tr}",
)
flops_per_trained_token = Quantity(
    "flops_per_trained_token", "FLOP/token", "parameters and attention for one training token, forward and backward"
)
exact_training_compute = Quantity("exact_training_compute", "FLOP", "operations that a run needs, attention included")
mfu_with_attention = Quantity(
    "mfu_with_attention", "", "training MFU where attention is counted as well", domain="0..1"
)

# A step of a classic transformer, logits included
classic_block_compute = Quantity("classic_block_compute", "FLOP", "forward through all layers, attention included")
classic_logit_compute = Quantity("classic_logit_compute", "FLOP", "forward from the last layer to the vocabulary")
classic_step_compute = Quantity("classic_step_compute", "FLOP", "operations that one step needs")
classic_hardware_compute = Quantity(
    "classic_hardware_compute", "FLOP", "operations of one step, the layers' recomputation included"
)
classic_selective_compute = Quantity(
    "classic_selective_compute", "FLOP", "operations of one step that recomputes attention alone"
)
reported_selective_compute = Quantity(
    "reported_selective_compute",
    "FLOP",
    "operations of one step that recomputes attention, as its authors count them: all of attention twice",
)
reported_selective_hfu = Quantity(
    "reported_selective_hfu", "", "HFU of a step that recomputes attention, as its authors count it", domain="0..1"
)
classic_achieved_compute = Quantity(
    "classic_achieved_compute", "FLOP/s/chip", "operations of a step, recomputation included, for each chip and second"
)
classic_model_rate = Quantity(
    "classic_model_rate", "FLOP/s/chip", "operations that a step needs, for each chip and second"
)
classic_mfu = Quantity("classic_mfu", "", "needed operations of a step over the peak", domain="0..1")
classic_hfu = Quantity("classic_hfu", "", "operations of a step, recomputation included, over the peak", domain="0..1")
classic_training_time = Quantity(
    "classic_training_time", "day", "a run that recomputes all layers: 8 FLOP for each parameter and token"
)
