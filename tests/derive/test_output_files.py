"""Files are whole under their names, or not there: whatever ends the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from derive import DeriveError
from derive.files import MARK, sealed, write_whole, written_whole
from tests.derive.terminal import ask, settle

SUM = """\
[quantities]
a = { unit = "" }
b = { unit = "" }
c = { unit = "" }
[relations.sum]
equation = "c = a + b"
"""
ENDLESS = ("sweep", "--force", "c", "a=1..9", "b=1..9", "--points", "30000", "--library", "sum.toml", "-o", "x.csv")


def test_what_was_there_stays_until_all_of_the_new_is_there(tmp_path: Path):
    place = tmp_path / "told.txt"
    place.write_text("before")
    place.chmod(0o640)

    def half(file: IO[bytes]) -> None:
        file.write(b"half")
        file.flush()
        assert place.read_text() == "before"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), written_whole(place) as file:
        half(file)
    assert (place.read_text(), os.listdir(tmp_path)) == ("before", ["told.txt"])
    write_whole(place, "after ü")
    assert (place.read_text(encoding="utf-8"), os.listdir(tmp_path)) == ("after ü", ["told.txt"])
    assert place.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link_and_a_device_is_written_to(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "told.txt")
    write_whole(tmp_path / "link", "here")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "told.txt").read_text() == "here"
    write_whole("/dev/null", "nowhere")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("place", ["nowhere/x.txt", "folder", "file/x.txt", "x" * 300])
def test_what_cannot_be_written_is_told_in_words(place, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("a file")
    with pytest.raises(DeriveError, match="cannot be written: "):
        write_whole(tmp_path / place, "text")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_a_text_that_quotes_a_name_of_no_characters_is_refused_in_words(tmp_path: Path):
    """Such is the name of a file whose bytes are no UTF-8, as the system tells it."""
    for text in ("of \udcff.toml", f"{MARK} of \udcff.toml"):
        with pytest.raises(DeriveError, match="is no Unicode text"):
            write_whole(tmp_path / "x.txt", sealed(text))
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_told_in_words():
    with pytest.raises(DeriveError, match="no space left"):
        write_whole("/dev/full", "text" * 10_000)


@pytest.mark.parametrize(
    "words",
    [
        ("sweep", "c", "a=1..9", "b=2", "-o", "nowhere/x.csv"),
        ("sweep", "c", "a=1..9", "b=2", "-o", "nowhere/x.svg"),
        ("graph", "c", "-o", "nowhere/x.svg"),
        ("report", "--out", "sum.toml/x", "prices"),
    ],
)
def test_every_verb_that_writes_a_file_says_so_and_leaves_with_two(words, tmp_path: Path, monkeypatch):
    settle(tmp_path, {"sum.toml": SUM}, monkeypatch)
    on = () if words[0] == "report" else ("--library", "sum.toml")
    said = ask(*words, *on)
    assert said.status == 2
    assert "cannot be written" in said.err
    assert os.listdir(tmp_path) == ["sum.toml"]


def _heed_interrupts() -> None:
    """A shell starts what runs behind it deaf to interrupts, and a test run may be such a thing."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent otherwise")
@pytest.mark.parametrize(("sent", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_an_interrupt_leaves_no_half_of_a_file(sent, status, tmp_path: Path, monkeypatch):
    settle(tmp_path, {"sum.toml": SUM, "x.csv": "before"}, monkeypatch)
    home = Path(__file__).parents[2]
    running = subprocess.Popen(
        [sys.executable, "-m", "derive", *ENDLESS],
        env={**os.environ, "PYTHONPATH": str(home), "DERIVE_CACHE": "off"},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509  # nothing else runs in this process meanwhile
    )
    while not any(entry.stat().st_size for entry in tmp_path.glob(".x.csv.*")) and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(signal.Signals[sent])
    _, told = running.communicate()
    assert running.returncode == status
    assert ("interrupted" in told) == (sent == "SIGINT")
    assert "Traceback" not in told
    assert (Path("x.csv").read_text(), sorted(os.listdir(tmp_path))) == ("before", ["sum.toml", "x.csv"])
