"""What travels in the package: its version, its licence, and what changed."""

from __future__ import annotations

import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

import derive

HOME = Path(derive.__file__).parent


def test_the_version_is_that_of_the_distribution() -> None:
    assert derive.__version__ == metadata.version("derive-engine")


def test_the_changes_of_this_version_are_told() -> None:
    headings = [
        line for line in (HOME / "CHANGES.md").read_text(encoding="utf-8").splitlines() if line.startswith("## ")
    ]
    assert headings[0] == f"## {derive.__version__}"


def test_the_licence_that_the_metadata_name_is_there() -> None:
    assert metadata.metadata("derive-engine")["License-Expression"] == "MIT"
    assert (HOME / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def files() -> list[Path]:
    """The files of the checkout, relative to its top."""
    home = HOME.parent
    if not (home / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=home, capture_output=True, text=True, check=True).stdout
    return [Path(line) for line in listed.splitlines()]


def test_nothing_else_lies_at_the_top() -> None:
    agreed = {"pyproject.toml", "README.md", "derive", "quantities", "tests", "reports"}
    assert {file.parts[0] for file in files() if not file.parts[0].startswith(".")} == agreed


def test_no_rest_of_a_merge_lies_beside_the_code() -> None:
    endings = {".py", ".typed", ".toml", ".txt", ".md", ".html", ".css", ".js", ".ipynb"}
    packaged = [file for file in files() if file.parts[0] in ("derive", "quantities")]
    assert {str(file) for file in packaged if file.suffix not in endings} == {"derive/LICENSE"}
