"""The lower bounds that pyproject.toml states are true: the package works with exactly those versions.

    pytest -m long -n 0 tests/derive/test_lowest.py

installs them into an environment of their own (which needs the package index) and runs part of the tests there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOWEST = [re.sub(r">=([0-9.]+),.*", r"==\1", each) for each in PROJECT["dependencies"]]
TRIED = [
    "tests/quantities",
    "tests/derive/relation_files",
    "tests/derive/test_errors.py",
    "tests/derive/test_exponents.py",
]


def test_every_dependency_states_a_lower_bound():
    assert all("==" in each for each in LOWEST)


def test_all_that_is_tried_with_them_is_there():
    assert [place for place in TRIED if not (ROOT / place).exists()] == []


@pytest.mark.long
def test_the_lowest_versions_do(tmp_path):
    venv.create(tmp_path / "lowest", with_pip=True)
    python = tmp_path / "lowest" / ("Scripts" if os.name == "nt" else "bin") / "python"

    def run(*arguments):
        done = subprocess.run([python, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    run("-m", "pip", "install", "--quiet", *LOWEST, "pytest", "pytest-xdist", "hypothesis")
    assert run("-c", "import derive; print(derive.__file__)").startswith(str(ROOT))
    # click 8.1.0 has other test helpers, sympy 1.13.0 writes Max for numpy wrongly, and nothing is installed
    left_out = "not command_ and not numeric_code and not which_distribution"
    run("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", left_out, *TRIED)


@pytest.mark.long
@pytest.mark.parametrize("ours_first", [True, False])
def test_what_is_advised_leads_away_from_a_stranger_of_the_same_name(tmp_path, ours_first):
    """The distribution `quantities` in the same environment, before and after ours."""
    venv.create(tmp_path / "both", with_pip=True)
    python = tmp_path / "both" / ("Scripts" if os.name == "nt" else "bin") / "python"

    def run(*arguments):
        return subprocess.run([python, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    def pip(*arguments):
        done = run("-m", "pip", *arguments)
        assert done.returncode == 0, done.stderr[-2000:]

    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, ROOT], check=True)
    wheel = next(tmp_path.glob("derive_engine-*.whl"))
    for package in (wheel, "quantities") if ours_first else ("quantities", wheel):
        pip("install", "--quiet", str(package))
    broken = run("-c", "import derive")
    assert broken.returncode
    advice = re.findall(r"`pip ([^`]+)`", broken.stderr.splitlines()[-1])
    assert len(advice) == 2
    for command in advice:
        pip(*command.replace("derive-engine", str(wheel)).split())
    assert run("-c", "import derive; derive.units; derive.llm").returncode == 0
