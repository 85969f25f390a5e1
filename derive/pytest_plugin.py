"""Relation files as tests: `pytest --derive` collects them from the folders that pytest looks through.

A file is one test that it is consistent (units, names, repetitions), and one for each of its worked examples. Without
the option nothing is looked at and nothing imported.

    pendulum.toml::consistent
    pendulum.toml::examples[seconds_pendulum]
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from derive.library import Library
    from derive.relation_files.loading import Reader


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("derive").addoption(
        "--derive",
        action="store_true",
        help="test relation files (*.toml): whether they are consistent, and their examples",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".toml" or not parent.config.getoption("--derive"):
        return None
    from derive.relation_files.file_text import is_one

    return RelationFile.from_parent(parent, path=file_path) if is_one(file_path) else None


class RelationFile(pytest.File):
    """A relation file: read once, for all of its tests."""

    @cached_property
    def reader(self) -> Reader:
        from derive.relation_files.file_text import read_document
        from derive.relation_files.loading import read

        return read(read_document(self.path), None)

    @cached_property
    def library(self) -> Library:
        """The library under test by pytest: what the file states and uses."""
        return self.reader.library()

    @cached_property
    def problems(self) -> tuple[Any, ...]:
        """The problems for which the test that a file is consistent fails: those of the file, without its examples."""
        from derive.file_checks import repetitive

        repetitive(self.reader)
        return tuple(problem for problem, _ in self.reader.notes.errors)

    def line(self, *where: str) -> int:
        return self.reader.notes.document.line(where)

    def collect(self) -> Iterable[pytest.Item]:
        yield Consistency.from_parent(self, name="consistent")
        for example in self.reader.examples:
            yield WorkedExample.from_parent(self, name=f"examples[{example.name}]", example=example)


class UnsoundError(Exception):
    """Why a relation file, or an example of one, fails: sentences for the reader, without a traceback."""


class _Item(pytest.Item):
    """A test of a relation file, which says in words why it fails."""

    parent: RelationFile

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, UnsoundError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class Consistency(_Item):
    """That a file is consistent."""

    def runtest(self) -> None:
        if problems := self.parent.problems:
            name = self.path.name
            lines = [f"{name}:{problem.line}: {problem.message}\n  {problem.hint}".rstrip() for problem in problems]
            raise UnsoundError("\n".join(lines))

    def reportinfo(self) -> tuple[Path, int, str]:
        first = self.parent.problems[0].line if "problems" in self.parent.__dict__ and self.parent.problems else 1
        return self.path, max(first - 1, 0), self.name


class WorkedExample(_Item):
    """That a question has the answer that the file states."""

    def __init__(self, *, example: Any, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.example = example
        self.line = self.parent.line("examples", example.name)

    def runtest(self) -> None:
        from derive.file_checks import failure

        if self.parent.problems:
            pytest.skip(f"{self.path.name} is not consistent")
        if error := failure(self.parent.library, self.example):
            raise UnsoundError(f"{self.path.name}:{self.line}: {error.what}\n  {error.hint}".rstrip())

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, max(self.line - 1, 0), self.name
