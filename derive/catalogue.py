"""The contents of a library as rows and entries: the data behind `derive list` and `derive show`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from derive.errors import DeriveError, unknown
from derive.library import Library
from derive.model.relation import Relation
from derive.planning.incidence import structure_of
from derive.presentation.numbers import attributes
from derive.relation_files.loading import load
from derive.relation_files.offered import Offer, installed, offers, shelved
from derive.search.index import Entry, Hit, Index
from derive.tokens.relations import library as built_in
from derive.tokens.relations import subjects
from derive.tokens.reports.titles import page_titles, titles
from quantities.declaration import Declaration
from quantities.facts import Profile, Profiles
from quantities.spelling import parse_unit
from quantities.value import Source

KINDS = ("quantities", "relations", "profiles")
LISTS = (*KINDS, "reports", "libraries")
LISTED = {
    "quantities": "quantity",
    "relations": "relation",
    "profiles": "profile",
    "reports": "report",
    "libraries": "library",
}
_UNUSED = "no quantity of this library"
_FOUND = 15  # limit on hits by words, and on those by unit
_UNIT_SCORE = 0.3  # of a quantity that is only measured in the unit
_MANY = 60  # rows up to which there are no headings between them


@dataclass(frozen=True, slots=True)
class _ListedLibrary:
    """A library that goes by a name; the counts are None, and the title is the reason, if it cannot be loaded."""

    name: str
    title: str
    relations: int | None
    quantities: int | None
    source: str


def rows(library: Library, kind: str) -> list[tuple[str, ...]]:
    """One row for each entry of a kind, the header first.

    >>> rows(Library(), "quantities")
    [('quantity', 'unit', 'meaning')]
    """
    match kind:
        case "quantities":
            found = [(q.name, q.unit.text or "1", q.meaning) for q in library.declared.values()]
            return [("quantity", "unit", "meaning"), *found]
        case "relations":
            return [("relation", "equation"), *((r.name, str(r.written)) for r in library.relations.values())]
        case "profiles":
            return [("profile", "values", "of"), *_profile_rows(library.profiles)]
        case "reports":
            return [("report", "title"), *_reports().items()]
        case "libraries":
            listed = [tuple("-" if fact is None else str(fact) for fact in astuple(one)) for one in _listed_libraries()]
            return [("library", "title", "relations", "quantities", "source"), *listed]
    raise unknown("list", kind, LISTS)


def mentioning(library: Library, kind: str, words: Sequence[str]) -> list[tuple[str, ...]]:
    """The rows of entries whose name, alias or meaning mentions all of these words; the best match first."""
    _, *found = rows(library, kind)
    if not words:
        return found
    held = {row[0]: row for row in found}
    hits = _index(library, kind == "libraries", kind == "reports").search(" ".join(words), LISTED[kind])
    return [held[hit.entry.name] for hit in hits if hit.whole]


def found(library: Library, words: str) -> list[tuple[str, ...]]:
    """A row for each quantity, relation and profile that the words match: the header, then the best match first.

    >>> from quantities.declaration import Declaration
    >>> found(Library(quantities=[Declaration("token_interval", "s", aliases=["TPOT"])]), "tpot")
    [('kind', 'name', 'unit', 'what it is'), ('quantity', 'token_interval', 's', 'also called TPOT')]
    """
    return [("kind", "name", "unit", "what it is"), *(_found(library, hit) for hit in _nearest(library, words))]


def _nearest(library: Library, words: str) -> list[Hit]:
    """The hits for some words, without those that score much lower than the best, and what is measured in them.

    Words that name a unit, such as `tokens per second`, find the quantities of its dimension too, those in that very
    unit first. They come after those that bear the words, but before them if it is written as units are: `token/s`.
    """
    hits = library.index.search(words)[:_FOUND]
    near = [hit for hit in hits if hit.score > hits[0].score / 2]
    measured = _measured_in(library, words, bool(near))[:_FOUND]
    first, second = (measured, near) if "/" in words and " " not in words.strip() else (near, measured)
    met = {(hit.entry.kind, hit.entry.name) for hit in first}
    return [*first, *(hit for hit in second if (hit.entry.kind, hit.entry.name) not in met)]


def _measured_in(library: Library, words: str, is_met: bool) -> list[Hit]:
    """The quantities of the dimension of a unit; of a single word only if nothing bears it."""
    try:
        unit = parse_unit(words)
    except DeriveError:
        return []
    if not unit.dimension or (is_met and len(unit.factors) < 2):
        return []
    alike = [quantity for quantity in library.declared.values() if quantity.dimension == unit.dimension]
    alike.sort(key=lambda quantity: quantity.unit.size != unit.size)
    return [Hit(Entry("quantity", one.name, one.meaning, one.aliases), _UNIT_SCORE, False) for one in alike]


def _found(library: Library, hit: Hit) -> tuple[str, ...]:
    entry = hit.entry
    called = f"also called {hit.called}" if hit.called else ""
    match entry.kind:
        case "quantity":
            said, unit = entry.meaning, library.declared[entry.name].unit.text or "1"
        case "relation":
            said, unit = str(library.relations[entry.name].written), ""
        case _:
            said, unit = entry.meaning, ""
    return entry.kind, entry.name, unit, "; ".join(part for part in (said, called) if part)


def grouped(library: Library, kind: str, found: Sequence[tuple[str, ...]]) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Rows under headings if they are many: the subjects of the built-in library, in its order."""
    if len(found) <= _MANY or kind not in ("quantities", "relations"):
        return [("", list(found))]
    headings = _headings(library)
    if kind == "quantities":
        headings = _spread(library, headings)
    groups: dict[str, list[tuple[str, ...]]] = {"": [], **{heading: [] for heading in headings.values()}}
    for row in found:
        groups[headings.get(row[0], "")].append(row)
    return [(heading, group) for heading, group in groups.items() if group]


def _headings(library: Library) -> dict[str, str]:
    """The heading of each relation of the built-in library: the title of its file."""
    found: dict[str, str] = {}
    whole = built_in().relations
    for subject in subjects().values():
        held = [name for name in subject.relations if name in library.relations]
        found.update((n, subject.title) for n in held if library.relations[n].states_the_same(whole[n]))
    return found


def _spread(library: Library, headings: dict[str, str]) -> dict[str, str]:
    """The heading of each quantity: that of the first relation written for it, or else of the first that has it."""
    forward = dict(structure_of(library).forward)
    written = {name: headings[relation] for relation, name in reversed(forward.items()) if relation in headings}
    held = {name: headings[r] for r in reversed(headings) for name in library.relations[r].declared}
    merged = {**held, **written}
    order = list(dict.fromkeys(headings.values()))
    return dict(sorted(merged.items(), key=lambda entry: order.index(entry[1])))


def entries(library: Library, name: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Every entry with a name: for each a heading, and its lines as label and text, without those that say nothing."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    if name in library.declared:
        found.append((f"quantity {name}", _quantity(library.declared[name], library)))
    if name in library.relations:
        found.append((f"relation {name}", _relation(library.relations[name])))
    if name in library.profiles:
        profile = library.profiles[name]
        found.append((f"profile {profile.name}", _profile(profile, library)))
    if name in _reports():
        kind = "page" if name in page_titles() else "report"
        found.append((f"{kind} {name}", [("title", _reports()[name]), ("written by", f"derive report {name}")]))
    if not found or shelved(name):
        found += [(f"library {name}", _library(one)) for one in _listed_libraries(name)]
    if not found and ":" in name:
        library.profile(name)  # raises an error that lists the choices
    if not found:
        raise _index(library, True, True).unknown("entry", name)
    return [(heading, [(label, text) for label, text in lines if text]) for heading, lines in found]


def _listed_libraries(*names: str) -> Iterator[_ListedLibrary]:
    """These libraries, or all; a name that is none is left out.

    >>> next(_listed_libraries("pipes"))
    _ListedLibrary(name='pipes', title='Flow in pipes', relations=44, quantities=70, source='derive-engine')
    """
    for name, offered in offers().items():
        if not names or name in names:
            for offer in offered:
                yield _loaded(offer)


def _loaded(offer: Offer) -> _ListedLibrary:
    try:
        library = load(offer.place) if isinstance(offer.place, Path) else installed(offer.name)
    except DeriveError as error:
        return _ListedLibrary(offer.name, str(error), None, None, offer.source)
    return _ListedLibrary(offer.name, library.title, len(library.relations), len(library.declared), offer.source)


def _library(one: _ListedLibrary) -> list[tuple[str, str]]:
    held = "" if one.relations is None else f"{one.relations} relations over {one.quantities} quantities"
    asked = f"derive solve ... --library {one.name}"
    return [("title", one.title), ("holds", held), ("comes with", one.source), ("asked by", asked)]


def _reports() -> dict[str, str]:
    """The titles of the reports, and of the pages with sliders that are written with them."""
    return titles() | page_titles()


def _index(library: Library, is_of_libraries: bool, is_of_reports: bool = False) -> Index:
    """The search index of the library and the reports; if asked, also of libraries by name, all of which are read, and
    of the pages that are written with the reports.
    """
    known = _reports() if is_of_reports else titles()
    reports = (Entry("report", name, title, rank=0.9) for name, title in known.items())
    named = _listed_libraries() if is_of_libraries else ()
    others = (Entry("library", one.name, one.title, rank=0.9) for one in named)
    return Index([*library.index.entries, *reports, *others])


def _quantity(quantity: Declaration, library: Library) -> list[tuple[str, str]]:
    used = [str(r.written) for r in library.relations.values() if quantity.name in r.declared]
    lines = [
        ("meaning", quantity.meaning),
        ("also", ", ".join(quantity.aliases)),
        ("unit", quantity.unit.text or "1"),
        ("measures", str(quantity.dimension)),
        ("domain", quantity.domain.text),
        ("letter", quantity.latex),
    ]
    if quantity.seen is not None:
        ends = " to ".join(text for text in (quantity.seen.least, quantity.seen.most) if text)
        lines.append(("seen", f"{'' if quantity.seen.least else 'up to '}{ends} ({quantity.seen.source})"))
    if quantity.default is not None:
        lines += [("default", str(quantity.default)), ("source", str(quantity.default.source))]
    return [*lines, *(("used in", equation) for equation in used)]


def _relation(relation: Relation) -> list[tuple[str, str]]:
    tolerance = "" if relation.approximate is None else f"within {relation.approximate:.3g}"
    return [
        ("states", str(relation.written)),
        ("because", relation.because),
        ("source", relation.source),
        *(("when", condition) for condition in relation.when),
        ("holds", tolerance),
        ("neglects", relation.neglects),
        *(("where", f"{q.name} [{q.unit}]  {q.meaning}".rstrip()) for q in relation.declared.values()),
    ]


def _profile(profile: Profile, library: Library) -> list[tuple[str, str]]:
    """The title of a profile, its values, and those of each choice; the most common source is named once."""
    values = dict(profile.values)
    for choice in library.profiles.choices(profile.name):
        chosen = library.profiles[f"{profile.name}:{choice}"].values
        values |= {f"{name} at {choice}": chosen[name] for name in chosen if name not in profile.values}
    counts = Counter(value.source for value in values.values())
    common = next((source for source, count in counts.most_common(1) if count > 2), None)
    lines = [("is", profile.title), ("note", profile.note), ("source", _sourced(common) if common else "")]
    for name, value in values.items():
        text = str(value) if value.source == common else f"{value}  ({_sourced(value.source)})"
        lines.append((name, text if name.partition(" ")[0] in library.declared else f"{text}  [{_UNUSED}]"))
    return lines


def _sourced(source: Source) -> str:
    return f"{source.kind}: {source}"


def _profile_rows(profiles: Profiles) -> list[tuple[str, ...]]:
    """A row for each profile, which also lists its choices, such as precisions."""
    found: list[tuple[str, ...]] = []
    for profile in profiles.values():
        base, colon, _ = profile.name.partition(":")
        if not (colon and base in profiles):
            choices = ", ".join(profiles.choices(profile.name))
            text = profile.title or ", ".join(profile.values)
            found.append((profile.name, str(len(profile.values)), f"{text}; at {choices}" if choices else text))
    return found


def as_data(library: Library, kind: str, name: str = "") -> list[dict[str, Any]]:
    """The entries of a kind, or those with a name, as plain data for programs."""
    makers: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "quantities": lambda: [
            {
                "name": q.name,
                "unit": q.unit.text,
                "meaning": q.meaning,
                **({"aliases": list(q.aliases)} if q.aliases else {}),
                "latex": q.latex,
                "domain": q.domain.text,
                "default": None if q.default is None else str(q.default),
            }
            for q in library.declared.values()
        ],
        "relations": lambda: [
            {
                "name": r.name,
                "equation": str(r.written),
                **attributes(r, "because", "source", "when", "approximate"),
                **({"neglects": r.neglects} if r.neglects else {}),
                "quantities": list(r.declared),
            }
            for r in library.relations.values()
        ],
        "profiles": lambda: [
            {
                "name": p.name,
                **({"title": p.title, "note": p.note} if p.title or p.note else {}),
                "values": {
                    name: {"value": str(value), "kind": value.source.kind, "source": str(value.source)}
                    for name, value in p.values.items()
                },
            }
            for p in library.profiles.values()
        ],
        "reports": lambda: [{"name": name, "title": title} for name, title in _reports().items()],
        "libraries": lambda: [asdict(one) for one in (_listed_libraries(name) if name else _listed_libraries())],
    }
    if kind not in makers:
        raise unknown("list", kind, LISTS)
    return [entry for entry in makers[kind]() if not name or entry["name"] == name]


def found_data(library: Library, words: str) -> list[dict[str, Any]]:
    """The hits for some words as plain data, the best first, with the score and the alias that matched."""
    return [
        {
            **attributes(hit.entry, "kind", "name", "meaning"),
            "alias": hit.called,
            "score": round(hit.score, 3),
        }
        for hit in _nearest(library, words)
    ]
