"""The whole audit, made once for all tests of it."""

from __future__ import annotations

import pytest

from derive.auditing import audit, clashes


@pytest.fixture(scope="session")
def findings():
    return {finding.claim.name: finding for finding in audit()}


@pytest.fixture(scope="session")
def conflicts():
    return clashes()
