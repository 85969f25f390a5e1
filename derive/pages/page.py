"""A question as a page: one HTML file without network or server, in which every given is a slider.

The page holds the engine's own plans as JavaScript (`kernels.browser_programs`), and the data beside them
(`page_data`). The shell is plain HTML, CSS and JavaScript, in the folder of that name; the scripts follow each other in
the order below, later ones using earlier ones. The same question makes the same bytes.

Data and plans are packed. Deflating finds what repeats within 32 kB only, and the plans of a page, which are alike line
by line, reach over megabytes. So each line is written once, after the steps from each line to the next. A line is
mostly followed by the line that followed it before, and a new line by a new one. A step is empty where that is so, "+"
to the next new line elsewhere, and otherwise the distance to the line that follows.
"""

from __future__ import annotations

import html
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
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
_SECONDS = 300.0  # for all the plans of a page


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
    """The targets of a page with sliders, none of which is given."""
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
    """How the page was asked for."""
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
    return b64encode(zlib.compress(encoded("\n".join([",".join(steps), *lines])), 9)).decode()


def unpacked(text: str) -> str:
    """The script of packed data and plans: another compressor may pack the same otherwise."""
    steps, *lines = zlib.decompress(b64decode(text)).decode().split("\n")
    walk = _Walk()
    return "\n".join(lines[walk.place(step)] for step in steps.split(","))


class _Walk:
    """A walk over lines by their places, which mostly leads from a line to where it led before."""

    def __init__(self) -> None:
        self._last, self._unmet, self._following = -1, 0, dict[int, int]()

    def step(self, place: int) -> str:
        """The text of the step to a place."""
        step = "+" if place == self._unmet else str(place - self._last)
        return "" if self._reached(place) else step

    def place(self, step: str) -> int:
        """The place in a packed page's script to which a step leads."""
        if step == "+":
            place = self._unmet
        else:
            place = self._last + int(step) if step else self._following.get(self._last, self._unmet)
        self._reached(place)
        return place

    def _reached(self, place: int) -> bool:
        """Go to a place; whether the walk was expected to lead there."""
        is_usual = place == self._following.get(self._last, self._unmet)
        self._unmet = max(self._unmet, place + 1)
        self._following[self._last] = self._last = place
        return is_usual
