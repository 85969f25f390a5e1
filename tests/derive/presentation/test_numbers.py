"""A rounded percentage says neither all nor nothing where it is not, and a rounded bound no less than the bound."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import derive
from derive.presentation.numbers import percentage
from derive.reports.vocabulary import _whole_percentage
from quantities.rational import rounded_up


@example(1.4e-5, 1)  # no more than 1e-05 would be less than it may be
@given(st.floats(1e-300, 1e300), st.integers(1, 3))
def test_a_bound_is_no_less_than_it_was_and_close(bound, digits):
    shown = Fraction(rounded_up(bound, digits))
    assert float(shown) >= bound
    assert shown <= Fraction(bound) * (1 + Fraction(10, 10**digits))


@example(0.99999)
@example(0.004)
@given(st.floats(0, 1).filter(lambda share: share in (0, 1) or 1e-9 < share < 1 - 1e-9))
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
