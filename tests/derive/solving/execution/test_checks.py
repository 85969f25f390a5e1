"""What is said of a definition that yields to what is given, and what idle givens are tested by."""

from __future__ import annotations

import math
import random

import pytest

import derive
from tests.derive.statements import bare

FACTOR = """
[quantities]
k = { unit = "1" }
x = { unit = "1" }
y = { unit = "1" }
[relations]
y = { equation = "y = k*x" }
[profiles.twice]
k = { value = "2", kind = "exact", source = "by definition" }
"""


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_definition_that_yields_is_named_with_the_number_that_replaced_it(k: int) -> None:
    answer = derive.load(FACTOR).solve("k", "twice", x=5, y=5 * k)
    assert answer.base == k
    said = [line for line in map(str, answer.assumptions) if "is replaced" in line]
    assert said == ([] if k == 2 else [f"k = 2 is replaced: it is {k} here"])


def test_an_idle_given_is_tested_by_an_equation_with_a_quantity_on_both_sides() -> None:
    """`x = x**2 - b + 2` is true at x = 2 where b is 4, and nowhere where b is 1."""
    library = bare("a b x y", "y = 2*a", "x = x**2 - b + y")
    assert library.solve("y", a=1, b=4).base == 2
    with pytest.raises(derive.InconsistentError, match="no admissible value of x"):
        library.solve("y", a=1, b=1)


@pytest.mark.parametrize("form", ["max({0}, c - 9)", "-max(-({0}), 0)", "min({0}, 9 - c)", "abs({0})", "max({0}, 0)"])
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("square", [2, 3, 5, 6, 7])
def test_the_decimals_of_a_root_are_told_from_it_on_neither_side_of_a_corner(form: str, sign: str, square: int) -> None:
    """One last digit beside the root, an arm without c may bind: its not moving is no measure of the rounding."""
    relation = "b = " + form.format(f"c**2 - {square}")
    library = bare("b c d", relation, "d = b + c", domains=dict.fromkeys("bcd", "real"))
    for decimals in (f"{square**0.5:.15f}", f"{square**0.5:.16g}", f"{square**0.5 * (1 - 3e-16)!r}"):
        c = sign + decimals
        assert float(library.solve("d", b=0, c=c).base) == pytest.approx(float(c), rel=1e-12)


def failed(answer: derive.Answer) -> set[str]:
    return {check.name for check in answer.failed}


@pytest.mark.parametrize("seed", range(12))
def test_a_weak_value_in_a_limit_yields_to_what_the_givens_make_of_it(seed: int) -> None:
    """However x is stated by default or by a profile, twice a is what limits b."""
    draw = random.Random(seed)
    a, b, stated = draw.randint(1, 9), draw.randint(1, 18), str(draw.choice([1, 30]))
    limit = draw.choice(["y <= x", "x >= y", "b <= x"])
    path = draw.choice([["x = 2*a"], ["w = 2*a", "x = w"], [{"equation": "x = 2*a", "when": ["b < 20"]}]])
    for weak in ({"values": {"x": stated}}, {"fallbacks": {"x": stated}}, {"profiles": {"of": {"x": stated}}}):
        library = bare("a b w x y", limit, *path, "y = b", **weak)
        profiles = ["of"] if "profiles" in weak else []
        column = library.sweep("y", *profiles, a=a, b=[1, b]).columns["y"]
        if b <= 2 * a:
            answer = library.solve("y", *profiles, a=a, b=b)
            assert answer.base == b
            assert "r1" not in failed(answer)
            assert column[1] == b
            continue
        with pytest.raises(derive.InconsistentError, match="r1"):
            library.solve("y", *profiles, a=a, b=b)
        assert math.isnan(column[1])


def test_a_weak_value_in_a_limit_stands_where_the_case_that_replaces_it_does_not_apply() -> None:
    library = bare("a b x y", "y <= x", {"equation": "x = 2*a", "when": ["a > 3"]}, "y = b", values={"x": "4"})
    assert failed(library.solve("y", a=1, b=3)) == set()
    assert failed(library.solve("y", a=1, b=5)) == {"r1"}
    assert failed(library.solve("y", a=5, b=5)) == set()
