"""Text becomes one tree, or a complaint that says where; it never becomes code."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from derive import DeriveError, ExpressionError, LimitError, UnknownNameError, relate
from derive.expressions.grammar import LONGEST, parse_condition, parse_equation, parse_expression
from derive.expressions.tree import Name, Number, names_in, render, walk
from tests.derive.corpus import FORMULAS, Formula, declared
from tests.derive.operations import calls
from tests.derive.trees import shape, value
from tests.ordinary import every, examples

SHAPES = [
    ("a - b + c", "add(a, neg(b), c)"),
    ("a - (b + c)", "add(a, neg(add(b, c)))"),
    ("a/b*c", "mul(a, inv(b), c)"),
    ("a/(b*c)", "mul(a, inv(mul(b, c)))"),
    ("a + b*c", "add(a, mul(b, c))"),
    ("(a + b)*c", "mul(add(a, b), c)"),
    ("-a**2", "neg(pow(a, 2))"),
    ("(-a)**2", "pow(neg(a), 2)"),
    ("a**-2", "pow(a, neg(2))"),
    ("a**b**c", "pow(a, pow(b, c))"),
    ("(a**b)**c", "pow(pow(a, b), c)"),
    ("2*a**3", "mul(2, pow(a, 3))"),
    ("(-a)*b", "mul(neg(a), b)"),
    ("-(a*b)", "neg(mul(a, b))"),
    ("a*-b", "mul(a, neg(b))"),
    ("a - -b", "add(a, neg(neg(b)))"),
    ("+a", "a"),
    ("((a))", "a"),
    ("2*pi", "mul(2, pi)"),
    ("1.5e3*a", "mul(1500, a)"),
    (".5*a", "mul(1/2, a)"),
    ("0.1 + 0.2", "add(1/10, 1/5)"),
    ("a if a < b else c", "piecewise(a, lt(a, b), c)"),
    ("a if a < b else b if b < c else c", "piecewise(a, lt(a, b), b, lt(b, c), c)"),
    ("2*(a if a < b else c)", "mul(2, piecewise(a, lt(a, b), c))"),
    ("a + b if a < b else c", "piecewise(add(a, b), lt(a, b), c)"),
    ("a if a < b <= c else b", "piecewise(a, and(lt(a, b), le(b, c)), b)"),
    ("a if not a < b and b != c or c >= a else b", "piecewise(a, or(and(not(lt(a, b)), ne(b, c)), ge(c, a)), b)"),
    ("a if (a < b or b < c) and c > a else b", "piecewise(a, and(or(lt(a, b), lt(b, c)), gt(c, a)), b)"),
    ("Piecewise((a, a < b), (c, True))", "piecewise(a, lt(a, b), c)"),
    ("Piecewise((a, a < b), (b, b < c))", "piecewise(a, lt(a, b), b, lt(b, c))"),
    ("max(a, b, c)", "max(a, b, c)"),
    ("Max(a, Min(b, c))", "max(a, min(b, c))"),
    ("Abs(a) + abs(b)", "add(abs(a), abs(b))"),
    ("ln(a) + log(b)", "add(log(a), log(b))"),
    ("arcsin(a) + arccos(b) + arctan(c)", "add(asin(a), acos(b), atan(c))"),
    ("ceiling(a) + ceil(b)", "add(ceil(a), ceil(b))"),
    ("max*max(max, sqrt)/sqrt(sqrt)", "mul(max, max(max, sqrt), inv(sqrt(sqrt)))"),
    ("fast.batch*2", "mul(fast.batch, 2)"),
    ("a − b", "add(a, neg(b))"),
    ("a × b · c ⋅ d", "mul(a, b, c, d)"),
    ("  a\n +\tb ", "add(a, b)"),
]


@every(("text", "expected"), SHAPES)
def test_a_text_has_one_tree(text, expected):
    assert shape(parse_expression(text)) == expected


@pytest.mark.parametrize(
    ("text", "op"), [("a = b + c", "="), ("a <= b", "<="), ("a + b >= c/2", ">="), ("a = b if b <= c else c", "=")]
)
def test_an_equation_has_two_sides_and_a_sign(text, op):
    equation = parse_equation(text)
    assert equation.op == op
    assert (shape(equation.lhs), shape(equation.rhs)) == tuple(
        shape(parse_expression(side)) for side in text.split(f" {op} ", 1)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("swing < 0.3", "lt(swing, 3/10)"),
        ("0 < a < b", "and(lt(0, a), lt(a, b))"),
        ("a == b or not a > 2", "or(eq(a, b), not(gt(a, 2)))"),
        ("True", "true"),
    ],
)
def test_a_condition_compares(text, expected):
    assert shape(parse_condition(text)) == expected


@every("formula", FORMULAS, ids=str)
def test_a_published_formula_survives_its_rendering_and_every_name_knows_its_place(formula: Formula):
    equation = parse_equation(formula.equation)
    again = parse_equation(f"{render(equation.lhs)} {equation.op} {render(equation.rhs)}")
    assert again == equation
    assert set(names_in(equation.lhs, equation.rhs)) == set(formula.units)
    leaves = [node for node in (*walk(equation.lhs), *walk(equation.rhs)) if isinstance(node, (Name, Number))]
    for leaf in leaves:
        written = formula.equation[slice(*leaf.at)]
        assert written == (leaf.name if isinstance(leaf, Name) else leaf.text)


# Any arithmetic that Python reads, read alike

NAMES = {"a": 1.25, "b": 0.75, "c": 2.5, "d": -1.5}


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(parts, st.sampled_from([" + ", " - ", "*", "/", " - -", "*-", "**"]), parts).map("".join)
    enclosed = parts.map("({})".format)
    signed = parts.map("-{}".format)
    called = st.tuples(st.sampled_from(["abs", "max", "min"]), parts, parts).map(
        lambda call: f"{call[0]}({call[1]})" if call[0] == "abs" else f"{call[0]}({call[1]}, {call[2]})"
    )
    comparison = st.tuples(parts, st.sampled_from([" < ", " <= ", " > ", " >= "]), parts).map("".join)
    compared = st.one_of(
        comparison,
        comparison.map("not {}".format),
        st.tuples(comparison, st.sampled_from([" and ", " or ", " < "]), comparison).map(
            lambda two: f"{two[0]}{two[1]}{two[2]}" if two[1] != " < " else f"{two[0]} < 2"
        ),
    )
    chosen = st.tuples(parts, compared, parts).map(lambda three: f"({three[0]} if {three[1]} else {three[2]})")
    return st.one_of(binary, binary, enclosed, signed, called, chosen)


ARITHMETIC = st.recursive(st.sampled_from([*NAMES, "2", "3", "0.5", "1"]), _joined, max_leaves=10)


@examples(300)
@given(ARITHMETIC)
@example("-(a*b)")
@example("(a*b)*c")
@example("(a + b) + c")
@example("a if (a if a < b else c) < c else b")
def test_a_text_reads_back_from_its_own_tree(text):
    tree = _read(text)
    assert parse_expression(render(tree)) == tree


@examples(300)
@given(ARITHMETIC)
def test_a_tree_means_what_python_means_by_the_text(text):
    tree = _read(text)
    try:
        expected = eval(text, {"__builtins__": {}, "abs": abs, "max": max, "min": min}, NAMES)
    except (OverflowError, ZeroDivisionError, TypeError):  # 9**9**9, 1/0, and a complex number that is compared
        assume(False)
    assert value(tree, NAMES) == pytest.approx(expected, rel=1e-12, nan_ok=True)


def _read(text: str):
    try:
        return parse_expression(text)
    except LimitError:
        assume(False)
    except ExpressionError as error:
        assume("divides by zero" not in str(error) and "is not a real number" not in str(error))
        raise


# The user's own names

OWN = ["E", "I", "N", "S", "Q", "O", "beta", "gamma", "zeta", "C_A", "FLOP", "e", "oo", "nan", "inf", "Symbol", "re"]
OWN += ["max", "min", "sqrt", "exp", "log", "abs", "sin", "ceil", "Max", "Piecewise", "ln", "Eq", "print", "eval", "_x"]


@pytest.mark.parametrize("name", OWN)
def test_a_declared_name_is_the_users_own(name):
    mine, other = declared(name, "m"), declared("x", "m")
    relation = relate("r", f"{name} = 2*x + {name}*max({name}, x)/x", quantities=[mine, other])
    assert relation.quantities == {name: mine, "x": other}
    assert relation.lhs is mine
    assert relation.rhs.free_symbols == {mine, other}


@pytest.mark.parametrize("name", ["pi", "if", "else", "lambda", "and", "None", "True", "import"])
def test_a_word_of_the_language_is_refused_in_words(name):
    with pytest.raises(ExpressionError, match="cannot be a name") as caught:
        declared(name, "m")
    assert name in str(caught.value)
    assert caught.value.hint == f"Write {name}_ instead."


# Text that is refused, each time with a type, in words, at a place and at once

DEEP = 60
REFUSED = {
    "attribute": "x.real",
    "attribute of a class": "x.__class__.__bases__",
    "attribute of a tuple": "().__class__",
    "attribute of a number": "(1).real",
    "call of eval": "eval(x)",
    "call of a quantity": "x(y)",
    "call of an attribute": "x.evalf()",
    "call of a result": "sin(x)(y)",
    "import": "__import__('os')",
    "import statement": "import os",
    "getattr": "getattr(x, y)",
    "open": "open(x)",
    "sympy's function": "factorial(x)",
    "sympy's class": "Symbol(x)",
    "subscript": "x[0]",
    "slice": "x[1:2]",
    "lambda": "lambda x: x",
    "lambda without arguments": "lambda: 1",
    "walrus": "x := 1",
    "walrus in parentheses": "(x := 1)",
    "f-string": "f'{x}'",
    "string": "'x'",
    "string in double quotes": '"x"',
    "bytes": "b'x'",
    "list": "[x]",
    "set": "{x}",
    "dict": "{x: y}",
    "tuple": "x, y",
    "starred": "*x",
    "double star": "**x",
    "comprehension": "max(x for x in y)",
    "keyword argument": "max(x, key=y)",
    "starred argument": "max(*x)",
    "await": "await x",
    "yield": "yield x",
    "is": "x is y",
    "in": "x in y",
    "statement": "x; y",
    "comment": "x # y",
    "line continuation": "x \\\n + y",
    "decorator": "@x",
    "ellipsis": "...",
    "complex": "1j*x",
    "hexadecimal": "0x10*x",
    "grouped digits": "1_000*x",
    "run-on number": "2x",
    "juxtaposition": "2 x",
    "juxtaposed parenthesis": "2(x)",
    "two points": "1.2.3*x",
    "broken exponent": "1e5e5*x",
    "repeating decimal": "0.[3]*x",
    "factorial": "100000000!",
    "floor division": "x//2",
    "modulo": "x % 2",
    "matrix product": "x @ y",
    "bitwise and": "x & y",
    "bitwise not": "~x",
    "caret": "x^2",
    "superscript": "x²",
    "subscript digit": "x₁",
    "root sign": "√x",
    "Greek pi": "2*π*x",
    "infinity sign": "∞*x",
    "fraction slash": "x⁄y",
    "fullwidth letter": "ｘ + y",
    "Cyrillic lookalike": "х + x",
    "Greek lookalike": "ο + x",
    "accented letter": "é*x",
    "right-to-left override": "x\u202e + y",
    "zero-width space": "x\u200b + y",
    "zero-width joiner in a name": "x\u200dy",
    "byte order mark": "\ufeffx",
    "NUL": "x\x00y",
    "surrogate": "x\ud800",
    "LaTeX": "\\alpha*x",
    "TeX macro": "\\write18{x}",
    "dollar": "$x",
    "question mark": "x?",
    "prime": "x'",
    "percentage": "5%*x",
    "decimal comma": "1,5*x",
    "double sign": "x +* y",
    "open parenthesis": "(x + y",
    "closed parenthesis": "x + y)",
    "nothing": "",
    "blanks": "   ",
    "no argument": "sin()",
    "no argument of max": "max()",
    "two arguments": "sin(x, y)",
    "log with a base": "log(x, 10)",
    "power without an exponent": "x**",
    "function without a call": "x*sin",
    "None": "None",
    "False": "x*False",
    "True": "x*True",
    "a truth for a value": "x > y",
    "a value for a truth": "x if y else 1",
    "if without else": "x if x > y",
    "and of values": "x and y",
    "not of a value": "not x",
    "Piecewise without pairs": "Piecewise(x, y)",
    "Piecewise without a condition": "Piecewise((x, True))",
    "Piecewise with a comma too many": "Piecewise((x, x > y),)",
    "a second equals sign": "x = y",
    "double equals sign": "x == y",
    "arrow": "x -> y",
    "division by zero": "x/0",
    "division by a constant zero": "x/(2 - 1 - 1)",
    "zero to a negative power": "x*0**-1",
    "tower": "9**9**9",
    "tower of three": "x*2**2**2**2**2**2",
    "high power": "x**1001",
    "high negative power": "x**-100000",
    "high computed power": "x**(10**10)",
    "huge number": "1e999*x",
    "huge digits": "9" * 5000,
    "huge exponent of a number": "1e" + "9" * 5000,
    "tiny number": "1e-999*x",
    "huge constant power": "2**1000",
    "huge constant product": "10**300*10**300",
    "huge exponential": "exp(1000)*x",
    "exponential of exponentials": "exp(exp(exp(9)))",
    "huge cosh": "cosh(1000)",
    "deep parentheses": "(" * DEEP + "x" + ")" * DEEP,
    "deeper parentheses": "(" * 9000 + "x" + ")" * 9000,
    "unclosed parentheses": "(" * 9000,
    "deep calls": "sin(" * DEEP + "x" + ")" * DEEP,
    "deep signs": "-" * 9000 + "x",
    "deep denials": "1 if " + "not " * 4000 + "x > y else 2",
    "deep powers": "x**" * DEEP + "x",
    "deep choices": "(x if x > y else " * DEEP + "x" + ")" * DEEP,
    "too long": "x + " * 5000 + "x",
    "long name": "x" * 19_000,
    "undeclared name": "z",
    "dunder": "__class__",
    "undeclared operating point": "fast.x",
}


@every("construct", REFUSED)
def test_what_is_no_formula_is_refused_at_once(construct):
    text = f"y = {REFUSED[construct]}"

    def refused():
        with pytest.raises((ExpressionError, LimitError, UnknownNameError)) as caught:
            relate("r", text, quantities=[declared("x", ""), declared("y", "")])
        return caught.value

    assert calls(refused) < 200_000
    error = refused()
    assert error.what
    assert len(str(error)) < 500
    assert str(error).isprintable()
    assert _inside(getattr(error, "position", None), text)


POINTED = [
    ("y = 2*x]", (1, 8)),
    ("y = 2x", (1, 5)),
    ("y = a[0]", (1, 6)),
    ("y = sin(x, 2)", (1, 5)),
    ("y = foo(x)", (1, 5)),
    ("y = x*", (1, 7)),
    ("y 2", (1, 3)),
    ("y", (1, 2)),
    ("", (1, 1)),
    ("y = x +\n 2 $ x", (2, 4)),
    ("y =\n\n(x", (3, 3)),
    ("y = х", (1, 5)),
]


@pytest.mark.parametrize(("text", "position"), POINTED)
def test_a_complaint_points_at_the_place(text, position):
    with pytest.raises(ExpressionError) as caught:
        parse_equation(text)
    assert caught.value.position == position
    assert caught.value.text == text


SAID = [
    ("y = sqr(x)", "Write x**2."),
    ("y = x^2", "Write x**2."),
    ("y = x//2", "Write floor(a/b)."),
    ("y == x", "Write '='."),
    ("y < x", "A relation is written with =, <= or >=."),
    ("x + y", "Write left = right."),
    ("a = b; c = d", "Write one equation in each relation."),
    ("a = b = c", "Write one in each relation."),
    ("y = log(x, 10)", "log is natural; for another base write log(x)/log(base)."),
    ("y = x if x > 1", "Write a if condition else b."),
    ("y = 9**9**9", "Make it a quantity with its own value."),
    ("y = √x", "Write sqrt(x)."),
    ("y = 2 x", "Write * for a product."),
]


@pytest.mark.parametrize(("text", "mend"), SAID)
def test_a_complaint_says_what_would_mend_it(text, mend):
    with pytest.raises(DeriveError) as caught:
        parse_equation(text)
    assert caught.value.hint == mend


@pytest.mark.parametrize("count", [3000, 5000])
def test_thousands_of_terms_are_read_at_once(count):
    text = "+".join(["x"] * count)
    assert calls(lambda: parse_expression(text)) < 50 * count
    assert len(parse_expression(text).args) == count


def test_the_longest_text_is_read_and_one_character_more_is_not():
    longest = "x" * LONGEST
    assert parse_expression(longest) == Name(longest)
    with pytest.raises(LimitError) as caught:
        parse_expression(longest + "x")
    assert caught.value.limit == f"{LONGEST} characters"


@pytest.mark.parametrize("text", ["(" * 49 + "x" + ")" * 49, "-" * 49 + "x", "sin(" * 49 + "x" + ")" * 49])
def test_fifty_levels_are_enough_for_anybody(text):
    assert names_in(parse_expression(text)) == ("x",)


# Soups of tokens, and formulas with slips of the finger

WORDS = [
    "x",
    "y",
    "E",
    "2",
    "0.5",
    "1e3",
    "1e999",
    "0",
    "pi",
    "+",
    "-",
    "*",
    "/",
    "**",
    "//",
    "=",
    "==",
    "<",
    "<=",
    ">=",
]
WORDS += ["(", ")", ",", "if", "else", "and", "or", "not", "True", "None", "lambda", "Piecewise", "Piecewise((", "max("]
WORDS += ["sin(", "sqrt(", "eval(", "Max", ".", "..", "x.y", "[", "]", "{", ":=", "->", "'", '"', "#", "\\", "\n", " "]
WORDS += ["х", "π", "²", "−", "×", "\u202e", "\x00", "!", "%", "^", "e", "1e", "0x", "_", "__class__", "@", "1_0", "²"]
SOUP = st.tuples(st.sampled_from(["", " "]), st.lists(st.sampled_from(WORDS), max_size=24)).map(
    lambda pair: pair[0].join(pair[1])
)


@st.composite
def slipped(draw: st.DrawFn) -> str:
    """A published formula with up to four slips of the finger."""
    text = draw(st.sampled_from(FORMULAS)).equation
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        put, cut = draw(st.sampled_from(["", *WORDS])), draw(st.integers(0, 3))
        text = text[:at] + put + text[at + cut :]
    return text


@examples(600)
@given(st.one_of(SOUP, slipped(), st.text(max_size=40)))
def test_whatever_is_typed_is_read_or_refused_in_words(text):
    for read in (parse_equation, parse_expression, parse_condition):
        refused = _refusal(lambda read=read: read(text))
        assert refused is None or (refused.what and _inside(getattr(refused, "position", None), text))


@pytest.mark.thorough
@examples(300)
@given(slipped())
def test_a_formula_with_slips_is_checked_or_refused_in_words(text):
    quantities = [declared(name, "m") for name in ("x", "y", "E")]
    refused = _refusal(lambda: relate("r", text, quantities=quantities))
    assert refused is None or str(refused)


def _refusal(act: Callable[[], object]) -> DeriveError | None:
    """The error of ours that an act comes to; any other goes on."""
    try:
        act()
    except DeriveError as error:
        return error
    return None


def _inside(position: tuple[int, int] | None, text: str) -> bool:
    if position is None:
        return True
    line, column = position
    rows = text.split("\n")
    return 1 <= line <= len(rows) and 1 <= column <= len(rows[line - 1]) + 1


@pytest.mark.parametrize("seed", range(40))
def test_a_constant_is_refused_only_where_it_is_undefined_exactly(seed):
    """In floats a quotient of decimals may fall short of the whole number that it is, and `floor` of it is one less."""
    draw = random.Random(f"constant {seed}")
    by, times = Fraction(draw.randint(1, 999), draw.choice([10, 100, 1000])), draw.randint(1, 9)
    less = draw.choice([times - 1, times, times + 1])
    rounded = draw.choice([f"floor({float(by * times)}/{float(by)})", f"ceil({float(by * times)}/{float(by)})"])
    text = f"1/({rounded} - {less})" if draw.random() < 0.5 else f"log({rounded} - {less})"
    if times == less or (times < less and text.startswith("log")):
        with pytest.raises(ExpressionError):
            parse_expression(text)
    else:
        parse_expression(text)
