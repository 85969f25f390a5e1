"""What is stated twice, always holds, or goes in a circle is a problem; shortcuts and rivals are none.

The same equation is written in many ways by mechanical steps (sides exchanged, terms moved, factors divided, solved for
another quantity), and each is found; the same equation with one number changed is another one, and is left alone.
"""

from __future__ import annotations

import math
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.expressions.tree import Name
from derive.model.redundancy import redundant
from derive.model.relation import relate
from tests.derive.mutants import sampled
from tests.derive.operations import calls
from tests.derive.terminal import ask
from tests.ordinary import every

NAMES = "abcdxyz"
QUANTITIES = "[quantities]\n" + "".join(f'{name} = {{ unit = "m" }}\n' for name in NAMES)


def problems(*equations, when=None):
    file = QUANTITIES
    for i, equation in enumerate(equations):
        file += f'[relations.r{i}]\nequation = "{equation}"\n'
        file += f'when = ["{when[i]}"]\n' if when and when[i] else ""
    return [(problem.relation, problem.message) for problem in derive.check(file)]


@pytest.mark.parametrize(
    "equation", ["a = a", "a*b/b = a", "a*(b + c) = a*c + b*a", "a - a = b - b", "a <= a", "a + b = b + a"]
)
def test_what_always_holds_says_nothing(equation):
    ((relation, message),) = problems("x = 2*y", equation)
    assert relation == "r1"
    assert "is an identity" in message


TWICE = [
    ("a = 2*b", "b = a/2"),
    ("a + b = c", "c - b = a"),
    ("a*b = c*d", "a/c = d/b"),
    ("y = x*a/(a + b)", "x = y*(a + b)/a"),
    ("1/a = 1/b + 1/c", "a = b*c/(b + c)"),
    ("a = sqrt(b*c)", "b = a**2/c"),
    ("a = 0.5*b", "2*a = b"),
    ("a = b*exp(x/y)", "b = a/exp(x/y)"),
    ("a = max(b, c)", "a = max(c, b)"),
    ("a**2 = b**2 + c**2", "b**2 = a**2 - c**2"),
    ("a = (b + c)**2/d", "d = (b**2 + 2*b*c + c**2)/a"),
    ("a = 2*pi*b", "b = a/pi/2"),
]


@pytest.mark.parametrize(("one", "other"), TWICE)
def test_an_equation_that_is_stated_twice_is_found_in_any_form(one, other):
    for pair in ((one, other), (other, one), (one, "x = 3*z", other)):
        messages = problems(*pair)
        assert [relation for relation, _ in messages] == [f"r{len(pair) - 1}"]
        assert "is the same as r0" in messages[0][1]


@pytest.mark.parametrize(("one", "other"), TWICE)
def test_under_different_conditions_it_is_no_repetition(one, other):
    assert problems(one, other, when=["d < 2*z", "d >= 2*z"]) == []
    assert len(problems(one, other, when=["d < 2*z", "d < 2*z"])) == 1


SOUND = [
    ("a = 2*b", "b = a/3"),
    ("a = b*c/d", "a = b + c"),
    ("a*b = x**2", "y*a = z**2", "x = y"),
    ("a = max(b, c)", "a = min(b, c)"),
    ("a = b*asin((x - y)/(x + y))", "a = b*asin((x - y)/(x + 2*y))"),
    ("a = b*exp(1/(1 + x/y))", "a = b*exp(1/(1 + 2*x/y))"),
    ("a = max(b/(1 + x/y), c)", "a = max(b, c)"),
    ("a = b*atan(x/y)", "a = b*atan(2*x/y)"),
    ("a = b + c", "c = x + y", "a = b + x + y"),  # a shortcut
    ("a = 2*b", "b = 3*c", "c = a/5"),  # which holds nowhere, and is no repetition
]


@pytest.mark.parametrize("equations", SOUND)
def test_rivals_shortcuts_and_contradictions_are_left_alone(equations):
    assert problems(*equations) == []


def test_ohms_wheel_is_sound():
    text = '[quantities]\nV = { unit = "V" }\nI = { unit = "A" }\nR = { unit = "ohm" }\nP = { unit = "W" }\n'
    for i, equation in enumerate(("V = I*R", "P = V*I", "P = I**2*R", "P = V**2/R")):
        text += f'[relations.r{i}]\nequation = "{equation}"\n'
    assert derive.check(text) == []


@pytest.mark.parametrize(
    "circle",
    [
        ("a = b", "b = c", "c = a"),
        ("a = 2*b", "b = 3*c", "c = d/6", "d = a"),
        ("a = b*c/x", "b = a*x/c"),
    ],
)
def test_a_circle_that_fixes_nothing_is_one_problem_at_its_end(circle):
    messages = problems(*circle)
    assert messages
    assert messages[-1][0] == f"r{len(circle) - 1}" or "follows" in messages[-1][1]


@given(st.randoms(use_true_random=False), st.integers(3, 6))
def test_a_random_circle_is_found_and_one_with_another_number_is_not(choice, size):
    names = choice.sample(NAMES, size)
    factors = [choice.randint(2, 9) for _ in names[1:]]
    total = 1
    for factor in factors:
        total *= factor
    steps = [f"{name} = {factor}*{other}" for name, factor, other in zip(names, factors, names[1:], strict=False)]
    closing = f"{names[0]} = {total}*{names[-1]}"
    messages = problems(*steps, closing)
    assert [relation for relation, _ in messages] == [f"r{size - 1}"]
    assert "circle" in messages[0][1]
    assert problems(*steps, closing.replace(str(total), str(total + 1))) == []


def test_nothing_of_the_built_in_library_is_said_twice():
    assert list(redundant(list(derive.llm.relations.values()))) == []


def test_looking_for_it_grows_no_faster_than_the_library():
    def taken(size):
        relations = list(chain(size).relations.values())
        assert list(redundant(relations)) == []
        return calls(lambda: list(redundant(relations)))

    def chain(size):
        text = "[quantities]\n" + "".join(f'q{i} = {{ unit = "m" }}\n' for i in range(size + 1))
        each = (f'[relations.s{i}]\nequation = "q{i + 1} = 2*q{i} + q{max(i - 5, 0)}"\n' for i in range(1, size))
        return derive.load(text + "".join(each))

    assert taken(2000) < 1.25 * 8 * taken(250)


def test_the_order_in_which_terms_stand_makes_no_difference():
    terms = ["a", "2*b", "3*c", "4*d", "x/2"]
    for seed in range(20):
        shuffled = terms[:]
        random.Random(seed).shuffle(shuffled)
        assert len(problems(f"y = {' + '.join(terms)}", f"{' + '.join(shuffled)} = y")) == 1


WORLD = {"sqrt": math.sqrt, "exp": math.exp, "log": math.log, "log2": math.log2, "log10": math.log10, "pi": math.pi}
WORLD |= {
    "max": max,
    "min": min,
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "tanh": math.tanh,
    "__builtins__": {},
}


def at_random(equation, names, seed):
    """The two sides at a random point."""
    chance = random.Random(seed)
    point = {name: chance.uniform(0.5, 3.0) for name in names}
    return tuple(eval(side, WORLD, point) for side in equation.split(" = "))


def agree(equation, other, names):
    """Whether two equations with the same left side have the same right side, as far as numbers tell."""
    for seed in range(6):
        try:
            (_, x), (_, y) = at_random(equation, names, seed), at_random(other, names, seed)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        if isinstance(x, complex) or isinstance(y, complex):
            return None
        if not math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12):
            return False
    return True


STATED = [
    one
    for one in derive.llm.relations.values()
    if one.is_equation and not one.conditions and isinstance(one.written.lhs, Name)
]


@pytest.mark.thorough
@every("relation", STATED[::6], ids=str)
def test_a_slip_that_changes_the_number_is_never_taken_for_the_same_equation(relation):
    equation, declared = str(relation.written), relation.declared
    for i, (_, slip) in enumerate(sampled(relation.name, equation, 12)):
        try:
            other = relate(f"slip_{i}", slip, quantities=declared)
        except derive.DeriveError:
            continue
        repeated = [problem for problem in redundant([relation, other]) if "the same" in problem.message]
        if repeated:
            assert agree(equation, slip, declared) is not False, slip
        elif agree(equation, slip, declared) and not {"max", "min", "ceil", "floor"} & {
            *re.findall("[a-z]+", equation)
        }:
            assert "if" in equation or "(" in equation, slip


SAID = """[quantities]
a = { unit = "m" }
b = { unit = "m" }
[relations.double]
equation = "a = 2*b"
[relations.half]
equation = "b = a/2"
[relations.same]
equation = "a = a"
"""


def test_such_a_library_answers_all_the_same_and_the_command_complains(tmp_path):
    assert derive.load(SAID).solve("a", b="3 m").value.magnitude == 6
    (tmp_path / "said.toml").write_text(SAID)
    output = ask("check", str(tmp_path / "said.toml"))
    assert output.status == 2
    assert ":7: half: it is the same as double.\n  Leave out double or half" in output.err
    assert ":9: same: it is an identity" in output.err
