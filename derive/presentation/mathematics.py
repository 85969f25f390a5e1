r"""LaTeX mathematics of expressions: letters for names, fractions for quotients, units upright; and its line breaks.

Nothing that a user wrote reaches TeX unchanged. A user's letter is accepted only if it consists of letters, digits,
scripts and the commands of a short list; any other name is spelled out upright, with every character escaped. So a
quantity called `\input` is printed and never executed.

A formula that is wider than the page is broken at the weakest sign outside all brackets: first at equals signs, then
between the terms of a sum, then between the factors of a product; what follows is set in. Where nothing can be broken
at the top, the widest group is broken inside: the numerator of a fraction, or what stands between large brackets.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
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


class Binding(IntEnum):
    """How closely a piece of mathematics binds: it gets brackets where more is asked for than it has."""

    CONDITION = 0
    SUM = 1
    PRODUCT = 2
    FRACTION = 3
    POWER = 4
    BASE = 5  # of a power
    LETTER = 9


Written = tuple[str, Binding]
"""Mathematics, and how closely it binds."""

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
_SHORT = re.compile(r"([A-Za-z])(?:_([A-Za-z0-9]{1,3})|([0-9]{1,3}))?")
_POWER = re.compile(r"(?:\*\*|\^)(?:\(([+-]?[0-9.]+(?:/[0-9]+)?)\)|([+-]?[0-9]+(?:\.[0-9]+)?))")
_ESCAPED = {**{c: rf"\{c}" for c in "#$%&_{}"}, "\\": r"\backslash{}", "^": r"\hat{}", "~": r"\tilde{}"}
_COMPARED = {"lt": "<", "le": r"\le", "gt": ">", "ge": r"\ge", "eq": "=", "ne": r"\ne"}
_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge"}

_RAISED_DIGITS = re.compile("[⁺⁻]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_SAME_SIGNS = str.maketrans("·⋅×μ\u2126\u212b", "***µ\u03a9\u00c5")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


def letter(name: str, chosen: str = "") -> str:
    r"""The letter of a quantity in mathematics: the user's if it is harmless, else one after its name.

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
    """The function that gives the letter of each of these quantities in mathematics."""
    return lambda name: letter(name, quantities[name].latex)


def _is_harmless(chosen: str) -> bool:
    """Whether a user's letter may stand in mathematics: only allowed characters and commands, and matched braces."""
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
    r"""A text spelled out upright in mathematics, with every character of it harmless.

    >>> upright("50 %")
    '\\mathrm{50\\ \\%}'
    """
    inner = "".join(_ESCAPED.get(c, c) if c.isascii() or c.isalpha() else "?" for c in text)
    return rf"\mathrm{{{inner}}}".replace(" ", r"\ ")


def number(value: float, digits: int = 6) -> str:
    r"""A number in mathematics, with a power of ten where it is far from one.

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


def stated_number(value: float, digits: int) -> str:
    r"""A number in mathematics as it was stated: a longer decimal in full, any other with so many digits.

    >>> from quantities.rational import read_decimal
    >>> stated_number(read_decimal("2.70000000000000000001"), 12), stated_number(2.5e-7, 12)
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
    r"""A unit in mathematics as it was spelled, upright, its quotient as a slash.

    >>> unit("TB/s/chip"), unit("m/s**2"), unit("1")
    ('\\mathrm{TB/s/chip}', '\\mathrm{m/s^{2}}', '')
    """
    if text in ("", "1", "dimensionless"):
        return ""
    plain = _RAISED_DIGITS.sub(lambda match: f"**{match[0].translate(_LOWERED)}", text.strip()).translate(_SAME_SIGNS)
    plain = re.sub(r"\bper\b", "/", plain)
    plain = re.sub(r"\s*(\*\*|[*/^])\s*|\s+(?=\))|(?<=[(+-])\s+", lambda match: match[1] or "", plain)
    raised = _with_divided_factors(_POWER.sub(lambda match: f"^{{{match[1] or match[2]}}}", plain))
    raised = re.sub(r"\*|\s+", lambda _: r"\,", raised).replace("µ", r"\mu ")
    if not re.fullmatch(r"(?:[A-Za-z0-9_/()Ω°Å%‰$]|\^\{[+-]?[0-9./]+\}|\\,|\\mu )+", raised):
        return upright(text)
    spelled = raised.replace("Ω", r"\Omega ").replace("°", r"^{\circ}").replace("Å", r"\AA ").replace("_", r"\_")
    spelled = spelled.replace("%", r"\%").replace("$", r"\$")
    return rf"\mathrm{{{spelled}}}"


def _with_divided_factors(text: str) -> str:
    """The unit in mathematics with brackets around each quotient that is multiplied: J/kg K would be read as J/(kg K).

    >>> _with_divided_factors("J/kg*K*s"), _with_divided_factors("W*h/(m/s*kg)"), _with_divided_factors("m^{1/2}*s")
    ('(J/kg)*K*s', 'W*h/((m/s)*kg)', 'm^{1/2}*s')
    """
    written = ""
    levels = [(0, False)]  # where each open bracket begins, and whether it has been divided since
    for sign in text:
        start, is_divided = levels[-1]
        if sign == "*" and is_divided:
            written = f"{written[:start]}({written[start:]})"
            levels[-1] = start, False
        elif sign == "/":
            levels[-1] = start, True
        elif sign in "({":
            levels.append((len(written) + 1, False))
        elif sign in ")}" and len(levels) > 1:
            levels.pop()
        written += sign
    return written


def equation(stated: Equation, letters: Letters) -> str:
    """An equation or inequality as mathematics: both sides and the sign between them."""
    return f"{expression(stated.lhs, letters)} {_SIGNS[stated.op]} {expression(stated.rhs, letters)}"


def expression(node: Node, letters: Letters) -> str:
    r"""An expression as mathematics: a letter for each name, a fraction for each quotient.

    >>> from derive.expressions.grammar import parse_expression
    >>> expression(parse_expression("2*pi*sqrt(L/g) - a*(b + c)**2/3"), letter)
    '2 \\pi \\sqrt{\\frac{L}{g}} - \\frac{a \\left(b + c\\right)^{2}}{3}'
    """
    text, _ = _MATHEMATICS.fold(node, lambda name: _name(letters(name)))
    return str(text)


def _name(text: str) -> Written:
    """The mathematics of a name: its letter, or the number in its place, with how closely it binds."""
    if "/" in text and "mathrm" not in text:  # a letter such as F/W would seem to divide by the next factor too
        return text, Binding.SUM
    if text.startswith("-"):  # a number in the place of a letter
        return text, Binding.SUM
    is_one_letter = not any(part in text for part in (" ", r"\,", "^"))
    return text, Binding.LETTER if is_one_letter else Binding.FRACTION


def _bracketed(node: Node, part: Fold, level: Binding) -> str:
    """The mathematics of an operand, in brackets if it binds less closely than a level."""
    text, precedence = part(node)
    return text if precedence >= level else rf"\left({text}\right)"


def _rational(node: Number) -> Written:
    """The mathematics of a number: as it was written, else as a decimal if that is exact, else as a fraction."""
    value = node.value
    if node.text and value:
        written = stated_number(nearest(value), 12)
    elif value.denominator == 1 and len(str(value)) <= 7:
        written = str(value)
    elif value.denominator == 1 or Fraction(f"{float(value):.12g}") == value:
        written = number(float(value), 12)
    else:
        return rf"\frac{{{value.numerator}}}{{{value.denominator}}}", Binding.FRACTION
    if value < 0:
        return written, Binding.SUM
    return written, Binding.FRACTION if "^" in written else Binding.LETTER


def _sum(node: Apply, part: Fold) -> Written:
    """The mathematics of a sum, in which a term that begins with a minus sign is subtracted."""
    total = ""
    for term in node.args:
        is_negative = isinstance(term, Apply) and term.op == "neg"
        inner = term.args[0] if isinstance(term, Apply) and is_negative else term
        text = _bracketed(inner, part, Binding.PRODUCT if is_negative else Binding.CONDITION)
        if text.startswith("-") and total:
            text, is_negative = text[1:], True
        if total:
            total += f" - {text}" if is_negative else f" + {text}"
        else:
            total = f"-{text}" if is_negative else text
    return total, Binding.SUM


def _negative(node: Apply, part: Fold) -> Written:
    return f"-{_bracketed(node.args[0], part, Binding.PRODUCT)}", Binding.SUM


def _product(node: Apply, part: Fold) -> Written:
    """The mathematics of a product: factors side by side, divisors below a bar."""
    factors = node.args if node.op == "mul" else (node,)
    first = factors[0]
    if isinstance(first, Apply) and first.op == "neg" and len(factors) > 1:
        positive = factors[1:] if first.args[0] == _ONE else (first.args[0], *factors[1:])
        return f"-{_bracketed(Apply('mul', positive), part, Binding.PRODUCT)}", Binding.SUM
    above = [factor for factor in factors if not _is_inverse(factor)]
    below = [factor.args[0] for factor in factors if isinstance(factor, Apply) and _is_inverse(factor)]
    if not below:
        return _side_by_side(above, part), Binding.PRODUCT
    top = _side_by_side(above, part, alone=True) if above else "1"
    bottom = _side_by_side([*chain.from_iterable(map(_factors, below))], part, alone=True)
    return rf"\frac{{{top}}}{{{bottom}}}", Binding.FRACTION


def _power(node: Apply, part: Fold) -> Written:
    base, exponent = node.args
    return f"{_bracketed(base, part, Binding.BASE)}^{{{_raised(exponent, part)}}}", Binding.POWER


def _raised(node: Node, part: Fold) -> str:
    """The mathematics of an exponent, whose quotient is a slash: with a bar it would be too small to read."""
    factors = node.args if isinstance(node, Apply) and node.op == "mul" else (node,)
    below = [factor.args[0] for factor in factors if isinstance(factor, Apply) and _is_inverse(factor)]
    if len(below) != 1:
        return _bracketed(node, part, Binding.CONDITION)
    above = [factor for factor in factors if not _is_inverse(factor)]
    divisor = _bracketed(below[0], part, Binding.FRACTION)
    if r"\times" in divisor:  # its power of ten would seem to multiply the quotient
        divisor = rf"\left({divisor}\right)"
    return f"{_side_by_side(above, part) if above else '1'}/{divisor}"


def _side_by_side(factors: list[Node], part: Fold, alone: bool = False) -> str:
    """The mathematics of factors, a space or dot between them; with `alone`, a single one needs no brackets."""
    if alone and len(factors) == 1:
        return _bracketed(factors[0], part, Binding.CONDITION)
    first, *others = factors
    texts = [_bracketed(first, part, Binding.PRODUCT), *(_bracketed(x, part, Binding.FRACTION) for x in others)]
    joined = texts[0]
    for before, text in pairwise(texts):
        needs_dot = text[:1].isdigit() or "mathrm" in before or "mathrm" in text
        joined += rf" \cdot {text}" if needs_dot else f" {text}"
    return joined


def _is_inverse(node: Node) -> bool:
    return isinstance(node, Apply) and node.op == "inv"


def _factors(node: Node) -> tuple[Node, ...]:
    """The factors of a product without quotients in mathematics; any other expression is its own only factor."""
    plain = isinstance(node, Apply) and node.op == "mul" and not any(_is_inverse(part) for part in node.args)
    return node.args if isinstance(node, Apply) and plain else (node,)


def _cases(node: Apply, part: Fold) -> Written:
    rows = []
    for arm, condition in cases(node):
        where = r"\text{otherwise}"
        if condition is not None:
            where = rf"\text{{if }} {_bracketed(condition, part, Binding.CONDITION)}"
        rows.append(f"{_bracketed(arm, part, Binding.CONDITION)} & {where}")
    return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}", Binding.LETTER


def _function_call(name: str, *parts: Written) -> Written:
    inside = ", ".join(text for text, _ in parts)
    if "%s" in name:  # a pattern such as \sqrt{%s}
        return name.replace("%s", inside), Binding.LETTER
    return rf"{name}\left({inside}\right)", Binding.LETTER


def _infix(sign: str, *parts: Written) -> Written:
    return sign.join(text for text, _ in parts), Binding.CONDITION


_MATHEMATICS: Arithmetic[Written] = Arithmetic(
    number=_rational,
    operations={
        "pi": lambda: (r"\pi", Binding.LETTER),
        "true": lambda: (r"\text{otherwise}", Binding.LETTER),
        "max": partial(_function_call, r"\max"),
        "min": partial(_function_call, r"\min"),
        "and": partial(_infix, r"\text{ and }"),
        "or": partial(_infix, r"\text{ or }"),
        "not": lambda inner: (rf"\neg\left({inner[0]}\right)", Binding.CONDITION),
        **{op: partial(_infix, f" {sign} ") for op, sign in _COMPARED.items()},
        **{name: partial(_function_call, entry.latex or rf"\{name}") for name, entry in TABLE.items()},
    },
    forms={"add": _sum, "neg": _negative, "mul": _product, "inv": _product, "pow": _power, "piecewise": _cases},
)


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
    r"""The width of mathematics in characters, about, by which lines are broken; a fraction has its longer side's.

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
    r"""The lines of mathematics on a page, with line breaks at the weakest signs where one is wider than its room.

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
            lines += _lines_of_formula(signed, room)
    return lines


def _pieces(text: str, signs: tuple[str, ...]) -> list[str]:
    """The pieces of mathematics between possible line breaks: before each of these signs, or behind each comma."""
    own_sign = _SIGN.match(text)
    first = own_sign.end() if own_sign else 1
    after = 2 if signs == (", ",) else 0
    places = (match.start() for match, depth in _with_depths(text) if not depth)
    starts = [0, *(place + after for place in places if place >= first and text.startswith(signs, place))]
    if len(starts) > 1 and starts[-1] == len(text):  # the comma that ends a piece: nothing stands behind it
        starts.pop()
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def _with_depths(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The tokens of mathematics, each with the number of brackets around it, inside which no line breaks."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if _CLOSES.match(token[0]):
            depth -= 1
        yield token, depth
        if _OPENS.match(token[0]):
            depth += 1


def _with_broken_groups(text: str, room: int) -> str:
    """Mathematics too wide for its room, broken inside its widest groups until it fits or none can be broken."""
    for _ in range(_GROUPS):
        if width(text) <= room:
            break
        before, text = text, _with_widest_group_broken(text, room)
        if text == before:
            break
    return text


def _with_widest_group_broken(text: str, room: int) -> str:
    """Mathematics with line breaks inside the widest of its groups that can be broken; unchanged if none can."""
    whole = width(text)
    for start, end in sorted(_groups(text), key=lambda group: -width(text[slice(*group)])):
        inner = text[start:end]
        parts = _lines_of_formula(inner, room - max(0, whole - width(inner)))
        if len(parts) > 1 or parts[0] != inner:
            rows = r" \\ ".join(f"&{part}" for part in parts)
            return f"{text[:start]}\\begin{{aligned}}{rows}\\end{{aligned}}{text[end:]}"
    return text


def _groups(text: str) -> Iterator[tuple[int, int]]:
    r"""The ends of each outermost group of mathematics that may be broken: a fraction, a root or large brackets."""
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
