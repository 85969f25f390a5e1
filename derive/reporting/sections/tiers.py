"""Where a cache is kept between two uses, and for how long that pays."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.relations import library
from derive.reporting.asking import held, number, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.solving.answer import Answer
from quantities.source import Source

__all__ = ["tiers"]

_SERVED = ("h100-sxm:fp8", "deepseek-v3")
_LINK = {"host_link_bandwidth": "64 GB/s/chip"}
_LECTURE = Source("R. Pope with D. Patel, blackboard lecture, April 2026")
_HBM = {"Rubin's HBM": "rubin-lecture", "H100's HBM": "h100-sxm", "GB300's HBM": "gb300"}
_TIERS = {
    "DDR5, a socket": "ddr5-6400-typical-server",
    "CXL module": "cxl-cz120-256gb",
    "SATA flash": "sata-ssd-8tb",
    "NVMe flash, Gen 6": "nvme-gen6-30tb",
    "NVMe flash, Gen 5": "nvme-gen5-30tb",
    "NVMe flash, 123 TB": "nvme-gen4-qlc-122tb",
    "disk of the blackboard": "hdd-lecture",
    "disk of 20 TB": "hdd-exos-x20-20tb",
}
_CLOCK = {"days": 86400, "h": 3600, "min": 60, "s": 1, "ms": 1e-3}
_RENTED = {
    "DDR5": ("ddr5-6400-typical-server", "1200 USD/year"),
    "flash": ("nvme-gen5-30tb", "600 USD/year"),
    "disk": ("hdd-lecture", "100 USD/year"),
}


def tiers() -> Iterator[Block]:
    """S21."""
    yield Heading("S21. Cache tiers")
    yield Text(
        "Between two uses a cache can be thrown away and computed again, or kept: in the memory of the chip, in that "
        "of its host, on flash, on disk. Three costs compete. To compute again costs arithmetic; to fetch costs a "
        "chip that waits for a wire; to hold costs rent, and rent grows with time."
    )
    yield from _rebuild()
    yield from _drain()
    yield from _cheapest()
    yield from _discount()


def _rebuild() -> Iterator[Block]:
    yield Heading("Rebuild, retrieve or hold", 3)
    yield from stated("compute_cost", "retrieve_cost", "storage_cost", "break_even_hold_time")
    memory = solve("memory_price", *_SERVED).to("USD/GB/h").magnitude
    longest = solve("break_even_hold_time", *_SERVED, **_LINK, tier_price=f"{memory:.6g} USD/GB/h")
    yield worked("For how long DeepSeek-V3's cache may stay in HBM", longest)
    ratio = solve("rebuild_to_retrieve", *_SERVED, **_LINK)
    dear = solve("tier_price", *_SERVED, **_LINK, break_even_hold_time="1 h")
    yield Text(
        "The rent of the chip cancels: it stands in the arithmetic, in the wait and in the memory alike. To compute "
        f"the cache again costs {say(ratio, 3)} times what fetching it over a host's link of 64 GB/s does, so a cache "
        f"is worth keeping somewhere. But HBM is too dear to hold it for more than {say(longest, 2)}. Asked backwards: "
        f"an hour pays in a tier that costs less than {say(dear, 2)}."
    )


def _drain() -> Iterator[Block]:
    yield Heading("The tier whose drain time matches", 3)
    yield from stated("tier_drain_time", "matched_share", "stored_bytes")
    yield Text(
        "A device that is read from end to end in exactly the time for which its contents are held uses all of its "
        "capacity and all of its bandwidth. Held for less, the bandwidth runs out before the capacity is filled; held "
        "for longer, the bandwidth lies idle. So a seller who keeps caches for five minutes and for an hour may be "
        "thought to keep them in tiers that drain in such times. The blackboard has HBM at 20 ms, DDR at seconds, "
        "flash at about a minute and disk at about an hour.",
        (_LECTURE,),
    )
    drained = {label: solve("drain_time", chip) for label, chip in _HBM.items()} | {
        label: solve("tier_drain_time", tier) for label, tier in _TIERS.items()
    }
    rows = {label: [_lasting(answer), *_filled(label)] for label, answer in drained.items()}
    columns = ("tier", "drains in", "filled at 5 min", "at 1 h")
    yield table(
        rows,
        columns,
        "Drain times, and the share of a device that fills when all it holds is read once in 5 minutes or an hour.",
    )
    yield _drain_picture(drained)
    drive = library().profile("nvme-gen5-30tb").values["tier_capacity"]
    fast = solve("tier_bandwidth", tier_capacity=str(drive), tier_drain_time="1 min")
    yield Text(
        "Real devices are slower than the blackboard's. To drain in a minute a drive of "
        f"{held('nvme-gen5-30tb', 'tier_capacity')} would have to read {say(fast, 3)}; it reads "
        f"{held('nvme-gen5-30tb', 'tier_bandwidth')}. A disk takes about a day. Of what there is, flash comes closest "
        "to both times on the price sheets: an hour fills it, five minutes use a part of it, and disk has no place in "
        "either."
    )


def _filled(label: str) -> list[str]:
    if label in _HBM:
        return ["", ""]
    shares = [solve("matched_share", _TIERS[label], hold_time=time).to("").magnitude for time in ("5 min", "1 h")]
    return [number(min(1.0, share), digits=2) for share in shares]


def _lasting(answer: Answer) -> str:
    """A time in the unit in which one would say it."""
    for unit in ("ms", "s", "min", "h"):
        if answer.to(unit).magnitude < (1000 if unit == "ms" else 100):
            return number(answer.to(unit).magnitude, unit)
    return number(answer.to("day").magnitude, "day")


def _drain_picture(drained: dict[str, Answer]) -> Picture:
    names = tuple(drained)
    times = [answer.to("s").magnitude for answer in drained.values()]
    chart = Chart(
        Axis("time to read all of it once [s]", log=True, low=5e-3, high=1e6),
        Axis("", names=names),
        (Series.of(times, range(len(names)), style="points", tags=tuple(map(_plain, drained.values()))),),
        (Mark(300, "5 minutes"), Mark(3600, "an hour")),
        height=3.4,
    )
    caption = "Drain times, and the two times for which price sheets keep a cache."
    return Picture("prices-drain", (chart,), caption)


def _plain(answer: Answer) -> str:
    """A time as a label, where there is no mathematics."""
    seconds = answer.to("s").magnitude
    unit, size = next((unit, size) for unit, size in _CLOCK.items() if seconds >= size)
    return f"{seconds / size:.3g} {unit}"


def _cheapest() -> Iterator[Block]:
    yield Heading("The cheapest tier", 3)
    yield from stated("tier_hold_cost")
    yield Text(
        "The drain time is a floor under the time that a cache pays for. So a slow tier that is cheap by the byte is "
        "dear for a short stay, and each tier has a stretch of time in which it is the cheapest. Where these lie "
        "hangs on rents that no catalogue prints; take 1200 dollars a year for a socket of DDR5, 600 for a drive of "
        "flash, 100 for a disk."
    )
    first = _meeting("DDR5", "flash")
    second = _meeting("flash", "disk")
    yield _cheapest_picture(first, second)
    yield Text(
        f"Under these rents flash is cheaper than DDR5 from {_lasting(first)} on, and disk cheaper than flash from "
        f"{_lasting(second)} on. So both 5 minutes and an hour are flash. And all of it lies far below the cost of "
        "computing the cache again: what a sheet charges for keeping is not rent."
    )


def _meeting(fast: str, slow: str) -> Answer:
    """How long a cache has to be kept for the slower tier to cost no more than the faster one."""
    tier, rent = _RENTED[slow]
    floor = solve("tier_hold_cost", "deepseek-v3", tier, tier_device_price=rent, hold_time="1 s")
    tier, rent = _RENTED[fast]
    return solve("hold_time", "deepseek-v3", tier, tier_device_price=rent, tier_hold_cost=floor.value)


def _cheapest_picture(first: Answer, second: Answer) -> Picture:
    time = span("0.01..1000000 s", 97, log=True)
    series = []
    hbm = {"tier_price": solve("memory_price", *_SERVED).value, "tier_drain_time": solve("drain_time", *_SERVED).value}
    kept = {"HBM": ((), hbm)} | {
        label: ((tier,), {"tier_device_price": rent}) for label, (tier, rent) in _RENTED.items()
    }
    for label, (profiles, given) in kept.items():
        swept = library().sweep("tier_hold_cost", "deepseek-v3", *profiles, **given, hold_time=time)
        series.append(Series.of(swept.axes["hold_time"], swept.columns["tier_hold_cost"], label))
    again = solve("compute_cost", *_SERVED).to("USD/Mtoken").magnitude
    series.append(Series((1e-2, 1e6), (again, again), "computed again", "dashed"))
    meetings = (first.to("s").magnitude, second.to("s").magnitude)
    chart = Chart(
        Axis("time that the cache is kept [s]", log=True),
        Axis("USD/Mtoken", log=True, low=1e-7, high=100),
        tuple(series),
        (
            Mark(meetings[0], "flash as cheap as DDR5"),
            Mark(meetings[1], "disk as cheap as flash"),
            Mark(300, "5 minutes"),
            Mark(3600, "an hour"),
        ),
    )
    caption = (
        "What it costs to keep the cache of DeepSeek-V3 on devices that read all they hold once in the time: flat up "
        "to the drain time, a rent that grows beyond it. The rents of DDR5, flash and disk are assumed."
    )
    return Picture("prices-tiers", (chart,), caption)


def _discount() -> Iterator[Block]:
    yield Heading("The discount on a hit", 3)
    yield from stated("cache_discount", "break_even_reads_5min", "implied_storage_price")
    asked = ("cache_discount", "break_even_reads_5min", "break_even_reads_1h", "implied_storage_price")
    writes = {"Claude Opus 4.6": "claude-opus-4-6-prices", "Claude Haiku 4.5": "claude-haiku-4-5-prices"}
    others = {
        "Gemini 2.5 Pro": "gemini-2-5-pro-prices",
        "GPT-5": "gpt-5-prices",
        "GPT-4.1": "gpt-4-1-prices",
        "DeepSeek-V3.2": "deepseek-v3-2-prices",
    }
    rows: dict[str, list[Answer | str]] = {
        label: [solve(name, sheet) for name in asked] for label, sheet in writes.items()
    }
    for label, sheet in others.items():
        rows[label] = [solve("cache_discount", sheet), *[""] * 3]
    columns = ("sheet", "hit cheaper by", "hits for 5 min", "hits for 1 h", "price of an hour")
    yield table(rows, columns, "Discounts; the hits that pay for a write; what the dearer write charges for time.", 3)
    ratio = solve("rebuild_to_retrieve", *_SERVED, **_LINK)
    back = solve("host_link_bandwidth", *_SERVED, rebuild_to_retrieve=10)
    yield Text(
        f"A hit is sold about ten times cheaper than a miss. For DeepSeek-V3 its cost is {say(ratio, 3)} times lower; "
        f"a link of {say(back, 3)} would make it ten. A hit pays for its write the first time, or nearly."
    )
