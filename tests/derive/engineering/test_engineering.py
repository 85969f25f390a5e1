"""The second subject holds what it promises: sourced relations, published examples, and the same examples backwards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from pathlib import Path

import pytest
import tomli

import derive
from derive import AmbiguousError, DeriveError, LimitError, UnderdeterminedError
from derive.library import Library
from derive.relation_files.loading import Example
from quantities.value import read_value
from tests.derive.terminal import ask

HOME = Path(derive.__file__).parent / "engineering"
NAMES = sorted(path.stem for path in HOME.glob("*.toml"))
TABLES = {name: tomli.loads((HOME / f"{name}.toml").read_text(encoding="utf-8")) for name in NAMES}
EXAMPLES = {
    f"{file}-{name}": (file, Example(name, said["asked"], tuple(said.get("profiles", ())), said["given"], ()))
    for file, table in TABLES.items()
    for name, said in table["examples"].items()
    if said["expected"] != "impossible" and "given" in said
}
DEAR = {"beams-pure_shear_yields"}  # seconds each
DEAREST = {
    "heat-transfer-oil_cooler",
    "heat-transfer-oil_cooler_duty",
    "pipes-oil_diameter_from_head",
}  # up to a minute
NUDGE, MOVED = 1e-3, 1e-6  # a given that is moved by so much moves an answer that depends on it by more than so much
SLOW = {"balanced_exchanger"}  # whose capacity rates stand in a minimum, in a maximum and in conditions


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_consistent_and_its_examples_come_out(name: str) -> None:
    assert derive.check(name) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_relation_says_where_it_comes_from_and_every_quantity_what_it_is(name: str) -> None:
    library = derive.load(name)
    assert [one.name for one in library.relations.values() if not one.source] == []
    assert [one.name for one in library.declared.values() if not one.meaning or not one.latex] == []
    assert [said for said in TABLES[name]["examples"].values() if not said["source"]] == []


def test_there_is_enough_of_it_to_be_a_subject() -> None:
    assert sum(len(table["relations"]) for table in TABLES.values()) > 200
    published = [
        said
        for table in TABLES.values()
        for said in table["examples"].values()
        if not said["source"].startswith("computed by hand")
    ]
    assert len(published) >= 40


def test_all_files_and_the_built_in_library_can_be_asked_together() -> None:
    held = {name: derive.load(name) for name in (*NAMES, "llm")}
    whole = reduce(or_, held.values())
    assert whole.relations.keys() == {name for library in held.values() for name in library.relations}


_loaded = cache(derive.load)


def _asked(library: Library, example: Example, given: Mapping[str, object]) -> float:
    base = library.solve(example.asked, *example.profiles, **given).base
    assert base is not None
    return base


def _depends(library: Library, example: Example, name: str) -> bool:
    """Whether the example's answer moves with a given, by an independent route: the question is asked beside it."""
    value = read_value(example.given[name])
    unit = library.declaration(name).unit
    here = value.base[1]
    beside = here * (1 + NUDGE) if here else NUDGE * abs(_asked(library, example, example.given))
    moved = {**example.given, name: f"{unit.from_base(beside)!r} {unit.text}"}
    before, after = _asked(library, example, example.given), _asked(library, example, moved)
    return not math.isclose(before, after, rel_tol=MOVED)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    "label",
    [
        pytest.param(one, marks=pytest.mark.long if one in DEAREST else pytest.mark.thorough if one in DEAR else ())
        for one in EXAMPLES
    ],
)
def test_an_example_asked_backwards_gives_its_givens_back(label: str) -> None:
    file, example = EXAMPLES[label]
    library = _loaded(file)
    answer = library.solve(example.asked, *example.profiles, **example.given)
    for name, text in example.given.items():
        if example.name in SLOW and name.endswith("_rate"):
            continue
        others = {other: value for other, value in example.given.items() if other != name}
        try:
            with derive.limits(seconds=60 if _depends(library, example, name) else 2):
                found = library.solve_all(name, *example.profiles, **others, **{example.asked: answer.value})
        except (UnderdeterminedError, LimitError):
            assert not _depends(library, example, name), name
            continue
        wanted = read_value(text).base[1]
        assert any(_holds(one, wanted) for one in found), (name, wanted, found)


def _holds(answer: derive.Answer, wanted: float) -> bool:
    """Whether an answer is the wanted number, or an interval that contains it."""
    if answer.base is None:
        assert answer.bounds is not None
        low, high = answer.bounds
        return low <= wanted * (1 + MOVED) and wanted <= high * (1 + MOVED)
    return math.isclose(answer.base, wanted, rel_tol=MOVED, abs_tol=NUDGE if wanted == 0 else 0)


@pytest.mark.thorough
def test_colebrook_decides_and_its_fits_are_checks() -> None:
    for reynolds in (4e3, 1e5, 3e6, 1e8):
        for rough in (0.0, 1e-5, 1e-3, 0.05):
            answer = derive.load("pipes").solve("friction_factor", reynolds_number=reynolds, relative_roughness=rough)
            factor = answer.base
            assert factor is not None
            right = -2 * math.log10(rough / 3.7 + 2.51 / (reynolds * math.sqrt(factor)))
            assert 1 / math.sqrt(factor) == pytest.approx(right, rel=1e-9)
            assert all(check.passed for check in answer.checks)
            assert "haaland" in {check.name for check in answer.checks}


def test_a_friction_factor_needs_a_roughness_and_not_the_crossing_of_two_fits() -> None:
    with pytest.raises(UnderdeterminedError) as caught:
        derive.load("pipes").solve("friction_factor", reynolds_number=1e5)
    assert ("relative_roughness",) in caught.value.missing


def test_between_laminar_and_turbulent_no_formula_is_used() -> None:
    with pytest.raises(UnderdeterminedError, match="laminar_friction is left out, because reynolds_number <= 2300"):
        derive.load("pipes").solve("friction_factor", reynolds_number=3000, relative_roughness=0.001)


def test_a_velocity_from_a_head_loss_says_that_the_flow_may_be_neither() -> None:
    answer = derive.load("pipes").solve(
        "velocity",
        kinematic_viscosity="2e-5 m**2/s",
        pipe_diameter="0.3 m",
        pipe_length="100 m",
        friction_head="8 m",
        relative_roughness=0.0002,
    )
    assert "where reynolds_number > 2300 and reynolds_number < 4000, nothing determines velocity" in answer.assumptions


@pytest.mark.thorough
def test_a_column_is_assumed_to_be_slender_unless_its_strength_is_known() -> None:
    tube = {"bore_diameter": "39.5 mm", "youngs_modulus": "200 GPa"}
    beams = derive.load("round-beams")
    slender = beams.solve("bar_diameter", "pinned-column", column_length="2.7 m", buckling_load="19.8 kN", **tube)
    assert slender.value.to("mm").magnitude == pytest.approx(44.5, rel=1e-3)
    assert "euler is assumed to apply: slenderness >= limit_slenderness" in slender.assumptions
    short = beams.solve(
        "column_length",
        "pinned-column",
        bar_diameter="44.5 mm",
        buckling_load="90 kN",
        yield_strength="324 MPa",
        **tube,
    )
    assert [step.relation for step in short.steps if "buckling_load" in step.equation] == ["johnson"]


@pytest.mark.thorough
def test_a_principal_stress_fixes_the_tension_behind_it() -> None:
    beams = derive.load("beams")
    for tension in (80.0, 0.5, -30.0, 4000.0):
        given = {"normal_stress_y": "0 MPa", "shear_stress_xy": "50 MPa"}
        forward = beams.solve("second_principal", normal_stress_x=f"{tension} MPa", **given)
        back = beams.solve("normal_stress_x", second_principal=forward.value, **given)
        assert back.value.to("MPa").magnitude == pytest.approx(tension, rel=1e-6)


def test_sides_of_a_standing_wave_are_told_apart() -> None:
    with pytest.raises(AmbiguousError) as caught:
        derive.load("circuits").solve("end_resistance", standing_wave_ratio=1.5, line_impedance="50 ohm")
    values = [answer.value.to("ohm").magnitude for answer in caught.value.answers]
    assert values == pytest.approx([100 / 3, 75])


def test_what_breaks_the_second_law_is_refused() -> None:
    with pytest.raises(DeriveError):
        derive.load("heat-pumps").solve(
            "carnot_share", heating_cop=13, sink_temperature="25 degC", source_temperature="0 degC"
        )


@pytest.mark.thorough
def test_the_libraries_are_listed_shown_and_asked_by_name() -> None:
    listed = ask("list", "libraries")
    assert listed.status == 0
    for name in (*NAMES, "llm"):
        assert f"\n{name} " in listed.out
    assert "title       Flow in pipes" in ask("show", "pipes").out
    flow = ("velocity=1 m/s", "pipe_diameter=1 m", "kinematic_viscosity=1 cm**2/s")
    asked = ask("solve", "reynolds_number", *flow, "--library", "pipes")
    assert (asked.status, asked.out) == (0, "reynolds_number = 10000\n")
