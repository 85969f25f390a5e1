"""What leaves its domain over ranges: everywhere in them, which is a contradiction, or in a part of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare
from tests.ordinary import examples


@examples(16)
@given(whole=st.integers(1, 9), piece=st.integers(1, 9), width=st.integers(1, 4))
def test_a_rest_that_is_positive_nowhere_in_the_ranges_contradicts_them(whole: int, piece: int, width: int) -> None:
    library = bare("whole piece rest y", "rest = whole - piece", "y = 2*piece")
    ranges = {"whole": f"{whole}..{whole + width}", "piece": f"{piece + 0.5}..{piece + 0.5 + width}"}
    if whole + width < piece + 0.5:
        with pytest.raises(derive.InconsistentError, match="rest"):
            library.solve("y", **ranges)
        return
    answer = library.solve("y", **ranges)
    assert answer.bounds == pytest.approx((2 * piece + 1, 2 * (piece + 0.5 + width)))
    is_left_by_middle = whole < piece + 0.5
    assert [check.name for check in answer.failed] == ["rest"] * is_left_by_middle


ARMS = {  # each with the numbers that b may make of it, at a, as ends
    "c = max(a, b)": lambda a: (a, math.inf),
    "c = min(a, b)": lambda a: (0, a),
    "c = max(a, 2*b + 1)": lambda a: (max(a, 1), math.inf),
    "c = a + min(3, b)": lambda a: (a, a + 3),
    "c = min(a, 1 + b, 6)": lambda a: (min(a, 1), min(a, 6)),
}


@examples(16)
@given(text=st.sampled_from([*ARMS]), a=st.integers(2, 9), c=st.integers(1, 9))
def test_what_no_arm_of_a_max_gives_contradicts_the_givens_whatever_is_asked(text: str, a: int, c: int) -> None:
    low, high = ARMS[text](a)
    library = bare("a b c d", text, "d = 2*a", domains={"b": "nonnegative"})
    compiled = library.compile("d", given=["a", "c"])(a=float(a), c=float(c))
    if low <= c <= high:
        assert library.solve("d", a=a, c=c).base == compiled == 2 * a
        return
    for asked in "da":
        with pytest.raises(derive.InconsistentError, match="r1"):
            library.solve(asked, a=a, c=c)
    assert math.isnan(compiled)


def test_a_max_bounds_what_ranges_and_choices_may_be() -> None:
    library = bare("a b c d", "c = max(a, b)", "d = 2*a")
    with pytest.raises(derive.InconsistentError, match="r1: no admissible value of b"):
        library.solve("d", a="4..6", c=3)
    assert library.solve("d", a="4..6", c=7).failed == ()
    assert library.most("d", a="4..6", c=5).answer.base == pytest.approx(10)
