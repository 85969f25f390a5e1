"""Problems of global optimisation with published optima (`problems.toml` names the sources), each with its proof."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import derive
from tests.derive.statements import bare
from tests.ordinary import every

PROBLEMS = tomllib.loads(Path(__file__).with_name("problems.toml").read_text(encoding="utf-8"))
QUICK = {name: one for name, one in PROBLEMS.items() if not one.get("long")}
SLOW = {name: one for name, one in PROBLEMS.items() if one.get("long")}


def asked(problem):
    kinds = {name: "0..1000, whole" if name in problem.get("whole", ()) else "real" for name in problem["ranges"]}
    relations = [f"f = {problem['goal']}", *problem.get("equations", ())]
    library = bare(" ".join(["f", *kinds]), *relations, domains={"f": "real", **kinds})
    return library.least("f", such_that=problem.get("limits", ()), **problem["ranges"])


def prove(problem):
    found = asked(problem)
    assert found.value.magnitude == pytest.approx(problem["optimum"], rel=1e-7, abs=1e-7)
    assert found.proved
    assert found.gap <= 1e-6
    assert not found.answer.failed
    for name in problem.get("whole", ()):
        assert found.at[name].magnitude.is_integer()


@pytest.mark.thorough
@every("name", QUICK, ordinary=10, thorough=12)
def test_the_published_optimum_is_found_and_proved(name):
    prove(PROBLEMS[name])


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_the_published_optimum_is_found_and_proved_in_time(name):
    with derive.limits(seconds=300):
        prove(PROBLEMS[name])


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("name", ["hs18", "hs24", "hs66", "floudas_4_9"])
def test_the_greatest_of_the_negative_is_the_least(name):
    problem = PROBLEMS[name]
    mirrored = bare(
        " ".join(["f", *problem["ranges"]]),
        f"f = -({problem['goal']})",
        domains=dict.fromkeys(["f", *problem["ranges"]], "real"),
    )
    found = mirrored.most("f", such_that=problem["limits"], **problem["ranges"])
    assert found.value.magnitude == pytest.approx(-problem["optimum"], rel=1e-7)
    assert found.proved
