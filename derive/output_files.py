"""Output files, written whole or not at all, and never in the place of what derive did not write.

A file is written under a temporary name in the same folder and renamed when it is complete. So its reader finds either
the old or the whole new content, even after an error, a full disk or an interrupt. Only a pipe or a device is written
to directly.

Every format has a mark by which derive knows its own files again. A command may be repeated, and replaces what it
wrote; but a mistyped name must not cost a user the file that bears it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from secrets import token_hex
from typing import IO

from derive.errors import DeriveError

__all__ = ["MARK", "is_replaceable", "write_whole", "written_whole"]

MARK = "Made by derive"  # in every file whose format has a place for words
_MARKS = (
    MARK.encode(),
    b'<meta name="generator" content="derive">',  # of a page
    b"; numbers are shown rounded and computed with all their digits",  # of a report
)
_HEADING = re.compile(
    rb"[^\n]*,holds( [^\n,]*)?,fails( [^\n,]*)?(,[^\n]*)?\r?\n"
)  # of a table, which has no place for words
_SEARCHED = 1 << 16  # bytes at either end of a file in which a mark stands


def is_replaceable(path: str | PathLike[str]) -> bool:
    """Whether nothing is lost if this file is written: it is not there, it is empty, no plain file, or derive's own."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return True
    try:
        with open(path, "rb") as file:
            text = file.read(_SEARCHED)
            file.seek(max(0, os.path.getsize(path) - _SEARCHED))
            text += b"\n" + file.read()
    except OSError:
        return False
    return any(mark in text for mark in _MARKS) or bool(_HEADING.match(text))


@contextmanager
def written_whole(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write bytes to, which gets its name when all of them are written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with written_whole(f"{folder}/told.txt") as file:
    ...         _ = file.write(b"all")
    ...         during = os.listdir(folder)
    ...     during == ["told.txt"], os.listdir(folder)
    (False, ['told.txt'])
    """
    place = os.path.realpath(path)  # the target of a link, which stays a link
    try:
        if os.path.exists(place) and not os.path.isfile(place):
            with open(place, "wb") as file:
                yield file
            return
        folder, name = os.path.split(place)
        aside = os.path.join(folder, f".{name[:40]}.{token_hex(4)}.part")
        try:
            with open(aside, "xb") as file:
                yield file
            if os.path.exists(place):
                shutil.copymode(place, aside)
            os.replace(aside, place)
        except BaseException:  # interrupts included
            with suppress(OSError):
                os.unlink(aside)
            raise
    except OSError as error:
        what = f"{str(path)!r} cannot be written: {str(error.strerror or error).lower()}."
        raise DeriveError(what, hint="Give a file in a folder that exists and is writable.") from None


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write all of a file's content, or leave the old one."""
    with written_whole(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
