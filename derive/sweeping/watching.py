"""How far a long piece of work has come: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["watched"]

T = TypeVar("T")

_PATIENCE = 1.0  # seconds before a bar appears


def watched(steps: Iterable[tuple[int, T]], total: int, what: str) -> Iterator[T]:
    """The steps, each of which comes with how many points it takes.

    >>> list(watched([(2, "a"), (1, "b")], 3, "points"))
    ['a', 'b']
    """
    from rich.console import Console

    if not Console(stderr=True).is_terminal:
        yield from (step for _, step in steps)
        return
    yield from _shown(steps, total, what)


def _shown(steps: Iterable[tuple[int, T]], total: int, what: str) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task, begun, done = bar.add_task(what, total=total), time.monotonic(), 0
    try:
        for points, step in steps:
            yield step
            done += points
            if not bar.live.is_started and time.monotonic() - begun > _PATIENCE:
                bar.start()
            bar.update(task, completed=done)
    finally:
        if bar.live.is_started:
            bar.stop()
