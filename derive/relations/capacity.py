"""What fits: the memory of the chips, and how it is divided between weights and KV cache."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import cache, capacity, costs, pipeline, roofline, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(cache, capacity, costs, pipeline, roofline),
)

relations = [
    # All chips together
    _state(
        "domain_capacity", "domain_capacity = hbm_capacity*chips", because="memories add up", source="by definition"
    ),
    _state(
        "domain_bandwidth",
        "domain_bandwidth = hbm_bandwidth*chips",
        because="bandwidths add up",
        source="by definition",
    ),
    _state("domain_compute", "domain_compute = peak_compute*chips", because="peaks add up", source="by definition"),
    _state(
        "memory_price", "memory_price = chip_price/hbm_capacity", because="a byte of a chip takes its share of the rent"
    ),
    _state(
        "usable_memory_share",
        "usable_memory_share = usable_hbm_capacity/hbm_capacity",
        because="its definition",
        source="by definition",
    ),
    # What fills them
    _state("held_bytes", "held_bytes = weight_bytes + kv_bytes", because="both stay in memory between the steps"),
    _state(
        "fits_in_memory",
        "weight_bytes/stages + kv_bytes <= hbm_capacity*chips*usable_memory_share",
        because="what is read at every step has to lie in memory, where a stage has its own layers only",
    ),
    _state(
        "weight_memory_share",
        "weight_memory_share = weight_bytes/domain_capacity",
        because="its definition",
        source="by definition",
    ),
    _state(
        "kv_memory_share",
        "kv_memory_share = kv_bytes/domain_capacity",
        because="its definition",
        source="by definition",
    ),
    _state("kv_to_weights", "kv_to_weights = kv_bytes/weight_bytes", because="its definition", source="by definition"),
    # What still fits
    _state(
        "kv_capacity",
        "kv_capacity = domain_capacity*usable_memory_share - weight_bytes/stages",
        because="the cache has what the weights leave",
    ),
    _state(
        "batch_capacity", "batch_capacity = kv_capacity/kv_bytes_per_sequence", because="each sequence takes its cache"
    ),
    _state(
        "context_capacity",
        "context_capacity = kv_capacity/(batch*kv_bytes_per_token)",
        because="each token of each sequence takes its cache",
    ),
    _state(
        "token_capacity",
        "token_capacity = kv_capacity/kv_bytes_per_token",
        because="tokens take the same cache, whatever sequence they belong to",
    ),
    _state(
        "parameter_capacity",
        "parameter_capacity = stages*(domain_capacity*usable_memory_share - kv_bytes)/bytes_per_parameter",
        because="the weights have what the cache leaves",
    ),
    _state(
        "kv_capacity_per_chip",
        "kv_capacity_per_chip = kv_capacity/chips",
        because="the chips split weights and cache evenly",
        source="by definition",
    ),
    _state(
        "cache_blocks",
        "cache_blocks = kv_capacity/block_bytes",
        because="blocks fill what the weights leave",
        source="Kwon et al., PagedAttention, arXiv 2309.06180, section 4",
    ),
    # How many chips it takes
    _state(
        "weight_chips",
        "weight_chips = weight_bytes/(hbm_capacity*usable_memory_share)",
        because="the chips split the weights evenly",
    ),
    _state(
        "held_chips",
        "held_chips = held_bytes/(hbm_capacity*usable_memory_share)",
        because="the chips split weights and cache evenly",
    ),
    _state(
        "split_context",
        "split_context = replicated_context*kv_ways",
        because="each chip keeps its part of the cache only",
        source="Pope et al., arXiv 2211.05102, section 3.3",
    ),
]
