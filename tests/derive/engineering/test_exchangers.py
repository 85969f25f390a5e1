"""Heat exchangers agree with their textbook formulas in plain Python, forwards and backwards, wherever the ends lie."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import derive
from derive import InconsistentError

ZERO = 273.15  # 0 degC in kelvin
RATES = ("hot_capacity_rate", "cold_capacity_rate", "exchanger_coefficient", "exchanger_area")
INLETS = ("hot_inlet", "cold_inlet")
ENDS = ("hot_inlet", "hot_outlet", "cold_inlet", "cold_outlet")
BESIDE_EACH_OTHER = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-6, 1e-5, 1e-3)  # by which two rates nearly agree

library = cache(lambda: derive.load("heat-transfer"))


def cases(thorough: int, most: int) -> list[Any]:
    """How many random cases the thorough and the long run draw."""
    return [pytest.param(thorough, marks=pytest.mark.thorough), pytest.param(most, marks=pytest.mark.long)]


@dataclass(frozen=True)
class Exchanger:
    """An exchanger in counterflow, computed by the formulas of Kays and London without cancellation."""

    hot_rate: float
    cold_rate: float
    coefficient: float
    area: float
    hot_inlet: float
    cold_inlet: float

    @property
    def least_rate(self) -> float:
        return min(self.hot_rate, self.cold_rate)

    @property
    def ratio(self) -> float:
        return self.least_rate / max(self.hot_rate, self.cold_rate)

    @property
    def transfer_units(self) -> float:
        return self.coefficient * self.area / self.least_rate

    @property
    def effectiveness(self) -> float:
        missing = float(1 - Fraction(self.least_rate) / Fraction(max(self.hot_rate, self.cold_rate)))
        if missing == 0:
            return self.transfer_units / (1 + self.transfer_units)
        grown = -math.expm1(-self.transfer_units * missing)
        return grown / (missing + self.ratio * grown)

    @property
    def parallel_effectiveness(self) -> float:
        return -math.expm1(-self.transfer_units * (1 + self.ratio)) / (1 + self.ratio)

    def heat(self, effectiveness: float) -> float:
        return effectiveness * self.least_rate * (self.hot_inlet - self.cold_inlet)

    def hot_outlet(self, effectiveness: float) -> float:
        return self.hot_inlet - self.heat(effectiveness) / self.hot_rate

    def cold_outlet(self, effectiveness: float) -> float:
        return self.cold_inlet + self.heat(effectiveness) / self.cold_rate


def logarithmic_mean(one: Fraction, other: Fraction) -> float:
    """The logarithmic mean of two positive numbers, whose difference is exact."""
    if one == other:
        return float(one)
    return float(one - other) / math.log1p(float((one - other) / other))


def drawn_exchangers(number: int, seed: int) -> Iterator[Exchanger]:
    """Exchangers of all kinds: a third of them balanced, or nearly so."""
    draw = random.Random(seed)
    for _ in range(number):
        hot = draw.uniform(100, 10_000)
        cold = draw.uniform(100, 10_000)
        if draw.random() < 1 / 3:
            cold = hot * (1 + draw.choice((-1, 1)) * draw.choice(BESIDE_EACH_OTHER))
        wanted = 10 ** draw.uniform(-2, 1)
        area = draw.uniform(0.1, 50)
        coefficient = wanted * min(hot, cold) / area
        yield Exchanger(hot, cold, coefficient, area, draw.uniform(60, 200) + ZERO, draw.uniform(0, 50) + ZERO)


def as_arrays(exchangers: list[Exchanger]) -> dict[str, np.ndarray]:
    """What is given of exchangers whose outlets are asked."""
    fields = ("hot_rate", "cold_rate", "coefficient", "area", "hot_inlet", "cold_inlet")
    return {
        name: np.array([getattr(one, field) for one in exchangers])
        for name, field in zip((*RATES, *INLETS), fields, strict=True)
    }


@pytest.mark.parametrize("number", [500, *cases(5000, 100_000)])
def test_the_mean_difference_is_right_however_near_the_ends_lie(number: int) -> None:
    draw = random.Random(1)
    rows = []
    while len(rows) < number:
        one = 10 ** draw.uniform(-1, 2)
        apart = draw.choice((*BESIDE_EACH_OTHER, draw.random(), -draw.uniform(0.5, 0.999)))
        other = one * (1 + apart)
        hot_inlet, cold_inlet = draw.uniform(320, 500), draw.uniform(270, 300)
        first, second = draw.sample((one, other), 2)
        rows.append((hot_inlet, cold_inlet + second, cold_inlet, hot_inlet - first))
    mean = library().compile("log_mean_difference", given=ENDS)
    found = mean(**dict(zip(ENDS, np.array(rows).T, strict=True)))
    for (hot_in, hot_out, cold_in, cold_out), value in zip(rows, found, strict=True):
        # The ends are differences of doubles: what rounding makes of them is part of the question.
        wanted = logarithmic_mean(Fraction(hot_in) - Fraction(cold_out), Fraction(hot_out) - Fraction(cold_in))
        assert value == pytest.approx(wanted, rel=1e-9), (hot_in, hot_out, cold_in, cold_out)


@pytest.mark.thorough
@pytest.mark.parametrize("number", cases(200, 100_000))
def test_effectiveness_heat_and_outlets_are_those_of_kays_and_london(number: int) -> None:
    exchangers = list(drawn_exchangers(number, 2))
    given = as_arrays(exchangers)
    for target, wanted in (
        ("effectiveness", lambda one: one.effectiveness),
        ("exchanged_heat", lambda one: one.heat(one.effectiveness)),
        ("hot_outlet", lambda one: one.hot_outlet(one.effectiveness)),
        ("cold_outlet", lambda one: one.cold_outlet(one.effectiveness)),
    ):
        found = library().compile(target, given=(*RATES, *INLETS))(**given)
        np.testing.assert_allclose(found, [wanted(one) for one in exchangers], rtol=1e-9, err_msg=target)


@pytest.mark.long
@pytest.mark.parametrize("number", cases(200, 100_000))
def test_an_exchanger_is_sized_from_its_rates_or_from_its_ends(number: int) -> None:
    exchangers = [one for one in drawn_exchangers(number, 3) if one.effectiveness < 0.95]
    given = as_arrays(exchangers)
    areas = given.pop("exchanger_area")
    effects = [one.effectiveness for one in exchangers]
    given["exchanged_heat"] = np.array([one.heat(effect) for one, effect in zip(exchangers, effects, strict=True)])
    by_rates = library().compile("exchanger_area", given=list(given))
    np.testing.assert_allclose(by_rates(**given), areas, rtol=1e-6)
    for name in ("exchanged_heat", "cold_capacity_rate"):
        del given[name]
    given["hot_outlet"] = np.array([one.hot_outlet(e) for one, e in zip(exchangers, effects, strict=True)])
    given["cold_outlet"] = np.array([one.cold_outlet(e) for one, e in zip(exchangers, effects, strict=True)])
    by_ends = library().compile("exchanger_area", given=list(given))
    np.testing.assert_allclose(by_ends(**given), areas, rtol=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("number", cases(20, 20_000))
def test_a_balanced_exchanger_is_answered_and_sized_where_decimals_are_typed(number: int) -> None:
    draw = random.Random(4)
    for _ in range(number):
        fall = Fraction(draw.randint(10, 400), 10)
        end = Fraction(draw.randint(10, 400), 10)
        cold_inlet = Fraction(draw.randint(0, 300), 10)
        hot_outlet = cold_inlet + end
        ends = {
            "hot_inlet": hot_outlet + fall,
            "hot_outlet": hot_outlet,
            "cold_inlet": cold_inlet,
            "cold_outlet": cold_inlet + fall,
        }
        typed = {name: f"{float(value)} degC" for name, value in ends.items()}
        mean = library().solve("log_mean_difference", **typed)
        assert mean.value.magnitude == pytest.approx(float(end), rel=1e-9), typed
        area = library().solve(
            "exchanger_area", hot_capacity_rate="1 kW/K", exchanger_coefficient="500 W/(m**2*K)", **typed
        )
        assert area.value.magnitude == pytest.approx(float(2 * fall / end), rel=1e-9), typed
        again = library().solve(
            "exchanger_area",
            hot_capacity_rate="1 kW/K",
            cold_capacity_rate="1 kW/K",
            exchanger_coefficient="500 W/(m**2*K)",
            **{name: typed[name] for name in ("hot_inlet", "hot_outlet", "cold_inlet")},
        )
        assert again.value.magnitude == pytest.approx(float(2 * fall / end), rel=1e-9), typed


def test_the_ends_of_the_example_that_differ_by_a_rounding_have_their_plain_mean() -> None:
    mean = library().solve(
        "log_mean_difference",
        hot_inlet="90 degC",
        hot_outlet="60.1 degC",
        cold_inlet="20 degC",
        cold_outlet="49.9 degC",
    )
    assert mean.value.magnitude == pytest.approx(40.1, rel=1e-12)


BACKWARDS = (
    ("hot_inlet", "hot_outlet"),
    pytest.param("cold_inlet", "cold_outlet", marks=pytest.mark.long),  # as the one above
    ("hot_capacity_rate", "exchanged_heat"),
    pytest.param("cold_capacity_rate", "hot_outlet", marks=pytest.mark.long),
    pytest.param("hot_capacity_rate", "cold_outlet", marks=pytest.mark.long),
    pytest.param("exchanger_coefficient", "cold_outlet", marks=pytest.mark.long),
)


@pytest.mark.long
@pytest.mark.parametrize("number", [1, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize(("asked", "told"), BACKWARDS)
def test_a_given_comes_back_from_what_it_leads_to(asked: str, told: str, number: int) -> None:
    fields = dict(zip((*RATES, *INLETS), ("hot_rate", "cold_rate", "coefficient", "area", *INLETS), strict=True))
    units = dict(zip((*RATES, *INLETS), ("W/K", "W/K", "W/(m**2*K)", "m**2", "K", "K"), strict=True))
    for one in [one for one in drawn_exchangers(8 * number, 5) if 0.1 < one.effectiveness < 0.8][:number]:
        effect = one.effectiveness
        reached = {
            "exchanged_heat": f"{one.heat(effect)!r} W",
            "hot_outlet": f"{one.hot_outlet(effect)!r} K",
            "cold_outlet": f"{one.cold_outlet(effect)!r} K",
        }
        given = {name: f"{getattr(one, fields[name])!r} {units[name]}" for name in fields if name != asked}
        with derive.limits(seconds=60):
            answers = library().solve_all(asked, **given, **{told: reached[told]})
        wanted = getattr(one, fields[asked])
        assert any(each.base == pytest.approx(wanted, rel=1e-6) for each in answers if each.base is not None), one


@pytest.mark.long
@pytest.mark.parametrize("number", cases(200, 100_000))
def test_parallel_flow_has_ends_and_an_effectiveness_of_its_own(number: int) -> None:
    # Where the fluids leave within a millionth of a kelvin of each other, doubles no longer tell their difference.
    exchangers = [one for one in drawn_exchangers(number, 6) if one.transfer_units * (1 + one.ratio) < 10]
    given = {**as_arrays(exchangers), "parallel_arrangement": 1.0}
    for target, wanted in (
        ("effectiveness", lambda one: one.parallel_effectiveness),
        ("exchanged_heat", lambda one: one.heat(one.parallel_effectiveness)),
        ("hot_outlet", lambda one: one.hot_outlet(one.parallel_effectiveness)),
    ):
        found = library().compile(target, given=list(given))(**given)
        np.testing.assert_allclose(found, [wanted(one) for one in exchangers], rtol=1e-9, err_msg=target)


def test_an_effectiveness_in_parallel_flow_is_never_read_as_one_in_counterflow() -> None:
    given = {
        "parallel_effectiveness": 0.5,
        "hot_capacity_rate": "1 kW/K",
        "cold_capacity_rate": "2 kW/K",
        "hot_inlet": "100 degC",
        "cold_inlet": "20 degC",
    }
    heat = library().solve("exchanged_heat", parallel_arrangement=1, **given)
    assert heat.value.to("kW").magnitude == pytest.approx(40)
    said = "parallel_arrangement is not given, and counts as 0 .*: give it if it is another"
    for asked in ("exchanged_heat", "hot_outlet", "transfer_units", "capacity_ratio", "cold_outlet"):
        with derive.limits(seconds=5), pytest.raises(InconsistentError, match=said):
            library().solve(asked, **given)
    with derive.limits(seconds=5), pytest.raises(InconsistentError, match=said):
        library().solve("parallel_effectiveness", transfer_units=3, capacity_ratio=0.5)


@pytest.mark.parametrize("units", [2, 9, 13, 14, 20, 30, 60, 1000])
def test_an_exchanger_in_parallel_flow_whose_outlets_all_but_meet_is_rated(units: int) -> None:
    """The exponential is lost beside one, and the difference of the outlets beside their temperatures."""
    one = Exchanger(1000, 2000, 1000, units, 100 + ZERO, 20 + ZERO)
    effect = one.parallel_effectiveness
    wanted = {
        "effectiveness": effect,
        "exchanged_heat": one.heat(effect),
        "hot_outlet": one.hot_outlet(effect),
        "cold_outlet": one.cold_outlet(effect),
        "log_mean_difference": one.heat(effect) / (one.coefficient * one.area),
        "transfer_units": one.transfer_units,
    }
    given = {
        "hot_capacity_rate": "1 kW/K",
        "cold_capacity_rate": "2 kW/K",
        "exchanger_coefficient": "1 kW/(m**2*K)",
        "exchanger_area": f"{units} m**2",
        "hot_inlet": "100 degC",
        "cold_inlet": "20 degC",
        "parallel_arrangement": 1,
    }
    for asked, number in wanted.items():
        answer = library().solve(asked, **given)
        assert answer.base == pytest.approx(number, rel=1e-7), asked
        assert not answer.failed, asked


def test_transfer_units_in_parallel_flow_come_back_from_their_effectiveness() -> None:
    for units in (0.1, 1.0, 5.0, 9.0, 14.0):
        effect = -math.expm1(-units * 1.5) / 1.5
        found = library().solve(
            "transfer_units", parallel_effectiveness=effect, capacity_ratio=0.5, parallel_arrangement=1
        )
        lost = 2.3e-16 / (1 - 1.5 * effect) if 1.5 * effect < 1 else math.inf  # what the last digit of it tells
        assert found.base == pytest.approx(units, rel=1e-9, abs=lost)


ROWS = [(100, 60, 20, 40), (100, 60, 20, 60), (100, 80, 20, 70), (90, 60.1, 20, 49.9), (100, 99, 20, 30)]


@pytest.mark.parametrize("ends", ROWS)
@pytest.mark.parametrize("arrangement", [None, 0, 1])
def test_four_temperatures_tell_effectiveness_and_transfer_units(
    ends: tuple[float, ...], arrangement: int | None
) -> None:
    hot_in, hot_out, cold_in, cold_out = ends
    if arrangement and cold_out >= hot_out:
        pytest.skip("in parallel flow the cold fluid does not leave warmer than the hot one")
    typed: dict[str, Any] = {name: f"{value} degC" for name, value in zip(ENDS, ends, strict=True)}
    typed |= {} if arrangement is None else {"parallel_arrangement": arrangement}
    less, more = sorted((hot_in - hot_out, cold_out - cold_in))
    ratio, effect = less / more, more / (hot_in - cold_in)
    if arrangement:
        units = -math.log1p(-effect * (1 + ratio)) / (1 + ratio)
    elif math.isclose(ratio, 1):
        units = effect / (1 - effect)
    else:
        units = math.log((1 - effect * ratio) / (1 - effect)) / (1 - ratio)
    with derive.limits(seconds=5):
        for asked, number in (("effectiveness", effect), ("capacity_ratio", ratio), ("transfer_units", units)):
            assert library().solve(asked, **typed).base == pytest.approx(number, rel=1e-9), asked


@pytest.mark.parametrize("side", ["condenser", "boiler"])
def test_a_fluid_that_keeps_its_temperature_has_no_capacity_rate(side: str) -> None:
    ends = {"condenser": (100, 100, 20, 60), "boiler": (100, 60, 20, 20)}[side]
    typed: dict[str, Any] = {name: f"{value} degC" for name, value in zip(ENDS, ends, strict=True)}
    rate = {"condenser": "cold_capacity_rate", "boiler": "hot_capacity_rate"}[side]
    typed |= {{"condenser": "condensing", "boiler": "boiling"}[side]: 1}
    given = {**typed, rate: "2 kW/K", "exchanger_coefficient": "1 kW/(m**2*K)"}
    units = math.log(2)  # of the 80 K between the fluids 40 are left
    assert library().solve("exchanger_area", **given).value.magnitude == pytest.approx(2 * units)
    assert library().solve("effectiveness", **given).value.magnitude == pytest.approx(0.5)
    assert library().solve("exchanged_heat", **given).value.to("kW").magnitude == pytest.approx(80)
    outlet = {"condenser": "cold_outlet", "boiler": "hot_outlet"}[side]
    wanted = given.pop(outlet)
    found = library().solve(outlet, exchanger_area=f"{2 * units!r} m**2", **given)
    assert found.value.to("degC").magnitude == pytest.approx(float(wanted.removesuffix(" degC")), abs=1e-6)


@pytest.mark.parametrize(
    ("flag", "ends"), [("condensing", (100, 100, 20, 60)), ("boiling", (100, 60, 20, 20))], ids=["condenser", "boiler"]
)
def test_a_refusal_names_the_default_that_equal_temperatures_contradict(flag: str, ends: tuple[int, ...]) -> None:
    typed = {name: f"{value} degC" for name, value in zip(ENDS, ends, strict=True)}
    rate = {"condensing": "cold_capacity_rate", "boiling": "hot_capacity_rate"}[flag]
    given = {**typed, rate: "2 kW/K", "exchanger_coefficient": "1 kW/(m**2*K)"}
    with pytest.raises(InconsistentError, match=f"{flag} is not given, and counts as 0 .*: give it if it is another"):
        library().solve("exchanger_area", **given)
    assert library().solve("exchanger_area", **given, **{flag: 1}).base == pytest.approx(2 * math.log(2))


@pytest.mark.parametrize("area", ["10 m**2", "60 m**2", "200 m**2", "20000 m**2"])
def test_an_exchanger_far_larger_than_it_need_be_is_rated(area: str) -> None:
    given = {
        "hot_capacity_rate": "1 kW/K",
        "cold_capacity_rate": "2 kW/K",
        "exchanger_coefficient": "1 kW/(m**2*K)",
        "exchanger_area": area,
        "hot_inlet": "100 degC",
        "cold_inlet": "20 degC",
    }
    size = float(area.split(maxsplit=1)[0])
    one = Exchanger(1000, 2000, 1000, size, 100 + ZERO, 20 + ZERO)
    assert library().solve("exchanged_heat", **given).base == pytest.approx(one.heat(one.effectiveness), rel=1e-9)
    assert library().solve("hot_outlet", **given).base == pytest.approx(one.hot_outlet(one.effectiveness), rel=1e-9)
    assert library().solve("cold_outlet", **given).base == pytest.approx(one.cold_outlet(one.effectiveness), rel=1e-9)


@pytest.mark.thorough
def test_three_temperatures_do_not_make_a_mean_difference() -> None:
    with pytest.raises(derive.DeriveError), derive.limits(seconds=2):
        library().solve("log_mean_difference", hot_inlet="100 degC", cold_inlet="20 degC", hot_outlet="50 degC")


def test_a_fin_colder_than_its_surroundings_takes_up_heat() -> None:
    fin = {
        "fin_conductivity": "200 W/(m*K)",
        "film_coefficient": "20 W/(m**2*K)",
        "fin_perimeter": "20 mm",
        "fin_section": "20 mm**2",
        "fin_length": "50 mm",
    }
    product = math.sqrt(20 * 0.02 * 200 * 20e-6)
    wanted = product * math.tanh(math.sqrt(20 * 0.02 / (200 * 20e-6)) * 0.05)
    for excess in (-15, 0, 15):
        heat = library().solve("fin_heat", base_excess=f"{excess} delta_degC", **fin)
        assert heat.value.magnitude == pytest.approx(wanted * excess)


def test_temperatures_that_no_exchanger_has_are_refused() -> None:
    with pytest.raises(InconsistentError):
        library().solve(
            "cold_outlet", hot_capacity_rate="1 kW/K", cold_capacity_rate="1 kW/K", hot_inlet="100 degC",
            hot_outlet="10 degC", cold_inlet="20 degC", exchanger_coefficient="1 kW/(m**2*K)",
        )  # fmt: skip


@pytest.mark.parametrize("units", [0.5, 5.0, 13.0, 14.0, 20.0, 36.0, 100.0, 700.0])
@pytest.mark.parametrize("kind", ["boiling", "condensing", "unequal"])
def test_an_exchanger_far_larger_than_needed_gives_all_the_heat(units: float, kind: str) -> None:
    """What is left of the difference at the cold end, or the hot one, falls below the digits of the temperatures."""
    rate, ratio = 2.0, 0.5 if kind == "unequal" else 0.0
    given = {"hot_inlet": "100 degC", "cold_inlet": "20 degC", "exchanger_coefficient": "1 kW/(m**2*K)"}
    given |= {"exchanger_area": f"{units * rate} m**2"}
    if kind == "boiling":
        given |= {"boiling": "1", "hot_capacity_rate": f"{rate} kW/K"}
    elif kind == "condensing":
        given |= {"condensing": "1", "cold_capacity_rate": f"{rate} kW/K"}
    else:
        given |= {"hot_capacity_rate": f"{rate / ratio} kW/K", "cold_capacity_rate": f"{rate} kW/K"}
    left = math.exp(-units * (1 - ratio))
    expected = rate * 1e3 * 80 * (1 - left) / (1 - ratio * left)
    assert library().solve("exchanged_heat", **given).base == pytest.approx(expected, rel=1e-9)
