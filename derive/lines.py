"""On which line of a TOML text each key stands.

The TOML reader keeps no positions, so the text is scanned for its keys. The scan answers one question for messages and
decides nothing: what the file means is the TOML reader's business.
"""

from __future__ import annotations

import re

__all__ = ["Path", "key_lines"]

Path = tuple[str, ...]

_PART = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_DOTTED = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*({_DOTTED})[ \t]*\]")
_KEY = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=(?!=)")
_QUOTES = re.compile(r'"""|\'\'\'')


def key_lines(text: str) -> dict[Path, int]:
    """The line of every table and every key at the start of a line.

    >>> key_lines("[quantities]\\nlength = { unit = 'm' }")
    {('quantities',): 1, ('quantities', 'length'): 2}
    """
    found: dict[Path, int] = {}
    table: Path = ()
    quotes = ""  # the quotes of the multi-line string that is open
    for number, line in enumerate(text.split("\n"), 1):
        if not quotes:
            if header := _HEADER.match(line):
                table = _parts(header.group(1))
                for depth in range(1, len(table) + 1):
                    found.setdefault(table[:depth], number)
            elif key := _KEY.match(line):
                path = table + _parts(key.group(1))
                for depth in range(len(table) + 1, len(path) + 1):
                    found.setdefault(path[:depth], number)
        for mark in _QUOTES.findall(line):
            quotes = mark if not quotes else "" if mark == quotes else quotes
    return found


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))
