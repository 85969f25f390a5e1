"""Relations by case, against all solutions found forwards: none is missing, none is too many, none is denied.

The long run: DERIVE_SEEDS=100000..110000 pytest -m long --override-ini addopts= -v tests/derive/test_random_cases.py
"""

from __future__ import annotations

import math
import os
import random

import pytest

import derive
from derive import LimitError, UnderdeterminedError
from tests.derive.random_cases import Cased, cased, hidden, solutions
from tests.ordinary import every

SHORT, BATCH = 30, 15
OPEN = ("not proved", ", nothing determines", "assumed to apply")  # by which an answer says that there may be others
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..6000").split(".."))


def covers(answer: derive.Answer, number: float) -> bool:
    if answer.value is None:
        low, high = answer.low.magnitude, answer.high.magnitude
        return low - 1e-6 * abs(low) <= number <= high + 1e-6 * abs(high)
    return math.isclose(answer.value.magnitude, number, rel_tol=1e-6, abs_tol=1e-9)


def told(answers: tuple[derive.Answer, ...]) -> list[str]:
    return [str(answer.bounds if answer.value is None else answer.value) for answer in answers]


def along_a_base(seed: int) -> str:
    """What is wrong where all bases but one are given, and something that follows; nothing, if nothing is."""
    draw = random.Random(f"along {seed}")
    case = cased(seed)
    numbers = hidden(case, draw)
    if numbers is None:
        return ""
    free = draw.choice(case.bases)
    known = draw.sample(list(case.arms), draw.randint(1, len(case.arms)))
    given = {name: numbers[name] for name in (*case.bases, *known) if name != free}
    target = draw.choice([free, *(name for name in case.arms if name not in given)])
    every = [numbers, *solutions(case, free, given)]
    said = f"cased({seed}).library.solve_all({target!r}, **{given!r})"
    try:
        with derive.limits(seconds=5):
            answers = case.library.solve_all(target, **given)
    except (LimitError, UnderdeterminedError):
        return ""
    except derive.DeriveError as error:
        return f"{said}: {type(error).__name__}: {error}"
    notes = " ".join(note for answer in answers for note in answer.assumptions)
    if any(said in notes for said in OPEN):
        every = []
    for one in every:
        if not any(covers(answer, one[target]) for answer in answers):
            return f"{said}: {one[target]!r} is missing beside {told(answers)}"
    return next(
        (f"{said}: {wrong}" for answer in answers if (wrong := too_many(case, free, given, target, answer))), ""
    )


def too_many(case: Cased, free: str, given: dict[str, float], target: str, answer: derive.Answer) -> str:
    """What is wrong with an answer for the free base itself, which is easily put back."""
    if target != free:
        return ""
    if answer.value is not None:
        points = [answer.value.magnitude]
    else:
        low, high = (min(max(end.magnitude, -1e6), 1e6) for end in (answer.low, answer.high))
        points = [low + (high - low) * share for share in (0.05, 0.47, 0.95)]  # and not zero, which alone may be out
    if any("enclosure" in note for note in answer.assumptions):
        return ""
    for x in points:
        around = [case.forwards({**given, free: x * (1 + step)}) for step in (0.0, 1e-12, -1e-12)]
        if not any(
            one and all(math.isclose(one[n], given[n], rel_tol=1e-6, abs_tol=1e-9) for n in given) for one in around
        ):
            return f"{x!r} is no solution"
    return ""


def anything(seed: int) -> str:
    """What is wrong where any of the numbers are given: the hidden one is covered, or honestly open."""
    draw = random.Random(f"anything {seed}")
    case = cased(seed)
    numbers = hidden(case, draw)
    if numbers is None:
        return ""
    target = draw.choice(list(numbers))
    others = [name for name in numbers if name != target]
    given = {name: numbers[name] for name in draw.sample(others, draw.randint(0, len(others)))}
    said = f"cased({seed}).library.solve_all({target!r}, **{given!r})"
    try:
        with derive.limits(seconds=5):
            answers = case.library.solve_all(target, **given)
    except (LimitError, UnderdeterminedError):
        return ""
    except derive.DeriveError as error:
        return f"{said}: {type(error).__name__}: {error}"
    if any(covers(answer, numbers[target]) for answer in answers):
        return ""
    notes = " ".join(note for answer in answers for note in answer.assumptions)
    if any(said in notes for said in OPEN):
        return ""
    return f"{said}: {numbers[target]!r} is missing beside {told(answers)}"


def failures(seeds: range) -> list[str]:
    return [wrong for seed in seeds for wrong in (along_a_base(seed), anything(seed)) if wrong]


@pytest.mark.thorough
@every("start", range(0, SHORT, BATCH), ordinary=2)
def test_every_case_is_followed_and_none_is_invented(start):
    assert not failures(range(start, start + BATCH))


@pytest.mark.parametrize("seed", [296, 853, 1560])
def test_every_case_is_followed_where_one_was_once_lost(seed):
    assert not failures(range(seed, seed + 1))


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_every_case_is_followed_and_none_is_invented_in_the_long_run(start):
    assert not failures(range(start, min(start + BATCH, LAST)))
