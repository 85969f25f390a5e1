"""Parameters from shapes: matrices of attention, feed-forward layers, experts and the vocabulary."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import architecture, counting, roofline, shapes, vocabulary

_state = partial(
    relate,
    source="Austin et al., How to Scale Your Model, 2025, Transformers",
    quantities=vocabulary(roofline, counting, architecture, shapes),
)

_V2 = "DeepSeek-V2, arXiv 2405.04434, section 2.1"
_MIXTRAL = "Jiang et al., Mixtral of Experts, arXiv 2401.04088, section 2"
_MEGATRON = "Narayanan et al., arXiv 2104.04473, section 5.1"

relations = [
    # One layer
    _state(
        "layer_attention_parameters",
        "layer_attention_parameters = one_parameter*hidden_size*head_dimension*(2*attention_heads + 2*kv_heads)",
        because="queries and output have every head, keys and values one for each group",
    ),
    _state(
        "latent_layer_parameters",
        "latent_layer_parameters = one_parameter*(hidden_size*query_latent_size"
        " + query_latent_size*attention_heads*(content_dimension + rope_dimension)"
        " + hidden_size*(latent_size + rope_dimension)"
        " + latent_size*attention_heads*(content_dimension + value_dimension)"
        " + attention_heads*value_dimension*hidden_size)",
        because="queries, keys and values are squeezed through latents; only the output matrix is whole",
        source=_V2,
    ),
    _state(
        "layer_feedforward_parameters",
        "layer_feedforward_parameters = one_parameter*feedforward_matrices*hidden_size*feedforward_size",
        because="each matrix leads from the hidden to the inner size or back",
    ),
    _state(
        "expert_parameters",
        "expert_parameters = one_parameter*feedforward_matrices*hidden_size*expert_size",
        because="an expert is a feed-forward layer of its own size",
    ),
    _state(
        "router_parameters",
        "router_parameters = one_parameter*hidden_size*experts",
        because="every routed expert has a score",
    ),
    _state(
        "embedding_parameters",
        "embedding_parameters = one_parameter*embedding_matrices*vocabulary*hidden_size",
        because="every token of the vocabulary has a vector, in and out",
    ),
    # The model
    _state(
        "attention_parameters",
        "attention_parameters = layers*layer_attention_parameters",
        because="the attention of all layers is alike",
    ),
    _state(
        "feedforward_parameters",
        "feedforward_parameters = layers*layer_feedforward_parameters",
        because="all layers of a dense model are alike",
        when=["experts <= 1"],
    ),
    _state(
        "block_parameters",
        "block_parameters = attention_parameters + feedforward_parameters",
        because="norms are left aside",
    ),
    _state(
        "counted_parameters",
        "counted_parameters = block_parameters + embedding_parameters",
        because="layers and vocabulary are all there is",
    ),
    _state(
        "norm_parameters",
        "norm_parameters = one_parameter*hidden_size*(2*layers + 1)",
        because="a norm scales each element, before attention, before the feed-forward layer and before the vocabulary",
        source="Llama, arXiv 2302.13971, section 2.2",
    ),
    _state(
        "exact_parameters",
        "exact_parameters = counted_parameters + norm_parameters",
        because="a model without biases has nothing else",
    ),
    _state(
        "attention_parameter_share",
        "attention_parameter_share = layer_attention_parameters"
        "/(layer_attention_parameters + layer_feedforward_parameters)",
        because="its definition",
        source="by definition",
    ),
    _state(
        "dense_layers",
        "dense_layers = layers - expert_layers",
        because="a layer has experts or it has none",
        source="by definition",
    ),
    _state(
        "mixture_parameters",
        "mixture_parameters = layers*layer_attention_parameters + dense_layers*layer_feedforward_parameters"
        " + expert_layers*(router_parameters + (experts + shared_experts)*expert_parameters) + embedding_parameters",
        because="all experts are stored",
    ),
    _state(
        "mixture_active_parameters",
        "mixture_active_parameters = layers*layer_attention_parameters + dense_layers*layer_feedforward_parameters"
        " + expert_layers*(router_parameters + (active_experts + shared_experts)*expert_parameters)"
        " + embedding_parameters",
        because="a token passes the experts it is sent to and the shared ones",
    ),
    _state(
        "uniform_mixture_parameters",
        "uniform_mixture_parameters = layers*(layer_attention_parameters + router_parameters"
        " + experts*expert_parameters) + embedding_parameters",
        because="all experts are stored",
        when=["dense_layers <= 0", "shared_experts <= 0"],
        source=_MIXTRAL,
    ),
    _state(
        "uniform_mixture_active_parameters",
        "uniform_mixture_active_parameters = layers*(layer_attention_parameters + router_parameters"
        " + active_experts*expert_parameters) + embedding_parameters",
        because="a token passes the experts it is sent to",
        when=["dense_layers <= 0", "shared_experts <= 0"],
        source=_MIXTRAL,
    ),
    _state(
        "latent_mixture_parameters",
        "latent_mixture_parameters = layers*latent_layer_parameters + dense_layers*layer_feedforward_parameters"
        " + expert_layers*(router_parameters + (experts + shared_experts)*expert_parameters) + embedding_parameters",
        because="all experts are stored",
        source=_V2,
    ),
    _state(
        "latent_mixture_active_parameters",
        "latent_mixture_active_parameters = layers*latent_layer_parameters + dense_layers*layer_feedforward_parameters"
        " + expert_layers*(router_parameters + (active_experts + shared_experts)*expert_parameters)"
        " + embedding_parameters",
        because="a token passes the experts it is sent to and the shared ones",
        source=_V2,
    ),
    _state(
        "expert_share",
        "expert_share = expert_layers*experts*expert_parameters/total_parameters",
        because="its definition",
        source="by definition",
    ),
    _state(
        "expert_sparsity",
        "expert_sparsity = experts/active_experts",
        because="its definition",
        source="by definition",
    ),
    # The classic transformer
    _state(
        "widening",
        "widening = feedforward_size/hidden_size",
        because="its definition",
        source="by definition",
    ),
    _state(
        "classic_block_parameters",
        "classic_block_parameters = one_parameter*layers*hidden_size**2*(4 + 2*widening)",
        because="attention has four square matrices, the feed-forward layer two that are wider",
        source="K. Chen, Transformer Inference Arithmetic, 2022",
    ),
    _state(
        "classic_parameters",
        "classic_parameters = classic_block_parameters + one_parameter*hidden_size"
        "*(layers*(4 + (1 + widening) + 4) + vocabulary + positions)",
        because="a layer has four biases in attention, those of the feed-forward layer, and two norms of two vectors",
        source=_MEGATRON,
    ),
    # An adapter
    _state(
        "adapter_parameters",
        "adapter_parameters = one_parameter*2*adapter_rank*hidden_size*adapted_matrices",
        because="two thin matrices stand beside each square one",
        source="LoRA, arXiv 2106.09685",
    ),
    _state(
        "adapter_share",
        "adapter_share = adapter_parameters/total_parameters",
        because="its definition",
        source="by definition",
    ),
]
