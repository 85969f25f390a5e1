"""A default that decides a case, and whose quantity comes out as another number: it counts for nothing there."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pytest
import sympy

from derive import DeriveError
from tests.derive.statements import bare, number
from tests.ordinary import every

TARGETS = ("t", "y", "k")


def drawn(seed: int) -> tuple[list, dict[str, str], set[tuple[Fraction, Fraction]]]:
    """Relations for y in two cases of k, which y or a product determines; givens; the pairs of y and k that fit."""
    draw = random.Random(seed)
    border, below, above, x = (Fraction(draw.randint(2, 30), 2) for _ in range(4))
    y_of = [
        {"equation": f"y = {float(below)}*x", "when": f"k < {float(border)}"},
        {"equation": f"y = {float(above)}*x", "when": f"k >= {float(border)}"},
    ]
    values = {"below": below * x, "above": above * x}
    if draw.random() < 0.5:
        factor = Fraction(draw.randint(1, 8), 4)
        rule, numbers = f"k = {float(factor)}*y", {case: [factor * y] for case, y in values.items()}
    else:
        first, second = (Fraction(draw.randint(1, 40), 2) for _ in range(2))
        rule, numbers = f"(k - {float(first)})*(k - {float(second)}) = z", {case: [first, second] for case in values}
    pairs = {(values[case], k) for case in values for k in numbers[case] if (k < border) == (case == "below")}
    given = {"x": str(float(x)), **({"z": "0"} if "z" in rule else {})}
    return ["t = y + k", rule, *y_of], given, pairs


@pytest.mark.parametrize("target", TARGETS)
@every("seed", range(200), ordinary=15, thorough=400)
def test_what_a_default_decides_is_no_refusal_where_another_case_has_an_answer(seed: int, target: str) -> None:
    relations, given, pairs = drawn(seed)
    names = "t y k x z" if "z" in given else "t y k x"
    library = bare(names, *relations, values={"k": "1"}, domains={"z": "real"} if "z" in given else {})
    expected = {"t": [y + k for y, k in pairs], "y": [y for y, _ in pairs], "k": [k for _, k in pairs]}[target]
    try:
        answers = [number(answer) for answer in library.solve_all(target, **given)]
    except DeriveError:
        answers = []
    assert bool(answers) == bool(pairs)
    assert all(any(answer == pytest.approx(float(value)) for value in expected) for answer in answers)


@pytest.mark.parametrize(("target", "expected"), [("t", 9), ("y", 2), ("k", 4), ("u", 3)])
def test_a_default_that_nothing_refutes_still_decides_its_own_case(target, expected):
    library = bare(
        "t y k x u m",
        "t = y + k + u",
        "k = 2*y",
        {"equation": "y = x", "when": "k < 1.5"},
        {"equation": "y = 2*x", "when": "k >= 1.5"},
        {"equation": "u = 3*x", "when": "m < 2"},
        {"equation": "u = 5*x", "when": "m >= 2"},
        values={"k": "1", "m": "1"},
    )
    assert number(library.solve(target, x="1")) == expected


@dataclass(frozen=True)
class Linear:
    """`sum of coefficients*names = constant`, or another constant where a name is at most a border."""

    coefficients: dict[str, int]
    constant: int
    elsewhere: int
    deciding: str = ""
    border: Fraction = Fraction(0)

    @property
    def stated(self) -> list[dict[str, str]]:
        sides = [
            f"{' + '.join(f'({k})*{name}' for name, k in self.coefficients.items())} = {constant}"
            for constant in (self.constant, self.elsewhere)
        ]
        if not self.deciding:
            return [{"equation": sides[0]}]
        conditions = (f"{self.deciding} > {float(self.border)}", f"{self.deciding} <= {float(self.border)}")
        return [{"equation": side, "when": condition} for side, condition in zip(sides, conditions, strict=True)]


def values_over_all_cases(names: Sequence[str], relations: Sequence[Linear], typed: dict[str, int], target: str):
    """What all relations leave the target in the cases that are consistent; None where a case is not determined."""
    values = set()
    symbols = sympy.symbols([*names])
    for case in itertools.product((True, False), repeat=len(relations)):
        if any(not above and not relation.deciding for above, relation in zip(case, relations, strict=True)):
            continue
        rows = [[relation.coefficients.get(name, 0) for name in names] for relation in relations]
        right = [
            relation.constant if above else relation.elsewhere for above, relation in zip(case, relations, strict=True)
        ]
        rows += [[int(name == given) for name in names] for given in typed]
        right += [*typed.values()]
        solutions = sympy.linsolve((sympy.Matrix(rows), sympy.Matrix(right)), *symbols)
        if not solutions:
            continue
        (solution,) = solutions
        if any(value.free_symbols for value in solution):
            return None
        at = dict(zip(names, solution, strict=True))
        if all((at[r.deciding] > r.border) == above for above, r in zip(case, relations, strict=True) if r.deciding):
            values.add(at[target])
    return values


def question(seed: int):
    """Linear relations that hold at planted numbers, some under conditions; typed names, and defaults of the others."""
    draw = random.Random(f"weak {seed}")
    names = [*"abcdf"[: draw.randint(3, 5)]]
    planted = {name: draw.randint(-9, 9) for name in names}
    typed = {name: planted[name] for name in draw.sample(names, draw.randint(1, 2))}
    relations = []
    for _ in range(len(names) - len(typed)):
        coefficients = {name: draw.choice((-2, -1, 1, 2)) for name in draw.sample(names, draw.randint(2, 3))}
        here = sum(k * planted[name] for name, k in coefficients.items())
        other = here + draw.choice((-3, -1, 1, 2, 5))
        if draw.random() < 0.4:
            relations.append(Linear(coefficients, here, here))
            continue
        deciding, border = draw.choice(names), draw.randint(-8, 8) + Fraction(1, 2)
        above, below = (here, other) if planted[deciding] > border else (other, here)
        relations.append(Linear(coefficients, above, below, deciding, border))
    open_names = [name for name in names if name not in typed]
    defaults = {name: str(draw.randint(-9, 9)) for name in open_names if draw.random() < 0.7}
    return names, relations, typed, defaults, draw.choice(open_names)


def expect_what_typed_values_leave(seed: int) -> None:
    """Where all cases leave the target one number, each verb gives it, whatever the defaults are."""
    names, relations, typed, defaults, target = question(seed)
    values = values_over_all_cases(names, relations, typed, target)
    if values is None or len(values) != 1:
        return
    expected = pytest.approx(float(values.pop()))
    stated = [entry for relation in relations for entry in relation.stated]
    library = bare(" ".join(names), *stated, domains=dict.fromkeys(names, "real"), values=defaults)
    assert number(library.solve(target, **typed)) == expected
    assert library.compile(target, list(typed))(**typed) == expected
    (axis, at), *others = typed.items()
    assert library.sweep(target, **{axis: [at, at]}, **dict(others)).columns[target].tolist() == [expected, expected]


@every("seed", range(1200), ordinary=20, thorough=6)
def test_no_default_goes_past_what_typed_values_leave_over_all_cases(seed: int) -> None:
    expect_what_typed_values_leave(seed)


@pytest.mark.parametrize("seed", [125, 140, 150, 547, 758, 769, 865, 1063])
def test_nor_where_one_of_the_ways_to_see_it_is_needed(seed: int) -> None:
    """By the plan, by conditions, by what decided them, with rivals among them, without a case, or along an axis."""
    expect_what_typed_values_leave(seed)


@pytest.mark.parametrize("values", [{}, {"c": "7"}, {"b": "4", "c": "7"}])
def test_a_default_that_decides_for_a_case_without_a_solution_is_no_refusal(values: dict[str, str]) -> None:
    library = bare(
        "b c d",
        {"equation": "b = 0.375*d**2*c", "when": "c > 2.75"},
        {"equation": "b = 0.75*d**2*c", "when": "c <= 2.75"},
        "b = 0.375*c**2",
        values=values,
    )
    assert number(library.solve("b", d=1)) == pytest.approx(1.5)


def test_what_a_profile_states_against_what_typed_values_leave_over_all_cases_fails_its_check():
    library = bare(
        "a b c d",
        {"equation": "d = c - 5", "when": "a > -4.5"},
        {"equation": "d = c - 6", "when": "a <= -4.5"},
        "a = d + c + 11",
        {"equation": "b = 2*c - d - 1", "when": "c > 1.5"},
        {"equation": "b = 2*c - d - 4", "when": "c <= 1.5"},
        domains=dict.fromkeys("abcd", "real"),
        profiles={"measured": {"a": "-9"}},
    )
    answer = library.solve("c", "measured", b=-1)
    assert number(answer) == -2
    assert [check.name for check in answer.failed] == ["a"]
