"""A question as a page: one HTML file without network or server, in which every given is a slider.

The page holds the engine's own plans as JavaScript (`kernels.browser_programs`), and the data beside them
(`page_data`). The shell is plain HTML, CSS and JavaScript, in the folder of that name; the scripts follow each other in
the order below, later ones using earlier ones. The same question makes the same bytes.

Data and plans are packed. Deflating finds what repeats within 32 kB only, and the plans of a page, which are alike line
by line, reach over megabytes. So each line is written once, after the steps from each line to the next. A line is
mostly followed by the line that followed it before, and a new line by a new one. A step is empty where that is so, "+"
to the next new line elsewhere, and otherwise the distance to the line that follows.

A line computes a value, `var w7 = w6 * w2;`, mostly of those right before it. By their distances, as `= ~1 * ~5;`, such
lines are alike. So are those that store a result, `y[7] = w6;`, by how far that is behind the result stored last.
"""

from __future__ import annotations

import html
import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from derive.errors import ExpressionError, read_all
from derive.files import encoded
from derive.kernels.backends.javascript import runtime
from derive.model.relation_set import RelationSet
from derive.pages.page_data import page_data
from derive.presentation.numbers import with_unit
from derive.time_limits import query
from quantities.declaration import read_given
from quantities.value import Value

_SHELL = Path(__file__).parent / "shell"
_SCRIPTS = (
    "numbers",
    "units",
    "state",
    "answers",
    "search",
    "mathml",
    "derivation",
    "combobox",
    "controls",
    "curve",
    "exports",
    "main",
)
_SECONDS = 900.0  # for all the plans of a page, also on a busy machine
_NEAR = 100  # limit on the distance by which a line names a value
_MARK = "\x01"  # before a distance; no script has this sign, nor the next two
_NEXT = "\x02"  # in the place of "var w7 = " behind a line that computes w6
_STORED = "\x03"  # before the distance from the place of the result stored last, which is left out where it is 1
_COMPUTES = re.compile(r"var w(\d+) = ")
_STORES = re.compile(r"y\[(0|[1-9]\d*)\] = ")
_STORES_BESIDE = re.compile(rf"{_STORED}(-?\d*)=")
_VALUE = re.compile(r"\bw(0|[1-9]\d*)\b")


def page(
    library: RelationSet,
    targets: str | Sequence[str],
    profiles: Sequence[str],
    given: Mapping[str, Any],
    *,
    title: str = "",
    uses: Sequence[str] = (),
    flags: str = "",
) -> str:
    """The HTML of a page with sliders.

    `uses` names the library in a relation file that the page writes, and `flags` on a command line.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> made = page(circuits, "voltage", (), {"current": "2 A", "resistance": "1..100 ohm"}, title="Ohm's law")
    >>> made.splitlines()[0], "<title>Ohm&#x27;s law</title>" in made
    ('<!DOCTYPE html>', True)
    """
    wanted = _targets(library, targets, given)
    read = read_all(lambda name, value: read_given(value, library.declaration(name)), given)
    with query(_SECONDS):
        data, kernels = page_data(library, wanted, tuple(profiles), read)
    data |= {"uses": list(uses), "flags": flags}
    document: str = _template().render(
        title=html.escape(title or _title(wanted, profiles)),
        about=html.escape(_about(wanted, profiles, read)),
        style=_text("page.css"),
        runtime=runtime(),
        packed=packed(data, kernels),
        scripts="\n".join(_text(f"{name}.js") for name in _SCRIPTS),
    )
    return document


def _targets(library: RelationSet, targets: str | Sequence[str], given: Mapping[str, Any]) -> tuple[str, ...]:
    """The targets for which an HTML page is written, each once, none of which is given."""
    stated = [targets] if isinstance(targets, str) or not isinstance(targets, Iterable) else list(targets)
    for target in stated:
        if not isinstance(target, str):
            raise library.vocabulary.unknown(target)
    listed = tuple(dict.fromkeys(stated))
    if not listed:
        raise ExpressionError("The page has no target.", hint="Name a quantity, or several in a list.", text="")
    for target in listed:
        library.declaration(target)
        if target in given:
            hint = f"Leave {target}=... out: the page has it as the answer, and on the page anything can be asked for."
            raise ExpressionError(f"{target} is given, and is also the target.", hint=hint, text=target)
    return listed


def _title(targets: Sequence[str], profiles: Sequence[str]) -> str:
    beside = f" with {', '.join(profiles)}" if profiles else ""
    return f"{', '.join(targets)}{beside}"


def _about(targets: Sequence[str], profiles: Sequence[str], given: Mapping[str, Value]) -> str:
    """The sentence in a page's HTML file that says for what targets, and from what givens, it was written."""
    givens = [*(f"{name} = {value}" for name, value in given.items()), *profiles]
    asked = with_unit(", ".join(targets), f"from {', '.join(givens)}" if givens else "")
    return f"Written by derive for {asked}. Every number is worked out in this page, from relations that were checked."


@cache
def _text(name: str) -> str:
    return (_SHELL / name).read_text(encoding="utf-8").rstrip()


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    return Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False).from_string(
        _text("page.html")
    )


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
    walk = _Walk()
    steps = [walk.step(lines.setdefault(line, len(lines))) for line in script.split("\n")]
    return b64encode(zlib.compress(encoded("\n".join([",".join(steps), *_by_distances(lines)])), 9)).decode()


def unpacked(text: str) -> str:
    """The script of a page's packed data and plans: another compressor may pack the same otherwise."""
    steps, *by_distances = zlib.decompress(b64decode(text)).decode().split("\n")
    lines, walk = _by_numbers(by_distances), _Walk()
    return "\n".join(lines[walk.place(step)] for step in steps.split(","))


def _by_distances(lines: Iterable[str]) -> Iterator[str]:
    """The lines to be packed into a page, with values and results not far behind the last ones as distances.

    >>> lines = _by_distances(["var w1 = w0 * 2;", "var w2 = w1 + w0;", "y[0] = w2;", "y[5] = w1;"])
    >>> [line.replace(_MARK, "~").replace(_NEXT, "= ").replace(_STORED, "y ") for line in lines]
    ['= ~1 * 2;', '= ~1 + ~2;', 'y = ~0;', 'y 5= ~1;']
    """
    last, stored = 0, -1

    def distance(value: re.Match[str]) -> str:
        behind = last - int(value[1])
        return f"{_MARK}{behind}" if 0 <= behind < _NEAR else value[0]

    for line in lines:
        beginning, rest = "", line
        if computes := _COMPUTES.match(line):
            before, last = last, int(computes[1])
            beginning, rest = computes[0], line[computes.end() :]
            if last == before + 1:
                beginning = _NEXT
        elif stores := _STORES.match(line):
            before, stored = stored, int(stores[1])
            beginning, rest = f"{_STORED}{stored - before if stored != before + 1 else ''}= ", line[stores.end() :]
        yield beginning + _VALUE.sub(distance, rest)


def _by_numbers(lines: Iterable[str]) -> list[str]:
    """The lines of an unpacked page's script, with numbers of values and results in the place of their distances."""
    last, stored = 0, -1

    def number(distance: re.Match[str]) -> str:
        return f"w{last - int(distance[1])}"

    numbered = []
    for line in lines:
        full_line = f"var w{last + 1} = {line[1:]}" if line.startswith(_NEXT) else line
        if computes := _COMPUTES.match(full_line):
            last = int(computes[1])
        elif stores := _STORES_BESIDE.match(full_line):
            stored += int(stores[1] or 1)
            full_line = f"y[{stored}] ={full_line[stores.end() :]}"
        numbered.append(re.sub(rf"{_MARK}(\d+)", number, full_line))
    return numbered


class _Walk:
    """A walk over lines by their places, which mostly leads from a line to where it led before."""

    def __init__(self) -> None:
        self._last, self._unmet, self._following = -1, 0, dict[int, int]()

    def step(self, place: int) -> str:
        """The step to a line's place, as text in a page's packed script; empty where it is the usual one."""
        step = "+" if place == self._unmet else str(place - self._last)
        return "" if self._reached(place) else step

    def place(self, step: str) -> int:
        """The place of a line in a page's packed script to which a step leads."""
        if step == "+":
            place = self._unmet
        else:
            place = self._last + int(step) if step else self._following.get(self._last, self._unmet)
        self._reached(place)
        return place

    def _reached(self, place: int) -> bool:
        """Go to the place of the next line of a page's script; whether the walk was expected to lead there."""
        is_usual = place == self._following.get(self._last, self._unmet)
        self._unmet = max(self._unmet, place + 1)
        self._following[self._last] = self._last = place
        return is_usual
