"""An index finds what it holds, ranks it, and proposes nothing that is far from what was asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import UnknownNameError
from derive.search_index import Entry, Index, fold

TEXT = """
[quantities]
token_interval = { unit = "s", meaning = "time between two tokens", aliases = ["TPOT", "ITL", "seconds per token"] }
length = { unit = "m", meaning = "of the string", aliases = ["size", "TPOT of the pendulum"] }
size = { unit = "m**2", meaning = "area of the plate" }
width = { unit = "m", aliases = ["breadth"] }
depth = { unit = "m", aliases = ["breadth"] }
[profiles.clock]
length = "0.994 m"
"""
LIBRARY = derive.load(TEXT)


def found(words: str) -> list[str]:
    return [hit.entry.name for hit in LIBRARY.index.search(words)]


def asked(name: str) -> UnknownNameError:
    with pytest.raises(UnknownNameError) as caught:
        LIBRARY.quantity(name)
    return caught.value


def test_aliases_of_a_file_are_kept_with_the_quantity():
    assert LIBRARY.declared["token_interval"].aliases == ("TPOT", "ITL", "seconds per token")
    assert LIBRARY.quantities["width"].aliases == ("breadth",)


@pytest.mark.parametrize(
    ("aliases", "hint"),
    [('"TPOT"', 'Write aliases = ["TPOT"].'), ("[3]", "Write aliases"), ('[""]', "Write aliases"), ("3", "Write")],
)
def test_aliases_are_a_list_of_words(aliases, hint):
    (problem,) = derive.check(f'[quantities]\nx = {{ unit = "s", aliases = {aliases} }}')
    assert problem.line == 2
    assert "aliases is not a list of words" in problem.message
    assert problem.hint.startswith(hint)


def test_two_libraries_together_know_the_aliases_of_both():
    other = derive.load('[quantities]\nwidth = { unit = "m", aliases = ["breadth", "across"] }')
    assert (LIBRARY | other).declared["width"].aliases == ("breadth", "across")


def test_an_alias_names_nothing_in_a_relation_and_is_suggested():
    (problem,) = derive.check(TEXT + '[relations.r]\nequation = "TPOT = 2*token_interval"')
    assert "TPOT is called token_interval here." in problem.hint


def test_an_alias_is_suggested_for_a_given_and_for_a_target():
    assert str(asked("tpots")) == "There is no quantity 'tpots'. tpots is called token_interval here."
    with pytest.raises(UnknownNameError, match="TPOT is called token_interval here"):
        LIBRARY.solve("length", TPOT="3 s")


def test_a_name_goes_before_an_alias_that_is_the_same():
    assert LIBRARY.quantity("size").name == "size"
    assert found("size")[:2] == ["size", "length"]


def test_two_quantities_that_share_an_alias_are_both_suggested():
    assert asked("breadth").suggestions == ("width", "depth")


def test_a_name_in_another_spelling_is_not_said_to_be_an_alias():
    assert asked("TokenInterval").hint == "Did you mean token_interval?"


@pytest.mark.parametrize("name", ["zzz", "kitchen", "", "?", "x" * 10_000, "\x00"])
def test_nonsense_is_answered_with_what_there_is(name):
    assert asked(name).suggestions == ()


@given(st.text(max_size=40))
def test_whatever_is_asked_is_answered_with_entries_best_first(text):
    hits = LIBRARY.index.search(text)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len({id(hit.entry) for hit in hits}) == len(hits)
    assert all(0 < score < 1.1 for score in scores)


@given(st.text(max_size=40))
def test_words_in_one_form_stay_in_it(text):
    assert fold(text) == fold(text.replace("_", "-"))
    assert all(word == word.casefold() for word in fold(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("utilisation", "Utilizations"),
        ("parallelised", "parallelized"),
        ("colours", "color"),
        ("centres", "center"),
        ("modelling", "modeling"),
        ("caches", "caching"),
        ("matrices", "matrix"),
        ("queries", "query"),
        ("GPUs", "chip"),
        ("tok/seq", "tokens per sequence"),
        ("numKeyValueHeads", "num-key_value heads"),
    ],
)
def test_one_word_has_one_form(one, other):
    assert [word for word in fold(one) if word != "per"] == [word for word in fold(other) if word != "per"]


@pytest.mark.parametrize(("one", "other"), [("hour", "hor"), ("TPS", "TP"), ("bus", "bu"), ("axis", "axi")])
def test_other_words_have_other_forms(one, other):
    assert fold(one) != fold(other)


def test_what_is_named_by_the_words_stands_before_what_mentions_them():
    index = Index(
        [
            Entry("quantity", "drain_time", "time to read the memory of a chip: capacity over bandwidth"),
            Entry("quantity", "memory_bandwidth"),
            Entry("relation", "memory_bandwidth", rank=0.9),
        ]
    )
    kinds = [(hit.entry.kind, hit.entry.name) for hit in index.search("bandwidth of memory")]
    assert kinds == [("quantity", "memory_bandwidth"), ("relation", "memory_bandwidth"), ("quantity", "drain_time")]
