"""Units that a quantity is told in, and the hint where a unit is not known."""

from __future__ import annotations

import re

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from quantities.definitions import entry
from quantities.proposals import hint_on_unit, told_in
from quantities.registry import known_to_pint
from quantities.spelling import hint_for, parse_unit
from quantities.units import convert
from quantities.value import read_value

_PINT = pint.UnitRegistry()
_UNITS = sorted({quantity.unit.text for quantity in derive.llm.declared.values()} | {"m", "degC", "V*A", "kg/m**3", ""})
_UNKNOWN = sorted(name for name in _PINT._units if not entry(name))


def _units_in(words: str) -> list[str]:
    return re.split(r", | or ", words)


@pytest.mark.parametrize("unit", _UNITS)
def test_what_a_unit_is_told_in_converts_to_it(unit: str) -> None:
    own, *others = _units_in(told_in(parse_unit(unit)))
    assert own == (unit or "1")
    for other in others:
        convert(1.0, parse_unit(other), parse_unit(unit))


@pytest.mark.thorough
def test_what_pint_knows_is_told_in_units_that_are_known_here() -> None:
    told = {name: known_to_pint(name) for name in _UNKNOWN}
    assert told["furlong"] == "201.168402337 m"
    for name, text in told.items():
        if text:
            number = read_value(text)
            assert _PINT.Quantity(1, name).m_as(str(number.unit.dimension)) == pytest.approx(number.base[1])


@given(st.sampled_from([*_UNKNOWN, "foo", "hrs", "chps"]), st.sampled_from(_UNITS))
def test_the_units_of_a_hint_fit(name: str, unit: str) -> None:
    own = parse_unit(unit)
    found = hint_on_unit(name, hint_for(name), own)
    assert found
    words = re.search(r"[Ww]rite ((?!that)[^:]*)\.$", found)
    if words and found != hint_for(name):
        for one in _units_in(words[1]):
            convert(1.0, parse_unit(one), own)
