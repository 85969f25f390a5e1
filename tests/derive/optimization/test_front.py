"""Fronts of two targets: no point is better than another in both, and each is the best under a bound on the other."""

from __future__ import annotations

from itertools import pairwise, product

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import derive
from derive.optimization import front as front_module
from tests.derive.statements import bare, number

FLEET = {"batch": "1..600 sequence", "chips": ["8 chip", "32 chip"], "context": "8 ktoken/sequence"}
CHIPS = ("h100-sxm:fp8", "b200-sxm:fp8")


@pytest.fixture(scope="module")
def front():
    return derive.front(["cost_per_token", "user_speed"], CHIPS, "llama3-70b", points=6, **FLEET)


def values(front):
    return [tuple(float(value.magnitude) for value in point.values) for point in front.points]


def test_more_speed_costs_more(front):
    assert front.senses == ("least", "most")
    assert front.proved
    assert len(front) >= 4
    for (cost, speed), (dearer, faster) in pairwise(values(front)):
        assert dearer > cost
        assert faster > speed


@pytest.mark.thorough
def test_each_point_is_the_cheapest_at_its_speed_and_the_fastest_at_its_cost(front):
    for cost, speed in values(front)[::2]:
        slack = f"user_speed >= {speed * (1 - 1e-12)!r} token/s/sequence"
        cheapest = derive.least("cost_per_token", CHIPS, "llama3-70b", such_that=[slack], **FLEET)
        assert number(cheapest) == pytest.approx(cost, rel=1e-9)
        price = f"cost_per_token <= {cost * (1 + 1e-12)!r} USD/Mtoken"
        fastest = derive.most("user_speed", CHIPS, "llama3-70b", such_that=[price], **FLEET)
        assert number(fastest) == pytest.approx(speed, rel=1e-9)


def test_the_ends_are_the_best_of_each_target(front):
    assert values(front)[0][0] == pytest.approx(number(derive.least("cost_per_token", CHIPS, "llama3-70b", **FLEET)))
    assert values(front)[-1][1] == pytest.approx(number(derive.most("user_speed", CHIPS, "llama3-70b", **FLEET)))


def test_the_answers_of_a_point_are_those_at_what_was_chosen(front):
    at = front.at(1)
    profiles = at.pop("profiles")
    again = derive.solve("user_speed", *profiles, context=FLEET["context"], **at)
    assert again.base == front.points[1].answers[1].base
    dearest = numpy.argmax([cost for cost, _ in values(front)])
    assert front.at(dearest) == front.at(int(dearest))
    with pytest.raises(derive.ExpressionError, match="no place on this front"):
        front.at(0.5)


def test_points_may_be_counted_by_numpy():
    held = bare("a cost gain", {"equation": "cost = 2*a"}, {"equation": "gain = 1/a"})
    assert len(held.front(["least cost", "least gain"], a="1..4", points=numpy.int64(3))) == 3


def test_no_whole_point_is_better_than_a_point_of_the_front():
    some = bare("a b cost gain", "cost = a**2 + 3*b", "gain = 5*a + b*(9 - a)", domains={"a": "whole", "b": "whole"})
    found = some.front(["least cost", "most gain"], a="1..8", b="1..8", points=9)
    every = [(a * a + 3 * b, 5 * a + b * (9 - a)) for a, b in product(range(1, 9), repeat=2)]
    for cost, gain in values(found):
        assert (round(cost), round(gain)) in every
        assert not any(c <= cost and g >= gain and (c < cost or g > gain) for c, g in every)
    assert values(found)[0] == (4, 13)


@pytest.mark.thorough
def test_limits_hold_all_along():
    found = derive.front(
        ["cost_per_token", "most context"],
        "b200-sxm:fp8",
        "llama3-70b",
        such_that=["user_speed >= 50 token/s/sequence"],
        batch="1..600 sequence",
        chips="8 chip",
        context="1..64 ktoken/sequence",
        points=4,
    )
    for point in found.points:
        assert not point.answers[0].failed
        assert "user_speed >= 50 token/s/sequence" in {check.name for check in point.answers[0].checks}


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 999), min_size=4, max_size=4), st.booleans())
def test_the_ends_are_found_where_no_double_is_their_exact_value(thousandths, is_turned):
    p, q, r, s = (f"{number / 1000:.3f}" for number in thousandths)
    some = bare("a cost loss", f"cost = {p}*a + {q}", f"loss = {r}/a + {s}", domains={"a": "whole"})
    targets = ["least cost", "least loss"]
    found = values(some.front(targets[::-1] if is_turned else targets, a="1..7", points=3))
    (cost, _), (_, loss) = [one[::-1] for one in (found[-1], found[0])] if is_turned else (found[0], found[-1])
    assert cost == pytest.approx(float(p) + float(q), rel=1e-9)
    assert loss == pytest.approx(float(r) / 7 + float(s), rel=1e-9)


@pytest.mark.thorough
def test_a_front_along_one_count_begins_and_ends_with_its_ends():
    found = derive.front(
        ["step_time in ms", "throughput"], "h100-sxm:fp8", "llama3-70b", points=3, **{**FLEET, "chips": "8 chip"}
    )
    assert [point.chosen["batch"] for point in (found.points[0], found.points[-1])] == [1.0, 190.0]
    assert found.targets[0].unit.text == "ms"


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("second", ["m/n", "5/n + 0.1*m", "(m + n)/(n*n)"])
def test_a_front_is_where_both_targets_have_a_value(second):
    """The first is least at n = 0, where the second has none."""
    cases = [{"equation": "p = n", "when": ["n < 3"]}, {"equation": "p = n + 1", "when": ["n >= 3"]}]
    domains = {"f": "real", "g": "real", "p": "real", "n": "0..9, whole"}
    library = bare("f g p n m", "f = max(p - 1, 0)", f"g = {second}", *cases, domains=domains)
    points = [(max(n + (n >= 3) - 1, 0), eval(second, {"n": n, "m": m})) for n in range(1, 5) for m in (1, 2)]
    best = [p for p in points if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points)]
    found = [point.numbers for point in library.front(["least f", "least g"], n="0..4", m=["1", "2"]).points]
    assert found[0] == pytest.approx(min(best))
    assert found[-1] == pytest.approx(max(best))
    assert all(any(point == pytest.approx(other) for other in best) for point in found)


@pytest.mark.parametrize(
    ("targets", "ends"), [(["c", "s"], [(2.5, 1), (2.5, 1)]), (["most c", "most b"], [(10, 2), (2.5, 8)])]
)
def test_the_second_target_is_of_the_solution_that_was_found(targets, ends):
    pair = bare("a b c s", "b = 2*a", "c = 10/a", "(s - 3)**2 = a", domains={"s": "real"})
    found = pair.front(targets, a="1..4", points=2)
    assert [values(found)[0], values(found)[-1]] == [pytest.approx(end) for end in ends]


@pytest.mark.thorough
def test_both_targets_are_of_one_solution():
    roots = bare("a c s", "s**2 = a", "c = 10/a + s", domains={"s": "real"})
    assert values(roots.front(["c", "most s"], a="1..4", points=2)) == [pytest.approx((0.5, -2)), (4.5, 2)]


@pytest.mark.thorough
@pytest.mark.long
@pytest.mark.parametrize("limits", [["s >= 2"], ["s >= 2", "c <= 10"]])
def test_a_solution_that_breaks_a_limit_is_no_point_of_a_front(limits):
    pair = bare("a c s", "c = 10/a", "(s - 3)**2 = a", domains={"s": "real"})
    with derive.limits(seconds=60):
        found = values(pair.front(["c", "s"], such_that=limits, a="1..4", points=2))
    assert [found[0], found[-1]] == [pytest.approx((2.5, 5)), pytest.approx((10, 2))]


def test_limits_that_leave_no_point_are_named():
    wall = bare("a b c", "b = 2*a", "c = 10/a", "c <= 2")
    with pytest.raises(derive.InconsistentError, match=r"b: r3 cannot hold\. r3 is missed by 0\.5 at least"):
        wall.front(["b", "c"], a="1..4")


def test_a_front_is_drawn():
    assert bare("a b c", "b = 2*a", "c = 10/a").front(["b", "c"], a="1..4", points=2).plot().axes


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("middle", [0.25, 0.75, 1.5])
@pytest.mark.parametrize("rounded", ["ceil(x)", "ceil(2*x)/2", "floor(x + 0.5)"])
def test_an_end_of_a_front_at_a_jump_is_the_best_of_its_target(rounded, middle):
    """The second target is least at the lower end of its first step, which may be a single point."""
    steps = bare("a b x", f"a = abs({middle} - x)", f"b = {rounded}", domains=dict.fromkeys("abx", "real"))
    found = values(steps.front(["a", "b"], x="0..3"))
    assert min(first for first, _ in found) == pytest.approx(0, abs=1e-9)
    assert min(second for _, second in found) == 0


def test_a_point_that_is_not_found_again_ends_in_an_error_of_limits(monkeypatch):
    monkeypatch.setattr(front_module._FrontSearch, "_targets_at", lambda *_: iter(()))
    with pytest.raises(derive.LimitError, match="not found again"):
        bare("a cost gain", "cost = a", "gain = 2 - a").front(["least cost", "most gain"], a="1..4", points=3)
