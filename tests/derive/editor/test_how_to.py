"""The page on editors: its relation files are consistent, and its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import tomli

import derive
from derive.cli import cli

PAGE = (Path(derive.__file__).parent / "manual" / "how-to" / "editors.md").read_text(encoding="utf-8")


def test_its_files_are_toml_and_its_relation_file_is_consistent() -> None:
    blocks = [tomli.loads(block) for block in re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]
    texts = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    files = [text for text, data in zip(texts, blocks, strict=True) if "quantities" in data]
    assert [derive.check(text) for text in files] == [[]]


def test_its_verbs_exist() -> None:
    verbs = set(re.findall(r"^derive ([a-z-]+)|`derive ([a-z-]+)`", PAGE, re.MULTILINE))
    named = {verb for pair in verbs for verb in pair if verb}
    assert named == {"schema", "serve-editor", "check"}
    assert named <= cli.commands.keys()
