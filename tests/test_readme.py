"""What the README prints is what the program prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import derive
from tests.derive.terminal import ask
from tests.documents import Session, blocks, fenced

HOME = Path(derive.__file__).parents[1]
README = (HOME / "README.md").read_text(encoding="utf-8")


def test_the_examples_print_what_they_show(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session("README.md")
    for block in blocks(README):
        session.run(block)
    assert session.count > 10


def test_it_asks_six_questions_on_a_page_that_is_soon_read() -> None:
    questions = README[README.index("## Six questions") : README.index("## The manual")]
    assert len(re.findall(r"^\*\*\w[\w ]*[.?]\*\*", questions, re.MULTILINE)) == 6
    assert len(README[: README.index("## The house")].splitlines()) < 170


def test_the_main_job_of_the_setup_command_runs() -> None:
    main, _ = fenced(README, "sh")
    command = main[main.index(".venv/bin/derive ") + len(".venv/bin/derive ") :]
    assert ask(*shlex.split(command)).out.startswith("step_time = 0.0113373 s")


def test_every_module_stands_in_the_floor_plan() -> None:
    plan = README[README.index("## The house") :]
    for package in ("derive", "quantities"):
        for module in (HOME / package).rglob("*.py"):
            if not module.stem.startswith("__"):
                assert re.search(rf"\b{module.stem}\b", plan), module.stem


def test_the_pages_that_it_names_are_there() -> None:
    for path in re.findall(r"\]\(([\w/.-]+)\)", README):
        assert (HOME / path).is_file(), path
