from __future__ import annotations

import math

from hypothesis import example, given
from hypothesis import strategies as st

from derive.presentation.multiples import in_multiples, with_prefix
from quantities.spelling import parse_unit

UNITS = ("byte", "W", "USD/byte/h", "J/FLOP", "J/byte", "s/token", "W/parameter/s", "token/s", "GB", "m/s")
RAISED = ("byte**2", "byte^2", "byte²", "byte **2", "s ^ -1", "s⁻¹*m", "kW²", "J**(1/2)", "MFLOP ²/s", "W⁴/token^2")


@example("J/FLOP", 1.5e-14)  # both the joule and the FLOP take a prefix
@example("byte^2", 9e8)  # a prefix would be squared too
@given(st.sampled_from(UNITS + RAISED), st.floats(1e-18, 1e18))
def test_a_multiple_is_the_same_quantity(text, number):
    for multiple in (with_prefix, in_multiples):
        shown, unit = multiple(number, text)
        assert math.isclose(shown * float(parse_unit(unit).size), number * float(parse_unit(text).size), rel_tol=1e-12)
