"""What an editor says about the name under the cursor, in Markdown."""

from __future__ import annotations

from contextlib import suppress

from derive.editor.names import Named, named_at
from derive.editor.readings import OpenFile, Reading
from derive.editor.toml_text import Span
from derive.errors import AmbiguousError, DeriveError
from derive.library import Library
from derive.model.relation import Relation
from derive.relation_files.keys import EXAMPLE, FILE, PROFILE, QUANTITY, RELATION, SECTIONS, VALUE, Key
from derive.time_limits import limits
from quantities.declaration import Declaration
from quantities.spelling import parse_unit

__all__ = ["hover", "key_meaning"]

_FORMS = 6  # limit on relations of which closed forms are shown
_SECONDS = 2  # for one closed form

_TABLES: dict[str, dict[str, Key]] = {
    "quantities": {**QUANTITY},
    "relations": {**RELATION},
    "profiles": {**PROFILE, **VALUE},
    "examples": {**EXAMPLE},
}


def hover(file: OpenFile, offset: int) -> tuple[str, Span] | None:
    """What is known of the name at a place, and where that name stands; None if nothing is.

    >>> from pathlib import Path
    >>> text = '[quantities]\\nx = { unit = "m", meaning = "how far" }'
    >>> print(hover(OpenFile(Path("a.toml"), text), 13)[0].splitlines()[0])
    **x** [m]: how far
    """
    named = named_at(file.toml, offset)
    if named is None:
        return None
    said = _said(file.reading, named)
    return (said, named.span) if said else None


def _said(reading: Reading, named: Named) -> str:
    match named.kind:
        case "quantity" if named.name in reading.known:
            return _quantity(reading, reading.known[named.name])
        case "relation" if named.name in reading.relations:
            return _relation(reading.relations[named.name])
        case "profile":
            return _profile(reading, named.name)
        case "unit":
            return _unit(named.name)
        case "key":
            return key_meaning(named.path)
    return ""


def key_meaning(path: tuple[str, ...]) -> str:
    """What a key of a relation file says; empty if there is no such key.

    >>> key_meaning(("relations", "swing", "because"))
    'Why it holds.'
    """
    if len(path) == 1:
        return SECTIONS.get(path[0], "") or (FILE[path[0]].meaning if path[0] in FILE else "")
    key = _TABLES.get(path[0], {}).get(path[-1]) if len(path) > 2 else None
    return key.meaning if key else ""


def _quantity(reading: Reading, quantity: Declaration) -> str:
    lines = [_headed(quantity), ""]
    facts = [f"domain: {quantity.domain.text}"]
    facts += [f"letter: {quantity.latex}"] if quantity.latex else []
    facts += [f"also called {', '.join(quantity.aliases)}"] if quantity.aliases else []
    if quantity.default is not None:
        facts.append(f"default: {quantity.default} ({quantity.default.source})")
    home = reading.declaring(quantity.name)
    if home is not None and home != reading.path:
        facts.append(f"declared in {home.name}")
    holding = [r for r in reading.relations.values() if quantity.name in r.declared and r.is_equation]
    forms = [line for relation in holding[:_FORMS] for line in _forms(relation, quantity.name)]
    lines += [f"- {fact}" for fact in facts]
    lines += ["", *(f"- `{form}` ({name})" for name, form in forms)] if forms else []
    more = len(holding) - _FORMS
    lines += [f"- and {more} more {'relation' if more == 1 else 'relations'}"] if more > 0 else []
    return "\n".join(lines)


def _headed(quantity: Declaration) -> str:
    meaning = f": {quantity.meaning}" if quantity.meaning else ""
    return f"**{quantity.name}** [{quantity.unit.text or '1'}]{meaning}"


def _relation(relation: Relation) -> str:
    lines = [f"**{relation.name}**: `{relation.written}`", ""]
    facts = [("", relation.because), ("source: ", relation.source)]
    facts += [("when ", condition) for condition in relation.when]
    facts += [("within ", f"{relation.approximate:.3g}")] if relation.approximate is not None else []
    lines += [f"- {label}{text}" for label, text in facts if text]
    lines += ["", *(f"- {_headed(quantity)}" for quantity in relation.declared.values())]
    if relation.is_equation:
        forms = [form for name in relation.declared for _, form in _forms(relation, name)]
        lines += ["", *(f"- `{form}`" for form in forms)]
    return "\n".join(lines)


def _forms(relation: Relation, name: str) -> list[tuple[str, str]]:
    """The closed forms of a relation for a quantity, each with the relation's name; none if it has none."""
    if relation.written.written_for == name:
        return [(relation.name, str(relation.written))]
    others = [other for other in relation.declared if other != name]
    try:
        with limits(seconds=_SECONDS):
            plain = Relation.proved(relation.name, relation.written, relation.declared, "", "", (), None, "")
            found = [Library([plain]).formula(name, given=others)]
    except AmbiguousError as error:
        found = list(error.answers)
    except DeriveError:
        found = []
    return [(relation.name, f"{name} = {form}") for form in found]


def _profile(reading: Reading, name: str) -> str:
    if name not in reading.profiles:
        title = reading.profile_titles.get(name, "")
        return f"**{name}**: {title}" if title else ""
    profile = reading.profiles[name]
    lines = [f"**{name}**" + (f": {profile.title}" if profile.title else ""), ""]
    return "\n".join([*lines, *(f"- {quantity} = {value}" for quantity, value in profile.values.items())])


def _unit(text: str) -> str:
    with suppress(DeriveError):
        unit = parse_unit(text)
        return (
            f"**{text or '1'}**: {unit.dimension}, {float(unit.size):.6g} of it" if unit.factors else "a plain number"
        )
    return ""
