"""Tokens: the words, numbers and marks of an expression, and the complaint about whatever is none of them."""

from __future__ import annotations

import re

from quantities.errors import ExpressionError, excerpt

__all__ = ["MENDS", "Token", "complaint", "tokens"]

Token = tuple[str, str, int, int]
"""Its kind (number, word, op, end), its text, and where it starts and ends."""

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
    "[": "There are no indices: give each element a name of its own.",
    "{": "Use parentheses.",
    ";": "Write one equation in each relation.",
    "÷": "Write /.",
    "≤": "Write <=.",
    "≥": "Write >=.",
    "⁄": "Write /.",
    "π": "Write pi.",
    "&": "Write and.",
    "|": "Write or.",
    "\\": "Write names and functions in words: alpha, sqrt(x).",
    "'": "Write a name of letters, digits and underscores.",
    "@": "Write * for a product.",
}
MENDS = {
    "//": "Write floor(a/b).",
    ":=": "Write '='.",
    "->": "Write '='.",
    "==": "Write '='.",
    "=": "An equation has one '='.",
    ")": "A parenthesis too many.",
    ",": "Write numbers with a decimal point.",
    "**": "A power needs a base.",
}
"""What mends an operator that stands where it may not."""


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
            raise complaint(text, start, f"'{word}' has no place here.", MENDS[word])
        found.append((kind, word, start, position))
        if kind == "end":
            return found


def complaint(text: str, start: int, what: str, hint: str) -> ExpressionError:
    """The error that points into a text."""
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
    if mark.isalpha() and not hint:
        hint = "Names are made of the letters A to Z, digits and underscores; this letter only looks alike."
    return complaint(text, position, f"{shown} has no place here.", hint)


def _run_on(text: str, word: str, mark: str, start: int) -> ExpressionError:
    """A number that goes on where numbers end."""
    if mark == ".":
        return complaint(text, start, f"{word}. is no number.", "Write one decimal point.")
    if word == "0" and mark in "xXoObB":
        return complaint(text, start, "only decimal numbers are read.", "Write it in decimal digits.")
    if mark == "_":
        return complaint(text, start, "digits are not grouped.", "Write plain digits, or 1e6.")
    if mark in "eE":
        return complaint(text, start, f"the exponent after {word} is broken.", "Write 1.5e3.")
    return complaint(text, start, f"{word}{mark}... is neither number nor name.", f"Write {word}*{mark}... .")
