"""Where a cache is kept: computing it again, fetching it from a tier of memory, and the rent of holding it there."""

from quantities.declaration import Declaration

tier_capacity = Declaration("tier_capacity", "byte", "capacity of one device of a tier of memory", latex="C_t")
tier_bandwidth = Declaration("tier_bandwidth", "byte/s", "bandwidth of one device of a tier, reading", latex="W_t")
tier_write_bandwidth = Declaration("tier_write_bandwidth", "byte/s", "bandwidth of one device of a tier, writing")
tier_drain_time = Declaration(
    "tier_drain_time", "s", "time to read a device of the tier once from end to end", latex="t_d"
)
tier_fill_time = Declaration("tier_fill_time", "s", "time to write a device of the tier once from end to end")
tier_device_price = Declaration("tier_device_price", "USD/h", "rent of one device of the tier", latex="P_t")
tier_price = Declaration("tier_price", "USD/GB/h", "rent of a byte of the tier, for an hour", latex="p_t")
hold_time = Declaration("hold_time", "s", "time that a cache is kept before it is used", latex="t_h")
matched_share = Declaration(
    "matched_share", "", "time that a cache is kept over the drain time of its tier: 1 where the two match", latex="m_t"
)
stored_bytes = Declaration(
    "stored_bytes", "byte", "cache that one device keeps when all it holds is read once in a hold time", latex="M_t"
)

# Cost of one token's cache
storage_cost = Declaration("storage_cost", "USD/Mtoken/h", "rent for keeping the cache of a token", latex=r"\dot c")
hold_cost = Declaration(
    "hold_cost", "USD/Mtoken", "rent for keeping the cache of a token until it is used", latex="c_h"
)
tier_hold_cost = Declaration(
    "tier_hold_cost",
    "USD/Mtoken",
    "rent for keeping the cache of a token on a device that reads all it holds once in a hold time",
    latex="c_t",
)
retrieve_cost = Declaration(
    "retrieve_cost", "USD/Mtoken", "rent of a chip that waits for the cache of a token from its host", latex="c_r"
)
retrieve_time = Declaration(
    "retrieve_time", "s", "time to read the cache of one sequence from a device of the tier", latex="t_r"
)
break_even_hold_time = Declaration(
    "break_even_hold_time",
    "s",
    "hold time at which keeping the cache costs as much as computing it again",
    latex="t_h^*",
)
rebuild_to_retrieve = Declaration(
    "rebuild_to_retrieve", "", "cost of computing a cache again over that of retrieving it", latex="c_c/c_r"
)
mean_input_cost = Declaration(
    "mean_input_cost", "USD/Mtoken", "cost of an input token, hits and misses together", latex=r"\bar c_i"
)
implied_tier_price = Declaration(
    "implied_tier_price", "USD/GB/h", "rent of a byte, if the price sheet's storage price is a cost", latex=r"p_{t\$}"
)

# The trade of memory for compute
uncached_compute_per_token = Declaration(
    "uncached_compute_per_token",
    "FLOP/token",
    "operations for one token if its whole context is computed again",
    latex="f_0",
)
flops_per_cached_byte = Declaration(
    "flops_per_cached_byte", "FLOP/byte", "operations that one byte of KV cache saves at each use", latex=r"f_\kappa"
)
hbm_hold_time = Declaration(
    "hbm_hold_time",
    "s",
    "time for which the memory that a token's cache fills costs as much as computing it again",
    latex="t_h^*",
)
tier_sequences = Declaration("tier_sequences", "sequence", "sequences whose KV cache one device of the tier holds")
