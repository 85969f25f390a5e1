"""Why a question has no answer: what is missing, or which givens conflict."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare
from tests.ordinary import examples


@examples(16, ordinary=2)
@given(a=st.integers(1, 50), b=st.integers(1, 50), factor=st.integers(2, 9))
def test_what_is_typed_contradicts_itself_also_where_the_target_is_open(a: int, b: int, factor: int) -> None:
    """That more is missing is no answer to one who typed what cannot be: `d` is unknown either way."""
    library = bare("a b c d", f"b = {factor}*a", "c = b*d")
    if b == factor * a:
        b += 1
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve("c", a=a, b=b)
    assert set(caught.value.conflicts) == {"r1", f"a = {a}", f"b = {b}"}
    with pytest.raises(derive.UnderdeterminedError) as open_target:
        library.solve("c", a=a, b=factor * a)
    assert open_target.value.missing == (("d",),)


@pytest.mark.parametrize("equation", ["y = (2.1 if x > 10 else a)", "y = min(x, a)", "y = a*exp(x - 0.5)"])
def test_typed_ranges_contradict_each_other_only_if_no_numbers_in_them_fit(equation: str) -> None:
    """In their middle they leave x no value: that is no contradiction where 8 fits, and one where nothing does."""
    cases = {"equation": "v + u = x + a + u", "when": ["u <= a"]}, {"equation": "v = x*u", "when": ["u > a"]}
    library = bare("x a b u v y", equation, "u = 2*b", *cases, domains={"x": "0.5..20"})
    fitting = "8..9" if "exp" not in equation else "7.25..8.25"
    (answer,) = library.solve_all("u", a="7.975..8.075", b="1.5", y=fitting)
    assert answer.base == 3
    with pytest.raises(derive.InconsistentError):
        library.solve_all("u", a="7.975..8.075", b="1.5", y="0.1..0.4")


def test_a_case_in_the_middle_of_the_ranges_contradicts_nothing_beyond_it() -> None:
    """With x below a, y would be negative; from a on, v is 1.5 times x."""
    cases = ("v = 1.5*u", "u < 5.74"), ("v = u", "u >= 5.74"), ("u = x", "x >= a"), ("u = 5.9", "x < a")
    further = ("w = 1 + 0.27*x", "v >= 5.2"), ("w = 2.5*v", "v < 5.2")
    relations = [{"equation": equation, "when": [condition]} for equation, condition in (*cases, *further)]
    library = bare("x a u v y w", "y = w - 4", *relations)
    (answer,) = library.solve_all("v", a="2.91", x="2.5..3")
    assert answer.bounds == pytest.approx((4.365, 4.5))
    with pytest.raises(derive.InconsistentError):
        library.solve_all("v", a="2.91", x="2.5..2.6")


def test_a_relation_that_applies_in_a_part_of_the_ranges_contradicts_nothing_in_the_rest() -> None:
    """From a = 10 on, y would be 8.4; up to there it is 1000, as typed."""
    cases = {"equation": "y = 8.4", "when": ["a > b"]}, {"equation": "y = b**3", "when": ["a <= b"]}
    library = bare("a b v y", "v = 2*a", *cases)
    (answer,) = library.solve_all("v", b=10, y=1000, a="9.9..10.5")
    assert answer.base is None
    assert answer.bounds == pytest.approx((19.8, 20))
    with pytest.raises(derive.InconsistentError):
        library.solve_all("v", b=10, y=1000, a="10.1..10.5")


@pytest.mark.parametrize(
    ("further", "typed", "named"),
    [
        ((), {"c": 2}, {"c = 2"}),
        (("c = 2*e",), {"e": 2}, {"r2", "e = 2"}),
        (({"equation": "c = 2*e", "when": ["d > 1"]},), {"e": 2, "d": 3}, {"r2", "e = 2", "d = 3"}),
        (("c = d - e", "c = 2*d"), {"e": -2}, {"r2", "r3", "e = -2"}),
    ],
)
@pytest.mark.parametrize("target", ["b", "c", "f"])
def test_what_decides_that_a_relation_applies_is_part_of_its_conflict(
    further: tuple[Any, ...], typed: dict[str, int], named: set[str], target: str
) -> None:
    """At another c there is no conflict: `b = a**2` is only for c > 1. That c >= 0 needs no other reason."""
    conditional = {"equation": "b = a**2", "when": ["c > 1", "g >= 0"]}
    domains = {"g": "nonnegative", "e": "real", "d": "real"}
    library = bare("a b c d e f g", conditional, *further, "f = a + 1", domains=domains)
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve(target, a=5, b=3, g=1, **typed)
    assert set(caught.value.conflicts) == {"r1", "a = 5", "b = 3", *named}
    given_names = {part.partition(" = ")[0] for part in caught.value.conflicts if " = " in part}
    hint = str(caught.value.hint)
    assert all(name in hint.partition(", or leave")[0] for name in given_names)


def test_what_decides_that_relations_which_cancel_apply_is_part_of_their_conflict() -> None:
    """For c up to 1 nothing ties `p` to `q`."""
    conditional = {"equation": "p = x + y", "when": ["c > 1"]}
    library = bare("p q x y c e", conditional, "q = 2*x + 2*y", "c = 2*e")
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve("p", p=2, q=5, e=3)
    assert set(caught.value.conflicts) == {"r1", "r2", "r3", "p = 2", "q = 5", "e = 3"}
