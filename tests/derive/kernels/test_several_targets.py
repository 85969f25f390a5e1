"""Several targets by one function: each comes to what a function of its own yields, and to what the solver says."""

from __future__ import annotations

import math
import os
import random

import numpy
import pytest

import derive
from derive import DeriveError
from derive.kernels.backends.numba_source import is_at_hand
from derive.kernels.backends.python_numpy import Arrays
from derive.kernels.blocks import block_kernels
from derive.kernels.several_targets import JointFunctions, found_for
from derive.solving.execution import block_execution
from derive.tables.sweep_question import asked
from tests.derive.operations import ticks
from tests.derive.random_libraries import hidden
from tests.derive.statements import bare
from tests.ordinary import every

ODD = (0.0, -1.0, math.nan, math.inf, -math.inf, 1e200, -1e200, 1e308, 1e-200)
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", "6..400").split(".."))
WAYS = ("on_arrays", "in_machine_code") if is_at_hand() else ("on_arrays",)


def abreast(library, wanted, columns, ways=WAYS, alone=WAYS[:1]):
    """What one function says of each target, in all these ways alike.

    In those of `alone` it is bit by bit what the function of each target says by itself; machine code of one target
    takes a second.
    """
    found = [found_for(library, target, given) for target, given in wanted]
    whole = JointFunctions(library, found)
    told = [getattr(whole, way)([columns[name] for name in whole.names]) for way in ways]
    for way, together in zip(alone, told, strict=False):
        for one, column in zip(found, together, strict=True):
            by_itself = JointFunctions(library, [one])
            (expected,) = getattr(by_itself, way)([columns[name] for name in by_itself.names])
            expected = numpy.broadcast_to(expected, numpy.shape(column))
            assert numpy.array_equal(column, expected, equal_nan=True), (way, one.outline)
    for one, column, other in zip(found, told[0], told[-1], strict=True):
        numpy.testing.assert_allclose(other, column, rtol=1e-12, atol=0, err_msg=one.outline.target)
    return {one.outline.target: column for one, column in zip(found, told[-1], strict=True)}


def of_names(library, targets, alone=WAYS[:1], **columns):
    return abreast(library, [(target, [*columns]) for target in targets], numbers(columns), alone=alone)


def numbers(columns):
    return {name: numpy.asarray(column, dtype=float) for name, column in columns.items()}


def drawn(draw, near, count=12):
    """Numbers about one, and odd ones."""
    return [near, *(draw.choice(ODD) if draw.random() < 0.2 else near * draw.uniform(0.3, 3) for _ in range(count))]


def of_hidden(seed, ways=WAYS, alone=WAYS):
    """All that follows from some givens, and what follows if one of them is asked for instead."""
    case, draw = hidden(seed), random.Random(f"abreast {seed}")
    names = [name for name in case.numbers if name not in case.factors]
    given = [*draw.sample(names, draw.randint(1, len(names) - 1)), *case.factors]
    wanted = []
    for target in names:
        own = [name for name in given if name != target]
        try:
            found_for(case.library, target, own)
        except DeriveError:
            continue
        wanted.append((target, own))
    if wanted:
        abreast(case.library, wanted, numbers({name: drawn(draw, case.numbers[name]) for name in given}), ways, alone)


@pytest.mark.thorough
@every("seed", range(6), ordinary=3, thorough=16)
def test_targets_of_a_random_library_are_what_each_is_alone(seed):
    with ticks(4000):
        of_hidden(seed, WAYS[: 1 + (seed % 4 == 0)], WAYS[: 1 + (seed == 4)])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_targets_of_a_random_library_are_what_each_is_alone_in_the_long_run(seed):
    with ticks(4000):
        of_hidden(seed)


@pytest.mark.long
def test_targets_of_the_built_in_library_are_what_each_is_alone():
    targets = ("step_time", "compute_time", "memory_time", "cost_per_token", "user_speed", "kv_bytes")
    axes = {"batch": derive.span("1..4096 sequence", 30), "context": derive.span("1..100 ktoken/sequence", 20)}
    fixed = {"chips": "8 chip", "chip_price": "2 USD/h/chip"}
    function = asked(derive.llm, targets, ("h100-sxm:fp8", "llama3-70b"), {**axes, **fixed}).function
    wanted = [(recipe.target, [*axes, *recipe.numbers]) for recipe in function.recipes]
    known = {name: number for recipe in function.recipes for name, number in recipe.numbers.items()}
    batch, context = numpy.geomspace(1, 4096, 30)[:, None], numpy.linspace(1000, 100_000, 20)
    columns = numbers({**known, "batch": batch, "context": context})
    abreast(derive.llm, wanted[2:4], columns)
    found = abreast(derive.llm, wanted, columns, WAYS[:1])
    assert not numpy.isnan(found["cost_per_token"]).any()


PAIR = "x**2 - 5*x + a = 0"  # 2 and 3 at a = 6, 1 and 4 at a = 4


@pytest.mark.thorough
def test_several_roots_are_judged_for_each_target():
    library = bare(
        "a x y z w", PAIR, "y = sqrt(x - 3)", "z = (x - 2.5)**2", "w = 2*a", domains={"a": "real", "y": "real"}
    )
    found = of_names(library, ["x", "y", "z", "w"], a=[6.0, 4.0, -3.0])
    assert found["x"] == pytest.approx([3.0, 4.0, (5 + 37**0.5) / 2])  # at the other root, y has no value
    assert found["y"][1] == 1.0
    assert found["z"][:2] == pytest.approx([0.25, 2.25])
    assert found["w"][:2].tolist() == [12.0, 8.0]


@pytest.mark.thorough
def test_what_is_only_bounded_on_the_way_to_one_target_is_no_matter_to_another():
    library = bare("a b x y z", "max(x, a) = b", "y = max(x, 7)", "z = a + b")
    found = of_names(library, ["x", "y", "z"], WAYS, a=[5.0, 5.0, 8.0], b=[5.0, 9.0, 8.0])
    assert found["x"] == pytest.approx([math.nan, 9, math.nan], nan_ok=True)
    assert found["y"] == pytest.approx([7, 9, math.nan], nan_ok=True)
    assert found["z"].tolist() == [10, 14, 16]


@pytest.mark.thorough
def test_a_point_outside_the_domain_of_one_target_keeps_the_others():
    library = bare("a b x y z", "x = a - b", "y = a + b", "z = x*y")
    found = of_names(library, ["x", "y", "z"], a=[3.0, 1.0], b=[1.0, 3.0])
    assert found["y"].tolist() == [4, 4]
    assert found["x"] == pytest.approx([2, math.nan], nan_ok=True)
    assert found["z"] == pytest.approx([8, math.nan], nan_ok=True)


DRAG = bare(
    "friction Re loss grade y w",
    {"equation": "friction = 64/Re", "when": ["Re < 2300"]},
    {"equation": "friction = 0.316/Re**0.25", "when": ["Re >= 4000"]},
    "loss = friction*Re",
    {"equation": "grade = 1", "when": ["loss < 100"]},
    {"equation": "grade = 2", "when": ["loss >= 100"]},
    "y = grade*Re",
    "w = sqrt(Re)",
)


@pytest.mark.thorough
def test_a_case_that_fails_for_one_target_is_no_matter_to_another():
    found = of_names(DRAG, ["friction", "y", "loss", "w"], Re=[1e3, 3e3, 1e4, math.nan])
    assert found["y"] == pytest.approx([1e3, math.nan, 2e4, math.nan], nan_ok=True)
    assert found["friction"] == pytest.approx([0.064, math.nan, 0.0316, math.nan], nan_ok=True)
    assert found["w"] == pytest.approx([*numpy.sqrt([1e3, 3e3, 1e4]), math.nan], nan_ok=True)


@pytest.mark.long
def test_a_condition_on_what_is_worked_out_concerns_its_own_target():
    cases = ({"equation": "y = 2*x", "when": ["x < 2.45"]}, {"equation": "y = x + 10", "when": ["x > 3.5"]})
    found = of_names(bare("a x y z", PAIR, *cases, "z = a*y"), ["x", "y", "z"], a=[6.0, 4.0, 6.24, 6.5])
    assert found["y"] == pytest.approx([4, math.nan, 4.8, math.nan], nan_ok=True)
    assert found["z"] == pytest.approx([24, math.nan, 6.24 * 4.8, math.nan], nan_ok=True)
    assert numpy.isnan(found["x"]).all()


def test_a_comparison_without_meaning_is_asked_for_the_targets_that_hang_on_it():
    library = bare(
        "x y z w", "y = 1 if sqrt(x) < 5 else 2", "z = y + x", "w = x**2", domains=dict.fromkeys("xyzw", "real")
    )
    found = of_names(library, ["z", "w", "y"], x=[4.0, 36.0, -1.0, math.inf])
    assert found["z"] == pytest.approx([5, 38, math.nan, math.nan], nan_ok=True)
    assert found["w"] == pytest.approx([16, 1296, 1, math.nan], nan_ok=True)


def test_a_weak_value_is_given_for_one_target_and_follows_for_another():
    library = derive.load("""[quantities]
    a = { unit = "" }
    k = { unit = "", value = "3" }
    x = { unit = "" }
    y = { unit = "" }
    [relations]
    x = { equation = "x = k*a" }
    y = { equation = "y = k + a" }
    """)
    wanted = [("x", ["a", "k"]), ("y", ["a", "x"]), ("k", ["a", "x"]), ("y", ["a"])]
    found = abreast(library, wanted, numbers({"a": [1.0, 2.0], "k": 3.0, "x": [10.0, 50.0]}))
    assert found["x"].tolist() == [3, 6]
    assert found["k"].tolist() == [10, 25]
    together = library.sweep(["x", "y"], a=[1, 2], k=4)
    assert (together["x"].tolist(), together["y"].tolist()) == ([4, 8], [5, 6])


@pytest.fixture
def no_lines(monkeypatch):
    """A block without a closed form has no lines either, and is left to the solver."""
    monkeypatch.setattr(block_kernels, "attempts_of", lambda *_: [])


@pytest.mark.usefixtures("no_lines")
def test_what_is_solved_by_numbers_stands_beside_machine_code():
    library = bare("x y z w v", "y = x*exp(x)", "z = 2*x", "w = 3*y", "v = x + w")
    found = of_names(library, ["z", "w", "x", "v"], y=[math.e, math.nan, 2 * math.e**2])
    assert found["z"] == pytest.approx([2, math.nan, 4], nan_ok=True)
    assert found["w"] == pytest.approx([3 * math.e, math.nan, 6 * math.e**2], nan_ok=True)


@pytest.mark.usefixtures("no_lines")
def test_a_block_is_solved_by_numbers_once_for_all_targets(monkeypatch):
    library = bare("x y z a u", "y = x*exp(x)", "z = 2*x", "a = y - 2", "u = a*x")
    both = JointFunctions(library, [found_for(library, target, ["y"]) for target in ("u", "z")])
    asked_for, solve_block = [], block_execution.solve_block
    monkeypatch.setattr(block_execution, "solve_block", lambda *given: asked_for.append(given) or solve_block(*given))
    u, z = both.on_arrays([numpy.linspace(1, 9, 9)])
    assert len(asked_for) == 9
    assert numpy.isnan(u).tolist() == [True, True, *[False] * 7]
    assert not numpy.isnan(z).any()


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 1), (200_000,)])
def test_every_target_has_the_shape_of_all_givens(shape):
    library = bare("a b x y", "x = 2*a", "y = a*b")
    found = abreast(library, [("x", ["a"]), ("y", ["a", "b"])], {"a": numpy.ones(shape), "b": numpy.float64(3)})
    assert found["x"].shape == found["y"].shape == shape
    assert (found["y"] == 3).all()


def test_what_nothing_is_given_for_is_asked_too():
    library = bare("x y", "x**2 - 5*x + 6 = 0", "x <= 2.5", "y = 2*x")
    assert library.compile("y", [])() == library.compile("y", [], "numpy")() == 4.0


def test_a_line_is_worked_out_once_for_all_targets():
    library = bare(
        "a b x y z", "x = sqrt(a*b)", "y = x + exp(a)", "z = x - exp(a)", domains=dict.fromkeys("xyz", "real")
    )
    found = [found_for(library, target, ["a", "b"]) for target in ("x", "y", "z")]
    seen = []

    class Counted(numpy.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            seen.append(ufunc.__name__)
            bare_ones = [one.view(numpy.ndarray) if isinstance(one, Counted) else one for one in inputs]
            out = getattr(ufunc, method)(*bare_ones, **kwargs)
            return out.view(Counted) if isinstance(out, numpy.ndarray) and out.ndim else out

    made = JointFunctions(library, found)
    made._function(Arrays, (0, 1, 2))(*(numpy.array([2.0, 3.0]).view(Counted) for _ in "ab"))
    assert seen.count("exp") == seen.count("sqrt") == 1


REPEATED = (
    # what is asked, equations of which one repeats another, and what is given beside what a profile states of b
    ("a", ("c = {m}*a + {n}*b", "d = {k}*{m}*a + {k}*{n}*b"), ("c", "d")),
    ("a", ("c = a**{m}*b", "d = {k}*a**{m}*b"), ("c", "d")),
    ("b", ("c = {m}/b", "d = {k}*b*c"), ("d",)),
)


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "equations", "names"), REPEATED)
@pytest.mark.parametrize(("seed", "values"), [(0, {}), (1, {"b": "7"})])
def test_where_relations_repeat_each_other_a_profile_counts_before_a_default(target, equations, names, seed, values):
    draw = random.Random(seed)
    shares = {share: draw.randint(2, 5) for share in "kmn"}
    one_and_scaled = {"c": 100.0, "d": 100.0 * shares["k"]}
    given = (
        {name: one_and_scaled[name] for name in names} if len(names) > 1 else {"d": float(shares["k"] * shares["m"])}
    )
    library = bare(
        "a b c d e y",
        *(equation.format(**shares) for equation in equations),
        f"y = {target}*e",
        values=values,
        profiles={"p": {"b": str(draw.randint(1, 9))}},
    )
    typed = {name: repr(number) for name, number in given.items()}
    expected = float(library.solve(target, "p", **typed).value.magnitude)
    compiled = library.compile(target, names, profiles=["p"])
    along = {**typed, "d": [given["d"]] * 2}
    table, (piece,) = library.sweep(target, "p", **along), library.stream(target, "p", **along)
    sample = library.sample("y", "p", points=4, **typed, e="1..2")
    close = {"rtol": 1e-12, "atol": 0}
    numpy.testing.assert_allclose(compiled(**given), expected, **close)
    numpy.testing.assert_allclose(compiled(**{name: numpy.full(2, x) for name, x in given.items()}), expected, **close)
    numpy.testing.assert_allclose(table.columns[target], expected, **close)
    numpy.testing.assert_allclose(piece.columns[target], expected, **close)
    numpy.testing.assert_allclose(sample.numbers, expected * sample.draws["e"], **close)
    assert table.holds.all()
