"""Long contexts: where reading the cache overtakes computing, and where it stops being possible."""

from quantities.declaration import Declaration

cliff_context = Declaration(
    "cliff_context",
    "token/sequence",
    "context at which reading weights and cache together takes as long as computing",
    latex="L_c",
)
latency_budget = Declaration(
    "latency_budget", "s", "time that a step may take", latex=r"\tau", aliases=["latency SLO", "SLO"]
)
readable_context = Declaration(
    "readable_context",
    "token/sequence",
    "longest context whose cache can be read in the time a step may take",
    latex=r"L_\tau",
)
kv_bandwidth = Declaration(
    "kv_bandwidth", "byte/s", "bandwidth that the KV cache asks for at the steps' rate", latex="W_{kv}"
)

# What a price cliff gives away
price_cliff = Declaration(
    "price_cliff",
    "token/sequence",
    "context above which a price sheet charges more",
    latex=r"L_\$",
    aliases=["long context pricing"],
)
implied_kv_bytes_per_token = Declaration(
    "implied_kv_bytes_per_token",
    "byte/token",
    "KV cache of a token if the price cliff is where reading it takes as long as computing",
    latex=r"\kappa_\$",
)
implied_kv_bytes_by_weights = Declaration(
    "implied_kv_bytes_by_weights",
    "byte/token",
    "KV cache of a token if the price cliff is where reading it takes as long as reading the weights",
    latex=r"\kappa_{\$w}",
)
fair_context = Declaration(
    "fair_context",
    "token/sequence",
    "mean context above the cliff at which the surcharge on output just pays for reading",
    latex=r"\bar L_\$",
)
