"""What a price sheet is asked, subject by subject.

A question says which quantities the sheet has to determine, what it assumes, and what would refute the conclusion:
`{value}`, `{low}` and `{high}` stand for the numbers that the library gives. Its levers are the quantities that are
asked back for both ends of the range, each with what it stands in for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["QUESTIONS", "STANDING_IN", "Question"]


@dataclass(frozen=True)
class Question:
    """One thing that a sheet is asked."""

    target: str
    needs: tuple[str, ...]
    assuming: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    levers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    given: Mapping[str, float] = field(default_factory=dict)
    counted_by: tuple[str, ...] = ()  # all that a chip, a size or a tier contributes to the answer
    nearest: bool = False  # the reference is the choice at which the answer lies nearest to 1


COSTS = "prices are in proportion to costs"
PREFILL = "prefill is compute-bound"
CLIFF = "the price rises where the cost begins to"
MEMORY = "the normal mode is memory-bound"
CHIP = {"hardware_ratio": ("peak_compute",)}
SIZE: dict[str, tuple[str, ...]] = {"active_parameters": ()}
RENT: dict[str, tuple[str, ...]] = {"chip_price": ()}

STANDING_IN = {"cache_storage_price": "implied_storage_price"}
"""What the sheet may imply where it does not print it: two cache writes differ by the rent of the time between."""

QUESTIONS = (
    # Output against input
    Question(
        "output_input_ratio",
        ("output_input_ratio",),
        refuted=("another sheet of the same model: where the ratio differs, one of them carries a margin",),
    ),
    Question(
        "implied_memory_to_compute",
        ("output_input_ratio",),
        (COSTS, PREFILL),
        ("a decode step measured to read for more or less than {value} of its compute time",),
    ),
    Question(
        "implied_decode_mfu",
        ("output_input_ratio",),
        (COSTS, PREFILL),
        ("a decode MFU measured at more or less than {value} of that of prefill",),
    ),
    Question(
        "implied_least_batch",
        ("output_input_ratio",),
        (COSTS, PREFILL, "caches are short beside the weights; longer ones ask for a larger batch"),
        ("a decode batch measured below {low} at any of the chips and sizes",),
        CHIP,
        counted_by=("optimal_batch",),
    ),
    # The context cliff
    Question(
        "input_surcharge", ("input_surcharge",), refuted=("a bill above the cliff that adds anything but {value}",)
    ),
    Question(
        "output_surcharge", ("output_surcharge",), refuted=("a bill above the cliff that adds anything but {value}",)
    ),
    Question(
        "implied_kv_bytes_per_token",
        ("price_cliff",),
        (CLIFF, "at the cliff reading the cache takes as long as computing"),
        ("a KV cache measured at less than {low} or more than {high}",),
        {**CHIP, **SIZE},
    ),
    Question(
        "implied_kv_bytes_by_output",
        ("price_cliff", "output_input_ratio"),
        (CLIFF, COSTS, PREFILL, "at the cliff reading the cache takes as long as reading the weights"),
        ("a KV cache measured at less than {low} or more than {high}",),
        {**CHIP, **SIZE},
        counted_by=("implied_kv_bytes_per_token",),
    ),
    Question(
        "fair_context",
        ("price_cliff", "output_surcharge"),
        (CLIFF, "beyond it the cost grows in proportion to the context"),
        ("requests above the cliff whose mean context is not {value}: the surcharge then gains or loses",),
    ),
    # The fast mode
    Question(
        "fast_batch_ratio",
        ("fast_price_ratio", "fast_speed_ratio"),
        (COSTS, "both modes run on the same chips"),
        ("a batch of the fast mode measured at more than {value} of the normal one: its price then carries a margin",),
    ),
    Question(
        "kv_share",
        ("fast_price_ratio", "fast_speed_ratio"),
        (COSTS, MEMORY),
        ("a normal step measured to spend more or less than {value} of its time on the cache",),
        given={"memory_share": 1.0},
    ),
    Question(
        "weight_share",
        ("fast_price_ratio", "fast_speed_ratio"),
        (COSTS, MEMORY),
        ("a speed of the fast mode above the reciprocal of {value}: then weights take less of the step",),
        given={"memory_share": 1.0},
    ),
    Question(
        "implied_scaled_batch",
        ("fast_price_ratio", "fast_speed_ratio", "output_input_ratio"),
        (COSTS, PREFILL, MEMORY),
        ("a normal batch measured at more or less than {value} of the optimal one",),
        given={"memory_share": 1.0},
    ),
    Question(
        "implied_mean_context",
        ("fast_price_ratio", "fast_speed_ratio", "output_input_ratio", "price_cliff"),
        (COSTS, PREFILL, MEMORY, CLIFF),
        ("a mean context of the normal mode measured at more or less than {value}",),
        given={"memory_share": 1.0},
    ),
    # Waiting
    Question(
        "implied_slow_discount",
        ("batch_discount",),
        ("the price of waiting still covers its cost",),
        ("a normal step whose compute or cache takes more than the reciprocal of {value} of its time",),
    ),
    # The cache
    Question(
        "cache_discount",
        ("cache_read_ratio",),
        (COSTS,),
        ("a cache hit measured to cost more or less than a miss over {value}",),
    ),
    Question(
        "implied_kv_bytes_by_hits",
        ("cache_read_ratio",),
        (COSTS, PREFILL, "a hit is fetched from the host and nothing overlaps it"),
        ("a KV cache measured at more than {high}: a hit then costs more than its price says",),
        SIZE,
    ),
    Question(
        "break_even_reads_5min",
        ("write_premium_5min", "cache_read_ratio"),
        refuted=("a bill on which a write and {value} hits cost more or less than as many misses",),
    ),
    Question(
        "break_even_reads_1h",
        ("write_premium_1h", "cache_read_ratio"),
        refuted=("a bill on which a write and {value} hits cost more or less than as many misses",),
    ),
    Question(
        "short_matched_share",
        ("write_premium_5min",),
        ("a tier is used best when it is read once in its drain time",),
        ("a cache of this life kept in a tier that drains {low} to {high} times as fast, and not in the nearest",),
        nearest=True,
    ),
    Question(
        "long_matched_share",
        ("write_premium_1h",),
        ("a tier is used best when it is read once in its drain time",),
        ("a cache of this life kept in a tier that drains {low} to {high} times as fast, and not in the nearest",),
        nearest=True,
    ),
    Question(
        "implied_storage_price",
        ("cache_write_price_5min", "cache_write_price_1h"),
        ("the dearer write buys time and nothing else",),
        ("a rent of the memory behind it above {value}: the dearer write would lose money",),
    ),
    Question(
        "implied_write_charge",
        ("cache_write_price_5min", "cache_write_price_1h", "input_price"),
        ("the dearer write buys time and nothing else",),
        ("a write measured to cost more than {value} beside its arithmetic and its rent",),
    ),
    Question(
        "priced_hold_time",
        ("cache_storage_price", "input_price", "cache_read_price"),
        refuted=("a bill on which {value} of storage costs more or less than a hit saves",),
    ),
    Question(
        "implied_tier_price",
        ("cache_storage_price",),
        ("the price of storage is its cost",),
        ("a rent of the memory behind it below {low} or above {high}",),
        {"kv_bytes_per_token": ()},
    ),
    Question(
        "implied_kv_bytes_by_storage",
        ("cache_storage_price",),
        ("the price of storage is its cost", "the cache lies in the chip's own memory"),
        ("a KV cache measured below {low}: the price of storage then carries a margin on any of the chips",),
        RENT,
        counted_by=("memory_price",),
    ),
    # Margins over the floor
    Question(
        "implied_active_parameters",
        ("input_price",),
        ("the chip is rented at its price and busy all the time", PREFILL),
        ("an active size above {high}: none of the chips then computes a token for its price",),
        RENT,
    ),
    Question(
        "input_margin_limit",
        ("input_price",),
        ("the chip is rented at its price and busy all the time", PREFILL),
        ("accounts with a margin on input above {high}",),
        {**SIZE, **RENT},
        counted_by=("compute_cost",),
    ),
    Question(
        "output_margin_limit",
        ("output_price",),
        ("the chip is rented at its price and busy all the time", "batches are unlimited and caches short"),
        ("accounts with a margin on output above {high}",),
        {**SIZE, **RENT},
        counted_by=("compute_cost",),
    ),
    Question(
        "hit_margin_limit",
        ("cache_read_price",),
        ("the chip is rented at its price and busy all the time", "a hit is fetched from the host"),
        ("accounts with a margin on cache hits above {high}",),
        RENT,
    ),
    Question(
        "break_even_throughput",
        ("output_price",),
        ("the chip is rented at its price and busy all the time", "output pays for all"),
        ("a chip measured to yield fewer tokens than {low}: output then does not pay any of the chips",),
        RENT,
        counted_by=("chip_price",),
    ),
)
