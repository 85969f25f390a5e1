"""The steps of an answer: what is solved together is shown together."""

from __future__ import annotations

import random
import re

import mpmath
import pytest

import derive
from tests.derive.statements import bare

PIPE = bare(
    "drop velocity reynolds friction d nu",
    "reynolds = velocity*d/nu",
    "friction = 0.3164/reynolds**0.25",
    "drop = friction*velocity**2",
)


def test_relations_that_fix_their_unknowns_together_are_one_step():
    answer = PIPE.solve("velocity", drop=2, d=1, nu=0.001)
    (step,) = answer.steps
    assert {part.relation for part in step.together} == {"r1", "r2", "r3"}
    assert {part.quantity for part in step.together} == {"velocity", "reynolds", "friction"}
    v = 1000 ** (1 / 7) * (2 / 0.3164) ** (4 / 7)
    assert {part.quantity: float(part.value) for part in step.together}["velocity"] == pytest.approx(v, rel=1e-4)


@pytest.mark.parametrize("face", ["text", "markdown", "latex"])
def test_every_form_states_all_relations_before_their_values(face):
    answer = PIPE.solve("velocity", drop=2, d=1, nu=0.001)
    page = getattr(answer, face)(digits=5)
    assert page.count("together") == 1
    (friction,) = (part for part in answer.steps[0].together if part.quantity == "friction")
    assert page.rindex(friction.rounded(5).value) > page.rindex("0.3164")


def test_a_relation_by_itself_is_a_step_of_its_own():
    answer = PIPE.solve("reynolds", velocity=2, d=1, nu=0.001)
    (step,) = answer.steps
    assert step.together == ()


FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "pi", "mpf")
WORDS = {name: getattr(mpmath, name) for name in FUNCTIONS}
WORDS |= {"abs": abs, "max": max, "min": min}
NUMBER = re.compile(r"(?<![\w.])(\d+\.?\d*(?:e[+-]?\d+)?)(?![\w.])")


SIGNS = ["{a} + {b}", "{a} - ({b})", "({a})*({b})", "({a})/({b})", "-({a})*({b})", "-(({a}) - ({b}))", "max({a}, {b})"]
POWERS = ["-({a})**2", "({a})**3", "({a})**-2", "sqrt({a})", "exp(({a})/9)", "atan({a})", "sin({a})", "abs({a})"]


def worked_out(text: str, **numbers: mpmath.mpf) -> mpmath.mpf:
    """What a printed line comes to, read as Python and computed in many digits."""
    return mpmath.mpf(eval(NUMBER.sub(r"mpf('\1')", text), WORDS, numbers))


def beside(form: str, numbers: dict[str, mpmath.mpf], name: str, share: mpmath.mpf) -> mpmath.mpf:
    """What a line comes to with one number larger by a share of it, or smaller, where the larger is beyond a domain."""
    try:
        return worked_out(form, **{**numbers, name: numbers[name] * (1 + share)})
    except TypeError:  # complex
        return worked_out(form, **{**numbers, name: numbers[name] * (1 - share)})


def drawn(draw: random.Random, names: list[str], depth: int) -> str:
    if depth == 0 or draw.random() < 0.1:
        return draw.choice([*names, *names, "2", "0.5", "3.7", "1e-3"])
    form = draw.choice([*SIGNS, *POWERS])
    return form.format(a=drawn(draw, names, depth - 1), b=drawn(draw, names, depth - 1))


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("first", range(0, 600, 100))
def test_every_line_of_the_steps_comes_to_the_number_below_it(first: int) -> None:
    """As Python reads them: a sign before a power, brackets around a difference, a typed number with all its digits."""
    checked = 0
    for seed in range(first, first + 100):
        draw = random.Random(f"steps {seed}")
        x = f"{draw.choice([-1, 1]) * draw.randint(1, 99999)}e-{draw.randint(0, 4)}"
        inner, outer = drawn(draw, ["x"], 2), drawn(draw, ["x", "y", "y"], 2)
        with mpmath.workdps(40):
            try:
                y = worked_out(inner, x=mpmath.mpf(x))
                z = worked_out(outer, x=mpmath.mpf(x), y=y)
            except (TypeError, ZeroDivisionError, ValueError):  # complex, or a pole
                continue
            if not ("x" in inner and "y" in outer and 1e-6 < abs(y) < 1e9 and 1e-6 < abs(z) < 1e9):
                continue
            library = bare("x y z", f"y = {inner}", f"z = {outer}", domains=dict.fromkeys("xyz", "real"))
            backwards = draw.random() < 0.4 and "x" not in outer
            given = {"z": float(z)} if backwards else {"x": x}
            try:
                answers = library.solve_all("y" if backwards else "z", **given)
            except derive.DeriveError:
                continue
            for step in (step for answer in answers for step in answer.steps if step.numbers):
                for digits in (6, 15):
                    shown = step.rounded(digits)
                    numbers = {name: mpmath.mpf(number) for name, (number, _) in step.worth.items()}
                    form = shown.rearranged.partition(" = ")[2]
                    exact = worked_out(form, **numbers)
                    share = mpmath.mpf(10) ** (1 - digits)
                    rounding = sum(abs(beside(form, numbers, name, share) - exact) for name in numbers)
                    allowed = 2 * rounding + abs(exact) * mpmath.mpf(10) ** (1 - digits)
                    assert abs(worked_out(shown.value) - exact) <= allowed, (seed, shown)
                    assert abs(worked_out(shown.numbers) - exact) <= allowed, (seed, shown, shown.numbers)
                    checked += 1
    assert checked > 40
