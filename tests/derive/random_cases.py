"""Random libraries whose relations hold by case, beside a way of their own to all solutions.

Each derived quantity follows from those before it by one form in each case; the cases of a quantity part the values of
another. So whatever numbers the bases have, everything follows forwards in plain Python. Where all bases but one are
given, together with something that follows, the solutions are found by going along that one base: in each piece
between the edges of the cases the gap to what is given is followed from point to point, and its zeros are bisected.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from derive.library import Library
from tests.derive.statements import bare

Numbers = Mapping[str, float]
FORMS: dict[str, Callable[[float, float, float], float]] = {
    "{a} + {b}": lambda a, b, k: a + b,
    "{a}*{b}": lambda a, b, k: a * b,
    "{a}/{b}": lambda a, b, k: a / b,
    "{a} - {k}*{b}": lambda a, b, k: a - k * b,
    "{k}*{a}": lambda a, b, k: k * a,
    "{k}*{a}**2": lambda a, b, k: k * a * a,
    "{a}**0.5 + {b}": lambda a, b, k: math.sqrt(a) + b,
    "log({a})*{k}": lambda a, b, k: math.log(a) * k,
    "max({a}, {k})": lambda a, b, k: max(a, k),
    "{a}*({a} - {k})": lambda a, b, k: a * (a - k),
    "{a}": lambda a, b, k: a,
    "{k}": lambda a, b, k: k,
}
POINTS = 400  # at which a piece is looked at


@dataclass(frozen=True)
class Arm:
    """One form of a derived quantity, and where it holds: from `low` on, below `high`."""

    subject: str
    low: float
    high: float
    form: str
    args: tuple[str, str, float]

    def covers(self, values: Numbers) -> bool:
        return self.low <= values[self.subject] < self.high

    def at(self, values: Numbers) -> float:
        one, other, number = self.args
        return FORMS[self.form](values[one], values[other], number)


@dataclass(frozen=True)
class Cased:
    """A library, its bases, and the arms of what follows from them, in order."""

    library: Library
    bases: tuple[str, ...]
    arms: Mapping[str, tuple[Arm, ...]]
    domains: Mapping[str, str]

    def forwards(self, bases: Numbers) -> dict[str, float] | None:
        """Everything that follows from the bases; None where something leaves its domain."""
        values = dict(bases)
        for name, arms in self.arms.items():
            try:
                found = [arm.at(values) for arm in arms if arm.covers(values)]
            except (ValueError, ZeroDivisionError, OverflowError):
                return None
            if len(found) != 1 or not math.isfinite(found[0]):
                return None
            values[name] = found[0]
        inside = all(x > 0 or self.domains[name] == "real" for name, x in values.items())
        return values if inside else None


def cased(seed: int) -> Cased:
    """A library of two or three bases and one to three quantities that follow by case."""
    draw = random.Random(seed)
    bases = tuple("abc"[: draw.choice((2, 2, 3))])
    derived = tuple("xyz"[: draw.choice((1, 2, 2, 3))])
    domains = {name: draw.choice(("positive", "positive", "real")) for name in (*bases, *derived)}
    arms: dict[str, tuple[Arm, ...]] = {}
    relations = []
    for i, name in enumerate(derived):
        pool = (*bases, *derived[:i])
        subject = draw.choice(pool)
        cuts = sorted({round(10 ** draw.uniform(-0.5, 0.8), 1) for _ in range(draw.choice((0, 1, 1, 1, 2)))})
        made = []
        for low, high in pairwise((-math.inf, *cuts, math.inf)):
            form, number = draw.choice(list(FORMS)), draw.choice((0.5, 2.0, 3.0, 10.0))
            one, other = draw.choice(pool), draw.choice(pool)
            when = [f"{subject} >= {low}"] * (low > -math.inf) + [f"{subject} < {high}"] * (high < math.inf)
            relations.append({"equation": f"{name} = {form.format(a=one, b=other, k=number)}", "when": when})
            made.append(Arm(subject, low, high, form, (one, other, number)))
        arms[name] = tuple(made)
    names = (*bases, *derived)
    draw.shuffle(relations)
    return Cased(bare(" ".join(names), *relations, domains=domains), bases, arms, domains)


def hidden(case: Cased, draw: random.Random) -> dict[str, float] | None:
    """Numbers that satisfy a library."""
    for _ in range(20):
        signs = {name: draw.choice((1, -1)) if case.domains[name] == "real" else 1 for name in case.bases}
        found = case.forwards({name: signs[name] * round(10 ** draw.uniform(-0.7, 1.0), 2) for name in case.bases})
        if found is not None:
            return found
    return None


def solutions(case: Cased, free: str, given: Numbers) -> Iterator[dict[str, float]]:
    """Everything along the free base that has these numbers: zeros of the gaps, and samples of where there is none."""
    ends = sorted({arm.low for arms in case.arms.values() for arm in arms} - {-math.inf})
    large = [10.0**k for k in range(-3, 5)]
    marks = sorted({*ends, *large, *([-one for one in (*large, *ends)] if case.domains[free] == "real" else [])})
    asked = [name for name in given if name not in case.bases]
    at = {name: number for name, number in given.items() if name in case.bases}

    def gap(x: float, name: str) -> float | None:
        found = case.forwards({**at, free: x})
        return None if found is None else found[name] - given[name]

    def is_met(x: float) -> bool:
        found = case.forwards({**at, free: x})
        return found is not None and all(math.isclose(found[n], given[n], rel_tol=1e-9, abs_tol=1e-12) for n in asked)

    points = [low + (high - low) * i / POINTS for low, high in pairwise(marks) for i in range(POINTS)]
    for low, high in pairwise(points):
        for x in (low, _zero(gap, low, high, asked[0])):
            if x is not None and is_met(x):
                yield case.forwards({**at, free: x}) or {}


def _zero(gap: Callable[[float, str], float | None], low: float, high: float, name: str) -> float | None:
    """A zero between two points where the gap changes its sign."""
    first, last = gap(low, name), gap(high, name)
    if first is None or last is None or first * last >= 0:
        return None
    for _ in range(200):
        middle = (low + high) / 2
        found = gap(middle, name)
        if found is None or middle in (low, high):
            break
        if (found < 0) == (first < 0):
            low = middle
        else:
            high = middle
    return min((low, high), key=lambda x: abs(gap(x, name) or 0.0))
