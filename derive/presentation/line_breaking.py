r"""Formulas that are wider than a page, broken into lines as a person would break them.

A line is broken at the weakest sign outside all brackets: first at equals signs, then between the terms of a sum, then
between the factors of a product; what follows is set in. Where nothing can be broken at the top, the widest group is
broken inside: the numerator of a fraction, or what stands between large brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from derive.presentation.derivation import Line
from derive.presentation.mathematics import width

__all__ = ["fitted"]

_TOKEN = re.compile(r"\\(?:left|right)(?![a-z])\\?.|\\(?:begin|end)\{[a-z]+\}|\\[A-Za-z]+|\\.|.", re.DOTALL)
_OPENS = re.compile(r"\\left(?![a-z])|\\begin|[{(]")
_CLOSES = re.compile(r"\\right(?![a-z])|\\end|[})]")
_EQUALS = (" = ", r" \le ", r" \ge ")
_SIGNS = ((", ",), _EQUALS, (" + ", " - "), (r" \cdot ",), (" ",))
"""The signs at which a line is broken, the weakest first. A space is a product, whose sign is then written."""
_SIGN = re.compile(r" (?:=|\\le|\\ge|\+|-|\\cdot) ")
_INDENT = r"\quad "
_GROUPS = 4  # limit on groups that are broken inside one line


def fitted(lines: Iterable[Line], room: int) -> list[Line]:
    r"""The lines, those that are wider than the room broken into several.

    >>> fitted([("t", r"a + b \cdot c + d = 1.23")], 7)
    [('t', 'a + b \\cdot c'), ('\\quad  + d', ''), ('', '1.23')]
    >>> fitted([("", r"\frac{a + b + c}{d}")], 4)
    [('', '\\frac{\\begin{aligned}&a + b \\\\ & + c\\end{aligned}}{d}')]
    """
    lines = list(lines)
    free = room - max((width(left) for left, right in lines if right), default=0)
    found: list[Line] = []
    for left, right in lines:
        first, *others = _broken(right or left, max(free, room // 2) if right else room)
        found.append((left, first) if right else (first, ""))
        for part in others:
            goes_on = right and part.startswith(" = ")
            found.append(("", part[3:]) if goes_on else (_INDENT + part, ""))
    return found


def _broken(text: str, room: int) -> list[str]:
    """The parts of a formula that fit into the room, each but the first with its sign in front."""
    if width(text) <= room:
        return [text]
    for signs in _SIGNS:
        pieces = _pieces(text, signs)
        if len(pieces) > 1:
            return _filled(pieces, room)
    return [_broken_inside(text, room)]


def _filled(pieces: list[str], room: int) -> list[str]:
    """The pieces on lines, as many on each as there is room for; an equals sign begins a line."""
    lines: list[str] = []
    for piece in pieces:
        if lines and not piece.startswith(_EQUALS) and width(lines[-1] + piece) <= room:
            lines[-1] += piece
        else:
            signed = rf" \cdot{piece}" if lines and piece.startswith(" ") and not _SIGN.match(piece) else piece
            lines += _broken(signed.removeprefix(", "), room)
    return lines


def _pieces(text: str, signs: tuple[str, ...]) -> list[str]:
    """A formula parted before these signs where they stand outside all brackets; after them, if they are commas."""
    own = _SIGN.match(text)
    after = 2 if signs == (", ",) else 0
    places = _outside(text, own.end() if own else 1)
    starts = [0, *(place + after for place in places if text.startswith(signs, place))]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _outside(text: str, start: int) -> Iterator[int]:
    """The places from a start on that are outside all brackets."""
    depth = 0
    for found in _TOKEN.finditer(text):
        if _CLOSES.match(found[0]):
            depth -= 1
        elif _OPENS.match(found[0]):
            depth += 1
        elif not depth and found.start() >= start:
            yield found.start()


def _broken_inside(text: str, room: int) -> str:
    """A formula whose widest groups are broken, until it fits or no group can be."""
    for _ in range(_GROUPS):
        if width(text) <= room:
            break
        for start, end in sorted(_groups(text), key=lambda group: -width(text[slice(*group)])):
            inner = text[start:end]
            parts = _broken(inner, room - max(0, width(text) - width(inner)))
            if len(parts) > 1 or parts[0] != inner:
                rows = r" \\ ".join(f"&{part}" for part in parts)
                text = f"{text[:start]}\\begin{{aligned}}{rows}\\end{{aligned}}{text[end:]}"
                break
        else:
            break
    return text


def _groups(text: str) -> Iterator[tuple[int, int]]:
    r"""Where the outermost groups begin and end: of fractions, and between `\left(` and `\right)`."""
    depth, begun = 0, 0
    for found in _TOKEN.finditer(text):
        if _CLOSES.match(found[0]):
            depth -= 1
            opened = text[:begun]
            if not depth and (opened.endswith((r"\left(", r"\sqrt{")) or _follows_fraction(opened)):
                yield begun, found.start()
        elif _OPENS.match(found[0]):
            begun = begun if depth else found.end()
            depth += 1


def _follows_fraction(opened: str) -> bool:
    r"""Whether a text that ends with an opening bracket is the beginning of `\frac{` or of `\frac{...}{`."""
    before, depth = opened[:-1], 0
    if not before.endswith("}"):
        return before.endswith(r"\frac")
    for place in range(len(before) - 1, -1, -1):
        depth += {"}": 1, "{": -1}.get(before[place], 0)
        if not depth:
            return before[:place].endswith(r"\frac")
    return False
