"""What stands at a place of a file, where else it stands, and where it is declared; what an editor says about it, and
what may be written there instead.

A quantity stands where it is declared, in equations and conditions, as the key of a value in a profile or among the
givens of an example, and where an example asks for it or a relation neglects it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from derive.editor.diagnostics import OpenFile, Reading
from derive.errors import AmbiguousError, DeriveError, ExpressionError, UnknownNameError, unknown
from derive.expressions.tree import FUNCTIONS
from derive.library import Library
from derive.model.relation import Relation
from derive.relation_files import named_libraries
from derive.relation_files.keys import PROFILE, SECTIONS, keys_of, kind_of
from derive.relation_files.toml_text import Entry, Span, String, TomlText
from derive.time_limits import limits
from quantities.declaration import Declaration, check_name
from quantities.definitions import beginning
from quantities.spelling import parse_unit
from quantities.value import KINDS

_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_CALL = re.compile(r"\s*\(")
_Kind = Literal["quantity", "relation", "profile", "unit", "key", "used"]
_NAMED: Mapping[str, _Kind] = {"share": "quantity", "quantity": "quantity", "unit": "unit", "profiles": "profile"}
_EXPRESSIONS = ("expression", "conditions")


@dataclass(frozen=True, slots=True)
class NameAtPlace:
    """A name at a place: what it names, and where it stands."""

    kind: _Kind
    name: str
    span: Span
    path: tuple[str, ...]  # of the entry in which it stands


def named_at(toml: TomlText, offset: int) -> NameAtPlace | None:
    """The name at a place in an editor's file; None if there is none.

    >>> toml = TomlText('[relations]\\nr = { equation = "x = 2*y" }')
    >>> named_at(toml, 36).name, named_at(toml, 34)
    ('y', None)
    """
    if (key := toml.key_at(offset)) is not None:
        _, path, span = key
        return NameAtPlace(_kind_of_key(path), path[-1], span, path)
    entry = toml.string_at(offset)
    if entry is None or entry.string is None:
        return None
    string, path = entry.string, entry.path
    kind = kind_of(path)
    if kind in _EXPRESSIONS:
        words = ((word, span) for word, span in _words(string) if span[0] <= offset <= span[1])
        return next((NameAtPlace("quantity", word, span, path) for word, span in words), None)
    named = "used" if kind == "libraries" else _NAMED.get(kind)
    return None if named is None else NameAtPlace(named, string.value.strip(), string.span, path)


def _kind_of_key(path: tuple[str, ...]) -> _Kind:
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


def _words(string: String) -> Iterator[tuple[str, Span]]:
    """The names in an equation or a condition with their places; a word before a parenthesis is a function."""
    for match in _WORD.finditer(string.value):
        if not _CALL.match(string.value, match.end()):
            yield match.group(), (string.places[match.start()], string.places[match.end()])


def occurrences(toml: TomlText, name: str) -> list[Span]:
    """The places in an editor's file where the name of a quantity stands.

    >>> toml = TomlText('[quantities]\\nx = { unit = "m" }\\n[relations.r]\\nequation = "x = x(2)*x.y + 2*x"')
    >>> [toml.text[slice(*span)] for span in occurrences(toml, "x")]
    ['x', 'x', 'x']
    """
    spans: set[Span] = set()
    for entry in toml.entries:
        first = len(entry.path) - len(entry.keys)
        for i, span in enumerate(entry.keys):
            path = entry.path[: first + i + 1]
            if path[-1] == name and (_kind_of_key(path) == "quantity" or (path[0] == "profiles" and len(path) == 3)):
                spans.add(span)
        if entry.string is None:
            continue
        kind = kind_of(entry.path)
        if kind == "quantity" and entry.string.value == name:
            spans.add(entry.string.span)
        elif kind in (*_EXPRESSIONS, "share"):
            spans |= {span for word, span in _words(entry.string) if word == name}
    return sorted(spans)


def defined_at(file: OpenFile, offset: int) -> tuple[Path, Span] | None:
    """The file and the place where the name under an editor's cursor is declared."""
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
    """The place of a name in the built-in vocabulary, if the editor's file uses a library that has its quantity."""
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
    """The places, by file, where an editor renames a quantity; an error if that would change what a file means."""
    named = named_at(file.toml, offset)
    if named is None or named.kind != "quantity":
        raise ExpressionError("There is no quantity here.", hint="Put the cursor on the name of a quantity.")
    home = _home(file, named.name)
    if "." in check_name(new) or new in PROFILE:
        reason = "it has a dot" if "." in new else "profiles use the word"
        what = f"{new!r} cannot name a quantity of a file: {reason}."
        raise ExpressionError(what, hint="Write it as in kv_bytes_per_token.", text=new)
    edits: dict[Path, list[Span]] = {}
    for sharer in _sharing(file, home):
        if sharer.document().errors:
            what = f"{sharer.path.name} cannot be read on line {sharer.document().errors[0][1]}."
            raise ExpressionError(what, hint="Mend that first.", text=sharer.path.name)
        if new in sharer.reading.known:
            what = f"{sharer.path.name} knows a quantity {new} already."
            raise ExpressionError(what, hint="Choose another name.", text=new)
        for path, text in sharer.reading.files.items():
            if path in (sharer.path, home):
                spans = occurrences(TomlText(text), named.name)
                edits |= {path: spans} if spans else {}
    return edits


def _home(file: OpenFile, name: str) -> Path:
    """The one file that declares a quantity whose name the editor changes."""
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
    """The files where the names of a file may stand too: those that are open in the editor, and those between them."""
    texts = {**file.others, file.path: file.text, **file.reading.files}
    sharing = []
    for path, text in texts.items():
        candidate = OpenFile(path, text, {other: texts[other] for other in texts if other != path})
        if home in candidate.reading.files:
            sharing.append(candidate)
    return sharing


_FORMS = 6  # limit on relations of which closed forms are shown
_SECONDS = 2  # for one closed form


def hover(file: OpenFile, offset: int) -> tuple[str, Span] | None:
    """What the editor shows of the name at a place, and where that name stands; None if nothing is known of it.

    >>> from pathlib import Path
    >>> text = '[quantities]\\nx = { unit = "m", meaning = "how far" }'
    >>> print(hover(OpenFile(Path("a.toml"), text), 13)[0].splitlines()[0])
    **x** [m]: how far
    """
    named = named_at(file.toml, offset)
    if named is None:
        return None
    reading, markdown = file.reading, ""
    match named.kind:
        case "quantity" if named.name in reading.known:
            markdown = _of_quantity(reading, reading.known[named.name])
        case "relation" if named.name in reading.relations:
            markdown = _of_relation(reading.relations[named.name])
        case "profile":
            markdown = _of_profile(reading, named.name)
        case "unit":
            markdown = _of_unit(named.name)
        case "key":
            markdown = _meaning_of_key(named.path)
    return (markdown, named.span) if markdown else None


def _meaning_of_key(path: tuple[str, ...]) -> str:
    """What an editor says about the key that stands at a place; empty if a relation file has no such key."""
    section = SECTIONS.get(path[0], "") if len(path) == 1 else ""
    key = keys_of(path[:-1]).get(path[-1])
    return section or (key.meaning if key else "")


def _of_quantity(reading: Reading, quantity: Declaration) -> str:
    lines = [_headed(quantity), ""]
    facts = [f"domain: {quantity.domain.text}"]
    if quantity.latex:
        facts.append(f"letter: {quantity.latex}")
    if quantity.aliases:
        facts.append(f"also called {', '.join(quantity.aliases)}")
    if quantity.default is not None:
        facts.append(f"default: {quantity.default} ({quantity.default.source})")
    declaring_file = reading.declaring(quantity.name)
    if declaring_file is not None and declaring_file != reading.path:
        facts.append(f"declared in {declaring_file.name}")
    holding = [r for r in reading.relations.values() if quantity.name in r.declared and r.is_equation]
    lines += [f"- {fact}" for fact in facts]
    forms: list[str] = []
    for relation in holding[:_FORMS]:
        forms += [f"- `{form}` ({relation.name})" for form in _forms(relation, quantity.name)]
    if forms:
        lines += ["", *forms]
    more = len(holding) - _FORMS
    if more > 0:
        lines.append(f"- and {more} more {'relation' if more == 1 else 'relations'}")
    return "\n".join(lines)


def _headed(quantity: Declaration) -> str:
    meaning = f": {quantity.meaning}" if quantity.meaning else ""
    return f"**{quantity.name}** [{quantity.unit.text or '1'}]{meaning}"


def _of_relation(relation: Relation) -> str:
    lines = [f"**{relation.name}**: `{relation.written}`", ""]
    facts = [("", relation.because), ("source: ", relation.source)]
    facts += [("when ", condition) for condition in relation.when]
    facts += [("within ", f"{relation.approximate:.3g}")] if relation.approximate is not None else []
    lines += [f"- {label}{text}" for label, text in facts if text]
    lines += ["", *(f"- {_headed(quantity)}" for quantity in relation.declared.values())]
    if relation.is_equation:
        lines.append("")
        for name in relation.declared:
            lines += [f"- `{form}`" for form in _forms(relation, name)]
    return "\n".join(lines)


def _forms(relation: Relation, name: str) -> list[str]:
    """What an editor says about a name that stands in a relation: its closed forms; none if it has none."""
    if relation.written.written_for == name:
        return [str(relation.written)]
    others = [other for other in relation.declared if other != name]
    try:
        with limits(seconds=_SECONDS):
            plain = Relation.proved(relation.name, relation.written, relation.declared)
            forms = [Library([plain]).formula(name, given=others)]
    except AmbiguousError as error:
        forms = list(error.answers)
    except DeriveError:
        forms = []
    return [f"{name} = {form}" for form in forms]


def _of_profile(reading: Reading, name: str) -> str:
    if name not in reading.profiles:
        title = reading.profile_titles.get(name, "")
        return f"**{name}**: {title}" if title else ""
    profile = reading.profiles[name]
    lines = [f"**{name}**" + (f": {profile.title}" if profile.title else ""), ""]
    return "\n".join([*lines, *(f"- {quantity} = {value}" for quantity, value in profile.values.items())])


def _of_unit(text: str) -> str:
    with suppress(DeriveError):
        unit = parse_unit(text)
        if not unit.factors:
            return "a plain number"
        begins = f", from {float(unit.offset):.6g} of it on" if unit.offset else ""
        return f"**{text or '1'}**: {unit.dimension}, {float(unit.size):.6g} of it{begins}"
    return ""


# What may be written

_TYPED_UNIT = re.compile(r"[A-Za-z_%‰°$µμΩÅ]*$")
_TYPED_NAME = re.compile(r"[A-Za-z_][\w.]*$")
_MOST = 300  # limit on units that are offered
_DOMAINS = ("positive", "nonnegative", "real", "whole")
_NUMBERED = re.compile(r"\s*[-+]?(?:[0-9.]|\.\.|\+/-|[eE][-+]?[0-9])[^A-Za-z]*\s*")


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that may be written: the text, what it replaces, and what it is."""

    text: str
    span: Span
    kind: Literal["quantity", "function", "unit", "key", "section", "profile", "library", "file", "word"]
    detail: str = ""
    meaning: str = ""
    rank: int = 0  # the lower, the earlier


def offers(file: OpenFile, offset: int) -> list[Offer]:
    """The names and words that the editor offers at a place, the nearest first.

    >>> from pathlib import Path
    >>> text = '[quantities]\\nlength = { unit = "m" }\\n[relations.r]\\nequation = "len'
    >>> [offer.text for offer in offers(OpenFile(Path("a.toml"), text), len(text)) if offer.kind == "quantity"]
    ['length']
    """
    entry = file.toml.string_at(offset)
    if entry is not None and entry.string is not None:
        return list(_in_string(file, entry, entry.string, offset))
    return list(_of_keys(file, offset))


def _in_string(file: OpenFile, entry: Entry, string: String, offset: int) -> Iterator[Offer]:
    """The names that the editor offers inside a string, by what its key holds."""
    before = string.value[: string.index(offset)]
    known = file.reading.known
    match kind_of(entry.path):
        case "expression" | "conditions":
            span = _typed(before, _TYPED_NAME, offset)
            yield from _quantities(file, known.values(), span)
            for name in FUNCTIONS:
                yield Offer(name, span, "function", f"{name}(...)", rank=3)
        case "share":
            numbers = [quantity for quantity in known.values() if quantity.unit.is_number]
            yield from _quantities(file, numbers, string.span)
        case "quantity":
            yield from _quantities(file, known.values(), string.span)
        case "profiles":
            for name, title in file.reading.profile_titles.items():
                yield Offer(name, string.span, "profile", title)
        case "unit":
            yield from _units(file, before, offset)
        case "domain" | "trust" as kind:
            words = _DOMAINS if kind == "domain" else KINDS
            for word in words:
                yield Offer(word, string.span, "word")
        case "libraries":
            yield from _used(file, string.span)
        case "value" | "range":
            yield from _behind_number(file, entry.path, before, offset)


def _behind_number(file: OpenFile, path: tuple[str, ...], before: str, offset: int) -> Iterator[Offer]:
    """The units that may be written at a place behind a number: that of its quantity first, then all others."""
    number = _NUMBERED.match(before)
    if number is None:
        return
    name = path[{"quantities": 1, "profiles": 2, "examples": 3}[path[0]]]
    quantity = file.reading.known.get(name)
    if quantity is not None and quantity.unit.text:
        start = offset - (len(before) - number.end())
        yield Offer(quantity.unit.text, (start, offset), "unit", f"the unit of {name}")
    yield from _units(file, before[number.end() :], offset)


def _units(file: OpenFile, before: str, offset: int) -> Iterator[Offer]:
    """The unit names that the editor offers for a half-typed word: those of the file first, then all others."""
    span = _typed(before, _TYPED_UNIT, offset)
    word = before[len(before) - (span[1] - span[0]) :]
    own = file.reading.reader.quantities.values()
    own_units = dict.fromkeys(quantity.unit.text for quantity in own if quantity.unit.factors)
    if before == word:
        for text in own_units:
            yield Offer(text, span, "unit", "in this file")
    for name in file.reading.units:
        yield Offer(name, span, "unit", "defined in this file", rank=1)
    for name, dimension in list(beginning(word))[:_MOST]:
        if name not in own_units or before != word:
            yield Offer(name, span, "unit", dimension, rank=2)


def _quantities(file: OpenFile, declarations: Iterable[Declaration], span: Span) -> Iterator[Offer]:
    own = file.reading.reader.quantities
    for quantity in declarations:
        rank = 0 if quantity.name in own else 1
        yield Offer(quantity.name, span, "quantity", f"[{quantity.unit.text or '1'}]", quantity.meaning, rank)


def _used(file: OpenFile, span: Span) -> Iterator[Offer]:
    for name in named_libraries.offers():
        yield Offer(name, span, "library", "an installed library")
    beside = {path.name for path in file.path.parent.glob("*.toml")} if file.path.parent.is_dir() else set()
    beside |= {path.name for path in file.others if path.parent == file.path.parent}
    for name in sorted(beside - {file.path.name}):
        yield Offer(name, span, "file", "a file beside this one")


def _of_keys(file: OpenFile, offset: int) -> Iterator[Offer]:
    """What an editor offers at a place where a key may be written: sections, or the keys of the table there."""
    toml = file.toml
    key = toml.key_at(offset)
    if key is not None:
        entry, (*above, _), span = key
        path, is_new = tuple(above), not entry.is_stated
        if entry.is_header and not path:
            yield from (Offer(name, span, "section", meaning=meaning) for name, meaning in SECTIONS.items())
            return
    else:
        line = toml.text[toml.text.rfind("\n", 0, offset) + 1 : offset]
        inline = any(start < offset <= end for (start, end), _ in toml.tables)
        if line.strip() in ("[", "[["):
            yield from (Offer(name, (offset, offset), "section", meaning=meaning) for name, meaning in SECTIONS.items())
            return
        if (inline and not line.rstrip().endswith(("{", ","))) or (line.strip() and not inline):
            return
        path, span, is_new = toml.table_at(offset), (offset, offset), True
    yield from _keys(file, path, span, " = " if is_new else "")


def _keys(file: OpenFile, path: tuple[str, ...], span: Span, behind: str) -> Iterator[Offer]:
    """The keys that may be written at a place in a table, and names as keys; those that it already has are left out."""
    present = {
        entry.path[-1]
        for entry in file.toml.entries
        if entry.path[:-1] == path and entry.keys and entry.keys[-1] != span
    }
    for name, key in keys_of(path).items():
        if name not in present:
            yield Offer(f"{name}{behind}", span, "key", meaning=key.meaning)
    has_values = (path[:1] == ("profiles",) and len(path) == 2) or path[::2] == ("examples", "given")
    for offer in _quantities(file, file.reading.known.values() if has_values else (), span):
        if offer.text not in present:
            yield Offer(f"{offer.text}{behind}", span, "quantity", offer.detail, offer.meaning, offer.rank)


def _typed(before: str, pattern: re.Pattern[str], offset: int) -> Span:
    """The place of the half-typed name or unit before the editor's cursor, which an offer replaces."""
    word = pattern.search(before)
    return offset - (len(word.group()) if word else 0), offset
