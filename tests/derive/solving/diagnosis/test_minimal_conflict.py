"""A conflict names no part without which the others contradict each other as well, and leaves none out that counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare
from tests.ordinary import examples


def conflicts(library: derive.Library, target: str, **typed: float) -> set[str]:
    """What the error names, which is the same in its text, its hint and its fact."""
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve(target, **typed)
    error = caught.value
    assert error.gap > 0
    told = error.what.partition("The conflict: ")[2].removesuffix(".")
    assert set(told.replace("; ", ", ").split(", ")) == {*error.conflicts}
    stated = ", ".join(part.partition(" = ")[0] for part in error.conflicts if " = " in part)
    named = error.hint.partition(", or leave ")[0].removeprefix("Change or drop ").removeprefix("one of ")
    assert named in (stated, "them")
    return {*error.conflicts}


@examples(8, ordinary=2)
@given(high=st.integers(5, 9), low=st.integers(1, 4), reverse=st.booleans(), target=st.sampled_from("cad"))
def test_of_a_choice_only_the_arm_that_decides_is_in_a_conflict(
    high: int, low: int, reverse: bool, target: str
) -> None:
    """Whatever the lower one is, the maximum is too high; with the lower one alone, it may be."""
    a, b = (low, high) if reverse else (high, low)
    library = bare("a b c d", "c = max(a, b)", "d = 2*a")
    decisive = f"b = {b}" if reverse else f"a = {a}"
    assert conflicts(library, target, a=a, b=b, c=4.5) == {"r1", "c = 4.5", decisive}
    library = bare("a b c d", "c = max(a, b)", "d = 2*a")
    assert conflicts(library, target, a=a, b=b, c=10) == {"r1", "c = 10", f"a = {a}", f"b = {b}"}


@examples(8, ordinary=2)
@given(p=st.integers(1, 9), q=st.integers(-9, 9), rest=st.integers(10, 19), target=st.sampled_from("pqr"))
def test_what_cancels_is_in_no_conflict(p: int, q: int, rest: int, target: str) -> None:
    domains = dict.fromkeys("pqr", "real")
    assert conflicts(bare("p q r", f"q = p + q - {rest}", domains=domains), target, p=p, q=q) == {"r1", f"p = {p}"}
    behind = bare("p q r", f"q = p + q - {rest}", "q = 2*r", domains=domains)
    assert conflicts(behind, target, p=p, r=q) == {"r1", f"p = {p}"}


@examples(16)
@given(factor=st.integers(2, 9), a=st.integers(2, 9), d=st.integers(1, 9), off=st.integers(1, 20))
def test_what_a_domain_makes_spare_is_in_no_conflict(factor: int, a: int, d: int, off: int) -> None:
    """As d is positive, c is above b whatever d is; if d may be any number, only all givens together do not fit."""
    relations = f"b = {factor}*a", "c = b + d"
    below = factor * a - off
    real = dict.fromkeys("abcd", "real")
    everything = {"r1", "r2", f"a = {a}", f"d = {d}"}
    assert conflicts(bare("a b c d", *relations, domains=real), "b", a=a, c=below, d=d) == {*everything, f"c = {below}"}
    positive = real | {"d": "positive"}
    named = conflicts(bare("a b c d", *relations, domains=positive), "b", a=a, c=below, d=d)
    assert named == everything - {f"d = {d}"} | {f"c = {below}"}
    above = factor * a + d + off
    named = conflicts(bare("a b c d", *relations, domains=positive), "b", a=a, c=above, d=d)
    assert named == {*everything, f"c = {above}"}


@pytest.mark.parametrize("gap", [1e-3, 1e-7])
def test_a_small_gap_has_the_same_parts(gap: float) -> None:
    library = bare("a b c d e", "c = max(a, b)", "d = c**2")
    assert conflicts(library, "d", a=3, b=2, c=3 - gap) == {"r1", f"c = {3 - gap!r}", "a = 3"}


def test_what_decides_that_a_relation_applies_is_not_spare() -> None:
    """The maximum is too high whatever b is, but for b up to 1 it is none."""
    library = bare("a b c d", {"equation": "c = max(a, b)", "when": ["b > 1"]})
    assert conflicts(library, "d", a=5, b=2, c=3) == {"r1", "c = 3", "a = 5", "b = 2"}


@pytest.mark.parametrize("others", ["b", "be", "bef"])
def test_of_parts_that_stand_in_for_each_other_one_stays_in_the_conflict(others: str) -> None:
    """Each of the equal arms alone makes the maximum too high."""
    library = bare("a b c d e f", f"c = max(a, {', '.join(others)})", "d = 2*a")
    assert conflicts(library, "d", c=3, **dict.fromkeys(f"a{others}", 5)) == {"r1", "c = 3", "a = 5"}


def test_only_one_of_the_equations_that_exclude_each_other_without_a_given_is_spare() -> None:
    """With a product of 9 the sum is at least 6; with a difference alone it may be any."""
    library = bare("x y a b", "x + y = a", "x - y = b", "x*y = 9")
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve("x", a=1, b=5)
    assert {*caught.value.conflicts} == {"r1", "r3", "a = 1"}


@pytest.mark.parametrize(("domain", "decisive"), [("positive", set()), ("nonnegative", {"d = 2"})])
def test_a_given_is_spare_where_only_a_number_outside_its_open_domain_would_fit(
    domain: str, decisive: set[str]
) -> None:
    library = bare("b c d e", "d = b*c", "e = 2*b", domains={"c": "nonnegative", "d": domain})
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve("e", b=3, c=0, d=2)
    assert {*caught.value.conflicts} == {"r1", "c = 0", *decisive}


def test_the_middle_of_a_range_makes_no_given_spare() -> None:
    """In the middle of its range a is too high, but it may be low: b is what decides."""
    library = bare("a b c d", "c = max(a, b)", "d = 2*a")
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve("d", a="1..9", b=5, c=3)
    assert "b = 5" in caught.value.conflicts


@pytest.mark.parametrize(("count", "named"), [(7, 2), (8, 9)])
def test_a_conflict_of_up_to_eight_givens_is_searched_for_spare_ones(count: int, named: int) -> None:
    arms = "abcdefgh"[:count]
    library = bare(f"{' '.join(arms)} y z", f"y = max({', '.join(arms)})", "z = 2*a")
    with pytest.raises(derive.InconsistentError) as caught:
        library.solve("z", y=3, **{name: number for number, name in enumerate(arms, 1)})
    assert len([part for part in caught.value.conflicts if " = " in part]) == named


def test_a_conflict_of_the_same_relations_has_the_parts_of_its_own_numbers() -> None:
    library = bare("a b c", "c = max(a, b)")
    assert conflicts(library, "c", a=5, b=1, c=3) == {"r1", "c = 3", "a = 5"}
    assert conflicts(library, "c", a=1, b=5, c=3) == {"r1", "c = 3", "b = 5"}


@pytest.mark.parametrize(
    "relations",
    [
        ("d = a*x", "e = d*a/(d + x)"),
        ("d = a*x", "e = a + d/x"),
        ("d = x + a", "e = 2*(d - x)"),
        ("d = x**2*a", "e = d/x**2 + 1"),
        ("d = a*sqrt(x)", "e = d**2/x"),
    ],
)
def test_a_quantity_that_cancels_between_the_relations_is_no_part_of_their_conflict(relations):
    library = bare("a d e x", *relations)
    assert conflicts(library, "d", a=4, e=100, x=6) == {"r1", "r2", "a = 4", "e = 100"}
    assert conflicts(library, "x", a=4, e=100) == {"r1", "r2", "a = 4", "e = 100"}
