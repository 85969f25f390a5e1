"""What was measured, as a page: `python -m tests.benchmarks.report` writes `reports/benchmarks.md`.

The peers it is measured against are the extra `bench`; one that is not installed is left out and said to be.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.benchmarks import blocks, dispersion, growth, optima, peers, questions, tables
from tests.benchmarks.measuring import Comparison, shown

COMPARISONS: tuple[Callable[[], Comparison], ...] = (
    questions.warm,
    questions.first,
    questions.remembered,
    dispersion.dispersion,
    tables.columns,
    tables.abreast,
    tables.grid,
    blocks.kepler,
    blocks.product,
    blocks.meshes,
    blocks.pipe,
    peers.forwards,
    peers.backwards,
    peers.textbook,
    optima.cheapest,
    growth.chain,
    growth.planning,
)
PACKAGES = (
    "sympy",
    "pint",
    "numpy",
    "numba",
    "scipy",
    "unyt",
    "casadi",
    "gekko",
    "gpkit",
    "pyomo",
    "highspy",
    "pyscipopt",
)
PAGE = Path(__file__).parents[2] / "reports" / "benchmarks.md"


def page(comparisons: Iterable[Comparison]) -> str:
    """The page: the machine, the versions, and a table for each comparison."""
    parts = ["# Benchmarks", _opening(), f"On {_machine()}; {_versions()}."]
    for found in comparisons:
        parts += [f"## {found.name}", f"{found.task[:1].upper()}{found.task[1:]}.", _table(found)]
        parts += [*found.notes, *_bars(found)]
    return "\n\n".join(parts) + "\n"


def _opening() -> str:
    return (
        "Ways to do one task, measured in turn within one run; times are medians. A ratio is to the first line of its "
        "table: above one is slower than that, below one faster. Times differ from machine to machine, ratios less. "
        "`python -m tests.benchmarks.report` writes this page anew, after `pip install -e '.[dev,bench]'`."
    )


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{_processor()}, {cores} cores, {platform.system()}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _versions() -> str:
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def _table(found: Comparison) -> str:
    lines = ["| way | time | ratio | |", "| --- | ---: | ---: | --- |"]
    for row in found.rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.3g}"
        lines.append(f"| {row.way} | {shown(row.seconds)} | {ratio} | {row.said} |")
    return "\n".join(lines)


def _bars(found: Comparison) -> list[str]:
    told = [
        f"{bar.way}: {found.times(bar.way, bar.against):.2g} times {bar.against}, at most {bar.most:g} wanted"
        for bar in found.bars
    ]
    return ["\n".join(f"- {one}" for one in told)] if told else []


def main() -> None:
    found = []
    for compare in COMPARISONS:
        found.append(compare())
        print(found[-1], flush=True)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(found), encoding="utf-8")
    print(f"\n{PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
