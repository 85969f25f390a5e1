"""An estimate of what another relation over the same quantities says is a check, and never a further equation."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import UnderdeterminedError
from derive.planning.incidence import structure_of

EXACT = {"x**2 + y**2 = 2*s**2": "implicit", "y = 3*x + s": "written for y"}
ESTIMATES = ["y = 3.01*x + s", "x/y = 0.4*s/y", "1/s = 1.01/y + x/s**2", "s = y - 2.99*x"]


def library(exact: str, *estimates: str) -> derive.Library:
    names = "".join(f'{name} = {{ unit = "" }}\n' for name in "xys")
    lines = "".join(
        f'estimate_{i} = {{ equation = "{one}", approximate = "3 %" }}\n' for i, one in enumerate(estimates)
    )
    return derive.load(f'[quantities]\n{names}[relations]\n{lines}exact = {{ equation = "{exact}" }}\n')


@pytest.mark.parametrize("exact", EXACT)
@given(
    estimates=st.lists(st.sampled_from(ESTIMATES), min_size=1, max_size=3, unique=True), known=st.sampled_from("xys")
)
def test_one_known_of_three_fixes_nothing(exact: str, estimates: list[str], known: str) -> None:
    asked = library(exact, *estimates)
    for target in {*"xys"} - {known}:
        with pytest.raises(UnderdeterminedError):
            asked.solve(target, **{known: 1})
        assert target not in asked.reach(given=[known])


@pytest.mark.parametrize("exact", EXACT)
@given(
    estimates=st.lists(st.sampled_from(ESTIMATES), max_size=3, unique=True),
    number=st.floats(0.1, 10),
    share=st.floats(0.05, 0.9),
)
def test_the_exact_relation_alone_decides_the_value(
    exact: str, estimates: list[str], number: float, share: float
) -> None:
    question = {"s": number, "x": number * share}
    alone, beside = (library(exact, *one).solve("y", **question) for one in ((), estimates))
    assert alone.base is not None
    assert beside.base is not None
    assert math.isclose(alone.base, beside.base, rel_tol=1e-12)
    assert {check.name for check in beside.checks} == {f"estimate_{i}" for i in range(len(estimates))}


def test_of_two_estimates_over_the_same_quantities_the_first_decides() -> None:
    names = 'x = { unit = "" }\ny = { unit = "" }\n'
    lines = "".join(
        f'{name} = {{ equation = "{one}", approximate = "5 %" }}\n'
        for name, one in (("first", "y**2 = x"), ("second", "x = 1.02*y**2"))
    )
    asked = derive.load(f"[quantities]\n{names}[relations]\n{lines}")
    assert asked.solve("y", x=4).base == pytest.approx(2)
    with pytest.raises(UnderdeterminedError):
        asked.solve("x")


def test_an_estimate_over_other_quantities_is_still_an_equation() -> None:
    names = 'x = { unit = "" }\ny = { unit = "" }\nz = { unit = "" }\n'
    lines = 'exact = { equation = "y = 2*x" }\nother = { equation = "z = x + y", approximate = "5 %" }\n'
    asked = derive.load(f"[quantities]\n{names}[relations]\n{lines}")
    assert asked.solve("x", z=3).base == pytest.approx(1)


DETAILED = {"exact": "y = a*b + c", "less": "y = a*b", "least": "y = 1.2*a", "more": "y = a*b + c + 0.01*d"}
NAMES_IN = {"exact": "yabc", "less": "yab", "least": "ya", "more": "yabcd"}
HIDDEN = {"a": 2.0, "b": 3.0, "c": 0.25, "d": 1.0, "y": 6.25}


@pytest.mark.parametrize("estimates", [("less",), ("more",), ("less", "least"), ("more", "less"), ("least", "more")])
@pytest.mark.parametrize("exact", [True, False], ids=["beside an exact one", "alone"])
@given(known=st.sets(st.sampled_from("abcdy"), min_size=1, max_size=4), target=st.sampled_from("abcdy"))
def test_an_estimate_in_less_or_more_detail_takes_the_place_of_a_relation_and_is_never_solved_beside_it(
    estimates: tuple[str, ...], exact: bool, known: set[str], target: str
) -> None:
    names = "".join(f'{name} = {{ unit = "" }}\n' for name in HIDDEN)
    chosen = ("exact", *estimates) if exact else estimates
    width = {name: "" if name == "exact" else ', approximate = "9 %"' for name in chosen}
    lines = "".join(f'{name} = {{ equation = "{DETAILED[name]}"{width[name]} }}\n' for name in chosen)
    asked = derive.load(f"[quantities]\n{names}[relations]\n{lines}")
    given = {name: HIDDEN[name] for name in known - {target}}
    lead_to_target = [name for name in chosen if set(NAMES_IN[name]) - given.keys() == {target}]
    try:
        answer = asked.solve(target, **given)
    except UnderdeterminedError:
        assert target not in asked.reach(given=list(given))
        assert not lead_to_target
        return
    except derive.DeriveError:  # more detail than there is: what it leaves for the target may be less than nothing
        assert target in asked.reach(given=list(given))
        return
    assert target in asked.reach(given=list(given))
    assert len(answer.steps) == 1
    used = answer.steps[0].relation
    assert used in lead_to_target
    known_ones = {*given, target}
    assert used == "exact" or not exact or not {"y", "a", "b", "c"} <= known_ones or target == "d"


def test_formulas_for_different_cases_estimate_nothing_of_each_other() -> None:
    cases = derive.load("""
    [quantities]
    speed = { unit = "" }
    width = { unit = "" }
    flow = { unit = "" }
    [relations]
    slow = { equation = "flow = 2*speed", when = ["speed < 1"] }
    fast = { equation = "flow = 3*speed*width", when = ["speed >= 1"], approximate = "5 %" }
    """)
    assert cases.solve("flow", speed=2, width=5).base == pytest.approx(30)
    assert cases.solve("flow", speed=0.5, width=5).base == pytest.approx(1)
    assert structure_of(cases).alternatives == ()
