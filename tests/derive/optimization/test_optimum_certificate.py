"""Certificates of optima are small: a tangent at a minimum bounds a convex goal wherever it may be."""

from __future__ import annotations

import derive
from derive.certificates.proof import Tangent
from tests.derive.statements import bare


def boxes(goal: str, **ranges: str) -> tuple:
    """The boxes of the certificate of the least value of a goal, once it is confirmed."""
    names = [*ranges, "f"]
    best = bare(" ".join(names), f"f = {goal}", domains=dict.fromkeys(names, "real")).least("f", **ranges)
    assert derive.verify(best)
    ((bound,),) = best.proof.bounds
    return bound.tree


def test_a_convex_goal_is_bounded_by_one_tangent_over_all_of_its_ranges():
    (only,) = boxes("(x - 1)**2 + (y - 2)**2 + x*y/2", x="-3..3", y="-3..4")
    assert isinstance(only, Tangent)


def test_each_of_two_equal_minima_is_bounded_by_a_tangent_of_its_own():
    """Without these, boxes shrink around the minima until they are as small as the tolerance: there are 165."""
    tree = boxes("x**4 - 3*x**2", x="-3..3.1")
    minimum = 1.5**0.5
    points = [leaf.point[0] for leaf in tree if isinstance(leaf, Tangent)]
    assert min(points) <= -minimum * (1 - 1e-6)
    assert max(points) >= minimum * (1 - 1e-6)
    assert len(tree) < 80
