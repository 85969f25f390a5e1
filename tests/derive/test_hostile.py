"""Whatever is asked, the reply comes in time, and is an answer or an error of this package.

The long run asks as many as one has patience for: `DERIVE_HOSTILE=20000 pytest -m long --override-ini addopts=
tests/derive/test_hostile.py`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import derive
from derive import time_limits
from derive.assistants.tools import Tools
from tests.derive.hostile import KINDS, Hostile

LONG = int(os.environ.get("DERIVE_HOSTILE", "2000"))
MARGIN = 4.0
"""Seconds that a reply may take beyond its limit: for a busy machine, and single calls of C that nothing ends."""


def _texts(answer: Any) -> None:
    for write in (answer.text, answer.latex, answer.markdown, lambda: answer.elasticities, lambda: answer.formula):
        write()


def _compared(library: derive.Library, asked: Hostile) -> None:
    name, given = _axis(asked)
    first = library.solve(asked.target, **given)
    derive.compare(first, library.solve(asked.target, **{**given, name: "3"}))


def _axis(asked: Hostile) -> tuple[str, dict[str, Any]]:
    name, *_ = asked.given or {"x0": "1"}
    return name, dict(asked.given)


def _swept(library: derive.Library, asked: Hostile) -> Any:
    name, given = _axis(asked)
    return library.sweep(asked.target, **{**given, name: derive.span("1..9", 300)})


def _bordered(library: derive.Library, asked: Hostile) -> Any:
    name, given = _axis(asked)
    return library.border(asked.target, over=name, **{**given, name: "1..9"})


def _best(library: derive.Library, asked: Hostile) -> Any:
    name, given = _axis(asked)
    return library.least(
        asked.target, **({**given, name: "1..9"} if isinstance(given.get(name), str) else given)
    ).text()


VERBS: dict[str, Callable[[derive.Library, Hostile], Any]] = {
    "solve": lambda library, asked: library.solve(asked.target, **asked.given),
    "solve_all": lambda library, asked: library.solve_all(asked.target, **asked.given),
    "formula": lambda library, asked: library.formula(asked.target, list(asked.given)),
    "compile": lambda library, asked: library.compile(asked.target, list(asked.given)),
    "reach": lambda library, asked: library.reach(list(asked.given)),
    "sweep": _swept,
    "least": _best,
    "border": _bordered,
    "compare": _compared,
    "texts": lambda library, asked: _texts(library.solve_all(asked.target, **asked.given)[0]),
    "target": lambda library, asked: library.solve(f"2*{asked.target} + 1", **asked.given),
    "tool": lambda library, asked: Tools(library).solve(asked.target, asked.given, seconds=1),
}


def replied(act: Callable[[], Any], seconds: float, how: list[str]) -> Any:
    """What an act returns under a limit; in `how`, what is wrong with its reply."""
    begun, found = time.monotonic(), None
    try:
        with derive.limits(seconds=seconds):
            found = act()
    except derive.DeriveError:
        pass
    except Exception as error:
        how.append(f"{type(error).__name__}: {str(error)[:200]}")
    taken = time.monotonic() - begun
    if taken > seconds + MARGIN:
        how.append(f"{taken:.1f} s")
    return found


def faults(asked: Hostile, verb: str, seconds: float) -> list[str]:
    """What is wrong with the replies about one hostile file: its reading, its check and one question."""
    found: list[str] = []
    library = replied(lambda: derive.load(asked.source), seconds, found)
    if verb == "check":
        replied(lambda: derive.check(asked.source), seconds, found)
    elif verb == "tool with relations":
        replied(lambda: Tools(derive.llm).solve(asked.target, asked.given, (), asked.source, seconds), seconds, found)
    elif library is not None:
        acts = 2 if verb in ("compare", "least") else 6 if verb == "texts" else 1
        replied(lambda: VERBS[verb](library, asked), seconds * acts, found)
    return found


def elsewhere(act: Callable[[], list[str]]) -> list[str]:
    """The result of an act in a thread of its own."""
    results: list[list[str]] = []
    thread = threading.Thread(target=lambda: results.append(act()))
    thread.start()
    thread.join()
    return results[0] if results else ["the thread ended without a reply"]


def told(seed: int, seconds: float) -> list[str]:
    """What is wrong with the reply to one case; where it is late, it is asked once more, since others may be busy."""
    draw = Random(seed)
    kind, verb = KINDS[seed % len(KINDS)], draw.choice([*VERBS, "check", "tool with relations"])
    asked, is_elsewhere = kind(draw), draw.random() < 0.5

    def act() -> list[str]:
        return faults(asked, verb, seconds)

    found = elsewhere(act) if is_elsewhere else act()
    if found and all(one.endswith(" s") for one in found):
        found = act()
    return [f"{seed} {kind.__name__} {verb}: {one}" for one in found]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a file that was just opened
@pytest.mark.parametrize(
    ("cases", "seconds"),
    [
        (range(18), 0.1),
        pytest.param(range(1000, 1036), 0.2, marks=pytest.mark.long),
        pytest.param(range(2000, 2000 + LONG), 1.0, marks=pytest.mark.long),
    ],
)
def test_every_reply_comes_in_time(cases, seconds, monkeypatch):
    monkeypatch.setattr(time_limits, "_WALL", 1)
    wrong = [fault for seed in cases for fault in told(seed, seconds)]
    assert not wrong, "\n".join(wrong)
