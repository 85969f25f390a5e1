"""One meaning for every verb: what `solve` answers, all others answer with the same number; what it refuses, none has.

The long run: DERIVE_SEEDS=100000..104000 pytest -m long --override-ini addopts= -v tests/derive/test_one_meaning.py
"""

from __future__ import annotations

import contextlib
import math
import os
import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy
import pytest

import derive
from derive import AmbiguousError, LimitError, NoSolutionError, UnderdeterminedError
from derive.kernels.standalone_modules import module_text
from derive.library import Library
from tests.derive import random_cases, random_libraries, random_zeros
from tests.ordinary import every

SHORT, BATCH = 30, 10
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..2000").split(".."))


def question(seed: int) -> tuple[Library, str, dict[str, float]] | None:
    """A random library, a target, and numbers of some of its quantities that fit together."""
    draw = random.Random(f"meaning {seed}")
    if seed % 2:
        hidden = random_libraries.hidden(seed)
        numbers, library = hidden.numbers, hidden.library
    else:
        case = random_cases.cased(seed)
        found = random_cases.hidden(case, draw)
        if found is None:
            return None
        numbers, library = found, case.library
    target = draw.choice(list(numbers))
    others = [name for name in numbers if name != target]
    return library, target, {name: numbers[name] for name in draw.sample(others, draw.randint(1, len(others)))}


def replies(library: Library, target: str, given: dict[str, float], is_plain: bool) -> Iterator[tuple[str, float]]:
    """What every other verb says of a question; NaN for nothing. A formula cannot be wrong of what is said twice."""
    for backend in ("python", "numpy"):
        try:
            function = library.compile(target, list(given), backend)
        except derive.DeriveError:
            yield f"compile {backend}", math.nan
            continue
        values = given if backend == "python" else {name: numpy.array([x]) for name, x in given.items()}
        yield f"compile {backend}", float(numpy.ravel(function(**values))[0])
    along = next(iter(given))
    try:
        table = library.sweep(target, **{**given, along: [given[along], 1.1 * given[along]]})
    except derive.DeriveError:
        yield "sweep", math.nan
    else:
        yield "sweep", float(numpy.ravel(table.columns[target])[0])
    if not is_plain:
        return
    try:
        form = library.formula(target, list(given))
    except UnderdeterminedError:
        yield "formula", math.nan
    except (LimitError, NoSolutionError, AmbiguousError):  # there is no one closed form
        pass
    else:
        at = {library.quantities[name]: x for name, x in given.items()}
        number = form.subs(at).evalf()
        yield "formula", float(number) if number.is_real else math.nan


def apart(seed: int) -> str:
    """Which verb says something else than `solve`; nothing, if none does."""
    asked = question(seed)
    if asked is None:
        return ""
    library, target, given = asked
    said = f"question({seed}): {target!r} from {given!r}"
    try:
        with derive.limits(seconds=5):
            answer = library.solve(target, **given)
            value = answer.value.magnitude
    except LimitError:
        return ""
    except derive.DeriveError:
        value, answer = math.nan, None
    else:
        if target not in library.reach(given):
            return f"{said}: not in reach"
    for verb, number in replies(library, target, given, answer is not None and not answer.checks):
        if math.isnan(value) != math.isnan(number) or not (
            math.isnan(value) or math.isclose(value, number, rel_tol=1e-7, abs_tol=1e-12)
        ):
            return f"{said}: {value!r}, but {verb} says {number!r}"
    return ""


@every("start", range(0, SHORT, BATCH), ordinary=6)
def test_every_verb_says_the_same(start):
    assert not [wrong for seed in range(start, start + BATCH) if (wrong := apart(seed))]


@pytest.mark.parametrize("seed", [332, 372, 542, 646, 676, 708, 742, 746, 882, 966, 2058])
def test_every_verb_says_the_same_where_they_were_once_apart(seed):
    assert not apart(seed)


def replies_of_files(library: Library, target: str, given: dict[str, float]) -> Iterator[tuple[str, float]]:
    """What a file says of a question, unless it says that only the solver can tell, or there is no file."""
    space: dict[str, Any] = {}
    with contextlib.suppress(derive.DeriveError, ArithmeticError):
        exec(module_text(library, target, list(given)), space)
        yield "file", space["value"](**given)


def apart_at_zeros(seed: int) -> str:
    """Which verb says something else than `solve` of a system with zeros; nothing, if none does.

    Functions that are compiled from names alone refuse what is determined at these zeros only.
    """
    asked = random_zeros.asked(seed)
    if asked is None:
        return ""
    library, target, given = asked
    if target not in library.reach(given):
        return ""
    try:
        with derive.limits(seconds=0.3):
            base = library.solve(target, **given).base
    except LimitError:
        return ""
    except derive.DeriveError:
        base = None
    for verb, number in chain(replies(library, target, given, False), replies_of_files(library, target, given)):
        is_same = math.isnan(number) if base is None else math.isclose(base, number, rel_tol=1e-7, abs_tol=1e-12)
        if not is_same:
            return f"random_zeros.asked({seed}): {base!r}, but {verb} says {number!r}"
    return ""


@pytest.mark.thorough
@every("start", range(0, 300, BATCH), ordinary=30, thorough=12)
def test_every_verb_says_the_same_at_zeros(start):
    assert not [wrong for seed in range(start, start + BATCH) if (wrong := apart_at_zeros(seed))]


@pytest.mark.ordinary(5)
@pytest.mark.parametrize("seed", [39, 297, 411, 688, 2021, 2130, 2402, 3245, 3413, 3888, 4098, 4143, 4161, 4560, 5729])
def test_every_verb_says_the_same_at_zeros_where_they_were_once_apart(seed):
    assert not apart_at_zeros(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_every_verb_says_the_same_in_the_long_run(start):
    assert not [wrong for seed in range(start, min(start + BATCH, LAST)) if (wrong := apart(seed))]


@pytest.mark.parametrize("power", [1, 2, 0.5])
def test_what_cancels_only_where_a_part_is_absent_by_default_does_so_for_every_verb(power: float) -> None:
    library = derive.load(f"""[quantities]
        share = {{ unit = "" }}
        whole = {{ unit = "kg" }}
        used = {{ unit = "kg" }}
        core = {{ unit = "kg" }}
        spare = {{ unit = "kg", domain = "nonnegative", otherwise = "0 kg" }}
        scale = {{ unit = "" }}
        size = {{ unit = "" }}
        [relations]
        size = {{ equation = "size = scale*share**{power}" }}
        share = {{ equation = "share = whole/used" }}
        used = {{ equation = "used = core" }}
        whole = {{ equation = "whole = core + spare" }}""")
    assert library.solve("size", scale=3).base == pytest.approx(3)
    assert "size" in library.reach(["scale"])
    assert "whole" not in library.reach(["scale"])
    assert library.formula("size", ["scale"]) == library.quantities["scale"]
    assert library.compile("size", ["scale"])(scale=3.0) == pytest.approx(3)
    assert library.sweep("size", scale=[3.0, 4.0]).columns["size"] == pytest.approx([3, 4])
    with pytest.raises(UnderdeterminedError):
        library.formula("whole", ["scale"])
