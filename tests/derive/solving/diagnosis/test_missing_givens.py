"""The smallest sets of further givens: their order, and the one that is offered where none of three names suffices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare
from tests.ordinary import examples


@examples(16)
@given(count=st.integers(4, 8), known=st.integers(0, 3))
def test_all_terms_that_are_missing_of_a_sum_are_one_set(count: int, known: int) -> None:
    terms = [f"a{place}" for place in range(count + known)]
    library = bare(f"y {' '.join(terms)}", f"y = {' + '.join(terms)}")
    with pytest.raises(derive.UnderdeterminedError) as caught:
        library.solve("y", **dict.fromkeys(terms[:known], 2))
    (names,) = caught.value.missing
    assert set(names) == set(terms[known:])


@examples(16)
@given(st.permutations("abcd"))
def test_of_what_relations_are_written_for_the_nearest_is_offered_first(chain: list[str]) -> None:
    first, second, third, last = chain
    library = bare(
        "a b c d y", f"y = {first} + 1", f"{first} = 2*{second}", f"{second} = 3*{third}", f"{third} = {last}/2"
    )
    with pytest.raises(derive.UnderdeterminedError) as caught:
        library.solve("y")
    assert caught.value.missing == ((last,), (first,), (second,), (third,))


@pytest.mark.parametrize(
    ("target", "given", "expected"),
    [("y", {"b": 6.08}, {("x",), ("w",)}), ("b", {}, {("x", "w"), ("x", "y"), ("w", "y")}), ("w", {}, {("y",)})],
)
def test_what_is_offered_rests_on_no_two_cases_at_once(
    target: str, given: dict[str, float], expected: set[tuple[str, ...]]
) -> None:
    """Both cases together would fix y by b alone, and b by x."""
    library = bare(
        "b x w y",
        "w = b/(x + 4)",
        {"equation": "y = floor((w + b)/4.3)", "when": ["b <= 2.5"]},
        {"equation": "y = w", "when": ["b > 2.5"]},
    )
    with pytest.raises(derive.UnderdeterminedError) as caught:
        library.solve(target, **given)
    assert {*caught.value.missing} == expected


@examples(16)
@given(a=st.integers(2, 9), edge=st.integers(1, 9), further=st.integers(0, 2))
def test_two_cases_at_once_determine_nothing(a: int, edge: int, further: int) -> None:
    """Each case has one relation for two unknowns, though both together would count as two relations."""
    cases = {"equation": "y = a + b", "when": [f"b < {edge}"]}, {"equation": "y = a*b", "when": [f"b >= {edge}"]}
    chain = [f"z{place + 1} = 3*z{place}" for place in range(further)]
    library = bare(f"a b x y {' '.join(f'z{place}' for place in range(3))}", *cases, "z0 = 2*a", *chain, "x = 2*b")
    with pytest.raises(derive.UnderdeterminedError) as caught:
        library.solve("x", a=a)
    assert {*caught.value.missing} == {("b",), ("y",)}
    determined = ", ".join(f"z{place}" for place in range(further + 1))
    assert caught.value.hint == f"Give b, or y. These givens determine {determined}."


@examples(16)
@given(factor=st.integers(2, 9), number=st.integers(-9, 9))
def test_the_target_is_not_offered_where_relations_are_dependent_at_these_numbers(factor: int, number: int) -> None:
    """At this number of c, both relations say the same, and another a has another b."""
    rest = f"b = a - {factor}*c + {(factor - 1) * number}".replace("+ -", "- ")
    library = bare("a b c", "c = a - b", rest, domains=dict.fromkeys("abc", "real"))
    with pytest.raises(derive.UnderdeterminedError) as caught:
        library.solve("b", c=number)
    assert caught.value.missing == (("a",),)
    assert str(caught.value).endswith("Give a.")
    assert library.solve("b", c=number, a=1).base == 1 - number


def test_what_only_conditions_contain_is_said_to_stand_there() -> None:
    library = bare("a b c x", {"equation": "b = 2*x", "when": ["a > 3"]}, {"equation": "b = x", "when": ["a <= 3"]})
    with pytest.raises(
        derive.UnderdeterminedError, match="Only conditions contain it, those of r1 and r2: add a relat"
    ):
        library.solve("a")
    with pytest.raises(derive.UnderdeterminedError, match="No relation contains it: add one"):
        library.solve("c")
