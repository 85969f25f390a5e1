"""What is given more than once has to agree, in a compiled function as in an answer."""

from __future__ import annotations

import math
import random

import networkx
import numpy
import pytest

import derive
from derive import InconsistentError, UnderdeterminedError
from derive.kernels.agreement import agreed, surplus
from derive.kernels.backends.numba_source import is_at_hand
from tests.derive import random_libraries
from tests.derive.statements import bare, number

BACKENDS = ["auto", "python", "numpy", *(["numba"] if is_at_hand() else [])]
OHM = derive.load("""[quantities]
V = { unit = "V" }
I = { unit = "mA" }
R = { unit = "kohm" }
P = { unit = "mW" }
[relations]
ohm = { equation = "V = I*R" }
power = { equation = "P = V*I" }
""")


@pytest.mark.parametrize("backend", BACKENDS)
def test_givens_that_contradict_each_other_have_no_value(backend):
    power = OHM.compile("P", ["V", "I", "R"], backend)
    assert power(V=12.0, I=4.0, R=3.0) == 48.0
    assert math.isnan(power(V=12.0, I=4.0, R=5.0))
    with pytest.raises(InconsistentError):
        OHM.solve("P", V="12 V", I="4 mA", R="5 kohm")
    if backend != "python":
        found = power(V=numpy.array([12.0, 12.0, 20.0])[:, None], I=4.0, R=numpy.array([3.0, 5.0]))
        assert found == pytest.approx(numpy.array([[48.0, math.nan], [48.0, math.nan], [math.nan, 80.0]]), nan_ok=True)


def test_what_follows_beside_the_target_is_compared_too():
    resistance = OHM.compile("R", ["V", "I", "P"], "numpy")
    assert resistance(V=12.0, I=4.0, P=numpy.array([48.0, 49.0])) == pytest.approx([3.0, math.nan], nan_ok=True)


def test_a_limit_that_is_not_kept_leaves_no_value():
    load = derive.load("""[quantities]
    held = { unit = "kg" }
    each = { unit = "kg" }
    count = { unit = "1" }
    most = { unit = "t" }
    [relations]
    held = { equation = "held = each*count" }
    limit = { equation = "held <= most" }
    """)
    assert load.compile("held", ["each", "count"])(each=30.0, count=50.0) == 1500.0
    held = load.compile("held", ["each", "count", "most"])
    assert held(each=30.0, count=50.0, most=2.0) == 1500.0
    assert math.isnan(held(each=30.0, count=50.0, most=1.0))


def test_an_estimate_that_is_off_is_no_contradiction():
    rough = derive.load("""[quantities]
    x = { unit = "1" }
    y = { unit = "1" }
    z = { unit = "1" }
    [relations]
    exact = { equation = "y = 2*x" }
    rough = { equation = "z = 3*x", approximate = "5 %" }
    """)
    doubled = rough.compile("y", ["x", "z"], "numpy")
    assert doubled(x=10.0, z=numpy.array([30.0, 31.0, 40.0])).tolist() == [20.0, 20.0, 20.0]
    assert rough.solve("y", x="10", z="40").base == 20.0


def test_of_two_roots_the_one_that_agrees_is_taken():
    roots = derive.load("""[quantities]
    x = { unit = "1", domain = "real" }
    y = { unit = "1" }
    z = { unit = "1", domain = "real" }
    [relations]
    square = { equation = "y = x**2" }
    sum = { equation = "z = x + 1" }
    """)
    found = roots.compile("x", ["y", "z"])(y=numpy.array([4.0, 4.0, 4.0]), z=numpy.array([3.0, -1.0, 2.0]))
    assert found == pytest.approx([2.0, -2.0, math.nan], nan_ok=True)


@pytest.mark.parametrize("points", [10, 3000])
def test_a_contradiction_that_has_nothing_to_do_with_the_target_is_one_all_the_same(points):
    apart = derive.load("""[quantities]
    x = { unit = "1" }
    y = { unit = "1" }
    s = { unit = "1" }
    w = { unit = "1" }
    v = { unit = "1" }
    [relations]
    double = { equation = "y = 2*x" }
    square = { equation = "s = w**2" }
    high = { equation = "v = w + 1" }
    """)
    x = numpy.linspace(1, 2, points)
    function = apart.compile("y", ["x", "s", "v"])
    assert function(x=x, s=4.0, v=3.0).tolist() == (2 * x).tolist()
    assert numpy.isnan(function(x=x, s=4.0, v=30.0)).all()
    assert apart.sweep("y", x=x, s="4", v="3")["y"].tolist() == (2 * x).tolist()
    assert apart.solve("y", x="1", s="4", v="3").base == 2.0
    for ask in (apart.sweep, apart.solve):
        with pytest.raises(derive.InconsistentError):
            ask("y", x=x if ask == apart.sweep else "1", s="4", v="30")


def test_weak_values_are_not_held_against_what_is_given():
    stated = derive.load("""[quantities]
    x = { unit = "1" }
    y = { unit = "1", value = "5" }
    z = { unit = "1" }
    [relations]
    double = { equation = "y = 2*x" }
    sum = { equation = "z = x + y" }
    """)
    assert stated.compile("z", ["x"])(x=1.0) == 3.0
    found = stated.sample("z", x="1..2", points=100)
    assert found.lost == 0


@pytest.mark.parametrize("seed", range(40))
def test_equations_that_no_unknown_is_left_for_are_those_that_some_largest_matching_leaves_out(seed):
    draw = random.Random(f"surplus {seed}")
    held = random_libraries.hidden(seed).library
    names = [*held.declared]
    strong = draw.sample(names, draw.randint(1, len(names)))
    equations = [one.name for one in held.relations.values() if one.is_equation]

    def size(relations):
        graph = networkx.Graph()
        graph.add_nodes_from(("relation", one) for one in relations)
        graph.add_edges_from(
            (("relation", one), ("unknown", name))
            for one in relations
            for name in held.members[one]
            if name not in strong
        )
        sides = {node for node in graph if node[0] == "relation"}
        return len(networkx.bipartite.hopcroft_karp_matching(graph, sides)) // 2

    whole = size(equations)
    left_out = {one for one in equations if size([other for other in equations if other != one]) == whole}
    assert surplus(held, strong, ())[0] == left_out


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("seed", range(6))
def test_what_leaves_its_domain_in_one_case_only_contradicts_the_givens_there(seed):
    """The difference of two numbers is not negative, where a relation under a condition says so, and free elsewhere."""
    draw = random.Random(f"leaving {seed}")
    cut, scale = draw.randint(-2, 2), draw.choice([0.5, 2.0, 3.0])
    of_case = {"equation": f"y = b - {scale}*c", "when": [f"b {draw.choice(['<=', '>'])} {cut}"]}
    further = [[], [{"equation": "z = y - 1"}], [{"equation": f"y = b + {scale}*c", "when": [f"c > {cut}"]}]][seed % 3]
    of_target = draw.choice(["w = a", "w = a + b if b > 0 else a"])
    domains = dict.fromkeys("abcwy", "real") | {"z" if seed % 3 == 1 else "y": "nonnegative"}
    held = bare("a b c y z w", of_case, *further, of_target, domains=domains)
    points = [[round(draw.uniform(-4, 4), 1) for _ in "abc"] for _ in range(30)]
    right = []
    for point in points:
        try:
            right.append(held.solve("w", **dict(zip("abc", point, strict=True))).base)
        except InconsistentError:
            right.append(math.nan)
    assert any(map(math.isnan, right))
    columns = dict(zip("abc", numpy.array(points).T, strict=True))
    for backend in ("numpy", "numba") if is_at_hand() and seed < 2 else ("numpy",):
        assert numpy.allclose(held.compile("w", [*columns], backend)(**columns), right, equal_nan=True)
    by_floats = held.compile("w", [*columns], "python")
    assert numpy.allclose(
        [by_floats(**dict(zip("abc", point, strict=True))) for point in points], right, equal_nan=True
    )
    table = held.sweep("w", a=points[0][0], b=columns["b"].tolist(), c=columns["c"].tolist()).columns["w"]
    for i, j in ((0, 0), (3, 5), (7, 2), (11, 4)):
        try:
            expected = held.solve("w", a=points[0][0], b=points[i][1], c=points[j][2]).base
        except InconsistentError:
            expected = math.nan
        assert numpy.allclose(table[i, j], expected, equal_nan=True)


def test_givens_that_only_the_solver_can_test_keep_their_value_where_there_are_many_points():
    """No closed form gives the n of `y = 2*floor(n)`: that y has none is asked, and not taken for granted."""
    held = bare("n y t", {"equation": "y = 2*floor(n)"}, {"equation": "t = y + 1"})
    target = held.compile("t", ["y"], "numpy")
    assert numpy.array_equal(target(y=numpy.array([8.0, 9.0])), [9.0, math.nan], equal_nan=True)
    assert numpy.array_equal(target(y=numpy.full(1200, 8.0)), numpy.full(1200, 9.0))


@pytest.mark.ordinary(4)
@pytest.mark.parametrize("seed", range(12))
def test_relations_whose_conditions_hold_together_contradict_each_other_as_for_an_answer(seed):
    draw = random.Random(f"overlap {seed}")

    def case(form: str, name: str) -> dict[str, str]:
        return {"equation": f"y = {form}", "when": f"{name} {draw.choice(['>', '<='])} {draw.randint(-1, 1)}"}

    forms = draw.sample(["a", "b", "a + b", "2*a", "b - 1"], 3)
    overlapping = [case(form, draw.choice("ab")) for form in forms]
    beside = draw.choice([[], [{"equation": "z = y + a"}]])
    library = bare("a b y z", *overlapping, *beside, domains=dict.fromkeys("abyz", "real"))
    target = "z" if beside and seed % 2 else "y"
    functions = [library.compile(target, ["a", "b"], backend) for backend in ("python", "numpy")]
    contradictory = 0
    for a in (-2.0, -1.0, 0.0, 1.0, 2.0):
        for b in (-2.0, -1.0, 0.0, 1.0, 2.0):
            try:
                right = library.solve(target, a=a, b=b).base
            except InconsistentError:
                right = math.nan
                contradictory += 1
            except UnderdeterminedError:
                right = math.nan
            assert [float(function(a=a, b=b)) for function in functions] == pytest.approx([right] * 2, nan_ok=True)
    assert contradictory


def test_a_divisor_that_cancels_in_the_form_of_a_quantity_beside_the_target_is_tested() -> None:
    """The form of y in `a*z/a = x*y` is z/x, in which there is no a to divide by."""
    held = bare("a x y z", "z = a*z*x", "x = a*z*x", "a*z/a = x*y", domains=dict.fromkeys("axyz", "real"))
    for backend in ("python", "numpy"):
        function = held.compile("x", ["a", "z"], backend)
        assert function(a=1.0, z=1.0) == held.solve("x", a=1, z=1).base == 1
        assert math.isnan(function(a=1.0, z=-1.0))
    with pytest.raises(InconsistentError):
        held.solve("x", a=1, z=-1)


@pytest.mark.parametrize("answer", [1.0, 2.0, math.nan])
def test_of_many_points_without_a_test_all_have_a_number_or_none_have(answer):
    """The solver is asked at a few of them; where it says otherwise once, the compiled numbers are worth nothing."""
    points = numpy.arange(5000.0)
    gap = numpy.where(points % 5 == 0, -1.0, numpy.nan)  # every fifth point agrees
    asked = []

    def ask(point):
        asked.append(point)
        return answer

    column = agreed(numpy.ones(5000), [gap], [points], ask)
    assert 0 < len(asked) < 1000
    assert (column[gap < 0] == 1).all()
    doubtful = column[numpy.isnan(gap)]
    assert (doubtful == 1).all() if answer == 1 else numpy.isnan(doubtful).all()


CANCELLING = (
    # equations between which all that is open cancels, the names given, and what the last is at a number of the first
    (("c = b*a", "d = {k}*b/c", "f = 2*a"), ("a", "d"), lambda first, k: k / first),
    (("c = a + b", "d = {k}*a + {k}*b", "f = 3*c"), ("c", "d"), lambda first, k: k * first),
    (("c = a**2*b", "d = {k}*a**4*b**2", "f = c + 1"), ("c", "d"), lambda first, k: k * first**2),
)


@pytest.mark.parametrize(("equations", "names", "last"), CANCELLING)
@pytest.mark.parametrize("share", [2, 13])
def test_givens_that_contradict_each_other_once_all_else_cancels_have_no_value(equations, names, last, share):
    library = bare("a b c d f", *(equation.format(k=share) for equation in equations))
    first = [2.0, 4.0, 3.0]
    columns = {names[0]: first, names[1]: [last(2.0, share), last(4.0, share), 1.1 * last(3.0, share)]}
    points = [dict(zip(columns, point, strict=True)) for point in zip(*columns.values(), strict=True)]
    expected = [number(library.solve("f", **{n: repr(x) for n, x in point.items()})) for point in points[:2]]
    with pytest.raises(InconsistentError):
        library.solve("f", **{name: repr(x) for name, x in points[2].items()})
    compiled = library.compile("f", names)
    for found in ([compiled(**point) for point in points], compiled(**columns)):
        assert found[:2] == pytest.approx(expected)
        assert math.isnan(found[2])
    grid = library.sweep("f", **columns).columns["f"]
    assert grid[0, 0] == pytest.approx(expected[0])
    assert numpy.isnan([grid[0, 2], grid[2, 2], grid[1, 0]]).all()
