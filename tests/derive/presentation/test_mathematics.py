"""Mathematics in LaTeX: what is written reads back to what was meant, and nobody's words are obeyed."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
import sympy
from hypothesis import example, given
from hypothesis import strategies as st

import derive
from derive.errors import DeriveError
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Apply, Name, Number
from derive.presentation.derivation import stated
from derive.presentation.mathematics import break_lines, expression, letter, number, unit, upright, width
from quantities.definitions import known_names
from quantities.spelling import parse_unit
from tests.ordinary import examples

ALLOWED = re.compile(
    r"\\(?:mathrm|backslash|hat|tilde|alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma"
    r"|tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega|[#$%&_{} ])"
)


def balanced(text):
    depth = 0
    for piece in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a/b/c", r"\frac{a}{b c}"),
        ("a/(b/c)", r"\frac{a}{\frac{b}{c}}"),
        ("-(a + b)*c", r"-\left(a + b\right) c"),
        ("-(-a)*b", r"-\left(-a b\right)"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("a - b - c", "a - b - c"),
        ("(a*b)**2", r"\left(a b\right)^{2}"),
        ("a**b**2", r"a^{b^{2}}"),
        ("a**(b/c)", r"a^{b/c}"),
        ("a**(b/c/d)", r"a^{\frac{b}{c d}}"),
        ("a**(b/3e12)", r"a^{b/\left(3\times10^{12}\right)}"),
        ("a + (-3)*b", "a - 3 b"),
        ("(a/b)**2", r"\left(\frac{a}{b}\right)^{2}"),
        ("(-a)**2", r"\left(-a\right)^{2}"),
        ("2*3*a", r"2 \cdot 3 a"),
        ("max(a, b/c)", r"\max\left(a, \frac{b}{c}\right)"),
        ("abs(a - b)", r"\left|a - b\right|"),
        ("floor(a)", r"\left\lfloor a \right\rfloor"),
        ("log(a) + log10(b)", r"\ln\left(a\right) + \log_{10}\left(b\right)"),
        ("a if a < b else c", r"\begin{cases}a & \text{if } a < b \\ c & \text{otherwise}\end{cases}"),
        ("0.25*a", "0.25 a"),
        ("1.5e-7*a", r"1.5\times10^{-7} a"),
    ],
)
def test_an_expression_is_set_as_it_would_be_by_hand(text, shown):
    assert expression(parse_expression(text), letter) == shown


PLAIN = {r"\left(": "(", r"\right)": ")", r"\cdot": "*", r"\times": "*", r"\pi": "pi"}
NAMES = dict(zip("abc", (1.7, 2.3, 0.9), strict=True))
LEAVES = st.sampled_from(["a", "b", "c", "2", "0.5", "1e7", "25e-8", "pi"])
TREES = st.recursive(
    LEAVES,
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from("+-*/"), part).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        part.map(lambda t: f"(-{t})"),
        part.map(lambda t: f"({t})**2"),
        part.map(lambda t: f"sqrt(1 + ({t})**2)"),
    ),
    max_leaves=8,
)


def read_back(tex):
    """The mathematics as Python: fractions and roots become calls, what stands side by side is multiplied."""
    assert not re.search(r"\^\{[^{}]*\}\^", tex), "TeX refuses a power of a power"
    tex = re.sub(r"\^\{([^{}]*)\}", r"**(\1)", tex)
    while re.search(r"\\(frac|sqrt)\{", tex):
        before = tex
        tex = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", tex)
        tex = re.sub(r"\\sqrt\{([^{}]*)\}", r"((\1)**0.5)", tex)
        tex = re.sub(r"\^\{([^{}]*)\}", r"**(\1)", tex)
        assert tex != before
    for mark, plain in PLAIN.items():
        tex = tex.replace(mark, plain)
    return re.sub(r"(?<=[\w)]) (?=[\w(])", "*", tex)


@examples(300)
@given(TREES)
def test_what_is_set_reads_back_to_the_same_value(text):
    try:
        tree = parse_expression(text)
    except derive.DeriveError:
        return
    try:
        expected = eval(text, {"__builtins__": {}}, {**NAMES, "pi": math.pi, "sqrt": math.sqrt})
    except ZeroDivisionError:
        return
    shown = read_back(expression(tree, letter))
    assert eval(shown, {"__builtins__": {}}, {**NAMES, "pi": math.pi}) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("value", [-3, Fraction(-1, 2), -12345678, Fraction(-3, 20_000_000), Fraction(-1, 3)])
def test_a_negative_number_reads_back_with_its_sign_wherever_it_stands(value):
    """A form that was computed has such numbers; of one that is typed, the sign stands apart."""
    a, negative = Name("a"), Number(Fraction(value))
    for tree, expected in (
        (Apply("mul", (a, negative)), NAMES["a"] * value),
        (Apply("pow", (negative, Number(Fraction(2)))), value**2),
        (Apply("add", (a, Apply("neg", (negative,)))), NAMES["a"] - value),
    ):
        shown = read_back(expression(tree, letter))
        assert eval(shown, {"__builtins__": {}}, NAMES) == pytest.approx(float(expected), rel=1e-9)


HOSTILE = [
    r"\input{/etc/passwd}",
    r"\write18{ls}",
    "^^5cinput",
    "%",
    "x}$\\bad${",
    "a_{b",
    "_",
    r"\def\x{y}",
    "$x$",
    r"\csname",
]


@pytest.mark.parametrize("chosen", HOSTILE)
def test_a_letter_that_is_more_than_a_letter_is_not_taken(chosen):
    assert letter("speed_of_light", chosen) == r"\mathrm{speed\ of\ light}"


@given(st.text(max_size=30))
def test_any_text_set_upright_is_harmless(text):
    shown = upright(text)
    assert balanced(shown)
    assert "$" not in shown.replace(r"\$", "")
    assert "%" not in shown.replace(r"\%", "")
    assert not re.search(r"\\", ALLOWED.sub("", shown))


@given(st.text(alphabet="\\{}$%#&_^~abc12*/ µ", max_size=20))
def test_any_unit_is_harmless(text):
    shown = unit(text)
    assert balanced(shown)
    assert not re.search(r"\\(input|write|def|csname)", shown)


@pytest.mark.parametrize(
    ("value", "shown"), [(0.00012, "0.00012"), (123456.7, "123457"), (6.02e23, r"6.02\times10^{23}")]
)
def test_numbers_far_from_one_carry_a_power_of_ten(value, shown):
    assert number(value) == shown


def test_every_letter_of_the_built_in_library_is_taken():
    quantities = derive.llm.quantities.values()
    assert [q.name for q in quantities if q.latex and letter(q.name, q.latex) != q.latex] == []


def test_letters_are_those_that_sympy_would_choose_for_short_names():
    for name in ("x", "C_A", "alpha", "omega"):
        assert letter(name).replace("{", "").replace("}", "") == sympy.latex(sympy.Symbol(name)).replace(
            "{", ""
        ).replace("}", "")


def test_a_ratio_s_own_letter_does_not_draw_in_its_neighbours():
    letters = {"ratio": "F/W", "size": "b", "flops": "k"}
    spelled = expression(parse_expression("ratio*size/flops"), letters.__getitem__)
    assert spelled == r"\frac{\left(F/W\right) b}{k}"
    assert expression(parse_expression("1/ratio + ratio"), letters.__getitem__) == r"\frac{1}{F/W} + F/W"


# What is typeset says what was typed: read back, it is the same unit, the same name

NAMES_OF_UNITS = known_names()
POWERS = st.sampled_from(["", "**2", "**-1", "**(1/2)", "^3", "**0.5", "**(-3/2)", "²", "³", "⁻¹", "**12"])
FACTORS = st.tuples(st.sampled_from(NAMES_OF_UNITS), POWERS).map("".join)
JOINTS = st.sampled_from(["*", "/", "·", " * ", " / ", " per ", "×"])
TYPED = st.lists(st.tuples(JOINTS, FACTORS), min_size=1, max_size=4).map(
    lambda parts: "".join(joint + factor for joint, factor in parts)[len(parts[0][0]) :]
)


def unit_read_back(shown):
    """A typeset unit as somebody would type it who reads it off the page."""
    for mark, typed in ((r"^{\circ}", "°"), (r"\Omega ", "Ω"), (r"\AA ", "Å"), (r"\mu ", "µ"), (r"\,", " ")):
        shown = shown.replace(mark, typed)
    shown = re.sub(
        r"\^\{([^{}]*)\}",
        r"**(\1)",
        shown.replace(r"\_", "_").replace(r"\%", "%").replace(r"\$", "$").replace(r"\ ", " "),
    )
    return shown.removeprefix(r"\mathrm{").removesuffix("}")


@example("J/kg*K")  # as J/kg K it would be read as J/(kg*K)
@example("m**( 1/2 ) * s ^ (- 1)")
@given(TYPED)
def test_a_typeset_unit_reads_back_to_the_unit(typed):
    try:
        meant = parse_unit(typed)
    except DeriveError:
        return
    shown = unit(typed)
    assert balanced(shown)
    read = parse_unit(unit_read_back(shown))
    assert (read.dimension, read.size) == (meant.dimension, meant.size)


def test_every_unit_of_the_built_in_library_reads_back():
    for text in {quantity.unit.text for quantity in derive.llm.declared.values()} | {
        "m**3/h",
        "W/(m*K)",
        "m**-0.686*s**1.852",
    }:
        assert parse_unit(unit_read_back(unit(text)) or "1").size == parse_unit(text).size
    assert unit("m**3/h") == r"\mathrm{m^{3}/h}"


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,12}", fullmatch=True))
def test_a_typeset_name_keeps_its_letters_and_is_upright_where_it_is_a_word(name):
    shown = letter(name)
    assert balanced(shown)
    letters = re.sub(r"\\mathrm|[{}\\_ ]", "", shown)
    assert letters == name.replace("_", "")
    word = re.match("[A-Za-z]{2,}", name)
    if word and not shown.startswith("\\" + word[0]):
        assert shown.startswith(r"\mathrm{" + word[0])


def test_a_word_is_no_letter_with_a_script():
    assert letter("head") == r"\mathrm{head}"
    assert [letter(name) for name in ("x1", "V_max", "T")] == ["x_{1}", "V_{max}", "T"]


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


FACTORS_OF_FORMULAS = st.sampled_from(
    ["a", r"\beta_{max}", r"\frac{a}{b + c}", r"17.5\,\mathrm{GB/s}", r"\left(a - b\right)^{2}"]
)
PRODUCTS = st.lists(FACTORS_OF_FORMULAS, min_size=1, max_size=6).map(r" \cdot ".join)
SUMS = st.lists(PRODUCTS, min_size=1, max_size=5).map(" + ".join)
FRACTIONS = st.tuples(SUMS, SUMS).map(lambda pair: rf"\frac{{{pair[0]}}}{{{pair[1]}}}")
MAXIMA = st.tuples(SUMS, SUMS).map(lambda pair: rf"\max\left({pair[0]}, {pair[1]}\right)")
FORMULAS = st.lists(SUMS | FRACTIONS | MAXIMA, min_size=1, max_size=3).map(" = ".join)


@pytest.mark.thorough
@examples(200)
@given(FORMULAS)
@example(rf"\max\left({' + '.join('abcdefghijklmnopqrst')}, b\right)")  # its first argument alone is too wide
def test_a_broken_formula_fits_and_keeps_its_signs(text):
    lines = break_lines([("x", text)], ROOM)
    shown = " = ".join(right for _, right in lines if right) + "".join(left for left, right in lines if not right)
    assert sorted(letters_and_signs(shown)) == sorted(letters_and_signs(text))
    assert all(width(side) <= ROOM for line in lines for side in line)


@pytest.mark.parametrize("text", [r"\frac{a}{b}", "a + b", r"\max\left(a, b\right)"])
def test_what_fits_is_left_alone(text):
    assert break_lines([("x", text), ("", "1")], ROOM) == [("x", text), ("", "1")]
