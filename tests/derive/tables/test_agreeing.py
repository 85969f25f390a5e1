"""No cell says anything but the solver: values, regimes, and where what is given contradicts itself."""

from __future__ import annotations

import math
import random
from contextlib import suppress

import numpy
import pytest

import derive
from derive import DeriveError, InconsistentError, LimitError
from tests.derive.operations import ticks
from tests.derive.random_libraries import hidden
from tests.derive.statements import bare
from tests.derive.test_random_libraries import questions
from tests.ordinary import every

TWICE = derive.load("""[quantities]
a = { unit = "" }
b = { unit = "" }
c = { unit = "" }
d = { unit = "" }
[relations]
sum = { equation = "c = a + b" }
product = { equation = "d = a*b" }
""")


@pytest.mark.thorough
@every("start", range(0, 30, 5), ordinary=6)
def test_a_table_of_a_random_library_says_what_the_solver_says(start):
    told = 0
    for case, target, given in (one for seed in range(start, start + 5) for one in questions(seed)):
        axis = min(given - {*case.factors}, default=None)
        if axis is None:
            continue
        fixed = {name: case.numbers[name] for name in given - {axis}}
        numbers = [case.numbers[axis] * factor for factor in (0.31, 1.0, 2.7)]
        with ticks(2000):
            try:
                table = case.library.sweep(target, **fixed, **{axis: numbers})
            except DeriveError:
                continue
            for i, number in enumerate(numbers):
                cell = table.columns[target][i]
                if math.isnan(cell):
                    continue
                try:
                    answer = case.library.solve(target, **fixed, **{axis: number})
                except LimitError:
                    continue
                assert cell == pytest.approx(answer.value.magnitude, rel=1e-9)
                for relation, arm in answer.regime.items():
                    regime = table.regimes.get(f"{relation}.regime")
                    assert regime is None or regime.words[i] in (arm, "")
                    told += 1
    assert told > 0


@pytest.mark.thorough
@every("start", range(0, 10, 5), ordinary=2)
def test_a_table_of_several_targets_says_what_a_table_of_each_says(start):
    told = 0
    for seed in range(start, start + 5):
        case, draw = hidden(seed), random.Random(f"several {seed}")
        names = [name for name in case.numbers if name not in case.factors]
        given = draw.sample(names, draw.randint(2, 4))
        axis = [case.numbers[given[0]] * factor for factor in (0.31, 1.0, 1.9, 2.7)]
        known = {**{name: case.numbers[name] for name in (*given[1:], *case.factors)}, given[0]: axis}
        alone = {}
        for target in (name for name in names if name not in given):
            with suppress(DeriveError):
                alone[target] = case.library.sweep(target, **known)
        if not alone:
            continue
        together = case.library.sweep(list(alone), **known)
        for target, table in alone.items():
            assert numpy.array_equal(together.columns[target], table.columns[target], equal_nan=True)
            for relation, regime in table.regimes.items():
                both = zip(regime.words, together.regimes[relation].words, strict=True)
                assert all(one == other for one, other in both if one and other)
        told += len(alone) > 1
    assert told > 0


def test_a_contradiction_of_what_is_typed_leaves_no_target_a_number():
    library = bare("a b c d e", "c = a + b", "d = 2*c", "e = a**2", {"equation": "e <= 9"})
    table = library.sweep(["d", "e"], a=[2, 4], b=1)
    assert table.columns["d"] == pytest.approx([6, numpy.nan], nan_ok=True)
    assert table.columns["e"] == pytest.approx([4, numpy.nan], nan_ok=True)
    for target in ("d", "e"):
        with pytest.raises(InconsistentError):
            library.solve(target, a=4, b=1)


def test_where_the_givens_contradict_each_other_there_is_no_answer():
    table = TWICE.sweep("d", a=2, b=[2, 3, 4], c=5)
    assert table.columns["d"] == pytest.approx([numpy.nan, 6, numpy.nan], nan_ok=True)


def test_where_they_do_at_both_ends_and_between_they_are_refused():
    with pytest.raises(InconsistentError, match="sum"):
        TWICE.sweep("d", a=2, b=[2, 4, 6], c=5)


def test_a_limit_that_is_broken_leaves_no_answer():
    shelf = derive.load("""[quantities]
count = { unit = "" }
each = { unit = "m" }
width = { unit = "m" }
room = { unit = "m" }
[relations]
width = { equation = "width = count*each" }
fits = { equation = "width <= room" }
""")
    table = shelf.sweep("width", count=[1, 4], each="0.3 m", room="1 m")
    assert table.columns["width"] == pytest.approx([0.3, numpy.nan], nan_ok=True)


def test_the_solver_chooses_among_roots_where_lines_took_the_wrong_one():
    roots = derive.load("""[quantities]
x = { unit = "" }
y = { unit = "" }
z = { unit = "" }
[relations]
choice = { equation = "y = x if x < z else z**2" }
line = { equation = "y = 4*x - 8" }
""")
    for z in (1.5, 2.0):
        cell = float(roots.sweep("x", y=[z**2], z=z).columns["x"][0])
        assert cell == pytest.approx(roots.solve("x", y=z**2, z=z).value.magnitude)
