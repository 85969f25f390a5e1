"""Facts: profiles from files of sourced values, each read on first use.

A file is TOML, with one table for each profile. `title` and `note` are text, `also` lists other names, and `source`,
`as_of` and `kind` apply to every value that does not state its own. A value is a text, or a table of `value` and its
own `source`, `as_of`, `kind`, a `range`, and the `reason` for it. A table without `value` has one value for each
choice: `peak_compute.fp8` belongs to the profile `chip:fp8`. `[choices]` states what a choice assumes about other
quantities, and `[sources]` the full text of each source's abbreviation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from quantities.errors import DeriveError, ExpressionError
from quantities.profiles import Label, Profile
from quantities.source import Source
from quantities.texts import read
from quantities.value import Value, read_value

__all__ = ["SAID", "Facts", "by_choice"]

SAID = ("title", "note", "also", "source", "as_of", "kind")
"""The keys of a profile's table that are not values."""


class Facts(Mapping[str, Profile]):
    """The profiles of some files of `quantities/values`, by name.

    >>> chips = Facts("accelerators")
    >>> str(chips["h100-sxm"].values["hbm_bandwidth"]), str(chips["h100-sxm:fp8"].values["peak_compute"])
    ('3.35 TB/s/chip', '1978.9 TFLOP/s/chip')
    """

    def __init__(self, *names: str) -> None:
        self._files = tuple(_File(name) for name in names)
        self._made: dict[str, Profile] = {}

    def __getitem__(self, name: str) -> Profile:
        for file in self._files:
            base, colon, choice = name.partition(":")
            base = file.aliases.get(base, base)
            if base in file.tables and (not colon or choice in _choices(file.tables[base])):
                whole = f"{base}{colon}{choice}"
                if whole not in self._made:
                    self._made[whole] = file.profile(base, choice)
                return self._made[whole]
        raise KeyError(name)

    def list_of(self, name: str) -> str:
        """The name of the list that a profile stands in, which says what kind of thing it is; empty if in none.

        >>> Facts("models", "accelerators").list_of("h100-sxm:fp8")
        'accelerators'
        """
        base = name.partition(":")[0]
        return next((file.name for file in self._files if file.aliases.get(base, base) in file.tables), "")

    def labels(self) -> dict[str, Label]:
        """The titles and the other names of all profiles; their values are not read."""
        tables = [(name, table) for file in self._files for name, table in file.tables.items()]
        return {name: Label(table.get("title", ""), tuple(table.get("also", ()))) for name, table in tables}

    def __iter__(self) -> Iterator[str]:
        for file in self._files:
            for name, table in file.tables.items():
                yield from (name, *(f"{name}:{choice}" for choice in _choices(table)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Facts) and self._names == other._names

    def __hash__(self) -> int:
        return hash(self._names)

    def __reduce__(self) -> tuple[type[Facts], tuple[str, ...]]:
        return Facts, self._names

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(file.name for file in self._files)


class _File:
    """One file, read on first use."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def data(self) -> dict[str, Any]:
        import tomli

        text = read("values", f"{self.name}.toml")
        return tomli.loads(text)

    @cached_property
    def tables(self) -> dict[str, dict[str, Any]]:
        return {name: table for name, table in self.data.items() if name not in ("sources", "choices")}

    @cached_property
    def aliases(self) -> dict[str, str]:
        return {other: name for name, table in self.tables.items() for other in table.get("also", ())}

    def profile(self, name: str, choice: str) -> Profile:
        """A profile, or the additions of a choice to it."""
        table = self.tables[name]
        stated = {key: said for key, said in table.items() if key not in SAID}
        if choice:
            chosen = {key: said[choice] for key, said in stated.items() if by_choice(said) and choice in said}
            return Profile(
                f"{name}:{choice}", self._values(name, chosen, table), goes_with=self._assumed(choice, chosen)
            )
        plain = {key: said for key, said in stated.items() if not by_choice(said)}
        return Profile(name, self._values(name, plain, table), table.get("title", ""), table.get("note", ""))

    def _assumed(self, choice: str, chosen: Iterable[str]) -> dict[str, dict[str, Value]]:
        """What a choice assumes about other quantities, for each value that depends on it."""
        others = {other: read_value(text) for other, text in self.data.get("choices", {}).get(choice, {}).items()}
        return dict.fromkeys(chosen, others) if others else {}

    def _values(self, name: str, stated: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Value]:
        try:
            return {key: self._value(said, table) for key, said in stated.items()}
        except KeyError as error:
            what = f"values/{self.name}.toml, {name}: a value has no {error.args[0]}."
            raise ExpressionError(what, hint="State it for the value, or for the whole profile.") from None
        except DeriveError as error:
            error.what = f"values/{self.name}.toml, {name}: {error.what}"
            raise

    def _value(self, said: Any, table: Mapping[str, Any]) -> Value:
        own = said if isinstance(said, dict) else {"value": said}
        facts = {**{key: table[key] for key in ("source", "as_of", "kind") if key in table}, **own}
        text = "; ".join(self._written_out(part) for part in facts["source"].split("; "))
        source = Source(text, facts["kind"], date=facts["as_of"], note=facts.get("reason", ""))
        value = read_value(facts["value"])
        return (value.between(read_value(facts["range"])) if "range" in facts else value).sourced(source)

    def _written_out(self, source: str) -> str:
        """A source with its abbreviation written out; a file or a remark may follow a colon."""
        key, colon, rest = source.partition(": ")
        return f"{self.data.get('sources', {}).get(key, key)}{colon}{rest}"


def by_choice(said: Any) -> bool:
    """Whether an entry of a profile has a value for each choice."""
    return isinstance(said, dict) and "value" not in said


def _choices(table: Mapping[str, Any]) -> tuple[str, ...]:
    """The choices that a profile leaves open, in order."""
    found = (choice for key, said in table.items() if key not in SAID and by_choice(said) for choice in said)
    return tuple(dict.fromkeys(found))
