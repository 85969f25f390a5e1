"""What runs JavaScript on this machine: Node where it is installed, otherwise Chromium without a window."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

NODE = shutil.which("node") or ""
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
"""The browser; empty if there is none."""

needed = pytest.mark.skipif(not (NODE or CHROMIUM), reason="neither node nor chromium is installed")
"""What marks tests that run JavaScript."""


def value_of(script: str) -> Any:
    """The value of `said` at the end of a script."""
    if NODE:
        done = subprocess.run(
            [NODE, "-"],
            input=f"{script}\nconsole.log(JSON.stringify(said));",
            capture_output=True,
            text=True,
            check=False,
        )
        assert not done.returncode, done.stderr
        return json.loads(done.stdout)
    return _in_chromium(script)


def _in_chromium(script: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        shown = "document.getElementById('said').textContent = JSON.stringify(said);"
        page.write_text(f"<!DOCTYPE html><meta charset=utf-8><pre id=said></pre><script>{script}\n{shown}</script>")
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
        done = subprocess.run([*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, check=True)
    found = re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    return json.loads(html.unescape(found[1]))
