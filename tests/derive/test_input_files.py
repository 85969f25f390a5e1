"""Whatever a name stands for is read whole, or its reading ends when the time is over; nothing fills the memory."""

from __future__ import annotations

import io
import os
import random
import threading
import time
from pathlib import Path

import pytest

import derive
from derive import files, time_limits
from derive.files import content_of, content_of_stream
from tests.derive.terminal import ask, settle

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
SUM = """\
[quantities]
a = { unit = "" }
b = { unit = "" }
[relations.sum]
equation = "b = 2*a"
"""
MARGIN = 8.0
"""Seconds beyond the limit, on a busy machine and with what a verb loads; without an end there would be no reply."""


@pytest.fixture(autouse=True)
def _by_the_clock_on_the_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limits, "_WALL", 1)


def written_late(path: Path, content: bytes, seed: int) -> threading.Thread:
    """A thread that writes a content in pieces, now and then pausing."""
    draw = random.Random(seed)

    def write() -> None:
        time.sleep(draw.random() / 10)
        with path.open("wb", buffering=0) as file:
            rest = content
            while rest:
                size = draw.randint(1, 100_000)
                file.write(rest[:size])
                rest = rest[size:]
                if draw.random() < 0.1:
                    time.sleep(0.06)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


@pytest.mark.parametrize("seed", range(4))
def test_a_file_and_a_pipe_hold_what_was_written(tmp_path: Path, seed: int) -> None:
    content = random.Random(seed).randbytes(400_000 * seed)
    (tmp_path / "file").write_bytes(content)
    os.mkfifo(tmp_path / "pipe")
    thread = written_late(tmp_path / "pipe", content, seed)
    assert content_of(tmp_path / "pipe") == content
    thread.join()
    assert content_of(tmp_path / "file") == content
    with (tmp_path / "file").open("rb") as file:
        assert file.read(1) == content[:1]
        assert content_of_stream(file) == content[1:]
    assert content_of_stream(io.BytesIO(content)) == content


def test_what_has_no_end_is_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 100_000)
    assert len(content_of("/dev/zero")) == 100_001
    with open("/dev/zero", "rb") as file:
        assert len(content_of_stream(file)) == 100_001


def test_what_cannot_be_read_is_an_error_of_the_system(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(OSError, match=r"Is a directory|No such file"):
            content_of(path)


def test_a_name_too_long_for_a_file_is_no_library_and_no_file(tmp_path: Path) -> None:
    for name in ("a" * 300, "a" * 300 + ".toml"):
        with pytest.raises(derive.ExpressionError, match="file name too long"):
            derive.load(name)
        (tmp_path / "using.toml").write_text(f'uses = ["{name}"]\n', encoding="utf-8")
        problems = derive.check(tmp_path / "using.toml")
        assert len(problems) == 1
    for command in (("solve", "y", "--library"), ("check",), ("report",), ("infer",)):
        told = ask(*command, "a" * 300 + (".md" if command == ("report",) else ""))
        assert told.status == 2
        assert "output" not in told.err


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    "words",
    [
        ("solve", "b", "a=1", "--library", "pipe.toml"),
        ("solve", "b", "a=1", "--library", "sum.toml", "--add", "pipe.toml"),
        ("solve", "b", "a=1", "--library", "user.toml"),
        ("sweep", "b", "a=1..2", "--library", "pipe.toml"),
        ("check", "pipe.toml"),
        ("infer", "pipe.toml"),
        ("audit", "--claims", "pipe.toml"),
        ("report", "pipe.md"),
    ],
)
def test_a_pipe_that_nobody_writes_to_ends_no_later_than_told(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(tmp_path, {"sum.toml": SUM, "user.toml": f'uses = ["pipe.toml"]\n{SUM}'}, monkeypatch)
    for name in ("pipe.toml", "pipe.md"):
        os.mkfifo(name)
    begun = time.monotonic()
    said = ask(*words, "--seconds", "0.3")
    assert time.monotonic() < begun + 0.3 + MARGIN
    assert said.status in (1, 2)
    assert "longer than 0.3 s" in said.err or "not a file" in said.err


@pytest.mark.thorough
def test_a_library_is_loaded_from_a_pipe_once_it_is_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(derive.LimitError), derive.limits(seconds=0.2):
        derive.load(tmp_path / "pipe.toml")
    thread = written_late(tmp_path / "pipe.toml", SUM.encode(), 0)
    assert derive.load(tmp_path / "pipe.toml").solve("b", a=2).value.magnitude == 4
    thread.join()
