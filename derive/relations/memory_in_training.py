"""Memory in training: 16 bytes a parameter unless it is sharded, and activations unless they are recomputed."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import (
    architecture,
    capacity,
    counting,
    memory_in_training,
    parallelism,
    pipeline,
    roofline,
    training,
    vocabulary,
)

_SUBJECTS = (roofline, counting, architecture, capacity, pipeline, training, parallelism, memory_in_training)

_state = partial(relate, source="ZeRO, arXiv 1910.02054, sections 3 and 5", quantities=vocabulary(*_SUBJECTS))
_activations = partial(_state, source="Korthikanti et al., arXiv 2205.05198, sections 4 and 5")
_define = partial(_state, source="by definition")

relations = [
    # States
    _state(
        "optimizer_bytes_per_parameter",
        "optimizer_bytes_per_parameter = master_bytes_per_parameter + moment_bytes_per_parameter",
        because="small steps would vanish in half precision",
    ),
    _state(
        "state_bytes_per_parameter",
        "state_bytes_per_parameter = bytes_per_parameter + gradient_bytes_per_parameter"
        " + optimizer_bytes_per_parameter",
        because="all three are kept from step to step",
    ),
    _state(
        "state_bytes", "state_bytes = total_parameters*state_bytes_per_parameter", because="every parameter is trained"
    ),
    _state(
        "checkpoint_bytes",
        "checkpoint_bytes = total_parameters*(bytes_per_parameter + optimizer_bytes_per_parameter)",
        because="gradients need not be saved",
        source="by definition",
    ),
    _state(
        "replicated_state_bytes",
        "replicated_state_bytes = state_bytes/replica_chips",
        because="plain data parallelism repeats all states in every replica",
    ),
    _state(
        "zero1_state_bytes",
        "zero1_state_bytes = total_parameters*(bytes_per_parameter + gradient_bytes_per_parameter"
        " + optimizer_bytes_per_parameter/data_ways)/replica_chips",
        because="each replica updates its share of the weights",
    ),
    _state(
        "zero2_state_bytes",
        "zero2_state_bytes = total_parameters*(bytes_per_parameter"
        " + (gradient_bytes_per_parameter + optimizer_bytes_per_parameter)/data_ways)/replica_chips",
        because="a replica needs only the gradients of the weights it updates",
    ),
    _state(
        "zero3_state_bytes",
        "zero3_state_bytes = replicated_state_bytes/data_ways",
        because="weights are fetched when a layer needs them",
    ),
    # Activations of one layer
    _activations(
        "linear_activation_bytes",
        "linear_activation_bytes = split_activation_bytes + whole_activation_bytes",
        because="inputs of matrices and of what follows them",
    ),
    _activations(
        "score_activation_bytes",
        "score_activation_bytes = score_bytes*attention_heads*sequence_length/hidden_size",
        because="every head keeps a score for every pair of tokens",
    ),
    _activations(
        "layer_activations",
        "layer_activations = micro_tokens*hidden_size*(linear_activation_bytes + score_activation_bytes)",
        because="what the backward pass reads is kept",
    ),
    _activations(
        "tensor_layer_activations",
        "tensor_layer_activations = micro_tokens*hidden_size"
        "*(whole_activation_bytes + (split_activation_bytes + score_activation_bytes)/tensor_ways)/one_chip",
        because="tensor parallelism divides attention and feed-forward layer, not what lies between them",
    ),
    _activations(
        "sequence_layer_activations",
        "sequence_layer_activations = layer_activations/(tensor_ways*one_chip)",
        because="sequence parallelism divides what lies between them too",
    ),
    _activations(
        "selective_tensor_layer_activations",
        "selective_tensor_layer_activations = micro_tokens*hidden_size"
        "*(whole_activation_bytes + split_activation_bytes/tensor_ways)/one_chip",
        because="scores are large and cheap to compute again",
    ),
    _activations(
        "selective_layer_activations",
        "selective_layer_activations = micro_tokens*hidden_size*linear_activation_bytes/(tensor_ways*one_chip)",
        because="scores are large and cheap to compute again",
    ),
    _activations(
        "recomputed_layer_activations",
        "recomputed_layer_activations = micro_tokens*hidden_size*input_activation_bytes/one_chip",
        because="a layer can be computed again from its input",
    ),
    _activations(
        "selective_saving",
        "selective_saving = score_activation_bytes/(linear_activation_bytes + score_activation_bytes)",
        because="the scores are what is not kept",
    ),
    _activations(
        "activation_ratio",
        "activation_ratio = selective_layer_activations/tensor_layer_activations",
        because="its definition",
    ),
    *(
        _activations(
            f"{scheme}_activations",
            f"{scheme}_activations = layers*{scheme}_layer_activations",
            because="the first stage has a share of the layers and as many micro-batches in flight as there are stages",
        )
        for scheme in ("tensor", "sequence", "selective_tensor", "selective", "recomputed")
    ),
    _activations(
        "interleaving_memory",
        "interleaving_memory = 1 + (stages - 1)/(stages*interleaving)",
        because="smaller pieces start sooner, so more of them are in flight",
    ),
    # A chip
    _activations(
        "chip_activations",
        "chip_activations = layers*kept_layer_activations",
        because="the first stage has a share of the layers and as many micro-batches in flight as there are stages",
    ),
    _define(
        "training_memory", "training_memory = chip_state_bytes + chip_activations", because="one memory holds both"
    ),
    _define(
        "training_fits",
        "training_memory <= hbm_capacity",
        because="what does not fit cannot be trained without offloading",
    ),
    _define(
        "kept_activation_bytes",
        "kept_activation_bytes = checkpoints_per_layer*activation_bytes_per_element*vector_per_token",
        because="each checkpoint is a vector of hidden size",
    ),
    _define(
        "kept_activations",
        "kept_activations = batch_tokens*layers*hidden_size*kept_activation_bytes",
        because="every layer keeps the same of every token",
    ),
    _define("training_bytes", "training_bytes = state_bytes + kept_activations", because="memory holds both"),
    _define(
        "fewest_training_chips",
        "fewest_training_chips = training_bytes/hbm_capacity",
        because="memory of all chips together holds what is not repeated",
    ),
    # Reversible layers
    _state(
        "reversible_activations",
        "reversible_activations = chip_activations/layers",
        because="a layer's input is worked out from its output, so only the last one's is kept",
        source="Gomez et al., The Reversible Residual Network, arXiv 1707.04585",
    ),
    _define(
        "reversible_saving",
        "reversible_saving = 1 - reversible_activations/chip_activations",
        because="its definition",
    ),
    _state(
        "reversible_factor",
        "reversible_factor = (training_passes + 1)/training_passes",
        because="going back through the layers repeats the forward pass once",
        source="R. Pope with D. Patel, blackboard lecture, April 2026",
    ),
]
