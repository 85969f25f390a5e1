"""Which TOML files are relation files: other programs have TOML files too, which are none of ours.

It reads the names at the top of a file and nothing else, so that looking through a folder costs little. A file that is
not TOML any more, since somebody is writing it, is recognised all the same.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable
from pathlib import Path

from derive.relation_files.keys import FILE, SECTIONS

__all__ = ["are_names_of_one", "is_one", "names_at_top"]

_LARGEST = 4_000_000  # bytes that are looked at
_HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*[\"']?([\w-]+)", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*[\"']?([\w-]+)[\"']?(?:[ \t]*\.[ \t]*[\w\"'-]+)*[ \t]*=", re.MULTILINE)


def are_names_of_one(names: Iterable[str]) -> bool:
    """Whether a file with these names at its top is a relation file.

    >>> are_names_of_one(["title", "quantities"]), are_names_of_one(["project", "tool"]), are_names_of_one(["profiles"])
    (True, False, True)
    """
    found = set(names)
    if found & {"quantities", "relations"}:
        return True
    return bool(found & {"uses", *SECTIONS}) and found <= {*FILE, *SECTIONS}


def names_at_top(text: str) -> set[str]:
    """The names at the top of a TOML text: those of its tables, and of the keys before the first of them.

    >>> sorted(names_at_top("title = 'x'\\n[quantities]\\ny = { unit = 'm' }\\n[relations.r]"))
    ['quantities', 'relations', 'title']
    """
    first = _HEADER.search(text)
    return {*_HEADER.findall(text), *_KEY.findall(text[: first.start()] if first else text)}


def is_one(path: Path) -> bool:
    """Whether this file is a relation file, also where it is not the UTF-8 that it should be."""
    if not path.is_file():  # what a pipe holds could not be read again
        return False
    try:
        with path.open("rb") as file:
            start = file.read(_LARGEST)
    except OSError:
        return False
    coding = "utf-16" if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    return are_names_of_one(names_at_top(start.decode(coding, errors="replace")))
