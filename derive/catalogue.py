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
from derive.presentation.plain_data import attributes
from derive.relation_files.loading import load
from derive.relation_files.named_libraries import Offer, installed, offers, shelved
from derive.search_index import Entry, Hit, Index
from derive.tokens.relations import library as built_in
from derive.tokens.relations import subjects
from derive.tokens.reports.titles import page_titles, titles
from quantities.declaration import Declaration
from quantities.profiles import Profile, Profiles
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
    """The contents of a library as rows: one for each entry of a kind, the header first.

    >>> rows(Library(), "quantities")
    [('quantity', 'unit', 'meaning')]
    """
    match kind:
        case "quantities":
            quantities = [(q.name, q.unit.text or "1", q.meaning) for q in library.declared.values()]
            return [("quantity", "unit", "meaning"), *quantities]
        case "relations":
            return [("relation", "equation"), *((r.name, str(r.written)) for r in library.relations.values())]
        case "profiles":
            return [("profile", "values", "of"), *_profile_rows(library.profiles)]
        case "reports":
            return [("report", "title"), *_reports().items()]
        case "libraries":
            listed = map(astuple, _listed_libraries())
            cells = [tuple("-" if fact is None else str(fact) for fact in facts) for facts in listed]
            return [("library", "title", "relations", "quantities", "source"), *cells]
    raise unknown("list", kind, LISTS)


def mentioning(library: Library, kind: str, words: Sequence[str]) -> list[tuple[str, ...]]:
    """The rows of catalogue entries whose name, alias or meaning mentions all of these words; the best match first."""
    _, *listed = rows(library, kind)
    if not words:
        return listed
    by_name = {row[0]: row for row in listed}
    index = _index(library, has_libraries=kind == "libraries", has_pages=kind == "reports")
    hits = index.search(" ".join(words), LISTED[kind])
    return [by_name[hit.entry.name] for hit in hits if hit.whole]


def matching(library: Library, words: str) -> list[tuple[str, ...]]:
    """A catalogue row for each quantity, relation and profile that the words match: the header, then the best match.

    >>> from quantities.declaration import Declaration
    >>> matching(Library(quantities=[Declaration("token_interval", "s", aliases=["TPOT"])]), "tpot")
    [('kind', 'name', 'unit', 'what it is'), ('quantity', 'token_interval', 's', 'also called TPOT')]
    """
    return [("kind", "name", "unit", "what it is"), *(_row_of(library, hit) for hit in _nearest(library, words))]


def _nearest(library: Library, words: str) -> list[Hit]:
    """The hits for the words of a catalogue's query, without those that score much lower, and what is measured in them.

    Words that name a unit, such as `tokens per second`, find the quantities of its dimension too, those in that very
    unit first. They come after those that bear the words, but before them if it is written as units are: `token/s`.
    """
    hits = library.index.search(words)[:_FOUND]
    named = [hit for hit in hits if hit.score > hits[0].score / 2]
    measured = _measured_in(library, words, is_name=bool(named))[:_FOUND]
    first, second = (measured, named) if "/" in words and " " not in words.strip() else (named, measured)
    ranked = {(hit.entry.kind, hit.entry.name) for hit in first}
    return [*first, *(hit for hit in second if (hit.entry.kind, hit.entry.name) not in ranked)]


def _measured_in(library: Library, words: str, is_name: bool) -> list[Hit]:
    """The quantities of the dimension of a unit; if the unit is a single word, only if nothing bears that name."""
    try:
        unit = parse_unit(words)
    except DeriveError:
        return []
    if not unit.dimension or (is_name and len(unit.factors) < 2):
        return []
    alike = [quantity for quantity in library.declared.values() if quantity.dimension == unit.dimension]
    alike.sort(key=lambda quantity: quantity.unit.size != unit.size)
    return [Hit(Entry("quantity", q.name, q.meaning, q.aliases), _UNIT_SCORE, whole=False) for q in alike]


def _row_of(library: Library, hit: Hit) -> tuple[str, ...]:
    """The row of a library's entry that a search found: its kind, name, unit, and meaning or equation."""
    entry = hit.entry
    called = f"also called {hit.called}" if hit.called else ""
    text, unit = entry.meaning, ""
    if entry.kind == "quantity":
        unit = library.declared[entry.name].unit.text or "1"
    elif entry.kind == "relation":
        text = str(library.relations[entry.name].written)
    return entry.kind, entry.name, unit, "; ".join(part for part in (text, called) if part)


def grouped(library: Library, kind: str, listed: Sequence[tuple[str, ...]]) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The rows of a library's contents, if many under headings: the subjects of the built-in library, in its order."""
    if len(listed) <= _MANY or kind not in ("quantities", "relations"):
        return [("", list(listed))]
    headings = _headings(library)
    if kind == "quantities":
        headings = _quantity_headings(library, headings)
    groups: dict[str, list[tuple[str, ...]]] = {"": [], **{heading: [] for heading in headings.values()}}
    for row in listed:
        groups[headings.get(row[0], "")].append(row)
    return [(heading, group) for heading, group in groups.items() if group]


def _headings(library: Library) -> dict[str, str]:
    """The catalogue's heading of each relation of the built-in library: the title of its file."""
    headings: dict[str, str] = {}
    originals = built_in().relations
    for subject in subjects().values():
        for name in subject.relations:
            # a user's relation may bear the name of another of the built-in library
            if name in library.relations and library.relations[name].states_the_same(originals[name]):
                headings[name] = subject.title
    return headings


def _quantity_headings(library: Library, headings: dict[str, str]) -> dict[str, str]:
    """The catalogue's heading of each quantity: that of the first relation written for it, or else that has it."""
    forward = dict(structure_of(library).forward)
    written = {name: headings[relation] for relation, name in reversed(forward.items()) if relation in headings}
    containing = {name: headings[r] for r in reversed(headings) for name in library.relations[r].declared}
    merged = {**containing, **written}
    order = list(dict.fromkeys(headings.values()))
    return dict(sorted(merged.items(), key=lambda entry: order.index(entry[1])))


def entries(library: Library, name: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Every catalogue entry with a name: for each a heading, and its lines as label and text, if they say anything."""
    sections: list[tuple[str, list[tuple[str, str]]]] = []
    if name in library.declared:
        sections.append((f"quantity {name}", _quantity(library.declared[name], library)))
    if name in library.relations:
        sections.append((f"relation {name}", _relation(library.relations[name])))
    if name in library.profiles:
        profile = library.profiles[name]
        sections.append((f"profile {profile.name}", _profile(profile, library)))
    if name in _reports():
        kind = "page" if name in page_titles() else "report"
        sections.append((f"{kind} {name}", [("title", _reports()[name]), ("written by", f"derive report {name}")]))
    if not sections or shelved(name):
        sections += [(f"library {name}", _library(listed)) for listed in _listed_libraries(name)]
    if not sections and ":" in name:
        library.profile(name)  # raises an error that lists the choices
    if not sections:
        raise _index(library, has_libraries=True, has_pages=True).unknown("entry", name)
    return [(heading, [(label, text) for label, text in lines if text]) for heading, lines in sections]


def _listed_libraries(*names: str) -> Iterator[_ListedLibrary]:
    """The libraries as entries of the catalogue: those of these names, or all; a name that is none is left out.

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


def _library(library: _ListedLibrary) -> list[tuple[str, str]]:
    contents = (
        "" if library.relations is None else f"{library.relations} relations over {library.quantities} quantities"
    )
    usage = f"derive solve ... --library {library.name}"
    return [("title", library.title), ("holds", contents), ("comes with", library.source), ("asked by", usage)]


def _reports() -> dict[str, str]:
    """The rows of the catalogue for reports, each with name and title, and for their pages with sliders."""
    return titles() | page_titles()


def _index(library: Library, *, has_libraries: bool, has_pages: bool) -> Index:
    """Index the library and the reports; if asked, also all libraries (each is loaded) and the pages with sliders."""
    written = _reports() if has_pages else titles()
    reports = (Entry("report", name, title, rank=0.9) for name, title in written.items())
    named = _listed_libraries() if has_libraries else ()
    others = (Entry("library", listed.name, listed.title, rank=0.9) for listed in named)
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
    """The catalogue entry of a profile: its title, values, and those of each choice; the most common source once."""
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
    """A row of the catalogue for each profile, which also lists its choices, such as precisions."""
    summaries: list[tuple[str, ...]] = []
    for profile in profiles.values():
        base, colon, _ = profile.name.partition(":")
        if not (colon and base in profiles):
            choices = ", ".join(profiles.choices(profile.name))
            text = profile.title or ", ".join(profile.values)
            summaries.append((profile.name, str(len(profile.values)), f"{text}; at {choices}" if choices else text))
    return summaries


def as_data(library: Library, kind: str, name: str = "") -> list[dict[str, Any]]:
    """The catalogue's entries of a kind, or those with a name, as plain data for programs."""
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
        "libraries": lambda: [asdict(listed) for listed in (_listed_libraries(name) if name else _listed_libraries())],
    }
    if kind not in makers:
        raise unknown("list", kind, LISTS)
    return [entry for entry in makers[kind]() if not name or entry["name"] == name]


def matching_data(library: Library, words: str) -> list[dict[str, Any]]:
    """The entries that match some words, as plain data for a list: the best first, with score and matched alias."""
    return [
        {**attributes(hit.entry, "kind", "name", "meaning"), "alias": hit.called, "score": round(hit.score, 3)}
        for hit in _nearest(library, words)
    ]
