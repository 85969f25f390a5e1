"""Audit and reports are made once.

Their tests come first, side by side, so that one of the processes that share the tests runs them all.
"""

from __future__ import annotations

import pytest

MADE_ONCE = (
    "tests/derive/audit/",
    "tests/derive/cli/test_audit",
    "tests/derive/tokens/reports/",
    "tests/derive/reports/test_reports",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(MADE_ONCE))


@pytest.fixture(scope="session", autouse=True)
def patience():
    """What a question computes counts against its limit here, and not how little a busy machine lets it compute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("derive.time_limits._WALL", 1000)
        yield


@pytest.fixture(scope="session")
def findings():
    from derive.tokens.audit import audit

    return {finding.claim.name: finding for finding in audit()}


@pytest.fixture(scope="session")
def conflicts():
    from derive.tokens.audit import clashes

    return clashes()
