"""The spelling of units: a strict grammar, applied before anything reaches pint.

    unit    = product { "/" product }          left to right, as in Python: J/kg*K is (J/kg)*K
    product = power { ("*" | "·" | " ") power }     a blank multiplies only where no "/" precedes it
    power   = atom [ ("**" | "^") exponent ]
    atom    = name | "1" | "(" unit ")"

`per` is a division. Names come from `definitions`. An exponent is a rational number, kept as a fraction: m**-0.686 has
the exponent -343/500. A name that is no unit is refused with its likely meaning, some although pint could read them.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from quantities.definitions import Entry, definition, entry, known_names, spellings
from quantities.dimension import NUMBER
from quantities.errors import UnitError, excerpt, suggest
from quantities.tolerances import LEAST, MOST
from quantities.units import Unit

__all__ = ["HIGHEST", "MARKS", "alternatives", "hint_for", "is_refused", "parse_unit"]

_REFUSED = {
    "dB": "Decibels are logarithmic: give the ratio itself.",
    "ton": "Write tonne (1000 kg), short_ton (2000 lb) or long_ton (2240 lb).",
    "tons": "Write tonne (1000 kg), short_ton (2000 lb) or long_ton (2240 lb).",
    "mt": "Write tonne (1000 kg) for a metric ton, or kg for a thousandth of it.",
    **dict.fromkeys(("MBtu", "MBTU"), "Write MMBtu (a million Btu) or kBtu (a thousand)."),
    "FLOPS": "Write FLOP/s for a rate, FLOP for an amount.",
    "flops": "Write FLOP/s for a rate, FLOP for an amount.",
    "OPS": "Write FLOP/s for a rate, FLOP for an amount.",
    "unit": "Name what is counted (token, parameter, sequence, chip), or leave the unit empty.",
    "units": "Name what is counted (token, parameter, sequence, chip), or leave the unit empty.",
    "r": "Write rev for a revolution, or rpm for revolutions a minute.",
    "mil": "Write thou (0.001 inch) or mile.",
    "mils": "Write thou (0.001 inch) or mile.",
    **dict.fromkeys(("grad", "gon"), "It is 0.9 deg: give the angle in deg."),
    "hrs": "Write h.",
    "yrs": "Write yr.",
    "KB": "Write kB (1000 byte) or KiB (1024 byte).",
    "Kb": "Write kb or kbit (1000 bit), kB (1000 byte) or KiB (1024 byte).",
}

_SEQUENCE = "Write sequence: what is served to one user at a time is a sequence here."
_CHIP = "Write chip: whatever computes is a chip here."
_CURRENCY = 'Declare it with its rate, as in [units] {} = "1.08 USD", or give the value in USD.'
_ELSEWHERE = {
    **dict.fromkeys(("user", "usr", "request", "req", "query", "session", "conversation"), ("sequence", _SEQUENCE)),
    **dict.fromkeys(("device", "card", "die", "xpu", "npu", "NPU", "XPU"), ("chip", _CHIP)),
    **dict.fromkeys(("weight", "params", "prm"), ("parameter", "Write parameter.")),
    **dict.fromkeys(("toks", "tkn", "tkns"), ("token", "Write token.")),
    **dict.fromkeys(("sample", "prompt"), ("sequence", "Write sequence.")),
}
"""Other names of units, with the name here and the hint that says so."""

_MONEY = {"€": "EUR", "£": "GBP", "¥": "JPY", "euro": "EUR", "euros": "EUR"}
_CURRENCIES = frozenset({"EUR", "GBP", "JPY", "CNY", "CHF", "INR", "KRW", "CAD", "AUD", "RMB", "SEK", "BTC"})

MARKS = {
    "⁄": "Write '/'.",
    "∕": "Write '/'.",
    "−": "Write '-'.",
    "℃": "Write degC.",
    "℉": "Write degF.",
    "Δ": "Write delta_degC for a difference of temperatures.",
    "′": "Write arcmin, or ft.",
    "″": "Write arcsec, or inch.",
    '"': "Write inch, or leave the quotation mark out.",
    ",": "Write '*' between units.",
    ".": "Write '*' between units.",
}
"""Marks that are not part of a unit, and the hint for each."""

_SHORT = 12  # longest name that is searched letter by letter


def is_refused(name: str) -> bool:
    """Whether a name is refused although its letters could be read as a unit."""
    return _bare(name) in _REFUSED


def _bare(name: str) -> str:
    """The name without a decimal prefix, if the rest is always refused."""
    if name.endswith(("FLOPS", "flops")):
        return "FLOPS"
    return "OPS" if name[:1] in "kMGTPE" and name[1:] == "OPS" else name


def hint_for(name: str) -> str:
    """The hint on what an unknown spelling of a unit may mean.

    >>> hint_for("m3"), hint_for("user"), hint_for("kwh")
    ('Write m**3.', 'Write sequence: what is served to one user at a time is a sequence here.', 'Did you mean kWh?')
    """
    if _bare(name) in _REFUSED:
        return _REFUSED[_bare(name)]
    if (currency := _MONEY.get(name, name)) in _CURRENCIES:
        return _CURRENCY.format(currency)
    if elsewhere := _ELSEWHERE.get(name) or _ELSEWHERE.get(name.removesuffix("s")):
        return elsewhere[1]
    if power := _powered(name):
        return f"Write {power}."
    if name.endswith("ps") and len(name) > 2 and entry(name[:-2]):
        return f"Write {name[:-2]}/s."
    if products := _products(name):
        return f"Write {products[0]} for the product."
    close = _close(name)[:3]
    return f"Did you mean {' or '.join(close)}?" if close else "`derive.units` knows the SI and its prefixes."


def alternatives(name: str) -> list[str]:
    """The units that an unknown spelling may mean, the likeliest first.

    >>> alternatives("TFLOPS"), alternatives("KB"), alternatives("users")
    (['TFLOP/s', 'TFLOP'], ['kB', 'KiB'], ['sequence'])
    """
    bare = _bare(name)
    if bare in ("FLOPS", "flops", "OPS"):
        prefix = name[: -len(bare)]
        return [f"{prefix}FLOP/s", f"{prefix}FLOP"]
    if bare in _REFUSED:
        return [word for word in re.findall(r"(?:Write|or|,) (\w+)", _REFUSED[bare]) if entry(word)]
    if elsewhere := _ELSEWHERE.get(name) or _ELSEWHERE.get(name.removesuffix("s")):
        return [elsewhere[0]]
    rate = [f"{name[:-2]}/s"] if name.endswith("ps") and entry(name[:-2]) else []
    spellings_meant = [_powered(name), *rate, *_products(name), *_close(name)]
    return list(dict.fromkeys(filter(None, spellings_meant)))


def _powered(name: str) -> str:
    """A digit after a unit as its power: m3."""
    match = re.fullmatch(r"([A-Za-zµμΩ°]+?)(-?[1-9])", name)
    return f"{match[1]}**{match[2]}" if match and entry(match[1]) else ""


def _products(name: str) -> list[str]:
    """Two units whose spellings are written together, as Nm; KHz and KW are not, but have a wrong capital."""
    if not name.isalpha() or len(name) > _SHORT:
        return []
    alike = spellings(name)
    cuts = [(name[:cut], name[cut:]) for cut in range(1, len(name))]
    return [
        f"{first}*{second}"
        for first, second in cuts
        if ((second in ("m", "s") and first != "K") or not alike) and definition(first) and definition(second)
    ]


def _close(name: str) -> list[str]:
    plain = suggest(name, known_names())
    closer = takewhile(lambda candidate: candidate not in plain, suggest(name, [*plain, *_with_prefix(name)]))
    return list(dict.fromkeys([*spellings(name), *closer, *plain]))


def _with_prefix(name: str) -> list[str]:
    """What a misspelt unit may mean: a prefix that is its first letter, and a unit similar to the rest."""
    tail = name[1:]
    shorter = [tail[:i] + tail[i + 1 :] for i in range(len(tail))] if 1 < len(tail) < _SHORT else []
    candidates = [name[0] + unit for unit in dict.fromkeys([*shorter, *suggest(tail, known_names())])]
    return [candidate for candidate in candidates if entry(candidate)]


_LONGEST = 300  # characters of a unit's text
_DEEPEST = 20  # nested parentheses
HIGHEST = 10_000
"""Limit on numerator and denominator of an exponent: no measured exponent has more digits."""

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<name>[A-Za-z_%‰°$µμ\u03a9\u2126\u00c5\u212b][A-Za-z0-9_°$\u03a9\u2126\u00c5\u212b]*)"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<op>\*\*|\^|[*/()·⋅×+-])|(?P<high>[⁺⁻]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)"
)
_EXPONENT = re.compile(r"[+-]?[0-9]{1,20}(\.[0-9]{1,20}|/0*[1-9][0-9]{0,19})?")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """Read a unit by the strict grammar of its spelling, such as "byte/s".

    >>> unit = parse_unit("TB/s")
    >>> str(unit.dimension), float(unit.size)
    ('byte/s', 1000000000000.0)
    >>> parse_unit("Nm")
    Traceback (most recent call last):
        ...
    quantities.errors.UnitError: unit 'Nm': 'Nm' is not a unit. Write N*m for the product.
    """
    if not isinstance(text, str):
        raise UnitError(f"a {type(text).__name__} is not a unit.", hint='Write a string such as "m/s".', unit="")
    if len(text) > _LONGEST:
        what = f"unit {excerpt(text)}: {len(text)} characters are too many for a unit."
        raise UnitError(what, hint=f"Keep it under {_LONGEST}.", unit=text)
    if text.strip() in ("", "1", "dimensionless"):
        return Unit(text.strip(), (), Fraction(1), NUMBER)
    return _Reader(text).unit()


class _Part(NamedTuple):
    """A name in a unit's text, what it stands for, and its power."""

    name: str
    entry: Entry
    power: Fraction

    def raised(self, exponent: Fraction | int) -> _Part:
        return self._replace(power=self.power * exponent)


class _Reader:
    """One pass over a unit's text, from `unit` down."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.next = 0
        self.depth = 0
        self.divided = False  # by a "/" before this place, inside the same parentheses

    def unit(self) -> Unit:
        parts = self._quotient()
        if self.next < len(self.tokens):
            raise self._error(f"{excerpt(self.tokens[self.next][1])} is out of place.")
        return self._assembled(parts)

    def _tokens(self) -> list[tuple[str, str]]:
        """The words in a unit's spelling with their kinds; of the blanks those alone that multiply."""
        tokens: list[tuple[str, str]] = []
        position = 0
        text = self.text.strip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                mark = text[position]
                raise self._error(f"{mark!r} (U+{ord(mark):04X}) does not belong in a unit.", MARKS.get(mark, ""))
            kind, word = str(match.lastgroup), match.group()
            if kind == "name" and word == "per":
                kind, word = "op", "/"
            tokens.append((kind, word))
            position = match.end()
        return [
            token
            for i, token in enumerate(tokens)
            if token[0] != "space" or (_ends(tokens[i - 1]) and _begins(tokens[i + 1]))
        ]

    def _peek(self) -> tuple[str, str]:
        return self.tokens[self.next] if self.next < len(self.tokens) else ("end", "")

    def _quotient(self) -> list[_Part]:
        parts = self._power()
        while True:
            kind, word = self._peek()
            if kind == "space" and self.divided:
                hint = "After a '/', write the product with '*' and parentheses: J/(kg*K)."
                raise self._error("A space after a division can be read two ways.", hint)
            if kind == "space" or word in ("*", "·", "⋅", "×"):
                sign = 1
            elif word == "/":
                sign, self.divided = -1, True
            else:
                return parts
            self.next += 1
            parts = parts + [part.raised(sign) for part in self._power()]

    def _power(self) -> list[_Part]:
        parts = self._atom()
        kind, word = self._peek()
        if word in ("**", "^"):
            self.next += 1
            exponent = self._exponent()
        elif kind == "high":
            self.next += 1
            exponent = Fraction(int(word.translate(_SUPERSCRIPTS)))
        else:
            return parts
        raised = [part.raised(exponent) for part in parts]
        for power in (exponent, *(part.power for part in raised)):
            if max(abs(power.numerator), power.denominator) > HIGHEST:
                hint = f"Keep numerator and denominator within {HIGHEST}: m**(1/3), m**1.852."
                raise self._error(f"The exponent {power} is too large a fraction.", hint)
        return raised

    def _atom(self) -> list[_Part]:
        kind, word = self._peek()
        self.next += 1
        if kind == "name":
            return [_Part(word, self._lookup(word), Fraction(1))]
        if word == "1" and self._peek()[1] in ("/", ")", ""):
            return []
        if word == "(":
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self._error("The parentheses are nested too deep.", f"Keep them under {_DEEPEST}.")
            outer, self.divided = self.divided, False
            parts = self._quotient()
            self.divided = outer
            if self._peek()[1] != ")":
                raise self._error("A parenthesis is not closed.")
            self.next += 1
            self.depth -= 1
            return parts
        if kind == "number":
            raise self._error(f"Expected a unit, not the number {word}.", "A unit is made of names, or is '1'.")
        raise self._error("It ends where a unit is expected." if kind == "end" else f"{word!r} is out of place.")

    def _exponent(self) -> Fraction:
        """The number after `**` in a unit's spelling, with or without parentheses."""
        enclosed = self._peek()[1] == "("
        words = []
        if enclosed:
            self.next += 1
            while self._peek()[1] not in (")", ""):
                words.append(self._peek()[1])
                self.next += 1
            if not self._peek()[1]:
                raise self._error("A parenthesis is not closed.")
            self.next += 1
        else:
            if self._peek()[1] in ("-", "+"):
                words.append(self._peek()[1])
                self.next += 1
            words.append(self._peek()[1])
            self.next += 1
        written = "".join(words)
        if not _EXPONENT.fullmatch(written):
            raise self._error(f"{excerpt(written)} is not an exponent.", "Write m**2 or m**(1/2).")
        return Fraction(written)

    def _lookup(self, name: str) -> Entry:
        known = None if is_refused(name) else entry(name)
        if known is None:
            raise self._error(f"{excerpt(name)} is not a unit.", hint_for(name))
        return known

    def _assembled(self, parts: list[_Part]) -> Unit:
        """The unit that is the product of some spelled parts; a scale with an offset is one by itself alone."""
        text = self.text.strip()
        if len(parts) == 1 and parts[0].power == 1:
            (name, alone, _) = parts[0]
            return Unit(text, ((alone.canonical, Fraction(1)),), alone.factor, alone.dimension, alone.offset)
        size, dimension = Fraction(1), NUMBER
        powers: dict[str, Fraction] = {}
        for name, known, power in parts:
            canonical = known.canonical
            if known.offset:
                is_above_alone = power == 1 and all(part.power < 0 for part in parts if part.name != name)
                if power > 0 and not is_above_alone:
                    hint = f"Write delta_{name} for a difference, K for an absolute temperature."
                    raise self._error(f"{name} is an offset unit and cannot be multiplied.", hint)
                canonical = "delta_" + canonical
            size *= _raised(known.factor, power)
            dimension = dimension * known.dimension**power
            powers[canonical] = powers.get(canonical, Fraction(0)) + power
        if not LEAST < size < MOST:
            raise self._error("Its size in base units is out of range.", "Use smaller powers.")
        return Unit(text, tuple((n, p) for n, p in powers.items() if p), size, dimension)

    def _error(self, what: str, hint: str = "") -> UnitError:
        hint = hint or "Join names with * and /, as in kg*m/s**2."
        return UnitError(f"unit {excerpt(self.text)}: {what}", hint=hint, unit=self.text)


def _ends(token: tuple[str, str]) -> bool:
    return token[0] in ("name", "number", "high") or token[1] == ")"


def _begins(token: tuple[str, str]) -> bool:
    return token[0] in ("name", "number") or token[1] == "("


def _raised(factor: Fraction, power: Fraction) -> Fraction:
    if power.denominator == 1:
        return factor ** int(power)
    floor = power.numerator // power.denominator  # exactly, so that only a root is left to floats
    return factor**floor * Fraction(float(factor) ** float(power - floor))
