"""Small programs against brute force: over whole numbers every point is tried, and none is better."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import derive
from derive import InconsistentError
from tests.derive.statements import bare
from tests.ordinary import examples

NAMES = ("a", "b", "c")
LAST = 6  # each is a whole number up to here
FUNCTIONS = {
    "max": max,
    "min": min,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
}


SHAPES = (
    "({0} + {1})",
    "({0} - {1})",
    "{0}*{1}",
    "{0}/(1 + {1}**2)",
    "max({0}, {1})",
    "min({0}, {1})",
    "abs({0} - {1})",
    "({0})**2",
    "exp(-({0})/5)",
    "floor(({0})/2)",
    "ceil(({0})/3)",
    "sqrt(abs({0}))",
    "({0} if {1} > 2 else {1})",
    "log(1 + abs({0}))",
)


def joined(parts):
    return st.sampled_from(SHAPES).map(lambda shape: shape.format(*parts))


EXPRESSIONS = st.recursive(
    st.sampled_from([*NAMES, "3*a", "b/2", "7 - c", "1.5"]),
    lambda inner: st.tuples(inner, inner).flatmap(joined),
    max_leaves=5,
)


def value(text, point):
    return eval(text, {"__builtins__": {}, **FUNCTIONS}, dict(zip(NAMES, point, strict=True)))


def spelled(text):
    return f"0*a + {text}"


@given(EXPRESSIONS, st.lists(EXPRESSIONS, max_size=2), st.integers(-4, 12))
def test_no_point_is_better(goal, limited, bound):
    points = list(product(range(1, LAST + 1), repeat=3))
    held = [p for p in points if all(value(one, p) <= bound for one in limited)]
    assume(any(name in goal for name in NAMES))
    assume(all(any(name in one for name in NAMES) for one in limited))
    library = bare("f a b c", f"f = {spelled(goal)}", domains={"f": "real", **dict.fromkeys(NAMES, "whole")})
    ranges = dict.fromkeys(NAMES, f"1..{LAST}")
    limits = [f"{spelled(one)} <= {bound}" for one in limited]
    if not held:
        with pytest.raises(InconsistentError):
            library.least("f", such_that=limits, **ranges)
        return
    for sense, best in (("least", min), ("most", max)):
        found = getattr(library, sense)("f", such_that=limits, **ranges)
        expected = best(value(goal, p) for p in held)
        assert found.value.magnitude == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert found.proved
        there = tuple(int(found.at[name].magnitude) for name in NAMES)
        assert value(goal, there) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert all(value(one, there) <= bound + 1e-9 for one in limited)


@pytest.mark.long
@examples(20)
@given(EXPRESSIONS, EXPRESSIONS, st.integers(0, 9))
def test_no_point_of_a_grid_is_better_where_all_may_be_broken_numbers(goal, limited, bound):
    assume(any(name in goal for name in NAMES))
    assume(any(name in limited for name in NAMES))
    library = bare("f a b c", f"f = {spelled(goal)}", domains={"f": "real"})
    grid = [1 + 0.5 * i for i in range(2 * LAST - 1)]
    held = [value(goal, p) for p in product(grid, repeat=3) if value(limited, p) <= bound]
    assume(held)
    with derive.limits(seconds=5):
        found = library.least("f", such_that=f"{spelled(limited)} <= {bound}", **dict.fromkeys(NAMES, f"1..{LAST}"))
    spread = max(held) - min(held)
    assert found.value.magnitude <= min(held) + (1e-6 if found.proved else found.gap or 1.0) * max(
        abs(min(held)), spread / 50, 1e-9
    )
    if found.gap is not None:
        size = max(abs(found.value.magnitude), spread)
        assert min(held) >= found.value.magnitude - (found.gap + 1e-6) * max(size, 1e-9)
