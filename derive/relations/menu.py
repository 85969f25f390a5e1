"""Two points on one menu: a faster answer from a smaller batch, and what waiting can save."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import menu, roofline, vocabulary

_state = partial(
    relate, source="R. Pope with D. Patel, blackboard lecture, April 2026", quantities=vocabulary(menu, roofline)
)

relations = [
    # The shares of the normal step
    _state("weight_share", "weight_share = weight_time/step_time", because="its definition", source="by definition"),
    _state("kv_share", "kv_share = kv_time/step_time", because="its definition", source="by definition"),
    _state("memory_share", "memory_share = weight_share + kv_share", because="one memory serves both"),
    # The fast mode
    _state("fast_batch_ratio", "fast_batch_ratio = fast_batch/batch", because="its definition", source="by definition"),
    _state(
        "fast_price_ratio",
        "fast_price_ratio = 1/(fast_speed_ratio*fast_batch_ratio)",
        because="the same chips, rented for a shorter step, are paid for by fewer tokens",
    ),
    _state(
        "fast_speed_ratio",
        "fast_speed_ratio = 1/(weight_share + fast_batch_ratio*kv_share)",
        because="a smaller batch reads less cache and as many weights",
        when=["fast_batch_ratio*mfu <= weight_share + fast_batch_ratio*kv_share"],
    ),
    _state(
        "fast_speed_limit",
        "fast_speed_limit = 1/weight_share",
        because="the weights are read for a single sequence as well",
    ),
    # The slow mode
    _state(
        "slow_discount",
        "slow_discount = 1/max(mfu, kv_share)",
        because="a larger batch saves weights only; compute and cache stay with each token",
    ),
]
