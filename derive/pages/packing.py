"""The script of a page, packed: its plans are alike, and mostly line by line.

Deflating finds what repeats within 32 kB only, and the plans of a page reach over megabytes. So each line is written
once; and a name that a function gives to an expression is made from that expression and the quantities in it, so that
the same arithmetic is the same line in whatever plan.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from derive.files import encoded

__all__ = ["packed", "unpacked"]

_ASSIGNED = re.compile(r"var (v\d+) = (.*)")
_INPUT = re.compile(r"x\[(\d+)\];")
_NAME = re.compile(r"\bv\d+\b")


def packed(data: Mapping[str, Any], kernels: Sequence[str]) -> str:
    """The data and the plans of a page as a script: every line once, and where it stands, deflated and in base64.

    >>> print(unpacked(packed({"answer": 42}, ["(function (derive) { return 0; })"])))
    window.derivePage = {data: {"answer":42},
    kernels: (derive) => [
    (function (derive) { return 0; })(derive)
    ]};
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    inputs = {one["kernel"]: one["inputs"] for one in data.get("programs", ())}
    read = [inputs.get(place, ()) for place in range(len(kernels))]
    called = ",\n".join(f"{source}(derive)" for source in alike(kernels, read))
    script = f"window.derivePage = {{data: {text},\nkernels: (derive) => [\n{called}\n]}};"
    lines: dict[str, int] = {}
    steps = _steps([lines.setdefault(line, len(lines)) for line in script.split("\n")])
    text = "\n".join([",".join(steps), *lines])
    return b64encode(zlib.compress(encoded(text), 9)).decode()


def unpacked(text: str) -> str:
    """The script of packed data and plans: another compressor may pack the same otherwise."""
    steps, *lines = zlib.decompress(b64decode(text)).decode().split("\n")
    return "\n".join(lines[place] for place in _places(steps.split(",")))


# A line is mostly followed by the line that followed it before, and a new line by a new one. A step is empty where that
# is so, "+" to the next new line elsewhere, and otherwise the distance to the line that follows.


def _steps(places: Iterable[int]) -> Iterator[str]:
    following, last, unmet = dict[int, int](), -1, 0
    for place in places:
        if place == following.get(last, unmet):
            yield ""
        else:
            yield "+" if place == unmet else str(place - last)
        unmet = max(unmet, place + 1)
        following[last] = last = place


def _places(steps: Iterable[str]) -> Iterator[int]:
    following, last, unmet = dict[int, int](), -1, 0
    for step in steps:
        place = following.get(last, unmet)
        if step:
            place = unmet if step == "+" else last + int(step)
        yield place
        unmet = max(unmet, place + 1)
        following[last] = last = place


def alike(kernels: Sequence[str], inputs: Sequence[Sequence[str]]) -> list[str]:
    """Kernels in which the same expression of the same inputs has the same name.

    >>> one = "function f0(x) {\\nvar v7 = x[0];\\nvar v8 = v7 * 2;\\nreturn v8;\\n}"
    >>> other = "function f0(x) {\\nvar v7 = x[0];\\nvar v8 = x[1];\\nvar v9 = v8 * 2;\\nreturn v7 + v9;\\n}"
    >>> for source in alike([one, other], [["I"], ["V", "I"]]):
    ...     print(source.split("\\n")[-3])
    var w1 = w0 * 2;
    var w1 = w0 * 2;
    """
    names = dict[tuple[str, int], str]()
    return ["\n".join(_Renamed(one.split("\n"), read, names).lines) for one, read in zip(kernels, inputs, strict=True)]


class _Renamed:
    """The lines of a kernel, with the names that all kernels have for what they assign.

    A name that is assigned twice in a function is kept.
    """

    def __init__(self, lines: Sequence[str], inputs: Sequence[str], names: dict[tuple[str, int], str]) -> None:
        self.inputs = inputs
        self.names = names  # by what is assigned, and how many of the same text a function has had
        self.lines: list[str] = []
        starts = [i for i, line in enumerate(lines) if line.startswith("function ")]
        for start, end in pairwise([0, *starts, len(lines)]):
            self._function(lines[start:end])

    def _function(self, lines: Sequence[str]) -> None:
        assigned = [_ASSIGNED.fullmatch(line) for line in lines]
        times = Counter(found.group(1) for found in assigned if found)
        own, met = dict[str, str](), Counter[str]()
        for line, found in zip(lines, assigned, strict=True):
            if found is None or times[found.group(1)] > 1:
                self.lines.append(_named(line, own))
                continue
            name, value = found.group(1), _named(found.group(2), own)
            meant = self._meant(value)
            met[meant] += 1  # the same text may mean another number once `doubt` has changed
            own[name] = self.names.setdefault((meant, met[meant]), f"w{len(self.names)}")
            self.lines.append(f"var {own[name]} = {value}")

    def _meant(self, value: str) -> str:
        place = _INPUT.fullmatch(value)
        return self.inputs[int(place.group(1))] if place and self.inputs else value


def _named(text: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda found: names.get(found.group(), found.group()), text)
