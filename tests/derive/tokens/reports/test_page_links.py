"""The pages with sliders: every one is linked from a report, and listed beside the reports."""

from __future__ import annotations

import re

import pytest

from derive.presentation.document import Dialect, Document, Text, bound, led, spans
from derive.presentation.html import Html
from derive.presentation.latex import DOCUMENT
from derive.presentation.markdown import HOST
from derive.tokens.reports import titles
from derive.tokens.reports.titles import TEMPLATES
from tests.derive.terminal import ask

LINK = re.compile(r"\[[^\[\]]+\]\(([^()\s]+)\)")


def test_every_page_is_linked_from_a_report_and_every_link_leads_to_one() -> None:
    met = [address for path in TEMPLATES.rglob("*.md") for address in LINK.findall(path.read_text(encoding="utf-8"))]
    assert sorted(met) == sorted(f"{name}.html" for name in titles.page_names())


@pytest.mark.parametrize("name", titles.page_names())
def test_pages_are_listed_shown_and_found(name: str) -> None:
    assert name in ask("list", "reports").out
    assert f"page {name}" in ask("show", name).out
    assert name in ask("list", "reports", titles.page_titles()[name].split()[-1]).out


@pytest.mark.parametrize(
    ("words", "pieces"),
    [
        ("see [a page](pages/x.html).", [("text", "see "), ("link", "[a page](pages/x.html)"), ("text", ".")]),
        ("[a](https://x.org/b) *c*", [("link", "[a](https://x.org/b)"), ("text", " "), ("stress", "c")]),
        ("step_time [s](ms)", [("text", "step_time [s](ms)")]),
        ("no [link] (at all)", [("text", "no [link] (at all)")]),
        ("[x](javascript:alert)", [("text", "[x](javascript:alert)")]),
    ],
)
def test_links_are_pieces_of_words(words: str, pieces: list[tuple[str, str]]) -> None:
    assert list(spans(words)) == pieces
    assert all(len(led(text)) == 2 for kind, text in pieces if kind == "link")


@pytest.mark.parametrize(
    ("dialect", "shown"),
    [
        (HOST, "[50 % of a page](pages/x.html)"),
        (Html({}), '<a href="pages/x.html">50&#160;% of a page</a>'),
        (DOCUMENT, r"\href{pages/x.html}{50~\% of a page}"),
    ],
)
def test_a_link_is_written_in_every_language(dialect: Dialect, shown: str) -> None:
    page = Document("toy", "A toy", (Text("See [50 % of a page](pages/x.html) and *that*."),))
    assert shown in bound(page.title, [page], dialect)
