"""A cache of command-line answers: a repeated question needs no sympy, pint, numpy or networkx.

What was printed, on both streams, is kept with the exit status in the user's cache folder, under a key made of the
words of the command, the files that it names, the sources of this package, and the versions of what it calculates with.
Only answers are kept, never refusals, which may hang on the time there was: a refusal says nothing on the standard
output.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TextIO

from derive.cache_folder import entry, keep, recalled, sources

__all__ = ["answered"]

_VERBS = ("audit", "find", "infer", "list", "show", "solve")  # they only print, and say the same tomorrow
_FILES = ("--add", "--claims", "--library")
_RECKON = ("mpmath", "networkx", "numpy", "pint", "python_flint", "rapidfuzz", "scipy", "sympy")


def answered(words: Sequence[str], answer: Callable[[], int]) -> int:
    """Print what was printed when this was asked before; else answer, and remember. Returns the exit status."""
    path = _entry(words) if words and words[0] in _VERBS else None
    if path is None:
        return answer()
    before = _Said.unpacked(recalled(path))
    if before is not None:
        return before.told()
    out, err = _Overheard(sys.stdout), _Overheard(sys.stderr)
    sys.stdout, sys.stderr = out, err
    try:
        status = answer()
    finally:
        sys.stdout, sys.stderr = out.stream, err.stream
    said = _Said(status, "".join(out.said), "".join(err.said))
    if status == 0 or ("--strict" in words and said.out):  # an answer that is not let pass is one all the same
        keep(path, said.packed())
    return status


class _Said(NamedTuple):
    """What a command said and left with."""

    status: int
    out: str
    err: str

    def told(self) -> int:
        """Say it again; returns the status."""
        sys.stdout.write(self.out)
        sys.stdout.flush()
        sys.stderr.write(self.err)
        return self.status

    def packed(self) -> bytes:
        """As bytes: the status and the length of the one stream, a line, both streams."""
        out = self.out.encode()
        return b"%d %d\n%b%b" % (self.status, len(out), out, self.err.encode())

    @classmethod
    def unpacked(cls, body: bytes | None) -> _Said | None:
        """What was packed; None of what is no such thing."""
        try:
            head, _, both = (body or b"").partition(b"\n")
            status, length = map(int, head.split())
            return cls(status, both[:length].decode(), both[length:].decode())
        except ValueError:
            return None


class _Overheard:
    """A stream that notes what is written to it, and else is the stream it stands for."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.said: list[str] = []

    def write(self, text: str) -> int:
        written: int = self.stream.write(text)
        self.said.append(text)
        return written

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def _entry(words: Sequence[str]) -> str | None:
    """Where the answer to a command is kept; None where what it hangs on cannot be told."""
    named = list(_named_files(words))
    if any(not os.path.isfile(path) or _builds_on_others(path) for path in named):
        return None  # a pipe says something else tomorrow, and what is read of it is gone
    return entry((_terminal(), *words), (*named, *sources()), _RECKON)


def _builds_on_others(path: str) -> bool:
    """Whether a file may build on files that are not named, or cannot be read."""
    try:
        with open(path, "rb") as file:
            return b"uses" in file.read()
    except OSError:
        return True


def _terminal() -> str:
    """What a page is fitted to: the columns of the terminal, or nothing where there is none."""
    if not sys.stdout.isatty():
        return ""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return f"{columns} columns, {os.environ.get('COLUMNS', '')}"


def _named_files(words: Sequence[str]) -> Iterator[str]:
    """The files that the command reads."""
    for before, word in pairwise(words):
        if before in _FILES or (os.path.exists(word) and not os.path.isdir(word)):
            yield word
    for word in words:
        option, equals, path = word.partition("=")
        if equals and option in _FILES:
            yield path
