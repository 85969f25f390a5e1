"""Enclosures against a hundred and thirty digits, without any tolerance: every true value and slope lies inside."""

from __future__ import annotations

import math
import random
from functools import partial

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from mpmath import mp, mpf

from derive.expressions.arithmetic import NoElement
from derive.expressions.grammar import parse_expression
from derive.numerics.intervals import arithmetic, enclosure
from derive.numerics.intervals.enclosure import GAP, Enclosure, applied, enclose
from tests.derive.digits import SLOPES, OutOfReachError, exact, value_of
from tests.derive.draws import expressions
from tests.ordinary import every, examples

DIGITS = 130
BEYOND = mpf(2) ** 40  # arguments of exp and its like, from which it is only large

LARGE = ("exp", "sinh", "cosh", "tanh", "erf")  # defined everywhere, if too large or too near one for these digits
EXPONENTS = (0.0, 1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 8.0, 17.0, 0.5, 0.25, 1.7, -0.3, -2.5, 1 / 3, 1e-5)


def defined(op, x):
    """Whether an operation has a value, of a size at which the digits suffice."""
    if op in ("asin", "acos", "atanh"):
        return abs(x) <= 1 if op != "atanh" else abs(x) < 1
    if op == "acosh":
        return x >= 1
    if op in ("exp", "sinh", "cosh", "tanh"):
        return abs(x) < BEYOND
    if op in ("erf", "erfinv", "gamma", "lambertw"):
        return {"erf": abs(x) < 2**20, "erfinv": abs(x) < 1, "gamma": 0 < x < 2**20, "lambertw": x > -mp.exp(-1)}[op]
    if op in ("log", "log10", "log2", "inv"):
        return x > 0 or (op == "inv" and x != 0)
    return op != "sqrt" or x >= 0


def number(draw):
    """A double of the kinds that break bounds: beside multiples of a quarter turn and powers of two, tiny, huge."""
    kind = draw.randrange(8)
    if kind == 0:
        near = draw.randint(-(10 ** draw.randint(0, 16)), 10 ** draw.randint(0, 16)) * math.pi / 2
    elif kind == 1:
        near = draw.choice((-1, 1)) * 2.0 ** draw.randint(-1074, 1023)
    elif kind == 2:
        near = draw.choice((-1, 1)) * 10 ** draw.uniform(-308, 308)
    elif kind == 3:
        near = float(draw.randint(-20, 20))
    elif kind == 4:
        near = draw.choice((0.0, -1.0, 1.0, 1e-310, -5e-324, 710.0, -745.0))
    else:
        near = draw.choice((1, 4, 40, 2000)) * draw.uniform(-1, 1)
    for _ in range(draw.choice((0, 0, 1, 2, 3))):
        near = math.nextafter(near, draw.choice((-math.inf, math.inf)))
    return near if math.isfinite(near) else 1.5


def span(draw):
    """An interval: a point, a few doubles, narrow, or from one number to any other."""
    start, kind = number(draw), draw.randrange(4)
    if kind == 0:
        return start, start
    if kind == 1:
        end = start
        for _ in range(draw.randint(1, 4)):
            end = math.nextafter(end, math.inf)
    elif kind == 2:
        end = start + draw.choice((1e-12, 1e-3, 0.3, 3.0, 6.3)) * draw.uniform(0, 1) * draw.choice((1.0, abs(start)))
    else:
        end = number(draw)
    return min(start, end), max(start, end if math.isfinite(end) else start)


def points(draw, box):
    low, high = box
    inner = (low + draw.random() * (high / 2 - low / 2) * 2, low / 2 + high / 2)
    return {low, high, *(min(max(x, low), high) for x in inner)}


def is_inside(number, bounds):
    return mpf(bounds[0]) <= number <= mpf(bounds[1])


def enclosed(op, *parts):
    """The enclosure of an operation; None where it is nowhere defined."""
    try:
        return applied(op, *parts)
    except NoElement:
        return None


def misses_of_one(draw, op, box):
    """The points of an interval at which an operation of one argument leaves its enclosure."""
    enclosure = enclosed(op, Enclosure(box, (1.0, 1.0)))
    values = value_of(op)
    for x in points(draw, box):
        if not defined(op, mpf(x)):
            if enclosure is not None and enclosure.flaw != GAP and op not in LARGE and x <= 2**20:
                yield x, "undefined, and no gap is said"
            continue
        if enclosure is None or not is_inside(values(mpf(x)), enclosure.values):
            yield x, "value"
        elif not enclosure.partial and not _is_corner(op, x) and not is_inside(SLOPES[op](mpf(x)), enclosure.slopes):
            yield x, "slope"


def _is_corner(op, x):
    """Whether an operation has no slope at a point."""
    return (op in ("abs", "sqrt") and x == 0) or (op in ("asin", "acos", "acosh") and abs(x) == 1)


def misses_of_power(draw, n, box):
    enclosure = enclosed("pow", Enclosure(box, (1.0, 1.0)), Enclosure((n, n), (0.0, 0.0)))
    for x in points(draw, box):
        if (x < 0 and not n.is_integer()) or (x == 0 and n < 0):
            continue
        if enclosure is None or not is_inside(mpf(x) ** mpf(n), enclosure.values):
            yield x, "value"
        elif not enclosure.partial and (x or n >= 1 or n == 0):
            slope = mpf(n) * mpf(x) ** mpf(n - 1) if n else 0
            if not is_inside(slope, enclosure.slopes):
                yield x, "slope"


def misses_of_two(draw, op, box):
    """The same of two arguments that move at rates of their own."""
    other, rates = span(draw), (draw.uniform(-2, 2), draw.uniform(-2, 2))
    if op == "pow":
        box, other = tuple(sorted(map(abs, box))), tuple(draw.choice((1.0, 1e-3, 40.0)) * math.tanh(y) for y in other)
        other = min(other), max(other)
    enclosure = enclosed(op, Enclosure(box, (rates[0],) * 2), Enclosure(other, (rates[1],) * 2))
    u, v = map(mpf, rates)
    for x, y in zip(points(draw, box), points(draw, other), strict=False):
        a, b = mpf(x), mpf(y)
        if op == "pow" and x == 0:
            continue
        value, slope = {
            "add": lambda a=a, b=b: (a + b, u + v),
            "mul": lambda a=a, b=b: (a * b, a * v + b * u),
            "max": lambda a=a, b=b: (max(a, b), u if a > b else v),
            "min": lambda a=a, b=b: (min(a, b), u if a < b else v),
            "pow": lambda a=a, b=b: (a**b, b * a ** (b - 1) * u + a**b * mp.log(a) * v),
        }[op]()
        if enclosure is None or not is_inside(value, enclosure.values):
            yield (x, y), "value"
        elif not enclosure.partial and not is_inside(slope, enclosure.slopes):
            yield (x, y), "slope"


def misses(seed, count):
    """All that lies outside of its enclosure, of a number of random intervals."""
    draw = random.Random(seed)
    all_missed = []
    with mp.workdps(DIGITS):
        for _ in range(count):
            op, box = draw.choice((*SLOPES, "power", "pow", "add", "mul", "max", "min")), span(draw)
            if op == "power":
                n = draw.choice(EXPONENTS)
                missed, text = misses_of_power(draw, n, box), f"x**{n}"
            else:
                missed, text = (misses_of_one if op in SLOPES else misses_of_two)(draw, op, box), op
            all_missed += [(text, box, *what) for what in missed]
    return all_missed


@pytest.mark.thorough
@every("seed", range(4), ordinary=4)
def test_every_value_and_slope_lies_in_its_enclosure(seed):
    assert misses(seed, 1500) == []


SPECIAL = ("erf", "erfinv", "gamma", "lambertw")


@every("op", SPECIAL, ordinary=4)
def test_every_value_and_slope_of_a_special_function_lies_in_its_enclosure(op):
    draw = random.Random(op)
    near = {"erf": 0.0, "erfinv": 1.0, "gamma": 1.4616321449683623, "lambertw": -1 / math.e}[op]
    with mp.workdps(DIGITS):
        for _ in range(400):
            at, wide = near + draw.choice((-1, 1)) * 10 ** draw.uniform(-17, 1), 10 ** draw.uniform(-17, 1)
            box = draw.choice((span(draw), (at, at), (at, at + wide)))
            assert list(misses_of_one(draw, op, box)) == [], box


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_every_value_and_slope_lies_in_its_enclosure_at_length(seed):
    assert misses(1000 + seed, 5000) == []


@pytest.mark.thorough
def test_without_outward_rounding_these_tests_fail(monkeypatch):
    for room in (arithmetic, enclosure):
        monkeypatch.setattr(room, "outward", lambda low, high, ulps=4: (low, high))
    missed = {text for text, *_ in misses(7, 3000)}
    assert {"exp", "log", "sin", "cos", "tan", "atan", "asin", "sinh", "tanh", "sqrt", "inv", "mul"} <= missed


BASIC = [op for op in SLOPES if op not in ("abs", "floor", "ceil", *SPECIAL)]


@pytest.mark.parametrize("op", BASIC)
def test_a_value_that_is_no_double_lies_strictly_between_the_ends_which_are_near(op):
    for x in (1.1, 1.3, 1.7, 1.9) if op == "acosh" else (0.1, 0.3, 0.7, 0.9):
        enclosure = enclosed(op, Enclosure((x, x), (1.0, 1.0)))
        with mp.workdps(DIGITS):
            true = value_of(op)(mpf(x))
            assert enclosure.values[0] < true < enclosure.values[1]
        assert enclosure.values[1] - enclosure.values[0] <= 12 * math.ulp(float(true))


@pytest.mark.parametrize("op", [op for op in BASIC if op not in ("inv", "sqrt")])
def test_the_library_of_this_machine_is_as_good_as_the_bounds_assume(op):
    draw = random.Random(op)
    function = getattr(math, op)
    with mp.workdps(DIGITS):
        for _ in range(1500):
            x = draw.choice((draw.uniform(-2, 2), draw.uniform(-700, 700), 10 ** draw.uniform(-300, 300)))
            if not defined(op, mpf(x)) or (op in ("exp", "sinh", "cosh") and abs(x) > 700):
                continue
            true, near = value_of(op)(mpf(x)), function(x)
            assert abs(mpf(near) - true) <= arithmetic.ULPS * math.ulp(near)


def test_a_wave_is_enclosed_far_out_where_a_quarter_turn_cannot_be_added():
    draw = random.Random(5)
    cosine = partial(enclosed, "cos")
    with mp.workdps(DIGITS):
        for _ in range(1200):
            x = draw.uniform(-3000, 3000)
            box = x, x + draw.uniform(0, 1e-12)
            enclosure = cosine(Enclosure(box, (1.0, 1.0)))
            for at in box:
                assert is_inside(mp.cos(mpf(at)), enclosure.values)
                assert is_inside(-mp.sin(mpf(at)), enclosure.slopes)


BOXES = st.tuples(st.floats(-9, 9), st.floats(0, 9)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@examples(250, suppress_health_check=list(HealthCheck))
@given(expressions(), BOXES, st.lists(st.floats(0, 1), min_size=2, max_size=2, unique=True))
def test_every_value_and_secant_of_any_expression_lies_in_its_enclosure(text, box, shares):
    node = parse_expression(text)
    enclosure = enclose(node, {"x": box, "y": (1.5, 1.5)}, "x")
    a, b = sorted(min(box[0] + share * (box[1] - box[0]), box[1]) for share in shares)
    try:
        first, last = (exact(node, {"x": x, "y": 1.5}, DIGITS) for x in (a, b))
    except OutOfReachError:
        return
    numbers = [number for number in (first, last) if number is not None]
    assert enclosure is not None or not numbers
    if enclosure is None or not numbers:
        return
    assert enclosure.flaw == GAP or len(numbers) == 2
    rounding = mpf(10) ** -90 * (1 + max(map(abs, numbers)))  # of the digits themselves
    assert all(enclosure.values[0] - rounding <= number <= enclosure.values[1] + rounding for number in numbers)
    if not enclosure.partial and a < b:
        with mp.workdps(DIGITS):
            secant = (last - first) / (mpf(b) - mpf(a))
            slack = 2 * rounding / (mpf(b) - mpf(a))
            assert enclosure.slopes[0] - slack <= secant <= enclosure.slopes[1] + slack
