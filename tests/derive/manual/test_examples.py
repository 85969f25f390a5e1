"""What a page of the manual prints is what the program prints; and every example stands in some page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import derive
from derive.manual import written_pages
from derive.relation_files.keys import EXAMPLE, QUANTITY, RELATION, VALUE
from tests.derive.terminal import ask
from tests.documents import Session, block_beginning, blocks, fenced

PAGES = written_pages()
WITH_EXAMPLES = [name for name, text in PAGES.items() if any(b.language in ("console", "python") for b in blocks(text))]


DEAR = ("how-to/draw-tables.md", "how-to/price-sheets.md")  # seconds each


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.thorough if one in DEAR else ()) for one in WITH_EXAMPLES]
)
def test_the_examples_of_a_page_print_what_they_show(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session(name)
    for block in blocks(PAGES[name]):
        session.run(block)
    assert session.count


def test_most_pages_have_examples_and_every_block_is_of_a_kind_that_is_known() -> None:
    assert len(WITH_EXAMPLES) > 15
    kinds = {block.language for text in PAGES.values() for block in blocks(text)}
    assert kinds <= {"console", "python", "toml", "text", "markdown", "sh", "json", "yaml", "lua", "lisp"}


def test_the_relation_file_is_consistent_and_its_answer_known() -> None:
    text = fenced(PAGES["how-to/state-relations.md"], "toml")[0]
    pendulum = derive.load(text)
    assert tomllib.loads(text)["title"] == pendulum.title
    assert abs(pendulum.solve("period", "clock").value.magnitude - 2.0) < 1e-3


def test_the_mistaken_file_gets_the_message_shown() -> None:
    page = PAGES["how-to/state-relations.md"]
    (message,) = fenced(page, "text")
    (problem,) = derive.check(fenced(page, "toml")[0].replace("2*pi*sqrt(length/gravity)", "length/gravity"))
    assert f"pendulum.toml: {problem}".split() == message.split()


def test_the_template_that_it_shows_is_a_report(tmp_path: Path) -> None:
    (tmp_path / "pendulum.toml").write_text(fenced(PAGES["how-to/state-relations.md"], "toml")[0], encoding="utf-8")
    template = block_beginning(PAGES["how-to/reports.md"], "markdown", "+++")
    (tmp_path / "mine.md").write_text(template, encoding="utf-8")
    said = ask("report", str(tmp_path / "mine.md"), "--out", str(tmp_path / "pages"))
    assert said.status == 0, said.err
    assert "| 1 m | $`2.01" in (tmp_path / "pages" / "mine.md").read_text(encoding="utf-8")


def test_the_claim_that_it_shows_is_judged(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(fenced(PAGES["how-to/audit.md"], "toml")[0], encoding="utf-8")
    assert "1 claim: 1 reproduced" in ask("audit", "--claims", str(tmp_path / "mine.toml")).out


@pytest.mark.parametrize("key", ["title", "uses", "units", "quantities", "relations", "profiles", "examples"])
def test_the_page_on_relation_files_names_every_table(key: str) -> None:
    assert re.search(rf"`\[?{key}\b", PAGES["reference/relation-file.md"])


def test_the_page_on_relation_files_names_every_key() -> None:
    page = PAGES["reference/relation-file.md"]
    keys = {*QUANTITY, *RELATION, *EXAMPLE, *VALUE}
    assert [key for key in sorted(keys) if f"`{key}`" not in page and f"`{key} =" not in page] == []
