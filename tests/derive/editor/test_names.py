"""Where a name stands, where it is declared, and that a renaming changes nothing but the name."""

from __future__ import annotations

from pathlib import Path

import pytest

import derive
from derive import DeriveError
from derive.editor.diagnostics import OpenFile
from derive.editor.names import defined_at, occurrences, renamed
from derive.relation_files.toml_text import TomlText

HERE = Path("/nowhere/file.toml")
TEXT = """title = "Pendulum of a length"
[quantities]
length = { unit = "m", meaning = "length of the string" }
length_of_rod = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
period = { unit = "s" }
[relations.length]
equation = "length = gravity*(period/(2*pi))**2"
because = "the length follows"
when = ["length > 0*length_of_rod", "length < 3*length_of_rod"]
[profiles.clock]
length = "0.994 m"
[profiles.other]
length = { value = "1 m", source = "a length" }
[examples.seconds]
asked = "length"
given = { period = "2 s" }
expected = "0.994 m"
[examples.back]
asked = "period"
given.length = "0.994 m"
expected = "2.00 s"
"""


def replaced(text, spans, new):
    for start, end in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def rename(text, old, new, **others):
    """The texts after a renaming, by the names of their files."""
    texts = {HERE.with_name(f"{name}.toml"): held for name, held in others.items()}
    edits = renamed(OpenFile(HERE, text, texts), text.index(old), new)
    texts[HERE] = text
    return {path.stem: replaced(held, edits.get(path, []), new) for path, held in texts.items()}


def test_a_quantity_is_found_wherever_it_stands() -> None:
    spans = occurrences(TomlText(TEXT), "length")
    assert len(spans) == 8
    assert all(TEXT[slice(*span)] == "length" for span in spans)


def test_a_renaming_changes_nothing_else() -> None:
    text = rename(TEXT, "length = {", "cord")["file"]
    before, after = derive.load(TEXT), derive.load(text)
    assert derive.check(text) == derive.check(TEXT)
    assert list(after.quantities) == ["cord", "length_of_rod", "gravity", "period"]
    assert list(after.relations) == ["length"]
    assert after.solve("cord", period="2 s").base == before.solve("length", period="2 s").base
    assert 'because = "the length follows"' in text
    assert rename(text, "cord = {", "length")["file"] == TEXT


def test_every_quantity_of_the_library_can_be_renamed_and_back() -> None:
    relations = (Path(derive.__file__).parent / "tokens" / "relations" / "cache.toml").read_text(encoding="utf-8")
    home = Path(derive.__file__).parents[1] / "quantities" / "vocabulary" / "cache.toml"
    toml = TomlText(home.read_text(encoding="utf-8"))
    names = [entry.path[1] for entry in toml.entries if entry.path[:1] == ("quantities",) and len(entry.path) == 2]
    for name in names:
        spans = occurrences(TomlText(relations), name)
        text = replaced(relations, spans, "a_new_name")
        assert replaced(text, occurrences(TomlText(text), "a_new_name"), name) == relations


BASE = '[quantities]\nx = { unit = "m" }\ny = { unit = "m" }\n'
USER = 'uses = ["file.toml"]\n[relations.r]\nequation = "x = 2*y"\n'


def test_files_that_are_open_and_use_it_are_renamed_too() -> None:
    texts = rename(BASE, "x", "way", user=USER, stranger='[quantities]\nx = { unit = "s" }\n')
    assert 'equation = "way = 2*y"' in texts["user"]
    assert "way = {" in texts["file"]
    assert "x = {" in texts["stranger"]


def test_a_quantity_of_a_used_file_is_renamed_there() -> None:
    text = 'uses = ["base.toml"]\n[relations.r]\nequation = "x = 2*y"\n'
    texts = rename(text, "x =", "way", base=BASE)
    assert texts == {"file": text.replace("x =", "way ="), "base": BASE.replace("x =", "way =")}


@pytest.mark.parametrize(
    ("text", "old", "new", "said"),
    [
        (TEXT, "length =", "3x", "cannot be a name"),
        (TEXT, "length =", "if", "word of the language"),
        (TEXT, "length =", "a.b", "it has a dot"),
        (TEXT, "length =", "period", "knows a quantity period already"),
        (TEXT, "length =", "note", "profiles use the word"),
        (TEXT, "because =", "x", "no quantity here"),
        (TEXT + "[relations.x", "length =", "cord", "cannot be read on line"),
        ('uses = ["llm"]\n[relations.r]\nequation = "batch = 3*chips"', "batch", "b", "belongs to a library"),
        ('[relations.r]\nequation = "batch = 3*chips"', "batch", "b", "no quantity 'batch'"),
    ],
)
def test_a_renaming_that_would_change_the_meaning_is_refused(text, old, new, said) -> None:
    with pytest.raises(DeriveError, match=said):
        rename(text, old, new)


def place(text, word, **others):
    """The file and the text to which the definition of a word leads."""
    texts = {HERE.with_name(f"{name}.toml"): held for name, held in others.items()}
    found = defined_at(OpenFile(HERE, text, texts), text.index(word))
    if found is None:
        return None
    path, span = found
    held = text if path == HERE else texts[path] if path in texts else path.read_text(encoding="utf-8")
    return path.name, held[: span[0]].count("\n") + 1, held[slice(*span)]


def test_a_definition_is_found_in_the_file_in_others_and_in_the_library() -> None:
    assert place(TEXT, "gravity*") == ("file.toml", 5, "gravity")
    user = 'uses = ["base.toml"]\n[relations.r]\nequation = "x = 2*y"\n'
    assert place(user, "y", base=BASE) == ("base.toml", 3, "y")
    assert place(user, "base.toml", base=BASE) == ("base.toml", 1, "")
    llm = 'uses = ["llm"]\n[relations.r]\nequation = "batch = 3*sequences"'
    name, _, shown = place(llm, "batch")
    assert (name.endswith(".toml"), shown) == (True, "batch")
    assert place(llm, "sequences") is None
    assert place(TEXT, "because =") is None


def test_a_profile_that_an_example_names_is_found() -> None:
    text = TEXT.replace('asked = "period"\n', 'asked = "period"\nprofiles = ["clock"]\n')
    assert place(text, 'clock"]') == ("file.toml", 11, "clock")
