"""Ranges and conditions: a case that is chosen in the middle is not passed off as that of the whole range."""

from __future__ import annotations

import pytest

import derive
from tests.derive.statements import bare, span

DRAG = bare(
    "speed Re friction loss",
    {"equation": "friction = 64/Re", "when": ["Re < 2300"], "name": "laminar"},
    {"equation": "friction = 0.316/Re**0.25", "when": ["Re >= 4000"], "name": "blasius"},
    "Re = 1000*speed",
    "loss = friction*speed",
)
USED = "{} is used, since {} in the middle of the ranges; elsewhere in them it may not be"
LEFT = "{} is left out, but {} may be true elsewhere than in the middle of the ranges"


def said(answer):
    return {line for line in answer.assumptions if "elsewhere" in line}


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("target", "given", "expected"),
    [
        ("friction", {"Re": "1000..2000"}, set()),
        ("friction", {"Re": "5000..9000"}, set()),
        ("friction", {"Re": "2000..2500"}, {USED.format("laminar", "Re < 2300")}),
        (
            "friction",
            {"Re": "1000..9000"},
            {USED.format("blasius", "Re >= 4000"), LEFT.format("laminar", "Re < 2300")},
        ),
        ("friction", {"speed": "2..2.5"}, {USED.format("laminar", "Re < 2300")}),
        ("loss", {"speed": "1..2"}, set()),
        ("loss", {"speed": "2..2.5"}, {USED.format("laminar", "Re < 2300")}),
        (
            "Re",
            {"friction": "0.025..0.03"},  # 64/Re is 0.03 at 2133
            {
                "where Re < 2300, it has no value in the middle of the ranges; elsewhere in the ranges there may be "
                "others"
            },
        ),
        ("friction", {"Re": "2000"}, set()),
    ],
)
def test_a_condition_that_turns_within_a_range_is_said(target, given, expected):
    assert said(DRAG.solve(target, **given)) == expected


def test_each_case_of_an_answer_says_for_itself():
    laminar, turbulent = DRAG.solve_all("Re", friction="0.02..0.05")
    assert span(laminar) == pytest.approx((64 / 0.05, 2300))
    assert span(turbulent) == pytest.approx((4000, (0.316 / 0.02) ** 4))
    assert said(laminar) == {USED.format("laminar", "Re < 2300")}
    assert USED.format("blasius", "Re >= 4000") in said(turbulent)


def test_where_no_case_holds_in_the_middle_the_error_says_where_it_was_asked():
    with pytest.raises(derive.UnderdeterminedError, match="Re < 2300 is false in the middle of the ranges"):
        DRAG.solve("friction", Re="2000..3500")
    with pytest.raises(derive.UnderdeterminedError, match="Re < 2300 is false in the middle of the ranges"):
        DRAG.solve("friction", speed="2..3.5")


def test_a_condition_on_what_the_target_does_not_need_is_judged_over_the_ranges_too():
    library = bare(
        "x y j k",
        "k = 2*j - 1",
        {"equation": "y = 2*x", "when": ["k < 1"]},
        {"equation": "y = 5*x", "when": ["k >= 1"]},
    )
    assert said(library.solve("y", x=3, j="0.6..0.9")) == set()
    turning = library.solve("y", x=3, j="0.6..1.2")
    assert said(turning) == set()
    assert span(turning) == pytest.approx((6, 15))


def test_quantities_that_move_together_are_not_taken_apart():
    library = bare(
        "x y z w",
        "y = 2*x",
        "z = 3*x",
        {"equation": "w = y*z", "when": ["y < z"]},
    )
    assert said(library.solve("w", x="1..5")) == set()


def test_the_range_of_a_weak_value_counts():
    library = bare("x y k", {"equation": "y = 2*x", "when": ["k < 1"]}, values={"k": "0.5..1.2"})
    assert said(library.solve("y", x=3)) == {USED.format("r1", "k < 1")}
