"""Over random questions to the built-in library: what is typed acts, is checked or is named; what holds does not fail.

A given is changed to 1.37 of its size, a count to twice. What may be seen of that is the value or its bounds, a check,
a regime, an assumption, or at least a number in a step, as that of the arm which does not bind. If nothing is seen, the
given is named as unused; and what is named as unused changes nothing. The long run goes on as far as one likes:

    DERIVE_SEEDS=200..3000 pytest -m long --override-ini addopts= -v tests/derive/test_nothing_is_hidden.py
"""

from __future__ import annotations

import os
from random import Random

import pytest

import derive
from derive import Answer, DeriveError
from tests.derive.random_questions import Scene, drawn, scene, text
from tests.ordinary import every

SHORT, BATCH = 30, 15
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..2000").split(".."))
LIBRARY = derive.llm
DEFAULTED = [name for name, one in LIBRARY.declared.items() if one.default is not None]


def ask(target: str, given: dict[str, float]) -> Answer | None:
    """The answer; None where there is not exactly one."""
    try:
        with derive.limits(seconds=1):
            return LIBRARY.solve(target, **{name: text(LIBRARY, name, number) for name, number in given.items()})
    except DeriveError:
        return None


def with_idle(found: Scene, draw: Random) -> dict[str, float]:
    """The givens, and up to two more from around them or from anywhere."""
    given = dict(found.given)
    near = [
        name
        for relation in found.relations
        for member in LIBRARY.members[relation]
        for other in LIBRARY.holders[member]
        for name in LIBRARY.members[other]
    ]
    for _ in range(draw.randint(0, 2)):
        name = draw.choice(near if draw.random() < 0.7 else list(LIBRARY.declared))
        default = LIBRARY.declared[name].default
        if name not in given and name != found.target and (default is None or default.source.kind != "exact"):
            given[name] = found.values[name] if name in found.values else drawn(LIBRARY, name, draw)
    return given


def seen(answer: Answer) -> tuple[object, ...]:
    """What an asker sees of an answer, its steps aside, to ten digits."""
    ends = (answer.base, *(answer.bounds or ()))
    checks = tuple((check.name, f"{check.gap:.9e}", check.passed) for check in answer.checks)
    return tuple(f"{end:.9e}" for end in ends if end is not None), checks, answer.regime, answer.assumptions


def compared(answer: Answer, name: str) -> bool:
    """Whether a given plays a part that no change of its size need show: in a condition, or where nothing fits."""
    left_open = any("left out" in note or "assumed to apply" in note for note in answer.assumptions)
    relations = [LIBRARY.relations[check.name] for check in answer.checks if check.name in LIBRARY.relations]
    chosen = any(name in relation.declared and relation.chooses for relation in relations)
    return left_open or chosen or any(check.gap == float("inf") for check in answer.checks)


def verdict(seed: int) -> str:
    """What is hidden in the answer to a question, in words; nothing, if nothing is."""
    draw = Random(f"hidden {seed}")
    found = scene(LIBRARY, draw)
    given = with_idle(found, draw)
    before = ask(found.target, given)
    if before is None:
        return ""
    idle = sorted(before.unused)
    for name in draw.sample(idle, min(1, len(idle))) + draw.sample(sorted(given), min(2, len(given))):
        factor = 2 if LIBRARY.declared[name].domain.whole else 1.37
        number = given[name] * factor
        number = number if number in LIBRARY.declared[name].domain else given[name] / factor
        after = ask(found.target, {**given, name: number})
        changes = after is None or seen(after) != seen(before)
        is_told = name in {
            one.share for one in before.neglected
        }  # of what is left out, which the number does not count
        if changes and name in before.unused and not is_told:
            return f"{found.target} from {given}: {name} is named as unused, and at {number} the answer is {after}"
        shown = after is not None and after.steps != before.steps
        if not (changes or shown or name in before.unused or compared(before, name)):
            return f"{found.target} from {given}: {name} changes nothing, and is not named"
    return ""


def alarm(seed: int) -> str:
    """What a question whose numbers fit each other says does not hold; forwards, and with one given asked back."""
    draw = Random(f"alarm {seed}")
    found = scene(LIBRARY, draw)
    back = draw.choice(sorted(found.given)) if found.given else found.target
    rest = {name: number for name, number in found.given.items() if name != back}
    for target, given in ((found.target, found.given), (back, {**rest, found.target: found.values[found.target]})):
        answer = ask(target, dict(given))
        failed = answer.failed if answer else ()
        for check in failed:
            exact = check.name in LIBRARY.relations and LIBRARY.relations[check.name].approximate is None
            if exact or check.name == target:
                return f"{target} from {given}: {check}"
    return ""


def own_default(name: str, most: int = 1) -> str:
    """What fails where a quantity with a default is asked for, from all else in a relation that holds it."""
    draw = Random(f"default {name}")
    for relation in LIBRARY.holders[name][:most]:
        others = [other for other in LIBRARY.members[relation] if other != name]
        answer = ask(name, {other: drawn(LIBRARY, other, draw) for other in others})
        if answer is not None and any(check.name == name for check in answer.failed):
            return f"{name} by {relation}: {answer.failed}"
    return ""


@pytest.mark.thorough
@every("first", range(0, SHORT, BATCH), ordinary=2)
def test_what_is_typed_acts_or_is_checked_or_is_named(first):
    assert not [said for seed in range(first, first + BATCH) if (said := verdict(seed))]


@pytest.mark.thorough
@every("first", range(0, SHORT, BATCH), ordinary=2)
def test_what_fits_together_does_not_fail(first):
    assert not [said for seed in range(first, first + BATCH) if (said := alarm(seed))]


@pytest.mark.thorough
@every("name", DEFAULTED, ordinary=2, thorough=8)
def test_a_default_of_what_is_asked_for_never_fails(name):
    assert not own_default(name)


@pytest.mark.long
@pytest.mark.parametrize("first", range(FIRST, LAST, BATCH))
def test_nothing_is_hidden_in_the_long_run(first):
    assert not [said for seed in range(first, first + BATCH) for ask_ in (verdict, alarm) if (said := ask_(seed))]


@pytest.mark.long
@pytest.mark.parametrize("name", DEFAULTED)
def test_a_default_of_what_is_asked_for_never_fails_by_any_relation(name):
    assert not own_default(name, 30)
