"""The names that a shell may complete: quantities with their units, relations, profiles, reports.

A shell waits for them at every press of a key, so they are kept in the user's cache folder and read without sympy,
pint or the library itself. The names of relation files on the command line are read from their TOML.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from derive.cache_folder import entry, keep, recalled, sources

__all__ = ["Names", "built_in", "of_files"]

Names = dict[str, dict[str, str]]
"""For each kind of entry its names, those of quantities with their units."""


def built_in() -> Names:
    """The names of the built-in library.

    >>> built_in()["quantities"]["batch"]
    'sequence'
    """
    path = entry(("names for completion",), sources(), ())
    held = None if path is None else recalled(path)
    if held is not None:
        found: Names = json.loads(held)
        return found
    from derive.tokens.relations import library
    from derive.tokens.reports import page_shelf
    from derive.tokens.reports.titles import titles

    whole = library()
    names: Names = {
        "quantities": {name: one.unit.text for name, one in whole.declared.items()},
        "relations": dict.fromkeys(whole.relations, ""),
        "profiles": {choice: "" for name in whole.profiles for choice in (name, *whole.profiles.choices(name))},
        "reports": {**titles(), **page_shelf.titles()},
    }
    if path is not None:
        keep(path, json.dumps(names).encode())
    return names


def of_files(paths: Sequence[str]) -> Names:
    """The names that relation files declare; a file that cannot be read declares none."""
    import tomli

    names: Names = {"quantities": {}, "relations": {}, "profiles": {}, "reports": {}}
    for path in filter(os.path.isfile, paths):
        try:
            with open(path, "rb") as file:
                data: dict[str, Any] = tomli.load(file)
        except (OSError, ValueError, RecursionError):
            continue
        for kind in ("quantities", "relations", "profiles"):
            held = data.get(kind)
            for name, one in held.items() if isinstance(held, dict) else ():
                unit = one.get("unit") if isinstance(one, dict) else None
                names[kind][name] = unit if isinstance(unit, str) else ""
    return names
