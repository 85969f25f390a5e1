"""The systems of `systems.toml`: what is fixed comes out right, and what is not is refused for the right reason."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import derive
from derive import InconsistentError, Library, NoSolutionError, UnderdeterminedError
from tests.derive import statements
from tests.ordinary import every

ERRORS = {
    "inconsistent": InconsistentError,
    "no solution": NoSolutionError,
    "underdetermined": UnderdeterminedError,
}
SYSTEMS: dict[str, dict[str, Any]] = {
    system["name"]: system
    for system in tomllib.loads(Path(__file__).with_name("systems.toml").read_text(encoding="utf-8"))["system"]
}
SOLVABLE = [
    (name, target, [text] if isinstance(text, str) else text)
    for name, system in SYSTEMS.items()
    for part in ("expected", "expected_all", "determinable")
    for target, text in system.get(part, {}).items()
]
REFUSED = [
    (name, target, ERRORS[system["status"]])
    for name, system in SYSTEMS.items()
    if system.get("status", "underdetermined") != "underdetermined"
    for target in system["units"]
    if target not in system["knowns"]
]
OPEN = [(name, target) for name, system in SYSTEMS.items() for target in system.get("undeterminable", ())]


@cache
def library(name: str) -> Library:
    system = SYSTEMS[name]
    return statements.library(system["units"], *system["equations"], domains=system.get("domains"))


@cache
def ask(name: str, target: str) -> tuple[Any, ...]:
    return library(name).solve_all(target, **SYSTEMS[name]["knowns"])


def base(text: str) -> float:
    return float(derive.units.Quantity(text).to_base_units().magnitude)


@pytest.mark.thorough
@every(("name", "target", "texts"), SOLVABLE, ids=[f"{n}-{t}" for n, t, _ in SOLVABLE], ordinary=16, thorough=12)
def test_every_quantity_that_is_fixed_comes_out_right(name, target, texts):
    found = [answer.value.to_base_units().magnitude for answer in ask(name, target)]
    expected = [base(text) for text in texts]
    assert sorted(found) == pytest.approx(sorted(_distinct(expected)), rel=1e-8, abs=1e-12)


def _distinct(expected: list[float]) -> list[float]:
    found: list[float] = []
    for one in sorted(expected):
        if not found or abs(one - found[-1]) > 1e-9 * abs(one):
            found.append(one)
    return found


@pytest.mark.parametrize(("name", "target", "error"), REFUSED, ids=[f"{n}-{t}" for n, t, _ in REFUSED])
def test_what_cannot_be_is_refused(name, target, error):
    either = (error, NoSolutionError) if name == "alloys_of_one_composition" else error
    with pytest.raises(either):
        ask(name, target)


INCONSISTENT = [(n, t) for n, t, error in REFUSED if error is InconsistentError and n != "alloys_of_one_composition"]


@pytest.mark.parametrize(("name", "target"), INCONSISTENT)
def test_a_contradiction_names_what_contradicts(name, target):
    with pytest.raises(InconsistentError) as caught:
        ask(name, target)
    assert caught.value.conflicts
    assert caught.value.gap > 0


@pytest.mark.parametrize(("name", "target"), OPEN)
def test_what_is_not_fixed_is_underdetermined_and_one_more_given_is_asked_for(name, target):
    with pytest.raises(UnderdeterminedError) as caught:
        ask(name, target)
    assert caught.value.missing


@every("name", [n for n, s in SYSTEMS.items() if s.get("status") != "inconsistent"], ordinary=3)
def test_a_given_asked_for_is_given_back(name):
    target, text = next(iter(SYSTEMS[name]["knowns"].items()))
    if SYSTEMS[name].get("status") == "no solution":
        return
    assert library(name).solve(target, **SYSTEMS[name]["knowns"]).value.to_base_units().magnitude == pytest.approx(
        _known(name, target, text)
    )


def _known(name: str, target: str, text: str) -> float:
    unit = SYSTEMS[name]["units"][target]
    return base(text if not _is_number(text) else f"{text} {unit if unit not in ('', '1') else 'dimensionless'}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
