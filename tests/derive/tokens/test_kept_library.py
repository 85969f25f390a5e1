"""The built-in library is read and proved once; kept, it is the same, and it is never stale or damaged."""

from __future__ import annotations

import subprocess
import sys

import pytest

import derive
from derive import cache_folder
from derive.relation_files import loading
from derive.tokens import relations
from tests.ordinary import one_in

LOADED = "import sys, derive; derive.llm; print([name for name in ('tomli', 'sympy', 'pint') if name in sys.modules])"


@pytest.fixture
def room(tmp_path, monkeypatch):
    monkeypatch.setenv("DERIVE_CACHE", str(tmp_path / "kept"))
    return tmp_path


@pytest.fixture
def readings(monkeypatch):
    """The files that were read."""
    found = []
    load = loading.load
    monkeypatch.setattr(loading, "load", lambda source: found.append(source) or load(source))
    return found


def built():
    """The library as a new process gets it."""
    return relations.library.__wrapped__()


def entries(room):
    return list((room / "kept" / "derive-engine").iterdir()) if (room / "kept").exists() else []


@pytest.mark.thorough
def test_it_is_read_once_and_is_the_same(room, readings):
    first, second = built(), built()
    assert (len(readings), len(entries(room))) == (1, 1)
    assert first == second == derive.llm
    assert list(first.declared) == list(second.declared)
    assert first.profiles["h100-sxm"] == second.profiles["h100-sxm"]


@pytest.mark.thorough
def test_another_process_neither_parses_nor_proves_it(room):
    def ask():
        return subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout

    assert (ask(), ask(), len(entries(room))) == ("['tomli']\n", "[]\n", 1)


@pytest.mark.thorough
@pytest.mark.parametrize("damage", one_in(1, [b"nonsense", b"", b"\xff\xfe"], ["word", "nothing", "bytes"], thorough=3))
def test_a_damaged_entry_is_as_good_as_none(room, readings, damage):
    built()
    (entry,) = entries(room)
    whole = entry.read_bytes()
    for part in (damage, whole[:-1], whole.replace(b"mul", b"add", 1)):
        entry.write_bytes(part)
        assert built() == derive.llm
        assert entry.read_bytes() == whole
    assert len(readings) == 4


@pytest.mark.thorough
def test_an_entry_that_holds_something_else_is_as_good_as_none(room, readings):
    built()
    (entry,) = entries(room)
    cache_folder.keep(str(entry), b'["a title", [], [[]]]')
    assert built() == derive.llm
    assert len(readings) == 2


@pytest.mark.thorough
def test_a_changed_file_or_version_is_read_again(room, readings, monkeypatch):
    file = room / "some.toml"
    monkeypatch.setattr(relations, "sources", lambda *rooms: iter([str(file)]))
    for text in ("one", "other", "other"):
        file.write_text(text)
        built()
    assert len(readings) == 2
    monkeypatch.setattr(cache_folder, "_versions", lambda packages: ["tomli-9.dist-info"])
    built()
    assert (len(readings), len(entries(room))) == (3, 3)


def test_what_reads_it_is_among_the_sources():
    found = list(cache_folder.sources(*relations._READERS))
    for part in (
        "grammar.py",
        "dimensional_analysis.py",
        "loading.py",
        "roofline.toml",
        "llm.toml",
        "units.txt",
        "declaration.py",
    ):
        assert any(path.endswith(part) for path in found)


def test_a_file_that_changes_while_it_is_read_is_not_kept(room, readings, monkeypatch):
    file = room / "some.toml"
    file.write_text("one")
    monkeypatch.setattr(relations, "sources", lambda *rooms: iter([str(file)]))
    load = loading.load
    monkeypatch.setattr(loading, "load", lambda source: file.write_text("other") and load(source))
    built()
    assert entries(room) == []


@pytest.mark.thorough
@pytest.mark.parametrize("place", one_in(1, ["file", "off"], ["file", "off"], thorough=2))
def test_without_a_folder_it_is_read_each_time(room, readings, monkeypatch, place):
    (room / "file").write_text("")
    monkeypatch.setenv("DERIVE_CACHE", place if place == "off" else str(room / place))
    assert built() == built()
    assert (len(readings), entries(room)) == (2, [])
