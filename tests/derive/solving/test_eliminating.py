"""What cancels is eliminated; what is only too small to be seen is not."""

from __future__ import annotations

import pytest

import derive
from derive.errors import UnderdeterminedError
from tests.derive.statements import bare, library, number

UPGRADE = library(
    {"before": "FLOP/s", "after": "FLOP/s", "ratio": "", "saving": ""},
    "ratio = after/before",
    "saving = 1 - 1/ratio",
)


def test_a_term_too_small_to_be_seen_beside_another_does_not_cancel():
    with pytest.raises(UnderdeterminedError, match="before"):
        UPGRADE.solve("saving", after="2 PFLOP/s")


def test_nor_does_it_where_there_is_no_closed_form():
    with pytest.raises(UnderdeterminedError):
        bare("x y n", "x**5 + x + n = 1e20", "y = x + 1").solve("y")


def test_a_mass_cancels_from_a_collision():
    collision = library(
        {"m": "kg", "u": "m/s", "v": "m/s", "w": "m/s"},
        "m*u = m*v + 3*m*w",
        "m*u**2 = m*v**2 + 3*m*w**2",
        domains={"v": "real", "w": "0.1..100 m/s"},
    )
    answer = collision.solve("w", u="4 m/s")
    assert number(answer) == pytest.approx(2)
    assert any("m cancels" in note for note in answer.assumptions)


def test_a_voltage_cancels_from_a_bridge():
    bridge = bare("V a b c d left right", "left = V*b/(a + b)", "right = V*d/(c + d)", "left = right")
    assert number(bridge.solve("d", a=1, b=2, c=3)) == pytest.approx(6)


def test_what_plays_no_part_at_the_numbers_cancels():
    share = bare("stages pieces share", "share = (stages - 1)/pieces", domains={"share": "nonnegative"})
    assert number(share.solve("share", stages=1)) == 0
    with pytest.raises(UnderdeterminedError):
        share.solve("share", stages=2)


def test_a_range_that_cancels_leaves_no_width():
    gain = bare(
        "price alone together gain", "alone = price*(3 + 5)", "together = price*(3 + 5/4)", "gain = alone/together"
    )
    answer = gain.solve("gain", price="1..12")
    assert number(answer) == pytest.approx(8 / 4.25)
    assert float(answer.low.magnitude) == float(answer.high.magnitude)


def test_the_built_in_library_knows_no_saving_without_a_baseline():
    with pytest.raises(UnderdeterminedError):
        derive.solve("upgrade_saving", "h100-sxm:fp8")
