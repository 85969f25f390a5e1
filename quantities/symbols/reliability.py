"""Failures of a large cluster, and how often to save."""

from quantities.declaration import Declaration

chip_failure_time = Declaration(
    "chip_failure_time", "year*chip", "MTBF of a chip: running time between failures, on the mean", aliases=["MTBF"]
)
cluster_failure_time = Declaration(
    "cluster_failure_time",
    "h",
    "MTBF of a cluster: running time between failures, on the mean",
    aliases=["MTTF", "MTBF"],
)
interruptions = Declaration("interruptions", "", "failures during a run, on the mean", domain="nonnegative")
storage_bandwidth = Declaration("storage_bandwidth", "byte/s", "bytes that the cluster saves each second")
save_time = Declaration("save_time", "s", "time to save a checkpoint while training waits")
save_interval = Declaration("save_interval", "s", "time between checkpoints", aliases=["checkpoint interval"])
best_save_interval = Declaration(
    "best_save_interval",
    "s",
    "best interval between checkpoints, by Young: saving and losing cost equally much",
    aliases=["Young's formula"],
)
daly_save_interval = Declaration(
    "daly_save_interval",
    "s",
    "best interval between checkpoints where saving and restarting are not short",
    aliases=["Daly's formula"],
)
least_lost_share = Declaration(
    "least_lost_share", "", "share of the time that is lost at the best interval", domain="0..1"
)
checkpoint_goodput = Declaration(
    "checkpoint_goodput", "", "share of the time that saving, repeating and restarting leave", domain="0..1"
)
availability = Declaration("availability", "", "share of the time in which the cluster runs", domain="0..1")
undisturbed_chance = Declaration("undisturbed_chance", "", "chance that a run sees no failure", domain="0..1")
restart_time = Declaration(
    "restart_time", "s", "time from a failure to the next step", domain="nonnegative", aliases=["recovery time"]
)
lost_share = Declaration(
    "lost_share", "", "share of the time that saving, repeating and restarting take", domain="0..1"
)
