"""`derive page`: a file, and what is wrong in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from derive.pages.page import page
from tests.derive.pages.shop import TEXT, shop
from tests.derive.terminal import ask, settle

ASKED = ("page", "cost", "step", "batch=1..1000 sequence", "chips=8 chip", "--library", "shop.toml", "--with", "small")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"shop.toml": TEXT}, monkeypatch)


def test_a_page_is_written_and_is_the_same_every_time():
    told = ask(*ASKED, "-o", "page.html", "--title", "Shop")
    assert (told.status, told.err) == (0, "")
    assert told.out == "page.html: cost, step\n"
    first = Path("page.html").read_text(encoding="utf-8")
    assert "<title>Shop</title>" in first
    ask(*ASKED, "-o", "page.html", "--title", "Shop")
    assert Path("page.html").read_text(encoding="utf-8") == first


def test_python_writes_the_same_page():
    given = {"batch": "1..1000 sequence", "chips": "8 chip"}
    assert shop().page(["cost", "step"], "small", title="Shop", **given) == page(
        shop(), ["cost", "step"], ["small"], given, title="Shop"
    )


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("page", "-o", "p.html"), 2, "There is no target"),
        (("page", "cost", "-o", "p.pdf", "--library", "shop.toml"), 2, "unknown file format"),
        (("page", "cost", "-o", "p.html", "--library", "shop.toml"), 1, "cost is not determined"),
        (("page", "prize", "-o", "p.html", "--library", "shop.toml"), 2, "There is no quantity 'prize'"),
        (("page", "cost", "cost=1 USD/sequence", "-o", "p.html", "--library", "shop.toml"), 2, "is also the target"),
        ((*ASKED, "limit=3 kg", "-o", "p.html"), 2, "limit"),
        ((*ASKED, "constructor=2", "-o", "p.html"), 2, "outside its domain"),
        ((*ASKED, "--with", "huge", "-o", "p.html"), 2, "huge"),
        ((*ASKED, "-o", "nowhere/p.html"), 2, "cannot be written"),
        (("page", "cost", "batch=1", "batch=2", "-o", "p.html", "--library", "shop.toml"), 2, "batch is given twice"),
    ],
)
def test_what_is_wrong_is_said_in_words(words, status, said):
    told = ask(*words)
    assert (told.status, said in told.err) == (status, True), told.err
    assert not Path("p.html").exists()


def test_help_has_an_example():
    assert "derive page cost_per_token" in ask("page", "-h").out


def test_a_title_and_names_are_text_and_never_markup():
    told = ask(*ASKED, "-o", "page.html", "--title", "</title><script>alert(1)</script>")
    assert told.status == 0
    assert "<script>alert" not in Path("page.html").read_text(encoding="utf-8")
