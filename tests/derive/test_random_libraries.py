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
from tests.derive.statements import bare
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


@pytest.mark.thorough
@every("start", range(0, SHORT, BATCH), ordinary=3)
def test_the_hidden_number_is_found_or_rightly_refused(start):
    assert not failures(range(start, start + BATCH))


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_the_hidden_number_is_found_or_rightly_refused_in_the_long_run(start):
    assert not failures(range(start, min(start + BATCH, LAST)))


def unreached(seed: int) -> str:
    """What is fixed by the rank of the Jacobian, and not in reach; in a library without choices, in one regime."""
    case, draw = hidden(seed), random.Random(f"reach {seed}")
    names = [name for name in case.numbers if name not in case.factors]
    given = {*draw.sample(names, draw.randint(0, 2)), *case.factors}
    if _chooses(case):
        return ""
    lacking = {name for name in names if name not in given and is_fixed(case, given, name)} - case.library.reach(given)
    return f"hidden({seed}) from {sorted(given)}: {sorted(lacking)}" if lacking else ""


@pytest.mark.thorough
@every("start", range(0, 100, 20), ordinary=5)
def test_what_the_rank_fixes_is_in_reach(start):
    assert not [lacking for seed in range(start, start + 20) if (lacking := unreached(seed))]


@pytest.mark.thorough
def test_what_cancels_is_in_reach_where_numbers_drawn_for_the_givens_alone_have_no_solution():
    # Of q5/q4, r0 and r2 leave max(q0, q1)*(q0 + q3)*k0 = k2*q0; with r1 and r3, three relations for q0, q3 and the
    # maximum. Nothing fixes q2, q4, q5, and nothing q1 where it is less than q0.
    case = hidden(167)
    reached = case.library.reach(case.factors)
    assert {"q0", "q3"} <= reached
    assert reached.isdisjoint({"q2", "q4", "q5"})


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("seed", range(5))
def test_what_a_maximum_hides_is_an_interval_also_in_a_block(seed):
    draw = random.Random(f"hidden by a maximum {seed}")
    x, z = draw.uniform(1, 9), draw.uniform(0.1, 0.9)
    asked = bare("a b c x y z", "a = max(x, y)*z", "b = x*z", "c = max(x, y) + z")
    given = {"a": x * z, "b": x * z, "c": x + z}
    answers = asked.solve_all("y", **given)
    for share in (0.01, 0.5, 0.99):  # any y up to x satisfies all three
        assert any(_holds(answer, share * x) for answer in answers)
    assert any(_holds(answer, x) for answer in asked.solve_all("x", **given))


def test_the_questions_are_the_same_every_time():
    def first() -> list[tuple[str, list[str]]]:
        return [(target, sorted(given)) for _, target, given in itertools.islice(questions(7), 3)]

    assert first() == first()
