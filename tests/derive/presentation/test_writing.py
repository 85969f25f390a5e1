"""Documents in several languages: one walk, and nothing of a language in it."""

from __future__ import annotations

import re

import pytest

from derive import AmbiguousError
from derive.presentation.document import derivation
from derive.presentation.html import Html
from derive.presentation.latex import DOCUMENT, FRAGMENT
from derive.presentation.markdown import HOST, NOTEBOOK
from tests.derive.presentation.test_latex import CLIFF
from tests.derive.statements import library


@pytest.mark.parametrize("dialect", [DOCUMENT, FRAGMENT, HOST, NOTEBOOK, Html({})])
def test_a_derivation_says_the_same_in_every_dialect(dialect):
    text = re.sub(r"</?[a-z]+[^>]*>", "", derivation(CLIFF, dialect))
    words = ["kv bytes per token", "1693", "1.", "crossover context", "beyond this context", "symbol", "source"]
    words += [name.replace("_", " ") for name in CLIFF.given]
    places = [text.index(word) for word in [*words[:7], "Sources"]]
    assert places == sorted(places)
    assert all(word in text for word in words)
    assert text.count("[1") == 2


def test_an_answer_that_is_only_bounded_is_written_between_its_bounds():
    roof = library({"x": "m", "y": "m", "z": "m"}, "x = max(y, z)", domains={"y": "0..9 m"})
    with pytest.raises(AmbiguousError) as caught:
        roof.solve("y", x="3 m", z="3 m")
    (answer,) = caught.value.answers
    assert r"0\,\mathrm{m} \le y \le 3\,\mathrm{m}" in answer.latex()
    assert r"y &= \mathrm{between\ 0\ m\ and\ 3\ m}" in answer.markdown()
    assert answer.to("cm") is None
