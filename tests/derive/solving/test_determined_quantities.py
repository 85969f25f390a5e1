"""What givens determine where terms cancel, though no numbers drawn for the givens alone have a solution."""

from __future__ import annotations

import random

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


REPEATED = [
    # equations for c and d, both given, that leave a and b open; the last is changed so that it does not
    ("c = {m}*a + {n}*b", "d = {k}*{m}*a + {k}*{n}*b", "d = {k}*{m}*a + {n}*b"),
    ("c = a**{m}*b", "d = {k}*a**{m}*b", "d = {k}*a*b"),
]


@pytest.mark.parametrize(("first", "repeating", "another"), REPEATED)
@pytest.mark.parametrize("seed", range(3))
def test_relations_that_repeat_each_other_determine_nothing_more(first, repeating, another, seed):
    draw = random.Random(seed)
    shares = dict(zip("kmn", draw.sample(range(2, 9), 3), strict=True))
    names, more = "a b c d e f", ("e = 2*a", "f = c + d")
    repeated = bare(names, first.format(**shares), repeating.format(**shares), *more)
    assert repeated.reach(["c", "d"]) == {"c", "d", "f"}
    assert bare(names, first.format(**shares), another.format(**shares), *more).reach(["c", "d"]) == {*names.split()}
    assert repeated.reach(["b", "c"]) == {*names.split()}
    with_default = bare(names, first.format(**shares), repeating.format(**shares), *more, values={"b": "1"})
    assert with_default.reach(["c", "d"]) == {*names.split()}


def test_what_one_side_of_a_maximum_determines_is_no_repetition():
    assert bare("a b c d", "c = max(a, 3) + b", "d = a + b").reach(["c", "d"]) == {"a", "b", "c", "d"}
