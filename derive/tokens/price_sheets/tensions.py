"""Which two prices of a sheet are asked for together, and where their common number lies if both are read as they are.

`{value}` stands for that number in what is said of it where it lies elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from derive.tokens.price_sheets.questions import Question

__all__ = ["TENSIONS", "Tension"]


@dataclass(frozen=True)
class Tension:
    """A number that lies in an interval if two prices can both be read as they are."""

    question: Question
    prices: tuple[str, ...]
    low: float
    high: float
    text: str  # what the two say, where it does not


TENSIONS = (
    Tension(
        Question("output_kv_gap", ("price_cliff", "output_input_ratio"), counted_by=("implied_kv_bytes_per_token",)),
        ("price_cliff", "output_price"),
        1.0,
        1.0,
        "the cliff's KV cache asks for decode that is compute-bound below it; by the output price reading weights takes"
        " so long that only a cache {value} times as large shows",
    ),
    Tension(
        Question("storage_kv_gap", ("price_cliff", "cache_storage_price")),
        ("price_cliff", "cache_storage_price"),
        0.0,
        1.0,
        "the price of storage pays for {value} times the KV cache that the cliff leaves, in the dearest memory"
        " there is; storage carries a margin, or the cliff lies elsewhere",
    ),
    Tension(
        Question("hits_kv_gap", ("price_cliff", "cache_read_ratio")),
        ("price_cliff", "cache_read_price"),
        1.0,
        inf,
        "the price of a cache hit pays for {value} of the KV cache that the cliff leaves",
    ),
    Tension(
        Question("surcharge_gap", ("price_cliff", "input_surcharge", "output_surcharge")),
        ("input_price_above_cliff", "output_price_above_cliff"),
        1.0,
        1.0,
        "the surcharge on input pays for a mean context {value} times that of the surcharge on output",
    ),
    Tension(
        Question("cliff_ratio_shift", ("output_input_ratio_above_cliff", "output_input_ratio")),
        ("price_cliff", "output_price_above_cliff"),
        1.0,
        inf,
        "a cache that is read at decode makes output dearer beside input; above the cliff the ratio is {value} of what"
        " it is below",
    ),
    Tension(
        Question(
            "implied_scaled_context",
            ("price_cliff", "fast_price_ratio", "fast_speed_ratio", "output_input_ratio"),
            given={"memory_share": 1.0},
        ),
        ("price_cliff", "fast_output_price"),
        0.0,
        1.0,
        "the fast mode and the output price put the mean context at {value} times the cliff, below which it lies",
    ),
    Tension(
        Question("fast_input_ratio", ("fast_input_ratio", "fast_price_ratio")),
        ("fast_input_price", "fast_output_price"),
        1.0,
        1.0,
        "a smaller batch makes decode dearer and leaves prefill as it is; the fast mode charges {value}"
        " times for input",
    ),
    Tension(
        Question("implied_slow_input_discount", ("batch_input_discount",)),
        ("input_price", "batch_input_price"),
        0.0,
        1.0,
        "prefill that is compute-bound has nothing to gain from waiting; who waits pays the input price over {value}",
    ),
    Tension(
        Question("output_input_ratio", ("output_input_ratio",)),
        ("input_price", "output_price"),
        1.0,
        inf,
        "output costs {value} of input, and no token of decode takes less than one of prefill",
    ),
    Tension(
        Question("cache_read_ratio", ("cache_read_ratio",)),
        ("input_price", "cache_read_price"),
        0.0,
        1.0,
        "a cache hit costs {value} times a miss; nobody would ask for one",
    ),
    Tension(
        Question("fast_price_ratio", ("fast_price_ratio",)),
        ("output_price", "fast_output_price"),
        1.0,
        inf,
        "the fast mode costs {value} of the normal one, which nobody would then ask for",
    ),
)
