"""What a page knows: closed sets, sliders, units and variants, over the whole library and at random."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import derive
from derive.kernels.agreement import said_twice
from derive.kernels.several_targets import found_for
from derive.pages.page_data import nice, slider, starting_number
from derive.pages.page_question import page_question, slots, variants
from quantities.declaration import Declaration
from quantities.proposals import offered
from quantities.spelling import parse_unit
from quantities.units import convert
from quantities.value import read_number, read_value
from tests.derive.pages.shop import shop

NUMBERS = st.floats(1e-12, 1e12)


@pytest.mark.thorough
def test_every_offered_unit_converts_as_its_size_says():
    for quantity in derive.llm.declared.values():
        (text, own), *others = offered(quantity.unit).items()
        assert text in (quantity.unit.text, "")
        for other, one in others:
            number = float((3 * own.size + own.offset - one.offset) / one.size)
            assert number == pytest.approx(convert(3.0, quantity.unit, parse_unit(other)), rel=1e-12), (quantity, other)


def test_customary_units_are_among_those_offered():
    for unit, wanted in (("s", "h"), ("byte/s/chip", "TB/s/chip"), ("USD/Mtoken", "USD/token"), ("degC", "degF")):
        assert wanted in offered(parse_unit(unit))


def test_every_quantity_of_the_library_has_a_slider_around_any_value():
    for quantity in derive.llm.declared.values():
        value = quantity.default or read_number(_inside(quantity), quantity.unit)
        made = slider(quantity, value)
        assert made.low < made.high or quantity.domain.low == quantity.domain.high, quantity
        assert made.low <= starting_number(value, quantity) <= made.high
        for end in (made.low, made.high):
            assert quantity.domain.admits(quantity.unit.to_base(end)), (quantity, made)


def _inside(quantity: Declaration) -> float:
    low, high = (quantity.unit.from_base(end) for end in quantity.domain.ends)
    return (low + high) / 2 if math.isfinite(low + high) else max(low, 0.0) + 3.0


@given(NUMBERS, st.sampled_from(["positive", "nonnegative", "real", "0..1e13", "whole"]), st.lists(NUMBERS, max_size=3))
def test_a_slider_lies_in_the_domain_and_reaches_what_it_must(number, domain, others):
    quantity = Declaration("x", "m", domain=f"{domain} m" if ".." in domain else domain)
    if quantity.domain.whole:
        number, others = float(math.ceil(number)), [float(math.ceil(one)) for one in others]
    made = slider(quantity, read_number(number, quantity.unit), others)
    assert made.low <= min([number, *others])
    assert made.high >= max([number, *others])
    assert all(quantity.domain.admits(end) for end in (made.low, made.high))
    assert made.scale != "ratio" or made.low > 0


@given(NUMBERS, NUMBERS)
def test_a_range_asked_for_is_the_range_of_the_slider(one, other):
    low, high = sorted((one, other))
    assume(high > low * 1.001)
    quantity = Declaration("x", "m")
    made = slider(quantity, read_value(f"{low!r}..{high!r} m"), asked=True)
    assert (made.low, made.high) == (low, high)
    assert low <= starting_number(read_value(f"{low!r}..{high!r} m"), quantity) <= high


@given(NUMBERS)
def test_a_nice_number_is_beside(number):
    assert nice(number, -1) <= number * (1 + 1e-9) <= nice(number, 1) * (1 + 2e-9)
    assert nice(number, 1) <= 5 * number


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    "profiles", [("h100-sxm:fp8", "llama3-70b"), ("b200-sxm:fp8", "mixtral-8x7b"), ("h100-sxm:fp8", "gemma-3-27b")]
)
def test_what_a_page_knows_states_nothing_twice_and_gives_the_engines_answer(profiles):
    typed = {"batch": "64 sequence", "context": "8 ktoken/sequence", "chips": "8 chip"}
    read = {name: read_value(text) for name, text in typed.items()}
    found = page_question(derive.llm, ["cost_per_token", "step_time"], profiles, read)
    assert {*typed} <= {*found.known}
    library, names = derive.llm, found.given_for("cost_per_token")
    plans = found_for(library, "cost_per_token", found.known).plans
    assert [name for name in said_twice(library, found.known, plans) if library.relations[name].is_equation] == []
    whole = library.solve("cost_per_token", **{name: found.values[name] for name in names if name in found.values})
    alone = library.solve("cost_per_token", *profiles, **typed)
    assert whole.value.magnitude == pytest.approx(alone.value.magnitude, rel=1e-12)
    assert whole.regime == alone.regime
    assert {check.name for check in alone.failed} == {check.name for check in whole.failed}


def test_a_name_without_effect_is_told():
    found = page_question(shop(), ["step"], (), {"batch": read_value("3 sequence"), "rent": read_value("1 USD/h/chip")})
    assert found.idle == ("rent",)


def test_profiles_that_cannot_answer_are_left_out_with_the_reason():
    library = shop()
    stated = derive.load(
        """[quantities]
        speed = { unit = "m/s" }
        price = { unit = "USD" }
        way   = { unit = "m" }
        time  = { unit = "s" }
        worth = { unit = "USD*s" }
        [relations]
        time  = { equation = "time = way/speed" }
        worth = { equation = "worth = price*time" }
        [profiles]
        van  = { speed = "20 m/s", price = "9 USD" }
        car  = { speed = "30 m/s", price = "5 USD" }
        bike = { speed = "6 m/s" }"""
    )
    found = variants(stated, ["worth"], slots(stated, ["van"]), {"way": read_value("3 m")})
    assert found.choices[0].groups == (("van", "car"),)
    assert found.choices[0].left_out == {"price not stated": ("bike",)}
    assert found.by_groups == {(0,): 0}
    assert variants(
        library, ["cost"], (), {"batch": read_value("3 sequence"), "chips": read_value("2 chip")}
    ).by_groups == {(): 0}
