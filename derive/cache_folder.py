"""The user's cache folder: results kept as bytes, for later processes.

The key of an entry is a hash of all that it depends on: what it is, its input files, the sources that computed it, and
the versions of the packages they use. An entry is data and is never executed. It is written atomically, so several
processes may share the folder; it has a checksum, so a damaged one is ignored; if it cannot be written, there is no
error. The least recently used entries are removed first. `DERIVE_CACHE=off` switches the folder off; any other value
is the folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from hashlib import blake2b

__all__ = ["entry", "keep", "recalled", "sources"]

_SOURCES = (".py", ".toml", ".txt")
_ENTRY = 1_000_000  # limit on bytes of an entry
_WHOLE = 32_000_000  # limit on bytes of all entries
_FORM = "3"


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
    """The cache folder; None if there is none."""
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
    """The bytes of an entry, if it is there and undamaged."""
    try:
        with open(path, "rb") as file:
            data = file.read(_ENTRY + 100)
        head, _, body = data.partition(b"\n")
        if head != _seal(body):
            return None
        os.utime(path)  # mark it as recently used
        return body
    except OSError:
        return None


def keep(path: str, body: bytes) -> None:
    """Write an entry atomically; an error is ignored."""
    if len(body) > _ENTRY:
        return
    aside = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(aside, "xb") as file:
            file.write(_seal(body) + b"\n" + body)
        os.replace(aside, path)
        _evict(os.path.dirname(path))
    except OSError:
        return


def _seal(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).hexdigest().encode()


def _evict(folder: str) -> None:
    """Remove the least recently used entries until the folder is within its limit."""
    files = (found for found in os.scandir(folder) if found.is_file())
    entries = sorted(files, key=lambda found: found.stat().st_mtime)
    whole = sum(found.stat().st_size for found in entries)
    for found in entries:
        if whole <= _WHOLE:
            return
        whole -= found.stat().st_size
        os.unlink(found.path)
