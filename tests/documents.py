"""Documents whose examples are run: blocks of Markdown, in their order, in a folder of their own."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.derive.terminal import ask

__all__ = ["Block", "Session", "block_beginning", "blocks", "fenced"]

_BLOCK = re.compile(r"^(?P<ticks>`{3,})(?P<language>[\w-]+)\n(?P<text>.*?)^(?P=ticks)$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (?P<name>[\w-]+\.toml)(?: \((?P<how>continued|instead)\))?\n")


class Block(NamedTuple):
    """A fenced block."""

    language: str
    text: str


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a Markdown text."""
    for found in _BLOCK.finditer(text):
        yield Block(found["language"], found["text"])


def fenced(text: str, language: str) -> list[str]:
    """The blocks in one language."""
    return [block.text for block in blocks(text) if block.language == language]


def block_beginning(text: str, language: str, first: str) -> str:
    """The block in a language that begins so."""
    return next(block for block in fenced(text, language) if block.startswith(first))


class Session:
    """What one document does, block by block, in the current folder."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.names: dict[str, Any] = {}
        self.parts: dict[str, list[str]] = {}
        self.count = 0  # of the examples that were run

    def run(self, block: Block) -> None:
        """Write the file that a block is, or run it, and compare what it prints."""
        if block.language == "toml" and (found := _FILE.match(block.text)):
            self._write(found["name"], found["how"], block.text)
        elif block.language == "console":
            for part in block.text.split("$ derive ")[1:]:
                self._command(part)
        elif block.language == "python":
            self._python(block.text)

    def _write(self, name: str, how: str | None, text: str) -> None:
        parts = self.parts.setdefault(name, [])
        if how is None:
            parts.clear()
        elif how == "instead":
            parts.pop()
        parts.append(text)
        Path(name).write_text("".join(parts), encoding="utf-8")

    def _command(self, part: str) -> None:
        command, _, shown = part.partition("\n")
        said = ask(*shlex.split(command))
        told = (said.out + said.err).strip()
        assert told == shown.strip(), f"{self.name}: derive {command}\n{told}"
        self.count += 1

    def _python(self, text: str) -> None:
        session = doctest.DocTestParser().get_doctest(text, self.names, self.name, None, 0)
        results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(session, clear_globs=False)
        assert results.failed == 0, self.name
        self.names.update(session.globs)
        self.count += len(session.examples)
