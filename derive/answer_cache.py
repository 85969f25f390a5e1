"""Answers of the command line, remembered: a question that was asked before needs no sympy, pint, numpy or networkx.

What was printed, on both streams, is kept as plain data in the user's cache folder with the exit status, under a key
made of all that the answer hangs on: the words of the command, the files that it names, the sources of this package,
and the versions of what it calculates with. Only answers are kept, never refusals, which may hang on the time there
was: a refusal says nothing on the standard output. `DERIVE_CACHE=off` switches it off; any
other value is the folder. A damaged entry is as good as none; several processes may share the folder, for an entry
appears whole or not at all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple, TextIO

__all__ = ["answered"]

_VERBS = ("audit", "find", "infer", "list", "show", "solve")  # they only print, and say the same tomorrow
_FILES = ("--add", "--claims", "--library")
_SOURCES = (".py", ".toml", ".txt")
_RECKON = ("mpmath", "networkx", "numpy", "pint", "python_flint", "rapidfuzz", "scipy", "sympy")
_ENTRY = 1_000_000  # bytes of what is kept
_WHOLE = 32_000_000  # bytes of all that is kept
_FORM = "2"


def answered(words: Sequence[str], answer: Callable[[], int]) -> int:
    """Print what was printed when this was asked before; else answer, and remember. Returns the exit status."""
    place = _folder()
    key = _key(words) if place and words and words[0] in _VERBS else None
    if place is None or key is None:
        return answer()
    path = os.path.join(place, key)
    before = _recalled(path)
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
        _keep(path, said)
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
    def unpacked(cls, body: bytes) -> _Said:
        head, _, both = body.partition(b"\n")
        status, length = map(int, head.split())
        return cls(status, both[:length].decode(), both[length:].decode())


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


def _folder() -> str | None:
    """Where answers are kept; None where they are not."""
    chosen = os.environ.get("DERIVE_CACHE", "")
    if chosen:
        return None if chosen.lower() in ("off", "0", "no", "false") else chosen
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    return os.path.join(base, "derive-engine") if os.path.isabs(base) else None


def _key(words: Sequence[str]) -> str | None:
    """All that an answer hangs on, in short; None where that cannot be told."""
    told = blake2b(digest_size=20)
    try:
        for part in (_FORM, sys.version, *_versions(), _terminal(), *words):
            told.update(f"{len(part)} {part}".encode())
        named = list(_named_files(words))
        if not all(map(os.path.isfile, named)):  # a pipe says something else tomorrow, and what is read of it is gone
            return None
        for path in (*named, *_sources()):
            with open(path, "rb") as file:
                data = file.read()
            if path in named and b"uses" in data:  # it may build on files that are not named here
                return None
            told.update(f"{path} {len(data)} ".encode())
            told.update(data)
    except (OSError, UnicodeEncodeError, LookupError):
        return None
    return told.hexdigest()


def _versions() -> list[str]:
    """The packages that are reckoned with, as their folders of metadata name them."""
    found: dict[str, str] = {}
    for folder in dict.fromkeys(sys.path):
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                package, _, rest = name.partition("-")
                if rest.endswith(".dist-info") and package in _RECKON:
                    found.setdefault(package, name)
    return [found[package] for package in _RECKON]  # a package without a version: nothing is kept


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


def _sources() -> Iterator[str]:
    """The files of this package and of `quantities`, in one order."""
    home = os.path.dirname(os.path.abspath(__file__))
    for root in (home, os.path.join(os.path.dirname(home), "quantities")):
        for folder, inner, names in os.walk(root):
            inner.sort()
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(_SOURCES))


def _recalled(path: str) -> _Said | None:
    """What was kept, if it is there and whole."""
    try:
        with open(path, "rb") as file:
            data = file.read(_ENTRY + 100)
        head, _, body = data.partition(b"\n")
        if head.decode() != _seal(body):
            return None
        os.utime(path)  # what is used stays
        return _Said.unpacked(body)
    except (OSError, ValueError):
        return None


def _keep(path: str, said: _Said) -> None:
    """Write an entry, whole or not at all; that it cannot be kept is nobody's trouble."""
    body = said.packed()
    if len(body) > _ENTRY:
        return
    aside = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(aside, "xb") as file:
            file.write(_seal(body).encode() + b"\n" + body)
        os.replace(aside, path)
        _make_room(os.path.dirname(path))
    except OSError:
        return


def _seal(body: bytes) -> str:
    return blake2b(body, digest_size=16).hexdigest()


def _make_room(folder: str) -> None:
    """Drop what was not used for longest, until the folder keeps to its size."""
    files = (entry for entry in os.scandir(folder) if entry.is_file())
    entries = sorted(files, key=lambda entry: entry.stat().st_mtime)
    whole = sum(entry.stat().st_size for entry in entries)
    for entry in entries:
        if whole <= _WHOLE:
            return
        whole -= entry.stat().st_size
        os.unlink(entry.path)
