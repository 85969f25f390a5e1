"""Numbers as they are shown: multiples, percentages, rounded bounds, and two numbers that are told apart."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import derive
from derive.presentation.numbers import in_multiples, percentage, with_prefix
from derive.reports.template_words import _whole_percentage
from quantities.rational import rounded_up
from quantities.spelling import parse_unit

UNITS = ("byte", "W", "USD/byte/h", "J/FLOP", "J/byte", "s/token", "W/parameter/s", "token/s", "GB", "m/s")
RAISED = ("byte**2", "byte^2", "byte²", "byte **2", "s ^ -1", "s⁻¹*m", "kW²", "J**(1/2)", "MFLOP ²/s", "W⁴/token^2")


@example("J/FLOP", 1.5e-14)  # both the joule and the FLOP take a prefix
@example("byte^2", 9e8)  # a prefix would be squared too
@example("byte", 1e30)  # beyond all prefixes
@example("USD/byte/h", 1e-30)
@given(st.sampled_from(UNITS + RAISED), st.floats(1e-18, 1e18))
def test_a_multiple_is_the_same_quantity(text, number):
    for multiple in (with_prefix, in_multiples):
        shown, unit = multiple(number, text)
        assert math.isclose(shown * float(parse_unit(unit).size), number * float(parse_unit(text).size), rel_tol=1e-12)


@pytest.mark.parametrize(("number", "unit"), [(0.002, "USD/token"), (5e5, "ks"), (0.001, "USD/byte")])
def test_a_number_keeps_its_unit_where_a_multiple_is_no_shorter(number, unit):
    assert in_multiples(number, unit) == (number, unit)


@example(1.4e-5, 1)  # no more than 1e-05 would be less than it may be
@given(st.floats(1e-300, 1e300), st.integers(1, 3))
def test_a_bound_is_no_less_than_it_was_and_close(bound, digits):
    shown = Fraction(rounded_up(bound, digits))
    assert float(shown) >= bound
    assert shown <= Fraction(bound) * (1 + Fraction(10, 10**digits))


@example(0.99999)
@example(0.004)
@example(1 - 1e-14)
@given(st.floats(0, 1))
def test_a_percentage_says_all_or_nothing_only_where_it_is(share):
    for text in (percentage(share), _whole_percentage(share)):
        number = float(text.removesuffix(" %"))
        assert abs(number - 100 * share) <= 0.5
        assert (number == 0, number == 100) == (share == 0, share == 1)


@pytest.mark.parametrize(
    ("relations", "asked", "given"),
    [
        (["x = y"], "x", {"x": "1 m", "y": "1.00000001 m"}),
        (["x*y = z*y"], "x", {"x": "1 m", "y": "1 m", "z": "1.00000001 m"}),
        (["z <= x", "z >= y"], "z", {"x": "1 m", "y": "1.00000001 m"}),
        (["z = (x - y)*(x - 1.00000001*y)"], "x", {"y": "1 m", "z": "0 m"}),
    ],
)
def test_two_numbers_in_a_refusal_are_told_apart(relations, asked, given):
    square = "m**2" if "(" in relations[0] else "m"
    library = derive.load(
        f"[quantities]\nx.unit = 'm'\ny.unit = 'm'\nz = {{ unit = '{square}', domain = 'nonnegative' }}\n"
        + "".join(f"[relations.r{i}]\nequation = '{equation}'\n" for i, equation in enumerate(relations))
    )
    with pytest.raises(derive.DeriveError) as raised:
        library.solve(asked, **{name: value.replace("0 m", f"0 {square}") for name, value in given.items()})
    told = re.findall(r"([0-9][0-9.]*) m\b", raised.value.what)
    assert sorted(set(map(float, told))) == [1, 1.00000001]
