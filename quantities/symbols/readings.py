"""What the prices of one sheet say of the servers behind them, and how far two prices say the same.

Each reading takes prices for costs. Where two prices are read for one thing, their gap is one reading over the other.
"""

from quantities.declaration import Declaration

# Output against input
implied_memory_to_compute = Declaration(
    "implied_memory_to_compute",
    "",
    "memory time over compute time of decode, if prices are costs and prefill is compute-bound",
    latex=r"\rho_\$",
)
implied_least_batch = Declaration(
    "implied_least_batch", "sequence", "batch behind the output price if reading caches takes no time: the least one"
)
output_input_ratio_above_cliff = Declaration(
    "output_input_ratio_above_cliff", "", "output price over input price in a long context"
)
cliff_ratio_shift = Declaration(
    "cliff_ratio_shift", "", "output price over input price above the cliff, over the same below it"
)

# The fast mode, together with the output price
implied_scaled_batch = Declaration(
    "implied_scaled_batch", "", "normal batch over the optimal one, from the fast mode and the output price"
)
implied_scaled_context = Declaration(
    "implied_scaled_context",
    "",
    "mean context over the crossover context, from the fast mode and the output price",
    domain="nonnegative",
    latex=r"l_\$",
)
implied_mean_context = Declaration(
    "implied_mean_context",
    "token/sequence",
    "mean context of the normal mode, if the price cliff is where reading the cache takes as long as computing",
    domain="nonnegative",
)

# Waiting
implied_slow_discount = Declaration(
    "implied_slow_discount", "", "output price over the price of waiting for hours: the least that a full batch saves"
)
implied_slow_input_discount = Declaration(
    "implied_slow_input_discount", "", "input price over the price of waiting for hours"
)

# Readings of the KV cache
implied_kv_bytes_by_output = Declaration(
    "implied_kv_bytes_by_output",
    "byte/token",
    "KV cache of a token if at the cliff it weighs as much as the weights, for the batch behind the output price",
)
implied_kv_bytes_by_storage = Declaration(
    "implied_kv_bytes_by_storage",
    "byte/token",
    "KV cache of a token that the price of storage pays for at the rent of a chip's own memory",
    latex=r"\kappa_{\dot p}",
)
implied_kv_bytes_by_hits = Declaration(
    "implied_kv_bytes_by_hits",
    "byte/token",
    "KV cache of a token that a chip fetches from its host in the time that the price of a cache hit pays for",
    latex=r"\kappa_h",
)
output_kv_gap = Declaration("output_kv_gap", "", "KV cache read from cliff and output price, over the cliff's alone")
storage_kv_gap = Declaration(
    "storage_kv_gap", "", "KV cache that the price of storage pays for, over the cliff's", latex=r"g_{\dot p}"
)
hits_kv_gap = Declaration("hits_kv_gap", "", "KV cache that the price of a cache hit pays for, over the cliff's")

# Readings of the context
fair_input_context = Declaration(
    "fair_input_context",
    "token/sequence",
    "mean context above the cliff at which the surcharge on input just pays, if cost grows with the context",
    latex=r"\bar L_i",
)
surcharge_gap = Declaration(
    "surcharge_gap", "", "context that the surcharge on input pays for, over that on output", latex=r"g_L"
)

# Holding a cache
short_matched_share = Declaration(
    "short_matched_share",
    "",
    "time that the cheaper cache write lasts over the drain time of a tier: 1 where they match",
)
long_matched_share = Declaration(
    "long_matched_share", "", "time that the dearer cache write lasts over the drain time of a tier: 1 where they match"
)
priced_hold_time = Declaration(
    "priced_hold_time", "h", "time for which storing a token costs as much as a cache hit saves"
)
implied_write_charge = Declaration(
    "implied_write_charge",
    "USD/Mtoken",
    "what a cache write costs beside its input price and the rent of its time",
    domain="real",
)

# Margins
implied_active_parameters = Declaration(
    "implied_active_parameters", "parameter", "largest active size whose arithmetic the input price pays for"
)
input_margin_limit = Declaration(
    "input_margin_limit",
    "",
    "largest share of the input price that is not cost: all but the arithmetic",
    domain="real",
    latex=r"\bar m_i",
)
output_margin_limit = Declaration(
    "output_margin_limit",
    "",
    "largest share of the output price that is not cost, in an unlimited batch without caches",
    domain="real",
    latex=r"\bar m_o",
)
hit_margin_limit = Declaration(
    "hit_margin_limit",
    "",
    "largest share of the price of a cache hit that is not cost: all but the fetching from the host",
    domain="real",
    latex=r"\bar m_h",
)
