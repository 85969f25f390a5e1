"""Output files, written whole or not at all.

What is written goes to a name beside the one that was asked for and takes that one when it is complete. So whoever
reads the file finds what was there before or all of what is new, however the work ended: by an error, by a full disk,
by an interrupt. Only what is no file of bytes, as a pipe or a device, is written to directly.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from secrets import token_hex
from typing import IO

from derive.errors import DeriveError

__all__ = ["write_whole", "written_whole"]


@contextmanager
def written_whole(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write bytes to, which bears its name once all of them are there.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with written_whole(f"{folder}/told.txt") as file:
    ...         _ = file.write(b"all")
    ...         during = os.listdir(folder)
    ...     during == ["told.txt"], os.listdir(folder)
    (False, ['told.txt'])
    """
    place = os.path.realpath(path)  # where a link leads to, which stays a link
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
        except BaseException:  # an interrupt among them
            with suppress(OSError):
                os.unlink(aside)
            raise
    except OSError as error:
        what = f"{str(path)!r} cannot be written: {str(error.strerror or error).lower()}."
        raise DeriveError(what, hint="Give a file in a folder that exists and is writable.") from None


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write all of a file's content, or leave what is there."""
    with written_whole(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
