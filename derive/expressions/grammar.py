"""The grammar of relations: text to tree, with a position in every error and a limit on every size.

    equation   = sum ("=" | "<=" | ">=") choice
    choice     = either [ "if" either "else" choice ]
    either     = both { "or" both };  both = denial { "and" denial };  denial = "not" denial | comparison
    comparison = sum { ("<" | "<=" | ">" | ">=" | "==" | "!=") sum }
    sum        = product { ("+" | "-") product };  product = signed { ("*" | "/") signed }
    signed     = ("-" | "+") signed | power;       power = atom [ "**" signed ]
    atom       = number | "pi" | name | function "(" choice { "," choice } ")" | "(" choice ")"
               | "Piecewise" "(" "(" choice "," choice ")" { "," ... } ")"

A word before "(" is always a function; every other word is a quantity of the user, whatever it means elsewhere. Only
this module reads text, so there is no path from it to code.
"""

from __future__ import annotations

import keyword
import re
from fractions import Fraction
from functools import lru_cache

from derive.expressions.arithmetic import ConstantError, prove_constants
from derive.expressions.tree import COMPARISONS, FUNCTIONS, Apply, Equation, Name, Node, Number, is_condition
from derive.tolerances import LEAST, MOST
from quantities.errors import DeriveError, ExpressionError, LimitError, excerpt

Token = tuple[str, str, int, int]
"""The kind (number, word, op, end), the text, the start and the end of a token; plain tuples are made fastest."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"
    r"|(?P<op>\*\*|//|==|!=|<=|>=|:=|->|[-+*/()=<>,])|(?P<end>$))"
)
_LOOKALIKES = {"−": "-", "×": "*", "·": "*", "⋅": "*"}
_STRAYS = {
    "^": "Write ** for a power.",
    "²": "Write **2.",
    "³": "Write **3.",
    "√": "Write sqrt(x).",
    "%": "Write 0.01* for a percentage.",
    "!": "There is no factorial.",
    "[": "There are no indices: give each element its own name.",
    "{": "Use parentheses.",
    ";": "Write one equation in each relation.",
    "÷": "Write /.",
    "≤": "Write <=.",
    "≥": "Write >=.",
    "⁄": "Write /.",
    "π": "Write pi.",
    "&": "Write and.",
    "|": "Write abs(y) for |y|, or for a condition.",
    "\\": "Write names and functions in words: alpha, sqrt(x).",
    "'": "Write a name of letters, digits and underscores.",
    "@": "Write * for a product.",
}
HINTS = {
    "//": "Write floor(a/b).",
    ":=": "Write '='.",
    "->": "Write '='.",
    "==": "Write '='.",
    "=": "An equation has one '='.",
    ")": "One parenthesis too many.",
    ",": "Write numbers with a decimal point.",
    "**": "A power needs a base.",
}
"""The hint for each operator that is out of place."""

_FOREIGN = {
    **dict.fromkeys(("lg", "logten"), "log10(x)"),
    **dict.fromkeys(("lb", "ld", "logtwo"), "log2(x)"),
    "log1p": "log(1 + x)",
    "exp2": "2**x",
    "exp10": "10**x",
    "expm1": "exp(x) - 1",
    **dict.fromkeys(("pow", "power"), "x**y"),
    **dict.fromkeys(("sqr", "square"), "x**2"),
    "cube": "x**3",
    "cbrt": "x**(1/3)",
    **dict.fromkeys(("root", "nthroot"), "x**(1/n)"),
    "hypot": "sqrt(x**2 + y**2)",
    **dict.fromkeys(("sign", "sgn"), "x/abs(x)"),
    "fabs": "abs(x)",
    **dict.fromkeys(("round", "rint", "nint"), "floor(x + 1/2)"),
    **dict.fromkeys(("int", "trunc", "fix"), "floor(x)"),
    **dict.fromkeys(("mod", "fmod"), "x - y*floor(x/y)"),
    **dict.fromkeys(("atan2", "arctan2"), "atan(y/x)"),
    "cot": "1/tan(x)",
    "sec": "1/cos(x)",
    **dict.fromkeys(("csc", "cosec"), "1/sin(x)"),
    **dict.fromkeys(("acot", "arccot"), "atan(1/x)"),
    **dict.fromkeys(("asec", "arcsec"), "acos(1/x)"),
    **dict.fromkeys(("acsc", "arccsc"), "asin(1/x)"),
    "coth": "1/tanh(x)",
    "sech": "1/cosh(x)",
    "csch": "1/sinh(x)",
    **dict.fromkeys(
        ("sind", "cosd", "tand", "degrees", "radians", "deg2rad", "rad2deg"), "units: an angle may be in deg"
    ),
    "sinc": "sin(x)/x",
    **dict.fromkeys(("heaviside", "step", "where"), "a if x > 0 else b"),
    **dict.fromkeys(("mean", "average", "avg"), "(x + y)/2"),
    **dict.fromkeys(("maximum", "fmax", "amax", "greatest", "larger", "largest"), "max(x, y)"),
    **dict.fromkeys(("minimum", "fmin", "amin", "least", "smaller", "smallest"), "min(x, y)"),
    **dict.fromkeys(("roundup", "round_up"), "ceil(x)"),
    **dict.fromkeys(("rounddown", "round_down"), "floor(x)"),
    **dict.fromkeys(("squareroot", "square_root"), "sqrt(x)"),
    **dict.fromkeys(("absolute", "modulus"), "abs(x)"),
    **dict.fromkeys(("logarithm", "loge", "naturallog"), "log(x)"),
    "exponential": "exp(x)",
    "sine": "sin(x)",
    "cosine": "cos(x)",
    "tangent": "tan(x)",
    **dict.fromkeys(("sum", "total"), "x + y"),
    **dict.fromkeys(("prod", "product"), "x*y"),
}
"""Functions of other languages, and how they are written here."""


def foreign(word: str) -> str:
    """The hint for a call of a function that the grammar does not have.

    >>> foreign("atan2"), foreign("srqt"), foreign("k")
    ('Write atan(y/x).', 'Did you mean sqrt?', 'For a product write k*(...).')
    """
    low = word.casefold()
    if instead := _FOREIGN.get(low):
        return f"Use {instead}." if ":" in instead else f"Write {instead}."
    close = low if low in FUNCTIONS else next((name for name in FUNCTIONS if _is_slip(low, name)), "")
    return f"Did you mean {close}?" if close else f"For a product write {word}*(...)."


def _is_slip(word: str, name: str) -> bool:
    """Whether a word before "(" is a function mistyped: one letter more, less or replaced, or neighbours exchanged."""
    from rapidfuzz.distance import OSA  # here, since most texts have no such word

    return min(len(word), len(name)) >= 3 and OSA.distance(word, name) <= 1


def tokens(text: str) -> list[Token]:
    """The tokens of the text of a relation, the last of kind "end".

    >>> [word for _, word, _, _ in tokens("2 * x**2")]
    ['2', '*', 'x', '**', '2', '']
    """
    plain = text
    for lookalike, sign in _LOOKALIKES.items():
        plain = plain.replace(lookalike, sign)
    tokens: list[Token] = []
    position = 0
    while True:
        match = _TOKEN.match(plain, position)
        if match is None:
            raise _stray_error(text, position)
        kind = str(match.lastgroup)
        start, position = match.span(kind)
        word = plain[start:position]
        if kind == "number" and _NUMBER_GOES_ON.match(plain, position):
            raise _run_on_error(text, word, plain[position], start)
        if word in ("//", ":=", "->"):
            raise complaint(text, start, f"'{word}' does not belong here.", HINTS[word])
        tokens.append((kind, word, start, position))
        if kind == "end":
            return tokens


def complaint(text: str, start: int, what: str, hint: str) -> ExpressionError:
    """The error at a position of a text that the grammar does not allow."""
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    where = f"column {column}" if line == 1 else f"line {line}, column {column}"
    return ExpressionError(f"{excerpt(text)}, {where}: {what}", hint=hint, text=text, position=(line, column))


_NUMBER_GOES_ON = re.compile(r"[\w.]")


def _stray_error(text: str, position: int) -> ExpressionError:
    """The error for a character, the next one after a position, that begins no token of the grammar."""
    while text[position].isspace():
        position += 1
    mark = text[position]
    shown = repr(mark) if mark.isascii() else f"{mark!r} (U+{ord(mark):04X})"
    hint = _STRAYS.get(mark, "")
    if mark == "^":
        hint = _hint_on_caret(text, position) or hint
    if mark.isalpha() and not hint:
        hint = "Names are made of the letters A to Z, digits and underscores; this letter only looks like one."
    return complaint(text, position, f"{shown} does not belong here.", hint)


_BASE = re.compile(r"([\w.]+|\([^()]*\))\s*$")
_EXPONENT = re.compile(r"\s*(-?\s*[\w.]+|\([^()]*\))")


def _hint_on_caret(text: str, position: int) -> str:
    """The hint to write a power with `**` where the text has a caret; empty if no operands stand beside the caret."""
    base, exponent = _BASE.search(text[:position]), _EXPONENT.match(text, position + 1)
    return f"Write {base[1]}**{exponent[1]}." if base and exponent else ""


def _run_on_error(text: str, word: str, mark: str, start: int) -> ExpressionError:
    """The error of the grammar for a number that is followed directly by a letter, a digit or a point."""
    if mark == ".":
        return complaint(text, start, f"{word}. is not a number.", "Write one decimal point.")
    if word == "0" and mark in "xXoObB":
        return complaint(text, start, "only decimal numbers are read.", "Write it in decimal digits.")
    if mark == "_":
        return complaint(text, start, "digits cannot be grouped.", "Write plain digits, or 1e6.")
    if mark in "eE":
        return complaint(text, start, f"the exponent after {word} is broken.", "Write 1.5e3.")
    return complaint(text, start, f"{word}{mark}... is neither a number nor a name.", f"Write {word}*{mark}... .")


LONGEST = 20_000  # characters of an equation
_MOST_NESTED = 50  # limit on nested parentheses, signs and powers

_LEVELS = {"or": 1, "and": 2, "+": 5, "-": 5, "*": 6, "/": 6, **dict.fromkeys(COMPARISONS, 4)}
"""How tightly each operator binds; beside these, `not` at 3 and a sign at 7."""
_OF_SEVERAL = {"min", "max"}


def parse_equation(text: str) -> Equation:
    """Read the text of an equation or an inequality into a tree.

    >>> parse_equation("cost = price * max(compute, weights + kv) / tokens").rhs.op
    'mul'
    >>> parse_equation("y = a[0]")
    Traceback (most recent call last):
        ...
    quantities.errors.ExpressionError: 'y = a[0]', column 6: '[' does not belong here. There are no indices: give each \
element its own name.
    """
    return _Reader(text, "equation").equation()


def parse_condition(text: str) -> Node:
    """Read the text of a condition such as `swing < 0.3` into a tree."""
    return _Reader(text, "condition").condition()


def parse_expression(text: str) -> Node:
    """Read the text of an expression such as `2*pi*sqrt(length/gravity)` into a tree."""
    return _Reader(text, "expression").expression()


_MOST_DIGITS = 60  # limit on those of one number


@lru_cache(maxsize=1024)
def _exact(word: str) -> Fraction | tuple[str, str]:
    """Read a number in the grammar as an exact fraction; else whether it is too large or small, and the limit exceeded.

    >>> _exact("0.07"), _exact("1e400")
    (Fraction(7, 100), ('large', '60 digits, 1e300'))
    """
    digits, _, exponent = word.lower().partition("e")
    # in the text, since the fraction would have a digit for each power of ten
    if len(digits) > _MOST_DIGITS or (exponent and abs(int(exponent[:9])) > 330):
        return "small" if exponent.startswith("-") else "large", f"{_MOST_DIGITS} digits, 1e300"
    value = Fraction(word)
    if value and not LEAST < value < MOST:
        return "small" if value < 1 else "large", "1e-300 to 1e300"
    return value


class _Reader:
    """One pass over a text, by precedence climbing."""

    def __init__(self, text: str, kind: str) -> None:
        """Split a text of the grammar into tokens; an error if it is too long to be read."""
        self.text = text
        self.kind = kind
        if len(text) > LONGEST:
            what = f"{kind} {excerpt(text)}: {len(text)} characters are too many."
            hint = f"Split it: name its parts, each under {LONGEST} characters."
            raise LimitError(what, hint=hint, limit=f"{LONGEST} characters")
        self.tokens = tokens(text)
        self.next = 0
        self.depth = 0

    # The three things a text can be

    def equation(self) -> Equation:
        """Read the whole text as an equation or an inequality, by the grammar."""
        lhs = self._as_value(self._climb(5))
        kind, op, start, _ = self.tokens[self.next]
        if op not in ("=", "<=", ">="):
            raise self._error(start, *self._no_equation(kind, op))
        self.next += 1
        rhs = self._as_value(self._choice())
        if self._word() == "=":
            raise self._error(self._start(), "a second '=' makes it two equations.", "Write one in each relation.")
        self._finish(lhs, rhs)
        return Equation(lhs, op, rhs, " ".join(self.text.split()))

    def condition(self) -> Node:
        node = self._choice()
        self._finish(node)
        if not is_condition(node):
            raise self._error(0, "it is not a comparison.", "Write a comparison such as swing < 0.3.")
        return node

    def expression(self) -> Node:
        node = self._as_value(self._choice())
        self._finish(node)
        return node

    def _finish(self, *parts: Node) -> None:
        """Refuse text that follows what was read, and constants in the tree that are no finite numbers."""
        kind, word, start, _ = self.tokens[self.next]
        if kind != "end":
            raise self._error(start, *self._misplaced(kind, word))
        try:
            for part in parts:
                prove_constants(part)
        except ConstantError as fault:
            if fault.limit:
                raise self._too_large(fault.node.at[0], fault.what, fault.limit) from None
            raise self._error(fault.node.at[0], f"{fault.what}.", "Write a constant that is a finite number.") from None

    # By rising precedence

    def _choice(self) -> Node:
        """Read an expression with or without `if`, as it may stand alone, in parentheses or as an argument."""
        start = self._start()
        arms: list[Node] = []
        while True:
            value = self._climb(1)
            if self._word() != "if":
                break
            self.next += 1
            condition = self._as_condition(self._climb(1))
            if self._word() != "else":
                raise self._error(self._start(), "an 'if' has no 'else'.", "Write a if condition else b.")
            self.next += 1
            arms += [self._as_value(value), condition]
        if not arms:
            return value
        return Apply("piecewise", (*arms, self._as_value(value)), (start, self._end()))

    def _climb(self, level: int) -> Node:
        """Read an operand of the grammar and every operator after it that binds at least as tightly as this level."""
        self.depth += 1
        if self.depth > _MOST_NESTED:
            what = f"{excerpt(self.text)}, column {self._start() + 1}: nested deeper than {_MOST_NESTED}."
            raise LimitError(what, hint="Split it: name its inner parts.", limit=f"{_MOST_NESTED} levels")
        start = self._start()
        left = self._operand()
        while (operator_level := _LEVELS.get(self._word(), 0)) >= level:
            left = self._chain(left, operator_level, start)
        self.depth -= 1
        return left

    def _chain(self, left: Node, level: int, start: int) -> Node:
        """Read all operands of one flat operator of the grammar: a sum, a product, comparisons in a row, and, or."""
        operands, signs = [left], [""]
        while _LEVELS.get(self._word()) == level:
            signs.append(self._word())
            self.next += 1
            operands.append(self._climb(level + 1))
        at = (start, self._end())
        if level <= 2:
            return Apply(signs[1], tuple(self._as_condition(operand) for operand in operands), at)
        values = [self._as_value(operand) for operand in operands]
        if level == 4:
            in_a_row = zip(signs[1:], values, values[1:], strict=False)
            tests = [Apply(COMPARISONS[sign], (left, right), at) for sign, left, right in in_a_row]
            return tests[0] if len(tests) == 1 else Apply("and", tuple(tests), at)
        op, inverse, sign_of_inverse = ("add", "neg", "-") if level == 5 else ("mul", "inv", "/")
        parts: list[Node] = []
        for sign, value in zip(signs, values, strict=True):
            parts.append(Apply(inverse, (value,), value.at) if sign == sign_of_inverse else value)
        return Apply(op, tuple(parts), at)

    def _operand(self) -> Node:
        """Read an operand of the grammar: a number, name, call or parentheses, with its sign and its power."""
        kind, word, start, end = self.tokens[self.next]
        self.next += 1
        if word in ("-", "+"):
            inner = self._as_value(self._climb(7))
            return inner if word == "+" else Apply("neg", (inner,), (start, self._end()))
        if word == "not":
            return Apply("not", (self._as_condition(self._climb(3)),), (start, self._end()))
        if word == "(":
            node: Node = self._choice()
            self._expect(")")
        elif kind == "number":
            node = self._literal(word, start, end)
        elif kind == "word":
            node = self._name_or_call(word, start, end)
        else:
            raise self._error(start, *self._no_operand(kind, word))
        if self._word() == "**":
            self.next += 1
            node = Apply("pow", (self._as_value(node), self._as_value(self._climb(7))), (start, self._end()))
        return node

    def _literal(self, word: str, start: int, end: int) -> Number:
        value = _exact(word)
        if isinstance(value, Fraction):
            return Number(value, word, (start, end))
        which, limit = value
        raise self._too_large(start, f"the number {excerpt(word)} is too {which}", limit)

    def _name_or_call(self, word: str, start: int, end: int) -> Node:
        """Read a call, pi, True or a name, of which the first word is already read."""
        if self._word() == "(":
            return self._call(word, start)
        if word == "pi":
            return Apply("pi", (), (start, end))
        if word == "True":
            return Apply("true", (), (start, end))
        if keyword.iskeyword(word):
            raise self._error(start, f"'{word}' cannot be used as a value.", "")
        return Name(word, (start, end))

    def _call(self, word: str, start: int) -> Node:
        """Read the arguments of a function whose name is already read."""
        if word == "Piecewise":
            return self._piecewise(start)
        op = FUNCTIONS.get(word)
        if op is None:
            raise self._error(start, f"'{word}(' calls a function that does not exist.", foreign(word))
        self.next += 1
        if self._word() == ")":
            arguments = "x, y" if op in _OF_SEVERAL else "x"
            raise self._error(start, f"{word}() has no argument.", f"Write {word}({arguments}).")
        args = [self._as_value(self._choice())]
        while self._word() == ",":
            self.next += 1
            args.append(self._as_value(self._choice()))
        self._expect(")")
        if len(args) != 1 and op not in _OF_SEVERAL:
            hint = "log is natural; for another base write log(x)/log(base)." if op == "log" else ""
            raise self._error(start, f"{word} takes one argument, not {len(args)}.", hint)
        return Apply(op, tuple(args), (start, self._end()))

    def _piecewise(self, start: int) -> Node:
        """Read the text of a `Piecewise` from its first bracket on, whose last condition may be True, as a choice."""
        self.next += 1
        arms: list[Node] = []
        default: tuple[Node, ...] = ()
        while not default:
            self._expect("(")
            value = self._as_value(self._choice())
            self._expect(",")
            condition = self._as_condition(self._choice())
            self._expect(")")
            if condition == Apply("true", ()):
                default = (value,)
            else:
                arms += [value, condition]
            if self._word() != ",":
                break
            self.next += 1
        self._expect(")")
        if not arms:
            raise self._error(start, "Piecewise has no condition.", "Write Piecewise((a, x < 1), (b, True)).")
        return Apply("piecewise", (*arms, *default), (start, self._end()))

    # Checks

    def _as_value(self, node: Node) -> Node:
        if is_condition(node):
            raise self._error(node.at[0], "expected a value, not a condition.", "Write a if condition else b.")
        return node

    def _as_condition(self, node: Node) -> Node:
        if not is_condition(node):
            raise self._error(node.at[0], "expected a condition, not a value.", "Compare it: x > 0.")
        return node

    def _too_large(self, start: int, what: str, limit: str) -> DeriveError:
        what = f"{excerpt(self.text)}, column {start + 1}: {what}."
        return LimitError(what, hint="Make it a quantity with its own value.", limit=limit)

    # Tokens

    def _word(self) -> str:
        _, word, _, _ = self.tokens[self.next]
        return word

    def _start(self) -> int:
        _, _, start, _ = self.tokens[self.next]
        return start

    def _end(self) -> int:
        _, _, _, end = self.tokens[self.next - 1]
        return end

    def _expect(self, mark: str) -> None:
        if self._word() != mark:
            shown = f"'{self._word()}'" if self._word() else "the end"
            raise self._error(self._start(), f"'{mark}' is missing before {shown}.", "")
        self.next += 1

    # What is wrong, and a hint

    def _misplaced(self, kind: str, word: str) -> tuple[str, str]:
        if kind in ("word", "number") or word == "(":
            return f"an operator is missing before '{word}'.", "Write * for a product."
        return f"'{word}' does not belong here.", HINTS.get(word, "")

    def _no_equation(self, kind: str, op: str) -> tuple[str, str]:
        if kind == "end":
            return "it is not an equation.", "Write left = right."
        if op in ("<", ">", "!=", "=="):
            hint = "Write '='." if op == "==" else "A relation is written with =, <= or >=."
            return f"'{op}' does not make a relation.", hint
        return self._misplaced(kind, op)

    def _no_operand(self, kind: str, word: str) -> tuple[str, str]:
        if not self.text.strip():
            return "it is empty.", "Write a = b."
        if kind == "end":
            return "it ends where a value is expected.", ""
        return f"expected a value, not '{word}'.", HINTS.get(word, "")

    def _error(self, start: int, what: str, hint: str) -> ExpressionError:
        return complaint(self.text, start, what, hint)
