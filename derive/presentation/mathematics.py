r"""Expressions as LaTeX mathematics: letters for names, fractions for quotients, units upright.

Nothing that a user wrote reaches TeX unchanged. A user's letter is accepted only if it consists of letters, digits,
scripts and the commands of a short list; any other name is spelled out upright, with every character escaped. So a
quantity called `\input` is printed and never executed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise

from derive.expressions.arithmetic import Arithmetic, Fold
from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Equation, Node, Number, cases
from quantities.declaration import Declaration
from quantities.rational import nearest, text_of

Line = tuple[str, str]
"""The left and the right side of an equals sign; an empty left side continues the line above."""

Letters = Callable[[str], str]
"""How a name is written: its letter, or its number and unit."""

Written = tuple[str, int]
"""Mathematics, and how closely it binds: 0 a condition, 1 a sum, 2 a product, 3 a fraction, 4 a power, 9 a letter."""

_GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega"
    "|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega"
)
_COMMANDS = frozenset(
    {"mathrm", "mathcal", "mathit", "bar", "hat", "tilde", "dot", "varepsilon", "ell", "hbar"}
    | {"infty", "max", "min", "equiv", "to", "leftarrow", "rightarrow", "star", "times", "parallel", "perp", "prime"}
)
_PIECE = re.compile(r"\\([A-Za-z]+)|\\[,;$%]|[A-Za-z0-9_^{}*'/+=.() -]")
_MISPLACED = re.compile(r"[_^]$|[_^][_^]|([_^])(?:\{[^{}]*\}|\\?\w)\1|\^['*]*\^")  # scripts that TeX refuses
_ONE = Number(Fraction(1))
_FRACTION = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
_ROWS = re.compile(r"\\begin\{(?:aligned|cases)\}((?:(?!\\begin).)*?)\\end\{(?:aligned|cases)\}")
_SPACE = re.compile(r"(?<!\\)\\ ")
_UNSEEN = str.maketrans("", "", "{}_^ ")
_SHORT = re.compile(r"([A-Za-z])(?:_([A-Za-z0-9]{1,3})|([0-9]{1,3}))?")
_POWER = re.compile(r"(?:\*\*|\^)(?:\(([+-]?[0-9.]+(?:/[0-9]+)?)\)|([+-]?[0-9]+(?:\.[0-9]+)?))")
_ESCAPED = {**{c: rf"\{c}" for c in "#$%&_{}"}, "\\": r"\backslash{}", "^": r"\hat{}", "~": r"\tilde{}"}
_COMPARED = {"lt": "<", "le": r"\le", "gt": ">", "ge": r"\ge", "eq": "=", "ne": r"\ne"}
_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge"}

_RAISED_DIGITS = re.compile("[⁺⁻]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_SAME_SIGNS = str.maketrans("·⋅×μ\u2126\u212b", "***µ\u03a9\u00c5")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


def letter(name: str, chosen: str = "") -> str:
    r"""A quantity's letter in mathematics: the chosen one if it is harmless, otherwise one that its name suggests.

    >>> letter("kv_bytes_per_token", r"\kappa"), letter("C_A"), letter("rho"), letter("step_time")
    ('\\kappa', 'C_{A}', '\\rho', '\\mathrm{step\\ time}')
    >>> letter("x", r"\input{passwd}")
    'x'
    """
    if chosen and _is_harmless(chosen):
        return chosen
    if _GREEK.fullmatch(name):
        return rf"\{name}"
    short = _SHORT.fullmatch(name)
    if short:
        script = short[2] or short[3]
        return f"{short[1]}_{{{script}}}" if script else short[1]
    head, _, tail = name.partition("_")
    if _GREEK.fullmatch(head) and tail.isalnum() and tail.isascii():
        return rf"\{head}_{{\mathrm{{{tail}}}}}"
    return upright(name.replace("_", " "))


def letters_of(quantities: Mapping[str, Declaration]) -> Letters:
    """The letters in mathematics of these quantities, as a function of their names."""
    return lambda name: letter(name, quantities[name].latex)


def _is_harmless(chosen: str) -> bool:
    """Whether a user's letter has only allowed characters and LaTeX commands, and its braces match."""
    depth = position = 0
    while position < len(chosen):
        piece = _PIECE.match(chosen, position)
        if piece is None or (piece[1] and piece[1] not in _COMMANDS and not _GREEK.fullmatch(piece[1])):
            return False
        depth += {"{": 1, "}": -1}.get(piece[0], 0)
        if depth < 0:
            return False
        position = piece.end()
    return depth == 0 and len(chosen) <= 60 and not _MISPLACED.search(chosen)


def upright(text: str) -> str:
    r"""A text inside LaTeX mathematics, with every character of it harmless.

    >>> upright("50 %")
    '\\mathrm{50\\ \\%}'
    """
    inner = "".join(_ESCAPED.get(c, c) if c.isascii() or c.isalpha() else "?" for c in text)
    return rf"\mathrm{{{inner}}}".replace(" ", r"\ ")


def number(value: float, digits: int = 6) -> str:
    r"""A number in LaTeX mathematics, with a power of ten where it is far from one.

    >>> number(50430.3, 4), number(2.5e-7, 3), number(-3.0)
    ('50430', '2.5\\times10^{-7}', '-3')
    """
    if math.isnan(value):
        return "?"
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    if -4 <= int(power) <= 5:
        return f"{float(f'{value:.{digits}g}'):.{max(digits, 12)}g}"
    return _with_power(f"{float(mantissa):.{max(digits, 12)}g}", int(power))


def stated(value: float, digits: int) -> str:
    r"""A number in LaTeX as it was stated: a longer decimal has all its digits, any other has this many.

    >>> from quantities.rational import read_decimal
    >>> stated(read_decimal("2.70000000000000000001"), 12), stated(2.5e-7, 12)
    ('2.70000000000000000001', '2.5\\times10^{-7}')
    """
    text = text_of(value, digits)
    if text == f"{value:.{digits}g}":
        return number(value, digits)
    mantissa, _, power = text.partition("e")
    return _with_power(mantissa, int(power)) if power else mantissa


def _with_power(mantissa: str, power: int) -> str:
    return rf"{mantissa}\times10^{{{power}}}" if mantissa != "1" else rf"10^{{{power}}}"


def unit(text: str) -> str:
    r"""A unit in LaTeX mathematics as it was spelled, upright, its quotient as a slash.

    >>> unit("TB/s/chip"), unit("m/s**2"), unit("1")
    ('\\mathrm{TB/s/chip}', '\\mathrm{m/s^{2}}', '')
    """
    if text in ("", "1", "dimensionless"):
        return ""
    plain = _RAISED_DIGITS.sub(lambda match: f"**{match[0].translate(_LOWERED)}", text.strip()).translate(_SAME_SIGNS)
    plain = re.sub(r"\s*(\*\*|[*/])\s*", r"\1", re.sub(r"\bper\b", "/", plain))
    raised = _POWER.sub(lambda match: f"^{{{match[1] or match[2]}}}", plain)
    raised = re.sub(r"\*|\s+", lambda _: r"\,", raised).replace("µ", r"\mu ")
    if not re.fullmatch(r"(?:[A-Za-z0-9_/()Ω°Å%‰$]|\^\{[+-]?[0-9./]+\}|\\,|\\mu )+", raised):
        return upright(text)
    spelled = raised.replace("Ω", r"\Omega ").replace("°", r"^{\circ}").replace("Å", r"\AA ").replace("_", r"\_")
    spelled = spelled.replace("%", r"\%").replace("$", r"\$")
    return rf"\mathrm{{{spelled}}}"


def width(shown: str) -> int:
    r"""The width of LaTeX mathematics in characters, about; a fraction counts by its longer side, rows by the widest.

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


def equation(stated: Equation, letters: Letters) -> str:
    """An equation or inequality in LaTeX mathematics: both sides and the sign between them."""
    return f"{mathematics(stated.lhs, letters)} {_SIGNS[stated.op]} {mathematics(stated.rhs, letters)}"


def mathematics(node: Node, letters: Letters) -> str:
    r"""An expression as LaTeX mathematics, with the letter of each name.

    >>> from derive.expressions.grammar import parse_expression
    >>> mathematics(parse_expression("2*pi*sqrt(L/g) - a*(b + c)**2/3"), letter)
    '2 \\pi \\sqrt{\\frac{L}{g}} - \\frac{a \\left(b + c\\right)^{2}}{3}'
    """
    text, _ = _MATHEMATICS.fold(node, lambda name: _name(letters(name)))
    return str(text)


def _name(text: str) -> Written:
    """A letter of mathematics, or the number in its place, with how closely it binds."""
    if "/" in text and "mathrm" not in text:  # a letter such as F/W would seem to divide by the next factor too
        return text, 1
    if text.startswith("-"):  # a number in the place of a letter
        return text, 1
    return text, 3 if " " in text or r"\," in text or "^" in text else 9


def _bracketed(node: Node, part: Fold, level: int) -> str:
    """An operand in mathematics, in brackets if it binds less closely than a level."""
    text, precedence = part(node)
    return text if precedence >= level else rf"\left({text}\right)"


def _rational(node: Number) -> Written:
    """A number in mathematics: as it was written, else as a decimal if that is exact, else as a fraction."""
    value = node.value
    if node.text and value:
        written = stated(nearest(value), 12)
        return written, 3 if r"\times" in written else 9
    if value.denominator == 1:
        if len(str(value)) > 7:
            return number(float(value), 12), 3
        return str(value), 9 if value >= 0 else 1
    decimal = f"{float(value):.12g}"
    if Fraction(decimal) == value:
        if "e" in decimal:
            return number(float(value), 12), 3
        return number(float(value), 12), 9 if value >= 0 else 1
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}", 3


def _sum(node: Apply, part: Fold) -> Written:
    """A sum in mathematics; a term that begins with a minus sign is subtracted."""
    total = ""
    for term in node.args:
        is_negative = isinstance(term, Apply) and term.op == "neg"
        inner = term.args[0] if isinstance(term, Apply) and is_negative else term
        text = _bracketed(inner, part, 2 if is_negative else 0)
        if text.startswith("-") and total:
            text, is_negative = text[1:], True
        if total:
            total += f" - {text}" if is_negative else f" + {text}"
        else:
            total = f"-{text}" if is_negative else text
    return total, 1


def _negative(node: Apply, part: Fold) -> Written:
    return f"-{_bracketed(node.args[0], part, 2)}", 1


def _product(node: Apply, part: Fold) -> Written:
    """A product in mathematics: factors side by side, divisors below a bar."""
    factors = node.args if node.op == "mul" else (node,)
    first = factors[0]
    if isinstance(first, Apply) and first.op == "neg" and len(factors) > 1:
        positive = factors[1:] if first.args[0] == _ONE else (first.args[0], *factors[1:])
        text, _ = _product(Apply("mul", positive), part)
        return f"-{text}", 1
    above = [factor for factor in factors if not _is_inverse(factor)]
    below = [factor.args[0] for factor in factors if isinstance(factor, Apply) and _is_inverse(factor)]
    if not below:
        return _side_by_side(above, part), 2
    top = _side_by_side(above, part, alone=True) if above else "1"
    bottom = _side_by_side([*chain.from_iterable(map(_factors, below))], part, alone=True)
    return rf"\frac{{{top}}}{{{bottom}}}", 3


def _power(node: Apply, part: Fold) -> Written:
    base, exponent = node.args
    return f"{_bracketed(base, part, 5)}^{{{_raised(exponent, part)}}}", 4


def _raised(node: Node, part: Fold) -> str:
    """An exponent in mathematics, whose quotient is a slash: with a bar it would be too small to read."""
    factors = node.args if isinstance(node, Apply) and node.op == "mul" else (node,)
    below = [factor.args[0] for factor in factors if isinstance(factor, Apply) and _is_inverse(factor)]
    if len(below) != 1:
        return _bracketed(node, part, 0)
    above = [factor for factor in factors if not _is_inverse(factor)]
    divisor = _bracketed(below[0], part, 3)
    if r"\times" in divisor:  # its power of ten would seem to multiply the quotient
        divisor = rf"\left({divisor}\right)"
    return f"{_side_by_side(above, part) if above else '1'}/{divisor}"


def _side_by_side(factors: list[Node], part: Fold, alone: bool = False) -> str:
    """Factors in mathematics with a space or a dot between; with `alone`, a single one needs no brackets."""
    if alone and len(factors) == 1:
        return _bracketed(factors[0], part, 0)
    texts = [_bracketed(factor, part, 3 if i else 2) for i, factor in enumerate(factors)]
    joined = texts[0]
    for before, text in pairwise(texts):
        needs_dot = text[:1].isdigit() or "mathrm" in before or "mathrm" in text
        joined += rf" \cdot {text}" if needs_dot else f" {text}"
    return joined


def _is_inverse(node: Node) -> bool:
    return isinstance(node, Apply) and node.op == "inv"


def _factors(node: Node) -> tuple[Node, ...]:
    """The factors of a product without quotients; any other expression is its own only factor in a fraction."""
    plain = isinstance(node, Apply) and node.op == "mul" and not any(_is_inverse(part) for part in node.args)
    return node.args if isinstance(node, Apply) and plain else (node,)


def _cases(node: Apply, part: Fold) -> Written:
    rows = []
    for arm, condition in cases(node):
        where = r"\text{otherwise}" if condition is None else rf"\text{{if }} {_bracketed(condition, part, 0)}"
        rows.append(f"{_bracketed(arm, part, 0)} & {where}")
    return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}", 9


def _function_call(name: str, *parts: Written) -> Written:
    inside = ", ".join(text for text, _ in parts)
    if "%s" in name:  # a pattern such as \sqrt{%s}
        return name.replace("%s", inside), 9
    return rf"{name}\left({inside}\right)", 9


def _infix(sign: str, *parts: Written) -> Written:
    return sign.join(text for text, _ in parts), 0


_MATHEMATICS: Arithmetic[Written] = Arithmetic(
    number=_rational,
    operations={
        "pi": lambda: (r"\pi", 9),
        "true": lambda: (r"\text{otherwise}", 9),
        "max": partial(_function_call, r"\max"),
        "min": partial(_function_call, r"\min"),
        "and": partial(_infix, r"\text{ and }"),
        "or": partial(_infix, r"\text{ or }"),
        "not": lambda inner: (rf"\neg\left({inner[0]}\right)", 0),
        **{op: partial(_infix, f" {sign} ") for op, sign in _COMPARED.items()},
        **{name: partial(_function_call, entry.latex or rf"\{name}") for name, entry in TABLE.items()},
    },
    forms={"add": _sum, "neg": _negative, "mul": _product, "inv": _product, "pow": _power, "piecewise": _cases},
)

# Formulas that are wider than a page, broken into lines as a person would break them
#
# A line is broken at the weakest sign outside all brackets: first at equals signs, then between the terms of a sum,
# then between the factors of a product; what follows is set in. Where nothing can be broken at the top, the widest
# group is broken inside: the numerator of a fraction, or what stands between large brackets.

_TOKEN = re.compile(r"\\(?:left|right)(?![a-z])\\?.|\\(?:begin|end)\{[a-z]+\}|\\[A-Za-z]+|\\.|.", re.DOTALL)
_OPENS = re.compile(r"\\left(?![a-z])|\\begin|[{(]")
_CLOSES = re.compile(r"\\right(?![a-z])|\\end|[})]")
_EQUALS = (" = ", r" \le ", r" \ge ")
_BREAKS = ((", ",), _EQUALS, (" + ", " - "), (r" \cdot ",), (" ",))
"""The signs at which a line is broken, the weakest first. A space is a product, whose sign is then written."""
_SIGN = re.compile(r" (?:=|\\le|\\ge|\+|-|\\cdot) ")
_INDENT = r"\quad "
_GROUPS = 4  # limit on groups that are broken inside one line


def fitted(lines: Iterable[Line], room: int) -> list[Line]:
    r"""Lines of mathematics, with those that are wider than the room broken into several.

    >>> fitted([("t", r"a + b \cdot c + d = 1.23")], 7)
    [('t', 'a + b \\cdot c'), ('\\quad  + d', ''), ('', '1.23')]
    >>> fitted([("", r"\frac{a + b + c}{d}")], 4)
    [('', '\\frac{\\begin{aligned}&a + b \\\\ & + c\\end{aligned}}{d}')]
    """
    lines = list(lines)
    free = room - max((width(left) for left, right in lines if right), default=0)
    broken: list[Line] = []
    for left, right in lines:
        if right:
            first, *others = _broken(right, max(free, room // 2))
            broken.append((left, first))
        else:
            first, *others = _broken(left, room)
            broken.append((first, ""))
        for part in others:
            is_right_side = right and part.startswith(" = ")
            broken.append(("", part[3:]) if is_right_side else (_INDENT + part, ""))
    return broken


def _broken(text: str, room: int) -> list[str]:
    """The lines of a formula broken to fit the room, each but the first with its sign in front."""
    if width(text) <= room:
        return [text]
    for signs in _BREAKS:
        pieces = _pieces(text, signs)
        if len(pieces) > 1:
            return _filled(pieces, room)
    return [_broken_inside(text, room)]


def _filled(pieces: list[str], room: int) -> list[str]:
    """The pieces of a broken formula on lines, as many on each as fit; an equals sign begins a line."""
    lines: list[str] = []
    for piece in pieces:
        if lines and not piece.startswith(_EQUALS) and width(lines[-1] + piece) <= room:
            lines[-1] += piece
        else:
            is_factor = lines and piece.startswith(" ") and not _SIGN.match(piece)
            signed = rf" \cdot{piece}" if is_factor else piece  # at a break, the sign of a product is written
            lines += _broken(signed.removeprefix(", "), room)
    return lines


def _pieces(text: str, signs: tuple[str, ...]) -> list[str]:
    """A formula parted outside all brackets before each of these signs, or behind each comma."""
    own_sign = _SIGN.match(text)
    first = own_sign.end() if own_sign else 1
    after = 2 if signs == (", ",) else 0
    places = (match.start() for match, depth in _with_depths(text) if not depth)
    starts = [0, *(place + after for place in places if place >= first and text.startswith(signs, place))]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _with_depths(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The LaTeX tokens of a formula, each with the number of brackets around it."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if _CLOSES.match(token[0]):
            depth -= 1
        yield token, depth
        if _OPENS.match(token[0]):
            depth += 1


def _broken_inside(text: str, room: int) -> str:
    """A formula with its widest groups broken into rows, until it fits or none of them can be broken."""
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
    r"""The start and end of each outermost group of a formula: in a fraction, a root, or large brackets."""
    begun, denominator = 0, -1
    for token in (token for token, depth in _with_depths(text) if not depth):
        if _OPENS.match(token[0]):
            begun = token.end()
        elif _CLOSES.match(token[0]):
            opened = text[:begun]
            if opened.endswith((r"\left(", r"\sqrt{", r"\frac{")) or begun == denominator:
                yield begun, token.start()
            denominator = token.end() + 1 if opened.endswith(r"\frac{") else -1
