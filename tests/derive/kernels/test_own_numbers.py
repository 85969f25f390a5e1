"""At the number that a profile states of a given nothing has changed, and compiled functions say what `solve` says."""

from __future__ import annotations

import random

import numpy
import pytest

from tests.derive.statements import bare, number


def drawn(seed):
    """A library whose f follows from a, b and e, and by a profile's g instead of b where a and e are as there."""
    draw = random.Random(seed)
    m, n, k, own_a, own_e, other = (draw.randint(2, 9) for _ in range(6))
    library = bare(
        "a b d e f g",
        f"g = {m}*f + d",
        f"d = a + {n}*b + e",
        f"f = {k}*a + {n}*d",
        domains=dict.fromkeys("abdefg", "real"),
        values={"b": str(other)},
        profiles={"p": {"a": str(own_a), "e": str(own_e), "g": "1000"}},
    )
    return library, own_a, own_e


@pytest.mark.parametrize("seed", range(4))
def test_a_given_with_the_number_of_the_profile_changes_nothing(seed):
    library, own, _ = drawn(seed)
    column = [own, own + 1, own - 1]
    expected = [number(library.solve("f", "p", a=str(a))) for a in column]
    assert abs(expected[0] - (expected[1] + expected[2]) / 2) > 1  # the solver's answer jumps there
    compiled = library.compile("f", ["a"], profiles=["p"])
    table, (piece,) = library.sweep("f", "p", a=column), library.stream("f", "p", a=column)
    for found in ([compiled(a=a) for a in column], compiled(a=column), table.columns["f"], piece.columns["f"]):
        numpy.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)
    assert table.holds.all()


@pytest.mark.parametrize("seed", range(2))
def test_all_givens_must_have_the_numbers_of_the_profile_for_nothing_to_change(seed):
    library, own_a, own_e = drawn(seed)
    axes = {"a": [own_a, own_a + 1], "e": [own_e, own_e + 1]}
    table = library.sweep("f", "p", **axes)
    expected = [[number(library.solve("f", "p", a=str(a), e=str(e))) for e in axes["e"]] for a in axes["a"]]
    numpy.testing.assert_allclose(table.columns["f"], expected, rtol=1e-12, atol=0)
    point = library.compile("f", ["a", "e"], profiles=["p"])(a=own_a, e=own_e)
    assert point == pytest.approx(expected[0][0], rel=1e-12)
    assert abs(expected[0][0] + expected[1][1] - expected[0][1] - expected[1][0]) > 1


def test_among_many_points_the_checks_are_those_of_each():
    library, own, _ = drawn(5)
    column = numpy.arange(own - 15.0, own + 15)
    table = library.sweep("f", "p", a=column)
    answers = [library.solve("f", "p", a=repr(float(a))) for a in column]
    assert table.holds.tolist() == [not answer.failed for answer in answers]
    numpy.testing.assert_allclose(table.columns["f"], [*map(number, answers)], rtol=1e-12, atol=0)


def test_an_axis_that_begins_with_the_number_of_the_profile_tells_all_others_apart():
    library, own, _ = drawn(6)
    expected = [number(library.solve("f", "p", a=str(a))) for a in (own, own, own + 1)]
    assert library.sweep("f", "p", a=[own, own, own + 1]).columns["f"].tolist() == pytest.approx(expected)
