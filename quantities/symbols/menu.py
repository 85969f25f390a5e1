"""Two points on one menu: what a faster answer costs, and what waiting can save.

The normal point is the one that `batch`, `step_time` and the shares describe; the fast one is told by its ratios to it.
"""

from quantities.declaration import Declaration

weight_share = Declaration("weight_share", "", "share of a step in which weights are read", domain="0..1", latex="w")
kv_share = Declaration("kv_share", "", "share of a step in which KV cache is read", domain="0..1", latex="v")
memory_share = Declaration(
    "memory_share",
    "",
    "share of a step in which memory is read: 1 if memory binds, less if compute does",
    domain="0..1",
    latex="m",
)
fast_batch = Declaration("fast_batch", "sequence", "sequences that a step of the fast mode serves", latex="B_f")
fast_batch_ratio = Declaration(
    "fast_batch_ratio", "", "batch of the fast mode over the normal batch", domain="0..1", latex="r_B"
)
fast_speed_ratio = Declaration("fast_speed_ratio", "", "speed of the fast mode over the normal speed", latex="r_s")
fast_price_ratio = Declaration("fast_price_ratio", "", "price of the fast mode over the normal price", latex="r_p")
fast_speed_limit = Declaration(
    "fast_speed_limit", "", "largest speed ratio that a smaller batch can reach", latex=r"r_{\max}"
)
slow_discount = Declaration(
    "slow_discount", "", "normal cost over the cost floor: all that waiting can save", latex=r"d_{\infty}"
)
