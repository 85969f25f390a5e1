"""Conditions on what an answer leads to, though nothing in its plan needs it: the numbers of the answer decide them."""

from __future__ import annotations

import math
import random
from contextlib import suppress

import numpy
import pytest

import derive
from derive import DeriveError
from derive.kernels.browser_programs.program import program_of
from derive.relation_files.loading import load
from tests.derive.browser import needed
from tests.derive.kernels.browser_programs.runs import ran
from tests.derive.statements import bare

COLUMN = bare(
    "modulus inertia length area strength load slender limit",
    {"name": "euler", "equation": "load = 9.8696*modulus*inertia/length**2", "when": ["slender >= limit"]},
    {
        "name": "johnson",
        "equation": "load = strength*area*(1 - slender**2/(2*limit**2))",
        "when": ["slender < limit"],
    },
    "slender = length/sqrt(inertia/area)",
    "limit = sqrt(19.7392*modulus/strength)",
)
FREE = ("modulus", "inertia", "length", "area", "strength", "load")


def points(draw, count):
    """Numbers of columns, slender ones and stout ones; the load often as it comes out."""
    for _ in range(count):
        numbers = {name: 10 ** draw.uniform(-1, 1) for name in FREE}
        if draw.random() < 0.7:
            with suppress(DeriveError):
                numbers["load"] = COLUMN.solve("load", **{n: x for n, x in numbers.items() if n != "load"}).base
        yield numbers


def answered(target, given, held=COLUMN):
    try:
        found = held.solve(target, **given).base
    except derive.AmbiguousError:
        return None  # several: what a function makes of them is another question
    except DeriveError:
        return math.nan
    return found


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("target", FREE)
def test_a_function_heeds_a_condition_on_what_follows_from_its_result(target):
    names, draw = [name for name in FREE if name != target], random.Random(f"column {target}")
    settings = [{name: point[name] for name in names} for point in points(draw, 25)]
    expected = [answered(target, given) for given in settings]
    known = [i for i, one in enumerate(expected) if one is not None]
    function = COLUMN.compile(target, names)
    one_by_one = [function(**settings[i]) for i in known]
    at_once = function(**{name: numpy.array([settings[i][name] for i in known]) for name in names})
    assert one_by_one == pytest.approx([expected[i] for i in known], rel=1e-9, nan_ok=True)
    assert at_once.tolist() == pytest.approx([expected[i] for i in known], rel=1e-9, nan_ok=True)
    assert any(math.isfinite(expected[i]) for i in known)


@pytest.mark.ordinary(1)
@needed
@pytest.mark.parametrize("target", FREE)
def test_a_program_heeds_it_as_well(target):
    names, draw = [name for name in FREE if name != target], random.Random(f"program of a column {target}")
    settings = [{name: point[name] for name in names} for point in points(draw, 25)]
    made = program_of(COLUMN, target, names)
    (told,) = ran([(made, [[given[name] for name in made.inputs] for given in settings])])
    for given, point in zip(settings, told, strict=True):
        expected = answered(target, given)
        if point.why not in ("undecided", "uncompiled"):
            assert expected is not None, given
            assert point.target == pytest.approx(expected, rel=1e-9, nan_ok=True), given


def test_a_column_that_could_only_yield_has_no_modulus():
    given = {"inertia": 1.0, "length": 1.0, "area": 1.0, "strength": 1.0, "load": 1.01}
    assert math.isnan(answered("modulus", given))
    assert math.isnan(COLUMN.compile("modulus", list(given))(**given))


EULER_ALONE = COLUMN.without("johnson")


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("held", [COLUMN, EULER_ALONE], ids=["both", "euler alone"])
@pytest.mark.parametrize("target", ["modulus", "inertia", "length", "load"])
def test_a_closed_form_holds_where_the_solver_has_an_answer_and_only_there(held, target):
    names, draw = [name for name in FREE if name != target], random.Random(f"form {target}")
    try:
        form = held.formula(target, names)
    except DeriveError:
        return
    function = held.compile(target, names)
    for point in points(draw, 25):
        given = {name: point[name] for name in names}
        expected = answered(target, given, held)
        if expected is None:
            continue
        found = form.subs({held.quantities[name]: x for name, x in given.items()})
        number = float(found) if found.is_number and found.is_real else math.nan
        assert number == pytest.approx(expected, rel=1e-9, nan_ok=True), given
        assert function(**given) == pytest.approx(expected, rel=1e-9, nan_ok=True), given


@pytest.mark.parametrize("load", ["0.1..0.4", "0.4..0.6", "0.6..0.9", "0.3..0.9"])
@pytest.mark.parametrize("verb", ["least", "most"])
def test_the_best_choice_heeds_it(verb, load):
    ends, rest = [float(end) for end in load.split("..")], dict.fromkeys(("inertia", "length", "area", "strength"), 1)
    best = getattr(COLUMN, verb)("modulus", load=load, **rest)
    expected = answered("modulus", {**rest, "load": min(ends) if verb == "least" else max(ends)})
    assert best.value.magnitude == pytest.approx(expected, rel=1e-6)


def test_what_leads_to_a_condition_may_be_unknown_and_then_it_is_assumed():
    held = load("""[quantities]
    x = { unit = "" }
    y = { unit = "" }
    z = { unit = "" }
    [relations]
    y = { equation = "y = 2*x", when = ["z < 1"] }""")
    assert held.compile("y", ["x"])(x=3.0) == 6.0


@pytest.mark.parametrize("typed", [5.0, 4.5, 7.0, 3.0, 1.0])
def test_a_condition_may_follow_from_a_number_that_is_the_same_at_all_points(typed):
    """`x/x` is 1 in the lines of arrays, which then hold a literal where others have an array."""
    held = bare(
        "x y z",
        {"equation": "z = 2*y", "when": ["y > 2"]},
        {"equation": "z = x/x", "when": ["y <= 2"]},
        "y = 10/x",
    )
    expected = 20 / typed if typed > 4 else math.nan  # of z = 1, any x from 5 on is one
    function = held.compile("x", ["z"])
    assert function(z=typed) == pytest.approx(expected, nan_ok=True)
    assert function(z=numpy.array([typed, 6.0])) == pytest.approx([expected, 20 / 6], nan_ok=True)
