"""Input files of any kind, read without waiting for ever and without filling the memory.

A named pipe that nobody writes to makes `open` wait where no time limit can end it; a device such as /dev/zero has no
end. So files are opened without waiting, what they hold is awaited a moment at a time, and no more is read than any
input of this package may have.
"""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Callable
from os import PathLike
from typing import BinaryIO

__all__ = ["LARGEST", "content_of", "content_of_stream"]

LARGEST = 64_000_000  # bytes of an input; of a larger one, one more byte is read than that
_PIECE = 1 << 16  # bytes read at once
_MOMENT = 0.05  # seconds for which a pipe is awaited, after which a time limit may end it
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # Windows has neither this nor named pipes among its files


def content_of(path: str | PathLike[str]) -> bytes:
    """The bytes of a file, or those that are written into a pipe until all its writers have closed it."""
    with open(path, "rb", buffering=0, opener=lambda name, flags: os.open(name, flags | _AT_ONCE)) as file:
        return _content(file.fileno(), file.read)


def content_of_stream(stream: BinaryIO) -> bytes:
    """The bytes that are still to come from a stream such as the standard input."""
    try:
        descriptor = stream.fileno()
    except io.UnsupportedOperation:
        return stream.read(LARGEST + 1)
    return _content(descriptor, getattr(stream, "read1", stream.read))


def _content(descriptor: int, next_piece: Callable[[int], bytes | None]) -> bytes:
    content = bytearray()
    while len(content) <= LARGEST:
        while sys.platform != "win32" and not select.select([descriptor], [], [], _MOMENT)[0]:
            pass
        piece = next_piece(min(_PIECE, LARGEST + 1 - len(content)))
        if piece is not None and not piece:
            break
        content += piece or b""  # none of a pipe that somebody else has read from meanwhile
    return bytes(content)
