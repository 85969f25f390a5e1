"""The page on notebooks prints what it shows."""

from __future__ import annotations

import doctest
from pathlib import Path

import derive

PAGE = (Path(derive.__file__).parent / "manual" / "how-to" / "notebooks.md").read_text(encoding="utf-8")


def test_the_examples_print_what_they_show() -> None:
    session = doctest.DocTestParser().get_doctest(PAGE, {}, "notebooks.md", None, 0)
    assert len(session.examples) > 3
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(session).failed == 0
