"""What binds at a best choice, what it is worth, and the closed form of what it fixes."""

from __future__ import annotations

import math

import pytest

from tests.derive.statements import bare


def test_the_end_of_a_range_binds_and_has_a_price():
    library = bare("x y n", "y = n/x", domains={"n": "0..99, whole"})
    best = library.least("y", x="1..2", n="3..9")
    assert [(limit.name, limit.moved) for limit in best.binding] == [("x <= 2", "1 %"), ("n >= 3", "1")]
    assert [limit.price for limit in best.binding] == pytest.approx([1 - 2 / 2.02, 1 - 2 / 3])


def test_the_end_of_a_range_at_which_the_domain_ends_binds_nothing():
    library = bare("x y", "y = 1/x", domains={"x": "0.5..2"})
    assert not library.least("y", x="1..2").binding
    assert library.most("y", x="1..2").binding


@pytest.mark.parametrize(
    ("limit", "number"),
    [
        ("x + max(exp(x)/1e9, 3) <= 12", 9),
        ("x*exp(min(x/9, 0.5)) <= 50", 50 * math.exp(-0.5)),
        (" + ".join(f"max({i}*x, {i + 3})" for i in range(1, 7)) + " <= 500", 500 / 21),
    ],
)
def test_what_a_limit_fixes_has_the_closed_form_of_the_arms_that_bind(limit, number):
    """With the other arms, the first two could not be isolated, and the third in 64 ways."""
    best = bare("x y", limit, "y = 2*x").most("y", x="1..200")
    assert float(best.formula["x"]) == pytest.approx(number, rel=1e-12)
    assert best.at["x"].magnitude == pytest.approx(number)
