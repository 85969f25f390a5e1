"""Scripts: the lines of a program as Python text, before a language writes them, and bundles of them in a language.

A page has them in JavaScript (`javascript`), and a file that computes by itself in Python (`modules`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from derive.kernels.backends.emitter import refusing_what_is_too_deep


@dataclass(frozen=True)
class RuntimeFunction:
    """A function of the runtime, by its name in it."""

    name: str


@dataclass(frozen=True, eq=False)
class Script:
    """A function as Python text, and what its names stand for: other scripts, functions of the runtime, tuples."""

    text: str
    space: Mapping[str, Any]

    def __call__(self, *_: Any) -> Any:
        raise TypeError("a script is run by a browser")


@dataclass(frozen=True)
class Language:
    """How a language writes scripts as functions called `compiled`, and the functions and constants that they use."""

    function: Callable[[Script, Callable[[Any], str]], str]  # of a script, and of what names the things in its space
    runtime: Callable[[str], str]  # the name of a function of the runtime
    constant: str  # a line for a name and its numbers


class Bundle:
    """Scripts with all that they call in a language: each once, and after those it calls.

    `last` has the names of the scripts themselves.

    >>> from derive.kernels.backends.javascript import JavaScript, javascript
    >>> root = Script("def compiled(a0):\\n    return m.sqrt(a0) if 0.0 <= a0 else nan\\n", JavaScript().names())
    >>> made = Bundle([root], javascript({}))
    >>> print(*made.parts, made.last, sep="\\n")
    function f0(a0) {
    return 0 <= a0 ? Math.sqrt(a0) : NaN;
    }
    ('f0',)
    """

    def __init__(self, scripts: Sequence[Script], language: Language) -> None:
        """Write the scripts and what they call, the callees first."""
        self.language = language
        self.parts: list[str] = []
        self._names: dict[Any, str] = {}
        self._same: dict[str, str] = {}  # functions of the same text are one
        with refusing_what_is_too_deep():
            self.last = tuple(map(self.name_of, scripts))

    def name_of(self, callee: Any) -> str:
        """The name in the bundle of a script, a runtime function or a constant; one that is new is written first."""
        if isinstance(callee, RuntimeFunction):
            return self.language.runtime(callee.name)
        is_constant = isinstance(callee, tuple)
        key = callee if is_constant else id(callee)
        if key not in self._names:
            text = json.dumps(callee) if is_constant else self.language.function(callee, self.name_of)
            if text not in self._same:
                letter = "k" if is_constant else "f"
                name = self._same[text] = f"{letter}{len(self._same)}"
                line = self.language.constant.format(name, text) if is_constant else text.replace("compiled", name, 1)
                self.parts.append(line)
            self._names[key] = self._same[text]
        return self._names[key]
