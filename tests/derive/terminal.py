"""The command line as it is met in a terminal: what it says, on which stream, and the status that it leaves with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from derive.cli import main


class Said(NamedTuple):
    status: int
    out: str
    err: str


def ask(*arguments: str, stdin: bytes = b"") -> Said:
    with CliRunner().isolation(stdin) as streams:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = (stream.getvalue().decode() for stream in streams[:2])
    return Said(int(left.value.code or 0), out, err)


def settle(folder: Path, files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder that holds these files."""
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("DERIVE_DEBUG", raising=False)
