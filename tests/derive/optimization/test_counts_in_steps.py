"""Counts tied or limited by what is rounded up or down: the best is that of enumeration, and proved."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil, floor

import pytest

import derive
from tests.derive.statements import bare
from tests.ordinary import every

WHOLE = {"n": "whole", "m": "whole"}

# an expression of the counts, and the same in exact numbers
TIES: dict[str, Callable[[int, int], int]] = {
    "ceil(n/m)": lambda n, m: ceil(Fraction(n, m)),
    "floor(n/m)": lambda n, m: n // m,
    "ceil(n/m)*m": lambda n, m: ceil(Fraction(n, m)) * m,
    "floor(n/m) + m": lambda n, m: n // m + m,
    "max(n, m) + floor(n/3)": lambda n, m: max(n, m) + n // 3,
    "ceil((n + m)/3)": lambda n, m: ceil(Fraction(n + m, 3)),
    "n - floor(n/m)*m + 1": lambda n, m: n % m + 1,
    "ceil(n*m/5)": lambda n, m: ceil(Fraction(n * m, 5)),
    "min(n, 2*m) + ceil(n/m)": lambda n, m: min(n, 2 * m) + ceil(Fraction(n, m)),
}
LIMITS: dict[str, Callable[[int, int], bool]] = {
    "floor(n/m) <= 2": lambda n, m: n // m <= 2,
    "ceil(n/m) >= 3": lambda n, m: ceil(Fraction(n, m)) >= 3,
    "floor(n/m)*m >= n": lambda n, m: n % m == 0,
    "ceil(n/3) + floor(m/2) <= 4": lambda n, m: ceil(Fraction(n, 3)) + m // 2 <= 4,
    "floor(n*m/5) >= 4": lambda n, m: floor(Fraction(n * m, 5)) >= 4,
    "ceil(n/m)*m <= n + 1": lambda n, m: -n % m <= 1,
}
MOST = 400  # where a count has no range, more than it can be


def _pairs(n_most: int, m_most: int) -> Iterator[tuple[int, int]]:
    return ((n, m) for n in range(1, n_most + 1) for m in range(1, m_most + 1))


@every("seed", range(60), ordinary=20, thorough=20)
@pytest.mark.parametrize("tie", TIES)
def test_the_best_count_of_a_tie_is_that_of_enumeration(tie: str, seed: int) -> None:
    draw = random.Random(f"{tie} {seed}")
    n_most, m_most, k = draw.randint(10, 30), draw.randint(3, 7), draw.randint(1, 9)
    target, sense = draw.choice("nm"), draw.choice(["least", "most"])
    library = bare("n m k", f"k = {tie}", domains={**WHOLE, "k": "whole"})
    pairs = [(n, m) for n, m in _pairs(n_most, m_most) if TIES[tie](n, m) == k]

    def ask() -> derive.Optimum:
        return getattr(library, sense)(target, k=str(k), n=f"1..{n_most}", m=f"1..{m_most}")

    if not pairs:
        with pytest.raises(derive.InconsistentError):
            ask()
        return
    numbers = [n if target == "n" else m for n, m in pairs]
    found = ask()
    assert found.proved
    assert found.answer.base == (min if sense == "least" else max)(numbers)


@every("seed", range(60), ordinary=60, thorough=20)
@pytest.mark.parametrize("tie", [tie for tie in TIES if tie != "n - floor(n/m)*m + 1"])  # without end
def test_a_count_that_follows_within_bounds_is_not_said_to_have_no_value(tie: str, seed: int) -> None:
    """The count of a tie is only bounded by the others: nothing is found, or what is found is the best."""
    draw = random.Random(f"bounded {tie} {seed}")
    most, k = draw.randint(3, 12), draw.randint(1, 9)
    target, other = draw.choice([("n", "m"), ("m", "n")])
    sense = draw.choice(["least", "most"])
    library = bare("n m k", f"k = {tie}", domains={**WHOLE, "k": "whole"})
    pairs = [(n, m) for n, m in _pairs(*((MOST, most) if target == "n" else (most, MOST))) if TIES[tie](n, m) == k]
    try:
        found = getattr(library, sense)(target, k=str(k), **{other: f"1..{most}"})
    except derive.InconsistentError:
        assert not pairs
    except derive.LimitError:
        pass
    else:
        numbers = [n if target == "n" else m for n, m in pairs]
        best = (min if sense == "least" else max)(numbers)
        assert found.answer.base in numbers
        assert found.answer.base == best or not found.proved


@every("seed", range(60), ordinary=20, thorough=20)
@pytest.mark.parametrize("limit", LIMITS)
def test_the_best_count_under_a_limit_in_steps_is_that_of_enumeration(limit: str, seed: int) -> None:
    draw = random.Random(f"{limit} {seed}")
    n_most, m_most, sense = draw.randint(10, 30), draw.randint(3, 7), draw.choice(["least", "most"])
    library = bare("n m k", "k = 3*n + 2*m - n*m/7", domains={**WHOLE, "k": "real"})
    values = [3 * n + 2 * m - Fraction(n * m, 7) for n, m in _pairs(n_most, m_most) if LIMITS[limit](n, m)]
    found = getattr(library, sense)("k", such_that=limit, n=f"1..{n_most}", m=f"1..{m_most}")
    assert found.proved
    assert found.answer.base == pytest.approx(float((min if sense == "least" else max)(values)))
