"""Docstrings as Markdown: paragraphs stay, examples become blocks of Python, what is indented stays as it stands."""

from __future__ import annotations

import inspect
import re

__all__ = ["as_markdown", "escaped"]

_CODE = re.compile(r"(`[^`]*`)")
_SPECIAL = re.compile(r"([*<])")


def as_markdown(docstring: str) -> str:
    """A docstring as Markdown.

    >>> as_markdown("Twice a*b, `a*b`:\\n\\n    a = b*c\\n\\nis a<b").split(chr(10))
    ['Twice a\\\\*b, `a*b`:', '', '    a = b*c', '', 'is a\\\\<b']
    >>> as_markdown(chr(62)*3 + " 2*3\\n6").split(chr(10))
    ['```python', '>>> 2*3', '6', '```']
    """
    lines: list[str] = []
    is_example = False
    for line in inspect.cleandoc(docstring).split("\n"):
        if line.startswith(">>> ") and not is_example:
            lines += ["```python", line]
            is_example = True
        elif is_example and not line:
            lines += ["```", ""]
            is_example = False
        else:
            lines.append(line if is_example or line.startswith("    ") else escaped(line))
    return "\n".join([*lines, "```"] if is_example else lines)


def escaped(text: str) -> str:
    """A line of prose whose asterisks and angle brackets stand for themselves; what is in backticks is left alone."""
    return "".join(part if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in _CODE.split(text))
