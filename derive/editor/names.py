"""What stands at a place of a file, where else it stands, and where it is declared.

A quantity stands where it is declared, in equations and conditions, as the key of a value in a profile or among the
givens of an example, and where an example asks for it or a relation neglects it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from derive.editor.readings import OpenFile
from derive.editor.toml_text import Span, String, TomlText
from derive.errors import ExpressionError, UnknownNameError, unknown
from derive.relation_files.keys import PROFILE
from quantities.declaration import check_name

__all__ = ["Named", "defined_at", "named_at", "occurrences", "renamed"]

_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_CALL = re.compile(r"\s*\(")


@dataclass(frozen=True, slots=True)
class Named:
    """A name at a place: what it names, and where it stands."""

    kind: Literal["quantity", "relation", "profile", "unit", "key", "used"]
    name: str
    span: Span
    path: tuple[str, ...]  # of the entry in which it stands


def named_at(toml: TomlText, offset: int) -> Named | None:
    """The name at a place; None if there is none.

    >>> toml = TomlText('[relations]\\nr = { equation = "x = 2*y" }')
    >>> named_at(toml, 36).name, named_at(toml, 34)
    ('y', None)
    """
    if (found := toml.key_at(offset)) is not None:
        entry, depth = found
        start, end = entry.keys[depth - len(entry.path) + len(entry.keys)]
        path = entry.path[: depth + 1]
        return Named(_kind_of_key(path), path[-1], (start, end), path)
    held = toml.string_at(offset)
    if held is None or held.string is None:
        return None
    string, path = held.string, held.path
    kind = _kind_of_string(path)
    if kind is None:
        return None
    if kind == "quantity" and path[2:3] in (("equation",), ("when",)):
        for word, span in _words(string):
            if span[0] <= offset <= span[1]:
                return Named("quantity", word, span, path)
        return None
    return Named(kind, string.value.strip(), string.span, path)


def _kind_of_key(path: tuple[str, ...]) -> Literal["quantity", "relation", "profile", "key"]:
    match path:
        case ("quantities", _) | ("examples", _, "given", _):
            return "quantity"
        case ("profiles", _, name) if name not in PROFILE:
            return "quantity"
        case ("relations", _):
            return "relation"
        case ("profiles", _):
            return "profile"
    return "key"


def _kind_of_string(path: tuple[str, ...]) -> Literal["quantity", "profile", "unit", "used"] | None:
    match path:
        case ("relations", _, "equation" | "neglects") | ("relations", _, "when", *_) | ("examples", _, "asked"):
            return "quantity"
        case ("quantities", _, "unit"):
            return "unit"
        case ("examples", _, "profiles", _):
            return "profile"
        case ("uses", _):
            return "used"
    return None


def _words(string: String) -> Iterator[tuple[str, Span]]:
    """The names in an equation or a condition with their places; a word before a parenthesis is a function."""
    for found in _WORD.finditer(string.value):
        if not _CALL.match(string.value, found.end()):
            yield found.group(), (string.places[found.start()], string.places[found.end()])


def occurrences(toml: TomlText, name: str) -> list[Span]:
    """Where a quantity stands in a file.

    >>> toml = TomlText('[quantities]\\nx = { unit = "m" }\\n[relations.r]\\nequation = "x = x(2)*x.y + 2*x"')
    >>> [toml.text[slice(*span)] for span in occurrences(toml, "x")]
    ['x', 'x', 'x']
    """
    found: set[Span] = set()
    for entry in toml.entries:
        first = len(entry.path) - len(entry.keys)
        for i, span in enumerate(entry.keys):
            path = entry.path[: first + i + 1]
            if path[-1] == name and (_kind_of_key(path) == "quantity" or (path[0] == "profiles" and len(path) == 3)):
                found.add(span)
        if entry.string is not None and _kind_of_string(entry.path) == "quantity":
            if entry.path[2] == "asked":
                found |= {entry.string.span} if entry.string.value == name else set()
            else:
                found |= {span for word, span in _words(entry.string) if word == name}
    return sorted(found)


def defined_at(file: OpenFile, offset: int) -> tuple[Path, Span] | None:
    """The file and the place where the name at a place is declared."""
    named = named_at(file.toml, offset)
    if named is None:
        return None
    if named.kind == "used":
        path = file.path.parent / named.name
        return (path, (0, 0)) if named.name.endswith(".toml") and (path in file.others or path.is_file()) else None
    section = {"quantity": "quantities", "relation": "relations", "profile": "profiles"}.get(named.kind)
    if section is None:
        return None
    for path, text in reversed([*file.reading.files.items()]):
        toml = file.toml if path == file.path else TomlText(text)
        if (span := _declared(toml, section, named.name)) is not None:
            return path, span
    return _in_libraries(file, named.name) if section == "quantities" else None


def _declared(toml: TomlText, section: str, name: str) -> Span | None:
    entry = toml.found((section, name))
    return entry.key_of(1) if entry is not None and entry.path[:2] == (section, name) else None


def _in_libraries(file: OpenFile, name: str) -> tuple[Path, Span] | None:
    """The place in the built-in vocabulary, if the file uses a library that has the quantity from there."""
    if name not in file.reading.known:
        return None
    import quantities

    for path in sorted((Path(quantities.__path__[0]) / "vocabulary").glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        if re.search(rf"^\[?(?:quantities\.)?{re.escape(name)}\b", text, re.MULTILINE):
            span = _declared(TomlText(text), "quantities", name)
            if span is not None:
                return path, span
    return None


def renamed(file: OpenFile, offset: int, new: str) -> Mapping[Path, list[Span]]:
    """The places, by file, where a quantity has to be renamed; an error if that would change what a file means."""
    named = named_at(file.toml, offset)
    if named is None or named.kind != "quantity":
        raise ExpressionError("There is no quantity here.", hint="Put the cursor on the name of a quantity.")
    home = _home(file, named.name)
    if "." in check_name(new) or new in PROFILE:
        what = f"{new!r} cannot name a quantity of a file: {'it has a dot' if '.' in new else 'profiles use the word'}."
        raise ExpressionError(what, hint="Write it as in kv_bytes_per_token.", text=new)
    edits: dict[Path, list[Span]] = {}
    for one in _sharing(file, home):
        if one.document().errors:
            what = f"{one.path.name} cannot be read on line {one.document().errors[0][1]}."
            raise ExpressionError(what, hint="Mend that first.", text=one.path.name)
        if new in one.reading.known:
            raise ExpressionError(
                f"{one.path.name} knows a quantity {new} already.", hint="Choose another name.", text=new
            )
        for path, text in one.reading.files.items():
            if path in (one.path, home):
                spans = occurrences(TomlText(text), named.name)
                edits |= {path: spans} if spans else {}
    return edits


def _home(file: OpenFile, name: str) -> Path:
    """The one file that declares a quantity."""
    if name not in file.reading.known:
        raise unknown("quantity", name, list(file.reading.known))
    homes = [path for path, text in file.reading.files.items() if _declared(TomlText(text), "quantities", name)]
    if len(homes) == 1:
        return homes[0]
    if homes:
        what = f"{name} is declared in {' and in '.join(path.name for path in homes)}."
        raise ExpressionError(what, hint="Declare it in one of them only, then rename it.", text=name)
    what = f"{name} belongs to a library that this file uses."
    raise UnknownNameError(what, hint="Only what a file declares can be renamed.", name=name, kind="quantity")


def _sharing(file: OpenFile, home: Path) -> list[OpenFile]:
    """The files that speak of a file's quantities: those that are open, and those between them."""
    texts = {**file.others, file.path: file.text, **file.reading.files}
    every = [
        OpenFile(path, text, {other: said for other, said in texts.items() if other != path})
        for path, text in texts.items()
    ]
    return [one for one in every if home in one.reading.files]
