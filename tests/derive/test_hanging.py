"""No question hangs: the reply to whatever is asked of the built-in library takes no more calls than fit in a second.

Calls are counted, since they do not depend on the machine or on what else runs on it; seconds are for the benchmark.

The long run asks as many as one has patience for: `DERIVE_QUESTIONS=10000 pytest -m long --override-ini addopts=
tests/derive/test_hanging.py`.
"""

from __future__ import annotations

import cProfile
import itertools
import os
import random

import pytest

import derive
from derive.planning.incidence import structure_of
from tests.benchmarks.dispersion import asked, dispersion, drawn, measured
from tests.derive.states import LIBRARY, Asked, ends, state

LONG = int(os.environ.get("DERIVE_QUESTIONS", "2000"))
MOST_CALLS = 8_000_000


def calls_of(question: Asked) -> int:
    """How many functions are called for the reply to a question."""
    profile = cProfile.Profile()
    profile.runcall(asked, question)
    return sum(entry.callcount for entry in profile.getstats())


def slow(questions) -> list[str]:
    counted = [(calls_of(question), question) for question in questions]
    return [f"{calls:,} calls: {question}" for calls, question in counted if calls > MOST_CALLS]


def zeros() -> list[Asked]:
    """For every quantity that can be zero a question about what follows from it."""
    found = []
    for name in LIBRARY.declared:
        held = [r for r in LIBRARY.holders.get(name, ()) if structure_of(LIBRARY).forward.get(r, name) != name]
        if 0.0 in LIBRARY.declared[name].domain and held:
            target = structure_of(LIBRARY).forward[random.Random(name).choice(held)]
            numbers = state(len(found) % 50)
            given = {one: numbers[one] for one in ends(target, random.Random(name), 1) if one in numbers}
            found += [Asked(target, (), {**given, name: 0.0}, "zero"), Asked(target, (), {name: 0.0}, "zero alone")]
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("number", [30, pytest.param(200, marks=pytest.mark.long)])
def test_no_random_question_takes_too_many_calls(number):
    assert not slow(itertools.islice(drawn(), number))


@pytest.mark.thorough
@pytest.mark.parametrize("share", [18, pytest.param(3, marks=pytest.mark.long)])
def test_no_question_with_a_zero_takes_too_many_calls(share):
    questions = zeros()
    assert len(questions) > 100
    assert not slow(questions[::share])


def test_a_zero_that_makes_a_root_vanish_is_learned_once():
    assert derive.solve("kv_bytes_per_sequence", context="0 token/sequence").value.magnitude == 0


def test_a_default_yields_to_what_fixes_its_quantity():
    served = {"chips": "64 chip"}
    answer = derive.solve("batch", "deepseek-v3", "h100-sxm:fp8", weight_time="2 ms", **served)
    back = derive.solve("weight_time", "deepseek-v3", "h100-sxm:fp8", batch=answer.value, **served)
    assert back.value.to("ms").magnitude == pytest.approx(2)


@pytest.mark.long
def test_the_distribution_keeps_its_bars():
    found = dispersion(measured(LONG))
    assert not found.faults, str(found)
