"""A cache of command-line answers: a repeated question needs no sympy, pint, numpy or networkx.

What was printed on both streams is kept with the exit status in the user's cache folder, under a key made of the words
of the command, the files that it names, the sources of this package, and the versions of the packages that it computes
with. Only answers are kept, never refusals, which may depend on the time limit; a refusal prints nothing on the
standard output. A command that reads the standard input, or keeps a question in a file, has no entry.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple, TextIO

from derive.cache_folder import entry, keep, recalled, sources

__all__ = ["answered"]

_VERBS = ("audit", "find", "formula", "infer", "list", "reach", "show", "solve")  # they only print, and always the same
_FILES = ("--add", "--claims", "--library")
_SHELF = os.path.join(os.path.dirname(__file__), "engineering")
_PACKAGES = ("mpmath", "networkx", "numpy", "pint", "python_flint", "rapidfuzz", "scipy", "sympy")


def answered(words: Sequence[str], answer: Callable[[], int]) -> int:
    """Print the cached output of a command; else run it and cache its output. Returns the exit status."""
    # A cached output knows nothing of what comes from the standard input.
    path = _entry(words) if words and words[0] in _VERBS and "-" not in words else None
    if path is None:
        return answer()
    before = _Output.unpacked(recalled(path))
    if before is not None:
        return before.printed()
    out, err = _Recording(sys.stdout), _Recording(sys.stderr)
    sys.stdout, sys.stderr = out, err
    try:
        status = answer()
    finally:
        sys.stdout, sys.stderr = out.stream, err.stream
    output = _Output(status, "".join(out.texts), "".join(err.texts))
    if out.is_cut or err.is_cut:
        return status
    if status == 0 or ("--strict" in words and output.out):  # `--strict` fails, but there is an answer
        keep(path, output.packed())
    return status


class _Output(NamedTuple):
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str

    def printed(self) -> int:
        """Print it again; returns the status. Where nobody reads on, the rest is not written, as the first time."""
        try:
            sys.stdout.write(self.out)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        sys.stderr.write(self.err)
        return self.status

    def packed(self) -> bytes:
        """As bytes: a line with the status and the length of the standard output, then both streams."""
        out = self.out.encode()
        return b"%d %d\n%b%b" % (self.status, len(out), out, self.err.encode())

    @classmethod
    def unpacked(cls, body: bytes | None) -> _Output | None:
        """What was packed; None if the bytes are not such."""
        try:
            head, _, both = (body or b"").partition(b"\n")
            status, length = map(int, head.split())
            return cls(status, both[:length].decode(), both[length:].decode())
        except ValueError:
            return None


class _Recording:
    """A stream that records what is written to it and passes it on.

    Where its reader stops early, as in `derive show h100-sxm | head -1`, what was to follow is not written: the record
    is cut, and is no answer.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.texts: list[str] = []
        self.is_cut = False

    def write(self, text: str) -> int:
        with self._noticing():
            written: int = self.stream.write(text)
        self.texts.append(text)
        return written

    def flush(self) -> None:
        with self._noticing():
            self.stream.flush()

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self.is_cut = True
            raise

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def _entry(words: Sequence[str]) -> str | None:
    """The cache entry of a command; None if it depends on more than can be checked."""
    if "libraries" in words:
        return None  # what packages offer
    named = [path for path in _named_files(words) if not _is_shelved(path)]
    if any(not os.path.isfile(path) or _builds_on_others(path) for path in named):
        return None  # a pipe may change, and can be read only once
    return entry((_terminal(), *words), (*named, *sources()), _PACKAGES)


def _is_shelved(name: str) -> bool:
    """Whether it names a library that comes with this package, whose files are among its sources."""
    is_name = name.replace("-", "").isalnum() and not os.path.isfile(name)
    return is_name and os.path.isfile(os.path.join(_SHELF, f"{name}.toml"))


def _builds_on_others(path: str) -> bool:
    """Whether a file may use files that are not named, or cannot be read."""
    try:
        with open(path, "rb") as file:
            return b"uses" in file.read()
    except OSError:
        return True


def _terminal() -> str:
    """The terminals of both streams: the width, to which output is fitted, and whether they have colour."""
    colour = f"{sys.stderr.isatty()} {os.environ.get('NO_COLOR', '')}"
    if not sys.stdout.isatty():
        return colour
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return f"{columns} columns, {os.environ.get('COLUMNS', '')}, {colour}"


def _named_files(words: Sequence[str]) -> Iterator[str]:
    """The files that the command reads."""
    for before, word in pairwise(words):
        if before in _FILES or (os.path.exists(word) and not os.path.isdir(word)):
            yield word
    for word in words:
        option, equals, path = word.partition("=")
        if equals and option in _FILES:
            yield path
