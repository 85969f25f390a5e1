"""Two operating points in one library: what follows from the named quantities is doubled, the rest is shared."""

from __future__ import annotations

from itertools import product

import pytest

import derive
from derive import ExpressionError, UnknownNameError
from tests.derive.statements import bare, number
from tests.ordinary import every

CARS = derive.load("""[quantities]
speed = { unit = "m/s" }
distance = { unit = "m" }
time = { unit = "s" }
mass = { unit = "kg" }
energy = { unit = "J" }
price = { unit = "1/J" }
cost = { unit = "" }
height = { unit = "m" }
age = { unit = "s", value = "3 s" }
[relations]
time = { equation = "time = distance/speed" }
energy = { equation = "energy = mass*speed**2/2", when = ["time < 1000*age"] }
cost = { equation = "cost = price*energy" }
height = { equation = "height = distance/10" }
""")


def test_what_follows_is_doubled_and_the_rest_is_shared():
    fast = CARS.at("fast", ["speed"])
    twins = {name for name in fast.quantities if name.startswith("fast.")}
    assert twins == {"fast.speed", "fast.time", "fast.energy", "fast.cost"}
    assert set(CARS.quantities) == set(fast.quantities) - twins
    assert {name for name in fast.relations if "." in name} == {"fast.time", "fast.energy", "fast.cost"}
    assert fast.relations["fast.energy"].when == ("fast.time < 1000*age",)


@pytest.mark.parametrize("slow", [2.0, 5.0])
def test_both_points_are_answered_from_one_library(slow):
    both = CARS.at("fast", ["speed"])
    given = {"speed": f"{slow} m/s", "fast.speed": "20 m/s", "distance": "100 m"}
    assert both.solve("time", **given).value.magnitude == pytest.approx(100 / slow)
    assert both.solve("fast.time", **given).value.magnitude == pytest.approx(5)


def test_what_is_shared_carries_knowledge_from_one_point_to_the_other():
    both = CARS.at("fast", ["speed"])
    given = {"speed": "2 m/s", "time": "50 s", "fast.time": "5 s"}
    assert both.solve("fast.speed", **given).value.magnitude == pytest.approx(20)
    given = {"speed": "2 m/s", "energy": "8 J", "fast.energy": "200 J"}
    assert both.solve("fast.speed", **given).value.magnitude == pytest.approx(10)


def test_what_only_has_another_condition_at_the_point_is_no_second_equation():
    toll = """
[quantities]
speed = { unit = "m/s" }
limit = { unit = "m/s" }
toll = { unit = "" }
fee = { unit = "" }
[relations]
toll = { equation = "toll = 2*fee", when = ["speed > limit"] }
"""
    both = derive.load(toll).at("fast", ["speed"])
    assert set(both.relations) == {"toll"}
    with pytest.raises(derive.UnderdeterminedError):
        both.solve("fee", **{"speed": "2 m/s", "fast.speed": "20 m/s", "limit": "1 m/s"})


@every("speed, other", list(product([1, 2, 3, 5, 8], repeat=2)))
def test_what_conditions_choose_between_relations_follows_at_the_point(speed, other):
    toll = bare(
        "speed fee length toll bill",
        {"equation": "toll = 2*fee", "when": ["speed > 3"]},
        {"equation": "toll = fee", "when": ["speed <= 3"]},
        "bill = toll*length",
    )
    given = {"speed": speed, "fast.speed": other, "fee": 3, "length": 7}
    both = toll.at("fast", ["speed"])
    assert number(both.solve("bill", **given)) == (42 if speed > 3 else 21)
    assert number(both.solve("fast.bill", **given)) == (42 if other > 3 else 21)


def test_a_point_can_be_taken_of_a_point():
    three = CARS.at("fast", ["speed"]).at("slow", ["speed"])
    given = {"distance": "12 m", "fast.speed": "6 m/s", "slow.speed": "1 m/s", "speed": "3 m/s"}
    times = [three.solve(name, **given).value.magnitude for name in ("time", "fast.time", "slow.time")]
    assert times == pytest.approx([4, 2, 12])


def test_the_library_itself_is_unchanged():
    before = list(CARS.quantities)
    CARS.at("fast", ["speed"])
    assert list(CARS.quantities) == before


@pytest.mark.parametrize(
    ("point", "names", "error"),
    [("a.b", ["speed"], ExpressionError), ("if", ["speed"], ExpressionError), ("fast", ["spede"], UnknownNameError)],
)
def test_a_point_needs_one_word_and_names_that_exist(point, names, error):
    with pytest.raises(error):
        CARS.at(point, names)
