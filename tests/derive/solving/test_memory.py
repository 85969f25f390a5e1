"""What a question leaves behind is freed at once: none of it waits for the collector of garbage."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from derive.errors import DeriveError
from derive.planning.incidence import Structure
from derive.planning.plan import Plan
from derive.solving.execution.conditional_relations import Decisions
from derive.solving.execution.question import Question
from tests.derive.states import LIBRARY, Asked, ends, state
from tests.ordinary import every

LARGE = Question, Decisions, Structure, Plan, BaseException
"""Kinds of objects that hold all that was found for a question."""


@contextmanager
def garbage() -> Iterator[list[object]]:
    """A list that has, after the block, each object that the block left to the collector of garbage."""
    left: list[object] = []
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield left
        gc.collect()
    finally:
        gc.set_debug(0)
        left += gc.garbage
        gc.garbage.clear()


def ask(asked: Asked) -> None:
    with suppress(DeriveError):
        LIBRARY.solve_all(asked.target, *asked.profiles, **asked.stated)


def questions(seed: int) -> Iterator[Asked]:
    """A random question forwards, one of its givens asked back, and one that contradicts what is stated."""
    draw = random.Random(seed)
    numbers = state(seed % 8)
    targets = sorted(name for name in LIBRARY.declared if name in numbers and ends(name, random.Random(0), 1))
    target = draw.choice(targets)
    given = {name: numbers[name] for name in ends(target, draw) if name in numbers and name != target}
    if not given:
        return
    yield Asked(target, (), given)
    name = draw.choice(sorted(given))
    others = {other: number for other, number in given.items() if other != name}
    yield Asked(name, (), {**others, target: numbers[target]})
    yield Asked(name, (), {**given, target: 2 * numbers[target]})


@pytest.mark.thorough
@every("seed", range(120), ordinary=120, thorough=120)
def test_a_question_leaves_nothing_large_to_the_collector_of_garbage(seed):
    for asked in questions(seed):
        ask(asked)  # what it keeps in caches may replace what others left there
        with garbage() as left:
            ask(asked)
        assert not [thing for thing in left if isinstance(thing, LARGE)], asked
