"""Answers that are remembered: the same words bring the same answer, at once, and nothing stale or damaged is told."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import pytest

from derive import cache_folder
from tests.ordinary import one_in

ASKED = ["solve", "period", "length=0.994 m", "--library", "clock.toml"]
CLOCK = """[quantities]
length = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
period = { unit = "s" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
"""
HEAVY = ("sympy", "pint", "numpy", "networkx", "click")
LISTING = f"""
import runpy, sys
sys.argv = ["derive", *{ASKED!r}]
try:
    runpy.run_module("derive", run_name="__main__")
finally:
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""


@pytest.fixture
def room(tmp_path, monkeypatch):
    (tmp_path / "clock.toml").write_text(CLOCK)
    monkeypatch.setenv("DERIVE_CACHE", str(tmp_path / "kept"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask():
    environment = {**os.environ, "PYTHONPATH": str(Path(cache_folder.__file__).parents[1])}
    return subprocess.run([sys.executable, "-c", LISTING], capture_output=True, text=True, env=environment, check=False)


def entries(room):
    return sorted((room / "kept" / "derive-engine").iterdir()) if (room / "kept").exists() else []


@pytest.mark.thorough
def test_what_was_asked_before_is_answered_without_importing_what_answers(room):
    first, second = ask(), ask()
    assert first.stdout == second.stdout == "period = 2.00038 s\n"
    assert "click" in first.stderr
    assert second.stderr == "[]\n"


PIPED = [["solve", "period", *ASKED[2:], "--steps"], ["show", "h100-sxm"], ["list", "quantities"]]


@pytest.mark.long
@pytest.mark.parametrize("words", one_in(1, PIPED, [" ".join(words) for words in PIPED], thorough=3))
def test_an_answer_whose_reader_stops_early_is_not_remembered_in_part(room, words):
    """The reading end is closed before anything is written; the next reader gets all of it."""
    environment = {**os.environ, "PYTHONPATH": str(Path(cache_folder.__file__).parents[1]), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "derive", *words]
    for _ in range(2):
        reading, writing = os.pipe()
        os.close(reading)
        cut = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment, check=False)
        os.close(writing)
        assert (cut.returncode, cut.stderr) == (0, "")
        whole = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
        again = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
        assert whole == again
        assert whole.count("\n") > 3


@pytest.mark.thorough
def test_a_changed_file_is_read_again(room):
    ask()
    (room / "clock.toml").write_text(CLOCK.replace("9.80665", "1.62"))
    assert ask().stdout == "period = 4.9217 s\n"


def test_a_changed_claim_is_read_again(room, capsys):
    for claim in ("one", "other"):
        (room / "claims.toml").write_text(f"[claims.{claim}]")
        cache_folder.answered(["audit", "--claims", "claims.toml"], answering(claim))
        cache_folder.answered(["audit", "--claims=claims.toml"], answering(claim))
    assert capsys.readouterr().out == "one\none\nother\nother\n"


def test_a_file_that_builds_on_others_is_asked_anew(room, capsys):
    (room / "clock.toml").write_text('uses = ["base.toml"]')
    for answer in ("one", "other"):
        cache_folder.answered(["solve", "period", "--library", "clock.toml"], answering(answer))
    assert capsys.readouterr().out == "one\nother\n"
    assert entries(room) == []


def test_a_changed_sheet_is_read_again(room, capsys):
    for price in ("1 USD/Mtoken", "2 USD/Mtoken", "2 USD/Mtoken"):
        (room / "sheet.toml").write_text(f'input_price = "{price}"')
        cache_folder.answered(["infer", "sheet.toml"], answering(price))
    assert capsys.readouterr().out == "1 USD/Mtoken\n2 USD/Mtoken\n2 USD/Mtoken\n"
    assert len(entries(room)) == 2


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize(("more", "status"), [([], 0), (["--strict"], 1)])
def test_what_was_said_beside_the_answer_is_said_again_with_the_same_status(room, more, status):
    (room / "clock.toml").write_text(CLOCK + '[relations.short]\nequation = "length <= period**2*gravity/100"\n')
    words = [*ASKED, *more]
    environment = {**os.environ, "PYTHONPATH": str(Path(cache_folder.__file__).parents[1])}
    command = [sys.executable, "-m", "derive", *words]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, env=environment, check=False) for _ in range(2)
    )
    assert len(entries(room)) == 1
    assert (first.stdout, first.stderr, first.returncode) == (second.stdout, second.stderr, second.returncode)
    assert first.stdout == "period = 2.00038 s\n"
    assert first.stderr == (
        "derive: short does not hold: length is 0.994 m, more than period**2*gravity/100, which is 0.3924 m.\n"
    )
    assert first.returncode == status


@pytest.mark.parametrize("words", [["infer", "pipe"], ["solve", "x", "--library", "pipe"], ["show", "x", "--add=pipe"]])
def test_a_pipe_is_left_alone_and_nothing_of_it_is_remembered(room, words):
    os.mkfifo(room / "pipe")
    calls: list[str] = []
    for _ in range(2):
        assert cache_folder.answered(words, answering("read", 0, calls)) == 0
    assert (len(calls), entries(room)) == (2, [])


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"00\nperiod = 3 s\n", b"\xff\xfe"])
def test_a_damaged_entry_is_as_good_as_none(room, damage, capsys):
    cache_folder.answered(ASKED, answering("first"))
    (entry,) = entries(room)
    entry.write_bytes(damage)
    for text in ("again", "not asked"):
        assert cache_folder.answered(ASKED, answering(text)) == 0
    assert capsys.readouterr().out == "first\nagain\nagain\n"


def test_it_can_be_switched_off(room, monkeypatch, capsys):
    monkeypatch.setenv("DERIVE_CACHE", "off")
    for text in ("first", "again"):
        cache_folder.answered(ASKED, answering(text))
    assert capsys.readouterr().out == "first\nagain\n"
    assert entries(room) == []


def test_a_folder_that_cannot_be_written_is_nobody_s_trouble(room, monkeypatch, capsys):
    (room / "file").write_text("")
    monkeypatch.setenv("DERIVE_CACHE", str(room / "file"))
    assert cache_folder.answered(ASKED, answering("first")) == 0
    assert capsys.readouterr().out == "first\n"


def answering(text, status=0, calls=None):
    def answer():
        if calls is not None:
            calls.append(text)
        sys.stdout.write(f"{text}\n")
        return status

    return answer


def test_only_answers_are_remembered(room, capsys):
    calls: list[str] = []
    for _ in range(2):
        assert cache_folder.answered(["solve", "x"], answering("no", 1, calls)) == 1
        assert cache_folder.answered(["report"], answering("written", 0, calls)) == 0
    assert calls == ["no", "written"] * 2


@pytest.mark.parametrize("other", [["solve", "y"], ["solve", "x", "--json"], ["solve", "x", ""], ["show", "x"]])
def test_other_words_are_another_question(room, capsys, other):
    cache_folder.answered(["solve", "x"], answering("one"))
    cache_folder.answered(other, answering("two"))
    assert capsys.readouterr().out == "one\ntwo\n"


def test_a_changed_source_or_version_makes_all_of_it_forgotten(room, monkeypatch, capsys):
    cache_folder.answered(["solve", "x"], answering("one"))
    monkeypatch.setattr(cache_folder, "sources", lambda: iter(["clock.toml"]))
    cache_folder.answered(["solve", "x"], answering("two"))
    monkeypatch.setattr(cache_folder, "_versions", lambda packages: ["sympy-9.dist-info"])
    cache_folder.answered(["solve", "x"], answering("three"))
    assert capsys.readouterr().out == "one\ntwo\nthree\n"


def test_what_was_not_used_for_longest_makes_room(room, monkeypatch, capsys):
    monkeypatch.setattr(cache_folder, "_LARGEST_TOTAL", 3 * 1040)
    for i in range(5):
        cache_folder.answered(["solve", str(i)], answering(f"{i}" * 999))
        os.utime(max(entries(room), key=lambda path: path.stat().st_mtime), (i, i))
    assert len(entries(room)) == 3
    capsys.readouterr()
    cache_folder.answered(["solve", "4"], answering("again"))
    assert capsys.readouterr().out == "4" * 999 + "\n"


@pytest.mark.parametrize("whole", [0, 3 * 1040])
def test_nothing_that_the_cache_did_not_write_is_touched(room, monkeypatch, capsys, whole):
    """A user's own files in the folder that is named, and in the cache's own: older than all entries, and larger."""
    monkeypatch.setattr(cache_folder, "_LARGEST_TOTAL", whole)
    own = room / "kept" / "derive-engine"
    names = [
        "thesis.tex",
        "deep/notes.md",
        "derive-engine/data.csv",
        "derive-engine/" + "a" * 41,
        "derive-engine/" + "a" * 40,
        ".hidden",
    ]
    for name in names:
        path = room / "kept" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine" * 1000)
        os.utime(path, (1, 1))
    (own / ("b" * 40)).symlink_to(room / "kept" / "thesis.tex")
    (own / ("c" * 40)).mkdir()
    for i in range(5):
        cache_folder.answered(["solve", str(i)], answering(f"{i}" * 999))
    assert [(room / "kept" / name).read_text() for name in names] == ["mine" * 1000] * len(names)
    assert (own / ("b" * 40)).is_symlink()
    assert (own / ("c" * 40)).is_dir()


def resealed(old, new, words):
    """The entry of other words in the place of this one's."""
    other = cache_folder._entry(words)
    cache_folder.answered(words, answering("of other words"))
    return Path(other).read_bytes()


def rewritten(old, new, words):
    """Other text under a checksum of the text alone."""
    return blake2b(new, digest_size=16).hexdigest().encode() + b"\n" + new


@pytest.mark.parametrize("write", [resealed, rewritten])
def test_an_entry_that_something_else_wrote_is_not_printed(room, capsys, write):
    cache_folder.answered(ASKED, answering("first"))
    (entry,) = entries(room)
    entry.write_bytes(write(entry.read_bytes(), b"0 9\nforged 2\n", ["solve", "other"]))
    capsys.readouterr()
    cache_folder.answered(ASKED, answering("again"))
    assert capsys.readouterr().out == "again\n"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_to_is_not_used(room, capsys, mode):
    (room / "kept" / "derive-engine").mkdir(parents=True)
    (room / "kept" / "derive-engine").chmod(mode)
    for text in ("first", "again"):
        cache_folder.answered(ASKED, answering(text))
    assert (capsys.readouterr().out, entries(room)) == ("first\nagain\n", [])


def test_a_folder_of_somebody_else_is_not_used(room, monkeypatch, capsys):
    (room / "kept" / "derive-engine").mkdir(parents=True)
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    for text in ("first", "again"):
        cache_folder.answered(ASKED, answering(text))
    assert (capsys.readouterr().out, entries(room)) == ("first\nagain\n", [])


def test_a_named_pipe_in_the_place_of_an_entry_is_not_waited_for(room, capsys):
    cache_folder.answered(ASKED, answering("first"))
    (entry,) = entries(room)
    entry.unlink()
    os.mkfifo(entry)
    cache_folder.answered(ASKED, answering("again"))
    assert capsys.readouterr().out == "first\nagain\n"


@pytest.mark.thorough
def test_several_processes_may_ask_at_once(room):
    asked = [
        subprocess.Popen([sys.executable, "-c", LISTING], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for _ in range(3)
    ]
    assert {process.communicate()[0] for process in asked} == {"period = 2.00038 s\n"}
    assert len(entries(room)) == 1


@pytest.mark.parametrize(("columns", "asked"), [("80", 1), ("200", 2)])
def test_a_page_for_another_terminal_is_asked_anew(room, monkeypatch, columns, asked):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    times = []
    for width in ("80", columns):
        monkeypatch.setenv("COLUMNS", width)
        cache_folder.answered(["audit"], lambda: times.append(sys.stdout.write("a page")) or 0)
    assert len(times) == asked
