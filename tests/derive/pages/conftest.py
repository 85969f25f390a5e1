"""One browser, and one tab of it, for the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.derive.browser import CHROMIUM
from tests.derive.pages.shown import Shown


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install '.[test]'")
    if not CHROMIUM:
        pytest.skip("needs Chromium, which is not on PATH")
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def tab(browser: Any) -> Shown:
    return Shown(browser.new_page())
