"""What yields to what: the order in which weak values enter, and what is never ignored."""

from __future__ import annotations

import pytest

import derive
from derive import NoSolutionError, UnknownNameError
from tests.derive.statements import library, number

TRAINING = library(
    {"peak": "", "use": "", "work": "", "hours": "", "units": "", "clock": ""},
    {"name": "hours", "equation": "hours = work/(peak*use)"},
    {"name": "peak", "equation": "peak = units*clock"},
    profiles={"chip": {"peak": "10"}, "run": {"work": "100", "hours": "25"}},
)


@pytest.mark.parametrize("profiles", [("chip", "run"), ("run", "chip")])
def test_a_fact_that_follows_from_the_rest_yields_to_facts_that_do_not(profiles):
    answer = TRAINING.solve("hours", *profiles, use=0.5)
    assert number(answer) == 20
    assert [(check.name, check.passed) for check in answer.checks] == [("hours", False)]
    clock = TRAINING.solve("clock", *profiles, use=0.5, units=2)
    assert number(clock) == 5
    assert not any(name == "hours" for name in clock.given)


@pytest.mark.parametrize("profiles", [("chip", "run"), ("run", "chip")])
def test_a_fact_that_does_not_follow_is_used(profiles):
    assert number(TRAINING.solve("use", *profiles)) == pytest.approx(0.4)


def test_the_published_hours_of_a_run_do_not_decide_what_its_chips_can_do():
    answer = derive.solve(
        "hardware_ratio", "h100-sxm:bf16", "llama3-1-405b", training_chips="16384 chip", training_mfu=0.4
    )
    assert [step.relation for step in answer.steps] == ["hardware_ratio"]
    assert {check.name for check in answer.checks if not check.passed} <= {"training_chip_time"}


def test_what_strong_values_fix_is_not_for_weak_ones_to_deny():
    sums = library(
        dict.fromkeys(("a", "b", "total", "double"), ""), "total = a + b", "double = 2*(a + b)", values={"a": "5"}
    )
    assert number(sums.solve("double", total=3)) == 6
    assert number(sums.solve("b", total=7)) == 2
    with pytest.raises(NoSolutionError):
        sums.solve("b", total=3)


def test_a_weak_value_that_no_value_of_its_kind_could_replace_is_told():
    parts = library(
        dict.fromkeys(("whole", "left", "size", "share", "factor"), ""),
        "whole = left + share",
        "share = 1 - size*factor",
        values={"factor": "0.5"},
        profiles={"p": {"left": "1", "size": "1"}},
    )
    answer = parts.solve("share", "p", whole=3)
    assert number(answer) == 2
    assert [(check.name, check.passed) for check in answer.checks] == [("factor", False)]
    assert "no value fits here" in answer.checks[0].statement


def test_a_profile_under_the_name_of_a_quantity_is_told_where_to_stand():
    with pytest.raises(UnknownNameError, match=r'Profiles stand before the givens .* solve\(target, "chip", ...\)'):
        TRAINING.solve("hours", hardware="chip", use=0.5)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("h100-smx:fp8", "h100-sxm:fp8"), ("nvidia h100", "h100-sxm"), ("H100_SXM", "h100-sxm"), ("kimi", "kimi-k2")],
)
def test_a_misspelt_profile_is_answered_with_its_like(written, meant):
    with pytest.raises(UnknownNameError) as caught:
        derive.solve("step_time", written)
    assert caught.value.suggestions[0] == meant
