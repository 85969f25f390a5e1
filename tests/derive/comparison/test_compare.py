"""Why two answers differ: the factors multiply up to the ratio, need no order, and are those of the definition."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import derive
from derive import Answer, Comparison, DeriveError, ExpressionError, Library
from derive.comparison.comparison_result import sentence
from derive.comparison.decomposition import INTEGRAL, JOINED, SHAPLEY
from tests.derive.random_libraries import hidden
from tests.derive.statements import bare, library
from tests.ordinary import every

positive = st.floats(0.05, 20)

RENT = library(
    {"cost": "USD", "price": "USD/h", "read": "h", "count": "h", "spare": "h"},
    "cost = price*max(sqrt(read**2 + spare**2) + count/2, count)",
)


def rented(price: float, read: float, count: float, spare: float) -> Answer:
    return RENT.solve("cost", price=f"{price!r} USD/h", read=f"{read!r} h", count=f"{count!r} h", spare=f"{spare!r} h")


def product(found: Comparison) -> float:
    """All factors multiplied up, or all parts summed up."""
    amounts = [one.amount for one in found.factors]
    return math.fsum(amounts) if found.ratio is None else math.prod(amounts)


def whole(found: Comparison) -> float:
    return found.change if found.ratio is None else found.ratio


def by_name(found: Comparison) -> dict[tuple[frozenset[str], str], float]:
    return {(frozenset(one.names), one.kind): one.amount for one in found.factors}


def by_orders(
    worth: Callable[[Sequence[int], int], float], numbers: int, has_regime: bool
) -> tuple[list[float], float]:
    """The definition: the mean, over all orders of the numbers with the regime before or after all of them, of what
    each move adds."""
    shares, regime, orders = [0.0] * numbers, 0.0, list(permutations(range(numbers)))
    for order in orders:
        for is_first in (True, False):
            ways, moved = int(is_first and has_regime), [0] * numbers
            start = worth(moved, 0)
            regime += worth(moved, ways) - start if is_first else 0.0
            for one in order:
                before = worth(moved, ways)
                moved[one] = 1
                shares[one] += worth(moved, ways) - before
            regime += 0.0 if is_first else worth(moved, int(has_regime)) - worth(moved, 0)
    return [share / (2 * len(orders)) for share in shares], regime / (2 * len(orders))


@given(st.tuples(*[positive] * 8))
def test_factors_are_the_mean_over_all_orders(drawn: tuple[float, ...]) -> None:
    """Numbers and the regime are two unions: the regime moves before all numbers, or after them."""
    ends = [dict(zip(("price", "read", "count", "spare"), drawn[start : start + 4], strict=True)) for start in (0, 4)]
    names = list(ends[0])
    arms = (lambda at: math.hypot(at["read"], at["spare"]) + at["count"] / 2, lambda at: at["count"])
    binding = [max((0, 1), key=lambda arm: arms[arm](end)) for end in ends]
    assume(all(abs(math.log(arms[0](end) / arms[1](end))) > 1e-6 for end in ends))

    def worth(moved: Sequence[int], way: int) -> float:
        at = {name: ends[side][name] for name, side in zip(names, moved, strict=True)}
        return math.log(at["price"] * arms[binding[way]](at))

    found = derive.compare(*(rented(**end) for end in ends))
    shares, regime = by_orders(worth, 4, binding[0] != binding[1])
    told = [found.factor(name) for name in names]
    assert told == pytest.approx([math.exp(share) for share in shares], rel=1e-9)
    kinds = [one.amount for one in found.factors if one.kind == "regime"]
    assert math.prod(kinds) == pytest.approx(math.exp(regime), rel=1e-9)
    assert product(found) == pytest.approx(whole(found), rel=1e-9)
    assert found.factor("price") == pytest.approx(ends[1]["price"] / ends[0]["price"], rel=1e-12)


def test_over_a_regime_each_factor_is_the_geometric_mean_of_that_in_both() -> None:
    shop = library(dict.fromkeys(["time", "read", "write", "count"], "h"), "time = max(read + write, count)")
    one, other = (
        shop.solve("time", read=f"{r} h", write=f"{w} h", count=f"{c} h") for r, w, c in ((3, 2, 4), (1, 2, 6))
    )
    found = derive.compare(one, other)
    assert found.ratio == pytest.approx(6 / 5)
    assert found.factor("read") == pytest.approx(math.sqrt(3 / 5))  # reading and writing change from 5 h to 3 h
    assert found.factor("count") == pytest.approx(math.sqrt(6 / 4))
    assert [one.name for one in found.idle] == ["write"] or found.factor("write") == 1
    (regime,) = (one for one in found.factors if one.kind == "regime")
    assert (regime.before, regime.after) == ("read + write", "count")
    assert regime.amount == pytest.approx(math.sqrt((4 / 5) * (6 / 3)))  # at the numbers of one, and of the other


@given(st.tuples(*[positive] * 8))
def test_backwards_the_factors_are_the_reciprocals(drawn: tuple[float, ...]) -> None:
    one, other = rented(*drawn[:4]), rented(*drawn[4:])
    there, back = derive.compare(one, other), derive.compare(other, one)
    reciprocals = {key: 1 / amount for key, amount in by_name(back).items()}
    assert by_name(there) == pytest.approx(reciprocals, rel=1e-9)


def test_an_answer_compared_with_itself_has_no_factors() -> None:
    answer = rented(2, 3, 4, 5)
    found = derive.compare(answer, answer)
    assert (found.ratio, found.factors, found.idle) == (1.0, (), ())
    assert sentence(found) == "cost is the same in A and B"


def test_the_order_of_the_givens_makes_no_difference() -> None:
    texts = {"price": "2 USD/h", "read": "3 h", "count": "9 h", "spare": "5 h"}
    others = {"price": "3 USD/h", "read": "8 h", "count": "4 h", "spare": "1 h"}
    found = [
        by_name(derive.compare(RENT.solve("cost", **dict(first)), RENT.solve("cost", **dict(second))))
        for first, second in zip(permutations(texts.items()), reversed(list(permutations(others.items()))), strict=True)
    ]
    for one in found:
        assert one == pytest.approx(found[0], rel=1e-12)


def _drawn_pair(seed: int) -> list[tuple[Answer, Answer]]:
    """Pairs of answers of one target of a random library, from numbers and sometimes names of their own."""
    draw = random.Random(seed)
    case = hidden(seed, draw.randint(4, 9), draw.randint(2, 6))
    names = sorted(case.library.quantities)
    target = draw.choice([name for name in names if name.startswith("q")])
    free = [name for name in names if name.startswith("q") and name != target]

    def answers(is_moved: bool) -> tuple[Answer, ...]:
        chosen = draw.sample(free, max(1, min(len(free), len(free) + 1 - len(case.factors))))
        stated = [*case.factors, *(chosen if is_moved and seed % 3 == 0 else sorted(free)[: len(chosen)])]
        moves = {name: draw.choice([1.0, draw.uniform(0.4, 2.5)]) if is_moved else 1.0 for name in stated}
        with derive.limits(seconds=4):
            return case.library.solve_all(target, **{name: case.numbers[name] * moves[name] for name in stated})

    for _ in range(3):  # moved numbers may contradict each other
        try:
            pairs = [(one, other) for one in answers(False) for other in answers(True)]
        except DeriveError:
            continue
        return [pair for pair in pairs if all(answer.base is not None for answer in pair)][:3]
    return []


@pytest.mark.thorough
@every("seed", range(60), ordinary=6, thorough=6)
def test_factors_multiply_up_over_random_libraries(seed: int) -> None:
    for one, other in _drawn_pair(seed):
        found, back = derive.compare(one, other), derive.compare(other, one)
        assert product(found) == pytest.approx(whole(found), rel=1e-9, abs=1e-12)
        assert found.method == back.method
        if found.ratio is not None:
            reciprocals = {key: 1 / amount for key, amount in by_name(back).items()}
            assert by_name(found) == pytest.approx(reciprocals, rel=1e-7)


@pytest.mark.long
def test_random_libraries_are_answered_often_enough_to_test() -> None:
    assert sum(bool(_drawn_pair(seed)) for seed in range(60)) > 15


def test_ways_that_wait_for_each_other_move_together() -> None:
    """One answer has the speed from the time, the other the time from the speed."""
    trip = library(
        {"way": "km", "time": "h", "speed": "km/h", "fuel": "L", "thirst": "L*h/km**2", "idle": "L/h"},
        "way = speed*time",
        "fuel = thirst*speed*way + idle*time",
    )
    first = trip.solve("fuel", way="100 km", time="2 h", thirst="0.001 L*h/km**2", idle="0.5 L/h")
    second = trip.solve("fuel", way="150 km", speed="60 km/h", thirst="0.001 L*h/km**2", idle="0.7 L/h")
    found = derive.compare(first, second)
    together = [one for one in found.factors if len(one.names) > 1]
    assert [(set(one.names), one.kind) for one in together] == [({"speed", "time"}, "way")]
    assert product(found) == pytest.approx(whole(found), rel=1e-12)
    assert by_name(derive.compare(second, first)) == pytest.approx(
        {key: 1 / amount for key, amount in by_name(found).items()}, rel=1e-9
    )


def test_a_quantity_stated_here_and_derived_there_is_a_way() -> None:
    h100 = derive.solve("weight_time", weight_bytes="141 GB", hbm_bandwidth="3 TB/s/chip", chips="8 chip", read_share=1)
    other = derive.solve(
        "weight_time", total_parameters="70 Gparameter", bytes_per_parameter="1 byte/parameter",
        hbm_bandwidth="3 TB/s/chip", chips="8 chip", read_share=1,
    )  # fmt: skip
    (one,) = derive.compare(h100, other).factors
    assert (one.name, one.kind, one.before, one.after) == (
        "weight_bytes",
        "way",
        "141 GB",
        "7e+10 byte by weight_bytes",
    )
    assert one.amount == pytest.approx(70 / 141)


def test_a_mixture_outside_its_domain_is_not_shared_out() -> None:
    """Kept and lost are positive; with the gain of one and the loss of the other nothing would be kept."""
    tank = library(
        {"gain": "L", "loss": "L", "kept": "L", "price": "USD/L", "worth": "USD"},
        "kept = gain - loss",
        "worth = price*kept",
    )
    first = tank.solve("worth", gain="3 L", loss="1 L", price="2 USD/L")
    second = tank.solve("worth", gain="30 L", loss="10 L", price="3 USD/L")
    found = derive.compare(first, second)
    told = [(set(one.names), round(one.amount, 9)) for one in found.factors]
    assert told == [({"gain", "loss"}, 10.0), ({"price"}, 1.5)]
    assert [member.name for member in found.factors[0].members] == ["gain", "loss"]
    assert "no value" in found.notes[0]
    near = tank.solve("worth", gain="5 L", loss="2 L", price="3 USD/L")
    assert derive.compare(first, near).method == SHAPLEY
    assert derive.compare(first, near).factor("price") == pytest.approx(1.5)


def test_many_numbers_are_shared_by_the_integral() -> None:
    names = [f"x{i}" for i in range(16)]
    terms = " + ".join(f"sqrt(1 + {name}*{names[i - 1]})" for i, name in enumerate(names))
    many = bare(" ".join(["y", *names]), f"y = {terms}")
    first = many.solve("y", **dict.fromkeys(names, 1.0))
    second = many.solve("y", **dict.fromkeys(names, 2.0))
    found = derive.compare(first, second)
    assert found.method == INTEGRAL
    assert [one.amount for one in found.factors] == pytest.approx([math.sqrt(5 / 2) ** (1 / 16)] * 16, rel=1e-9)


@pytest.mark.parametrize(
    ("first", "second"), [((0, 5), (3, 5)), ((-4, 5), (3, 7)), ((-1, 2), (-3, 4)), ((0, 3), (0, 5)), ((2, 0), (0, 3))]
)
def test_zeros_and_signs(first: tuple[float, float], second: tuple[float, float]) -> None:
    account = library(
        {"change": "USD", "rate": "USD", "count": ""},
        "change = rate*count",
        domains={"change": "real", "rate": "real", "count": "nonnegative"},
    )
    one, other = (account.solve("change", rate=f"{rate} USD", count=count) for rate, count in (first, second))
    found = derive.compare(one, other)
    has_ratio = first[0] * first[1] * second[0] * second[1] > 0
    assert (found.ratio is not None) == has_ratio
    assert product(found) == pytest.approx(whole(found), abs=1e-12)
    assert found.difference.magnitude == pytest.approx(second[0] * second[1] - first[0] * first[1])
    if found.ratio is None:
        halves = (second[0] - first[0]) * (first[1] + second[1]) / 2
        assert found.factor("rate") == pytest.approx(halves)


def test_temperatures_are_compared_by_their_difference() -> None:
    room = library(
        {"inside": "degC", "outside": "degC", "rise": "delta_degC"}, "inside = outside + rise", domains={"rise": "real"}
    )
    one = room.solve("inside", outside="10 degC", rise="5 delta_degC")
    other = room.solve("inside", outside="-3 degC", rise="20 delta_degC")
    found = derive.compare(one, other)
    assert found.ratio is None
    assert (found.factor("outside"), found.factor("rise")) == (pytest.approx(-13.0), pytest.approx(15.0))
    assert str(found).splitlines()[0] == "inside: A 15 degC, B 17 degC; B - A = +2 delta_degC"


def test_two_solutions_of_one_question_differ_as_a_whole() -> None:
    square = bare("x", "x**2 = 5*x - 6", domains={"x": "real"})
    one, other = square.solve_all("x")
    found = derive.compare(one, other)
    assert found.ratio == pytest.approx(1.5)
    assert product(found) == pytest.approx(1.5)


def test_relations_without_a_closed_form_are_solved_again_in_mixtures() -> None:
    orbit = library(
        {"mean": "radian", "anomaly": "radian", "eccentricity": "", "reach": "m", "size": "m"},
        "mean = anomaly - eccentricity*sin(anomaly)",
        "reach = size*(1 - eccentricity*cos(anomaly))",
        domains={"mean": "0..3 radian", "anomaly": "0..3.1 radian", "eccentricity": "0..0.9"},
    )
    first = orbit.solve("reach", mean=1.0, eccentricity=0.2, size="2 m")
    second = orbit.solve("reach", mean=1.5, eccentricity=0.5, size="5 m")
    found = derive.compare(first, second)
    assert found.method == SHAPLEY
    assert found.factor("size") == pytest.approx(2.5)

    def worth(mean: float, eccentricity: float) -> float:
        anomaly = mean
        for _ in range(200):
            anomaly = mean + eccentricity * math.sin(anomaly)
        return math.log(1 - eccentricity * math.cos(anomaly))

    share = (worth(1.5, 0.2) - worth(1.0, 0.2) + worth(1.5, 0.5) - worth(1.0, 0.5)) / 2
    assert found.factor("mean") == pytest.approx(math.exp(share), rel=1e-8)
    kept = [pickle.loads(pickle.dumps(one)) for one in (first, second)]
    stored = derive.compare(*kept)  # without the library, which would have to solve them again
    assert stored.method == JOINED
    assert product(stored) == pytest.approx(whole(stored))


def test_stored_answers_with_closed_forms_are_compared_alike() -> None:
    one, other = rented(2, 3, 4, 5), rented(3, 9, 4, 1)
    kept = [pickle.loads(pickle.dumps(answer)) for answer in (one, other)]
    assert by_name(derive.compare(*kept)) == by_name(derive.compare(one, other))


def test_arms_that_are_equal_at_one_answer_are_no_regime() -> None:
    knee = rented(1, 3, 10, 4)  # 5 + 10/2 is 10: both arms
    for beside in (rented(1, 3, 19, 4), rented(1, 3, 7, 4)):
        assert [one.kind for one in derive.compare(knee, beside).factors] == ["number"]
        assert [one.kind for one in derive.compare(beside, knee).factors] == ["number"]


def test_a_library_compares_like_the_package() -> None:
    one, other = rented(2, 3, 4, 5), rented(3, 9, 4, 1)
    assert by_name(RENT.compare(one, other)) == by_name(derive.compare(one, other))


def test_another_library_with_other_units_is_refused() -> None:
    other = library(dict.fromkeys(("cost", "x"), "USD/h"), "cost = x")
    with pytest.raises(ExpressionError, match="two quantities"):
        derive.compare(rented(2, 3, 4, 5), other.solve("cost", x="3 USD/h"))


def worn(fast: str) -> Library:
    """A road that wears by its load, and where one drives fast otherwise."""
    return library(
        {"wear": "mm", "load": "mm", "speed": "m/s", "edge": "m/s"},
        {"name": "slow", "equation": "wear = load", "when": ["speed < edge"]},
        {"name": "fast", "equation": f"wear = {fast}", "when": ["speed >= edge"]},
        values={"edge": "10 m/s"},
    )


def test_what_decides_a_case_and_stands_in_it_has_a_factor_of_its_own() -> None:
    """By hand: the fast case at the speed of one is 0.3 of the slow one, and at the speed of the other three times."""
    road = worn("load*speed/edge")
    one = road.solve("wear", load="1 mm", speed="3 m/s")
    other = road.solve("wear", load="2 mm", speed="30 m/s")
    found = derive.compare(one, other)
    assert {factor.name: factor.amount for factor in found.factors} == pytest.approx(
        {"load": 2.0, "speed": math.sqrt(10), "wear": math.sqrt(0.3 * 3)}
    )
    assert {(factor.name, factor.before, factor.after) for factor in found.factors if factor.kind == "way"} == {
        ("wear", "1 mm by slow", "6 mm by fast")
    }


def test_a_given_that_only_decides_a_case_is_told_beside_the_regime() -> None:
    road = worn("5*load")
    one, other = (road.solve("wear", load="1 mm", speed=speed) for speed in ("3 m/s", "30 m/s"))
    found = derive.compare(one, other)
    assert [(factor.name, factor.kind, factor.amount) for factor in found.factors] == [
        ("wear", "way", pytest.approx(5))
    ]
    assert [factor.name for factor in found.idle] == ["speed"]
    assert "without a factor of its own" in str(found)


def test_numbers_at_the_ends_of_the_doubles() -> None:
    wide = bare("y x k", "y = x*k")
    pairs = (((1e-150, 1e-140), (2e-150, 3e-140)), ((1e-200, 1.0), (1e200, 1.0)), ((1e-120, 1e250), (1e-130, 1e-130)))
    for first, second in pairs:
        found = derive.compare(*(wide.solve("y", x=x, k=k) for x, k in (first, second)))
        assert product(found) == pytest.approx(whole(found), rel=1e-9)


def test_the_bounds_of_a_ratio_hold_it_where_another_arm_binds_in_a_part_of_the_shared_range() -> None:
    """In the middle of the range the second arm binds in both answers; at t = 2 the first one does with a = 2."""
    arms = bare("a t x", "t = max(x, 2*x - a)")
    found = derive.compare(arms.solve("x", t="1..5", a=2), arms.solve("x", t="1..5", a=1))
    assert found.bounds is not None
    for t in (1, 2, 3, 5):
        ratio = derive.compare(arms.solve("x", t=t, a=2), arms.solve("x", t=t, a=1)).ratio
        assert ratio is not None
        assert found.bounds[0] <= ratio <= found.bounds[1]


@pytest.mark.parametrize(
    ("relation", "first", "second"),
    [
        ("y = z*sqrt(x**2)", {"x": "-1..4", "z": 2}, {"x": "1..3", "z": 5}),  # zero is the least value
        ("y = x - z", {"x": "1..5", "z": 2}, {"x": "4..5", "z": 2}),  # and here a value between the ends
    ],
)
def test_a_ratio_to_what_may_be_zero_has_no_bounds(
    relation: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    system = bare("x y z", relation, domains=dict.fromkeys("xyz", "real"))
    assert derive.compare(system.solve("y", **first), system.solve("y", **second)).bounds is None


def test_a_wide_comparison_is_drawn_over_ratios():
    power = bare("x y z d", "d = x**y*z")
    found = power.compare(power.solve("d", x="2", y="3", z="5"), power.solve("d", x="40", y="4", z="700"))
    assert found.ratio == pytest.approx(40**4 * 700 / 40)
    (axes,) = found.plot().axes
    low, high = axes.get_xlim()
    assert axes.get_xscale() == "log"
    assert 0 < low < 40 < 40**4 * 700 < high


def test_numbers_that_have_no_factor_of_their_own_are_listed_below_theirs():
    less = bare("x y z d", "d = x*y - z", domains=dict.fromkeys("xyzd", "real"))
    found = less.compare(less.solve("d", x="1", y="2", z="5"), less.solve("d", x="3", y="2", z="7"))
    rows = [line.split() for line in found.text().splitlines()]
    assert ["x", "1", "3", "given"] in rows
    assert ["z", "5", "7", "given"] in rows
    assert "2 together:" in found.text()
