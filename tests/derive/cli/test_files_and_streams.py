"""Pictures in three formats, and `-` for the standard input and output."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.derive.terminal import ask, settle
from tests.ordinary import one_in

ROOT = Path(__file__).parents[3]
PENDULUM = """\
[quantities]
length = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
period = { unit = "s" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
"""
ON = ("--library", "pendulum.toml")
PICTURES = [
    ("sweep", "period", "length=1..4 m", "--points", "3"),
    ("sample", "period", "length=1..4 m", "--points", "100"),
    ("least", "period", "length=1..4 m"),
    ("compare", "period", "length=1 m", "--against", "length=2 m"),
    ("border", "period", "length=1..4 m"),
]
BEGINS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"pendulum.toml": PENDULUM}, monkeypatch)


def drawn(output: str, *command: str):
    """`compare` ends in its second scenario, so that its options come first."""
    verb, *words = command
    return ask(verb, "-o", output, *ON, *words)


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("command", PICTURES, ids=[command[0] for command in PICTURES])
@pytest.mark.parametrize("ending", BEGINS)
def test_the_ending_of_the_file_says_the_format(command, ending):
    said = drawn(f"picture{ending}", *command)
    assert said.status == 0, said
    assert Path(f"picture{ending}").read_bytes().startswith(BEGINS[ending])


@pytest.mark.parametrize("command", PICTURES, ids=[command[0] for command in PICTURES])
def test_a_picture_that_cannot_be_written_is_refused_before_the_work(command):
    for output in ("picture.gif", "picture", "absent/picture.svg", "."):
        said = drawn(output, *command)
        assert (said.status, said.out) == (2, ""), output
        assert repr(output) in said.err


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("command", PICTURES[1:], ids=[command[0] for command in PICTURES[1:]])
def test_a_picture_goes_to_the_standard_output_alone(command):
    said = drawn("-", *command)
    assert said.status == 0
    assert said.out.startswith("<?xml")
    assert said.out.endswith("</svg>\n")
    assert not Path("-").exists()


def test_a_table_goes_to_the_standard_output_as_csv():
    said = ask("sweep", "period", "length=1, 4 m", "-o", "-", *ON)
    assert said.out.splitlines()[0] == "length [m],period [s],holds,fails"
    assert float(said.out.splitlines()[2].split(",")[1]) == pytest.approx(4.0128, rel=1e-4)


@pytest.mark.thorough
def test_the_same_picture_has_the_same_bytes():
    for ending in BEGINS:
        for name in ("one", "two"):
            drawn(f"{name}{ending}", *PICTURES[0])
        assert Path(f"one{ending}").read_bytes() == Path(f"two{ending}").read_bytes()


def test_a_library_is_read_from_the_standard_input():
    said = ask("solve", "period", "length=0.994 m", "--library", "-", stdin=PENDULUM.encode())
    assert said == (0, "period = 2.00038 s\n", "")
    assert ask("check", "-", stdin=PENDULUM.encode()).out == "-: consistent (1 relation over 3 quantities)\n"
    more = b'[quantities]\nyear = { unit = "s" }\n[relations]\nyear = { equation = "year = 2*period" }\n'
    assert ask("solve", "year", "length=0.994 m", "--add", "-", *ON, stdin=more).out == "year = 4.00076 s\n"


@pytest.mark.parametrize("content", [b"", b"x", b"length = 2", b"\xff\xfe", b"[quantities", b"\x00"])
def test_what_the_standard_input_holds_is_never_a_path(content):
    Path("x").write_text(PENDULUM, encoding="utf-8")
    said = ask("solve", "period", "length=1 m", "--library", "-", stdin=content)
    assert said.status in (1, 2)
    assert "Traceback" not in said.err
    assert "internal error" not in said.err


@pytest.mark.thorough
def test_claims_and_prices_are_read_from_the_standard_input():
    claims = b'[claims.drain]\nsays = "24 ms"\n[[claims.drain.clauses]]\nsays = "24 ms"\n'
    claims += b'[[claims.drain.clauses.readings]]\nasked = "drain_time"\nprofiles = ["h100-sxm"]\nexpected = "24 ms"\n'
    data = json.loads(ask("audit", "--claims", "-", "--json", stdin=claims).out)
    assert [one["id"] for one in data["claims"]] == ["drain"]
    sheet = b'[profiles.mine]\ninput_price = "1 USD/Mtoken"\noutput_price = "5 USD/Mtoken"\n'
    assert ask("infer", "-", stdin=sheet).err == ""


WRITING = [
    *((*command, "-o", f"kept{ending}") for command in PICTURES if command[0] != "compare" for ending in BEGINS),
    ("sweep", "period", "length=1..4 m", "-o", "kept.csv"),
    ("sweep", "period", "length=1..4 m", "--each", "gravity=9 m/s**2,1 m/s**2", "-o", "kept.csv"),
    ("graph", "period", "length", "-o", "kept.svg"),
    ("page", "period", "length=1..4 m", "-o", "kept.html"),
    ("compile", "period", "length", "-o", "kept.py"),
]


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize(
    "command", one_in(1, WRITING, (f"{command[0]}-{command[-1]}" for command in WRITING), thorough=3)
)
def test_a_file_is_replaced_only_if_derive_wrote_it_or_is_told_to(command):
    """What somebody else wrote may be anything: a relation file, a template, words about derive, bytes."""
    place = Path(command[-1])
    for own in (
        PENDULUM.encode(),
        b"# derive this\nmade by hand, with derive\n",
        b"# Made by derive, and since then by hand.\n",
        b"The report says: derive 0.1.0; numbers are shown rounded and computed with all their digits.\n",
        bytes(range(256)) * 99,
        b"a,b,holds\n1",
    ):
        place.write_bytes(own)
        said = ask(*command, *ON)
        assert (said.status, said.out, place.read_bytes()) == (2, "", own)
        assert f"'{place}' is there already, and derive did not write it." in said.err
        assert "--force" in said.err
    assert ask(*command, *ON, "--force").status == 0
    made = place.read_bytes()
    assert made != own
    assert ask(*command, *ON).status == 0
    assert place.read_bytes() == made
    place.write_bytes(b"")
    assert ask(*command, *ON).status == 0


TEXTS = [command for command in WRITING if not command[-1].endswith((".csv", ".png", ".pdf"))]


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("command", TEXTS, ids=[f"{command[0]}-{command[-1]}" for command in TEXTS])
def test_a_file_that_was_changed_since_is_replaced_only_if_told_to(command):
    place = Path(command[-1])
    assert ask(*command, *ON).status == 0
    made = place.read_bytes()
    for edited in (made + b"\n", made[:-1], made.replace(b"period", b"Period", 1)):
        place.write_bytes(edited)
        said = ask(*command, *ON)
        assert (said.status, said.out, place.read_bytes()) == (2, "", edited)
        assert f"'{place}' is there already, and was changed since derive wrote it." in said.err
    assert ask(*command, *ON, "--force").status == 0
    assert place.read_bytes() == made
    place.write_bytes(made.replace(b"\n", b"\r\n"))  # as version control may store it
    assert ask(*command, *ON).status == 0
    assert place.read_bytes() == made
    unsealed = re.sub(rb" \[[0-9a-f]{32}\]", b"", made, count=1)  # as derive wrote it before there were seals
    place.write_bytes(unsealed)
    assert ask(*command, *ON).status == 0
    assert place.read_bytes() == made


def test_a_report_leaves_the_files_of_others_in_its_folder(tmp_path):
    Path("mine.md").write_text("# Mine\n\nA pendulum.\n")
    Path("pages").mkdir()
    Path("pages/mine.tex").write_text("a paper")
    said = ask("report", "mine.md", "--out", "pages")
    assert said.status == 2
    assert "derive did not write it" in said.err
    assert Path("pages/mine.tex").read_text() == "a paper"
    assert not Path("pages/mine.md").exists()
    for force in (["--force"], []):
        assert ask("report", "mine.md", "--out", "pages", "--html", *force).status == 0


SAID = "\x1b]0;title\x07 \x1b[2J \x9b2J \x1b[31mred \u202eder\u2066"


@pytest.mark.parametrize("code", ["001B", "009B", "202E", "2066"])
def test_control_characters_of_a_file_are_refused_with_their_line(code):
    text = PENDULUM.replace('"s" }', f'"s", meaning = "\\u{code}]0;a title\\u0007" }}')
    Path("pendulum.toml").write_text(text)
    said = ask("solve", "period", "length=1 m", *ON)
    assert (said.status, said.out) == (2, "")
    assert f"pendulum.toml:4: quantities.period.meaning has the control character U+{code}.\n  Take it out." in said.err


@pytest.mark.parametrize(
    "words",
    [
        ("solve", SAID),
        ("solve", "period", f"length={SAID}"),
        ("solve", "period", f"{SAID}=1 m"),
        ("solve", "period", "--with", SAID),
        ("show", SAID),
        ("find", SAID),
        ("sweep", "period", "length=1..2 m", "-o", f"{SAID}.csv"),
        ("graph", "period", "length", "-o", f"{SAID}/x.svg"),
        ("check", f"{SAID}.toml"),
        (SAID,),
    ],
    ids=range(10),
)
def test_no_control_character_of_a_name_reaches_the_terminal(words):
    said = ask(*words, *(ON if words[0] in ("solve", "sweep", "graph") else ()))
    assert not set(said.out + said.err) & {"\x1b", "\x07", "\x9b", "\u202e", "\u2066"}


COMMAND = [sys.executable, "-m", "derive"]
ASKED = ["solve", "period", "length=1 m", *ON]
SERVERS = [verb for verb, package in {"serve": "mcp", "serve-editor": "pygls"}.items() if find_spec(package)]


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("words", "shell", "status", "told"),
    [
        (ASKED, ">&-", 2, "the output cannot be written"),
        (ASKED, "2>&-", 0, ""),
        (["solve", "period", "--library", "-"], "<&-", 2, "The standard input is closed"),
        (["graph", "period", "length", *ON, "-o", "x.svg"], ">&- 2>&- <&-", 0, ""),
        (["list", "profiles"], ">/dev/full", 2, "no space left"),
        *(([verb], "<&-", 2, "The standard input is closed") for verb in SERVERS),
        *(([verb], ">&- </dev/null", 2, "The standard output is closed") for verb in SERVERS),
        *(([verb], "2>&- </dev/null", 0, "") for verb in SERVERS),
    ],
    ids=["no output", "no errors", "no input", "nothing", "full", *(f"{no} {one}" for no in "iox" for one in SERVERS)],
)
def test_a_closed_stream_is_no_internal_error(words, shell, status, told, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DERIVE_CACHE": str(tmp_path / "cache")}
    command = f"{shlex.join([*COMMAND, *words])} {shell}"
    for _ in range(2):  # the second time from the cache, where there is one
        done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == status, done
        assert told in done.stderr
        assert "internal error" not in done.stderr
        assert "Traceback" not in done.stderr


ENCODINGS = ("ascii", "latin-1", "cp1252", "utf-8:strict", "utf-16")
IN_AN_ENCODING = [*itertools.product(["Ω", "ü", os.fsdecode(b"\xff"), "\U0001f600"], ENCODINGS)]


@pytest.mark.thorough
@pytest.mark.parametrize("case", one_in(3, IN_AN_ENCODING, (f"{said!a}-{name}" for said, name in IN_AN_ENCODING)))
def test_what_a_stream_has_no_code_for_is_written_in_ascii(case, tmp_path):
    """And is written alike when the answer comes from the cache."""
    said, encoding = case
    title = "Ω ü \U0001f600"
    Path("pendulum.toml").write_text(f"title = '{title}'\n{PENDULUM}".replace('"s"', f'"s", meaning = "{title}"'))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DERIVE_CACHE": str(tmp_path / "cache")}
    environment["PYTHONIOENCODING"] = encoding
    codec = {"ascii": "utf-8"}.get(encoding, encoding.partition(":")[0])
    for words in (["find", said], ["show", "period", *ON]):
        done = [subprocess.run([*COMMAND, *words], capture_output=True, env=environment, check=False) for _ in "12"]
        for told in done:
            assert told.stderr == b""
            wanted = title if words[0] == "show" else said
            assert wanted.encode(codec, "backslashreplace").removeprefix(b"\xff\xfe") in told.stdout
        assert done[0].stdout == done[1].stdout


@pytest.mark.thorough
def test_a_back_end_that_is_none_hinders_no_picture():
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "junk"}
    subprocess.run([*COMMAND, *PICTURES[0], *ON, "-o", "x.svg"], env=environment, check=True)
    assert Path("x.svg").read_bytes().startswith(BEGINS[".svg"])
