"""A price sheet: the ratios between its prices, and what they give away."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import menu, prices, revenue, roofline, vocabulary

_state = partial(relate, source="by definition", quantities=vocabulary(menu, prices, revenue, roofline))

relations = [
    # Ratios
    _state("output_input_ratio", "output_input_ratio = output_price/input_price", because="its definition"),
    _state("input_charge", "input_charge = 1/output_input_ratio", because="the same ratio upside down"),
    _state("cache_read_ratio", "cache_read_ratio = cache_read_price/input_price", because="its definition"),
    _state("cache_discount", "cache_discount = 1/cache_read_ratio", because="the same ratio upside down"),
    _state("fast_output_price", "fast_price_ratio = fast_output_price/output_price", because="its definition"),
    _state("fast_input_ratio", "fast_input_ratio = fast_input_price/input_price", because="its definition"),
    _state("priority_ratio", "priority_ratio = priority_output_price/output_price", because="its definition"),
    _state("priority_input_ratio", "priority_input_ratio = priority_input_price/input_price", because="its definition"),
    _state(
        "priority_cache_read_ratio",
        "priority_cache_read_ratio = priority_cache_read_price/cache_read_price",
        because="its definition",
    ),
    _state("flex_input_discount", "flex_input_discount = 1 - flex_input_price/input_price", because="its definition"),
    _state("batch_discount", "batch_discount = 1 - batch_output_price/output_price", because="its definition"),
    _state(
        "batch_input_discount", "batch_input_discount = 1 - batch_input_price/input_price", because="its definition"
    ),
    _state("flex_discount", "flex_discount = 1 - flex_output_price/output_price", because="its definition"),
    _state("input_surcharge", "input_surcharge = input_price_above_cliff/input_price - 1", because="its definition"),
    _state(
        "output_surcharge", "output_surcharge = output_price_above_cliff/output_price - 1", because="its definition"
    ),
    _state(
        "cache_read_surcharge",
        "cache_read_surcharge = cache_read_price_above_cliff/cache_read_price - 1",
        because="its definition",
    ),
    _state(
        "write_surcharge_5min",
        "write_surcharge_5min = cache_write_price_5min_above_cliff/cache_write_price_5min - 1",
        because="its definition",
    ),
    _state(
        "write_surcharge_1h",
        "write_surcharge_1h = cache_write_price_1h_above_cliff/cache_write_price_1h - 1",
        because="its definition",
    ),
    _state(
        "fast_input_surcharge",
        "fast_input_surcharge = fast_input_price_above_cliff/fast_input_price - 1",
        because="its definition",
    ),
    _state(
        "fast_output_surcharge",
        "fast_output_surcharge = fast_output_price_above_cliff/fast_output_price - 1",
        because="its definition",
    ),
    # Cache writes
    _state("write_premium_5min", "write_premium_5min = cache_write_price_5min/input_price", because="its definition"),
    _state("write_premium_1h", "write_premium_1h = cache_write_price_1h/input_price", because="its definition"),
    _state(
        "break_even_reads_5min",
        "break_even_reads_5min = (write_premium_5min - 1)/(1 - cache_read_ratio)",
        because="each hit saves the input price less its own",
    ),
    _state(
        "break_even_reads_1h",
        "break_even_reads_1h = (write_premium_1h - 1)/(1 - cache_read_ratio)",
        because="each hit saves the input price less its own",
    ),
    _state(
        "implied_storage_price",
        "implied_storage_price = (cache_write_price_1h - cache_write_price_5min)/(long_hold - short_hold)",
        because="the dearer write buys time and nothing else",
        source="R. Pope with D. Patel, blackboard lecture, April 2026",
    ),
    # Means
    _state(
        "blended_price",
        "blended_price = (input_output_mix*input_price + output_price)/(input_output_mix + 1)",
        because="tokens of either kind at their prices",
    ),
    _state(
        "mean_input_price",
        "mean_input_price = cache_hit_rate*cache_read_price + (1 - cache_hit_rate)*input_price",
        because="hits and misses at their prices",
    ),
    # What they imply
    _state(
        "implied_decode_mfu",
        "implied_decode_mfu = 1/output_input_ratio",
        because="a token that costs more occupies the same arithmetic for longer",
        source="R. Pope with D. Patel, blackboard lecture, April 2026",
    ),
    _state("break_even_throughput", "break_even_throughput = chip_price/output_price", because="output pays the rent"),
]
