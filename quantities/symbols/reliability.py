"""Failures of a large cluster, and how often to save."""

from quantities.quantity import Quantity

chip_failure_time = Quantity(
    "chip_failure_time", "year*chip", "MTBF of a chip: running time between failures, on the mean"
)
cluster_failure_time = Quantity(
    "cluster_failure_time", "h", "MTBF of a cluster: running time between failures, on the mean"
)
interruptions = Quantity("interruptions", "", "failures during a run, on the mean", domain="nonnegative")
storage_bandwidth = Quantity("storage_bandwidth", "byte/s", "bytes that the cluster saves each second")
save_time = Quantity("save_time", "s", "time to save a checkpoint while training waits")
save_interval = Quantity("save_interval", "s", "time between checkpoints")
best_save_interval = Quantity(
    "best_save_interval", "s", "best interval between checkpoints, by Young: saving and losing cost equally much"
)
daly_save_interval = Quantity(
    "daly_save_interval", "s", "best interval between checkpoints where saving and restarting are not short"
)
least_lost_share = Quantity(
    "least_lost_share", "", "share of the time that is lost at the best interval", domain="0..1"
)
checkpoint_goodput = Quantity(
    "checkpoint_goodput", "", "share of the time that saving, repeating and restarting leave", domain="0..1"
)
availability = Quantity("availability", "", "share of the time in which the cluster runs", domain="0..1")
undisturbed_chance = Quantity("undisturbed_chance", "", "chance that a run sees no failure", domain="0..1")
restart_time = Quantity("restart_time", "s", "time from a failure to the next step", domain="nonnegative")
lost_share = Quantity("lost_share", "", "share of the time that saving, repeating and restarting take", domain="0..1")
