"""Memory in training: weights, gradients and optimizer states, which sharding divides, and activations."""

from quantities.declaration import Declaration
from quantities.value import exact

# What is kept for each parameter
gradient_bytes_per_parameter = Declaration(
    "gradient_bytes_per_parameter", "byte/parameter", "size of a gradient", latex="b_g"
)
master_bytes_per_parameter = Declaration(
    "master_bytes_per_parameter",
    "byte/parameter",
    "the weight once more, in full precision",
    domain="nonnegative",
    latex="b_m",
)
moment_bytes_per_parameter = Declaration(
    "moment_bytes_per_parameter", "byte/parameter", "running means that the optimizer keeps, all together", latex="b_v"
)
optimizer_bytes_per_parameter = Declaration(
    "optimizer_bytes_per_parameter",
    "byte/parameter",
    "full-precision weight and moments: 12 for Adam",
    latex="K",
    aliases=["optimizer states"],
)
state_bytes_per_parameter = Declaration(
    "state_bytes_per_parameter",
    "byte/parameter",
    "weight, gradient and optimizer states: 16 for Adam in mixed precision",
    latex=r"b_\Sigma",
)
state_bytes = Declaration(
    "state_bytes", "byte", "weights, gradients and optimizer states of one replica", latex=r"M_\Sigma"
)
checkpoint_bytes = Declaration("checkpoint_bytes", "byte", "what is saved: weights and optimizer states")

# On each chip, by what the replicas share between them
replicated_state_bytes = Declaration(
    "replicated_state_bytes", "byte/chip", "states on a chip, nothing sharded", latex="M_0"
)
zero1_state_bytes = Declaration(
    "zero1_state_bytes",
    "byte/chip",
    "states on a chip, optimizer sharded: ZeRO stage 1",
    latex="M_1",
    aliases=["P_os", "ZeRO-1"],
)
zero2_state_bytes = Declaration(
    "zero2_state_bytes",
    "byte/chip",
    "gradients sharded as well: ZeRO stage 2",
    latex="M_2",
    aliases=["P_os+g", "ZeRO-2"],
)
zero3_state_bytes = Declaration(
    "zero3_state_bytes",
    "byte/chip",
    "weights sharded as well: ZeRO stage 3, or FSDP",
    latex="M_3",
    aliases=["P_os+g+p", "ZeRO-3"],
)

# Activations of a classic transformer in 16 bits
split_activation_bytes = Declaration(
    "split_activation_bytes",
    "byte/token",
    "kept of a layer for each hidden element, what tensor parallelism divides",
    default=exact("24 byte/token"),
    latex="a_t",
)
whole_activation_bytes = Declaration(
    "whole_activation_bytes",
    "byte/token",
    "kept of a layer for each hidden element, what only sequence parallelism divides: norms and dropouts",
    default=exact("10 byte/token"),
    latex="a_w",
)
linear_activation_bytes = Declaration(
    "linear_activation_bytes",
    "byte/token",
    "kept of a layer for each hidden element, all that grows with the tokens alone: 34 in 16 bits",
    latex="a_1",
)
score_bytes = Declaration(
    "score_bytes",
    "byte*sequence/token**2",
    "kept for each head and pair of tokens: softmax, dropout and its mask",
    default=exact("5 byte*sequence/token**2"),
    latex="b_a",
)
score_activation_bytes = Declaration(
    "score_activation_bytes", "byte/token", "kept of a layer's scores for each hidden element: 5 a s / h", latex="a_2"
)
input_activation_bytes = Declaration(
    "input_activation_bytes",
    "byte/token",
    "a layer's input for each hidden element, which full recomputation starts from",
    default=exact("2 byte/token"),
    latex="a_0",
)
layer_activations = Declaration(
    "layer_activations",
    "byte",
    "kept of one layer for one micro-batch, all chips together",
    latex="A_l",
    aliases=["activation memory per layer"],
)
tensor_layer_activations = Declaration(
    "tensor_layer_activations", "byte/chip", "kept of one layer on a chip with tensor parallelism"
)
sequence_layer_activations = Declaration(
    "sequence_layer_activations",
    "byte/chip",
    "kept of one layer on a chip with tensor and sequence parallelism",
    latex="A_l^s",
)
selective_tensor_layer_activations = Declaration(
    "selective_tensor_layer_activations",
    "byte/chip",
    "kept of one layer on a chip with tensor parallelism, scores recomputed",
)
selective_layer_activations = Declaration(
    "selective_layer_activations",
    "byte/chip",
    "kept of one layer on a chip with tensor and sequence parallelism, scores recomputed",
    latex="A_l^x",
)
recomputed_layer_activations = Declaration(
    "recomputed_layer_activations",
    "byte/chip",
    "kept of one layer on a chip with everything recomputed from the layer's input",
    latex="A_l^r",
)
selective_saving = Declaration(
    "selective_saving", "", "share of activations that recomputing scores saves", domain="0..1"
)
activation_ratio = Declaration(
    "activation_ratio", "", "activations with sequence parallelism and recomputed scores over tensor parallelism alone"
)

# All layers, by the same schemes
tensor_activations = Declaration(
    "tensor_activations",
    "byte/chip",
    "kept of all layers on a chip with tensor parallelism, in a pipeline on its first stage",
)
sequence_activations = Declaration(
    "sequence_activations",
    "byte/chip",
    "kept of all layers on a chip with tensor and sequence parallelism",
    latex="A^s",
)
selective_tensor_activations = Declaration(
    "selective_tensor_activations", "byte/chip", "kept of all layers with tensor parallelism, scores recomputed"
)
selective_activations = Declaration(
    "selective_activations",
    "byte/chip",
    "kept of all layers with tensor and sequence parallelism, scores recomputed",
    latex="A^x",
)
recomputed_activations = Declaration(
    "recomputed_activations",
    "byte/chip",
    "kept of all layers with everything recomputed from each layer's input",
    latex="A^r",
)
interleaving_memory = Declaration(
    "interleaving_memory", "", "activations of the first stage with an interleaved pipeline over those without"
)

# A whole chip
kept_layer_activations = Declaration(
    "kept_layer_activations", "byte/chip", "kept of one layer on a chip under the scheme in use", latex="A_l^k"
)
chip_activations = Declaration(
    "chip_activations",
    "byte/chip",
    "activations on a chip of the first stage, its micro-batches in flight",
    latex="A_c",
)
training_memory = Declaration("training_memory", "byte/chip", "states and activations on a chip")
chip_state_bytes = Declaration("chip_state_bytes", "byte/chip", "states on a chip under the sharding in use")
checkpoints_per_layer = Declaration(
    "checkpoints_per_layer", "", "vectors of hidden size that a layer keeps of each token: 1 with block recomputation"
)
kept_activation_bytes = Declaration(
    "kept_activation_bytes", "byte/token", "kept of a layer for each hidden element under the scheme in use"
)
kept_activations = Declaration(
    "kept_activations", "byte", "kept of all layers for one optimizer step, all chips together: activation checkpoints"
)
training_bytes = Declaration("training_bytes", "byte", "states and activations of a run, all chips together")
fewest_training_chips = Declaration(
    "fewest_training_chips", "chip", "chips whose memory states and activations fill; round up for the fewest"
)

# Reversible layers
reversible_activations = Declaration(
    "reversible_activations",
    "byte/chip",
    "activations of reversible layers: one layer's, the others are recomputed",
    latex="A_{rev}",
)
reversible_saving = Declaration(
    "reversible_saving", "", "share of activations that reversible layers save", domain="0..1", latex=r"\epsilon_{rev}"
)
reversible_factor = Declaration(
    "reversible_factor",
    "",
    "operations with reversible layers over those without: one forward pass more",
    latex="h_{rev}",
)
