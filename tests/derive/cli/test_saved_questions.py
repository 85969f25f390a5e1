"""A question kept in a file comes to the same again, from any folder; and says so when it does not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.derive.terminal import ask, settle

PENDULUM = """\
[quantities]
length = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
period = { unit = "s" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
[profiles.moon]
gravity = "1.62 m/s**2"
[profiles.clock]
length = "0.994 m"
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"pendulum.toml": PENDULUM}, monkeypatch)


QUESTIONS = [
    ("period", "length=0.994 m"),
    ("period in ms, length/period", "length=0.994 m"),
    ("length", "period=2 s", "--with", "moon"),
    ("period", "--each", "clock,moon", "--with", "clock"),
    ("period", "length=1..2 m"),
    ("period", "length=0.994 m", "--in", "ms"),
]


@pytest.mark.parametrize("words", QUESTIONS, ids=[" ".join(words) for words in QUESTIONS])
def test_a_saved_question_comes_to_the_same(words, tmp_path, monkeypatch):
    first = ask("solve", *words, "--library", "pendulum.toml", "--save", "asked.toml")
    assert first.status == 0, first
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert ask("solve", "--from", "../asked.toml") == first
    assert ask("solve", "--from", "../asked.toml", "--save", "again.toml") == first
    again, before = (tomllib.loads(Path(one).read_text(encoding="utf-8")) for one in ("again.toml", "../asked.toml"))
    assert again.pop("library") == "../pendulum.toml"
    assert before.pop("library") == "pendulum.toml"
    assert again == before


def test_what_stands_beside_it_counts_more():
    ask("solve", "period", "length=0.994 m", "--library", "pendulum.toml", "--save", "asked.toml")
    assert ask("solve", "--from", "asked.toml", "length=4 m").out == "period = 4.01282 s\n"
    assert ask("solve", "--from", "asked.toml", "--with", "moon").out == "period = 4.9217 s\n"
    assert ask("solve", "length/gravity", "--from", "asked.toml").out == "length_per_gravity = 0.10136 s**2\n"
    assert ask("solve", "--from", "asked.toml", "--in", "ms").out == "period = 2000.38 ms\n"


def test_an_answer_that_has_changed_is_told():
    ask("solve", "period", "length=0.994 m", "--library", "pendulum.toml", "--save", "asked.toml")
    Path("pendulum.toml").write_text(PENDULUM.replace("9.80665", "9.81"), encoding="utf-8")
    said = ask("solve", "--from", "asked.toml")
    assert said.out == "period = 2.00004 s\n"
    assert "period = 2.00004 s now; it was 2.00038" in said.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no target"),
        ('target = "period"', "'target' is not written"),
        ('target = ["period"]\nwidth = 3', "the key 'width'"),
        ('target = ["period"]\n[given]\nlength = 3', "'given' is not written"),
        ('target = ["period"]\ngiven = 3', "'given' is not written"),
        ('target = ["period"]\nlibrary = 3', "'library' is not written"),
        ("target = [", "no saved question"),
        ('target = ["perod"]\nlibrary = "pendulum.toml"', "Did you mean period?"),
        ('target = ["period"]\nlibrary = "absent.toml"', "cannot be read"),
    ],
)
def test_what_is_no_saved_question_is_refused_in_words(text, told):
    Path("asked.toml").write_text(text, encoding="utf-8")
    said = ask("solve", "--from", "asked.toml")
    assert (said.status, said.out) == (2, "")
    assert told in said.err


def test_what_has_no_name_is_not_saved():
    assert ask("solve", "--from", "absent.toml").status == 2
    assert ask("solve").status == 2
    said = ask("solve", "period", "length=1 m", "--library", "-", "--save", "asked.toml", stdin=PENDULUM.encode())
    assert said.status == 2
    assert not Path("asked.toml").exists()
    assert ask("solve", "period", "--library", "pendulum.toml", "--save", "asked.toml").status == 1
    assert not Path("asked.toml").exists()
