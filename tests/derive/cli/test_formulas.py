"""`derive formula` and `derive reach`: what follows from names alone; and the same with profiles in Python."""

from __future__ import annotations

import json

import numpy
import pytest

import derive
from tests.derive.terminal import ask

CHIP, MODEL = "h100-sxm:fp8", "llama3-70b"
AT = {"batch": 64.0, "context": 8000.0, "chips": 8.0}


def test_a_formula_is_printed_with_its_units():
    lines = ask("formula", "drain_time", "hbm_capacity", "hbm_bandwidth").out.splitlines()
    assert lines[0] == "drain_time = hbm_capacity/hbm_bandwidth"
    assert [line.split()[:2] for line in lines[2:]] == [
        ["quantity", "in"],
        ["drain_time", "s"],
        ["hbm_capacity", "byte/chip"],
        ["hbm_bandwidth", "byte/s/chip"],
    ]


def test_a_formula_of_an_expression_and_in_other_forms():
    assert ask("formula", "2*drain_time", "hbm_capacity", "hbm_bandwidth").out.startswith(
        "asked_2_times_drain_time = 2*hbm_capacity/hbm_bandwidth\n"
    )
    data = json.loads(ask("formula", "drain_time", "hbm_capacity", "hbm_bandwidth", "--json").out)
    assert data["formula"] == "hbm_capacity/hbm_bandwidth"
    assert data["units"]["drain_time"] == "s"
    assert r"\frac" in ask("formula", "drain_time", "hbm_capacity", "hbm_bandwidth", "--latex").out


def test_what_has_no_formula_is_refused_in_words():
    said = ask("formula", "step_time", "batch")
    assert (said.status, said.out) == (1, "")
    assert "not determined" in said.err


def test_the_printed_formula_is_the_answer():
    """Its text, read again, comes to what the solver says, at the numbers of the profiles."""
    from derive.expressions.grammar import parse_expression
    from derive.numerics.algebra.evaluation import value

    data = json.loads(ask("formula", "step_time", *AT, "--with", CHIP, "--with", MODEL, "--json").out)
    answer = derive.solve("step_time", CHIP, MODEL, chips="8 chip", batch="64 sequence", context="8000 token/sequence")
    numbers = {name: one.base[1] for name, one in answer.given.items()}
    assert value(parse_expression(data["formula"]), numbers) == pytest.approx(answer.base, rel=1e-12)


@pytest.mark.parametrize("target", ["step_time", "cost_per_token", "weight_bytes/chips", "user_speed", "kv_share"])
def test_a_function_with_profiles_is_the_solver(target):
    function = derive.compile(target, list(AT), profiles=[CHIP, MODEL])
    answer = derive.solve(target, CHIP, MODEL, chips="8 chip", batch="64 sequence", context="8000 token/sequence")
    assert function(**AT) == pytest.approx(answer.value.magnitude, rel=1e-12)
    column = function(**{**AT, "batch": numpy.array([1.0, 64.0])})
    assert column[1] == pytest.approx(answer.value.magnitude, rel=1e-12)
    with pytest.raises(derive.UnknownNameError, match="hbm_bandwidth"):
        function(**AT, hbm_bandwidth=1.0)


def test_what_is_given_counts_more_than_a_profile():
    function = derive.compile("weight_bytes", ["total_parameters"], profiles=MODEL)
    assert function(total_parameters=1e9) == pytest.approx(2e9)


@pytest.mark.long
def test_reach_lists_what_is_determined_in_the_order_of_the_library():
    listed = json.loads(ask("reach", "hbm_capacity", "hbm_bandwidth", "--json").out)
    assert "drain_time" in listed["determined"]
    assert set(listed["determined"]) == derive.reach(["hbm_capacity", "hbm_bandwidth"])
    assert "drain_time" in ask("reach", "--with", "h100-sxm").out
    assert "drain_time" not in ask("reach").out
    assert ask("reach", "hbm_capacty").status == 2


@pytest.mark.parametrize("verb", ["formula", "reach", "sample"])
def test_the_help_shows_an_example(verb):
    said = ask(verb, "-h")
    assert (said.status, said.err) == (0, "")
    assert f"Example:  derive {verb} " in said.out
