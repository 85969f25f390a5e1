"""The pages among the reports: they are small, and stale where they say something else."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from derive.tokens.reports import report_files, titles
from tests.derive.terminal import ask

REPORTS = Path(__file__).parents[4] / "reports"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("reports")
    assert ask("report", "pages/cliff", "--out", str(made)).status == 0
    return made


def test_every_page_is_there_and_small():
    for name in titles.page_names():
        path = REPORTS / f"{name}.html"
        assert path.is_file(), name
        assert path.stat().st_size < 650_000, name


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*titles.titles(), *titles.page_names()])
def test_a_report_is_what_stands_in_the_folder(name):
    assert report_files.stale(REPORTS, name) == []


@pytest.mark.thorough
def test_no_file_is_left_of_a_report_that_is_gone():
    assert report_files.orphans(REPORTS) == []


def test_a_page_is_written_where_it_is_looked_for(folder):
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*.*")] == ["pages/cliff.html"]
    assert ask("report", "pages/cliff", "--check", "--out", str(folder)).status == 0


def test_a_page_that_says_something_else_is_stale(folder):
    path = folder / "pages" / "cliff.html"
    text = path.read_text(encoding="utf-8")
    for old, new in (
        ("Solve for", "Solved for"),
        ('id="packed">eN', 'id="packed">eX'),
        ('id="packed">', 'id="pocked">'),
    ):
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        said = ask("report", "pages/cliff", "--check", "--out", str(folder))
        assert (said.status, "pages/cliff.html is out of date" in said.err) == (1, True)
    path.write_text(text, encoding="utf-8")


def test_the_same_data_packed_otherwise_are_not_stale(folder):
    path = folder / "pages" / "cliff.html"
    text = path.read_text(encoding="utf-8")
    (packed,) = re.findall(r'id="packed">([^<]*)<', text)
    weaker = b64encode(zlib.compress(zlib.decompress(b64decode(packed)), 1)).decode()
    assert weaker != packed
    path.write_text(text.replace(packed, weaker), encoding="utf-8")
    assert ask("report", "pages/cliff", "--check", "--out", str(folder)).status == 0
    path.write_text(text, encoding="utf-8")


def test_a_page_that_nothing_makes_is_told(tmp_path, monkeypatch):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "lost.html").write_text("")
    monkeypatch.setattr(report_files.titles, "titles", dict)
    assert report_files.orphans(tmp_path) == ["pages/lost.html is not part of any report"]
