"""What yields to what: the order in which weak values enter, and what is never ignored."""

from __future__ import annotations

import pytest

import derive
from derive import NoSolutionError, UnderdeterminedError, UnknownNameError
from tests.derive.statements import bare, library, number

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
    with pytest.raises(UnknownNameError, match=r'Profiles come before the givens, .* solve\(target, "chip", ...\)'):
        TRAINING.solve("hours", hardware="chip", use=0.5)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("h100-smx:fp8", "h100-sxm:fp8"), ("nvidia h100", "h100-sxm"), ("H100_SXM", "h100-sxm"), ("kimi", "kimi-k2")],
)
def test_a_misspelt_profile_is_answered_with_its_like(written, meant):
    with pytest.raises(UnknownNameError) as caught:
        derive.solve("step_time", written)
    assert caught.value.suggestions[0] == meant


CACHE = {
    "values": {"share": "1"},
    "profiles": {"model": {"layers": "80", "element": "2", "cache": "160", "memory": "1000"}},
}


def cache(when: str) -> derive.Library:
    relation = {"equation": "cache = layers*element/share", "when": [when]}
    return bare("layers element share cache memory batch kind", relation, "batch = memory/cache", **CACHE)


def test_what_a_profile_states_counts_before_what_follows_from_it_by_a_default():
    answer = cache("kind > 0.5").solve("batch", "model")
    assert (number(answer), [step.relation for step in answer.steps]) == (6.25, ["r2"])


@pytest.mark.parametrize("when", ["kind > 0.5", "layers > 10"])
def test_what_follows_from_a_value_that_the_asker_changed_is_out_of_date(when):
    answer = cache(when).solve("batch", "model", element="1")
    assert number(answer) == 12.5
    assert [(check.name, check.passed) for check in answer.checks] == [("cache", False)]


def test_a_value_that_is_typed_as_the_profile_has_it_changes_nothing():
    assert [step.relation for step in cache("kind > 0.5").solve("batch", "model", element="2").steps] == ["r2"]


def test_what_does_not_follow_from_what_was_changed_stays():
    answer = cache("kind > 0.5").solve("batch", "model", memory="2000")
    assert (number(answer), [step.relation for step in answer.steps]) == (12.5, ["r2"])


def test_what_is_out_of_date_is_not_used_where_nothing_else_gives_it():
    with pytest.raises(UnderdeterminedError):
        cache("layers < 10").solve("batch", "model", element="1")
