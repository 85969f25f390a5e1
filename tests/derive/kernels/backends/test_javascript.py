"""JavaScript says what Python says: the functions of the table, the translated text, and expressions of all kinds."""

from __future__ import annotations

import math
import random
import re

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from derive import DeriveError
from derive.expressions.functions import TABLE
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import names_in
from derive.kernels.backends.emitter import Bundle, Script
from derive.kernels.backends.javascript import JavaScript, javascript
from derive.kernels.browser_programs.program import program_of
from derive.library import Library
from derive.model.relation import relate
from derive.numerics.algebra.evaluation import value
from quantities.quantity import Quantity
from tests.derive.browser import needed
from tests.derive.draws import expressions
from tests.derive.kernels.browser_programs.runs import called, ran

LAST_PLACES = 16  # more than the table allows most functions, and less than matters
FAR = {"lambertw": 1.7e308, "gamma": 171.0, "exp": 700.0, "sinh": 700.0, "cosh": 700.0, "erf": 7.0}


def arguments(name):
    """Numbers of a function's domain: near its ends, near zero, and far away."""
    low, high = TABLE[name].domain
    ends = [end for end in (low, high) if math.isfinite(end)]
    far = FAR.get(name, 1e6)
    drawn = [*numpy.linspace(-20, 20, 401), *numpy.geomspace(1e-12, far, 60), *-numpy.geomspace(1e-12, far, 60)]
    drawn += [end + side * step for end in ends for side in (1, -1) for step in numpy.geomspace(1e-12, 0.5, 40)]
    drawn += [float(n) for n in range(-8, 30)]
    return [float(x) for x in drawn if low < x < high and abs(x) <= far]


@needed
def test_every_function_of_the_table_is_the_same_in_a_browser():
    points = {name: arguments(name) for name in TABLE}
    found = called([TABLE[name].called_in_javascript for name in TABLE], [[[x] for x in xs] for xs in points.values()])
    for (name, xs), ys in zip(points.items(), found, strict=True):
        worst = max(abs(y - TABLE[name].value(x)) / math.ulp(TABLE[name].value(x)) for x, y in zip(xs, ys, strict=True))
        assert worst <= max(LAST_PLACES, TABLE[name].off), name


@needed
def test_a_function_has_no_value_in_a_browser_where_it_has_none_here():
    outside = {name: [x for x in (-1e3, -2.0, -1.5, 0.0, 1.5, 2.0, 1e3) if not _is_defined(name, x)] for name in TABLE}
    found = called([TABLE[name].called_in_javascript for name in TABLE], [[[x] for x in xs] for xs in outside.values()])
    assert not any(math.isfinite(y) for ys in found for y in ys)


def _is_defined(name, x):
    try:
        return math.isfinite(TABLE[name].value(x))
    except (ValueError, OverflowError, ZeroDivisionError):
        return False


# The text: a small part of Python, translated

LEAVES = ("a0", "a1", "0.5", "3.0", "1e-07", "1e+22", "nan", "inf")
NUMBERS = ("({} {o} {})", "{} {o} {}", "{} {o} ({} {o} {})", "(-{})", "abs({})", "({} if {t} else {})", "({}, {})[{i}]")
TESTS = (
    "({} {s} {})",
    "({} < {} <= {})",
    "({t} and {t})",
    "({t} or {t})",
    "({t} & {t})",
    "({t} | {t})",
    "(not {t})",
    "True",
)


def number(draw, depth):
    """A random number of the small part of Python."""
    return filled(draw, draw.choice(NUMBERS), depth) if depth else draw.choice(LEAVES)


def test(draw, depth):
    return filled(draw, draw.choice(TESTS[:2] if not depth else TESTS), depth)


def filled(draw, form, depth):
    parts = {"{}": number, "{t}": test, "{o}": lambda *_: draw.choice("+-*"), "{i}": lambda *_: draw.choice("01")}
    parts["{s}"] = lambda *_: draw.choice(("<", "<=", ">", ">=", "==", "!="))
    return re.sub(r"\{\w?\}", lambda found: parts[found[0]](draw, max(depth - 1, 0)), form)


test.__test__ = False
POINTS = [(1.0, 2.0), (0.0, -3.5), (1e200, 1e200), (-0.5, 0.0)]


@needed
def test_translated_text_means_what_it_means_in_python():
    draw = random.Random("translated")
    texts = [number(draw, 1 + i % 4) for i in range(240)]
    scripts = [
        Script(f"def compiled(a0, a1):\n    v0 = {text}\n    return v0\n", JavaScript().names()) for text in texts
    ]
    made = Bundle(scripts, javascript({}))
    found = called(made.last, [POINTS] * len(made.last), "\n".join(made.parts))
    for text, ys in zip(texts, found, strict=True):
        for (a0, a1), y in zip(POINTS, ys, strict=True):
            expected = eval(text, {"a0": a0, "a1": a1, "nan": math.nan, "inf": math.inf, "abs": abs})
            assert y == expected or (y != y and expected != expected), text


@pytest.mark.parametrize(
    "line", ["return a0 ** 2", "return [a0]", "while a0: return a0", "return open(a0)", "return a0.real", "a0 += 1"]
)
def test_what_is_not_in_the_small_part_is_refused(line):
    with pytest.raises(TypeError, match="no JavaScript"):
        Bundle([Script(f"def compiled(a0):\n    {line}\n", JavaScript().names())], javascript({}))


def test_the_same_function_is_written_once():
    text = "def compiled(a0):\n    return m.sqrt(a0)\n"
    one, other = (Script(text, JavaScript().names()) for _ in range(2))
    root = Script("def compiled(a0):\n    return h0(a0) + h1(a0)\n", {**JavaScript().names(), "h0": one, "h1": other})
    assert "".join(Bundle([root], javascript({})).parts).count("Math.sqrt") == 1


OPERAND = st.sampled_from(["v0", "v1", "v2", "v3", "v4", "x0", "x1"])
BODY = st.lists(st.tuples(st.integers(2, 6), OPERAND, st.sampled_from("+-*"), OPERAND), max_size=8)


def script(body):
    """A function which reads what is assigned before, some of it twice."""
    lines, known = ["v0 = x[0]", "v1 = x[1]"], {"v0", "v1"}
    for place, left, sign, right in body:
        read = [one if one in known else "v0" for one in (left, right)]
        lines.append(f"v{place} = {read[0]} {sign} {read[1]}")
        known.add(f"v{place}")
    last = lines[-1].split()[0]
    return Script("\n    ".join(["def compiled(x):", *lines, f"return {last}"]), {})


@given(st.lists(BODY, min_size=1, max_size=3))
def test_functions_with_names_in_common_have_the_numbers_that_they_had(bodies):
    held = {}
    for one in map(script, bodies):
        (text,) = Bundle([one], javascript(held)).parts
        *lines, last = re.sub(r"^function.*\n|^var |;$|\n}$", "", text, flags=re.MULTILINE).split("\n")
        space, expected = {"x": [2.0, 3.0]}, {}
        exec("\n".join(lines), {}, space)
        exec(one.text, expected)
        assert space[last.removeprefix("return ")] == expected["compiled"]([2.0, 3.0])


def test_the_same_arithmetic_has_the_same_lines_in_whatever_function():
    one = Script("def compiled(x):\n    v7 = x[1]\n    v8 = v7 * 2\n    return v8", {})
    other = Script("def compiled(x):\n    v7 = x[0]\n    v8 = x[1]\n    v9 = v8 * 2\n    return v7 + v9", {})
    held = {}
    lines = [Bundle([script], javascript(held)).parts[0].split("\n")[-3] for script in (one, other)]
    assert lines == ["var w1 = w0 * 2;"] * 2


# Expressions of all kinds

QUANTITIES = [Quantity(name, domain="real") for name in "xyz"]
AT = [(0.0, 1.0), (-1.0, 2.0), (0.5, 3.0), (1e200, -1e200), (1e308, 1e-200), (2.5, -0.3), (-4.0, 4.0), (3.0, 3.0)]


@pytest.mark.thorough
@needed
def test_an_expression_is_what_the_evaluator_says_it_is_whatever_is_undefined():
    texts = {}

    @settings(max_examples=80, suppress_health_check=list(HealthCheck), database=None)
    @given(expressions(5))
    def drawn(text):
        try:
            library = Library([relate("r", f"z = {text}", quantities=QUANTITIES)], QUANTITIES)
            texts[text] = program_of(library, "z", names_in(parse_expression(text)))
        except DeriveError:  # an angle among plain numbers
            return

    drawn()
    points = [[dict(zip("xy", at, strict=True)) for at in AT] for _ in texts]
    asked = [
        (made, [[at[n] for n in made.inputs] for at in own]) for made, own in zip(texts.values(), points, strict=True)
    ]
    told = ran(asked)
    checked = 0
    for text, own, found in zip(texts, points, told, strict=True):
        for at, point in zip(own, found, strict=True):
            expected = value(parse_expression(text), at)
            if point.why != "undecided" and not _is_on_a_jump(text, at):
                assert point.target == pytest.approx(expected, rel=1e-9, nan_ok=True), (text, at)
                assert bool(point.why) == (point.target != point.target)
                checked += expected == expected
    assert checked > len(texts)


def _is_on_a_jump(text, at):
    """Whether rounding decides: a step or a comparison changes the value within a hair's breadth."""
    around = [value(parse_expression(text), {n: x * (1 + step) for n, x in at.items()}) for step in (0, 1e-11, -1e-11)]
    whole = all(x == x for x in around)
    return len({x == x for x in around}) > 1 or (whole and max(around) - min(around) > 1e-6 * abs(around[0]))
