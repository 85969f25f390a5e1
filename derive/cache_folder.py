"""The user's cache folder: results kept as bytes, for later processes.

The key of an entry is a hash of all that it depends on: what it is, its input files, the sources that computed it, and
the versions of the packages they use. An entry is data and is never executed. It is written atomically, so several
processes may share the folder; its checksum covers its name, so an entry that is damaged, or was put in the place of
another, is ignored; if it cannot be written, there is no error. The least recently used entries are removed first.

`DERIVE_CACHE=off` switches the cache off; any other value is a folder, in which the cache has a folder of its own. A
user may name a folder with other things in it: nothing but what the cache wrote is ever read, replaced or removed.
Where others may write to the folder they could put answers of their own there, so it is not used.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from hashlib import blake2b

__all__ = ["entry", "keep", "recalled", "sources"]

_SOURCES = (".py", ".toml", ".txt")
_ENTRY = 1_000_000  # limit on bytes of an entry
_WHOLE = 32_000_000  # limit on bytes of all entries
_FORM = "4"
_OWN = "derive-engine"  # the name of the cache's own folder
_NAME = re.compile(r"[0-9a-f]{40}(\.\d+)?")  # of an entry, and of one that is being written
_SEAL = re.compile(rb"[0-9a-f]{32}\n")  # how an entry begins: its checksum, in a line of its own
_HEAD = 33  # the bytes of that
_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH
# A named pipe in an entry's place must not be waited for, and a link not be followed. Windows has neither flag.
_PLAIN_FILE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def entry(words: Iterable[str], files: Iterable[str], packages: Iterable[str]) -> str | None:
    """The path of the entry for these words, files and versions of packages; None if one of them is missing."""
    place = _folder()
    if place is None:
        return None
    digest = blake2b(digest_size=20)
    try:
        for part in (_FORM, sys.version, *_versions(packages), *words):
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
        found = os.lstat(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and _is_mine(found)


def _is_mine(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user and nobody else may write to it; Windows knows no such modes."""
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid == os.getuid() and not found.st_mode & _OF_OTHERS


def _versions(packages: Iterable[str]) -> list[str]:
    """The versions of packages, from the names of their metadata folders."""
    wanted = list(packages)
    found: dict[str, str] = {}
    for folder in dict.fromkeys(sys.path):
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                package, _, rest = name.partition("-")
                if rest.endswith(".dist-info") and package in wanted:
                    found.setdefault(package, name)
    return [found[package] for package in wanted]  # a missing version raises LookupError: nothing is kept


def sources(*packages: str) -> Iterator[str]:
    """The files of this package and of `quantities`, or of some of their folders, in a fixed order.

    >>> any(path.endswith("vocabulary/cache.toml") for path in sources("derive/model", "quantities"))
    True
    """
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for package in packages or ("derive", "quantities"):
        for folder, inner, names in os.walk(os.path.join(root, package)):
            inner.sort()
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(_SOURCES))


def recalled(path: str) -> bytes | None:
    """The bytes of an entry, if it is there, undamaged, and in its own place."""
    try:
        with open(os.open(path, os.O_RDONLY | _PLAIN_FILE), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or not _is_mine(found):
                return None
            data = file.read(_ENTRY + _HEAD)
        head, _, body = data.partition(b"\n")
        if head != _seal(path, body):
            return None
        os.utime(path)  # mark it as recently used
        return body
    except OSError:
        return None


def keep(path: str, body: bytes) -> None:
    """Write an entry atomically; an error is ignored."""
    if len(body) > _ENTRY:
        return
    folder = os.path.dirname(path)
    aside = f"{path}.{os.getpid()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN_FILE, 0o600), "wb") as file:
            file.write(_seal(path, body) + b"\n" + body)
        os.replace(aside, path)
        _evict(folder)
    except OSError:
        return


def _seal(path: str, body: bytes) -> bytes:
    """The checksum of an entry and its name."""
    name = os.path.basename(path).encode()
    return blake2b(name + body, digest_size=16).hexdigest().encode()


def _evict(folder: str) -> None:
    """Remove the least recently used entries until those in the folder are within the limit."""
    with os.scandir(folder) as listing:
        entries = [(found, found.stat(follow_symlinks=False)) for found in listing if _NAME.fullmatch(found.name)]
    files = [(found.path, state) for found, state in entries if stat.S_ISREG(state.st_mode)]
    if sum(state.st_size for _, state in files) <= _WHOLE:
        return
    written = [(path, state) for path, state in files if state.st_size <= _ENTRY + _HEAD and _is_written(path)]
    whole = sum(state.st_size for _, state in written)
    for path, state in sorted(written, key=lambda file: file[1].st_mtime):
        if whole <= _WHOLE:
            return
        whole -= state.st_size
        os.unlink(path)


def _is_written(path: str) -> bool:
    """Whether a file begins as an entry does, also a damaged one: a user's own may have a name of this form."""
    with open(os.open(path, os.O_RDONLY | _PLAIN_FILE), "rb") as file:
        return _SEAL.fullmatch(file.read(_HEAD)) is not None
