"""A tie that is hit exactly decides for the arm that its condition names, and not for another if that has no value."""

from __future__ import annotations

import pytest

import derive
from tests.derive.statements import bare

TIES = ["a < a*a", "a > a*a", "sqrt(a) < a", "sqrt(a) < a*a", "a > sqrt(a)", "a**2 > a", "exp(a - 1) < a"]


@pytest.mark.parametrize("square", ["x**2", "x", "x*x*x"])
@pytest.mark.parametrize("tie", TIES)
def test_an_arm_that_a_tie_excludes_gives_no_answer(tie: str, square: str) -> None:
    library = bare("x a t", f"a = {square}", f"t = 2*a if {tie} else -a")
    with pytest.raises(derive.NoSolutionError, match="-1"):
        library.solve("t", x="1")
    loose = bare("x a t", f"a = {square}", f"t = 2*a if {tie.replace('<', '<=').replace('>', '>=')} else -a")
    assert loose.solve("t", x="1").base == 2


LARGE = {
    "exp(x) >= 1": True,
    "10**x >= 1": True,
    "1 >= exp(x)": False,
    "exp(x) <= exp(2*x)": True,
    "x**200 <= 1": False,
}


@pytest.mark.parametrize("limit", [*LARGE])
def test_a_limit_of_a_number_beyond_all_doubles_is_decided(limit: str) -> None:
    library = bare("x t", "t = x", {"equation": limit, "name": "limit"})
    if LARGE[limit]:
        answer = library.solve("t", x="1000")
        assert [check.passed for check in answer.checks] == [True]
        assert library.sweep("t", x=[1000.0, 2000.0]).holds.tolist() == [True, True]
    else:
        with pytest.raises(derive.InconsistentError, match="a side whose size is beyond"):
            library.solve("t", x="1000")


def test_a_side_without_a_value_is_told_from_one_beyond_all_doubles() -> None:
    library = bare("x t", "t = x", "log(x - 5) >= 1")
    with pytest.raises(derive.InconsistentError, match="has a side that is undefined"):
        library.solve("t", x="4")
