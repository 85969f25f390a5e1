"""Failures of a large cluster, and how often to save."""

from quantities.quantity import Quantity

chip_failure_time = Quantity("chip_failure_time", "year*chip", "running time of a chip between failures, on the mean")
cluster_failure_time = Quantity("cluster_failure_time", "h", "running time of a cluster between failures, on the mean")
interruptions = Quantity("interruptions", "", "failures during a run, on the mean", domain="nonnegative")
storage_bandwidth = Quantity("storage_bandwidth", "byte/s", "bytes that the cluster saves each second")
save_time = Quantity("save_time", "s", "time to save a checkpoint while training waits")
save_interval = Quantity("save_interval", "s", "time between checkpoints")
best_save_interval = Quantity("best_save_interval", "s", "interval at which saving and losing cost equally much")
restart_time = Quantity("restart_time", "s", "time from a failure to the next step", domain="nonnegative")
lost_share = Quantity("lost_share", "", "share of the time that saving, repeating and restarting take", domain="0..1")
