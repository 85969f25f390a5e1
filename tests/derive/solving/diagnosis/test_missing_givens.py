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
