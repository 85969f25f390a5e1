"""The user's cache folder: results kept as bytes, for later processes.

The key of an entry is a hash of all that it depends on: what it is, its input files, the sources that computed it, and
the versions of the packages they use. An entry is data and is never executed. It is written atomically, so several
processes may share the folder; its checksum covers its name, so an entry that is damaged, or was put in the place of
another, is ignored; if it cannot be written, there is no error. The least recently used entries are removed first.

`DERIVE_CACHE=off` switches the cache off; any other value is a folder, in which the cache has a folder of its own. A
user may name a folder with other things in it: nothing but what the cache wrote is ever read, replaced or removed.
Where others may write to the folder they could put answers of their own there, so it is not used.

So a repeated question on the command line needs no sympy, pint, numpy or networkx (`answered`). What was printed on
both streams is kept with the exit status, under a key made of the words of the command, the files that it names, the
sources of this package, and the versions of the packages that it computes with. Only answers are kept, never refusals,
which may depend on the time limit; a refusal prints nothing on the standard output. A command that reads the standard
input, or keeps a question in a file, has no entry.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple, TextIO, cast

_SOURCES = (".py", ".toml", ".txt")
_LARGEST_ENTRY = 1_000_000  # limit on bytes of an entry
_LARGEST_TOTAL = 32_000_000  # limit on bytes of all entries
_FORMAT = "4"  # of entries; part of every key, so that those of an older format are not read
_OWN = "derive-engine"  # the name of the cache's own folder
_NAME = re.compile(r"[0-9a-f]{40}(\.\d+)?")  # of an entry, and of one that is being written
_SEAL = re.compile(rb"[0-9a-f]{32}\n")  # how an entry begins: its checksum, in a line of its own
_HEAD = 33  # the bytes of that
_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH
# A named pipe in an entry's place must not be waited for, and a link not be followed. Windows has neither flag.
_PLAIN_FILE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def entry(words: Iterable[str], files: Iterable[str], packages: Iterable[str]) -> str | None:
    """The path in the cache folder for these words, files and versions of packages; None if one of them is missing."""
    place = _folder()
    if place is None:
        return None
    digest = blake2b(digest_size=20)
    try:
        for part in (_FORMAT, sys.version, *_versions(packages), *words):
            digest.update(f"{len(part)} {part}".encode())
        for path in files:
            with open(path, "rb") as file:
                data = file.read()
            digest.update(f"{path} {len(data)} ".encode())
            digest.update(data)
    except (OSError, UnicodeEncodeError, LookupError):
        return None
    return os.path.join(place, digest.hexdigest())


def _folder() -> str | None:
    """The cache's own folder, whether it exists or not; None if there is none that is safe to use."""
    chosen = os.environ.get("DERIVE_CACHE", "")
    if chosen.lower() in ("off", "0", "no", "false"):
        return None
    if chosen:
        base = os.path.abspath(chosen)
    elif sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    if not os.path.isabs(base):
        return None
    own = os.path.join(base, _OWN)
    return own if _is_safe(own) else None


def _is_safe(folder: str) -> bool:
    """Whether only this user can write to the cache's own folder, or it does not exist yet."""
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _is_mine(status)


def _is_mine(status: os.stat_result) -> bool:
    """Whether the cache's folder or a file in it belongs to this user alone; Windows knows no such modes."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & _OF_OTHERS


def _versions(packages: Iterable[str]) -> list[str]:
    """The versions of packages, from the names of their metadata folders, on which a cache entry depends."""
    wanted = list(packages)
    folders: dict[str, str] = {}
    for folder in dict.fromkeys(sys.path):
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                package, _, suffix = name.partition("-")
                if suffix.endswith(".dist-info") and package in wanted:
                    folders.setdefault(package, name)
    return [folders[package] for package in wanted]  # a missing version raises LookupError: nothing is kept


def sources(*packages: str) -> Iterator[str]:
    """The files of this package and of `quantities`, or of some of their folders, on which a cache entry depends.

    >>> any(path.endswith("vocabulary/cache.toml") for path in sources("derive/model", "quantities"))
    True
    """
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for package in packages or ("derive", "quantities"):
        for folder, inner, names in os.walk(os.path.join(root, package)):
            inner.sort()
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(_SOURCES))


def recalled(path: str) -> bytes | None:
    """The bytes of an entry in the cache folder, if it is there, undamaged, and in its own place."""
    try:
        with open(os.open(path, os.O_RDONLY | _PLAIN_FILE), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not _is_mine(status):
                return None
            data = file.read(_LARGEST_ENTRY + _HEAD)
        head, _, body = data.partition(b"\n")
        if head != _seal(path, body):
            return None
        os.utime(path)  # mark it as recently used
        return body
    except OSError:
        return None


def keep(path: str, body: bytes) -> None:
    """Write an entry into the cache folder atomically; an error is ignored."""
    if len(body) > _LARGEST_ENTRY:
        return
    folder = os.path.dirname(path)
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN_FILE, 0o600), "wb") as file:
            file.write(_seal(path, body) + b"\n" + body)
        os.replace(temporary, path)
        _evict(folder)
    except OSError:
        return


def _seal(path: str, body: bytes) -> bytes:
    """The checksum of an entry in the cache folder and its name."""
    name = os.path.basename(path).encode()
    return blake2b(name + body, digest_size=16).hexdigest().encode()


def _evict(folder: str) -> None:
    """Remove the least recently used entries from the cache folder until the others are within the limit."""
    with os.scandir(folder) as listing:
        status = {item.path: item.stat(follow_symlinks=False) for item in listing if _NAME.fullmatch(item.name)}
    files = [path for path in status if stat.S_ISREG(status[path].st_mode)]
    if sum(status[path].st_size for path in files) <= _LARGEST_TOTAL:
        return
    entries = [path for path in files if status[path].st_size <= _LARGEST_ENTRY + _HEAD and _is_written(path)]
    total = sum(status[path].st_size for path in entries)
    for path in sorted(entries, key=lambda path: status[path].st_mtime):
        if total <= _LARGEST_TOTAL:
            return
        total -= status[path].st_size
        os.unlink(path)


def _is_written(path: str) -> bool:
    """Whether a file begins as an entry of the cache folder does, also a damaged one: a user's may have such a name."""
    with open(os.open(path, os.O_RDONLY | _PLAIN_FILE), "rb") as file:
        return _SEAL.fullmatch(file.read(_HEAD)) is not None


# These only print, and always the same; any other verb is answered anew. They are not marked in the table of verbs,
# since that imports click, which takes as long as to find a cached answer.
_VERBS = ("audit", "find", "formula", "infer", "list", "reach", "show", "solve")
_FILES = ("--add", "--claims", "--library")
_SHELF = os.path.join(os.path.dirname(__file__), "engineering")
_PACKAGES = ("mpmath", "networkx", "numpy", "pint", "python_flint", "rapidfuzz", "scipy", "sympy")


def answered(words: Sequence[str], answer: Callable[[], int]) -> int:
    """Print a command's output from the cache folder, or run it and cache its output there; returns the status."""
    # A cached output knows nothing of what comes from the standard input.
    path = _entry(words) if words and words[0] in _VERBS and "-" not in words else None
    if path is None:
        return answer()
    cached = _Output.unpacked(recalled(path))
    if cached is not None:
        return cached.printed()
    out, err = _Recording(sys.stdout), _Recording(sys.stderr)
    with redirect_stdout(cast("TextIO", out)), redirect_stderr(cast("TextIO", err)):
        status = answer()
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
        """Print the cached output again; returns the status. Where nobody reads on, the rest is left out."""
        try:
            sys.stdout.write(self.out)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        sys.stderr.write(self.err)
        return self.status

    def packed(self) -> bytes:
        """The bytes for the cache folder: a line with the status and the length of the output, then both streams."""
        out = self.out.encode()
        return b"%d %d\n%b%b" % (self.status, len(out), out, self.err.encode())

    @classmethod
    def unpacked(cls, body: bytes | None) -> _Output | None:
        """The output of a command from bytes in the cache folder; None if the bytes are not such."""
        try:
            head, _, streams = (body or b"").partition(b"\n")
            status, length = map(int, head.split())
            return cls(status, streams[:length].decode(), streams[length:].decode())
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
        """Mark the record that is made for the cache as cut if its reader has stopped."""
        try:
            yield
        except OSError:
            self.is_cut = True
            raise

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def _entry(words: Sequence[str]) -> str | None:
    """The path in the cache folder for a command; None if the output depends on more than can be checked."""
    if "libraries" in words:
        return None  # what packages offer
    named = [path for path in _named_files(words) if not _is_shelved(path)]
    if any(not os.path.isfile(path) or _builds_on_others(path) for path in named):
        return None  # a pipe may change, and can be read only once
    return entry((_terminal(), *words), (*named, *sources()), _PACKAGES)


def _is_shelved(name: str) -> bool:
    """Whether a word names a library of this package, whose files the cache key has among the sources."""
    is_name = name.replace("-", "").isalnum() and not os.path.isfile(name)
    return is_name and os.path.isfile(os.path.join(_SHELF, f"{name}.toml"))


def _builds_on_others(path: str) -> bool:
    """Whether a file may use files that a cache key does not name, or cannot be read."""
    try:
        with open(path, "rb") as file:
            return b"uses" in file.read()
    except OSError:
        return True


def _terminal() -> str:
    """What a cache key says of the terminals of both streams: the width, to which output is fitted, and colour."""
    colour = f"{sys.stderr.isatty()} {os.environ.get('NO_COLOR', '')}"
    if not sys.stdout.isatty():
        return colour
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return f"{columns} columns, {os.environ.get('COLUMNS', '')}, {colour}"


def _named_files(words: Sequence[str]) -> Iterator[str]:
    """The files that the words of a command name, which are a part of its cache key."""
    for previous, word in pairwise(words):
        if previous in _FILES or (os.path.exists(word) and not os.path.isdir(word)):
            yield word
    for word in words:
        option, equals, path = word.partition("=")
        if equals and option in _FILES:
            yield path
