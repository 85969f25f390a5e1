"""Documents in several languages: one walk, and nothing of a language in it."""

from __future__ import annotations

import re

import pytest

from derive.presentation.document import derivation
from derive.presentation.html import Html
from derive.presentation.latex import DOCUMENT, FRAGMENT
from derive.presentation.markdown import HOST, NOTEBOOK
from tests.derive.presentation.test_latex import CLIFF


@pytest.mark.parametrize("dialect", [DOCUMENT, FRAGMENT, HOST, NOTEBOOK, Html({})])
def test_a_derivation_says_the_same_in_every_dialect(dialect):
    text = re.sub(r"</?[a-z]+[^>]*>", "", derivation(CLIFF, dialect))
    words = ["kv bytes per token", "1693", "1.", "crossover context", "beyond this context", "symbol", "source"]
    words += [name.replace("_", " ") for name in CLIFF.given]
    places = [text.index(word) for word in [*words[:7], "Sources"]]
    assert places == sorted(places)
    assert all(word in text for word in words)
    assert text.count("[1") == 2
