"""Audit and reports are made once.

Their tests come first, side by side, so that one of the processes that share the tests runs them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from derive.audit.verdicts import Finding

MADE_ONCE = (
    "tests/derive/audit/",
    "tests/derive/cli/test_audit",
    "tests/derive/tokens/reports/",
    "tests/derive/reports/test_reports",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(MADE_ONCE))


class Findings(Mapping[str, "Finding"]):
    """What is found of each claim, once it is asked for."""

    def __init__(self) -> None:
        from derive.tokens.audit import claims

        self.found: dict[str, Finding | None] = dict.fromkeys(claim.name for claim in claims())

    def __getitem__(self, name: str) -> Finding:
        from derive.tokens.audit import audit

        found = self.found[name]
        if found is None:
            (found,) = audit([name])
            self.found[name] = found
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


@pytest.fixture(scope="session")
def findings() -> Findings:
    return Findings()


@pytest.fixture(scope="session")
def conflicts():
    from derive.tokens.audit import clashes

    return clashes()
