"""A sweep over conditional relations, in some of which weak values yield: at each point it is what the solver says."""

from __future__ import annotations

import math
import random
from itertools import chain
from typing import Any

import numpy
import pytest

import derive
from derive.tables.sweep_question import asked
from tests.derive.statements import bare, number
from tests.ordinary import every


@pytest.mark.parametrize("seed", range(12))
def test_a_profile_counts_in_the_cases_that_use_it(seed: int) -> None:
    draw = random.Random(seed)
    edge, one, other = draw.randint(2, 8), draw.randint(1, 9), draw.choice(("0.1*x", "x + k", "k*x"))
    library = derive.load(
        "[quantities]\n" + "".join(f'{name} = {{ unit = "1" }}\n' for name in ("x", "y", "c", "k")) + "[relations]\n"
        f'a = {{ equation = "y = {one}*c", when = ["x < {edge}"] }}\n'
        f'b = {{ equation = "y = {other}", when = ["x >= {edge}"] }}\n'
        '[profiles.pp]\nc = "5.7"\nk = "2"\n'
    )
    points = [edge - 1.5, edge - 0.5, float(edge), edge + 2.0]
    table = library.sweep("y", "pp", x=points)
    assert numpy.allclose(table["y"], [library.solve("y", "pp", x=x).base for x in points])


@pytest.mark.parametrize("seed", range(6))
def test_what_leaves_its_domain_is_a_contradiction_also_where_only_another_case_needs_it(seed: int) -> None:
    draw = random.Random(f"another case {seed}")
    edge, b = draw.randint(1, 3), draw.randint(3, 5)
    form = draw.choice(("x = b - a", "x = log(b/a)", "x = min(7, b - a, b)", "2*x = b - a"))
    library = bare(
        "a b x z",
        form,
        {"equation": draw.choice(("z = log(x)", "z = a*x")), "when": [f"a <= {edge}"]},
        {"equation": "z = a + b", "when": [f"a > {edge}"]},
        domains=dict.fromkeys("abz", "real"),
    )
    points = [0.5, edge, edge + 0.5, b - 0.25, b, b + 1, b + 2]
    right = []
    for a in points:
        try:
            right.append(library.solve("z", a=a, b=b).base)
        except derive.InconsistentError:
            right.append(math.nan)
    assert math.isnan(right[-1])
    assert numpy.allclose(library.sweep("z", a=points, b=b).columns["z"], right, equal_nan=True)


@pytest.mark.parametrize("seed", range(8))
def test_a_profile_counts_where_the_condition_of_what_replaces_it_is_on_the_target(seed: int) -> None:
    draw = random.Random(f"on the target {seed}")
    edge, of_profile = draw.randint(-2, 2), draw.choice(("k = (c - b)/b", "k = c*b", "c = k + b", "k = c + b**2"))
    library = bare(
        "a b c d k",
        {"equation": draw.choice(("a = b + k*d", "a = k*d", "k = a - b*d")), "when": [f"k {draw.choice('<>')} {edge}"]},
        of_profile,
        domains=dict.fromkeys("abcdk", "real"),
        profiles={"pp": {"c": str(draw.choice((-3, 2, 5)))}},
    )
    points = [-4, -1.5, 0.5, 2, 7]
    fixed = {"b": draw.choice((-2, 1.5, 3)), "d": draw.choice((-3, 2))}
    right = []
    for a in points:
        try:
            right.append(library.solve("k", "pp", a=a, **fixed).base)
        except derive.DeriveError:
            right.append(math.nan)
    assert numpy.allclose(library.sweep("k", "pp", a=points, **fixed).columns["k"], right, equal_nan=True)


DECIDED = [
    ({"b": "0.5"}, "b <= 1"),
    ({"b": "2"}, "b <= 1"),
    ({"b": "2"}, "b*x <= 5"),
    ({"b": "2"}, "c <= 1"),
    ({"b": "2", "c": "0.5"}, "c <= 1"),
    ({"b": "0.1", "a": "7"}, "c + a <= 1"),
]


@every("values, condition", DECIDED)
def test_a_profile_value_that_only_a_condition_names_decides_the_case_at_every_point(values, condition):
    library = bare(
        "x a b c y z",
        "c = 3*b",
        {"equation": "y = a*x", "when": [condition]},
        {"equation": "y = 2*a*x", "when": [condition.replace("<=", ">")]},
        "z = y + 1",
        profiles={"p": {"a": "3", **values}},
    )
    points = [1, 2, 3, 4]
    solved = [number(library.solve("z", "p", x=x)) for x in points]
    assert library.sweep("z", "p", x=points)["z"].tolist() == solved
    drawn = library.sample("z", "p", points=9, x="1..4")
    assert [number(library.solve("z", "p", x=x)) for x in drawn.draws["x"].tolist()] == pytest.approx(drawn.numbers)


def _term(draw: random.Random, names: str) -> str:
    number, first, second = draw.randint(1, 3), draw.choice(names), draw.choice(names)
    forms = (f"{first}*{number}", f"{first} + {second}", f"{first}*{second}", first, f"{first} - {number}")
    return draw.choice(forms)


def _of_cases(draw: random.Random) -> derive.Library:
    """A library in which numbers of a profile and of the axis x decide cases, also of what a profile states itself."""
    names, edge, decider = "xabcdky", draw.randint(0, 3), draw.choice("bbccdk")
    relations: list[Any] = []
    if draw.random() < 0.7:
        relations.append(f"c = {_term(draw, 'bd')}")
    if draw.random() < 0.5:
        in_case = {"equation": f"d = {_term(draw, 'xb')}", "when": [f"{draw.choice('kb')} > {edge}"]}
        relations.append(draw.choice((f"d = {_term(draw, 'bak')}", in_case)))
    op, other = draw.choice((("<=", ">"), ("<", ">="), ("==", ">")))
    relations.append({"equation": f"y = {_term(draw, 'axc')}", "when": [f"{decider} {op} {edge}"]})
    relations.append({"equation": f"y = {_term(draw, 'axkb')}", "when": [f"{decider} {other} {edge}"]})
    if draw.random() < 0.4:
        condition = f"{draw.choice('bcx')} {draw.choice(('>', '<='))} {draw.choice((1, 2))}"
        relations.append({"equation": f"k = {_term(draw, 'axb')}", "when": [condition]})
    profile = {name: str(draw.choice((0, 1, 2, 3, 0.5))) for name in draw.sample("abcdk", draw.randint(2, 4))}
    values = {name: str(draw.choice((1, 2))) for name in "abcdk" if name not in profile and draw.random() < 0.3}
    domains = dict.fromkeys(names, "real")
    return bare(" ".join(names), *relations, domains=domains, profiles={"p": profile}, values=values)


def _yielding_in_a_case(draw: random.Random) -> derive.Library:
    """A library in which a profile states a, for some cases, and what decides on them may depend on the axis x."""
    edge, of_c = draw.choice((1, 1.5, 2)), draw.choice(("2*b", "x*b", "x + b", "x", "m"))
    first, other = draw.choice((("x", ">"), ("x", "<="), ("b", ">"), ("b", "<=")))
    under = draw.choice(([], [f"{first} {other} {edge}"]))
    on_c = [f"{draw.choice(('c', 'c', 'm', 'b', 'x'))} {draw.choice(('>', '<=', '<'))} {draw.choice((1, 2))}"]
    relations: list[Any] = [
        draw.choice(("y = a*x", "y = a + x", "y = a")),
        {"equation": f"c = {of_c}", "when": under},
        {"equation": f"a = {draw.choice(('3*x', '3*b', 'c + 1', 'm'))}", "when": on_c},
    ]
    if draw.random() < 0.5:
        relations.append({"equation": "m = 2*x", "when": [f"{draw.choice('bx')} > {draw.choice((1, 2))}"]})
    draw.shuffle(relations)
    profile = {"a": "5", **{name: str(draw.choice((0.5, 1, 2, 3))) for name in draw.sample("bcm", 2)}}
    return bare("x a b c m y", *relations, domains=dict.fromkeys("xabcmy", "real"), profiles={"p": profile})


@every("seed", range(900), ordinary=30, thorough=6)
def test_a_sweep_is_what_the_solver_says_where_a_profile_decides_cases_or_states_the_target(seed: int) -> None:
    draw = random.Random(f"fixed {seed}")
    names, make = draw.choice((("kdy", _of_cases), ("yac", _yielding_in_a_case)))
    library, target, points = make(draw), draw.choice(names), [0.5, 1, 1.5, 2, 3, 4]
    typed = {name: draw.choice((1, 2, 3)) for name in draw.sample("ab", draw.randint(0, 1)) if name != target}
    solved = []
    for x in points:
        try:
            solved.append(library.solve(target, "p", x=x, **typed).base)
        except derive.DeriveError:
            solved.append(None)
    right = [math.nan if base is None else base for base in solved]
    try:
        table = library.sweep(target, "p", x=points, **typed)
    except derive.DeriveError:
        assert set(solved) == {None}
    else:
        assert numpy.allclose(table[target], right, rtol=1e-9, equal_nan=True)


@pytest.mark.parametrize("x", [1, "0.9..1.2"])
def test_what_a_profile_states_of_a_target_is_the_answer_where_conditions_alone_contain_it(x):
    pieces = [{"equation": "y = 2*a", "when": ["k == 0"]}, {"equation": "y = x", "when": ["k > 0"]}]
    library = bare("x y a k", *pieces, domains=dict.fromkeys("xyak", "real"), profiles={"p": {"k": "3"}})
    assert number(library.solve("k", "p", x=x, a=3)) == 3


LED = {
    "a condition on what a condition on the axis decides": (
        ["y = a*x", {"equation": "c = 2*b", "when": ["x > 2"]}, {"equation": "a = 3*x", "when": ["c > 1"]}],
        {"a": "5", "b": "2", "c": "0.5"},
        ("y", {}),
    ),
    "a factor that is zero": (["d = b*k"], {"k": "0"}, ("d", {})),
    "a factor that is zero in the case at hand": (
        ["c = b - 1", {"equation": "y = a*c", "when": ["c <= 0"]}, {"equation": "y = k*b", "when": ["c > 0"]}],
        {"b": "2", "k": "1"},
        ("y", {"b": 1}),
    ),
    "a stated target that only a condition ties to what is typed": (
        ["m = 2*x", "c = 2*b", {"equation": "a = m", "when": ["c > 1"]}],
        {"c": "3"},
        ("c", {"a": 1}),
    ),
}


@pytest.mark.parametrize("kind", LED)
def test_a_sweep_is_what_the_solver_says_at_each_point(kind: str) -> None:
    relations, profile, (target, typed) = LED[kind]
    names = "xabcdkmy"
    library = bare(" ".join(names), *relations, domains=dict.fromkeys(names, "real"), profiles={"p": profile})
    points, right = [0.5, 1, 3, 4], []
    for x in points:
        try:
            right.append(library.solve(target, "p", x=x, **typed).base)
        except derive.DeriveError:
            right.append(math.nan)
    assert not all(map(math.isnan, right))
    assert numpy.allclose(library.sweep(target, "p", x=points, **typed)[target], right, equal_nan=True)


def test_over_ranges_a_stated_target_is_the_answer_where_the_middle_leaves_it_open():
    relations = [
        "c = b + d",
        {"equation": "d = x - 3", "when": ["k > 1"]},
        {"equation": "y = c - 2", "when": ["b < 1"]},
        {"equation": "y = x*2", "when": ["b >= 1"]},
        {"equation": "k = a*2", "when": ["b > 2"]},
    ]
    profile = {"k": "0", "a": "0.5", "b": "1"}
    library = bare("x a b c d k y", *relations, domains=dict.fromkeys("xabcdky", "real"), profiles={"p": profile})
    assert [number(library.solve("k", "p", x=x, b=1)) for x in ("3", "2.5..3.5")] == [0, 0]


def test_a_sweep_leaves_to_lines_what_the_values_beside_its_axes_decide():
    """How many chips a scale-up domain has, and whether attention is latent, the profiles tell for all batches."""
    given = {"chips": "72 chip", "batch": derive.span("72..16384 sequence", 5), "context": "8 ktoken/sequence"}
    widths = {"dispatch_bytes_per_element": "1 byte", "combine_bytes_per_element": "2 byte"}
    targets = ["compute_time", "memory_time", "communication_time"]
    question = asked(derive.llm, targets, ("gb200:fp8", "deepseek-v3"), {**given, **widths})
    assert [recipe.lines.is_asked for recipe in question.function.recipes] == [False, False, False]


@pytest.mark.thorough
def test_a_condition_on_what_the_target_takes_anyway_brings_no_further_value_into_a_sweep():
    """The cost takes `latent_size` from the profile, from which `layers_per_cache` could work it out once more."""
    profiles, given = ("b200-sxm:fp4", "deepseek-v3"), {"batch": "256 sequence", "context": "16 ktoken/sequence"}
    question = asked(derive.llm, "cost_per_token", profiles, {**given, "chips": "64 chip"})
    used = {*chain.from_iterable(recipe.names for recipe in question.function.recipes)}
    assert "latent_size" in used
    assert "layers_per_cache" not in used
