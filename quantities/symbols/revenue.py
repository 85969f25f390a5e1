"""The accounts of a service: what comes in, what goes out, and the margin between."""

from quantities.declaration import Declaration

cached_input_tokens = Declaration(
    "cached_input_tokens", "token", "input tokens of the period that were found in a cache", domain="nonnegative"
)
uncached_input_tokens = Declaration(
    "uncached_input_tokens", "token", "input tokens of the period that were computed", domain="nonnegative"
)
all_input_tokens = Declaration("all_input_tokens", "token", "input tokens of the period")
all_output_tokens = Declaration("all_output_tokens", "token", "output tokens of the period")
input_demand = Declaration("input_demand", "token/s", "input tokens that all users together send")
cache_hit_rate = Declaration(
    "cache_hit_rate",
    "",
    "share of the input tokens found in a cache",
    domain="0..1",
    latex="h",
    aliases=["prefix_cache_hit_rate"],
)
accounting_period = Declaration("accounting_period", "h", "period of the accounts: a day unless said", default="24 h")
revenue = Declaration("revenue", "USD", "income of the period at list prices")
rented_chips = Declaration("rented_chips", "chip", "chips rented in the period, on average")
nodes = Declaration("nodes", "", "machines rented in the period, on average")
serving_cost = Declaration("serving_cost", "USD", "rent of the period")
serving_cost_per_token = Declaration(
    "serving_cost_per_token", "USD/Mtoken", "rent of the period over its output tokens, input and idle chips paid along"
)
profit = Declaration("profit", "USD", "revenue less serving cost", domain="real")
markup = Declaration("markup", "", "profit over cost: 545 % is 5.45", domain="real", aliases=["cost profit margin"])
gross_margin = Declaration("gross_margin", "", "profit over revenue", domain="real")
token_margin = Declaration("token_margin", "", "share of the output price that is not cost", domain="real")
charged_price = Declaration(
    "charged_price", "USD/Mtoken", "price of output tokens at which a batch of requests pays its chips"
)
input_charge = Declaration(
    "input_charge", "", "price of an input token over that of an output token", domain="nonnegative"
)
request_price = Declaration("request_price", "USD/sequence", "price of one request")
