"""What is printed as TOML says, read again, what the library said."""

from __future__ import annotations

import pytest

import derive
from derive.relation_files.writing import written
from tests.derive.random_libraries import hidden


def again(library: derive.Library) -> derive.Library:
    names = dict.fromkeys([*library.declared, *library.relations, *library.profiles])
    return derive.load("\n\n".join(table for name in names for table in written(library, name)))


def test_the_built_in_library_is_read_again_as_it_is():
    library = again(derive.llm)
    assert {n: d.said for n, d in library.declared.items()} == {n: d.said for n, d in derive.llm.declared.items()}
    assert library.relations.keys() == derive.llm.relations.keys()
    for name, relation in derive.llm.relations.items():
        other = library.relations[name]
        assert other.states_the_same(relation), name
        assert (other.because, other.source, other.approximate) == (
            relation.because,
            relation.source,
            relation.approximate,
        )
    assert {*library.profiles} == {*derive.llm.profiles}
    for name, profile in derive.llm.profiles.items():
        found = library.profiles[name]
        assert (found.title, found.note) == (profile.title, profile.note)
        for key, value in ((key, value) for key, value in profile.values.items() if key in derive.llm.declared):
            held = found.values[key]
            assert (held.base, held.source) == (value.base, value.source), (name, key)


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random_libraries_are_read_again_as_they_are(start):
    for seed in range(start, start + 20):
        library = hidden(seed).library
        other = again(library)
        assert {n: str(r) for n, r in other.relations.items()} == {n: str(r) for n, r in library.relations.items()}
        assert all(other.relations[n].states_the_same(r) for n, r in library.relations.items())
        assert {n: d.said for n, d in other.declared.items()} == {n: d.said for n, d in library.declared.items()}


@pytest.mark.parametrize(
    "stated", ['value = "2..6 m"', 'value = "4 m", range = "2..6 m"', 'value = "3 m", range = "2..6 m"']
)
def test_a_range_reads_back_as_it_was_stated(stated):
    read = derive.load(f'[quantities]\nlength = {{ unit = "m", {stated} }}\n')
    again = derive.load("\n".join(written(read, "length")) + "\n")
    assert again.declared["length"].default == read.declared["length"].default
