"""Errors carry their facts, and say them when read."""

from __future__ import annotations

import ast
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantities.errors import (
    DeriveError,
    DomainError,
    ExpressionError,
    LimitError,
    UnitError,
    UnknownNameError,
    excerpt,
    suggest,
)

SPECIMENS = [
    (ExpressionError, {"text": "1,5 m", "position": (1, 2), "problems": ("a", "b")}),
    (UnitError, {"quantity": "length", "unit": "Nm"}),
    (DomainError, {"quantity": "length", "domain": "positive"}),
    (UnknownNameError, {"name": "lenght", "kind": "quantity", "suggestions": ("length",)}),
    (LimitError, {"limit": "10 s"}),
]


@pytest.mark.parametrize(("kind", "facts"), SPECIMENS)
def test_an_error_keeps_its_facts_also_across_processes(kind, facts):
    error = kind("It is wrong.", hint="Mend it.", **facts)
    for arrived in (error, pickle.loads(pickle.dumps(error))):
        assert type(arrived) is kind
        assert isinstance(arrived, DeriveError)
        assert str(arrived) == "It is wrong. Mend it."
        assert {name: getattr(arrived, name) for name in facts} == facts


@pytest.mark.parametrize(("kind", "facts"), SPECIMENS)
def test_a_fact_that_is_not_stated_is_empty(kind, facts):
    error = kind("It is wrong.")
    assert (str(error), error.hint) == ("It is wrong.", "")
    assert [name for name in facts if getattr(error, name)] == []


@given(st.text(max_size=300))
def test_an_excerpt_is_one_short_printable_line(text):
    shown = excerpt(text)
    assert shown.isprintable()
    assert len(shown) <= 2 + 63 * len("\\U00010000")
    assert ast.literal_eval(shown) in (text, text[:60] + "...")


@given(st.text("abcxyz", min_size=1, max_size=12), st.lists(st.text("abcxyz", min_size=1, max_size=12), max_size=9))
def test_a_suggestion_is_a_known_name_and_the_name_itself_comes_first(name, known):
    found = suggest(name, known)
    assert set(found) <= set(known)
    assert len(found) == len(set(found))
    assert name not in known or found[0] == name


@pytest.mark.parametrize(
    ("typed", "known", "meant"),
    [
        ("lenght", ["width", "length"], "length"),
        ("LENGTH", ["length", "LENGTHS"], "length"),
        ("batchs", ["batch"] + [f"other_{n}" for n in range(5000)], "batch"),
    ],
)
def test_the_name_that_was_meant_is_suggested_first(typed, known, meant):
    assert suggest(typed, known)[0] == meant


def test_nonsense_has_no_suggestion():
    assert suggest("zzz", ["length", "width"]) == ()
    assert suggest("x" * 1000, ["x" * 999]) == ()
