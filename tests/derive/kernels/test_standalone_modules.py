"""Questions as files: what a module computes is what the compiled function yields."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import derive
from derive import DeriveError, InconsistentError, UnderdeterminedError
from derive.expressions.functions import TABLE
from derive.kernels.standalone_modules import module_text
from derive.library import Library
from tests.derive import random_cases, random_libraries
from tests.derive.statements import bare

SERVED = ("h100-sxm:fp8", "llama3-70b")


def python(held: Library, target: str, given: Sequence[str], profiles: Sequence[str] = ()) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(module_text(held, target, given, profiles), space)
    return space


def near(one: float, other: float) -> bool:
    return bool(one == pytest.approx(other, rel=1e-9, nan_ok=True))


def hidden(seed: int) -> tuple[Library, dict[str, float], list[str]]:
    """A random library with numbers that fit, and the names that are given."""
    draw = random.Random(f"module {seed}")
    if seed % 2:
        case = random_libraries.hidden(seed)
        names = [name for name in case.numbers if name not in case.factors]
        return case.library, case.numbers, [*draw.sample(names, draw.randint(1, len(names) - 1)), *case.factors]
    cased = random_cases.cased(seed)
    numbers = random_cases.hidden(cased, draw)
    if numbers is None:
        return cased.library, {}, []
    return cased.library, numbers, draw.sample([*numbers], draw.randint(1, len(numbers) - 1))


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("seed", range(24))
def test_a_module_of_a_random_library_yields_what_the_compiled_function_yields(seed: int) -> None:
    held, numbers, given = hidden(seed)
    draw = random.Random(seed)
    for target in numbers:
        names = [name for name in given if name != target]
        try:
            made = python(held, target, names)
        except (UnderdeterminedError, DeriveError):
            continue
        function = held.compile(target, names)
        for _ in range(4):
            point = {name: numbers[name] * draw.choice((1, draw.uniform(0.3, 3))) for name in names}
            try:
                value = made["value"](**point)
            except ArithmeticError:
                continue  # only the solver can tell
            assert near(value, function(**point)), (target, point)


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_function_of_one_number_is_there(name: str) -> None:
    held = bare("x y", f"y = {name}(x)", domains={"y": "real"})
    made, function = python(held, "y", ["x"]), held.compile("y", ["x"])
    for x in (0.001, 0.3, 0.9, 1.0, 1.7, 4.0, 30.0, 800.0):
        value = made["value"](x=x)
        expected = function(x=x)
        assert near(value, expected) or (math.isinf(expected) and not math.isfinite(value)), x


QUESTIONS = [
    ("step_time", ("batch", "context", "chips"), SERVED, (64.0, 8000.0, 8.0)),
    ("context", ("batch", "step_time", "chips"), SERVED, (32.0, 0.025, 8.0)),
    ("cost_per_token", ("batch", "context", "chips"), SERVED, (300.0, 8000.0, 8.0)),
    ("crossover_context", ("active_parameters",), SERVED, (7e10,)),
    ("kv_bytes_per_token", ("active_parameters", "crossover_context"), SERVED[:1], (1e11, 2e5)),
]


@pytest.mark.parametrize(("target", "given", "profiles", "point"), QUESTIONS)
def test_a_module_with_profiles_says_what_solve_says(
    target: str, given: tuple[str, ...], profiles: tuple[str, ...], point: tuple[float, ...]
) -> None:
    made = python(derive.llm, target, given, profiles)
    declared = derive.llm.declared
    texts = {n: f"{x!r} {declared[n].unit.text}" for n, x in zip(given, point, strict=True)}
    alone = derive.llm.solve(target, *profiles, **texts)
    said = made["answer"](**dict(zip(given, point, strict=True)))
    assert near(said["value"], alone.value.magnitude)
    assert said["unit"] == made["UNIT"] == declared[target].unit.text
    assert set(said["failed"]) == {check.name for check in alone.failed if check.name in held_checks(made)}
    assert ("fits_in_memory" in said["failed"]) == any(check.name == "fits_in_memory" for check in alone.failed)


def held_checks(made: dict[str, Any]) -> set[str]:
    return {name for name, _, _ in made["_CHECKS"]}


def test_a_python_module_needs_nothing_and_refuses_wrong_names(tmp_path: Path) -> None:
    path = tmp_path / "made.py"
    path.write_text(module_text(derive.llm, *QUESTIONS[0][:3]), encoding="utf-8")
    asked = "import made; print(made.value(batch=64, context=8000, chips=8)); made.value(batch=1, contxt=2)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=False, env={}
    )
    assert float(done.stdout) == pytest.approx(
        derive.llm.compile(*QUESTIONS[0][:2], profiles=SERVED)(batch=64.0, context=8000.0, chips=8.0)
    )
    assert "TypeError: context, chips: give batch, context, chips" in done.stderr


def test_givens_that_contradict_each_other_have_no_value() -> None:
    made = python(bare("a b c", "a = b + c"), "a", ["b", "c"])
    assert made["value"](b=1.0, c=2.0) == 3.0
    twice = python(bare("a b c d", "a = b + c", "d = b - c"), "a", ["b", "c", "d"])
    assert twice["value"](b=3.0, c=2.0, d=1.0) == 5.0
    assert math.isnan(twice["value"](b=3.0, c=2.0, d=2.0))
    assert "contradict" in twice["answer"](b=3.0, c=2.0, d=2.0)["why"]


def test_texts_of_a_library_are_no_code() -> None:
    held = derive.load("""[quantities]
a = { unit = "m", meaning = "\\"\\"\\" + quit() # \\\\" }
b = { unit = "m", domain = "0..9 m" }
[relations]
r = { equation = "a = 2*b", because = "</script>\\"\\"\\"" }
[profiles.p]
b = { value = "3 m", source = "\\"\\"\\"\\\\ */" }""")
    assert python(held, "a", [], ["p"])["value"]() == 6.0
    assert python(held, "a", ["b"])["answer"](b=10.0)["why"] == "b is outside its domain, which is 0..9 m"


@settings(max_examples=30, deadline=None)
@given(st.floats(0.1, 9), st.floats(0.1, 9), st.floats(0.1, 0.9))
def test_where_one_arm_lets_any_value_do_no_number_is_the_only_one(k: float, b: float, a: float) -> None:
    made, function = arms()
    try:
        value = made["value"](k=k, b=b, a=a, m=k * b)
    except ArithmeticError:
        return
    assert near(value, function(k=k, b=b, a=a, m=k * b))


@cache
def arms() -> tuple[dict[str, Any], Any]:
    """Two relations that are the same one in one arm, where the givens happen to fit."""
    held = bare("q s k m a b", "s = k*(q if q < a else a**2)", "s = m*q/b")
    return python(held, "q", ["k", "m", "a", "b"]), held.compile("q", ["k", "m", "a", "b"])


def test_a_number_from_a_computed_one_is_rounded_up_or_down_as_the_solver_does_it() -> None:
    held = bare("a u t", "u = a**2/sqrt(a**2)", "t = floor(10/u)")
    assert python(held, "t", ["a"])["value"](a=0.2) == held.solve("t", a=0.2).base == 50  # in doubles 49.99999999999999


def test_a_comparison_of_a_computed_number_holds_where_the_decimals_are_equal() -> None:
    held = bare("a b u t", "u = a + b", "t = (1 if u <= 0.3 else 2)")
    assert python(held, "t", ["a", "b"])["value"](a=0.1, b=0.2) == held.solve("t", a=0.1, b=0.2).base == 1


def test_a_comparison_beside_the_end_of_a_steep_function_is_left_to_the_solver() -> None:
    held = bare("b u", "u = (2 if 1 <= acos(b) else b)", domains={"u": "real"})
    value = python(held, "u", ["b"])["value"]
    assert value(b=0.25) == held.solve("u", b=0.25).base == 2
    assert held.solve("u", b=1).base == 1
    with pytest.raises(ArithmeticError):  # the error of `acos(b)` has no bound there
        value(b=1.0)


def test_a_number_that_overflows_is_not_equal_to_the_other_side() -> None:
    held = bare("a b u", "u = (b if a + b >= exp(b) else a)")
    assert python(held, "u", ["a", "b"])["value"](a=0.1, b=1000.0) == held.solve("u", a=0.1, b=1000.0).base == 0.1


def test_a_case_applies_where_the_decimals_of_its_condition_are_equal() -> None:
    near = {"equation": "t = b", "when": "a + a <= 0.3/b"}
    held = bare("a b t", near, {"equation": "t = 2", "when": "a + a > 0.3/b"})
    assert python(held, "t", ["a", "b"])["value"](a=0.1, b=1.5) == held.solve("t", a=0.1, b=1.5).base == 1.5


def test_a_case_applies_where_a_computed_number_in_its_condition_is_a_tie() -> None:
    far = {"equation": "t = 2", "when": "a*b <= b*u"}
    held = bare("a b u t", "u = a - b + b", {"equation": "t = 1", "when": "a*b > b*u"}, far)
    assert python(held, "t", ["a", "b"])["value"](a=0.2, b=1.2) == held.solve("t", a=0.2, b=1.2).base == 2


@pytest.mark.parametrize("wave", ["sin", "cos", "tan"])
def test_a_wave_of_an_argument_without_a_known_digit_within_a_turn_cannot_be_told(wave: str) -> None:
    held = bare("a y", f"y = {wave}(cosh(a/0.1))", domains={"y": "real"})
    module = python(held, "y", ["a"])
    assert module["value"](a=1.0) == pytest.approx(held.solve("y", a=1.0).base, rel=1e-9)
    for far in (2.5, 4.75):
        with pytest.raises(ArithmeticError, match="y cannot be told here"):
            module["value"](a=far)


def test_a_wave_of_a_root_without_a_known_digit_within_a_turn_cannot_be_told() -> None:
    held = bare("a u y", "u + log(u) = exp(a)", "y = cos(u)")
    module = python(held, "y", ["a"])
    assert module["value"](a=2.0) == pytest.approx(held.solve("y", a=2.0).base, rel=1e-9)
    with pytest.raises(ArithmeticError, match="cannot be told here"):
        module["value"](a=45.0)


@pytest.mark.parametrize("seed", range(12))
def test_what_leaves_its_domain_in_one_case_only_contradicts_the_givens_of_a_module_there(seed: int) -> None:
    draw = random.Random(f"leaving {seed}")
    cut, scale = draw.randint(-2, 2), draw.choice([0.5, 2.0, 3.0])
    of_case: dict[str, Any] = {"equation": f"y = b - {scale}*c", "when": f"b {draw.choice(['<=', '>'])} {cut}"}
    of_others: list[list[dict[str, Any]]] = [
        [],
        [{"equation": "z = y - 1"}],
        [{"equation": f"y = b + {scale}*c", "when": f"c > {cut}"}],
        [{"equation": f"y = b + {scale}*c", "when": f"b > {cut}"}, {"equation": "z = y - 1"}],
    ]
    of_target = draw.choice(["w = a", "w = a + b if b > 0 else a"])
    left = "z" if seed % 2 else "y"
    domains = {**dict.fromkeys("abcwyz", "real"), left: "nonnegative"}
    held = bare("a b c y z w", of_case, *of_others[seed % 4], of_target, domains=domains)
    module = python(held, "w", ["a", "b", "c"])
    told = 0
    for _ in range(20):
        point = {name: round(draw.uniform(-4, 4), 1) for name in "abc"}
        try:
            found = module["value"](**point)
        except ArithmeticError:
            continue
        told += 1
        try:
            right = held.solve("w", **point).base
        except InconsistentError:
            right = math.nan
        assert near(found, right), point
    assert told > 15


def test_a_condition_that_follows_from_the_givens_says_where_a_module_has_no_value() -> None:
    held = bare("a b u v y", "y = a*b", {"equation": "u = a - b", "when": "v > 3"}, "v = b + 1")
    module = python(held, "y", ["a", "b"])
    assert module["value"](a=1.0, b=2.0) == held.solve("y", a=1, b=2).base == 2
    assert module["answer"](a=2.0, b=3.0)["why"] == "the givens contradict r2: no admissible value of u fits the others"
    with pytest.raises(InconsistentError, match=r"r2: no admissible value of u fits the others"):
        held.solve("y", a=2, b=3)


@pytest.mark.parametrize(
    ("relations", "target", "points"),
    [
        (("a = y/b", "z = floor(y)"), "z", ((2.0, 0.0), (2.0, 1.0), (0.0, 1.0), (0.0, 0.0))),
        (("a = y/b", "y = p - q", "z = p + 1"), "z", ((2.0, 1.0, 1.0), (2.0, 1.0, 3.0), (0.0, 1.0, 1.0))),
        (("a = b**2*y", "z = y + 1"), "z", ((2.0, -1.0), (2.0, 1.0), (2.0, 0.0), (0.0, 0.0))),
    ],
)
def test_a_module_refuses_what_leaves_a_quantity_beside_its_target_no_value(
    relations: Sequence[str], target: str, points: Sequence[Sequence[float]]
) -> None:
    held = bare("a b p q y z", *relations, domains=dict.fromkeys("abpqyz", "real"))
    names = ["a", "y"] if len(points[0]) == 2 else ["a", "p", "q"]
    module = python(held, target, names)
    refused = 0
    for point in points:
        given = dict(zip(names, point, strict=True))
        try:
            right = held.solve(target, **given).base
        except InconsistentError:
            right = math.nan
            refused += 1
        assert near(module["value"](**given), right), given
    assert 0 < refused < len(points)


@pytest.mark.parametrize(
    ("form", "there"),
    [
        ("acosh(a/b)", 0.0),
        ("acos(a/b)", 0.0),
        ("asin(a*b/(b*a))", math.pi / 2),
        ("sqrt(a/b - 1)", 0.0),
        ("(3*a - 3*b)**1.5", 0.0),
    ],
)
def test_what_is_beyond_the_end_of_a_domain_by_rounding_alone_is_at_it(form: str, there: float) -> None:
    """In doubles 1.9 times the inverse of 1.9 is less than one, where `acosh` has no value."""
    library = bare("a b y", f"y = {form}", domains={"y": "real"})
    space: dict[str, Any] = {}
    exec(module_text(library, "y", ["a", "b"]), space)
    for tenths in range(1, 60):
        assert space["value"](a=tenths / 10, b=tenths / 10) == pytest.approx(there, abs=1e-7), tenths
    beyond = {"a": 2.0, "b": 1.9} if form.startswith(("acos(", "asin")) else {"a": 1.9, "b": 2.0}
    if "b/(b*a)" not in form:
        assert math.isnan(space["value"](**beyond))
