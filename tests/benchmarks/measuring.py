"""Ways to do one task, timed in turn within one run, so that what else the machine does meets all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

__all__ = ["Bar", "Comparison", "Row", "alternately", "compared"]

_SHORTEST = 0.02  # seconds that a round of one way takes at least


@dataclass(frozen=True)
class Row:
    """A way to do the task, and how long it took; no time where it could not do it."""

    way: str
    seconds: float | None
    ratio: float | None = None  # to the first way of its comparison
    said: str = ""


@dataclass(frozen=True)
class Bar:
    """What a way may take, as so many times what another takes."""

    way: str
    against: str
    most: float


@dataclass(frozen=True)
class Comparison:
    """A task and the ways to do it; the first is this package's."""

    name: str
    task: str
    rows: tuple[Row, ...]
    bars: tuple[Bar, ...] = ()
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()  # bars that are no ratios, and missed

    def times(self, way: str, against: str) -> float:
        """How many times as long as another a way takes."""
        seconds = {row.way: row.seconds for row in self.rows}
        one, other = seconds[way], seconds[against]
        assert one is not None
        assert other is not None
        return one / other

    @property
    def missed(self) -> list[str]:
        found = [(bar, self.times(bar.way, bar.against)) for bar in self.bars]
        return [*self.faults] + [
            f"{bar.way}: {times:.2f} times {bar.against}" for bar, times in found if times > bar.most
        ]

    def __str__(self) -> str:
        width = max(len(row.way) for row in self.rows)
        lines = [f"\n{self.name}: {self.task}"]
        for row in self.rows:
            ratio = "" if row.ratio is None else f"{row.ratio:>9.2f}x"
            lines.append(f"  {row.way:<{width}} {shown(row.seconds):>10} {ratio:>10}  {row.said}".rstrip())
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def shown(seconds: float | None) -> str:
    """A time with the unit that suits it."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def alternately(acts: Mapping[str, Callable[[], Any]], rounds: int = 9) -> dict[str, float]:
    """The median time of each act; in every round each has its turn."""
    counts = {}
    for name, act in acts.items():
        act()
        start = time.perf_counter()
        act()
        counts[name] = max(1, round(_SHORTEST / max(time.perf_counter() - start, 1e-9)))
    times: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                act()
            times[name].append((time.perf_counter() - start) / counts[name])
    return {name: median(taken) for name, taken in times.items()}


def compared(
    name: str,
    task: str,
    seconds: Mapping[str, float | None],
    said: Mapping[str, str] | None = None,
    bars: tuple[Bar, ...] = (),
    notes: tuple[str, ...] = (),
) -> Comparison:
    """The times side by side, each as a multiple of the first."""
    first = next(iter(seconds.values()))
    told = said or {}
    rows = tuple(
        Row(way, taken, None if taken is None or first is None else taken / first, told.get(way, ""))
        for way, taken in seconds.items()
    )
    return Comparison(name, task, rows, bars, notes)
