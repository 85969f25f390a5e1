"""Attention's operations for each token and in training, and where they overtake those of the parameters."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import architecture, attention, counting, roofline, shapes, training, vocabulary

_state = partial(
    relate,
    source="Kaplan et al., arXiv 2001.08361, section 2.1",
    quantities=vocabulary(roofline, counting, architecture, attention, shapes, training),
)

_PALM = "PaLM, arXiv 2204.02311, appendix B"
_MEGATRON = "Narayanan et al., arXiv 2104.04473, section 5.1"
_KORTHIKANTI = "Korthikanti et al., arXiv 2205.05198, appendix A"

relations = [
    # Forward
    _state(
        "attention_flops_per_token",
        "attention_flops_per_token = flops_per_pair*layers*attention_heads*2*head_dimension*context",
        because="each head scores every token of the context and sums the values",
    ),
    _state(
        "latent_attention_flops_per_token",
        "latent_attention_flops_per_token = flops_per_pair*layers*attention_heads"
        "*(content_dimension + rope_dimension + value_dimension)*context",
        because="a key has content and position, a value has its own size",
        source="DeepSeek-V2, arXiv 2405.04434, section 2.1",
    ),
    _state(
        "absorbed_attention_flops_per_token",
        "absorbed_attention_flops_per_token = flops_per_pair*layers*attention_heads"
        "*(2*latent_size + rope_dimension)*context",
        because="each head scores the latent and its position, and sums the latents",
        source="DeepSeek-V2, arXiv 2405.04434, section 2.1",
    ),
    _state(
        "windowed_attention_flops_per_token",
        "windowed_attention_flops_per_token = flops_per_pair*attention_heads*2*head_dimension"
        "*(global_layers*context + (layers - global_layers)*min(context, attention_window))",
        because="a windowed layer looks no further back than its window",
        source="Gemma 3, arXiv 2503.19786, section 2",
    ),
    _state(
        "sparse_attention_flops_per_token",
        "sparse_attention_flops_per_token = flops_per_pair*layers"
        "*(attention_heads*(content_dimension + rope_dimension + value_dimension)*min(context, selected_tokens)"
        " + index_heads*index_dimension*context)",
        because="the indexer scores the whole context, the heads only what it selects",
        source="DeepSeek-V3.2, arXiv 2512.02556, section 2",
    ),
    _state(
        "causal_attention_flops_per_token",
        "causal_attention_flops_per_token = attention_flops_per_token/2",
        because="on the mean a token of a causal pass sees half of it",
    ),
    _state(
        "parameter_flops_per_token",
        "parameter_flops_per_token = flops_per_parameter*active_parameters",
        because="each active parameter multiplies and adds once",
    ),
    _state(
        "forward_flops_per_token",
        "forward_flops_per_token = parameter_flops_per_token + attention_flops_per_token",
        because="the two kinds of work add up",
    ),
    _state(
        "attention_share",
        "attention_share = attention_flops_per_token/forward_flops_per_token",
        because="its definition",
        source="by definition",
    ),
    _state(
        "attention_crossover",
        "attention_crossover = flops_per_parameter*active_parameters"
        "/(flops_per_pair*layers*attention_heads*2*head_dimension)",
        because="attention grows with the context, the parameters do not",
    ),
    _state(
        "latent_attention_crossover",
        "latent_attention_crossover = flops_per_parameter*active_parameters"
        "/(flops_per_pair*layers*attention_heads*(content_dimension + rope_dimension + value_dimension))",
        because="attention grows with the context, the parameters do not",
        source="DeepSeek-V2, arXiv 2405.04434, section 2.1",
    ),
    _state(
        "absorbed_attention_crossover",
        "absorbed_attention_crossover = flops_per_parameter*active_parameters"
        "/(flops_per_pair*layers*attention_heads*(2*latent_size + rope_dimension))",
        because="attention grows with the context, the parameters do not",
        source="DeepSeek-V2, arXiv 2405.04434, section 2.1",
    ),
    _state(
        "layer_crossover",
        "layer_crossover = flops_per_parameter*one_parameter*hidden_size*(4 + feedforward_matrices*widening)"
        "/(2*flops_per_pair*causal_share)",
        because="keys and values of a classic layer are of hidden size each, its matrices of hidden size squared",
        source="Austin et al., How to Scale Your Model, 2025, Transformers",
    ),
    _state(
        "layer_attention_ratio",
        "layer_attention_ratio = sequence_length/layer_crossover",
        because="attention grows with the sequence, the matrices do not",
        source="Austin et al., How to Scale Your Model, 2025, Transformers",
    ),
    _state(
        "projection_crossover",
        "projection_crossover = flops_per_parameter*one_parameter*hidden_size*(2*attention_heads + 2*kv_heads)"
        "/(flops_per_pair*2*attention_heads*causal_share)",
        because="both grow with the heads, but only attention with the sequence",
        source="Austin et al., How to Scale Your Model, 2025, Transformers",
    ),
    # Training
    _state(
        "training_attention_flops_per_token",
        "training_attention_flops_per_token = training_passes*causal_share*flops_per_pair"
        "*layers*attention_heads*2*head_dimension*sequence_length",
        because="attention goes backward as the matrices do",
        source=_PALM,
    ),
    _state(
        "latent_training_attention_flops_per_token",
        "latent_training_attention_flops_per_token = training_passes*causal_share*flops_per_pair"
        "*layers*attention_heads*(content_dimension + rope_dimension + value_dimension)*sequence_length",
        because="attention goes backward as the matrices do",
        source="DeepSeek-V2, arXiv 2405.04434, section 2.1",
    ),
    _state(
        "flops_per_trained_token",
        "flops_per_trained_token = training_flops_per_token + training_attention_flops_per_token",
        because="the two kinds of work add up",
        source=_PALM,
    ),
    _state(
        "training_attention_ratio",
        "training_attention_ratio = training_attention_flops_per_token/training_flops_per_token",
        because="its definition",
        source="by definition",
    ),
    _state(
        "exact_training_compute",
        "exact_training_compute = flops_per_trained_token*training_tokens",
        because="every token costs the same on the mean",
        source=_PALM,
    ),
    _state(
        "mfu_with_attention",
        "mfu_with_attention = chip_training_throughput*flops_per_trained_token/peak_compute",
        because="the rate of needed operations over the peak",
        source=_PALM,
    ),
    # A step of a classic transformer
    _state(
        "classic_block_compute",
        "classic_block_compute = batch_tokens*layers*hidden_size"
        "*(flops_per_parameter*one_parameter*(4 + 2*widening)*hidden_size + 2*flops_per_pair*sequence_length)",
        because="twelve hidden sizes squared of matrices, and scores and values of hidden size",
        source=_MEGATRON,
    ),
    _state(
        "classic_logit_compute",
        "classic_logit_compute = batch_tokens*flops_per_parameter*one_parameter*hidden_size*vocabulary",
        because="the last vector is compared with every token of the vocabulary",
        source=_MEGATRON,
    ),
    _state(
        "classic_step_compute",
        "classic_step_compute = training_passes*(classic_block_compute + classic_logit_compute)",
        because="layers and logits go forward and backward",
        source=_KORTHIKANTI,
    ),
    _state(
        "classic_hardware_compute",
        "classic_hardware_compute = hardware_passes*classic_block_compute + training_passes*classic_logit_compute",
        because="layers are recomputed, logits are not",
        source=_MEGATRON,
    ),
    _state(
        "classic_selective_compute",
        "classic_selective_compute = classic_step_compute"
        " + 2*flops_per_pair*batch_tokens*layers*hidden_size*sequence_length",
        because="attention alone goes forward once more",
        source="by definition",
    ),
    _state(
        "reported_selective_compute",
        "reported_selective_compute = classic_step_compute"
        " + training_passes*2*flops_per_pair*batch_tokens*layers*hidden_size*sequence_length",
        because="this count takes all of attention twice, backward included; a forward pass is a third of that",
        source=_KORTHIKANTI,
    ),
    _state(
        "reported_selective_hfu",
        "reported_selective_hfu = reported_selective_compute/(training_chips*training_step_time*peak_compute)",
        because="the operations so counted over the peak",
        source=_KORTHIKANTI,
    ),
    _state(
        "classic_achieved_compute",
        "classic_achieved_compute = classic_hardware_compute/(training_chips*training_step_time)",
        because="the operations of a step in the time of a step",
        source=_MEGATRON,
    ),
    _state(
        "classic_model_rate",
        "classic_model_rate = classic_step_compute/(training_chips*training_step_time)",
        because="the needed operations of a step in the time of a step",
        source=_KORTHIKANTI,
    ),
    _state(
        "classic_mfu",
        "classic_mfu = classic_model_rate/peak_compute",
        because="its definition",
        source=_KORTHIKANTI,
    ),
    _state(
        "classic_hfu",
        "classic_hfu = classic_achieved_compute/peak_compute",
        because="its definition",
        source=_MEGATRON,
    ),
    _state(
        "classic_training_time",
        "classic_training_time = hardware_passes*flops_per_parameter*active_parameters*training_tokens"
        "/(training_chips*classic_achieved_compute)",
        because="with full recomputation eight operations for each parameter and token, at the rate that counts them",
        source=_MEGATRON,
    ),
]
