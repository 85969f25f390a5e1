"""Libraries that go by a name: the relation files that come with this package, and what installed packages offer.

`--library pipes`, `derive.load("pipes")` and `uses = ["pipes"]` name the file `pipes.toml` of the folder
`derive/engineering`. A package offers a library of its own under the entry point `derive.libraries`: a function that
returns it. A name is letters, digits, `-` and `_`; anything else is a path. A file in the current folder with the very
name of a library is refused, because either could be meant; so is a name that two packages offer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from derive.errors import ExpressionError, unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from derive.library import Library

_SHELF = Path(__file__).parents[1] / "engineering"
_OFFERED = "derive.libraries"
_NAME = re.compile(r"[A-Za-z][\w-]*")


@dataclass(frozen=True, slots=True)
class Offer:
    """A library that goes by a name, and where it comes from: a file of this package, or a function of any."""

    name: str
    source: str  # the distribution that it comes with
    place: Path | EntryPoint


def is_name(text: str) -> bool:
    """Whether a text could be the name by which a library is offered: it is no path and no relation file.

    >>> [is_name(text) for text in ("heat-pumps", "pipes.toml", "./pipes", "")]
    [True, False, False, False]
    """
    return _NAME.fullmatch(text) is not None


def shelved(name: str) -> Path | None:
    """The relation file of a library that comes with this package under this name; None if there is none.

    >>> shelved("pipes").name, shelved("pipe")
    ('pipes.toml', None)
    """
    path = _SHELF / f"{name}.toml"
    return path if is_name(name) and os.path.isfile(path) else None


def meant(source: str) -> Path:
    """The relation file that a name or a path means: that of a library of this package, or the one at the path."""
    path = shelved(source)
    if path and os.path.isfile(source):
        what = f"{source} is a library, and also the name of a file in this folder."
        raise ExpressionError(what, hint=f"Write ./{source} for the file; rename it to ask the library.", text=source)
    return path or Path(source)


def offers() -> Mapping[str, tuple[Offer, ...]]:
    """All libraries offered by a name, by this package or an installed one; a name of several packages has several.

    >>> [offer.source for offer in offers()["pipes"]]
    ['derive-engine']
    """
    from importlib.metadata import entry_points  # slow to import, and the built-in files use only files

    import quantities

    offers: dict[str, tuple[Offer, ...]] = {}
    for path in sorted(_SHELF.glob("*.toml")):
        offers[path.stem] = (Offer(path.stem, quantities.DISTRIBUTION, path),)
    for entry in sorted(entry_points(group=_OFFERED), key=lambda entry: (entry.name, entry.value)):
        source = entry.dist.name if entry.dist else entry.value
        before = offers.get(entry.name, ())
        if all(offer.place != entry for offer in before):  # one folder may be on the path twice
            offers[entry.name] = (*before, Offer(entry.name, source, entry))
    return dict(sorted(offers.items()))


def installed(name: str) -> Library:
    """The library of this name that an installed package offers by an entry point.

    >>> installed("llm").title
    'The economics of a token'
    >>> installed("lmm")
    Traceback (most recent call last):
        ...
    quantities.errors.UnknownNameError: There is no library 'lmm'. There are beams, channels, circuits, heat-pumps,
    heat-transfer, llm, materials, pipes, rectangular-beams, round-beams.
    """
    known = offers()
    if name not in known:
        error = unknown("library", name, list(known))
        if not error.suggestions:
            error.hint = f"There are {', '.join(known)}."
        raise error
    if len(known[name]) > 1:
        sources = " and ".join(dict.fromkeys(offer.source for offer in known[name]))
        raise ExpressionError(f"Several packages offer a library {name}: {sources}.", hint="Uninstall one.", text=name)
    (offer,) = known[name]
    assert not isinstance(offer.place, Path)
    return _loaded(offer, offer.place)


def _loaded(offer: Offer, entry: EntryPoint) -> Library:
    """The library that a package's entry point returns; a failure is an error that names the package."""
    from derive.library import Library

    try:
        library = entry.load()()
    except Exception as error:  # the code is not ours
        what = f"The library {offer.name} of {offer.source} cannot be loaded: {type(error).__name__}: {error}."
        raise ExpressionError(what, hint=f"See {entry.value} in that package.", text=offer.name) from error
    if not isinstance(library, Library):
        what = f"The library {offer.name} of {offer.source} is a {type(library).__name__}."
        raise ExpressionError(what, hint=f"{entry.value} has to return a derive.Library.", text=offer.name)
    return library
