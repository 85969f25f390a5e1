"""Proposals: what a user may have meant by a value that does not fit its quantity.

There are few kinds of mistakes in values, and each shows what was meant:

    a letter for a power of ten      405B [parameter]      405 Gparameter       15.6T token     15.6 Ttoken
    a factor of the unit forgotten   400 W [W/chip]        400 W/chip
    one factor for another           5.3 GB/token          5.3 GB/sequence
    the unit upside down             20 ms/token           50 token/s
    a unit of another spelling       989 TFLOPS            989 TFLOP/s/chip
    a share for a percentage         0.7 [%]               70 %

A proposal keeps the number and changes the unit if possible, and the likeliest comes first. Every proposal has been
read back, and fits the quantity and its domain: a wrong repair is worse than none.

Beside its own unit a quantity is told in customary ones of the same dimension (`offered`): its own with one of its
parts replaced by a sibling, the hour of USD/h by the month, the TB of TB/s/chip by the GB. Siblings measure the same by
themselves, so a replaced part keeps its place and its power. What is offered is read and converted like any other unit;
a sibling that does not convert is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, islice
from math import log
from operator import itemgetter
from typing import NamedTuple

from quantities.definitions import entry, unprefixed
from quantities.dimension import BASE_UNITS, NUMBER, Dimension
from quantities.domain import Domain
from quantities.errors import DeriveError
from quantities.rational import nearest, text_of
from quantities.spelling import alternatives, parse_unit
from quantities.units import Unit, convert
from quantities.value import read_value

__all__ = ["hint_on_unit", "offered", "proposals", "proposed", "told_in"]

_PROPOSED = 2  # limit on values that one hint proposes
_UNKNOWN = 2  # limit on unknown names in a unit
_FACTORS = 8  # limit on factors of a unit
_COUNTED = {"token", "sequence", "parameter", "accelerator", "operation", "information"}
"""Dimensions of counted things, which are mistaken for each other."""
_PACED = {"token", "sequence", "accelerator"}
"""Dimensions that are left out if the time for one thing is given in place of a rate."""

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_VALUE = re.compile(rf"({_NUMBER}(?:\s*(?:\.\.|\+/-)\s*{_NUMBER})?)(?!\.)\s*(.*)", re.DOTALL)
_POWERS = {
    **dict.fromkeys(("k", "K", "thousand"), 3),
    **dict.fromkeys(("M", "mn", "mio", "million", "MM"), 6),
    **dict.fromkeys(("B", "G", "b", "bn", "mrd", "billion"), 9),
    **dict.fromkeys(("T", "tn", "t", "trillion"), 12),
    **dict.fromkeys(("P", "quadrillion"), 15),
}
"""Letters and words for a power of ten after a number."""

_PREFIXES = {3: "k", 6: "M", 9: "G", 12: "T", 15: "P"}
_MANY = re.compile(rf"\s*(?:/|\bper\b)\s*(?:1\s*)?({'|'.join(sorted(_POWERS, key=len, reverse=True))})\s+([A-Za-z_]+)")
_WORD = re.compile(r"[A-Za-z_%‰°µμ]+[A-Za-z0-9_°]*")


class _Factor(NamedTuple):
    sign: str
    text: str
    dimension: Dimension


def proposed(text: str, wanted: Unit, domain: Domain) -> str:
    """The proposals of values as a hint to an error; empty if there are none.

    >>> from quantities.domain import read_domain
    >>> unit = parse_unit("W/chip")
    >>> proposed("400 W", unit, read_domain("positive", unit))
    'Write "400 W/chip"'
    """
    quoted = [f'"{value}"' for value in proposals(text, wanted, domain)]
    return f"Write {', or '.join(quoted)}" if quoted else ""


def proposals(text: str, wanted: Unit, domain: Domain) -> list[str]:
    """Proposals for a text that is no value: values near it that fit a unit and a domain, the likeliest first.

    >>> from quantities.domain import read_domain
    >>> for text, unit in (("405B", "parameter"), ("50 tok/s/user", "token/s/sequence"), ("20 ms/token", "token/s")):
    ...     print(proposals(text, parse_unit(unit), read_domain("positive", parse_unit(unit))))
    ['405 Gparameter']
    ['50 tok/s/sequence']
    ['50 token/s']
    """
    split = _VALUE.fullmatch(text.replace("−", "-").replace("±", "+/-").strip())
    if split is None:
        return []
    number, unit = split[1].strip(), _MANY.sub(_prefixed, split[2].strip())
    for candidates in (_powered(number, unit, wanted), _respelled(number, unit, wanted)):
        fitting = (value for value in dict.fromkeys(candidates) if _fits(value, wanted, domain))
        if likeliest := list(islice(fitting, _PROPOSED)):
            return likeliest
        if unit.partition(" ")[0] in _POWERS and " " in unit:
            return []  # billions of something else
    return []


def _prefixed(found: re.Match[str]) -> str:
    """A proposal's prefix for a power of ten in a denominator: per million tokens is /Mtokens."""
    prefixed = f"{_PREFIXES[_POWERS[found[1]]]}{found[2]}"
    return f"/{prefixed}" if entry(prefixed) else found[0]


def _fits(text: str, wanted: Unit, domain: Domain) -> bool:
    """Whether a proposal, read back, is a value in this unit and domain."""
    try:
        stated = read_value(text)
        value = stated.within(wanted)
        if not (stated.unit.factors or stated.unit.text or wanted.is_number):
            return False
        return all(domain.admits(end) for end in value.base)
    except (DeriveError, OverflowError):
        return False


def _respelled(number: str, unit: str, wanted: Unit) -> Iterator[str]:
    """Proposals of the same number with a repaired unit."""
    if unit in ("", "1", "dimensionless"):
        yield from _united(number, wanted)
        return
    for spelling in _readings(unit):
        yield f"{number} {spelling}"
        yield from _inverse(number, spelling, wanted)
        for completed in _completed(spelling, wanted, keeping=spelling != unit):
            yield f"{number} {completed}".rstrip()


def _united(number: str, wanted: Unit) -> Iterator[str]:
    """Proposals of a bare number in the wanted unit; if that is a percentage, first read as a share."""
    plain = f"{number} {wanted}"
    if wanted.dimension or any(wanted.turning) or wanted.size >= 1:
        yield plain
        return
    try:
        value = read_value(number)
    except DeriveError:
        return
    share = str(value.within(wanted))
    yield from (share, plain) if max(abs(value.low), abs(value.high)) <= 1 else (plain,)


def _powered(number: str, unit: str, wanted: Unit) -> Iterator[str]:
    """Proposals where a letter or a word after the number is a power of ten: 405B, 15.6T token, 128k."""
    first, _, behind = unit.partition(" ")
    power = _POWERS.get(first)
    if power is None or ".." in number or "+/-" in number or unit == wanted.text:
        return
    text = behind.strip() or wanted.text
    if name := _WORD.match(text):
        bare = name[0] if behind else unprefixed(name[0]) or name[0]
        prefixed = _PREFIXES[power] + bare
        if entry(bare) and entry(prefixed) and not unprefixed(bare):
            scaled = prefixed + text[name.end() :]
            yield f"{number} {scaled}"
            yield from (f"{number} {completed}" for completed in _completed(scaled, wanted, keeping=True))
        elif entry(bare) and "e" not in number.lower():
            for completed in (text, *_completed(text, wanted, keeping=True)):
                yield f"{number}e{power} {completed}"
    elif "e" not in number.lower():
        yield f"{number}e{power} {text}" if wanted.dimension else text_of(nearest(Fraction(number) * 10**power), 12)


def _readings(unit: str) -> Iterator[str]:
    """The unit itself for a proposal, if it can be read; else with alternatives for each unknown name."""
    unknown = [word for word in dict.fromkeys(_WORD.findall(unit)) if word != "per" and _unit_of(word) is None]
    if not unknown:
        yield unit
        return
    for other in alternatives(unknown[0]):
        changed = re.sub(rf"(?<![A-Za-z0-9_]){re.escape(unknown[0])}(?![A-Za-z0-9_])", lambda _, o=other: o, unit)  # type: ignore[misc]
        if changed == unit:
            continue  # the name stands behind a digit, and is no word of its own
        if len(unknown) == 1:
            yield changed
        elif len(unknown) <= _UNKNOWN:
            yield from _readings(changed)


def _unit_of(text: str) -> Unit | None:
    try:
        return parse_unit(text)
    except DeriveError:
        return None


def _inverse(number: str, unit: str, wanted: Unit) -> Iterator[str]:
    """A proposal of the reciprocal: seconds per token, where tokens per second are wanted."""
    try:
        given, value = parse_unit(unit), read_value(number)
    except DeriveError:
        return
    left_over = given.dimension * wanted.dimension
    is_pace = "time" in given.dimension.bases and left_over.bases.keys() <= _PACED
    if wanted.dimension and (not left_over or is_pace) and not value.is_range and value.number:
        yield f"{wanted.from_base(1 / given.to_base(value.number)):.6g} {wanted}"


def _completed(unit: str, wanted: Unit, *, keeping: bool = False) -> Iterator[str]:
    """Proposals of the unit with a factor added, dropped or replaced, those with the fewest changes first.

    With `keeping` none is dropped: what an unknown name is taken for stays.
    """
    factors = _factors(unit)
    if not factors or len(factors) > _FACTORS:
        return
    choices: list[int | None] = [None]
    if not keeping:
        choices += [place for place, factor in enumerate(factors) if not _counts_rotation(factor)]
    texts: list[tuple[int, str]] = []  # each with its number of changes
    for dropped in choices:
        kept = [factor for i, factor in enumerate(factors) if i != dropped]
        lost = None if dropped is None else factors[dropped]
        added = _added(kept, lost, wanted)
        if added is not None and not any(map(_counts_rotation, added)):
            texts.append((len(added) + (lost is not None), _joined([*kept, *added])))
    yield from (text for _, text in sorted(texts, key=itemgetter(0)))


def _counts_rotation(factor: _Factor) -> bool:
    """Whether a factor of a unit counts radians or cycles: a proposal that drops or adds it is wrong by 2 pi."""
    unit = _unit_of(factor.text)
    return unit is not None and (unit.counts != "" or "cycle" in factor.dimension.bases)


def _added(kept: list[_Factor], lost: _Factor | None, wanted: Unit) -> list[_Factor] | None:
    """The missing factors of a proposed unit; None if they are too many, or not of the kind of the one they replace."""
    missing = wanted.dimension / _product(kept)
    own_texts = {factor.text for factor in _factors(wanted.text)}
    # Degrees or a percentage alone are another thing than what is wanted: 5 % of a length is not "5 %*m".
    if kept and not any(factor.dimension or factor.text in own_texts for factor in kept):
        return None
    if lost is None and (own := _own(missing, wanted)):
        return own
    bases = missing.bases
    if len(bases) != len(missing.powers) or any(abs(power) != 1 for power in bases.values()):
        return None
    if any(bases.keys() & factor.dimension.bases.keys() for factor in kept):
        return None
    if lost is None and (len(bases) > 2 or not kept):
        return None
    if lost is not None and bases:
        other = lost.dimension.bases.keys()
        if len(bases) > 1 or bases.keys() == other or not bases.keys() | other <= _COUNTED:
            return None
    names = _names_of(wanted)
    ordered = sorted(bases, key=lambda base: bases[base] < 0)
    return [
        _Factor("*" if bases[base] > 0 else "/", names.get(base, BASE_UNITS.get(base, base)), Dimension.of(base))
        for base in ordered
    ]


def _own(missing: Dimension, wanted: Unit) -> list[_Factor]:
    """The factors that a proposal adds for a missing dimension, as the wanted unit has them: kWh, not kg*m**2/s**2."""
    factors = _factors(wanted.text)
    for size in range(1, min(len(factors), 3)):
        for chosen in combinations(factors, size):
            if _product(chosen) == missing:
                return list(chosen)
    return []


def _product(factors: Iterable[_Factor]) -> Dimension:
    total = NUMBER
    for factor in factors:
        total = total * factor.dimension if factor.sign == "*" else total / factor.dimension
    return total


def _names_of(wanted: Unit) -> dict[str, str]:
    """The names that a proposal uses for base dimensions: those in the wanted unit, its hour and not the second."""
    names: dict[str, str] = {}
    for factor in _factors(wanted.text):
        if len(factor.dimension.powers) == 1 and list(factor.dimension.bases.values()) == [1]:
            names.setdefault(next(iter(factor.dimension.bases)), factor.text)
    return names


_PART = re.compile(r"\s*(\*\*|[*/·⋅×^()]|per\b|[^\s*/·⋅×^()]+)")


def _factors(unit: str) -> list[_Factor]:
    """The factors of a unit for a proposal, if it is a plain product and quotient; empty for any other."""
    factors: list[_Factor] = []
    sign, text = "*", ""
    pieces = _PART.findall(unit)
    for i, piece in enumerate([*pieces, "*"]):
        if piece in ("(", ")"):
            return []
        if piece in ("**", "^") or (i and pieces[i - 1] in ("**", "^")):
            text += piece
            continue
        if text and text != "1":
            if (factor := _unit_of(text)) is None:
                return []
            factors.append(_Factor(sign, text, factor.dimension))
        is_mark = piece in ("*", "/", "·", "⋅", "×", "per")
        if is_mark or text:
            sign = "/" if piece in ("/", "per") else "*"
        text = "" if is_mark else piece
    return factors


def _joined(factors: list[_Factor]) -> str:
    above = "*".join(factor.text for factor in factors if factor.sign == "*")
    below = "".join(f"/{factor.text}" for factor in factors if factor.sign == "/")
    return (above or ("1" if below else "")) + below


_LARGE = ("", "k", "M", "G", "T", "P", "E")
_MOST = 20  # units offered beside a quantity's own
_NEAREST = 4  # units that a hint names
_FARTHEST = 1e16  # how many times larger or smaller than a quantity's own unit another one is, at most
_SHORT = frozenset({"ns", "µs", "ms"})  # which nobody divides by

_SIBLINGS = (
    ("ns", "µs", "ms", "s", "min", "h", "day", "week", "month", "year"),
    ("byte", *(f"{prefix}B" for prefix in (*_LARGE[1:], "Ki", "Mi", "Gi", "Ti")), "bit"),
    ("FLOP", *(f"{prefix}FLOP" for prefix in (*_LARGE[1:], "Z", "Y"))),
    tuple(f"{prefix}token" for prefix in _LARGE[:5]),
    tuple(f"{prefix}parameter" for prefix in _LARGE[:5]),
    ("cent", *(f"{prefix}USD" for prefix in _LARGE[:4])),
    tuple(f"{prefix}W" for prefix in ("m", *_LARGE[:4])),
    ("mJ", "J", "kJ", "MJ", "GJ", "Wh", "kWh", "MWh", "GWh"),
    tuple(f"{prefix}Hz" for prefix in _LARGE[:5]),
    ("nm", "µm", "mm", "cm", "m", "km", "inch", "ft", "mile"),
    ("mg", "g", "kg", "tonne", "lb"),
    ("L", "mL", "m**3", "gallon"),
    ("Pa", "kPa", "MPa", "bar", "atm", "psi"),
    ("K", "degC", "degF"),
    ("mN", "N", "kN", "lbf"),
    ("µA", "mA", "A", "kA"),
    ("µV", "mV", "V", "kV"),
    ("mohm", "ohm", "kohm", "Mohm"),
    ("pF", "nF", "µF", "mF", "F"),
    ("nH", "µH", "mH", "H"),
    ("mmol", "mol", "kmol"),
    ("radian", "degree"),
    ("rpm", "revolution/s"),
)
"""Units that measure the same, each list from small to large."""

_UNIT_PART = re.compile(r"[A-Za-zµ°%]+")


def offered(unit: Unit) -> dict[str, Unit]:
    """The units that are proposed for a quantity: its own by its text, and then the others, from small to large.

    >>> [*offered(parse_unit("degC"))]
    ['degC', 'K', 'degF']
    >>> [*offered(parse_unit("USD/h/chip"))][:4]
    ['USD/h/chip', 'cent/h/chip', 'kUSD/h/chip', 'MUSD/h/chip']
    """
    others = [other for text in _neighbours(unit.shown) if (other := _alike(text, unit)) is not None]
    listed = {unit.shown: unit} | {other.text: other for other in others[:_MOST]}
    if unit.is_number and not unit.factors:
        listed["percent"] = parse_unit("percent")
    return listed


def told_in(unit: Unit) -> str:
    """A quantity's own unit and the nearest others, as they are proposed in words.

    >>> told_in(parse_unit("s")), told_in(parse_unit("V*A"))
    ('s, min, ms or h', 'V*A, mV*A, kV*A or V*mA')
    """
    units = offered(unit)
    own, *others = units
    near = sorted(others, key=lambda text: abs(log(float(units[text].size) / float(unit.size))))[: _NEAREST - 1]
    *first, last = [own or "1", *near]
    return f"{', '.join(first)} or {last}" if first else last


def hint_on_unit(text: str, hint: str, own: Unit) -> str:
    """The hint that proposes units that fit, where a unit is not known and is asked for in place of another one.

    A unit that pint knows by itself is told in units that are known here.

    >>> metre = parse_unit("m")
    >>> hint_on_unit("fermi", "`derive.units` knows the SI and its prefixes.", metre)
    'pint takes fermi for 1e-15 m: declare it, [units] fermi = "1e-15 m", or write m, ft, inch or cm.'
    """
    from quantities.registry import known_to_pint

    is_alone = _UNIT_PART.fullmatch(text.strip()) is not None
    has_fitting = any(_is_like(word, own) for word in _UNIT_PART.findall(hint))
    is_near = hint.startswith("Did you mean") and (has_fitting or not is_alone)
    if is_near or not hint.startswith(("Did you mean", "`derive.units` knows")):
        return hint
    for name in dict.fromkeys(_UNIT_PART.findall(text)):
        meant = "" if entry(name) else known_to_pint(name)
        if meant and is_alone and _is_like(meant.partition(" ")[2], own):
            return f'pint takes {name} for {meant}: declare it, [units] {name} = "{meant}", or write {told_in(own)}.'
        if meant:
            return f"pint takes {name} for {meant}. Write {told_in(own)}."
    return f"Write {told_in(own)}."


def _is_like(text: str, own: Unit) -> bool:
    """Whether a text may be proposed as a unit, since it has the dimension of the quantity's own."""
    unit = _unit_of(text)
    return unit is not None and unit.dimension == own.dimension


def _neighbours(text: str) -> list[str]:
    """The texts of units to propose, with one part replaced: the first part by all of its siblings, then later ones."""
    texts = []
    for part in _UNIT_PART.finditer(text):
        for family in _SIBLINGS:
            if part[0] not in _with_symbols(family):
                continue
            for sibling in family:
                is_odd = ("*" in sibling and part[0] != text) or (sibling in _SHORT and part.start() > 0)
                if sibling != part[0] and not is_odd:
                    texts.append(text[: part.start()] + sibling + text[part.end() :])
    return texts


@cache
def _with_symbols(family: tuple[str, ...]) -> frozenset[str]:
    """The spellings of a family of units that a proposal may exchange: also symbols, such as B for byte."""
    symbols = {"byte": "B", "day": "d", "bit": "b"}
    return frozenset(family) | {symbols[name] for name in family if name in symbols}


def _alike(text: str, unit: Unit) -> Unit | None:
    """The proposed unit of this text, if numbers convert between it and the other by sizes and offsets alone."""
    try:
        other = parse_unit(text)
        convert(1.0, unit, other)
    except DeriveError:
        return None
    is_near = 1 / _FARTHEST < other.size / unit.size < _FARTHEST
    return other if is_near and other.dimension == unit.dimension and other.turning == unit.turning else None
