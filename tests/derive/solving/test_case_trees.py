"""Cases: compiled and in symbols, each point gets the relation that applies there."""

from __future__ import annotations

import math
import random

import numpy
import pytest
import sympy

import derive
from derive import AmbiguousError, DeriveError, LimitError
from derive.expressions.grammar import parse_condition
from derive.expressions.tree import render
from derive.kernels.backends.numba_source import is_at_hand
from derive.model.conditions import are_exclusive, implied
from derive.planning.plan import Plan
from derive.solving.case_trees import Case, cases
from derive.solving.execution.question import outlined
from tests.derive.statements import bare, library
from tests.ordinary import every

DRAG = bare(
    "friction Re loss",
    {"equation": "friction = 64/Re", "when": ["Re < 2300"]},
    {"equation": "friction = 0.316/Re**0.25", "when": ["Re >= 4000"]},
    "loss = friction*Re",
)


def both(asked, target, given):
    return [asked.compile(target, given, backend) for backend in ("python", "numpy")]


@pytest.mark.parametrize(("reynolds", "expected"), [(1000, 64), (3000, math.nan), (1e4, 316)])
def test_each_case_has_its_relation_and_none_has_no_value(reynolds, expected):
    for function in both(DRAG, "loss", ["Re"]):
        assert float(function(Re=reynolds)) == pytest.approx(expected, nan_ok=True)
    form = DRAG.formula("loss", ["Re"]).subs({DRAG.quantities["Re"]: reynolds})
    assert float(form) == pytest.approx(expected, nan_ok=True)


def test_an_array_runs_through_the_cases():
    found = DRAG.compile("friction", ["Re"])(Re=numpy.array([64.0, 3000.0, 1e4, math.nan]))
    assert found == pytest.approx([1.0, math.nan, 0.0316, math.nan], nan_ok=True)


@pytest.mark.parametrize(("friction", "expected"), [(0.064, 1000), (0.0316, math.nan), (0.02, (0.316 / 0.02) ** 4)])
def test_backwards_the_case_that_holds_at_its_own_answer_counts(friction, expected):
    for function in both(DRAG, "Re", ["friction"]):
        assert float(function(friction=friction)) == pytest.approx(expected, nan_ok=True)


def test_where_two_cases_hold_at_their_own_answers_there_is_no_one_value():
    twofold = bare("x y", {"equation": "y = 2*x", "when": ["x < 5"]}, {"equation": "y = x/2", "when": ["x >= 5"]})
    with pytest.raises(AmbiguousError):
        twofold.solve("x", y=4)
    form = twofold.formula("x", ["y"])
    for y, expected in ((1.0, 0.5), (4.0, math.nan), (20.0, 40.0)):
        for function in both(twofold, "x", ["y"]):
            assert float(function(y=y)) == pytest.approx(expected, nan_ok=True)
        assert float(form.subs({twofold.quantities["y"]: y})) == pytest.approx(expected, nan_ok=True)


def test_a_condition_on_what_follows_by_cases_itself_is_decided():
    chain = library(
        {"x": "km", "z": "m", "y": "1", "k": "1"},
        {"equation": "z = 2*x", "when": ["k < 1"]},
        {"equation": "z = x/2", "when": ["k >= 1"]},
        {"equation": "y = 7*k", "when": ["z < x"]},
        {"equation": "y = k", "when": ["z >= x"]},
    )
    for function in both(chain, "y", ["x", "k"]):
        assert [float(function(x=1.0, k=k)) for k in (0.5, 3.0)] == [0.5, 21.0]
    form = chain.formula("y", ["x", "k"])
    assert [float(form.subs({chain.quantities["x"]: 1000, chain.quantities["k"]: k})) for k in (0.5, 3)] == [0.5, 21]


def test_a_condition_of_which_nothing_is_known_is_assumed():
    pendulum = bare("period length swing", {"equation": "period = 2*sqrt(length)", "when": ["swing < 0.3"]})
    assert pendulum.compile("period", ["length"])(length=4.0) == 4.0
    assert not pendulum.formula("period", ["length"]).has(pendulum.quantities["swing"])


def test_relations_that_exclude_each_other_are_not_put_together():
    apart = bare("x y z", {"equation": "y = 2*x", "when": ["z < 1"]}, {"equation": "y = x + 3", "when": ["z >= 1"]})
    with pytest.raises(DeriveError):
        apart.compile("y", [])


@pytest.mark.parametrize(
    ("condition", "truths", "expected"),
    [
        ("x < 1", {"x < 0.5": True}, True),
        ("x < 1", {"x >= 1": True}, False),
        ("x < 1", {"x >= 1": False}, True),
        ("x > 2", {"x < 3": True}, None),
        ("x == 2", {"x <= 2": True, "x >= 2": True}, True),
        ("x != 2", {"2 == x": True}, False),
        ("x < y", {"x >= y": False}, True),
        ("sqrt(x) < 1", {"sqrt(x) >= 1": False}, None),  # both fail where it is undefined
        ("sqrt(x) < 1", {"sqrt(x) >= 1": True}, False),
        ("x < 1 and y < 1", {"x < 1": True}, None),
    ],
)
def test_what_follows_from_other_conditions(condition, truths, expected):
    given = {parse_condition(text): truth for text, truth in truths.items()}
    assert implied(parse_condition(condition), given) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("x < 1", "x >= 1", True),
        ("x < 1", "x > 0.5", False),
        ("x == 1", "x > 1", True),
        ("x < y", "x > y", True),
        ("x < y", "x <= y", False),
        ("x < 1", "y > 1", False),
        ("sqrt(x) < 1", "1 <= sqrt(x)", True),
    ],
)
def test_which_conditions_never_hold_together(one, other, expected):
    assert are_exclusive([parse_condition(one)], [parse_condition(other)]) is expected


@pytest.mark.long
def test_too_many_cases_are_refused():
    names = [f"k{i}" for i in range(10)]
    relations = [
        {"equation": f"x{i + 1} = {factor}*x{i}", "when": [f"k{i} {sign} 1"]}
        for i in range(10)
        for factor, sign in ((2, "<"), (3, ">="))
    ]
    long = bare(" ".join([*names, *(f"x{i}" for i in range(11))]), *relations)
    with pytest.raises(LimitError):
        cases(long, outlined(long, "x10", ["x0", *names]))
    assert long.compile("x2", ["x0", "k0", "k1"])(x0=1.0, k0=0.0, k1=2.0) == 6.0


@pytest.mark.thorough
@every("seed", range(40), ordinary=8)
def test_a_chain_of_random_cases_comes_to_what_it_comes_to_step_by_step(seed):
    draw = random.Random(seed)
    known, relations, steps = ["a", "b", "c"], [], []
    for name in "xyzw":
        over, limit = draw.choice(known), draw.choice((0.7, 1.3, 2.1))
        terms = [f"{draw.choice(known)}{draw.choice(('*', '+', '/'))}{draw.choice(known)}" for _ in range(2)]
        for term, sign in zip(terms, ("<", ">="), strict=True):
            relations.append({"equation": f"{name} = {term}", "when": [f"{over} {sign} {limit}"]})
            steps.append((name, term, f"{over} {sign} {limit}"))
        known.append(name)
    chain = bare("a b c x y z w", *relations)
    functions = both(chain, "w", ["a", "b", "c"])
    for _ in range(5):
        given = {name: draw.uniform(0.2, 4) for name in "abc"}
        at = dict(given)
        for name, term, condition in steps:
            if eval(condition, {}, at):
                at[name] = eval(term, {}, at)
        for function in functions:
            assert float(function(**given)) == pytest.approx(at["w"], rel=1e-12)


LAYERS = derive.load("""[quantities]
layers = { unit = "" }
special = { unit = "" }
rest = { unit = "", domain = "nonnegative", otherwise = "0" }
size = { unit = "" }
[relations]
rest = { equation = "rest = layers - special" }
mixed = { equation = "size = 2*rest + 3*special", when = ["rest > 0"] }
plain = { equation = "size = 3*special", when = ["rest <= 0"] }
""")


@pytest.mark.parametrize("backend", ["python", "numpy", *(["numba"] if is_at_hand() else [])])
def test_a_default_that_decides_a_case_yields_to_what_the_case_leads_to(backend):
    call = LAYERS.compile("special", ["layers", "size"], backend)
    points = [(10.0, 25.0), (10.0, 30.0), (4.0, 9.0)]
    for layers, size in points:
        expected = LAYERS.solve("special", layers=layers, size=size).value.magnitude
        assert float(call(layers=layers, size=size)) == pytest.approx(expected, rel=1e-9)
    form = LAYERS.formula("special", ["layers", "size"])
    names = [LAYERS.quantities[name] for name in ("layers", "size")]
    assert form.subs(dict(zip(names, (10, 30), strict=True))) == 10
    assert form.subs(dict(zip(names, (10, 25), strict=True))) is sympy.nan  # the case with a rest has no arm


@pytest.mark.parametrize("seed", range(6))
def test_there_is_no_one_value_where_a_case_holds_that_leaves_the_target_open(seed):
    """From `turn` on y is 2*t, whatever x is: where z agrees with that, any such x is a solution."""
    draw = random.Random(f"open {seed}")
    turn, factor = draw.randint(1, 4), draw.randint(1, 5)
    held = bare(
        "x y z t",
        "z = 2*y",
        {"equation": f"y = {factor}*x", "when": [f"x < {turn}"]},
        {"equation": "y = 2*t", "when": [f"x >= {turn}"]},
    )
    function = held.compile("x", ["t", "z"])
    for _ in range(12):
        t = draw.randint(1, 12) / 2
        z = draw.choice([4 * t, draw.randint(1, 40) / 2])
        x = z / 2 / factor
        expected = x if x < turn and z != 4 * t else math.nan
        assert function(t=t, z=z) == pytest.approx(expected, nan_ok=True), (t, z)
        assert function(t=numpy.array([t]), z=numpy.array([z])) == pytest.approx([expected], nan_ok=True), (t, z)


@every("seed", range(40), ordinary=10, thorough=8)
def test_a_fallback_alone_in_one_case_counts_beside_what_is_stated_in_another(seed: int) -> None:
    """Each point has what the solver says: no value where fallbacks alone lead to one, else that of its case."""
    draw = random.Random(f"fallbacks {seed}")
    low, high = sorted(draw.sample(range(-3, 4), 2))
    of_one = draw.choice(["w = z*y", "w = z + y", "w = a*y", "w = z"])
    of_other = draw.choice(["w = y", "w = z + a", "w = y - z", "w = 2*b"])
    by = draw.choice("abv")
    asked = bare(
        "a b v w y z",
        "v = a - b",
        {"equation": "y = a", "when": [f"b {draw.choice(['>=', '<'])} {low}"]},
        {"equation": "z = b", "when": [f"a {draw.choice(['>=', '<'])} {high}"]},
        *draw.choice(
            [[of_one], [{"equation": of_one, "when": [f"{by} > 0"]}, {"equation": of_other, "when": [f"{by} <= 0"]}]]
        ),
        domains=dict.fromkeys("abvwyz", "real"),
        fallbacks={"y": "10", "z": "3"},
    )
    points = [[draw.choice([low, high, round(draw.uniform(-5, 5), 1)]) for _ in "ab"] for _ in range(12)]
    right = []
    for a, b in points:
        try:
            right.append(asked.solve("w", a=a, b=b).base)
        except DeriveError:
            right.append(math.nan)
    try:
        functions = both(asked, "w", ["a", "b"])
    except DeriveError:
        assert all(map(math.isnan, right))
        return
    for function in functions:
        values = [float(function(a=a, b=b)) for a, b in points]
        assert values == pytest.approx(right, nan_ok=True)


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        ("a*b <= u*b", "a*b > u*b"),
        ("a*b - 2*u*b < 0", "a*b - 2*u*b >= 0"),
        ("exp(a/1e197) > exp(u/b)*b", "exp(a/1e197) <= exp(u/b)*b"),
    ],
)
def test_a_condition_on_numbers_beyond_all_doubles_is_decided_as_the_solver_does(condition, opposite):
    cased = [{"equation": "y = 1", "when": condition}, {"equation": "y = 2", "when": opposite}]
    asked = bare("a b u y", *cased, domains=dict.fromkeys("abu", "real"))
    functions = both(asked, "y", ["a", "b", "u"])
    for a, b, u in [(1e200, 1e200, 1e200), (2e200, 1e200, 1e200), (1e200, 1e200, 3e200), (3e200, -1e200, 1e200)]:
        right = asked.solve("y", a=a, b=b, u=u).base
        assert [float(function(a=a, b=b, u=u)) for function in functions] == [right] * len(functions), (a, b, u)


@pytest.mark.parametrize(
    ("truths", "holding", "failing"),
    [
        ({}, ["x > 1"], [["y > 1", "z > 1"]]),
        ({"x > 1": True, "y > 1": True}, [], [["y > 1", "z > 1"]]),
        ({"y > 1": False}, ["x > 1"], []),
        ({"x > 1": False}, None, None),
        ({"y > 1": True, "z > 1": True}, None, None),
    ],
)
def test_a_case_is_left_by_what_is_known_of_its_conditions(truths, holding, failing):
    """It needs x > 1, and y > 1 and z > 1 may not both hold in it."""
    x, y, z = map(parse_condition, ("x > 1", "y > 1", "z > 1"))
    known = {parse_condition(text): truth for text, truth in truths.items()}
    case = Case(Plan("w", (), (), ()), holding=(x,), failing=((y, z),)).left_by(known.get)
    assert (case is None) == (holding is None)
    if case is not None:
        assert [list(map(render, case.holding)), [list(map(render, group)) for group in case.failing]] == [
            holding,
            failing,
        ]
