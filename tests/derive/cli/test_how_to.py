"""What the how-to pages print is what the program prints.

DERIVE_REWRITE=1 writes what the program prints into the pages.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
from pathlib import Path

import pytest

import derive
from tests.derive.terminal import ask

PAGES = sorted((Path(derive.__file__).parent / "manual" / "how-to").glob("*.md"))
CONSOLE = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)


def said(command: str) -> str:
    """What a command prints, the standard error below the output."""
    done = ask(*shlex.split(command))
    return "\n".join(line.rstrip() for line in f"{done.out}{done.err}".strip().splitlines())


def run_again(block: str) -> str:
    """A block of commands with what they print now."""
    commands = [part.partition("\n")[0] for part in block.split("$ derive ")[1:]]
    return "".join(f"$ derive {command}\n{said(command)}\n" for command in commands)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_commands_of_a_page_print_what_it_shows(page):
    text = page.read_text(encoding="utf-8")
    again = CONSOLE.sub(lambda found: run_again(found[0]), text)
    if os.environ.get("DERIVE_REWRITE"):
        page.write_text(again, encoding="utf-8")
    assert text == again
    assert "Traceback" not in text
    assert "internal error" not in text


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_python_of_a_page_prints_what_it_shows(page):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, None, 0)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(session).failed == 0


def test_there_are_pages_and_each_has_a_title_of_its_own():
    titles = [page.read_text(encoding="utf-8").partition("\n")[0] for page in PAGES]
    assert len(titles) == len({*titles}) >= 5
    assert all(title.startswith("# ") for title in titles)
