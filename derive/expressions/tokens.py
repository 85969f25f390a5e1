"""Tokens: the words, numbers and marks of an expression, and the error for any other character."""

from __future__ import annotations

import re

from derive.expressions.tree import FUNCTIONS
from quantities.errors import ExpressionError, excerpt

__all__ = ["HINTS", "Token", "complaint", "foreign", "tokens"]

Token = tuple[str, str, int, int]
"""The kind (number, word, op, end), the text, the start and the end of a token."""

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

_ELSEWHERE = {
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
    """The hint for a call of a function that does not exist.

    >>> foreign("atan2"), foreign("srqt"), foreign("k")
    ('Write atan(y/x).', 'Did you mean sqrt?', 'For a product write k*(...).')
    """
    if instead := _ELSEWHERE.get(word.casefold()):
        return f"Write {instead}." if ":" not in instead else f"Use {instead}."
    low = word.casefold()
    close = low if low in FUNCTIONS else next((name for name in FUNCTIONS if _is_slip(low, name)), "")
    return f"Did you mean {close}?" if close else f"For a product write {word}*(...)."


def _is_slip(word: str, name: str) -> bool:
    """Whether two words differ by one letter inserted, deleted or replaced, or by two neighbours exchanged."""
    if min(len(word), len(name)) < 3 or abs(len(word) - len(name)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(word, name, strict=False)) if a != b), min(len(word), len(name)))
    one, other = word[start:], name[start:]
    return (
        one[1:] == other[1:]
        or one[1:] == other
        or one == other[1:]
        or (one[1::-1] == other[:2] and one[2:] == other[2:])
    )


def tokens(text: str) -> list[Token]:
    """The tokens of a text, the last of kind "end".

    >>> [word for _, word, _, _ in tokens("2 * x**2")]
    ['2', '*', 'x', '**', '2', '']
    """
    plain = text
    for mark, meant in _LOOKALIKES.items():
        plain = plain.replace(mark, meant)
    found: list[Token] = []
    position = 0
    while True:
        match = _TOKEN.match(plain, position)
        if match is None:
            raise _stray(text, position)
        kind = str(match.lastgroup)
        start, position = match.span(kind)
        word = plain[start:position]
        if kind == "number" and _RUN_ON.match(plain, position):
            raise _run_on(text, word, plain[position], start)
        if word in ("//", ":=", "->"):
            raise complaint(text, start, f"'{word}' does not belong here.", HINTS[word])
        found.append((kind, word, start, position))
        if kind == "end":
            return found


def complaint(text: str, start: int, what: str, hint: str) -> ExpressionError:
    """The error at a position of a text."""
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    where = f"column {column}" if line == 1 else f"line {line}, column {column}"
    return ExpressionError(f"{excerpt(text)}, {where}: {what}", hint=hint, text=text, position=(line, column))


_RUN_ON = re.compile(r"[\w.]")


def _stray(text: str, position: int) -> ExpressionError:
    while text[position].isspace():
        position += 1
    mark = text[position]
    shown = repr(mark) if mark.isascii() else f"{mark!r} (U+{ord(mark):04X})"
    hint = _STRAYS.get(mark, "")
    if mark == "^":
        hint = _raised(text, position) or hint
    if mark.isalpha() and not hint:
        hint = "Names are made of the letters A to Z, digits and underscores; this letter only looks like one."
    return complaint(text, position, f"{shown} does not belong here.", hint)


_BEFORE = re.compile(r"([\w.]+|\([^()]*\))\s*$")
_BEHIND = re.compile(r"\s*(-?\s*[\w.]+|\([^()]*\))")


def _raised(text: str, position: int) -> str:
    """The hint for a power written with a caret."""
    base, exponent = _BEFORE.search(text[:position]), _BEHIND.match(text, position + 1)
    return f"Write {base[1]}**{exponent[1]}." if base and exponent else ""


def _run_on(text: str, word: str, mark: str, start: int) -> ExpressionError:
    """The error for a number that is followed directly by a letter, a digit or a point."""
    if mark == ".":
        return complaint(text, start, f"{word}. is not a number.", "Write one decimal point.")
    if word == "0" and mark in "xXoObB":
        return complaint(text, start, "only decimal numbers are read.", "Write it in decimal digits.")
    if mark == "_":
        return complaint(text, start, "digits cannot be grouped.", "Write plain digits, or 1e6.")
    if mark in "eE":
        return complaint(text, start, f"the exponent after {word} is broken.", "Write 1.5e3.")
    return complaint(text, start, f"{word}{mark}... is neither a number nor a name.", f"Write {word}*{mark}... .")
