"""How long questions to the built-in library take, whatever is asked: the distribution, and the slowest.

    python -m tests.benchmarks.dispersion 10000

Questions are drawn reproducibly out of numbers for all quantities that agree with the relations: forwards, from what a
target follows from; each of these givens asked back from the target and the others; and each of them set to zero, which
the domains of some quantities do not admit. Each is asked once, of a library that was asked others before; what counts
is the processor's time, so that other programs do not.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import derive
from derive import DeriveError
from tests.benchmarks.measuring import Comparison, Row, shown
from tests.derive.states import LIBRARY, Asked, ends, state

QUESTIONS, SLOWEST, STATES = 2000, 10, 50
USUAL, MOST = 0.05, 1.0  # seconds: for 99 in 100, and for all


@dataclass(frozen=True)
class Taken:
    """A question, what came of it, and the time that took."""

    asked: Asked
    came: str
    seconds: float


def drawn(first: int = 0) -> Iterator[Asked]:
    """Questions without end: forwards, each given back, and with each given zero."""
    targets = sorted({name for name in LIBRARY.declared if ends(name, random.Random(0), 1)})
    for seed in itertools.count(first):
        draw = random.Random(f"question {seed}")
        numbers = state(draw.randrange(STATES))
        target = draw.choice([name for name in targets if name in numbers])
        given = {name: numbers[name] for name in ends(target, draw) if name in numbers}
        if target in given or not given:
            continue
        profiles = tuple(draw.sample(list(LIBRARY.profiles), draw.choice((0, 0, 0, 1, 2))))
        yield Asked(target, profiles, given, "forwards")
        for name in given:
            others = {other: number for other, number in given.items() if other != name}
            yield Asked(name, profiles, {**others, target: numbers[target]}, "back")
        for name in given:
            yield Asked(target, profiles, {**given, name: 0.0}, "zero")


def asked(question: Asked, seconds: float = 10.0) -> Taken:
    """Ask a question."""
    stated = question.stated
    with derive.limits(seconds=seconds):
        start = time.process_time()
        try:
            came = "answered" if LIBRARY.solve_all(question.target, *question.profiles, **stated) else ""
        except DeriveError as error:
            came = type(error).__name__
        return Taken(question, came, time.process_time() - start)


def measured(count: int = QUESTIONS) -> list[Taken]:
    warm = [asked(question) for question in itertools.islice(drawn(10**6), 20)]
    return [asked(question) for question in itertools.islice(drawn(), count)] if warm else []


def dispersion(found: Iterable[Taken] | None = None) -> Comparison:
    """The distribution, kind by kind, as a table."""
    taken = list(found or measured())
    kinds = {"all": taken} | {kind: [one for one in taken if one.asked.kind == kind] for kind in KINDS}
    rows = tuple(Row(KINDS.get(kind, kind), _at(some, 0.5), None, _spread(some)) for kind, some in kinds.items())
    slowest = sorted(taken, key=lambda one: -one.seconds)[:SLOWEST]
    came = Counter(one.came for one in taken)
    notes = (
        f"For scale: adding up a million numbers in a Python loop took {shown(_yardstick())} just afterwards.",
        "What came of them: " + ", ".join(f"{number} {name}" for name, number in came.most_common()) + ".",
        "The slowest: " + "; ".join(f"{shown(one.seconds)} {one.asked} ({one.came})" for one in slowest) + ".",
    )
    faults = [f"99 in 100 took up to {shown(_at(taken, 0.99))}"] if _at(taken, 0.99) > USUAL else []
    faults += [f"one took {shown(slowest[0].seconds)}"] if slowest[0].seconds > MOST else []
    task = f"{len(taken)} random questions, each asked once; the time is the median's"
    return Comparison("Any question to the built-in library", task, rows, (), notes, tuple(faults))


def _yardstick() -> float:
    """How fast the machine is, at the moment: the processor's time for a plain loop, the median of a few."""

    def once() -> float:
        start = time.process_time()
        total = 0
        for number in range(10**6):
            total += number
        return time.process_time() - start

    return sorted(once() for _ in range(5))[2]


KINDS = {"forwards": "forwards", "back": "a given asked back", "zero": "a given is zero"}


def _at(taken: list[Taken], share: float) -> float:
    return sorted(one.seconds for one in taken)[min(len(taken) - 1, int(share * len(taken)))] if taken else 0.0


def _spread(taken: list[Taken]) -> str:
    told = [f"{name} {shown(_at(taken, share))}" for name, share in (("90 %", 0.9), ("99 %", 0.99), ("all", 1.0))]
    return f"{len(taken)} questions; {', '.join(told)}"


if __name__ == "__main__":
    print(dispersion(measured(int(sys.argv[1]) if sys.argv[1:] else QUESTIONS)))
