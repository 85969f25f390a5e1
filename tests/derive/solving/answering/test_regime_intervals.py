"""Numbers and intervals that the cases of the relations around a target leave to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive import NoSolutionError
from tests.derive.statements import bare
from tests.ordinary import examples


@examples(16, ordinary=3)
@given(st.one_of(st.floats(0.55, 0.9), st.floats(1.1, 1.9)))
def test_a_root_that_leaves_another_quantity_no_value_in_any_case_is_no_answer(root: float) -> None:
    """Of a negative x, `x*w` is in 1..2 for no w, and `x + w` is with w up to 2 if x is not below -1."""
    library = bare(
        "x y z u w",
        "y = x**2",
        {"equation": "u = x + w", "when": ["z > 3"]},
        {"equation": "u = x*w", "when": ["z <= 3"]},
        domains={"x": "real", "u": "1..2", "w": "1..2"},
    )
    expected = [root] if root > 1 else [-root, root]
    assert [answer.base for answer in library.solve_all("x", y=root**2)] == pytest.approx(expected)


@pytest.mark.parametrize("most", ["min(7, z, b)", "min(b, z)", "min(z, max(z, b), b)", "min(b/3, z)"])
def test_a_positive_target_is_not_zero_where_zero_alone_is_left_beside_it(most: str) -> None:
    """What is at most 0 and more than 0 has no value, in each case of a relation that has nothing to do with it."""
    library = bare(
        "a b c x z w",
        {"equation": "x = a", "when": ["c < 5"]},
        {"equation": "x = 2*a", "when": ["c >= 5"]},
        f"w = {most}",
        domains=dict.fromkeys("bz", "real"),
    )
    for c in (3, 5):
        with pytest.raises(NoSolutionError):
            library.solve_all("w", a=1, b=0, c=c)
        (answer,) = library.solve_all("w", a=1, b=3, c=c)
        assert answer.bounds is not None
        assert answer.bounds[0] == 0
