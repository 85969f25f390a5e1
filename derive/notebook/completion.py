"""Completion of names in questions: targets, givens and profiles, also inside strings.

    pendulum.solve("per            the quantities
    pendulum.solve("period", len   the givens, by keyword
    derive.solve("batch", "h100    the profiles

The library is the one that the words before the call name: a variable of the session, or `derive` itself. Nothing is
evaluated for it but dotted names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from derive.library import Library

__all__ = ["Begun", "add_completion", "begun", "names_for"]

_CALL = re.compile(r"([A-Za-z_][\w.]*)\.([a-z_]+)\($")
_ASKING = {"solve", "solve_all", "sweep", "stream", "sample", "least", "most", "border"}
_FOR_NAMES = {"formula", "compile", "reach", "front", "quantity", "declaration", "at"}
"""Verbs of which every text is the name of a quantity."""

_WORD = re.compile(r"[\w.:-]*$")
_MOST = 400


class Begun:
    """What is being typed: the library's words, the verb, the number of the argument, and the word itself."""

    def __init__(self, owner: str, verb: str, place: int, word: str, is_text: bool) -> None:
        self.owner = owner
        self.verb = verb
        self.place = place
        self.word = word
        self.is_text = is_text


def begun(text: str) -> Begun | None:
    """The question that is open at the end of a text; None if none is.

    >>> found = begun('x = lib.solve("period", len')
    >>> found.owner, found.verb, found.place, found.word, found.is_text
    ('lib', 'solve', 1, 'len', False)
    >>> begun('lib.solve("period")') is None
    True
    """
    opened: list[tuple[int, int]] = []  # where each parenthesis opened, and how many commas came since
    quote = ""
    for i, mark in enumerate(text):
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark in "([{":
            opened.append((i, 0))
        elif mark in ")]}" and opened:
            opened.pop()
        elif mark == "," and opened:
            opened[-1] = opened[-1][0], opened[-1][1] + 1
    word = _WORD.search(text)
    for start, commas in reversed(opened):
        if call := _CALL.search(text[: start + 1]):
            return Begun(call[1], call[2], commas, word[0] if word else "", bool(quote))
    return None


def names_for(found: Begun, library: Library) -> list[str]:
    """The names that may stand where a question is being typed."""
    if found.verb not in _ASKING | _FOR_NAMES | {"profile"}:
        return []
    names: Mapping[str, Any] | list[str]
    if not found.is_text:
        names = [f"{name}=" for name in library.declared] if found.verb in _ASKING and found.place else []
    elif found.verb in _FOR_NAMES or (found.place == 0 and found.verb != "profile"):
        names = list(library.declared)
    else:
        names = list(library.profiles)
    begins = [name for name in names if name.startswith(found.word)]
    return begins[:_MOST] or [name for name in names if found.word and found.word in name][:_MOST]


def _owner(namespace: Mapping[str, Any], words: str) -> Library | None:
    """The library that dotted words name."""
    first, *rest = words.split(".")
    thing = namespace.get(first)
    if getattr(thing, "__name__", "") == "derive" and not rest:
        from derive.tokens.relations import library

        return library()
    for part in rest:
        thing = getattr(thing, "__dict__", {}).get(part)
    return thing if isinstance(thing, Library) else None


def add_completion(shell: Any) -> None:
    """Add the completion to a shell."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher()  # type: ignore[untyped-decorator, unused-ignore]
    def derive_names(context: Any) -> dict[str, Any]:
        lines = context.full_text.split("\n")
        text = "\n".join([*lines[: context.cursor_line], lines[context.cursor_line][: context.cursor_position]])
        found = begun(text[-4000:])
        library = found and _owner(shell.user_ns, found.owner)
        names = names_for(found, library) if found and library else []
        return {
            "completions": [SimpleCompletion(text=name, type="derive") for name in names],
            "matched_fragment": found.word if found else "",
            "suppress": bool(names),
        }

    matchers: list[Callable[[Any], Any]] = shell.Completer.custom_matchers
    if not any(getattr(one, "__name__", "") == "derive_names" for one in matchers):
        matchers.append(derive_names)
