"""A value that only stands in: used where its own relations lead nowhere, and never run backwards through them."""

from __future__ import annotations

import pytest

import derive
from derive import Library, Quantity, relate
from quantities.value import otherwise
from tests.derive.statements import number

share = Quantity("share", "", domain="0..1", default=otherwise("1"))
part = Quantity("part", "", domain="0..1", default=otherwise("0.5"))
items, size, bytes_read, time, speed = (Quantity(name, "") for name in ("items", "size", "bytes_read", "time", "speed"))

READING = Library(
    [
        relate("share", share, 1 - 0.5**items),
        relate("part", part, speed / 10),
        relate("bytes_read", bytes_read, share * size),
        relate("time", time, bytes_read + part * items),
    ]
)


def test_it_stands_in_where_its_relations_lead_nowhere():
    assert number(READING.solve("bytes_read", size=8)) == 8


def test_what_its_relations_lead_to_takes_its_place_without_a_word():
    answer = READING.solve("bytes_read", size=8, items=1)
    assert number(answer) == 4
    assert not answer.checks


def test_it_is_never_run_backwards_through_them():
    with pytest.raises(derive.UnderdeterminedError, match="items"):
        READING.solve("time", size=8)


def test_what_is_solved_together_with_its_relations_counts_as_led_to():
    time_of_three = 8 * (1 - 0.5**3) + 0.5 * 3
    assert number(READING.solve("items", size=8, time=time_of_three)) == pytest.approx(3)
    assert number(READING.solve("share", size=8, time=time_of_three)) == pytest.approx(1 - 0.5**3)
