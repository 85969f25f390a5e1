"""What stands under a headline: the changes that move an answer by more than a tenth, with their sizes."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Iterator

import mpmath
import pytest

import derive
from derive.errors import NoSolutionError, UnderdeterminedError
from derive.library import Library
from derive.solving.answering.solver import one_answer_or_none
from derive.solving.execution.answer import Answer
from tests.derive.terminal import ask

SERVED = {"chips": "8 chip", "batch": "64 sequence", "context": "8 ktoken/sequence"}

LAMP = derive.load("""
[quantities]
power = { unit = "W" }
light = { unit = "W" }
heat_share = { unit = "", meaning = "the heat, over the light" }
area = { unit = "m**2" }
brightness = { unit = "W/m**2" }
efficiency = { unit = "", value = "1", seen = { least = "0.2", source = "a data sheet" } }
lenses = { unit = "", otherwise = "1", seen = { most = "4", source = "a theatre" } }
[relations]
light = { equation = "light = power*efficiency*lenses", neglects = "heat_share" }
brightness = { equation = "brightness = light/area", neglects = "heat_share of area" }
[profiles.theatre]
lenses = "10"
[profiles.street]
lenses = "1.05"
""")


def test_a_default_is_changed_to_what_was_seen() -> None:
    remarks = LAMP.solve("light", power="10 W").remarks
    assert [(remark.kind, remark.name, remark.value, remark.factor) for remark in remarks] == [
        ("defaulted", "efficiency", "0.2", pytest.approx(0.2)),
        ("defaulted", "lenses", "4", pytest.approx(4)),
    ]
    assert LAMP.solve("light", power="10 W", efficiency="1", lenses="1").remarks == ()
    assert [remark.name for remark in LAMP.solve("light", "street", power="10 W").remarks] == ["efficiency"]


def test_what_a_relation_leaves_out_is_counted_where_it_stands() -> None:
    given = {"power": "10 W", "efficiency": "1", "lenses": "1", "heat_share": "0.5"}
    (light,) = LAMP.solve("light", **given).remarks
    assert (light.kind, light.name, light.factor) == ("left out", "heat_share", pytest.approx(1.5))
    (backwards,) = LAMP.solve(
        "power", light="10 W", **{n: given[n] for n in ("efficiency", "lenses", "heat_share")}
    ).remarks
    assert backwards.factor == pytest.approx(1 / 1.5)
    assert LAMP.solve("brightness", **given, area="1 m**2").remarks == ()  # 1.5 times the light on 1.5 times the area


def test_an_answer_that_is_taken_apart_and_stored_keeps_them() -> None:
    answer = LAMP.solve("light", power="10 W")
    assert pickle.loads(pickle.dumps(answer)).remarks == answer.remarks


@pytest.mark.parametrize("form", [str, Answer.markdown, Answer.latex, Answer.text])
def test_they_stand_in_every_form(form) -> None:
    shown = form(LAMP.solve("light", power="10 W"))
    assert "4 times as much" in shown
    assert "0.2 of it" in shown
    assert shown.index("0.2 of it") < shown.index("4 times as much")


def test_a_dense_model_is_no_fact() -> None:
    (remark,) = derive.solve("optimal_batch", balance_tokens="300 token", compute_efficiency="1").remarks
    assert remark.name == "sparsity"
    assert remark.factor == pytest.approx(float(remark.value))
    assert derive.solve("optimal_batch", "llama3-70b", balance_tokens="300 token", compute_efficiency="1").remarks == ()


@pytest.mark.thorough
def test_a_peak_of_another_precision_is_told_with_what_it_costs() -> None:
    answer = derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", **SERVED)
    (remark,) = answer.remarks
    other = derive.solve(
        "cost_per_token", "h100-sxm:fp8", "llama3-70b", **SERVED, bytes_per_parameter="1 byte/parameter"
    )
    assert (remark.kind, remark.name) == ("assumed", "bytes_per_parameter")
    assert remark.factor == pytest.approx(other.base / answer.base)
    least = derive.least("cost_per_token", "h100-sxm:fp8", "llama3-70b", **{**SERVED, "batch": "1..64 sequence"})
    assert least.answer.remarks[0].text in least.text()
    against = derive.llm.compare(answer, derive.solve("cost_per_token", "b200-sxm:fp8", "llama3-70b", **SERVED))
    assert f"in A: {remark.text}" in against.text()


@pytest.mark.thorough
def test_exchanges_whose_time_is_stated_are_in_the_step() -> None:
    given = {
        "chips": "8 chip",
        "batch": "64 sequence",
        "context": "1 ktoken/sequence",
        "bytes_per_parameter": "1 byte/parameter",
    }
    for target in ("step_time", "exchanging_step_time"):
        answer = derive.solve(target, "h100-sxm:fp8", "llama3-70b", **given, communication_time="100 ms")
        assert answer.base == pytest.approx(0.1)
        assert "plays no part" not in answer.text()


def test_strict_counts_them() -> None:
    asked = ("solve", "optimal_batch", "balance_tokens=300 token", "compute_efficiency=1")
    assert ask(*asked).status == 0
    outcome = ask(*asked, "--strict")
    assert (outcome.status, outcome.out) == (1, "optimal_batch = 300 sequence\n")
    assert "times as much" in outcome.err
    assert ask(*asked, "--strict", "--with", "llama3-70b").status == 0


@pytest.mark.long
def test_what_nothing_stated_leads_to_is_not_determined() -> None:
    with pytest.raises(UnderdeterminedError) as caught:
        derive.solve("sparsity")
    assert caught.value.missing
    with pytest.raises(UnderdeterminedError):
        derive.llm.formula("sparsity")
    with pytest.raises(UnderdeterminedError):
        derive.llm.compile("sparsity")
    assert "sparsity" not in derive.llm.reach()
    assert "sparsity" in derive.llm.reach(["active_share"])
    assert derive.solve("sparsity", total_parameters="70 Gparameter").base == pytest.approx(1)


@pytest.mark.parametrize(("target", "power"), [("sparsity", 1), ("active_parameters", -1), ("active_share", -1)])
def test_that_a_model_is_taken_as_dense_is_said_where_its_sparsity_is_asked_for(target: str, power: int) -> None:
    (remark,) = derive.solve(target, total_parameters="70 Gparameter").remarks
    assert remark.name == "sparsity"
    assert remark.factor == pytest.approx(float(remark.value) ** power)  # by its definition, and that of the share


def test_a_profile_states_what_nothing_else_leads_to() -> None:
    answer = derive.solve("hbm_capacity", "h100-sxm", chips="8 chip")
    assert answer.to("GB/chip").magnitude == pytest.approx(80)
    assert any("h100-sxm states" in assumption for assumption in answer.assumptions)
    assert answer.unused == ("chips",)
    assert "h100-sxm states" in str(answer)
    typed = derive.solve("hbm_capacity", "h100-sxm", drain_time="10 ms")
    assert typed.to("GB/chip").magnitude == pytest.approx(33.5)
    assert [check.name for check in typed.failed] == ["hbm_capacity"]
    assert derive.llm.compile("hbm_capacity", profiles="h100-sxm")() == pytest.approx(80e9)


# The property on planted products: y = max(a**p*b**q, c) and z = y*d**r, each name given, a default with what was seen
# of it, or a default beside other scenarios. Python computes what every change makes of the target.

NAMES = "abcd"


def planted(
    draw: random.Random,
) -> tuple[str, dict[str, float], dict[str, tuple[float, list[float]]], list[int], float]:
    """A library as text, what is given, each default with its other values, the exponents, and the share left out."""
    powers = [draw.choice([-2, -1, 1, 2]) for _ in range(3)]
    given, defaults, quantities, profiles = {}, {}, [], []
    for name in NAMES:
        number = round(10 ** draw.uniform(-2, 2), 6)
        how = draw.choice(["given", "seen", "profile"])
        if how == "given":
            given[name] = number
            quantities.append(f'{name} = {{ unit = "1" }}')
            continue
        others = sorted(round(number * 10 ** draw.choice([-0.7, -0.03, 0.02, 0.4]), 6) for _ in range(2))
        seen = f', seen = {{ least = "{others[0]!r}", most = "{others[1]!r}", source = "a survey" }}'
        key = draw.choice(["value", "otherwise"])
        quantities.append(f'{name} = {{ unit = "1", {key} = "{number!r}"{seen if how == "seen" else ""} }}')
        if how == "profile":
            profiles += [f'[profiles.{name}{place}]\n{name} = "{other!r}"' for place, other in enumerate(others)]
            others = []  # another scenario of the same file
        defaults[name] = number, others
    share = round(draw.choice([0.0, 0.05, 0.3, 4.0]), 6)
    p, q, r = powers
    text = "\n".join(
        [
            "[quantities]",
            *quantities,
            'y = { unit = "1" }',
            'z = { unit = "1" }',
            's = { unit = "1", domain = "nonnegative", meaning = "the rest, over the product" }',
            "[relations]",
            f'y = {{ equation = "y = max(a**({p})*b**({q}), c)", neglects = "s" }}',
            f'z = {{ equation = "z = y*d**({r})" }}',
            *profiles,
        ]
    )
    return text, given, defaults, powers, share


def computed(values: dict[str, float], powers: list[int], share: float) -> float:
    p, q, r = powers
    return max(values["a"] ** p * values["b"] ** q, values["c"]) * (1 + share) * values["d"] ** r


def expected(given, defaults, powers, share) -> dict[str, float]:
    """By what each change multiplies the target, where that is more than a tenth."""
    values = {**given, **{name: number for name, (number, _) in defaults.items()}}
    base = computed(values, powers, 0.0)
    by_name = {"s": 1 + share}
    for name, (number, others) in defaults.items():
        factors = [computed({**values, name: other}, powers, 0.0) / base for other in others or [number]]
        by_name[name] = max(factors, key=lambda factor: max(factor, 1 / factor))
    return {name: factor for name, factor in by_name.items() if abs(factor - 1) > 0.1}


def compare_planted(draw: random.Random) -> None:
    text, given, defaults, powers, share = planted(draw)
    if not given:
        return
    library = derive.load(text)
    answer = library.solve("z", **given, s=share)
    factors = {remark.name: remark.factor for remark in answer.remarks}
    wanted = expected(given, defaults, powers, share)
    assert factors == {name: pytest.approx(factor, rel=1e-9) for name, factor in wanted.items()}, (text, given, share)
    sizes = [max(remark.factor or 0, 1 / (remark.factor or 1)) for remark in answer.remarks]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    "count", [40, pytest.param(300, marks=pytest.mark.thorough), pytest.param(20_000, marks=pytest.mark.long)]
)
def test_every_planted_change_is_told_with_its_factor(count: int) -> None:
    draw = random.Random(count)
    for _ in range(count):
        compare_planted(draw)


# The property on the built-in library: random questions, asked again with each default of the library typed otherwise.

CHIPS = ("h100-sxm:fp8", "h100-sxm:bf16", "b200-sxm:fp8", "a100-sxm-80gb:bf16")
MODELS = ("llama3-70b", "deepseek-v3", None)
TARGETS = (
    "step_time", "cost_per_token", "throughput", "user_speed", "optimal_batch", "kv_bytes_per_token", "batch_capacity",
    "crossover_context", "training_compute", "memory_time", "compute_time", "prefill_time", "active_parameters",
)  # fmt: skip
TYPED = {
    "chips": "16 chip", "batch": "256 sequence", "context": "6 ktoken/sequence", "total_parameters": "90 Gparameter",
    "bytes_per_parameter": "1 byte/parameter", "prompt_tokens": "2 ktoken/sequence", "training_tokens": "5 Ttoken",
    "layers": "60", "hidden_size": "6144", "kv_bytes_per_token": "100 kB/token", "feedforward_size": "20000",
}  # fmt: skip


def stated_elsewhere(library: Library) -> dict[str, list[tuple[float, str]]]:
    """The ends of what profiles state of each default, and of what was seen of it, in base units and as typed."""
    ends: dict[str, list[tuple[float, str]]] = {}
    for name in library.defaults:
        unit = library.declared[name].unit
        values = [p.values[name].base[1] for p in library.profiles.values() if name in p.values]
        stated = [(base, f"{unit.from_base(base):.4g} {unit.text}".strip()) for base in values]
        seen = library.declared[name].seen
        if seen is not None:
            stated += [(x, text) for x, text in ((seen.low, seen.least), (seen.high, seen.most)) if text]
        if stated:
            ends[name] = [min(stated), max(stated)]
    return ends


def again(target: str, profiles: tuple[str, ...], given: dict[str, str]) -> float | None:
    """The answer to another question; why there is none takes long to tell, and is not asked."""
    answer = one_answer_or_none(derive.llm, target, given, profiles)
    return None if answer is None else answer.base


def questions(draw: random.Random, count: int) -> Iterator[tuple[str, tuple[str, ...], dict[str, str]]]:
    while count:
        target = draw.choice(TARGETS)
        profiles = tuple(profile for profile in (draw.choice(CHIPS), draw.choice(MODELS)) if profile)
        given = {name: text for name, text in TYPED.items() if name != target and draw.random() < 0.5}
        if again(target, profiles, given) is not None:
            count -= 1
            yield target, profiles, given


def compare_by_asking(target: str, profiles: tuple[str, ...], given: dict[str, str]) -> None:
    with derive.limits(seconds=300):  # a machine that does much else leaves a question little of its time
        answer = derive.solve(target, *profiles, **given)
        remarks = {remark.name: remark for remark in answer.remarks}
    asked = f"{target} {profiles} {given}"
    assert answer.base
    for remark in remarks.values():
        if remark.kind == "displaced" and remark.factor is None:  # it says what follows instead of a profile's value
            follows = again(remark.name, profiles, given)
            stated = derive.solve(remark.name, **{remark.name: remark.value}).base
            assert follows is not None, (remark, asked)
            assert remark.weight == pytest.approx(max(follows / stated, stated / follows), rel=1e-9), (remark, asked)
        elif remark.kind != "left out":
            changed = again(target, profiles, {**given, remark.name: remark.value})
            assert changed is not None, asked
            assert remark.factor == pytest.approx(changed / answer.base, rel=1e-9), (remark, asked)
    lists = {derive.llm.profiles.list_of(name.partition(":")[0]) for name in profiles}
    for name, ends in stated_elsewhere(derive.llm).items():
        by_profile = {
            derive.llm.profiles.list_of(p) for p, profile in derive.llm.profiles.items() if name in profile.values
        }
        if (
            name in given
            or name == target
            or lists & by_profile
            or any(name in derive.profile(p).values for p in profiles)
        ):
            continue
        for _, text in ends:
            changed = again(target, profiles, {**given, name: text})
            if changed is not None and abs(changed / answer.base - 1) > 0.1 + 1e-9:
                factor = remarks[name].factor if name in remarks else None
                assert factor is not None, (name, text, asked)
                assert max(factor, 1 / factor) >= max(changed / answer.base, answer.base / changed) * (1 - 1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "count", [2, pytest.param(8, marks=pytest.mark.long), pytest.param(2000, marks=pytest.mark.long)]
)
def test_no_default_that_moves_an_answer_of_the_library_is_left_unsaid(count: int) -> None:
    for question in questions(random.Random(f"remarks {count}"), count):
        compare_by_asking(*question)


@pytest.mark.thorough
def test_weights_are_in_order() -> None:
    remarks = derive.solve("step_time", "h100-sxm:fp8", "deepseek-v3", **{**SERVED, "batch": "20000 sequence"}).remarks
    assert [remark.weight for remark in remarks] == sorted((remark.weight for remark in remarks), reverse=True)
    assert all(
        math.isclose(remark.weight, max(remark.factor, 1 / remark.factor)) for remark in remarks if remark.factor
    )


def test_a_share_is_of_a_quantity_that_the_relation_holds() -> None:
    text = (
        '[quantities]\nx = { unit = "1" }\ny = { unit = "1" }\ns = { unit = "1" }\n[relations.r]\nequation = "y = x"\n'
    )
    assert derive.check(f'{text}neglects = "s of x"') == []
    (problem,) = derive.check(f'{text}neglects = "s of s"')
    assert "s is not in y = x" in problem.message
    (unknown,) = derive.check(f'{text}neglects = "t of x"')
    assert "t" in unknown.message


@pytest.mark.parametrize(
    ("equation", "given", "word"),
    [
        ("y = exp(-x)", "1000", "smaller than any number"),
        ("y = 1/cos(x)", "1.5707963267948966", "last digit of x"),
        ("y = exp(-x)", "700", ""),
        ("y = tan(x)", "1.57", ""),
        ("y = x*cos(1)", "0.5", ""),
    ],
)
def test_digits_that_are_lost_are_said(equation: str, given: str, word: str) -> None:
    real = '{ unit = "1", domain = "real" }'
    library = derive.load(f'[quantities]\nx = {real}\ny = {real}\n[relations.r]\nequation = "{equation}"')
    text = str(library.solve("y", x=given))
    assert word in text
    assert any(mark in text for mark in ("is not zero", "hangs on")) is bool(word)


@pytest.mark.parametrize("seed", range(40))
def test_digits_that_are_lost_between_two_relations_are_said(seed: int) -> None:
    """In many digits the second relation has another value: the first number was rounded to a double between them."""
    draw = random.Random(f"between {seed}")
    x = f"{draw.uniform(1, 5):.3f}"
    first = draw.choice(["exp(x)", "sqrt(x)", "log(x)", "atan(x)*x"])
    size = 10 ** draw.randint(0, 12)
    with mpmath.workdps(60):
        functions = {name: getattr(mpmath, name) for name in ("exp", "sqrt", "log", "atan", "sin", "cos")}
        y = eval(first, functions, {"x": mpmath.mpf(x)})
        near = mpmath.nstr(y, draw.randint(2, 15))
        second = draw.choice([f"sin({size}*y)", f"cos({size}*y)", f"y - {near}", f"1/(y - {near})"])
        at = eval(second.replace(near, f"mpf('{near}')"), functions | {"mpf": mpmath.mpf}, {"y": y})
        beside = eval(second.replace(near, f"mpf('{near}')"), functions | {"mpf": mpmath.mpf}, {"y": y * (1 + 2e-16)})
        moved = abs(beside / at - 1)
    real = '{ unit = "1", domain = "real" }'
    library = derive.load(f"""[quantities]
    x = {real}
    y = {real}
    z = {real}
    [relations]
    first = {{ equation = "y = {first}" }}
    second = {{ equation = "z = {second}" }}""")
    answer = library.solve("z", x=x)
    is_warned = any("hangs on the last digit of y" in text for text in answer.assumptions)
    assert is_warned or abs(answer.base / at - 1) < 1e-9
    assert not is_warned or moved > 1e-10


@pytest.mark.parametrize("equation", ["y = x*tan(pi/2)", "y = 2*x + tan(pi/2)"])
def test_what_only_rounding_makes_finite_has_no_value(equation: str) -> None:
    real = '{ unit = "1", domain = "real" }'
    library = derive.load(f'[quantities]\nx = {real}\ny = {real}\n[relations.r]\nequation = "{equation}"')
    with pytest.raises(NoSolutionError, match="infinite or undefined"):
        library.solve("y", x="1")


@pytest.mark.parametrize("seed", range(12))
def test_a_value_of_a_profile_that_what_is_typed_makes_another_is_told(seed: int) -> None:
    """The profile's wall resists `wall/area`; typed are a draught and a flow through all, which say what it resists."""
    draw = random.Random(seed)
    wall, area = round(draw.uniform(1, 9), 2), round(draw.uniform(1, 9), 2)
    draught, flow = round(draw.uniform(10, 90), 2), round(draw.uniform(1, 9), 2)
    if seed % 2:  # what the profile says, but for a few percent
        draught = wall / area * flow * draw.uniform(0.95, 1.05)
    house = derive.load(f"""
    [quantities]
    draught = {{ unit = "" }}
    flow = {{ unit = "" }}
    resistance = {{ unit = "" }}
    wall = {{ unit = "" }}
    area = {{ unit = "" }}
    power = {{ unit = "" }}
    [relations]
    flow = {{ equation = "draught = flow*resistance" }}
    wall = {{ equation = "resistance = wall/area" }}
    power = {{ equation = "power = draught*flow" }}
    [profiles.brick]
    wall = "{wall}"
    """)
    remarks = house.solve("power", "brick", draught=draught, flow=flow, area=area).remarks
    here = draught / flow * area
    if abs(here - wall) > 0.1 * wall:
        assert [(remark.kind, remark.name) for remark in remarks] == [("displaced", "wall")]
        assert f"comes out as {here:.4g}" in remarks[0].text
    else:
        assert remarks == ()
    assert house.solve("power", "brick", draught=draught, flow=flow).remarks == ()  # nothing says what wall is


@pytest.mark.parametrize("seed", range(8))
def test_what_stands_in_is_changed_to_what_a_limit_admits(seed: int) -> None:
    draw = random.Random(seed)
    tokens, speed = draw.randint(1, 9), round(draw.uniform(1, 50), 2)
    passes = derive.load("""
    [quantities]
    tokens = { unit = "" }
    ratio = { unit = "", otherwise = "1" }
    speed = { unit = "" }
    gain = { unit = "" }
    [relations]
    gain = { equation = "gain = speed/ratio" }
    at_most = { equation = "ratio <= tokens + 1" }
    """)
    (remark,) = passes.solve("gain", speed=speed, tokens=tokens).remarks
    assert (remark.name, remark.factor) == ("ratio", pytest.approx(1 / (tokens + 1)))
    assert remark.text.startswith(f"with ratio {tokens + 1} (1 by default; at most, by at_most)")
    assert passes.solve("gain", speed=speed).remarks == ()


def test_verifying_proposals_is_not_taken_to_be_free_without_a_word() -> None:
    given = {"acceptance_rate": "0.7", "draft_tokens": "4", "draft_cost": "0.1"}
    for target, more in (("speculative_speedup", {}), ("speculative_speed", {"user_speed": "50 token/s/sequence"})):
        (remark,) = derive.llm.solve(target, **given, **more).remarks
        assert (remark.name, remark.value) == ("verify_ratio", "5")
        assert remark.factor == pytest.approx((1 + 0.4) / (5 + 0.4))
