"""Samples of ranges, beside distributions that are known in closed form."""

from __future__ import annotations

import sys

import numpy
import pytest

import derive
from tests.derive.statements import bare

POINTS = 100_000
AREA = bare("width depth area", "area = width*depth")


def distance(numbers, share_below):
    """How far the shares of what was drawn are from those of a distribution, at most: Kolmogorov's measure."""
    found = numpy.sort(numbers)
    expected = share_below(found)
    ranks = numpy.arange(len(found) + 1) / len(found)
    return max(numpy.max(ranks[1:] - expected), numpy.max(expected - ranks[:-1]))


CLOSE = 1.95 / POINTS**0.5  # one sample in a thousand is farther off
"""How far apart they may be."""


def product_of_two(z):
    """The share of products below z, of two numbers that lie anywhere from 1 to 2."""
    return numpy.where(z < 2, z * numpy.log(z) - z + 1, z - 3 + z * numpy.log(4 / z))


def triangle(low, kept, high):
    def share(x):
        rising = (x - low) ** 2 / ((high - low) * (kept - low))
        return numpy.where(x < kept, rising, 1 - (high - x) ** 2 / ((high - low) * (high - kept)))

    return share


def test_a_product_of_two_uniform_ranges_is_spread_as_calculus_says():
    found = AREA.sample("area", points=POINTS, seed=1, width="1..2", depth="1..2")
    assert distance(found.numbers, product_of_two) < CLOSE
    assert found.below(2) == pytest.approx(2 * numpy.log(2) - 1, abs=CLOSE)
    assert product_of_two(found.quantile(0.9).magnitude) == pytest.approx(0.9, abs=CLOSE)


def test_a_sum_of_two_is_a_triangle():
    total = bare("a b c", "c = a + b")
    found = total.sample("c", points=POINTS, a="1..2", b="1.5 +/- 0.5")
    assert distance(found.numbers, triangle(2.0, 3.0, 4.0)) < CLOSE
    ends = [(end.magnitude - 2) ** 2 / 2 for end in (found.low, found.median)] + [(4 - found.high.magnitude) ** 2 / 2]
    assert ends == pytest.approx([0.05, 0.5, 0.05], abs=CLOSE)


def test_two_ends_that_are_decades_apart_are_even_in_their_logarithm():
    found = AREA.sample("area", points=POINTS, width="1..1000", depth=2)
    assert distance(found.numbers, lambda x: numpy.log10(x / 2) / 3) < CLOSE
    assert found.spreads["width"].shape == "log-uniform"


RENT = derive.load("""
[quantities]
price = { unit = "USD/h" }
hours = { unit = "h" }
bill = { unit = "USD" }
[relations]
bill = { equation = "bill = price*hours" }
[profiles.sources]
price = { value = "2 USD/h", range = "1..6 USD/h", reason = "sources disagree" }
[profiles.rumours]
price = { value = "2 USD/h", range = "0.1..50 USD/h", reason = "sources disagree" }
[profiles.middling]
price = { value = "3.5 USD/h", range = "1..6 USD/h", reason = "sources disagree" }
[profiles.far]
price = { value = "25.25 USD/h", range = "0.5..50 USD/h", reason = "sources disagree" }
""")


def test_a_value_kept_within_a_range_is_the_likeliest():
    found = RENT.sample("bill", "sources", points=POINTS, hours="60 min")
    assert distance(found.numbers, triangle(1.0, 2.0, 6.0)) < CLOSE


def test_decades_around_a_value_are_a_triangle_of_logarithms():
    found = RENT.sample("bill", "rumours", points=POINTS, hours="1 h")
    assert found.spreads["price"].shape == "log-triangular"
    ends = [numpy.log(x) for x in (0.1, 2.0, 50.0)]
    assert distance(numpy.log(found.numbers), triangle(*ends)) < CLOSE


def test_a_value_in_the_middle_of_its_range_is_the_likeliest_too():
    found = RENT.sample("bill", "middling", points=POINTS, hours="1 h")
    assert distance(found.numbers, triangle(1.0, 3.5, 6.0)) < CLOSE
    far = RENT.sample("bill", "far", points=POINTS, hours="1 h")
    ends = [numpy.log(x) for x in (0.5, 25.25, 50.0)]
    assert distance(numpy.log(far.numbers), triangle(*ends)) < CLOSE


def test_what_the_asker_states_takes_the_place_of_a_range():
    found = RENT.sample("bill", "sources", points=100, price="3 USD/h", hours="1..2 h")
    assert list(found.draws) == ["hours"]
    assert numpy.allclose(found.numbers, 3 * found.draws["hours"])


def test_backwards_the_ranges_are_of_what_is_given():
    found = RENT.sample("hours", "sources", points=1000, bill="6..12 USD")
    assert set(found.draws) == {"price", "bill"}
    assert numpy.allclose(found.numbers, found.draws["bill"] / found.draws["price"])


def test_temperatures_are_spread_in_their_unit():
    gas = derive.load("""
[quantities]
inside = { unit = "degC" }
outside = { unit = "degC" }
rise = { unit = "K" }
[relations]
rise = { equation = "rise = inside - outside" }
""")
    found = gas.sample("rise", points=POINTS, inside="20..30 degC", outside="-10 degC")
    assert distance(found.numbers, lambda x: (x - 30) / 10) < CLOSE
    assert distance(found.draws["inside"], lambda x: (x - 20) / 10) < CLOSE


def test_every_point_is_the_answer_at_its_givens():
    stated = {"chips": "8 chip", "compute_efficiency": 0.5}
    ranges = {"batch": "16..1024 sequence", "context": "1..100 ktoken/sequence", "bandwidth_efficiency": "0.6..0.8"}
    found = derive.sample("cost_per_token", "h100-sxm:fp8", "llama3-70b", points=12, seed=7, **stated, **ranges)
    assert "chip_price" in found.draws  # of which the profile states a range
    for i, number in enumerate(found.numbers):
        here = {n: f"{float(values[i])!r} {derive.llm.quantities[n].unit}" for n, values in found.draws.items()}
        answer = derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", **stated, **here)
        assert answer.value.magnitude == pytest.approx(number, rel=1e-12)


def test_the_seed_says_which_points_they_are():
    ask = {"width": "1..2", "depth": "3..4"}
    first, again, other = (AREA.sample("area", points=50, seed=seed, **ask).numbers for seed in (5, 5, 6))
    assert first.tolist() == again.tolist() != other.tolist()


def test_a_further_range_leaves_the_points_of_the_others():
    alone = AREA.sample("area", points=50, width="1..2", depth=3)
    both = AREA.sample("area", points=50, width="1..2", depth="3..4")
    assert alone.draws["width"].tolist() == both.draws["width"].tolist() != both.draws["depth"].tolist()


def test_points_without_a_value_are_counted():
    root = bare("x y z", "y**2 = x - z")
    found = root.sample("y", points=POINTS, x="1..5", z=2)
    assert found.lost == pytest.approx(0.25, abs=CLOSE)
    assert distance(found.numbers[numpy.isfinite(found.numbers)], lambda y: y**2 / 3) < 2 * CLOSE
    assert "of them have no single value" in str(found)


STEPS = derive.load("""
[quantities]
x = { unit = "1" }
y = { unit = "1" }
few = { unit = "1", value = 7 }
many = { unit = "1", value = 9 }
[relations]
below = { equation = "y = few*x", when = ["x < 2"] }
above = { equation = "y = many*x", when = ["x >= 2"] }
[profiles.rates]
few = "10"
many = "100"
""")


def test_a_condition_is_judged_at_every_point_with_what_a_profile_states_for_either_case():
    found = STEPS.sample("y", "rates", points=1000, x="1..2.5")
    x = found.draws["x"]
    assert numpy.allclose(found.numbers, numpy.where(x < 2, 10 * x, 100 * x))


def test_the_tornado_is_each_range_alone_the_widest_first():
    found = AREA.sample("area", points=10, width="1..2", depth="10..40")
    told = [(swing.name, swing.held, swing.at_low, swing.at_high) for swing in found.tornado]
    assert told == [("depth", 37.5, 15.0, 60.0), ("width", 37.5, 25.0, 50.0)]
    assert not any(swing.turns for swing in found.tornado)


def test_a_swing_holds_what_lies_beyond_its_ends():
    bowl = bare("x y z", "y = 1 + (x - z)**2")
    (swing,) = bowl.sample("y", points=10, x="1..5", z=3).tornado
    assert (swing.at_low, swing.least, swing.at_high, swing.most) == (5.0, 1.0, 5.0, 5.0)
    (swing,) = bowl.sample("y", points=10, x="1..6", z=3).tornado
    assert swing.least == pytest.approx(1.0, abs=1e-3)
    assert swing.turns


def test_the_pictures_are_a_histogram_and_a_tornado():
    from derive.tables.monte_carlo import charts

    histogram, tornado = charts(AREA.sample("area", points=POINTS, width="1..2", depth="10..40"))
    (outline,) = histogram.series
    assert sum(outline.y[1:-1]) / 2 == pytest.approx(0.998, abs=1e-4)
    assert [mark.label for mark in histogram.marks] == ["5 %", "median", "95 %"]
    low, high = tornado.series
    assert (low.start, low.x, high.x) == ((37.5, 37.5), (15.0, 25.0), (60.0, 50.0))
    assert tornado.y.names == ("depth 10..40", "width 1..2")
    assert AREA.sample("area", points=9, width="1..2", depth=3).plot() is not None


def test_it_is_told_in_a_few_lines():
    lines = str(AREA.sample("area", points=1000, width="1..2", depth="10..4000")).splitlines()
    assert lines[1:] == [
        "1000 points, seed 0",
        "",
        "each range alone",
        "  depth  10..4000  log-uniform  15..6000",
        "  width  1..2      uniform      200..400",
    ]


def test_a_data_frame_has_a_row_for_each_point(monkeypatch):
    found = AREA.sample("area", points=20, width="1..2", depth="3..4")
    frame = pytest.importorskip("pandas") and found.to_pandas()
    assert list(frame) == ["width", "depth", "area", "holds", "fails"]
    assert numpy.allclose(frame["area"], frame["width"] * frame["depth"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(derive.DeriveError, match=r"derive-engine\[tables\]"):
        found.to_pandas()


def test_a_sample_does_not_change():
    found = AREA.sample("area", points=5, width="1..2", depth=3)
    for array in (found.numbers, found.draws["width"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


@pytest.mark.parametrize(
    ("asked", "error", "told"),
    [
        ({"width": 1, "depth": 2}, derive.ExpressionError, "does not depend on any range"),
        ({"width": "1..2", "depth": 2, "points": 0}, derive.ExpressionError, "points = 0"),
        ({"width": "1..2", "depth": 2, "points": True}, derive.ExpressionError, "points = True"),
        ({"width": "1..2", "depth": 2, "seed": -1}, derive.ExpressionError, "seed = -1"),
        ({"width": "1..2", "depth": 2, "points": 10**9}, derive.LimitError, "too large"),
        ({"width": "1..2"}, derive.UnderdeterminedError, "depth"),
        ({"length": "1..2"}, derive.UnknownNameError, "length"),
    ],
)
def test_what_cannot_be_sampled_is_refused(asked, error, told):
    with pytest.raises(error, match=told):
        AREA.sample("area", **asked)


def test_where_no_point_has_a_value_it_is_an_error():
    with pytest.raises(derive.NoSolutionError, match="at any of 100 points"):
        bare("x y z", "y**2 = x - z").sample("y", points=100, x="1..2", z=3)


def test_a_share_lies_between_none_and_all():
    found = AREA.sample("area", points=5, width="1..2", depth=3)
    with pytest.raises(derive.ExpressionError, match=r"1\.1 is not a share"):
        found.quantile(1.1)
    assert (found.quantile(0).magnitude, found.quantile(1).magnitude) == (found.numbers.min(), found.numbers.max())


def test_a_stated_value_that_is_used_in_one_case_only_counts_there():
    library = derive.load("""
[quantities]
x = { unit = "1" }
y = { unit = "1" }
rate = { unit = "1" }
[relations]
rate = { equation = "rate = 3*x", when = ["x < 2"] }
y = { equation = "y = rate*x" }
[profiles.rates]
rate = "10"
""")
    found = library.sample("y", "rates", points=30, x="1..5")
    drawn = found.draws["x"].tolist()
    assert found.numbers.tolist() == pytest.approx([3 * x**2 if x < 2 else 10 * x for x in drawn])
    assert min(drawn) < 2 < max(drawn)
    assert library.sample("y", points=9, x="3..5", rate=2).lost == 0


def test_of_many_ranges_those_that_move_most_are_told():
    names = [f"a{i}" for i in range(1, 16)]
    weighed = " + ".join(f"{i}*a{i}" for i in range(1, 16))
    sample = bare(" ".join(["s", *names]), f"s = {weighed}").sample("s", **dict.fromkeys(names, "3 +/- 1"), points=100)
    lines = sample.text().splitlines()
    assert lines[-1] == "  and 3 more, which move it less"
    assert lines[-2].split()[0] == "a4"


def test_a_sample_of_one_value_is_drawn():
    assert bare("x z", "z = max(x, 5)").sample("z", x="0.5 +/- 0.1", points=100).plot().axes
