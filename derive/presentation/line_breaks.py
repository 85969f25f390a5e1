"""Formulas that are wider than a page, broken into lines as a person would break them.

A line is broken at the weakest sign outside all brackets: first at equals signs, then between the terms of a sum,
then between the factors of a product; what follows is set in. Where nothing can be broken at the top, the widest
group is broken inside: the numerator of a fraction, or what stands between large brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from derive.presentation.mathematics import Line

_FRACTION = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
_ROWS = re.compile(r"\\begin\{(?:aligned|cases)\}((?:(?!\\begin).)*?)\\end\{(?:aligned|cases)\}")
_SPACE = re.compile(r"(?<!\\)\\ ")
_UNSEEN = str.maketrans("", "", "{}_^ ")
_TOKEN = re.compile(r"\\(?:left|right)(?![a-z])\\?.|\\(?:begin|end)\{[a-z]+\}|\\[A-Za-z]+|\\.|.", re.DOTALL)
_OPENS = re.compile(r"\\left(?![a-z])|\\begin|[{(]")
_CLOSES = re.compile(r"\\right(?![a-z])|\\end|[})]")
_EQUALS = (" = ", r" \le ", r" \ge ")
_BREAKS = ((", ",), _EQUALS, (" + ", " - "), (r" \cdot ",), (" ",))
"""The signs at which a line is broken, the weakest first. A space is a product, whose sign is then written."""
_SIGN = re.compile(r" (?:=|\\le|\\ge|\+|-|\\cdot) ")
_INDENT = r"\quad "
_GROUPS = 4  # limit on groups that are broken inside one line


def width(shown: str) -> int:
    r"""The width of a formula in characters, about, by which lines are broken; a fraction has its longer side's.

    >>> width(r"\frac{2\,\mathrm{TB}}{4\,\mathrm{TB/s}} + \alpha")
    7
    """
    flat = re.sub(r"(?:[_^]|\\math[a-z]+)\{([^{}]*)\}|\\[,;]|\\left|\\right", r"\1", _SPACE.sub("~", shown))
    before = ""
    while flat != before:
        before = flat
        flat = _FRACTION.sub(lambda match: max(match[1], match[2], key=width), flat)
        flat = _ROWS.sub(lambda match: max(match[1].split(r"\\"), key=width), flat)
    return len(re.sub(r"\\[a-zA-Z]+", "x", flat).translate(_UNSEEN))


def break_lines(lines: Iterable[Line], room: int) -> list[Line]:
    r"""The lines of a formula, with line breaks where one is wider than the room on the page.

    >>> break_lines([("t", r"a + b \cdot c + d = 1.23")], 7)
    [('t', 'a + b \\cdot c'), ('\\quad  + d', ''), ('', '1.23')]
    >>> break_lines([("", r"\frac{a + b + c}{d}")], 4)
    [('', '\\frac{\\begin{aligned}&a + b \\\\ & + c\\end{aligned}}{d}')]
    """
    lines = list(lines)
    free = room - max((width(left) for left, right in lines if right), default=0)
    broken: list[Line] = []
    for left, right in lines:
        if right:
            first, *others = _lines_of_formula(right, max(free, room // 2))
            broken.append((left, first))
        else:
            first, *others = _lines_of_formula(left, room)
            broken.append((first, ""))
        for part in others:
            is_right_side = right and part.startswith(" = ")
            broken.append(("", part[3:]) if is_right_side else (_INDENT + part, ""))
    return broken


def _lines_of_formula(text: str, room: int) -> list[str]:
    """The lines of a formula with line breaks that make it fit, each but the first with its sign in front."""
    if width(text) <= room:
        return [text]
    for signs in _BREAKS:
        pieces = _pieces(text, signs)
        if len(pieces) > 1:
            return _lines_of_pieces(pieces, room)
    return [_with_broken_groups(text, room)]


def _lines_of_pieces(pieces: list[str], room: int) -> list[str]:
    """The pieces between possible line breaks on lines, as many on each as fit; an equals sign begins one."""
    lines: list[str] = []
    for piece in pieces:
        if lines and not piece.startswith(_EQUALS) and width(lines[-1] + piece) <= room:
            lines[-1] += piece
        else:
            is_factor = lines and piece.startswith(" ") and not _SIGN.match(piece)
            signed = rf" \cdot{piece}" if is_factor else piece  # at a break, the sign of a product is written
            lines += _lines_of_formula(signed.removeprefix(", "), room)
    return lines


def _pieces(text: str, signs: tuple[str, ...]) -> list[str]:
    """The pieces of a formula between possible line breaks: before each of these signs, or behind each comma."""
    own_sign = _SIGN.match(text)
    first = own_sign.end() if own_sign else 1
    after = 2 if signs == (", ",) else 0
    places = (match.start() for match, depth in _with_depths(text) if not depth)
    starts = [0, *(place + after for place in places if place >= first and text.startswith(signs, place))]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def _with_depths(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The LaTeX tokens of a formula, each with the number of brackets around it, inside which no line breaks."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if _CLOSES.match(token[0]):
            depth -= 1
        yield token, depth
        if _OPENS.match(token[0]):
            depth += 1


def _with_broken_groups(text: str, room: int) -> str:
    """A formula with line breaks inside its widest groups, until it fits or no group can be broken."""
    for _ in range(_GROUPS):
        if width(text) <= room:
            break
        before, text = text, _with_widest_group_broken(text, room)
        if text == before:
            break
    return text


def _with_widest_group_broken(text: str, room: int) -> str:
    """A formula with line breaks inside the widest of its groups that can be broken; unchanged if none can."""
    whole = width(text)
    for start, end in sorted(_groups(text), key=lambda group: -width(text[slice(*group)])):
        inner = text[start:end]
        parts = _lines_of_formula(inner, room - max(0, whole - width(inner)))
        if len(parts) > 1 or parts[0] != inner:
            rows = r" \\ ".join(f"&{part}" for part in parts)
            return f"{text[:start]}\\begin{{aligned}}{rows}\\end{{aligned}}{text[end:]}"
    return text


def _groups(text: str) -> Iterator[tuple[int, int]]:
    r"""The ends of each outermost group of a formula that line breaks may part: a fraction, root or large brackets."""
    begun, denominator = 0, -1
    for token in (token for token, depth in _with_depths(text) if not depth):
        if _OPENS.match(token[0]):
            begun = token.end()
        elif _CLOSES.match(token[0]):
            opened = text[:begun]
            if opened.endswith((r"\left(", r"\sqrt{", r"\frac{")) or begun == denominator:
                yield begun, token.start()
            # what follows a numerator is the brace of its denominator
            denominator = token.end() + 1 if opened.endswith(r"\frac{") else -1
