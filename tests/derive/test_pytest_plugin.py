"""Relation files as tests of pytest, and as a hook of pre-commit."""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import tomli
from click.testing import CliRunner

import derive
from derive.cli import cli

pytest_plugins = ["pytester"]

ROOT = Path(derive.__file__).parents[1]
REGISTERED = any(entry.value == "derive.pytest_plugin" for entry in metadata.entry_points(group="pytest11"))
PLUGIN = () if REGISTERED else ("-p", "derive.pytest_plugin")
PENDULUM = """[quantities]
length = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
period = { unit = "s" }
[relations.swing]
equation = "period = 2*pi*sqrt(length/gravity)"
[examples.seconds]
asked = "period"
given = { length = "0.994 m" }
expected = "2.00 s"

[examples.wrong]
asked = "period"
given = { length = "0.994 m" }
expected = "3.00 s"

[examples.too_little]
asked = "period"
expected = "3.00 s"
"""


@pytest.fixture
def folder(pytester):
    pytester.makefile(".toml", pendulum=PENDULUM, pyproject='[project]\nname = "x"\n')
    return pytester


def test_every_example_is_a_test_of_its_own(folder) -> None:
    result = folder.runpytest(*PLUGIN, "--derive", "-v")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*pendulum.toml::consistent PASSED*",
            "*pendulum.toml::examples[[]seconds[]] PASSED*",
            "*pendulum.toml::examples[[]wrong[]] FAILED*",
            "*pendulum.toml::examples[[]too_little[]] FAILED*",
            "pendulum.toml:12: wrong: period is 2 s; expected 3.00 s.",
            "  Fix a relation, a value or the example.",
            "pendulum.toml:17: too_little: period is not determined by what is given.",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "pyproject" not in result.stdout.str().replace("configfile: pyproject.toml", "")


def test_one_example_can_be_asked_for(folder) -> None:
    folder.runpytest(*PLUGIN, "--derive", "pendulum.toml::examples[seconds]").assert_outcomes(passed=1)
    folder.runpytest(*PLUGIN, "--derive", "-k", "wrong").assert_outcomes(failed=1, deselected=3)


def test_a_file_that_does_not_fit_fails_with_its_lines(folder) -> None:
    folder.makefile(".toml", pendulum=PENDULUM.replace("2*pi*sqrt(length/gravity)", "2*pi*(length/gravity)"))
    result = folder.runpytest(*PLUGIN, "--derive")
    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines(["pendulum.toml:6: swing: left is s, right is s[*][*]2.", "  Take the square root*"])


@pytest.mark.parametrize("text", ['[quantities]\nx = { unit = "m"', '[quantities]\nx = { unit = "m" }\n[relations.a\n'])
def test_a_file_that_is_no_toml_fails_with_its_line(folder, text) -> None:
    folder.makefile(".toml", pendulum=text)
    result = folder.runpytest(*PLUGIN, "--derive")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["pendulum.toml:*: This is not TOML: *"])


def test_a_file_that_is_not_utf8_fails_and_is_not_passed_over(folder) -> None:
    (folder.path / "pendulum.toml").write_bytes(f"# länge\n{PENDULUM}".encode("latin-1"))
    result = folder.runpytest(*PLUGIN, "--derive")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["pendulum.toml:1: 'pendulum.toml' is not UTF-8 text: *", "  Save it as UTF-8."])


def test_a_relation_that_says_nothing_new_fails(folder) -> None:
    again = '[relations.again]\nequation = "length = gravity*(period/(2*pi))**2"\n[examples.seconds]'
    folder.makefile(".toml", pendulum=PENDULUM.replace("[examples.seconds]", again))
    result = folder.runpytest(*PLUGIN, "--derive", "-k", "consistent")
    result.assert_outcomes(failed=1, deselected=3)


def test_without_the_option_nothing_is_collected_and_nothing_imported(folder) -> None:
    folder.makepyfile(
        """
        import sys

        def test_nothing():
            heavy = {"sympy", "pint", "numpy", "networkx", "tomli", "click"}
            assert not heavy & sys.modules.keys()
            ours = {name for name in sys.modules if name.partition(".")[0] in ("derive", "quantities")}
            assert ours <= {"derive", "derive.pytest_plugin"} | {name for name in ours if name.startswith("quantities")}
            assert "derive.library" not in ours
        """
    )
    result = folder.run(sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:benchmark", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)


def test_the_entry_point_names_the_plugin() -> None:
    project = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"derive": "derive.pytest_plugin"}


# The hook


def hook() -> dict[str, str]:
    rows = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8").replace("- ", "  ", 1).splitlines()
    return {key.strip(): value.strip() for key, _, value in (row.partition(":") for row in rows)}


def test_the_hook_checks_relation_files_and_passes_over_others(tmp_path) -> None:
    program, *words = shlex.split(hook()["entry"])
    assert program in tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    (tmp_path / "good.toml").write_text(PENDULUM.partition("\n\n")[0], encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    (tmp_path / "bad.toml").write_text(PENDULUM.replace("sqrt", ""), encoding="utf-8")
    good, other, bad = (str(tmp_path / f"{name}.toml") for name in ("good", "pyproject", "bad"))
    fine = CliRunner().invoke(cli, [*words, good, other], standalone_mode=False)
    assert (fine.return_value, fine.output.count("\n")) == (0, 1)
    spoilt = CliRunner().invoke(cli, [*words, good, other, bad], standalone_mode=False)
    assert spoilt.return_value == 1
    assert "Take the square root of the right." in spoilt.output


@pytest.mark.thorough
def test_the_plugin_works_in_a_process_of_its_own(tmp_path) -> None:
    (tmp_path / "pendulum.toml").write_text(PENDULUM, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", *PLUGIN, "--derive", "-W", "error", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "2 failed, 2 passed" in done.stdout


def test_the_page_shows_what_pytest_prints(pytester) -> None:
    page = (Path(derive.__file__).parent / "manual" / "how-to" / "checks.md").read_text(encoding="utf-8")
    pytester.makefile(".toml", pendulum=page.partition("```toml\n")[2].partition("```")[0])
    shown = page.partition("```text\n")[2].partition("```")[0].splitlines()
    result = pytester.runpytest(*PLUGIN, "--derive", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"{line.replace('[', '[[]')}*" for line in shown])
