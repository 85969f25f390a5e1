"""A solution followed through ranges: its bounds end where an unknown beside it would leave its domain."""

import math

import pytest

from derive.expressions.grammar import parse_expression
from derive.relation_files.loading import load
from derive.solving.ranges.range_propagation import leaves
from tests.derive.statements import bare, span

BOTH = load(
    """[quantities]
    a = { unit = "" }
    c = { unit = "" }
    x = { unit = "" }
    y = { unit = "" }
    [relations]
    rest = { equation = "y = c - sqrt(x)*x**0.5" }
    mixed = { equation = "x = a + y*exp(-x/10)/10" }
    """
)


def test_an_unknown_beside_the_target_keeps_its_domain():
    """Without that, x would go on to the root of x = 9 + (8 - x)*exp(-x/10)/10, which is 8.96."""
    (found,) = BOTH.solve_all("x", a="1..9", c=8)
    (inside,) = BOTH.solve_all("x", a="1..7", c=8)
    assert found.bounds[1] <= 8 * (1 + 1e-6)
    assert inside.bounds[1] == pytest.approx(7 + (8 - 7.0483) * math.exp(-0.70483) / 10, rel=1e-3)


def test_a_block_of_many_unknowns_is_followed_by_the_one_that_the_others_follow_from():
    """Fourteen unknowns are too many to be followed together; of the first, the others are roots of sums."""
    roots = range(1, 14)
    relations = [f"x{i} = sqrt(x{i - 1} + {i})" for i in roots]
    names = " ".join(["a", "x0", *(f"x{i}" for i in roots)])
    answer = bare(names, *relations, "x0*exp(x0) = a + x13").solve("x0", a="1..2")

    def a_of(x: float) -> float:
        last = x
        for i in roots:
            last = math.sqrt(last + i)
        return x * math.exp(x) - last

    assert list(map(a_of, span(answer))) == pytest.approx([1, 2], rel=1e-6)


def test_what_is_undefined_is_in_no_domain():
    point, nothing = (1.0, 1.0), (0.0, 0.0)
    assert leaves(BOTH, parse_expression("a/c"), {"a": nothing, "c": nothing}, (0.0, math.inf))
    assert not leaves(BOTH, parse_expression("a/c"), {"a": nothing, "c": point}, (0.0, math.inf))
