"""A count that comes out as no whole number: the whole numbers beside it, and what each of them does."""

from __future__ import annotations

import math
import pickle
import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import derive
from derive.errors import AmbiguousError, DomainError
from derive.presentation.plain_data import answer_data
from tests.derive.statements import bare

FLEET = """[quantities]
chips = { unit = "chip", domain = "whole" }
crates = { unit = "1", domain = "2..40, whole" }
per_crate = { unit = "chip", value = "8 chip" }
work = { unit = "FLOP" }
speed = { unit = "FLOP/s/chip" }
time = { unit = "s" }
rate = { unit = "1/s" }
memory = { unit = "GB/chip", value = "80 GB/chip" }
weights = { unit = "GB" }
holding = { unit = "chip", domain = "whole" }
[relations]
held = { equation = "holding = weights/memory" }
step = { equation = "time = work/(chips*speed)" }
often = { equation = "rate = 1/time" }
fit = { equation = "weights <= chips*memory", because = "the weights fit" }
packed = { equation = "chips = per_crate*crates" }
"""
LIBRARY = derive.load(FLEET)
SUFFICES = re.compile(r"(\d+) chip suffices for (\w+) at (most|least) (\S+) \S+ \((\S+) \S+\)")


@given(st.floats(0.01, 100), st.floats(0.01, 1000))
def test_the_whole_numbers_beside_a_count_lie_on_the_sides_they_are_said_to(time, speed):
    answer = LIBRARY.solve("chips", time=f"{time} s", work="100 FLOP", speed=f"{speed} FLOP/s/chip")
    exact = 100 / (time * speed)
    if abs(exact - round(exact)) < 1e-9 * max(1, exact):
        assert answer.whole == ""
        return
    sides = {int(count): side for count, _, side, _, _ in SUFFICES.findall(answer.whole)}
    assert sides == {
        count: "most" if 100 / (count * speed) < time else "least"
        for count in (math.ceil(exact), math.floor(exact))
        if count > 0
    }


def test_what_follows_from_the_count_is_worked_out_and_checked_at_each():
    given = {"time": "20 ms", "work": "1e15 FLOP", "speed": "3.5e15 FLOP/s/chip", "weights": "1140 GB"}
    answer = LIBRARY.solve("chips", **given)
    assert answer.value.magnitude == pytest.approx(1e15 / 0.02 / 3.5e15)
    above, below = answer.whole.removeprefix("a count is whole: ").split(", and ", 1)
    assert above == "15 chip suffices for time at most 20 ms (19.05 ms)"
    assert below == "14 chip suffices for time at least 20 ms (20.41 ms), where fit fails"


def test_a_quantity_further_on_is_worked_out_too():
    answer = LIBRARY.solve("chips", rate="50 Hz", work="1e15 FLOP", speed="3.5e15 FLOP/s/chip")
    assert "15 chip suffices for rate at least 50 1/s (52.5 1/s)" in answer.whole


def test_without_a_given_that_follows_the_two_whole_numbers_are_named():
    assert LIBRARY.solve("holding", weights="900 GB").whole == "a count is whole: 11 chip or 12 chip"


def test_a_count_may_follow_from_another():
    assert "5 suffices for chips at least 36 chip (40 chip)" in LIBRARY.solve("crates", chips="36 chip").whole


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"weights": "1150 GB"}, "chips is at least 14.375 chip; a count is whole: at least 15 chip."),
        ({"weights": "1120 GB"}, "chips is at least 14 chip."),
    ],
)
def test_bounds_of_a_count_are_whole(given, words):
    with pytest.raises(AmbiguousError, match=re.escape(words)):
        LIBRARY.solve("chips", **given)


def test_a_range_of_counts_may_hold_no_whole_number():
    fixed = {"work": "1e15 FLOP", "speed": "3.5e15 FLOP/s/chip"}
    assert LIBRARY.solve("chips", time="20..30 ms", **fixed).whole == "a count is whole: between 10 chip and 14 chip"
    assert LIBRARY.solve("chips", time="20..20.2 ms", **fixed).whole == "a count is whole: no whole number lies there"


def test_it_stands_under_the_answer_in_every_form_and_outlives_a_pickle():
    answer = LIBRARY.solve("chips", time="20 ms", work="1e15 FLOP", speed="3.5e15 FLOP/s/chip")
    assert f"  {answer.whole}" in answer.text().splitlines()
    assert answer_data(answer)["whole"] == answer.whole
    assert "15 chip suffices" in answer.markdown()
    assert "15 chip suffices" in answer.latex()
    assert pickle.loads(pickle.dumps(answer)).whole == answer.whole


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"chips": "14.3 chip"}, "chips: 14.3 chip is not whole, and chips is a count. Give 14 chip or 15 chip."),
        ({"chips": "0.3 chip"}, "chips: 0.3 chip is not whole, and chips is a count. Give 1 chip."),
        ({"crates": 2.5}, "crates: 2.5 is not whole, and crates is a count. Give 2 or 3."),
        ({"crates": 40.5}, "crates: 40.5 is not whole, and crates is a count. Give 40."),
        ({"crates": 41}, "crates: 41 lies outside its domain, 2..40, whole."),
    ],
)
def test_a_typed_count_is_whole(given, words):
    with pytest.raises(DomainError, match=re.escape(words)):
        LIBRARY.solve("time", work="1e15 FLOP", speed="1e15 FLOP/s/chip", **given)


def test_what_was_worked_out_to_a_whole_number_can_be_typed():
    chips = LIBRARY.solve("chips", time="0.1 s", work="0.3 FLOP", speed="1 FLOP/s/chip").value
    assert LIBRARY.solve("crates", chips=chips * 8).value.magnitude == pytest.approx(3)


def test_a_curve_may_pass_between_whole_numbers():
    table = LIBRARY.sweep("time", chips=derive.span("1..8 chip", 5), work="1 FLOP", speed="1 FLOP/s/chip")
    assert table.columns["time"] == pytest.approx([1, 1 / 2.75, 1 / 4.5, 1 / 6.25, 1 / 8])


@given(st.integers(-300, 300), st.integers(2, 9), st.booleans())
def test_a_count_on_the_way_that_is_not_whole_is_told(level, share, is_chained):
    on_the_way = '{ equation = "m = z + 1" }' if is_chained else '{ equation = "m = 1" }'
    text = f"""[quantities]
n = {{ unit = "1", domain = "whole" }}
{"".join(f'{name} = {{ unit = "1", domain = "real" }}' + chr(10) for name in "yzm")}
[relations]
a = {{ equation = "y = {share}*n - 300*{share}" }}
b = {{ equation = "z = n/2" }}
c = {on_the_way}
"""
    answer = derive.load(text).solve("m" if is_chained else "z", y=level)
    number = f"n comes out as {level / share + 300:.6g}"
    assert answer.whole == ("" if level % share == 0 else f"a count is whole: {number} on the way")


TALLY = derive.load("""
[quantities]
tokens = { unit = "token", domain = "whole" }
twice = { unit = "token" }
parts = { unit = "" }
total = { unit = "token" }
[relations.total]
equation = "tokens*parts = total"
[relations.twice]
equation = "twice = 2*tokens"
""")


@example(3, 10**7)  # 3333333 and 3333334 were both 3.33333e+06
@given(st.integers(3, 97), st.integers(1000, 10**14))
def test_the_whole_numbers_beside_a_count_are_told_in_full(parts, total):
    assume(total % parts)
    given = {"parts": str(parts), "total": f"{total} token"}
    told = TALLY.solve("tokens", **given).whole
    below = total // parts
    assert told == f"a count is whole: {below} token or {below + 1} token"
    on_the_way = TALLY.solve("twice", **given).whole
    shown = on_the_way.removeprefix("a count is whole: tokens comes out as ").removesuffix(" token on the way")
    assert float(shown) != round(float(shown)) or float(shown) != round(total / parts)


@pytest.mark.parametrize("rounding", ["ceil", "floor"])
@pytest.mark.parametrize("target", ["n", "m"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_whole_counts_within_bounds_are_those_that_lead_to_what_is_typed(rounding: str, target: str, k: int) -> None:
    """m of `3 = ceil(10/m)` was told as between 4 and 5, and 10/5 is 2."""
    counts = bare("k m n", f"k = {rounding}(n/m)", domains=dict.fromkeys("kmn", "whole"))
    exact = {"ceil": lambda n, m: -(-n // m), "floor": lambda n, m: n // m}[rounding]
    other, at = ("m", 4) if target == "n" else ("n", 60)
    right = [x for x in range(1, 100) if exact(*((x, at) if target == "n" else (at, x))) == k]
    with pytest.raises(AmbiguousError) as caught:
        counts.solve(target, k=str(k), **{other: str(at)})
    (answer,) = caught.value.answers
    told = re.search(r"a count is whole: (?:between (\d+) and )?(\d+)", str(answer))
    least, most = (answer.bounds[0], answer.bounds[1]) if told is None else (told[1] or told[2], told[2])
    assert [*range(round(float(least)), round(float(most)) + 1)] == right
