"""Irrational numbers that follow one from another cancel as their formulas do, not as their doubles."""

from __future__ import annotations

import math
from itertools import product

import pytest

from derive.errors import NoSolutionError
from tests.derive.statements import bare, number, numbers
from tests.ordinary import every

GIVENS = ({"k": 3, "m": 7}, {"k": 0.3, "m": 1.7}, {"k": 2.7, "m": 0.13})
ZEROS = [
    (["c = sqrt(k)"], "c**2 - k"),
    (["c = exp(k)"], "log(c) - k"),
    (["c = log(k)"], "exp(c) - k"),
    (["c = k**(1/3)"], "c**3 - k"),
    (["c = sin(k)", "d = cos(k)"], "1 - c**2 - d**2"),
    (["c = tan(k)", "d = sin(k)/cos(k)"], "c - d"),
    (["c = sinh(k)", "d = cosh(k)"], "d**2 - c**2 - 1"),
    (["c = sqrt(k)", "d = sqrt(m)", "e = sqrt(k*m)"], "c*d - e"),
    (["c = exp(k)", "d = exp(m)", "e = exp(k + m)"], "e/(c*d) - 1"),
    (["c = log(k)", "d = log(m)", "e = log(k*m)"], "c + d - e"),
    (["c = sqrt(k + 1)", "d = sqrt(k)", "e = 1/(c + d)"], "c - d - e"),
]
"""Relations, and what is zero by them whatever k and m are."""
UNDEFINED = None
USES = [
    ("{0}", 0),
    ("sqrt({0})", 0),
    ("sqrt(sqrt({0}))", 0),
    ("abs({0})**0.3", 0),
    ("10*sqrt(({0})*k)", 0),
    ("exp({0})", 1),
    ("acos(1 + ({0}))", 0),
    ("asin(1 + ({0}))", math.pi / 2),
    ("acosh(1 + ({0}))", 0),
    ("floor(2 + ({0}))", 2),
    ("ceil({0})", 0),
    ("7 if ({0}) > 0 else 8", 8),
    ("7 if ({0}) >= 0 else 8", 7),
    ("log({0})", UNDEFINED),
    ("1/({0})", UNDEFINED),
    ("k/abs({0}) + 3", UNDEFINED),
    ("1/sqrt({0})", UNDEFINED),
    ("({0})/({0})", UNDEFINED),
]
"""What is computed from that zero, and its value."""


def chain(relations, text):
    names = ["k", "m", "b", *(relation[0] for relation in relations)]
    return bare(" ".join(names), *relations, f"b = {text}", domains=dict.fromkeys(names, "real"))


@every("case", product(ZEROS, USES), ordinary=8)
def test_what_is_zero_by_its_formulas_is_zero_in_the_next_relation(case):
    (relations, zero), (use, expected) = case
    library = chain(relations, use.format(zero))
    compiled = library.compile("b", ["k", "m"])
    for given in GIVENS:
        computed = compiled(**given)
        if expected is UNDEFINED:
            with pytest.raises(NoSolutionError):
                library.solve("b", **given)
            assert math.isnan(computed)
        else:
            assert numbers(library.solve_all("b", **given)) == pytest.approx([expected], abs=1e-15)
            assert computed == pytest.approx(expected, abs=1e-9)


@every("zero", ZEROS, ordinary=2)
def test_what_zero_multiplies_is_anything_or_has_no_value(zero):
    relations, factor = zero
    library = bare(
        "k m b w " + " ".join(relation[0] for relation in relations),
        *relations,
        f"b*({factor}) = w",
        domains=dict.fromkeys([*"kmbw", *(relation[0] for relation in relations)], "real"),
    )
    (answer,) = library.solve_all("b", w=0, **GIVENS[0])
    assert (answer.value, str(answer).splitlines()[0]) == (None, "b is anything")
    with pytest.raises(NoSolutionError):
        library.solve("b", w=1, **GIVENS[0])


def test_a_rest_below_the_last_digit_is_kept():
    """1 + exp(-50) is one in doubles."""
    library = chain(["c = 1 + exp(k)", "d = exp(k)"], "(c - 1)/d")
    assert number(library.solve("b", k=-50)) == 1
    assert number(chain(["c = 1 + exp(k)"], "log(c)").solve("b", k=-50)) == pytest.approx(math.exp(-50), rel=1e-12)


def test_a_long_chain_ends_in_doubles():
    names = [f"v{place}" for place in range(301)]
    steps = [f"{after} = sqrt({before} + 1)" for before, after in zip(names, names[1:], strict=False)]
    library = bare(" ".join(names), *steps)
    assert number(library.solve("v300", v0=2)) == pytest.approx((1 + math.sqrt(5)) / 2, rel=1e-12)
