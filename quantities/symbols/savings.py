"""Ratios of a present state to a baseline, as results are reported."""

from quantities.declaration import Declaration

baseline_time = Declaration("baseline_time", "s", "time before a change")
present_time = Declaration("present_time", "s", "time after a change")
speed_up = Declaration("speed_up", "", "how many times faster: baseline over present time")
throughput_gain = Declaration(
    "throughput_gain", "", "growth of what is done in a time: baseline over present time, less 1", domain="real"
)
time_saving = Declaration("time_saving", "", "share of the time that is saved", domain="real")
time_overhead = Declaration("time_overhead", "", "growth of the time, as a share of what it was", domain="real")
baseline_cost = Declaration("baseline_cost", "USD", "cost before a change")
present_cost = Declaration("present_cost", "USD", "cost after a change")
cost_saving = Declaration("cost_saving", "", "share of the cost that is saved", domain="real")
cost_ratio = Declaration("cost_ratio", "", "cost before over cost after")
baseline_chip_time = Declaration("baseline_chip_time", "h*chip", "chip-hours before a change")
present_chip_time = Declaration("present_chip_time", "h*chip", "chip-hours after a change")
chip_time_saving = Declaration(
    "chip_time_saving", "", "share of the chip-hours (GPU-hours) that is saved", domain="real"
)
baseline_peak_compute = Declaration("baseline_peak_compute", "FLOP/s/chip", "dense peak of the chip that is replaced")
peak_ratio = Declaration("peak_ratio", "", "peak of the chip over that of the one it replaces")
upgrade_saving = Declaration(
    "upgrade_saving", "", "share of the chip-hours that a faster chip saves at equal utilisation", domain="real"
)
baseline_bytes = Declaration("baseline_bytes", "byte", "memory before a change")
present_bytes = Declaration("present_bytes", "byte", "memory after a change")
memory_saving = Declaration("memory_saving", "", "share of the memory that is saved", domain="real")
compression = Declaration("compression", "", "memory before over memory after")

# Of anything: speeds, sizes, rates, prices, in one and the same unit
baseline_value = Declaration(
    "baseline_value", "", "any number before a change: a speed, a size, a price", domain="real"
)
present_value = Declaration("present_value", "", "any number after a change: a speed, a size, a price", domain="real")
value_ratio = Declaration("value_ratio", "", "any number after a change over that before", domain="real")
value_growth = Declaration(
    "value_growth", "", "growth of any number by a change, as a share of what it was", domain="real"
)
value_saving = Declaration("value_saving", "", "share of any number that a change saves", domain="real")
