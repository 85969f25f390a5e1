"""Files: written whole or not at all, never in the place of what derive did not write; and read within limits.

A file is written under a temporary name in the same folder and renamed when it is complete. So its reader finds either
the old or the whole new content, even after an error, a full disk or an interrupt. Only a pipe or a device is written
to directly.

Every format has a mark by which derive knows its own files again. A command may be repeated, and replaces what it
wrote; but a mistyped name must not cost a user the file that bears it. Nor must a repeated command cost him what he has
changed in a file since: behind the mark of a text stands a seal, the digest of all the rest, and a file with a broken
seal is the user's own. (Tables, PNG and PDF have no place for one, and reports are compared as wholes.)

What is read may be of any kind. A named pipe that nobody writes to makes `open` wait where no time limit can end it; a
device such as /dev/zero has no end. So files are opened without waiting, what they hold is awaited a moment at a time,
and no more is read than any input of this package may have.

Whether there is a file is asked of `os.path`, here and in other modules: `Path.is_file` and `Path.exists` fail at a
name that is too long for a file.
"""

from __future__ import annotations

import io
import os
import re
import select
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import IO, BinaryIO

from derive.errors import DeriveError

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


MARK = "Made by derive"  # in every file whose format has a place for words
_PHRASES = (
    rf"^{MARK} \d\S*\.\r?$",  # in a module
    rf"<(metadata|dc:title)>{MARK}</",  # in a picture
    rf"pdfcreator=\{{{MARK}\}}",
    r'^<meta name="generator" content="derive">\r?$',  # in a page
    r"^(Facts as of \S+, )?derive \d\S*; numbers are shown rounded and computed with all their digits\.",  # in a report
)
"""Whole phrases: a user's own text may say as well that something is made by derive."""
_MARKS = re.compile("|".join(_PHRASES).encode(), re.MULTILINE)
_BINARY = (b"\x89PNG", b"%PDF")
_SEALABLE = re.compile(f'{MARK}|<meta name="generator" content="derive')
_SEALED = re.compile(rf"({_SEALABLE.pattern}) \[([0-9a-f]{{32}})\]".encode())
# of a table, which has no place for words
_HEADING = re.compile(rb"[^\n]*,holds( [^\n,]*)?,fails( [^\n,]*)?(,[^\n]*)?\r?\n")
_SEARCHED = 1 << 16  # bytes at either end of a file in which a mark stands


def digest(content: bytes) -> str:
    """The digest of a file's content, which tells it from any other and is the seal of a file that derive wrote."""
    return blake2b(content, digest_size=16).hexdigest()


def encoded(text: str) -> bytes:
    """The bytes of a text for a file. Names of files, which a text may quote, can hold bytes that are no characters."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        word = next(word for word in text.split() if error.object[error.start] in word)
        what = f"{word[:80]!r} is no Unicode text, and would stand in the file."
        raise DeriveError(what, hint="Rename what it names.") from None


def sealed(text: str) -> str:
    """A file's text with a seal behind its mark; one without a mark stays as it is.

    >>> print(sealed("# Made by derive 1.0.\\nx = 1"))
    # Made by derive [a73f751b0827cfbfad75c91c4fe3a5c8] 1.0.
    x = 1
    """
    mark = _SEALABLE.search(text)
    if mark is None:
        return text
    return f"{text[: mark.end()]} [{_digest_of_rest(encoded(text))}]{text[mark.end() :]}"


def _digest_of_rest(content: bytes) -> str:
    """The digest of a content without its seal, however its lines end."""
    return digest(_SEALED.sub(rb"\1", content, count=1).replace(b"\r\n", b"\n"))


def is_edited(path: str | PathLike[str]) -> bool:
    """Whether a file was changed since derive wrote and sealed it."""
    seal = _SEALED.search(_ends(path))
    return seal is not None and seal[2].decode() != _digest_of_rest(Path(path).read_bytes())


def _ends(path: str | PathLike[str]) -> bytes:
    """The text at either end of a file, which may be too large to be read; nothing if it cannot be read."""
    try:
        with open(path, "rb") as file:
            text = file.read(_SEARCHED)
            file.seek(max(len(text), os.path.getsize(path) - _SEARCHED))
            return text + b"\n" + file.read()
    except OSError:
        return b""


def is_replaceable(path: str | PathLike[str]) -> bool:
    """Whether nothing is lost if this file is written: it is not there, empty, no plain file, or as derive wrote it."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return True
    text = _ends(path)
    is_marked = MARK.encode() in text if text.startswith(_BINARY) else bool(_MARKS.search(text))
    return bool(is_marked or _HEADING.match(text) or _SEALED.search(text)) and not is_edited(path)


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
    if not isinstance(path, (str, PathLike)):
        raise DeriveError(f"a {type(path).__name__} is not the path of a file.", hint="Write a text, as in cost.csv.")
    place = os.path.realpath(path)  # the target of a link, which stays a link
    try:
        if os.path.exists(place) and not os.path.isfile(place):
            with open(place, "wb") as file:
                yield file
            return
        folder, name = os.path.split(place)
        temporary = os.path.join(folder, f".{name[:40]}.{token_hex(4)}.part")
        try:
            with open(temporary, "xb") as file:
                yield file
            if os.path.exists(place):
                shutil.copymode(place, temporary)
            os.replace(temporary, place)
        except BaseException:  # interrupts included
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        what = f"{str(path)!r} cannot be written: {str(error.strerror or error).lower()}."
        raise DeriveError(what, hint="Give a file in a folder that exists and is writable.") from None


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write all of a file's content, or leave the old one."""
    with written_whole(path) as file:
        file.write(encoded(content) if isinstance(content, str) else content)
