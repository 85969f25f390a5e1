"""Decoding with a classic transformer: all follows from its layers and its hidden size."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import architecture, cache, classic, counting, roofline, shapes, vocabulary

_state = partial(
    relate,
    source="C. Chen, Transformer Inference Arithmetic, 2022",
    quantities=vocabulary(architecture, cache, classic, counting, roofline, shapes),
)

relations = [
    _state(
        "classic_weight_bytes",
        "classic_weight_bytes = classic_block_parameters*bytes_per_parameter",
        because="every parameter is stored once",
    ),
    _state(
        "classic_weight_time",
        "classic_weight_time = classic_weight_bytes/(hbm_bandwidth*chips*bandwidth_efficiency)",
        because="a step reads every weight once",
    ),
    _state(
        "classic_compute_time",
        "classic_compute_time = batch*tokens_per_pass*flops_per_parameter*classic_block_parameters"
        "/(peak_compute*chips*compute_efficiency)",
        because="each token passes once through the matrices",
    ),
    _state(
        "classic_kv_bytes_per_token",
        "classic_kv_bytes_per_token = kv_vectors*layers*hidden_size*kv_bytes_per_element",
        because="every layer keeps a key and a value of hidden size",
    ),
    _state(
        "classic_kv_compute_per_token",
        "classic_kv_compute_per_token = 2*flops_per_parameter*one_parameter*layers*hidden_size**2",
        because="two matrices of hidden by hidden size in every layer",
    ),
    _state(
        "classic_kv_compute_share",
        "classic_kv_compute_share = classic_kv_compute_per_token/(flops_per_parameter*classic_block_parameters)",
        because="its definition",
    ),
]
