"""Cases that are joined leave a gap just where some number fits none of them."""

from __future__ import annotations

import pytest

from derive.solving.ranges.bounds import is_gapless
from tests.derive.statements import bare

CASES = [
    (("w < 2", "w >= 2"), True),
    (("w < 2", "w > 2"), False),
    (("w <= 2", "w > 3"), False),
    (("w < 2", "w >= 2 and w < 5", "w >= 5"), True),
    (("w < 2", "w >= 2 and w < 5", "w > 5"), False),
    (("w >= 0 and w <= 4", "w > 4"), True),  # no w is less than zero
    (("w >= v", "w < v"), True),
    (("w > v", "w < v"), False),
    (("1 <= 2", "1 > 2"), True),
    (("2 < 2", "2 > 2"), False),
]


@pytest.mark.parametrize(("conditions", "expected"), CASES)
def test_cases_leave_no_gap_where_one_of_them_holds_whatever_the_number(conditions, expected):
    cases = [{"equation": f"y = {i}*x", "when": condition.split(" and ")} for i, condition in enumerate(conditions, 2)]
    assert is_gapless(bare("x y w v", *cases)) is expected
