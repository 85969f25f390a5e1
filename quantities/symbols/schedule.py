"""Trains of tokens: how often one leaves, how long a passenger waits, and how many tracks a demand needs."""

from quantities.declaration import Declaration

drain_time = Declaration(
    "drain_time", "s", "time to read the whole memory of a chip once: capacity over bandwidth", latex="t_D"
)
hbm_read_share = Declaration("hbm_read_share", "", "share of the memory that one step reads", latex="f")
cadence = Declaration("cadence", "s", "time between the departures of two steps", latex="t_0")
trains_in_flight = Declaration(
    "trains_in_flight", "", "steps under way at once: 1, or the stages of a pipeline", latex="n_t", default=1.0
)
run_time = Declaration("run_time", "s", "time from a step's departure to its arrival", latex=r"t_{\mathrm{run}}")
mean_wait = Declaration(
    "mean_wait", "s", "wait of a request that arrives at any moment, on average", latex=r"\bar{t}_{\mathrm{wait}}"
)
worst_wait = Declaration("worst_wait", "s", "wait of a request that just missed a step", latex=r"t_{\mathrm{wait}}")
worst_latency = Declaration(
    "worst_latency", "s", "wait for a step that was just missed, and its run", latex=r"t_{\max}"
)
mean_latency = Declaration("mean_latency", "s", "wait for the next step on average, and its run", latex=r"\bar{t}")

# Demand
arrival_rate = Declaration(
    "arrival_rate",
    "sequence/s",
    "requests that arrive at the whole fleet",
    latex=r"\lambda",
    aliases=["request-rate", "queries per second", "QPS", "RPS", "requests per second"],
)
sequences_in_flight = Declaration(
    "sequences_in_flight",
    "sequence",
    "requests being decoded at once in the whole fleet",
    latex=r"B_{\mathrm{all}}",
    aliases=["concurrency", "concurrent requests"],
)
fleet_demand = Declaration(
    "fleet_demand", "token/s", "output tokens that all users together ask for", latex=r"R_{\mathrm{all}}"
)
fleet_utilisation = Declaration(
    "fleet_utilisation", "", "share of the rented time in which chips serve", domain="0..1", latex="U", default=1.0
)
replicas = Declaration(
    "replicas",
    "",
    "copies of the model, each on its own chips, that a demand needs",
    latex=r"n_{\mathrm{rep}}",
    aliases=["data_parallel_size", "dp-size"],
)
fleet_chips = Declaration("fleet_chips", "chip", "chips of all copies of the model together", latex=r"n_{\mathrm{all}}")
loaded_cost = Declaration("loaded_cost", "USD/Mtoken", "cost of a token that also pays for idle chips", latex="c_U")
