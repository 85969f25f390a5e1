"""The page on errors: what each says, and its specimens, each with what was typed and what is told.

A specimen is a file: a title, what somebody typed, the error's class (or the exit status), and its sentence. The tests
type them all and compare the sentences.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import derive
from derive.errors import NOES
from derive.manual.docstrings import as_markdown

__all__ = ["SPECIMENS", "Specimen", "error_page", "specimens"]

SPECIMENS = Path(__file__).with_name("specimens")

_OPENING = """# Errors

Every error is a `derive.DeriveError`. It says what is wrong and where, and ends with what would mend it; it has its
facts as fields. Below, each has its specimens: what somebody typed, and what is told, word for word. On the command
line the exit status is 1 where the question was understood and the answer is no ({noes}), and 2 where the command or
its text was wrong.
"""


@dataclass(frozen=True)
class Specimen:
    """What was typed, and the error that it comes to."""

    title: str
    typed: str
    kind: str  # the error's class, or the exit status of a command
    told: str

    @classmethod
    def read(cls, path: Path) -> Self:
        """The specimen of a file; without an error, if only its title and what was typed are written yet."""
        title, _, rest = path.read_text(encoding="utf-8").partition("\n")
        rows = rest.split("\n")
        plain = [number for number, row in enumerate(rows) if row and not row.startswith(" ")]
        middle = plain[0] if plain else len(rows)
        typed, told = (textwrap.dedent("\n".join(part)).strip("\n") for part in (rows[:middle], rows[middle + 1 :]))
        return cls(title, typed, rows[middle] if plain else "", told)

    def __str__(self) -> str:
        typed, told = (textwrap.indent(part, "    ") for part in (self.typed, self.told))
        return f"{self.title}\n\n{typed}\n\n{self.kind}\n\n{told}\n"


def specimens() -> list[Specimen]:
    """All specimens, by the names of their files."""
    return [Specimen.read(path) for path in sorted(SPECIMENS.glob("*.txt"))]


def error_page() -> str:
    """The page as Markdown."""
    noes = ", ".join(f"`{kind.__name__}`" for kind in NOES)
    return "\n".join([_OPENING.format(noes=noes), *_sections()])


def _sections() -> Iterator[str]:
    found = specimens()
    kinds = sorted(name for name in derive.__all__ if name.endswith("Error") and name != "DeriveError")
    for name in kinds:
        kind = getattr(derive, name)
        fields = [field for field in kind.__annotations__ if not field.startswith("_")]
        yield f"## {name}\n\n{as_markdown(kind.__doc__ or '')}\n"
        if fields:
            yield f"Fields: {', '.join(f'`.{field}`' for field in fields)}.\n"
        yield from (_shown(one) for one in found if one.kind == name)
    yield "## On the command line\n"
    yield from (_shown(one) for one in found if one.kind.startswith("exit"))


def _shown(one: Specimen) -> str:
    """A specimen under its title; four ticks, since what was typed may hold three."""
    return f"### {one.title}\n\n````text\n{one.typed}\n````\n\n````text\n{one.told}\n````\n"
