"""`derive compile`: a question as a Python file, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.derive.terminal import ask, settle

TANK = """\
[quantities]
side = { unit = "m" }
volume = { unit = "L" }
steel = { unit = "m**2", value = "30 m**2" }
odd = { unit = "" }
[relations]
volume = { equation = "volume = side**3" }
steel = { equation = "6*side**2 <= steel" }
odd = { equation = "odd**5 + sin(odd)*odd**3 = exp(odd)*side*side/steel" }
[profiles]
small = { side = "1 m" }
"""
ON = ("--library", "tank.toml")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"tank.toml": TANK}, monkeypatch)


def made(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(text, space)
    return space


def test_a_file_computes_by_itself_and_says_which_checks_fail() -> None:
    told = ask("compile", "volume", "side", "-o", "tank.py", *ON)
    assert (told.status, told.out) == (0, "tank.py: volume from side\n")
    tank = made(Path("tank.py").read_text(encoding="utf-8"))
    assert tank["answer"](side=2.0) == {"value": 8000.0, "unit": "L", "failed": [], "why": ""}
    assert tank["answer"](side=3.0)["failed"] == ["steel"]


def test_the_answer_is_in_the_unit_asked_for_and_an_expression_is_a_target() -> None:
    assert made(ask("compile", "volume", "side", "--in", "m**3", "-o", "-", *ON).out)["value"](side=2.0) == 8.0
    assert made(ask("compile", "volume/side in m**2", "side", "-o", "-", *ON).out)["value"](side=2.0) == 4.0


def test_a_profile_is_constant_in_it() -> None:
    tank = made(ask("compile", "volume", "--with", "small", "-o", "-", *ON).out)
    assert tank["value"]() == 1000.0
    assert "side, small: 1 m" in tank["__doc__"]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("volume", "side"), 2, "-o"),
        (("volume", "side", "-o", "tank.c"), 2, "unknown file format. Name a file that ends in .py."),
        (("volume", "side", "-o", "tank.js"), 2, "derive page writes JavaScript, inside a page."),
        (("volume", "side=2 m", "-o", "-"), 2, "Write side alone"),
        (("volume", "sid", "-o", "-"), 2, "Did you mean side?"),
        (("volme", "side", "-o", "-"), 2, "Did you mean volume?"),
        (("volume", "-o", "-"), 1, "not determined"),
        (("volume", "side", "--in", "kg", "-o", "-"), 2, "does not fit"),
        (("volume", "side", "--with", "big", "-o", "-"), 2, "There is no profile 'big'"),
        (("side", "odd", "steel", "volume", "-o", "none/x.py"), 2, "cannot be written"),
        (("odd", "side", "-o", "-"), 2, "cannot be worked out by a file alone"),
    ],
)
def test_what_cannot_be_written_is_refused(words: tuple[str, ...], status: int, said: str) -> None:
    told = ask("compile", *words, *ON)
    assert told.status == status
    assert said in told.err
    assert told.out == ""


WIDE = {
    "sum": " + ".join(f"sin({a}*x{i})" for i in range(4) for a in range(2, 102)),
    "product": "*".join(["x0", "x1", "x2"] * 900),
    "quotient": "/".join(["x0", "x1", "x2"] * 900),
    "max": f"max({', '.join(f'{a}*x{i}' for i in range(40) for a in range(2, 12))})",
    "choice": "".join(f"{i}*x1 if x0 < {i} else " for i in range(1, 250)) + "x2",
}


COMPILE, PAGE = ("compile", "-o", "y.py"), ("page", "-o", "y.html")
LONGEST = ("product", "choice", "max")  # of which a page takes up to minutes


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("form", "words"),
    [
        *((form, COMPILE) for form in WIDE),
        *(pytest.param(form, PAGE, marks=pytest.mark.long if form in LONGEST else []) for form in WIDE),
    ],
)
def test_what_is_too_wide_for_a_file_is_refused_in_words(form: str, words: tuple[str, ...]) -> None:
    """Pythons differ in what they read: a file is made and whole, or it is refused, and never anything else."""
    names = [f"x{i}" for i in range(40)]
    declared = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in ["y", *names])
    Path("wide.toml").write_text(f'[quantities]\n{declared}[relations]\ny = {{ equation = "y = {WIDE[form]}" }}\n')
    verb, *output = words
    given = names if verb == "compile" else ["x1=0.99..1.01", *(f"{name}=1" for name in names if name != "x1")]
    told = ask(verb, "y", *given, *output, "--library", "wide.toml")
    assert told.status == 0 or "nested too deep" in told.err, told.err
    assert told.status == (0 if Path(output[-1]).exists() else 1)
