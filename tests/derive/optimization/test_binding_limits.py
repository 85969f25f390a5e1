"""What binds at a best choice, what it is worth, and the closed form of what it fixes."""

from __future__ import annotations

import math
import random

import pytest

from tests.derive.statements import bare
from tests.ordinary import every


def test_the_end_of_a_range_binds_and_has_a_price():
    library = bare("x y n", "y = n/x", domains={"n": "0..99, whole"})
    best = library.least("y", x="1..2", n="3..9")
    assert [(limit.name, limit.moved) for limit in best.binding] == [("x <= 2", "1 %"), ("n >= 3", "1")]
    assert [limit.price for limit in best.binding] == pytest.approx([1 - 2 / 2.02, 1 - 2 / 3])


def test_the_end_of_a_range_at_which_the_domain_ends_binds_nothing():
    library = bare("x y", "y = 1/x", domains={"x": "0.5..2"})
    assert not library.least("y", x="1..2").binding
    assert library.most("y", x="1..2").binding


@pytest.mark.parametrize(("low", "high", "sense", "listed"), [(0, 4, "least", "a >= 0"), (-4, 0, "most", "a <= 0")])
def test_an_end_at_zero_is_moved_by_a_share_of_its_range(low, high, sense, listed):
    """Of zero itself 1 % is nothing, so that such an end was never told."""
    library = bare("a t", "t = a + 10", domains={"a": "real", "t": "real"})
    (only,) = getattr(library, sense)("t", a=f"{low}..{high}").binding
    assert (only.name, only.moved, only.price) == (listed, "1 % of its range", pytest.approx(0.004))


@pytest.mark.thorough
@every("seed", range(60), ordinary=4)
def test_the_price_of_an_end_is_what_the_target_gains_beyond_it(seed):
    """A form that is simpler all over a range, as that of `abs(a - b)` without its kink, need not hold beyond it."""
    draw = random.Random(f"beyond {seed}")
    goal = draw.choice(["abs(a - b) + {c}", "max(a, {k}*b) + {c}", "max(a - b, b - a, {c})", "abs(a - {k}*b)*2 + {c}"])
    goal = goal.format(c=draw.randint(1, 9) / 10, k=draw.randint(2, 3))
    low, start, end = draw.randint(2, 4), draw.randint(1, 9) / 10, draw.randint(10, 19) / 10
    domains = {"a": "whole", "b": "real", "t": "real"}
    best = bare("a b t", f"t = {goal}", domains=domains).least("t", a=f"{low}..{low + 2}", b=f"{start}..{end}")

    def least(first: int) -> float:
        """The least value on a fine grid, with the counts from this one on."""
        grid = [start + (end - start) * i / 400 for i in range(401)]
        return min(eval(goal, {"a": a, "b": b}) for a in range(first, low + 3) for b in grid)

    gain = 1 - least(low - 1) / least(low)
    told = {limit.name: limit.price for limit in best.binding}
    assert told.get(f"a >= {low}", 0.0) == pytest.approx(gain, abs=2e-2), goal


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
