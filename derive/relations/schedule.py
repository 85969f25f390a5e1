"""Trains of tokens: how often one leaves, how long a passenger waits, and how many tracks a demand needs."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import capacity, roofline, schedule, serving, vocabulary

_state = partial(
    relate,
    source="R. Pope with D. Patel, blackboard lecture, April 2026",
    quantities=vocabulary(capacity, roofline, schedule, serving),
)

relations = [
    # The beat of a memory
    _state(
        "drain_time",
        "drain_time = hbm_capacity/hbm_bandwidth",
        because="what a chip holds, over what it reads in a second",
    ),
    _state("hbm_read_share", "hbm_read_share = bytes_read/domain_capacity", because="its definition"),
    _state(
        "cadence",
        "cadence = drain_time*hbm_read_share",
        because="a step ends when all that it needs has been read once",
    ),
    _state("run_time", "run_time = trains_in_flight*cadence", because="steps that overlap leave one cadence apart"),
    _state("mean_wait", "mean_wait = cadence/2", because="arrivals are spread evenly between two departures"),
    _state("worst_wait", "worst_wait = cadence", because="who just misses a train sees the next one leave"),
    _state(
        "worst_latency",
        "worst_latency = cadence + run_time",
        because="who just misses a train waits for the next, and rides it",
    ),
    _state("mean_latency", "mean_latency = mean_wait + run_time", because="the mean wait, and the ride"),
    # Demand
    _state(
        "fleet_demand",
        "fleet_demand = arrival_rate*output_tokens",
        because="every request asks for its tokens",
        source="by definition",
    ),
    _state(
        "sequences_in_flight",
        "sequences_in_flight = fleet_demand/user_speed",
        because="as many as arrive in the time that one takes",
        source="Little, A Proof for the Queuing Formula, 1961",
    ),
    _state(
        "replicas",
        "replicas = fleet_demand/(throughput*fleet_utilisation)",
        because="each copy of the model serves its throughput, while it serves",
    ),
    _state(
        "fleet_chips", "fleet_chips = replicas*chips", because="each copy has chips of its own", source="by definition"
    ),
    _state(
        "loaded_cost",
        "loaded_cost = cost_per_token/fleet_utilisation",
        because="chips that wait are paid for by tokens that are served",
    ),
]
