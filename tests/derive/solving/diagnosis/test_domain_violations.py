"""What leaves its domain over ranges: everywhere in them, which is a contradiction, or in a part of them."""

from __future__ import annotations

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
