"""The lines of the keys of a TOML text.

The TOML reader keeps no positions, so the text is scanned for its keys. The scan serves messages only: the TOML reader
decides what the file means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["Path", "key_lines", "statement_lines"]

Path = tuple[str, ...]

_PART = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_DOTTED = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"[ \t]*\[(\[?)[ \t]*({_DOTTED})[ \t]*\]")
_KEY = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=(?!=)")
_OPENING = re.compile(r"""\"{3}|'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#.*""")
_CLOSING = {'"""': re.compile(r'(?:[^"\\]|\\.|"{1,2}(?!"))*"{3}'), "'''": re.compile(r"(?:[^']|'{1,2}(?!'))*'{3}")}


def key_lines(text: str) -> dict[Path, int]:
    """The line of every table and every key at the start of a line; tables of a list are distinguished by number.

    >>> key_lines("[quantities]\\nlength = { unit = 'm' }")
    {('quantities',): 1, ('quantities', 'length'): 2}
    >>> key_lines("[[parts]]\\n[[parts]]\\nname = 'b'")
    {('parts',): 1, ('parts', '0'): 1, ('parts', '1'): 2, ('parts', '1', 'name'): 3}
    """
    found: dict[Path, int] = {}
    table: Path = ()
    lists: dict[Path, int] = {}  # how many tables a list has so far
    for number, path, header in _statements(text):
        whole = _placed(path, lists, header == "[[") if header else table + path
        for depth in range(1 if header else len(table) + 1, len(whole) + 1):
            found.setdefault(whole[:depth], number)
        table = whole if header else table
    return found


def _placed(path: Path, lists: dict[Path, int], is_list: bool) -> Path:
    """The path of a header, with the number of each table that is one of a list."""
    whole: Path = ()
    for depth, part in enumerate(path, 1):
        whole += (part,)
        if is_list and depth == len(path):
            lists[whole] = lists.get(whole, 0) + 1
        if whole in lists:
            whole += (str(lists[whole] - 1),)
    return whole


def statement_lines(text: str) -> list[int]:
    """Every line on which a table or a key begins, including those declared twice."""
    return [number for number, _, _ in _statements(text)]


def _statements(text: str) -> Iterator[tuple[int, Path, str]]:
    """Each header and each key of a text: its line, its parts, and the brackets that open it, if it is a header."""
    quotes = ""  # the quotes of the multi-line string that is open
    for number, line in enumerate(text.split("\n"), 1):
        if not quotes:
            if header := _HEADER.match(line):
                yield number, _parts(header.group(2)), "[" + header.group(1)
            elif key := _KEY.match(line):
                yield number, _parts(key.group(1)), ""
        quotes = _left_open(line, quotes)


def _left_open(line: str, quotes: str) -> str:
    """The quotes of the multi-line string that is open at the end of a line; comments and other strings open none."""
    position = 0
    while True:
        if quotes:
            end = _CLOSING[quotes].match(line, position)
            if end is None:
                return quotes
            quotes, position = "", end.end()
        opening = _OPENING.search(line, position)
        if opening is None:
            return ""
        position = opening.end()
        if opening.group() in _CLOSING:
            quotes = opening.group()


def _parts(dotted: str) -> Path:
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in re.findall(_PART, dotted))
