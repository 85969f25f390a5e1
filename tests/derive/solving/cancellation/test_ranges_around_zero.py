"""A range with zero in its middle is no zero: nothing cancels or contradicts in it that does only at zero."""

from __future__ import annotations

import pytest

from tests.derive.statements import bare, span

REAL = dict.fromkeys("abcdpuwyz", "real")


@pytest.mark.parametrize("low", ["-1", "-2"])
def test_a_product_with_a_range_around_zero_is_any_number(low: str) -> None:
    held = bare("b c w y z", "y = b*c*z", "w = 2*y", domains={name: REAL[name] for name in "bcwyz"})
    assert held.solve("w", y=1, z=f"{low}..1").base == 2


@pytest.mark.parametrize("low", ["-1", "-2"])
@pytest.mark.parametrize("other", ["max(x, y)*d", "x*y*d", "(x - y)*d"])
def test_what_cancels_beside_a_range_around_zero_leaves_its_whole_range(low: str, other: str) -> None:
    domains = {"a": "real", "b": "real", "y": "real", "d": "nonnegative", "x": "nonnegative"}
    held = bare("a b d x y", f"a = {other}", "y = b*exp(a)", domains=domains)
    assert span(held.solve("b", y=f"{low}..1", d=0)) == (float(low), 1)
