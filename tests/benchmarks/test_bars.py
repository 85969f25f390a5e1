"""Every comparison, printed with its ratios, and held to its bars.

pytest tests/benchmarks/test_bars.py --override-ini addopts= -q -s
"""

from __future__ import annotations

import pytest

from tests.benchmarks.report import COMPARISONS

IDS = [f"{compare.__module__.rpartition('.')[2]}-{compare.__name__}" for compare in COMPARISONS]


@pytest.mark.parametrize("compare", COMPARISONS, ids=IDS)
def test_the_bars(compare, benchmark):
    found = benchmark.pedantic(compare, rounds=1, iterations=1)
    benchmark.extra_info["ratios"] = {row.way: row.ratio for row in found.rows}
    print(found)
    assert found.missed == []
