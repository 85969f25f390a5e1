"""Pictures in three formats, and `-` for the standard input and output."""

from __future__ import annotations

import json
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


def test_claims_and_prices_are_read_from_the_standard_input():
    claims = b'[claims.drain]\nsays = "24 ms"\n[[claims.drain.clauses]]\nsays = "24 ms"\n'
    claims += b'[[claims.drain.clauses.readings]]\nasked = "drain_time"\nprofiles = ["h100-sxm"]\nexpected = "24 ms"\n'
    data = json.loads(ask("audit", "--claims", "-", "--json", stdin=claims).out)
    assert [one["id"] for one in data["claims"]] == ["drain"]
    sheet = b'[profiles.mine]\ninput_price = "1 USD/Mtoken"\noutput_price = "5 USD/Mtoken"\n'
    assert ask("infer", "-", stdin=sheet).err == ""
