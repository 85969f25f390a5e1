"""The user's cache folder: results kept as bytes, for later processes.

An entry lies under a key made of all that it hangs on: what it is, the files that it was made of, the sources that made
it, the versions of what they work with. It is data, and nothing in it is ever run. It appears whole or not at all, so
several processes may share the folder; it bears a seal, so a damaged one is as good as none; and where it cannot be
kept, that is nobody's trouble. What was not used for longest makes room. `DERIVE_CACHE=off` switches the folder off;
any other value is the folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from hashlib import blake2b

__all__ = ["entry", "keep", "recalled", "sources"]

_SOURCES = (".py", ".toml", ".txt")
_ENTRY = 1_000_000  # bytes of what is kept
_WHOLE = 32_000_000  # bytes of all that is kept
_FORM = "3"


def entry(words: Iterable[str], files: Iterable[str], packages: Iterable[str]) -> str | None:
    """Where lies what hangs on these words, files and versions of packages; None where that cannot be told."""
    place = _folder()
    if place is None:
        return None
    told = blake2b(digest_size=20)
    try:
        for part in (_FORM, sys.version, *_versions(packages), *words):
            told.update(f"{len(part)} {part}".encode())
        for path in files:
            with open(path, "rb") as file:
                data = file.read()
            told.update(f"{path} {len(data)} ".encode())
            told.update(data)
    except (OSError, UnicodeEncodeError, LookupError):
        return None
    return os.path.join(place, told.hexdigest())


def _folder() -> str | None:
    """Where things are kept; None where they are not."""
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


def _versions(packages: Iterable[str]) -> list[str]:
    """The versions of packages, as their folders of metadata name them."""
    wanted = list(packages)
    found: dict[str, str] = {}
    for folder in dict.fromkeys(sys.path):
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                package, _, rest = name.partition("-")
                if rest.endswith(".dist-info") and package in wanted:
                    found.setdefault(package, name)
    return [found[package] for package in wanted]  # a package without a version: nothing is kept


def sources(*rooms: str) -> Iterator[str]:
    """The files of this package and of `quantities`, or of some of their rooms, in one order.

    >>> any(path.endswith("vocabulary/cache.toml") for path in sources("derive/model", "quantities"))
    True
    """
    house = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for room in rooms or ("derive", "quantities"):
        for folder, inner, names in os.walk(os.path.join(house, room)):
            inner.sort()
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(_SOURCES))


def recalled(path: str) -> bytes | None:
    """What was kept, if it is there and whole."""
    try:
        with open(path, "rb") as file:
            data = file.read(_ENTRY + 100)
        head, _, body = data.partition(b"\n")
        if head != _seal(body):
            return None
        os.utime(path)  # what is used stays
        return body
    except OSError:
        return None


def keep(path: str, body: bytes) -> None:
    """Write an entry, whole or not at all; that it cannot be kept is nobody's trouble."""
    if len(body) > _ENTRY:
        return
    aside = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(aside, "xb") as file:
            file.write(_seal(body) + b"\n" + body)
        os.replace(aside, path)
        _make_room(os.path.dirname(path))
    except OSError:
        return


def _seal(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).hexdigest().encode()


def _make_room(folder: str) -> None:
    """Drop what was not used for longest, until the folder keeps to its size."""
    files = (found for found in os.scandir(folder) if found.is_file())
    entries = sorted(files, key=lambda found: found.stat().st_mtime)
    whole = sum(found.stat().st_size for found in entries)
    for found in entries:
        if whole <= _WHOLE:
            return
        whole -= found.stat().st_size
        os.unlink(found.path)
