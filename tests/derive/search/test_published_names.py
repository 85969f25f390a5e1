"""The names that publications, configuration files and price pages use find the quantity that they mean."""

from __future__ import annotations

import csv
import os
import random
import re
from pathlib import Path

import pytest

import derive
from derive import UnknownNameError
from derive.search_index import FILLERS, fold

with (Path(__file__).parent / "published_names.tsv").open(encoding="utf-8") as file:
    PUBLISHED = [(row["word"], row["name"], row["where"]) for row in csv.DictReader(file, delimiter="\t")]
INDEX = derive.llm.index
ALIASES = [(alias, q.name) for q in derive.llm.declared.values() for alias in q.aliases]
SHORTEST_PLURAL = 3  # letters of an abbreviation that is still known with an s behind it: TPs is not TP
EVERY = int(os.environ.get("DERIVE_EVERY_NAME", "48"))


def first_three(words: str) -> list[str]:
    return [hit.entry.name for hit in INDEX.search(words)[:3]]


def is_among_the_first_three(words: str, name: str) -> bool:
    """Whether fewer than three entries are found before it; those that score the same are not before it."""
    hits = INDEX.search(words)
    own = [hit.score for hit in hits if hit.entry.name == name]
    return bool(own) and sum(hit.score > own[0] + 1e-9 for hit in hits) < 3


def test_the_table_holds_three_hundred_names_and_says_where_each_is_used():
    assert len({word for word, _, _ in PUBLISHED}) >= 300
    assert all(where and name in derive.llm.declared for _, name, where in PUBLISHED)


@pytest.mark.thorough
def test_a_published_name_finds_what_it_means_among_the_first_three():
    assert [(word, name) for word, name, _ in PUBLISHED if name not in first_three(word)] == []


@pytest.mark.parametrize("name", ["speed_per_user", "gpus", "d_model", "n_layers", "PUE", "utilization", "peak_flops"])
def test_a_name_from_elsewhere_is_answered_with_the_one_here(name):
    meant = {
        "speed_per_user": "user_speed",
        "gpus": "chips",
        "d_model": "hidden_size",
        "n_layers": "layers",
        "PUE": "power_usage_effectiveness",
        "utilization": "fleet_utilisation",
        "peak_flops": "peak_compute",
    }
    for ask in (lambda: derive.solve(name), lambda: derive.solve("step_time", **{name: "1"})):
        with pytest.raises(UnknownNameError) as caught:
            ask()
        assert caught.value.suggestions[0] == meant[name]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("TPOT", "TPOT is called time_per_output_token here."),
        ("heads", "heads is called attention_heads here."),
        ("MTBF", "MTBF is called chip_failure_time or cluster_failure_time here."),
        ("critical_batch", "Did you mean critical_batch_tokens or critical_batch_scale or balance_tokens?"),
    ],
)
def test_an_alias_is_suggested_and_never_taken_for_the_name(word, said):
    with pytest.raises(UnknownNameError) as caught:
        derive.solve(word)
    assert sorted(re.findall(r"\w+", caught.value.hint)) == sorted(re.findall(r"\w+", said))
    with pytest.raises(UnknownNameError):
        derive.solve("step_time", **{word: "1"})


def test_an_alias_is_borne_by_few_and_no_alias_is_said_twice_of_one():
    for quantity in derive.llm.declared.values():
        spelled = [fold(alias) for alias in quantity.aliases]
        assert len(set(spelled)) == len(spelled)
        assert fold(quantity.name) not in spelled


# Spellings that nobody wrote down


def spellings(name: str, aliases: tuple[str, ...], meaning: str, seed: int) -> list[str]:
    """Other ways to write a quantity: its words in any order, run together, in the plural, in capitals; its meaning."""
    draw = random.Random(seed)
    first, *rest = words = name.split("_")
    telling = [word for word in re.findall(r"[^\W_]+", meaning) if FILLERS.isdisjoint(fold(word))]
    variants = [name.replace("_", "-"), first + "".join(map(str.title, rest)), f"{name}s", name.upper()]
    variants += [" ".join(draw.sample(part, len(part))) for part in (words, telling) if part]
    for alias in aliases:
        variants += [alias.upper(), re.sub("[ _]", "-", alias)]
        variants += [f"{alias}s"] if len(re.sub(r"\W|_", "", alias)) >= SHORTEST_PLURAL else []
    return variants


@pytest.mark.thorough
def test_a_quantity_is_found_however_it_is_spelled():
    """One quantity in 48 in the ordinary run, all of it with DERIVE_EVERY_NAME=1: 7,000 spellings."""
    declared = list(derive.llm.declared.values())[::EVERY]
    asked = [(text, q.name) for i, q in enumerate(declared) for text in spellings(q.name, q.aliases, q.meaning, i)]
    assert [(text, name) for text, name in asked if not is_among_the_first_three(text, name)] == []


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("fleet utilization", "fleet_utilisation"),
        ("fleet utilisations", "fleet_utilisation"),
        ("GPU memory", "hbm_capacity"),
        ("hiddensize", "hidden_size"),
        ("hbm bandwith", "hbm_bandwidth"),
        ("carbon dioxide emitted", "training_carbon"),
        ("how many layers", "layers"),
        ("kvCacheSize", "kv_bytes"),
        ("perplexties", "perplexity"),
        ("time to first tokens", "time_to_first_token"),
    ],
)
def test_a_misspelt_or_foreign_spelling_finds_it(words, name):
    assert name in first_three(words)


def test_an_abbreviation_is_met_as_a_whole_word_only():
    """TP is no part of https, nor ICI of efficiency."""
    assert "tensor_ways" in first_three("TP")
    met = {hit.entry.name for hit in INDEX.search("ICI")}
    assert met
    assert not any("efficiency" in name for name in met)
