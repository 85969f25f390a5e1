"""Equations that the target does not need, and that contradict each other, are told; those that agree are not.

Exact elimination of all quantities is the oracle (`linear_cases`).
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import derive
from derive import InconsistentError
from tests.derive.linear_cases import Cases, Form, Way, decimal, minus, written
from tests.ordinary import every

GAPS = (Fraction(0), Fraction(1, 100), Fraction(-3))


def drawn_form(draw: random.Random, names: list[str]) -> Form:
    chosen = draw.sample(names, draw.randint(1, len(names)))
    return {name: Fraction(draw.choice((-20, -10, -5, 3, 10, 43)), 10) for name in chosen}


def state(cases: Cases, form: Form, gap: Fraction, held: dict[str, Fraction] | None) -> None:
    """State that a form has its number, but for a gap: as a constant, or as a given among those that are `held`."""
    number = sum((factor * cases.numbers[name] for name, factor in form.items()), gap)
    side = {"": number}
    if held is not None:
        name = f"c{len(held)}"
        cases.names.append(name)
        held[name] = number
        side = {name: Fraction(1)}
    cases.relations.append((f"{written(form)} = {written(side)}", ()))
    cases.ways.append((Way((minus(form, side),), ()),))


def beside_the_target(draw: random.Random, *, by_givens: bool) -> tuple[Cases, dict[str, Fraction]]:
    """A target that one relation fixes, and dependent relations for two or three others, whose constants may clash."""
    cases = Cases()
    for name in ("x", "u", "v", "w")[: draw.randint(3, 4)]:
        cases.names.append(name)
        cases.numbers[name] = Fraction(draw.randint(-90, 90), 10)
    others = cases.names[1:]
    held: dict[str, Fraction] | None = {} if by_givens else None
    state(cases, {"x": Fraction(-2)}, Fraction(0), None)
    forms = [{**drawn_form(draw, others), **drawn_form(draw, ["x"])} for _ in others[1:]]
    total: Form = {}
    for form in forms:
        state(cases, form, Fraction(0), held)
        share = Fraction(draw.choice((-15, -5, 5, 20)), 10)
        total = minus(total, {name: share * factor for name, factor in form.items()})
    if total:
        state(cases, total, draw.choice(GAPS), held)
    return cases, held or {}


@every("seed", range(120), ordinary=4)
@pytest.mark.parametrize("by_givens", [False, True])
def test_equations_that_contradict_each_other_beside_the_target_are_told(seed: int, by_givens: bool) -> None:
    cases, held = beside_the_target(random.Random(f"beside {seed}"), by_givens=by_givens)
    library = derive.load(cases.text)
    given = {name: decimal(number) for name, number in held.items()}
    if cases.values("x", {name: (number, number) for name, number in held.items()}):
        assert library.solve("x", **given).base == pytest.approx(float(cases.numbers["x"]), abs=1e-9)
    else:
        with pytest.raises(InconsistentError):
            library.solve("x", **given)
