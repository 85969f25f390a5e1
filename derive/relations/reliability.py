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
    _state("checkpoint_goodput", "checkpoint_goodput = 1 - lost_share", because="what is not lost"),
    _state(
        "least_lost_share",
        "least_lost_share = sqrt(2*save_time/cluster_failure_time) + restart_time/cluster_failure_time",
        because="at the best interval saving and repeating cost equally much",
        source=_YOUNG,
    ),
    _state(
        "daly_save_interval",
        "daly_save_interval = sqrt(2*save_time*(cluster_failure_time + restart_time)) - save_time",
        because="saving and restarting take time in which work could be lost",
        source="Daly, A higher order estimate of the optimum checkpoint interval, FGCS 22, 2006",
    ),
    _state(
        "availability",
        "availability = cluster_failure_time/(cluster_failure_time + restart_time)",
        because="running and restarting take turns",
    ),
    _state(
        "undisturbed_chance",
        "undisturbed_chance = exp(-interruptions)",
        because="failures are independent of each other",
    ),
]
