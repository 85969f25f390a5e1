"""Branch and prune: no root lies outside of the places, and each proved place holds one."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.tree import Apply, Number
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import value
from derive.numerics.root_finding.univariate_branch_and_prune import joined, middle, one_turn, pruned, recurs
from quantities.domain import Domain
from tests.derive.draws import expressions
from tests.ordinary import examples


def places(text, low, high):
    return pruned(folded(parse_expression(text), {}), "x", (low, high))


def every(places):
    return [*places.crossings, *places.level, *places.jumps, *places.unsettled, *places.beyond]


@examples(120, suppress_health_check=list(HealthCheck))
@given(expressions(), st.floats(0.05, 50))
def test_a_hidden_root_lies_in_one_of_the_places(text, hidden):
    tree = folded(parse_expression(text), {"y": 1.5})
    level = value(tree, {"x": hidden})
    assume(math.isfinite(level))
    form = Apply("add", (tree, Number(-Fraction(level))))
    result = pruned(form, "x", (0.01, 60.0), patience=300)
    assert any(low * (1 - 1e-9) <= hidden <= high * (1 + 1e-9) for low, high in every(result))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("exp(x) - 3*x", 2),
        ("x*log(x) + 0.2", 2),
        ("x**1.5 - 3*sqrt(x) + 1", 2),
        ("cosh(x) - 0.5", 0),
        ("atan(x) - 1", 1),
    ],
)
def test_simple_roots_are_proved_one_to_a_box(text, count):
    result = places(text, 0.0, math.inf)
    assert len(result.crossings) == count
    assert [result.level, result.unsettled, result.beyond] == [[], [], []]
    form = folded(parse_expression(text), {})
    assert all(value(form, {"x": low}) * value(form, {"x": high}) < 0 for low, high in result.crossings)
    assert all(a[1] <= b[0] for a, b in pairwise(result.crossings))


def test_a_form_that_is_zero_along_a_stretch_is_level_there():
    ((_, end),) = places("max(x, 3) - 3", 0.5, 9.0).level
    assert end == pytest.approx(3, rel=1e-9)


def test_a_double_root_is_cornered_and_not_dropped():
    result = places("(x - 1)**2*exp(x)", 0.0, 9.0)
    assert any(low <= 1 <= high and high - low < 1e-5 for low, high in [*result.level, *result.jumps])


def test_a_stretch_where_doubles_overflow_is_said():
    assert places("exp(x) - exp(2*x) + 5", 0.0, math.inf).beyond[-1][1] == pytest.approx(1e60)


def test_patience_ends_and_what_is_left_is_said():
    assert pruned(parse_expression("sin(x)"), "x", (1.0, 1e6), patience=50).unsettled


def near(spans):
    return [pytest.approx(span, rel=1e-12, abs=1e-60) for span in spans]


WHERE = [  # a form, the span that is looked at, and what is found there, of which kind
    ("x - 5", -9, 9, {"crossings": [(1e-60, 9)]}),
    ("x", -3, 3, {"level": [(0, 0)]}),
    ("x**3", -3, 3, {"level": [(0, 0)]}),
    ("exp(x) - 2", -math.inf, math.inf, {"crossings": [(1e-60, 1)]}),
    ("x**2 - 2", 0, 1e70, {"crossings": [(1e-60, 1e60)]}),
    ("x + 1e20 - 1e20 - 3", 0, 9, {"crossings": [(1e-60, 9)]}),
    ("x*exp(x) - 1e-61", 0, 9, {}),
    ("atan(x - 2)", 2, 2, {"level": [(2, 2)]}),
    ("(x - 2)*exp(x/9)", 2, 9, {"level": [(2, 2)]}),
    ("(x - 2)*exp(x/9)", -9, 2, {"level": [(2, 2)]}),
    ("sinh(x)", 0, 9, {"level": [(0, 0)]}),
    ("cosh(x)", -9, 9, {}),
    ("log(x)", -9, -1, {}),
    ("floor(x) - 2.5", -9, 9, {"jumps": [(3, 3)]}),
    ("1/(x - 1)", 0, 9, {"jumps": [(1, 1)]}),
    ("sqrt(x - 1)", 0, 9, {"jumps": [(1, 1)]}),
    ("(x - 1)**2*exp(x)", 0, 9, {"jumps": [(1, 1)]}),
    ("x if x < 2 else x - 5", 1, 9, {"crossings": [(3, 9)], "jumps": [(2, 2)]}),
    ("x*0", 1, 5, {"level": [(1, 5)], "flat": [(1, 5)]}),
    ("x*0 + 1", 1, 5, {}),
    ("max(x, 3) - 3.0000001", 0.5, 9, {"crossings": [(3.000000072822452, 3.000001144802739)]}),
    ("max(x, 3) - 2.9999999", 0.5, 9, {}),
    ("tanh(x) - 1", 0, math.inf, {"level": [(16.106164162015908, 1e60)]}),
    ("sin(x) - 1", 1, 2, {"level": [(1.5707961, 1.5707965)]}),
    ("exp(x) - exp(2*x) + 5", 2, math.inf, {"beyond": [(429.5572085280588, 1e60)]}),
    ("exp(x) - exp(2*x) + 5", 2, 700, {}),
]


@pytest.mark.parametrize(("text", "low", "high", "expected"), WHERE)
def test_the_places_of_a_form_are_of_their_kind_on_either_side_of_zero(text, low, high, expected):
    there = places(text, low, high)
    mirrored = places(re.sub(r"\bx\b", "(-x)", text), -high, -low)
    for kind in ("crossings", "level", "flat", "jumps", "unsettled", "beyond"):
        spans = getattr(there, kind)
        assert spans == [pytest.approx(span, rel=1e-6, abs=1e-60) for span in expected.get(kind, [])], kind
        assert getattr(mirrored, kind) == near((-b, -a) for a, b in reversed(spans)), kind


def test_what_is_constant_counts_as_zero_to_nine_digits():
    def flat(level):
        return places(f"max(x, 3) - {level}", 0.5, 2.0).flat

    assert all(flat(level) for level in ("3", "3.000000002", "2.999999998"))
    assert not any(flat(level) for level in ("3.00000001", "2.99999999"))
    assert bool(places("max(1e9*x, 3e9) - 3000000001", 0.5, 2.0).flat)


def test_a_flat_stretch_reaches_from_jump_to_jump():
    result = places("floor(x) - 2", -9, 9)
    assert result.level == near([(2.0000000000000573, 2.9999999999998286)])
    assert [(low, high) for low, high in result.jumps] == [pytest.approx((n, n), rel=1e-12) for n in (2, 3)]
    assert result.flat == sorted(result.flat)
    assert (result.flat[0][0], result.flat[-1][1]) == result.level[0]


def test_where_rounding_hides_a_form_its_span_is_left_unsettled_in_many_parts():
    result = places("sin(1e17*x)", 1.0, 2.0)
    assert result.unsettled == near((1 + n / 64, 1 + (n + 1) / 64) for n in range(64))
    assert [result.crossings, result.level, result.jumps] == [[], [], []]
    assert not places("sin(1e17*x) + 1.5", 1.0, 2.0).unsettled
    assert len(places("x*sin(1e15*x) + 1/1000", 1.0, 2.0).unsettled) >= 64


@pytest.mark.parametrize(
    ("patience", "left"),
    [
        (0, [(1, 1e6)]),
        (1, [(1, 1e3), (1e3, 1e6)]),
        (2, [(1, 1e6**0.25), (1e6**0.25, 1e3), (1e3, 1e6)]),
        (3, [(1, 1e6**0.25), (1e6**0.25, 1e3), (1e3, 1e6**0.75), (1e6**0.75, 1e6)]),
    ],
)
def test_patience_is_the_number_of_boxes_that_are_opened(patience, left):
    def unsettled(low, high):
        return pruned(parse_expression("sin(x)"), "x", (low, high), patience=patience).unsettled

    assert unsettled(1.0, 1e6) == near(left)
    assert len(unsettled(-1e6, 1e6)) == (3, 4, 3, 4)[patience]  # the second box is zero itself, and settled


@examples(60, suppress_health_check=list(HealthCheck))
@given(expressions(), st.floats(0.05, 50))
def test_a_crossing_holds_a_change_of_sign_and_what_is_dropped_holds_none(text, hidden):
    tree = folded(parse_expression(text), {"y": 1.5})
    level = value(tree, {"x": hidden})
    assume(math.isfinite(level))
    form = Apply("add", (tree, Number(-Fraction(level))))
    result = pruned(form, "x", (-60.0, 60.0), patience=200)
    for low, high in result.crossings:
        ends = value(form, {"x": low}), value(form, {"x": high})
        assert not all(abs(end) > 1e-9 * max(1.0, abs(level)) for end in ends) or ends[0] * ends[1] < 0
    assert any(low * (1 - 1e-9) <= hidden <= high * (1 + 1e-9) for low, high in every(result))


@pytest.mark.parametrize(
    ("spans", "whole"),
    [
        ([], []),
        ([(1, 2)], [(1, 2)]),
        ([(2, 3), (1, 2)], [(1, 3)]),
        ([(1, 2), (2.1, 3)], [(1, 2), (2.1, 3)]),
        ([(1, 5), (2, 3)], [(1, 5)]),
        ([(1, 5), (2, 3), (4, 6), (8, 9)], [(1, 6), (8, 9)]),
        ([(-3, -2), (-2, -1)], [(-3, -1)]),
        ([(1, 2), (2, 3)], [(1, 3)]),
        ([(1, 2), (2 + 1e-13, 3)], [(1, 2), (2 + 1e-13, 3)]),
        ([(-1, -1e-60), (0, 0), (1e-60, 1)], [(-1, 1)]),
        ([(-1, 0), (1e-50, 1)], [(-1, 0), (1e-50, 1)]),
    ],
)
def test_spans_that_touch_are_one(spans, whole):
    assert joined(spans) == whole


@pytest.mark.parametrize(
    ("box", "cut"),
    [
        ((1.0, 3.0), 2.0),
        ((1.0, 4.0), 2.5),
        ((1.0, 4.5), math.sqrt(4.5)),
        ((1.0, 9.0), 3.0),
        ((1e-30, 1e30), 1.0),
        ((-9.0, -1.0), -3.0),
        ((0.0, 2.0), 0.0),
        ((1e-200, 1e-100), 1e-150),
        ((1e100, 1e250), 1e175),
    ],
)
def test_a_box_is_cut_in_its_middle_or_by_ratio_where_its_ends_are_far_apart(box, cut):
    assert middle(box) == pytest.approx(cut, rel=1e-12)


@pytest.mark.parametrize(
    "box", [(1.0, 3.0), (1e-30, 1e30), (-8.0, -2.0), (-1e9, -1e-9), (0.0, 5.0), (-1e-30, 0.0), (-1.0, 2.0)]
)
def test_a_box_is_cut_inside(box):
    assert box[0] < middle(box) < box[1]


@pytest.mark.parametrize("angle", ["tanh(x)", "2*tanh(x)", "exp(-x**2)"])
def test_an_angle_that_takes_no_more_than_a_turn_has_its_whole_domain(angle):
    assert one_turn(parse_equation(f"sin({angle}) = 0.5"), "x", {}, Domain("real", -math.inf, math.inf)) is None


@pytest.mark.parametrize(
    ("low", "high", "turn"),
    [
        (-math.inf, math.inf, (-math.pi, math.pi)),
        (-4.0, math.inf, (-math.pi, math.pi)),
        (-1.0, math.inf, (-1.0, math.tau - 1.0)),
        (2.0, math.inf, (2.0, math.tau + 2.0)),
        (-math.inf, 1.0, (1.0 - math.tau, 1.0)),
    ],
)
def test_a_turn_lies_in_the_domain_and_is_open_only_at_its_end(low, high, turn):
    found = one_turn(parse_equation("sin(x) = 0.5"), "x", {}, Domain("some", low, high, open_low=True))
    assert (found.low, found.high) == pytest.approx(turn)
    assert found.open_low == (found.low == low)


def test_an_angle_that_turns_back_is_followed_through_a_whole_turn():
    found = one_turn(parse_equation("sin(abs(x/100 - 1)) = 0.5"), "x", {}, Domain("x > 0", 0.0, math.inf))
    assert abs(found.high / 100 - 1) - abs(found.low / 100 - 1) == pytest.approx(math.tau)


def test_two_angles_of_which_one_turns_back_have_no_period():
    root, turn = math.pi / 6, (-math.pi, math.pi)
    assert math.sin(abs(root)) == pytest.approx(math.cos(2 * root))
    assert math.sin(abs(root - math.tau)) != pytest.approx(math.cos(2 * (root - math.tau)))
    assert not recurs(parse_equation("sin(abs(x)) = cos(2*x)"), "x", {}, turn)
    assert recurs(parse_equation("sin(x) = cos(2*x)"), "x", {}, turn)


@pytest.mark.parametrize("angle", ["4*x/abs(x)", "4*floor(x)"])
def test_an_angle_with_a_jump_does_not_take_all_numbers_of_a_turn(angle):
    ends = [value(parse_expression(angle), {"x": x}) for x in (-1.0, 1.0)]
    assert ends[1] - ends[0] > math.tau
    assert not recurs(parse_equation(f"sin({angle}) = 0.5"), "x", {}, (-1.0, 1.0))
    assert recurs(parse_equation("sin(4*x) = 0.5"), "x", {}, (-1.0, 1.0))


def test_a_turn_of_an_angle_that_needs_both_sides_of_zero_reaches_below_it():
    found = one_turn(parse_equation("sin(4*tanh(x)) = 0.5"), "x", {}, Domain("real", -math.inf, math.inf))
    first, last = (4 * math.tanh(x) for x in (found.low, found.high))
    assert last - first > math.tau > last


def test_one_angle_that_is_not_linear_shows_all_solutions_in_a_turn():
    assert recurs(parse_equation("sin(x**2) = 0.5"), "x", {}, (0.0, math.sqrt(math.tau)))
    assert not recurs(parse_equation("sin(x**2) = 0.5"), "x", {}, (0.0, 0.9 * math.sqrt(math.tau)))
