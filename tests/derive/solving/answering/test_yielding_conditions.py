"""A weak value that decides a case: typed numbers that fit another case alone make it yield, and are no conflict."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest

import derive
from derive import InconsistentError, Library
from tests.derive.statements import bare, number
from tests.ordinary import every

KINDS = ("default", "profile", "behind")


def drawn(seed: int) -> tuple[Library, list[str], str, dict[bool, float]]:
    """A relation for y below a border of s and one above; profiles, x, and y in the case of the weak s and elsewhere.

    The weak value is one of s, or of a quantity from which s follows.
    """
    draw = random.Random(seed)
    border, below, above = draw.randint(2, 9), draw.randint(2, 20), draw.randint(21, 40)
    x, is_below, kind = draw.randint(1, 30), draw.random() < 0.5, KINDS[seed % len(KINDS)]
    stated = border - 1 if is_below else border + 1
    weak: dict[str, Any] = {
        "default": {"values": {"s": str(stated)}},
        "profile": {"profiles": {"p": {"s": str(stated)}}},
        "behind": {"values": {"u": str(stated / 2)}},
    }[kind]
    relations = [
        {"equation": f"y = {below}*x", "when": [f"s <= {border}"]},
        {"equation": f"y = {above}*x + 1", "when": [f"s > {border}"]},
        "w = 3*y",
        *(["s = 2*u"] if kind == "behind" else []),
    ]
    library = bare("x y w s u", *relations, **weak)
    values = {True: float(below * x), False: float(above * x + 1)}
    return library, ["p"] if kind == "profile" else [], str(x), {case: values[is_below == case] for case in values}


@pytest.mark.thorough
@every("seed", range(200), ordinary=4, thorough=80)
def test_a_weak_value_in_a_condition_yields_to_the_case_that_fits(seed: int) -> None:
    library, profiles, x, values = drawn(seed)
    for is_stated_case, y in values.items():
        forwards = library.solve("w", *profiles, x=x, y=str(y))
        backwards = library.solve("y", *profiles, x=x, w=str(3 * y))
        assert (number(forwards), number(backwards)) == pytest.approx((3 * y, y))
        failed = [] if is_stated_case else ["u" if KINDS[seed % len(KINDS)] == "behind" else "s"]
        assert [check.name for check in forwards.failed] == failed
        assert [check.name for check in backwards.failed] == failed


@pytest.mark.thorough
@every("seed", range(200), ordinary=3, thorough=40)
def test_what_fits_no_case_contradicts_itself_whatever_decides_between_them(seed: int) -> None:
    library, profiles, x, values = drawn(seed)
    y = sum(values.values()) / 2
    with pytest.raises(InconsistentError):
        library.solve("w", *profiles, x=x, y=str(y))
    with pytest.raises(InconsistentError):
        library.solve("y", *profiles, x=x, w=str(3 * y))


@pytest.mark.thorough
@every("seed", range(40), ordinary=1, thorough=20)
def test_a_sweep_says_where_the_weak_value_yields(seed: int) -> None:
    library, profiles, x, values = drawn(seed)
    table = library.sweep("y", *profiles, x=x, w=3 * numpy.array([values[True], values[False]]))
    assert table.columns["y"].tolist() == pytest.approx([values[True], values[False]])
    assert table.holds.tolist() == [True, False]


def test_a_typed_value_in_the_condition_does_not_yield() -> None:
    library, profiles, x, values = drawn(0)
    stated = str(library.defaults["s"].number)
    with pytest.raises(InconsistentError):
        library.solve("w", *profiles, x=x, y=str(values[False]), s=stated)


def test_the_check_tells_what_the_givens_leave_of_the_quantity() -> None:
    library = bare(
        "x y w s",
        {"equation": "y = 20*x", "when": ["s <= 2"]},
        {"equation": "y = 10*x + 1", "when": ["s > 2"]},
        values={"s": "1"},
    )
    (check,) = library.solve("y", x="10", y="101").failed
    assert check.verdict == "s is 1, the relation file, but the givens fit only another case: s is at least 2"


def test_a_fallback_in_the_condition_does_not_yield() -> None:
    """That a quantity counts as nothing where nothing was said of it is an assumption, which the error names."""
    library = bare(
        "x y w s",
        {"equation": "y = 20*x", "when": ["s <= 2"]},
        {"equation": "y = 10*x + 1", "when": ["s > 2"]},
        "w = 3*y",
        fallbacks={"s": "1"},
    )
    with pytest.raises(InconsistentError, match="s is not given, and counts as 1"):
        library.solve("w", x=10, y=101)


def test_a_definition_in_the_condition_does_not_yield() -> None:
    library = derive.load("""[quantities]
x = { unit = "" }
y = { unit = "" }
w = { unit = "" }
s = { unit = "", value = "1", kind = "exact", source = "by definition" }
[relations]
low = { equation = "y = 20*x", when = ["s <= 2"] }
high = { equation = "y = 10*x + 1", when = ["s > 2"] }
w = { equation = "w = 3*y" }""")
    with pytest.raises(InconsistentError, match="s is not given, and counts as 1"):
        library.solve("w", x=10, y=101)


def test_the_check_tells_that_the_givens_leave_the_quantity_open() -> None:
    """No relation says what y is for another s, and so nothing bounds s."""
    library = bare("x y w s", {"equation": "y = 20*x", "when": ["s <= 2"]}, "w = 3*y", values={"s": "1"})
    answer = library.solve("w", x=10, y=101)
    assert number(answer) == 303
    (check,) = answer.failed
    assert check.verdict.endswith("but the givens fit only another case: they leave it open")
