"""What weak values lead to beside an answer: a quantity without a value in its domain is a failed check of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import Library
from tests.derive.statements import bare
from tests.ordinary import examples

TARGETS = {
    "t = a*w": lambda a, w: a * w,
    "t = a + w": lambda a, w: a + w,
    "t = max(a, w)": max,
}
BESIDE = {
    "r = 5 - w": lambda a, w, t: 5 - w,
    "r = t - 4": lambda a, w, t: t - 4,
    "3 - r = w - a": lambda a, w, t: 3 - w + a,
    "r = w*w - t": lambda a, w, t: w * w - t,
}
DOMAINS = {"nonnegative": lambda r: r >= 0, "positive": lambda r: r > 0, "0..4": lambda r: 0 <= r <= 4}


def stated(target: str, beside: str, domain: str, w: int | str, *more: str) -> Library:
    domains = {"a": "real", "w": "real", "t": "real", "r": domain, "s": "real"}
    return bare("a w t r s", target, beside, *more, domains=domains, profiles={"usual": {"w": str(w)}})


def failed(answer: Any) -> list[str]:
    return [check.name for check in answer.failed]


@examples(40)
@given(
    target=st.sampled_from([*TARGETS]),
    beside=st.sampled_from([*BESIDE]),
    domain=st.sampled_from([*DOMAINS]),
    a=st.integers(-3, 6),
    w=st.integers(-3, 8),
)
def test_a_weak_value_that_leaves_a_quantity_no_value_fails_a_check(
    target: str, beside: str, domain: str, a: int, w: int
) -> None:
    library, t = stated(target, beside, domain, w), TARGETS[target](a, w)
    answer = library.solve("t", "usual", a=a)
    is_left = not DOMAINS[domain](BESIDE[beside](a, w, t))
    assert answer.base == t
    assert failed(answer) == ["r"] * is_left


@examples(12)
@given(
    target=st.sampled_from([*TARGETS]),
    beside=st.sampled_from([*BESIDE]),
    domain=st.sampled_from([*DOMAINS]),
    w=st.integers(-3, 8),
)
def test_a_table_says_where_it_does(target: str, beside: str, domain: str, w: int) -> None:
    points = [Fraction(k, 2) for k in range(-8, 20)]
    table = stated(target, beside, domain, w).sweep("t", "usual", a=[float(a) for a in points])
    assert table.holds.tolist() == [DOMAINS[domain](BESIDE[beside](a, w, TARGETS[target](a, w))) for a in points]


def test_it_does_so_one_relation_after_another() -> None:
    library = stated("t = a*w", "r = 2*s", "positive", 7, "s = 5 - w")
    answer = library.solve("t", "usual", a=2)
    assert failed(answer) == ["r"]
    assert "r2: no admissible value of r fits the others" in str(answer)
    assert failed(library.solve("t", "usual", a=2, w=3)) == []


def test_what_ranges_leave_a_value_somewhere_fails_nothing() -> None:
    library = stated("t = a*w", "r = 5 - w", "positive", "4..8")
    assert failed(library.solve("t", "usual", a=2)) == []
    assert failed(stated("t = a*w", "r = 5 - w", "positive", "6..8").solve("t", "usual", a=2)) == ["r"]
    assert failed(stated("t = a*w", "r = 5 - t", "positive", 6).solve("t", "usual", a="1..3")) == ["r"]
    assert failed(stated("t = a*w", "r = 5 - t", "positive", 6).solve("t", "usual", a="0.5..3")) == []


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"equation": "r = 5 - w", "approximate": "10 %"}, "an estimate says no more than about how much"),
        ({"equation": "r = 5 - w", "when": ["a > 3"]}, "it does not apply"),
        ("r = s - w", "another quantity is open too"),
    ],
)
def test_what_does_not_follow_exactly_fails_nothing(more: Any, why: str) -> None:
    library = bare("a w t r s", "t = a*w", more, domains={"a": "real"}, profiles={"usual": {"w": "7"}})
    assert failed(library.solve("t", "usual", a=2)) == [], why


@pytest.mark.parametrize("middle", [5, 137, 862, 1200])
def test_a_table_of_many_points_finds_the_few_at_which_it_does(middle: int) -> None:
    domains = {"a": "real", "t": "real", "w": "real", "r": "nonnegative"}
    relations = ["t = a*w", f"r = (a - {middle})*(a - {middle}) - w"]
    library = bare("a w t r", *relations, domains=domains, profiles={"usual": {"w": "7"}})
    table = library.sweep("t", "usual", a=[float(a) for a in range(1500)])
    failing = [a for a in range(1500) if (a - middle) ** 2 < 7]
    assert [a for a, holds in enumerate(table.holds.tolist()) if not holds] == failing


def test_what_is_defined_drives_nothing() -> None:
    library = derive.load(
        """[quantities]
        a = { unit = "1" }
        w = { unit = "1", value = "7", kind = "exact", source = "its definition" }
        t = { unit = "1" }
        r = { unit = "1" }
        [relations]
        t = { equation = "t = a*w" }
        r = { equation = "r = 5 - w" }
        """
    )
    assert failed(library.solve("t", a=2)) == []


def test_a_default_drives_it_as_a_profile_does_and_a_fallback_does_not() -> None:
    library = bare("a w t r", "t = a*w", "r = 5 - w", domains={"a": "real"}, values={"w": "7"})
    assert failed(library.solve("t", a=2)) == ["r"]  # a default that the answer rests on
    fallback = bare("a w t r", "t = a*w", "r = 5 - w", domains={"a": "real"}, fallbacks={"w": "7"})
    assert failed(fallback.solve("t", a=2)) == []


def test_a_fallback_beside_a_weak_value_drives_nothing() -> None:
    fallback = {"equation": "f = 2*r", "because": "a share of nothing is nothing"}
    profiles = {"usual": {"w": "7"}}
    domains = {"f": "nonnegative"}
    library = bare("a w t f r", "t = a*w + f", fallback, domains=domains, fallbacks={"f": "0"}, profiles=profiles)
    answer = library.solve("t", "usual", a=2)
    assert (answer.base, failed(answer)) == (14, [])


def test_a_quantity_undefined_by_its_own_relation_fails_nothing() -> None:
    assert failed(stated("t = a*w", "r = 1/(w - 7)", "positive", 7).solve("t", "usual", a=2)) == []
