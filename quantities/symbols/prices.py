"""A price sheet: what providers print, and the ratios that give away how they serve."""

from quantities.declaration import Declaration

input_price = Declaration(
    "input_price",
    "USD/Mtoken",
    "price of an input token that is in no cache",
    latex="p_i",
    aliases=["base input tokens", "input price (cache miss)", "pricing.prompt", "input_cost_per_token"],
)
output_price = Declaration(
    "output_price",
    "USD/Mtoken",
    "price of an output token",
    latex="p_o",
    aliases=["pricing.completion", "output_cost_per_token"],
)
cache_read_price = Declaration(
    "cache_read_price",
    "USD/Mtoken",
    "price of an input token found in a cache",
    latex="p_h",
    aliases=[
        "cached input",
        "cache hits and refreshes",
        "context caching price",
        "input price (cache hit)",
        "pricing.input_cache_read",
        "cache_read_input_token_cost",
        "input_cost_per_token_cache_hit",
    ],
)
cache_write_price_5min = Declaration(
    "cache_write_price_5min",
    "USD/Mtoken",
    "price to write a token into a cache for 5 minutes",
    latex="p_5",
    aliases=["5m cache writes", "cache_creation_input_token_cost"],
)
cache_write_price_1h = Declaration(
    "cache_write_price_1h",
    "USD/Mtoken",
    "price to write a token into a cache for an hour",
    latex="p_{60}",
    aliases=["1h cache writes", "cache_creation_input_token_cost_above_1hr"],
)
cache_storage_price = Declaration(
    "cache_storage_price",
    "USD/Mtoken/h",
    "price to keep a token in a cache for an hour",
    latex=r"\dot p",
    aliases=["context caching storage", "storage price"],
)
input_price_above_cliff = Declaration(
    "input_price_above_cliff",
    "USD/Mtoken",
    "price of an input token in a long context",
    latex=r"\hat p_i",
    aliases=["input_cost_per_token_above_200k_tokens"],
)
output_price_above_cliff = Declaration(
    "output_price_above_cliff",
    "USD/Mtoken",
    "price of an output token in a long context",
    latex=r"\hat p_o",
    aliases=["output_cost_per_token_above_200k_tokens"],
)
cache_read_price_above_cliff = Declaration(
    "cache_read_price_above_cliff",
    "USD/Mtoken",
    "price of a cached input token in a long context",
    aliases=["cache_read_input_token_cost_above_200k_tokens"],
)
cache_write_price_5min_above_cliff = Declaration(
    "cache_write_price_5min_above_cliff",
    "USD/Mtoken",
    "price to write a token of a long context into a cache for 5 minutes",
)
cache_write_price_1h_above_cliff = Declaration(
    "cache_write_price_1h_above_cliff",
    "USD/Mtoken",
    "price to write a token of a long context into a cache for an hour",
)
batch_input_price = Declaration(
    "batch_input_price",
    "USD/Mtoken",
    "price of an input token that may wait for hours",
    aliases=["input_cost_per_token_batches"],
)
batch_output_price = Declaration(
    "batch_output_price",
    "USD/Mtoken",
    "price of an output token that may wait for hours",
    aliases=["Batch API price", "output_cost_per_token_batches"],
)
fast_input_price = Declaration("fast_input_price", "USD/Mtoken", "price of an input token in the fast mode")
fast_output_price = Declaration(
    "fast_output_price",
    "USD/Mtoken",
    "price of an output token in the fast mode",
    latex="p_f",
    aliases=["fast mode pricing"],
)
fast_input_price_above_cliff = Declaration(
    "fast_input_price_above_cliff", "USD/Mtoken", "price of an input token of a long context in the fast mode"
)
fast_output_price_above_cliff = Declaration(
    "fast_output_price_above_cliff", "USD/Mtoken", "price of an output token of a long context in the fast mode"
)
priority_input_price = Declaration(
    "priority_input_price",
    "USD/Mtoken",
    "price of an input token that is served first",
    aliases=["input_cost_per_token_priority"],
)
priority_output_price = Declaration(
    "priority_output_price",
    "USD/Mtoken",
    "price of an output token that is served first",
    aliases=["priority processing", "output_cost_per_token_priority"],
)
priority_cache_read_price = Declaration(
    "priority_cache_read_price",
    "USD/Mtoken",
    "price of a cached input token that is served first",
    aliases=["cache_read_input_token_cost_priority"],
)
flex_input_price = Declaration(
    "flex_input_price",
    "USD/Mtoken",
    "price of an input token that is served last",
    aliases=["input_cost_per_token_flex"],
)
flex_output_price = Declaration(
    "flex_output_price",
    "USD/Mtoken",
    "price of an output token that is served last",
    aliases=["flex processing", "output_cost_per_token_flex"],
)

# Ratios
output_input_ratio = Declaration("output_input_ratio", "", "output price over input price", latex="p_o/p_i")
cache_read_ratio = Declaration("cache_read_ratio", "", "price of a cache hit over the input price", latex="r_h")
cache_discount = Declaration(
    "cache_discount", "", "input price over the price of a cache hit: how many times cheaper", latex="d_h"
)
write_premium_5min = Declaration(
    "write_premium_5min", "", "price of a cache write for 5 minutes over the input price", latex="r_5"
)
write_premium_1h = Declaration(
    "write_premium_1h", "", "price of a cache write for an hour over the input price", latex="r_{60}"
)
break_even_reads_5min = Declaration(
    "break_even_reads_5min", "", "cache hits that pay for a write for 5 minutes", domain="nonnegative", latex="n_5"
)
break_even_reads_1h = Declaration(
    "break_even_reads_1h", "", "cache hits that pay for a write for an hour", domain="nonnegative", latex="n_{60}"
)
batch_discount = Declaration(
    "batch_discount", "", "share of the output price that waiting for hours saves", domain="real"
)
priority_ratio = Declaration("priority_ratio", "", "output price when served first over the normal one")
flex_discount = Declaration(
    "flex_discount", "", "share of the output price that being served last saves", domain="real"
)
input_surcharge = Declaration(
    "input_surcharge", "", "what a long context adds to the input price, as a share", domain="real", latex="s_i"
)
output_surcharge = Declaration(
    "output_surcharge", "", "what a long context adds to the output price, as a share", domain="real", latex="s_o"
)

# Means
input_output_mix = Declaration("input_output_mix", "", "input tokens for each output token")
blended_price = Declaration("blended_price", "USD/Mtoken", "price of a token of the mix")
mean_input_price = Declaration(
    "mean_input_price", "USD/Mtoken", "price of an input token, hits and misses together", latex=r"\bar p_i"
)

# What they imply
implied_decode_mfu = Declaration(
    "implied_decode_mfu",
    "",
    "MFU of decode over that of prefill, if prices are costs and prefill is compute-bound",
    latex=r"\mu_d",
)
implied_storage_price = Declaration(
    "implied_storage_price",
    "USD/Mtoken/h",
    "price of keeping a token for an hour, from the prices of the two cache writes",
    latex=r"\dot p_\$",
)
short_hold = Declaration("short_hold", "min", "time that the cheaper cache write lasts", default="5 min", latex="t_5")
long_hold = Declaration("long_hold", "min", "time that the dearer cache write lasts", default="60 min", latex="t_{60}")
break_even_throughput = Declaration(
    "break_even_throughput",
    "token/s/chip",
    "output tokens of one chip each second that pay its rent at the output price",
)
cache_read_surcharge = Declaration(
    "cache_read_surcharge", "", "what a long context adds to the price of a cache hit, as a share", domain="real"
)
fast_input_ratio = Declaration("fast_input_ratio", "", "input price of the fast mode over the normal one")
batch_input_discount = Declaration(
    "batch_input_discount", "", "share of the input price that waiting for hours saves", domain="real"
)

# Ratios of what stands behind two of them
write_surcharge_5min = Declaration(
    "write_surcharge_5min",
    "",
    "what a long context adds to the price of a write for 5 minutes, as a share",
    domain="real",
)
write_surcharge_1h = Declaration(
    "write_surcharge_1h", "", "what a long context adds to the price of a write for an hour, as a share", domain="real"
)
fast_input_surcharge = Declaration(
    "fast_input_surcharge",
    "",
    "what a long context adds to the input price of the fast mode, as a share",
    domain="real",
)
fast_output_surcharge = Declaration(
    "fast_output_surcharge",
    "",
    "what a long context adds to the output price of the fast mode, as a share",
    domain="real",
)
priority_input_ratio = Declaration("priority_input_ratio", "", "input price when served first over the normal one")
priority_cache_read_ratio = Declaration(
    "priority_cache_read_ratio", "", "price of a cache hit when served first over the normal one"
)
flex_input_discount = Declaration(
    "flex_input_discount", "", "share of the input price that being served last saves", domain="real"
)
