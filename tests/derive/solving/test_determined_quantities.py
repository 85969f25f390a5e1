"""What givens determine where terms cancel, though no numbers drawn for the givens alone have a solution."""

from __future__ import annotations

import pytest

from tests.derive.statements import bare


@pytest.mark.parametrize(
    ("relations", "domains"),
    [
        (("a = exp(-x*y)/9", "b = x*y*z"), {}),  # a is below 1/9
        (("a = sin(x + y) - 5", "b = (x + y)*z"), {"x": "0..0.5", "y": "0..0.5", "a": "real"}),  # a is about -5
    ],
)
def test_numbers_are_drawn_that_fit_the_relations(relations, domains):
    """The first gives the product or the sum of x and y, and the second z; neither x nor y is known."""
    assert bare("a b x y z", *relations, domains=domains).reach(["a", "b"]) == {"a", "b", "z"}
