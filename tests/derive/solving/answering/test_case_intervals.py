"""Numbers and intervals that the cases of the relations around a target leave to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive import NoSolutionError, UnderdeterminedError
from derive.solving.answering.case_intervals import _reachable_one_by_one
from tests.derive.statements import bare, number, span
from tests.ordinary import examples


@examples(16, ordinary=3)
@given(st.one_of(st.floats(0.55, 0.9), st.floats(1.1, 1.9)))
def test_a_root_that_leaves_another_quantity_no_value_in_any_case_is_no_answer(root: float) -> None:
    """Of a negative x, `x*w` is in 1..2 for no w, and `x + w` is with w up to 2 if x is not below -1."""
    library = bare(
        "x y z u w",
        "y = x**2",
        {"equation": "u = x + w", "when": ["z > 3"]},
        {"equation": "u = x*w", "when": ["z <= 3"]},
        domains={"x": "real", "u": "1..2", "w": "1..2"},
    )
    expected = [root] if root > 1 else [-root, root]
    assert [answer.base for answer in library.solve_all("x", y=root**2)] == pytest.approx(expected)


@pytest.mark.parametrize("most", ["min(7, z, b)", "min(b, z)", "min(z, max(z, b), b)", "min(b/3, z)"])
def test_a_positive_target_is_not_zero_where_zero_alone_is_left_beside_it(most: str) -> None:
    """What is at most 0 and more than 0 has no value, in each case of a relation that has nothing to do with it."""
    library = bare(
        "a b c x z w",
        {"equation": "x = a", "when": ["c < 5"]},
        {"equation": "x = 2*a", "when": ["c >= 5"]},
        f"w = {most}",
        domains=dict.fromkeys("bz", "real"),
    )
    for c in (3, 5):
        with pytest.raises(NoSolutionError):
            library.solve_all("w", a=1, b=0, c=c)
        (answer,) = library.solve_all("w", a=1, b=3, c=c)
        assert answer.bounds is not None
        assert answer.bounds[0] == 0


@pytest.mark.parametrize("typed", ["1..3.5", "3..4", "2.9..3.1"])
def test_a_range_that_contains_what_a_case_says_contradicts_nothing(typed: str) -> None:
    """The middle of the range is another number; that is no reason to take the case not to apply."""
    cases = {"equation": "y = 3", "when": ["a >= 1"]}, {"equation": "y = 2*a", "when": ["a < 1"]}
    library = bare("a x y u", *cases, "u = x")
    with pytest.raises(UnderdeterminedError):
        library.solve_all("u", a=2, y=typed)


def test_a_range_without_what_any_case_says_leaves_the_target_no_value() -> None:
    cases = {"equation": "y = 3", "when": ["u >= 1"]}, {"equation": "y = 4", "when": ["u < 1"]}
    with pytest.raises(NoSolutionError):
        bare("x y u a", *cases, "u = 2*a + x").solve_all("x", a=2, y="1..2")


@examples(40)
@given(st.randoms(use_true_random=False))
def test_what_can_follow_one_by_one_is_what_rounds_over_all_relations_reach(draw):
    library = bare(" ".join("abcdefgh"), *(_equation(draw) for _ in range(draw.randint(1, 9))))
    known = set(draw.sample("abcdefgh", draw.randint(0, 3)))
    left_out = set(draw.sample(sorted(library.relations), draw.randint(0, 1)))
    but = draw.choice("abcdefgh")
    reach = set(known)
    for _ in library.relations:
        for relation in library.relations.values():
            missing = {*relation.members} - reach
            if len(missing) == 1 and missing != {but} and relation.name not in left_out:
                reach |= missing
    assert _reachable_one_by_one(library, known, left_out, but) == reach


def _equation(draw):
    """An equation of one quantity, or of up to four."""
    result, *others = draw.sample("abcdefgh", draw.randint(1, 4))
    return f"{result} = {' + '.join(others) or draw.randint(1, 5)}"


@pytest.mark.parametrize(
    "unrelated", [[], ["g = b if f > 19.9 else 2*b"], ["g = b if f > 19.9 else 2*b", "h = min(g, f)"]]
)
def test_a_case_that_tells_nothing_of_the_target_leaves_it_what_a_profile_states(unrelated: list[str]) -> None:
    """What a profile states of the target is the answer where nothing else leads to it, whatever else is related."""
    profiles = {"p": {"a": "1", "e": "5"}}
    library = bare("a d e b f g h", "e = a + d", "d = b if a > 19.9 else 2*b", *unrelated, profiles=profiles)
    assert number(library.solve("e", "p")) == 5


CANCELLING = ["x = 2*e/e", "x = 2*(e/e)", "x*e = 2*e", "x = 2 + e - e", "x = 2*exp(e - e)", "x = sqrt(4*e/e)"]


@pytest.mark.parametrize("relation", CANCELLING)
def test_a_case_is_not_refuted_by_a_relation_in_which_the_quantity_of_its_condition_cancels(relation):
    library = bare(
        "a e n w x",
        relation,
        "w = e + n",
        {"equation": "a = x", "when": "n <= e"},
        {"equation": "a = 3*x", "when": "n > e"},
    )
    (answer,) = library.solve_all("n", w="29.4", a="2")  # x is 2, so n is at most half of w
    low, high = span(answer)
    assert low == 0
    assert high == pytest.approx(14.7) or (high > 14.7 and "need be reached" in answer.assumptions[0])
