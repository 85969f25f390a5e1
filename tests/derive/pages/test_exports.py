"""What a page gives away is read by derive, by spreadsheets and by TeX."""

from __future__ import annotations

import csv
import io
import shlex
from pathlib import Path

import pytest

import derive
from tests.derive.pages.shop import TEXT, shop, shop_page
from tests.derive.pages.shown import Shown
from tests.derive.terminal import ask, settle

_ADDRESS = "batch=250&chips=6&limit=0.02"


@pytest.fixture
def page(tab, tmp_path, monkeypatch) -> Shown:
    settle(tmp_path, {"shop.toml": TEXT, "page.html": shop_page()}, monkeypatch)
    return tab.opened(tmp_path / "page.html", _ADDRESS)


def _saved(page: Shown, button: str, name: str) -> Path:
    with page.tab.expect_download() as coming:
        page.tab.evaluate("id => document.getElementById(id).click()", button)
    path = Path(name)
    coming.value.save_as(path)
    return path


def test_the_relation_file_is_checked_by_derive_and_gives_the_same_answer(page):
    path = _saved(page, "save-toml", "saved.toml")
    told = ask("check", str(path))
    assert (told.status, told.err) == (0, ""), told
    library = derive.load(path)
    assert library.solve("cost", "page").value.magnitude == pytest.approx(page.now["number"], rel=1e-9)
    path.write_text(path.read_text().replace('chips = "6 chip"', 'chips = "7 chip"'))
    assert ask("check", str(path)).status == 1


def test_so_is_that_of_another_question(page):
    page.tab.select_option("#unknown", "rent")
    path = _saved(page, "save-toml", "saved.toml")
    assert 'asked = "rent"' in path.read_text()
    assert ask("check", str(path)).status == 0


@pytest.mark.thorough
def test_the_curve_is_a_table_with_its_regimes_and_failures(page):
    rows = list(csv.reader(io.StringIO(_saved(page, "save-csv", "saved.csv").read_text())))
    assert rows[0] == ["batch [sequence]", "cost [USD/sequence]", "regime", "fails"]
    assert {row[2] for row in rows[1:]} == {"read", "work + batch*per"}
    assert {row[3] for row in rows[1:]} == {"", "late"}
    for batch, cost, *_ in rows[1::40]:
        asked = shop().solve("cost", "small", batch=f"{batch} sequence", chips="6 chip", limit="20 ms")
        assert float(cost) == pytest.approx(asked.value.magnitude, rel=1e-9)


@pytest.mark.thorough
def test_the_picture_is_one(page):
    data = _saved(page, "save-png", "saved.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(data) > 10_000


def test_the_derivation_is_latex(page):
    text = _saved(page, "save-tex", "saved.tex").read_text()
    assert text.count(r"\begin{align*}") == text.count(r"\end{align*}") == 2
    assert "@" not in text
    assert r"\mathrm{USD/sequence}" in text


def test_the_command_asks_the_same(page):
    command = page.tab.evaluate(
        """async () => {
          let text = "";
          Object.defineProperty(navigator, "clipboard", {value: {writeText: async (one) => { text = one; }}});
          document.getElementById("copy-command").click();
          return text;
        }"""
    )
    words = shlex.split(command)
    told = ask(*words[1:], "--library", "shop.toml")
    assert words[:3] == ["derive", "solve", "cost"]
    assert told.out.startswith(f"cost = {page.now['number']:.6g} USD/sequence")
