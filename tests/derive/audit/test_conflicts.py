"""Claims that cannot hold together."""

from __future__ import annotations

import pytest

from derive.audit.claim import Scene
from derive.audit.conflicts import conflicts
from tests.derive.audit.circuits import CIRCUIT
from tests.derive.audit.written import said


def found(*assertions):
    return conflicts(CIRCUIT, [Scene("a circuit", (), assertions)])


def test_three_claims_about_one_circuit_conflict_by_what_they_miss():
    (one,) = found(*said("A", voltage="12 V"), *said("B", current="3 A"), *said("C", resistance="1 ohm"))
    assert one.claims == ("A", "B", "C")
    assert one.factor == pytest.approx(4)  # 12 V over 3 A x 1 ohm
    assert any("ohm" in part for part in one.error.conflicts)


def test_claims_that_spoken_numbers_can_bridge_do_not_conflict():
    assert found(*said("A", voltage="12 V"), *said("B", current="3 A"), *said("C", resistance="3.6 ohm")) == ()


def test_printed_numbers_have_no_room():
    assert found(*said("A", True, voltage="12 V", current="3 A"), *said("B", True, resistance="3.9 ohm")) != ()


def test_two_words_on_one_quantity_conflict():
    (one,) = found(*said("A", voltage="12 V"), *said("B", voltage="24 V"))
    assert one.claims == ("A", "B")
    assert found(*said("A", voltage="12 V"), *said("B", voltage="13 V")) == ()


def test_every_smallest_set_is_found_and_no_larger_one():
    together = (
        *said("A", voltage="12 V"),
        *said("B", current="3 A"),
        *said("C", resistance="1 ohm"),
        *said("D", power="1000 W"),
        *said("E", efficiency="0.9"),
    )
    sets = {tuple(one.claim for one in conflict.assertions) for conflict in found(*together)}
    assert sets == {("A", "B", "C"), ("A", "B", "D"), ("A", "C", "D"), ("B", "C", "D")}


def test_a_single_claim_conflicts_with_nothing():
    assert found(*said("A", voltage="12 V")) == ()
