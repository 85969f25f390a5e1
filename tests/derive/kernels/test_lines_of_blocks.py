"""What blocks are worked out by: pieces with one root, brackets, elimination and bounds on rounding, each by itself."""

from __future__ import annotations

import math
import random

import numpy
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from derive.expressions.functions import TABLE
from derive.expressions.grammar import parse_expression
from derive.kernels.backends.emitter import Sheet
from derive.kernels.backends.numba_source import PlainPython
from derive.kernels.backends.python_numpy import Arrays
from derive.kernels.backends.python_runtime import crossing
from derive.kernels.blocks.block_lines import write_elimination
from derive.kernels.blocks.decisions import roundings
from derive.kernels.blocks.monotone_pieces import crossings, monotone_pieces
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.multiprecision import exactly
from quantities.domain import Domain
from tests.derive.draws import expressions
from tests.ordinary import examples

POSITIVE, REAL = Domain("positive", 0.0, math.inf, open_low=True), Domain("real", -math.inf, math.inf)


@pytest.fixture(autouse=True)
def _undefined_goes_without_saying():
    with numpy.errstate(all="ignore"):  # as where these lines are called
        yield


@examples(200, suppress_health_check=list(HealthCheck))
@given(expressions(6), st.floats(0.1, 9), st.floats(-9, 9))
def test_rounding_moves_an_expression_no_further_than_its_bound(text, x, y):
    node, at = parse_expression(text), {"x": x, "y": y}
    rounded, exact, bound = value(node, at), exactly(node, at), value(roundings(node), at)
    assume(all(map(math.isfinite, (rounded, exact, bound))) and bound * 2**-52 < 1e-3 * abs(rounded))
    assert abs(rounded - exact) <= bound * 2**-53 + 1e-300


@pytest.mark.parametrize("name", TABLE)
def test_every_function_is_granted_what_its_entry_says_it_may_be_off_by(name):
    entry, draw = TABLE[name], random.Random(name)
    bound = roundings(parse_expression(f"{name}(x)"))
    for _ in range(300):
        x = draw.uniform(max(entry.domain[0], -30.0), min(entry.domain[1], 30.0))
        if math.isfinite(y := entry.value(x)):
            assert entry.off * math.ulp(y) <= value(bound, {"x": x}) * 2**-53


@pytest.mark.parametrize(
    ("text", "box", "domain", "count"),
    [
        ("x*exp(x) - a", {"a": (1e-9, 1e9)}, POSITIVE, 1),
        ("x*exp(-x) - a", {"a": (0.1, 0.3)}, POSITIVE, 2),
        ("x - a*sin(x) - b", {"a": (0.0, 0.999), "b": (-9.0, 9.0)}, REAL, 1),
        ("x**3 - a*x", {"a": (1.0, 2.0)}, Domain("0.5..9", 0.5, 9.0), 1),
        ("exp(x) + a", {"a": (1.0, 2.0)}, REAL, 0),
        ("x - a*sin(x)", {"a": (1.0, 9.0)}, REAL, None),
        ("x*exp(-x) - a", {"a": (0.3, 0.4)}, POSITIVE, None),
        ("floor(x) - a", {"a": (0.3, 0.4)}, POSITIVE, None),
    ],
)
def test_a_form_has_at_most_one_root_in_each_of_its_pieces_and_none_beside_them(text, box, domain, count):
    form = parse_expression(text)
    found = monotone_pieces(form, "x", box, domain)
    assert (found and len(found[0])) == count
    if found is None:
        return
    draw = random.Random(text)
    for _ in range(50):
        known = {name: draw.uniform(*span) for name, span in box.items()}
        inside = [
            [value(form, {**known, "x": draw.uniform(low, min(high, 50))}) for _ in "ab"] for low, high in found[0]
        ]
        assert all(one != other for one, other in inside)
        x = 10 ** draw.uniform(-9, 2)
        if x in domain and value(form, {**known, "x": x}) == 0:
            assert any(low <= x <= high for low, high in found[0])


@pytest.mark.parametrize("root", [1e-30, 2.5e-4, 1.0, 3.0, 7e20, -3.0, -1e9])
@pytest.mark.parametrize("power", [1, 3, 0.2])
def test_a_bracket_closes_in_on_the_root_to_its_last_digits(root, power):
    def gap(x, root):
        ratio = x / abs(root) - numpy.copysign(1, root)
        return numpy.sign(ratio) * abs(ratio) ** power

    low, high = (1e-60, 1e60) if root > 0 else (-1e60, 1e3)
    found = crossing(gap, lambda *_: 1e-12, low, high, (root,))
    assert found == pytest.approx(root, rel=1e-15)
    assert crossings(gap, lambda *_: 1e-12, low, high, [numpy.array([root])])[0] == pytest.approx(root, rel=1e-15)


def test_ends_of_one_sign_hold_no_root_and_ends_of_no_sure_sign_leave_it_open():
    def gap(x, a):
        return x - a

    for a, expected in ((-3.0, math.nan), (2.0, math.inf), (2.5, 2.5), (4.0, math.inf), (math.nan, math.inf)):
        for found in (
            crossing(gap, lambda *_: 1e-9, 2.0, 4.0, (a,)),
            crossings(gap, lambda *_: 1e-9, 2.0, 4.0, [numpy.full(2, a)])[1],
        ):
            assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_elimination_comes_to_what_numpy_comes_to(size, seed):
    draw = numpy.random.default_rng(seed)
    tables = draw.normal(size=(20, size, size + 2)) * (draw.random((20, size, size + 2)) < 0.8)
    tables = tables[numpy.abs(numpy.linalg.det(tables[:, :, :size])) > 1e-6]
    expected = numpy.linalg.solve(tables[:, :, :size], tables[:, :, size:])
    for dialect in (PlainPython(), Arrays()):
        sheet = Sheet(dialect)
        names = [[f"a{i}_{k}" for k in range(size + 2)] for i in range(size)]
        found = write_elimination(sheet, names)
        sheet.write(f"return [{', '.join(text for row in found for text in row)}]")
        listed = ", ".join(name for row in names for name in row)
        function = dialect.made("\n".join([f"def compiled({listed}):", *sheet.lines, ""]), sheet.space)
        flat = tables.reshape(len(tables), -1)
        if dialect.is_lazy:
            results = numpy.array([function(*map(float, row)) for row in flat])
        else:
            results = numpy.array(function(*flat.T)).T
        assert results.reshape(expected.shape) == pytest.approx(expected, rel=1e-8, abs=1e-9)
