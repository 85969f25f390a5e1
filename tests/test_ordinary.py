"""The runs together try every case once, and a case that fails is named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import asks_for
from tests.ordinary import every, one_in


def tried(share: int, cases: list[object], thorough: int = 1) -> dict[str, list[int]]:
    """The cases that each run tries."""
    seen: list[int] = []

    @every("number", cases, ordinary=share, thorough=thorough)
    def test(number: int) -> None:
        seen.append(number)

    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    found = {}
    for one in marks[0].args[1] if marks else [pytest.param("ordinary")]:
        (run,) = one.values
        assert [mark.name for mark in one.marks] == ([] if run == "ordinary" else [run])
        test(**({"run": run} if marks else {}))
        found[run], seen[:] = list(seen), []
    return found


@given(st.integers(0, 40), st.integers(1, 6), st.integers(1, 4), st.integers(1, 4))
def test_every_case_is_tried_by_one_of_the_runs(number: int, share: int, long: int, thorough: int) -> None:
    plain = tried(share, list(range(number)), thorough)
    assert sorted(one for some in plain.values() for one in some) == list(range(number))
    assert plain["ordinary"] == list(range(0, number, share))
    assert {*plain["ordinary"], *plain.get("thorough", [])} == {*range(0, number, share), *range(0, number, thorough)}
    names = [str(one) for one in range(number)]
    marked = tried(1, one_in(long, range(number), names, thorough))
    assert sorted(one for some in marked.values() for one in some) == list(range(number))
    assert sorted(marked["ordinary"] + marked.get("thorough", [])) == list(range(0, number, long))


def test_each_case_that_fails_is_named_and_none_is_passed_over() -> None:
    @every(("left", "right"), [(1, 1), (1, 2), (2, 2), (3, 4)], ids="abcd")
    def test_equal(left: int, right: int) -> None:
        if left == 3:
            pytest.skip("hidden")
        with pytest.raises(ZeroDivisionError):
            _ = 1 / (left - right)

    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases") as caught:
        test_equal()
    assert [one.__notes__ for one in caught.value.exceptions] == [["the case b"], ["the case d"]]


@pytest.mark.parametrize(
    ("expression", "asked"),
    [
        ("", []),
        (None, []),
        ("thorough", ["thorough"]),
        ("long", ["long"]),
        ("not long", []),
        ("thorough and not long", ["thorough"]),
        ("(long or thorough)", ["thorough", "long"]),
        ("thorough or not thorough", ["thorough"]),
    ],
)
def test_a_run_asks_for_the_marks_that_it_names(expression: str | None, asked: list[str]) -> None:
    config: Any = SimpleNamespace(getoption=lambda name: expression)
    assert [mark for mark in ("thorough", "long") if asks_for(config, mark)] == asked
