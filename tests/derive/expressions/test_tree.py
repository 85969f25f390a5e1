"""A tree keeps what was written, and writes it again."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.tree import (
    COMPARISONS,
    FUNCTIONS,
    Apply,
    Equation,
    Name,
    Number,
    is_condition,
    names_in,
    render,
    walk,
)
from tests.derive.trees import value
from tests.ordinary import examples

A, B, C = Name("a"), Name("b"), Name("c")


def number(text: str) -> Number:
    return Number(Fraction(text))


def apply(op: str, *args) -> Apply:
    return Apply(op, args)


WRITTEN = [
    (A, "a"),
    (number("2"), "2"),
    (number("7/100"), "0.07"),
    (number("1/3"), "1/3"),
    (number("-2"), "-2"),
    (number("1e20"), "100000000000000000000"),
    (Number(Fraction(7, 100), "7e-2"), "7e-2"),
    (apply("mul", A, number("1/3")), "a*(1/3)"),
    (apply("pow", A, number("1/3")), "a**(1/3)"),
    (apply("pow", A, number("-2")), "a**(-2)"),
    (apply("pow", number("-2"), A), "(-2)**a"),
    (apply("add", A, apply("neg", B), C), "a - b + c"),
    (apply("add", A, number("-2")), "a + (-2)"),
    (apply("neg", apply("add", A, B)), "-(a + b)"),
    (apply("mul", A, apply("inv", B), C), "a/b*c"),
    (apply("mul", A, apply("inv", apply("mul", B, C))), "a/(b*c)"),
    (apply("inv", A), "1/a"),
    (apply("mul", apply("inv", A), B), "1/a*b"),
    (apply("mul", number("2"), apply("add", A, B)), "2*(a + b)"),
    (apply("pow", apply("pow", A, B), C), "(a**b)**c"),
    (apply("pow", A, apply("pow", B, C)), "a**b**c"),
    (apply("sqrt", apply("mul", A, B)), "sqrt(a*b)"),
    (apply("max", A, B, C), "max(a, b, c)"),
    (apply("pi"), "pi"),
    (apply("true"), "True"),
    (apply("le", A, apply("add", B, C)), "a <= b + c"),
    (apply("piecewise", A, apply("lt", A, B), C), "a if a < b else c"),
    (apply("piecewise", A, apply("lt", A, B)), "Piecewise((a, a < b))"),
    (apply("and", apply("or", apply("lt", A, B), apply("gt", B, C)), apply("ne", A, C)), "(a < b or b > c) and a != c"),
    (apply("not", apply("and", apply("lt", A, B), apply("eq", B, C))), "not (a < b and b == c)"),
]


@pytest.mark.parametrize(("node", "text"), WRITTEN)
def test_a_tree_is_written_with_no_parenthesis_too_many(node, text):
    assert render(node) == text


def _built(parts: st.SearchStrategy) -> st.SearchStrategy:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Apply, st.sampled_from(["add", "mul", "max"]), several),
        st.builds(Apply, st.sampled_from(["neg", "inv", "abs"]), parts.map(lambda part: (part,))),
        st.builds(
            lambda base, power: apply("pow", base, number(power)), parts, st.sampled_from(["2", "-1", "3", "-2"])
        ),
    )


TREES = st.recursive(st.sampled_from([A, B, C, number("2"), number("1/3"), number("-3/2"), number("0.07")]), _built)
VALUES = {"a": 1.25, "b": -0.75, "c": 2.5}


@examples(300)
@given(TREES)
def test_what_a_tree_writes_has_its_value_in_python(tree):
    try:
        expected = value(tree, VALUES)
    except (ZeroDivisionError, OverflowError):
        assume(False)
    assume(abs(expected) < 1e12)
    number = eval(render(tree), {"__builtins__": {}, "abs": abs, "max": max}, dict(VALUES))
    assert number == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "names"),
    [("a + b*a", ("a", "b")), ("2*pi", ()), ("max(c, b)/a", ("c", "b", "a")), ("a if b < c else b", ("a", "b", "c"))],
)
def test_names_are_told_once_each_in_reading_order(text, names):
    assert names_in(parse_expression(text)) == names


def test_the_names_of_several_trees_are_told_together():
    equation = parse_equation("b*a = c + a")
    assert names_in(equation.lhs, equation.rhs) == ("b", "a", "c")


def test_a_walk_meets_every_node_from_left_to_right():
    tree = parse_expression("a*(b + 2)")
    met = [getattr(node, "op", None) or getattr(node, "name", None) or node.value for node in walk(tree)]
    assert met == ["mul", "a", "add", "b", 2]


def test_a_walk_through_thousands_of_levels_needs_no_stack():
    tree = A
    for _ in range(20_000):
        tree = apply("neg", tree)
    assert sum(1 for _ in walk(tree)) == 20_001


def test_numbers_are_exact():
    assert parse_expression("0.1").value == Fraction(1, 10)
    assert parse_expression("1e-3") == number("0.001")
    assert parse_expression("0.10") == parse_expression("1e-1")


def test_where_a_node_stands_and_how_it_was_typed_does_not_change_what_it_is():
    assert parse_expression("a+0.50") == parse_expression("  a  +  5e-1")
    assert parse_equation("a=b") == parse_equation("a  =  b")
    assert hash(parse_expression("a+b")) == hash(parse_expression("a + b"))


def test_an_equation_is_told_as_it_was_typed_and_otherwise_as_it_is():
    assert str(parse_equation("a =   b\n/ c")) == "a = b / c"
    assert str(Equation(A, ">=", apply("mul", B, apply("inv", C)))) == "a >= b/c"


@pytest.mark.parametrize("op", [*COMPARISONS.values(), "and", "or", "not", "true"])
def test_comparisons_and_their_kin_are_conditions(op):
    assert is_condition(apply(op, A, B))


@pytest.mark.parametrize("node", [A, number("1"), apply("add", A, B), apply("piecewise", A, apply("lt", A, B), B)])
def test_everything_else_is_none(node):
    assert not is_condition(node)


def test_every_function_has_an_operation_that_is_its_own_name():
    assert all(FUNCTIONS[op] == op for op in FUNCTIONS.values())


@pytest.mark.parametrize("text", ["a + 2*b", "max(a, pi)", "a if a < b else c"])
def test_a_tree_is_never_changed_and_always_carried(text):
    tree = parse_expression(text)
    with pytest.raises(FrozenInstanceError):
        tree.op = "mul"
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree


def test_a_tree_whose_parts_recur_is_hashed_part_by_part() -> None:
    sums = [A]
    for _ in range(60):  # 2**60 names, were each part hashed again wherever it recurs
        sums.append(apply("add", sums[-1], sums[-1]))
    assert hash(sums[-1]) == hash(apply("add", sums[-2], sums[-2]))
    assert {one: place for place, one in enumerate(sums)}[sums[30]] == 30
