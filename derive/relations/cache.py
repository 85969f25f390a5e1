"""The KV cache from the architecture, and what windows, selection, sharing and quantisation make of it."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import architecture, cache, counting, matrices, pipeline, roofline, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(architecture, cache, counting, matrices, pipeline, roofline),
)

relations = [
    # What one layer keeps of a token
    _state(
        "grouped_kv",
        "kv_bytes_per_layer = kv_vectors*kv_heads*head_dimension*kv_bytes_per_element",
        because="every key-value head keeps one key and one value",
        when=["latent_size == 0"],
        source="Ainslie et al., GQA, arXiv 2305.13245",
    ),
    _state(
        "latent_kv",
        "kv_bytes_per_layer = vector_per_token*(latent_size + rope_dimension)*kv_bytes_per_element",
        because="one latent stands for all keys and values, one key carries the position",
        source="DeepSeek-V2, arXiv 2405.04434, section 2.1",
    ),
    _state("query_group", "query_group = attention_heads/kv_heads", because="its definition", source="by definition"),
    _state(
        "attention_intensity",
        "attention_intensity = query_group*flops_per_multiply_add/kv_bytes_per_element",
        because="each cached element serves every query head of its group",
        source="Austin et al., How to Scale Your Model, 2025, Inference",
    ),
    _state(
        "latent_attention_intensity",
        "latent_attention_intensity = attention_heads*flops_per_multiply_add*(2*latent_size + rope_dimension)"
        "/((latent_size + rope_dimension)*kv_bytes_per_element)",
        because="every head scores each cached latent and sums it, and one reading serves all heads",
        source="DeepSeek-V2, arXiv 2405.04434, section 2.1",
    ),
    # All layers
    _state("kv_layers", "kv_layers = layers/layers_per_cache", because="layers that share a cache keep it once"),
    _state(
        "kv_bytes_per_token",
        "kv_bytes_per_token = kv_layers*kv_bytes_per_layer",
        because="where every layer attends to the whole context, each adds the same",
        when=["global_layers >= layers"],
    ),
    _state(
        "window_layers",
        "window_layers = layers - global_layers",
        because="a layer sees the whole context or a window",
        source="by definition",
    ),
    _state(
        "windowed_kv",
        "kv_bytes_per_sequence = kv_bytes_per_layer*(global_layers*context"
        " + window_layers*min(context, attention_window))",
        because="a windowed layer forgets what has left its window",
        source="Gemma 3, arXiv 2503.19786, section 2",
    ),
    _state(
        "global_kv_bytes_per_token",
        "global_kv_bytes_per_token = global_layers*kv_bytes_per_layer",
        because="beyond the window only the global layers grow",
        source="by definition",
    ),
    _state(
        "window_kv_bytes",
        "window_kv_bytes = window_layers*attention_window*kv_bytes_per_layer",
        because="a full window replaces its oldest token",
        source="by definition",
    ),
    _state(
        "limit_kv_bytes",
        "limit_kv_bytes = context_limit*kv_bytes_per_token",
        because="what has to be reserved where the length is not known",
        source="Kwon et al., PagedAttention, arXiv 2309.06180, section 3",
    ),
    _state(
        "kv_saving",
        "kv_saving = 1 - kv_bytes_per_token/baseline_kv_bytes_per_token",
        because="its definition",
        source="by definition",
    ),
    _state(
        "kv_reduction",
        "kv_reduction = baseline_kv_bytes_per_token/kv_bytes_per_token",
        because="its definition",
        source="by definition",
    ),
    _state(
        "reservation_use",
        "reservation_use = context/context_limit",
        because="what is reserved and not used is lost to other sequences",
        source="Kwon et al., PagedAttention, arXiv 2309.06180, section 3",
    ),
    _state(
        "block_bytes",
        "block_bytes = block_tokens*kv_bytes_per_token",
        because="a block keeps whole tokens",
        source="Kwon et al., PagedAttention, arXiv 2309.06180, section 4",
    ),
    # What attention does with it
    _state(
        "pass_attention_intensity",
        "pass_attention_intensity = attention_intensity*tokens_per_pass*context*one_sequence"
        "/(one_token*(context + query_group*tokens_per_pass))",
        because="each byte of cache serves every token of the pass; queries are read and results written beside it",
        source="Austin et al., How to Scale Your Model, 2025, Inference",
    ),
    _state(
        "unfused_attention_intensity",
        "unfused_attention_intensity = context*(2*flops_per_multiply_add*head_dimension + softmax_flops)"
        "/(2*2*activation_bytes_per_element*(context + head_dimension*one_token/one_sequence))",
        because="scores are written and read twice; queries, keys, values and results pass once",
        source="V. Shenoy and P. Kiely, A guide to LLM inference and performance, Baseten, 2023",
    ),
    # What a step reads of it
    _state(
        "sparse_reading",
        "kv_read_share = (min(selected_tokens, context)*kv_bytes_per_token"
        " + context*index_bytes_per_token)/kv_bytes_per_sequence",
        because="the heads read what was selected, the indexer a small key of everything",
        source="DeepSeek-V3.2, arXiv 2512.02556, section 2",
    ),
    _state(
        "square_root_selection",
        "selected_tokens = sqrt(selection_scale*context)",
        because="a selection that grows with the square root of the context",
    ),
    # Prefixes in common
    _state(
        "shared_kv_bytes",
        "shared_kv_bytes = kv_bytes_per_token*(context - prefix_tokens*(1 - 1/prefix_sharers))",
        because="a prefix is stored once for all that share it",
        source="Kwon et al., PagedAttention, arXiv 2309.06180, section 4.4",
    ),
    _state(
        "prefix_saving",
        "prefix_saving = prefix_tokens/context*(1 - 1/prefix_sharers)",
        because="all but one of the sharers keep no prefix",
    ),
    # Codes and scales
    _state(
        "bytes_per_parameter",
        "bytes_per_parameter = code_bytes_per_parameter + scale_bytes/scale_group",
        because="the weights of a group share one scale",
        source="OCP Microscaling Formats, version 1.0",
    ),
    _state(
        "kv_bytes_per_element",
        "kv_bytes_per_element = kv_code_bytes + kv_scale_bytes/kv_scale_group",
        because="the elements of a group share one scale",
        source="Liu et al., KIVI, arXiv 2402.02750",
    ),
]
