"""Linear systems in symbols: put in the numbers, and elimination agrees."""

from __future__ import annotations

import random

import numpy
import pytest

from derive import LimitError
from derive.expressions.grammar import parse_expression
from derive.kernels.symbolic_solutions import solved_in_symbols
from derive.numerics.algebra.evaluation import value
from quantities.quantity import Quantity


def solved(texts, unknowns, names):
    quantities = {name: Quantity(name, domain="real") for name in [*unknowns, *names]}
    return solved_in_symbols([parse_expression(text) for text in texts], unknowns, quantities)


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_a_dense_system_of_symbols(size):
    unknowns = [f"x{i}" for i in range(size)]
    names = [f"k{i}{j}" for i in range(size) for j in range(size)] + [f"b{i}" for i in range(size)]
    texts = [" + ".join(f"k{i}{j}*x{j}" for j in range(size)) + f" - b{i}" for i in range(size)]
    found = solved(texts, unknowns, names)
    draw = random.Random(size)
    at = {name: draw.uniform(-2, 2) for name in names}
    matrix = [[at[f"k{i}{j}"] for j in range(size)] for i in range(size)]
    expected = numpy.linalg.solve(matrix, [at[f"b{i}"] for i in range(size)])
    assert [value(found[name], at) for name in unknowns] == pytest.approx(list(expected), rel=1e-6)


def test_a_long_chain_of_balances():
    size = 9
    unknowns = [f"x{i}" for i in range(size)]
    ends = ["s", *unknowns, "0"]
    texts = [f"g{i}*({ends[i]} - {ends[i + 1]}) - g{i + 1}*({ends[i + 1]} - {ends[i + 2]})" for i in range(size)]
    found = solved(texts, unknowns, ["s", *(f"g{i}" for i in range(size + 1))])
    at = {"s": 10.0, **{f"g{i}": 1.0 for i in range(size + 1)}}
    assert [value(found[name], at) for name in unknowns] == pytest.approx(list(range(9, 0, -1)))


def test_numbers_alone_and_a_right_side_of_nothing():
    assert value(solved(["x + 2*y - 5", "3*x - y - 1"], ["x", "y"], [])["y"], {}) == 2
    assert value(solved(["a*x + y", "x - a*y"], ["x", "y"], ["a"])["x"], {"a": 2.0}) == 0


@pytest.mark.parametrize(
    "texts",
    [
        ["x + y - a", "2*x + 2*y - b"],
        ["sqrt(c)*x + c*y - a", "x + sqrt(c)*y - b"],  # singular only because sqrt(c)**2 is c
        ["x*y - a", "x - y - b"],
    ],
)
def test_what_is_singular_or_not_linear_has_no_such_form(texts):
    assert solved(texts, ["x", "y"], ["a", "b", "c"]) is None


def test_what_grows_too_large_is_refused():
    size = 8
    names = [f"k{i}{j}" for i in range(size) for j in range(size)]
    texts = [" + ".join(f"k{i}{j}*x{j}" for j in range(size)) + " - 1" for i in range(size)]
    with pytest.raises(LimitError):
        solved(texts, [f"x{i}" for i in range(size)], names)
