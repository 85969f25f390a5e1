"""The accounts of a service: what comes in, what goes out, and the margin between."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import costs, prices, revenue, roofline, schedule, serving, vocabulary

_state = partial(
    relate, source="by definition", quantities=vocabulary(costs, prices, revenue, roofline, schedule, serving)
)

relations = [
    # Tokens
    _state(
        "all_input_tokens",
        "all_input_tokens = cached_input_tokens + uncached_input_tokens",
        because="an input token is found or computed",
    ),
    _state("cache_hit_rate", "cache_hit_rate = cached_input_tokens/all_input_tokens", because="its definition"),
    _state(
        "all_output_tokens",
        "all_output_tokens = fleet_demand*accounting_period",
        because="tokens come at the rate of the demand",
    ),
    _state(
        "input_demand",
        "input_demand = all_input_tokens/accounting_period",
        because="its definition, as a mean over the period",
    ),
    # The period
    _state(
        "revenue",
        "revenue = cached_input_tokens*cache_read_price + uncached_input_tokens*input_price"
        " + all_output_tokens*output_price",
        because="every token is paid at its list price",
        source="DeepSeek-AI, DeepSeek-V3/R1 Inference System Overview, 2025",
    ),
    _state("rented_chips", "rented_chips = nodes*chips_per_node", because="machines are rented whole"),
    _state(
        "serving_cost",
        "serving_cost = rented_chips*chip_price*accounting_period",
        because="chips are rented by the hour",
        source="DeepSeek-AI, DeepSeek-V3/R1 Inference System Overview, 2025",
    ),
    _state(
        "serving_cost_per_token", "serving_cost_per_token = serving_cost/all_output_tokens", because="its definition"
    ),
    _state("profit", "profit = revenue - serving_cost", because="its definition"),
    _state(
        "markup",
        "markup = profit/serving_cost",
        because="its definition",
        source="DeepSeek-AI, DeepSeek-V3/R1 Inference System Overview, 2025",
    ),
    _state("gross_margin", "gross_margin = markup/(1 + markup)", because="profit over cost and profit together"),
    _state("token_margin", "token_margin = 1 - cost_per_token/output_price", because="its definition"),
    # A request
    _state(
        "charged_price",
        "charged_price = fleet_rent*request_time/(batch*(input_charge*prompt_tokens + output_tokens))",
        because="the requests of a batch pay for its chips",
        source="Tensor Economics, LLM inference economics from first principles, 2025",
    ),
    _state(
        "request_price",
        "request_price = prompt_tokens*mean_input_price + output_tokens*output_price",
        because="every token is paid at its price",
    ),
]
