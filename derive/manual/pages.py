"""The pages of the manual as Markdown: those written here, with the theory of modules set in, and those made.

A line `<!-- theory: planning.plan -->` in a page stands for what the module of that name says of itself, so that a
proof is written once, above its code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import click

from derive.errors import ExpressionError
from derive.manual.command_line_page import command_line_page
from derive.manual.docstrings import as_markdown
from derive.manual.error_page import error_page
from derive.manual.python_page import python_page

__all__ = ["HOME", "digest", "pages", "written_pages"]

HOME = Path(__file__).parent
_PACKAGE = HOME.parent
_THEORY = re.compile(r"^<!-- theory: ([\w.]+) -->$", re.MULTILINE)


def written_pages() -> Mapping[str, str]:
    """The pages of this folder by their paths, as they are written."""
    return {path.relative_to(HOME).as_posix(): path.read_text(encoding="utf-8") for path in sorted(HOME.rglob("*.md"))}


def pages(program: click.Group) -> Mapping[str, str]:
    """All pages by their paths."""
    found = {name: _THEORY.sub(lambda met: theory(met[1]), text) for name, text in written_pages().items()}
    return {
        **found,
        "changes.md": (_PACKAGE / "CHANGES.md").read_text(encoding="utf-8"),
        "reference/command-line.md": command_line_page(program),
        "reference/python.md": python_page(),
        "reference/errors.md": error_page(),
    }


def theory(module: str) -> str:
    """What a module of the package says of itself, and where it stands.

    >>> theory("planning.matching").splitlines()[0]
    'Maximum matching of relations to unknowns: which relations are needed, and which unknowns stay open.'
    """
    path = _PACKAGE / f"{module.replace('.', '/')}.py"
    if not path.is_file():
        raise ExpressionError(f"A page of the manual names {module}, which is no module.", text=module)
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return f"{as_markdown(told)}\n\n*(`derive.{module}`)*"


def digest(found: Mapping[str, str]) -> str:
    """A digest of pages: two sets of pages have the same only if they are the same."""
    state = blake2b(digest_size=16)
    for name, text in sorted(found.items()):
        state.update(f"{len(name)} {len(text)} {name}{text}".encode())
    return state.hexdigest()
