"""What the how-to shows is what the program does."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import derive
from tests.derive.terminal import ask, settle

HOW_TO = Path(derive.__file__).parent / "manual" / "how-to" / "page.md"


def test_the_how_to_runs_as_it_is_written(tmp_path, monkeypatch):
    text = HOW_TO.read_text(encoding="utf-8")
    (library,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    settle(tmp_path, {"shop.toml": library}, monkeypatch)
    (shown,) = re.findall(r"```console\n\$ (.*?)\n(.*?)```", text, re.DOTALL)
    told = ask(*shlex.split(shown[0])[1:])
    assert (told.status, told.out) == (0, shown[1])
    assert doctest.testfile(str(HOW_TO), module_relative=False).failed == 0
