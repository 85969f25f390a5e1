"""Irrational numbers that follow one from another cancel as their formulas do, not as their doubles."""

from __future__ import annotations

import math
import re
from itertools import pairwise, product

import pytest

from derive.errors import LimitError, NoSolutionError
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


@pytest.mark.thorough
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
    steps = [f"{after} = log({before} + 2)" for before, after in pairwise(names)]
    library = bare(" ".join([*names, "z"]), *steps, "z = exp(v300) - v299 - 2", domains={"z": "real"})
    settled = number(library.solve("v300", v0=2))
    assert math.log(settled + 2) == pytest.approx(settled, rel=1e-12)
    assert number(library.solve("z", v0=2)) == 0


def test_a_root_does_not_answer_for_another_that_is_the_same_double():
    library = bare("k c y", "c = sqrt(k)", "y = c**2 - 2", domains={"y": "real"})
    asked = [numbers(library.solve_all("y", k=k)) for k in ("2", "2.00000000000000000001", "2")]
    assert asked == [[0], [pytest.approx(1e-20, rel=1e-9, abs=0)], [0]]


SOUGHT = [
    (["x**3 + x = k"], "x**3 + x - k"),
    (["x**2 + x = k"], "x**2 + x - k"),
    (["x*exp(x) = k"], "log(x) + x - log(k)"),
    (["x + y = k", "x*y = m"], "x**2 + y**2 - k**2 + 2*m"),
    (["c = sqrt(k)", "x + y = c", "x - y = 1"], "2*x - 1 - c"),
]
"""Relations without a closed form, and what is zero by them: the digits of their numbers end."""


def behind(relations, text):
    """A library in which b is what the text says of numbers by the relations, and its givens."""
    names = dict.fromkeys([*re.findall(r"\b[a-z]\b", " ".join([*relations, text])), "k", "b"], "real")
    given = {name: value for name, value in {"k": 3, "m": 1}.items() if name in names}
    return bare(" ".join(names), *relations, f"b = {text}", domains=names), given


@every("case", product(SOUGHT, ["1/({0})", "log(abs({0}))", "k/({0}) + 3"]), ordinary=3)
def test_a_number_made_of_digits_that_nobody_knows_says_so(case):
    (relations, zero), use = case
    library, given = behind(relations, use.format(zero))
    for answer in library.solve_all("b", **given):
        assert "last digit" in " ".join(answer.assumptions)


@every("relations, zero", SOUGHT)
def test_digits_that_nobody_knows_deny_no_value(relations, zero):
    library, given = behind(relations, f"sqrt(-abs({zero}))")
    with pytest.raises(LimitError, match="digits that are not known"):
        library.solve_all("b", **given)


def test_only_digits_that_are_not_known_leave_a_value_open():
    over = bare("x w k j y", "y = x/((x - w)*(k - j))", domains=dict.fromkeys("xwkjy", "real"))
    computed = 0.1 + 0.2
    with pytest.raises(LimitError, match="digits that are not known"):
        over.solve("y", x=computed, w=computed, k=3, j=2)
    with pytest.raises(NoSolutionError):
        over.solve("y", x="0.3", w="0.3", k=3, j=2)
    with pytest.raises(NoSolutionError):
        over.solve("y", x=computed, w=0.2, k=3, j=3)
