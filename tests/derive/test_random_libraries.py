"""Whatever is asked of a library with a hidden solution: the hidden number, or a refusal that is right.

The long run asks as many libraries as one has patience for, in batches, each of which is a test of its own:

    DERIVE_SEEDS=100000..300000 pytest -m long --override-ini addopts= -v tests/derive/test_random_libraries.py

A failure names the library, the target and the givens in words that can be pasted.
"""

from __future__ import annotations

import itertools
import math
import os
import random
from collections.abc import Iterator

import pytest

import derive
from derive import LimitError, UnderdeterminedError
from derive.expressions.tree import Apply, walk
from tests.derive.random_libraries import Hidden, hidden, is_fixed
from tests.ordinary import every

SHORT, BATCH = 60, 20
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..6000").split(".."))


def questions(seed: int, count: int = 2) -> Iterator[tuple[Hidden, str, set[str]]]:
    """A library, targets, and what is given of the rest: most of it or little."""
    case = hidden(seed)
    draw = random.Random(f"questions {seed}")
    names = [name for name in case.numbers if name not in case.factors]
    for _ in range(count):
        target = draw.choice([*names, *names, *case.factors])
        others = [name for name in names if name != target]
        given = {*draw.sample(others, draw.randint(0, len(others))), *case.factors} - {target}
        yield case, target, given


def verdict(case: Hidden, target: str, given: set[str]) -> str:
    """What is wrong with the reply, in words; nothing, if nothing is."""
    numbers = {name: case.numbers[name] for name in given}
    try:
        with derive.limits(seconds=1):
            answers = case.library.solve_all(target, **numbers)
    except LimitError:
        return ""
    except UnderdeterminedError as error:
        fixed = is_fixed(case, given, target) is True and not _chooses(case)
        return f"refused, though fixed: {error}" if fixed else ""
    except derive.DeriveError as error:
        return f"{type(error).__name__}: {error}"
    if any(_holds(answer, case.numbers[target]) for answer in answers):
        return ""
    if any("not proved" in note for answer in answers for note in answer.assumptions):
        return ""
    return f"hidden {case.numbers[target]!r} is not among {[answer.value or answer.bounds for answer in answers]}"


def _holds(answer: derive.Answer, number: float) -> bool:
    if answer.value is None:
        low, high = answer.bounds
        return low * (1 - 1e-6) <= number <= high * (1 + 1e-6)
    return math.isclose(answer.value.magnitude, number, rel_tol=1e-6)


def _chooses(case: Hidden) -> bool:
    return any(
        isinstance(part, Apply) and part.op in ("max", "min", "piecewise")
        for relation in case.library.relations.values()
        for side in (relation.written.lhs, relation.written.rhs)
        for part in walk(side)
    )


def failures(seeds: range) -> list[str]:
    return [
        f"hidden({seed}).library.solve_all({target!r}, given={sorted(given)}): {wrong}"
        for seed in seeds
        for case, target, given in questions(seed)
        if (wrong := verdict(case, target, given))
    ]


@every("start", range(0, SHORT, BATCH), ordinary=3)
def test_the_hidden_number_is_found_or_rightly_refused(start):
    assert not failures(range(start, start + BATCH))


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_the_hidden_number_is_found_or_rightly_refused_in_the_long_run(start):
    assert not failures(range(start, min(start + BATCH, LAST)))


def test_the_questions_are_the_same_every_time():
    def first() -> list[tuple[str, list[str]]]:
        return [(target, sorted(given)) for _, target, given in itertools.islice(questions(7), 3)]

    assert first() == first()
