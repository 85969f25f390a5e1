"""Long work, piece by piece: in threads, and with a progress bar on a terminal."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from os import cpu_count
from typing import Any, TypeVar

from derive.time_limits import in_this_query

S = TypeVar("S")
T = TypeVar("T")

_PATIENCE = 1.0  # seconds before a bar appears
_SHOWN: list[Any] = []
"""The bar on the terminal, if there is one: what is done within its steps has none of its own."""


def with_progress_bar(steps: Iterable[tuple[int, T]], total: int, what: str) -> Iterator[T]:
    """The results of work done step by step, while a progress bar shows how many of its points are done.

    >>> list(with_progress_bar([(2, "a"), (1, "b")], 3, "points"))
    ['a', 'b']
    """
    begun, done, bar = time.monotonic(), 0, None
    try:
        for points, step in steps:
            yield step
            done += points
            if bar is None and done < total and time.monotonic() - begun > _PATIENCE and not _SHOWN:
                bar = _bar(total, what)
                _SHOWN.append(bar)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done)
    finally:
        if bar is not None:
            bar.stop()
            _SHOWN.remove(bar)


def _bar(total: int, what: str) -> Any:
    """A progress bar on standard error, which shows nothing unless that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    bar.add_task(what, total=total)
    bar.start()
    return bar


def in_threads(work: Callable[[S], T], pieces: Iterable[S]) -> Iterator[T]:
    """The results of long work, piece by piece and in order, computed ahead in a thread for each processor.

    >>> list(in_threads(abs, [-3, 2, -1]))
    [3, 2, 1]
    """
    pending, work = iter(pieces), in_this_query(work)
    for first in pending:
        yield work(first)  # alone, because it prepares what the others use
        break
    threads = cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        running: deque[Future[T]] = deque()
        try:
            for piece in pending:
                running.append(pool.submit(work, piece))
                if len(running) > threads:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()
