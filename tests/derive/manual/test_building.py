"""The manual is made whole, the same each time, without a network; a stale or damaged one is found without Sphinx."""

from __future__ import annotations

import re

import pytest

import derive
from derive import ExpressionError
from derive.cli import cli
from derive.manual import (
    DIGESTS,
    as_markdown,
    built,
    digest,
    is_buildable,
    pages,
    specimens,
    stale,
    theory,
    written_pages,
)
from tests.derive.terminal import ask

needs_sphinx = pytest.mark.skipif(not is_buildable(), reason="the extra `manual` is not installed")
FOUND = pages(cli)
SMALL = {"index.md": "# A manual\n\nWith a page.\n"}


@pytest.fixture(scope="module")
def made():
    return built(FOUND)


@needs_sphinx
def test_all_pages_are_made_and_are_small_and_need_no_network(made):
    assert {name.removesuffix(".md") + ".html" for name in FOUND} <= made.keys()
    assert sum(map(len, made.values())) < 4_000_000
    for name, content in made.items():
        text = content.decode("utf-8", errors="ignore")
        if name.endswith((".html", ".css")):
            loaded = r"""(<(?:script|img|iframe|link)\b[^>]*(?:src|href)=|url\(|@import )["']?(https?:)?//"""
            assert not re.search(loaded, text), name
        assert "/tmp/" not in text, name


@needs_sphinx
def test_the_search_works_from_a_folder(made):
    assert b"SHOW_SEARCH_SUMMARY: false" in made["_static/documentation_options.js"]  # else a browser is refused pages
    assert made["searchindex.js"].startswith(b"Search.setIndex(")
    assert b'src="searchindex.js"' in made["search.html"]
    assert b"colebrook" in made["searchindex.js"]


@needs_sphinx
def test_the_same_pages_give_the_same_bytes():
    assert built(SMALL) == built(SMALL)


@needs_sphinx
def test_a_dead_link_is_an_error():
    with pytest.raises(ExpressionError, match=r"index\.md.*nowhere"):
        built({"index.md": "# A manual\n\n[a page](nowhere.md)\n"})


@needs_sphinx
def test_what_is_stale_damaged_missing_or_added_is_told(tmp_path):
    assert list(stale(tmp_path, SMALL)) == [f"{DIGESTS} is missing"]
    for name, content in built(SMALL).items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    assert list(stale(tmp_path, SMALL)) == []
    assert list(stale(tmp_path, {"index.md": "# Another\n"})) == ["the pages have changed since it was made"]
    (tmp_path / "index.html").write_text("nothing")
    (tmp_path / "search.html").unlink()
    (tmp_path / "more.html").write_text("more")
    told = ["index.html is not as it was made", "more.html is not part of it", "search.html is missing"]
    assert list(stale(tmp_path, SMALL)) == told


@pytest.mark.thorough
@needs_sphinx
def test_the_verb_makes_it_checks_it_and_removes_what_it_no_longer_has(tmp_path, monkeypatch):
    made = {**SMALL, "old.md": "---\norphan: true\n---\n# Old\n"}
    monkeypatch.setattr("derive.manual.pages", lambda program: made)
    folder = tmp_path / "manual"
    assert ask("manual", "--check", "--out", str(folder)).status == 1
    assert ask("manual", "--out", str(folder)).out == f"{folder}: 2 pages\n"
    assert (folder / "old.html").exists()
    del made["old.md"]
    assert ask("manual", "--out", str(folder)).status == 0
    assert not (folder / "old.html").exists()
    assert ask("manual", "--check", "--out", str(folder)).out == f"{folder}: up to date (1 pages)\n"
    (folder / "notes.html").write_text("a reader's own")
    assert "notes.html is not part of it" in ask("manual", "--check", "--out", str(folder)).err
    assert ask("manual", "--out", str(folder)).status == 0
    assert (folder / "notes.html").read_text() == "a reader's own"


@needs_sphinx
def test_nothing_is_removed_from_a_folder_that_is_no_manual(tmp_path, monkeypatch):
    monkeypatch.setattr("derive.manual.pages", lambda program: SMALL)
    (tmp_path / "letter.txt").write_text("dear")
    assert ask("manual", "--out", str(tmp_path)).status == 0
    assert (tmp_path / "letter.txt").read_text() == "dear"


def test_without_the_extra_it_says_so_and_the_check_does_without(tmp_path, monkeypatch):
    monkeypatch.setattr("derive.manual._NEEDED", ("a_package_that_is_not_there",))
    said = ask("manual", "--out", str(tmp_path / "manual"))
    assert (said.status, said.err) == (
        2,
        "derive: The manual is made by Sphinx. Run: pip install 'derive-engine[manual]'.\n",
    )
    assert not (tmp_path / "manual").exists()
    assert "is missing" in ask("manual", "--check", "--out", str(tmp_path / "manual")).err


def test_every_verb_public_name_and_error_has_its_place():
    for verb in cli.commands:
        assert f"\n## derive {verb}\n" in FOUND["reference/command-line.md"]
    for name in derive.__all__:
        page = "errors" if name.endswith("Error") else "python"
        assert name in FOUND[f"reference/{page}.md"]
    for one in specimens():
        assert f"### {one.title}\n" in FOUND["reference/errors.md"]
    assert " at 0x" not in FOUND["reference/python.md"]


def test_no_page_is_written_and_made():
    assert written_pages().keys() & {"changes.md", "reference/python.md", "reference/errors.md"} == set()


def test_theory_comes_from_the_module_that_is_named():
    assert "Dulmage and Mendelsohn" in FOUND["explanation.md"]
    assert "<!-- theory" not in FOUND["explanation.md"]
    with pytest.raises(ExpressionError, match=r"planning\.plot, which is no module"):
        theory("planning.plot")


@pytest.mark.parametrize("text", ["a*b and c*d", "x < y", "1 * 2"])
def test_what_markdown_would_take_for_a_sign_of_its_own_is_escaped(text):
    escaped = as_markdown(text)
    assert escaped.replace("\\", "") == text
    assert escaped.count("\\") == len(re.findall(r"[*<]", text))


def test_a_digest_tells_pages_apart():
    sets = [{}, {"a": "b"}, {"a": ""}, {"ab": ""}, {"": "ab"}, {"a": "b", "b": ""}, {"a": "", "b": "b"}]
    assert len({digest(one) for one in sets}) == len(sets)
    assert digest({"a": "b", "c": "d"}) == digest({"c": "d", "a": "b"})
