"""A rounded percentage says neither all nor nothing where it is not, and a rounded bound no less than the bound."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

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
