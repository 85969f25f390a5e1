"""A case that is assumed is the one answer; what is left in the case that is assumed away is among all of them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare
from tests.ordinary import every, examples

TEXT = """
[quantities]
x = { unit = "" }
y = { unit = "" }
limit = { unit = "", domain = "nonnegative" }
p = { unit = "" }
q = { unit = "" }
n = { unit = "" }
[relations.slender]
equation = "y = %s"
when = ["p >= q"]
[relations.stout]
equation = "y = %s + n"
when = ["p < q"]
"""
BOUND = """[relations.bound]
equation = "limit <= x"
"""
FORMS = {"2*x": lambda y: y / 2, "x**3": lambda y: y ** (1 / 3), "1/x": lambda y: 1 / y, "log(1 + x)": None}


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=15)
@given(number=st.floats(0.1, 5))
def test_a_limit_on_the_target_does_not_drown_what_is_assumed(form: str, number: float) -> None:
    text = TEXT % (form, form)
    free = derive.load(text).solve("x", y=number)
    bound = derive.load(text + BOUND).solve("x", y=number, limit=0)
    assert free.base == bound.base
    assert free.assumptions == bound.assumptions
    assert "slender is assumed to apply: p >= q" in bound.assumptions
    if FORMS[form] is not None:
        assert bound.base == pytest.approx(FORMS[form](number), rel=1e-9)


@pytest.mark.parametrize(("p", "q", "count"), [(2, 1, 1), (1, 2, 0)])
def test_a_case_that_is_known_is_not_assumed(p: int, q: int, count: int) -> None:
    answers = derive.load(TEXT % ("2*x", "2*x") + BOUND).solve_all("x", y=4, limit=0.5, p=p, q=q)
    assert len([answer for answer in answers if answer.base is not None]) == count
    assert not any("assumed" in assumption for answer in answers for assumption in answer.assumptions)


@settings(max_examples=15)
@given(number=st.floats(0.5, 5), most=st.floats(0.1, 0.4))
def test_what_is_left_in_the_case_that_is_assumed_away_is_among_all_answers(number: float, most: float) -> None:
    library = derive.load(
        (TEXT % ("2*x", "2*x")).replace('n = { unit = "" }', f'n = {{ unit = "", domain = "0..{most!r}" }}')
    )
    interval, assumed = library.solve_all("x", y=number)
    assert interval.bounds == pytest.approx(((number - most) / 2, number / 2), rel=1e-9)
    assert interval.assumptions[-1] == "another answer assumes that this is not the case"
    assert assumed.base == library.solve("x", y=number).base == pytest.approx(number / 2)


def test_what_is_left_where_no_relation_replaces_the_one_that_is_assumed_is_among_all_answers() -> None:
    """One case of `x` has a relation, and the other has none; what always holds leaves an interval there."""
    text = """
    [quantities]
    x = { unit = "" }
    y = { unit = "" }
    z = { unit = "", domain = "0..3" }
    p = { unit = "" }
    [relations]
    slender = { equation = "y = 2*x", when = ["p >= 1"] }
    always = { equation = "z = 4*x - y" }
    """
    interval, assumed = derive.load(text).solve_all("x", y=1)
    assert interval.bounds == (0.25, 1)
    assert assumed.base == 0.5


@every("seed", range(60), ordinary=4)
def test_a_case_that_leaves_the_target_open_is_said_beside_the_number_of_another(seed: int) -> None:
    """`x = a` where `c < t`, and `x = k*c` elsewhere: where x is a, any c below t does as well."""
    draw = random.Random(f"beside {seed}")
    a, turn, k = (draw.randint(1, 60) / 10 for _ in range(3))
    x = draw.choice([a, draw.randint(1, 60) / 10])
    library = bare(
        "a c x",
        {"equation": "x = a", "when": [f"c < {turn}"]},
        {"equation": f"x = {k}*c", "when": [f"c >= {turn}"]},
    )
    given = {"x": repr(x), "a": repr(a)}
    has_number, is_open = Fraction(repr(x)) >= Fraction(repr(k)) * Fraction(repr(turn)), x == a
    if not has_number:
        with pytest.raises(derive.DeriveError):
            library.solve("c", **given)
        return
    answer = library.solve("c", **given)
    assert answer.base == pytest.approx(x / k)
    assert (f"where c < {turn}, nothing determines c" in answer.assumptions) == is_open


@pytest.mark.parametrize("rest", ["z = w*x", "z = w + x"])
def test_a_default_that_decides_by_which_relation_there_is_no_value_is_named(rest):
    """Where w is 1, nothing says that x is -2; w is near enough to be looked at by the other relation."""
    library = derive.load(
        f"""[quantities]
        w = {{ unit = "1", value = "0.5", source = "an estimate" }}
        x = {{ unit = "1", domain = "nonnegative" }}
        y = {{ unit = "1" }}
        z = {{ unit = "1" }}
        [relations]
        shift = {{ equation = "y = x + 5", when = ["w < 1"] }}
        rest = {{ equation = "{rest}" }}"""
    )
    with pytest.raises(derive.NoSolutionError, match="it would have to be -2") as caught:
        library.solve("x", y=3)
    assert "w is not given, and counts as 0.5" in caught.value.hint
    with pytest.raises(derive.NoSolutionError, match="it would have to be -2") as caught:
        library.solve("x", y=3, w=0.5)
    assert "w is" not in caught.value.hint


@examples(20)
@given(racks=st.integers(1, 9), size=st.integers(2, 90), share=st.floats(0.05, 0.9))
def test_what_only_a_limit_says_where_the_relation_of_a_target_ends_does_not_drown_its_number(
    racks: int, size: int, share: float
) -> None:
    """Fewer chips than a rack holds keep to the limit as well, and no relation says how many racks they are."""
    library = bare(
        "chips racks size need each",
        {"equation": "racks = chips/size", "when": ["chips >= size"]},
        "need <= chips*each",
    )
    given = {"racks": racks, "size": size, "need": share * size * 10, "each": 10}
    answer = library.solve("chips", **given)
    assert answer.base == pytest.approx(racks * size)
    assert "where chips < size, nothing determines chips" in answer.assumptions
    interval, number = library.solve_all("chips", **given)
    assert number.base == answer.base
    assert interval.bounds == pytest.approx((share * size, size))
