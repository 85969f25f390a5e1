"""Decoding with a classic transformer, known by its layers and hidden size alone; embeddings are left aside."""

from quantities.declaration import Declaration

classic_weight_bytes = Declaration("classic_weight_bytes", "byte", "matrices of all layers of a classic transformer")
classic_weight_time = Declaration("classic_weight_time", "s", "time to read those matrices once")
classic_compute_time = Declaration("classic_compute_time", "s", "time of a step's arithmetic with those matrices")
classic_kv_bytes_per_token = Declaration(
    "classic_kv_bytes_per_token", "byte/token", "KV cache of a token where keys and values are of hidden size"
)
classic_kv_compute_per_token = Declaration(
    "classic_kv_compute_per_token", "FLOP/token", "operations that make the keys and values of one token"
)
classic_kv_compute_share = Declaration(
    "classic_kv_compute_share", "", "share of a token's operations that make its keys and values: 1/6"
)
