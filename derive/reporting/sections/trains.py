"""S9 of the price menu: steps that leave like trains, the wait for them, and the tracks that a demand needs."""

from __future__ import annotations

from collections.abc import Iterator

from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.reporting.asking import held, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.solving.answer import Answer

_RUBIN = "rubin-lecture"
_DRAINED = ("a100-sxm-80gb", "h100-sxm", "h200-sxm", "gb200", "gb300", "rubin-r200", _RUBIN, "mi300x", "tpu-v6e")
_LECTURE = {"batch": "2000 sequence", "chips": "72 chip"}


def blocks() -> Iterator[Block]:
    """The waiting and the fleet."""
    yield from _waiting()
    yield from _fleet()


def _waiting() -> Iterator[Block]:
    yield Heading("S9. The train schedule")
    yield from stated("drain_time", "hbm_read_share", "cadence", "run_time")
    yield from stated("mean_wait", "worst_wait", "mean_latency", "worst_latency")
    yield Text(
        "Steps leave like trains. Who arrives too late waits for the next. How often one leaves is set by memory: a "
        "chip cannot read more in a step than it holds, and to read all that it holds takes its *drain time*, which "
        "no software changes."
    )
    rows: dict[str, list[Answer | str]] = {
        chip: [held(chip, "hbm_capacity"), held(chip, "hbm_bandwidth"), solve("drain_time", chip)] for chip in _DRAINED
    }
    yield table(rows, ("chip", "memory", "bandwidth", "drain time"), "Drain times of memories.", 3)
    yield Text(
        "The lecture puts Hopper and Blackwell at 15 to 20 ms. By the catalogue they are a little slower, since "
        "memory grew with bandwidth from each to the next; only Rubin falls below, as it took over the memory of the "
        "chip before and more than doubled the bandwidth."
    )
    yield worked(
        "The longest wait, if a step reads all of Rubin's memory", solve("worst_latency", _RUBIN, hbm_read_share=1)
    )
    back = solve("hbm_read_share", _RUBIN, worst_latency="20 ms")
    rack = ("gb200:fp8", "deepseek-v3")
    given = {**_LECTURE, "context": "8 ktoken/sequence"}
    share, beat, step = (solve(one, *rack, **given) for one in ("hbm_read_share", "cadence", "step_time"))
    yield Text(
        f"Backwards: nobody waits longer than 20 ms if a step reads {say(back, 3)} of it. This is the answer to a "
        "frequent misreading. A train may well run faster than the drain time; it then leaves part of the memory "
        "unread, and that part was bought for nothing. DeepSeek-V3 with 2000 sequences of 8k tokens reads "
        f"{say(share, 3)} of a rack of GB200. Its trains leave every {say(beat, 3)}, which is its step time, "
        f"{say(step, 3)}, worked out another way."
    )
    yield _wait_picture()


def _wait_picture() -> Picture:
    cadence = "20 ms"
    worst, mean = (solve(one, cadence=cadence).to("ms").magnitude for one in ("worst_latency", "mean_latency"))
    ride = solve("run_time", cadence=cadence).to("ms").magnitude
    beat = worst - ride
    moments, waits = [], []
    for train in range(4):
        moments += [train * beat, (train + 1) * beat]
        waits += [worst, ride]
    marks = (Mark(worst, "just missed", "y"), Mark(mean, "mean", "y"), Mark(ride, "just in time", "y"))
    chart = Chart(
        Axis("arrival of the request [ms]", high=4.6 * beat),
        Axis("time until the token [ms]", low=0),
        (Series.of(moments, waits, strong=True),),
        marks,
        height=2.6,
    )
    return Picture("menu-waiting", (chart,), f"Waiting and riding, with a train every {cadence}.")


def _fleet() -> Iterator[Block]:
    yield Heading("From one rack to a fleet", 3)
    yield from stated("replicas", "fleet_chips", "sequences_in_flight")
    rows = {}
    for rate in ("50 1/s", "64 1/s"):
        given = {**_LECTURE, "step_rate": rate}
        rack = [solve(one, **given) for one in ("step_time", "throughput")]
        fleet = [
            solve(one, **given, fleet_demand="128 Mtoken/s")
            for one in ("replicas", "fleet_chips", "sequences_in_flight")
        ]
        rows[rate.replace(" 1/s", " a second")] = [*rack, *fleet]
    columns = ("trains", "cadence", "rack", "racks", "chips", "in flight")
    yield table(rows, columns, "Racks of 72 chips, trains of 2000, for 128 million tokens a second.", 4)
    machines = solve("decode_nodes", "served-deepseek-2025", fleet_demand="168 Gtoken/day")
    served = solve("fleet_demand", "served-deepseek-2025", decode_nodes=machines.value)
    beat = solve("step_time", step_rate="64 1/s")
    yield Text(
        f"The lecture takes 64 trains a second and calls that one in 20 ms; but 64 is one in {say(beat, 3)}, and one "
        "in 20 ms is 50. By such a rounding a fleet is larger or smaller by a quarter."
    )
    yield Text(
        "For comparison, a service that told its numbers: DeepSeek answered with 168 billion tokens on a day of "
        f"February 2025, or {say(served, 3)}. At the rate that it measured for a machine of eight H800 that is the "
        f"work of {say(machines, 3)} machines. It had more of them, since load comes in waves and prompts are read on "
        "others."
    )
