"""Wide formulas: broken into lines that fit, and none of their signs lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.presentation.derivation import stated
from derive.presentation.line_breaks import break_lines, width
from derive.presentation.mathematics import letter
from tests.ordinary import examples

ROOM = 60
ADDED = re.compile(r"\\quad|\\begin\{aligned\}|\\end\{aligned\}|\\\\|&|\\cdot|\s")


def letters_and_signs(text):
    """A formula without what a line break adds: alignment, and the sign of a product that had none."""
    return ADDED.sub("", text)


def every_equation():
    library = derive.llm
    for relation in library.relations.values():
        yield stated(relation.written, lambda name, held=relation.declared: letter(name, held[name].latex))


def test_every_relation_of_the_library_fits_and_keeps_its_signs():
    widest = 0
    for left, right in every_equation():
        lines = break_lines([(left, right)], ROOM)
        shown = "".join(side for line in lines for side in line)
        assert letters_and_signs(shown) == letters_and_signs(left + right)
        if right and r"\begin{cases}" not in right:  # a case is a row of its own
            assert all(width(side) <= ROOM + 3 for _, side in lines), lines
        widest = max(widest, width(right))
    assert widest > ROOM


FACTORS = st.sampled_from(["a", r"\beta_{max}", r"\frac{a}{b + c}", r"17.5\,\mathrm{GB/s}", r"\left(a - b\right)^{2}"])
PRODUCTS = st.lists(FACTORS, min_size=1, max_size=6).map(r" \cdot ".join)
SUMS = st.lists(PRODUCTS, min_size=1, max_size=5).map(" + ".join)
FRACTIONS = st.tuples(SUMS, SUMS).map(lambda pair: rf"\frac{{{pair[0]}}}{{{pair[1]}}}")
FORMULAS = st.lists(SUMS | FRACTIONS, min_size=1, max_size=3).map(" = ".join)


@examples(200)
@given(FORMULAS)
def test_a_broken_formula_fits_and_keeps_its_signs(text):
    lines = break_lines([("x", text)], ROOM)
    shown = " = ".join(right for _, right in lines if right) + "".join(left for left, right in lines if not right)
    assert sorted(letters_and_signs(shown)) == sorted(letters_and_signs(text))
    assert all(width(side) <= ROOM for line in lines for side in line)


@pytest.mark.parametrize("text", [r"\frac{a}{b}", "a + b", r"\max\left(a, b\right)"])
def test_what_fits_is_left_alone(text):
    assert break_lines([("x", text), ("", "1")], ROOM) == [("x", text), ("", "1")]
