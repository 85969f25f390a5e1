"""Where formulas of engineering end is said, and what they hold for is answered, against plain Python."""

from __future__ import annotations

import cmath
import math
import random
from functools import cache
from itertools import product

import pytest

import derive
from derive import Answer, DeriveError, InconsistentError, NoSolutionError, UnderdeterminedError

load = cache(derive.load)


def failing(answer: Answer) -> set[str]:
    """The names of the checks that do not hold, which stand under the headline."""
    return {check.name for check in answer.failed}


@pytest.mark.thorough
def test_a_column_bends_out_across_its_thinner_side() -> None:
    draw = random.Random(1)
    for _ in range(10):
        width, height, length = draw.uniform(20, 200), draw.uniform(20, 200), draw.uniform(3, 9)
        given = {"section_width": f"{width!r} mm", "section_height": f"{height!r} mm", "youngs_modulus": "11 GPa"}
        answer = load("rectangular-beams").solve(
            "buckling_load", "pinned-column", column_length=f"{length!r} m", **given
        )
        thin, thick = sorted((width / 1000, height / 1000))
        wanted = math.pi**2 * 11e9 * thick * thin**3 / 12 / length**2
        assert answer.base == pytest.approx(wanted, rel=1e-9)
        slenderness = load("rectangular-beams").solve(
            "slenderness", "pinned-column", column_length=f"{length!r} m", **given
        )
        assert slenderness.base == pytest.approx(length * math.sqrt(12) / thin, rel=1e-9)


def test_a_buckling_load_says_below_it_that_eulers_validity_is_not_known() -> None:
    column = {"section_width": "50 mm", "section_height": "60 mm", "youngs_modulus": "200 GPa", "column_length": "3 m"}
    said = "yield_strength is not given: euler is assumed to apply: slenderness >= limit_slenderness"
    answer = load("rectangular-beams").solve("buckling_load", "pinned-column", **column)
    assert str(answer).splitlines()[1] == f"  {said}"
    known = load("rectangular-beams").solve("buckling_load", "pinned-column", yield_strength="250 MPa", **column)
    assert "is not given" not in str(known)
    given = {"youngs_modulus": "200 GPa", "second_moment": "100 cm**4", "column_length": "3 m"}
    bare = load("beams").solve("buckling_load", "pinned-column", **given)
    assert (
        str(bare).splitlines()[1].endswith("are not given: euler is assumed to apply: slenderness >= limit_slenderness")
    )
    assert "yield_strength" in str(bare).splitlines()[1]


def test_a_round_column_has_no_weak_axis() -> None:
    tube = {
        "bar_diameter": "44.5 mm",
        "bore_diameter": "39.5 mm",
        "column_length": "2.7 m",
        "youngs_modulus": "200 GPa",
    }
    answer = load("round-beams").solve("buckling_load", "pinned-column", **tube)
    moment = math.pi / 64 * (0.0445**4 - 0.0395**4)
    assert answer.base == pytest.approx(math.pi**2 * 200e9 * moment / 2.7**2, rel=1e-9)


JUMP = {"depth_before_jump": "0.3 m"}
FLOWS = (
    {"flow_per_width": "2 m**2/s"},
    {"channel_flow": "10 m**3/s", "bottom_width": "5 m"},
    {"channel_flow": "10 m**3/s", "bottom_width": "5 m", "side_slope": 0},
)


def loss_of_jump(flow: float, before: float) -> float:
    """The head that a jump loses, by the formulas of Belanger."""
    froude = flow / (before * math.sqrt(9.80665 * before))
    after = before / 2 * (math.sqrt(1 + 8 * froude**2) - 1)
    return (after - before) ** 3 / (4 * before * after)


@pytest.mark.parametrize("asked", ["depth_after_jump", "froude_before_jump", "critical_depth"])
@pytest.mark.parametrize("flow", FLOWS, ids=["per width", "and width", "and sides"])
def test_the_loss_of_a_jump_that_its_flow_contradicts_is_told(flow: dict[str, str], asked: str) -> None:
    """The standard acceleration of free fall is what gives way; that is no silent matter."""
    for loss, agrees in ((loss_of_jump(2, 0.3), True), (5.0, False)):
        try:
            answer = load("channels").solve(asked, jump_loss=f"{loss!r} m", **JUMP, **flow)
        except InconsistentError:
            assert not agrees
            continue
        assert (answer.failed == ()) is agrees, answer.text()
        assert not {*answer.unused} - {"side_slope"}  # by which the flow is that of a rectangle


@pytest.mark.parametrize("asked", ["head_loss", "friction_head", "velocity_head"])
@pytest.mark.parametrize("by_profile", [True, False])
def test_a_roughness_that_the_friction_factor_contradicts_is_told(asked: str, by_profile: bool) -> None:
    water = {"fluid_density": "998.2 kg/m**3", "dynamic_viscosity": "1.002 mPa*s"}
    given = {"flow_rate": "10 l/s", "pipe_diameter": "100 mm", "pipe_length": "100 m", "friction_factor": 0.02}
    roughness = 0.1 * 3.7 * (10 ** (-1 / (2 * math.sqrt(0.02))) - 2.51 / (reynolds_of(0.01, 0.1) * math.sqrt(0.02)))
    profiles = ("water-20C",) if by_profile else ()
    given |= {} if by_profile else water
    for rough, agrees in ((roughness, True), (0.003, False)):
        try:
            answer = load("pipes").solve(asked, *profiles, roughness=f"{rough!r} m", **given)
        except InconsistentError:
            assert not by_profile  # what is typed binds, and what a profile states does not
            assert not agrees
            continue
        assert ("colebrook" in failing(answer)) is not agrees, answer.text()
        assert "roughness" not in answer.unused


def reynolds_of(flow: float, diameter: float) -> float:
    """The Reynolds number of water at 20 degC in a pipe."""
    return 4 * flow / (math.pi * diameter) * 998.2 / 1.002e-3


def test_what_yields_sags_or_buckles_beyond_its_formula_says_so() -> None:
    beam = {"span": "5 m", "uniform_load": "1000 kN/m", "section_width": "50 mm", "section_height": "100 mm"}
    rectangular = load("rectangular-beams")
    yields = rectangular.solve("bending_stress", "simply-supported", yield_strength="250 MPa", **beam)
    assert failing(yields) == {"does_not_yield"}
    sags = rectangular.solve("deflection", "simply-supported", youngs_modulus="200 GPa", **beam)
    assert "sags_little" in failing(sags)
    assert "does not hold" in str(sags).splitlines()[1]
    stocky = rectangular.solve(
        "buckling_stress",
        "pinned-column",
        section_width="100 mm",
        section_height="100 mm",
        column_length="0.5 m",
        youngs_modulus="200 GPa",
    )
    assert failing(stocky) == {"buckles_elastically"}
    light = {**beam, "uniform_load": "0.5 kN/m"}
    usual = rectangular.solve("bending_stress", "simply-supported", yield_strength="250 MPa", **light)
    assert failing(usual) == set()


def test_a_measuring_orifice_is_narrower_than_its_pipe() -> None:
    meter = {"discharge_coefficient": 0.6, "meter_pressure_drop": "10 kPa", "fluid_density": "1000 kg/m**3"}
    pipes = load("pipes")
    with pytest.raises(DeriveError):
        pipes.solve("flow_rate", orifice_diameter="99.9 mm", pipe_diameter="100 mm", **meter)
    share = 0.7
    flow = 0.6 * math.pi / 4 * 0.07**2 * math.sqrt(2 * 10e3 / 1000 / (1 - share**4))
    answer = pipes.solve("flow_rate", orifice_diameter="70 mm", pipe_diameter="100 mm", **meter)
    assert answer.base == pytest.approx(flow, rel=1e-9)
    (only,) = pipes.solve_all("orifice_diameter", flow_rate=f"{flow!r} m**3/s", pipe_diameter="100 mm", **meter)
    assert only.base == pytest.approx(0.07, rel=1e-9)


def test_hazen_and_williams_measured_water() -> None:
    pipe = {"pipe_diameter": "0.3 m", "pipe_length": "100 m", "flow_rate": "0.1 m**3/s"}
    pipes = load("pipes")
    with pytest.raises(DeriveError, match="hazen_williams is left out"):
        pipes.solve("hazen_williams_head", hazen_williams_coefficient=130, kinematic_viscosity="1e-4 m**2/s", **pipe)
    water = pipes.solve(
        "hazen_williams_head", hazen_williams_coefficient=130, kinematic_viscosity="1e-6 m**2/s", **pipe
    )
    velocity = 0.1 / (math.pi / 4 * 0.3**2)
    assert water.base == pytest.approx(100 * (velocity / (0.849 * 130 * 0.075**0.63)) ** (1 / 0.54), rel=1e-9)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("compressor_power", {"heating_cop": 13, "heating_power": "10 kW"}),
        ("heating_power", {"cooling_power": "12.5 kW", "compressor_power": "1 kW", "heating_cop": 13.5}),
        ("cooling_power", {"cooling_cop": 12, "compressor_power": "1 kW"}),
    ],
)
def test_nothing_is_better_than_carnot_whatever_is_asked(asked: str, given: dict[str, object]) -> None:
    pumps = load("heat-pumps")
    with pytest.raises(InconsistentError, match="second_law"):
        pumps.solve(asked, sink_temperature="25 degC", source_temperature="0 degC", **given)
    assert pumps.solve(asked, sink_temperature="21 degC", source_temperature="0 degC", **given).base


def test_the_american_ratio_is_not_the_coefficient_of_performance() -> None:
    ratio = load("heat-pumps").solve("energy_efficiency_ratio", cooling_cop=3)
    assert ratio.value.magnitude == pytest.approx(3 * 3.412142, rel=1e-5)
    back = load("heat-pumps").solve("cooling_cop", energy_efficiency_ratio="12 BTU/(W*h)")
    assert back.value.magnitude == pytest.approx(12 / 3.412142, rel=1e-5)


def test_a_coil_or_a_capacitor_stands_alone_beside_a_resistor() -> None:
    draw = random.Random(2)
    circuits = load("circuits")
    for _ in range(5):
        resistance, frequency = 10 ** draw.uniform(0, 4), 10 ** draw.uniform(1, 5)
        turn = 2 * math.pi * frequency
        common = {"resistance": f"{resistance!r} ohm", "frequency": f"{frequency!r} Hz"}
        inductance, capacitance = (
            resistance / turn * draw.uniform(0.1, 10),
            1 / resistance / turn * draw.uniform(0.1, 10),
        )
        coil, plates = {"inductance": f"{inductance!r} H"}, {"capacitance": f"{capacitance!r} F"}
        for part, phasor in (
            (coil, complex(resistance, turn * inductance)),
            (plates, complex(resistance, -1 / (turn * capacitance))),
            ({**coil, **plates}, complex(resistance, turn * inductance - 1 / (turn * capacitance))),
        ):
            wanted = {
                "impedance": abs(phasor),
                "phase_angle": cmath.phase(phasor),
                "power_factor": phasor.real / abs(phasor),
            }
            for name, value in wanted.items():
                answer = circuits.solve(name, **common, **part)
                assert answer.base == pytest.approx(value, rel=1e-9, abs=1e-12), (name, part)


def test_a_coil_or_a_capacitor_alone_tells_the_frequency_of_its_impedance() -> None:
    circuits = load("circuits")
    given = {"resistance": "40 ohm", "impedance": "50 ohm"}
    coil = circuits.solve("frequency", inductance="3 mH", **given)
    assert coil.base == pytest.approx(30 / (2 * math.pi * 3e-3), rel=1e-9)
    plates = circuits.solve("frequency", capacitance="5 uF", **given)
    assert plates.base == pytest.approx(1 / (2 * math.pi * 5e-6 * 30), rel=1e-9)


@pytest.mark.parametrize("parts", [("inductance",), ("capacitance",), ("inductance", "capacitance")])
@pytest.mark.parametrize("asked", ["impedance", "phase_angle", "power_factor"])
def test_without_a_frequency_there_is_no_impedance(asked: str, parts: tuple[str, ...]) -> None:
    values = {"inductance": "3 mH", "capacitance": "5 uF"}
    with pytest.raises(DeriveError):
        load("circuits").solve(asked, resistance="40 ohm", **{part: values[part] for part in parts})


def test_a_short_reflects_all() -> None:
    circuits = load("circuits")
    assert circuits.solve("reflection", end_resistance="0 ohm", line_impedance="50 ohm").base == -1
    with pytest.raises(NoSolutionError, match="infinite"):
        circuits.solve("standing_wave_ratio", end_resistance="0 ohm", line_impedance="50 ohm")


def test_principal_stresses_do_not_know_the_sign_of_shear() -> None:
    draw = random.Random(3)
    for _ in range(5):
        x, y, shear = draw.uniform(-200, 200), draw.uniform(-200, 200), draw.uniform(-100, 100)
        given = {"normal_stress_x": f"{x!r} MPa", "normal_stress_y": f"{y!r} MPa", "shear_stress_xy": f"{shear!r} MPa"}
        centre, radius = (x + y) / 2, math.hypot((x - y) / 2, shear)
        wanted = {
            "first_principal": centre + radius,
            "second_principal": centre - radius,
            "circle_radius": radius,
            "greatest_shear": max(radius, abs(centre + radius) / 2, abs(centre - radius) / 2),
        }
        for name, value in wanted.items():
            assert load("beams").solve(name, **given).value.magnitude == pytest.approx(value, rel=1e-9), name


def test_a_flow_that_runs_by_itself_needs_no_pump() -> None:
    pipes = load("pipes")
    assert pipes.solve("pump_head", static_head="-10 m", friction_head="5 m").base == pytest.approx(-5)
    assert pipes.solve("head_loss", static_head="-10 m", pump_head="0 m").base == pytest.approx(10)


def test_a_refusal_names_the_value_that_would_be_needed_even_where_quantities_cancel() -> None:
    text = """
    [quantities]
    y = { unit = "m" }
    a = { unit = "m", domain = "real" }
    k = { unit = "" }
    v = { unit = "m" }
    head = { unit = "m", domain = "nonnegative" }
    [relations]
    head = { equation = "head = k*v" }
    sum = { equation = "y = a + k*v - head" }
    """
    with pytest.raises(NoSolutionError, match=r"it would have to be -10 m"):
        derive.load(text).solve("y", a="-10 m")


def test_a_coil_beside_a_resistor_follows_from_what_both_do() -> None:
    """Neither a coil nor a capacitor is named: asked for the coil, it is the capacitor that is not there."""
    draw = random.Random(4)
    circuits = load("circuits")
    for _ in range(5):
        resistance, frequency, share = 10 ** draw.uniform(0, 4), 10 ** draw.uniform(1, 5), draw.uniform(0.1, 10)
        phasor = complex(resistance, share * resistance)
        common = {"resistance": f"{resistance!r} ohm", "frequency": f"{frequency!r} Hz"}
        for told in (
            {"impedance": f"{abs(phasor)!r} ohm"},
            {"power_factor": f"{phasor.real / abs(phasor)!r}"},
            {"phase_angle": f"{math.degrees(cmath.phase(phasor))!r} degree"},
        ):
            answer = circuits.solve("inductance", **common, **told)
            assert answer.base == pytest.approx(phasor.imag / (2 * math.pi * frequency), rel=1e-6), told
            for asked in ("inductive_reactance", "series_inductance"):
                factor = 1 if asked == "inductive_reactance" else 1 / (2 * math.pi * frequency)
                answer = circuits.solve(asked, **common, **told)
                assert answer.base == pytest.approx(phasor.imag * factor, rel=1e-6), (asked, told)


def test_the_reactance_of_a_coil_or_of_a_capacitor_needs_no_frequency() -> None:
    """Whichever of the two is asked for is in the circuit, and the other one is not."""
    draw = random.Random(5)
    circuits = load("circuits")
    for asked, _ in product(("inductive_reactance", "capacitive_reactance"), range(5)):
        resistance, share = 10 ** draw.uniform(0, 4), draw.uniform(0.1, 10)
        given = {"resistance": f"{resistance!r} ohm", "impedance": f"{abs(complex(1, share)) * resistance!r} ohm"}
        answer = circuits.solve(asked, **given)
        assert answer.base == pytest.approx(share * resistance, rel=1e-6)
        assert not answer.failed
    with pytest.raises(UnderdeterminedError, match="Give series_inductance, or frequency"):
        circuits.solve("inductance", resistance="100 ohm", impedance="120 ohm")


@pytest.mark.parametrize("seed", range(4))
def test_fittings_that_take_up_the_rest_of_a_head_are_told(seed: int) -> None:
    """A profile's roughness and a typed friction factor fix the velocity: fittings have what head is left."""
    draw = random.Random(seed)
    factor, diameter, length = draw.uniform(0.018, 0.025), draw.uniform(0.05, 0.3), draw.uniform(50, 200)
    head = 30 * length / diameter * factor
    given = {"friction_factor": factor, "pipe_diameter": f"{diameter!r} m", "pipe_length": f"{length!r} m"}
    answer = load("pipes").solve("velocity", "commercial-steel", "water-20C", head_loss=f"{head!r} m", **given)
    assert answer.base is not None
    (told,) = (one for one in answer.remarks if one.name == "loss_coefficient")
    fittings = head * 2 * 9.80665 / answer.base**2 - factor * length / diameter
    assert f"comes out as {fittings:.6g}" in told.text
    alone = math.sqrt(head * 2 * 9.80665 * diameter / (factor * length))  # without fittings
    assert told.factor == pytest.approx(alone / answer.base, rel=1e-9)
    assert set(answer.unused) == {"pipe_length", "head_loss"}


@pytest.mark.parametrize("lift", [-7.0, -5.0, -1.0, 0.0, 12.0])
def test_a_pump_that_need_not_lift_takes_no_power(lift: float) -> None:
    """Where the flow runs by itself no pump drives it, and what the fluid has left over is said with its sign."""
    given = {
        "static_head": f"{lift} m",
        "head_loss": "5 m",
        "flow_rate": "1 l/s",
        "fluid_density": "1000 kg/m**3",
        "pump_efficiency": 0.7,
    }
    water = load("pipes").solve("hydraulic_power", **given)
    assert water.base == pytest.approx(9.80665 * (lift + 5), abs=1e-9)
    if lift + 5 >= 0:
        assert load("pipes").solve("shaft_power", **given).base == pytest.approx(9.80665 * (lift + 5) / 0.7)
    else:
        with pytest.raises(DeriveError):
            load("pipes").solve("shaft_power", **given)


@pytest.mark.parametrize("biot", [0.01, 0.1, 0.11, 3.0])
def test_a_body_decays_as_one_only_where_it_has_one_temperature(biot: float) -> None:
    given = {"body_time_constant": "10 s", "elapsed_time": "5 s"}
    if biot <= 0.1:
        answer = load("heat-transfer").solve("excess_share", **given, biot_number=biot)
        assert answer.base == pytest.approx(math.exp(-0.5))
        assert not answer.unused
    else:
        with pytest.raises(DeriveError, match=r"biot_number <= 0\.1 is false"):
            load("heat-transfer").solve("excess_share", **given, biot_number=biot)
    assert "lumped_decay is assumed to apply" in str(load("heat-transfer").solve("excess_share", **given))
