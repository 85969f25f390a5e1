"""A case that is assumed is the answer; a bound in the case that is assumed away is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import derive

TEXT = """
[quantities]
x = { unit = "" }
y = { unit = "" }
limit = { unit = "", domain = "nonnegative" }
p = { unit = "" }
q = { unit = "" }
n = { unit = "" }
[relations.slender]
equation = "y = %s"
when = ["p >= q"]
[relations.stout]
equation = "y = %s + n"
when = ["p < q"]
"""
BOUND = """[relations.bound]
equation = "limit <= x"
"""
FORMS = {"2*x": lambda y: y / 2, "x**3": lambda y: y ** (1 / 3), "1/x": lambda y: 1 / y, "log(1 + x)": None}


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=15)
@given(number=st.floats(0.1, 5))
def test_a_limit_on_the_target_does_not_drown_what_is_assumed(form: str, number: float) -> None:
    text = TEXT % (form, form)
    free = derive.load(text).solve("x", y=number)
    bound = derive.load(text + BOUND).solve("x", y=number, limit=0)
    assert free.base == bound.base
    assert free.assumptions == bound.assumptions
    assert "slender is assumed to apply: p >= q" in bound.assumptions
    if FORMS[form] is not None:
        assert bound.base == pytest.approx(FORMS[form](number), rel=1e-9)


@pytest.mark.parametrize(("p", "q", "count"), [(2, 1, 1), (1, 2, 0)])
def test_a_case_that_is_known_is_not_assumed(p: int, q: int, count: int) -> None:
    found = derive.load(TEXT % ("2*x", "2*x") + BOUND).solve_all("x", y=4, limit=0.5, p=p, q=q)
    assert len([one for one in found if one.base is not None]) == count
    assert not any("assumed" in one for answer in found for one in answer.assumptions)
