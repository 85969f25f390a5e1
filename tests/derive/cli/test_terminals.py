"""On a terminal: long lines are broken between words, what fails is red, long work has a bar; and nowhere else."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import derive
from derive.cli.output import wrapped
from derive.tables import progress
from derive.tokens.audit import audit

pty = pytest.importorskip("pty")
RED = "\x1b[31m"
FULL = ("solve", "memory_throughput", "batch=240 sequence", "weight_bytes=26 GB", "chips=8 chip",
        "kv_bytes_per_sequence=6.7 GB/sequence", "hbm_bandwidth=8.2e11 B/s/chip",
        "hbm_capacity=16 GB/chip")  # fmt: skip


@given(st.lists(st.text("abc_*/=", min_size=1, max_size=12), max_size=30), st.integers(0, 8), st.integers(0, 100))
def test_wrapping_loses_no_word_and_keeps_to_the_width(words, indent, width):
    line = " " * indent + " ".join(words)
    rows = wrapped(line, width)
    assert " ".join(rows).split() == words
    if len(rows) > 1:
        assert all(len(row) <= width or len(row.split()) == 1 for row in rows)
        assert all(row.startswith(" " * indent) for row in rows)


def seen(tmp_path: Path, *words: str, columns: int = 72, **more: str) -> str:
    """What a command shows on a terminal of its own."""
    leader, follower = pty.openpty()
    environment = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    root = str(Path(derive.__file__).parents[1])
    environment |= {"PYTHONPATH": root, "DERIVE_CACHE": str(tmp_path / "cache"), "TERM": "xterm", **more}
    program = textwrap.dedent(f"""
        import fcntl, struct, sys, termios
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, {columns}, 0, 0))
        sys.argv[1:] = {list(words)!r}
        from derive.__main__ import main
        main()
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=follower, stderr=follower, stdin=follower, env=environment
    ):
        os.close(follower)
        shown = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.thorough
@pytest.mark.parametrize("again", [False, True])
def test_what_fails_is_red_and_lines_fit(tmp_path, again):
    for _ in range(2 if again else 1):  # the second time from the cache
        shown = seen(tmp_path, *FULL)
    assert f"{RED}  fits_in_memory does not hold" in shown
    assert f"{RED}  FAILS: " in shown
    for name in ("\x1b[0m", "\x1b[1m", RED):
        shown = shown.replace(name, "")
    wide = [line for line in shown.splitlines() if len(line) > 72]
    assert all(len(line.split()) < 3 for line in wide), wide


@pytest.mark.thorough
def test_there_is_no_colour_where_it_is_not_wanted_or_not_seen(tmp_path):
    assert "\x1b" not in seen(tmp_path, *FULL, NO_COLOR="1")
    assert RED in seen(tmp_path, *FULL)
    assert "\x1b" not in seen(tmp_path, *FULL, NO_COLOR="1")
    done = subprocess.run([sys.executable, "-m", "derive", *FULL], capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.thorough
def test_an_error_is_red_on_a_terminal(tmp_path):
    assert f"{RED}derive: There is no quantity" in seen(tmp_path, "solve", "stp_time")
    assert "\x1b" not in seen(tmp_path, "solve", "stp_time", NO_COLOR="1")


def bar(monkeypatch: pytest.MonkeyPatch, work, *, is_terminal: bool) -> str:
    page = io.StringIO()
    console = Console(file=page, force_terminal=is_terminal, width=80)
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    work()
    return page.getvalue()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("work", "what"),
    [
        (lambda: audit(["C17", "C20", "C22"]), "claims"),
        (lambda: derive.infer("claude-opus-4-6-prices"), "questions"),
    ],
)
def test_long_work_has_a_bar_with_the_time_left(work, what, monkeypatch):
    shown = bar(monkeypatch, work, is_terminal=True)
    assert what in shown
    assert ":" in shown  # the time
    assert bar(monkeypatch, work, is_terminal=False) == ""


def test_what_is_done_within_a_step_has_no_bar_of_its_own(monkeypatch):
    def inner() -> int:
        return len(list(progress.with_progress_bar(((1, n) for n in range(3)), 3, "points")))

    shown = bar(
        monkeypatch,
        lambda: list(progress.with_progress_bar(((1, inner()) for _ in range(3)), 3, "claims")),
        is_terminal=True,
    )
    assert "claims" in shown
    assert shown.count("points") <= shown.count("claims")
    assert progress._SHOWN == []


@pytest.mark.thorough
def test_what_a_sample_assumes_stands_once(tmp_path):
    relations = """[quantities]
        power = { unit = "W" }
        efficiency = { unit = "", value = "1", seen = { least = "0.2", source = "a data sheet" } }
        light = { unit = "W" }
        [relations]
        light = { equation = "light = power*efficiency" }"""
    (tmp_path / "lamp.toml").write_text(textwrap.dedent(relations))
    library = str(tmp_path / "lamp.toml")
    shown = seen(tmp_path, "sample", "light", "power=2..6 W", "--library", library, "--points", "50", columns=200)
    assert shown.count("with efficiency 0.2") == 1
