"""Units that a relation file defines for itself."""

from __future__ import annotations

import pickle
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from quantities.definitions import entry, own_units
from quantities.spelling import parse_unit

SHOP = """
[units]
ecu = "1.08 USD"
gadget = "dimension"
crate = "48 gadget"
[quantities]
price = { unit = "ecu/gadget", value = "2 ecu/gadget" }
count = { unit = "gadget" }
cost = { unit = "USD" }
load = { unit = "crate" }
[relations.sale]
equation = "cost = price*count"
[relations.packing]
equation = "load = count"
[profiles.dear]
price = "3 ecu/gadget"
"""


def test_they_are_asked_and_answered_in():
    shop = derive.load(SHOP)
    assert derive.check(SHOP) == []
    answer = shop.solve("cost", count="3 kgadget")
    assert answer.value.magnitude == pytest.approx(2 * 3000 * 1.08, rel=1e-12)
    assert answer.to("kecu").magnitude == pytest.approx(6)
    assert shop.solve("load", "dear", cost="311.04 USD").value.magnitude == pytest.approx(2)
    assert str(shop.solve("price", cost="10 ecu", count="5 gadget").value) == "2.0 ecu / gadget"


def test_they_are_units_of_the_one_registry():
    derive.load(SHOP)
    price = derive.units.Quantity(3, "ecu/gadget")
    assert price.to("USD/crate").magnitude == pytest.approx(3 * 1.08 * 48)
    assert pickle.loads(pickle.dumps(price)) == price
    assert derive.units("2 Mecu").to("USD").magnitude == pytest.approx(2.16e6)


def test_a_thing_that_is_counted_is_told_from_others():
    (problem,) = derive.check(SHOP.replace("load = count", "load = count*price"))
    assert problem.relation == "packing"
    with pytest.raises(derive.UnitError) as caught:
        derive.load(SHOP).solve("cost", count="3")
    assert caught.value.hint == 'Write "3 gadget".'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('ecu = "1.2 USD"', "defined in"),
        ('km = "3 m"', "defined here already"),
        ('kB = "1024 byte"', "defined here already"),
        ('gizmo = "3..4 m"', "cannot be the size"),
        ('gizmo = "-3 m"', "cannot be the size"),
        ('gizmo = "3 degC"', "cannot be the size"),
        ('gizmo = "3 nonsense"', "not a unit"),
        ("gizmo = 3", "by a string"),
        ('gizmo2 = "3 m"', "cannot name"),
    ],
)
def test_what_cannot_be_a_unit_is_refused_with_its_line(line, said):
    derive.load(SHOP)
    before = own_units()
    (problem,) = derive.check(f'[units]\n{line}\n[quantities]\nx = {{ unit = "m" }}\n')
    assert (problem.line, problem.relation) == (2, "")
    assert said in problem.message
    assert problem.hint
    assert own_units() == before


def test_the_same_definition_again_is_welcome():
    assert derive.load(SHOP) == derive.load(SHOP)


@given(
    st.text(string.ascii_letters, min_size=5, max_size=9),
    st.integers(1, 10**6),
    st.sampled_from(["m", "USD/h", "token"]),
)
def test_every_own_unit_converts_as_it_was_defined(letters, size, unit):
    name = f"own_{letters}"
    before = own_units().get(name)
    if entry(name) and before is None:
        return
    problems = derive.check(f'[units]\n{name} = "{size}e-3 {unit}"\n')
    if before is None:
        assert problems == []
        assert (
            parse_unit(f"{name}**2/s").size
            == parse_unit(f"({unit})**2/s").size * parse_unit(name).size ** 2 / parse_unit(unit).size ** 2
        )
        assert derive.units.Quantity(1, name).to(unit).magnitude == pytest.approx(size / 1000, rel=1e-12)
