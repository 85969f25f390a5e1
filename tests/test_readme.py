"""What the README prints is what the program prints."""

from __future__ import annotations

import doctest
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import derive
from derive.cli import cli

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def fenced(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def _block(language: str, first: str) -> str:
    """The example in a language that begins so."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return next(block for block in blocks if block.startswith(first))


def test_the_python_examples_print_what_they_show() -> None:
    session = doctest.DocTestParser().get_doctest("\n".join(fenced("python")), {}, "README.md", None, 0)
    assert len(session.examples) > 10
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(session)
    assert results.failed == 0


@pytest.mark.parametrize("block", fenced("console"))
def test_the_commands_print_what_they_show(block: str) -> None:
    for part in block.split("$ derive ")[1:]:
        command, _, shown = part.partition("\n")
        result = CliRunner().invoke(cli, shlex.split(command), catch_exceptions=False)
        assert result.output.strip() == shown.strip()


def test_the_relation_file_is_consistent_and_its_answer_known() -> None:
    text = _block("toml", "title")
    pendulum = derive.load(text)
    assert tomllib.loads(text)["title"] == pendulum.title
    assert abs(pendulum.solve("period", "clock").value.magnitude - 2.0) < 1e-3


def test_the_mistaken_file_gets_the_message_shown() -> None:
    text = _block("toml", "title")
    (message,) = fenced("text")
    (problem,) = derive.check(text.replace("2*pi*sqrt(length/gravity)", "length/gravity"))
    assert f"pendulum.toml: {problem}".split() == message.split()


def test_the_main_job_of_the_setup_command_runs() -> None:
    main, _ = fenced("sh")
    command = main[main.index(".venv/bin/derive ") + len(".venv/bin/derive ") :]
    result = CliRunner().invoke(cli, shlex.split(command), catch_exceptions=False)
    assert result.output.startswith("step_time = 0.0113373 s")


def test_every_module_stands_in_the_floor_plan() -> None:
    plan = README[README.index("## The house") :]
    for package in ("derive", "quantities"):
        folder = Path(derive.__file__).parents[1] / package
        for module in folder.rglob("*.py"):
            if not module.stem.startswith("__"):
                assert re.search(rf"\b{module.stem}\b", plan), module.stem


def test_the_template_that_it_shows_is_a_report(tmp_path) -> None:
    (tmp_path / "pendulum.toml").write_text(_block("toml", "title"), encoding="utf-8")
    (tmp_path / "mine.md").write_text(_block("markdown", "+++"), encoding="utf-8")
    said = CliRunner().invoke(cli, ["report", str(tmp_path / "mine.md"), "--out", str(tmp_path / "pages")])
    assert said.exit_code == 0, said.output
    assert "| 1 m | $`2.01" in (tmp_path / "pages" / "mine.md").read_text(encoding="utf-8")


def test_the_claim_that_it_shows_is_judged(tmp_path) -> None:
    (tmp_path / "mine.toml").write_text(_block("toml", "[claims"), encoding="utf-8")
    said = CliRunner().invoke(cli, ["audit", "--claims", str(tmp_path / "mine.toml")])
    assert "1 claim: 1 reproduced" in said.output
