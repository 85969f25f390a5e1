"""Examples in relation files: what they expect comes out, or is told on its line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.audit.claim import as_printed
from derive.file_checks import check
from derive.tokens.relations import SOURCE
from tests.derive.terminal import ask

PENDULUM = """
[quantities]
length = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
period = { unit = "s" }
x = { unit = "", domain = "real" }
y = { unit = "", domain = "real" }

[relations]
swing = { equation = "period = 2*pi*sqrt(length/gravity)" }
square = { equation = "y = x**2" }

[profiles.clock]
length = "0.994 m"
"""


def problems(example: str, head: str = PENDULUM):
    return check(f"{head}\n[examples.trial]\n{example}")


HOLDS = {
    "rounded": 'given.length = "0.994 m"\nasked = "period"\nexpected = "2.00 s"',
    "in another unit": 'given.length = "99.4 cm"\nasked = "period"\nexpected = "2000 ms"',
    "backwards": 'given.period = "2 s"\nasked = "length"\nexpected = "0.994 m"',
    "profile": 'profiles = ["clock"]\nasked = "period"\nexpected = "2.00 s"',
    "range": 'given.length = "1 m"\nasked = "period"\nexpected = "2..2.1 s"',
    "bound": 'given.length = "1 m"\nasked = "period"\nexpected = "more than 2 s"',
    "all answers": 'given.y = "4"\nasked = "x"\nexpected = ["2", "-2"]',
    "no answer": 'given.y = "-4"\nasked = "x"\nexpected = "impossible"',
    "said of it": 'given.y = "4"\nasked = "x"\nexpected = ["2", "-2"]\nsource = "a book"\nmeaning = "both roots"',
}
FAILS = {
    "value": ('given.length = "1 m"\nasked = "period"\nexpected = "2.00 s"', "period is 2.006 s; expected 2.00 s"),
    "bound": ('given.length = "1 m"\nasked = "period"\nexpected = "less than 2 s"', "less than 2 s"),
    "other two": ('given.y = "4"\nasked = "x"\nexpected = ["1", "2"]', "x is -2 and 2; expected 1 and 2."),
    "ambiguous": ('given.y = "4"\nasked = "x"\nexpected = "2"', "2 admissible values"),
    "one of two": ('given.y = "4"\nasked = "x"\nexpected = ["2"]', "2 admissible values"),
    "answer": ('given.y = "4"\nasked = "x"\nexpected = "impossible"', "2 admissible values"),
    "name": ('given.z = "4"\nasked = "x"\nexpected = "2"', "There is no quantity 'z'"),
    "target": ('given.y = "4"\nasked = "w"\nexpected = "2"', "There is no quantity 'w'"),
    "unit": ('given.length = "1 m"\nasked = "period"\nexpected = "2 m"', "m"),
    "number": ('given.length = "1 m"\nasked = "period"\nexpected = "two s"', "two"),
    "underdetermined": ('asked = "x"\nexpected = "2"', "not determined"),
    "key": ('given.y = "4"\nasked = "x"\nexpected = ["2", "-2"]\nwhy = "2"', "why"),
    "asked": ('expected = "2"', "no 'asked'"),
    "expected": ('asked = "x"', "no 'expected'"),
    "given": ('given = "y"\nasked = "x"\nexpected = "2"', "'given' is not a table"),
    "profiles": ('profiles = "clock"\nasked = "x"\nexpected = "2"', "'profiles' is not a list"),
}


def test_bounds_are_not_the_answers_that_an_example_lists():
    bounded = """
    [quantities]
    x = { unit = "m" }
    y = { unit = "m" }
    [relations]
    limit = { equation = "x <= y" }
    [examples.two]
    asked = "x"
    given.y = "3 m"
    expected = ["1 m", "2 m"]
    """
    (problem,) = check(bounded)
    assert "x is only bounded; expected 1 m and 2 m" in problem.message


@pytest.mark.parametrize("example", HOLDS.values(), ids=HOLDS)
def test_an_example_that_comes_out_is_no_problem(example):
    assert problems(example) == []


@pytest.mark.parametrize(("example", "words"), FAILS.values(), ids=FAILS)
def test_an_example_that_does_not_is_told_on_its_line(example, words):
    (problem,) = problems(example)
    assert words in problem.message
    assert problem.message.startswith("trial: ")
    start = PENDULUM.count("\n") + 2
    assert start <= problem.line <= start + 1 + example.count("\n")
    assert problem.hint


def test_a_library_with_an_example_that_fails_is_loaded_all_the_same():
    text = f"{PENDULUM}\n[examples.trial]\ngiven.length = '1 m'\nasked = 'period'\nexpected = '3 s'"
    assert derive.load(text).solve("period", length="1 m").value.magnitude == pytest.approx(2.00641, rel=1e-5)


def test_examples_of_a_file_that_is_used_are_told_with_its_name(tmp_path: Path):
    (tmp_path / "swing.toml").write_text(
        f'{PENDULUM}\n[examples.trial]\ngiven.length = "1 m"\nasked = "period"\nexpected = "3 s"\n'
    )
    (tmp_path / "mine.toml").write_text('uses = ["swing.toml"]\n')
    (problem,) = check(tmp_path / "mine.toml")
    assert problem.line == 1
    assert "in swing.toml, line 16" in problem.message


@given(st.floats(1e-6, 1e6), st.integers(2, 9))
def test_a_printed_number_agrees_with_what_rounds_to_it_and_with_nothing_else(number, digits):
    printed = f"{number:.{digits - 1}e}"
    step = 10.0 ** (math.floor(math.log10(float(printed))) - digits + 1)
    assert as_printed(number, printed)
    assert not as_printed(float(printed) + 0.7 * step, printed)
    assert not as_printed(float(printed) - 0.7 * step, printed)


def test_the_built_in_examples_come_out_and_each_says_where_it_is_from():
    assert check(SOURCE, beside=derive.llm) == []
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.parent.glob("*.toml")]
    assert sum(text.count("[examples.") for text in texts) >= 8
    assert all(entry.count("source = ") for text in texts for entry in text.split("[examples.")[1:])


def test_the_command_fails_where_an_example_does(tmp_path: Path):
    (tmp_path / "mine.toml").write_text(
        f'{PENDULUM}\n[examples.trial]\nasked = "x"\ngiven.y = "4"\nexpected = ["1", "2"]\n'
    )
    said = ask("check", str(tmp_path / "mine.toml"))
    assert (said.status, "trial: x is -2 and 2; expected 1 and 2." in said.err) == (1, True)


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ("0.3", 'one: expected 0.3: p: 0.3 has no unit, and p is in kW. Write "0.3 kW".'),
        ("at least 1 m", "one: expected at least 1 m: p: 1 m does not fit its unit kW"),
        ("0.3..1 s", "one: expected 0.3..1 s: p: 0.3..1 s does not fit its unit kW"),
    ],
)
def test_what_an_example_expects_is_in_the_unit_of_what_it_asks(expected: str, said: str) -> None:
    """Without a unit it was told that 1 does not convert to kW, and not of what."""
    lines = [
        '[quantities]\np = { unit = "kW" }\nq = { unit = "kW" }\n[relations]\nr = { equation = "p = 2*q" }',
        f'[examples.one]\ngiven = {{ q = "0.15 kW" }}\nasked = "p"\nexpected = "{expected}"',
    ]
    (problem,) = check("\n".join(lines))
    assert f"{problem}".replace("\n  ", " ").count(said) == 1, str(problem)
