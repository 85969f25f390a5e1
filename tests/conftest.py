"""What the ordinary run tries, and what is left to the thorough one and to the long one.

The ordinary run, `pytest`, asks every room of the house and tries few examples of each property. `pytest -m thorough`
tries the rest: the cross products over the library and the corpora, the reports in full, what takes half a second and
more, and a third of the cases of a test of which the ordinary run tries but the first (`@pytest.mark.ordinary(2)`).
With `--hypothesis-profile=full` it also tries forty examples where the ordinary run tried ten and this one twenty.
`pytest -m long` fuzzes for as long as one has patience for.

Both try the same examples every time, so that they fail where the code has changed and nowhere else. A search for new
ones has its own command: `pytest --hypothesis-profile=searching`. A property is judged by what it finds, not by how
long a busy machine takes over one example.
"""

from __future__ import annotations

import gc
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings
from xdist.scheduler import LoadScopeScheduling

from derive import time_limits
from tests.ordinary import FULL, THOROUGH

OF_REPORTS = tuple(f"tests/derive/{folder}/" for folder in ("audit", "reports", "tokens/reports"))
"""The tests that read the documents of the reports: one worker writes these, once."""

settings.register_profile("few", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("thorough", derandomize=True, deadline=None, max_examples=THOROUGH)
settings.register_profile("full", derandomize=True, deadline=None, max_examples=FULL)
settings.register_profile("searching", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("few")


def asks_for(config: pytest.Config, mark: str) -> bool:
    """Whether a run asks for what has this mark; `not long` does not."""
    return re.search(rf"(?<!not )\b{mark}\b", str(config.getoption("markexpr") or "")) is not None


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # nothing that is imported or collected now is garbage, and looking for some takes a third of the time
    time_limits._WALL = 1000  # what a question computes counts against its limit, not how little a busy machine lets it
    if asks_for(config, "thorough") and not config.getoption("hypothesis_profile", None):
        settings.load_profile("thorough")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asked = {mark for mark in ("thorough", "long") if asks_for(config, mark)}
    repeats = "thorough" in asked and config.getoption("hypothesis_profile", None) in ("thorough", "full")
    tried: Counter[str] = Counter()
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        marks = {mark for mark in ("thorough", "long") if item.get_closest_marker(mark)}
        share = item.get_closest_marker("ordinary")
        if share is not None and "long" not in marks:
            test = item.nodeid.partition("[")[0]
            tried[test] += 1
            if tried[test] > share.args[0]:  # also of a test that as a whole is left to the thorough run
                run = "thorough" if (tried[test] - share.args[0]) % 3 == 1 else "long"
                item.add_marker(run)
                marks = {run}
        if not marks and repeats and is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("thorough")  # a property of the ordinary run, of which this one tries more examples
        is_asked = "long" in asked if "long" in marks else not marks or marks <= asked
        (kept if is_asked else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


class OneWorkerWritesReports(LoadScopeScheduling):
    """Leaves all tests of reports to one worker, and each other test to any."""

    def _split_scope(self, nodeid: str) -> str:
        return "reports" if nodeid.startswith(OF_REPORTS) else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneWorkerWritesReports | None:
    """The scheduler of `--dist=loadgroup`; marks of groups, as xdist reads them, are lost on pytest from 9.2 on."""
    return OneWorkerWritesReports(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_finish() -> None:
    gc.freeze()  # the tests themselves outlive every collection
    gc.set_threshold(50_000, 20, 20)
    gc.enable()
