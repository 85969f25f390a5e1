"""Verdicts by rule, on a circuit that can be worked out with a pencil."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.audit.claim import BEARING, Impossibility, Independence, Scene, Statement, compared
from derive.audit.verdicts import Verdict, conflicts, judge, worst_first
from derive.errors import UnderdeterminedError, UnitError
from quantities.value import read_value
from tests.derive.audit.circuits import CIRCUIT
from tests.derive.audit.written import about, ask, at_least, between, claim, clause, less_than, more_than, reading, said


def judged(*readings):
    """A claim of one clause with these readings."""
    return judge(CIRCUIT, claim("X", "a claim", clause("a clause", *readings)))


def alone(question, criterion, **more):
    return judged(reading("so", question, criterion, **more)).judgements[0]


LAMP = ask("current", "lamp")  # 12 V / 24 ohm = 0.5 A


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [
        ("0.5 A", Verdict.REPRODUCED),
        ("500 mA", Verdict.REPRODUCED),
        ("0.6 A", Verdict.ROUNDED),
        ("0.625 A", Verdict.ROUNDED),
        ("0.4 A", Verdict.ROUNDED),
        ("0.63 A", Verdict.CONTRADICTED),
        ("0.39 A", Verdict.CONTRADICTED),
    ],
)
def test_a_spoken_number_bears_a_factor_either_way(stated, verdict):
    assert alone(LAMP, about(stated)).verdict is verdict


@given(st.floats(1e-6, 1e6), st.floats(1e-3, 1e3))
def test_the_margin_is_the_same_either_way(one, ratio):
    other = one * ratio
    there, back = (compared(about(""), read_value(f"{x!r}"), y) for x, y in ((one, other), (other, one)))
    assert there.off == pytest.approx(back.off)
    assert there.holds == back.holds or math.isclose(there.off, BEARING, rel_tol=1e-6) or there.exactly or back.exactly


def test_a_factor_of_one_and_a_quarter_is_the_edge():
    assert [compared(about(""), read_value("300"), x).holds for x in (239.9, 240, 375, 375.1)] == [
        False,
        True,
        True,
        False,
    ]


def test_the_ratio_is_the_claim_over_what_is_computed():
    assert alone(LAMP, about("0.6 A")).weighed.result.ratio == pytest.approx(1.2)
    assert alone(LAMP, about("0.6 A")).why == "0.5 A, so that 0.6 A is 20 % more"


@given(st.floats(1e-6, 1e6), st.floats(0.1, 10))
def test_number_range_and_bound_agree_about_in_and_out(computed, ratio):
    claimed = computed * ratio
    number = compared(about("1"), read_value(f"{claimed!r}"), computed)
    assert number.holds == (0.8 <= ratio <= 1.25) or math.isclose(abs(math.log(ratio)), math.log(1.25), rel_tol=1e-6)
    bound = compared(at_least("1"), read_value(f"{claimed!r}"), computed)
    assert bound.holds == (claimed <= computed * (1 + 1e-8)) or math.isclose(ratio, 1, rel_tol=1e-6)


def test_a_range_has_said_already_how_far_it_bears():
    assert alone(LAMP, between("0.4..0.6 A")).verdict is Verdict.REPRODUCED
    assert alone(LAMP, between("0.51..0.6 A")).verdict is Verdict.CONTRADICTED


def test_a_strict_bound_leaves_out_its_end():
    assert alone(LAMP, at_least("0.5 A")).verdict is Verdict.REPRODUCED
    assert alone(LAMP, more_than("0.5 A")).verdict is Verdict.CONTRADICTED
    assert alone(LAMP, less_than("0.5 A")).verdict is Verdict.CONTRADICTED


def test_a_bound_may_be_asked_for_as_well():
    brighter = alone(LAMP, at_least(ask("current", resistance="6 ohm", voltage="6 V")))
    assert brighter.verdict is Verdict.CONTRADICTED
    assert len(brighter.weighed.answers) == 2
    assert "at least 1 A (current, resistance = 6 ohm, voltage = 6 V)" in brighter.why


def test_a_failing_reading_holds_if_what_the_claim_leaves_open_lies_otherwise():
    within = alone(LAMP, about("2 A"), leaves_open={"resistance": "5..30 ohm"}, may_change=["voltage"])
    assert within.verdict is Verdict.HOLDS_IF
    assert within.change.path == "resistance"
    assert within.change.answer.to("ohm").magnitude == pytest.approx(6)
    beyond = alone(LAMP, about("2 A"), leaves_open={"resistance": "10..30 ohm"}, may_change=["voltage"])
    assert beyond.verdict is Verdict.CONTRADICTED
    assert [(change.path, round(change.ratio, 6)) for change in beyond.changes] == [
        ("resistance", 0.25),
        ("voltage", 4),
    ]


def test_what_sources_disagree_about_is_open_too():
    heater = ask("current", "heater")  # 230 V / 25 ohm = 9.2 A, and up to 23 A
    assert alone(heater, about("20 A"), may_change=["resistance"]).verdict is Verdict.HOLDS_IF
    assert alone(heater, about("40 A"), may_change=["resistance"]).verdict is Verdict.CONTRADICTED


def test_the_smallest_change_has_the_smallest_ratio_either_way():
    squared = alone(
        ask("power", "lamp", current="2 A", voltage="12 V"), about("96 W"), may_change=["voltage", "current"]
    )
    assert [round(change.size, 6) for change in squared.changes] == [round(math.log(4), 6)] * 2
    joule = ask("power", voltage=ask("voltage", current="2 A", resistance="3 ohm"), current="2 A")
    inner = alone(joule, about("48 W"), may_change=["voltage/resistance", "current"])
    assert str(inner.changes[0]) == "voltage, resistance = 12 ohm, 4 times the stated"
    assert {change.path: round(change.ratio, 6) for change in inner.changes} == {"voltage/resistance": 4, "current": 4}


def test_what_cannot_be_is_what_the_library_refuses():
    assert alone(ask("loss", efficiency="1.2"), Impossibility()).verdict is not Verdict.REPRODUCED  # outside its domain
    clash = ask("current", voltage="1 V", current="2 A", resistance="3 ohm")
    assert alone(clash, Impossibility()).verdict is Verdict.REPRODUCED
    assert alone(LAMP, Impossibility()).verdict is Verdict.CONTRADICTED


def test_a_closed_form_shows_what_plays_no_part():
    power = ask("power", voltage="3 V", current="2 A", loss="0.5")
    assert alone(power, Independence(("loss", "resistance"))).verdict is Verdict.REPRODUCED
    assert alone(power, Independence(("current",))).verdict is Verdict.CONTRADICTED


def test_a_response_is_judged_as_a_number_is():
    power = ask("power", voltage="3 V", resistance="2 ohm")  # U^2/R
    assert alone(power, about("2"), response_to=["voltage"]).verdict is Verdict.REPRODUCED
    assert alone(power, about("1"), response_to=["voltage", "resistance"]).verdict is Verdict.REPRODUCED
    assert alone(power, less_than("0"), response_to=["voltage"]).verdict is Verdict.CONTRADICTED


def test_a_statement_is_judged_by_its_units():
    sound = judged(reading("so", Statement("power = current**2*resistance")))
    assert sound.verdict is Verdict.REPRODUCED
    unsound = judged(reading("so", Statement("ratio = voltage/current", (("ratio", "1"),))))
    assert unsound.verdict is Verdict.CONTRADICTED
    assert "left is a number" in unsound.why


RIGHT = reading("right", LAMP, about("0.5 A"))
NEAR = reading("near", LAMP, about("0.55 A"))
WRONG = reading("wrong", LAMP, about("5 A"))
OPEN = reading("open", LAMP, about("1 A"), leaves_open={"voltage": "1..100 V"})


@pytest.mark.parametrize(
    ("readings", "verdict"),
    [
        ([RIGHT, RIGHT], Verdict.REPRODUCED),
        ([RIGHT, WRONG], Verdict.REPRODUCED),
        ([NEAR, OPEN], Verdict.ROUNDED),
        ([OPEN, RIGHT], Verdict.HOLDS_IF),
        ([WRONG, RIGHT], Verdict.CONTRADICTED),
    ],
)
def test_a_clause_follows_from_its_first_reading_alone(readings, verdict):
    found = judged(*readings)
    assert found.verdict is verdict
    assert [ruling.verdict for ruling in found.clauses[0].rulings] == [judged(one).verdict for one in readings]


def test_a_claim_is_as_good_as_the_worst_of_its_clauses():
    parts = claim("X", "a claim", clause("a", RIGHT), clause("b", WRONG), clause("c", NEAR))
    found = judge(CIRCUIT, parts)
    assert found.verdict is Verdict.CONTRADICTED
    assert found.why.startswith("b: 0.5 A, not 5 A")
    assert found.why.endswith("(2 of 3 parts hold)")


def test_each_asks_with_every_profile_that_states_what_is_named():
    found = judged(reading("", ask("current"), about("0.5 A"), each=("voltage", "resistance")))
    assert [judgement.words for judgement in found.judgements] == ["lamp", "heater"]
    assert found.verdict is Verdict.CONTRADICTED  # a heater has 9.2 A
    assert found.why == "1 of 2 hold; heater: 9.2 A, not 0.5 A"


def test_what_is_usual_need_hold_of_a_share_only():
    def usual(share):
        return judged(reading("", ask("current"), about("0.5 A"), each=("voltage", "resistance"), share=share))

    assert usual(0.5).verdict is Verdict.REPRODUCED
    assert usual(0.51).verdict is Verdict.CONTRADICTED
    assert usual(0.5).decides.words == "lamp"


def test_a_reading_of_profiles_that_do_not_exist_is_an_error_and_no_verdict():
    with pytest.raises(UnderdeterminedError, match="no profile states loss"):
        judged(reading("", ask("current"), about("0.5 A"), each=("loss",)))


def test_the_worst_claims_come_first_and_those_that_fail_in_kind_before_all():
    falls = reading("falls", LAMP, less_than("0"), response_to=["voltage"])
    claims = [claim(one.words, "", clause("", one)) for one in (RIGHT, WRONG, OPEN, falls, NEAR)]
    ordered = worst_first(judge(CIRCUIT, one) for one in claims)
    assert [one.claim.name for one in ordered] == ["falls", "wrong", "open", "near", "right"]
    assert [one.off for one in ordered] == pytest.approx([math.inf, 10, 2, 1.1, 1])


def test_a_claim_in_another_dimension_is_an_error_and_no_verdict():
    with pytest.raises(UnitError):
        alone(LAMP, about("5 V"))


def test_the_reading_that_decides_is_the_one_that_the_reason_ends_on():
    near, far = reading("near", LAMP, about("0.6 A")), reading("far", LAMP, about("3 A"))
    parts = judge(CIRCUIT, claim("X", "", clause("a", near, far), clause("b", far), clause("c", far, near)))
    assert parts.decides.words == "far"
    assert parts.worst.clause.words == "b"  # of equal ones the first
    assert parts.reading == "b: far"
    assert judged(near, far).decides.words == "near"


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
