"""All solutions of small blocks: none missing without a word, and a curve of them told from a multiple one."""

from __future__ import annotations

import math
import os
import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import derive
from derive import UnderdeterminedError
from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.tree import names_in
from derive.numerics.algebra.evaluation import value
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.complete_search import points_in_open_boxes, search_domains
from derive.solving.blocks.system import System
from derive.solving.blocks.tearing import torn
from quantities.domain import Domain
from tests.ordinary import every, examples

SEEDS = range(*map(int, os.environ.get("DERIVE_SEEDS", "0..6").split("..")))
REAL = Domain("real", -math.inf, math.inf)
BOUNDED = Domain("-5..5", -5.0, 5.0)


def solved(texts, names, domain, known=None):
    return solve_block([parse_equation(text) for text in texts], list(names), known or {}, dict.fromkeys(names, domain))


def library(texts, domains):
    quantities = "\n".join(f'{name} = {{ unit = "1", domain = "{domain}" }}' for name, domain in domains.items())
    relations = "\n".join(f'[relations.r{i}]\nequation = "{text}"' for i, text in enumerate(texts))
    return derive.load(f'title = "t"\n[quantities]\n{quantities}\n{relations}\n')


def test_solutions_that_hang_on_the_last_digits_of_an_unknown_are_all_found():
    texts = [
        "0.00001069*x**4 + 200*x**3*y + 100000*x**3 - 180000*x - 0.0001283 = 0",
        "0.02*x*y**2 + 10*y**2 - 10 = 0",
    ]
    asked = library(texts, {"x": "-510..1.4", "y": "-510..1.1"})
    found = {name: [answer.value.magnitude for answer in asked.solve_all(name)] for name in "xy"}
    assert len(found["y"]) == 7
    assert sorted(found["x"])[3] == pytest.approx(-7.127777777777778e-10, rel=1e-9)  # with y at -1 and at 1
    assert [y for y in found["y"] if abs(abs(y) - 1) < 1e-9] == pytest.approx([-1, 1])


FORMS = ("x**2 + y", "sin(x) + y", "x*y + x", "x**2 + y**2", "exp(x) + 2*y", "x + 3*y**3", "x**2*y", "log(x**2 + y**2)")
REPEATS = {  # and what the same comes to at the level
    "3*({0}) = d": lambda level: 3 * level,
    "({0})**3 = d": lambda level: level**3,
    "exp({0}) = d": math.exp,
    "({0})*(x**2 + 1) = d*(x**2 + 1)": lambda level: level,
    "x*({0}) + d = x*d + ({0})": lambda level: level,
    "-({0})/8 = d": lambda level: -level / 8,
}


@pytest.mark.thorough
@every("seed", range(24), ordinary=3)
@every("domain", ["real", "-5..5"])
def test_a_relation_that_only_repeats_another_leaves_both_unknowns_open(seed, domain):
    draw = random.Random(seed)
    form, repeat = draw.choice(FORMS), draw.choice(list(REPEATS))
    level = draw.choice([0.5, 2.0, 3.0])
    texts = [f"{form} = c", repeat.format(form)]
    asked = library(texts, {"x": domain, "y": domain, "c": "real", "d": "real"})
    for name in "xy":
        with pytest.raises(UnderdeterminedError) as caught:
            asked.solve_all(name, c=level, d=REPEATS[repeat](level))
        assert caught.value.missing


@pytest.mark.long
def test_a_relation_that_follows_from_two_others_leaves_all_unknowns_open():
    texts = ["x + y + z = 3", "x*y = z", "(x + y + z)**2 + 2*x*y = 9 + 2*z"]
    with pytest.raises(UnderdeterminedError):
        library(texts, dict.fromkeys("xyz", "real")).solve_all("x")


@every(
    ("texts", "expected"),
    [
        (["x**2 + y**2 = 0", "3*x**2 + 3*y**2 = 0"], (0.0, 0.0)),
        (["x**3 - 3*x*y**2 = 0", "3*x**2*y - y**3 = 0"], (0.0, 0.0)),
        (["x**2 + y**2 = 2", "x + y = 2"], (1.0, 1.0)),
        (["(x - 1)**2 + y**4 = 0", "x*exp(y) = 1"], (1.0, 0.0)),
        (["sin(x) = y**2", "cos(y) = 1 + x**2"], (0.0, 0.0)),
        (["exp(x/9) - 3*x/(y**2 + 1) = 0.9971111172841792", "1000*x**2 = 0.001"], (0.001, 0.0)),
    ],
    ordinary=4,
)
@every("domain", [BOUNDED, REAL], ids=["bounded", "real"])
def test_a_multiple_solution_is_no_curve(texts, expected, domain):
    if domain is REAL and "sin" in texts[0]:
        return  # sought in one turn
    outcome = solved(texts, "xy", domain)
    assert not outcome.singular
    assert outcome.undecided or outcome.solutions
    for solution in outcome.solutions:
        assert (solution.values["x"], solution.values["y"]) == pytest.approx(expected, abs=1e-3)


@every("off", [0.0, 2e-16, 1e-15, 1e-14, -1e-14], ordinary=5)
@every("radius", [3.0, 7.0, 0.1])
def test_where_rounded_givens_leave_a_touching_point_in_doubt_it_is_found(off, radius):
    known = {"s": radius, "t": math.sqrt(2 * radius) * (1 + off)}
    outcome = solved(["x**2 + y**2 = s", "x + y = t"], "xy", BOUNDED, known)
    assert outcome.solutions
    for solution in outcome.solutions:
        assert solution.values["x"] == pytest.approx(math.sqrt(radius / 2), rel=1e-6)


@pytest.mark.thorough
@examples(16, ordinary=4)
@given(st.floats(-4, 4), st.floats(-4, 4), st.sampled_from(["(x - a)**2", "cosh(x - a) - 1"]))
def test_a_point_at_which_a_side_only_touches_zero_is_seen_in_what_stayed_open(x, y, part):
    assume(min(abs(x), abs(y)) > 0.1)
    texts = [f"{part} + (y - b)**2 = 0", "x*exp(y) = c"]
    known = {"a": x, "b": y, "c": x * math.exp(y)}
    system = System(tuple(map(parse_equation, texts)), ("x", "y"), known, dict.fromkeys("xy", BOUNDED))
    (solution,) = points_in_open_boxes(search_domains(system), system)
    assert dict(solution.values) == pytest.approx({"x": x, "y": y}, rel=1e-3)


def test_that_there_is_none_is_proved_too():
    outcome = solved(["x**2 + y**2 = 1", "cos(x) + exp(y) = 9"], "xy", BOUNDED)
    assert (outcome.solutions, outcome.undecided) == ((), False)
    assert outcome.reason


PARTS = (
    "{0}*{1}",
    "{0}**2",
    "{0}**3",
    "{0}",
    "{1}",
    "{0}*{1}**2",
    "sin({0})",
    "exp({0}/9)",
    "cos({0} + {1})",
    "{0}/({1}**2 + 1)",
)


def drawn_side(draw, names):
    parts = [draw.choice(PARTS).format(*draw.sample(names, 2)) for _ in range(draw.randint(1, 3))]
    return " + ".join(f"{draw.choice([1, 2, -3, 0.25, 1000.0])!r}*{part}" for part in parts)


def hidden_system(seed):
    """A random system of two or three unknowns in bounded domains, and a solution of it."""
    draw = random.Random(f"system {seed}")
    names = "xyz"[: draw.choice([2, 2, 3])]
    kinds = [0.0, 1.0, 2.0 ** draw.randint(-20, 3), draw.uniform(-9, 9), 10.0 ** draw.randint(-12, 0), -3.0]
    at = {name: draw.choice(kinds) for name in names}
    texts: list[str] = []
    while not set(names) <= {name for text in texts for name in names_in(parse_expression(text))}:
        texts = [drawn_side(draw, names) for _ in names]
    known = {f"c{i}": value(parse_expression(text), at) for i, text in enumerate(texts)}
    low, high = draw.choice([(-10.0, 10.0), (-9.0, 10.0), (-500.0, 1e3)])
    domains = {n: Domain("", draw.choice([low, min(x, 0.0)]), draw.choice([high, max(x, 8.0)])) for n, x in at.items()}
    return [f"{text} = c{i}" for i, text in enumerate(texts)], known, domains, at


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hidden_solution_is_found_or_the_list_is_not_called_complete(seed):
    texts, known, domains, at = hidden_system(seed)
    outcome = solve_block([parse_equation(text) for text in texts], list(at), known, domains)
    if outcome.caveat or outcome.undecided or outcome.singular:
        return
    assert any(is_at(solution, at) for solution in outcome.solutions)


def is_at(solution, at):
    """Whether a solution is a point, but for digits that the rounding of the givens has cost."""
    spans = {**{name: (x, x) for name, x in solution.values.items()}, **solution.spans}
    blurs = {name: 1e-5 * max(1.0, abs(x)) for name, x in at.items()}
    return all(spans[name][0] - blurs[name] <= x <= spans[name][1] + blurs[name] for name, x in at.items())


@given(st.floats(1, 40), st.floats(0.15, 0.45), st.integers(-2, 3).map(lambda power: 10.0**power))
def test_a_solution_at_the_end_of_a_domain_is_not_lost_with_one_beyond_it(width, share, size):
    """Roots that agree to nine digits may be taken as one, which must not be the one outside."""
    known = {"a": 1 - share * 1e-9, "b": 1 + share * 1e-9}
    texts = ["x*sin((x - a)*(x - b)) = 0", f"y = {size!r}*(x**3 + x)"]
    domains = {"x": Domain("", 0.5, 1.5), "y": Domain("", 2 * size, (2 + width) * size)}
    system = System(tuple(map(parse_equation, texts)), ("x", "y"), known, domains)
    outcome, lost = torn(system)
    found = [one.values["x"] for one in outcome.solutions]
    assert lost or outcome.caveat or outcome.undecided or found == [pytest.approx(known["b"], rel=1e-12)]
