"""The script of a page, packed: its plans are alike, and mostly line by line.

Deflating finds what repeats within 32 kB only, and the plans of a page reach over megabytes. So each line is written
once, after the steps from each line to the next. A line is mostly followed by the line that followed it before, and a
new line by a new one. A step is empty where that is so, "+" to the next new line elsewhere, and otherwise the distance
to the line that follows.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from derive.output_files import encoded

__all__ = ["packed", "unpacked"]


def packed(data: Mapping[str, Any], kernels: Sequence[str]) -> str:
    """The data and the plans of a page as a script: every line once, and where it stands, deflated and in base64.

    >>> print(unpacked(packed({"answer": 42}, ["(function (derive) { return 0; })"])))
    window.derivePage = {data: {"answer":42},
    kernels: (derive) => [
    (function (derive) { return 0; })(derive)
    ]};
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    called = ",\n".join(f"{source}(derive)" for source in kernels)
    script = f"window.derivePage = {{data: {text},\nkernels: (derive) => [\n{called}\n]}};"
    lines: dict[str, int] = {}
    steps = _steps([lines.setdefault(line, len(lines)) for line in script.split("\n")])
    return b64encode(zlib.compress(encoded("\n".join([",".join(steps), *lines])), 9)).decode()


def _steps(places: Iterable[int]) -> Iterator[str]:
    following, last, unmet = dict[int, int](), -1, 0
    for place in places:
        is_usual = place == following.get(last, unmet)
        yield "" if is_usual else "+" if place == unmet else str(place - last)
        unmet = max(unmet, place + 1)
        following[last] = last = place


def unpacked(text: str) -> str:
    """The script of packed data and plans: another compressor may pack the same otherwise."""
    steps, *lines = zlib.decompress(b64decode(text)).decode().split("\n")
    following, last, unmet, found = dict[int, int](), -1, 0, list[str]()
    for step in steps.split(","):
        place = unmet if step == "+" else last + int(step) if step else following.get(last, unmet)
        found.append(lines[place])
        unmet = max(unmet, place + 1)
        following[last] = last = place
    return "\n".join(found)
