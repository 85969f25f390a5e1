"""The classical systems of nonlinear equations: the published solution is found, and what is found is a solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import optimize

import derive
from derive.solving.blocks.block import solve_block
from tests.derive.classics import BURDEN, COUNTED, LARGE, MORE, Classic, Counted, stated
from tests.ordinary import every

SLOW = ("Wood", "Watson", "Chebyquad (35), 7", "Chebyquad (35), 9", "Brown almost linear (27), 30")
DEAR = ("Broyden tridiagonal (30), 10", "trigonometric (26), 10")  # a few seconds each
MANY_ROOTS = ("Chebyquad (35), 5", "Chebyquad (35), 6", "trigonometric (26), 10")  # of which all are sought, for long


def marked(classic: Classic, *longest: str) -> Any:
    is_long, is_dear = classic.name.startswith((*SLOW, *longest)), classic.name in DEAR
    return pytest.param(
        classic, id=classic.name, marks=[pytest.mark.long] if is_long else [pytest.mark.thorough] if is_dear else []
    )


BOTH = [marked(one) for one in (*MORE, *BURDEN)]
SECONDS = ("Broyden banded (31), 1000", "Broyden tridiagonal (30), 1000", "discrete boundary value (28), 1000")
SPARSE = [
    pytest.param(one, id=one.name, marks=[pytest.mark.long] if one.name in SECONDS else [])
    for one in LARGE
    if not one.name.startswith(("discrete integral", "variably"))
]


def gaps(classic: Classic, point: Any, functions: Any) -> list[Any]:
    """The gaps of the equations, worked out from their text by Python itself."""
    space = {name: getattr(functions, name) for name in ("exp", "sin", "cos", "sqrt", "sinh", "pi")}
    space |= {"atan": functions.atan if functions is mp else functions.arctan}
    space |= dict(zip(classic.unknowns, point, strict=True))
    return [eval(compile(_text(one), "", "eval"), {"__builtins__": {}}, space) for one in classic.equations]


def _text(equation: str) -> str:
    left, right = equation.split("=")
    return f"({left.strip()}) - ({right.strip()})"


def by_scipy(classic: Classic) -> np.ndarray | None:
    """What `scipy.optimize.root` comes to from the published start, if that is a solution."""
    found = optimize.root(lambda x: np.array(gaps(classic, x, np), dtype=float), classic.start, tol=1e-13)
    return found.x if np.max(np.abs(gaps(classic, found.x, np))) < 1e-8 else None


def is_solution(classic: Classic, point: list[float]) -> bool:
    """Whether the gaps are no more than a change in the twelfth digit of the unknowns makes, in fifty digits."""
    with mp.workdps(50):
        exact = [mpf(x) for x in point]
        here = gaps(classic, exact, mp)
        moved = [mpf(0)] * len(here)
        for i, x in enumerate(exact):
            aside = gaps(classic, [*exact[:i], x * (1 + mpf("1e-20")), *exact[i + 1 :]], mp)
            moved = [m + abs(a - h) for m, a, h in zip(moved, aside, here, strict=True)]
        return all(abs(h) <= mpf("1e8") * m for h, m in zip(here, moved, strict=True))


def solved(classic: Classic, hints: bool = True) -> Any:
    library = stated(classic)
    equations = [relation.written for relation in library.relations.values()]
    domains = {name: library.declared[name].domain for name in classic.unknowns}
    start = dict(zip(classic.unknowns, classic.start, strict=True))
    return solve_block(equations, classic.unknowns, {}, domains, start if hints else None)


@every("classic", BOTH, ordinary=12, thorough=4)
def test_the_known_solution_is_among_the_answers(classic: Classic) -> None:
    answers = stated(classic).solve_all("x1", "start")
    known = classic.solution or by_scipy(classic)
    if known is None:  # it comes to rest at a point that is none: the sum of squares has a valley there
        assert classic.name.startswith("trigonometric")
        assert answers
        return
    assert any(answer.base == pytest.approx(known[0], rel=1e-5, abs=1e-9) for answer in answers)
    notes = [note for answer in answers for note in answer.assumptions]
    assert all("proved" in note or "there is no certificate" in note for note in notes)


COUPLED = [
    marked(one, *MANY_ROOTS)
    for one in (*MORE, *BURDEN)
    if len(one.start) <= 10 and not one.name.startswith(("extended", "discrete integral (29), 1", *SLOW))
]


@every("classic", COUPLED, ordinary=16, thorough=4)
def test_whatever_is_found_solves_the_equations_in_fifty_digits(classic: Classic) -> None:
    outcome = solved(classic)
    assert outcome.solutions
    for solution in outcome.solutions:
        assert is_solution(classic, [solution.values[name] for name in classic.unknowns])


@every("counted", COUNTED, ids=lambda one: one.classic.name, ordinary=10, thorough=4)
def test_all_solutions_in_a_box_are_found_and_the_list_is_complete(counted: Counted) -> None:
    classic = counted.classic
    with derive.limits(seconds=120):  # so that a busy machine changes nothing
        outcome = solved(classic, hints=False)
    assert (outcome.caveat, outcome.undecided, outcome.singular) == (None, False, False)
    assert len(outcome.solutions) == counted.count
    for solution in outcome.solutions:
        assert is_solution(classic, [solution.values[name] for name in classic.unknowns])


@pytest.mark.thorough
@every("classic", SPARSE, ordinary=3)
def test_a_sparse_system_is_solved_at_once(classic: Classic) -> None:
    (answer,) = stated(classic).solve_all("x1", "start")
    if classic.solution:
        assert answer.base == pytest.approx(classic.solution[0], abs=1e-9)
    if classic.equations[0].count("x") < 12 and not classic.solution:
        solution = solved(classic).solutions[0]
        point = np.array([solution.values[name] for name in classic.unknowns])
        assert np.max(np.abs(gaps(classic, point, np))) < 1e-12
        assert answer.base == point[0]


@pytest.mark.thorough
def test_a_solution_near_the_start_is_among_those_found() -> None:
    plates = BURDEN[-1]
    for x1, x2, x3 in [(8.771286446121836, 0.25969544896745284, -1.3722813232690232), (9.7, -0.5, 4.4)]:
        outcome = solved(Classic(plates.name, plates.equations, (x1, x2, x3)))
        assert any(solution.values["x1"] == pytest.approx(x1, rel=0.01) for solution in outcome.solutions)
