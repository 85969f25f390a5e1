"""Speed-ups and savings: what a ratio of two states is called."""

from functools import partial

from derive.stating.relation import relate
from quantities.symbols import roofline, savings, vocabulary

_define = partial(relate, source="by definition", quantities=vocabulary(roofline, savings))

relations = [
    _define("speed_up", "speed_up = baseline_time/present_time", because="the same work in less time"),
    _define("throughput_gain", "throughput_gain = speed_up - 1", because="more work in the same time"),
    _define(
        "time_saving", "time_saving = 1 - present_time/baseline_time", because="what is left of the time is not saved"
    ),
    _define("time_overhead", "time_overhead = present_time/baseline_time - 1", because="what was added to the time"),
    _define(
        "cost_saving", "cost_saving = 1 - present_cost/baseline_cost", because="what is left of the cost is not saved"
    ),
    _define("cost_ratio", "cost_ratio = baseline_cost/present_cost", because="how many times cheaper"),
    _define(
        "chip_time_saving",
        "chip_time_saving = 1 - present_chip_time/baseline_chip_time",
        because="what is left of the chip-hours is not saved",
    ),
    _define("peak_ratio", "peak_ratio = peak_compute/baseline_peak_compute", because="how many times faster at best"),
    _define("upgrade_saving", "upgrade_saving = 1 - 1/peak_ratio", because="chip-hours shrink as the peak grows"),
    _define("memory_saving", "memory_saving = 1 - present_bytes/baseline_bytes", because="what is left is not saved"),
    _define("compression", "compression = baseline_bytes/present_bytes", because="how many times smaller"),
    _define("value_ratio", "value_ratio = present_value/baseline_value", because="its definition"),
    _define("value_growth", "value_growth = value_ratio - 1", because="what was added"),
    _define("value_saving", "value_saving = 1 - value_ratio", because="what is left is not saved"),
]
