"""Ranges that equations tie to each other: the best choice against a grid along the tie in plain Python."""

from __future__ import annotations

import itertools
import math
import random

import pytest

import derive
from derive.certificates.lower_bounds import flaw_of
from derive.certificates.proof import Bound, Tangent
from derive.errors import InconsistentError
from derive.expressions.grammar import parse_equation, parse_expression
from derive.optimization.program import Limit, Program
from derive.optimization.reduction import reduced
from tests.derive.statements import bare
from tests.ordinary import every

GOALS = ["{a}*x**2 + {b}*y*z - {c}*z", "x*y - {a}*z**2 + {b}*x", "exp(x/4) + {a}*y**2 + {b}*z", "({a} + x)*(y - {b})*z"]
TIES = [  # the text of an equation, and the z that it gives in plain Python
    ("{p}*x + {q}*y + {r}*z = {s}", lambda x, y, p, q, r, s: (s - p * x - q * y) / r),
    ("z = {p}*x**2 - {q}*y + {s}", lambda x, y, p, q, r, s: p * x**2 - q * y + s),
    ("z*(y**2 + {r}) = {p}*x + {s}", lambda x, y, p, q, r, s: (p * x + s) / (y**2 + r)),
    ("z**3 + {r}*x = {q}*y", lambda x, y, p, q, r, s: math.copysign(abs(q * y - r * x) ** (1 / 3), q * y - r * x)),
]
POINTS = 41


def planted(seed):
    """A goal, a tie with the function that it gives, and ranges of three numbers."""
    draw = random.Random(seed)
    a, b, c = (draw.randint(1, 5) for _ in "abc")
    numbers = {"p": draw.randint(1, 4), "q": draw.randint(1, 4), "r": draw.randint(1, 4), "s": draw.randint(-3, 6)}
    text, function = draw.choice(TIES)
    ranges = {}
    for name in "xyz":
        low = draw.randint(-3, 2)
        ranges[name] = (low, low + draw.randint(1, 4))
    goal = draw.choice(GOALS).format(a=a, b=b, c=c)
    return goal, text.format(**numbers), lambda x, y: function(x, y, **numbers), ranges


def along(goal, function, ranges):
    """The values of a goal at points along a tie."""
    (low, high), (least, most), (below, above) = ranges.values()
    steps = [i / (POINTS - 1) for i in range(POINTS)]
    code = compile(goal, "goal", "eval")
    for one, other in itertools.product(steps, steps):
        x, y = low + (high - low) * one, least + (most - least) * other
        z = function(x, y)
        if below <= z <= above:
            yield eval(code, {"x": x, "y": y, "z": z, "exp": math.exp})


def given(ranges):
    return {name: f"{low}..{high}" for name, (low, high) in ranges.items()}


@pytest.mark.thorough
@every("seed", range(60), ordinary=12, thorough=20)
def test_no_point_along_a_tie_is_better(seed):
    goal, tie, function, ranges = planted(seed)
    met = min(along(goal, function, ranges), default=math.inf)
    library = bare("f x y z", f"f = {goal}", tie, domains=dict.fromkeys("fxyz", "real"))
    try:
        best = library.least("f", **given(ranges))
    except InconsistentError:
        assert met == math.inf
        return
    value = best.value.magnitude
    assert value <= met + 1e-6 * max(1.0, abs(met))
    at = {name: best.at[name].magnitude for name in "xyz"}
    left, right = tie.split("=")
    assert eval(left, {**at}) == pytest.approx(eval(right, {**at}), rel=1e-9, abs=1e-9)
    assert all(low <= at[name] <= high for name, (low, high) in ranges.items())
    assert value == pytest.approx(eval(goal, {**at, "exp": math.exp}), rel=1e-9, abs=1e-9)
    assert best.proved
    assert derive.verify(best)


@pytest.mark.parametrize("seed", range(8))
def test_a_tie_with_a_count_is_met_by_whole_numbers(seed):
    draw = random.Random(seed)
    a, b, total = draw.randint(1, 5), draw.randint(1, 5), draw.randint(20, 40)
    library = bare(
        "f n m x", f"f = {a}*n**2 + {b}*m + x", f"3*n + 5*m + x = {total}", domains=dict.fromkeys("nm", "0..9, whole")
    )
    met = [(n, m, total - 3 * n - 5 * m) for n in range(10) for m in range(10)]
    least = min(a * n**2 + b * m + x for n, m, x in met if 0.5 <= x <= 8)
    best = library.least("f", n="0..9", m="0..9", x="0.5..8")
    assert best.value.magnitude == pytest.approx(least, rel=1e-9)
    assert best.proved


def test_a_range_that_is_given_is_one_choice():
    ohm = bare("V I R P", "V = I*R", "P = V*I")
    assert ohm.least("P", V="1..9", I="1..3", R="2").value.magnitude == pytest.approx(2)
    assert ohm.most("P", V="1..9", I="1..3", R="2").value.magnitude == pytest.approx(18)
    assert ohm.least("V", V="1..9", I="2", R="3").value.magnitude == 6


def test_where_nothing_is_given_the_domains_are_the_ranges():
    domains = {"f": "real", "n": "1..9, whole", "x": "0.5..4", "y": "-2..3", "other": "0..1"}
    library = bare("f n x y other rest", "f = n*x - y", "x*y = n - 2", "rest = other", domains=domains)
    best = library.least("f")
    given = library.least("f", n="1..9", x="0.5..4", y="-2..3")
    assert best.chosen == given.chosen
    assert [*best.chosen] == ["n", "x", "y"]
    grid = ((n, x / 1000, (n - 2) / (x / 1000)) for n in range(1, 10) for x in range(500, 4001))
    assert best.value.magnitude == pytest.approx(min(n * x - y for n, x, y in grid if -2 <= y <= 3), abs=1e-3)


def test_a_tie_that_the_ranges_exclude_is_named():
    ohm = bare("V I R P", "V = I*R", "P = V*I")
    with pytest.raises(InconsistentError, match="r1 cannot hold in these ranges") as caught:
        ohm.least("P", V="7..9", I="1..3", R="2")
    assert caught.value.conflicts == ("r1",)


def test_what_is_put_in_loses_no_point():
    goal = parse_expression("x + z**2")
    ties = ["x + 2*y = z + 1", "log(y) + z = 3", "x*y = 1"]
    read = [(parse_equation(text), parse_expression(text.replace("=", "- (") + ")")) for text in ties]
    limits = tuple(Limit("", None, equation, gap) for equation, gap in read)
    names, box = ("x", "y", "z"), ((-90.0, 90.0),) * 3
    whole = Program(names, box, (0.0,) * 3, 3, goal, goal, {}, (), limits[:2])
    assert len(reduced(whole).forms) == 2
    (left,) = reduced(whole).program.names
    for number in (0.5, 0.75, 1.0):
        x, y, z = reduced(whole).full((number,))
        assert (math.log(y) + z, x + 2 * y) == pytest.approx((3, z + 1))
        assert {"x": x, "y": y, "z": z}[left] == number
    alone = Program(names, box, (0.0,) * 3, 3, goal, goal, {}, (), limits[2:])
    assert not reduced(alone).forms  # where y is zero, no x is given


@pytest.mark.parametrize(("price", "floor", "holds"), [(2.0, 0.0, True), (2.0, 0.1, False), (0.0, 0.0, False)])
def test_the_square_of_a_tie_makes_a_goal_convex_that_is_so_along_it_alone(price, floor, holds):
    goal, tie = parse_expression("y**2 - 2*x**2"), parse_expression("y - 2*x")  # 2*x**2 where the tie holds
    tree = (Tangent((0.0, price), (0.0, 0.0)),)
    box = ((-1.0, 1.0), (-1.0, 1.0))
    bound = Bound(("x", "y"), box, (0.0, 0.0), (), goal, (), (tie,), (), floor, tree)
    assert (flaw_of(bound) == "") is holds
