"""Where a zero takes an unknown out of a relation, functions and files test whether givens contradict each other."""

from __future__ import annotations

import contextlib
import math
import re
from typing import Any

import numpy
import pytest

import derive
from derive.kernels.backends.numba_source import is_at_hand
from derive.kernels.standalone_modules import module_text
from derive.library import Library
from tests.derive.statements import bare

CASES: list[tuple[list[str], str, dict[str, float], dict[str, float]]] = [  # contradictory givens, and others
    (["y = b*c*z", "w = 2*y"], "w", {"y": 1, "z": 0}, {"y": 0, "z": 0}),
    (["y = b*c*z", "w = 2*y"], "w", {"y": 1, "z": 0}, {"y": 1, "z": 2}),
    (["y = b*exp(c)*z", "w = y + z"], "w", {"y": 1, "z": 0}, {"y": 0, "z": 0}),
    (["y = a*b", "z = a*c", "w = y + z"], "w", {"a": 0, "y": 1, "z": 0}, {"a": 0, "y": 0, "z": 0}),
    (["p = z*u + v", "q = v + 1", "w = 2*q"], "w", {"p": 0, "q": 3, "z": 0}, {"p": 2, "q": 3, "z": 0}),
]


def held(relations: list[str]) -> Library:
    names = sorted({letter for relation in relations for letter in re.findall(r"\b[a-z]\b", relation)})
    return bare(" ".join(names), *relations, domains=dict.fromkeys(names, "real"))


@pytest.mark.parametrize(("relations", "target", "wrong", "right"), CASES)
def test_what_a_zero_contradicts_has_no_value(
    relations: list[str], target: str, wrong: dict[str, float], right: dict[str, float]
) -> None:
    library = held(relations)
    with pytest.raises(derive.InconsistentError):
        library.solve(target, **wrong)
    number = library.solve(target, **right).base
    for backend in ("python", "numpy"):
        function = library.compile(target, list(wrong), backend)
        assert numpy.isnan(function(**{name: float(x) for name, x in wrong.items()}))
        assert function(**{name: float(x) for name, x in right.items()}) == pytest.approx(number)
    space: dict[str, Any] = {}
    exec(module_text(library, target, list(wrong)), space)
    with contextlib.suppress(ArithmeticError):  # only the solver can tell
        assert math.isnan(space["value"](**wrong))
        assert space["value"](**right) == pytest.approx(number)


@pytest.mark.parametrize(("relations", "target", "wrong", "right"), CASES[:3])
def test_what_a_zero_contradicts_has_no_value_at_more_points_than_the_solver_is_asked(
    relations: list[str], target: str, wrong: dict[str, float], right: dict[str, float]
) -> None:
    library = held(relations)
    function = library.compile(target, list(wrong), "numpy")
    for given, is_told in ((wrong, False), (right, True)):
        columns = {name: numpy.full(2000, float(x)) for name, x in given.items()}
        assert (numpy.isfinite(function(**columns)) == is_told).all()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("relations", "target", "given", "number"),
    [
        (["b = a*d", "b = a*d*1"], "b", {"d": 0}, 0),
        (["y = z*a + c", "y = a*z + c"], "y", {"c": 2, "z": 0}, 2),
        (["d = b*sin(c)", "b = c*d"], "d", {"b": 0}, 0),
        (["c = b + a", "b = c*d + a", "a*d = b*c"], "a", {"b": 0}, 0),
    ],
)
def test_what_dependent_equations_leave_a_value_has_that_of_the_solver(
    relations: list[str], target: str, given: dict[str, float], number: float
) -> None:
    library = held(relations)
    assert library.solve(target, **given).base == number
    for backend in ("python", "numpy", *(["numba"] if is_at_hand() else [])):
        assert library.compile(target, list(given), backend)(**{name: float(x) for name, x in given.items()}) == number
    along = next(iter(given))
    table = library.sweep(target, **{**given, along: [float(given[along]), 3.0]})
    assert table.columns[target][0] == number
