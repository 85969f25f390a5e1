"""Relation files are told from the TOML files of other programs, also while they are half-typed."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

import derive
import quantities
from derive.relation_files.file_text import is_one, names_at_top

ROOT = Path(derive.__file__).parents[1]
OURS = sorted(
    [
        *(Path(derive.__file__).parent / "tokens" / "relations").glob("*.toml"),
        *(Path(quantities.__file__).parent / "vocabulary").glob("*.toml"),
    ]
)
OTHERS = [
    ROOT / "pyproject.toml",
    *(Path(quantities.__file__).parent / "values").glob("*.toml"),
    *(Path(derive.__file__).parent / "tokens" / "claims").glob("*.toml"),
]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_every_built_in_file_is_one(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert is_one(path)
    assert names_at_top(text) == tomli.loads(text).keys()


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_the_files_of_others_are_none(path) -> None:
    assert not is_one(path)


def test_what_cannot_be_read_is_none(tmp_path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe[quantities]")
    assert not is_one(tmp_path / "binary.toml")
    assert not is_one(tmp_path / "missing.toml")
    assert not is_one(tmp_path)


@pytest.mark.parametrize("coding", ["latin-1", "utf-16", "utf-8-sig"])
def test_a_file_is_recognised_in_whatever_coding_it_was_saved(tmp_path, coding) -> None:
    for path in (*OURS, *OTHERS):
        saved = tmp_path / path.name
        text = "# é\n" + path.read_text(encoding="utf-8")
        saved.write_bytes(text.encode(coding, errors="replace"))
        assert is_one(saved) == is_one(path), path


@given(st.sampled_from(OURS), st.data())
def test_a_file_that_is_being_written_is_still_one(path, data) -> None:
    text = path.read_text(encoding="utf-8")
    row = data.draw(st.integers(0, text.count("\n")))
    lines = text.split("\n")
    lines[row] = lines[row][: data.draw(st.integers(0, len(lines[row])))]
    names = names_at_top("\n".join(lines))
    assert len(names ^ names_at_top(text)) <= 2
