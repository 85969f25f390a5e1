"""A report as LaTeX, Markdown and HTML: all of it is there, and nobody's words are obeyed."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

import pytest

from derive.presentation import latex, markdown
from derive.presentation.document import Document, Formulas, bound
from derive.presentation.plotting import as_pdf, as_svg
from tests.derive.reports.pages import HOSTILE, as_html, as_latex, as_markdown, hostile, report


@cache
def drawn():
    return {picture.name: as_svg(picture.name, *picture.charts) for picture in report().pictures}


FORMS = {
    "latex": as_latex,
    "markdown": as_markdown,
    "html": lambda made: as_html(made, drawn()),
}
needs_tex = pytest.mark.skipif(not latex.is_installed(), reason="no TeX is installed")


class Seen(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.words, self.open = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br", "mspace", "path", "use", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("path", "use", "rect", "mspace"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize("form", FORMS)
def test_every_block_is_in_every_form(form):
    told = FORMS[form](report())
    for word in ("A toy", "A heading", "stressed", "name", "Falling", "it speeds up evenly", "20", "a survey", "toy"):
        assert word in told, word
    assert "2.02" in told  # sqrt(2*20/9.80665), with four digits


@pytest.mark.parametrize("bounds", [("a \\le b", "c \\ge d"), (" + ".join("a" * 60) + " \\le b",)])
def test_bounds_stand_in_the_place_of_equations(bounds):
    told = as_latex(Document("toy", "A toy", (Formulas(tuple((bound, "") for bound in bounds)),)))
    unbroken = told.replace(" \\\\\n  & \\quad ", "")
    assert all(f"  & {bound}" in unbroken for bound in bounds)


def test_a_source_is_cited_by_one_number_wherever_it_is_used():
    told = as_latex(report())
    assert told.count("~[1]") == 3
    assert "[2]" not in told


def test_the_title_of_a_volume_stands_above_all_its_parts():
    for told in (bound("All", [report(), report()], dialect) for dialect in (latex.DOCUMENT, markdown.HOST)):
        assert told.index("All") < told.index("A toy") < told.rindex("A toy") < told.index("a survey")


def test_nothing_that_others_wrote_is_a_command_of_tex():
    told = as_latex(hostile())
    body = told[told.index(r"\maketitle") :]
    assert r"\input" not in body.replace(r"\textbackslash{}input", "")
    assert r"\write" not in body.replace(r"\textbackslash{}write", "")
    assert "^^" not in body
    assert not re.search(r"(?<!\\)[%#]", body.replace("%\n", ""))


def test_nothing_that_others_wrote_is_markup():
    told = as_markdown(hostile())
    assert "<script>" not in told.replace(r"\<script", "")
    assert not re.search(r"(?<!\\)\]\(u", told)
    rows = [line for line in told.splitlines() if line.startswith("| 20 m")]
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 3


def test_a_browser_sees_the_words_and_runs_nothing():
    seen = Seen()
    seen.feed(FORMS["html"](hostile()))
    assert seen.open == []
    assert not [tag for tag, _ in seen.tags if tag in ("script", "iframe", "img", "link")]
    assert HOSTILE in "".join(seen.words)


def test_a_page_needs_no_network():
    seen = Seen()
    seen.feed(FORMS["html"](report()))
    for _, attributes in seen.tags:
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#"), attributes
    assert "math" in {tag for tag, _ in seen.tags}
    assert "svg" in {tag for tag, _ in seen.tags}


def test_every_ampersand_of_a_page_begins_a_character():
    told = FORMS["html"](hostile())
    body = told[: told.index("<svg")]
    assert not re.search(r"&(?!#?\w+;)", body)


@pytest.mark.thorough
@needs_tex
@pytest.mark.parametrize("made", [report, hostile])
def test_tex_takes_the_document_and_lets_nothing_run_over(made):
    log: list[str] = []
    document = made()
    pictures = {f"figures/{picture.name}.pdf": as_pdf(*picture.charts) for picture in document.pictures}
    assert latex.pressed("toy", as_latex(document), pictures, log).startswith(b"%PDF")
    wide = [float(found[1]) for line in log if (found := re.match(r"Overfull \\hbox \(([\d.]+)pt", line))]
    assert max(wide, default=0.0) <= 5.0


@pytest.mark.thorough
@needs_tex
def test_the_same_document_makes_the_same_pdf():
    assert latex.pressed("toy", as_latex(report()), {}) == latex.pressed("toy", as_latex(report()), {})


@needs_tex
def test_what_tex_refuses_is_told_in_its_words():
    with pytest.raises(Exception, match=r"toy: TeX rejected the document: ! Undefined control sequence"):
        latex.pressed("toy", r"\documentclass{article}\begin{document}\nothing\end{document}", {})


def test_without_tex_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Exception, match=r"PDF needs TeX.*\n?.*texlive"):
        latex.pressed("toy", "", {})
