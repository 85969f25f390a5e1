"""Machine code says what the other two dialects say, at every point, also where there is no value."""

from __future__ import annotations

import math
import os
import random

import numpy
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from derive import DeriveError
from derive.kernels import compiled_functions, several_targets
from tests.derive.draws import expressions
from tests.derive.random_libraries import hidden
from tests.derive.statements import bare
from tests.ordinary import examples

pytest.importorskip("numba")

ODD = (0.0, -1.0, math.nan, math.inf, -math.inf, 1e200, -1e200, 1e308, 1e-200)
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", "3..100").split(".."))


def alike(library, target, **columns):
    """What all back ends say of columns of numbers, which has to be the same."""
    python, arrays, machine = (library.compile(target, list(columns), b) for b in ("python", "numpy", "numba"))
    rows = [dict(zip(columns, map(float, row), strict=True)) for row in zip(*columns.values(), strict=True)]
    one_by_one = [python(**row) for row in rows]
    for function in (arrays, machine):
        found = function(**{name: numpy.array(column) for name, column in columns.items()})
        assert found == pytest.approx(one_by_one, rel=1e-12, abs=0, nan_ok=True)
    return one_by_one


def drawn(draw, near, count=24):
    """Numbers about one, and odd ones."""
    return [near, *(draw.choice(ODD) if draw.random() < 0.3 else near * draw.uniform(0.3, 3) for _ in range(count))]


def of_hidden(seed):
    case, draw = hidden(seed), random.Random(seed)
    target = draw.choice([name for name in case.library.holders if name.startswith("q")])
    columns = {name: drawn(draw, number) for name, number in case.numbers.items() if name != target}
    alike(case.library, target, **columns)


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("seed", range(3))
def test_a_random_library_is_the_same_function_in_every_dialect(seed):
    of_hidden(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_a_random_library_is_the_same_function_in_every_dialect_in_the_long_run(seed):
    of_hidden(seed)


@pytest.mark.thorough
@examples(15, suppress_health_check=list(HealthCheck))
@given(expressions(6), st.randoms(use_true_random=False))
def test_an_expression_is_the_same_in_every_dialect(text, draw):
    try:
        library = bare("x y z", f"z = {text} + 0*x*y", domains=dict.fromkeys("xyz", "real"))
    except DeriveError:  # an angle among plain numbers
        assume(False)
    alike(library, "z", x=drawn(draw, 1.3), y=drawn(draw, 2.1))


@pytest.mark.ordinary(3)
@pytest.mark.parametrize(
    "text",
    [
        "1 if sqrt(x) < 5 else 2",
        "1 if not exp(x) > 5 else 2",
        "1 if x*x*x > 5 or y < 1 else 2",
        "min(3, 1/y, log2(x))",
        "x**y + tanh(1/y)",
        "floor(x)**ceil(y)",
        "3 if y > 1 else 1/y if x > 0 else log(x) if y < 0 else 4",
    ],
)
def test_what_is_undefined_does_not_come_back_as_a_number(text):
    library = bare("x y z", f"z = {text} + 0*x*y", domains=dict.fromkeys("xyz", "real"))
    draw = random.Random(text)
    alike(library, "z", x=drawn(draw, 2.0, 60), y=drawn(draw, 1.1, 60))


DRAG = bare(
    "friction Re loss grade y",
    {"equation": "friction = 64/Re", "when": ["Re < 2300"]},
    {"equation": "friction = 0.316/Re**0.25", "when": ["Re >= 4000"]},
    "loss = friction*Re",
    {"equation": "grade = 1", "when": ["loss < 100"]},
    {"equation": "grade = 2", "when": ["loss >= 100"]},
    "y = grade*Re",
)


@pytest.mark.thorough
def test_each_case_has_its_lines():
    found = alike(DRAG, "y", Re=[1e3, 3e3, 1e4, math.nan])
    assert found == pytest.approx([1e3, math.nan, 2e4, math.nan], nan_ok=True)
    alike(DRAG, "Re", friction=[0.064, 0.0316, 0.02, math.inf])


@pytest.mark.long
def test_several_roots_are_followed():
    library = bare("a x y b", "x**2 - 5*x + a = 0", "y = sqrt(x - 3)", "b = x + 1")
    found = alike(library, "y", a=[6.0, 4.0, 7.0, -3.0])
    assert found == pytest.approx([math.nan, 1, math.nan, math.sqrt((math.sqrt(37) - 1) / 2)], nan_ok=True)
    alike(bare("a b x y", "max(x, a) = b", "y = max(x, 7)"), "y", a=[5.0, 5.0, 8.0], b=[5.0, 9.0, 8.0])


@pytest.mark.thorough
def test_what_is_solved_by_numbers_is_left_to_arrays():
    found = alike(bare("x y z", "y = x*exp(x)", "z = 2*x"), "z", y=[math.e, math.nan])
    assert found == pytest.approx([2.0, math.nan], nan_ok=True)


LINE = numpy.linspace(-1, 2, 60)


@pytest.mark.ordinary(5)
@pytest.mark.parametrize(
    ("x", "y"),
    [
        (LINE, 2.0),
        (2.0, 3.0),
        (LINE[:, None], LINE),
        (LINE.reshape(3, 4, 5), numpy.arange(1, 6)),
        (LINE.reshape(3, 4, 5).T, LINE.reshape(5, 4, 3)),
        (LINE.reshape(3, 1, 20), LINE[:4, None]),
        (LINE[::-2], LINE[::2]),
        (LINE[:0], 1.0),
        (numpy.ones((1, 1)), LINE[:, None]),
        (numpy.linspace(-1, 2, 300_000), numpy.linspace(3, 1, 300_000)),
        (numpy.linspace(-1, 2, 700)[:, None], numpy.linspace(3, 1, 700)),
    ],
)
def test_arrays_broadcast_as_numpy_has_it(x, y):
    library = bare("x y z k", "z = x*max(y, k)", domains={"z": "real", "y": "real"})
    expected = library.compile("z", ["x", "y", "k"], "numpy")(x=x, y=y, k=1.5)
    found = library.compile("z", ["x", "y", "k"], "numba")(x=x, y=y, k=1.5)
    assert numpy.shape(found) == numpy.shape(expected) == numpy.broadcast_shapes(numpy.shape(x), numpy.shape(y))
    numpy.testing.assert_allclose(found, expected, rtol=1e-12)


def test_many_points_are_worked_out_in_machine_code(monkeypatch):
    seen = []
    looped = several_targets.looped
    monkeypatch.setattr(several_targets, "looped", lambda point, *rest: seen.append(point) or looped(point, *rest))
    monkeypatch.setattr(several_targets, "_MANY", 100)
    function = bare("x y z", "z = x*y").compile("z", ["x", "y"])
    x = numpy.linspace(1, 2, 60)
    assert function(x=x, y=3.0) == pytest.approx(3 * x)
    assert not seen
    assert function(x=x, y=3.0) == pytest.approx(3 * x)
    assert function(x=1.0, y=3.0) == 3.0
    assert len(seen) == 1


def test_without_numba_the_extra_is_named_and_auto_goes_on(monkeypatch):
    for room in (several_targets, compiled_functions):
        monkeypatch.setattr(room, "is_at_hand", lambda: False)
    monkeypatch.setattr(several_targets, "_MANY", 1)
    library = bare("x y z", "z = x*y")
    with pytest.raises(DeriveError, match="numba") as caught:
        library.compile("z", ["x", "y"], "numba")
    assert "derive-engine[speed]" in str(caught.value)
    assert library.compile("z", ["x", "y"])(x=numpy.ones(3), y=2.0) == pytest.approx([2.0] * 3)
