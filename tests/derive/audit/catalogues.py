"""The built-in library with another catalogue."""

from __future__ import annotations

import derive
from derive.library import Library
from quantities.profiles import Profile, Profiles
from quantities.value import read_value


def changed(name, **values):
    """The library with some values of a profile replaced."""
    llm = derive.llm
    profile = llm.profiles[name]
    replaced = {**profile.values, **{key: read_value(text) for key, text in values.items()}}
    profiles = Profiles([Profile(name, replaced, profile.title)], llm.profiles.shelves)
    return Library(llm.relations.values(), llm.quantities.values(), profiles, llm.title)
