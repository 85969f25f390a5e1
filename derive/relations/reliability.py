"""Failures and checkpoints: the more chips, the sooner one fails, and the more often it pays to save."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import memory_in_training, reliability, training, vocabulary

_state = partial(relate, source="by definition", quantities=vocabulary(training, memory_in_training, reliability))

_YOUNG = "Young, A first order approximation to the optimum checkpoint interval, CACM 17, 1974"

relations = [
    _state(
        "cluster_failure_time",
        "cluster_failure_time = chip_failure_time/training_chips",
        because="chips fail one by one, and any failure stops the step",
    ),
    _state("interruptions", "interruptions = wall_time/cluster_failure_time", because="failures come at an even rate"),
    _state("save_time", "save_time = checkpoint_bytes/storage_bandwidth", because="storage writes at its rate"),
    _state(
        "best_save_interval",
        "best_save_interval = sqrt(2*save_time*cluster_failure_time)",
        because="a failure costs half an interval on the mean, and saving is paid every interval",
        source=_YOUNG,
    ),
    _state(
        "lost_share",
        "lost_share = save_time/save_interval + (save_interval/2 + restart_time)/cluster_failure_time",
        because="each interval is saved once, each failure repeats half of one and restarts",
        source=_YOUNG,
    ),
]
