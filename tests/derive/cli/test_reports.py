"""`derive report` as it is met in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.derive.terminal import ask


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shelf")
    assert ask("report", "training", "--out", str(folder)).status == 0
    return folder


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if path.is_file())


def test_a_report_makes_latex_markdown_and_its_pictures(shelf):
    made = files(shelf)
    assert {"training.tex", "training.md"} <= set(made)
    told = (shelf / "training.md").read_text()
    pictures = [path for path in made if path.startswith("figures/")]
    assert len(pictures) >= 3
    assert all(f"({path})" in told for path in pictures)


def test_what_was_just_written_is_not_stale(shelf):
    said = ask("report", "training", "--check", "--out", str(shelf))
    assert (said.status, said.err) == (0, "")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda path: path.write_text(path.read_text() + "and more"), "is out of date"),
        (lambda path: path.unlink(), "is missing"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "is missing"),
    ],
)
@pytest.mark.parametrize("name", ["training.tex", "figures/training-bills.svg"])
def test_a_file_that_is_not_what_the_library_says_is_told_and_written_anew(shelf, spoil, told, name):
    before = (shelf / name).read_bytes()
    spoil(shelf / name)
    said = ask("report", "training", "--check", "--out", str(shelf))
    assert said.status == 1
    assert f"{name} " in said.err
    assert told in said.err
    assert "derive report training" in said.err
    ask("report", "training", "--force", "--out", str(shelf))
    assert (shelf / name).read_bytes() == before


def test_a_report_that_there_is_not_is_told_with_those_that_there_are():
    said = ask("report", "rooflime")
    assert said.status == 2
    assert "roofline" in said.err


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    said = ask("report", "training", "--out", str(tmp_path / "file"))
    assert said.status == 2
    assert "cannot be written" in said.err


def test_a_page_for_the_browser_is_made_when_it_is_asked_for(shelf):
    assert "training.html" not in files(shelf)
    ask("report", "training", "--html", "--out", str(shelf))
    assert (shelf / "training.html").read_text().startswith("<!DOCTYPE html>")
