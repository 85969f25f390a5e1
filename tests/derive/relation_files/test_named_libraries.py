"""Libraries go by a name: those of this package, and those that installed packages offer."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

import derive
from derive import ExpressionError, Library, UnknownNameError
from derive.cache_folder import answered
from derive.catalogue import rows
from derive.relation_files import named_libraries
from tests.derive.terminal import ask

FALL = '[quantities]\nx = { unit = "m" }\ny = { unit = "m" }\n[relations]\ntwice = { equation = "y = 2*x" }\n'


def fallen() -> Library:
    """A library as a package would offer it."""
    return derive.load(FALL)


def broken() -> Library:
    """What a package may do instead."""
    raise RuntimeError("a file is missing")


def number() -> int:
    """No library."""
    return 3


@pytest.fixture
def packages(monkeypatch):
    """Let installed packages offer these functions of this module by these names."""

    def offer(*pairs: tuple[str, str]) -> None:
        entries = [EntryPoint(name, f"{__name__}:{what}", "derive.libraries") for name, what in pairs]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries)

    return offer


@pytest.mark.parametrize("name", ["pipes", "heat-pumps", "llm"])
def test_a_library_is_loaded_checked_and_used_by_its_name(name):
    library = derive.load(name)
    assert library.relations.keys() == derive.load(f'uses = ["{name}"]\n').relations.keys()
    assert library.title


def test_a_package_offers_a_library_of_its_own(packages):
    packages(("fall", "fallen"))
    assert derive.load("fall") == fallen()
    assert ("fall", "", "1", "2", f"{__name__}:fallen") in rows(Library(), "libraries")


def test_a_library_that_cannot_be_loaded_is_named_with_its_package(packages):
    packages(("fall", "broken"), ("rise", "number"), ("void", "nothing"))
    with pytest.raises(ExpressionError, match=r"fall of .* cannot be loaded: RuntimeError: a file is missing. See "):
        derive.load("fall")
    with pytest.raises(ExpressionError, match=r"rise of .* is a int. .*number has to return a derive.Library"):
        derive.load("rise")
    with pytest.raises(ExpressionError, match=r"void of .* cannot be loaded: AttributeError"):
        derive.load("void")
    told = {row[0]: row for row in rows(Library(), "libraries")}
    assert told["fall"][2] == "-"
    assert "a file is missing" in told["fall"][1]
    assert told["pipes"][2] != "-"


def test_a_name_that_several_packages_offer_is_refused(packages):
    packages(("fall", "fallen"), ("fall", "number"))
    with pytest.raises(ExpressionError, match=r"Several packages offer a library fall"):
        derive.load("fall")
    assert [row[0] for row in rows(Library(), "libraries")].count("fall") == 2


def test_a_file_of_the_name_of_a_library_is_refused_unless_it_is_named_as_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pipes").write_text(FALL)
    with pytest.raises(ExpressionError, match=r"pipes is a library, and also the name of a file.*Write \./pipes"):
        derive.load("pipes")
    assert derive.load("./pipes") == derive.load(tmp_path / "pipes") == fallen()
    assert ask("solve", "y", "x=1 m", "--library", "./pipes").out == "y = 2 m\n"
    assert ask("solve", "y", "x=1 m", "--library", "pipes").status == 2


def test_a_folder_of_the_name_of_a_library_does_not_stand_in_its_way(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pipes").mkdir()
    assert derive.load("pipes").title == "Flow in pipes"


def test_a_name_that_is_none_is_told_with_those_there_are():
    with pytest.raises(ExpressionError, match=r"or the name of a library: beams, channels, .*llm"):
        derive.load("pips")
    with pytest.raises(UnknownNameError, match=r"There is no library 'pips'.\s+Did you mean pipes"):
        derive.load('uses = ["pips"]\n')


def test_an_answer_of_a_named_library_is_kept_and_a_list_of_libraries_is_not(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DERIVE_CACHE", str(tmp_path / "kept"))
    asked: list[str] = []

    def answer() -> int:
        asked.append("once")
        sys.stdout.write("y = 2 m\n")
        return 0

    for words, times in ((["solve", "y", "--library", "pipes"], 1), (["list", "libraries"], 3)):
        for _ in range(2):
            assert answered(words, answer) == 0
        assert len(asked) == times
    assert capsys.readouterr().out == "y = 2 m\n" * 4


def test_an_answer_kept_elsewhere_does_not_stand_for_a_file_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.setenv("DERIVE_CACHE", str(tmp_path / "kept"))
    monkeypatch.chdir(tmp_path)
    words = ["solve", "y", "--library=pipes"]
    assert answered(words, lambda: 0) == 0
    (tmp_path / "pipes").write_text(FALL)
    assert answered(words, lambda: 7) == 7


@pytest.mark.parametrize("name", ["", "a.toml", "./pipes", "pi pes", "pipes\n", "[quantities]", "3pipes"])
def test_what_is_a_path_or_a_text_is_no_name(name):
    assert not named_libraries.is_name(name)
    assert named_libraries.shelved(name) is None
